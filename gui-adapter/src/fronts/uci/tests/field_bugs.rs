//! What other engines were reported for, each as a test named after what goes wrong.

#![allow(clippy::indexing_slicing, clippy::panic, reason = "a test may stop at the first surprise")]

use super::*;

/// A search by the clock begins when the opponent's move has come, not before.
/// Field bugs 9 and 14: there is no limit while pondering.
#[test]
fn the_clock_runs_while_pondering() {
    let mut uci = front(Protocol::Uci, "flipello");
    let begun = actions(&mut uci, "go ponder movetime 300 depth 3 nodes 10");
    let request = searches(&begun)[0];
    assert!(matches!(request.kind, crate::client::SearchKind::Analyze { .. }));
    assert_eq!(request.clock.settings, 0, "no time control");
    let limits = [("depth", "0"), ("nodes", "0")];
    for (name, value) in limits {
        assert!(request.options.iter().any(|(n, v)| n == name && v == value), "{name}");
    }
    assert_eq!(actions(&mut uci, "ponderhit"), [Action::Stop(0)]);
    let then = answer(&mut uci, "f5");
    let request = searches(&then)[0];
    assert_eq!(request.kind, crate::client::SearchKind::RegGenMove);
    assert_eq!(request.clock.control.to_string(), "move 0.3");
    assert_eq!(bestmoves(&text(&then)), 0);
    assert_eq!(text(&answer(&mut uci, "f5")), "bestmove P@f4\n");
}

/// Field bug 10.
#[test]
fn the_clock_begins_with_the_position() {
    for (mut front, mv) in othello() {
        assert_eq!(actions(&mut front, &format!("position startpos moves {mv}")), []);
        let begun = actions(&mut front, "go movetime 300");
        let clock = searches(&begun)[0].clock;
        assert_eq!((clock.control.to_string(), clock.left), ("move 0.3".to_owned(), [None; 2]));
    }
}

/// A search that has nothing left to do waits for `stop` or `ponderhit`, and then
/// answers once.
/// Field bugs 12 and 13: also where no search was needed.
#[test]
fn bestmove_comes_while_pondering_or_never() {
    for (go, end) in [("go ponder", "stop"), ("go infinite", "stop")] {
        let mut uci = front(Protocol::Uci, "flipello");
        actions(&mut uci, go);
        assert_eq!(answer(&mut uci, "f5"), []);
        assert_eq!(ask(&mut uci, end), "bestmove P@f4\n");
        assert_eq!(ask(&mut uci, end), "");
    }
    // A finished game is searched no more, and waits all the same.
    for (go, end) in [("go ponder", "stop"), ("go infinite", "stop"), ("go ponder", "ponderhit")] {
        let mut uci = front(Protocol::Uci, "flipello");
        actions(&mut uci, "position fen PPPPPPPP/8/8/3PP3/3PP3/8/8/8 w");
        actions(
            &mut uci,
            "position fen PPPPPPPP/PPPPPPPP/PPPPPPPP/PPPPPPPP/PPPPPPPP/PPPPPPPP/PPPPPPPP/PPPPPPPP w",
        );
        assert_eq!(actions(&mut uci, go), []);
        assert_eq!(ask(&mut uci, end), "bestmove (none)\n");
    }
}

/// As many answers as searches, whatever comes how fast.
/// Field bugs 15 and 16.
#[test]
fn a_stopped_search_is_not_answered_when_another_comes() {
    for (mut front, mv) in othello() {
        let mut out = Vec::new();
        for line in ["go infinite", "stop", "position startpos", "go movetime 9", "go infinite", "stop"] {
            front.line(line, &mut out);
        }
        for _ in 0..3 {
            out.extend(answer(&mut front, "f5"));
        }
        assert_eq!(searches(&out).len(), 3);
        assert_eq!(text(&out), format!("bestmove {mv}\n").repeat(3));
        assert!(front.running.is_none() && front.queue.is_empty());
    }
}

