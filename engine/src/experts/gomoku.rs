//! Gomoku: a threat solver in front of the general search, where a solution is asked for.
//!
//! * [`vcf`]: victory by continuous fours.

pub mod vcf;

use crate::game::{Game, Knowledge, Outcome};
use crate::games::gomoku::GomokuSearch;
use crate::search::alphabeta::AlphaBeta;
use crate::search::{Goal, Line, Query, Report, Searcher, Watch};
use vcf::{Answer, Solver};

/// Part of the time and nodes of a general solution that the fours may take, at most.
const SHARE: u32 = 8;

/// The searcher of Gomoku.
#[derive(Debug)]
pub struct Expert {
    general: AlphaBeta,
    fours: Solver,
}

impl Expert {
    /// A searcher whose table takes `mib` MiB. Allocates with the first search.
    #[must_use]
    pub fn new(mib: u64) -> Expert {
        Expert { general: AlphaBeta::new(mib), fours: Solver::new() }
    }

    /// What the fours of the side to move come to; they are all that is asked for, or they are tried before
    /// a general solution.
    fn solve(&mut self, root: &GomokuSearch, query: &Query<'_>) -> Answer {
        let watch = Watch::new(query);
        if query.goal == Goal::Fours {
            return self.fours.solve(root, &mut |nodes| watch.check(nodes));
        }
        let most = query.limits.nodes.map_or(u64::MAX, |nodes| nodes / u64::from(SHARE));
        let time = query.limits.budget.map(|budget| budget.hard / SHARE);
        self.fours.solve(root, &mut |nodes| {
            nodes > most || watch.stopped() || time.is_some_and(|time| watch.elapsed() > time)
        })
    }

    fn report(&self, root: &GomokuSearch, query: &Query<'_>, answer: Answer) -> Report {
        let refuted = answer == Answer::No;
        let lines: Vec<Line> = match answer {
            Answer::Win { line, .. } => vec![Line {
                moves: line,
                winrate: 1.0,
                score: GomokuSearch::UNIT,
                proven: Some(Outcome::Win(root.turn())),
                margin: None,
                visits: None,
                prior: None,
            }],
            Answer::No | Answer::Unknown => Vec::new(),
        };
        Report {
            depth: lines.first().map_or(0, |line| line.moves.len() as u32),
            lines,
            nodes: self.fours.nodes(),
            elapsed: query.started.elapsed(),
            reused: 0,
            memory: self.fours.bytes(),
            refuted,
        }
    }
}

impl Searcher<GomokuSearch> for Expert {
    fn search(&mut self, root: &GomokuSearch, query: Query<'_>) -> Report {
        // To look for fours before each search for a move was no gain: 124-8-136 against the general search
        // alone, which finds the short ones and shares what it learns.
        if query.goal != Goal::Move {
            let answer = self.solve(root, &query);
            if query.goal == Goal::Fours || matches!(answer, Answer::Win { .. }) {
                return self.report(root, &query, answer);
            }
        }
        self.general.search(root, query)
    }

    fn clear(&mut self) {
        Searcher::<GomokuSearch>::clear(&mut self.general);
        self.fours.clear();
    }

    fn set_hash(&mut self, mib: u64) {
        Searcher::<GomokuSearch>::set_hash(&mut self.general, mib);
    }
}
