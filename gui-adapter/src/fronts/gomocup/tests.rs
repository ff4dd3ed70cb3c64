//! The front driven in process: golden transcripts, and properties that must hold whatever is sent.

#![allow(clippy::indexing_slicing, clippy::panic, reason = "a test may stop at the first surprise")]

use std::time::{Duration, Instant};

use super::*;
use tengen_engine::game::random::{below, rng};

use crate::client::{Answer, Request};
use crate::fronts::transcripts;

fn front(words: &str) -> Gomocup {
    let mut config = Config { rules: None, yixin: false, options: EngineOptions::default() };
    for word in words.split_ascii_whitespace() {
        match word.split_once('=') {
            Some((name, value)) => config.options.set(name, value).unwrap(),
            None if word == "yixin" => config.yixin = true,
            None => config.rules = Some(word.to_owned()),
        }
    }
    Gomocup::new(config).unwrap()
}

#[test]
fn transcripts() {
    transcripts::check("gomocup", front);
}

/// What the front does with one line.
fn acts(front: &mut Gomocup, line: &str) -> Vec<Action> {
    let mut out = Vec::new();
    front.line(line, &mut out);
    out
}

fn written(actions: &[Action]) -> String {
    actions
        .iter()
        .filter_map(|a| if let Action::ToGui(text) = a { Some(text.as_str()) } else { None })
        .collect()
}

fn ask(front: &mut Gomocup, line: &str) -> String {
    written(&acts(front, line))
}

/// The request of the search that the lines lead to.
fn request(front: &mut Gomocup, lines: &[&str]) -> Request {
    let actions: Vec<Action> = lines.iter().flat_map(|line| acts(front, line)).collect();
    let request =
        actions.iter().find_map(|a| if let Action::Search(request) = a { Some(request) } else { None });
    (**request.unwrap_or_else(|| panic!("{lines:?}: {actions:?}"))).clone()
}

fn answer(front: &mut Gomocup, text: &str) -> String {
    let mut out = Vec::new();
    let answer = Answer { text: text.to_owned(), elapsed: Duration::ZERO };
    front.search(0, Event::Done(Ok(answer)), &mut out);
    written(&out)
}

fn option<'a>(request: &'a Request, name: &str) -> &'a str {
    &request.options.iter().find(|(known, _)| known == name).unwrap().1
}

#[test]
fn a_manager_that_compares_the_reply_to_start_gets_exactly_ok() {
    for line in ["START 15", "start 20\r", "START 15 15", "RECTSTART 15,15", " \tSTART\t5", "RESTART"] {
        assert_eq!(ask(&mut started(), line), "OK\n", "{line}");
    }
}

fn started() -> Gomocup {
    let mut front = front("");
    assert_eq!(ask(&mut front, "START 15"), "OK\n");
    front
}

#[test]
fn nothing_is_written_after_end() {
    let mut front = started();
    request(&mut front, &["BEGIN"]);
    assert_eq!(acts(&mut front, "end"), [Action::Stop(0), Action::Quit]);
    assert_eq!(answer(&mut front, "h8"), "");
    assert_eq!(acts(&mut front, "ABOUT"), []);
    let mut out = Vec::new();
    front.end_of_input(&mut out);
    assert_eq!(out, []);
}

/// Field bug 3.
#[test]
fn time_left_of_the_greatest_number_or_below_zero_is_no_trouble() {
    for (left, control) in [("2147483647", "move 5"), ("9223372036854775807", "move 5"), ("-5", "match 60 5")]
    {
        let mut front = started();
        let lines = [
            "INFO timeout_match 60000",
            "INFO timeout_turn 5000",
            &format!("INFO time_left {left}"),
            "BEGIN",
        ];
        let request = request(&mut front, &lines);
        assert_eq!(request.clock.control.to_string(), control);
        assert_eq!(request.clock.left[0], (left == "-5").then_some((Duration::ZERO, 0)));
    }
}

