//! What a search knows of NoGo: mobility.
//!
//! A position is a race of spare moves, and the difference of the legal moves of both sides is its
//! best cheap measure: points legal for both cancel out, an own eye counts one. The change of that
//! difference orders moves, and the sigmoid of it ends playouts before their dull last third.

use super::bits::{Bits, Plane};
use super::chains::Chains;
use super::standard::Standard;
use crate::game::{Color, EVAL_MAX, Knowledge, Leaf, Move, Rng, random};

/// Plies after which a playout is judged by mobility instead of being played out.
const CUT: u32 = 28;

/// Scores of [`Knowledge::order`]: a log-linear model, fitted to the visits of every root move in 250
/// games of tree search (RAVE, 2,000 playouts a move) against itself on 9x9. On games left out it
/// needs 2.57 nats a move, where all moves alike need 3.54. Cells never met are filled by hand.
///
/// By legal points the side to move loses by the move, that point included.
const OWN_LOSS: [i32; 5] = [208, 208, -88, -362, -500];
/// By legal points the other side loses, that point included.
const ENEMY_LOSS: [i32; 5] = [-325, -144, 216, 358, 400];
/// For a point only the side to move can play.
const SPARE: i32 = -264;
/// By neighbours of the own colour.
const OWN_BESIDE: [i32; 5] = [49, -28, -21, -21, -115];
/// By neighbours of the other colour.
const ENEMY_BESIDE: [i32; 5] = [-61, -7, 52, 62, 62];
/// By diagonal neighbours of the own and of the other colour, for points with 0, 1 or more sides to
/// the edge or to holes.
const DIAGONAL: [([i32; 5], [i32; 5]); 3] = [
    ([-68, -7, 43, 57, 55], [-88, -50, 1, 70, 73]),
    ([-16, 23, 48, 48, 48], [-22, 10, 54, 54, 54]),
    ([116, 142, 142, 142, 142], [122, 97, 97, 97, 97]),
];

/// Points by what they are to the sides, for drawing moves at random. Each empty point is in one list
/// at most, and as legal points only become fewer, it never returns to one it has left.
struct Urns<P: Plane> {
    /// Points not known to be illegal for either side.
    shared: Urn<P>,
    /// Points known to be illegal for the other side, by colour.
    own: [Urn<P>; 2],
}

/// An unordered list of points.
struct Urn<P: Plane> {
    points: <P::Bits as Bits>::Cells,
    len: u32,
}

impl<P: Plane> Urn<P> {
    fn new(set: P::Bits) -> Urn<P> {
        let mut urn = Urn { points: P::Bits::cells(0), len: 0 };
        for point in set.iter() {
            urn.put(point);
        }
        urn
    }

    #[inline]
    fn put(&mut self, point: usize) {
        P::Bits::set_cell(&mut self.points, self.len as usize, point);
        self.len += 1;
    }

    #[inline]
    fn take(&mut self, index: u32) -> usize {
        let point = P::Bits::cell(&self.points, index as usize);
        self.len -= 1;
        let moved = P::Bits::cell(&self.points, self.len as usize);
        P::Bits::set_cell(&mut self.points, index as usize, moved);
        point
    }
}

impl<P: Plane> Urns<P> {
    fn new(empty: P::Bits) -> Urns<P> {
        Urns { shared: Urn::new(empty), own: [Urn::new(P::Bits::EMPTY), Urn::new(P::Bits::EMPTY)] }
    }

    /// Draws a legal move of `color`, uniformly from all it has.
    #[inline]
    fn uniform(&mut self, chains: &Chains<P>, color: Color, rng: &mut Rng) -> Option<usize> {
        loop {
            let own = &mut self.own[color.index()];
            let all = self.shared.len + own.len;
            if all == 0 {
                return None;
            }
            let index = random::below(rng, all);
            if index < self.shared.len {
                let point = self.shared.take(index);
                if chains.is_legal(point, color) {
                    return Some(point);
                }
                self.own[(!color).index()].put(point);
            } else {
                let point = own.take(index - self.shared.len);
                if chains.is_legal(point, color) {
                    return Some(point);
                }
            }
        }
    }

