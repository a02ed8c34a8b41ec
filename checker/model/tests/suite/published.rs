//! Programs after those of GenMC's tests, whose numbers of executions are published with it
//! (0.11.0, `tests/correct/data-structures`, `expected.rc11.mo.in`).
//!
//! They are written anew after the algorithms. Accesses that are not atomic there, and race, are
//! relaxed here: GenMC counts them with its search for races switched off. A loop is a wait
//! ([`await_until`]) where GenMC blocks a round that changes nothing. Where the numbers differ, the
//! test has the reason.

mod combiner;
mod locks;
pub(crate) mod nodes;
pub(crate) mod queues;

use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use aqueduct_model::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release, SeqCst};
use aqueduct_model::sync::atomic::{AtomicUsize, fence};
use aqueduct_model::{Config, await_until, on_record, thread};

/// Returns the number of executions of threads that share something.
fn executions<T: Send + Sync + 'static>(shared: fn() -> T, threads: &[fn(&T)]) -> u64 {
    executions_under(&Config::new(), shared, threads)
}

fn executions_under<T: Send + Sync + 'static>(config: &Config, shared: fn() -> T, threads: &[fn(&T)]) -> u64 {
    let threads = threads.to_vec();
    let report = config.check(move || {
        let shared = Arc::new(shared());
        for &body in &threads {
            let shared = Arc::clone(&shared);
            thread::spawn(move || body(&shared));
        }
    });
    assert!(report.exhaustive, "{report}");
    report.executions
}

/// Returns the number of executions in which every thread ends. In others, one waits forever.
fn ended<T: Send + Sync + 'static>(shared: fn() -> T, threads: &[fn(&T)]) -> u64 {
    let threads = threads.to_vec();
    let ended = Arc::new(AtomicU64::new(0));
    let seen = Arc::clone(&ended);
    let report = Config::new().waits_fail(false).check(move || {
        let shared = Arc::new(shared());
        let spawn = |&body: &fn(&T)| {
            let shared = Arc::clone(&shared);
            thread::spawn(move || body(&shared))
        };
        let handles: Vec<_> = threads.iter().map(spawn).collect();
        handles.into_iter().for_each(|handle| handle.join().unwrap());
        if on_record() {
            seen.fetch_add(1, Relaxed);
        }
    });
    assert!(report.exhaustive, "{report}");
    ended.load(Relaxed)
}

fn zeros<const N: usize>() -> [AtomicUsize; N] {
    [const { AtomicUsize::new(0) }; N]
}

/// The deque of Chase and Lev, of ten slots.
struct Deque {
    bottom: AtomicUsize,
    top: AtomicUsize,
    slots: [AtomicUsize; 10],
}

impl Deque {
    fn new() -> Self {
        Self { bottom: AtomicUsize::new(0), top: AtomicUsize::new(0), slots: zeros() }
    }

    /// Returns the number of items between two positions.
    fn between(top: usize, bottom: usize) -> isize {
        bottom.wrapping_sub(top).cast_signed()
    }

    fn push(&self, item: usize) {
        let bottom = self.bottom.load(Relaxed);
        let top = self.top.load(Acquire);
        if Self::between(top, bottom) < 10 {
            self.slots[bottom % 10].store(item, Relaxed);
            self.bottom.store(bottom + 1, Release);
        }
    }

    fn take(&self) {
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

    fn steal(&self) {
        let top = self.top.load(Relaxed);
        fence(SeqCst);
        let bottom = self.bottom.load(Acquire);
        if Self::between(top, bottom) > 0 {
            self.slots[top % 10].load(Relaxed);
            let _ = self.top.compare_exchange(top, top + 1, Release, Relaxed);
        }
    }
}

#[test]
fn chase_and_lev_with_one_thief() {
    let owner = |deque: &Deque| {
        (1..=5).for_each(|item| deque.push(item));
        (0..3).for_each(|_| deque.take());
        (6..=7).for_each(|item| deque.push(item));
    };
    // chase-lev: 65.
    assert_eq!(executions(Deque::new, &[owner, Deque::steal]), 65);
}

#[test]
fn chase_and_lev_with_two_thieves() {
    let owner = |deque: &Deque| {
        deque.push(1);
        deque.push(2);
        deque.take();
        deque.push(4);
    };
    let thief = |deque: &Deque| {
        deque.steal();
        deque.steal();
    };
    // dq: 1,924.
    assert_eq!(executions(Deque::new, &[owner, thief, Deque::steal]), 1_924);
}

/// FreeBSD's ring of eight slots. A slot holds a message's number, or 0.
struct BufRing {
    producers: [AtomicUsize; 2],
    consumers: [AtomicUsize; 2],
    slots: [AtomicUsize; 8],
    messages: [AtomicUsize; 3],
}

impl BufRing {
    fn new() -> Self {
        Self { producers: zeros(), consumers: zeros(), slots: zeros(), messages: zeros() }
    }

