//! Faults that other engines were reported for by the users of GTP clients, each test named after what
//! went wrong there. Those of the other protocols stand with their fronts, those of the daemon's own
//! order of answers in `daemon.rs`. Each fault has a number in the notes they were collected in; the comment
//! of a test gives it after the words "Field bug".

use std::collections::BTreeSet;
use std::path::Path;
use std::time::{Duration, Instant};

use crate::harness::Process;

fn gtp(args: &[&str]) -> Process {
    Process::adapter(&[&["gtp"], args].concat())
}

/// Seconds spent in searches for moves, by the adapter's account.
fn spent(gtp: &mut Process) -> f64 {
    gtp.ok("cputime").parse().expect("seconds")
}

/// Field bug 1.
#[test]
fn half_second_moves_on_kgs_with_byoyomi() {
    let mut gtp = gtp(&["--game", "nogo"]);
    gtp.ok("kgs-time_settings byoyomi 0 3 5");
    gtp.ok("genmove b");
    assert!(spent(&mut gtp) > 0.6, "the period is there to be used: {}", spent(&mut gtp));
}

/// Field bug 2.
#[test]
fn all_main_time_used_up_because_nobody_sends_time_left() {
    let mut gtp = gtp(&["--game", "amazons", "--size", "6"]);
    gtp.ok("time_settings 4 0 0");
    while gtp.ok("genmove w") != "resign" && gtp.ok("genmove b") != "resign" {}
    let spent = spent(&mut gtp);
    assert!((0.5..8.0).contains(&spent), "{spent} of two clocks of four seconds");
}

/// Field bug 3.
#[test]
fn negative_time_left_is_an_error() {
    let mut gtp = gtp(&["--game", "nogo"]);
    gtp.ok("time_settings 300 0 0");
    assert_eq!(gtp.ok("time_left b -3 0"), "");
    let begun = Instant::now();
    gtp.ok("genmove b");
    assert!(begun.elapsed() < Duration::from_secs(5), "no time is no time: {:?}", begun.elapsed());
}

/// Field bug 5.
#[test]
fn instant_moves_when_the_settings_are_sent_again_with_what_is_left() {
    let mut gtp = gtp(&["--game", "nogo"]);
    for left in [30, 28, 26] {
        for side in ["b", "w"] {
            gtp.ok(&format!("kgs-time_settings byoyomi {left} 5 3"));
            gtp.ok(&format!("time_left {side} {left} 0"));
            gtp.ok(&format!("genmove {side}"));
        }
    }
    assert!(spent(&mut gtp) > 2.0, "six moves in {} s", spent(&mut gtp));
}

/// Field bug 6.
#[test]
fn whole_main_time_spent_on_one_move_when_fischer_comes_as_canadian() {
    let mut gtp = gtp(&["--game", "nogo"]);
    gtp.ok("time_settings 20 3 1");
    gtp.ok("time_left b 20 0");
    gtp.ok("genmove b");
    assert!(spent(&mut gtp) < 8.0, "{}", spent(&mut gtp));
}

/// Field bug 8.
#[test]
fn no_limit_in_any_spelling_is_refused() {
    let mut gtp = gtp(&["--game", "nogo", "--move-time", "50"]);
    for settings in ["0 1 0", "0 0 1", "0 0 0", "0 0 25"] {
        gtp.ok(&format!("time_settings {settings}"));
        gtp.ok("genmove b");
        gtp.ok("undo");
    }
}

/// Field bug 47.
#[test]
fn settings_and_options_lost_by_clear_board() {
    let mut gtp = gtp(&["--game", "nogo"]);
    gtp.ok("komi 6.5");
    gtp.ok("tengen-param level 3");
    gtp.ok("time_settings 1 0 0");
    gtp.ok("clear_board");
    assert_eq!(gtp.ok("get_komi"), "6.5");
    assert!(gtp.ok("tengen-param").contains("level 3"));
    gtp.ok("genmove b");
    assert!(spent(&mut gtp) < 0.9, "the clock of a second is still set: {}", spent(&mut gtp));
}

/// Field bugs 25, 26 and 27: nothing before the first reply, each framed and sent at once, with its id glued to it.
#[test]
fn a_banner_or_a_log_on_stdout() {
    let mut gtp = gtp(&["--game", "nogo", "--nodes", "50"]);
    gtp.tell("1 name");
    assert_eq!(gtp.hear(), "=1 Tengen", "nothing before it");
    assert_eq!(gtp.hear(), "");
    gtp.tell("2 genmove b");
    assert!(gtp.hear().starts_with("=2 "));
    assert_eq!(gtp.hear(), "");
    assert_eq!(gtp.finish().1, [""; 0]);
}

/// Field bug 29b.
#[test]
fn a_board_or_record_with_an_empty_line_inside_its_reply() {
    let mut gtp = gtp(&["--game", "othello"]);
    gtp.ok("play b d3");
    for command in
        ["showboard", "printsgf", "list_commands", "gogui-analyze_commands", "help", "tengen-param"]
    {
        gtp.tell(&format!("1 {command}"));
        gtp.tell("2 name");
        let mut lines = Vec::new();
        while lines.last().is_none_or(|line: &String| !line.starts_with("=2")) {
            lines.push(gtp.hear());
        }
        assert_eq!(lines.iter().filter(|line| line.is_empty()).count(), 1, "{command}: {lines:?}");
        assert_eq!(gtp.hear(), "");
    }
}

