//! BBQ as it was published (Wang and others, USENIX ATC 2022): figure 4, retry-new mode, entries of
//! a fixed size.
//!
//! `aqueduct::bbq` is derived from this queue, which is the paper's without a change: four locked
//! instructions per item, consumers that look at two lines which every push writes, a maximum for
//! each advance. Each cursor has a line of its own. In the form for one producer and one consumer
//! (section 4.3), each cursor has one writer, and no instruction is locked.
//!
//! The paper compares offsets without their versions when it says that a block has nothing to
//! reserve (its line 54), so a consumer that sleeps between two loads for a lap may report an empty
//! queue that was not empty. It is left as printed.
//!
//! # Orderings
//! The paper counts 14 atomic instructions, of which 3 need release and 3 acquire, and does not say
//! which. Its figure has 19 in this mode. Here 6 of them are release and 6 acquire, and our model
//! checker finds for each what goes wrong if it is relaxed (`tests/bbq.rs`). On x86-64 that makes
//! no difference to the instructions.

use aqueduct_measure::run::Apart;

use super::sync::{AtomicU64, Ordering, Slot};

/// Low bits of a cursor that are its offset. The rest are its version.
const OFFSET_BITS: u32 = 24;

/// Most items of a queue: a block of more would need more bits for its offsets.
pub const MOST_ITEMS: usize = 1 << 29;

/// Why a push was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PushRefused {
    /// The next block has entries that no consumer has begun to consume.
    Full,
    /// The next block's last entries are being consumed.
    Busy,
}

/// Why a pop got nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PopRefused {
    /// There is no entry.
    Empty,
    /// An entry of this block is being written.
    Busy,
}

/// A block's cursors.
#[derive(Debug)]
struct Block {
    allocated: Apart<AtomicU64>,
    committed: Apart<AtomicU64>,
    reserved: Apart<AtomicU64>,
    consumed: Apart<AtomicU64>,
}

/// The [`Form`] whose producers allocate by fetch-and-add.
pub const BY_ADDITION: Form = 0;
/// The [`Form`] whose producers allocate by compare-exchange.
pub const BY_EXCHANGE: Form = 1;
/// The [`Form`] for one thread on either side.
pub const SINGLE: Form = 2;

/// The queue's number of threads, and the way in which producers allocate.
pub type Form = u8;

/// The queue.
#[derive(Debug)]
pub struct PublishedBbq<T, const FORM: Form> {
    producer_head: Apart<AtomicU64>,
    consumer_head: Apart<AtomicU64>,
    blocks: Box<[Block]>,
    /// The entries of all blocks, one block after the other.
    entries: Box<[Slot<T>]>,
    block_size: u64,
    index_bits: u32,
}

#[inline]
const fn cursor(version: u64, offset: u64) -> u64 {
    version << OFFSET_BITS | offset
}

#[inline]
const fn version(cursor: u64) -> u64 {
    cursor >> OFFSET_BITS
}

#[inline]
const fn offset(cursor: u64) -> u64 {
    cursor & ((1 << OFFSET_BITS) - 1)
}

/// Raises `atomic` to `value` if it is less; the paper's `MAX`. The hardware's instruction where
/// there is one, otherwise a loop. With one writer, which never lowers it, a store.
#[inline]
#[track_caller]
fn raise<const FORM: Form>(atomic: &AtomicU64, value: u64, ordering: Ordering) {
    if FORM == SINGLE {
        return atomic.store(value, ordering);
    }
    if cfg!(all(target_arch = "aarch64", target_feature = "lse")) {
        atomic.fetch_max(value, ordering);
        return;
    }
    let mut now = atomic.load(Ordering::Relaxed);
    while now < value {
        match atomic.compare_exchange_weak(now, value, ordering, Ordering::Relaxed) {
            Ok(_) => return,
            Err(other) => now = other,
        }
    }
}

/// Counts an entry as committed or consumed.
#[inline(always)]
#[track_caller]
fn count<const FORM: Form>(cursor: &AtomicU64, ordering: Ordering) {
    if FORM == SINGLE {
        cursor.store(cursor.load(Ordering::Relaxed) + 1, ordering);
    } else {
        cursor.fetch_add(1, ordering);
    }
}

