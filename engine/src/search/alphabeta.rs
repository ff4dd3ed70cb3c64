//! Principal variation search (Marsland, Campbell 1982) by iterative deepening on a shared
//! transposition table, with aspiration windows, killer moves, history and late move reductions.
//! Several threads search the same tree at staggered depths and meet in the table ("lazy SMP").
//!
//! Sides need not alternate: a value is negated only when the turn has changed. A result is called
//! proven only when it rests on finished games: values at or beyond [`value::PROVEN`] do by
//! construction, and an entry is marked solved when no static evaluation and no incomplete list of
//! moves went into it.

mod table;

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use crate::game::{Color, EVAL_MAX, Knowledge, Move, Outcome, random};

use super::{Budget, Limits, Line, Query, Report, Searcher, StopAtEnd, Watch, value};
use table::{Bound, Entry, SOLVED, Table};

/// Deepest ply.
const MAX_PLY: usize = 128;
/// The clock is read every so many nodes of the chief thread.
const CLOCK_STRIDE: u64 = 256;
/// Size of a side's history table, a power of two.
const HISTORY: usize = 1 << 12;
/// Bound of a history score, in units of the ordering score (100 is "e times as likely").
const HISTORY_MAX: i32 = 250;
/// Ordering bonus of a killer move.
const KILLER: i32 = 180;
/// Ordering scores are computed from this remaining depth on; nearer to the leaves history serves.
const ORDER_DEPTH: i32 = 2;

/// The searcher and its table.
#[derive(Debug)]
pub struct AlphaBeta {
    table: Table,
}

impl AlphaBeta {
    /// A searcher whose table takes `mib` MiB. Allocates nothing before the first search.
    #[must_use]
    pub fn new(mib: u64) -> AlphaBeta {
        AlphaBeta { table: Table::new(mib) }
    }
}

impl<S: Knowledge> Searcher<S> for AlphaBeta {
    fn search(&mut self, root: &S, query: Query<'_>) -> Report {
        self.table.begin();
        let watch = Watch::new(&query);
        let shared = Shared {
            table: &self.table,
            watch: &watch,
            nodes: &AtomicU64::new(0),
            reused: &AtomicU64::new(0),
        };
        let mut chief = Thread::new(&shared, root, 0);
        let Query { limits, threads, multipv, interval, on_report, control, .. } = query;
        std::thread::scope(|scope| {
            for number in 1..threads {
                let shared = &shared;
                scope.spawn(move || {
                    let mut thread = Thread::new(shared, root, number);
                    let mut quiet = |_: &Report| {};
                    thread.deepen(&Limits { endless: true, ..limits }, 1, None, &mut quiet);
                });
            }
            // However the chief ends, by a panic too, the others must not go on.
            let _others = StopAtEnd(control);
            chief.deepen(&limits, multipv.max(1), interval, on_report);
        });
        chief.report(multipv.max(1))
    }

    fn clear(&mut self) {
        self.table = Table::new(self.table.mib());
    }

    fn set_hash(&mut self, mib: u64) {
        if mib != self.table.mib() {
            self.table = Table::new(mib);
        }
    }
}

struct Shared<'a> {
    table: &'a Table,
    watch: &'a Watch<'a>,
    nodes: &'a AtomicU64,
    reused: &'a AtomicU64,
}

#[derive(Clone, Debug)]
struct RootMove {
    mv: Move,
    value: i32,
    line: Vec<Move>,
}

#[derive(Clone, Debug, Default)]
struct Frame {
    moves: Vec<Move>,
    scores: Vec<i32>,
    killers: [Option<Move>; 2],
    line: Vec<Move>,
}

struct Thread<'a, S: Knowledge> {
    shared: &'a Shared<'a>,
    number: usize,
    position: S,
    side: Color,
    frames: Vec<Frame>,
    history: Vec<i32>,
    roots: Vec<RootMove>,
    complete: bool,
    nodes: u64,
    flushed: u64,
    /// Static evaluations, depth-limited table hits and incomplete move lists met so far: while it
    /// stands still, everything found is certain.
    guesses: u64,
    depth: u32,
    solved: bool,
    aborted: bool,
}

