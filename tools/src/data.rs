//! The files of the learning pipeline: chunks of games and of samples.
//!
//! A chunk is a file of 8 bytes of magic (the last one is the version), the XXH3 checksum of all that
//! follows (8 bytes, little endian), and a body of its kind. Chunks are numbered within a folder, and each
//! one depends on nothing but the seed, its number and what made it. They are written under another name
//! and renamed, so that a chunk that is there is whole: the same command goes on where it was interrupted.

pub(crate) mod bytes;
pub(crate) mod game;
pub(crate) mod sample;
pub(crate) mod work;

use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};

use twox_hash::XxHash3_64;

/// Bytes before the body.
const HEAD: usize = 16;
/// The longest chunk that is read, in bytes.
const LONGEST: u64 = 1 << 30;

/// What a chunk holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Games, [`game::Games`].
    Games,
    /// Samples, [`sample::Samples`].
    Samples,
}

impl Kind {
    fn magic(self) -> &'static [u8; 8] {
        match self {
            Kind::Games => b"TngGame\x01",
            Kind::Samples => b"TngSamp\x02",
        }
    }

    fn stem(self) -> &'static str {
        match self {
            Kind::Games => "games",
            Kind::Samples => "samples",
        }
    }

    /// The extension of its files.
    pub(crate) fn extension(self) -> &'static str {
        match self {
            Kind::Games => "tgg",
            Kind::Samples => "tgs",
        }
    }

    /// The name of the chunk with that number: `games-000123.tgg`.
    pub(crate) fn name(self, number: u32) -> String {
        format!("{}-{number:06}.{}", self.stem(), self.extension())
    }

    /// Tells a file by its first bytes.
    pub(crate) fn of(path: &Path) -> Result<Kind, String> {
        use std::io::Read as _;
        let mut magic = [0; 8];
        File::open(path)
            .and_then(|mut file| file.read_exact(&mut magic))
            .map_err(|error| format!("{}: {error}", path.display()))?;
        [Kind::Games, Kind::Samples]
            .into_iter()
            .find(|kind| *kind.magic() == magic)
            .ok_or_else(|| format!("{}: no file of games or samples of this version", path.display()))
    }
}

/// The checksum of chunks and manifests.
pub(crate) fn checksum(bytes: &[u8]) -> u64 {
    XxHash3_64::oneshot(bytes)
}

/// Writes a chunk under a temporary name, on to the disk, and renames it. Returns its checksum.
pub(crate) fn write(path: &Path, kind: Kind, body: &[u8]) -> Result<u64, String> {
    let sum = checksum(body);
    let temporary = path.with_added_extension("tmp");
    let written = File::create(&temporary).and_then(|mut file| {
        file.write_all(kind.magic())?;
        file.write_all(&sum.to_le_bytes())?;
        file.write_all(body)?;
        file.sync_all()?;
        fs::rename(&temporary, path)
    });
    written.map_err(|error| format!("{}: {error}", path.display()))?;
    Ok(sum)
}

/// Reads a chunk; returns its body and the checksum.
///
/// # Errors
/// One line that names the file: it cannot be read, is of another kind or version, or is damaged.
pub(crate) fn read(path: &Path, kind: Kind) -> Result<(Vec<u8>, u64), String> {
    let named = |problem: String| format!("{}: {problem}", path.display());
    let size = fs::metadata(path).map_err(|error| named(error.to_string()))?.len();
    if size > LONGEST {
        return Err(named(format!("longer than {} MiB", LONGEST >> 20)));
    }
    let mut bytes = fs::read(path).map_err(|error| named(error.to_string()))?;
    if !bytes.starts_with(kind.magic()) {
        return Err(named(format!("no file of {} of this version", kind.stem())));
    }
    let sum = bytes.get(8..HEAD).and_then(|sum| sum.try_into().ok()).map(u64::from_le_bytes);
    let body = bytes.split_off(HEAD.min(bytes.len()));
    match sum {
        Some(sum) if sum == checksum(&body) => Ok((body, sum)),
        _ => Err(named("damaged: wrong checksum".into())),
    }
}

/// The chunks of a kind that the files and folders name, sorted by name within each folder.
///
/// # Errors
/// When one cannot be read or there is none.
pub(crate) fn chunks(paths: &[PathBuf], kind: Kind) -> Result<Vec<PathBuf>, String> {
    let mut all = Vec::new();
    for path in paths {
        if !path.is_dir() {
            all.push(path.clone());
            continue;
        }
        let failed = |error: std::io::Error| format!("{}: {error}", path.display());
        let mut inside = Vec::new();
        for entry in fs::read_dir(path).map_err(failed)? {
            let file = entry.map_err(failed)?.path();
            if file.extension().is_some_and(|extension| extension == kind.extension()) {
                inside.push(file);
            }
        }
        if inside.is_empty() {
            return Err(format!("{}: no file of {} in it", path.display(), kind.stem()));
        }
        inside.sort();
        all.append(&mut inside);
    }
    Ok(all)
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// A folder of its own for a test, removed with it.
    pub(crate) struct Scratch(pub(crate) PathBuf);

    impl Scratch {
        pub(crate) fn new(name: &str) -> Scratch {
            let folder = std::env::temp_dir().join(format!("tengen-{name}-{}", std::process::id()));
            fs::create_dir_all(&folder).unwrap();
            Scratch(folder)
        }
    }

    impl Drop for Scratch {
        fn drop(&mut self) {
            let _gone = fs::remove_dir_all(&self.0);
        }
    }

    #[test]
    fn any_damage_is_noticed() {
        let scratch = Scratch::new("damage");
        let path = scratch.0.join(Kind::Games.name(7));
        write(&path, Kind::Games, b"the body").unwrap();
        assert_eq!(read(&path, Kind::Games).unwrap().0, b"the body");
        assert_eq!(fs::read_dir(&scratch.0).unwrap().count(), 1, "the temporary file is gone");
        assert!(read(&path, Kind::Samples).unwrap_err().contains("no file of samples"));
        let whole = fs::read(&path).unwrap();
        for at in 0..whole.len() {
            let mut bytes = whole.clone();
            bytes[at] ^= 0x10;
            fs::write(&path, &bytes).unwrap();
            assert!(read(&path, Kind::Games).is_err(), "byte {at}");
            fs::write(&path, &whole[..at]).unwrap();
            assert!(read(&path, Kind::Games).unwrap_err().contains("games-000007.tgg"), "cut at {at}");
        }
    }
}
