//! A match survives the end of its runner.

use std::process::Stdio;
use std::time::Duration;

use tengen_engine::game::random;

use super::{Match, journal, numbers};

/// Wherever the runner is killed, `--recover` goes on, and every game of the schedule is there just once.
#[cfg(unix)]
#[test]
fn a_killed_match_goes_on() {
    const GAMES: usize = 600;
    const KILLS: usize = 20;
    let game = Match::new("kill");
    let count = GAMES.to_string();
    let args = [
        "--game",
        "nogo",
        "--size",
        "5",
        "--engine",
        "name=A",
        "--engine",
        "name=B,option.level=5",
        "--games",
        &count,
        "--nodes",
        "40",
        "--recover",
        "--concurrency",
        "2",
    ];
    let journal_file = game.folder.join("games.jsonl");
    let lines = || {
        let text = std::fs::read_to_string(&journal_file).unwrap_or_default();
        // A line that is not whole may be taken back.
        text.split_inclusive('\n')
            .filter(|line| line.ends_with('\n'))
            .map(str::to_owned)
            .collect::<Vec<String>>()
    };
    let mut rng = random::rng(std::process::id().into());
    let mut before: Vec<String> = Vec::new();
    let mut progress = 0;
    for kill in 0..KILLS {
        let mut child = game
            .command(&args)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("the adapter starts");
        // Every fifth is killed at its start; the others when they have added some games, wherever they happen
        // to be in the next ones.
        let wanted = if kill % 5 == 0 { 0 } else { before.len() + 1 + random::below(&mut rng, 10) as usize };
        while lines().len() < wanted && child.try_wait().expect("a child of ours").is_none() {
            std::thread::sleep(Duration::from_millis(1));
        }
        std::thread::sleep(Duration::from_micros(u64::from(random::below(&mut rng, 5000))));
        child.kill().expect("a child of ours");
        let status = child.wait().expect("a child of ours");
        assert!(!status.success(), "the match was over after {kill} kills");
        // What was finished stays as it was, to the byte.
        let after = lines();
        assert!(after.starts_with(&before), "a finished game is gone");
        progress += usize::from(after.len() > before.len());
        before = after;
    }
    assert!(progress >= KILLS / 2, "hardly a game was finished between the kills: {progress}");
    let output = game.try_play(&args);
    assert!(output.status.success(), "{output:?}");
    let games = game.games();
    assert_eq!(numbers(&games), (1..=GAMES as u64).collect::<Vec<u64>>());
    assert_eq!(journal(&game.folder).len(), GAMES);
    // Nothing is played again when everything is there.
    let text = std::fs::read(game.folder.join("games.jsonl")).expect("a journal");
    assert!(game.try_play(&args).status.success());
    assert_eq!(std::fs::read(game.folder.join("games.jsonl")).expect("a journal"), text);
}
