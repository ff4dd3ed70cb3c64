//! SGF, format `FF[4]`: the game records of Go programs, Quarry and most Gomoku programs.
//!
//! | `GM` | game | points |
//! |---|---|---|
//! | 1 or none | NoGo, or what the hint says | column and row letter, counted from the top left |
//! | 2 | Othello | the same; passes are left out, a colour then moves twice |
//! | 4 | Gomoku, Renju, Caro | the same |
//! | 18 | Amazons | six letters: from, to, arrow |
//!
//! Only the main line of the first game is read. A text from a file is hostile until shown otherwise:
//! [`load`] measures its size and nesting before the parser, whose trees are dropped recursively, sees
//! it.

use sgf_parse::unknown_game::Prop;
use sgf_parse::{GameTree, SgfNode, SgfProp};
use tengen_engine::game::notation::{self, PositionText};
use tengen_engine::game::{BadPosition, Cell, Color, Geometry, Illegal, Move, Outcome, Point, RowOne};
use tengen_engine::games::{self, GameId, Referee, Setup, SetupError};

/// The longest text [`load`] accepts, in bytes.
pub const LONGEST: usize = 4 << 20;
/// The most nodes on one line of play. The longest games have 484 moves (Gomoku on 22x22); the
/// parser's trees need stack in proportion to this.
pub const DEEPEST: usize = 2000;
/// The most nodes in all variations together.
const MOST_NODES: usize = 200_000;
/// The most rectangles (`aa:cc`), each of which the parser turns into up to 2704 points.
const MOST_RECTANGLES: usize = 2000;

/// A private property with the words of a position text that SGF has no property for (`ply=7`).
const WORDS: &str = "TENGEN";
/// Properties of the first node that [`print()`] alone decides.
const RESERVED: [&str; 14] =
    ["FF", "GM", "CA", "AP", "SZ", "AB", "AW", "AE", "AA", "PL", "B", "W", "MN", WORDS];

/// Why a text is no record of a game.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SgfError {
    /// Longer than [`LONGEST`] bytes.
    #[error("the record is longer than {} MiB", LONGEST >> 20)]
    TooLong,
    /// More nodes than any game has.
    #[error("line {0}: the record has too many nodes")]
    TooManyNodes(usize),
    /// Nowhere a `(;`.
    #[error("not an SGF record: no \"(;\" found")]
    NoGame,
    /// The text does not follow the grammar.
    #[error("line {line}: {problem}")]
    Syntax {
        /// The line, from 1.
        line: usize,
        /// What is wrong there.
        problem: &'static str,
    },
    /// The parser's own words.
    #[error("not an SGF record: {0}")]
    Parser(sgf_parse::SgfParseError),
    /// A property whose value cannot be used.
    #[error("bad value of {name}: \"{value}\"")]
    Value {
        /// The property.
        name: String,
        /// The value, escaped.
        value: String,
    },
    /// `GM` names a game that Tengen does not play.
    #[error("GM[{0}] is none of NoGo (1), Othello (2), Gomoku (4) and Amazons (18)")]
    Game(String),
    /// Size or rules that the game does not have.
    #[error(transparent)]
    Setup(#[from] SetupError),
    /// Set-up stones that no game can reach.
    #[error("impossible position before move {number}: {source}")]
    Position {
        /// The move that follows the set-up, from 1.
        number: usize,
        /// What is wrong with the position.
        source: BadPosition,
    },
    /// A move that cannot be read or played.
    #[error("move {number} ({color} \"{text}\"): {reason}")]
    Move {
        /// The move's number, from 1.
        number: usize,
        /// Whose move it is, in the record's colours.
        color: Color,
        /// Its text in the record, escaped.
        text: String,
        /// What is wrong with it.
        reason: String,
    },
}

