//! UCI in the dialect of Fairy-Stockfish, for GUIs such as Fairyground, and UGI, its relative for any
//! game, for match runners such as CuteGames.
//!
//! The front keeps the game itself and answers everything but searches at once. While a search runs,
//! `isready`, `stop`, `ponderhit` and `quit` act at once and questions are answered; what would change
//! the game waits in order. A `go` that waits ends the search before it.

pub(crate) mod notation;
mod options;
mod search;
mod show;
mod variant;
mod words;

use tengen_engine::games::{self, Setup, SetupError};
use tengen_engine::protocol::Info;

use crate::bridge::{Action, Dialect};
use crate::client::Event;
use crate::client::args::EngineOptions;
use crate::fronts::desk::Desk;
use crate::fronts::queue::{Queue, Waiting};

use notation::{Notation, Tail};
use search::Running;
pub use variant::{VARIANTS, Variant};
use words::{Command, Go, Position};

/// Which of the two protocols is spoken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Protocol {
    /// UCI, games by the option `UCI_Variant`.
    Uci,
    /// UGI, games by the options `Game`, `Size` and `Rules`.
    Ugi,
}

impl Protocol {
    /// The move where there is none.
    fn no_move(self) -> &'static str {
        match self {
            Protocol::Uci => "(none)",
            Protocol::Ugi => "0000",
        }
    }

    fn hello_ends(self) -> &'static str {
        match self {
            Protocol::Uci => "uciok",
            Protocol::Ugi => "ugiok",
        }
    }
}

/// How the front begins.
#[derive(Clone, Debug)]
pub struct Config {
    /// The protocol.
    pub protocol: Protocol,
    /// The game until the client chooses another; in UCI that of a [`Variant`].
    pub setup: Setup,
    /// Options for the engine.
    pub options: EngineOptions,
}

/// The front for both protocols.
#[derive(Debug)]
pub struct Uci {
    protocol: Protocol,
    desk: Desk,
    tail: Tail,
    /// Whether the last position that was sent could not be set up, and nothing may be searched.
    unusable: bool,
    /// The option `Ponder`: whether `bestmove` names the expected reply.
    ponder: bool,
    debug: bool,
    running: Option<Running>,
    /// The last report of the last search.
    last: Vec<Info>,
    queue: Queue,
    /// How many `go` wait.
    waiting_searches: usize,
    ended: bool,
}

/// A text from the client as it is shown to it: short, and on one line.
fn shown(text: &str) -> String {
    const LONGEST: usize = 40;
    let mut short: String = text.chars().take(LONGEST).collect();
    if short.len() < text.len() {
        short.push_str("...");
    }
    short.escape_default().to_string()
}

fn say(text: impl Into<String>, out: &mut Vec<Action>) {
    let mut text = text.into();
    text.push('\n');
    out.push(Action::ToGui(text));
}

/// Neither protocol has an error reply.
fn complain(text: &str, out: &mut Vec<Action>) {
    say(format!("info string error: {text}"), out);
}

impl Uci {
    /// A front at the start of a game.
    ///
    /// # Errors
    /// When the game has no such set-up, or UCI no such variant.
    pub fn new(config: Config) -> Result<Uci, SetupError> {
        if config.protocol == Protocol::Uci && Variant::of(&config.setup).is_none() {
            return Err(SetupError(format!("no variant of UCI: {}", config.setup)));
        }
        let mut options = config.options;
        // Only the GUI may order thinking on the opponent's time.
        options.set("ponder", "off").ok();
        let desk = Desk::new(config.setup, options)?;
        let tail = Tail::new(&*desk.referee);
        Ok(Uci {
            protocol: config.protocol,
            desk,
            tail,
            unusable: false,
            ponder: false,
            debug: false,
            running: None,
            last: Vec::new(),
            queue: Queue::default(),
            waiting_searches: 0,
            ended: false,
        })
    }

    fn notation(&self) -> Notation {
        match self.protocol {
            Protocol::Ugi => Notation::Native,
            Protocol::Uci => {
                Variant::of(self.desk.referee.setup()).map_or(Notation::Native, Variant::notation)
            }
        }
    }

    /// The referee is at the start of a game.
    fn begin(&mut self) {
        self.tail = Tail::new(&*self.desk.referee);
        self.unusable = false;
        self.last.clear();
    }

    /// Sets a position up; one that is wrong anywhere is not set up at all.
    fn set_position(&mut self, position: &Position<'_>) -> Result<(), String> {
        let notation = self.notation();
        let setup = self.desk.referee.setup().clone();
        let mut referee = games::referee(setup).map_err(|error| error.to_string())?;
        let mut tail = match &position.fen {
            None => Tail::new(&*referee),
            Some(fen) => {
                notation.set_up(&mut *referee, fen).map_err(|error| format!("bad position: {error}"))?
            }
        };
        for text in &position.moves {
            let ply = notation.read(&*referee, &tail, text)?;
            notation
                .play(&mut *referee, &mut tail, ply)
                .map_err(|why| format!("illegal move \"{}\": {why}", shown(text)))?;
        }
        // The game stays the same one, so that the engine keeps its tree.
        self.desk.referee = referee;
        self.tail = tail;
        Ok(())
    }

    fn position(&mut self, words: &[&str], out: &mut Vec<Action>) {
        let result = match Position::parse(words) {
            Some(position) => self.set_position(&position),
            None => Err("expected position startpos | fen TEXT [moves MOVE ...]".to_owned()),
        };
        self.last.clear();
        self.unusable = result.is_err();
        if let Err(why) = result {
            complain(&format!("{why}; the position cannot be used"), out);
        }
    }

