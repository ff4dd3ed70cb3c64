//! Amazons: the rules against a second implementation, published counts and solved boards; the
//! distances and territory behind the evaluation against a published worked example.

use std::collections::HashMap;

use tengen_engine::game::{Color, Game, Illegal, Knowledge, Move, Outcome, Rules, perft};
use tengen_engine::games::amazons::{Amazons, Steps};
use tengen_engine::games::{self, PlayError, Referee, Setup};

use super::laws::{self, Reference};

/// Amazons on a grid of letters, top row first.
#[derive(Clone)]
struct Slow {
    grid: Vec<Vec<char>>,
    white_moves: bool,
}

const DIRECTIONS: [(i32, i32); 8] = [(-1, -1), (-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0), (1, 1)];

impl Slow {
    /// The standard start positions, square by square.
    fn standard(side: usize) -> Slow {
        let (white, black) = match side {
            4 => ("a2 b1 c1 d2", "a3 b4 c4 d3"),
            5 => ("a2 b1 d1 e2", "a4 b5 d5 e4"),
            6 => ("a2 b1 e1 f2", "a5 b6 e6 f5"),
            7 => ("a3 c1 e1 g3", "a5 c7 e7 g5"),
            8 => ("a3 c1 f1 h3", "a6 c8 f8 h6"),
            9 => ("a3 c1 g1 i3", "a7 c9 g9 i7"),
            _ => ("a4 d1 g1 j4", "a7 d10 g10 j7"),
        };
        Slow::with(side, white, black)
    }

    fn corner(side: usize) -> Slow {
        let last = ["a4 b4 c4 d4", "b5 c5 d5 e5", "c6 d6 e6 f6", "d7 e7 f7 g7", "e8 f8 g8 h8", "f9 g9 h9 i9"];
        Slow::with(side, "a1 b1 c1 d1", last.get(side - 4).unwrap_or(&"g10 h10 i10 j10"))
    }

    fn with(side: usize, white: &str, black: &str) -> Slow {
        let mut slow = Slow { grid: vec![vec!['.'; side]; side], white_moves: true };
        for (names, letter) in [(white, 'O'), (black, 'X')] {
            for name in names.split(' ') {
                let (row, column) = slow.place(name);
                slow.grid[row][column] = letter;
            }
        }
        slow
    }

    fn place(&self, name: &str) -> (usize, usize) {
        let column = name.as_bytes()[0] - b'a';
        (self.grid.len() - name[1..].parse::<usize>().expect(name), usize::from(column))
    }

    fn name(&self, (row, column): (usize, usize)) -> String {
        format!("{}{}", char::from(b'a' + column as u8), self.grid.len() - row)
    }

    fn at(&self, row: i32, column: i32) -> Option<char> {
        self.grid.get(usize::try_from(row).ok()?)?.get(usize::try_from(column).ok()?).copied()
    }

    /// The squares a queen on (row, column) can go to.
    fn lines(&self, (row, column): (usize, usize)) -> Vec<(usize, usize)> {
        let mut found = Vec::new();
        for (down, right) in DIRECTIONS {
            let (mut r, mut c) = (row as i32 + down, column as i32 + right);
            while self.at(r, c) == Some('.') {
                found.push((r as usize, c as usize));
                (r, c) = (r + down, c + right);
            }
        }
        found
    }
}

impl Reference for Slow {
    fn turn(&self) -> Color {
        if self.white_moves { Color::White } else { Color::Black }
    }

    fn legal(&self) -> Vec<String> {
        let own = if self.white_moves { 'O' } else { 'X' };
        let side = self.grid.len();
        let mut found = Vec::new();
        for from in (0..side).flat_map(|row| (0..side).map(move |column| (row, column))) {
            if self.grid[from.0][from.1] != own {
                continue;
            }
            for to in self.lines(from) {
                let mut moved = self.clone();
                moved.grid[from.0][from.1] = '.';
                moved.grid[to.0][to.1] = own;
                for arrow in moved.lines(to) {
                    found.push(format!("{}-{}-{}", self.name(from), self.name(to), self.name(arrow)));
                }
            }
        }
        found
    }