impl<'a, S: Knowledge> Thread<'a, S> {
    fn new(shared: &'a Shared<'a>, root: &S, number: usize) -> Thread<'a, S> {
        let mut moves = Vec::new();
        let mut scores = Vec::new();
        let complete = root.candidates(&mut moves);
        root.order(&moves, &mut scores);
        let mut order: Vec<usize> = (0..moves.len()).collect();
        order.sort_by_key(|&i| std::cmp::Reverse(scores[i]));
        Thread {
            shared,
            number,
            side: root.turn(),
            position: root.clone(),
            frames: vec![Frame::default(); MAX_PLY + 2],
            history: vec![0; 2 * HISTORY],
            roots: order
                .into_iter()
                .map(|i| RootMove { mv: moves[i], value: -value::INFINITE, line: vec![moves[i]] })
                .collect(),
            complete,
            nodes: 0,
            flushed: 0,
            guesses: 0,
            depth: 0,
            solved: false,
            aborted: false,
        }
    }

    /// Iterative deepening. Leaves the root moves sorted, best first.
    fn deepen(
        &mut self,
        limits: &Limits,
        multipv: usize,
        interval: Option<Duration>,
        on_report: &mut dyn FnMut(&Report),
    ) {
        let most =
            limits.depth.unwrap_or(u32::MAX).min(self.position.horizon()).min(MAX_PLY as u32 - 2).max(1);
        let wanted = multipv.min(self.roots.len());
        let mut reported = Duration::ZERO;
        let mut stable = 0_u32;
        let first = 1 + (self.number as u32 & 1).min(most - 1);
        for depth in first..=most {
            let before = self.roots[0].mv;
            let guesses = self.guesses;
            let last = self.roots.clone();
            for rank in 0..wanted {
                self.aspire(depth as i32, rank);
                if self.aborted && wanted > 1 {
                    // Values of different depths cannot be ranked.
                    self.roots = last;
                    return;
                }
                if self.aborted {
                    self.fall_back(&last, rank);
                    return;
                }
            }
            self.depth = depth;
            self.solved = self.guesses == guesses && self.complete;
            self.flush();
            let elapsed = self.shared.watch.elapsed();
            if interval.is_some_and(|interval| elapsed >= reported + interval) {
                reported = elapsed;
                on_report(&self.report(multipv));
            }
            stable = if self.roots[0].mv == before { stable + 1 } else { 0 };
            let certain = self.roots[..wanted]
                .iter()
                .all(|root| root.value >= value::PROVEN || (root.value <= -value::PROVEN && self.complete));
            if self.solved || (certain && !S::MARGINS) {
                return;
            }
            if !limits.endless && (self.roots.len() == 1 || self.enough(limits.budget, stable)) {
                return;
            }
        }
    }

    /// After an iteration that was broken off at `rank`: lines it did not get to stand as the last one
    /// left them, and a move it found lost goes behind those it had no time for.
    fn fall_back(&mut self, last: &[RootMove], rank: usize) {
        let done = rank + usize::from(self.roots[rank].value > -value::INFINITE);
        for root in &mut self.roots[done..] {
            if let Some(earlier) = last.iter().find(|earlier| earlier.mv == root.mv) {
                root.clone_from(earlier);
            }
        }
        self.roots[done..].sort_by_key(|root| std::cmp::Reverse(root.value));
        if rank == 0 && self.roots[0].value <= -value::PROVEN && self.roots.len() > 1 {
            let before = last[0].value.clamp(-EVAL_MAX, EVAL_MAX);
            let next = &mut self.roots[1];
            if next.value == -value::INFINITE {
                next.value = (before - S::SCALE / 2).max(-EVAL_MAX);
            }
            self.roots.swap(0, 1);
        }
    }

    /// Whether another iteration is not worth its time.
    fn enough(&self, budget: Option<Budget>, stable: u32) -> bool {
        let Some(budget) = budget else { return false };
        if budget.soft == budget.hard {
            return false;
        }
        // The next iteration takes at least as long as all before it; a move that was best for many
        // iterations needs less confirmation than one that has just come up.
        let part = match stable {
            0 => 1.0,
            1..=2 => 0.65,
            _ => 0.45,
        };
        self.shared.watch.elapsed() >= budget.soft.mul_f64(part)
    }

    /// Searches the root moves from `rank` on, in a window around the last value that opens where it
    /// fails.
    fn aspire(&mut self, depth: i32, rank: usize) {
        let guess = self.roots[rank].value;
        let mut width = (S::SCALE / 8).max(1);
        let narrow = depth > 3 && guess.abs() < value::PROVEN;
        let (mut alpha, mut beta) =
            if narrow { (guess - width, guess + width) } else { (-value::INFINITE, value::INFINITE) };
        loop {
            let best = self.root(depth, alpha, beta, rank);
            self.roots[rank..].sort_by_key(|root| std::cmp::Reverse(root.value));
            if self.aborted {
                return;
            }
            width = width.saturating_mul(4).min(value::INFINITE);
            if best <= alpha && alpha > -value::INFINITE {
                alpha = (best - width).max(-value::INFINITE);
            } else if best >= beta && beta < value::INFINITE {
                beta = (best + width).min(value::INFINITE);
            } else {
                return;
            }
            if width > EVAL_MAX {
                (alpha, beta) = (-value::INFINITE, value::INFINITE);
            }
        }
    }

    fn root(&mut self, depth: i32, mut alpha: i32, beta: i32, rank: usize) -> i32 {
        let mut best = -value::INFINITE;
        let earlier: Vec<i32> = self.roots.iter().map(|root| root.value).collect();
        for i in rank..self.roots.len() {
            let mv = self.roots[i].mv;
            let undo = self.position.play(mv);
            let mut value = if i == rank {
                self.child(self.side, alpha, beta, depth - 1, 1)
            } else {
                let probe = self.child(self.side, alpha, alpha + 1, depth - 1, 1);
                if probe > alpha && !self.aborted {
                    self.child(self.side, alpha, beta, depth - 1, 1)
                } else {
                    probe
                }
            };
            self.position.undo(mv, undo);
            if self.aborted {
                // The rest was not searched at this depth: it stays behind what was.
                for (root, value) in self.roots[i..].iter_mut().zip(&earlier[i..]) {
                    root.value = if i == rank { *value } else { -value::INFINITE };
                }
                return best;
            }
            if i == rank || value > alpha {
                let line = std::mem::take(&mut self.frames[1].line);
                let root = &mut self.roots[i];
                root.line.clear();
                root.line.push(mv);
                root.line.extend_from_slice(&line);
                self.frames[1].line = line;
            } else {
                value = -value::INFINITE;
            }
            self.roots[i].value = value;
            best = best.max(value);
            alpha = alpha.max(value);
            if alpha >= beta {
                for root in &mut self.roots[i + 1..] {
                    root.value = -value::INFINITE;
                }
                break;
            }
        }
        best
    }

    /// The value for `side` of the present position, whoever is to move in it.
    fn child(&mut self, side: Color, alpha: i32, beta: i32, depth: i32, ply: usize) -> i32 {
        if self.position.turn() == side {
            self.search(alpha, beta, depth, ply)
        } else {
            -self.search(-beta, -alpha, depth, ply)
        }
    }

    fn flush(&mut self) -> u64 {
        let new = self.nodes - self.flushed;
        self.flushed = self.nodes;
        self.shared.nodes.fetch_add(new, Ordering::Relaxed) + new
    }

    /// Counts a node; `true` when the search is to end.
    fn tick(&mut self) -> bool {
        self.nodes += 1;
        if self.number == 0 {
            let limit = self.shared.watch.limits.nodes.unwrap_or(u64::MAX);
            if self.nodes.is_multiple_of(CLOCK_STRIDE) || self.nodes >= limit {
                let nodes = self.flush();
                self.aborted |= self.shared.watch.check(nodes) && self.depth > 0;
            }
            // Stopped before the first iteration is through: it alone is finished, for a move.
        } else if self.nodes.is_multiple_of(CLOCK_STRIDE) {
            let nodes = self.flush();
            self.aborted |= self.shared.watch.check_nodes(nodes);
        }
        self.aborted
    }

    fn search(&mut self, mut alpha: i32, beta: i32, mut depth: i32, ply: usize) -> i32 {
        self.frames[ply].line.clear();
        if self.tick() {
            return 0;
        }
        let turn = self.position.turn();
        if let Some(outcome) = self.position.outcome() {
            let margin = S::MARGINS.then(|| self.position.margin());
            return value::of_outcome(outcome, margin, turn, ply as u32);
        }
        if depth <= 0 || ply >= MAX_PLY {
            self.guesses += 1;
            return self.position.evaluate();
        }
        let pv = beta - alpha > 1;
        let key = self.position.key();
        let found = self.shared.table.probe(key);
        let mut table_move = Move::NONE;
        if let Some((entry, old)) = found {
            table_move = entry.mv;
            let stored = at_ply::<S>(entry.value, ply);
            if old {
                self.shared.reused.fetch_add(1, Ordering::Relaxed);
            }
            if !pv && let Some(certain) = cutoff::<S>(&entry, stored, alpha, beta, depth) {
                self.guesses += u64::from(!certain);
                return stored;
            }
        }

        let mut frame = std::mem::take(&mut self.frames[ply]);
        frame.moves.clear();
        frame.scores.clear();
        let complete = self.position.candidates(&mut frame.moves);
        self.score(&mut frame, turn, table_move, depth);
        // To the end of the game nothing is reduced, so that the result can be certain.
        let to_the_end = depth as u32 >= self.position.horizon();
        if frame.moves.len() == 1 && complete && ply < MAX_PLY / 2 {
            depth += 1;
        }

        let guesses = self.guesses;
        let old_alpha = alpha;
        let mut best = -value::INFINITE;
        let mut best_move = Move::NONE;
        for i in 0..frame.moves.len() {
            let mv = pick(&mut frame, i);
            let undo = self.position.play(mv);
            let mut value;
            if i == 0 {
                value = self.child(turn, alpha, beta, depth - 1, ply + 1);
            } else {
                let less = if to_the_end || depth < 3 || i < 3 { 0 } else { reduction(depth, i, pv) };
                value = self.child(turn, alpha, alpha + 1, depth - 1 - less, ply + 1);
                if value > alpha && less > 0 {
                    value = self.child(turn, alpha, alpha + 1, depth - 1, ply + 1);
                }
                if value > alpha && value < beta {
                    value = self.child(turn, alpha, beta, depth - 1, ply + 1);
                }
            }
            self.position.undo(mv, undo);
            if self.aborted {
                self.frames[ply] = frame;
                return 0;
            }
            if value > best {
                (best, best_move) = (value, mv);
                if pv && (value > alpha || i == 0) {
                    frame.line.clear();
                    frame.line.push(mv);
                    frame.line.extend_from_slice(&self.frames[ply + 1].line);
                }
            }
            if value > alpha {
                alpha = value;
                if alpha >= beta {
                    self.reward(&mut frame, turn, mv, i, depth);
                    break;
                }
            }
        }
        if !complete && best < value::PROVEN {
            self.guesses += 1;
            best = best.max(value::SEEMS_LOST);
        }
        let solved = self.guesses == guesses;
        let bound = if best >= beta {
            Bound::Lower
        } else if best > old_alpha {
            Bound::Exact
        } else {
            Bound::Upper
        };
        if bound == Bound::Upper {
            best_move = Move::NONE;
        }
        let depth = if solved { SOLVED } else { depth.clamp(0, i32::from(SOLVED) - 1) as u8 };
        let value = from_ply::<S>(best, ply);
        self.shared.table.store(key, Entry { mv: best_move, value, depth, bound, generation: 0 });
        self.frames[ply] = frame;
        best
    }

    /// Gives every move of the frame its ordering score.
    fn score(&mut self, frame: &mut Frame, turn: Color, table_move: Move, depth: i32) {
        if depth >= ORDER_DEPTH {
            self.position.order(&frame.moves, &mut frame.scores);
        } else {
            frame.scores.resize(frame.moves.len(), 0);
        }
        for (mv, score) in frame.moves.iter().zip(&mut frame.scores) {
            if *mv == table_move {
                *score = i32::MAX;
                continue;
            }
            *score += self.history[history_index(turn, *mv)];
            if frame.killers.contains(&Some(*mv)) {
                *score += KILLER;
            }
        }
    }

    /// Remembers a move that refuted the position, and holds the moves tried before it against them.
    fn reward(&mut self, frame: &mut Frame, turn: Color, mv: Move, tried: usize, depth: i32) {
        if frame.killers[0] != Some(mv) {
            frame.killers[1] = frame.killers[0];
            frame.killers[0] = Some(mv);
        }
        let bonus = (depth * depth).min(64);
        let mut learn = |mv: Move, bonus: i32| {
            let score = &mut self.history[history_index(turn, mv)];
            *score += bonus - *score * bonus.abs() / HISTORY_MAX;
        };
        learn(mv, bonus);
        for &mv in &frame.moves[..tried] {
            learn(mv, -bonus / 2);
        }
    }

    fn report(&self, multipv: usize) -> Report {
        let lines = self.roots.iter().take(multipv).enumerate();
        let lines = lines.filter(|(i, root)| *i == 0 || root.value > -value::INFINITE).map(|(_, root)| {
            // That all the moves tried lose proves nothing while others were left out.
            let least = if self.complete { -value::INFINITE + 1 } else { value::SEEMS_LOST };
            let known = root.value.clamp(least, value::INFINITE);
            let certain =
                value::proven(known, self.side).or((self.solved && known == 0).then_some(Outcome::Draw));
            let exact = self.solved && certain.is_some();
            Line {
                moves: root.line.clone(),
                winrate: value::chance(known, S::SCALE),
                score: match (certain, S::MARGINS) {
                    (None, _) => known.clamp(-EVAL_MAX, EVAL_MAX),
                    (Some(Outcome::Draw), _) => 0,
                    (Some(_), true) => (known.abs() - value::MARGIN) * S::UNIT * known.signum(),
                    (Some(_), false) => S::UNIT * known.signum(),
                },
                proven: certain,
                margin: (S::MARGINS && exact).then(|| match certain {
                    Some(Outcome::Draw) => 0,
                    _ => (known.abs() - value::MARGIN) * known.signum(),
                }),
                visits: None,
                prior: None,
            }
        });
        Report {
            refuted: false,
            lines: lines.collect(),
            nodes: self.shared.nodes.load(Ordering::Relaxed) + self.nodes - self.flushed,
            depth: self.depth,
            elapsed: self.shared.watch.elapsed(),
            reused: self.shared.reused.load(Ordering::Relaxed),
            memory: self.shared.table.bytes(),
        }
    }
}

