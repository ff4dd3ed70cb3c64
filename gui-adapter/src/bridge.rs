//! The one loop that runs a dialect between a GUI and a daemon.
//!
//! A dialect is a pure state machine: lines and events in, actions out. It has no threads, no clock
//! and does no I/O; unit tests drive it with transcripts. The loop does what it asks for.

use std::collections::VecDeque;
use std::io::{self, BufRead, BufReader, BufWriter, Read, Write};

use crossbeam::channel::{self, Sender};
use tengen_engine::protocol::LONGEST_LINE;

use crate::client::{Client, Event, Request};

/// How much of a line that is too long the dialect is shown.
const HEAD: usize = 64;

/// What a dialect wants done.
#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    /// Write this text, line ends included.
    ToGui(String),
    /// Begin a search; its events follow.
    Search(Box<Request>),
    /// End the search under way, or thinking on the opponent's time.
    Stop,
    /// Read a text file that the GUI has named; [`Dialect::file`] follows.
    Read(String),
    /// Write a text file that the GUI has named; [`Dialect::file`] follows.
    Write {
        /// The file.
        path: String,
        /// What it is to contain.
        text: String,
    },
    /// No command will follow those that wait: a daemon that has fallen silent is not waited for.
    Leave,
    /// Leave now.
    Quit,
}

/// A GUI's protocol.
pub trait Dialect {
    /// Takes a line without its line end.
    fn line(&mut self, line: &str, out: &mut Vec<Action>);
    /// Takes the beginning of a line that is longer than [`LONGEST_LINE`] bytes.
    fn too_long(&mut self, head: &str, out: &mut Vec<Action>);
    /// Takes what becomes of the search it asked for.
    fn search(&mut self, event: Event, out: &mut Vec<Action>);
    /// Takes the text of the file it wanted to read, nothing for one that was written, or the error.
    fn file(&mut self, result: Result<String, String>, out: &mut Vec<Action>);
    /// No more lines will come: what is pending is to be finished, then [`Action::Quit`].
    fn end_of_input(&mut self, out: &mut Vec<Action>);
    /// Whether it takes another line now; what waits in it must be bounded.
    fn accepts(&self) -> bool {
        true
    }
}

#[derive(Debug)]
enum Input {
    Line(String),
    TooLong(String),
}

/// Runs the dialect until it wants to quit. Input that has ended is the dialect's to answer.
///
/// # Errors
/// When the GUI no longer takes what is written, which is the time to leave.
pub fn run(
    dialect: &mut dyn Dialect,
    client: &mut Client,
    input: impl Read + Send + 'static,
    output: impl Write,
) -> io::Result<()> {
    let (sender, lines) = channel::bounded(256);
    std::thread::spawn(move || read_lines(input, &sender));
    let mut output = BufWriter::new(output);
    let mut actions = Vec::new();
    let mut events = Vec::new();
    let mut ended = false;
    loop {
        let lines = if ended || !dialect.accepts() { &channel::never() } else { &lines };
        let timer = client.deadline().map_or_else(channel::never, channel::at);
        channel::select! {
            recv(lines) -> line => match line {
                Ok(Input::Line(line)) => dialect.line(&line, &mut actions),
                Ok(Input::TooLong(head)) => dialect.too_long(&head, &mut actions),
                Err(_) => {
                    ended = true;
                    client.leave();
                    dialect.end_of_input(&mut actions);
                }
            },
            recv(client.incoming()) -> incoming => client.take(incoming, &mut events),
            recv(timer) -> _ => client.tick(&mut events),
        }
        let quit = settle(dialect, client, &mut actions, &mut events, &mut output)?;
        output.flush()?;
        if quit {
            return Ok(());
        }
    }
}

/// Does all that is wanted, and what that leads to. Gives whether to leave.
fn settle(
    dialect: &mut dyn Dialect,
    client: &mut Client,
    actions: &mut Vec<Action>,
    events: &mut Vec<Event>,
    output: &mut impl Write,
) -> io::Result<bool> {
    let mut todo = VecDeque::new();
    loop {
        for event in events.drain(..) {
            dialect.search(event, actions);
        }
        todo.extend(actions.drain(..));
        let Some(action) = todo.pop_front() else { return Ok(false) };
        match action {
            Action::ToGui(text) => output.write_all(text.as_bytes())?,
            Action::Search(request) => client.search(request, events),
            Action::Stop => client.stop(),
            Action::Read(path) => dialect.file(read_text(&path), actions),
            Action::Write { path, text } => {
                dialect.file(write_text(&path, &text).map(|()| String::new()), actions);
            }
            Action::Leave => client.leave(),
            Action::Quit => return Ok(true),
        }
    }
}

const NO_FILE: &str = "not a regular file";

