//! What the daemon knows, and which commands bring it to what a search needs. Pure.

use std::time::Duration;

use tengen_engine::game::Color;
use tengen_engine::protocol::{Command, SearchLimits};
use tengen_engine::search::clock::{Clock, TimeControl};

use super::patience::Patience;
use super::{Request, SearchKind, Snapshot};

/// The least time a repeated search is given.
const SHORTEST: Duration = Duration::from_millis(10);

/// The adapter's picture of the daemon's session. It is kept by what was sent; after any surprise
/// [`forget`](Mirror::forget) makes the next plan start from nothing.
#[derive(Debug, Default)]
pub(super) struct Mirror {
    /// Whether a daemon holds what the other fields say.
    known: bool,
    cleared: u64,
    game: u64,
    position: Option<Snapshot>,
    options: Vec<(String, String)>,
    settings: Option<u64>,
    clock: Clock,
}

impl Mirror {
    /// The daemon is new, or what it knows is in doubt. The game and the clocks are remembered.
    pub(super) fn forget(&mut self) {
        self.known = false;
        self.options.clear();
    }

    /// Whether the daemon was told to think on the opponent's time.
    pub(super) fn ponders(&self) -> bool {
        self.known && self.options.iter().any(|(name, value)| name == "ponder" && value == "on")
    }

    /// The commands that bring the daemon to the position, options and clocks of `request`. What the
    /// daemon's record shares with the wanted one is not sent again, even if the manager has cleared the
    /// board and replayed it: only so does the daemon's tree live on.
    pub(super) fn plan(&mut self, request: &Request) -> Vec<Command> {
        let mut commands = Vec::new();
        if !self.known {
            commands.push(Command::Info(true));
        }
        self.plan_options(request, &mut commands);
        if std::mem::replace(&mut self.cleared, request.cleared) != request.cleared && self.known {
            commands.push(Command::ClearCache);
        }
        let fresh_game = self.plan_position(request, &mut commands);
        let told_anew = commands.iter().any(|command| matches!(command, Command::NewGame(_)));
        self.plan_clock(request, fresh_game, told_anew, &mut commands);
        self.known = true;
        commands
    }

    /// The commands for a search that is repeated after `spent` in all and `since` its last attempt began:
    /// whatever clock binds it goes on from there.
    pub(super) fn plan_again(&mut self, request: &Request, spent: Duration, since: Duration) -> Vec<Command> {
        let mut request = request.clone();
        let own = request.color.index();
        match &mut request.clock.control {
            TimeControl::None => return self.plan(&request),
            // What the next search is told again in full.
            TimeControl::Move(limit) | TimeControl::Match { limit, .. } => {
                *limit = limit.saturating_sub(spent).max(SHORTEST);
            }
            TimeControl::Absolute(_)
            | TimeControl::Fischer { .. }
            | TimeControl::Byoyomi { .. }
            | TimeControl::Canadian { .. } => {}
        }
        if !matches!(request.clock.control, TimeControl::Move(_)) {
            let left = self.clock.remaining(request.color);
            let time = left.time.saturating_sub(since).max(SHORTEST);
            let count = if left.overtime { left.count } else { 0 };
            if let Some(said) = request.clock.left.get_mut(own) {
                *said = Some((time, count));
            }
        }
        self.plan(&request)
    }

    /// How long the search may take that was planned last.
    pub(super) fn patience(&self, request: &Request) -> Patience {
        let left = self.clock.remaining(request.color);
        let untimed = |limits: SearchLimits| match limits {
            SearchLimits { time: Some(time), .. } => Patience::untimed(time),
            _ => Patience::default(),
        };
        if let SearchKind::Analyze { limits, .. } = request.kind {
            return untimed(limits);
        }
        Patience::clock(match self.clock.control() {
            TimeControl::None if left.time.is_zero() => return untimed(own_limits(request)),
            TimeControl::None => left.time,
            TimeControl::Move(limit) => return Patience::fixed(limit),
            TimeControl::Match { limit, .. } if limit <= left.time => return Patience::fixed(limit),
            TimeControl::Match { .. } | TimeControl::Absolute(_) | TimeControl::Fischer { .. } => left.time,
            TimeControl::Byoyomi { period, periods, .. } => {
                let whole = if left.overtime { left.count.saturating_sub(1) } else { periods };
                let all = left.time.saturating_add(period.saturating_mul(whole));
                return if left.overtime { Patience::fixed(all) } else { Patience::clock(all) };
            }
            TimeControl::Canadian { .. } if left.overtime => return Patience::fixed(left.time),
            TimeControl::Canadian { period, .. } => left.time.saturating_add(period),
        })
    }