    fn play(&mut self, text: &str) {
        let [from, to, arrow] = [0, 1, 2].map(|i| self.place(text.split('-').nth(i).expect(text)));
        self.grid[to.0][to.1] = std::mem::replace(&mut self.grid[from.0][from.1], '.');
        self.grid[arrow.0][arrow.1] = '#';
        self.white_moves = !self.white_moves;
    }

    fn result(&self) -> Option<(Outcome, i32)> {
        self.legal().is_empty().then(|| (Outcome::Win(!self.turn()), 1))
    }

    fn text(&self) -> String {
        let rows: Vec<String> = self.grid.iter().map(|row| row.iter().collect()).collect();
        format!("{} {}", rows.join("/"), self.turn().letter())
    }
}

fn open(setup: &str) -> Box<dyn Referee> {
    games::referee(Setup::parse(setup.split(' ')).expect(setup)).expect(setup)
}

/// The lines of a table in `tests/vectors/amazons` without comments.
fn table(text: &str) -> impl Iterator<Item = Vec<&str>> {
    text.lines().filter(|line| !line.starts_with('#')).map(|line| line.split('\t').collect())
}

#[test]
fn laws_hold_on_every_size() {
    for (side, count) in [(4, 1500), (5, 500), (6, 200), (7, 60), (8, 30), (9, 15), (10, 10)] {
        let standard = laws::hold(&format!("amazons size {side}"), &Slow::standard(side), count);
        let corner = laws::hold(&format!("amazons size {side} start=corner"), &Slow::corner(side), count);
        assert!(standard > count as usize && corner > count as usize, "{side}");
    }
}

#[test]
fn start_positions() {
    assert_eq!(
        open("amazons").position_text(),
        "...X..X.../........../........../X........X/........../........../\
         O........O/........../........../...O..O... w"
    );
    assert_eq!(open("amazons size 4 start=corner").position_text(), "XXXX/..../..../OOOO w");
    assert_eq!(
        open("amazons size 10 start=corner").position_text(),
        "......XXXX/........../........../........../........../........../\
         ........../........../........../OOOO...... w"
    );
}

#[test]
fn move_counts() {
    fn counted<const N: usize>(depth: u32) -> u64 {
        perft(&mut Amazons::<N>::start(false), depth, false)
    }
    for row in table(include_str!("../../vectors/amazons/perft.tsv")) {
        let [side, depth, leaves] = row[..] else { panic!("{row:?}") };
        let (depth, leaves): (u32, u64) = (depth.parse().unwrap(), leaves.parse().unwrap());
        let found = match side {
            "4" => counted::<4>(depth),
            "5" => counted::<5>(depth),
            "6" => counted::<6>(depth),
            "8" => counted::<8>(depth),
            "10" => counted::<10>(depth),
            other => panic!("no such size: {other}"),
        };
        assert_eq!(found, leaves, "size {side}, depth {depth}");
    }
}

/// Two steps are one move: the leaves agree turn by turn.
#[test]
fn steps_count_like_moves() {
    assert_eq!(perft(&mut Amazons::<6>::start(false).searched(), 4, false), 238_532);
    assert_eq!(perft(&mut Amazons::<4>::start(false).searched(), 6, false), 139_500);
    assert_eq!(perft(&mut Amazons::<10>::start(false).searched(), 2, false), 2_176);
}

/// The second player wins 4x4 (`tests/vectors/amazons/solved.tsv`).
#[test]
fn four_by_four_is_lost_for_the_first_player() {
    fn wins(position: &mut Amazons<4>, known: &mut HashMap<u64, bool>) -> bool {
        if let Some(&known) = known.get(&position.key()) {
            return known;
        }
        let mut moves = Vec::new();
        position.moves(&mut moves);
        let won = moves.into_iter().any(|mv| {
            position.play(mv);
            let won = !wins(position, known);
            position.undo(mv, ());
            won
        });
        known.insert(position.key(), won);
        won
    }
    let row = table(include_str!("../../vectors/amazons/solved.tsv")).find(|row| row[0] == "4").expect("4x4");
    let first = wins(&mut Amazons::<4>::start(false), &mut HashMap::new());
    assert_eq!(if first { "N" } else { "P" }, row[2]);
}

/// One position of `lieberum.tsv` and its published values.
struct Example {
    slow: Slow,
    fast: Steps<10>,
    values: HashMap<&'static str, f64>,
}

