//! The standings as text.

use super::super::statistics::{Pentanomial, Trinomial};
use super::summary::{EngineSummary, Pairing, SprtSummary, Summary};

/// Longest name shown in full.
const NAME: usize = 20;
/// The width that tables keep to, as long as a crosstable of scores does.
const WIDTH: usize = 110;

/// Elo as a whole number with a sign: `+12`, `-3`, `0`, `+inf`.
pub(super) fn elo(value: f64) -> String {
    let rounded = value.round();
    if rounded == 0.0 { "0".to_owned() } else { format!("{rounded:+}") }
}

/// An error as a whole number, `inf` where there is no bound.
pub(super) fn error(value: f64) -> String {
    format!("{}", value.round())
}

/// A share in percent, `0.675` for `67.5`.
pub(super) fn percent(share: f64) -> String {
    format!("{:.1}", 100.0 * share)
}

/// Seconds with a unit: `0.4 ms`, `20 ms`, `1.25 s`.
pub(super) fn seconds(value: f64) -> String {
    match value {
        v if v < 0.01 => format!("{:.1} ms", 1000.0 * v),
        v if v < 1.0 => format!("{:.0} ms", 1000.0 * v),
        v => format!("{v:.2} s"),
    }
}

/// A name that takes one line and no more than [`NAME`] places.
fn name(text: &str) -> String {
    let clean = text.chars().map(|c| if c.is_control() { '?' } else { c });
    if text.chars().count() <= NAME { clean.collect() } else { clean.take(NAME - 1).chain(['…']).collect() }
}

/// `+12 =3 -5`.
fn signed(results: Trinomial) -> String {
    format!("+{} ={} -{}", results.wins, results.draws, results.losses)
}

impl Summary {
    /// The ranked table, the crosstable and the test, with a newline behind each line.
    #[must_use]
    pub fn text(&self) -> String {
        let ranked = self.ranked();
        let mut text = aligned(&self.ranking(&ranked), 2);
        if self.prior && ranked.len() > 2 {
            text.push_str("Elo with a drawn game against an average engine added to everyone's.\n");
        }
        if ranked.len() > 2 {
            text.push('\n');
            text.push_str(&self.crosstable(&ranked));
        }
        for pairing in self.pairings.iter().filter(|_| ranked.len() == 2) {
            text.push('\n');
            text.push_str(&details(pairing));
        }
        if let Some(sprt) = &self.sprt {
            text.push_str(&format!("SPRT {}: {}\n", sprt.test, state(sprt)));
        }
        text
    }

    /// One line for the progress bar: `A - B: +12 =3 -5 (67.5 %) Elo +127 ±85 LOS 97 %`, and the leaders
    /// when there are more than two engines.
    #[must_use]
    pub fn short(&self) -> String {
        if let [first, second] = &self.engines[..] {
            let mut text = format!(
                "{} - {}: {} ({} %) Elo {} ±{} LOS {:.0} %",
                name(&first.name),
                name(&second.name),
                signed(first.results),
                percent(first.score),
                elo(first.elo),
                error(first.error),
                100.0 * first.los,
            );
            if let Some(sprt) = &self.sprt {
                let state = &sprt.state;
                text.push_str(&format!(" LLR {:.2} [{:.2}, {:.2}]", state.llr, state.lower, state.upper));
            }
            return text;
        }
        let place = |engine: &&EngineSummary| {
            format!("{}. {} {} ±{}", engine.rank, name(&engine.name), elo(engine.elo), error(engine.error))
        };
        self.ranked().iter().take(3).map(place).collect::<Vec<_>>().join("  ")
    }

