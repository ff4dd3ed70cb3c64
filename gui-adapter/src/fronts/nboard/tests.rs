//! The front driven in process: golden transcripts, and properties that must hold whatever is sent.

#![allow(clippy::indexing_slicing, clippy::panic, reason = "a test may stop at the first surprise")]

use super::*;
use tengen_engine::game::random::{below, rng};

use crate::fronts::transcripts;

const START: &str = "set game (;GM[Othello]PC[NBoard]PB[a]PW[b]RE[?]TI[15:00]TY[8]BO[8 \
                     ---------------------------O*------*O--------------------------- *];)";

fn front() -> NBoard {
    NBoard::new(EngineOptions::default()).unwrap()
}

fn tell(front: &mut NBoard, line: &str) -> Vec<Action> {
    let mut out = Vec::new();
    front.line(line, &mut out);
    out
}

fn end(front: &mut NBoard, text: &str) -> Vec<Action> {
    let mut out = Vec::new();
    let answer = Answer { text: text.to_owned(), elapsed: Duration::from_millis(1500) };
    front.search(0, Event::Done(Ok(answer)), &mut out);
    out
}

fn said(actions: &[Action]) -> String {
    let text = |action: &Action| if let Action::ToGui(text) = action { text.clone() } else { String::new() };
    actions.iter().map(text).collect()
}

fn searches(actions: &[Action]) -> usize {
    actions.iter().filter(|action| matches!(action, Action::Search(_))).count()
}

#[test]
fn transcripts() {
    transcripts::check("nboard", |words| {
        let mut options = EngineOptions::default();
        for (name, value) in words.split_whitespace().filter_map(|pair| pair.split_once('=')) {
            options.set(name, value).unwrap();
        }
        NBoard::new(options).unwrap()
    });
}

#[test]
fn a_clock_beyond_the_engines_costs_the_move() {
    let mut front = front();
    tell(&mut front, "set game (;GM[Othello]TI[99999999:00:00/99999999:00:00]TY[8];)");
    for line in ["move F5//2147483:00:00", "move D6//2147483:00:00"] {
        tell(&mut front, line);
    }
    let begun = tell(&mut front, "go");
    let request =
        begun.iter().find_map(|a| if let Action::Search(request) = a { Some(request) } else { None });
    let clock = request.unwrap().clock;
    assert_eq!(clock.control.to_string(), "fischer 2147483647 2147483647");
    assert!(clock.left.iter().flatten().all(|(time, _)| time.as_secs() <= 2_147_483_647));
}

/// Field bugs 15 and 23: whatever was pipelined, each ping is answered at once, and nothing of an older
/// search comes after it.
#[test]
fn ping_is_answered_at_once_and_old_results_are_dropped() {
    let mut front = front();
    tell(&mut front, START);
    assert_eq!(searches(&tell(&mut front, "go")), 1);
    // All this waits for the search.
    for line in ["move F5", "go", "set depth 3", "learn", "hint 4"] {
        assert_eq!(tell(&mut front, line), []);
    }
    let out = tell(&mut front, "ping 2");
    assert_eq!(out[0], Action::Stop(0));
    assert!(said(&out).starts_with("pong 2\n"), "{out:?}");
    assert_eq!(searches(&out), 0);
    assert_eq!(tell(&mut front, "ping 3"), [Action::ToGui("pong 3\n".into())]);
    // The next search waits for the end of the old one, which says nothing.
    assert_eq!(tell(&mut front, "go"), []);
    let out = end(&mut front, "d3");
    assert_eq!((searches(&out), said(&out)), (1, "status Tengen is thinking\n".to_owned()));
    let Some(Action::Search(request)) = out.last() else { panic!("{out:?}") };
    assert_eq!(request.position.moves.len(), 1, "the move between counts");
    assert!(request.options.contains(&("depth".to_owned(), "3".to_owned())), "{:?}", request.options);
    let out = said(&end(&mut front, "d6"));
    assert!(out.starts_with("=== D6//1.5\n"), "{out}");
}

/// A new search that waits is given up by the next ping as well.
#[test]
fn a_search_that_waits_is_dropped_by_the_next_ping() {
    let mut front = front();
    tell(&mut front, "go");
    tell(&mut front, "ping 1");
    tell(&mut front, "go");
    tell(&mut front, "ping 2");
    assert_eq!(end(&mut front, "d3"), []);
}

