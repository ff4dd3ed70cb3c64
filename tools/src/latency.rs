//! What the adapter costs between a GUI and the daemon: the same searches asked for directly and through
//! `tengen-adapter gtp`, in turn, so that both see the same machine.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

/// Measures the adapter's overhead.
#[derive(clap::Args, Debug)]
pub(crate) struct Args {
    /// The adapter.
    #[arg(long, default_value = "target/release/tengen-adapter")]
    adapter: String,
    /// Searches measured each way.
    #[arg(long, default_value_t = 2000)]
    rounds: usize,
}

struct Program {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Program {
    fn start(path: &str, args: &[&str]) -> Result<Program, String> {
        let mut child = Command::new(path)
            .args(args)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|error| format!("{path}: {error}"))?;
        let input = child.stdin.take().ok_or("no input")?;
        let output = BufReader::new(child.stdout.take().ok_or("no output")?);
        Ok(Program { child, input, output })
    }

    /// The time from a command to its reply.
    fn time(&mut self, command: &str) -> Result<Duration, String> {
        let begun = Instant::now();
        self.input
            .write_all(command.as_bytes())
            .and_then(|()| self.input.flush())
            .map_err(|e| e.to_string())?;
        let mut line = String::new();
        loop {
            line.clear();
            if self.output.read_line(&mut line).map_err(|error| error.to_string())? == 0 {
                return Err("the program ended".into());
            }
            if line.starts_with('?') {
                return Err(line);
            }
            if line == "\n" {
                return Ok(begun.elapsed());
            }
        }
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        self.child.kill().ok();
        self.child.wait().ok();
    }
}

fn quantile(times: &mut [Duration], percent: usize) -> Duration {
    times.sort();
    times.get(times.len() * percent / 100).copied().unwrap_or_default()
}

pub(crate) fn run(args: &Args, out: &mut dyn Write) -> Result<(), String> {
    let quick = ["--nodes", "1", "--move-overhead", "0"];
    let mut direct = Program::start(&args.adapter, &[&["engine"][..], &quick].concat())?;
    let mut through = Program::start(&args.adapter, &[&["gtp", "--game", "othello"][..], &quick].concat())?;
    direct.time("newgame othello\n")?;
    let mut times = [Vec::new(), Vec::new()];
    // The first rounds start the daemon behind the adapter.
    for round in 0..args.rounds + 50 {
        let measured = [direct.time("reg_genmove b\n")?, through.time("reg_genmove b\n")?];
        if round >= 50 {
            for (times, time) in times.iter_mut().zip(measured) {
                times.push(time);
            }
        }
    }
    let [mut alone, mut both] = times;
    let mut line = |name: &str, times: &mut [Duration]| {
        let [median, high] = [50, 99].map(|percent| quantile(times, percent).as_secs_f64() * 1e3);
        writeln!(out, "{name}: median {median:.3} ms, 99 % within {high:.3} ms").map_err(|e| e.to_string())
    };
    line("daemon alone", &mut alone)?;
    line("through the adapter", &mut both)?;
    let overhead = quantile(&mut both, 50).saturating_sub(quantile(&mut alone, 50));
    writeln!(out, "overhead of the adapter: median {:.3} ms", overhead.as_secs_f64() * 1e3)
        .map_err(|error| error.to_string())
}
