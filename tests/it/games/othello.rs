//! Othello: the laws on three sizes, perft, solved endgames, refusals.

use tengen_engine::game::{Cell, Color, Game, Illegal, Knowledge, Move, Outcome, Rules, perft, random};
use tengen_engine::games::othello::board::{Bits, Large, Shape, Small, Standard, squares};
use tengen_engine::games::othello::{Othello, pattern};
use tengen_engine::games::{self, Setup};

use super::laws;
use crate::harness::Process;

/// The rules on an array of rows, each looked at square by square.
#[derive(Clone)]
struct Slow {
    /// `board[row][column]`: `X`, `O` or `.`, row 0 at the top.
    board: Vec<Vec<char>>,
    turn: char,
}

fn other(side: char) -> char {
    if side == 'X' { 'O' } else { 'X' }
}

impl Slow {
    fn new(side: usize) -> Slow {
        let mut board = vec![vec!['.'; side]; side];
        let (a, b) = (side / 2 - 1, side / 2);
        board[a][a] = 'O';
        board[b][b] = 'O';
        board[a][b] = 'X';
        board[b][a] = 'X';
        Slow { board, turn: 'X' }
    }

    fn at(&self, row: i32, column: i32) -> Option<char> {
        let line = self.board.get(usize::try_from(row).ok()?)?;
        line.get(usize::try_from(column).ok()?).copied()
    }

    /// The squares `side` turns over by a disc on the given square.
    fn turned(&self, side: char, row: usize, column: usize) -> Vec<(usize, usize)> {
        let mut all = Vec::new();
        if self.board[row][column] != '.' {
            return all;
        }
        for dy in -1..=1 {
            for dx in -1..=1 {
                if dy == 0 && dx == 0 {
                    continue;
                }
                let (mut y, mut x) = (row as i32 + dy, column as i32 + dx);
                let mut run = Vec::new();
                while self.at(y, x) == Some(other(side)) {
                    run.push((y as usize, x as usize));
                    (y, x) = (y + dy, x + dx);
                }
                if self.at(y, x) == Some(side) {
                    all.extend(run);
                }
            }
        }
        all
    }

    fn places(&self, side: char) -> Vec<(usize, usize)> {
        let n = self.board.len();
        let all = (0..n).flat_map(|row| (0..n).map(move |column| (row, column)));
        all.filter(|&(row, column)| !self.turned(side, row, column).is_empty()).collect()
    }
}

impl laws::Reference for Slow {
    fn turn(&self) -> Color {
        if self.turn == 'X' { Color::Black } else { Color::White }
    }

    fn legal(&self) -> Vec<String> {
        let own = self.places(self.turn);
        if own.is_empty() && !self.places(other(self.turn)).is_empty() {
            return vec!["pass".to_owned()];
        }
        own.iter().map(|&(row, column)| format!("{}{}", (b'a' + column as u8) as char, row + 1)).collect()
    }

    fn play(&mut self, text: &str) {
        if text != "pass" {
            let column = usize::from(text.as_bytes()[0] - b'a');
            let row = text[1..].parse::<usize>().expect("a row") - 1;
            for (y, x) in self.turned(self.turn, row, column) {
                self.board[y][x] = self.turn;
            }
            self.board[row][column] = self.turn;
        }
        self.turn = other(self.turn);
    }

    fn result(&self) -> Option<(Outcome, i32)> {
        if !self.places('X').is_empty() || !self.places('O').is_empty() {
            return None;
        }
        let count = |letter| self.board.iter().flatten().filter(|&&c| c == letter).count() as i32;
        let (black, white, empty) = (count('X'), count('O'), count('.'));
        Some(if black > white {
            (Outcome::Win(Color::Black), black + empty - white)
        } else if white > black {
            (Outcome::Win(Color::White), white + empty - black)
        } else {
            (Outcome::Draw, 0)
        })
    }

    fn text(&self) -> String {
        let rows: Vec<String> = self.board.iter().map(|row| row.iter().collect()).collect();
        format!("{} {}", rows.join("/"), if self.turn == 'X' { 'b' } else { 'w' })
    }
}

