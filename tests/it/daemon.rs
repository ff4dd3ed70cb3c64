//! The daemon as a process: order, stop, ping, end of input, bad input, sockets.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use crate::harness::{PATIENCE, Process};

/// The next reply as it was framed: its first line, with the mark and id.
fn framed(engine: &mut Process) -> String {
    loop {
        let line = engine.hear();
        if line.starts_with(['=', '?']) {
            while !engine.hear().is_empty() {}
            return line;
        }
    }
}

/// Field bugs 21 and 23.
#[test]
fn stop_and_ping_are_answered_during_a_search() {
    let mut engine = Process::engine(&[]);
    engine.ok("newgame nogo");
    engine.ok("time_control move 3600");
    engine.tell("1 genmove b");
    for id in 2..5 {
        engine.tell(&format!("{id} ping"));
        assert_eq!(framed(&mut engine), format!("={id} pong"), "before the reply of the search");
    }
    let asked = Instant::now();
    engine.tell("5 stop");
    assert!(framed(&mut engine).starts_with("=1 "), "the search answers first");
    assert_eq!(framed(&mut engine).trim_end(), "=5");
    assert!(asked.elapsed() < PATIENCE / 2, "the search ended at once");
    assert!(engine.ok("history").starts_with("b "), "the move was played");
}

/// Field bug 15.
#[test]
fn commands_wait_for_a_bounded_search_and_stop_reaches_those_before_it() {
    let mut engine = Process::engine(&["--nodes", "300"]);
    engine.tell("1 newgame gomoku\n2 genmove\n3 genmove\n4 history\n5 turn");
    let replies: Vec<String> = (0..5).map(|_| framed(&mut engine)).collect();
    let ids: Vec<&str> = replies.iter().map(|reply| &reply[..2]).collect();
    assert_eq!(ids, ["=1", "=2", "=3", "=4", "=5"]);
    assert_eq!(replies[3].matches(['b', 'w']).count().min(2), 2, "{}", replies[3]);
    assert_eq!(replies[4], "=5 black");
    engine.ok("set nodes 0");
    engine.ok("time_control move 3600");
    engine.tell("6 genmove\n7 genmove\n8 stop");
    assert!(framed(&mut engine).starts_with("=6 "));
    assert!(framed(&mut engine).starts_with("=7 "));
    assert_eq!(framed(&mut engine).trim_end(), "=8");
}

#[test]
fn any_command_ends_an_analysis_but_ping() {
    let mut engine = Process::engine(&["--multipv", "3"]);
    engine.ok("newgame othello");
    engine.ok("play f5");
    engine.tell("1 analyze 0.05");
    assert!(engine.hear().starts_with("info "));
    engine.tell("2 ping");
    assert_eq!(framed(&mut engine), "=2 pong");
    assert!(engine.hear().starts_with("info "), "goes on after ping");
    engine.tell("3 turn");
    assert!(framed(&mut engine).starts_with("=1 "));
    assert_eq!(framed(&mut engine), "=3 white");
    assert_eq!(engine.ok("history"), "b f5", "analysis plays nothing");
}

#[test]
fn a_command_behind_a_queued_analysis_ends_it() {
    let mut engine = Process::engine(&["--nodes", "2000"]);
    engine.tell("newgame nogo\n1 genmove\n2 analyze 0.5\n3 name");
    framed(&mut engine);
    assert!(framed(&mut engine).starts_with("=1 "));
    assert!(framed(&mut engine).starts_with("=2 "));
    assert_eq!(framed(&mut engine), "=3 Tengen");
}

