//! Bytes to lines, in bounded memory.

use std::io::{BufRead, BufReader, Read};
use std::time::Instant;

use crossbeam::channel::Sender;

use crate::protocol::LONGEST_LINE;

/// A line as it arrived.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Incoming {
    /// Its text, and when it was complete.
    Line(String, Instant),
    /// It was longer than [`LONGEST_LINE`]; the rest was thrown away.
    TooLong,
}

/// Sends every line of `input`, a last one without line feed included, until the input ends or
/// nobody listens. Bytes that are not UTF-8 become replacement characters.
pub(super) fn read(input: impl Read, lines: &Sender<Incoming>) {
    let mut input = BufReader::new(input);
    let mut line = Vec::new();
    let mut too_long = false;
    loop {
        let (used, complete) = match input.fill_buf() {
            Ok([]) => break,
            Ok(bytes) => {
                let end = bytes.iter().position(|&byte| byte == b'\n');
                let part = &bytes[..end.unwrap_or(bytes.len())];
                if line.len() + part.len() > LONGEST_LINE {
                    too_long = true;
                    line = Vec::new();
                } else if !too_long {
                    line.extend_from_slice(part);
                }
                (part.len() + usize::from(end.is_some()), end.is_some())
            }
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
            Err(error) => {
                log::info!("a connection ended: {error}");
                break;
            }
        };
        input.consume(used);
        if complete && !send(&mut line, &mut too_long, lines) {
            return;
        }
    }
    if too_long || !line.is_empty() {
        send(&mut line, &mut too_long, lines);
    }
}

fn send(line: &mut Vec<u8>, too_long: &mut bool, lines: &Sender<Incoming>) -> bool {
    let incoming = if std::mem::take(too_long) {
        Incoming::TooLong
    } else {
        Incoming::Line(String::from_utf8_lossy(line).into_owned(), Instant::now())
    };
    line.clear();
    lines.send(incoming).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crossbeam::channel::unbounded;

    fn lines(input: &[u8]) -> Vec<Result<String, ()>> {
        let (sender, receiver) = unbounded();
        read(input, &sender);
        drop(sender);
        receiver
            .iter()
            .map(|incoming| match incoming {
                Incoming::Line(text, _) => Ok(text),
                Incoming::TooLong => Err(()),
            })
            .collect()
    }

    #[test]
    fn the_last_line_needs_no_line_feed() {
        assert_eq!(lines(b"name\r\n\nquit"), [Ok("name\r".into()), Ok(String::new()), Ok("quit".into())]);
        assert_eq!(lines(b""), []);
        assert_eq!(lines(b"a\xffb\n"), [Ok("a\u{fffd}b".into())]);
    }

    #[test]
    fn a_line_that_is_too_long_is_dropped_alone() {
        let mut input = vec![b'x'; 3 * LONGEST_LINE];
        input.extend_from_slice(b"\nname\n");
        assert_eq!(lines(&input), [Err(()), Ok("name".into())]);
        let longest = vec![b'y'; LONGEST_LINE];
        assert_eq!(lines(&longest)[0].as_ref().map(String::len), Ok(LONGEST_LINE));
    }
}