/// Reads a record and plays its main line: to the end, or, given `move_number` (from 1), to the
/// position before that move.
///
/// `hint` is the set-up the reader has in mind. It says which game a record without `GM` is, whether
/// `GM[1]` is NoGo or Gomoku, and gives the size and rules that the record leaves out.
///
/// Amazons records in which the colours are exchanged (the first mover, on the bottom row, is White in
/// Quarry and here, Black in the format's own description) are read with exchanged colours.
///
/// # Errors
/// [`SgfError`] with the first problem. Moves behind `move_number` are not looked at.
pub fn load(text: &str, hint: &Setup, move_number: Option<usize>) -> Result<Box<dyn Referee>, SgfError> {
    let nodes = main_line(text)?;
    let (setup, mirrored) = setup_of(nodes.first(), hint)?;
    let mut reader = Reader {
        referee: games::referee(setup)?,
        nodes: &nodes,
        exchanged: false,
        mirrored: false,
        number: 0,
        stop: move_number.map_or(usize::MAX, |number| number.max(1)),
    };
    reader.mirrored = mirrored && reader.is_mirrored();
    reader.exchanged = reader.is_exchanged();
    reader.replay()?;
    Ok(reader.referee)
}

// ------------------------------------------------------------------------------------------ the text

/// One node: its properties with their values, in the order of the file.
struct Node(Vec<(String, Vec<String>)>);

impl Node {
    fn values(&self, name: &str) -> &[String] {
        self.0.iter().find(|(other, _)| other == name).map_or(&[], |(_, values)| values)
    }

    fn value(&self, name: &str) -> Option<&str> {
        self.values(name).first().map(|value| value.trim())
    }

    /// The moves made here, in the record's colours.
    fn moves(&self) -> impl Iterator<Item = (Color, &str)> {
        self.0.iter().filter_map(|(name, values)| {
            let color = match name.as_str() {
                "B" => Color::Black,
                "W" => Color::White,
                _ => return None,
            };
            Some((color, values.first().map_or("", |value| value.trim())))
        })
    }

    /// Points to be set up, with what shall stand there in the record's colours.
    fn stones(&self) -> impl Iterator<Item = (&str, &str, Cell)> {
        self.0.iter().flat_map(|(name, values)| {
            let cell = match name.as_str() {
                "AB" => Some(Cell::Stone(Color::Black)),
                "AW" => Some(Cell::Stone(Color::White)),
                "AE" => Some(Cell::Empty),
                "AA" => Some(Cell::Blocked),
                _ => None,
            };
            cell.into_iter()
                .flat_map(move |cell| values.iter().map(move |value| (name.as_str(), value.trim(), cell)))
        })
    }
}

/// The nodes of the first game's main line, at least one.
fn main_line(text: &str) -> Result<Vec<Node>, SgfError> {
    let (_, tree) = first_tree(text)?;
    let mut games = sgf_parse::parse(tree).map_err(SgfError::Parser)?;
    Ok(match games.swap_remove(0) {
        GameTree::GoGame(root) => root.main_variation().map(node).collect(),
        GameTree::Unknown(root) => root.main_variation().map(node).collect(),
    })
}

/// The properties of a node that matter here. The parser has two types of property, one for Go and one
/// for all other games; their printed form, `NAME[value][value]`, is the same.
fn node<P: SgfProp>(node: &SgfNode<P>) -> Node {
    const READ: [&str; 12] = ["GM", "SZ", "RU", "B", "W", "AB", "AW", "AE", "AA", "PL", WORDS, "AP"];
    let properties = node.properties().filter_map(|property| {
        let name = property.identifier();
        if !READ.contains(&name.as_str()) {
            return None;
        }
        let text = property.to_string();
        let values = text.strip_prefix(&name)?.strip_prefix('[')?.strip_suffix(']')?;
        Some((name, split_values(values)))
    });
    Node(properties.collect())
}