/// Field bug 43: an engine must not search another position than the one shown.
#[test]
fn a_game_that_cannot_be_read_is_not_searched() {
    let mut front = front();
    for bad in [
        "set game nonsense",
        "set game (;GM[Chess];)",
        "set game (;GM[Amazons];)",
        "set game (;GM[Othello]B[A1];)",
        "move A1",
    ] {
        tell(&mut front, START);
        let out = said(&tell(&mut front, bad));
        assert!(out.starts_with("status ") && out.ends_with('\n') && out.matches('\n').count() == 1, "{out}");
        for line in ["go", "hint 1", "analyze"] {
            let out = tell(&mut front, line);
            assert_eq!(searches(&out), 0, "{bad}");
            assert!(said(&out).starts_with("status no search without a game: "), "{out:?}");
        }
        assert_eq!(said(&tell(&mut front, "ping 7")).lines().next(), Some("pong 7"));
        tell(&mut front, START);
        assert_eq!(searches(&tell(&mut front, "go")), 1);
        end(&mut front, "d3");
    }
}

/// Field bugs 33 and 34: silent until spoken to; unknown lines are ignored as a whole.
#[test]
fn unknown_lines_are_ignored() {
    let mut front = front();
    for line in [
        "",
        "  ",
        "foo",
        "set",
        "set foo 3",
        "set depth",
        "set depth x",
        "set depth -1",
        "set contempt -20",
        "hint",
        "hint x",
        "ping",
        "ping x",
        "ping 123456789012345678901234567890",
        "go now",
        "nboard",
        "K5",
        "F11",
        "F",
        "PAX",
        "\u{e9}5",
        "=== F5",
    ] {
        assert_eq!(tell(&mut front, line), [], "{line:?}");
    }
    let out = said(&tell(&mut front, "ping 1\r"));
    assert_eq!(out, "pong 1\nset myname Tengen\n");
}

/// `go` must not play: only a `move` does.
#[test]
fn go_leaves_the_board_alone() {
    let mut front = front();
    tell(&mut front, "go");
    end(&mut front, "f5");
    let out = tell(&mut front, "go");
    let Some(Action::Search(request)) = out.last() else { panic!("{out:?}") };
    assert!(request.position.moves.is_empty());
    assert_eq!(request.kind, SearchKind::RegGenMove);
}

/// Field bugs 2 and 3: the clock is in the record alone, and one that has run out stops nothing.
#[test]
fn the_clock_is_counted_from_the_record() {
    let mut front = front();
    let record = |moves: &str, time: &str| format!("set game (;GM[Othello]TI[{time}]{moves};)");
    let left = |front: &mut NBoard| {
        let out = tell(front, "go");
        let Some(Action::Search(request)) = out.last() else { panic!("{out:?}") };
        let clock = request.clock;
        end(front, "f5");
        (clock.control.to_string(), clock.left.map(|left| left.map(|(time, _)| time.as_secs_f64())))
    };
    tell(&mut front, &record("B[F5//10.5]W[D6//2]", "1:00"));
    assert_eq!(left(&mut front), ("absolute 60".to_owned(), [Some(49.5), None]));
    tell(&mut front, "move C3//9.5");
    assert_eq!(left(&mut front), ("absolute 60".to_owned(), [None, Some(58.0)]));
    tell(&mut front, &record("B[F5//10]W[D6//2]", "1:00/5"));
    assert_eq!(left(&mut front), ("fischer 60 5".to_owned(), [Some(55.0), None]));
    tell(&mut front, &record("B[F5//70]W[D6//2]", "1:00"));
    assert_eq!(left(&mut front), ("none".to_owned(), [None, None]));
}

/// Near the end the midgame depth does not hold.
#[test]
fn the_end_is_looked_for_whatever_the_depth() {
    let mut front = front();
    let mut rng = rng(9);
    let mut referee = tengen_engine::games::referee(Setup::new(GameId::Othello)).unwrap();
    while lines::empties(&*referee) > 10 && referee.ending().is_none() {
        let moves = referee.legal_moves(None).unwrap();
        referee.play(None, moves[below(&mut rng, moves.len() as u32) as usize]).unwrap();
    }
    let record = ggf::print(&*referee, &[], &[]).unwrap();
    tell(&mut front, &format!("set game {record}"));
    for (depth, searched) in [(4, "4"), (5, "20"), (12, "20"), (30, "30")] {
        tell(&mut front, &format!("set depth {depth}"));
        let out = tell(&mut front, "hint 1");
        if let Some(Action::Search(_)) = out.last() {
            let depth = front.running.as_ref().map(|running| format!("{:?}", running.purpose)).unwrap();
            assert_eq!(depth, format!("Hint {{ depth: Some({searched}) }}"));
        }
        tell(&mut front, "ping 1");
        end(&mut front, "a1");
    }
}

