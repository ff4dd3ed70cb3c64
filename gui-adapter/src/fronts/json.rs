//! One JSON object a line: an analysis service in the manner of KataGo's analysis engine, and the small
//! move-by-move dialogue of turn-based web pages.
//!
//! Every query holds a whole game, so queries are independent of each other: several are searched at
//! once, on an engine each, and answered in the order they end. Each turn asked for gets exactly one
//! answer whose `isDuringSearch` is false.

mod dialogue;
mod query;
mod reply;

use serde_json::{Map, Value, json};
use tengen_engine::games::{Setup, SetupError};
use tengen_engine::protocol::Info;

use crate::bridge::{Action, Dialect};
use crate::client::args::EngineOptions;
use crate::client::{Event, Request};

use dialogue::Dialogue;
use query::Fault;

/// Turns waiting for an engine before no more lines are read.
const WAITING_LIMIT: usize = 4096;

/// How the front begins.
#[derive(Clone, Debug)]
pub struct Config {
    /// The game of queries that name none, and of the dialogue.
    pub setup: Setup,
    /// Options for the engines.
    pub options: EngineOptions,
    /// How many positions are searched at once.
    pub parallel: usize,
    /// Whether the end of the input ends everything at once.
    pub quit_without_waiting: bool,
}

/// One position of a query.
#[derive(Clone, Debug)]
struct Task {
    /// The query's id, as it came.
    id: Value,
    turn: usize,
    priority: i64,
    serial: u64,
    request: Box<Request>,
    /// Whether reports are wanted before the end.
    during: bool,
}

/// A task on an engine.
#[derive(Debug)]
struct Running {
    task: Task,
    last: Vec<Info>,
}

/// The JSON front.
#[derive(Debug)]
pub struct Json {
    config: Config,
    engines: Vec<Option<Running>>,
    waiting: Vec<Task>,
    serial: u64,
    dialogue: Dialogue,
    /// Engine options that some query has set.
    overridden: Vec<String>,
    /// How often the engines were to forget what they have learned.
    cleared: u64,
    ended: bool,
}

impl Json {
    /// A front without queries.
    ///
    /// # Errors
    /// When the game has no such set-up.
    pub fn new(config: Config) -> Result<Json, SetupError> {
        let parallel = config.parallel.max(1);
        let dialogue = Dialogue::new(config.setup.clone(), config.options.clone(), parallel)?;
        let engines = std::iter::repeat_with(|| None).take(parallel).collect();
        Ok(Json {
            config,
            engines,
            waiting: Vec::new(),
            serial: 0,
            dialogue,
            overridden: Vec::new(),
            cleared: 0,
            ended: false,
        })
    }

    /// Gives waiting turns to idle engines, the highest priority first, then the oldest.
    fn schedule(&mut self, out: &mut Vec<Action>) {
        while let Some(number) = self.engines.iter().position(Option::is_none) {
            let first = self.waiting.iter().enumerate();
            let first = first.min_by_key(|(_, task)| (-task.priority, task.serial)).map(|(at, _)| at);
            let Some(at) = first else { break };
            let mut task = self.waiting.swap_remove(at);
            task.request.engine = number;
            task.request.cleared = self.cleared;
            out.push(Action::Search(task.request.clone()));
            if let Some(engine) = self.engines.get_mut(number) {
                *engine = Some(Running { task, last: Vec::new() });
            }
        }
        if self.ended && self.idle() {
            out.push(Action::Quit);
        }
    }

    fn idle(&self) -> bool {
        self.waiting.is_empty() && self.engines.iter().all(Option::is_none) && self.dialogue.idle()
    }

    fn object(&mut self, line: &str, object: &Map<String, Value>, out: &mut Vec<Action>) {
        if object.contains_key("type") {
            return self.dialogue.take(line, object, out);
        }
        let id = object.get("id").cloned();
        let answered = match object.get("action") {
            Some(action) => self.action(action, object, out),
            None => self.query(object, out),
        };
        if let Err(fault) = answered {
            say(&fault.json(id), out);
        }
    }

    fn query(&mut self, object: &Map<String, Value>, out: &mut Vec<Action>) -> Result<(), Fault> {
        let mut query = query::read(object, &self.config, &mut self.overridden)?;
        for warning in query.warnings {
            say(&warning, out);
        }
        for over in query.over {
            say(&over, out);
        }
        for task in &mut query.tasks {
            task.serial = self.serial;
            task.request.game = self.serial;
            self.serial += 1;
        }
        self.waiting.append(&mut query.tasks);
        Ok(())
    }

