//! GTP 2, as Quarry, GoGui and its tools, gomill, Sabaki, Lizzie, q5Go and the servers speak it.
//!
//! The front keeps the game itself and answers everything but searches at once, from the rules alone;
//! a search takes the whole position with it, and the client brings the daemon there.
//!
//! While a search runs, lines wait in order. `# interrupt` ends the search at once, and any line at
//! all, even an empty one, ends an analysis.

mod analyze;
mod commands;
mod gogui;
mod line;
mod notation;
mod play;
mod rules;
mod searches;
mod setup;
mod table;
mod time;

use std::time::Duration;

use arrayvec::ArrayVec;
use tengen_engine::game::{Color, Point};
use tengen_engine::games::{self, Setup, SetupError};
use tengen_engine::protocol::{Info, Reply};

use crate::bridge::{Action, Dialect};
use crate::client::args::EngineOptions;
use crate::client::{Event, SearchKind};
use crate::fronts::clocks::Clocks;
use crate::fronts::queue::{Queue, Waiting};

use analyze::Analysis;
use gogui::Shape;
use line::Line;
use notation::Notation;
pub use notation::Profile;
use searches::write_header;
use table::Table;

/// How the front begins.
#[derive(Clone, Debug)]
pub struct Config {
    /// The game until the client chooses another.
    pub setup: Setup,
    /// The kind of client, or `None` to tell it from its commands.
    pub profile: Option<Profile>,
    /// Whether Othello's row 1 is at the bottom, as Go programs draw it.
    pub row_one_at_bottom: bool,
    /// Options for the engine.
    pub options: EngineOptions,
}

/// What a running search or file access is for.
#[derive(Clone, Debug)]
enum Purpose {
    /// A move to be played.
    GenMove,
    /// A move to be told.
    RegGenMove,
    /// Reports until the next line.
    Analyze(Analysis),
    /// Reports, then a move to be played.
    GenMoveAnalyze(Analysis),
    /// The reports of a short search, in one of GoGui's forms.
    Show(Shape),
    /// A record to be loaded.
    Load(Loading),
    /// A record to be saved.
    Save,
}

/// A record that is being read.
#[derive(Clone, Debug, Default)]
struct Loading {
    /// Up to before this move.
    number: Option<usize>,
    /// The path if the number belongs to it, to be tried when there is no file without the number.
    whole: Option<String>,
    /// Why there is no file without the number.
    problem: Option<String>,
}

/// The command that waits for a search or a file.
#[derive(Debug)]
struct Running {
    id: Option<String>,
    color: Color,
    purpose: Purpose,
    /// Whether the daemon is (or is about to be) searching for it.
    searching: bool,
    /// Whether the search was asked to end.
    stopping: bool,
    /// Whether the first line of an analysis was written.
    header: bool,
    /// The last report, while it was not written.
    unwritten: Option<String>,
    /// The search time of the last report written.
    written: Option<Duration>,
}

/// What a command comes to.
enum Outcome {
    /// A reply.
    Text(String),
    /// A search for the side.
    Search(Color, SearchKind, Purpose),
    /// An analysis of a finished game, which has nothing to report.
    Idle(Color, Analysis),
    /// A file to be read or written.
    File(Action, Purpose),
    /// A reply, and an end to thinking on the opponent's time.
    Halt,
    /// A reply, then the end.
    Quit,
}

/// The outcome of a command, or the text of its failure.
type Answered = Result<Outcome, String>;

/// The GTP front.
#[derive(Debug)]
pub struct Gtp {
    profile: Profile,
    profile_fixed: bool,
    row_one_at_bottom: bool,
    /// The set-up of the command line, whose rules hold when the client names the same game.
    asked: Setup,
    table: Table,
    notation: Notation,
    options: EngineOptions,
    komi: f32,
    clock: Clocks,
    /// Stones placed by `gogui-setup`.
    placed: Vec<(Point, Color)>,
    /// The points still to be told of a move that is told point by point.
    rest: ArrayVec<Point, 3>,
    running: Option<Running>,
    queue: Queue,
    ended: bool,
    /// How many moves the client could take back when the engine last moved and may have begun to think
    /// about the reply; `None` when it does not.
    pondering: Option<usize>,
    /// The last report of the last search.
    last: Vec<Info>,
    /// Time spent in searches for moves.
    spent: Duration,
}

