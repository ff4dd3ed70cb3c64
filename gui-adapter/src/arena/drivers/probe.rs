//! How a GTP engine writes: found out by moves that only one way of writing makes legal.

use tengen_engine::game::{Color, Geometry, Letters, Move, Point, Rng, RowOne, random};
use tengen_engine::games::{self, GameId, Referee, Setup};

use super::{Fault, Wire, shown};
use crate::arena::record::End;
use crate::arena::spec::GtpProfile;

/// How an engine names points, and what it does about passes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Notation {
    geometry: Geometry,
    /// Rows are counted from the other side than the game does.
    flipped: bool,
    /// Forced passes are told and understood; otherwise a side moves twice running.
    pub(super) passes: bool,
}

impl Notation {
    fn new(setup: &Setup, geometry: Geometry, profile: GtpProfile) -> Notation {
        // Go's letters for the games that are played with Go programs, all letters for the others.
        let go_like = matches!(setup.game, GameId::NoGo | GameId::Gomoku);
        let mut notation = Notation { geometry, flipped: false, passes: profile.passes.unwrap_or(false) };
        notation.set_letters(profile.skips_i.unwrap_or(go_like));
        notation.set_top(profile.row_one_on_top.unwrap_or(true));
        notation
    }

    fn set_letters(&mut self, skip: bool) {
        self.geometry.letters = if skip { Letters::SkipI } else { Letters::KeepI };
    }

    /// Only Othello counts its rows from the top.
    fn set_top(&mut self, top: bool) {
        self.flipped = self.geometry.row_one == RowOne::Top && !top;
    }

    fn turned(&self, point: Point) -> Point {
        let row = if self.flipped { self.geometry.height.saturating_sub(point.row + 1) } else { point.row };
        Point { row, ..point }
    }

    /// The move as the engine writes it.
    pub(super) fn text(&self, referee: &dyn Referee, mv: Move) -> String {
        if mv == Move::PASS {
            return "pass".to_owned();
        }
        let names: Vec<String> = referee
            .points(mv)
            .into_iter()
            .map(|point| self.geometry.name(self.turned(point)).to_ascii_uppercase())
            .collect();
        names.join("-")
    }

    /// The move in the engine's text, if it is one.
    pub(super) fn parse(&self, referee: &dyn Referee, text: &str) -> Option<Move> {
        let point = |name: &str| self.geometry.parse(name).map(|point| self.turned(point));
        let points: Option<Vec<Point>> = if referee.setup().game == GameId::Amazons {
            text.split(['-', '/', 'x', 'X']).map(point).collect()
        } else {
            point(text).map(|point| vec![point])
        };
        referee.move_of(&points?)
    }
}

/// The set-up's board, cleared.
pub(super) fn clear(wire: &mut Wire, setup: &Setup) -> Result<(), Fault> {
    let size = if setup.width == setup.height {
        format!("boardsize {}", setup.width)
    } else {
        format!("rectangular_boardsize {} {}", setup.width, setup.height)
    };
    wire.ask(&size)?.map_err(|error| {
        Fault::new(End::Start, format!("does not play {setup}: \"{size}\": {}", shown(&error)))
    })?;
    wire.must("clear_board").map(|_| ())
}

/// Finds out how the engine writes, but for what `profile` says already. The engine's board is empty
/// before and must be cleared after.
pub(super) fn notation(wire: &mut Wire, setup: &Setup, profile: GtpProfile) -> Result<Notation, Fault> {
    let unknown = |error: games::SetupError| Fault::new(End::Start, error.to_string());
    let referee = games::referee(setup.clone()).map_err(unknown)?;
    let mut notation = Notation::new(setup, referee.geometry(), profile);
    if profile.row_one_on_top.is_none() && referee.geometry().row_one == RowOne::Top {
        notation.set_top(row_one_on_top(wire, &*referee, notation)?);
    }
    if profile.skips_i.is_none()
        && let Some(line) = line_with_i(&*referee, notation)
        && let Some(skips) = skips_i(wire, setup, &line)?
    {
        notation.set_letters(skips);
    }
    if profile.passes.is_none() && referee.has_pass() {
        notation.passes = takes_a_pass(wire, referee, notation)?;
    }
    Ok(notation)
}

