//! The place of the bridge and of the engines, both played from a script.
//!
//! A line of the script that begins with `! ` tells what happens elsewhere, as in the golden transcripts:
//! `! started`, `! info ...`, `! done MOVE`, `! fail TEXT`, `! file TEXT`, `! nofile TEXT`, `! eof`; `@N `
//! before the word names the engine. Further words: `! legal N` ends a search by a legal move, `! lines N`
//! reports some, `! took MILLISECONDS` is for the answers to come, `! long TEXT` is a line too long. A
//! `!! ` in place of `! ` ends a search within the call that began it. Every other line comes from the
//! client.

use std::collections::VecDeque;
use std::iter::Peekable;
use std::time::Duration;

use tengen_adapter::bridge::{Action, Dialect};
use tengen_adapter::client::{Answer, Event, Request, SearchKind};
use tengen_engine::game::{Color, Move};
use tengen_engine::games::{self, Referee};
use tengen_engine::protocol::{Info, SearchLimits};

/// How much a front may write in reply to one line.
const LONGEST_ANSWER: usize = 1 << 20;
/// How many searches may follow one line: a query may ask for every turn of a game.
const MOST_SEARCHES: usize = 10_000;

/// Stands for a line too long among those the front took.
pub(crate) const TOO_LONG: &str = "(too long)";

struct Search {
    request: Box<Request>,
    started: bool,
    stopped: bool,
}

impl Search {
    /// Whether it ends without being stopped.
    fn bounded(&self) -> bool {
        match self.request.kind {
            SearchKind::Analyze { limits, .. } => limits != SearchLimits::default(),
            SearchKind::GenMove | SearchKind::RegGenMove | SearchKind::Opening(_) => true,
        }
    }
}

/// What a case led to.
pub(crate) struct Outcome {
    /// All that was written to the client.
    pub(crate) output: String,
    /// The lines of the client that the front took.
    pub(crate) taken: Vec<String>,
    /// Whether the front left before its input had ended.
    pub(crate) early: bool,
}

struct Bridge<'a, I: Iterator<Item = &'a str>> {
    front: Box<dyn Dialect>,
    script: Peekable<I>,
    searches: Vec<Option<Search>>,
    took: Duration,
    written: usize,
    quit: bool,
    ended: bool,
    outcome: Outcome,
}

/// Runs the script against the front, ends the input, and has every search finished.
///
/// # Panics
/// When the front does what no front may do.
pub(crate) fn run(front: Box<dyn Dialect>, script: &str) -> Outcome {
    let mut bridge = Bridge {
        front,
        script: crate::lines(script).peekable(),
        searches: Vec::new(),
        took: Duration::from_millis(1500),
        written: 0,
        quit: false,
        ended: false,
        outcome: Outcome { output: String::new(), taken: Vec::new(), early: false },
    };
    while !bridge.quit
        && let Some(line) = bridge.script.next()
    {
        bridge.step(line);
    }
    bridge.outcome.early = bridge.quit && !bridge.ended;
    bridge.end();
    bridge.finish();
    bridge.outcome
}

