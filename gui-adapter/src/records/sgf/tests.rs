use tengen_engine::game::random;

use super::*;

fn setup(text: &str) -> Setup {
    Setup::parse(text.split(' ')).expect(text)
}

fn moves(referee: &dyn Referee) -> Vec<String> {
    let text = |(color, mv): (Color, Move)| format!("{} {}", color.letter(), referee.move_text(mv));
    referee.history().into_iter().map(text).collect()
}

/// A random game of at most `plies` plies from where the referee stands.
fn play_on(referee: &mut dyn Referee, seed: u64, plies: usize) {
    let mut rng = random::rng(seed);
    for _ in 0..plies {
        let legal = referee.legal_moves(None).unwrap();
        if legal.is_empty() {
            break;
        }
        let choice = random::below(&mut rng, legal.len() as u32) as usize;
        referee.play(None, legal[choice]).unwrap();
    }
}

#[test]
fn random_games_of_every_set_up_survive_a_round_trip() {
    let hint = setup("gomoku size 15");
    for name in [
        "nogo size 9 rules standard",
        "nogo size 3x5 rules standard",
        "nogo size 19 rules capture",
        "nogo size 9 rules standard centre=forbidden hole=2022",
        "gomoku size 15 rules renju",
        "gomoku size 22 rules freestyle",
        "gomoku size 6 rules standard",
        "gomoku size 7 rules caro",
        "othello size 6 rules standard",
        "othello size 8 rules standard",
        "othello size 10 rules standard",
        "amazons size 10 rules standard",
        "amazons size 6 rules standard start=corner",
    ] {
        // GM[1] and a missing game are what the hint says.
        let hint = if name.starts_with("nogo") { setup("nogo") } else { hint.clone() };
        for (seed, plies) in [(1, 1000), (2, 1000), (3, 11), (4, 0)] {
            let mut game = games::referee(setup(name)).unwrap();
            play_on(&mut *game, seed, plies);
            let text = print(&*game, &[]);
            let read = load(&text, &hint, None).unwrap_or_else(|error| panic!("{name}: {error}\n{text}"));
            assert_eq!(read.setup(), game.setup(), "{text}");
            assert_eq!(read.position_text(), game.position_text(), "{text}");
            assert_eq!(read.history(), game.history(), "{text}");
            assert_eq!(print(&*read, &[]), text);
            assert_eq!(text.contains("RE["), game.ending().is_some());
        }
    }
}

#[test]
fn a_bracket_within_a_value_does_not_end_it() {
    assert_eq!(split_values("a][b"), ["a", "b"]);
    assert_eq!(split_values(r"a\][b"), [r"a\][b"]);
    assert_eq!(split_values(r"a\\][b]"), [r"a\\", "b]"]);
    assert_eq!(split_values(""), [""]);
    assert_eq!(split_values("]["), ["", ""]);
    // The part after the brackets would otherwise be lost or taken for another value.
    let text = r"(;GM[1]SZ[9]AP[x\][y]RU[a\][b capture];B[aa])";
    let read = load(text, &setup("nogo"), None).unwrap();
    assert_eq!(read.setup().to_string(), "nogo size 9 rules capture");
}

#[test]
fn games_from_a_position_survive_a_round_trip() {
    for (name, position) in [
        ("nogo size 4", "X.../..../.O../.... b"),
        ("nogo size 3 rules capture", "XX./..O/... b ply=4"),
        ("gomoku size 6", "....../..X.../..OX../....../....../...... w"),
        ("othello size 6", "....../..X.../..XX../..XO../....../...... w"),
        ("amazons size 5", ".X.X./X...X/#..../O...O/.O.O. b"),
    ] {
        let mut game = games::referee(setup(name)).unwrap();
        game.set_position(position).unwrap();
        play_on(&mut *game, 7, 3);
        let text = print(&*game, &[]);
        let read = load(&text, &setup(name), None).unwrap_or_else(|error| panic!("{name}: {error}\n{text}"));
        assert_eq!(read.start_text(), game.start_text(), "{text}");
        assert_eq!(read.position_text(), game.position_text(), "{text}");
        assert_eq!(print(&*read, &[]), text);
    }
}

#[test]
fn what_is_printed() {
    let mut game = games::referee(setup("nogo size 3x5 hole=none")).unwrap();
    for text in ["a1", "c5", "b3"] {
        game.play(None, game.parse_move(text).unwrap()).unwrap();
    }
    let properties = [
        ("PB", "Tom [1] \\ x"),
        ("DT", "2026-11-30"),
        ("SZ", "9"),
        ("pb", "ignored"),
        ("B", "aa"),
        ("RE", "W+R"),
    ];
    let properties = properties.map(|(name, value)| (name.to_owned(), value.to_owned()));
    assert_eq!(
        print(&*game, &properties),
        format!(
            "(;FF[4]GM[1]CA[UTF-8]AP[Tengen:{}]SZ[3:5]RU[standard]PB[Tom [1\\] \\\\ x]DT[2026-11-30]RE[W+R]\n\
             ;B[ae];W[ca];B[bc])\n",
            env!("CARGO_PKG_VERSION")
        )
    );
    let read = load(&print(&*game, &properties), &setup("nogo"), None).unwrap();
    assert_eq!(moves(&*read), ["b a1", "w c5", "b b3"]);
}

