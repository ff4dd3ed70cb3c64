//! The Gomocup protocol of Piskvork and its tournaments.

use std::time::Duration;

use tengen_engine::game::{Cell, Color, Move, Point};
use tengen_engine::games::Setup;
use tengen_engine::search::clock::TimeControl;

use super::{Answer, Driver, Fault, Table, Task, Wire, shown};
use crate::arena::limit::Limit;
use crate::arena::record::End;
use crate::arena::spec::EngineSpec;

/// No limit of time, in milliseconds: a day, because engines calculate with it.
const UNLIMITED: u128 = 86_400_000;
/// What managers write for a clock that does not run.
const NO_CLOCK: u128 = 2_147_483_647;

pub(super) struct Gomocup {
    options: Vec<(String, String)>,
    /// Plies the engine knows; `None` at the start of a game.
    told: Option<usize>,
    /// The last line of an engine that complains.
    complaint: Option<String>,
}

impl Gomocup {
    pub(super) fn new(spec: &EngineSpec) -> Gomocup {
        Gomocup { options: spec.options.clone(), told: None, complaint: None }
    }
}

fn coordinates(point: Point) -> String {
    format!("{},{}", point.column, point.row)
}

/// The number by which managers call a rule.
fn rule(setup: &Setup) -> u32 {
    match setup.rules {
        "standard" => 1,
        "renju" => 4,
        "caro" => 8,
        _ => 0,
    }
}

/// `INFO` lines for a limit: for a move and for the game, in milliseconds, 0 for no limit of the game.
fn time_lines(limit: &Limit) -> Vec<String> {
    let ms = |time: Duration| time.as_millis();
    let (turn, game) = match limit.control {
        TimeControl::None => (UNLIMITED, 0),
        TimeControl::Move(limit) => (ms(limit), 0),
        TimeControl::Absolute(main) | TimeControl::Fischer { main, .. } => (ms(main), ms(main)),
        TimeControl::Match { main, limit } => (ms(limit), ms(main)),
        // The protocol has neither: a move may take the main time and a period.
        TimeControl::Byoyomi { main, period, periods } => {
            (ms(main.saturating_add(period)), ms(main.saturating_add(period.saturating_mul(periods))))
        }
        TimeControl::Canadian { main, period, stones } => {
            (ms(main.saturating_add(period / stones)), ms(main.saturating_add(period)))
        }
    };
    let mut lines = vec![format!("INFO timeout_turn {turn}"), format!("INFO timeout_match {game}")];
    if let TimeControl::Fischer { increment, .. } = limit.control {
        lines.push(format!("INFO time_increment {}", ms(increment)));
    }
    lines.extend(limit.nodes.map(|nodes| format!("INFO max_node {nodes}")));
    lines.extend(limit.depth.map(|depth| format!("INFO max_depth {depth}")));
    lines
}

/// The stones of a game with their colours: those of the start position, then the moves.
fn stones(table: &Table<'_>) -> Vec<(Color, Point)> {
    let mut played: Vec<(Color, Point)> = table
        .history
        .iter()
        .filter_map(|&(color, mv)| table.referee.points(mv).first().map(|&point| (color, point)))
        .collect();
    let before = |color: Color| {
        let standing = move |point: &Point| table.referee.cell(*point) == Cell::Stone(color);
        let new: Vec<Point> = played.iter().map(|&(_, point)| point).collect();
        table
            .referee
            .geometry()
            .points_from_top()
            .filter(standing)
            .filter(|point| !new.contains(point))
            .collect::<Vec<_>>()
    };
    let (black, white) = (before(Color::Black), before(Color::White));
    let mut all = Vec::new();
    for index in 0..black.len().max(white.len()) {
        all.extend(black.get(index).map(|&point| (Color::Black, point)));
        all.extend(white.get(index).map(|&point| (Color::White, point)));
    }
    all.append(&mut played);
    all
}

/// One or more points in a line.
fn points(table: &Table<'_>, line: &str) -> Option<Vec<Move>> {
    let point = |word: &str| {
        let (x, y) = word.split_once(',')?;
        let point = Point { column: x.trim().parse().ok()?, row: y.trim().parse().ok()? };
        table.referee.move_of(&[point])
    };
    let moves: Option<Vec<Move>> = line.split_ascii_whitespace().map(point).collect();
    moves.filter(|moves| !moves.is_empty())
}

impl Driver for Gomocup {
    fn start(&mut self, _: &mut Wire, _: &Setup, _: &Limit) -> Result<(), Fault> {
        Ok(())
    }

