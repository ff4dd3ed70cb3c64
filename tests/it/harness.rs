//! Talks to a real process, every read with a deadline.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use crossbeam::channel::{Receiver, RecvTimeoutError, unbounded};

/// Longest wait for one line; generous, because the machines that run tests are shared.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

/// Process ids of the children of a running process.
#[cfg(target_os = "linux")]
pub(crate) fn children(id: u32) -> Vec<String> {
    let listed = std::fs::read_to_string(format!("/proc/{id}/task/{id}/children")).expect("a process");
    listed.split_ascii_whitespace().map(str::to_owned).collect()
}

/// A running program, its output read line by line.
pub(crate) struct Process {
    child: Child,
    input: Option<ChildStdin>,
    lines: Receiver<String>,
}

impl Process {
    /// The daemon.
    pub(crate) fn engine(args: &[&str]) -> Process {
        Process::start(env!("CARGO_BIN_EXE_test-engine"), args)
    }

    /// The adapter.
    pub(crate) fn adapter(args: &[&str]) -> Process {
        Process::start(env!("CARGO_BIN_EXE_test-adapter"), args)
    }

    /// The adapter at the head of a process group of its own.
    #[cfg(unix)]
    pub(crate) fn adapter_group(args: &[&str]) -> Process {
        use std::os::unix::process::CommandExt;
        let program = env!("CARGO_BIN_EXE_test-adapter");
        Process::spawn(program, Command::new(program).args(args).process_group(0))
    }

    /// Any program.
    pub(crate) fn start(program: &str, args: &[&str]) -> Process {
        Process::spawn(program, Command::new(program).args(args))
    }

    fn spawn(program: &str, command: &mut Command) -> Process {
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap_or_else(|error| panic!("{program}: {error}"));
        let output = BufReader::new(child.stdout.take().expect("a pipe"));
        let (sender, lines) = unbounded();
        std::thread::spawn(move || {
            for line in output.lines().map_while(Result::ok) {
                if sender.send(line).is_err() {
                    return;
                }
            }
        });
        Process { input: child.stdin.take(), child, lines }
    }

    /// Process id.
    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    /// Sends raw bytes; a peer that has gone is no error here.
    pub(crate) fn tell_bytes(&mut self, bytes: &[u8]) {
        if let Some(input) = &mut self.input {
            let _gone = input.write_all(bytes).and_then(|()| input.flush());
        }
    }

    /// Sends a line.
    pub(crate) fn tell(&mut self, line: &str) {
        self.tell_bytes(format!("{line}\n").as_bytes());
    }

    /// The next line.
    pub(crate) fn hear(&mut self) -> String {
        match self.lines.recv_timeout(PATIENCE) {
            Ok(line) => line,
            Err(RecvTimeoutError::Timeout) => panic!("no line within {PATIENCE:?}"),
            Err(RecvTimeoutError::Disconnected) => panic!("the output ended: {:?}", self.child.wait()),
        }
    }

    /// The next line, if one comes within `patience`.
    pub(crate) fn hear_within(&mut self, patience: Duration) -> Option<String> {
        self.lines.recv_timeout(patience).ok()
    }

    /// The next GTP reply, lines outside replies skipped: the text after the id, or the error.
    pub(crate) fn reply(&mut self) -> Result<String, String> {
        let first = loop {
            let line = self.hear();
            if line.starts_with(['=', '?']) {
                break line;
            }
        };
        let good = first.starts_with('=');
        let mut text = first.split_once(' ').map_or("", |(_, text)| text).to_owned();
        loop {
            let line = self.hear();
            if line.is_empty() {
                return if good { Ok(text) } else { Err(text) };
            }
            text.push('\n');
            text.push_str(&line);
        }
    }

    /// Sends a command and waits for its reply.
    pub(crate) fn ask(&mut self, command: &str) -> Result<String, String> {
        self.tell(command);
        self.reply()
    }

    /// Sends a command that must succeed.
    pub(crate) fn ok(&mut self, command: &str) -> String {
        self.ask(command).unwrap_or_else(|error| panic!("{command}: ? {error}"))
    }

    /// Closes the input and waits for the process to end; gives what it still printed.
    pub(crate) fn finish(mut self) -> (ExitStatus, Vec<String>) {
        self.input = None;
        let mut rest = Vec::new();
        while let Ok(line) = self.lines.recv_timeout(PATIENCE) {
            rest.push(line);
        }
        (self.wait(), rest)
    }

    /// Waits for the process to end by itself.
    pub(crate) fn wait(&mut self) -> ExitStatus {
        let end = Instant::now() + PATIENCE;
        loop {
            if let Some(status) = self.child.try_wait().expect("a child of ours") {
                return status;
            }
            assert!(Instant::now() < end, "the process did not end");
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ended = self.child.kill();
        let _reaped = self.child.wait();
    }
}
