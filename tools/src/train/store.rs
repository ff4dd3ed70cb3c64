//! The samples in memory, by the number of empty points, split by game into training and validation.

use std::collections::BTreeSet;
use std::ops::RangeInclusive;
use std::path::PathBuf;

use tengen_engine::games::Setup;

use super::model::Model;
use crate::data::sample::Samples;
use crate::data::{self, Kind, work};

/// Samples of one number of empty points.
#[derive(Debug, Default)]
pub(crate) struct Layer {
    /// The two sets of each position, one after the other.
    sets: Vec<u8>,
    /// The labels in hundredths.
    labels: Vec<i16>,
}

impl Layer {
    /// Number of samples.
    pub(crate) fn len(&self) -> usize {
        self.labels.len()
    }
}

/// All samples.
#[derive(Debug, Default)]
pub(crate) struct Store {
    /// For training, by empty points.
    pub(crate) training: Vec<Layer>,
    /// For validation, by empty points.
    pub(crate) validation: Vec<Layer>,
    /// Bytes of the two sets.
    width: usize,
    /// What was read.
    pub(crate) inputs: Vec<Input>,
}

/// The chunks of one folder, or a file, and their checksum.
#[derive(Clone, Debug, Default, serde::Serialize)]
pub(crate) struct Input {
    /// The name of the file or folder.
    pub(crate) name: String,
    /// Files read.
    pub(crate) files: usize,
    /// Samples in them.
    pub(crate) samples: usize,
    /// XXH3 of the checksums of the files.
    pub(crate) checksum: String,
    /// The commands that made the games.
    pub(crate) games: BTreeSet<String>,
    /// The engines that played the games, or the collections they are from.
    pub(crate) players: BTreeSet<String>,
    /// The commands that gave the labels.
    pub(crate) labels: BTreeSet<String>,
    /// The engines that gave the labels.
    pub(crate) engines: BTreeSet<String>,
}

/// Terms of samples and their labels.
pub(crate) struct Rows {
    terms: usize,
    numbers: Vec<u16>,
    /// The labels in the game's unit.
    pub(crate) labels: Vec<f32>,
}

impl Rows {
    /// Samples of so many terms each.
    #[cfg(test)]
    pub(crate) fn new(terms: usize, numbers: Vec<u16>, labels: Vec<f32>) -> Rows {
        Rows { terms, numbers, labels }
    }

    /// The terms of samples that follow each other.
    pub(crate) fn rows(&self, range: std::ops::Range<usize>) -> impl Iterator<Item = &[u16]> {
        self.numbers[range.start * self.terms..range.end * self.terms].chunks_exact(self.terms)
    }
}

impl Store {
    /// Reads all chunks. A share of `validation` of the games is kept from training.
    ///
    /// # Errors
    /// A chunk that cannot be read or is of another set-up.
    pub(crate) fn read(paths: &[PathBuf], setup: &Setup, validation: f64) -> Result<Store, String> {
        let points = usize::from(setup.width) * usize::from(setup.height);
        let mut store = Store { width: 2 * points.div_ceil(8), ..Store::default() };
        store.training.resize_with(points + 1, Layer::default);
        store.validation.resize_with(points + 1, Layer::default);
        let below = (validation * 65_536.0).round() as u32;
        let setup = setup.to_string();
        let bar = work::bar(data::chunks(paths, Kind::Samples)?.len() as u64, "files")?;
        for path in paths {
            let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
            let mut input = Input { name, ..Input::default() };
            let mut sums = Vec::new();
            for file in data::chunks(std::slice::from_ref(path), Kind::Samples)? {
                let (samples, sum) = Samples::read(&file)?;
                if samples.setup != setup {
                    return Err(format!("{}: samples of {}, not of {setup}", file.display(), samples.setup));
                }
                store.add(&samples, below).map_err(|problem| format!("{}: {problem}", file.display()))?;
                input.files += 1;
                input.samples += samples.len();
                sums.extend(sum.to_le_bytes());
                input.games.insert(samples.source.games);
                input.players.insert(samples.source.players);
                input.labels.insert(samples.command);
                input.engines.insert(samples.source.engine);
                bar.inc(1);
            }
            input.checksum = format!("{:016x}", data::checksum(&sums));
            store.inputs.push(input);
        }
        bar.finish_and_clear();
        Ok(store)
    }

