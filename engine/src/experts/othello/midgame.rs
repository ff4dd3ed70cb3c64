//! Principal variation search with evaluation, for the midgame and for the upper part of a solution.

use arrayvec::ArrayVec;

use super::endgame::stability_pays;
use super::order::{self, Moves};
use super::table::{Found, hash};
use super::thread::{Thread, split::Task};
use super::{
    Code, MAX_SCORE, NO_SQUARE, Node, SELECTIVITY_NONE, final_score, odd_quarters, probcut, stability,
};

/// Most empty squares of an exact search that needs no evaluation for its order.
const WITHOUT_EVALUATION: u32 = 13;
/// Least depth at which the children are looked up before any is searched.
const CHILDREN_FIRST: u32 = 5;
/// Least depth at which moves are shared with other threads.
const SPLIT: u32 = 6;
/// Searches for a cut within searches for a cut, at most.
const PROBCUT_NESTING: u32 = 2;

/// The squares in four classes, best first: corners; A, B and inner squares; C squares; X squares.
const CLASSES: [u64; 4] = {
    const CORNERS: u64 = 0x8100_0000_0000_0081;
    const C: u64 = 0x4281_0000_0000_8142;
    const X: u64 = 0x0042_0000_0000_4200;
    [CORNERS, !(CORNERS | C | X), C, X]
};

/// A search of at most two plies: the leaves are valued as soon as they are made.
#[inline(always)]
pub(super) fn frontier<I: Code>(
    thread: &mut Thread<'_>,
    node: &Node,
    alpha: i32,
    beta: i32,
    depth: u32,
) -> i32 {
    thread.nodes += 1;
    if depth == 0 {
        return thread.evaluate::<I>(node);
    }
    let moves = I::mobility(node.own, node.opp);
    if moves == 0 {
        return if I::mobility(node.opp, node.own) != 0 {
            -I::frontier(thread, &node.passed::<I>(), -beta, -alpha, depth)
        } else {
            final_score(node.own, node.opp)
        };
    }
    let mut best = -i32::MAX;
    for class in CLASSES {
        let mut set = moves & class;
        while set != 0 {
            let square = set.trailing_zeros();
            set &= set - 1;
            let flips = I::flips(square, node.own, node.opp);
            let value = if depth == 1 {
                thread.nodes += 1;
                -thread.evaluate_after::<I>(node, square, flips)
            } else {
                let child = node.after::<I>(square, flips);
                -I::frontier(thread, &child, -beta, -alpha.max(best), depth - 1)
            };
            best = best.max(value);
            if best >= beta {
                return best;
            }
        }
    }
    best
}