#[test]
fn a_move_number_gives_the_position_before_that_move() {
    let text = "(;GM[4]SZ[9];B[aa];W[bb];B[cc](;W[dd])(;W[ee]))";
    let plies = |number| load(text, &setup("gomoku"), number).unwrap().plies();
    assert_eq!(
        [None, Some(0), Some(1), Some(2), Some(4), Some(5), Some(99)].map(plies),
        [4, 0, 0, 1, 3, 4, 4]
    );
    let bad_end = "(;GM[4]SZ[9];B[aa];W[aa])";
    assert_eq!(load(bad_end, &setup("gomoku"), Some(2)).unwrap().plies(), 1);
    assert_eq!(
        load(bad_end, &setup("gomoku"), None).unwrap_err().to_string(),
        "move 2 (white \"aa\"): occupied"
    );
}

#[test]
fn the_game_is_named_by_gm_or_by_the_hint() {
    let of = |text: &str, hint: &str| load(text, &setup(hint), None).unwrap().setup().to_string();
    assert_eq!(of("(;GM[1]SZ[7];B[aa])", "othello"), "nogo size 7 rules standard");
    assert_eq!(of("(;GM[1]SZ[7];B[aa])", "gomoku rules renju"), "gomoku size 7 rules renju");
    assert_eq!(of("(;GM[1];B[aa])", "nogo size 13 rules capture"), "nogo size 13 rules capture");
    assert_eq!(of("(;FF[4]SZ[9];B[aa])", "nogo hole=2021"), "nogo size 9 rules standard hole=2021");
    assert_eq!(of("(;FF[4]SZ[5];B[aa])", "nogo hole=2021"), "nogo size 5 rules standard");
    assert_eq!(of("(;GM[2];B[dc])", "nogo"), "othello size 8 rules standard");
    assert_eq!(of("(;GM[4]RU[Renju];B[hh])", "nogo"), "gomoku size 15 rules renju");
    assert_eq!(of("(;GM[18]SZ[10])", "nogo"), "amazons size 10 rules standard");
    assert_eq!(of("(;GM[1]RU[Japanese]KM[6.5]SZ[9];B[aa])", "nogo size 1"), "nogo size 9 rules standard");
}

#[test]
fn an_othello_record_of_quarry() {
    // After White's ca Black has no move: White moves twice, and no pass is written.
    let text = "(;FF[4]CA[UTF-8]AP[Quarry:0.2.0]GM[2]SZ[8]PB[Quarry \\[1\\]]PW[b]RE[W+40]\n\
                ;B[dc];W[cc];B[fe];W[db];B[da];W[ea];B[bc];W[ca]\n;W[bd])";
    let game = load(text, &setup("nogo"), None).unwrap();
    assert_eq!(moves(&*game)[7..], ["w c1", "b pass", "w b4"]);
    assert!(!print(&*game, &[]).contains("[]"));
    // Other programs write it.
    let explicit = load(&text.replace(";W[bd]", ";B[];W[bd]"), &setup("nogo"), None).unwrap();
    assert_eq!(explicit.history(), game.history());
    // A move number counts what is written.
    assert_eq!(load(text, &setup("nogo"), Some(9)).unwrap().plies(), 8);
}

#[test]
fn gogui_draws_othello_upside_down() {
    let hint = setup("othello");
    let upright = load("(;FF[4]SZ[8]AP[GoGui:1.6.0];B[dc];W[cc])", &hint, None).unwrap();
    let mirrored = load("(;FF[4]SZ[8]AP[GoGui:1.6.0];B[df];W[cf])", &hint, None).unwrap();
    assert_eq!(moves(&*upright), ["b d3", "w c3"]);
    assert_eq!(upright.position_text(), mirrored.position_text());
    // With GM[2] the format itself says where the first row is.
    assert!(load("(;FF[4]GM[2]SZ[8];B[df];W[cf])", &hint, None).is_err());
}

