//! The wire: commands, replies and info lines, as types that parse and print. The daemon reads
//! [`Request`]s and writes [`Reply`]s and [`Info`]s; an adapter does the reverse with the same types.
//! `protocol.md` is the text for people.

use std::fmt;
use std::time::Duration;

use crate::game::Color;
use crate::games::{Setup, SetupError};
use crate::search::clock::{self, TimeControl};

/// The longest line accepted, in bytes; the rest of a longer one is thrown away and answered by an
/// error.
pub const LONGEST_LINE: usize = 1 << 20;

/// What `solve` is to find out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum SolveKind {
    /// The exact result, with the margin where the game has one.
    #[default]
    Exact,
    /// Win, loss or draw only.
    Wld,
    /// A win by continuous fours.
    Vcf,
}

/// When `solve` gives up, where all `None` means [`SearchLimits::DEFAULT_TIME`], and when `analyze` ends,
/// where it means never.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct SearchLimits {
    /// After so many nodes.
    pub nodes: Option<u64>,
    /// After so many plies of depth.
    pub depth: Option<u32>,
    /// After so long.
    pub time: Option<Duration>,
}

impl SearchLimits {
    /// Used when `solve` is given no limit.
    pub const DEFAULT_TIME: Duration = Duration::from_secs(60);
}

/// What a search of an opening is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Opening {
    /// The next step of the opening rule swap2.
    Swap2,
    /// Moves after which the position has a wanted value.
    Balance {
        /// How many: 1 or 2.
        moves: u8,
        /// The winning chance wanted for the side to move now, in percent.
        percent: u8,
    },
}

/// A command, with its arguments checked as far as that is possible without a game.
#[derive(Clone, Debug, PartialEq)]
pub enum Command {
    /// `protocol_version`
    ProtocolVersion,
    /// `name`
    Name,
    /// `version`
    Version,
    /// `list_commands`
    ListCommands,
    /// `known_command NAME`
    KnownCommand(String),
    /// `quit`
    Quit,
    /// `ping`
    Ping,
    /// `games`
    Games,
    /// `newgame GAME [size S] [rules R] [key=value ...]`
    NewGame(Setup),
    /// `play [COLOUR] MOVE`
    Play(Option<Color>, String),
    /// `genmove [COLOUR]`
    GenMove(Option<Color>),
    /// `reg_genmove [COLOUR]`
    RegGenMove(Option<Color>),
    /// `undo [N]`
    Undo(usize),
    /// `turn`
    Turn,
    /// `legal_moves [COLOUR]`
    LegalMoves(Option<Color>),
    /// `result`
    Result,
    /// `history`
    History,
    /// `position [TEXT]`
    Position(Option<String>),
    /// `showboard`
    ShowBoard,
    /// `time_settings MAIN BYO STONES` and `time_control ...`
    TimeControl(TimeControl),
    /// `time_left COLOUR SECONDS STONES`
    TimeLeft(Color, Duration, u32),
    /// `options`
    Options,
    /// `set NAME VALUE`
    Set(String, String),
    /// `stats`
    Stats,
    /// `clear_cache`
    ClearCache,
    /// `ponder on|off`
    Ponder(bool),
    /// `info on|off`
    Info(bool),
    /// `analyze [INTERVAL] [nodes N] [depth N] [time S]`
    Analyze(Duration, SearchLimits),
    /// `stop`
    Stop,
    /// `solve [exact|wld|vcf] [nodes N] [depth N] [time S]`
    Solve(SolveKind, SearchLimits),
    /// `swap2` and `balance 1|2 [PERCENT]`
    Opening(Opening),
}

/// Names of all commands, in the order `list_commands` prints them.
pub const COMMANDS: &[&str] = &[
    "protocol_version",
    "name",
    "version",
    "list_commands",
    "known_command",
    "quit",
    "ping",
    "games",
    "newgame",
    "play",
    "genmove",
    "reg_genmove",
    "undo",
    "turn",
    "legal_moves",
    "result",
    "history",
    "position",
    "showboard",
    "time_settings",
    "time_control",
    "time_left",
    "options",
    "set",
    "stats",
    "clear_cache",
    "ponder",
    "info",
    "analyze",
    "stop",
    "solve",
    "swap2",
    "balance",
];

