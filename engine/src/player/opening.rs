//! Openings of Gomoku by search: the steps of the rule swap2, and moves that balance a position.
//!
//! A step takes the time or the nodes of one move. Candidates come by lot and are valued by short
//! searches; those nearest to the wanted value are looked at again, longer.

use std::time::Duration;

use super::{Ask, Found, Weakness, first_move, infos};
use crate::game::random::{Rng, below};
use crate::game::{Cell, Color, Knowledge, Move, Outcome, Point, Rules};
use crate::games::gomoku::opening;
use crate::games::{GameId, Record, Referee};
use crate::options::Options;
use crate::protocol::{Info, Opening};
use crate::search::{Budget, Control, Goal, Limits, Query, Report, Searcher, Stopwatch, value};

/// How far the winning chance of either side in a proposed opening is from one half, at most, by the
/// search that chose it. When nothing is left to search with before one is found, the nearest one seen is
/// proposed.
pub const WINDOW: f32 = 0.1;
/// A side that is better by less is not worth choosing: two more stones are put instead.
const EVEN: f32 = 0.03;
/// Balance good enough to end the search for a better one.
const BALANCED: f32 = 0.01;
/// Openings, or pairs of moves, drawn by lot.
const DRAWN: usize = 24;
/// How often openings are drawn anew while none is balanced: a limit of depth alone ends no search of
/// searches.
const ROUNDS: usize = 8;
/// Single moves looked at.
const SINGLE: usize = 64;
/// Candidates that are looked at again.
const FINAL: usize = 4;

/// How many black and white stones stand on the board.
fn stones<R: Rules>(position: &R) -> (usize, usize) {
    let count = |color| {
        let cells = position.geometry().points_from_top();
        cells.filter(|&point| position.cell(point) == Cell::Stone(color)).count()
    };
    (count(Color::Black), count(Color::White))
}

/// See [`Player::opens`](super::Player::opens).
pub(super) fn allowed<R: Rules>(record: &Record<R>, opening: Opening) -> Result<(), &'static str> {
    let position = record.position();
    if record.setup().game != GameId::Gomoku {
        return Err("only gomoku has openings");
    }
    if record.ending().is_some() {
        return Err("the game is over");
    }
    match opening {
        Opening::Swap2 => match (stones(position), position.turn()) {
            ((0, 0), Color::Black) | ((2, 1) | (3, 2), Color::White) => Ok(()),
            _ => Err("swap2 needs a board of no, three or five stones"),
        },
        Opening::Balance { moves, .. } if position.horizon() <= u32::from(moves) => {
            Err("there is no room for so many moves")
        }
        Opening::Balance { .. } => Ok(()),
    }
}

/// Moves and what they are worth to the side that is to move at the root.
struct Valued {
    moves: Vec<Move>,
    chance: f32,
}

/// The searches for one step.
pub(super) struct Study<'a, R: Rules> {
    record: &'a Record<R>,
    searcher: &'a mut dyn Searcher<R::Searched>,
    seed: u64,
    limits: Limits,
    control: &'a Control,
    started: Stopwatch,
    threads: usize,
    /// Of all searches so far: their nodes, and depth and memory of the last.
    nodes: u64,
    depth: u32,
    memory: u64,
}

