//! NoGo: laws, refusals, and the counts and verdicts of independent programs.

mod reference;
mod vectors;

use reference::Plain;
use tengen_engine::game::{Color, Illegal, Move, Outcome};
use tengen_engine::games::{self, Referee, Setup};

use super::laws;

fn setup(text: &str) -> Setup {
    Setup::parse(text.split(' ')).expect(text)
}

fn referee(text: &str) -> Box<dyn Referee> {
    games::referee(setup(text)).expect(text)
}

/// Checks the laws on random games of a set-up against the plain implementation.
fn hold(width: usize, height: usize, options: &str, count: u64) -> usize {
    let text = format!("nogo size {width}x{height} {options}");
    laws::hold(text.trim_end(), &Plain::new(width, height, options), count)
}

#[test]
fn laws_hold_on_every_small_board() {
    for width in 1..=6 {
        for height in 1..=6 {
            hold(width, height, "", 40);
            hold(width, height, "rules capture", 40);
        }
    }
}

#[test]
fn laws_hold_on_nine_by_nine() {
    let plies = hold(9, 9, "", 60);
    assert!(plies > 60 * 60, "random games last about 74 plies, not {plies} / 60");
    hold(9, 9, "rules capture", 40);
    for options in ["centre=forbidden", "hole=2021", "hole=2022", "centre=forbidden hole=2022"] {
        hold(9, 9, options, 15);
        hold(9, 9, &format!("rules capture {options}"), 15);
    }
}

#[test]
fn laws_hold_with_the_centre_forbidden() {
    for (width, height) in [(1, 1), (1, 3), (3, 1), (3, 3), (5, 3), (7, 7)] {
        hold(width, height, "centre=forbidden", 40);
        hold(width, height, "rules capture centre=forbidden", 40);
    }
}

/// Sizes on both sides of the borders between the kinds of bit boards, and the largest of each.
#[test]
fn laws_hold_at_the_borders_of_the_types() {
    let narrow = [(1, 19), (19, 1), (2, 19), (19, 2), (8, 14), (8, 15), (7, 16), (9, 12), (9, 13)];
    let square = [(11, 10), (11, 11), (12, 9), (12, 10), (19, 6), (6, 18), (6, 19)];
    for (width, height) in narrow.into_iter().chain(square) {
        hold(width, height, "", 2);
        hold(width, height, "rules capture", 2);
    }
    hold(13, 13, "rules capture", 1);
    hold(19, 19, "", 1);
}

#[test]
fn every_size_opens() {
    for width in 1..=19 {
        for height in 1..=19 {
            for rules in ["standard", "capture"] {
                let game = referee(&format!("nogo size {width}x{height} rules {rules}"));
                let moves = game.legal_moves(None).expect("moves");
                let expected = if width * height == 1 { 0 } else { width * height };
                assert_eq!(moves.len(), expected, "{width}x{height}");
            }
        }
    }
}

#[test]
fn set_ups_that_do_not_exist() {
    let reason = |text: &str| games::referee(setup(text)).expect_err(text).to_string();
    assert_eq!(reason("nogo size 7 hole=2021"), "hole=2021 needs size 9, not 7x7");
    assert_eq!(reason("nogo size 9x7 hole=2022"), "hole=2022 needs size 9, not 9x7");
    assert_eq!(reason("nogo size 8 centre=forbidden"), "centre=forbidden needs odd sides: 8x8 has no centre");
    assert_eq!(
        reason("nogo size 9x4 centre=forbidden"),
        "centre=forbidden needs odd sides: 9x4 has no centre"
    );
    assert_eq!(
        reason("nogo hole=2021 centre=forbidden"),
        "centre=forbidden needs a centre: hole=2021 has none"
    );
    assert!(games::referee(setup("nogo hole=2022 centre=forbidden")).is_ok());
    for bad in ["nogo size 20", "nogo size 0", "nogo hole=2023", "nogo rules freestyle", "nogo centre=yes"] {
        assert!(Setup::parse(bad.split(' ')).is_err(), "{bad}");
    }
}

