//! What makes a search of Amazons strong: territory, mobility, move ordering, playouts.
//!
//! Distances, territory and mobility are those of J. Lieberum, "An evaluation function for the game of
//! amazons", Theoretical Computer Science 349 (2005): `D1` counts queen moves from the nearest amazon
//! of a colour, `D2` king moves; arrows and amazons are obstacles. `t1` and `t2` are the squares nearer
//! to White less those nearer to Black, `w` sums `2^-|D1(White) - D1(Black)|` over the squares both
//! reach: about 92 at the start on 10x10, 0 when the territories are walled off.

use arrayvec::ArrayVec;

use super::board::{self, Board, Set, size};
use super::spread::{Spread, king_levels, queen_levels, spread};
use super::steps::{self, Steps};
use crate::game::random::below;
use crate::game::{Color, EVAL_MAX, Game, Knowledge, Leaf, Move, Outcome, Point, Rng};

/// Distances from one square to all others, by side; `None` where a side never gets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Distances {
    /// Queen moves (`D1`): by colour, then row by row from the bottom.
    pub queen: [Vec<Option<u8>>; 2],
    /// King moves (`D2`), likewise.
    pub king: [Vec<Option<u8>>; 2],
}

/// The terms of the evaluation, White's less Black's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Features {
    /// Territory by queen distance, squares.
    pub t1: i32,
    /// Territory by king distance, squares.
    pub t2: i32,
    /// Squares both sides reach in the same number of queen moves.
    pub ties: i32,
    /// `w` in sixteenths; differences above 4 count as 4.
    pub w: i32,
    /// Black's mobility penalties less White's, in [`UNIT`](Knowledge::UNIT)s.
    pub mobility: i32,
}

/// Squares at 1, 2, 3 and 4 king moves, straight or not, on an empty board.
struct Rings<const N: usize>;

impl<const N: usize> Rings<N> {
    const TABLE: &'static [[Set; 4]; 128] = &Self::table();

    const fn table() -> [[Set; 4]; 128] {
        let mut table = [[0; 4]; 128];
        let mut pair = 0;
        while pair < N * N * N * N {
            let (a, b) = (pair / (N * N), pair % (N * N));
            let far = if (a / N).abs_diff(b / N) > (a % N).abs_diff(b % N) {
                (a / N).abs_diff(b / N)
            } else {
                (a % N).abs_diff(b % N)
            };
            if 1 <= far && far <= 4 {
                let (a, b) = (a / N * (N + 1) + a % N, b / N * (N + 1) + b % N);
                table[a][far - 1] |= 1 << b;
            }
            pair += 1;
        }
        table
    }
}

/// The number of empty king neighbours of every square, in bit planes of weight 1, 2, 4, 8.
#[inline(always)]
fn neighbours<const N: usize>(empty: Set) -> [Set; 4] {
    let add = |a: Set, b: Set, c: Set| (a ^ b ^ c, a & b | c & (a ^ b));
    let (up, stride) = (empty << Board::<N>::STRIDE, Board::<N>::STRIDE);
    let down = empty >> stride;
    let (up_sum, up_carry) = add(up << 1, up, up >> 1);
    let (down_sum, down_carry) = add(down << 1, down, down >> 1);
    let (row_sum, row_carry) = (empty << 1 ^ empty >> 1, empty << 1 & (empty >> 1));
    let (ones, carry) = add(up_sum, down_sum, row_sum);
    let (twos, high) = add(up_carry, down_carry, row_carry);
    let (twos, over) = (twos ^ carry, twos & carry);
    [ones, twos, high ^ over, high & over]
}

/// Mobility of the amazon on `square`, in eighths (Lieberum's alpha, cut after four squares of a ray):
/// the empty neighbours of each square it can go to that the other side can reach too, halved with
/// each further square of distance.
#[inline(always)]
fn alpha<const N: usize>(square: usize, empty: Set, shared: Set, planes: &[Set; 4]) -> usize {
    let seen = Board::<N>::reach(square, empty) & shared;
    // Rings are disjoint, so what counts alike in different rings is counted in one go.
    let mut by_weight = [0; 7];
    for (ring, squares) in Rings::<N>::TABLE[square % 128].iter().enumerate() {
        for (i, plane) in planes.iter().enumerate() {
            by_weight[3 - ring + i] |= squares & plane;
        }
    }
    let mut sum = 0;
    for set in by_weight.iter().rev() {
        sum = 2 * sum + size(seen & set);
    }
    sum as usize
}

