//! The words of a block: the producers' and the consumers' cursors in it.
//!
//! # Limit of additions
//! A thread that adds to a word adds up to [`AT_ONCE`], and brings the word back to the block's
//! size before it does anything else. So an offset is less than the block's size and `AT_ONCE` for
//! each thread that is between the two instructions. The offset's bits have room for 1024 such
//! threads beside the largest block; more threads have to be stopped at that very place in one
//! block to break a queue.

use super::cursor::{Cursor, OFFSET_BITS};
use crate::isolated::Isolated;
use crate::sync::{AtomicUsize, Ordering};

/// The words in front of a block's entries.
///
/// `committed` and `consumed` of the BBQ paper are marks at the entries here.
#[derive(Debug)]
pub struct Block {
    pub(crate) producers: Isolated<ProducerWords>,
    pub(crate) consumers: Isolated<ConsumerWords>,
}

/// The producers' place in a block.
#[derive(Debug)]
pub(crate) struct ProducerWords {
    /// Lap and number of the entries given to producers.
    pub(crate) allocated: AtomicUsize,
    /// If many producers overwrite items: the end of the last lap that one of them reported as
    /// wholly committed, or the lap before the last one that renewed the block's words.
    ///
    /// Later laps may be committed, too. It is not read for records, because a grant may still be
    /// open.
    pub(crate) committed: AtomicUsize,
}

/// The consumers' place in a block.
#[derive(Debug)]
pub(crate) struct ConsumerWords {
    /// Lap and number of the entries given to consumers.
    ///
    /// A single consumer writes it at the block's end: it has consumed all entries up to there.
    pub(crate) reserved: AtomicUsize,
    /// Lap and number of the entries given to consumers by fetch-and-add.
    ///
    /// Queues without additions leave it unchanged.
    pub(crate) reserved_by_adding: AtomicUsize,
}

impl Block {
    /// Makes the words of a block: of its producers and consumers, and of the lap before.
    pub(crate) fn new(allocated: Cursor, reserved: Cursor, used_up: Cursor) -> Self {
        let word = |cursor: Cursor| AtomicUsize::new(cursor.0);
        let producers = ProducerWords { allocated: word(allocated), committed: word(used_up) };
        let consumers = ConsumerWords { reserved: word(reserved), reserved_by_adding: word(used_up) };
        Self { producers: Isolated(producers), consumers: Isolated(consumers) }
    }

    /// Returns the producers' cursor.
    #[inline(always)]
    pub(crate) fn allocated(&self) -> Cursor {
        // Ordering: Acquire pairs with the Release in the producers' `advance`: all that was done
        // with the entries in the lap before, and all blocks opened before this one, are known to a
        // thread that finds a lap here.
        Cursor(self.producers.allocated.load(Ordering::Acquire))
    }

    /// Returns the address of the producers' cursor.
    #[inline(always)]
    pub(crate) fn allocated_address(&self) -> *const u8 {
        (&raw const self.producers.allocated).cast()
    }

    /// Returns the consumers' cursor.
    #[inline(always)]
    pub(crate) fn reserved(&self) -> Cursor {
        // Ordering: Acquire pairs with the Release in the consumers' `advance`: a thread that finds
        // a lap here finds the block open in it, and no marks that are older than the lap before.
        Cursor(self.consumers.reserved.load(Ordering::Acquire))
    }

    /// Whether producers have left the lap of `used_up`.
    ///
    /// The caller has observed the start of that lap.
    #[inline(always)]
    pub(crate) fn is_open(&self, used_up: Cursor) -> bool {
        // Not "is it used up": the value read may be an older one of that lap.
        self.allocated().begin() != used_up.begin()
    }
}

/// The bit of an offset that no block's size reaches.
pub(crate) const BEYOND: usize = 1 << (OFFSET_BITS - 1);

/// The greatest number of entries of one addition.
pub(crate) const AT_ONCE: usize = 32;

/// Whether there is room for additions beyond the end of a block. There is none on 32-bit machines.
pub(crate) const ROOM: bool = BEYOND / AT_ONCE >= 1024;

/// The greatest number of entries of a block with room for additions beyond its end.
pub(crate) const MOST_WITH_ADDITIONS: usize = BEYOND - 1;

/// Brings a word of additions back to the block's size, after its offset was read as more.
#[cold]
#[inline(never)]
pub(crate) fn bring_back(word: &AtomicUsize, mut seen: Cursor, size: usize) {
    while seen.offset() > size {
        let closed = seen.begin().plus(size);
        // Ordering: Relaxed, the thread that opened the word in its lap is still known by it.
        // Acquire where it fails only keeps later stores behind (load buffering).
        match word.compare_exchange(seen.0, closed.0, Ordering::Relaxed, Ordering::Acquire) {
            Ok(_) => return,
            Err(actual) => seen = Cursor(actual),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::isolated::LINE_PAIR;
    use core::mem::offset_of;

    #[test]
    fn each_side_has_its_own_lines() {
        let offsets = [offset_of!(Block, producers), offset_of!(Block, consumers)];
        crate::isolated::assert_line_pairs(align_of::<Block>(), &offsets);
        assert!(size_of::<Block>() == 2 * LINE_PAIR);
    }
}
