//! Stacks and queues of nodes: on the heap, where a failed round writes to a node that nobody else has, and in arrays.

use std::alloc::Layout;
use std::sync::Arc;

use aqueduct_model::sync::atomic::AtomicUsize;
use aqueduct_model::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use aqueduct_model::{Config, alloc, await_until, thread};

use super::{Node, executions, zeros};

/// Returns the address of a new node on the heap. It is never freed: GenMC retires it to hazard pointers.
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

/// A stack or a queue of nodes on the heap, and words that are stored before their numbers are pushed.
struct Ends {
    first: AtomicUsize,
    last: AtomicUsize,
    words: [AtomicUsize; 2],
}

/// Returns the number of executions of threads that share a structure of nodes which are never freed.
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
        let new = node(WORD);
        await_until(|| {
            let top = stack.first.load(Acquire);
            at(new).next.store(top, Relaxed);
            stack.first.compare_exchange(top, new, Release, Relaxed).is_ok()
        });
    }
    let pop = |stack: &Ends| {
        let mut word = 0;
        await_until(|| {
            let top = stack.first.load(Acquire);
            if top == 0 {
                return true;
            }
            let next = at(top).next.load(Relaxed);
            let found = stack.first.compare_exchange(top, next, Release, Relaxed).is_ok();
            if found {
                word = at(top).value.load(Relaxed);
            }
            found
        });
        if word != 0 {
            assert_eq!(stack.words[word].load(Relaxed), word + 42);
        }
    };
    let stack = || Ends { first: AtomicUsize::new(0), last: AtomicUsize::new(0), words: zeros() };
    // treiber-stack-dynamic: 8.
    assert_eq!(on_the_heap(stack, &[push::<0>, push::<1>, pop]), 8);
}

/// A queue whose threads move the tail for each other (`HELPS`), or wait until it is moved.
#[test]
fn michael_and_scotts_queue_on_the_heap() {
    fn enqueue<const HELPS: bool>(queue: &Ends, value: usize) {
        let new = node(value);
        at(new).next.store(0, Relaxed);
        let mut tail = 0;
        await_until(|| {
            tail = queue.last.load(Acquire);
            let next = at(tail).next.load(Acquire);
            if queue.last.load(Acquire) != tail {
                return false;
            }
            if next == 0 {
                return at(tail).next.compare_exchange(0, new, Release, Relaxed).is_ok();
            }
            if HELPS {
                let _ = queue.last.compare_exchange(tail, next, Release, Relaxed);
            }
            false
        });
        let _ = queue.last.compare_exchange(tail, new, Release, Relaxed);
    }
    fn dequeue<const HELPS: bool>(queue: &Ends) {
        await_until(|| {
            let head = queue.first.load(Acquire);
            let tail = queue.last.load(Acquire);
            let next = at(head).next.load(Acquire);
            if queue.first.load(Acquire) != head {
                return false;
            }
            if head != tail {
                at(next).value.load(Relaxed);
                return queue.first.compare_exchange(head, next, Release, Relaxed).is_ok();
            }
            if HELPS && next != 0 {
                let _ = queue.last.compare_exchange(tail, next, Release, Relaxed);
            }
            next == 0
        });
    }
    fn run<const HELPS: bool>(queue: &Ends) {
        enqueue::<HELPS>(queue, 10);
        dequeue::<HELPS>(queue);
    }
    let queue = || {
        let sentinel = node(0);
        Ends { first: AtomicUsize::new(sentinel), last: AtomicUsize::new(sentinel), words: zeros() }
    };
    // ms-queue-dynamic: 6. GenMC blocks a thread that could help another one, because that one moves the tail itself.
    assert_eq!(on_the_heap(queue, &[run::<false>, run::<false>]), 6);
    assert_eq!(on_the_heap(queue, &[run::<true>, run::<true>]), 16);
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
