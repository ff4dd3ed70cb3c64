//! Wins by continuous fours against the bare rules: published problems, every defence tried, and a
//! plain search over all fours on crowded boards.

use rand::{RngExt, SeedableRng, rngs::Xoshiro256PlusPlus};
use tengen_engine::experts::gomoku::vcf::{Answer, Solver};
use tengen_engine::game::{Game, Move, Outcome, Rules};
use tengen_engine::games::gomoku::{Gomoku, GomokuSearch};

use super::{RULES, boards, crowded, position, wins_next};
use crate::games::laws::Reference;
use crate::harness::Process;

/// Checks a line by the rules alone, with all defences: after each move but the last either the next
/// move of the line is played, or the attacker makes five, or wins by fours again (Caro's five can be
/// stopped at more than one point).
fn hold(start: &Gomoku, line: &[Move]) {
    let attacker = start.turn();
    let mut position = start.clone();
    let (five, rest) = line.split_last().expect("a line");
    assert!(line.len() % 2 == 1, "the attacker moves last");
    for pair in rest.chunks(2) {
        let [four, reply] = pair else { unreachable!("an even number") };
        assert!(position.is_legal(*four), "{four:?} in {position:?}");
        position.play(*four);
        assert_eq!(position.outcome(), None);
        let mut replies = Vec::new();
        position.moves(&mut replies);
        assert!(replies.contains(reply), "{reply:?} in {position:?}");
        for other in replies {
            position.play(other);
            assert_eq!(position.outcome(), None, "a defence that ends the game: {other:?}");
            if other != *reply && !wins_next(&mut position) {
                let again = Solver::new().solve(&position.searched(), &mut |_| false);
                let Answer::Win { line, .. } = again else { panic!("{other:?} defends {position:?}") };
                hold(&position, &line);
            }
            position.undo(other, ());
        }
        position.play(*reply);
    }
    assert!(position.is_legal(*five));
    position.play(*five);
    assert_eq!(position.outcome(), Some(Outcome::Win(attacker)));
}

#[test]
fn published_problems_are_solved_at_their_shortest() {
    let mut seen = 0;
    for (words, board) in boards(include_str!("../../../vectors/gomoku/puzzles.txt")) {
        let value = |key: &str| words.iter().find_map(|line| line.strip_prefix(key));
        let (Some(rule), Some(side), Some("VCF")) = (value("rule "), value("side "), value("kind ")) else {
            continue;
        };
        let rule = RULES.iter().find(|(name, _)| *name == rule).expect(rule).1;
        let puzzle = position(rule, 15, &format!("{board} {}", side.to_lowercase()));
        let mut solver = Solver::new();
        let answer = solver.solve(&puzzle.searched(), &mut |nodes| nodes > 2_000_000);
        let Answer::Win { line, shortest } = answer else { panic!("{words:?}: {answer:?}") };
        println!("{}: {} fours, {} nodes, shortest {shortest}", words[0], line.len() / 2, solver.nodes());
        hold(&puzzle, &line);
        if let Some(known) = value("shortest ") {
            assert_eq!((line.len() / 2).to_string(), known, "{words:?}");
            assert!(shortest, "{words:?}");
        }
        seen += 1;
    }
    assert_eq!(seen, 30);
}

/// Whether fours win, by the rules alone: a four is a move after which five threatens.
fn plain(position: &mut Gomoku, nodes: &mut u32) -> Option<bool> {
    if wins_next(position) {
        return Some(true);
    }
    *nodes += 1;
    if *nodes > 300 {
        return None;
    }
    let mut moves = Vec::new();
    position.moves(&mut moves);
    for four in moves {
        position.play(four);
        let mut won = Some(false);
        if position.outcome().is_none() && threatens(position) && !wins_next(position) {
            let mut replies = Vec::new();
            position.moves(&mut replies);
            won = Some(true);
            for reply in replies {
                position.play(reply);
                let child = if position.outcome().is_some() { Some(false) } else { plain(position, nodes) };
                position.undo(reply, ());
                if child != Some(true) {
                    won = child;
                    break;
                }
            }
        }
        position.undo(four, ());
        if won != Some(false) {
            return won;
        }
    }
    Some(false)
}

/// Whether the side that just moved would make five if it moved again.
fn threatens(position: &Gomoku) -> bool {
    position.with_turn(!position.turn()).is_some_and(|mut passed| wins_next(&mut passed))
}

#[test]
fn fours_agree_with_plain_search() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(6);
    for (name, rule) in RULES {
        let (mut wins, mut none) = (0, 0);
        for _ in 0..400 {
            let size = rng.random_range(6..9_usize);
            let stones = rng.random_range(8..size * size / 2);
            let board = crowded(name, size, stones, &mut rng);
            let Ok(mut start) = Gomoku::new(size as u8, rule).parse_position(&board.text()) else { continue };
            if start.outcome().is_some() {
                continue;
            }
            let Some(expected) = plain(&mut start, &mut 0) else { continue };
            let answer = Solver::new().solve(&GomokuSearch::new(&start), &mut |_| false);
            match answer {
                Answer::Win { line, .. } => {
                    assert!(expected, "{name}: {line:?} in {start:?}");
                    hold(&start, &line);
                    wins += 1;
                }
                Answer::No => {
                    assert!(!expected, "{name}: nothing found in {start:?}");
                    none += 1;
                }
                Answer::Unknown => panic!("nobody stopped it"),
            }
        }
        println!("{name}: {wins} won, {none} not");
        assert!(wins >= 20 && none >= 20, "{name}: {wins} won, {none} not");
    }
}

/// The same through the program: win with the line, no, and the errors a user may meet.
#[test]
fn solve_vcf_answers_win_no_and_unknown() {
    let mut engine = Process::engine(&[]);
    engine.ok("newgame gomoku rules renju");
    assert!(engine.ok("solve vcf").starts_with("status no nodes 1 "));
    engine.ok("position 15/8O2X3/4X1OX7/7X2O4/7OX2O3/6XXO1X4/5O1OOX1O3/7XXO5/15/15/15/15/15/15/15 b");
    let reply = engine.ok("solve vcf");
    assert!(reply.starts_with("status win nodes "), "{reply}");
    let line: Vec<&str> = reply.split_once(" pv ").expect("a line").1.split(' ').collect();
    assert_eq!((line[0], line.len()), ("j12", 25), "{reply}");
    // A general solution tries them first.
    let general = engine.ok("solve");
    assert_eq!(general.split_once(" pv ").map(|(_, line)| line), Some(&*line.join(" ")), "{general}");
    engine.ok("newgame othello");
    assert_eq!(engine.ask("solve vcf").expect_err("refused"), "only Gomoku is won by continuous fours");
    assert!(engine.ask("solve vfc").expect_err("refused").contains("solve [exact|wld|vcf]"));
}
