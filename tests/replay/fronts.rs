//! The fronts, and what must be true of all they write.

use std::time::Duration;

use tengen_adapter::bridge::Dialect;
use tengen_adapter::client::args::EngineOptions;
use tengen_adapter::fronts::auto::{Auto, Protocol};
use tengen_adapter::fronts::botzone::{self, Botzone, Kind};
use tengen_adapter::fronts::gomocup::{self, Gomocup};
use tengen_adapter::fronts::gtp::{self, Gtp, Profile};
use tengen_adapter::fronts::json::{self, Json};
use tengen_adapter::fronts::nboard::NBoard;
use tengen_adapter::fronts::uci::{self, Uci, VARIANTS};
use tengen_engine::games::Setup;

use crate::bridge::{Outcome, run};
use crate::{lines, split};

/// Small boards, so that many cases are tried.
const SETUPS: [&str; 7] = [
    "nogo size 5",
    "nogo size 4x7 rules capture",
    "gomoku size 6",
    "gomoku size 15 rules renju",
    "othello size 6",
    "othello",
    "amazons size 6",
];

fn setup(number: usize) -> Setup {
    let text = SETUPS[number % SETUPS.len()];
    Setup::parse(text.split(' ')).expect("a set-up of the table")
}

fn pick<T: Copy>(number: usize, values: &[T]) -> T {
    values[number % values.len()]
}

/// Text is written in whole lines without control characters.
fn check_text(outcome: &Outcome) {
    check_lines(outcome);
    let output = &outcome.output;
    let odd = |c: char| c.is_control() && c != '\n' && c != '\t';
    assert!(!output.contains(odd), "control characters are written: {output:?}");
}

/// The same with the control characters that JSON allows in texts.
fn check_lines(outcome: &Outcome) {
    let output = &outcome.output;
    assert!(output.is_empty() || output.ends_with('\n'), "a line is not ended: {output:?}");
    let odd = |c: char| c < ' ' && c != '\n' && c != '\t';
    assert!(!output.contains(odd), "control characters are written: {output:?}");
}

/// The replies and their bodies: each ends at the first empty line.
fn check_replies(outcome: &Outcome) {
    let output = &outcome.output;
    let replies: Vec<&str> = output.split_terminator("\n\n").collect();
    for reply in &replies {
        assert!(reply.starts_with(['=', '?']), "no reply: {reply:?} in {output:?}");
    }
    assert!(output.is_empty() || output.ends_with("\n\n"), "a reply is not ended: {output:?}");
    let commands = outcome.taken.iter().filter(|line| is_command(line)).count();
    // What waits behind `quit` is dropped.
    let quits = outcome.taken.iter().any(|line| line.replace(char::is_control, "").contains("quit"));
    if !outcome.early && !quits {
        assert_eq!(replies.len(), commands, "replies to {:?}: {output:?}", outcome.taken);
    }
}

/// Whether the line of GTP has a reply.
fn is_command(line: &str) -> bool {
    let line = line.split('#').next().unwrap_or_default();
    line.chars().any(|c| !c.is_control() && c != ' ')
}

/// GTP.
pub fn gtp(data: &[u8]) {
    let (form, script) = split(data);
    let profile = pick(form / 7, &[None, Some(Profile::Plain), Some(Profile::Quarry), Some(Profile::GoGui)]);
    let options = EngineOptions::default();
    let config = gtp::Config { setup: setup(form), profile, row_one_at_bottom: form / 28 % 2 == 1, options };
    let outcome = run(Box::new(Gtp::new(config).expect("a set-up of the table")), &script);
    check_text(&outcome);
    check_replies(&outcome);
}

/// Gomocup, plain and as the Yixin-Board speaks it.
pub fn gomocup(data: &[u8]) {
    let (form, script) = split(data);
    let rules = pick(form / 2, &[None, Some("freestyle"), Some("renju"), Some("caro")]).map(str::to_owned);
    let config = gomocup::Config { rules, yixin: form % 2 == 1, options: EngineOptions::default() };
    let outcome = run(Box::new(Gomocup::new(config).expect("rules of Gomoku")), &script);
    check_text(&outcome);
}

/// The script with one count of moves at most: each takes a second or two, and a case is to be quick.
fn one_perft(script: &str) -> String {
    let mut before = 0;
    let mut kept: Vec<&str> = lines(script).collect();
    kept.retain(|line| {
        let counts = line.to_ascii_lowercase().contains("perft");
        before += usize::from(counts);
        !counts || before == 1
    });
    kept.join("\n")
}

/// UCI.
pub fn uci(data: &[u8]) {
    let (form, script) = split(data);
    let script = one_perft(&script);
    let setup = pick(form, &VARIANTS).setup();
    let config = uci::Config { protocol: uci::Protocol::Uci, setup, options: EngineOptions::default() };
    check_uci(&run(Box::new(Uci::new(config).expect("a variant")), &script));
}

