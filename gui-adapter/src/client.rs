//! A daemon as a front sees it: one search at a time, whatever happens to the daemon.
//!
//! The client starts or connects to the daemon when the first search is wanted, brings it to the
//! position by the shortest way, watches it, and starts it again when it dies, hangs, answers nonsense or
//! loses the thread: position, options and clocks are then sent anew, with the time that is left, and the
//! search is repeated. A move that three daemons have failed to find is found by the adapter's own rules,
//! and so is one that is overdue on the clock. The game itself is the front's and is never lost.

pub mod args;
mod attempts;
mod board;
mod link;
mod mirror;
mod patience;
mod wire;

use std::time::{Duration, Instant};

use crossbeam::channel::{self, Receiver, RecvError};
use tengen_engine::game::{Color, Move};
use tengen_engine::games::{Referee, Setup};
use tengen_engine::protocol::{Command, Info, Opening, Reply, SearchLimits};
use tengen_engine::search::clock::TimeControl;

pub use link::{LaunchError, Launcher};
pub use wire::{Incoming, Parser};

use board::Board;
use link::Link;
use mirror::Mirror;
use patience::Patience;

/// The lines of one report come within this time of each other.
const REPORT_GAP: Duration = Duration::from_millis(3);
/// Lines of one report; no engine has more first moves to tell apart.
const LONGEST_REPORT: usize = 4096;
/// How often a watch that was late begins anew, for one search.
const RENEWALS: u32 = 3;

/// A game as the daemon is told it: moves in the game's own notation, passes included.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Snapshot {
    /// Game, size, rules.
    pub setup: Setup,
    /// The position text the record starts from, where it is not the set-up's own start.
    pub start: Option<String>,
    /// The moves played since.
    pub moves: Vec<(Color, String)>,
}

impl Snapshot {
    /// The referee's record.
    #[must_use]
    pub fn of(referee: &dyn Referee) -> Snapshot {
        let history = referee.history();
        Snapshot {
            setup: referee.setup().clone(),
            start: referee.start_text(),
            moves: history.into_iter().map(|(color, mv)| (color, referee.move_text(mv))).collect(),
        }
    }

    /// The same record and a pass of `color`.
    #[must_use]
    pub fn and_pass(mut self, color: Color, referee: &dyn Referee) -> Snapshot {
        self.moves.push((color, referee.move_text(Move::PASS)));
        self
    }
}

/// What a search is to give.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SearchKind {
    /// A move, which the daemon plays.
    GenMove,
    /// A move, which is not played.
    RegGenMove,
    /// The step of an opening, which is not played.
    Opening(Opening),
    /// Reports at this interval, until stopped or at a limit; the last report is always given.
    Analyze {
        /// From report to report.
        interval: Duration,
        /// When it ends by itself; without limits it ends only when the position is solved.
        limits: SearchLimits,
    },
}

/// The clocks of a request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ClockRequest {
    /// Changes whenever the manager has sent a time control, even the same one again.
    pub settings: u64,
    /// The time control.
    pub control: TimeControl,
    /// Corrections since the last search, Black's first: the time left and the stones or periods.
    pub left: [Option<(Duration, u32)>; 2],
}

/// A search, with all the daemon must know for it.
#[derive(Clone, Debug, PartialEq)]
pub struct Request {
    /// Which of the engines does it; 0 where there is one.
    pub engine: usize,
    /// Changes when the engine is to forget what it has learned.
    pub cleared: u64,
    /// Changes when a new game begins.
    pub game: u64,
    /// The position.
    pub position: Snapshot,
    /// The side to move there.
    pub color: Color,
    /// What is wanted.
    pub kind: SearchKind,
    /// Options by name; those not named keep the value they have.
    pub options: Vec<(String, String)>,
    /// The clocks.
    pub clock: ClockRequest,
}

/// The end of a search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// A move in the game's notation, `pass` or `resign`, lower case.
    pub text: String,
    /// From the request to the answer.
    pub elapsed: Duration,
}

/// What becomes of a search.
#[derive(Clone, Debug, PartialEq)]
pub enum Event {
    /// The daemon is at the position and searches. Comes again when the search had to be repeated.
    Started,
    /// All lines of one report, best first.
    Report(Vec<Info>),
    /// The one end every search comes to. An error is one line without control characters.
    Done(Result<Answer, String>),
}