/// Why a line is no command.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ParseError {
    /// Nothing but an id.
    #[error("empty command")]
    Empty,
    /// No command of that name.
    #[error("unknown command")]
    Unknown,
    /// The arguments do not fit; the text says what was expected.
    #[error("syntax error: {0}")]
    Syntax(String),
    /// `newgame` with a set-up that does not exist.
    #[error("{0}")]
    Setup(#[from] SetupError),
    /// The line is longer than [`LONGEST_LINE`].
    #[error("line too long (limit {LONGEST_LINE} bytes)")]
    TooLong,
}

/// One line from the controller: the id, digits as they came, and the command or what is wrong.
#[derive(Clone, Debug, PartialEq)]
pub struct Request {
    /// The id to be echoed.
    pub id: Option<String>,
    /// The command.
    pub command: Result<Command, ParseError>,
}

impl Request {
    /// Reads a line as GTP 2 says: control characters are dropped, tabs are blanks, `#` begins a
    /// comment, and a line without anything else gets no reply (`None`). In the board of `position`
    /// a `#` is an arrow or a hole.
    #[must_use]
    pub fn parse(line: &str) -> Option<Request> {
        let clean: String = line
            .chars()
            .filter(|&c| c == '\t' || !c.is_ascii_control())
            .map(|c| if c == '\t' { ' ' } else { c })
            .collect();
        let clean = clean.trim();
        let (first, rest) = clean.split_once(' ').unwrap_or((clean, ""));
        let is_id = !first.is_empty() && first.len() <= 10 && first.bytes().all(|b| b.is_ascii_digit());
        let (id, text) = if is_id { (Some(first.to_owned()), rest) } else { (None, clean) };
        let text = uncommented(text);
        if text.is_empty() && id.is_none() {
            return None;
        }
        Some(Request { id, command: Command::parse(text) })
    }
}

fn uncommented(text: &str) -> &str {
    let text = text.trim_start();
    let board_end = match text.strip_prefix("position ") {
        Some(rest) if !rest.trim_start().starts_with("# ") && rest.trim() != "#" => {
            let board = rest.trim_start();
            text.len() - board.len() + board.find(' ').unwrap_or(board.len())
        }
        _ => 0,
    };
    match text[board_end..].find('#') {
        Some(at) => text[..board_end + at].trim_end(),
        None => text.trim_end(),
    }
}

fn color(word: &str) -> Result<Color, ParseError> {
    Color::parse(word).ok_or_else(|| {
        ParseError::Syntax(format!("expected a colour (b or w), not \"{}\"", word.escape_default()))
    })
}

fn on_off(word: &str) -> Result<bool, ParseError> {
    if word.eq_ignore_ascii_case("on") {
        Ok(true)
    } else if word.eq_ignore_ascii_case("off") {
        Ok(false)
    } else {
        Err(ParseError::Syntax("expected on or off".into()))
    }
}

fn number<T: std::str::FromStr>(word: &str) -> Result<T, ParseError> {
    word.parse().ok().filter(|_| word.bytes().all(|b| b.is_ascii_digit())).ok_or_else(|| {
        ParseError::Syntax(format!("expected a whole number, not \"{}\"", word.escape_default()))
    })
}

fn seconds(word: &str) -> Result<Duration, ParseError> {
    clock::parse_seconds(word)
        .ok_or_else(|| ParseError::Syntax(format!("expected seconds, not \"{}\"", word.escape_default())))
}

