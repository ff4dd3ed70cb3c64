use std::collections::HashMap;

use super::*;
use crate::records::{ggf as ggf_format, sgf as sgf_format};

fn final_position(game: &Finished) -> String {
    replay::replay(game, |_, _| {}).unwrap().position_text()
}

#[test]
fn collections_of_sgf_are_read_back() {
    for setup in SETUPS {
        let engines = names(3);
        let games = random_match(setup, &engines, 1, 11);
        let text = records::sgf("a match", &games).unwrap();
        assert_eq!(records::sgf("a match", &shuffled(&games, 1)).unwrap(), text);
        let hint = Setup::parse(setup.split(' ')).unwrap();
        for (index, game) in games.iter().enumerate() {
            let loaded = sgf_format::load(&text[begin(&text, index)..], &hint, None).unwrap();
            assert_eq!(
                loaded.position_text().split(' ').next(),
                final_position(game).split(' ').next(),
                "{setup}"
            );
        }
        assert!(text.contains("DT[2026-01-01]") && text.contains("RO[3]") && text.contains("ON[random 2]"));
    }
}

/// Where the game of this number (from 0) begins in the collection.
fn begin(text: &str, index: usize) -> usize {
    text.match_indices("(;").nth(index).unwrap().0
}

#[test]
fn ggf_is_read_back_with_its_times() {
    for setup in ["othello", "othello size 6", "amazons size 6"] {
        let games = random_match(setup, &names(3), 1, 12);
        let text = records::ggf("a match", &games).unwrap().unwrap();
        assert_eq!(records::ggf("a match", &shuffled(&games, 1)).unwrap().unwrap(), text);
        assert_eq!(text.lines().count(), games.len());
        for (line, game) in text.lines().zip(&games) {
            let loaded = ggf_format::load(line).unwrap();
            assert_eq!(loaded.referee.position_text(), final_position(game));
            let spent: f64 = loaded.spent.iter().map(std::time::Duration::as_secs_f64).sum();
            assert!((spent - game.times.iter().sum::<f64>()).abs() < 1e-4);
            // The format's Black moves first, and its result is Black's.
            let amazons = setup.starts_with("amazons");
            let first = if amazons { &game.white } else { &game.black };
            let first_name: String = first.chars().filter(|&c| c != ']').collect();
            assert!(line.contains(&format!("PB[{first_name}]")), "{line}");
            let first_won = (game.result == Verdict::Black) != amazons && game.result != Verdict::Draw;
            assert_eq!(line.contains("RE[+"), first_won || game.result == Verdict::Draw, "{line}");
            assert_eq!(line.matches("RE[").count(), 1);
        }
    }
    for setup in ["nogo size 5", "gomoku size 9", "amazons size 6 start=corner"] {
        assert_eq!(records::ggf("", &random_match(setup, &names(2), 1, 1)), Ok(None), "{setup}");
    }
    let mut resigned = decided(1, ["a", "b"], Verdict::White, End::Resignation);
    resigned.score = "white+1".to_owned();
    assert!(records::ggf("", &[resigned]).unwrap().unwrap().contains("RE[-1.00:r]"));
}

/// Headers and movetext of each game.
fn read_pgn(text: &str) -> Vec<(HashMap<&str, &str>, Vec<&str>)> {
    let mut games = Vec::new();
    let mut sections = text.split("\n\n");
    while let (Some(headers), Some(moves)) = (sections.next(), sections.next()) {
        let headers = headers
            .lines()
            .map(|line| {
                let line = line.strip_prefix('[').and_then(|line| line.strip_suffix("\"]")).expect(line);
                line.split_once(" \"").expect(line)
            })
            .collect();
        games.push((headers, moves.split_ascii_whitespace().collect()));
    }
    games
}

