//! How long a daemon is waited for. The less time a move may take, the sooner a silent daemon is
//! replaced: another one has to find the move in what is left.

use std::time::Duration;

/// When the adapter is about to leave: after how much silence a daemon is asked whether it lives, and how
/// long it may be silent, or not stop.
pub(super) const LEAVING_PING: Duration = Duration::from_millis(500);
pub(super) const LEAVING: Duration = Duration::from_millis(1800);
/// A limit noticed so much too late was not watched: the process was suspended, and the daemon with it.
pub(super) const LATE: Duration = Duration::from_millis(100);

const GREETING: Duration = Duration::from_secs(5);
const PING_EVERY: (Duration, Duration) = (Duration::from_millis(100), Duration::from_secs(1));
const SILENCE: (Duration, Duration) = (Duration::from_millis(300), Duration::from_secs(4));
const STOP: Duration = Duration::from_secs(4);
const MARGIN: (Duration, Duration) = (Duration::from_millis(20), Duration::from_millis(300));
const LAST_MOMENT: (Duration, Duration) = (Duration::from_millis(50), Duration::from_millis(200));

/// The waiting times of one search.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Patience {
    /// How long the move may take by the clock.
    allowed: Option<Duration>,
    /// Whether that is a fixed time for each move, with nothing behind it to be lost.
    fixed: bool,
}

impl Patience {
    /// For a move that may use up a clock.
    pub(super) fn clock(left: Duration) -> Patience {
        Patience { allowed: Some(left), fixed: false }
    }

    /// For a move with a time of its own.
    pub(super) fn fixed(limit: Duration) -> Patience {
        Patience { allowed: Some(limit), fixed: true }
    }

    /// How long the move may take; `None` without a clock.
    #[cfg(test)]
    pub(super) fn allowed(self) -> Option<Duration> {
        self.allowed
    }

    fn share(self, parts: u32, (least, most): (Duration, Duration)) -> Duration {
        self.allowed.map_or(most, |allowed| (allowed / parts).clamp(least, most))
    }

    /// How long a daemon that has just been started or connected to may take for its first reply.
    pub(super) fn greeting(self) -> Duration {
        self.share(3, (SILENCE.1 / 4, GREETING))
    }

    /// After how much silence a searching daemon is asked whether it lives.
    pub(super) fn ping_every(self) -> Duration {
        self.share(8, PING_EVERY)
    }

    /// How long it may be silent then. Without a clock, a silent daemon and a second one in its place
    /// together cost ten seconds.
    pub(super) fn silence(self) -> Duration {
        self.share(4, SILENCE)
    }

    /// How long a daemon that was there before may be out of reach.
    pub(super) fn reconnecting(self) -> Duration {
        self.share(4, (Duration::ZERO, GREETING))
    }

    /// How long a search may go on after it was stopped.
    pub(super) fn stop(self) -> Duration {
        self.share(4, (STOP / 4, STOP))
    }

    /// After how long a search is stopped because the clock is about to run out. A daemon that is well
    /// has moved before.
    pub(super) fn overdue(self) -> Option<Duration> {
        let margin = if self.fixed { Duration::ZERO } else { self.share(10, MARGIN) };
        self.allowed.map(|allowed| allowed.saturating_sub(margin))
    }

    /// How long an overdue search may go on after it was stopped.
    pub(super) fn last_moment(self) -> Duration {
        self.share(20, LAST_MOMENT)
    }
}
