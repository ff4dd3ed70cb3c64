//! The way to a daemon: a child process, a TCP connection or a Unix socket, with one thread that
//! reads and one that writes, so that a daemon that has stopped reading never blocks the adapter.

use std::ffi::OsString;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{Shutdown, TcpStream, ToSocketAddrs};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use crossbeam::channel::{self, Receiver, Sender};

use super::wire::{Incoming, Parser};

/// How long a daemon may take to leave after its input was closed.
const LEAVE: Duration = Duration::from_secs(1);
/// How long a connection over TCP may take to come about.
const CONNECT: Duration = Duration::from_secs(4);

/// No line of a daemon is as long, in bytes.
const LONGEST: u64 = 1 << 24;

/// How to come by a daemon.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Launcher {
    /// Start this program with these arguments; it speaks on its standard streams.
    Process(Vec<OsString>),
    /// Connect to `HOST:PORT`.
    Tcp(String),
    /// Connect to the Unix socket with this path.
    #[cfg(unix)]
    Unix(std::path::PathBuf),
}

/// Why there is no daemon.
#[derive(Debug, thiserror::Error)]
pub enum LaunchError {
    /// The command line of `--engine` has an unclosed quote or no word.
    #[error("bad engine command line: {0:?}")]
    CommandLine(String),
    /// The address of `--connect` is of no known form.
    #[error("bad address {0:?}: expected tcp:HOST:PORT or unix:PATH")]
    Address(String),
    /// The program did not start.
    #[error("cannot start {program:?}: {error}")]
    Start {
        /// The program.
        program: String,
        /// Why.
        error: io::Error,
    },
    /// Nobody listens there.
    #[error("cannot connect to {address}: {error}")]
    Connect {
        /// The address.
        address: String,
        /// Why.
        error: io::Error,
    },
}

impl Launcher {
    /// This very program, started again as the daemon.
    ///
    /// # Errors
    /// When the system does not tell the path of the program.
    pub fn own() -> Result<Launcher, LaunchError> {
        let program = std::env::current_exe()
            .map_err(|error| LaunchError::Start { program: "this program".into(), error })?;
        Ok(Launcher::Process(vec![program.into_os_string(), "engine".into()]))
    }

    /// A command line, split as a shell does.
    ///
    /// # Errors
    /// When a quote is not closed or there is no word.
    pub fn command(line: &str) -> Result<Launcher, LaunchError> {
        match shlex::split(line) {
            Some(words) if !words.is_empty() => {
                Ok(Launcher::Process(words.into_iter().map(OsString::from).collect()))
            }
            _ => Err(LaunchError::CommandLine(line.to_owned())),
        }
    }

    /// `tcp:HOST:PORT`, `unix:PATH`, or `HOST:PORT`.
    ///
    /// # Errors
    /// For any other text.
    pub fn address(text: &str) -> Result<Launcher, LaunchError> {
        #[cfg(unix)]
        if let Some(path) = text.strip_prefix("unix:").filter(|path| !path.is_empty()) {
            return Ok(Launcher::Unix(path.into()));
        }
        let address = text.strip_prefix("tcp:").unwrap_or(text);
        let port = address.rsplit_once(':').filter(|(host, _)| !host.is_empty()).map(|(_, port)| port);
        match port.map(str::parse::<u16>) {
            Some(Ok(_)) => Ok(Launcher::Tcp(address.to_owned())),
            _ => Err(LaunchError::Address(text.to_owned())),
        }
    }
}

#[derive(Debug)]
enum Peer {
    Child(Child),
    /// Empty while the connection comes about.
    Tcp(Arc<Mutex<Option<TcpStream>>>),
    #[cfg(unix)]
    Unix(std::os::unix::net::UnixStream),
}

/// A daemon that is there. Dropping it closes its input, waits a moment, then kills a child.
#[derive(Debug)]
pub(super) struct Link {
    lines: Option<Sender<String>>,
    incoming: Receiver<Incoming>,
    peer: Peer,
}

impl Link {
    pub(super) fn open(launcher: &Launcher) -> Result<Link, LaunchError> {
        match launcher {
            Launcher::Process(words) => start(words),
            Launcher::Tcp(address) => Ok(Link::dial(address.clone())),
            #[cfg(unix)]
            Launcher::Unix(path) => {
                let failed = |error| LaunchError::Connect { address: path.display().to_string(), error };
                let stream = std::os::unix::net::UnixStream::connect(path).map_err(failed)?;
                let reader = stream.try_clone().map_err(failed)?;
                let writer = stream.try_clone().map_err(failed)?;
                Ok(Link::over(reader, writer, Peer::Unix(stream)))
            }
        }
    }

    /// Connects behind the adapter's back: a host that does not answer, or a name that takes its time, must
    /// not hold up everything else.
    fn dial(address: String) -> Link {
        let (lines, to_send) = channel::unbounded::<String>();
        let (received, incoming) = channel::unbounded();
        let peer = Arc::new(Mutex::new(None));
        // The link may be gone before the connection is there.
        let place = Arc::downgrade(&peer);
        std::thread::spawn(move || {
            let opened =
                connect(&address).and_then(|stream| Ok((stream.try_clone()?, stream.try_clone()?, stream)));
            let (reader, writer, stream) = match opened {
                Ok(opened) => opened,
                Err(error) => {
                    let error = LaunchError::Connect { address, error };
                    received.send(Incoming::Unreachable(error.to_string())).ok();
                    return;
                }
            };
            let Some(peer) = place.upgrade() else { return };
            if let Ok(mut peer) = peer.lock() {
                *peer = Some(stream);
            }
            drop(peer);
            std::thread::spawn(move || write(writer, &to_send));
            read(reader, &received);
        });
        Link { lines: Some(lines), incoming, peer: Peer::Tcp(peer) }
    }