impl Gtp {
    /// A front at the start of a game.
    ///
    /// # Errors
    /// When the game has no such set-up.
    pub fn new(config: Config) -> Result<Gtp, SetupError> {
        let referee = games::referee(config.setup.clone())?;
        let profile = config.profile.unwrap_or(Profile::Plain);
        let notation = Notation::new(&*referee, profile, config.row_one_at_bottom);
        let mut table = Table::new(referee);
        table.set_steps(notation.steps());
        Ok(Gtp {
            profile,
            profile_fixed: config.profile.is_some(),
            row_one_at_bottom: config.row_one_at_bottom,
            asked: config.setup,
            table,
            notation,
            options: config.options,
            komi: 0.0,
            clock: Clocks::default(),
            placed: Vec::new(),
            rest: ArrayVec::new(),
            running: None,
            queue: Queue::default(),
            ended: false,
            pondering: None,
            last: Vec::new(),
            spent: Duration::ZERO,
        })
    }

    /// Learns from a command's name who is there.
    fn detect(&mut self, name: &str) {
        if self.profile_fixed {
            return;
        }
        let seen = match name {
            _ if name.starts_with("gogui-rules_") => Profile::GoGui,
            "list_games" | "set_game" if self.profile == Profile::Plain => Profile::Quarry,
            _ => return,
        };
        if seen != self.profile {
            log::info!(target: "adapter::gtp", "the client is taken for {seen:?}");
            self.profile = seen;
            self.renew_notation();
        }
    }

    /// To be called after every change of game, size or profile.
    fn renew_notation(&mut self) {
        self.notation = Notation::new(self.table.referee(), self.profile, self.row_one_at_bottom);
        self.table.set_steps(self.notation.steps());
        self.rest.clear();
    }

    fn execute(&mut self, line: &str, out: &mut Vec<Action>) {
        let Line::Command { id, words, rest } = Line::parse(line) else { return };
        let mut words = words.iter().map(String::as_str);
        let Some(name) = words.next() else {
            reply(id, Err("empty command".to_owned()), out);
            return;
        };
        let args: Vec<&str> = match commands::takes_path(name) {
            true => Some(rest.as_str()).filter(|rest| !rest.is_empty()).into_iter().collect(),
            false => words.collect(),
        };
        self.detect(name);
        let game = self.table.game();
        let answered = match commands::find(name) {
            Some(run) => run(self, &args),
            None => Err("unknown command".to_owned()),
        };
        self.calm(game, out);
        self.act(id, answered, out);
    }

    /// Ends the engine's thinking on the opponent's time when the game is no longer where it has a
    /// reply to wait for. `game` is the number of the game before the command.
    fn calm(&mut self, game: u64, out: &mut Vec<Action>) {
        let Some(then) = self.pondering else { return };
        let reply = if self.notation.steps() { 3 } else { 1 };
        let waits = (then..=then + reply).contains(&(self.table.undoable() + self.rest.len()));
        if self.table.game() != game || !waits || self.table.referee().ending().is_some() {
            self.pondering = None;
            out.push(Action::Stop(0));
        }
    }

    fn act(&mut self, id: Option<String>, answered: Answered, out: &mut Vec<Action>) {
        let (color, purpose, searching) = match answered {
            Ok(Outcome::Text(text)) => return reply(id, Ok(text), out),
            Err(text) => return reply(id, Err(text), out),
            Ok(Outcome::Halt) => {
                out.push(Action::Stop(0));
                return reply(id, Ok(String::new()), out);
            }
            Ok(Outcome::Quit) => {
                reply(id, Ok(String::new()), out);
                self.queue.clear();
                return out.push(Action::Quit);
            }
            Ok(Outcome::Search(color, kind, purpose)) => {
                let lines = match &purpose {
                    Purpose::Analyze(analysis) | Purpose::GenMoveAnalyze(analysis) => {
                        Some(analysis.lines(&self.table))
                    }
                    Purpose::Show(_) => Some(gogui::SHOWN_MOVES),
                    // The best move may not be one that begins with the points entered.
                    _ if !self.table.chosen().is_empty() => Some(analyze::MOST_LINES),
                    _ => None,
                };
                self.last.clear();
                self.pondering = None;
                out.push(Action::Search(self.request(color, kind, lines)));
                (color, purpose, true)
            }
            Ok(Outcome::Idle(color, analysis)) => (color, Purpose::Analyze(analysis), false),
            Ok(Outcome::File(action, purpose)) => {
                out.push(action);
                (self.table.referee().turn(), purpose, false)
            }
        };
        let idle = matches!(purpose, Purpose::Analyze(_)) && !searching;
        let (stopping, header, unwritten, written) = (false, false, None, None);
        let mut running = Running { id, color, purpose, searching, stopping, header, unwritten, written };
        if idle {
            write_header(&mut running, out);
        }
        self.running = Some(running);
    }

