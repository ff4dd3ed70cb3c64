//! Trains the weights of the Othello evaluation (8x8).
//!
//! The weights in `engine/src/games/othello/weights.bin` were made by
//!
//! ```text
//! tengen-tools othello-eval WTHOR engine/src/games/othello/weights.bin
//! ```
//!
//! with the folder `WTHOR` holding the WTHOR base of the Fédération Française d'Othello, the files
//! `WTH_1977.wtb` to `WTH_2025.wtb` (137,548 games of people). It takes about seven minutes of one core
//! and 0.6 GB.
//!
//! Labels, for the side to move, in discs:
//!
//! * up to [`EXACT`] empty squares: the exact result, by solving every position of the games;
//! * from the depth of the base's theoretical score up (24 empty squares): that score;
//! * in between: a blend of the two, linear in the number of empty squares.
//!
//! Weights are fitted by stochastic gradient descent, one stage after the other from the end of the
//! game to its beginning. In a second round the labels of the middle game and the opening are mostly
//! replaced by what the first weights say after a short search, which people's later blunders do not
//! disturb, and positions after random moves are added, so that the weights also know positions no
//! player would go for.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use rand::rngs::Xoshiro256PlusPlus;
use rand::{RngExt, SeedableRng};
use tengen_engine::games::othello::board::{Shape, Standard, squares};
use tengen_engine::games::othello::pattern::{self, SIZE, STAGES, TERMS as FEATURES, Weights};

/// Positions with at most this many empty squares are solved.
const EXACT: u32 = 12;

/// Passes over the samples of a stage, in the first and in the second round.
const EPOCHS: [usize; 2] = [3, 7];

/// Step of the gradient descent, in the first and in the last epoch: the share of its error that a
/// sample moves each of its [`FEATURES`] weights by.
const STEP: (f32, f32) = (0.004, 0.0006);

/// One game in this many is kept for validation.
const HELD_OUT: usize = 50;

/// Plies of the search that labels middle game positions in the second round.
const LABEL_DEPTH: u32 = 2;

/// Share of the search's value in those labels.
const SEARCHED: f32 = 0.7;

/// Random positions added for each game in the second round.
const STRAYS: usize = 3;

/// Largest score in discs.
const MAX: i32 = 64;

/// A position with discs of the side to move and of the other side, and what it is worth.
#[derive(Clone, Copy)]
struct Sample {
    own: u64,
    opp: u64,
    label: f32,
}

impl Sample {
    fn empty(&self) -> u32 {
        (!(self.own | self.opp)).count_ones()
    }
}

/// Reads `ARGUMENTS: folder output`, trains, writes the file and returns a report.
///
/// # Errors
/// A message when a file cannot be read or written.
pub(crate) fn main(arguments: &[String]) -> Result<String, String> {
    let [folder, output] = arguments else {
        return Err("expected: othello-eval FOLDER-OF-WTB-FILES OUTPUT".to_owned());
    };
    let mut report = String::new();
    let games = read_games(Path::new(folder))?;
    let _ = writeln!(report, "{} games", games.len());
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);

    let first = train(&games, &[], EPOCHS[0], &mut rng, &mut report);
    let first = Weights::read(&Weights::encode(&first))?;
    let (games, strays) = relabel(&games, &first, &mut rng);
    let second = Weights::encode(&train(&games, &strays, EPOCHS[1], &mut rng, &mut report));
    Weights::read(&second)?;
    fs::write(output, &second).map_err(|error| format!("{output}: {error}"))?;
    let _ = writeln!(report, "{} bytes in {output}", second.len());
    Ok(report)
}

/// The positions of every game, in order, with first labels.
fn read_games(folder: &Path) -> Result<Vec<Vec<Sample>>, String> {
    let failed = |error: std::io::Error| format!("{}: {error}", folder.display());
    let mut files: Vec<_> = fs::read_dir(folder)
        .map_err(failed)?
        .filter_map(|entry| entry.ok().map(|entry| entry.path()))
        .filter(|path| path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("wtb")))
        .collect();
    files.sort();
    let mut games = Vec::new();
    for file in files {
        let bytes = fs::read(&file).map_err(failed)?;
        let Some((header, records)) = bytes.split_at_checked(16) else { continue };
        if !matches!(header[12], 0 | 8) {
            continue;
        }
        games.extend(records.chunks_exact(68).filter_map(|record| read_game(record, u32::from(header[14]))));
    }
    Ok(games)
}