    fn plan_options(&mut self, request: &Request, commands: &mut Vec<Command>) {
        for (name, value) in &request.options {
            let known = self.options.iter_mut().find(|(known, _)| known == name);
            match known {
                Some((_, current)) if current == value => continue,
                Some((_, current)) => current.clone_from(value),
                None => self.options.push((name.clone(), value.clone())),
            }
            commands.push(Command::Set(name.clone(), value.clone()));
        }
    }

    /// Gives whether the clocks begin anew.
    fn plan_position(&mut self, request: &Request, commands: &mut Vec<Command>) -> bool {
        let wanted = &request.position;
        let held =
            self.position.as_ref().filter(|held| held.setup == wanted.setup && held.start == wanted.start);
        let common =
            held.map(|held| held.moves.iter().zip(&wanted.moves).take_while(|(a, b)| a == b).count());
        let total = held.map_or(0, |held| held.moves.len());
        let same_game = self.game == request.game;
        // Managers that clear the board and replay the whole game are still in that game. One that replays
        // less of it may take moves back or begin another game that opens alike: the clocks begin anew,
        // because a manager that keeps time tells it before the next search.
        let fresh_game = match common {
            None => true,
            Some(common) => !same_game && (common < total || common == 0),
        };
        let from = match common {
            Some(common) if self.known && (same_game || common > 0 || total == 0) => {
                if common < total {
                    commands.push(Command::Undo(total - common));
                }
                common
            }
            _ => {
                commands.push(Command::NewGame(wanted.setup.clone()));
                if let Some(text) = &wanted.start {
                    commands.push(Command::Position(Some(text.clone())));
                }
                0
            }
        };
        let moves = wanted.moves.iter().skip(from);
        commands.extend(moves.map(|(color, text)| Command::Play(Some(*color), text.clone())));
        self.position = Some(wanted.clone());
        self.game = request.game;
        fresh_game
    }

    /// `told_anew` is whether `newgame` is among the commands, which starts the daemon's clock anew.
    fn plan_clock(
        &mut self,
        request: &Request,
        fresh_game: bool,
        told_anew: bool,
        commands: &mut Vec<Command>,
    ) {
        let wanted = &request.clock;
        let new_settings = self.settings != Some(wanted.settings);
        // A repeated search has less time than its control says: the clocks go on under it.
        let same_clock = !new_settings && !fresh_game;
        let shortened = same_clock && self.clock.control() != wanted.control;
        if new_settings || fresh_game {
            self.clock = Clock::new(wanted.control);
        } else if shortened {
            self.clock = self.clock.under(wanted.control);
        }
        let timed = wanted.control != TimeControl::None;
        let changed = shortened || new_settings && (timed || self.settings.is_some());
        // The daemon does not know that another game has begun; an untimed one may still have a clock,
        // because corrections alone make one.
        let unnoticed = fresh_game && !told_anew;
        if changed || unnoticed || (!self.known && timed) {
            commands.push(Command::TimeControl(wanted.control));
        }
        let restore = (!self.known || shortened) && timed && !fresh_game;
        self.settings = Some(wanted.settings);
        for (color, left) in Color::ALL.into_iter().zip(wanted.left) {
            if let Some((time, stones)) = left {
                self.clock.correct(color, time, stones);
                commands.push(Command::TimeLeft(color, time, stones));
            } else if restore {
                let left = self.clock.remaining(color);
                let count = if left.overtime { left.count } else { 0 };
                commands.push(Command::TimeLeft(color, left.time, count));
            }
        }
    }

