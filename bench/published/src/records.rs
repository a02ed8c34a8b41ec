//! BBQ as it was published (Wang and others, USENIX ATC 2022), with entries of any size (section
//! 4.4): retry-new mode, for many producers and many consumers.
//!
//! Cursors count words of a block. An entry is a word with its size in bytes, and its content. The
//! producer whose addition takes the cursor beyond the block marks the rest as a dummy entry, of
//! size 0, and commits it; a consumer that comes to a dummy entry takes it, and goes to the next
//! block. A consumer needs an entry's size before it takes it, so it reads a word that may be
//! another entry's by then, and its exchange fails.
//!
//! # What differs from the paper
//! A consumer of a dummy entry adds the rest of the block to `consumed`. In the paper it sets
//! `consumed` to the size of the block: then a producer may write entries that other consumers
//! still read. A test keeps that form, to find it.
//!
//! # Orderings
//! As in the form with entries of one size. Words are relaxed.

use std::sync::Arc;

use aqueduct_measure::run::Apart;

use super::sync::{AtomicU64, Ordering};

/// Low bits of a cursor that are its offset. The rest are its version.
const OFFSET_BITS: u32 = 32;
/// Most words of a queue. Additions of many threads beyond a block's end do not overflow its
/// offsets.
const MOST_WORDS: usize = 1 << (OFFSET_BITS - 2);
const WORD: usize = size_of::<u64>();
/// The size of a dummy entry.
const DUMMY: u64 = 0;

/// Why a push was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PushRefused {
    /// The next block has not been consumed.
    Full,
    /// The record is empty, or longer than a block.
    Unfit,
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

/// The queue. With `AS_PRINTED`, a dummy entry sets `consumed`, which is wrong.
#[derive(Debug)]
pub struct PublishedRecords<const AS_PRINTED: bool> {
    producer_head: Apart<AtomicU64>,
    consumer_head: Apart<AtomicU64>,
    blocks: Box<[Block]>,
    /// The entries of all blocks, one block after the other.
    words: Box<[AtomicU64]>,
    block_size: u64,
    index_bits: u32,
}

/// The queue, as all threads have it.
pub type Shared = Arc<PublishedRecords<false>>;

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

/// Returns the words of an entry with `bytes` bytes.
#[inline]
const fn words_of(bytes: usize) -> u64 {
    1 + bytes.div_ceil(WORD) as u64
}

/// Raises `atomic` to `value` if it is less; the paper's `MAX`.
#[inline]
#[track_caller]
fn raise(atomic: &AtomicU64, value: u64, ordering: Ordering) {
    let mut now = atomic.load(Ordering::Relaxed);
    while now < value {
        match atomic.compare_exchange(now, value, ordering, Ordering::Relaxed) {
            Ok(_) => return,
            Err(other) => now = other,
        }
    }
}

impl<const AS_PRINTED: bool> PublishedRecords<AS_PRINTED> {
    /// Makes a queue of `bytes` bytes, rounded up to a power of two, in the number of blocks of the
    /// paper's heuristic for that number of words (section 6.2.1).
    pub fn new(bytes: usize) -> Result<Self, String> {
        let words = bytes.div_ceil(WORD);
        if words > MOST_WORDS {
            return Err(format!("{bytes} bytes: up to {} are possible in the published queue", MOST_WORDS * WORD));
        }
        let log = words.next_power_of_two().ilog2();
        let blocks_log = (log / 4).max(1);
        Ok(Self::with_blocks(1 << blocks_log, 1 << log.saturating_sub(blocks_log)))
    }

    /// Makes a queue of `blocks` blocks, a power of two, of `block_size` words.
    pub fn with_blocks(blocks: usize, block_size: usize) -> Self {
        let size = block_size as u64;
        let cursors = |index| {
            let new = || Apart(AtomicU64::new(if index == 0 { 0 } else { size }));
            Block { allocated: new(), committed: new(), reserved: new(), consumed: new() }
        };
        Self {
            producer_head: Apart(AtomicU64::new(0)),
            consumer_head: Apart(AtomicU64::new(0)),
            blocks: (0..blocks).map(cursors).collect(),
            words: (0..blocks * block_size).map(|_| AtomicU64::new(0)).collect(),
            block_size: size,
            index_bits: blocks.ilog2(),
        }
    }

    /// Adds a record at the end of the queue.
    #[inline]
    pub fn push(&self, record: &[u8]) -> Result<(), PushRefused> {
        let size = words_of(record.len());
        if record.is_empty() || size > self.block_size {
            return Err(PushRefused::Unfit);
        }
        loop {
            // Ordering: Acquire pairs with the Release in `advance_producers`: the head's block is
            // reset.
            let head = self.producer_head.0.load(Ordering::Acquire);
            let index = self.index(head);
            let block = &self.blocks[index];
            if let Some(offset) = self.allocate(index, size) {
                self.write(index, offset, record);
                // Ordering: Release pairs with the Acquire load in `reserve`: the entry is written.
                block.committed.0.fetch_add(size, Ordering::Release);
                return Ok(());
            }
            if !self.advance_producers(head) {
                return Err(PushRefused::Full);
            }
        }
    }

