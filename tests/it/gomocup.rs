//! `tengen-adapter gomocup` as a process, with the real daemon behind it.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use crate::harness::Process;
#[cfg(target_os = "linux")]
use crate::harness::children;
use tengen_engine::games::{self, Referee, Setup};

const QUICK: [&str; 5] = ["gomocup", "--nodes", "300", "--threads", "1"];

/// At once, on a machine that has much else to do.
const SOON: Duration = Duration::from_secs(30);

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
    // The judge of the tournament kills after half a second; a busy machine is to be forgiven more, an
    // engine that thinks on for its ten minutes is not.
    assert!(begun.elapsed() < SOON, "{:?}", begun.elapsed());
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
fn a_table_that_is_cleared_costs_no_move() {
    let mut brain = adapter(&[]);
    assert_eq!(ask(&mut brain, "START 15"), "OK");
    brain.tell("YXHASHCLEAR");
    assert_eq!(pairs(&ask(&mut brain, "BEGIN")).len(), 1);
    brain.tell("YXHASHCLEAR\nYXHASHCLEAR");
    assert_eq!(pairs(&ask(&mut brain, "TURN 0,0")).len(), 1);
}

#[test]
fn the_limit_of_a_move_and_of_the_match_are_both_kept() {
    let mut brain = Process::adapter(&["gomocup"]);
    assert_eq!(ask(&mut brain, "START 15"), "OK");
    let mut timed = |lines: &str| {
        brain.tell(lines);
        let begun = Instant::now();
        answer(&mut brain);
        let taken = begun.elapsed();
        // What a limit that is not kept would take instead is a multiple of it.
        assert!(taken < SOON, "{lines}: {taken:?}");
        taken
    };
    let used = timed("INFO timeout_turn 1000\nINFO timeout_match 0\nINFO time_left 2147483647\nBEGIN");
    assert!(used > Duration::from_millis(500), "the time there is is used: {used:?}");
    timed("INFO timeout_match 3000\nINFO time_left 3000\nINFO timeout_turn 6000000\nTURN 0,0");
    timed("INFO timeout_match 360000000\nINFO time_left 360000000\nINFO timeout_turn 300\nTURN 0,14");
    timed("INFO timeout_turn 6000000\nINFO time_left -5\nTURN 14,0");
    timed("INFO timeout_turn 0\nINFO time_left 2147483647\nTURN 14,14");
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
        let resident = |id: &str| {
            let status = std::fs::read_to_string(format!("/proc/{id}/status")).expect("a process");
            let line = status.lines().find(|line| line.starts_with("VmHWM:")).expect("the peak").to_owned();
            line.split_ascii_whitespace().nth(1).and_then(|kib| kib.parse::<u64>().ok()).expect("KiB")
        };
        let ids: Vec<String> = std::iter::once(id.to_string()).chain(children(id)).collect();
        let used: u64 = ids.iter().map(|id| resident(id)).sum();
        assert!(used < most << 10, "{used} KiB of {most} MiB");
        assert_eq!(ids.len(), 2, "{ids:?}");
    }
}

/// Piskvork reads stderr as if it were stdout.
/// Field bug 28.
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
        let choice = choice(&mut chooser, &opening, 2);
        stones.extend(&choice);
        if choice.len() == 2 {
            let five = format!("{opening} {}", words(&choice));
            stones.extend(self::choice(&mut proposer, &five, 1));
        }
        let side = 0..15;
        assert!(stones.iter().all(|(x, y)| side.contains(x) && side.contains(y)), "{stones:?}");
        assert_eq!(stones.iter().collect::<BTreeSet<_>>().len(), stones.len());
    }
    assert!(openings.len() > 1, "{openings:?}");
}

fn words(points: &[(u8, u8)]) -> String {
    points.iter().map(|(x, y)| format!("{x},{y}")).collect::<Vec<_>>().join(" ")
}

/// The stones put at a step of swap2, at most so many, none for `SWAP`; written as the protocol has it.
fn choice(brain: &mut Process, stones: &str, most: usize) -> Vec<(u8, u8)> {
    let text = ask(brain, &format!("SWAP2BOARD {stones} DONE"));
    if text == "SWAP" {
        return Vec::new();
    }
    let points = pairs(&text);
    assert_eq!(words(&points), text);
    assert!((1..=most).contains(&points.len()), "{text}");
    points
}

/// Stones that win for one side: Black, White, Black, and then White and Black.
#[test]
fn swap2_takes_the_worse_side() {
    let mut brain = Process::adapter(&["gomocup", "--nodes", "20000", "--threads", "1"]);
    assert_eq!(ask(&mut brain, "START 15"), "OK");
    for (black_wins, stones) in [
        (true, "7,7 0,0 8,7"),
        (true, "7,7 14,0 7,8"),
        (true, "7,7 0,0 8,7 14,14 9,7"),
        (false, "0,0 7,7 14,14"),
        (false, "14,0 7,7 0,14"),
        (false, "0,0 7,7 14,14 8,8 14,0"),
    ] {
        let chosen = choice(&mut brain, stones, 2);
        // White stays by its own next stone.
        assert_eq!(chosen.len(), usize::from(!black_wins), "{stones}: {chosen:?}");
    }
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
        assert!(begun.elapsed() < SOON, "{:?}", begun.elapsed());
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
