//! The root of a search: iterative deepening, several lines, limits, and the check of what is called
//! proven.

use std::time::{Duration, Instant};

use super::book;
use super::probcut;
use super::table::{Table, hash};
use super::thread::split::{self, Pool};
use super::thread::{Shared, Thread};
use super::{Code, MAX_SCORE, NO_SQUARE, Node, SELECTIVITY_NONE, final_score, stability};
use crate::game::{Game as _, Knowledge, Move, Outcome};
use crate::games::othello::Othello;
use crate::games::othello::board::Standard;
use crate::games::othello::kernel::with_isa;
use crate::games::othello::pattern::{self, UNIT};
use crate::search::{
    Budget, Control, Goal, Limits, Line, Query, Report, Searcher, StopAtEnd, Stopwatch, Watch, value,
};

/// Positions of at most so many empty squares are solved at once, without shallower searches before.
const AT_ONCE: u32 = 10;
/// Plies between the deepest midgame search and a search to the end: nearer to the end the
/// latter costs no more.
const TO_THE_END: u32 = 10;
/// Selectivity of the only search to the end before the exact one, where a solution is asked for. A
/// player's search passes through all levels, to have something better at hand whenever its time is over;
/// for FFO 40 to 44 the others cost 15 % of the nodes, for 20 to 39 20 %.
const BEFORE_EXACT: u32 = 2;

/// The searcher of 8x8 Othello.
#[derive(Debug)]
pub struct Expert {
    mib: u64,
    table: Option<Table>,
    margins: probcut::Table,
}

impl Expert {
    /// A searcher whose table takes `mib` MiB. Allocates it with the first search.
    #[must_use]
    pub fn new(mib: u64) -> Expert {
        // Decoding them takes tens of milliseconds, which the first move cannot spare.
        let _ = (pattern::weights(), book::book());
        stability::prepare();
        Expert { mib, table: None, margins: probcut::Table::new() }
    }

    /// Searches a position without some of its moves, which must leave one; also gives the last iteration.
    pub(super) fn run(
        &mut self,
        root: &Othello<Standard>,
        without: &[Move],
        query: Query<'_>,
    ) -> (Report, Effort) {
        let table = self.table.get_or_insert_with(|| Table::new(self.mib << 20));
        table.begin();
        let margins = &self.margins;
        with_isa!(I => run::<I>(table, margins, root, without, query))
    }
}

impl Expert {
    /// Values in discs for the side to move by searches of 0 to `depth` plies with nothing cut off
    /// without proof; a depth of at least the number of empty squares is a solution. For calibrating
    /// the [`probcut`].
    #[must_use]
    pub fn values(&mut self, position: &Othello<Standard>, depth: u32) -> Vec<i32> {
        fn all<I: Code>(thread: &mut Thread<'_>, node: &Node, depth: u32) -> Vec<i32> {
            let value = |depth| I::search(thread, node, -MAX_SCORE, MAX_SCORE, depth, SELECTIVITY_NONE);
            (0..=depth).map(value).collect()
        }
        let table = self.table.get_or_insert_with(|| Table::new(self.mib << 20));
        table.begin();
        let control = Control::default();
        let mut ignored = |_: &Report| {};
        let query = Query {
            limits: Limits::default(),
            control: &control,
            started: Stopwatch::wall(Instant::now()),
            threads: 1,
            multipv: 1,
            seed: 0,
            goal: Goal::Exact,
            interval: None,
            on_report: &mut ignored,
        };
        let watch = Watch::new(&query);
        let shared = Shared { table, margins: &self.margins, watch: &watch, pool: Pool::default() };
        let node = Node::new(position.own(), position.opp());
        with_isa!(I => all::<I>(&mut Thread::new(&shared), &node, depth))
    }
}

impl Searcher<Othello<Standard>> for Expert {
    fn search(&mut self, root: &Othello<Standard>, query: Query<'_>) -> Report {
        self.run(root, &[], query).0
    }

    fn known(&self, root: &Othello<Standard>, loss: u32, seed: u64) -> Option<(Report, usize)> {
        book::book().play(root, loss, seed)
    }

