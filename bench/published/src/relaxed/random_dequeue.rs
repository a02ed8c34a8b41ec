//! RDQ, the random dequeue queue (Afek, Korland and Yanovsky, "Quasi-Linearizability: Relaxed
//! Consistency for Improved Concurrency", OPODIS 2010): the list of Michael and Scott, where a pop
//! marks one of the first `k` nodes as taken. Only a pop that has chosen the first one moves the
//! head past nodes that are taken. After some failures in a row, a pop chooses that.
//!
//! # What differs from the paper
//! - A node's item and its mark are one word.
//! - Nodes are reclaimed by epochs; the paper leaves that to the collector of its language.

use std::ptr;

use super::dice::Dice;
use super::epochs::Member;
use super::list::{End, List, Relaxed, ends};
use super::sync::{AtomicPtr, AtomicU64, make};
use super::words::{Linked, exchange, follow, load, relink};

/// Instead of an item: it is taken.
const TAKEN: u64 = 0;
/// Failures of a pop before it takes the first item, as in Scal.
const FAILURES: u32 = 10;

/// A node of the list. The first one's item is taken.
#[derive(Debug)]
pub struct Node {
    item: AtomicU64,
    next: AtomicPtr<Node>,
}

impl Linked for Node {
    #[inline]
    fn next(&self) -> &AtomicPtr<Self> {
        &self.next
    }
}

impl Node {
    #[inline]
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

/// A thread's end of the queue.
pub type Rdq = End<Node>;

/// Makes a queue, and an end for each thread.
pub fn new(k: usize, threads: usize) -> Vec<Rdq> {
    ends(Node::new(TAKEN), k, threads)
}

impl Relaxed for Node {
    #[inline]
    fn push(list: &List<Self>, item: u64, _dice: &mut Dice) {
        list.push(item);
    }

    #[inline]
    fn pop(list: &List<Self>, member: &mut Member<Self>, dice: &mut Dice) -> Option<u64> {
        list.pop(member, dice)
    }
}

impl List<Node> {
    #[inline]
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

    #[inline]
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

    /// Moves the head to the last node before the first item, and returns the node of that; or
    /// null.
    #[inline]
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
                // SAFETY: neither end leads to it any more, and one thread has moved the head past
                // it.
                unsafe { self.epochs.give_up(member, head) };
            }
            head = next;
        }
    }
}

/// Returns the node that many places after the one after `head`, or the last one; null, if there is
/// none after `head`.
#[inline]
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