/// The values of a property without its first and last bracket, split where `][` is not part of one:
/// a bracket after a backslash is.
fn split_values(text: &str) -> Vec<String> {
    let mut values = Vec::new();
    let (mut start, mut escaped) = (0, false);
    for (at, byte) in text.bytes().enumerate() {
        if byte == b']' && !escaped && text.as_bytes().get(at + 1) == Some(&b'[') {
            values.push(text.get(start..at).unwrap_or("").to_owned());
            start = at + 2;
        }
        escaped = byte == b'\\' && !escaped;
    }
    values.push(text.get(start..).unwrap_or("").to_owned());
    values
}

/// What stands before the first game in a file, and the text of that game. Checks everything on which the
/// parser's use of memory and stack depends, and that brackets match.
pub(crate) fn first_tree(text: &str) -> Result<(&str, &str), SgfError> {
    if text.len() > LONGEST {
        return Err(SgfError::TooLong);
    }
    let opens_game = |at: usize| {
        let rest = text.get(at..).unwrap_or("");
        rest.strip_prefix('(').is_some_and(|rest| rest.trim_ascii_start().starts_with(';'))
    };
    let start =
        text.match_indices('(').map(|(at, _)| at).find(|&at| opens_game(at)).ok_or(SgfError::NoGame)?;
    let line = |at: usize| 1 + text.as_bytes().iter().take(at).filter(|&&byte| byte == b'\n').count();
    let syntax = |at: usize, problem| Err(SgfError::Syntax { line: line(at), problem });

    // Depth of the present node, and what it was at each open parenthesis.
    let (mut depth, mut open, mut nodes, mut rectangles) = (0, Vec::new(), 0, 0);
    // A name that still waits for its value; whether a value may stand here.
    let (mut name, mut in_node) = (false, false);
    let mut bytes = text.bytes().enumerate().skip(start);
    while let Some((at, byte)) = bytes.next() {
        match byte {
            b'[' if !in_node => return syntax(at, "a value outside a node"),
            b'[' => {
                name = false;
                loop {
                    match bytes.next() {
                        Some((_, b']')) => break,
                        Some((_, b'\\')) => {
                            bytes.next();
                        }
                        Some(_) => {}
                        None => return syntax(at, "a value is not closed by \"]\""),
                    }
                }
                rectangles += usize::from(text.as_bytes().get(at + 3) == Some(&b':'));
                if rectangles > MOST_RECTANGLES {
                    return syntax(at, "too many rectangles");
                }
            }
            b'(' | b')' | b';' if name => return syntax(at, "a property without a value"),
            b'(' if !opens_game(at) => return syntax(at, "\"(\" without a node"),
            b'(' => {
                open.push(depth);
                in_node = false;
            }
            b';' => {
                depth += 1;
                nodes += 1;
                in_node = true;
                if depth > DEEPEST || nodes > MOST_NODES {
                    return Err(SgfError::TooManyNodes(line(at)));
                }
            }
            b')' => {
                depth = open.pop().unwrap_or(0);
                in_node = false;
                if open.is_empty() {
                    return Ok((text.get(..start).unwrap_or(""), text.get(start..=at).unwrap_or("")));
                }
            }
            _ if byte.is_ascii_whitespace() => {}
            _ if byte.is_ascii_alphanumeric() && in_node => name = true,
            _ => return syntax(at, "unexpected text between properties"),
        }
    }
    syntax(text.len(), "the record ends before its last \")\"")
}

// ---------------------------------------------------------------------------------------- the set-up

