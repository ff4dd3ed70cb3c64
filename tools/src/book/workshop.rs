//! A book in the making: searches its leaves, settles its values, saves it.

use std::path::PathBuf;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use tengen_engine::experts::othello::Expert;
use tengen_engine::experts::othello::book::{Book, Entry, Leaf, fold};
use tengen_engine::game::{Color, Move};
use tengen_engine::games::Setup;
use tengen_engine::games::othello::board::Standard;
use tengen_engine::games::othello::{Othello, pattern};
use tengen_engine::search::Searcher as _;

use super::record::Record;
use super::{read, write};
use crate::data::work;
use crate::engine;

/// Time between savings.
const SAVED_EVERY: Duration = Duration::from_secs(60);
/// Positions searched with one table: to get an empty one costs as much as a shallow search.
const GROUP: usize = 8;
/// Positions searched between looks at the time.
const AT_ONCE: usize = 256;

/// How a book is made.
#[derive(clap::Args, Debug)]
pub(crate) struct Making {
    /// The book to begin with; a new one where there is no such file.
    pub(crate) book: PathBuf,
    /// The book to write, the same one if not given; where it is there already, it is gone on with.
    #[arg(long)]
    pub(crate) out: Option<PathBuf>,
    /// Depth of the searches in plies; leaves of less are searched again.
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=60))]
    pub(crate) depth: u32,
    /// Threads.
    #[arg(long, default_value_t = 1)]
    pub(crate) jobs: usize,
    /// MiB of each thread's table.
    #[arg(long, default_value_t = 8, value_parser = clap::value_parser!(u64).range(1..=4096))]
    pub(crate) hash: u64,
    /// File of weights to search with, in place of those built in.
    #[arg(long)]
    pub(crate) weights: Option<PathBuf>,
    /// Goes on with a book whose values come from other weights.
    #[arg(long)]
    pub(crate) mixed: bool,
}

/// A book, and what is needed to add to it.
#[derive(Debug)]
pub(crate) struct Workshop {
    /// The book.
    pub(crate) book: Book,
    out: PathBuf,
    depth: u32,
    jobs: usize,
    hash: u64,
    saved: Instant,
    /// Searches done.
    pub(crate) searches: u64,
}

impl Workshop {
    /// Opens the book to be made, by a command that may tell the one before.
    ///
    /// # Errors
    /// A file that cannot be read, or a book of other weights.
    pub(crate) fn open(making: &Making, command: impl FnOnce(&str) -> String) -> Result<Workshop, String> {
        let setup = Setup::parse(["othello", "size", "8"]).map_err(|error| error.to_string())?;
        engine::install(making.weights.as_deref(), &setup)?;
        let out = making.out.as_ref().unwrap_or(&making.book);
        if out.extension().is_some_and(|extension| extension == "toml") {
            return Err(format!("{}: the record beside the book would have this name", out.display()));
        }
        let weights = pattern::weights().checksum();
        let mut book = match [out, &making.book].into_iter().find(|path| path.exists()) {
            None => Book::new(weights),
            Some(path) => {
                let book = read(path)?;
                if book.weights != weights && !making.mixed {
                    return Err(format!(
                        "{}: its values come from the weights {:016x}, not {weights:016x}: name a new file, \
                         or mix them by --mixed",
                        path.display(),
                        book.weights
                    ));
                }
                book
            }
        };
        (book.weights, book.command) = (weights, command(&book.command));
        let &Making { depth, jobs, hash, .. } = making;
        Ok(Workshop { book, out: out.clone(), depth, jobs, hash, saved: Instant::now(), searches: 0 })
    }

    /// Adds positions whose side to move has a move, searches all leaves that are missing then and settles
    /// all values. Saves every minute.
    ///
    /// # Errors
    /// When the book cannot be saved.
    pub(crate) fn extend(&mut self, positions: impl IntoIterator<Item = (u64, u64)>) -> Result<(), String> {
        let bare = positions.into_iter().map(|(own, opp)| fold(own, opp));
        let new: Vec<Entry> = bare
            .filter(|&(own, opp)| self.book.find(own, opp).is_none())
            .map(|(own, opp)| Entry { own, opp, value: 0, leaf: None })
            .collect();
        self.book.insert(new);
        let lacking = |entry: &&Entry| self.book.lacks_leaf(entry);
        let due: Vec<Entry> = self.book.entries().iter().filter(lacking).copied().collect();
        self.search(&due)
    }

    /// Searches the leaves again that are not deep enough, until then at the latest. Saves every minute.
    ///
    /// # Errors
    /// When the book cannot be saved.
    pub(crate) fn deepen(&mut self, until: Option<Instant>) -> Result<(), String> {
        let shallow = |leaf: Leaf| u32::from(leaf.depth) < self.depth;
        let due: Vec<Entry> = (self.book.entries().iter())
            .filter(|entry| entry.leaf.is_some_and(shallow) && !entry.solved())
            .copied()
            .collect();
        if due.is_empty() {
            return Ok(());
        }
        let bar = work::bar(due.len() as u64, "leaves searched again")?;
        for part in due.chunks(AT_ONCE) {
            if until.is_some_and(|until| Instant::now() >= until) {
                break;
            }
            self.search(part)?;
            bar.inc(part.len() as u64);
        }
        bar.finish_and_clear();
        Ok(())
    }

    fn search(&mut self, entries: &[Entry]) -> Result<(), String> {
        let done = self.searched(entries)?;
        self.searches += done.len() as u64;
        self.book.insert(done);
        self.book.settle();
        if self.saved.elapsed() >= SAVED_EVERY { self.save() } else { Ok(()) }
    }

    /// The entries with their leaves, none where no move leads out of the book. Each group begins with an
    /// empty table, so that the book does not depend on the number of threads.
    fn searched(&self, entries: &[Entry]) -> Result<Vec<Entry>, String> {
        let done = Mutex::new(Vec::with_capacity(entries.len()));
        let start = || Ok(Expert::new(self.hash));
        let groups: Vec<&[Entry]> = entries.chunks(GROUP).collect();
        work::share(&groups, self.jobs, start, |expert, group| {
            expert.clear();
            for entry in *group {
                let leaf = self.leaf(expert, entry);
                done.lock().map_err(|_| "a thread failed")?.push(Entry { leaf, ..*entry });
            }
            Ok(())
        })?;
        done.into_inner().map_err(|_| "a thread failed".to_owned())
    }

    fn leaf(&self, expert: &mut Expert, entry: &Entry) -> Option<Leaf> {
        let position = Othello::<Standard>::new(entry.own, entry.opp, Color::Black);
        let links: Vec<Move> =
            self.book.links(entry.own, entry.opp).map(|(square, _)| Move::new(square)).collect();
        expert.study(&position, &links, self.depth).map(|study| Leaf {
            square: study.mv.raw() as u8,
            value: study.value as i8,
            depth: study.depth as u8,
            selectivity: study.selectivity as u8,
        })
    }

    /// Writes the book.
    ///
    /// # Errors
    /// One line that names the file.
    fn save(&mut self) -> Result<(), String> {
        write(&self.out, &self.book)?;
        self.saved = Instant::now();
        Ok(())
    }

    /// Writes the book and the record beside it.
    ///
    /// # Errors
    /// One line that names the file.
    pub(crate) fn finish(&mut self) -> Result<Record, String> {
        self.save()?;
        let record = Record::of(&self.book);
        record.write(&self.out)?;
        Ok(record)
    }

    /// Where the book is written to.
    pub(crate) fn out(&self) -> std::path::Display<'_> {
        self.out.display()
    }
}
