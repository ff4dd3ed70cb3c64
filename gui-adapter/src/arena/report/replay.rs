//! A finished game played again by the referee.

use tengen_engine::game::{Color, Move};
use tengen_engine::games::{self, Referee, Setup};

use super::super::record::{Finished, Side};

/// A game that the rules do not allow: its line in the journal is damaged.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("game {game} cannot be replayed: {reason}")]
pub struct ReplayError {
    /// Its number in the schedule.
    pub game: u32,
    /// What is wrong, with the move or the field it is wrong at.
    pub reason: String,
}

impl ReplayError {
    pub(super) fn new(game: &Finished, reason: impl Into<String>) -> ReplayError {
        ReplayError { game: game.game, reason: reason.into() }
    }
}

/// The referee at the place where the game began, before the moves of the opening.
pub(super) fn start(game: &Finished) -> Result<Box<dyn Referee>, ReplayError> {
    let setup = setup(game)?;
    let mut referee = games::referee(setup).map_err(|error| ReplayError::new(game, error.to_string()))?;
    if let Some(position) = &game.opening.position {
        referee
            .set_position(position)
            .map_err(|error| ReplayError::new(game, format!("opening position: {error}")))?;
    }
    Ok(referee)
}

fn setup(game: &Finished) -> Result<Setup, ReplayError> {
    Setup::parse(game.setup.split_ascii_whitespace())
        .map_err(|error| ReplayError::new(game, error.to_string()))
}

/// Plays the game, with a look at the referee after each ply.
pub(super) fn replay(
    game: &Finished,
    mut after: impl FnMut(&dyn Referee, Move),
) -> Result<Box<dyn Referee>, ReplayError> {
    let mut referee = start(game)?;
    for (index, text) in game.opening.moves.iter().chain(&game.moves).enumerate() {
        let bad = |reason: String| {
            let text: String = text.chars().take(20).collect();
            ReplayError::new(game, format!("move {} ({}): {reason}", index + 1, text.escape_debug()))
        };
        let mv = referee.parse_move(text).map_err(|error| bad(error.to_string()))?;
        referee.play(None, mv).map_err(|error| bad(format!("illegal move: {error}")))?;
        after(&*referee, mv);
    }
    Ok(referee)
}

/// The side with the first of `moves`, without playing the opening: passes are moves, so sides alternate.
pub(super) fn mover(game: &Finished) -> Result<Side, ReplayError> {
    // Amazons is the game that White begins; a referee is asked so that this is known in one place.
    let first = match &game.opening.position {
        None => {
            games::referee(setup(game)?).map_err(|error| ReplayError::new(game, error.to_string()))?.turn()
        }
        Some(position) => position
            .split_ascii_whitespace()
            .nth(1)
            .and_then(Color::parse)
            .ok_or_else(|| ReplayError::new(game, "opening position: no side to move"))?,
    };
    Ok(Side::from(if game.opening.moves.len().is_multiple_of(2) { first } else { !first }))
}
