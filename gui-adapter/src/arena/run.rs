//! Plays a match: workers with two engines each, one journal.

use std::collections::{HashSet, VecDeque};
use std::io::{IsTerminal, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crossbeam::channel;
use indicatif::{ProgressBar, ProgressStyle};
use parking_lot::Mutex;
use tengen_engine::game::random;

use super::adjudication::Adjudicator;
use super::args::{Args, Match, Then};
use super::game::{self, Terms};
use super::journal::Journal;
use super::player::Player;
use super::record::{End, Finished, Side, Verdict};
use super::report::{Standings, Summary};
use super::schedule::{Scheduled, Tournament};
use super::{leash, merge, outcome, statistics};

/// How often the result is written while a match goes on.
const PACE: Duration = Duration::from_secs(5);

/// Plays a match, or joins what was played.
///
/// # Errors
/// A line that names the problem; whatever was finished stays in the journal.
pub fn run(args: &Args) -> Result<(), Box<dyn std::error::Error>> {
    tengen_engine::cli::start_log(args.log_level.as_str());
    if let Some(Then::Merge { out, shares }) = &args.then {
        return Ok(merge::run(out, shares)?);
    }
    if let Some(Then::Guard) = &args.then {
        leash::guard();
        return Ok(());
    }
    let game = args.prepare()?;
    leash::heed_interrupts();
    leash::start_guard();
    play(&game, &leash::HALT)?;
    Ok(())
}

/// The state of a match, which is changed by finished games only.
struct Progress<'a> {
    game: &'a Match,
    journal: Journal,
    standings: Standings,
    finished: Vec<Finished>,
    bar: ProgressBar,
    written: Instant,
}

impl Progress<'_> {
    /// A game has ended: it is on the disk before anybody hears of it.
    fn add(&mut self, game: Finished) -> Result<Summary, String> {
        self.journal.append(&game)?;
        self.standings.add(&game).map_err(|error| error.to_string())?;
        let summary = self.standings.summary();
        self.bar.inc(1);
        self.bar.set_message(summary.short());
        let line = if self.game.json {
            serde_json::to_string(&game).map_err(|error| error.to_string())?
        } else {
            game_line(&game)
        };
        self.say(&line);
        self.finished.push(game);
        if self.written.elapsed() >= PACE {
            outcome::write_result(self.journal.folder(), &summary)?;
            self.written = Instant::now();
        }
        Ok(summary)
    }

    fn say(&self, text: &str) {
        // Whoever does not read it any more still wants the match.
        self.bar.suspend(|| writeln!(std::io::stdout(), "{}", text.trim_end()).ok());
    }
}

/// `game 3: A - B: black+ (B illegal move "z9": not on the board)`
fn game_line(game: &Finished) -> String {
    let fault = match game.forfeit {
        Some(Side::Black) => format!("{} ", game.black),
        Some(Side::White) => format!("{} ", game.white),
        None => String::new(),
    };
    format!("game {}: {} - {}: {} ({fault}{})", game.game, game.black, game.white, game.score, game.reason)
}

/// Whether a test has come to its end.
fn is_decided(summary: &Summary) -> bool {
    summary.sprt.is_some_and(|sprt| sprt.state.verdict != statistics::Verdict::Continue)
}

