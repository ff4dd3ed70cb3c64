//! Matches inside one process, for decisions about the engine: two sets of options, or the engine
//! against a random mover or a GTP program, over paired openings with the colours swapped.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use tengen_engine::game::random::{self, Rng};
use tengen_engine::game::{Color, Move, Outcome};
use tengen_engine::games::{self, Referee, Setup};
use tengen_engine::options::Options;
use tengen_engine::player::{self, Ask, Player};
use tengen_engine::search::{Budget, Control, Limits, Stopwatch};

/// A match between two engines at equal time or nodes.
#[derive(clap::Args, Debug)]
pub(crate) struct Args {
    /// Set-up as for newgame: "nogo size 7".
    setup: String,
    /// First side: options such as "algorithm=mcts hash=64", empty for the default.
    #[arg(long, default_value = "")]
    first: String,
    /// Second side: options, "random" for uniformly random moves, or "gtp:COMMAND" for a program in
    /// the Quarry dialect (Othello, Amazons).
    #[arg(long, default_value = "")]
    second: String,
    /// Games; rounded up to pairs.
    #[arg(long, default_value_t = 20)]
    games: u32,
    /// Milliseconds a move for our sides.
    #[arg(long, conflicts_with = "nodes")]
    time: Option<u64>,
    /// Nodes a move for our sides.
    #[arg(long)]
    nodes: Option<u64>,
    /// Random plies each opening begins with.
    #[arg(long, default_value_t = 4)]
    plies: u32,
    /// Seed of the openings and of the random mover.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Print the moves of every game.
    #[arg(long)]
    verbose: bool,
}

/// Somebody who moves.
trait Mover {
    fn start(&mut self, setup: &Setup, opening: &[(Color, Move)]) -> Result<(), String>;
    /// A move was played, by itself (`own`) or by the other side.
    fn played(&mut self, color: Color, text: &str, own: bool) -> Result<(), String>;
    fn choose(&mut self, referee: &dyn Referee) -> Result<String, String>;
}

struct Engine {
    options: Options,
    limits: Limits,
    player: Option<Box<dyn Player>>,
}

impl Mover for Engine {
    fn start(&mut self, setup: &Setup, opening: &[(Color, Move)]) -> Result<(), String> {
        let mut player = player::open(setup.clone()).map_err(|error| error.to_string())?;
        for &(color, mv) in opening {
            player.referee_mut().play(Some(color), mv).map_err(|reason| reason.to_string())?;
        }
        self.player = Some(player);
        Ok(())
    }

    fn played(&mut self, color: Color, text: &str, _own: bool) -> Result<(), String> {
        let referee = self.player.as_mut().ok_or("not started")?.referee_mut();
        let mv = referee.parse_move(text).map_err(|error| error.to_string())?;
        referee.play(Some(color), mv).map_err(|reason| reason.to_string())
    }

    fn choose(&mut self, referee: &dyn Referee) -> Result<String, String> {
        let player = self.player.as_mut().ok_or("not started")?;
        let found = player.search(
            &self.options,
            Ask {
                limits: self.limits,
                control: &Control::default(),
                started: Stopwatch::wall(Instant::now()),
                threads: self.options.threads as usize,
                solve: false,
                weaken: true,
                interval: None,
                on_info: &mut |_| {},
            },
        );
        found.best.map(|mv| referee.move_text(mv)).ok_or_else(|| "no move".into())
    }
}

struct RandomMover(Rng);

impl Mover for RandomMover {
    fn start(&mut self, _: &Setup, _: &[(Color, Move)]) -> Result<(), String> {
        Ok(())
    }
    fn played(&mut self, _: Color, _: &str, _: bool) -> Result<(), String> {
        Ok(())
    }
    fn choose(&mut self, referee: &dyn Referee) -> Result<String, String> {
        let moves = referee.legal_moves(None).unwrap_or_default();
        let at = random::below(&mut self.0, moves.len().max(1) as u32) as usize;
        moves.get(at).map(|&mv| referee.move_text(mv)).ok_or_else(|| "no move".into())
    }
}

struct Gtp {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Gtp {
    fn new(command: &str) -> Result<Gtp, String> {
        let mut words = command.split_ascii_whitespace();
        let program = words.next().ok_or("no program")?;
        let mut child = Command::new(program)
            .args(words)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|error| format!("{program}: {error}"))?;
        let input = child.stdin.take().ok_or("no input")?;
        let output = BufReader::new(child.stdout.take().ok_or("no output")?);
        Ok(Gtp { child, input, output })
    }

