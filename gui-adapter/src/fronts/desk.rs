//! What a front has on its desk: the game, the engine's options and the clocks, and how a search
//! is asked for with them.

use tengen_engine::games::{self, Referee, Setup, SetupError};
use tengen_engine::options::{OptionError, Options};

use super::clocks::Clocks;
use crate::client::args::EngineOptions;
use crate::client::{Request, SearchKind, Snapshot};

/// Options that one search may have otherwise than the next, so that each search says them.
const PER_SEARCH: [&str; 3] = ["nodes", "depth", "multipv"];

/// The game, the options and the clocks.
#[derive(Debug)]
pub(super) struct Desk {
    /// The game; the front plays, undoes and asks here.
    pub(super) referee: Box<dyn Referee>,
    /// The clocks.
    pub(super) clocks: Clocks,
    options: EngineOptions,
    game: u64,
    /// How often the engine was to forget what it has learned.
    cleared: u64,
}

impl Desk {
    /// The start of a game.
    ///
    /// # Errors
    /// When there is no such set-up.
    pub(super) fn new(setup: Setup, options: EngineOptions) -> Result<Desk, SetupError> {
        let referee = games::referee(setup)?;
        Ok(Desk { referee, clocks: Clocks::default(), options, game: 0, cleared: 0 })
    }

    /// Begins another game. The clocks' settings stay.
    ///
    /// # Errors
    /// When there is no such set-up; the old game goes on then.
    pub(super) fn new_game(&mut self, setup: Setup) -> Result<(), SetupError> {
        self.replace(games::referee(setup)?);
        Ok(())
    }

    /// Puts another record in the place of the game. If it continues what the engine knows, the engine
    /// keeps its tree: that is found out by content.
    pub(super) fn replace(&mut self, referee: Box<dyn Referee>) {
        self.referee = referee;
        self.game += 1;
    }

    /// Sets an option of the engine, for all searches to come.
    ///
    /// # Errors
    /// When there is no such option or it does not take the value; nothing is changed then.
    pub(super) fn set(&mut self, name: &str, value: &str) -> Result<(), OptionError> {
        self.options.set(name, value)
    }

    /// Makes the engine forget what it has learned before the next search.
    pub(super) fn clear_cache(&mut self) {
        self.cleared += 1;
    }

    /// The values of all options.
    pub(super) fn options(&self) -> Options {
        self.options.all()
    }

    /// A search of the present position for the side to move. `only` are options of the engine for this
    /// search alone: `nodes`, `depth` or `multipv`. What was said about the clocks goes with it.
    pub(super) fn request(&mut self, kind: SearchKind, only: &[(&str, String)]) -> Box<Request> {
        let mut options = self.options.clone();
        for name in PER_SEARCH {
            let own = only.iter().find(|(given, _)| *given == name).map(|(_, value)| value.clone());
            let value = own.or_else(|| self.options().get(name).ok());
            if let Some(value) = value
                && let Err(error) = options.set(name, &value)
            {
                log::warn!(target: "adapter", "{error}");
            }
        }
        Box::new(Request {
            engine: 0,
            cleared: self.cleared,
            game: self.game,
            position: Snapshot::of(&*self.referee),
            color: self.referee.turn(),
            kind,
            options: options.into_pairs(),
            clock: self.clocks.take(),
        })
    }
}