/// Plays what is left of a match.
fn play(game: &Match, halt: &AtomicBool) -> Result<(), String> {
    let (journal, earlier) = Journal::open(&game.folder, &game.plan, game.recover)?;
    let names = &game.plan.engines;
    check(game, &earlier)?;
    let mut standings = Standings::new(names, game.sprt);
    for game in &earlier {
        standings.add(game).map_err(|error| error.to_string())?;
    }
    let total = u64::try_from(game.schedule.len()).unwrap_or(u64::MAX);
    let mut progress = Progress {
        game,
        journal,
        standings,
        bar: bar(total, earlier.len()),
        finished: earlier,
        written: Instant::now(),
    };
    let mut stages: VecDeque<Vec<Scheduled>> = stages(game);
    let done: HashSet<u32> = progress.finished.iter().map(|game| game.game).collect();
    let mut decided = is_decided(&progress.standings.summary());
    while let Some(stage) = stages.pop_front() {
        let left: VecDeque<Scheduled> =
            stage.iter().copied().filter(|game| !done.contains(&game.game)).collect();
        if !decided && !left.is_empty() {
            decided = stage_of(game, left, &mut progress, halt)?;
        }
        if decided || halt.load(Ordering::Relaxed) || !climbs(game, &stage, &progress.finished) {
            break;
        }
    }
    progress.bar.finish_and_clear();
    let summary = progress.standings.summary();
    outcome::write(progress.journal.folder(), &game.plan, game.sprt, &summary, &mut progress.finished)?;
    let result = serde_json::to_string(&summary).map_err(|error| error.to_string())?;
    progress.say(&if game.json { result } else { summary.text() });
    if halt.load(Ordering::Relaxed) {
        return Err("interrupted; the same command with --recover goes on".to_owned());
    }
    Ok(())
}

fn bar(total: u64, done: usize) -> ProgressBar {
    let bar = if std::io::stderr().is_terminal() { ProgressBar::new(total) } else { ProgressBar::hidden() };
    let template = "{bar:20} {pos}/{len} games, {eta} left  {msg}";
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style);
    }
    bar.set_position(u64::try_from(done).unwrap_or(0));
    bar
}

/// Games of an earlier run must be those of the schedule.
fn check(game: &Match, earlier: &[Finished]) -> Result<(), String> {
    for old in earlier {
        let place = game.schedule.binary_search_by_key(&old.game, |scheduled| scheduled.game);
        let scheduled = place.ok().and_then(|place| game.schedule.get(place));
        let name = |index: usize| game.plan.engines.get(index).map(String::as_str);
        let fits = scheduled.is_some_and(|scheduled| {
            let (black, white) = (name(scheduled.black), name(scheduled.white));
            let (old_black, old_white) = (Some(old.black.as_str()), Some(old.white.as_str()));
            // Swap2 exchanges the colours.
            (black, white) == (old_black, old_white)
                || (game.swap2 && (black, white) == (old_white, old_black))
        });
        if !fits {
            return Err(format!("{}: game {} is not of this match", game.folder.display(), old.game));
        }
    }
    Ok(())
}

/// What is played before the next is known: the rungs of a ladder, else everything at once.
fn stages(game: &Match) -> VecDeque<Vec<Scheduled>> {
    if game.tournament != Tournament::Ladder {
        return [game.schedule.clone()].into();
    }
    let other = |game: &Scheduled| game.black.max(game.white);
    game.schedule.chunk_by(|one, two| other(one) == other(two)).map(<[Scheduled]>::to_vec).collect()
}

/// Whether the next stage is reached: in a ladder, when the first engine has won more than half of the
/// points.
fn climbs(game: &Match, stage: &[Scheduled], finished: &[Finished]) -> bool {
    if game.tournament != Tournament::Ladder {
        return true;
    }
    let first = game.plan.engines.first();
    let numbers: HashSet<u32> = stage.iter().map(|game| game.game).collect();
    let points: f64 = finished
        .iter()
        .filter(|game| numbers.contains(&game.game))
        .map(|game| match game.result {
            Verdict::Draw => 0.5,
            Verdict::Black => f64::from(u8::from(Some(&game.black) == first)),
            Verdict::White => f64::from(u8::from(Some(&game.white) == first)),
        })
        .sum();
    points * 2.0 > f64::from(u32::try_from(stage.len()).unwrap_or(u32::MAX))
}

