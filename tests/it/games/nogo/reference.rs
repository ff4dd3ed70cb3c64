//! The rules of NoGo once more, on plain arrays with whole-board scans.

use tengen_engine::game::{Color, Outcome};

use crate::games::laws::Reference;

/// A position; `board[row][column]` with row 0 at the bottom holds `.`, `X`, `O` or `#`.
#[derive(Clone)]
pub(super) struct Plain {
    board: Vec<Vec<char>>,
    turn: Color,
    ply: usize,
    capture: bool,
    ban_centre: bool,
    taken_out: bool,
}

const HOLES_2021: &str = "D4 E4 F4 D5 E5 F5 D6 E6 F6";
const HOLES_2022: &str = "B5 C5 G5 H5 E2 E3 E7 E8";

fn stone(color: Color) -> char {
    match color {
        Color::Black => 'X',
        Color::White => 'O',
    }
}

fn name(row: usize, column: usize) -> String {
    format!("{}{}", "abcdefghjklmnopqrstuvwxyz".as_bytes()[column] as char, row + 1)
}

impl Plain {
    /// The start position; `options` as in `newgame`.
    pub(super) fn new(width: usize, height: usize, options: &str) -> Plain {
        let holes = if options.contains("hole=2021") {
            HOLES_2021
        } else if options.contains("hole=2022") {
            HOLES_2022
        } else {
            ""
        };
        let mut board = vec![vec!['.'; width]; height];
        for hole in holes.to_ascii_lowercase().split_whitespace() {
            for (row, line) in board.iter_mut().enumerate() {
                for (column, cell) in line.iter_mut().enumerate() {
                    if name(row, column) == hole {
                        *cell = '#';
                    }
                }
            }
        }
        Plain {
            board,
            turn: Color::Black,
            ply: 0,
            capture: options.contains("rules capture"),
            ban_centre: options.contains("centre=forbidden"),
            taken_out: false,
        }
    }

    fn width(&self) -> usize {
        self.board[0].len()
    }

    fn height(&self) -> usize {
        self.board.len()
    }
}

fn neighbours(board: &[Vec<char>], row: usize, column: usize) -> Vec<(usize, usize)> {
    let mut list = Vec::new();
    if row > 0 {
        list.push((row - 1, column));
    }
    if column > 0 {
        list.push((row, column - 1));
    }
    if row + 1 < board.len() {
        list.push((row + 1, column));
    }
    if column + 1 < board[0].len() {
        list.push((row, column + 1));
    }
    list
}

fn points(board: &[Vec<char>]) -> impl Iterator<Item = (usize, usize)> + use<'_> {
    (0..board.len()).flat_map(|row| (0..board[0].len()).map(move |column| (row, column)))
}

/// All points of groups of that letter without a liberty: those an empty point does not reach.
fn dead(board: &[Vec<char>], letter: char) -> Vec<(usize, usize)> {
    let mut alive = vec![vec![false; board[0].len()]; board.len()];
    let mut frontier: Vec<_> = points(board).filter(|&(row, column)| board[row][column] == '.').collect();
    while let Some((row, column)) = frontier.pop() {
        for (r, c) in neighbours(board, row, column) {
            if board[r][c] == letter && !alive[r][c] {
                alive[r][c] = true;
                frontier.push((r, c));
            }
        }
    }
    points(board).filter(|&(row, column)| board[row][column] == letter && !alive[row][column]).collect()
}

impl Plain {
    /// The board after a stone on an empty point, or `None` when that is against the rules.
    fn after(&self, row: usize, column: usize) -> Option<Vec<Vec<char>>> {
        let centre = row == self.height() / 2 && column == self.width() / 2;
        if self.ban_centre && self.ply == 0 && centre {
            return None;
        }
        let mut board = self.board.clone();
        board[row][column] = stone(self.turn);
        let enemy = dead(&board, stone(!self.turn));
        if !self.capture && !enemy.is_empty() {
            return None;
        }
        for (r, c) in enemy {
            board[r][c] = '.';
        }
        dead(&board, stone(self.turn)).is_empty().then_some(board)
    }

    fn over_before_moving(&self) -> bool {
        self.capture && (self.taken_out || self.ply >= self.width() * self.height())
    }
}

impl Reference for Plain {
    fn turn(&self) -> Color {
        self.turn
    }

    fn legal(&self) -> Vec<String> {
        let mut list = Vec::new();
        if self.over_before_moving() {
            return list;
        }
        for row in 0..self.height() {
            for column in 0..self.width() {
                if self.board[row][column] == '.' && self.after(row, column).is_some() {
                    list.push(name(row, column));
                }
            }
        }
        list
    }

    fn play(&mut self, text: &str) {
        for row in 0..self.height() {
            for column in 0..self.width() {
                if name(row, column) == text {
                    let had = self.board.iter().flatten().any(|&c| c == stone(!self.turn));
                    self.board = self.after(row, column).expect("a legal move");
                    let has = self.board.iter().flatten().any(|&c| c == stone(!self.turn));
                    self.taken_out = had && !has;
                    self.ply += 1;
                    self.turn = !self.turn;
                    return;
                }
            }
        }
        panic!("no point {text}");
    }

    fn result(&self) -> Option<(Outcome, i32)> {
        if self.taken_out {
            Some((Outcome::Win(!self.turn), 1))
        } else if self.over_before_moving() {
            Some((Outcome::Draw, 0))
        } else if self.legal().is_empty() {
            Some((Outcome::Win(!self.turn), 1))
        } else {
            None
        }
    }

    fn text(&self) -> String {
        let rows: Vec<String> = self.board.iter().rev().map(|line| line.iter().collect()).collect();
        let ply = if self.capture { format!(" ply={}", self.ply) } else { String::new() };
        format!("{} {}{ply}", rows.join("/"), self.turn.letter())
    }
}
