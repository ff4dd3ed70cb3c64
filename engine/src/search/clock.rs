//! Time controls, a side's clock, and how much of it one move may take. Pure: the time is passed in.

use std::fmt;
use std::time::Duration;

use crate::game::Color;

/// A time control. Durations are exact; the protocol writes them in seconds with fractions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum TimeControl {
    /// No clock.
    #[default]
    None,
    /// So much for the whole game.
    Absolute(Duration),
    /// So much for the game and an increment after every move.
    Fischer {
        /// At the start.
        main: Duration,
        /// Added after each move.
        increment: Duration,
    },
    /// Main time, then periods of which one is lost whenever a move takes longer (Japanese).
    Byoyomi {
        /// Before the periods.
        main: Duration,
        /// Length of a period.
        period: Duration,
        /// Number of periods.
        periods: u32,
    },
    /// Main time, then blocks of so many moves in so much time.
    Canadian {
        /// Before the blocks.
        main: Duration,
        /// Length of a block.
        period: Duration,
        /// Moves in a block, at least 1.
        stones: u32,
    },
    /// So much for every move, nothing carried over.
    Move(Duration),
    /// So much for the whole game, and so much for any one move.
    Match {
        /// At the start.
        main: Duration,
        /// The most one move may take.
        limit: Duration,
    },
}

/// What a move costs on a busy machine when it is decided at once: measured 8 to 40 ms with two other
/// busy processes on each of two processors.
const LAG: Duration = Duration::from_millis(20);

/// The longest time the protocol accepts, 2^31 - 1 seconds, as GTP.
pub const LONGEST: f64 = 2_147_483_647.0;

/// Reads seconds: a decimal number without sign or exponent, at most [`LONGEST`]; one cut to
/// microseconds. Negative numbers, which managers do send for an overdrawn clock, read as 0.
#[must_use]
pub fn parse_seconds(text: &str) -> Option<Duration> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    if digits.is_empty()
        || digits.len() > 32
        || !digits.bytes().all(|b| b.is_ascii_digit() || b == b'.')
        || !digits.bytes().any(|b| b.is_ascii_digit())
    {
        return None;
    }
    let seconds: f64 = digits.parse().ok()?;
    if seconds > LONGEST {
        return None;
    }
    Some(if digits.len() < text.len() {
        Duration::ZERO
    } else {
        Duration::from_micros((seconds * 1e6) as u64)
    })
}

/// Seconds with up to six decimals and no trailing zeros: `1.5`, `30`.
#[must_use]
pub fn seconds_text(duration: Duration) -> String {
    let text = format!("{}.{:06}", duration.as_secs(), duration.subsec_micros());
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

impl TimeControl {
    /// Reads the arguments of `time_control`: `none`, `absolute M`, `fischer M INC`,
    /// `byoyomi M PERIOD COUNT`, `canadian M PERIOD STONES`, `move S`, `match M LIMIT`.
    ///
    /// # Errors
    /// What was expected instead.
    pub fn parse(words: &[&str]) -> Result<TimeControl, String> {
        let time = |text: &str| {
            parse_seconds(text)
                .ok_or_else(|| format!("bad time \"{}\": expected seconds", text.escape_default()))
        };
        let count = |text: &str| {
            text.parse::<u32>()
                .ok()
                .filter(|&n| n > 0)
                .ok_or_else(|| format!("bad number \"{}\": expected 1 or more", text.escape_default()))
        };
        let kind = words.first().copied().unwrap_or_default().to_ascii_lowercase();
        match (kind.as_str(), words.get(1..).unwrap_or_default()) {
            ("none", []) => Ok(TimeControl::None),
            ("absolute", [main]) => Ok(TimeControl::Absolute(time(main)?)),
            ("fischer", [main, increment]) => {
                Ok(TimeControl::Fischer { main: time(main)?, increment: time(increment)? })
            }
            ("byoyomi", [main, period, periods]) => Ok(TimeControl::Byoyomi {
                main: time(main)?,
                period: time(period)?,
                periods: count(periods)?,
            }),
            ("canadian", [main, period, stones]) => {
                Ok(TimeControl::Canadian { main: time(main)?, period: time(period)?, stones: count(stones)? })
            }
            ("move", [limit]) => Ok(TimeControl::Move(time(limit)?)),
            ("match", [main, limit]) => Ok(TimeControl::Match { main: time(main)?, limit: time(limit)? }),
            _ => Err(
                "expected none | absolute M | fischer M INC | byoyomi M PERIOD COUNT | canadian M PERIOD \
                      STONES | move S | match M LIMIT (seconds)"
                    .into(),
            ),
        }
    }

    /// The control GTP's `time_settings` stands for: `byo` > 0 without stones is no limit, `byo` 0 is
    /// absolute, `stones` 1 without main time is a time for each move, else Canadian.
    #[must_use]
    pub fn from_gtp(main: Duration, byo: Duration, stones: u32) -> TimeControl {
        match (byo.is_zero(), stones) {
            (false, 0) => TimeControl::None,
            (true, _) => TimeControl::Absolute(main),
            (false, 1) if main.is_zero() => TimeControl::Move(byo),
            (false, stones) => TimeControl::Canadian { main, period: byo, stones },
        }
    }
}

/// The arguments of `time_control` that make this control.
impl fmt::Display for TimeControl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let s = seconds_text;
        match *self {
            TimeControl::None => write!(f, "none"),
            TimeControl::Absolute(main) => write!(f, "absolute {}", s(main)),
            TimeControl::Fischer { main, increment } => write!(f, "fischer {} {}", s(main), s(increment)),
            TimeControl::Byoyomi { main, period, periods } => {
                write!(f, "byoyomi {} {} {periods}", s(main), s(period))
            }
            TimeControl::Canadian { main, period, stones } => {
                write!(f, "canadian {} {} {stones}", s(main), s(period))
            }
            TimeControl::Move(limit) => write!(f, "move {}", s(limit)),
            TimeControl::Match { main, limit } => write!(f, "match {} {}", s(main), s(limit)),
        }
    }
}

