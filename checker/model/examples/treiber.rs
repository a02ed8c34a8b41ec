//! Code of your own under the checker: Treiber's stack, in 30 lines.
//!
//! As it stands, every execution passes. With `--weak`, its push publishes a node by a relaxed
//! exchange, and the checker shows the execution that reads too early.
//!
//! cargo run -p aqueduct-model --example treiber -- --weak

use aqueduct_model::cell::UnsafeCell;
use aqueduct_model::sync::Arc;
use aqueduct_model::sync::atomic::AtomicUsize;
use aqueduct_model::sync::atomic::Ordering::{self, Acquire, Relaxed, Release};
use aqueduct_model::{Config, thread};

/// The index that ends a list.
const NONE: usize = usize::MAX;

/// A stack whose nodes lie in an array. Each is pushed once, so that no head recurs (ABA).
struct Stack {
    head: AtomicUsize,
    nodes: [(UnsafeCell<u32>, AtomicUsize); 2],
    /// The ordering that publishes a node.
    publish: Ordering,
}

impl Stack {
    fn push(&self, node: usize, value: u32) {
        let (item, next) = &self.nodes[node];
        // SAFETY: no other thread has the node until it is published, which the checker verifies.
        item.with_mut(|item| unsafe { *item = value });
        let mut head = self.head.load(Relaxed);
        loop {
            next.store(head, Relaxed);
            match self.head.compare_exchange(head, node, self.publish, Relaxed) {
                Ok(_) => return,
                Err(actual) => head = actual,
            }
        }
    }

    fn pop(&self) -> Option<u32> {
        let mut head = self.head.load(Acquire);
        while head != NONE {
            let (item, next) = &self.nodes[head];
            match self.head.compare_exchange(head, next.load(Relaxed), Acquire, Acquire) {
                // SAFETY: the node is this thread's now, which the checker verifies.
                Ok(_) => return Some(item.with(|item| unsafe { *item })),
                Err(actual) => head = actual,
            }
        }
        None
    }
}

/// Two threads push one value each and pop one.
fn client(publish: Ordering) {
    let nodes = [(); 2].map(|()| (UnsafeCell::new(0), AtomicUsize::new(NONE)));
    let stack = Arc::new(Stack { head: AtomicUsize::new(NONE), nodes, publish });
    let other = Arc::clone(&stack);
    let thread = thread::spawn(move || {
        other.push(1, 20);
        other.pop()
    });
    stack.push(0, 10);
    let popped = [stack.pop(), thread.join().expect("it does not panic")];
    assert!(popped == [Some(10), Some(20)] || popped == [Some(20), Some(10)], "{popped:?}");
}

fn main() {
    let is_weak = std::env::args().any(|argument| argument == "--weak");
    let publish = if is_weak { Relaxed } else { Release };
    let report = Config::new().check(move || client(publish));
    println!("{report}");
    // With the flag, the program shows a failure.
    assert_eq!(report.failure.is_some(), is_weak);
}
