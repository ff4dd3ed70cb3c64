//! How points and moves are written to the client, which depends on the game and on who listens.

use arrayvec::ArrayVec;
use tengen_engine::game::{Geometry, Letters, Move, Point, RowOne};
use tengen_engine::games::{GameId, Referee};

/// What kind of client is served.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Profile {
    /// A Go program: NoGo and Gomoku in Go's coordinates (no I), Othello and Amazons as in Quarry.
    Plain,
    /// Quarry: Othello with row 1 on top and passes that are not sent, Amazons as `D1-D7-G7`.
    Quarry,
    /// GoGui with a ruler: every game in Go's coordinates, Amazons as three plays of one point.
    GoGui,
}

/// The names of points and moves.
#[derive(Clone, Copy, Debug)]
pub(super) struct Notation {
    /// The board, with the letters of this notation.
    geometry: Geometry,
    /// Rows are counted from the other side than the game itself does.
    flipped: bool,
    /// A move is entered point by point.
    steps: bool,
}

impl Notation {
    /// The notation of a game for a profile; `row_one_at_bottom` turns Othello's rows over.
    pub(super) fn new(referee: &dyn Referee, profile: Profile, row_one_at_bottom: bool) -> Notation {
        let native = referee.geometry();
        let game = referee.setup().game;
        let letters = match (game, profile) {
            (GameId::NoGo | GameId::Gomoku, _) | (_, Profile::GoGui) => Letters::SkipI,
            (GameId::Othello | GameId::Amazons, _) => native.letters,
        };
        Notation {
            geometry: Geometry { letters, ..native },
            flipped: native.row_one == RowOne::Top && row_one_at_bottom,
            steps: game == GameId::Amazons && profile == Profile::GoGui,
        }
    }

    /// Whether a move is entered point by point.
    pub(super) fn steps(&self) -> bool {
        self.steps
    }

    /// The board, with the letters of this notation.
    pub(super) fn geometry(&self) -> &Geometry {
        &self.geometry
    }

    fn turned(&self, point: Point) -> Point {
        let row = if self.flipped { self.geometry.height.saturating_sub(point.row + 1) } else { point.row };
        Point { row, ..point }
    }

    /// The name of a point, upper case as every Go program writes it.
    pub(super) fn point(&self, point: Point) -> String {
        self.geometry.name(self.turned(point)).to_ascii_uppercase()
    }

    /// The number of a row.
    pub(super) fn row(&self, row: u8) -> u8 {
        self.turned(Point { column: 0, row }).row + 1
    }

    /// Reads the name of a point of the board.
    pub(super) fn parse_point(&self, text: &str) -> Option<Point> {
        self.geometry.parse(text).map(|point| self.turned(point))
    }

    /// The rows, the one with the highest number first.
    pub(super) fn rows_from_highest(&self) -> impl Iterator<Item = u8> + use<> {
        let notation = *self;
        (0..self.geometry.height).rev().map(move |row| notation.turned(Point { column: 0, row }).row)
    }

    /// The points of a move joined as the client writes them; `pass` for none.
    pub(super) fn points(&self, points: &[Point]) -> String {
        if points.is_empty() {
            return "pass".to_owned();
        }
        let names: Vec<String> = points.iter().map(|&point| self.point(point)).collect();
        names.join(if self.steps { " " } else { "-" })
    }

    /// A move as the client writes it.
    pub(super) fn text(&self, referee: &dyn Referee, mv: Move) -> String {
        self.points(&referee.points(mv))
    }

    /// Reads what a `play` names: no point for a pass, one point, or an Amazons move with its parts
    /// separated by `-`, `/` or `x`.
    pub(super) fn parse(&self, text: &str) -> Option<ArrayVec<Point, 3>> {
        if text.eq_ignore_ascii_case("pass") {
            return Some(ArrayVec::new());
        }
        let mut points = ArrayVec::new();
        for name in text.split(['-', '/', 'x', 'X']) {
            points.try_push(self.parse_point(name)?).ok()?;
        }
        Some(points)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tengen_engine::games::{Setup, referee};

    fn notation(game: &str, profile: Profile, bottom: bool) -> Notation {
        let setup = Setup::parse(game.split(' ')).unwrap();
        Notation::new(&*referee(setup).unwrap(), profile, bottom)
    }

    #[test]
    fn letters_and_rows_by_client() {
        let point = |column, row| Point { column, row };
        for (game, profile, bottom, column, row, name) in [
            ("nogo", Profile::Plain, false, 8, 0, "J1"),
            ("gomoku", Profile::Plain, false, 8, 14, "J15"),
            ("othello", Profile::Quarry, false, 3, 2, "D3"),
            ("othello", Profile::GoGui, false, 3, 2, "D3"),
            ("othello", Profile::GoGui, true, 3, 2, "D6"),
            ("othello size 10", Profile::Quarry, false, 8, 9, "I10"),
            ("othello size 10", Profile::GoGui, false, 8, 9, "J10"),
            ("amazons", Profile::Quarry, false, 9, 9, "J10"),
            ("amazons", Profile::GoGui, false, 9, 9, "K10"),
        ] {
            let notation = notation(game, profile, bottom);
            assert_eq!(notation.point(point(column, row)), name, "{game} {profile:?}");
            assert_eq!(
                notation.parse_point(&name.to_lowercase()),
                Some(point(column, row)),
                "{game} {profile:?}"
            );
        }
    }

    #[test]
    fn moves_of_amazons() {
        let quarry = notation("amazons", Profile::Quarry, false);
        for text in ["D1-D7-G7", "d1-d7/g7", "D1-D7xG7"] {
            assert_eq!(quarry.points(&quarry.parse(text).unwrap()), "D1-D7-G7");
        }
        for bad in ["", "-", "D1-D7-", "D1-D7-G7-G8", "D11", "i0", "D1 D7"] {
            assert_eq!(quarry.parse(bad), None, "{bad}");
        }
        assert!(quarry.parse("PASS").unwrap().is_empty());
    }
}
