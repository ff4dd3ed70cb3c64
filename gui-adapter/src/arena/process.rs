//! An engine's process: its lines with the time they came, its CPU time, its end.
//!
//! One thread writes, so that an engine that does not read never blocks the runner. One reads, and stops
//! reading while [`UNREAD`] lines wait, so that an engine that prints on and on fills no memory. A third
//! keeps the last line of stderr, which often says why an engine ended.

use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use crossbeam::channel::{self, Receiver, RecvTimeoutError, Sender};
use parking_lot::Mutex;

use super::leash;
use super::spec::EngineSpec;

/// Lines that may wait to be read.
const UNREAD: usize = 1024;
/// A longer line is cut, in bytes.
const LONGEST: usize = 1 << 16;
/// How often the CPU time of an engine that thinks is looked at.
const GLANCE: Duration = Duration::from_millis(5);

/// A line of an engine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Line {
    /// When it was read.
    pub(super) at: Instant,
    /// Without its end; control characters but tabs are dropped.
    pub(super) text: String,
}

/// Why no line came.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Silence {
    /// The time was over.
    Late,
    /// The engine has closed its output; the text says how it ended.
    Ended(String),
}

/// How long to wait for a line.
#[derive(Clone, Copy, Debug)]
pub(super) enum Patience {
    /// Until then.
    Until(Instant),
    /// Until the engine's CPU time has reached the first value, or, whatever it does, until then.
    Cpu(Duration, Instant),
}

impl Patience {
    /// When it is over at the latest.
    pub(super) fn end(self) -> Instant {
        match self {
            Patience::Until(end) | Patience::Cpu(_, end) => end,
        }
    }
}

/// A running engine.
#[derive(Debug)]
pub(super) struct Process {
    child: Child,
    input: Option<Sender<String>>,
    lines: Receiver<Line>,
    complaint: Arc<Mutex<VecDeque<u8>>>,
    errors: Option<JoinHandle<()>>,
    stop_timeout: Duration,
    /// CPU time seen last: that of a child which ends between two looks is not given back.
    cpu_seen: Duration,
    glanced: Instant,
    /// When it was seen that the limit of CPU time is reached.
    spent_up: Option<Instant>,
}