/// The set-up of a record by its first node, and whether it may be mirrored (see
/// [`Reader::is_mirrored`]).
fn setup_of(root: Option<&Node>, hint: &Setup) -> Result<(Setup, bool), SgfError> {
    let empty = Node(Vec::new());
    let root = root.unwrap_or(&empty);
    let gm = root.value("GM");
    let game = match gm.map(str::parse::<u32>) {
        None => hint.game,
        Some(Ok(1)) if hint.game == GameId::Gomoku => GameId::Gomoku,
        Some(Ok(1)) => GameId::NoGo,
        Some(Ok(2)) => GameId::Othello,
        Some(Ok(4)) => GameId::Gomoku,
        Some(Ok(18)) => GameId::Amazons,
        Some(_) => return Err(SgfError::Game(gm.unwrap_or("").escape_default().to_string())),
    };
    let mut setup = if game == hint.game { hint.clone() } else { Setup::new(game) };
    if let Some(size) = root.value("SZ") {
        let (columns, rows) = size.split_once(':').unwrap_or((size, size));
        match (columns.parse(), rows.parse()) {
            (Ok(width), Ok(height)) => setup.set_sides(width, height)?,
            _ => return Err(bad_value("SZ", size)),
        }
        if (setup.width, setup.height) != (hint.width, hint.height) {
            // Holes and the like belong to a size.
            setup.choices.clear();
        }
    }
    if let Some(rules) = root.value("RU") {
        apply_rules(&mut setup, rules);
    }
    Ok((setup, gm.is_none() && game == GameId::Othello))
}

/// Rules by name, or by the number of the Gomocup protocol that c-gomoku-cli writes. What is no rule of
/// the game ("Japanese") is left alone.
fn apply_rules(setup: &mut Setup, text: &str) {
    for word in text.split(|c: char| c.is_whitespace() || c == ',') {
        let word = match (setup.game, word) {
            (GameId::Gomoku, "0") => "freestyle",
            (GameId::Gomoku, "1") => "standard",
            (GameId::Gomoku, "4") => "renju",
            (GameId::Gomoku, "8") => "caro",
            (_, word) => word,
        };
        if setup.set_rules(word).is_ok() {
            setup.choices.clear();
        } else if let Some((key, value)) = word.split_once('=') {
            // An unknown choice is not worth losing the record for.
            let _ = setup.set_choice(key, value);
        }
    }
}

fn bad_value(name: &str, value: &str) -> SgfError {
    SgfError::Value { name: name.to_owned(), value: value.escape_default().to_string() }
}

// ----------------------------------------------------------------------------------------- the moves

/// What a value of `B` or `W` says.
enum Action {
    Pass,
    Points(Vec<Point>),
}

/// A record being played through.
struct Reader<'a> {
    referee: Box<dyn Referee>,
    nodes: &'a [Node],
    /// Black of the record is White here.
    exchanged: bool,
    /// The record's rows are counted from the bottom.
    mirrored: bool,
    /// Moves seen so far.
    number: usize,
    /// The move before which to stop.
    stop: usize,
}

