//! Games that are ended before their end: because both engines agree, because they go on for too long, or
//! because the exact result is known.

use std::time::Duration;

use tengen_engine::game::{Cell, Color, Outcome};
use tengen_engine::games::{GameId, Referee};

use super::drivers::Wire;
use super::process::Process;
use super::spec::EngineSpec;

/// When a game is ended before its end.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Agreement {
    /// A side has lost when both engines give it no more than this chance (0 to 1) for so many moves each.
    pub resign: Option<(f32, u32)>,
    /// A game is drawn when both engines are within this of 0.5 for so many moves each, from a ply on.
    pub draw: Option<(f32, u32, u32)>,
    /// A game is drawn at this length, in plies.
    pub longest: Option<u32>,
    /// Othello is solved from so many empty squares on.
    pub solve: Option<u32>,
}

/// Nodes after which the solver gives up and the game goes on.
const SOLVER_NODES: u64 = 20_000_000;

/// What both engines have said for how long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Verdict {
    Winner(Color),
    Even,
}

/// How a game is ended before its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Sentence {
    pub(super) outcome: Outcome,
    /// The winner's margin, where it is known.
    pub(super) margin: Option<i32>,
    pub(super) reason: String,
}

impl Sentence {
    fn new(outcome: Outcome, reason: impl Into<String>) -> Sentence {
        Sentence { outcome, margin: None, reason: reason.into() }
    }
}

/// Follows a game and says when to end it.
pub(super) struct Adjudicator {
    solver: Option<Wire>,
    /// The last claims, newest last: whose, and Black's chance.
    claims: Vec<(Color, f32)>,
    solved: bool,
}

impl Adjudicator {
    pub(super) fn new() -> Adjudicator {
        Adjudicator { solver: None, claims: Vec::new(), solved: false }
    }

    pub(super) fn new_game(&mut self) {
        self.claims.clear();
        self.solved = false;
    }

    /// Takes the mover's chance as its engine claims it. Without a claim there is no agreement.
    pub(super) fn heard(&mut self, color: Color, chance: Option<f32>) {
        match chance {
            Some(chance) => {
                let black = if color == Color::Black { chance } else { 1.0 - chance };
                self.claims.push((color, black));
            }
            None => self.claims.clear(),
        }
    }

    /// Whether both engines have said the same for `moves` moves each.
    fn agreed(&self, moves: u32, says: impl Fn(f32) -> Option<Verdict>) -> Option<Verdict> {
        let last = says(self.claims.last()?.1)?;
        let streak = self.claims.iter().rev().take_while(|(_, chance)| says(*chance) == Some(last));
        let mut counts = [0_u32; 2];
        for (color, _) in streak {
            let [black, white] = &mut counts;
            *(if *color == Color::Black { black } else { white }) += 1;
        }
        counts.iter().all(|&count| count >= moves).then_some(last)
    }

    /// The result, with the reason, when the game on the board is to be ended.
    pub(super) fn verdict(&mut self, referee: &dyn Referee, terms: &Agreement) -> Option<Sentence> {
        let plies = u32::try_from(referee.plies()).unwrap_or(u32::MAX);
        if let Some((chance, moves)) = terms.resign {
            let says = |black: f32| match black {
                _ if black <= chance => Some(Verdict::Winner(Color::White)),
                _ if black >= 1.0 - chance => Some(Verdict::Winner(Color::Black)),
                _ => None,
            };
            if let Some(Verdict::Winner(winner)) = self.agreed(moves, says) {
                return Some(Sentence::new(Outcome::Win(winner), "both engines agree on the winner"));
            }
        }
        if let Some((width, moves, from)) = terms.draw.filter(|&(_, _, from)| plies >= from) {
            let says = |black: f32| ((black - 0.5).abs() <= width).then_some(Verdict::Even);
            if self.agreed(moves, says).is_some() {
                return Some(Sentence::new(
                    Outcome::Draw,
                    format!("both engines see a draw after {from} plies"),
                ));
            }
        }
        if terms.longest.is_some_and(|longest| plies >= longest) {
            return Some(Sentence::new(Outcome::Draw, format!("{plies} plies played")));
        }
        let empties = || {
            referee.geometry().points_from_top().filter(|&point| referee.cell(point) == Cell::Empty).count()
        };
        let due = |most: u32| empties() <= usize::try_from(most).unwrap_or(usize::MAX);
        if referee.setup().game == GameId::Othello && !self.solved && terms.solve.is_some_and(due) {
            // Once a game: where the solver gives up, it is not asked again at every move.
            self.solved = true;
            return self.solve(referee);
        }
        None
    }

