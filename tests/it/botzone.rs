//! `tengen-adapter botzone` as a process, against a judge of its own making: whole matches of each game
//! in each way of talking, the referee checking every move.

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tengen_engine::game::random::{below, rng};
use tengen_engine::game::{Cell, Color, Move, Point, Rng};
use tengen_engine::games::{Referee, Setup, referee};

use crate::harness::Process;
#[cfg(target_os = "linux")]
use crate::harness::children;

const GAMES: [&str; 5] = ["nogo", "gomoku", "renju", "reversi", "amazons"];
const MARKER: &str = ">>>BOTZONE_REQUEST_KEEP_RUNNING<<<";

/// The judge's side of a game: it asks both players in turn, and decides.
pub(crate) struct Judge {
    game: &'static str,
    referee: Box<dyn Referee>,
    /// All responses so far, both players' in turn.
    moves: Vec<Vec<i64>>,
    /// Who plays the first stone's colour; changes with Renju's exchange.
    exchanged: bool,
}

impl Judge {
    pub(crate) fn new(game: &'static str) -> Judge {
        let setup = match game {
            "nogo" => "nogo size 9",
            "gomoku" | "renju" => "gomoku size 15 rules freestyle",
            "reversi" => "othello size 8",
            _ => "amazons size 8",
        };
        let referee = referee(Setup::parse(setup.split(' ')).expect("a game")).expect("a game");
        if game == "amazons" {
            // Who begins stands at the bottom, where y is 0.
            for (column, row) in [(0, 2), (2, 0), (5, 0), (7, 2)] {
                assert_eq!(referee.cell(Point { column, row }), Cell::Stone(referee.turn()));
            }
        }
        if game == "reversi" {
            for (column, row) in [(3, 4), (4, 3)] {
                assert_eq!(referee.cell(Point { column, row }), Cell::Stone(Color::Black));
            }
        }
        Judge { game, referee, moves: Vec::new(), exchanged: false }
    }

    fn width(&self) -> usize {
        if self.game == "amazons" { 6 } else { 2 }
    }

    /// Who is to respond: player 0 or 1.
    pub(crate) fn player(&self) -> usize {
        self.moves.len() % 2
    }

    pub(crate) fn is_over(&self) -> bool {
        self.referee.ending().is_some()
    }

    /// What the player to respond is asked.
    pub(crate) fn request(&self) -> Vec<i64> {
        self.moves.last().cloned().unwrap_or_else(|| vec![-1; self.width()])
    }

    /// All that the player to respond was asked and has said, in turn, the request last.
    fn course(&self) -> Vec<Vec<i64>> {
        let first = (self.player() == 0).then(|| vec![-1; self.width()]);
        first.into_iter().chain(self.moves.iter().cloned()).collect()
    }

    /// Takes a response; anything but a legal one is the end of the test.
    pub(crate) fn respond(&mut self, response: Vec<i64>) {
        let none = response.first() == Some(&-1);
        let exchange = none && self.game == "renju" && self.moves.len() == 3;
        if exchange {
            self.exchanged = true;
        } else {
            let mv = if none { Move::PASS } else { self.move_of(&response) };
            assert!(!none || self.game == "reversi", "{}: {:?} then {response:?}", self.game, self.moves);
            if let Err(error) = self.referee.play(None, mv) {
                panic!("{}: {response:?} in {}: {error}", self.game, self.referee.position_text());
            }
        }
        self.moves.push(response);
    }

    fn move_of(&self, response: &[i64]) -> Move {
        let small = |number: i64| u8::try_from(number).expect("on the board");
        let points: Vec<Point> =
            response.chunks(2).map(|pair| Point { column: small(pair[0]), row: small(pair[1]) }).collect();
        self.referee.move_of(&points).expect("a move of the game")
    }

    /// A random player's response.
    pub(crate) fn random(&self, rng: &mut Rng) -> Vec<i64> {
        if self.game == "renju" && self.moves.len() == 3 && below(rng, 2) == 0 {
            return vec![-1, -1];
        }
        let moves = self.referee.legal_moves(None).expect("moves");
        let mv = moves[below(rng, moves.len() as u32) as usize];
        match self.referee.points(mv) {
            points if points.is_empty() => vec![-1, -1],
            points => points.iter().flat_map(|p| [i64::from(p.column), i64::from(p.row)]).collect(),
        }
    }
}

