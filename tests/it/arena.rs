//! Matches between engines, good ones and bad ones.

mod protocols;
mod recovery;
mod zoo;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

/// The results of a match, in a folder that goes away with it.
struct Match {
    folder: PathBuf,
}

impl Drop for Match {
    fn drop(&mut self) {
        let _gone = fs::remove_dir_all(&self.folder);
    }
}

/// The adapter, as an argument of an engine's command line.
fn adapter(front: &str) -> String {
    format!("{} {front}", env!("CARGO_BIN_EXE_test-adapter"))
}

impl Match {
    fn new(name: &str) -> Match {
        let folder = std::env::temp_dir().join(format!("tengen-arena-{name}-{}", std::process::id()));
        let _none = fs::remove_dir_all(&folder);
        Match { folder }
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_test-adapter"));
        command.arg("match").args(args).arg("--out").arg(&self.folder);
        command
    }

    fn try_play(&self, args: &[&str]) -> Output {
        self.command(args).output().expect("the adapter starts")
    }

    /// Plays a match that must come to its end.
    fn play(name: &str, args: &[&str]) -> Match {
        let game = Match::new(name);
        let output = game.try_play(args);
        assert!(output.status.success(), "{args:?}: {output:?}");
        game
    }

    /// The finished games in the order of the schedule.
    fn games(&self) -> Vec<Value> {
        let mut games = journal(&self.folder);
        games.sort_by_key(|game| game["game"].as_u64());
        games
    }
}

/// The lines of a journal.
fn journal(folder: &Path) -> Vec<Value> {
    let text = fs::read_to_string(folder.join("games.jsonl")).expect("a journal");
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}")))
        .collect()
}

/// The numbers of all games.
fn numbers(games: &[Value]) -> Vec<u64> {
    games.iter().map(|game| game["game"].as_u64().expect("a number")).collect()
}

/// The name of the engine that lost by its own fault.
fn loser(game: &Value) -> Option<&str> {
    let side = game["forfeit"].as_str()?;
    game[side].as_str()
}