/// What a poorly mobile amazon costs, in 1/64 squares, by alpha in eighths. The curve is that of
/// xuzhifan's program: `7 - 0.4 alpha` up to 5, `85 / (12 + alpha)` beyond.
static PENALTY: [i32; 1024] = {
    let mut table = [0; 1024];
    let mut eighths = 0;
    while eighths < 1024 {
        table[eighths as usize] =
            if eighths <= 40 { 448 - 16 * eighths / 5 } else { 64 * 85 * 8 / (96 + eighths) };
        eighths += 1;
    }
    table
};

/// Weights that depend on how open the position is, in 1/64 where nothing else is said.
#[derive(Clone, Copy, Debug)]
struct Phase {
    /// Of territory by king distance.
    king: i32,
    /// Of the mobility penalties.
    mobility: i32,
    /// Squares the right to move is worth.
    tempo: i32,
    /// Of the whole, in an evaluation: how much an advantage tells.
    certainty: i32,
    /// Of the whole, in an order: 1/100 of the logarithm of a move's chance per square.
    choice: i32,
}

const fn phase(king: i32, mobility: i32, tempo: i32, certainty: i32, choice: i32) -> Phase {
    Phase { king, mobility, tempo, certainty, choice }
}

/// `w`, scaled to 92 at the start, and the weights there; straight lines between.
///
/// Kings and mobility follow xuzhifan's program, with its steps made slopes. Tempo and certainty are
/// logistic regressions on the results of 700 games of a tree search with 300 visits a step. The same for
/// choice gave 80 and more in the open; 35, which lets the search look wider, won matches against it.
const KNOTS: [(i32, Phase); 9] = [
    (0, phase(0, 0, -32, 512, 131)),
    (4, phase(0, 0, 19, 166, 110)),
    (10, phase(0, 0, 45, 96, 79)),
    (17, phase(13, 6, 83, 70, 53)),
    (25, phase(32, 13, 160, 38, 40)),
    (32, phase(48, 38, 205, 26, 35)),
    (40, phase(64, 64, 205, 21, 35)),
    (55, phase(64, 128, 205, 13, 35)),
    (70, phase(64, 256, 205, 10, 35)),
];

/// The weights for each whole `w`.
static PHASES: [Phase; 128] = {
    const fn between(a: i32, b: i32, at: i32, span: i32) -> i32 {
        a + (b - a) * at / span
    }
    let mut table = [KNOTS[KNOTS.len() - 1].1; 128];
    let mut i = 0;
    while i + 1 < KNOTS.len() {
        let ((low, a), (high, b)) = (KNOTS[i], KNOTS[i + 1]);
        let mut w = low;
        while w < high {
            let (at, span) = (w - low, high - low);
            table[w as usize] = Phase {
                king: between(a.king, b.king, at, span),
                mobility: between(a.mobility, b.mobility, at, span),
                tempo: between(a.tempo, b.tempo, at, span),
                certainty: between(a.certainty, b.certainty, at, span),
                choice: between(a.choice, b.choice, at, span),
            };
            w += 1;
        }
        i += 1;
    }
    table
};

/// The terms of the evaluation for a board.
#[inline]
fn features<const N: usize>(amazons: [Set; 2], empty: Set) -> Features {
    #[cfg(target_arch = "x86_64")]
    if has_avx2() {
        #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
        fn fast<const N: usize>(amazons: [Set; 2], empty: Set) -> Features {
            terms::<N>(amazons, empty, &super::avx2::spread::<N>(amazons, empty))
        }
        // SAFETY: the processor has these instructions, as `has_avx2` has just found.
        return unsafe { fast::<N>(amazons, empty) };
    }
    terms::<N>(amazons, empty, &spread::<N>(amazons, empty))
}

/// `2 t1 + t2`, White's less Black's.
#[inline]
fn territory<const N: usize>(amazons: [Set; 2], empty: Set) -> i32 {
    #[cfg(target_arch = "x86_64")]
    if has_avx2() {
        #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
        fn fast<const N: usize>(amazons: [Set; 2], empty: Set) -> i32 {
            lead(&super::avx2::spread::<N>(amazons, empty))
        }
        // SAFETY: the processor has these instructions, as `has_avx2` has just found.
        return unsafe { fast::<N>(amazons, empty) };
    }
    lead(&spread::<N>(amazons, empty))
}

