//! The balanced openings that are shipped: one file for each set-up, made by `tengen-tools openings` with
//! the command in its header.

use tengen_engine::games::Setup;

use super::{Opening, lines, parse};

macro_rules! shelf {
    ($($name:literal),* $(,)?) => { [$(($name, include_str!(concat!("../../../openings/", $name)))),*] };
}

/// Every file with its text.
pub(super) const SHELF: [(&str, &str); 10] = shelf![
    "nogo9-standard.txt",
    "nogo9-capture.txt",
    "gomoku15-freestyle.txt",
    "gomoku15-standard.txt",
    "gomoku15-renju.txt",
    "gomoku15-caro.txt",
    "gomoku20-freestyle.txt",
    "gomoku20-standard.txt",
    "othello8.txt",
    "amazons10.txt",
];

/// The balanced openings shipped for a set-up; empty when there are none for it.
#[must_use]
pub fn library(setup: &Setup) -> Vec<Opening> {
    let words = setup.to_string();
    let file = SHELF.iter().find(|(_, text)| lines::setup_of(text) == Some(&words));
    // The tests read every file, so there are no errors here.
    let openings = file.and_then(|(name, text)| parse(name, text, setup).ok()).unwrap_or_default();
    let named = |(index, opening)| Opening { name: format!("library {}", index + 1), ..opening };
    openings.into_iter().enumerate().map(named).collect()
}

#[cfg(test)]
#[allow(clippy::indexing_slicing, reason = "a test may stop at the first surprise")]
mod tests {
    use std::collections::HashSet;
    use std::time::Instant;

    use tengen_engine::options::Options;
    use tengen_engine::player::{self, Ask};
    use tengen_engine::search::{Control, Goal, Limits, Stopwatch};

    use super::super::symmetry;
    use super::*;

    fn setup(words: &str) -> Setup {
        Setup::parse(words.split_ascii_whitespace()).unwrap()
    }

    /// The set-up of each file of the library with its openings.
    fn shelves() -> Vec<(Setup, Vec<Opening>)> {
        let setups = SHELF.iter().map(|(_, text)| setup(lines::setup_of(text).unwrap()));
        setups.map(|setup| (setup.clone(), library(&setup))).collect()
    }

    #[test]
    fn the_library_has_distinct_openings_that_searches_found_even() {
        for (name, text) in SHELF {
            let setup = setup(lines::setup_of(text).unwrap());
            let (_, command) = text.split_once("# Made by: tengen-tools openings \"").expect(name);
            let (made_for, _) = command.split_once('"').expect(name);
            assert_eq!(Setup::parse(made_for.split(" ")).unwrap(), setup, "{name}");
            assert!(command.contains(&format!("--out {name}\n")), "{name}");
            let least = if setup.rules == "capture" { 60 } else { 100 };
            let openings = parse(name, text, &setup).unwrap();
            assert!(openings.len() >= least, "{name}: {}", openings.len());
            let values: Vec<(f32, u64)> = text
                .lines()
                .filter_map(|line| line.strip_prefix('#').is_none().then(|| line.split_once("; "))?)
                .map(|(_, value)| value.split_once(' ').unwrap())
                .map(|(chance, nodes)| (chance.parse().unwrap(), nodes.parse().unwrap()))
                .collect();
            assert_eq!(values.len(), openings.len(), "{name}");
            for (chance, nodes) in values {
                // The values are written with four decimals.
                assert!((chance - 0.5).abs() < 0.060_06 && nodes >= 50_000, "{name}: {chance} {nodes}");
            }
            let mut seen = HashSet::new();
            for opening in &openings {
                let referee = opening.referee(&setup).unwrap();
                assert!(seen.insert(symmetry::canonical(&*referee)), "{name}: {} is not new", opening.name);
            }
        }
        for (setup, openings) in shelves() {
            assert!(openings.len() >= 60, "{setup}");
            assert_eq!(openings[1].name, "library 2");
        }
        assert!(library(&setup("gomoku size 9")).is_empty());
    }

    #[test]
    fn a_search_finds_the_openings_of_the_library_even() {
        let (mut seen, mut far) = (0, 0);
        for (setup, openings) in shelves() {
            let mut player = player::open(setup.clone()).unwrap();
            for opening in [&openings[0], &openings[openings.len() / 2], &openings[openings.len() - 1]] {
                player.forget();
                player.referee_mut().reset();
                for &mv in &opening.moves {
                    player.referee_mut().play(None, mv).unwrap();
                }
                let found = player.search(
                    &Options { hash: 16, seed: 5, ..Options::default() },
                    Ask {
                        limits: Limits { nodes: Some(10_000), endless: true, ..Limits::default() },
                        control: &Control::default(),
                        started: Stopwatch::wall(Instant::now()),
                        threads: 1,
                        goal: Goal::Move,
                        weaken: false,
                        interval: None,
                        on_info: &mut |_| {},
                    },
                );
                let chance = found.lines[0].winrate;
                assert!((0.2..=0.8).contains(&chance), "{setup}: {} {chance}", opening.name);
                seen += 1;
                far += usize::from(!(0.35..=0.65).contains(&chance));
            }
        }
        assert!(seen == 30 && far <= 3, "{far} of {seen}");
    }
}
