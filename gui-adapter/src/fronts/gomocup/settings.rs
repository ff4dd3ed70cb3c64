//! What `INFO` says: rule, clocks, memory, limits. None of it is answered; what cannot be is told before
//! the answer to the next other command.

use std::time::Duration;

use tengen_engine::game::Color;
use tengen_engine::options::{self, Kind};
use tengen_engine::search::clock::TimeControl;

use super::Gomocup;
use crate::bridge::Action;
use crate::fronts::clocks::Clocks;

/// A move as fast as possible still takes a little: below this it is no search.
const FAST: Duration = Duration::from_millis(30);
/// `INFO time_left` of this or more is no limit.
const UNLIMITED: i64 = i32::MAX as i64;
/// The clock where only the time left is told, before it is.
const UNTOLD: Duration = Duration::from_secs(3600);
/// Memory of both processes besides the search's own, in MiB: adapter and engine with their tables take
/// about 25, and threads some more.
const RESERVE: u64 = 40;
/// The most memory taken because it is allowed, in MiB.
const PLENTY: u64 = 512;

/// The times a manager has told, in milliseconds.
#[derive(Debug, Default)]
pub(super) struct Times {
    turn: Option<i64>,
    game: Option<i64>,
    left: Option<i64>,
    /// Whether the time left was told since the last search.
    fresh: bool,
}

fn millis(ms: i64) -> Duration {
    Duration::from_millis(ms.try_into().unwrap_or(0))
}

impl Times {
    /// The time control these times are.
    fn control(&self) -> TimeControl {
        let game = self.game.filter(|&game| game > 0);
        let clocked = match self.left {
            Some(left) => left < UNLIMITED,
            None => game.is_some(),
        };
        let main = game.map_or(UNTOLD, millis);
        match self.turn {
            Some(turn) if turn <= 0 => TimeControl::Move(FAST),
            Some(turn) if clocked => TimeControl::Match { main, limit: millis(turn) },
            Some(turn) => TimeControl::Move(millis(turn)),
            None if clocked => TimeControl::Absolute(main),
            None => TimeControl::None,
        }
    }

    /// Tells the clocks what is new.
    pub(super) fn tell(&mut self, clocks: &mut Clocks, color: Color) {
        let control = self.control();
        clocks.follow(control);
        let clocked = matches!(control, TimeControl::Absolute(_) | TimeControl::Match { .. });
        if let Some(left) = self.left.filter(|_| clocked && self.fresh) {
            clocks.correct(color, millis(left), 0);
        }
        self.fresh = false;
    }
}

/// How much memory the search may have, in MiB.
#[derive(Debug, Default)]
pub(super) struct Memory {
    /// What the user or the client wants.
    chosen: Option<u64>,
    /// What all processes together may have.
    most: Option<u64>,
}

impl Memory {
    /// With so many MiB that the user wants.
    pub(super) fn new(chosen: Option<u64>) -> Memory {
        Memory { chosen, most: None }
    }

    fn hash(&self, default: u64) -> u64 {
        let allowed = self.most.map(|most| most.saturating_sub(RESERVE).max(1));
        match (self.chosen, allowed) {
            (Some(chosen), Some(allowed)) => chosen.min(allowed),
            (Some(chosen), None) => chosen,
            (None, Some(allowed)) => allowed.min(PLENTY),
            (None, None) => default,
        }
    }
}

/// The greatest value an option takes.
pub(super) fn greatest(option: &str) -> u64 {
    match options::spec(option).map(|spec| spec.kind) {
        Ok(Kind::Spin { max, .. }) => max,
        _ => 0,
    }
}

