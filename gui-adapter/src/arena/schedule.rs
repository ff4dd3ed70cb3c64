//! Which games a match has. The schedule depends on the number of engines, the games and the kind of the
//! tournament only, so that shares of it can be played apart and joined.

use std::fmt;

/// Who plays whom.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Tournament {
    /// Two engines.
    Pair,
    /// The first engine against each of the others.
    Gauntlet,
    /// Every engine against every other.
    RoundRobin,
    /// The first engine against the others in their order; it goes on to the next when it has won more
    /// than half of the points against the last.
    Ladder,
}

/// A game to be played.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scheduled {
    /// Number from 1.
    pub game: u32,
    /// Number of its pair from 1.
    pub pair: u32,
    /// The engine with Black, by its place on the command line.
    pub black: usize,
    /// The engine with White.
    pub white: usize,
    /// Number of the opening from 0: each round has one, for all its pairings.
    pub round: u32,
}

/// The games of a tournament in the order they are played: `games` for each pairing, an odd number rounded
/// up, in pairs of games with the colours swapped. `None` when there are more than 4,294,967,295.
#[must_use]
pub fn schedule(tournament: Tournament, engines: usize, games: u32) -> Option<Vec<Scheduled>> {
    let rounds = games.div_ceil(2);
    let pairings: Vec<(usize, usize)> = match tournament {
        Tournament::Pair | Tournament::Gauntlet | Tournament::Ladder => {
            (1..engines).map(|other| (0, other)).collect()
        }
        Tournament::RoundRobin => {
            (0..engines).flat_map(|one| (one + 1..engines).map(move |other| (one, other))).collect()
        }
    };
    let total = u64::from(rounds) * 2 * u64::try_from(pairings.len()).ok()?;
    u32::try_from(total).ok()?;
    // The rungs of a ladder one after the other; elsewhere every round has all pairings, so that what is
    // broken off is even.
    let order: Vec<(u32, (usize, usize))> = if tournament == Tournament::Ladder {
        pairings.iter().flat_map(|&pairing| (0..rounds).map(move |round| (round, pairing))).collect()
    } else {
        (0..rounds).flat_map(|round| pairings.iter().map(move |&pairing| (round, pairing))).collect()
    };
    let mut all = Vec::new();
    for (pair, (round, (one, other))) in (1_u32..).zip(order) {
        all.push(Scheduled { game: 2 * pair - 1, pair, black: one, white: other, round });
        all.push(Scheduled { game: 2 * pair, pair, black: other, white: one, round });
    }
    Some(all)
}

/// A share of a schedule: the `index`-th of `count`, from 1. Pairs are never torn apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shard {
    /// From 1 to `count`.
    pub index: u32,
    /// At least 1.
    pub count: u32,
}

impl Shard {
    /// Whether a game belongs to the share.
    #[must_use]
    pub fn has(self, game: &Scheduled) -> bool {
        (game.pair - 1) % self.count == self.index - 1
    }

    /// Reads `I/N`; or `auto` and `auto/N`, which take the rest from the environment of a Slurm array 1-N
    /// (`SLURM_ARRAY_TASK_ID`, and `_MIN`, `_MAX`, `_COUNT` without N) or an indexed job of Kubernetes
    /// (`JOB_COMPLETION_INDEX`, from 0; N must be given).
    ///
    /// # Errors
    /// A line that names what is missing or wrong.
    pub fn parse(text: &str, variable: impl Fn(&str) -> Option<String>) -> Result<Shard, String> {
        let bad = || format!("bad share \"{}\": expected I/N, auto or auto/N", text.escape_default());
        let number =
            |text: &str| text.parse::<u32>().ok().filter(|_| text.bytes().all(|b| b.is_ascii_digit()));
        let (index, count) = match text.split_once('/') {
            Some((index, count)) => (index, Some(number(count).ok_or_else(bad)?)),
            None => (text, None),
        };
        if index != "auto" {
            let index = number(index).ok_or_else(bad)?;
            return Shard::new(index, count.ok_or_else(bad)?);
        }
        let read = |name: &str| match variable(name) {
            Some(value) => number(&value)
                .map(Some)
                .ok_or_else(|| format!("{name} is no number: \"{}\"", value.escape_default())),
            None => Ok(None),
        };
        if let Some(index) = read("JOB_COMPLETION_INDEX")? {
            let count = count.ok_or("the number of shares is missing: write auto/N")?;
            return Shard::new(index.saturating_add(1), count);
        }
        let Some(id) = read("SLURM_ARRAY_TASK_ID")? else {
            return Err("there is neither SLURM_ARRAY_TASK_ID nor JOB_COMPLETION_INDEX".to_owned());
        };
        // With the number of shares given, the task says which one it is, whatever tasks there are beside it:
        // those that failed are played again.
        if let Some(count) = count {
            return Shard::new(id, count);
        }
        let bounds =
            [read("SLURM_ARRAY_TASK_MIN")?, read("SLURM_ARRAY_TASK_MAX")?, read("SLURM_ARRAY_TASK_COUNT")?];
        match bounds {
            [Some(1), Some(last), Some(count)] if last == count => Shard::new(id, count),
            _ => Err("the array is not the whole 1-N: write auto/N".to_owned()),
        }
    }