    /// Draws a legal move of `color` that is legal for the other side too; where there is none, one
    /// that only `color` can play.
    #[inline]
    fn contested(&mut self, chains: &Chains<P>, color: Color, rng: &mut Rng) -> Option<usize> {
        while self.shared.len > 0 {
            let point = self.shared.take(random::below(rng, self.shared.len));
            match (chains.is_legal(point, color), chains.is_legal(point, !color)) {
                (true, true) => return Some(point),
                (true, false) => self.own[color.index()].put(point),
                (false, true) => self.own[(!color).index()].put(point),
                (false, false) => {}
            }
        }
        let own = &mut self.own[color.index()];
        while own.len > 0 {
            let point = own.take(random::below(rng, own.len));
            if chains.is_legal(point, color) {
                return Some(point);
            }
        }
        None
    }
}

impl<P: Plane> Standard<P> {
    /// Plays the game to its end with moves drawn uniformly from all legal ones, leaves the final
    /// position, and returns the winner and the number of plies played. From the start position the
    /// ban of the centre is not heeded.
    pub fn uniform_playout(&mut self, rng: &mut Rng) -> (Color, u32) {
        let mut chains = Chains::new(&self.shape, &self.stones);
        let mut urns = Urns::new(chains.empty);
        let mut plies = 0;
        while let Some(point) = urns.uniform(&chains, self.turn, rng) {
            chains.place(point, self.turn);
            self.turn = !self.turn;
            plies += 1;
        }
        self.stones = chains.stones;
        (!self.turn, plies)
    }

    /// Plays on with moves drawn uniformly from the contested points (legal for both sides), and from
    /// a side's own only when none is left; at most `cut` plies. Leaves the last position, and returns
    /// the winner, or `None` if the game was cut short, and the number of plies played.
    pub fn contested_playout(&mut self, rng: &mut Rng, cut: u32) -> (Option<Color>, u32) {
        let mut chains = Chains::new(&self.shape, &self.stones);
        let mut urns = Urns::new(chains.empty);
        let mut plies = 0;
        let mut winner = None;
        while plies < cut {
            let Some(point) = urns.contested(&chains, self.turn, rng) else {
                winner = Some(!self.turn);
                break;
            };
            chains.place(point, self.turn);
            self.turn = !self.turn;
            plies += 1;
        }
        self.stones = chains.stones;
        (winner, plies)
    }

    /// Legal moves of the side to move less those of the other side.
    #[inline]
    fn mobility(&self) -> i32 {
        let legal = self.legal();
        legal[self.turn.index()].count() as i32 - legal[(!self.turn).index()].count() as i32
    }
}

/// What a move does to the legal moves of the side to move and of the other side (both mostly
/// negative), the point itself included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Change {
    own: i32,
    enemy: i32,
}

/// `legal` are the legal points by colour.
fn change<P: Plane>(
    chains: &Chains<P>,
    plane: P,
    legal: &[P::Bits; 2],
    color: Color,
    point: usize,
) -> Change {
    let stone = P::Bits::bit(point);
    let empty = chains.empty ^ stone;
    let around = plane.around(stone) & empty;
    let [own_legal, enemy_legal] = [legal[color.index()], legal[(!color).index()]];
    let mut own_lost = stone;
    let mut enemy_lost = stone;
    let friends = chains.liberties_beside(point, color);
    let foes = chains.liberties_beside(point, !color);
    let liberties = friends.into_iter().fold(around, |all, set| all | set);
    // Points without an empty neighbour that lose an enemy block's second liberty, or the empty
    // neighbour that has just been filled.
    let mut doubtful = around;
    for foe in foes {
        if foe.at_most_one() {
            own_lost = own_lost | foe;
            doubtful = doubtful | foe;
        }
    }
    let shut = |at: usize| (plane.around(P::Bits::bit(at)) & empty).is_empty();
    for at in (doubtful & enemy_legal).iter() {
        let other = |set: P::Bits| !(set & empty).is_empty();
        if shut(at) && !chains.liberties_beside(at, !color).into_iter().any(other) {
            enemy_lost = enemy_lost | P::Bits::bit(at);
        }
    }
    if liberties.at_most_one() {
        enemy_lost = enemy_lost | liberties;
        let at = liberties.lowest();
        // The new block has no other liberty; blocks it has swallowed have none either.
        let other = |set: P::Bits| !(set & empty & !liberties).is_empty();
        if shut(at) && !chains.liberties_beside(at, color).into_iter().any(other) {
            own_lost = own_lost | liberties;
        }
    }
    Change {
        own: -((own_lost & own_legal).count() as i32),
        enemy: -((enemy_lost & enemy_legal).count() as i32),
    }
}

