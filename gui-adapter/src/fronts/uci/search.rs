//! From `go` to `bestmove`.

use std::collections::HashSet;
use std::time::Duration;

use tengen_engine::game::Move;
use tengen_engine::protocol::{Info, Proven, SearchLimits};
use tengen_engine::search::clock::TimeControl;

use super::notation::Ply;
use super::words::Go;
use super::{Protocol, Uci, complain, say};
use crate::bridge::Action;
use crate::client::{Answer, SearchKind};

/// From report to report of a search without an end.
const INTERVAL: Duration = Duration::from_millis(250);
/// The most lines the engine reports. Where only some moves are wanted (`searchmoves`), the best of them is
/// looked for among these: exact in Othello and in any position with no more legal moves than that. In an
/// Amazons opening, which has over two thousand, wanted moves of which none is among these get no report, and
/// the first of them is played.
const MOST_LINES: usize = 500;
/// The score of a certain win whose length is not known, in hundredths.
const CERTAIN: i32 = 20_000;

/// What ends a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    /// Its limits, or `stop`.
    Bounded,
    /// `stop` only.
    Infinite,
    /// `stop`; or `ponderhit`, which makes it another one.
    Ponder,
}

/// The search under way: one `bestmove` is owed for it.
#[derive(Debug)]
pub(super) struct Running {
    go: Go,
    /// The legal moves that are wanted; all when nothing was said.
    only: Option<HashSet<Ply>>,
    mode: Mode,
    /// Whether the daemon is searching for it; when not, only `bestmove` is waited for.
    searching: bool,
    /// Whether the daemon was asked to end.
    halted: bool,
    /// Whether `bestmove` is to come as soon as possible.
    stopped: bool,
    /// What is to be played.
    best: Option<Ply>,
}

impl Running {
    /// Whether it never ends by itself.
    pub(super) fn is_endless(&self) -> bool {
        self.mode != Mode::Bounded
    }
}

impl Uci {
    /// Begins a search, or answers at once where the rules leave no choice.
    pub(super) fn go(&mut self, mut go: Go, out: &mut Vec<Action>) {
        if let Some(depth) = go.perft {
            self.perft(depth, out);
            return;
        }
        let mode = match self.protocol {
            Protocol::Uci if go.ponder => Mode::Ponder,
            _ if go.infinite => Mode::Infinite,
            _ => Mode::Bounded,
        };
        let only = self.only(&std::mem::take(&mut go.moves));
        let running = Running { go, only, mode, searching: false, halted: false, stopped: false, best: None };
        self.running = Some(running);
        self.advance(out);
    }

    /// What `searchmoves` stands for: read once, because a line may have a hundred thousand of them.
    fn only(&self, texts: &[String]) -> Option<HashSet<Ply>> {
        if texts.is_empty() {
            return None;
        }
        let (notation, referee) = (self.notation(), &*self.desk.referee);
        let legal: HashSet<Ply> = notation.legal(referee, &self.tail).into_iter().collect();
        let plies = texts.iter().filter_map(|text| notation.read(referee, &self.tail, text).ok());
        Some(plies.filter(|ply| legal.contains(ply)).collect())
    }

    /// Starts the search that the mode wants, or ends it where there is nothing to search.
    fn advance(&mut self, out: &mut Vec<Action>) {
        let referee = &*self.desk.referee;
        let legal = if self.unusable { Vec::new() } else { self.notation().legal(referee, &self.tail) };
        let Some(running) = &mut self.running else { return };
        let over = referee.ending().is_some() || legal.is_empty();
        if over || (legal == [Ply::Move(Move::PASS)] && !running.is_endless()) {
            running.best = legal.first().copied();
            if !over {
                say(format!("info depth 0 score cp 0 nodes 0 nps 0 time 0 pv {}", self.best_text()), out);
            }
            self.conclude(out);
            return;
        }
        let (go, endless) = (running.go.clone(), running.is_endless());
        running.searching = true;
        running.halted = false;
        let mut only = Vec::new();
        if running.only.is_some() {
            only.push(("multipv", legal.len().min(MOST_LINES).to_string()));
        }
        let kind = if endless {
            SearchKind::Analyze { interval: INTERVAL, limits: SearchLimits::default() }
        } else {
            only.extend(go.depth.map(|depth| ("depth", depth.min(1000).to_string())));
            only.extend(go.nodes.map(|nodes| ("nodes", nodes.to_string())));
            let first = self.desk.referee.turn() == self.tail.first;
            self.desk.clocks.follow(control(&go, first));
            SearchKind::RegGenMove
        };
        out.push(Action::Search(self.desk.request(kind, &only)));
    }

