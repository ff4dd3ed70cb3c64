//! The tree: an arena of nodes in which the children of a node stand side by side.
//!
//! All fields are atomics, so that several threads grow one tree without locks and without `unsafe`.
//! Memory comes in chunks, on demand, up to a hard bound; [`Tree::compact`] makes room by dropping
//! what can no longer be reached or was hardly visited.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU8, AtomicU16, AtomicU32, AtomicU64, Ordering};

use crate::game::{Color, Move, Outcome};

/// Nodes in a chunk; a block of children never crosses a chunk's end.
const CHUNK: usize = 1 << 14;

/// No node, or no children yet.
pub(super) const NOWHERE: u32 = 0;
/// A thread is making the children.
const BUSY: u32 = u32::MAX;

/// Results are summed in units of 2^-16.
const ONE: f32 = 65_536.0;

/// Flag bits.
const PROVEN_BLACK: u8 = 1;
const PROVEN_WHITE: u8 = 2;
const PROVEN_DRAW: u8 = 3;
const PROOF: u8 = 3;
const BLACK_TO_MOVE: u8 = 4;
const SEEN: u8 = 8;
const PARTIAL: u8 = 16;

/// One position of the tree, reached by one move.
#[derive(Debug, Default)]
pub(super) struct Node {
    key: AtomicU64,
    sum: AtomicU64,
    visits: AtomicU32,
    mv: AtomicU32,
    prior: AtomicU32,
    children: AtomicU32,
    count: AtomicU16,
    flags: AtomicU8,
}

/// Bytes a node takes, for the memory bound.
pub(super) const NODE_BYTES: usize = size_of::<Node>();

impl Node {
    fn set(&self, mv: Move, prior: f32) {
        self.key.store(0, Ordering::Relaxed);
        self.sum.store(0, Ordering::Relaxed);
        self.visits.store(0, Ordering::Relaxed);
        self.mv.store(mv.raw(), Ordering::Relaxed);
        self.prior.store(prior.to_bits(), Ordering::Relaxed);
        self.children.store(NOWHERE, Ordering::Relaxed);
        self.count.store(0, Ordering::Relaxed);
        self.flags.store(0, Ordering::Relaxed);
    }

    fn copy(&self, from: &Node) {
        self.key.store(from.key.load(Ordering::Relaxed), Ordering::Relaxed);
        self.sum.store(from.sum.load(Ordering::Relaxed), Ordering::Relaxed);
        self.visits.store(from.visits.load(Ordering::Relaxed), Ordering::Relaxed);
        self.mv.store(from.mv.load(Ordering::Relaxed), Ordering::Relaxed);
        self.prior.store(from.prior.load(Ordering::Relaxed), Ordering::Relaxed);
        self.children.store(from.children.load(Ordering::Relaxed), Ordering::Relaxed);
        self.count.store(from.count.load(Ordering::Relaxed), Ordering::Relaxed);
        self.flags.store(from.flags.load(Ordering::Relaxed), Ordering::Relaxed);
    }

    /// The move that leads here.
    pub(super) fn mv(&self) -> Move {
        Move::new(self.mv.load(Ordering::Relaxed))
    }

    /// Prior probability of that move.
    pub(super) fn prior(&self) -> f32 {
        f32::from_bits(self.prior.load(Ordering::Relaxed))
    }

    /// Visits, those under way included.
    pub(super) fn visits(&self) -> u32 {
        self.visits.load(Ordering::Relaxed)
    }

    /// Mean result for the side that moved here, 0 to 1; a visit under way counts as lost, so that
    /// threads spread out. Meaningless without visits.
    pub(super) fn mean(&self) -> f32 {
        let visits = self.visits().max(1);
        (self.sum.load(Ordering::Relaxed) as f32 / ONE / visits as f32).min(1.0)
    }

    /// Registers a visit before its result is known.
    pub(super) fn enter(&self) {
        self.visits.fetch_add(1, Ordering::Relaxed);
    }

