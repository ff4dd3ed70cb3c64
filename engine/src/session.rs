//! One client's game: record, searchers, clock, options, pondering. A session belongs to one thread
//! at a time; it is handed to a search and handed back, and no lock surrounds it.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use crate::game::Color;
use crate::games::{Choice, GAMES, GameId};
use crate::options::{self, Options};
use crate::player::{self, Ask, Found, Player};
use crate::protocol::{COMMANDS, Command, Info, Opening, Proven, SearchLimits, SolveKind};
use crate::search::clock::{Clock, TimeControl, seconds_text};
use crate::search::{Control, Goal, Limits, Stopwatch};

/// The text of a reply, or of an error.
pub type Answer = Result<String, String>;

/// What a command leads to.
#[derive(Debug)]
pub enum Step {
    /// It is done; this is the answer.
    Done(Answer),
    /// A search is to be run with [`Session::run`].
    Search(Job),
}

/// A search a session has been asked for.
#[derive(Clone, Debug, PartialEq)]
pub enum Job {
    /// Find a move for the side to move; play it or not.
    Move {
        /// Whether the move is played.
        play: bool,
        /// Whether a pass was implied by the colour asked for; taken back if the move is not played.
        passed: bool,
    },
    /// Search until stopped or at a limit, reporting at this interval.
    Analyze(Duration, SearchLimits),
    /// Find out the exact result.
    Solve(SolveKind, SearchLimits),
    /// Find the step of an opening; nothing is played.
    Opening(Opening),
    /// Think on the opponent's time.
    Ponder,
}

impl Job {
    /// Whether the search ends by itself, so that commands behind it wait.
    #[must_use]
    pub fn bounded(&self) -> bool {
        match self {
            Job::Move { .. } | Job::Solve(..) | Job::Opening(_) => true,
            Job::Analyze(_, limits) => *limits != SearchLimits::default(),
            Job::Ponder => false,
        }
    }
}

/// How a running search is talked to.
pub struct Link<'a> {
    /// Ends it.
    pub control: &'a Control,
    /// When its command was read.
    pub started: Instant,
    /// Threads it may use, given how many it asked for.
    pub threads: &'a dyn Fn(usize) -> usize,
    /// Takes info lines.
    pub on_info: &'a mut dyn FnMut(&[Info]),
}

impl std::fmt::Debug for Link<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Link").field("started", &self.started).finish_non_exhaustive()
    }
}

/// Info lines come at this interval after `info on`.
const INFO_INTERVAL: Duration = Duration::from_millis(250);
/// Moves in a row below the resign threshold before the engine gives up.
const RESIGN_MOVES: u32 = 3;

/// The state of one connection.
#[derive(Debug, Default)]
pub struct Session {
    player: Option<Box<dyn Player>>,
    options: Options,
    clock: Clock,
    info: bool,
    last: Option<Found>,
    /// Hopeless moves in a row of each colour.
    hopeless: [u32; 2],
    /// Games begun, so that openings differ from game to game.
    games: u64,
}

impl Session {
    /// A session without a game.
    #[must_use]
    pub fn new(options: Options) -> Session {
        Session { options, ..Session::default() }
    }

    fn player(&self) -> Result<&dyn Player, String> {
        self.player.as_deref().ok_or_else(|| "no game: use newgame".into())
    }

    fn player_mut(&mut self) -> Result<&mut Box<dyn Player>, String> {
        self.player.as_mut().ok_or_else(|| "no game: use newgame".into())
    }

    /// Carries out a command, or prepares its search. `stop`, `ping` and `quit` are the conductor's;
    /// here they do nothing.
    pub fn handle(&mut self, command: Command) -> Step {
        match self.start(command) {
            Ok(step) => step,
            Err(error) => Step::Done(Err(error)),
        }
    }

