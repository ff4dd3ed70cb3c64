//! How much an engine may think, and the runner's account of it.

use std::fmt;
use std::time::Duration;

use tengen_engine::game::Color;
use tengen_engine::search::clock::{Clock, Remaining, TimeControl, parse_seconds, seconds_text};

/// What the limits of time count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, clap::ValueEnum)]
pub enum Measure {
    /// Wall time.
    #[default]
    Wall,
    /// CPU time of the engine's processes, all their threads and children.
    Cpu,
}

/// How much an engine may think in a game or a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Limit {
    /// The clock.
    pub control: TimeControl,
    /// Nodes a move.
    pub nodes: Option<u64>,
    /// Depth of a move's search, in plies.
    pub depth: Option<u32>,
}

/// `10` for the whole game, `10+0.1` with an increment, `40/60` for 40 moves in every 60 s, `10+25/60` for
/// blocks of 25 moves behind the main time, `10+5x3` for three periods of byo-yomi, `5/move`, `inf`.
///
/// # Errors
/// What was expected instead.
pub fn parse_control(text: &str) -> Result<TimeControl, String> {
    let wrong = || {
        format!(
            "bad time control \"{}\": expected MAIN, MAIN+INCREMENT, MOVES/TIME, MAIN+MOVES/TIME, \
             MAIN+PERIODxCOUNT, TIME/move or inf (seconds, or minutes:seconds)",
            text.escape_default()
        )
    };
    let control = read_control(&text.trim().to_ascii_lowercase()).ok_or_else(wrong)?;
    let empty = match control {
        TimeControl::Absolute(time) | TimeControl::Move(time) => time.is_zero(),
        TimeControl::Fischer { main, increment } => main.is_zero() && increment.is_zero(),
        TimeControl::Byoyomi { main, period, .. } | TimeControl::Canadian { main, period, .. } => {
            main.is_zero() && period.is_zero()
        }
        TimeControl::Match { .. } | TimeControl::None => false,
    };
    if empty {
        Err(format!("bad time control \"{}\": there is no time in it", text.escape_default()))
    } else {
        Ok(control)
    }
}

fn read_control(text: &str) -> Option<TimeControl> {
    let time = |text: &str| match text.split_once(':') {
        Some((minutes, seconds)) => {
            let minutes = minutes.parse::<u16>().ok()?;
            Some(Duration::from_secs(60) * u32::from(minutes) + parse_seconds(seconds)?)
        }
        None => parse_seconds(text),
    };
    let count = |text: &str| text.parse::<u32>().ok().filter(|&n| n > 0);
    if matches!(text, "inf" | "none") {
        return Some(TimeControl::None);
    }
    if let Some(limit) = text.strip_suffix("/move") {
        return Some(TimeControl::Move(time(limit)?));
    }
    let (main, more) = match text.split_once('+') {
        Some((main, more)) => (time(main)?, more),
        None if text.contains('/') => (Duration::ZERO, text),
        None => return Some(TimeControl::Absolute(time(text)?)),
    };
    if let Some((moves, period)) = more.split_once('/') {
        return Some(TimeControl::Canadian { main, period: time(period)?, stones: count(moves)? });
    }
    if let Some((period, periods)) = more.split_once('x') {
        return Some(TimeControl::Byoyomi { main, period: time(period)?, periods: count(periods)? });
    }
    Some(TimeControl::Fischer { main, increment: time(more)? })
}

/// As [`parse_control`] reads it, with `nodes N` and `depth N` behind.
impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let s = seconds_text;
        match self.control {
            // The one limit there is needs no other beside it.
            TimeControl::None if self.nodes.is_some() || self.depth.is_some() => Ok(()),
            TimeControl::None => f.write_str("inf"),
            TimeControl::Absolute(main) => f.write_str(&s(main)),
            TimeControl::Fischer { main, increment } => write!(f, "{}+{}", s(main), s(increment)),
            TimeControl::Byoyomi { main, period, periods } => {
                write!(f, "{}+{}x{periods}", s(main), s(period))
            }
            TimeControl::Canadian { main, period, stones } if main.is_zero() => {
                write!(f, "{stones}/{}", s(period))
            }
            TimeControl::Canadian { main, period, stones } => {
                write!(f, "{}+{stones}/{}", s(main), s(period))
            }
            TimeControl::Move(limit) => write!(f, "{}/move", s(limit)),
            TimeControl::Match { main, limit } => write!(f, "{} ({} a move)", s(main), s(limit)),
        }?;
        let mut gap = if self.control == TimeControl::None { "" } else { " " };
        if let Some(nodes) = self.nodes {
            write!(f, "{gap}nodes {nodes}")?;
            gap = " ";
        }
        if let Some(depth) = self.depth {
            write!(f, "{gap}depth {depth}")?;
        }
        Ok(())
    }
}

/// Both sides' clocks, each under its own control.
#[derive(Clone, Copy, Debug)]
pub struct Clocks {
    sides: [Clock; 2],
    grace: Duration,
}

impl Clocks {
    /// Clocks at the start of a game, Black's control first. `grace` is how much more than it has a side
    /// may use without losing; it is not given back.
    #[must_use]
    pub fn new(controls: [TimeControl; 2], grace: Duration) -> Clocks {
        Clocks { sides: controls.map(Clock::new), grace }
    }