    fn new(index: u32, count: u32) -> Result<Shard, String> {
        if index >= 1 && index <= count {
            Ok(Shard { index, count })
        } else {
            Err(format!("there is no share {index} of {count}"))
        }
    }
}

/// `2/4`
impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.index, self.count)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    fn pairings(tournament: Tournament, engines: usize, games: u32) -> BTreeMap<(usize, usize), u32> {
        let mut counts = BTreeMap::new();
        for game in schedule(tournament, engines, games).unwrap() {
            *counts.entry((game.black, game.white)).or_default() += 1;
        }
        counts
    }

    #[test]
    fn everybody_has_each_colour_as_often() {
        assert_eq!(pairings(Tournament::Pair, 2, 5), [((0, 1), 3), ((1, 0), 3)].into());
        let gauntlet = pairings(Tournament::Gauntlet, 4, 10);
        assert_eq!(gauntlet.len(), 6);
        assert!(gauntlet.iter().all(|(&(black, white), &count)| (black == 0 || white == 0) && count == 5));
        let all = pairings(Tournament::RoundRobin, 4, 2);
        assert_eq!(all.len(), 12);
        assert!(all.values().all(|&count| count == 1));
        assert_eq!(schedule(Tournament::RoundRobin, 3000, u32::MAX), None);
    }

    #[test]
    fn the_games_of_a_pair_stand_together_with_one_opening() {
        for tournament in [Tournament::RoundRobin, Tournament::Ladder] {
            let games = schedule(tournament, 3, 4).unwrap();
            for (index, pair) in games.chunks(2).enumerate() {
                let [one, two] = pair else { panic!("a pair") };
                assert_eq!((one.black, one.white, one.round), (two.white, two.black, two.round));
                assert_eq!((one.pair, two.pair), (index as u32 + 1, one.pair));
                assert_eq!((one.game, two.game), (2 * one.pair - 1, 2 * one.pair));
            }
        }
        let ladder = schedule(Tournament::Ladder, 3, 4).unwrap();
        assert!(ladder[..4].iter().all(|game| game.black + game.white == 1));
    }

    #[test]
    fn shares_are_disjoint_and_whole() {
        let games = schedule(Tournament::RoundRobin, 4, 10).unwrap();
        let mut joined: Vec<Scheduled> = (1..=7)
            .flat_map(|index| games.iter().copied().filter(move |game| Shard { index, count: 7 }.has(game)))
            .collect();
        joined.sort_by_key(|game| game.game);
        assert_eq!(joined, games);
    }

    #[test]
    fn shares_by_number_and_by_environment() {
        let parse = |text: &str, variables: &[(&str, &str)]| {
            let find =
                |name: &str| variables.iter().find(|(other, _)| *other == name).map(|(_, v)| (*v).to_owned());
            Shard::parse(text, find).map(|shard| shard.to_string())
        };
        assert_eq!(parse("2/4", &[]).unwrap(), "2/4");
        let slurm = |id, first, last, count| {
            let names = ["ID", "MIN", "MAX", "COUNT"].map(|name| format!("SLURM_ARRAY_TASK_{name}"));
            names.into_iter().zip([id, first, last, count]).collect::<Vec<(String, &str)>>()
        };
        let in_slurm = |text: &str, variables: &[(String, &str)]| {
            let pairs: Vec<(&str, &str)> =
                variables.iter().map(|(name, value)| (name.as_str(), *value)).collect();
            parse(text, &pairs)
        };
        assert_eq!(in_slurm("auto", &slurm("3", "1", "5", "5")).unwrap(), "3/5");
        // A part of an array, submitted again.
        assert_eq!(in_slurm("auto/5", &slurm("3", "3", "3", "1")).unwrap(), "3/5");
        for part in [slurm("3", "3", "3", "1"), slurm("7", "1", "7", "3"), slurm("0", "0", "3", "4")] {
            assert!(
                in_slurm("auto", &part).unwrap_err().starts_with("the array is not the whole"),
                "{part:?}"
            );
        }
        assert_eq!(parse("auto/4", &[("JOB_COMPLETION_INDEX", "0")]).unwrap(), "1/4");
        for (text, variables, problem) in [
            ("", &[] as &[(&str, &str)], "bad share"),
            ("3", &[], "bad share"),
            ("+1/2", &[], "bad share"),
            ("0/4", &[], "there is no share 0 of 4"),
            ("5/4", &[], "there is no share 5 of 4"),
            ("auto", &[], "there is neither"),
            ("auto", &[("JOB_COMPLETION_INDEX", "0")], "the number of shares is missing"),
            ("auto/2", &[("JOB_COMPLETION_INDEX", "x")], "JOB_COMPLETION_INDEX is no number"),
        ] {
            let error = parse(text, variables).unwrap_err();
            assert!(error.starts_with(problem), "{text}: {error}");
        }
    }
}
