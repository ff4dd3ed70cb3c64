//! Lines, numbers and coordinates as managers write them.

use tengen_engine::game::Point;

/// The words of a line; blanks beside a comma divide nothing.
pub(super) fn words(line: &str) -> Vec<String> {
    let clean: String =
        line.chars().map(|c| if c.is_ascii_control() || c == '\u{feff}' { ' ' } else { c }).collect();
    let mut words: Vec<String> = Vec::new();
    for word in clean.split_ascii_whitespace() {
        match words.last_mut() {
            Some(last) if last.ends_with(',') || word.starts_with(',') => last.push_str(word),
            _ => words.push(word.to_owned()),
        }
    }
    words
}

/// Whether a word within a block is a stone, or meant to be one, and not a command.
pub(super) fn looks_like_stone(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_digit() || "+-,".contains(c))
}

/// The whole numbers of a text with commas.
pub(super) fn numbers(text: &str) -> Option<Vec<i64>> {
    text.split(',').map(|part| part.trim().parse().ok()).collect()
}

/// How coordinates are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Order {
    /// Column and row, as the Gomocup protocol has it.
    ColumnFirst,
    /// Row and column, as the Yixin-Board writes.
    RowFirst,
}

impl Order {
    /// The point with these two coordinates.
    pub(super) fn point(self, a: i64, b: i64) -> Option<Point> {
        let (a, b) = (u8::try_from(a).ok()?, u8::try_from(b).ok()?);
        Some(match self {
            Order::ColumnFirst => Point { column: a, row: b },
            Order::RowFirst => Point { column: b, row: a },
        })
    }

    /// The two coordinates of a point.
    pub(super) fn pair(self, point: Point) -> (u8, u8) {
        match self {
            Order::ColumnFirst => (point.column, point.row),
            Order::RowFirst => (point.row, point.column),
        }
    }

    /// `7,8`
    pub(super) fn text(self, point: Point) -> String {
        let (a, b) = self.pair(point);
        format!("{a},{b}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_lines_as_they_come() {
        assert_eq!(words("TURN 7,8\r"), ["TURN", "7,8"]);
        assert_eq!(words("\tturn  7 , 8 "), ["turn", "7,8"]);
        assert_eq!(words("BOARD 7,7,1 8, 8,2 DONE"), ["BOARD", "7,7,1", "8,8,2", "DONE"]);
        assert!(words(" \r").is_empty());
        assert_eq!(numbers("7,8"), Some(vec![7, 8]));
        for bad in ["", "7,", "x,7", "7,8,", "1.5"] {
            assert_eq!(numbers(bad), None, "{bad}");
        }
        assert!(looks_like_stone("-1,3,1") && !looks_like_stone("DONE"));
    }

    #[test]
    fn both_orders_go_there_and_back() {
        for order in [Order::ColumnFirst, Order::RowFirst] {
            let point = order.point(3, 12).unwrap();
            assert_eq!(order.text(point), "3,12");
        }
        assert_eq!(Order::RowFirst.point(3, 12), Some(Point { column: 12, row: 3 }));
        assert_eq!(Order::ColumnFirst.point(-1, 2), None);
        assert_eq!(Order::ColumnFirst.point(0, 1 << 40), None);
    }
}