    fn clear(&mut self) {
        self.table = None;
    }

    fn set_hash(&mut self, mib: u64) {
        if mib != self.mib {
            *self = Expert::new(mib);
        }
    }
}

/// Lets the helpers go when the chief ends, by a panic too.
struct CloseAtEnd<'a>(&'a Pool);

impl Drop for CloseAtEnd<'_> {
    fn drop(&mut self) {
        self.0.close();
    }
}

fn run<I: Code>(
    table: &Table,
    margins: &probcut::Table,
    root: &Othello<Standard>,
    without: &[Move],
    query: Query<'_>,
) -> (Report, Effort) {
    let watch = Watch::new(&query);
    let shared = Shared { table, margins, watch: &watch, pool: Pool::default() };
    let shared = &shared;
    std::thread::scope(|scope| {
        for _ in 1..query.threads {
            scope.spawn(|| split::help::<I>(&mut Thread::new(shared)));
        }
        let _others = StopAtEnd(query.control);
        let _pool = CloseAtEnd(&shared.pool);
        let mut chief = Chief::new::<I>(shared, &watch, root, without, &query);
        let report = chief.deepen::<I>(query);
        (report, chief.done)
    })
}

/// A move at the root.
#[derive(Clone, Debug)]
struct RootMove {
    mv: Move,
    child: Node,
    /// For the side to move at the root, in discs.
    value: i32,
    /// Whether `value` is the result of perfect play.
    exact: bool,
    /// Squares that follow, as far as known.
    line: Vec<Move>,
}

/// How deep and how surely one iteration looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Effort {
    pub(super) depth: u32,
    pub(super) selectivity: u32,
}

impl std::fmt::Display for Effort {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let percent = probcut::PERCENT[self.selectivity as usize % probcut::PERCENT.len()];
        write!(f, "depth {} at {percent} %", self.depth)
    }
}

struct Chief<'a> {
    thread: Thread<'a>,
    watch: &'a Watch<'a>,
    position: Othello<Standard>,
    empty: u32,
    goal: Goal,
    /// Greatest depth.
    most: u32,
    roots: Vec<RootMove>,
    done: Effort,
    /// Nodes up to the end of the last iteration.
    nodes: u64,
}

