//! One side of a match: an engine that is started when it is needed, asked under the clock, and started
//! again after a fault.

use std::time::{Duration, Instant};

use tengen_engine::game::{Rng, random};
use tengen_engine::games::{Referee, Setup};
use tengen_engine::search::clock::seconds_text;

use super::drivers::{self, Answer, Claim, Driver, Fault, Table, Task, Wire, shown};
use super::limit::{Limit, Measure};
use super::process::{Patience, Process, Silence};
use super::record::End;
use super::spec::{EngineSpec, Protocol};

/// No move is waited for longer: a year.
const LONGEST: Duration = Duration::from_secs(365 * 86_400);

/// What an engine that thinks comes to.
pub(super) struct Thought {
    pub(super) answer: Result<Answer, Fault>,
    /// What the answer took, by the measure in force.
    pub(super) spent: Duration,
    /// The mover's winning chance as the engine claims it.
    pub(super) chance: Option<f32>,
    /// When its time began to run and when the answer came.
    pub(super) wall: (Instant, Instant),
}

struct Session {
    wire: Wire,
    driver: Box<dyn Driver>,
}

/// A side of a match.
pub(super) struct Player {
    spec: EngineSpec,
    limit: Limit,
    measure: Measure,
    /// How long an engine without a clock, or one that uses none of its time, may be silent.
    hang: Duration,
    session: Option<Session>,
    rng: Rng,
}

impl Player {
    pub(super) fn new(spec: EngineSpec, limit: Limit, measure: Measure, hang: Duration) -> Player {
        let limit = spec.limit.unwrap_or(limit);
        Player { spec, limit, measure, hang, session: None, rng: random::rng(0) }
    }

    pub(super) fn name(&self) -> &str {
        &self.spec.name
    }

    pub(super) fn limit(&self) -> Limit {
        self.limit
    }

    /// Starts the engine if need be, and a game on it.
    pub(super) fn new_game(&mut self, table: &Table<'_>) -> Result<(), Fault> {
        if self.spec.protocol == Protocol::Random {
            self.rng = random::rng(table.seed);
            return Ok(());
        }
        if self.spec.restart {
            self.dismiss();
        }
        let begun = |mut fault: Fault| {
            fault.end = End::Start;
            fault
        };
        let fresh = self.session.is_none();
        let first = self.begin(table);
        if first.is_ok() || fresh {
            return first.map_err(begun);
        }
        // It has ended since its last game, after that was decided: a new one may do better.
        self.begin(table).map_err(begun)
    }

    fn begin(&mut self, table: &Table<'_>) -> Result<(), Fault> {
        let (start, reply) = (self.spec.start_timeout, self.spec.reply_timeout);
        let session = self.session(table.referee.setup())?;
        // Some engines load what they need with the first game only.
        session.wire.timeout = start;
        let begun = session.driver.new_game(&mut session.wire, table);
        session.wire.timeout = reply;
        if begun.is_err() {
            self.session = None;
        }
        begun
    }

    fn session(&mut self, setup: &Setup) -> Result<&mut Session, Fault> {
        let session = match self.session.take() {
            Some(session) => session,
            None => {
                let process = Process::start(&self.spec).map_err(|why| Fault::new(End::Start, why))?;
                let mut wire = Wire::new(process, self.spec.start_timeout);
                let mut driver = drivers::driver(&self.spec, self.measure);
                driver.start(&mut wire, setup, &self.limit)?;
                Session { wire, driver }
            }
        };
        Ok(self.session.insert(session))
    }

    /// Asks for a move. After a fault the engine is gone.
    pub(super) fn think(&mut self, table: &Table<'_>, task: Task) -> Thought {
        let now = Instant::now();
        if self.spec.protocol == Protocol::Random {
            let answer = self.draw(table.referee);
            return Thought { answer, spent: Duration::ZERO, chance: None, wall: (now, now) };
        }
        let (hang, measure) = (self.hang, self.measure);
        let thought = match &mut self.session {
            Some(session) => session.think(table, task, measure, hang),
            None => Thought {
                answer: Err(Fault::new(End::Crash, "is not running")),
                spent: Duration::ZERO,
                chance: None,
                wall: (now, now),
            },
        };
        if thought.answer.is_err() {
            self.session = None;
        }
        thought
    }