    /// Adds the result of a visit, for the side that moved here.
    pub(super) fn add(&self, result: f32) {
        self.sum.fetch_add((result * ONE) as u64, Ordering::Relaxed);
    }

    /// Stores what is known once the position has been on the board: its key and whose turn it is.
    /// A result the rules give must have been stored before: whoever finds a node seen relies on it.
    pub(super) fn see(&self, key: u64, turn: Color) {
        self.key.store(key, Ordering::Relaxed);
        let turn = if turn == Color::Black { BLACK_TO_MOVE } else { 0 };
        self.flags.fetch_or(SEEN | turn, Ordering::Release);
    }

    /// Whether [`Node::see`] has been called.
    pub(super) fn seen(&self) -> bool {
        self.flags.load(Ordering::Acquire) & SEEN != 0
    }

    /// The side to move, once the position has been seen.
    pub(super) fn turn(&self) -> Color {
        if self.flags.load(Ordering::Relaxed) & BLACK_TO_MOVE != 0 { Color::Black } else { Color::White }
    }

    /// Whether this is the position of `key`.
    pub(super) fn is(&self, key: u64) -> bool {
        self.key.load(Ordering::Relaxed) == key && self.flags.load(Ordering::Relaxed) & SEEN != 0
    }

    /// The certain result, if there is one.
    pub(super) fn proof(&self) -> Option<Outcome> {
        match self.flags.load(Ordering::Relaxed) & PROOF {
            PROVEN_BLACK => Some(Outcome::Win(Color::Black)),
            PROVEN_WHITE => Some(Outcome::Win(Color::White)),
            PROVEN_DRAW => Some(Outcome::Draw),
            _ => None,
        }
    }

    /// Takes the result back, of a node that no longer has the children it rests on.
    fn doubt(&self) {
        self.flags.fetch_and(!PROOF, Ordering::Relaxed);
    }

    /// Makes the node one that is never found by its key.
    fn forget(&self) {
        self.flags.store(0, Ordering::Relaxed);
    }

    /// Stores a certain result, unless there is one.
    pub(super) fn prove(&self, outcome: Outcome) {
        let bits = match outcome {
            Outcome::Win(Color::Black) => PROVEN_BLACK,
            Outcome::Win(Color::White) => PROVEN_WHITE,
            Outcome::Draw => PROVEN_DRAW,
        };
        let unproven = |flags: u8| (flags & PROOF == 0).then_some(flags | bits);
        // The first proof stands: a second one says the same.
        let _first = self.flags.fetch_update(Ordering::Relaxed, Ordering::Relaxed, unproven);
    }

    /// Whether the children are only a choice among the moves, so that no proof may rest on them.
    pub(super) fn partial(&self) -> bool {
        self.flags.load(Ordering::Relaxed) & PARTIAL != 0
    }

    /// Whether the children are there.
    pub(super) fn expanded(&self) -> bool {
        !matches!(self.children.load(Ordering::Acquire), NOWHERE | BUSY)
    }
}

/// The arena.
#[derive(Debug, Default)]
pub(super) struct Tree {
    chunks: Vec<OnceLock<Box<[Node]>>>,
    next: AtomicU32,
    root: u32,
}

impl Tree {
    /// An empty tree that will not take more than `bytes`, but at least one chunk. Allocates nothing
    /// yet.
    pub(super) fn new(bytes: u64) -> Tree {
        let chunks = (bytes as usize / (CHUNK * NODE_BYTES)).clamp(1, (u32::MAX as usize - 1) / CHUNK);
        Tree {
            chunks: (0..chunks).map(|_| OnceLock::new()).collect(),
            next: AtomicU32::new(1),
            root: NOWHERE,
        }
    }

    /// Memory allocated so far.
    pub(super) fn bytes(&self) -> u64 {
        self.chunks.iter().filter(|chunk| chunk.get().is_some()).count() as u64 * (CHUNK * NODE_BYTES) as u64
    }

    /// The root, or [`NOWHERE`].
    pub(super) fn root(&self) -> u32 {
        self.root
    }

