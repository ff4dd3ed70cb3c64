//! Amazons as a search sees it: a turn is a queen step, then an arrow.

use super::board::{self, Board, Set};
use crate::game::{Color, Game, Move, Outcome};

/// Marks the arrow half of a turn; the other bits are its square. A queen step is `from | to << 7`.
const ARROW: usize = 1 << 14;
/// "No amazon has to shoot."
const NOBODY: u8 = u8::MAX;

/// The move of [`Steps`] that takes an amazon from one square to another.
pub(super) fn step_move(from: usize, to: usize) -> Move {
    Move::new((from & 127 | (to & 127) << 7) as u32)
}

/// The move of [`Steps`] that shoots at a square.
pub(super) fn arrow_move(arrow: usize) -> Move {
    Move::new((ARROW | arrow & 127) as u32)
}

/// From and to of a queen step.
pub(super) fn as_step(mv: Move) -> Option<(usize, usize)> {
    let raw = mv.index();
    (raw < ARROW).then_some((raw & 127, raw >> 7))
}

/// The square of an arrow.
pub(super) fn as_arrow(mv: Move) -> Option<usize> {
    let square = mv.index() ^ ARROW;
    (square < 128).then_some(square)
}

/// A position of Amazons on an `N`x`N` board in which a turn is two moves of the same side: a queen
/// step, then the arrow of the amazon that moved. Moves are numbers below `2^15`.
///
/// Every queen step can be played: the amazon can always shoot back where it came from.
#[derive(Clone, Debug)]
pub struct Steps<const N: usize> {
    pub(super) board: Board<N>,
    /// The square of the amazon that has to shoot, or [`NOBODY`].
    shooter: u8,
}

impl<const N: usize> Steps<N> {
    pub(super) fn new(board: Board<N>) -> Steps<N> {
        Steps { board, shooter: NOBODY }
    }

    /// Where the amazon that has stepped stands, while its arrow is outstanding.
    pub(super) fn shooter(&self) -> Option<usize> {
        (self.shooter != NOBODY).then_some(usize::from(self.shooter))
    }

    /// The squares the amazon on `shooter` can shoot at.
    pub(super) fn targets(&self, shooter: usize) -> Set {
        Board::<N>::reach(shooter, self.board.empty)
    }
}

impl<const N: usize> Game for Steps<N> {
    /// The shooter before the move.
    type Undo = u8;

    fn turn(&self) -> Color {
        self.board.turn
    }

    fn outcome(&self) -> Option<Outcome> {
        if self.shooter == NOBODY { self.board.outcome() } else { None }
    }

    fn moves(&self, out: &mut Vec<Move>) {
        match self.shooter() {
            Some(shooter) => out.extend(board::squares(self.targets(shooter)).map(arrow_move)),
            None => self.board.each_step(|from, to| out.push(step_move(from, to))),
        }
    }

    fn count(&self) -> u64 {
        u64::from(match self.shooter() {
            Some(shooter) => board::size(self.targets(shooter)),
            None => self.board.count_steps(),
        })
    }

    fn is_legal(&self, mv: Move) -> bool {
        match self.shooter() {
            Some(shooter) => as_arrow(mv).is_some_and(|arrow| self.targets(shooter) & board::bit(arrow) != 0),
            None => as_step(mv).is_some_and(|(from, to)| self.board.is_step(from, to)),
        }
    }

    fn play(&mut self, mv: Move) -> u8 {
        debug_assert!(self.is_legal(mv), "{mv:?} in {self:?}");
        let before = self.shooter;
        if let Some((from, to)) = as_step(mv) {
            self.board.step(from, to);
            self.board.key ^= board::shooter_key(to);
            self.shooter = to as u8;
        } else {
            self.board.key ^= board::shooter_key(usize::from(before));
            self.board.shoot(mv.index() & 127);
            self.shooter = NOBODY;
        }
        before
    }

    fn undo(&mut self, mv: Move, before: u8) {
        if let Some((from, to)) = as_step(mv) {
            self.board.key ^= board::shooter_key(to);
            self.board.step(to, from);
        } else {
            self.board.shoot(mv.index() & 127);
            self.board.key ^= board::shooter_key(usize::from(before));
        }
        self.shooter = before;
    }

    fn key(&self) -> u64 {
        self.board.key
    }

    fn horizon(&self) -> u32 {
        let turns = board::size(self.board.empty);
        match self.shooter {
            NOBODY if self.board.is_over() => 0,
            NOBODY => 2 * turns,
            _ => 2 * turns - 1,
        }
    }
}