#[test]
fn an_amazons_record_with_either_colour_first() {
    let hint = setup("nogo");
    let quarry = load("(;FF[4]GM[18]SZ[10];W[djddgd];B[dadcaf])", &hint, None).unwrap();
    assert_eq!(moves(&*quarry), ["w d1-d7-g7", "b d10-d8-a5"]);
    let set_up = "AB[dj][gj][ag][jg]AW[da][ga][ad][jd]";
    for text in [
        format!("(;FF[4]GM[18]SZ[10]{set_up};B[djddgd];W[dadcaf])"),
        format!("(;FF[4]GM[18]SZ[10]{set_up}PL[B];B[djddgd];W[dadcaf])"),
        "(;FF[4]GM[18]SZ[10];B[djddgd];W[dadcaf])".to_owned(),
    ] {
        let swapped = load(&text, &hint, None).unwrap_or_else(|error| panic!("{text}: {error}"));
        assert_eq!(swapped.position_text(), quarry.position_text(), "{text}");
        assert_eq!(swapped.start_text(), None, "{text}");
        assert_eq!(moves(&*swapped), moves(&*quarry), "{text}");
    }
    // An arrow shot already: who moves second here is to move.
    let after = "(;GM[18]SZ[10]AB[dd][gj][ag][jg]AW[da][ga][ad][jd]AA[gd]PL[W];W[dadcaf])";
    assert_eq!(load(after, &hint, None).unwrap().position_text(), quarry.position_text());
}

#[test]
fn a_gomoku_record_of_c_gomoku_cli() {
    let text = "(;FF[4]GM[4]DT[2026.11.30]GN[x]PB[a]PW[b]RU[4]SZ[15]TM[0]RE[B+Resign]\n\
                ;B[hh]C[0ms];W[gg]TE[1]C[12ms];B[ii])";
    let game = load(text, &setup("nogo"), None).unwrap();
    assert_eq!(game.setup().to_string(), "gomoku size 15 rules renju");
    assert_eq!(moves(&*game), ["b h8", "w g9", "b i7"]);
}

#[test]
fn set_up_stones() {
    let text = "\u{feff}Subject: a game\n\n(;GM[4]SZ[6]AB[aa:ac]AW[ff][ef]AE[ab]PL[B]C[a \\] b];B[cc])";
    let game = load(text, &setup("nogo"), None).unwrap();
    assert_eq!(game.start_text().unwrap(), "X...../....../X...../....../....../....OO b");
    assert_eq!(moves(&*game), ["b c4"]);
    // Without PL the next move or the number of stones decides.
    assert_eq!(load("(;GM[4]SZ[6]AB[aa];W[cc])", &setup("nogo"), None).unwrap().turn(), Color::Black);
    assert_eq!(load("(;GM[4]SZ[6]AB[aa])", &setup("nogo"), None).unwrap().turn(), Color::White);
    // In the middle of the game, too.
    let middle = load("(;GM[4]SZ[6];B[aa];W[bb];AE[aa]AB[ff]PL[B];B[cc])", &setup("nogo"), None).unwrap();
    assert_eq!(middle.position_text(), "....../.O..../..X.../....../....../.....X w");
}

#[test]
fn go_programs_end_games_with_passes() {
    let game = load("(;FF[4]SZ[2:1];B[aa];W[];B[])", &setup("nogo"), None).unwrap();
    assert_eq!(game.ending().unwrap().to_string(), "black+1 (no legal move)");
    assert_eq!(game.plies(), 1);
    let early = load("(;FF[4]SZ[9];B[aa];W[tt])", &setup("nogo"), None);
    assert_eq!(early.unwrap_err().to_string(), "move 2 (white \"tt\"): this game has no pass");
}

