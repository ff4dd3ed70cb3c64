//! Growth by drop-out expansion: T. R. Lincke, "Strategies for the automatic construction of opening
//! books", 2000.
//!
//! What is added next is the move out of the book that costs least: the discs that all moves from the
//! start to it lose against the best ones, of either side, and a share for every ply, so that a line
//! drops out for the next one, the longer it is. Without that share the best line alone would grow.

use std::io::Write;
use std::time::{Duration, Instant};

use tengen_engine::experts::othello::book::{Book, Entry, Link, fold};
use tengen_engine::game::{Color, Game as _, Move, random};
use tengen_engine::games::othello::Othello;
use tengen_engine::games::othello::board::Standard;

use super::workshop::{Making, Workshop};
use crate::data::work;

/// Costs count quarters of a disc.
const DISC: u32 = 4;

/// Growing a book.
#[derive(clap::Args, Debug)]
#[command(group = clap::ArgGroup::new("end").required(true).multiple(true))]
pub(crate) struct Args {
    #[command(flatten)]
    making: Making,
    /// Positions wanted in all; the same command goes on where it was interrupted.
    #[arg(long, group = "end")]
    positions: Option<u64>,
    /// Seconds to go on for.
    #[arg(long, group = "end")]
    seconds: Option<u64>,
    /// Discs both sides together may lose on the way to a position.
    #[arg(long, default_value_t = 16, value_parser = clap::value_parser!(u32).range(0..=128))]
    error: u32,
    /// Quarters of a disc that a ply counts: few make long lines, many a broad book.
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u32).range(0..=64))]
    ply: u32,
    /// Seed of the order among moves that cost the same.
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

impl Args {
    fn command(&self, before: &str) -> String {
        let command = format!(
            "tengen-tools book grow --depth {} --hash {} --error {} --ply {} --seed {}",
            self.making.depth, self.making.hash, self.error, self.ply, self.seed
        );
        super::after(before, command)
    }
}

/// Grows a book; writes to `report` what there is then.
///
/// # Errors
/// A file that cannot be read or written, or a book of other weights.
pub(crate) fn run(args: &Args, report: &mut dyn Write) -> Result<(), String> {
    let started = Instant::now();
    let until = args.seconds.map(|seconds| started + Duration::from_secs(seconds));
    let wanted = args.positions.unwrap_or(u64::MAX);
    let mut workshop = Workshop::open(&args.making, |before| args.command(before))?;
    workshop.deepen(until)?;
    let start = Othello::<Standard>::start();
    if workshop.book.find(start.own(), start.opp()).is_none() {
        workshop.extend([(start.own(), start.opp())])?;
    }

    let bar = match (args.positions, args.seconds) {
        (Some(positions), _) => work::bar(positions, "positions")?,
        (None, seconds) => work::bar(seconds.unwrap_or_default(), "seconds")?,
    };
    let mut ended = "";
    loop {
        let count = workshop.book.entries().len() as u64;
        bar.set_position(if args.positions.is_some() { count } else { started.elapsed().as_secs() });
        if count >= wanted || until.is_some_and(|until| Instant::now() >= until) {
            break;
        }
        // The more there is, the less a few more positions change which ones come next.
        let most = (count / 256).clamp(8, 128) as usize;
        let next = cheapest(&workshop.book, args, most);
        if next.is_empty() {
            ended = "; no other move is worth adding";
            break;
        }
        workshop.extend(next)?;
    }
    bar.finish_and_clear();
    let record = workshop.finish()?;
    writeln!(
        report,
        "{}: {}; {} searches in {:.1} s{ended}",
        workshop.out(),
        record,
        workshop.searches,
        started.elapsed().as_secs_f64()
    )
    .map_err(|error| error.to_string())
}

/// What it costs to come to a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Cost {
    all: u32,
    /// Discs lost.
    lost: u32,
}

impl Cost {
    fn after(self, entry: &Entry, value: i32, ply: u32) -> Cost {
        let lost = (i32::from(entry.value) - value).unsigned_abs();
        Cost { all: self.all + DISC * lost + ply, lost: self.lost + lost }
    }
}

