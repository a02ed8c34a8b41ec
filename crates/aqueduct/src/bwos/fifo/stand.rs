//! The owner's positions, published so that thieves can seize what they cannot steal otherwise.
//!
//! `lifo/stand.rs` says how thieves and owner see each other. Here, thieves seize the owner's oldest
//! items. Items of the block at the back need not be seized: the owner does not pop there, unless
//! it is the block at the front, too.

use super::super::geometry::{BITS, MOST};
use crate::sync::{AtomicUsize, Ordering, free_light_fence, light_fence};

/// Where the owner stands. Only the owner writes it.
pub(super) struct Stand {
    /// Entries of the block at the back up to here are written.
    b_pos: AtomicUsize,
    /// Entries of the block at the front up to here are taken, or [`BUSY`].
    f_pos: AtomicUsize,
    /// A [`Where`].
    at: AtomicUsize,
}

/// The `f_pos` of an owner on its slow path.
const BUSY: usize = usize::MAX;

/// The `f_pos` of an owner that has gone.
const GONE: usize = MOST;

/// The owner's blocks, and the end of its items in the block at the front, packed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Where(usize);

impl Where {
    /// Packs the blocks' numbers and the end; no end if it is the end of the written entries.
    pub(super) fn new(front: usize, back: usize, end: Option<usize>) -> Self {
        // An end is not 0: in front of it are items.
        Self(back << (2 * BITS) | front << BITS | end.unwrap_or(0))
    }

    /// Returns the number of the block at the front.
    pub(super) fn front(self) -> usize {
        self.0 >> BITS & MOST
    }

    /// Returns the number of the block at the back.
    pub(super) fn back(self) -> usize {
        self.0 >> (2 * BITS) & MOST
    }

    /// Returns the end of the owner's items in the block at the front, of which entries up to
    /// `written` are written if it is at the back, too.
    pub(super) fn end(self, written: usize) -> usize {
        match self.0 & MOST {
            0 => written,
            end => end,
        }
    }
}

impl Stand {
    pub(super) fn new() -> Self {
        let [b_pos, f_pos, at] = [0, 0, Where::new(0, 0, None).0].map(AtomicUsize::new);
        Self { b_pos, f_pos, at }
    }

    /// Publishes the end of the written entries after pushes.
    #[inline(always)]
    pub(super) fn pushed(&self, b_pos: usize) {
        // Ordering: Release pairs with the Acquire in `written`; without it, a thief reads an item that is not written
        // yet (`bwos-fifo/seized-push`).
        self.b_pos.store(b_pos, Ordering::Release);
    }

    /// Publishes the owner's position before a pop.
    ///
    /// The pop must not be fast if light fences are not free.
    #[inline(always)]
    pub(super) fn pops(&self, f_pos: usize) {
        // Ordering: Release pairs with the Acquire in `look`: a thief that sees this position finds the block's word as
        // the owner has left it; without it, both write that word (`bwos-fifo/seized-calm`).
        self.f_pos.store(f_pos, Ordering::Release);
        // Ordering: this fence pairs with the heavy one in `seize_at`: either the owner sees the request, or the thief
        // this position; without it, an item comes twice (`bwos-fifo/seized-pop`).
        free_light_fence(Ordering::SeqCst);
    }

    /// Publishes that the owner is on its slow path: nothing can be seized.
    #[inline(always)]
    pub(super) fn leave(&self) {
        // Ordering: Relaxed, the fence is behind it.
        self.f_pos.store(BUSY, Ordering::Relaxed);
        // Ordering: this fence pairs with the heavy one in `seize_at`: either the owner sees the request, or the thief
        // that the owner is busy; without it, both write the block's word (`bwos-fifo/seized-calm`).
        light_fence(Ordering::SeqCst);
    }

    /// Publishes where the owner is after its slow path.
    #[inline(always)]
    pub(super) fn stay(&self, at: Where, f_pos: usize, b_pos: usize) {
        // Ordering: Relaxed. It comes with the position; a thief that sees it earlier fails (see `place`).
        self.at.store(at.0, Ordering::Relaxed);
        self.pushed(b_pos);
        // Ordering: Release, for the reason in `pops`.
        self.f_pos.store(f_pos, Ordering::Release);
    }

    /// Publishes that the owner has gone and has no items.
    pub(super) fn go(&self) {
        // Ordering: Relaxed. What it leaves has been granted.
        self.f_pos.store(GONE, Ordering::Relaxed);
    }

    /// Returns the end of the written entries of the block at the back; that of a block that is or
    /// was at the back is not before it.
    pub(super) fn written(&self) -> usize {
        // Ordering: Acquire pairs with the Release in `pushed`: the items are written.
        self.b_pos.load(Ordering::Acquire)
    }

    /// Returns the owner's position in the block at the front, unless the owner is on its slow path.
    pub(super) fn look(&self) -> Option<usize> {
        // Ordering: Acquire pairs with the Release in `pops` and `stay`: what the owner has done with the words of its
        // blocks is seen.
        let f_pos = self.f_pos.load(Ordering::Acquire);
        (f_pos != BUSY).then_some(f_pos)
    }

    /// Returns where the owner is.
    pub(super) fn place(&self) -> Where {
        // Ordering: Relaxed. If it is newer than the position, the owner has changed the block's word before it wrote
        // this, and the thief's exchange, whose value depends on this load, comes after that.
        Where(self.at.load(Ordering::Relaxed))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_and_end_do_not_mix() {
        for (front, back) in [(0, 0), (MOST - 1, 0), (0, MOST - 1)] {
            for (end, written) in [(None, 7), (None, 0), (Some(1), 7), (Some(MOST), 0)] {
                let at = Where::new(front, back, end);
                assert_eq!((at.front(), at.back(), at.end(written)), (front, back, end.unwrap_or(written)));
            }
        }
    }
}
