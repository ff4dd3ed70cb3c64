//! The position of a search by the adapter's own rules: what the daemon answers is checked against it,
//! and where no daemon answers, a move comes from it.

use tengen_engine::game::{Move, Outcome};
use tengen_engine::games::{self, Referee};
use tengen_engine::protocol::{Info, Opening};

use super::{Request, SearchKind, Snapshot};

/// A record kept from search to search, because the next one mostly continues it.
#[derive(Debug, Default)]
pub(super) struct Board {
    held: Option<(Snapshot, Box<dyn Referee>)>,
}

impl Board {
    /// The record of `wanted`, or nothing when its own moves do not replay.
    fn at(&mut self, wanted: &Snapshot) -> Option<&mut Box<dyn Referee>> {
        let (mut known, mut referee) = match self.held.take() {
            Some((held, referee)) if held.setup == wanted.setup && held.start == wanted.start => {
                (held, referee)
            }
            _ => {
                let mut referee = games::referee(wanted.setup.clone()).ok()?;
                if let Some(text) = &wanted.start {
                    referee.set_position(text).ok()?;
                }
                let (setup, start) = (wanted.setup.clone(), wanted.start.clone());
                (Snapshot { setup, start, moves: Vec::new() }, referee)
            }
        };
        let common = known.moves.iter().zip(&wanted.moves).take_while(|(a, b)| a == b).count();
        referee.undo(known.moves.len() - common).ok()?;
        known.moves.truncate(common);
        for (color, text) in wanted.moves.iter().skip(common) {
            let mv = referee.parse_move(text).ok()?;
            let before = referee.plies();
            referee.play(Some(*color), mv).ok()?;
            // A move that implies a pass is two plies: such a record cannot be compared move by move.
            if referee.plies() != before + 1 {
                return None;
            }
            known.moves.push((*color, text.clone()));
        }
        self.held = Some((known, referee));
        self.held.as_mut().map(|(_, referee)| referee)
    }

    /// Whether the daemon may give this answer to the request.
    pub(super) fn accepts(&mut self, request: &Request, text: &str) -> Result<(), String> {
        let opening = matches!(request.kind, SearchKind::Opening(_));
        if text == if opening { "swap" } else { "resign" } {
            return Ok(());
        }
        let Some(referee) = self.at(&request.position) else { return Ok(()) };
        let before = referee.plies();
        let mut moves = text.split(' ');
        let mut color = Some(request.color);
        let verdict = (|| {
            // An opening may have several moves, of both sides in turn.
            for text in moves.by_ref().take(if opening { 3 } else { 1 }) {
                let mv = referee.parse_move(text).map_err(|error| error.to_string())?;
                referee.play(color.take(), mv).map_err(|error| error.to_string())?;
            }
            moves.next().map_or(Ok(()), |more| Err(format!("what is {more:?}?")))
        })();
        let undone = referee.undo(referee.plies() - before).map_err(|error| error.to_string());
        verdict.and(undone).map_err(|why| format!("the engine answered \"{}\": {why}", text.escape_default()))
    }

    /// A legal move without a daemon: what the last report of one that is gone held best, else one of its
    /// own choice. For the step of an opening, as many moves as that has.
    pub(super) fn fallback(&mut self, request: &Request, reported: &[Info]) -> Option<String> {
        let best = reported.first().and_then(|info| info.pv.first().cloned());
        let opening = match request.kind {
            SearchKind::Opening(opening) => Some(opening),
            _ => None,
        };
        if let (None, Some(text)) = (opening, best)
            && self.accepts(request, &text).is_ok()
        {
            return Some(text);
        }
        let referee = self.at(&request.position)?;
        let before = referee.plies();
        let count = match opening {
            Some(Opening::Swap2) if before == 0 => 3,
            Some(Opening::Balance { moves, .. }) => moves,
            Some(Opening::Swap2) | None => 1,
        };
        if referee.turn() != request.color {
            return None;
        }
        let mut texts = Vec::new();
        for _ in 0..count {
            let Some(mv) = own_choice(referee) else { break };
            texts.push(referee.move_text(mv));
            referee.play(None, mv).ok()?;
        }
        referee.undo(referee.plies() - before).ok()?;
        (!texts.is_empty()).then(|| texts.join(" "))
    }
}

