//! The board of Amazons as bit boards, and the moves on it.
//!
//! Square `row * (N + 1) + column` is one bit of a `u128`, row 0 at the bottom. The column `N` is on no
//! board: it is never empty, so a shift that leaves a row lands there and is masked away. 10x10 takes
//! 110 bits.

use crate::game::{Color, Illegal, Outcome, Point, random};

/// A set of squares.
pub(super) type Set = u128;

/// Hash keys: Black's amazons, White's, arrows, the amazon that still has to shoot; 128 squares each.
static KEYS: [u64; 512] = random::keys(0x0061_6D61_7A6F_6E73);
/// Toggled when White is to move.
const WHITE_TO_MOVE: u64 = random::mix(0x7475_726E);
/// Offset of the arrows in [`KEYS`].
const ARROW: usize = 256;
/// Offset of the shooters in [`KEYS`].
const SHOOTER: usize = 384;

/// The key of "the amazon on `square` must shoot".
pub(super) fn shooter_key(square: usize) -> u64 {
    KEYS[SHOOTER + square % 128]
}

/// Number of squares in a set.
#[inline(always)]
pub(super) fn size(set: Set) -> u32 {
    set.count_ones()
}

/// The squares of a set, lowest first.
#[inline(always)]
pub(super) fn squares(mut set: Set) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        if set == 0 {
            return None;
        }
        let square = set.trailing_zeros() as usize;
        set &= set - 1;
        Some(square)
    })
}

/// The square number `n` (from 0) of a set with more than `n`.
#[inline]
pub(super) fn nth(mut set: Set, n: u32) -> usize {
    for _ in 0..n {
        set &= set.wrapping_sub(1);
    }
    set.trailing_zeros() as usize
}

/// The set of one square.
#[inline(always)]
pub(super) const fn bit(square: usize) -> Set {
    1 << (square % 128)
}

/// Amazons, arrows and the side to move on an `N`x`N` board.
#[derive(Clone, Debug)]
pub(super) struct Board<const N: usize> {
    /// The amazons of each colour, by [`Color::index`].
    pub(super) amazons: [Set; 2],
    /// Squares with neither amazon nor arrow.
    pub(super) empty: Set,
    /// The side to move.
    pub(super) turn: Color,
    /// The hash key of the above.
    pub(super) key: u64,
}

impl<const N: usize> Board<N> {
    /// Bits from one row to the next.
    pub(super) const STRIDE: usize = N + 1;
    /// The board's squares.
    pub(super) const ALL: Set = Self::all();
    /// Bits between neighbours on the four lines, upwards: row, diagonal, column, diagonal.
    pub(super) const LINES: [usize; 4] = [1, N, N + 1, N + 2];
    /// From each square the squares of the four upward rays, then of the four downward ones, in the
    /// order of [`Self::LINES`].
    const RAYS: &'static [[Set; 8]; 128] = &Self::rays();

    const fn all() -> Set {
        let mut set = 0;
        let mut row = 0;
        while row < N {
            set |= ((1 << N) - 1) << (row * (N + 1));
            row += 1;
        }
        set
    }

    const fn rays() -> [[Set; 8]; 128] {
        const STEPS: [(isize, isize); 8] =
            [(0, 1), (1, -1), (1, 0), (1, 1), (0, -1), (-1, 1), (-1, 0), (-1, -1)];
        let side = N as isize;
        let mut rays = [[0; 8]; 128];
        let mut square = 0;
        while square < N * N {
            let (row, column) = ((square / N) as isize, (square % N) as isize);
            let mut direction = 0;
            while direction < 8 {
                let (up, right) = STEPS[direction];
                let (mut r, mut c) = (row + up, column + right);
                while 0 <= r && r < side && 0 <= c && c < side {
                    rays[(row * (side + 1) + column) as usize][direction] |= 1 << (r * (side + 1) + c);
                    r += up;
                    c += right;
                }
                direction += 1;
            }
            square += 1;
        }
        rays
    }

    /// A board with these amazons (by [`Color::index`]) and arrows.
    pub(super) fn new(amazons: [Set; 2], arrows: Set, turn: Color) -> Self {
        let mut key = if turn == Color::White { WHITE_TO_MOVE } else { 0 };
        for (set, offset) in [(amazons[0], 0), (amazons[1], 128), (arrows, ARROW)] {
            key = squares(set).fold(key, |key, square| key ^ KEYS[offset + square]);
        }
        Board { amazons, empty: Self::ALL & !(amazons[0] | amazons[1] | arrows), turn, key }
    }

    /// The arrows.
    pub(super) fn arrows(&self) -> Set {
        Self::ALL & !(self.empty | self.amazons[0] | self.amazons[1])
    }

    /// The amazons of the side to move.
    pub(super) fn own(&self) -> Set {
        self.amazons[self.turn.index()]
    }

    /// The square of a point on the board.
    pub(super) fn square(point: Point) -> Option<usize> {
        let (row, column) = (usize::from(point.row), usize::from(point.column));
        (row < N && column < N).then_some(row * Self::STRIDE + column)
    }

    /// The point of a square on the board.
    pub(super) fn point(square: usize) -> Option<Point> {
        let (row, column) = (square / Self::STRIDE, square % Self::STRIDE);
        (row < N && column < N).then_some(Point { column: column as u8, row: row as u8 })
    }

