//! Exact search near the end: no evaluation, only rules, order and bounds.
//!
//! With at most [`SHALLOW`] empty squares moves into quarters of the board with an odd number of empty
//! squares come first ("parity": who moves first into such a region tends to move last there too).
//! Above, moves that leave the other side the fewest replies come first ("fastest first"), and
//! positions are looked up in a table: up to [`LOCAL`] empty squares one of the thread's own that stays
//! in the processor's cache, then the one shared by all.

use arrayvec::ArrayVec;

use super::table::{Found, hash};
use super::thread::{Thread, split::Task};
use super::{Code, MAX_SCORE, NO_SQUARE, QUARTERS, SELECTIVITY_NONE, final_score, odd_quarters, stability};

/// Most empty squares searched in order of parity alone.
pub(super) const SHALLOW: u32 = 6;
/// Most empty squares looked up in the thread's own table.
pub(super) const LOCAL: u32 = 10;

/// Least `alpha` at which counting stable discs pays, by the number of empty squares: about 2 for each
/// (Edax).
#[inline(always)]
pub(super) fn stability_pays(alpha: i32, empty: u32) -> bool {
    alpha >= (2 * empty as i32).max(6)
}

/// A table of one thread: one entry a slot, the last one stays.
#[derive(Debug)]
pub(super) struct Local {
    slots: Box<[Slot; LOCAL_SLOTS]>,
}

const LOCAL_SLOTS: usize = 1 << 12;

#[derive(Clone, Copy, Debug)]
struct Slot {
    own: u64,
    opp: u64,
    lower: i8,
    upper: i8,
    best: u8,
}

impl Local {
    pub(super) fn new() -> Local {
        let slot = Slot { own: 0, opp: 0, lower: 0, upper: 0, best: NO_SQUARE };
        Local { slots: vec![slot; LOCAL_SLOTS].try_into().unwrap_or_else(|_| unreachable!("its length")) }
    }

    #[inline(always)]
    fn slot(&mut self, hash: u64) -> &mut Slot {
        &mut self.slots[hash as usize % LOCAL_SLOTS]
    }
}

/// Five or six empty squares (`odd` as in [`super::last`]).
#[inline(always)]
pub(super) fn shallow<I: Code>(nodes: &mut u64, own: u64, opp: u64, odd: u64, alpha: i32, beta: i32) -> i32 {
    *nodes += 1;
    let moves = I::mobility(own, opp);
    if moves == 0 {
        return if I::mobility(opp, own) != 0 {
            -I::shallow(nodes, opp, own, odd, -beta, -alpha)
        } else {
            final_score(own, opp)
        };
    }
    let empty = (own | opp).count_zeros();
    if stability_pays(alpha, empty) {
        let most = stability::most(own, opp);
        if most <= alpha {
            return most;
        }
    }
    let mut best = -i32::MAX;
    for mut set in [moves & odd, moves & !odd] {
        while set != 0 {
            let square = set.trailing_zeros();
            set &= set - 1;
            let flips = I::flips(square, own, opp);
            let odd = odd ^ QUARTERS[square as usize % 64];
            let (own, opp) = (opp ^ flips, own ^ flips ^ 1 << square);
            let alpha = alpha.max(best);
            let value = if empty == 5 {
                -I::last4(nodes, own, opp, odd, -beta, -alpha)
            } else {
                -I::shallow(nodes, own, opp, odd, -beta, -alpha)
            };
            best = best.max(value);
            if best >= beta {
                return best;
            }
        }
    }
    best
}

/// A move with what decides its place.
#[derive(Clone, Copy, Debug)]
struct Candidate {
    cost: i32,
    square: u32,
    flips: u64,
}

