//! GTP 2: Go programs for NoGo and Gomoku, the dialect of Quarry, GRhino and Edax for Othello and Amazons.

use std::time::Duration;

use tengen_engine::games::Setup;
use tengen_engine::search::clock::{TimeControl, seconds_text};

use super::probe::{self, Notation};
use super::{Answer, Driver, Fault, Table, Task, Wire, refuses_option, shown};
use crate::arena::limit::Limit;
use crate::arena::record::End;
use crate::arena::spec::{EngineSpec, GtpProfile};

pub(super) struct Gtp {
    options: Vec<(String, String)>,
    profile: GtpProfile,
    notation: Option<Notation>,
    commands: Vec<String>,
    /// Moves of the game that the engine knows.
    told: usize,
    /// Whether times with fractions are understood.
    fractions: bool,
}

impl Gtp {
    pub(super) fn new(spec: &EngineSpec) -> Gtp {
        Gtp {
            options: spec.options.clone(),
            profile: spec.profile,
            notation: None,
            commands: Vec::new(),
            told: 0,
            fractions: true,
        }
    }

    fn knows(&self, command: &str) -> bool {
        self.commands.iter().any(|other| other == command)
    }

    fn notation(&self) -> Result<Notation, Fault> {
        self.notation.ok_or_else(|| Fault::new(End::Start, "not started"))
    }

    /// Chooses the game where the engine has several.
    fn choose_game(&self, wire: &mut Wire, setup: &Setup) -> Result<(), Fault> {
        if !self.knows("set_game") {
            return Ok(());
        }
        let listed = if self.knows("list_games") { wire.must("list_games")? } else { String::new() };
        let game = setup.game.description();
        let is_it = |name: &str| {
            let name = name.trim().to_ascii_lowercase();
            name == game.name || game.aliases.contains(&name.as_str())
        };
        let name = listed.lines().find(|line| is_it(line)).unwrap_or(game.title).trim();
        match wire.ask(&format!("set_game {name}"))? {
            Ok(_) => Ok(()),
            Err(error) => Err(Fault::new(End::Start, format!("does not play {name}: {}", shown(&error)))),
        }
    }

    /// Tells the clock in the words that say most of it and that the engine knows.
    fn tell_control(&mut self, wire: &mut Wire, control: TimeControl) -> Result<(), Fault> {
        let exact = |time: Duration| seconds_text(time);
        let whole = |time: Duration| time.as_secs().max(1).to_string();
        let settings = |write: &dyn Fn(Duration) -> String| match control {
            TimeControl::None => None,
            TimeControl::Absolute(main)
            | TimeControl::Match { main, .. }
            | TimeControl::Fischer { main, .. } => Some(format!("time_settings {} 0 0", write(main))),
            TimeControl::Move(limit) => Some(format!("time_settings 0 {} 1", write(limit))),
            TimeControl::Byoyomi { main, period, .. } => {
                Some(format!("time_settings {} {} 1", write(main), write(period)))
            }
            TimeControl::Canadian { main, period, stones } => {
                Some(format!("time_settings {} {} {stones}", write(main), write(period)))
            }
        };
        let named = match control {
            TimeControl::Fischer { .. } if self.knows("kata-time_settings") => {
                Some(format!("kata-time_settings {control}"))
            }
            TimeControl::Byoyomi { .. } if self.knows("kgs-time_settings") => {
                Some(format!("kgs-time_settings {control}"))
            }
            _ => None,
        };
        self.fractions = true;
        for line in [named, settings(&exact)].into_iter().flatten() {
            if wire.ask(&line)?.is_ok() {
                return Ok(());
            }
        }
        self.fractions = false;
        let Some(line) = settings(&whole) else { return Ok(()) };
        if settings(&exact).is_some_and(|exact| exact != line) {
            log::warn!(target: "arena", "a GTP engine reads whole seconds only and is told: {line}");
        }
        // An engine without a clock of its own is free to ignore the time and lose by it.
        wire.ask(&line).map(|_| ())
    }

