//! Every format with good and bad lines, noise, random openings and their order.

#![allow(clippy::indexing_slicing, reason = "a test may stop at the first surprise")]

use tengen_engine::game::Color;
use tengen_engine::game::random::{below, rng};

use super::*;

fn setup(words: &str) -> Setup {
    Setup::parse(words.split_ascii_whitespace()).unwrap()
}

fn one(text: &str, words: &str) -> Box<dyn Referee> {
    let openings = parse("openings.txt", text, &setup(words)).unwrap();
    assert_eq!(openings.len(), 1, "{text}");
    openings[0].referee(&setup(words)).unwrap()
}

fn history(referee: &dyn Referee) -> String {
    let texts: Vec<String> = referee.history().iter().map(|&(_, mv)| referee.move_text(mv)).collect();
    texts.join(" ")
}

fn problem(text: &str, words: &str) -> String {
    parse("book.txt", text, &setup(words)).unwrap_err().to_string()
}

#[test]
fn moves_are_read_with_blanks_commas_or_nothing_between_them() {
    for text in ["d4 e5 f6", "D4,e5, f6", "  d4\te5  f6 # not"].map(|text| text.split('#').next().unwrap()) {
        assert_eq!(history(&*one(text, "nogo")), "d4 e5 f6");
    }
    assert_eq!(history(&*one("f5d6c3d3c4", "othello")), "f5 d6 c3 d3 c4");
    assert_eq!(history(&*one("F5D6C3D3C4", "othello")), "f5 d6 c3 d3 c4");
    assert_eq!(history(&*one("h8i9j10o15", "gomoku")), "h8 i9 j10 o15");
    // NoGo has no column I, Gomoku has.
    assert_eq!(one("h8 j8", "nogo").position_text(), one("h8j8", "nogo").position_text());
    assert_eq!(history(&*one("d1-d7-g7 a7-a8/b9", "amazons")), "d1-d7-g7 a7-a8-b9");
    assert_eq!(one("d4 e5 f6", "nogo").turn(), Color::White);
}

#[test]
fn a_pass_may_be_left_out_of_a_transcript() {
    let mut passes = 0;
    for seed in 0..400 {
        let Ok(opening) = random(&setup("othello"), 56, seed) else { continue };
        let referee = opening.referee(&setup("othello")).unwrap();
        let words = history(&*referee);
        passes += words.matches("pass").count();
        assert_eq!(history(&*one(&words, "othello")), words);
        // A last pass is no part of a transcript.
        if !words.ends_with("pass") {
            assert_eq!(history(&*one(&words.replace("pass", "").replace(' ', ""), "othello")), words);
        }
    }
    assert!(passes > 10, "{passes}");
    assert!(problem("f5 pass", "othello").contains("move 2 (pass): illegal move: a pass is allowed only"));
}

#[test]
fn offsets_count_from_half_the_size() {
    // Rapfi and c-gomoku-cli play 10 + x, 10 + y on 20x20, 7 + x, 7 + y on 15x15, from 0.
    assert_eq!(history(&*one("-1,9, 0,9, -1,8", "gomoku size 20")), "j20 k20 j19");
    assert_eq!(history(&*one("-9,0,-6,0,-7,0", "gomoku size 20")), "b11 e11 d11");
    assert_eq!(history(&*one("0,0, -7,7, 7,-7", "gomoku")), "h8 a15 o1");
    for (text, expected) in [
        ("1,2, 3", "book.txt: line 1: move 2: the second offset is missing"),
        ("8,0", "book.txt: line 1: move 1 (8, 0): not on the board of 15"),
        ("0,-8", "book.txt: line 1: move 1 (0, -8): not on the board of 15"),
        ("0,0, 1,1, 0,0", "book.txt: line 1: move 3 (0, 0): illegal move: occupied"),
        ("0,0, 1,1-1", "book.txt: line 1: bad offset \"1-1\""),
        ("0,99999999999", "book.txt: line 1: bad offset \"99999999999\""),
        (
            "0,0, 0,1, 1,0, 1,1, 2,0, 2,1, 3,0, 3,1, 4,0",
            "book.txt: line 1: the game is over at the end of the opening: black+1 (five in a row)",
        ),
    ] {
        assert_eq!(problem(text, "gomoku"), expected);
    }
    assert_eq!(one("-10,-10", "gomoku size 20").position_text(), one("a1", "gomoku size 20").position_text());
    assert!(problem("10,0", "gomoku size 20").contains("not on the board of 20"));
}