    /// `stop`: `bestmove` comes as soon as possible. Without a search nothing happens.
    pub(super) fn stop(&mut self, out: &mut Vec<Action>) {
        let Some(running) = &mut self.running else { return };
        running.stopped = true;
        self.halt(out);
        self.conclude(out);
    }

    /// `ponderhit`: what was thought about has happened, and from now on the clock runs.
    pub(super) fn ponder_hit(&mut self, out: &mut Vec<Action>) {
        let Some(running) = &mut self.running else { return };
        if running.mode != Mode::Ponder {
            return;
        }
        running.mode = if running.go.infinite { Mode::Infinite } else { Mode::Bounded };
        if running.mode == Mode::Bounded {
            self.halt(out);
            self.resume(out);
        }
    }

    fn halt(&mut self, out: &mut Vec<Action>) {
        if let Some(running) = &mut self.running
            && running.searching
            && !running.halted
        {
            running.halted = true;
            out.push(Action::Stop(0));
        }
    }

    /// Begins the search by the clock when the one without an end has ended.
    fn resume(&mut self, out: &mut Vec<Action>) {
        if let Some(running) = &self.running
            && !running.searching
        {
            self.advance(out);
        }
    }

    /// Writes `bestmove` if its time has come.
    fn conclude(&mut self, out: &mut Vec<Action>) {
        let Some(running) = &self.running else { return };
        if running.searching || (running.is_endless() && !running.stopped) {
            return;
        }
        let mut text = format!("bestmove {}", self.best_text());
        if self.protocol == Protocol::Uci
            && self.ponder
            && let Some(reply) = running.best.and_then(|best| self.expected_reply(best))
        {
            text.push_str(&format!(" ponder {reply}"));
        }
        self.running = None;
        say(text, out);
    }

    fn best_text(&self) -> String {
        let best = self.running.as_ref().and_then(|running| running.best);
        best.map_or_else(
            || self.protocol.no_move().to_owned(),
            |ply| self.notation().text(&*self.desk.referee, &self.tail, ply),
        )
    }

    /// The opponent's move after `best` in the line that begins with it.
    fn expected_reply(&self, best: Ply) -> Option<String> {
        let referee = &*self.desk.referee;
        let line = self.last.iter().find(|info| {
            let first = info.pv.first().and_then(|text| referee.parse_move(text).ok());
            first.is_some_and(|mv| Ply::Move(mv) == best)
        })?;
        self.line_texts(line).0.into_iter().nth(1)
    }

    /// The daemon's search has ended.
    pub(super) fn done(&mut self, result: Result<Answer, String>, out: &mut Vec<Action>) {
        let answered = match result {
            Ok(answer) => Some(answer.text),
            Err(why) => {
                complain(&why, out);
                None
            }
        };
        let best = self.chosen(answered.as_deref());
        let Some(running) = &mut self.running else { return };
        running.searching = false;
        running.best = best;
        let hit = running.halted && !running.stopped && running.mode == Mode::Bounded;
        if hit { self.resume(out) } else { self.conclude(out) }
    }

    /// The engine's move if it is legal and the client wants it, else the best of the last report that
    /// is, else any: a `go` is owed a move whatever becomes of the engine.
    fn chosen(&self, answered: Option<&str>) -> Option<Ply> {
        let referee = &*self.desk.referee;
        let mut legal = self.notation().legal(referee, &self.tail);
        let wanted: Vec<Ply> = legal.iter().copied().filter(|&ply| self.wants(ply)).collect();
        if !wanted.is_empty() {
            legal = wanted;
        }
        let reported = self.last.iter().filter_map(|info| info.pv.first().map(String::as_str));
        let moves = answered.into_iter().chain(reported).filter_map(|text| referee.parse_move(text).ok());
        let found = moves.map(Ply::Move).find(|ply| legal.contains(ply));
        found.or_else(|| legal.first().copied())
    }

