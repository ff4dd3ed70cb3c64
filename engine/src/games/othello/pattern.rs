//! The trained evaluation of 8x8: a sum of weights looked up by patterns of discs.
//!
//! A pattern is a list of squares (an edge, a corner, a diagonal, ...); each of its instances on the
//! board is a number in balanced ternary (1 own disc, 0 empty, -1 other side), and the number gives a
//! weight. Seen by the other side every number is negated, so one table serves both sides and a pass
//! costs one subtraction. The idea is that of Logistello (M. Buro, "Experiments with Multi-ProbCut
//! and a new high-quality evaluation function for Othello", 1997), the list of patterns that of Edax
//! (R. Delorme): 46 instances of 12 patterns. Every weight counts hundredths of a disc.
//!
//! The weights are in `weights.bin`; `weights.toml` beside it tells how the tools made it.

use std::sync::OnceLock;

use super::kernel::Isa;

/// Instances of patterns on the board.
pub const FEATURES: usize = 46;

/// Terms of the evaluation: the features and a constant for the number of empty squares.
pub const TERMS: usize = FEATURES + 1;

/// [`FEATURES`] rounded up to whole vectors of 256 bits.
pub const LANES: usize = 48;

/// Phases of the game, each with weights of its own.
pub const STAGES: usize = 30;

/// Evaluation units in a disc.
pub const UNIT: i32 = 100;

/// A kind of pattern: the squares of its first instance, most significant digit first, and how many
/// instances a quarter turn each makes.
struct Class {
    squares: &'static [u8],
    instances: usize,
}

const CLASSES: [Class; 12] = [
    Class { squares: b"a1b1a2b2c1a3c2b3c3", instances: 4 },
    Class { squares: b"a5a4a3a2a1b2b1c1d1e1", instances: 4 },
    Class { squares: b"b2a1b1c1d1e1f1g1h1g2", instances: 4 },
    Class { squares: b"a1c1d1c2d2e2f2e1f1h1", instances: 4 },
    Class { squares: b"a2b2c2d2e2f2g2h2", instances: 4 },
    Class { squares: b"a3b3c3d3e3f3g3h3", instances: 4 },
    Class { squares: b"a4b4c4d4e4f4g4h4", instances: 4 },
    Class { squares: b"a1b2c3d4e5f6g7h8", instances: 2 },
    Class { squares: b"a2b3c4d5e6f7g8", instances: 4 },
    Class { squares: b"a3b4c5d6e7f8", instances: 4 },
    Class { squares: b"a4b5c6d7e8", instances: 4 },
    Class { squares: b"a5b6c7d8", instances: 4 },
];

impl Class {
    const fn length(&self) -> usize {
        self.squares.len() / 2
    }

    /// Column and row of the square of digit `i` (0 the most significant) in the first instance.
    const fn square(&self, i: usize) -> (u8, u8) {
        (self.squares[2 * i] - b'a', self.squares[2 * i + 1] - b'1')
    }

    const fn size(&self) -> usize {
        3_usize.pow(self.length() as u32)
    }
}

/// Where the weights of each class begin in a stage, and after the last one the constants for an even
/// and an odd number of empty squares.
const OFFSETS: [usize; CLASSES.len() + 1] = {
    let mut offsets = [0; CLASSES.len() + 1];
    let mut i = 0;
    while i < CLASSES.len() {
        offsets[i + 1] = offsets[i] + CLASSES[i].size();
        i += 1;
    }
    offsets
};

/// Weights of one stage.
pub const SIZE: usize = OFFSETS[CLASSES.len()] + 2;

/// The index into a stage's weights of the constant for an even number of empty squares.
pub const CONSTANT: usize = OFFSETS[CLASSES.len()];