/// UGI.
pub fn ugi(data: &[u8]) {
    let (form, script) = split(data);
    let script = one_perft(&script);
    let config =
        uci::Config { protocol: uci::Protocol::Ugi, setup: setup(form), options: EngineOptions::default() };
    check_uci(&run(Box::new(Uci::new(config).expect("a set-up of the table")), &script));
}

/// There are no more best moves than were asked for.
fn check_uci(outcome: &Outcome) {
    check_text(outcome);
    let asked = |line: &&String| line.split_whitespace().any(|word| word.eq_ignore_ascii_case("go"));
    let asked = outcome.taken.iter().filter(asked).count();
    let moves = lines(&outcome.output).filter(|line| line.starts_with("bestmove")).count();
    assert!(moves <= asked, "{moves} moves for {asked} searches: {:?}", outcome.output);
}

/// NBoard.
pub fn nboard(data: &[u8]) {
    let script = String::from_utf8_lossy(data);
    let outcome = run(Box::new(NBoard::new(EngineOptions::default()).expect("Othello is there")), &script);
    check_text(&outcome);
}

/// Botzone: JSON and simplified lines, and many matches of the local site.
pub fn botzone(data: &[u8]) {
    let (form, script) = split(data);
    let kind = pick(form, &[Kind::Nogo, Kind::Gomoku, Kind::Renju, Kind::Reversi, Kind::Amazons]);
    let (time_limit, options) = (Duration::from_secs(1), EngineOptions::default());
    if form / 20 % 3 == 2 {
        let config = botzone::local::Config { kind, time_limit, engines: 1 + form / 5 % 2, options };
        let front = botzone::local::Local::new(config).expect("a game of Botzone");
        return check_lines(&run(Box::new(front), &script));
    }
    let (keep_running, simple_io) = (form / 5 % 2 == 1, form / 10 % 2 == 1);
    let config = botzone::Config { kind, keep_running, simple_io, time_limit, options };
    let outcome = run(Box::new(Botzone::new(config).expect("a game of Botzone")), &script);
    check_lines(&outcome);
    if !simple_io {
        let lines = lines(&outcome.output).filter(|line| !line.is_empty() && !line.starts_with(">>>"));
        lines.for_each(check_json);
    }
}

fn check_json(line: &str) {
    assert!(serde_json::from_str::<serde_json::Value>(line).is_ok(), "no JSON: {line:?}");
}

/// Analysis queries and the dialogue of web pages.
pub fn json(data: &[u8]) {
    let (form, script) = split(data);
    let config = json::Config {
        setup: setup(form),
        options: EngineOptions::default(),
        parallel: 1 + form / 7 % 3,
        quit_without_waiting: form / 21 % 2 == 1,
    };
    let outcome = run(Box::new(Json::new(config).expect("a set-up of the table")), &script);
    check_lines(&outcome);
    lines(&outcome.output).filter(|line| !line.is_empty()).for_each(check_json);
}

/// The front that is told the protocol by the first line.
pub fn auto(data: &[u8]) {
    let script = one_perft(&String::from_utf8_lossy(data));
    let outcome = run(Box::new(Auto::new(Box::new(open))), &script);
    check_lines(&outcome);
}

fn open(protocol: Protocol) -> Result<Box<dyn Dialect>, String> {
    let (setup, options) = (setup(0), EngineOptions::default());
    let failed = |error: tengen_engine::games::SetupError| error.to_string();
    let time_limit = Duration::from_secs(1);
    Ok(match protocol {
        Protocol::Gtp => {
            let config = gtp::Config { setup, profile: None, row_one_at_bottom: false, options };
            Box::new(Gtp::new(config).map_err(failed)?)
        }
        Protocol::Gomocup | Protocol::Yixin => {
            let yixin = protocol == Protocol::Yixin;
            Box::new(Gomocup::new(gomocup::Config { rules: None, yixin, options }).map_err(failed)?)
        }
        Protocol::Ugi => {
            let config = uci::Config { protocol: uci::Protocol::Ugi, setup, options };
            Box::new(Uci::new(config).map_err(failed)?)
        }
        Protocol::Uci => {
            let setup = VARIANTS[0].setup();
            let config = uci::Config { protocol: uci::Protocol::Uci, setup, options };
            Box::new(Uci::new(config).map_err(failed)?)
        }
        Protocol::NBoard => Box::new(NBoard::new(options).map_err(failed)?),
        Protocol::Botzone => {
            let (kind, keep_running, simple_io) = (Kind::Nogo, false, false);
            let config = botzone::Config { kind, keep_running, simple_io, time_limit, options };
            Box::new(Botzone::new(config).map_err(failed)?)
        }
        Protocol::Json => {
            let config = json::Config { setup, options, parallel: 1, quit_without_waiting: false };
            Box::new(Json::new(config).map_err(failed)?)
        }
    })
}
