//! Replays the transcripts of `protocol.md` against the real daemon, and holds the document to the
//! list of commands.

use std::collections::BTreeSet;

use crate::harness::Process;
use tengen_engine::{options, protocol};

const DOCUMENT: &str = include_str!("../../protocol.md");

/// The fenced blocks of one kind: line number and text.
fn blocks(kind: &str) -> Vec<(usize, Vec<&'static str>)> {
    let mut found = Vec::new();
    let mut block: Option<(usize, Vec<&str>)> = None;
    for (number, line) in DOCUMENT.lines().enumerate() {
        match &mut block {
            None if line == format!("```{kind}") => block = Some((number + 1, Vec::new())),
            None => {}
            Some(_) if line == "```" => found.extend(block.take()),
            Some((_, lines)) => lines.push(line),
        }
    }
    found
}

/// Whether a line fits: `*` stands for any one word, and a last word `...` for all that follow.
fn fits(expected: &str, line: &str) -> bool {
    let mut words = line.split(' ');
    for part in expected.split(' ') {
        if part == "..." {
            return true;
        }
        match words.next() {
            Some(word) if part == "*" || part == word => {}
            _ => return false,
        }
    }
    words.next().is_none()
}

#[test]
fn wildcards_fit_words() {
    assert!(fits("= d4", "= d4") && fits("time * nps *", "time 1 nps 2") && fits("pv d4 ...", "pv d4 e5 f6"));
    assert!(!fits("= d4", "= d5") && !fits("a *", "a") && !fits("a", "a b"));
}

#[test]
fn every_transcript_replays() {
    let transcripts = blocks("transcript");
    assert!(transcripts.len() >= 12, "only {} transcripts", transcripts.len());
    for (start, lines) in transcripts {
        let mut engine = Process::engine(&[]);
        let mut quit = false;
        for (i, line) in lines.iter().enumerate() {
            let place = format!("protocol.md:{}: {line}", start + i + 1);
            if let Some(command) = line.strip_prefix("> ") {
                engine.tell(command);
                quit |= command.ends_with("quit");
            } else if let Some(expected) = line.strip_prefix('<') {
                let expected = expected.strip_prefix(' ').unwrap_or(expected);
                let heard = engine.hear();
                // A reply with empty text ends in a blank, which a document does not show.
                assert!(
                    fits(expected, &heard) || fits(expected, heard.trim_end()),
                    "{place}\nheard: {heard}"
                );
            } else {
                panic!("{place}: neither > nor <");
            }
        }
        if quit {
            assert!(engine.wait().success());
        } else {
            let (status, rest) = engine.finish();
            assert!(status.success() && rest.is_empty(), "protocol.md:{start}: {status}, then {rest:?}");
        }
    }
}

#[test]
fn the_document_and_the_program_know_the_same_commands() {
    let headings: BTreeSet<&str> =
        DOCUMENT.lines().filter_map(|line| line.strip_prefix("### `")?.split([' ', '`']).next()).collect();
    let commands: BTreeSet<&str> = protocol::COMMANDS.iter().copied().collect();
    assert_eq!(headings, commands);
    let mut engine = Process::engine(&[]);
    let listed = engine.ok("list_commands");
    assert_eq!(listed.lines().collect::<BTreeSet<_>>(), commands);
    let mut used = BTreeSet::new();
    for (_, lines) in blocks("transcript") {
        for line in lines.iter().filter_map(|line| line.strip_prefix("> ")) {
            used.extend(line.split(' ').filter(|word| commands.contains(word)).take(1));
        }
    }
    assert_eq!(used, commands, "every command occurs in a transcript");
    for command in commands {
        assert_eq!(engine.ok(&format!("known_command {command}")), "true");
    }
    assert_eq!(engine.ok("known_command nosuch"), "false");
}

#[test]
fn the_document_lists_every_option() {
    for spec in options::TABLE {
        let row = format!("| `{}` |", spec.name);
        let line = DOCUMENT.lines().find(|line| line.starts_with(&row));
        let line = line.unwrap_or_else(|| panic!("no row {row} in protocol.md"));
        assert!(line.contains(spec.help.trim()), "{line}\nshould say: {}", spec.help.trim());
        assert!(line.contains(&format!("| {} |", spec.default)), "{line}: default {}", spec.default);
    }
}
