//! Monte Carlo tree search: PUCT selection (Rosin 2011; Silver et al. 2016) with priors from the
//! game's move ordering, leaves valued by playouts or by the static evaluation, and results proven in
//! the tree backed up as certain (Winands, Bjornsson, Saito 2008).
//!
//! The tree outlives the search: the next one looks for its root in it, by content.

mod tree;

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use crate::game::{Color, Knowledge, Leaf, Move, Outcome, Rng, random};

use super::{Limits, Line, Query, Report, Searcher, StopAtEnd, Watch, value};
use tree::{Node, Tree};

/// How much worse than its parent an unvisited move is taken to be.
const FIRST_PLAY_REDUCTION: f32 = 0.12;
/// Result, for the side to move, of a position in which all moves that were tried lose, but not all
/// moves were tried.
const SEEMS_LOST: f32 = 0.02;
/// The chief thread looks at the clock every so many iterations.
const CLOCK_STRIDE: u64 = 8;
/// And asks whether the choice can still change every so many.
const DECISION_STRIDE: u64 = 128;
/// A tree with fewer free nodes makes room before a search whose root has no children yet.
const ROOM_FOR_ROOT: usize = 1 << 10;
/// Visits after which a search ends rather than overflow its counters.
const MOST_VISITS: u32 = 1 << 31;
/// Nodes after which the speed of a search is known.
const RATE_NODES: u64 = 1024;
/// Longest line reported.
const LONGEST_LINE: usize = 64;

/// The searcher and its tree.
#[derive(Debug)]
pub struct Mcts {
    tree: Tree,
    mib: u64,
}

impl Mcts {
    /// A searcher whose tree takes at most `mib` MiB. Allocates nothing before the first search.
    #[must_use]
    pub fn new(mib: u64) -> Mcts {
        Mcts { tree: Tree::new(mib << 20), mib }
    }
}

impl<S: Knowledge> Searcher<S> for Mcts {
    fn search(&mut self, root: &S, query: Query<'_>) -> Report {
        let watch = Watch::new(&query);
        if !self.tree.reroot(root.key()) {
            self.tree.plant(root.key(), root.turn());
        }
        let reused = u64::from(self.tree.node(self.tree.root()).visits());
        // Making room takes its time, more the more is kept; a search that is about to end goes on
        // without growing the tree instead.
        let late = || {
            let part = query.limits.budget.map(|budget| budget.soft.mul_f64(0.7));
            query.control.stopped() || part.is_some_and(|part| watch.elapsed() >= part)
        };
        // What earlier moves left behind goes before the search; little is kept then.
        let rootless = !self.tree.node(self.tree.root()).expanded();
        if self.tree.room() < if rootless { ROOM_FOR_ROOT } else { self.tree.capacity() / 4 } {
            self.tree.compact(&|| !rootless && late());
        }
        let nodes = AtomicU64::new(0);
        let mut reports = Reports { next: query.interval, multipv: query.multipv };
        let mut frozen = false;
        loop {
            let full = AtomicBool::new(false);
            let shared = Shared { tree: &self.tree, root, nodes: &nodes, full: &full, frozen, watch: &watch };
            let state = |lines| report::<S>(&shared, root.turn(), lines, reused);
            let mut chief = Worker::new(&shared, query.seed);
            chief.prepare_root();
            std::thread::scope(|scope| {
                for number in 1..query.threads {
                    let (shared, seed) = (&shared, query.seed);
                    scope.spawn(move || {
                        let mut worker = Worker::new(shared, random::mix(seed ^ number as u64));
                        while !shared.ended() {
                            worker.count_and_iterate();
                        }
                    });
                }
                // However the chief ends, by a panic too, the others must not go on.
                let others = StopAtEnd(query.control);
                chief.lead(&query.limits, &mut |elapsed| {
                    if reports.due(elapsed, query.interval) {
                        (query.on_report)(&state(reports.multipv));
                    }
                });
                if full.load(Ordering::Relaxed) && !std::thread::panicking() {
                    std::mem::forget(others);
                }
            });
            if watch.check(nodes.load(Ordering::Relaxed)) {
                return state(query.multipv);
            }
            let room = self.tree.room();
            self.tree.compact(&late);
            frozen = self.tree.room() <= room;
        }
    }

    fn clear(&mut self) {
        self.tree = Tree::new(self.mib << 20);
    }

    fn set_hash(&mut self, mib: u64) {
        if mib != self.mib {
            self.mib = mib;
            self.tree = Tree::new(mib << 20);
        }
    }
}

struct Reports {
    next: Option<Duration>,
    multipv: usize,
}