#[test]
fn laws_hold_on_every_size() {
    assert!(laws::hold("othello", &Slow::new(8), 500) > 25_000);
    assert!(laws::hold("othello size 6", &Slow::new(6), 800) > 20_000);
    assert!(laws::hold("othello size 10", &Slow::new(10), 200) > 15_000);
}

/// The leaves at `depth` as the published counts have them: a game that ends earlier is a leaf too
/// (228 games are over after nine plies), and a forced pass takes `pass` plies.
fn leaves<G: Game>(position: &mut G, depth: u32, pass: u32) -> u64 {
    if depth == 0 {
        return 1;
    }
    let mut moves = Vec::new();
    position.moves(&mut moves);
    if moves.is_empty() {
        return 1;
    }
    let mut total = 0;
    for mv in moves {
        let plies = if mv == Move::PASS { pass } else { 1 };
        let undo = position.play(mv);
        total += leaves(position, depth - plies, pass);
        position.undo(mv, undo);
    }
    total
}

#[test]
fn perft_agrees_with_published_counts() {
    let mut rows = 0;
    for line in include_str!("../../vectors/othello/perft.tsv").lines().filter(|line| !line.starts_with('#'))
    {
        let numbers: Vec<u64> = line.split('\t').map(|field| field.parse().expect(line)).collect();
        let [depth, with_passes, without] = numbers[..] else { panic!("three numbers in a row: {line}") };
        let depth = depth as u32;
        rows += 1;
        if depth <= 10 {
            let start = Othello::<Standard>::start();
            assert_eq!(leaves(&mut { start }, depth, 1), with_passes, "depth {depth}");
            assert_eq!(leaves(&mut { start }, depth, 0), without, "depth {depth}, passes free");
            assert_eq!(perft(&mut { start }, depth, false), with_passes, "depth {depth}, in bulk");
            assert_eq!(perft(&mut { start }, depth, true), with_passes, "depth {depth}, played");
        }
    }
    assert!(rows >= 11);
}

#[test]
fn perft_of_the_slow_rules_agrees_on_other_sizes() {
    fn slow(position: &Slow, depth: u32) -> u64 {
        use laws::Reference;
        if depth == 0 {
            return 1;
        }
        let children = position.legal().into_iter().map(|text| {
            let mut child = position.clone();
            child.play(&text);
            slow(&child, depth - 1)
        });
        children.sum()
    }
    assert_eq!(perft(&mut Othello::<Small>::start(), 6, false), slow(&Slow::new(6), 6));
    assert_eq!(perft(&mut Othello::<Large>::start(), 6, false), slow(&Slow::new(10), 6));
}

struct Endgame {
    id: u32,
    empties: u32,
    position: Othello<Standard>,
    score: i32,
    best: Vec<String>,
}

/// The FFO positions, as position texts of the protocol.
fn endgames() -> Vec<Endgame> {
    let start = Othello::<Standard>::start();
    let lines = include_str!("../../vectors/othello/ffo.tsv").lines().filter(|line| !line.starts_with('#'));
    lines
        .map(|line| {
            let fields: Vec<&str> = line.split('\t').collect();
            let rows: Vec<String> =
                (0..8).map(|row| fields[2][8 * row..8 * row + 8].replace('-', ".")).collect();
            let text = format!("{} {}", rows.join("/"), if fields[3] == "X" { "b" } else { "w" });
            Endgame {
                id: fields[0].parse().expect(line),
                empties: fields[1].parse().expect(line),
                position: start.parse_position(&text).unwrap_or_else(|error| panic!("{error}: {line}")),
                score: fields[4].parse().expect(line),
                best: fields[5].split(',').map(str::to_owned).collect(),
            }
        })
        .collect()
}

