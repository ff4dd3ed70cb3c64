//! The state of one searching thread.

pub(super) mod split;

use std::sync::Arc;

use super::endgame::Local;
use super::probcut;
use super::table::Table;
use super::{Code, MAX_SCORE, Node};
use crate::games::othello::pattern::{self, UNIT, Weights};
use crate::search::Watch;
use split::{Pool, Task};

/// Every so many questions whether to stop the clock is read.
const CLOCK_STRIDE: u32 = 256;

/// What all threads of a search share.
#[derive(Debug)]
pub(super) struct Shared<'a> {
    pub(super) table: &'a Table,
    pub(super) margins: &'a probcut::Table,
    pub(super) watch: &'a Watch<'a>,
    pub(super) pool: Pool,
}

/// One thread.
#[derive(Debug)]
pub(super) struct Thread<'a> {
    pub(super) table: &'a Table,
    pub(super) margins: &'a probcut::Table,
    pub(super) local: Local,
    /// Positions visited.
    pub(super) nodes: u64,
    /// Positions found in the table that an earlier search had left there.
    pub(super) reused: u64,
    /// Whether everything is to be left as fast as possible.
    pub(super) stop: bool,
    /// Searches for a cut within which the thread is.
    pub(super) nesting: u32,
    weights: &'a Weights,
    shared: &'a Shared<'a>,
    /// What the thread works on for another one.
    task: Option<Arc<Task>>,
    asked: u32,
    flushed: u64,
}

impl<'a> Thread<'a> {
    pub(super) fn new(shared: &'a Shared<'a>) -> Thread<'a> {
        Thread {
            table: shared.table,
            margins: shared.margins,
            local: Local::new(),
            nodes: 0,
            reused: 0,
            stop: false,
            nesting: 0,
            weights: pattern::weights(),
            shared,
            task: None,
            asked: 0,
            flushed: 0,
        }
    }

    /// The trained evaluation in whole discs, never a certain loss or win of all discs.
    #[inline(always)]
    pub(super) fn evaluate<I: Code>(&self, node: &Node) -> i32 {
        discs(self.weights.sum::<I>(&node.features, node.empty()))
    }

    /// The same after a legal move, for the side that then moves.
    #[inline(always)]
    pub(super) fn evaluate_after<I: Code>(&self, node: &Node, square: u32, flips: u64) -> i32 {
        discs(self.weights.sum_after::<I>(&node.features, square, flips, node.empty() - 1))
    }

    /// Whether the thread is to stop, which it then remembers.
    #[inline(always)]
    pub(super) fn stopped(&mut self) -> bool {
        self.asked += 1;
        if !self.stop {
            let limits = self.shared.watch.limits();
            let due = self.asked.is_multiple_of(CLOCK_STRIDE) || limits.nodes.is_some();
            self.stop = if due { self.look() } else { self.shared.watch.stopped() };
            if let Some(task) = &self.task {
                self.stop |= task.is_over();
            }
        }
        self.stop
    }

    /// Adds the nodes since the last look to the sum of all threads and watches the limits.
    #[cold]
    fn look(&mut self) -> bool {
        let new = self.nodes - self.flushed;
        self.flushed = self.nodes;
        let nodes = self.shared.pool.count(new);
        self.shared.watch.check(nodes)
    }

    /// All nodes of the search so far.
    pub(super) fn total(&mut self) -> u64 {
        let new = self.nodes - self.flushed;
        self.flushed = self.nodes;
        self.shared.pool.count(new)
    }

    /// Whether another thread has nothing to do.
    #[inline(always)]
    pub(super) fn helped(&self) -> bool {
        self.shared.pool.has_idle()
    }

    /// Searches the moves of a task together with other threads; the best value and its move.
    pub(super) fn share<I: Code>(&mut self, task: Task) -> (i32, u8) {
        split::share::<I>(self, task)
    }
}

/// Hundredths of a disc, rounded.
#[inline(always)]
fn discs(value: i32) -> i32 {
    let half = if value < 0 { -UNIT / 2 } else { UNIT / 2 };
    ((value + half) / UNIT).clamp(1 - MAX_SCORE, MAX_SCORE - 1)
}
