//! `tengen-adapter botzone-local` as a process, against a site on this machine.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::process::{Command, Output};
use std::sync::{Arc, Mutex};

use tengen_engine::game::Rng;
use tengen_engine::game::random::rng;

use crate::botzone::{Judge, parse, text};

const SECRET: &str = "sEcReT123";

/// One request to the site: the path, and the headers with lower-case names.
struct Asked {
    path: String,
    headers: BTreeMap<String, String>,
}

/// A site that answers with a status and a body; gives its address and the paths it was asked for.
fn site(
    mut answer: impl FnMut(&Asked) -> (u16, String) + Send + 'static,
) -> (String, Arc<Mutex<Vec<String>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = format!("http://{}", listener.local_addr().expect("a port"));
    let paths = Arc::new(Mutex::new(Vec::new()));
    let log = Arc::clone(&paths);
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.expect("a connection");
            let mut lines = BufReader::new(stream.try_clone().expect("a connection")).lines();
            let first = lines.next().expect("a line").expect("a line");
            let headers = lines.map_while(Result::ok).take_while(|line| !line.is_empty());
            let headers = headers.filter_map(|line| {
                line.split_once(": ").map(|(name, value)| (name.to_ascii_lowercase(), value.to_owned()))
            });
            let path = first.split(' ').nth(1).expect("a path").to_owned();
            log.lock().expect("no panic").push(path.clone());
            let asked = Asked { path, headers: headers.collect() };
            let (status, body) = answer(&asked);
            let length = body.len();
            let reply =
                format!("HTTP/1.1 {status} X\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{body}");
            let _gone = stream.write_all(reply.as_bytes());
        }
    });
    (address, paths)
}

fn local(url: &str, args: &[&str]) -> Output {
    let retry = if args.contains(&"--retry") { &[][..] } else { &["--retry", "0.05"] };
    let output = Command::new(env!("CARGO_BIN_EXE_test-adapter"))
        .args(["botzone-local", "--user-id", "u7", "--url", url, "--log-level", "trace"])
        .args(["--nodes", "60", "--threads", "1"])
        .args(retry)
        .args(args)
        .env("TENGEN_BOTZONE_SECRET", SECRET)
        .output()
        .expect("the adapter");
    for stream in [&output.stdout, &output.stderr] {
        let shown = String::from_utf8_lossy(stream);
        assert!(!shown.contains(SECRET), "the secret is shown: {shown}");
    }
    output
}

