//! `analyze`: the value of every position of the game, each for its side to move, from the last one
//! back to the start, so that the engine's table knows what comes after.

use tengen_engine::game::{Move, Outcome};
use tengen_engine::games::Referee;

use super::say;
use crate::bridge::Action;
use crate::client::{Request, SearchKind, Snapshot};
use crate::fronts::desk::Desk;

/// How far it has come.
#[derive(Debug)]
pub(super) struct Analysis {
    /// The game up to the position whose value is wanted.
    referee: Box<dyn Referee>,
    /// The value of the position after that, for its side to move.
    next: Option<f64>,
    /// Moves of the GUI's game.
    last: usize,
}

impl Analysis {
    pub(super) fn new(referee: &dyn Referee) -> Analysis {
        let mut referee = referee.boxed_clone();
        let last = referee.plies();
        // A game that stops before a forced pass has its last value from behind it.
        if referee.must_pass() && referee.play(None, Move::PASS).is_err() {
            log::error!(target: "adapter::nboard", "a pass was not accepted");
        }
        Analysis { referee, next: None, last }
    }

    /// Says the values that need no search, of a finished game or before a forced pass; gives whether a
    /// search is wanted now, or all is done.
    pub(super) fn advance(&mut self, out: &mut Vec<Action>) -> bool {
        let value = match self.referee.ending() {
            Some(ending) => {
                let margin = f64::from(ending.margin);
                Some(match ending.outcome {
                    Outcome::Draw => 0.0,
                    Outcome::Win(winner) if winner == self.referee.turn() => margin,
                    Outcome::Win(_) => -margin,
                })
            }
            // What follows is the pass, after which the other side is to move.
            None if self.referee.must_pass() => self.next.map(|value| -value),
            None => None,
        };
        match value {
            Some(value) => self.valued(Some(value), out),
            None => true,
        }
    }

    /// The value of the position that was searched, and those before it that need no search. Gives whether
    /// another search is wanted.
    pub(super) fn valued(&mut self, value: Option<f64>, out: &mut Vec<Action>) -> bool {
        let number = self.referee.plies();
        if let Some(value) = value.filter(|_| number <= self.last) {
            // Zero has no sign.
            say(&format!("analysis {number} {:.2}", value + 0.0), out);
        }
        self.next = value;
        number > 0 && self.referee.undo(1).is_ok() && self.advance(out)
    }

    /// The search of the position.
    pub(super) fn request(&self, desk: &mut Desk, limits: &[(&str, String)]) -> Box<Request> {
        let mut request = desk.request(SearchKind::RegGenMove, limits);
        request.position = Snapshot::of(&*self.referee);
        request.color = self.referee.turn();
        request
    }
}