#[test]
fn one_point_is_lost_by_black() {
    for rules in ["standard", "capture", "standard centre=forbidden"] {
        let game = referee(&format!("nogo size 1 rules {rules}"));
        let ending = game.ending().expect("over at once");
        assert_eq!(ending.to_string(), "white+1 (no legal move)");
    }
}

fn refused(game: &mut dyn Referee, text: &str) -> Illegal {
    let mv = game.parse_move(text).expect(text);
    let before = (game.position_text(), game.key());
    let reason = game.play(None, mv).expect_err(text);
    assert_eq!((game.position_text(), game.key()), before, "{text} changed the game");
    reason
}

#[test]
fn illegal_moves_are_refused_with_the_reason() {
    let mut game = referee("nogo size 3");
    game.set_position("..X/OX./.O. b").expect("a legal position");
    assert_eq!(refused(&mut *game, "a1"), Illegal::Suicide);
    assert_eq!(refused(&mut *game, "A2"), Illegal::Occupied);
    assert_eq!(refused(&mut *game, "pass"), Illegal::NoPass);
    assert_eq!(game.play(Some(Color::White), Move::new(2)), Err(Illegal::NotYourTurn));
    assert_eq!(game.play(None, Move::new(3)), Err(Illegal::OffBoard), "the guard bit beside c1");
    assert_eq!(game.play(None, Move::new(500)), Err(Illegal::OffBoard));
    assert_eq!(game.play(None, Move::NONE), Err(Illegal::OffBoard));
    game.set_position("X../OX./.O. b").expect("a legal position");
    assert_eq!(refused(&mut *game, "a1"), Illegal::Capture);

    let mut game = referee("nogo hole=2021");
    assert_eq!(refused(&mut *game, "e5"), Illegal::Occupied);
    assert!(!game.has_pass());

    let mut game = referee("nogo centre=forbidden");
    assert_eq!(refused(&mut *game, "E5"), Illegal::Centre);
    for text in ["e4", "e5"] {
        game.play(None, game.parse_move(text).expect(text)).expect(text);
    }

    let mut game = referee("nogo size 1x2");
    game.play(None, game.parse_move("a1").expect("a1")).expect("legal");
    assert_eq!(refused(&mut *game, "a2"), Illegal::GameOver);
    assert_eq!(refused(&mut *game, "pass"), Illegal::NoPass);
}

#[test]
fn bad_move_texts() {
    let game = referee("nogo");
    for bad in ["i5", "k1", "a0", "a10", "a", "", "5", "a1b", "a01", "aa1", "ä1"] {
        assert!(game.parse_move(bad).is_err(), "{bad}");
    }
    let j9 = game.parse_move("J9").expect("j9");
    assert_eq!(game.move_text(j9), "j9");
    assert_eq!(game.parse_move("j9"), Ok(j9));
    assert_eq!(game.parse_move("PASS"), Ok(Move::PASS));
}

#[test]
fn position_texts_with_digits_and_any_case() {
    let mut game = referee("nogo size 3x2");
    game.set_position("x2/1O1 B").expect("legal");
    assert_eq!(game.position_text(), "X../.O. b");
    let mut game = referee("nogo size 12x2");
    game.set_position("12/x11 w").expect("legal");
    assert_eq!(game.position_text(), "............/X........... w");
}