#[derive(Debug)]
enum Stage {
    /// The replies to the commands with these ids, which set the position up, are still to come.
    Syncing { first: u64, last: u64, error: Option<String> },
    /// The reply with this id ends the search.
    Searching { id: u64 },
    /// There was nobody there; another attempt is made then.
    Waiting { until: Instant },
}

#[derive(Debug)]
struct Job {
    request: Box<Request>,
    stage: Stage,
    begun: Instant,
    /// When it was last told to a daemon, or was to be; `None` before that.
    launched: Option<Instant>,
    /// Daemons that failed at it.
    failures: u32,
    /// How often it was refused.
    refusals: u32,
    /// How long it may take.
    patience: Patience,
    stopped: Option<Instant>,
    /// Whether the clock has stopped it.
    overdue: bool,
    /// How often the watch over it began anew.
    renewals: u32,
}

impl Job {
    fn new(request: Box<Request>) -> Job {
        let now = Instant::now();
        Job {
            request,
            stage: Stage::Waiting { until: now },
            begun: now,
            launched: None,
            failures: 0,
            refusals: 0,
            patience: Patience::default(),
            stopped: None,
            overdue: false,
            renewals: 0,
        }
    }

    /// Whether it has to end in a move, or in the moves of an opening.
    fn moves(&self) -> bool {
        !matches!(self.request.kind, SearchKind::Analyze { .. })
    }

    /// The reply that ends its present stage.
    fn awaited(&self) -> Option<u64> {
        match self.stage {
            Stage::Syncing { last, .. } => Some(last),
            Stage::Searching { id } => Some(id),
            Stage::Waiting { .. } => None,
        }
    }
}

/// The connection to one daemon, and the search under way.
#[derive(Debug)]
pub struct Client {
    launcher: Launcher,
    link: Option<Link>,
    mirror: Mirror,
    board: Board,
    next_id: u64,
    job: Option<Job>,
    report: Vec<Info>,
    /// The last report of any daemon in this search.
    last: Vec<Info>,
    report_due: Option<Instant>,
    heard: Instant,
    pinged: Option<Instant>,
    pondering: bool,
    /// When the daemon was started, while it has not replied to anything.
    opened: Option<Instant>,
    /// Since when only the searches asked for are to be finished.
    leaving: Option<Instant>,
    /// A daemon fell silent when the adapter was about to leave: there is no other.
    given_up: bool,
    /// A daemon has replied once: the launcher is right.
    proved: bool,
    /// The reply that a daemon was too late with: the adapter has answered for it.
    owed: Option<u64>,
}

impl Client {
    /// A client that has not started anything yet.
    #[must_use]
    pub fn new(launcher: Launcher) -> Client {
        Client {
            launcher,
            link: None,
            mirror: Mirror::default(),
            board: Board::default(),
            next_id: 1,
            job: None,
            report: Vec::new(),
            last: Vec::new(),
            report_due: None,
            heard: Instant::now(),
            pinged: None,
            pondering: false,
            opened: None,
            leaving: None,
            given_up: false,
            proved: false,
            owed: None,
        }
    }

    /// Where the daemon's lines come from; what is received is to be given to [`take`](Client::take).
    #[must_use]
    pub fn incoming(&self) -> Receiver<Incoming> {
        self.link.as_ref().map_or_else(channel::never, Link::incoming)
    }

    /// When [`tick`](Client::tick) is to be called if nothing comes before.
    #[must_use]
    pub fn deadline(&self) -> Option<Instant> {
        let Some(job) = &self.job else { return self.report_due };
        if let Stage::Waiting { until } = job.stage {
            return Some(self.overdue(job).map_or(until, |due| due.min(until)));
        }
        let limit = Some(self.limit(job).0);
        [limit, self.overdue(job), self.ping_due(), self.report_due].into_iter().flatten().min()
    }

    /// When the daemon is given up, and why, if nothing more is heard of it.
    fn limit(&self, job: &Job) -> (Instant, &'static str) {
        let life = match self.opened {
            Some(opened) => (opened + job.patience.greeting(), "it does not answer"),
            None => {
                let asked = self.pinged.unwrap_or(self.heard + job.patience.ping_every());
                (asked + job.patience.silence(), "no sign of life")
            }
        };
        let leaving =
            self.leaving.map(|since| (since.max(self.heard) + patience::LEAVING, "no sign of life"));
        let stop = job.stopped.map(|stopped| {
            let (since, patience) = match self.leaving {
                _ if job.overdue => (stopped, job.patience.last_moment()),
                Some(since) => (since.max(stopped), patience::LEAVING),
                None => (stopped, job.patience.stop()),
            };
            (since + patience, "the search did not stop")
        });
        [leaving, stop].into_iter().flatten().fold(life, Ord::min)
    }