impl<'a, I: Iterator<Item = &'a str>> Bridge<'a, I> {
    fn step(&mut self, line: &str) {
        self.written = 0;
        if let Some(event) = line.strip_prefix("! ").or(line.strip_prefix("!! ")) {
            return self.elsewhere(event);
        }
        if self.ended || !self.make_room() {
            return;
        }
        self.outcome.taken.push(line.to_owned());
        let mut actions = Vec::new();
        self.front.line(line, &mut actions);
        self.settle(actions);
    }

    /// Has searches finished until the front takes a line; nothing else could make it take one.
    fn make_room(&mut self) -> bool {
        for _ in 0..MOST_SEARCHES {
            if self.quit || self.front.accepts() {
                return !self.quit;
            }
            assert!(self.finish_one(), "the front takes no line, and no search will end");
        }
        panic!("the front takes no line after {MOST_SEARCHES} searches");
    }

    fn elsewhere(&mut self, event: &str) {
        let (kind, rest) = event.split_once(' ').unwrap_or((event, ""));
        match kind {
            "eof" => self.end(),
            "took" => self.took = Duration::from_millis(rest.parse().unwrap_or(0)),
            "long" if !self.ended && self.make_room() => {
                self.outcome.taken.push(TOO_LONG.to_owned());
                let mut actions = Vec::new();
                self.front.too_long(rest, &mut actions);
                self.settle(actions);
            }
            _ => {
                let mut actions = Vec::new();
                self.event(event, &mut actions);
                self.settle(actions);
            }
        }
    }

    /// What becomes of a search, if the engine has one.
    fn event(&mut self, event: &str, actions: &mut Vec<Action>) {
        let (engine, event) = match event.strip_prefix('@').and_then(|rest| rest.split_once(' ')) {
            Some((number, rest)) => (number.parse().unwrap_or(0), rest),
            None => (self.searches.iter().position(Option::is_some).unwrap_or(0), event),
        };
        let took = self.took;
        let answer = |text: &str| Answer { text: text.to_owned(), elapsed: took };
        let Some(Some(search)) = self.searches.get_mut(engine) else { return };
        let (kind, rest) = event.split_once(' ').unwrap_or((event, ""));
        let number = rest.parse().unwrap_or(0);
        // The client drops them.
        let rest = &rest.replace(char::is_control, "");
        if matches!(kind, "info" | "lines") && !std::mem::replace(&mut search.started, true) {
            self.front.search(engine, Event::Started, actions);
        }
        let event = match kind {
            "started" => Event::Started,
            "info" => {
                let infos = rest.split(" | ").filter_map(|text| Info::parse(&format!("info {text}")));
                Event::Report(infos.collect())
            }
            "lines" => Event::Report(report(&search.request, number)),
            "fail" => Event::Done(Err(rest.to_owned())),
            "legal" => Event::Done(Ok(answer(&legal(&search.request, number)))),
            // As the client gives it: one line in lower case.
            "done" => Event::Done(Ok(answer(&rest.to_ascii_lowercase()))),
            _ => return,
        };
        self.tell(engine, event, actions);
    }

    fn tell(&mut self, engine: usize, event: Event, actions: &mut Vec<Action>) {
        if matches!(event, Event::Done(_))
            && let Some(search) = self.searches.get_mut(engine)
        {
            *search = None;
        }
        self.front.search(engine, event, actions);
    }

    /// Does all that is wanted, and what that leads to, in the order in which the bridge does it.
    fn settle(&mut self, actions: Vec<Action>) {
        let mut todo = VecDeque::from(actions);
        let mut searches = 0;
        while let Some(action) = todo.pop_front() {
            let mut actions = Vec::new();
            match action {
                Action::ToGui(text) => self.write(&text),
                Action::Search(request) => {
                    searches += 1;
                    assert!(searches <= MOST_SEARCHES, "searches without end");
                    let engine = request.engine;
                    self.begin(request);
                    if let Some(event) = self.script.next_if(|line| line.starts_with("!! ")) {
                        let event = event.trim_start_matches("!! ");
                        if ["fail", "legal", "done"].iter().any(|word| event.starts_with(word)) {
                            self.event(&format!("@{engine} {event}"), &mut actions);
                        }
                    }
                }
                Action::Stop(engine) => {
                    if let Some(Some(search)) = self.searches.get_mut(engine) {
                        search.stopped = true;
                    }
                }
                Action::Read(_) | Action::Write { .. } => {
                    let is_file = |line: &&str| line.starts_with("! file") || line.starts_with("! nofile");
                    let result = match self.script.next_if(is_file) {
                        Some(line) if line.starts_with("! file") => {
                            Ok(line.trim_start_matches("! file").trim_start().to_owned())
                        }
                        _ => Err("no such file".to_owned()),
                    };
                    self.front.file(result, &mut actions);
                }
                Action::Leave => {}
                Action::Quit => {
                    self.quit = true;
                    return;
                }
            }
            todo.extend(actions);
        }
    }

    fn write(&mut self, text: &str) {
        self.written += text.len();
        assert!(self.written <= LONGEST_ANSWER, "too much is written for one line");
        self.outcome.output.push_str(text);
    }

    fn begin(&mut self, request: Box<Request>) {
        let engine = request.engine;
        assert!(engine < 256, "no front has so many engines");
        while self.searches.len() <= engine {
            self.searches.push(None);
        }
        let referee = referee_of(&request);
        assert!(
            referee.ending().is_some() || referee.turn() == request.color,
            "the search is for the side that is not to move: {request:?}"
        );
        if let Some(place) = self.searches.get_mut(engine) {
            assert!(place.is_none(), "a search while another runs: {request:?}");
            *place = Some(Search { request, started: false, stopped: false });
        }
    }

    /// Ends a search that ends by itself or was stopped.
    fn finish_one(&mut self) -> bool {
        let ends = |search: &Option<Search>| search.as_ref().is_some_and(|s| s.stopped || s.bounded());
        let Some(engine) = self.searches.iter().position(ends) else { return false };
        let mut actions = Vec::new();
        if let Some(Some(search)) = self.searches.get(engine) {
            let plies = search.request.position.moves.len();
            let answer = Answer { text: legal(&search.request, plies), elapsed: self.took };
            self.tell(engine, Event::Done(Ok(answer)), &mut actions);
        }
        self.written = 0;
        self.settle(actions);
        true
    }

    fn end(&mut self) {
        if self.quit || self.ended {
            return;
        }
        self.ended = true;
        let mut actions = Vec::new();
        self.front.end_of_input(&mut actions);
        self.settle(actions);
    }

    /// Has all searches finished after the end of the input.
    fn finish(&mut self) {
        for _ in 0..MOST_SEARCHES {
            if self.quit {
                return;
            }
            let pending = || self.searches.iter().flatten().map(|search| &search.request).collect::<Vec<_>>();
            let pending = format!("{:?}", pending());
            assert!(self.finish_one(), "the front does not leave after its input has ended: {pending}");
        }
        panic!("searches without end");
    }
}

