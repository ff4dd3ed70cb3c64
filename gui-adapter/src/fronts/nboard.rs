//! NBoard 2, the protocol of the Othello GUI of that name, with GGF for whole games; the words of
//! version 1 too.
//!
//! `ping` is stop and synchronisation in one: whatever was being searched or waited to be searched is
//! given up, nothing of it is printed any more, and `pong` comes at once. The protocol has no error
//! replies; what is wrong is shown in the GUI's status line, and a search that was asked for on a game
//! we could not read is refused there rather than made on another position.

mod analysis;
mod lines;
mod words;

use std::time::Duration;

use tengen_engine::games::{GameId, Setup, SetupError};
use tengen_engine::protocol::{Info, SearchLimits};
use tengen_engine::search::clock::TimeControl;

use crate::bridge::{Action, Dialect};
use crate::client::args::EngineOptions;
use crate::client::{Answer, Event, SearchKind};
use crate::fronts::desk::Desk;
use crate::fronts::queue::{Queue, Waiting};
use crate::records::ggf::{self, Note};

use analysis::Analysis;
use words::Word;

/// From report to report of a hint.
const PACE: Duration = Duration::from_millis(250);
/// Moves a hint is given for at most: more than a position has.
const MOST_HINTS: u32 = 100;
/// With so few empty squares the end of the game is looked for whatever the midgame depth, unless that
/// is less than half of it: the protocol leaves endgame depths to the engine.
const SOLVED_EMPTIES: u32 = 14;
/// A side with less time than this is taken for one that has overstepped it.
const NO_TIME: Duration = Duration::from_millis(50);

/// A search and what it is for.
#[derive(Debug)]
enum Purpose {
    /// A move.
    Go,
    /// Lines for the best moves, until this depth or `ping`.
    Hint { depth: Option<u32> },
    /// The value of each position of the game.
    Analyze(Analysis),
}

#[derive(Debug)]
struct Running {
    purpose: Purpose,
    /// Nothing of it is printed any more; another search may wait for its end.
    dropped: bool,
    /// Whether it was asked to end.
    stopping: bool,
    /// The best line of the last report.
    best: Option<Info>,
}

/// The NBoard front.
#[derive(Debug)]
pub struct NBoard {
    desk: Desk,
    depth: Option<u32>,
    /// The clock of the record, and what the sides have spent.
    clock: Option<ggf::Clock>,
    spent: [Duration; 2],
    /// Why the game on the desk is not the GUI's.
    broken: Option<String>,
    running: Option<Running>,
    /// A search that waits for the end of a dropped one.
    pending: Option<Word>,
    queue: Queue,
    ended: bool,
    /// Whether the name was sent after a `pong`: what comes before the first one may be thrown away.
    named: bool,
}

impl NBoard {
    /// A front at the start of a game of Othello.
    ///
    /// # Errors
    /// When there is no such set-up.
    pub fn new(options: EngineOptions) -> Result<NBoard, SetupError> {
        Ok(NBoard {
            desk: Desk::new(Setup::new(GameId::Othello), options)?,
            depth: None,
            clock: None,
            spent: [Duration::ZERO; 2],
            broken: None,
            running: None,
            pending: None,
            queue: Queue::default(),
            ended: false,
            named: false,
        })
    }

    /// Does the waiting lines until one has to wait for a search.
    fn pump(&mut self, out: &mut Vec<Action>) {
        loop {
            let busy = self.running.as_ref().is_some_and(|running| !running.dropped);
            if busy || (self.running.is_some() && self.pending.is_some()) {
                break;
            }
            if let Some(word) = self.pending.take() {
                self.think(&word, out);
                continue;
            }
            match self.queue.pop() {
                Some(Waiting::Line(line)) => self.execute(Word::parse(&line), out),
                Some(Waiting::TooLong(_)) => self.status("a line was too long", out),
                None => break,
            }
        }
        if self.running.as_ref().is_some_and(|running| matches!(running.purpose, Purpose::Hint { .. }))
            && (self.ended || !self.queue.is_empty())
        {
            self.stop(out);
        }
        if self.ended && self.running.is_none() {
            out.push(Action::Quit);
        }
    }

    fn execute(&mut self, word: Word, out: &mut Vec<Action>) {
        match word {
            Word::Unknown => {}
            Word::NBoard => self.name(out),
            Word::Depth(depth) => self.depth = Some(depth),
            Word::Game(text) => self.set_game(&text, out),
            Word::Move(text) => self.play(&text, out),
            Word::Learn => say("learned", out),
            Word::Ping(number) => self.pong(&number, out),
            Word::Quit => {
                self.queue.clear();
                out.push(Action::Quit);
            }
            // A search that was dropped has to end first.
            search if self.running.is_some() => self.pending = Some(search),
            search => self.think(&search, out),
        }
    }

