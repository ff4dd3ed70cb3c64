//! The folder of a match: what was agreed (`match.json`) and the games that are finished (`games.jsonl`, a
//! line each). A game is on the disk before it counts, so that a match can be broken off at any moment.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::record::Finished;
use super::statistics::{Model, Sprt};

const PLAN: &str = "match.json";
const GAMES: &str = "games.jsonl";

/// What was agreed before the first game. Matches with the same plan, but for their shares, are one match.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Plan {
    /// The engines in the order of the command line.
    pub engines: Vec<String>,
    /// Games in the whole schedule.
    pub games: u32,
    /// The share that is played here, `2/4`, when it is not all.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub shard: Option<String>,
    /// Bounds of the sequential test, when there is one.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub sprt: Option<Value>,
    /// Everything else that the results depend on: set-up, engines, limits, openings, seed.
    pub terms: Map<String, Value>,
}

impl Plan {
    /// The sequential test, if there is one.
    ///
    /// # Errors
    /// When the plan has a test that there is not.
    pub fn test(&self) -> Result<Option<Sprt>, String> {
        let Some(value) = &self.sprt else { return Ok(None) };
        let pair = |name: &str| {
            let both = value.get(name).and_then(Value::as_array);
            let both = both.map(|both| both.iter().filter_map(Value::as_f64).collect::<Vec<_>>());
            both.and_then(|both| <[f64; 2]>::try_from(both).ok())
                .ok_or_else(|| format!("{PLAN}: sprt has no {name}"))
        };
        let model = value.get("model").and_then(Value::as_str).unwrap_or_default();
        let model: Model = model.parse().map_err(|error| format!("{PLAN}: {error}"))?;
        test(pair("elo")?, pair("errors")?, model).map(Some)
    }

    /// What is different in another plan, if anything: the name and both values.
    #[must_use]
    pub fn difference(&self, other: &Plan) -> Option<String> {
        let fields = |plan: &Plan| {
            let mut all = plan.terms.clone();
            all.insert("engines".into(), plan.engines.clone().into());
            all.insert("games".into(), plan.games.into());
            all.insert("sprt".into(), plan.sprt.clone().unwrap_or_default());
            all
        };
        let (ours, theirs) = (fields(self), fields(other));
        let names = ours.keys().chain(theirs.keys());
        let text = |value: Option<&Value>| value.map_or_else(|| "nothing".to_owned(), Value::to_string);
        names.into_iter().find(|&name| ours.get(name) != theirs.get(name)).map(|name| {
            format!("{name} is {} here and {} there", text(ours.get(name)), text(theirs.get(name)))
        })
    }
}

/// A sequential test on pairs from the numbers of the command line or of a plan.
///
/// # Errors
/// When there is no such test.
pub(super) fn test(elo: [f64; 2], errors: [f64; 2], model: Model) -> Result<Sprt, String> {
    Sprt::new(elo[0], elo[1], errors[0], errors[1], model, true).map_err(|error| error.to_string())
}

/// The folder of a match that is being played.
#[derive(Debug)]
pub struct Journal {
    folder: PathBuf,
    games: File,
    /// Held as long as the match is played: two runners would spoil each other's journal.
    _lock: File,
}

fn told(path: &Path) -> impl Fn(io::Error) -> String {
    move |error| format!("{}: {error}", path.display())
}

impl Journal {
    /// Begins a match in a folder, which is made when it is not there; or, with `recover`, goes on with the
    /// one that is there. Gives the games finished before.
    ///
    /// # Errors
    /// When the folder cannot be used, holds another match, or is in use.
    pub fn open(folder: &Path, plan: &Plan, recover: bool) -> Result<(Journal, Vec<Finished>), String> {
        fs::create_dir_all(folder).map_err(told(folder))?;
        let path = folder.join("lock");
        let lock = File::create(&path).map_err(told(&path))?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                return Err(format!("{}: another match is being played here", folder.display()));
            }
            Err(TryLockError::Error(error)) => return Err(told(&path)(error)),
        }
        let path = folder.join(GAMES);
        let begun = fs::metadata(&path).is_ok_and(|file| file.len() > 0);
        if begun && !recover {
            return Err(format!(
                "{} holds a match already: go on with it by --recover, or use another --out",
                folder.display()
            ));
        }
        if begun {
            let old = read_plan(folder)?;
            // The schedule of more games begins with that of fewer, but for a ladder's, whose rungs get longer,
            // and for shares, which are parts of the whole.
            let longer = plan.games > old.games
                && plan.shard.is_none()
                && plan.terms.get("tournament").and_then(Value::as_str) != Some("ladder");
            let known = if longer { Plan { games: plan.games, ..old.clone() } } else { old.clone() };
            if let Some(difference) = plan.difference(&known) {
                return Err(format!("{} holds another match: {difference}", folder.display()));
            }
            if plan.shard != old.shard {
                return Err(format!("{} holds another share of the match", folder.display()));
            }
            if longer {
                write_plan(folder, plan)?;
            }
        } else {
            write_plan(folder, plan)?;
        }
        let mut games = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(&path)
            .map_err(told(&path))?;
        let finished = if begun { recovered(&mut games, &path)? } else { Vec::new() };
        sync_folder(folder);
        Ok((Journal { folder: folder.to_owned(), games, _lock: lock }, finished))
    }

    /// The folder.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Adds a game; it is on the disk when this returns.
    ///
    /// # Errors
    /// When it could not be written.
    pub fn append(&mut self, game: &Finished) -> Result<(), String> {
        let path = self.folder.join(GAMES);
        let mut line = serde_json::to_string(game).map_err(|error| error.to_string())?;
        line.push('\n');
        self.games.write_all(line.as_bytes()).and_then(|()| self.games.sync_data()).map_err(told(&path))
    }
}