    /// The time of a search that does not play, but is charged as a move.
    pub(super) fn spend(&mut self, color: Color, spent: Duration) {
        self.clock.spend(color, spent);
    }

    /// The daemon has answered a search that plays: `text` is a move, or `resign`, which is none.
    pub(super) fn played(&mut self, color: Color, text: &str, spent: Duration) {
        if text == "resign" {
            return;
        }
        self.clock.spend(color, spent);
        if let Some(position) = &mut self.position {
            position.moves.push((color, text.to_owned()));
        }
    }
}

/// The limits of a move without a clock, by the options of the request.
fn own_limits(request: &Request) -> SearchLimits {
    let given = |name: &str| request.options.iter().find(|(given, _)| given == name)?.1.parse::<u64>().ok();
    let counted = ["nodes", "depth"].iter().any(|name| given(name).is_some_and(|limit| limit > 0));
    let time = given("move_time").map(Duration::from_millis).filter(|_| !counted);
    SearchLimits { time, ..SearchLimits::default() }
}

#[cfg(test)]
mod tests {
    use super::super::ClockRequest;
    use super::*;
    use tengen_engine::games::{GameId, Setup};

    fn request(moves: &str) -> Request {
        let moves = moves.split_ascii_whitespace().zip(Color::ALL.into_iter().cycle());
        Request {
            engine: 0,
            cleared: 0,
            game: 1,
            position: Snapshot {
                setup: Setup::new(GameId::NoGo),
                start: None,
                moves: moves.map(|(text, color)| (color, text.to_owned())).collect(),
            },
            color: Color::Black,
            kind: SearchKind::GenMove,
            options: Vec::new(),
            clock: ClockRequest::default(),
        }
    }

    fn plan(mirror: &mut Mirror, request: &Request) -> String {
        mirror.plan(request).iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
    }

    #[test]
    fn only_the_difference_is_sent() {
        let mut mirror = Mirror::default();
        assert_eq!(
            plan(&mut mirror, &request("a1")),
            "info on; newgame nogo size 9 rules standard; play b a1"
        );
        mirror.played(Color::White, "b2", Duration::ZERO);
        assert_eq!(plan(&mut mirror, &request("a1 b2 c3")), "play b c3");
        assert_eq!(plan(&mut mirror, &request("a1 b2 c3")), "");
        assert_eq!(plan(&mut mirror, &request("a1 d4")), "undo 2; play w d4");
        mirror.played(Color::Black, "resign", Duration::ZERO);
        assert_eq!(plan(&mut mirror, &request("a1 d4")), "");
    }

    #[test]
    fn a_replayed_game_goes_on_and_another_game_begins_anew() {
        let mut mirror = Mirror::default();
        mirror.plan(&request("a1 b2"));
        let replayed = Request { game: 2, ..request("a1 b2 c3") };
        assert_eq!(plan(&mut mirror, &replayed), "play b c3");
        let shorter = Request { game: 3, ..request("a1 d4") };
        assert_eq!(plan(&mut mirror, &shorter), "undo 2; play w d4; time_control none");
        let another = Request { game: 3, ..request("e5") };
        assert_eq!(plan(&mut mirror, &another), "undo 2; play b e5");
        let another = Request { game: 4, ..request("a1") };
        assert_eq!(plan(&mut mirror, &another), "newgame nogo size 9 rules standard; play b a1");
        let empty = Request { game: 5, ..request("") };
        assert_eq!(plan(&mut mirror, &empty), "newgame nogo size 9 rules standard");
        let from_nothing = Request { game: 6, ..request("a1") };
        assert_eq!(plan(&mut mirror, &from_nothing), "play b a1; time_control none");
        let mut other_size = Request { game: 7, ..request("a1") };
        other_size.position.setup.set_size("7").unwrap();
        assert_eq!(plan(&mut mirror, &other_size), "newgame nogo size 7 rules standard; play b a1");
        let mut other_start = request("");
        other_start.position.start = Some(format!("X8{} w", "/9".repeat(8)));
        assert!(
            plan(&mut mirror, &other_start).starts_with("newgame nogo size 9 rules standard; position X8/9")
        );
    }

