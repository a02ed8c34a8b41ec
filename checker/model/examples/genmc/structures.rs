//! A deque in an array, and a stack and a queue of nodes that are never freed.

use std::alloc::Layout;

use aqueduct_model::alloc;
use aqueduct_model::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release, SeqCst};
use aqueduct_model::sync::atomic::{AtomicUsize, fence};

use super::programs::{repeat, zeros};

/// The deque of Chase and Lev, of ten slots.
pub(crate) struct Deque {
    bottom: AtomicUsize,
    top: AtomicUsize,
    slots: [AtomicUsize; 10],
}

impl Deque {
    pub(crate) fn new() -> Self {
        Self { bottom: AtomicUsize::new(0), top: AtomicUsize::new(0), slots: zeros() }
    }

    fn between(top: usize, bottom: usize) -> isize {
        bottom.wrapping_sub(top).cast_signed()
    }

    pub(crate) fn push(&self, item: usize) {
        let bottom = self.bottom.load(Relaxed);
        let top = self.top.load(Acquire);
        if Self::between(top, bottom) < 10 {
            self.slots[bottom % 10].store(item, Relaxed);
            self.bottom.store(bottom + 1, Release);
        }
    }

    pub(crate) fn take(&self) {
        let bottom = self.bottom.load(Relaxed);
        self.bottom.store(bottom.wrapping_sub(1), Relaxed);
        fence(SeqCst);
        let top = self.top.load(Relaxed);
        let items = Self::between(top, bottom);
        if items <= 0 {
            self.bottom.store(bottom, Relaxed);
            return;
        }
        self.slots[(bottom - 1) % 10].load(Relaxed);
        if items == 1 {
            let _ = self.top.compare_exchange(top, top + 1, AcqRel, Acquire);
            self.bottom.store(bottom, Relaxed);
        }
    }

    pub(crate) fn steal(&self) {
        let top = self.top.load(Relaxed);
        fence(SeqCst);
        let bottom = self.bottom.load(Acquire);
        if Self::between(top, bottom) > 0 {
            self.slots[top % 10].load(Relaxed);
            let _ = self.top.compare_exchange(top, top + 1, Release, Relaxed);
        }
    }
}

struct Node {
    value: AtomicUsize,
    next: AtomicUsize,
}

/// Returns the address of a new node.
fn node() -> usize {
    // SAFETY: The layout has a size, and the memory becomes a node.
    unsafe {
        let memory = alloc::alloc(Layout::new::<Node>()).cast::<Node>();
        memory.write(Node { value: AtomicUsize::new(0), next: AtomicUsize::new(0) });
        memory as usize
    }
}

fn at(address: usize) -> &'static Node {
    // SAFETY: A node is never freed, and its memory lasts as long as the run.
    unsafe { &*(address as *const Node) }
}

/// Treiber's stack.
pub(crate) struct Stack {
    top: AtomicUsize,
}

impl Stack {
    pub(crate) fn new() -> Self {
        Self { top: AtomicUsize::new(0) }
    }

    pub(crate) fn push(&self, value: usize, loops: bool) {
        let new = node();
        at(new).value.store(value, Relaxed);
        repeat(loops, || {
            let top = self.top.load(Acquire);
            at(new).next.store(top, Relaxed);
            self.top.compare_exchange(top, new, Release, Relaxed).is_ok()
        });
    }

    pub(crate) fn pop(&self, loops: bool) {
        repeat(loops, || {
            let top = self.top.load(Acquire);
            if top == 0 {
                return true;
            }
            let next = at(top).next.load(Relaxed);
            let pops = self.top.compare_exchange(top, next, Release, Relaxed).is_ok();
            if pops {
                at(top).value.load(Relaxed);
            }
            pops
        });
    }
}

/// The queue of Michael and Scott. Its threads move the tail for each other.
pub(crate) struct Queue {
    head: AtomicUsize,
    tail: AtomicUsize,
}

impl Queue {
    pub(crate) fn new() -> Self {
        let sentinel = node();
        Self { head: AtomicUsize::new(sentinel), tail: AtomicUsize::new(sentinel) }
    }

    pub(crate) fn enqueue(&self, value: usize, loops: bool) {
        let new = node();
        at(new).value.store(value, Relaxed);
        at(new).next.store(0, Relaxed);
        let mut tail = 0;
        repeat(loops, || {
            tail = self.tail.load(Acquire);
            let next = at(tail).next.load(Acquire);
            if self.tail.load(Acquire) != tail {
                return false;
            }
            if next == 0 {
                return at(tail).next.compare_exchange(0, new, Release, Relaxed).is_ok();
            }
            let _ = self.tail.compare_exchange(tail, next, Release, Relaxed);
            false
        });
        let _ = self.tail.compare_exchange(tail, new, Release, Relaxed);
    }

    pub(crate) fn dequeue(&self, loops: bool) {
        repeat(loops, || {
            let head = self.head.load(Acquire);
            let tail = self.tail.load(Acquire);
            let next = at(head).next.load(Acquire);
            if self.head.load(Acquire) != head {
                return false;
            }
            if head != tail {
                at(next).value.load(Relaxed);
                return self.head.compare_exchange(head, next, Release, Relaxed).is_ok();
            }
            if next != 0 {
                let _ = self.tail.compare_exchange(tail, next, Release, Relaxed);
            }
            next == 0
        });
    }
}