    /// Takes the oldest record: copies it to the beginning of `record`, and returns its length.
    ///
    /// # Panics
    /// If it is longer than `record`.
    #[inline]
    pub fn pop(&self, record: &mut [u8]) -> Result<usize, PopRefused> {
        loop {
            // Ordering: Acquire pairs with the Release in `advance_consumers`: the head's block is
            // open to consumers.
            let head = self.consumer_head.0.load(Ordering::Acquire);
            let index = self.index(head);
            let block = &self.blocks[index];
            if let Some((offset, length)) = self.reserve(index)? {
                self.read(index, offset, &mut record[..length]);
                // Ordering: Release pairs with the Acquire load in `advance_producers`: the entry
                // has been read.
                block.consumed.0.fetch_add(words_of(length), Ordering::Release);
                return Ok(length);
            }
            if !self.advance_consumers(head) {
                return Err(PopRefused::Empty);
            }
        }
    }

    fn index(&self, head: u64) -> usize {
        head as usize & (self.blocks.len() - 1)
    }

    fn words(&self, index: usize, offset: u64) -> &[AtomicU64] {
        let (first, end) = (index * self.block_size as usize, (index + 1) * self.block_size as usize);
        &self.words[first + offset as usize..end]
    }

    #[inline]
    fn write(&self, index: usize, offset: u64, record: &[u8]) {
        let words = self.words(index, offset);
        words[0].store(record.len() as u64, Ordering::Relaxed);
        for (word, bytes) in words[1..].iter().zip(record.chunks(WORD)) {
            let mut whole = [0; WORD];
            whole[..bytes.len()].copy_from_slice(bytes);
            word.store(u64::from_ne_bytes(whole), Ordering::Relaxed);
        }
    }

    #[inline]
    fn read(&self, index: usize, offset: u64, record: &mut [u8]) {
        let words = &self.words(index, offset)[1..];
        for (word, bytes) in words.iter().zip(record.chunks_mut(WORD)) {
            bytes.copy_from_slice(&word.load(Ordering::Relaxed).to_ne_bytes()[..bytes.len()]);
        }
    }

    /// Returns where an entry of `size` words may be written in a block, or nothing if it has no
    /// room.
    #[inline(always)]
    fn allocate(&self, index: usize, size: u64) -> Option<u64> {
        let block = &self.blocks[index];
        // Ordering: Relaxed, only a hint; the addition sees the latest.
        if offset(block.allocated.0.load(Ordering::Relaxed)) >= self.block_size {
            return None;
        }
        // Ordering: Acquire pairs with the Release with which the block was reset: its entries have
        // been read, and `committed` is reset as well.
        let mine = offset(block.allocated.0.fetch_add(size, Ordering::Acquire));
        if mine + size <= self.block_size {
            return Some(mine);
        }
        if mine < self.block_size {
            self.words(index, mine)[0].store(DUMMY, Ordering::Relaxed);
            // Ordering: Release, as in `push`.
            block.committed.0.fetch_add(self.block_size - mine, Ordering::Release);
        }
        None
    }

    /// Reserves an entry of a block, and returns where it is and its size in bytes; nothing, if all
    /// have been taken.
    #[inline(always)]
    fn reserve(&self, index: usize) -> Result<Option<(u64, usize)>, PopRefused> {
        let block = &self.blocks[index];
        loop {
            // Ordering: Acquire pairs with the Release with which the block was opened to
            // consumers: `committed` is not of the lap before, and `consumed` is reset.
            let reserved = block.reserved.0.load(Ordering::Acquire);
            let mine = offset(reserved);
            if mine >= self.block_size {
                return Ok(None);
            }
            // Ordering: Acquire pairs with the Release in `push`: the entries are written, and
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
            // It may be a word of a later lap. Then the exchange fails.
            let length = self.words(index, mine)[0].load(Ordering::Relaxed) as usize;
            let rest = self.block_size - mine;
            let size = if length as u64 == DUMMY { rest } else { words_of(length).min(rest) };
            // Ordering: Relaxed; `committed` has ordered the entry.
            let taken =
                block.reserved.0.compare_exchange(reserved, reserved + size, Ordering::Relaxed, Ordering::Relaxed);
            if taken.is_err() {
                continue;
            }
            if length as u64 != DUMMY {
                return Ok(Some((mine, length)));
            }
            // Ordering: Release, as in `pop`.
            if AS_PRINTED {
                block.consumed.0.store(cursor(version(reserved), self.block_size), Ordering::Release);
            } else {
                block.consumed.0.fetch_add(size, Ordering::Release);
            }
            return Ok(None);
        }
    }

    /// Opens the block after `head`'s to producers, if it has been consumed.
    fn advance_producers(&self, head: u64) -> bool {
        let lap = head >> self.index_bits;
        let next = &self.blocks[self.index(head + 1)];
        // Ordering: Acquire pairs with the Release in `pop`: the entries have been read.
        let consumed = next.consumed.0.load(Ordering::Acquire);
        if version(consumed) < lap || (version(consumed) == lap && offset(consumed) != self.block_size) {
            return false;
        }
        let reset = cursor(lap + 1, 0);
        // Ordering: Relaxed for the first; then Release pairs with the Acquire in `allocate`, and
        // with the one in `push`.
        raise(&next.committed.0, reset, Ordering::Relaxed);
        raise(&next.allocated.0, reset, Ordering::Release);
        raise(&self.producer_head.0, head + 1, Ordering::Release);
        true
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
        raise(&next.consumed.0, cursor(lap, 0), Ordering::Relaxed);
        raise(&next.reserved.0, cursor(lap, 0), Ordering::Release);
        raise(&self.consumer_head.0, head + 1, Ordering::Release);
        true
    }
}