#[test]
fn positions_are_read_in_our_text_and_in_fen() {
    let referee = one(".../.X./O.. b moves a3 c1", "nogo size 3");
    assert_eq!(referee.position_text(), "X../.X./O.O b");
    assert_eq!(referee.start_text().unwrap(), ".../.X./O.. b");
    let opening = &parse("x", "3/1X1/O2 b\n", &setup("nogo size 3")).unwrap()[0];
    assert_eq!((opening.position.as_deref(), opening.moves.len()), (Some(".../.X./O.. b"), 0));
    // The start needs no position.
    let start = "3q2q3/10/10/q8q/10/10/Q8Q/10/10/3Q2Q3 w - - 0 1";
    let opening = &parse("x", &format!("{start} moves d1d7,d7g7"), &setup("amazons")).unwrap()[0];
    assert_eq!(opening.position, None);
    assert_eq!(history(&*opening.referee(&setup("amazons")).unwrap()), "d1-d7-g7");
    let arrows = one("3q2q3/10/3*6/q2Q4*q/10/10/Q8Q/10/10/6Q3 w - - 2 2", "amazons");
    assert_eq!(arrows.start_text().unwrap().matches('#').count(), 2);
    // In flipello White is first, and ranks begin at the bottom.
    let othello = one("8/8/8/3pP3/3Pp3/8/8/8 w - - 0 1 moves P@f4", "othello");
    assert_eq!(history(&*othello), "f5");
    assert_eq!(othello.turn(), Color::White);
    for (text, words, expected) in [
        (".../... b", "nogo size 3", "bad position: 2 rows, not 3"),
        (".../.../...", "nogo size 3", "bad position: the side to move (b or w) is missing"),
        (".../.X./O.. b moves b2", "nogo size 3", "move 1 (b2): illegal move: occupied"),
        (".../.X./O.. b move b1", "nogo size 3", "bad position: unknown word \"move\""),
        ("XX./XOX/XXO b", "nogo size 3", "bad position: "),
        ("8/8/8/3pP3/3Pp3/8/8/8 w - - 0 1", "nogo size 8", "FEN is for Othello and Amazons only"),
        ("8/8/8/3pP3/3Pp3/8/8/8 w - - 0 1 f5", "othello", "bad position: unknown word \"f5\""),
        ("8/8/8/3pP3/3Pp3/8/8/8 w moves f5", "othello", "move 1: bad move \"f5\""),
        ("8/8/8/3pP3/3Pp3/8/8/8[P w", "othello", "bad position: \"]\" is missing"),
        ("8/8/8/3pK3/3Pp3/8/8/8 w", "othello", "bad position: unknown letter \"K\" in the board"),
    ] {
        let error = problem(text, words);
        assert!(error.contains(&format!("book.txt: line 1: {expected}")), "{error}");
    }
}

#[test]
fn every_game_of_an_sgf_collection_is_an_opening() {
    let text = "(;GM[4]SZ[15]C[a;b)(;];B[hh];W[ii](;B[jj])(;B[kk]))\n\n(;GM[4]SZ[15]RU[4]\n;B[aa])\n";
    let openings = parse("games.sgf", text, &setup("gomoku")).unwrap();
    let histories: Vec<String> =
        openings.iter().map(|opening| history(&*opening.referee(&setup("gomoku")).unwrap())).collect();
    assert_eq!(histories, ["h8 i7 j6", "a15"]);
    assert_eq!(openings[1].name, "game 2");
    // The name is not needed.
    assert_eq!(parse("games.txt", text, &setup("gomoku")).unwrap(), openings);
    for (text, words, expected) in [
        ("(;GM[4];B[hh])\n(;GM[4]SZ[19];B[hh])", "gomoku", "line 2: game 2: the record is of gomoku size 19"),
        (
            "(;GM[4];B[hh])\n\n(;GM[4]\n;B[hh]\n;W[hh])",
            "gomoku",
            "line 3: game 2: move 2 (white \"hh\"): occupied",
        ),
        ("(;GM[4];B[hh])\n(;GM[4]\n;B[hh", "gomoku", "line 3: a value is not closed"),
        ("(;GM[4];B[hh])\nend", "gomoku", "line 2: not an SGF record"),
        ("(;GM[2])", "gomoku", "line 1: game 1: the record is of othello"),
    ] {
        let error = problem(text, words);
        assert!(error.starts_with(&format!("book.txt: {expected}")), "{error}");
    }
    // Five in a row is no beginning of a game.
    let over = "(;GM[4];B[aa];W[ab];B[ba];W[bb];B[ca];W[cb];B[da];W[db];B[ea])";
    assert!(problem(over, "gomoku").contains("the game is over at the end of the opening"));
}

