//! A game record bound to its searchers, behind one object-safe face: what a session asks once a
//! command or once a search.

mod opening;

use std::any::{Any, TypeId};
use std::time::Duration;

use crate::experts;
use crate::game::random;
use crate::game::{Color, Game as _, Knowledge, Move, Outcome, Rules};
use crate::games::gomoku::GomokuSearch;
use crate::games::othello::Othello;
use crate::games::othello::board::Standard;
use crate::games::{self, GameId, Record, Referee, Setup, SetupError, Visitor};
use crate::options::{Algorithm, Options};
use crate::protocol::{Info, Opening, Proven};
use crate::search::alphabeta::AlphaBeta;
use crate::search::mcts::Mcts;
use crate::search::{Control, Goal, Limits, Line, Query, Report, Searcher, Stopwatch};

pub use opening::WINDOW;

/// A search for a player.
pub struct Ask<'a> {
    /// When it ends by itself.
    pub limits: Limits,
    /// The switch that ends it.
    pub control: &'a Control,
    /// The time since the command was read.
    pub started: Stopwatch,
    /// Threads, at least 1.
    pub threads: usize,
    /// What is to be found out; all but a move must be proven.
    pub goal: Goal,
    /// Whether a move is to be played: then the option `level` may weaken the choice, and the opening book
    /// may spare the search.
    pub weaken: bool,
    /// How often `on_info` is called; `None` is never.
    pub interval: Option<Duration>,
    /// Gets the lines of the search, best first.
    pub on_info: &'a mut dyn FnMut(&[Info]),
}

impl std::fmt::Debug for Ask<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Ask")
            .field("limits", &self.limits)
            .field("threads", &self.threads)
            .finish_non_exhaustive()
    }
}

/// What a search found, in the game's notation; values are from the view of the side to move.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Found {
    /// The move chosen.
    pub best: Option<Move>,
    /// All lines asked for, best first.
    pub lines: Vec<Info>,
    /// That there is no win of the kind asked for, see [`Goal::Fours`].
    pub refuted: bool,
    /// The exact margin, when a game of margins was solved.
    pub margin: Option<i32>,
    /// Nodes searched.
    pub nodes: u64,
    /// Depth in plies.
    pub depth: u32,
    /// Time since the command was read.
    pub elapsed: Duration,
    /// Nodes known from earlier searches.
    pub reused: u64,
    /// Bytes held by tree or table.
    pub memory: u64,
    /// After [`Player::open`]: the moves proposed, none for a change of sides.
    pub opening: Vec<Move>,
}

/// A game in progress and the searchers that know it.
pub trait Player: Send {
    /// The record.
    fn referee(&self) -> &dyn Referee;
    /// The record, to be changed.
    fn referee_mut(&mut self) -> &mut dyn Referee;
    /// Searches the present position, which must not be finished.
    fn search(&mut self, options: &Options, ask: Ask<'_>) -> Found;
    /// Whether the present position fits the wanted step of an opening; the error says what is missing.
    ///
    /// # Errors
    /// In any game but Gomoku, in a finished game, and where the stones do not fit.
    fn opens(&self, opening: Opening) -> Result<(), &'static str>;
    /// Searches for the step of an opening, where [`opens`](Player::opens) allows it. What is chosen by
    /// lot depends on `options.seed` and `variation`.
    fn open(&mut self, options: &Options, ask: Ask<'_>, opening: Opening, variation: u64) -> Found;
    /// Moves `color` may still have to make, at most: for the clock.
    fn moves_left(&self) -> u32;
    /// Forgets what the searchers learned and gives their memory back.
    fn forget(&mut self);
}

impl std::fmt::Debug for dyn Player + '_ {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Player({:?})", self.referee())
    }
}

