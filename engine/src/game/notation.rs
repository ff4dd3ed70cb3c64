//! Names of points and the one-line position text, shared by all games.

use super::{BadPosition, Cell, Color, Point};

/// Whether the column letters leave out I.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Letters {
    /// A..H, J..: Go and GTP; here NoGo.
    SkipI,
    /// A..Z: Renju, Othello and Amazons books.
    KeepI,
}

/// Where the row numbered 1 is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RowOne {
    /// At the top: Othello.
    Top,
    /// At the bottom: the other games.
    Bottom,
}

/// Whether pieces stand on crossings or in cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Grid {
    /// On the crossings of lines: NoGo, Gomoku.
    Lines,
    /// In cells: Othello, Amazons.
    Cells,
}

/// The shape of a board and how its points are named.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Geometry {
    /// Columns.
    pub width: u8,
    /// Rows.
    pub height: u8,
    /// The column letters.
    pub letters: Letters,
    /// The side of row 1.
    pub row_one: RowOne,
    /// Lines or cells, for whoever draws the board.
    pub grid: Grid,
}

/// The letter of a column (0-based).
#[must_use]
pub fn column_letter(letters: Letters, column: u8) -> char {
    let skip = u8::from(letters == Letters::SkipI && column >= 8);
    char::from(b'a' + column + skip)
}

impl Geometry {
    /// Number of points, holes included.
    #[must_use]
    pub fn area(&self) -> usize {
        usize::from(self.width) * usize::from(self.height)
    }

    /// The name of a point, lower case: `d4`.
    #[must_use]
    pub fn name(&self, point: Point) -> String {
        format!("{}{}", column_letter(self.letters, point.column), point.row + 1)
    }

    /// Reads the name of a point that lies on the board, any case. Nothing may follow the number.
    #[must_use]
    pub fn parse(&self, text: &str) -> Option<Point> {
        let mut chars = text.chars();
        let letter = chars.next()?.to_ascii_lowercase();
        let digits = chars.as_str();
        if !letter.is_ascii_lowercase()
            || digits.is_empty()
            || digits.len() > 2
            || digits.starts_with('0')
            || !digits.bytes().all(|b| b.is_ascii_digit())
        {
            return None;
        }
        let mut column = letter as u8 - b'a';
        if self.letters == Letters::SkipI {
            match letter {
                'i' => return None,
                'j'.. => column -= 1,
                _ => {}
            }
        }
        let row = digits.parse::<u8>().ok()? - 1;
        (column < self.width && row < self.height).then_some(Point { column, row })
    }

    /// The rows from the top of the drawn board to the bottom.
    pub fn rows_from_top(&self) -> impl Iterator<Item = u8> + use<> {
        let (height, row_one) = (self.height, self.row_one);
        (0..height).map(move |i| match row_one {
            RowOne::Top => i,
            RowOne::Bottom => height - 1 - i,
        })
    }

    /// Every point, row by row from the top, left to right: the order of position texts.
    pub fn points_from_top(&self) -> impl Iterator<Item = Point> + use<> {
        let width = self.width;
        self.rows_from_top().flat_map(move |row| (0..width).map(move |column| Point { column, row }))
    }
}

/// A position text taken apart: the cells in the order of [`Geometry::points_from_top`], the side to
/// move, and the `key=value` words that follow.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PositionText {
    /// `width * height` cells.
    pub cells: Vec<Cell>,
    /// The side to move.
    pub turn: Color,
    /// Words after the side to move.
    pub words: Vec<(String, String)>,
}