/// Plays a record of the base (`depth`: empty squares at which its theoretical score holds); `None`
/// when it is broken or unfinished.
fn read_game(record: &[u8], depth: u32) -> Option<Vec<Sample>> {
    let theory = 2 * i32::from(record[7]) - MAX;
    let (mut own, mut opp): (u64, u64) = (0x0000_0008_1000_0000, 0x0000_0010_0800_0000);
    let mut black = true;
    let mut positions = Vec::with_capacity(60);
    for &number in record[8..].iter().take_while(|&&number| number != 0) {
        let (row, column) = (u32::from(number / 10), u32::from(number % 10));
        if !(1..=8).contains(&row) || !(1..=8).contains(&column) {
            return None;
        }
        if Standard::mobility(own, opp) == 0 {
            (own, opp, black) = (opp, own, !black);
        }
        let square = 8 * (row - 1) + column - 1;
        if (own | opp) >> square & 1 != 0 {
            return None;
        }
        positions.push((Sample { own, opp, label: 0.0 }, black));
        (own, opp) = after(own, opp, square)?;
        black = !black;
    }
    if Standard::mobility(own, opp) != 0 || Standard::mobility(opp, own) != 0 {
        return None;
    }

    // Backwards, so that each position is known to be worth at least what its move brought.
    let mut next = (score(own, opp), black);
    let mut exact = 0;
    for (sample, black) in positions.iter_mut().rev() {
        let sign = if *black { 1 } else { -1 };
        let empty = sample.empty();
        if empty <= EXACT {
            let least = if next.1 == *black { next.0 } else { -next.0 };
            let value = if least >= MAX { least } else { solve(sample.own, sample.opp, least, MAX) };
            next = (value, *black);
            exact = sign * value;
            sample.label = value as f32;
        } else {
            let open = (empty - EXACT) as f32 / depth.saturating_sub(EXACT).max(1) as f32;
            let open = open.min(1.0);
            sample.label = sign as f32 * (open * theory as f32 + (1.0 - open) * exact as f32);
        }
    }
    Some(positions.into_iter().map(|(sample, _)| sample).collect())
}

/// The position after a move, seen by the other side; `None` when it turns nothing over.
fn after(own: u64, opp: u64, square: u32) -> Option<(u64, u64)> {
    let flips = Standard::flips(own, opp, square);
    (flips != 0).then_some((opp & !flips, own | flips | 1 << square))
}

/// Final score for the owner of `own`, the empty squares to the winner.
fn score(own: u64, opp: u64) -> i32 {
    let difference = own.count_ones() as i32 - opp.count_ones() as i32;
    difference + difference.signum() * (MAX - (own | opp).count_ones() as i32)
}

/// Exact score of a position, right between `alpha` and `beta`, else a bound (fail soft).
fn solve(own: u64, opp: u64, alpha: i32, beta: i32) -> i32 {
    let moves = Standard::mobility(own, opp);
    if moves == 0 {
        return if Standard::mobility(opp, own) == 0 {
            score(own, opp)
        } else {
            -solve(opp, own, -beta, -alpha)
        };
    }
    let empty = (!(own | opp)).count_ones();
    if empty == 1 {
        let (own, opp) = after(own, opp, moves.trailing_zeros()).unwrap_or((opp, own));
        return -score(own, opp);
    }
    let mut children = [(0, 0, 0); 32];
    let mut count = 0;
    for square in squares(moves) {
        let Some((own, opp)) = after(own, opp, square) else { continue };
        // Fastest first: the fewer replies, the smaller the tree.
        let replies = if empty > 4 { Standard::mobility(own, opp) } else { 0 };
        let corners = replies & 0x8100_0000_0000_0081;
        children[count] = (replies.count_ones() + corners.count_ones(), own, opp);
        count += 1;
    }
    if empty > 4 {
        children[..count].sort_unstable_by_key(|child| child.0);
    }
    let mut best = -MAX;
    for (i, &(_, own, opp)) in children[..count].iter().enumerate() {
        let low = alpha.max(best);
        let mut value = if i == 0 || beta - low <= 1 { low } else { -solve(own, opp, -low - 1, -low) };
        if i == 0 || beta - low <= 1 || (value > low && value < beta) {
            value = -solve(own, opp, -beta, -low);
        }
        best = best.max(value);
        if best >= beta {
            break;
        }
    }
    best
}

/// Value in hundredths of a disc by a plain search of `depth` plies.
fn search(weights: &Weights, own: u64, opp: u64, depth: u32, alpha: i32, beta: i32) -> i32 {
    let moves = Standard::mobility(own, opp);
    if moves == 0 {
        return if Standard::mobility(opp, own) == 0 {
            100 * score(own, opp)
        } else {
            -search(weights, opp, own, depth, -beta, -alpha)
        };
    }
    if depth == 0 {
        return weights.evaluate(own, opp);
    }
    let mut children = [(0, 0, 0); 64];
    let mut count = 0;
    for square in squares(moves) {
        let Some((own, opp)) = after(own, opp, square) else { continue };
        let rank = if depth > 1 { Standard::mobility(own, opp).count_ones() } else { 0 };
        children[count] = (rank, own, opp);
        count += 1;
    }
    children[..count].sort_unstable_by_key(|child| child.0);
    let mut best = -100 * MAX;
    for &(_, own, opp) in &children[..count] {
        best = best.max(-search(weights, own, opp, depth - 1, -beta, -alpha.max(best)));
        if best >= beta {
            break;
        }
    }
    best
}

