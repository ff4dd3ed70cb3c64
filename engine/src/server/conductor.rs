//! The conductor of one connection: keeps commands in order, runs searches, answers `stop` and
//! `ping` while they run.
//!
//! While idle it owns the session. A search takes the session into its own thread and hands it back
//! through a channel with the answer, so the two can never use it at once.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Instant;

use crossbeam::channel::{Receiver, Sender, bounded, never, select};

use super::{Pool, lines::Incoming};
use crate::options::Options;
use crate::protocol::{Command, Info, LONGEST_LINE, ParseError, Reply, Request};
use crate::search::Control;
use crate::session::{Answer, Job, Link, Session, Step};

/// Requests held back while a bounded search runs; the input is left unread beyond that.
const MOST_PENDING: usize = 4096;
/// And their text, in bytes.
const MOST_PENDING_BYTES: usize = 4 * LONGEST_LINE;

/// A request waiting for its turn.
struct Waiting {
    request: Request,
    read: Instant,
    size: usize,
}

/// Ends the search when nobody waits for it any more.
struct Switch(Arc<Control>);

impl Drop for Switch {
    fn drop(&mut self) {
        self.0.stop();
    }
}

/// A search under way.
struct Running {
    control: Switch,
    id: Option<String>,
    bounded: bool,
    done: Receiver<(Session, Option<Answer>)>,
}

enum State {
    Idle(Box<Session>),
    Searching(Running),
}

struct Conductor<'scope, 'env> {
    scope: &'scope std::thread::Scope<'scope, 'env>,
    pool: &'env Pool,
    output: Sender<String>,
    pending: VecDeque<Waiting>,
    pending_bytes: usize,
    /// When the last search ended: a command that waited for it has its clock start only then.
    free_since: Instant,
}

/// The peer is gone, or has said goodbye.
struct Ended;

/// Serves requests until the peer quits, its lines end, or it no longer takes output.
pub(super) fn conduct(lines: &Receiver<Incoming>, output: Sender<String>, options: Options, pool: &Pool) {
    std::thread::scope(|scope| {
        let mut conductor = Conductor {
            scope,
            pool,
            output,
            pending: VecDeque::new(),
            pending_bytes: 0,
            free_since: Instant::now(),
        };
        let mut state = State::Idle(Box::new(Session::new(options)));
        let mut lines = lines.clone();
        let mut open = true;
        loop {
            let next = match state {
                State::Idle(session) => conductor.idle(session, &lines, &mut open),
                State::Searching(running) => conductor.searching(running, &mut lines, &mut open),
            };
            match next {
                Ok(next) => state = next,
                Err(Ended) => return,
            }
        }
    });
}

impl Conductor<'_, '_> {
    fn say(&self, reply: &Reply) -> Result<(), Ended> {
        self.output.send(reply.to_string()).map_err(|_| Ended)
    }

    fn queue(&mut self, incoming: Incoming) {
        let (request, read, size) = match incoming {
            Incoming::Line(text, read) => {
                log::trace!(target: "tengen::wire", "<< {text}");
                let Some(request) = Request::parse(&text) else { return };
                (request, read, text.len())
            }
            Incoming::TooLong => (Request { id: None, command: Err(ParseError::TooLong) }, Instant::now(), 0),
        };
        self.pending_bytes += size;
        self.pending.push_back(Waiting { request, read, size });
    }

    /// Carries out the next request.
    fn idle(
        &mut self,
        mut session: Box<Session>,
        lines: &Receiver<Incoming>,
        open: &mut bool,
    ) -> Result<State, Ended> {
        let Some(waiting) = self.pending.pop_front() else {
            if !*open {
                return Err(Ended);
            }
            match lines.recv() {
                Ok(incoming) => self.queue(incoming),
                Err(_) => *open = false,
            }
            return Ok(State::Idle(session));
        };
        self.pending_bytes -= waiting.size;
        let Request { id, command } = waiting.request;
        let quit = command == Ok(Command::Quit);
        let step = match command {
            Ok(command) => session.handle(command),
            Err(error) => Step::Done(Err(error.to_string())),
        };
        match step {
            Step::Done(text) => {
                self.say(&Reply { id, text })?;
                if quit { Err(Ended) } else { Ok(State::Idle(session)) }
            }
            Step::Search(job) => Ok(self.launch(session, job, id, waiting.read.max(self.free_since))),
        }
    }