impl Command {
    /// Reads a command without id or comment.
    ///
    /// # Errors
    /// [`ParseError`] with what was expected.
    pub fn parse(text: &str) -> Result<Command, ParseError> {
        let words: Vec<&str> = text.split_ascii_whitespace().collect();
        let Some((&name, args)) = words.split_first() else { return Err(ParseError::Empty) };
        let expected =
            |what: &str| Err(ParseError::Syntax(format!("expected {name} {what}").trim_end().to_owned()));
        Ok(match (name, args) {
            ("protocol_version", []) => Command::ProtocolVersion,
            ("name", []) => Command::Name,
            ("version", []) => Command::Version,
            ("list_commands", []) => Command::ListCommands,
            ("known_command", [name]) => Command::KnownCommand((*name).to_owned()),
            ("known_command", _) => return expected("NAME"),
            ("quit", _) => Command::Quit,
            ("ping", _) => Command::Ping,
            ("games", []) => Command::Games,
            ("newgame", []) => return expected("GAME [size S] [rules R] [key=value ...]"),
            ("newgame", args) => Command::NewGame(Setup::parse(args.iter().copied())?),
            ("play", [mv]) => Command::Play(None, (*mv).to_owned()),
            ("play", [side, mv]) => Command::Play(Some(color(side)?), (*mv).to_owned()),
            ("play", _) => return expected("[COLOUR] MOVE"),
            ("genmove", []) => Command::GenMove(None),
            ("genmove", [side]) => Command::GenMove(Some(color(side)?)),
            ("reg_genmove", []) => Command::RegGenMove(None),
            ("reg_genmove", [side]) => Command::RegGenMove(Some(color(side)?)),
            ("genmove" | "reg_genmove" | "legal_moves", [_, _, ..]) => return expected("[COLOUR]"),
            ("undo", []) => Command::Undo(1),
            ("undo", [count]) => Command::Undo(number(count)?),
            ("undo", _) => return expected("[N]"),
            ("turn", []) => Command::Turn,
            ("legal_moves", []) => Command::LegalMoves(None),
            ("legal_moves", [side]) => Command::LegalMoves(Some(color(side)?)),
            ("result", []) => Command::Result,
            ("history", []) => Command::History,
            ("position", []) => Command::Position(None),
            ("position", words) => Command::Position(Some(words.join(" "))),
            ("showboard", []) => Command::ShowBoard,
            ("time_settings", [main, byo, stones]) => {
                Command::TimeControl(TimeControl::from_gtp(seconds(main)?, seconds(byo)?, number(stones)?))
            }
            ("time_settings", _) => return expected("MAIN BYO_YOMI STONES"),
            ("time_control", args) => {
                Command::TimeControl(TimeControl::parse(args).map_err(ParseError::Syntax)?)
            }
            ("time_left", [side, time, stones]) => {
                Command::TimeLeft(color(side)?, seconds(time)?, number(stones)?)
            }
            ("time_left", _) => return expected("COLOUR SECONDS STONES"),
            ("options", []) => Command::Options,
            ("set", [name, value]) => Command::Set((*name).to_owned(), (*value).to_owned()),
            ("set", _) => return expected("NAME VALUE"),
            ("stats", []) => Command::Stats,
            ("clear_cache", []) => Command::ClearCache,
            ("ponder", [word]) => Command::Ponder(on_off(word)?),
            ("info", [word]) => Command::Info(on_off(word)?),
            ("ponder" | "info", _) => return expected("on|off"),
            ("analyze", args) => analyze(args)?,
            ("stop", []) => Command::Stop,
            ("solve", args) => solve(args)?,
            ("swap2", []) => Command::Opening(Opening::Swap2),
            ("balance", [moves @ ("1" | "2"), rest @ ..]) => {
                let percent = match rest {
                    [] => Some(50),
                    [percent] => Some(number(percent)?).filter(|percent| *percent <= 100),
                    _ => None,
                };
                let Some(percent) = percent else { return expected("1|2 [PERCENT]") };
                Command::Opening(Opening::Balance { moves: number(moves)?, percent })
            }
            ("balance", _) => return expected("1|2 [PERCENT]"),
            (known, _) if COMMANDS.contains(&known) => return expected("without arguments"),
            _ => return Err(ParseError::Unknown),
        })
    }
}

fn analyze(args: &[&str]) -> Result<Command, ParseError> {
    let (interval, rest) = match args {
        [first, rest @ ..] if first.starts_with(|c: char| c.is_ascii_digit() || c == '.' || c == '-') => {
            (seconds(first)?.max(Duration::from_millis(10)), rest)
        }
        _ => (Duration::from_millis(500), args),
    };
    let limits = limits(rest, "analyze [INTERVAL] [nodes N] [depth N] [time S]")?;
    Ok(Command::Analyze(interval, limits))
}

