//! The four games, how a set-up is named, and the referee that keeps a game record.
//!
//! [`open`] is the only place where the name of a game becomes a type.

pub mod amazons;
pub mod gomoku;
pub mod nogo;
pub mod othello;
mod referee;

use std::fmt;

use crate::game::Rules;

pub use referee::{Ending, PlayError, Record, Referee, UndoError};

/// A game Tengen plays.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum GameId {
    /// NoGo (Anti-Atari Go).
    NoGo,
    /// Gomoku, Renju and Caro.
    Gomoku,
    /// Othello (Reversi).
    Othello,
    /// The Game of the Amazons.
    Amazons,
}

/// Most bytes of a file of weights.
pub const WEIGHTS_MAX: u64 = 16 << 20;

/// Puts weights trained by the tools in the place of those built in, for all searches of this process.
/// To be called before the first one.
///
/// # Errors
/// When the game has no trained weights, when the file is damaged or of another version, and when
/// weights are in use already.
pub fn install_weights(game: GameId, file: &[u8]) -> Result<(), String> {
    match game {
        GameId::Othello => {
            let weights =
                othello::pattern::Weights::read(file).map_err(|error| format!("bad weights: {error}"))?;
            Ok(othello::pattern::install(weights)?)
        }
        GameId::NoGo | GameId::Gomoku | GameId::Amazons => Err("this game has no trained weights".to_owned()),
    }
}

/// A choice a set-up offers beyond size and rules; the first value is the default.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Choice {
    /// The word before `=`.
    pub key: &'static str,
    /// The words allowed after it.
    pub values: &'static [&'static str],
}

/// What set-ups a game has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Description {
    /// The game.
    pub id: GameId,
    /// The name in the protocol, lower case.
    pub name: &'static str,
    /// The name for people.
    pub title: &'static str,
    /// Other names accepted from a peer, lower case.
    pub aliases: &'static [&'static str],
    /// Smallest and largest side of the board.
    pub sides: (u8, u8),
    /// The only sides allowed, when not every one between the bounds is.
    pub only: &'static [u8],
    /// Whether width and height may differ.
    pub rectangles: bool,
    /// The side when none is given.
    pub default_side: u8,
    /// Rule names; the first is the default.
    pub rules: &'static [&'static str],
    /// Further choices.
    pub choices: &'static [Choice],
}

/// Every game, in the order `games` lists them.
pub const GAMES: [Description; 4] = [
    Description {
        id: GameId::NoGo,
        name: "nogo",
        title: "NoGo",
        aliases: &["anti-atari-go", "antiatarigo"],
        sides: (1, 19),
        only: &[],
        rectangles: true,
        default_side: 9,
        rules: &["standard", "capture"],
        choices: &[
            Choice { key: "centre", values: &["allowed", "forbidden"] },
            Choice { key: "hole", values: &["none", "2021", "2022"] },
        ],
    },
    Description {
        id: GameId::Gomoku,
        name: "gomoku",
        title: "Gomoku",
        aliases: &["renju", "gobang", "five-in-a-row"],
        sides: (5, 22),
        only: &[],
        rectangles: false,
        default_side: 15,
        rules: &["freestyle", "standard", "renju", "caro"],
        choices: &[],
    },
    Description {
        id: GameId::Othello,
        name: "othello",
        title: "Othello",
        aliases: &["reversi"],
        sides: (6, 10),
        only: &[6, 8, 10],
        rectangles: false,
        default_side: 8,
        rules: &["standard"],
        choices: &[],
    },
    Description {
        id: GameId::Amazons,
        name: "amazons",
        title: "Amazons",
        aliases: &["amazon"],
        sides: (4, 10),
        only: &[],
        rectangles: false,
        default_side: 10,
        rules: &["standard"],
        choices: &[Choice { key: "start", values: &["standard", "corner"] }],
    },
];

impl GameId {
    /// The game's row of [`GAMES`].
    #[must_use]
    pub fn description(self) -> &'static Description {
        &GAMES[self as usize]
    }

    /// The game of that name or alias, any case.
    #[must_use]
    pub fn parse(name: &str) -> Option<GameId> {
        let name = name.to_ascii_lowercase();
        GAMES.iter().find(|d| d.name == name || d.aliases.contains(&name.as_str())).map(|d| d.id)
    }
}

