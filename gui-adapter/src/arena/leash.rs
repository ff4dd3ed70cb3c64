//! No engine outlives its runner: what interrupts do, and a guard that ends the engines of a runner that was
//! killed.
//!
//! The guard is this program once more, with the numbers of the engines' process groups on its input. When
//! the input ends, the runner is gone, however it went, and whatever it has not called off is killed. What an
//! engine starts in a session of its own (`setsid`) is out of reach.

use std::collections::BTreeSet;
use std::io::{BufRead, Write};
use std::process::{ChildStdin, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};

use parking_lot::Mutex;

/// The engines that are running.
struct Engines {
    groups: BTreeSet<u32>,
    /// The match is being ended: none is to begin any more.
    closed: bool,
    guard: Option<ChildStdin>,
}

static ENGINES: Mutex<Engines> = Mutex::new(Engines { groups: BTreeSet::new(), closed: false, guard: None });

impl Engines {
    fn tell_guard(&mut self, line: &str) {
        // A guard that has gone protects nobody, but a match without it is still a match.
        if let Some(guard) = &mut self.guard
            && let Err(error) = writeln!(guard, "{line}").and_then(|()| guard.flush())
        {
            log::warn!(target: "arena", "the guard of the engines has gone: {error}");
            self.guard = None;
        }
    }
}

/// An engine has started, at the head of a process group of its own.
pub(super) fn began(group: u32) {
    let mut engines = ENGINES.lock();
    engines.groups.insert(group);
    engines.tell_guard(&format!("+{group}"));
    if engines.closed {
        kill_group(group);
    }
}

/// An engine's time is over; what is left of its group is killed.
pub(super) fn ended(group: u32) {
    let mut engines = ENGINES.lock();
    kill_group(group);
    engines.groups.remove(&group);
    engines.tell_guard(&format!("-{group}"));
}

/// Ends all engines, those too that are just being started.
fn kill_all() {
    let mut engines = ENGINES.lock();
    engines.closed = true;
    engines.groups.iter().copied().for_each(kill_group);
}

fn kill_group(group: u32) {
    #[cfg(unix)]
    if let Ok(group) = i32::try_from(group) {
        let group = nix::unistd::Pid::from_raw(group);
        nix::sys::signal::killpg(group, nix::sys::signal::Signal::SIGKILL).ok();
    }
}

/// Starts the guard.
pub(super) fn start_guard() {
    let started = std::env::current_exe().and_then(|program| {
        let mut command = Command::new(program);
        command.args(["match", "guard"]).stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
        // What is meant for the runner's group must not end it first.
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        command.spawn()
    });
    match started {
        Ok(mut child) => {
            ENGINES.lock().guard = child.stdin.take();
            // It ends by itself when the runner does, and is nobody's child then.
            std::thread::spawn(move || child.wait());
        }
        Err(error) => log::warn!(target: "arena", "there is no guard for the engines: {error}"),
    }
}

/// Is the guard: until the input ends.
pub(super) fn guard() {
    let mut groups = BTreeSet::new();
    for line in std::io::stdin().lock().lines().map_while(Result::ok) {
        match (line.strip_prefix('+').map(str::parse::<u32>), line.strip_prefix('-').map(str::parse::<u32>)) {
            (Some(Ok(group)), _) => drop(groups.insert(group)),
            (_, Some(Ok(group))) => drop(groups.remove(&group)),
            _ => {}
        }
    }
    groups.into_iter().for_each(kill_group);
}

/// Whether the user has asked for the end of the match.
pub(super) static HALT: AtomicBool = AtomicBool::new(false);

/// Has interrupts end the match in order: the games in progress are given up at once, engines that hang in
/// them too. A second interrupt leaves out what would still be written.
pub(super) fn heed_interrupts() {
    #[cfg(unix)]
    {
        use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
        // What is ignored from the start stays so: `nohup` and background jobs of a shell mean it.
        let heeded: Vec<i32> =
            [SIGINT, SIGTERM, SIGHUP].into_iter().filter(|&signal| !ignored(signal)).collect();
        match signal_hook::iterator::Signals::new(heeded) {
            Ok(mut signals) => drop(std::thread::spawn(move || {
                for signal in signals.forever() {
                    let again = HALT.swap(true, Ordering::Relaxed);
                    kill_all();
                    if again {
                        std::process::exit(128 + signal);
                    }
                }
            })),
            Err(error) => log::warn!(target: "arena", "interrupts end the match at once: {error}"),
        }
    }
}

/// Whether this process was started with the signal ignored; where the system does not tell, it was not.
#[cfg(unix)]
fn ignored(signal: i32) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0);
    mask >> (signal - 1) & 1 == 1
}
