//! Golden transcripts of a front: what a client sends and what comes back, one file a dialogue in
//! `transcripts/<front>/`.
//!
//! `> line` comes from the client, `< line` goes to it, `! event` comes from the daemon or the file
//! system, `~ action` goes there; `front ...` at the top says how the front is started, `#` begins a
//! remark. An event or action of another engine than the first names it: `! @1 done d4`.

#![allow(clippy::indexing_slicing, clippy::panic, reason = "a test may stop at the first surprise")]

use std::fmt::Write;
use std::time::Duration;

use tengen_engine::game::Color;
use tengen_engine::protocol::{Command, Info};

use crate::bridge::{Action, Dialect};
use crate::client::{Answer, Event, Request, SearchKind};

fn search_line(request: &Request) -> String {
    let position = &request.position;
    let mut line = match request.kind {
        SearchKind::GenMove => "genmove".to_owned(),
        SearchKind::RegGenMove => "reg_genmove".to_owned(),
        SearchKind::Analyze { interval, limits } => format!("analyze {}{limits}", interval.as_secs_f64()),
        SearchKind::Opening(opening) => Command::Opening(opening).to_string(),
    };
    write!(line, " {} | {}", request.color.letter(), position.setup).unwrap();
    if let Some(start) = &position.start {
        write!(line, " | {start}").unwrap();
    }
    let moves: Vec<String> =
        position.moves.iter().map(|(c, text)| format!("{} {text}", c.letter())).collect();
    write!(line, " | {}", if moves.is_empty() { "-".to_owned() } else { moves.join(" ") }).unwrap();
    let plain = [("multipv", "1"), ("nodes", "0"), ("depth", "0")];
    for (name, value) in &request.options {
        if plain.contains(&(name.as_str(), value.as_str())) {
            continue;
        }
        write!(line, " | {name} {value}").unwrap();
    }
    if request.clock.settings > 0 {
        write!(line, " | time {}", request.clock.control).unwrap();
    }
    for (color, left) in Color::ALL.iter().zip(request.clock.left) {
        if let Some((time, stones)) = left {
            write!(line, " | left {} {} {stones}", color.letter(), time.as_secs_f64()).unwrap();
        }
    }
    line
}

/// A line of output, the blank at its end made visible.
fn visible_line(line: &str) -> String {
    match line.strip_suffix(' ') {
        Some(text) => format!("< {text}\u{2423}\n"),
        None => format!("< {line}").trim_end().to_owned() + "\n",
    }
}

/// The mark of an engine other than the first.
fn at(engine: usize) -> String {
    if engine == 0 { String::new() } else { format!("@{engine} ") }
}

fn action_lines(action: &Action) -> String {
    match action {
        Action::ToGui(text) => {
            let lines = text.strip_suffix('\n').unwrap_or(text).split('\n');
            lines.map(visible_line).collect()
        }
        Action::Search(request) => format!("~ {}{}\n", at(request.engine), search_line(request)),
        Action::Stop(engine) => format!("~ {}stop\n", at(*engine)),
        Action::Read(path) => format!("~ read {path}\n"),
        Action::Write { path, .. } => format!("~ write {path}\n"),
        Action::Leave => "~ leave\n".to_owned(),
        Action::Quit => "~ quit\n".to_owned(),
    }
}

/// Plays the inputs of a transcript (`> line` from the client, `! event` from the daemon or the file
/// system, `front ...` at the top) and gives the transcript as it comes out.
fn replay<D: Dialect>(transcript: &str, open: impl Fn(&str) -> D) -> String {
    let mut front = open("");
    let mut result = String::new();
    for line in transcript.lines().filter(|line| !line.starts_with('<') && !line.starts_with('~')) {
        writeln!(result, "{line}").unwrap();
        let mut out = Vec::new();
        if let Some(words) = line.strip_prefix("front ") {
            front = open(words);
        } else if let Some(input) = line.strip_prefix('>') {
            front.line(input.strip_prefix(' ').unwrap_or(input), &mut out);
        } else if let Some(event) = line.strip_prefix("! ") {
            event_from(event, &mut front, &mut out);
        }
        out.iter().for_each(|action| result.push_str(&action_lines(action)));
    }
    result
}

fn event_from(event: &str, front: &mut dyn Dialect, out: &mut Vec<Action>) {
    let (engine, event) = match event.strip_prefix('@').and_then(|rest| rest.split_once(' ')) {
        Some((number, rest)) => (number.parse().unwrap(), rest),
        None => (0, event),
    };
    let (kind, rest) = event.split_once(' ').unwrap_or((event, ""));
    let answer = |text: &str| Answer { text: text.to_owned(), elapsed: Duration::from_millis(1500) };
    match kind {
        "started" => front.search(engine, Event::Started, out),
        "info" => {
            let infos = rest.split(" | ").map(|text| Info::parse(&format!("info {text}")).unwrap()).collect();
            front.search(engine, Event::Report(infos), out);
        }
        "done" => front.search(engine, Event::Done(Ok(answer(rest))), out),
        "fail" => front.search(engine, Event::Done(Err(rest.to_owned())), out),
        "file" => front.file(Ok(rest.to_owned()), out),
        "nofile" => front.file(Err(rest.to_owned()), out),
        "eof" => front.end_of_input(out),
        _ => panic!("unknown event: {event}"),
    }
}

/// Every file in `transcripts/<front>` must come out as it stands there; `open` starts the front from
/// the words behind `front`. With `BLESS=1` in the environment the files are written anew instead; read
/// the difference before you believe it.
pub(super) fn check<D: Dialect>(name: &str, open: impl Fn(&str) -> D) {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("transcripts").join(name);
    let mut files: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    assert!(!files.is_empty());
    for path in files {
        let text = std::fs::read_to_string(&path).unwrap();
        let replayed = replay(&text, &open);
        if std::env::var_os("BLESS").is_some() {
            std::fs::write(&path, &replayed).unwrap();
            continue;
        }
        for (number, (is, should)) in replayed.lines().zip(text.lines()).enumerate() {
            assert_eq!(is, should, "{}:{}", path.display(), number + 1);
        }
        assert_eq!(replayed, text, "{}", path.display());
    }
}
