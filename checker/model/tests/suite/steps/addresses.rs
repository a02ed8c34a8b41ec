//! Addresses that are allocated again.

use std::sync::Arc;

use aqueduct_model::FailureKind::UseAfterFree;
use aqueduct_model::alloc::{Layout, alloc, dealloc};
use aqueduct_model::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use aqueduct_model::sync::atomic::{AtomicBool, AtomicU64};
use aqueduct_model::{Config, await_until, cell, thread};

use crate::support::{SCHEDULERS, Seen, passed};

const NODE: Layout = Layout::new::<Node>();

/// A node of a stack: the one below.
struct Node {
    below: AtomicU64,
}

/// Treiber's stack. If it is `tagged`, the upper bits of its word are a tag that each pop and push
/// counts.
struct Stack {
    top: AtomicU64,
    tagged: bool,
}

const ADDRESS: u64 = (1 << 48) - 1;

impl Stack {
    fn node(word: u64) -> *mut Node {
        std::ptr::with_exposed_provenance_mut((word & ADDRESS) as usize)
    }

    fn next(&self, top: u64, node: u64) -> u64 {
        let tag = if self.tagged { (top >> 48) + 1 } else { 0 };
        tag << 48 | node & ADDRESS
    }

    fn push(&self) {
        // SAFETY: The size is not 0.
        let node = unsafe { alloc(NODE) }.cast::<Node>();
        let top = self.top.load(Relaxed);
        // SAFETY: Just allocated.
        unsafe { node.write(Node { below: AtomicU64::new(0) }) };
        // SAFETY: Just allocated, and written.
        unsafe { &*node }.below.store(top & ADDRESS, Relaxed);
        let next = self.next(top, node.expose_provenance() as u64);
        // Only one thread at a time pushes or pops, except for the attempt under test.
        self.top.compare_exchange(top, next, Release, Relaxed).unwrap();
    }

    /// Pops a node, which is then the caller's, with a pause between the reads and the exchange.
    ///
    /// Returns `None` if the stack changed in between.
    fn try_pop(&self, pause: impl FnOnce()) -> Option<*mut Node> {
        let top = self.top.load(Acquire);
        let node = Self::node(top);
        if node.is_null() {
            pause();
            return None;
        }
        // SAFETY: The model finds uses after free.
        let below = unsafe { &*node }.below.load(Relaxed);
        pause();
        self.top.compare_exchange(top, self.next(top, below), Acquire, Relaxed).ok().map(|_| node)
    }

    fn free(node: *mut Node) {
        // SAFETY: It was popped; the model reports a second pop of it.
        unsafe { dealloc(node.cast(), NODE) };
    }

    fn empty(&self) {
        while let Some(node) = self.try_pop(|| ()) {
            Self::free(node);
        }
    }
}

/// Returns a program in which one thread is about to pop, while another one pops two nodes and
/// pushes one.
fn aba(tagged: bool) -> impl Fn() + Clone + Send + Sync + 'static {
    move || {
        let stack = Arc::new(Stack { top: AtomicU64::new(0), tagged });
        stack.push();
        stack.push();
        let (theirs, ready) = (Arc::clone(&stack), Arc::new(AtomicBool::new(false)));
        let go = Arc::clone(&ready);
        let other = thread::spawn(move || {
            await_until(|| go.load(Acquire));
            for _ in 0..2 {
                if let Some(node) = theirs.try_pop(|| ()) {
                    Stack::free(node);
                }
            }
            if theirs.top.load(Acquire) & ADDRESS == 0 {
                theirs.push();
            }
        });
        let popped = stack.try_pop(|| ready.store(true, Release));
        other.join().unwrap();
        if let Some(node) = popped {
            Stack::free(node);
        }
        stack.empty();
    }
}