/// Adds the moves to an empty list, with what decides their places: cheapest to refute first.
#[inline(always)]
fn fill<I: Code, const N: usize>(
    list: &mut ArrayVec<Candidate, N>,
    own: u64,
    opp: u64,
    mut moves: u64,
    odd: u64,
    known: [u8; 2],
) {
    const CORNERS: u64 = 0x8100_0000_0000_0081;
    while moves != 0 {
        let square = moves.trailing_zeros();
        moves &= moves - 1;
        let flips = I::flips(square, own, opp);
        let (next_own, next_opp) = (opp ^ flips, own ^ flips ^ 1 << square);
        let mut cost = if square as u8 == known[0] {
            i32::MIN
        } else if square as u8 == known[1] || next_own == 0 {
            i32::MIN + 1
        } else {
            let replies = I::mobility(next_own, next_opp);
            let weighted = replies.count_ones() + (replies & CORNERS).count_ones();
            (weighted as i32) * (1 << 15)
                - super::order::corners_held(next_opp) * (1 << 11)
                - super::order::PLACES[square as usize % 64]
        };
        if cost > i32::MIN + 1 && odd >> square & 1 != 0 {
            cost -= 8;
        }
        if list.try_push(Candidate { cost, square, flips }).is_err() {
            debug_assert!(false, "more than {N} moves");
            break;
        }
    }
}

/// The next one of the moves from `place` on.
#[inline(always)]
fn pick<const N: usize>(list: &mut ArrayVec<Candidate, N>, place: usize) -> Candidate {
    let rest = &mut list[place..];
    let mut first = 0;
    for i in 1..rest.len() {
        if rest[i].cost < rest[first].cost {
            first = i;
        }
    }
    rest.swap(0, first);
    rest[0]
}

/// Exact value of a position of [`SHALLOW`]` + 1` to [`LOCAL`] empty squares, fail-soft in the window.
#[inline(always)]
pub(super) fn local<I: Code>(
    thread: &mut Thread<'_>,
    own: u64,
    opp: u64,
    odd: u64,
    mut alpha: i32,
    mut beta: i32,
) -> i32 {
    let empty = (own | opp).count_zeros();
    thread.nodes += 1;
    if stability_pays(alpha, empty) {
        let most = stability::most(own, opp);
        if most <= alpha {
            return most;
        }
    }
    let key = hash(own, opp);
    let moves = I::mobility(own, opp);
    if moves == 0 {
        return if I::mobility(opp, own) != 0 {
            -I::local(thread, opp, own, odd, -beta, -alpha)
        } else {
            final_score(own, opp)
        };
    }
    let mut known = [NO_SQUARE; 2];
    let slot = thread.local.slot(key);
    if slot.own == own && slot.opp == opp {
        let (lower, upper) = (i32::from(slot.lower), i32::from(slot.upper));
        known[0] = slot.best;
        if lower >= beta || lower == upper {
            return lower;
        }
        if upper <= alpha {
            return upper;
        }
        (alpha, beta) = (alpha.max(lower), beta.min(upper));
    }
    let mut list = ArrayVec::<_, { LOCAL as usize }>::new();
    fill::<I, _>(&mut list, own, opp, moves, odd, known);
    let mut best = -i32::MAX;
    let mut best_move = NO_SQUARE;
    for place in 0..list.len() {
        let Candidate { square, flips, .. } = pick(&mut list, place);
        let (next_own, next_opp) = (opp ^ flips, own ^ flips ^ 1 << square);
        let odd = odd ^ QUARTERS[square as usize % 64];
        let low = alpha.max(best);
        let value = if empty - 1 <= SHALLOW {
            -I::shallow(&mut thread.nodes, next_own, next_opp, odd, -beta, -low)
        } else {
            -I::local(thread, next_own, next_opp, odd, -beta, -low)
        };
        if value > best {
            (best, best_move) = (value, square as u8);
            if best >= beta {
                break;
            }
        }
    }
    let slot = thread.local.slot(key);
    if slot.own != own || slot.opp != opp {
        *slot = Slot { own, opp, lower: -MAX_SCORE as i8, upper: MAX_SCORE as i8, best: best_move };
    }
    slot.best = best_move;
    if best < beta {
        slot.upper = slot.upper.min(best as i8);
    }
    if best > alpha {
        slot.lower = slot.lower.max(best as i8);
    }
    best
}

