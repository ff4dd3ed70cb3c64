//! Every command that the tools' README shows works, in the order in which it is shown.

use std::path::{Path, PathBuf};
use std::process::Command;

/// The command lines of the `sh` blocks, continued lines joined.
fn commands(text: &str) -> Vec<String> {
    let (mut found, mut pending, mut inside) = (Vec::new(), String::new(), false);
    for line in text.lines().map(str::trim) {
        if let Some(name) = line.strip_prefix("```") {
            inside = name == "sh";
        } else if inside && !line.is_empty() && !line.starts_with('#') {
            match line.strip_suffix('\\') {
                Some(part) => pending.push_str(part),
                None => found.push(std::mem::take(&mut pending) + line),
            }
        }
    }
    found
}

struct Scratch(PathBuf);

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[test]
fn commands_of_the_readme_run() {
    let scratch = Scratch(std::env::temp_dir().join(format!("tengen-tools-readme-{}", std::process::id())));
    std::fs::create_dir_all(&scratch.0).expect("a temporary folder");
    let tools = Path::new(env!("CARGO_BIN_EXE_tengen-tools"));
    let lines = commands(include_str!("../README.md"));
    let (mut ran, mut left) = (0, 0);
    for line in lines {
        // The adapter and the daemon are built by other packages; `tests/it/docs.rs` runs such lines.
        if !line.starts_with("tengen-tools") || line.contains(" latency ") {
            left += 1;
            continue;
        }
        let line = line.replacen("tengen-tools", &format!("'{}'", tools.display()), 1);
        let output = Command::new("sh").arg("-c").arg(&line).current_dir(&scratch.0).output().expect("sh");
        let said = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{line}\n{said}");
        ran += 1;
    }
    assert_eq!((ran, left), (5, 2));
    for made in ["curve.csv", "curve.svg", "record.toml", "weights.bin"] {
        assert!(scratch.0.join("data/weights").join(made).exists(), "{made}");
    }
}
