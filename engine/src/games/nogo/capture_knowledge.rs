//! What a search knows of NoGo with captures.

use super::bits::{Bits, Plane};
use super::capture::Capture;
use crate::game::{Color, EVAL_MAX, Game, Knowledge, Leaf, Move, Outcome, Rng, random};

/// Plies after which a playout is judged by stones and liberties.
const CUT: u32 = 24;

impl<P: Plane> Capture<P> {
    /// Stones, liberties and blocks in atari of one side, in units of a hundredth of a stone.
    fn strength(&self, color: Color, empty: P::Bits) -> i32 {
        let own = self.stones[color.index()];
        let liberties = self.shape.liberties(own, empty);
        let atari = liberties.last.count() as i32;
        let all = (liberties.last | liberties.more).count() as i32;
        100 * own.count() as i32 + 20 * all - 60 * atari
    }

    /// Draws a move uniformly from the empty points, those that fill an own eye last.
    fn draw(&self, rng: &mut Rng) -> Option<usize> {
        let plane = self.shape.plane;
        let empty = self.shape.empty(&self.stones);
        let mut left = self.legal();
        let own = self.stones[self.turn.index()];
        let foreign = plane.around(empty | self.stones[(!self.turn).index()]);
        let eyes = left & plane.around(own) & !foreign;
        if left != eyes {
            left = left & !eyes;
        }
        let skip = random::below(rng, left.count().max(1));
        left.iter().nth(skip as usize)
    }
}

impl<P: Plane> Knowledge for Capture<P> {
    const LEAF: Leaf = Leaf::Playout;
    const SCALE: i32 = 500;
    const UNIT: i32 = 100;

    fn evaluate(&self) -> i32 {
        let empty = self.shape.empty(&self.stones);
        let lead = self.strength(self.turn, empty) - self.strength(!self.turn, empty);
        // Blocks of the side not to move can be taken at once.
        let prey = self.shape.liberties(self.stones[(!self.turn).index()], empty).last.count() as i32;
        (lead + 60 * prey).clamp(-EVAL_MAX, EVAL_MAX)
    }

    fn order(&self, moves: &[Move], out: &mut Vec<i32>) {
        let plane = self.shape.plane;
        let empty = self.shape.empty(&self.stones);
        let [own, enemy] = [self.stones[self.turn.index()], self.stones[(!self.turn).index()]];
        let [mine, theirs] = [own, enemy].map(|stones| self.shape.liberties(stones, empty));
        out.extend(moves.iter().map(|mv| {
            let stone = P::Bits::bit(mv.index());
            let mut score = 0;
            let mut room = empty & !stone;
            if !(stone & theirs.last).is_empty() {
                let prey = self.prey(mv.index());
                score += 250 + 40 * prey.count() as i32;
                room = room | prey;
            }
            let block = plane.flood(stone, own | stone);
            let liberties = (plane.around(block) & room).count() as i32;
            if liberties <= 1 {
                score -= 150 + 30 * block.count() as i32;
            } else if !(stone & mine.last).is_empty() {
                score += 150;
            }
            // One liberty left to an enemy block beside.
            let mut beside = plane.around(stone) & enemy;
            while !beside.is_empty() {
                let foe = plane.flood(beside.first(), enemy);
                beside = beside & !foe;
                let left = plane.around(foe) & room;
                if left.at_most_one() && !left.is_empty() {
                    score += 80;
                }
            }
            let eye = (plane.around(stone) & self.shape.points & !own).is_empty();
            score + 15 * liberties.min(6) - if eye { 250 } else { 0 }
        }));
    }

    fn playout(&mut self, rng: &mut Rng) -> f32 {
        for _ in 0..CUT {
            let Some(at) = self.draw(rng) else { break };
            self.play(Move::new(at as u32));
        }
        let black = match self.outcome() {
            Some(Outcome::Draw) => 0.0,
            Some(Outcome::Win(Color::Black)) => return 1.0,
            Some(Outcome::Win(Color::White)) => return 0.0,
            None if self.turn == Color::Black => self.evaluate() as f32,
            None => -self.evaluate() as f32,
        };
        let x = black / Self::SCALE as f32;
        0.5 + 0.5 * x / (1.0 + x * x).sqrt()
    }
}