/// Whether a stored value decides the window, and if so whether it is certain.
///
/// A win proven at a limited depth says nothing of better wins, so in a game of margins it bounds the
/// value from below only, and a loss from above only.
fn cutoff<S: Knowledge>(entry: &Entry, stored: i32, alpha: i32, beta: i32, depth: i32) -> Option<bool> {
    let (lower, upper) = (entry.bound != Bound::Upper, entry.bound != Bound::Lower);
    let (low, high) = (lower && stored >= beta, upper && stored <= alpha);
    let solved = entry.depth == SOLVED;
    let exact = entry.bound == Bound::Exact;
    let certain = (low && (solved || stored >= value::PROVEN))
        || (high && (solved || stored <= -value::PROVEN))
        || (exact && (solved || (!S::MARGINS && stored.abs() >= value::PROVEN)));
    if certain {
        return Some(true);
    }
    (i32::from(entry.depth) >= depth && (exact || low || high)).then_some(false)
}

/// A win's distance counts from the root in the search and from the node in the table.
fn from_ply<S: Knowledge>(value: i32, ply: usize) -> i32 {
    if S::MARGINS || value.abs() < value::PROVEN { value } else { value + value.signum() * ply as i32 }
}

fn at_ply<S: Knowledge>(value: i32, ply: usize) -> i32 {
    if S::MARGINS || value.abs() < value::PROVEN { value } else { value - value.signum() * ply as i32 }
}

fn history_index(turn: Color, mv: Move) -> usize {
    let slot = random::mix(u64::from(mv.raw())) as usize & (HISTORY - 1);
    turn.index() * HISTORY + slot
}

/// Plies a late move is searched less deep: grows with the logarithms of depth and rank.
fn reduction(depth: i32, rank: usize, pv: bool) -> i32 {
    let less = ((rank as u32 + 1).ilog2() * (depth as u32).ilog2() / 3) as i32;
    (less - i32::from(pv)).clamp(0, depth - 2)
}

/// Brings the best of the moves from `i` on to place `i`.
fn pick(frame: &mut Frame, i: usize) -> Move {
    let mut best = i;
    for j in i + 1..frame.moves.len() {
        if frame.scores[j] > frame.scores[best] {
            best = j;
        }
    }
    frame.moves.swap(i, best);
    frame.scores.swap(i, best);
    frame.moves[i]
}
