//! The dialogue of turn-based web pages: the page sends its move, the engine answers with its own.
//!
//! Coordinates count from 0: `x` is the column, `y` the row from the top of the board as the page draws
//! it. An Amazons move has three points, `x0 y0 x1 y1 x2 y2`. A move may also be given as `"move"`, in
//! the engine's notation.

use arrayvec::ArrayVec;
use serde_json::{Map, Value, json};
use tengen_engine::game::notation::RowOne;
use tengen_engine::game::{Color, Move, Outcome, Point};
use tengen_engine::games::{Referee, Setup, SetupError};

use super::reply::rate;
use super::{query, say};
use crate::bridge::Action;
use crate::client::args::EngineOptions;
use crate::client::{Answer, Event, SearchKind};
use crate::fronts::desk::Desk;
use crate::fronts::queue::{Queue, Waiting};
use tengen_engine::protocol::Info;

/// A game with a page.
#[derive(Debug)]
pub(super) struct Dialogue {
    desk: Desk,
    engine: usize,
    searching: bool,
    waiting: Queue,
    last: Vec<Info>,
    /// How many moves lay before each move of the page, so that `undo` gives the move back to the page
    /// whatever passes, ends or failures came after it.
    before: Vec<usize>,
}

impl Dialogue {
    pub(super) fn new(setup: Setup, options: EngineOptions, engine: usize) -> Result<Dialogue, SetupError> {
        let desk = Desk::new(setup, options)?;
        let waiting = Queue::default();
        Ok(Dialogue { desk, engine, searching: false, waiting, last: Vec::new(), before: Vec::new() })
    }

    pub(super) fn idle(&self) -> bool {
        !self.searching
    }

    pub(super) fn accepts(&self) -> bool {
        self.waiting.has_room()
    }

    /// Makes the engine forget what it has learned before its next search.
    pub(super) fn clear_cache(&mut self) {
        self.desk.clear_cache();
    }

    /// Ends the search under way.
    pub(super) fn stop(&mut self, out: &mut Vec<Action>) {
        self.waiting.clear();
        if self.searching {
            out.push(Action::Stop(self.engine));
        }
    }

    /// Takes a message, the line and what it says; those that come during a search wait, but `stop` ends it.
    pub(super) fn take(&mut self, line: &str, message: &Map<String, Value>, out: &mut Vec<Action>) {
        if self.searching {
            if message.get("type").and_then(Value::as_str) == Some("stop") {
                out.push(Action::Stop(self.engine));
            } else {
                self.waiting.push(Waiting::Line(line.to_owned()));
            }
        } else if let Err(problem) = self.act(message, out) {
            say(&json!({ "type": "error", "message": problem }), out);
        }
    }

    fn act(&mut self, message: &Map<String, Value>, out: &mut Vec<Action>) -> Result<(), String> {
        match message.get("type").and_then(Value::as_str) {
            Some("reset") => {
                let setup =
                    query::setup(message, self.desk.referee.setup()).map_err(|fault| fault.to_string())?;
                self.desk.new_game(setup).map_err(|error| error.to_string())?;
                self.before.clear();
                let setup = self.desk.referee.setup().to_string();
                say(&json!({ "type": "reset", "setup": setup }), out);
            }
            Some("move") => {
                let mv = read_move(&*self.desk.referee, message)?;
                let before = self.desk.referee.plies();
                self.desk.referee.play(None, mv).map_err(|error| format!("illegal move: {error}"))?;
                self.before.push(before);
                self.answer(out)?;
            }
            Some("go") => self.answer(out)?,
            Some("undo") => {
                let before = self.before.last().ok_or("cannot undo: you have made no move")?;
                let count = self.desk.referee.plies().saturating_sub(*before);
                self.desk.referee.undo(count).map_err(|error| error.to_string())?;
                self.before.pop();
                say(&json!({ "type": "undo", "moves": count }), out);
            }
            Some("stop") => {}
            Some("position") => {
                let text = self.desk.referee.position_text();
                say(&json!({ "type": "position", "position": text }), out);
            }
            _ => return Err("unknown type".to_owned()),
        }
        Ok(())
    }

    /// Says that the game is over, passes where there is no other move, or begins to search.
    fn answer(&mut self, out: &mut Vec<Action>) -> Result<(), String> {
        if self.say_end(out) {
            return Ok(());
        }
        if self.desk.referee.must_pass() {
            self.pass(out)?;
            self.say_end(out);
            return Ok(());
        }
        self.last.clear();
        let mut request = self.desk.request(SearchKind::GenMove, &[]);
        request.engine = self.engine;
        self.searching = true;
        out.push(Action::Search(request));
        Ok(())
    }

    /// Passes for the side to move.
    fn pass(&mut self, out: &mut Vec<Action>) -> Result<(), String> {
        let side = self.desk.referee.turn();
        self.desk.referee.play(None, Move::PASS).map_err(|error| error.to_string())?;
        say(&json!({ "type": "pass", "side": name(side) }), out);
        Ok(())
    }