    /// The squares a queen on `square` can go to when `empty` are empty.
    #[inline(always)]
    pub(super) fn reach(square: usize, empty: Set) -> Set {
        let rays = &Self::RAYS[square % 128];
        let mut seen = 0;
        for ray in &rays[..4] {
            // The lowest blocker and all below it; everything when there is none.
            let blockers = ray & !empty;
            seen |= ray & (blockers ^ blockers.wrapping_sub(1));
        }
        for ray in &rays[4..] {
            // The highest blocker and all above it; bit 0 stands in when there is none.
            let blockers = ray & !empty | 1;
            seen |= ray & (Set::MAX << (127 - blockers.leading_zeros()));
        }
        seen & empty
    }

    /// `set` and all squares next to it.
    #[inline(always)]
    pub(super) fn dilate(set: Set) -> Set {
        let row = set | set << 1 | set >> 1;
        row | row << Self::STRIDE | row >> Self::STRIDE
    }

    /// Whether the side to move has no move: an amazon with an empty neighbour can step there and shoot
    /// back.
    #[inline]
    pub(super) fn is_over(&self) -> bool {
        Self::dilate(self.own()) & self.empty == 0
    }

    /// Who has won, if the side to move has no move.
    pub(super) fn outcome(&self) -> Option<Outcome> {
        self.is_over().then_some(Outcome::Win(!self.turn))
    }

    /// Moves an amazon of the side to move; its own inverse with the squares exchanged.
    #[inline(always)]
    pub(super) fn step(&mut self, from: usize, to: usize) {
        let side = self.turn.index();
        let both = bit(from) | bit(to);
        self.amazons[side] ^= both;
        self.empty ^= both;
        self.key ^= KEYS[(side * 128 + from) % 256] ^ KEYS[(side * 128 + to) % 256];
    }

    /// Puts an arrow on an empty square or takes one away, and changes the side to move.
    #[inline(always)]
    pub(super) fn shoot(&mut self, arrow: usize) {
        self.empty ^= bit(arrow);
        self.key ^= KEYS[ARROW + arrow % 128] ^ WHITE_TO_MOVE;
        self.turn = !self.turn;
    }

    /// Why the side to move may not play this, or `Ok`. Any numbers may be asked about.
    pub(super) fn check(&self, from: usize, to: usize, arrow: usize) -> Result<(), Illegal> {
        if self.is_over() {
            return Err(Illegal::GameOver);
        }
        if [from, to, arrow].into_iter().any(|square| Self::point(square).is_none()) {
            return Err(Illegal::OffBoard);
        }
        if self.own() & bit(from) == 0 {
            return Err(Illegal::NoAmazon);
        }
        Self::check_line(from, to, self.empty)?;
        Self::check_line(to, arrow, self.empty | bit(from))
    }

    fn check_line(from: usize, to: usize, empty: Set) -> Result<(), Illegal> {
        if Self::reach(from, Self::ALL) & bit(to) == 0 {
            Err(Illegal::NotStraight)
        } else if empty & bit(to) == 0 {
            Err(Illegal::Occupied)
        } else if Self::reach(from, empty) & bit(to) == 0 {
            Err(Illegal::Blocked)
        } else {
            Ok(())
        }
    }

    /// Whether the side to move may play this. Any numbers may be asked about.
    pub(super) fn is_legal(&self, from: usize, to: usize, arrow: usize) -> bool {
        self.is_step(from, to) && arrow < 128 && Self::reach(to, self.empty ^ bit(from)) & bit(arrow) != 0
    }

    /// Whether the side to move may make this queen step. Any numbers may be asked about.
    pub(super) fn is_step(&self, from: usize, to: usize) -> bool {
        from < 128 && to < 128 && self.own() & bit(from) != 0 && Self::reach(from, self.empty) & bit(to) != 0
    }

    /// Calls `visit(from, to)` for every queen step of the side to move.
    #[inline(always)]
    pub(super) fn each_step(&self, mut visit: impl FnMut(usize, usize)) {
        for from in squares(self.own()) {
            for to in squares(Self::reach(from, self.empty)) {
                visit(from, to);
            }
        }
    }

    /// How many queen steps the side to move has.
    pub(super) fn count_steps(&self) -> u32 {
        squares(self.own()).map(|from| size(Self::reach(from, self.empty))).sum()
    }

    /// How many full moves the side to move has, without listing them.
    ///
    /// From an empty square `t` a queen sees `s(t)` squares. After the step from `f` to `t` it sees
    /// those and, past `t`'s blocker `f`, also `f` and what `f` sees on the far side. `s` is counted for
    /// all squares at once in six bit planes: two squares of a line see each other exactly when all from
    /// one to the other are empty.
    pub(super) fn count(&self) -> u64 {
        let mut planes = [0; 6];
        for line in Self::LINES {
            let mut run = self.empty;
            for distance in 1..N {
                run &= run >> line;
                if run == 0 {
                    break;
                }
                let far = run << (line * distance);
                let mut carry = planes[0] & run | far & (planes[0] ^ run);
                planes[0] ^= run ^ far;
                for plane in &mut planes[1..] {
                    let next = *plane & carry;
                    *plane ^= carry;
                    carry = next;
                }
            }
        }
        let mut total = 0;
        for from in squares(self.own()) {
            let reach = Self::reach(from, self.empty);
            for (i, plane) in planes.iter().enumerate() {
                total += size(reach & plane) << i;
            }
            let rays = &Self::RAYS[from % 128];
            for line in 0..4 {
                let (up, down) = (size(reach & rays[line]), size(reach & rays[line + 4]));
                total += up + down + 2 * up * down;
            }
        }
        u64::from(total)
    }
}