/// The games with the labels of the second round, and positions off the games.
fn relabel(
    games: &[Vec<Sample>],
    weights: &Weights,
    rng: &mut Xoshiro256PlusPlus,
) -> (Vec<Vec<Sample>>, Vec<Sample>) {
    let searched = |own, opp, depth| search(weights, own, opp, depth, -100 * MAX, 100 * MAX) as f32 / 100.0;
    let relabelled = games
        .iter()
        .map(|game| {
            let label = |sample: &Sample| {
                let label = if sample.empty() > 22 {
                    SEARCHED * searched(sample.own, sample.opp, LABEL_DEPTH) + (1.0 - SEARCHED) * sample.label
                } else {
                    sample.label
                };
                Sample { label, ..*sample }
            };
            game.iter().map(label).collect()
        })
        .collect();
    let mut strays = Vec::new();
    for (number, game) in games.iter().enumerate() {
        if number % HELD_OUT == 0 {
            continue;
        }
        for _ in 0..STRAYS {
            let from = game[rng.random_range(0..game.len())];
            let (mut own, mut opp) = (from.own, from.opp);
            for _ in 0..rng.random_range(1..4) {
                let moves = Standard::mobility(own, opp);
                let Some(square) =
                    squares(moves).nth(rng.random_range(0..moves.count_ones().max(1)) as usize)
                else {
                    break;
                };
                if let Some(position) = after(own, opp, square) {
                    (own, opp) = position;
                }
            }
            if Standard::mobility(own, opp) == 0 {
                continue;
            }
            let mut stray = Sample { own, opp, label: 0.0 };
            stray.label = if stray.empty() <= EXACT {
                solve(own, opp, -MAX, MAX) as f32
            } else {
                searched(own, opp, LABEL_DEPTH + 1)
            };
            strays.push(stray);
        }
    }
    (relabelled, strays)
}

/// Fits the weights of all stages; returns `STAGES * SIZE` of them in discs, those that are not
/// representatives 0.
fn train(
    games: &[Vec<Sample>],
    strays: &[Sample],
    epochs: usize,
    rng: &mut Xoshiro256PlusPlus,
    report: &mut String,
) -> Vec<f32> {
    let representatives = pattern::representatives();
    let indices =
        |sample: &Sample| pattern::indices(sample.own, sample.opp).map(|i| representatives[i as usize]);
    let mut all = Vec::with_capacity(STAGES * SIZE);
    let mut weights = vec![0.0_f32; SIZE];
    for stage in 0..STAGES {
        // Two plies on either side are learned too: more samples, and no jump between stages.
        let least = (2 * stage as u32).saturating_sub(1);
        let most = if stage == STAGES - 1 { 60 } else { 2 * stage as u32 + 2 };
        let inside = |sample: &&Sample| (least..=most).contains(&sample.empty());
        let held_out = |number: usize| number.is_multiple_of(HELD_OUT);
        let chosen = |held: bool| {
            games
                .iter()
                .enumerate()
                .filter(move |&(number, _)| held_out(number) == held)
                .flat_map(|(_, game)| game)
        };
        let samples: Vec<([u32; FEATURES], f32)> = chosen(false)
            .chain(strays)
            .filter(inside)
            .map(|sample| (indices(sample), sample.label))
            .collect();
        let value = |weights: &[f32], indices: &[u32; FEATURES]| -> f32 {
            indices.iter().map(|&i| weights[i as usize]).sum()
        };
        let mut order: Vec<u32> = (0..samples.len() as u32).collect();
        for epoch in 0..epochs {
            for i in (1..order.len()).rev() {
                order.swap(i, rng.random_range(0..=i));
            }
            let progress = epoch as f32 / (epochs - 1) as f32;
            let step = STEP.0 + (STEP.1 - STEP.0) * progress;
            for &number in &order {
                let (indices, label) = &samples[number as usize];
                let change = step * (label - value(&weights, indices));
                for &i in indices {
                    weights[i as usize] += change;
                }
            }
        }
        let (mut error, mut count) = (0.0, 0);
        for sample in chosen(true).filter(inside) {
            error += (sample.label - value(&weights, &indices(sample))).abs();
            count += 1;
        }
        let _ = writeln!(
            report,
            "stage {stage}: {} samples, mean error {:.3} discs on games not learned",
            samples.len(),
            error / count.max(1) as f32,
        );
        all.extend_from_slice(&weights);
    }
    all
}
