//! Connections: stdio, TCP and Unix sockets, one conductor and one session each.
//!
//! A reader thread turns bytes into lines, the conductor turns lines into replies, a writer thread
//! sends them, so that a slow peer never holds up a search and a search never holds up `stop`.

mod conductor;
mod lines;
mod listen;

use std::io::{Read, Write};
use std::sync::atomic::{AtomicUsize, Ordering};

use crossbeam::channel::bounded;

use crate::options::Options;

pub use listen::{Address, Listener};

/// Lines read ahead of the conductor, beyond those it holds itself.
const LINES_AHEAD: usize = 64;
/// Messages waiting for a slow peer before the conductor waits too.
const MESSAGES_AHEAD: usize = 1024;

/// What all sessions of a process share: the processors.
#[derive(Debug)]
pub struct Pool {
    cores: usize,
    sessions: AtomicUsize,
}

impl Default for Pool {
    fn default() -> Pool {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        Pool { cores, sessions: AtomicUsize::new(0) }
    }
}

impl Pool {
    /// Registers a session; its place is given back when it is dropped.
    fn enter(&self) -> Place<'_> {
        self.sessions.fetch_add(1, Ordering::Relaxed);
        Place(self)
    }

    /// Threads for a search that asks for `wanted`: no more than the session's part of the processors.
    /// More would not search more, only divide the same time among more threads, or take it from
    /// other sessions.
    fn threads(&self, wanted: usize) -> usize {
        let sessions = self.sessions.load(Ordering::Relaxed).max(1);
        wanted.min(self.cores / sessions).max(1)
    }
}

/// A session's place in the [`Pool`].
struct Place<'a>(&'a Pool);

impl Drop for Place<'_> {
    fn drop(&mut self) {
        self.0.sessions.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Serves one peer until it quits, its input ends, or it no longer takes output.
pub fn serve(
    input: impl Read + Send + 'static,
    output: impl Write + Send + 'static,
    options: Options,
    pool: &Pool,
) {
    let _place = pool.enter();
    let (line_in, line_out) = bounded(LINES_AHEAD);
    let (message_in, message_out) = bounded::<String>(MESSAGES_AHEAD);
    // The reader may sit in a read for ever after `quit`; nobody waits for it.
    let reader =
        std::thread::Builder::new().name("reader".into()).spawn(move || lines::read(input, &line_in));
    if let Err(error) = reader {
        log::error!("no thread for a reader: {error}");
        return;
    }
    std::thread::scope(|scope| {
        let writer = scope.spawn(move || {
            let mut output = output;
            for message in message_out {
                log::trace!(target: "tengen::wire", ">> {}", message.trim_end());
                if output.write_all(message.as_bytes()).and_then(|()| output.flush()).is_err() {
                    return;
                }
            }
        });
        conductor::conduct(&line_out, message_in, options, pool);
        if writer.join().is_err() {
            log::error!("a writer panicked");
        }
    });
}