#[test]
fn bad_texts_are_errors_that_name_the_problem() {
    for (text, expected) in [
        ("", "not an SGF record: no \"(;\" found"),
        ("hello (world)", "not an SGF record: no \"(;\" found"),
        ("()", "not an SGF record: no \"(;\" found"),
        ("\0\u{1}\u{ffff}", "not an SGF record: no \"(;\" found"),
        ("(;", "line 1: the record ends before its last \")\""),
        ("(;SZ[9]\n;B[aa]", "line 2: the record ends before its last \")\""),
        ("(;SZ[9]\n;B[aa", "line 2: a value is not closed by \"]\""),
        ("(;SZ[9]\n;B;W[aa])", "line 2: a property without a value"),
        ("(;SZ[9]())", "line 1: \"(\" without a node"),
        ("(;SZ[9](;B[aa])[bb])", "line 1: a value outside a node"),
        ("(;SZ[9]{})", "line 1: unexpected text between properties"),
        ("(;SZ[9]\u{e9}[])", "line 1: unexpected text between properties"),
        ("(;GM[3])", "GM[3] is none of NoGo (1), Othello (2), Gomoku (4) and Amazons (18)"),
        ("(;GM[-1])", "GM[-1] is none of NoGo (1), Othello (2), Gomoku (4) and Amazons (18)"),
        ("(;GM[x])", "not an SGF record: Invalid game type"),
        ("(;GM[1]GM[2])", "not an SGF record: Unexpected property"),
        ("(;SZ[x])", "bad value of SZ: \"x\""),
        ("(;SZ[300])", "bad value of SZ: \"300\""),
        ("(;SZ[25])", "unacceptable size 25: nogo has 1 to 19, rectangles included"),
        ("(;GM[2]SZ[7])", "unacceptable size 7: othello has 6, 8, 10, square"),
        ("(;SZ[9]PL[x])", "bad value of PL: \"x\""),
        ("(;SZ[9]AB[zz])", "bad value of AB: \"zz\""),
        ("(;GM[4]SZ[9]AB[aa:zz])", "bad value of AB: \"aa:zz\""),
        ("(;GM[4]SZ[9]AB[aa:bb:cc])", "bad value of AB: \"aa:bb:cc\""),
        (
            "(;SZ[9]AB[aa][bb][cc]PL[B])",
            "impossible position before move 1: 3 black and 0 white stones with black to move",
        ),
        ("(;SZ[9];B[zz])", "move 1 (black \"zz\"): not a move on this board"),
        ("(;SZ[9];B[a])", "move 1 (black \"a\"): not a move on this board"),
        ("(;SZ[9];B[aaa\n])", "move 1 (black \"aaa\"): not a move on this board"),
        ("(;GM[4]SZ[9];B[AA])", "move 1 (black \"AA\"): not a move on this board"),
        ("(;SZ[9];B[aabbcc])", "move 1 (black \"aabbcc\"): not a move of this game"),
        ("(;SZ[9];W[aa])", "move 1 (white \"aa\"): not your turn"),
        ("(;SZ[9];B[aa];W[bb];B[bb])", "move 3 (black \"bb\"): occupied"),
        ("(;GM[18];W[djddab];B[ad])", "move 1 (white \"djddab\"): not a queen's move"),
        ("(;GM[18];W[djddgd];B[ad])", "move 2 (black \"ad\"): not a move of this game"),
        ("(;GM[2];B[];W[dc])", "move 1 (black \"\"): a pass is allowed only without a move"),
    ] {
        match load(text, &setup("nogo"), None) {
            Ok(game) => panic!("{text:?} gives {}", game.position_text()),
            Err(error) => assert_eq!(error.to_string(), expected, "{text:?}"),
        }
    }
}

#[test]
fn huge_and_deep_texts_are_refused_before_they_are_parsed() {
    let hint = setup("nogo");
    let refused = |text: String| load(&text, &hint, None).unwrap_err().to_string();
    assert_eq!(refused("x".repeat(10 << 20)), "the record is longer than 4 MiB");
    assert_eq!(refused("(".repeat(100_000)), "not an SGF record: no \"(;\" found");
    assert_eq!(refused("(;".repeat(100_000)), "line 1: the record has too many nodes");
    assert_eq!(refused(format!("(;C[{}", "(".repeat(100_000))), "line 1: a value is not closed by \"]\"");
    assert_eq!(refused(format!("({})", ";".repeat(100_000))), "line 1: the record has too many nodes");
    assert_eq!(refused(format!("(;{})", "(;)".repeat(1_000_000))), "line 1: the record has too many nodes");
    assert_eq!(refused(format!("(;{})", "TB[aa:ZZ]".repeat(100_000))), "line 1: too many rectangles");
    assert_eq!(load(&format!("(;{}", ")".repeat(100_000)), &hint, None).unwrap().plies(), 0);
    // Parentheses in names do not hide depth from the measuring.
    assert_eq!(refused("(;A)[x]".repeat(100_000)), "line 1: a property without a value");
    // What is allowed is parsed and dropped on the small stack of a thread.
    let deepest = format!("(;SZ[9]{})", ";".repeat(DEEPEST - 1));
    let read = std::thread::spawn(move || load(&deepest, &setup("nogo"), None).unwrap().plies());
    assert_eq!(read.join().unwrap(), 0);
    let wide = format!("(;SZ[9]{})", "(;C[x])".repeat(MOST_NODES - 1));
    assert_eq!(load(&wide, &hint, None).unwrap().plies(), 0);
}

#[test]
fn random_bytes_never_panic() {
    let mut rng = random::rng(11);
    let pieces = [
        "(", ")", ";", "[", "]", "\\", "B", "W", "AB", "SZ", "GM", "PL", "aa", "9", ":", "\n", "é", "\0",
        "18",
    ];
    for _ in 0..20_000 {
        let count = random::below(&mut rng, 30);
        let tail: String =
            (0..count).map(|_| pieces[random::below(&mut rng, pieces.len() as u32) as usize]).collect();
        let _ = load(&format!("(;{tail}"), &setup("amazons"), None);
        let _ = load(&format!("(;GM[2]{tail})"), &setup("nogo"), None);
    }
}