    #[test]
    fn a_new_game_that_opens_like_the_last_one_has_fresh_clocks() {
        let mut mirror = Mirror::default();
        let timed = |moves: &str, game: u64| {
            let mut timed = Request { game, ..request(moves) };
            timed.clock.settings = 1;
            timed.clock.control = TimeControl::Absolute(Duration::from_secs(60));
            timed
        };
        mirror.plan(&timed("a1 b2", 1));
        mirror.played(Color::Black, "c3", Duration::from_secs(10));
        // The whole game once more, and a move: the clock runs on.
        assert_eq!(plan(&mut mirror, &timed("a1 b2 c3 d4", 2)), "play w d4");
        assert_eq!(mirror.clock.remaining(Color::Black).time, Duration::from_secs(50));
        assert_eq!(plan(&mut mirror, &timed("a1", 3)), "undo 3; time_control absolute 60");
        assert_eq!(mirror.clock.remaining(Color::Black).time, Duration::from_secs(60));
        // Taken back within the game: no more than that.
        assert_eq!(plan(&mut mirror, &timed("", 3)), "undo 1");
        mirror.plan(&timed("e5", 3));
        let corrected = &mut timed("e5", 4);
        corrected.clock.left = [Some((Duration::from_secs(7), 0)), None];
        assert_eq!(plan(&mut mirror, corrected), "time_left b 7 0", "the game as it stands, sent again");
        assert_eq!(
            plan(&mut mirror, &timed("f6", 5)),
            "newgame nogo size 9 rules standard; play b f6",
            "newgame starts the clock anew by itself"
        );
    }

    #[test]
    fn what_is_to_be_forgotten_is_forgotten_once() {
        let mut mirror = Mirror::default();
        let cleared = |cleared: u64| Request { cleared, ..request("a1") };
        assert_eq!(plan(&mut mirror, &cleared(1)), "info on; newgame nogo size 9 rules standard; play b a1");
        assert_eq!(plan(&mut mirror, &cleared(1)), "");
        assert_eq!(plan(&mut mirror, &cleared(3)), "clear_cache");
        assert_eq!(plan(&mut mirror, &cleared(3)), "");
    }

    #[test]
    fn options_are_sent_once() {
        let mut mirror = Mirror::default();
        let with = |value: &str| Request { options: vec![("multipv".into(), value.into())], ..request("") };
        assert!(plan(&mut mirror, &with("10")).contains("set multipv 10"));
        assert_eq!(plan(&mut mirror, &with("10")), "");
        assert_eq!(plan(&mut mirror, &with("1")), "set multipv 1");
        mirror.forget();
        assert!(plan(&mut mirror, &with("1")).contains("set multipv 1"));
        assert!(!mirror.ponders());
    }

    #[test]
    fn a_restarted_daemon_gets_the_clocks_as_they_stood() {
        let mut mirror = Mirror::default();
        let mut timed = request("");
        timed.clock.settings = 1;
        timed.clock.control = TimeControl::Absolute(Duration::from_secs(60));
        assert!(plan(&mut mirror, &timed).ends_with("time_control absolute 60"));
        mirror.played(Color::Black, "a1", Duration::from_secs(10));
        mirror.forget();
        timed.position = request("a1 b2").position;
        assert_eq!(
            plan(&mut mirror, &timed),
            "info on; newgame nogo size 9 rules standard; play b a1; play w b2; time_control absolute 60; \
             time_left b 50 0; time_left w 60 0"
        );
        timed.clock.left = [Some((Duration::from_secs(7), 0)), None];
        assert_eq!(plan(&mut mirror, &timed), "time_left b 7 0");
    }
}