/// Plays games by several workers until there are no more, a test has decided, or the user halts.
fn stage_of(
    game: &Match,
    left: VecDeque<Scheduled>,
    progress: &mut Progress<'_>,
    halt: &AtomicBool,
) -> Result<bool, String> {
    let enough = AtomicBool::new(false);
    let queue = Mutex::new(left);
    let (sender, results) = channel::unbounded();
    std::thread::scope(|scope| {
        for _ in 0..game.concurrency {
            let sender = sender.clone();
            let (queue, enough) = (&queue, &enough);
            scope.spawn(move || work(game, queue, &[enough, halt], &sender));
        }
        drop(sender);
        let mut decided = false;
        let mut problem = None;
        for result in results {
            // A game that ends after the decision does not change it.
            if decided || problem.is_some() {
                continue;
            }
            match result.and_then(|game| progress.add(game)) {
                Ok(summary) => decided = is_decided(&summary),
                Err(error) => problem = Some(error),
            }
            if decided || problem.is_some() {
                enough.store(true, Ordering::Relaxed);
            }
        }
        problem.map_or(Ok(decided), Err)
    })
}

/// How long a game that ended by a crash is kept back, in case that the match is being ended.
const INTERRUPT_WAIT: Duration = Duration::from_millis(500);

/// One worker: the engines it has started stay for its next game, as far as they play in it.
fn work(
    game: &Match,
    queue: &Mutex<VecDeque<Scheduled>>,
    stops: &[&AtomicBool],
    results: &channel::Sender<Result<Finished, String>>,
) {
    let terms =
        Terms { setup: game.setup.clone(), grace: game.grace, swap2: game.swap2, agreement: game.agreement };
    let mut players: Vec<Option<Player>> = game.engines.iter().map(|_| None).collect();
    let mut adjudicator = Adjudicator::new();
    let stopped = || stops.iter().any(|stop| stop.load(Ordering::Relaxed));
    loop {
        let next = if stopped() { None } else { queue.lock().pop_front() };
        let Some(scheduled) = next else { break };
        let mut seat = |index: usize| {
            let kept = players.get_mut(index).and_then(Option::take);
            kept.or_else(|| {
                let spec = game.engines.get(index)?.clone();
                Some(Player::new(spec, game.limit, game.measure, game.hang))
            })
        };
        let (Some(mut black), Some(mut white)) = (seat(scheduled.black), seat(scheduled.white)) else {
            break;
        };
        // Those that do not play now would only use memory.
        players.iter_mut().flatten().for_each(Player::dismiss);
        let round = usize::try_from(scheduled.round).unwrap_or(0);
        let Some(opening) = game.openings.get(round % game.openings.len().max(1)) else { break };
        let seed = random::mix(game.seed ^ u64::from(scheduled.game) << 32);
        let result = game::play(
            &scheduled,
            opening,
            [&mut black, &mut white],
            &terms,
            seed,
            &mut adjudicator,
            &stopped,
        );
        // Who ends the match often ends its engines too (a batch system stops every process of a task), and
        // these may go first.
        let died = |game: &Finished| matches!(game.end, End::Crash | End::Start);
        if result.as_ref().is_ok_and(|game| game.as_ref().is_some_and(died)) {
            let given_up = Instant::now() + INTERRUPT_WAIT;
            while !stopped() && Instant::now() < given_up {
                std::thread::sleep(Duration::from_millis(10));
            }
            if stopped() {
                break;
            }
        }
        let failed = result.is_err();
        // By the name: swap2 exchanges the colours, not the engines.
        for player in [black, white] {
            let index = game.engines.iter().position(|spec| spec.name == player.name());
            if let Some(place) = index.and_then(|index| players.get_mut(index)) {
                *place = Some(player);
            }
        }
        match result {
            Ok(Some(finished)) => drop(results.send(Ok(finished))),
            Ok(None) => break,
            Err(error) => drop(results.send(Err(error))),
        }
        if failed {
            break;
        }
    }
    players.iter_mut().flatten().for_each(Player::dismiss);
}
