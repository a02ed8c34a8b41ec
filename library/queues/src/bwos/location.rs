//! A block in a lap.
//!
//! A lap's number is the `round` of the BWoS paper. Laps are compared for equality, and thieves use
//! them only to find their way: an exchange of one word alone decides which items a thief may take.
//! A lap that is cut to fewer bits recurs after that many laps of the queue. A thief that was
//! suspended in the middle of a steal for *exactly* that many laps would look into the wrong block.
//! It would take an available item there (so that no item is lost or comes twice), or report once
//! that there is none.

use crate::division::{BITS, MOST};

/// A block of the queue in a lap: the lap (the round in J. Wang's thesis, section 4.3.3) and the
/// block's number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Location {
    pub(super) lap: usize,
    pub(super) index: usize,
}

impl Location {
    /// Returns the block after this one in a queue of `blocks` blocks.
    #[inline]
    pub(super) fn next(self, blocks: usize) -> Self {
        match self.index + 1 {
            index if index < blocks => Self { index, ..self },
            _ => Self { lap: self.lap.wrapping_add(1), index: 0 },
        }
    }

    /// Returns the block before this one in a queue of `blocks` blocks.
    #[inline]
    pub(super) fn previous(self, blocks: usize) -> Self {
        match self.index.checked_sub(1) {
            Some(index) => Self { index, ..self },
            None => Self { lap: self.lap.wrapping_sub(1), index: blocks - 1 },
        }
    }

    /// Packs the place into one word: the lap loses its upper bits.
    #[inline]
    pub(super) const fn packed(self) -> usize {
        self.lap << BITS | self.index
    }

    /// Unpacks a word that `packed` made.
    #[inline]
    pub(super) const fn unpacked(word: usize) -> Self {
        Self { lap: word >> BITS, index: word & MOST }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn next_and_previous_go_around() {
        for lap in [0, 1, usize::MAX] {
            let first = Location { lap, index: 0 };
            let mut location = first;
            for _ in 0..3 {
                let next = location.next(3);
                assert_eq!(next.previous(3), location);
                location = next;
            }
            assert_eq!(location, Location { lap: lap.wrapping_add(1), index: 0 });
            assert_eq!(Location::unpacked(first.packed()).packed(), first.packed());
        }
    }
}
