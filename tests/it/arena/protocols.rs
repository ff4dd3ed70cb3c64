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

/// Engines that name points as Go programs do, Othello's rows from the bottom, are found out.
#[test]
fn gtp_in_the_letters_of_go() {
    for setup in ["othello --size 8", "othello --size 10", "gomoku", "nogo"] {
        let game = setup.split(' ').next().expect("a game");
        let front = format!("gtp --game {game} --profile gogui --othello-row-one bottom");
        whole_games("gogui", "gtp", &front, &format!("--game {setup} --movetime 0.02 --grace 30"));
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

/// A ladder of levels, as far as it is quick: the challenger climbs while it wins.
#[test]
fn a_ladder_of_gtp_rhino() {
    if !crate::clients::have(&["gtp-rhino"]) {
        return;
    }
    let rhino = |level: u32| format!("name=rhino {level},proto=gtp,tc=inf,cmd=gtp-rhino -l {level}");
    let (one, two) = (rhino(1), rhino(2));
    let args = ["--game", "othello", "--tournament", "ladder", "--games", "2", "--nodes", "5000"];
    let climbs = Match::play(
        "ladder",
        &[&args[..], &["--engine", "name=T", "--engine", &one, "--engine", &two]].concat(),
    );
    let games = climbs.games();
    assert_eq!(numbers(&games), [1, 2, 3, 4]);
    assert!(games.iter().all(|game| game["end"] == "rules"), "{games:?}");
    // A player of random moves stays on the first rung.
    let falls = Match::play(
        "fall",
        &[&args[..], &["--engine", "name=R,proto=random", "--engine", &one, "--engine", &two]].concat(),
    );
    assert_eq!(numbers(&falls.games()), [1, 2]);
}

/// With limits by nodes and one seed, a match is the same whenever it is played.
#[test]
fn a_match_by_nodes_repeats() {
    let args = [
        "--game",
        "othello",
        "--size",
        "6",
        "--engine",
        "name=A",
        "--engine",
        "name=B,option.level=8",
        "--games",
        "6",
        "--nodes",
        "300",
        "--concurrency",
        "2",
    ];
    let moves = |name: &str| {
        let game = Match::play(name, &args);
        game.games().iter().map(|game| (game["opening"].clone(), game["moves"].clone())).collect::<Vec<_>>()
    };
    assert_eq!(moves("once"), moves("again"));
}

/// A test that has decided ends the match.
#[test]
fn a_sequential_test_stops_the_match() {
    let args = [
        "--game",
        "othello",
        "--size",
        "6",
        "--engine",
        "name=A",
        "--engine",
        "name=R,proto=random",
        "--games",
        "1000",
        "--nodes",
        "200",
        "--sprt",
        "0,50",
    ];
    let game = Match::play("sprt", &args);
    let text = std::fs::read_to_string(game.folder.join("result.json")).expect("a result");
    let result: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!(result["sprt"]["verdict"], "accept-h1", "{text}");
    assert!(game.games().len() < 500, "{}", game.games().len());
}

/// Agreed results, long games and solved ends of Othello.
#[test]
fn games_are_adjudicated_when_it_is_wanted() {
    let play = |name: &str, args: &str| {
        let args: Vec<&str> = args.split(' ').collect();
        Match::play(
            name,
            &[&["--engine", "name=A", "--engine", "name=B", "--games", "2"], &args[..]].concat(),
        )
        .games()
    };
    for game in play("long", "--game nogo --nodes 50 --max-plies 20") {
        assert_eq!(
            (game["end"].as_str(), game["result"].as_str()),
            (Some("adjudication"), Some("draw")),
            "{game}"
        );
        assert_eq!(game["reason"], "20 plies played");
    }
    for game in play("solve", "--game othello --nodes 500 --solve 10 --openings random:8") {
        assert_eq!(
            (game["end"].as_str(), game["reason"].as_str()),
            (Some("adjudication"), Some("solved")),
            "{game}"
        );
        let plies = game["moves"].as_array().expect("moves").len() + 8;
        assert!((50..=56).contains(&plies), "{game}");
    }
    for game in play("agree", "--game nogo --nodes 1000 --resign 10,2") {
        assert_eq!(game["end"], "adjudication", "{game}");
        assert_eq!(game["reason"], "both engines agree on the winner");
    }
}

/// The engine in this program plans by CPU time when the runner counts that, so that a busy machine does not
/// make it think for less.
#[cfg(target_os = "linux")]
#[test]
fn by_cpu_time_the_engine_uses_what_it_may() {
    let args = [
        "--game",
        "gomoku",
        "--engine",
        "name=A,nodes=50",
        "--engine",
        "name=B,movetime=0.2",
        "--games",
        "2",
        "--clock",
        "cpu",
        "--max-plies",
        "12",
        "--grace",
        "10",
    ];
    let game = Match::play("cpu", &args);
    for game in game.games() {
        let b_is_black = game["black"] == "B";
        let plies = game["opening"]["moves"].as_array().expect("moves").len();
        let times: Vec<f64> =
            game["times"].as_array().expect("times").iter().filter_map(serde_json::Value::as_f64).collect();
        // Black moves at even plies. A move that is forced takes no time.
        let own = times.iter().enumerate().filter(|(index, _)| ((plies + index) % 2 == 0) == b_is_black);
        let longest = own.map(|(_, time)| *time).fold(0.0, f64::max);
        assert!((0.15..=0.25).contains(&longest), "{game}");
    }
}
