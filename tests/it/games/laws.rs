//! Laws every game obeys, checked on random games against a slow, obvious second implementation.

use rand::{RngExt, SeedableRng, rngs::Xoshiro256PlusPlus};
use tengen_engine::game::{Color, EVAL_MAX, Game, Knowledge, Move, Outcome, Rules};
use tengen_engine::games::{self, Record, Referee, Setup, Visitor};

/// The rules written for clarity alone: plain arrays, whole-board scans, text in and out.
pub(crate) trait Reference: Clone {
    /// The side to move.
    fn turn(&self) -> Color;
    /// Texts of all legal moves of the side to move, in the engine's notation, in any order; empty
    /// exactly when the game is over.
    fn legal(&self) -> Vec<String>;
    /// Plays one of them.
    fn play(&mut self, text: &str);
    /// Result and winner's margin (1 where a win is a win, 0 for a draw).
    fn result(&self) -> Option<(Outcome, i32)>;
    /// The one-line position text.
    fn text(&self) -> String;
}

/// [`Reference`] behind one type: the checks are compiled once for each game, not once for each game
/// and reference.
trait Slow {
    fn turn(&self) -> Color;
    fn legal(&self) -> Vec<String>;
    fn play(&mut self, text: &str);
    fn result(&self) -> Option<(Outcome, i32)>;
    fn text(&self) -> String;
    fn copy(&self) -> Box<dyn Slow>;
}

impl<F: Reference + 'static> Slow for F {
    fn turn(&self) -> Color {
        Reference::turn(self)
    }
    fn legal(&self) -> Vec<String> {
        Reference::legal(self)
    }
    fn play(&mut self, text: &str) {
        Reference::play(self, text);
    }
    fn result(&self) -> Option<(Outcome, i32)> {
        Reference::result(self)
    }
    fn text(&self) -> String {
        Reference::text(self)
    }
    fn copy(&self) -> Box<dyn Slow> {
        Box::new(self.clone())
    }
}

/// Plays `count` random games of the set-up (arguments of `newgame`) and checks every law at every
/// ply. Returns the number of plies seen.
pub(crate) fn hold<F: Reference + 'static>(setup: &str, reference: &F, count: u64) -> usize {
    struct Check<'a>(&'a dyn Slow, u64);
    impl Visitor for Check<'_> {
        type Out = usize;
        fn visit<R: Rules>(self, setup: Setup, start: R) -> usize {
            (0..self.1).map(|seed| one_game(&setup, &start, self.0.copy(), seed)).sum()
        }
    }
    let parsed = Setup::parse(setup.split(' ')).expect(setup);
    games::open(parsed, Check(reference, count)).expect(setup)
}

fn sorted_texts<R: Rules>(position: &R, moves: &[Move]) -> Vec<String> {
    let mut texts: Vec<String> = moves.iter().map(|&mv| position.move_text(mv)).collect();
    texts.sort();
    texts
}