/// A player for the set-up, at its start position.
///
/// # Errors
/// When the game refuses the set-up.
pub fn open(setup: Setup) -> Result<Box<dyn Player>, SetupError> {
    struct Seated;
    impl Visitor for Seated {
        type Out = Box<dyn Player>;
        fn visit<R: Rules>(self, setup: Setup, start: R) -> Box<dyn Player> {
            let options = Options::default();
            Box::new(Seat {
                strongest: strongest(&setup),
                record: Record::new(setup, start),
                mcts: Mcts::new(options.hash),
                alphabeta: AlphaBeta::new(options.hash),
                expert: expert(options.hash),
            })
        }
    }
    games::open(setup, Seated)
}

/// The algorithm `auto` stands for: the one that won the matches of `tengen-adapter match` (see the
/// table in ARCHITECTURE.md).
#[must_use]
pub fn strongest(setup: &Setup) -> Algorithm {
    match setup.game {
        GameId::NoGo | GameId::Amazons => Algorithm::Mcts,
        GameId::Gomoku | GameId::Othello => Algorithm::AlphaBeta,
    }
}

struct Seat<R: Rules> {
    record: Record<R>,
    mcts: Mcts,
    alphabeta: AlphaBeta,
    expert: Option<Box<dyn Searcher<R::Searched>>>,
    strongest: Algorithm,
}

impl<R: Rules> Player for Seat<R> {
    fn referee(&self) -> &dyn Referee {
        &self.record
    }

    fn referee_mut(&mut self) -> &mut dyn Referee {
        &mut self.record
    }

    fn moves_left(&self) -> u32 {
        self.record.position().horizon().saturating_sub(R::Searched::PLAYED_OUT) / 2 + 1
    }

    fn forget(&mut self) {
        Searcher::<R::Searched>::clear(&mut self.mcts);
        Searcher::<R::Searched>::clear(&mut self.alphabeta);
        if let Some(expert) = &mut self.expert {
            expert.clear();
        }
    }

    fn search(&mut self, options: &Options, ask: Ask<'_>) -> Found {
        if let Some(found) = self.known(options, &ask) {
            return found;
        }
        let root = self.record.position().searched();
        let (record, searcher) = self.prepare(options, ask.goal != Goal::Move);

        let weakness = if ask.weaken { Weakness::of_level(options.level) } else { None };
        let mut limits = ask.limits;
        let mut multipv = options.multipv as usize;
        if let Some(weakness) = weakness {
            limits.nodes = Some(limits.nodes.map_or(weakness.nodes, |nodes| nodes.min(weakness.nodes)));
            multipv = multipv.max(weakness.choices);
        }
        let wanted = options.multipv as usize;
        let on_info = ask.on_info;
        let report = searcher.search(
            &root,
            Query {
                limits,
                control: ask.control,
                started: ask.started,
                threads: ask.threads,
                multipv,
                seed: options.seed,
                goal: ask.goal,
                interval: ask.interval,
                on_report: &mut |report| on_info(&infos(record, report, wanted)),
            },
        );

        let chosen = weakness
            .map_or(0, |weakness| weakness.choose(&report.lines, root.turn(), options.seed, root.key()));
        Found {
            best: report.lines.get(chosen).map(|line| first_move(record, line)),
            lines: infos(record, &report, wanted),
            refuted: report.refuted,
            margin: report.lines.first().and_then(|line| line.margin),
            nodes: report.nodes,
            depth: report.depth,
            elapsed: report.elapsed,
            reused: report.reused,
            memory: report.memory,
            opening: Vec::new(),
        }
    }

    fn opens(&self, opening: Opening) -> Result<(), &'static str> {
        opening::allowed(&self.record, opening)
    }

    fn open(&mut self, options: &Options, ask: Ask<'_>, opening: Opening, variation: u64) -> Found {
        let (record, searcher) = self.prepare(options, false);
        let seed = random::mix(options.seed) ^ random::mix(variation) ^ record.key();
        opening::Study::new(record, searcher, options, &ask).step(opening, &mut random::rng(seed))
    }
}

