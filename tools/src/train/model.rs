//! What is trained: sums of weights looked up in tables.

use std::collections::HashMap;

use tengen_engine::games::othello::pattern::{self, CENTRES, FEATURES, SIZE, STAGES, TERMS, Weights};
use tengen_engine::games::{GameId, Setup};

/// The tables of an evaluation. The value of a position is the sum of its terms' weights, in the game's
/// unit, each looked up in the term's table of the position's stage.
pub(crate) trait Model: Sync {
    /// Number of stages; 0 is the end of the game.
    fn stages(&self) -> usize;
    /// The stage of positions with that many empty points.
    fn stage(&self, empty: u32) -> usize;
    /// The sizes of the tables of a stage, at most 65,536 each.
    fn tables(&self) -> &[usize];
    /// The table of each term.
    fn terms(&self) -> &[usize];
    /// The number of each term of a position in its table; `sets` as in [`crate::data::sample`], `out`
    /// as long as [`terms`](Model::terms).
    fn look_up(&self, sets: &[u8], out: &mut [u16]);
    /// The file for the engine. `weights` holds all tables of stage 0, then those of stage 1, and so on.
    ///
    /// # Errors
    /// When the engine cannot read it.
    fn encode(&self, weights: &[f32]) -> Result<Vec<u8>, String>;
    /// The name of that file.
    fn file_name(&self) -> &'static str;

    /// Weights of a stage.
    fn size(&self) -> usize {
        self.tables().iter().sum()
    }

    /// Where each term's table begins in a stage.
    fn bases(&self) -> Vec<u32> {
        let start = |table: &usize| self.tables()[..*table].iter().sum::<usize>() as u32;
        self.terms().iter().map(start).collect()
    }
}

/// The model of a set-up.
///
/// # Errors
/// When there is none.
pub(crate) fn open(setup: &Setup) -> Result<Box<dyn Model>, String> {
    match (setup.game, setup.width) {
        (GameId::Othello, 8) => Ok(Box::new(Othello::new())),
        _ => Err(format!("no evaluation is trained for {setup}")),
    }
}

/// The patterns of Othello, each with its mirror images in one weight, and a constant by the parity of
/// the empty squares.
struct Othello {
    tables: Vec<usize>,
    terms: Vec<usize>,
    /// For each index into the engine's weights of a stage: the number in its table.
    folded: Vec<u16>,
    /// For each index into the engine's weights of a stage: the table.
    table_of: Vec<u8>,
}

impl Othello {
    fn new() -> Othello {
        // The engine lays its tables one behind the other; features of one table share their centre.
        let (mut starts, mut terms): (Vec<usize>, Vec<usize>) = (Vec::new(), Vec::new());
        let mut end = 0;
        for (feature, &centre) in CENTRES.iter().take(FEATURES).enumerate() {
            if feature == 0 || CENTRES[feature - 1] != centre {
                starts.push(end);
                end += 2 * (centre as usize - end) + 1;
            }
            terms.push(starts.len() - 1);
        }
        starts.push(end);
        terms.push(starts.len() - 1);

        let mut tables = vec![0; starts.len()];
        let (mut folded, mut table_of) = (vec![0; SIZE], vec![0; SIZE]);
        let mut numbers = HashMap::new();
        for (index, &representative) in pattern::representatives().iter().enumerate() {
            let table = starts.partition_point(|&start| start <= index) - 1;
            let number = *numbers.entry(representative).or_insert_with(|| {
                tables[table] += 1;
                (tables[table] - 1) as u16
            });
            (folded[index], table_of[index]) = (number, table as u8);
        }
        Othello { tables, terms, folded, table_of }
    }
}

impl Model for Othello {
    fn stages(&self) -> usize {
        STAGES
    }

    fn stage(&self, empty: u32) -> usize {
        pattern::stage(empty)
    }

    fn tables(&self) -> &[usize] {
        &self.tables
    }

    fn terms(&self) -> &[usize] {
        &self.terms
    }

    fn look_up(&self, sets: &[u8], out: &mut [u16]) {
        let board = |at: usize| sets[at..].first_chunk().map_or(0, |bytes| u64::from_le_bytes(*bytes));
        let indices: [u32; TERMS] = pattern::indices(board(0), board(8));
        for (number, index) in out.iter_mut().zip(indices) {
            *number = self.folded[index as usize];
        }
    }

    fn encode(&self, weights: &[f32]) -> Result<Vec<u8>, String> {
        let mut starts = vec![0];
        self.tables.iter().for_each(|size| starts.push(starts[starts.len() - 1] + size));
        let mut raw = Vec::with_capacity(STAGES * SIZE);
        for stage in weights.chunks_exact(self.size()) {
            let places = self.table_of.iter().zip(&self.folded);
            raw.extend(
                places.map(|(&table, &number)| stage[starts[usize::from(table)] + usize::from(number)]),
            );
        }
        let file = Weights::encode(&raw);
        Weights::read(&file).map_err(|problem| format!("the weights made cannot be read: {problem}"))?;
        Ok(file)
    }

    fn file_name(&self) -> &'static str {
        "weights.bin"
    }
}

#[cfg(test)]
mod tests {
    use tengen_engine::game::random;

    use super::*;

    #[test]
    fn the_file_evaluates_as_the_tables_do() {
        let model = Othello::new();
        assert_eq!(model.tables().len(), 13);
        assert_eq!(model.tables()[..2], [10_206, 29_889]);
        assert_eq!(model.terms().len(), TERMS);
        let mut rng = random::rng(1);
        // Whole hundredths, so that nothing is lost by rounding.
        let count = model.size() * STAGES;
        let weights: Vec<f32> =
            (0..count).map(|_| (random::below(&mut rng, 401) as f32 - 200.0) / 100.0).collect();
        let read = Weights::read(&model.encode(&weights).unwrap()).unwrap();
        let bases = model.bases();
        let mut numbers = [0; TERMS];
        for _ in 0..1_000 {
            let mut bits = || {
                u64::from(random::below(&mut rng, u32::MAX)) << 32
                    | u64::from(random::below(&mut rng, u32::MAX))
            };
            let (taken, own) = (bits() | bits(), bits());
            let (own, opp) = (taken & own, taken & !own);
            let sets: Vec<u8> = own.to_le_bytes().into_iter().chain(opp.to_le_bytes()).collect();
            model.look_up(&sets, &mut numbers);
            let first = model.stage(taken.count_zeros()) * model.size();
            let sum: f32 = bases
                .iter()
                .zip(&numbers)
                .map(|(&base, &number)| weights[first + base as usize + usize::from(number)])
                .sum();
            assert_eq!((100.0 * sum).round() as i32, read.evaluate(own, opp));
        }
    }
}
