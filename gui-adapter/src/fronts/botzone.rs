//! Botzone, the site for matches between bots: a process a turn, or one that is stopped (`SIGSTOP`)
//! while the opponent thinks; JSON, or numbers on lines.
//!
//! The judge is the authority: it tells the whole course of the match each turn, or, once the bot has
//! asked to be kept running, the opponent's last move. Moves are counted to know whether `-1, -1` says
//! "you begin" or "I pass".

mod coordinates;
pub mod local;
mod table;

use std::time::Duration;

use serde::Serialize;
use serde_json::Value;
use tengen_engine::games::{GameId, Setup, SetupError};

use crate::bridge::{Action, Dialect};
use crate::client::Event;
use crate::client::args::EngineOptions;
use crate::fronts::queue::{Queue, Waiting};

use coordinates::Coordinates;
use table::{MOST_TURNS, Reply, Step, Table};

/// The line that asks the site to keep the process for the next turn.
const KEEP_RUNNING: &str = ">>>BOTZONE_REQUEST_KEEP_RUNNING<<<";
/// The longest time a turn may take, whatever is asked for.
const LONGEST: Duration = Duration::from_secs(600);

/// A game of the site.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Kind {
    /// NoGo on 9x9.
    Nogo,
    /// Gomoku on 15x15, five or more.
    Gomoku,
    /// The same where the second player may take Black's side after three stones; nothing is forbidden.
    Renju,
    /// Othello.
    Reversi,
    /// Amazons on 8x8; who begins is called Black there.
    Amazons,
}

impl Kind {
    /// The name on the site.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Kind::Nogo => "NoGo",
            Kind::Gomoku => "Gomoku",
            Kind::Renju => "Renju",
            Kind::Reversi => "Reversi",
            Kind::Amazons => "Amazons",
        }
    }

    /// The site's game that a set-up comes nearest to; the site's boards have one size each.
    #[must_use]
    pub fn of(setup: &Setup) -> Kind {
        match setup.game {
            GameId::NoGo => Kind::Nogo,
            GameId::Gomoku if setup.rules == "renju" => Kind::Renju,
            GameId::Gomoku => Kind::Gomoku,
            GameId::Othello => Kind::Reversi,
            GameId::Amazons => Kind::Amazons,
        }
    }

    /// The side of the board.
    fn side(self) -> u8 {
        match self {
            Kind::Nogo => 9,
            Kind::Gomoku | Kind::Renju => 15,
            Kind::Reversi | Kind::Amazons => 8,
        }
    }

    fn setup(self) -> Result<Setup, SetupError> {
        let mut setup = Setup::new(match self {
            Kind::Nogo => GameId::NoGo,
            Kind::Gomoku | Kind::Renju => GameId::Gomoku,
            Kind::Reversi => GameId::Othello,
            Kind::Amazons => GameId::Amazons,
        });
        setup.set_sides(self.side(), self.side())?;
        Ok(setup)
    }
}

/// How the front begins.
#[derive(Clone, Debug)]
pub struct Config {
    /// The game.
    pub kind: Kind,
    /// Whether the site is asked to keep the process.
    pub keep_running: bool,
    /// Whether moves are numbers on lines.
    pub simple_io: bool,
    /// How long a turn may take where the site does not say it; the first may take twice as long.
    pub time_limit: Duration,
    /// Options for the engine.
    pub options: EngineOptions,
}

/// The lines of simplified IO that belong together: how many are to come, and those that came.
type Block = (usize, Vec<Result<Coordinates, String>>);

/// The Botzone front.
#[derive(Debug)]
pub struct Botzone {
    config: Config,
    table: Table,
    /// The limit that the site has given.
    time_limit: Option<Duration>,
    block: Option<Block>,
    searching: bool,
    queue: Queue,
    ended: bool,
    /// The one turn of the process is over.
    finished: bool,
}

/// An answer as the site reads it.
#[derive(Serialize)]
struct Output {
    response: Value,
    debug: String,
}

