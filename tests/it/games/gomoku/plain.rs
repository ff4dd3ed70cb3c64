//! Gomoku on plain arrays: the rules as they are written, a whole-board scan for every question.

use std::collections::BTreeSet;

use tengen_engine::game::{Color, Outcome};

use crate::games::laws::Reference;

/// Directions of lines: column step, row step.
const WAYS: [(i32, i32); 4] = [(1, 0), (0, 1), (1, 1), (1, -1)];

/// A board of `.`, `X` and `O`, row 1 first.
#[derive(Clone, Debug)]
pub(super) struct Plain {
    pub(super) rule: &'static str,
    pub(super) board: Vec<Vec<char>>,
    pub(super) black_to_move: bool,
}

type At = (i32, i32);

impl Plain {
    pub(super) fn new(rule: &'static str, size: usize) -> Plain {
        Plain { rule, board: vec![vec!['.'; size]; size], black_to_move: true }
    }

    /// Rows from the top, joined by `/`, without digits; Black to move.
    pub(super) fn read(rule: &'static str, rows: &str) -> Plain {
        let board = rows.split('/').rev().map(|row| row.chars().collect()).collect();
        Plain { rule, board, black_to_move: true }
    }

    /// The point of that name, lower case.
    pub(super) fn point(&self, name: &str) -> At {
        let row: i32 = name[1..].parse().expect(name);
        (i32::from(name.as_bytes()[0] - b'a'), row - 1)
    }

    /// The cell at (column, row), `#` outside the board.
    pub(super) fn at(&self, (x, y): At) -> char {
        if x < 0 || y < 0 {
            return '#';
        }
        *self.board.get(y as usize).and_then(|row| row.get(x as usize)).unwrap_or(&'#')
    }

    fn with(&self, (x, y): At, stone: char) -> Plain {
        let mut other = self.clone();
        other.board[y as usize][x as usize] = stone;
        other
    }

    pub(super) fn points(&self) -> Vec<At> {
        let size = self.board.len() as i32;
        (0..size).flat_map(|y| (0..size).map(move |x| (x, y))).collect()
    }

    pub(super) fn empty_points(&self) -> Vec<At> {
        self.points().into_iter().filter(|&p| self.at(p) == '.').collect()
    }

    /// The whole run of stones of one colour through a point, from one end to the other.
    fn run(&self, point: At, (dx, dy): At) -> Vec<At> {
        let stone = self.at(point);
        let (mut x, mut y) = point;
        while self.at((x - dx, y - dy)) == stone {
            (x, y) = (x - dx, y - dy);
        }
        let mut run = Vec::new();
        while self.at((x, y)) == stone {
            run.push((x, y));
            (x, y) = (x + dx, y + dy);
        }
        run
    }

    /// Whether the run wins for the side whose stones it is made of.
    fn run_wins(&self, run: &[At], (dx, dy): At) -> bool {
        let stone = self.at(run[0]);
        match (self.rule, stone) {
            ("freestyle", _) | ("renju", 'O') => run.len() >= 5,
            ("caro", _) => {
                let enemy = if stone == 'X' { 'O' } else { 'X' };
                let (first, last) = (run[0], run[run.len() - 1]);
                let closed = self.at((first.0 - dx, first.1 - dy)) == enemy
                    && self.at((last.0 + dx, last.1 + dy)) == enemy;
                run.len() == 5 && !closed
            }
            _ => run.len() == 5,
        }
    }

    /// Whether a stone is part of a winning run.
    fn wins_at(&self, point: At) -> bool {
        WAYS.iter().any(|&way| self.run_wins(&self.run(point, way), way))
    }

    pub(super) fn has_won(&self, stone: char) -> bool {
        self.points().into_iter().any(|p| self.at(p) == stone && self.wins_at(p))
    }

    /// The points of the line through a point.
    fn line(&self, (x, y): At, (dx, dy): At) -> Vec<At> {
        let size = self.board.len() as i32;
        (-size..=size).map(|i| (x + i * dx, y + i * dy)).filter(|&p| self.at(p) != '#').collect()
    }

    /// The fours (as sets of four stones) of a line that contain the black stone on `point`.
    fn fours(&self, point: At, way: At) -> BTreeSet<Vec<At>> {
        let mut fours = BTreeSet::new();
        for five in self.line(point, way).into_iter().filter(|&p| self.at(p) == '.') {
            let mut run = self.with(five, 'X').run(five, way);
            if run.len() == 5 && run.contains(&point) {
                run.retain(|&p| p != five);
                fours.insert(run);
            }
        }
        fours
    }

    /// Whether the black stone on `point` is part of a three on the line.
    fn three(&self, point: At, way: At) -> bool {
        self.fours(point, way).is_empty()
            && self.line(point, way).into_iter().filter(|&p| self.at(p) == '.').any(|next| {
                let after = self.with(next, 'X');
                let run = after.run(next, way);
                if run.len() != 4 || !run.contains(&point) || after.wins_at(next) {
                    return false;
                }
                let before = (run[0].0 - way.0, run[0].1 - way.1);
                let behind = (run[3].0 + way.0, run[3].1 + way.1);
                let makes_five = |p: At| after.at(p) == '.' && after.with(p, 'X').run(p, way).len() == 5;
                makes_five(before) && makes_five(behind) && self.forbidden(next).is_none()
            })
    }

    /// Why Black may not play on the empty point, in the engine's words.
    pub(super) fn forbidden(&self, point: At) -> Option<&'static str> {
        let after = self.with(point, 'X');
        if after.wins_at(point) {
            return None;
        }
        if WAYS.iter().any(|&way| after.run(point, way).len() >= 6) {
            return Some("forbidden (overline)");
        }
        if WAYS.iter().map(|&way| after.fours(point, way).len()).sum::<usize>() >= 2 {
            return Some("forbidden (double-four)");
        }
        if WAYS.iter().filter(|&&way| after.three(point, way)).count() >= 2 {
            return Some("forbidden (double-three)");
        }
        None
    }

    pub(super) fn name((x, y): At) -> String {
        format!("{}{}", char::from(b'a' + x as u8), y + 1)
    }

    fn open_points(&self) -> Vec<At> {
        let restricted = self.rule == "renju" && self.black_to_move;
        let mut points = self.empty_points();
        points.retain(|&p| !restricted || self.forbidden(p).is_none());
        points
    }
}

impl Reference for Plain {
    fn turn(&self) -> Color {
        if self.black_to_move { Color::Black } else { Color::White }
    }

    fn legal(&self) -> Vec<String> {
        if self.result().is_some() {
            return Vec::new();
        }
        self.open_points().into_iter().map(Plain::name).collect()
    }

    fn play(&mut self, text: &str) {
        let (x, y) = self.point(text);
        self.board[y as usize][x as usize] = if self.black_to_move { 'X' } else { 'O' };
        self.black_to_move = !self.black_to_move;
    }

    fn result(&self) -> Option<(Outcome, i32)> {
        if self.has_won('X') {
            Some((Outcome::Win(Color::Black), 1))
        } else if self.has_won('O') {
            Some((Outcome::Win(Color::White), 1))
        } else if self.empty_points().is_empty() {
            Some((Outcome::Draw, 0))
        } else if self.open_points().is_empty() {
            Some((Outcome::Win(Color::White), 1))
        } else {
            None
        }
    }

    fn text(&self) -> String {
        let rows: Vec<String> = self.board.iter().rev().map(|row| row.iter().collect()).collect();
        format!("{} {}", rows.join("/"), if self.black_to_move { 'b' } else { 'w' })
    }
}