/// The engine is told the position as it was sent last, as the same game, so
/// that its tree lives on.
/// Field bug 17.
#[test]
fn the_tree_is_lost_by_stop_and_a_new_position() {
    let mut uci = front(Protocol::Uci, "flipello");
    let first = actions(&mut uci, "go ponder");
    actions(&mut uci, "stop");
    answer(&mut uci, "f5");
    actions(&mut uci, "position startpos moves P@f4 P@d3");
    let second = actions(&mut uci, "go movetime 100");
    let (first, second) = (searches(&first)[0], searches(&second)[0]);
    assert_eq!(first.game, second.game);
    let moves: Vec<&str> = second.position.moves.iter().map(|(_, text)| text.as_str()).collect();
    assert_eq!(moves, ["f5", "d6"]);
    answer(&mut uci, "c3");
    actions(&mut uci, "ucinewgame");
    assert_ne!(searches(&actions(&mut uci, "go movetime 100"))[0].game, second.game);
}

/// Field bug 19.
#[test]
fn stop_comes_too_early_or_twice() {
    for (mut front, mv) in othello() {
        assert_eq!(actions(&mut front, "stop"), []);
        actions(&mut front, "go infinite");
        assert_eq!(actions(&mut front, "stop"), [Action::Stop(0)]);
        assert_eq!(actions(&mut front, "stop"), []);
        assert_eq!(text(&answer(&mut front, "f5")), format!("bestmove {mv}\n"));
        assert_eq!(actions(&mut front, "stop"), []);
    }
}

/// Field bugs 22 and 23.
#[test]
fn an_option_during_a_search_holds_up_stop_and_isready() {
    for (mut front, mv) in othello() {
        actions(&mut front, "go infinite");
        assert_eq!(actions(&mut front, "setoption name Hash value 32"), []);
        assert_eq!(ask(&mut front, "isready"), "readyok\n");
        assert_eq!(actions(&mut front, "stop"), [Action::Stop(0)]);
        assert_eq!(text(&answer(&mut front, "f5")), format!("bestmove {mv}\n"));
        assert_eq!(front.desk.options().hash, 32);
    }
}

/// Overdrawn clocks, and the clock of the wrong side.
/// Field bug 3.
#[test]
fn a_negative_clock_is_refused_or_endless() {
    let control = |line: &str| {
        let mut uci = front(Protocol::Uci, "flipello");
        let begun = actions(&mut uci, line);
        searches(&begun)[0].clock.control.to_string()
    };
    assert_eq!(control("go wtime -100 btime 5000"), "fischer 0 0");
    assert_eq!(control("go wtime 0 btime 0 winc 0 binc 0"), "fischer 0 0");
    assert_eq!(control("go wtime 100"), "fischer 0.1 0");
    assert_eq!(control("go btime 100"), "fischer 0.1 0");
    assert_eq!(control("go wtime 30000 winc 200 btime 1 binc 1"), "fischer 30 0.2");
    assert_eq!(control("go wtime 30000 winc 200 movestogo 7"), "canadian 0 30 7");
    assert_eq!(control("go movetime 0 wtime 1"), "move 0");
    assert_eq!(control("go winc 100"), "none");
    assert_eq!(control("go depth 3"), "none");
}

#[test]
fn the_clock_of_the_last_search_limits_the_next() {
    let mut uci = front(Protocol::Uci, "flipello | nodes=77");
    actions(&mut uci, "go movetime 100 nodes 5");
    answer(&mut uci, "f5");
    let next = actions(&mut uci, "go depth 3");
    let request = searches(&next)[0];
    assert_eq!(request.clock.control.to_string(), "none");
    assert!(request.options.iter().any(|(name, value)| name == "nodes" && value == "77"));
}

/// Field bugs 30 and 31.
#[test]
fn the_end_of_input_is_overheard() {
    for (mut front, mv) in othello() {
        let mut out = Vec::new();
        front.line("go infinite", &mut out);
        out.clear();
        front.end_of_input(&mut out);
        assert_eq!(out, [Action::Stop(0)]);
        let end = answer(&mut front, "f5");
        assert_eq!(end, [Action::ToGui(format!("bestmove {mv}\n")), Action::Quit]);
    }
    for protocol in PROTOCOLS {
        let mut out = Vec::new();
        front(protocol, "").end_of_input(&mut out);
        assert_eq!(out, [Action::Quit]);
    }
}