impl Reader<'_> {
    fn replay(&mut self) -> Result<(), SgfError> {
        for (index, node) in self.nodes.iter().enumerate() {
            self.set_up(index, node)?;
            for (color, text) in node.moves() {
                self.number += 1;
                if self.number >= self.stop {
                    return Ok(());
                }
                self.play(color, text).map_err(|reason| SgfError::Move {
                    number: self.number,
                    color,
                    text: text.escape_default().to_string(),
                    reason,
                })?;
            }
        }
        Ok(())
    }

    fn play(&mut self, color: Color, text: &str) -> Result<(), String> {
        let mv = match self.action(text).ok_or("not a move on this board")? {
            Action::Pass => Move::PASS,
            Action::Points(points) => self.referee.move_of(&points).ok_or("not a move of this game")?,
        };
        if mv == Move::PASS && self.referee.ending().is_some() {
            // Go programs end every game with passes.
            return Ok(());
        }
        self.referee.play(Some(self.color(color)), mv).map_err(|illegal: Illegal| illegal.to_string())
    }

    fn color(&self, color: Color) -> Color {
        if self.exchanged { !color } else { color }
    }

    /// A pass is empty, or `tt` where the board has no such point.
    fn action(&self, text: &str) -> Option<Action> {
        let geometry = self.referee.geometry();
        if text.is_empty() || (text == "tt" && geometry.width <= 19 && geometry.height <= 19) {
            return Some(Action::Pass);
        }
        let letters = text.as_bytes();
        let (pairs, rest) = letters.as_chunks::<2>();
        if !rest.is_empty() || pairs.len() > 3 {
            return None;
        }
        pairs.iter().map(|&pair| self.point(pair)).collect::<Option<Vec<_>>>().map(Action::Points)
    }

    /// The point of two letters, column and row from the top left.
    fn point(&self, [column, row]: [u8; 2]) -> Option<Point> {
        let geometry = self.referee.geometry();
        let (column, row) = (column.checked_sub(b'a')?, row.checked_sub(b'a')?);
        if column >= geometry.width || row >= geometry.height {
            return None;
        }
        let from_top = (geometry.row_one == RowOne::Top) != self.mirrored;
        Some(Point { column, row: if from_top { row } else { geometry.height - 1 - row } })
    }

    /// The first move of the record, in its own colours.
    fn first_move(&self) -> Option<(Color, Vec<Point>)> {
        let (color, text) = self.nodes.iter().find_map(|node| node.moves().next())?;
        match self.action(text)? {
            Action::Points(points) => Some((color, points)),
            Action::Pass => None,
        }
    }

    /// GoGui writes Othello records (without `GM`) upside down when its engine counts rows from the
    /// bottom, as GTP does. The four first moves of either picture are illegal in the other.
    fn is_mirrored(&self) -> bool {
        let legal = |reader: &Reader<'_>| {
            let first = reader.first_move().and_then(|(_, points)| reader.referee.move_of(&points));
            first.is_some_and(|mv| reader.referee.legal_moves(None).unwrap_or_default().contains(&mv))
        };
        let flipped = Reader { referee: self.referee.boxed_clone(), mirrored: true, ..*self };
        !legal(self) && legal(&flipped)
    }

    /// Whether Black of the record is White here (Amazons only). Without set-up stones the amazon on
    /// the first move's square decides; with them, the side that moves first: always White here after
    /// an even number of arrows.
    fn is_exchanged(&self) -> bool {
        if self.referee.setup().game != GameId::Amazons {
            return false;
        }
        let first = self.first_move();
        let root = self.nodes.first();
        let turn = root.and_then(|node| Color::parse(node.value("PL")?));
        match root.filter(|node| node.stones().next().is_some()) {
            Some(root) => {
                let Ok(cells) = self.board_after(true, root) else { return false };
                let mover = first.map(|(color, _)| color).or(turn);
                mover.is_some_and(|color| color != Reader::amazons_turn(&cells))
            }
            None => match first {
                Some((color, points)) => {
                    points.first().is_some_and(|&from| self.referee.cell(from) == Cell::Stone(!color))
                }
                None => turn.is_some_and(|color| color != self.referee.turn()),
            },
        }
    }

    fn amazons_turn(cells: &[Cell]) -> Color {
        let arrows = cells.iter().filter(|&&cell| cell == Cell::Blocked).count();
        if arrows.is_multiple_of(2) { Color::White } else { Color::Black }
    }

    // -------------------------------------------------------------------------------- set-up stones

    /// Puts the stones of a node on the board and gives the turn to whom it says, which starts the
    /// record anew from there.
    fn set_up(&mut self, index: usize, node: &Node) -> Result<(), SgfError> {
        let turn = match node.value("PL") {
            Some(text) => Some(self.color(Color::parse(text).ok_or_else(|| bad_value("PL", text))?)),
            None => None,
        };
        let stones = node.stones().next().is_some();
        if !stones && turn.is_none_or(|turn| turn == self.referee.turn()) {
            return Ok(());
        }
        let cells = self.board_after(index == 0, node)?;
        let turn = turn.unwrap_or_else(|| self.turn_after_setup(index, &cells));
        let geometry = self.referee.geometry();
        let words = node.value(WORDS).unwrap_or("");
        let text = notation::position_text(&geometry, |point| cells[slot(&geometry, point)], turn, words);
        if text == self.referee.position_text() {
            return Ok(());
        }
        self.referee
            .set_position(&text)
            .map_err(|source| SgfError::Position { number: self.number + 1, source })
    }

    /// The board after the set-up stones of a node, by [`slot`].
    fn board_after(&self, is_root: bool, node: &Node) -> Result<Vec<Cell>, SgfError> {
        let geometry = self.referee.geometry();
        let mut cells = vec![Cell::Empty; geometry.area()];
        // The format gives all eight amazons; they do not come on top of those that stand there.
        let replaces = is_root
            && self.referee.setup().game == GameId::Amazons
            && node.stones().any(|(_, _, cell)| matches!(cell, Cell::Stone(_)));
        if !replaces {
            for point in geometry.points_from_top() {
                cells[slot(&geometry, point)] = self.referee.cell(point);
            }
        }
        for (name, text, cell) in node.stones() {
            let cell = match cell {
                Cell::Stone(color) => Cell::Stone(self.color(color)),
                other => other,
            };
            for point in self.rectangle(text).ok_or_else(|| bad_value(name, text))? {
                cells[slot(&geometry, point)] = cell;
            }
        }
        Ok(cells)
    }

    /// The points of `cd` or of the rectangle `ab:cd`.
    fn rectangle(&self, text: &str) -> Option<Vec<Point>> {
        let (first, last) = text.split_once(':').unwrap_or((text, text));
        let first = self.point(first.as_bytes().try_into().ok()?)?;
        let last = self.point(last.as_bytes().try_into().ok()?)?;
        let rows = first.row.min(last.row)..=first.row.max(last.row);
        let columns = first.column.min(last.column)..=first.column.max(last.column);
        Some(rows.flat_map(|row| columns.clone().map(move |column| Point { column, row })).collect())
    }

    /// Whose turn it is after set-up stones without `PL`: in Amazons by the arrows, else of who moves
    /// next, else by counting stones where sides alternate.
    fn turn_after_setup(&self, index: usize, cells: &[Cell]) -> Color {
        let game = self.referee.setup().game;
        if game == GameId::Amazons {
            return Reader::amazons_turn(cells);
        }
        let next = self.nodes.iter().skip(index).find_map(|node| node.moves().next());
        if let Some((color, _)) = next {
            return self.color(color);
        }
        let count = |color| cells.iter().filter(|&&cell| cell == Cell::Stone(color)).count();
        match game {
            GameId::NoGo | GameId::Gomoku if count(Color::Black) > count(Color::White) => Color::White,
            GameId::NoGo | GameId::Gomoku => Color::Black,
            GameId::Othello | GameId::Amazons => self.referee.turn(),
        }
    }
}

