//! What the searches promise: repeatable, reusing, pondering, certain when they say so, in time.

use std::time::{Duration, Instant};

use crate::harness::Process;

const SETUPS: [&str; 6] =
    ["nogo", "nogo size 5 rules capture", "gomoku", "gomoku size 9 rules renju", "othello", "amazons size 8"];

fn stat(engine: &mut Process, name: &str) -> u64 {
    let stats = engine.ok("stats");
    let mut words = stats.split(' ');
    words.find(|word| *word == name).unwrap_or_else(|| panic!("{name} in {stats}"));
    words.next().and_then(|value| value.parse().ok()).unwrap_or_else(|| panic!("{name} in {stats}"))
}

#[test]
fn one_thread_a_node_limit_and_a_seed_give_the_same_game() {
    for setup in SETUPS {
        for algorithm in ["mcts", "alphabeta"] {
            let play = || {
                let mut engine =
                    Process::engine(&["--algorithm", algorithm, "--nodes", "400", "--seed", "5"]);
                engine.ok("info on");
                let mut seen = Vec::new();
                for _ in 0..2 {
                    engine.ok(&format!("newgame {setup}"));
                    let moves: Vec<String> = (0..8).map(|_| engine.ok("genmove")).collect();
                    seen.push((moves, engine.ok("position")));
                }
                assert_eq!(seen[0], seen[1], "{setup} {algorithm}: the same after a new game");
                seen
            };
            assert_eq!(play(), play(), "{setup} {algorithm}");
        }
    }
}

#[test]
fn the_bench_gives_the_same_signature_twice() {
    let run = || {
        let output = std::process::Command::new(env!("CARGO_BIN_EXE_test-engine"))
            .args(["bench", "--nodes", "500"])
            .output()
            .unwrap();
        assert!(output.status.success());
        let text = String::from_utf8(output.stdout).unwrap();
        let last = text.lines().last().unwrap().to_owned();
        assert!(last.starts_with("Bench: ") && last.len() == 23, "{last}");
        last
    };
    assert_eq!(run(), run());
}

#[test]
fn both_algorithms_play_every_game_to_its_end() {
    let setups = [
        "nogo size 5",
        "nogo size 4x6",
        "nogo hole=2021",
        "nogo hole=2022",
        "nogo centre=forbidden size 5",
        "nogo size 4 rules capture",
        "nogo size 13x2",
        "gomoku size 6",
        "gomoku size 7 rules standard",
        "gomoku size 7 rules renju",
        "gomoku size 7 rules caro",
        "othello size 6",
        "othello",
        "othello size 10",
        "amazons size 4",
        "amazons size 5",
        "amazons size 6 start=corner",
        "amazons size 10",
    ];
    for setup in setups {
        for algorithm in ["mcts", "alphabeta"] {
            let mut engine = Process::engine(&["--algorithm", algorithm, "--nodes", "60", "--hash", "4"]);
            engine.ok(&format!("newgame {setup}"));
            let mut plies = 0;
            while engine.ok("result") == "none" {
                let mv = engine.ok("genmove");
                assert_ne!(mv, "resign", "{setup} {algorithm}");
                plies += 1;
                assert!(plies < 500, "{setup} {algorithm} does not end");
            }
            assert!(plies > 3, "{setup} {algorithm}: {plies} plies");
        }
    }
}

#[test]
fn the_tree_is_found_again_by_content() {
    for setup in ["nogo", "amazons size 6"] {
        let mut engine = Process::engine(&["--algorithm", "mcts", "--nodes", "4000"]);
        engine.ok(&format!("newgame {setup}"));
        let first = engine.ok("genmove");
        assert_eq!(stat(&mut engine, "reused"), 0);
        let second = engine.ok("genmove");
        let kept = stat(&mut engine, "reused");
        assert!(kept > 100, "{setup}: {kept} after a move of its own choice");
        let kept = kept + stat(&mut engine, "nodes");
        engine.ok("undo 2");
        engine.ok(&format!("play {first}"));
        assert_eq!(engine.ok("reg_genmove"), second);
        assert!(stat(&mut engine, "reused") >= kept, "{setup}: after undo and replay");
        let kept = kept + stat(&mut engine, "nodes");
        let text = engine.ok("position");
        engine.ok("undo");
        engine.ok(&format!("position {text}"));
        engine.ok("reg_genmove");
        assert!(stat(&mut engine, "reused") >= kept, "{setup}: after position");
        engine.ok(&format!("newgame {setup}"));
        engine.ok("reg_genmove");
        assert_eq!(stat(&mut engine, "reused"), 0, "{setup}: a new game begins afresh");
    }
}

#[test]
fn pondering_helps_the_next_move() {
    for (setup, algorithm) in [("nogo", "mcts"), ("othello", "alphabeta"), ("gomoku", "alphabeta")] {
        let mut engine = Process::engine(&["--algorithm", algorithm, "--nodes", "3000", "--ponder", "on"]);
        engine.ok(&format!("newgame {setup}"));
        engine.ok("genmove b");
        assert!(engine.hear_within(Duration::from_millis(1500)).is_none(), "pondering is silent");
        let reply = engine.ok("legal_moves").split(' ').next().unwrap().to_owned();
        engine.ok(&format!("play w {reply}"));
        engine.ok("genmove b");
        let kept = stat(&mut engine, "reused");
        assert!(kept > 0, "{setup}: nothing was reused after pondering");
    }
}