#[inline(always)]
fn lead(s: &Spread) -> i32 {
    let more = |sides: &[Set; 2]| size(sides[1]) as i32 - size(sides[0]) as i32;
    2 * more(&s.queen) + more(&s.king)
}

/// Whether the processor has the instructions of the fast evaluation.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn has_avx2() -> bool {
    is_x86_feature_detected!("avx2")
        && is_x86_feature_detected!("bmi1")
        && is_x86_feature_detected!("bmi2")
        && is_x86_feature_detected!("lzcnt")
        && is_x86_feature_detected!("popcnt")
}

#[inline(always)]
fn terms<const N: usize>(amazons: [Set; 2], empty: Set, s: &Spread) -> Features {
    let planes = neighbours::<N>(empty);
    let ties = size(s.queen_ties) as i32;
    let shared = s.reached[0] & s.reached[1];
    let [by_1, by_2, by_3] = [size(s.apart[0]) as i32, size(s.apart[1]) as i32, size(s.apart[2]) as i32];
    let rest = size(shared) as i32 - ties - by_1 - by_2 - by_3;
    let mut mobility = 0;
    for (side, sign) in [(0, 1), (1, -1)] {
        let mut left = amazons[side];
        while left != 0 {
            let alpha = alpha::<N>(left.trailing_zeros() as usize, empty, s.reached[1 - side], &planes);
            mobility += sign * PENALTY[alpha % 1024];
            left &= left - 1;
        }
    }
    Features {
        t1: size(s.queen[1]) as i32 - size(s.queen[0]) as i32,
        t2: size(s.king[1]) as i32 - size(s.king[0]) as i32,
        ties,
        w: 16 * ties + 8 * by_1 + 4 * by_2 + 2 * by_3 + rest,
        mobility,
    }
}

/// White's advantage in 1/64 squares when `next` moves next, and the phase it was weighed in. `area` is
/// the number of squares neither side stands on at the start.
fn advantage(features: &Features, next: Color, area: i32) -> (i32, &'static Phase) {
    let phase = &PHASES[(features.w * 92 / (16 * area)).clamp(0, 127) as usize];
    let tempo = if next == Color::White { phase.tempo } else { -phase.tempo };
    let sum = 64 * features.t1 + phase.king * features.t2 + phase.mobility * features.mobility / 64 + tempo;
    (sum, phase)
}

impl<const N: usize> Steps<N> {
    /// The terms of the evaluation, of the position as it stands; an outstanding arrow is ignored.
    #[must_use]
    pub fn features(&self) -> Features {
        features::<N>(self.board.amazons, self.board.empty)
    }

    /// The distances behind the evaluation.
    #[must_use]
    pub fn distances(&self) -> Distances {
        let nowhere = || [vec![None; N * N], vec![None; N * N]];
        let mut distances = Distances { queen: nowhere(), king: nowhere() };
        let fill = |table: &mut [Vec<Option<u8>>; 2], level: u8, new: [Set; 2]| {
            for (table, new) in table.iter_mut().zip(new) {
                for square in board::squares(new) {
                    table[square / (N + 1) * N + square % (N + 1)] = Some(level);
                }
            }
        };
        let mut level = 0;
        queen_levels::<N>(self.board.amazons, self.board.empty, |new, _| {
            level += 1;
            fill(&mut distances.queen, level, new);
        });
        level = 0;
        king_levels::<N>(self.board.amazons, self.board.empty, |new, _| {
            level += 1;
            fill(&mut distances.king, level, new);
        });
        distances
    }

    /// Mobility of the amazon on a square, in eighths; `None` when there is no amazon. The sum, over
    /// the squares within four king moves it can go to and the other side can reach, of `2^(4 - moves)`
    /// times the empty squares around.
    #[must_use]
    pub fn mobility(&self, point: Point) -> Option<u32> {
        let square = Board::<N>::square(point)?;
        let side = (0..2).find(|&side| self.board.amazons[side] & board::bit(square) != 0)?;
        let (amazons, empty) = (self.board.amazons, self.board.empty);
        let shared = spread::<N>(amazons, empty).reached[1 - side];
        Some(alpha::<N>(square, empty, shared, &neighbours::<N>(empty)) as u32)
    }

