//! The owner's announcements to thieves, in one word.
//!
//! A thief that finds nothing has read one word then. Its line is written only when the owner gives
//! something, and when the first thief has found that nothing of it is left.

use crate::division::{BITS, MOST};

/// The newest block in which thieves find something, whether they find anything, and a number.
///
/// The number distinguishes announcements. It has 47 bits (23 on 32-bit machines): a thief that is
/// suspended for exactly 2^47 (2^23) announcements while it looks may take the last one back, and
/// other thieves look again only after the next one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Announcement(pub(super) usize);

/// The bit that says whether thieves find anything.
const SOMETHING: usize = 1 << BITS;

impl Announcement {
    /// The word before any announcement.
    pub(super) const NOTHING: Self = Self(0);

    /// Returns the next announcement.
    #[inline]
    pub(super) const fn next(self, newest: usize) -> Self {
        Self((self.0 | SOMETHING | MOST).wrapping_add(1) | SOMETHING | newest)
    }

    /// Returns this announcement when nothing of it is left.
    #[inline]
    pub(super) const fn taken_back(self) -> Self {
        Self(self.0 & !SOMETHING)
    }

    /// Whether thieves find nothing.
    #[inline]
    pub(super) const fn is_nothing(self) -> bool {
        self.0 & SOMETHING == 0
    }

    /// Returns the block in which thieves look first.
    #[inline]
    pub(super) const fn newest(self) -> usize {
        self.0 & MOST
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_announcement_is_another_one() {
        assert!(Announcement::NOTHING.is_nothing());
        for before in [Announcement::NOTHING, Announcement(usize::MAX), Announcement::NOTHING.next(MOST)] {
            for newest in [0, 7, MOST] {
                let announcement = before.next(newest);
                assert!(
                    !announcement.is_nothing()
                        && announcement.newest() == newest
                        && announcement != before.next(newest).next(newest)
                );
                assert!(
                    announcement.taken_back().is_nothing() && announcement.taken_back().next(newest) != announcement
                );
                assert_eq!(before.next(newest), before.taken_back().next(newest));
            }
        }
    }
}
