//! The board as text.

use tengen_engine::game::{Cell, Color, Grid, Move, Point, notation};
use tengen_engine::games::{GameId, Referee};

/// What the terminal can show.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Style {
    /// Stones and lines beyond ASCII.
    pub(super) unicode: bool,
    /// Colours, and text that is taken back.
    pub(super) color: bool,
}

/// The uses colours are put to.
#[derive(Clone, Copy, Debug)]
pub(super) enum Tint {
    /// The last move.
    Last,
    /// Where a move is possible, and good news.
    Good,
    /// Where a move is forbidden, and refusals.
    Bad,
    /// Coordinates.
    Faint,
}

impl Style {
    /// Unicode on terminals whose locale is UTF-8, colours on terminals unless `NO_COLOR` says no.
    pub(super) fn detect(terminal: bool, variable: impl Fn(&str) -> Option<String>) -> Style {
        let set = |name: &str| variable(name).filter(|value| !value.is_empty());
        let locale = set("LC_ALL").or_else(|| set("LC_CTYPE")).or_else(|| set("LANG")).unwrap_or_default();
        let locale = locale.to_ascii_lowercase();
        Style {
            unicode: terminal && (locale.contains("utf-8") || locale.contains("utf8")),
            color: terminal && set("NO_COLOR").is_none() && set("TERM").is_some_and(|term| term != "dumb"),
        }
    }

    /// The text in a colour, if there are colours.
    pub(super) fn paint(self, tint: Tint, text: &str) -> String {
        let code = match tint {
            Tint::Last => "1;33",
            Tint::Good => "32",
            Tint::Bad => "31",
            Tint::Faint => "2",
        };
        if self.color { format!("\x1b[{code}m{text}\x1b[0m") } else { text.to_owned() }
    }

    /// What stands for a piece of this side.
    pub(super) fn piece(self, game: GameId, color: Color) -> char {
        match (self.unicode, game, color) {
            (false, _, color) => Cell::Stone(color).letter(),
            (true, GameId::Amazons, Color::Black) => '♛',
            (true, GameId::Amazons, Color::White) => '♕',
            (true, _, Color::Black) => '●',
            (true, _, Color::White) => '○',
        }
    }
}

/// The board with coordinates, the last move in parentheses; where it helps, `+` marks the moves of the
/// side to move (Othello) and `x` points forbidden to it (Renju). No line end after the last line.
pub(super) fn draw(referee: &dyn Referee, style: Style) -> String {
    let geometry = referee.geometry();
    let game = referee.setup().game;
    let history = referee.history();
    let last = history.iter().rev().find(|&&(_, mv)| mv != Move::PASS);
    let last = last.map(|&(_, mv)| referee.points(mv)).unwrap_or_default();
    let moves: Vec<Point> = match game {
        GameId::Othello => referee.legal_moves(None).unwrap_or_default(),
        _ => Vec::new(),
    }
    .into_iter()
    .flat_map(|mv| referee.points(mv))
    .collect();
    let forbidden = referee.forbidden();

    let cell = |point: Point| match referee.cell(point) {
        Cell::Stone(color) => style.piece(game, color).to_string(),
        Cell::Blocked if game == GameId::Amazons => if style.unicode { "×" } else { "#" }.to_owned(),
        Cell::Blocked => " ".to_owned(),
        Cell::Empty if moves.contains(&point) => style.paint(Tint::Good, "+"),
        Cell::Empty if forbidden.iter().any(|(other, _)| *other == point) => style.paint(Tint::Bad, "x"),
        Cell::Empty if !style.unicode => ".".to_owned(),
        Cell::Empty if geometry.grid == Grid::Lines => crossing(referee, point).to_string(),
        Cell::Empty => "·".to_owned(),
    };
    let between = |left: Option<Point>, right: Option<Point>| {
        let marked = |point: Option<Point>| point.is_some_and(|point| last.contains(&point));
        match (marked(left), marked(right), left, right) {
            (_, true, ..) => style.paint(Tint::Last, "("),
            (true, false, ..) => style.paint(Tint::Last, ")"),
            (_, _, Some(left), Some(right)) if style.unicode && joined(referee, left, right) => {
                "─".to_owned()
            }
            _ => " ".to_owned(),
        }
    };

    let letters: String =
        (0..geometry.width).map(|c| format!(" {}", notation::column_letter(geometry.letters, c))).collect();
    let letters = style.paint(Tint::Faint, &format!("  {letters}"));
    let mut text = letters.clone();
    for row in geometry.rows_from_top() {
        text.push('\n');
        text.push_str(&style.paint(Tint::Faint, &format!("{:>2}", row + 1)));
        let mut left = None;
        for column in 0..geometry.width {
            let point = Point { column, row };
            text.push_str(&between(left, Some(point)));
            text.push_str(&cell(point));
            left = Some(point);
        }
        text.push_str(&between(left, None));
        text.push_str(&style.paint(Tint::Faint, &(row + 1).to_string()));
    }
    text.push('\n');
    text.push_str(&letters);
    text
}