    fn clock(&self, color: Color) -> &Clock {
        let [black, white] = &self.sides;
        match color {
            Color::Black => black,
            Color::White => white,
        }
    }

    /// What a side has left.
    #[must_use]
    pub fn remaining(&self, color: Color) -> Remaining {
        self.clock(color).remaining(color)
    }

    /// The control of a side.
    #[must_use]
    pub fn control(&self, color: Color) -> TimeControl {
        self.clock(color).control()
    }

    /// How long the side may think about its next move without losing by time, the grace included; `None`
    /// without a clock.
    #[must_use]
    pub fn allowed(&self, color: Color) -> Option<Duration> {
        let left = self.remaining(color);
        let time = match self.control(color) {
            TimeControl::None => return None,
            TimeControl::Absolute(_) | TimeControl::Fischer { .. } => left.time,
            TimeControl::Move(limit) => limit,
            TimeControl::Match { limit, .. } => left.time.min(limit),
            TimeControl::Byoyomi { period, .. } if left.overtime => {
                left.time.saturating_add(period.saturating_mul(left.count.saturating_sub(1)))
            }
            TimeControl::Byoyomi { period, periods, .. } => {
                left.time.saturating_add(period.saturating_mul(periods))
            }
            TimeControl::Canadian { .. } if left.overtime => left.time,
            TimeControl::Canadian { period, .. } => left.time.saturating_add(period),
        };
        Some(time.saturating_add(self.grace))
    }

    /// Takes the time of a move off its side's clock; `false` when it was more than
    /// [`allowed`](Clocks::allowed).
    #[must_use]
    pub fn spend(&mut self, color: Color, spent: Duration) -> bool {
        let kept = self.allowed(color).is_none_or(|allowed| spent <= allowed);
        let [black, white] = &mut self.sides;
        match color {
            Color::Black => black.spend(color, spent),
            Color::White => white.spend(color, spent),
        }
        kept
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: Duration = Duration::from_millis(1);

    #[test]
    fn controls_read_as_they_print() {
        for text in ["10", "10+0.1", "40/60", "10+25/60", "10+5x3", "0.02/move", "inf"] {
            let control = parse_control(text).unwrap();
            assert_eq!(Limit { control, ..Limit::default() }.to_string(), text);
        }
        let both = Limit { control: TimeControl::None, nodes: Some(5), depth: Some(3) };
        assert_eq!(both.to_string(), "nodes 5 depth 3");
        assert_eq!(
            Limit { control: parse_control("1+2").unwrap(), ..both }.to_string(),
            "1+2 nodes 5 depth 3"
        );
        assert_eq!(parse_control("1:30+2").unwrap(), parse_control("90+2").unwrap());
        for bad in
            ["", "x", "10+", "+1", "0", "0+0", "0/60", "10+0x3x", "-1", "1:2:3", "0/move", "1e3", "10 s"]
        {
            let error = parse_control(bad).unwrap_err();
            assert!(error.starts_with("bad time control") && !error.contains('\n'), "{bad}: {error}");
        }
    }

    fn clocks(text: &str) -> Clocks {
        Clocks::new([parse_control(text).unwrap(); 2], 10 * MS)
    }

    #[test]
    fn a_side_may_use_what_it_has_and_the_grace() {
        for (text, allowed) in [
            ("1", 1010),
            ("1+2", 1010),
            ("3/1", 1010),
            ("1+3/1", 2010),
            ("1+2x3", 7010),
            ("0+2x3", 6010),
            ("0.5/move", 510),
        ] {
            for (spent, kept) in [(allowed, true), (allowed + 1, false)] {
                let mut clocks = clocks(text);
                assert_eq!(clocks.allowed(Color::White), Some(allowed * MS), "{text}");
                assert_eq!(clocks.spend(Color::White, spent * MS), kept, "{text}");
                assert_eq!(clocks.allowed(Color::Black), Some(allowed * MS), "{text}: the other side");
            }
        }
        assert_eq!(clocks("inf").allowed(Color::Black), None);
    }

    #[test]
    fn the_grace_is_no_gift() {
        let mut clocks = clocks("1+0.1");
        assert!(clocks.spend(Color::Black, 1005 * MS));
        assert_eq!(clocks.remaining(Color::Black).time, 100 * MS);
        assert!(clocks.spend(Color::Black, 40 * MS));
        assert_eq!(clocks.remaining(Color::Black).time, 160 * MS);
    }

    #[test]
    fn periods_and_blocks_are_counted() {
        let mut byoyomi = clocks("1+2x3");
        assert!(byoyomi.spend(Color::Black, 3500 * MS));
        assert_eq!(byoyomi.remaining(Color::Black).count, 2);
        assert_eq!(byoyomi.allowed(Color::Black), Some(4010 * MS));
        let mut blocks = clocks("2/3");
        assert!(blocks.spend(Color::Black, 1000 * MS));
        assert_eq!(blocks.allowed(Color::Black), Some(2010 * MS));
        assert!(blocks.spend(Color::Black, 1000 * MS));
        assert_eq!(blocks.allowed(Color::Black), Some(3010 * MS));
    }
}
