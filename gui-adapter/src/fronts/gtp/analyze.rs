//! The analysis commands of Leela Zero, KataGo and Sabaki: their arguments and their reports.

use std::collections::HashSet;
use std::time::Duration;

use tengen_engine::game::{Color, Move, Point};
use tengen_engine::protocol::Info;

use super::commands::expected;
use super::notation::Notation;
use super::table::Table;
use super::{Answered, Gtp, Purpose};

/// Moves reported when the client names no number.
const LINES: u32 = 10;
/// The most moves a daemon reports.
pub(super) const MOST_LINES: u32 = 500;
/// From report to report when the client names no interval; only the last report is written then.
const PACE: Duration = Duration::from_millis(500);
/// The shortest interval.
const FASTEST: Duration = Duration::from_millis(10);

/// Whose command it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Style {
    /// `lz-`: chances are whole numbers of 10000.
    Leela,
    /// `kata-`: chances are fractions of 1.
    Kata,
    /// Sabaki's own: as KataGo; a number is a fraction by its decimal point.
    Sabaki,
}

/// Which points are in the reports.
#[derive(Clone, Debug, Default)]
struct Filter {
    avoided: HashSet<Point>,
    /// All when nothing was said.
    allowed: Option<HashSet<Point>>,
}

impl Filter {
    fn is_empty(&self) -> bool {
        self.avoided.is_empty() && self.allowed.is_none()
    }

    fn admits(&self, point: Point) -> bool {
        !self.avoided.contains(&point) && self.allowed.as_ref().is_none_or(|allowed| allowed.contains(&point))
    }
}

/// An analysis as it was asked for.
#[derive(Clone, Debug)]
pub(super) struct Analysis {
    style: Style,
    color: Color,
    /// From report to report, or only one report at the end.
    pub(super) interval: Option<Duration>,
    least: usize,
    most: Option<u32>,
    root_info: bool,
    filter: Filter,
}

/// `analyze`, `lz-analyze`, `kata-analyze`
pub(super) fn analyze(gtp: &mut Gtp, args: &[&str], style: Style) -> Answered {
    let (color, analysis) = Analysis::parse(gtp, args, style)?;
    gtp.think(color, Purpose::Analyze(analysis))
}

/// `genmove_analyze`, `lz-genmove_analyze`, `kata-genmove_analyze`
pub(super) fn genmove_analyze(gtp: &mut Gtp, args: &[&str], style: Style) -> Answered {
    let (color, analysis) = Analysis::parse(gtp, args, style)?;
    gtp.think(color, Purpose::GenMoveAnalyze(analysis))
}

/// Reads hundredths of a second.
fn interval(word: &str) -> Result<Duration, String> {
    match word.parse::<f64>() {
        Ok(number) if (0.0..1e9).contains(&number) => {
            Ok(Duration::from_secs_f64(number / 100.0).max(FASTEST))
        }
        _ => expected("an interval in hundredths of a second"),
    }
}

fn number(word: &str) -> Result<u32, String> {
    word.parse().map_or_else(|_| expected("a number of moves"), Ok)
}

impl Analysis {
    /// Reads `[COLOUR] [INTERVAL] [KEY VALUE ...]`. Without a colour it is the side to move.
    fn parse(gtp: &Gtp, args: &[&str], style: Style) -> Result<(Color, Analysis), String> {
        let mut rest = args;
        let mut color = gtp.table.referee().turn();
        if let [word, tail @ ..] = rest
            && let Some(named) = Color::parse(word)
        {
            (color, rest) = (named, tail);
        }
        let mut analysis = Analysis {
            style,
            color,
            interval: None,
            least: 0,
            most: None,
            root_info: false,
            filter: Filter::default(),
        };
        if let [word, tail @ ..] = rest
            && word.starts_with(|c: char| c.is_ascii_digit())
        {
            analysis.interval = Some(interval(word)?);
            rest = tail;
        }
        loop {
            rest = match rest {
                [] => return Ok((color, analysis)),
                ["interval", word, tail @ ..] => {
                    analysis.interval = Some(interval(word)?);
                    tail
                }
                ["minmoves", word, tail @ ..] => {
                    analysis.least = number(word)? as usize;
                    tail
                }
                ["maxmoves", word, tail @ ..] => {
                    analysis.most = Some(number(word)?);
                    tail
                }
                ["rootInfo", word, tail @ ..] => {
                    analysis.root_info = *word == "true";
                    tail
                }
                [key @ ("avoid" | "allow"), side, points, _depth, tail @ ..] => {
                    let Some(side) = Color::parse(side) else { return Err("invalid color".to_owned()) };
                    if side == color {
                        let points: Option<HashSet<Point>> =
                            points.split(',').map(|name| gtp.notation.parse_point(name)).collect();
                        let Some(points) = points else { return Err("invalid coordinate".to_owned()) };
                        let Filter { avoided, allowed } = &mut analysis.filter;
                        match allowed {
                            _ if *key == "avoid" => avoided.extend(points),
                            Some(allowed) => allowed.retain(|point| points.contains(point)),
                            None => *allowed = Some(points),
                        }
                    }
                    tail
                }
                // What the engine does not know (ownership, pvVisits) is left out of the reports.
                [_, "true" | "false", tail @ ..] => tail,
                _ => return expected("[COLOUR] [INTERVAL] [KEY VALUE ...]"),
            };
        }
    }

