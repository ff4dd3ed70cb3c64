//! The runner's side of each protocol.
//!
//! A driver tells an engine the game, asks it for a move and reads its answer. It keeps no clock: what
//! [`Driver::prepare`] sends is not counted, what follows [`Driver::go`] is.

mod gomocup;
mod gtp;
mod native;
mod nboard;
mod probe;
mod ugi;

use std::time::{Duration, Instant};

use tengen_engine::game::{Color, Move};
use tengen_engine::games::{GameId, Referee, Setup};
use tengen_engine::search::clock::TimeControl;

use super::limit::{Clocks, Limit, Measure};
use super::process::{Patience, Process, Silence};
use super::record::End;
use super::spec::{EngineSpec, Protocol};

/// Why an engine has lost without the other's doing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Fault {
    /// What kind of fault.
    pub(super) end: End,
    /// In words.
    pub(super) reason: String,
}

impl Fault {
    pub(super) fn new(end: End, reason: impl Into<String>) -> Fault {
        Fault { end, reason: reason.into() }
    }

    fn garbage(line: &str) -> Fault {
        Fault::new(End::Garbage, format!("cannot read \"{}\"", shown(line)))
    }
}

/// A text of an engine, short and harmless.
pub(super) fn shown(text: &str) -> String {
    let short: String = text.trim().chars().take(100).collect();
    short.escape_debug().to_string()
}

/// The game as it stands.
#[derive(Clone, Copy)]
pub(super) struct Table<'a> {
    /// The present position.
    pub(super) referee: &'a dyn Referee,
    /// The position the moves begin from, when it is not the start of the set-up.
    pub(super) start: Option<&'a str>,
    /// All moves so far.
    pub(super) history: &'a [(Color, Move)],
    /// What each of them took; nothing for those of the opening.
    pub(super) times: &'a [Duration],
    /// Both clocks.
    pub(super) clocks: &'a Clocks,
    /// The engine's limit.
    pub(super) limit: Limit,
    /// Of the randomness in this game.
    pub(super) seed: u64,
}

/// What an engine is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Task {
    /// A move.
    Move,
    /// The next step of swap2.
    Swap2,
}

/// What an engine answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Answer {
    /// A move that can be read; the text as it was written.
    Move(Move, String),
    /// The game is lost.
    Resign,
    /// There is no move; the text as it was written.
    NoMove(String),
    /// In swap2: the colours are swapped.
    Swap,
    /// In swap2: these stones are put on the board.
    Stones(Vec<Move>),
}

/// What an engine says of the result of a finished game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Claim {
    /// Nothing.
    Silent,
    /// What the referee says.
    Agrees,
    /// Something else.
    Differs(&'static str),
}