impl fmt::Display for GameId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.description().name)
    }
}

/// Game, size, rule and choices: everything that is fixed before the first move. Always one that its
/// game accepts when it comes from [`Setup::parse`] and [`open`] has taken it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Setup {
    /// The game.
    pub game: GameId,
    /// Columns.
    pub width: u8,
    /// Rows.
    pub height: u8,
    /// A name from the game's [`Description::rules`].
    pub rules: &'static str,
    /// The choices that differ from the default, in the order of the description.
    pub choices: Vec<(&'static str, &'static str)>,
}

/// A set-up that does not exist; the message names the problem.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct SetupError(pub String);

impl Setup {
    /// The game's default set-up.
    #[must_use]
    pub fn new(game: GameId) -> Setup {
        let d = game.description();
        Setup { game, width: d.default_side, height: d.default_side, rules: d.rules[0], choices: Vec::new() }
    }

    /// Reads `GAME [size S] [rules R] [key=value ...]`, the arguments of `newgame`. `size 9` is a
    /// square, `size 3x5` three columns and five rows. Without `rules`, the game name `renju` means
    /// the rule `renju`.
    ///
    /// # Errors
    /// A message that names the word that is wrong.
    pub fn parse<'a>(words: impl IntoIterator<Item = &'a str>) -> Result<Setup, SetupError> {
        let mut words = words.into_iter();
        let name = words.next().ok_or_else(|| SetupError("no game given".into()))?;
        let game = GameId::parse(name).ok_or_else(|| {
            let known = GAMES.map(|d| d.name).join(", ");
            SetupError(format!("no such game: \"{}\" (known: {known})", name.escape_default()))
        })?;
        let mut setup = Setup::new(game);
        if name.eq_ignore_ascii_case("renju") {
            setup.set_rules("renju")?;
        }
        while let Some(word) = words.next() {
            let mut value = || {
                words
                    .next()
                    .ok_or_else(|| SetupError(format!("a value must follow \"{}\"", word.escape_default())))
            };
            match word.to_ascii_lowercase().as_str() {
                "size" => setup.set_size(value()?)?,
                "rules" | "rule" => setup.set_rules(value()?)?,
                other => match other.split_once('=') {
                    Some(("size", value)) => setup.set_size(value)?,
                    Some(("rules" | "rule", value)) => setup.set_rules(value)?,
                    Some((key, value)) => setup.set_choice(key, value)?,
                    None => {
                        return Err(SetupError(format!(
                            "unknown word \"{}\" (expected size S, rules R or key=value)",
                            word.escape_default()
                        )));
                    }
                },
            }
        }
        Ok(setup)
    }

    /// Sets the size from `S` or `COLUMNSxROWS`.
    ///
    /// # Errors
    /// When the text is malformed or the game has no such board.
    pub fn set_size(&mut self, text: &str) -> Result<(), SetupError> {
        let lower = text.to_ascii_lowercase();
        let (columns, rows) = lower.split_once('x').unwrap_or((&lower, &lower));
        let number =
            |part: &str| part.parse::<u8>().ok().filter(|_| part.bytes().all(|b| b.is_ascii_digit()));
        match (number(columns), number(rows)) {
            (Some(width), Some(height)) => self.set_sides(width, height),
            _ => Err(SetupError(format!(
                "bad size \"{}\": expected a number or COLUMNSxROWS",
                text.escape_default()
            ))),
        }
    }

    /// Sets width and height.
    ///
    /// # Errors
    /// When the game has no such board.
    pub fn set_sides(&mut self, width: u8, height: u8) -> Result<(), SetupError> {
        let d = self.game.description();
        let (least, most) = d.sides;
        let fits = |side: u8| (least..=most).contains(&side) && (d.only.is_empty() || d.only.contains(&side));
        if !fits(width) || !fits(height) || (width != height && !d.rectangles) {
            let what = if width == height { format!("{width}") } else { format!("{width}x{height}") };
            let sides = if d.only.is_empty() {
                format!("{least} to {most}")
            } else {
                d.only.iter().map(u8::to_string).collect::<Vec<_>>().join(", ")
            };
            let shape = if d.rectangles { "rectangles included" } else { "square" };
            return Err(SetupError(format!("unacceptable size {what}: {} has {sides}, {shape}", d.name)));
        }
        (self.width, self.height) = (width, height);
        Ok(())
    }

    /// Sets the rule by name, any case.
    ///
    /// # Errors
    /// When the game has no such rule; the message lists those it has.
    pub fn set_rules(&mut self, name: &str) -> Result<(), SetupError> {
        let d = self.game.description();
        match d.rules.iter().find(|rule| rule.eq_ignore_ascii_case(name)) {
            Some(rule) => {
                self.rules = rule;
                Ok(())
            }
            None => Err(SetupError(format!(
                "no such rule: \"{}\" ({} has {})",
                name.escape_default(),
                d.name,
                d.rules.join(", ")
            ))),
        }
    }

    /// Sets one of the game's choices.
    ///
    /// # Errors
    /// When the game has no such choice or value.
    pub fn set_choice(&mut self, key: &str, value: &str) -> Result<(), SetupError> {
        let d = self.game.description();
        let Some(choice) = d.choices.iter().find(|c| c.key.eq_ignore_ascii_case(key)) else {
            return Err(SetupError(format!("{} has no option \"{}\"", d.name, key.escape_default())));
        };
        let Some(&value) = choice.values.iter().find(|v| v.eq_ignore_ascii_case(value)) else {
            return Err(SetupError(format!(
                "bad value \"{}\" for {}: expected {}",
                value.escape_default(),
                choice.key,
                choice.values.join(" or ")
            )));
        };
        self.choices.retain(|(k, _)| *k != choice.key);
        if value != choice.values[0] {
            self.choices.push((choice.key, value));
            self.choices.sort_by_key(|(k, _)| d.choices.iter().position(|c| c.key == *k));
        }
        Ok(())
    }

    /// The value of a choice, its default when it was not set.
    ///
    /// # Panics
    /// When the game has no such choice: a programming error.
    #[must_use]
    pub fn choice(&self, key: &str) -> &'static str {
        match self.choices.iter().find(|(k, _)| *k == key) {
            Some((_, value)) => value,
            None => {
                let d = self.game.description();
                d.choices.iter().find(|c| c.key == key).map(|c| c.values[0]).expect("a choice of this game")
            }
        }
    }
}