#[test]
fn white_in_pgn_moves_first() {
    for setup in SETUPS {
        let mut games = random_match(setup, &names(3), 1, 13);
        games[0].opening.name = "a \"quoted\" \\ name\n[Fake \"1\"]".to_owned();
        let text = records::pgn("a match", &games).unwrap();
        assert_eq!(records::pgn("a match", &shuffled(&games, 1)).unwrap(), text);
        assert!(text.lines().all(|line| line.starts_with('[') || line.len() <= 79));
        let read = read_pgn(&text);
        assert_eq!(read.len(), games.len());
        for ((headers, words), game) in read.iter().zip(&games) {
            let amazons = setup.starts_with("amazons");
            let (first, second) =
                if amazons { (&game.white, &game.black) } else { (&game.black, &game.white) };
            let shown = |name: &str| name.replace('"', "'");
            assert_eq!(headers["White"], shown(first));
            assert_eq!(headers["Black"], shown(second));
            assert_eq!(headers["FirstMover"], if amazons { "White" } else { "Black" });
            let expected = match game.result {
                Verdict::Draw => "1/2-1/2",
                Verdict::Black if !amazons => "1-0",
                Verdict::White if amazons => "1-0",
                _ => "0-1",
            };
            assert_eq!(headers["Result"], expected);
            assert_eq!(words.last(), Some(&expected));
            let moves: Vec<&str> =
                words[..words.len() - 1].iter().copied().filter(|word| !word.ends_with('.')).collect();
            let played: Vec<&str> =
                game.opening.moves.iter().chain(&game.moves).map(String::as_str).collect();
            assert_eq!(moves, played);
            assert_eq!(headers["PlyCount"], moves.len().to_string());
        }
        assert_eq!(read[0].0["Opening"], "a 'quoted' / name [Fake '1']");
    }
}

/// A game from a position where White is to move: White is White, as in chess.
#[test]
fn the_first_mover_is_the_one_of_the_position() {
    let mut game = decided(1, ["a", "b"], Verdict::White, End::Rules);
    let mut referee = replay::start(&game).unwrap();
    let mv = referee.parse_move("f5").unwrap();
    referee.play(None, mv).unwrap();
    game.opening =
        Started { name: "one".to_owned(), position: Some(referee.position_text()), moves: Vec::new() };
    let text = records::pgn("", &[game]).unwrap();
    assert!(text.contains("[White \"b\"]") && text.contains("[FirstMover \"White\"]"), "{text}");
    assert!(text.contains("[Result \"1-0\"]") && text.contains("[Position \""), "{text}");
}

#[test]
fn results_name_how_the_game_ended() {
    for (end, sgf, termination) in [
        (End::Rules, "RE[B+1]", "normal"),
        (End::Resignation, "RE[B+R]", "normal"),
        (End::Time, "RE[B+T]", "time forfeit"),
        (End::Illegal, "RE[B+F]", "rules infraction"),
        (End::Crash, "RE[B+F]", "abandoned"),
        (End::Adjudication, "RE[B+1]", "adjudication"),
    ] {
        let games = [decided(1, ["a", "b"], Verdict::Black, end)];
        assert!(records::sgf("", &games).unwrap().contains(sgf), "{end:?}");
        assert!(records::pgn("", &games).unwrap().contains(&format!("[Termination \"{termination}\"]")));
    }
    let drawn = [decided(1, ["a", "b"], Verdict::Draw, End::Adjudication)];
    assert!(records::sgf("", &drawn).unwrap().contains("RE[0]"));
}

#[test]
fn a_damaged_game_is_named() {
    let mut games = vec![
        decided(1, ["a", "b"], Verdict::Black, End::Rules),
        decided(2, ["b", "a"], Verdict::Black, End::Rules),
    ];
    games[1].moves[1] = "a1".to_owned();
    let expected = "game 2 cannot be replayed: move 3 (a1): illegal move: no disc is flipped";
    for found in [records::sgf("", &games), records::pgn("", &games)] {
        assert_eq!(found.unwrap_err().to_string(), expected);
    }
    assert_eq!(records::ggf("", &games).unwrap_err().to_string(), expected);
    games[1].moves[1] = "\u{1b}[2Jx".repeat(50);
    let error = records::sgf("", &games).unwrap_err().to_string();
    assert!(
        error.starts_with("game 2 cannot be replayed: move 3 (\\u{1b}[2Jx") && error.len() < 1000,
        "{error}"
    );
    games[1].setup = "othello size 7".to_owned();
    assert!(records::sgf("", &games).unwrap_err().to_string().contains("unacceptable size 7"));
}
