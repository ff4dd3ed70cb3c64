//! The daemon's end of its protocol: every command is carried out, searches with a few nodes.

use std::time::{Duration, Instant};

use tengen_adapter::client::{Incoming, Parser};
use tengen_engine::options::Options;
use tengen_engine::protocol::{Command, Info, Reply, Request, SearchLimits};
use tengen_engine::search::Control;
use tengen_engine::session::{Job, Link, Session, Step};

use crate::lines;

/// Searches in one case: the rest are refused, so that parsing is what takes the time.
const SEARCHES: u32 = 3;
const NODES: u64 = 12;

/// The daemon.
pub fn daemon(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let mut session = Session::new(Options::default());
    let mut searches = 0;
    for line in lines(&text) {
        let Some(Request { id, command }) = Request::parse(line) else { continue };
        let answer = match command {
            Ok(command) => {
                check_print(&command);
                match session.handle(command) {
                    Step::Done(answer) => answer,
                    Step::Search(_) if searches == SEARCHES => Ok(String::new()),
                    Step::Search(job) => {
                        searches += 1;
                        search(&mut session, job)
                    }
                }
            }
            Err(error) => Err(error.to_string()),
        };
        check_reply(&Reply { id, text: answer });
    }
}

/// A command that was read can be sent on.
fn check_print(command: &Command) {
    let printed = command.to_string();
    let again = Command::parse(&printed);
    assert_eq!(again.map(|again| again.to_string()), Ok(printed), "{command:?}");
}

/// The client takes every reply for one reply.
fn check_reply(reply: &Reply) {
    let text = reply.to_string();
    let mut parser = Parser::default();
    let mut read: Vec<Incoming> = lines(&text).filter_map(|line| parser.line(line)).collect();
    let (Some(Incoming::Reply(read)), true) = (read.pop(), read.is_empty()) else {
        panic!("not read as one reply: {text:?}");
    };
    assert_eq!((&read.id, read.text.is_ok()), (&reply.id, reply.text.is_ok()), "{text:?}");
}

fn search(session: &mut Session, mut job: Job) -> Result<String, String> {
    for (name, value) in [("hash", "1"), ("threads", "1"), ("nodes", "12"), ("depth", "2")] {
        let set = session.handle(Command::Set(name.to_owned(), value.to_owned()));
        assert!(matches!(set, Step::Done(Ok(_))), "{set:?}");
    }
    if let Job::Analyze(_, limits) | Job::Solve(_, limits) = &mut job {
        let nodes = limits.nodes.map_or(NODES, |nodes| nodes.min(NODES));
        *limits = SearchLimits { nodes: Some(nodes), depth: Some(2), time: Some(Duration::from_millis(100)) };
    }
    let mut on_info = |infos: &[Info]| {
        for info in infos {
            assert!(Info::parse(&info.to_string()).is_some(), "{info}");
        }
    };
    let control = Control::default();
    let link = Link { control: &control, started: Instant::now(), threads: &|_| 1, on_info: &mut on_info };
    let answer = session.run(&job, link).expect("only pondering has no answer");
    assert!(!answer.as_ref().is_err_and(|why| why.contains("internal")), "{answer:?}");
    answer
}