/// Field bugs 5 and 7.
#[test]
fn a_clock_told_anew_before_every_move_is_corrected_and_not_restarted() {
    let mut front = started();
    let first = request(&mut front, &["INFO timeout_match 60000", "INFO time_left 60000", "BEGIN"]);
    answer(&mut front, "h8");
    let again = request(&mut front, &["INFO timeout_match 60000", "INFO time_left 50000", "TURN 0,0"]);
    assert_eq!(again.clock.settings, first.clock.settings);
    assert_eq!(again.clock.left[0], Some((Duration::from_secs(50), 0)));
    answer(&mut front, "h9");
    let untold = request(&mut front, &["TURN 1,1"]);
    assert_eq!(untold.clock.left, [None; 2], "the engine counts for itself");
}

/// Field bugs 42 and 44: the whole game is sent, in any order.
#[test]
fn a_position_sent_again_with_every_move_continues_the_game() {
    let mut front = started();
    request(&mut front, &["BOARD", "7,7,2", "DONE"]);
    answer(&mut front, "i9");
    let next = request(&mut front, &["START 15", "BOARD", "0,0,2", "8,8,1", "7,7,2", "DONE"]);
    let moves: Vec<&str> = next.position.moves.iter().map(|(_, text)| text.as_str()).collect();
    assert_eq!((moves, next.position.start), (vec!["h8", "i9", "a1"], None), "the game goes on over START");
    answer(&mut front, "j10");
    let next = request(&mut front, &["BOARD", "9,9,1", "1,1,2", "0,0,2", "8,8,1", "7,7,2", "DONE"]);
    let moves: Vec<&str> = next.position.moves.iter().map(|(_, text)| text.as_str()).collect();
    assert_eq!(moves, ["h8", "i9", "a1", "j10", "b2"], "and in any order");
    answer(&mut front, "k11");
    let empty = request(&mut front, &["START 15", "BOARD", "DONE"]);
    assert_eq!(empty.position.moves, []);
}

/// Field bug 51.
#[test]
fn a_game_cannot_be_started_without_begin() {
    let mut front = started();
    assert_eq!(request(&mut front, &["BOARD", "DONE"]).position.moves, []);
    answer(&mut front, "h8");
    let mut front = started();
    assert_eq!(request(&mut front, &["BEGIN"]).position.moves, []);
}

/// Field bug 42: what is sent twice is refused.
#[test]
fn an_occupied_point_gets_one_error_and_no_move() {
    let mut front = started();
    request(&mut front, &["TURN 7,7"]);
    answer(&mut front, "i9");
    assert_eq!(ask(&mut front, "TURN 8,8"), "ERROR illegal move: occupied\n");
    assert_eq!(request(&mut front, &["TURN 0,0"]).position.moves.len(), 3);
}

#[test]
fn lines_during_a_search_are_not_lost() {
    let mut front = started();
    request(&mut front, &["BEGIN"]);
    assert_eq!(acts(&mut front, "TURN 0,0"), []);
    let mut out = Vec::new();
    let found = Answer { text: "h8".into(), elapsed: Duration::ZERO };
    front.search(0, Event::Done(Ok(found)), &mut out);
    assert!(matches!(&out[..], [Action::ToGui(text), Action::Search(_)] if text == "7,7\n"), "{out:?}");
}

/// Field bug 19.
#[test]
fn stop_is_heard_at_once_and_twice_is_once() {
    let mut front = started();
    request(&mut front, &["BEGIN"]);
    acts(&mut front, "INFO rule 1");
    assert_eq!(acts(&mut front, "yxstop"), [Action::Stop(0)]);
    assert_eq!(acts(&mut front, "STOP"), []);
    assert_eq!(answer(&mut front, "h8"), "7,7\n");
    assert_eq!(acts(&mut front, "YXSTOP"), []);
}