    fn name(&self, out: &mut Vec<Action>) {
        say("set myname Tengen", out);
    }

    fn pong(&mut self, number: &str, out: &mut Vec<Action>) {
        say(&format!("pong {number}"), out);
        if !std::mem::replace(&mut self.named, true) {
            self.name(out);
        }
    }

    /// The status line of the GUI, on one line; empty to clear it.
    fn status(&self, text: &str, out: &mut Vec<Action>) {
        say(format!("status {text}").trim_end(), out);
    }

    fn set_game(&mut self, text: &str, out: &mut Vec<Action>) {
        match ggf::load(text) {
            Ok(loaded) if loaded.referee.setup().game == GameId::Othello => {
                self.desk.replace(loaded.referee);
                self.clock = loaded.clock;
                self.spent = loaded.spent;
                self.broken = None;
            }
            Ok(_) => self.breaks("set game: not a game of Othello".into(), out),
            Err(error) => self.breaks(format!("set game: {error}"), out),
        }
    }

    fn play(&mut self, text: &str, out: &mut Vec<Action>) {
        if self.broken.is_some() {
            return;
        }
        let color = self.desk.referee.turn();
        match ggf::play(&mut *self.desk.referee, None, text) {
            Ok(note) => {
                if let Some(spent) = self.spent.get_mut(color.index()) {
                    *spent = spent.saturating_add(note.time.unwrap_or_default());
                }
            }
            Err(why) => self.breaks(format!("move: {why}"), out),
        }
    }

    /// The GUI's game is not ours any more.
    fn breaks(&mut self, why: String, out: &mut Vec<Action>) {
        log::warn!(target: "adapter::nboard", "{why}");
        self.status(&why, out);
        self.broken = Some(why);
    }

    /// Begins a search, or says why there is none.
    fn think(&mut self, word: &Word, out: &mut Vec<Action>) {
        if let Some(why) = &self.broken {
            return self.status(&format!("no search without a game: {why}"), out);
        }
        let over = self.desk.referee.ending().is_some();
        let purpose = match word {
            Word::Analyze => {
                let mut analysis = Analysis::new(&*self.desk.referee);
                if !analysis.advance(out) {
                    return;
                }
                Purpose::Analyze(analysis)
            }
            _ if over => return self.status("the game is over", out),
            Word::Hint(_) => Purpose::Hint { depth: self.search_depth() },
            _ if self.desk.referee.must_pass() => return say("=== PA", out),
            _ => Purpose::Go,
        };
        self.status(
            if matches!(purpose, Purpose::Go) { "Tengen is thinking" } else { "Tengen is analyzing" },
            out,
        );
        let lines = if let Word::Hint(lines) = *word { lines.clamp(1, MOST_HINTS) } else { 1 };
        let request = match &purpose {
            Purpose::Hint { .. } => {
                self.set_clock(false);
                let kind = SearchKind::Analyze { interval: PACE, limits: SearchLimits::default() };
                self.desk.request(kind, &[("multipv", lines.to_string())])
            }
            Purpose::Go => {
                self.set_clock(true);
                self.desk.request(SearchKind::RegGenMove, &limits(self.search_depth()))
            }
            Purpose::Analyze(analysis) => {
                self.set_clock(false);
                analysis.request(&mut self.desk, &limits(self.depth))
            }
        };
        out.push(Action::Search(request));
        self.running = Some(Running { purpose, dropped: false, stopping: false, best: None });
    }

    /// The depth of a search of the present position: none where the end is near enough.
    fn search_depth(&self) -> Option<u32> {
        let depth = self.depth?;
        let empties = lines::empties(&*self.desk.referee);
        // Passes are plies too.
        Some(if empties <= SOLVED_EMPTIES.min(2 * depth) { depth.max(2 * empties) } else { depth })
    }

