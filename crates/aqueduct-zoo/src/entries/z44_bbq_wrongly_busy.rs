//! Z44: BBQ's drop-old mode, first bug of its paper (section 5). A producer whose block is full may enter the next one unless
//! that is still being written in the round before. The first version asked instead whether the next block *is* complete
//! in the round before: where another producer has just reset it for this round, `push` says busy, though there is room.
//! Cured by refusing only an incomplete block of the round before.

use std::sync::Arc;
use std::sync::atomic::Ordering::{AcqRel, Acquire, Release};

use super::super::{AtomicUsize, spawn};

const BLOCKS: usize = 2;
const SIZE: usize = 2;

/// A cursor: a version above an offset.
const fn cursor(version: usize, offset: usize) -> usize {
    version << 8 | offset
}

const fn version(cursor: usize) -> usize {
    cursor >> 8
}

const fn offset(cursor: usize) -> usize {
    cursor & 0xff
}

struct Block {
    allocated: AtomicUsize,
    committed: AtomicUsize,
}

struct Queue {
    /// The version, times the blocks, plus the block's index.
    head: AtomicUsize,
    blocks: [Block; BLOCKS],
}

impl Queue {
    /// Pushes (the entry itself is left out), or says that it is busy. `busy` judges the next block's committed cursor by
    /// the head's version.
    fn push(&self, busy: fn(usize, usize) -> bool) -> bool {
        loop {
            let head = self.head.load(Acquire);
            let block = &self.blocks[head % BLOCKS];
            if offset(block.allocated.fetch_add(1, AcqRel)) < SIZE {
                block.committed.fetch_add(1, Release);
                return true;
            }
            let next = &self.blocks[(head + 1) % BLOCKS];
            if busy(next.committed.load(Acquire), head / BLOCKS) {
                return false;
            }
            let fresh = cursor(head / BLOCKS + 1, 0);
            next.committed.fetch_max(fresh, AcqRel);
            next.allocated.fetch_max(fresh, AcqRel);
            self.head.fetch_max(head + 1, AcqRel);
        }
    }
}

/// The first block is full and complete. Two producers each push one: there is room for both, and nobody is slow in a round
/// before.
fn client(busy: fn(usize, usize) -> bool) {
    let full = || AtomicUsize::new(cursor(0, SIZE));
    let blocks = std::array::from_fn(|_| Block { allocated: full(), committed: full() });
    let queue = Arc::new(Queue { head: AtomicUsize::new(0), blocks });
    let other = Arc::clone(&queue);
    let other = spawn(move || assert!(other.push(busy), "busy, though there is room"));
    assert!(queue.push(busy), "busy, though there is room");
    other.join().unwrap();
}

pub(crate) fn broken() {
    client(|committed, before| committed != cursor(before, SIZE));
}

pub(crate) fn repaired() {
    client(|committed, before| version(committed) == before && offset(committed) != SIZE);
}
