//! One HTML page with the tables, the plots and a board to replay each game on: no other file and no
//! network.
//!
//! The rules stay here: for each game the page gets the board it starts from and, for each ply, the cells
//! that change. What an engine supplied (names, reasons) reaches the page as text only: escaped in the
//! HTML, in JSON without any `<`, and set as text by the script.

mod games;
mod plots;

use super::super::record::Finished;
use super::super::statistics::{Sprt, Trinomial};
use super::standings::{AddError, Standings};
use super::summary::Summary;
use super::table::{elo, error, percent, seconds, state};
use super::{ReplayError, in_order};

const STYLE: &str = include_str!("page/page.css");
const SCRIPT: &str = include_str!("page/page.js");

/// Why there is no page.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PageError {
    /// A game does not belong to the match.
    #[error(transparent)]
    Add(#[from] AddError),
    /// A game cannot be replayed.
    #[error(transparent)]
    Replay(#[from] ReplayError),
}

/// The text of `report.html`. The same games in any order give the same bytes.
///
/// # Errors
/// [`PageError`] for the first game that cannot be counted or replayed.
pub fn page(
    title: &str,
    engines: &[String],
    sprt: Option<Sprt>,
    games: &[Finished],
) -> Result<String, PageError> {
    let games = in_order(games);
    let mut standings = Standings::new(engines, sprt);
    let mut running = plots::Running::default();
    for game in &games {
        standings.add(game)?;
        if engines.len() == 2 {
            running.push(&standings.summary());
        }
    }
    let summary = standings.summary();
    let data = games::data(engines, &games)?;
    let title = escape(title);
    let mut html = format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; \
         style-src 'unsafe-inline'; script-src 'unsafe-inline'\">\n\
         <title>{title}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n<h1>{title}</h1>\n"
    );
    html.push_str(&lead(&summary));
    html.push_str(&ranking(&summary));
    if summary.engines.len() > 2 {
        html.push_str(&crosstable(&summary));
    } else {
        html.push_str(&details(&summary));
    }
    html.push_str("<section class=\"plots\">\n");
    if engines.len() == 2 {
        html.push_str(&running.elo());
        html.push_str(&running.llr(&summary));
    } else {
        html.push_str(&plots::ratings(&summary));
    }
    html.push_str("</section>\n");
    html.push_str(include_str!("page/viewer.html"));
    html.push_str(&format!("<script type=\"application/json\" id=\"data\">{data}</script>\n"));
    html.push_str(&format!("<script>\n{SCRIPT}</script>\n</body>\n</html>\n"));
    Ok(html)
}

/// A text as HTML, for elements and quoted attributes.
fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            c if c.is_control() => escaped.push(' '),
            c => escaped.push(c),
        }
    }
    escaped
}

fn lead(summary: &Summary) -> String {
    let mut text = format!("{} games, {:.1} plies each on average.", summary.games, summary.plies);
    if let Some(sprt) = &summary.sprt {
        text.push_str(&format!(" SPRT {}: <strong>{}</strong>.", sprt.test, state(sprt)));
    }
    if summary.prior && summary.engines.len() > 2 {
        text.push_str(" Elo with a drawn game against an average engine added to everyone's.");
    }
    format!("<p class=\"lead\">{text}</p>\n")
}

/// A table whose head has the given columns; cells are HTML.
fn table(head: &[String], rows: &[Vec<String>]) -> String {
    let mut html = String::from("<div class=\"scroll\"><table>\n<thead><tr>");
    html.extend(head.iter().map(|cell| format!("<th>{cell}</th>")));
    html.push_str("</tr></thead>\n<tbody>\n");
    for row in rows {
        html.push_str("<tr>");
        html.extend(row.iter().map(|cell| format!("<td>{cell}</td>")));
        html.push_str("</tr>\n");
    }
    html + "</tbody>\n</table></div>\n"
}