fn out(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// Matches against random players.
struct Matches {
    running: Vec<(String, usize, Judge, bool)>,
    rng: Rng,
}

impl Matches {
    /// A reply: takes the answers, lets the opponents move, asks again.
    fn round(&mut self, asked: &Asked) -> String {
        let (mut requests, mut results) = (String::new(), String::new());
        let (mut many, mut over) = (0, 0);
        for (id, side, judge, begun) in &mut self.running {
            let header = asked.headers.get(&format!("x-match-{id}"));
            assert_eq!(header.is_some(), *begun && !judge.is_over(), "{id}");
            if judge.is_over() {
                continue;
            }
            if let Some(answer) = header {
                judge.respond(parse(answer));
            }
            while !judge.is_over() && judge.player() != *side {
                let response = judge.random(&mut self.rng);
                judge.respond(response);
            }
            *begun = true;
            if judge.is_over() {
                over += 1;
                results.push_str(&format!("{id} {side} 2 1 0\n"));
            } else {
                many += 1;
                requests.push_str(&format!("{id}\n{}\n", text(&judge.request())));
            }
        }
        format!("{many} {over}\n{requests}{results}")
    }
}

#[test]
fn several_matches_are_played_at_once() {
    for (game, engines) in [("nogo", "2"), ("reversi", "1"), ("amazons", "3")] {
        let running = (0..4).map(|number| (format!("5f{number}"), number % 2, Judge::new(game), false));
        let mut matches = Matches { running: running.collect(), rng: rng(7) };
        let mut asked_before = 0;
        let (url, paths) = site(move |asked| {
            asked_before += 1;
            match asked_before {
                // Nothing yet.
                1 => (504, "<html>".to_owned()),
                2 => (502, String::new()),
                3 => (200, "0 0".to_owned()),
                _ => (200, matches.round(asked)),
            }
        });
        let output = local(&url, &["--game", game, "--engines", engines, "--matches", "4"]);
        let shown = out(&output);
        assert!(output.status.success(), "{shown} {}", String::from_utf8_lossy(&output.stderr));
        for number in 0..4 {
            let line = format!("match 5f{number}: 1 : 0, you were player {}", number % 2);
            assert!(shown.contains(&line), "{shown}");
        }
        let paths = paths.lock().expect("no panic");
        assert!(paths.iter().all(|path| *path == format!("/api/u7/{SECRET}/localai")), "{paths:?}");
    }
}

#[test]
fn a_match_is_started_against_a_bot() {
    let mut matches = Matches { running: Vec::new(), rng: rng(3) };
    let (url, _) = site(move |asked| {
        if asked.path.ends_with("/runmatch") {
            let header = |name: &str| asked.headers.get(name).map(String::as_str).unwrap_or_default();
            assert_eq!(header("x-game"), "NoGo");
            assert_eq!((header("x-player-0"), header("x-player-1")), ("bot9", "me"));
            assert_eq!((header("x-usesimpleio"), header("x-timelimit")), ("true", "2"));
            let id = format!("m{}", matches.running.len());
            matches.running.push((id.clone(), 1, Judge::new("nogo"), false));
            return (200, id);
        }
        assert!(asked.path.ends_with("/localai"));
        (200, matches.round(asked))
    });
    let args = ["--game", "nogo", "--opponent", "bot9", "--slot", "1", "--time-limit", "2", "--matches", "2"];
    let output = local(&url, &args);
    let shown = out(&output);
    assert!(output.status.success(), "{shown}");
    for line in ["match m0: started", "match m0: 1 : 0", "match m1: started", "match m1: 1 : 0"] {
        assert!(shown.contains(line), "{shown}");
    }
}

#[test]
fn a_refusal_ends_it_with_the_reason() {
    for (status, reason) in [(401, "(401)"), (400, "no such *** user"), (302, "(302)")] {
        let (url, paths) = site(move |_| (status, format!("no such {SECRET} user")));
        let output = local(&url, &["--game", "nogo"]);
        assert_eq!(output.status.code(), Some(2));
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(error.contains("error: the site refuses") && error.contains(reason), "{error}");
        assert_eq!(paths.lock().expect("no panic").len(), 1, "asked once");
    }
}

#[test]
fn an_answer_that_is_refused_does_not_end_the_others() {
    let mut asked_before = 0;
    let (url, _) = site(move |asked| {
        asked_before += 1;
        match asked_before {
            1 => (200, "1 0\nm1\n-1 -1\n".to_owned()),
            2 => {
                assert!(asked.headers.contains_key("x-match-m1"));
                (400, "no such match".to_owned())
            }
            _ => {
                assert!(!asked.headers.contains_key("x-match-m1"));
                (200, "0 1\nm1 0 0\n".to_owned())
            }
        }
    });
    let output = local(&url, &["--game", "gomoku", "--matches", "1"]);
    let shown = out(&output);
    assert!(output.status.success(), "{shown}");
    assert!(shown.contains("the site refuses the answer to match m1: no such match"), "{shown}");
    assert!(shown.contains("match m1: aborted"), "{shown}");
}

/// One answer of two is refused: the other is sent again by itself, and a request that comes again gets the
/// answer that was given, not another move.
#[test]
fn a_refused_answer_does_not_take_the_others_with_it() {
    let mut asked_before = 0;
    let mut first = None;
    let (url, _) = site(move |asked| {
        asked_before += 1;
        let answer = |id: &str| asked.headers.get(&format!("x-match-{id}")).cloned();
        match (asked_before, answer("m1"), answer("m2")) {
            (1, None, None) => (200, "2 0\nm1\n-1 -1\nm2\n4 4\n".to_owned()),
            (2, Some(_), Some(answer)) => {
                first = Some(answer);
                (400, "no such match".to_owned())
            }
            (3, Some(_), None) => (400, "no such match".to_owned()),
            (4, None, answer @ Some(_)) => {
                assert_eq!(answer, first);
                (200, "1 0\nm2\n4 4\n".to_owned())
            }
            (5, None, answer @ Some(_)) => {
                assert_eq!(answer, first);
                (200, "0 2\nm1 0 0\nm2 0 2 1 0\n".to_owned())
            }
            (number, one, two) => panic!("request {number}: {one:?} {two:?}"),
        }
    });
    let output = local(&url, &["--game", "nogo", "--matches", "2"]);
    let shown = out(&output);
    assert!(output.status.success(), "{shown}");
    assert!(shown.contains("the site refuses the answer to match m1: no such match"), "{shown}");
    assert!(shown.contains("match m2: 1 : 0"), "{shown}");
}

#[test]
fn one_bad_gateway_at_the_start_of_a_match_does_not_end_it() {
    let mut starts = 0;
    let (url, _) = site(move |asked| {
        if asked.path.ends_with("/runmatch") {
            starts += 1;
            return if starts == 1 { (502, String::new()) } else { (200, "m1".to_owned()) };
        }
        (200, "0 1\nm1 0 2 1 0\n".to_owned())
    });
    let output = local(&url, &["--game", "nogo", "--opponent", "bot9", "--matches", "1"]);
    let shown = out(&output);
    assert!(output.status.success(), "{shown}");
    assert!(shown.contains("trying again") && shown.contains("match m1: started"), "{shown}");
}

/// A site that hangs up or talks nonsense is asked again.
#[test]
fn nonsense_from_the_site_is_survived() {
    let mut asked_before = 0;
    let (url, _) = site(move |_| {
        asked_before += 1;
        match asked_before {
            1 => (200, "<html>what a site</html>".to_owned()),
            2 => (500, String::new()),
            3 => (200, "3 1\nm1\n".to_owned()),
            4 => (200, "1 1\nm1\nbad request\nm2 x\n".to_owned()),
            _ => (200, "0 1\nm1 1 2 0 1\n".to_owned()),
        }
    });
    let output = local(&url, &["--game", "nogo", "--matches", "1"]);
    let shown = out(&output);
    assert!(output.status.success(), "{shown}");
    for part in ["no list of matches: <html>what a site</html>", "status 500", "a result without sense: m2 x"]
    {
        assert!(shown.contains(part), "{shown}");
    }
    assert!(shown.contains("match m1: 0 : 1, you were player 1"), "{shown}");
}

#[test]
fn the_secret_comes_from_a_file_or_the_environment_alone() {
    let (url, _) = site(|_| (401, String::new()));
    let program = env!("CARGO_BIN_EXE_test-adapter");
    let base = ["botzone-local", "--game", "nogo", "--user-id", "u7", "--url", &url];
    let output =
        Command::new(program).args(base).env_remove("TENGEN_BOTZONE_SECRET").output().expect("it runs");
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(error.contains("no secret: give --secret-file FILE or set TENGEN_BOTZONE_SECRET"), "{error}");
    let file = std::env::temp_dir().join(format!("tengen-secret-{}", std::process::id()));
    std::fs::write(&file, format!("{SECRET}\n")).expect("a file");
    let output = Command::new(program)
        .args(base)
        .arg("--secret-file")
        .arg(&file)
        .env_remove("TENGEN_BOTZONE_SECRET")
        .output()
        .expect("it runs");
    std::fs::remove_file(&file).expect("the file");
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(error.contains("(401)") && !error.contains(SECRET), "{error}");
}

/// Nobody speaks TLS there, and nobody is there at all: told once, then given up.
#[test]
fn a_site_that_cannot_be_reached_is_given_up() {
    let (url, _) = site(|_| (200, "0 0".to_owned()));
    for url in [url.replace("http:", "https:"), "http://127.0.0.1:9".to_owned()] {
        let output = local(&url, &["--game", "nogo", "--retry", "0.001"]);
        assert_eq!(output.status.code(), Some(2));
        assert_eq!(out(&output).matches("the site does not answer: ").count(), 1, "{}", out(&output));
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(error.contains("error: the site does not answer: "), "{error}");
    }
}
