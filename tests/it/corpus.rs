//! What fuzzing has found worth keeping is replayed: see "Fuzzing" in `CONTRIBUTING.md`.

use std::fs;
use std::path::{Path, PathBuf};

use tengen_tests::TARGETS;

fn files(target: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus").join(target);
    let entries = fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.expect("a readable folder").path()).collect();
    files.sort();
    files
}

/// Replays the cases of every target whose number gives `part` by 3, so that the runner has something to
/// do at the same time.
fn replay(part: usize) {
    for (number, (name, target)) in TARGETS.into_iter().enumerate() {
        if number % 3 != part {
            continue;
        }
        let files = files(name);
        assert!(!files.is_empty(), "{name}: no cases");
        for file in files {
            let data = fs::read(&file).expect("a readable file");
            let outcome = std::panic::catch_unwind(|| target(&data));
            assert!(outcome.is_ok(), "{}", file.display());
        }
    }
}

#[test]
fn cases_found_by_fuzzing_first_part() {
    replay(0);
}

#[test]
fn cases_found_by_fuzzing_second_part() {
    replay(1);
}

#[test]
fn cases_found_by_fuzzing_third_part() {
    replay(2);
}

/// Every target can be run, and no other.
#[test]
fn targets_are_those_of_the_fuzzer() {
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tools/fuzz/Cargo.toml");
    let manifest = fs::read_to_string(manifest).expect("the fuzzer's manifest");
    let named: Vec<&str> = manifest
        .lines()
        .filter_map(|line| line.strip_prefix("path = \"targets/")?.strip_suffix(".rs\""))
        .collect();
    assert_eq!(named, TARGETS.map(|(name, _)| name));
}
