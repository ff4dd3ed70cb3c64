//! The front that is told by the client's first line which protocol it speaks, for GUIs that start a
//! program without arguments.

use crate::bridge::{Action, Dialect};
use crate::client::Event;

/// A protocol that the first line can tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Protocol {
    /// GTP 2.
    Gtp,
    /// Gomocup, the protocol of Piskvork.
    Gomocup,
    /// Gomocup as Yixin-Board speaks it.
    Yixin,
    /// The universal game interface.
    Ugi,
    /// UCI in the dialect of Fairy-Stockfish.
    Uci,
    /// NBoard 2.
    NBoard,
    /// Botzone's JSON.
    Botzone,
    /// Analysis queries and the dialogue of web pages.
    Json,
}

impl Protocol {
    /// The protocol of that name, any case, as `tengen.toml` writes it.
    #[must_use]
    pub fn parse(name: &str) -> Option<Protocol> {
        Some(match name.to_ascii_lowercase().as_str() {
            "gtp" => Protocol::Gtp,
            "gomocup" | "piskvork" => Protocol::Gomocup,
            "yixin" => Protocol::Yixin,
            "ugi" => Protocol::Ugi,
            "uci" => Protocol::Uci,
            "nboard" => Protocol::NBoard,
            "botzone" => Protocol::Botzone,
            "json" => Protocol::Json,
            _ => return None,
        })
    }

    /// The protocol that a program of that name speaks: `pbrain-...` is a Gomocup engine.
    #[must_use]
    pub fn of_program(name: &str) -> Option<Protocol> {
        name.to_ascii_lowercase().starts_with("pbrain").then_some(Protocol::Gomocup)
    }

    /// The protocol of a client whose first line this is.
    #[must_use]
    pub fn of_line(line: &str) -> Protocol {
        let line = line.trim();
        if line.starts_with('{') {
            let botzone = line.contains("\"requests\"") && !line.contains("\"id\"");
            return if botzone { Protocol::Botzone } else { Protocol::Json };
        }
        let first = line.split_ascii_whitespace().next().unwrap_or_default();
        match first.to_ascii_uppercase().as_str() {
            "UCI" => Protocol::Uci,
            "UGI" => Protocol::Ugi,
            "NBOARD" => Protocol::NBoard,
            "START" | "RECTSTART" | "RESTART" | "ABOUT" | "INFO" | "BEGIN" | "BOARD" | "SWAP2BOARD" => {
                Protocol::Gomocup
            }
            word if word.starts_with("YX") => Protocol::Gomocup,
            _ => Protocol::Gtp,
        }
    }
}

/// Opens the front of a protocol.
pub type Opener = Box<dyn Fn(Protocol) -> Result<Box<dyn Dialect>, String>>;

/// The front that waits for the first line.
pub struct Auto {
    open: Opener,
    front: Option<Box<dyn Dialect>>,
}

impl std::fmt::Debug for Auto {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Auto").field("decided", &self.front.is_some()).finish_non_exhaustive()
    }
}

impl Auto {
    /// A front that has heard nothing yet.
    #[must_use]
    pub fn new(open: Opener) -> Auto {
        Auto { open, front: None }
    }

    /// The front for a client that began with this line.
    fn decide(&mut self, line: &str, out: &mut Vec<Action>) -> Option<&mut Box<dyn Dialect>> {
        if self.front.is_none() {
            let protocol = Protocol::of_line(line);
            log::info!(target: "adapter", "the client speaks {protocol:?}");
            match (self.open)(protocol) {
                Ok(front) => self.front = Some(front),
                Err(problem) => {
                    log::error!(target: "adapter", "{problem}");
                    out.push(Action::Quit);
                }
            }
        }
        self.front.as_mut()
    }
}

impl Dialect for Auto {
    fn line(&mut self, line: &str, out: &mut Vec<Action>) {
        if self.front.is_none() && line.trim().is_empty() {
            return;
        }
        if let Some(front) = self.decide(line, out) {
            front.line(line, out);
        }
    }

    fn too_long(&mut self, head: &str, out: &mut Vec<Action>) {
        if let Some(front) = self.decide(head, out) {
            front.too_long(head, out);
        }
    }

    fn search(&mut self, engine: usize, event: Event, out: &mut Vec<Action>) {
        if let Some(front) = &mut self.front {
            front.search(engine, event, out);
        }
    }

    fn file(&mut self, result: Result<String, String>, out: &mut Vec<Action>) {
        if let Some(front) = &mut self.front {
            front.file(result, out);
        }
    }

    fn end_of_input(&mut self, out: &mut Vec<Action>) {
        match &mut self.front {
            Some(front) => front.end_of_input(out),
            None => out.push(Action::Quit),
        }
    }

    fn accepts(&self) -> bool {
        self.front.as_ref().is_none_or(|front| front.accepts())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first_lines() {
        for (line, protocol) in [
            ("uci", Protocol::Uci),
            ("ugi\r", Protocol::Ugi),
            ("nboard 2", Protocol::NBoard),
            ("START 15", Protocol::Gomocup),
            ("start 15 15", Protocol::Gomocup),
            ("ABOUT", Protocol::Gomocup),
            ("INFO rule 1", Protocol::Gomocup),
            ("yxshowinfo", Protocol::Gomocup),
            (r#"{"requests":[{"x":-1,"y":-1}],"responses":[]}"#, Protocol::Botzone),
            (r#"{"id":"a","moves":[]}"#, Protocol::Json),
            (r#"{"type":"reset"}"#, Protocol::Json),
            ("protocol_version", Protocol::Gtp),
            ("1 name", Protocol::Gtp),
            ("list_commands", Protocol::Gtp),
            ("nonsense", Protocol::Gtp),
        ] {
            assert_eq!(Protocol::of_line(line), protocol, "{line}");
        }
        assert_eq!(Protocol::of_program("pbrain-tengen64.exe"), Some(Protocol::Gomocup));
        assert_eq!(Protocol::of_program("tengen-adapter"), None);
        assert_eq!(Protocol::parse("Yixin"), Some(Protocol::Yixin));
        assert_eq!(Protocol::parse("xboard"), None);
    }
}
