//! Gomoku, Renju and Caro: the rules against a second implementation on plain arrays and published
//! verdicts; the shapes of the searched form against themselves, rebuilt; the forced lists of moves
//! against one-move look-ahead.

mod plain;
mod vcf;

use std::collections::HashSet;

use rand::{RngExt, SeedableRng, rngs::Xoshiro256PlusPlus};
use tengen_engine::game::{Color, Game, Illegal, Knowledge, Move, Outcome, Point, Rules, perft};
use tengen_engine::games::gomoku::{Gomoku, GomokuSearch, Rule};
use tengen_engine::games::{self, PlayError, Referee, Setup};

use self::plain::Plain;
use super::laws::{self, Reference};

const RULES: [(&str, Rule); 4] = [
    ("freestyle", Rule::Freestyle),
    ("standard", Rule::Standard),
    ("renju", Rule::Renju),
    ("caro", Rule::Caro),
];

fn referee(setup: &str) -> Box<dyn Referee> {
    games::referee(Setup::parse(setup.split(' ')).expect(setup)).expect(setup)
}

fn position(rule: Rule, size: u8, text: &str) -> Gomoku {
    Gomoku::new(size, rule).parse_position(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

fn at(position: &Gomoku, name: &str) -> Move {
    position.parse_move(name).expect(name)
}

fn laws_of(rule: &'static str, games: &[(usize, u64)]) {
    for &(size, count) in games {
        let plies = laws::hold(&format!("gomoku size {size} rules {rule}"), &Plain::new(rule, size), count);
        assert!(plies as u64 > 8 * count, "{rule} {size}: {plies} plies");
    }
}

#[test]
fn laws_of_freestyle() {
    laws_of("freestyle", &[(5, 300), (6, 150), (7, 60), (9, 20), (11, 6), (15, 3), (20, 1), (22, 1)]);
}

#[test]
fn laws_of_standard() {
    laws_of("standard", &[(5, 300), (6, 150), (7, 60), (9, 20), (11, 6), (15, 3), (20, 1), (22, 1)]);
}

#[test]
fn laws_of_caro() {
    laws_of("caro", &[(5, 300), (6, 150), (7, 60), (9, 20), (11, 6), (15, 3), (20, 1), (22, 1)]);
}

#[test]
fn laws_of_renju() {
    laws_of("renju", &[(5, 200), (6, 100), (7, 40), (8, 20), (9, 8), (11, 2), (15, 1)]);
}

/// Boards of a vector file: the lines before each board, then its 15 rows as one position text
/// without the side to move.
fn boards(text: &str) -> Vec<(Vec<&str>, String)> {
    let mut found = Vec::new();
    let mut words = Vec::new();
    let mut rows: Vec<String> = Vec::new();
    for line in text.lines().filter(|line| !line.starts_with('#') && !line.is_empty()) {
        if line.len() == 29 && line.bytes().all(|b| b" .XO".contains(&b)) {
            rows.push(line.replace(' ', ""));
            if rows.len() == 15 {
                found.push((std::mem::take(&mut words), rows.join("/")));
                rows.clear();
            }
        } else {
            words.push(line);
        }
    }
    // What follows the last board belongs to it where verdicts come after the board.
    found.push((words, String::new()));
    found
}

#[test]
fn published_renju_verdicts() {
    let boards = boards(include_str!("../../vectors/gomoku/forbidden.txt"));
    let mut seen = 0;
    for pair in boards.windows(2) {
        let (board, after) = (&pair[0].1, &pair[1]);
        // One study walls Black in with white sevens, which would have ended the game: they lose their
        // middle stones, which the plain rules show to make no difference.
        let open = board.replace("OOOOOOO", "OOO.OOO");
        let (walled, plain) = (Plain::read("renju", board), Plain::read("renju", &open));
        let black = position(Rule::Renju, 15, &format!("{open} b"));
        for line in after.0.iter().filter(|line| line.starts_with("point ")) {
            let words: Vec<&str> = line.split(' ').collect();
            let expected = match words[2..] {
                ["legal"] => Ok(()),
                ["forbidden", "33"] => Err(Illegal::DoubleThree),
                ["forbidden", "44"] => Err(Illegal::DoubleFour),
                ["forbidden", "6"] => Err(Illegal::Overline),
                _ => panic!("{line}"),
            };
            let mv = at(&black, words[1]);
            let point = plain.point(words[1]);
            assert_eq!(walled.forbidden(point), plain.forbidden(point), "{line} on {black:?}");
            assert_eq!(black.check(mv), expected, "{line} on {black:?}");
            assert_eq!(black.searched().is_legal(mv), expected.is_ok(), "{line} on {black:?}");
            let listed =
                black.forbidden().into_iter().find(|(point, _)| black.move_of(&[*point]) == Some(mv));
            assert_eq!(listed.map(|(_, reason)| reason), expected.err(), "{line}");
            let white = black.with_turn(Color::White).expect("either side may be asked about");
            assert!(white.check(mv).is_ok() && white.forbidden().is_empty(), "white may: {line}");
            seen += 1;
        }
    }
    assert_eq!(seen, 82);
}

#[test]
fn puzzles_can_be_set() {
    let mut seen = 0;
    for (words, board) in boards(include_str!("../../vectors/gomoku/puzzles.txt")) {
        let value = |key: &str| words.iter().find_map(|line| line.strip_prefix(key));
        let (Some(rule), Some(side)) = (value("rule "), value("side ")) else { continue };
        let rule = RULES.iter().find(|(name, _)| *name == rule).expect(rule).1;
        let puzzle = position(rule, 15, &format!("{board} {}", side.to_lowercase()));
        assert_eq!(puzzle.outcome(), None, "{words:?}");
        if let Some(first) = value("first ") {
            let name = first.split(' ').next().expect("a point");
            assert!(puzzle.is_legal(at(&puzzle, name)), "{words:?}");
        }
        seen += 1;
    }
    assert_eq!(seen, 230);
}

#[test]
fn renju_openings_are_playable() {
    let mut keys = HashSet::new();
    for line in
        include_str!("../../vectors/gomoku/renju_openings.txt").lines().filter(|line| !line.starts_with('#'))
    {
        let mut game = referee("gomoku rules renju");
        for name in line.split_ascii_whitespace().skip(1) {
            let mv = game.parse_move(name).expect(line);
            game.play(None, mv).expect(line);
        }
        keys.insert(game.key());
    }
    assert_eq!(keys.len(), 26);
}

/// A board where stones crowd together, no side has won and Black has no overline.
fn crowded(rule: &'static str, size: usize, stones: usize, rng: &mut Xoshiro256PlusPlus) -> Plain {
    loop {
        let mut plain = Plain::new(rule, size);
        let (mut x, mut y) = (size as i32 / 2, size as i32 / 2);
        for _ in 0..stones {
            for _ in 0..50 {
                x = (x + rng.random_range(-2..=2)).clamp(0, size as i32 - 1);
                y = (y + rng.random_range(-2..=2)).clamp(0, size as i32 - 1);
                if plain.at((x, y)) == '.' {
                    let stone = if rng.random_range(0..100) < 62 { 'X' } else { 'O' };
                    plain.board[y as usize][x as usize] = stone;
                    break;
                }
            }
        }
        if !plain.has_won('X')
            && !plain.has_won('O')
            && Gomoku::new(size as u8, Rule::Renju).parse_position(&plain.text()).is_ok()
        {
            return plain;
        }
    }
}

#[test]
fn renju_verdicts_on_crowded_boards() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(3);
    let (mut points, mut reasons) = (0, [0; 4]);
    for (size, boards, stones) in
        [(7, 60, 14), (9, 90, 20), (11, 90, 30), (15, 160, 36), (15, 60, 60), (19, 40, 70), (22, 40, 90)]
    {
        for _ in 0..boards {
            let plain = crowded("renju", size, rng.random_range(stones / 2..=stones), &mut rng);
            let fast = position(Rule::Renju, size as u8, &plain.text());
            let searched = fast.searched();
            for point in plain.empty_points() {
                let name = Plain::name(point);
                let mv = at(&fast, &name);
                let expected = plain.forbidden(point);
                let found = fast.check(mv).err().map(|reason| reason.to_string());
                assert_eq!(found.as_deref(), expected, "{name} on {fast:?}");
                assert_eq!(searched.is_legal(mv), expected.is_none(), "{name} on {fast:?}");
                points += 1;
                reasons[match expected {
                    None => 0,
                    Some("forbidden (overline)") => 1,
                    Some("forbidden (double-four)") => 2,
                    _ => 3,
                }] += 1;
            }
        }
    }
    assert!(points >= 50_000, "{points} points");
    assert!(reasons.iter().all(|&n| n >= 100), "{reasons:?}");
}

/// Everything the searched form answers.
#[derive(Debug, Default, PartialEq)]
struct Answers {
    key: u64,
    moves: Vec<Move>,
    scores: Vec<i32>,
    candidates: Vec<Move>,
    complete: bool,
    value: i32,
}

fn answers(position: &GomokuSearch) -> Answers {
    let mut all = Answers { key: position.key(), ..Answers::default() };
    position.moves(&mut all.moves);
    position.order(&all.moves, &mut all.scores);
    if position.outcome().is_none() {
        all.complete = position.candidates(&mut all.candidates);
        all.value = position.evaluate();
    }
    all
}

#[test]
fn shapes_kept_equal_shapes_rebuilt() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(4);
    for (_, rule) in RULES {
        for size in [5, 8, 15, 22] {
            for _ in 0..4 {
                let start = Gomoku::new(size, rule);
                let mut position = start.searched();
                let mut trail = Vec::new();
                for _ in 0..300 {
                    let mut moves = Vec::new();
                    position.moves(&mut moves);
                    let back = moves.is_empty() || (!trail.is_empty() && rng.random_range(0..3) == 0);
                    if back {
                        let Some((mv, undo, before)) = trail.pop() else { break };
                        position.undo(mv, undo);
                        assert_eq!(answers(&position), before, "after undo: {position:?}");
                    } else {
                        let before = answers(&position);
                        // Mostly among the guessed moves, so that threats arise.
                        let mut list = Vec::new();
                        if rng.random_range(0..4) > 0 {
                            position.candidates(&mut list);
                        } else {
                            list = moves;
                        }
                        let mv = list[rng.random_range(0..list.len())];
                        let undo = position.play(mv);
                        trail.push((mv, undo, before));
                    }
                    assert_eq!(answers(&position), answers(&position.rules().searched()), "{position:?}");
                }
            }
        }
    }
}

