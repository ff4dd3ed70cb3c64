//! Daemons that are killed in the middle of their work: the GUI sees nothing but a short delay.

#![cfg(target_os = "linux")]

use std::time::{Duration, Instant};

use tengen_engine::game::Color;
use tengen_engine::games::{self, Referee, Setup};

use crate::harness::Process;

/// How many searches are killed.
const KILLS: usize = 50;

/// Process ids of the children of a process.
fn children(id: u32) -> Vec<String> {
    let listed = std::fs::read_to_string(format!("/proc/{id}/task/{id}/children")).unwrap_or_default();
    listed.split_ascii_whitespace().map(str::to_owned).collect()
}

/// Kills the daemon of an adapter that has just been asked for a move.
fn kill_daemon(adapter: u32, last: &mut String) {
    let patience = Instant::now() + Duration::from_secs(30);
    loop {
        // A daemon that was killed before may still be listed until it is reaped.
        if let Some(daemon) = children(adapter).into_iter().find(|child| child != last) {
            // Into the search, which takes several times as long.
            std::thread::sleep(Duration::from_millis(30));
            let status = std::process::Command::new("kill").args(["-9", &daemon]).status().expect("kill");
            if status.success() {
                *last = daemon;
                return;
            }
        }
        assert!(Instant::now() < patience, "no daemon");
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// One dialect: what is said to get a move, and how the answer is read.
struct Front {
    args: &'static [&'static str],
    setup: &'static str,
    /// Lines before the first move.
    opening: &'static [&'static str],
    /// The lines that ask for a move, from the game so far and the time both sides have left.
    ask: fn(&dyn Referee, [Duration; 2]) -> Vec<String>,
    /// The move in a line of the answer, in the engine's notation; `None` when it is another line.
    answer: fn(&dyn Referee, &str) -> Option<String>,
    /// The lines that tell the front its own move, where it does not play it itself.
    told: fn(&dyn Referee, &str) -> Vec<String>,
}

/// The clock of each side, for the whole game.
const CLOCK: Duration = Duration::from_secs(12);

/// The engine plays both sides, its daemon is killed during each of its first fifty moves. Neither side
/// may lose on time.
fn play(front: &Front) {
    let mut referee =
        games::referee(Setup::parse(front.setup.split(' ')).expect("a set-up")).expect("a game");
    let mut adapter = Process::adapter(front.args);
    for line in front.opening {
        adapter.tell(line);
    }
    let mut last = String::new();
    let mut kills = 0;
    let mut spent = [Duration::ZERO; 2];
    while referee.ending().is_none() {
        if referee.must_pass() {
            let pass = referee.parse_move("pass").expect("a pass");
            referee.play(None, pass).expect("a legal pass");
            continue;
        }
        let asked = Instant::now();
        for line in (front.ask)(&*referee, spent.map(|spent| CLOCK.saturating_sub(spent))) {
            adapter.tell(&line);
        }
        let only = referee.legal_moves(None).is_some_and(|moves| moves.len() == 1);
        if kills < KILLS && !only {
            kill_daemon(adapter.id(), &mut last);
            kills += 1;
        }
        let text = std::iter::repeat_with(|| adapter.hear())
            .find_map(|line| (front.answer)(&*referee, &line))
            .expect("an answer");
        spent[referee.turn().index()] += asked.elapsed();
        assert!(spent[referee.turn().index()] < CLOCK, "lost on time after {} plies", referee.plies());
        let mv = referee.parse_move(&text).expect("a move");
        let tell = (front.told)(&*referee, &text);
        referee.play(None, mv).unwrap_or_else(|why| panic!("{text}: {why} in {referee:?}"));
        for line in tell {
            adapter.tell(&line);
        }
    }
    assert!(kills >= KILLS.min(referee.plies() - 2), "{kills} of {} moves", referee.plies());
    let (status, _) = adapter.finish();
    assert!(status.success(), "{status}");
}

fn nothing(_: &dyn Referee, _: &str) -> Vec<String> {
    Vec::new()
}

fn letter(color: Color) -> char {
    color.letter()
}

#[test]
fn killed_in_every_move_of_a_gtp_game() {
    play(&Front {
        args: &["gtp", "--game", "amazons"],
        setup: "amazons",
        opening: &["kata-time_settings absolute 12"],
        ask: |referee, _| vec![format!("genmove {}", letter(referee.turn()))],
        answer: |_, line| {
            line.strip_prefix("= ").filter(|text| !text.is_empty()).map(str::to_ascii_lowercase)
        },
        told: nothing,
    });
}

#[test]
fn killed_in_every_move_of_a_json_dialogue() {
    play(&Front {
        args: &["json", "--game", "nogo", "--move-time", "150"],
        setup: "nogo",
        opening: &[],
        ask: |_, _| vec![r#"{"type":"go"}"#.to_owned()],
        answer: |_, line| {
            let message: serde_json::Value = serde_json::from_str(line).expect("JSON");
            assert_ne!(message["type"], "error", "{line}");
            (message["type"] == "move").then(|| message["move"].as_str().expect("a move").to_owned())
        },
        told: nothing,
    });
}
