//! Lines that wait while a search runs: kept in order, their number bounded by their bytes.

use std::collections::VecDeque;

/// How many bytes of waiting lines are kept before no more are read.
const LIMIT: usize = 4 << 20;
/// What a waiting line costs besides its text.
const ENTRY: usize = 64;

/// A line that waits.
#[derive(Debug)]
pub(super) enum Waiting {
    /// A whole line.
    Line(String),
    /// The beginning of a line that is too long.
    TooLong(String),
}

impl Waiting {
    fn cost(&self) -> usize {
        let (Waiting::Line(text) | Waiting::TooLong(text)) = self;
        text.len() + ENTRY
    }
}

/// The lines that wait, oldest first.
#[derive(Debug, Default)]
pub(super) struct Queue {
    waiting: VecDeque<Waiting>,
    bytes: usize,
}

impl Queue {
    pub(super) fn push(&mut self, waiting: Waiting) {
        self.bytes += waiting.cost();
        self.waiting.push_back(waiting);
    }

    pub(super) fn pop(&mut self) -> Option<Waiting> {
        let waiting = self.waiting.pop_front()?;
        self.bytes = self.bytes.saturating_sub(waiting.cost());
        Some(waiting)
    }

    /// The oldest line, which stays.
    pub(super) fn front(&self) -> Option<&Waiting> {
        self.waiting.front()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    pub(super) fn clear(&mut self) {
        *self = Queue::default();
    }

    /// Whether another line may be read.
    pub(super) fn has_room(&self) -> bool {
        self.bytes < LIMIT
    }
}
