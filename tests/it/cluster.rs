//! Matches in shares, by the files of `tools/cluster` as users get them: a real Slurm on one node runs the
//! job array; of the Kubernetes manifests, the commands are run as the kubelet would.
//!
//! The shares, joined, must be the match that one run plays: every game, and what they come to.

#![expect(clippy::print_stdout, reason = "what the programs say belongs to the test's output")]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::clients::{client_python, have, program};

/// A folder that goes away with the test.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("tengen-cluster-{name}-{}", std::process::id()));
        fs::create_dir_all(&path).expect("a temporary folder");
        Folder(path)
    }

    fn join(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _gone = fs::remove_dir_all(&self.0);
    }
}

fn cluster(file: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../tools/cluster").join(file)
}

/// Runs a program to its end, which must be a good one; its output.
fn run(command: &mut Command) -> String {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let problem = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}: {}\n{text}{problem}", output.status);
    println!("{text}");
    text
}

/// The adapter, away from the cluster that these tests may themselves run on.
fn adapter() -> Command {
    let mut command = Command::new(program());
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("SLURM_") {
            command.env_remove(name);
        }
    }
    command.env_remove("JOB_COMPLETION_INDEX");
    command
}

/// Without what a clock said, which no two runs have in common.
fn timeless(value: &mut Value) {
    const CLOCK: [&str; 5] = ["times", "overhead", "started", "duration", "thinking"];
    match value {
        Value::Object(fields) => {
            fields.retain(|name, _| !CLOCK.contains(&name.as_str()));
            fields.values_mut().for_each(timeless);
        }
        Value::Array(items) => items.iter_mut().for_each(timeless),
        _ => {}
    }
}

/// The games of a folder in the order of the schedule.
fn games(folder: &Path) -> Vec<(u64, Value)> {
    let file = folder.join("games.jsonl");
    let text = fs::read_to_string(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    let game = |line: &str| {
        let mut game: Value = serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"));
        timeless(&mut game);
        (game["game"].as_u64().unwrap_or_else(|| panic!("no number: {line}")), game)
    };
    let mut games: Vec<(u64, Value)> = text.lines().map(game).collect();
    games.sort_by_key(|(number, _)| *number);
    games
}

fn result(folder: &Path) -> Value {
    let text = fs::read_to_string(folder.join("result.json")).expect("result.json");
    let mut result = serde_json::from_str(&text).expect("JSON");
    timeless(&mut result);
    result
}

/// The shares have each game once, about equally many, and joined they are the whole match.
fn assert_whole(shares: &[PathBuf], joined: &Path, whole: &Path, count: u64) {
    let mut seen = BTreeSet::new();
    for share in shares {
        let games = games(share);
        // A pair of games is never torn apart.
        let even = usize::try_from(count).expect("few games") / shares.len();
        assert!(games.len().abs_diff(even) <= 2, "{} has {} games", share.display(), games.len());
        for (number, _) in games {
            assert!(seen.insert(number), "game {number} was played twice");
        }
    }
    assert_eq!(seen, (1..=count).collect());
    for ((number, one), (_, other)) in games(joined).iter().zip(&games(whole)) {
        for field in one.as_object().expect("a game").keys() {
            assert_eq!(one[field], other[field], "{field} of game {number}");
        }
    }
    assert_eq!(games(joined), games(whole));
    assert_eq!(result(joined), result(whole));
    assert!(result(whole).as_object().is_some_and(|fields| !fields.is_empty()), "an empty result");
}

/// One share is requeued in the middle, as by preemption, and goes on.
#[test]
#[cfg(target_os = "linux")]
fn slurm_array_plays_the_match_of_one_run() {
    const GAMES: u64 = 24;
    const MATCH: &str = "--game nogo --size 5 --engine name=A,option.level=20 --engine name=B,option.level=5 \
                         --games 24 --nodes 20000 --seed 1";
    if !have(&["python3", "munged", "slurmctld", "slurmd", "sbatch"]) {
        return;
    }
    let folder = Folder::new("slurm");
    let shares: Vec<PathBuf> = (1..=4).map(|share| folder.join(&format!("shard-{share}-of-4"))).collect();
    let text = run(Command::new("python3")
        .arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("clients/slurm.py"))
        .args(["--timeout", "420", "--requeue", "2"])
        .arg(shares[1].join("games.jsonl"))
        .args(["--", "--array=1-4"])
        .arg(cluster("match.sbatch"))
        .arg(&folder.0)
        .args(MATCH.split_whitespace())
        .env_remove("JOB_COMPLETION_INDEX")
        .env("TENGEN_ADAPTER", program()));
    assert!(text.contains("share 2-of-4") && text.contains("restart 1"), "{text}");
    let joined = folder.join("all");
    run(adapter().args(["match", "merge", "--out"]).arg(&joined).args(&shares));
    let whole = folder.join("whole");
    run(adapter().arg("match").args(MATCH.split_whitespace()).arg("--out").arg(&whole));
    assert_whole(&shares, &joined, &whole, GAMES);
}

