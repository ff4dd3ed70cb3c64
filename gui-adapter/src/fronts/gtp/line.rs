//! One line of GTP taken apart.

use tengen_engine::protocol::Request;

/// What a line is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Line {
    /// Nothing but blanks or a comment: no reply.
    Blank,
    /// The comment `# interrupt`: ends what is being computed.
    Interrupt,
    /// A command, or an id without one (then `words` is empty).
    Command {
        /// The id, its digits as they came.
        id: Option<String>,
        /// The name and the arguments.
        words: Vec<String>,
        /// All that follows the name, as it came but for blanks at its ends.
        rest: String,
    },
}

impl Line {
    /// Reads a line as GTP 2 says: control characters are dropped, tabs are blanks, `#` begins a
    /// comment, an id is a number of at most ten digits.
    pub(super) fn parse(line: &str) -> Line {
        let clean: String = line
            .chars()
            .filter(|&c| c == '\t' || !c.is_control())
            .map(|c| if c == '\t' { ' ' } else { c })
            .collect();
        let (text, comment) = clean.split_once('#').unwrap_or((&clean, ""));
        let (id, text) = match first_word(text) {
            (word, rest) if is_id(word) => (Some(word.to_owned()), rest),
            _ => (None, text),
        };
        let words: Vec<String> = text.split(' ').filter(|word| !word.is_empty()).map(str::to_owned).collect();
        let rest = first_word(text).1.trim_matches(' ').to_owned();
        match (&id, words.is_empty(), comment.trim()) {
            (None, true, "interrupt") => Line::Interrupt,
            (None, true, _) => Line::Blank,
            _ => Line::Command { id, words, rest },
        }
    }

    /// Whether it is the command of that name.
    pub(super) fn is(&self, name: &str) -> bool {
        matches!(self, Line::Command { words, .. } if words.first().is_some_and(|word| word == name))
    }

    /// The id of a line of which only the beginning is at hand.
    pub(super) fn id_of_head(head: &str) -> Option<String> {
        Request::parse(head).and_then(|request| request.id)
    }
}

fn is_id(word: &str) -> bool {
    (1..=10).contains(&word.len()) && word.bytes().all(|b| b.is_ascii_digit())
}

/// The first word and what follows it.
fn first_word(text: &str) -> (&str, &str) {
    let text = text.trim_start_matches(' ');
    text.split_once(' ').unwrap_or((text, ""))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn command(id: Option<&str>, words: &[&str]) -> Line {
        Line::Command {
            id: id.map(str::to_owned),
            words: words.iter().map(|&w| w.to_owned()).collect(),
            rest: words.get(1..).unwrap_or_default().join(" "),
        }
    }

    #[test]
    fn lines_of_every_kind() {
        for (text, line) in [
            ("", Line::Blank),
            (" \t\r", Line::Blank),
            ("# a comment", Line::Blank),
            ("# interrupt", Line::Interrupt),
            ("#interrupt\r", Line::Interrupt),
            ("# interrupted", Line::Blank),
            ("name # interrupt", command(None, &["name"])),
            ("00012\tname\r", command(Some("00012"), &["name"])),
            ("3", command(Some("3"), &[])),
            ("3 # x", command(Some("3"), &[])),
            ("12345678901 name", command(None, &["12345678901", "name"])),
            ("-3 name", command(None, &["-3", "name"])),
            ("pl\u{7}ay\u{0}  b\td4 ", command(None, &["play", "b", "d4"])),
        ] {
            assert_eq!(Line::parse(text), line, "{text:?}");
        }
        let path = Line::parse(" 7  loadsgf  my  game.sgf\t12 \r # x");
        assert!(matches!(path, Line::Command { rest, .. } if rest == "my  game.sgf 12"));
        assert!(Line::parse("3 quit").is("quit") && !Line::parse("3").is("quit"));
        assert_eq!(Line::id_of_head("12 gogui-play_sequence b A1 w").as_deref(), Some("12"));
    }
}
