//! `tengen-adapter gtp` as a process, with the real daemon behind it.

use std::time::{Duration, Instant};

use crate::harness::Process;
#[cfg(target_os = "linux")]
use crate::harness::children;

const QUICK: [&str; 6] = ["--nodes", "200", "--threads", "1", "--seed", "1"];

fn adapter(args: &[&str]) -> Process {
    let mut all = vec!["gtp"];
    all.extend(QUICK);
    all.extend(args);
    Process::adapter(&all)
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

/// Field bugs 30 and 31.
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

/// Field bug 29: its end is the empty line.
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

/// A folder of one test, a blank in its name, which goes with the test.
#[cfg(unix)]
struct Scratch(std::path::PathBuf);

#[cfg(unix)]
impl Scratch {
    fn new(test: &str) -> Scratch {
        let folder = std::env::temp_dir().join(format!("tengen {test} {}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a temporary folder");
        Scratch(folder)
    }

    fn file(&self, name: &str) -> String {
        self.0.join(name).to_str().expect("UTF-8").to_owned()
    }
}

#[cfg(unix)]
impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// The nodes that the last search added to its tree.
#[cfg(unix)]
fn nodes(gtp: &mut Process) -> u64 {
    let text = gtp.ok("gomill-explain_last_move");
    let words: Vec<&str> = text.split(' ').collect();
    let at = words.iter().position(|&word| word == "nodes").unwrap_or_else(|| panic!("{text}"));
    words[at - 1].parse().expect("a number")
}

/// Some managers send the whole game before each search.
/// Field bug 46.
#[test]
#[cfg(unix)]
fn the_tree_lives_on_when_the_game_is_sent_again() {
    let scratch = Scratch::new("tree");
    let log = scratch.file("commands.txt");
    let engine = format!("sh -c 'tee \"{log}\" | \"{}\"'", env!("CARGO_BIN_EXE_test-engine"));
    let options = ["--nodes", "20000", "--algorithm", "mcts", "--threads", "1", "--seed", "1"];
    let game = ["gtp", "--game", "nogo", "--engine", &engine];
    let mut gtp = Process::adapter(&[&game[..], &options].concat());
    gtp.ok("time_settings 600 0 0");
    let black = gtp.ok("genmove b");
    let fresh = nodes(&mut gtp);
    let white = gtp.ok("genmove w");
    gtp.ok("clear_board");
    gtp.ok(&format!("play b {black}"));
    gtp.ok(&format!("play w {white}"));
    gtp.ok("genmove b");
    let kept = nodes(&mut gtp);
    assert!(kept < fresh * 9 / 10, "nothing was kept: {fresh} nodes, then {kept}");
    // Less of the game: it may be another one, but it begins in the same tree.
    gtp.ok("clear_board");
    gtp.ok(&format!("play b {black}"));
    gtp.ok("genmove w");
    assert!(gtp.finish().0.success());
    let said = std::fs::read_to_string(&log).expect("what the engine was told");
    let said: Vec<&str> =
        said.lines().filter_map(|line| line.split_once(' ')).map(|(_, command)| command).collect();
    let many = |start: &str| said.iter().filter(|line| line.starts_with(start)).count();
    assert_eq!((many("newgame"), many("undo 2"), many("play")), (1, 1, 0), "{said:?}");
    assert_eq!(said[said.len() - 3..], ["undo 2", "time_control absolute 600", "genmove w"], "{said:?}");
}

/// An engine that reads nothing and says nothing, as a child process.
#[cfg(unix)]
fn silent() -> Process {
    Process::adapter(&["gtp", "--game", "nogo", "--engine", "sleep 100"])
}

// The bounds are twice what they should be, because test machines are shared.

#[test]
#[cfg(unix)]
fn a_silent_engine_is_reported() {
    let mut gtp = silent();
    let begun = Instant::now();
    assert_eq!(gtp.ask("genmove b"), Err("the engine is gone: it does not answer".to_owned()));
    assert!(begun.elapsed() < Duration::from_secs(10), "{:?}", begun.elapsed());
    let begun = Instant::now();
    gtp.tell("genmove b");
    std::thread::sleep(Duration::from_millis(200));
    gtp.tell("# interrupt");
    assert!(gtp.reply().unwrap_err().starts_with("the engine is gone: "));
    assert!(begun.elapsed() < Duration::from_secs(9), "{:?}", begun.elapsed());
    assert_eq!(gtp.ok("name"), "Tengen");
}

#[test]
#[cfg(unix)]
fn a_silent_engine_does_not_keep_the_adapter() {
    for ending in [&b"genmove b\ngenmove w\nquit\n"[..], b"genmove b\ngenmove w\n", b"lz-analyze b 10\n"] {
        let mut gtp = silent();
        gtp.tell_bytes(ending);
        if ending.ends_with(b"quit\n") {
            let begun = Instant::now();
            assert!(gtp.wait().success());
            assert!(begun.elapsed() < Duration::from_secs(4), "{:?}", begun.elapsed());
        }
        let begun = Instant::now();
        let (status, lines) = gtp.finish();
        assert!(status.success() && lines.iter().any(|line| line.starts_with("? ")), "{status} {lines:?}");
        assert!(begun.elapsed() < Duration::from_secs(4), "{:?}", begun.elapsed());
    }
}

#[test]
#[cfg(target_os = "linux")]
fn an_engine_that_hangs_in_a_search_does_not_keep_the_adapter() {
    let mut gtp = Process::adapter(&["gtp", "--game", "nogo", "--move-time", "600000"]);
    gtp.tell("genmove b");
    let patience = Instant::now() + Duration::from_secs(30);
    while children(gtp.id()).is_empty() && Instant::now() < patience {
        std::thread::sleep(Duration::from_millis(2));
    }
    std::thread::sleep(Duration::from_millis(300));
    let engine = children(gtp.id()).remove(0);
    assert!(std::process::Command::new("kill").args(["-STOP", &engine]).status().unwrap().success());
    let begun = Instant::now();
    let (status, lines) = gtp.finish();
    assert!(begun.elapsed() < Duration::from_secs(5), "{:?}", begun.elapsed());
    // The adapter moves by the rules itself.
    assert!(status.success() && lines[0].len() > 2 && lines[0].starts_with("= "), "{status} {lines:?}");
    assert!(!std::path::Path::new(&format!("/proc/{engine}")).exists(), "the engine lives on");
}

/// Input that has ended is no reason to hurry an engine that is well.
#[test]
fn a_long_search_is_finished_after_the_end_of_input() {
    let mut gtp = Process::adapter(&["gtp", "--game", "nogo", "--move-time", "6000"]);
    gtp.tell("genmove b");
    let begun = Instant::now();
    let (status, lines) = gtp.finish();
    assert!(status.success() && lines[0].starts_with("= "), "{status} {lines:?}");
    assert!(begun.elapsed() > Duration::from_secs(3), "{:?}", begun.elapsed());
}

#[test]
#[cfg(unix)]
fn records_have_names_with_blanks_and_pipes_are_none() {
    let mut gtp = adapter(&["--game", "othello"]);
    for command in ["play b d3", "play w c3"] {
        gtp.ok(command);
    }
    let scratch = Scratch::new("records");
    let path = scratch.file("my game 1");
    gtp.ok(&format!("printsgf {path}"));
    gtp.ok("clear_board");
    gtp.ok(&format!("loadsgf {path}"));
    assert_eq!(gtp.ok("tengen-history"), "b D3 w C3");
    gtp.ok(&format!("loadsgf \"{path}\" 2"));
    assert_eq!(gtp.ok("tengen-history"), "b D3");
    let pipe = scratch.file("pipe");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    for command in ["loadsgf", "printsgf"] {
        let problem = gtp.ask(&format!("{command} {pipe}")).unwrap_err();
        assert!(problem.ends_with(" file: not a regular file"), "{problem}");
    }
    assert!(gtp.ask("loadsgf /dev/zero").is_err());
}

/// The engine itself knows no filters.
#[test]
fn an_analysis_of_some_moves_reports_and_plays_only_those() {
    for algorithm in ["mcts", "alphabeta"] {
        let mut gtp = adapter(&["--game", "nogo", "--algorithm", algorithm]);
        gtp.tell("lz-analyze b 20 allow b c3 1");
        assert_eq!(gtp.hear(), "=");
        let report = gtp.hear();
        assert!(report.starts_with("info move C3 ") && report.contains(" order 0 pv C3"), "{report}");
        assert!(!report.contains(" order 1 "), "{report}");
        gtp.tell("kata-genmove_analyze b interval 10 allow b c3 1");
        let mut play =
            || std::iter::repeat_with(|| gtp.hear()).find(|line| line.starts_with("play ")).unwrap();
        assert_eq!(play(), "play C3");
        gtp.tell("kata-genmove_analyze w avoid w c2,c4,d3,b3 9 allow w c4,a1,c2 9");
        let mut play =
            || std::iter::repeat_with(|| gtp.hear()).find(|line| line.starts_with("play ")).unwrap();
        assert_eq!(play(), "play A1");
        let black = gtp.ask("genmove b").or_else(|_| gtp.reply()).expect("a move");
        assert_eq!(gtp.ok("tengen-history"), format!("b C3 w A1 b {black}"));
    }
}