/// An illegal move or position ends the process, or is half played.
/// Field bugs 32 and 49.
#[test]
fn an_illegal_move_in_position_ends_the_process() {
    for (mut front, mv) in othello() {
        actions(&mut front, &format!("position startpos moves {mv}"));
        let key = front.desk.referee.key();
        let complaint = ask(&mut front, &format!("position startpos moves {mv} {mv}"));
        assert!(
            complaint.starts_with("info string error: ") && complaint.lines().count() == 1,
            "{complaint}"
        );
        assert_eq!(front.desk.referee.key(), key);
        let begun = actions(&mut front, "go movetime 100");
        assert!(searches(&begun).is_empty());
        assert_eq!(bestmoves(&text(&begun)), 1);
        actions(&mut front, &format!("position startpos moves {mv}"));
        assert_eq!(searches(&actions(&mut front, "go movetime 100")).len(), 1);
    }
}

/// Field bug 33.
#[test]
fn something_is_said_before_the_first_line() {
    for (mut front, _) in othello() {
        assert_eq!(actions(&mut front, ""), []);
        assert_eq!(actions(&mut front, "  \r"), []);
    }
}

/// An Amazons move is one word, and the start has 2176 of them.
/// Field bugs 35 and 50.
#[test]
fn amazons_moves_are_split_or_too_many() {
    let mut uci = front(Protocol::Uci, "amazons");
    let listed = ask(&mut uci, "go perft 1");
    let lines: Vec<&str> = listed.lines().collect();
    assert_eq!(lines[lines.len() - 2], "Nodes searched: 2176");
    assert!(lines.contains(&"d1d7,d7g7: 1"));
    assert_eq!(lines.len(), 2176 + 3);
    assert!(ask(&mut uci, "go perft 2").ends_with("Nodes searched: 4307152\n\n"));
    assert!(ask(&mut uci, "go perft 3").starts_with("info string error: perft 3: more than "));
    assert!(ask(&mut uci, "go perft 99999999999").starts_with("info string error: "));
}

/// Who is to move when a pass was left out.
/// Field bug 36.
#[test]
fn a_pass_is_no_move() {
    let mut ugi = front(Protocol::Ugi, "othello size 6");
    let stuck = "position fen OOOOOO/OOOOOO/OOOOOO/OOOOOO/OOOOO./OOOOX. b";
    assert_eq!(ask(&mut ugi, stuck), "");
    assert_eq!(ask(&mut ugi, "query p1turn"), "response true\n");
    assert!(ask(&mut ugi, "go movetime 100").ends_with("\nbestmove pass\n"));
    assert_eq!(ask(&mut ugi, &format!("{stuck} moves pass")), "");
    assert_eq!(ask(&mut ugi, "query p1turn"), "response false\n");
    for moves in ["f6", "pass pass", "f5"] {
        let complaint = ask(&mut ugi, &format!("{stuck} moves {moves}"));
        assert!(complaint.starts_with("info string error: "), "{moves}: {complaint}");
    }
}

/// A pass is understood however it is spelled, written in one way, and never there while
/// there are moves.
/// Field bug 37.
#[test]
fn the_text_of_a_pass_changes() {
    let mut uci = front(Protocol::Uci, "flipello");
    let full = "PPPPPPPP/".repeat(6);
    let stuck = format!("position fen {full}PPPPPppp/PPPPPPp1 b - - 0 30");
    assert_eq!(ask(&mut uci, &stuck), "");
    assert!(ask(&mut uci, "go movetime 100").ends_with("\nbestmove g1g1\n"));
    for pass in ["g1g1", "f2f2", "g2g2", "h2h2", "0000"] {
        assert_eq!(ask(&mut uci, &format!("{stuck} moves {pass}")), "", "{pass}");
        assert!(uci.desk.referee.history().iter().any(|&(_, mv)| mv == tengen_engine::game::Move::PASS));
    }
    for (mut front, _) in othello() {
        for pass in ["e4e4", "d5d5", "0000", "pass"] {
            assert!(ask(&mut front, &format!("position startpos moves {pass}")).contains("error"), "{pass}");
        }
        assert!(!ask(&mut front, "go perft 1").contains("e4e4"));
    }
}

