//! Othello on 8x8: midgame search on the trained patterns and an exact endgame solver.
//!
//! Scores are differences in discs for the side to move, the empty squares to the winner.
//!
//! * [`book`]: the opening book.
//! * `table`: the transposition table.
//! * `last`: one to four empty squares, written out.
//! * `endgame`: exact search without evaluation.
//! * `midgame`: principal variation search with Multi-ProbCut.
//! * `order`, [`probcut`], `stability`: what the searches use.
//! * `thread`: a thread's state, and how threads share a search.
//! * `root`: iterative deepening, lines, limits, and the check of what is called proven.

pub mod book;
mod endgame;
mod last;
mod midgame;
mod order;
pub mod probcut;
mod root;
mod stability;
mod table;
#[cfg(test)]
mod tests;
mod thread;

use crate::games::othello::kernel::entries;
use crate::games::othello::pattern::Features;
use thread::Thread;
use thread::split::Task;

pub use root::Expert;

/// Greatest score, in discs.
const MAX_SCORE: i32 = 64;
/// No move.
const NO_SQUARE: u8 = 64;
/// The selectivity that cuts nothing off without proof; the levels are those of [`probcut`].
const SELECTIVITY_NONE: u32 = 5;

/// The quarter of the board around each square.
static QUARTERS: [u64; 64] = {
    const QUARTER: u64 = 0x0F0F_0F0F;
    let mut table = [0; 64];
    let mut square = 0;
    while square < 64 {
        table[square] = QUARTER << (square % 8 / 4 * 4 + square / 32 * 32);
        square += 1;
    }
    table
};

/// The quarters of the board with an odd number of empty squares.
#[inline(always)]
fn odd_quarters(discs: u64) -> u64 {
    const QUARTER: u64 = 0x0F0F_0F0F;
    let mut odd = 0;
    for shift in [0, 4, 32, 36] {
        let quarter = QUARTER << shift;
        if (discs & quarter).count_ones() % 2 == 1 {
            odd |= quarter;
        }
    }
    odd
}

/// The score of a finished game.
#[inline(always)]
fn final_score(own: u64, opp: u64) -> i32 {
    let (own, opp) = (own.count_ones() as i32, opp.count_ones() as i32);
    let difference = own - opp;
    difference + difference.signum() * (MAX_SCORE - own - opp)
}

/// A position with the features of the side to move.
#[derive(Clone, Debug)]
struct Node {
    own: u64,
    opp: u64,
    features: Features,
}

impl Node {
    fn new(own: u64, opp: u64) -> Node {
        Node { own, opp, features: Features::of(own, opp) }
    }

    #[inline(always)]
    fn empty(&self) -> u32 {
        (self.own | self.opp).count_zeros()
    }

    /// After a legal move.
    #[inline(always)]
    fn after<I: Code>(&self, square: u32, flips: u64) -> Node {
        Node {
            own: self.opp ^ flips,
            opp: self.own ^ flips ^ 1 << square,
            features: I::after(&self.features, square, flips),
        }
    }

    /// After a pass.
    #[inline(always)]
    fn passed<I: Code>(&self) -> Node {
        Node { own: self.opp, opp: self.own, features: I::swapped(&self.features) }
    }
}

entries! {
    /// The functions that recurse, compiled for each set of instructions.
    trait Code {
        fn pass3(nodes: &mut u64, own: u64, opp: u64, squares: [u32; 3], alpha: i32, beta: i32) -> i32
            = last::last3;
        fn last4(nodes: &mut u64, own: u64, opp: u64, odd: u64, alpha: i32, beta: i32) -> i32
            = last::last4;
        fn shallow(nodes: &mut u64, own: u64, opp: u64, odd: u64, alpha: i32, beta: i32) -> i32
            = endgame::shallow;
        fn local(thread: &mut Thread<'_>, own: u64, opp: u64, odd: u64, alpha: i32, beta: i32) -> i32
            = endgame::local;
        fn endgame(thread: &mut Thread<'_>, own: u64, opp: u64, alpha: i32, beta: i32) -> i32
            = endgame::endgame;
        fn frontier(thread: &mut Thread<'_>, node: &Node, alpha: i32, beta: i32, depth: u32) -> i32
            = midgame::frontier;
        fn search(thread: &mut Thread<'_>, node: &Node, alpha: i32, beta: i32, depth: u32, selectivity: u32) -> i32
            = midgame::search;
        fn drain(thread: &mut Thread<'_>, task: &Task) -> () = thread::split::drain;
    }
}
