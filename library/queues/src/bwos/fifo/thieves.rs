//! The thieves' operations: find a block, claim entries of it, and seize those of the owner's
//! block.
//!
//! The [design page](crate::bwos::design#seizing) describes which entries of a seized block they
//! take.

use core::ops::Range;

use super::position::{OwnerBlocks, View};
use super::words::{Access, Announcement, Published, SPos, Seized};
use crate::bwos::block::Location;
use crate::bwos::order::{Claims, Fifo};
use crate::bwos::queue::Queue;
use crate::bwos::seize::{LastLook, Seen, Seizes};
use crate::bwos::steal::{Claim, Steal};
use crate::bwos::stealer::Stealer;
use crate::sync::Ordering;

/// The result of a thief's look at a block: its word, the number of available entries, and its
/// `b_pos` word.
type Look = (SPos, usize, Published);

/// The state that a thief reads before it looks for items: the owner's position, and the word of
/// its block at the front.
#[derive(Clone, Copy)]
pub struct Found {
    view: View,
    word: SPos,
}

impl<T> Stealer<T, Fifo> {
    /// Steals an item of one block, without a steal request if there is none.
    ///
    /// The block is `block` modulo their number. With a block chosen at random this is the
    /// randomised stealing of J. Wang's thesis (TU Dresden, 2024, section 4.3.4): its chance of
    /// success grows with how full the queue is.
    pub fn steal_of(&self, block: usize) -> Steal<T> {
        self.sampled(block)
    }
}

impl Claims for Fifo {
    /// Thieves steal from the block that they stole from last, as long as it has entries; then from
    /// the newest one that has. The farther they are from the front, the later the owner arrives
    /// there, and the fewer lines thieves and owner take from each other.
    #[inline(always)]
    fn claim<T>(queue: &Queue<T, Self>, most: usize) -> Steal<Claim<'_, T>> {
        // Ordering: Acquire pairs with the Release in `announce`: the thief finds the announced
        // entries.
        let announcement = Announcement(queue.hints.announcement.load(Ordering::Acquire));
        if announcement.is_nothing() {
            return Steal::Empty;
        }
        // Ordering: Acquire only keeps later stores behind (load buffering): it is a hint.
        let first = queue.hints.first.load(Ordering::Acquire);
        if let found @ (_, 1.., _) = queue.look(first) {
            return queue.take(first, found, most);
        }
        queue.search(announcement, first, most)
    }

    fn claim_sampled<T>(queue: &Queue<T, Self>, block: usize, most: usize) -> Steal<Claim<'_, T>> {
        // Ordering: Relaxed. The absence of an announcement hands nothing on.
        if Announcement(queue.hints.announcement.load(Ordering::Relaxed)).is_nothing() {
            return Steal::Empty;
        }
        let block = block % queue.block_count();
        match queue.look(block) {
            (_, 0, _) => Steal::Empty,
            found => queue.take(block, found, most),
        }
    }

    /// The entries may also be of the block at the back, or of one that another thief has seized.
    fn claim_left<T>(queue: &Queue<T, Self>, most: usize) -> Steal<Claim<'_, T>> {
        match Self::claim(queue, most) {
            Steal::Empty => match Self::look_last(queue, most) {
                LastLook::Answer(answer) => answer,
                LastLook::Owners(_) => Steal::Empty,
            },
            other => other,
        }
    }

    fn granted<T>(queue: &Queue<T, Self>, block: usize) -> usize {
        queue.look(block % queue.block_count()).1
    }

    fn all_granted<T>(queue: &Queue<T, Self>) -> usize {
        let [_, seized, granted] = queue.counted();
        seized + granted
    }

    fn seen<T>(queue: &Queue<T, Self>) -> usize {
        let [own, _, granted] = queue.counted();
        own + granted
    }
}

impl Seizes for Fifo {
    type Found = Found;
    /// The owner's items in the block at the front, and the end of the written entries.
    type Items = (Range<usize>, usize);