/// Whether the side to move wins at once.
fn wins_next(position: &mut Gomoku) -> bool {
    let mut moves = Vec::new();
    position.moves(&mut moves);
    let mover = position.turn();
    moves.into_iter().any(|mv| {
        position.play(mv);
        let won = position.outcome() == Some(Outcome::Win(mover));
        position.undo(mv, ());
        won
    })
}

/// Whether the side to move wins within three plies, tried exhaustively.
fn wins_in_three(position: &mut Gomoku) -> bool {
    if wins_next(position) {
        return true;
    }
    let mut moves = Vec::new();
    position.moves(&mut moves);
    moves.into_iter().any(|mv| {
        position.play(mv);
        let won = position.outcome().is_none() && loses_next(position);
        position.undo(mv, ());
        won
    })
}

/// Whether every move of the side to move, who cannot win at once, lets the other side win.
fn loses_next(position: &mut Gomoku) -> bool {
    // Two points the enemy wins on are needed, or one that may not be taken: cheap to test first.
    if wins_next(position) {
        return false;
    }
    let mut moves = Vec::new();
    position.moves(&mut moves);
    moves.into_iter().all(|mv| {
        position.play(mv);
        let lost = position.outcome().is_none() && wins_next(position);
        position.undo(mv, ());
        lost
    })
}