impl<T: Copy, const FORM: Form> PublishedBbq<T, FORM> {
    /// Makes a queue of `capacity` entries, rounded up to a power of two of at most [`MOST_ITEMS`],
    /// in the number of blocks of the paper's heuristic (section 6.2.1). It may refuse an item when
    /// all blocks but one are in use.
    pub fn new(capacity: usize) -> Self {
        let (blocks, block_size) = Self::division(capacity);
        Self::with_blocks(blocks, block_size)
    }

    /// Returns the number of blocks of a queue, and of the entries of a block.
    pub fn division(capacity: usize) -> (usize, usize) {
        let log = capacity.next_power_of_two().ilog2();
        let blocks_log = (log / 4).max(1);
        (1 << blocks_log, 1 << log.saturating_sub(blocks_log))
    }

    /// Makes a queue of `blocks` blocks, a power of two, of `block_size` entries.
    pub fn with_blocks(blocks: usize, block_size: usize) -> Self {
        let size = block_size as u64;
        assert!(blocks.is_power_of_two() && size < 1 << (OFFSET_BITS - 1), "{blocks} blocks of {block_size} entries");
        let full_unless_first = |index| if index == 0 { 0 } else { size };
        let cursors = |index| {
            let new = || Apart(AtomicU64::new(cursor(0, full_unless_first(index))));
            Block { allocated: new(), committed: new(), reserved: new(), consumed: new() }
        };
        Self {
            producer_head: Apart(AtomicU64::new(0)),
            consumer_head: Apart(AtomicU64::new(0)),
            blocks: (0..blocks).map(cursors).collect(),
            entries: (0..blocks * block_size).map(|_| Slot::empty()).collect(),
            block_size: size,
            index_bits: blocks.ilog2(),
        }
    }

    /// Adds `item` at the end of the queue.
    #[inline]
    pub fn push(&self, item: T) -> Result<(), PushRefused> {
        loop {
            // Ordering: Acquire pairs with the Release in `advance_producers`: a producer that
            // finds a head finds its block reset, and skips none.
            let head = self.producer_head.0.load(Ordering::Acquire);
            let index = self.index(head);
            let block = &self.blocks[index];
            if let Some(offset) = self.allocate(block) {
                // SAFETY: the allocation is this thread's alone, and the consumer that read the
                // entry a lap ago is done: the producer that reset `allocated` saw its addition to
                // `consumed`.
                unsafe { self.entry(index, offset).write(item) };
                // Ordering: Release pairs with the Acquire load in `reserve`: the item is written.
                count::<FORM>(&block.committed.0, Ordering::Release);
                return Ok(());
            }
            self.advance_producers(head)?;
        }
    }

    /// Takes the oldest item.
    #[inline]
    pub fn pop(&self) -> Result<T, PopRefused> {
        loop {
            // Ordering: Acquire pairs with the Release in `advance_consumers`, as in `push`.
            let head = self.consumer_head.0.load(Ordering::Acquire);
            let index = self.index(head);
            let block = &self.blocks[index];
            if let Some(offset) = self.reserve(block)? {
                // SAFETY: reserved for this thread alone, and committed; no thread writes it before
                // `consumed` counts it as read.
                let item = unsafe { self.entry(index, offset).read() };
                // Ordering: Release pairs with the Acquire load in `advance_producers`: the item
                // has been read.
                count::<FORM>(&block.consumed.0, Ordering::Release);
                return Ok(item);
            }
            if !self.advance_consumers(head) {
                return Err(PopRefused::Empty);
            }
        }
    }

    #[inline(always)]
    fn index(&self, head: u64) -> usize {
        head as usize & (self.blocks.len() - 1)
    }

    #[inline(always)]
    fn entry(&self, index: usize, offset: u64) -> &Slot<T> {
        &self.entries[index * self.block_size as usize + offset as usize]
    }

