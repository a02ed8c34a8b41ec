//! Programs that compare the addresses of `std`'s allocations, under [`aqueduct_model::allocator`].

use std::collections::BTreeSet;
use std::ptr::null_mut;
use std::sync::{Arc, Mutex};

use aqueduct_model::sync::atomic::AtomicPtr;
use aqueduct_model::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed};
use aqueduct_model::{Config, hint, thread};

use crate::support::{SCHEDULERS, passed};

struct Node {
    value: usize,
    next: *mut Node,
}

/// A stack of boxes, from which one thread pops and frees.
struct Stack(AtomicPtr<Node>);

impl Stack {
    fn push(&self, value: usize) {
        let node = Box::into_raw(Box::new(Node { value, next: null_mut() }));
        let mut head = self.0.load(Relaxed);
        loop {
            // SAFETY: No other thread can reach the node yet.
            unsafe { (*node).next = head };
            match self.0.compare_exchange(head, node, AcqRel, Relaxed) {
                Ok(_) => return,
                Err(now) => head = now,
            }
        }
    }

    fn pop(&self) -> Option<usize> {
        loop {
            let head = self.0.load(Acquire);
            if head.is_null() {
                return None;
            }
            // SAFETY: Only this thread frees nodes.
            let next = unsafe { (*head).next };
            if self.0.compare_exchange(head, next, AcqRel, Relaxed).is_ok() {
                // SAFETY: The node was pushed, and is no longer in the stack.
                return Some(unsafe { Box::from_raw(head) }.value);
            }
            hint::spin_loop();
        }
    }
}

#[test]
fn a_stack_of_boxes_that_frees_is_deterministic() {
    for scheduler in SCHEDULERS {
        let popped = Arc::new(Mutex::new(BTreeSet::new()));
        let seen = Arc::clone(&popped);
        passed(Config::new().scheduler(scheduler).check(move || {
            let stack = Arc::new(Stack(AtomicPtr::new(null_mut())));
            let other = Arc::clone(&stack);
            let pusher = thread::spawn(move || (1..3).for_each(|value| other.push(value)));
            let mut got = Vec::new();
            for value in 3..5 {
                stack.push(value);
                got.extend(stack.pop());
            }
            pusher.join().unwrap();
            got.extend(std::iter::from_fn(|| stack.pop()));
            let mut all = got.clone();
            all.sort_unstable();
            assert_eq!(all, [1, 2, 3, 4], "{got:?}");
            seen.lock().unwrap().insert(got);
        }));
        assert!(popped.lock().unwrap().len() > 4);
    }
}

/// Boxes that are freed at once all have different addresses.
#[test]
fn freed_boxes_do_not_come_back_within_an_execution() {
    passed(Config::new().check(|| {
        let addresses: BTreeSet<usize> = (0..1_000).map(|value| &raw const *Box::new(value) as usize).collect();
        assert_eq!(addresses.len(), 1_000);
        let mut grown = Vec::new();
        let places: BTreeSet<usize> = (0..1_000)
            .map(|value| {
                grown.push(value);
                grown.as_ptr() as usize
            })
            .collect();
        assert!(places.len() > 5, "a vector that grows moves");
        assert!(grown.iter().copied().eq(0..1_000));
    }));
}
