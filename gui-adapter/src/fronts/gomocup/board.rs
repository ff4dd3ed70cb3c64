//! From the stones of a `BOARD` to a game record.
//!
//! The record is to be one that the engine can go on from: the present game with some moves more or less
//! if that is possible, else another game move by move, else a position without a history.

use tengen_engine::game::notation::position_text;
use tengen_engine::game::{Cell, Color, Point};
use tengen_engine::games::{self, Referee, Setup};

/// A stone of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Stone {
    /// Where it stands.
    pub(super) point: Point,
    /// Whether it is the engine's.
    pub(super) own: bool,
}

type Record = Box<dyn Referee>;

/// The stones with their colours, and who is to move.
#[derive(Debug)]
pub(super) struct Wanted {
    stones: Vec<(Point, Color)>,
    turn: Color,
    /// Whether the sides have taken turns, by the numbers of their stones.
    regular: bool,
}

fn colored(stones: &[Stone], own: Color) -> Vec<(Point, Color)> {
    stones.iter().map(|stone| (stone.point, if stone.own { own } else { !own })).collect()
}

impl Wanted {
    /// The colours that the numbers of stones tell: whoever is to move is Black when both have as many.
    /// Where the numbers fit no game, the first stone is Black's under Renju's rule and the side with
    /// more stones is Black under the others, which treat both alike. The engine is to move; with
    /// `either`, the first stone is Black's and either side is to move, if the numbers fit that.
    pub(super) fn new(stones: &[Stone], renju: bool, either: bool) -> Wanted {
        let own = stones.iter().filter(|stone| stone.own).count();
        let other = stones.len() - own;
        if either && let Some(first) = stones.first() {
            let (black, white) = if first.own { (own, other) } else { (other, own) };
            if black == white || black == white + 1 {
                let turn = if black == white { Color::Black } else { Color::White };
                let own_color = if first.own { Color::Black } else { Color::White };
                return Wanted { stones: colored(stones, own_color), turn, regular: true };
            }
        }
        let own_color = match own.checked_sub(other) {
            Some(0) => Color::Black,
            None if other - own == 1 => Color::White,
            _ if renju => match stones.first() {
                Some(first) if !first.own => Color::White,
                _ => Color::Black,
            },
            None => Color::White,
            Some(_) => Color::Black,
        };
        let regular = own == other || other == own + 1;
        Wanted { stones: colored(stones, own_color), turn: own_color, regular }
    }

    fn color_at(&self, point: Point) -> Option<Color> {
        self.stones.iter().find(|(taken, _)| *taken == point).map(|&(_, color)| color)
    }

    /// Whether the stones, in the order given, alternate from Black on.
    fn alternates(&self) -> bool {
        self.stones.iter().zip(Color::ALL.into_iter().cycle()).all(|(&(_, color), turn)| color == turn)
    }

    /// A record with these stones.
    ///
    /// # Errors
    /// When a stone is off the board or on another, or the position is none of the game.
    pub(super) fn arrange(&self, setup: &Setup, present: &dyn Referee) -> Result<Record, String> {
        let mut empty = games::referee(setup.clone()).map_err(|error| error.to_string())?;
        for (number, (point, _)) in self.stones.iter().enumerate() {
            if empty.move_of(&[*point]).is_none() {
                return Err("a stone is not on the board".to_owned());
            }
            if self.stones.iter().skip(number + 1).any(|(other, _)| other == point) {
                return Err("two stones on one point".to_owned());
            }
        }
        // Under Renju's rule the order is the game's, and another one may break the rule.
        if setup.rules == "renju" && self.regular && self.alternates() {
            let mut record = empty.boxed_clone();
            if self.stones.iter().all(|&(point, color)| put(&mut *record, point, color)) {
                return Ok(record);
            }
        } else {
            let same = present.setup() == setup;
            if let Some(record) = same.then(|| self.continued(present.boxed_clone())).flatten() {
                return Ok(record);
            }
            if let Some(record) = self.continued(empty.boxed_clone()) {
                return Ok(record);
            }
        }
        let cell = |point| self.color_at(point).map_or(Cell::Empty, Cell::Stone);
        let text = position_text(&empty.geometry(), cell, self.turn, "");
        empty.set_position(&text).map_err(|error| error.to_string())?;
        Ok(empty)
    }

    /// The record, cut back to where it agrees with the stones, and the other stones played in turn.
    fn continued(&self, mut record: Record) -> Option<Record> {
        loop {
            if let Some(whole) = self.completed(&*record) {
                return Some(whole);
            }
            record.undo(1).ok()?;
        }
    }

