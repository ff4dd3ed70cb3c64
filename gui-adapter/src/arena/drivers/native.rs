//! Tengen's own protocol.

use tengen_engine::games::Setup;
use tengen_engine::protocol::Info;
use tengen_engine::search::clock::{TimeControl, seconds_text};

use super::{Answer, Driver, Fault, Table, Task, Wire, refuses_option, shown};
use crate::arena::limit::{Limit, Measure};
use crate::arena::record::End;
use crate::arena::spec::EngineSpec;

pub(super) struct Native {
    options: Vec<(String, String)>,
    measure: Measure,
    /// Moves of the game that the engine knows.
    told: usize,
    chance: Option<f32>,
}

impl Native {
    pub(super) fn new(spec: &EngineSpec, measure: Measure) -> Native {
        Native { options: spec.options.clone(), measure, told: 0, chance: None }
    }

    fn sets(&self, name: &str) -> bool {
        self.options.iter().any(|(other, _)| other.replace('-', "_").eq_ignore_ascii_case(name))
    }
}

impl Driver for Native {
    fn start(&mut self, wire: &mut Wire, _: &Setup, limit: &Limit) -> Result<(), Fault> {
        wire.must("protocol_version")?;
        wire.must("info on")?;
        // An engine that cannot count as the runner does thinks for less than it may on a busy machine.
        if self.measure == Measure::Cpu && wire.ask("set cpu_clock on")?.is_err() {
            log::warn!(target: "arena", "a native engine has no cpu_clock and thinks by the wall clock");
        }
        for (name, value) in &self.options {
            wire.ask(&format!("set {name} {value}"))?.map_err(|error| refuses_option(name, &error))?;
        }
        // A limit of the user's own options stays where the match has none.
        for (name, value) in [("nodes", limit.nodes), ("depth", limit.depth.map(u64::from))] {
            if let Some(value) = value {
                wire.must(&format!("set {name} {value}"))?;
            }
        }
        Ok(())
    }

    fn new_game(&mut self, wire: &mut Wire, table: &Table<'_>) -> Result<(), Fault> {
        if !self.sets("seed") {
            wire.must(&format!("set seed {}", table.seed))?;
        }
        wire.must(&format!("newgame {}", table.referee.setup()))?;
        if let Some(text) = table.start {
            wire.must(&format!("position {text}"))?;
        }
        wire.must(&format!("time_control {}", table.limit.control))?;
        self.told = 0;
        Ok(())
    }

    fn prepare(&mut self, wire: &mut Wire, table: &Table<'_>, _: Task) -> Result<(), Fault> {
        self.chance = None;
        for &(color, mv) in table.history.get(self.told..).unwrap_or_default() {
            wire.must(&format!("play {} {}", color.letter(), table.referee.move_text(mv)))?;
        }
        self.told = table.history.len();
        let color = table.referee.turn();
        if !matches!(table.limit.control, TimeControl::None | TimeControl::Move(_)) {
            let left = table.clocks.remaining(color);
            let stones = if left.overtime { left.count } else { 0 };
            wire.must(&format!("time_left {} {} {stones}", color.letter(), seconds_text(left.time)))?;
        }
        Ok(())
    }

    fn go(&mut self, wire: &mut Wire, table: &Table<'_>, task: Task) {
        match task {
            Task::Move => wire.command(&format!("genmove {}", table.referee.turn().letter())),
            Task::Swap2 => wire.command("swap2"),
        }
    }

    fn line(
        &mut self,
        wire: &mut Wire,
        table: &Table<'_>,
        task: Task,
        line: &str,
    ) -> Option<Result<Answer, Fault>> {
        if line.starts_with("info ") {
            if let Some(info) = Info::parse(line).filter(|info| info.multipv <= 1) {
                self.chance = Some(info.winrate);
            }
            return None;
        }
        let text = match wire.reply(line)? {
            Ok(text) => text,
            Err(error) => return Some(Err(Fault::new(End::Garbage, format!("answers: {}", shown(error))))),
        };
        if task == Task::Swap2 {
            return Some(swap2(table, text));
        }
        if text.eq_ignore_ascii_case("resign") {
            return Some(Ok(Answer::Resign));
        }
        // The engine has played its move itself.
        self.told += 1;
        Some(
            table
                .referee
                .parse_move(text)
                .map(|mv| Answer::Move(mv, text.to_owned()))
                .map_err(|_| Fault::garbage(line)),
        )
    }

    fn chance(&self) -> Option<f32> {
        self.chance
    }
}

/// `swap`, or one, two or three stones.
fn swap2(table: &Table<'_>, text: &str) -> Result<Answer, Fault> {
    if text.eq_ignore_ascii_case("swap") {
        return Ok(Answer::Swap);
    }
    let stones: Result<Vec<_>, _> =
        text.split_ascii_whitespace().map(|word| table.referee.parse_move(word)).collect();
    stones.map(Answer::Stones).map_err(|_| Fault::garbage(text))
}
