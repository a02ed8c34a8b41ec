//! Z46: BBQ's drop-old mode, third bug of its paper (section 5). A consumer copies an entry and
//! then reads the block's allocated cursor.
//!
//! If its lap is still the old one, no producer has begun to overwrite. Without a fence in between,
//! the read may come before the copy, and a new entry passes for an old one. An acquire fence
//! between the two repairs it.

use std::sync::Arc;
use std::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release};

use super::super::{AtomicUsize, fence, spawn};
use super::cursor::{cursor, offset, version};

const SIZE: usize = 1;

struct Block {
    allocated: AtomicUsize,
    committed: AtomicUsize,
    entry: AtomicUsize,
}

impl Block {
    /// Resets the block as the producer, one lap later, and writes a new entry.
    fn overwrite(&self, value: usize) {
        self.committed.fetch_max(cursor(1, 0), AcqRel);
        self.allocated.fetch_max(cursor(1, 0), AcqRel);
        self.allocated.fetch_add(1, AcqRel);
        fence(Release);
        self.entry.store(value, Relaxed);
        self.committed.fetch_add(1, Release);
    }

    /// Reads the entry that the consumer has reserved, unless it was overwritten.
    fn consume(&self, reserved: usize, copied: fn()) -> Option<usize> {
        if offset(self.committed.load(Acquire)) == offset(reserved) {
            return None;
        }
        let value = self.entry.load(Relaxed);
        copied();
        (version(self.allocated.load(Relaxed)) == version(reserved)).then_some(value)
    }
}

/// A block with one entry is read and overwritten.
fn client(copied: fn()) {
    let full = || AtomicUsize::new(cursor(0, SIZE));
    let block = Arc::new(Block { allocated: full(), committed: full(), entry: AtomicUsize::new(10) });
    let producer = Arc::clone(&block);
    let producer = spawn(move || producer.overwrite(11));
    if let Some(value) = block.consume(cursor(0, 0), copied) {
        assert_eq!(value, 10, "a new entry passes for an old one");
    }
    producer.join().unwrap();
}

pub(crate) fn broken() {
    client(|| ());
}

pub(crate) fn repaired() {
    client(|| fence(Acquire));
}
