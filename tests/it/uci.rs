//! `tengen-adapter uci` and `ugi` as processes, with the real daemon behind them.

use std::time::{Duration, Instant};

use crate::harness::Process;
#[cfg(target_os = "linux")]
use crate::harness::children;

const QUICK: [&str; 4] = ["--threads", "1", "--seed", "1"];

fn front(args: &[&str]) -> Process {
    let mut all = args.to_vec();
    all.extend(QUICK);
    let mut front = Process::adapter(&all);
    let (hello, end) = if args[0] == "uci" { ("uci", "uciok") } else { ("ugi", "ugiok") };
    front.tell(hello);
    assert!(front.hear().starts_with("id name Tengen "));
    assert!(front.hear().starts_with("id author "));
    while front.hear() != end {}
    front
}

/// The next line that is no `info`, and the number of those before it.
fn after_info(front: &mut Process) -> (String, usize) {
    let mut infos = 0;
    loop {
        let line = front.hear();
        if !line.starts_with("info ") {
            return (line, infos);
        }
        assert!(!line.starts_with("info string error"), "{line}");
        infos += 1;
    }
}

fn query(front: &mut Process, what: &str) -> String {
    front.tell(&format!("query {what}"));
    let line = front.hear();
    line.strip_prefix("response ").unwrap_or_else(|| panic!("{what}: {line}")).to_owned()
}

/// A match as CuteGames runs it: each engine is asked for the rules, several times a ply, and their
/// answers must agree.
fn cutegames_match(game: &[&str], go: &str) {
    let mut engines = [0, 1].map(|_| front(&[&["ugi"], game].concat()));
    for engine in &mut engines {
        engine.tell("isready");
        assert_eq!(engine.hear(), "readyok");
        engine.tell("uginewgame");
    }
    let mut position = "position startpos".to_owned();
    loop {
        engines[0].tell(&position);
        let us = usize::from(query(&mut engines[0], "p1turn") != "true");
        let engine = &mut engines[us];
        engine.tell("isready");
        assert_eq!(engine.hear(), "readyok");
        engine.tell(&position);
        if query(engine, "gameover") == "true" {
            break;
        }
        engine.tell(go);
        let (line, infos) = after_info(engine);
        // Anything but two words is overheard, and the match hangs.
        let words: Vec<&str> = line.split(' ').collect();
        assert!(words.len() == 2 && words[0] == "bestmove" && words[1] != "0000", "{line}");
        assert!(infos > 0);
        position += if position.contains(" moves ") { " " } else { " moves " };
        position += words[1];
    }
    let results = engines.each_mut().map(|engine| {
        engine.tell(&position);
        assert_eq!(query(engine, "gameover"), "true");
        query(engine, "result")
    });
    assert_eq!(results[0], results[1]);
    assert!(["p1win", "p2win", "draw"].contains(&results[0].as_str()), "{}", results[0]);
    for mut engine in engines {
        engine.tell("quit");
        assert!(engine.wait().success());
    }
}

#[test]
fn cutegames_plays_whole_games_of_nogo() {
    cutegames_match(&["--game", "nogo", "--size", "5"], "go nodes 200");
}

#[test]
fn cutegames_plays_whole_games_of_gomoku() {
    cutegames_match(&["--game", "gomoku", "--size", "8"], "go nodes 200");
}

#[test]
fn cutegames_plays_whole_games_of_othello() {
    cutegames_match(&["--game", "othello", "--size", "6"], "go depth 3");
    cutegames_match(&["--game", "othello"], "go p1time 1000 p2time 1000 p1inc 10 p2inc 10");
}

#[test]
fn cutegames_plays_whole_games_of_amazons() {
    cutegames_match(&["--game", "amazons", "--size", "6"], "go movetime 20");
}

/// The game chosen by options, because the runner gives no arguments.
#[test]
fn a_game_is_chosen_by_options() {
    let mut ugi = front(&["ugi"]);
    for line in
        ["setoption name Game value gomoku", "setoption name Size value 7", "position startpos", "go depth 2"]
    {
        ugi.tell(line);
    }
    assert!(after_info(&mut ugi).0.starts_with("bestmove "));
    ugi.tell("position startpos moves g7 a1 g6 a2 g5 a3 g4 a4 g3");
    assert_eq!(query(&mut ugi, "result"), "p1win");
}

/// Whole games as a GUI plays them, with pondering: the engine thinks on the reply it expects, which
/// comes or does not.
#[test]
fn whole_games_with_pondering() {
    for variant in ["flipello", "amazons"] {
        let mut uci = front(&["uci"]);
        uci.tell(&format!("setoption name UCI_Variant value {variant}"));
        uci.tell("setoption name Ponder value true");
        uci.tell("ucinewgame");
        let mut moves: Vec<String> = Vec::new();
        for turn in 0.. {
            let list = if moves.is_empty() { String::new() } else { format!(" moves {}", moves.join(" ")) };
            uci.tell(&format!("position startpos{list}"));
            uci.tell("go movetime 20");
            let (line, _) = after_info(&mut uci);
            let words: Vec<&str> = line.split(' ').collect();
            assert_eq!(words[0], "bestmove");
            if words[1] == "(none)" {
                break;
            }
            moves.push(words[1].to_owned());
            let Some(reply) = words.get(3) else { continue };
            uci.tell(&format!("position startpos moves {} {reply}", moves.join(" ")));
            uci.tell("go ponder wtime 2000 btime 2000 movestogo 60");
            std::thread::sleep(Duration::from_millis(3));
            uci.tell("isready");
            assert_eq!(after_info(&mut uci).0, "readyok");
            let hit = turn % 2 == 0;
            uci.tell(if hit { "ponderhit" } else { "stop" });
            let (line, _) = after_info(&mut uci);
            let words: Vec<&str> = line.split(' ').collect();
            assert_eq!(words[0], "bestmove", "{line}");
            if hit && words[1] != "(none)" {
                moves.push((*reply).to_owned());
                moves.push(words[1].to_owned());
            }
        }
        assert!(moves.len() > 30, "{variant}: {moves:?}");
        uci.tell("quit");
        assert!(uci.wait().success());
    }
}