    fn new_game(&mut self, wire: &mut Wire, table: &Table<'_>) -> Result<(), Fault> {
        self.told = None;
        let setup = table.referee.setup();
        let line = format!("START {}", setup.width);
        wire.send(&line);
        let answer = wire.wait(&line, |line| {
            let word = line.split_ascii_whitespace().next().unwrap_or_default().to_ascii_uppercase();
            matches!(word.as_str(), "OK" | "ERROR").then(|| (word == "OK", line.to_owned()))
        })?;
        if let (false, line) = answer {
            return Err(Fault::new(End::Start, format!("does not play {setup}: {}", shown(&line))));
        }
        wire.send(&format!("INFO rule {}", rule(setup)));
        wire.send("INFO game_type 1");
        for line in time_lines(&table.limit) {
            wire.send(&line);
        }
        for (name, value) in &self.options {
            wire.send(&format!("INFO {name} {value}"));
        }
        Ok(())
    }

    fn prepare(&mut self, wire: &mut Wire, table: &Table<'_>, task: Task) -> Result<(), Fault> {
        self.complaint = None;
        let left = match table.limit.control {
            TimeControl::None | TimeControl::Move(_) => NO_CLOCK,
            _ => table.clocks.remaining(table.referee.turn()).time.as_millis(),
        };
        wire.send(&format!("INFO time_left {left}"));
        let plies = table.history.len();
        // Blocks are sent before the clock runs, all but their last line.
        if task == Task::Swap2 {
            wire.send("SWAP2BOARD");
            for (_, point) in stones(table) {
                wire.send(&coordinates(point));
            }
        } else if self.opening_block(table, plies) {
            wire.send("BOARD");
            let own = table.referee.turn();
            for (color, point) in stones(table) {
                wire.send(&format!("{},{}", coordinates(point), if color == own { 1 } else { 2 }));
            }
        }
        Ok(())
    }

    fn go(&mut self, wire: &mut Wire, table: &Table<'_>, task: Task) {
        let plies = table.history.len();
        let last = table.history.last().and_then(|&(_, mv)| table.referee.points(mv).first().copied());
        match last {
            _ if task == Task::Swap2 => wire.send("DONE"),
            _ if self.opening_block(table, plies) => wire.send("DONE"),
            Some(point) => wire.send(&format!("TURN {}", coordinates(point))),
            None => wire.send("BEGIN"),
        }
    }

    fn line(
        &mut self,
        wire: &mut Wire,
        table: &Table<'_>,
        task: Task,
        line: &str,
    ) -> Option<Result<Answer, Fault>> {
        let line = line.trim();
        let word = line.split_ascii_whitespace().next().unwrap_or_default().to_ascii_uppercase();
        match word.as_str() {
            "" | "MESSAGE" | "DEBUG" | "INFO" | "OK" => return None,
            // An engine may say this to an INFO line, to which there is no answer.
            "ERROR" | "UNKNOWN" => {
                self.complaint = Some(line.to_owned());
                return None;
            }
            "SWAP" if task == Task::Swap2 => return Some(Ok(Answer::Swap)),
            "SUGGEST" => {
                let rest = line.get(word.len()..).unwrap_or_default().trim();
                wire.send(&format!("PLAY {rest}"));
                return None;
            }
            _ => {}
        }
        let Some(moves) = points(table, line) else {
            let numbers =
                |word: &str| word.split(',').filter(|part| part.parse::<i64>().is_ok()).count() == 2;
            return Some(Err(if line.split_ascii_whitespace().all(numbers) {
                Fault::new(End::Illegal, format!("illegal move \"{}\": not on the board", shown(line)))
            } else {
                Fault::garbage(line)
            }));
        };
        Some(Ok(match (task, moves.as_slice()) {
            (Task::Swap2, _) => Answer::Stones(moves),
            (Task::Move, &[mv]) => {
                self.told = Some(table.history.len() + 1);
                Answer::Move(mv, line.to_owned())
            }
            (Task::Move, _) => return Some(Err(Fault::garbage(line))),
        }))
    }

    fn complaint(&self) -> Option<&str> {
        self.complaint.as_deref()
    }

    fn farewell(&self) -> &'static str {
        "END"
    }
}

impl Gomocup {
    /// Whether the engine must be told the whole board: unless it knows all but the last move.
    fn opening_block(&self, table: &Table<'_>, plies: usize) -> bool {
        match self.told {
            None => table.start.is_some() || plies > 1,
            Some(told) => plies != told + 1,
        }
    }
}
