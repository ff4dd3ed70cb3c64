//! One match: the game as the judge tells it, and our answers.

use std::time::Duration;

use serde_json::Value;
use tengen_engine::game::Move;
use tengen_engine::games::SetupError;
use tengen_engine::protocol::Info;
use tengen_engine::search::clock::TimeControl;

use super::Kind;
use super::coordinates::Coordinates;
use crate::client::args::EngineOptions;
use crate::client::{Answer, Request, SearchKind};
use crate::fronts::desk::Desk;

/// What is kept of a turn's time for the way to the judge and back, where the option `move_overhead` does
/// not say it.
const MARGIN: Duration = Duration::from_millis(200);
/// The shortest search.
const SHORTEST: Duration = Duration::from_millis(20);
/// The most turns that a message may tell of: no game is longer.
pub(super) const MOST_TURNS: usize = 500;
/// A limit below this is in seconds, any other in milliseconds: the site has used both.
const MILLISECONDS: f64 = 100.0;
/// Moves looked at for the third stone of an opening that the opponent may take over.
const OPENINGS: u32 = 40;

/// What the judge is told.
#[derive(Debug, PartialEq)]
pub(super) struct Reply {
    /// The move.
    pub(super) response: Coordinates,
    /// A remark for the log of the match, short.
    pub(super) debug: String,
}

/// What a turn comes to.
#[derive(Debug)]
pub(super) enum Step {
    /// An answer without a search.
    Reply(Reply),
    /// A search; its end is to be given to [`Table::done`].
    Search(Box<Request>),
}

/// What a search is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Purpose {
    /// The best move.
    Move,
    /// Renju's third stone, after which the opponent chooses the side.
    Balance,
    /// Renju's fourth stone, or the exchange of colours.
    Exchange,
}

/// A match.
#[derive(Debug)]
pub(super) struct Table {
    kind: Kind,
    desk: Desk,
    margin: Duration,
    /// Requests and responses so far.
    events: usize,
    /// Whether colours were exchanged (Renju).
    exchanged: bool,
    purpose: Purpose,
    lines: Vec<Info>,
    /// What was wrong with the last request.
    problem: Option<String>,
}

impl Table {
    /// The start of a match. Between turns the site stops all processes, so that thinking on the
    /// opponent's time could only cost; and a resignation is no response there.
    ///
    /// # Errors
    /// When the game has no such set-up.
    pub(super) fn new(kind: Kind, options: &EngineOptions) -> Result<Table, SetupError> {
        let mut desk = Desk::new(kind.setup()?, options.clone())?;
        let own = options.get("move_overhead").and_then(|value| value.parse().ok());
        let margin = own.map_or(MARGIN, Duration::from_millis);
        // What is kept of a turn's time is kept here.
        for (name, value) in [("ponder", "off"), ("resign", "0"), ("move_overhead", "0")] {
            if let Err(error) = desk.set(name, value) {
                log::error!(target: "adapter::botzone", "{error}");
            }
        }
        Ok(Table {
            kind,
            desk,
            margin,
            events: 0,
            exchanged: false,
            purpose: Purpose::Move,
            lines: Vec::new(),
            problem: None,
        })
    }

    /// Whether nothing was played yet.
    pub(super) fn is_first_turn(&self) -> bool {
        self.events <= 1
    }

    /// Whether the side to move can only pass.
    pub(super) fn expects_pass(&self) -> bool {
        self.desk.referee.must_pass()
    }

    /// Takes the whole course of a match, requests and responses in turn. What follows a problem is not
    /// looked at.
    pub(super) fn replay(&mut self, events: impl IntoIterator<Item = Result<Coordinates, String>>) {
        let mut referee = self.desk.referee.boxed_clone();
        referee.reset();
        self.desk.replace(referee);
        (self.events, self.exchanged, self.problem) = (0, false, None);
        for event in events {
            let taken = event.and_then(|event| self.take(&event));
            if let Err(why) = taken {
                self.problem = Some(format!("message {}: {why}", self.events + 1));
                return;
            }
        }
    }

    /// Takes a message in JSON: the course of the match (`requests` and `responses`), or the opponent's last
    /// move. Gives the limit of a turn if it is told.
    pub(super) fn read(&mut self, message: &Value) -> Option<Duration> {
        let kind = self.kind;
        let Some(requests) = message.get("requests") else {
            self.hear(Coordinates::of_json(kind, message));
            return None;
        };
        let requests = requests.as_array().map_or(&[][..], Vec::as_slice);
        let responses = message.get("responses").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
        let (many, few) = (requests.len(), responses.len());
        if many == 0 || many > MOST_TURNS || few + 1 != many {
            self.hear(Err(format!("{many} requests and {few} responses")));
            return None;
        }
        let pairs = requests.iter().enumerate();
        let events = pairs.flat_map(|(i, request)| std::iter::once(request).chain(responses.get(i)));
        self.replay(events.map(|value| Coordinates::of_json(kind, value)));
        message.get("time_limit").and_then(time_limit)
    }

    /// Takes the opponent's move; a problem is told with the next reply.
    pub(super) fn hear(&mut self, event: Result<Coordinates, String>) {
        self.problem = event.and_then(|event| self.take(&event)).err();
    }

    fn take(&mut self, event: &Coordinates) -> Result<(), String> {
        match event {
            // Only the turn tells "you begin" from a pass.
            Coordinates::None if self.events == 0 => {}
            Coordinates::None if self.may_exchange() => self.exchanged = true,
            Coordinates::None => self.play(Move::PASS)?,
            Coordinates::Points(points) => {
                let mv = self.desk.referee.move_of(points).ok_or("not a move of this game")?;
                self.play(mv)?;
            }
        }
        self.events += 1;
        Ok(())
    }