/// The documents of a YAML file.
fn documents(python: &Path, file: &str) -> Vec<Value> {
    const SCRIPT: &str = "import json, sys, yaml\nprint(json.dumps(list(yaml.safe_load_all(sys.stdin))))";
    let input = fs::File::open(cluster(file)).expect(file);
    let text = run(Command::new(python).args(["-c", SCRIPT]).stdin(input));
    serde_json::from_str(&text).expect("JSON")
}

/// The only container of a job, which must mount the claim at `/results`, and its command.
fn container(job: &Value, claim: &Value) -> Vec<String> {
    assert_eq!(job["kind"], "Job", "{job}");
    let pod = &job["spec"]["template"]["spec"];
    assert_eq!(pod["volumes"][0]["persistentVolumeClaim"]["claimName"], claim["metadata"]["name"]);
    let container = &pod["containers"][0];
    assert_eq!(container["volumeMounts"][0]["name"], pod["volumes"][0]["name"]);
    assert_eq!(container["volumeMounts"][0]["mountPath"], "/results");
    let words = container["args"].as_array().expect("args");
    words
        .iter()
        .map(|word| word.as_str().unwrap_or_else(|| panic!("{word} is not text")).to_owned())
        .collect()
}

/// The word behind an option.
fn after<'words>(words: &'words mut [String], option: &str) -> &'words mut String {
    let at = words.iter().position(|word| word == option).unwrap_or_else(|| panic!("{option}: {words:?}"));
    &mut words[at + 1]
}

#[test]
fn kubernetes_jobs_play_the_match_of_one_run() {
    const GAMES: u64 = 8;
    let Some(python) = client_python("yaml") else { return };
    let [claim, job] = &documents(&python, "kubernetes-match.yaml")[..] else { panic!("two documents") };
    let [merge] = &documents(&python, "kubernetes-merge.yaml")[..] else { panic!("one document") };
    assert_eq!(claim["kind"], "PersistentVolumeClaim");
    assert_eq!(job["spec"]["completionMode"], "Indexed");
    let count = job["spec"]["completions"].as_u64().expect("a number of shares");

    let folder = Folder::new("kubernetes");
    let here = |words: Vec<String>| -> Vec<String> {
        let path = folder.0.to_str().expect("UTF-8");
        words.iter().map(|word| word.replace("/results", path)).collect()
    };
    let mut words = here(container(job, claim));
    assert_eq!(*after(&mut words, "--shard"), format!("auto/{count}"));
    // The match of the example takes minutes.
    *after(&mut words, "--games") = GAMES.to_string();
    *after(&mut words, "--nodes") = "100".to_owned();
    let play = |index: u64| {
        let words = words.iter().map(|word| word.replace("$(JOB_COMPLETION_INDEX)", &index.to_string()));
        run(adapter().args(words).env("JOB_COMPLETION_INDEX", index.to_string()));
    };
    (0..count).for_each(play);

    // A pod that was lost after its last game is replaced, and has nothing to do.
    let shares: Vec<PathBuf> = (0..count).map(|index| folder.join(&format!("shard-{index}"))).collect();
    let journal = || fs::read(shares[1].join("games.jsonl")).expect("a journal");
    let before = journal();
    play(1);
    assert_eq!(journal(), before);

    let merging = here(container(merge, claim));
    assert_eq!(
        merging.iter().filter(|word| shares.iter().any(|share| share == Path::new(word))).count(),
        shares.len()
    );
    run(adapter().args(&merging));
    let whole = folder.join("whole");
    *after(&mut words, "--shard") = "1/1".to_owned();
    *after(&mut words, "--out") = whole.to_str().expect("UTF-8").to_owned();
    run(adapter().args(&words));
    assert_whole(&shares, &folder.join("all"), &whole, GAMES);
}