impl Reports {
    fn due(&mut self, elapsed: Duration, interval: Option<Duration>) -> bool {
        match (self.next, interval) {
            (Some(next), Some(interval)) if elapsed >= next => {
                self.next = Some(elapsed + interval);
                true
            }
            _ => false,
        }
    }
}

struct Shared<'a, S> {
    tree: &'a Tree,
    root: &'a S,
    nodes: &'a AtomicU64,
    full: &'a AtomicBool,
    /// Whether the tree may not be made room in: a full one stays as it is then.
    frozen: bool,
    watch: &'a Watch<'a>,
}

impl<S> Shared<'_, S> {
    fn ended(&self) -> bool {
        self.watch.control.stopped() || (!self.frozen && self.full.load(Ordering::Relaxed))
    }
}

/// A thread's own position, buffers and random numbers.
struct Worker<'a, S: Knowledge> {
    shared: &'a Shared<'a, S>,
    position: S,
    path: Vec<(u32, Color)>,
    undo: Vec<(Move, S::Undo)>,
    moves: Vec<Move>,
    scores: Vec<i32>,
    weighted: Vec<(Move, f32)>,
    rng: Rng,
}

/// What the selection found among the children of a node.
enum Choice {
    /// Go on to this child.
    Child(u32),
    /// A move wins, or every move is known: the node is proven.
    Proof(Outcome),
    /// Every move that was tried loses, but not all were tried.
    SeemsLost,
}

