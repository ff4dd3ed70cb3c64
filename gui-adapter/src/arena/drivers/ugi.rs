//! UGI, where the engine tells the rules, and UCI as Fairy-Stockfish speaks it.

use std::time::Duration;

use tengen_engine::game::{Color, Outcome};
use tengen_engine::games::{self, Referee, Setup};
use tengen_engine::search::clock::TimeControl;

use super::{Answer, Claim, Driver, Fault, Table, Task, Wire, chance_of_centipawns, refuses_option};
use crate::arena::limit::Limit;
use crate::arena::record::End;
use crate::arena::spec::EngineSpec;
use crate::fronts::uci::Variant;
use crate::fronts::uci::notation::{Notation, Ply, Tail};

/// Whether UCI has a variant for the set-up.
pub(super) fn has_variant(setup: &Setup) -> bool {
    Variant::of(setup).is_some()
}

pub(super) struct Ugi {
    uci: bool,
    options: Vec<(String, String)>,
    notation: Notation,
    /// The game as the engine sees it, kept up with the referee.
    mirror: Option<(Box<dyn Referee>, Tail)>,
    /// Moves of the game in `position`.
    words: Vec<String>,
    /// `startpos` or `fen TEXT`.
    origin: String,
    /// The engine's moves since `uginewgame` are asked about.
    tells_rules: bool,
    chance: Option<f32>,
}

impl Ugi {
    pub(super) fn new(spec: &EngineSpec, uci: bool) -> Ugi {
        Ugi {
            uci,
            options: spec.options.clone(),
            notation: Notation::Native,
            mirror: None,
            words: Vec::new(),
            origin: String::new(),
            tells_rules: !uci,
            chance: None,
        }
    }

    fn set(&self, wire: &Wire, name: &str, value: &str) {
        wire.send(&format!("setoption name {name} value {value}"));
    }

    fn ready(&self, wire: &mut Wire) -> Result<(), Fault> {
        wire.send("isready");
        wire.wait("isready", |line| (line.trim() == "readyok").then_some(()))
    }

    /// Whether the engine answers `query WHAT` with this word.
    fn query(&self, wire: &mut Wire, what: &str) -> Result<String, Fault> {
        let line = format!("query {what}");
        wire.send(&line);
        wire.wait(&line, |line| {
            line.trim().strip_prefix("response").map(|word| word.trim().to_ascii_lowercase())
        })
    }

    /// Brings the mirror and the words of `position` up to the table.
    fn follow(&mut self, table: &Table<'_>) -> Result<(), Fault> {
        let broken = |error: String| Fault::new(End::Start, error);
        let (mirror, tail) = self.mirror.as_mut().ok_or_else(|| broken("no game".into()))?;
        for &(_, mv) in table.history.get(self.words.len()..).unwrap_or_default() {
            let ply = Ply::Move(mv);
            self.words.push(self.notation.text(&**mirror, tail, ply));
            self.notation.play(&mut **mirror, tail, ply).map_err(|error| broken(error.to_string()))?;
        }
        Ok(())
    }

    fn position(&self) -> String {
        let moves = if self.words.is_empty() { "" } else { " moves " };
        format!("position {}{moves}{}", self.origin, self.words.join(" "))
    }

    fn go_words(&self, table: &Table<'_>) -> String {
        let first = self.mirror.as_ref().map_or(Color::Black, |(_, tail)| tail.first);
        let names = if self.uci {
            ["wtime", "btime", "winc", "binc"]
        } else {
            ["p1time", "p2time", "p1inc", "p2inc"]
        };
        let [time1, time2, inc1, inc2] = names;
        let left = |color| ms(table.clocks.remaining(color).time);
        let clock = |increments: [Duration; 2], more: String| {
            let [one, two] = increments;
            format!(
                " {time1} {} {time2} {} {inc1} {} {inc2} {}{more}",
                left(first),
                left(!first),
                ms(one),
                ms(two)
            )
        };
        let increment = |color| match table.clocks.control(color) {
            TimeControl::Fischer { increment, .. } => increment,
            _ => Duration::ZERO,
        };
        let both = [increment(first), increment(!first)];
        let mut words = match table.limit.control {
            TimeControl::None => String::new(),
            TimeControl::Move(limit) => format!(" movetime {}", ms(limit)),
            // Neither protocol has byo-yomi: the period is what a move may take behind the main time.
            TimeControl::Byoyomi { period, .. } if table.clocks.remaining(table.referee.turn()).overtime => {
                format!(" movetime {}", ms(period))
            }
            TimeControl::Canadian { stones, .. } => {
                let left = table.clocks.remaining(table.referee.turn());
                clock(both, format!(" movestogo {}", if left.overtime { left.count } else { stones }))
            }
            _ => clock(both, String::new()),
        };
        if let Some(nodes) = table.limit.nodes {
            words.push_str(&format!(" nodes {nodes}"));
        }
        if let Some(depth) = table.limit.depth {
            words.push_str(&format!(" depth {depth}"));
        }
        if words.is_empty() { " infinite".to_owned() } else { words }
    }
}

/// Whole milliseconds, at least 1: some engines take 0 for no limit.
fn ms(time: Duration) -> u128 {
    time.as_millis().max(1)
}

/// The name of an option in `option name NAME type ...`.
fn option_name(line: &str) -> Option<String> {
    let rest = line.trim().strip_prefix("option name ")?;
    let name = rest.split(" type ").next()?;
    Some(name.trim().to_owned())
}