impl<P: Plane> Knowledge for Standard<P> {
    const LEAF: Leaf = Leaf::Playout;
    // A lead of four moves: see `sigmoid`.
    const SCALE: i32 = 400;
    const UNIT: i32 = 100;
    const EXPAND_VISITS: u32 = 4;

    #[inline]
    fn evaluate(&self) -> i32 {
        // It is a burden to be on move: half a point.
        (100 * self.mobility() - 50).clamp(-EVAL_MAX, EVAL_MAX)
    }

    fn order(&self, moves: &[Move], out: &mut Vec<i32>) {
        let chains = Chains::new(&self.shape, &self.stones);
        let plane = self.shape.plane;
        let legal = self.legal();
        let [own, enemy] = [self.stones[self.turn.index()], self.stones[(!self.turn).index()]];
        let enemy_legal = legal[(!self.turn).index()];
        out.extend(moves.iter().map(|mv| {
            let stone = P::Bits::bit(mv.index());
            let change = change(&chains, plane, &legal, self.turn, mv.index());
            let beside = plane.around(stone) & self.shape.points;
            let sides = plane.up_and_down(stone);
            let corners = (sides.up(1) | sides.down(1)) & self.shape.points;
            let count = |set: P::Bits| set.count() as usize;
            let diagonal = &DIAGONAL[(4 - count(beside)).min(2)];
            let spare = if enemy_legal.has(mv.index()) { 0 } else { SPARE };
            spare
                + OWN_LOSS[change.own.unsigned_abs().min(4) as usize]
                + ENEMY_LOSS[change.enemy.unsigned_abs().min(4) as usize]
                + OWN_BESIDE[count(beside & own)]
                + ENEMY_BESIDE[count(beside & enemy)]
                + diagonal.0[count(corners & own)]
                + diagonal.1[count(corners & enemy)]
        }));
    }

    fn playout(&mut self, rng: &mut Rng) -> f32 {
        let (winner, _) = self.contested_playout(rng, CUT);
        match winner {
            Some(Color::Black) => 1.0,
            Some(Color::White) => 0.0,
            None => {
                let mover = sigmoid(self.mobility());
                if self.turn == Color::Black { mover } else { 1.0 - mover }
            }
        }
    }
}

/// The chance of the side to move that has so many legal moves more than the other side:
/// `0.5 + 0.5 x / sqrt(1 + x^2)`, with the slope of the logistic function of half the lead.
fn sigmoid(lead: i32) -> f32 {
    let x = (lead as f32 - 0.5) * 0.25;
    0.5 + 0.5 * x / (1.0 + x * x).sqrt()
}

#[cfg(test)]
mod tests {
    use super::super::bits::{Large, Nine, Small};
    use super::super::shape::Shape;
    use super::*;
    use crate::game::Game;

    /// Holds `change` against the legal points counted anew after the move, in random games.
    fn changes_are_exact<P: Plane>(width: u8, height: u8, games: u64) {
        for seed in 0..games {
            let mut rng = random::rng(seed);
            let mut position = Standard::<P>::new(Shape::new(width, height, &[], false));
            let mut moves = Vec::new();
            loop {
                moves.clear();
                position.moves(&mut moves);
                if moves.is_empty() {
                    break;
                }
                let color = position.turn;
                let chains = Chains::new(&position.shape, &position.stones);
                let before = position.legal();
                for &mv in &moves {
                    let found = change(&chains, position.shape.plane, &before, color, mv.index());
                    position.play(mv);
                    let after = position.legal();
                    position.undo(mv, ());
                    let less = |c: Color| after[c.index()].count() as i32 - before[c.index()].count() as i32;
                    let expected = Change { own: less(color), enemy: less(!color) };
                    assert_eq!(found, expected, "{mv:?} in {position:?}");
                }
                let index = random::below(&mut rng, moves.len() as u32);
                position.play(moves[index as usize]);
            }
        }
    }

    #[test]
    fn changes_of_mobility_are_exact() {
        changes_are_exact::<Nine>(9, 9, 60);
        changes_are_exact::<Small>(5, 5, 60);
        changes_are_exact::<Small>(1, 9, 60);
        changes_are_exact::<Large>(7, 17, 10);
    }
}
