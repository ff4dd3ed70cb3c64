//! The words of the two protocols: what a line says, before anybody knows whether it makes sense.

use std::iter::Peekable;
use std::time::Duration;

use tengen_engine::search::clock::LONGEST;

use super::Protocol;

/// What a command is called in one protocol or both.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Command {
    Hello,
    Debug,
    IsReady,
    SetOption,
    Register,
    NewGame,
    Position,
    Go,
    Stop,
    PonderHit,
    Quit,
    Query,
    Show,
}

const BOTH: [(&str, Command); 8] = [
    ("debug", Command::Debug),
    ("isready", Command::IsReady),
    ("setoption", Command::SetOption),
    ("position", Command::Position),
    ("go", Command::Go),
    ("stop", Command::Stop),
    ("quit", Command::Quit),
    ("d", Command::Show),
];
const UCI: [(&str, Command); 4] = [
    ("uci", Command::Hello),
    ("register", Command::Register),
    ("ucinewgame", Command::NewGame),
    ("ponderhit", Command::PonderHit),
];
const UGI: [(&str, Command); 3] =
    [("ugi", Command::Hello), ("uginewgame", Command::NewGame), ("query", Command::Query)];

impl Protocol {
    fn command(self, word: &str) -> Option<Command> {
        let own: &[(&str, Command)] = match self {
            Protocol::Uci => &UCI,
            Protocol::Ugi => &UGI,
        };
        BOTH.iter().chain(own).find(|(name, _)| *name == word).map(|&(_, command)| command)
    }

    /// The command of a line and the words behind it. Words that are no command are skipped, as the
    /// protocols want it: `None` when there is no other.
    pub(super) fn read(self, line: &str) -> Option<(Command, Vec<&str>)> {
        let mut words = line.split_ascii_whitespace();
        let command = words.find_map(|word| self.command(word))?;
        Some((command, words.collect()))
    }
}

/// `go`, taken apart. The first of two values is that of the side that begins the game: White in UCI,
/// player 1 in UGI.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Go {
    pub(super) ponder: bool,
    pub(super) infinite: bool,
    pub(super) depth: Option<u64>,
    pub(super) nodes: Option<u64>,
    pub(super) move_time: Option<Duration>,
    pub(super) time: [Option<Duration>; 2],
    pub(super) increment: [Duration; 2],
    pub(super) moves_to_go: Option<u64>,
    /// The only moves to be considered; all when empty.
    pub(super) moves: Vec<String>,
    pub(super) perft: Option<u64>,
}

/// The words that begin something new inside `go`, so that none is taken for a move.
const GO_KEYS: [&str; 17] = [
    "searchmoves",
    "ponder",
    "infinite",
    "wtime",
    "btime",
    "winc",
    "binc",
    "p1time",
    "p2time",
    "p1inc",
    "p2inc",
    "movestogo",
    "depth",
    "nodes",
    "mate",
    "movetime",
    "perft",
];

/// A whole number, which is 0 if negative and the greatest there is if too great.
fn number(word: &str) -> Option<u64> {
    let digits = word.strip_prefix(['-', '+']).unwrap_or(word);
    if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    if word.starts_with('-') { Some(0) } else { Some(digits.parse().unwrap_or(u64::MAX)) }
}

/// Milliseconds, cut to the longest time the engine takes.
fn milliseconds(number: u64) -> Duration {
    Duration::from_millis(number).min(Duration::from_secs_f64(LONGEST))
}

fn value<'a>(words: &mut Peekable<impl Iterator<Item = &'a str>>) -> Option<u64> {
    let value = number(words.peek()?)?;
    words.next();
    Some(value)
}

impl Go {
    /// Reads the words behind `go`; those it does not know are skipped.
    pub(super) fn parse(words: &[&str]) -> Go {
        let mut go = Go::default();
        let mut words = words.iter().copied().peekable();
        while let Some(word) = words.next() {
            match word {
                "ponder" => go.ponder = true,
                "infinite" => go.infinite = true,
                "searchmoves" => {
                    while let Some(mv) = words.next_if(|word| !GO_KEYS.contains(word)) {
                        go.moves.push(mv.to_owned());
                    }
                }
                _ if GO_KEYS.contains(&word) => {
                    if let Some(value) = value(&mut words) {
                        go.set(word, value);
                    }
                }
                _ => {}
            }
        }
        go
    }

