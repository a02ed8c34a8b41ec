//! Z45: BBQ's drop-old mode, second bug of its paper (section 5). A consumer may enter the next
//! block if that is not behind its own.
//!
//! The first block's lap is one ahead of the others' (a lap begins there), and the first version
//! did not allow for it. With all laps equal and everything consumed, the consumer goes round the
//! blocks forever instead of returning that the queue is empty. The repaired form requires one lap
//! more when it leaves the first block.

use std::sync::Arc;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};

use super::super::{AtomicUsize, spawn};
use super::cursor::{cursor, offset, version};

const BLOCKS: usize = 2;
const SIZE: usize = 1;

/// The shared state: each block's committed cursor.
type Committed = [AtomicUsize; BLOCKS];

/// Enters the next block as the only producer, and commits an entry. (Its blocks have one entry.)
fn push(committed: &Committed, head: usize) {
    let block = &committed[head % BLOCKS];
    block.store(cursor(head.div_ceil(BLOCKS), 0), Release);
    block.fetch_add(1, Release);
}

/// The only consumer, with its block and its reserved cursors.
struct Consumer {
    tail: usize,
    reserved: [usize; BLOCKS],
}

impl Consumer {
    /// Takes an entry if there is one. `ahead` returns by how much the block after the one of this
    /// index must be ahead of it.
    fn pop(&mut self, committed: &Committed, ahead: fn(usize) -> usize) -> bool {
        loop {
            let (index, next) = (self.tail % BLOCKS, (self.tail + 1) % BLOCKS);
            let reserved = self.reserved[index];
            if offset(reserved) < SIZE {
                let found = offset(reserved) < offset(committed[index].load(Acquire));
                self.reserved[index] += usize::from(found);
                return found;
            }
            let there = version(committed[next].load(Acquire));
            if there < version(reserved) + ahead(index) {
                return false;
            }
            self.reserved[next] = self.reserved[next].max(cursor(there, 0));
            self.tail += 1;
        }
    }
}

/// A full lap has been pushed and popped. One more entry is pushed, and the consumer pops twice.
fn client(ahead: fn(usize) -> usize) {
    let full = || cursor(0, SIZE);
    let committed = Arc::new([full(), cursor(1, SIZE)].map(AtomicUsize::new));
    let mut consumer = Consumer { tail: 1, reserved: [full(), cursor(1, SIZE)] };
    let producer = Arc::clone(&committed);
    let producer = spawn(move || push(&producer, BLOCKS));
    let popped = [(); 2].map(|()| consumer.pop(&committed, ahead));
    assert!(popped != [true, true], "two entries out of one");
    producer.join().unwrap();
    assert_eq!(committed[0].load(Relaxed), cursor(1, SIZE));
}

pub(crate) fn broken() {
    client(|_| 0);
}

pub(crate) fn repaired() {
    client(|index| usize::from(index == 0));
}