    fn ask(&mut self, command: &str) -> Result<String, String> {
        writeln!(self.input, "{command}")
            .and_then(|()| self.input.flush())
            .map_err(|error| error.to_string())?;
        let mut text = String::new();
        loop {
            let mut line = String::new();
            if self.output.read_line(&mut line).map_err(|error| error.to_string())? == 0 {
                return Err(format!("the program ended at {command}"));
            }
            if line.trim().is_empty() && !text.is_empty() {
                break;
            }
            text.push_str(&line);
        }
        let text = text.trim();
        match text.strip_prefix('=') {
            Some(text) => Ok(text.trim().to_owned()),
            None => Err(format!("{command}: {text}")),
        }
    }
}

impl Drop for Gtp {
    fn drop(&mut self) {
        let _gone = self.child.kill();
        let _reaped = self.child.wait();
    }
}

impl Mover for Gtp {
    fn start(&mut self, setup: &Setup, opening: &[(Color, Move)]) -> Result<(), String> {
        self.ask(&format!("boardsize {}", setup.width))?;
        self.ask("clear_board")?;
        let mut referee = games::referee(setup.clone()).map_err(|error| error.to_string())?;
        for &(color, mv) in opening {
            let text = referee.move_text(mv);
            self.played(color, &text, false)?;
            referee.play(Some(color), mv).map_err(|reason| reason.to_string())?;
        }
        Ok(())
    }
    fn played(&mut self, color: Color, text: &str, own: bool) -> Result<(), String> {
        if own || text == "pass" {
            return Ok(());
        }
        self.ask(&format!("play {color} {text}")).map(|_| ())
    }
    fn choose(&mut self, referee: &dyn Referee) -> Result<String, String> {
        if referee.must_pass() {
            return Ok("pass".into());
        }
        self.ask(&format!("genmove {}", referee.turn())).map(|text| text.to_ascii_lowercase())
    }
}

fn mover(words: &str, limits: Limits, seed: u64) -> Result<Box<dyn Mover>, String> {
    if words == "random" {
        return Ok(Box::new(RandomMover(random::rng(seed))));
    }
    if let Some(command) = words.strip_prefix("gtp:") {
        return Ok(Box::new(Gtp::new(command)?));
    }
    let mut options = Options::default();
    for word in words.split_ascii_whitespace() {
        let (name, value) = word.split_once('=').ok_or_else(|| format!("{word}: expected name=value"))?;
        options.set(name, value).map_err(|error| error.to_string())?;
    }
    Ok(Box::new(Engine { options, limits, player: None }))
}

/// The opening of a pair: random plies, the same for every program that plays it.
fn opening(setup: &Setup, plies: u32, seed: u64) -> Result<Vec<(Color, Move)>, String> {
    for attempt in 0.. {
        let mut referee = games::referee(setup.clone()).map_err(|error| error.to_string())?;
        let mut rng = random::rng(random::mix(seed).wrapping_add(attempt));
        for _ in 0..plies {
            let moves = referee.legal_moves(None).unwrap_or_default();
            let Some(&mv) = moves.get(random::below(&mut rng, moves.len().max(1) as u32) as usize) else {
                break;
            };
            referee.play(None, mv).map_err(|reason| reason.to_string())?;
        }
        if referee.ending().is_none() {
            return Ok(referee.history());
        }
    }
    Err("no opening".into())
}