/// A move that wins at once, else the one nearest to the middle of the board.
fn own_choice(referee: &mut Box<dyn Referee>) -> Option<Move> {
    let color = referee.turn();
    let moves = referee.legal_moves(None)?;
    let mut wins = |mv: Move| {
        let won = referee.play(None, mv).is_ok()
            && referee.ending().is_some_and(|end| end.outcome == Outcome::Win(color));
        referee.undo(1).is_ok() && won
    };
    let mv = moves.iter().copied().find(|&mv| wins(mv));
    mv.or_else(|| moves.iter().copied().min_by_key(|&mv| eccentricity(&**referee, mv)))
}

/// Twice the distance of the move's last point from the middle of the board, squared.
fn eccentricity(referee: &dyn Referee, mv: Move) -> i32 {
    let geometry = referee.geometry();
    let Some(point) = referee.points(mv).last().copied() else { return 0 };
    let from_middle = |at: u8, side: u8| 2 * i32::from(at) + 1 - i32::from(side);
    from_middle(point.column, geometry.width).pow(2) + from_middle(point.row, geometry.height).pow(2)
}

#[cfg(test)]
mod tests {
    use super::super::ClockRequest;
    use super::*;
    use tengen_engine::game::Color;
    use tengen_engine::games::Setup;

    fn request(setup: &str, moves: &str, color: Color) -> Request {
        let moves = moves.split_ascii_whitespace().map(|word| {
            let (color, text) = word.split_once(':').unwrap();
            (Color::parse(color).unwrap(), text.to_owned())
        });
        Request {
            engine: 0,
            cleared: 0,
            game: 1,
            position: Snapshot {
                setup: Setup::parse(setup.split(' ')).unwrap(),
                start: None,
                moves: moves.collect(),
            },
            color,
            kind: SearchKind::GenMove,
            options: Vec::new(),
            clock: ClockRequest::default(),
        }
    }

    #[test]
    fn illegal_answers_are_found_out() {
        let mut board = Board::default();
        let first = request("gomoku", "b:h8", Color::White);
        for (text, good) in [("h8", false), ("i8", true), ("resign", true), ("z99", false), ("pass", false)] {
            assert_eq!(board.accepts(&first, text).is_ok(), good, "{text}");
        }
        // Another line of the same game, and another game.
        assert!(board.accepts(&request("gomoku", "b:a1 w:h8", Color::Black), "h8").is_err());
        assert!(board.accepts(&request("othello", "", Color::Black), "d3").is_ok());
        assert!(board.accepts(&request("othello", "", Color::White), "d3").is_err());
        assert!(board.accepts(&request("amazons", "", Color::White), "d1-d7-g7").is_ok());
    }

    #[test]
    fn an_opening_goes_on_without_a_daemon() {
        let mut board = Board::default();
        let mut opening = |moves: &str, kind: Opening, color: Color| {
            let request = Request { kind: SearchKind::Opening(kind), ..request("gomoku", moves, color) };
            board.fallback(&request, &[])
        };
        assert_eq!(opening("", Opening::Swap2, Color::Black).unwrap().split(' ').count(), 3);
        assert_eq!(opening("b:a1 w:b2 b:c3", Opening::Swap2, Color::White).as_deref(), Some("h8"));
        let balance = Opening::Balance { moves: 2, percent: 50 };
        assert_eq!(opening("b:h8", balance, Color::White).unwrap().split(' ').count(), 2);
    }

    #[test]
    fn without_a_daemon_the_move_is_legal_and_not_absurd() {
        let mut board = Board::default();
        let info = |pv: &str| vec![Info { pv: vec![pv.to_owned()], ..Info::default() }];
        let four = request("gomoku", "b:a1 w:c9 b:b1 w:d9 b:c1 w:e9 b:d1 w:f9", Color::Black);
        assert_eq!(board.fallback(&four, &[]).as_deref(), Some("e1"));
        assert_eq!(board.fallback(&four, &info("h8")).as_deref(), Some("h8"));
        assert_eq!(board.fallback(&four, &info("a1")).as_deref(), Some("e1"));
        assert_eq!(board.fallback(&request("gomoku", "", Color::Black), &[]).as_deref(), Some("h8"));
        for setup in ["nogo", "othello", "amazons", "renju", "nogo rules capture"] {
            let first = if setup == "amazons" { Color::White } else { Color::Black };
            let request = request(setup, "", first);
            let text = board.fallback(&request, &[]).unwrap();
            assert_eq!(board.accepts(&request, &text), Ok(()), "{setup}: {text}");
        }
    }
}
