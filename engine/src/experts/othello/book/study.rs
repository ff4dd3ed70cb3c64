//! The searches a book is made of.

use std::time::Instant;

use super::super::root::Expert;
use crate::game::{Game as _, Move};
use crate::games::othello::Othello;
use crate::games::othello::board::Standard;
use crate::games::othello::pattern::UNIT;
use crate::search::{Control, Goal, Limits, Query, Stopwatch};

/// The best move of a position as a search found it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Study {
    /// The move.
    pub mv: Move,
    /// Its value in discs for the side to move.
    pub value: i32,
    /// Plies searched.
    pub depth: u32,
    /// Level of selectivity; the highest, at the depth of all empty squares, makes the value exact.
    pub selectivity: u32,
}

impl Expert {
    /// The best move but those in `without`, by one thread that searches `depth` plies (at least 1); with
    /// an empty table it is the same on every machine. `None` when there is no other move.
    pub fn study(&mut self, position: &Othello<Standard>, without: &[Move], depth: u32) -> Option<Study> {
        let mut moves = Vec::new();
        position.moves(&mut moves);
        if moves.iter().all(|mv| without.contains(mv)) {
            return None;
        }
        let query = Query {
            limits: Limits { depth: Some(depth), endless: true, ..Limits::default() },
            control: &Control::default(),
            started: Stopwatch::wall(Instant::now()),
            threads: 1,
            multipv: 1,
            seed: 0,
            goal: Goal::Move,
            interval: None,
            on_report: &mut |_| {},
        };
        let (report, done) = self.run(position, without, query);
        let line = report.lines.first()?;
        Some(Study {
            mv: *line.moves.first()?,
            value: line.score / UNIT,
            depth: done.depth,
            selectivity: done.selectivity,
        })
    }
}