/// Plays one game; gives the winner and the moves.
fn game<'a>(
    setup: &Setup,
    opening: &[(Color, Move)],
    black: &mut (dyn Mover + 'a),
    white: &mut (dyn Mover + 'a),
) -> Result<(Outcome, String), String> {
    let mut referee = games::referee(setup.clone()).map_err(|error| error.to_string())?;
    for &(color, mv) in opening {
        referee.play(Some(color), mv).map_err(|reason| reason.to_string())?;
    }
    black.start(setup, opening)?;
    white.start(setup, opening)?;
    loop {
        if let Some(ending) = referee.ending() {
            let moves =
                referee.history().into_iter().map(|(_, mv)| referee.move_text(mv)).collect::<Vec<_>>();
            return Ok((ending.outcome, format!("{ending} {}", moves.join(" "))));
        }
        let color = referee.turn();
        let (mover, other) = match color {
            Color::Black => (&mut *black, &mut *white),
            Color::White => (&mut *white, &mut *black),
        };
        let text = mover.choose(referee.as_ref())?;
        if text == "resign" {
            return Ok((Outcome::Win(!color), format!("{color} resigns")));
        }
        let mv = referee.parse_move(&text).map_err(|error| error.to_string())?;
        referee.play(Some(color), mv).map_err(|reason| format!("{color} {text}: {reason}"))?;
        mover.played(color, &text, true)?;
        other.played(color, &text, false)?;
    }
}

/// Plays the match and writes a line a pair and the result.
///
/// # Errors
/// What went wrong in a game: an illegal move, a program that ended.
pub(crate) fn run(args: &Args, out: &mut dyn Write) -> Result<(), String> {
    let setup = Setup::parse(args.setup.split_ascii_whitespace()).map_err(|error| error.to_string())?;
    let time = args.time.or(args.nodes.is_none().then_some(100)).map(Duration::from_millis);
    let limits =
        Limits { nodes: args.nodes, budget: time.map(|time| Budget::new(time, time)), ..Limits::default() };
    let mut first = mover(&args.first, limits, args.seed)?;
    let mut second = mover(&args.second, limits, args.seed)?;
    let (mut wins, mut draws, mut losses) = (0_u32, 0_u32, 0_u32);
    let mut pairs = Vec::new();
    for pair in 0..args.games.div_ceil(2) {
        let opening = opening(&setup, args.plies, args.seed + u64::from(pair))?;
        let mut points = 0.0;
        for color in Color::ALL {
            let (outcome, record) = match color {
                Color::Black => game(&setup, &opening, first.as_mut(), second.as_mut())?,
                Color::White => game(&setup, &opening, second.as_mut(), first.as_mut())?,
            };
            match outcome {
                Outcome::Draw => draws += 1,
                Outcome::Win(winner) if winner == color => wins += 1,
                Outcome::Win(_) => losses += 1,
            }
            points += match outcome {
                Outcome::Draw => 0.5,
                Outcome::Win(winner) => f64::from(u8::from(winner == color)),
            };
            if args.verbose {
                writeln!(out, "first {color}: {record}").map_err(|error| error.to_string())?;
            }
        }
        pairs.push(points / 2.0);
        let (elo, error) = elo(&pairs);
        writeln!(out, "games {} +{wins} ={draws} -{losses} Elo {elo:+.0} +-{error:.0}", 2 * (pair + 1))
            .and_then(|()| out.flush())
            .map_err(|error| error.to_string())?;
    }
    Ok(())
}

/// Elo difference and the half width of its 95 % interval, from the scores of pairs (0 to 1): the
/// variance is taken over pairs, because the two games of an opening depend on each other.
fn elo(pairs: &[f64]) -> (f64, f64) {
    let count = pairs.len() as f64;
    let mean = pairs.iter().sum::<f64>() / count;
    let variance = pairs.iter().map(|score| (score - mean).powi(2)).sum::<f64>() / (count - 1.0).max(1.0);
    let half = 1.96 * (variance / count).sqrt();
    let of = |score: f64| {
        let score = score.clamp(0.5 / count / 2.0, 1.0 - 0.5 / count / 2.0);
        400.0 * (score / (1.0 - score)).log10()
    };
    (of(mean), (of(mean + half) - of(mean - half)) / 2.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elo_of_an_even_match_is_nothing() {
        let (even, error) = elo(&[0.5, 1.0, 0.0, 0.5]);
        assert!(even.abs() < 1e-9 && error > 50.0);
        assert!(elo(&[0.75; 100]).0 > 150.0);
    }

    #[test]
    fn a_search_beats_a_random_mover_in_every_game() {
        for setup in ["nogo size 5", "gomoku size 9 rules renju", "othello size 6", "amazons size 5"] {
            let args = Args {
                setup: setup.into(),
                first: String::new(),
                second: "random".into(),
                games: 2,
                time: None,
                nodes: Some(500),
                plies: 0,
                seed: 1,
                verbose: false,
            };
            let mut out = Vec::new();
            run(&args, &mut out).unwrap();
            let text = String::from_utf8(out).unwrap();
            assert!(text.contains("+2 =0 -0"), "{setup}: {text}");
        }
    }
}
