//! Z4: the MCS lock, as in the queued spinlock of Linux. A thread marks its node as locked and
//! links it to its predecessor's.
//!
//! With a relaxed link, the predecessor may unlock the node *before* the mark is stored: the mark
//! then comes last, and the thread spins forever. A release store of the link repairs it (with the
//! acquire load that exists already).

use std::sync::Arc;
use std::sync::atomic::Ordering::{self, AcqRel, Acquire, Relaxed, Release};

use super::super::{AtomicBool, AtomicUsize, Slot, await_until, spawn};

/// The value of a link to no thread; threads are numbered from one.
const NOBODY: usize = 0;

struct Node {
    locked: AtomicBool,
    next: AtomicUsize,
}

struct Lock {
    tail: AtomicUsize,
    nodes: [Node; 2],
    guarded: Slot<usize>,
}

impl Lock {
    fn lock(&self, me: usize, link: Ordering) {
        let node = &self.nodes[me - 1];
        node.locked.store(true, Relaxed);
        let before = self.tail.swap(me, AcqRel);
        if before != NOBODY {
            self.nodes[before - 1].next.store(me, link);
            await_until(|| !node.locked.load(Acquire));
        }
    }

    fn unlock(&self, me: usize) {
        let next = &self.nodes[me - 1].next;
        if next.load(Acquire) == NOBODY {
            if self.tail.compare_exchange(me, NOBODY, Release, Relaxed).is_ok() {
                return;
            }
            await_until(|| next.load(Acquire) != NOBODY);
        }
        self.nodes[next.load(Relaxed) - 1].locked.store(false, Release);
    }

    fn increment(&self, me: usize, link: Ordering) {
        self.lock(me, link);
        self.guarded.set(self.guarded.get() + 1);
        self.unlock(me);
    }
}

/// Two threads lock and unlock once.
fn client(link: Ordering) {
    let node = || Node { locked: AtomicBool::new(false), next: AtomicUsize::new(NOBODY) };
    let lock = Arc::new(Lock { tail: AtomicUsize::new(NOBODY), nodes: [node(), node()], guarded: Slot::new(0) });
    let other = Arc::clone(&lock);
    let other = spawn(move || other.increment(2, link));
    lock.increment(1, link);
    other.join().unwrap();
    assert_eq!(lock.guarded.get(), 2, "two threads were inside at once");
}

pub(crate) fn broken() {
    client(Relaxed);
}

pub(crate) fn repaired() {
    client(Release);
}
