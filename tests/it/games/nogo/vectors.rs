//! Counts, verdicts and games of independent programs.

use std::collections::HashMap;

use tengen_engine::game::{Color, Game, Knowledge, Move, Outcome, Rules, perft};
use tengen_engine::games::{self, Setup, Visitor};

use super::{referee, setup};

const PERFT: &str = include_str!("../../../vectors/nogo/perft.tsv");
const TRUTH: &str = include_str!("../../../vectors/nogo/truth_positions.txt");
const OUTCOMES: &str = include_str!("../../../vectors/nogo/outcomes.tsv");
const LEGAL: &str = include_str!("../../../vectors/nogo/legal_9x9.tsv");
const GAMES: &str = include_str!("../../../vectors/nogo/random_games_9x9.txt");

fn lines(text: &'static str) -> impl Iterator<Item = &'static str> {
    text.lines().filter(|line| !line.starts_with('#') && !line.is_empty())
}

/// Counts are bulk at the last ply, so a depth costs as many nodes as the depth before has sequences.
#[test]
fn perft_counts() {
    struct Count(u32);
    impl Visitor for Count {
        type Out = u64;
        fn visit<R: Rules>(self, _setup: Setup, mut start: R) -> u64 {
            perft(&mut start, self.0, false)
        }
    }
    let mut before = 1;
    let mut checked = 0;
    for line in lines(PERFT).skip(1) {
        let fields: Vec<&str> = line.split('\t').collect();
        let [rows, columns, hole, depth, count, ..] = fields[..] else { panic!("{line}") };
        let count: u128 = count.parse().expect(line);
        let nodes = std::mem::replace(&mut before, count);
        if nodes > 600_000 {
            continue;
        }
        let hole = match hole {
            "-" => "none",
            "3x3centre" => "2021",
            _ => "2022",
        };
        let set_up = setup(&format!("nogo size {columns}x{rows} hole={hole}"));
        let found = games::open(set_up, Count(depth.parse().expect(line))).expect(line);
        assert_eq!(u128::from(found), count, "{line}");
        checked += 1;
    }
    assert!(checked > 100, "only {checked} counts");
}

/// The side to move wins iff a move leads to a position lost for the side to move then.
fn wins<R: Rules>(position: &mut R, known: &mut HashMap<u64, bool>) -> bool {
    let key = position.key();
    if let Some(&result) = known.get(&key) {
        return result;
    }
    let (mut moves, mut scores) = (Vec::new(), Vec::new());
    position.moves(&mut moves);
    position.searched().order(&moves, &mut scores);
    let mut order: Vec<usize> = (0..moves.len()).collect();
    order.sort_by_key(|&i| -scores[i]);
    let result = order.into_iter().any(|i| winning_move(position, moves[i], known));
    known.insert(key, result);
    result
}

fn winning_move<R: Rules>(position: &mut R, mv: Move, known: &mut HashMap<u64, bool>) -> bool {
    let undo = position.play(mv);
    let result = !wins(position, known);
    position.undo(mv, undo);
    result
}

/// All winning moves of a position, and the legal moves of both sides.
struct Solve<'a>(&'a str, &'a mut HashMap<u64, bool>);

impl Visitor for Solve<'_> {
    type Out = (Vec<String>, usize, usize);
    fn visit<R: Rules>(self, _setup: Setup, start: R) -> Self::Out {
        let mut position = start.parse_position(self.0).expect(self.0);
        let mut moves = Vec::new();
        position.moves(&mut moves);
        let other = position.with_turn(!position.turn()).expect("either side");
        let mut winning = Vec::new();
        for &mv in &moves {
            if winning_move(&mut position, mv, self.1) {
                winning.push(position.move_text(mv));
            }
        }
        (winning, moves.len(), other.count() as usize)
    }
}

#[test]
fn truth_of_small_positions() {
    let mut known: HashMap<String, HashMap<u64, bool>> = HashMap::new();
    let mut checked = 0;
    for line in lines(TRUTH) {
        let fields: Vec<&str> = line.split(' ').collect();
        let [rows, columns, board, turn, result, legal, other, wins] = fields[..] else { panic!("{line}") };
        if board.matches('.').count() > 15 {
            continue;
        }
        let size = format!("nogo size {columns}x{rows}");
        let text = format!("{} {turn}", board.replace('|', "/"));
        let table = known.entry(size.clone()).or_default();
        let (mut winning, own, enemy) = games::open(setup(&size), Solve(&text, table)).expect(line);
        assert_eq!(legal, format!("legal={own}"), "{line}");
        assert_eq!(other, format!("opp_legal={enemy}"), "{line}");
        assert_eq!(result == "win", !winning.is_empty(), "{line}");
        let rows: u8 = rows.parse().expect(line);
        let mut expected: Vec<String> = wins
            .trim_start_matches("wins=")
            .split(';')
            .filter_map(|pair| pair.split_once(','))
            .map(|(row, column)| {
                let column = b'a' + column.parse::<u8>().expect(line);
                format!("{}{}", char::from(column), rows - row.parse::<u8>().expect(line))
            })
            .collect();
        winning.sort();
        expected.sort();
        assert_eq!(winning, expected, "{line}");
        checked += 1;
    }
    assert!(checked >= 60, "only {checked} positions");
}

