//! A match survives the end of its runner.

use std::process::Stdio;
use std::time::Duration;

use tengen_engine::game::random;

use super::{Match, journal, numbers};

/// Wherever the runner is killed, `--recover` goes on, and every game of the schedule is there just once.
#[cfg(unix)]
#[test]
fn a_killed_match_goes_on() {
    const GAMES: &str = "300";
    const KILLS: u32 = 20;
    let game = Match::new("kill");
    let engine = "name=B,option.level=5";
    let args = [
        "--game",
        "nogo",
        "--size",
        "5",
        "--engine",
        "name=A",
        "--engine",
        engine,
        "--games",
        GAMES,
        "--nodes",
        "40",
        "--recover",
        "--concurrency",
        "2",
    ];
    let mut rng = random::rng(std::process::id().into());
    let mut kills = 0;
    let mut before: Vec<String> = Vec::new();
    while kills < KILLS {
        let mut child = game
            .command(&args)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("the adapter starts");
        // At the start, in a game, between games: wherever it happens to be.
        std::thread::sleep(Duration::from_millis(u64::from(1 + random::below(&mut rng, 120))));
        child.kill().expect("a child of ours");
        let status = child.wait().expect("a child of ours");
        assert!(!status.success(), "the match is too short: it was over after {kills} kills");
        kills += 1;
        // What was finished stays as it was, to the byte, but for a line that was not whole.
        let text = std::fs::read_to_string(game.folder.join("games.jsonl")).unwrap_or_default();
        let lines: Vec<String> =
            text.split_inclusive('\n').filter(|l| l.ends_with('\n')).map(str::to_owned).collect();
        assert!(lines.starts_with(&before), "a finished game is gone");
        before = lines;
    }
    let output = game.try_play(&args);
    assert!(output.status.success(), "{output:?}");
    let games = game.games();
    assert_eq!(numbers(&games), (1..=300).collect::<Vec<u64>>());
    assert_eq!(journal(&game.folder).len(), 300);
    // Nothing is played again when everything is there.
    let text = std::fs::read(game.folder.join("games.jsonl")).expect("a journal");
    assert!(game.try_play(&args).status.success());
    assert_eq!(std::fs::read(game.folder.join("games.jsonl")).expect("a journal"), text);
}
