//! Threads that share the moves of a node: young brothers wait (R. Feldmann, "Game tree search on
//! massively parallel systems", 1993). Once the first move of a node has been searched without a cut,
//! the others are offered to threads that have nothing to do.

use std::sync::Arc;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release, SeqCst};
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicU64, AtomicUsize};

use arrayvec::ArrayVec;
use parking_lot::{Condvar, Mutex};

use super::Thread;
use crate::experts::othello::{Code, Node};
use crate::games::othello::pattern::Features;

/// A node whose remaining moves several threads search.
#[derive(Debug)]
pub(in crate::experts::othello) struct Task {
    own: u64,
    opp: u64,
    /// Of the midgame search; the endgame search does without.
    features: Option<Features>,
    beta: i32,
    depth: u32,
    selectivity: u32,
    nesting: u32,
    moves: ArrayVec<u32, 60>,
    next: AtomicUsize,
    /// The window's lower end, raised by what has been found.
    low: AtomicI32,
    best: Mutex<(i32, u8)>,
    /// A move was good enough: the rest need not be searched.
    over: AtomicBool,
    workers: AtomicUsize,
    /// The task its owner was working on.
    parent: Option<Arc<Task>>,
}

impl Task {
    #[expect(clippy::too_many_arguments, reason = "a node and its window")]
    #[cold]
    pub(in crate::experts::othello) fn new(
        own: u64,
        opp: u64,
        features: Option<Features>,
        alpha: i32,
        beta: i32,
        depth: u32,
        selectivity: u32,
        best: (i32, u8),
    ) -> Task {
        Task {
            own,
            opp,
            features,
            beta,
            depth,
            selectivity,
            nesting: 0,
            moves: ArrayVec::new(),
            next: AtomicUsize::new(0),
            low: AtomicI32::new(alpha.max(best.0)),
            best: Mutex::new(best),
            over: AtomicBool::new(false),
            workers: AtomicUsize::new(0),
            parent: None,
        }
    }

    /// Adds a move to be searched, after those already there.
    pub(in crate::experts::othello) fn push(&mut self, square: u32) {
        let added = self.moves.try_push(square);
        debug_assert!(added.is_ok(), "more than 60 moves");
    }

    /// Whether its result, or that of a task it belongs to, is no longer needed.
    pub(super) fn is_over(&self) -> bool {
        self.over.load(Relaxed) || self.parent.as_ref().is_some_and(|parent| parent.is_over())
    }

    fn has_moves(&self) -> bool {
        self.next.load(Relaxed) < self.moves.len() && !self.is_over()
    }

    fn belongs_to(&self, other: &Arc<Task>) -> bool {
        self.parent.as_ref().is_some_and(|parent| Arc::ptr_eq(parent, other) || parent.belongs_to(other))
    }
}

/// The tasks threads may join.
#[derive(Debug, Default)]
pub(in crate::experts::othello) struct Pool {
    tasks: Mutex<Vec<Arc<Task>>>,
    more: Condvar,
    idle: AtomicUsize,
    nodes: AtomicU64,
    closed: AtomicBool,
}

/// A worker counted in a task; leaves it however its search ends.
struct Worker(Arc<Task>);

impl Drop for Worker {
    fn drop(&mut self) {
        self.0.workers.fetch_sub(1, Release);
    }
}

impl Pool {
    #[inline(always)]
    pub(super) fn has_idle(&self) -> bool {
        self.idle.load(Relaxed) > 0
    }

    /// Adds to the number of nodes; the sum.
    pub(super) fn count(&self, nodes: u64) -> u64 {
        self.nodes.fetch_add(nodes, Relaxed) + nodes
    }

    /// Lets the helpers go.
    pub(in crate::experts::othello) fn close(&self) {
        let _guard = self.tasks.lock();
        self.closed.store(true, SeqCst);
        self.more.notify_all();
    }

    fn join(tasks: &[Arc<Task>], suits: impl Fn(&Arc<Task>) -> bool) -> Option<Worker> {
        // The nearest to the root has most work.
        let task = tasks.iter().find(|task| task.has_moves() && suits(task))?;
        task.workers.fetch_add(1, Acquire);
        Some(Worker(Arc::clone(task)))
    }
}