fn object(numbers: &[i64]) -> Value {
    match numbers {
        [x, y] => json!({"x": x, "y": y}),
        [x0, y0, x1, y1, x2, y2] => json!({"x0": x0, "y0": y0, "x1": x1, "y1": y1, "x2": x2, "y2": y2}),
        other => panic!("{other:?}"),
    }
}

fn numbers(value: &Value) -> Vec<i64> {
    let names: &[&str] =
        if value.get("x0").is_some() { &["x0", "y0", "x1", "y1", "x2", "y2"] } else { &["x", "y"] };
    names.iter().map(|name| value[name].as_i64().unwrap_or_else(|| panic!("{value}"))).collect()
}

pub(crate) fn text(numbers: &[i64]) -> String {
    numbers.iter().map(i64::to_string).collect::<Vec<_>>().join(" ")
}

pub(crate) fn parse(text: &str) -> Vec<i64> {
    text.split(' ').map(|word| word.parse().unwrap_or_else(|_| panic!("{text}"))).collect()
}

fn bot(game: &str, args: &[&str]) -> Process {
    let mut all = vec!["botzone", "--game", game, "--nodes", "60", "--threads", "1", "--seed", "1"];
    all.extend(args);
    Process::adapter(&all)
}

/// The input of a turn in full.
fn full(judge: &Judge, simple: bool) -> String {
    let course = judge.course();
    if simple {
        let lines: Vec<String> = course.iter().map(|numbers| text(numbers)).collect();
        return format!("{}\n{}", course.len().div_ceil(2), lines.join("\n"));
    }
    let (mut requests, mut responses) = (Vec::new(), Vec::new());
    for (number, event) in course.iter().enumerate() {
        let list = if number % 2 == 0 { &mut requests } else { &mut responses };
        list.push(object(event));
    }
    json!({"requests": requests, "responses": responses, "data": "", "globaldata": "", "time_limit": 5})
        .to_string()
}

/// The response in the next line.
fn response(bot: &mut Process, simple: bool) -> Vec<i64> {
    let line = bot.hear();
    if simple {
        return parse(&line);
    }
    let value: Value = serde_json::from_str(&line).unwrap_or_else(|error| panic!("{line}: {error}"));
    let debug = value["debug"].as_str().expect("a text");
    assert!(debug.len() < 1000 && !debug.contains("message"), "{line}");
    numbers(&value["response"])
}

/// A match of one process a turn.
fn one_shot(game: &'static str, side: usize, simple: bool) {
    let mut judge = Judge::new(game);
    let mut rng = rng(side as u64 + 1);
    while !judge.is_over() {
        let response = if judge.player() == side {
            let mut bot = bot(game, if simple { &["--simple-io"] } else { &[] });
            bot.tell(&full(&judge, simple));
            let response = response(&mut bot, simple);
            let begun = Instant::now();
            assert!(bot.wait().success(), "it leaves by itself");
            assert!(begun.elapsed() < Duration::from_secs(5), "{:?}", begun.elapsed());
            assert_eq!(bot.hear_within(Duration::from_secs(1)), None, "one line and no more");
            response
        } else {
            judge.random(&mut rng)
        };
        judge.respond(response);
    }
}

/// A match of one process.
fn kept_running(game: &'static str, side: usize, simple: bool) {
    let mut judge = Judge::new(game);
    let mut rng = rng(side as u64 + 11);
    let mut args = vec!["--keep-running"];
    args.extend(simple.then_some("--simple-io"));
    let mut bot = bot(game, &args);
    let mut turns = 0;
    while !judge.is_over() {
        let response = if judge.player() == side {
            let bare = judge.request();
            let bare = if simple { text(&bare) } else { object(&bare).to_string() };
            bot.tell(&if turns == 0 { full(&judge, simple) } else { bare });
            turns += 1;
            let response = response(&mut bot, simple);
            assert_eq!(bot.hear(), MARKER);
            response
        } else {
            judge.random(&mut rng)
        };
        judge.respond(response);
    }
    let (status, lines) = bot.finish();
    assert!(status.success() && lines.is_empty(), "{lines:?}");
}

#[test]
fn matches_of_one_process_a_turn() {
    for (number, game) in GAMES.into_iter().enumerate() {
        one_shot(game, number % 2, false);
    }
}

#[test]
fn matches_of_one_process_a_turn_with_simple_io() {
    for (number, game) in GAMES.into_iter().enumerate() {
        one_shot(game, (number + 1) % 2, true);
    }
}

