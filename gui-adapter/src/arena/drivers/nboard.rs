//! NBoard 2, for Othello.

use std::time::Duration;

use tengen_engine::game::Move;
use tengen_engine::games::Setup;
use tengen_engine::search::clock::{TimeControl, seconds_text};

use super::{Answer, Driver, Fault, Table, Task, Wire, refuses_option};
use crate::arena::limit::Limit;
use crate::arena::spec::EngineSpec;
use crate::records::ggf::{self, Note};

/// The depth of an engine that only the clock stops.
const DEEPEST: u32 = 60;

pub(super) struct NBoard {
    options: Vec<(String, String)>,
    pings: u32,
    chance: Option<f32>,
}

impl NBoard {
    pub(super) fn new(spec: &EngineSpec) -> NBoard {
        NBoard { options: spec.options.clone(), pings: 0, chance: None }
    }

    fn ping(&mut self, wire: &mut Wire) -> Result<(), Fault> {
        self.pings += 1;
        let line = format!("ping {}", self.pings);
        let answer = format!("pong {}", self.pings);
        wire.send(&line);
        wire.wait(&line, |line| (line.trim() == answer).then_some(()))
    }
}

/// `MINUTES:SECONDS/MINUTES:SECONDS`, the clock of a record: main time and increment.
fn clock(control: TimeControl) -> Option<String> {
    let (main, increment) = match control {
        TimeControl::Absolute(main) => (main, None),
        TimeControl::Fischer { main, increment } => (main, Some(increment)),
        _ => return None,
    };
    let text = |time: Duration| {
        let (minutes, seconds) = (time.as_secs() / 60, time.as_secs() % 60);
        let rest =
            seconds_text(Duration::from_secs(seconds) + Duration::from_micros(time.subsec_micros().into()));
        format!("{minutes}:{}{rest}", if seconds < 10 { "0" } else { "" })
    };
    let increment = increment.map(|time| format!("/{}", text(time))).unwrap_or_default();
    Some(format!("{}{increment}", text(main)))
}

/// Discs ahead as a winning chance: one disc in the middle of a game is worth about 60 points of Elo.
fn chance_of_discs(discs: f32) -> f32 {
    super::chance_of_centipawns(60.0 * discs)
}

impl Driver for NBoard {
    fn start(&mut self, wire: &mut Wire, _: &Setup, limit: &Limit) -> Result<(), Fault> {
        wire.send("nboard 2");
        for (name, value) in &self.options {
            // The protocol has these settings alone, and no word for a refusal.
            if !["depth", "contempt"].contains(&name.as_str()) {
                return Err(refuses_option(name, "NBoard has depth and contempt only"));
            }
            wire.send(&format!("set {name} {value}"));
        }
        let own = self.options.iter().any(|(name, _)| name == "depth");
        match limit.depth {
            Some(depth) => wire.send(&format!("set depth {depth}")),
            None if own => {}
            None => wire.send(&format!("set depth {DEEPEST}")),
        }
        self.ping(wire)
    }

    fn new_game(&mut self, _: &mut Wire, _: &Table<'_>) -> Result<(), Fault> {
        Ok(())
    }

    fn prepare(&mut self, wire: &mut Wire, table: &Table<'_>, _: Task) -> Result<(), Fault> {
        self.chance = None;
        let time = clock(table.limit.control);
        let mut tags = vec![("PC", "Tengen"), ("PB", "Black"), ("PW", "White")];
        tags.extend(time.as_deref().map(|time| ("TI", time)));
        let notes: Vec<Note> =
            table.times.iter().map(|&time| Note { eval: None, time: Some(time) }).collect();
        let notes = if time.is_some() { notes } else { Vec::new() };
        let record = ggf::print(table.referee, &tags, &notes).unwrap_or_default();
        wire.send(&format!("set game {record}"));
        self.ping(wire)
    }

    fn go(&mut self, wire: &mut Wire, _: &Table<'_>, _: Task) {
        wire.send("go");
    }

    fn line(
        &mut self,
        _: &mut Wire,
        table: &Table<'_>,
        _: Task,
        line: &str,
    ) -> Option<Result<Answer, Fault>> {
        let rest = line.trim().strip_prefix("===")?.trim();
        // `F5/1.2/0.3`, or with blanks as Edax writes.
        let mut parts = rest.split(['/', ' ']).filter(|part| !part.is_empty());
        let text = parts.next().unwrap_or_default();
        self.chance = parts.next().and_then(|eval| eval.parse().ok()).map(chance_of_discs);
        if text.eq_ignore_ascii_case("pa") || text.eq_ignore_ascii_case("pass") {
            return Some(Ok(Answer::NoMove(text.to_owned())));
        }
        Some(match table.referee.parse_move(text) {
            Ok(mv) if mv != Move::PASS => Ok(Answer::Move(mv, text.to_owned())),
            _ => Err(Fault::garbage(line)),
        })
    }

    fn chance(&self) -> Option<f32> {
        self.chance
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arena::limit::parse_control;

    #[test]
    fn clocks_are_minutes_and_seconds() {
        for (control, text) in [("300", "5:00"), ("65.5+0.05", "1:05.5/0:00.05"), ("12+1", "0:12/0:01")] {
            assert_eq!(clock(parse_control(control).unwrap()).as_deref(), Some(text), "{control}");
        }
        assert_eq!(clock(TimeControl::None), None);
    }
}