#[test]
fn ggf_records_stand_on_a_line_each() {
    let game = "(;GM[Othello]PB[a]TY[8]BO[8 ---------------------------O*------*O--------------------------- *]\
                B[F5/0.5/1.2]W[D6]B[C3];)";
    let text = format!("# two games\n{game}\n{game}\nf5d6\n");
    let openings = parse("games.ggf", &text, &setup("othello")).unwrap();
    assert_eq!(openings.len(), 3);
    assert_eq!(openings[1].name, "line 3");
    assert_eq!(history(&*openings[1].referee(&setup("othello")).unwrap()), "f5 d6 c3");
    let error = problem(&format!("\n{}", game.replace("D6", "A1")), "othello");
    assert!(error.starts_with("book.txt: line 2: move 2 (A1): illegal move: no disc"), "{error}");
    assert!(problem(game, "othello size 10").contains("the record is of othello size 8"));
    assert!(problem(game, "nogo size 8").contains("line 1: the record is of othello"));
}

#[test]
fn one_bad_line_is_an_error_that_names_it() {
    for (text, words, expected) in [
        ("# comment\n\nd4 e5\nd4 d4\n", "nogo", "line 4: move 2 (d4): illegal move: occupied"),
        ("d4 i5", "nogo", "line 1: move 2: bad move \"i5\": expected"),
        ("f5d6c3d3c9", "othello", "line 1: move 5: bad move \"c9\": expected"),
        ("f5f5", "othello", "line 1: move 2 (f5): illegal move: occupied"),
        ("f5d6c3 a1", "othello", "line 1: move 4 (a1): illegal move: no disc is flipped"),
        ("d1d7g7", "amazons", "line 1: move 1: bad move \"d1d7g7\": expected"),
        ("d1-d7-g7 d10-d6-d8", "amazons", "line 1: move 2 (d10-d6-d8): illegal move: the way is blocked"),
        ("p16", "gomoku", "line 1: move 1: bad move \"p16\""),
        ("1. h8", "gomoku", "line 1: move 1: bad move \"1.\""),
        ("d4 e5; 0.5", "nogo", "line 1: bad value \"0.5\""),
        ("d4 e5; 1.5 1000", "nogo", "line 1: bad value \"1.5 1000\""),
        ("d4 e5; NaN 1000", "nogo", "line 1: bad value \"NaN 1000\""),
        (
            "# setup: nogo size 7\nd4",
            "nogo",
            "line 1: the openings are for nogo size 7 rules standard, not for",
        ),
        ("# setup: chess\nd4", "nogo", "line 1: no such game"),
        ("h8 a1 h9 a2 h10 a3 h11 a4 h12", "gomoku", "line 1: the game is over at the end of the opening"),
        (
            "h8 a1 h9 a2 h10 a3 h11 a4 h12 a5",
            "gomoku",
            "line 1: move 10 (a5): illegal move: the game is over",
        ),
        // Renju: Black's fourth stone makes two threes.
        ("h8 a1 i8 a3 j9 a5 j10 a7 j8", "gomoku rules renju", "line 1: move 9 (j8): illegal move: forbidden"),
    ] {
        let error = problem(text, words);
        assert!(error.starts_with(&format!("book.txt: {expected}")), "{error}");
        assert!(!error.contains('\n') && error.len() < 500, "{error}");
    }
    assert_eq!(problem("# nothing\n\n", "nogo"), "book.txt: no opening in it");
    assert!(problem(&"d4 ".repeat(10_000), "nogo").contains("line 1: longer than 16 KiB"));
    let missing = read(Path::new("no/such/file.txt"), &setup("nogo")).unwrap_err().to_string();
    assert!(missing.starts_with("no/such/file.txt: "), "{missing}");
}

