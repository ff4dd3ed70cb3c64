//! What a match comes to, from games played at random by the referee.

mod pages;
mod recorded;
mod tables;

use tengen_engine::game::Color;
use tengen_engine::game::random::{self, Rng, below};
use tengen_engine::games::{self, Setup};

use super::super::record::{End, Finished, Side, Started, Verdict};
use super::*;

const SETUPS: [&str; 7] = [
    "nogo size 9",
    "nogo size 5x3 rules capture",
    "nogo hole=2021",
    "gomoku size 9 rules renju",
    "othello size 6",
    "othello",
    "amazons size 5",
];

/// A name that would end the script, were it not escaped.
const HOSTILE: &str = "</script><script>alert(\"1\")</script>&'";

fn names(count: usize) -> Vec<String> {
    ["alpha", "beta", HOSTILE, "delta", "epsilon", "zeta"][..count]
        .iter()
        .map(|&name| name.to_owned())
        .collect()
}

/// A game of random legal moves, four of them (or fewer) as the opening.
fn random_game(setup: &str, number: u32, players: [&str; 2], rng: &mut Rng) -> Finished {
    let mut referee = games::referee(Setup::parse(setup.split(' ')).unwrap()).unwrap();
    let mut texts = Vec::new();
    while referee.ending().is_none() {
        let moves = referee.legal_moves(None).unwrap();
        let mv = moves[below(rng, moves.len() as u32) as usize];
        texts.push(referee.move_text(mv));
        referee.play(None, mv).unwrap();
    }
    let moves = texts.split_off(texts.len().min(4));
    let ending = referee.ending().unwrap();
    let score = ending.to_string();
    Finished {
        game: number,
        pair: number.div_ceil(2),
        setup: setup.to_owned(),
        black: players[0].to_owned(),
        white: players[1].to_owned(),
        opening: Started { name: format!("random {number}"), position: None, moves: texts },
        times: moves.iter().map(|_| f64::from(below(rng, 50_000)) / 1e6).collect(),
        chances: moves.iter().map(|_| (below(rng, 3) > 0).then(|| below(rng, 101) as f32 / 100.0)).collect(),
        moves,
        result: ending.outcome.into(),
        score: score.split(' ').next().unwrap().to_owned(),
        end: End::Rules,
        reason: ending.reason.to_owned(),
        forfeit: None,
        overhead: None,
        started: 1_767_225_600 + u64::from(number),
        duration: 1.5,
    }
}

/// Pairs of games between all engines.
fn random_match(setup: &str, engines: &[String], pairs: u32, seed: u64) -> Vec<Finished> {
    let mut rng = random::rng(seed);
    let mut games = Vec::new();
    for _ in 0..pairs {
        for i in 0..engines.len() {
            for j in 0..i {
                for players in [[i, j], [j, i]] {
                    let number = games.len() as u32 + 1;
                    let players = players.map(|index| engines[index].as_str());
                    games.push(random_game(setup, number, players, &mut rng));
                }
            }
        }
    }
    games
}

/// A game of a few moves with the given result.
fn decided(number: u32, players: [&str; 2], result: Verdict, end: End) -> Finished {
    let loser = match result {
        Verdict::Black => Some(Side::White),
        Verdict::White => Some(Side::Black),
        Verdict::Draw => None,
    };
    Finished {
        game: number,
        pair: number.div_ceil(2),
        setup: "othello size 8".to_owned(),
        black: players[0].to_owned(),
        white: players[1].to_owned(),
        opening: Started { name: "line 1".to_owned(), position: None, moves: vec!["f5".to_owned()] },
        moves: ["d6", "c3", "d3"].map(str::to_owned).to_vec(),
        result,
        score: match result {
            Verdict::Black => "black+1".to_owned(),
            Verdict::White => "white+1".to_owned(),
            Verdict::Draw => "draw".to_owned(),
        },
        end,
        reason: "as the test says".to_owned(),
        forfeit: loser.filter(|_| end.is_forfeit()),
        // White, Black, White.
        times: vec![0.5, 0.25, 1.0],
        chances: vec![None; 3],
        overhead: None,
        started: 0,
        duration: 2.0,
    }
}

fn shuffled(games: &[Finished], seed: u64) -> Vec<Finished> {
    let mut rng = random::rng(seed);
    let mut games = games.to_vec();
    for last in (1..games.len()).rev() {
        games.swap(last, below(&mut rng, last as u32 + 1) as usize);
    }
    games
}

fn counted(engines: &[String], sprt: Option<super::super::statistics::Sprt>, games: &[Finished]) -> Summary {
    let mut standings = Standings::new(engines, sprt);
    for game in games {
        standings.add(game).unwrap();
    }
    standings.summary()
}

#[test]
fn ends_have_the_names_of_the_journal() {
    for end in ENDS {
        assert_eq!(serde_json::to_value(end).unwrap(), end_name(end));
        let first_forfeit = ENDS.iter().position(|end| end.is_forfeit()).unwrap();
        assert_eq!(ENDS.iter().position(|&other| other == end).unwrap() >= first_forfeit, end.is_forfeit());
    }
}

#[test]
fn the_mover_is_found_without_a_replay() {
    for setup in SETUPS {
        let mut game = random_game(setup, 1, ["a", "b"], &mut random::rng(5));
        let mut turns = vec![replay::start(&game).unwrap().turn()];
        replay::replay(&game, |referee, _| turns.push(referee.turn())).unwrap();
        let expected = Side::from(turns[game.opening.moves.len()]);
        assert_eq!(replay::mover(&game), Ok(expected), "{setup}");

        // The same game from the position behind its opening.
        let mut referee = replay::start(&game).unwrap();
        for text in std::mem::take(&mut game.opening.moves) {
            let mv = referee.parse_move(&text).unwrap();
            referee.play(None, mv).unwrap();
        }
        game.opening.position = Some(referee.position_text());
        assert_eq!(replay::mover(&game), Ok(expected), "{setup}");
        assert_eq!(expected == Side::Black, referee.turn() == Color::Black);
        replay::replay(&game, |_, _| {}).unwrap();
    }
}