/// The life of a helper: joins tasks until the pool is closed.
pub(in crate::experts::othello) fn help<I: Code>(thread: &mut Thread<'_>) {
    let pool = &thread.shared.pool;
    loop {
        let worker = {
            let mut tasks = pool.tasks.lock();
            pool.idle.fetch_add(1, Relaxed);
            let worker = loop {
                if pool.closed.load(Relaxed) {
                    break None;
                }
                if let Some(worker) = Pool::join(&tasks, |_| true) {
                    break Some(worker);
                }
                pool.more.wait(&mut tasks);
            };
            pool.idle.fetch_sub(1, Relaxed);
            worker
        };
        let Some(worker) = worker else { return };
        work::<I>(thread, &worker);
    }
}

/// Searches moves of a task the thread has joined, then goes back to what it was doing.
fn work<I: Code>(thread: &mut Thread<'_>, worker: &Worker) {
    let before = (thread.task.replace(Arc::clone(&worker.0)), thread.nesting, thread.stop);
    (thread.nesting, thread.stop) = (worker.0.nesting, false);
    I::drain(thread, &worker.0);
    thread.total();
    (thread.task, thread.nesting, thread.stop) = before;
}

/// The owner's side of a task.
#[cold]
pub(super) fn share<I: Code>(thread: &mut Thread<'_>, mut task: Task) -> (i32, u8) {
    let pool = &thread.shared.pool;
    task.parent.clone_from(&thread.task);
    task.nesting = thread.nesting;
    let task = Arc::new(task);
    {
        pool.tasks.lock().push(Arc::clone(&task));
        pool.more.notify_one();
    }
    let before = thread.task.replace(Arc::clone(&task));
    I::drain(thread, &task);
    pool.tasks.lock().retain(|other| !Arc::ptr_eq(other, &task));
    // Others may still be at its moves: meanwhile help them, or wait.
    if task.workers.load(Acquire) > 0 {
        pool.idle.fetch_add(1, Relaxed);
        while task.workers.load(Acquire) > 0 {
            let worker = Pool::join(&pool.tasks.lock(), |other| other.belongs_to(&task));
            match worker {
                Some(worker) => {
                    pool.idle.fetch_sub(1, Relaxed);
                    work::<I>(thread, &worker);
                    pool.idle.fetch_add(1, Relaxed);
                }
                None => std::thread::yield_now(),
            }
        }
        pool.idle.fetch_sub(1, Relaxed);
    }
    thread.task = before;
    thread.stop = thread.shared.watch.stopped() || thread.task.as_ref().is_some_and(|task| task.is_over());
    *task.best.lock()
}

/// Searches moves of a task until none is left, together with others.
#[inline(always)]
pub(in crate::experts::othello) fn drain<I: Code>(thread: &mut Thread<'_>, task: &Task) {
    let node = task.features.map(|features| Node { own: task.own, opp: task.opp, features });
    while !task.over.load(Relaxed) {
        let Some(&square) = task.moves.get(task.next.fetch_add(1, Relaxed)) else { return };
        let flips = I::flips(square, task.own, task.opp);
        let mut search = |alpha: i32, beta: i32| match &node {
            Some(node) => {
                let child = node.after::<I>(square, flips);
                -I::search(thread, &child, -beta, -alpha, task.depth - 1, task.selectivity)
            }
            None => {
                let (own, opp) = (task.opp ^ flips, task.own ^ flips ^ 1 << square);
                -I::endgame(thread, own, opp, -beta, -alpha)
            }
        };
        let low = task.low.load(Relaxed);
        let mut value = search(low, low + 1);
        if value > low && value < task.beta && task.beta - low > 1 {
            value = search(low, task.beta);
        }
        if thread.stop {
            return;
        }
        let mut best = task.best.lock();
        if value > best.0 {
            *best = (value, square as u8);
            task.low.fetch_max(value, Relaxed);
            if value >= task.beta {
                task.over.store(true, Relaxed);
            }
        }
    }
}
