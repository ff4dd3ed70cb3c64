//! Every bad engine is judged rightly, and the match goes on.

use serde_json::Value;

use super::{Match, adapter, loser, numbers};

/// Two games of a bad engine that speaks `protocol` against a player of random moves.
fn against(fault: &str, engine: &str, more: &[&str]) -> Vec<Value> {
    let args =
        ["--engine", engine, "--engine", "name=good,proto=random", "--games", "2", "--openings", "start"];
    let game = Match::play(fault, &[&args, more].concat());
    let games = game.games();
    assert_eq!(numbers(&games), [1, 2], "{fault}");
    games
}

fn zoo(protocol: &str, fault: &str, at: u32) -> String {
    // A native engine is enough of a GTP engine, and the other way round.
    let spoken = if protocol == "native" { "gtp" } else { protocol };
    let program = env!("CARGO_BIN_EXE_test-zoo");
    format!("name=bad,cmd={program} {spoken} {fault} {at},proto={protocol},start=20,stop=0.3")
}

/// All games end by this fault of the bad engine; the words are part of the reason.
fn all_lost(protocol: &str, fault: &str, more: &[&str], end: &str, words: &str) {
    let setup: &[&str] = if protocol == "gomocup" {
        &["--game", "gomoku", "--size", "9"]
    } else {
        &["--game", "nogo", "--size", "5"]
    };
    for game in against(fault, &zoo(protocol, fault, 2), &[setup, more].concat()) {
        assert_eq!(
            (loser(&game), game["end"].as_str()),
            (Some("bad"), Some(end)),
            "{protocol} {fault}: {game}"
        );
        let reason = game["reason"].as_str().expect("a reason");
        assert!(reason.contains(words) && !reason.contains('\u{7}'), "{protocol} {fault}: {reason}");
        let winner = if game["black"] == "bad" { "white" } else { "black" };
        assert_eq!(game["result"], winner, "{protocol} {fault}: {game}");
    }
}

const SECOND: [&str; 4] = ["--movetime", "0.9", "--grace", "0.1"];
/// For faults that have nothing to do with time.
const LONG: [&str; 2] = ["--movetime", "60"];

#[test]
fn silent_and_late_engines_lose_by_time() {
    for protocol in ["native", "gtp"] {
        all_lost(protocol, "silent", &SECOND, "time", "no move within 1 s");
        all_lost(protocol, "late", &SECOND, "time", "no move within 1 s");
    }
    all_lost("native", "endless", &SECOND, "time", "no move within 1 s");
    all_lost("ugi", "silent", &SECOND, "time", "no move within 1 s");
    all_lost("gomocup", "error", &SECOND, "time", "it said: ERROR I do not feel well");
}

#[test]
fn without_a_clock_an_engine_may_not_be_silent_for_ever() {
    all_lost("native", "silent", &["--nodes", "5", "--hang", "1"], "hang", "no move within 1 s");
    all_lost("native", "endless", &["--nodes", "5", "--hang", "1"], "hang", "no move within 1");
}

#[cfg(target_os = "linux")]
#[test]
fn by_cpu_time_the_busy_lose_by_time_and_the_sleeping_by_silence() {
    let clock = ["--clock", "cpu", "--movetime", "0.1", "--hang", "2"];
    all_lost("native", "busy", &clock, "time", "of CPU time");
    all_lost("native", "endless", &clock, "time", "of CPU time");
    all_lost("native", "silent", &clock, "hang", "of wall time");
    // It sleeps for longer than it may think, and that costs nothing.
    for game in against(
        "late-cpu",
        &zoo("native", "late", 2),
        &["--game", "nogo", "--size", "5", "--clock", "cpu", "--movetime", "0.2"],
    ) {
        assert_eq!(game["end"], "rules", "{game}");
    }
}

#[test]
fn engines_that_end_lose_with_what_they_said_last() {
    for protocol in ["native", "gtp", "ugi"] {
        all_lost(protocol, "crash", &LONG, "crash", "ended (exit status: 7)");
        all_lost(protocol, "crash", &LONG, "crash", "something is wrong");
    }
    all_lost("native", "abort", &LONG, "crash", "signal: 6");
    all_lost("gomocup", "crash", &LONG, "crash", "exit status: 7");
}

