//! Every command that the documents show works.
//!
//! Code blocks say what they are: `sh` blocks are commands to be typed, `gui` blocks are command lines to
//! be given to another program, `daemon` blocks are commands that go on until they are stopped.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const DOCUMENTS: [&str; 4] = ["README.md", "CONTRIBUTING.md", "ARCHITECTURE.md", "protocol.md"];

/// Commands that build or test everything, which is what happens around this test; `tests/run` runs
/// them or what they stand for.
const ELSEWHERE: [&str; 10] = [
    "tests/run",
    "cargo run --release",
    "cargo build --release",
    "cargo test --workspace",
    "cargo fmt --all --check",
    "cargo clippy --workspace --all-targets -- -D warnings",
    // A person has minutes for it and a nightly compiler; `corpus` replays what it has found.
    "cargo +nightly fuzz run --fuzz-dir tools/fuzz --sanitizer none gtp tests/corpus/gtp -- \
     -dict=tools/fuzz/dictionaries/gtp.dict -max_len=4096 -timeout=10 -rss_limit_mb=1024 -max_total_time=600",
    "cargo +nightly fuzz cmin --fuzz-dir tools/fuzz --sanitizer none gtp tests/corpus/gtp",
    // Takes a minute; its own test holds the signature.
    "tengen-engine bench",
    // Takes twenty minutes; `arena::protocols` climbs the first two rungs.
    "tengen-adapter match --game othello --tournament ladder --games 4 --nodes 20000 --openings random:6 --hang 3600 \
     --engine name=Tengen --engine \"name=rhino 1,proto=gtp,tc=inf,cmd=gtp-rhino -l 1\" \
     --engine \"name=rhino 2,proto=gtp,tc=inf,cmd=gtp-rhino -l 2\" --engine \"name=rhino 3,proto=gtp,tc=inf,cmd=gtp-rhino -l 3\" \
     --engine \"name=rhino 4,proto=gtp,tc=inf,cmd=gtp-rhino -l 4\" --engine \"name=rhino 5,proto=gtp,tc=inf,cmd=gtp-rhino -l 5\" \
     --out results/rhino",
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("a workspace").to_owned()
}

/// The lines of all code blocks of one kind, with the document; continued lines are joined, comments
/// left out.
fn commands(kind: &str) -> Vec<(&'static str, String)> {
    let mut found = Vec::new();
    for document in DOCUMENTS {
        let Ok(text) = fs::read_to_string(root().join(document)) else { continue };
        let mut block: Option<&str> = None;
        let mut pending = String::new();
        for line in text.lines().map(str::trim) {
            match (line.strip_prefix("```"), block) {
                (Some(name), None) => block = Some(name),
                (Some(_), Some(_)) => block = None,
                (None, Some(name)) if name == kind && !line.is_empty() && !line.starts_with('#') => {
                    match line.strip_suffix('\\') {
                        Some(part) => pending.push_str(part),
                        None => found.push((document, std::mem::take(&mut pending) + line)),
                    }
                }
                _ => {}
            }
        }
        assert_eq!(block, None, "{document} has a block that is not closed");
    }
    found
}

/// A folder with the two programs under their real names.
struct Programs(PathBuf);

impl Programs {
    fn new(name: &str) -> Programs {
        let folder = std::env::temp_dir().join(format!("tengen-docs-{name}-{}", std::process::id()));
        fs::create_dir_all(&folder).expect("a temporary folder");
        for (program, real) in [
            ("tengen-adapter", env!("CARGO_BIN_EXE_test-adapter")),
            ("tengen-engine", env!("CARGO_BIN_EXE_test-engine")),
        ] {
            let link = folder.join(program);
            let _ = fs::remove_file(&link);
            #[cfg(unix)]
            std::os::unix::fs::symlink(real, &link).expect("a link");
            #[cfg(not(unix))]
            fs::copy(real, link.with_extension("exe")).map(drop).expect("a copy");
        }
        Programs(folder)
    }

    /// The command line, to be run by a shell that finds the programs.
    fn shell(&self, line: &str) -> Command {
        let old = std::env::var("PATH").unwrap_or_default();
        let mut command = Command::new("sh");
        command.arg("-c").arg(line).current_dir(root()).env("PATH", format!("{}:{old}", self.0.display()));
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }
}

