//! The thieves' operations: find a block, claim entries of it, and report that they have been read.

use super::super::location::Location;
use super::super::order::{Steals, Theft};
use super::super::steal::Steal;
use super::queue::{Queue, all_read_in, mark};
use super::s_pos::SPos;
use crate::sync::{AtomicU8, Ordering};

impl<T> Steals<T> for Queue<T> {
    type Last = Location;

    #[inline(always)]
    fn claim(&self, most: usize) -> Steal<Theft<'_, T, Location>> {
        // Ordering: Acquire only keeps later stores behind (load buffering): where it leads is looked at by the
        // exchange.
        let at = Location::unpacked(self.bottom.load(Ordering::Acquire));
        match SPos(self.thieves(at).s_pos.load(Ordering::Acquire)) {
            word if word.grants(at) => self.take(at, word, most),
            word => self.search(at, word, most),
        }
    }

    #[inline(always)]
    fn finish(&self, last: Option<Location>) {
        if let Some(at) = last {
            self.tell(at);
        }
    }

    fn granted(&self, block: usize) -> usize {
        let location = Location { lap: 0, index: block % self.blocks.geometry.blocks() };
        // Ordering: Acquire only keeps later stores behind (load buffering): it is a guess.
        SPos(self.thieves(location).s_pos.load(Ordering::Acquire)).len()
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
    /// Takes up to `most` of the entries that a word grants.
    #[inline(always)]
    pub(super) fn take(&self, at: Location, word: SPos, most: usize) -> Steal<Theft<'_, T, Location>> {
        let count = word.len().min(most);
        let s_pos = &self.thieves(at).s_pos;
        // Ordering: Acquire pairs with the Release in `grant`; without it, the thief reads an item that is not written
        // yet (`bwos-lifo/half-thieves`). OwnerBlocks it fails, Acquire only keeps later stores behind (load buffering).
        match s_pos.compare_exchange(word.0, word.taken(count).0, Ordering::Acquire, Ordering::Acquire) {
            Ok(_) => Steal::Success(self.theft(at, word.next(), count, word.len())),
            Err(_) => Steal::Retry,
        }
    }

    /// Returns the theft of `count` entries from number `next` on, of `found` available ones.
    #[inline(always)]
    pub(super) fn theft(&self, at: Location, next: usize, count: usize, found: usize) -> Theft<'_, T, Location> {
        // SAFETY: the entries are within the block.
        let claim = unsafe { self.blocks.claim(at.index, next, count, found, mark(at.lap)) };
        (claim, (next + count == self.size()).then_some(at))
    }

    /// Searches on if the block at the bottom, with that word, grants nothing.
    #[inline(never)]
    fn search(&self, mut at: Location, mut word: SPos, most: usize) -> Steal<Theft<'_, T, Location>> {
        let blocks = self.blocks.geometry.blocks();
        for _ in 0..blocks {
            let lap = |lap| Location { lap, ..at };
            let is_used_up = word == SPos::used_up(at.lap, self.size());
            if word.is_in(at) && !is_used_up || word.is_in(lap(at.lap.wrapping_sub(1))) {
                return Steal::Empty;
            }
            if !word.is_in(at) && !word.is_in(lap(at.lap.wrapping_add(1))) {
                return Steal::Retry;
            }
            // All of it is claimed, and it may be in use again. Ordering: Acquire where it fails only keeps later
            // stores behind (load buffering).
            let next = at.next(blocks);
            let moved = self.bottom.compare_exchange(at.packed(), next.packed(), Ordering::Relaxed, Ordering::Acquire);
            at = moved.map_or_else(Location::unpacked, |_| next);
            word = SPos(self.thieves(at).s_pos.load(Ordering::Relaxed));
            if word.grants(at) {
                return self.take(at, word, most);
            }
        }
        Steal::Retry
    }

    #[inline(never)]
    fn tell(&self, at: Location) {
        // Ordering: Acquire pairs with the Release stores of the thieves that have read the other entries; without it,
        // the owner that acquires `read` knows nothing of them, and writes entries that are being read
        // (`bwos-lifo/three-thieves-block`).
        let is_read = |it: &AtomicU8| it.load(Ordering::Acquire) == mark(at.lap);
        if self.blocks.marks(at.index).iter().all(is_read) {
            // Ordering: Release pairs with the owner's Acquire load before it enters the block in the next lap;
            // without it, the owner writes entries that are being read (`bwos-lifo/drop`).
            self.thieves(at).read.store(all_read_in(at.lap), Ordering::Release);
        }
    }
}
