//! The front driven in process: golden transcripts, and properties that must hold whatever is sent.

#![allow(clippy::indexing_slicing, clippy::panic, reason = "a test may stop at the first surprise")]

use super::*;
use clap::ValueEnum;
use tengen_engine::game::random::{below, rng};

use crate::client::Answer;
use crate::fronts::transcripts;

fn config(words: &str) -> Config {
    let mut config = Config {
        kind: Kind::Nogo,
        keep_running: false,
        simple_io: false,
        time_limit: Duration::from_secs(1),
        options: EngineOptions::default(),
    };
    for word in words.split_whitespace() {
        match word {
            "keep-running" => config.keep_running = true,
            "simple-io" => config.simple_io = true,
            pair if pair.contains('=') => {
                let (name, value) = pair.split_once('=').unwrap();
                config.options.set(name, value).unwrap();
            }
            game => config.kind = Kind::from_str(game, false).unwrap(),
        }
    }
    config
}

fn front(words: &str) -> Botzone {
    Botzone::new(config(words)).unwrap()
}

fn tell(front: &mut Botzone, line: &str) -> Vec<Action> {
    let mut out = Vec::new();
    front.line(line, &mut out);
    out
}

fn end(front: &mut Botzone, text: &str) -> Vec<Action> {
    let mut out = Vec::new();
    let answer = Answer { text: text.to_owned(), elapsed: Duration::ZERO };
    front.search(0, Event::Done(Ok(answer)), &mut out);
    out
}

/// The limit of the search that the line leads to.
fn limit(front: &mut Botzone, line: &str) -> String {
    match tell(front, line).as_slice() {
        [Action::Search(request)] => request.clock.control.to_string(),
        other => panic!("{line}: {other:?}"),
    }
}

#[test]
fn transcripts() {
    transcripts::check("botzone", front);
}