/// A list called complete that leaves moves out is right: it holds a win, or all moves left out lose
/// within four plies.
#[test]
fn complete_lists_leave_out_only_losers() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(5);
    let mut checked = [0; 4];
    for (index, (name, rule)) in RULES.into_iter().enumerate() {
        for _ in 0..1500 {
            let size = rng.random_range(6..=8);
            let stones = rng.random_range(6..=16);
            let mut plain = crowded(name, size, stones, &mut rng);
            plain.black_to_move = rng.random_range(0..2) == 0;
            let mut rules = position(rule, size as u8, &plain.text());
            if rules.outcome().is_some() {
                continue;
            }
            let mut list = Vec::new();
            let complete = rules.searched().candidates(&mut list);
            let mut moves = Vec::new();
            rules.moves(&mut moves);
            if !complete || list.len() == moves.len() {
                continue;
            }
            checked[index] += 1;
            if list.len() == 1 && wins_in_three(&mut rules) {
                let mover = rules.turn();
                rules.play(list[0]);
                let won = rules.outcome() == Some(Outcome::Win(mover));
                assert!(won || loses_next(&mut rules), "the one move wins: {rules:?}");
                continue;
            }
            for mv in moves.into_iter().filter(|mv| !list.contains(mv)) {
                rules.play(mv);
                let lost = wins_in_three(&mut rules);
                rules.undo(mv, ());
                assert!(lost, "{} is left out of {list:?} in {rules:?}", rules.move_text(mv));
            }
        }
    }
    assert!(checked.iter().all(|&n| n >= 300), "{checked:?}");
}

