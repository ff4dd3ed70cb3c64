//! The steps of openings, by real searches.

use std::time::Instant;

use super::*;
use crate::games::Setup;
use crate::player::{Player, open};

fn player(setup: &str, moves: &str) -> Box<dyn Player> {
    let mut player = open(Setup::parse(setup.split(' ')).unwrap()).unwrap();
    for text in moves.split_ascii_whitespace() {
        let mv = player.referee().parse_move(text).unwrap();
        player.referee_mut().play(None, mv).unwrap();
    }
    player
}

fn limited(nodes: u64) -> Limits {
    Limits { nodes: Some(nodes), ..Limits::default() }
}

fn found(player: &mut dyn Player, limits: Limits, step: Opening, seed: u64) -> (Vec<String>, Found) {
    let ask = Ask {
        limits,
        control: &Control::default(),
        started: Stopwatch::wall(Instant::now()),
        threads: 1,
        goal: Goal::Move,
        weaken: true,
        interval: None,
        on_info: &mut |_| {},
    };
    let options = Options { seed, ..Options::default() };
    let found = player.open(&options, ask, step, 0);
    let referee = player.referee();
    (found.opening.iter().map(|&mv| referee.move_text(mv)).collect(), found)
}

fn step(player: &mut dyn Player, nodes: u64, step: Opening, seed: u64) -> Vec<String> {
    found(player, limited(nodes), step, seed).0
}

/// The value of the position by a search of its own, for the side to move.
fn value(player: &mut dyn Player, nodes: u64) -> f32 {
    let ask = Ask {
        limits: limited(nodes),
        control: &Control::default(),
        started: Stopwatch::wall(Instant::now()),
        threads: 1,
        goal: Goal::Move,
        weaken: false,
        interval: None,
        on_info: &mut |_| {},
    };
    player.search(&Options::default(), ask).lines[0].winrate
}

#[test]
fn proposed_openings_are_balanced_and_vary() {
    let mut all = std::collections::BTreeSet::new();
    for (setup, seeds) in
        [("gomoku", 0..6), ("gomoku size 20", 6..8), ("gomoku rules standard", 8..11), ("renju", 11..13)]
    {
        for seed in seeds {
            let mut fresh = player(setup, "");
            let (stones, found) = found(&mut *fresh, limited(40_000), Opening::Swap2, seed);
            assert_eq!(stones.len(), 3);
            assert!((found.lines[0].winrate - 0.5).abs() <= WINDOW, "{setup} {seed}: {found:?}");
            // Another search, a few times as long as the one that chose it.
            let mut played = player(setup, &stones.join(" "));
            let chance = value(&mut *played, 20_000);
            assert!((chance - 0.5).abs() <= 0.2, "{setup} {seed}: {stones:?} {chance}");
            all.insert(stones);
        }
    }
    assert_eq!(all.len(), 13, "{all:?}");
}

/// Short searches see the chances so differently that the best four of a draw often miss the window.
#[test]
fn an_opening_out_of_balance_is_proposed_though_more_could_be_drawn() {
    for depth in 1..4 {
        for seed in 0..40 {
            let limits = Limits { depth: Some(depth), ..Limits::default() };
            let (stones, found) = found(&mut *player("gomoku", ""), limits, Opening::Swap2, seed);
            assert_eq!(stones.len(), 3);
            assert!((found.lines[0].winrate - 0.5).abs() <= WINDOW, "{depth} {seed}: {found:?}");
        }
    }
}

#[test]
fn a_draw_that_was_not_looked_at_twice_does_not_replace_one_that_was() {
    let mut owner = player("gomoku", "");
    let referee = owner.referee_mut();
    let moves: Vec<Move> = ["h8", "a1", "i8"].iter().map(|text| referee.parse_move(text).unwrap()).collect();
    let control = Control::default();
    control.stop();
    let ask = Ask {
        limits: limited(1),
        control: &control,
        started: Stopwatch::wall(Instant::now()),
        threads: 1,
        goal: Goal::Move,
        weaken: false,
        interval: None,
        on_info: &mut |_| {},
    };
    let start = crate::games::gomoku::Gomoku::new(15, crate::games::gomoku::Rule::Freestyle);
    let record = Record::new(Setup::parse(["gomoku"]).unwrap(), start);
    let mut searcher = crate::search::alphabeta::AlphaBeta::new(1);
    let mut study = Study::new(&record, &mut searcher, &Options::default(), &ask);
    let known = Valued { moves: moves.clone(), chance: 0.9 };
    let best = study.nearest(vec![moves[..1].to_vec()], 0.5, WINDOW, 1, Some(known)).unwrap();
    assert_eq!((best.moves, best.chance), (moves, 0.9));
}

