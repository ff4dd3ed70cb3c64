//! The 26 openings of Renju by name: the first stone in the centre, the second beside it, straight
//! ("direct") or diagonally ("indirect"), the third within the central square of five by five.

use tengen_engine::game::Point;

/// An opening.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Opening {
    /// `D1` to `D13` and `I1` to `I13`, as the Renju International Federation counts them.
    pub code: &'static str,
    /// The Japanese name.
    pub name: &'static str,
    /// Where the third stone is, in columns and rows from the first, with the second stone above it
    /// (direct) or above it to the right (indirect).
    third: (i8, i8),
}

const fn opening(code: &'static str, name: &'static str, column: i8, row: i8) -> Opening {
    Opening { code, name, third: (column, row) }
}

/// The openings whose second stone is straight beside the first.
pub const DIRECT: [Opening; 13] = [
    opening("D1", "Kansei", 0, 2),
    opening("D2", "Keigetsu", 1, 2),
    opening("D3", "Sosei", 2, 2),
    opening("D4", "Kagetsu", 1, 1),
    opening("D5", "Zangetsu", 2, 1),
    opening("D6", "Ugetsu", 1, 0),
    opening("D7", "Kinsei", 2, 0),
    opening("D8", "Shogetsu", 0, -1),
    opening("D9", "Kyugetsu", 1, -1),
    opening("D10", "Shingetsu", 2, -1),
    opening("D11", "Zuisei", 0, -2),
    opening("D12", "Sangetsu", 1, -2),
    opening("D13", "Yusei", 2, -2),
];

/// The openings whose second stone is diagonally beside the first.
pub const INDIRECT: [Opening; 13] = [
    opening("I1", "Chosei", 2, 2),
    opening("I2", "Kyogetsu", 2, 1),
    opening("I3", "Kosei", 2, 0),
    opening("I4", "Suigetsu", 2, -1),
    opening("I5", "Ryusei", 2, -2),
    opening("I6", "Ungetsu", 1, 0),
    opening("I7", "Hogetsu", 1, -1),
    opening("I8", "Rangetsu", 1, -2),
    opening("I9", "Gingetsu", 0, -1),
    opening("I10", "Myojo", 0, -2),
    opening("I11", "Shagetsu", -1, -1),
    opening("I12", "Meigetsu", -1, -2),
    opening("I13", "Suisei", -2, -2),
];

/// The images of an offset under the eight symmetries of the square.
fn images((column, row): (i8, i8)) -> [(i8, i8); 8] {
    let (c, r) = (column, row);
    [(c, r), (-c, r), (c, -r), (-c, -r), (r, c), (-r, c), (r, -c), (-r, -c)]
}

/// The opening that the first three stones of a game make on a board with this side, in any orientation.
/// Boards without a centre have none.
#[must_use]
pub fn recognize(side: u8, stones: [Point; 3]) -> Option<&'static Opening> {
    let centre = Point { column: side / 2, row: side / 2 };
    let offset = |point: Point| {
        let part = |to: u8, from: u8| i8::try_from(i16::from(to) - i16::from(from)).ok();
        Some((part(point.column, centre.column)?, part(point.row, centre.row)?))
    };
    let [first, second, third] = stones;
    if side.is_multiple_of(2) || first != centre {
        return None;
    }
    let turned = images(offset(second)?).into_iter().zip(images(offset(third)?));
    turned.into_iter().find_map(|(second, third)| {
        let table = match second {
            (0, 1) => &DIRECT,
            (1, 1) => &INDIRECT,
            _ => return None,
        };
        table.iter().find(|opening| opening.third == third)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    fn point(column: i8, row: i8) -> Point {
        Point { column: (7 + column).try_into().unwrap(), row: (7 + row).try_into().unwrap() }
    }

    /// Every third stone within the central square belongs to exactly one opening, and each opening to
    /// one class of equivalent positions: 13 and 13, none missing and none twice.
    #[test]
    fn the_26_openings_are_complete_and_differ() {
        let mut found: BTreeMap<&str, Vec<(i8, i8)>> = BTreeMap::new();
        for second in [(0, 1), (1, 1)] {
            let mut classes = 0;
            let mut seen: Vec<(i8, i8)> = Vec::new();
            for column in -2..=2 {
                for row in -2..=2 {
                    let third = (column, row);
                    if third == (0, 0) || third == second {
                        continue;
                    }
                    let opening =
                        recognize(15, [point(0, 0), point(second.0, second.1), point(column, row)]).unwrap();
                    found.entry(opening.code).or_default().push(third);
                    // The symmetries that leave the second stone where it is.
                    let same: Vec<(i8, i8)> = images(second)
                        .into_iter()
                        .zip(images(third))
                        .filter_map(|(s, t)| (s == second).then_some(t))
                        .collect();
                    classes += usize::from(!same.iter().any(|other| seen.contains(other)));
                    seen.push(third);
                    for (c, r) in same {
                        let other = recognize(15, [point(0, 0), point(second.0, second.1), point(c, r)]);
                        assert_eq!(other, Some(opening));
                    }
                }
            }
            assert_eq!(classes, 13);
        }
        assert_eq!(found.len(), 26);
        assert!(found.values().all(|thirds| thirds.len() <= 2), "{found:?}");
        let names: std::collections::BTreeSet<&str> =
            DIRECT.iter().chain(&INDIRECT).map(|opening| opening.name).collect();
        assert_eq!(names.len(), 26);
    }

    /// Against the test vectors, which list the openings by code.
    #[test]
    fn codes_and_coordinates_are_the_usual_ones() {
        let list = include_str!("../../../tests/vectors/gomoku/renju_openings.txt");
        let mut count = 0;
        for line in list.lines().filter(|line| !line.starts_with('#') && !line.is_empty()) {
            let words: Vec<&str> = line.split_ascii_whitespace().collect();
            let point = |text: &str| Point {
                column: text.as_bytes()[0] - b'A',
                row: text[1..].parse::<u8>().unwrap() - 1,
            };
            let stones = [point(words[1]), point(words[2]), point(words[3])];
            assert_eq!(recognize(15, stones).map(|opening| opening.code), Some(words[0]), "{line}");
            count += 1;
        }
        assert_eq!(count, 26);
    }

    #[test]
    fn an_opening_is_recognized_in_every_orientation() {
        for (second, table) in [((0, 1), &DIRECT), ((1, 1), &INDIRECT)] {
            for opening in table {
                for (s, t) in images(second).into_iter().zip(images(opening.third)) {
                    let stones = [point(0, 0), point(s.0, s.1), point(t.0, t.1)];
                    assert_eq!(recognize(15, stones), Some(opening), "{stones:?}");
                }
            }
        }
    }

    #[test]
    fn what_is_no_opening_has_no_name() {
        assert_eq!(recognize(15, [point(1, 0), point(0, 1), point(2, 2)]), None, "not in the centre");
        assert_eq!(recognize(15, [point(0, 0), point(0, 2), point(1, 1)]), None, "not beside it");
        assert_eq!(recognize(15, [point(0, 0), point(0, 1), point(3, 0)]), None, "too far away");
        let point = |column, row| Point { column, row };
        assert_eq!(recognize(14, [point(7, 7), point(7, 8), point(7, 9)]), None, "no centre");
        assert_eq!(recognize(22, [point(21, 0), point(0, 21), point(0, 0)]), None);
        assert_eq!(recognize(9, [point(4, 4), point(5, 4), point(6, 4)]).map(|o| o.name), Some("Kansei"));
    }
}
