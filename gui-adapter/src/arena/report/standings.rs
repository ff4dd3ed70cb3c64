//! Counting finished games.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::super::record::{End, Finished, Side, Verdict};
use super::super::statistics::{Estimate, Pentanomial, Sprt, Trinomial};
use super::replay::{self, ReplayError};
use super::{ENDS, length, player};

/// Why a game was not counted.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AddError {
    /// A player is none of the engines.
    #[error("game {game}: no engine has the name \"{}\"", .name.escape_debug())]
    Engine {
        /// The game's number.
        game: u32,
        /// The name.
        name: String,
    },
    /// An engine against itself.
    #[error("game {0}: both sides are the same engine")]
    Alone(u32),
    /// A game with this number was counted before.
    #[error("game {0} is there twice")]
    Twice(u32),
    /// The pair has two games already, or one between other engines.
    #[error("game {game} does not belong to pair {pair}, as it says")]
    Pair {
        /// The game's number.
        game: u32,
        /// The pair's number.
        pair: u32,
    },
    /// The set-up or the opening cannot be read.
    #[error(transparent)]
    Damaged(#[from] ReplayError),
}

/// The games of a match so far. They may come in any order: the counts are sums of whole numbers.
#[derive(Clone, Debug)]
pub struct Standings {
    pub(super) engines: Vec<String>,
    pub(super) sprt: Option<Sprt>,
    pub(super) tallies: Vec<Tally>,
    /// Of each two engines, by [`slot`].
    pub(super) meetings: Vec<Meeting>,
    pub(super) plies: u64,
    /// How many games had so many tens of microseconds between their moves.
    overheads: BTreeMap<u64, u32>,
    games: HashSet<u32>,
    /// Games that neither engine could begin.
    pub(super) unplayed: u32,
    pairs: HashMap<u32, Pair>,
}

/// What one engine did.
#[derive(Clone, Debug, Default)]
pub(super) struct Tally {
    /// With Black.
    pub(super) black: Trinomial,
    /// With White.
    pub(super) white: Trinomial,
    /// Games it lost by its own fault, by the place of the end in [`ENDS`].
    pub(super) forfeits: [u32; ENDS.len()],
    pub(super) resignations: u32,
    pub(super) plies: u64,
    pub(super) moves: u64,
    /// Microseconds of all moves: whole numbers, whose sum does not depend on the order.
    pub(super) micros: u64,
    pub(super) slowest: u64,
}

/// What two engines did against each other, as the one that comes first in the list sees it.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Meeting {
    pub(super) black: Trinomial,
    pub(super) white: Trinomial,
    pub(super) pairs: Pentanomial,
}

#[derive(Clone, Copy, Debug)]
enum Pair {
    /// One game is known: its slot and the half points of the first engine.
    Half(usize, usize),
    Whole,
}

impl Meeting {
    pub(super) fn results(&self) -> Trinomial {
        let mut results = self.black;
        results += self.white;
        results
    }

    pub(super) fn reversed(&self) -> Meeting {
        Meeting { black: self.white.reversed(), white: self.black.reversed(), pairs: self.pairs.reversed() }
    }

    /// Whether the pairs are what the estimate goes by: at least half of the games are in one.
    pub(super) fn by_pairs(&self) -> bool {
        self.pairs.pairs() > 0 && 4 * u64::from(self.pairs.pairs()) >= u64::from(self.results().games())
    }

    pub(super) fn estimate(&self) -> Estimate {
        if self.by_pairs() { self.pairs.estimate() } else { self.results().estimate() }
    }

    fn count(&mut self, game: &Finished, first: Side) {
        let results = if first == Side::Black { &mut self.black } else { &mut self.white };
        count(results, game, first);
    }
}

fn count(results: &mut Trinomial, game: &Finished, side: Side) {
    match (game.result, side) {
        (Verdict::Draw, _) => results.draws += 1,
        (Verdict::Black, Side::Black) | (Verdict::White, Side::White) => results.wins += 1,
        _ => results.losses += 1,
    }
}