impl<'a> Chief<'a> {
    fn new<I: Code>(
        shared: &'a Shared<'a>,
        watch: &'a Watch<'a>,
        position: &Othello<Standard>,
        without: &[Move],
        query: &Query<'_>,
    ) -> Chief<'a> {
        let thread = Thread::new(shared);
        let mut moves = Vec::new();
        position.moves(&mut moves);
        moves.retain(|mv| !without.contains(mv));
        let mut roots: Vec<RootMove> = moves
            .into_iter()
            .map(|mv| {
                let mut next = *position;
                next.play(mv);
                let child = Node::new(next.own(), next.opp());
                let value = if next.outcome().is_some() {
                    -final_score(child.own, child.opp)
                } else {
                    -thread.evaluate::<I>(&child)
                };
                RootMove { mv, child, value, exact: false, line: vec![mv] }
            })
            .collect();
        roots.sort_by_key(|root| std::cmp::Reverse(root.value));
        Chief {
            thread,
            watch,
            position: *position,
            empty: position.empty().count_ones(),
            goal: query.goal,
            most: query.limits.depth.unwrap_or(u32::MAX).max(1),
            roots,
            done: Effort { depth: 1, selectivity: 0 },
            nodes: 0,
        }
    }

    /// Whether a first search to the end is likely to be through within the limits.
    ///
    /// It takes about 54,000 nodes with 14 empty squares and 1.42 times as many for each more (geometric
    /// means over positions after 8 games from XOT openings, 14 to 24 empty squares; the longest took
    /// seven times the mean).
    fn reaches_the_end(&self, limits: &Limits) -> bool {
        if self.most < self.empty {
            return false;
        }
        if limits.endless || self.goal != Goal::Move {
            return true;
        }
        let wanted = 100_000.0 * 1.42_f64.powi(self.empty as i32 - 14);
        let done = self.nodes as f64;
        let left = limits.nodes.map_or(f64::INFINITY, |nodes| nodes as f64 - done);
        let in_time = limits.budget.map_or(f64::INFINITY, |budget| {
            // Near the end nodes are cheaper than in the midgame, about twice.
            let elapsed = self.watch.elapsed().as_secs_f64();
            2.0 * done / elapsed.max(1e-3) * (budget.hard.as_secs_f64() - elapsed)
        });
        wanted <= left.min(in_time)
    }

    /// The next iteration after `done`, none after an exact one.
    fn next(&self, done: Option<Effort>, limits: &Limits) -> Option<Effort> {
        let end = |selectivity| Some(Effort { depth: self.empty, selectivity });
        let Some(done) = done else {
            return if self.empty <= AT_ONCE.min(self.most) {
                end(SELECTIVITY_NONE)
            } else {
                Some(Effort { depth: 1, selectivity: 0 })
            };
        };
        if done.depth >= self.empty {
            let next = if self.goal == Goal::Move { done.selectivity + 1 } else { SELECTIVITY_NONE };
            return if done.selectivity >= SELECTIVITY_NONE { None } else { end(next) };
        }
        if done.depth + 1 >= self.empty
            || (done.depth + TO_THE_END >= self.empty && self.reaches_the_end(limits))
        {
            return end(if self.goal == Goal::Move { 0 } else { BEFORE_EXACT });
        }
        Some(Effort { depth: done.depth + 1, selectivity: 0 })
    }

    fn deepen<I: Code>(&mut self, query: Query<'_>) -> Report {
        let Query { limits, multipv, interval, on_report, .. } = query;
        let wanted = multipv.clamp(1, self.roots.len().max(1));
        let mut reported = Duration::ZERO;
        let mut stable = 0_u32;
        let mut effort = self.next(None, &limits);
        while let Some(now) = effort {
            if now.depth > self.most {
                break;
            }
            let before = self.roots[0].mv;
            let last = self.roots.clone();
            for rank in 0..wanted {
                self.aspire::<I>(now, rank);
                if self.thread.stop {
                    self.fall_back(last, rank, wanted);
                    return self.report(wanted);
                }
            }
            self.done = now;
            self.nodes = self.thread.total();
            log::debug!("{} empty, {now}: {} nodes, value {}", self.empty, self.nodes, self.roots[0].value);
            if now.depth >= self.empty && now.selectivity == SELECTIVITY_NONE && !self.prove::<I>(wanted) {
                return self.report(wanted);
            }
            let elapsed = self.watch.elapsed();
            if interval.is_some_and(|interval| elapsed >= reported + interval) {
                reported = elapsed;
                on_report(&self.report(wanted));
            }
            stable = if self.roots[0].mv == before { stable + 1 } else { 0 };
            effort = self.next(Some(now), &limits);
            if !limits.endless
                && self.goal == Goal::Move
                && (self.roots.len() == 1
                    || effort.is_some_and(|next| !self.affordable(next, limits.budget, stable)))
            {
                break;
            }
        }
        self.report(wanted)
    }

    /// Whether an iteration is worth its time.
    fn affordable(&self, _next: Effort, budget: Option<Budget>, stable: u32) -> bool {
        let Some(budget) = budget else { return true };
        if budget.soft == budget.hard {
            return true;
        }
        let part = match stable {
            0 => 1.0,
            1..=2 => 0.65,
            _ => 0.45,
        };
        self.watch.elapsed() < budget.soft.mul_f64(part)
    }

    /// After an iteration that was broken off at `rank`: a better move it has found stands, all others
    /// are as the last iteration left them.
    fn fall_back(&mut self, last: Vec<RootMove>, rank: usize, wanted: usize) {
        let found = (rank == 0 && wanted == 1).then(|| self.roots[0].clone());
        self.roots = last;
        if let Some(found) = found
            && found.value > -i32::MAX
            && let Some(place) = self.roots.iter().position(|root| root.mv == found.mv)
        {
            self.roots.remove(place);
            self.roots.insert(0, found);
        }
    }

    /// Searches the root moves from `rank` on, in a window around the last value that opens where it
    /// fails.
    fn aspire<I: Code>(&mut self, effort: Effort, rank: usize) {
        let end = effort.depth >= self.empty;
        let (least, most) = if self.goal == Goal::Result { (-1, 1) } else { (-MAX_SCORE, MAX_SCORE) };
        let guess = self.roots[rank].value.clamp(least, most);
        let mut width = if end { 1 + i32::from(guess % 2 != 0) } else { 3 };
        let (mut alpha, mut beta) = if effort.depth <= 3 {
            (least, most)
        } else {
            ((guess - width).max(least), (guess + width).min(most))
        };
        if alpha >= beta {
            (alpha, beta) = if alpha >= most { (most - 1, most) } else { (least, least + 1) };
        }
        loop {
            let best = self.window::<I>(effort, alpha, beta, rank);
            if self.thread.stop {
                return;
            }
            // Bounds of an exact search hold; selective ones may contradict each other, so their window
            // only ever opens.
            let exact = end && effort.selectivity == SELECTIVITY_NONE;
            width = if width > MAX_SCORE / 4 { 2 * MAX_SCORE } else { 2 * width };
            if best <= alpha && alpha > least {
                alpha = (best - width).max(least);
                beta = if exact { (best + 1).clamp(alpha + 1, most) } else { beta };
            } else if best >= beta && beta < most {
                beta = (best + width).min(most);
                alpha = if exact { (best - 1).clamp(least, beta - 1) } else { alpha };
            } else {
                return;
            }
        }
    }

    /// One search of the root moves from `rank` on; leaves them sorted.
    fn window<I: Code>(&mut self, effort: Effort, alpha: i32, beta: i32, rank: usize) -> i32 {
        let Effort { depth, selectivity } = effort;
        let mut best = -i32::MAX;
        for i in rank..self.roots.len() {
            let child = self.roots[i].child.clone();
            // A pass is no ply of depth.
            let depth = if self.roots[i].mv == Move::PASS { depth } else { depth - 1 };
            let low = alpha.max(best);
            let mut search = |alpha: i32, beta: i32| {
                -I::search(&mut self.thread, &child, -beta, -alpha, depth, selectivity)
            };
            let mut value =
                if i == rank || beta - low <= 1 { search(low, beta) } else { search(low, low + 1) };
            if i > rank && value > low && value < beta && beta - low > 1 && !self.thread.stop {
                value = self.again::<I>(&child, value - 1, beta, depth, selectivity);
            }
            if self.thread.stop {
                // What was not searched stays behind what was.
                for root in &mut self.roots[i..] {
                    root.value = -i32::MAX;
                }
                self.roots[rank..].sort_by_key(|root| std::cmp::Reverse(root.value));
                return best;
            }
            let better = value > best;
            if i == rank || (better && value > low) {
                self.roots[i].line = self.line(i);
            }
            self.roots[i].exact = depth >= child.empty()
                && selectivity == SELECTIVITY_NONE
                && value > alpha
                && value < beta
                && better;
            self.roots[i].value = if i == rank || better { value } else { -i32::MAX };
            best = best.max(value);
            if best >= beta {
                for root in &mut self.roots[i + 1..] {
                    root.value = -i32::MAX;
                }
                break;
            }
        }
        self.roots[rank..].sort_by_key(|root| std::cmp::Reverse(root.value));
        best
    }

    fn again<I: Code>(&mut self, child: &Node, alpha: i32, beta: i32, depth: u32, selectivity: u32) -> i32 {
        -I::search(&mut self.thread, child, -beta, -alpha, depth, selectivity)
    }

    /// The line of a root move, as far as the table knows it.
    fn line(&self, i: usize) -> Vec<Move> {
        let root = &self.roots[i];
        let mut line = vec![root.mv];
        let mut position = self.position;
        position.play(root.mv);
        while line.len() < 64 && position.outcome().is_none() {
            let mv = if position.mobility() == 0 {
                Move::PASS
            } else {
                let (own, opp) = (position.own(), position.opp());
                match self.thread.table.probe(hash(own, opp), own, opp) {
                    Some(entry) if entry.moves[0] != NO_SQUARE => Move::new(u32::from(entry.moves[0])),
                    _ => break,
                }
            };
            if !position.is_legal(mv) {
                break;
            }
            line.push(mv);
            position.play(mv);
        }
        line
    }

    /// Replays the lines of an exact search and checks that each ends with the score it promises. When
    /// one does not, nothing stays exact; `false` then, and when the search is to stop.
    fn prove<I: Code>(&mut self, wanted: usize) -> bool {
        for rank in 0..wanted {
            let root = self.roots[rank].clone();
            let mut line = vec![root.mv];
            match self.replay::<I>(&root.child, -root.value, &mut line) {
                Some(true) => {
                    let proven = &mut self.roots[rank];
                    proven.line = line;
                    proven.exact = true;
                }
                Some(false) => {
                    log::error!("the line of a solved position does not reach its score of {}", root.value);
                    for root in &mut self.roots {
                        root.exact = false;
                    }
                    return false;
                }
                None => {
                    // Out of time: the score stands, the line is as far as it got.
                    return true;
                }
            }
        }
        true
    }

    /// Follows moves that keep the score to the end. `None` when the search is to stop.
    fn replay<I: Code>(&mut self, node: &Node, score: i32, line: &mut Vec<Move>) -> Option<bool> {
        let mut node = node.clone();
        let mut score = score;
        let wld = self.goal == Goal::Result;
        loop {
            let mut moves = I::mobility(node.own, node.opp);
            if moves == 0 {
                if I::mobility(node.opp, node.own) == 0 {
                    let end = final_score(node.own, node.opp);
                    return Some(if wld { end.signum() == score.signum() } else { end == score });
                }
                node = node.passed::<I>();
                score = -score;
                line.push(Move::PASS);
                continue;
            }
            let empty = node.empty();
            let best = self
                .thread
                .table
                .probe(hash(node.own, node.opp), node.own, node.opp)
                .map_or(NO_SQUARE, |entry| entry.moves[0]);
            // The value is known, so one bound is enough; when lost by whatever score, nothing is needed.
            let enough = if wld { score.signum() } else { score };
            let certain = wld && score < 0;
            let first = if best != NO_SQUARE && moves >> best & 1 != 0 { 1 << best } else { 0 };
            moves &= !first;
            let mut next = None;
            for mut set in [first, moves] {
                while set != 0 && next.is_none() {
                    let square = set.trailing_zeros();
                    set &= set - 1;
                    let child = node.after::<I>(square, I::flips(square, node.own, node.opp));
                    let good = certain || {
                        let value = -I::search(
                            &mut self.thread,
                            &child,
                            -enough,
                            1 - enough,
                            empty - 1,
                            SELECTIVITY_NONE,
                        );
                        if self.thread.stop {
                            return None;
                        }
                        value >= enough
                    };
                    next = good.then_some((square, child));
                }
            }
            let Some((square, child)) = next else { return Some(false) };
            line.push(Move::new(square));
            node = child;
            score = -score;
        }
    }

    fn report(&mut self, wanted: usize) -> Report {
        let side = self.position.turn();
        let line = |root: &RootMove| {
            let value = root.value.clamp(-MAX_SCORE, MAX_SCORE);
            let proven = root.exact.then(|| match value {
                0 => Outcome::Draw,
                1.. => Outcome::Win(side),
                _ => Outcome::Win(!side),
            });
            let winrate = match proven {
                Some(Outcome::Draw) => 0.5,
                Some(Outcome::Win(winner)) => f32::from(u8::from(winner == side)),
                None => value::chance(value * UNIT, Othello::<Standard>::SCALE),
            };
            Line {
                moves: root.line.clone(),
                winrate,
                score: value * UNIT,
                proven,
                margin: (root.exact && self.goal != Goal::Result).then_some(value),
                visits: None,
                prior: None,
            }
        };
        let lines = self.roots.iter().take(wanted).map(line).collect();
        Report {
            refuted: false,
            lines,
            nodes: self.thread.total(),
            depth: self.done.depth,
            elapsed: self.watch.elapsed(),
            reused: self.thread.reused,
            memory: self.thread.table.bytes(),
        }
    }
}