#[test]
fn small_boards_are_solved() {
    let mut engine = Process::engine(&[]);
    for (setup, status) in [
        ("nogo size 3", "win"),
        ("nogo size 1x4", "loss"),
        ("nogo size 5x1", "win"),
        ("nogo size 2x3", "loss"),
        ("nogo size 2x4", "loss"),
        ("nogo size 2x5", "win"),
        ("nogo size 3x4", "loss"),
        ("nogo size 3x5", "win"),
        ("amazons size 4", "loss"),
    ] {
        engine.ok(&format!("newgame {setup}"));
        let reply = engine.ok("solve time 120");
        assert!(reply.starts_with(&format!("status {status} nodes ")), "{setup}: {reply}");
        assert!(reply.contains(" pv "), "{setup}: {reply}");
    }
    engine.ok("newgame othello");
    // The last moves of a game: Black to move, 5 empties.
    engine.ok("position OOOOOOOO/OXXXXXOO/OXXXXOOO/OXXXOOOO/OXXOXOOO/OXOXXXOO/OOXXXXXO/3O.... b");
    let reply = engine.ok("solve");
    assert!(reply.starts_with("status ") && !reply.contains("unknown"), "{reply}");
}

#[test]
fn a_win_in_sight_is_taken_and_a_threat_is_met() {
    for algorithm in ["mcts", "alphabeta"] {
        for level in ["1", "10", "20"] {
            let mut engine =
                Process::engine(&["--algorithm", algorithm, "--nodes", "3000", "--level", level]);
            for rule in ["freestyle", "standard", "renju", "caro"] {
                engine.ok(&format!("newgame gomoku rules {rule}"));
                engine.ok("position 15/15/15/15/15/15/15/3XXXX8/15/4OOO8/15/6O8/15/15/15 b");
                let mv = engine.ok("genmove b");
                assert!(["c8", "h8"].contains(&mv.as_str()), "{rule} {algorithm} level {level}: {mv}");
                engine.ok("position 15/15/15/15/15/15/15/3XXXXO7/15/4OOO8/15/15/15/15/15 w");
                let mv = engine.ok("genmove w");
                // Under caro a stone behind the open end blocks the five as well.
                let met = mv == "c8" || (rule == "caro" && mv == "b8");
                assert!(met, "{rule} {algorithm} level {level}: {mv}");
            }
        }
    }
}

#[test]
fn memory_stays_within_hash() {
    for algorithm in ["mcts", "alphabeta"] {
        let mut engine = Process::engine(&["--algorithm", algorithm, "--hash", "2", "--nodes", "60000"]);
        engine.ok("newgame amazons size 8");
        engine.ok("genmove");
        engine.ok("genmove");
        let stats = engine.ok("stats");
        let held =
            stats.split(' ').skip_while(|word| *word != "memory_mib").nth(1).unwrap().parse::<f64>().unwrap();
        assert!(held <= 2.0 && held > 0.0, "{algorithm}: {stats}");
    }
}

#[test]
fn a_whole_game_fits_into_a_second() {
    for setup in ["nogo", "gomoku", "othello", "amazons"] {
        let mut engine = Process::engine(&["--move-overhead", "0"]);
        engine.ok(&format!("newgame {setup}"));
        engine.ok("time_control fischer 1 0.01");
        let mut spent = [Duration::ZERO; 2];
        let mut side = 0;
        while engine.ok("result") == "none" {
            let begun = Instant::now();
            engine.ok("genmove");
            spent[side] += begun.elapsed().saturating_sub(Duration::from_millis(10));
            side = 1 - side;
        }
        // The engine's own account, not the wall's: what it gave away to other processes is the
        // clock's problem in a match, and is why it never plans to use all it has.
        for time in spent {
            assert!(time < Duration::from_secs(20), "{setup}: {time:?}");
        }
    }
}

#[test]
fn an_only_move_is_played_at_once() {
    let mut engine = Process::engine(&[]);
    engine.ok("newgame gomoku");
    engine.ok("time_control move 3600");
    engine.ok("position 15/15/15/15/15/15/15/3XXXXO7/15/4OOO8/15/15/15/15/15 w");
    for algorithm in ["mcts", "alphabeta"] {
        engine.ok(&format!("set algorithm {algorithm}"));
        assert_eq!(engine.ok("reg_genmove w"), "c8");
    }
}

#[test]
fn threads_share_one_tree_and_one_table() {
    for algorithm in ["mcts", "alphabeta"] {
        for setup in SETUPS {
            let mut engine =
                Process::engine(&["--algorithm", algorithm, "--threads", "4", "--nodes", "3000"]);
            engine.ok(&format!("newgame {setup}"));
            for _ in 0..4 {
                let mv = engine.ok("genmove");
                assert_ne!(mv, "resign", "{setup} {algorithm}");
            }
            let nodes = stat(&mut engine, "nodes");
            assert!(nodes <= 3000 + 4 * 1024, "{setup} {algorithm}: {nodes} nodes");
        }
    }
}

#[test]
fn levels_play_and_resignation_is_in_order() {
    for level in ["1", "5", "12", "19"] {
        for setup in SETUPS {
            let mut engine = Process::engine(&["--level", level, "--move-time", "300"]);
            engine.ok(&format!("newgame {setup}"));
            for _ in 0..6 {
                engine.ok("genmove");
            }
        }
    }
    // White is far behind with nothing to win back: three hopeless moves, then it gives up.
    let mut engine = Process::engine(&["--nodes", "200", "--resign", "50", "--algorithm", "mcts"]);
    engine.ok("newgame othello");
    let mut answers = Vec::new();
    for _ in 0..60 {
        let answer = engine.ok("genmove");
        let resigned = answer == "resign";
        answers.push(answer);
        if resigned || engine.ok("result") != "none" {
            break;
        }
    }
    assert_eq!(answers.last().map(String::as_str), Some("resign"), "{answers:?}");
    assert!(answers.len() > 3, "{answers:?}");
    assert!(!engine.ok("history").contains("resign"));
}