    fn over(reader: impl Read + Send + 'static, writer: impl Write + Send + 'static, peer: Peer) -> Link {
        let (lines, to_send) = channel::unbounded::<String>();
        let (received, incoming) = channel::unbounded();
        std::thread::spawn(move || read(reader, &received));
        std::thread::spawn(move || write(writer, &to_send));
        Link { lines: Some(lines), incoming, peer }
    }

    /// Sends a line, which must end in a newline. A daemon that is gone is noticed by its silence.
    pub(super) fn send(&self, line: String) {
        log::trace!(target: "adapter::wire", "<< {}", line.trim_end());
        if let Some(lines) = &self.lines {
            lines.send(line).ok();
        }
    }

    pub(super) fn incoming(&self) -> Receiver<Incoming> {
        self.incoming.clone()
    }

    /// Ends a daemon that does not answer any more.
    pub(super) fn kill(mut self) {
        if let Peer::Child(child) = &mut self.peer {
            child.kill().ok();
        }
    }
}

impl Drop for Link {
    fn drop(&mut self) {
        // The writing thread ends with its channel and closes the daemon's input.
        self.lines = None;
        match &mut self.peer {
            Peer::Child(child) => reap(child),
            Peer::Tcp(stream) => {
                if let Ok(Some(stream)) = stream.lock().as_deref() {
                    stream.shutdown(Shutdown::Both).ok();
                }
            }
            #[cfg(unix)]
            Peer::Unix(stream) => drop(stream.shutdown(Shutdown::Both)),
        }
    }
}

fn reap(child: &mut Child) {
    let patience = Instant::now() + LEAVE;
    while Instant::now() < patience {
        match child.try_wait() {
            Ok(None) => std::thread::sleep(Duration::from_millis(2)),
            _ => return,
        }
    }
    child.kill().ok();
    child.wait().ok();
}

fn start(words: &[OsString]) -> Result<Link, LaunchError> {
    let Some((program, args)) = words.split_first() else {
        return Err(LaunchError::CommandLine(String::new()));
    };
    let failed = |error| LaunchError::Start { program: program.to_string_lossy().into_owned(), error };
    let mut child = Command::new(program)
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .map_err(failed)?;
    match (child.stdout.take(), child.stdin.take()) {
        (Some(output), Some(input)) => Ok(Link::over(output, input, Peer::Child(child))),
        _ => Err(failed(io::Error::other("its standard streams are missing"))),
    }
}

fn connect(address: &str) -> io::Result<TcpStream> {
    let mut last = io::Error::new(io::ErrorKind::NotFound, "the name has no address");
    let end = Instant::now() + CONNECT;
    for address in address.to_socket_addrs()? {
        // All addresses together have so long; no time at all is an error of the call.
        let patience = end.saturating_duration_since(Instant::now()).max(Duration::from_millis(1));
        match TcpStream::connect_timeout(&address, patience) {
            Ok(stream) => {
                // Commands are single short lines; waiting to fill a packet only costs time.
                stream.set_nodelay(true)?;
                return Ok(stream);
            }
            Err(error) => last = error,
        }
    }
    Err(last)
}

fn write(mut writer: impl Write, lines: &Receiver<String>) {
    for line in lines {
        if writer.write_all(line.as_bytes()).and_then(|()| writer.flush()).is_err() {
            break;
        }
    }
}

fn read(reader: impl Read, received: &Sender<Incoming>) {
    let mut parser = Parser::default();
    let mut reader = BufReader::new(reader);
    let mut line = Vec::new();
    let ending = loop {
        line.clear();
        match (&mut reader).take(LONGEST).read_until(b'\n', &mut line) {
            Ok(0) => break "the connection was closed".to_owned(),
            Ok(_) if line.len() as u64 == LONGEST => break "it prints a line without end".to_owned(),
            Ok(_) => {
                let text = String::from_utf8_lossy(&line);
                let text = text.trim_end_matches('\n');
                log::trace!(target: "adapter::wire", ">> {text}");
                if let Some(incoming) = parser.line(text)
                    && received.send(incoming).is_err()
                {
                    return;
                }
            }
            Err(error) => break error.to_string(),
        }
    };
    received.send(Incoming::Closed(ending)).ok();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_and_command_lines() {
        assert_eq!(Launcher::address("tcp:127.0.0.1:4000").unwrap(), Launcher::Tcp("127.0.0.1:4000".into()));
        assert_eq!(Launcher::address("localhost:1").unwrap(), Launcher::Tcp("localhost:1".into()));
        #[cfg(unix)]
        assert_eq!(Launcher::address("unix:/tmp/x").unwrap(), Launcher::Unix("/tmp/x".into()));
        for bad in ["", "tcp:", "localhost", "localhost:x", ":1", "unix:", "tcp:host:99999"] {
            assert!(Launcher::address(bad).is_err(), "{bad}");
        }
        let words = ["a b", "c"].map(OsString::from).to_vec();
        assert_eq!(Launcher::command("'a b' c").unwrap(), Launcher::Process(words));
        assert!(Launcher::command("").is_err());
        assert!(Launcher::command("'a").is_err());
    }

    #[test]
    fn a_program_that_is_not_there_is_named() {
        let error = Link::open(&Launcher::Process(vec!["/no/such/program".into()])).unwrap_err();
        assert!(error.to_string().starts_with("cannot start \"/no/such/program\": "), "{error}");
    }
}
