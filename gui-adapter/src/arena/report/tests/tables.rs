use super::*;
use crate::arena::statistics::{Model, Pentanomial, Sprt, Trinomial, Verdict as Decision};

fn test() -> Sprt {
    Sprt::new(0.0, 10.0, 0.05, 0.05, Model::Logistic, true).unwrap()
}

fn results(wins: u32, draws: u32, losses: u32) -> Trinomial {
    Trinomial { wins, draws, losses }
}

/// Five pairs between a and b. a with Black: win, draw, loss by time, win, loss; with White: win, win, draw,
/// win by crash, loss by resignation.
fn ten_games() -> Vec<Finished> {
    use Verdict::{Black, Draw, White};
    let (ab, ba) = (["a", "b"], ["b", "a"]);
    vec![
        decided(1, ab, Black, End::Rules),
        decided(2, ba, White, End::Rules),
        decided(3, ab, Draw, End::Adjudication),
        decided(4, ba, White, End::Rules),
        decided(5, ab, White, End::Time),
        decided(6, ba, Draw, End::Rules),
        decided(7, ab, Black, End::Rules),
        decided(8, ba, White, End::Crash),
        decided(9, ab, White, End::Rules),
        decided(10, ba, Black, End::Resignation),
    ]
}

fn two() -> Vec<String> {
    ["a", "b"].map(str::to_owned).to_vec()
}

#[test]
fn a_match_of_two_is_counted() {
    let summary = counted(&two(), Some(test()), &ten_games());
    assert_eq!((summary.games, summary.plies), (10, 4.0));
    let [a, b] = &summary.engines[..] else { panic!("two engines") };
    assert_eq!((a.rank, b.rank), (1, 2));
    assert_eq!(a.results, results(5, 2, 3));
    assert_eq!(a.black, results(2, 1, 2));
    assert_eq!(a.white, results(3, 1, 1));
    assert_eq!(b.results, results(3, 2, 5));
    assert_eq!((a.points, a.score, a.draw_rate), (6.0, 0.6, 0.2));
    assert!((a.elo + b.elo).abs() < 1e-9);
    assert_eq!(serde_json::to_value(&a.forfeits).unwrap(), serde_json::json!({"time": 1}));
    assert_eq!(serde_json::to_value(&b.forfeits).unwrap(), serde_json::json!({"crash": 1}));
    assert_eq!((a.resignations, b.resignations), (1, 0));
    // White has two of the three moves: 1.5 s, Black one of 0.25 s; a has each colour five times.
    assert_eq!((a.thinking.moves, a.thinking.seconds, a.thinking.longest), (15, 8.75, 1.0));
    assert_eq!(b.thinking, a.thinking);

    let [pairing] = &summary.pairings[..] else { panic!("one pairing") };
    assert_eq!(pairing.pairs, Pentanomial([1, 1, 0, 1, 2]));
    assert_eq!(pairing.pairs_ratio, Some(1.5));
    assert!(pairing.by_pairs);
    assert_eq!(pairing.estimate, Pentanomial([1, 1, 0, 1, 2]).estimate());
    assert_eq!(a.elo, pairing.estimate.elo);
    let sprt = summary.sprt.unwrap();
    assert_eq!(sprt.state.llr, test().llr_pairs(&pairing.pairs));
    assert_eq!(sprt.state.verdict, Decision::Continue);
}

#[test]
fn games_without_pairs_are_counted_one_by_one() {
    let mut games = ten_games();
    for game in &mut games {
        game.pair = game.game;
    }
    let summary = counted(&two(), None, &games);
    assert!(!summary.pairings[0].by_pairs);
    assert_eq!(summary.pairings[0].estimate, results(5, 2, 3).estimate());
    assert_eq!(summary.pairings[0].pairs_ratio, None);
}

#[test]
fn the_order_of_games_does_not_matter() {
    let engines = names(4);
    let games = random_match("nogo size 5", &engines, 3, 7);
    let expected = counted(&engines, None, &games);
    for seed in 0..20 {
        assert_eq!(counted(&engines, None, &shuffled(&games, seed)).json(), expected.json());
    }
    let by_hand = ten_games();
    let json = counted(&two(), Some(test()), &by_hand).json();
    for seed in 0..20 {
        assert_eq!(counted(&two(), Some(test()), &shuffled(&by_hand, seed)).json(), json);
    }
}

