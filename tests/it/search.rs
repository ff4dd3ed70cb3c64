//! What the searches promise: repeatable, reusing, pondering, certain when they say so, in time.

use std::time::{Duration, Instant};

use tengen_engine::game::{Game, Move, Outcome, random};
use tengen_engine::games::Setup;
use tengen_engine::games::othello::{Othello, board::Small};
use tengen_engine::options::Options;
use tengen_engine::player::{self, Ask};
use tengen_engine::search::{Control, Goal, Limits, Stopwatch};

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

/// The clock of a match at 1 s and 0.01 s a move, kept from the engine's own account of each move (what
/// the machine takes between the processes is not the engine's). Eight games at once on purpose.
#[test]
fn no_game_is_lost_on_time_at_a_second_and_a_hundredth() {
    let games = ["nogo", "gomoku", "othello", "amazons"];
    std::thread::scope(|scope| {
        for (setup, algorithm) in games.iter().flat_map(|setup| [(setup, "mcts"), (setup, "alphabeta")]) {
            scope.spawn(move || {
                let mut engine = Process::engine(&["--algorithm", algorithm]);
                engine.ok(&format!("newgame {setup}"));
                engine.ok("time_control fischer 1 0.01");
                let mut left = [1.0_f64; 2];
                while engine.ok("result") == "none" {
                    let side = usize::from(engine.ok("turn") == "white");
                    let forced = engine.ok("legal_moves") == "pass";
                    engine.ok("genmove");
                    if !forced {
                        let stats = engine.ok("stats");
                        let time = stats.split(' ').skip_while(|word| *word != "time").nth(1).unwrap();
                        left[side] -= time.parse::<f64>().unwrap();
                        assert!(left[side] > 0.0, "{setup} {algorithm}: {stats}");
                        left[side] += 0.01;
                    }
                }
            });
        }
    });
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
    // Black is lost by 64 discs (FFO 39): it gives up at its third move, though White, who moves in
    // between by the same program, has every hope.
    let mut engine = Process::engine(&["--nodes", "200", "--resign", "50", "--algorithm", "mcts"]);
    engine.ok("newgame othello");
    engine.ok("position O.OOOO../XOXXOX../XOOOXXX./XOOOXX../XOOXOX../XOXXX.../X.XX..../........ w");
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

/// A search that is broken off may not know, but it may not say what is not so.
#[test]
fn a_solver_that_runs_out_of_nodes_is_never_wrong() {
    let mut engine = Process::engine(&[]);
    for (setup, position, status) in [
        ("nogo size 4", "O.XO/X.O./.X../.... b", "win"),
        ("othello size 6", "XXO.X./XXOXXX/XOOXXO/XOOXO./XOOOOX/...XOO b", "draw"),
    ] {
        let mut known = 0;
        for nodes in (5..2500).step_by(25) {
            engine.ok(&format!("newgame {setup}"));
            engine.ok(&format!("position {position}"));
            let reply = engine.ok(&format!("solve nodes {nodes}"));
            let said = reply.split(' ').nth(1).unwrap();
            assert!([status, "unknown"].contains(&said), "{position} nodes {nodes}: {reply}");
            known += u32::from(said == status);
        }
        assert!(known > 0, "{position} is never solved");
    }
}

/// Plain minimax: the discs the side to move wins by.
fn minimax(position: &mut Othello<Small>) -> i32 {
    if let Some(outcome) = position.outcome() {
        return match outcome {
            Outcome::Draw => 0,
            Outcome::Win(winner) if winner == position.turn() => position.margin(),
            Outcome::Win(_) => -position.margin(),
        };
    }
    let mut moves = Vec::new();
    position.moves(&mut moves);
    let best = moves.into_iter().map(|mv| {
        let undo = position.play(mv);
        let value = -minimax(position);
        position.undo(mv, undo);
        value
    });
    best.max().expect("a move while the game goes on")
}

#[test]
fn othello_margins_are_exact() {
    let setup = Setup::parse(["othello", "size", "6"]).unwrap();
    let mut player = player::open(setup).unwrap();
    let mut rng = random::rng(11);
    for _ in 0..400 {
        let mut position = Othello::<Small>::start();
        player.referee_mut().reset();
        let mut moves = Vec::new();
        loop {
            moves.clear();
            position.moves(&mut moves);
            if moves.is_empty() || position.empty().count_ones() <= 8 {
                break;
            }
            let mv: Move = moves[random::below(&mut rng, moves.len() as u32) as usize];
            position.play(mv);
            player.referee_mut().play(None, mv).unwrap();
        }
        if moves.is_empty() {
            continue;
        }
        player.forget();
        let found = player.search(
            &Options::default(),
            Ask {
                limits: Limits { endless: true, ..Limits::default() },
                control: &Control::default(),
                started: Stopwatch::wall(Instant::now()),
                threads: 1,
                goal: Goal::Exact,
                weaken: false,
                interval: None,
                on_info: &mut |_| {},
            },
        );
        assert_eq!(found.margin, Some(minimax(&mut position)), "{}", player.referee().position_text());
        assert!(position.is_legal(found.best.unwrap()));
    }
}

#[test]
fn proofs_by_several_threads_are_right() {
    for algorithm in ["mcts", "alphabeta"] {
        let mut engine = Process::engine(&["--algorithm", algorithm, "--threads", "2", "--nodes", "20000"]);
        for (setup, position, result) in [
            ("othello size 6", ".OXOOO/XXXXOO/XOOOOO/OOOXO./OOXXX./..OXXX w", "win"),
            ("nogo size 4", "O.XO/X.O./.X../.... b", "win"),
            ("nogo size 2x4", "../../../.. b", "loss"),
        ] {
            engine.ok("info on");
            for _ in 0..10 {
                engine.ok(&format!("newgame {setup}"));
                engine.ok(&format!("position {position}"));
                engine.tell("reg_genmove");
                let mut line = engine.hear();
                while line.starts_with("info ") {
                    if let Some((_, rest)) = line.split_once(" proven ") {
                        assert_eq!(rest.split(' ').next(), Some(result), "{position} {algorithm}: {line}");
                    }
                    line = engine.hear();
                }
                assert!(line.starts_with("= "), "{line}");
                engine.hear();
            }
        }
    }
}

#[test]
fn more_memory_than_there_is_costs_nobody_the_game() {
    for algorithm in ["mcts", "alphabeta"] {
        let mut engine = Process::engine(&["--algorithm", algorithm, "--hash", "1048576", "--nodes", "300"]);
        engine.ok("newgame othello");
        assert_ne!(engine.ok("genmove"), "resign");
        assert_eq!(engine.ok("name"), "Tengen");
    }
}