    /// Does what may be done at any time: it changes nothing that a search depends on.
    fn question(&mut self, command: Command, words: &[&str], out: &mut Vec<Action>) {
        match command {
            Command::Hello => {
                let version = env!("CARGO_PKG_VERSION");
                say(
                    format!(
                        "id name Tengen {version}\nid author The Tengen developers\n{}{}",
                        self.option_lines(),
                        self.protocol.hello_ends()
                    ),
                    out,
                );
            }
            Command::Debug => match words {
                ["on"] => self.debug = true,
                ["off"] => self.debug = false,
                _ => complain("expected debug on | off", out),
            },
            Command::Query => self.query(words, out),
            Command::Show => say(self.diagram(), out),
            _ => {}
        }
    }

    fn execute(&mut self, command: Command, words: &[&str], out: &mut Vec<Action>) {
        match command {
            Command::SetOption => {
                let set = words::option(words)
                    .ok_or_else(|| "expected setoption name NAME value VALUE".to_owned())
                    .and_then(|(name, value)| self.set_option(&name, &value));
                if let Err(why) = set {
                    complain(&why, out);
                }
            }
            Command::NewGame => match self.desk.new_game(self.desk.referee.setup().clone()) {
                Ok(()) => self.begin(),
                Err(error) => complain(&error.to_string(), out),
            },
            Command::Position => self.position(words, out),
            Command::Go => self.go(Go::parse(words), out),
            Command::Stop => self.stop(out),
            Command::PonderHit => self.ponder_hit(out),
            _ => self.question(command, words, out),
        }
    }

    fn take(&mut self, line: &str, out: &mut Vec<Action>) {
        let Some((command, words)) = self.protocol.read(line) else {
            if !line.trim().is_empty() {
                complain(&format!("unknown command: {}", shown(line.trim())), out);
            }
            return;
        };
        match command {
            Command::IsReady => say("readyok", out),
            Command::Quit => self.quit(out),
            Command::Stop | Command::PonderHit if self.waiting_searches > 0 => {
                // It is meant for the last search; but nobody waits for the one before any more.
                self.wait(Waiting::Line(line.to_owned()));
            }
            Command::Stop | Command::PonderHit => self.execute(command, &words, out),
            Command::Hello | Command::Debug | Command::Register | Command::Query | Command::Show
                if self.queue.is_empty() =>
            {
                self.question(command, &words, out);
            }
            _ if self.running.is_none() => self.execute(command, &words, out),
            _ => {
                self.waiting_searches += usize::from(command == Command::Go);
                self.wait(Waiting::Line(line.to_owned()));
            }
        }
    }

    fn wait(&mut self, waiting: Waiting) {
        self.queue.push(waiting);
    }

    fn quit(&mut self, out: &mut Vec<Action>) {
        self.queue.clear();
        self.waiting_searches = 0;
        self.ended = true;
        if self.running.is_some() {
            out.push(Action::Leave);
            self.stop(out);
        }
    }

    /// Whether the search that runs is to make way: another one waits, nobody is left to end it, or no
    /// more lines can be kept.
    fn overtaken(&self) -> bool {
        let endless = self.running.as_ref().is_some_and(Running::is_endless);
        self.waiting_searches > 0 || (self.ended && endless) || !self.queue.has_room()
    }

    /// Does the waiting lines until one of them has to wait for a search.
    fn pump(&mut self, out: &mut Vec<Action>) {
        loop {
            if self.running.is_some() && self.overtaken() {
                self.stop(out);
            }
            if self.running.is_some() && !self.signal_waits() {
                return;
            }
            match self.queue.pop() {
                Some(Waiting::Line(line)) => {
                    let Some((command, words)) = self.protocol.read(&line) else { continue };
                    self.waiting_searches =
                        self.waiting_searches.saturating_sub(usize::from(command == Command::Go));
                    self.execute(command, &words, out);
                }
                Some(Waiting::TooLong(head)) => self.refuse_long(&head, out),
                None => break,
            }
        }
        if self.ended {
            out.push(Action::Quit);
        }
    }

    /// Whether the next line that waits is meant for the search that runs.
    fn signal_waits(&self) -> bool {
        let Some(Waiting::Line(line)) = self.queue.front() else { return false };
        matches!(self.protocol.read(line), Some((Command::Stop | Command::PonderHit, _)))
    }

    fn refuse_long(&mut self, head: &str, out: &mut Vec<Action>) {
        complain("line too long", out);
        // A search of the position before it would answer with a move of another position.
        if let Some((Command::Position, _)) = self.protocol.read(head) {
            self.unusable = true;
        }
    }
}

impl Dialect for Uci {
    fn line(&mut self, line: &str, out: &mut Vec<Action>) {
        // Behind `quit` nothing counts.
        if !self.ended {
            self.take(line, out);
            self.pump(out);
        }
    }

    fn too_long(&mut self, head: &str, out: &mut Vec<Action>) {
        if self.ended {
            return;
        }
        if self.running.is_some() {
            self.wait(Waiting::TooLong(head.to_owned()));
        } else {
            self.refuse_long(head, out);
        }
        self.pump(out);
    }

    fn search(&mut self, _: usize, event: Event, out: &mut Vec<Action>) {
        match event {
            Event::Started => {}
            Event::Report(infos) => self.report(infos, out),
            Event::Done(result) => {
                self.done(result, out);
                self.pump(out);
            }
        }
    }

    fn end_of_input(&mut self, out: &mut Vec<Action>) {
        self.ended = true;
        self.pump(out);
    }

    fn accepts(&self) -> bool {
        self.queue.has_room()
    }
}

#[cfg(test)]
mod tests;
