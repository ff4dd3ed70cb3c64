//! One search after the other daemon: telling it, repeating it, answering without one.

use std::time::{Duration, Instant};

use tengen_engine::protocol::Command;

use super::link::Link;
use super::{Answer, Client, Event, Job, SearchKind, Stage, patience};

/// How many daemons may fail at one search before it is given up.
const ATTEMPTS: u32 = 3;
/// How often a search that a daemon refuses is tried: a second time with everything told anew.
const REFUSALS: u32 = 2;
/// How soon a daemon that could not be reached is tried again.
const RECONNECT: Duration = Duration::from_millis(100);

impl Client {
    /// Sets the position up; the search itself is sent when the daemon has accepted everything, so
    /// that it never searches a wrong position.
    pub(super) fn start(&mut self, mut job: Job, out: &mut Vec<Event>) {
        let greeting = self.opened.is_some_and(|opened| opened.elapsed() < job.patience.greeting());
        if self.owed.take().is_some() && !greeting {
            // It was too late once, and has not come back since.
            self.end_daemon();
        }
        if self.link.is_none() {
            self.mirror.forget();
        }
        let commands = match job.launched.replace(Instant::now()) {
            None => {
                let commands = self.mirror.plan(&job.request);
                job.patience = self.mirror.patience(&job.request);
                commands
            }
            Some(launched) => self.mirror.plan_again(&job.request, job.begun.elapsed(), launched.elapsed()),
        };
        if self.link.is_none() {
            match Link::open(&self.launcher) {
                Ok(link) => {
                    self.link = Some(link);
                    self.opened = Some(Instant::now());
                }
                Err(error) => return self.nobody(job, &error.to_string(), out),
            }
        }
        self.heard = Instant::now();
        self.pinged = None;
        let first = self.next_id;
        match commands.iter().map(|command| self.send(command)).last() {
            None => self.launch(job, out),
            Some(last) => {
                job.stage = Stage::Syncing { first, last, error: None };
                self.job = Some(job);
            }
        }
    }

    pub(super) fn launch(&mut self, mut job: Job, out: &mut Vec<Event>) {
        let color = Some(job.request.color);
        let id = self.send(&match job.request.kind {
            SearchKind::GenMove => Command::GenMove(color),
            SearchKind::RegGenMove => Command::RegGenMove(color),
            SearchKind::Opening(opening) => Command::Opening(opening),
            SearchKind::Analyze { interval, limits } => Command::Analyze(interval, limits),
        });
        if job.stopped.is_some() {
            self.send(&Command::Stop);
        }
        job.stage = Stage::Searching { id };
        self.job = Some(job);
        self.report.clear();
        self.report_due = None;
        out.push(Event::Started);
    }

    /// The connection did not come about.
    pub(super) fn unreachable(&mut self, why: &str, out: &mut Vec<Event>) {
        self.end_daemon();
        if let Some(job) = self.job.take() {
            self.nobody(job, why, out);
        }
    }

    /// No daemon could be started or reached. One that was there before may be about to come back.
    fn nobody(&mut self, mut job: Job, why: &str, out: &mut Vec<Event>) {
        self.mirror.forget();
        if !self.proved {
            out.push(Event::Done(Err(why.to_owned())));
        } else if job.begun.elapsed() < job.patience.reconnecting()
            && self.leaving.is_none()
            && job.stopped.is_none()
        {
            log::warn!(target: "adapter::client", "{why}");
            job.stage = Stage::Waiting { until: Instant::now() + RECONNECT };
            self.job = Some(job);
        } else {
            self.give_up(&job, why, out);
        }
    }

    /// Ends a daemon that is of no use any more.
    pub(super) fn end_daemon(&mut self) {
        if let Some(link) = self.link.take() {
            link.kill();
        }
        self.opened = None;
        self.owed = None;
        self.pondering = false;
        self.mirror.forget();
    }

    /// Ends a daemon that does not react. The search is tried again only if another daemon may do better
    /// and somebody still wants to wait for it.
    pub(super) fn abandon(&mut self, why: &str, out: &mut Vec<Event>) {
        self.given_up = self.leaving.is_some();
        if let Some(job) = &mut self.job
            && (!self.proved || self.given_up || job.stopped.is_some())
        {
            job.failures = ATTEMPTS;
        }
        self.lost(why, out);
    }

    pub(super) fn lost(&mut self, why: &str, out: &mut Vec<Event>) {
        log::warn!(target: "adapter::client", "the engine is gone: {why}");
        self.flush_report(out);
        self.end_daemon();
        if let Some(job) = self.job.take() {
            self.failed(job, &format!("the engine is gone: {why}"), out);
        }
    }

    /// The clock is running out on a daemon that has not moved when it was stopped. The adapter moves for
    /// it; the daemon, which may only be slow to start or starved of processor time, can still show before
    /// the next search that it is well.
    pub(super) fn overrun(&mut self, why: &str, out: &mut Vec<Event>) {
        let Some(job) = self.job.take() else { return };
        self.flush_report(out);
        self.owed = job.awaited();
        self.mirror.forget();
        self.give_up(&job, why, out);
    }

    /// The daemon does not do what it is told: once more, with everything told anew, then the refusal is
    /// reported. Another daemon would refuse it too.
    pub(super) fn refused(&mut self, mut job: Job, why: &str, out: &mut Vec<Event>) {
        self.mirror.forget();
        job.refusals += 1;
        if job.refusals >= REFUSALS {
            // One line, whatever the daemon says.
            out.push(Event::Done(Err(why.replace('\n', " "))));
        } else {
            self.repeat(job, why, out);
        }
    }

    /// The daemon died, hung, failed or answered nonsense.
    pub(super) fn failed(&mut self, mut job: Job, why: &str, out: &mut Vec<Event>) {
        self.mirror.forget();
        job.failures += 1;
        if job.failures >= ATTEMPTS {
            self.give_up(&job, why, out);
        } else {
            self.repeat(job, why, out);
        }
    }

    fn repeat(&mut self, mut job: Job, why: &str, out: &mut Vec<Event>) {
        log::warn!(target: "adapter::client", "search repeated: {why}");
        if job.stopped.is_some() {
            job.stopped = Some(Instant::now());
        }
        self.start(job, out);
    }

    /// No daemon will do it, or in time. Where a move is due and daemons have worked before, or one has
    /// just been started, the game goes on.
    pub(super) fn give_up(&mut self, job: &Job, why: &str, out: &mut Vec<Event>) {
        let starting = self.opened.is_some_and(|opened| opened.elapsed() < patience::GREETING);
        let wanted = job.moves() && (self.proved || starting);
        let mv = wanted.then(|| self.board.fallback(&job.request, &self.last)).flatten();
        out.push(Event::Done(match mv {
            Some(text) => {
                log::error!(target: "adapter::client", "{why}; the adapter's own move: {text}");
                self.charge(job, &text);
                Ok(Answer { text, elapsed: job.begun.elapsed() })
            }
            None => Err(why.replace('\n', " ")),
        }));
    }
}
