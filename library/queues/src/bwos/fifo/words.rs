//! The three words that the owner of a FIFO queue and its thieves share.

use crate::division::{BITS, MOST};

/// A block's `s_pos`: the entries that thieves may take. A kind, a number, and the entries.
///
/// Each word that the owner writes has another number, so a thief's exchange succeeds only if the
/// owner has not written the word since the thief's look. There are three kinds:
/// - *open*: thieves may take entries from `next` up to `b_pos`. The number has 46 bits (22 on a
///   32-bit machine).
/// - *closed*: thieves may take nothing now. The number has 62 bits (30).
/// - *seized*: a thief has seized the owner's items, of which others may take those from `next` on,
///   as the design page describes. The number has 29 bits (13). The word also holds the end of the
///   entries that were written when the block was seized, and whether the first seized entry has an
///   odd number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct SPos(pub(super) usize);

/// The content of a word.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Access {
    /// Thieves may take the entries from here up to `b_pos`.
    Open(usize),
    /// Thieves may take nothing now.
    Closed,
    /// Thieves have seized the block.
    Seized(Seized),
}

/// The content of a seized block's word.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Seized {
    /// The next entry that thieves may take.
    pub(super) next: usize,
    /// The end of the entries that were written when the block was seized. If the owner had lent
    /// those up to there, the next of them that thieves may take.
    pub(super) written: usize,
    /// Whether the first entry that was seized has an odd number.
    is_odd: bool,
}

impl Seized {
    /// Returns the first entry that was seized: this one or the next.
    ///
    /// A thief that sees the owner in the middle of a pop leaves it the item.
    pub(super) const fn first(self, f_pos: usize) -> usize {
        f_pos + (f_pos + self.is_odd as usize) % 2
    }
}

/// The lowest bit of the kind.
const KIND: u32 = usize::BITS - 2;
const CLOSED: usize = 1 << KIND;
const SEIZED: usize = 2 << KIND;

/// Returns `bits` lower bits of the number, above `below` bits.
const fn number_at(number: usize, below: u32) -> usize {
    (number << (below + 2)) >> 2
}

impl SPos {
    /// Makes a word with which thieves may take the entries from `next` on.
    #[inline]
    pub(super) const fn open(number: usize, next: usize) -> Self {
        Self(number_at(number, BITS) | next)
    }

    /// Makes a word with which thieves may take nothing now.
    #[inline]
    pub(super) const fn closed(number: usize) -> Self {
        Self(CLOSED | number_at(number, 0))
    }

    /// Returns the word, open or closed, when a thief has seized the entries from `first` on and
    /// claimed those up to `next`. Entries up to `written` are written.
    #[inline]
    pub(super) const fn seized(self, first: usize, next: usize, written: usize) -> Self {
        let number = match self.access() {
            Access::Open(_) => self.0 >> BITS,
            _ => self.0,
        };
        Self(SEIZED | number_at(number, 2 * BITS + 1) | (first % 2) << (2 * BITS) | written << BITS | next)
    }

    /// Returns the word's content.
    #[inline]
    pub(super) const fn access(self) -> Access {
        match self.0 >> KIND {
            0 => Access::Open(self.0 & MOST),
            1 => Access::Closed,
            _ => Access::Seized(Seized {
                next: self.0 & MOST,
                written: self.0 >> BITS & MOST,
                is_odd: self.0 >> (2 * BITS) & 1 == 1,
            }),
        }
    }

    /// Returns the word after `count` entries have been taken. The block must not be closed.
    #[inline]
    pub(super) const fn taken(self, count: usize) -> Self {
        Self(self.0 + count)
    }

    /// Returns the word of a seized block after `count` entries have been taken of those that were
    /// lent.
    #[inline]
    pub(super) const fn taken_of_lent(self, count: usize) -> Self {
        Self(self.0 + (count << BITS))
    }
}

/// A block's `b_pos`: how far the owner has written it, and the mark by which thieves report reads.
///
/// Entries up to [`b_pos`](Self::b_pos) are written, and thieves mark entries that they have read
/// with [`mark`](Self::mark). The upper bits are the lap's.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Published(pub(super) usize);

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

    /// Returns the lap, without its upper bits.
    #[inline]
    pub(super) const fn lap(self) -> usize {
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

/// The owner's announcement: the newest block in which thieves find something, whether they find
/// anything, and a number.
///
/// A thief that finds nothing has read one word then. Its line is written only when the owner gives
/// something, and when the first thief has found that nothing of it is left.
/// The number distinguishes announcements. It has 47 bits (23 on 32-bit machines): a thief that is
/// suspended for exactly 2^47 (2^23) announcements while it looks may take the last one back, and
/// other thieves look again only after the next one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Announcement(pub(super) usize);

/// The bit that is set while thieves can find something.
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
    pub(super) const fn withdrawn(self) -> Self {
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
    fn kinds_numbers_and_entries_do_not_mix() {
        for number in [0, 1, MOST, usize::MAX >> (BITS + 2), usize::MAX - 1, usize::MAX] {
            let (closed, after) = (SPos::closed(number), number.wrapping_add(1));
            assert!(closed.access() == Access::Closed && closed != SPos::closed(after));
            for next in [0, 1, MOST - 1] {
                let open = SPos::open(number, next);
                assert!(open.access() == Access::Open(next) && open != SPos::open(after, next));
                assert_eq!(open.taken(1).access(), Access::Open(next + 1));
                for written in [next, MOST] {
                    for first in [4, 5] {
                        let seized = open.seized(first, next, written);
                        assert_eq!(seized, closed.seized(first, next, written));
                        assert_ne!(seized, SPos::closed(after).seized(first, next, written));
                        let says = Seized { next, written, is_odd: first == 5 };
                        assert!(says.first(first) == first && says.first(first - 1) == first);
                        assert_eq!(seized.access(), Access::Seized(says));
                        assert_eq!(seized.taken(1).access(), Access::Seized(Seized { next: next + 1, ..says }));
                        if written < MOST {
                            let more = Seized { written: written + 1, ..says };
                            assert_eq!(seized.taken_of_lent(1).access(), Access::Seized(more));
                        }
                    }
                }
            }
        }
    }

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
                assert_eq!(later.other_mark().lap(), later.lap());
                assert_ne!(later.lap(), Published::FIRST.in_lap(lap.wrapping_sub(1)).lap());
            }
        }
    }

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
                assert!(announcement.withdrawn().is_nothing() && announcement.withdrawn().next(newest) != announcement);
                assert_eq!(before.next(newest), before.withdrawn().next(newest));
            }
        }
    }
}
