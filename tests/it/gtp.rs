//! `tengen-adapter gtp` as a process, with the real daemon behind it.

use std::time::{Duration, Instant};

use crate::harness::Process;

const QUICK: [&str; 6] = ["--nodes", "200", "--threads", "1", "--seed", "1"];

fn adapter(args: &[&str]) -> Process {
    let mut all = vec!["gtp"];
    all.extend(QUICK);
    all.extend(args);
    Process::adapter(&all)
}

/// Process ids of the children of a process.
#[cfg(target_os = "linux")]
fn children(id: u32) -> Vec<String> {
    let listed = std::fs::read_to_string(format!("/proc/{id}/task/{id}/children")).unwrap_or_default();
    listed.split_ascii_whitespace().map(str::to_owned).collect()
}

/// The engine against itself to the end as match runners see it, a game of each kind.
#[test]
fn whole_games_end_as_match_runners_need_it() {
    for (args, first, last) in [
        (&["--game", "nogo", "--size", "5"][..], "b", "resign"),
        (&["--game", "gomoku", "--size", "7"], "b", ""),
        (&["--game", "othello", "--size", "6"], "b", "pass"),
        (&["--game", "amazons", "--size", "5"], "w", "resign"),
    ] {
        let mut gtp = adapter(args);
        let mut color = first;
        let mut passes = 0;
        let ending = loop {
            let text = gtp.ok(&format!("genmove {color}"));
            passes = if text == "pass" { passes + 1 } else { 0 };
            if text == "resign" || passes == 2 {
                break text;
            }
            color = if color == "b" { "w" } else { "b" };
        };
        assert!(last.is_empty() || ending == last, "{args:?}: {ending}");
        let score = gtp.ok("final_score");
        assert!(score == "0" || score.starts_with("B+") || score.starts_with("W+"), "{score}");
        let (status, rest) = gtp.finish();
        assert!(status.success() && rest.is_empty(), "{args:?}: {status} {rest:?}");
    }
}

/// GoGui starts four processes to play a game, and three of them never think.
#[test]
#[cfg(target_os = "linux")]
fn the_engine_starts_with_the_first_search_and_ends_with_the_adapter() {
    let mut gtp = adapter(&["--game", "othello"]);
    for command in
        ["gogui-rules_legal_moves", "play b d3", "showboard", "undo", "genmove x", "time_settings 9 0 0"]
    {
        let _reply = gtp.ask(command);
    }
    assert!(children(gtp.id()).is_empty());
    gtp.ok("genmove b");
    let engines = children(gtp.id());
    assert_eq!(engines.len(), 1);
    let (status, _) = gtp.finish();
    assert!(status.success());
    assert!(!std::path::Path::new(&format!("/proc/{}", engines[0])).exists(), "the engine lives on");
}

#[test]
#[cfg(target_os = "linux")]
fn an_engine_killed_in_a_search_is_started_again_and_the_search_answered() {
    let mut gtp = Process::adapter(&["gtp", "--game", "nogo", "--move-time", "1500"]);
    gtp.ok("play b d4");
    gtp.tell("genmove w");
    let patience = Instant::now() + Duration::from_secs(30);
    while children(gtp.id()).is_empty() && Instant::now() < patience {
        std::thread::sleep(Duration::from_millis(2));
    }
    std::thread::sleep(Duration::from_millis(300));
    let engine = children(gtp.id()).remove(0);
    assert!(std::process::Command::new("kill").args(["-9", &engine]).status().unwrap().success());
    let mv = gtp.reply().expect("a move");
    assert_ne!(children(gtp.id()), [engine]);
    assert!(gtp.ok("tengen-history").ends_with(&format!("w {mv}")));
}

#[test]
fn input_that_ends_is_answered_to_the_end() {
    let mut gtp = adapter(&["--game", "gomoku"]);
    gtp.tell_bytes(b"1 genmove b\n2 name\n3 genmove w\n4 showboard");
    let (status, lines) = gtp.finish();
    assert!(status.success());
    let starts: Vec<&str> = lines.iter().filter(|l| l.starts_with('=')).map(|l| &l[..3]).collect();
    assert_eq!(starts, ["=1 ", "=2 ", "=3 ", "=4 "], "{lines:?}");
}

