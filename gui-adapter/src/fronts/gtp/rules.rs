//! `gogui-rules_*`: GoGui learns the rules of the game from here, by some ten thousand commands a game.

use tengen_engine::game::{Cell, Outcome, Point};
use tengen_engine::games::GameId;

use super::commands::text;
use super::{Answered, Gtp};

/// `gogui-rules_game_id`: a capital letter, then small ones only.
pub(super) fn game_id(gtp: &mut Gtp, _: &[&str]) -> Answered {
    let name = gtp.table.referee().setup().game.description().name;
    let mut letters = name.chars();
    let capital = letters.next().map(|letter| letter.to_ascii_uppercase());
    text(capital.into_iter().chain(letters).collect::<String>())
}

/// `gogui-rules_board_size`: `9`, or `7 9` for seven columns and nine rows.
pub(super) fn board_size(gtp: &mut Gtp, _: &[&str]) -> Answered {
    let geometry = gtp.notation.geometry();
    let (width, height) = (geometry.width, geometry.height);
    text(if width == height { width.to_string() } else { format!("{width} {height}") })
}

/// `gogui-rules_board`: the row with the highest number first. Arrows of Amazons are empty points here
/// and are drawn by [`board_gfx`]; a hole in the board is `?`.
pub(super) fn board(gtp: &mut Gtp, _: &[&str]) -> Answered {
    let arrows = gtp.table.referee().setup().game == GameId::Amazons;
    let width = gtp.notation.geometry().width;
    let rows: Vec<String> = gtp
        .notation
        .rows_from_highest()
        .map(|row| {
            let letter = |column| match gtp.table.cell(Point { column, row }) {
                Cell::Blocked if arrows => '.',
                Cell::Blocked => '?',
                cell => cell.letter(),
            };
            (0..width).map(letter).collect()
        })
        .collect();
    text(rows.join("\n"))
}

/// `gogui-rules_board_gfx`: Amazons' arrows as dark squares, the amazon being moved, Renju's forbidden
/// points.
pub(super) fn board_gfx(gtp: &mut Gtp, _: &[&str]) -> Answered {
    let referee = gtp.table.referee();
    let mut lines = Vec::new();
    if referee.setup().game == GameId::Amazons {
        let arrows: Vec<String> = gtp
            .notation
            .geometry()
            .points_from_top()
            .filter(|&point| gtp.table.cell(point) == Cell::Blocked)
            .map(|point| gtp.notation.point(point))
            .collect();
        if !arrows.is_empty() {
            lines.push(format!("COLOR #303030 {}", arrows.join(" ")));
        }
    }
    let forbidden = referee.forbidden();
    let marked =
        gtp.table.chosen().last().copied().into_iter().chain(forbidden.iter().map(|&(point, _)| point));
    let marked: Vec<String> = marked.map(|point| gtp.notation.point(point)).collect();
    if !marked.is_empty() {
        lines.push(format!("MARK {}", marked.join(" ")));
    }
    text(lines.join("\n"))
}

/// `gogui-rules_side_to_move`
pub(super) fn side_to_move(gtp: &mut Gtp, _: &[&str]) -> Answered {
    text(gtp.table.referee().turn().to_string())
}

/// `gogui-rules_legal_moves`: what may be played next, nothing when the game is over.
pub(super) fn legal_moves(gtp: &mut Gtp, _: &[&str]) -> Answered {
    let names: Vec<String> = if gtp.notation.steps() {
        gtp.table.next_points().into_iter().map(|point| gtp.notation.point(point)).collect()
    } else {
        let referee = gtp.table.referee();
        let moves = referee.legal_moves(None).unwrap_or_default();
        moves.into_iter().map(|mv| gtp.notation.text(referee, mv)).collect()
    };
    text(names.join(" "))
}

/// `gogui-rules_final_result`: a sentence, empty while the game goes on.
pub(super) fn final_result(gtp: &mut Gtp, _: &[&str]) -> Answered {
    let Some(ending) = gtp.table.referee().ending() else { return text("") };
    text(match ending.outcome {
        Outcome::Draw => format!("Draw ({})", ending.reason),
        Outcome::Win(winner) => {
            let name = if winner == tengen_engine::game::Color::Black { "Black" } else { "White" };
            let margin = if ending.margin > 1 { format!(" by {}", ending.margin) } else { String::new() };
            format!("{name} wins{margin} ({})", ending.reason)
        }
    })
}