impl<'a, S: Knowledge> Worker<'a, S> {
    fn new(shared: &'a Shared<'a, S>, seed: u64) -> Worker<'a, S> {
        Worker {
            shared,
            position: shared.root.clone(),
            path: Vec::with_capacity(256),
            undo: Vec::with_capacity(256),
            moves: Vec::with_capacity(512),
            scores: Vec::with_capacity(512),
            weighted: Vec::with_capacity(512),
            rng: random::rng(seed),
        }
    }

    /// Gives the root its children, so that even the shortest search has a move.
    fn prepare_root(&mut self) {
        let node = self.shared.tree.node(self.shared.tree.root());
        if !node.expanded() && self.shared.tree.claim(node) && !self.expand(node) {
            self.shared.full.store(true, Ordering::Relaxed);
        }
    }

    /// Searches until a limit is reached, watching the clock for everybody.
    fn lead(&mut self, limits: &Limits, on_clock: &mut dyn FnMut(Duration)) {
        let root = self.shared.tree.root();
        let mut count = 0_u64;
        while !self.shared.ended() {
            self.count_and_iterate();
            count += 1;
            let nodes = self.shared.nodes.load(Ordering::Relaxed);
            if count.is_multiple_of(CLOCK_STRIDE) {
                if self.shared.watch.check(nodes) {
                    return;
                }
                on_clock(self.shared.watch.elapsed());
            }
            if self.shared.tree.node(root).proof().is_some()
                || self.shared.tree.node(root).visits() >= MOST_VISITS
                || (count % DECISION_STRIDE == 1 && !limits.endless && self.decided(limits, nodes))
                || limits
                    .depth
                    .is_some_and(|depth| count.is_multiple_of(DECISION_STRIDE) && self.main_line() >= depth)
            {
                self.shared.watch.control.end();
            }
        }
    }

    /// Whether the move can no longer change, or the time for it is up.
    fn decided(&self, limits: &Limits, nodes: u64) -> bool {
        let (_, children) = self.shared.tree.children(self.shared.tree.node(self.shared.tree.root()));
        let mut open = children.iter().filter(|child| !matches!(child.proof(), Some(Outcome::Win(_))));
        if open.by_ref().nth(1).is_none() {
            return true;
        }
        if limits.nodes.is_none() && limits.budget.is_none() {
            return false;
        }
        let (mut first, mut second) = (0_u64, 0_u64);
        let mut best_mean = 0.0_f32;
        let mut first_mean = 0.0_f32;
        for child in children {
            let visits = u64::from(child.visits());
            if visits > first {
                second = first;
                first = visits;
                first_mean = child.mean();
            } else if visits > second {
                second = visits;
            }
            if visits > 0 && visits * 4 > first {
                best_mean = best_mean.max(child.mean());
            }
        }
        let mut still = limits.nodes.map_or(u64::MAX, |most| most.saturating_sub(nodes));
        if let Some(budget) = limits.budget {
            let elapsed = self.shared.watch.elapsed();
            // A move that is not the best by value any more gets the time to be overtaken.
            let settled = first_mean >= best_mean;
            let end = if settled { budget.soft } else { budget.hard };
            if elapsed >= end {
                return true;
            }
            // The first nodes say nothing about the speed: with a tree that was kept, one slow node would
            // end the search before it has begun.
            if nodes < RATE_NODES {
                return false;
            }
            let rate = nodes as f64 / elapsed.as_secs_f64().max(1e-6);
            still = still.min((rate * (end - elapsed).as_secs_f64()) as u64);
        }
        first - second > still
    }

    /// Length of the main line.
    fn main_line(&self) -> u32 {
        let tree = self.shared.tree;
        let mut node = tree.node(tree.root());
        let mut length = 0;
        while let Some(best) = tree.children(node).1.iter().max_by_key(|child| child.visits())
            && best.visits() > 0
        {
            node = best;
            length += 1;
        }
        length
    }

    fn count_and_iterate(&mut self) {
        let before = self.shared.nodes.fetch_add(1, Ordering::Relaxed);
        if self.shared.watch.limits.nodes.is_some_and(|most| before >= most) {
            self.shared.nodes.fetch_sub(1, Ordering::Relaxed);
            self.shared.watch.control.end();
            return;
        }
        self.iterate();
    }

    /// One walk from the root to a leaf and back.
    fn iterate(&mut self) {
        let tree = self.shared.tree;
        let mut index = tree.root();
        let mut node = tree.node(index);
        node.enter();
        self.path.clear();
        self.path.push((index, !self.position.turn()));
        // Black's result.
        let result = loop {
            if index != tree.root()
                && let Some(outcome) = node.proof()
            {
                break of_outcome(outcome);
            }
            if !node.expanded() {
                if node.visits() <= S::EXPAND_VISITS && index != tree.root() {
                    break self.leaf();
                }
                if !tree.claim(node) {
                    break self.leaf();
                }
                if !self.expand(node) {
                    self.shared.full.store(true, Ordering::Relaxed);
                    break self.leaf();
                }
            }
            let turn = self.position.turn();
            match self.choose(node, turn) {
                Choice::Proof(outcome) => {
                    node.prove(outcome);
                    break of_outcome(outcome);
                }
                Choice::SeemsLost => break for_black(turn, SEEMS_LOST),
                Choice::Child(next) => {
                    let child = tree.node(next);
                    child.enter();
                    let mv = child.mv();
                    let undo = self.position.play(mv);
                    self.undo.push((mv, undo));
                    self.path.push((next, turn));
                    if !child.seen() {
                        if let Some(outcome) = self.position.outcome() {
                            child.prove(outcome);
                        }
                        child.see(self.position.key(), self.position.turn());
                    }
                    (index, node) = (next, child);
                }
            }
        };
        for &(index, mover) in &self.path {
            tree.node(index).add(for_black(mover, result));
        }
        while let Some((mv, undo)) = self.undo.pop() {
            self.position.undo(mv, undo);
        }
    }

    /// Black's result of the present position, an unfinished one.
    fn leaf(&mut self) -> f32 {
        match S::LEAF {
            Leaf::Playout => self.position.clone().playout(&mut self.rng),
            Leaf::Static => {
                let chance = value::chance(self.position.evaluate(), S::SCALE);
                for_black(self.position.turn(), chance)
            }
        }
    }

    /// Makes the children of a claimed node, best prior first. `false` when the memory is used up.
    fn expand(&mut self, node: &Node) -> bool {
        self.moves.clear();
        self.scores.clear();
        self.weighted.clear();
        let complete = self.position.candidates(&mut self.moves);
        self.position.order(&self.moves, &mut self.scores);
        let best = self.scores.iter().copied().max().unwrap_or(0);
        let mut total = 0.0;
        for (&mv, &score) in self.moves.iter().zip(&self.scores) {
            let weight = weight(best.saturating_sub(score));
            total += weight;
            self.weighted.push((mv, weight));
        }
        for (_, weight) in &mut self.weighted {
            *weight /= total;
        }
        self.weighted.sort_by(|a, b| b.1.total_cmp(&a.1));
        self.shared.tree.expand(node, &self.weighted, complete)
    }

    fn choose(&self, node: &Node, turn: Color) -> Choice {
        let tree = self.shared.tree;
        let (first, children) = tree.children(node);
        let mover = self.path.last().map_or(turn, |&(_, mover)| mover);
        let mean = if node.visits() > 1 { node.mean() } else { 0.5 };
        let parent = if mover == turn { mean } else { 1.0 - mean };
        let unvisited = (parent - FIRST_PLAY_REDUCTION).max(0.0);
        let spread = S::EXPLORATION * (node.visits() as f32).sqrt();
        let mut best = None;
        let mut best_score = f32::MIN;
        let mut drawn = false;
        let mut open = false;
        for (i, child) in children.iter().enumerate() {
            match child.proof() {
                Some(Outcome::Win(winner)) if winner == turn => return Choice::Proof(Outcome::Win(turn)),
                Some(Outcome::Win(_)) => continue,
                Some(Outcome::Draw) => drawn = true,
                None => open = true,
            }
            let visits = child.visits();
            let mean = if visits == 0 { unvisited } else { child.mean() };
            let score = mean + spread * child.prior() / (1 + visits) as f32;
            if score > best_score {
                (best, best_score) = (Some(first + i as u32), score);
            }
            // Priors fall from here on, so nothing behind an unvisited move can be better.
            if visits == 0 {
                break;
            }
        }
        match best {
            _ if !open && !node.partial() => {
                Choice::Proof(if drawn { Outcome::Draw } else { Outcome::Win(!turn) })
            }
            Some(child) => Choice::Child(child),
            None => Choice::SeemsLost,
        }
    }
}