#[test]
fn impossible_positions_are_refused() {
    let cases = [
        ("nogo size 3", "X../.../... b", "1 black and 0 white stones with black to move"),
        ("nogo size 3", "O../.../... w", "0 black and 1 white stones with white to move"),
        ("nogo size 3", "XO./O../.X. b", "the black group at a3 has no liberty"),
        ("nogo size 3", "X#./.../... w", "there is no hole at b3 on this board"),
        ("nogo size 3", ".../.../... b ply=0", "unknown word \"ply=0\""),
        ("nogo size 3", ".../... b", "2 rows, not 3"),
        ("nogo size 3", ".../.../...", "the side to move (b or w) is missing"),
        ("nogo size 3 centre=forbidden", ".../.X./... w", "Black's first move may not be the centre"),
        ("nogo size 3 centre=forbidden", "O../.X./... b", "Black's first move may not be the centre"),
        ("nogo hole=2021", "9/9/9/9/9/9/9/9/9 b", "d6 is a hole on this board (#)"),
        ("nogo hole=2021", "9/9/9/3#X#3/3###3/3###3/9/9/9 b", "e6 is a hole on this board (#)"),
        (
            "nogo size 3 rules capture",
            ".../.../... w",
            "white cannot be to move at ply 0 (as there are stones; ply=N says otherwise)",
        ),
        ("nogo size 3 rules capture", "X../.../... w ply=2", "white cannot be to move at ply 2"),
        ("nogo size 3 rules capture", "XX./.../... b ply=2", "2 black and 0 white stones at ply 2"),
        ("nogo size 3 rules capture", "X../.../... b ply=10", "ply must be a number from 0 to 9"),
        ("nogo size 3 rules capture", "X../.../... b ply=+2", "ply must be a number from 0 to 9"),
        ("nogo size 3 rules capture", "X../.../... b ply=2", "white has just moved and has no stone"),
        ("nogo size 3 rules capture", ".../.../... b ply=2", "white has just moved and has no stone"),
        ("nogo size 3 rules capture", "XO./O../.X. b", "the black group at a3 has no liberty"),
        ("nogo size 3 rules capture", "X../.../... w turn=3", "unknown word \"turn=3\""),
        (
            "nogo size 3 rules capture centre=forbidden",
            ".../.X./... w",
            "Black's first move may not be the centre",
        ),
    ];
    for (set_up, text, expected) in cases {
        let mut game = referee(set_up);
        let before = game.position_text();
        let error = game.set_position(text).expect_err(text);
        assert_eq!(error.to_string(), expected, "{set_up}: {text}");
        assert_eq!(game.position_text(), before);
    }
    let mut game = referee("nogo size 3 centre=forbidden");
    game.set_position("O../.X./..X w").expect("the other stone came first");
}

#[test]
fn stones_are_taken_under_the_rule_capture() {
    let mut game = referee("nogo size 3 rules capture");
    for text in ["a1", "a2", "c3", "b1"] {
        assert_eq!(game.ending(), None);
        game.play(None, game.parse_move(text).expect(text)).expect(text);
    }
    assert_eq!(game.position_text(), "..X/O../.O. b ply=4");
    assert_eq!(refused(&mut *game, "a1"), Illegal::Suicide);
    game.undo(1).expect("undone");
    assert_eq!(game.position_text(), "..X/O../X.. w ply=3");
}

#[test]
fn the_last_stone_taken_wins_under_the_rule_capture() {
    let mut game = referee("nogo size 1x3 rules capture");
    game.play(None, game.parse_move("a1").expect("a1")).expect("black");
    assert_eq!(game.ending(), None, "White has lost nothing yet");
    game.play(None, game.parse_move("a2").expect("a2")).expect("white");
    let ending = game.ending().expect("over");
    assert_eq!(ending.outcome, Outcome::Win(Color::White));
    assert_eq!(ending.reason, "last stone captured");
    let text = game.position_text();
    assert_eq!(text, "./O/. b ply=2");
    game.set_position(&text).expect("a finished position");
    assert_eq!(game.ending(), Some(ending));
    game.set_position("X/./. w").expect("not finished");
    assert_eq!(game.position_text(), "X/./. w ply=1");
    assert_eq!(game.ending(), None);
}

#[test]
fn as_many_plies_as_points_are_a_draw_under_the_rule_capture() {
    let mut game = referee("nogo size 3 rules capture");
    game.set_position("X../.../..O b ply=8").expect("possible");
    game.play(None, game.parse_move("b2").expect("b2")).expect("legal");
    let ending = game.ending().expect("over");
    assert_eq!(ending.to_string(), "draw (as many moves as points)");
    let text = game.position_text();
    game.set_position(&text).expect("a finished position");
    assert_eq!(game.ending(), Some(ending));
}