fn examples() -> Vec<Example> {
    let text = include_str!("../../vectors/amazons/lieberum.tsv");
    let lines: Vec<&str> = text.lines().filter(|line| !line.starts_with('#')).collect();
    let examples = lines.split(|line| line.is_empty()).filter(|lines| !lines.is_empty());
    let read = |lines: &[&'static str]| {
        let mut pairs = lines.iter().map(|line| line.split_once('\t').expect(line));
        let (key, board) = pairs.next().expect("a board");
        assert_eq!(key, "board");
        let board: String = board
            .chars()
            .map(|letter| match letter {
                'q' => 'X',
                'Q' => 'O',
                '*' => '#',
                other => other,
            })
            .collect();
        let fast = Amazons::<10>::start(false).parse_position(&board).expect(&board);
        let text = open_at("amazons", &board).position_text();
        let grid =
            text.split(' ').next().expect("a board").split('/').map(|row| row.chars().collect()).collect();
        Example {
            slow: Slow { grid, white_moves: true },
            fast: fast.searched(),
            values: pairs.map(|(key, value)| (key, value.parse().expect(value))).collect(),
        }
    };
    examples.map(read).collect()
}

fn open_at(setup: &str, position: &str) -> Box<dyn Referee> {
    let mut referee = open(setup);
    referee.set_position(position).expect(position);
    referee
}

impl Slow {
    /// Distances of one colour, top row first, by queen moves or king moves.
    fn distances(&self, color: char, queen: bool) -> Vec<Vec<Option<u8>>> {
        let side = self.grid.len();
        let mut found = vec![vec![None; side]; side];
        let all = || (0..side).flat_map(|row| (0..side).map(move |column| (row, column)));
        let mut here: Vec<_> = all().filter(|&(row, column)| self.grid[row][column] == color).collect();
        for moves in 1.. {
            let mut next = Vec::new();
            for from in here {
                for (row, column) in self.lines(from) {
                    let near = row.abs_diff(from.0).max(column.abs_diff(from.1)) == 1;
                    if found[row][column].is_none() && (queen || near) {
                        found[row][column] = Some(moves);
                        next.push((row, column));
                    }
                }
            }
            if next.is_empty() {
                break;
            }
            here = next;
        }
        found
    }

    /// Lieberum's mobility of the amazon on a square, over rays of at most `most` squares.
    fn alpha(&self, from: (usize, usize), most: usize) -> f64 {
        let other = if self.grid[from.0][from.1] == 'X' { 'O' } else { 'X' };
        let theirs = self.distances(other, true);
        let mut sum = 0.0;
        for (row, column) in self.lines(from) {
            let far = row.abs_diff(from.0).max(column.abs_diff(from.1));
            if far <= most && theirs[row][column].is_some() {
                sum += self.around((row, column)) as f64 / f64::from(1 << far) * 2.0;
            }
        }
        sum
    }

    /// Empty squares around one.
    fn around(&self, (row, column): (usize, usize)) -> usize {
        let near = DIRECTIONS.iter().map(|(down, right)| self.at(row as i32 + down, column as i32 + right));
        near.filter(|&letter| letter == Some('.')).count()
    }
}

/// Bottom row first, as the engine counts.
fn from_bottom(table: Vec<Vec<Option<u8>>>) -> Vec<Option<u8>> {
    table.into_iter().rev().flatten().collect()
}

