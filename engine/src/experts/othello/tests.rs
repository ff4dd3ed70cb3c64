//! The search against plain ways to find the same.

use std::time::Instant;

use super::probcut;
use super::root::Expert;
use super::table::Table;
use super::thread::split::Pool;
use super::thread::{Shared, Thread};
use super::{Code, MAX_SCORE, Node, SELECTIVITY_NONE, final_score, stability};
use crate::game::random::{self, Rng};
use crate::game::{Game as _, Move, Outcome};
use crate::games::othello::Othello;
use crate::games::othello::board::{Shape, Standard, squares};
use crate::games::othello::kernel::{Isa, Portable, with_isa};
use crate::games::othello::pattern::Features;
use crate::search::{Control, Goal, Limits, Query, Report, Searcher, Stopwatch, Watch};

/// A position after random moves with that many empty squares, if the game lasts so long.
fn played(rng: &mut Rng, empty: u32) -> Option<Othello<Standard>> {
    let mut position = Othello::<Standard>::start();
    while position.empty().count_ones() > empty {
        position.outcome().is_none().then_some(())?;
        let mobility = position.mobility();
        let choice = random::below(rng, mobility.count_ones().max(1)) as usize;
        position.play(squares(mobility).nth(choice).map_or(Move::PASS, Move::new));
    }
    position.outcome().is_none().then_some(position)
}

fn positions(seed: u64, count: usize, empty: u32) -> Vec<Othello<Standard>> {
    let mut rng = random::rng(seed);
    std::iter::repeat_with(|| played(&mut rng, empty)).flatten().take(count).collect()
}

/// The score by trying everything.
fn plain(own: u64, opp: u64, alpha: i32, beta: i32) -> i32 {
    let moves = Standard::mobility(own, opp);
    if moves == 0 {
        return if Standard::mobility(opp, own) == 0 {
            final_score(own, opp)
        } else {
            -plain(opp, own, -beta, -alpha)
        };
    }
    let mut best = -MAX_SCORE;
    for square in squares(moves) {
        let flips = Standard::flips(own, opp, square);
        let value = -plain(opp ^ flips, own ^ flips ^ 1 << square, -beta, -alpha.max(best));
        best = best.max(value);
        if best >= beta {
            break;
        }
    }
    best
}