    fn wait(&mut self, waiting: Waiting, out: &mut Vec<Action>) {
        let quits = matches!(&waiting, Waiting::Line(line) if Line::parse(line).is("quit"));
        self.queue.push(waiting);
        self.end_analysis(out);
        if quits && self.running.is_some() {
            out.push(Action::Leave);
        }
        self.pump(out);
    }

    /// Does the waiting commands until one of them has to wait for a search.
    fn pump(&mut self, out: &mut Vec<Action>) {
        while self.running.is_none()
            && let Some(waiting) = self.queue.pop()
        {
            match waiting {
                Waiting::Line(line) => self.execute(&line, out),
                Waiting::TooLong(head) => {
                    reply(Line::id_of_head(&head), Err("line too long".to_owned()), out);
                }
            }
            // A line that was there before the analysis began ends it all the same.
            if !self.queue.is_empty() || self.ended {
                self.end_analysis(out);
            }
        }
        if self.ended && self.running.is_none() {
            out.push(Action::Quit);
        }
    }

    /// Ends a running analysis, if there is one.
    fn end_analysis(&mut self, out: &mut Vec<Action>) {
        match &mut self.running {
            Some(running) if matches!(running.purpose, Purpose::Analyze(_)) => {
                if !running.searching {
                    out.push(Action::ToGui("\n".to_owned()));
                    self.running = None;
                } else if !running.stopping {
                    running.stopping = true;
                    out.push(Action::Stop(0));
                }
            }
            _ => {}
        }
    }

    fn interrupt(&mut self, out: &mut Vec<Action>) {
        if let Some(running) = &mut self.running
            && running.searching
            && !running.stopping
        {
            running.stopping = true;
            out.push(Action::Stop(0));
        }
    }
}

fn reply(id: Option<String>, text: Result<String, String>, out: &mut Vec<Action>) {
    out.push(Action::ToGui(Reply { id, text }.to_string()));
}

impl Dialect for Gtp {
    fn line(&mut self, line: &str, out: &mut Vec<Action>) {
        if Line::parse(line) == Line::Interrupt {
            self.interrupt(out);
            self.end_analysis(out);
            self.pump(out);
        } else {
            self.wait(Waiting::Line(line.to_owned()), out);
        }
    }

    fn too_long(&mut self, head: &str, out: &mut Vec<Action>) {
        self.wait(Waiting::TooLong(head.to_owned()), out);
    }

    fn search(&mut self, _: usize, event: Event, out: &mut Vec<Action>) {
        match event {
            Event::Started => {
                if let Some(running) = &mut self.running
                    && matches!(running.purpose, Purpose::Analyze(_) | Purpose::GenMoveAnalyze(_))
                {
                    write_header(running, out);
                }
            }
            Event::Report(infos) => self.report(infos, out),
            Event::Done(result) => {
                self.done(result, out);
                self.pump(out);
            }
        }
    }

    fn file(&mut self, result: Result<String, String>, out: &mut Vec<Action>) {
        let Some(mut running) = self.running.take() else { return };
        if let (Purpose::Load(loading), Err(why)) = (&mut running.purpose, &result)
            && let Some(path) = loading.whole.take()
        {
            *loading = Loading { problem: Some(why.clone()), ..Loading::default() };
            self.running = Some(running);
            return out.push(Action::Read(path));
        }
        let game = self.table.game();
        let text = match (running.purpose, result) {
            (Purpose::Load(loading), Ok(text)) => self.load(&text, loading.number),
            (Purpose::Load(Loading { problem, .. }), Err(why)) => {
                Err(format!("cannot load file: {}", problem.unwrap_or(why)))
            }
            (_, Ok(_)) => Ok(String::new()),
            (_, Err(why)) => Err(format!("cannot write file: {why}")),
        };
        self.calm(game, out);
        reply(running.id, text, out);
        self.pump(out);
    }

    fn end_of_input(&mut self, out: &mut Vec<Action>) {
        self.ended = true;
        self.end_analysis(out);
        self.pump(out);
    }

    fn accepts(&self) -> bool {
        self.queue.has_room()
    }
}

#[cfg(test)]
mod tests;