/// Reads the games of a journal and cuts off what a runner that was killed has left of a last line.
fn recovered(file: &mut File, path: &Path) -> Result<Vec<Finished>, String> {
    let mut text = Vec::new();
    file.read_to_end(&mut text).map_err(told(path))?;
    let whole = text.iter().rposition(|&byte| byte == b'\n').map_or(0, |at| at + 1);
    let games = parse(text.get(..whole).unwrap_or_default(), path)?;
    file.set_len(u64::try_from(whole).unwrap_or(u64::MAX))
        .and_then(|()| file.seek(SeekFrom::End(0)))
        .map_err(told(path))?;
    Ok(games)
}

fn parse(text: &[u8], path: &Path) -> Result<Vec<Finished>, String> {
    let mut games: Vec<Finished> = Vec::new();
    let mut seen = std::collections::HashSet::new();
    for (index, line) in text.split(|&byte| byte == b'\n').enumerate() {
        if line.is_empty() {
            continue;
        }
        let game: Finished = serde_json::from_slice(line)
            .map_err(|error| format!("{}: line {}: {error}", path.display(), index + 1))?;
        if !seen.insert(game.game) {
            return Err(format!("{}: line {}: game {} is there twice", path.display(), index + 1, game.game));
        }
        games.push(game);
    }
    Ok(games)
}

/// The plan of a folder.
///
/// # Errors
/// When there is none that can be read.
pub fn read_plan(folder: &Path) -> Result<Plan, String> {
    let path = folder.join(PLAN);
    let text = fs::read_to_string(&path).map_err(told(&path))?;
    serde_json::from_str(&text).map_err(|error| format!("{}: {error}", path.display()))
}

/// The finished games of a folder, in the order they ended; a last line that is not whole is left out.
///
/// # Errors
/// When the journal cannot be read.
pub fn read_games(folder: &Path) -> Result<Vec<Finished>, String> {
    let path = folder.join(GAMES);
    let text = fs::read(&path).map_err(told(&path))?;
    let whole = text.iter().rposition(|&byte| byte == b'\n').map_or(0, |at| at + 1);
    parse(text.get(..whole).unwrap_or_default(), &path)
}

/// Writes a file as a whole or not at all.
///
/// # Errors
/// When it could not be written.
pub fn write(path: &Path, text: &str) -> Result<(), String> {
    let mut draft = path.as_os_str().to_owned();
    draft.push(".new");
    let draft = PathBuf::from(draft);
    let written = File::create(&draft).and_then(|mut file| {
        file.write_all(text.as_bytes())?;
        file.sync_all()
    });
    written.and_then(|()| fs::rename(&draft, path)).map_err(told(path))
}

/// JSON for people: indented, with a newline at the end.
///
/// # Errors
/// When a value has no form in JSON.
pub fn json(value: &impl Serialize) -> Result<String, String> {
    serde_json::to_string_pretty(value).map(|text| text + "\n").map_err(|error| error.to_string())
}

/// A new file is there after a loss of power only when its folder is on the disk too.
fn sync_folder(folder: &Path) {
    if cfg!(unix)
        && let Err(error) = File::open(folder).and_then(|folder| folder.sync_all())
    {
        log::warn!(target: "arena", "{}: {error}", folder.display());
    }
}

/// Writes a journal of its own from games that are finished elsewhere.
///
/// # Errors
/// When it could not be written.
pub fn write_games(folder: &Path, games: &[Finished]) -> Result<(), String> {
    let mut text = String::new();
    for game in games {
        text.push_str(&serde_json::to_string(game).map_err(|error| error.to_string())?);
        text.push('\n');
    }
    write(&folder.join(GAMES), &text)
}