impl Standings {
    /// No games yet between engines of these names, which differ. A test is decided only between two.
    #[must_use]
    pub fn new(engines: &[String], sprt: Option<Sprt>) -> Standings {
        let count = engines.len();
        Standings {
            engines: engines.to_vec(),
            sprt: sprt.filter(|_| count == 2),
            tallies: vec![Tally::default(); count],
            meetings: vec![Meeting::default(); count * count.saturating_sub(1) / 2],
            plies: 0,
            overheads: BTreeMap::new(),
            games: HashSet::new(),
            unplayed: 0,
            pairs: HashMap::new(),
        }
    }

    /// Counts a game.
    ///
    /// # Errors
    /// [`AddError`]; nothing is counted then.
    pub fn add(&mut self, game: &Finished) -> Result<(), AddError> {
        let find = |side| {
            let name = player(game, side);
            let found = self.engines.iter().position(|engine| engine == name);
            found.ok_or_else(|| AddError::Engine { game: game.game, name: name.to_owned() })
        };
        let (black, white) = (find(Side::Black)?, find(Side::White)?);
        if black == white {
            return Err(AddError::Alone(game.game));
        }
        if self.games.contains(&game.game) {
            return Err(AddError::Twice(game.game));
        }
        if game.end == End::Start && game.forfeit.is_none() {
            // Neither engine could play: that says nothing of them.
            self.games.insert(game.game);
            self.unplayed += 1;
            return Ok(());
        }
        let slot = slot(black.min(white), black.max(white));
        let first = if black < white { Side::Black } else { Side::White };
        let half_points = (2.0 * game.points(first)) as usize;
        let mover = replay::mover(game)?;
        let completed = match self.pairs.get(&game.pair) {
            None => None,
            Some(&Pair::Half(other, before)) if other == slot => Some(before + half_points),
            Some(_) => return Err(AddError::Pair { game: game.game, pair: game.pair }),
        };

        self.games.insert(game.game);
        let pair = if completed.is_some() { Pair::Whole } else { Pair::Half(slot, half_points) };
        self.pairs.insert(game.pair, pair);
        self.plies += length(game) as u64;
        if let Some(seconds) = game.overhead {
            *self.overheads.entry((seconds * 1e5).round() as u64).or_default() += 1;
        }
        let meeting = &mut self.meetings[slot];
        meeting.count(game, first);
        if let Some(half_points) = completed {
            meeting.pairs.add(half_points);
        }
        self.tallies[black].count(game, Side::Black, mover);
        self.tallies[white].count(game, Side::White, mover);
        Ok(())
    }

    /// Number of games counted.
    #[must_use]
    pub fn games(&self) -> usize {
        self.games.len().saturating_sub(self.unplayed as usize)
    }

    /// Median over the games of the seconds between one engine's answer and the start of the other's time.
    pub(super) fn overhead(&self) -> Option<f64> {
        let half = self.overheads.values().sum::<u32>() / 2;
        let mut before = 0;
        let middle = self.overheads.iter().find(|&(_, &games)| {
            before += games;
            before > half
        });
        middle.map(|(&tens, _)| tens as f64 / 1e5)
    }

    /// What engine `i` did against engine `j`, as `i` sees it.
    pub(super) fn meeting(&self, i: usize, j: usize) -> Meeting {
        if i < j { self.meetings[slot(i, j)] } else { self.meetings[slot(j, i)].reversed() }
    }
}

/// The place of two engines, `low < high`, in a list of all such.
fn slot(low: usize, high: usize) -> usize {
    high * (high - 1) / 2 + low
}

impl Tally {
    fn count(&mut self, game: &Finished, side: Side, mover: Side) {
        count(if side == Side::Black { &mut self.black } else { &mut self.white }, game, side);
        if game.end.is_forfeit() && game.forfeit == Some(side) {
            let kind = ENDS.iter().position(|&end| end == game.end).unwrap_or_default();
            self.forfeits[kind] += 1;
        }
        if game.end == End::Resignation && game.points(side) == 0.0 {
            self.resignations += 1;
        }
        self.plies += length(game) as u64;
        for seconds in game.times.iter().skip(usize::from(side != mover)).step_by(2) {
            let micros = (seconds * 1e6).round() as u64;
            self.moves += 1;
            self.micros = self.micros.saturating_add(micros);
            self.slowest = self.slowest.max(micros);
        }
    }

    pub(super) fn results(&self) -> Trinomial {
        let mut results = self.black;
        results += self.white;
        results
    }
}