    /// Whether `searchmoves` allows it.
    fn wants(&self, ply: Ply) -> bool {
        let only = self.running.as_ref().and_then(|running| running.only.as_ref());
        only.is_none_or(|only| only.contains(&ply))
    }

    /// Writes a report.
    pub(super) fn report(&mut self, infos: Vec<Info>, out: &mut Vec<Action>) {
        let filtered = self.running.as_ref().is_some_and(|running| running.only.is_some());
        let most = if filtered { self.desk.options().multipv } else { u32::MAX };
        let referee = &*self.desk.referee;
        let wanted = infos.iter().filter(|info| {
            let first = info.pv.first().and_then(|text| referee.parse_move(text).ok());
            !filtered || first.is_some_and(|mv| self.wants(Ply::Move(mv)))
        });
        let mut text = String::new();
        for (info, rank) in wanted.zip(1..=most) {
            text.push_str(&self.info_line(info, rank));
        }
        if self.debug
            && let Some(info) = infos.first()
        {
            text.push_str(&format!("info string winrate {:.4} score {:.2}\n", info.winrate, info.score));
        }
        if !text.is_empty() {
            out.push(Action::ToGui(text));
        }
        self.last = infos;
    }

    fn info_line(&self, info: &Info, rank: u32) -> String {
        let (line, ends) = self.line_texts(info);
        let length = if ends { i32::try_from(line.len()).ok() } else { None };
        let sign = if info.proven == Some(Proven::Loss) { -1 } else { 1 };
        let score = match (info.proven, length) {
            (Some(Proven::Draw), _) => "cp 0".to_owned(),
            (Some(_), Some(plies)) => {
                let distance = if self.protocol == Protocol::Uci { (plies + 1) / 2 } else { plies };
                format!("mate {}", sign * distance)
            }
            (Some(_), None) => format!("cp {}", sign * CERTAIN),
            (None, _) => {
                let hundredths = (info.score * 100.0).round() as i32;
                format!("cp {}", hundredths.clamp(1 - CERTAIN, CERTAIN - 1))
            }
        };
        format!(
            "info depth {} multipv {rank} score {score} nodes {} nps {} time {} pv {}\n",
            info.depth,
            info.nodes,
            info.nps,
            info.time.as_millis(),
            line.join(" ")
        )
    }

    /// A line of moves in the client's notation, up to the first the rules refuse, and whether the game
    /// ends with it.
    fn line_texts(&self, info: &Info) -> (Vec<String>, bool) {
        let notation = self.notation();
        let mut referee = self.desk.referee.boxed_clone();
        let mut tail = self.tail.clone();
        let mut texts = Vec::new();
        for text in &info.pv {
            let Ok(mv) = referee.parse_move(text) else { break };
            let ply = Ply::Move(mv);
            let shown = notation.text(&*referee, &tail, ply);
            if notation.play(&mut *referee, &mut tail, ply).is_err() {
                break;
            }
            texts.push(shown);
        }
        let ends = referee.ending().is_some();
        (texts, ends)
    }
}

/// The time control that `go` stands for. `first` is whether the side that began the game is to move.
fn control(go: &Go, first: bool) -> TimeControl {
    if let Some(limit) = go.move_time {
        return TimeControl::Move(limit);
    }
    let (time, increment) = match (go.time, go.increment, first) {
        ([time, other], [increment, _], true) | ([other, time], [_, increment], false) => {
            (time.or(other), increment)
        }
    };
    match (time, go.moves_to_go) {
        (None, _) => TimeControl::None,
        (Some(period), Some(moves)) => TimeControl::Canadian {
            main: Duration::ZERO,
            period,
            stones: u32::try_from(moves).unwrap_or(u32::MAX),
        },
        (Some(main), None) => TimeControl::Fischer { main, increment },
    }
}
