//! Queues in arrays.

use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use aqueduct_model::sync::atomic::Ordering::{self, AcqRel, Acquire, Relaxed, Release};
use aqueduct_model::sync::atomic::{AtomicU32, AtomicUsize};
use aqueduct_model::{Config, await_until, on_record, thread};

use super::{executions, executions_under, zeros};

/// The queue of Herlihy and Wing. An item is not 0.
pub(crate) struct Positions {
    tail: AtomicUsize,
    items: [AtomicUsize; 8],
}

impl Positions {
    pub(crate) fn new() -> Self {
        Self { tail: AtomicUsize::new(0), items: zeros() }
    }

    pub(crate) fn enqueue(&self, item: usize) {
        let tail = self.tail.fetch_add(1, Release);
        self.items[tail + 1].store(item, Release);
    }

    /// One attempt to take an item.
    pub(crate) fn attempt(&self, swap: Ordering) -> Option<usize> {
        let tail = self.tail.load(Acquire);
        let full = self.items[..=tail].iter().filter(|item| item.load(Acquire) != 0);
        full.map(|item| item.swap(0, swap)).find(|&item| item != 0)
    }

    fn run<const ITEM: usize>(&self) {
        self.enqueue(ITEM);
        await_until(|| self.attempt(AcqRel).is_some());
    }
}

#[test]
fn herlihy_and_wings_queue_with_two_threads() {
    let run = [Positions::run::<1>, Positions::run::<2>];
    // hw-queue: 18. In two of them, an attempt fails because its exchange finds the 0 that the
    // other thread has left, and another attempt follows. The exchange changes nothing: the two are
    // equal to two others without it.
    assert_eq!(executions(Positions::new, &run), 16);
    assert_eq!(executions_under(&Config::new().all_failed_rounds(true), Positions::new, &run), 18);
}

/// No execution is missing: as many have two attempts that both take an item, and no wait.
#[test]
fn herlihy_and_wings_queue_without_waits() {
    let found = Arc::new(AtomicU64::new(0));
    let both = Arc::clone(&found);
    let report = Config::new().check(move || {
        let queue = Arc::new(Positions::new());
        let spawn = |item| {
            let queue = Arc::clone(&queue);
            thread::spawn(move || {
                queue.enqueue(item);
                queue.attempt(AcqRel).is_some()
            })
        };
        let [first, second] = [spawn(1), spawn(2)].map(|handle| handle.join().unwrap());
        if on_record() && first && second {
            both.fetch_add(1, Relaxed);
        }
    });
    assert_eq!((report.executions, found.load(Relaxed)), (20, 16), "{report}");
}

/// A bounded queue whose word has the numbers of reads, in its upper half, and of writes that have
/// begun. One message is in it.
#[test]
fn a_bounded_queue_with_a_writer_and_a_reader() {
    struct Queue {
        begun: AtomicU32,
        read: AtomicU32,
        written: AtomicU32,
    }
    const READ: u32 = 1 << 16;
    let write = |queue: &Queue| {
        let mut begun = 0;
        await_until(|| {
            begun = queue.begun.load(Acquire);
            queue.begun.compare_exchange(begun, begun + 1, AcqRel, Acquire).is_ok()
        });
        await_until(|| queue.read.load(Acquire) == begun / READ);
        queue.written.fetch_add(1, Release);
    };
    let read = |queue: &Queue| {
        loop {
            let mut writes = None;
            await_until(|| {
                let begun = queue.begun.load(Acquire);
                writes = (begun / READ != begun % READ).then_some(begun % READ);
                writes.is_none() || queue.begun.compare_exchange(begun, begun + READ, AcqRel, Acquire).is_ok()
            });
            let Some(writes) = writes else { return };
            await_until(|| queue.written.load(Acquire) == writes);
            queue.read.fetch_add(1, Release);
        }
    };
    let queue = || Queue { begun: AtomicU32::new(1), read: AtomicU32::new(0), written: AtomicU32::new(1) };
    // mpmc-queue: 3.
    assert_eq!(executions(queue, &[write, read]), 3);
}