    fn draw(&mut self, referee: &dyn Referee) -> Result<Answer, Fault> {
        let moves = referee.legal_moves(None).unwrap_or_default();
        let count = u32::try_from(moves.len()).unwrap_or(u32::MAX).max(1);
        let at = usize::try_from(random::below(&mut self.rng, count)).unwrap_or(0);
        match moves.get(at) {
            Some(&mv) => Ok(Answer::Move(mv, referee.move_text(mv))),
            None => Ok(Answer::NoMove("nothing".to_owned())),
        }
    }

    /// Tells that the game has ended by the rules, and hears what the engine says of it.
    pub(super) fn over(&mut self, table: &Table<'_>) -> Result<Claim, Fault> {
        let Some(session) = &mut self.session else { return Ok(Claim::Silent) };
        let claim = session.driver.over(&mut session.wire, table);
        if claim.is_err() {
            self.session = None;
        }
        claim
    }

    /// Ends the process, in peace.
    pub(super) fn dismiss(&mut self) {
        if let Some(Session { wire, driver }) = self.session.take() {
            wire.process.stop(driver.farewell());
        }
    }

    /// Ends the process: what it does after a game it has lost by its own fault is of no interest.
    pub(super) fn expel(&mut self) {
        self.session = None;
    }
}

impl Session {
    fn think(&mut self, table: &Table<'_>, task: Task, measure: Measure, hang: Duration) -> Thought {
        let Session { wire, driver } = self;
        wire.process.forget();
        if let Err(fault) = driver.prepare(wire, table, task) {
            let now = Instant::now();
            return Thought { answer: Err(fault), spent: Duration::ZERO, chance: None, wall: (now, now) };
        }
        let allowed = table.clocks.allowed(table.referee.turn());
        let cpu = if measure == Measure::Cpu { wire.process.cpu() } else { Duration::ZERO };
        let begun = Instant::now();
        driver.go(wire, table, task);
        let (longest, patience) = match (allowed, measure) {
            (None, _) => (hang, Patience::Until(begun + hang.min(LONGEST))),
            (Some(allowed), Measure::Wall) => (allowed, Patience::Until(begun + allowed.min(LONGEST))),
            // Whoever sleeps uses no CPU time: the wall clock ends that.
            (Some(allowed), Measure::Cpu) => {
                let longest = hang.max(allowed.saturating_mul(20)).min(LONGEST);
                (longest, Patience::Cpu(cpu.saturating_add(allowed), begun + longest))
            }
        };
        let (answer, at) = loop {
            match wire.process.hear(patience) {
                Ok(line) => match driver.line(wire, table, task, &line.text) {
                    Some(answer) => break (answer, line.at),
                    None if Instant::now() < patience.end() => {}
                    None => break (Err(late(driver.as_ref(), allowed, measure)), Instant::now()),
                },
                Err(Silence::Late) => break (Err(late(driver.as_ref(), allowed, measure)), Instant::now()),
                Err(Silence::Ended(how)) => {
                    let how = format!("{how} while it was to move");
                    break (Err(Fault::new(End::Crash, how)), Instant::now());
                }
            }
        };
        let wall = at.saturating_duration_since(begun);
        let spent = match measure {
            Measure::Wall => wall,
            Measure::Cpu => wire.process.cpu().saturating_sub(cpu),
        };
        // Without a clock, or with time left by it, the engine has just said nothing.
        let hangs = allowed.is_none_or(|allowed| spent < allowed);
        let answer = match answer {
            Err(fault) if fault.end == End::Time && hangs => {
                let within = format!("no move within {} s of wall time", seconds_text(longest));
                Err(Fault::new(End::Hang, within + &complaint(driver.as_ref())))
            }
            answer => answer,
        };
        Thought { answer, spent, chance: driver.chance(), wall: (begun, at) }
    }
}

fn complaint(driver: &dyn Driver) -> String {
    driver.complaint().map(|line| format!("; it said: {}", shown(line))).unwrap_or_default()
}

fn late(driver: &dyn Driver, allowed: Option<Duration>, measure: Measure) -> Fault {
    let of = if measure == Measure::Cpu { " of CPU time" } else { "" };
    let within = format!("no move within {} s{of}", seconds_text(allowed.unwrap_or_default()));
    Fault::new(End::Time, within + &complaint(driver))
}
