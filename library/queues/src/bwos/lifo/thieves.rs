//! The thieves' operations: find a block, claim entries of it, and seize those of the owner's
//! block.

use core::ops::Range;

use super::s_pos::SPos;
use super::slow::mark;
use crate::bwos::block::Location;
use crate::bwos::order::{Claims, Lifo};
use crate::bwos::queue::Queue;
use crate::bwos::seize::{LastLook, Seen, Seizes};
use crate::bwos::steal::{Claim, Steal};
use crate::sync::Ordering;

impl Claims for Lifo {
    #[inline(always)]
    fn claim<T>(queue: &Queue<T, Self>, most: usize) -> Steal<Claim<'_, T>> {
        // Ordering: Acquire only keeps later stores behind (load buffering): where it leads is
        // looked at by the exchange.
        let at = Location::unpacked(queue.hints.0.load(Ordering::Acquire));
        match SPos(queue.thieves(at.index).s_pos.load(Ordering::Acquire)) {
            word if word.grants(at) => queue.take(at, word, most),
            word => queue.search(at, word, most),
        }
    }

    fn granted<T>(queue: &Queue<T, Self>, block: usize) -> usize {
        // Ordering: Acquire only keeps later stores behind (load buffering): it is a guess.
        SPos(queue.thieves(block % queue.block_count()).s_pos.load(Ordering::Acquire)).len()
    }

    fn all_granted<T>(queue: &Queue<T, Self>) -> usize {
        (0..queue.block_count()).map(|block| Self::granted(queue, block)).sum()
    }

    fn seen<T>(queue: &Queue<T, Self>) -> usize {
        let (block, floor, pos) = queue.position.guess();
        // Ordering: Relaxed, a guess.
        let word = SPos(queue.thieves(block).s_pos.load(Ordering::Relaxed));
        pos.saturating_sub(word.floor(floor)) + Self::all_granted(queue)
    }
}

impl Seizes for Lifo {
    /// The block at the bottom, and its word.
    type Found = (Location, SPos);
    type Items = Range<usize>;

    /// Looks at the block at the bottom.
    fn look_last<T>(queue: &Queue<T, Self>, most: usize) -> LastLook<'_, T, (Location, SPos)> {
        // Ordering: Acquire only keeps later stores behind (load buffering): the word is looked at
        // by the exchange.
        let at = Location::unpacked(queue.hints.0.load(Ordering::Acquire));
        // Ordering: Acquire pairs with the Release in `grant`: the request of a thief that sees a
        // grant comes after the owner's answer to earlier requests; without it, that answer would
        // undo it (`bwos-lifo/seized-answered-pops`).
        let word = SPos(queue.thieves(at.index).s_pos.load(Ordering::Acquire));
        if word.grants(at) {
            return LastLook::Answer(queue.take(at, word, most));
        }
        if word.is_in(Location { lap: at.lap.wrapping_sub(1), ..at }) {
            // Thieves have claimed all up to here, and the owner has not come here yet.
            queue.requests.send();
            return LastLook::Answer(Steal::Empty);
        }
        if !word.is_in(at) || word == SPos::used_up(at.lap, queue.size()) {
            return LastLook::Answer(Steal::Retry);
        }
        LastLook::Owners((at, word))
    }

    fn word((_, word): (Location, SPos)) -> usize {
        word.0
    }

    fn seen_at_last<T>(queue: &Queue<T, Self>, found: (Location, SPos)) -> Seen<Range<usize>> {
        Self::seen_now(queue, found)
    }

    /// Returns what a thief sees of the owner in that block: its items that thieves have not
    /// seized.
    fn seen_now<T>(queue: &Queue<T, Self>, (at, word): (Location, SPos)) -> Seen<Range<usize>> {
        match queue.position.look(at) {
            Seen::Items(items) if items.end <= word.floor(items.start) => Seen::Nothing,
            Seen::Items(items) => Seen::Items(word.floor(items.start)..items.end),
            other => other,
        }
    }

    fn nothing<T>(queue: &Queue<T, Self>, (at, word): (Location, SPos)) -> Steal<Claim<'_, T>> {
        // Ordering: Relaxed. An unchanged word hands nothing on.
        let now = queue.thieves(at.index).s_pos.load(Ordering::Relaxed);
        if now == word.0 { Steal::Empty } else { Steal::Retry }
    }

    fn take_items<T>(
        queue: &Queue<T, Self>,
        (at, word): (Location, SPos),
        items: Range<usize>,
        most: usize,
    ) -> Steal<Claim<'_, T>> {
        let count = most.min(items.len());
        // All of them: until the owner is back, others claim without a fence what this thief does
        // not.
        let seized = SPos::new(at.lap, items.start + count, items.end);
        let s_pos = &queue.thieves(at.index).s_pos;
        // Ordering: Release pairs with the Acquire of thieves that claim the rest; without it, they
        // read items that are not written yet (`bwos-lifo/seized-rest`). Acquire where it fails
        // only keeps later stores behind (load buffering).
        match s_pos.compare_exchange(word.0, seized.0, Ordering::Release, Ordering::Acquire) {
            Ok(_) => Steal::Success(queue.claimed(at, items.start, count, items.len())),
            Err(_) => Steal::Retry,
        }
    }
}

impl<T> Queue<T, Lifo> {
    /// Takes up to `most` of the entries that a word grants.
    #[inline(always)]
    fn take(&self, at: Location, word: SPos, most: usize) -> Steal<Claim<'_, T>> {
        let count = word.len().min(most);
        let s_pos = &self.thieves(at.index).s_pos;
        // Ordering: Acquire pairs with the Release in `grant`; without it, the thief reads an item
        // that is not written yet (`bwos-lifo/half-thieves`). Where it fails, Acquire only keeps
        // later stores behind (load buffering).
        match s_pos.compare_exchange(word.0, word.taken(count).0, Ordering::Acquire, Ordering::Acquire) {
            Ok(_) => Steal::Success(self.claimed(at, word.next(), count, word.len())),
            Err(_) => Steal::Retry,
        }
    }

    /// Returns the claim of `count` entries from number `next` on, of `found` available ones.
    #[inline(always)]
    fn claimed(&self, at: Location, next: usize, count: usize, found: usize) -> Claim<'_, T> {
        // SAFETY: the entries are within the block.
        unsafe { self.blocks.claim(at, next..next + count, found, mark(at.lap), true) }
    }

    /// Searches on if the block at the bottom, with that word, grants nothing.
    #[inline(never)]
    fn search(&self, mut at: Location, mut word: SPos, most: usize) -> Steal<Claim<'_, T>> {
        let blocks = self.block_count();
        for _ in 0..blocks {
            let lap = |lap| Location { lap, ..at };
            let is_used_up = word == SPos::used_up(at.lap, self.size());
            if word.is_in(at) && !is_used_up || word.is_in(lap(at.lap.wrapping_sub(1))) {
                return Steal::Empty;
            }
            if !word.is_in(at) && !word.is_in(lap(at.lap.wrapping_add(1))) {
                return Steal::Retry;
            }
            // All of it is claimed, and it may be in use again.
            // Ordering: Acquire where it fails only keeps later stores behind (load buffering).
            let next = at.next(blocks);
            let moved = self.hints.0.compare_exchange(at.packed(), next.packed(), Ordering::Relaxed, Ordering::Acquire);
            at = moved.map_or_else(Location::unpacked, |_| next);
            word = SPos(self.thieves(at.index).s_pos.load(Ordering::Relaxed));
            if word.grants(at) {
                return self.take(at, word, most);
            }
        }
        Steal::Retry
    }
}
