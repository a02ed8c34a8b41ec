//! Z44: BBQ's drop-old mode, first bug of its paper (section 5). A push returns "busy" although
//! there is a free block.
//!
//! A producer whose block is full may enter the next one unless that is still being written in the
//! lap before. The first version tested instead whether the next block *is* complete in the lap
//! before. If another producer has just reset it for this lap, `push` returns "busy". The repaired
//! form refuses only an incomplete block of the lap before.

use std::sync::Arc;
use std::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release};

use super::super::{AtomicUsize, spawn};
use super::cursor::{cursor, offset, version};

const BLOCKS: usize = 2;
const SIZE: usize = 2;

struct Block {
    allocated: AtomicUsize,
    committed: AtomicUsize,
}

struct Queue {
    /// The lap, times the blocks, plus the block's index.
    head: AtomicUsize,
    blocks: [Block; BLOCKS],
}

impl Queue {
    /// Does the second half of a push, after the block at `head` was full: enters the next block,
    /// and commits an entry.
    ///
    /// It returns the entry's offset, without a value, or `None` if the queue is busy. `busy`
    /// judges the next block's committed cursor by the head's lap.
    fn push_to_next(&self, head: usize, busy: fn(usize, usize) -> bool) -> Option<usize> {
        let next = &self.blocks[(head + 1) % BLOCKS];
        if busy(next.committed.load(Acquire), head / BLOCKS) {
            return None;
        }
        let fresh = cursor(head / BLOCKS + 1, 0);
        next.committed.fetch_max(fresh, AcqRel);
        next.allocated.fetch_max(fresh, AcqRel);
        self.head.fetch_max(head + 1, AcqRel);
        let mine = offset(next.allocated.fetch_add(1, AcqRel));
        next.committed.fetch_add(1, Release);
        Some(mine)
    }
}

/// Two producers have found the first block full. The next one has entries for both, and no thread
/// is slow in the lap before.
fn client(busy: fn(usize, usize) -> bool) {
    let full = || AtomicUsize::new(cursor(0, SIZE));
    let blocks = std::array::from_fn(|_| Block { allocated: full(), committed: full() });
    let queue = Arc::new(Queue { head: AtomicUsize::new(0), blocks });
    let other = Arc::clone(&queue);
    let other = spawn(move || other.push_to_next(0, busy));
    let mine = queue.push_to_next(0, busy).expect("busy, though there is room");
    let theirs = other.join().unwrap().expect("busy, though there is room");
    assert_eq!(mine + theirs, 1, "one got the first entry, and one the second");
    assert_eq!(queue.head.load(Relaxed), 1);
}

pub(crate) fn broken() {
    client(|committed, before| committed != cursor(before, SIZE));
}

pub(crate) fn repaired() {
    client(|committed, before| version(committed) == before && offset(committed) != SIZE);
}