impl Gomocup {
    /// `INFO KEY VALUE`; keys in any case, unknown ones ignored.
    pub(super) fn info(&mut self, args: &[&str], out: &mut Vec<Action>) {
        let [key, values @ ..] = args else { return };
        let key = key.to_ascii_lowercase();
        let text = values.join(" ");
        let number: Option<i64> = text.parse().ok();
        let known = match (key.as_str(), number) {
            ("timeout_turn", Some(ms @ 0..)) => {
                self.times.turn = Some(ms);
                true
            }
            ("timeout_match", Some(ms @ 0..)) => {
                self.times.game = Some(ms);
                true
            }
            ("time_left", Some(ms)) => {
                self.times.left = Some(ms);
                self.times.fresh = true;
                true
            }
            ("rule", Some(rule)) => {
                self.choose_rule(rule);
                true
            }
            ("max_memory", Some(bytes @ 0..)) => {
                self.memory.most = u64::try_from(bytes >> 20).ok().filter(|_| bytes > 0);
                self.set_hash()
            }
            ("hash_size", Some(kib @ 0..)) => {
                let mib = u64::try_from(kib >> 10).unwrap_or(1).clamp(1, greatest("hash"));
                self.memory.chosen = Some(mib);
                self.set_hash()
            }
            ("max_depth", Some(depth)) => self.set_limit("depth", depth),
            ("max_node", Some(nodes)) => self.set_limit("nodes", nodes),
            // Some clients write the greatest unsigned number for no limit.
            ("max_node", None) if text.parse::<u64>().is_ok() => self.set_limit("nodes", 0),
            ("thread_num", Some(threads)) => self.set_limit("threads", threads.max(1)),
            ("pondering", Some(on)) => {
                self.calm(out);
                self.desk.set("ponder", if on == 1 { "on" } else { "off" }).is_ok()
            }
            ("show_detail", Some(detail @ 0..=3)) => {
                self.detail = detail.unsigned_abs();
                true
            }
            ("timeout_turn" | "timeout_match" | "time_left" | "rule" | "max_memory", _)
            | ("hash_size" | "max_depth" | "max_node" | "thread_num" | "pondering" | "show_detail", _) => {
                false
            }
            _ => true,
        };
        if !known && self.notes.len() < super::MOST_NOTES {
            self.notes.push(format!("bad value for INFO {key}: {}", text.escape_default()));
        }
    }

    /// Sets an option of the engine to a number in its range.
    fn set_limit(&mut self, option: &str, value: i64) -> bool {
        let value = u64::try_from(value).unwrap_or(0).min(greatest(option));
        self.desk.set(option, &value.to_string()).is_ok()
    }

    fn set_hash(&mut self) -> bool {
        let default = tengen_engine::options::Options::default().hash;
        self.desk.set("hash", &self.memory.hash(default).to_string()).is_ok()
    }

    fn choose_rule(&mut self, rule: i64) {
        // The second bit is the game that goes on after five in a row, which is played like any other.
        let bits = if self.yixin() { rule } else { rule & !2 };
        self.rules = match bits {
            0 => Ok("freestyle"),
            1 => Ok("standard"),
            2 | 4 => Ok("renju"),
            8 | 9 => Ok("caro"),
            _ => Err(format!("no such rule: {rule}")),
        };
        self.follow_rule();
    }

    /// The rule of the game follows the one wanted as long as the board is empty.
    pub(super) fn follow_rule(&mut self) {
        let Ok(rules) = self.rules else { return };
        let referee = &self.desk.referee;
        if referee.setup().rules == rules || referee.plies() > 0 || referee.start_text().is_some() {
            return;
        }
        let mut setup = referee.setup().clone();
        setup.rules = rules;
        if let Err(error) = self.desk.new_game(setup) {
            self.rules = Err(error.to_string());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn control(turn: Option<i64>, game: Option<i64>, left: Option<i64>) -> String {
        Times { turn, game, left, fresh: true }.control().to_string()
    }

    #[test]
    fn the_limits_told_make_a_time_control() {
        assert_eq!(control(None, None, None), "none");
        assert_eq!(control(Some(0), None, None), "move 0.03");
        assert_eq!(control(Some(0), Some(60_000), Some(50_000)), "move 0.03");
        assert_eq!(control(Some(5_000), None, None), "move 5");
        assert_eq!(control(Some(5_000), Some(0), Some(i64::from(i32::MAX))), "move 5");
        assert_eq!(control(Some(5_000), Some(180_000), None), "match 180 5");
        assert_eq!(control(Some(5_000), Some(180_000), Some(-20)), "match 180 5");
        assert_eq!(control(Some(5_000), Some(180_000), Some(i64::from(i32::MAX))), "move 5");
        assert_eq!(control(Some(5_000), Some(0), Some(9_000)), "match 3600 5", "only the time left is told");
        assert_eq!(control(None, Some(180_000), None), "absolute 180");
    }

    #[test]
    fn memory_leaves_room_for_the_processes() {
        let hash = |chosen, most| Memory { chosen, most }.hash(64);
        assert_eq!(hash(None, None), 64);
        assert_eq!(hash(None, Some(350)), 350 - RESERVE);
        assert_eq!(hash(Some(100), Some(350)), 100);
        assert_eq!(hash(Some(1000), Some(350)), 350 - RESERVE);
        assert_eq!(hash(None, Some(0)), 1);
        assert_eq!(hash(None, Some(100_000)), PLENTY);
    }
}