/// The position of a search, as the client tells it to an engine; a front may ask only for what there is.
fn referee_of(request: &Request) -> Box<dyn Referee> {
    let position = &request.position;
    let mut referee = games::referee(position.setup.clone()).expect("the set-up of a search exists");
    if let Some(start) = &position.start {
        referee.set_position(start).expect("the start of a search is possible");
    }
    for (color, text) in &position.moves {
        let mv = referee.parse_move(text).expect("the moves of a search are moves");
        referee.play(Some(*color), mv).expect("the moves of a search are legal");
    }
    referee
}

/// One of the legal moves there.
fn legal(request: &Request, number: usize) -> String {
    let referee = referee_of(request);
    let moves = referee.legal_moves(None).unwrap_or_default();
    match moves.get(number % moves.len().max(1)) {
        Some(&mv) => referee.move_text(mv),
        None if referee.has_pass() => referee.move_text(Move::PASS),
        None => "resign".to_owned(),
    }
}

/// A report on three legal moves, the first of them with a reply.
fn report(request: &Request, number: usize) -> Vec<Info> {
    let referee = referee_of(request);
    let moves = referee.legal_moves(None).unwrap_or_default();
    let line = |rank: usize| {
        let mv = *moves.get((number + rank) % moves.len().max(1))?;
        let mut pv = vec![referee.move_text(mv)];
        let mut after = referee.boxed_clone();
        after.play(None, mv).ok()?;
        if rank == 0
            && let Some(&reply) = after.legal_moves(None).unwrap_or_default().first()
        {
            pv.push(after.move_text(reply));
        }
        let mirrored = if request.color == Color::Black { 0.7 } else { 0.3 };
        Some(Info {
            depth: 3,
            nodes: 1000,
            nps: 1000,
            time: Duration::from_secs(1),
            winrate: mirrored,
            score: 1.5,
            multipv: u32::try_from(rank + 1).ok()?,
            pv,
            ..Info::default()
        })
    };
    (0..3).filter_map(line).collect()
}
