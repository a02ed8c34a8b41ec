//! The owner's positions, published so that thieves can seize what they cannot steal otherwise.
//!
//! The [design page](crate::bwos::design#seizing) describes how thieves and owner see each other.
//! Here, thieves seize the owner's oldest items. Items of the block at the back need not be seized:
//! the owner does not pop there, unless it is the block at the front, too.

use crate::division::{BITS, MOST};
use crate::sync::{AtomicUsize, Ordering, free_light_fence, light_fence};

/// The owner's published positions. Only the owner writes them.
pub struct Position {
    /// Entries of the block at the back up to here are written.
    b_pos: AtomicUsize,
    /// Entries of the block at the front up to here are taken, or [`BUSY`].
    f_pos: AtomicUsize,
    /// A [`OwnerBlocks`].
    at: AtomicUsize,
}

/// The `f_pos` of an owner on its slow path.
const BUSY: usize = usize::MAX;

/// The `f_pos` of an owner that has been dropped: no item is behind it.
pub(super) const GONE: usize = MOST;

/// A thief's snapshot of the owner's published position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct View {
    /// The owner's position in the block at the front.
    f_pos: usize,
    pub(super) at: OwnerBlocks,
}

impl View {
    /// Returns the owner's position in the block at the front, unless the owner is on its slow
    /// path.
    pub(super) fn f_pos(self) -> Option<usize> {
        (self.f_pos != BUSY).then_some(self.f_pos)
    }
}

/// The owner's blocks, and the end of its items in the block at the front, packed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct OwnerBlocks(usize);

/// The bit that is set if there is an end.
const ENDS: usize = 1 << (3 * BITS);

impl OwnerBlocks {
    /// Packs the blocks' numbers and the end; no end if it is the end of the written entries.
    #[inline]
    pub(super) fn new(front: usize, back: usize, end: Option<usize>) -> Self {
        Self(end.map_or(0, |end| ENDS | end) | back << (2 * BITS) | front << BITS)
    }

    /// Returns the number of the block at the front.
    pub(super) fn front(self) -> usize {
        self.0 >> BITS & MOST
    }

    /// Returns the number of the block at the back.
    pub(super) fn back(self) -> usize {
        self.0 >> (2 * BITS) & MOST
    }

    /// Returns the end of the owner's items in the block at the front, if it is not the end of the
    /// written entries.
    pub(super) fn end(self) -> Option<usize> {
        (self.0 & ENDS != 0).then_some(self.0 & MOST)
    }
}

impl Position {
    pub(super) fn new() -> Self {
        let [b_pos, f_pos, at] = [0, 0, OwnerBlocks::new(0, 0, None).0].map(AtomicUsize::new);
        Self { b_pos, f_pos, at }
    }

    /// Publishes the end of the written entries after pushes.
    #[inline(always)]
    pub(super) fn publish_push(&self, b_pos: usize) {
        // Ordering: Release pairs with the Acquire in `written`; without it, a thief reads an item
        // that is not written yet (`bwos-fifo/seized-push`).
        self.b_pos.store(b_pos, Ordering::Release);
    }

    /// Publishes the owner's position before a pop.
    ///
    /// The pop must not be fast if light fences are not free.
    #[inline(always)]
    pub(super) fn publish_pop(&self, f_pos: usize) {
        // Ordering: Release pairs with the Acquire in `view`: a thief that sees this position finds
        // the block's word as the owner has left it; without it, both write that word
        // (`bwos-fifo/seized-calm`).
        self.f_pos.store(f_pos, Ordering::Release);
        // Ordering: this fence pairs with the heavy one in `seize_found`: either the owner sees the
        // request, or the thief this position; without it, an item comes twice
        // (`bwos-fifo/seized-pop`).
        free_light_fence(Ordering::SeqCst);
    }

    /// Publishes that the owner is on its slow path: nothing can be seized.
    #[inline(always)]
    pub(super) fn withdraw(&self) {
        // Ordering: Release only keeps the store behind earlier loads (load buffering); the fence
        // is behind it.
        self.f_pos.store(BUSY, Ordering::Release);
        // Ordering: this fence pairs with the heavy one in `seize_found`: either the owner sees the
        // request, or the thief that the owner is busy; without it, an item comes twice
        // (`bwos-fifo/parked-into-next`).
        light_fence(Ordering::SeqCst);
    }

    /// Publishes the position of an owner that comes back from its slow path.
    #[inline(always)]
    pub(super) fn publish(&self, at: OwnerBlocks, f_pos: usize, b_pos: usize) {
        // Ordering: Release pairs with the Acquire in `blocks`: a thief that sees this sees what
        // the owner has done with the words of its blocks.
        self.at.store(at.0, Ordering::Release);
        self.publish_push(b_pos);
        // Ordering: Release, for the reason in `publish_pop`.
        self.f_pos.store(f_pos, Ordering::Release);
    }

    /// Returns the end of the written entries of the block at the back; that of a block that is or
    /// was at the back is not before it.
    pub(super) fn written(&self) -> usize {
        // Ordering: Acquire pairs with the Release in `publish_push`: the items are written.
        self.b_pos.load(Ordering::Acquire)
    }

    /// Returns the owner's published position.
    ///
    /// If it is the same after a thief's looks at the blocks as before, the owner has not been on
    /// its slow path meanwhile, or is back after a whole lap.
    pub(super) fn view(&self) -> View {
        // Ordering: Acquire pairs with the Release in `publish_pop` and `publish`: what the owner
        // has done with the words of its blocks is seen, and its blocks are not older.
        let f_pos = self.f_pos.load(Ordering::Acquire);
        View { f_pos, at: self.blocks() }
    }

    /// Returns the owner's published blocks.
    pub(super) fn blocks(&self) -> OwnerBlocks {
        // Ordering: Acquire pairs with the Release in `publish`. If this is newer than the word of
        // a block that the thief has read, the owner has changed that word before: then the thief's
        // exchange fails.
        OwnerBlocks(self.at.load(Ordering::Acquire))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_and_end_do_not_mix() {
        for (front, back) in [(0, 0), (MOST - 1, 0), (0, MOST - 1)] {
            for end in [None, Some(0), Some(1), Some(MOST)] {
                let at = OwnerBlocks::new(front, back, end);
                assert_eq!((at.front(), at.back(), at.end()), (front, back, end));
            }
        }
    }
}
