//! The game as a GTP client sees it: moves are its `play`s and `genmove`s, one `undo` each, whatever
//! number of plies that is for the referee.

use arrayvec::ArrayVec;
use tengen_engine::game::{Cell, Color, Illegal, Move, Outcome, Point};
use tengen_engine::games::Referee;

use crate::client::Snapshot;

/// What a `genmove` finds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ready {
    /// The game is over: `pass` or `resign`.
    Over(&'static str),
    /// The side can only pass.
    MustPass,
    /// The side has a choice; with `implied_pass` the other side must pass first.
    Choice {
        /// Whether the other side is on the move and can only pass.
        implied_pass: bool,
    },
}

/// The referee, and how its plies belong to the client's moves.
#[derive(Debug)]
pub(super) struct Table {
    referee: Box<dyn Referee>,
    /// Plies of each of the client's moves: 2 with an implied pass, 0 for a pass after the end.
    plies: Vec<u8>,
    /// Points entered of a move that is entered point by point.
    chosen: ArrayVec<Point, 3>,
    steps: bool,
    /// Counts the games begun.
    game: u64,
}

impl Table {
    pub(super) fn new(referee: Box<dyn Referee>) -> Table {
        Table { referee, plies: Vec::new(), chosen: ArrayVec::new(), steps: false, game: 0 }
    }

    pub(super) fn referee(&self) -> &dyn Referee {
        &*self.referee
    }

    /// Points entered of a move that is not complete.
    pub(super) fn chosen(&self) -> &[Point] {
        &self.chosen
    }

    /// The number of the game, which changes when another one begins.
    pub(super) fn game(&self) -> u64 {
        self.game
    }

    /// Switches to moves entered point by point, or back; a move half entered is dropped.
    pub(super) fn set_steps(&mut self, steps: bool) {
        if self.steps != steps {
            self.steps = steps;
            self.chosen.clear();
        }
    }

    /// Begins another game with this record.
    pub(super) fn replace(&mut self, referee: Box<dyn Referee>) {
        self.plies = vec![1; referee.plies()];
        self.referee = referee;
        self.chosen.clear();
        self.game += 1;
    }

    /// Begins another game from the set-up's start position.
    pub(super) fn clear(&mut self) {
        self.referee.reset();
        self.plies.clear();
        self.chosen.clear();
        self.game += 1;
    }

    /// Begins another game from a position text.
    pub(super) fn set_position(&mut self, text: &str) -> Result<(), String> {
        self.referee.set_position(text).map_err(|error| error.to_string())?;
        self.plies.clear();
        self.chosen.clear();
        self.game += 1;
        Ok(())
    }

    /// Whether the client has made no move yet.
    pub(super) fn untouched(&self) -> bool {
        self.plies.is_empty() && self.chosen.is_empty()
    }

    /// Plays what a client's `play` names. A pass is accepted when it is forced, and without effect
    /// after the end of the game, which match runners want confirmed by two passes.
    pub(super) fn play(&mut self, color: Color, points: &[Point]) -> Result<(), Illegal> {
        if points.is_empty() {
            return self.pass(color);
        }
        if self.steps {
            for (entered, &point) in points.iter().enumerate() {
                if let Err(error) = self.step(color, point) {
                    self.undo(entered).ok();
                    return Err(error);
                }
            }
            return Ok(());
        }
        let Some(mv) = self.referee.move_of(points) else { return Err(Illegal::OffBoard) };
        self.play_move(color, mv)
    }

    /// Plays a whole move.
    pub(super) fn play_move(&mut self, color: Color, mv: Move) -> Result<(), Illegal> {
        let before = self.referee.plies();
        self.referee.play(Some(color), mv)?;
        self.plies.push(u8::try_from(self.referee.plies() - before).unwrap_or(u8::MAX));
        self.chosen.clear();
        Ok(())
    }

    fn pass(&mut self, color: Color) -> Result<(), Illegal> {
        if self.referee.ending().is_some() {
            self.plies.push(0);
            return Ok(());
        }
        self.play_move(color, Move::PASS)
    }

