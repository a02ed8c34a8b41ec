//! The thieves' operations: find a block, claim entries of it, and report that they have been read.

use super::super::location::Location;
use super::super::order::{Steals, Theft};
use super::super::steal::Steal;
use super::announcement::Announcement;
use super::published::Published;
use super::queue::{BlockHead, Queue};
use super::s_pos::{Access, SPos};
use crate::sync::{AtomicU8, Ordering};

/// What a thief has found in a block: its word, the number of available entries, and its `b_pos`
/// word.
pub(super) type Look = (SPos, usize, Published);

impl<T> Steals<T> for Queue<T> {
    type Last = (usize, Published);

    /// Claims up to `most` entries of a block for a thief.
    ///
    /// Thieves steal from the block that they stole from last, as long as it has entries; then from
    /// the newest one that has. The farther they are from the front, the later the owner arrives
    /// there, and the fewer lines thieves and owner take from each other.
    #[inline(always)]
    fn claim(&self, most: usize) -> Steal<Theft<'_, T, (usize, Published)>> {
        // Ordering: Acquire pairs with the Release in `announce`: the thief finds the announced entries.
        let announcement = Announcement(self.announcement.load(Ordering::Acquire));
        if announcement.is_nothing() {
            return Steal::Empty;
        }
        // Ordering: Acquire only keeps later stores behind (load buffering): it is a hint.
        let first = self.first.load(Ordering::Acquire);
        if let found @ (_, 1.., _) = self.look(first) {
            return self.take(first, found, most);
        }
        self.search(announcement, first, most)
    }

    fn claim_sampled(&self, block: usize, most: usize) -> Steal<Theft<'_, T, (usize, Published)>> {
        // Ordering: Relaxed. That there is nothing is nothing to go by.
        if Announcement(self.announcement.load(Ordering::Relaxed)).is_nothing() {
            return Steal::Empty;
        }
        let block = block % self.blocks.geometry.blocks();
        match self.look(block) {
            (_, 0, _) => Steal::Empty,
            found => self.take(block, found, most),
        }
    }

    #[inline(always)]
    fn finish(&self, last: Option<(usize, Published)>) {
        if let Some((block, written)) = last {
            self.tell(block, written);
        }
    }

    fn granted(&self, block: usize) -> usize {
        self.look(block % self.blocks.geometry.blocks()).1
    }

    fn request(&self) {
        self.requests.send();
    }

    #[inline(always)]
    fn blocks(&self) -> usize {
        self.blocks.geometry.blocks()
    }

    #[inline(always)]
    fn size(&self) -> usize {
        self.blocks.geometry.block_size()
    }

    fn capacity(&self) -> usize {
        self.capacity
    }
}

impl<T> Queue<T> {
    /// Reads a block that the owner has opened to thieves.
    #[inline(always)]
    pub(super) fn look(&self, block: usize) -> Look {
        let BlockHead { thieves, .. } = self.blocks.head(Location { lap: 0, index: block });
        // Ordering: Acquire pairs with the Release in `grant`: the request of a thief that seizes comes after the
        // owner's answer to earlier requests, and a later read of `b_pos` is not of the lap before; without it, a thief
        // reads an item that is not written yet (`bwos-fifo/seized-advance`).
        let word = SPos(thieves.s_pos.load(Ordering::Acquire));
        let Access::Open(next) = word.access() else { return (word, 0, Published::FIRST) };
        let written = self.written(block);
        (word, written.b_pos().saturating_sub(next), written)
    }

    /// Reads a block that the owner has opened to thieves, and may be pushing to.
    pub(super) fn look_at_written(&self, block: usize) -> Look {
        let (word, found, written) = self.look(block);
        match word.access() {
            // If the owner has gone on, the block is full, or of a lap that is over: then the exchange fails.
            Access::Open(next) if found == 0 => (word, self.position.written().saturating_sub(next), written),
            _ => (word, found, written),
        }
    }

    /// Returns a block's `b_pos` word.
    #[inline(always)]
    pub(super) fn written(&self, block: usize) -> Published {
        let BlockHead { owner, .. } = self.blocks.head(Location { lap: 0, index: block });
        // Ordering: Acquire pairs with the Release in `publish`: the items are written. Another thief may have seen a
        // newer value.
        Published(owner.b_pos.load(Ordering::Acquire))
    }

    /// Takes up to `most` of the `found` entries that a look has found.
    #[inline(always)]
    pub(super) fn take(
        &self,
        block: usize,
        (word, found, written): Look,
        most: usize,
    ) -> Steal<Theft<'_, T, (usize, Published)>> {
        let Access::Open(next) = word.access() else { return Steal::Retry };
        let count = found.min(most);
        let s_pos = &self.blocks.head(Location { lap: 0, index: block }).thieves.s_pos;
        // Ordering: Relaxed. The look has acquired the entries; the value does not come back in between, see the third
        // invariant. Acquire where it fails only keeps later stores behind (load buffering).
        match s_pos.compare_exchange(word.0, word.taken(count).0, Ordering::Relaxed, Ordering::Acquire) {
            Ok(_) => {
                // SAFETY: the entries are within the block.
                let claim = unsafe { self.blocks.claim(block, next, count, found, written.mark()) };
                let is_last = next + count == self.size();
                Steal::Success((claim, is_last.then_some((block, written))))
            }
            Err(_) => Steal::Retry,
        }
    }

    /// Whether the owner has announced something that no thief has found taken.
    pub(super) fn is_announced(&self) -> bool {
        // Ordering: Acquire only keeps later stores behind (load buffering). The thief that sees where the owner has
        // gone on to sees what it has announced before.
        !Announcement(self.announcement.load(Ordering::Acquire)).is_nothing()
    }

    /// Searches on if the block that was looked at first has nothing.
    #[inline(never)]
    fn search(&self, announcement: Announcement, first: usize, most: usize) -> Steal<Theft<'_, T, (usize, Published)>> {
        let blocks = self.blocks.geometry.blocks();
        let newest = announcement.newest();
        let others = (0..=newest).rev().chain((newest + 1..blocks).rev()).filter(|&block| block != first);
        for block in others {
            if let found @ (_, 1.., _) = self.look(block) {
                // Ordering: Relaxed, it is a hint.
                self.first.store(block, Ordering::Relaxed);
                return self.take(block, found, most);
            }
        }
        // Ordering: Relaxed, no thread does anything because it sees this. Acquire where it fails only keeps later
        // stores behind (load buffering).
        _ = self.announcement.compare_exchange(
            announcement.0,
            announcement.taken_back().0,
            Ordering::Relaxed,
            Ordering::Acquire,
        );
        Steal::Empty
    }

    #[inline(never)]
    fn tell(&self, block: usize, written: Published) {
        // Ordering: Acquire pairs with the Release stores of the thieves that have read the other entries; without it,
        // the owner that acquires `read` knows nothing of them, and writes entries that are being read
        // (`bwos-fifo/stolen-together`).
        let is_read = |it: &AtomicU8| it.load(Ordering::Acquire) == written.mark();
        if self.blocks.marks(block).iter().all(is_read) {
            // Ordering: Release pairs with the owner's Acquire load before it enters the block in the next lap;
            // without it, the owner writes entries that are being read (`bwos-fifo/stolen-again`).
            let at = Location { lap: 0, index: block };
            self.blocks.head(at).thieves.read.store(written.all_read(), Ordering::Release);
        }
    }
}