/// A protocol, with what it has to remember of one engine.
pub(super) trait Driver: Send {
    /// The first words: who are you, options.
    fn start(&mut self, wire: &mut Wire, setup: &Setup, limit: &Limit) -> Result<(), Fault>;
    /// A new game begins; `table` is at its start, the opening not played.
    fn new_game(&mut self, wire: &mut Wire, table: &Table<'_>) -> Result<(), Fault>;
    /// Everything that can be said before the engine's time runs.
    fn prepare(&mut self, wire: &mut Wire, table: &Table<'_>, task: Task) -> Result<(), Fault>;
    /// Sends what makes the engine think.
    fn go(&mut self, wire: &mut Wire, table: &Table<'_>, task: Task);
    /// Reads a line of an engine that thinks; `None` when it is not the answer.
    fn line(
        &mut self,
        wire: &mut Wire,
        table: &Table<'_>,
        task: Task,
        line: &str,
    ) -> Option<Result<Answer, Fault>>;
    /// The mover's winning chance as claimed last in this turn, 0 to 1.
    fn chance(&self) -> Option<f32> {
        None
    }
    /// What the engine has complained of in this turn, for the reason when no move comes.
    fn complaint(&self) -> Option<&str> {
        None
    }
    /// The game has ended by the rules; what the engine says of it.
    fn over(&mut self, _wire: &mut Wire, _table: &Table<'_>) -> Result<Claim, Fault> {
        Ok(Claim::Silent)
    }
    /// The line that ends the engine.
    fn farewell(&self) -> &'static str {
        "quit"
    }
}

/// The driver for an engine.
pub(super) fn driver(spec: &EngineSpec, measure: Measure) -> Box<dyn Driver> {
    match spec.protocol {
        Protocol::Native | Protocol::Random => Box::new(native::Native::new(spec, measure)),
        Protocol::Gtp => Box::new(gtp::Gtp::new(spec)),
        Protocol::Gomocup => Box::new(gomocup::Gomocup::new(spec)),
        Protocol::Ugi => Box::new(ugi::Ugi::new(spec, false)),
        Protocol::Uci => Box::new(ugi::Ugi::new(spec, true)),
        Protocol::NBoard => Box::new(nboard::NBoard::new(spec)),
    }
}

/// Why an engine with this protocol cannot play the match, if it cannot.
pub(super) fn unsuited(
    spec: &EngineSpec,
    setup: &Setup,
    limit: &Limit,
    positions: bool,
    swap2: bool,
) -> Option<String> {
    let no = |what: String| Some(format!("engine {}: {what}", spec.name));
    let clock = limit.control;
    match spec.protocol {
        Protocol::Gomocup if setup.game != GameId::Gomoku => no(format!("Gomocup has no {}", setup.game)),
        Protocol::NBoard if setup.game != GameId::Othello => no(format!("NBoard has no {}", setup.game)),
        Protocol::Uci if !ugi::has_variant(setup) => no(format!("UCI has no variant for {setup}")),
        Protocol::Gtp if positions => no("GTP has no command for the positions of these openings".into()),
        Protocol::Gtp if limit.nodes.is_some() || limit.depth.is_some() => {
            no("GTP has no limit of nodes or depth; give the engine one of its own (tc=inf)".into())
        }
        Protocol::NBoard
            if *limit == Limit::default() && !spec.options.iter().any(|(name, _)| name == "depth") =>
        {
            no("a limit is missing: the engine would think for ever".into())
        }
        Protocol::Ugi | Protocol::Uci if *limit == Limit::default() => {
            no("a limit is missing: the engine would think for ever".into())
        }
        Protocol::NBoard if limit.nodes.is_some() => {
            no("NBoard has no limit of nodes; give the engine one of its own (depth=N)".into())
        }
        Protocol::NBoard
            if !matches!(
                clock,
                TimeControl::None | TimeControl::Absolute(_) | TimeControl::Fischer { .. }
            ) =>
        {
            no("NBoard has no such clock; give the engine a limit of its own (depth=N or tc=MAIN+INCREMENT)"
                .into())
        }
        Protocol::Gtp | Protocol::Ugi | Protocol::Uci | Protocol::NBoard | Protocol::Random if swap2 => {
            no("the protocol has no swap2".into())
        }
        _ => None,
    }
}

/// An engine's process, with the patience for answers that are not moves.
pub(super) struct Wire {
    pub(super) process: Process,
    pub(super) timeout: Duration,
    /// Id of the last command in GTP's framing.
    id: u32,
}

impl Wire {
    pub(super) fn new(process: Process, timeout: Duration) -> Wire {
        Wire { process, timeout, id: 0 }
    }

    pub(super) fn send(&self, line: &str) {
        self.process.send(line);
    }

    /// The first line that `wanted` takes.
    fn wait<T>(&mut self, what: &str, mut wanted: impl FnMut(&str) -> Option<T>) -> Result<T, Fault> {
        let end = Instant::now() + self.timeout;
        loop {
            match self.process.hear(Patience::Until(end)) {
                Ok(line) => {
                    if let Some(found) = wanted(&line.text) {
                        return Ok(found);
                    }
                    // An engine that prints on and on is never silent.
                    if Instant::now() >= end {
                        return Err(self.late(what));
                    }
                }
                Err(Silence::Late) => return Err(self.late(what)),
                Err(Silence::Ended(how)) => {
                    return Err(Fault::new(End::Crash, format!("{how} at \"{}\"", shown(what))));
                }
            }
        }
    }

    fn late(&self, what: &str) -> Fault {
        let reason = format!("no answer to \"{}\" within {} s", shown(what), self.timeout.as_secs_f64());
        Fault::new(End::Hang, reason)
    }

    /// Sends a command in GTP's framing, with an id, so that no reply is taken for that to another.
    fn command(&mut self, text: &str) {
        self.id += 1;
        self.send(&format!("{} {text}", self.id));
    }

    /// The first line of the reply to the last command: the text, or the error's. Engines that leave the
    /// id away are believed.
    fn reply<'a>(&self, line: &'a str) -> Option<Result<&'a str, &'a str>> {
        reply_to(self.id, line)
    }

    /// Sends a command in GTP's framing and reads its reply: the text, or the error's.
    pub(super) fn ask(&mut self, command: &str) -> Result<Result<String, String>, Fault> {
        /// No reply of use is longer, in bytes.
        const LONGEST: usize = 1 << 20;
        self.command(command);
        let mut reply: Option<(bool, String)> = None;
        let id = self.id;
        let (good, text) = self.wait(command, |line| match &mut reply {
            None => {
                reply = reply_to(id, line)
                    .map(|text| (text.is_ok(), text.unwrap_or_else(|error| error).to_owned()));
                None
            }
            Some(_) if line.trim().is_empty() => reply.take(),
            Some((_, text)) => {
                if text.len() < LONGEST {
                    text.push('\n');
                    text.push_str(line);
                }
                None
            }
        })?;
        Ok(if good { Ok(text) } else { Err(text) })
    }

    /// As [`ask`](Wire::ask); an error of the engine is a fault.
    fn must(&mut self, command: &str) -> Result<String, Fault> {
        self.ask(command)?.map_err(|error| {
            Fault::new(End::Garbage, format!("refuses \"{}\": {}", shown(command), shown(&error)))
        })
    }
}

/// The first line of the reply to the command with this id.
fn reply_to(id: u32, line: &str) -> Option<Result<&str, &str>> {
    let good = line.starts_with('=');
    let rest = line.strip_prefix(['=', '?'])?;
    // Edax puts a space before the id.
    let rest = match rest.trim_start().strip_prefix(&*id.to_string()) {
        Some(after) if rest.starts_with(' ') && after.starts_with(' ') => &rest[1..],
        _ => rest,
    };
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let (theirs, text) = rest.split_at_checked(digits)?;
    let ours = theirs.is_empty() || theirs.parse() == Ok(id);
    let text = text.trim();
    ours.then_some(if good { Ok(text) } else { Err(text) })
}

fn refuses_option(name: &str, why: &str) -> Fault {
    Fault::new(End::Start, format!("option \"{}\": {}", shown(name), shown(why)))
}

/// The chance that an evaluation in hundredths of a pawn, as chess engines print them, stands for: the
/// logistic curve of Elo's formula, with which 100 is about 64 %.
fn chance_of_centipawns(cp: f32) -> f32 {
    1.0 / (1.0 + 10.0_f32.powf(-cp / 400.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gtp_replies_are_told_apart_by_their_ids() {
        assert_eq!(reply_to(32, "=32 c1"), Some(Ok("c1")));
        assert_eq!(reply_to(32, "= 32 c1"), Some(Ok("c1")), "as Edax writes it");
        assert_eq!(reply_to(32, "= c1"), Some(Ok("c1")), "without an id");
        assert_eq!(reply_to(32, "?32 illegal move"), Some(Err("illegal move")));
        assert_eq!(reply_to(32, "=31 c1"), None, "a late reply to another command");
        assert_eq!(reply_to(3, "=32 c1"), None);
        assert_eq!(reply_to(32, "c1"), None);
    }
}