    fn tell_time_left(&mut self, wire: &mut Wire, table: &Table<'_>) -> Result<(), Fault> {
        if matches!(table.limit.control, TimeControl::None | TimeControl::Move(_)) || !self.knows("time_left")
        {
            return Ok(());
        }
        let color = table.referee.turn();
        let left = table.clocks.remaining(color);
        // Byo-yomi that had to be told as Canadian time has one move in each period.
        let count = match table.limit.control {
            TimeControl::Byoyomi { .. } if !self.knows("kgs-time_settings") => 1,
            _ => left.count,
        };
        let stones = if left.overtime { count } else { 0 };
        let time = if self.fractions { seconds_text(left.time) } else { left.time.as_secs().to_string() };
        wire.ask(&format!("time_left {color} {time} {stones}")).map(|_| ())
    }
}

impl Driver for Gtp {
    fn start(&mut self, wire: &mut Wire, setup: &Setup, _: &Limit) -> Result<(), Fault> {
        // Version 1 has another framing.
        let version = wire.must("protocol_version")?;
        if version.trim() == "1" {
            return Err(Fault::new(End::Start, "speaks version 1 of GTP"));
        }
        let listed = wire.ask("list_commands")?.unwrap_or_default();
        self.commands = listed.lines().take(10_000).map(|line| line.trim().to_owned()).collect();
        self.choose_game(wire, setup)?;
        for (name, value) in &self.options {
            let line = if self.knows("kata-set-param") && !self.knows(name) {
                format!("kata-set-param {name} {value}")
            } else {
                format!("{name} {value}")
            };
            wire.ask(line.trim_end())?.map_err(|error| refuses_option(name, &error))?;
        }
        probe::clear(wire, setup)?;
        let found = probe::notation(wire, setup, self.profile).map_err(|mut fault| {
            // Some end at a move they cannot read.
            fault
                .reason
                .push_str(" (asked for how it writes moves: letters=, row1= and pass= spare it that)");
            fault
        });
        self.notation = Some(found?);
        Ok(())
    }

    fn new_game(&mut self, wire: &mut Wire, table: &Table<'_>) -> Result<(), Fault> {
        self.told = 0;
        probe::clear(wire, table.referee.setup())?;
        self.tell_control(wire, table.limit.control)
    }

    fn prepare(&mut self, wire: &mut Wire, table: &Table<'_>, _: Task) -> Result<(), Fault> {
        let notation = self.notation()?;
        for &(color, mv) in table.history.get(self.told..).unwrap_or_default() {
            let text = notation.text(table.referee, mv);
            if text != "pass" || notation.passes {
                wire.must(&format!("play {color} {text}"))?;
            }
        }
        self.told = table.history.len();
        self.tell_time_left(wire, table)
    }

    fn go(&mut self, wire: &mut Wire, table: &Table<'_>, _: Task) {
        wire.command(&format!("genmove {}", table.referee.turn()));
    }

    fn line(
        &mut self,
        wire: &mut Wire,
        table: &Table<'_>,
        _: Task,
        line: &str,
    ) -> Option<Result<Answer, Fault>> {
        let text = match wire.reply(line)? {
            Ok(text) => text,
            Err(error) => return Some(Err(Fault::new(End::Garbage, format!("answers: {}", shown(error))))),
        };
        if text.eq_ignore_ascii_case("resign") {
            return Some(Ok(Answer::Resign));
        }
        if text.eq_ignore_ascii_case("pass") {
            return Some(Ok(Answer::NoMove(text.to_owned())));
        }
        // The engine has played its move itself.
        self.told += 1;
        let mv = self.notation.and_then(|notation| notation.parse(table.referee, text));
        Some(mv.map(|mv| Answer::Move(mv, text.to_owned())).ok_or_else(|| Fault::garbage(line)))
    }
}