/// Exact value of a position of at most 32 empty squares, fail-soft in the window; meaningless once
/// the thread is to stop.
#[inline(always)]
pub(super) fn endgame<I: Code>(
    thread: &mut Thread<'_>,
    own: u64,
    opp: u64,
    mut alpha: i32,
    mut beta: i32,
) -> i32 {
    let empty = (own | opp).count_zeros();
    let odd = odd_quarters(own | opp);
    match empty {
        0 => return final_score(own, opp),
        1..=3 => return few::<I>(&mut thread.nodes, own, opp, alpha, beta),
        4 => return I::last4(&mut thread.nodes, own, opp, odd, alpha, beta),
        5..=SHALLOW => return I::shallow(&mut thread.nodes, own, opp, odd, alpha, beta),
        7..=LOCAL => return I::local(thread, own, opp, odd, alpha, beta),
        _ => {}
    }
    if thread.stopped() {
        return alpha;
    }
    thread.nodes += 1;
    if stability_pays(alpha, empty) {
        let most = stability::most(own, opp);
        if most <= alpha {
            return most;
        }
    }
    let key = hash(own, opp);
    let mut known = [NO_SQUARE; 2];
    if let Some(entry) = thread.table.probe(key, own, opp) {
        known = entry.moves;
        if u32::from(entry.depth) >= empty && u32::from(entry.selectivity) >= SELECTIVITY_NONE {
            let (lower, upper) = (i32::from(entry.lower), i32::from(entry.upper));
            if lower >= beta || lower == upper {
                return lower;
            }
            if upper <= alpha {
                return upper;
            }
            (alpha, beta) = (alpha.max(lower), beta.min(upper));
        }
    }
    let moves = I::mobility(own, opp);
    if moves == 0 {
        return if I::mobility(opp, own) != 0 {
            -I::endgame(thread, opp, own, -beta, -alpha)
        } else {
            final_score(own, opp)
        };
    }
    let begun = thread.nodes;
    let mut list = ArrayVec::<_, 32>::new();
    fill::<I, _>(&mut list, own, opp, moves, odd, known);
    let mut best = -i32::MAX;
    let mut best_move = NO_SQUARE;
    for place in 0..list.len() {
        let Candidate { square, flips, .. } = pick(&mut list, place);
        let (next_own, next_opp) = (opp ^ flips, own ^ flips ^ 1 << square);
        let child = |thread: &mut Thread<'_>, alpha: i32, beta: i32| {
            if empty - 1 <= LOCAL {
                I::local(thread, next_own, next_opp, odd ^ QUARTERS[square as usize % 64], alpha, beta)
            } else {
                thread.table.prefetch(hash(next_own, next_opp));
                I::endgame(thread, next_own, next_opp, alpha, beta)
            }
        };
        let low = alpha.max(best);
        let mut value = if place == 0 || beta - low <= 1 {
            -child(thread, -beta, -low)
        } else {
            -child(thread, -low - 1, -low)
        };
        if place > 0 && beta - low > 1 && value > low && value < beta {
            value = -child(thread, -beta, -value);
        }
        if value > best {
            (best, best_move) = (value, square as u8);
            if best >= beta {
                break;
            }
        }
        if place == 0 && empty >= SPLIT && list.len() > 1 && thread.helped() {
            let mut task = Task::new(own, opp, None, alpha, beta, empty, SELECTIVITY_NONE, (best, best_move));
            for place in 1..list.len() {
                task.push(pick(&mut list, place).square);
            }
            (best, best_move) = thread.share::<I>(task);
            break;
        }
    }
    if thread.stop {
        return alpha;
    }
    let nodes = thread.nodes - begun;
    let found = Found {
        depth: empty,
        selectivity: SELECTIVITY_NONE,
        alpha,
        beta,
        score: best,
        best: best_move,
        nodes,
    };
    thread.table.store(key, own, opp, &found);
    best
}

/// Least number of empty squares at which moves are shared with other threads.
const SPLIT: u32 = 13;

/// One to three empty squares at the root of a search.
fn few<I: Code>(nodes: &mut u64, own: u64, opp: u64, alpha: i32, beta: i32) -> i32 {
    let mut moves = I::mobility(own, opp);
    if moves == 0 {
        return if I::mobility(opp, own) != 0 {
            -few::<I>(nodes, opp, own, -beta, -alpha)
        } else {
            final_score(own, opp)
        };
    }
    *nodes += 1;
    let mut best = -i32::MAX;
    while moves != 0 {
        let square = moves.trailing_zeros();
        moves &= moves - 1;
        let flips = I::flips(square, own, opp);
        best = best.max(-few::<I>(nodes, opp ^ flips, own ^ flips ^ 1 << square, -beta, -alpha.max(best)));
        if best >= beta {
            break;
        }
    }
    best
}