#[test]
fn matches_of_one_process() {
    for game in GAMES {
        for side in [0, 1] {
            kept_running(game, side, false);
        }
    }
}

#[test]
fn matches_of_one_process_with_simple_io() {
    for game in GAMES {
        for side in [0, 1] {
            kept_running(game, side, true);
        }
    }
}

/// A signal for the process and the engine it has started.
#[cfg(target_os = "linux")]
fn signal(bot: &Process, signal: &str) {
    let group = format!("-{}", bot.id());
    let status = std::process::Command::new("kill").args([signal, "--", &group]).status();
    assert!(status.expect("kill").success());
}

/// The site stops the whole process group while the opponent thinks, however long that takes: nothing of
/// it counts as the engine's silence, and the clock of the next turn begins when the request is read.
#[test]
#[cfg(target_os = "linux")]
fn a_process_group_stopped_between_turns_plays_on() {
    let args = ["botzone", "--game", "gomoku", "--keep-running", "--threads", "1"];
    let mut bot = Process::adapter_group(&args);
    let mut judge = Judge::new("gomoku");
    let mut rng = rng(5);
    bot.tell(&full(&judge, false).replace("\"time_limit\":5", "\"time_limit\":1"));
    judge.respond(response(&mut bot, false));
    assert_eq!(bot.hear(), MARKER);
    let engine = children(bot.id());
    for _ in 0..2 {
        judge.respond(judge.random(&mut rng));
        signal(&bot, "-STOP");
        std::thread::sleep(Duration::from_secs(4));
        // The request may be there before the process runs again.
        bot.tell(&object(&judge.request()).to_string());
        std::thread::sleep(Duration::from_secs(3));
        signal(&bot, "-CONT");
        let begun = Instant::now();
        judge.respond(response(&mut bot, false));
        let took = begun.elapsed();
        assert_eq!(bot.hear(), MARKER);
        assert!(took > Duration::from_millis(500) && took < Duration::from_secs(4), "{took:?}");
    }
    assert_eq!(children(bot.id()), engine, "the engine was taken for dead");
}

/// A stop that comes in the middle of a turn.
#[test]
#[cfg(target_os = "linux")]
fn a_process_group_stopped_within_a_turn_plays_on() {
    let mut bot =
        Process::adapter_group(&["botzone", "--game", "amazons", "--keep-running", "--threads", "1"]);
    bot.tell(&json!({"requests": [object(&[-1; 6])], "responses": [], "time_limit": 3}).to_string());
    std::thread::sleep(Duration::from_millis(1500));
    let engine = children(bot.id());
    assert!(!engine.is_empty());
    signal(&bot, "-STOP");
    std::thread::sleep(Duration::from_secs(8));
    signal(&bot, "-CONT");
    response(&mut bot, false);
    assert_eq!(bot.hear(), MARKER);
    assert_eq!(children(bot.id()), engine, "the engine was taken for dead");
}

/// One-shot, the default limit of a turn: a second, of which the start of two processes takes a part.
#[test]
fn a_turn_of_one_process_keeps_the_limit() {
    let mut judge = Judge::new("amazons");
    judge.respond(parse("0 2 1 2 1 3"));
    let begun = Instant::now();
    let mut bot = Process::adapter(&["botzone", "--game", "amazons", "--threads", "1"]);
    let course = full(&judge, false).replace("\"time_limit\":5", "\"time_limit\":1");
    bot.tell(&course);
    response(&mut bot, false);
    let took = begun.elapsed();
    // Test machines are shared: the site's own would end it after a second.
    assert!(took > Duration::from_millis(300) && took < Duration::from_millis(2500), "{took:?}");
}

#[test]
fn a_bad_command_line_is_refused_in_words() {
    for args in [
        &["botzone"][..],
        &["botzone", "--game", "chess"],
        &["botzone", "--game", "nogo", "--time-limit", "0"],
        &["botzone-local", "--game", "nogo"],
        &["botzone-local", "--game", "nogo", "--user-id", "a/b", "--secret-file", "/dev/null"],
        &["botzone-local", "--game", "nogo", "--user-id", "a", "--secret-file", "/no/such/file"],
    ] {
        let (status, lines) = Process::adapter(args).finish();
        assert_eq!(status.code(), Some(2), "{args:?}");
        assert!(lines.is_empty(), "{lines:?}");
    }
}
