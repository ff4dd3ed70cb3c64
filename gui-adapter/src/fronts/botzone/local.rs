//! Botzone's "local AI": many matches at once over one connection, which a poller keeps. Pure, as every
//! front: what the poller receives are its lines, and it says what to send.
//!
//! | from the poller | |
//! | --- | --- |
//! | the lines of a reply | as the site sends them: numbers of requests and of finished matches, the requests, the results |
//! | [`END`] | the reply is complete |
//!
//! | to the poller | |
//! | --- | --- |
//! | `answer ID RESPONSE` | to be sent with the next poll |
//! | `finished ID TEXT` | a match is over |
//! | `note TEXT` | to be shown to the user |
//! | `poll` | everything is answered |
//! | `wait` | the same after a reply that made no sense: not at once |

use std::collections::VecDeque;
use std::time::Duration;

use tengen_engine::games::SetupError;

use super::Kind;
use super::coordinates::Coordinates;
use super::table::{Reply, Step, Table};
use crate::bridge::{Action, Dialect};
use crate::client::args::EngineOptions;
use crate::client::{Event, Request};

/// The line after each reply.
pub const END: &str = "\u{4}";
/// The most matches at a time.
const MOST_MATCHES: usize = 200;
/// The most lines of a reply.
const MOST_LINES: usize = 4 * MOST_MATCHES;

/// How the front begins.
#[derive(Clone, Debug)]
pub struct Config {
    /// The game of all matches.
    pub kind: Kind,
    /// How long a turn may take.
    pub time_limit: Duration,
    /// How many searches run at a time; further matches wait, and all get less time.
    pub engines: usize,
    /// Options for the engines.
    pub options: EngineOptions,
}

#[derive(Debug)]
struct Match {
    id: String,
    /// Counts the matches: no two of them share a game or a clock in the eyes of an engine.
    number: u64,
    table: Table,
    /// Whether its moves are JSON.
    json: bool,
    /// The engine that knows it.
    engine: Option<usize>,
    /// The last request, and the response to it once there is one.
    asked: String,
    answered: Option<String>,
}

/// The front of many matches.
#[derive(Debug)]
pub struct Local {
    config: Config,
    matches: Vec<Match>,
    begun: u64,
    /// The match that each engine searches for.
    engines: Vec<Option<String>>,
    waiting: VecDeque<(String, Box<Request>)>,
    body: Vec<String>,
    ended: bool,
}

/// A name that may stand in a header.
fn is_name(text: &str) -> bool {
    (1..=64).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_".contains(&b))
}

fn say(line: &str, out: &mut Vec<Action>) {
    out.push(Action::ToGui(format!("{line}\n")));
}

impl Local {
    /// A front without a match.
    ///
    /// # Errors
    /// When the game has no such set-up.
    pub fn new(config: Config) -> Result<Local, SetupError> {
        config.kind.setup()?;
        let engines = vec![None; config.engines.max(1)];
        Ok(Local {
            config,
            matches: Vec::new(),
            begun: 0,
            engines,
            waiting: VecDeque::new(),
            body: Vec::new(),
            ended: false,
        })
    }

    /// Whether nothing of the last reply is left to be answered.
    fn is_idle(&self) -> bool {
        self.waiting.is_empty() && self.engines.iter().all(Option::is_none)
    }

    /// Keeps a line of a reply; what no reply may have is dropped.
    fn keep(&mut self, line: &str) {
        if self.body.len() <= MOST_LINES {
            self.body.push(line.to_owned());
        }
    }

    /// Takes a whole reply of the site.
    fn take(&mut self, body: &[String], out: &mut Vec<Action>) {
        let Some((requests, results)) = split(body) else {
            let head: String = body.first().map(|line| line.chars().take(80).collect()).unwrap_or_default();
            say(&format!("note the site sent no list of matches: {}", head.escape_default()), out);
            return say("wait", out);
        };
        let count = requests.len().max(1);
        let turns = count.div_ceil(self.engines.len().max(1));
        let limit = self.config.time_limit / u32::try_from(turns).unwrap_or(u32::MAX);
        for (id, request) in requests {
            self.request(id, request, limit, out);
        }
        for result in results {
            self.finish(result, out);
        }
        self.launch(out);
        if self.is_idle() {
            say("poll", out);
        }
    }

    fn request(&mut self, id: &str, request: &str, limit: Duration, out: &mut Vec<Action>) {
        if !is_name(id) || (self.matches.len() >= MOST_MATCHES && !self.matches.iter().any(|m| m.id == id)) {
            return say(&format!("note match {}: not taken", id.escape_default()), out);
        }
        if !self.matches.iter().any(|other| other.id == id) {
            let table = match Table::new(self.config.kind, &self.config.options) {
                Ok(table) => table,
                Err(error) => return say(&format!("note match {id}: {error}"), out),
            };
            self.begun += 1;
            let (id, number) = (id.to_owned(), self.begun);
            let (asked, answered) = (String::new(), None);
            self.matches.push(Match { id, number, table, json: false, engine: None, asked, answered });
        }
        let kind = self.config.kind;
        let Some(game) = self.matches.iter_mut().find(|other| other.id == id) else { return };
        // The answer was lost or refused. Only a pass can be the same twice in a row and yet be news.
        if game.asked == request
            && !game.table.expects_pass()
            && let Some(response) = &game.answered
        {
            return say(&format!("answer {id} {response}"), out);
        }
        game.asked = request.to_owned();
        game.answered = None;
        game.json = request.trim_start().starts_with('{');
        match serde_json::from_str(request) {
            Ok(message) if game.json => {
                game.table.read(&message);
            }
            _ => game.table.hear(Coordinates::of_text(kind, request)),
        }
        match game.table.think(limit) {
            Step::Reply(reply) => answer(kind, game, &reply, out),
            Step::Search(mut request) => {
                request.game += game.number << 32;
                request.clock.settings += game.number << 32;
                self.waiting.push_back((id.to_owned(), request));
            }
        }
    }

