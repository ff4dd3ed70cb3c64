use clap::Parser;
use tengen_engine::game::random;
use tengen_engine::games::{self, Setup};

use super::*;
use crate::data::Kind;
use crate::data::game::tests::random_games;
use crate::data::tests::Scratch;

#[derive(Parser)]
struct Cli {
    #[command(subcommand)]
    task: Task,
}

/// Runs `book` with these words, in which `@` stands for the folder.
fn book(folder: &Path, words: &str) -> Result<String, String> {
    let words = words.replace('@', &folder.display().to_string());
    let cli = Cli::try_parse_from(std::iter::once("book").chain(words.split(' ')))
        .map_err(|error| error.to_string())?;
    let mut report = Vec::new();
    run(&cli.task, &mut report)?;
    Ok(String::from_utf8(report).unwrap())
}

fn bytes(folder: &Path, name: &str) -> Vec<u8> {
    fs::read(folder.join(name)).unwrap()
}

#[test]
fn a_book_grows_the_same_however_it_is_made() {
    let scratch = Scratch::new("book-grow");
    let folder = &scratch.0;
    let grow = |words: &str| book(folder, &format!("grow {words} --depth 4 --hash 1")).unwrap();
    let report = grow("@/one --positions 300");
    assert!(report.contains("leaves of depth 4 to 4"), "{report}");
    let made = read(&folder.join("one")).unwrap();
    assert!((300..308).contains(&made.entries().len()), "{report}");
    made.check().unwrap();
    grow("@/two --positions 300 --jobs 3");
    assert_eq!(bytes(folder, "one"), bytes(folder, "two"));
    // Gone on with, in the same file and in another one.
    grow("@/three --positions 100");
    let part = bytes(folder, "three");
    grow("@/three --positions 300 --out @/four");
    assert_eq!(bytes(folder, "three"), part);
    assert_eq!(bytes(folder, "four"), bytes(folder, "one"));
    grow("@/three --positions 200 --out @/five");
    grow("@/three --positions 300 --out @/five");
    assert_eq!(bytes(folder, "five"), bytes(folder, "one"));
    grow("@/six --positions 300 --seed 2");
    assert_ne!(bytes(folder, "six"), bytes(folder, "one"));

    let checked = book(folder, "check @/one").unwrap();
    assert!(checked.contains("leaves of depth 4 to 4, 0 of them solved, start "), "{checked}");
    let record: toml::Table = fs::read_to_string(folder.join("one.toml")).unwrap().parse().unwrap();
    let command = "tengen-tools book grow --depth 4 --hash 1 --error 16 --ply 1 --seed 1";
    assert_eq!(record["commands"].as_array().unwrap(), &[toml::Value::from(command)]);
    assert_eq!(record["positions"].as_integer(), Some(made.entries().len() as i64));
    let plies = record["plies"].as_array().unwrap();
    assert_eq!(plies[..3], [1, 1, 3].map(toml::Value::from));
    let shown = book(folder, "show @/one f5d6 c3").unwrap();
    assert!(shown.lines().next().unwrap().ends_with(" w"), "{shown}");
    assert!(
        shown.lines().skip(1).all(|line| line.ends_with("book") || line.ends_with("leaf, depth 4 at 73 %"))
    );
    let error = book(folder, "show @/one f5 d6 a1").unwrap_err();
    assert_eq!(error, "move 3 (a1): illegal move: no disc is flipped");
    assert!(book(folder, "show @/one f5d").unwrap_err().contains("move 2: \"d\" is no move"));
}

#[test]
fn deeper_searches_take_the_place_of_shallow_ones() {
    let scratch = Scratch::new("book-deepen");
    book(&scratch.0, "grow @/book --depth 2 --positions 60").unwrap();
    let report = book(&scratch.0, "grow @/book --depth 5 --positions 60").unwrap();
    assert!(report.contains("leaves of depth 5 to 5"), "{report}");
    read(&scratch.0.join("book")).unwrap().check().unwrap();
}

