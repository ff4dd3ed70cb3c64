//! Moves and positions as the two protocols write them: Tengen's own notation for UGI, that of
//! Fairy-Stockfish for UCI.

use tengen_engine::game::{Cell, Color, Geometry, Illegal, Move, Point};
use tengen_engine::games::Referee;

/// How moves and positions are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Notation {
    /// As in `protocol.md`.
    Native,
    /// Othello with ranks from the bottom; White, who begins, is Othello's Black.
    Flipello,
    /// Amazons with a comma in its moves.
    Amazons,
}

/// What a position holds beyond the referee's board.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Tail {
    /// The side that begins the game: White in UCI, player 1 in UGI.
    pub(crate) first: Color,
    /// Passes after the end: in flipello a game in which nobody can move goes on for one pass of each
    /// side, unless the board is full.
    passes: u8,
    half_moves: u32,
    full_moves: u32,
    /// Discs in hand, those of the side that begins first.
    hands: [u32; 2],
}

impl Tail {
    /// That of the start of a game, which the referee is at.
    pub(crate) fn new(referee: &dyn Referee) -> Tail {
        let hand = u32::try_from(referee.geometry().area()).unwrap_or(0).saturating_sub(4);
        Tail { first: referee.turn(), passes: 0, half_moves: 0, full_moves: 1, hands: [hand; 2] }
    }

    /// The side to move, after the end too.
    fn turn(&self, referee: &dyn Referee) -> Color {
        if self.passes % 2 == 1 { !referee.turn() } else { referee.turn() }
    }

    fn count(&mut self, notation: Notation, mover: Color, drops: bool) {
        self.half_moves = self.half_moves.saturating_add(1);
        if notation == Notation::Flipello && drops {
            self.half_moves = 0;
            let [first, second] = &mut self.hands;
            let hand = if mover == self.first { first } else { second };
            *hand = hand.saturating_sub(1);
        }
        if mover != self.first {
            self.full_moves = self.full_moves.saturating_add(1);
        }
    }
}

/// What a side does in its turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Ply {
    /// A move of the game.
    Move(Move),
    /// A pass after the end, of which the referee knows nothing.
    LatePass,
}

/// The points of a move text without its marks: `d1d7,d7g7` has four.
fn split_squares(text: &str) -> Vec<&str> {
    let starts: Vec<usize> =
        text.char_indices().filter(|(_, letter)| letter.is_ascii_alphabetic()).map(|(at, _)| at).collect();
    let ends = starts.iter().skip(1).copied().chain([text.len()]);
    starts.iter().zip(ends).filter_map(|(&start, end)| text.get(start..end)).collect()
}

impl Notation {
    /// The referee's point from the client's, and the other way round.
    pub(crate) fn mirrored(self, geometry: &Geometry, point: Point) -> Point {
        match self {
            Notation::Flipello => {
                Point { row: geometry.height.saturating_sub(1).saturating_sub(point.row), ..point }
            }
            Notation::Native | Notation::Amazons => point,
        }
    }

    /// The name of a point.
    fn square(self, referee: &dyn Referee, point: Point) -> String {
        let geometry = referee.geometry();
        geometry.name(self.mirrored(&geometry, point))
    }

    fn point(self, referee: &dyn Referee, text: &str) -> Option<Point> {
        let geometry = referee.geometry();
        geometry.parse(text).map(|point| self.mirrored(&geometry, point))
    }

    /// The disc of `color` that a pass names: the first by a1 b1 ... h1 a2 ...
    fn lowest_disc(self, referee: &dyn Referee, color: Color) -> Option<Point> {
        let geometry = referee.geometry();
        let rows = (0..geometry.height).rev();
        let mut points = rows.flat_map(|row| (0..geometry.width).map(move |column| Point { column, row }));
        points.find(|&point| referee.cell(point) == Cell::Stone(color))
    }

    /// Whether the side to move may still pass although the game is over.
    fn passes_late(self, referee: &dyn Referee, tail: &Tail) -> bool {
        let empty = || referee.geometry().points_from_top().any(|p| referee.cell(p) == Cell::Empty);
        self == Notation::Flipello
            && tail.passes < 2
            && referee.ending().is_some()
            && empty()
            && self.lowest_disc(referee, tail.turn(referee)).is_some()
    }

