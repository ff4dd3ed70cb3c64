//! The daemon's side of the wire, line by line: replies and info lines.

use tengen_engine::protocol::{Info, Reply};

/// A daemon that prints on and on must not fill the memory: what is beyond so many bytes of a reply is
/// dropped.
const LONGEST_REPLY: usize = 1 << 22;

/// What comes from a daemon.
#[derive(Clone, Debug, PartialEq)]
pub enum Incoming {
    /// The reply to a command, with the command's id.
    Reply(Reply),
    /// One line of a search in progress.
    Info(Info),
    /// The connection did not come about; the text says why.
    Unreachable(String),
    /// The connection has ended; the text says how.
    Closed(String),
}

/// Puts lines together to replies. Lines that belong to nothing are logged and skipped.
#[derive(Debug, Default)]
pub struct Parser {
    open: Option<Reply>,
}

impl Parser {
    /// Takes one line without its line end; gives what it completes. Control characters are dropped, as
    /// the daemon does: what it says is shown to clients.
    pub fn line(&mut self, line: &str) -> Option<Incoming> {
        if line.contains(char::is_control) {
            let shown = |c: char| if c == '\t' { Some(' ') } else { Some(c).filter(|c| !c.is_control()) };
            return self.clean_line(&line.chars().filter_map(shown).collect::<String>());
        }
        self.clean_line(line)
    }

    fn clean_line(&mut self, line: &str) -> Option<Incoming> {
        // Every command has an id: what was open without one is noise that looked like a reply.
        let noise = self.open.as_ref().is_some_and(|reply| reply.id.is_none());
        if noise
            && line
                .strip_prefix(['=', '?'])
                .is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
        {
            log::warn!(target: "adapter::wire", "a reply without id is dropped");
            self.open = None;
        }
        if let Some(reply) = &mut self.open {
            if line.is_empty() {
                return self.open.take().map(Incoming::Reply);
            }
            let (Ok(text) | Err(text)) = &mut reply.text;
            if text.len() < LONGEST_REPLY {
                text.push('\n');
                text.push_str(line);
            }
            return None;
        }
        if line.starts_with("info ") {
            let info = Info::parse(line);
            if info.is_none() {
                log::warn!(target: "adapter::wire", "malformed info line: {line}");
            }
            return info.map(Incoming::Info);
        }
        self.open = first_line(line);
        if self.open.is_none() && !line.trim().is_empty() {
            log::warn!(target: "adapter::wire", "line outside any reply: {line}");
        }
        None
    }
}

fn first_line(line: &str) -> Option<Reply> {
    let (good, rest) = match (line.strip_prefix('='), line.strip_prefix('?')) {
        (Some(rest), _) => (true, rest),
        (None, Some(rest)) => (false, rest),
        (None, None) => return None,
    };
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let (id, text) = rest.split_at_checked(digits)?;
    let text = text.trim().to_owned();
    Some(Reply { id: (!id.is_empty()).then(|| id.to_owned()), text: if good { Ok(text) } else { Err(text) } })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Vec<Incoming> {
        let mut parser = Parser::default();
        text.split('\n').filter_map(|line| parser.line(line)).collect()
    }

    fn reply(id: Option<&str>, text: Result<&str, &str>) -> Incoming {
        Incoming::Reply(Reply {
            id: id.map(str::to_owned),
            text: text.map(str::to_owned).map_err(str::to_owned),
        })
    }

    #[test]
    fn replies_of_every_form() {
        assert_eq!(read("=7 d4\n\n"), [reply(Some("7"), Ok("d4"))]);
        assert_eq!(read("= \n\n"), [reply(None, Ok(""))]);
        assert_eq!(read("=12\r\n\r\n"), [reply(Some("12"), Ok(""))]);
        assert_eq!(read("?3 illegal move: suicide\n\n\n"), [reply(Some("3"), Err("illegal move: suicide"))]);
        assert_eq!(read("= a\nb\nc\n\n"), [reply(None, Ok("a\nb\nc"))]);
        assert_eq!(read("= \n a b\n 1 .\n\n"), [reply(None, Ok("\n a b\n 1 ."))]);
    }

    #[test]
    fn control_characters_of_an_engine_never_reach_a_client() {
        assert_eq!(read("=7 d\u{0}4\u{7f}\na\tb\u{85}\n\u{1}\n"), [reply(Some("7"), Ok("d4\na b"))]);
        let found = read("info depth 1 pv d\u{1b}4\te5\r");
        assert!(matches!(&found[..], [Incoming::Info(info)] if info.pv == ["d4", "e5"]), "{found:?}");
    }

    #[test]
    fn info_between_replies_and_noise_anywhere() {
        let found =
            read("hello\ninfo depth 3 winrate 0.5 multipv 1 pv d4 e5\ninfo depth x\n\n=1 ok\n\n= lost");
        assert_eq!(found.len(), 2);
        assert!(matches!(&found[0], Incoming::Info(info) if info.depth == 3 && info.pv == ["d4", "e5"]));
        assert_eq!(found[1], reply(Some("1"), Ok("ok")));
        assert_eq!(read("=== warning\n=5 d4\n\n"), [reply(Some("5"), Ok("d4"))]);
    }
}
