//! GoGui's Analyze menu, and the commands that stand in it.

use tengen_engine::games::GameId;
use tengen_engine::options::{self, Kind};
use tengen_engine::protocol::{Info, Proven};

use super::commands::{expected, text};
use super::notation::Notation;
use super::play::one_color;
use super::table::Table;
use super::{Answered, Gtp, Purpose};

/// How many moves [`Shape::Moves`] shows.
pub(super) const SHOWN_MOVES: u32 = 10;

/// How the result of a search is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    /// The best moves with their chances in percent: `D4 53 E5 51`.
    Moves,
    /// The best line, moves of both sides in turn.
    Variation,
    /// One line for people.
    Evaluation,
}

impl Shape {
    /// The reports of a search in this shape.
    pub(super) fn text(self, notation: &Notation, table: &Table, infos: &[Info]) -> String {
        let name = |text: &String| match table.referee().parse_move(text) {
            Ok(mv) if notation.steps() => {
                table.referee().points(mv).first().map_or_else(String::new, |&point| notation.point(point))
            }
            Ok(mv) => notation.text(table.referee(), mv),
            Err(_) => String::new(),
        };
        let Some(best) = infos.first() else { return String::new() };
        let words: Vec<String> = match self {
            Shape::Moves => infos
                .iter()
                .filter_map(|info| Some(format!("{} {:.0}", name(info.pv.first()?), info.winrate * 100.0)))
                .collect(),
            Shape::Variation => best.pv.iter().map(name).collect(),
            Shape::Evaluation => {
                let proven = match best.proven {
                    Some(Proven::Win) => ", a proven win",
                    Some(Proven::Loss) => ", a proven loss",
                    Some(Proven::Draw) => ", a proven draw",
                    None => "",
                };
                vec![format!(
                    "winning chance {:.1} %, score {:+.1}{proven}, depth {}, {} nodes in {:.1} s",
                    best.winrate * 100.0,
                    best.score,
                    best.depth,
                    best.nodes,
                    best.time.as_secs_f64()
                )]
            }
        };
        words.join(" ")
    }
}

/// `tengen-best_moves COLOUR` and its like
pub(super) fn show(gtp: &mut Gtp, args: &[&str], shape: Shape) -> Answered {
    let color = match args {
        [] => gtp.table.referee().turn(),
        args => one_color(args, "tengen-...")?,
    };
    gtp.think(color, Purpose::Show(shape))
}

/// `gogui-analyze_commands`: `type/label/command`, one a line.
pub(super) fn analyze_commands(gtp: &mut Gtp, _: &[&str]) -> Answered {
    let mut lines = vec![
        "pspairs/Best Moves/tengen-best_moves %m",
        "string/Evaluation/tengen-evaluation %m",
        "string/Explain Last Move/gomill-explain_last_move",
        "plist/Legal Moves/gogui-rules_legal_moves",
        "string/Result/gogui-rules_final_result",
        "hstring/Board/showboard",
        "hstring/Moves Played/tengen-history",
        "hstring/Position Text/tengen-position",
        "hstring/Engine/gomill-describe_engine",
        "param/Engine Options/tengen-param",
    ];
    let game = gtp.table.referee().setup().game;
    if game != GameId::Amazons {
        // A line of Amazons moves does not alternate point by point.
        lines.insert(1, "var/Best Line/tengen-variation %m");
    }
    if game == GameId::Gomoku {
        lines.insert(4, "plist/Forbidden Points/tengen-forbidden");
    }
    text(lines.join("\n"))
}

/// `tengen-forbidden`: empty points that Renju forbids to the side to move.
pub(super) fn forbidden(gtp: &mut Gtp, _: &[&str]) -> Answered {
    let points: Vec<String> =
        gtp.table.referee().forbidden().iter().map(|&(point, _)| gtp.notation.point(point)).collect();
    text(points.join(" "))
}

/// `tengen-history`: the moves played, `b D3 w C3`, passes included.
pub(super) fn history(gtp: &mut Gtp, _: &[&str]) -> Answered {
    let referee = gtp.table.referee();
    let moves = referee.history();
    let words: Vec<String> = moves
        .iter()
        .map(|&(color, mv)| format!("{} {}", color.letter(), gtp.notation.text(referee, mv)))
        .collect();
    text(words.join(" "))
}

/// `tengen-position`: the position in the form of the engine's own protocol.
pub(super) fn position(gtp: &mut Gtp, _: &[&str]) -> Answered {
    text(gtp.table.referee().position_text())
}

/// `tengen-param [NAME VALUE]`: GoGui's form of the engine's options.
pub(super) fn param(gtp: &mut Gtp, args: &[&str]) -> Answered {
    match args {
        [] => {
            let all = gtp.options.all();
            let line = |spec: &options::OptionSpec| {
                let value = all.get(spec.name).unwrap_or_default();
                match spec.kind {
                    Kind::Check => format!("[bool] {} {}", spec.name, u8::from(value == "on")),
                    Kind::Combo(words) => format!("[list/{}] {} {value}", words.join("/"), spec.name),
                    Kind::Spin { .. } => format!("[string] {} {value}", spec.name),
                }
            };
            text(options::TABLE.iter().map(line).collect::<Vec<_>>().join("\n"))
        }
        [name, value] => {
            gtp.options.set(name, value).map_err(|error| error.to_string())?;
            text("")
        }
        _ => expected("tengen-param [NAME VALUE]"),
    }
}