    /// The node at an index that came from this tree.
    pub(super) fn node(&self, index: u32) -> &Node {
        let index = index as usize;
        let chunk =
            self.chunks[index / CHUNK].get().expect("an index handed out lies in a chunk that exists");
        &chunk[index % CHUNK]
    }

    /// The children of a node, side by side: first index and nodes. Empty until it is expanded.
    pub(super) fn children(&self, node: &Node) -> (u32, &[Node]) {
        let first = node.children.load(Ordering::Acquire);
        if first == NOWHERE || first == BUSY {
            return (NOWHERE, &[]);
        }
        let (chunk, at) = (first as usize / CHUNK, first as usize % CHUNK);
        let count = usize::from(node.count.load(Ordering::Relaxed));
        let chunk = self.chunks[chunk].get().expect("children lie in a chunk that exists");
        (first, &chunk[at..at + count])
    }

    /// Nodes the bound allows.
    pub(super) fn capacity(&self) -> usize {
        self.chunks.len() * CHUNK
    }

    /// Nodes that may still be allocated.
    pub(super) fn room(&self) -> usize {
        self.capacity().saturating_sub(self.next.load(Ordering::Relaxed) as usize)
    }

    /// Nodes skipped at the end of a chunk may hold what stood there before a compaction.
    fn clear_gap(&self, from: usize, to: usize) {
        if let Some(chunk) = self.chunks[from / CHUNK].get()
            && from < to
        {
            for node in &chunk[from % CHUNK..] {
                node.forget();
            }
        }
    }

    /// A block of `count` nodes, or `None` when the memory is used up.
    fn allocate(&self, count: usize) -> Option<u32> {
        if count == 0 || count > CHUNK {
            return None;
        }
        let mut at = self.next.load(Ordering::Relaxed);
        loop {
            let start = place(at as usize, count);
            if start + count > self.capacity() {
                return None;
            }
            match self.next.compare_exchange_weak(
                at,
                (start + count) as u32,
                Ordering::Relaxed,
                Ordering::Relaxed,
            ) {
                Ok(_) => {
                    self.clear_gap(at as usize, start);
                    self.chunks[start / CHUNK].get_or_init(|| (0..CHUNK).map(|_| Node::default()).collect());
                    return Some(start as u32);
                }
                Err(now) => at = now,
            }
        }
    }

    /// Starts a new tree at a position.
    pub(super) fn plant(&mut self, key: u64, turn: Color) {
        self.next.store(1, Ordering::Relaxed);
        self.root = self.allocate(1).expect("a tree holds at least one chunk");
        let root = self.node(self.root);
        root.set(Move::NONE, 1.0);
        root.see(key, turn);
    }

    /// Claims the right to expand a node; whoever gets `true` must call [`Tree::expand`] or
    /// [`Tree::release`].
    pub(super) fn claim(&self, node: &Node) -> bool {
        node.children.compare_exchange(NOWHERE, BUSY, Ordering::Acquire, Ordering::Relaxed).is_ok()
    }

    /// Gives a claimed node up.
    pub(super) fn release(&self, node: &Node) {
        node.children.store(NOWHERE, Ordering::Release);
    }

    /// Gives a claimed node its children, best prior first. `false` when the memory is used up; the
    /// claim is released then.
    pub(super) fn expand(&self, node: &Node, moves: &[(Move, f32)], complete: bool) -> bool {
        let Some(first) = self.allocate(moves.len()) else {
            self.release(node);
            return false;
        };
        for (i, &(mv, prior)) in moves.iter().enumerate() {
            self.node(first + i as u32).set(mv, prior);
        }
        node.count.store(moves.len() as u16, Ordering::Relaxed);
        if !complete {
            node.flags.fetch_or(PARTIAL, Ordering::Relaxed);
        }
        node.children.store(first, Ordering::Release);
        true
    }

