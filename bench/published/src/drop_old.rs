//! BBQ in drop-old mode as it was published (Wang and others, USENIX ATC 2022): figure 4, entries
//! of one word.
//!
//! Producers never wait for consumers. A consumer reserves an entry, reads it, and then checks
//! whether the block has been opened to producers again meanwhile; if so, it goes on to the next
//! entry. So a consumer that was overtaken reserves each remaining entry of its block without
//! getting an item. Lost items are not counted.
//!
//! The paper compares offsets without their versions when it says that a block has nothing to
//! reserve. A consumer whose block is filled again just as far would find it empty until a producer
//! comes; here versions are compared.
//!
//! With two consumers the model checker finds items out of order: one of them, late for a block,
//! opens it to consumers in a later lap than the other has. So there is one here.
//!
//! # Orderings
//! The paper does not give them. The model checker finds what goes wrong without seven of them
//! (`tests/drop_old.rs`). Of the other six, four order consumers, and two are release and acquire
//! of a block's `allocated`. On x86-64 that makes no difference to the instructions, but for the
//! compiler.

use aqueduct_measure::run::Apart;

use super::sync::{AtomicU64, Ordering, fence};

/// Low bits of a cursor that are its offset. The rest are its version.
const OFFSET_BITS: u32 = 24;

/// A block's cursors.
#[derive(Debug)]
struct Block {
    allocated: Apart<AtomicU64>,
    committed: Apart<AtomicU64>,
    reserved: Apart<AtomicU64>,
}

/// The queue.
#[derive(Debug)]
pub struct PublishedDropOld {
    producer_head: Apart<AtomicU64>,
    consumer_head: Apart<AtomicU64>,
    blocks: Box<[Block]>,
    entries: Box<[AtomicU64]>,
    block_size: u64,
    index_bits: u32,
}

#[inline]
const fn version(cursor: u64) -> u64 {
    cursor >> OFFSET_BITS
}

#[inline]
const fn offset(cursor: u64) -> u64 {
    cursor & ((1 << OFFSET_BITS) - 1)
}

/// Raises `cursor` to `value` if it is less; the paper's `MAX`.
#[inline]
#[track_caller]
fn raise(cursor: &AtomicU64, value: u64, ordering: Ordering) {
    let mut now = cursor.load(Ordering::Relaxed);
    while now < value {
        match cursor.compare_exchange(now, value, ordering, Ordering::Relaxed) {
            Ok(_) => return,
            Err(other) => now = other,
        }
    }
}

impl PublishedDropOld {
    /// Makes a queue that keeps `capacity` entries, rounded up to a power of two, in the number of
    /// blocks of the paper's heuristic (section 6.2.1), less those of a block.
    pub fn new(capacity: usize) -> Result<Self, String> {
        const MOST: usize = 1 << (OFFSET_BITS - 1);
        let log = capacity.next_power_of_two().ilog2();
        let blocks_log = (log / 4).max(1);
        let size = 1 << log.saturating_sub(blocks_log);
        if size >= MOST {
            return Err(format!("{capacity} items: blocks of less than {MOST} are possible in the published queue"));
        }
        Ok(Self::with_blocks(1 << blocks_log, size))
    }

    /// Makes a queue of `blocks` blocks, a power of two, of `block_size` entries.
    pub fn with_blocks(blocks: usize, block_size: usize) -> Self {
        let size = block_size as u64;
        let cursors = |index| {
            let new = || Apart(AtomicU64::new(if index == 0 { 0 } else { size }));
            Block { allocated: new(), committed: new(), reserved: new() }
        };
        Self {
            producer_head: Apart(AtomicU64::new(0)),
            consumer_head: Apart(AtomicU64::new(0)),
            blocks: (0..blocks).map(cursors).collect(),
            entries: (0..blocks * block_size).map(|_| AtomicU64::new(0)).collect(),
            block_size: size,
            index_bits: blocks.ilog2(),
        }
    }

    #[inline]
    fn index(&self, head: u64) -> usize {
        head as usize & (self.blocks.len() - 1)
    }

    #[inline]
    fn entry(&self, index: usize, offset: u64) -> &AtomicU64 {
        &self.entries[index * self.block_size as usize + offset as usize]
    }

