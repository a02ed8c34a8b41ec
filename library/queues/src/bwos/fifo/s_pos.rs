//! A block's `s_pos`: the entries that thieves may take.
//!
//! Each word that the owner writes has another number, so a thief's exchange succeeds only if the
//! owner has not written the word since the thief's look. There are three kinds:
//! - *open*: thieves may take entries from `next` up to `b_pos`. The number has 46 bits (22 on a
//!   32-bit machine).
//! - *closed*: thieves may take nothing now. The number has 62 bits (30).
//! - *seized*: a thief has seized the owner's items, of which others may take those from `next` on,
//!   as `seize.rs` says. The number has 29 bits (13). There is the end of the entries that were
//!   written when the block was seized, and whether the first that was seized has an odd number.

use crate::division::{BITS, MOST};

/// A kind, a number, and the entries.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct SPos(pub(super) usize);

/// What a word says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Access {
    /// Thieves may take the entries from here up to `b_pos`.
    Open(usize),
    /// Thieves may take nothing now.
    Closed,
    /// Thieves have seized the block.
    Seized(Seized),
}

/// What the word of a seized block says.
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

    /// Returns what the word says.
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

    /// Returns the word of a seized block after `count` entries have been taken of those that were lent.
    #[inline]
    pub(super) const fn taken_of_lent(self, count: usize) -> Self {
        Self(self.0 + (count << BITS))
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
}
