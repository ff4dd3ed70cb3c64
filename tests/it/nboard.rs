//! `tengen-adapter nboard` as a process, with the real daemon behind it.

use std::time::Duration;

use tengen_engine::game::random::{below, rng};
use tengen_engine::games::{Setup, referee};

use crate::harness::Process;

fn adapter(args: &[&str]) -> Process {
    let mut all = vec!["nboard", "--threads", "1", "--seed", "1"];
    all.extend(args);
    let mut nboard = Process::adapter(&all);
    for line in ["nboard 2", "set depth 4", "set game (;GM[Othello]PC[NBoard]RE[?]TY[8];)", "ping 1"] {
        nboard.tell(line);
    }
    until(&mut nboard, "pong 1");
    nboard
}

/// The lines up to one that begins so.
fn until(nboard: &mut Process, start: &str) -> Vec<String> {
    let mut lines = Vec::new();
    loop {
        let line = nboard.hear();
        let last = line.starts_with(start);
        lines.push(line);
        if last {
            return lines;
        }
    }
}

fn best(nboard: &mut Process) -> String {
    let lines = until(nboard, "=== ");
    let line = lines.last().expect("the move");
    line["=== ".len()..].split('/').next().expect("a word").to_owned()
}

/// As NBoard plays: `go`, and the move comes back by `move`. The referee follows.
#[test]
fn a_whole_game_is_played() {
    let mut nboard = adapter(&[]);
    let mut game = referee(Setup::parse(["othello"]).expect("a game")).expect("a game");
    let mut number = 1;
    while game.ending().is_none() {
        nboard.tell("go");
        let text = best(&mut nboard);
        let mv = game.parse_move(if text == "PA" { "pass" } else { &text }).expect("a move");
        game.play(None, mv).unwrap_or_else(|error| panic!("{text}: {error}"));
        number += 1;
        nboard.tell(&format!("move {text}/0.00/0.1"));
        nboard.tell(&format!("ping {number}"));
        until(&mut nboard, &format!("pong {number}"));
    }
    nboard.tell("quit");
    assert!(nboard.wait().success());
}

/// A random game of this size up to where `enough` says so, as GGF.
fn record(side: u8, seed: u64, enough: impl Fn(&dyn tengen_engine::games::Referee) -> bool) -> String {
    let mut rng = rng(seed);
    loop {
        let setup = Setup::parse(["othello", "size", &side.to_string()]).expect("a game");
        let mut game = referee(setup).expect("a game");
        while game.ending().is_none() {
            if enough(&*game) {
                return tengen_adapter::records::ggf::print(&*game, &[], &[]).expect("a format for Othello");
            }
            let moves = game.legal_moves(None).expect("moves");
            game.play(None, moves[below(&mut rng, moves.len() as u32) as usize]).expect("legal");
        }
    }
}

#[test]
fn a_solved_end_is_marked_as_exact() {
    let mut nboard = adapter(&[]);
    let record = record(8, 2, |game| game.plies() >= 51 && !game.must_pass());
    nboard.tell(&format!("set game {record}"));
    nboard.tell("set depth 20");
    nboard.tell("ping 2");
    until(&mut nboard, "pong 2");
    nboard.tell("hint 2");
    let lines = until(&mut nboard, "search ");
    let line = lines.last().expect("a line");
    let last = std::iter::once(line.clone())
        .chain(std::iter::repeat_with(|| nboard.hear()).take_while(|line| line != "status"))
        .filter(|line| line.starts_with("search "))
        .last()
        .expect("a line");
    let words: Vec<&str> = last.split(' ').collect();
    assert_eq!((words[3], words[4]), ("0", "100%"), "{last}");
    assert!(words[2].ends_with(".00"), "a whole number of discs: {last}");
}

/// Field bugs 21 and 23: a search to depth 60 does not keep the engine from answering.
#[test]
fn ping_stops_a_search_at_once() {
    let mut nboard = adapter(&[]);
    nboard.tell("set depth 60");
    for (number, line) in (2..).zip(["go", "hint 8", "go", "analyze", "hint 1"]) {
        nboard.tell(line);
        std::thread::sleep(Duration::from_millis(400));
        nboard.tell(&format!("ping {number}"));
        // A pong that waited for such a search would not come while the harness waits.
        let lines = until(&mut nboard, &format!("pong {number}"));
        assert!(!lines.iter().any(|line| line.starts_with("===")), "{lines:?}");
    }
    // Nothing of an old search comes late.
    assert_eq!(nboard.hear_within(Duration::from_millis(700)), None);
    nboard.tell("set depth 2");
    nboard.tell("go");
    assert_eq!(best(&mut nboard).len(), 2);
}

/// Field bugs 36 and 48: forced passes, and games that are over.
#[test]
fn forced_passes_are_said_and_searched_behind() {
    let mut nboard = adapter(&[]);
    let record = record(6, 4, |game| game.must_pass());
    nboard.tell(&format!("set game {record}"));
    nboard.tell("go");
    assert_eq!(best(&mut nboard), "PA");
    nboard.tell("hint 3");
    let lines = until(&mut nboard, "search ");
    assert!(lines.last().expect("a line").starts_with("search PA"), "{lines:?}");
    nboard.tell("ping 9");
    until(&mut nboard, "pong 9");
    nboard.tell("analyze");
    let moves = record.matches("B[").count() + record.matches("]W[").count();
    let mut seen: Vec<usize> = Vec::new();
    while seen.len() <= moves {
        let line = nboard.hear();
        if let Some(rest) = line.strip_prefix("analysis ") {
            let (number, value) = rest.split_once(' ').expect("two numbers");
            assert!(value.parse::<f64>().is_ok_and(|value| value.abs() <= 64.0), "{line}");
            seen.push(number.parse().expect("a number"));
        }
    }
    seen.sort_unstable();
    assert_eq!(seen, (0..=moves).collect::<Vec<_>>());
}

#[test]
fn the_end_of_input_is_the_end() {
    let mut nboard = adapter(&[]);
    nboard.tell("go");
    let (status, lines) = nboard.finish();
    assert!(status.success() && lines.iter().any(|line| line.starts_with("=== ")), "{lines:?}");
    let mut nboard = adapter(&[]);
    nboard.tell("hint 4");
    // A hint would go on for ever, and so would this.
    assert!(nboard.finish().0.success());
}
