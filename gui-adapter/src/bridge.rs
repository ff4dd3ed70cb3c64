//! The one loop that runs a dialect between a GUI and a daemon.
//!
//! A dialect is a pure state machine: lines and events in, actions out. It has no threads, no clock
//! and does no I/O; unit tests drive it with transcripts. The loop does what it asks for.

use std::collections::VecDeque;
use std::io::{self, BufRead, BufReader, BufWriter, Read, Write};
use std::time::Instant;

use crossbeam::channel::{self, Receiver, RecvError, Select, Sender};
use tengen_engine::protocol::LONGEST_LINE;

use crate::client::{Client, Event, Incoming, Launcher, Request};

/// How much of a line that is too long the dialect is shown.
const HEAD: usize = 64;

/// What a dialect wants done.
#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    /// Write this text, line ends included.
    ToGui(String),
    /// Begin a search on the engine the request names; its events follow.
    Search(Box<Request>),
    /// End the search this engine has under way, or its thinking on the opponent's time.
    Stop(usize),
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
    /// Takes what becomes of the search it asked this engine for.
    fn search(&mut self, engine: usize, event: Event, out: &mut Vec<Action>);
    /// Takes the text of the file it wanted to read, nothing for one that was written, or the error. Most
    /// protocols name no files.
    fn file(&mut self, _result: Result<String, String>, _out: &mut Vec<Action>) {}
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

/// The engines of a dialect, numbered from 0; each is started by its first search.
#[derive(Debug)]
pub struct Engines {
    launcher: Launcher,
    clients: Vec<Client>,
    leaving: bool,
}

/// What happened to which engine.
type Happened = (usize, Event);

impl Engines {
    /// No engine has been started yet.
    #[must_use]
    pub fn new(launcher: Launcher) -> Engines {
        Engines { launcher, clients: Vec::new(), leaving: false }
    }

    /// When [`tick`](Engines::tick) is to be called if nothing comes before.
    fn deadline(&self) -> Option<Instant> {
        self.clients.iter().filter_map(Client::deadline).min()
    }

    fn tick(&mut self, happened: &mut Vec<Happened>) {
        for engine in 0..self.clients.len() {
            self.on(engine, happened, Client::tick);
        }
    }

    fn take(&mut self, engine: usize, incoming: Result<Incoming, RecvError>, happened: &mut Vec<Happened>) {
        self.on(engine, happened, |client, events| client.take(incoming, events));
    }

    fn search(&mut self, request: Box<Request>, happened: &mut Vec<Happened>) {
        let engine = request.engine;
        while self.clients.len() <= engine {
            let mut client = Client::new(self.launcher.clone());
            if self.leaving {
                client.leave();
            }
            self.clients.push(client);
        }
        self.on(engine, happened, |client, events| client.search(request, events));
    }

    fn stop(&mut self, engine: usize) {
        if let Some(client) = self.clients.get_mut(engine) {
            client.stop();
        }
    }

    fn leave(&mut self) {
        self.leaving = true;
        self.clients.iter_mut().for_each(Client::leave);
    }

    /// Does something with one engine and notes what it says to that.
    fn on(
        &mut self,
        engine: usize,
        happened: &mut Vec<Happened>,
        act: impl FnOnce(&mut Client, &mut Vec<Event>),
    ) {
        let mut events = Vec::new();
        if let Some(client) = self.clients.get_mut(engine) {
            act(client, &mut events);
        }
        happened.extend(events.into_iter().map(|event| (engine, event)));
    }
}

/// What the loop wakes up for.
enum Wake {
    Line(Result<Input, RecvError>),
    Engine(usize, Result<Incoming, RecvError>),
    Time,
}

fn wait(lines: Option<&Receiver<Input>>, engines: &Engines) -> Wake {
    let incoming: Vec<_> = engines.clients.iter().map(Client::incoming).collect();
    let silence = channel::never();
    let lines = lines.unwrap_or(&silence);
    let mut select = Select::new();
    for channel in &incoming {
        select.recv(channel);
    }
    select.recv(lines);
    let selected = match engines.deadline() {
        Some(deadline) => select.select_deadline(deadline),
        None => Ok(select.select()),
    };
    let Ok(operation) = selected else { return Wake::Time };
    let number = operation.index();
    match incoming.get(number) {
        Some(channel) => Wake::Engine(number, operation.recv(channel)),
        None => Wake::Line(operation.recv(lines)),
    }
}

/// Runs the dialect until it wants to quit. Input that has ended is the dialect's to answer.
///
/// # Errors
/// When the GUI no longer takes what is written, which is the time to leave.
pub fn run(
    dialect: &mut dyn Dialect,
    engines: &mut Engines,
    input: impl Read + Send + 'static,
    output: impl Write,
) -> io::Result<()> {
    let (sender, lines) = channel::bounded(256);
    std::thread::spawn(move || read_lines(input, &sender));
    let mut output = BufWriter::new(output);
    let mut actions = Vec::new();
    let mut happened = Vec::new();
    let mut ended = false;
    loop {
        let listens = !ended && dialect.accepts();
        match wait(listens.then_some(&lines), engines) {
            Wake::Line(Ok(Input::Line(line))) => dialect.line(&line, &mut actions),
            Wake::Line(Ok(Input::TooLong(head))) => dialect.too_long(&head, &mut actions),
            Wake::Line(Err(RecvError)) => {
                ended = true;
                engines.leave();
                dialect.end_of_input(&mut actions);
            }
            Wake::Engine(number, incoming) => engines.take(number, incoming, &mut happened),
            Wake::Time => engines.tick(&mut happened),
        }
        let quit = settle(dialect, engines, &mut actions, &mut happened, &mut output)?;
        output.flush()?;
        if quit {
            return Ok(());
        }
    }
}

/// Does all that is wanted, and what that leads to. Gives whether to leave.
fn settle(
    dialect: &mut dyn Dialect,
    engines: &mut Engines,
    actions: &mut Vec<Action>,
    happened: &mut Vec<Happened>,
    output: &mut impl Write,
) -> io::Result<bool> {
    let mut todo = VecDeque::new();
    loop {
        for (engine, event) in happened.drain(..) {
            dialect.search(engine, event, actions);
        }
        todo.extend(actions.drain(..));
        let Some(action) = todo.pop_front() else { return Ok(false) };
        match action {
            Action::ToGui(text) => output.write_all(text.as_bytes())?,
            Action::Search(request) => engines.search(request, happened),
            Action::Stop(engine) => engines.stop(engine),
            Action::Read(path) => dialect.file(read_text(&path), actions),
            Action::Write { path, text } => {
                dialect.file(write_text(&path, &text).map(|()| String::new()), actions);
            }
            Action::Leave => engines.leave(),
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
                    engine: 0,
                    cleared: 0,
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

        fn search(&mut self, _: usize, event: Event, out: &mut Vec<Action>) {
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
        let mut engines = Engines::new(Launcher::Process(vec!["/no/such/program".into()]));
        run(dialect, &mut engines, io::Cursor::new(input.to_vec()), &mut output).unwrap();
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