    fn add(&mut self, samples: &Samples, below: u32) -> Result<(), String> {
        for sample in samples.iter() {
            let held = u32::from(sample.split) < below;
            let layers = if held { &mut self.validation } else { &mut self.training };
            let layer = layers.get_mut(usize::from(sample.empty)).ok_or("more empty points than points")?;
            if sample.sets.len() != self.width {
                return Err("positions of another size".into());
            }
            layer.sets.extend_from_slice(sample.sets);
            layer.labels.push(sample.label);
        }
        Ok(())
    }

    /// Where the samples with some numbers of empty points are, as layer and number.
    pub(crate) fn places(layers: &[Layer], empty: &RangeInclusive<u32>) -> Vec<(u16, u32)> {
        let mut places = Vec::new();
        for (count, layer) in layers.iter().enumerate().filter(|&(count, _)| empty.contains(&(count as u32)))
        {
            places.extend((0..layer.len() as u32).map(|number| (count as u16, number)));
        }
        places
    }

    /// Looks the terms of samples up, in the order of `places`.
    pub(crate) fn rows(&self, layers: &[Layer], places: &[(u16, u32)], model: &dyn Model) -> Rows {
        let terms = model.terms().len();
        let mut rows =
            Rows { terms, numbers: vec![0; terms * places.len()], labels: Vec::with_capacity(places.len()) };
        for (&(layer, number), row) in places.iter().zip(rows.numbers.chunks_exact_mut(terms)) {
            let (layer, number) = (&layers[usize::from(layer)], number as usize);
            model.look_up(&layer.sets[number * self.width..][..self.width], row);
            rows.labels.push(f32::from(layer.labels[number]) / 100.0);
        }
        rows
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use crate::data::game::{Games, tests::random_games};
    use crate::data::sample::Source;
    use crate::data::tests::Scratch;

    /// The first two discs of each board say which game it is of.
    fn games_of(layers: &[Layer]) -> HashSet<u16> {
        let sets = layers.iter().flat_map(|layer| layer.sets.chunks_exact(16));
        sets.map(|sets| u16::from_le_bytes([sets[0], sets[1]])).collect()
    }

    #[test]
    fn no_game_is_in_training_and_validation() {
        let scratch = Scratch::new("store");
        let setup = Setup::parse(["othello"]).unwrap();
        let games: Games = random_games("othello", 400);
        let mut samples = Samples::new(&setup, String::new(), Source::default());
        for (number, game) in games.games.iter().enumerate() {
            for empty in [50, 30, 10] {
                let mut sets = [0; 16];
                sets[..2].copy_from_slice(&(number as u16).to_le_bytes());
                samples.push(&sets, 0, (game.key() >> 48) as u16, empty, 0);
            }
        }
        // The same games again, under another number of the chunk.
        for number in 0..2 {
            samples.write(&scratch.0.join(Kind::Samples.name(number))).unwrap();
        }
        let store = Store::read(std::slice::from_ref(&scratch.0), &setup, 0.1).unwrap();
        let (training, validation) = (games_of(&store.training), games_of(&store.validation));
        assert!(training.is_disjoint(&validation));
        assert_eq!(training.len() + validation.len(), 400);
        assert!((20..=60).contains(&validation.len()), "{} of 400 at a share of 0.1", validation.len());
        assert_eq!((store.inputs[0].files, store.inputs[0].samples), (2, 2_400));
        assert_eq!(Store::places(&store.training, &(29..=31)).len(), 2 * training.len());

        let other = Setup::parse(["othello", "size", "6"]).unwrap();
        let refused = Store::read(std::slice::from_ref(&scratch.0), &other, 0.1).unwrap_err();
        assert!(refused.contains("samples-000000.tgs: samples of othello size 8"), "{refused}");
    }
}