    /// The side to move once the turn is complete.
    fn next(&self) -> Color {
        if self.shooter().is_some() { !self.board.turn } else { self.board.turn }
    }
}

/// More queen steps than four amazons ever have: 35 each from the middle of an empty board.
const MOST: usize = 4 * 35;
/// At most so many moves are worth searching: all but one in 500 of the moves a search of 300 visits
/// chose were among the best 16 by territory.
const WIDTH: usize = 16;
/// Up to this side of the board every move is worth searching, so that positions can be solved.
const SOLVABLE: usize = 5;
/// Random turns of a playout before it is judged.
const TURNS: u32 = 3;
/// How much steeper than at a leaf the result of a playout follows its judgement.
const STEEP: f32 = 3.0;

impl<const N: usize> Steps<N> {
    const AREA: i32 = (N * N) as i32 - 8;

    /// White's advantage as the side to move sees it.
    fn mover(&self, white: i32) -> i32 {
        if self.board.turn == Color::White { white } else { -white }
    }

    /// A random move by two random choices: an amazon that can move, then one of its steps.
    fn random_move(&self, rng: &mut Rng) -> Option<Move> {
        let pick = |set: Set, rng: &mut Rng| (set != 0).then(|| board::nth(set, below(rng, size(set))));
        if let Some(shooter) = self.shooter() {
            return pick(self.targets(shooter), rng).map(steps::arrow_move);
        }
        let free = self.board.own() & Board::<N>::dilate(self.board.empty);
        let from = pick(free, rng)?;
        pick(Board::<N>::reach(from, self.board.empty), rng).map(|to| steps::step_move(from, to))
    }
}

impl<const N: usize> Knowledge for Steps<N> {
    const LEAF: Leaf = Leaf::Static;
    const SCALE: i32 = 6 * Self::UNIT;
    // 69 of 100 games against 1.1 at 300 visits a step.
    const EXPLORATION: f32 = 0.7;
    const UNIT: i32 = 64;

    fn evaluate(&self) -> i32 {
        let (white, phase) = advantage(&self.features(), self.next(), Self::AREA);
        self.mover(white * phase.certainty / 64).clamp(-EVAL_MAX, EVAL_MAX)
    }

    /// The best by territory alone, best first, when there are many.
    fn candidates(&self, out: &mut Vec<Move>) -> bool {
        let first = out.len();
        self.moves(out);
        let moves = &mut out[first..];
        if N <= SOLVABLE || moves.len() <= WIDTH {
            return true;
        }
        let mut next = self.clone();
        let mut ranked: ArrayVec<(i32, Move), MOST> = ArrayVec::new();
        for &mv in moves.iter() {
            let undo = next.play(mv);
            let white = territory::<N>(next.board.amazons, next.board.empty);
            next.undo(mv, undo);
            if ranked.try_push((-self.mover(white), mv)).is_err() {
                return true;
            }
        }
        ranked.sort_unstable();
        for (slot, (_, mv)) in moves.iter_mut().zip(&ranked) {
            *slot = *mv;
        }
        out.truncate(first + WIDTH);
        false
    }

    fn order(&self, moves: &[Move], out: &mut Vec<i32>) {
        let mut next = self.clone();
        out.extend(moves.iter().map(|&mv| {
            let undo = next.play(mv);
            let (white, phase) = advantage(&next.features(), next.next(), Self::AREA);
            let over = next.outcome().is_some();
            next.undo(mv, undo);
            if over { EVAL_MAX } else { self.mover(white * phase.choice / 64) }
        }));
    }

    /// Three random turns, then the evaluation. (Lorentz 2008 and xuzhifan's program play six and count
    /// the sign alone; a steep curve measured the same.)
    fn playout(&mut self, rng: &mut Rng) -> f32 {
        for _ in 0..2 * TURNS {
            let Some(mv) = self.random_move(rng) else { break };
            self.play(mv);
        }
        let black = match self.outcome() {
            Some(Outcome::Win(Color::Black)) => return 1.0,
            Some(_) => return 0.0,
            None if self.board.turn == Color::Black => self.evaluate(),
            None => -self.evaluate(),
        };
        let x = STEEP * black as f32 / Self::SCALE as f32;
        0.5 + 0.5 * x / (1.0 + x * x).sqrt()
    }
}
