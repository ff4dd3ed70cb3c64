//! The clocks as a front was told about them.

use std::time::Duration;

use tengen_engine::game::Color;
use tengen_engine::search::clock::{LONGEST, TimeControl};

use crate::client::ClockRequest;

/// The time control in force and what the manager has said about the clocks since the last search.
#[derive(Debug, Default)]
pub(super) struct Clocks {
    serial: u64,
    control: TimeControl,
    /// The longest one move may take (`fischer-capped`).
    cap: Option<Duration>,
    left: [Option<(Duration, u32)>; 2],
}

impl Clocks {
    /// New settings replace the old ones and what was said about the clocks under them. Times longer than
    /// the engine takes are cut to what it takes.
    pub(super) fn set(&mut self, control: TimeControl, cap: Option<Duration>) {
        let control = shortened(control);
        *self = Clocks { serial: self.serial + 1, control, cap, left: [None; 2] };
    }

    /// The same settings once more change nothing, other ones are [`set`](Clocks::set): for managers that
    /// send them with every move.
    pub(super) fn follow(&mut self, control: TimeControl) {
        if shortened(control) != self.control {
            self.set(control, None);
        }
    }

    /// The manager has said how much time a side has, and for how many stones or periods.
    pub(super) fn correct(&mut self, color: Color, time: Duration, stones: u32) {
        // The engine never spends a whole clock on a move, so a clock no longer than the cap keeps it.
        let time = self.cap.map_or(time, |cap| time.min(cap)).min(longest());
        let [black, white] = &mut self.left;
        *(if color == Color::Black { black } else { white }) = Some((time, stones));
    }

    /// The clocks for a search.
    pub(super) fn take(&mut self) -> ClockRequest {
        ClockRequest { settings: self.serial, control: self.control, left: std::mem::take(&mut self.left) }
    }
}

/// The longest time the engine takes.
fn longest() -> Duration {
    Duration::from_secs_f64(LONGEST)
}

fn shortened(control: TimeControl) -> TimeControl {
    let cut = |time: Duration| time.min(longest());
    match control {
        TimeControl::None => TimeControl::None,
        TimeControl::Absolute(main) => TimeControl::Absolute(cut(main)),
        TimeControl::Fischer { main, increment } => {
            TimeControl::Fischer { main: cut(main), increment: cut(increment) }
        }
        TimeControl::Byoyomi { main, period, periods } => {
            TimeControl::Byoyomi { main: cut(main), period: cut(period), periods }
        }
        TimeControl::Canadian { main, period, stones } => {
            TimeControl::Canadian { main: cut(main), period: cut(period), stones }
        }
        TimeControl::Move(limit) => TimeControl::Move(cut(limit)),
        TimeControl::Match { main, limit } => TimeControl::Match { main: cut(main), limit: cut(limit) },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tengen_engine::protocol::Command;

    #[test]
    fn a_time_longer_than_the_engine_takes_costs_the_move() {
        let long = Duration::MAX;
        for control in [
            TimeControl::Absolute(long),
            TimeControl::Fischer { main: long, increment: long },
            TimeControl::Byoyomi { main: long, period: long, periods: 3 },
            TimeControl::Canadian { main: long, period: long, stones: 3 },
            TimeControl::Move(long),
            TimeControl::Match { main: long, limit: long },
        ] {
            let mut clocks = Clocks::default();
            clocks.follow(control);
            clocks.correct(Color::White, long, 2);
            let request = clocks.take();
            let (left, stones) = request.left[1].unwrap();
            for command in
                [Command::TimeControl(request.control), Command::TimeLeft(Color::White, left, stones)]
            {
                assert_eq!(Command::parse(&command.to_string()), Ok(command));
            }
            clocks.follow(control);
            assert_eq!(clocks.take().settings, request.settings, "the clock runs on");
        }
    }
}
