//! A block in a lap.
//!
//! The code calls a lap's number `round`, as the paper does. Rounds are compared for equality, and
//! thieves use them only to find their way: an exchange of one word alone decides what a thief may
//! take. A round that is cut to fewer bits recurs after that many laps of the queue. A thief that
//! was suspended in the middle of a steal for *exactly* that many laps would look into the wrong
//! block. It would take an available item there (so that nothing is lost or comes twice), or say
//! once that there is nothing.

use crate::division::{BITS, MOST};

/// A block of the queue in a lap: the round (J. Wang's thesis, section 4.3.3) and the block's
/// number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Place {
    pub(super) round: usize,
    pub(super) index: usize,
}

impl Place {
    /// Returns the block after this one in a queue of `blocks` blocks.
    #[inline]
    pub(super) fn next(self, blocks: usize) -> Self {
        match self.index + 1 {
            index if index < blocks => Self { index, ..self },
            _ => Self { round: self.round.wrapping_add(1), index: 0 },
        }
    }

    /// Returns the block before this one in a queue of `blocks` blocks.
    #[inline]
    pub(super) fn previous(self, blocks: usize) -> Self {
        match self.index.checked_sub(1) {
            Some(index) => Self { index, ..self },
            None => Self { round: self.round.wrapping_sub(1), index: blocks - 1 },
        }
    }

    /// Packs the place into one word: the round loses its upper bits.
    #[inline]
    pub(super) const fn packed(self) -> usize {
        self.round << BITS | self.index
    }

    /// Unpacks a word that `packed` made.
    #[inline]
    pub(super) const fn unpacked(word: usize) -> Self {
        Self { round: word >> BITS, index: word & MOST }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn next_and_previous_go_around() {
        for round in [0, 1, usize::MAX] {
            let first = Place { round, index: 0 };
            let mut place = first;
            for _ in 0..3 {
                let next = place.next(3);
                assert_eq!(next.previous(3), place);
                place = next;
            }
            assert_eq!(place, Place { round: round.wrapping_add(1), index: 0 });
            assert_eq!(Place::unpacked(first.packed()).packed(), first.packed());
        }
    }
}
