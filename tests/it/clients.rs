//! Real third-party programs attached to the adapter.
//!
//! `tests/run` installs them and sets `TENGEN_CLIENTS=required`; elsewhere a test whose program is missing
//! says so and passes. With `TENGEN_ADAPTER` the tests use that program instead of the one built with
//! them.

#![expect(clippy::print_stdout, reason = "what was tried, and what not, belongs to the test's output")]

use std::path::{Path, PathBuf};
use std::process::Command;

/// Whether all programs are there; when they must be and are not, the test fails.
pub(crate) fn have(programs: &[&str]) -> bool {
    let missing: Vec<&&str> = programs.iter().filter(|program| find(program).is_none()).collect();
    if missing.is_empty() {
        return true;
    }
    assert!(std::env::var("TENGEN_CLIENTS").as_deref() != Ok("required"), "missing: {missing:?}");
    println!("not tried, missing: {missing:?}");
    false
}

/// The path of a program; games and daemons live in folders of their own that `PATH` often lacks.
fn find(program: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders = std::env::split_paths(&path).chain(["/usr/games", "/usr/sbin"].map(PathBuf::from));
    folders.map(|folder| folder.join(program)).find(|file| file.is_file())
}

/// The adapter.
pub(crate) fn program() -> String {
    std::env::var("TENGEN_ADAPTER").unwrap_or_else(|_| env!("CARGO_BIN_EXE_test-adapter").to_owned())
}

/// The adapter's command line.
fn adapter(arguments: &str) -> String {
    format!("'{}' {arguments}", program())
}

fn tengen() -> String {
    adapter("gtp --nodes 500")
}

/// Runs `tests/clients/quarry.py`.
fn quarry(arguments: &[&str]) {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("clients").join("quarry.py");
    let output = Command::new("python3")
        .arg(script)
        .args(arguments)
        .args(["--timeout", "420"])
        .env("PATH", format!("{}:/usr/games", std::env::var("PATH").unwrap_or_default()))
        .output()
        .expect("python3 runs");
    let text = String::from_utf8_lossy(&output.stdout);
    let problem = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "quarry.py {arguments:?}: {}\n{text}{problem}", output.status);
    println!("{text}");
}

fn quarry_game(game: &str, black: &str, white: &str) {
    quarry(&["--game", game, "--black", black, "--white", white]);
}

const QUARRY: [&str; 4] = ["python3", "quarry", "Xvfb", "xdotool"];

#[test]
fn quarry_registers_the_adapter() {
    if have(&QUARRY) {
        quarry(&["--register", &tengen()]);
    }
}

#[test]
fn quarry_othello_tengen_on_both_sides() {
    if have(&QUARRY) {
        quarry_game("othello", &tengen(), &tengen());
    }
}

#[test]
fn quarry_amazons_tengen_on_both_sides() {
    if have(&QUARRY) {
        quarry_game("amazons", &tengen(), &tengen());
    }
}

#[test]
fn quarry_othello_against_gtp_rhino() {
    if have(&QUARRY) && have(&["gtp-rhino"]) {
        quarry_game("othello", &tengen(), "gtp-rhino");
        quarry_game("othello", "gtp-rhino", &tengen());
    }
}

/// The Python of the virtual environment with the clients of `clients/requirements.txt`, which `tests/run`
/// makes.
pub(crate) fn client_python(module: &str) -> Option<PathBuf> {
    let made = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/clients-venv/bin/python");
    let python = std::env::var_os("TENGEN_PYTHON").map_or_else(made, PathBuf::from);
    let import = Command::new(&python).args(["-c", &format!("import {module}")]).output();
    if import.is_ok_and(|output| output.status.success()) {
        return Some(python);
    }
    assert!(std::env::var("TENGEN_CLIENTS").as_deref() != Ok("required"), "missing: {module}");
    println!("not tried, missing: {module}");
    None
}

/// The rules of Othello and Amazons are those of Fairy-Stockfish, in its own notation.
#[test]
fn pyffish_agrees_on_every_legal_move() {
    let Some(python) = client_python("pyffish") else { return };
    let output = Command::new(python)
        .arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("clients").join("pyffish_rules.py"))
        .args(["--adapter", &adapter("uci"), "--games", "200"])
        .output()
        .expect("python runs");
    let text = String::from_utf8_lossy(&output.stdout);
    let problem = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "pyffish_rules.py: {}\n{text}{problem}", output.status);
    println!("{text}");
}

/// A program without arguments, as clients want it that take nothing but a path.
#[cfg(unix)]
struct Script(PathBuf);

#[cfg(unix)]
impl Script {
    fn new(name: &str, line: &str) -> Script {
        use std::os::unix::fs::PermissionsExt;
        let path = std::env::temp_dir().join(format!("{name}-{}", std::process::id()));
        std::fs::write(&path, format!("#!/bin/sh\nexec {line}\n")).expect("a temporary file");
        std::fs::set_permissions(&path, PermissionsExt::from_mode(0o755)).expect("a mode");
        Script(path)
    }
}

#[cfg(unix)]
impl Drop for Script {
    fn drop(&mut self) {
        let _gone = std::fs::remove_file(&self.0);
    }
}

#[test]
#[cfg(unix)]
fn pygomo_plays_a_game() {
    let Some(python) = client_python("pygomo") else { return };
    let brain = Script::new("pbrain-tengen", &adapter("gomocup --seed 1"));
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("clients").join("pygomo.py");
    // The script has the name of the package, which Python would then find in the script's folder.
    let output = Command::new(python).arg("-I").arg(script).arg(&brain.0).output().expect("python3 runs");
    let text = String::from_utf8_lossy(&output.stdout);
    let problem = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "pygomo.py: {}\n{text}{problem}", output.status);
    println!("{text}");
}

/// The folder with the clients of `clients/package.json`, which `tests/run` makes.
fn node_modules(module: &str) -> Option<PathBuf> {
    let made = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/clients-node/node_modules");
    let folder = std::env::var_os("TENGEN_NODE_MODULES").map_or_else(made, PathBuf::from);
    if !have(&["node"]) {
        return None;
    }
    if folder.join(module).is_dir() {
        return Some(folder);
    }
    assert!(std::env::var("TENGEN_CLIENTS").as_deref() != Ok("required"), "missing: {module}");
    println!("not tried, missing: {module}");
    None
}

#[test]
fn sabaki_sets_up_navigates_analyzes_and_plays() {
    let Some(modules) = node_modules("@sabaki/gtp") else { return };
    let output = Command::new("node")
        .arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("clients").join("sabaki.cjs"))
        .arg(program())
        .args(["gtp", "--game", "nogo", "--nodes", "300"])
        // Where the script's own folder has none.
        .env("NODE_PATH", modules)
        .output()
        .expect("node runs");
    let text = String::from_utf8_lossy(&output.stdout);
    let problem = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "sabaki.cjs: {}\n{text}{problem}", output.status);
    println!("{text}");
}