/// The value of a position by a search of `depth` plies, fail-soft in the window; meaningless once the
/// thread is to stop.
#[inline(always)]
pub(super) fn search<I: Code>(
    thread: &mut Thread<'_>,
    node: &Node,
    mut alpha: i32,
    mut beta: i32,
    mut depth: u32,
    selectivity: u32,
) -> i32 {
    let (own, opp, empty) = (node.own, node.opp, node.empty());
    let mut selectivity = selectivity;
    if depth >= empty {
        depth = empty;
        if empty <= WITHOUT_EVALUATION {
            return I::endgame(thread, own, opp, alpha, beta);
        }
    } else if depth <= 2 {
        return I::frontier(thread, node, alpha, beta, depth);
    }
    if thread.stopped() {
        return alpha;
    }
    thread.nodes += 1;
    if depth <= 2 {
        selectivity = SELECTIVITY_NONE;
    }
    let null_window = beta - alpha == 1;
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
        thread.reused += u64::from(thread.table.is_old(&entry));
        if u32::from(entry.depth) >= depth && u32::from(entry.selectivity) >= selectivity {
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
            -I::search(thread, &node.passed::<I>(), -beta, -alpha, depth, selectivity)
        } else {
            final_score(own, opp)
        };
    }
    if null_window
        && selectivity < SELECTIVITY_NONE
        && depth >= probcut::LEAST_DEPTH
        && let Some(value) = cut::<I>(thread, node, alpha, depth, selectivity)
    {
        return value;
    }
    if null_window
        && depth >= CHILDREN_FIRST
        && let Some(value) = child_cut::<I>(thread, node, moves, alpha, depth, selectivity)
    {
        return value;
    }

    let begun = thread.nodes;
    let odd = odd_quarters(own | opp);
    let mut best = -i32::MAX;
    let mut best_move = NO_SQUARE;
    let mut rest = moves;
    let mut list = Moves::default();
    let mut place = 0;
    // The move of an earlier search is tried before the others are even ordered.
    let early = known[0] != NO_SQUARE && moves >> known[0] & 1 != 0;
    if early {
        let square = u32::from(known[0]);
        rest &= !(1 << square);
        let flips = I::flips(square, own, opp);
        best = -I::search(thread, &node.after::<I>(square, flips), -beta, -alpha, depth - 1, selectivity);
        best_move = known[0];
    }
    if best < beta && !thread.stop && rest != 0 {
        // Measured on FFO 40 to 44, as the depth from which an order without evaluation is better (none).
        let ordering = (depth.saturating_sub(15) / 3).min(6);
        order::fill::<I>(thread, node, rest, odd, known, ordering, alpha, depth > 3, &mut list);
        while let Some(scored) = list.pick(place) {
            let first = place == 0 && !early;
            let child = node.after::<I>(scored.square, scored.flips);
            let low = alpha.max(best);
            let value = if first || beta - low <= 1 {
                -I::search(thread, &child, -beta, -low, depth - 1, selectivity)
            } else {
                let value = -I::search(thread, &child, -low - 1, -low, depth - 1, selectivity);
                if value > low && value < beta && !thread.stop {
                    -I::search(thread, &child, -beta, -value, depth - 1, selectivity)
                } else {
                    value
                }
            };
            if thread.stop {
                return alpha;
            }
            place += 1;
            if value > best {
                (best, best_move) = (value, scored.square as u8);
                if best >= beta {
                    break;
                }
            }
            if depth >= SPLIT && list.0.len() > place && thread.helped() {
                let features = Some(node.features);
                let mut task =
                    Task::new(own, opp, features, alpha, beta, depth, selectivity, (best, best_move));
                while let Some(scored) = list.pick(place) {
                    task.push(scored.square);
                    place += 1;
                }
                (best, best_move) = thread.share::<I>(task);
                break;
            }
        }
    }
    if thread.stop {
        return alpha;
    }
    let nodes = thread.nodes - begun;
    thread.table.store(
        key,
        own,
        opp,
        &Found { depth, selectivity, alpha, beta, score: best, best: best_move, nodes },
    );
    best
}

/// A cut by [`probcut`].
#[inline(always)]
fn cut<I: Code>(
    thread: &mut Thread<'_>,
    node: &Node,
    alpha: i32,
    depth: u32,
    selectivity: u32,
) -> Option<i32> {
    if thread.nesting >= PROBCUT_NESTING {
        return None;
    }
    let beta = alpha + 1;
    let (margin, gate) = thread.margins.margins(selectivity, node.empty(), depth);
    let value = thread.evaluate::<I>(node);
    let shallow = probcut::reduced(depth);
    let high = beta + margin;
    let low = alpha - margin;
    if value >= beta - gate && high < MAX_SCORE {
        thread.nesting += 1;
        let found = I::search(thread, node, high - 1, high, shallow, selectivity);
        thread.nesting -= 1;
        if found >= high && !thread.stop {
            return Some(beta);
        }
    }
    if value < alpha + gate && low > -MAX_SCORE && !thread.stop {
        thread.nesting += 1;
        let found = I::search(thread, node, low, low + 1, shallow, selectivity);
        thread.nesting -= 1;
        if found <= low && !thread.stop {
            return Some(alpha);
        }
    }
    None
}

/// A cut because a child is known to be bad enough for the other side (enhanced transposition cutoff; J.
/// Schaeffer, A. Plaat, "New advances in alpha-beta searching", 1996).
#[inline(always)]
fn child_cut<I: Code>(
    thread: &Thread<'_>,
    node: &Node,
    mut moves: u64,
    alpha: i32,
    depth: u32,
    selectivity: u32,
) -> Option<i32> {
    let mut children = ArrayVec::<(u64, u64, u64), 60>::new();
    while moves != 0 {
        let square = moves.trailing_zeros();
        moves &= moves - 1;
        let flips = I::flips(square, node.own, node.opp);
        let (own, opp) = (node.opp ^ flips, node.own ^ flips ^ 1 << square);
        let key = hash(own, opp);
        thread.table.prefetch(key);
        if children.try_push((key, own, opp)).is_err() {
            debug_assert!(false, "more than 60 moves");
        }
    }
    children.into_iter().find_map(|(key, own, opp)| {
        let entry = thread.table.probe(key, own, opp)?;
        (u32::from(entry.depth) + 1 >= depth
            && u32::from(entry.selectivity) >= selectivity
            && -i32::from(entry.upper) > alpha)
            .then(|| -i32::from(entry.upper))
    })
}