    fn set(&mut self, key: &str, value: u64) {
        let [first, second] = &mut self.time;
        let [first_increment, second_increment] = &mut self.increment;
        match key {
            "wtime" | "p1time" => *first = Some(milliseconds(value)),
            "btime" | "p2time" => *second = Some(milliseconds(value)),
            "winc" | "p1inc" => *first_increment = milliseconds(value),
            "binc" | "p2inc" => *second_increment = milliseconds(value),
            "movestogo" => self.moves_to_go = Some(value).filter(|&moves| moves > 0),
            // A limit of nothing still has to give a move.
            "depth" => self.depth = Some(value.max(1)),
            "nodes" => self.nodes = Some(value.max(1)),
            "movetime" => self.move_time = Some(milliseconds(value)),
            "perft" => self.perft = Some(value.max(1)),
            // `mate`: there is no search for it, and the others find what there is.
            _ => {}
        }
    }
}

/// `position`, taken apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Position<'a> {
    /// The text of the start position; `None` is the start of the game.
    pub(super) fen: Option<String>,
    pub(super) moves: Vec<&'a str>,
}

impl<'a> Position<'a> {
    /// Reads the words behind `position`. `None` when they begin with neither `startpos` nor `fen`.
    pub(super) fn parse(words: &[&'a str]) -> Option<Position<'a>> {
        let (kind, rest) = words.split_first()?;
        let mut parts = rest.splitn(2, |word| *word == "moves");
        let fen = parts.next().unwrap_or_default();
        let moves = parts.next().unwrap_or_default().to_vec();
        match *kind {
            "startpos" => Some(Position { fen: None, moves }),
            "fen" => Some(Position { fen: Some(fen.join(" ")), moves }),
            _ => None,
        }
    }
}

/// The name and the value of `setoption name N [value V]`; both may contain blanks.
pub(super) fn option(words: &[&str]) -> Option<(String, String)> {
    let (_, rest) = words.split_first().filter(|(first, _)| **first == "name")?;
    let mut parts = rest.splitn(2, |word| *word == "value");
    let name = parts.next()?.join(" ");
    let value = parts.next().unwrap_or_default().join(" ");
    (!name.is_empty()).then(|| (name, if value == "<empty>" { String::new() } else { value }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn go(line: &str) -> Go {
        Go::parse(&line.split_ascii_whitespace().collect::<Vec<_>>())
    }

    #[test]
    fn words_that_are_no_command_are_skipped() {
        let read = |line| Protocol::Uci.read(line);
        assert_eq!(read(" \t joho  debug   on \r"), Some((Command::Debug, vec!["on"])));
        assert_eq!(read("ugi"), None);
        assert_eq!(read("GO infinite"), None);
        assert_eq!(read(""), None);
        assert_eq!(Protocol::Ugi.read("ponderhit"), None);
        assert_eq!(Protocol::Ugi.read("query p1turn"), Some((Command::Query, vec!["p1turn"])));
    }

    #[test]
    fn what_go_says() {
        let ms = Duration::from_millis;
        let clocks = go("wtime 1000 btime -5 winc 10 binc x movestogo 0 foo 7 depth 0 nodes");
        assert_eq!(clocks.time, [Some(ms(1000)), Some(ms(0))]);
        assert_eq!(clocks.increment, [ms(10), ms(0)]);
        assert_eq!((clocks.moves_to_go, clocks.depth, clocks.nodes), (None, Some(1), None));
        let searched = go("searchmoves P@f4 c1c1 ponder mate 3 movetime 99999999999999999999");
        assert_eq!(searched.moves, ["P@f4", "c1c1"]);
        assert!(searched.ponder && !searched.infinite);
        assert_eq!(searched.move_time, Some(Duration::from_secs_f64(LONGEST)));
        assert_eq!(go("p1time 5 p2time 6 p1inc 1 p2inc 2"), go("wtime 5 btime 6 winc 1 binc 2"));
        assert_eq!(go("mate"), Go::default());
    }

    #[test]
    fn what_position_and_setoption_say() {
        let words = ["fen", "a/b", "w", "-", "moves", "x", "y"];
        let position = Position::parse(&words).unwrap();
        assert_eq!((position.fen.as_deref(), position.moves), (Some("a/b w -"), vec!["x", "y"]));
        assert_eq!(Position::parse(&["startpos"]), Some(Position { fen: None, moves: vec![] }));
        assert_eq!(Position::parse(&["moves", "x"]), None);
        assert_eq!(Position::parse(&[]), None);
        let named = option(&["name", "Skill", "Level", "value", "3"]).unwrap();
        assert_eq!(named, ("Skill Level".into(), "3".into()));
        assert_eq!(option(&["name", "x", "value", "<empty>"]), Some(("x".into(), String::new())));
        assert_eq!(option(&["name", "Clear", "Hash"]), Some(("Clear Hash".into(), String::new())));
        assert_eq!(option(&["name"]), None);
        assert_eq!(option(&["Hash", "3"]), None);
    }
}
