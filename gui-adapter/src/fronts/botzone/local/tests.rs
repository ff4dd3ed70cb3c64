//! The front of many matches, driven in process.

#![allow(clippy::indexing_slicing, clippy::panic, reason = "a test may stop at the first surprise")]

use super::*;
use clap::ValueEnum;
use tengen_engine::game::random::{below, rng};

use crate::client::Answer;
use crate::fronts::transcripts;

fn front(words: &str) -> Local {
    let mut words = words.split_whitespace();
    let kind = Kind::from_str(words.next().unwrap_or("nogo"), false).unwrap();
    let engines = words.next().map_or(1, |engines| engines.parse().unwrap());
    let options = EngineOptions::default();
    Local::new(Config { kind, time_limit: Duration::from_secs(3), engines, options }).unwrap()
}

/// The mark of the end of a reply is no text: transcripts write it as `END`.
struct Marked(Local);

impl Dialect for Marked {
    fn line(&mut self, line: &str, out: &mut Vec<Action>) {
        self.0.line(if line == "END" { END } else { line }, out);
    }
    fn too_long(&mut self, head: &str, out: &mut Vec<Action>) {
        self.0.too_long(head, out);
    }
    fn search(&mut self, engine: usize, event: Event, out: &mut Vec<Action>) {
        self.0.search(engine, event, out);
    }
    fn file(&mut self, _: Result<String, String>, _: &mut Vec<Action>) {}
    fn end_of_input(&mut self, out: &mut Vec<Action>) {
        self.0.end_of_input(out);
    }
}

#[test]
fn lines_too_long_without_an_end_do_not_fill_the_memory() {
    let mut local = front("nogo");
    let mut out = Vec::new();
    for _ in 0..10 * MOST_LINES {
        local.too_long("x", &mut out);
        local.line("x", &mut out);
    }
    assert!(local.body.len() <= MOST_LINES + 1);
    local.line(END, &mut out);
    assert!(local.body.is_empty() && !out.is_empty());
}

#[test]
fn transcripts() {
    transcripts::check("botzone-local", |words| Marked(front(words)));
}

/// Whatever the site sends, every reply comes to one `poll` or `wait`, and engines get one search each.
#[test]
fn noise_ends_in_one_poll() {
    let mut rng = rng(23);
    let mut front = front("nogo 3");
    let lines = [
        "1 0",
        "2 1",
        "0 0",
        "m1",
        "m2",
        "a/b",
        "-1 -1",
        "3 4",
        "{\"x\":2,\"y\":3}",
        "{",
        "m1 0 2 1 0",
        "",
        "\u{0}",
    ];
    for _ in 0..3000 {
        let mut out = Vec::new();
        for _ in 0..below(&mut rng, 8) {
            front.line(lines[below(&mut rng, lines.len() as u32) as usize], &mut out);
        }
        front.line(END, &mut out);
        let mut busy = [false; 3];
        let mut rounds = 0;
        let mut next = 0;
        loop {
            while let Some(action) = out.get(next) {
                next += 1;
                match action {
                    Action::Search(request) => assert!(!std::mem::replace(&mut busy[request.engine], true)),
                    Action::ToGui(text) => rounds += usize::from(text == "poll\n" || text == "wait\n"),
                    other => panic!("{other:?}"),
                }
            }
            let Some(engine) = busy.iter().position(|busy| *busy) else { break };
            busy[engine] = false;
            let answer = Answer { text: String::new(), elapsed: Duration::ZERO };
            front.search(engine, Event::Done(Ok(answer)), &mut out);
        }
        assert_eq!(rounds, 1, "{out:?}");
        assert!(front.matches.len() <= 2);
    }
}