fn wdl(results: Trinomial) -> String {
    format!("{}–{}–{}", results.wins, results.draws, results.losses)
}

fn ranking(summary: &Summary) -> String {
    let head = [
        "#",
        "Engine",
        "Elo",
        "±",
        "Games",
        "Score",
        "W–D–L",
        "as Black",
        "as White",
        "Draws",
        "LOS",
        "Forfeits",
        "Resigned",
        "Plies",
        "A move",
        "Longest",
        "In all",
    ];
    let rows: Vec<Vec<String>> = summary
        .ranked()
        .into_iter()
        .map(|engine| {
            let kinds: Vec<String> =
                engine.forfeits.iter().map(|(kind, count)| format!("{kind} {count}")).collect();
            let forfeits = engine.forfeits.values().sum::<u32>();
            vec![
                engine.rank.to_string(),
                format!("<b>{}</b>", escape(&engine.name)),
                elo(engine.elo),
                error(engine.error),
                engine.games.to_string(),
                format!("{} %", percent(engine.score)),
                wdl(engine.results),
                wdl(engine.black),
                wdl(engine.white),
                format!("{} %", percent(engine.draw_rate)),
                format!("{} %", percent(engine.los)),
                format!("<span title=\"{}\">{forfeits}</span>", kinds.join(", ")),
                engine.resignations.to_string(),
                format!("{:.1}", engine.plies),
                seconds(engine.thinking.mean),
                seconds(engine.thinking.longest),
                format!("{:.1} s", engine.thinking.seconds),
            ]
        })
        .collect();
    table(&head.map(str::to_owned), &rows)
}

/// Each cell a link to the games of its two engines.
fn crosstable(summary: &Summary) -> String {
    let ranked = summary.ranked();
    let place =
        |name: &str| summary.engines.iter().position(|engine| engine.name == name).unwrap_or_default();
    let mut head = vec!["#".to_owned(), "Engine".to_owned()];
    head.extend(ranked.iter().map(|engine| engine.rank.to_string()));
    let mut rows = Vec::new();
    for row in &ranked {
        let mut cells = vec![row.rank.to_string(), escape(&row.name)];
        cells.extend(ranked.iter().map(|column| match summary.between(&row.name, &column.name) {
            Some(results) => format!(
                "<a href=\"#p={},{}\">{}<br><small>{} %</small></a>",
                place(&row.name),
                place(&column.name),
                wdl(results),
                percent(results.points() / f64::from(results.games().max(1)))
            ),
            None if row.rank == column.rank => "·".to_owned(),
            None => String::new(),
        }));
        rows.push(cells);
    }
    format!("<h2>Crosstable</h2>\n{}", table(&head, &rows))
}

/// What two engines have come to against each other.
fn details(summary: &Summary) -> String {
    let head = [
        "#",
        "Pairing",
        "Pairs with 0",
        "½",
        "1",
        "1½",
        "2 points",
        "Won to lost",
        "Elo",
        "Normalised Elo",
        "LOS",
        "By",
    ];
    let rows: Vec<Vec<String>> = summary
        .pairings
        .iter()
        .map(|pairing| {
            let estimate = &pairing.estimate;
            let names = format!("<b>{}</b> against {}", escape(&pairing.first), escape(&pairing.second));
            let mut cells = vec!["1".to_owned(), names];
            cells.extend(pairing.pairs.0.map(|count| count.to_string()));
            cells.extend([
                pairing.pairs_ratio.map_or("–".to_owned(), |ratio| format!("{ratio:.2}")),
                format!("{:.1} ± {:.1}", estimate.elo + 0.0, estimate.error),
                format!("{:.1} ± {:.1}", estimate.nelo + 0.0, estimate.nelo_error),
                format!("{} %", percent(estimate.los)),
                if pairing.by_pairs { "pairs" } else { "games" }.to_owned(),
            ]);
            cells
        })
        .collect();
    table(&head.map(str::to_owned), &rows)
}