/// Exact score for the side to move by plain alpha-beta through the traits of the engine.
fn solve(position: &mut Othello<Standard>, mut alpha: i32, beta: i32) -> i32 {
    let mut moves = Vec::new();
    position.moves(&mut moves);
    if moves.is_empty() {
        return position.score();
    }
    if position.empty().count_ones() > 5 {
        let mut scores = Vec::new();
        position.order(&moves, &mut scores);
        let mut order: Vec<usize> = (0..moves.len()).collect();
        order.sort_by_key(|&i| -scores[i]);
        moves = order.into_iter().map(|i| moves[i]).collect();
    }
    let mut best = i32::MIN;
    for mv in moves {
        let undo = position.play(mv);
        let score = -solve(position, -beta, -alpha);
        position.undo(mv, undo);
        best = best.max(score);
        alpha = alpha.max(score);
        if alpha >= beta {
            break;
        }
    }
    best
}

#[test]
fn endgames_have_their_published_scores() {
    let all = endgames();
    assert_eq!(all.len(), 59);
    for endgame in &all {
        assert_eq!(endgame.position.empty().count_ones(), endgame.empties, "FFO {}", endgame.id);
        for mv in &endgame.best {
            let mv = endgame.position.parse_move(mv).expect("a move");
            assert_eq!(endgame.position.check(mv), Ok(()), "FFO {}", endgame.id);
        }
    }
    for endgame in all.iter().filter(|endgame| endgame.empties <= 14) {
        let mut position = endgame.position;
        let score = endgame.score;
        // The two null windows about the score prove it.
        assert!(solve(&mut position, score - 1, score) >= score, "FFO {} is at least {score}", endgame.id);
        assert!(solve(&mut position, score, score + 1) <= score, "FFO {} is at most {score}", endgame.id);
        for mv in &endgame.best {
            let mv = position.parse_move(mv).expect("a move");
            let undo = position.play(mv);
            assert!(-solve(&mut position, -score, 1 - score) >= score, "FFO {}: {mv:?} is best", endgame.id);
            position.undo(mv, undo);
        }
    }
}

/// No move for Black, several for White.
const BLACK_MUST_PASS: &str = "8/8/8/3XXO2/3XXO2/8/8/8";

#[test]
fn illegal_moves_are_refused_with_the_reason() {
    let start = Othello::<Standard>::start();
    let reason =
        |position: &Othello<Standard>, text: &str| position.check(position.parse_move(text).expect(text));
    assert_eq!(reason(&start, "d3"), Ok(()));
    assert_eq!(reason(&start, "d4"), Err(Illegal::Occupied));
    assert_eq!(reason(&start, "e3"), Err(Illegal::NoFlip));
    assert_eq!(reason(&start, "a1"), Err(Illegal::NoFlip));
    assert_eq!(reason(&start, "pass"), Err(Illegal::PassWithMoves));
    assert_eq!(start.check(Move::NONE), Err(Illegal::OffBoard));
    assert_eq!(start.check(Move::new(64)), Err(Illegal::OffBoard));
    assert_eq!(Othello::<Small>::start().check(Move::new(0)), Err(Illegal::OffBoard));
    assert_eq!(Othello::<Large>::start().check(Move::new(10)), Err(Illegal::OffBoard));

    let stuck =
        start.parse_position("XXXXXXXX/XXXXXXXX/XXXXXXXX/XXXXXXXX/XXXXXXXX/XXXXXXXX/XXXXXXXX/OXXXXXX. b");
    let stuck = stuck.expect("a position");
    assert_eq!(reason(&stuck, "pass"), Ok(()));
    assert_eq!(reason(&stuck, "h8"), Err(Illegal::NoFlip));
    let mut moves = Vec::new();
    stuck.moves(&mut moves);
    assert_eq!(moves, [Move::PASS]);

    let over = start.parse_position(&format!("{BLACK_MUST_PASS} b").replace('O', "X")).expect("a position");
    assert_eq!(over.outcome(), Some(Outcome::Win(Color::Black)));
    assert_eq!((over.margin(), over.ending()), (64, "no disc left"));
    assert_eq!(reason(&over, "pass"), Err(Illegal::GameOver));
    assert_eq!(reason(&over, "a1"), Err(Illegal::GameOver));
}