#[test]
fn treibers_stack_fails_only_when_addresses_come_back() {
    for scheduler in SCHEDULERS {
        let config = Config::new().scheduler(scheduler);
        let reuses = config.clone().reuse_addresses(true);
        let fresh = passed(config.check(aba(false)));
        let failure = reuses.check(aba(false)).failure.expect("ABA");
        assert_eq!(failure.kind, UseAfterFree, "{failure}");
        let again = Config::new().reuse_addresses(true).replay(&failure.replay).check(aba(false));
        assert_eq!(again.failure.map(|f| f.kind), Some(UseAfterFree), "{scheduler:?}");
        let tagged = passed(reuses.check(aba(true)));
        assert!(tagged.executions > passed(config.check(aba(true))).executions);
        assert!(fresh.executions > 0);
    }
}

/// Three allocations get either of two freed blocks, or fresh memory.
#[test]
fn an_allocation_gets_fresh_memory_or_any_block_freed_before_it() {
    const LARGE: Layout = Layout::new::<[u64; 4]>();
    let blocks = |noted: Seen, reused: Layout| {
        move || {
            // SAFETY: The sizes are not 0.
            let [a, b] = [(); 2].map(|()| unsafe { alloc(NODE) });
            for block in [a, b] {
                // SAFETY: Allocated above.
                unsafe { dealloc(block, NODE) };
            }
            // SAFETY: The size is not 0.
            let [c, d] = [(); 2].map(|()| unsafe { alloc(reused) });
            assert_ne!(c, d);
            let name = |block: *mut u8| {
                if block == a {
                    1
                } else if block == b {
                    2
                } else {
                    0
                }
            };
            noted.note(name(c) * 10 + name(d));
            for block in [c, d] {
                // SAFETY: Allocated above.
                unsafe { dealloc(block, reused) };
            }
        }
    };
    let seen = Seen::default();
    let report = passed(Config::new().reuse_addresses(true).check(blocks(seen.clone(), NODE)));
    assert_eq!(seen.all(), [0, 1, 2, 10, 12, 20, 21]);
    assert_eq!(report.executions, 7, "each choice is an execution");
    let seen = Seen::default();
    passed(Config::new().reuse_addresses(true).check(blocks(seen.clone(), LARGE)));
    assert_eq!(seen.all(), [0], "another layout");
    let seen = Seen::default();
    assert_eq!(passed(Config::new().check(blocks(seen.clone(), NODE))).executions, 1);
    assert_eq!(seen.all(), [0], "it was not asked for");
}

/// Two threads that allocate at once never get one block. A thread that is not ordered after a free
/// does not get the block.
#[test]
fn a_block_comes_back_once_and_only_to_a_thread_that_knows_of_its_free() {
    let seen = Seen::default();
    let noted = seen.clone();
    let program = move || {
        // SAFETY: The size is not 0.
        let first = unsafe { alloc(NODE) };
        let address = first.expose_provenance();
        let early = thread::spawn(move || {
            // SAFETY: The size is not 0.
            let memory = unsafe { alloc(NODE) };
            assert_ne!(memory.expose_provenance(), address, "nothing tells it that the block was freed");
            // SAFETY: Allocated above.
            unsafe { dealloc(memory, NODE) };
        });
        // SAFETY: Allocated above.
        unsafe { dealloc(first, NODE) };
        let late = [(); 2].map(|()| {
            thread::spawn(move || {
                // SAFETY: The size is not 0.
                let memory = unsafe { alloc(NODE) };
                // SAFETY: The memory is large enough and its own.
                unsafe { cell::write(memory.cast::<u64>(), 1) };
                memory
            })
        });
        let got = late.map(|thread| thread.join().unwrap());
        assert_ne!(got[0], got[1]);
        noted.note(got.iter().filter(|memory| memory.addr() == address).count());
        for memory in got {
            // SAFETY: Allocated above.
            unsafe { dealloc(memory, NODE) };
        }
        early.join().unwrap();
    };
    for scheduler in SCHEDULERS {
        passed(Config::new().scheduler(scheduler).reuse_addresses(true).check(program.clone()));
    }
    assert_eq!(seen.all(), [0, 1]);
}