/// Whether the engine plays these moves from an empty board; it is left empty.
fn plays(wire: &mut Wire, setup: &Setup, moves: &[(Color, String)]) -> Result<bool, Fault> {
    let mut all = true;
    for (color, text) in moves {
        if wire.ask(&format!("play {color} {text}"))?.is_err() {
            all = false;
            break;
        }
    }
    clear(wire, setup)?;
    Ok(all)
}

/// The moves of a game to one that has a point in column I, written with all letters and without I; `None`
/// where the board has no such column.
fn line_with_i(start: &dyn Referee, notation: Notation) -> Option<[Vec<(Color, String)>; 2]> {
    let [mut all, mut skipping] = [notation; 2];
    all.set_letters(false);
    skipping.set_letters(true);
    let names_i = |referee: &dyn Referee, mv: Move| all.text(referee, mv).contains('I');
    let mut referee = start.boxed_clone();
    let mut rng: Rng = random::rng(0);
    let mut line = [Vec::new(), Vec::new()];
    // In Othello the first moves are all in the middle.
    while start.geometry().width > 8 && referee.ending().is_none() && !referee.must_pass() {
        let moves = referee.legal_moves(None).unwrap_or_default();
        let wanted = moves.iter().copied().find(|&mv| names_i(&*referee, mv));
        let at = random::below(&mut rng, u32::try_from(moves.len().max(1)).unwrap_or(1));
        let mv = wanted.or_else(|| moves.get(usize::try_from(at).unwrap_or(0)).copied())?;
        let [with, without] = &mut line;
        with.push((referee.turn(), all.text(&*referee, mv)));
        without.push((referee.turn(), skipping.text(&*referee, mv)));
        if wanted.is_some() {
            return Some(line);
        }
        referee.play(None, mv).ok()?;
    }
    None
}

/// Whether the engine skips the letter I. A program that skips it cannot read the line with it, while the
/// other line may be a game to both. `None` for an engine that takes neither.
fn skips_i(wire: &mut Wire, setup: &Setup, line: &[Vec<(Color, String)>; 2]) -> Result<Option<bool>, Fault> {
    let [all, skipping] = line;
    let keeps = plays(wire, setup, all)?;
    let skips = !keeps && plays(wire, setup, skipping)?;
    if !keeps && !skips && setup.game == GameId::Amazons {
        let text = all.last().map_or("", |(_, text)| text);
        return Err(Fault::new(End::Start, format!("does not play moves such as {text}")));
    }
    Ok((keeps || skips).then_some(skips))
}

/// Black's first moves in Othello are others when rows are counted from the bottom.
fn row_one_on_top(wire: &mut Wire, referee: &dyn Referee, notation: Notation) -> Result<bool, Fault> {
    let Some(mv) = referee.legal_moves(None).and_then(|moves| moves.first().copied()) else {
        return Ok(true);
    };
    let mut turned = notation;
    let text = |notation: &Notation| vec![(referee.turn(), notation.text(referee, mv))];
    turned.set_top(true);
    if plays(wire, referee.setup(), &text(&turned))? {
        return Ok(true);
    }
    turned.set_top(false);
    Ok(!plays(wire, referee.setup(), &text(&turned))?)
}

/// A game in which a side must pass is played, and the pass told.
fn takes_a_pass(wire: &mut Wire, mut referee: Box<dyn Referee>, notation: Notation) -> Result<bool, Fault> {
    /// Some random games of Othello in ten have a pass within the first thirty plies.
    const GAMES: u64 = 1000;
    for seed in 0..GAMES {
        referee.reset();
        let mut rng: Rng = random::rng(seed);
        while referee.ending().is_none() && referee.plies() < 30 {
            let moves = referee.legal_moves(None).unwrap_or_default();
            let at = random::below(&mut rng, u32::try_from(moves.len().max(1)).unwrap_or(1));
            let Some(&mv) = moves.get(usize::try_from(at).unwrap_or(0)) else { break };
            let passes = mv == Move::PASS;
            if referee.play(None, mv).is_err() {
                break;
            }
            if passes {
                let history = referee.history();
                let moves: Vec<_> =
                    history.iter().map(|&(color, mv)| (color, notation.text(&*referee, mv))).collect();
                return plays(wire, referee.setup(), &moves);
            }
        }
    }
    Ok(false)
}
