//! The engine as the terminal session sees it: something that can be asked for a move.

use crossbeam::channel;
use tengen_engine::games::Referee;
use tengen_engine::options::{Options, TABLE};
use tengen_engine::protocol::{Info, Proven};

use crate::client::args::EngineOptions;
use crate::client::{Client, ClockRequest, Event, Launcher, Request, SearchKind, Snapshot};

/// What a move is wanted for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Purpose {
    /// To be played, at the level that is set.
    Play,
    /// As advice, at full strength.
    Hint,
}

/// A move and what is thought of it.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Thought {
    /// A move in the game's notation, `pass` or `resign`.
    pub(super) text: String,
    /// The chance of the side to move, 0 to 1, where the search had one.
    pub(super) chance: Option<f32>,
    /// The certain result for the side to move.
    pub(super) proven: Option<Proven>,
    /// How the game is expected to go on, the move first.
    pub(super) line: Vec<String>,
}

/// Somebody to play against and to ask for advice.
pub(super) trait Opponent {
    /// The best move for the side to move. `game` changes when a new game begins.
    ///
    /// # Errors
    /// When there is no engine or it failed; the message is for people.
    fn think(&mut self, referee: &dyn Referee, purpose: Purpose, game: u64) -> Result<Thought, String>;

    /// Changes an option of the engine for the next search.
    ///
    /// # Errors
    /// When there is no such option or it does not take the value.
    fn set(&mut self, name: &str, value: &str) -> Result<(), String>;

    /// The value of an option; empty when there is none of that name.
    fn get(&self, name: &str) -> String;
}

/// The engine daemon.
#[derive(Debug)]
pub(super) struct Engine {
    client: Client,
    options: EngineOptions,
}

impl Engine {
    /// An engine that is started when it is first asked.
    pub(super) fn new(launcher: Launcher, options: EngineOptions) -> Engine {
        Engine { client: Client::new(launcher), options }
    }
}

impl Opponent for Engine {
    fn think(&mut self, referee: &dyn Referee, purpose: Purpose, game: u64) -> Result<Thought, String> {
        let mut options = self.options.clone().into_pairs();
        if purpose == Purpose::Hint {
            options.retain(|(name, _)| name != "level");
        }
        if !options.iter().any(|(name, _)| name == "level") {
            // The daemon keeps an option until it is told otherwise.
            options.push(("level".to_owned(), default_of("level")));
        }
        let request = Request {
            engine: 0,
            cleared: 0,
            game,
            position: Snapshot::of(referee),
            color: referee.turn(),
            kind: match purpose {
                Purpose::Play => SearchKind::GenMove,
                Purpose::Hint => SearchKind::RegGenMove,
            },
            options,
            clock: ClockRequest::default(),
        };
        let mut events = Vec::new();
        let mut best: Option<Info> = None;
        self.client.search(Box::new(request), &mut events);
        loop {
            for event in events.drain(..) {
                match event {
                    Event::Started => best = None,
                    Event::Report(report) => best = report.into_iter().next().or(best),
                    Event::Done(Err(problem)) => return Err(problem),
                    Event::Done(Ok(answer)) => {
                        // A weak level may play something else than what was found to be best.
                        let best = best.filter(|info| info.pv.first() == Some(&answer.text));
                        return Ok(Thought {
                            text: answer.text,
                            chance: best.as_ref().map(|info| info.winrate),
                            proven: best.as_ref().and_then(|info| info.proven),
                            line: best.map(|info| info.pv).unwrap_or_default(),
                        });
                    }
                }
            }
            let incoming = self.client.incoming();
            let timer = self.client.deadline().map_or_else(channel::never, channel::at);
            crossbeam::select! {
                recv(incoming) -> received => self.client.take(received, &mut events),
                recv(timer) -> _ => self.client.tick(&mut events),
            }
        }
    }

    fn set(&mut self, name: &str, value: &str) -> Result<(), String> {
        self.options.set(name, value).map_err(|error| error.to_string())
    }

    fn get(&self, name: &str) -> String {
        self.options.get(name).map_or_else(|| default_of(name), str::to_owned)
    }
}

/// The value an option has when nobody sets it.
pub(super) fn default_of(name: &str) -> String {
    debug_assert!(TABLE.iter().any(|spec| spec.name == name));
    Options::default().get(name).unwrap_or_default()
}
