//! The clocks as a front was told about them.

use std::time::Duration;

use tengen_engine::game::Color;
use tengen_engine::search::clock::TimeControl;

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
    /// The time control in force.
    pub(super) fn control(&self) -> TimeControl {
        self.control
    }

    /// New settings replace the old ones and what was said about the clocks under them.
    pub(super) fn set(&mut self, control: TimeControl, cap: Option<Duration>) {
        *self = Clocks { serial: self.serial + 1, control, cap, left: [None; 2] };
    }

    /// The manager has said how much time a side has, and for how many stones or periods.
    pub(super) fn correct(&mut self, color: Color, time: Duration, stones: u32) {
        // The engine never spends a whole clock on a move, so a clock no longer than the cap keeps it.
        let time = self.cap.map_or(time, |cap| time.min(cap));
        let [black, white] = &mut self.left;
        *(if color == Color::Black { black } else { white }) = Some((time, stones));
    }

    /// The clocks for a search.
    pub(super) fn take(&mut self) -> ClockRequest {
        ClockRequest { settings: self.serial, control: self.control, left: std::mem::take(&mut self.left) }
    }
}