#[test]
fn files_are_read_with_any_line_ends_but_as_utf_8_only() {
    let folder = std::env::temp_dir().join(format!("tengen-openings-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join("book.txt");
    std::fs::write(&path, "\u{feff}# book\r\n\r\nd4 e5; 0.5123 40000\r\nc3\r\n").unwrap();
    let openings = read(&path, &setup("nogo")).unwrap();
    let names: Vec<&str> = openings.iter().map(|opening| opening.name.as_str()).collect();
    assert_eq!(names, ["line 3", "line 4"]);
    std::fs::write(&path, b"d4\ne5 \xff\n").unwrap();
    let error = read(&path, &setup("nogo")).unwrap_err().to_string();
    assert_eq!(error, format!("{}: line 2: not UTF-8 text", path.display()));
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn noise_is_refused_without_a_panic() {
    let words = [
        "nogo",
        "nogo size 3x5",
        "gomoku",
        "gomoku size 20 rules renju",
        "othello",
        "amazons",
        "amazons size 4",
    ];
    let scraps = [
        "d4",
        "h8",
        "f5d6c3",
        "d1-d7-g7",
        "pass",
        "-3,4",
        "1,",
        ",",
        "é",
        "\u{0}",
        "(;",
        ";)",
        "GM[4]",
        "GM[Othello]",
        "B[hh]",
        "B[F5]",
        "BO[8 ",
        "8/8/8/",
        "3pP3/",
        "3q2q3",
        "q8q",
        "*",
        "[PPp]",
        " w ",
        " b ",
        "moves",
        "0 1",
        "; 0.5 10",
        "# setup: nogo",
        "\n",
        "\r\n",
        "...",
        ".X./",
        "O#",
        "99999999999",
        "-",
        "\\",
        "]",
        ")",
        "x\"",
    ];
    let mut rng = rng(7);
    let mut read = 0;
    for round in 0..20_000 {
        let mut text = String::new();
        for _ in 0..1 + below(&mut rng, 12) {
            text.push_str(scraps[below(&mut rng, scraps.len() as u32) as usize]);
            if below(&mut rng, 3) == 0 {
                text.push(' ');
            }
        }
        let setup = setup(words[round % words.len()]);
        let name = if round % 5 == 0 { "x.sgf" } else { "x.txt" };
        if let Ok(openings) = parse(name, &text, &setup) {
            read += openings.len();
            for opening in openings {
                opening.referee(&setup).unwrap();
            }
        }
    }
    assert!(read > 100, "the noise hardly ever makes an opening: {read}");
}

#[test]
fn random_openings_are_legal_and_the_same_on_every_machine() {
    for words in ["nogo", "nogo rules capture", "gomoku rules renju", "othello", "amazons", "amazons size 6"]
    {
        let setup = setup(words);
        for seed in 0..20 {
            let opening = random(&setup, 8, seed).unwrap();
            assert_eq!(opening, random(&setup, 8, seed).unwrap());
            let referee = opening.referee(&setup).unwrap();
            assert_eq!((referee.plies(), opening.name), (8, format!("random {seed}")));
        }
        assert_ne!(random(&setup, 8, 1).unwrap().moves, random(&setup, 8, 2).unwrap().moves);
    }
    let known = random(&setup("othello"), 6, 1).unwrap().referee(&setup("othello")).unwrap();
    assert_eq!(history(&*known), "c4 c3 e6 f6 d3 e3");
    // Forty plies on nine points cannot be.
    let error = random(&setup("nogo size 3"), 40, 1).unwrap_err();
    assert!(error.starts_with("no random opening of 40 plies"), "{error}");
    assert_eq!(random(&setup("othello"), 0, 9).unwrap().moves, []);
}

#[test]
fn the_order_is_drawn_by_the_seed_and_gone_through_again() {
    let openings: Vec<Opening> =
        (0..10).map(|number| Opening { name: number.to_string(), ..Opening::default() }).collect();
    let names = |count, seed| -> Vec<String> {
        draw(&openings, count, seed).into_iter().map(|opening| opening.name).collect()
    };
    assert_eq!(names(10, 1), ["9", "5", "0", "3", "1", "8", "7", "6", "2", "4"]);
    assert_eq!(names(4, 1), names(10, 1)[..4]);
    assert_ne!(names(10, 1), names(10, 2));
    assert_eq!(names(25, 3), [names(10, 3), names(10, 3), names(5, 3)].concat());
    let mut all = names(10, 5);
    all.sort();
    assert_eq!(all, (0..10).map(|number| number.to_string()).collect::<Vec<_>>());
    assert!(draw(&[], 5, 1).is_empty());
    // Every opening comes first about as often as another.
    let mut first = [0; 10];
    for seed in 0..2000 {
        first[names(1, seed)[0].parse::<usize>().unwrap()] += 1;
    }
    assert!(first.iter().all(|&count| (140..=260).contains(&count)), "{first:?}");
}

#[test]
fn positions_that_are_images_of_one_another_have_one_canonical_text() {
    let text = |line: &str, words: &str| symmetry::canonical(&*one(line, words));
    for image in ["f5d6", "d3c5", "c4e3", "e6f4"] {
        assert_eq!(text(image, "othello"), text("f5d6", "othello"), "{image}");
    }
    assert_ne!(text("f5d6", "othello"), text("f5f4", "othello"));
    assert_eq!(text("a1 b3", "nogo size 3x5"), text("c5 b3", "nogo size 3x5"));
    // A rectangle has four images, and the hole keeps its place.
    assert_ne!(text("a1", "nogo size 3x5"), text("b1", "nogo size 3x5"));
    assert_eq!(text("a1 c2", "nogo hole=2021"), text("j9 g8", "nogo hole=2021"));
    assert_ne!(text("b1 a1", "nogo"), text("b1 c1", "nogo"));
    // Not only colours count but who moves.
    let [black, white] = ["X4/5/5/5/4O b", "X4/5/5/5/4O w"].map(|line| text(line, "gomoku size 5"));
    assert_ne!(black, white);
}