    /// Looks at the blocks at the back and at the front.
    fn look_last<T>(queue: &Queue<T, Self>, most: usize) -> LastLook<'_, T, Found> {
        let view = queue.position.view();
        let (back, front) = (view.at.back(), view.at.front());
        // Ordering: Acquire only keeps later stores behind (load buffering). The look at this block
        // acquires this word, or a later one.
        let word = SPos(queue.thieves(front).s_pos.load(Ordering::Acquire));
        if queue.is_announced() {
            // The owner has gone on since the thief looked at the other blocks.
            return LastLook::Answer(Steal::Retry);
        }
        for block in [back, front] {
            if let found @ (_, 1.., _) = queue.look_at_written(block) {
                return LastLook::Answer(queue.take(block, found, most));
            }
        }
        let found = Found { view, word };
        match word.access() {
            Access::Seized(seized) => LastLook::Answer(queue.take_seized(found, seized, most)),
            Access::Open(_) | Access::Closed => LastLook::Owners(found),
        }
    }

    fn word(found: Found) -> usize {
        found.word.0
    }

    fn seen_at_last<T>(queue: &Queue<T, Self>, found: Found) -> Seen<(Range<usize>, usize)> {
        queue.owners(found.view, found)
    }

    fn seen_now<T>(queue: &Queue<T, Self>, found: Found) -> Seen<(Range<usize>, usize)> {
        queue.owners(queue.position.view(), found)
    }

    fn nothing<T>(queue: &Queue<T, Self>, Found { view, word }: Found) -> Steal<Claim<'_, T>> {
        // Ordering: Relaxed. Its number tells laps apart.
        let is_here = view.f_pos().is_some() && queue.position.view() == view;
        let now = queue.thieves(view.at.front()).s_pos.load(Ordering::Relaxed);
        if is_here && now == word.0 { Steal::Empty } else { Steal::Retry }
    }

    fn take_items<T>(
        queue: &Queue<T, Self>,
        found: Found,
        (items, all): (Range<usize>, usize),
        most: usize,
    ) -> Steal<Claim<'_, T>> {
        let count = items.len().min(most);
        let seized = found.word.seized(items.start, items.start + count, all);
        queue.take_owners(found, seized, items, count)
    }
}

impl<T> Queue<T, Fifo> {
    /// Reads a block that the owner has opened to thieves.
    #[inline(always)]
    fn look(&self, block: usize) -> Look {
        // Ordering: Acquire pairs with the Release in `grant`: a seizing thief's request follows
        // the owner's answer to earlier ones, and later reads of `b_pos` are not of the lap before.
        // Without it, a thief reads an item that is not written (`bwos-fifo/seized-advance`).
        let word = SPos(self.thieves(block).s_pos.load(Ordering::Acquire));
        let Access::Open(next) = word.access() else { return (word, 0, Published::FIRST) };
        let written = self.written(block);
        (word, written.b_pos().saturating_sub(next), written)
    }

    /// Reads a block that the owner has opened to thieves, and may be pushing to.
    fn look_at_written(&self, block: usize) -> Look {
        let (word, found, written) = self.look(block);
        match word.access() {
            // If the owner has gone on, the block is full, or of a lap that is over: then the
            // exchange fails.
            Access::Open(next) if found == 0 => (word, self.position.written().saturating_sub(next), written),
            _ => (word, found, written),
        }
    }

    /// Returns a block's `b_pos` word.
    #[inline(always)]
    fn written(&self, block: usize) -> Published {
        // Ordering: Acquire pairs with the Release in `publish`: the items are written. Another
        // thief may have seen a newer value.
        Published(self.blocks.head(block).owner.b_pos.load(Ordering::Acquire))
    }