fn solve(args: &[&str]) -> Result<Command, ParseError> {
    let (kind, rest) = match args {
        [word, rest @ ..] if word.eq_ignore_ascii_case("exact") => (SolveKind::Exact, rest),
        [word, rest @ ..] if word.eq_ignore_ascii_case("wld") => (SolveKind::Wld, rest),
        [word, rest @ ..] if word.eq_ignore_ascii_case("vcf") => (SolveKind::Vcf, rest),
        _ => (SolveKind::Exact, args),
    };
    Ok(Command::Solve(kind, limits(rest, "solve [exact|wld|vcf] [nodes N] [depth N] [time S]")?))
}

fn limits(mut rest: &[&str], usage: &str) -> Result<SearchLimits, ParseError> {
    let mut limits = SearchLimits::default();
    loop {
        rest = match rest {
            [] => return Ok(limits),
            ["nodes", n, rest @ ..] => {
                limits.nodes = Some(number(n)?);
                rest
            }
            ["depth", n, rest @ ..] => {
                limits.depth = Some(number(n)?);
                rest
            }
            ["time", s, rest @ ..] => {
                limits.time = Some(seconds(s)?);
                rest
            }
            _ => return Err(ParseError::Syntax(format!("expected {usage}"))),
        };
    }
}

impl fmt::Display for SearchLimits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(nodes) = self.nodes {
            write!(f, " nodes {nodes}")?;
        }
        if let Some(depth) = self.depth {
            write!(f, " depth {depth}")?;
        }
        if let Some(time) = self.time {
            write!(f, " time {}", clock::seconds_text(time))?;
        }
        Ok(())
    }
}

/// The command as it is sent.
impl fmt::Display for Command {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let side = |color: &Option<Color>| color.map_or(String::new(), |c| format!(" {}", c.letter()));
        let switch = |on: &bool| if *on { "on" } else { "off" };
        match self {
            Command::ProtocolVersion => f.write_str("protocol_version"),
            Command::Name => f.write_str("name"),
            Command::Version => f.write_str("version"),
            Command::ListCommands => f.write_str("list_commands"),
            Command::KnownCommand(name) => write!(f, "known_command {name}"),
            Command::Quit => f.write_str("quit"),
            Command::Ping => f.write_str("ping"),
            Command::Games => f.write_str("games"),
            Command::NewGame(setup) => write!(f, "newgame {setup}"),
            Command::Play(color, mv) => write!(f, "play{} {mv}", side(color)),
            Command::GenMove(color) => write!(f, "genmove{}", side(color)),
            Command::RegGenMove(color) => write!(f, "reg_genmove{}", side(color)),
            Command::Undo(count) => write!(f, "undo {count}"),
            Command::Turn => f.write_str("turn"),
            Command::LegalMoves(color) => write!(f, "legal_moves{}", side(color)),
            Command::Result => f.write_str("result"),
            Command::History => f.write_str("history"),
            Command::Position(None) => f.write_str("position"),
            Command::Position(Some(text)) => write!(f, "position {text}"),
            Command::ShowBoard => f.write_str("showboard"),
            Command::TimeControl(control) => write!(f, "time_control {control}"),
            Command::TimeLeft(color, time, stones) => {
                write!(f, "time_left {} {} {stones}", color.letter(), clock::seconds_text(*time))
            }
            Command::Options => f.write_str("options"),
            Command::Set(name, value) => write!(f, "set {name} {value}"),
            Command::Stats => f.write_str("stats"),
            Command::ClearCache => f.write_str("clear_cache"),
            Command::Ponder(on) => write!(f, "ponder {}", switch(on)),
            Command::Info(on) => write!(f, "info {}", switch(on)),
            Command::Analyze(interval, limits) => {
                write!(f, "analyze {}{limits}", clock::seconds_text(*interval))
            }
            Command::Stop => f.write_str("stop"),
            Command::Opening(Opening::Swap2) => f.write_str("swap2"),
            Command::Opening(Opening::Balance { moves, percent }) => write!(f, "balance {moves} {percent}"),
            Command::Solve(kind, limits) => {
                let kind = match kind {
                    SolveKind::Exact => "exact",
                    SolveKind::Wld => "wld",
                    SolveKind::Vcf => "vcf",
                };
                write!(f, "solve {kind}{limits}")
            }
        }
    }
}