#[test]
fn an_infinite_search_waits_for_stop_though_the_game_is_solved() {
    let mut uci = front(&["uci"]);
    uci.tell(
        "position fen PPPPPPPP/PPPPPPPP/PPPPPPPP/PPPPPPPP/PPPPPPPP/PPPPPPPP/PPPPPPp1/PPPPPPp1 w - - 0 30",
    );
    uci.tell("go infinite");
    let line = uci.hear();
    assert!(line.contains(" score mate ") && line.contains(" pv P@h"), "{line}");
    let silent = Instant::now();
    while silent.elapsed() < Duration::from_millis(700) {
        if let Some(line) = uci.hear_within(Duration::from_millis(100)) {
            assert!(line.starts_with("info "), "{line}");
        }
    }
    uci.tell("isready");
    assert_eq!(after_info(&mut uci).0, "readyok");
    uci.tell("stop");
    let (line, _) = after_info(&mut uci);
    assert!(line.starts_with("bestmove P@h") && !line.contains("ponder"), "{line}");
    uci.tell("stop");
    uci.tell("isready");
    assert_eq!(uci.hear(), "readyok");
}

/// Field bug 9.
#[test]
fn the_time_for_a_move_begins_with_ponderhit() {
    let mut uci = front(&["uci"]);
    uci.tell("setoption name OwnBook value false");
    uci.tell("position startpos moves P@f4");
    uci.tell("go ponder movetime 300");
    std::thread::sleep(Duration::from_millis(500));
    uci.tell("isready");
    assert_eq!(after_info(&mut uci).0, "readyok");
    let begun = Instant::now();
    uci.tell("ponderhit");
    assert!(after_info(&mut uci).0.starts_with("bestmove P@"));
    assert!(begun.elapsed() >= Duration::from_millis(200), "{:?}", begun.elapsed());
}

#[test]
fn a_script_is_answered_to_its_end() {
    let mut uci = Process::adapter(&["uci", "--variant", "amazons", "--threads", "1"]);
    uci.tell_bytes(b"position startpos\ngo nodes 300\nposition startpos moves d1d7,d7g7\ngo infinite");
    let (status, lines) = uci.finish();
    assert!(status.success());
    let moves = lines.iter().filter(|line| line.starts_with("bestmove ")).count();
    assert_eq!(moves, 2, "{lines:?}");
    assert!(lines.iter().all(|line| line.starts_with("info ") || line.starts_with("bestmove ")), "{lines:?}");
}

/// A slow start is taken for a dead engine.
#[test]
#[cfg(target_os = "linux")]
fn the_engine_starts_with_the_first_search() {
    for protocol in ["uci", "ugi"] {
        let mut front = front(&[protocol]);
        for line in ["ucinewgame", "uginewgame", "position startpos", "d", "go perft 1", "query gameover"] {
            front.tell(line);
        }
        front.tell("isready");
        while front.hear() != "readyok" {}
        assert!(children(front.id()).is_empty());
        front.tell("go nodes 100");
        assert!(after_info(&mut front).0.starts_with("bestmove "));
        assert!(!children(front.id()).is_empty());
        let (status, rest) = front.finish();
        assert!(status.success() && rest.is_empty(), "{status} {rest:?}");
    }
}

#[test]
#[cfg(target_os = "linux")]
fn the_game_goes_on_when_the_engine_is_killed_in_a_search() {
    let mut uci = front(&["uci"]);
    for round in 0..3 {
        uci.tell("position startpos moves P@f4");
        uci.tell(if round == 1 { "go infinite" } else { "go movetime 600" });
        let patience = Instant::now() + Duration::from_secs(30);
        while children(uci.id()).is_empty() && Instant::now() < patience {
            std::thread::sleep(Duration::from_millis(2));
        }
        std::thread::sleep(Duration::from_millis(200));
        let engine = children(uci.id()).remove(0);
        assert!(std::process::Command::new("kill").args(["-9", &engine]).status().unwrap().success());
        if round == 1 {
            std::thread::sleep(Duration::from_millis(300));
            uci.tell("stop");
        }
        assert!(
            ["P@d3", "P@f5", "P@f3"].map(|mv| format!("bestmove {mv}")).contains(&after_info(&mut uci).0)
        );
    }
}

#[test]
fn a_bad_command_line_is_refused_in_words() {
    for args in [&["uci", "--variant", "chess"][..], &["ugi", "--game", "chess"], &["uci", "--level", "21"]] {
        let (status, lines) = Process::adapter(args).finish();
        assert_eq!(status.code(), Some(2), "{args:?}");
        assert!(lines.is_empty(), "stdout is the protocol's: {lines:?}");
    }
}