/// The positions behind the cheapest moves out of the book, at most so many.
fn cheapest(book: &Book, args: &Args, most: usize) -> Vec<(u64, u64)> {
    let mut moves: Vec<(Cost, u64, (u64, u64))> = Vec::new();
    for (entry, cost) in costs(book, args.ply) {
        let Some(leaf) = entry.leaf.filter(|_| !entry.solved()) else { continue };
        let cost = cost.after(&entry, i32::from(leaf.value), args.ply);
        if cost.lost > args.error {
            continue;
        }
        let mut position = Othello::<Standard>::new(entry.own, entry.opp, Color::Black);
        position.play(Move::new(u32::from(leaf.square)));
        if position.is_legal(Move::PASS) {
            position.play(Move::PASS);
        }
        let folded = fold(position.own(), position.opp());
        let lot = random::mix(folded.0 ^ random::mix(folded.1 ^ random::mix(args.seed)));
        moves.push((cost, lot, folded));
    }
    moves.sort_unstable();
    // Several positions may have a move to the same one.
    moves.dedup_by_key(|&mut (_, _, folded)| folded);
    moves.truncate(most);
    moves.into_iter().map(|(_, _, folded)| folded).collect()
}

/// The positions that can be reached from the start, with the cost of the cheapest way. A move adds a
/// disc, so that all ways to a position have been seen before those from it, in the order of discs.
fn costs(book: &Book, ply: u32) -> Vec<(Entry, Cost)> {
    let entries = book.entries();
    let mut order: Vec<usize> = (0..entries.len()).collect();
    order.sort_by_key(|&index| (entries[index].own | entries[index].opp).count_ones());
    let mut costs: Vec<Option<Cost>> = vec![None; entries.len()];
    let start = Othello::<Standard>::start();
    if let Some(index) = book.find(start.own(), start.opp()) {
        costs[index] = Some(Cost { all: 0, lost: 0 });
    }
    let mut reached = Vec::new();
    for index in order {
        let Some(cost) = costs[index] else { continue };
        let entry = entries[index];
        for (_, link) in book.links(entry.own, entry.opp) {
            if let Link::Held { index, value, .. } = link {
                let next = cost.after(&entry, value, ply);
                costs[index] = Some(costs[index].map_or(next, |known| known.min(next)));
            }
        }
        reached.push((entry, cost));
    }
    reached
}

#[cfg(test)]
mod tests {
    use clap::Parser;
    use tengen_engine::experts::othello::book::Leaf;
    use tengen_engine::games::othello::board::squares;

    use super::*;

    #[derive(Parser)]
    struct Cli {
        #[command(flatten)]
        args: Args,
    }

    /// The entry of a position with the value of its leaf, the first move that is not left out.
    fn entry(position: &Othello<Standard>, left_out: Option<u32>, value: i8) -> Entry {
        let mut out = squares(position.mobility()).filter(|&square| Some(square) != left_out);
        let leaf = Leaf { square: out.next().unwrap() as u8, value, depth: 9, selectivity: 0 };
        Entry { own: position.own(), opp: position.opp(), value: 0, leaf: Some(leaf) }
    }

    #[test]
    fn the_cheapest_move_is_next() {
        // Start - first - second: the first has a move out that loses three discs, the second its best.
        let start = Othello::<Standard>::start();
        let mut first = start;
        first.play(Move::new(37));
        let (own, opp) = fold(first.own(), first.opp());
        let first = Othello::<Standard>::new(own, opp, Color::White);
        let mv = squares(first.mobility()).last().unwrap();
        let mut second = first;
        second.play(Move::new(mv));
        let (own, opp) = fold(second.own(), second.opp());
        let second = Othello::<Standard>::new(own, opp, Color::Black);
        let mut book = Book::default();
        book.insert([
            Entry { own: start.own(), opp: start.opp(), value: 0, leaf: None },
            entry(&first, Some(mv), -5),
            entry(&second, None, 2),
        ]);
        book.settle();
        book.check().unwrap();

        let next = |words: &str| {
            let words = format!("grow book --depth 9 --positions 9 {words}");
            let args = Cli::parse_from(words.split(' ')).args;
            let empty = |&(own, opp): &(u64, u64)| (own | opp).count_zeros();
            cheapest(&book, &args, 8).iter().map(empty).collect::<Vec<_>>()
        };
        assert_eq!(next("--ply 1"), [57, 58], "3 quarters of a disc, and 12 + 2");
        assert_eq!(next("--ply 11"), [57, 58], "33 and 12 + 22");
        assert_eq!(next("--ply 13"), [58, 57], "39 and 12 + 26");
        assert_eq!(next("--error 2"), [57]);
        assert_eq!(next("--error 3"), [57, 58]);
    }
}
