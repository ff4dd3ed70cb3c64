//! Victory by continuous fours: every move of the attacker makes a four, so every reply is forced.
//!
//! The search is depth first over the fours, each position once: what failed is remembered by the
//! position's key, with the number of fours it failed within. The first win found is shortened by
//! searches within fewer fours. A key that two positions share can only hide a win, never make one.

use crate::game::{Game, Move};
use crate::games::gomoku::GomokuSearch;

/// Failed positions remembered, a power of two.
const SLOTS: usize = 1 << 18;
/// More fours than fit on a board.
const ENDLESS: u16 = u16::MAX;
/// Every so many nodes the caller is asked whether to stop.
const STRIDE: u64 = 1 << 10;
/// Positions looked at, beyond as many as for finding a win, to shorten it: the published problems of
/// up to 15 fours take 14,000 at most, those of 80 fours and more have no end.
const PATIENCE: u64 = 50_000;

/// What the fours of the side to move come to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// They win: the line to the five, with one of the defences where the last four has several.
    Win {
        /// Moves of both sides, the attacker's first.
        line: Vec<Move>,
        /// Whether no win takes fewer fours.
        shortest: bool,
    },
    /// They do not win.
    No,
    /// The search was stopped.
    Unknown,
}

/// A solver and what it remembers.
pub struct Solver {
    /// Key and number of fours of positions that failed.
    failed: Vec<(u64, u16)>,
    /// Positions searched.
    nodes: u64,
}

impl std::fmt::Debug for Solver {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Solver").field("nodes", &self.nodes).finish_non_exhaustive()
    }
}

/// How a search within a number of fours ended.
#[derive(Clone, Copy, PartialEq, Eq)]
enum End {
    Win,
    /// No number of fours wins.
    No,
    /// These do not.
    Short,
    Stopped,
}

struct Search<'a> {
    position: GomokuSearch,
    failed: &'a mut [(u64, u16)],
    nodes: u64,
    stop: &'a mut dyn FnMut(u64) -> bool,
    /// The win, last move first.
    line: Vec<Move>,
}

impl Default for Solver {
    fn default() -> Solver {
        Solver::new()
    }
}

impl Solver {
    /// A solver that remembers nothing; it allocates with its first search.
    #[must_use]
    pub fn new() -> Solver {
        Solver { failed: Vec::new(), nodes: 0 }
    }

    /// Positions the last search looked at.
    #[must_use]
    pub fn nodes(&self) -> u64 {
        self.nodes
    }

    /// Bytes held.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        (self.failed.len() * size_of::<(u64, u16)>()) as u64
    }

    /// Forgets everything and gives the memory back.
    pub fn clear(&mut self) {
        self.failed = Vec::new();
    }

    /// Whether the side to move in an unfinished position wins by fours. `stop` is asked now and then,
    /// with the number of positions so far.
    pub fn solve(&mut self, root: &GomokuSearch, stop: &mut dyn FnMut(u64) -> bool) -> Answer {
        if self.failed.is_empty() {
            self.failed = vec![(0, 0); SLOTS];
        }
        let mut search =
            Search { position: root.clone(), failed: &mut self.failed, nodes: 0, stop, line: Vec::new() };
        let end = search.attack(ENDLESS);
        let answer = match end {
            End::Win => {
                let line = search.taken();
                search.shorten(line)
            }
            End::No | End::Short => Answer::No,
            End::Stopped => Answer::Unknown,
        };
        self.nodes = search.nodes;
        answer
    }
}

/// Fours in a line that ends with the five.
fn fours(line: &[Move]) -> u16 {
    (line.len() / 2) as u16
}

impl Search<'_> {
    /// The line of the win just found.
    fn taken(&mut self) -> Vec<Move> {
        let mut line = std::mem::take(&mut self.line);
        line.reverse();
        line
    }

    /// Looks for wins of fewer fours, from none on.
    fn shorten(&mut self, line: Vec<Move>) -> Answer {
        let most = 2 * self.nodes + PATIENCE;
        for left in 0..fours(&line) {
            match self.attack(left) {
                End::Win => return Answer::Win { line: self.taken(), shortest: true },
                End::Stopped => return Answer::Win { line, shortest: false },
                End::No | End::Short => {}
            }
            if self.nodes > most {
                return Answer::Win { line, shortest: false };
            }
        }
        Answer::Win { line, shortest: true }
    }

    fn slot(&mut self) -> (&mut (u64, u16), u64) {
        let key = self.position.key();
        (&mut self.failed[key as usize % SLOTS], key)
    }

    /// The attacker moves and may make `left` more fours before the five.
    fn attack(&mut self, left: u16) -> End {
        self.nodes += 1;
        if self.nodes.is_multiple_of(STRIDE) && (self.stop)(self.nodes) {
            return End::Stopped;
        }
        if let Some(five) = self.position.five() {
            self.line.push(five);
            return End::Win;
        }
        let (slot, key) = self.slot();
        let failed = if slot.0 == key { slot.1 } else { 0 };
        if failed == ENDLESS {
            return End::No;
        }
        let mut fours = Vec::new();
        self.position.fours(&mut fours);
        if fours.is_empty() {
            *self.slot().0 = (key, ENDLESS);
            return End::No;
        }
        // `failed` is one more than the number of fours that were tried in vain.
        if left == 0 || failed > left {
            return End::Short;
        }
        let mut end = End::No;
        for four in fours {
            match self.defend(four, left - 1) {
                End::Win => {
                    self.line.push(four);
                    return End::Win;
                }
                End::Stopped => return End::Stopped,
                End::Short => end = End::Short,
                End::No => {}
            }
        }
        *self.slot().0 =
            (key, if end == End::No { ENDLESS } else { left.saturating_add(1).min(ENDLESS - 1) });
        end
    }

    /// All replies to a four.
    fn defend(&mut self, four: Move, left: u16) -> End {
        let undo = self.position.play(four);
        let end = self.replies(left);
        self.position.undo(four, undo);
        end
    }

    fn replies(&mut self, left: u16) -> End {
        // A four that leaves the other side a five is none.
        if self.position.five().is_some() {
            return End::No;
        }
        let mut stops = Vec::new();
        self.position.stops_of_five(&mut stops);
        if stops.is_empty() {
            // Whatever the reply, a five follows; one that takes a point of five shows it best.
            let mut any = Vec::new();
            self.position.moves(&mut any);
            let taken = self.position.enemy_five().filter(|&mv| self.position.is_legal(mv));
            let Some(reply) = taken.or(any.first().copied()) else { return End::No };
            let undo = self.position.play(reply);
            let five = self.position.five();
            self.position.undo(reply, undo);
            let Some(five) = five else { return End::No };
            self.line.extend([five, reply]);
            return End::Win;
        }
        let kept = self.line.len();
        let mut longest: Vec<Move> = Vec::new();
        for &reply in &stops {
            let undo = self.position.play(reply);
            let end = self.attack(left);
            self.position.undo(reply, undo);
            if end != End::Win {
                self.line.truncate(kept);
                return end;
            }
            self.line.push(reply);
            if self.line.len() - kept > longest.len() {
                longest = self.line.split_off(kept);
            }
            self.line.truncate(kept);
        }
        self.line.extend(longest);
        End::Win
    }
}