/// Plays the named points for one side, the other side's stones given apart, and returns the winner.
fn winner(rule: Rule, size: u8, stones: &[(&str, char)], last: &str, color: Color) -> Option<Outcome> {
    let mut plain = Plain::new("any", usize::from(size));
    for (names, stone) in stones {
        for name in names.split(' ') {
            let (x, y) = plain.point(name);
            plain.board[y as usize][x as usize] = *stone;
        }
    }
    plain.black_to_move = color == Color::Black;
    let mut position = position(rule, size, &plain.text());
    position.play(at(&position, last));
    position.outcome()
}

#[test]
fn what_wins() {
    use Color::{Black, White};
    let win = |color| Some(Outcome::Win(color));
    // Rules in the order freestyle, standard, renju, caro.
    type Case = (&'static [(&'static str, char)], &'static str, Color, [bool; 4]);
    let cases: [Case; 10] = [
        (&[("a1 b1 c1 d1", 'X')], "e1", Black, [true; 4]),
        (&[("a1 b2 c3 d4", 'O')], "e5", White, [true; 4]),
        (&[("a5 b4 c3 e1", 'X')], "d2", Black, [true; 4]),
        (&[("e1 e2 e3 e4", 'O')], "e5", White, [true; 4]),
        // Six.
        (&[("b2 c2 d2 f2 g2", 'O')], "e2", White, [true, false, true, false]),
        // Seven and an exact five at once.
        (&[("a1 b1 c1 e1 f1 g1 d2 d3 d4 d5", 'O')], "d1", White, [true; 4]),
        // Both ends closed, one end closed, edge and enemy.
        (&[("c3 d3 e3 f3", 'X'), ("b3 h3", 'O')], "g3", Black, [true, true, true, false]),
        (&[("c3 d3 e3 f3", 'X'), ("b3", 'O')], "g3", Black, [true; 4]),
        (&[("a3 b3 c3 d3", 'X'), ("f3", 'O')], "e3", Black, [true; 4]),
        // A friend beyond the end makes six.
        (&[("a3 b3 c3 d3 f3", 'O')], "e3", White, [true, false, true, false]),
    ];
    for (stones, last, color, wins) in cases {
        for ((name, rule), wins) in RULES.into_iter().zip(wins) {
            for size in [8, 15, 22] {
                let expected = if wins { win(color) } else { None };
                assert_eq!(
                    winner(rule, size, stones, last, color),
                    expected,
                    "{name} {size}: {stones:?} {last}"
                );
            }
        }
    }
    for (_, rule) in RULES {
        assert_eq!(winner(rule, 5, &[("a1 b2 c3 d4", 'X')], "e5", Black), win(Black));
        assert_eq!(winner(rule, 5, &[("a5 b4 c3 e1", 'O')], "d2", White), win(White));
        assert_eq!(winner(rule, 22, &[("r18 s19 t20 u21", 'X')], "v22", Black), win(Black));
        assert_eq!(winner(rule, 22, &[("r5 s4 t3 u2", 'X')], "v1", Black), win(Black));
        assert_eq!(winner(rule, 22, &[("a18 b19 c20 d21", 'O')], "e22", White), win(White));
        assert_eq!(winner(rule, 22, &[("v18 v19 v20 v21", 'O')], "v22", White), win(White));
        assert_eq!(winner(rule, 22, &[("r22 s22 t22 u22", 'O')], "v22", White), win(White));
    }
}

