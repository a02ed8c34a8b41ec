//! The owner's word on a block: how far it is written, and the mark by which thieves report reads.

use super::super::geometry::{BITS, MOST};

/// How far the owner has written a block, and the mark by which thieves report reads.
///
/// Entries up to [`b_pos`](Self::b_pos) are written, and thieves mark entries that they have read
/// with [`mark`](Self::mark).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Written(pub(super) usize);

/// The bit of the mark.
const MARK: usize = 1 << BITS;

impl Written {
    /// No entry is written, and thieves have marked nothing yet.
    pub(super) const FIRST: Self = Self(MARK);

    /// Returns the word with another `b_pos` and this mark.
    #[inline]
    pub(super) const fn to(self, b_pos: usize) -> Self {
        Self(self.0 & MARK | b_pos)
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
        (self.0 >> BITS) as u8
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn position_and_mark_do_not_mix() {
        for b_pos in [0, 1, MOST] {
            let written = Written::FIRST.to(b_pos);
            assert_eq!((written.b_pos(), written.mark()), (b_pos, 1));
            assert_eq!((written.other_mark().b_pos(), written.other_mark().mark()), (b_pos, 0));
            assert_eq!(written.other_mark().other_mark().to(0), Written::FIRST);
        }
    }
}