fn with_thread<T>(run: impl FnOnce(&mut Thread<'_>) -> T) -> T {
    let (table, margins, control) = (Table::new(1 << 20), probcut::Table::new(), Control::default());
    let mut ignored = |_: &Report| {};
    let query = query(&control, &mut ignored);
    let watch = Watch::new(&query);
    let shared = Shared { table: &table, margins: &margins, watch: &watch, pool: Pool::default() };
    run(&mut Thread::new(&shared))
}

fn query<'a>(control: &'a Control, on_report: &'a mut dyn FnMut(&Report)) -> Query<'a> {
    Query {
        limits: Limits { endless: true, ..Limits::default() },
        control,
        started: Stopwatch::wall(Instant::now()),
        threads: 1,
        multipv: 1,
        seed: 0,
        goal: Goal::Move,
        interval: None,
        on_report,
    }
}

fn report(expert: &mut Expert, root: &Othello<Standard>, change: impl FnOnce(&mut Query<'_>)) -> Report {
    let control = Control::default();
    let mut ignored = |_: &Report| {};
    let mut query = query(&control, &mut ignored);
    change(&mut query);
    expert.search(root, query)
}

#[test]
fn kernels_of_this_processor_agree_with_the_portable_ones() {
    fn same<I: Isa>(position: &Othello<Standard>) {
        let (own, opp) = (position.own(), position.opp());
        assert_eq!(I::mobility(own, opp), Portable::mobility(own, opp), "{position:?}");
        let features = Features::of(own, opp);
        for square in squares(position.empty()) {
            let flips = Standard::flips(own, opp, square);
            assert_eq!(I::flips(square, own, opp), flips, "{square} in {position:?}");
            if flips != 0 {
                let after = Features::of(opp ^ flips, own ^ flips ^ 1 << square);
                assert_eq!(I::after(&features, square, flips), after, "{square} in {position:?}");
                assert_eq!(Portable::after(&features, square, flips), after);
            }
        }
        assert_eq!(I::swapped(&features), Features::of(opp, own));
    }
    for empty in [2, 9, 20, 33, 45, 55] {
        for position in positions(u64::from(empty), 60, empty) {
            with_isa!(I => same::<I>(&position));
            #[cfg(target_arch = "x86_64")]
            if std::arch::is_x86_feature_detected!("avx2") {
                same::<crate::games::othello::kernel::Avx2>(&position);
            }
        }
    }
}

#[test]
fn stable_discs_are_never_turned_over() {
    let mut found = 0;
    for (number, start) in positions(4, 400, 16).into_iter().enumerate() {
        let mut rng = random::rng(number as u64);
        let stable = stability::stable(start.own(), start.opp());
        found += stable.count_ones();
        for _ in 0..30 {
            let mut position = start;
            while position.outcome().is_none() {
                let mobility = position.mobility();
                let choice = random::below(&mut rng, mobility.count_ones().max(1)) as usize;
                position.play(squares(mobility).nth(choice).map_or(Move::PASS, Move::new));
            }
            let own = if position.turn() == start.turn() { position.own() } else { position.opp() };
            assert_eq!(stable & !own, 0, "{start:?}");
        }
    }
    assert!(found > 1_000, "some discs must be seen as stable, not {found}");
}

#[test]
fn bounds_of_the_endgame_search_hold_in_every_window() {
    fn check<I: Code>(thread: &mut Thread<'_>, position: &Othello<Standard>, windows: &[(i32, i32)]) {
        let (own, opp) = (position.own(), position.opp());
        let score = plain(own, opp, -MAX_SCORE, MAX_SCORE);
        for &(alpha, beta) in windows {
            let value = I::endgame(thread, own, opp, alpha, beta);
            let right = if value <= alpha {
                score <= value
            } else if value >= beta {
                score >= value
            } else {
                score == value
            };
            assert!(right, "{value} for {score} in {alpha}..{beta} of {position:?}");
        }
    }
    let windows = [(-64, 64), (-1, 1), (3, 4), (-20, -19), (-9, 30), (39, 40), (-64, -40)];
    for empty in 1..=9 {
        let count = if empty < 8 { 150 } else { 25 };
        for position in positions(100 + u64::from(empty), count, empty) {
            with_thread(|thread| with_isa!(I => check::<I>(thread, &position, &windows)));
            with_thread(|thread| check::<Portable>(thread, &position, &windows[1..4]));
        }
    }
}

#[test]
fn searches_to_the_end_are_exact_with_and_without_evaluation() {
    fn value<I: Code>(thread: &mut Thread<'_>, own: u64, opp: u64) -> (i32, i32) {
        let node = Node::new(own, opp);
        let whole = I::search(thread, &node, -MAX_SCORE, MAX_SCORE, 60, SELECTIVITY_NONE);
        (whole, I::endgame(thread, own, opp, -MAX_SCORE, MAX_SCORE))
    }
    for position in positions(7, 12, 10).into_iter().chain(positions(8, 3, 11)) {
        let (own, opp) = (position.own(), position.opp());
        let score = plain(own, opp, -MAX_SCORE, MAX_SCORE);
        let found = with_thread(|thread| with_isa!(I => value::<I>(thread, own, opp)));
        assert_eq!(found, (score, score), "{position:?}");
    }
}

/// Two solvers of one program share much, but not the order: evaluation, table and threads here,
/// mobility alone there.
#[test]
fn solved_positions_agree_with_the_endgame_search_and_their_lines_are_played_out() {
    let mut expert = Expert::new(16);
    for (number, position) in positions(11, 24, 17).into_iter().enumerate() {
        let (own, opp) = (position.own(), position.opp());
        let score = with_thread(|thread| with_isa!(I => I::endgame(thread, own, opp, -MAX_SCORE, MAX_SCORE)));
        let solved = report(&mut expert, &position, |query| {
            query.goal = Goal::Exact;
            query.threads = 1 + number % 3;
            query.multipv = 1 + number % 2;
        });
        let line = &solved.lines[0];
        assert_eq!(line.margin, Some(score), "{position:?}");
        let mut replayed = position;
        for &mv in &line.moves {
            assert!(replayed.is_legal(mv), "{mv:?} in {replayed:?}");
            replayed.play(mv);
        }
        assert!(replayed.outcome().is_some(), "the line goes to the end");
        let end = if replayed.turn() == position.turn() { replayed.score() } else { -replayed.score() };
        assert_eq!(end, score);

        let sign = report(&mut expert, &position, |query| query.goal = Goal::Result);
        let outcome = match score {
            0 => Outcome::Draw,
            1.. => Outcome::Win(position.turn()),
            _ => Outcome::Win(!position.turn()),
        };
        assert_eq!((sign.lines[0].proven, sign.lines[0].margin), (Some(outcome), None));
    }
}

#[test]
fn every_move_gets_a_line_of_its_own() {
    let position = positions(21, 1, 40)[0];
    let count = position.mobility().count_ones() as usize;
    let mut expert = Expert::new(4);
    let found = report(&mut expert, &position, |query| {
        query.limits.depth = Some(6);
        query.multipv = 64;
    });
    assert_eq!(found.lines.len(), count);
    assert!(found.lines.is_sorted_by(|a, b| a.score >= b.score));
    assert!(found.lines.iter().all(|line| line.proven.is_none() && line.moves.len() > 1));
}

#[test]
fn a_pass_at_the_root_is_searched() {
    let mut expert = Expert::new(1);
    let passes: Vec<_> = positions(31, 400, 12).into_iter().filter(|p| p.mobility() == 0).take(5).collect();
    assert_eq!(passes.len(), 5);
    for position in passes {
        let solved = report(&mut expert, &position, |query| query.goal = Goal::Exact);
        let score = -with_thread(
            |thread| with_isa!(I => I::endgame(thread, position.opp(), position.own(), -MAX_SCORE, MAX_SCORE)),
        );
        assert_eq!((solved.lines[0].moves[0], solved.lines[0].margin), (Move::PASS, Some(score)));
        let shallow = report(&mut expert, &position, |query| query.limits.depth = Some(4));
        assert_eq!(shallow.lines[0].moves[0], Move::PASS);
    }
}

#[test]
fn node_limits_give_the_same_search_every_time() {
    let position = positions(41, 1, 30)[0];
    for nodes in [1, 50, 1_000, 30_000] {
        let run = || {
            let found = report(&mut Expert::new(2), &position, |query| query.limits.nodes = Some(nodes));
            (found.nodes, found.lines)
        };
        let (first, again) = (run(), run());
        assert_eq!(first, again, "{nodes} nodes");
        assert!(!first.1.is_empty() && first.0 <= nodes + 2_000, "{} of {nodes}", first.0);
    }
}
