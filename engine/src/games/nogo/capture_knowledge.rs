//! What a search knows of NoGo with captures.

use super::bits::{Bits, Plane};
use super::capture::Capture;
use crate::game::{Color, EVAL_MAX, Game, Knowledge, Leaf, Move, Outcome, Rng, random};

/// Plies after which a playout is judged.
const CUT: u32 = 40;

impl<P: Plane> Capture<P> {
    /// What it takes to wipe `color` out: mostly its liberties, each of which costs the enemy a move.
    ///
    /// Against a random mover, which has to be wiped out before the ply limit, a liberty worth eight
    /// stones won 12 of 20 games at 0.2 s a move and drew the rest; with draws worth little and playouts
    /// of 40 plies (see `playout`) 13 of 16 at 47,000 to 50,000 nodes a move.
    fn hold(&self, color: Color, empty: P::Bits) -> f32 {
        let own = self.stones[color.index()];
        let liberties = self.shape.liberties(own, empty);
        own.count() as f32 + 8.0 * (liberties.last | liberties.more).count() as f32
    }

    /// How far Black is ahead, -1 to 1: a ratio, so that a side far ahead still gains more by taking the
    /// enemy's last liberties than by adding to its own.
    fn lead(&self) -> f32 {
        let empty = self.shape.empty(&self.stones);
        let [black, white] = Color::ALL.map(|color| self.hold(color, empty));
        (black - white) / (black + white).max(1.0)
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
        let black = (1_500.0 * self.lead()) as i32;
        // Blocks of the side not to move can be taken at once.
        let prey = self.shape.liberties(self.stones[(!self.turn).index()], empty).last.count() as i32;
        let own = if self.turn == Color::Black { black } else { -black };
        (own + 60 * prey).clamp(-EVAL_MAX, EVAL_MAX)
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

    /// Plays a while, then judges by the lead. Most games between equals are drawn by the ply limit; a
    /// draw is worth a little more to the side that was ahead, but far less than the win it missed.
    fn playout(&mut self, rng: &mut Rng) -> f32 {
        for _ in 0..CUT {
            let Some(at) = self.draw(rng) else { break };
            self.play(Move::new(at as u32));
        }
        match self.outcome() {
            Some(Outcome::Win(Color::Black)) => 1.0,
            Some(Outcome::Win(Color::White)) => 0.0,
            Some(Outcome::Draw) => 0.5 + 0.1 * self.lead(),
            None => 0.5 + 0.49 * self.lead(),
        }
    }
}