impl<R: Rules> Seat<R> {
    /// A move of the opening book, where one may be played.
    fn known(&self, options: &Options, ask: &Ask<'_>) -> Option<Found> {
        let limited = ask.limits.nodes.is_some() || ask.limits.depth.is_some();
        let full = Weakness::of_level(options.level).is_none() && options.algorithm == Algorithm::Auto;
        if !options.book || !ask.weaken || ask.goal != Goal::Move || limited || !full {
            return None;
        }
        let root = self.record.position().searched();
        let (report, chosen) = self.expert.as_ref()?.known(&root, options.book_loss, options.seed)?;
        let best = first_move(&self.record, report.lines.get(chosen)?);
        let report = Report { elapsed: ask.started.elapsed(), ..report };
        Some(Found {
            best: Some(best),
            lines: infos(&self.record, &report, options.multipv as usize),
            depth: report.depth,
            elapsed: report.elapsed,
            ..Found::default()
        })
    }

    /// The record and the searcher to be used.
    fn prepare(&mut self, options: &Options, solve: bool) -> (&Record<R>, &mut dyn Searcher<R::Searched>) {
        let algorithm = if solve { Algorithm::Auto } else { options.algorithm };
        let algorithm = match (algorithm, &self.expert) {
            (Algorithm::Auto, Some(_)) => Algorithm::Auto,
            (Algorithm::Auto, None) if solve => Algorithm::AlphaBeta,
            (Algorithm::Auto, None) => self.strongest,
            (chosen, _) => chosen,
        };
        let general: [(Algorithm, &mut dyn Searcher<R::Searched>); 2] =
            [(Algorithm::Mcts, &mut self.mcts), (Algorithm::AlphaBeta, &mut self.alphabeta)];
        let expert =
            self.expert.as_deref_mut().map(|expert| (Algorithm::Auto, expert as &mut dyn Searcher<_>));
        let mut chosen = None;
        // `hash` bounds all together, so only the one in use holds memory.
        for (name, searcher) in general.into_iter().chain(expert) {
            if name == algorithm {
                chosen = Some(searcher);
            } else {
                searcher.clear();
            }
        }
        let searcher = chosen.unwrap_or_else(|| unreachable!("{algorithm:?} is one of them"));
        searcher.set_hash(options.hash);
        (&self.record, searcher)
    }
}

/// The searcher written for the game, where there is one.
fn expert<S: Knowledge>(mib: u64) -> Option<Box<dyn Searcher<S>>> {
    of::<S, Othello<Standard>>(|| Box::new(experts::othello::Expert::new(mib)))
        .or_else(|| of::<S, GomokuSearch>(|| Box::new(experts::gomoku::Expert::new(mib))))
}

/// What `make` makes, if it searches the same form.
fn of<S: Knowledge, T: Knowledge>(
    make: impl FnOnce() -> Box<dyn Searcher<T>>,
) -> Option<Box<dyn Searcher<S>>> {
    if TypeId::of::<S>() != TypeId::of::<T>() {
        return None;
    }
    // The types are the same, which the compiler does not know: a box seen as anything turns back into it.
    let mut found: Box<dyn Any> = Box::new(Some(make()));
    found.downcast_mut::<Option<Box<dyn Searcher<S>>>>().and_then(Option::take)
}

/// The turn's move a line begins with. A line may break off after the first step of a turn: the rest
/// is the game's own first choice then.
fn first_move<R: Rules>(record: &Record<R>, line: &Line) -> Move {
    let mut steps = line.moves.clone();
    loop {
        if let Some(mv) = R::join(&steps) {
            return mv;
        }
        let mut position = record.position().searched();
        for &step in &steps {
            position.play(step);
        }
        let (mut moves, mut scores) = (Vec::new(), Vec::new());
        position.candidates(&mut moves);
        position.order(&moves, &mut scores);
        let best = (0..moves.len()).max_by_key(|&i| (scores[i], std::cmp::Reverse(i)));
        steps.push(best.map_or(Move::NONE, |i| moves[i]));
    }
}

