//! Refusals and results in words a newcomer understands.

use tengen_engine::game::{Color, Illegal, Outcome};
use tengen_engine::games::{Ending, GameId};

/// Why a move is refused, to go behind "d4 is not possible: ".
pub(super) fn refusal(illegal: Illegal) -> &'static str {
    match illegal {
        Illegal::GameOver => "the game is over",
        Illegal::NotYourTurn => "the other side is to move",
        Illegal::Occupied => "something stands there already",
        Illegal::OffBoard => "that is outside the board",
        Illegal::Suicide => "your stones there would have no liberty left (suicide)",
        Illegal::Capture => "it takes the last liberty of enemy stones, which NoGo forbids (capture)",
        Illegal::Centre => "the first move may not be the centre",
        Illegal::Overline => "six or more in a row are forbidden to Black in Renju (overline)",
        Illegal::DoubleFour => "making two fours at once is forbidden to Black in Renju (double four)",
        Illegal::DoubleThree => {
            "making two open threes at once is forbidden to Black in Renju (double three)"
        }
        Illegal::NoFlip => "it would turn no disc over",
        Illegal::PassWithMoves => "you may pass only when you have no move",
        Illegal::NoPass => "this game has no pass",
        Illegal::NoAmazon => "none of your amazons stands on the first square",
        Illegal::NotStraight => "amazons and arrows go straight along a row, column or diagonal",
        Illegal::Blocked => "something stands in the way",
    }
}

/// `Black` or `White`.
pub(super) fn side(color: Color) -> &'static str {
    match color {
        Color::Black => "Black",
        Color::White => "White",
    }
}

/// The end of a game: `Black wins by 12 discs: no move for either side.`
pub(super) fn result(game: GameId, ending: Ending) -> String {
    match ending.outcome {
        Outcome::Draw => format!("It is a draw: {}.", ending.reason),
        Outcome::Win(winner) => {
            let margin = match (game, ending.margin) {
                (GameId::Othello, 1) => " by 1 disc".to_owned(),
                (GameId::Othello, margin) => format!(" by {margin} discs"),
                _ => String::new(),
            };
            format!("{} wins{margin}: {}.", side(winner), ending.reason)
        }
    }
}

/// How a move is written in this game.
pub(super) fn notation(game: GameId) -> &'static str {
    match game {
        GameId::NoGo => "A move is a point: letter and number, such as d4. The letter i is left out.",
        GameId::Gomoku => "A move is a point: letter and number, such as h8.",
        GameId::Othello => {
            "A move is a square: letter and number, such as d3. Forced passes are made for you."
        }
        GameId::Amazons => {
            "A move is three squares: from where to where an amazon goes and where its arrow lands, such as \
             d1-d7-g7."
        }
    }
}
