//! The front driven in process: golden transcripts, field bugs, and properties that must hold whatever
//! is sent.

#![allow(clippy::indexing_slicing, clippy::panic, reason = "a test may stop at the first surprise")]

mod field_bugs;

use std::time::Duration;

use tengen_engine::game::random::{below, rng};

use super::*;
use crate::client::{Answer, Request};
use crate::fronts::transcripts;

/// `WHAT | option=value | ...`, where WHAT is a set-up for UGI, a variant for UCI.
fn front(protocol: Protocol, words: &str) -> Uci {
    let mut parts = words.split(" | ").filter(|part| !part.is_empty());
    let what = parts.next();
    let setup = match protocol {
        Protocol::Ugi => Setup::parse(what.unwrap_or("nogo").split(' ')).unwrap(),
        Protocol::Uci => Variant::parse(what.unwrap_or("flipello")).unwrap().setup(),
    };
    let mut options = EngineOptions::default();
    for part in parts {
        let (name, value) = part.split_once('=').unwrap();
        options.set(name, value).unwrap();
    }
    Uci::new(Config { protocol, setup, options }).unwrap()
}

#[test]
fn dialogues_come_out_as_recorded() {
    transcripts::check("ugi", |words| front(Protocol::Ugi, words));
    transcripts::check("uci", |words| front(Protocol::Uci, words));
}

/// What the front does with one line.
fn actions(uci: &mut Uci, line: &str) -> Vec<Action> {
    let mut out = Vec::new();
    uci.line(line, &mut out);
    out
}

/// The text among actions.
fn text(actions: &[Action]) -> String {
    actions
        .iter()
        .filter_map(|action| if let Action::ToGui(text) = action { Some(text.as_str()) } else { None })
        .collect()
}

/// What the front says to one line.
fn ask(uci: &mut Uci, line: &str) -> String {
    text(&actions(uci, line))
}

/// A line of the greatest length costs no more than reading it, whatever is reported later.
#[test]
fn searchmoves_are_read_again_for_every_report() {
    let mut uci = front(Protocol::Uci, "amazons");
    let begun = std::time::Instant::now();
    let moves = "a4a5,a5a6 ".repeat((1 << 20) / 10);
    assert_eq!(searches(&actions(&mut uci, &format!("go searchmoves {moves}"))).len(), 1);
    for _ in 0..20 {
        let mut out = Vec::new();
        let lines = ["a4-a5-a6", "d1-d7-g7"].map(|mv| format!("info depth 1 multipv 1 pv {mv}"));
        let infos = lines.iter().map(|line| Info::parse(line).unwrap()).collect();
        uci.search(0, Event::Report(infos), &mut out);
        assert_eq!(text(&out).matches(" pv ").count(), 1);
    }
    assert_eq!(text(&answer(&mut uci, "d1-d7-g7")), "bestmove a4a5,a5a6\n");
    assert!(begun.elapsed() < Duration::from_secs(20), "{:?}", begun.elapsed());
}

fn searches(actions: &[Action]) -> Vec<&Request> {
    actions
        .iter()
        .filter_map(|action| if let Action::Search(request) = action { Some(&**request) } else { None })
        .collect()
}

/// The daemon's answer.
fn answer(uci: &mut Uci, text: &str) -> Vec<Action> {
    let mut out = Vec::new();
    uci.search(0, Event::Done(Ok(Answer { text: text.to_owned(), elapsed: Duration::ZERO })), &mut out);
    out
}

fn bestmoves(text: &str) -> usize {
    text.lines().filter(|line| line.starts_with("bestmove ")).count()
}

const PROTOCOLS: [Protocol; 2] = [Protocol::Uci, Protocol::Ugi];