/// A reply to one request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reply {
    /// The id of the request.
    pub id: Option<String>,
    /// Text, or the error message.
    pub text: Result<String, String>,
}

/// `=ID text` or `?ID message` and an empty line. Always a blank after the id; a line that would be
/// empty inside the text, and so end the reply early, is printed as a dot.
impl fmt::Display for Reply {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (mark, text) = match &self.text {
            Ok(text) => ('=', text),
            Err(text) => ('?', text),
        };
        write!(f, "{mark}{} ", self.id.as_deref().unwrap_or_default())?;
        for (number, line) in text.trim_end_matches('\n').split('\n').enumerate() {
            if number > 0 {
                f.write_str("\n")?;
            }
            f.write_str(if line.is_empty() && number > 0 { "." } else { line })?;
        }
        f.write_str("\n\n")
    }
}

/// A result that is certain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Proven {
    /// The side to move wins.
    Win,
    /// The side to move loses.
    Loss,
    /// Nobody wins.
    Draw,
}

impl fmt::Display for Proven {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Proven::Win => "win",
            Proven::Loss => "loss",
            Proven::Draw => "draw",
        })
    }
}

/// One line of a search in progress, always from the view of the side to move at the root.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Info {
    /// Depth in plies: of the finished iteration, or of the longest line of the tree.
    pub depth: u32,
    /// Positions searched.
    pub nodes: u64,
    /// Nodes per second.
    pub nps: u64,
    /// Since the search began.
    pub time: Duration,
    /// Winning chance, 0 to 1.
    pub winrate: f32,
    /// Expected margin in the game's own unit.
    pub score: f32,
    /// The result of this line, when it is certain.
    pub proven: Option<Proven>,
    /// With `proven` in a game of margins: the margin for the side to move, when it is exact.
    pub margin: Option<i32>,
    /// Rank of the line, from 1.
    pub multipv: u32,
    /// Visits of the line's first move (tree search only).
    pub visits: Option<u64>,
    /// Prior of the line's first move, 0 to 1 (tree search only).
    pub prior: Option<f32>,
    /// The line, in the game's notation.
    pub pv: Vec<String>,
}

impl fmt::Display for Info {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "info depth {} nodes {} nps {} time {:.3} winrate {:.4} score {:.2}",
            self.depth,
            self.nodes,
            self.nps,
            self.time.as_secs_f64(),
            self.winrate,
            self.score
        )?;
        if let Some(proven) = self.proven {
            write!(f, " proven {proven}")?;
        }
        if let Some(margin) = self.margin {
            write!(f, " margin {margin}")?;
        }
        write!(f, " multipv {}", self.multipv)?;
        if let Some(visits) = self.visits {
            write!(f, " visits {visits}")?;
        }
        if let Some(prior) = self.prior {
            write!(f, " prior {prior:.4}")?;
        }
        write!(f, " pv {}", self.pv.join(" "))
    }
}