    /// When the search is to be stopped because the clock is about to run out.
    fn overdue(&self, job: &Job) -> Option<Instant> {
        let allowed = job.patience.overdue().filter(|_| job.stopped.is_none())?;
        Some(job.begun + allowed)
    }

    /// When the daemon is to be asked whether it lives. Before its first reply there is no need.
    fn ping_due(&self) -> Option<Instant> {
        let job = self.job.as_ref().filter(|_| self.opened.is_none() && self.pinged.is_none())?;
        let every = if self.leaving.is_some() { patience::LEAVING_PING } else { job.patience.ping_every() };
        Some(self.heard + every)
    }

    /// Begins a search. Exactly one [`Event::Done`] follows, now or later. One search at a time: a
    /// second one fails at once.
    pub fn search(&mut self, request: Box<Request>, out: &mut Vec<Event>) {
        if self.job.is_some() {
            out.push(Event::Done(Err("a search is under way".into())));
            return;
        }
        self.pondering = false;
        self.last.clear();
        if self.given_up {
            return self.give_up(&Job::new(request), "the engine is gone", out);
        }
        self.start(Job::new(request), out);
    }

    /// Ends the search under way, which then answers with what it has found, or the daemon's thinking
    /// on the opponent's time. Without either nothing happens.
    pub fn stop(&mut self) {
        let searching = match &mut self.job {
            Some(job) if job.stopped.is_none() => {
                job.stopped = Some(Instant::now());
                matches!(job.stage, Stage::Searching { .. })
            }
            Some(_) => false,
            None => std::mem::take(&mut self.pondering),
        };
        if searching {
            self.send(&Command::Stop);
        }
    }

    /// Says that the searches asked for are the last ones. A daemon that shows that it lives may still
    /// finish them; one that is silent is no longer waited for.
    pub fn leave(&mut self) {
        if self.leaving.is_some() {
            return;
        }
        self.leaving = Some(Instant::now());
        if self.job.is_some() && self.opened.is_none() && self.pinged.is_none() {
            self.ping();
        }
    }

    /// Takes what was received from [`incoming`](Client::incoming).
    pub fn take(&mut self, incoming: Result<Incoming, RecvError>, out: &mut Vec<Event>) {
        self.heard = Instant::now();
        self.pinged = None;
        if matches!(incoming, Ok(Incoming::Reply(_))) {
            self.opened = None;
            self.proved = true;
        }
        match incoming {
            Ok(Incoming::Reply(reply)) => self.take_reply(reply, out),
            Ok(Incoming::Info(info)) => self.take_info(info, out),
            Ok(Incoming::Unreachable(why)) => self.unreachable(&why, out),
            Ok(Incoming::Closed(why)) => self.lost(&why, out),
            Err(RecvError) => self.lost("the connection was closed", out),
        }
    }

    /// Does what is due: sends a report that is complete, asks a silent daemon for a sign of life,
    /// gives up one that gives none.
    pub fn tick(&mut self, out: &mut Vec<Event>) {
        let now = Instant::now();
        if self.report_due.is_some_and(|due| due <= now) {
            self.flush_report(out);
        }
        let Some(job) = &self.job else { return };
        let overdue = self.overdue(job).is_some_and(|due| due <= now);
        if let Stage::Waiting { until } = job.stage {
            let over = overdue || job.stopped.is_some();
            if (over || until <= now)
                && let Some(job) = self.job.take()
            {
                match over {
                    true => self.give_up(&job, "the engine is out of reach", out),
                    false => self.start(job, out),
                }
            }
            return;
        }
        let (limit, why) = self.limit(job);
        if limit <= now {
            let unasked = self.opened.is_none() && self.pinged.is_none();
            let unasked = unasked && job.stopped.is_none() && self.leaving.is_none();
            let late = now > limit + patience::LATE && job.renewals < RENEWALS && !job.overdue;
            // After a short pause of the whole machine the answer may be there and only not taken yet.
            if !self.incoming().is_empty() {
            } else if unasked || late {
                self.watch_anew(now);
            } else if job.overdue && job.moves() {
                self.overrun(why, out);
            } else {
                self.abandon(why, out);
            }
        } else if overdue {
            log::warn!(target: "adapter::client", "the clock is about to run out: the search is stopped");
            self.stop();
            if let Some(job) = &mut self.job {
                job.overdue = true;
            }
        } else if self.ping_due().is_some_and(|due| due <= now) {
            self.ping();
        }
    }