#[test]
fn engines_that_do_not_start_lose_every_game() {
    for protocol in ["native", "gtp", "ugi", "gomocup"] {
        all_lost(protocol, "dies", &LONG, "start", "no licence");
    }
    let engine = zoo("native", "mute", 1).replace("start=20", "start=0.3");
    for game in against("mute", &engine, &["--game", "nogo", "--size", "5", "--nodes", "5"]) {
        assert_eq!((loser(&game), game["end"].as_str()), (Some("bad"), Some("start")), "{game}");
    }
}

#[test]
fn illegal_moves_and_garbage_lose() {
    for protocol in ["native", "gtp", "ugi"] {
        all_lost(protocol, "illegal", &LONG, "illegal", ": occupied");
        all_lost(protocol, "garbage", &LONG, "garbage", "cannot read");
    }
    all_lost("gomocup", "far", &LONG, "illegal", "77,1");
    all_lost("gomocup", "off-board", &LONG, "illegal", "77,-1");
    all_lost("gomocup", "garbage", &LONG, "garbage", "cannot read");
    all_lost("ugi", "two-words", &LONG, "garbage", "cannot read \\\"bestmove\\\"".replace('\\', "").as_str());
}

#[test]
fn claims_against_the_rules_lose() {
    all_lost("gtp", "pass", &LONG, "claim", "answers \"pass\", and there are legal moves");
    all_lost("ugi", "no-move", &LONG, "claim", "answers \"0000\"");
    all_lost("ugi", "early-end", &LONG, "claim", "says that the game is over");
    all_lost("ugi", "no-end", &LONG, "claim", "says that the game goes on");
    all_lost("ugi", "wrong-result", &LONG, "claim", "says that the game is won by");
}

#[test]
fn whoever_resigns_has_lost_even_a_game_that_is_won() {
    let games =
        against("resign", &zoo("gtp", "resign", 3), &["--game", "nogo", "--size", "5", "--movetime", "5"]);
    for game in games {
        let winner = if game["black"] == "bad" { "white" } else { "black" };
        assert_eq!(
            (game["end"].as_str(), game["result"].as_str()),
            (Some("resignation"), Some(winner)),
            "{game}"
        );
        assert_eq!(loser(&game), None, "to resign is no fault: {game}");
    }
}

#[test]
fn megabytes_of_output_are_no_fault_if_a_move_follows() {
    for protocol in ["native", "gtp", "ugi", "gomocup"] {
        let setup = if protocol == "gomocup" {
            ["--game", "gomoku", "--size", "9"]
        } else {
            ["--game", "nogo", "--size", "5"]
        };
        for fault in ["flood", "long-line"] {
            // In Gomocup every line that is none of its words is an answer.
            if (protocol, fault) == ("gomocup", "long-line") {
                continue;
            }
            let more = [&setup[..], &["--movetime", "60"]].concat();
            for game in against(fault, &zoo(protocol, fault, 2), &more) {
                assert_eq!(game["end"], "rules", "{protocol} {fault}: {game}");
            }
        }
    }
}

#[test]
fn engines_that_refuse_or_do_not_hear_a_move_lose() {
    all_lost("gtp", "refuses", &LONG, "garbage", "refuses \"play");
    let engine = zoo("native", "deaf", 2).replace("start=20", "start=1");
    for game in against("deaf", &engine, &["--game", "nogo", "--size", "5", "--movetime", "1"]) {
        assert_eq!((loser(&game), game["end"].as_str()), (Some("bad"), Some("hang")), "{game}");
    }
}

#[cfg(unix)]
#[test]
fn engines_that_close_their_streams_lose() {
    for (closed, end) in [("1>&-", "crash"), ("0<&-", "time")] {
        let script = format!(
            "while read line; do case $line in *genmove*) exec {closed}; sleep 1000;; *) echo '= '; echo;; esac; done"
        );
        let engine = format!("name=bad,proto=native,stop=0.3,cmd=sh -c \"{script}\"");
        for game in against("closes", &engine, &["--game", "nogo", "--size", "5", "--movetime", "0.5"]) {
            assert_eq!((loser(&game), game["end"].as_str()), (Some("bad"), Some(end)), "{closed}: {game}");
        }
    }
}