#[test]
fn distances_and_terms_of_published_positions() {
    let examples = examples();
    assert_eq!(examples.len(), 2);
    for Example { slow, fast, values } in examples {
        let distances = fast.distances();
        for (side, letter) in ['X', 'O'].into_iter().enumerate() {
            assert_eq!(distances.queen[side], from_bottom(slow.distances(letter, true)));
            assert_eq!(distances.king[side], from_bottom(slow.distances(letter, false)));
        }
        let half = |moves: Option<u8>| moves.map_or(0.0, |moves| 0.5_f64.powi(i32::from(moves)));
        let (mut c1, mut c2, mut w, mut t1, mut t2, mut tie1, mut tie2) = (0.0, 0.0, 0.0, 0, 0, 0, 0);
        for square in 0..100 {
            let [black, white] = [0, 1].map(|side| distances.queen[side][square]);
            let [near_black, near_white] = [0, 1].map(|side| distances.king[side][square]);
            let far = |moves: Option<u8>| moves.map_or(1_000, i32::from);
            t1 += (far(black) - far(white)).signum();
            t2 += (far(near_black) - far(near_white)).signum();
            tie1 += i32::from(black.is_some() && black == white);
            tie2 += i32::from(near_black.is_some() && near_black == near_white);
            c1 += 2.0 * (half(white) - half(black));
            c2 += (f64::from(far(near_black) - far(near_white)) / 6.0).clamp(-1.0, 1.0);
            if let (Some(black), Some(white)) = (black, white) {
                w += 0.5_f64.powi(i32::from(black.abs_diff(white)));
            }
        }
        let near = |key: &str, found: f64| {
            let published = values[key];
            assert!((published - found).abs() < 1e-5, "{key}: {found}, published {published}");
        };
        for (key, found) in [("t1", t1), ("t2", t2), ("tie1", tie1), ("tie2", tie2)] {
            near(key, f64::from(found));
        }
        for (key, found) in [("c1", c1), ("c2", c2), ("w", w)] {
            near(key, found);
        }
        let terms = fast.features();
        assert_eq!((terms.t1, terms.t2, terms.ties), (t1, t2, tie1));
        near("w", f64::from(terms.w) / 16.0);
        let geometry = Amazons::<10>::start(false).geometry();
        for key in values.keys() {
            match key.split_once(' ') {
                Some(("alpha", name)) => {
                    let place = slow.place(name);
                    near(key, slow.alpha(place, 10));
                    let eighths = fast.mobility(geometry.parse(name).unwrap()).expect(name);
                    assert_eq!(f64::from(eighths) / 8.0, slow.alpha(place, 4), "{name}");
                }
                Some(("neighbours", name)) => near(key, slow.around(slow.place(name)) as f64),
                _ => {}
            }
        }
    }
}

/// The evaluation is exact on random positions of every size, whichever kernel computes it.
#[test]
fn terms_of_random_positions() {
    fn one<const N: usize>(seed: u64) {
        let mut rng = tengen_engine::game::random::rng(seed);
        let mut position = Amazons::<N>::start(seed.is_multiple_of(2));
        let mut moves = Vec::new();
        while position.outcome().is_none() {
            let fast = position.searched();
            let record = Slow::of(&position);
            let distances = fast.distances();
            for (side, letter) in ['X', 'O'].into_iter().enumerate() {
                assert_eq!(distances.queen[side], from_bottom(record.distances(letter, true)));
                assert_eq!(distances.king[side], from_bottom(record.distances(letter, false)));
            }
            let (mut t1, mut t2, mut ties, mut w) = (0, 0, 0, 0);
            for square in 0..N * N {
                let far = |moves: Option<u8>| moves.map_or(1_000, i32::from);
                let [black, white] = [0, 1].map(|side| distances.queen[side][square]);
                t1 += (far(black) - far(white)).signum();
                t2 += (far(distances.king[0][square]) - far(distances.king[1][square])).signum();
                if let (Some(black), Some(white)) = (black, white) {
                    ties += i32::from(black == white);
                    w += 16 >> black.abs_diff(white).min(4);
                }
            }
            let terms = fast.features();
            assert_eq!((terms.t1, terms.t2, terms.ties, terms.w), (t1, t2, ties, w), "{}", record.text());
            moves.clear();
            position.moves(&mut moves);
            let index = tengen_engine::game::random::below(&mut rng, moves.len() as u32);
            position.play(moves[index as usize]);
        }
    }
    for seed in 0..6 {
        one::<4>(seed);
        one::<5>(seed);
        one::<6>(seed);
        one::<7>(seed);
        one::<8>(seed);
        one::<9>(seed);
        one::<10>(seed);
    }
}

impl Slow {
    fn of<const N: usize>(position: &Amazons<N>) -> Slow {
        let letters = position.geometry().points_from_top().map(|point| position.cell(point).letter());
        let letters: Vec<char> = letters.collect();
        Slow {
            grid: letters.chunks(N).map(<[char]>::to_vec).collect(),
            white_moves: position.turn() == Color::White,
        }
    }
}

