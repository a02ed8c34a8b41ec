//! What the owner's handle says of the number of items and of the room.

use super::super::order::Thefts;
use super::super::place::BlockPlace;
use super::ends::{Ends, Places};
use super::shared::Shared;
use super::word::{Says, Seized, Word};
use crate::sync::Ordering;

impl<T> Shared<T> {
    /// Returns what a block's word says.
    pub(super) fn says(&self, place: BlockPlace) -> Says {
        // Ordering: Relaxed, the owner knows its own words, and thieves only take.
        Word(self.blocks.head(place).thieves.s_pos.load(Ordering::Relaxed)).says()
    }

    /// Returns the end of the written entries of a block.
    fn written_end(&self, place: BlockPlace, ends: &Ends) -> usize {
        if place == ends.places.back { ends.b_pos } else { self.size() }
    }

    /// Returns how many items are left in the block at the front, and how many thieves have seized
    /// of it that the owner does not know of.
    fn at_front(&self, ends: &Ends) -> (usize, usize) {
        let end = self.end(ends);
        let lent = |next| if ends.places.lent.is_some() { self.written_end(ends.places.front, ends) - next } else { 0 };
        match self.says(ends.places.front) {
            Says::Closed => (end - ends.f_pos, 0),
            Says::Open(next) => (end - ends.f_pos + lent(next), 0),
            Says::Seized(Seized { next, written, .. }) => (end - next + lent(written), next - ends.f_pos),
        }
    }

    /// Returns the number of items, those that thieves may take included.
    pub(super) fn len(&self, ends: &Ends) -> usize {
        let mut len = self.at_front(ends).0;
        let mut place = ends.places.front;
        while place != ends.places.back {
            place = place.next(self.blocks.geometry.blocks());
            if let Says::Open(next) = self.says(place) {
                len += self.written_end(place, ends) - next;
            }
        }
        len
    }

    /// Whether the block at the back is full and the owner cannot enter the next one.
    pub(super) fn is_full(&self, ends: &Ends) -> bool {
        if ends.b_pos < self.size() {
            return false;
        }
        let Places { front, back, lent, .. } = ends.places;
        let next = back.next(self.blocks.geometry.blocks());
        // Ordering: Relaxed, the owner's own.
        let mut claimed = self.blocks.head(next).owner.claimed.load(Ordering::Relaxed);
        if next.index == front.index {
            let (left, seized) = self.at_front(ends);
            if left > 0 {
                return true;
            }
            // The owner counts what it has lent as claimed when it goes on.
            claimed += seized + lent.map_or(0, |from| self.size() - from);
        }
        claimed > 0 && !self.is_read(next, claimed)
    }
}