fn one_game<R: Rules>(setup: &Setup, start: &R, mut slow: Box<dyn Slow>, seed: u64) -> usize {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut fast = start.clone();
    let mut record = Record::new(setup.clone(), start.clone());
    let mut trail = Vec::new();
    loop {
        let place = format!("{setup}, game {seed}, ply {}, {}", trail.len(), slow.text());
        let mut moves = Vec::new();
        fast.moves(&mut moves);
        let texts = sorted_texts(&fast, &moves);
        let mut expected = slow.legal();
        expected.sort();
        assert_eq!(texts, expected, "legal moves: {place}");
        assert_eq!(fast.turn(), slow.turn(), "turn: {place}");
        assert_eq!(fast.count(), moves.len() as u64, "count: {place}");
        assert_eq!(fast.outcome(), slow.result().map(|(outcome, _)| outcome), "outcome: {place}");
        assert_eq!(fast.outcome().is_some(), moves.is_empty(), "moves end with the game: {place}");
        assert_eq!(fast.horizon() == 0, moves.is_empty(), "horizon: {place}");
        assert_eq!(fast.ending().is_empty(), !moves.is_empty(), "ending: {place}");
        assert_eq!(record.position_text(), slow.text(), "position text");
        let parsed = start.parse_position(&slow.text()).unwrap_or_else(|error| panic!("{error}: {place}"));
        assert_eq!(parsed.key(), fast.key(), "key does not depend on the way: {place}");
        let mut again = Vec::new();
        parsed.moves(&mut again);
        assert_eq!(again, moves, "same order of moves: {place}");
        for &mv in &moves {
            assert!(fast.is_legal(mv) && fast.check(mv).is_ok(), "{mv:?} is legal: {place}");
            assert_eq!(
                fast.parse_move(&fast.move_text(mv).to_ascii_uppercase()).ok(),
                Some(mv),
                "text: {place}"
            );
            if mv != Move::PASS {
                assert_eq!(fast.move_of(&fast.points(mv)), Some(mv), "points: {place}");
            }
            assert_eq!(R::join(&R::split(mv)), Some(mv), "split and join: {place}");
        }
        for _ in 0..8 {
            let mv = Move::new(rng.random_range(0..0x0100_0000));
            assert_eq!(fast.is_legal(mv), moves.contains(&mv), "{mv:?}: {place}");
            assert_eq!(fast.check(mv).is_ok(), moves.contains(&mv), "{mv:?}: {place}");
        }
        knowledge(&fast.searched(), &mut rng, &place);
        let Some(text) = expected.get(rng.random_range(0..expected.len().max(1))) else {
            assert_eq!(Some(fast.margin()), slow.result().map(|(_, margin)| margin), "margin: {place}");
            break;
        };
        let mv = fast.parse_move(text).expect(text);
        let horizon = fast.horizon();
        let before = (fast.key(), record.position_text());
        let mut searched = fast.searched();
        let undo = fast.play(mv);
        assert!(fast.horizon() < horizon, "horizon falls: {place}");
        let mut steps = Vec::new();
        for step in R::split(mv) {
            let mut list = Vec::new();
            searched.moves(&mut list);
            assert!(list.contains(&step) && searched.is_legal(step), "step {step:?}: {place}");
            let key = searched.key();
            let back = searched.play(step);
            searched.undo(step, back);
            assert_eq!(searched.key(), key, "undo of a step: {place}");
            searched.play(step);
            steps.push(step);
        }
        assert_eq!(searched.key(), fast.searched().key(), "steps lead to the same position: {place}");
        assert_eq!(searched.turn(), fast.turn(), "{place}");
        trail.push((mv, undo, before));
        record.play(Some(slow.turn()), mv).unwrap_or_else(|error| panic!("{error}: {place}"));
        slow.play(text);
    }
    let plies = trail.len();
    while let Some((mv, undo, (key, text))) = trail.pop() {
        fast.undo(mv, undo);
        record.undo(1).expect("a move to undo");
        assert_eq!(fast.key(), key, "undo restores the key");
        assert_eq!(record.position_text(), text, "undo restores the position");
        let fresh = start.parse_position(&text).expect(&text);
        let (mut a, mut b) = (Vec::new(), Vec::new());
        fast.moves(&mut a);
        fresh.moves(&mut b);
        assert_eq!(a, b, "undo restores the legal moves: {text}");
        if fast.outcome().is_none() {
            assert_eq!(
                fast.searched().evaluate(),
                fresh.searched().evaluate(),
                "undo restores what the evaluation uses: {text}"
            );
        }
    }
    plies
}

fn knowledge<S: Knowledge>(position: &S, rng: &mut Xoshiro256PlusPlus, place: &str) {
    if position.outcome().is_some() {
        return;
    }
    assert!(position.evaluate().abs() <= EVAL_MAX, "evaluation in range: {place}");
    let mut moves = Vec::new();
    let _complete = position.candidates(&mut moves);
    assert!(!moves.is_empty(), "a candidate: {place}");
    assert!(moves.iter().all(|&mv| position.is_legal(mv)), "candidates are legal: {place}");
    let mut scores = Vec::new();
    position.order(&moves, &mut scores);
    assert_eq!(scores.len(), moves.len(), "one score a move: {place}");
    if S::LEAF == tengen_engine::game::Leaf::Playout {
        let value = position.clone().playout(rng);
        assert!((0.0..=1.0).contains(&value), "playout value: {place}");
    }
}