    fn start(&mut self, command: Command) -> Result<Step, String> {
        let done = |text: &str| Ok(Step::Done(Ok(text.to_owned())));
        match command {
            Command::ProtocolVersion => done("2"),
            Command::Name => done("Tengen"),
            Command::Version => done(env!("CARGO_PKG_VERSION")),
            Command::ListCommands => done(&COMMANDS.join("\n")),
            Command::KnownCommand(name) => {
                done(if COMMANDS.contains(&name.as_str()) { "true" } else { "false" })
            }
            Command::Ping => done("pong"),
            Command::Quit | Command::Stop => done(""),
            Command::Games => done(&games()),
            Command::NewGame(setup) => {
                let player = player::open(setup).map_err(|error| error.to_string())?;
                self.player = Some(player);
                self.clock = Clock::new(self.clock.control());
                self.last = None;
                self.hopeless = [0; 2];
                self.games += 1;
                done("")
            }
            Command::Play(color, text) => {
                let referee = self.player_mut()?.referee_mut();
                let mv = referee.parse_move(&text).map_err(|error| error.to_string())?;
                referee.play(color, mv).map_err(|reason| format!("illegal move: {reason}"))?;
                done("")
            }
            Command::GenMove(color) => self.start_move(color, true),
            Command::RegGenMove(color) => self.start_move(color, false),
            Command::Undo(count) => {
                self.player_mut()?.referee_mut().undo(count).map_err(|error| error.to_string())?;
                self.hopeless = [0; 2];
                done("")
            }
            Command::Turn => done(&self.player()?.referee().turn().to_string()),
            Command::LegalMoves(color) => {
                let referee = self.player()?.referee();
                let moves = referee
                    .legal_moves(color)
                    .ok_or("this game cannot say for the side that is not to move")?;
                done(&moves.iter().map(|&mv| referee.move_text(mv)).collect::<Vec<_>>().join(" "))
            }
            Command::Result => done(
                &self
                    .player()?
                    .referee()
                    .ending()
                    .map_or_else(|| "none".to_owned(), |ending| ending.to_string()),
            ),
            Command::History => {
                let referee = self.player()?.referee();
                let moves = referee.history().into_iter();
                done(
                    &moves
                        .map(|(color, mv)| format!("{} {}", color.letter(), referee.move_text(mv)))
                        .collect::<Vec<_>>()
                        .join(" "),
                )
            }
            Command::Position(None) => done(&self.player()?.referee().position_text()),
            Command::Position(Some(text)) => {
                let referee = self.player_mut()?.referee_mut();
                referee.set_position(&text).map_err(|error| format!("bad position: {error}"))?;
                self.hopeless = [0; 2];
                done("")
            }
            Command::ShowBoard => {
                let referee = self.player()?.referee();
                let state = referee
                    .ending()
                    .map_or_else(|| format!("{} to move", referee.turn()), |ending| ending.to_string());
                done(&format!("\n{}\n{state}", referee.diagram()))
            }
            Command::TimeControl(control) => {
                self.clock = Clock::new(control);
                done("")
            }
            Command::TimeLeft(color, time, stones) => {
                // A manager that reports a clock nobody announced still keeps one.
                if self.clock.control() == TimeControl::None {
                    self.clock = Clock::new(TimeControl::Absolute(time));
                }
                self.clock.correct(color, time, stones);
                done("")
            }
            Command::Options => {
                let line = |spec: &options::OptionSpec| {
                    format!("{} value {}", spec.describe(), self.options.get(spec.name).unwrap_or_default())
                };
                done(&options::TABLE.iter().map(line).collect::<Vec<_>>().join("\n"))
            }
            Command::Set(name, value) => {
                self.options.set(&name, &value).map_err(|error| error.to_string())?;
                done("")
            }
            Command::Stats => done(&self.stats()),
            Command::ClearCache => {
                if let Some(player) = &mut self.player {
                    player.forget();
                }
                done("")
            }
            Command::Ponder(on) => {
                self.options.ponder = on;
                done("")
            }
            Command::Info(on) => {
                self.info = on;
                done("")
            }
            Command::Analyze(interval, limits) => {
                if self.player()?.referee().ending().is_some() {
                    return Err("the game is over".into());
                }
                Ok(Step::Search(Job::Analyze(interval, limits)))
            }
            Command::Solve(kind, limits) => self.start_solve(kind, limits),
            Command::Opening(opening) => {
                self.player()?.opens(opening)?;
                Ok(Step::Search(Job::Opening(opening)))
            }
        }
    }

    fn start_move(&mut self, color: Option<Color>, play: bool) -> Result<Step, String> {
        let referee = self.player_mut()?.referee_mut();
        let pass = referee.has_pass();
        if referee.ending().is_some() {
            return Ok(Step::Done(Ok(if pass { "pass" } else { "resign" }.to_owned())));
        }
        let mut passed = false;
        if color.is_some_and(|color| color != referee.turn()) {
            if !referee.must_pass() {
                return Err("not your turn".into());
            }
            referee.play(None, crate::game::Move::PASS).map_err(|reason| reason.to_string())?;
            passed = true;
        } else if referee.must_pass() {
            if play {
                referee.play(None, crate::game::Move::PASS).map_err(|reason| reason.to_string())?;
            }
            return Ok(Step::Done(Ok("pass".into())));
        }
        Ok(Step::Search(Job::Move { play, passed }))
    }