    /// Adds `item`, over the oldest ones if necessary. Returns whether it did; it refuses while a
    /// producer of the lap before is in the middle of the next block.
    #[inline]
    pub fn push(&self, item: u64) -> bool {
        loop {
            // Ordering: Acquire pairs with the Release in `advance_producers`: the head's block is
            // reset.
            let head = self.producer_head.0.load(Ordering::Acquire);
            let index = self.index(head);
            let block = &self.blocks[index];
            // Ordering: Relaxed, only a hint.
            if offset(block.allocated.0.load(Ordering::Relaxed)) < self.block_size {
                // Ordering: Acquire pairs with the Release with which the block was reset:
                // `committed` is reset as well, and the entries of the lap before are written.
                let mine = offset(block.allocated.0.fetch_add(1, Ordering::Acquire));
                if mine < self.block_size {
                    // Ordering: Release pairs with the Acquire fence in `pop`: a consumer that
                    // reads this item finds the block's new version.
                    fence(Ordering::Release);
                    self.entry(index, mine).store(item, Ordering::Relaxed);
                    // Ordering: Release pairs with the Acquire load in `reserve`: the item is
                    // written.
                    block.committed.0.fetch_add(1, Ordering::Release);
                    return true;
                }
            }
            if !self.advance_producers(head) {
                return false;
            }
        }
    }

    /// Takes the oldest item that is left. Returns nothing as well while a producer is in the
    /// middle of an entry.
    #[inline]
    pub fn pop(&self) -> Option<u64> {
        loop {
            // Ordering: Acquire pairs with the Release in `advance_consumers`: the head's block is
            // open to consumers.
            let head = self.consumer_head.0.load(Ordering::Acquire);
            let index = self.index(head);
            let block = &self.blocks[index];
            match self.reserve(block)? {
                Reserved::Entry(reserved) => {
                    let item = self.entry(index, offset(reserved)).load(Ordering::Relaxed);
                    // Ordering: Acquire pairs with the Release fence in `push`.
                    fence(Ordering::Acquire);
                    if version(block.allocated.0.load(Ordering::Relaxed)) == version(reserved) {
                        return Some(item);
                    }
                }
                Reserved::Done(version) => {
                    if !self.advance_consumers(head, version) {
                        return None;
                    }
                }
            }
        }
    }

    /// Reserves an entry of `block`; `None` if there is none now.
    #[inline(always)]
    fn reserve(&self, block: &Block) -> Option<Reserved> {
        loop {
            // Ordering: Acquire pairs with the Release with which the block was opened to
            // consumers: `committed` is not of a lap before.
            let reserved = block.reserved.0.load(Ordering::Acquire);
            if offset(reserved) >= self.block_size {
                return Some(Reserved::Done(version(reserved)));
            }
            // Ordering: Acquire pairs with the Release in `push`: the items are written, and
            // `allocated` counts them.
            let committed = block.committed.0.load(Ordering::Acquire);
            if reserved == committed {
                return None;
            }
            // Ordering: Relaxed. All allocations whose commits were seen are seen; if there are no
            // more, none was overtaken.
            if offset(committed) != self.block_size
                && offset(block.allocated.0.load(Ordering::Relaxed)) != offset(committed)
            {
                return None;
            }
            // Ordering: Relaxed; `committed` has ordered the item.
            let taken = block.reserved.0.compare_exchange(reserved, reserved + 1, Ordering::Relaxed, Ordering::Relaxed);
            if taken.is_ok() {
                return Some(Reserved::Entry(reserved));
            }
        }
    }

    /// Opens the block after `head`'s to producers, unless one of the lap before is in the middle
    /// of it.
    #[inline]
    fn advance_producers(&self, head: u64) -> bool {
        let lap = head >> self.index_bits;
        let next = &self.blocks[self.index(head + 1)];
        // Ordering: Acquire pairs with the Release in `push`: the entries of the lap before are
        // written.
        let committed = next.committed.0.load(Ordering::Acquire);
        if version(committed) == lap && offset(committed) != self.block_size {
            return false;
        }
        let reset = (lap + 1) << OFFSET_BITS;
        // Ordering: Relaxed for the first; then Release pairs with the Acquire of the addition in
        // `push`, and with the one of its load.
        raise(&next.committed.0, reset, Ordering::Relaxed);
        raise(&next.allocated.0, reset, Ordering::Release);
        raise(&self.producer_head.0, head + 1, Ordering::Release);
        true
    }

    /// Opens the block after `head`'s to consumers, if it is not of a lap before `reserved`, the
    /// version of `head`'s.
    #[inline]
    fn advance_consumers(&self, head: u64, reserved: u64) -> bool {
        let next = &self.blocks[self.index(head + 1)];
        // Ordering: Relaxed; a thread that comes to the block by the Release below finds
        // `committed` no older.
        let committed = version(next.committed.0.load(Ordering::Relaxed));
        // The first block's versions are less by one than those of the others in its lap.
        if committed < reserved + u64::from(self.index(head) == 0) {
            return false;
        }
        // Ordering: Release pairs with the Acquire in `reserve`, and with the one in `pop`.
        raise(&next.reserved.0, committed << OFFSET_BITS, Ordering::Release);
        raise(&self.consumer_head.0, head + 1, Ordering::Release);
        true
    }
}

/// A consumer's reservation in a block.
enum Reserved {
    /// An entry, by its cursor.
    Entry(u64),
    /// All of its entries are taken; its version.
    Done(u64),
}
