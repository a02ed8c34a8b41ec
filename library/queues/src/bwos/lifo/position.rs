//! The owner's position, published so that thieves can seize what they cannot steal otherwise.
//!
//! The [design page](crate::bwos::design#seizing) describes how thieves and owner see each other.
//! On the slow path the owner publishes that it is [busy](Position::withdraw), and no thief seizes
//! anything until it has published a position again. So without a request it may write the words of
//! its blocks by stores.

use core::ops::Range;

use crate::bwos::block::Location;
use crate::bwos::seize::Seen;
use crate::division::{BITS, MOST};
use crate::sync::{AtomicUsize, Ordering, free_light_fence, light_fence};

/// The owner's published position. Only the owner writes it.
pub struct Position {
    /// Entries of the owner's block up to here hold items, or [`BUSY`].
    pos: AtomicUsize,
    /// The owner's block, and the entry from which on its items are the owner's: see [`packed`].
    floor: AtomicUsize,
}

/// The position of an owner on its slow path; also that of one in front of a block's first entry.
const BUSY: usize = usize::MAX;

/// Returns a location and an entry of its block as one word: the lap loses its upper bits.
const fn packed(location: Location, floor: usize) -> usize {
    location.packed() << BITS | floor
}

impl Position {
    pub(super) fn new(location: Location) -> Self {
        Self { pos: AtomicUsize::new(0), floor: AtomicUsize::new(packed(location, 0)) }
    }

    /// Publishes the owner's position after pushes.
    #[inline(always)]
    pub(super) fn publish_push(&self, pos: usize) {
        // Ordering: Release pairs with the Acquire in `look`; without it, a thief that seizes reads
        // an item that is not written yet (`bwos-lifo/seized-rest`).
        self.pos.store(pos, Ordering::Release);
    }

    /// Publishes the owner's position before a pop.
    ///
    /// The pop must not be fast if light fences are not free.
    #[inline(always)]
    pub(super) fn publish_pop(&self, pos: usize) {
        // Ordering: Release pairs with the Acquire in `look`: a thief that sees this position finds
        // the block's word as the owner has left it; without it, both write that word
        // (`bwos-lifo/seized-calm`).
        self.pos.store(pos, Ordering::Release);
        // Ordering: this fence pairs with the heavy one in `seize_found`: either the owner sees the
        // request, or the thief this position; without it, an item comes twice
        // (`bwos-lifo/seized-pop`).
        free_light_fence(Ordering::SeqCst);
    }

    /// Publishes that the owner is on its slow path: nothing can be seized.
    #[inline(always)]
    pub(super) fn withdraw(&self) {
        // Ordering: Release only keeps the store behind earlier loads (load buffering); the fence
        // is behind it.
        self.pos.store(BUSY, Ordering::Release);
        // Ordering: this fence pairs with the heavy one in `seize_found`: either the owner sees the
        // request, or the thief that the owner is busy; without it, an item comes twice
        // (`bwos-lifo/parked-push-single`).
        light_fence(Ordering::SeqCst);
    }

    /// Publishes the position of an owner that comes back from its slow path.
    #[inline(always)]
    pub(super) fn publish(&self, location: Location, floor: usize, pos: usize) {
        // Ordering: Release pairs with the Acquire in `look`: a thief that sees the owner elsewhere
        // sees what it has done with the words of its blocks; without it, the thief finds nothing
        // in a block that has just been given (`bwos-lifo/kept-advance`).
        self.floor.store(packed(location, floor), Ordering::Release);
        // Ordering: Release, for the reason in `publish_push`, and so that a thief that sees this
        // position finds the block's word changed (`bwos-lifo/seized-calm`).
        self.pos.store(pos, Ordering::Release);
    }

    /// Returns what a thief at that block sees of the owner.
    pub(super) fn look(&self, at: Location) -> Seen<Range<usize>> {
        // Ordering: Acquire pairs with the Release stores in `publish_push` and `publish`: the
        // items come with the position, and what the owner has done with the words of its blocks.
        let pos = self.pos.load(Ordering::Acquire);
        if pos == BUSY {
            return Seen::Busy;
        }
        // Ordering: Acquire pairs with the Release in `publish`. If it is newer than the position,
        // the owner has changed the block's word before it wrote this: then the thief's exchange
        // fails, and it sees the change.
        let seen = self.floor.load(Ordering::Acquire);
        let floor = seen & MOST;
        if seen != packed(at, floor) || pos <= floor { Seen::Nothing } else { Seen::Items(floor..pos) }
    }

    /// Returns the number of the block that the owner is in, and the entries that are its own: an
    /// estimate while the owner works.
    pub(super) fn guess(&self) -> (usize, usize, usize) {
        // Ordering: Acquire only keeps later stores behind (load buffering): it is a guess.
        let [pos, floor] = [&self.pos, &self.floor].map(|word| word.load(Ordering::Acquire));
        (floor >> BITS & MOST, floor & MOST, if pos == BUSY { 0 } else { pos })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_owner_is_seen_in_its_block_alone() {
        let location = Location { lap: usize::MAX, index: MOST - 1 };
        let position = Position::new(location);
        assert_eq!(position.look(location), Seen::Nothing);
        position.publish(location, 3, 5);
        assert_eq!(position.look(location), Seen::Items(3..5));
        assert_eq!(position.look(location.previous(MOST)), Seen::Nothing);
        assert_eq!(position.look(Location { lap: 0, ..location }), Seen::Nothing);
        position.publish_pop(2);
        assert_eq!(position.look(location), Seen::Nothing);
        position.withdraw();
        assert_eq!(position.look(location), Seen::Busy);
    }
}