#[test]
fn perft_of_the_empty_board() {
    for (_, rule) in RULES {
        for (size, depth, expected) in
            [(5, 4, 25 * 24 * 23 * 22), (15, 3, 225 * 224 * 223), (22, 2, 484 * 483)]
        {
            let mut rules = Gomoku::new(size, rule);
            assert_eq!(perft(&mut rules, depth, false), expected, "{rule:?} {size}");
            assert_eq!(perft(&mut rules.searched(), depth, false), expected, "{rule:?} {size}");
        }
    }
}

/// The two forms count alike where points are forbidden and games end.
#[test]
fn perft_of_crowded_boards() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(6);
    for (name, rule) in RULES {
        for _ in 0..12 {
            let plain = crowded(name, 7, 18, &mut rng);
            let mut rules = position(rule, 7, &plain.text());
            assert_eq!(perft(&mut rules, 3, false), perft(&mut rules.searched(), 3, false), "{rules:?}");
            assert_eq!(perft(&mut rules, 2, false), slow_perft(&plain, 2), "{rules:?}");
        }
    }
}

fn slow_perft(plain: &Plain, depth: u32) -> u64 {
    let legal = plain.legal();
    if depth == 1 {
        return legal.len() as u64;
    }
    legal
        .iter()
        .map(|text| {
            let mut next = plain.clone();
            next.play(text);
            slow_perft(&next, depth - 1)
        })
        .sum()
}