    fn step(&mut self, color: Color, point: Point) -> Result<(), Illegal> {
        if self.referee.ending().is_some() {
            return Err(Illegal::GameOver);
        }
        if color != self.referee.turn() {
            return Err(Illegal::NotYourTurn);
        }
        if !self.next_points().contains(&point) {
            return Err(match (self.chosen.len(), self.referee.cell(point)) {
                (0, _) => Illegal::NoAmazon,
                (_, Cell::Empty) => Illegal::Blocked,
                _ => Illegal::Occupied,
            });
        }
        self.chosen.push(point);
        match self.referee.move_of(&self.chosen) {
            Some(mv) => self.play_move(color, mv),
            None => Ok(()),
        }
    }

    /// The legal moves that begin with the points entered so far.
    fn completions(&self) -> impl Iterator<Item = ArrayVec<Point, 3>> {
        let moves = self.referee.legal_moves(None).unwrap_or_default();
        moves.into_iter().map(|mv| self.referee.points(mv)).filter(|points| points.starts_with(&self.chosen))
    }

    /// The points that may be entered next.
    pub(super) fn next_points(&self) -> Vec<Point> {
        let mut points = Vec::new();
        for completion in self.completions() {
            if let Some(&point) = completion.get(self.chosen.len())
                && !points.contains(&point)
            {
                points.push(point);
            }
        }
        points
    }

    /// The rest of the first of `moves` that begins with the points entered so far; of some legal move
    /// that does when none of them does.
    pub(super) fn rest_of(&self, moves: impl Iterator<Item = Move>) -> ArrayVec<Point, 3> {
        let mut wanted =
            moves.map(|mv| self.referee.points(mv)).filter(|points| points.starts_with(&self.chosen));
        let whole = wanted.next().or_else(|| self.completions().next());
        whole.map(|points| points.into_iter().skip(self.chosen.len()).collect()).unwrap_or_default()
    }

    /// How many moves the client can take back.
    pub(super) fn undoable(&self) -> usize {
        self.chosen.len() + self.plies.iter().map(|&plies| self.entries(plies)).sum::<usize>()
    }

    fn entries(&self, plies: u8) -> usize {
        if self.steps && plies > 0 { 3 } else { 1 }
    }

    /// Takes back so many of the client's moves, or none when there are fewer.
    pub(super) fn undo(&mut self, count: usize) -> Result<(), &'static str> {
        if count > self.undoable() {
            return Err("cannot undo");
        }
        for _ in 0..count {
            self.undo_one();
        }
        Ok(())
    }

    fn undo_one(&mut self) {
        if self.chosen.pop().is_some() {
            return;
        }
        let Some(plies) = self.plies.pop() else { return };
        let last = self.referee.history().last().map(|&(_, mv)| self.referee.points(mv));
        if self.referee.undo(usize::from(plies)).is_ok()
            && self.entries(plies) == 3
            && let Some(mut points) = last
        {
            points.pop();
            self.chosen = points;
        }
    }

    /// What a `genmove` of `color` is to do.
    pub(super) fn ready(&self, color: Color) -> Result<Ready, Illegal> {
        if let Some(ending) = self.referee.ending() {
            let lost = ending.outcome == Outcome::Win(!color);
            return Ok(Ready::Over(if lost && !self.referee.has_pass() { "resign" } else { "pass" }));
        }
        match (color == self.referee.turn(), self.referee.must_pass()) {
            (true, true) => Ok(Ready::MustPass),
            (true, false) => Ok(Ready::Choice { implied_pass: false }),
            (false, true) => Ok(Ready::Choice { implied_pass: true }),
            (false, false) => Err(Illegal::NotYourTurn),
        }
    }

    /// The record for a search of `color`'s move.
    pub(super) fn snapshot(&self, color: Color) -> Snapshot {
        let snapshot = Snapshot::of(self.referee());
        let turn = self.referee.turn();
        if color == turn { snapshot } else { snapshot.and_pass(turn, self.referee()) }
    }

    /// What stands on a point, a move half entered included.
    pub(super) fn cell(&self, point: Point) -> Cell {
        match self.chosen.as_slice() {
            [from, to, ..] if *to == point => self.referee.cell(*from),
            [from, _, ..] if *from == point => Cell::Empty,
            _ => self.referee.cell(point),
        }
    }
}