    fn action(
        &mut self,
        action: &Value,
        object: &Map<String, Value>,
        out: &mut Vec<Action>,
    ) -> Result<(), Fault> {
        query::id(object)?;
        let mut echo = object.clone();
        match action.as_str() {
            Some("query_version") => {
                echo.insert("version".to_owned(), json!(env!("CARGO_PKG_VERSION")));
                echo.insert("git_hash".to_owned(), json!(""));
            }
            Some("query_models") => {
                echo.insert("models".to_owned(), json!([]));
            }
            Some("clear_cache") => {
                self.cleared += 1;
                self.dialogue.clear_cache();
            }
            Some("terminate") => {
                let wanted = object.get("terminateId").cloned();
                let Some(wanted) = wanted else { return Err(Fault::new("terminateId", "is missing")) };
                let turns = query::turns(object, "turnNumbers")?;
                self.terminate(out, |task| {
                    task.id == wanted && turns.as_ref().is_none_or(|turns| turns.contains(&task.turn))
                });
            }
            Some("terminate_all") => {
                let turns = query::turns(object, "turnNumbers")?;
                self.terminate(out, |task| turns.as_ref().is_none_or(|turns| turns.contains(&task.turn)));
            }
            _ => return Err(Fault::new("action", "is unknown")),
        }
        // The echo says that the request was received; the turns answer for themselves.
        say(&Value::Object(echo), out);
        Ok(())
    }

    /// Ends what is asked for: turns that wait answer that they have no results, running ones with what
    /// they have.
    fn terminate(&mut self, out: &mut Vec<Action>, wanted: impl Fn(&Task) -> bool) {
        let (ended, kept) = std::mem::take(&mut self.waiting).into_iter().partition(|task| wanted(task));
        self.waiting = kept;
        let ended: Vec<Task> = ended;
        for task in ended {
            say(&reply::no_results(&task), out);
        }
        for (number, running) in self.engines.iter().enumerate() {
            if running.as_ref().is_some_and(|running| wanted(&running.task)) {
                out.push(Action::Stop(number));
            }
        }
    }
}

fn say(value: &Value, out: &mut Vec<Action>) {
    out.push(Action::ToGui(format!("{value}\n")));
}

/// The error about a line that is not a query.
fn bad_line(problem: &str) -> Value {
    json!({ "error": problem })
}

impl Dialect for Json {
    fn line(&mut self, line: &str, out: &mut Vec<Action>) {
        if line.trim().is_empty() {
            return;
        }
        match serde_json::from_str(line) {
            Ok(Value::Object(object)) => self.object(line, &object, out),
            Ok(_) => say(&bad_line("not a JSON object"), out),
            Err(error) => say(&bad_line(&format!("not JSON: {error}")), out),
        }
        self.schedule(out);
    }

    fn too_long(&mut self, _: &str, out: &mut Vec<Action>) {
        say(&bad_line("line too long"), out);
    }

    fn search(&mut self, engine: usize, event: Event, out: &mut Vec<Action>) {
        if engine >= self.engines.len() {
            self.dialogue.search(event, out);
            return self.schedule(out);
        }
        let Some(slot) = self.engines.get_mut(engine) else { return };
        match event {
            Event::Started => {}
            Event::Report(infos) => {
                if let Some(running) = slot {
                    if running.task.during {
                        say(&reply::report(&running.task, &infos, true), out);
                    }
                    running.last = infos;
                }
            }
            Event::Done(result) => {
                if let Some(Running { task, last }) = slot.take() {
                    match result {
                        Ok(_) if last.is_empty() => say(&reply::no_results(&task), out),
                        Ok(_) => say(&reply::report(&task, &last, false), out),
                        Err(why) => {
                            log::error!(target: "adapter::json", "{why}");
                            say(&json!({ "error": why, "id": task.id, "turnNumber": task.turn }), out);
                            say(&reply::no_results(&task), out);
                        }
                    }
                }
                self.schedule(out);
            }
        }
    }

    fn end_of_input(&mut self, out: &mut Vec<Action>) {
        self.ended = true;
        if self.config.quit_without_waiting {
            self.terminate(out, |_| true);
            self.dialogue.stop(out);
        }
        self.schedule(out);
    }

    fn accepts(&self) -> bool {
        self.waiting.len() < WAITING_LIMIT && self.dialogue.accepts()
    }
}

#[cfg(test)]
mod tests;