    fn say_end(&self, out: &mut Vec<Action>) -> bool {
        let Some(ending) = self.desk.referee.ending() else { return false };
        let winner = match ending.outcome {
            Outcome::Win(winner) => name(winner),
            Outcome::Draw => "draw",
        };
        let (margin, reason) = (ending.margin, ending.reason);
        say(&json!({ "type": "win", "winner": winner, "margin": margin, "reason": reason }), out);
        true
    }

    pub(super) fn search(&mut self, event: Event, out: &mut Vec<Action>) {
        match event {
            Event::Started => {}
            Event::Report(infos) => self.last = infos,
            Event::Done(result) => {
                self.searching = false;
                if let Err(problem) = result.and_then(|answer| self.played(&answer, out)) {
                    say(&json!({ "type": "error", "message": problem }), out);
                }
                while !self.searching
                    && let Some(Waiting::Line(line) | Waiting::TooLong(line)) = self.waiting.pop()
                {
                    if let Ok(message) = serde_json::from_str(&line) {
                        self.take(&line, &message, out);
                    }
                }
            }
        }
    }

    fn played(&mut self, answer: &Answer, out: &mut Vec<Action>) -> Result<(), String> {
        let referee = &mut self.desk.referee;
        if answer.text == "resign" {
            let winner = name(!referee.turn());
            say(&json!({ "type": "win", "winner": winner, "margin": 1, "reason": "resignation" }), out);
            return Ok(());
        }
        let mv = referee.parse_move(&answer.text).map_err(|error| error.to_string())?;
        let mut message = Map::new();
        message.insert("type".to_owned(), json!("move"));
        message.insert("move".to_owned(), json!(referee.move_text(mv)));
        write_points(&**referee, mv, &mut message);
        if let Some(info) = self.last.first() {
            message.insert("score".to_owned(), json!(rate(info.score)));
            message.insert("winrate".to_owned(), json!(rate(info.winrate)));
            message.insert("depth".to_owned(), json!(info.depth));
            message.insert("nodes".to_owned(), json!(info.nodes));
        }
        let milliseconds = u64::try_from(answer.elapsed.as_millis()).unwrap_or(u64::MAX);
        message.insert("time_ms".to_owned(), json!(milliseconds));
        referee.play(None, mv).map_err(|error| format!("illegal move: {error}"))?;
        say(&Value::Object(message), out);
        if self.say_end(out) {
            return Ok(());
        }
        // The page has nothing to choose: it passes, and the engine moves again.
        if self.desk.referee.must_pass() {
            self.pass(out)?;
            self.answer(out)?;
        }
        Ok(())
    }
}

/// The name of a side in messages.
fn name(side: Color) -> &'static str {
    match side {
        Color::Black => "black",
        Color::White => "white",
    }
}

/// The names of the coordinates of a move with one point, and of one with three.
const ONE: [(&str, &str); 1] = [("x", "y")];
const THREE: [(&str, &str); 3] = [("x0", "y0"), ("x1", "y1"), ("x2", "y2")];

fn row_from_top(referee: &dyn Referee, row: u8) -> u8 {
    let geometry = referee.geometry();
    match geometry.row_one {
        RowOne::Top => row,
        RowOne::Bottom => geometry.height - 1 - row,
    }
}

fn write_points(referee: &dyn Referee, mv: Move, message: &mut Map<String, Value>) {
    let points = referee.points(mv);
    let names: &[(&str, &str)] = if points.len() == 1 { &ONE } else { &THREE };
    for ((x, y), point) in names.iter().zip(points) {
        message.insert((*x).to_owned(), json!(point.column));
        message.insert((*y).to_owned(), json!(row_from_top(referee, point.row)));
    }
}

fn read_move(referee: &dyn Referee, message: &Map<String, Value>) -> Result<Move, String> {
    if let Some(text) = message.get("move") {
        let text = text.as_str().ok_or("move must be text")?;
        return referee.parse_move(text).map_err(|error| error.to_string());
    }
    let geometry = referee.geometry();
    let coordinate = |name: &str, side: u8| {
        let value = message.get(name).and_then(Value::as_u64).and_then(|value| u8::try_from(value).ok());
        value.filter(|&value| value < side).ok_or_else(|| format!("{name} must be from 0 to {}", side - 1))
    };
    let names: &[(&str, &str)] = if message.contains_key("x0") { &THREE } else { &ONE };
    let mut points = ArrayVec::<Point, 3>::new();
    for (x, y) in names {
        let (column, row) = (coordinate(x, geometry.width)?, coordinate(y, geometry.height)?);
        points.push(Point { column, row: row_from_top(referee, row) });
    }
    referee.move_of(&points).ok_or_else(|| "not a move of this game".to_owned())
}