    /// Nobody watched for a while: this process was stopped, and the daemon probably with it, as some match
    /// runners do while the opponent thinks. It has its whole time again to show that it lives.
    fn watch_anew(&mut self, now: Instant) {
        self.heard = now;
        self.opened = self.opened.map(|_| now);
        if let Some(job) = &mut self.job {
            job.stopped = job.stopped.map(|_| now);
            job.renewals += 1;
        }
        if self.opened.is_none() {
            self.ping();
        }
    }

    fn ping(&mut self) {
        self.send(&Command::Ping);
        self.pinged = Some(Instant::now());
    }

    fn send(&mut self, command: &Command) -> u64 {
        let id = self.next_id;
        self.next_id += 1;
        if let Some(link) = &self.link {
            link.send(format!("{id} {command}\n"));
        }
        id
    }

    fn take_reply(&mut self, reply: Reply, out: &mut Vec<Event>) {
        let id = reply.id.as_deref().and_then(|id| id.parse::<u64>().ok());
        if id.is_some() && id == self.owed {
            self.owed = None;
        }
        let Some(mut job) = self.job.take() else { return };
        match &mut job.stage {
            Stage::Syncing { first, last, error } => {
                let expected = id.is_some_and(|id| (*first..=*last).contains(&id));
                if let (true, Err(text)) = (expected, reply.text) {
                    error.get_or_insert(text);
                }
                // Replies come in the order of the commands.
                if id != Some(*last) {
                    self.job = Some(job);
                } else if let Some(why) = error.take() {
                    self.refused(job, &why, out);
                } else {
                    self.launch(job, out);
                }
            }
            Stage::Searching { id: wanted } if id == Some(*wanted) => {
                self.flush_report(out);
                match reply.text {
                    Ok(text) => self.finish(job, &text, out),
                    // Openings have conditions that a front may have asked to break; a move can always be found.
                    Err(why) if matches!(job.request.kind, SearchKind::GenMove | SearchKind::RegGenMove) => {
                        self.failed(job, &why, out);
                    }
                    Err(why) => self.refused(job, &why, out),
                }
            }
            // The reply to a stop or a ping.
            Stage::Searching { .. } | Stage::Waiting { .. } => self.job = Some(job),
        }
    }

    fn finish(&mut self, job: Job, text: &str, out: &mut Vec<Event>) {
        let text = text.trim().to_ascii_lowercase();
        if job.moves()
            && let Err(why) = self.board.accepts(&job.request, &text)
        {
            // It may be out of its mind altogether.
            self.end_daemon();
            return self.failed(job, &why, out);
        }
        self.charge(&job, &text);
        self.pondering = job.request.kind == SearchKind::GenMove && self.mirror.ponders();
        out.push(Event::Done(Ok(Answer { text, elapsed: job.begun.elapsed() })));
    }

    /// Puts the answer on the daemon's record and its time on the clock.
    fn charge(&mut self, job: &Job, text: &str) {
        let spent = job.launched.map_or_else(|| job.begun.elapsed(), |launched| launched.elapsed());
        match job.request.kind {
            SearchKind::GenMove => self.mirror.played(job.request.color, text, spent),
            SearchKind::Opening(_) => self.mirror.spend(job.request.color, spent),
            SearchKind::RegGenMove | SearchKind::Analyze { .. } => {}
        }
    }

    fn take_info(&mut self, info: Info, out: &mut Vec<Event>) {
        if !matches!(self.job, Some(Job { stage: Stage::Searching { .. }, .. })) {
            return;
        }
        if info.multipv <= 1 {
            self.flush_report(out);
        }
        if self.report.len() < LONGEST_REPORT {
            self.report.push(info);
        }
        self.report_due.get_or_insert_with(|| Instant::now() + REPORT_GAP);
    }

    fn flush_report(&mut self, out: &mut Vec<Event>) {
        self.report_due = None;
        if !self.report.is_empty() {
            let report = std::mem::take(&mut self.report);
            self.last.clone_from(&report);
            out.push(Event::Report(report));
        }
    }
}

#[cfg(test)]
mod tests;