#[test]
fn an_engine_that_does_not_leave_is_no_hindrance() {
    for game in
        against("stays", &zoo("native", "stays", 1), &["--game", "nogo", "--size", "5", "--nodes", "5"])
    {
        assert_eq!(game["end"], "rules", "{game}");
    }
}

/// The second answer to one question is none to the next.
#[test]
fn doubled_answers_are_heard_once() {
    for protocol in ["native", "gtp"] {
        let more = ["--game", "nogo", "--size", "5", "--movetime", "60"];
        for game in against("doubled", &zoo(protocol, "doubled", 1), &more) {
            assert_eq!(game["end"], "rules", "{game}");
        }
    }
}

/// The colours of swap2, and each engine's own clock after them.
#[test]
fn swap2_gives_the_colours_that_were_chosen() {
    // Who has Black in the end, of the one that proposes and the one that chooses; stones of the opening.
    for (word, black, stones) in
        [("stay", "p", 3), ("swap-late", "c", 3), ("two-stay", "c", 5), ("two-swap", "p", 5)]
    {
        let engine = |name: &str, more: &str| {
            let spec =
                zoo("gomocup", &format!("swap2-{word}"), 2).replace("name=bad", &format!("name={name}"));
            format!("{spec},{more}")
        };
        // Who is late has no clock; the other has too little to be late.
        let (p, c) = (engine("p", "tc=0.9"), engine("c", "tc=inf"));
        let p = p.replace("-late", "");
        let args =
            ["--game", "gomoku", "--size", "9", "--engine", &p, "--engine", &c, "--games", "1", "--swap2"];
        let games = Match::play(word, &args).games();
        let game = &games[0];
        assert_eq!(
            (game["end"].as_str(), game["black"].as_str()),
            (Some("rules"), Some(black)),
            "{word}: {game}"
        );
        assert_eq!(game["opening"]["moves"].as_array().map(Vec::len), Some(stones), "{word}: {game}");
        assert_eq!(game["opening"]["name"], "swap2");
    }
    for (word, end, reason) in [
        ("four", "garbage", "answers 4 stones in swap2"),
        ("occupied", "illegal", "illegal stone b2: occupied"),
    ] {
        let bad = zoo("gomocup", &format!("swap2-{word}"), 99);
        let other = bad.replace("name=bad", "name=other").replace(word, "stay");
        let (one, two) = if word == "four" { (&bad, &other) } else { (&other, &bad) };
        let args =
            ["--game", "gomoku", "--size", "9", "--engine", one, "--engine", two, "--games", "2", "--swap2"];
        let more = ["--nodes", "1"];
        let game = Match::play(word, &[&args[..], &more].concat()).games().remove(0);
        assert_eq!((loser(&game), game["end"].as_str()), (Some("bad"), Some(end)), "{word}: {game}");
        assert!(game["reason"].as_str().is_some_and(|text| text.contains(reason)), "{word}: {game}");
    }
}

#[test]
fn suggestions_of_a_gomocup_brain_are_moves() {
    let engine = zoo("gomocup", "suggests", 99);
    for game in against("suggests", &engine, &["--game", "gomoku", "--size", "9", "--movetime", "5"]) {
        assert_eq!(game["end"], "rules", "{game}");
    }
}

#[test]
fn two_bad_engines_draw_nobody_in() {
    let bad = zoo("native", "dies", 1);
    let other = bad.replace("name=bad", "name=other");
    let more = ["--game", "nogo", "--engine", &bad, "--engine", &other, "--games", "2", "--nodes", "1"];
    let game = Match::play("both", &more);
    for game in game.games() {
        assert_eq!((game["result"].as_str(), game["end"].as_str()), (Some("draw"), Some("start")), "{game}");
    }
}

#[test]
fn a_good_engine_beside_a_bad_one_has_no_fault() {
    let good = format!("name=good,cmd={},proto=ugi", adapter("ugi"));
    let bad = zoo("ugi", "crash", 3);
    let args = [
        "--game", "nogo", "--size", "5", "--engine", &bad, "--engine", &good, "--games", "6", "--nodes", "50",
    ];
    let game = Match::play("good", &args);
    assert!(game.games().iter().all(|game| loser(game) == Some("bad")));
}