    /// Moves the head of one side, unless the other side's tail is there. A lost exchange waits.
    fn claim([head, _]: &[AtomicUsize; 2], [_, tail]: &[AtomicUsize; 2], ahead: usize) -> Option<usize> {
        let mut claimed = None;
        await_until(|| {
            let position = head.load(Relaxed);
            let limit = tail.load(Relaxed);
            let next = (position + 1) % 8;
            if (position + ahead) % 8 == limit {
                return true;
            }
            claimed = head.compare_exchange(position, next, AcqRel, Acquire).ok();
            claimed.is_some()
        });
        claimed
    }

    fn enqueue(&self, message: usize) -> bool {
        let Some(position) = Self::claim(&self.producers, &self.consumers, 1) else { return false };
        fence(SeqCst);
        self.slots[position].store(message, Relaxed);
        await_until(|| self.producers[1].load(Relaxed) == position);
        self.producers[1].store((position + 1) % 8, Relaxed);
        true
    }

    fn dequeue(&self) -> usize {
        let Some(position) = Self::claim(&self.consumers, &self.producers, 0) else { return 0 };
        let message = self.slots[position].load(Relaxed);
        await_until(|| self.consumers[1].load(Relaxed) == position);
        fence(SeqCst);
        self.consumers[1].store((position + 1) % 8, Relaxed);
        message
    }

    fn run<const MESSAGE: usize>(&self) {
        self.messages[MESSAGE - 1].store(0xbeef, Relaxed);
        if !self.enqueue(MESSAGE) {
            self.messages[MESSAGE - 1].store(0xdead, Relaxed);
        }
        let message = self.dequeue();
        if message != 0 {
            assert_eq!(self.messages[message - 1].load(Relaxed), 0xbeef);
        }
    }
}

#[test]
fn freebsds_ring_with_three_threads() {
    // buf_ring: 1,218.
    assert_eq!(executions(BufRing::new, &[BufRing::run::<1>, BufRing::run::<2>, BufRing::run::<3>]), 1_218);
}

/// The queue of Michael and Scott over an array of nodes. A pointer has a count above its 32 lower
/// bits.
pub(crate) struct Queue {
    head: AtomicUsize,
    tail: AtomicUsize,
    nodes: [Node; 6],
}

struct Node {
    value: AtomicUsize,
    next: AtomicUsize,
}

const POINTER: usize = (1 << 32) - 1;

fn pointer(node: usize, old: usize) -> usize {
    node | ((old >> 32) + 1) << 32
}

impl Queue {
    pub(crate) fn new() -> Self {
        let nodes = [(); 6].map(|()| Node { value: AtomicUsize::new(0), next: AtomicUsize::new(0) });
        Self { head: AtomicUsize::new(1), tail: AtomicUsize::new(1), nodes }
    }

    fn next(&self, node: usize) -> &AtomicUsize {
        &self.nodes[node & POINTER].next
    }

    pub(crate) fn enqueue(&self, node: usize, value: usize) {
        self.nodes[node].value.store(value, Relaxed);
        let old = self.next(node).load(Relaxed);
        self.next(node).store(old & !POINTER, Relaxed);
        loop {
            let tail = self.tail.load(Acquire);
            let next = self.next(tail).load(Acquire);
            if tail != self.tail.load(Relaxed) {
                continue;
            }
            if next & POINTER == 0
                && self.next(tail).compare_exchange(next, pointer(node, next), Release, Relaxed).is_ok()
            {
                let _ = self.tail.compare_exchange(tail, pointer(node, tail), Release, Relaxed);
                return;
            }
            let next = self.next(tail).load(Acquire) & POINTER;
            let _ = self.tail.compare_exchange(tail, pointer(next, tail), Release, Relaxed);
        }
    }

    /// One attempt to take a value.
    pub(crate) fn attempt(&self) -> Attempt {
        let head = self.head.load(Acquire);
        let tail = self.tail.load(Acquire);
        let next = self.next(head).load(Acquire);
        if self.head.load(Relaxed) != head {
            return Attempt::Again;
        }
        if head & POINTER == tail & POINTER {
            if next & POINTER == 0 {
                return Attempt::Done(None);
            }
            let _ = self.tail.compare_exchange(tail, pointer(next & POINTER, tail), Release, Relaxed);
            return Attempt::Again;
        }
        let found = self.nodes[next & POINTER].value.load(Relaxed);
        match self.head.compare_exchange(head, pointer(next & POINTER, head), Release, Relaxed) {
            Ok(_) => Attempt::Done(Some(found)),
            Err(_) => Attempt::Lost,
        }
    }