/// What one side has left.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Remaining {
    /// Time left: of the main time, or of the present period or block in overtime.
    pub time: Duration,
    /// Whether the main time is used up.
    pub overtime: bool,
    /// In overtime: periods left (byo-yomi) or moves left in the block (Canadian).
    pub count: u32,
}

impl Remaining {
    /// Takes a move off the main time. What it took of the overtime, which begins with `count` periods
    /// or moves when the main time is used up; `None` when that lasted.
    fn spend_main(&mut self, spent: Duration, period: Duration, count: u32) -> Option<Duration> {
        if self.overtime {
            return Some(spent);
        }
        if spent <= self.time {
            self.time -= spent;
            return None;
        }
        let over = spent - self.time;
        *self = Remaining { time: period, overtime: true, count };
        Some(over)
    }
}

/// Both sides' clocks. The engine counts for itself; `time_left` corrects it.
#[derive(Clone, Copy, Debug, Default)]
pub struct Clock {
    control: TimeControl,
    remaining: [Remaining; 2],
}

impl Clock {
    /// Clocks at the start of a game under `control`.
    #[must_use]
    pub fn new(control: TimeControl) -> Clock {
        let start = match control {
            TimeControl::None => Remaining::default(),
            TimeControl::Absolute(time) | TimeControl::Move(time) => {
                Remaining { time, ..Remaining::default() }
            }
            TimeControl::Fischer { main, .. } | TimeControl::Match { main, .. } => {
                Remaining { time: main, ..Remaining::default() }
            }
            TimeControl::Byoyomi { main, period, periods: count }
            | TimeControl::Canadian { main, period, stones: count } => {
                if main.is_zero() {
                    Remaining { time: period, overtime: true, count }
                } else {
                    Remaining { time: main, overtime: false, count }
                }
            }
        };
        Clock { control, remaining: [start; 2] }
    }

    /// The same clocks under another control.
    #[must_use]
    pub fn under(self, control: TimeControl) -> Clock {
        Clock { control, ..self }
    }

    /// The control in force.
    #[must_use]
    pub fn control(&self) -> TimeControl {
        self.control
    }

    /// A side's clock.
    #[must_use]
    pub fn remaining(&self, color: Color) -> Remaining {
        self.remaining[color.index()]
    }

    /// Corrects a side's clock from `time_left COLOUR SECONDS STONES`: `stones` 0 means main time;
    /// otherwise moves left in the block, or periods left under byo-yomi.
    pub fn correct(&mut self, color: Color, time: Duration, stones: u32) {
        let overtime =
            stones > 0 && matches!(self.control, TimeControl::Byoyomi { .. } | TimeControl::Canadian { .. });
        let count = if overtime { stones } else { self.remaining[color.index()].count };
        self.remaining[color.index()] = Remaining { time, overtime, count };
    }