    fn start_solve(&mut self, kind: SolveKind, limits: SearchLimits) -> Result<Step, String> {
        let referee = self.player()?.referee();
        if kind == SolveKind::Vcf && referee.setup().game != GameId::Gomoku {
            return Err("only Gomoku is won by continuous fours".into());
        }
        let Some(ending) = referee.ending() else { return Ok(Step::Search(Job::Solve(kind, limits))) };
        let status = player::proven(ending.outcome, referee.turn());
        let margin = if status == Proven::Loss { -ending.margin } else { ending.margin };
        Ok(Step::Done(Ok(format!("status {status} score {margin} nodes 0 time 0"))))
    }

    /// Whether the engine would now think on the opponent's time.
    #[must_use]
    pub fn wants_to_ponder(&self) -> bool {
        self.options.ponder && self.player().is_ok_and(|player| player.referee().ending().is_none())
    }

    /// Runs a search to its end and gives the answer; `None` after pondering. A panic in a search
    /// costs that search: what the searchers had learned is dropped, the game goes on.
    pub fn run(&mut self, job: &Job, link: Link<'_>) -> Option<Answer> {
        let answer = match self.search(job, link) {
            Ok(Some(found)) => {
                let answer = self.conclude(job, &found);
                self.last = Some(found);
                answer
            }
            Ok(None) => Err("no game: use newgame".into()),
            Err(()) => {
                if let Job::Move { passed: true, .. } = job {
                    self.take_back_pass();
                }
                Err("internal error: the search failed".into())
            }
        };
        (*job != Job::Ponder).then_some(answer)
    }

    fn search(&mut self, job: &Job, link: Link<'_>) -> Result<Option<Found>, ()> {
        let Some(player) = self.player.as_mut() else { return Ok(None) };
        let color = player.referee().turn();
        let overhead = Duration::from_millis(self.options.move_overhead);
        let limits = match job {
            Job::Move { .. } | Job::Opening(_) => {
                let nodes = (self.options.nodes > 0).then_some(self.options.nodes);
                let depth = (self.options.depth > 0).then_some(self.options.depth);
                let free = nodes.is_none() && depth.is_none();
                let budget = self.clock.budget(color, player.moves_left(), overhead).or_else(|| {
                    let control = TimeControl::Move(Duration::from_millis(self.options.move_time));
                    free.then(|| Clock::new(control).budget(color, 1, Duration::ZERO)).flatten()
                });
                Limits { nodes, depth, budget, endless: false }
            }
            Job::Solve(_, limits) | Job::Analyze(_, limits) => {
                let free = matches!(job, Job::Solve(..)) && *limits == SearchLimits::default();
                let time = limits.time.or(free.then_some(SearchLimits::DEFAULT_TIME));
                Limits {
                    nodes: limits.nodes,
                    depth: limits.depth,
                    budget: time.map(|time| crate::search::Budget::new(time, time)),
                    endless: true,
                }
            }
            Job::Ponder => Limits { endless: true, ..Limits::default() },
        };
        let interval = match job {
            Job::Analyze(interval, _) => Some(*interval),
            Job::Ponder => None,
            _ => self.info.then_some(INFO_INTERVAL),
        };
        let options = &self.options;
        let on_info = link.on_info;
        let ask = Ask {
            limits,
            control: link.control,
            started: if options.cpu_clock { Stopwatch::cpu() } else { Stopwatch::wall(link.started) },
            threads: (link.threads)(options.threads as usize),
            goal: match job {
                Job::Solve(SolveKind::Exact, _) => Goal::Exact,
                Job::Solve(SolveKind::Wld, _) => Goal::Result,
                Job::Solve(SolveKind::Vcf, _) => Goal::Fours,
                _ => Goal::Move,
            },
            weaken: matches!(job, Job::Move { .. } | Job::Opening(_)),
            interval,
            on_info: &mut *on_info,
        };
        let games = self.games;
        let found = catch_unwind(AssertUnwindSafe(|| match job {
            Job::Opening(opening) => player.open(options, ask, *opening, games),
            _ => player.search(options, ask),
        }));
        match found {
            Ok(found) => {
                if interval.is_some() {
                    on_info(&found.lines);
                }
                Ok(Some(found))
            }
            Err(_) => {
                log::error!("a search panicked in {}", player.referee().position_text());
                player.forget();
                Err(())
            }
        }
    }

