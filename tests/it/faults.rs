//! Daemons that are killed in the middle of their work: the GUI sees nothing but a short delay.

#![cfg(target_os = "linux")]

use std::time::{Duration, Instant};

use tengen_engine::game::random::{below, rng};
use tengen_engine::game::{Color, Point, Rng};
use tengen_engine::games::{self, Referee, Setup};

use crate::harness::Process;
use crate::harness::children;

/// How many searches are killed in each front.
const KILLS: usize = 50;

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
    /// Lines that begin a game. Where there are none each game has a process of its own.
    opening: &'static [&'static str],
    /// The sides the engine plays; chance plays the other.
    plays: &'static [Color],
    /// The longest the engine may take: for a game where it has a clock, else for a move.
    limit: Limit,
    /// The lines that ask for a move, from the game so far and the time both sides have left.
    ask: fn(&dyn Referee, [Duration; 2]) -> Vec<String>,
    /// The move in a line of the answer, in the engine's notation; `None` when it is another line.
    answer: fn(&dyn Referee, &str) -> Option<String>,
    /// The lines that tell the front a move and how long it took, where it does not play it itself.
    told: fn(&dyn Referee, &str, Duration) -> Vec<String>,
}

enum Limit {
    Game(Duration),
    Move(Duration),
}

/// The clock of each side, for a whole game.
const CLOCK: Duration = Duration::from_secs(12);
const EACH_SIDE: [Color; 2] = Color::ALL;

/// The engine plays until its daemon was killed fifty times, each time in another move. No move may be
/// illegal and none too late.
fn play(front: &Front) {
    let mut rng = rng(1);
    let mut adapter = None;
    let mut kills = 0;
    while kills < KILLS {
        if front.opening.is_empty() {
            finish(adapter.take());
        }
        let before = kills;
        game(front, adapter.get_or_insert_with(|| Process::adapter(front.args)), &mut kills, &mut rng);
        assert!(kills > before, "no move of a whole game was killed");
    }
    finish(adapter);
}

fn finish(adapter: Option<Process>) {
    if let Some(adapter) = adapter {
        let (status, _) = adapter.finish();
        assert!(status.success(), "{status}");
    }
}

/// A game to its end.
fn game(front: &Front, adapter: &mut Process, kills: &mut usize, rng: &mut Rng) {
    let mut referee =
        games::referee(Setup::parse(front.setup.split(' ')).expect("a set-up")).expect("a game");
    for line in front.opening {
        adapter.tell(line);
    }
    let mut last = String::new();
    let mut spent = [Duration::ZERO; 2];
    while referee.ending().is_none() {
        let legal = referee.legal_moves(None).expect("moves");
        let mut taken = Duration::ZERO;
        let text = if referee.must_pass() {
            "pass".to_owned()
        } else if !front.plays.contains(&referee.turn()) {
            referee.move_text(legal[below(rng, legal.len() as u32) as usize])
        } else {
            let asked = Instant::now();
            for line in (front.ask)(&*referee, spent.map(|spent| CLOCK.saturating_sub(spent))) {
                adapter.tell(&line);
            }
            let kill = *kills < KILLS && legal.len() > 1;
            if kill {
                kill_daemon(adapter.id(), &mut last);
            }
            let text = std::iter::repeat_with(|| adapter.hear())
                .find_map(|line| (front.answer)(&*referee, &line))
                .expect("an answer");
            taken = asked.elapsed();
            // It counts when the answer had to be found by another daemon: some come before the kill.
            *kills += usize::from(kill && children(adapter.id()).iter().any(|child| *child != last));
            text
        };
        let side = referee.turn().index();
        spent[side] += taken;
        let (used, limit) = match front.limit {
            Limit::Game(limit) => (spent[side], limit),
            Limit::Move(limit) => (taken, limit),
        };
        assert!(used < limit, "too late, {used:?} after {} plies", referee.plies());
        let tell = (front.told)(&*referee, &text, taken);
        let mv = referee.parse_move(&text).unwrap_or_else(|why| panic!("{text}: {why}"));
        referee.play(None, mv).unwrap_or_else(|why| panic!("{text}: {why} in {referee:?}"));
        for line in tell {
            adapter.tell(&line);
        }
    }
}

fn nothing(_: &dyn Referee, _: &str, _: Duration) -> Vec<String> {
    Vec::new()
}

/// The moves so far, in the engine's notation.
fn moves(referee: &dyn Referee) -> impl Iterator<Item = String> {
    referee.history().into_iter().map(|(_, mv)| referee.move_text(mv))
}

/// The milliseconds left of the side that began and of the other, in a game without passes.
fn in_turn(referee: &dyn Referee, left: [Duration; 2]) -> [u128; 2] {
    let first = if referee.plies().is_multiple_of(2) { referee.turn() } else { !referee.turn() };
    [first, !first].map(|color| left[color.index()].as_millis())
}