impl Botzone {
    /// A front at the start of a match.
    ///
    /// # Errors
    /// When the game has no such set-up.
    pub fn new(config: Config) -> Result<Botzone, SetupError> {
        Ok(Botzone {
            table: Table::new(config.kind, &config.options)?,
            config,
            time_limit: None,
            block: None,
            searching: false,
            queue: Queue::default(),
            ended: false,
            finished: false,
        })
    }

    fn pump(&mut self, out: &mut Vec<Action>) {
        while !self.searching
            && !self.finished
            && let Some(waiting) = self.queue.pop()
        {
            match waiting {
                Waiting::Line(line) if self.config.simple_io => self.numbers(&line, out),
                Waiting::Line(line) => self.json(&line, out),
                Waiting::TooLong(_) => {
                    self.table.hear(Err("the line is too long".to_owned()));
                    self.think(out);
                }
            }
        }
        if self.finished || (self.ended && !self.searching) {
            out.push(Action::Quit);
        }
    }

    fn json(&mut self, line: &str, out: &mut Vec<Action>) {
        match serde_json::from_str(line) {
            Ok(message) => self.time_limit = self.table.read(&message).or(self.time_limit),
            Err(error) => self.table.hear(Err(format!("bad JSON: {error}"))),
        }
        self.think(out);
    }

    /// A line of simplified IO: a number says how many requests there are so far, of which all lines
    /// follow; anything else is the opponent's move.
    fn numbers(&mut self, line: &str, out: &mut Vec<Action>) {
        let event = Coordinates::of_text(self.config.kind, line);
        if let Some((missing, events)) = &mut self.block {
            events.push(event);
            *missing = missing.saturating_sub(1);
            if *missing == 0
                && let Some((_, events)) = self.block.take()
            {
                self.table.replay(events);
                self.think(out);
            }
            return;
        }
        match line.trim().parse::<usize>() {
            Ok(turns @ 1..=MOST_TURNS) => self.block = Some((2 * turns - 1, Vec::new())),
            _ => {
                self.table.hear(event);
                self.think(out);
            }
        }
    }

    fn think(&mut self, out: &mut Vec<Action>) {
        let limit = self.time_limit.unwrap_or_else(|| {
            let turns = if self.table.is_first_turn() { 2 } else { 1 };
            self.config.time_limit.saturating_mul(turns)
        });
        match self.table.think(limit.min(LONGEST)) {
            Step::Reply(reply) => self.answer(&reply, out),
            Step::Search(request) => {
                self.searching = true;
                out.push(Action::Search(request));
            }
        }
    }

    fn answer(&mut self, reply: &Reply, out: &mut Vec<Action>) {
        let kind = self.config.kind;
        let mut text = if self.config.simple_io {
            // What a second line means differs between the site and its imitations.
            reply.response.to_text(kind)
        } else {
            let output = Output { response: reply.response.to_json(kind), debug: reply.debug.clone() };
            serde_json::to_string(&output).unwrap_or_default()
        };
        text.push('\n');
        if self.config.keep_running {
            text.push_str(KEEP_RUNNING);
            text.push('\n');
        } else {
            self.finished = true;
        }
        out.push(Action::ToGui(text));
    }
}

impl Dialect for Botzone {
    fn line(&mut self, line: &str, out: &mut Vec<Action>) {
        if !line.trim().is_empty() {
            self.queue.push(Waiting::Line(line.to_owned()));
        }
        self.pump(out);
    }

    fn too_long(&mut self, head: &str, out: &mut Vec<Action>) {
        self.queue.push(Waiting::TooLong(head.to_owned()));
        self.pump(out);
    }

    fn search(&mut self, _: usize, event: Event, out: &mut Vec<Action>) {
        match event {
            Event::Started => {}
            Event::Report(lines) => self.table.report(lines),
            Event::Done(result) => {
                self.searching = false;
                let reply = self.table.done(result);
                self.answer(&reply, out);
                self.pump(out);
            }
        }
    }

    fn end_of_input(&mut self, out: &mut Vec<Action>) {
        self.ended = true;
        if self.block.take().is_some() {
            self.table.hear(Err("the input ended within the requests".to_owned()));
            self.think(out);
        }
        self.pump(out);
    }

    fn accepts(&self) -> bool {
        self.queue.has_room()
    }
}

#[cfg(test)]
mod tests;
