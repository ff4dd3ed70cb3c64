//! Questions about the position: `query`, `d` and `go perft`.

use tengen_engine::game::{Outcome, notation::column_letter};
use tengen_engine::games::Referee;

use super::notation::{Notation, Tail};
use super::{Protocol, Uci, complain, say};
use crate::bridge::Action;

/// How many moves `perft` looks at before it gives up: a second or two.
const MOST_MOVES: u64 = 10_000_000;

impl Uci {
    /// `query p1turn | gameover | result`. A position that cannot be used is a finished game without a
    /// result: so a match runner ends the game, and sees by the other engine's answer that something is
    /// wrong.
    pub(super) fn query(&self, words: &[&str], out: &mut Vec<Action>) {
        let referee = &*self.desk.referee;
        let first = self.tail.first;
        let response = match words {
            ["p1turn"] => (referee.turn() == first).to_string(),
            ["gameover"] => (self.unusable || referee.ending().is_some()).to_string(),
            ["result"] if self.unusable => "none".to_owned(),
            ["result"] => match referee.ending().map(|ending| ending.outcome) {
                None => "none",
                Some(Outcome::Draw) => "draw",
                Some(Outcome::Win(winner)) if winner == first => "p1win",
                Some(Outcome::Win(_)) => "p2win",
            }
            .to_owned(),
            _ => return complain("expected query p1turn | gameover | result", out),
        };
        say(format!("response {response}"), out);
    }

    /// `d`: the board, the position in one line and its key.
    pub(super) fn diagram(&self) -> String {
        let referee = &*self.desk.referee;
        let board = match self.protocol {
            Protocol::Ugi => referee.diagram(),
            Protocol::Uci => self.ranks(),
        };
        let fen = self.notation().fen(referee, &self.tail);
        format!("\n{board}\n\nFen: {fen}\nKey: {:016X}", referee.key())
    }

    /// The board as Fairy-Stockfish draws it.
    fn ranks(&self) -> String {
        let referee = &*self.desk.referee;
        let geometry = referee.geometry();
        let rule = format!(" {}+", "+---".repeat(usize::from(geometry.width)));
        let mut text = rule.clone();
        for (point, cell) in geometry.points_from_top().map(|point| (point, referee.cell(point))) {
            if point.column == 0 {
                text.push_str("\n ");
            }
            text.push_str(&format!("| {} ", self.notation().letter(cell, &self.tail).unwrap_or(' ')));
            if point.column + 1 == geometry.width {
                let rank = self.notation().mirrored(&geometry, point).row + 1;
                text.push_str(&format!("|{rank}\n{rule}"));
            }
        }
        text.push('\n');
        for column in 0..geometry.width {
            text.push_str(&format!("   {}", column_letter(geometry.letters, column)));
        }
        text
    }

    /// `go perft N`: how many games of N turns there are, by their first move.
    pub(super) fn perft(&self, depth: u64, out: &mut Vec<Action>) {
        if self.unusable {
            return complain("the position cannot be used", out);
        }
        let notation = self.notation();
        let mut referee = self.desk.referee.boxed_clone();
        let (mut text, mut total, mut left) = (String::new(), 0_u64, MOST_MOVES);
        for ply in notation.legal(&*referee, &self.tail) {
            let name = notation.text(&*referee, &self.tail, ply);
            let plies = referee.plies();
            let mut tail = self.tail.clone();
            let played = depth == 1 || notation.play(&mut *referee, &mut tail, ply).is_ok();
            let count =
                if played { count(notation, &mut *referee, &tail, depth - 1, &mut left) } else { None };
            let Some(count) = count else {
                return complain(&format!("perft {depth}: more than {MOST_MOVES} moves"), out);
            };
            referee.undo(referee.plies() - plies).ok();
            text.push_str(&format!("{name}: {count}\n"));
            total += count;
        }
        say(format!("{text}\nNodes searched: {total}\n"), out);
    }
}

/// The games of `depth` turns from here; `None` when more than `left` moves are to be looked at.
fn count(
    notation: Notation,
    referee: &mut dyn Referee,
    tail: &Tail,
    depth: u64,
    left: &mut u64,
) -> Option<u64> {
    if depth == 0 {
        return Some(1);
    }
    let legal = notation.legal(referee, tail);
    let number = u64::try_from(legal.len()).ok()?;
    *left = left.checked_sub(number.max(1))?;
    if depth == 1 {
        return Some(number);
    }
    let plies = referee.plies();
    let mut total = 0;
    for ply in legal {
        let mut after = tail.clone();
        notation.play(referee, &mut after, ply).ok()?;
        let below = count(notation, referee, &after, depth - 1, left);
        referee.undo(referee.plies() - plies).ok()?;
        total += below?;
    }
    Some(total)
}