#[test]
fn a_pass_may_be_left_out_by_a_peer() {
    let mut referee = games::referee(Setup::parse(["othello"]).expect("a set-up")).expect("a referee");
    let text = "XXXXXXXX/XXXXXXXX/XXXXXXXX/XXXXXXXX/XXXXXXXX/XXXXXXXX/XXXXXXXX/OXXXXXX. b";
    referee.set_position(text).expect(text);
    assert!(referee.must_pass() && referee.has_pass());
    let mv = referee.parse_move("H8").expect("a move");
    referee.play(Some(Color::White), mv).expect("the pass is implied");
    assert_eq!(referee.history(), [(Color::Black, Move::PASS), (Color::White, mv)]);
    let ending = referee.ending().expect("the end").to_string();
    assert!(ending.starts_with("black+") && ending.ends_with("(full board)"), "{ending}");
    referee.undo(2).expect("two moves");
    assert_eq!(referee.position_text(), text);
}

#[test]
fn moves_and_positions_are_read_in_any_case_and_with_digits() {
    let start = Othello::<Large>::start();
    for (text, plain) in
        [("J10", "j10"), ("i1", "i1"), ("Pass", "pass"), ("PA", "pass"), ("ps", "pass"), ("--", "pass")]
    {
        assert_eq!(start.move_text(start.parse_move(text).expect(text)), plain);
    }
    for text in ["", "k1", "a11", "a0", "a01", "1a", "passe", "a1b2", "é1"] {
        assert!(start.parse_move(text).is_err(), "{text:?}");
    }
    let standard = Othello::<Standard>::start();
    let read = |text: &str| standard.parse_position(text).map(|position| position.key());
    assert_eq!(read("8/8/8/3OX3/3XO3/8/8/8 b"), Ok(standard.key()));
    assert_eq!(read("8/8/.7/3ox3/3xo3/8/8/........ BLACK"), Ok(standard.key()));
    assert_ne!(read("8/8/8/3OX3/3XO3/8/8/8 w"), Ok(standard.key()));
    let text = "10/10/10/10/4OX4/4XO4/10/10/10/10 b";
    assert_eq!(start.parse_position(text).map(|position| position.key()), Ok(start.key()));
}

#[test]
fn impossible_positions_are_refused_with_the_reason() {
    let start = Othello::<Standard>::start();
    for (text, reason) in [
        ("8/8/8/3OX3/3X4/8/8/8 b", "a square of the centre is empty"),
        ("8/8/8/8/8/8/8/8 b", "a square of the centre is empty"),
        ("X7/8/8/3OX3/3XO3/8/8/8 b", "a disc is not connected to the centre"),
        ("8/8/7X/O2OX3/3XO3/8/8/8 b", "a disc is not connected to the centre"),
        ("#7/8/8/3OX3/3XO3/8/8/8 b", "no square can be blocked in othello"),
        ("8/8/8/3OX3/3XO3/8/8/8", "the side to move (b or w) is missing"),
        ("8/8/8/3OX3/3XO3/8/8/8 b ply=3", "unknown word \"ply=3\""),
        ("8/8/8/3OX3/3XO3/8/8 b", "7 rows, not 8"),
        ("", "empty position text"),
    ] {
        let refused = start.parse_position(text).map(|_| ()).map_err(|error| error.to_string());
        assert_eq!(refused, Err(reason.to_owned()), "{text}");
    }
}

#[test]
fn set_ups_that_do_not_exist_are_refused() {
    for (words, reason) in [
        ("othello size 7", "unacceptable size 7: othello has 6, 8, 10, square"),
        ("othello size 6x8", "unacceptable size 6x8: othello has 6, 8, 10, square"),
        ("reversi rules anti", "no such rule: \"anti\" (othello has standard)"),
        ("othello start=xot", "othello has no option \"start\""),
    ] {
        assert_eq!(Setup::parse(words.split(' ')).map_err(|error| error.to_string()), Err(reason.to_owned()));
    }
}

/// The image of a square number under one of the eight symmetries of a shape.
fn image<S: Shape>(square: u32, symmetry: u32) -> u32 {
    let mut point = S::point(square);
    if symmetry & 1 != 0 {
        point.column = S::SIDE - 1 - point.column;
    }
    if symmetry & 2 != 0 {
        point.row = S::SIDE - 1 - point.row;
    }
    if symmetry & 4 != 0 {
        (point.column, point.row) = (point.row, point.column);
    }
    S::square(point)
}

