//! Z6: moodycamel's `ConcurrentQueue` (#404). Consumers count the entries of a block that they have
//! taken.
//!
//! The consumer that counts the last entry gives the block back, and a producer writes to it again.
//! The count was release only: the last consumer does not synchronize with the others, and so the
//! producer overwrites an entry that another consumer still reads. Acquire and release on the count
//! repair it.

use std::sync::Arc;
use std::sync::atomic::Ordering::{self, AcqRel, Acquire, Release};

use super::super::{AtomicBool, AtomicUsize, Slot, spawn};

const SIZE: usize = 2;

struct Block {
    entries: [Slot<usize>; SIZE],
    emptied: AtomicUsize,
    free: AtomicBool,
}

impl Block {
    fn consume(&self, index: usize, count: Ordering) -> usize {
        let value = self.entries[index].get();
        if self.emptied.fetch_add(1, count) + 1 == SIZE {
            self.free.store(true, Release);
        }
        value
    }

    fn reuse(&self) {
        if self.free.load(Acquire) {
            for entry in &self.entries {
                entry.set(9);
            }
        }
    }
}

/// Two consumers finish a block. A producer reuses it if it finds it free.
fn client(count: Ordering) {
    let block =
        Block { entries: std::array::from_fn(Slot::new), emptied: AtomicUsize::new(0), free: AtomicBool::new(false) };
    let block = Arc::new(block);
    let consumers = [0, 1].map(|index| {
        let block = Arc::clone(&block);
        spawn(move || assert_eq!(block.consume(index, count), index, "a new entry in an old block"))
    });
    block.reuse();
    for consumer in consumers {
        consumer.join().unwrap();
    }
}

pub(crate) fn broken() {
    client(Release);
}

pub(crate) fn repaired() {
    client(AcqRel);
}