    fn play(&mut self, mv: Move) -> Result<(), String> {
        self.desk.referee.play(None, mv).map_err(|why| format!("illegal move: {why}"))
    }

    /// Whether three stones of Renju lie, and who is to move may take Black's side instead.
    fn may_exchange(&self) -> bool {
        self.kind == Kind::Renju && !self.exchanged && self.desk.referee.plies() == 3
    }

    /// Our turn, which may take so long.
    pub(super) fn think(&mut self, limit: Duration) -> Step {
        self.lines.clear();
        let referee = &self.desk.referee;
        if self.problem.is_some() {
            return Step::Reply(self.anything());
        }
        if let Some(ending) = referee.ending() {
            let over = format!("the game is over: {ending}");
            return Step::Reply(self.reply(Coordinates::None, over));
        }
        if referee.must_pass() {
            return Step::Reply(self.answer(Move::PASS, "no other move".to_owned()));
        }
        let control = TimeControl::Move(limit.saturating_sub(self.margin).max(SHORTEST));
        self.desk.clocks.follow(control);
        let (purpose, kind, lines) = match self.desk.referee.plies() {
            2 if self.kind == Kind::Renju => (Purpose::Balance, SearchKind::RegGenMove, OPENINGS),
            _ if self.may_exchange() => (Purpose::Exchange, SearchKind::RegGenMove, 1),
            _ => (Purpose::Move, SearchKind::GenMove, 1),
        };
        self.purpose = purpose;
        let only: &[(&str, String)] = if lines > 1 { &[("multipv", lines.to_string())] } else { &[] };
        Step::Search(self.desk.request(kind, only))
    }

    /// After a message without sense: a move that would be legal if the opponent had not moved.
    fn anything(&mut self) -> Reply {
        let turn = self.desk.referee.turn();
        let color = if self.events.is_multiple_of(2) { !turn } else { turn };
        let legal = self.desk.referee.legal_moves(Some(color)).unwrap_or_default();
        let points = legal.first().map(|mv| self.desk.referee.points(*mv)).unwrap_or_default();
        let response = if points.is_empty() { Coordinates::None } else { Coordinates::Points(points) };
        self.reply(response, "a move at random".to_owned())
    }

    /// The lines of a search so far.
    pub(super) fn report(&mut self, lines: Vec<Info>) {
        self.lines = lines;
    }

    /// The end of the search: whatever the engine said, the answer is a legal move.
    pub(super) fn done(&mut self, result: Result<Answer, String>) -> Reply {
        let best = self.lines.first();
        let mut debug = best.map_or_else(String::new, |info| {
            format!("depth {} nodes {} winrate {:.2}", info.depth, info.nodes, info.winrate)
        });
        let (text, trouble) = match result {
            Ok(answer) => (answer.text, None),
            Err(why) => (String::new(), Some(why)),
        };
        if self.purpose == Purpose::Exchange && best.is_some_and(|info| info.winrate < 0.5) {
            self.exchanged = true;
            self.events += 1;
            return self.reply(Coordinates::None, format!("exchange: {debug}"));
        }
        let balanced = self.lines.iter().filter(|_| self.purpose == Purpose::Balance);
        let balanced = balanced.min_by(|a, b| (a.winrate - 0.5).abs().total_cmp(&(b.winrate - 0.5).abs()));
        if let Some(line) = balanced {
            debug = format!("opening with winrate {:.2}", line.winrate);
        }
        let referee = &self.desk.referee;
        let first = |info: &Info| info.pv.first().cloned();
        let wishes = [balanced.and_then(first), Some(text), best.and_then(first)];
        let legal = referee.legal_moves(None).unwrap_or_default();
        let parsed = |text: &String| referee.parse_move(text).ok().filter(|mv| legal.contains(mv));
        let wished = wishes.iter().flatten().find_map(parsed);
        if let Some(why) = trouble.or_else(|| wished.is_none().then(|| "the engine gave no move".to_owned()))
        {
            log::error!(target: "adapter::botzone", "{why}");
            debug = why;
        }
        match wished.or_else(|| legal.first().copied()) {
            Some(mv) => self.answer(mv, debug),
            None => self.reply(Coordinates::None, debug),
        }
    }

    /// Plays our move.
    fn answer(&mut self, mv: Move, debug: String) -> Reply {
        let points = self.desk.referee.points(mv);
        if let Err(why) = self.play(mv) {
            log::error!(target: "adapter::botzone", "{why}");
        }
        self.events += 1;
        let response = if points.is_empty() { Coordinates::None } else { Coordinates::Points(points) };
        self.reply(response, debug)
    }

    fn reply(&mut self, response: Coordinates, debug: String) -> Reply {
        let debug = match self.problem.take() {
            Some(problem) => {
                log::warn!(target: "adapter::botzone", "{problem}");
                format!("{problem}; {debug}")
            }
            None => debug,
        };
        // The site takes a kilobyte.
        Reply { response, debug: debug.chars().take(200).collect() }
    }
}

/// A limit from the site: seconds or milliseconds, as a number or a text.
fn time_limit(value: &Value) -> Option<Duration> {
    let number = value.as_f64().or_else(|| value.as_str()?.trim().parse().ok())?;
    let seconds = if number < MILLISECONDS { number } else { number / 1000.0 };
    Duration::try_from_secs_f64(seconds).ok().filter(|limit| !limit.is_zero())
}