#[test]
fn outcomes_of_small_boards() {
    let mut checked = 0;
    for line in lines(OUTCOMES) {
        let fields: Vec<&str> = line.split('\t').collect();
        let (rows, columns): (usize, usize) =
            (fields[0].parse().expect(line), fields[1].parse().expect(line));
        if rows * columns > 14 {
            continue;
        }
        for (width, height) in [(columns, rows), (rows, columns)] {
            let empty = vec![".".repeat(width); height].join("/") + " b";
            let size = format!("nogo size {width}x{height}");
            let solved = games::open(setup(&size), Solve(&empty, &mut HashMap::new())).expect(line);
            assert_eq!(fields[2] == "N", !solved.0.is_empty(), "{line}");
        }
        checked += 1;
    }
    assert!(checked >= 20, "only {checked} boards");
}

#[test]
fn legal_points_of_both_colours() {
    let mut checked = 0;
    for line in lines(LEGAL) {
        let fields: Vec<&str> = line.split('\t').collect();
        let [board, _ply, black, white, ..] = fields[..] else { panic!("{line}") };
        let turn = if board.matches('X').count() > board.matches('O').count() { 'w' } else { 'b' };
        let mut game = referee("nogo");
        game.set_position(&format!("{board} {turn}")).expect(line);
        for (color, list) in [(Color::Black, black), (Color::White, white)] {
            let moves = game.legal_moves(Some(color)).expect("either side");
            let mut texts: Vec<String> = moves.iter().map(|&mv| game.move_text(mv).to_uppercase()).collect();
            let mut expected: Vec<&str> = list.split(',').filter(|name| name.len() > 1).collect();
            texts.sort();
            expected.sort_unstable();
            assert_eq!(texts, expected, "{color} in {line}");
        }
        checked += 1;
    }
    assert!(checked >= 100, "only {checked} positions");
}

#[test]
fn whole_games() {
    let mut checked = 0;
    for line in lines(GAMES) {
        let mut words = line.split(' ');
        let winner = if words.next() == Some("winner=B") { Color::Black } else { Color::White };
        let plies = words.next().and_then(|word| word.strip_prefix("plies=")).expect(line);
        let mut game = referee("nogo");
        for word in words {
            assert_eq!(game.ending(), None, "{line}");
            game.play(None, game.parse_move(word).expect(word)).expect(word);
        }
        assert_eq!(game.plies().to_string(), plies, "{line}");
        assert_eq!(game.ending().map(|ending| ending.outcome), Some(Outcome::Win(winner)), "{line}");
        checked += 1;
    }
    assert!(checked >= 40, "only {checked} games");
}

/// Random games from the empty board last 74.4 plies and Black wins 50.1 % of them (another
/// program's measurement); playouts must end where the rules end.
#[test]
fn uniform_playouts_are_games() {
    let mut rng = tengen_engine::game::random::rng(1);
    let (mut plies, mut black) = (0, 0);
    let games = 20_000;
    for _ in 0..games {
        let mut position = games::nogo::nine();
        let (winner, length) = position.uniform_playout(&mut rng);
        assert_eq!(position.outcome(), Some(Outcome::Win(winner)));
        plies += length;
        black += u32::from(winner == Color::Black);
    }
    let mean = f64::from(plies) / f64::from(games);
    let share = f64::from(black) / f64::from(games);
    assert!((74.3..74.5).contains(&mean), "{mean} plies");
    assert!((0.485..0.517).contains(&share), "Black wins {share}");
}

#[test]
fn contested_playouts_are_games() {
    let mut rng = tengen_engine::game::random::rng(2);
    for _ in 0..2_000 {
        let mut position = games::nogo::nine();
        let (winner, plies) = position.contested_playout(&mut rng, u32::MAX);
        assert_eq!(position.outcome(), winner.map(Outcome::Win));
        assert!((50..81).contains(&plies), "{plies} plies");
        let (none, cut) = games::nogo::nine().contested_playout(&mut rng, 20);
        assert_eq!((none, cut), (None, 20));
    }
}