#[test]
fn a_forbidden_move_of_the_opponent_is_the_managers_affair() {
    let mut front = front("renju");
    assert_eq!(ask(&mut front, "START 15"), "OK\n");
    // A double three of Black at i8.
    let lines = ["BOARD", "6,7,2", "0,0,1", "7,7,2", "0,14,1", "8,8,2", "14,0,1", "8,9,2", "14,14,1", "DONE"];
    let before = acts(&mut front, "YXBOARD");
    assert_eq!(before, []);
    for line in &lines[1..] {
        assert_eq!(ask(&mut front, line), "");
    }
    assert_eq!(ask(&mut front, "YXSHOWFORBID"), "FORBID 0807.\n");
    let request = request(&mut front, &["TURN 8,7"]);
    assert!(request.position.start.is_some_and(|text| text.contains("XXX")));
    assert_eq!(request.color, tengen_engine::game::Color::White);
}

#[test]
fn memory_and_limits_reach_the_engine() {
    let mut front = started();
    let lines =
        ["INFO MAX_MEMORY 367001600", "INFO max_depth 7", "INFO max_node 1000", "info THREAD_NUM 3", "BEGIN"];
    let request = request(&mut front, &lines);
    assert_eq!(
        ["hash", "depth", "nodes", "threads"].map(|name| option(&request, name).to_owned()),
        ["310", "7", "1000", "3"]
    );
    assert_eq!(option(&request, "resign"), "0", "a brain never resigns");
}

#[test]
fn unlimited_nodes_written_as_the_greatest_number_are_no_limit() {
    let mut front = started();
    let request = request(&mut front, &["INFO max_node 18446744073709551615", "INFO max_depth -1", "BEGIN"]);
    assert_eq!((option(&request, "nodes"), option(&request, "depth")), ("0", "0"));
}

#[test]
fn pondering_is_off_until_it_is_asked_for() {
    let mut front = started();
    assert!(request(&mut front, &["BEGIN"]).options.iter().all(|(name, _)| name != "ponder"));
    answer(&mut front, "h8");
    assert_eq!(option(&request(&mut front, &["INFO pondering 1", "TURN 0,0"]), "ponder"), "on");
    answer(&mut front, "h9");
    assert_eq!(acts(&mut front, "INFO pondering 0"), [Action::Stop(0)], "it stops thinking at once");
}

#[test]
fn stop_does_not_end_thinking_on_the_opponents_time() {
    for stop in ["YXSTOP", "stop"] {
        let mut front = started();
        request(&mut front, &["INFO pondering 1", "BEGIN"]);
        answer(&mut front, "h8");
        assert_eq!(acts(&mut front, stop), [Action::Stop(0)]);
    }
}

#[test]
fn a_table_cleared_twice_is_not_cleared() {
    let mut front = started();
    let mut last = request(&mut front, &["BEGIN"]).cleared;
    answer(&mut front, "h8");
    for (lines, line) in [
        (&["yxhashclear"][..], "TURN 0,0"),
        (&["YXHASHCLEAR", "YXHASHCLEAR"], "TURN 1,1"),
        (&["YXHASHCLEAR", "INFO hash_size 65536", "YXHASHCLEAR"], "TURN 2,2"),
    ] {
        for line in lines {
            assert_eq!(ask(&mut front, line), "");
        }
        let sent = request(&mut front, &[line]).cleared;
        assert_ne!(sent, last, "{lines:?}");
        last = sent;
        answer(&mut front, ["h9", "h10", "h11"][lines.len() - 1]);
    }
    assert_eq!(request(&mut front, &["TURN 3,3"]).cleared, last, "once is enough");
}

#[test]
fn an_engine_that_fails_costs_a_move_and_not_the_game() {
    let mut front = started();
    request(&mut front, &["BEGIN"]);
    let mut out = Vec::new();
    front.search(0, Event::Done(Err("the engine is gone".into())), &mut out);
    assert_eq!(written(&out), "ERROR the engine is gone\n");
    request(&mut front, &["BEGIN"]);
    assert_eq!(answer(&mut front, "h8 h8"), "ERROR the engine answered \"h8 h8\"\n");
    request(&mut front, &["BEGIN"]);
    assert_eq!(answer(&mut front, "h8"), "7,7\n");
}