fn symmetric<S: Shape>(plies: usize, seeds: u64) {
    for seed in 0..seeds {
        let mut rng = random::rng(seed);
        let mut position = Othello::<S>::start();
        for _ in 0..plies {
            let mut moves = Vec::new();
            position.moves(&mut moves);
            if moves.is_empty() {
                break;
            }
            for symmetry in 1..8 {
                let turned = |set: S::Bits| {
                    squares(set).fold(S::Bits::ZERO, |all, square| {
                        all | S::Bits::single(image::<S>(square, symmetry))
                    })
                };
                let twin = Othello::<S>::new(turned(position.own()), turned(position.opp()), position.turn());
                assert_eq!(twin.evaluate(), position.evaluate(), "{position:?}");
                let images: Vec<Move> = moves
                    .iter()
                    .map(|&mv| if mv == Move::PASS { mv } else { Move::new(image::<S>(mv.raw(), symmetry)) })
                    .collect();
                let (mut scores, mut twins) = (Vec::new(), Vec::new());
                position.order(&moves, &mut scores);
                twin.order(&images, &mut twins);
                assert_eq!(scores, twins, "{position:?}");
            }
            position.play(moves[random::below(&mut rng, moves.len() as u32) as usize]);
        }
    }
}

#[test]
fn knowledge_does_not_depend_on_how_the_board_is_turned() {
    symmetric::<Small>(60, 20);
    symmetric::<Standard>(80, 40);
    symmetric::<Large>(120, 10);
}

#[test]
fn trained_weights_are_built_in_and_damage_is_noticed() {
    let start = Othello::<Standard>::start();
    let file = include_bytes!("../../../engine/src/games/othello/weights.bin");
    let weights = pattern::Weights::read(file).expect("the file");
    assert_eq!(weights.evaluate(start.own(), start.opp()), pattern::evaluate(start.own(), start.opp()));
    let damaged = |change: &dyn Fn(&mut Vec<u8>)| {
        let mut copy = file.to_vec();
        change(&mut copy);
        pattern::Weights::read(&copy).map(|_| ()).expect_err("damage")
    };
    assert_eq!(damaged(&|file| file.truncate(20)), "no header");
    assert_eq!(damaged(&|file| file[7] += 1), "another version");
    assert_eq!(damaged(&|file| file[8] += 1), "another version");
    assert_eq!(damaged(&|file| file[100] ^= 1), "wrong checksum");
    assert_eq!(damaged(&|file| file.truncate(1000)), "wrong checksum");
}

/// The number of an instance of a pattern, raised so that the least is 0: own discs count 2, empty
/// squares 1, in base 3, the first square most.
fn number(position: &Othello<Standard>, names: &str) -> u32 {
    let digit = |name: &str| match position.cell(position.geometry().parse(name).expect(name)) {
        Cell::Empty => 1,
        Cell::Stone(color) if color == position.turn() => 2,
        _ => 0,
    };
    names.split(' ').fold(0, |number, name| 3 * number + digit(name))
}

#[test]
fn patterns_are_read_off_the_right_squares() {
    let mut rng = random::rng(7);
    let mut position = Othello::<Standard>::start();
    let mut moves = Vec::new();
    for ply in 0.. {
        moves.clear();
        position.moves(&mut moves);
        if moves.is_empty() {
            assert!(ply > 40);
            break;
        }
        let indices = pattern::indices(position.own(), position.opp());
        let mut offset = 0;
        for (squares, names) in [
            (9, "a1 b1 a2 b2 c1 a3 c2 b3 c3"),
            (10, "a5 a4 a3 a2 a1 b2 b1 c1 d1 e1"),
            (10, "b2 a1 b1 c1 d1 e1 f1 g1 h1 g2"),
            (10, "a1 c1 d1 c2 d2 e2 f2 e1 f1 h1"),
            (8, "a2 b2 c2 d2 e2 f2 g2 h2"),
            (8, "a3 b3 c3 d3 e3 f3 g3 h3"),
            (8, "a4 b4 c4 d4 e4 f4 g4 h4"),
            (8, "a1 b2 c3 d4 e5 f6 g7 h8"),
            (7, "a2 b3 c4 d5 e6 f7 g8"),
            (6, "a3 b4 c5 d6 e7 f8"),
            (5, "a4 b5 c6 d7 e8"),
            (4, "a5 b6 c7 d8"),
        ] {
            let index = offset + number(&position, names);
            assert!(indices.contains(&index), "{names} in {position:?}");
            offset += 3_u32.pow(squares);
        }
        assert_eq!(indices[pattern::FEATURES], offset + position.empty().count_ones() % 2);
        position.play(moves[random::below(&mut rng, moves.len() as u32) as usize]);
    }
}