/// Evaluations and orders are those of the side to move: exchanging the colours changes nothing.
#[test]
fn knowledge_is_the_same_for_both_sides() {
    let white = "X..O.O/#...#./..#..X/O..#../.X...O/..X#.# w";
    let black = "O..X.X/#...#./..#..O/X..#../.O...X/..O#.# w";
    let start = Amazons::<6>::start(false);
    let white = start.parse_position(white).unwrap();
    let black = start.parse_position(black).unwrap().with_turn(Color::Black).unwrap();
    let (mut a, mut b) = (white.searched(), black.searched());
    for _ in 0..2 {
        assert_eq!(a.evaluate(), b.evaluate());
        let (mut moves, mut others) = (Vec::new(), Vec::new());
        assert_eq!(a.candidates(&mut moves), b.candidates(&mut others));
        assert_eq!(moves, others);
        let (mut scores, mut other_scores) = (Vec::new(), Vec::new());
        a.order(&moves, &mut scores);
        b.order(&moves, &mut other_scores);
        assert_eq!(scores, other_scores);
        a.play(moves[0]);
        b.play(moves[0]);
    }
}

#[test]
fn refusals_name_the_rule() {
    let position = "...X..X.../........../........../X....#...X/....O...../........../\
         O..#.....O/........../...#....../......O... b";
    let mut referee = open_at("amazons", position);
    for (text, reason) in [
        ("pass", Illegal::NoPass),
        ("a4-a5-a6", Illegal::NoAmazon),
        ("b2-b3-b4", Illegal::NoAmazon),
        ("a7-b9-b8", Illegal::NotStraight),
        ("a7-a7-a8", Illegal::NotStraight),
        ("a7-a4-a5", Illegal::Occupied),
        ("a7-f7-a7", Illegal::Occupied),
        ("a7-a3-a2", Illegal::Blocked),
        ("a7-g7-h7", Illegal::Blocked),
        ("a7-b7-c9", Illegal::NotStraight),
        ("a7-b7-b7", Illegal::NotStraight),
        ("a7-e7-f7", Illegal::Occupied),
        ("a7-e7-g7", Illegal::Blocked),
        ("a7-e7-e4", Illegal::Blocked),
    ] {
        let mv = referee.parse_move(text).expect(text);
        assert_eq!(referee.play(None, mv), Err(reason), "{text}");
    }
    assert_eq!(PlayError::from(Illegal::NotStraight).to_string(), "illegal move: not a queen's move");
    let mv = referee.parse_move("e6-e7-e8").unwrap();
    assert_eq!(referee.play(Some(Color::White), mv), Err(Illegal::NotYourTurn));
    assert_eq!(referee.position_text(), position);
    // Onto the square just left and across it.
    for text in ["a7-c7-a7", "d10-d9-d10", "j7-i7-j7", "a7-b7-a7"] {
        let mv = referee.parse_move(text).expect(text);
        referee.play(Some(Color::Black), mv).expect(text);
        referee.undo(1).unwrap();
    }
    let mut cramped = open_at("amazons size 4", "XX../XXO./#O.O/O#.. w");
    let mv = cramped.parse_move("d2-d1-d3").unwrap();
    cramped.play(None, mv).expect("an arrow across the square just left");
}

#[test]
fn moves_after_the_end() {
    let mut over = open_at("amazons size 4", "OO##/OO#./###./XXXX w");
    let ending = over.ending().expect("the game is over");
    assert_eq!(ending.to_string(), "black+1 (white has no move)");
    let mv = over.parse_move("a4-a3-a2").unwrap();
    assert_eq!(over.play(None, mv), Err(Illegal::GameOver));
    let pass = over.parse_move("PASS").unwrap();
    assert_eq!(over.play(None, pass), Err(Illegal::NoPass));
    let black = open_at("amazons size 4", "OO##/OO##/##.#/XXXX b");
    assert_eq!(black.ending(), None);
    let lost = open_at("amazons size 4", "OO##/OO##/####/XXXX w").ending().map(|ending| ending.outcome);
    assert_eq!(lost, Some(Outcome::Win(Color::Black)));
}

