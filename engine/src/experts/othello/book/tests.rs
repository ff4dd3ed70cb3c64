use super::fold::images;
use super::*;
use crate::experts::othello::Expert;
use crate::game::random::{self, Rng};
use crate::game::{Color, Game as _, Knowledge as _, Move};
use crate::games::othello::Othello;
use crate::games::othello::pattern::UNIT;
use crate::search::value;

/// Positions of random games with the side to move having a move, each with its predecessors in the list.
fn reached(seed: u64, games: usize, plies: usize) -> Vec<Othello<Standard>> {
    let mut rng = random::rng(seed);
    let mut all = Vec::new();
    for _ in 0..games {
        let mut position = Othello::<Standard>::start();
        for _ in 0..plies {
            let mobility = position.mobility();
            if mobility != 0 {
                all.push(position);
            } else if position.outcome().is_some() {
                break;
            }
            let choice = random::below(&mut rng, mobility.count_ones().max(1)) as usize;
            position.play(squares(mobility).nth(choice).map_or(Move::PASS, Move::new));
        }
    }
    all
}

/// An unsettled entry without a leaf.
fn bare(own: u64, opp: u64) -> Entry {
    let (own, opp) = fold(own, opp);
    Entry { own, opp, value: 0, leaf: None }
}

/// Gives every entry a leaf drawn by lot where a move leads out of the book.
fn with_leaves(book: &mut Book, rng: &mut Rng) {
    let leaves: Vec<Entry> = (book.entries.iter())
        .map(|entry| {
            let out: Vec<u32> = squares(Standard::mobility(entry.own, entry.opp))
                .filter(|&square| book.link(entry.own, entry.opp, square).is_none())
                .collect();
            let leaf = out.get(random::below(rng, out.len().max(1) as u32) as usize).map(|&square| Leaf {
                square: square as u8,
                value: random::below(rng, 41) as i8 - 20,
                depth: random::below(rng, 61) as u8,
                selectivity: random::below(rng, 6) as u8,
            });
            Entry { leaf, ..*entry }
        })
        .collect();
    book.insert(leaves);
    book.settle();
}

fn random_book(seed: u64, games: usize, plies: usize) -> Book {
    let mut book = Book { command: "drawn by lot".into(), ..Book::new(seed) };
    book.insert(reached(seed, games, plies).iter().map(|position| bare(position.own(), position.opp())));
    with_leaves(&mut book, &mut random::rng(!seed));
    book
}

#[test]
fn all_images_fold_to_the_same() {
    for position in reached(1, 30, 60) {
        let (own, opp) = (position.own(), position.opp());
        let all: Vec<(u64, u64)> = images(own).into_iter().zip(images(opp)).collect();
        for &(own, opp) in &all {
            assert_eq!(fold(own, opp), fold(position.own(), position.opp()));
            assert_eq!(Standard::mobility(own, opp).count_ones(), position.mobility().count_ones());
        }
        let mut different = all.clone();
        different.sort_unstable();
        different.dedup();
        assert_eq!(8 % different.len(), 0, "a subgroup leaves it as it is");
    }
    // a1, b1 and a2 come to each corner, both ways.
    let corner = images(0b1);
    assert_eq!(corner.map(u64::trailing_zeros), [0, 7, 56, 63, 0, 7, 56, 63]);
    let mut beside = images(0b10).map(u64::trailing_zeros);
    beside.sort_unstable();
    assert_eq!(beside, [1, 6, 8, 15, 48, 55, 57, 62]);
}

#[test]
fn all_images_of_a_position_give_the_same_moves() {
    let book = random_book(2, 60, 30);
    let mut leaves = 0;
    for entry in book.entries() {
        let choices = book.probe(entry.own, entry.opp).unwrap();
        for image in 0..8 {
            let (own, opp) = (images(entry.own)[image], images(entry.opp)[image]);
            let mut there: Vec<(u32, i32)> =
                book.probe(own, opp).unwrap().iter().map(|choice| (choice.square, choice.value)).collect();
            let mut mapped: Vec<(u32, i32)> = choices
                .iter()
                .map(|choice| (images(1 << choice.square)[image].trailing_zeros(), choice.value))
                .collect();
            there.sort_unstable();
            mapped.sort_unstable();
            assert_eq!(there, mapped);
        }
        leaves += choices.iter().filter(|choice| matches!(choice.known, Known::Leaf(_))).count();
    }
    assert!(leaves > 100);
    let start = Othello::<Standard>::start();
    assert_eq!(book.probe(start.own(), start.opp()).unwrap().len(), 4, "all four are the same move");
    assert_eq!(book.probe(0x10, 0x8), None);
}