    /// Returns an entry of `block`, or nothing if it is used up.
    #[inline(always)]
    fn allocate(&self, block: &Block) -> Option<u64> {
        // Ordering: Relaxed, only a hint; the instruction that allocates sees the latest.
        let mut seen = block.allocated.0.load(Ordering::Relaxed);
        if offset(seen) >= self.block_size {
            return None;
        }
        // Ordering: Acquire pairs with the Release with which the block was reset: its entries have
        // been read, and `committed` is reset as well.
        if FORM == SINGLE {
            // Ordering: Relaxed; the one producer has reset the block itself, and has seen then
            // that it was read.
            block.allocated.0.store(seen + 1, Ordering::Relaxed);
            return Some(offset(seen));
        }
        if FORM == BY_ADDITION {
            let mine = offset(block.allocated.0.fetch_add(1, Ordering::Acquire));
            return (mine < self.block_size).then_some(mine);
        }
        while offset(seen) < self.block_size {
            match block.allocated.0.compare_exchange_weak(seen, seen + 1, Ordering::Acquire, Ordering::Relaxed) {
                Ok(_) => return Some(offset(seen)),
                Err(now) => seen = now,
            }
        }
        None
    }

    /// Returns an entry of `block` with an item, or nothing if all have been taken.
    #[inline(always)]
    fn reserve(&self, block: &Block) -> Result<Option<u64>, PopRefused> {
        loop {
            // Ordering: Acquire pairs with the Release with which the block was opened to
            // consumers: `committed` is not of the lap before, and `consumed` is reset.
            let reserved = block.reserved.0.load(Ordering::Acquire);
            let mine = offset(reserved);
            if mine >= self.block_size {
                return Ok(None);
            }
            // Ordering: Acquire pairs with the Release in `push`: the items are written, and
            // `allocated` counts them.
            let committed = offset(block.committed.0.load(Ordering::Acquire));
            if mine == committed {
                return Err(PopRefused::Empty);
            }
            // Ordering: Relaxed. All allocations whose commits were seen are seen; if there are no
            // more, none was overtaken.
            if committed != self.block_size && offset(block.allocated.0.load(Ordering::Relaxed)) != committed {
                return Err(PopRefused::Busy);
            }
            if FORM == SINGLE {
                block.reserved.0.store(reserved + 1, Ordering::Relaxed);
                return Ok(Some(mine));
            }
            // The paper's `MAX(reserved, reserved + 1) == reserved`: cursors only grow, so this is
            // equivalent.
            // Ordering: Relaxed; `committed` has ordered the item.
            let taken = block.reserved.0.compare_exchange(reserved, reserved + 1, Ordering::Relaxed, Ordering::Relaxed);
            if taken.is_ok() {
                return Ok(Some(mine));
            }
        }
    }

    /// Opens the block after `head`'s to producers.
    fn advance_producers(&self, head: u64) -> Result<(), PushRefused> {
        let version_of_head = head >> self.index_bits;
        let next = &self.blocks[self.index(head + 1)];
        // Ordering: Acquire pairs with the Release in `pop`: the entries have been read.
        let consumed = next.consumed.0.load(Ordering::Acquire);
        let lap = version(consumed);
        if lap < version_of_head || (lap == version_of_head && offset(consumed) != self.block_size) {
            // Ordering: Relaxed; a consumer reserves before it consumes.
            let reserved = next.reserved.0.load(Ordering::Relaxed);
            let nobody_reads = offset(reserved) == offset(consumed);
            return Err(if nobody_reads { PushRefused::Full } else { PushRefused::Busy });
        }
        // Ordering: Relaxed for the first; then Release pairs with the Acquire in `allocate`, and
        // with the one in `push`.
        raise::<FORM>(&next.committed.0, cursor(version_of_head + 1, 0), Ordering::Relaxed);
        raise::<FORM>(&next.allocated.0, cursor(version_of_head + 1, 0), Ordering::Release);
        raise::<FORM>(&self.producer_head.0, head + 1, Ordering::Release);
        Ok(())
    }

    /// Opens the block after `head`'s to consumers; or returns false if it has nothing for them.
    fn advance_consumers(&self, head: u64) -> bool {
        let lap = (head >> self.index_bits) + 1;
        let next = &self.blocks[self.index(head + 1)];
        // Ordering: Relaxed; a thread that comes to the block by the Release below finds
        // `committed` no older than this.
        if version(next.committed.0.load(Ordering::Relaxed)) != lap {
            return false;
        }
        // Ordering: Relaxed for the first; then Release pairs with the Acquire in `reserve`, and
        // with the one in `pop`.
        raise::<FORM>(&next.consumed.0, cursor(lap, 0), Ordering::Relaxed);
        raise::<FORM>(&next.reserved.0, cursor(lap, 0), Ordering::Release);
        raise::<FORM>(&self.consumer_head.0, head + 1, Ordering::Release);
        true
    }
}