/// Where a point stands in a list of all points.
fn slot(geometry: &Geometry, point: Point) -> usize {
    usize::from(point.row) * usize::from(geometry.width) + usize::from(point.column)
}

// ------------------------------------------------------------------------------------------ printing

/// The record of a game: one game, one line of play, newlines only between nodes.
///
/// `properties` go into the first node (`PB`, `PW`, `DT`, `C`...; `RU` and `RE` replace what would be
/// written by itself). Those that describe the board and the moves are ignored, and so are names that are
/// not made of capital letters.
pub fn print(referee: &dyn Referee, properties: &[(String, String)]) -> String {
    let geometry = referee.geometry();
    let mut nodes = vec![root_node(referee, &geometry, properties)];
    for (color, mv) in referee.history() {
        if mv == Move::PASS {
            continue;
        }
        let points: String = referee.points(mv).iter().map(|&point| point_text(&geometry, point)).collect();
        let property = match color {
            Color::Black => Prop::B(points),
            Color::White => Prop::W(points),
        };
        nodes.push(SgfNode::new(vec![property], Vec::new(), false));
    }
    // Nodes are printed one by one: the library prints a line of nodes recursively.
    let mut text = String::from("(");
    for (index, node) in nodes.iter().enumerate() {
        if index % 10 == 1 {
            text.push('\n');
        }
        text.push_str(&node.to_string());
    }
    text.push_str(")\n");
    text
}

