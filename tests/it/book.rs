//! The opening book in play.

use std::collections::BTreeSet;

use tengen_engine::experts::othello::book::{Book, Entry, Known, Leaf, book, fold};
use tengen_engine::game::{Game as _, Move};
use tengen_engine::games::othello::Othello;
use tengen_engine::games::othello::board::Standard;

use crate::harness::Process;

/// The nodes of the last search.
fn nodes(engine: &mut Process) -> u64 {
    let stats = engine.ok("stats");
    stats.split(' ').nth(1).and_then(|nodes| nodes.parse().ok()).unwrap_or_else(|| panic!("{stats}"))
}

#[test]
fn a_book_move_with_a_clock_and_a_search_without_the_book() {
    let mut engine = Process::engine(&[]);
    engine.ok("newgame othello");
    engine.ok("time_control absolute 20");
    engine.ok("info on");
    engine.tell("genmove b");
    let info = engine.hear();
    assert!(info.contains(" nodes 0 ") && info.contains(" multipv 1 pv "), "{info}");
    let value = book().probe(0x0000_0008_1000_0000, 0x0000_0010_0800_0000).unwrap()[0].value;
    assert!(info.contains(&format!(" score {value}.00 ")), "{info}");
    let first = engine.reply().unwrap();
    assert_eq!(nodes(&mut engine), 0);
    assert!(info.contains(&format!(" pv {first} ")), "{info}");
    engine.ok("undo");
    engine.ok("time_control none");
    engine.ok("set move_time 50");
    engine.ok("genmove b");
    assert_eq!(nodes(&mut engine), 0, "with a time for the move too");
    engine.ok("undo");
    for (set, unset) in [
        ("book off", "book on"),
        ("level 19", "level 20"),
        ("nodes 500", "nodes 0"),
        ("depth 2", "depth 0"),
        ("algorithm alphabeta", "algorithm auto"),
    ] {
        engine.ok(&format!("set {set}"));
        engine.ok("genmove b");
        assert!(nodes(&mut engine) > 0, "{set}");
        engine.ok("undo");
        engine.ok(&format!("set {unset}"));
    }
    engine.ok("analyze 1 nodes 500");
    assert!(nodes(&mut engine) > 0, "an analysis searches");
    engine.ok("reg_genmove b");
    assert_eq!(nodes(&mut engine), 0);
    engine.ok("newgame othello size 6");
    engine.ok("genmove b");
    assert!(nodes(&mut engine) > 0, "6x6 has no book");
}

#[test]
fn the_seed_draws_among_moves_within_the_loss() {
    let mut engine = Process::engine(&[]);
    engine.ok("newgame othello");
    engine.ok("play f5");
    let mut position = Othello::<Standard>::start();
    position.play(Move::new(37));
    let choices = book().probe(position.own(), position.opp()).unwrap();
    let square = |text: &str| u32::from(text.as_bytes()[0] - b'a') + 8 * u32::from(text.as_bytes()[1] - b'1');
    for loss in [0, 16] {
        engine.ok(&format!("set book_loss {loss}"));
        let mut replies = BTreeSet::new();
        for seed in 0..40 {
            engine.ok(&format!("set seed {seed}"));
            let reply = engine.ok("reg_genmove w");
            assert_eq!(engine.ok("reg_genmove w"), reply, "the same seed, the same move");
            replies.insert(square(&reply));
        }
        let links = choices.iter().filter(|choice| matches!(choice.known, Known::Link(_)));
        let within = links.filter(|choice| choices[0].value - choice.value <= loss);
        assert_eq!(replies, within.map(|choice| choice.square).collect(), "{loss}");
    }
}

/// A book of the start and of what follows one move, with these values.
fn small(value: i8) -> Book {
    let start = Othello::<Standard>::start();
    let mut next = start;
    next.play(Move::new(37));
    let mut book = Book::default();
    for position in [start, next] {
        let (own, opp) = fold(position.own(), position.opp());
        let leaf = (position != start).then(|| {
            let square =
                Othello::<Standard>::new(own, opp, position.turn()).mobility().trailing_zeros() as u8;
            Leaf { square, value, depth: 7, selectivity: 0 }
        });
        book.insert([Entry { own, opp, value: 0, leaf }]);
    }
    book.settle();
    book.check().expect("a sound book");
    book
}

#[test]
fn another_book_is_named_on_the_command_line() {
    let folder = std::env::temp_dir().join(format!("tengen-book-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join("small.bin");
    let flag = format!("othello={}", path.display());
    std::fs::write(&path, small(-33).encode()).unwrap();
    let mut engine = Process::engine(&["--book-file", &flag]);
    engine.ok("newgame othello");
    engine.ok("info on");
    engine.tell("genmove b");
    let info = engine.hear();
    assert!(info.starts_with("info depth 8 nodes 0 ") && info.contains(" score 33.00 "), "{info}");
    engine.reply().unwrap();
    engine.ok("set move_time 50");
    engine.ok("genmove w");
    assert!(nodes(&mut engine) > 0, "the move leaves the book: it is searched");

    let mut damaged = std::fs::read(&path).unwrap();
    *damaged.last_mut().unwrap() ^= 1;
    std::fs::write(&path, damaged).unwrap();
    for (value, problem) in [
        (flag.as_str(), "small.bin: wrong checksum"),
        ("othello=/nonexistent", "os error 2"),
        ("nogo=x", "this game has no opening book"),
        ("chess=x", "no such game"),
        ("x", "expected GAME=FILE"),
    ] {
        let output = std::process::Command::new(env!("CARGO_BIN_EXE_test-engine"))
            .args(["--book-file", value])
            .stdin(std::process::Stdio::null())
            .output()
            .unwrap();
        let error = String::from_utf8(output.stderr).unwrap();
        assert!(!output.status.success() && output.stdout.is_empty());
        assert!(error.starts_with("error: --book-file ") && error.contains(problem), "{error}");
        assert_eq!(error.lines().count(), 1, "{error}");
    }
    std::fs::remove_dir_all(&folder).unwrap();
}