impl Drop for Programs {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

#[test]
fn commands_to_be_typed_run() {
    let programs = Programs::new("typed");
    let lines = commands("sh");
    assert!(lines.iter().any(|(_, line)| line == "cargo run --release"), "{lines:?}");
    assert!(lines.iter().any(|(_, line)| line == "tests/run"), "{lines:?}");
    for (document, line) in lines {
        if ELSEWHERE.contains(&line.as_str()) {
            continue;
        }
        // Results go where they are taken away again.
        let line = line.replace("results/", &format!("{}/", programs.0.display()));
        let output = programs.shell(&line).output().expect("sh runs");
        let (text, problem) =
            (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        assert!(output.status.success(), "{document}: {line}\n{text}{problem}");
        // In the protocol an error is a reply, not a status.
        assert!(!text.lines().any(|line| line.starts_with('?')), "{document}: {line}\n{text}{problem}");
    }
}

/// The command lines of the adapter within a command line: itself, or quoted arguments of another
/// program.
fn adapter_lines(line: &str) -> Vec<&str> {
    if line.starts_with("tengen-adapter") {
        return vec![line];
    }
    line.split('"').skip(1).step_by(2).filter(|part| part.starts_with("tengen-adapter")).collect()
}

/// What a client of the front says first, and what it must hear.
fn greeting(command: &str) -> (&'static str, &'static str) {
    match command.split_ascii_whitespace().nth(1) {
        Some("gtp") => ("name\nquit\n", "= Tengen"),
        Some("gomocup") => ("ABOUT\nEND\n", "name=\"Tengen\""),
        Some("ugi") => ("ugi\nquit\n", "id name Tengen"),
        Some("uci") => ("uci\nquit\n", "id name Tengen"),
        Some("nboard") => ("nboard 2\nping 1\nquit\n", "set myname Tengen"),
        Some("botzone") => ("{\"requests\":[{\"x\":-1,\"y\":-1}],\"responses\":[]}\n", "{"),
        other => panic!("no greeting is known for {other:?} in: {command}"),
    }
}

#[test]
fn command_lines_for_other_programs_start_an_engine_that_answers() {
    let programs = Programs::new("gui");
    let lines = commands("gui");
    assert!(lines.len() >= 6, "{lines:?}");
    for (document, line) in &lines {
        let parts = adapter_lines(line);
        assert!(!parts.is_empty(), "{document}: no tengen-adapter in: {line}");
        for part in parts {
            let (said, expected) = greeting(part);
            let mut command = programs.shell(part);
            let mut child = command.stdin(Stdio::piped()).spawn().expect("sh runs");
            child.stdin.take().expect("a pipe").write_all(said.as_bytes()).expect("the adapter reads");
            let output = child.wait_with_output().expect("the adapter ends");
            let text = String::from_utf8_lossy(&output.stdout).into_owned();
            let problem = String::from_utf8_lossy(&output.stderr).into_owned();
            assert!(output.status.success(), "{document}: {part}\n{text}{problem}");
            assert!(text.starts_with(expected), "{document}: {part}\n{text}{problem}");
        }
    }
}

#[test]
fn daemons_start_and_stay() {
    let programs = Programs::new("daemon");
    for (document, line) in commands("daemon") {
        // The port of the document may be taken; any free one will do.
        let Some((command, _)) = line.split_once("tcp:127.0.0.1:") else {
            panic!("{document}: only local addresses are tried: {line}");
        };
        let port = {
            let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a free port");
            listener.local_addr().expect("an address").port()
        };
        // `exec`, so that ending the shell ends the daemon.
        let line = format!("exec {command}tcp:127.0.0.1:{port}");
        let mut child =
            programs.shell(&line).stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("sh runs");
        let answer = ask(port);
        child.kill().expect("the daemon is still there");
        child.wait().expect("the daemon ends");
        assert!(
            answer.as_deref().is_some_and(|answer| answer.starts_with("= Tengen")),
            "{document}: {line}: {answer:?}"
        );
    }
}

/// The first line of the reply to `name`, once somebody listens.
fn ask(port: u16) -> Option<String> {
    let begun = Instant::now();
    while begun.elapsed() < Duration::from_secs(30) {
        let Ok(mut stream) = std::net::TcpStream::connect(("127.0.0.1", port)) else {
            std::thread::sleep(Duration::from_millis(20));
            continue;
        };
        stream.set_read_timeout(Some(Duration::from_secs(30))).ok()?;
        stream.write_all(b"name\n").ok()?;
        let mut line = String::new();
        BufReader::new(stream).read_line(&mut line).ok()?;
        return Some(line);
    }
    None
}