/// The arguments of `newgame` that make this set-up: `nogo size 9 rules standard hole=2021`.
impl fmt::Display for Setup {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} size {}", self.game, self.width)?;
        if self.height != self.width {
            write!(f, "x{}", self.height)?;
        }
        write!(f, " rules {}", self.rules)?;
        for (key, value) in &self.choices {
            write!(f, " {key}={value}")?;
        }
        Ok(())
    }
}

/// Something to be done with a game once its type is known.
pub trait Visitor {
    /// What it gives.
    type Out;
    /// Called with the start position of the set-up.
    fn visit<R: Rules>(self, setup: Setup, start: R) -> Self::Out;
}

/// Turns a set-up into its game type and start position and hands them to `visitor`.
///
/// # Errors
/// When the game refuses the combination of size, rule and choices.
pub fn open<V: Visitor>(setup: Setup, visitor: V) -> Result<V::Out, SetupError> {
    match setup.game {
        GameId::NoGo => nogo::open(setup, visitor),
        GameId::Gomoku => gomoku::open(setup, visitor),
        GameId::Othello => othello::open(setup, visitor),
        GameId::Amazons => amazons::open(setup, visitor),
    }
}

/// A referee for the set-up, at the start position.
///
/// # Errors
/// As [`open`].
pub fn referee(setup: Setup) -> Result<Box<dyn Referee>, SetupError> {
    struct Boxed;
    impl Visitor for Boxed {
        type Out = Box<dyn Referee>;
        fn visit<R: Rules>(self, setup: Setup, start: R) -> Box<dyn Referee> {
            Box::new(Record::new(setup, start))
        }
    }
    open(setup, Boxed)
}
