//! Stacks and queues of nodes: on the heap, where a failed round writes to a node that no other
//! thread has, and in arrays.

use std::alloc::Layout;
use std::sync::Arc;

use aqueduct_model::sync::atomic::AtomicUsize;
use aqueduct_model::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use aqueduct_model::{Config, alloc, await_until, thread};

use super::{Node, executions, zeros};

/// Returns the address of a new node on the heap. It is never freed: GenMC retires it to hazard
/// pointers.
fn node(value: usize) -> usize {
    // SAFETY: The layout has a size, and the memory becomes a node.
    unsafe {
        let memory = alloc::alloc(Layout::new::<Node>()).cast::<Node>();
        memory.write(Node { value: AtomicUsize::new(value), next: AtomicUsize::new(0) });
        memory as usize
    }
}

fn at(address: usize) -> &'static Node {
    // SAFETY: A node is never freed, and its memory lasts as long as the run.
    unsafe { &*(address as *const Node) }
}

/// A stack or a queue of nodes on the heap, and words that are stored before their numbers are
/// pushed.
pub(crate) struct Ends {
    first: AtomicUsize,
    last: AtomicUsize,
    words: [AtomicUsize; 2],
}

impl Ends {
    pub(crate) fn of_a_stack() -> Self {
        Self { first: AtomicUsize::new(0), last: AtomicUsize::new(0), words: zeros() }
    }

    pub(crate) fn of_a_queue() -> Self {
        let sentinel = node(0);
        Self { first: AtomicUsize::new(sentinel), last: AtomicUsize::new(sentinel), words: zeros() }
    }

    pub(crate) fn push(&self, value: usize) {
        let new = node(value);
        await_until(|| {
            let top = self.first.load(Acquire);
            at(new).next.store(top, Relaxed);
            self.first.compare_exchange(top, new, Release, Relaxed).is_ok()
        });
    }

    pub(crate) fn pop(&self) -> Option<usize> {
        let mut value = None;
        await_until(|| {
            let top = self.first.load(Acquire);
            if top == 0 {
                return true;
            }
            let next = at(top).next.load(Relaxed);
            let found = self.first.compare_exchange(top, next, Release, Relaxed).is_ok();
            if found {
                value = Some(at(top).value.load(Relaxed));
            }
            found
        });
        value
    }

    /// Adds a value to the queue of Michael and Scott. Its threads move the tail for each other
    /// (`HELPS`), or wait until it is moved.
    pub(crate) fn enqueue<const HELPS: bool>(&self, value: usize) {
        let new = node(value);
        at(new).next.store(0, Relaxed);
        let mut tail = 0;
        await_until(|| {
            tail = self.last.load(Acquire);
            let next = at(tail).next.load(Acquire);
            if self.last.load(Acquire) != tail {
                return false;
            }
            if next == 0 {
                return at(tail).next.compare_exchange(0, new, Release, Relaxed).is_ok();
            }
            if HELPS {
                let _ = self.last.compare_exchange(tail, next, Release, Relaxed);
            }
            false
        });
        let _ = self.last.compare_exchange(tail, new, Release, Relaxed);
    }

    pub(crate) fn dequeue<const HELPS: bool>(&self) -> Option<usize> {
        let mut value = None;
        await_until(|| {
            value = None;
            let head = self.first.load(Acquire);
            let tail = self.last.load(Acquire);
            let next = at(head).next.load(Acquire);
            if self.first.load(Acquire) != head {
                return false;
            }
            if head != tail {
                value = Some(at(next).value.load(Relaxed));
                return self.first.compare_exchange(head, next, Release, Relaxed).is_ok();
            }
            if HELPS && next != 0 {
                let _ = self.last.compare_exchange(tail, next, Release, Relaxed);
            }
            next == 0
        });
        value
    }
}

/// Returns the number of executions of threads that share a structure of nodes which are never
/// freed.
fn on_the_heap(ends: fn() -> Ends, threads: &[fn(&Ends)]) -> u64 {
    let threads = threads.to_vec();
    let report = Config::new().finds_leaks(false).check(move || {
        let ends = Arc::new(ends());
        for &body in &threads {
            let ends = Arc::clone(&ends);
            thread::spawn(move || body(&ends));
        }
    });
    assert!(report.exhaustive, "{report}");
    report.executions
}

#[test]
fn treibers_stack_on_the_heap() {
    fn push<const WORD: usize>(stack: &Ends) {
        stack.words[WORD].store(WORD + 42, Relaxed);
        stack.push(WORD);
    }
    let pop = |stack: &Ends| {
        if let Some(word) = stack.pop() {
            assert_eq!(stack.words[word].load(Relaxed), word + 42);
        }
    };
    // treiber-stack-dynamic: 8.
    assert_eq!(on_the_heap(Ends::of_a_stack, &[push::<0>, push::<1>, pop]), 8);
}

#[test]
fn michael_and_scotts_queue_on_the_heap() {
    fn run<const HELPS: bool>(queue: &Ends) {
        queue.enqueue::<HELPS>(10);
        queue.dequeue::<HELPS>();
    }
    // ms-queue-dynamic: 6. GenMC blocks a thread that could help another one, because that one
    // moves the tail itself.
    assert_eq!(on_the_heap(Ends::of_a_queue, &[run::<false>, run::<false>]), 6);
    assert_eq!(on_the_heap(Ends::of_a_queue, &[run::<true>, run::<true>]), 16);
}

/// Treiber's stack in an array, with attempts that may lose, and no loop.
#[test]
fn treibers_stack_without_loops() {
    struct Stack {
        head: AtomicUsize,
        nodes: [Node; 4],
    }
    fn push<const NODE: usize>(stack: &Stack) {
        let node = &stack.nodes[NODE];
        node.value.store(NODE, Relaxed);
        let head = stack.head.load(Relaxed);
        node.next.store(head, Relaxed);
        let _ = stack.head.compare_exchange(head, NODE, Release, Relaxed);
    }
    fn pop(stack: &Stack) {
        let head = stack.head.load(Acquire);
        if head != 0 {
            let node = &stack.nodes[head];
            node.value.load(Relaxed);
            let _ = stack.head.compare_exchange(head, node.next.load(Relaxed), Release, Relaxed);
        }
    }
    let first = |stack: &Stack| {
        push::<1>(stack);
        push::<2>(stack);
        pop(stack);
    };
    let second = |stack: &Stack| {
        pop(stack);
        push::<3>(stack);
    };
    let stack = || {
        let nodes = [(); 4].map(|()| Node { value: AtomicUsize::new(0), next: AtomicUsize::new(0) });
        Stack { head: AtomicUsize::new(0), nodes }
    };
    // stc: 37.
    assert_eq!(executions(stack, &[first, second]), 37);
}