fn of_outcome(outcome: Outcome) -> f32 {
    match outcome {
        Outcome::Win(Color::Black) => 1.0,
        Outcome::Win(Color::White) => 0.0,
        Outcome::Draw => 0.5,
    }
}

/// Black's result from one side's, and the other way round.
fn for_black(side: Color, result: f32) -> f32 {
    if side == Color::Black { result } else { 1.0 - result }
}

/// `e^(-deficit / 100)`, from products alone, so that it is the same on every machine.
fn weight(deficit: i32) -> f32 {
    const LENGTH: usize = 1_200;
    const TABLE: [f32; LENGTH] = {
        let mut table = [0.0; LENGTH];
        let mut power = 1.0_f64;
        let mut i = 0;
        while i < LENGTH {
            table[i] = power as f32;
            power *= 0.990_049_833_749_168;
            i += 1;
        }
        table
    };
    TABLE[(deficit.max(0) as usize).min(LENGTH - 1)]
}

/// The children best first: proven wins, then by visits, proven losses last. Stable, so that ties go
/// to the better prior.
fn ranked(tree: &Tree, node: &Node, turn: Color) -> Vec<u32> {
    let (first, children) = tree.children(node);
    let mut order: Vec<u32> = (0..children.len() as u32).collect();
    let rank = |i: &u32| {
        let child = &children[*i as usize];
        let class = match child.proof() {
            Some(Outcome::Win(winner)) if winner == turn => 2,
            Some(Outcome::Win(_)) => 0,
            _ => 1,
        };
        (class, child.visits())
    };
    order.sort_by_key(|i| std::cmp::Reverse(rank(i)));
    order.iter().map(|i| first + i).collect()
}

fn report<S: Knowledge>(shared: &Shared<'_, S>, turn: Color, multipv: usize, reused: u64) -> Report {
    let tree = shared.tree;
    let root = tree.node(tree.root());
    let mut lines = Vec::new();
    for (number, first) in ranked(tree, root, turn).into_iter().take(multipv.max(1)).enumerate() {
        let child = tree.node(first);
        if number > 0 && child.visits() == 0 {
            break;
        }
        let mut moves = vec![child.mv()];
        let mut node = child;
        while moves.len() < LONGEST_LINE
            && let Some(&next) = ranked(tree, node, node.turn()).first()
            && tree.node(next).visits() > 0
        {
            node = tree.node(next);
            moves.push(node.mv());
        }
        let proven = child.proof().or_else(|| root.proof().filter(|_| number == 0));
        let winrate = match proven {
            Some(outcome) => for_black(turn, of_outcome(outcome)),
            None if child.visits() == 0 => 0.5,
            None => child.mean(),
        };
        lines.push(Line {
            moves,
            winrate,
            score: match proven {
                Some(Outcome::Win(winner)) => {
                    if winner == turn {
                        S::UNIT
                    } else {
                        -S::UNIT
                    }
                }
                _ => value::evaluation(winrate, S::SCALE),
            },
            proven,
            margin: None,
            visits: Some(u64::from(child.visits())),
            prior: Some(child.prior()),
        });
    }
    Report {
        refuted: false,
        depth: lines.first().map_or(0, |line| line.moves.len() as u32),
        lines,
        nodes: shared.nodes.load(Ordering::Relaxed),
        elapsed: shared.watch.elapsed(),
        reused,
        memory: tree.bytes(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_are_the_exponential() {
        for deficit in [0, 1, 50, 100, 700] {
            assert!((weight(deficit) - (-f64::from(deficit) / 100.0).exp() as f32).abs() < 1e-5);
        }
        assert_eq!(weight(-5), 1.0);
    }
}
