//! The options of the engine: one table, from which come the command line, the protocol's `options`
//! and `set`, and whatever an adapter shows.

/// What values an option takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A whole number in a range.
    Spin {
        /// Least value.
        min: u64,
        /// Greatest value.
        max: u64,
    },
    /// `on` or `off`.
    Check,
    /// One of these words.
    Combo(&'static [&'static str]),
}

/// One row of the table.
#[derive(Clone, Copy, Debug)]
pub struct OptionSpec {
    /// The name in the protocol; on the command line with `-` for `_`.
    pub name: &'static str,
    /// One sentence for the user, with the unit.
    pub help: &'static str,
    /// Type and range.
    pub kind: Kind,
    /// The value before anybody sets it.
    pub default: &'static str,
}

/// An option that does not exist or a value it does not take.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OptionError {
    /// No such name.
    #[error("no such option: \"{0}\"")]
    Unknown(String),
    /// Not a value of the option; the second field says what is.
    #[error("bad value \"{value}\" for {name}: expected {expected}")]
    Value {
        /// The option.
        name: &'static str,
        /// The text.
        value: String,
        /// What it takes.
        expected: String,
    },
}

macro_rules! options {
    ($($(#[doc = $help:literal])+ $name:ident: $type:ty = $default:literal, $kind:expr;)+) => {
        /// Every option, in the order `options` lists them.
        pub const TABLE: &[OptionSpec] = &[$(OptionSpec {
            name: stringify!($name),
            help: concat!($($help),+),
            kind: $kind,
            default: $default,
        }),+];

        /// The values in force.
        #[derive(Clone, Debug, PartialEq, Eq)]
        pub struct Options {
            $($(#[doc = $help])+ pub $name: $type,)+
        }

        impl Default for Options {
            fn default() -> Options {
                Options { $($name: <$type as Value>::read($default).expect("the table's default"),)+ }
            }
        }

        impl Options {
            /// Sets an option by name; names and words in any case.
            ///
            /// # Errors
            /// [`OptionError`] naming what is wrong; nothing is changed then.
            pub fn set(&mut self, name: &str, value: &str) -> Result<(), OptionError> {
                let spec = spec(name)?;
                let value = spec.accept(value)?;
                match spec.name {
                    $(stringify!($name) => {
                        if let Some(read) = <$type as Value>::read(&value) {
                            self.$name = read;
                        }
                    })+
                    _ => {}
                }
                Ok(())
            }

            /// The value of an option as `set` would take it.
            ///
            /// # Errors
            /// When there is no such option.
            pub fn get(&self, name: &str) -> Result<String, OptionError> {
                let spec = spec(name)?;
                Ok(match spec.name {
                    $(stringify!($name) => self.$name.write(),)+
                    _ => String::new(),
                })
            }
        }
    };
}

options! {
    /// Search algorithm; auto takes the one that measured stronger in the game.
    algorithm: Algorithm = "auto", Kind::Combo(&["auto", "mcts", "alphabeta"]);
    /// Search threads.
    threads: u32 = "1", Kind::Spin { min: 1, max: 256 };
    /// Memory of the search tree or table in MiB, a hard bound.
    hash: u64 = "64", Kind::Spin { min: 1, max: 1_048_576 };
    /// Stop after so many nodes; 0 is no limit.
    nodes: u64 = "0", Kind::Spin { min: 0, max: u64::MAX };
    /// Stop at this depth in plies; 0 is no limit.
    depth: u32 = "0", Kind::Spin { min: 0, max: 1000 };
    /// Time for a move in milliseconds where no clock, node or depth limit is set.
    move_time: u64 = "2000", Kind::Spin { min: 1, max: 86_400_000 };
    /// Seed of all randomness; with one thread and a node limit the same seed plays the same game.
    seed: u64 = "0", Kind::Spin { min: 0, max: u64::MAX };
    /// Playing strength from 1 (beginner) to 20 (full strength).
    level: u32 = "20", Kind::Spin { min: 1, max: 20 };
    /// Time kept back for the way to and from the manager in milliseconds.
    move_overhead: u64 = "100", Kind::Spin { min: 0, max: 60_000 };
    /// Limits of time count the CPU time of the engine's process, all threads, not the wall clock (Unix).
    cpu_clock: bool = "off", Kind::Check;
    /// Play from the opening book (Othello 8x8), where level is 20, algorithm auto, and neither nodes nor
    /// depth is set.
    book: bool = "on", Kind::Check;
    /// Discs a move of the book may be worse than the best one; which is played is drawn by the seed.
    book_loss: u32 = "0", Kind::Spin { min: 0, max: 16 };
    /// Think on the opponent's time.
    ponder: bool = "off", Kind::Check;
    /// Resign when the winning chance in percent stays below this for three moves; 0 is never.
    resign: u32 = "0", Kind::Spin { min: 0, max: 50 };
    /// Number of lines reported by analysis.
    multipv: u32 = "1", Kind::Spin { min: 1, max: 500 };
}

/// A search algorithm by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Algorithm {
    /// The one that measured stronger in the game.
    Auto,
    /// Monte Carlo tree search.
    Mcts,
    /// Alpha-beta.
    AlphaBeta,
}

trait Value: Sized {
    fn read(text: &str) -> Option<Self>;
    fn write(&self) -> String;
}

impl Value for u32 {
    fn read(text: &str) -> Option<u32> {
        text.parse().ok()
    }
    fn write(&self) -> String {
        self.to_string()
    }
}

impl Value for u64 {
    fn read(text: &str) -> Option<u64> {
        text.parse().ok()
    }
    fn write(&self) -> String {
        self.to_string()
    }
}

impl Value for bool {
    fn read(text: &str) -> Option<bool> {
        Some(text == "on")
    }
    fn write(&self) -> String {
        if *self { "on" } else { "off" }.to_owned()
    }
}

impl Value for Algorithm {
    fn read(text: &str) -> Option<Algorithm> {
        match text {
            "auto" => Some(Algorithm::Auto),
            "mcts" => Some(Algorithm::Mcts),
            "alphabeta" => Some(Algorithm::AlphaBeta),
            _ => None,
        }
    }
    fn write(&self) -> String {
        match self {
            Algorithm::Auto => "auto",
            Algorithm::Mcts => "mcts",
            Algorithm::AlphaBeta => "alphabeta",
        }
        .to_owned()
    }
}

/// The row of an option, by name in any case; `-` counts as `_`.
///
/// # Errors
/// When there is no such option.
pub fn spec(name: &str) -> Result<&'static OptionSpec, OptionError> {
    let wanted = name.to_ascii_lowercase().replace('-', "_");
    TABLE
        .iter()
        .find(|spec| spec.name == wanted)
        .ok_or_else(|| OptionError::Unknown(name.escape_default().to_string()))
}

impl OptionSpec {
    /// The text in canonical form when the option takes it.
    fn accept(&self, value: &str) -> Result<String, OptionError> {
        let lower = value.to_ascii_lowercase();
        let accepted = match self.kind {
            Kind::Spin { min, max } => lower
                .parse::<u64>()
                .ok()
                .filter(|n| lower.bytes().all(|b| b.is_ascii_digit()) && (min..=max).contains(n))
                .map(|n| n.to_string()),
            Kind::Check => match lower.as_str() {
                "on" | "true" | "1" | "yes" => Some("on".to_owned()),
                "off" | "false" | "0" | "no" => Some("off".to_owned()),
                _ => None,
            },
            Kind::Combo(words) => words.iter().find(|word| **word == lower).map(|word| (*word).to_owned()),
        };
        accepted.ok_or_else(|| OptionError::Value {
            name: self.name,
            value: value.escape_default().to_string(),
            expected: match self.kind {
                Kind::Spin { min, max } => format!("a whole number from {min} to {max}"),
                Kind::Check => "on or off".to_owned(),
                Kind::Combo(words) => words.join(", "),
            },
        })
    }

    /// The option's line in the reply to `options`, but for the value.
    #[must_use]
    pub fn describe(&self) -> String {
        match self.kind {
            Kind::Spin { min, max } => {
                format!("{} spin default {} min {min} max {max}", self.name, self.default)
            }
            Kind::Check => format!("{} check default {}", self.name, self.default),
            Kind::Combo(words) => {
                format!("{} combo default {} var {}", self.name, self.default, words.join(" var "))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_accepts_its_default_and_refuses_nonsense() {
        let mut options = Options::default();
        for spec in TABLE {
            options.set(spec.name, spec.default).unwrap();
            assert_eq!(options.get(spec.name).unwrap(), spec.default, "{}", spec.name);
            for bad in ["", "-1", "nonsense", "1.5", "99999999999999999999"] {
                let before = options.clone();
                assert!(options.set(spec.name, bad).is_err(), "{} {bad}", spec.name);
                assert_eq!(options, before);
            }
        }
        assert_eq!(options, Options::default());
        assert!(options.set("nosuch", "1").is_err());
        options.set("Move-Overhead", "250").unwrap();
        assert_eq!(options.move_overhead, 250);
    }
}