/// Field bug 11: losses on time without a reserve for the way there and back.
#[test]
fn a_turn_ends_before_its_limit() {
    let first = r#"{"requests":[{"x":-1,"y":-1}],"responses":[]}"#;
    let second = r#"{"requests":[{"x":-1,"y":-1},{"x":0,"y":0}],"responses":[{"x":4,"y":4}]}"#;
    assert_eq!(limit(&mut front("nogo"), first), "move 1.8");
    assert_eq!(limit(&mut front("nogo"), second), "move 0.8");
    for (said, used) in [("3", "2.8"), ("\"3\"", "2.8"), ("1500", "1.3"), ("\"\"", "1.8"), ("0.1", "0.02")] {
        let line = first.replacen("\"responses\"", &format!("\"time_limit\":{said},\"responses\""), 1);
        assert_eq!(limit(&mut front("nogo"), &line), format!("move {used}"), "{line}");
    }
    assert_eq!(limit(&mut front("nogo move_overhead=500"), second), "move 0.5");
    let mut kept = front("nogo keep-running");
    assert_eq!(limit(&mut kept, first), "move 1.8");
    end(&mut kept, "e5");
    assert_eq!(limit(&mut kept, r#"{"x":0,"y":0}"#), "move 0.8");
}

/// Between turns all processes are stopped, and every answer must be a move.
#[test]
fn the_engine_neither_ponders_nor_resigns() {
    let mut front = front("gomoku ponder=on resign=20");
    let out = tell(&mut front, r#"{"requests":[{"x":7,"y":7}],"responses":[]}"#);
    let [Action::Search(request)] = out.as_slice() else { panic!("{out:?}") };
    for pair in [("ponder", "off"), ("resign", "0"), ("move_overhead", "0")] {
        assert!(request.options.contains(&(pair.0.to_owned(), pair.1.to_owned())), "{:?}", request.options);
    }
}

/// Whatever the engine says, the answer is legal.
#[test]
fn a_lost_engine_or_a_wrong_move_is_made_good() {
    for words in ["nogo", "gomoku", "renju", "reversi", "amazons"] {
        let kind = config(words).kind;
        let none = Coordinates::None.to_json(kind);
        for answer in [Err("the engine is gone".to_owned()), Ok("resign"), Ok("z9"), Ok("")] {
            let mut front = front(words);
            tell(&mut front, &format!(r#"{{"requests":[{none}],"responses":[]}}"#));
            let mut out = Vec::new();
            let result = answer.map(|text| Answer { text: text.to_owned(), elapsed: Duration::ZERO });
            front.search(0, Event::Done(result), &mut out);
            let Some(Action::ToGui(text)) = out.first() else { panic!("{out:?}") };
            let said: Value = serde_json::from_str(text).unwrap();
            let Ok(Coordinates::Points(points)) = Coordinates::of_json(kind, &said["response"]) else {
                panic!("{text}")
            };
            let referee = tengen_engine::games::referee(kind.setup().unwrap()).unwrap();
            let mv = referee.move_of(&points).unwrap();
            assert!(referee.legal_moves(None).unwrap().contains(&mv), "{words}: {text}");
            assert!(!said["debug"].as_str().unwrap().is_empty());
        }
    }
}

/// 8.7: the first -1, -1 is told from a pass by the turn.
#[test]
fn minus_one_means_three_things() {
    let search = |front: &mut Botzone, line: &str| match tell(front, line).as_slice() {
        [Action::Search(request)] => request.position.moves.len(),
        other => panic!("{line}: {other:?}"),
    };
    assert_eq!(search(&mut front("reversi"), r#"{"requests":[{"x":-1,"y":-1}],"responses":[]}"#), 0);
    // A pass of the opponent that has moves is nonsense, told in the answer.
    let out = tell(
        &mut front("reversi"),
        r#"{"requests":[{"x":-1,"y":-1},{"x":-1,"y":-1}],"responses":[{"x":5,"y":4}]}"#,
    );
    let [Action::ToGui(text), Action::Quit] = out.as_slice() else { panic!("{out:?}") };
    assert!(text.contains("message 3: illegal move: a pass is allowed only without a move"), "{text}");
    let stones = r#"{"x":7,"y":7},{"x":8,"y":8}"#;
    let exchanged = format!(
        r#"{{"requests":[{{"x":-1,"y":-1}},{{"x":6,"y":6}},{{"x":-1,"y":-1}}],"responses":[{stones}]}}"#
    );
    assert_eq!(search(&mut front("renju"), &exchanged), 3);
    assert!(matches!(tell(&mut front("gomoku"), &exchanged).as_slice(), [Action::ToGui(_), Action::Quit]));
}

/// Renju's third stone is to be as good for one side as for the other, and the exchange is taken where it
/// pays.
#[test]
fn the_renju_opening_is_balanced_and_exchanged() {
    let lines = |front: &mut Botzone, lines: &str| {
        let infos = lines
            .split(" | ")
            .map(|text| tengen_engine::protocol::Info::parse(&format!("info {text}")).unwrap());
        front.search(0, Event::Report(infos.collect()), &mut Vec::new());
    };
    let mut first = front("renju");
    let out = tell(&mut first, r#"{"requests":[{"x":-1,"y":-1},{"x":7,"y":8}],"responses":[{"x":7,"y":7}]}"#);
    let [Action::Search(request)] = out.as_slice() else { panic!("{out:?}") };
    assert!(request.options.contains(&("multipv".to_owned(), "40".to_owned())));
    lines(
        &mut first,
        "winrate 0.9 multipv 1 pv h6 | winrate 0.55 multipv 2 pv a1 | winrate 0.2 multipv 3 pv b1",
    );
    let out = end(&mut first, "h6");
    assert_eq!(
        out[0],
        Action::ToGui("{\"response\":{\"x\":0,\"y\":0},\"debug\":\"opening with winrate 0.55\"}\n".into())
    );
    for (winrate, response) in [("0.3", "-1,\"y\":-1"), ("0.6", "5,\"y\":5")] {
        let mut second = front("renju keep-running");
        let out =
            tell(&mut second, r#"{"requests":[{"x":7,"y":7},{"x":6,"y":7}],"responses":[{"x":8,"y":8}]}"#);
        assert!(matches!(out.as_slice(), [Action::Search(_)]), "{out:?}");
        lines(&mut second, &format!("winrate {winrate} multipv 1 pv f6"));
        let out = end(&mut second, "f6");
        let Action::ToGui(text) = &out[0] else { panic!("{out:?}") };
        assert!(text.contains(response), "{text}");
        // The game goes on: with the fourth stone, or the fifth.
        let out = tell(&mut second, r#"{"x":0,"y":0}"#);
        let [Action::Search(request)] = out.as_slice() else { panic!("{out:?}") };
        assert_eq!(request.position.moves.len(), if winrate == "0.3" { 4 } else { 5 });
    }
}

#[test]
fn nonsense_is_answered_by_a_move_and_the_reason() {
    let long = format!(r#"{{"requests":[{}],"responses":[]}}"#, vec!["0"; 2000].join(","));
    for bad in [
        "nonsense",
        "{",
        "[]",
        "0",
        "null",
        "{}",
        r#"{"requests":[]}"#,
        r#"{"requests":7,"responses":[]}"#,
        r#"{"requests":[{"x":1,"y":1},{"x":1,"y":2}],"responses":[]}"#,
        r#"{"requests":[{"x":1}],"responses":[]}"#,
        r#"{"requests":[{"x":1,"y":9}],"responses":[]}"#,
        r#"{"requests":[{"x":1.5,"y":1}],"responses":[]}"#,
        r#"{"requests":[{"x":1e300,"y":1}],"responses":[]}"#,
        r#"{"requests":[{"x":1,"y":1},{"x":1,"y":1}],"responses":[{"x":2,"y":2}]}"#,
        &long,
        &"[".repeat(100_000),
    ] {
        let out = tell(&mut front("nogo"), bad);
        let [Action::ToGui(text), Action::Quit] = out.as_slice() else { panic!("{bad:.60}: {out:?}") };
        let said: Value = serde_json::from_str(text).unwrap_or_else(|error| panic!("{text}: {error}"));
        assert!(matches!(Coordinates::of_json(Kind::Nogo, &said["response"]), Ok(Coordinates::Points(_))));
        let debug = said["debug"].as_str().unwrap();
        assert!(!debug.is_empty() && debug.len() < 1000, "{debug}");
    }
}

/// Whatever comes, each line that is not empty is answered once, on one line and the marker's.
#[test]
fn noise_is_answered_line_by_line() {
    let mut rng = rng(17);
    for words in ["nogo", "gomoku", "renju", "reversi", "amazons"] {
        let mut front = front(&format!("{words} keep-running"));
        for _ in 0..2000 {
            let mut number = |most: u32| below(&mut rng, most) as i32 - 1;
            let line = match number(6) {
                0 => "noise".to_owned(),
                1 => format!(r#"{{"requests":[{{"x":{},"y":{}}}],"responses":[]}}"#, number(9), number(9)),
                2 => format!(
                    r#"{{"x0":{},"y0":{},"x1":{},"y1":{},"x2":{},"y2":{}}}"#,
                    number(9),
                    number(9),
                    number(9),
                    number(9),
                    number(9),
                    number(9)
                ),
                _ => format!(r#"{{"x":{},"y":{}}}"#, number(16), number(16)),
            };
            let mut out = tell(&mut front, &line);
            if let [Action::Search(_)] = out.as_slice() {
                out = end(&mut front, "");
            }
            let [Action::ToGui(text)] = out.as_slice() else { panic!("{line}: {out:?}") };
            assert!(text.ends_with("\n>>>BOTZONE_REQUEST_KEEP_RUNNING<<<\n"), "{text}");
            assert_eq!(text.matches('\n').count(), 2, "{text}");
        }
    }
}

#[test]
fn input_that_ends_within_a_block_is_answered() {
    let mut front = front("nogo simple-io");
    assert_eq!(tell(&mut front, "2"), []);
    assert_eq!(tell(&mut front, "-1 -1"), []);
    let mut out = Vec::new();
    front.end_of_input(&mut out);
    assert!(matches!(out.as_slice(), [Action::ToGui(text), Action::Quit] if text == "0 0\n"), "{out:?}");
}

#[test]
fn a_game_under_its_general_name_is_one_of_the_sites() {
    for (text, kind) in [
        ("nogo size 7", Kind::Nogo),
        ("gomoku size 20", Kind::Gomoku),
        ("renju", Kind::Renju),
        ("gomoku size 15 rules renju", Kind::Renju),
        ("othello", Kind::Reversi),
        ("amazons", Kind::Amazons),
    ] {
        assert_eq!(Kind::of(&Setup::parse(text.split(' ')).unwrap()), kind, "{text}");
    }
}
