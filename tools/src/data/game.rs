//! Chunks of games.

use std::path::Path;

use tengen_engine::game::{Color, Move};
use tengen_engine::games::{self, Referee, Setup};

use super::bytes::{self, Reader};
use super::{Kind, read, write};

/// The value is known.
const VALUED: u8 = 1;
/// The value is exact.
const EXACT: u8 = 2;
/// The move was drawn by lot.
const RANDOM: u8 = 4;

/// A move of a game, and the position it was made in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Ply {
    /// The move.
    pub(crate) mv: Move,
    /// The position's value for the side to move in hundredths of the game's unit, where it is known.
    pub(crate) value: Option<i16>,
    /// Whether the value is proven.
    pub(crate) exact: bool,
    /// Whether the move was drawn by lot rather than chosen.
    pub(crate) random: bool,
}

impl Ply {
    /// A move of a position that was not valued.
    pub(crate) fn plain(mv: Move) -> Ply {
        Ply { mv, value: None, exact: false, random: false }
    }
}

/// A game that was played to its end.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Game {
    /// The position it begins from, when it is not the start of the set-up.
    pub(crate) start: Option<String>,
    /// The moves, passes included.
    pub(crate) plies: Vec<Ply>,
    /// Black's margin at the end in the game's unit: negative when White won.
    pub(crate) result: i32,
}

impl Game {
    /// A key of the moves, by which samples are put to training or validation: the same game falls on one
    /// side however often it was played.
    pub(crate) fn key(&self) -> u64 {
        let mut bytes = Vec::with_capacity(self.plies.len());
        bytes::put_text(&mut bytes, self.start.as_deref().unwrap_or_default());
        self.plies.iter().for_each(|ply| put_move(&mut bytes, ply.mv));
        super::checksum(&bytes)
    }

    /// Plays the game on a referee of the set-up and calls `visit` before every move.
    ///
    /// # Errors
    /// What is wrong with the game: a move against the rules, or another result.
    pub(crate) fn replay(
        &self,
        referee: &mut dyn Referee,
        mut visit: impl FnMut(usize, &Ply, &dyn Referee),
    ) -> Result<(), String> {
        referee.reset();
        if let Some(start) = &self.start {
            referee.set_position(start).map_err(|error| format!("bad position: {error}"))?;
        }
        for (index, ply) in self.plies.iter().enumerate() {
            visit(index, ply, referee);
            referee.play(None, ply.mv).map_err(|reason| format!("move {}: {reason}", index + 1))?;
        }
        match margin(referee) {
            None => Err("the game is not over after its last move".into()),
            Some(margin) if margin != self.result => {
                Err(format!("it ends with {margin} for Black, not {}", self.result))
            }
            Some(_) => Ok(()),
        }
    }
}

/// Black's margin at the end of a game; `None` while it goes on.
pub(crate) fn margin(referee: &dyn Referee) -> Option<i32> {
    use tengen_engine::game::Outcome;
    referee.ending().map(|ending| match ending.outcome {
        Outcome::Win(Color::Black) => ending.margin,
        Outcome::Win(Color::White) => -ending.margin,
        Outcome::Draw => 0,
    })
}

/// Empty points of a board.
pub(crate) fn empty(referee: &dyn Referee) -> u32 {
    use tengen_engine::game::{Cell, Point};
    let shape = referee.geometry();
    let points = (0..shape.height).flat_map(|row| (0..shape.width).map(move |column| Point { column, row }));
    points.filter(|&point| referee.cell(point) == Cell::Empty).count() as u32
}

/// A chunk of games.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Games {
    /// The set-up, as for `newgame`.
    pub(crate) setup: String,
    /// The command that makes the same games, without folders and numbers of threads.
    pub(crate) command: String,
    /// The engine that played, or where the games are from.
    pub(crate) source: String,
    /// The seed of the whole run.
    pub(crate) seed: u64,
    /// The games.
    pub(crate) games: Vec<Game>,
}

impl Games {
    /// The set-up, parsed.
    pub(crate) fn setup(&self) -> Result<Setup, String> {
        let setup = Setup::parse(self.setup.split_ascii_whitespace()).map_err(|error| error.to_string())?;
        games::referee(setup.clone()).map_err(|error| error.to_string())?;
        Ok(setup)
    }

    /// Moves of all games.
    pub(crate) fn positions(&self) -> u64 {
        self.games.iter().map(|game| game.plies.len() as u64).sum()
    }

    /// Writes the chunk and returns its checksum.
    ///
    /// # Errors
    /// One line that names the file.
    pub(crate) fn write(&self, path: &Path) -> Result<u64, String> {
        write(path, Kind::Games, &self.encode())
    }

    /// Reads a chunk; returns its checksum too.
    ///
    /// # Errors
    /// One line that names the file.
    pub(crate) fn read(path: &Path) -> Result<(Games, u64), String> {
        let (body, sum) = read(path, Kind::Games)?;
        let games = Games::decode(&body).map_err(|problem| format!("{}: {problem}", path.display()))?;
        Ok((games, sum))
    }