    /// Takes up to `most` of the `found` entries that a look has found.
    #[inline(always)]
    fn take(&self, block: usize, (word, found, written): Look, most: usize) -> Steal<Claim<'_, T>> {
        let Access::Open(next) = word.access() else { return Steal::Retry };
        let count = found.min(most);
        let s_pos = &self.thieves(block).s_pos;
        // Ordering: Relaxed. The look has acquired the entries; the value does not come back in
        // between, because the owner numbers its words. Acquire where it fails only keeps later
        // stores behind (load buffering).
        match s_pos.compare_exchange(word.0, word.taken(count).0, Ordering::Relaxed, Ordering::Acquire) {
            Ok(_) => Steal::Success(self.claimed(block, next, [count, found], written, true)),
            Err(_) => Steal::Retry,
        }
    }

    /// Returns the claim of `count` entries from number `next` on, of `found` available ones, of a
    /// block with that `b_pos` word.
    #[inline(always)]
    fn claimed(
        &self,
        block: usize,
        next: usize,
        [count, found]: [usize; 2],
        written: Published,
        reports: bool,
    ) -> Claim<'_, T> {
        let at = Location { lap: written.lap(), index: block };
        // SAFETY: the entries are within the block.
        unsafe { self.blocks.claim(at, next..next + count, found, written.mark(), reports) }
    }

    /// Whether the owner has announced something that no thief has found taken.
    fn is_announced(&self) -> bool {
        // Ordering: Acquire only keeps later stores behind (load buffering). The thief that sees
        // where the owner has gone on to sees what it has announced before.
        !Announcement(self.hints.announcement.load(Ordering::Acquire)).is_nothing()
    }

    /// Searches on if the block that was looked at first has nothing.
    #[inline(never)]
    fn search(&self, announcement: Announcement, first: usize, most: usize) -> Steal<Claim<'_, T>> {
        let newest = announcement.newest();
        let others = (0..=newest).rev().chain((newest + 1..self.block_count()).rev()).filter(|&block| block != first);
        for block in others {
            if let found @ (_, 1.., _) = self.look(block) {
                // Ordering: Relaxed, it is a hint.
                self.hints.first.store(block, Ordering::Relaxed);
                return self.take(block, found, most);
            }
        }
        let (seen, withdrawn) = (announcement.0, announcement.withdrawn().0);
        // Ordering: Relaxed, no thread acts on this value. Acquire where it fails only keeps later
        // stores behind (load buffering).
        _ = self.hints.announcement.compare_exchange(seen, withdrawn, Ordering::Relaxed, Ordering::Acquire);
        Steal::Empty
    }

    /// Returns what a thief sees of the owner in its block at the front.
    fn owners(&self, view: View, Found { view: before, word }: Found) -> Seen<(Range<usize>, usize)> {
        let Some(f_pos) = view.f_pos() else { return Seen::Busy };
        let all = self.all_written(view.at);
        // Of a block that is lent, thieves take what they can before they seize.
        let is_left = matches!(word.access(), Access::Open(next) if next != all);
        if view.at.front() != before.at.front() || is_left {
            return Seen::Busy;
        }
        let end = view.at.end().unwrap_or(all);
        if end <= f_pos { Seen::Nothing } else { Seen::Items((f_pos..end, all)) }
    }

    /// Returns the end of the written entries in the block at the front of an owner that is there.
    fn all_written(&self, at: OwnerBlocks) -> usize {
        if at.back() == at.front() { self.position.written() } else { self.size() }
    }

    /// Takes up to `most` of the entries of a seized block.
    fn take_seized(&self, found: Found, Seized { next, written, .. }: Seized, most: usize) -> Steal<Claim<'_, T>> {
        // As long as the word stays, so do the owner's blocks, and the written entries are in that
        // block.
        let at = self.position.blocks();
        let all = self.all_written(at);
        let (from, end, is_lent) = match at.end() {
            None => (next, all, false),
            Some(end) if next < end => (next, end, false),
            Some(_) => (written, all, true),
        };
        if from >= end {
            return Fifo::nothing(self, found);
        }
        let count = most.min(end - from);
        let to = if is_lent { found.word.taken_of_lent(count) } else { found.word.taken(count) };
        self.take_owners(found, to, from..end, count)
    }

    /// Takes the first `count` of these entries, which were the owner's.
    fn take_owners(
        &self,
        Found { view, word }: Found,
        to: SPos,
        items: Range<usize>,
        count: usize,
    ) -> Steal<Claim<'_, T>> {
        let front = view.at.front();
        let written = self.written(front);
        // Ordering: Release pairs with the Acquire of thieves that take the rest; without it, they
        // do not see where this thief has seen the owner's items end
        // (`bwos-fifo/seized-answered-rest`). Relaxed failure: nothing is read.
        match self.thieves(front).s_pos.compare_exchange(word.0, to.0, Ordering::Release, Ordering::Relaxed) {
            // The owner reads the marks of a block that was seized.
            Ok(_) => Steal::Success(self.claimed(front, items.start, [count, items.len()], written, false)),
            Err(_) => Steal::Retry,
        }
    }

    /// Returns how many items there seem to be: the owner's, those of them that thieves have
    /// seized, and those that the owner has given.
    fn counted(&self) -> [usize; 3] {
        let view = self.position.view();
        let at = view.at;
        // Ordering: Relaxed, a guess.
        let front = SPos(self.thieves(at.front()).s_pos.load(Ordering::Relaxed));
        let (written, all) = (self.position.written(), self.all_written(at));
        let end = at.end().unwrap_or(all);
        let own = match (front.access(), view.f_pos()) {
            (Access::Seized(Seized { next, written, .. }), _) => {
                end.saturating_sub(next) + at.end().map_or(0, |_| all.saturating_sub(written))
            }
            (_, Some(f_pos)) => end.saturating_sub(f_pos),
            (_, None) => 0,
        };
        let back = match self.look(at.back()).0.access() {
            Access::Open(next) => written.saturating_sub(next),
            Access::Closed | Access::Seized(_) => 0,
        };
        let others = (0..self.block_count()).filter(|&block| block != at.back());
        let seized = if matches!(front.access(), Access::Seized(_)) { own } else { 0 };
        [own, seized, back + others.map(|block| Fifo::granted(self, block)).sum::<usize>()]
    }
}
