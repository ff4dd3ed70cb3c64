//! The order of moves in the midgame.

use arrayvec::ArrayVec;

use super::table::hash;
use super::thread::Thread;
use super::{Code, MAX_SCORE, NO_SQUARE, Node};
use crate::games::othello::board::{Shape, Standard};

/// What a square is worth before anything else is known: corners, then the squares that do not give
/// one away (the values are Edax's).
pub(super) static PLACES: [i32; 64] = {
    const QUARTER: [[i32; 4]; 4] = [[18, 4, 16, 12], [4, 2, 6, 8], [16, 6, 14, 10], [12, 8, 10, 0]];
    let mut table = [0; 64];
    let mut square = 0;
    while square < 64 {
        let (x, y) = (square % 8, square / 8);
        let (x, y) = (if x < 4 { x } else { 7 - x }, if y < 4 { y } else { 7 - y });
        table[square] = QUARTER[y][x];
        square += 1;
    }
    table
};

/// A move and what it is worth trying.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scored {
    pub(super) score: i32,
    pub(super) square: u32,
    pub(super) flips: u64,
}

/// Legal moves of a position. No position has more than 60: so many squares are empty at the start.
#[derive(Debug, Default)]
pub(super) struct Moves(pub(super) ArrayVec<Scored, 60>);

impl Moves {
    /// The best of those from `place` on, moved to `place`.
    #[inline(always)]
    pub(super) fn pick(&mut self, place: usize) -> Option<Scored> {
        let rest = self.0.get_mut(place..).filter(|rest| !rest.is_empty())?;
        let mut first = 0;
        for i in 1..rest.len() {
            if rest[i].score > rest[first].score {
                first = i;
            }
        }
        rest.swap(0, first);
        rest.first().copied()
    }
}

/// Fills `list` with the moves of the set, scored.
///
/// The score adds up what Edax adds up: the other side's replies, its potential mobility, the safety
/// of the corners, the square, and the value by a search of `depth` plies.
#[inline(always)]
#[expect(clippy::too_many_arguments, reason = "a node's state is kept in registers")]
pub(super) fn fill<I: Code>(
    thread: &mut Thread<'_>,
    node: &Node,
    mut moves: u64,
    odd: u64,
    known: [u8; 2],
    depth: u32,
    alpha: i32,
    fetch: bool,
    list: &mut Moves,
) {
    const CORNERS: u64 = 0x8100_0000_0000_0081;
    let empty = node.empty();
    let parity = match empty {
        ..12 => 8,
        12..21 => 4,
        21..30 => 2,
        _ => 0,
    };
    while moves != 0 {
        let square = moves.trailing_zeros();
        moves &= moves - 1;
        let flips = I::flips(square, node.own, node.opp);
        let score = if square as u8 == known[0] && known[0] != NO_SQUARE {
            1 << 30
        } else if flips == node.opp {
            i32::MAX
        } else if square as u8 == known[1] && known[1] != NO_SQUARE {
            1 << 29
        } else {
            let (own, opp) = (node.opp ^ flips, node.own ^ flips ^ 1 << square);
            let replies = I::mobility(own, opp);
            let weighted = (replies.count_ones() + (replies & CORNERS).count_ones()) as i32;
            let free = !(own | opp);
            let potential = (Standard::neighbours(opp) & free).count_ones() as i32;
            let mut score = PLACES[square as usize % 64];
            if odd >> square & 1 != 0 {
                score += parity;
            }
            score += (36 - weighted) * (1 << 15) + (36 - potential) * (1 << 5);
            score += corners_held(opp) * (1 << 11);
            if fetch {
                thread.table.prefetch(hash(own, opp));
            }
            let value = match depth {
                0 => thread.evaluate_after::<I>(node, square, flips),
                _ => I::search(
                    thread,
                    &node.after::<I>(square, flips),
                    -MAX_SCORE,
                    MAX_SCORE.min(8 - alpha),
                    depth,
                    0,
                ),
            };
            let weight = match depth {
                0 => 13,
                1 => 14,
                _ => 15,
            };
            score += (MAX_SCORE - value) << weight;
            score
        };
        if list.0.try_push(Scored { score, square, flips }).is_err() {
            debug_assert!(false, "more than 60 moves");
        }
    }
}

/// Corners of a side and the squares of the edge next to them it holds with them.
#[inline(always)]
pub(super) fn corners_held(own: u64) -> i32 {
    const CORNERS: u64 = 0x8100_0000_0000_0081;
    const A: u64 = 0x0100_0000_0000_0001;
    const H: u64 = A << 7;
    let corners = own & CORNERS;
    let beside = own & ((corners & A) << 1 | (corners & H) >> 1 | corners << 8 | corners >> 8);
    (corners.count_ones() + beside.count_ones()) as i32
}