    /// Tells the engine of the clock, which counts for moves alone. One that has run out decides nothing
    /// any more: NBoard plays on.
    fn set_clock(&mut self, counts: bool) {
        let color = self.desk.referee.turn();
        let spent = self.spent.get(color.index()).copied().unwrap_or_default();
        let moves = self.desk.referee.history().iter().filter(|(mover, _)| *mover == color).count();
        let left = self.clock.filter(|_| counts).and_then(|clock| {
            let gained = clock.increment.saturating_mul(u32::try_from(moves).unwrap_or(u32::MAX));
            let left = clock.main.saturating_add(gained).checked_sub(spent).filter(|left| *left > NO_TIME)?;
            Some((clock, left))
        });
        let control = match left {
            None => TimeControl::None,
            Some((ggf::Clock { main, increment }, _)) if increment.is_zero() => TimeControl::Absolute(main),
            Some((ggf::Clock { main, increment }, _)) => TimeControl::Fischer { main, increment },
        };
        self.desk.clocks.follow(control);
        if let Some((_, left)) = left {
            self.desk.clocks.correct(color, left, 0);
        }
    }

    /// Ends the search, whose results count.
    fn stop(&mut self, out: &mut Vec<Action>) {
        if let Some(running) = &mut self.running
            && !std::mem::replace(&mut running.stopping, true)
        {
            out.push(Action::Stop(0));
        }
    }

    /// Ends the search and all that wait, and their results; other lines that wait are done.
    fn give_up(&mut self, out: &mut Vec<Action>) {
        self.stop(out);
        if let Some(running) = &mut self.running {
            running.dropped = true;
        }
        self.pending = None;
        while let Some(waiting) = self.queue.pop() {
            if let Waiting::Line(line) = waiting {
                let word = Word::parse(&line);
                if !matches!(word, Word::Go | Word::Hint(_) | Word::Analyze | Word::Learn) {
                    self.execute(word, out);
                }
            }
        }
    }

    fn report(&mut self, infos: &[Info], out: &mut Vec<Action>) {
        let Some(running) = self.running.as_mut().filter(|running| !running.dropped) else { return };
        let Some(first) = infos.first() else { return };
        running.best = Some(first.clone());
        if let Purpose::Hint { depth } = &running.purpose {
            let deep = depth.is_some_and(|depth| first.depth >= depth);
            infos.iter().for_each(|info| say(&lines::search(info), out));
            say(&lines::node_stats(first), out);
            if deep {
                self.stop(out);
            }
        }
    }

    fn done(&mut self, result: Result<Answer, String>, out: &mut Vec<Action>) {
        let Some(running) = self.running.take() else { return };
        if running.dropped {
            return;
        }
        match (running.purpose, result) {
            (_, Err(why)) => self.status(&why, out),
            (Purpose::Hint { .. }, Ok(_)) => self.status("", out),
            (Purpose::Analyze(mut analysis), Ok(_)) => {
                let value = running.best.as_ref().map(lines::eval);
                if !analysis.valued(value, out) {
                    return self.status("", out);
                }
                let limits = limits(self.depth);
                out.push(Action::Search(analysis.request(&mut self.desk, &limits)));
                let purpose = Purpose::Analyze(analysis);
                self.running = Some(Running { purpose, dropped: false, stopping: false, best: None });
            }
            (Purpose::Go, Ok(answer)) => {
                if let Some(best) = &running.best {
                    say(&lines::node_stats(best), out);
                }
                let eval = running.best.as_ref().map(lines::eval);
                let note = Note { eval, time: Some(Duration::from_millis(lines::millis(answer.elapsed))) };
                say(&format!("=== {}{}", ggf::move_text(&answer.text), ggf::note_text(note)), out);
                self.status("", out);
            }
        }
    }
}

fn limits(depth: Option<u32>) -> Vec<(&'static str, String)> {
    depth.map(|depth| ("depth", depth.to_string())).into_iter().collect()
}

fn say(line: &str, out: &mut Vec<Action>) {
    out.push(Action::ToGui(format!("{line}\n")));
}

impl Dialect for NBoard {
    fn line(&mut self, line: &str, out: &mut Vec<Action>) {
        match Word::parse(line) {
            Word::Unknown => return,
            Word::Ping(number) => {
                self.give_up(out);
                self.pong(&number, out);
            }
            Word::Quit => return self.execute(Word::Quit, out),
            _ => self.queue.push(Waiting::Line(line.to_owned())),
        }
        self.pump(out);
    }

    fn too_long(&mut self, head: &str, out: &mut Vec<Action>) {
        if let Word::Game(_) = Word::parse(head) {
            self.breaks("set game: the line is too long".into(), out);
        }
    }

    fn search(&mut self, _: usize, event: Event, out: &mut Vec<Action>) {
        match event {
            Event::Started => {}
            Event::Report(infos) => self.report(&infos, out),
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
