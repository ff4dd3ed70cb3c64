//! The lines of the GUI.

/// What a line says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Word {
    /// `nboard VERSION`
    NBoard,
    /// `set depth N`
    Depth(u32),
    /// `set game GGF`
    Game(String),
    /// `move F5/EVAL/TIME`, or version 1's bare `F5`.
    Move(String),
    /// `go`
    Go,
    /// `hint N`
    Hint(u32),
    /// `learn`
    Learn,
    /// `analyze`
    Analyze,
    /// `ping N`, the number as it came.
    Ping(String),
    /// `quit`
    Quit,
    /// Anything else, to be ignored as a whole; `set contempt N` too, because it is about books.
    Unknown,
}

impl Word {
    /// Reads a line; blanks around it and the carriage return of Windows do not matter.
    pub(super) fn parse(line: &str) -> Word {
        let line = line.trim();
        let (name, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let rest = rest.trim();
        match (name, rest) {
            ("nboard", version) if version.parse::<u32>().is_ok() => Word::NBoard,
            ("set", rest) => match rest.split_once(char::is_whitespace) {
                Some(("depth", depth)) => match depth.trim().parse::<u32>() {
                    // The engine takes no more.
                    Ok(depth) => Word::Depth(depth.clamp(1, 60)),
                    Err(_) => Word::Unknown,
                },
                Some(("game", game)) => Word::Game(game.trim().to_owned()),
                _ => Word::Unknown,
            },
            ("move", text) if !text.is_empty() => Word::Move(text.to_owned()),
            ("go", "") => Word::Go,
            ("hint", lines) => lines.parse().map_or(Word::Unknown, Word::Hint),
            ("learn", "") => Word::Learn,
            ("analyze", "") => Word::Analyze,
            ("ping", number) if number.len() <= 20 && number.parse::<i64>().is_ok() => {
                Word::Ping(number.to_owned())
            }
            ("quit", "") => Word::Quit,
            (bare, "") if is_bare_move(bare) => Word::Move(bare.to_owned()),
            _ => Word::Unknown,
        }
    }
}

/// `F5`, `J10`, `PA`, with what may follow behind slashes.
fn is_bare_move(text: &str) -> bool {
    let name = text.split('/').next().unwrap_or_default();
    if name.eq_ignore_ascii_case("pa") {
        return true;
    }
    let mut chars = name.chars();
    let letter = chars.next().is_some_and(|c| matches!(c.to_ascii_lowercase(), 'a'..='j'));
    let row = chars.as_str();
    letter
        && row.bytes().all(|b| b.is_ascii_digit())
        && row.parse().is_ok_and(|row: u8| (1..=10).contains(&row))
}
