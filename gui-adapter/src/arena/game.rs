//! One game: the referee, the clocks, both engines.

use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use tengen_engine::game::{Color, Move, Outcome};
use tengen_engine::games::{Referee, Setup};
use tengen_engine::search::clock::seconds_text;

use super::adjudication::{Adjudicator, Agreement, Sentence};
use super::drivers::{Answer, Claim, Fault, Table, Task, shown};
use super::limit::Clocks;
use super::opening::Opening;
use super::player::{Player, Thought};
use super::record::{End, Finished, Side, Started};
use super::schedule::Scheduled;

/// What holds for every game of a match.
#[derive(Clone, Debug)]
pub(super) struct Terms {
    pub(super) setup: Setup,
    /// What a side may use beyond its time.
    pub(super) grace: Duration,
    /// The engines make the opening themselves by swap2.
    pub(super) swap2: bool,
    /// When a game is ended before its end.
    pub(super) agreement: Agreement,
}

/// How a game has ended.
struct Ended {
    outcome: Outcome,
    score: String,
    end: End,
    reason: String,
    forfeit: Option<Color>,
}

impl Ended {
    fn fault(loser: Color, fault: Fault) -> Ended {
        Ended {
            outcome: Outcome::Win(!loser),
            score: score(Outcome::Win(!loser), None),
            end: fault.end,
            reason: fault.reason,
            forfeit: Some(loser),
        }
    }
}

/// A game in progress.
struct Game<'a> {
    terms: &'a Terms,
    seed: u64,
    referee: Box<dyn Referee>,
    start: Option<String>,
    history: Vec<(Color, Move)>,
    times: Vec<Duration>,
    chances: Vec<Option<f32>>,
    clocks: Clocks,
    black: &'a mut Player,
    white: &'a mut Player,
    /// When the last answer came, and what passed from there to the next question.
    answered: Option<Instant>,
    gaps: Vec<Duration>,
    stopped: &'a dyn Fn() -> bool,
}

/// Plays a game of the schedule; `None` when `stopped` said so before its end. `seed` is that of the game.
///
/// # Errors
/// When the opening cannot be played, which is nobody's fault but the file's.
pub(super) fn play(
    scheduled: &Scheduled,
    opening: &Opening,
    players: [&mut Player; 2],
    terms: &Terms,
    seed: u64,
    adjudicator: &mut Adjudicator,
    stopped: &dyn Fn() -> bool,
) -> Result<Option<Finished>, String> {
    let begun = Instant::now();
    let started = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs());
    let [black, white] = players;
    let referee = opening.referee(&terms.setup)?;
    let history = referee.history();
    let mut game = Game {
        terms,
        seed,
        start: referee.start_text(),
        times: vec![Duration::ZERO; history.len()],
        chances: vec![None; history.len()],
        history,
        referee,
        clocks: clocks(black, white, terms),
        black,
        white,
        answered: None,
        gaps: Vec::new(),
        stopped,
    };
    let mut name = opening.name.clone();
    let mut plies = game.history.len();
    let mut ended = game.begin();
    if terms.swap2 && ended.is_none() {
        "swap2".clone_into(&mut name);
        ended = game.swap2(&mut plies);
    }
    let Some(ended) = ended.or_else(|| game.play_on(adjudicator)) else { return Ok(None) };
    let text = |&(_, mv): &(Color, Move)| game.referee.move_text(mv);
    game.gaps.sort();
    Ok(Some(Finished {
        game: scheduled.game,
        pair: scheduled.pair,
        setup: terms.setup.to_string(),
        black: game.black.name().to_owned(),
        white: game.white.name().to_owned(),
        opening: Started {
            name,
            position: game.start.clone(),
            moves: game.history.iter().take(plies).map(text).collect(),
        },
        moves: game.history.iter().skip(plies).map(text).collect(),
        result: ended.outcome.into(),
        score: ended.score,
        end: ended.end,
        reason: ended.reason,
        forfeit: ended.forfeit.map(Side::from),
        times: game.times.iter().skip(plies).map(|time| rounded(time.as_secs_f64())).collect(),
        chances: game
            .chances
            .iter()
            .skip(plies)
            .map(|chance| chance.map(|c| (c * 1e4).round() / 1e4))
            .collect(),
        overhead: game.gaps.get(game.gaps.len() / 2).map(|gap| rounded(gap.as_secs_f64())),
        started,
        duration: rounded(begun.elapsed().as_secs_f64()),
    }))
}

/// The clocks at the start, each side's by its engine's own limit.
fn clocks(black: &Player, white: &Player, terms: &Terms) -> Clocks {
    Clocks::new([black, white].map(|player| player.limit().control), terms.grace)
}

