//! Engines over every protocol.

use super::{Match, adapter, loser, numbers};

/// Two games of the engine in the adapter against the adapter's front for a protocol, with this limit; both
/// end by the rules.
fn whole_games(name: &str, protocol: &str, front: &str, args: &str) {
    let engine = format!("name=F,proto={protocol},cmd={}", adapter(front));
    let args: Vec<&str> = args.split(' ').collect();
    let game = Match::play(
        name,
        &[&["--engine", "name=A", "--engine", &engine, "--games", "2"], &args[..]].concat(),
    );
    let games = game.games();
    assert_eq!(numbers(&games), [1, 2]);
    for game in games {
        assert_eq!((game["end"].as_str(), loser(&game)), (Some("rules"), None), "{name}: {game}");
    }
}

#[test]
fn gtp() {
    for setup in ["nogo", "gomoku --size 15", "othello --size 10", "amazons --size 10", "nogo --size 7x9"] {
        let game = setup.split(' ').next().expect("a game");
        whole_games(
            "gtp",
            "gtp",
            &format!("gtp --game {game}"),
            &format!("--game {setup} --movetime 0.02 --grace 30"),
        );
    }
}

#[test]
fn gomocup() {
    for rules in ["freestyle", "standard", "renju", "caro"] {
        whole_games("gomocup", "gomocup", "gomocup", &format!("--game gomoku --rules {rules} --nodes 200"));
    }
    whole_games("gomocup", "gomocup", "gomocup", "--game gomoku --size 20 --tc 5+0.05 --grace 30");
}

#[test]
fn ugi() {
    for setup in
        ["nogo --rules capture --size 5", "gomoku --rules renju", "othello", "amazons --size 6", "nogo"]
    {
        whole_games("ugi", "ugi", "ugi", &format!("--game {setup} --nodes 100"));
    }
    whole_games("ugi", "ugi", "ugi", "--game amazons --tc 2+0.02 --grace 30");
}

#[test]
fn uci() {
    for setup in ["othello", "othello --size 10", "amazons"] {
        whole_games("uci", "uci", "uci", &format!("--game {setup} --nodes 100"));
    }
}

#[test]
fn nboard() {
    whole_games("nboard", "nboard", "nboard", "--game othello --depth 3");
    whole_games("nboard", "nboard", "nboard", "--game othello --tc 5+0.05 --grace 30");
}

#[test]
fn swap2_makes_the_opening() {
    let engine = format!("name=F,proto=gomocup,cmd={}", adapter("gomocup"));
    let args = [
        "--game", "gomoku", "--engine", "name=A", "--engine", &engine, "--games", "4", "--nodes", "300",
        "--swap2",
    ];
    let game = Match::play("swap2", &args);
    for game in game.games() {
        let stones = game["opening"]["moves"].as_array().expect("moves").len();
        assert!(game["end"] == "rules" && matches!(stones, 3 | 5), "{game}");
    }
}

#[test]
fn what_cannot_be_played_is_told_before_the_first_game() {
    for (args, problem) in [
        ("--game nogo --engine name=A --nodes 5", "a match needs two engines or more"),
        ("--game nogo --engine name=A --engine name=A --nodes 5", "two engines have the name A"),
        ("--game nogo --engine name=A --engine name=B", "how long may engines think?"),
        ("--game chess --engine name=A --engine name=B --nodes 5", "no such game: \"chess\""),
        (
            "--game nogo --engine name=A --engine name=B,cmd=/no/such/program --nodes 5",
            "engine B: no such program",
        ),
        (
            "--game nogo --engine name=A --engine name=B,proto=gomocup,cmd=sh --nodes 5",
            "engine B: Gomocup has no nogo",
        ),
        (
            "--game othello --engine name=A --engine name=B,proto=gtp,cmd=sh --nodes 5",
            "engine B: GTP has no limit of nodes",
        ),
        (
            "--game nogo --engine name=A --engine name=B --nodes 5 --swap2",
            "--swap2: nogo has no such opening",
        ),
        ("--game nogo --engine name=A --engine name=B --nodes 5 --openings /no/such/file", "/no/such/file"),
        ("--game nogo --engine name=A --engine name=B --nodes 5 --sprt 5", "bad value \"5\" for --sprt"),
        ("--game nogo --engine name=A --engine name=B --nodes 5 --sprt 5,0", "sprt: elo0 (5) must be less"),
        ("--game nogo --engine name=A --engine name=B --nodes 5 --shard 5/4", "there is no share 5 of 4"),
        ("--game nogo --engine name=A --engine name=B --tc x", "bad time control \"x\""),
    ] {
        let game = Match::new("wrong");
        let output = game.try_play(&args.split(' ').collect::<Vec<_>>());
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!((output.status.code(), text.lines().count()), (Some(2), 1), "{args}: {text}");
        assert!(text.contains(problem), "{args}: {text}");
        assert!(!game.folder.join("games.jsonl").exists(), "{args}");
    }
}