#[test]
fn positions_that_games_have_in_common_are_added() {
    let scratch = Scratch::new("book-add");
    let folder = &scratch.0;
    let text = "# two that agree on four plies, and a mirror image of the first\n\
                f5d6c3d3c4\n\nF5 d6, C3 d3 e3\nd3 c5 f6 f5 e6\n";
    fs::write(folder.join("games.txt"), text).unwrap();
    let report = book(folder, "add @/book @/games.txt --depth 3 --plies 4 --times 3").unwrap();
    assert!(report.contains("3 games, 5 positions added"), "{report}");
    let report = book(folder, "add @/book @/games.txt --depth 3 --times 2").unwrap();
    assert!(report.contains("3 games, 1 positions added"), "{report}");
    let report = book(folder, "add @/book @/games.txt --depth 3 --times 1").unwrap();
    assert!(report.contains("3 games, 1 positions added"), "{report}");
    read(&folder.join("book")).unwrap().check().unwrap();
    let record: toml::Table = fs::read_to_string(folder.join("book.toml")).unwrap().parse().unwrap();
    let commands = record["commands"].as_array().unwrap();
    assert_eq!(commands.len(), 3);
    let last = "tengen-tools book add --depth 3 --hash 8 --plies 20 --times 1 games.txt";
    assert_eq!(commands[2].as_str(), Some(last));
    let mut position = Othello::<Standard>::start();
    let made = read(&folder.join("book")).unwrap();
    play(&mut position, "f5d6c3d3e3", |position| {
        assert!(made.find(position.own(), position.opp()).is_some());
    })
    .unwrap();
    // A book that grew from games goes on growing from the start.
    book(folder, "grow @/book --depth 3 --positions 100").unwrap();
    read(&folder.join("book")).unwrap().check().unwrap();

    fs::write(folder.join("bad.txt"), "f5d6\n\nf5d6c4f6\n").unwrap();
    let error = book(folder, "add @/book @/bad.txt --depth 3").unwrap_err();
    assert!(error.contains("bad.txt: line 3: move 4 (f6): illegal move: "), "{error}");
}

#[test]
fn whole_games_of_chunks_are_added() {
    let scratch = Scratch::new("book-chunks");
    let chunk = random_games("othello size 8", 3);
    chunk.write(&scratch.0.join(Kind::Games.name(0))).unwrap();
    book(&scratch.0, "add @/book @ --depth 2 --plies 60 --times 1").unwrap();
    let made = read(&scratch.0.join("book")).unwrap();
    made.check().unwrap();
    let mut referee = games::referee(Setup::parse(["othello"]).unwrap()).unwrap();
    for game in &chunk.games {
        let mut position = Othello::<Standard>::start();
        game.replay(&mut *referee, |_, ply, _| {
            assert_eq!(made.find(position.own(), position.opp()).is_some(), ply.mv != Move::PASS);
            position.play(ply.mv);
        })
        .unwrap();
    }
    random_games("othello size 6", 1).write(&scratch.0.join(Kind::Games.name(0))).unwrap();
    let error = book(&scratch.0, "add @/book @ --depth 2").unwrap_err();
    assert!(error.contains("games-000000.tgg: games of othello size 6"), "{error}");
}

#[test]
fn passes_may_be_left_out_or_written() {
    let mut rng = random::rng(1);
    let mut passes = 0;
    for _ in 0..50 {
        let mut position = Othello::<Standard>::start();
        let (mut short, mut long) = (String::new(), String::new());
        let mut moves = Vec::new();
        while position.outcome().is_none() {
            moves.clear();
            position.moves(&mut moves);
            let mv = moves[random::below(&mut rng, moves.len() as u32) as usize];
            long += &position.move_text(mv);
            if mv == Move::PASS {
                passes += 1;
            } else {
                short += &position.move_text(mv);
            }
            position.play(mv);
        }
        for text in [&short, &long, &long.replace("pass", " PS "), &long.replace("pass", ", --,")] {
            let mut replayed = Othello::<Standard>::start();
            play(&mut replayed, text, |_| {}).unwrap();
            assert_eq!(replayed, position, "{text}");
        }
    }
    assert!(passes > 10);
}

#[test]
fn books_that_do_not_fit_are_refused() {
    let scratch = Scratch::new("book-other");
    let folder = &scratch.0;
    book(folder, "grow @/book --depth 2 --positions 20").unwrap();
    let made = read(&folder.join("book")).unwrap();
    let mut other = made.clone();
    other.weights = 7;
    write(&folder.join("other"), &other).unwrap();
    let error = book(folder, "grow @/other --depth 2 --positions 30").unwrap_err();
    assert!(error.contains("other: its values come from the weights 0000000000000007"), "{error}");
    book(folder, "grow @/other --depth 2 --positions 30 --mixed").unwrap();

    let mut wrong = made.clone();
    let entry = made.entries()[3];
    wrong.insert([tengen_engine::experts::othello::book::Entry { value: entry.value + 1, ..entry }]);
    write(&folder.join("wrong"), &wrong).unwrap();
    let error = book(folder, "check @/wrong").unwrap_err();
    assert!(error.contains("wrong: ") && error.contains("but its best move has"), "{error}");
    let mut damaged = bytes(folder, "book");
    damaged[40] ^= 1;
    fs::write(folder.join("damaged"), damaged).unwrap();
    for words in ["check @/damaged", "grow @/damaged --depth 2 --positions 9", "show @/damaged"] {
        assert!(book(folder, words).unwrap_err().ends_with("damaged: wrong checksum"));
    }
    assert!(book(folder, "check @/none").unwrap_err().contains("none: "));
    assert!(book(folder, "grow @/book --depth 2").is_err(), "it must end at some time");
    let error = book(folder, "grow @/my.toml --depth 2 --positions 9").unwrap_err();
    assert!(error.contains("my.toml: the record beside the book"), "{error}");
}
