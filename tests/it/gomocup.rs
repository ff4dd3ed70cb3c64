//! `tengen-adapter gomocup` as a process, with the real daemon behind it.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use crate::harness::Process;
use tengen_engine::games::{self, Referee, Setup};

const QUICK: [&str; 5] = ["gomocup", "--nodes", "300", "--threads", "1"];

fn adapter(args: &[&str]) -> Process {
    let all: Vec<&str> = QUICK.iter().chain(args).copied().collect();
    Process::adapter(&all)
}

/// The next line that is no message.
fn answer(brain: &mut Process) -> String {
    loop {
        let line = brain.hear();
        if !line.starts_with("MESSAGE ") {
            return line;
        }
    }
}

fn ask(brain: &mut Process, line: &str) -> String {
    brain.tell_bytes(format!("{line}\r\n").as_bytes());
    answer(brain)
}

fn pairs(text: &str) -> Vec<(u8, u8)> {
    let pair = |word: &str| {
        let (x, y) = word.split_once(',').unwrap_or_else(|| panic!("no point: {text}"));
        (x.parse().expect("a number"), y.parse().expect("a number"))
    };
    text.split(' ').map(pair).collect()
}

fn play(referee: &mut dyn Referee, (column, row): (u8, u8)) {
    let mv = referee.move_of(&[tengen_engine::game::Point { column, row }]).expect("on the board");
    referee.play(None, mv).unwrap_or_else(|why| panic!("{column},{row}: {why} in {referee:?}"));
}

/// Two brains to the end of the game, as a match runner plays them, under every rule.
#[test]
fn whole_games_under_every_rule_have_only_legal_moves() {
    for (rule, name, side) in
        [(0, "freestyle", 15), (1, "standard", 20), (4, "renju", 15), (8, "caro", 9), (9, "caro", 5)]
    {
        let setup = format!("gomoku size {side} rules {name}");
        let mut referee = games::referee(Setup::parse(setup.split(' ')).expect("a set-up")).expect("a game");
        let mut brains = [adapter(&["--seed", "1"]), adapter(&["--seed", "2"])];
        for brain in &mut brains {
            assert_eq!(ask(brain, &format!("START {side}")), "OK");
            brain.tell(&format!("INFO rule {rule}\nINFO timeout_turn 5000\nINFO max_memory 80000000"));
        }
        let mut line = "BEGIN".to_owned();
        let mut turn = 0;
        while referee.ending().is_none() {
            let text = ask(&mut brains[turn], &line);
            play(&mut *referee, pairs(&text)[0]);
            line = format!("TURN {text}");
            turn = 1 - turn;
        }
        for mut brain in brains {
            brain.tell("END");
            assert!(brain.wait().success());
            assert_eq!(brain.finish().1, [""; 0]);
        }
    }
}

#[test]
fn after_end_nothing_is_written_and_the_process_is_gone_at_once() {
    let mut brain = Process::adapter(&["gomocup"]);
    assert_eq!(ask(&mut brain, "START 15"), "OK");
    brain.tell("INFO timeout_turn 600000\nBEGIN");
    std::thread::sleep(Duration::from_millis(400));
    let begun = Instant::now();
    brain.tell("END");
    assert!(brain.wait().success());
    // The judge of the tournament kills after half a second.
    assert!(begun.elapsed() < Duration::from_millis(500), "{:?}", begun.elapsed());
    assert_eq!(brain.finish().1, [""; 0]);
}

#[test]
fn a_stopped_search_answers_with_a_move() {
    let mut brain = Process::adapter(&["gomocup"]);
    assert_eq!(ask(&mut brain, "START 15"), "OK");
    brain.tell("INFO timeout_turn 600000\nTURN 7,7");
    std::thread::sleep(Duration::from_millis(400));
    assert_eq!(pairs(&ask(&mut brain, "YXSTOP")).len(), 1);
}

#[test]
fn the_limit_of_a_move_and_of_the_match_are_both_kept() {
    let mut brain = Process::adapter(&["gomocup"]);
    assert_eq!(ask(&mut brain, "START 15"), "OK");
    let mut timed = |lines: &str, most: f64| {
        brain.tell(lines);
        let begun = Instant::now();
        answer(&mut brain);
        let taken = begun.elapsed().as_secs_f64();
        // The rest is for the machine, which others use too.
        assert!(taken < most + 0.5, "{lines}: {taken}");
        taken
    };
    timed("INFO timeout_turn 1000\nINFO timeout_match 0\nINFO time_left 2147483647\nBEGIN", 1.0);
    assert!(timed("INFO timeout_turn 1000\nTURN 0,0", 1.0) > 0.5, "the time there is is used");
    timed("INFO timeout_match 3000\nINFO time_left 3000\nINFO timeout_turn 60000\nTURN 0,14", 1.0);
    timed("INFO timeout_match 3600000\nINFO time_left 3600000\nINFO timeout_turn 300\nTURN 14,0", 0.3);
    timed("INFO time_left -5\nTURN 14,14", 0.2);
    timed("INFO timeout_turn 0\nINFO time_left 2147483647\nTURN 14,7", 0.1);
}

