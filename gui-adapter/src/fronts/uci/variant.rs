//! The games of Fairy-Stockfish that Tengen plays.

use tengen_engine::games::{GameId, Setup};

use super::notation::Notation;

/// A variant by its name in the option `UCI_Variant`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Variant {
    /// The name.
    pub name: &'static str,
    game: GameId,
    side: u8,
}

/// Every variant, the one in force at the start first.
pub const VARIANTS: [Variant; 3] = [
    Variant { name: "flipello", game: GameId::Othello, side: 8 },
    Variant { name: "flipello10", game: GameId::Othello, side: 10 },
    Variant { name: "amazons", game: GameId::Amazons, side: 10 },
];

impl Variant {
    /// The variant of that name, in any case.
    #[must_use]
    pub fn parse(name: &str) -> Option<Variant> {
        VARIANTS.into_iter().find(|variant| variant.name.eq_ignore_ascii_case(name))
    }

    /// Its game.
    #[must_use]
    pub fn setup(self) -> Setup {
        Setup { width: self.side, height: self.side, ..Setup::new(self.game) }
    }

    /// The variant that has this game.
    pub(crate) fn of(setup: &Setup) -> Option<Variant> {
        VARIANTS.into_iter().find(|variant| variant.setup() == *setup)
    }

    pub(crate) fn notation(self) -> Notation {
        if self.game == GameId::Amazons { Notation::Amazons } else { Notation::Flipello }
    }
}
