//! What the time of a search is measured by.

use std::time::{Duration, Instant};

/// Runs from the moment a command was read.
#[derive(Clone, Copy, Debug)]
pub struct Stopwatch(Begun);

#[derive(Clone, Copy, Debug)]
enum Begun {
    Wall(Instant),
    /// The CPU time of the process until then.
    #[cfg(unix)]
    Cpu(Duration),
}

impl Stopwatch {
    /// One that counts wall time since `begun`.
    #[must_use]
    pub fn wall(begun: Instant) -> Stopwatch {
        Stopwatch(Begun::Wall(begun))
    }

    /// One that counts the CPU time of this process, all its threads together, from now on; wall time
    /// where the system does not tell.
    #[must_use]
    pub fn cpu() -> Stopwatch {
        #[cfg(unix)]
        if let Some(begun) = cpu_time() {
            return Stopwatch(Begun::Cpu(begun));
        }
        Stopwatch::wall(Instant::now())
    }

    /// One of the same kind that starts now.
    #[must_use]
    pub fn anew(self) -> Stopwatch {
        match self.0 {
            Begun::Wall(_) => Stopwatch::wall(Instant::now()),
            #[cfg(unix)]
            Begun::Cpu(_) => Stopwatch::cpu(),
        }
    }

    /// The time since it was started.
    #[must_use]
    pub fn elapsed(self) -> Duration {
        match self.0 {
            Begun::Wall(begun) => begun.elapsed(),
            #[cfg(unix)]
            Begun::Cpu(begun) => cpu_time().unwrap_or(begun).saturating_sub(begun),
        }
    }
}

#[cfg(unix)]
fn cpu_time() -> Option<Duration> {
    use nix::time::{ClockId, clock_gettime};
    clock_gettime(ClockId::CLOCK_PROCESS_CPUTIME_ID).ok().map(Duration::from)
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn cpu_time_passes_with_work() {
        let (wall, cpu) = (Stopwatch::wall(Instant::now()), Stopwatch::cpu());
        while cpu.elapsed() < Duration::from_millis(20) {
            assert!(wall.elapsed() < Duration::from_secs(60), "no CPU time is counted");
            std::hint::spin_loop();
        }
        assert!(cpu.anew().elapsed() < cpu.elapsed());
    }
}
