//! A block's `s_pos`: the entries that thieves may take.
//!
//! One word holds the next entry to be stolen, the end of the granted entries, and the lap. So
//! whatever a thief learnt before its exchange, the exchange succeeds only if the entry is free to
//! be taken *now*: a value that recurs (ABA) is as good as one that never changed. The word of a
//! closed block holds the number of the closing instead of entries, so a thief that seizes
//! exchanges it only if the owner has not been on its slow path since the thief's look.

use crate::bwos::block::Location;
use crate::division::{BITS, MOST};

/// The lap, and the end and the next entry, or the number of the closing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SPos(pub(super) usize);

/// The bit of a closed block.
const CLOSED: usize = 1 << (2 * BITS);

/// The lowest bit of the lap.
const LAP: u32 = 2 * BITS + 1;

impl SPos {
    /// Makes a word with which thieves may take the entries `next..end`.
    #[inline]
    pub(super) const fn new(lap: usize, next: usize, end: usize) -> Self {
        Self(lap << LAP | end << BITS | next)
    }

    /// Makes a word with which thieves may take nothing now.
    #[inline]
    pub(super) const fn closed(lap: usize, number: usize) -> Self {
        Self(lap << LAP | CLOSED | number & (CLOSED - 1))
    }

    /// Makes the word of a block whose entries thieves have all taken.
    #[inline]
    pub(super) const fn used_up(lap: usize, block_size: usize) -> Self {
        Self::new(lap, block_size, block_size)
    }

    /// Returns the addend with which thieves may take `count` more entries.
    #[inline]
    pub(super) const fn more(count: usize) -> usize {
        count << BITS
    }

    /// Whether the block is closed: it grants nothing, and the word names no entries.
    #[inline]
    pub(super) const fn is_closed(self) -> bool {
        self.0 & CLOSED != 0
    }

    /// Returns the next entry to be taken. The block must not be closed.
    #[inline]
    pub(super) const fn next(self) -> usize {
        debug_assert!(!self.is_closed());
        self.0 & MOST
    }

    /// Returns the end of the entries that may be taken. The block must not be closed.
    #[inline]
    pub(super) const fn end(self) -> usize {
        debug_assert!(!self.is_closed());
        self.0 >> BITS & MOST
    }

    /// Returns how many entries may be taken.
    #[inline]
    pub(super) const fn len(self) -> usize {
        if self.is_closed() { 0 } else { self.end() - self.next() }
    }

    /// Returns where the owner's entries begin, which it has published to begin at `floor`.
    ///
    /// A thief may have seized some of them since.
    #[inline]
    pub(super) const fn floor(self, floor: usize) -> usize {
        if self.is_closed() { floor } else { self.end() }
    }

    /// Whether the block is in the lap of that location, and thieves may take something.
    #[inline]
    pub(super) const fn grants(self, location: Location) -> bool {
        self.is_in(location) && self.len() > 0
    }

    /// Returns the word after `count` entries have been taken.
    #[inline]
    pub(super) const fn taken(self, count: usize) -> Self {
        Self(self.0 + count)
    }

    /// Whether the block is in the lap of that location, as far as the word's bits tell.
    #[inline]
    pub(super) const fn is_in(self, location: Location) -> bool {
        self.0 >> LAP == location.lap << LAP >> LAP
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_three_do_not_mix() {
        for lap in [0, 1, 2, MOST, usize::MAX] {
            for (next, end) in [(0, 0), (0, MOST), (MOST, MOST), (1, 2)] {
                let word = SPos::new(lap, next, end);
                let location = Location { lap, index: 0 };
                assert!((word.next(), word.end(), word.len()) == (next, end, end - next) && word.is_in(location));
                assert!(!word.is_closed() && word.floor(7) == end);
                let other = Location { lap: lap.wrapping_add(1), ..location };
                assert!(!word.is_in(other) && !SPos::closed(other.lap, 0).is_in(location));
                assert_eq!(SPos::new(lap, next, next).0.wrapping_add(SPos::more(end - next)), word.0);
                assert_eq!(SPos::new(lap, 0, end).taken(next), word);
            }
        }
    }

    #[test]
    fn each_closing_has_a_number_of_its_own() {
        for lap in [0, 1, usize::MAX] {
            let location = Location { lap, index: 0 };
            for number in [0, 1, MOST, CLOSED - 2, usize::MAX] {
                let word = SPos::closed(lap, number);
                assert!(word.is_closed() && word.is_in(location) && word.len() == 0 && word.floor(7) == 7);
                assert_ne!(word, SPos::closed(lap, number.wrapping_add(1)));
            }
        }
    }
}