#[test]
fn a_better_side_is_chosen() {
    // Black threatens an open four, or has nothing while White does.
    let swap = step(&mut *player("gomoku", "h8 a1 i8"), 20_000, Opening::Swap2, 1);
    assert!(swap.is_empty(), "{swap:?}");
    let stay = step(&mut *player("gomoku", "a1 h8 o15"), 20_000, Opening::Swap2, 1);
    assert_eq!(stay.len(), 1);
    let swap = step(&mut *player("gomoku", "h8 a1 i8 o15 j8"), 20_000, Opening::Swap2, 1);
    assert!(swap.is_empty(), "{swap:?}");
    let stay = step(&mut *player("gomoku", "a1 h8 o15 i9 o1"), 20_000, Opening::Swap2, 1);
    assert_eq!(stay.len(), 1);
}

#[test]
fn an_even_opening_is_handed_back_with_two_more_stones() {
    let pair = (0..40).find_map(|seed| {
        let stones = step(&mut *player("gomoku", ""), 40_000, Opening::Swap2, seed);
        let answer = step(&mut *player("gomoku", &stones.join(" ")), 40_000, Opening::Swap2, seed);
        (answer.len() == 2).then_some((stones, answer))
    });
    let (stones, pair) = pair.expect("one of forty balanced openings is even");
    let mut five = player("gomoku", &format!("{} {}", stones.join(" "), pair.join(" ")));
    assert!(five.opens(Opening::Swap2).is_ok());
    assert!(step(&mut *five, 20_000, Opening::Swap2, 0).len() <= 1);
}

#[test]
fn moves_that_balance_come_near_the_wanted_value() {
    let balance = |moves, percent| Opening::Balance { moves, percent };
    let mut centre = player("gomoku", "h8 i9 i8");
    let (one, even) = found(&mut *centre, limited(60_000), balance(1, 50), 3);
    assert_eq!(one.len(), 1);
    assert!((even.lines[0].winrate - 0.5).abs() < 0.15, "{even:?}");
    let (two, even) = found(&mut *centre, limited(60_000), balance(2, 50), 3);
    assert_eq!(two.len(), 2);
    assert!((even.lines[0].winrate - 0.5).abs() < 0.15, "{even:?}");
    let (_, bad) = found(&mut *centre, limited(60_000), balance(1, 20), 3);
    assert!(bad.lines[0].winrate < even.lines[0].winrate);
}

#[test]
fn a_step_takes_no_longer_than_a_move_and_stops_at_once() {
    let budget = Budget::new(Duration::from_millis(200), Duration::from_millis(400));
    let timed = Limits { budget: Some(budget), ..Limits::default() };
    for moves in ["", "h8 i9 j7", "h8 i9 j7 g7 k9"] {
        let (_, found) = found(&mut *player("gomoku", moves), timed, Opening::Swap2, 1);
        // A step that ends by itself ends in a fraction of this on a busy machine too.
        assert!(found.elapsed < Duration::from_secs(30), "{moves}: {:?}", found.elapsed);
    }
    let control = Control::default();
    control.stop();
    let ask = Ask {
        limits: Limits::default(),
        control: &control,
        started: Stopwatch::wall(Instant::now()),
        threads: 1,
        goal: Goal::Move,
        weaken: false,
        interval: None,
        on_info: &mut |_| {},
    };
    let found = player("gomoku", "").open(&Options::default(), ask, Opening::Swap2, 0);
    assert_eq!(found.opening.len(), 3);
}

#[test]
fn every_position_and_the_shortest_time_give_an_answer() {
    for setup in ["gomoku size 5", "gomoku size 22 rules caro", "renju"] {
        for seed in 0..5 {
            let mut stones = step(&mut *player(setup, ""), 1, Opening::Swap2, seed);
            assert_eq!(stones.len(), 3);
            let answer = step(&mut *player(setup, &stones.join(" ")), 1, Opening::Swap2, seed);
            stones.extend(answer);
            for moves in [1, 2] {
                let balance = Opening::Balance { moves, percent: 50 };
                assert_eq!(
                    step(&mut *player(setup, &stones.join(" ")), 1, balance, seed).len(),
                    usize::from(moves)
                );
                assert_eq!(step(&mut *player(setup, ""), 1, balance, seed).len(), usize::from(moves));
            }
        }
    }
}

#[test]
fn steps_that_do_not_fit_are_refused() {
    assert!(player("nogo", "").opens(Opening::Swap2).is_err());
    assert!(player("gomoku", "h8").opens(Opening::Swap2).is_err());
    assert!(player("gomoku", "h8 a1 h9 a2 h10 a3 h11 a4 h12").opens(Opening::Swap2).is_err());
    assert!(player("gomoku", "h8").opens(Opening::Balance { moves: 2, percent: 50 }).is_ok());
}
