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

/// However the runner ends, its engines end too, those that hang as well; and an interrupt does not wait for
/// them.
#[cfg(target_os = "linux")]
#[test]
fn no_engine_outlives_its_runner() {
    let alive = |id: &str| {
        let status = std::fs::read_to_string(format!("/proc/{id}/stat")).unwrap_or_default();
        !status.is_empty() && !status.contains(") Z ")
    };
    // As in the background of a shell, too, where interrupts are ignored from the start.
    for (signal, ignored) in [("KILL", ""), ("TERM", ""), ("INT", ""), ("TERM", "trap '' INT HUP; ")] {
        let game = Match::new("leash");
        std::fs::create_dir_all(&game.folder).expect("a temporary folder");
        let note = game.folder.join("engine");
        let script = "while read line; do case $line in *genmove*) echo $$ >$NOTE.new; mv $NOTE.new $NOTE; sleep 1000;; \
                      *) echo '= '; echo;; esac; done";
        let engine = format!("name=bad,proto=native,env.NOTE={},cmd=sh -c \"{script}\"", note.display());
        let mut child = std::process::Command::new("sh")
            .args(["-c", &format!("{ignored}exec \"$@\""), "sh", env!("CARGO_BIN_EXE_test-adapter"), "match"])
            .args([
                "--game",
                "nogo",
                "--engine",
                &engine,
                "--engine",
                "name=good,proto=random",
                "--games",
                "2",
            ])
            .args(["--nodes", "1", "--hang", "600", "--openings", "start", "--out"])
            .arg(&game.folder)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("sh starts");
        let patience = std::time::Instant::now() + Duration::from_secs(60);
        let wait = |what: &str, done: &mut dyn FnMut() -> bool| {
            while !done() {
                assert!(std::time::Instant::now() < patience, "{signal} {ignored}: {what}");
                std::thread::sleep(Duration::from_millis(2));
            }
        };
        wait("no engine thinks", &mut || note.exists());
        let id = std::fs::read_to_string(&note).expect("a number").trim().to_owned();
        assert!(alive(&id));
        let kill = format!("kill -{signal} {}", child.id());
        assert!(std::process::Command::new("sh").args(["-c", &kill]).status().expect("sh runs").success());
        wait("the runner goes on", &mut || child.try_wait().expect("a child of ours").is_some());
        wait("the engine goes on", &mut || !alive(&id));
        // A game that was broken off is none.
        let lines = std::fs::read_to_string(game.folder.join("games.jsonl")).unwrap_or_default();
        assert_eq!(lines, "", "{signal} {ignored}");
        if signal != "KILL" {
            assert_eq!(child.wait().expect("a child of ours").code(), Some(2), "{signal} {ignored}");
        }
    }
}
