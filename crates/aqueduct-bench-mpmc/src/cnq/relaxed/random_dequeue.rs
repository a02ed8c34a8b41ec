//! RDQ, the random dequeue queue (Afek, Korland and Yanovsky, "Quasi-Linearizability: Relaxed Consistency for Improved
//! Concurrency", OPODIS 2010): the list of Michael and Scott, of which a pop marks one of the first `k` nodes as taken.
//! Only a pop that has chosen the first one moves the head past nodes that are taken. After some failures in a row, a
//! pop chooses that.
//!
//! # What differs from the paper
//! - A node's item and its mark are one word.
//! - Nodes are reclaimed by epochs; the paper leaves that to the collector of its language.

use std::ptr;
use std::sync::Arc;

use aqueduct_measure::run::Apart;

use super::dice::Dice;
use super::epochs::{Epochs, Member};
use super::sync::{AtomicPtr, AtomicU64, make};
use super::words::{Linked, exchange, follow, free_all, load, relink};

/// Instead of an item: it is taken.
const TAKEN: u64 = 0;
/// Failures of a pop before it takes the first item, as in Scal.
const FAILURES: u32 = 10;

/// A node of the list. The first one's item is taken.
#[derive(Debug)]
struct Node {
    item: AtomicU64,
    next: AtomicPtr<Node>,
}

impl Linked for Node {
    fn next(&self) -> &AtomicPtr<Self> {
        &self.next
    }
}

impl Node {
    fn new(item: u64) -> *mut Self {
        make(Self { item: AtomicU64::new(item), next: AtomicPtr::new(ptr::null_mut()) })
    }

    /// Returns the item, if it is not taken, and takes it.
    #[inline]
    fn take(&self) -> Option<u64> {
        let item = load(&self.item);
        (item != TAKEN && exchange(&self.item, item, TAKEN)).then_some(item)
    }
}

#[derive(Debug)]
struct List {
    head: Apart<AtomicPtr<Node>>,
    /// The last node, or one before it.
    tail: Apart<AtomicPtr<Node>>,
    k: usize,
    epochs: Epochs<Node>,
}

// SAFETY: nodes are reached by atomics, and freed as the epochs say.
unsafe impl Send for List {}
// SAFETY: as for `Send`.
unsafe impl Sync for List {}

impl Drop for List {
    fn drop(&mut self) {
        // SAFETY: all threads have left, and the objects from the head on have not been given up.
        unsafe { free_all(&self.head.0) };
    }
}

/// A thread's end of the queue.
#[derive(Debug)]
pub(super) struct Rdq {
    list: Arc<List>,
    member: Member<Node>,
    dice: Dice,
}

// SAFETY: the objects that a thread has given up are its alone to free.
unsafe impl Send for Rdq {}

impl Drop for Rdq {
    fn drop(&mut self) {
        self.list.epochs.inherit(&mut self.member);
    }
}

/// Makes a queue, and an end for each thread.
pub(super) fn new(k: usize, threads: usize) -> Vec<Rdq> {
    let first = Node::new(TAKEN);
    let end = || Apart(AtomicPtr::new(first));
    let list = Arc::new(List { head: end(), tail: end(), k, epochs: Epochs::new(threads) });
    let end = |thread| Rdq { list: Arc::clone(&list), member: Epochs::member(thread), dice: Dice::of(thread) };
    (0..threads).map(end).collect()
}

impl List {
    fn push(&self, item: u64) {
        let new = Node::new(item);
        loop {
            let tail = follow(&self.tail.0);
            // SAFETY: the thread has entered an epoch, in which the node could be reached.
            let link = unsafe { &(*tail).next };
            let next = follow(link);
            if !next.is_null() {
                relink(&self.tail.0, tail, next);
            } else if relink(link, next, new) {
                relink(&self.tail.0, tail, new);
                return;
            }
        }
    }

    fn pop(&self, member: &mut Member<Node>, dice: &mut Dice) -> Option<u64> {
        let mut failures = 0;
        loop {
            let head = follow(&self.head.0);
            let place = if failures < FAILURES { dice.throw(self.k) } else { 0 };
            failures += 1;
            let node = if place == 0 { self.first(member, head) } else { past(head, place) };
            if node.is_null() {
                return None;
            }
            // SAFETY: as in `push`.
            if let Some(item) = unsafe { &*node }.take() {
                return Some(item);
            }
        }
    }

    /// Moves the head to the last node before the first item, and returns the node of that; or null.
    fn first(&self, member: &mut Member<Node>, mut head: *mut Node) -> *mut Node {
        loop {
            // SAFETY: as in `push`.
            let next = follow(unsafe { &(*head).next });
            // SAFETY: as in `push`, if there is one.
            if next.is_null() || load(unsafe { &(*next).item }) != TAKEN {
                return next;
            }
            // The tail must not fall behind the head: the node could be freed.
            if follow(&self.tail.0) == head {
                relink(&self.tail.0, head, next);
            }
            if relink(&self.head.0, head, next) {
                // SAFETY: neither end leads to it any more, and one thread has moved the head past it.
                unsafe { self.epochs.give_up(member, head) };
            }
            head = next;
        }
    }
}

/// Returns the node that many places after the one after `head`, or the last one; null, if there is none after `head`.
fn past(head: *mut Node, places: usize) -> *mut Node {
    // SAFETY: as in `push`.
    let mut node = follow(unsafe { &(*head).next });
    for _ in 0..places {
        if node.is_null() {
            return node;
        }
        // SAFETY: as in `push`.
        let next = follow(unsafe { &(*node).next });
        if next.is_null() {
            return node;
        }
        node = next;
    }
    node
}

impl Rdq {
    #[inline]
    pub(super) fn push(&mut self, item: u64) -> bool {
        self.list.epochs.enter(&self.member);
        self.list.push(item);
        self.list.epochs.leave(&self.member);
        true
    }

    #[inline]
    pub(super) fn pop(&mut self) -> Option<u64> {
        self.list.epochs.enter(&self.member);
        let item = self.list.pop(&mut self.member, &mut self.dice);
        self.list.epochs.leave(&self.member);
        item
    }
}