#[test]
fn games_of_another_match_are_refused_and_change_nothing() {
    let mut standings = Standings::new(&two(), None);
    let games = ten_games();
    standings.add(&games[0]).unwrap();
    let before = standings.summary();
    let change = |index: usize, change: &dyn Fn(&mut Finished)| {
        let mut game = games[index].clone();
        change(&mut game);
        game
    };
    for (game, expected) in [
        (games[0].clone(), "game 1 is there twice"),
        (change(1, &|game| game.black = "c\n".to_owned()), "game 2: no engine has the name \"c\\n\""),
        (change(1, &|game| game.black = "a".to_owned()), "game 2: both sides are the same engine"),
        (
            change(1, &|game| game.setup = "chess".to_owned()),
            "game 2 cannot be replayed: no such game: \"chess\" (known: nogo, gomoku, othello, amazons)",
        ),
        (
            change(1, &|game| game.opening.position = Some("....".to_owned())),
            "game 2 cannot be replayed: opening position: no side to move",
        ),
    ] {
        assert_eq!(standings.add(&game).unwrap_err().to_string(), expected);
        assert_eq!(standings.summary(), before);
    }
    standings.add(&games[1]).unwrap();
    let third = change(2, &|game| game.pair = 1);
    assert_eq!(
        standings.add(&third).unwrap_err().to_string(),
        "game 3 does not belong to pair 1, as it says"
    );
    assert_eq!(standings.games(), 2);
    let three: Vec<String> = ["a", "b", "c"].map(str::to_owned).to_vec();
    let mut standings = Standings::new(&three, None);
    standings.add(&games[0]).unwrap();
    let other = change(1, &|game| game.black = "c".to_owned());
    assert!(matches!(standings.add(&other), Err(AddError::Pair { game: 2, pair: 1 })));
}

#[test]
fn results_without_bounds_are_null_in_json() {
    let games = [
        decided(1, ["a", "b"], Verdict::Black, End::Rules),
        decided(2, ["b", "a"], Verdict::White, End::Rules),
    ];
    for (games, text) in [(&games[..], "+inf ±inf"), (&[], "0 ±inf")] {
        let summary = counted(&two(), Some(test()), games);
        let json: serde_json::Value = serde_json::from_str(&summary.json()).unwrap();
        assert_eq!(json["engines"][0]["error"], serde_json::Value::Null);
        assert!(summary.short().contains(&format!("Elo {text}")), "{}", summary.short());
        assert!(!summary.text().contains("NaN"), "{}", summary.text());
    }
    let json = counted(&two(), Some(test()), &ten_games()).json();
    assert!(json.contains("\"verdict\": \"continue\"") && json.contains("\"model\": \"logistic\""), "{json}");
    assert!(json.contains("\"pairs\": [\n        1,\n        1,\n        0,"), "{json}");
}

#[test]
fn the_short_line_is_one_line() {
    let summary = counted(&two(), Some(test()), &ten_games());
    assert_eq!(summary.short(), "a - b: +5 =2 -3 (60.0 %) Elo +70 ±366 LOS 71 % LLR 0.04 [-2.94, 2.94]");
    let engines = names(4);
    let short = counted(&engines, None, &random_match("nogo size 5", &engines, 2, 1)).short();
    assert!(short.starts_with("1. ") && short.contains("  3. ") && !short.contains('\n'), "{short}");
}

#[test]
fn tables_are_aligned_and_fit() {
    let mut engines = names(6);
    engines[1] = "an engine with a name far too long for a table\n".to_owned();
    let mut games = random_match("nogo size 4", &engines, 1, 3);
    let text = counted(&engines, None, &games).text();
    assert!(text.contains("an engine with a na…"), "{text}");
    // A thousand times as many games, numbered anew.
    let once = games.clone();
    for round in 1..200 {
        games.extend(once.iter().map(|game| {
            let shift = round * once.len() as u32;
            Finished { game: game.game + shift, pair: game.pair + shift, ..game.clone() }
        }));
    }
    let text = counted(&engines, None, &games).text();
    let lines: Vec<&str> = text.lines().collect();
    assert!(lines.iter().all(|line| line.chars().count() <= 110), "{text}");
    let column = |line: &str, word: &str| line.find(word).map(|at| line[..at].chars().count());
    let end = column(lines[0], "games").unwrap() + 5;
    for line in &lines[1..7] {
        let games: String = line.chars().take(end).collect();
        assert!(games.ends_with(" 2000"), "{text}");
    }
    assert!(text.contains("\n#  engine "), "{text}");
}

#[test]
fn ranks_follow_elo() {
    let engines = names(3);
    let mut games = Vec::new();
    // The third beats the first, the first the second, each once more than it loses.
    for (index, (winner, loser)) in [(2, 0), (2, 0), (0, 2), (0, 1), (0, 1), (1, 0)].into_iter().enumerate() {
        let players = [engines[winner].as_str(), engines[loser].as_str()];
        let mut game = decided(index as u32 + 1, players, Verdict::Black, End::Rules);
        game.pair = game.game;
        games.push(game);
    }
    let summary = counted(&engines, None, &games);
    assert!(!summary.prior);
    assert_eq!(summary.engines.iter().map(|engine| engine.rank).collect::<Vec<_>>(), [2, 3, 1]);
    // Two to one is 120.4 Elo.
    let elo: Vec<f64> = summary.engines.iter().map(|engine| engine.elo).collect();
    assert!((elo[2] - elo[0] - 120.411_998).abs() < 1e-5 && (elo[0] - elo[1] - 120.411_998).abs() < 1e-5);
    assert_eq!(summary.pairings.len(), 2);
}