impl Driver for Ugi {
    fn start(&mut self, wire: &mut Wire, setup: &Setup, _: &Limit) -> Result<(), Fault> {
        let (hello, ends) = if self.uci { ("uci", "uciok") } else { ("ugi", "ugiok") };
        let mut known = Vec::new();
        wire.send(hello);
        wire.wait(hello, |line| {
            known.extend(option_name(line).filter(|_| known.len() < 1000));
            (line.trim() == ends).then_some(())
        })?;
        let knows = |name: &str| known.iter().any(|other| other.eq_ignore_ascii_case(name));
        if self.uci {
            let variant =
                Variant::of(setup).ok_or_else(|| refuses_option("UCI_Variant", "no such variant"))?;
            if !knows("UCI_Variant") {
                return Err(refuses_option("UCI_Variant", "the engine does not have it"));
            }
            self.notation = variant.notation();
            self.set(wire, "UCI_Variant", variant.name);
        } else {
            let size = setup.to_string();
            let size = size.split(' ').nth(2).unwrap_or_default();
            let words = [("Game", setup.game.description().name), ("Size", size), ("Rules", setup.rules)];
            let choices =
                setup.game.description().choices.iter().map(|choice| (choice.key, setup.choice(choice.key)));
            for (name, value) in words.into_iter().chain(choices).filter(|(name, _)| knows(name)) {
                self.set(wire, name, value);
            }
        }
        for (name, value) in &self.options {
            if !knows(name) {
                return Err(refuses_option(name, "the engine does not have it"));
            }
            self.set(wire, name, value);
        }
        self.ready(wire)
    }

    fn new_game(&mut self, wire: &mut Wire, table: &Table<'_>) -> Result<(), Fault> {
        let broken = |error: String| Fault::new(End::Start, error);
        let mut mirror =
            games::referee(table.referee.setup().clone()).map_err(|error| broken(error.to_string()))?;
        let tail = Tail::new(&*mirror);
        self.origin = "startpos".to_owned();
        if let Some(text) = table.start {
            mirror.set_position(text).map_err(|error| broken(error.to_string()))?;
            self.origin = format!("fen {}", self.notation.fen(&*mirror, &tail));
        }
        self.mirror = Some((mirror, tail));
        self.words.clear();
        wire.send(if self.uci { "ucinewgame" } else { "uginewgame" });
        self.ready(wire)
    }

    fn prepare(&mut self, wire: &mut Wire, table: &Table<'_>, _: Task) -> Result<(), Fault> {
        self.chance = None;
        self.follow(table)?;
        wire.send(&self.position());
        if self.tells_rules && self.query(wire, "gameover")? == "true" {
            return Err(Fault::new(End::Claim, "says that the game is over, and it is not"));
        }
        self.ready(wire)
    }

    fn go(&mut self, wire: &mut Wire, table: &Table<'_>, _: Task) {
        wire.send(&format!("go{}", self.go_words(table)));
    }

    fn line(&mut self, _: &mut Wire, _: &Table<'_>, _: Task, line: &str) -> Option<Result<Answer, Fault>> {
        let mut words = line.split_ascii_whitespace();
        match words.next() {
            Some("info") => {
                let words: Vec<&str> = words.take_while(|&word| word != "pv" && word != "string").collect();
                if let Some(chance) = score(&words) {
                    self.chance = Some(chance);
                }
                None
            }
            Some("bestmove") => Some(match words.next() {
                None => Err(Fault::garbage(line)),
                Some(text @ ("(none)" | "0000" | "none")) => Ok(Answer::NoMove(text.to_owned())),
                Some("resign") => Ok(Answer::Resign),
                Some(text) => self
                    .mirror
                    .as_ref()
                    .and_then(|(mirror, tail)| self.notation.read(&**mirror, tail, text).ok())
                    .and_then(|ply| match ply {
                        Ply::Move(mv) => Some(Answer::Move(mv, text.to_owned())),
                        Ply::LatePass => None,
                    })
                    .ok_or_else(|| Fault::garbage(line)),
            }),
            _ => None,
        }
    }

    fn chance(&self) -> Option<f32> {
        self.chance
    }

    fn over(&mut self, wire: &mut Wire, table: &Table<'_>) -> Result<Claim, Fault> {
        if !self.tells_rules {
            return Ok(Claim::Silent);
        }
        self.follow(table)?;
        wire.send(&self.position());
        let first = self.mirror.as_ref().map_or(Color::Black, |(_, tail)| tail.first);
        if self.query(wire, "gameover")? != "true" {
            return Ok(Claim::Differs("goes on"));
        }
        let outcome = table.referee.ending().map(|ending| ending.outcome);
        let claimed = match self.query(wire, "result")?.as_str() {
            "p1win" => Some(Outcome::Win(first)),
            "p2win" => Some(Outcome::Win(!first)),
            "draw" => Some(Outcome::Draw),
            _ => None,
        };
        Ok(match claimed {
            None => Claim::Differs("has no result"),
            claimed if claimed == outcome => Claim::Agrees,
            Some(Outcome::Draw) => Claim::Differs("is a draw"),
            Some(Outcome::Win(Color::Black)) => Claim::Differs("is won by Black"),
            Some(Outcome::Win(Color::White)) => Claim::Differs("is won by White"),
        })
    }
}

/// The chance in `... score cp X ...` or `... score mate N ...`, of the first line only.
fn score(words: &[&str]) -> Option<f32> {
    let value = |name: &str, offset: usize| {
        words.iter().position(|&word| word == name).and_then(|at| words.get(at + offset)).copied()
    };
    if value("multipv", 1).is_some_and(|rank| rank != "1") {
        return None;
    }
    let number: f32 = value("score", 2)?.parse().ok()?;
    match value("score", 1)? {
        "cp" => Some(chance_of_centipawns(number)),
        "mate" => Some(if number > 0.0 { 1.0 } else { 0.0 }),
        _ => None,
    }
}