/// Nothing but the words of the protocol, and nothing unasked.
/// Field bugs 20 and 34.
#[test]
fn an_unknown_word_breaks_the_client() {
    for (mut front, _) in othello() {
        actions(&mut front, "go depth 3");
        let mut out = Vec::new();
        let line = "info depth 4 nodes 9 nps 9 time 0.01 winrate 0.5 score 0.3 multipv 1 visits 3 prior 0.1 pv f5 d6";
        front.search(0, Event::Report(vec![Info::parse(line).unwrap()]), &mut out);
        let told = text(&out);
        let keys = ["info", "depth", "multipv", "score", "cp", "nodes", "nps", "time", "pv"];
        let words: Vec<&str> = told.split_ascii_whitespace().collect();
        let pv = words.iter().position(|word| *word == "pv").unwrap();
        for word in &words[..pv] {
            assert!(keys.contains(word) || word.parse::<i64>().is_ok(), "{word}");
        }
        assert_eq!(words.len(), pv + 3, "the line comes last: {told}");
        answer(&mut front, "f5");
        out.clear();
        front.search(0, Event::Started, &mut out);
        assert_eq!(out, []);
    }
}

/// Only the GUI may order thinking on the opponent's time.
#[test]
fn the_engine_ponders_by_itself() {
    for (what, protocol) in [("flipello", Protocol::Uci), ("othello", Protocol::Ugi)] {
        let mut front = front(protocol, &format!("{what} | ponder=on"));
        actions(&mut front, "setoption name Ponder value true");
        let begun = actions(&mut front, "go movetime 100");
        assert!(searches(&begun)[0].options.contains(&("ponder".into(), "off".into())));
    }
}

/// Field bug 47.
#[test]
fn a_new_game_loses_the_options() {
    for (mut front, _) in othello() {
        actions(&mut front, "setoption name Hash value 32");
        let setup = front.desk.referee.setup().clone();
        actions(&mut front, "ucinewgame");
        actions(&mut front, "uginewgame");
        assert_eq!((front.desk.options().hash, front.desk.referee.setup()), (32, &setup));
    }
}

/// Without a legal move nothing is searched.
/// Field bug 48.
#[test]
fn a_finished_game_is_searched() {
    let mut ugi = front(Protocol::Ugi, "nogo size 1");
    assert_eq!(ask(&mut ugi, "query gameover"), "response true\n");
    assert_eq!(ask(&mut ugi, "query result"), "response p2win\n");
    assert_eq!(ask(&mut ugi, "go movetime 100"), "bestmove 0000\n");
}

/// An engine that answers nonsense, or nothing: the move is one of the rules.
#[test]
fn what_the_engine_answers_is_passed_on_unread() {
    for (mut front, mv) in othello() {
        actions(&mut front, "go depth 3");
        let nonsense = text(&answer(&mut front, "a1"));
        assert!(nonsense.starts_with("bestmove ") && nonsense.lines().count() == 1, "{nonsense}");
        actions(&mut front, "go depth 3");
        let mut out = Vec::new();
        let info = Info::parse("info depth 1 multipv 1 pv f5").unwrap();
        front.search(0, Event::Report(vec![info]), &mut out);
        out.clear();
        front.search(0, Event::Done(Err("gone".into())), &mut out);
        assert_eq!(text(&out), format!("info string error: gone\nbestmove {mv}\n"));
    }
}

#[test]
fn control_characters_in_a_move_come_back_escaped() {
    let mut ugi = front(Protocol::Ugi, "nogo");
    let answered = ask(&mut ugi, "position startpos moves d4 d\u{0}\u{1b}[2J");
    assert!(answered.contains("bad move \"d\\0\\u{1b}[2"), "{answered:?}");
    assert!(!answered.trim_end().contains(char::is_control), "{answered:?}");
}