    /// Takes the time of a move that `color` has made off its clock.
    pub fn spend(&mut self, color: Color, spent: Duration) {
        let left = &mut self.remaining[color.index()];
        match self.control {
            TimeControl::None | TimeControl::Move(_) => {}
            TimeControl::Absolute(_) | TimeControl::Match { .. } => {
                left.time = left.time.saturating_sub(spent);
            }
            TimeControl::Fischer { increment, .. } => left.time = left.time.saturating_sub(spent) + increment,
            TimeControl::Byoyomi { period, periods, .. } => {
                let Some(mut over) = left.spend_main(spent, period, periods) else { return };
                while over > period && left.count > 1 && !period.is_zero() {
                    over -= period;
                    left.count -= 1;
                }
                left.time = period;
            }
            TimeControl::Canadian { period, stones, .. } => {
                let Some(over) = left.spend_main(spent, period, stones) else { return };
                left.time = left.time.saturating_sub(over);
                left.count = left.count.saturating_sub(1);
                if left.count == 0 {
                    *left = Remaining { time: period, overtime: true, count: stones };
                }
            }
        }
    }

    /// How long `color` may think about one move.
    ///
    /// `moves_left` is the number of moves the side may still have to make, `overhead` what the way
    /// to and from the manager costs. `None` without a clock.
    #[must_use]
    pub fn budget(&self, color: Color, moves_left: u32, overhead: Duration) -> Option<Budget> {
        let left = self.remaining[color.index()];
        // Every move costs something however fast it is decided, and where the increment does not
        // cover it, it is put by for all moves that may come: but for part of the clock at most.
        let uncovered = match self.control {
            TimeControl::Fischer { increment, .. } => LAG.saturating_sub(increment),
            _ => LAG,
        };
        let reserve = (overhead + uncovered * moves_left.min(500)).min(left.time.mul_f64(0.7));
        let usable = left.time.saturating_sub(reserve.max(overhead));
        // Planning for every move that could still come wastes the clock on endings that are played
        // in an instant; half of them, and never more than 30, is what is spread over.
        let share = (moves_left / 2).clamp(6, 30);
        let even = |time: Duration, bonus: Duration| {
            let soft = (time / share + bonus.mul_f64(0.8)).min(time.mul_f64(0.5));
            Budget::new(soft, (soft * 3).min(time.mul_f64(0.6)))
        };
        let kept = |limit: Duration| limit.saturating_sub(overhead.min(limit / 10));
        Some(match self.control {
            TimeControl::None => return None,
            TimeControl::Move(limit) => Budget::new(kept(limit), kept(limit)),
            TimeControl::Match { limit, .. } => {
                let budget = even(usable, Duration::ZERO);
                Budget::new(budget.soft.min(kept(limit)), budget.hard.min(kept(limit)))
            }
            TimeControl::Absolute(_) => even(usable, Duration::ZERO),
            TimeControl::Fischer { increment, .. } => even(usable, increment),
            TimeControl::Byoyomi { period, .. } => {
                let in_period = period.saturating_sub(overhead.min(period / 4));
                if left.overtime {
                    Budget::new(in_period.mul_f64(0.85), in_period)
                } else {
                    let budget = even(usable, Duration::ZERO);
                    let soft = budget.soft.max(in_period.mul_f64(0.7));
                    Budget::new(soft, budget.hard.max(soft).min(usable + in_period))
                }
            }
            TimeControl::Canadian { period, stones, .. } => {
                if left.overtime {
                    let usable = left.time.saturating_sub(overhead.min(left.time / 4));
                    let soft = usable / left.count.max(1);
                    Budget::new(
                        soft.mul_f64(0.9),
                        (soft * 2).min(usable.mul_f64(if left.count > 1 { 0.6 } else { 1.0 })),
                    )
                } else {
                    let a_move = period.saturating_sub(overhead.min(period / 4)) / stones;
                    let budget = even(usable, Duration::ZERO);
                    let soft = budget.soft.max(a_move.mul_f64(0.8));
                    Budget::new(soft, budget.hard.max(soft).min(usable + a_move))
                }
            }
        })
    }
}

/// How long one move may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    /// When to stop if nothing speaks for thinking on.
    pub soft: Duration,
    /// When to stop whatever happens.
    pub hard: Duration,
}