    fn encode(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(256 + 5 * self.positions() as usize);
        for text in [&self.setup, &self.command, &self.source] {
            bytes::put_text(&mut out, text);
        }
        bytes::put(&mut out, self.seed);
        bytes::put(&mut out, self.games.len() as u64);
        for game in &self.games {
            bytes::put_text(&mut out, game.start.as_deref().unwrap_or_default());
            bytes::put_signed(&mut out, game.result);
            bytes::put(&mut out, game.plies.len() as u64);
            for ply in &game.plies {
                let flags = [(ply.value.is_some(), VALUED), (ply.exact, EXACT), (ply.random, RANDOM)];
                out.push(flags.iter().filter(|flag| flag.0).fold(0, |all, flag| all | flag.1));
                put_move(&mut out, ply.mv);
                if let Some(value) = ply.value {
                    bytes::put_signed(&mut out, i32::from(value));
                }
            }
        }
        out
    }

    fn decode(body: &[u8]) -> Result<Games, String> {
        let mut reader = Reader::new(body);
        let (setup, command, source) = (reader.text()?, reader.text()?, reader.text()?);
        let mut chunk = Games { setup, command, source, seed: reader.number()?, games: Vec::new() };
        for _ in 0..reader.count()? {
            let start = Some(reader.text()?).filter(|text| !text.is_empty());
            let result = reader.signed()?;
            let plies = (0..reader.count()?).map(|_| get_ply(&mut reader)).collect::<Result<_, _>>()?;
            chunk.games.push(Game { start, plies, result });
        }
        if reader.done() { Ok(chunk) } else { Err("something follows the last game".into()) }
    }
}

fn get_ply(reader: &mut Reader<'_>) -> Result<Ply, String> {
    let flags = reader.byte()?;
    if flags > VALUED | EXACT | RANDOM {
        return Err("an unknown flag at a move".into());
    }
    let mv = match u32::try_from(reader.number()?) {
        Ok(0) => Move::PASS,
        Ok(number) if number <= Move::PASS.raw() => Move::new(number - 1),
        _ => return Err("a number that is no move".into()),
    };
    let value = match flags & VALUED {
        0 => None,
        _ => Some(i16::try_from(reader.signed()?).map_err(|_| "a value is too large")?),
    };
    Ok(Ply { mv, value, exact: flags & EXACT != 0, random: flags & RANDOM != 0 })
}

/// A pass is 0, any other move its raw number and one.
fn put_move(out: &mut Vec<u8>, mv: Move) {
    bytes::put(out, if mv == Move::PASS { 0 } else { u64::from(mv.raw()) + 1 });
}

#[cfg(test)]
pub(crate) mod tests {
    use tengen_engine::game::random;

    use super::*;
    use crate::data::tests::Scratch;

    /// Games of random moves with values drawn by lot.
    pub(crate) fn random_games(setup: &str, count: u64) -> Games {
        let mut chunk = Games {
            setup: setup.into(),
            command: "a test".into(),
            source: "lots".into(),
            seed: u64::MAX,
            games: Vec::new(),
        };
        let mut referee = games::referee(chunk.setup().unwrap()).unwrap();
        for seed in 0..count {
            let mut rng = random::rng(seed);
            referee.reset();
            let mut game = Game::default();
            while referee.ending().is_none() {
                let moves = referee.legal_moves(None).unwrap();
                let mv = moves[random::below(&mut rng, moves.len() as u32) as usize];
                let value = random::below(&mut rng, 0x1_0000) as u16 as i16;
                let lot = random::below(&mut rng, 8);
                game.plies.push(Ply {
                    mv,
                    value: (lot & 1 != 0).then_some(value),
                    exact: lot == 3,
                    random: lot & 4 != 0,
                });
                referee.play(None, mv).unwrap();
            }
            game.result = margin(&*referee).unwrap();
            chunk.games.push(game);
        }
        chunk
    }

    #[test]
    fn games_of_every_kind_come_back() {
        let scratch = Scratch::new("games");
        let path = scratch.0.join(Kind::Games.name(0));
        for setup in ["othello size 8", "gomoku size 15 rules renju", "nogo size 9", "amazons size 10"] {
            let chunk = random_games(setup, 20);
            chunk.write(&path).unwrap();
            let (back, sum) = Games::read(&path).unwrap();
            assert_eq!(back, chunk);
            assert_eq!(chunk.write(&path), Ok(sum));
            let mut referee = games::referee(back.setup().unwrap()).unwrap();
            for game in &back.games {
                game.replay(&mut *referee, |_, _, _| {}).unwrap();
            }
        }
        let bytes = random_games("othello", 100).encode().len() as u64;
        assert!(bytes < 5 * random_games("othello", 100).positions(), "{bytes} bytes");
    }

    #[test]
    fn a_wrong_move_or_result_is_found() {
        let chunk = random_games("othello", 1);
        let mut referee = games::referee(chunk.setup().unwrap()).unwrap();
        let mut game = chunk.games[0].clone();
        game.result += 2;
        assert!(game.replay(&mut *referee, |_, _, _| {}).unwrap_err().contains("it ends with"));
        game.plies.truncate(10);
        assert!(game.replay(&mut *referee, |_, _, _| {}).unwrap_err().contains("not over"));
        game.plies[5].mv = Move::new(28);
        assert_eq!(game.replay(&mut *referee, |_, _, _| {}), Err("move 6: occupied".into()));
    }

    #[test]
    fn no_cut_or_changed_body_panics() {
        let body = random_games("othello", 3).encode();
        let mut rng = random::rng(5);
        for at in 0..body.len() {
            assert!(Games::decode(&body[..at]).is_err(), "cut at {at}");
            let mut changed = body.clone();
            changed[at] = random::below(&mut rng, 256) as u8;
            let _readable_or_not = Games::decode(&changed);
        }
    }
}
