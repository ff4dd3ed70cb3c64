//! Play from the book.

use super::{Book, Choice, Known, Link};
use crate::game::{Game as _, Knowledge, Move, random};
use crate::games::othello::Othello;
use crate::games::othello::board::Standard;
use crate::games::othello::pattern::UNIT;
use crate::search::{Line, Report, value};

/// The longest line shown.
const LONGEST: usize = 60;

impl Book {
    /// The moves of a position that stay in the book, the best first, and the one to play: drawn by the
    /// seed among those that lose no more than `loss` discs against the best, and put before those that
    /// are as good. `None` when the position is not held, or when its best move leaves the book: to judge
    /// that one, a search is better.
    pub(in super::super) fn play(
        &self,
        position: &Othello<Standard>,
        loss: u32,
        seed: u64,
    ) -> Option<(Report, usize)> {
        let choices = self.probe(position.own(), position.opp())?;
        let best = choices.first().filter(|choice| matches!(choice.known, Known::Link(_)))?;
        let within = |choice: &&Choice| (best.value - choice.value).unsigned_abs() <= loss;
        let links: Vec<&Choice> =
            choices.iter().filter(|choice| matches!(choice.known, Known::Link(_))).collect();
        let count = links.iter().copied().filter(within).count() as u32;
        let mut rng = random::rng(random::mix(seed) ^ position.key());
        let chosen = random::below(&mut rng, count) as usize;
        let mut lines: Vec<(Line, u32)> = links.iter().map(|choice| self.line(position, choice)).collect();
        let first = links.iter().position(|choice| choice.value == links[chosen].value).unwrap_or(chosen);
        lines[first..=chosen].rotate_right(1);
        let depth = lines.first().map_or(0, |line| line.1);
        let lines = lines.into_iter().map(|line| line.0).collect();
        Some((Report { lines, depth, ..Report::default() }, first))
    }

    /// What follows a move when both sides play the best the book knows, to the leaf its value comes
    /// from, and how many plies that looks ahead.
    fn line(&self, position: &Othello<Standard>, choice: &Choice) -> (Line, u32) {
        let mut position = *position;
        let mut moves = Vec::new();
        let mut next = Some(*choice);
        let mut depth = 0;
        while let Some(choice) = next.take().filter(|_| moves.len() < LONGEST) {
            moves.push(Move::new(choice.square));
            position.play(Move::new(choice.square));
            depth += 1;
            match choice.known {
                // The leaf's depth counts the move itself.
                Known::Leaf(leaf) => depth += u32::from(leaf.depth).saturating_sub(1),
                Known::Link(Link::Over(_)) => {}
                Known::Link(Link::Held { passed, .. }) => {
                    if passed {
                        moves.push(Move::PASS);
                        position.play(Move::PASS);
                    }
                    let choices = self.probe(position.own(), position.opp());
                    next = choices.and_then(|choices| choices.first().copied());
                }
            }
        }
        let score = choice.value * UNIT;
        let line = Line {
            moves,
            winrate: value::chance(score, Othello::<Standard>::SCALE),
            score,
            proven: None,
            margin: None,
            visits: None,
            prior: None,
        };
        (line, depth)
    }
}