impl Budget {
    /// A budget; at least half a millisecond, so that there is always a move.
    #[must_use]
    pub fn new(soft: Duration, hard: Duration) -> Budget {
        let least = Duration::from_micros(500);
        Budget { soft: soft.max(least), hard: hard.max(soft).max(least) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn s(seconds: f64) -> Duration {
        Duration::from_secs_f64(seconds)
    }

    #[test]
    fn seconds_read_and_print() {
        assert_eq!(parse_seconds("1.5"), Some(s(1.5)));
        assert_eq!(parse_seconds("-3"), Some(Duration::ZERO));
        for bad in ["", "-", ".", "1e3", "nan", "inf", "+1", "1.2.3", "99999999999", "1 "] {
            assert_eq!(parse_seconds(bad), None, "{bad}");
        }
        assert_eq!(seconds_text(s(30.0)), "30");
        assert_eq!(seconds_text(s(0.25)), "0.25");
    }

    #[test]
    fn controls_round_trip() {
        for text in [
            "none",
            "absolute 60",
            "fischer 1 0.01",
            "byoyomi 60 30 5",
            "canadian 60 30 5",
            "move 0.2",
            "match 180 5",
        ] {
            let words: Vec<&str> = text.split(' ').collect();
            assert_eq!(TimeControl::parse(&words).unwrap().to_string(), text);
        }
        for bad in ["", "absolute", "move x", "byoyomi 1 2 0", "none 3", "canadian 1 2"] {
            let words: Vec<&str> = bad.split_ascii_whitespace().collect();
            assert!(TimeControl::parse(&words).is_err(), "{bad}");
        }
    }

    #[test]
    fn gtp_settings_mean_what_gtp_says() {
        let z = Duration::ZERO;
        assert_eq!(TimeControl::from_gtp(z, s(1.0), 0), TimeControl::None);
        assert_eq!(TimeControl::from_gtp(s(120.0), z, 0), TimeControl::Absolute(s(120.0)));
        assert_eq!(TimeControl::from_gtp(z, s(15.0), 1), TimeControl::Move(s(15.0)));
        assert_eq!(
            TimeControl::from_gtp(s(60.0), s(30.0), 5),
            TimeControl::Canadian { main: s(60.0), period: s(30.0), stones: 5 }
        );
    }

    /// Plays a whole game spending the hard limit each time, late by a fixed lag: the clock must
    /// never run out.
    #[test]
    fn never_spends_more_than_it_has() {
        let lag = s(0.004);
        for control in [
            TimeControl::Absolute(s(1.0)),
            TimeControl::Fischer { main: s(1.0), increment: s(0.01) },
            TimeControl::Fischer { main: s(60.0), increment: s(1.0) },
            TimeControl::Absolute(s(300.0)),
        ] {
            let mut clock = Clock::new(control);
            for ply in 0..60_u32 {
                let before = clock.remaining(Color::Black).time;
                let budget = clock.budget(Color::Black, 60 - ply, s(0.1)).unwrap();
                let spent = budget.hard + lag;
                assert!(budget.soft <= budget.hard);
                if before > s(0.1) {
                    assert!(spent < before, "{control} ply {ply}: {spent:?} of {before:?}");
                }
                clock.spend(Color::Black, spent.min(budget.soft + lag));
            }
        }
    }

    #[test]
    fn overtime_is_counted() {
        let mut clock = Clock::new(TimeControl::Canadian { main: s(10.0), period: s(30.0), stones: 5 });
        clock.spend(Color::White, s(12.0));
        assert_eq!(clock.remaining(Color::White), Remaining { time: s(28.0), overtime: true, count: 4 });
        let mut clock = Clock::new(TimeControl::Byoyomi { main: s(10.0), period: s(30.0), periods: 3 });
        clock.spend(Color::Black, s(75.0));
        assert_eq!(clock.remaining(Color::Black), Remaining { time: s(30.0), overtime: true, count: 1 });
        clock.correct(Color::Black, s(5.0), 0);
        assert_eq!(clock.remaining(Color::Black).time, s(5.0));
        assert!(!clock.remaining(Color::Black).overtime);
    }

    #[test]
    fn of_match_and_move_limit_the_tighter_one_binds() {
        let budget = |control| Clock::new(control).budget(Color::Black, 100, s(0.1)).unwrap();
        let of = |main, limit| budget(TimeControl::Match { main: s(main), limit: s(limit) });
        assert_eq!(of(100_000.0, 5.0), budget(TimeControl::Move(s(5.0))), "the match limit is far away");
        assert_eq!(of(30.0, 100.0), budget(TimeControl::Absolute(s(30.0))), "so is the limit of a move");
        let both = of(100.0, 5.0);
        assert!(both.soft < s(4.0) && both.hard == s(4.9), "{both:?}");
        assert!(of(0.2, 5.0).hard < s(0.2));
    }

    #[test]
    fn a_time_for_each_move_is_kept_but_for_the_overhead() {
        let clock = Clock::new(TimeControl::Move(s(0.2)));
        let budget = clock.budget(Color::Black, 40, s(0.1)).unwrap();
        assert!(budget.hard <= s(0.18) && budget.hard >= s(0.17));
    }
}