    fn completed(&self, record: &dyn Referee) -> Option<Record> {
        let fits = |point| match record.cell(point) {
            Cell::Empty => true,
            cell => self.color_at(point).map(Cell::Stone) == Some(cell),
        };
        if !record.geometry().points_from_top().all(fits) {
            return None;
        }
        let rest = |color: Color| {
            let stones = self.stones.iter().filter(move |stone| stone.1 == color);
            stones.filter(|(point, _)| record.cell(*point) == Cell::Empty).map(|&(point, _)| point)
        };
        let (mut black, mut white) = (rest(Color::Black), rest(Color::White));
        let count = rest(Color::Black).count() + rest(Color::White).count();
        let mut whole = record.boxed_clone();
        for _ in 0..count {
            let color = whole.turn();
            let point = if color == Color::Black { black.next() } else { white.next() };
            if !put(&mut *whole, point?, color) {
                return None;
            }
        }
        (whole.turn() == self.turn).then_some(whole)
    }
}

fn put(record: &mut dyn Referee, point: Point, color: Color) -> bool {
    record.move_of(&[point]).is_some_and(|mv| record.play(Some(color), mv).is_ok())
}

/// The record's position with another content of one point and the other side to move, without a history:
/// what is left when a manager plays what the rules forbid, or takes back a stone that was set up.
///
/// # Errors
/// When the position is none of the game.
pub(super) fn changed(record: &dyn Referee, point: Point, cell: Cell) -> Result<Record, String> {
    let mut changed = games::referee(record.setup().clone()).map_err(|error| error.to_string())?;
    let at = |other| if other == point { cell } else { record.cell(other) };
    let text = position_text(&record.geometry(), at, !record.turn(), "");
    changed.set_position(&text).map_err(|error| error.to_string())?;
    Ok(changed)
}

#[cfg(test)]
#[allow(clippy::indexing_slicing, reason = "a test may stop at the first surprise")]
mod tests {
    use super::*;

    fn setup(text: &str) -> Setup {
        Setup::parse(text.split(' ')).unwrap()
    }

    fn stones(text: &str) -> Vec<Stone> {
        let number = |part: &str| part.parse::<u8>().unwrap();
        text.split_ascii_whitespace()
            .map(|word| {
                let parts: Vec<&str> = word.split(',').collect();
                Stone {
                    point: Point { column: number(parts[0]), row: number(parts[1]) },
                    own: parts[2] == "1",
                }
            })
            .collect()
    }

    /// The moves and the start of the record that the stones make.
    fn made(game: &str, present: &dyn Referee, text: &str) -> Result<String, String> {
        let setup = setup(game);
        let wanted = Wanted::new(&stones(text), setup.rules == "renju", false);
        let record = wanted.arrange(&setup, present)?;
        let moves: Vec<String> = record.history().into_iter().map(|(_, mv)| record.move_text(mv)).collect();
        Ok(format!("{} {} {}", record.start_text().unwrap_or_default(), moves.join(" "), record.turn()))
    }

    fn game(text: &str, moves: &str) -> Record {
        let mut record = games::referee(setup(text)).unwrap();
        for mv in moves.split_ascii_whitespace() {
            let mv = record.parse_move(mv).unwrap();
            record.play(None, mv).unwrap();
        }
        record
    }

    #[test]
    fn stones_in_any_order_continue_the_present_game() {
        let present = game("gomoku", "h8 i9 j10");
        let scan = "7,7,2 8,8,1 9,9,2 9,8,1 0,0,2";
        assert_eq!(made("gomoku", &*present, scan).unwrap(), " h8 i9 j10 j9 a1 white");
        let less = "7,7,2";
        assert_eq!(made("gomoku", &*present, less).unwrap(), " h8 white");
        let sides_changed = "8,8,1 7,7,2";
        assert_eq!(made("gomoku", &*present, sides_changed).unwrap(), " i9 h8 black");
        let other = "8,8,2";
        assert_eq!(made("gomoku", &*present, other).unwrap(), " i9 white");
        assert_eq!(made("gomoku", &*present, "").unwrap(), "  black");
    }

    #[test]
    fn renju_keeps_the_order() {
        let present = game("renju", "");
        let ordered = "7,7,2 7,8,1 8,8,2";
        assert_eq!(made("renju", &*present, ordered).unwrap(), " h8 h9 i9 white");
    }

    #[test]
    fn positions_that_no_game_reaches_become_positions() {
        let present = game("gomoku size 5", "");
        let made = |text| made("gomoku size 5", &*present, text).unwrap();
        assert_eq!(made("0,0,1 1,1,1 2,2,1"), "...../...../..X../.X.../X.... b  black");
        assert_eq!(made("0,0,2 1,1,2"), "...../...../...../.X.../X.... w  white");
    }

    #[test]
    fn impossible_stones_are_errors() {
        let present = game("gomoku", "");
        assert!(made("gomoku", &*present, "15,0,1").is_err());
        assert!(made("gomoku", &*present, "3,3,1 3,3,2").is_err());
        let both = "0,0,1 1,0,1 2,0,1 3,0,1 4,0,1 0,1,2 1,1,2 2,1,2 3,1,2 4,1,2";
        assert!(made("gomoku", &*present, both).is_err());
    }
}