#[test]
fn move_texts() {
    let referee = open("amazons");
    let mv = referee.parse_move("d1-d7-g7").unwrap();
    assert_eq!(referee.move_text(mv), "d1-d7-g7");
    for text in ["d1-d7/g7", "d1-d7xg7", "D1-D7XG7", "d1/d7/g7", "d1xd7-G7", "D1-d7-g7"] {
        assert_eq!(referee.parse_move(text).as_ref(), Ok(&mv), "{text}");
    }
    let all_letters = referee.parse_move("i9-j10-a1").unwrap();
    assert_eq!(referee.move_text(all_letters), "i9-j10-a1");
    assert_eq!(open("amazons size 4").parse_move("d1-d4-a4").map(|mv| mv != Move::NONE), Ok(true));
    for text in [
        "",
        "d1",
        "d1-d7",
        "d1-d7-",
        "d1-d7-g7-g8",
        "d1-d7-g11",
        "k1-d7-g7",
        "d1-d7-d0",
        "d1--d7-g7",
        "d1d7g7",
        "d1-d7 g7",
        "d1-d7-g7 ",
        "d01-d7-g7",
        "d1-d7-é7",
        "4-d7-g7",
        "none",
    ] {
        let error = referee.parse_move(text).expect_err(text).to_string();
        assert!(error.starts_with(&format!("bad move \"{text}\": expected ")), "{error}");
    }
    assert!(open("amazons size 6").parse_move("d1-d7-g7").is_err());
}

#[test]
fn position_texts() {
    let mut referee = open("amazons size 5");
    referee.set_position(".x.X./5/xoXo/.#1O#/o1.2 w").expect_err("a short row");
    referee.set_position(".x.X./5/xoXo./.#1O#/o1.2 W").expect("digits and any case");
    assert_eq!(referee.position_text(), ".X.X./...../XOXO./.#.O#/O.... w");
    assert_eq!(open_at("amazons size 10", "3X2X3/10/10/X8X/10/10/O8O/10/10/3O2O3 white").start_text(), None);
    for (text, reason) in [
        ("", "empty position text"),
        (".X.X./...../X...X/O...O/.O.O.", "the side to move (b or w) is missing"),
        (".X.X./...../X...X/O...O/.O.O. b", "after 0 arrows (#) white is to move, not black"),
        (".X.X./..#../X...X/O...O/.O.O. w", "after 1 arrows (#) black is to move, not white"),
        (".X.X./..#../X...X/O...O/.O... b", "white has 3 amazons (O), not 4"),
        (".X.X./..#../X...X/O...O/.OOO. b", "white has 5 amazons (O), not 4"),
        (".X.X./..#../X..../O...O/.O.O. b", "black has 3 amazons (X), not 4"),
        (".X.X./..#../X...X/O...O/.O.O. b ko=a1", "unknown word \"ko=a1\""),
        (".X.X./..#../X...X/O...O b", "4 rows, not 5"),
        (".X.X./..Q../X...X/O...O/.O.O. b", "unknown letter \"Q\" in the board"),
    ] {
        let before = referee.position_text();
        let error = referee.set_position(text).expect_err(text);
        assert_eq!(error.to_string(), reason, "{text}");
        assert_eq!(referee.position_text(), before);
    }
}

#[test]
fn set_ups_that_do_not_exist() {
    for (words, reason) in [
        ("amazons size 3", "unacceptable size 3: amazons has 4 to 10, square"),
        ("amazons size 11", "unacceptable size 11: amazons has 4 to 10, square"),
        ("amazons size 6x8", "unacceptable size 6x8: amazons has 4 to 10, square"),
        ("amazons start=middle", "bad value \"middle\" for start: expected standard or corner"),
        ("amazons rules renju", "no such rule: \"renju\" (amazons has standard)"),
        ("amazons hole=2021", "amazons has no option \"hole\""),
    ] {
        assert_eq!(Setup::parse(words.split(' ')).expect_err(words).to_string(), reason);
    }
    let setup = Setup::parse("amazons SIZE 8 START=CORNER".split(' ')).unwrap();
    assert_eq!(setup.to_string(), "amazons size 8 rules standard start=corner");
    assert_eq!(
        games::referee(setup).unwrap().position_text(),
        "....XXXX/......../......../......../......../......../......../OOOO.... w"
    );
}

/// Both sides' moves can be asked for; the board stays.
#[test]
fn moves_of_the_other_side() {
    let referee = open("amazons size 6");
    assert_eq!(referee.legal_moves(None).map(|moves| moves.len()), Some(544));
    assert_eq!(referee.legal_moves(Some(Color::Black)).map(|moves| moves.len()), Some(544));
}
