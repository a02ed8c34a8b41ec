//! The capsules: queues of one producer and one consumer that either of them can close (3.4, 3.6.3).
//!
//! A capsule's *word* says how many items have been put in, and three things: that nothing more can be (`CLOSED`), that its producer
//! has left it, and that its consumer has. Items are put in by the one producer it has, which knows how many there are, and by a
//! compare-exchange: it fails only because the capsule has been closed, and then the item is still the producer's. (The seed adds
//! to the word and looks then whether it was closed. By then the consumer can have seen the count, and takes an item that the
//! producer puts into its next capsule, too.)
//!
//! # Who touches what, when
//! 1. From when its slot is allocated to when it is produced, a capsule is its producer's alone, which puts in the first items: a
//!    capsule that consumers can see has one at least.
//! 2. Then the producer writes entries from the count on, and the consumer reads those before. Anybody may close it.
//! 3. Both leave it. The producer of a full capsule has left it. Otherwise it says so in the word when it finds the capsule closed,
//!    and touches nothing of it from then on.
//! 4. The consumer is done when it has read all items and there will be no more. Where the producer has left, the capsule
//!    goes back with its slot. Where it has not, it might write an entry yet, so the capsule is left to it, and its *spare*
//!    goes back in its place. So nobody waits for a producer that has something else to do.
//!
//! Capsules are closed by whoever found them in a place where they were a moment ago. By then it may be another one, in another place:
//! its producer loses a capsule that it could have filled, and goes on to the next.

use crate::array::Array;
use crate::error::CapacityError;
use crate::isolated::{Isolated, LINE_PAIR};
use crate::sync::{AtomicUsize, Cell, Ordering};
use core::ptr::NonNull;

/// Nothing more can be put in.
pub(super) const CLOSED: usize = 1 << (usize::BITS - 1);

/// The producer does not touch it any more.
pub(super) const PRODUCER_LEFT: usize = CLOSED >> 1;

/// The consumer does not touch it any more, and has taken the producer's spare for it.
pub(super) const CONSUMER_LEFT: usize = CLOSED >> 2;

/// How many items have been put in.
pub(super) const fn count(word: usize) -> usize {
    word & (CONSUMER_LEFT - 1)
}

/// All capsules of a queue.
pub(super) struct Capsules<T> {
    words: Array<Isolated<AtomicUsize>>,
    entries: Array<Cell<T>>,
    /// Items of a capsule.
    pub(super) size: usize,
    /// Entries from one capsule to the next.
    stride: usize,
}

/// So many entries as no two capsules share a pair of lines with.
fn stride<T>(size: usize) -> Option<usize> {
    // What a length of whole pairs is a multiple of.
    let align = 1_usize.checked_shl(size_of::<T>().trailing_zeros()).map_or(LINE_PAIR, |align| align.min(LINE_PAIR));
    size.checked_next_multiple_of(LINE_PAIR / align)
}

impl<T> Capsules<T> {
    pub(super) fn new(capsules: usize, size: usize) -> Result<Self, CapacityError> {
        let max = (usize::MAX >> 1) / size_of::<T>().max(1) / capsules;
        let too_large = || CapacityError::TooLarge { asked: size.saturating_mul(capsules), max: max * capsules };
        let stride = stride::<T>(size).ok_or_else(too_large)?;
        let entries = Array::cells(stride.checked_mul(capsules).ok_or_else(too_large)?)?;
        Ok(Self { words: Array::new(capsules, |_| Isolated(AtomicUsize::new(0)))?, entries, size, stride })
    }

    #[inline]
    pub(super) fn word(&self, id: usize) -> &AtomicUsize {
        &self.words[id]
    }

    /// Where the entries of a capsule begin.
    #[inline]
    pub(super) fn entries(&self, id: usize) -> NonNull<Cell<T>> {
        self.entries.from(id * self.stride)
    }

    /// Lets nothing more be put into a capsule.
    pub(super) fn close(&self, id: usize) {
        let word = self.word(id);
        // Ordering: Relaxed for both. A put that has come before is in the word; one that comes after fails.
        let found = word.load(Ordering::Relaxed);
        if found & CLOSED == 0 && count(found) < self.size {
            word.fetch_or(CLOSED, Ordering::Relaxed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn capsules_lie_apart() {
        fn check<T>() {
            for size in [1, 2, 15, 16, 17, 1000] {
                let stride = stride::<T>(size).expect("a small capsule");
                let bytes = stride * size_of::<T>();
                assert!(stride >= size && bytes.is_multiple_of(LINE_PAIR), "{size} {stride}");
                assert!(bytes < (size * size_of::<T>()).next_multiple_of(LINE_PAIR) + LINE_PAIR * size_of::<T>());
            }
        }
        check::<u8>();
        check::<u64>();
        check::<[u64; 3]>();
        check::<[u8; 5]>();
        check::<[u64; 512]>();
        assert_eq!(stride::<()>(3), Some(3));
        assert_eq!(stride::<u64>(499), Some(512));
        assert_eq!(stride::<u64>(usize::MAX), None);
    }
}
