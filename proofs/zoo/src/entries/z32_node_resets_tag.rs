//! Z32: boost.lockfree #59, its queue of Michael and Scott. A reused node begins with a null `next`
//! whose tag is zero.
//!
//! An enqueuer that has long ago read the `next` of that node, null with tag zero, links its node
//! to it, though the node is no longer the last one, nor in the queue at all: the pushed node is
//! lost. The repaired form continues the old tag.

use std::sync::Arc;
use std::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release};

use super::super::{AtomicUsize, spawn};

/// The number for "no node".
const NULL: usize = 0xff;

/// Returns a node's number with a tag.
fn tagged(node: usize, tag: usize) -> usize {
    tag << 8 | node
}

fn node(link: usize) -> usize {
    link & 0xff
}

fn tag(link: usize) -> usize {
    link >> 8
}

/// The queue of nodes by their numbers. Values would come with the nodes.
struct Queue {
    head: AtomicUsize,
    tail: AtomicUsize,
    next: [AtomicUsize; 3],
}

impl Queue {
    /// Pushes a node that the caller owns.
    fn push<const KEEP_TAG: bool>(&self, new: usize) {
        let first_tag = if KEEP_TAG { tag(self.next[new].load(Relaxed)) + 1 } else { 0 };
        self.next[new].store(tagged(NULL, first_tag), Release);
        loop {
            let tail = self.tail.load(Acquire);
            let next = self.next[node(tail)].load(Acquire);
            if self.tail.load(Acquire) != tail {
                continue;
            }
            if node(next) != NULL {
                self.advance(tail, node(next));
            } else if self.link(node(tail), next, new) {
                self.advance(tail, new);
                return;
            }
        }
    }

    fn link(&self, last: usize, seen: usize, new: usize) -> bool {
        self.next[last].compare_exchange(seen, tagged(new, tag(seen) + 1), AcqRel, Relaxed).is_ok()
    }

    fn advance(&self, tail: usize, to: usize) {
        let _ = self.tail.compare_exchange(tail, tagged(to, tag(tail) + 1), AcqRel, Relaxed);
    }

    /// Pops. The caller owns the front node.
    fn pop(&self) -> Option<usize> {
        loop {
            let head = self.head.load(Acquire);
            let tail = self.tail.load(Acquire);
            let next = self.next[node(head)].load(Acquire);
            if self.head.load(Acquire) != head {
                continue;
            }
            if node(head) == node(tail) {
                if node(next) == NULL {
                    return None;
                }
                self.advance(tail, node(next));
            } else if self.head.compare_exchange(head, tagged(node(next), tag(head) + 1), AcqRel, Relaxed).is_ok() {
                return Some(node(head));
            }
        }
    }
}

/// One thread pushes and pops. The other pushes, pops, and pushes again with the node that it got.
fn client<const KEEP_TAG: bool>() {
    let queue = Arc::new(Queue {
        head: AtomicUsize::new(0),
        tail: AtomicUsize::new(0),
        next: std::array::from_fn(|_| AtomicUsize::new(tagged(NULL, 0))),
    });
    let other = {
        let queue = Arc::clone(&queue);
        spawn(move || {
            queue.push::<KEEP_TAG>(1);
            let own = queue.pop().expect("two are pushed before two are popped");
            queue.push::<KEEP_TAG>(own);
        })
    };
    queue.push::<KEEP_TAG>(2);
    assert!(queue.pop().is_some(), "a pushed item is not there");
    other.join().unwrap();
}

pub(crate) fn broken() {
    client::<false>();
}

pub(crate) fn repaired() {
    client::<true>();
}