    /// How often the daemon is to report.
    pub(super) fn pace(&self) -> Duration {
        self.interval.unwrap_or(PACE)
    }

    /// How many moves the daemon is to report: enough that those the filters take out do not count.
    pub(super) fn lines(&self, table: &Table) -> u32 {
        let least = u32::try_from(self.least).unwrap_or(u32::MAX);
        let wanted = self.most.unwrap_or(LINES).max(least).clamp(1, MOST_LINES);
        let left_out = match self.filter.is_empty() {
            true => 0,
            false => self.legal(table).into_iter().filter(|&mv| !self.admits(table, mv)).count(),
        };
        wanted.saturating_add(u32::try_from(left_out).unwrap_or(u32::MAX)).min(MOST_LINES)
    }

    fn legal(&self, table: &Table) -> Vec<Move> {
        table.referee().legal_moves(Some(self.color)).unwrap_or_default()
    }

    /// Whether some moves are left out.
    pub(super) fn filtered(&self) -> bool {
        !self.filter.is_empty()
    }

    /// The first legal move that is not left out.
    pub(super) fn first_allowed(&self, table: &Table) -> Option<Move> {
        self.legal(table).into_iter().find(|&mv| self.admits(table, mv))
    }

    /// All moves of a report in one line, without its end; empty when no move is left to report.
    pub(super) fn report(&self, notation: &Notation, table: &Table, infos: &[Info]) -> String {
        let first_move = |info: &Info| table.referee().parse_move(info.pv.first()?).ok();
        let admitted =
            |info: &Info| self.filter.is_empty() || first_move(info).is_some_and(|mv| self.admits(table, mv));
        let most = self.most.unwrap_or(LINES.max(u32::try_from(self.least).unwrap_or(u32::MAX))).max(1);
        let mut chosen: Vec<Info> =
            infos.iter().filter(|info| admitted(info)).take(most as usize).cloned().collect();
        if chosen.is_empty()
            && let Some(last) = infos.last()
            && let Some(mv) = self.first_allowed(table)
        {
            // The client is to see a move all the same; nothing is known of it but that it is no better
            // than what was looked at.
            let pv = vec![table.referee().move_text(mv)];
            chosen.push(Info { visits: Some(0), prior: None, proven: None, pv, ..last.clone() });
        }
        let mut parts: Vec<String> = Vec::new();
        for info in &chosen {
            let mut variation = Vec::new();
            for text in &info.pv {
                let Ok(mv) = table.referee().parse_move(text) else { break };
                let points = table.referee().points(mv);
                if notation.steps() && !points.is_empty() {
                    let entered = if variation.is_empty() { table.chosen().len() } else { 0 };
                    variation.extend(points.iter().skip(entered).map(|&point| notation.point(point)));
                } else {
                    variation.push(notation.points(&points));
                }
            }
            let Some(first) = variation.first() else { continue };
            parts.push(self.line(info, first, &variation, parts.len()));
        }
        if self.root_info
            && !parts.is_empty()
            && let Some(best) = infos.first()
        {
            parts.push(format!(
                "rootInfo visits {} winrate {:.6} scoreLead {:.3}",
                best.nodes, best.winrate, best.score
            ));
        }
        parts.join(" ")
    }

    /// Whether the move is not left out. What counts is its next point; a pass is never left out.
    pub(super) fn admits(&self, table: &Table, mv: Move) -> bool {
        let (points, entered) = (table.referee().points(mv), table.chosen());
        let Some(next) = points.get(entered.len()) else { return points.is_empty() };
        points.starts_with(entered) && self.filter.admits(*next)
    }

    fn line(&self, info: &Info, first: &str, variation: &[String], order: usize) -> String {
        let visits = info.visits.unwrap_or(info.nodes);
        let winrate = f64::from(info.winrate).clamp(0.0, 1.0);
        // The lower end of the interval in which the chance lies, were each visit one game.
        let spread = 1.96 * (winrate * (1.0 - winrate) / visits.max(1) as f64).sqrt();
        let lcb = (winrate - spread).max(0.0);
        let chance = |value: f64| match self.style {
            Style::Leela => format!("{:.0}", value * 10_000.0),
            Style::Kata | Style::Sabaki => format!("{value:.6}"),
        };
        let mut line = format!("info move {first} visits {visits} winrate {}", chance(winrate));
        if self.style != Style::Leela {
            line.push_str(&format!(" scoreMean {0:.3} scoreLead {0:.3}", info.score));
        }
        if let Some(prior) = info.prior {
            line.push_str(&format!(" prior {}", chance(f64::from(prior))));
        }
        line.push_str(&format!(" lcb {} order {order} pv {}", chance(lcb), variation.join(" ")));
        line
    }
}
