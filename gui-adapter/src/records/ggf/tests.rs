use tengen_engine::game::random::{below, rng};

use super::*;

const NBOARD: &str = "(;GM[Othello]PC[NBoard]DT[2014-02-21 20:52:27 GMT]PB[./mEdax]PW[chris]RE[?]TI[15:00]TY[8]\
                      BO[8 ---------------------------O*------*O--------------------------- *]\
                      B[F5//2.449]W[F6/0.00]B[D3]W[C5];)";

fn history(loaded: &Loaded) -> String {
    let referee = &loaded.referee;
    let words =
        referee.history().into_iter().map(|(c, mv)| format!("{}{}", c.letter(), referee.move_text(mv)));
    words.collect::<Vec<_>>().join(" ")
}

#[test]
fn nboards_own_record_is_read() {
    let loaded = load(NBOARD).unwrap();
    assert_eq!(history(&loaded), "bf5 wf6 bd3 wc5");
    assert_eq!(loaded.referee.start_text(), None, "the board is the start position");
    assert_eq!(loaded.clock, Some(Clock { main: Duration::from_secs(900), increment: Duration::ZERO }));
    assert_eq!(loaded.spent, [Duration::from_millis(2449), Duration::ZERO]);
}

#[test]
fn unknown_tags_blanks_and_counts_do_not_matter() {
    let text = "2 (; GM [othello] KM[0] XYZ[what ever] TI[01:00:05.5,10/00:10/2:00] RB[1800.1]\nTY[s8r20]\
                B[f5/1.5,2.5/3] ;)(;GM[Chess];)";
    let loaded = load(text).unwrap();
    assert_eq!(history(&loaded), "bf5");
    let clock = loaded.clock.unwrap();
    assert_eq!((clock.main.as_secs_f64(), clock.increment.as_secs()), (3605.5, 10));
}

/// Edax lost the passes of a record and then moved for the wrong side (okuhara/edax-reversi-AVX#1,
/// abulmo/edax-reversi#50).
#[test]
fn passes_are_moves_and_may_be_left_out() {
    let mut rng = rng(5);
    let mut seen = 0;
    while seen < 5 {
        let mut referee = games::referee(Setup::parse(["othello", "size", "6"]).unwrap()).unwrap();
        while referee.ending().is_none() {
            let moves = referee.legal_moves(None).unwrap();
            referee.play(None, moves[below(&mut rng, moves.len() as u32) as usize]).unwrap();
        }
        let text = print(&*referee, &[], &[]).unwrap();
        let without = text.replace("B[PA]", "").replace("W[PA]", "");
        seen += usize::from(text != without);
        for text in [&text, &without, &text.replace("[PA]", "[pass/-1.5]")] {
            assert_eq!(load(text).unwrap().referee.history(), referee.history(), "{text}");
        }
    }
}

#[test]
fn boards_of_other_sizes() {
    for side in [6_u8, 8, 10] {
        let loaded = load(&format!("(;GM[Othello]TY[{side}];)")).unwrap();
        assert_eq!(loaded.referee.geometry().width, side);
        let printed = print(&*loaded.referee, &[], &[]).unwrap();
        assert!(printed.contains(&format!("TY[{side}]BO[{side} --")), "{printed}");
        assert_eq!(load(&printed).unwrap().referee.start_text(), None, "{printed}");
    }
}

#[test]
fn what_is_no_record_is_refused() {
    for bad in [
        "",
        "(;",
        "(;GM[Othello]",
        "(;GM[Othello",
        "(;[x];)",
        "(;GM[Chess];)",
        "(;GM[Othello]TY[8a];)",
        "(;GM[Othello]TY[7];)",
        "(;GM[Othello]BO[8 --- *];)",
        "(;GM[Othello]BO[];)",
        "(;GM[Othello]BO[255 *];)",
        "(;GM[Othello]BO[0 *];)",
        "(;GM[Othello]BO[8 ---------------------------O+------*O--------------------------- *];)",
        "(;GM[Othello]B[A1];)",
        "(;GM[Othello]B[];)",
        "(;GM[Othello]B[F5]B[F5];)",
        "(;GM[Othello]B[F5]B[PA];)",
        "(;GM[Amazons]B[PA];)",
    ] {
        assert!(load(bad).is_err(), "{bad}");
    }
    assert_eq!(load(&"x".repeat(LONGEST + 1)).unwrap_err(), GgfError::TooLong);
}

/// Random games of both games, written and read again.
#[test]
fn what_is_written_is_read() {
    let mut rng = rng(3);
    for setup in ["othello", "othello size 6", "othello size 10", "amazons size 8", "amazons"] {
        let mut referee = games::referee(Setup::parse(setup.split(' ')).unwrap()).unwrap();
        let mut notes = Vec::new();
        while referee.ending().is_none() {
            let moves = referee.legal_moves(None).unwrap();
            referee.play(None, moves[below(&mut rng, moves.len() as u32) as usize]).unwrap();
            notes.push(Note { eval: Some(-0.5), time: Some(Duration::from_millis(1500)) });
        }
        let tags = [("PC", "Tengen"), ("PB", "a]b\n"), ("TI", "05:00")];
        let text = print(&*referee, &tags, &notes).unwrap();
        assert!(text.contains("PB[ab]") && !text.contains('\n'), "{text}");
        let loaded = load(&text).unwrap_or_else(|error| panic!("{error}: {text}"));
        assert_eq!(loaded.referee.history(), referee.history(), "{text}");
        assert_eq!(loaded.referee.position_text(), referee.position_text());
        assert_eq!(loaded.referee.start_text(), None);
        let spent: Duration = loaded.spent.iter().sum();
        assert_eq!(spent, Duration::from_millis(1500) * notes.len() as u32);
        let first_is_black = text.find("B[").unwrap() < text.find("W[").unwrap();
        assert!(first_is_black, "{text}");
    }
    let nogo = games::referee(Setup::new(GameId::NoGo)).unwrap();
    assert_eq!(print(&*nogo, &[], &[]), None);
}

#[test]
fn the_first_mover_of_amazons_is_black_in_the_format_and_stands_on_row_one() {
    let referee = games::referee(Setup::new(GameId::Amazons)).unwrap();
    let text = print(&*referee, &[], &[]).unwrap();
    assert!(text.contains("BO[10 ---*--*---") && text.ends_with(" *];)"), "{text}");
    let loaded = load("(;GM[Amazons]B[J4-I4-J5//11.88];)").unwrap();
    assert_eq!(history(&loaded), "wj4-i4-j5");
    assert_eq!(loaded.spent, [Duration::ZERO, Duration::from_millis(11_880)]);
}
