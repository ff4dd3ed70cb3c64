//! What a list of finished games comes to.
//!
//! All of it is a function of the games and of the engines' names, whatever order the games come in, so
//! that shards that were played apart and merged give the same bytes as one run:
//!
//! * [`Standings`] counts games as they end and gives a [`Summary`]: `result.json`, the table in the
//!   terminal, the line of the progress bar;
//! * [`records`] writes the games for other programs: SGF, GGF, PGN;
//! * [`page()`] writes one HTML page with everything, and a board to replay each game on.

mod page;
pub mod records;
mod replay;
mod standings;
mod summary;
mod table;

pub use page::{PageError, page};
pub use replay::ReplayError;
pub use standings::{AddError, Standings};
pub use summary::{EngineSummary, Pairing, SprtSummary, Summary, Thinking};

use super::record::{End, Finished, Side};

/// Every kind of end, forfeits last, in the order they are shown.
const ENDS: [End; 10] = [
    End::Rules,
    End::Resignation,
    End::Adjudication,
    End::Time,
    End::Illegal,
    End::Claim,
    End::Garbage,
    End::Hang,
    End::Crash,
    End::Start,
];

/// The name of an end in `games.jsonl`.
fn end_name(end: End) -> &'static str {
    match end {
        End::Rules => "rules",
        End::Resignation => "resignation",
        End::Adjudication => "adjudication",
        End::Time => "time",
        End::Illegal => "illegal",
        End::Claim => "claim",
        End::Garbage => "garbage",
        End::Hang => "hang",
        End::Crash => "crash",
        End::Start => "start",
    }
}

/// The name of the engine that has a side.
fn player(game: &Finished, side: Side) -> &str {
    match side {
        Side::Black => &game.black,
        Side::White => &game.white,
    }
}

/// Plies from the start of the opening to the end.
fn length(game: &Finished) -> usize {
    game.opening.moves.len() + game.moves.len()
}

/// The games by their number in the schedule.
fn in_order(games: &[Finished]) -> Vec<&Finished> {
    let mut games: Vec<&Finished> = games.iter().collect();
    games.sort_by_key(|game| game.game);
    games
}

#[cfg(test)]
mod tests;