    fn launch(&self, mut session: Box<Session>, job: Job, id: Option<String>, started: Instant) -> State {
        let control = Arc::new(Control::default());
        // A `stop` that came in behind this command ends it at once: after `stop` the engine is idle.
        // And whatever came in behind an unbounded search ends that.
        let stop = |waiting: &Waiting| !job.bounded() || waiting.request.command == Ok(Command::Stop);
        if self.pending.iter().any(stop) {
            control.stop();
        }
        let (hand_back, done) = bounded(1);
        let running = Running { control: Switch(Arc::clone(&control)), id, bounded: job.bounded(), done };
        let (pool, output) = (self.pool, self.output.clone());
        self.scope.spawn(move || {
            let mut on_info = |infos: &[Info]| {
                let text: String = infos.iter().map(|info| format!("{info}\n")).collect();
                // An info line that finds the peer busy is dropped; the next one says more.
                let _full = output.try_send(text);
            };
            let answer = session.run(
                &job,
                Link {
                    control: &control,
                    started,
                    threads: &|wanted| pool.threads(wanted),
                    on_info: &mut on_info,
                },
            );
            let _conductor_gone = hand_back.send((*session, answer));
        });
        State::Searching(running)
    }

    /// Waits for the search or the next line, whichever comes first.
    fn searching(
        &mut self,
        running: Running,
        lines: &mut Receiver<Incoming>,
        open: &mut bool,
    ) -> Result<State, Ended> {
        if !*open && !running.bounded {
            running.control.0.stop();
        }
        let full = self.pending.len() >= MOST_PENDING || self.pending_bytes >= MOST_PENDING_BYTES;
        let silent = never();
        let input = if full || !*open { &silent } else { &*lines };
        select! {
            recv(running.done) -> done => {
                let Ok((session, answer)) = done else { return Err(Ended) };
                self.finished(Box::new(session), running.id, answer, *open)
            }
            recv(input) -> line => {
                match line {
                    Ok(incoming) => {
                        let before = self.pending.len();
                        self.queue(incoming);
                        if self.pending.len() > before {
                            self.heed(&running)?;
                        }
                    }
                    Err(_) => {
                        *open = false;
                        *lines = never();
                    }
                }
                Ok(State::Searching(running))
            }
        }
    }

    /// Looks at the request that has just come in while a search runs.
    fn heed(&mut self, running: &Running) -> Result<(), Ended> {
        match self.pending.back().map(|waiting| &waiting.request.command) {
            Some(Ok(Command::Ping)) => {
                if let Some(waiting) = self.pending.pop_back() {
                    self.pending_bytes -= waiting.size;
                    self.say(&Reply { id: waiting.request.id, text: Ok("pong".into()) })?;
                }
            }
            Some(Ok(Command::Stop)) => running.control.0.stop(),
            _ if !running.bounded => running.control.0.stop(),
            _ => {}
        }
        Ok(())
    }

    /// Takes the session back, answers, and thinks on when asked to.
    fn finished(
        &mut self,
        session: Box<Session>,
        id: Option<String>,
        answer: Option<Answer>,
        open: bool,
    ) -> Result<State, Ended> {
        self.free_since = Instant::now();
        let pondering = answer.is_some() && self.pending.is_empty() && open && session.wants_to_ponder();
        if let Some(text) = answer {
            self.say(&Reply { id, text })?;
        }
        Ok(if pondering {
            self.launch(session, Job::Ponder, None, Instant::now())
        } else {
            State::Idle(session)
        })
    }
}
