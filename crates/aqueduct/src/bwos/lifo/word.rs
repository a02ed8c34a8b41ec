//! A block's `s_pos`: the entries that thieves may take.
//!
//! One word holds the next entry to be stolen, the end of the granted entries, and the round. So
//! whatever a thief learnt before its exchange, the exchange succeeds only if the entry is free to
//! be taken *now*: a value that recurs (ABA) is as good as one that never changed. The round only
//! leads thieves from block to block. On a 64-bit machine it has 32 bits; `place.rs` says what
//! happens when it wraps.

use super::super::geometry::{BITS, MOST};
use super::super::place::Place;

/// Round, end and next entry.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Word(pub(super) usize);

impl Word {
    /// Makes a word with which thieves may take the entries `next..end`.
    #[inline]
    pub(super) const fn new(round: usize, next: usize, end: usize) -> Self {
        Self(round << (2 * BITS) | end << BITS | next)
    }

    /// Makes a word with which thieves may take nothing now.
    #[inline]
    pub(super) const fn closed(round: usize) -> Self {
        Self::new(round, 0, 0)
    }

    /// Makes the word of a block whose entries thieves have all taken.
    #[inline]
    pub(super) const fn used_up(round: usize, block_size: usize) -> Self {
        Self::new(round, block_size, block_size)
    }

    /// Returns the addend with which thieves may take `count` more entries.
    #[inline]
    pub(super) const fn more(count: usize) -> usize {
        count << BITS
    }

    /// Returns the next entry to be taken.
    #[inline]
    pub(super) const fn next(self) -> usize {
        self.0 & MOST
    }

    /// Returns the end of the entries that may be taken.
    #[inline]
    pub(super) const fn end(self) -> usize {
        self.0 >> BITS & MOST
    }

    /// Returns how many entries may be taken.
    #[inline]
    pub(super) const fn len(self) -> usize {
        self.end() - self.next()
    }

    /// Whether the block is in the lap of that place, and thieves may take something.
    #[inline]
    pub(super) const fn grants(self, place: Place) -> bool {
        self.is_in(place) && self.len() > 0
    }

    /// Returns the word after `count` entries have been taken.
    #[inline]
    pub(super) const fn taken(self, count: usize) -> Self {
        Self(self.0 + count)
    }

    /// Whether the block is in the lap of that place, as far as the word's bits tell.
    #[inline]
    pub(super) const fn is_in(self, place: Place) -> bool {
        self.0 >> (2 * BITS) == place.round << (2 * BITS) >> (2 * BITS)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_three_do_not_mix() {
        for round in [0, 1, 2, MOST, usize::MAX] {
            for (next, end) in [(0, 0), (0, MOST), (MOST, MOST), (1, 2)] {
                let word = Word::new(round, next, end);
                let place = Place { round, index: 0 };
                assert!((word.next(), word.end(), word.len()) == (next, end, end - next) && word.is_in(place));
                let other = Place { round: round.wrapping_add(1), ..place };
                assert!(!word.is_in(other) && !Word::closed(other.round).is_in(place));
                assert_eq!(Word::new(round, next, next).0.wrapping_add(Word::more(end - next)), word.0);
                assert_eq!(Word::new(round, 0, end).taken(next), word);
            }
        }
    }
}