#[cfg(unix)]
#[test]
fn a_peer_that_no_longer_listens_ends_the_engine() {
    use std::process::{Command, Stdio};
    let script =
        "(echo newgame nogo; echo analyze 0.1; sleep 1; echo ping; sleep 1; echo ping; sleep 1) | \"$0\"";
    let mut shell = Command::new("sh")
        .args(["-c", script, env!("CARGO_BIN_EXE_test-engine")])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut output = shell.stdout.take().unwrap();
    let mut first = [0];
    output.read_exact(&mut first).unwrap();
    drop(output);
    let end = Instant::now() + PATIENCE;
    while shell.try_wait().unwrap().is_none() {
        assert!(Instant::now() < end, "the engine goes on for nobody");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Field bug 30.
#[test]
fn the_end_of_input_finishes_what_was_asked() {
    let mut engine = Process::engine(&["--nodes", "500"]);
    engine.tell_bytes(b"newgame amazons size 6\ngenmove w\nhistory");
    let (status, rest) = engine.finish();
    assert!(status.success());
    let replies = rest.iter().filter(|line| line.starts_with('=')).count();
    assert_eq!(replies, 3, "{rest:?}");
    assert!(rest.iter().any(|line| line.starts_with("= w ")), "{rest:?}");
}

/// Field bug 31.
#[test]
fn the_end_of_input_ends_pondering_and_analysis() {
    for last in ["genmove b", "analyze 3600"] {
        let mut engine = Process::engine(&["--ponder", "on", "--nodes", "300"]);
        engine.tell(&format!("newgame nogo\n{last}"));
        let (status, rest) = engine.finish();
        assert!(status.success(), "{last}: {status}");
        assert_eq!(rest.iter().filter(|line| line.starts_with('=')).count(), 2, "{last}: {rest:?}");
    }
}

#[test]
fn quit_is_answered_in_order() {
    let mut engine = Process::engine(&["--nodes", "300"]);
    engine.tell("newgame othello\n1 genmove b\n2 quit\n3 name");
    framed(&mut engine);
    assert!(framed(&mut engine).starts_with("=1 "));
    assert_eq!(framed(&mut engine).trim_end(), "=2");
    assert!(engine.wait().success());
}

#[test]
fn bad_input_gets_an_error_and_changes_nothing() {
    let mut engine = Process::engine(&[]);
    engine.ok("newgame nogo size 5");
    engine.ok("play b c3");
    let before = (engine.ok("position"), engine.ok("history"), engine.ok("options"));
    for command in [
        "play b c3",
        "play w c3",
        "play b a1",
        "play w f1",
        "play w i3",
        "play w pass",
        "play w resign",
        "play x a1",
        "play",
        "play w a1 b2",
        "undo 2",
        "undo -1",
        "undo 99999999999999999999",
        "newgame",
        "newgame nogo size 20",
        "newgame nogo size 0x3",
        "newgame nogo size 5 hole=2021",
        "newgame nogo centre=maybe",
        "newgame othello size 7",
        "newgame nogo size",
        "position x",
        "position 5/5/5/5/5",
        "position 5/5/5/5/5/5 b",
        "position 6/5/5/5/5 b",
        "position XO3/5/5/5/5 w",
        "position 5/5/5/5/4# b",
        "position 5/5/5/5/5 b x=1",
        "set threads 0",
        "set threads 257",
        "set nosuch 1",
        "set hash",
        "time_control",
        "time_control move -x",
        "time_left b",
        "time_settings 1 2",
        "genmove b",
        "genmove x",
        "analyze x",
        "ponder",
        "info maybe",
        "solve nodes x",
        "solve maybe",
        "legal_moves x",
        "known_command",
        "\u{fffd}",
        "99999999999 name",
    ] {
        let reply = engine.ask(command);
        let error = reply.expect_err(command);
        assert!(!error.is_empty() && !error.contains('\n'), "{command}: {error:?}");
    }
    assert_eq!((engine.ok("position"), engine.ok("history"), engine.ok("options")), before);
}

#[test]
fn odd_bytes_and_long_lines_do_no_harm() {
    let mut engine = Process::engine(&[]);
    engine.tell_bytes(b"\x00\x01\r\n\xff\xfe name\n1\tname\x00\x07\r\n");
    assert_eq!(framed(&mut engine), "? unknown command");
    assert_eq!(framed(&mut engine), "=1 Tengen");
    let mut long = vec![b'x'; 8 << 20];
    long.extend_from_slice(b"\n2 name\n");
    engine.tell_bytes(&long);
    assert!(framed(&mut engine).starts_with("? line too long"));
    assert_eq!(framed(&mut engine), "=2 Tengen");
}

#[test]
fn a_flood_behind_a_search_is_answered_in_order() {
    let mut engine = Process::engine(&[]);
    engine.ok("newgame nogo");
    engine.ok("time_control move 1");
    let mut flood = String::from("0 genmove b\n");
    for id in 1..=6000 {
        flood.push_str(&format!("{id} turn\n"));
    }
    let handle = std::thread::spawn(move || flood);
    let flood = handle.join().unwrap();
    engine.tell_bytes(flood.as_bytes());
    for id in 0..=6000 {
        let reply = framed(&mut engine);
        assert!(reply.starts_with(&format!("={id} ")), "{id}: {reply}");
    }
}

/// Field bugs 41 and 48.
#[test]
fn finished_games_are_answered_from_the_rules() {
    let mut engine = Process::engine(&["--nodes", "100"]);
    engine.ok("newgame nogo size 1");
    assert_eq!(engine.ok("genmove b"), "resign");
    assert_eq!(engine.ok("result"), "white+1 (no legal move)");
    assert_eq!(engine.ok("solve").split(' ').take(2).collect::<Vec<_>>(), ["status", "loss"]);
    assert!(engine.ask("analyze").is_err());
    engine.ok("newgame othello");
    engine.ok("position 8/8/3X4/3XX3/3XX3/8/8/8 w");
    assert!(engine.ok("result").starts_with("black+64"), "{}", engine.ok("result"));
    assert_eq!(engine.ok("genmove w"), "pass");
    assert_eq!(engine.ok("history"), "");
}

#[test]
fn an_implied_pass_is_played_and_taken_back() {
    let mut engine = Process::engine(&["--nodes", "100"]);
    engine.ok("newgame othello");
    engine.ok("position XXXXXX../OXXXXXXX/XOXXXOXX/XXOXXXXX/XXOOXOXX/XOXOXXOX/XOOXXOOX/XOXXXXXX b");
    assert_eq!(engine.ok("legal_moves"), "pass");
    assert_eq!(engine.ok("genmove b"), "pass");
    assert_eq!(engine.ok("history"), "b pass");
    engine.ok("undo");
    let mv = engine.ok("reg_genmove w");
    assert_ne!(mv, "pass");
    assert_eq!(engine.ok("history"), "", "nothing was played");
    engine.ok(&format!("play w {mv}"));
    assert_eq!(engine.ok("history"), format!("b pass w {mv}"));
}

#[test]
fn sockets_serve_several_sessions_of_their_own() {
    let mut daemon = Process::engine(&["--listen", "tcp:127.0.0.1:0", "--nodes", "200"]);
    let line = daemon.hear();
    let address = line.strip_prefix("listening tcp:").expect("the address").to_owned();
    let mut peers: Vec<TcpStream> =
        (0..4).map(|_| TcpStream::connect(&address).expect("a connection")).collect();
    for (i, peer) in peers.iter_mut().enumerate() {
        peer.set_read_timeout(Some(PATIENCE)).unwrap();
        let game = ["nogo", "gomoku", "othello", "amazons"][i];
        write!(peer, "newgame {game}\ngenmove\nposition\n").unwrap();
    }
    for (i, peer) in peers.iter_mut().enumerate() {
        writeln!(peer, "quit").unwrap();
        let mut text = String::new();
        peer.read_to_string(&mut text).unwrap();
        assert_eq!(text.matches("\n\n").count(), 4, "session {i}: {text}");
        assert!(!text.contains('?'), "session {i}: {text}");
    }
    let gone = TcpStream::connect(&address).expect("still listening");
    drop(gone);
    let mut again = TcpStream::connect(&address).expect("still listening");
    write!(again, "name\nquit\n").unwrap();
    let mut text = String::new();
    again.set_read_timeout(Some(PATIENCE)).unwrap();
    again.read_to_string(&mut text).unwrap();
    assert_eq!(text, "= Tengen\n\n= \n\n");
}

#[cfg(unix)]
#[test]
fn a_unix_socket_is_replaced_when_nobody_serves_it() {
    use std::os::unix::net::UnixStream;
    let path = std::env::temp_dir().join(format!("tengen-test-{}.sock", std::process::id()));
    let address = format!("unix:{}", path.display());
    for _ in 0..2 {
        let mut daemon = Process::engine(&["--listen", &address]);
        assert_eq!(daemon.hear(), format!("listening {address}"));
        let mut peer = UnixStream::connect(&path).expect("a connection");
        peer.set_read_timeout(Some(PATIENCE)).unwrap();
        write!(peer, "ping\nquit\n").unwrap();
        let mut text = String::new();
        peer.read_to_string(&mut text).unwrap();
        assert_eq!(text, "= pong\n\n= \n\n");
        // Killed, it leaves its socket behind.
    }
    std::fs::remove_file(&path).unwrap();
}

#[test]
fn a_peer_that_stops_reading_does_not_stop_the_others() {
    let mut daemon = Process::engine(&["--listen", "tcp:127.0.0.1:0"]);
    let address = daemon.hear().strip_prefix("listening tcp:").expect("the address").to_owned();
    let mut deaf = TcpStream::connect(&address).unwrap();
    deaf.set_write_timeout(Some(Duration::from_millis(500))).unwrap();
    let burst = "options\n".repeat(200_000);
    let _blocked = deaf.write_all(burst.as_bytes());
    let mut other = TcpStream::connect(&address).unwrap();
    other.set_read_timeout(Some(PATIENCE)).unwrap();
    write!(other, "ping\nquit\n").unwrap();
    let mut text = String::new();
    other.read_to_string(&mut text).unwrap();
    assert_eq!(text, "= pong\n\n= \n\n");
}

#[test]
fn wrong_command_lines_are_refused_in_words() {
    for args in [
        &["--threads", "0"][..],
        &["--listen", "nowhere"],
        &["--nosuch"],
        &["perft", "chess", "1"],
        &["perft", "nogo", "x"],
        &["perft", "nogo", "2", "--size", "99"],
    ] {
        let output =
            std::process::Command::new(env!("CARGO_BIN_EXE_test-engine")).args(args).output().unwrap();
        assert!(!output.status.success(), "{args:?}");
        assert!(output.stdout.is_empty() && !output.stderr.is_empty(), "{args:?}");
        assert!(!String::from_utf8_lossy(&output.stderr).contains("panicked"), "{args:?}");
    }
}