    fn finish(&mut self, result: &str, out: &mut Vec<Action>) {
        let words: Vec<&str> = result.split_ascii_whitespace().collect();
        let (id, text) = match words.as_slice() {
            [id, _, "0", ..] => (*id, "aborted".to_owned()),
            [id, slot, _, scores @ ..] => {
                let scores = scores.join(" : ");
                (*id, format!("{scores}, you were player {slot}"))
            }
            _ => return say(&format!("note a result without sense: {}", result.escape_default()), out),
        };
        self.matches.retain(|game| game.id != id);
        self.waiting.retain(|(other, _)| other != id);
        say(&format!("finished {} {}", id.escape_default(), text.escape_default()), out);
    }

    /// Gives waiting searches to idle engines, to the one that knows the match if it can be.
    fn launch(&mut self, out: &mut Vec<Action>) {
        while let Some(idle) = self.engines.iter().position(Option::is_none)
            && let Some((id, mut request)) = self.waiting.pop_front()
        {
            let Some(game) = self.matches.iter_mut().find(|game| game.id == id) else { continue };
            let known = game.engine.filter(|&engine| self.engines.get(engine) == Some(&None));
            let engine = known.unwrap_or(idle);
            game.engine = Some(engine);
            if let Some(slot) = self.engines.get_mut(engine) {
                *slot = Some(id);
            }
            request.engine = engine;
            out.push(Action::Search(request));
        }
    }
}

/// A match and what it is asked.
type Asked<'a> = (&'a str, &'a str);

/// The requests and the results of a reply.
fn split(body: &[String]) -> Option<(Vec<Asked<'_>>, Vec<&str>)> {
    let (counts, rest) = body.split_first()?;
    let counts: Option<Vec<usize>> = counts.split_ascii_whitespace().map(|word| word.parse().ok()).collect();
    let [requests, results] = *counts?.as_slice() else { return None };
    if requests > MOST_LINES || results > MOST_LINES || rest.len() < 2 * requests + results {
        return None;
    }
    let (pairs, rest) = rest.split_at(2 * requests);
    let pairs = pairs.chunks_exact(2).filter_map(|pair| match pair {
        [id, request] => Some((id.trim(), request.as_str())),
        _ => None,
    });
    Some((pairs.collect(), rest.iter().take(results).map(String::as_str).collect()))
}

fn answer(kind: Kind, game: &mut Match, reply: &Reply, out: &mut Vec<Action>) {
    log::info!(target: "adapter::botzone", "match {}: {}", game.id, reply.debug);
    let response = match game.json {
        true => reply.response.to_json(kind).to_string(),
        false => reply.response.to_text(kind),
    };
    say(&format!("answer {} {response}", game.id), out);
    game.answered = Some(response);
}

impl Dialect for Local {
    fn line(&mut self, line: &str, out: &mut Vec<Action>) {
        if line == END {
            let body = std::mem::take(&mut self.body);
            self.take(&body, out);
        } else {
            self.keep(line.trim_end_matches('\r'));
        }
    }

    fn too_long(&mut self, head: &str, _: &mut Vec<Action>) {
        self.keep(head);
    }

    fn search(&mut self, engine: usize, event: Event, out: &mut Vec<Action>) {
        let Some(slot) = self.engines.get_mut(engine) else { return };
        let Some(id) = slot.clone() else { return };
        if matches!(event, Event::Done(_)) {
            *slot = None;
        }
        let kind = self.config.kind;
        if let Some(game) = self.matches.iter_mut().find(|game| game.id == id) {
            match event {
                Event::Started => {}
                Event::Report(lines) => game.table.report(lines),
                Event::Done(result) => {
                    let reply = game.table.done(result);
                    answer(kind, game, &reply, out);
                }
            }
        }
        self.launch(out);
        if self.is_idle() {
            if self.ended {
                out.push(Action::Quit);
            } else {
                say("poll", out);
            }
        }
    }

    fn file(&mut self, _: Result<String, String>, _: &mut Vec<Action>) {}

    fn end_of_input(&mut self, out: &mut Vec<Action>) {
        self.ended = true;
        self.waiting.clear();
        if self.is_idle() {
            return out.push(Action::Quit);
        }
        let busy = self.engines.iter().enumerate().filter(|(_, slot)| slot.is_some());
        out.extend(busy.map(|(engine, _)| Action::Stop(engine)));
    }

    /// A reply is taken whole, and the next only when it is answered.
    fn accepts(&self) -> bool {
        self.is_idle()
    }
}

#[cfg(test)]
mod tests;