#[test]
fn values_are_those_of_plain_negamax() {
    fn plain(book: &Book, position: &Othello<Standard>) -> i32 {
        let Some(index) = book.find(position.own(), position.opp()) else {
            // What follows a pass; else the end.
            let mut next = *position;
            if position.outcome().is_some() {
                return final_score(position.own(), position.opp());
            }
            next.play(Move::PASS);
            return -plain(book, &next);
        };
        let mut best = book.entries[index].leaf.map(|leaf| i32::from(leaf.value));
        for square in squares(position.mobility()) {
            if book.link(position.own(), position.opp(), square).is_some() {
                let mut next = *position;
                next.play(Move::new(square));
                best = best.max(Some(-plain(book, &next)));
            }
        }
        best.unwrap()
    }
    // Whole games too: with passes and ends.
    let book = random_book(3, 40, 70);
    book.check().unwrap();
    let (mut passes, mut ends) = (0, 0);
    for entry in book.entries() {
        let position = Othello::new(entry.own, entry.opp, Color::White);
        assert_eq!(i32::from(entry.value), plain(&book, &position));
        for (square, link) in book.links(entry.own, entry.opp) {
            let mut next = position;
            next.play(Move::new(square));
            match link {
                Link::Over(score) => {
                    ends += 1;
                    assert_eq!(score, -final_score(next.own(), next.opp()));
                    assert!(next.outcome().is_some());
                }
                Link::Held { passed, .. } => {
                    passes += u32::from(passed);
                    assert_eq!(passed, next.mobility() == 0);
                }
            }
        }
    }
    assert!(passes > 10 && ends > 10, "{passes} passes, {ends} ends");
}

#[test]
fn a_check_finds_what_is_wrong() {
    let book = random_book(4, 5, 20);
    book.check().unwrap();
    let changed = |change: fn(&mut Entry)| {
        let mut other = book.clone();
        change(&mut other.entries[7]);
        other.check().unwrap_err()
    };
    assert!(book.entries[7].leaf.is_some());
    assert!(changed(|entry| entry.leaf = None).1.contains("lacks a leaf"));
    assert!(changed(|entry| entry.value += 1).1.contains("its best move has"));
    let mut more = book.clone();
    let entry = book.entries[7];
    let (own, opp) = after(entry.own, entry.opp, u32::from(entry.leaf.unwrap().square));
    more.insert([bare(own, opp)]);
    with_leaves(&mut more, &mut random::rng(0));
    more.check().unwrap();
    more.insert([entry]);
    assert_eq!(more.check().unwrap_err(), (entry, "its leaf is in the book".to_owned()));
}

#[test]
fn a_file_comes_back() {
    for (games, plies) in [(0, 0), (1, 1), (50, 40)] {
        let book = random_book(5, games, plies);
        let file = book.encode();
        assert_eq!(file.len(), 30 + "drawn by lot".len() + RECORD * book.entries().len());
        assert_eq!(Book::read(&file), Ok(book));
    }
    let long = Book { command: "é".repeat(40_000), ..Book::default() };
    assert_eq!(Book::read(&long.encode()).unwrap().command.len(), 65_534, "cut between letters");
}

#[test]
fn damaged_files_are_refused() {
    let file = random_book(6, 4, 12).encode();
    for at in 0..file.len() {
        assert!(Book::read(&file[..at]).is_err(), "cut at {at}");
        let mut changed = file.clone();
        changed[at] ^= 1 << (at % 8);
        let error = Book::read(&changed).unwrap_err();
        assert!(at < 8 || error == "wrong checksum", "byte {at}: {error}");
    }
    assert!(Book::read(&[&file[..], b"x"].concat()).is_err());
}

#[test]
fn no_book_leads_to_an_illegal_move() {
    let whole = random_book(7, 6, 14);
    let file = whole.encode();
    let mut rng = random::rng(8);
    let (mut read, mut seen) = (0, std::collections::BTreeSet::new());
    for _ in 0..8_000 {
        let mut changed = file.clone();
        for _ in 0..1 + random::below(&mut rng, 3) {
            let at = 16 + random::below(&mut rng, file.len() as u32 - 16) as usize;
            changed[at] = random::below(&mut rng, 256) as u8;
        }
        let sum = checksum(&changed[16..]).to_le_bytes();
        changed[8..16].copy_from_slice(&sum);
        let mut book = match Book::read(&changed) {
            Ok(book) => book,
            Err(error) => {
                seen.insert(error);
                continue;
            }
        };
        read += 1;
        let _sound_or_not = book.check();
        for entry in whole.entries().iter().chain(&book.entries) {
            let position = Othello::new(entry.own, entry.opp, Color::Black);
            for choice in book.probe(entry.own, entry.opp).unwrap_or_default() {
                assert!(position.is_legal(Move::new(choice.square)));
            }
            for (line, mut position) in book
                .play(&position, 16, 3)
                .iter()
                .flat_map(|(report, _)| &report.lines)
                .zip(std::iter::repeat(position))
            {
                for &mv in &line.moves {
                    assert!(position.is_legal(mv));
                    position.play(mv);
                }
            }
        }
        book.settle();
    }
    assert!(read > 400, "{read}");
    assert_eq!(seen.len(), 8, "every refusal but those of head and checksum: {seen:?}");
}