    fn ranking(&self, ranked: &[&EngineSummary]) -> Vec<Vec<String>> {
        let head = [
            "#", "engine", "Elo", "±", "games", "score", "W", "D", "L", "draws", "LOS", "forfeits", "a move",
        ];
        let mut rows = vec![head.map(str::to_owned).to_vec()];
        rows.extend(ranked.iter().map(|engine| {
            let Trinomial { wins, draws, losses } = engine.results;
            vec![
                engine.rank.to_string(),
                name(&engine.name),
                if engine.games > 0 { elo(engine.elo) } else { "-".to_owned() },
                if engine.games > 0 { error(engine.error) } else { "-".to_owned() },
                engine.games.to_string(),
                if engine.games > 0 { format!("{}%", percent(engine.score)) } else { "-".to_owned() },
                wins.to_string(),
                draws.to_string(),
                losses.to_string(),
                format!("{}%", percent(engine.draw_rate)),
                format!("{}%", percent(engine.los)),
                engine.forfeits.values().sum::<u32>().to_string(),
                seconds(engine.thinking.mean),
            ]
        }));
        rows
    }

    /// Wins, draws and losses of the row against the column, or the score alone where that would be too
    /// wide.
    fn crosstable(&self, ranked: &[&EngineSummary]) -> String {
        let table = |cell: &dyn Fn(Trinomial) -> String| {
            let places = ranked.iter().map(|engine| engine.rank.to_string());
            let mut rows = vec![["#".to_owned(), "engine".to_owned()].into_iter().chain(places).collect()];
            for row in ranked {
                let cells = ranked.iter().map(|column| match self.between(&row.name, &column.name) {
                    Some(results) => cell(results),
                    None if row.rank == column.rank => "-".to_owned(),
                    None => String::new(),
                });
                rows.push([row.rank.to_string(), name(&row.name)].into_iter().chain(cells).collect());
            }
            aligned(&rows, 2)
        };
        let wide = table(&|results| format!("{}-{}-{}", results.wins, results.draws, results.losses));
        if wide.lines().all(|line| line.chars().count() <= WIDTH) {
            return wide;
        }
        table(&|results| percent(results.points() / f64::from(results.games().max(1))))
    }
}

/// What two engines have come to, in a few lines.
fn details(pairing: &Pairing) -> String {
    let Pentanomial(pairs) = pairing.pairs;
    let estimate = &pairing.estimate;
    let (first, second) = (name(&pairing.first), name(&pairing.second));
    let mut text = format!(
        "{first} against {second}: black {}, white {}\n",
        signed(pairing.black),
        signed(pairing.white)
    );
    text.push_str(&format!(
        "Elo {:+.2} ±{:.2}, normalised {:+.2} ±{:.2}, LOS {} % (by {})\n",
        estimate.elo + 0.0,
        estimate.error,
        estimate.nelo + 0.0,
        estimate.nelo_error,
        percent(estimate.los),
        if pairing.by_pairs { "pairs" } else { "games" },
    ));
    if pairing.pairs.pairs() > 0 {
        let ratio = pairing.pairs_ratio.map_or("-".to_owned(), |ratio| format!("{ratio:.2}"));
        text.push_str(&format!("pairs with 0 to 2 points: {pairs:?}, won to lost {ratio}\n"));
    }
    text
}

/// `LLR 1.20 in [-2.94, 2.94], go on`.
pub(super) fn state(sprt: &SprtSummary) -> String {
    let state = &sprt.state;
    format!("LLR {:.2} in [{:.2}, {:.2}], {}", state.llr, state.lower, state.upper, state.verdict)
}

/// Rows in columns two blanks apart: the second (names) to the left, the others to the right.
fn aligned(rows: &[Vec<String>], gap: usize) -> String {
    let columns = rows.first().map_or(0, Vec::len);
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let mut text = String::new();
    for row in rows {
        let mut line = String::new();
        for (column, (cell, &width)) in row.iter().zip(&widths).enumerate() {
            if column > 0 {
                line.push_str(&" ".repeat(gap));
            }
            if column == 1 {
                line.push_str(&format!("{cell:<width$}"));
            } else {
                line.push_str(&format!("{cell:>width$}"));
            }
        }
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}
