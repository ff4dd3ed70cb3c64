//! Listening sockets: a session for every connection.

use std::fmt;
use std::io;
use std::net::{SocketAddr, TcpListener};
#[cfg(unix)]
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::PathBuf;
use std::str::FromStr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::{Pool, serve};
use crate::options::Options;

/// Connections served at once; one more is told so and closed.
const MOST_CONNECTIONS: usize = 256;

/// Where to listen or to connect: `tcp:HOST:PORT` or `unix:PATH`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Address {
    /// A TCP address; port 0 lets the system choose.
    Tcp(SocketAddr),
    /// The path of a Unix socket.
    Unix(PathBuf),
}

impl FromStr for Address {
    type Err = String;
    fn from_str(text: &str) -> Result<Address, String> {
        match text.split_once(':') {
            Some(("tcp", address)) => address
                .replace("localhost:", "127.0.0.1:")
                .parse()
                .map(Address::Tcp)
                .map_err(|_| format!("bad address \"{address}\": expected tcp:127.0.0.1:PORT")),
            Some(("unix", path)) if !path.is_empty() => Ok(Address::Unix(PathBuf::from(path))),
            _ => Err(format!("bad address \"{text}\": expected tcp:127.0.0.1:PORT or unix:PATH")),
        }
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Address::Tcp(address) => write!(f, "tcp:{address}"),
            Address::Unix(path) => write!(f, "unix:{}", path.display()),
        }
    }
}

/// A socket that accepts connections.
#[derive(Debug)]
pub enum Listener {
    /// TCP.
    Tcp(TcpListener),
    /// Unix; the path is removed when the listener is dropped.
    #[cfg(unix)]
    Unix(UnixListener, PathBuf),
}

impl Listener {
    /// Binds an address. A socket file that nobody serves any more is replaced.
    ///
    /// # Errors
    /// What the system says, or that the address is in use.
    pub fn bind(address: &Address) -> io::Result<Listener> {
        match address {
            Address::Tcp(address) => TcpListener::bind(address).map(Listener::Tcp),
            #[cfg(unix)]
            Address::Unix(path) => {
                use std::os::unix::fs::FileTypeExt as _;
                let stale = std::fs::metadata(path).is_ok_and(|file| file.file_type().is_socket())
                    && UnixStream::connect(path)
                        .is_err_and(|error| error.kind() == io::ErrorKind::ConnectionRefused);
                if stale {
                    std::fs::remove_file(path)?;
                }
                UnixListener::bind(path).map(|listener| Listener::Unix(listener, path.clone()))
            }
            #[cfg(not(unix))]
            Address::Unix(_) => {
                Err(io::Error::new(io::ErrorKind::Unsupported, "no Unix sockets on this system"))
            }
        }
    }

    /// The address that was bound, with the port the system chose.
    ///
    /// # Errors
    /// What the system says.
    pub fn address(&self) -> io::Result<Address> {
        match self {
            Listener::Tcp(listener) => listener.local_addr().map(Address::Tcp),
            #[cfg(unix)]
            Listener::Unix(_, path) => Ok(Address::Unix(path.clone())),
        }
    }

    /// Serves connections for ever.
    ///
    /// # Errors
    /// Never, but for a listener that is broken for good.
    pub fn run(&self, options: &Options) -> io::Result<()> {
        let pool = Arc::new(Pool::default());
        let connections = Arc::new(AtomicUsize::new(0));
        loop {
            let accepted = match self {
                Listener::Tcp(listener) => listener.accept().and_then(|(stream, _)| {
                    stream.set_nodelay(true)?;
                    let input = stream.try_clone()?;
                    Ok(Peer {
                        input: Box::new(input),
                        output: Box::new(stream.try_clone()?),
                        close: Close::Tcp(stream),
                    })
                }),
                #[cfg(unix)]
                Listener::Unix(listener, _) => listener.accept().and_then(|(stream, _)| {
                    let input = stream.try_clone()?;
                    Ok(Peer {
                        input: Box::new(input),
                        output: Box::new(stream.try_clone()?),
                        close: Close::Unix(stream),
                    })
                }),
            };
            match accepted {
                Ok(peer) => admit(peer, options.clone(), &pool, &connections),
                Err(error) => {
                    // Out of descriptors, say: those in use come back, so wait rather than give up.
                    log::warn!("a connection was not accepted: {error}");
                    std::thread::sleep(std::time::Duration::from_millis(100));
                }
            }
        }
    }
}

#[cfg(unix)]
impl Drop for Listener {
    fn drop(&mut self) {
        if let Listener::Unix(_, path) = self
            && let Err(error) = std::fs::remove_file(&*path)
        {
            log::info!("{} was not removed: {error}", path.display());
        }
    }
}

struct Peer {
    input: Box<dyn io::Read + Send>,
    output: Box<dyn io::Write + Send>,
    close: Close,
}

/// The stream itself, to be shut down for both directions at the end, which also ends the reader.
enum Close {
    Tcp(std::net::TcpStream),
    #[cfg(unix)]
    Unix(UnixStream),
}

impl Close {
    fn shut(&self) {
        let both = std::net::Shutdown::Both;
        let closed = match self {
            Close::Tcp(stream) => stream.shutdown(both),
            #[cfg(unix)]
            Close::Unix(stream) => stream.shutdown(both),
        };
        if let Err(error) = closed {
            log::debug!("a connection was closed before: {error}");
        }
    }
}

/// Closes a connection and gives its place back, however the session ended.
struct Leave(Close, Arc<AtomicUsize>);

impl Drop for Leave {
    fn drop(&mut self) {
        self.0.shut();
        self.1.fetch_sub(1, Ordering::Relaxed);
    }
}

fn admit(mut peer: Peer, options: Options, pool: &Arc<Pool>, connections: &Arc<AtomicUsize>) {
    if connections.fetch_add(1, Ordering::Relaxed) >= MOST_CONNECTIONS {
        let refusal = format!("? too many connections (limit {MOST_CONNECTIONS})\n\n");
        if let Err(error) = peer.output.write_all(refusal.as_bytes()) {
            log::debug!("a refusal was not sent: {error}");
        }
        peer.close.shut();
        connections.fetch_sub(1, Ordering::Relaxed);
        return;
    }
    let (pool, count) = (Arc::clone(pool), Arc::clone(connections));
    let session = std::thread::Builder::new().name("session".into()).spawn(move || {
        let _leaving = Leave(peer.close, count);
        serve(peer.input, peer.output, options, &pool);
    });
    if let Err(error) = session {
        log::error!("no thread for a session: {error}");
        connections.fetch_sub(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_round_trip() {
        for text in ["tcp:127.0.0.1:4000", "unix:/run/tengen.sock", "tcp:[::1]:9"] {
            assert_eq!(text.parse::<Address>().unwrap().to_string(), text);
        }
        for bad in ["", "tcp:", "tcp:1", "http://x", "unix:", "127.0.0.1:4000"] {
            assert!(bad.parse::<Address>().is_err(), "{bad}");
        }
    }
}
