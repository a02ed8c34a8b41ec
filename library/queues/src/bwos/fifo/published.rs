//! The owner's word on a block: how far it is written, and the mark by which thieves report reads.

use crate::division::{BITS, MOST};

/// How far the owner has written a block, and the mark by which thieves report reads.
///
/// Entries up to [`b_pos`](Self::b_pos) are written, and thieves mark entries that they have read
/// with [`mark`](Self::mark). The upper bits are the lap's.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Published(pub(super) usize);

/// The bit of the mark.
const MARK: usize = 1 << BITS;

/// The lowest bit of the lap.
const LAP: u32 = BITS + 1;

impl Published {
    /// No entry is written, and thieves have marked nothing yet.
    pub(super) const FIRST: Self = Self(MARK);

    /// Returns the word with another `b_pos`, and with this mark and lap.
    #[inline]
    pub(super) const fn to(self, b_pos: usize) -> Self {
        Self(self.0 & !MOST | b_pos)
    }

    /// Returns the word of that lap, with this mark and no entry written.
    #[inline]
    pub(super) const fn in_lap(self, lap: usize) -> Self {
        Self(lap << LAP | self.0 & MARK)
    }

    /// Returns the word that reports that thieves have read all entries in the lap.
    #[inline]
    pub(super) const fn all_read(self) -> usize {
        self.0 >> LAP
    }

    /// Returns the word with the other mark.
    #[inline]
    pub(super) const fn other_mark(self) -> Self {
        Self(self.0 ^ MARK)
    }

    /// Returns the end of the written entries.
    #[inline]
    pub(super) const fn b_pos(self) -> usize {
        self.0 & MOST
    }

    /// Returns the mark of an entry that thieves have read: one of two values.
    #[inline]
    pub(super) const fn mark(self) -> u8 {
        (self.0 >> BITS & 1) as u8
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn position_and_mark_do_not_mix() {
        for b_pos in [0, 1, MOST] {
            let written = Published::FIRST.to(b_pos);
            assert_eq!((written.b_pos(), written.mark()), (b_pos, 1));
            assert_eq!((written.other_mark().b_pos(), written.other_mark().mark()), (b_pos, 0));
            assert_eq!(written.other_mark().other_mark().to(0), Published::FIRST);
            for lap in [1, MOST, usize::MAX] {
                let later = Published::FIRST.in_lap(lap).to(b_pos);
                assert_eq!((later.b_pos(), later.mark(), later.other_mark().mark()), (b_pos, 1, 0));
                assert_eq!(later.other_mark().all_read(), later.all_read());
                assert_ne!(later.all_read(), Published::FIRST.in_lap(lap.wrapping_sub(1)).all_read());
            }
        }
    }
}