    /// Moves the root to the position of `key` if the tree holds it: below the root first, then
    /// anywhere (a position before the root stays in memory until the next compaction).
    pub(super) fn reroot(&mut self, key: u64) -> bool {
        if self.root == NOWHERE {
            return false;
        }
        let found = self.find_below(key).or_else(|| self.find_anywhere(key));
        if let Some(index) = found {
            self.root = index;
            // A proof without the moves that make it is no use to a player.
            if !self.node(index).expanded() {
                self.node(index).doubt();
            }
        }
        found.is_some()
    }

    /// Looks through the positions up to four steps below the root: a turn of each side, even where
    /// a turn is two steps.
    fn find_below(&self, key: u64) -> Option<u32> {
        if self.node(self.root).is(key) {
            return Some(self.root);
        }
        let mut level = vec![self.root];
        for _ in 0..4 {
            let mut below = Vec::new();
            for index in level {
                let (first, children) = self.children(self.node(index));
                for (i, child) in children.iter().enumerate() {
                    let index = first + i as u32;
                    if child.is(key) {
                        return Some(index);
                    }
                    if child.expanded() {
                        below.push(index);
                    }
                }
            }
            level = below;
        }
        None
    }

    fn find_anywhere(&self, key: u64) -> Option<u32> {
        let end = self.next.load(Ordering::Relaxed);
        (1..end)
            .filter(|&index| self.chunks[index as usize / CHUNK].get().is_some())
            .filter(|&index| self.node(index).is(key) && self.node(index).expanded())
            .max_by_key(|&index| self.node(index).visits())
    }

    /// Makes room: keeps the root's subtree, and of it only the children of nodes with so many visits
    /// that at most half of the memory stays in use. Nobody else may use the tree meanwhile.
    ///
    /// Blocks slide towards the start of the arena in the order of their addresses, so none is
    /// written over before it has moved. While it still looks for what to keep it heeds `stopped`, and
    /// leaves everything as it was then.
    pub(super) fn compact(&mut self, stopped: &dyn Fn() -> bool) {
        let room = self.capacity() / 2;
        let Some(least) = self.fewest_visits(room, stopped) else { return };
        let Some(mut kept) = self.reachable(least, stopped) else { return };
        kept.sort_unstable();
        let root = Node::default();
        root.copy(self.node(self.root));
        // The root's own block is the first, whatever lay there.
        let mut next = 2;
        let mut moved: Vec<(u32, u32)> = Vec::with_capacity(kept.len());
        let mut homes: Vec<(u32, u32)> = Vec::with_capacity(kept.len());
        for &(first, count) in &kept {
            let to = place(next, count as usize) as u32;
            self.clear_gap(next, to as usize);
            for i in 0..count {
                self.node(to + i).copy(self.node(first + i));
            }
            next = (to + count) as usize;
            moved.push((first, to));
            homes.push((to, count));
        }
        self.node(1).copy(&root);
        self.root = 1;
        let fix = |node: &Node| {
            let old = node.children.load(Ordering::Relaxed);
            let new = match moved.binary_search_by_key(&old, |&(from, _)| from) {
                Ok(at) => moved[at].1,
                Err(_) => NOWHERE,
            };
            node.children.store(new, Ordering::Relaxed);
            if new == NOWHERE {
                node.flags.fetch_and(!PARTIAL, Ordering::Relaxed);
            }
        };
        fix(self.node(1));
        for (first, count) in homes {
            for i in 0..count {
                fix(self.node(first + i));
            }
        }
        self.next.store(next as u32, Ordering::Relaxed);
    }

    /// The least number of visits, a power of two or 0, such that the children of the nodes that have
    /// it fit into `room`.
    fn fewest_visits(&self, room: usize, stopped: &dyn Fn() -> bool) -> Option<u32> {
        let mut size = [0_usize; 33];
        self.walk(0, stopped, &mut |node, _, children| {
            size[(u32::BITS - node.visits().leading_zeros()) as usize] += children;
        })?;
        let mut total = 1;
        for class in (0..size.len()).rev() {
            total += size[class];
            if total > room {
                return Some(1_u32.checked_shl(class as u32).unwrap_or(u32::MAX));
            }
        }
        Some(0)
    }