/// Field bugs 30 and 31.
#[test]
fn input_that_ends_within_a_block_or_a_search_is_harmless() {
    let mut front = started();
    acts(&mut front, "BOARD");
    acts(&mut front, "7,7,1");
    let mut out = Vec::new();
    front.end_of_input(&mut out);
    assert_eq!(out, [Action::Quit]);
    let mut front = started();
    request(&mut front, &["BEGIN"]);
    out.clear();
    front.end_of_input(&mut out);
    assert_eq!(out, []);
    assert_eq!(answer(&mut front, "h8"), "7,7\n");
}

/// Field bug 48.
#[test]
fn a_finished_game_is_not_searched() {
    let mut front = started();
    let five = "BOARD 0,0,1 0,1,2 1,0,1 1,1,2 2,0,1 2,1,2 3,0,1 3,1,2 DONE";
    request(&mut front, &[five]);
    assert_eq!(answer(&mut front, "e1"), "4,0\n");
    for line in ["BEGIN", "TURN 9,9", "YXNBEST 2", "YXBALANCEONE 0"] {
        let actions = acts(&mut front, line);
        assert!(written(&actions).starts_with("ERROR ") && actions.len() == 1, "{line}: {actions:?}");
    }
    assert_eq!(ask(&mut front, "RESTART"), "OK\n");
    request(&mut front, &["BEGIN"]);
}

/// Field bug 47.
#[test]
fn settings_outlive_start_and_restart() {
    let mut front = started();
    ask(&mut front, "INFO max_memory 104857600");
    ask(&mut front, "INFO timeout_turn 700");
    ask(&mut front, "INFO thread_num 2");
    for line in ["START 20", "RESTART"] {
        assert_eq!(ask(&mut front, line), "OK\n");
        let request = request(&mut front, &["BEGIN"]);
        assert_eq!((option(&request, "hash"), option(&request, "threads")), ("60", "2"));
        assert_eq!(request.clock.control.to_string(), "move 0.7");
        answer(&mut front, "h8");
    }
}

/// Field bug 33.
#[test]
fn nothing_is_said_before_the_manager_speaks_and_nothing_to_its_infos() {
    let mut front = front("");
    for line in
        ["", "\r", "INFO", "INFO max_memory 0", "info Folder /tmp", "INFO rule 77", "INFO time_left x"]
    {
        assert_eq!(acts(&mut front, line), [], "{line}");
    }
}

/// Everything a client can see of the state.
fn visible(front: &Gomocup) -> String {
    let referee = &front.desk.referee;
    format!("{} {} {:?}", referee.setup(), referee.position_text(), front.started)
}

#[test]
fn failed_commands_change_nothing() {
    let mut front = started();
    request(&mut front, &["BEGIN"]);
    answer(&mut front, "h8");
    let before = visible(&front);
    for bad in [
        "START 4",
        "START 15 16",
        "RECTSTART 15,12",
        "TURN 7,7",
        "TURN 15,15",
        "TURN x",
        "PLAY 99,1",
        "TAKEBACK 1,1",
        "FOO",
        "BOARD 3,3,1 3,3,2 DONE",
        "BOARD 3,3,5 DONE",
        "YXBOARD 30,3,1 DONE",
        "SWAP2BOARD 1,1 DONE",
        "BOARD 1,1,1 ABOUT",
        "YXNBEST x",
        "YXBALANCETWO y",
    ] {
        let reply = ask(&mut front, bad);
        assert!(
            reply.starts_with("ERROR ") || reply.starts_with("UNKNOWN") || bad.ends_with("ABOUT"),
            "{bad}: {reply}"
        );
        assert_eq!(reply.lines().count(), 1, "{bad}: {reply}");
        assert_eq!(visible(&front), before, "{bad}");
    }
}