fn read_text(path: &str) -> Result<String, String> {
    // A pipe without a writer or a terminal would hold up everything.
    if !std::fs::metadata(path).map_err(|error| error.to_string())?.is_file() {
        return Err(NO_FILE.to_owned());
    }
    let mut bytes = Vec::new();
    // A record is text of some kilobytes; a client may name anything.
    let file = std::fs::File::open(path).map_err(|error| error.to_string())?;
    let limit = LONGEST_LINE as u64 * 16;
    file.take(limit).read_to_end(&mut bytes).map_err(|error| error.to_string())?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

fn write_text(path: &str, text: &str) -> Result<(), String> {
    // What is not there yet becomes a regular file; any other error shows when writing.
    if std::fs::metadata(path).is_ok_and(|metadata| !metadata.is_file()) {
        return Err(NO_FILE.to_owned());
    }
    std::fs::write(path, text).map_err(|error| error.to_string())
}

/// Reads lines until the input ends or nobody wants them any more.
fn read_lines(input: impl Read, lines: &Sender<Input>) {
    let mut reader = BufReader::new(input);
    let mut line = Vec::new();
    loop {
        line.clear();
        match (&mut reader).take(LONGEST_LINE as u64 + 1).read_until(b'\n', &mut line) {
            Ok(0) | Err(_) => return,
            Ok(_) => {}
        }
        let whole = line.last() == Some(&b'\n') || line.len() <= LONGEST_LINE;
        let input = if whole {
            Input::Line(String::from_utf8_lossy(line.strip_suffix(b"\n").unwrap_or(&line)).into_owned())
        } else {
            line.truncate(HEAD);
            if reader.skip_until(b'\n').is_err() {
                return;
            }
            Input::TooLong(String::from_utf8_lossy(&line).into_owned())
        };
        if lines.send(input).is_err() {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::client::Launcher;

    /// Answers every line by its length, and waits for a search that cannot start at `search`.
    #[derive(Default)]
    struct Counting {
        busy: bool,
        ended: bool,
        files: Vec<Result<String, String>>,
    }

    impl Dialect for Counting {
        fn line(&mut self, line: &str, out: &mut Vec<Action>) {
            if let Some(path) = line.strip_prefix("read ") {
                out.push(Action::Read(path.to_owned()));
            }
            if line == "search" {
                self.busy = true;
                out.push(Action::Search(Box::new(Request {
                    game: 0,
                    position: crate::client::Snapshot {
                        setup: tengen_engine::games::Setup::new(tengen_engine::games::GameId::NoGo),
                        start: None,
                        moves: Vec::new(),
                    },
                    color: tengen_engine::game::Color::Black,
                    kind: crate::client::SearchKind::GenMove,
                    options: Vec::new(),
                    clock: crate::client::ClockRequest::default(),
                })));
            }
            out.push(Action::ToGui(format!("{}\n", line.len())));
        }

        fn too_long(&mut self, head: &str, out: &mut Vec<Action>) {
            out.push(Action::ToGui(format!("too long: {}\n", head.len())));
        }

        fn search(&mut self, event: Event, out: &mut Vec<Action>) {
            if let Event::Done(Err(why)) = event {
                self.busy = false;
                out.push(Action::ToGui(format!("{why}\n")));
            }
        }

        fn file(&mut self, result: Result<String, String>, _: &mut Vec<Action>) {
            self.files.push(result);
        }

        fn end_of_input(&mut self, out: &mut Vec<Action>) {
            self.ended = true;
            out.push(Action::Quit);
        }

        fn accepts(&self) -> bool {
            !self.busy
        }
    }

    fn bridged(dialect: &mut Counting, input: &[u8]) -> String {
        let mut output = Vec::new();
        let mut client = Client::new(Launcher::Process(vec!["/no/such/program".into()]));
        run(dialect, &mut client, io::Cursor::new(input.to_vec()), &mut output).unwrap();
        String::from_utf8(output).unwrap()
    }

    #[test]
    fn lines_of_every_kind_reach_the_dialect() {
        let mut input = b"one\ntwo2\r\n\xff\xfe\n\nread /no/such/file\n".to_vec();
        input.extend(std::iter::repeat_n(b'x', LONGEST_LINE));
        input.push(b'\n');
        input.extend(std::iter::repeat_n(b'y', 3 * LONGEST_LINE));
        input.extend(b"\nlast");
        let mut dialect = Counting::default();
        let output = bridged(&mut dialect, &input);
        assert_eq!(output, format!("3\n5\n6\n0\n18\n{LONGEST_LINE}\ntoo long: {HEAD}\n4\n"));
        assert!(dialect.ended);
        assert!(matches!(dialect.files.as_slice(), [Err(_)]));
    }

    #[test]
    fn only_regular_files_are_read_and_written() {
        let folder = std::env::temp_dir().to_string_lossy().into_owned();
        assert_eq!(read_text(&folder), Err(NO_FILE.to_owned()));
        assert_eq!(write_text(&folder, "x"), Err(NO_FILE.to_owned()));
        let file = format!("{folder}/tengen bridge {}", std::process::id());
        write_text(&file, "text").unwrap();
        assert_eq!(read_text(&file), Ok("text".to_owned()));
        std::fs::remove_file(&file).unwrap();
        assert!(read_text(&file).is_err_and(|why| why != NO_FILE));
    }

    #[test]
    fn an_engine_that_does_not_start_is_an_event() {
        let output = bridged(&mut Counting::default(), b"search\nafter\n");
        assert!(
            output.starts_with("6\ncannot start \"/no/such/program\": ") && output.ends_with("\n5\n"),
            "{output}"
        );
    }
}