/// The position as the protocol writes it.
fn text_of(position: &Othello<Standard>) -> String {
    let geometry = position.geometry();
    let letters: Vec<char> = geometry.points_from_top().map(|point| position.cell(point).letter()).collect();
    let rows: Vec<String> = letters.chunks(8).map(|row| row.iter().collect()).collect();
    format!("{} {}", rows.join("/"), position.turn().letter())
}

/// The suite through the program, as a user would: score, best move, and a line to the end.
#[test]
fn the_daemon_solves_the_ffo_suite() {
    let mut engine = Process::engine(&["--hash", "64"]);
    engine.ok("newgame othello");
    let mut solved = 0;
    for endgame in endgames().into_iter().filter(|endgame| endgame.id <= 42) {
        engine.ok(&format!("position {}", text_of(&endgame.position)));
        let reply = engine.ok("solve time 600");
        let words: Vec<&str> = reply.split(' ').collect();
        let status = match endgame.score {
            0 => "draw",
            1.. => "win",
            _ => "loss",
        };
        assert_eq!(words[..4], ["status", status, "score", &endgame.score.to_string()], "{}", endgame.id);
        let line = words.iter().position(|word| *word == "pv").map_or(&[][..], |at| &words[at + 1..]);
        assert!(endgame.best.contains(&line[0].to_owned()), "{}: {reply}", endgame.id);
        let mut position = endgame.position;
        for text in line {
            let mv = position.parse_move(text).expect(text);
            assert!(position.is_legal(mv), "{}: {text} in {reply}", endgame.id);
            position.play(mv);
        }
        assert!(position.outcome().is_some(), "{}: the line goes to the end: {reply}", endgame.id);
        if endgame.id % 3 == 0 {
            engine.ok("clear_cache");
            let sign = engine.ok("solve wld time 600");
            assert!(sign.starts_with(&format!("status {status} nodes")), "{}: {sign}", endgame.id);
        }
        solved += 1;
    }
    assert!(solved >= 40, "{solved}");
}

/// The engine's solver against a plain one on positions of play, not of problems.
#[test]
fn solved_positions_agree_with_plain_search() {
    let mut engine = Process::engine(&["--hash", "16"]);
    engine.ok("newgame othello");
    let mut rng = random::rng(2026);
    let mut checked = 0;
    let (mut error, mut sum) = (0, 0);
    while checked < 40 {
        let mut position = Othello::<Standard>::start();
        let empties = 12 + checked % 3;
        let mut moves = Vec::new();
        while position.empty().count_ones() > empties {
            moves.clear();
            position.moves(&mut moves);
            if moves.is_empty() {
                break;
            }
            position.play(moves[random::below(&mut rng, moves.len() as u32) as usize]);
        }
        if position.outcome().is_some() {
            continue;
        }
        let score = solve(&mut position, -64, 64);
        engine.ok(&format!("position {}", text_of(&position)));
        let reply = engine.ok("solve");
        assert_eq!(reply.split(' ').nth(3), Some(score.to_string().as_str()), "{position:?}: {reply}");
        error += (pattern::evaluate(position.own(), position.opp()) - pattern::UNIT * score).abs();
        sum += pattern::UNIT * score.abs();
        checked += 1;
    }
    // Weights that learned nothing err by as much as the scores are.
    println!("evaluation off by {error} of {sum} hundredths of a disc");
    assert!(2 * error < sum, "{error} of {sum}");
}