/// One that is worked on word by word, however the words nest, takes no time and no stack to speak of.
#[test]
fn one_long_line_ends_the_process() {
    for (name, words) in [
        ("BOARD", "BOARD "),
        ("YXBOARD", "yxboard "),
        ("SWAP2BOARD", "SWAP2BOARD 7,7 "),
        ("BOARD", "BOARD 7,7,1 8,8,2 SWAP2BOARD "),
        ("YXBOARD", "YXBOARD DONE FOO "),
        ("TURN", "7,"),
        ("INFO rule", "x "),
    ] {
        let mut front = started();
        let before = visible(&front);
        let line = format!("{name} {}", words.repeat((1 << 20) / words.len()));
        let begun = Instant::now();
        ask(&mut front, &line);
        assert!(begun.elapsed() < Duration::from_secs(20), "{words}: {:?}", begun.elapsed());
        assert_eq!(visible(&front), before);
        front.block = None;
        assert!(ask(&mut front, "ABOUT").contains("name="), "{words}");
    }
}

#[test]
fn a_time_limit_beyond_the_engines_costs_the_move() {
    let mut front = started();
    let told = request(&mut front, &["INFO timeout_turn 9223372036854775807", "BEGIN"]);
    assert_eq!(told.clock.control.to_string(), "move 2147483647");
    answer(&mut front, "h8");
    let again = request(&mut front, &["INFO timeout_turn 9223372036854775807", "TURN 0,0"]);
    assert_eq!(again.clock.settings, told.clock.settings);
}

#[test]
fn noise_never_panics_and_every_search_gets_one_answer() {
    const WORDS: [&str; 44] = [
        "START",
        "15",
        "5",
        "22",
        "RESTART",
        "BEGIN",
        "TURN",
        "7,7",
        "0,0",
        "4,4",
        "BOARD",
        "7,7,1",
        "1,2,2",
        "3,4,1",
        "DONE",
        "YXBOARD",
        "SWAP2BOARD",
        "TAKEBACK",
        "PLAY",
        "INFO",
        "rule",
        "4",
        "1",
        "time_left",
        "-3",
        "2147483647",
        "timeout_turn",
        "max_memory",
        "99999999999999999999",
        "YXSTOP",
        "YXNBEST",
        "3",
        "YXSHOWFORBID",
        "YXBALANCEONE",
        "YXBALANCETWO",
        "YXHASHCLEAR",
        "show_detail",
        "pondering",
        "ABOUT",
        "\u{e9}\u{0}",
        ",",
        "-1,-1",
        "1,1,3",
        "SUGGEST",
    ];
    for seed in 0..60 {
        let mut rng = rng(seed);
        let mut front = front(if seed % 3 == 0 { "yixin renju" } else { "" });
        acts(&mut front, "START 15");
        let mut searching = false;
        let mut last = None;
        for step in 0..400 {
            let mut out = Vec::new();
            if searching && below(&mut rng, 3) == 0 {
                let legal = front.desk.referee.legal_moves(None).unwrap_or_default();
                let texts = [
                    "resign".to_owned(),
                    "swap".to_owned(),
                    "h8".to_owned(),
                    "a1 b2".to_owned(),
                    String::new(),
                ];
                let text = match below(&mut rng, 8) {
                    pick @ 0..5 => texts[pick as usize].clone(),
                    _ => legal.first().map(|&mv| front.desk.referee.move_text(mv)).unwrap_or_default(),
                };
                searching = false;
                front.search(0, Event::Done(Ok(Answer { text, elapsed: Duration::ZERO })), &mut out);
            } else if step % 97 == 0 {
                front.too_long("BOARD 1,1", &mut out);
            } else {
                let words = below(&mut rng, 5);
                let line: Vec<&str> =
                    (0..words).map(|_| WORDS[below(&mut rng, WORDS.len() as u32) as usize]).collect();
                front.line(&line.join(if step % 5 == 0 { "," } else { " " }), &mut out);
            }
            for action in out {
                match action {
                    Action::ToGui(text) => {
                        assert!(text.ends_with('\n') && !text.contains("\n\n"), "{text:?}");
                    }
                    Action::Search(request) => {
                        assert!(!searching, "two searches at once");
                        searching = true;
                        last = Some(request);
                    }
                    Action::Stop(_) | Action::Quit => {}
                    other => panic!("{other:?}"),
                }
            }
            assert_eq!(searching, front.running.is_some());
        }
        assert!(last.is_some(), "noise leads to searches");
    }
}
