//! The file of a network on tables, for engines of any game.
//!
//! All numbers are little endian:
//!
//! 1. 8 bytes [`MAGIC`], and the XXH3 checksum of the rest;
//! 2. the length of the set-up's text (u32) and the text;
//! 3. four u32: stages, numbers in a table entry (`K`), tables, terms; then the size of each table and the
//!    table of each term (u32 each);
//! 4. for each stage, the end of the game first: `K` biases, `K` factors and `K` steps (f32), then the
//!    entries of all tables, `K` numbers each (i16), to be multiplied by the number's step.
//!
//! The value of a position is, with the sums of the entries of its terms, `sum[0]` and for each further
//! number `factor * max(0, sum + bias)`, in the game's unit.

use tengen_engine::games::Setup;

use super::fit::{Head, Weights};
use super::model::Model;
use crate::data;

/// First bytes of the file.
pub(crate) const MAGIC: &[u8; 8] = b"TngNet01";

/// The file of the weights of all stages.
pub(crate) fn encode<const K: usize>(setup: &Setup, model: &dyn Model, stages: &[Weights<K>]) -> Vec<u8> {
    let mut body = Vec::new();
    let setup = setup.to_string();
    let number = |body: &mut Vec<u8>, number: usize| body.extend((number as u32).to_le_bytes());
    number(&mut body, setup.len());
    body.extend(setup.as_bytes());
    for count in [stages.len(), K, model.tables().len(), model.terms().len()] {
        number(&mut body, count);
    }
    model.tables().iter().chain(model.terms()).for_each(|&count| number(&mut body, count));
    for Weights { rows, head } in stages {
        let mut steps = [0.0_f32; K];
        for (i, step) in steps.iter_mut().enumerate() {
            let most = rows.iter().map(|row| row[i].abs()).fold(0.0, f32::max);
            *step = most.max(f32::MIN_POSITIVE) / f32::from(i16::MAX);
        }
        let Head { bias, out } = head;
        body.extend(bias.iter().chain(out).chain(&steps).flat_map(|number| number.to_le_bytes()));
        for row in rows {
            let entry = row.iter().zip(&steps).map(|(weight, step)| (weight / step).round() as i16);
            body.extend(entry.flat_map(i16::to_le_bytes));
        }
    }
    let mut file = MAGIC.to_vec();
    file.extend(data::checksum(&body).to_le_bytes());
    file.extend(body);
    file
}

#[cfg(test)]
mod tests {
    use tengen_engine::game::random;

    use super::*;
    use crate::train::model;

    #[test]
    fn the_file_holds_what_its_description_says() {
        const K: usize = 4;
        let setup = Setup::parse(["othello"]).unwrap();
        let model = model::open(&setup).unwrap();
        let mut rng = random::rng(8);
        let mut stages: Vec<Weights<K>> = (0..model.stages())
            .map(|_| Weights::begin(model.size(), model.terms().len(), &mut rng))
            .collect();
        stages[3].head = Head { bias: [0.0, 0.5, -0.5, 2.0], out: [1.0, 3.0, -2.0, 0.25] };
        stages[3].rows.iter_mut().enumerate().for_each(|(i, row)| row[0] = (i % 77) as f32 / 8.0);
        let file = encode(&setup, &*model, &stages);

        // Read by the description alone.
        assert_eq!(&file[..8], MAGIC);
        assert_eq!(file[8..16], data::checksum(&file[16..]).to_le_bytes());
        let number = |at: usize| u32::from_le_bytes(file[at..at + 4].try_into().unwrap()) as usize;
        let float = |at: usize| f32::from_le_bytes(file[at..at + 4].try_into().unwrap());
        let length = number(16);
        assert_eq!(&file[20..20 + length], setup.to_string().as_bytes());
        let head = 20 + length;
        let (count, width, tables, terms) =
            (number(head), number(head + 4), number(head + 8), number(head + 12));
        assert_eq!((count, width, tables, terms), (30, K, 13, 47));
        let size: usize = (0..tables).map(|table| number(head + 16 + 4 * table)).sum();
        let stage = 12 * width + 2 * width * size;
        let first = head + 16 + 4 * (tables + terms) + 3 * stage;
        let bases = model.bases();
        let numbers: Vec<u16> = (0..terms as u16).map(|term| term * 31 % 2).collect();
        let mut value = 0.0;
        for i in 0..width {
            let part = |which: usize| float(first + 4 * (which * width + i));
            let entry = |base: &u32, number: &u16| {
                let at = first + 12 * width + 2 * (width * (*base as usize + usize::from(*number)) + i);
                f32::from(i16::from_le_bytes([file[at], file[at + 1]]))
            };
            let sum: f32 =
                bases.iter().zip(&numbers).map(|(base, number)| part(2) * entry(base, number)).sum();
            value += if i == 0 { sum } else { part(1) * (sum + part(0)).max(0.0) };
        }
        assert!((value - stages[3].value(&bases, &numbers)).abs() < 0.02, "{value}");
        assert_eq!(file.len(), first + 27 * stage);
    }
}