/// Whether a line of the board joins two neighbours: not in games played in cells, and not to a hole.
fn joined(referee: &dyn Referee, left: Point, right: Point) -> bool {
    referee.geometry().grid == Grid::Lines
        && referee.setup().game != GameId::Amazons
        && [left, right].iter().all(|&point| referee.cell(point) != Cell::Blocked)
}

/// The crossing of lines on an empty point, open where the board or its hole ends.
fn crossing(referee: &dyn Referee, point: Point) -> char {
    let geometry = referee.geometry();
    let line = |column: Option<u8>, row: Option<u8>| match (column, row) {
        (Some(column), Some(row)) if column < geometry.width && row < geometry.height => {
            referee.cell(Point { column, row }) != Cell::Blocked
        }
        _ => false,
    };
    let (column, row) = (point.column, point.row);
    // Both games played on crossings draw row 1 at the bottom.
    let up = line(Some(column), row.checked_add(1));
    let down = line(Some(column), row.checked_sub(1));
    let left = line(column.checked_sub(1), Some(row));
    let right = line(column.checked_add(1), Some(row));
    match (up, down, left, right) {
        (true, true, true, true) => '┼',
        (true, true, true, false) => '┤',
        (true, true, false, true) => '├',
        (true, false, true, true) => '┴',
        (false, true, true, true) => '┬',
        (true, false, true, false) => '┘',
        (true, false, false, true) => '└',
        (false, true, true, false) => '┐',
        (false, true, false, true) => '┌',
        (_, _, false, false) if up || down => '│',
        (false, false, _, _) if left || right => '─',
        _ => '·',
    }
}

#[cfg(test)]
mod tests {
    use tengen_engine::games::{self, Setup};

    use super::*;

    fn board(setup: &str, moves: &str, style: Style) -> String {
        let mut referee = games::referee(Setup::parse(setup.split(' ')).unwrap()).unwrap();
        for text in moves.split_ascii_whitespace() {
            let mv = referee.parse_move(text).unwrap();
            referee.play(None, mv).unwrap();
        }
        draw(&*referee, style)
    }

    #[test]
    fn boards_in_ascii_and_beyond() {
        let plain = Style::default();
        let unicode = Style { unicode: true, color: false };
        assert_eq!(board("nogo size 3x2", "a1 c2", plain), "   a b c\n 2 . .(O)2\n 1 X . . 1\n   a b c",);
        assert_eq!(board("nogo size 3x2", "a1 c2", unicode), "   a b c\n 2 ┌─┬(○)2\n 1 ●─┴─┘ 1\n   a b c");
        assert_eq!(
            board("othello size 6", "b3", plain),
            "   a b c d e f\n 1 . . . . . . 1\n 2 . + . + . . 2\n 3 .(X)X X . . 3\n 4 . + X O . . 4\n \
             5 . . . . . . 5\n 6 . . . . . . 6\n   a b c d e f",
        );
        let amazons = board("amazons size 5", "b1-b3-d3", unicode);
        assert!(amazons.contains(" 3 ·(♕)·(×)· 3"), "{amazons}");
        assert!(amazons.contains(" 1 ·(·)· ♕ · 1"), "{amazons}");
    }

    #[test]
    fn holes_are_left_out() {
        let text = board("nogo size 9 hole=2021", "", Style { unicode: true, color: false });
        assert!(text.contains(" 5 ├─┼─┤       ├─┼─┤ 5"), "{text}");
        assert!(text.contains(" 7 ├─┼─┼─┴─┴─┴─┼─┼─┤ 7"), "{text}");
    }

    #[test]
    fn forbidden_points_of_renju() {
        let text = board("renju", "h8 a1 i8 a15 j9 o1 j10 o15", Style::default());
        assert!(text.contains(" x "), "{text}");
    }

    #[test]
    fn colours_only_where_they_are_understood() {
        let with = |pairs: &[(&str, &str)], terminal| {
            Style::detect(terminal, |name| {
                pairs.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned())
            })
        };
        let full = Style { unicode: true, color: true };
        let terminal = [("LANG", "de_DE.UTF-8"), ("TERM", "xterm")];
        assert_eq!(with(&terminal, true), full);
        assert_eq!(with(&terminal, false), Style::default());
        assert_eq!(with(&[("LANG", "C.utf8"), ("LC_ALL", "C"), ("TERM", "dumb")], true), Style::default());
        assert!(!with(&[("LANG", "C.utf8"), ("TERM", "xterm"), ("NO_COLOR", "1")], true).color);
        assert_eq!(full.paint(Tint::Bad, "x"), "\u{1b}[31mx\u{1b}[0m");
        assert_eq!(Style::default().paint(Tint::Bad, "x"), "x");
    }
}