#[test]
fn a_search_is_interrupted() {
    let mut gtp = Process::adapter(&["gtp", "--game", "nogo", "--move-time", "600000"]);
    gtp.tell("7 genmove b");
    std::thread::sleep(Duration::from_millis(200));
    gtp.tell("# interrupt");
    assert!(gtp.hear().starts_with("=7 "));
}

#[test]
fn an_analysis_reports_until_the_next_line() {
    let mut gtp = Process::adapter(&["gtp", "--game", "othello"]);
    gtp.tell("5 lz-analyze b 10");
    assert_eq!(gtp.hear(), "=5");
    for _ in 0..3 {
        let report = gtp.hear();
        assert!(report.starts_with("info move ") && report.contains(" order 0 pv "), "{report}");
        assert!(report.contains(" order 3 pv "), "all four first moves in one line: {report}");
    }
    gtp.tell("6 name");
    let ending = std::iter::repeat_with(|| gtp.hear()).find(|line| !line.starts_with("info ")).unwrap();
    assert_eq!(ending, "");
    assert_eq!(gtp.hear(), "=6 Tengen");
    assert_eq!(gtp.hear(), "");
    gtp.tell("kata-genmove_analyze b interval 10 maxmoves 2");
    assert_eq!(gtp.hear(), "=");
    let played = std::iter::repeat_with(|| gtp.hear()).find(|line| !line.starts_with("info ")).unwrap();
    assert!(played.starts_with("play "), "{played}");
}

/// Each of GoGui's rulers is sent the whole game again and again.
#[test]
fn rulers_answer_fifteen_thousand_commands_in_no_time() {
    let mut gtp = adapter(&["--game", "amazons"]);
    // From here on it is GoGui that is there.
    assert_eq!(gtp.ok("gogui-rules_game_id"), "Amazons");
    let begun = Instant::now();
    let round = "clear_board\nplay w D1\nplay w D7\nplay w G7\ngogui-rules_board\ngogui-rules_board_size\n\
                 gogui-rules_side_to_move\ngogui-rules_legal_moves\ngogui-rules_board_gfx\nplay w D1\n";
    for _ in 0..1500 {
        gtp.tell_bytes(round.as_bytes());
        for number in 0..10 {
            assert_eq!(gtp.reply().is_ok(), number < 9, "{number}");
        }
    }
    assert!(begun.elapsed() < Duration::from_secs(30), "{:?}", begun.elapsed());
}

#[test]
fn a_bad_command_line_is_refused_in_words() {
    for args in [
        &["gtp", "--game", "chess"][..],
        &["gtp", "--size", "99"],
        &["gtp", "--engine", "'unclosed"],
        &["gtp", "--connect", "nowhere"],
        &["gtp", "--level", "21"],
        &["gtp", "--profile", "cgoban"],
    ] {
        let (status, lines) = Process::adapter(args).finish();
        assert_eq!(status.code(), Some(2), "{args:?}");
        assert!(lines.is_empty(), "stdout is the protocol's: {lines:?}");
    }
}

#[test]
fn an_engine_that_does_not_start_is_reported_and_the_game_kept() {
    let mut gtp = Process::adapter(&["gtp", "--engine", "/no/such/engine --flag"]);
    gtp.ok("play b d4");
    let error = gtp.ask("genmove w").unwrap_err();
    assert!(error.starts_with("cannot start \"/no/such/engine\""), "{error}");
    assert_eq!(gtp.ok("tengen-history"), "b D4");
}

#[test]
fn two_adapters_share_a_daemon() {
    let mut daemon = Process::engine(&["--listen", "tcp:127.0.0.1:0", "--nodes", "200"]);
    let address = daemon.hear().strip_prefix("listening ").expect("the address").to_owned();
    let mut nogo = Process::adapter(&["gtp", "--game", "nogo", "--connect", &address]);
    let mut othello = Process::adapter(&["gtp", "--game", "othello", "--connect", &address]);
    for _ in 0..2 {
        for color in ["b", "w"] {
            nogo.ok(&format!("genmove {color}"));
            othello.ok(&format!("genmove {color}"));
        }
    }
    assert!(nogo.finish().0.success());
    assert!(othello.ok("genmove b").len() == 2);
}