impl<'a, R: Rules> Study<'a, R> {
    pub(super) fn new(
        record: &'a Record<R>,
        searcher: &'a mut dyn Searcher<R::Searched>,
        options: &Options,
        ask: &'a Ask<'_>,
    ) -> Study<'a, R> {
        let mut limits = ask.limits;
        if let Some(weakness) = Weakness::of_level(options.level).filter(|_| ask.weaken) {
            limits.nodes = Some(limits.nodes.map_or(weakness.nodes, |nodes| nodes.min(weakness.nodes)));
        }
        Study {
            record,
            searcher,
            seed: options.seed,
            limits,
            control: ask.control,
            started: ask.started,
            threads: ask.threads,
            nodes: 0,
            depth: 0,
            memory: 0,
        }
    }

    /// Takes the step.
    pub(super) fn step(mut self, opening: Opening, rng: &mut Rng) -> Found {
        let position = self.record.position().clone();
        match opening {
            Opening::Balance { moves, percent } => {
                let candidates = match moves {
                    1 => self.single(rng),
                    _ => self.pairs(rng),
                };
                let best = self.nearest(candidates, f32::from(percent) / 100.0, BALANCED, 1, None);
                self.found(best)
            }
            Opening::Swap2 => match stones(&position) {
                (0, _) => {
                    let best = self.propose(rng);
                    self.found(best)
                }
                // With three stones the second half of the time is for the other choice.
                (2, _) => self.choose(2, rng),
                _ => self.choose(1, rng),
            },
        }
    }

    /// Chooses a side where White is to move: the swap, White's move, or, with `share` 2 and no side
    /// better than the other, two more stones that leave the choice to the opponent.
    fn choose(&mut self, share: u32, rng: &mut Rng) -> Found {
        let report = self.search(self.record.position(), share, false);
        let chance = report.lines.first().map_or(0.5, |line| line.winrate);
        if share > 1 && (chance - 0.5).abs() < EVEN && !self.over() {
            let pairs = self.pairs(rng);
            if !pairs.is_empty() {
                let best = self.nearest(pairs, 0.5, BALANCED, share, None);
                return self.found(best);
            }
        }
        let mv = report.lines.first().map(|line| first_move(self.record, line));
        Found {
            best: mv,
            opening: mv.filter(|_| chance >= 0.5).into_iter().collect(),
            lines: infos(self.record, &report, 1),
            ..self.figures()
        }
    }

    /// Three stones, drawn until they are balanced or nothing is left to search with.
    fn propose(&mut self, rng: &mut Rng) -> Option<Valued> {
        let mut best = None;
        for _ in 0..ROUNDS {
            let candidates = self.proposals(rng);
            best = self.nearest(candidates, 0.5, WINDOW, 1, best);
            let balanced = |best: &Valued| (best.chance - 0.5).abs() <= WINDOW;
            if self.over() || best.as_ref().is_some_and(balanced) {
                break;
            }
        }
        best
    }

    /// Three stones each.
    fn proposals(&self, rng: &mut Rng) -> Vec<Vec<Move>> {
        let position = self.record.position();
        let size = position.geometry().width;
        let drawn = (0..DRAWN).map(|_| opening::three(size, rng));
        drawn.filter_map(|points| points.iter().map(|&point| position.move_of(&[point])).collect()).collect()
    }

    /// The legal moves near other stones, or all where there are none, in an order by lot.
    fn shuffled(position: &R, rng: &mut Rng) -> Vec<Move> {
        let mut moves = Vec::new();
        position.moves(&mut moves);
        let taken: Vec<Point> = position
            .geometry()
            .points_from_top()
            .filter(|&point| position.cell(point) != Cell::Empty)
            .collect();
        let mut close = moves.clone();
        close.retain(|&mv| {
            position.points(mv).iter().any(|&point| taken.iter().any(|&other| opening::near(point, other)))
        });
        let mut moves = if close.is_empty() { moves } else { close };
        for i in (1..moves.len()).rev() {
            moves.swap(i, below(rng, i as u32 + 1) as usize);
        }
        moves
    }

    fn single(&self, rng: &mut Rng) -> Vec<Vec<Move>> {
        Self::shuffled(self.record.position(), rng).into_iter().take(SINGLE).map(|mv| vec![mv]).collect()
    }

    /// Two moves each, after which the game goes on.
    fn pairs(&self, rng: &mut Rng) -> Vec<Vec<Move>> {
        let mut pairs = Vec::new();
        let firsts = Self::shuffled(self.record.position(), rng);
        for &first in firsts.iter().cycle().take(DRAWN) {
            let mut position = self.record.position().clone();
            position.play(first);
            if position.outcome().is_none()
                && let Some(&second) = Self::shuffled(&position, rng).first()
            {
                pairs.push(vec![first, second]);
            }
        }
        pairs
    }

    /// The candidate after which the chance of the side now to move is nearest to `target`, or the first
    /// one found whose chance is within `tolerance` of it; `known` was looked at twice before. Takes
    /// `1 / share` of the time.
    fn nearest(
        &mut self,
        candidates: Vec<Vec<Move>>,
        target: f32,
        tolerance: f32,
        share: u32,
        known: Option<Valued>,
    ) -> Option<Valued> {
        let away = |valued: &Valued| (valued.chance - target).abs();
        let parts = 2 * share * candidates.len() as u32;
        let mut best = known;
        let mut seen: Vec<Valued> = Vec::new();
        for moves in candidates {
            if self.over() && (best.is_some() || !seen.is_empty()) {
                break;
            }
            let chance = self.chance(&moves, parts, true);
            seen.push(Valued { moves, chance });
        }
        seen.sort_by(|a, b| away(a).total_cmp(&away(b)));
        for mut valued in seen.into_iter().take(FINAL) {
            if self.over() {
                // What was seen only in passing stands behind what was looked at twice.
                return best.or(Some(valued));
            }
            valued.chance = self.chance(&valued.moves, 2 * share * FINAL as u32, false);
            let found = away(&valued) <= tolerance;
            if best.as_ref().is_none_or(|best| away(&valued) < away(best)) {
                best = Some(valued);
            }
            if found {
                break;
            }
        }
        best
    }

    /// The chance of the side now to move after these moves.
    fn chance(&mut self, moves: &[Move], parts: u32, quick: bool) -> f32 {
        let side = self.record.position().turn();
        let mut position = self.record.position().clone();
        for &mv in moves {
            position.play(mv);
        }
        match position.outcome() {
            Some(Outcome::Draw) => 0.5,
            Some(Outcome::Win(winner)) => f32::from(u8::from(winner == side)),
            None => {
                let report = self.search(&position, parts, quick);
                let chance = report.lines.first().map_or(0.5, |line| line.winrate);
                if position.turn() == side { chance } else { 1.0 - chance }
            }
        }
    }

    /// A search that takes one of `parts` of what the step may take.
    fn search(&mut self, position: &R, parts: u32, quick: bool) -> Report {
        let left = |hard: Duration| hard.saturating_sub(self.started.elapsed());
        let limits = Limits {
            nodes: self.limits.nodes.map(|nodes| (nodes / u64::from(parts)).max(1)),
            depth: self.limits.depth.map(|depth| if quick { depth.div_ceil(2) } else { depth }),
            budget: self.limits.budget.map(|budget| {
                let part = (budget.soft / parts).min(left(budget.hard));
                Budget::new(part, part)
            }),
            endless: false,
        };
        self.control.again();
        let report = self.searcher.search(
            &position.searched(),
            Query {
                limits,
                control: self.control,
                started: self.started.anew(),
                threads: self.threads,
                multipv: 1,
                seed: self.seed,
                goal: Goal::Move,
                interval: None,
                on_report: &mut |_| {},
            },
        );
        self.nodes += report.nodes;
        self.depth = report.depth;
        self.memory = report.memory;
        report
    }

    /// Whether no further search is to begin.
    fn over(&self) -> bool {
        self.control.asked()
            || self.limits.nodes.is_some_and(|most| self.nodes >= most)
            || self.limits.budget.is_some_and(|budget| self.started.elapsed() >= budget.soft)
    }

    fn figures(&self) -> Found {
        Found {
            nodes: self.nodes,
            depth: self.depth,
            elapsed: self.started.elapsed(),
            memory: self.memory,
            ..Found::default()
        }
    }

    fn found(&self, best: Option<Valued>) -> Found {
        let figures = self.figures();
        let Some(Valued { moves, chance }) = best else { return figures };
        let mut position = self.record.position().clone();
        let mut pv = Vec::new();
        for &mv in &moves {
            pv.push(position.move_text(mv));
            position.play(mv);
        }
        let seconds = figures.elapsed.as_secs_f64().max(1e-6);
        let line = Info {
            depth: figures.depth,
            nodes: figures.nodes,
            nps: (figures.nodes as f64 / seconds) as u64,
            time: figures.elapsed,
            winrate: chance,
            score: value::evaluation(chance, R::Searched::SCALE) as f32 / R::Searched::UNIT as f32,
            multipv: 1,
            pv,
            ..Info::default()
        };
        Found { best: moves.first().copied(), opening: moves, lines: vec![line], ..figures }
    }
}

#[cfg(test)]
mod tests;