#[test]
#[cfg(target_os = "linux")]
fn memory_stays_below_what_the_manager_allows() {
    for most in [64_u64, 200] {
        let mut brain = Process::adapter(&["gomocup", "--threads", "2"]);
        assert_eq!(ask(&mut brain, "START 20"), "OK");
        brain.tell(&format!("INFO max_memory {}\nINFO timeout_turn 2500", most << 20));
        for line in ["BEGIN", "TURN 5,5", "TURN 5,6"] {
            ask(&mut brain, line);
        }
        let id = brain.id();
        let children =
            std::fs::read_to_string(format!("/proc/{id}/task/{id}/children")).expect("the children");
        let resident = |id: &str| {
            let status = std::fs::read_to_string(format!("/proc/{id}/status")).expect("a process");
            let line = status.lines().find(|line| line.starts_with("VmHWM:")).expect("the peak").to_owned();
            line.split_ascii_whitespace().nth(1).and_then(|kib| kib.parse::<u64>().ok()).expect("KiB")
        };
        let ids: Vec<String> = std::iter::once(id.to_string())
            .chain(children.split_ascii_whitespace().map(str::to_owned))
            .collect();
        let used: u64 = ids.iter().map(|id| resident(id)).sum();
        assert!(used < most << 10, "{used} KiB of {most} MiB");
        assert_eq!(ids.len(), 2, "{ids:?}");
    }
}

/// Piskvork reads stderr as if it were stdout.
#[test]
fn nothing_is_written_on_stderr() {
    use std::io::Write;
    let mut child = std::process::Command::new(env!("CARGO_BIN_EXE_test-adapter"))
        .args(QUICK)
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .expect("the adapter starts");
    let lines = "START 3\nSTART 15\nFOO\nINFO x y\nINFO max_memory 1\nBEGIN\nTURN 99,1\nBOARD 1,1,1\n";
    child.stdin.take().expect("a pipe").write_all(lines.as_bytes()).expect("it reads");
    let output = child.wait_with_output().expect("it ends");
    assert!(output.status.success());
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(
        text.contains("\nOK\n") && text.lines().any(|l| l.starts_with(|c: char| c.is_ascii_digit())),
        "{text}"
    );
}

/// One program proposes, the other chooses, to the end of the opening; and openings differ.
#[test]
fn swap2_is_played_to_the_end_and_openings_differ() {
    let mut openings = BTreeSet::new();
    for _ in 0..4 {
        let mut proposer = adapter(&[]);
        let mut chooser = adapter(&[]);
        for brain in [&mut proposer, &mut chooser] {
            assert_eq!(ask(brain, "START 15"), "OK");
            brain.tell("INFO timeout_turn 1000");
        }
        proposer.tell("SWAP2BOARD");
        let opening = ask(&mut proposer, "DONE");
        let mut stones = pairs(&opening);
        assert_eq!(stones.len(), 3);
        openings.insert(opening.clone());
        let choice = ask(&mut chooser, &format!("SWAP2BOARD {opening} DONE"));
        if choice != "SWAP" {
            stones.extend(pairs(&choice));
        }
        if stones.len() == 5 {
            let choice = ask(&mut proposer, &format!("SWAP2BOARD {opening} {choice} DONE"));
            if choice != "SWAP" {
                stones.extend(pairs(&choice));
            }
        }
        assert_eq!(stones.iter().collect::<BTreeSet<_>>().len(), stones.len());
    }
    assert!(openings.len() > 1, "{openings:?}");
}

/// With a seed and a node limit every step is the same on every run; in one session the next game gets
/// another opening.
#[test]
fn openings_of_the_daemon_are_repeatable_and_change_from_game_to_game() {
    let proposals = || {
        let mut engine = Process::engine(&["--nodes", "4000", "--seed", "9"]);
        let propose = |engine: &mut Process| {
            engine.ok("newgame gomoku");
            engine.ok("swap2")
        };
        [propose(&mut engine), propose(&mut engine)]
    };
    let [first, second] = proposals();
    assert_ne!(first, second);
    assert_eq!(proposals(), [first, second]);
}

#[test]
fn a_step_of_swap2_is_stopped_and_reports_when_asked() {
    let mut brain = Process::adapter(&["gomocup"]);
    assert_eq!(ask(&mut brain, "START 15"), "OK");
    for (block, least) in [("", 3), (" 5,1 2,4 1,5", 0)] {
        brain.tell(&format!("INFO timeout_turn 600000\nSWAP2BOARD{block} DONE"));
        std::thread::sleep(Duration::from_millis(300));
        let begun = Instant::now();
        let text = ask(&mut brain, "YXSTOP");
        assert!(begun.elapsed() < Duration::from_secs(2));
        assert!(text == "SWAP" && least == 0 || pairs(&text).len() >= least, "{text}");
    }
    let mut engine = Process::engine(&["--nodes", "3000"]);
    engine.ok("newgame gomoku");
    engine.ok("info on");
    engine.tell("swap2");
    let line = engine.hear();
    let stones = engine.reply().expect("three stones");
    assert!(line.starts_with("info depth ") && line.ends_with(&format!("pv {stones}")), "{line}");
}

/// The engine is killed again and again during a game: the manager sees nothing but moves.
#[test]
#[cfg(unix)]
fn a_killed_engine_costs_no_move() {
    let mut brain = Process::adapter(&["gomocup", "--threads", "1"]);
    let mut referee = games::referee(Setup::parse(["gomoku"]).expect("a set-up")).expect("a game");
    assert_eq!(ask(&mut brain, "START 15"), "OK");
    brain.tell("INFO timeout_turn 400");
    play(&mut *referee, pairs(&ask(&mut brain, "BEGIN"))[0]);
    for number in 0..6_u8 {
        let id = brain.id();
        let children = std::fs::read_to_string(format!("/proc/{id}/task/{id}/children")).unwrap_or_default();
        let reply = (number * 2, 14 - number % 3);
        brain.tell(&format!("TURN {},{}", reply.0, reply.1));
        std::thread::sleep(Duration::from_millis(60));
        for child in children.split_ascii_whitespace() {
            let _gone = std::process::Command::new("kill").args(["-9", child]).status();
        }
        play(&mut *referee, reply);
        play(&mut *referee, pairs(&answer(&mut brain))[0]);
        if referee.ending().is_some() {
            return;
        }
    }
}