impl PositionText {
    /// Reads `rows side [key=value ...]` for a board of the given shape. Letters may be in any case;
    /// digits stand for runs of empty points.
    ///
    /// # Errors
    /// A message that names the first problem.
    pub fn parse(geometry: &Geometry, text: &str) -> Result<PositionText, BadPosition> {
        let bad = |message: String| Err(BadPosition(message));
        let mut words = text.split_ascii_whitespace();
        let Some(board) = words.next() else {
            return bad("empty position text".into());
        };
        let (width, height) = (usize::from(geometry.width), usize::from(geometry.height));
        let mut cells = Vec::with_capacity(width * height);
        let mut rows = 0;
        for row in board.split('/') {
            rows += 1;
            if rows > height {
                return bad(format!("more than {height} rows"));
            }
            let start = cells.len();
            let mut run = 0_usize;
            for letter in row.chars() {
                if let Some(digit) = letter.to_digit(10) {
                    run = run * 10 + digit as usize;
                    if run > width {
                        return bad(format!("row {rows} from the top is longer than {width}"));
                    }
                    continue;
                }
                cells.extend(std::iter::repeat_n(Cell::Empty, std::mem::take(&mut run)));
                cells.push(match letter {
                    '.' => Cell::Empty,
                    'X' | 'x' => Cell::Stone(Color::Black),
                    'O' | 'o' => Cell::Stone(Color::White),
                    '#' => Cell::Blocked,
                    other => {
                        return bad(format!("unknown letter \"{}\" in the board", other.escape_default()));
                    }
                });
                if cells.len() - start > width {
                    return bad(format!("row {rows} from the top is longer than {width}"));
                }
            }
            cells.extend(std::iter::repeat_n(Cell::Empty, run));
            match (cells.len() - start).cmp(&width) {
                std::cmp::Ordering::Less => {
                    return bad(format!(
                        "row {rows} from the top has {} points, not {width}",
                        cells.len() - start
                    ));
                }
                std::cmp::Ordering::Greater => {
                    return bad(format!("row {rows} from the top is longer than {width}"));
                }
                std::cmp::Ordering::Equal => {}
            }
        }
        if rows < height {
            return bad(format!("{rows} rows, not {height}"));
        }
        let turn = match words.next() {
            None => return bad("the side to move (b or w) is missing".into()),
            Some(word) => match Color::parse(word) {
                Some(color) => color,
                None => {
                    return bad(format!(
                        "the side to move must be b or w, not \"{}\"",
                        word.escape_default()
                    ));
                }
            },
        };
        let mut pairs: Vec<(String, String)> = Vec::new();
        for word in words {
            match word.split_once('=') {
                Some((key, value)) if !key.is_empty() && !value.is_empty() => {
                    let key = key.to_ascii_lowercase();
                    if pairs.iter().any(|(other, _)| *other == key) {
                        return bad(format!("\"{}\" is given twice", key.escape_default()));
                    }
                    pairs.push((key, value.to_ascii_lowercase()));
                }
                _ => return bad(format!("unknown word \"{}\"", word.escape_default())),
            }
        }
        Ok(PositionText { cells, turn, words: pairs })
    }

    /// Refuses words the game does not know; for games without any, call it with an empty list.
    ///
    /// # Errors
    /// Names the first unknown word.
    pub fn allow_words(&self, known: &[&str]) -> Result<(), BadPosition> {
        match self.words.iter().find(|(key, _)| !known.contains(&key.as_str())) {
            Some((key, value)) => Err(BadPosition(format!(
                "unknown word \"{}={}\"",
                key.escape_default(),
                value.escape_default()
            ))),
            None => Ok(()),
        }
    }

    /// How many cells hold `cell`.
    #[must_use]
    pub fn count(&self, cell: Cell) -> usize {
        self.cells.iter().filter(|&&c| c == cell).count()
    }
}

/// The one-line text of a position: rows from the top joined by `/`, the side to move, the words.
pub fn position_text(geometry: &Geometry, cell: impl Fn(Point) -> Cell, turn: Color, words: &str) -> String {
    let mut text = String::with_capacity(geometry.area() + usize::from(geometry.height) + 2 + words.len());
    for point in geometry.points_from_top() {
        if point.column == 0 && !text.is_empty() {
            text.push('/');
        }
        text.push(cell(point).letter());
    }
    text.push(' ');
    text.push(turn.letter());
    if !words.is_empty() {
        text.push(' ');
        text.push_str(words);
    }
    text
}