    /// What the side to move may do.
    pub(crate) fn legal(self, referee: &dyn Referee, tail: &Tail) -> Vec<Ply> {
        if self.passes_late(referee, tail) {
            return vec![Ply::LatePass];
        }
        referee.legal_moves(None).unwrap_or_default().into_iter().map(Ply::Move).collect()
    }

    /// Reads a move of the side to move.
    pub(crate) fn read(self, referee: &dyn Referee, tail: &Tail, text: &str) -> Result<Ply, String> {
        let quoted = super::shown(text);
        let pass = || if referee.ending().is_some() { Ply::LatePass } else { Ply::Move(Move::PASS) };
        let ply = match self {
            Notation::Native => Some(Ply::Move(referee.parse_move(text).map_err(|error| error.to_string())?)),
            Notation::Flipello if text == "0000" => Some(pass()),
            Notation::Flipello => {
                let drop = text.strip_prefix("P@").or_else(|| text.strip_prefix("p@"));
                match (drop, split_squares(text).as_slice()) {
                    (Some(square), _) => {
                        self.point(referee, square).and_then(|point| referee.move_of(&[point])).map(Ply::Move)
                    }
                    (None, [from, to]) => {
                        let (from, to) = (self.point(referee, from), self.point(referee, to));
                        let own = Cell::Stone(tail.turn(referee));
                        (from == to && from.is_some_and(|point| referee.cell(point) == own)).then(pass)
                    }
                    _ => None,
                }
            }
            Notation::Amazons => match text.split_once(',') {
                Some((queen, arrow)) => {
                    match (split_squares(queen).as_slice(), split_squares(arrow).as_slice()) {
                        ([from, to], [again, target]) if to.eq_ignore_ascii_case(again) => {
                            let points: Option<Vec<Point>> = [from, to, target]
                                .into_iter()
                                .map(|square| self.point(referee, square))
                                .collect();
                            points.and_then(|points| referee.move_of(&points)).map(Ply::Move)
                        }
                        _ => None,
                    }
                }
                None => None,
            },
        };
        ply.ok_or_else(|| {
            let expected = if self == Notation::Flipello { "P@f4, or d4d4 for a pass" } else { "d1d7,d7g7" };
            format!("bad move \"{quoted}\": expected {expected}")
        })
    }

    /// The text of a move of the side to move.
    pub(crate) fn text(self, referee: &dyn Referee, tail: &Tail, ply: Ply) -> String {
        let points: Vec<String> = match ply {
            Ply::Move(mv) => {
                referee.points(mv).into_iter().map(|point| self.square(referee, point)).collect()
            }
            Ply::LatePass => Vec::new(),
        };
        match (self, points.as_slice(), ply) {
            (Notation::Flipello, [square], _) => format!("P@{square}"),
            (Notation::Flipello, _, _) => {
                let disc = self.lowest_disc(referee, tail.turn(referee));
                let square = disc.map(|point| self.square(referee, point)).unwrap_or_default();
                format!("{square}{square}")
            }
            (Notation::Amazons, [from, to, target], _) => format!("{from}{to},{to}{target}"),
            (_, _, Ply::Move(mv)) => referee.move_text(mv),
            (_, _, Ply::LatePass) => String::new(),
        }
    }

    /// Plays a move of the side to move.
    pub(crate) fn play(self, referee: &mut dyn Referee, tail: &mut Tail, ply: Ply) -> Result<(), Illegal> {
        let mover = tail.turn(referee);
        match ply {
            Ply::Move(mv) => {
                referee.play(None, mv)?;
                tail.count(self, mover, mv != Move::PASS);
            }
            Ply::LatePass if self.passes_late(referee, tail) => {
                tail.passes += 1;
                tail.count(self, mover, false);
            }
            Ply::LatePass => return Err(Illegal::GameOver),
        }
        Ok(())
    }