    fn conclude(&mut self, job: &Job, found: &Found) -> Answer {
        match job {
            Job::Move { play, passed } => self.conclude_move(*play, *passed, found),
            Job::Solve(..) => Ok(solved(found)),
            Job::Opening(_) => {
                let referee = self.player()?.referee();
                let (color, moves) = (referee.turn(), found.opening.iter());
                let moves: Vec<String> = moves.map(|&mv| referee.move_text(mv)).collect();
                // The step is a move on the clock, though nothing is played.
                self.clock.spend(color, found.elapsed);
                Ok(if moves.is_empty() { "swap".to_owned() } else { moves.join(" ") })
            }
            Job::Analyze(..) => {
                let player = self.player()?;
                found.best.map(|mv| player.referee().move_text(mv)).ok_or_else(|| "no move found".into())
            }
            Job::Ponder => Ok(String::new()),
        }
    }

    fn take_back_pass(&mut self) {
        if let Some(player) = &mut self.player
            && let Err(error) = player.referee_mut().undo(1)
        {
            log::error!("an implied pass could not be taken back: {error}");
        }
    }

    fn conclude_move(&mut self, play: bool, passed: bool, found: &Found) -> Answer {
        let Some(mv) = found.best else {
            if passed {
                self.take_back_pass();
            }
            return Err("internal error: no move found".into());
        };
        let referee = self.player_mut()?.referee_mut();
        let color = referee.turn();
        let text = referee.move_text(mv);
        if !play {
            if passed {
                self.take_back_pass();
            }
            return Ok(text);
        }
        self.clock.spend(color, found.elapsed);
        let hopeless =
            found.lines.first().is_some_and(|line| line.winrate * 100.0 < self.options.resign as f32);
        let in_a_row = &mut self.hopeless[color.index()];
        *in_a_row = if hopeless { *in_a_row + 1 } else { 0 };
        if *in_a_row >= RESIGN_MOVES {
            if passed {
                self.take_back_pass();
            }
            return Ok("resign".into());
        }
        self.player_mut()?
            .referee_mut()
            .play(None, mv)
            .map_err(|reason| format!("internal error: {reason}"))?;
        Ok(text)
    }

    fn stats(&self) -> String {
        let found = self.last.clone().unwrap_or_default();
        let seconds = found.elapsed.as_secs_f64().max(1e-6);
        format!(
            "nodes {} reused {} depth {} time {} nps {} memory_mib {:.1} hash_mib {}",
            found.nodes,
            found.reused,
            found.depth,
            seconds_text(found.elapsed),
            (found.nodes as f64 / seconds) as u64,
            found.memory as f64 / f64::from(1 << 20),
            self.options.hash
        )
    }
}

fn solved(found: &Found) -> String {
    let line = found.lines.first();
    let mut text = match line.and_then(|line| line.proven) {
        None if found.refuted => "status no".to_owned(),
        None => "status unknown".to_owned(),
        Some(proven) => {
            let score = found.margin.map(|margin| format!(" score {margin}")).unwrap_or_default();
            format!("status {proven}{score}")
        }
    };
    text.push_str(&format!(" nodes {} time {:.3}", found.nodes, found.elapsed.as_secs_f64()));
    if let Some(line) = line.filter(|line| line.proven.is_some()) {
        text.push_str(&format!(" pv {}", line.pv.join(" ")));
    }
    text
}

/// A line for each game: name, sizes, rules and choices.
fn games() -> String {
    let line = |game: &crate::games::Description| {
        let sides = if game.only.is_empty() {
            format!("{}..{}", game.sides.0, game.sides.1)
        } else {
            game.only.iter().map(u8::to_string).collect::<Vec<_>>().join("|")
        };
        let mut text = format!(
            "{} size {sides} default {}{} rules {}",
            game.name,
            game.default_side,
            if game.rectangles { " rectangles" } else { "" },
            game.rules.join("|")
        );
        for Choice { key, values } in game.choices {
            text.push_str(&format!(" {key}={}", values.join("|")));
        }
        text
    };
    GAMES.iter().map(line).collect::<Vec<_>>().join("\n")
}