    /// Asks an engine of our own for the exact result.
    fn solve(&mut self, referee: &dyn Referee) -> Option<Sentence> {
        let mut wire = match self.solver.take() {
            Some(wire) => wire,
            None => {
                Wire::new(Process::start(&EngineSpec::embedded("solver")).ok()?, Duration::from_secs(120))
            }
        };
        let mut ask = |line: &str| wire.ask(line).ok()?.ok();
        ask(&format!("newgame {}", referee.setup()))?;
        ask(&format!("position {}", referee.position_text()))?;
        let answer = ask(&format!("solve exact nodes {SOLVER_NODES}"))?;
        self.solver = Some(wire);
        let mut words = answer.split_ascii_whitespace();
        let (Some("status"), Some(status)) = (words.next(), words.next()) else { return None };
        let score = words.next().filter(|&word| word == "score").and_then(|_| words.next());
        let turn = referee.turn();
        let outcome = match status {
            "win" => Outcome::Win(turn),
            "loss" => Outcome::Win(!turn),
            "draw" => Outcome::Draw,
            _ => return None,
        };
        let margin = score.and_then(|score| score.parse::<i32>().ok()).map(i32::abs);
        Some(Sentence { margin, ..Sentence::new(outcome, "solved") })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tengen_engine::games::{Setup, referee};

    fn board() -> Box<dyn Referee> {
        referee(Setup::parse(["nogo"]).unwrap()).unwrap()
    }

    fn after(claims: &[(Color, Option<f32>)], terms: &Agreement) -> Option<Outcome> {
        let mut adjudicator = Adjudicator::new();
        for &(color, chance) in claims {
            adjudicator.heard(color, chance);
        }
        adjudicator.verdict(&*board(), terms).map(|sentence| sentence.outcome)
    }

    #[test]
    fn both_engines_must_agree_for_long_enough() {
        use Color::{Black, White};
        let terms = Agreement { resign: Some((0.05, 2)), ..Agreement::default() };
        let agreed = [(Black, Some(0.97)), (White, Some(0.03)), (Black, Some(0.99)), (White, Some(0.02))];
        assert_eq!(after(&agreed, &terms), Some(Outcome::Win(Black)));
        assert_eq!(after(&agreed[1..], &terms), None, "Black has said it once only");
        let alone = [(Black, Some(0.97)), (White, Some(0.5)), (Black, Some(0.99)), (White, Some(0.5))];
        assert_eq!(after(&alone, &terms), None);
        let interrupted = [agreed[0], agreed[1], (Black, None), agreed[3], agreed[2]];
        assert_eq!(after(&interrupted, &terms), None);
        let lost = [(Black, Some(0.01)), (White, Some(0.99)), (Black, Some(0.0)), (White, Some(1.0))];
        assert_eq!(after(&lost, &terms), Some(Outcome::Win(White)));
    }

    #[test]
    fn long_and_level_games_are_drawn() {
        use Color::{Black, White};
        let level = [(Black, Some(0.5)), (White, Some(0.49))];
        let terms = Agreement { draw: Some((0.02, 1, 0)), ..Agreement::default() };
        assert_eq!(after(&level, &terms), Some(Outcome::Draw));
        let terms = Agreement { draw: Some((0.02, 1, 1)), ..Agreement::default() };
        assert_eq!(after(&level, &terms), None, "too early");
        let mut adjudicator = Adjudicator::new();
        let mut game = board();
        let terms = Agreement { longest: Some(1), ..Agreement::default() };
        assert_eq!(adjudicator.verdict(&*game, &terms), None);
        game.play(None, game.parse_move("e5").unwrap()).unwrap();
        assert_eq!(adjudicator.verdict(&*game, &terms).unwrap().outcome, Outcome::Draw);
    }
}