/// Both fronts at the start of a game of Othello, and its first move as each writes it.
fn othello() -> [(Uci, &'static str); 2] {
    [(front(Protocol::Uci, "flipello"), "P@f4"), (front(Protocol::Ugi, "othello"), "f5")]
}

#[test]
fn perft_counts_what_is_known_of_othello() {
    for (mut front, _) in othello() {
        for (depth, known) in [(0, 4), (1, 4), (2, 12), (3, 56), (4, 244), (5, 1396), (6, 8200)] {
            let listed = ask(&mut front, &format!("go perft {depth}"));
            assert!(listed.ends_with(&format!("\nNodes searched: {known}\n\n")), "{depth}: {listed}");
        }
    }
}

/// Whatever lines come: a search is answered once, `isready` at once, and the front stays whole.
#[test]
fn noise_keeps_the_state_whole() {
    let words = [
        "position",
        "startpos",
        "fen",
        "moves",
        "go",
        "ponder",
        "infinite",
        "depth",
        "3",
        "-1",
        "wtime",
        "p1time",
        "movetime",
        "searchmoves",
        "stop",
        "ponderhit",
        "setoption",
        "name",
        "value",
        "UCI_Variant",
        "Game",
        "amazons",
        "flipello",
        "othello",
        "Size",
        "6",
        "Hash",
        "MultiPV",
        "isready",
        "ucinewgame",
        "uginewgame",
        "query",
        "p1turn",
        "gameover",
        "result",
        "d",
        "uci",
        "ugi",
        "perft",
        "1",
        "P@f4",
        "f5",
        "d1d7,d7g7",
        "d1-d7-g7",
        "d4d4",
        "0000",
        "pass",
        "debug",
        "on",
        "\u{0}",
        "\u{fffd}",
        "\u{130}",
        ",",
        "@",
        "8/8/8/3pP3/3Pp3/8/8/8[PPpp]",
        "w",
        "b",
        "[",
        "register",
        "\t",
        "99999999999999999999",
        "é\u{301}a1",
    ];
    let usual = [
        "go infinite",
        "go movetime 10",
        "go ponder",
        "stop",
        "ponderhit",
        "isready",
        "position startpos",
        "position startpos moves P@f4",
        "position startpos moves d1-d7-g7",
        "setoption name Hash value 8",
    ];
    let answers = ["f5", "d1-d7-g7", "pass", "resign", "nonsense", ""];
    let mut rng = rng(5);
    for protocol in PROTOCOLS {
        let mut front = front(protocol, "");
        let (mut begun, mut ended, mut wanted, mut given) = (0, 0, 0, 0);
        for _ in 0..4000 {
            let mut pick = |list: &[&str]| list[below(&mut rng, list.len() as u32) as usize].to_owned();
            let mut out = Vec::new();
            match pick(&["usual", "noise", "event"]).as_str() {
                "usual" => {
                    let line = pick(&usual);
                    wanted += usize::from(line.starts_with("go "));
                    front.line(&line, &mut out);
                    assert_eq!(text(&out).contains("readyok"), line == "isready");
                }
                "noise" => {
                    let mut line = pick(&words);
                    while pick(&["more", "more", "more", "end"]) == "more" {
                        line.push(' ');
                        line.push_str(&pick(&words));
                    }
                    if let Some((command, rest)) = protocol.read(&line) {
                        wanted += usize::from(command == Command::Go && Go::parse(&rest).perft.is_none());
                    }
                    front.line(&line, &mut out);
                }
                _ if begun > ended => {
                    ended += 1;
                    out.extend(answer(&mut front, &pick(&answers)));
                }
                _ => front.too_long(&pick(&words), &mut out),
            }
            begun += searches(&out).len();
            given += bestmoves(&text(&out));
            assert!(begun - ended <= 1, "one search at a time");
            assert!(text(&out).is_empty() || text(&out).ends_with('\n'));
            assert_eq!(front.waiting_searches + usize::from(front.running.is_some()), wanted - given);
            assert!(front.running.is_some() || front.queue.is_empty());
        }
        let mut out = Vec::new();
        front.end_of_input(&mut out);
        while begun + searches(&out).len() > ended {
            ended += 1;
            out.extend(answer(&mut front, "nonsense"));
        }
        assert_eq!(given + bestmoves(&text(&out)), wanted);
        assert_eq!(out.last(), Some(&Action::Quit));
    }
}

#[test]
fn waiting_lines_are_bounded() {
    let mut uci = front(Protocol::Uci, "");
    let mut out = Vec::new();
    uci.line("go infinite", &mut out);
    let line = format!("setoption name Hash value {}", "9".repeat(1 << 16));
    let mut taken = 0;
    while uci.accepts() {
        out.clear();
        uci.line(&line, &mut out);
        taken += 1;
    }
    assert!((60..70).contains(&taken), "{taken}");
    // Nothing more is read, so `stop` could not be heard.
    assert_eq!(out, [Action::Stop(0)]);
    answer(&mut uci, "f5");
    assert!(uci.accepts());
}

/// Moves and positions through the client's notation and back, over random games of each variant.
#[test]
fn random_games_come_back_as_they_were_written() {
    let mut rng = rng(3);
    for variant in VARIANTS {
        for _ in 0..4 {
            let mut uci = front(Protocol::Uci, variant.name);
            let notation = uci.notation();
            let mut moves = String::new();
            loop {
                let legal = notation.legal(&*uci.desk.referee, &uci.tail);
                let Some(&ply) = legal.get(below(&mut rng, legal.len().max(1) as u32) as usize) else {
                    break;
                };
                let name = notation.text(&*uci.desk.referee, &uci.tail, ply);
                assert_eq!(notation.read(&*uci.desk.referee, &uci.tail, &name), Ok(ply), "{name}");
                moves.push_str(&format!(" {name}"));
                assert_eq!(ask(&mut uci, &format!("position startpos moves{moves}")), "");
                let fen = notation.fen(&*uci.desk.referee, &uci.tail);
                let mut copy = front(Protocol::Uci, variant.name);
                assert_eq!(ask(&mut copy, &format!("position fen {fen}")), "", "{fen}");
                assert_eq!(copy.desk.referee.key(), uci.desk.referee.key(), "{fen}");
                if uci.desk.referee.ending().is_none() {
                    assert_eq!(notation.fen(&*copy.desk.referee, &copy.tail), fen);
                }
            }
            assert!(ask(&mut uci, "go movetime 1").ends_with("bestmove (none)\n"));
        }
    }
}