    /// The blocks of children below the root whose parent has at least `least` visits.
    fn reachable(&self, least: u32, stopped: &dyn Fn() -> bool) -> Option<Vec<(u32, u32)>> {
        let mut blocks = Vec::new();
        self.walk(least, stopped, &mut |_, first, count| blocks.push((first, count as u32)))?;
        Some(blocks)
    }

    /// Calls `visit` with every expanded node below the root that has `least` visits, and the root
    /// itself: the node, its first child and their number. `None` when it was stopped.
    fn walk(
        &self,
        least: u32,
        stopped: &dyn Fn() -> bool,
        visit: &mut dyn FnMut(&Node, u32, usize),
    ) -> Option<()> {
        let mut stack = vec![self.root];
        let mut count = 0_u32;
        while let Some(index) = stack.pop() {
            count += 1;
            if count.is_multiple_of(1024) && stopped() {
                return None;
            }
            let node = self.node(index);
            let (first, children) = self.children(node);
            if children.is_empty() || (node.visits() < least && index != self.root) {
                continue;
            }
            visit(node, first, children.len());
            let expanded = |(i, child): (u32, &Node)| child.expanded().then_some(first + i);
            stack.extend((0_u32..).zip(children).filter_map(expanded));
        }
        Some(())
    }
}

/// Where a block of `count` nodes goes when the arena is filled up to `at`.
fn place(at: usize, count: usize) -> usize {
    if at % CHUNK + count > CHUNK { (at / CHUNK + 1) * CHUNK } else { at }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grow(tree: &Tree, node: u32, width: usize) -> u32 {
        let moves: Vec<(Move, f32)> = (0..width).map(|i| (Move::new(i as u32), 1.0 / width as f32)).collect();
        assert!(tree.claim(tree.node(node)));
        assert!(tree.expand(tree.node(node), &moves, true));
        tree.children(tree.node(node)).0
    }

    #[test]
    fn compaction_keeps_the_subtree_and_nothing_else() {
        let mut tree = Tree::new((4 * CHUNK * NODE_BYTES) as u64);
        tree.plant(1, Color::Black);
        let first = grow(&tree, tree.root(), 300);
        let mut key = 100;
        for i in 0..300 {
            tree.node(first + i).enter();
            tree.node(first + i).see(key, Color::White);
            key += 1;
            let below = grow(&tree, first + i, 90);
            for j in 0..90 {
                tree.node(below + j).enter();
                tree.node(below + j).see(key, Color::Black);
                key += 1;
            }
        }
        assert!(tree.reroot(100 + 91 * 7), "the eighth child");
        let children = |tree: &Tree| -> Vec<(u32, u64)> {
            let (_, nodes) = tree.children(tree.node(tree.root()));
            nodes.iter().map(|n| (n.mv().raw(), n.key.load(Ordering::Relaxed))).collect()
        };
        let before = children(&tree);
        tree.compact(&|| false);
        assert_eq!(children(&tree), before);
        assert_eq!(tree.next.load(Ordering::Relaxed), 92);
        assert!(!tree.reroot(100), "siblings are gone");
        assert!(tree.reroot(100 + 91 * 7));
    }

    #[test]
    fn memory_is_bounded() {
        let tree = {
            let mut tree = Tree::new(1);
            tree.plant(1, Color::Black);
            tree
        };
        let mut blocks = 0;
        while tree.allocate(361).is_some() {
            blocks += 1;
        }
        assert!(blocks <= CHUNK / 361);
        assert_eq!(tree.bytes(), (CHUNK * NODE_BYTES) as u64);
        assert!(tree.claim(tree.node(1)));
        assert!(!tree.expand(tree.node(1), &[(Move::PASS, 1.0); 361], true));
        assert!(tree.claim(tree.node(1)), "a failed expansion releases the node");
    }
}