/// `black+12`, `white+` where the margin is not known, `draw`.
fn score(outcome: Outcome, margin: Option<i32>) -> String {
    match outcome {
        Outcome::Draw => "draw".to_owned(),
        Outcome::Win(winner) => {
            format!("{winner}+{}", margin.map_or(String::new(), |margin| margin.to_string()))
        }
    }
}

/// To microseconds: a journal is read by people too.
fn rounded(seconds: f64) -> f64 {
    (seconds * 1e6).round() / 1e6
}

impl Game<'_> {
    fn player(&mut self, color: Color) -> &mut Player {
        match color {
            Color::Black => self.black,
            Color::White => self.white,
        }
    }

    /// Calls `what` with a side's player and the table as it stands.
    fn with<T>(&mut self, color: Color, what: impl FnOnce(&mut Player, &Table<'_>) -> T) -> T {
        let player = match color {
            Color::Black => &mut *self.black,
            Color::White => &mut *self.white,
        };
        let table = Table {
            referee: &*self.referee,
            start: self.start.as_deref(),
            history: &self.history,
            times: &self.times,
            clocks: &self.clocks,
            limit: player.limit(),
            seed: self.seed,
        };
        what(player, &table)
    }

    /// Tells both engines that a game begins.
    fn begin(&mut self) -> Option<Ended> {
        let mut faults = Vec::new();
        for color in Color::ALL {
            if let Err(fault) = self.with(color, Player::new_game) {
                faults.push((color, fault));
            }
        }
        match faults.as_slice() {
            [] => None,
            [(loser, fault)] => Some(Ended::fault(*loser, fault.clone())),
            _ => {
                let reasons: Vec<String> =
                    faults.iter().map(|(color, fault)| format!("{color} {}", fault.reason)).collect();
                Some(Ended {
                    outcome: Outcome::Draw,
                    score: score(Outcome::Draw, None),
                    end: End::Start,
                    reason: format!("neither engine can play: {}", reasons.join("; ")),
                    forfeit: None,
                })
            }
        }
    }

    fn push(&mut self, mv: Move, time: Duration, chance: Option<f32>) -> Result<(), String> {
        let color = self.referee.turn();
        self.referee.play(None, mv).map_err(|reason| reason.to_string())?;
        self.history.push((color, mv));
        self.times.push(time);
        self.chances.push(chance);
        Ok(())
    }

    /// Asks a side, and counts what lies between the moves.
    fn ask(&mut self, color: Color, task: Task) -> Thought {
        let thought = self.with(color, |player, table| player.think(table, task));
        let (asked, answered) = thought.wall;
        if let Some(before) = self.answered.replace(answered) {
            self.gaps.push(asked.saturating_duration_since(before));
        }
        thought
    }

    /// Plays until somebody has won, or nobody; `None` when it is stopped before.
    fn play_on(&mut self, adjudicator: &mut Adjudicator) -> Option<Ended> {
        adjudicator.new_game();
        loop {
            if self.referee.ending().is_some() {
                return Some(self.by_rules());
            }
            if (self.stopped)() {
                return None;
            }
            // There is nothing to decide about a pass that is forced, and most protocols cannot ask.
            if self.referee.must_pass() {
                if let Err(reason) = self.push(Move::PASS, Duration::ZERO, None) {
                    return Some(Ended::fault(self.referee.turn(), Fault::new(End::Start, reason)));
                }
                continue;
            }
            if let Some(Sentence { outcome, margin, reason }) =
                adjudicator.verdict(&*self.referee, &self.terms.agreement)
            {
                return Some(Ended {
                    outcome,
                    score: score(outcome, margin),
                    end: End::Adjudication,
                    reason,
                    forfeit: None,
                });
            }
            let color = self.referee.turn();
            let thought = self.ask(color, Task::Move);
            if let Some(ended) = self.judge(color, thought, adjudicator) {
                return Some(ended);
            }
        }
    }

    /// Plays the move that was answered, or ends the game.
    fn judge(&mut self, color: Color, thought: Thought, adjudicator: &mut Adjudicator) -> Option<Ended> {
        let lost = |end: End, reason: String| Some(Ended::fault(color, Fault::new(end, reason)));
        let answer = match thought.answer {
            Ok(answer) => answer,
            Err(fault) => return Some(Ended::fault(color, fault)),
        };
        let allowed = self.clocks.allowed(color);
        if !self.clocks.spend(color, thought.spent) {
            // It goes on as if nothing had been, with the wrong game.
            self.player(color).expel();
            let (spent, allowed) = (seconds_text(thought.spent), seconds_text(allowed.unwrap_or_default()));
            return lost(End::Time, format!("used {spent} s of {allowed} s"));
        }
        let (end, reason) = match answer {
            Answer::Move(mv, text) => match self.push(mv, thought.spent, thought.chance) {
                Ok(()) => {
                    adjudicator.heard(color, thought.chance);
                    return None;
                }
                Err(reason) => (End::Illegal, format!("illegal move \"{}\": {reason}", shown(&text))),
            },
            Answer::Resign => {
                return Some(Ended {
                    outcome: Outcome::Win(!color),
                    score: score(Outcome::Win(!color), None),
                    end: End::Resignation,
                    reason: format!("{color} resigns"),
                    forfeit: None,
                });
            }
            Answer::NoMove(text) => {
                (End::Claim, format!("answers \"{}\", and there are legal moves", shown(&text)))
            }
            Answer::Swap | Answer::Stones(_) => (End::Garbage, "answers to another question".to_owned()),
        };
        self.player(color).expel();
        lost(end, reason)
    }

    /// The result by the rules, unless just one engine claims another.
    fn by_rules(&mut self) -> Ended {
        let claims = Color::ALL.map(|color| {
            let claim = self.with(color, Player::over);
            // Nobody loses a game any more that is over.
            (color, claim.unwrap_or(Claim::Silent))
        });
        let differing: Vec<(Color, &str)> = claims
            .into_iter()
            .filter_map(|(color, claim)| match claim {
                Claim::Differs(what) => Some((color, what)),
                Claim::Silent | Claim::Agrees => None,
            })
            .collect();
        let Some(ending) = self.referee.ending() else {
            return Ended::fault(self.referee.turn(), Fault::new(End::Start, "the game is not over"));
        };
        if let [(loser, what)] = differing.as_slice() {
            self.player(*loser).expel();
            let reason = format!("says that the game {what}, but the result is {ending}");
            return Ended::fault(*loser, Fault::new(End::Claim, reason));
        }
        let score = score(ending.outcome, Some(ending.margin));
        let reason = ending.reason.to_owned();
        Ended { outcome: ending.outcome, score, end: End::Rules, reason, forfeit: None }
    }

    /// The opening by swap2: Black's engine proposes. `plies` becomes the length of the opening. What it
    /// takes is limited as a move is, and is not taken off the clock.
    fn swap2(&mut self, plies: &mut usize) -> Option<Ended> {
        let (proposer, chooser) = (Color::Black, Color::White);
        let swapped = self.stones(proposer, &[3]).and_then(|_| {
            *plies = self.history.len();
            match self.stones(chooser, &[0, 1, 2])? {
                // Now the proposer takes White by making its move, or Black.
                2 => {
                    *plies = self.history.len();
                    self.stones(proposer, &[0, 1]).map(|count| count == 1)
                }
                count => Ok(count == 0),
            }
        });
        match swapped {
            Ok(true) => {
                std::mem::swap(self.black, self.white);
                self.clocks = clocks(self.black, self.white, self.terms);
                None
            }
            Ok(false) => None,
            Err(ended) => {
                *plies = self.history.len();
                Some(ended)
            }
        }
    }

    /// Has a side answer a step of swap2 by one of these numbers of stones, 0 for a swap; gives the number.
    fn stones(&mut self, color: Color, counts: &[usize]) -> Result<usize, Ended> {
        let thought = self.ask(color, Task::Swap2);
        let allowed = self.clocks.allowed(color);
        let put = match thought.answer {
            Err(fault) => Err(fault),
            Ok(_) if allowed.is_some_and(|allowed| thought.spent > allowed) => {
                let (spent, allowed) =
                    (seconds_text(thought.spent), seconds_text(allowed.unwrap_or_default()));
                Err(Fault::new(End::Time, format!("used {spent} s of {allowed} s for a step of swap2")))
            }
            Ok(answer) => self.put_stones(answer, counts, thought.spent),
        };
        put.map_err(|fault| {
            self.player(color).expel();
            Ended::fault(color, fault)
        })
    }

    fn put_stones(&mut self, answer: Answer, counts: &[usize], spent: Duration) -> Result<usize, Fault> {
        let stones = match answer {
            Answer::Swap => Vec::new(),
            Answer::Stones(stones) if !stones.is_empty() => stones,
            _ => return Err(Fault::new(End::Garbage, "does not answer the question of swap2")),
        };
        if !counts.contains(&stones.len()) {
            let reason = format!("answers {} stones in swap2, expected one of {counts:?}", stones.len());
            return Err(Fault::new(End::Garbage, reason));
        }
        for &mv in &stones {
            let text = self.referee.move_text(mv);
            self.push(mv, spent, None)
                .map_err(|reason| Fault::new(End::Illegal, format!("illegal stone {text}: {reason}")))?;
        }
        Ok(stones.len())
    }
}