    /// Takes a value. All rounds but the last are one wait.
    pub(crate) fn dequeue(&self) -> Option<usize> {
        let mut value = None;
        await_until(|| match self.attempt() {
            Attempt::Done(found) => {
                value = found;
                true
            }
            _ => false,
        });
        value
    }
}

/// The result of an attempt to take a value from a queue of Michael and Scott.
pub(crate) enum Attempt {
    Done(Option<usize>),
    /// The head has moved, or the tail had to.
    Again,
    /// Another thread has moved the head.
    Lost,
}

#[test]
fn michael_and_scott_with_two_threads() {
    fn run<const NODE: usize>(queue: &Queue) {
        queue.enqueue(NODE, 10 * NODE);
        queue.dequeue();
    }
    // ms-queue: 50.
    assert_eq!(executions(Queue::new, &[run::<2>, run::<3>]), 50);
}

#[test]
fn michael_and_scott_with_one_writer_and_three_readers() {
    let write = |queue: &Queue| queue.enqueue(2, 20);
    let read = |queue: &Queue| _ = queue.dequeue();
    // Miri's tests with GenMC leave their queue of nodes on the heap with these threads out, as too
    // slow.
    assert_eq!(executions(Queue::new, &[write, read, read, read]), 37);
}

/// Treiber's stack over an array of nodes, and words that are stored before their numbers are
/// pushed.
pub(crate) struct Stack {
    top: AtomicUsize,
    nodes: [Node; 4],
    words: [AtomicUsize; 3],
}

impl Stack {
    pub(crate) fn new() -> Self {
        let nodes = [(); 4].map(|()| Node { value: AtomicUsize::new(0), next: AtomicUsize::new(0) });
        Self { top: AtomicUsize::new(0), nodes, words: zeros() }
    }

    fn push_word<const WORD: usize>(&self) {
        self.words[WORD].store(WORD + 42, Relaxed);
        self.push(WORD + 1, WORD);
    }

    pub(crate) fn push(&self, node: usize, value: usize) {
        self.nodes[node].value.store(value, Relaxed);
        loop {
            let top = self.top.load(Acquire);
            self.nodes[node].next.store(top, Relaxed);
            if self.top.compare_exchange(top, pointer(node, top), Release, Relaxed).is_ok() {
                return;
            }
        }
    }

    pub(crate) fn pop(&self) -> Option<usize> {
        let mut value = None;
        await_until(|| {
            let top = self.top.load(Acquire);
            if top & POINTER == 0 {
                return true;
            }
            let node = &self.nodes[top & POINTER];
            let next = pointer(node.next.load(Relaxed) & POINTER, top);
            let found = self.top.compare_exchange(top, next, Release, Relaxed).is_ok();
            if found {
                value = Some(node.value.load(Relaxed));
            }
            found
        });
        value
    }

    fn pop_word(&self) {
        if let Some(word) = self.pop().filter(|&word| word != 0) {
            assert_eq!(self.words[word].load(Relaxed), word + 42);
        }
    }
}

#[test]
fn treibers_stack_with_two_writers_and_a_reader() {
    // treiber-stack: 18.
    assert_eq!(executions(Stack::new, &[Stack::push_word::<0>, Stack::push_word::<1>, Stack::pop_word]), 18);
}

/// A queue of linked nodes. Thread 1 makes the first. 0 is null; the first node is 1.
struct Linked {
    head: AtomicUsize,
    tail: AtomicUsize,
    is_initialized: AtomicUsize,
    nodes: [Node; 4],
}

impl Linked {
    fn new() -> Self {
        let nodes = [(); 4].map(|()| Node { value: AtomicUsize::new(0), next: AtomicUsize::new(0) });
        Self { head: AtomicUsize::new(0), tail: AtomicUsize::new(0), is_initialized: AtomicUsize::new(0), nodes }
    }

    fn find_tail(&self) -> usize {
        loop {
            let tail = self.tail.load(Acquire);
            match self.nodes[tail].next.load(Relaxed) {
                0 => return tail,
                next => self.tail.store(next, Release),
            }
        }
    }

    fn enqueue(&self, node: usize) {
        self.nodes[node].value.store(1, Relaxed);
        self.nodes[node].next.store(0, Relaxed);
        let tail = self.find_tail();
        if self.nodes[tail].next.compare_exchange(0, node, Release, Relaxed).is_ok() {
            self.tail.store(node, Release);
        }
    }

    fn dequeue(&self) {
        let head = self.head.load(Acquire);
        let node = self.nodes[head].next.load(Acquire);
        if node != 0 && self.head.compare_exchange(head, node, Relaxed, Relaxed).is_ok() {
            self.nodes[node].value.load(Relaxed);
        }
    }

    fn begin(&self) {
        self.nodes[1].next.store(0, Release);
        self.head.store(1, Release);
        self.tail.store(1, Release);
        self.is_initialized.store(1, Release);
        self.enqueue(2);
    }

    fn produce(&self) {
        if self.is_initialized.load(Acquire) == 1 {
            self.enqueue(3);
        }
    }

    fn consume(&self) {
        if self.is_initialized.load(Acquire) == 1 {
            self.dequeue();
        }
    }
}

#[test]
fn a_linked_queue_with_two_producers_and_a_consumer() {
    // qu: 75.
    assert_eq!(executions(Linked::new, &[Linked::begin, Linked::produce, Linked::consume]), 75);
}
