//! Searchers that know no game: what a search is asked, what it answers, and the two algorithms.
//!
//! * [`clock`]: time controls and how much of the clock one move may take.
//! * [`mcts`]: Monte Carlo tree search on an arena tree.
//! * [`alphabeta`]: principal variation search on a transposition table.

pub mod alphabeta;
pub mod clock;
pub mod mcts;
pub(crate) mod memory;
mod stopwatch;
pub mod value;

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use crate::game::{Knowledge, Move, Outcome};

pub use clock::Budget;
pub use stopwatch::Stopwatch;

/// The switch that ends one search. Every command gets a fresh one, so that a late `stop` never hits
/// the next; it serves all searches the command is made of.
#[derive(Debug, Default)]
pub struct Control {
    asked: AtomicBool,
    over: AtomicBool,
}

impl Control {
    /// Ends the search as soon as it looks, and those to follow for the same command.
    pub fn stop(&self) {
        self.asked.store(true, Ordering::Relaxed);
    }

    /// Whether the search is to end.
    #[must_use]
    pub fn stopped(&self) -> bool {
        self.asked() || self.over.load(Ordering::Relaxed)
    }

    /// Whether somebody has asked for the end, as opposed to a search that is over by itself.
    #[must_use]
    pub fn asked(&self) -> bool {
        self.asked.load(Ordering::Relaxed)
    }

    /// This search is over; its other threads are to end.
    pub(crate) fn end(&self) {
        self.over.store(true, Ordering::Relaxed);
    }

    /// Lets another search of the same command begin.
    pub(crate) fn again(&self) {
        self.over.store(false, Ordering::Relaxed);
    }
}

/// Ends a search when it is dropped.
#[derive(Debug)]
pub(crate) struct StopAtEnd<'a>(pub(crate) &'a Control);

impl Drop for StopAtEnd<'_> {
    fn drop(&mut self) {
        self.0.end();
    }
}

/// When a search ends by itself. Without any limit it goes on until stopped, or until the result is
/// proven.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Limits {
    /// Positions searched.
    pub nodes: Option<u64>,
    /// Depth in plies of the searched form.
    pub depth: Option<u32>,
    /// Time.
    pub budget: Option<Budget>,
    /// Whether the search goes on although the move can no longer change, as long as the result is
    /// not proven: analysis and pondering.
    pub endless: bool,
}

/// What a search is to find out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Goal {
    /// A good move.
    #[default]
    Move,
    /// The exact result: in games of margins the margin.
    Exact,
    /// Whether the position is won, drawn or lost.
    Result,
    /// Whether the side to move wins by continuous fours (Gomoku).
    Fours,
}

/// One search.
pub struct Query<'a> {
    /// When it ends by itself.
    pub limits: Limits,
    /// The switch that ends it.
    pub control: &'a Control,
    /// The time since the command was read, not since the search got going.
    pub started: Stopwatch,
    /// Threads, at least 1.
    pub threads: usize,
    /// Lines wanted, at least 1.
    pub multipv: usize,
    /// Seed of playouts.
    pub seed: u64,
    /// What is to be found out.
    pub goal: Goal,
    /// How often `on_report` is called while the search goes on; `None` is never.
    pub interval: Option<Duration>,
    /// Gets the state of the search every `interval`.
    pub on_report: &'a mut dyn FnMut(&Report),
}

impl std::fmt::Debug for Query<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Query")
            .field("limits", &self.limits)
            .field("threads", &self.threads)
            .finish_non_exhaustive()
    }
}

/// A line of play with its value for the side to move at the root.
#[derive(Clone, Debug, PartialEq)]
pub struct Line {
    /// The moves (steps of the searched form), never empty.
    pub moves: Vec<Move>,
    /// Winning chance, 0 to 1.
    pub winrate: f32,
    /// Value in the game's evaluation units.
    pub score: i32,
    /// The result, when it is certain.
    pub proven: Option<Outcome>,
    /// With `proven` in a game of margins: the margin for the side to move, when it is exact.
    pub margin: Option<i32>,
    /// Visits of the first move (tree search).
    pub visits: Option<u64>,
    /// Prior of the first move, 0 to 1 (tree search).
    pub prior: Option<f32>,
}

/// What a search found so far.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Report {
    /// Best line first; empty only when nothing was searched.
    pub lines: Vec<Line>,
    /// Positions searched.
    pub nodes: u64,
    /// Depth in plies: of the finished iteration, or of the main line of the tree.
    pub depth: u32,
    /// Time since the search was asked for.
    pub elapsed: Duration,
    /// Nodes kept from earlier searches that the root's subtree began with.
    pub reused: u64,
    /// Memory held by tree or table, in bytes.
    pub memory: u64,
    /// For [`Goal::Fours`]: that there is no such win.
    pub refuted: bool,
}

/// An algorithm bound to a game. It keeps what it has learned from search to search.
pub trait Searcher<S: Knowledge>: Send {
    /// Searches `root`, an unfinished position. Returns at least one line, however short the time.
    fn search(&mut self, root: &S, query: Query<'_>) -> Report;
    /// A move that is known without a search, from a book: lines, the best first, and the index of the one
    /// to play, drawn by `seed` among those that lose no more than `loss` of the game's unit.
    fn known(&self, _root: &S, _loss: u32, _seed: u64) -> Option<(Report, usize)> {
        None
    }
    /// Forgets everything and gives the memory back.
    fn clear(&mut self);
    /// Sets the memory bound in MiB; forgets everything if it changes.
    fn set_hash(&mut self, mib: u64);
}

/// Watches the limits of a search from the one thread that reads the clock.
#[derive(Debug)]
pub(crate) struct Watch<'a> {
    control: &'a Control,
    limits: Limits,
    started: Stopwatch,
}

impl<'a> Watch<'a> {
    pub(crate) fn new(query: &Query<'a>) -> Watch<'a> {
        Watch { control: query.control, limits: query.limits, started: query.started }
    }

    pub(crate) fn elapsed(&self) -> Duration {
        self.started.elapsed()
    }

    pub(crate) fn limits(&self) -> &Limits {
        &self.limits
    }

    /// Whether the stop switch is set.
    pub(crate) fn stopped(&self) -> bool {
        self.control.stopped()
    }

    /// As [`Watch::check`], for threads that do not read the clock.
    pub(crate) fn check_nodes(&self, nodes: u64) -> bool {
        if self.limits.nodes.is_some_and(|most| nodes >= most) {
            self.control.end();
        }
        self.control.stopped()
    }

    /// Sets the stop switch when the hard limits are reached; `true` once the search is to end.
    pub(crate) fn check(&self, nodes: u64) -> bool {
        if self.limits.budget.is_some_and(|budget| self.elapsed() >= budget.hard) {
            self.control.end();
        }
        self.check_nodes(nodes)
    }
}