/// The index into a stage's weights of each feature's number 0; 0 for the lanes that hold none.
pub static CENTRES: [u32; LANES] = {
    let mut centres = [0; LANES];
    let (mut feature, mut class) = (0, 0);
    while class < CLASSES.len() {
        let mut instance = 0;
        while instance < CLASSES[class].instances {
            centres[feature] = (OFFSETS[class] + CLASSES[class].size() / 2) as u32;
            feature += 1;
            instance += 1;
        }
        class += 1;
    }
    assert!(feature == FEATURES);
    centres
};

/// The features of a position, or what a disc adds to them. Lanes from [`FEATURES`] on are 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(align(32))]
pub struct Features(pub [i16; LANES]);

/// What an own disc on each square adds to the features.
pub static DELTAS: [Features; 64] = {
    let mut deltas = [Features([0; LANES]); 64];
    let (mut feature, mut class) = (0, 0);
    while class < CLASSES.len() {
        let kind = &CLASSES[class];
        let mut instance = 0;
        while instance < kind.instances {
            let mut i = 0;
            let mut value = kind.size() as i32;
            while i < kind.length() {
                value /= 3;
                let (mut x, mut y) = kind.square(i);
                let mut turns = 0;
                while turns < instance {
                    (x, y) = (7 - y, x);
                    turns += 1;
                }
                deltas[(8 * y + x) as usize].0[feature] = value as i16;
                i += 1;
            }
            feature += 1;
            instance += 1;
        }
        class += 1;
    }
    deltas
};

impl Features {
    /// The features of a position for the side that owns `own`.
    #[must_use]
    pub fn of(own: u64, opp: u64) -> Features {
        let mut all = [0_i16; LANES];
        for (mut set, sign) in [(own, 1), (opp, -1)] {
            while set != 0 {
                let delta = &DELTAS[set.trailing_zeros() as usize].0;
                for (sum, &step) in all.iter_mut().zip(delta) {
                    *sum += sign * step;
                }
                set &= set - 1;
            }
        }
        Features(all)
    }
}

/// The stage of a position with that many empty squares: two squares each, stage 0 the end.
#[must_use]
#[inline(always)]
pub const fn stage(empty: u32) -> usize {
    let stage = empty as usize / 2;
    if stage < STAGES { stage } else { STAGES - 1 }
}

/// The index of each term of a position into the weights of its stage; the constant comes last.
#[must_use]
pub fn indices(own: u64, opp: u64) -> [u32; TERMS] {
    let features = Features::of(own, opp);
    let mut all = [0; TERMS];
    for ((index, &centre), &number) in all.iter_mut().zip(&CENTRES).zip(&features.0) {
        *index = centre.wrapping_add_signed(i32::from(number));
    }
    all[FEATURES] = CONSTANT as u32 + (own | opp).count_zeros() % 2;
    all
}

/// A reflection of the board, from column and row to column and row.
type Mirror = fn(u8, u8) -> (u8, u8);

/// For each index into the weights of a stage the index that holds its weight in the file: the
/// smaller one of a pattern and its mirror image.
#[must_use]
pub fn representatives() -> Vec<u32> {
    let mut all = Vec::with_capacity(SIZE);
    for (class, &offset) in CLASSES.iter().zip(&OFFSETS) {
        let length = class.length();
        // The place each digit goes to in the mirror that maps the pattern to itself.
        let mirrors: [Mirror; 3] = [|x, y| (7 - x, y), |x, y| (y, x), |x, y| (7 - y, 7 - x)];
        let places = mirrors.iter().find_map(|mirror| {
            let place = |i: usize| {
                let (x, y) = class.square(i);
                (0..length).find(|&other| class.square(other) == mirror(x, y))
            };
            let places = (0..length).map(place).collect::<Option<Vec<usize>>>()?;
            (0..length).any(|i| places[i] != i).then_some(places)
        });
        let places = places.unwrap_or_else(|| (0..length).collect());
        let mut images = vec![0_u32];
        for place in places {
            let worth = 3_u32.pow((length - 1 - place) as u32);
            images = images.iter().flat_map(|image| (0..3).map(move |digit| image + digit * worth)).collect();
        }
        all.extend((0_u32..).zip(images).map(|(index, image)| offset as u32 + index.min(image)));
    }
    all.extend((CONSTANT..SIZE).map(|index| index as u32));
    all
}