#[test]
fn a_move_is_drawn_within_the_loss() {
    // After f5 the three answers: each leads to a position with one leaf.
    let mut start = Othello::<Standard>::start();
    start.play(Move::new(37));
    let mut book = Book::default();
    book.insert([bare(start.own(), start.opp())]);
    let answers: Vec<u32> = squares(start.mobility()).collect();
    assert_eq!(answers.len(), 3);
    for (&square, value) in answers.iter().zip([2, -1, 1]) {
        let (own, opp) = after(start.own(), start.opp(), square);
        let (own, opp) = fold(own, opp);
        let out = Standard::mobility(own, opp).trailing_zeros() as u8;
        let leaf = Leaf { square: out, value: -value, depth: 12, selectivity: 0 };
        book.insert([Entry { own, opp, value: 0, leaf: Some(leaf) }]);
    }
    book.settle();
    let drawn = |loss: u32| {
        let mut squares = std::collections::BTreeSet::new();
        for seed in 0..200 {
            let (report, chosen) = book.play(&start, loss, seed).unwrap();
            assert_eq!(book.play(&start, loss, seed), Some((report.clone(), chosen)), "drawn by the seed");
            assert_eq!(report.lines.iter().map(|line| line.score / UNIT).collect::<Vec<_>>(), [2, 1, -1]);
            assert_eq!(report.depth, 13);
            assert_eq!(report.lines[0].winrate, value::chance(2 * UNIT, Othello::<Standard>::SCALE));
            squares.insert(report.lines[chosen].moves[0].raw());
        }
        squares.into_iter().collect::<Vec<_>>()
    };
    assert_eq!(drawn(0), [answers[0]]);
    assert_eq!(drawn(1), [answers[0], answers[2]]);
    assert_eq!(drawn(2), [answers[0], answers[2]]);
    assert_eq!(drawn(3), answers);

    // A leaf as good as the best link comes behind it; a better one leaves the decision to a search.
    let best = after(start.own(), start.opp(), answers[0]);
    let place = book.find(best.0, best.1).unwrap();
    let entry = book.entries[place];
    book.entries.remove(place);
    let leaf = |value: i8, book: &Book| {
        let index = book.find(start.own(), start.opp()).unwrap();
        let Entry { own, opp, .. } = book.entries[index];
        let square = (squares(Standard::mobility(own, opp)))
            .find(|&square| book.link(own, opp, square).is_none())
            .unwrap() as u8;
        Entry { leaf: Some(Leaf { square, value, depth: 12, selectivity: 0 }), ..book.entries[index] }
    };
    for (value, played) in [(0, true), (1, true), (2, false)] {
        book.insert([leaf(value, &book)]);
        book.settle();
        book.check().unwrap();
        let first = book.probe(start.own(), start.opp()).unwrap()[0];
        assert_eq!(matches!(first.known, Known::Link(_)), played);
        assert_eq!(book.play(&start, 16, 0).is_some(), played);
    }
    book.insert([entry]);
    assert_eq!(book.play(&Othello::start(), 0, 0), None);
}

#[test]
fn a_study_leaves_moves_out() {
    let mut expert = Expert::new(1);
    for position in reached(9, 12, 70).iter().filter(|position| position.empty().count_ones() == 9) {
        let values: Vec<(Move, i32)> = squares(position.mobility())
            .map(|square| {
                let mut next = *position;
                next.play(Move::new(square));
                let (own, opp) = (next.own(), next.opp());
                let value = if next.outcome().is_some() {
                    -final_score(own, opp)
                } else if next.mobility() == 0 {
                    next.play(Move::PASS);
                    expert.study(&next, &[], 60).unwrap().value
                } else {
                    -expert.study(&next, &[], 60).unwrap().value
                };
                (Move::new(square), value)
            })
            .collect();
        let mut without = Vec::new();
        while let Some(study) = expert.study(position, &without, 60) {
            let rest = values.iter().filter(|(mv, _)| !without.contains(mv));
            assert_eq!(Some(study.value), rest.map(|&(_, value)| value).max());
            assert!(values.contains(&(study.mv, study.value)));
            assert_eq!((study.depth, study.selectivity), (9, SELECTIVITY_NONE));
            without.push(study.mv);
        }
        assert_eq!(without.len(), values.len());
    }
}

#[test]
fn the_built_in_book_is_sound() {
    let book = Book::read(include_bytes!("../book.bin")).unwrap();
    book.check().unwrap();
    let start = Othello::<Standard>::start();
    assert!(book.play(&start, 0, 0).is_some());
    assert!(book.entries().len() >= 1_000 && book.encode().len() <= 4 << 20);
    let record = include_str!("../book.toml");
    assert!(record.contains(&format!("positions = {}\n", book.entries().len())), "{record}");
    assert!(record.contains(&format!("weights = \"{:016x}\"\n", book.weights)), "{record}");
}
