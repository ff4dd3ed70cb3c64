//! Blocks of stones kept up to date stone by stone, for playouts and for trying moves.
//!
//! Blocks are the trees of a union-find structure. Each root has the set of its block's liberties as
//! of its last stone; points filled since are cut off where the set is used.

use super::bits::{Bits, Plane};
use super::shape::Shape;
use crate::game::Color;

/// The blocks of a position of NoGo.
#[derive(Clone)]
pub(super) struct Chains<P: Plane> {
    plane: P,
    pub(super) empty: P::Bits,
    pub(super) stones: [P::Bits; 2],
    /// By colour, the points where it would take an enemy block's last liberty. Such a point stays
    /// forbidden until someone else fills it.
    banned: [P::Bits; 2],
    /// Parent in the union-find forest, by point plus stride; `nobody` where no stone stands.
    parents: <P::Bits as Bits>::Cells,
    /// By colour, the liberties of the block with that root; empty for roots of the other colour.
    liberties: [<P::Bits as Bits>::Sets; 2],
}

impl<P: Plane> Chains<P> {
    pub(super) fn new(shape: &Shape<P>, stones: &[P::Bits; 2]) -> Chains<P> {
        let plane = shape.plane;
        let empty = shape.empty(stones);
        // The guard bit of row 0 is never a point; it is the root of all that is no stone.
        let nobody = plane.stride() - 1;
        let mut chains = Chains {
            plane,
            empty,
            stones: *stones,
            banned: [P::Bits::EMPTY; 2],
            parents: P::Bits::cells(nobody),
            liberties: [P::Bits::sets(), P::Bits::sets()],
        };
        for color in Color::ALL {
            let mut rest = stones[color.index()];
            while !rest.is_empty() {
                let root = rest.lowest();
                let block = plane.flood(rest.first(), rest);
                rest = rest ^ block;
                for point in block.iter() {
                    P::Bits::set_cell(&mut chains.parents, point + plane.stride(), root);
                }
                let liberties = plane.around(block) & empty;
                P::Bits::set_set(&mut chains.liberties[color.index()], root, liberties);
                chains.ban(!color, liberties);
            }
        }
        chains
    }

    /// Notes that `enemy` may not fill the liberties of a block if it has only one.
    #[inline]
    fn ban(&mut self, enemy: Color, liberties: P::Bits) {
        if liberties.at_most_one() {
            let banned = &mut self.banned[enemy.index()];
            *banned = *banned | liberties;
        }
    }

    /// The neighbours of `point`, as cells of `parents`.
    #[inline]
    fn beside(&self, point: usize) -> [usize; 4] {
        let stride = self.plane.stride();
        [point, point + stride - 1, point + stride + 1, point + 2 * stride]
    }

    /// The root of the block at a cell of `parents`.
    #[inline]
    fn root(&self, cell: usize) -> usize {
        let stride = self.plane.stride();
        let mut root = P::Bits::cell(&self.parents, cell);
        loop {
            let up = P::Bits::cell(&self.parents, root + stride);
            if up == root {
                return root;
            }
            root = up;
        }
    }

    /// The root of the block at a cell of `parents`, with the way to it halved.
    #[inline]
    fn find(&mut self, cell: usize) -> usize {
        let stride = self.plane.stride();
        let mut root = P::Bits::cell(&self.parents, cell);
        loop {
            let up = P::Bits::cell(&self.parents, root + stride);
            if up == root {
                return root;
            }
            let above = P::Bits::cell(&self.parents, up + stride);
            P::Bits::set_cell(&mut self.parents, root + stride, above);
            root = above;
        }
    }

    /// Liberties, without `point` itself, of the blocks of `color` beside the empty `point`, in the
    /// order of [`beside`](Self::beside); empty where there is no such block.
    #[inline]
    pub(super) fn liberties_beside(&self, point: usize, color: Color) -> [P::Bits; 4] {
        let left = self.empty & !P::Bits::bit(point);
        self.beside(point).map(|cell| P::Bits::set(&self.liberties[color.index()], self.root(cell)) & left)
    }

    /// Whether `color` may put a stone on the empty `point`.
    #[inline]
    pub(super) fn is_legal(&self, point: usize, color: Color) -> bool {
        let stone = P::Bits::bit(point);
        if !(self.banned[color.index()] & stone).is_empty() {
            return false;
        }
        if !(self.plane.around(stone) & self.empty).is_empty() {
            return true;
        }
        let [a, b, c, d] = self.liberties_beside(point, color);
        !(a | b | c | d).is_empty()
    }

    /// Puts a stone of `color` on `point`, where it is legal.
    #[inline]
    pub(super) fn place(&mut self, point: usize, color: Color) {
        let stride = self.plane.stride();
        let (own, enemy) = (color.index(), (!color).index());
        let stone = P::Bits::bit(point);
        self.empty = self.empty ^ stone;
        self.stones[own] = self.stones[own] | stone;
        P::Bits::set_cell(&mut self.parents, point + stride, point);
        let mut liberties = self.plane.around(stone);
        for cell in self.beside(point) {
            let root = self.find(cell);
            let friend = P::Bits::set(&self.liberties[own], root);
            liberties = liberties | friend;
            // Written without a branch: whose stone this is, is as good as random.
            let child = if friend.is_empty() { point } else { root };
            P::Bits::set_cell(&mut self.parents, child + stride, point);
            let foe = P::Bits::set(&self.liberties[enemy], root) & self.empty;
            self.ban(color, foe);
        }
        liberties = liberties & self.empty;
        P::Bits::set_set(&mut self.liberties[own], point, liberties);
        self.ban(!color, liberties);
    }
}
