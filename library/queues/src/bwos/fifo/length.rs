//! What the owner's handle says of the number of items and of the room.

use super::super::location::Location;
use super::super::order::Steals;
use super::queue::Queue;
use super::s_pos::{Access, SPos, Seized};
use super::state::{OwnerState, SlowState};
use crate::sync::Ordering;

impl<T> Queue<T> {
    /// Returns what a block's word says.
    pub(super) fn access(&self, location: Location) -> Access {
        // Ordering: Relaxed, the owner knows its own words, and thieves only take.
        SPos(self.blocks.head(location).thieves.s_pos.load(Ordering::Relaxed)).access()
    }

    /// Returns the end of the written entries of a block.
    fn written_end(&self, location: Location, state: &OwnerState) -> usize {
        if location == state.slow.back { state.b_pos } else { self.size() }
    }

    /// Returns how many items are left in the block at the front, and how many thieves have seized
    /// of it that the owner does not know of.
    fn at_front(&self, state: &OwnerState) -> (usize, usize) {
        let end = self.end(state);
        let lent = |next| if state.slow.lent.is_some() { self.written_end(state.slow.front, state) - next } else { 0 };
        match self.access(state.slow.front) {
            Access::Closed => (end - state.f_pos, 0),
            Access::Open(next) => (end - state.f_pos + lent(next), 0),
            Access::Seized(Seized { next, written, .. }) => (end - next + lent(written), next - state.f_pos),
        }
    }

    /// Returns the number of items, those that thieves may take included.
    pub(super) fn len(&self, state: &OwnerState) -> usize {
        let mut len = self.at_front(state).0;
        let mut location = state.slow.front;
        while location != state.slow.back {
            location = location.next(self.blocks.geometry.blocks());
            if let Access::Open(next) = self.access(location) {
                len += self.written_end(location, state) - next;
            }
        }
        len
    }

    /// Whether the block at the back is full and the owner cannot enter the next one.
    pub(super) fn is_full(&self, state: &OwnerState) -> bool {
        if state.b_pos < self.size() {
            return false;
        }
        let SlowState { front, back, lent, .. } = state.slow;
        let next = back.next(self.blocks.geometry.blocks());
        // Ordering: Relaxed, the owner's own.
        let mut claimed = self.blocks.head(next).owner.claimed.load(Ordering::Relaxed);
        if next.index == front.index {
            let (left, seized) = self.at_front(state);
            if left > 0 {
                return true;
            }
            // The owner counts what it has lent as claimed when it goes on.
            claimed += seized + lent.map_or(0, |from| self.size() - from);
        }
        claimed > 0 && !self.is_read(next, claimed)
    }
}