impl Info {
    /// Reads a line that begins with `info `. Unknown keys with one value are skipped.
    #[must_use]
    pub fn parse(line: &str) -> Option<Info> {
        let mut words = line.strip_prefix("info ")?.split_ascii_whitespace();
        let mut info = Info::default();
        while let Some(key) = words.next() {
            if key == "pv" {
                info.pv = words.map(str::to_owned).collect();
                return Some(info);
            }
            let value = words.next()?;
            match key {
                "depth" => info.depth = value.parse().ok()?,
                "nodes" => info.nodes = value.parse().ok()?,
                "nps" => info.nps = value.parse().ok()?,
                "time" => info.time = clock::parse_seconds(value)?,
                "winrate" => info.winrate = value.parse().ok()?,
                "score" => info.score = value.parse().ok()?,
                "margin" => info.margin = Some(value.parse().ok()?),
                "multipv" => info.multipv = value.parse().ok()?,
                "visits" => info.visits = Some(value.parse().ok()?),
                "prior" => info.prior = Some(value.parse().ok()?),
                "proven" => {
                    info.proven = match value {
                        "win" => Some(Proven::Win),
                        "loss" => Some(Proven::Loss),
                        "draw" => Some(Proven::Draw),
                        _ => return None,
                    }
                }
                _ => {}
            }
        }
        Some(info)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn command(line: &str) -> Result<Command, ParseError> {
        Request::parse(line).expect("a request").command
    }

    #[test]
    fn lines_without_a_command_get_no_reply() {
        for line in ["", "   ", "# interrupt", "\t # x", "\r", "\u{1}"] {
            assert_eq!(Request::parse(line), None, "{line:?}");
        }
        assert_eq!(Request::parse("3").unwrap().command, Err(ParseError::Empty));
    }

    #[test]
    fn ids_are_echoed_as_they_came() {
        let request = Request::parse("00012 name # who").unwrap();
        assert_eq!(request.id.as_deref(), Some("00012"));
        assert_eq!(request.command, Ok(Command::Name));
        let reply = Reply { id: request.id, text: Ok("Tengen".into()) };
        assert_eq!(reply.to_string(), "=00012 Tengen\n\n");
        assert_eq!(Reply { id: None, text: Ok(String::new()) }.to_string(), "= \n\n");
        assert_eq!(Reply { id: None, text: Ok("a\n\nb\n".into()) }.to_string(), "= a\n.\nb\n\n");
    }

    #[test]
    fn a_hash_in_a_position_is_a_piece() {
        let text = |line: &str| match command(line) {
            Ok(Command::Position(Some(text))) => text,
            other => panic!("{line}: {other:?}"),
        };
        assert_eq!(text("position #../... w # comment"), "#../... w");
        assert_eq!(text("7 position .#./.X. b"), ".#./.X. b");
        assert_eq!(command("position # comment"), Ok(Command::Position(None)));
        assert_eq!(command("play b d4#x"), Ok(Command::Play(Some(Color::Black), "d4".into())));
    }

    #[test]
    fn commands_print_as_they_are_read() {
        for line in [
            "newgame nogo size 3x5 rules capture",
            "newgame gomoku size 15 rules renju",
            "play b d4",
            "genmove w",
            "undo 3",
            "position .../.X./O.. b",
            "time_control fischer 1 0.01",
            "time_left b 12.5 0",
            "set hash 128",
            "clear_cache",
            "ponder on",
            "info off",
            "analyze 0.5",
            "analyze 0.5 nodes 1000 depth 3 time 2",
            "solve wld nodes 1000 time 2",
            "solve vcf",
            "swap2",
            "balance 2 45",
            "legal_moves w",
        ] {
            assert_eq!(command(line).unwrap().to_string(), line);
        }
    }

    #[test]
    fn every_command_name_is_known_to_the_parser() {
        for name in COMMANDS {
            assert_ne!(Command::parse(name), Err(ParseError::Unknown), "{name}");
            assert_ne!(Command::parse(&format!("{name} a b c d e f")), Err(ParseError::Unknown), "{name}");
        }
        for line in ["foo", "PLAY b d4", "genmoves", "-3 name"] {
            assert_eq!(command(line), Err(ParseError::Unknown), "{line}");
        }
        for line in [
            "undo -1",
            "genmove x",
            "time_left b x 0",
            "set hash",
            "play",
            "solve nodes",
            "swap2 x",
            "balance 3",
            "balance 1 101",
        ] {
            assert!(matches!(command(line), Err(ParseError::Syntax(_))), "{line}");
        }
    }

    #[test]
    fn info_lines_round_trip() {
        let info = Info {
            depth: 12,
            nodes: 34567,
            nps: 100_000,
            time: Duration::from_millis(1250),
            winrate: 0.5312,
            score: -1.5,
            proven: Some(Proven::Loss),
            margin: Some(-12),
            multipv: 2,
            visits: Some(77),
            prior: Some(0.25),
            pv: vec!["d1-d7-g7".into(), "d10-d8-d9".into()],
        };
        assert_eq!(Info::parse(&info.to_string()), Some(info));
        assert_eq!(Info::parse("info depth x pv"), None);
        assert_eq!(Info::parse("= d4"), None);
    }
}