/// Writes the plan of a folder.
///
/// # Errors
/// When it could not be written.
pub fn write_plan(folder: &Path, plan: &Plan) -> Result<(), String> {
    write(&folder.join(PLAN), &json(plan)?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arena::record::{End, Started, Verdict};

    struct Folder(PathBuf);

    impl Folder {
        fn new(name: &str) -> Folder {
            let path = std::env::temp_dir().join(format!("tengen-journal-{name}-{}", std::process::id()));
            let _none = fs::remove_dir_all(&path);
            Folder(path)
        }
    }

    impl Drop for Folder {
        fn drop(&mut self) {
            let _gone = fs::remove_dir_all(&self.0);
        }
    }

    fn plan(seed: u64) -> Plan {
        let terms = [("seed".to_owned(), Value::from(seed))].into_iter().collect();
        Plan { engines: vec!["A".into(), "B".into()], games: 4, shard: None, sprt: None, terms }
    }

    fn game(number: u32) -> Finished {
        Finished {
            game: number,
            pair: number.div_ceil(2),
            setup: "nogo size 9 rules standard".into(),
            black: "A".into(),
            white: "B".into(),
            opening: Started::default(),
            moves: vec!["e5".into()],
            result: Verdict::Black,
            score: "black+".into(),
            end: End::Resignation,
            reason: "white resigns".into(),
            forfeit: None,
            times: vec![0.1],
            chances: vec![Some(0.5)],
            overhead: None,
            started: 0,
            duration: 0.2,
        }
    }

    #[test]
    fn games_survive_and_a_torn_line_does_not() {
        let folder = Folder::new("torn");
        let (mut journal, games) = Journal::open(&folder.0, &plan(1), false).unwrap();
        assert!(games.is_empty());
        journal.append(&game(2)).unwrap();
        journal.append(&game(1)).unwrap();
        drop(journal);
        let path = folder.0.join(GAMES);
        let whole = fs::read(&path).unwrap();
        for torn in 1..whole.len() / 2 {
            fs::write(&path, &whole[..whole.len() - torn]).unwrap();
            let (mut journal, games) = Journal::open(&folder.0, &plan(1), true).unwrap();
            assert_eq!(games.iter().map(|game| game.game).collect::<Vec<_>>(), [2]);
            journal.append(&game(1)).unwrap();
            assert_eq!(fs::read(&path).unwrap(), whole);
        }
        assert_eq!(read_games(&folder.0).unwrap(), [game(2), game(1)]);
    }

    #[test]
    fn a_match_is_not_overwritten_and_not_mixed_with_another() {
        let folder = Folder::new("other");
        let (mut journal, _) = Journal::open(&folder.0, &plan(1), true).unwrap();
        let error = Journal::open(&folder.0, &plan(1), true).unwrap_err();
        assert!(error.ends_with("another match is being played here"), "{error}");
        journal.append(&game(1)).unwrap();
        drop(journal);
        let error = Journal::open(&folder.0, &plan(1), false).unwrap_err();
        assert!(error.contains("--recover"), "{error}");
        let error = Journal::open(&folder.0, &plan(2), true).unwrap_err();
        assert!(error.ends_with("seed is 2 here and 1 there"), "{error}");
        let fewer = Plan { games: 2, ..plan(1) };
        assert!(Journal::open(&folder.0, &fewer, true).unwrap_err().ends_with("games is 2 here and 4 there"));
        let share = Plan { shard: Some("1/2".into()), ..plan(1) };
        assert!(Journal::open(&folder.0, &share, true).unwrap_err().ends_with("another share of the match"));
        let more = Plan { games: 8, ..plan(1) };
        assert_eq!(Journal::open(&folder.0, &more, true).unwrap().1, [game(1)]);
        assert_eq!(read_plan(&folder.0).unwrap(), more);
    }

    #[test]
    fn a_damaged_journal_is_named_by_its_line() {
        let folder = Folder::new("damaged");
        let (mut journal, _) = Journal::open(&folder.0, &plan(1), false).unwrap();
        journal.append(&game(1)).unwrap();
        drop(journal);
        let path = folder.0.join(GAMES);
        let whole = fs::read_to_string(&path).unwrap();
        for (text, problem) in [
            (format!("{whole}nonsense\n{whole}"), "games.jsonl: line 2: "),
            (format!("{whole}{whole}"), "games.jsonl: line 2: game 1 is there twice"),
        ] {
            fs::write(&path, text).unwrap();
            let error = Journal::open(&folder.0, &plan(1), true).unwrap_err();
            assert!(error.contains(problem), "{error}");
        }
    }
}
