//! The contract every game fulfils: what a move, a side, a result and a position are.
//!
//! Three traits, each for one reader:
//!
//! * [`Game`] is what a search needs: whose turn, which moves, play, undo, the hash key.
//! * [`Knowledge`] adds what makes a search strong: evaluation, move ordering, playouts.
//! * [`Rules`] is the game as people know it: notation, position text, reasons for refusals. A turn
//!   of [`Rules`] may be searched as several steps (Amazons: a queen step, then an arrow).

pub mod notation;
pub mod random;

use std::fmt;

use arrayvec::ArrayVec;

pub use notation::{Geometry, Grid, Letters, RowOne};
pub use random::Rng;

/// A move, as plain data. Only the game that made it knows what the number means: most games store
/// one point, Amazons packs from, to and arrow. Text is made and read by [`Rules`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Move(u32);

impl Move {
    /// "No move": an empty slot in a table or a killer list. Never legal.
    pub const NONE: Move = Move(u32::MAX);
    /// The pass of games that have one (Othello).
    pub const PASS: Move = Move(u32::MAX - 1);

    /// The move with the given raw number, which must stay below [`Move::PASS`].
    #[must_use]
    pub const fn new(raw: u32) -> Move {
        Move(raw)
    }

    /// The raw number.
    #[must_use]
    pub const fn raw(self) -> u32 {
        self.0
    }

    /// The raw number as an index, for games whose moves are single points.
    #[must_use]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

impl fmt::Debug for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Move::NONE => f.write_str("Move(none)"),
            Move::PASS => f.write_str("Move(pass)"),
            Move(raw) => write!(f, "Move({raw:#x})"),
        }
    }
}

/// A side. Who moves first is a property of the game: Black in NoGo, Gomoku and Othello, White in
/// Amazons.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum Color {
    /// Black, `b` or `black` on the wire, `X` in position texts.
    Black = 0,
    /// White, `w` or `white` on the wire, `O` in position texts.
    White = 1,
}

impl Color {
    /// Both sides, Black first.
    pub const ALL: [Color; 2] = [Color::Black, Color::White];

    /// 0 for Black, 1 for White.
    #[must_use]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// `b`, `w`, `black`, `white` in any case.
    #[must_use]
    pub fn parse(text: &str) -> Option<Color> {
        if text.eq_ignore_ascii_case("b") || text.eq_ignore_ascii_case("black") {
            Some(Color::Black)
        } else if text.eq_ignore_ascii_case("w") || text.eq_ignore_ascii_case("white") {
            Some(Color::White)
        } else {
            None
        }
    }

    /// `b` or `w`.
    #[must_use]
    pub const fn letter(self) -> char {
        match self {
            Color::Black => 'b',
            Color::White => 'w',
        }
    }
}

impl std::ops::Not for Color {
    type Output = Color;
    fn not(self) -> Color {
        match self {
            Color::Black => Color::White,
            Color::White => Color::Black,
        }
    }
}

impl fmt::Display for Color {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Color::Black => "black",
            Color::White => "white",
        })
    }
}

/// The result of a finished game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Outcome {
    /// This side has won.
    Win(Color),
    /// Nobody has won.
    Draw,
}

/// What a search needs to know of a game. A value is one position.
///
/// Nothing here does I/O, takes a lock or allocates (but for the caller's buffers). Sides need not
/// alternate: always read [`turn`](Game::turn).
pub trait Game: Clone + fmt::Debug + Send + Sync + 'static {
    /// What [`undo`](Game::undo) needs: a copy of the old position for small boards, a delta for
    /// large ones.
    type Undo: Send + fmt::Debug;

    /// Whether perft counts a game that ended before its last ply as one leaf, as the published
    /// Othello tables do, or not at all.
    const PERFT_COUNTS_ENDED: bool = false;

    /// The side to move. In a finished game: the side that would move next.
    fn turn(&self) -> Color;

    /// The result, or `None` while the game goes on. `Some` exactly when [`moves`](Game::moves)
    /// yields nothing; a caller that has the list at hand asks only when it is empty.
    fn outcome(&self) -> Option<Outcome>;

    /// Appends every legal move, in an order that depends on the position alone.
    fn moves(&self, out: &mut Vec<Move>);

    /// How many moves [`moves`](Game::moves) yields; games override it where counting in bulk is
    /// faster. Perft counts its last ply with it.
    fn count(&self) -> u64 {
        let mut moves = Vec::new();
        self.moves(&mut moves);
        moves.len() as u64
    }

    /// [`perft`] by a faster way than the general one, for games that have one.
    fn perft(&self, _depth: u32, _full: bool) -> Option<u64> {
        None
    }

    /// Whether `mv` is one of [`moves`](Game::moves). Any `Move` may be asked about.
    fn is_legal(&self, mv: Move) -> bool;

    /// Plays a legal move (checked in debug builds only).
    fn play(&mut self, mv: Move) -> Self::Undo;

    /// Takes back the move last played.
    fn undo(&mut self, mv: Move, undo: Self::Undo);

    /// A 64-bit key of everything that decides the rest of the game (stones, side to move, ply where
    /// a rule needs it). Equal positions have equal keys however they were reached; keys of
    /// different set-ups (size, rule) are never compared.
    fn key(&self) -> u64;

    /// An upper bound on the number of plies still to be played; 0 exactly when the game is over.
    fn horizon(&self) -> u32;

    /// The winner's margin in a finished game, in the game's own unit (discs in Othello, empties to
    /// the winner); 1 for games that only know winning, 0 for a draw.
    fn margin(&self) -> i32 {
        match self.outcome() {
            Some(Outcome::Win(_)) => 1,
            _ => 0,
        }
    }
}

