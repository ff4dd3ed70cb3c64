//! How long a daemon is waited for. The less time a move may take, the sooner a silent daemon is
//! replaced: another one has to find the move in what is left.

use std::time::Duration;

/// When the adapter is about to leave: after how much silence a daemon is asked whether it lives, and how
/// long it may be silent, or not stop.
pub(super) const LEAVING_PING: Duration = Duration::from_millis(500);
pub(super) const LEAVING: Duration = Duration::from_millis(1800);
/// A limit noticed so much too late was not watched: the process was suspended, and the daemon with it.
pub(super) const LATE: Duration = Duration::from_millis(100);

/// How long a daemon that has just been started or connected to may take for its first reply.
pub(super) const GREETING: Duration = Duration::from_secs(5);
const PING_EVERY: (Duration, Duration) = (Duration::from_millis(100), Duration::from_secs(1));
/// A daemon that is starved of processor time may take most of a second; one that died is noticed at once.
const SILENCE: (Duration, Duration) = (Duration::from_secs(1), Duration::from_secs(4));
const STOP: Duration = Duration::from_secs(4);
/// No search is overdue before. A busy machine takes as long to start a daemon, and whoever gives less
/// time for a move cannot be strict about it.
const SOONEST: Duration = Duration::from_millis(200);
/// What a search without a clock may take beyond its own time, before it counts as hung.
const SLACK: Duration = Duration::from_secs(5);

/// The waiting times of one search.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Patience {
    /// How long the move may take by the clock.
    allowed: Option<Duration>,
    /// After how long the search is stopped, and how long it may go on then.
    overdue: Option<(Duration, Duration)>,
}

impl Patience {
    /// For a move on a clock that may be used up. The engine plans with 0.6 of it at most
    /// (`search::clock`), so whoever has not moved then will not.
    pub(super) fn clock(left: Duration) -> Patience {
        let last = Patience::last(left);
        let due = (left.mul_f64(0.65) + last).min(left.saturating_sub(2 * last));
        Patience { allowed: Some(left), overdue: Some((due.max(SOONEST), last)) }
    }

    /// For a move with a time of its own, of which the engine keeps a tenth or `move_overhead` back. What
    /// is left at the end is for the adapter's own answer.
    pub(super) fn fixed(limit: Duration) -> Patience {
        let last = Patience::last(limit);
        let due = limit.saturating_sub(2 * last).max(SOONEST);
        Patience { allowed: Some(limit), overdue: Some((due, last)) }
    }

    /// For a search that nobody times, but that should end by itself after `limit`.
    pub(super) fn untimed(limit: Duration) -> Patience {
        let due = limit.saturating_mul(2).saturating_add(SLACK);
        Patience { allowed: None, overdue: Some((due, STOP)) }
    }

    /// How long a search that was stopped at the last moment may go on.
    fn last(allowed: Duration) -> Duration {
        (allowed / 40).clamp(Duration::from_millis(10), Duration::from_millis(100))
    }

    /// How long the move may take; `None` without a clock.
    #[cfg(test)]
    pub(super) fn allowed(self) -> Option<Duration> {
        self.allowed
    }

    fn share(self, parts: u32, (least, most): (Duration, Duration)) -> Duration {
        self.allowed.map_or(most, |allowed| (allowed / parts).clamp(least, most))
    }

    /// As [`GREETING`], within the time of the move.
    pub(super) fn greeting(self) -> Duration {
        self.share(3, (GREETING / 5, GREETING))
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

    /// How long a search may go on after somebody has stopped it.
    pub(super) fn stop(self) -> Duration {
        self.share(4, (STOP / 4, STOP))
    }

    /// After how long a search is stopped because its time is running out, or because it should long have
    /// ended.
    pub(super) fn overdue(self) -> Option<Duration> {
        self.overdue.map(|(due, _)| due)
    }

    /// How long it may go on then.
    pub(super) fn last_moment(self) -> Duration {
        self.overdue.map_or(STOP, |(_, last)| last)
    }
}