#[test]
fn refusals_name_the_rule() {
    let mut game = referee("renju");
    let refusal = |game: &mut Box<dyn Referee>, text: &str| {
        let mv = game.parse_move(text).map_err(PlayError::from);
        mv.and_then(|mv| game.play(None, mv).map_err(PlayError::from)).expect_err(text).to_string()
    };
    game.set_position("15/15/15/15/15/15/7X7/7X7/5XX8/15/15/15/15/15/15 b").expect("a position");
    assert_eq!(refusal(&mut game, "H7"), "illegal move: forbidden (double-three)");
    assert_eq!(refusal(&mut game, "h8"), "illegal move: occupied");
    assert_eq!(refusal(&mut game, "pass"), "illegal move: this game has no pass");
    for text in ["p1", "a16", "a0", "", "h", "8h", "h08", "h8 ", "h8x"] {
        let expected = format!("bad move \"{text}\": expected a point of the board such as c4");
        assert_eq!(refusal(&mut game, text), expected);
    }
    let white = game.parse_move("h7").expect("a point");
    assert_eq!(game.play(Some(Color::White), white), Err(Illegal::NotYourTurn));
    game.set_position("15/15/15/15/15/7X7/7X7/7X7/4XXX8/15/15/15/15/15/15 b").expect("a position");
    assert_eq!(refusal(&mut game, "h7"), "illegal move: forbidden (double-four)");
    game.set_position("15/15/15/15/15/15/15/15/4XXX1XX5/15/15/15/15/15/15 b").expect("a position");
    assert_eq!(refusal(&mut game, "h7"), "illegal move: forbidden (overline)");
    game.set_position("15/15/15/15/15/15/15/15/4XXX1X6/15/15/15/15/15/15 b").expect("a position");
    let mv = game.parse_move("H7").expect("a point");
    game.play(None, mv).expect("five");
    let ending = game.ending().expect("the end");
    assert_eq!(ending.to_string(), "black+1 (five in a row)");
    assert_eq!(refusal(&mut game, "a1"), "illegal move: the game is over");
    assert_eq!(refusal(&mut game, "h7"), "illegal move: the game is over");
    assert_eq!(refusal(&mut game, "pass"), "illegal move: this game has no pass");
    let start = Gomoku::new(15, Rule::Freestyle);
    for raw in [0, 4, 31, 32 * 5 + 4, 32 * 5 + 20, 32 * 20 + 5, 1023, 1024, 0x00FF_FFFF] {
        assert_eq!(start.check(Move::new(raw)), Err(Illegal::OffBoard), "{raw}");
        assert!(!start.is_legal(Move::new(raw)) && !start.searched().is_legal(Move::new(raw)), "{raw}");
    }
    assert!(!start.is_legal(Move::NONE) && !start.is_legal(Move::PASS));
    assert_eq!(start.move_of(&[Point { column: 15, row: 0 }]), None);
    assert_eq!(start.move_of(&[]), None);
}

#[test]
fn refused_positions() {
    let refused = |rule, text: &str| Gomoku::new(7, rule).parse_position(text).expect_err(text).to_string();
    let cases = [
        (Rule::Freestyle, "XXXXX2/7/7/OOOOO2/7/7/7 b", "both sides have five in a row"),
        (Rule::Freestyle, "XXXXX2/7/7/7/7/7/7 b", "black has five in a row and is to move"),
        (Rule::Renju, "OOOOOO1/7/7/7/7/7/7 w", "white has five in a row and is to move"),
        (
            Rule::Freestyle,
            "XXXXX2/7/XXXXX2/7/7/7/7 w",
            "black has winning rows that no single move can have made",
        ),
        (Rule::Renju, "XXXXXX1/7/7/7/7/7/7 w", "black has six or more in a row, which renju forbids"),
        (
            Rule::Renju,
            "X6/X6/X6/X6/X6/7/XXXXXX1 w",
            "black has winning rows that no single move can have made",
        ),
        (Rule::Standard, "7/7/7/3#3/7/7/7 b", "gomoku has no blocked points"),
        (Rule::Standard, "7/7/7/7/7/7/7 b ply=3", "unknown word \"ply=3\""),
        (Rule::Standard, "7/7/7/7/7/7/7", "the side to move (b or w) is missing"),
        (Rule::Standard, "7/7/7/7/7/7/8 b", "row 7 from the top is longer than 7"),
        (Rule::Standard, "7/7/7/7/7/7 b", "6 rows, not 7"),
    ];
    for (rule, text, reason) in cases {
        assert_eq!(refused(rule, text), reason);
    }
    // Long rows that are no wins, wins that one move made, studies with unequal counts.
    for (rule, text) in [
        (Rule::Standard, "XXXXXX1/7/7/7/7/7/OOOOOOO b"),
        (Rule::Caro, "OXXXXXO/7/7/7/7/7/7 b"),
        (Rule::Freestyle, "XXXXXXX/7/7/7/7/7/7 w"),
        (Rule::Freestyle, "X6/X6/X6/X6/XXXXX2/7/7 w"),
        (Rule::Renju, "2X4/2X4/2X4/2X4/XXXXXX1/7/7 w"),
        (Rule::Renju, "xxxx3/7/7/ooo4/7/7/XX.xx2 w"),
    ] {
        assert!(Gomoku::new(7, rule).parse_position(text).is_ok(), "{rule:?} {text}");
    }
    // A middle stone of nine in a row can have been the last; no stone of ten can.
    let row = |row: &str| format!("{row}/{}/w", ["12"; 11].join("/")).replace("/w", " w");
    assert!(Gomoku::new(12, Rule::Freestyle).parse_position(&row("XXXXXXXXX3")).is_ok());
    assert!(Gomoku::new(12, Rule::Freestyle).parse_position(&row("XXXXXXXXXX2")).is_err());
}