/// How Monte Carlo tree search values a leaf it has not seen before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Leaf {
    /// By [`Knowledge::playout`].
    Playout,
    /// By [`Knowledge::evaluate`].
    Static,
}

/// What makes a search of this game strong.
pub trait Knowledge: Game {
    /// How the tree search values a new leaf.
    const LEAF: Leaf;

    /// The evaluation that stands for a winning chance of about 85 % (the curve is
    /// `0.5 + 0.5 x / sqrt(1 + x^2)` with `x = evaluation / SCALE`).
    const SCALE: i32;

    /// Weight of prior against value in the tree search's selection.
    const EXPLORATION: f32 = 1.1;

    /// Visits a leaf gets before the tree search gives it children: more where making them costs much
    /// against valuing a leaf.
    const EXPAND_VISITS: u32 = 1;

    /// Evaluation units per one point of the game's own unit (per disc, per square of territory),
    /// for display only.
    const UNIT: i32;

    /// Whether a win by more is better ([`Game::margin`]), so that a search looks for the greatest
    /// margin rather than for the shortest win.
    const MARGINS: bool = false;

    /// Plies at the end of a game that take next to no time, because the game is solved by then: the
    /// clock need not be spread over them.
    const PLAYED_OUT: u32 = 0;

    /// A static value for the side to move, in `-EVAL_MAX..=EVAL_MAX`. Called on unfinished games
    /// only.
    fn evaluate(&self) -> i32;

    /// Appends the moves worth searching, all legal, at least one while the game goes on, in a fixed
    /// order. Returns `true` when leaving the others out cannot change the exact value of the
    /// position (so a proof may rest on the list), `false` when the list is only a good guess.
    fn candidates(&self, out: &mut Vec<Move>) -> bool {
        self.moves(out);
        true
    }

    /// Appends one ordering score for each of `moves`, higher for better. The scale is shared: 100
    /// more means "e times as likely to be the best move", so the tree search takes its priors from
    /// the same numbers.
    fn order(&self, moves: &[Move], out: &mut Vec<i32>);

    /// Plays the game on at random, to the end or to a cut, and returns Black's expected result in
    /// `0.0..=1.0`. Consumes the position. Called only where [`LEAF`](Knowledge::LEAF) asks for it.
    fn playout(&mut self, rng: &mut Rng) -> f32;
}

/// Bound of [`Knowledge::evaluate`].
pub const EVAL_MAX: i32 = 20_000;

/// Why a move is refused. `Display` gives the text of the protocol, without the leading
/// `illegal move: `.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Illegal {
    /// The game has ended.
    #[error("the game is over")]
    GameOver,
    /// The other side is to move.
    #[error("not your turn")]
    NotYourTurn,
    /// A stone, disc, amazon, arrow or hole is there.
    #[error("occupied")]
    Occupied,
    /// Outside the board.
    #[error("not on the board")]
    OffBoard,
    /// The move would leave the own group without liberties.
    #[error("suicide")]
    Suicide,
    /// The move would leave an enemy group without liberties (NoGo's standard rule).
    #[error("capture")]
    Capture,
    /// Black's first move on the centre where the set-up forbids it.
    #[error("the first move may not be the centre")]
    Centre,
    /// Renju: Black's exact name for the reason.
    #[error("forbidden (overline)")]
    Overline,
    /// Renju: two or more fours at once.
    #[error("forbidden (double-four)")]
    DoubleFour,
    /// Renju: two or more threes at once.
    #[error("forbidden (double-three)")]
    DoubleThree,
    /// Othello: the disc would turn nothing over.
    #[error("no disc is flipped")]
    NoFlip,
    /// Pass while there are moves.
    #[error("a pass is allowed only without a move")]
    PassWithMoves,
    /// The game has no pass.
    #[error("this game has no pass")]
    NoPass,
    /// Amazons: no own amazon on the first square.
    #[error("no amazon of yours there")]
    NoAmazon,
    /// Amazons: not along a row, column or diagonal.
    #[error("not a queen's move")]
    NotStraight,
    /// Amazons: something stands between.
    #[error("the way is blocked")]
    Blocked,
}