fn root_node(referee: &dyn Referee, geometry: &Geometry, properties: &[(String, String)]) -> SgfNode<Prop> {
    let setup = referee.setup();
    let game = match setup.game {
        GameId::NoGo => 1,
        GameId::Othello => 2,
        GameId::Gomoku => 4,
        GameId::Amazons => 18,
    };
    // The library would write a square as 9:9, which older programs cannot read.
    let size = match (setup.width, setup.height) {
        (width, height) if width == height => width.to_string(),
        (width, height) => format!("{width}:{height}"),
    };
    let mut root = vec![
        Prop::FF(4),
        Prop::GM(game),
        text_property("CA", "UTF-8"),
        text_property("AP", concat!("Tengen:", env!("CARGO_PKG_VERSION"))),
        text_property("SZ", &size),
    ];
    let given = |name: &str| properties.iter().any(|(other, _)| other == name);
    if !given("RU") {
        let choices = setup.choices.iter().map(|(key, value)| format!(" {key}={value}"));
        root.push(text_property("RU", &format!("{}{}", setup.rules, choices.collect::<String>())));
    }
    for (name, value) in properties {
        let proper = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_uppercase());
        if proper && !RESERVED.contains(&name.as_str()) {
            root.push(text_property(name, value));
        }
    }
    if let Some(ending) = referee.ending().filter(|_| !given("RE")) {
        // A score only where the game has one.
        let score = if setup.game == GameId::Othello { ending.margin.to_string() } else { String::new() };
        root.push(text_property(
            "RE",
            &match ending.outcome {
                Outcome::Draw => "0".to_owned(),
                Outcome::Win(Color::Black) => format!("B+{score}"),
                Outcome::Win(Color::White) => format!("W+{score}"),
            },
        ));
    }
    root.extend(start_properties(referee, geometry));
    SgfNode::new(root, Vec::new(), true)
}

/// The stones of a record that does not start from the game's own start, all of them.
fn start_properties(referee: &dyn Referee, geometry: &Geometry) -> Vec<Prop> {
    let start = referee.start_text().and_then(|text| PositionText::parse(geometry, &text).ok());
    let Some(start) = start else { return Vec::new() };
    let amazons = referee.setup().game == GameId::Amazons;
    let list = |name: &str, wanted: Cell| {
        let points = geometry.points_from_top().zip(&start.cells).filter(|&(_, &cell)| cell == wanted);
        let points: Vec<String> = points.map(|(point, _)| point_text(geometry, point)).collect();
        // The library keeps such lists in hash sets, whose order is not the same twice.
        (!points.is_empty()).then(|| Prop::Unknown(name.to_owned(), points))
    };
    let mut properties: Vec<Prop> = [
        list("AB", Cell::Stone(Color::Black)),
        list("AW", Cell::Stone(Color::White)),
        list("AA", Cell::Blocked).filter(|_| amazons),
    ]
    .into_iter()
    .flatten()
    .collect();
    let turn = start.turn.letter().to_ascii_uppercase().to_string();
    properties.push(Prop::new("PL".to_owned(), vec![turn]));
    if !start.words.is_empty() {
        let words: Vec<String> = start.words.iter().map(|(key, value)| format!("{key}={value}")).collect();
        properties.push(text_property(WORDS, &words.join(" ")));
    }
    properties
}

/// A property with any text for value.
fn text_property(name: &str, value: &str) -> Prop {
    Prop::Unknown(name.to_owned(), vec![value.replace('\\', "\\\\").replace(']', "\\]")])
}

/// Column and row letter from the top left.
fn point_text(geometry: &Geometry, point: Point) -> String {
    let row = match geometry.row_one {
        RowOne::Top => point.row,
        RowOne::Bottom => geometry.height - 1 - point.row,
    };
    [point.column, row].into_iter().map(|number| char::from(b'a' + number)).collect()
}

#[cfg(test)]
mod tests;