/// Field bugs 30 and 31: a move that is due is still given when the input ends, then the front leaves.
#[test]
fn the_end_of_input_waits_for_a_move_but_not_for_a_hint() {
    let mut front = self::front();
    tell(&mut front, "go");
    let mut out = Vec::new();
    front.end_of_input(&mut out);
    assert_eq!(out, []);
    let out = end(&mut front, "f5");
    assert!(said(&out).starts_with("=== F5") && out.last() == Some(&Action::Quit), "{out:?}");

    let mut front = self::front();
    tell(&mut front, "hint 3");
    let mut out = Vec::new();
    front.end_of_input(&mut out);
    assert_eq!(out, [Action::Stop(0)]);
    assert_eq!(end(&mut front, "f5").last(), Some(&Action::Quit));
    assert_eq!(tell(&mut self::front(), "quit"), [Action::Quit]);
}

#[test]
fn a_hint_ends_when_another_command_comes_without_a_ping() {
    let mut front = front();
    tell(&mut front, "hint 3");
    assert_eq!(tell(&mut front, "move F5"), [Action::Stop(0)]);
    assert_eq!(tell(&mut front, "go"), []);
    assert_eq!(searches(&end(&mut front, "f5")), 1);
}

#[test]
fn waiting_lines_are_bounded() {
    let mut front = front();
    tell(&mut front, "go");
    let line = format!("move {}", "x".repeat(1 << 16));
    let mut taken = 0;
    while front.accepts() {
        tell(&mut front, &line);
        taken += 1;
    }
    assert!((60..70).contains(&taken), "{taken}");
    tell(&mut front, "ping 1");
    assert!(front.accepts());
}

#[test]
fn a_record_too_long_breaks_the_game_and_other_long_lines_do_not() {
    let mut front = front();
    let mut out = Vec::new();
    front.too_long("move F5F5F5", &mut out);
    assert_eq!(out, []);
    front.too_long("set game (;GM[Othello]", &mut out);
    assert_eq!(said(&out), "status set game: the line is too long\n");
    assert_eq!(searches(&tell(&mut front, "go")), 0);
}

/// Whatever comes, pings are answered, and searches are asked for one at a time.
#[test]
fn noise_does_no_harm() {
    let mut rng = rng(13);
    let lines = [
        "nboard 2",
        "nboard 1",
        "set depth 3",
        "set depth 99999999999",
        "set game",
        "set game (;",
        START,
        "set game (;GM[Othello]TY[6]TI[1]B[B3];)",
        "set game (;GM[Othello]TY[10];)",
        "move F5/1/2",
        "move",
        "F5",
        "D6",
        "PA",
        "move PA",
        "C3//1e9",
        "go",
        "hint 3",
        "hint 4294967295",
        "learn",
        "analyze",
        "foo",
        "\u{0}",
        "\u{fffd}",
        "set contempt 5",
    ];
    let answers = ["f5", "d6", "resign", "pass", "nonsense", ""];
    let mut pick = |count: usize| below(&mut rng, count as u32) as usize;
    let mut front = front();
    let mut running = 0;
    for number in 0..20_000 {
        let mut out = match pick(6) {
            0 if running > 0 => {
                running -= 1;
                end(&mut front, answers[pick(answers.len())])
            }
            1 if running > 0 => {
                let mut out = Vec::new();
                let info = "info depth 3 nodes 9 winrate 0.5 score -0.5 multipv 1 pv f5 pass";
                front.search(0, Event::Report(vec![Info::parse(info).unwrap()]), &mut out);
                out
            }
            2 => {
                let out = tell(&mut front, &format!("ping {number}"));
                assert!(said(&out).contains(&format!("pong {number}\n")), "{out:?}");
                out
            }
            _ => tell(&mut front, lines[pick(lines.len())]),
        };
        running += searches(&out);
        assert!(running <= 1);
        out.retain(|action| matches!(action, Action::ToGui(text) if !text.ends_with('\n')));
        assert_eq!(out, []);
    }
}