/// A move text that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("bad move \"{text}\": expected {1}", text = .0.escape_debug())]
pub struct BadMove(pub String, pub &'static str);

/// A position text that is malformed or impossible; the message names the problem.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct BadPosition(pub String);

/// What stands on a point of the board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cell {
    /// Nothing.
    Empty,
    /// A stone, disc or amazon.
    Stone(Color),
    /// An arrow (Amazons) or a missing point (hollow NoGo boards).
    Blocked,
}

impl Cell {
    /// The letter of position texts: `.`, `X`, `O`, `#`.
    #[must_use]
    pub const fn letter(self) -> char {
        match self {
            Cell::Empty => '.',
            Cell::Stone(Color::Black) => 'X',
            Cell::Stone(Color::White) => 'O',
            Cell::Blocked => '#',
        }
    }
}

/// A point of the board as people count: column 0 is letter `a`, row 0 is the row numbered 1,
/// wherever the game draws it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Point {
    /// Column, from the letter `a`.
    pub column: u8,
    /// Row, from the number 1.
    pub row: u8,
}

/// The game as people and protocols know it.
pub trait Rules: Game {
    /// The form a search works on; the game itself unless a turn is searched in steps.
    type Searched: Knowledge;

    /// The position as a search sees it.
    fn searched(&self) -> Self::Searched;

    /// One turn's move as the steps of the searched form: itself, unless a turn is several.
    fn split(mv: Move) -> ArrayVec<Move, 2> {
        [mv].into_iter().collect()
    }

    /// The turn's move that begins `steps`, or `None` while it is incomplete; `split` says how many
    /// steps it used.
    fn join(steps: &[Move]) -> Option<Move> {
        steps.first().copied()
    }

    /// The shape of the board and how its points are named.
    fn geometry(&self) -> Geometry;

    /// What stands on a point of the board (in range).
    fn cell(&self, point: Point) -> Cell;

    /// The points a move names, in the order they are written: one for a stone, three for an Amazons
    /// move, none for a pass.
    fn points(&self, mv: Move) -> ArrayVec<Point, 3>;

    /// The move that names these points, if the game has moves of that form. Not a legality check.
    fn move_of(&self, points: &[Point]) -> Option<Move>;

    /// Why the side to move may not play `mv`, or `Ok`.
    ///
    /// # Errors
    /// The first rule the move breaks; a pass in a game without one is [`Illegal::NoPass`] even after
    /// the end, anything else after the end is [`Illegal::GameOver`].
    fn check(&self, mv: Move) -> Result<(), Illegal>;

    /// Reads a move in the game's notation, any case. Syntax and board size only.
    ///
    /// # Errors
    /// [`BadMove`] quoting the text.
    fn parse_move(&self, text: &str) -> Result<Move, BadMove>;

    /// The move in the game's notation, lower case.
    fn move_text(&self, mv: Move) -> String;

    /// The position of `text` under this game's size, rule and options.
    ///
    /// # Errors
    /// [`BadPosition`] when the text is malformed or no game could reach the position.
    fn parse_position(&self, text: &str) -> Result<Self, BadPosition>;

    /// `key=value` words that follow the side to move in the position text; empty for most games.
    fn position_words(&self) -> String {
        String::new()
    }

    /// The same board with `color` to move, for questions about either side's moves; `None` where
    /// the game cannot say.
    fn with_turn(&self, color: Color) -> Option<Self>;

    /// Points the side to move may not take although they are empty, with the reason; only games
    /// where players want to see them (Renju) list any.
    fn forbidden(&self) -> Vec<(Point, Illegal)> {
        Vec::new()
    }

    /// Why the game ended, in words ("five in a row"); empty while it goes on.
    fn ending(&self) -> &'static str;
}

/// Counts the move sequences of `depth` plies that can be played from `position`; games that end
/// earlier count where [`Game::PERFT_COUNTS_ENDED`] says so. A forced pass is a ply. The last ply is
/// counted by [`Game::count`], or played too if `full`.
pub fn perft<G: Game>(position: &mut G, depth: u32, full: bool) -> u64 {
    fn below<G: Game>(position: &mut G, depth: u32, full: bool, buffers: &mut [Vec<Move>]) -> u64 {
        let ended = u64::from(G::PERFT_COUNTS_ENDED);
        if depth == 1 && !full {
            return match position.count() {
                0 => ended,
                count => count,
            };
        }
        let Some((buffer, rest)) = buffers.split_first_mut() else { return 1 };
        buffer.clear();
        position.moves(buffer);
        let mut total = if buffer.is_empty() { ended } else { 0 };
        for &mv in buffer.iter() {
            let undo = position.play(mv);
            total += below(position, depth - 1, full, rest);
            position.undo(mv, undo);
        }
        total
    }
    if let Some(total) = position.perft(depth, full) {
        return total;
    }
    let mut buffers = vec![Vec::new(); depth as usize];
    below(position, depth, full, &mut buffers)
}