impl Process {
    /// Starts the engine.
    ///
    /// # Errors
    /// Why it did not start.
    pub(super) fn start(spec: &EngineSpec) -> Result<Process, String> {
        let own;
        let words = match &spec.command {
            Some(words) => words,
            None => {
                let program = std::env::current_exe().map_err(|error| error.to_string())?;
                own = [program.to_string_lossy().into_owned(), "engine".to_owned()].to_vec();
                &own
            }
        };
        let (program, args) = words.split_first().ok_or("the command line is empty")?;
        let mut command = Command::new(program);
        command.args(args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command.envs(spec.environment.iter().map(|(name, value)| (name, value)));
        if let Some(folder) = &spec.folder {
            command.current_dir(folder);
        }
        // A group of its own: an interrupt from the keyboard is for the runner alone, and whatever the
        // engine starts ends with it.
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let failed =
            |error: std::io::Error| format!("cannot start \"{}\": {error}", program.escape_default());
        let mut child = command.spawn().map_err(failed)?;
        let (sender, lines) = channel::bounded(UNREAD);
        if let Some(output) = child.stdout.take() {
            std::thread::spawn(move || read(output, &sender));
        }
        let (input, to_send) = channel::unbounded::<String>();
        if let Some(mut pipe) = child.stdin.take() {
            std::thread::spawn(move || {
                for line in to_send {
                    if pipe.write_all(line.as_bytes()).and_then(|()| pipe.flush()).is_err() {
                        break;
                    }
                }
            });
        }
        let complaint = Arc::new(Mutex::new(VecDeque::new()));
        let kept = Arc::clone(&complaint);
        let errors = child.stderr.take().map(|errors| std::thread::spawn(move || keep_tail(errors, &kept)));
        let stop_timeout = spec.stop_timeout;
        leash::began(child.id());
        Ok(Process {
            child,
            input: Some(input),
            lines,
            complaint,
            errors,
            stop_timeout,
            cpu_seen: Duration::ZERO,
            glanced: Instant::now(),
            spent_up: None,
        })
    }

    /// Sends a line, without its end.
    pub(super) fn send(&self, line: &str) {
        log::trace!(target: "arena::wire", "{} << {line}", self.child.id());
        if let Some(input) = &self.input {
            input.send(format!("{line}\n")).ok();
        }
    }

    /// The next line.
    pub(super) fn hear(&mut self, patience: Patience) -> Result<Line, Silence> {
        let line = match patience {
            Patience::Until(end) => self.lines.recv_deadline(end),
            Patience::Cpu(most, end) => loop {
                // One that prints all the time is looked at too.
                let due = self.glanced.elapsed() >= GLANCE || self.spent_up.is_some();
                if due {
                    self.glanced = Instant::now();
                    if self.cpu() >= most {
                        // What was printed before may hold the answer; what comes after is too late.
                        let seen = self.glanced;
                        break match self.lines.try_recv() {
                            Ok(line) if line.at <= *self.spent_up.get_or_insert(seen) => Ok(line),
                            _ => Err(RecvTimeoutError::Timeout),
                        };
                    }
                    self.spent_up = None;
                }
                match self.lines.recv_timeout(GLANCE) {
                    Err(RecvTimeoutError::Timeout) if Instant::now() < end => {}
                    line => break line,
                }
            },
        };
        match line {
            Ok(line) => {
                log::trace!(target: "arena::wire", "{} >> {}", self.child.id(), line.text);
                Ok(line)
            }
            Err(RecvTimeoutError::Timeout) => Err(Silence::Late),
            Err(RecvTimeoutError::Disconnected) => Err(Silence::Ended(self.obituary())),
        }
    }

    /// Drops what has been printed so far: nothing that came before a command answers it.
    pub(super) fn forget(&self) {
        // What a flood goes on to print meanwhile is not waited for.
        for _ in 0..UNREAD {
            if self.lines.try_recv().is_err() {
                break;
            }
        }
    }

    /// How the process ended, in words.
    fn obituary(&mut self) -> String {
        let status = self.reap(Duration::from_millis(500));
        let how = match status {
            Some(status) => format!("ended ({status})"),
            None => "closed its output".to_owned(),
        };
        // Its last words may still be on the way.
        let end = Instant::now() + Duration::from_millis(200);
        while status.is_some()
            && !self.errors.as_ref().is_none_or(JoinHandle::is_finished)
            && Instant::now() < end
        {
            std::thread::sleep(Duration::from_millis(1));
        }
        let bytes: Vec<u8> = self.complaint.lock().iter().copied().collect();
        let text = String::from_utf8_lossy(&bytes);
        match text.lines().rev().map(clean).find(|line| !line.trim().is_empty()) {
            Some(line) => format!("{how}: {}", line.trim()),
            None => how,
        }
    }

    fn reap(&mut self, patience: Duration) -> Option<ExitStatus> {
        let end = Instant::now() + patience;
        loop {
            match self.child.try_wait() {
                Ok(Some(status)) => return Some(status),
                Ok(None) if Instant::now() < end => std::thread::sleep(Duration::from_millis(1)),
                _ => return None,
            }
        }
    }

    /// CPU time used by the engine's process and those it has started, as far as the system tells.
    pub(super) fn cpu(&mut self) -> Duration {
        let now = cpu_of_tree(self.child.id());
        self.cpu_seen = self.cpu_seen.max(now);
        self.cpu_seen
    }

    /// Ends the process: `farewell` first, then what force it takes.
    pub(super) fn stop(mut self, farewell: &str) {
        self.send(farewell);
        self.input = None;
        // Whoever is blocked in writing must be able to end.
        let end = Instant::now() + self.stop_timeout;
        while Instant::now() < end && self.lines.recv_deadline(end).is_ok() {}
        let left = end.saturating_duration_since(Instant::now());
        if self.reap(left).is_none() {
            log::info!(target: "arena", "an engine does not leave and is killed");
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        leash::ended(self.child.id());
        self.child.kill().ok();
        self.child.wait().ok();
    }
}

fn clean(line: &str) -> String {
    line.chars().filter(|c| !c.is_control() || *c == '\t').take(300).collect()
}

fn read(output: impl Read, sender: &Sender<Line>) {
    let mut reader = BufReader::with_capacity(1 << 16, output);
    let mut line = Vec::new();
    loop {
        let (used, ended) = match reader.fill_buf() {
            Ok([]) => break,
            Ok(bytes) => match bytes.iter().position(|&byte| byte == b'\n') {
                Some(at) => {
                    keep(&mut line, bytes.get(..at).unwrap_or_default());
                    (at + 1, true)
                }
                None => {
                    keep(&mut line, bytes);
                    (bytes.len(), false)
                }
            },
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
            Err(_) => break,
        };
        reader.consume(used);
        if ended {
            let text = String::from_utf8_lossy(&line);
            let text = text.chars().filter(|c| !c.is_control() || *c == '\t').collect();
            if sender.send(Line { at: Instant::now(), text }).is_err() {
                return;
            }
            line.clear();
        }
    }
    if !line.is_empty() {
        let text = clean(&String::from_utf8_lossy(&line));
        sender.send(Line { at: Instant::now(), text }).ok();
    }
}

fn keep(line: &mut Vec<u8>, bytes: &[u8]) {
    let room = LONGEST.saturating_sub(line.len());
    line.extend_from_slice(bytes.get(..room.min(bytes.len())).unwrap_or_default());
}

fn keep_tail(mut errors: impl Read, kept: &Mutex<VecDeque<u8>>) {
    const TAIL: usize = 2048;
    let mut buffer = [0; 4096];
    while let Ok(count @ 1..) = errors.read(&mut buffer) {
        let mut kept = kept.lock();
        kept.extend(buffer.iter().take(count));
        let surplus = kept.len().saturating_sub(TAIL);
        kept.drain(..surplus);
    }
}

/// Whether CPU time can be measured on this system.
pub(super) const MEASURES_CPU: bool = cfg!(target_os = "linux");

#[cfg(target_os = "linux")]
fn cpu_of_tree(root: u32) -> Duration {
    let mut total = Duration::ZERO;
    let mut waiting = vec![root];
    while let Some(id) = waiting.pop() {
        let clock = i32::try_from(id).ok().map(nix::unistd::Pid::from_raw);
        let clock = clock.and_then(|pid| nix::time::clock_getcpuclockid(pid).ok());
        if let Some(time) = clock.and_then(|clock| nix::time::clock_gettime(clock).ok()) {
            total += Duration::from(time) + cpu_of_ended_children(id);
        }
        let Ok(tasks) = std::fs::read_dir(format!("/proc/{id}/task")) else { continue };
        for task in tasks.flatten() {
            let children = std::fs::read_to_string(task.path().join("children")).unwrap_or_default();
            waiting.extend(children.split_ascii_whitespace().filter_map(|id| id.parse::<u32>().ok()));
        }
    }
    total
}

/// What children that have ended had used, to a hundredth of a second (`cutime` and `cstime` in `proc(5)`).
#[cfg(target_os = "linux")]
fn cpu_of_ended_children(id: u32) -> Duration {
    let stat = std::fs::read_to_string(format!("/proc/{id}/stat")).unwrap_or_default();
    // The name of the program, in parentheses, may hold anything.
    let fields = stat.rsplit_once(')').map_or("", |(_, fields)| fields);
    let ticks: u64 =
        fields.split_ascii_whitespace().skip(13).take(2).filter_map(|n| n.parse::<u64>().ok()).sum();
    Duration::from_millis(ticks * 10)
}

#[cfg(not(target_os = "linux"))]
fn cpu_of_tree(_root: u32) -> Duration {
    Duration::ZERO
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    fn shell(script: &str) -> Process {
        let mut spec = EngineSpec::embedded("x");
        spec.command = Some(["sh", "-c", script].map(str::to_owned).to_vec());
        spec.stop_timeout = Duration::from_millis(200);
        Process::start(&spec).expect("sh starts")
    }

    fn long() -> Patience {
        Patience::Until(Instant::now() + Duration::from_secs(60))
    }

    fn texts(process: &mut Process) -> (Vec<String>, String) {
        let mut lines = Vec::new();
        loop {
            match process.hear(long()) {
                Ok(line) => lines.push(line.text),
                Err(Silence::Ended(how)) => return (lines, how),
                Err(Silence::Late) => panic!("late after {lines:?}"),
            }
        }
    }

    #[test]
    fn lines_and_the_end_are_heard() {
        let mut process = shell("read x; echo \"$x\"; printf 'a\\r\\n\\n\\001b'; echo why >&2; exit 3");
        process.send("hello");
        let (lines, how) = texts(&mut process);
        assert_eq!(lines, ["hello", "a", "", "b"]);
        assert_eq!(how, "ended (exit status: 3): why");
        let (lines, how) = texts(&mut shell("kill -9 $$"));
        assert!(lines.is_empty() && how.contains("signal: 9"), "{how}");
        let (_, how) = texts(&mut shell("exec 1>&-; sleep 60"));
        assert_eq!(how, "closed its output");
    }

    #[test]
    fn a_flood_waits_until_it_is_read_and_long_lines_are_cut() {
        let mut process =
            shell("head -c 3000000 /dev/zero | tr '\\0' x; echo; yes | head -n 100000; echo done");
        std::thread::sleep(Duration::from_millis(100));
        assert!(process.lines.len() <= UNREAD);
        let (lines, _) = texts(&mut process);
        assert_eq!((lines[0].len(), lines.len()), (LONGEST, 100_002));
        assert_eq!(lines.last().unwrap(), "done");
    }

    #[test]
    fn the_whole_family_leaves() {
        let mut process = shell("trap '' TERM; sh -c 'echo $$; exec sleep 1000'; sleep 1000");
        let child = process.hear(long()).unwrap().text;
        process.stop("quit");
        let end = Instant::now() + Duration::from_secs(60);
        let alive = || {
            let status = std::fs::read_to_string(format!("/proc/{child}/stat")).unwrap_or_default();
            !status.is_empty() && !status.contains(") Z ")
        };
        while alive() {
            assert!(Instant::now() < end, "{child} lives on");
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn cpu_time_is_that_of_the_children_too() {
        let mut process = shell("sh -c 'while :; do :; done' & while :; do :; done");
        let begun = Instant::now();
        let most = Duration::from_millis(200);
        assert_eq!(process.hear(Patience::Cpu(most, begun + Duration::from_secs(60))), Err(Silence::Late));
        assert!(process.cpu() >= most);
        // Two children, one after the other: both count, though they have ended.
        let mut process = shell(
            "for i in 1 2; do sh -c 'i=0; while [ $i -lt 150000 ]; do i=$((i+1)); done'; echo done; done; sleep 1000",
        );
        let mut after = Vec::new();
        for _ in 0..2 {
            process.hear(long()).unwrap();
            after.push(process.cpu());
        }
        assert!(after[0] > Duration::from_millis(20) && after[1] > after[0].mul_f64(1.5), "{after:?}");
        let mut process = shell("sleep 1000");
        let end = Instant::now() + Duration::from_millis(50);
        assert_eq!(process.hear(Patience::Cpu(most, end)), Err(Silence::Late));
        assert!(process.cpu() < most);
    }
}
