//! The client against daemons of every temper, played by a thread behind a socket.

use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::sync::{Arc, Mutex};

use tengen_engine::games::GameId;

use super::*;

/// What the pretended daemon does with a command: its reply (mark included, without the id), lines
/// before it, or the end of the connection.
enum Manner {
    Reply(&'static str),
    InfoThen(&'static [&'static str], &'static str),
    HangUp,
    Silence,
}

/// A daemon that serves one connection after the other. `manner` gets the number of the connection,
/// the command and the commands of that connection before it. The log holds what was said, `--` at the
/// beginning of each connection.
fn daemon(manner: impl Fn(usize, &str) -> Manner + Send + 'static) -> (Launcher, Arc<Mutex<Vec<String>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let log = Arc::new(Mutex::new(Vec::new()));
    let kept = Arc::clone(&log);
    std::thread::spawn(move || {
        for (number, stream) in listener.incoming().enumerate() {
            let mut stream = stream.unwrap();
            log.lock().unwrap().push("--".to_owned());
            for line in BufReader::new(stream.try_clone().unwrap()).lines() {
                let Ok(line) = line else { break };
                let (id, command) = line.split_once(' ').unwrap();
                log.lock().unwrap().push(command.to_owned());
                let (infos, reply) = match manner(number, command) {
                    Manner::Reply(reply) => (&[][..], reply),
                    Manner::InfoThen(infos, reply) => (infos, reply),
                    Manner::HangUp => break,
                    Manner::Silence => continue,
                };
                let infos: String = infos.iter().map(|info| format!("info {info}\n")).collect();
                let (mark, text) = reply.split_at(1);
                if write!(stream, "{infos}{mark}{id}{text}\n\n").is_err() {
                    break;
                }
            }
        }
    });
    (Launcher::Tcp(address), kept)
}

fn obedient(command: &str) -> Manner {
    Manner::Reply(if command.starts_with("genmove") { "= e5" } else { "=" })
}

/// White is to move.
const AFTER_A1: &[(Color, &str)] = &[(Color::Black, "a1")];

fn request(moves: &[(Color, &str)]) -> Box<Request> {
    Box::new(Request {
        engine: 0,
        cleared: 0,
        game: 1,
        position: Snapshot {
            setup: Setup::new(GameId::NoGo),
            start: None,
            moves: moves.iter().map(|&(color, text)| (color, text.to_owned())).collect(),
        },
        color: Color::White,
        kind: SearchKind::GenMove,
        options: Vec::new(),
        clock: ClockRequest::default(),
    })
}

/// Runs the client until the search is done; `at_start` is called once it runs.
fn run(client: &mut Client, request: Box<Request>, mut at_start: impl FnMut(&mut Client)) -> Vec<Event> {
    let mut events = Vec::new();
    client.search(request, &mut events);
    let patience = Instant::now() + Duration::from_secs(20);
    let mut seen = 0;
    loop {
        while let Some(event) = events.get(seen) {
            seen += 1;
            match event {
                Event::Started => at_start(client),
                Event::Report(_) => {}
                Event::Done(_) => return events,
            }
        }
        let deadline = client.deadline().map_or(patience, |deadline| deadline.min(patience));
        match client.incoming().recv_deadline(deadline) {
            Ok(incoming) => client.take(Ok(incoming), &mut events),
            Err(channel::RecvTimeoutError::Disconnected) => client.take(Err(RecvError), &mut events),
            Err(channel::RecvTimeoutError::Timeout) => client.tick(&mut events),
        }
        assert!(Instant::now() < patience, "{events:?}");
    }
}

fn move_of(events: &[Event]) -> Result<&str, &str> {
    match events.last() {
        Some(Event::Done(Ok(answer))) => Ok(&answer.text),
        Some(Event::Done(Err(why))) => Err(why),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_game_continued_is_sent_as_moves() {
    let answers = Mutex::new(["= e5", "= c3"].into_iter());
    let (launcher, log) = daemon(move |_, command| match command {
        "genmove w" => Manner::Reply(answers.lock().unwrap().next().unwrap()),
        _ => obedient(command),
    });
    let mut client = Client::new(launcher);
    assert!(log.lock().unwrap().is_empty(), "nothing is started before the first search");
    assert_eq!(move_of(&run(&mut client, request(&[(Color::Black, "a1")]), |_| ())), Ok("e5"));
    let longer = [(Color::Black, "a1"), (Color::White, "e5"), (Color::Black, "b2")];
    assert_eq!(move_of(&run(&mut client, request(&longer), |_| ())), Ok("c3"));
    let said = log.lock().unwrap().join("; ");
    assert_eq!(
        said,
        "--; info on; newgame nogo size 9 rules standard; play b a1; genmove w; play b b2; genmove w"
    );
}

#[test]
fn a_daemon_that_dies_is_started_again_and_told_everything() {
    let (launcher, log) = daemon(|connection, command| match (connection, command) {
        (0, "genmove w") => Manner::HangUp,
        _ => obedient(command),
    });
    let mut client = Client::new(launcher);
    let mut first = request(&[(Color::Black, "a1")]);
    first.options.push(("hash".into(), "16".into()));
    assert_eq!(move_of(&run(&mut client, first, |_| ())), Ok("e5"));
    let session = "--; info on; set hash 16; newgame nogo size 9 rules standard; play b a1; genmove w";
    assert_eq!(log.lock().unwrap().join("; "), format!("{session}; {session}"));
}

fn connections(log: &Arc<Mutex<Vec<String>>>) -> usize {
    log.lock().unwrap().iter().filter(|line| *line == "--").count()
}

#[test]
fn a_search_that_kills_three_daemons_gets_a_legal_move_and_the_next_one_works() {
    let (launcher, log) = daemon(|connection, command| match command {
        "genmove w" if connection < 3 => Manner::HangUp,
        "genmove w" => Manner::Reply("= c3"),
        _ => obedient(command),
    });
    let mut client = Client::new(launcher);
    // The point in the middle is taken: one beside it is nearest.
    let events = run(&mut client, request(&[(Color::Black, "e5")]), |_| ());
    assert_eq!(move_of(&events), Ok("e4"));
    let longer = [(Color::Black, "e5"), (Color::White, "e4"), (Color::Black, "a1")];
    assert_eq!(move_of(&run(&mut client, request(&longer), |_| ())), Ok("c3"));
    assert_eq!(connections(&log), 4);
}

#[test]
fn what_a_lost_daemon_has_reported_is_not_lost() {
    let (launcher, _) = daemon(|_, command| match command {
        "genmove w" => Manner::InfoThen(&["depth 3 multipv 1 pv c4 d4"], "= z99"),
        _ => obedient(command),
    });
    let events = run(&mut Client::new(launcher), request(&[(Color::Black, "e5")]), |_| ());
    assert_eq!(move_of(&events), Ok("c4"));
}

#[test]
fn a_daemon_that_answers_nonsense_is_replaced() {
    for nonsense in ["= e5", "= z99", "= pass", "= ", "= e5 e6", "= \u{1}\u{fffd}"] {
        let (launcher, log) = daemon(move |connection, command| match command {
            "genmove w" if connection < 2 => Manner::Reply(nonsense),
            "genmove w" => Manner::Reply("= c3"),
            _ => obedient(command),
        });
        let events = run(&mut Client::new(launcher), request(&[(Color::Black, "e5")]), |_| ());
        assert_eq!(move_of(&events), Ok("c3"), "{nonsense}");
        assert_eq!(connections(&log), 3, "{nonsense}");
    }
}

#[test]
fn a_daemon_that_never_worked_is_an_error_and_not_a_game() {
    let (launcher, log) = daemon(|_, _| Manner::HangUp);
    let events = run(&mut Client::new(launcher), request(AFTER_A1), |_| ());
    assert!(move_of(&events).unwrap_err().starts_with("the engine is gone"), "{events:?}");
    assert_eq!(connections(&log), 3);
}

fn timed(control: TimeControl) -> Box<Request> {
    let mut timed = request(AFTER_A1);
    timed.clock.settings = 1;
    timed.clock.control = control;
    timed
}

#[test]
fn a_repeated_search_has_the_time_that_is_left() {
    let (launcher, log) = daemon(|connection, command| match command {
        "genmove w" if connection == 0 => {
            std::thread::sleep(Duration::from_millis(400));
            Manner::HangUp
        }
        _ => obedient(command),
    });
    let mut client = Client::new(launcher);
    let main = Duration::from_secs(100);
    let request = timed(TimeControl::Fischer { main, increment: Duration::ZERO });
    assert_eq!(move_of(&run(&mut client, request, |_| ())), Ok("e5"));
    let said = log.lock().unwrap().clone();
    let left = said.iter().rfind(|line| line.starts_with("time_left w ")).expect("the clock is told");
    let left: f64 = left.split(' ').nth(2).unwrap().parse().unwrap();
    assert!((98.0..=99.6).contains(&left), "{left}");
    let now = client.mirror.patience(&timed(TimeControl::None)).allowed().unwrap().as_secs_f64();
    assert!((left - now).abs() < 1.0 && now <= left, "{left} then {now}: counted once");
}

/// It answers every ping, and will never move.
#[test]
fn a_search_that_would_lose_on_time_gets_a_legal_move() {
    let match_control = |main, limit| TimeControl::Match {
        main: Duration::from_secs(main),
        limit: Duration::from_secs(limit),
    };
    for (control, most) in [
        (TimeControl::Move(Duration::from_secs(1)), 1.0),
        (match_control(100, 1), 1.0),
        (match_control(2, 100), 2.0),
        (TimeControl::Absolute(Duration::from_secs(2)), 2.0),
    ] {
        let (launcher, log) = daemon(|_, command| match command {
            "genmove w" | "stop" => Manner::Silence,
            _ => obedient(command),
        });
        let begun = Instant::now();
        let events = run(&mut Client::new(launcher), timed(control), |_| ());
        assert_eq!(move_of(&events), Ok("e5"), "the middle");
        // What is expected is well before the limit; the test machine may be busy.
        let elapsed = begun.elapsed().as_secs_f64();
        assert!(elapsed > 0.6 * most, "{control}: {elapsed}");
        assert!(log.lock().unwrap().iter().any(|line| line == "stop"));
        assert_eq!(connections(&log), 1, "another daemon would not be in time");
    }
}

/// It was only starved, and answers the stopped search before the next one.
#[test]
fn a_daemon_that_was_too_late_once_is_kept_and_one_that_stays_silent_is_not() {
    for recovers in [true, false] {
        let (launcher, log) = daemon(move |connection, command| match (connection, command) {
            (0, "genmove w") => {
                std::thread::sleep(Duration::from_millis(if recovers { 700 } else { 3000 }));
                Manner::Reply("= a2")
            }
            (_, "genmove w" | "reg_genmove w") => Manner::Reply("= c3"),
            _ => obedient(command),
        });
        let mut client = Client::new(launcher);
        let events = run(&mut client, timed(TimeControl::Move(Duration::from_millis(300))), |_| ());
        assert_eq!(move_of(&events), Ok("e5"));
        std::thread::sleep(Duration::from_millis(900));
        let mut out = Vec::new();
        while let Ok(incoming) = client.incoming().try_recv() {
            client.take(Ok(incoming), &mut out);
        }
        assert_eq!(out, [], "a late answer is no answer to anything");
        let mut next = request(AFTER_A1);
        next.kind = SearchKind::RegGenMove;
        assert_eq!(move_of(&run(&mut client, next, |_| ())), Ok("c3"));
        let said = log.lock().unwrap().join("; ");
        assert_eq!(connections(&log), if recovers { 1 } else { 2 }, "{said}");
    }
}

#[test]
fn a_search_that_fails_inside_the_daemon_gets_a_move() {
    let (launcher, _) = daemon(|_, command| match command {
        "genmove w" => Manner::Reply("? internal error: the search failed"),
        _ => obedient(command),
    });
    assert_eq!(move_of(&run(&mut Client::new(launcher), request(AFTER_A1), |_| ())), Ok("e5"));
}

#[test]
fn an_analysis_that_never_ends_is_an_error_in_the_end() {
    let (launcher, log) = daemon(|_, command| match command {
        "ping" => Manner::Reply("= pong"),
        "stop" => Manner::Silence,
        _ if command.starts_with("analyze") => Manner::Silence,
        _ => obedient(command),
    });
    let mut endless = request(AFTER_A1);
    let limits = SearchLimits { time: Some(Duration::from_millis(100)), ..SearchLimits::default() };
    endless.kind = SearchKind::Analyze { interval: Duration::from_secs(1), limits };
    let events = run(&mut Client::new(launcher), endless, |_| ());
    assert_eq!(move_of(&events), Err("the engine is gone: the search did not stop"));
    assert!(log.lock().unwrap().iter().any(|line| line == "stop"));
}

#[test]
fn a_repeated_search_keeps_to_the_limit_of_its_move_and_the_next_one_has_it_in_full() {
    let (launcher, log) = daemon(|connection, command| match command {
        "genmove w" if connection == 0 => {
            std::thread::sleep(Duration::from_millis(400));
            Manner::HangUp
        }
        "genmove w" => Manner::Reply("= c3"),
        "reg_genmove w" => Manner::Reply("= d4"),
        _ => obedient(command),
    });
    let mut client = Client::new(launcher);
    let limit = Duration::from_secs(5);
    let control = TimeControl::Match { main: Duration::from_secs(100), limit };
    assert_eq!(move_of(&run(&mut client, timed(control), |_| ())), Ok("c3"));
    let mut next = timed(control);
    next.kind = SearchKind::RegGenMove;
    next.position.moves = [(Color::Black, "a1"), (Color::White, "c3"), (Color::Black, "b9")]
        .map(|(color, text)| (color, text.to_owned()))
        .to_vec();
    run(&mut client, next, |_| ());
    let said = log.lock().unwrap().clone();
    let controls: Vec<&String> = said.iter().filter(|line| line.starts_with("time_control ")).collect();
    let limits: Vec<f64> =
        controls.iter().map(|line| line.split(' ').nth(3).unwrap().parse().unwrap()).collect();
    assert!(matches!(limits[..], [a, b, c] if a == 5.0 && b < 4.7 && c == 5.0), "{controls:?}");
    let left = said.iter().rfind(|line| line.starts_with("time_left w ")).expect("the clock goes on");
    let left: f64 = left.split(' ').nth(2).unwrap().parse().unwrap();
    assert!((90.0..=99.6).contains(&left), "{left}");
}

#[test]
fn an_opening_is_watched_and_checked() {
    let opening = |launcher| {
        let mut opening = timed(TimeControl::Move(Duration::from_secs(1)));
        opening.position.setup = Setup::new(GameId::Gomoku);
        opening.position.moves.clear();
        opening.color = Color::Black;
        opening.kind = SearchKind::Opening(Opening::Swap2);
        run(&mut Client::new(launcher), opening, |_| ())
    };
    let (launcher, _) = daemon(|_, command| match command {
        "swap2" | "stop" => Manner::Silence,
        _ => obedient(command),
    });
    assert_eq!(move_of(&opening(launcher)).unwrap().split(' ').count(), 3);
    let (launcher, log) = daemon(|connection, command| match (connection, command) {
        (0, "swap2") => Manner::Reply("= h8 h8 i9"),
        (1, "swap2") => Manner::Reply("= h8 h9 i9 j9"),
        (_, "swap2") => Manner::Reply("= h8 h9 i10"),
        _ => obedient(command),
    });
    assert_eq!(move_of(&opening(launcher)), Ok("h8 h9 i10"));
    assert_eq!(connections(&log), 3);
}

/// Seen on a busy machine: it was killed after 0.4 s of a turn of a second.
#[test]
fn a_daemon_starved_of_processor_time_is_not_taken_for_dead() {
    let (launcher, log) = daemon(|_, command| match command {
        "genmove w" => {
            std::thread::sleep(Duration::from_millis(900));
            Manner::Reply("= c3")
        }
        _ => obedient(command),
    });
    let request = timed(TimeControl::Move(Duration::from_secs(2)));
    assert_eq!(move_of(&run(&mut Client::new(launcher), request, |_| ())), Ok("c3"));
    assert_eq!(connections(&log), 1);
}

#[test]
fn a_silent_daemon_is_replaced_within_the_time_of_the_move() {
    let (launcher, _) = daemon(|connection, command| match (connection, command) {
        (0, "genmove w" | "ping") => Manner::Silence,
        (_, "genmove w") => Manner::Reply("= c3"),
        _ => obedient(command),
    });
    let begun = Instant::now();
    let request = timed(TimeControl::Absolute(Duration::from_secs(4)));
    assert_eq!(move_of(&run(&mut Client::new(launcher), request, |_| ())), Ok("c3"));
    assert!(begun.elapsed() < Duration::from_secs(3), "{:?}", begun.elapsed());
}

#[test]
#[cfg(unix)]
fn a_daemon_out_of_reach_for_a_moment_is_reached_again() {
    use std::os::unix::net::UnixListener;
    fn serve(listener: UnixListener, mv: Option<&str>) {
        let (mut stream, _) = listener.accept().unwrap();
        drop(listener);
        for line in BufReader::new(stream.try_clone().unwrap()).lines() {
            let line = line.unwrap();
            let (id, command) = line.split_once(' ').unwrap();
            match (command, mv) {
                ("genmove w", None) => return,
                ("genmove w", Some(mv)) => write!(stream, "={id} {mv}\n\n").unwrap(),
                _ => write!(stream, "={id} \n\n").unwrap(),
            }
        }
    }
    let path = std::env::temp_dir().join(format!("tengen-client-{}", std::process::id()));
    let listener = UnixListener::bind(&path).unwrap();
    let bound = path.clone();
    std::thread::spawn(move || {
        serve(listener, None);
        std::fs::remove_file(&bound).unwrap();
        std::thread::sleep(Duration::from_millis(700));
        serve(UnixListener::bind(&bound).unwrap(), Some("c3"));
    });
    let events = run(&mut Client::new(Launcher::Unix(path.clone())), request(AFTER_A1), |_| ());
    std::fs::remove_file(path).unwrap();
    assert_eq!(move_of(&events), Ok("c3"));
}

#[test]
fn a_daemon_that_has_lost_the_thread_is_told_everything_anew() {
    let (launcher, log) = daemon(|_, command| match command {
        "play b b2" => Manner::Reply("? illegal move: occupied"),
        _ => obedient(command),
    });
    let mut client = Client::new(launcher);
    run(&mut client, request(&[(Color::Black, "a1")]), |_| ());
    let longer = [(Color::Black, "a1"), (Color::White, "e5"), (Color::Black, "b2")];
    let events = run(&mut client, request(&longer), |_| ());
    assert_eq!(move_of(&events), Err("illegal move: occupied"));
    let said = log.lock().unwrap().join("; ");
    let anew = "info on; newgame nogo size 9 rules standard; play b a1; play w e5; play b b2";
    assert!(said.ends_with(&format!("genmove w; play b b2; {anew}")), "{said}");
}

#[test]
fn a_search_stopped_before_it_began_is_stopped_when_it_begins() {
    let (launcher, log) = daemon(|_, command| match command {
        "genmove w" => Manner::Silence,
        _ => obedient(command),
    });
    let mut client = Client::new(launcher);
    let mut events = Vec::new();
    client.search(request(AFTER_A1), &mut events);
    client.stop();
    client.stop();
    while events.is_empty() {
        let incoming = client.incoming().recv_timeout(Duration::from_secs(20)).unwrap();
        client.take(Ok(incoming), &mut events);
    }
    assert_eq!(events, [Event::Started]);
    // The reply to the stop is no answer to the search.
    let incoming = client.incoming().recv_timeout(Duration::from_secs(20)).unwrap();
    client.take(Ok(incoming), &mut events);
    assert_eq!(events, [Event::Started]);
    assert!(log.lock().unwrap().join("; ").ends_with("genmove w; stop"));
    client.search(request(AFTER_A1), &mut events);
    assert_eq!(events.last(), Some(&Event::Done(Err("a search is under way".into()))));
}

#[test]
fn reports_come_whole_and_before_the_answer() {
    const LINES: &[&str] = &[
        "depth 1 multipv 1 pv a1",
        "depth 1 multipv 2 pv b1",
        "depth 2 multipv 1 pv a1",
        "depth 2 multipv 2 pv b1",
    ];
    let (launcher, _) = daemon(|_, command| match command {
        "genmove w" => Manner::InfoThen(LINES, "= E5"),
        _ => obedient(command),
    });
    let events = run(&mut Client::new(launcher), request(AFTER_A1), |_| ());
    let shape: Vec<usize> =
        events.iter().map(|event| if let Event::Report(lines) = event { lines.len() } else { 0 }).collect();
    assert_eq!(shape, [0, 2, 2, 0]);
    assert_eq!(move_of(&events), Ok("e5"));
}

#[test]
fn thinking_on_the_opponents_time_is_stopped_once() {
    let (launcher, log) = daemon(|_, command| obedient(command));
    let mut client = Client::new(launcher);
    client.stop();
    let mut pondering = request(AFTER_A1);
    pondering.options.push(("ponder".into(), "on".into()));
    run(&mut client, pondering, |_| ());
    client.stop();
    client.stop();
    // The next search shows that all has arrived.
    run(&mut client, request(AFTER_A1), |_| ());
    let said = log.lock().unwrap().join("; ");
    assert!(said.ends_with("genmove w; stop; undo 1; genmove w"), "{said}");
}

#[test]
fn nobody_there_is_an_error_at_once() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    drop(listener);
    let events = run(&mut Client::new(Launcher::Tcp(address)), request(AFTER_A1), |_| ());
    assert!(move_of(&events).unwrap_err().starts_with("cannot connect to 127.0.0.1:"), "{events:?}");
}

fn seconds_to_the_end(client: &mut Client, at_start: impl FnMut(&mut Client)) -> (Vec<Event>, f64) {
    let begun = Instant::now();
    let events = run(client, request(AFTER_A1), at_start);
    (events, begun.elapsed().as_secs_f64())
}

#[test]
fn a_daemon_silent_from_the_start_is_given_up_at_once() {
    let (launcher, log) = daemon(|_, _| Manner::Silence);
    let (events, seconds) = seconds_to_the_end(&mut Client::new(launcher), |_| ());
    assert_eq!(move_of(&events), Err("the engine is gone: it does not answer"));
    assert!((4.9..9.0).contains(&seconds), "{seconds}");
    assert_eq!(log.lock().unwrap().iter().filter(|line| *line == "--").count(), 1);
}

#[test]
fn a_daemon_that_falls_silent_is_replaced() {
    let (launcher, _) = daemon(|connection, command| match (connection, command) {
        (0, "genmove w" | "ping") => Manner::Silence,
        _ => obedient(command),
    });
    let (events, seconds) = seconds_to_the_end(&mut Client::new(launcher), |_| ());
    assert_eq!(move_of(&events), Ok("e5"));
    assert!((4.9..10.0).contains(&seconds), "{seconds}");
}

#[test]
fn a_search_that_does_not_stop_gets_a_legal_move() {
    let (launcher, log) = daemon(|_, command| match command {
        "genmove w" => Manner::Silence,
        _ => obedient(command),
    });
    let (events, seconds) = seconds_to_the_end(&mut Client::new(launcher), Client::stop);
    assert_eq!(move_of(&events), Ok("e5"), "the middle");
    assert!((3.9..9.0).contains(&seconds), "{seconds}");
    let said = log.lock().unwrap().join("; ");
    assert!(said.contains("genmove w; stop; ping"), "{said}");
}

#[test]
fn a_silent_daemon_is_not_waited_for_when_leaving() {
    let (launcher, _) = daemon(|_, command| match command {
        "genmove w" | "ping" => Manner::Silence,
        _ => obedient(command),
    });
    let mut client = Client::new(launcher);
    let (events, seconds) = seconds_to_the_end(&mut client, Client::leave);
    assert_eq!(move_of(&events), Ok("e5"), "the middle");
    assert!((1.7..4.0).contains(&seconds), "{seconds}");
    let (events, seconds) = seconds_to_the_end(&mut client, |_| ());
    assert_eq!(move_of(&events), Ok("e5"));
    assert!(seconds < 1.0, "{seconds}");
}

/// Match runners stop all processes of a bot while its opponent thinks; the time nobody watched does not
/// count as the daemon's silence.
#[test]
fn a_pause_of_the_adapter_is_no_silence_of_the_daemon() {
    let (launcher, log) = daemon(|_, command| match command {
        "genmove w" => Manner::Silence,
        _ => Manner::Reply("="),
    });
    let mut client = Client::new(launcher);
    let mut events = Vec::new();
    client.search(request(&[]), &mut events);
    while !events.contains(&Event::Started) {
        let incoming = client.incoming().recv_timeout(Duration::from_secs(10)).unwrap();
        client.take(Ok(incoming), &mut events);
    }
    let patience = Patience::default();
    std::thread::sleep(patience.ping_every() + patience.silence() + Duration::from_millis(200));
    client.tick(&mut events);
    assert_eq!(events, [Event::Started]);
    let pong = client.incoming().recv_timeout(Duration::from_secs(10)).unwrap();
    client.take(Ok(pong), &mut events);
    assert!(client.deadline().unwrap() > Instant::now());
    let log = log.lock().unwrap();
    assert_eq!(log.iter().filter(|line| *line == "--").count(), 1, "{log:?}");
    assert_eq!(log.last().map(String::as_str), Some("ping"));
}