#[test]
fn killed_in_every_move_of_a_gtp_game() {
    play(&Front {
        args: &["gtp", "--game", "amazons"],
        setup: "amazons",
        opening: &["clear_board", "kata-time_settings absolute 12"],
        plays: &EACH_SIDE,
        limit: Limit::Game(CLOCK),
        ask: |referee, _| vec![format!("genmove {}", referee.turn().letter())],
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
        opening: &[r#"{"type":"reset"}"#],
        plays: &EACH_SIDE,
        limit: Limit::Move(Duration::from_secs(5)),
        ask: |_, _| vec![r#"{"type":"go"}"#.to_owned()],
        answer: |_, line| {
            let message: serde_json::Value = serde_json::from_str(line).expect("JSON");
            assert_ne!(message["type"], "error", "{line}");
            (message["type"] == "move").then(|| message["move"].as_str().expect("a move").to_owned())
        },
        told: nothing,
    });
}

/// The manager sends the whole game before each move, so that the engine moves for either side.
#[test]
fn killed_in_every_move_of_gomocup_games() {
    play(&Front {
        args: &["gomocup"],
        setup: "gomoku size 15 rules standard",
        opening: &["START 15", "INFO rule 1", "INFO timeout_turn 3000", "INFO timeout_match 12000"],
        plays: &EACH_SIDE,
        limit: Limit::Game(CLOCK),
        ask: |referee, left| {
            let time = format!("INFO time_left {}", left[referee.turn().index()].as_millis());
            if referee.plies() == 0 {
                return vec![time, "BEGIN".to_owned()];
            }
            let stone = |(color, mv): (Color, _)| {
                let point = referee.points(mv)[0];
                format!("{},{},{}", point.column, point.row, if color == referee.turn() { 1 } else { 2 })
            };
            let stones = referee.history().into_iter().map(stone);
            [time, "BOARD".to_owned()].into_iter().chain(stones).chain(["DONE".to_owned()]).collect()
        },
        answer: |referee, line| {
            assert!(!line.starts_with("ERROR") && !line.starts_with("UNKNOWN"), "{line}");
            let (column, row) = line.split_once(',').filter(|_| !line.starts_with("MESSAGE"))?;
            let point = Point { column: column.parse().ok()?, row: row.parse().ok()? };
            Some(referee.move_text(referee.move_of(&[point]).expect("on the board")))
        },
        told: nothing,
    });
}

#[test]
fn killed_in_every_move_of_ugi_games() {
    play(&Front {
        args: &["ugi", "--game", "nogo"],
        setup: "nogo",
        opening: &["uginewgame"],
        plays: &EACH_SIDE,
        limit: Limit::Game(CLOCK),
        ask: |referee, left| {
            let moves: Vec<String> = moves(referee).collect();
            let [first, second] = in_turn(referee, left);
            vec![
                format!("position startpos moves {}", moves.join(" ")),
                format!("go p1time {first} p2time {second}"),
            ]
        },
        answer: |_, line| {
            assert!(!line.starts_with("info string error"), "{line}");
            line.strip_prefix("bestmove ").map(str::to_owned)
        },
        told: nothing,
    });
}

#[test]
fn killed_in_every_move_of_a_uci_game() {
    play(&Front {
        args: &["uci", "--variant", "amazons"],
        setup: "amazons",
        opening: &["ucinewgame"],
        plays: &EACH_SIDE,
        limit: Limit::Game(CLOCK),
        ask: |referee, left| {
            let fairy = |text: String| {
                let squares: Vec<&str> = text.split('-').collect();
                format!("{}{1},{1}{2}", squares[0], squares[1], squares[2])
            };
            let moves: Vec<String> = moves(referee).map(fairy).collect();
            let [white, black] = in_turn(referee, left);
            vec![
                format!("position startpos moves {}", moves.join(" ")),
                format!("go wtime {white} btime {black}"),
            ]
        },
        answer: |_, line| {
            assert!(!line.starts_with("info string error"), "{line}");
            let text = line.strip_prefix("bestmove ")?.split(' ').next()?;
            let (queen, arrow) = text.split_once(',')?;
            let (from, to) = queen.split_at(queen.rfind(|c: char| c.is_ascii_alphabetic())?);
            Some(format!("{from}-{to}-{}", arrow.strip_prefix(to)?))
        },
        told: nothing,
    });
}

#[test]
fn killed_in_every_move_of_an_nboard_game() {
    play(&Front {
        args: &["nboard"],
        setup: "othello",
        opening: &["nboard 2", "set depth 60", "set game (;GM[Othello]PC[NBoard]RE[?]TI[00:08]TY[8];)"],
        plays: &EACH_SIDE,
        // Now and then a second game is needed.
        limit: Limit::Game(Duration::from_secs(8)),
        ask: |_, _| vec!["go".to_owned()],
        answer: |_, line| Some(line.strip_prefix("=== ")?.split('/').next()?.to_ascii_lowercase()),
        told: |_, text, taken| {
            let text = if text == "pass" { "PA" } else { text };
            vec![format!("move {text}//{:.2}", taken.as_secs_f64())]
        },
    });
}

#[test]
fn killed_in_every_turn_of_botzone_matches() {
    play(&Front {
        args: &["botzone", "--game", "nogo", "--keep-running", "--time-limit", "0.4"],
        setup: "nogo",
        opening: &[],
        plays: &[Color::Black],
        // The rest is for the machine, which others use too.
        limit: Limit::Move(Duration::from_secs(2)),
        ask: |referee, _| {
            let last = referee.history().last().map(|&(_, mv)| referee.points(mv)[0]);
            let (x, y) = last.map_or((-1, -1), |point| (i64::from(point.column), i64::from(point.row)));
            let request = serde_json::json!({"x": x, "y": y});
            let first = serde_json::json!({"requests": [request], "responses": []});
            vec![if last.is_none() { first.to_string() } else { request.to_string() }]
        },
        answer: |referee, line| {
            let message: serde_json::Value = serde_json::from_str(line).ok()?;
            let number = |name: &str| u8::try_from(message["response"][name].as_i64()?).ok();
            let point = Point { column: number("x")?, row: number("y")? };
            Some(referee.move_text(referee.move_of(&[point])?))
        },
        told: nothing,
    });
}
