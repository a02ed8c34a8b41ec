//! Queues in arrays.

use aqueduct_model::await_until;
use aqueduct_model::sync::atomic::Ordering::{AcqRel, Acquire, Release};
use aqueduct_model::sync::atomic::{AtomicU32, AtomicUsize};

use super::{executions, zeros};

/// The queue of Herlihy and Wing. An item is not 0. A dequeue waits for one.
#[test]
fn herlihy_and_wings_queue_with_two_threads() {
    struct Queue {
        tail: AtomicUsize,
        items: [AtomicUsize; 8],
    }
    impl Queue {
        fn enqueue(&self, item: usize) {
            let tail = self.tail.fetch_add(1, Release);
            self.items[tail + 1].store(item, Release);
        }

        fn dequeue(&self) {
            await_until(|| {
                let tail = self.tail.load(Acquire);
                self.items[..=tail].iter().any(|item| item.load(Acquire) != 0 && item.swap(0, AcqRel) != 0)
            });
        }
    }
    fn run<const ITEM: usize>(queue: &Queue) {
        queue.enqueue(ITEM);
        queue.dequeue();
    }
    // hw-queue: 18. One of GenMC's threads enqueues a 0, which is no item, so that one dequeue never ends; here both
    // find one.
    assert_eq!(executions(|| Queue { tail: AtomicUsize::new(0), items: zeros() }, &[run::<1>, run::<2>]), 16);
}

/// A bounded queue whose word has the numbers of reads, in its upper half, and of writes that have begun. One message
/// is in it.
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
