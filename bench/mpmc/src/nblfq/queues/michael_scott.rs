//! The list of Michael and Scott ("Simple, Fast, and Practical Non-Blocking and Blocking Concurrent
//! Queue Algorithms", PODC 1996), with the reclamation of `crossbeam-epoch` in place of counted
//! pointers.
//!
//! Its operations are lock-free as far as the allocator is; and a thread that stops in the middle
//! of one keeps all memory from being freed that is given up meanwhile.

use std::mem::MaybeUninit;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use crossbeam_epoch::{Atomic, Owned, pin, unprotected};

use super::link::exchange;
use crate::mpmc::Item;
use crate::nblfq::concurrent::Concurrent;
use crate::nblfq::line::Line;

/// A node of the list. The first one's item has been taken already.
struct Node {
    item: MaybeUninit<Item>,
    next: Atomic<Node>,
}

impl Node {
    fn new(item: MaybeUninit<Item>) -> Owned<Self> {
        Owned::new(Self { item, next: Atomic::null() })
    }
}

struct List {
    head: Line<Atomic<Node>>,
    /// The last node, or one before it.
    tail: Line<Atomic<Node>>,
}

impl Drop for List {
    fn drop(&mut self) {
        // SAFETY: no other thread has the list any more.
        let guard = unsafe { unprotected() };
        let mut node = self.head.0.load(Ordering::Relaxed, guard);
        while !node.is_null() {
            // SAFETY: the nodes from the head on have not been given up.
            let owned = unsafe { node.into_owned() };
            node = owned.next.load(Ordering::Relaxed, guard);
        }
    }
}

/// The queue: it is unbounded.
#[derive(Clone)]
pub(in crate::nblfq) struct MichaelScott(Arc<List>);

impl Concurrent for MichaelScott {
    const NAME: &'static str = "published/michael_scott";

    fn open(_capacity: usize) -> Result<Self, String> {
        let first = Atomic::from(Node::new(MaybeUninit::uninit()));
        Ok(Self(Arc::new(List { head: Line(first.clone()), tail: Line(first) })))
    }

    #[inline]
    fn push(&self, item: Item) -> bool {
        let list = &*self.0;
        let guard = &pin();
        let new = Node::new(MaybeUninit::new(item)).into_shared(guard);
        loop {
            // Ordering: Acquire pairs with the Release of the thread that put the node there: its
            // fields.
            let tail = list.tail.0.load(Ordering::Acquire, guard);
            // SAFETY: the tail is never null, and what could be loaded under the guard is not
            // freed.
            let next = unsafe { &tail.deref().next };
            let after = next.load(Ordering::Acquire, guard);
            if !after.is_null() {
                exchange(&list.tail.0, tail, after, guard);
                continue;
            }
            if exchange(next, after, new, guard) {
                exchange(&list.tail.0, tail, new, guard);
                return true;
            }
        }
    }

    #[inline]
    fn pop(&self) -> Option<Item> {
        let list = &*self.0;
        let guard = &pin();
        loop {
            // Ordering: Acquire, as in `push`.
            let head = list.head.0.load(Ordering::Acquire, guard);
            // SAFETY: as in `push`.
            let next = unsafe { head.deref() }.next.load(Ordering::Acquire, guard);
            // SAFETY: as in `push`, if there is one.
            let node = unsafe { next.as_ref() }?;
            let tail = list.tail.0.load(Ordering::Relaxed, guard);
            if tail == head {
                // The tail must not fall behind the head: the node would be freed.
                exchange(&list.tail.0, tail, next, guard);
            }
            if exchange(&list.head.0, head, next, guard) {
                // SAFETY: no thread comes to the old head any more but by a pointer loaded before.
                unsafe { guard.defer_destroy(head) };
                // SAFETY: all nodes but the first one that ever was have an item.
                return Some(unsafe { node.item.assume_init() });
            }
        }
    }
}