    /// The position in one line.
    pub(crate) fn fen(self, referee: &dyn Referee, tail: &Tail) -> String {
        if self == Notation::Native {
            return referee.position_text();
        }
        let mut text = String::new();
        let mut run = 0;
        let end_run = |text: &mut String, run: &mut u32| {
            if *run > 0 {
                text.push_str(&run.to_string());
            }
            *run = 0;
        };
        for point in referee.geometry().points_from_top() {
            if point.column == 0 {
                end_run(&mut text, &mut run);
                if !text.is_empty() {
                    text.push('/');
                }
            }
            match self.letter(referee.cell(point), tail) {
                Some(letter) => {
                    end_run(&mut text, &mut run);
                    text.push(letter);
                }
                None => run += 1,
            }
        }
        end_run(&mut text, &mut run);
        if self == Notation::Flipello {
            let [first, second] = tail.hands.map(|count| usize::try_from(count).unwrap_or(0));
            text.push_str(&format!("[{}{}]", "P".repeat(first), "p".repeat(second)));
        }
        let side = if tail.turn(referee) == tail.first { 'w' } else { 'b' };
        format!("{text} {side} - - {} {}", tail.half_moves, tail.full_moves)
    }

    /// The letter of a piece in a FEN.
    pub(crate) fn letter(self, cell: Cell, tail: &Tail) -> Option<char> {
        let piece = if self == Notation::Flipello { 'p' } else { 'q' };
        match cell {
            Cell::Empty => None,
            Cell::Stone(color) if color == tail.first => Some(piece.to_ascii_uppercase()),
            Cell::Stone(_) => Some(piece),
            Cell::Blocked => Some('*'),
        }
    }

    /// Puts the position of the text on the referee, which is at the start of a game.
    pub(crate) fn set_up(self, referee: &mut dyn Referee, text: &str) -> Result<Tail, String> {
        let mut tail = Tail::new(referee);
        if self == Notation::Native {
            referee.set_position(text).map_err(|error| error.to_string())?;
            return Ok(tail);
        }
        let mut words = text.split_ascii_whitespace();
        let board = words.next().unwrap_or_default();
        let (board, hand) = match board.split_once('[') {
            Some((board, hand)) => (board, Some(hand.strip_suffix(']').ok_or("\"]\" is missing")?)),
            None => (board, None),
        };
        let turn = match words.next() {
            Some("w") => tail.first,
            Some("b") => !tail.first,
            _ => return Err("the side to move must be w or b".to_owned()),
        };
        let mut native =
            board.chars().map(|letter| self.native(letter, &tail)).collect::<Result<String, _>>()?;
        native.push(' ');
        native.push(turn.letter());
        if let Some(hand) = hand {
            tail.hands = self.hands(hand)?;
        }
        let mut numbers = words.filter_map(|word| word.parse::<u32>().ok());
        tail.half_moves = numbers.next().unwrap_or(0);
        tail.full_moves = numbers.next().unwrap_or(1).max(1);
        referee.set_position(&native).map_err(|error| error.to_string())?;
        Ok(tail)
    }

    /// The letter of Tengen's own position text for one of a FEN.
    fn native(self, letter: char, tail: &Tail) -> Result<char, String> {
        let second = !tail.first;
        let cells = [Cell::Stone(tail.first), Cell::Stone(second), Cell::Blocked];
        if letter.is_ascii_digit() || letter == '/' {
            return Ok(letter);
        }
        let cell = cells.into_iter().find(|&cell| self.letter(cell, tail) == Some(letter));
        cell.map(Cell::letter)
            .ok_or_else(|| format!("unknown letter \"{}\" in the board", letter.escape_default()))
    }

    /// The discs in hand.
    fn hands(self, text: &str) -> Result<[u32; 2], String> {
        let mut hands = [0_u32; 2];
        for letter in text.chars() {
            let [first, second] = &mut hands;
            match letter {
                'P' if self == Notation::Flipello => *first += 1,
                'p' if self == Notation::Flipello => *second += 1,
                '-' => {}
                _ => return Err(format!("unknown letter \"{}\" in hand", letter.escape_default())),
            }
        }
        Ok(hands)
    }
}