#[test]
fn digits_and_cases_in_positions_and_moves() {
    let start = Gomoku::new(15, Rule::Renju);
    let long = format!(
        "{} B",
        [".".repeat(7) + "x" + &".".repeat(7), "15".into(), ".14".into()].join("/")
            + &"/...............".repeat(12)
    );
    let short = format!("7X7/15/15/{} black", ["15"; 12].join("/"));
    let (long, short) =
        (start.parse_position(&long).expect(&long), start.parse_position(&short).expect(&short));
    assert_eq!(long.key(), short.key());
    assert_eq!(start.parse_move("H8").ok(), start.parse_move("h8").ok());
    assert_eq!(start.move_text(at(&start, "I15")), "i15");
    assert_eq!(start.geometry().name(start.points(at(&start, "o1"))[0]), "o1");
}

#[test]
fn setups() {
    for size in 5..=22 {
        let game = referee(&format!("gomoku size {size} rules caro"));
        assert_eq!((game.geometry().width, game.geometry().height), (size, size));
    }
    assert_eq!(referee("gomoku").setup().to_string(), "gomoku size 15 rules freestyle");
    assert_eq!(referee("renju").setup().to_string(), "gomoku size 15 rules renju");
    for text in
        ["gomoku size 4", "gomoku size 23", "gomoku size 9x10", "gomoku rules omok", "gomoku centre=allowed"]
    {
        let error = Setup::parse(text.split(' ')).expect_err(text);
        assert!(!error.to_string().is_empty() && !error.to_string().contains('\n'), "{error}");
    }
}

#[test]
fn a_full_board_is_a_draw() {
    let full = position(Rule::Freestyle, 5, "XXOXX/OOXOO/XXOXX/OOXOO/XXOXX b");
    assert_eq!(full.outcome(), Some(Outcome::Draw));
    assert_eq!((full.ending(), full.margin(), full.horizon()), ("full board", 0, 0));
    assert_eq!(full.check(at(&full, "a1")), Err(Illegal::GameOver));
}

/// White's stones leave one point, where Black would make six.
#[test]
fn black_without_a_legal_move_loses() {
    let text = "XXOXOO/OOXXOX/OOXOOX/XOXXXX/OXOXXO/XXX.XX b";
    let stuck = position(Rule::Renju, 6, text);
    assert_eq!(stuck.outcome(), Some(Outcome::Win(Color::White)));
    assert_eq!((stuck.ending(), stuck.horizon(), stuck.count()), ("no legal move for black", 0, 0));
    assert_eq!(stuck.forbidden(), [(Point { column: 3, row: 0 }, Illegal::Overline)]);
    let white = stuck.with_turn(Color::White).expect("either side");
    assert_eq!((white.outcome(), white.count()), (None, 1));
    let mut legal = Vec::new();
    stuck.moves(&mut legal);
    assert_eq!(legal, []);
}