/// Field bug 29a.
#[test]
fn an_analysis_without_an_interval_never_says_anything() {
    let mut gtp = gtp(&["--game", "nogo"]);
    gtp.tell("kata-analyze b");
    assert_eq!(gtp.hear(), "=");
    std::thread::sleep(Duration::from_millis(300));
    gtp.tell("protocol_version");
    let report = gtp.hear();
    assert!(report.starts_with("info move "), "a last report at least: {report}");
}

/// Field bugs 38 and 40: a resignation is no move either.
#[test]
fn a_play_without_a_vertex_is_taken_for_a_pass() {
    let mut gtp = gtp(&["--game", "othello"]);
    for line in ["play b", "play w", "play b pass", "play b resign"] {
        assert!(gtp.ask(line).is_err(), "{line}");
    }
    assert_eq!(gtp.ok("tengen-history"), "");
}

/// Field bug 41.
#[test]
fn genmove_after_the_end_is_an_internal_error() {
    for (args, moves, answer) in [
        (&["--game", "nogo", "--size", "1"][..], &[][..], "resign"),
        (&["--game", "nogo", "--size", "2x1"], &["b a1"], "resign"),
        (
            &["--game", "gomoku", "--size", "5"],
            &["b a1", "w b1", "b a2", "w b2", "b a3", "w b3", "b a4", "w b4", "b a5"],
            "resign",
        ),
    ] {
        let mut gtp = gtp(args);
        for mv in moves {
            gtp.ok(&format!("play {mv}"));
        }
        let side = if moves.len() % 2 == 0 { "b" } else { "w" };
        for _ in 0..2 {
            assert_eq!(gtp.ok(&format!("genmove {side}")), answer, "{args:?}");
        }
    }
}

/// Field bug 39.
#[test]
fn a_resignation_counts_as_a_move() {
    let mut gtp = gtp(&["--game", "nogo", "--size", "2x1"]);
    gtp.ok("play b a1");
    assert_eq!(gtp.ok("genmove w"), "resign");
    gtp.ok("undo");
    assert_eq!(gtp.ok("tengen-history"), "", "one undo takes back Black's move");
}

/// Field bug 48.
#[test]
fn full_processor_use_without_a_legal_move() {
    let mut gtp = gtp(&["--game", "nogo", "--size", "1"]);
    gtp.tell("lz-analyze b 10");
    assert_eq!(gtp.hear(), "=");
    // Nothing to search: nothing more is said until the client ends it.
    assert_eq!(gtp.hear_within(Duration::from_millis(200)), None);
    gtp.tell("name");
    assert_eq!(gtp.hear(), "");
    assert_eq!(gtp.hear(), "= Tengen");
}

/// Field bugs 45 and 52.
#[test]
fn counts_are_wrong_after_undo() {
    let mut gtp = gtp(&["--game", "nogo", "--nodes", "300", "--threads", "1"]);
    let first = gtp.ok("genmove b");
    gtp.ok("undo");
    gtp.ok("play b a1");
    gtp.ok("undo");
    for _ in 0..3 {
        assert_eq!(gtp.ok("reg_genmove b"), first, "the same position, the same tree");
    }
}

/// Field bug 20.
#[test]
fn pondering_writes_something() {
    let mut gtp = gtp(&["--game", "nogo", "--move-time", "50", "--ponder"]);
    gtp.ok("genmove b");
    assert_eq!(gtp.hear_within(Duration::from_millis(500)), None);
    assert_eq!(gtp.ok("name"), "Tengen");
}

/// The faults that cannot be ours, and why.
const NOT_OURS: [(&str, &str); 2] = [
    ("18", "the GUI tells the engine of a move it did not play; no engine can know"),
    ("24", "nothing is loaded: the weights are in the program, the tables take milliseconds"),
];

/// The numbers behind "Field bug" in the comments of tests, in all files of a folder.
fn numbers(folder: &Path, found: &mut BTreeSet<String>) {
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            numbers(&path, found);
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            let text = std::fs::read_to_string(&path).expect("a text");
            let mut told = Vec::new();
            for line in text.lines() {
                if let Some(comment) = line.strip_prefix("/// ") {
                    let bugs = comment.strip_prefix("Field bug").unwrap_or_default();
                    let bugs = bugs.split([':', '.', ';']).next().unwrap_or_default();
                    let words = bugs.split([' ', ',']).map(str::to_owned);
                    told.extend(words.filter(|word| word.starts_with(|c: char| c.is_ascii_digit())));
                } else if line == "#[test]" {
                    found.extend(told.drain(..));
                } else {
                    told.clear();
                }
            }
        }
    }
}

#[test]
fn every_fault_has_a_test_or_a_reason() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("a workspace");
    let mut tested = BTreeSet::new();
    for folder in ["tests/it", "gui-adapter/src", "engine/src"] {
        numbers(&root.join(folder), &mut tested);
    }
    let known: BTreeSet<String> =
        (1..=52).map(|number| number.to_string()).chain(["29a".to_owned(), "29b".to_owned()]).collect();
    let excused: BTreeSet<String> = NOT_OURS.iter().map(|(number, _)| (*number).to_owned()).collect();
    assert!(excused.is_disjoint(&tested), "tested all the same: {excused:?} {tested:?}");
    let covered: BTreeSet<String> = tested.union(&excused).cloned().collect();
    assert_eq!(known.difference(&covered).collect::<Vec<_>>(), [""; 0], "no test");
    assert_eq!(covered.difference(&known).collect::<Vec<_>>(), [""; 0], "no such fault");
}