/// Zeros that one byte of the file stands for, at most.
const RUN: usize = 33;

/// First bytes of the file.
pub const MAGIC: &[u8; 8] = b"TngOth02";

/// FNV-1a, 64 bits: the checksum of the file.
#[must_use]
pub fn checksum(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xCBF2_9CE4_8422_2325, |hash, &byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01B3)
    })
}

/// The weights of all stages.
pub struct Weights {
    /// `STAGES * SIZE` weights in hundredths of a disc, stage 0 first.
    all: Vec<i16>,
}

impl std::fmt::Debug for Weights {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Weights({:016x})", self.checksum())
    }
}

fn bytes_of(weights: &[i16]) -> Vec<u8> {
    weights.iter().flat_map(|weight| weight.to_le_bytes()).collect()
}

impl Weights {
    /// What tells these weights from others.
    #[must_use]
    pub fn checksum(&self) -> u64 {
        checksum(&bytes_of(&self.all))
    }

    /// Reads the file: [`MAGIC`]; number of stages and of stored weights a stage, 4 bytes each; the
    /// [`checksum`] of the rest, 8 bytes (all little endian); then the weights of the
    /// [`representatives`], stage by stage, as tokens that begin with one byte `t`:
    ///
    /// * `t` in 0..192: the weight `t - 96`;
    /// * `t` in 192..224: the weight `((t - 192) << 8 | next byte) - 4096`;
    /// * `t` in 224..256: `t - 222` zeros.
    ///
    /// # Errors
    /// When the file is not one of this version or is damaged.
    pub fn read(file: &[u8]) -> Result<Weights, &'static str> {
        let representatives = representatives();
        let stored = representatives.iter().enumerate().filter(|&(i, &r)| i == r as usize).count();
        let (head, body) = file.split_at_checked(24).ok_or("no header")?;
        let number = |at: usize| u32::from_le_bytes([head[at], head[at + 1], head[at + 2], head[at + 3]]);
        if !head.starts_with(MAGIC) || number(8) as usize != STAGES || number(12) as usize != stored {
            return Err("another version");
        }
        if checksum(body) != u64::from(number(16)) | u64::from(number(20)) << 32 {
            return Err("wrong checksum");
        }
        let mut bytes = body.iter().map(|&byte| i16::from(byte));
        let mut weights = Vec::with_capacity(STAGES * stored + RUN);
        while weights.len() < STAGES * stored {
            match bytes.next().ok_or("too short")? {
                token @ 0..192 => weights.push(token - 96),
                token @ 192..224 => {
                    weights.push(((token - 192) << 8 | bytes.next().ok_or("too short")?) - 4096);
                }
                token => weights.resize(weights.len() + token as usize - 222, 0),
            }
        }
        if weights.len() > STAGES * stored || bytes.next().is_some() {
            return Err("too long");
        }
        // Where the weight of each index stands among those of a stage.
        let mut places = vec![0_u32; SIZE];
        let mut next = 0;
        for (index, &representative) in representatives.iter().enumerate() {
            if index == representative as usize {
                places[index] = next;
                next += 1;
            } else {
                places[index] = places[representative as usize];
            }
        }
        let mut all = Vec::with_capacity(STAGES * SIZE);
        for stage in weights.chunks_exact(stored) {
            all.extend(places.iter().map(|&place| stage[place as usize]));
        }
        Ok(Weights { all })
    }

    /// The file of `STAGES * SIZE` weights in discs (stage 0 first), of which those of the
    /// [`representatives`] count.
    ///
    /// # Panics
    /// When the number of weights is another.
    #[must_use]
    pub fn encode(weights: &[f32]) -> Vec<u8> {
        assert_eq!(weights.len(), STAGES * SIZE, "weights of all stages");
        let representatives = representatives();
        let mut body = Vec::new();
        let mut zeros: u8 = 0;
        for stage in weights.chunks_exact(SIZE) {
            for (index, &representative) in representatives.iter().enumerate() {
                if index != representative as usize {
                    continue;
                }
                let weight = (UNIT as f32 * stage[index]).round().clamp(-4096.0, 4095.0) as i16;
                if weight == 0 && usize::from(zeros) < RUN {
                    zeros += 1;
                    continue;
                }
                put_zeros(&mut body, &mut zeros);
                match weight {
                    0 => zeros = 1,
                    -96..96 => body.push((weight + 96) as u8),
                    _ => {
                        let raised = (weight + 4096) as u16;
                        body.extend([192 + (raised >> 8) as u8, raised as u8]);
                    }
                }
            }
        }
        put_zeros(&mut body, &mut zeros);
        let stored = representatives.iter().enumerate().filter(|&(i, &r)| i == r as usize).count();
        let mut file = MAGIC.to_vec();
        file.extend((STAGES as u32).to_le_bytes());
        file.extend((stored as u32).to_le_bytes());
        file.extend(checksum(&body).to_le_bytes());
        file.extend(body);
        file
    }

    /// The weights of a stage (below [`STAGES`]).
    #[must_use]
    #[inline(always)]
    pub fn stage(&self, stage: usize) -> &[i16; SIZE] {
        let first = stage * SIZE;
        self.all[first..first + SIZE].as_array().unwrap_or_else(|| unreachable!("a slice of SIZE"))
    }

    /// The value of a position in hundredths of a disc for the side that owns `own` and is to move.
    #[must_use]
    pub fn evaluate(&self, own: u64, opp: u64) -> i32 {
        let weights = self.stage(stage((own | opp).count_zeros()));
        indices(own, opp).iter().map(|&index| i32::from(weights[index as usize])).sum()
    }

    /// The value of a position with the given features and number of empty squares, in hundredths of
    /// a disc for the side whose features they are.
    ///
    /// The features must be those of a position, as this module and [`Isa::after`] make them.
    #[must_use]
    #[inline(always)]
    pub fn sum<I: Isa>(&self, features: &Features, empty: u32) -> i32 {
        let weights = self.stage(stage(empty));
        let constant = i32::from(weights[CONSTANT + (empty % 2) as usize]);
        constant + I::sum(weights, features)
    }

    /// The same after a move of the side whose features they are, for the other side; `empty` squares
    /// remain.
    #[must_use]
    #[inline(always)]
    pub fn sum_after<I: Isa>(&self, features: &Features, square: u32, flips: u64, empty: u32) -> i32 {
        let weights = self.stage(stage(empty));
        let constant = i32::from(weights[CONSTANT + (empty % 2) as usize]);
        constant + I::sum_after(weights, features, square, flips)
    }
}

/// Writes a run of at most [`RUN`] zeros.
fn put_zeros(body: &mut Vec<u8>, zeros: &mut u8) {
    match std::mem::take(zeros) {
        0 => {}
        1 => body.push(96),
        run => body.push(222 + run),
    }
}

static WEIGHTS: OnceLock<Weights> = OnceLock::new();

/// The weights in use: those of [`install`], else those built in.
#[must_use]
pub fn weights() -> &'static Weights {
    WEIGHTS.get_or_init(|| {
        Weights::read(include_bytes!("weights.bin")).unwrap_or_else(|error| {
            log::error!("the built-in weights of Othello cannot be read: {error}");
            Weights { all: vec![0; STAGES * SIZE] }
        })
    })
}

/// Makes all searches of this process use other weights. To be called before the first search.
///
/// # Errors
/// When weights are in use already.
pub fn install(weights: Weights) -> Result<(), &'static str> {
    WEIGHTS.set(weights).map_err(|_| "weights are in use already")
}

/// The value of a position in hundredths of a disc for the side that owns `own` and is to move.
#[must_use]
pub fn evaluate(own: u64, opp: u64) -> i32 {
    weights().evaluate(own, opp)
}
