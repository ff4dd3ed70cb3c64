//! The service driven in process: golden dialogues, and what must hold whatever is sent.

#![allow(clippy::indexing_slicing, clippy::panic, reason = "a test may stop at the first surprise")]

use std::time::Duration;

use tengen_engine::game::random::{below, rng};

use super::*;
use crate::client::Answer;
use crate::fronts::transcripts;

fn front(words: &str) -> Json {
    let mut parts = words.split(" | ");
    let setup = parts.next().filter(|setup| !setup.is_empty()).unwrap_or("nogo");
    let mut config = Config {
        setup: Setup::parse(setup.split(' ')).unwrap(),
        options: EngineOptions::default(),
        parallel: 2,
        quit_without_waiting: false,
    };
    for part in parts {
        match part {
            "hasty" => config.quit_without_waiting = true,
            number => config.parallel = number.parse().unwrap(),
        }
    }
    Json::new(config).unwrap()
}

#[test]
fn transcripts() {
    transcripts::check("json", front);
}

fn answers(out: &[Action]) -> Vec<Value> {
    out.iter()
        .filter_map(|action| if let Action::ToGui(text) = action { Some(text) } else { None })
        .map(|text| serde_json::from_str(text).unwrap())
        .collect()
}

#[test]
fn a_query_that_is_wrong_is_dropped_whole_with_its_field() {
    for (query, field) in [
        (r#"{"moves":[]}"#, "id"),
        (r#"{"id":[1]}"#, "id"),
        (r#"{"id":"a","game":"chess"}"#, "game"),
        (r#"{"id":"a","game":3}"#, "game"),
        (r#"{"id":"a","size":99}"#, "size"),
        (r#"{"id":"a","size":[9]}"#, "size"),
        (r#"{"id":"a","boardXSize":9}"#, "boardXSize"),
        (r#"{"id":"a","rules":"japanese"}"#, "rules"),
        (r#"{"id":"a","options":{"hole":"x"}}"#, "options"),
        (r#"{"id":"a","position":"nonsense"}"#, "position"),
        (r#"{"id":"a","moves":"d4"}"#, "moves"),
        (r#"{"id":"a","moves":["d4","d4"]}"#, "moves"),
        (r#"{"id":"a","moves":["d4","z9"]}"#, "moves"),
        (r#"{"id":"a","moves":[["w","d4"]]}"#, "moves"),
        (r#"{"id":"a","moves":[["b","d4","e5"]]}"#, "moves"),
        (r#"{"id":"a","moves":["d4"],"analyzeTurns":[2]}"#, "analyzeTurns"),
        (r#"{"id":"a","analyzeTurns":[-1]}"#, "analyzeTurns"),
        (r#"{"id":"a","moves":["d4"],"analyzeTurns":[1,0,1]}"#, "analyzeTurns"),
        (r#"{"id":"a","initialStones":[["B","d4"]]}"#, "initialStones"),
        (r#"{"id":"a","initialPlayer":"W"}"#, "initialPlayer"),
        (r#"{"id":"a","initialPlayer":3}"#, "initialPlayer"),
        (r#"{"id":"a","maxVisits":-3}"#, "maxVisits"),
        (r#"{"id":"a","maxVisits":1.5}"#, "maxVisits"),
        (r#"{"id":"a","maxTime":0}"#, "maxTime"),
        (r#"{"id":"a","maxTime":"1"}"#, "maxTime"),
        (r#"{"id":"a","priority":"high"}"#, "priority"),
        (r#"{"id":"a","overrideSettings":{"foo":1}}"#, "overrideSettings"),
        (r#"{"id":"a","overrideSettings":{"threads":0}}"#, "overrideSettings"),
        (r#"{"id":"a","action":"dance"}"#, "action"),
        (r#"{"id":"a","action":"terminate"}"#, "terminateId"),
    ] {
        let mut json = front("");
        let mut out = Vec::new();
        json.line(query, &mut out);
        let said = answers(&out);
        assert_eq!((out.len(), said.len()), (1, 1), "{query}: {out:?}");
        assert_eq!(said[0]["field"], field, "{query}: {}", said[0]);
        assert!(said[0]["error"].as_str().unwrap().starts_with(field), "{query}");
        assert!(json.idle());
    }
}

#[test]
fn lines_that_are_no_queries_are_answered_and_forgotten() {
    let deep = "[".repeat(100_000);
    let mut json = front("");
    for line in ["nonsense", "[]", "3", "null", "{", "\"id\"", "\u{0}", "{\"id\":\"a\"", &deep] {
        let mut out = Vec::new();
        json.line(line, &mut out);
        let said = answers(&out);
        assert!(said.len() == 1 && said[0]["error"].is_string(), "{line:.20}: {out:?}");
    }
    let mut out = Vec::new();
    json.line("  ", &mut out);
    json.too_long("{", &mut out);
    assert_eq!(answers(&out), [bad_line("line too long")]);
}

/// Every answer and warning carries the id: a long one in a line of a megabyte would make gigabytes.
#[test]
fn an_id_as_long_as_a_line_is_not_multiplied() {
    let mut json = front("nogo | 1");
    let mut out = Vec::new();
    let id = "x".repeat(500_000);
    let turns = vec![0; 2000];
    json.line(&json!({ "id": id, "analyzeTurns": turns, "maxVisits": 1 }).to_string(), &mut out);
    let mut query = json!({ "id": id });
    (0..2000).for_each(|number| query[number.to_string()] = json!(0));
    json.line(&query.to_string(), &mut out);
    json.line(&json!({ "id": id, "action": "query_version" }).to_string(), &mut out);
    let errors: Vec<_> = answers(&out).into_iter().map(|answer| answer["error"].clone()).collect();
    assert_eq!(errors, vec!["id may have 256 bytes at most"; 3]);
}

/// Queries, terminations and ends in any order: every turn asked for is answered once for good.
/// Field bug 16.
#[test]
fn every_turn_gets_exactly_one_final_answer() {
    let mut rng = rng(5);
    for parallel in [1, 2, 5] {
        let mut json = front(&format!("nogo | {parallel}"));
        let mut running = vec![false; parallel];
        let (mut asked, mut answered) = (Vec::new(), Vec::new());
        let mut out = Vec::new();
        for number in 0..2000_usize {
            let before = out.len();
            match below(&mut rng, 8) {
                0 | 1 => {
                    let turns: Vec<u32> = (0..=below(&mut rng, 3)).collect();
                    asked.extend(turns.iter().map(|&turn| (number, turn as usize)));
                    let query = json!({ "id": number, "moves": ["d4", "e5", "a1"], "analyzeTurns": turns,
                        "priority": below(&mut rng, 3), "maxVisits": 10 });
                    json.line(&query.to_string(), &mut out);
                }
                2 => {
                    let id = below(&mut rng, number.max(1) as u32);
                    json.line(
                        &json!({ "id": "t", "action": "terminate", "terminateId": id }).to_string(),
                        &mut out,
                    );
                }
                3 if number % 40 == 0 => {
                    json.line(&json!({ "id": "t", "action": "terminate_all" }).to_string(), &mut out);
                }
                kind => {
                    let engine = below(&mut rng, parallel as u32) as usize;
                    if running[engine] {
                        let report = vec![Info { pv: vec!["c3".into()], ..Info::default() }];
                        if kind > 4 {
                            json.search(engine, Event::Report(report), &mut out);
                        }
                        let answer = Answer { text: "c3".into(), elapsed: Duration::ZERO };
                        let result = if kind == 7 { Err("gone".to_owned()) } else { Ok(answer) };
                        running[engine] = false;
                        json.search(engine, Event::Done(result), &mut out);
                    }
                }
            }
            for action in &out[before..] {
                if let Action::Search(request) = action {
                    assert!(!std::mem::replace(&mut running[request.engine], true), "one search at a time");
                }
            }
        }
        json.end_of_input(&mut out);
        while let Some(engine) = running.iter().position(|&running| running) {
            running[engine] = false;
            let before = out.len();
            let answer = Answer { text: "c3".into(), elapsed: Duration::ZERO };
            json.search(engine, Event::Done(Ok(answer)), &mut out);
            for action in &out[before..] {
                if let Action::Search(request) = action {
                    running[request.engine] = true;
                }
            }
        }
        assert_eq!(out.last(), Some(&Action::Quit));
        for answer in answers(&out).iter().filter(|answer| answer["isDuringSearch"] == false) {
            let number = |field: &str| usize::try_from(answer[field].as_u64().unwrap()).unwrap();
            answered.push((number("id"), number("turnNumber")));
        }
        answered.sort_unstable();
        assert_eq!(answered, asked, "with {parallel} engines");
    }
}

#[test]
fn waiting_turns_are_bounded() {
    let mut json = front("");
    let mut out = Vec::new();
    let query = json!({ "id": "x" }).to_string();
    let mut lines = 0;
    while json.accepts() {
        json.line(&query, &mut out);
        lines += 1;
    }
    // Two are on the engines.
    assert_eq!(lines, WAITING_LIMIT + 2);
}

#[test]
fn a_start_as_katago_writes_it_is_taken_where_it_changes_nothing() {
    let mut json = front("");
    let mut out = Vec::new();
    json.line(r#"{"id":"a","initialStones":[],"initialPlayer":"B"}"#, &mut out);
    assert!(matches!(out.as_slice(), [Action::Search(_)]), "{out:?}");
}

/// A page that sends big messages behind a search is not read for ever.
#[test]
fn messages_that_wait_are_bounded_by_their_bytes() {
    let mut json = front("");
    let mut out = Vec::new();
    json.line(r#"{"type":"go"}"#, &mut out);
    let message = json!({ "type": "position", "padding": "x".repeat(1 << 20) }).to_string();
    let mut messages = 0;
    while json.accepts() {
        json.line(&message, &mut out);
        messages += 1;
    }
    assert_eq!(messages, 4);
    let answer = Answer { text: "d4".into(), elapsed: Duration::ZERO };
    json.search(2, Event::Done(Ok(answer)), &mut out);
    assert_eq!(answers(&out).iter().filter(|said| said["type"] == "position").count(), 4);
    assert!(json.accepts());
}

/// Random Othello games with the page as Black: each pass is told with its side, and `undo` gives the page's
/// last move back whoever has passed since.
#[test]
fn undo_goes_back_to_the_pages_move_over_passes_of_both_sides() {
    let mut rng = rng(8);
    let mut passes = [0, 0];
    for _ in 0..60 {
        let mut json = front("othello size 6");
        let setup = Setup::parse("othello size 6".split(' ')).unwrap();
        let mut game = tengen_engine::games::referee(setup).unwrap();
        while game.ending().is_none() {
            let random = |game: &dyn tengen_engine::games::Referee, rng: &mut _| {
                let legal = game.legal_moves(None).unwrap();
                game.move_text(legal[below(rng, legal.len() as u32) as usize])
            };
            let before = game.plies();
            let own = random(&*game, &mut rng);
            game.play(None, game.parse_move(&own).unwrap()).unwrap();
            let mut out = Vec::new();
            json.line(&json!({ "type": "move", "move": own }).to_string(), &mut out);
            let mut over = false;
            while !out.is_empty() {
                for action in std::mem::take(&mut out) {
                    let Action::ToGui(text) = action else {
                        let text = random(&*game, &mut rng);
                        let answer = Answer { text, elapsed: Duration::ZERO };
                        json.search(2, Event::Done(Ok(answer)), &mut out);
                        continue;
                    };
                    let said: Value = serde_json::from_str(&text).unwrap();
                    let mv = match said["type"].as_str().unwrap() {
                        "move" => said["move"].as_str().unwrap(),
                        "pass" => {
                            assert!(game.must_pass());
                            let black = said["side"] == "black";
                            assert_eq!(black, game.turn() == tengen_engine::game::Color::Black);
                            passes[usize::from(black)] += 1;
                            "pass"
                        }
                        kind => {
                            assert_eq!(kind, "win");
                            over = true;
                            continue;
                        }
                    };
                    game.play(None, game.parse_move(mv).unwrap()).unwrap();
                }
            }
            assert_eq!(over, game.ending().is_some());
            assert!(over || game.turn() == tengen_engine::game::Color::Black);
            if below(&mut rng, 3) == 0 {
                json.line(r#"{"type":"undo"}"#, &mut out);
                assert_eq!(answers(&out), [json!({ "type": "undo", "moves": game.plies() - before })]);
                game.undo(game.plies() - before).unwrap();
            }
        }
    }
    assert!(passes[0] > 0 && passes[1] > 0, "{passes:?}");
}

#[test]
fn clear_cache_is_acknowledged_and_nothing_is_cleared() {
    let mut json = front("nogo");
    let cleared = |json: &mut Json, number: &str| {
        let mut out = Vec::new();
        json.line(&format!(r#"{{"id":"{number}","action":"clear_cache"}}"#), &mut out);
        json.line(&format!(r#"{{"id":"q{number}","maxVisits":5}}"#), &mut out);
        let mut searches = out.iter().filter_map(|action| match action {
            Action::Search(request) => Some(request.cleared),
            _ => None,
        });
        searches.next_back().unwrap()
    };
    assert_ne!(cleared(&mut json, "1"), cleared(&mut json, "2"));
}