fn infos<R: Rules>(record: &Record<R>, report: &Report, wanted: usize) -> Vec<Info> {
    let side = record.position().turn();
    let seconds = report.elapsed.as_secs_f64().max(1e-6);
    let info = |(rank, line): (usize, &Line)| Info {
        depth: report.depth,
        nodes: report.nodes,
        nps: (report.nodes as f64 / seconds) as u64,
        time: report.elapsed,
        winrate: line.winrate,
        score: line.score as f32 / R::Searched::UNIT as f32,
        proven: line.proven.map(|outcome| proven(outcome, side)),
        margin: line.margin,
        multipv: rank as u32 + 1,
        visits: line.visits,
        prior: line.prior,
        pv: texts(record, line),
    };
    report.lines.iter().take(wanted).enumerate().map(info).collect()
}

fn texts<R: Rules>(record: &Record<R>, line: &Line) -> Vec<String> {
    let mut position = record.position().clone();
    let first = first_move(record, line);
    let mut texts = vec![position.move_text(first)];
    position.play(first);
    let mut rest = line.moves.get(R::split(first).len()..).unwrap_or_default();
    while let Some(mv) = R::join(rest) {
        texts.push(position.move_text(mv));
        position.play(mv);
        rest = rest.get(R::split(mv).len()..).unwrap_or_default();
    }
    texts
}

/// A result as the side to move sees it.
#[must_use]
pub fn proven(outcome: Outcome, side: Color) -> Proven {
    match outcome {
        Outcome::Draw => Proven::Draw,
        Outcome::Win(winner) if winner == side => Proven::Win,
        Outcome::Win(_) => Proven::Loss,
    }
}

/// How a level below the highest plays: it thinks less, and takes a move that looks a little worse
/// now and then, the less likely the worse it looks. It never takes a move it sees losing by force
/// while there is another, nor leaves a forced win it sees: a weaker player, not a careless one.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Weakness {
    /// Nodes it searches.
    nodes: u64,
    /// Moves it chooses among.
    choices: usize,
    /// Winning chance it gives away, on the scale of a softmax.
    spread: f32,
}

impl Weakness {
    /// Levels 1 to 19 search 16 to about 160,000 nodes, in equal ratios.
    fn of_level(level: u32) -> Option<Weakness> {
        if level >= 20 {
            return None;
        }
        let nodes = (1..level).fold(16.0_f64, |nodes, _| nodes * 1.67) as u64;
        let lack = (20 - level) as f32;
        Some(Weakness { nodes, choices: 12, spread: 0.004 * lack })
    }

    fn choose(self, lines: &[Line], side: Color, seed: u64, key: u64) -> usize {
        let result = |line: &Line| line.proven.map(|outcome| proven(outcome, side));
        let Some(best) = lines.first() else { return 0 };
        if result(best) == Some(Proven::Win) || result(best) == Some(Proven::Loss) {
            return 0;
        }
        // Rejection by an algebraic kernel: 1 / (1 + (loss / spread)^2) falls like a bell near the best
        // move, and moves that lose much more than the spread are left out.
        let weight = |line: &Line| {
            let loss = (best.winrate - line.winrate).max(0.0) / self.spread;
            let unseen = line.visits == Some(0) || result(line) == Some(Proven::Loss);
            if unseen || loss > 4.0 { 0.0 } else { 1.0 / (1.0 + loss * loss) }
        };
        let total: f32 = lines.iter().map(weight).sum();
        let mut rng = random::rng(random::mix(seed) ^ key);
        let mut left = random::below(&mut rng, 1 << 24) as f32 / (1 << 24) as f32 * total;
        for (i, line) in lines.iter().enumerate() {
            left -= weight(line);
            if left < 0.0 {
                return i;
            }
        }
        0
    }
}
