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
    active: AtomicUsize,
}

impl Default for Pool {
    fn default() -> Pool {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        Pool { cores, active: AtomicUsize::new(0) }
    }
}

impl Pool {
    /// Registers a search; the share is given back when it is dropped.
    fn enter(&self) -> Share<'_> {
        self.active.fetch_add(1, Ordering::Relaxed);
        Share(self)
    }
}

struct Share<'a>(&'a Pool);

impl Share<'_> {
    /// Threads for a search that asks for `wanted`: all of them when it is alone, else no more than
    /// its part of the processors.
    fn threads(&self, wanted: usize) -> usize {
        let active = self.0.active.load(Ordering::Relaxed);
        if active <= 1 { wanted } else { wanted.min((self.0.cores / active).max(1)) }
    }
}

impl Drop for Share<'_> {
    fn drop(&mut self) {
        self.0.active.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Serves one peer until it quits, its input ends, or it no longer takes output.
pub fn serve(
    input: impl Read + Send + 'static,
    output: impl Write + Send + 'static,
    options: Options,
    pool: &Pool,
) {
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
