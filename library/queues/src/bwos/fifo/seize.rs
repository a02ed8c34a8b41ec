//! How thieves come to the items of the owner's blocks if the owner does nothing.
//!
//! The word of a seized block names the next entry, which is one of the owner's: its oldest item
//! that is left. They end where the owner has published that its items end, or at the end of what it
//! has published as written. If the owner has lent the later part of the block, thieves have taken
//! all of that before they seize, and the word keeps where it ended: items pushed there later can
//! be taken after the owner's items.
//!
//! An owner that sees the request late still pushes. While the word stays, the owner has not been on
//! its slow path, so the entries that it has published as written are in the block, and thieves may
//! take them: its next pop is on the slow path.

use super::super::location::Location;
use super::super::order::{Seizes, Steals, Theft};
use super::super::steal::{Claim, Steal};
use super::position::{OwnerBlocks, View};
use super::published::Published;
use super::queue::Queue;
use super::s_pos::{Access, SPos, Seized};
use crate::sync::{AtomicUsize, Ordering, heavy_fence};

/// The result of a thief's last look, at the block at the front, after it has found no item elsewhere.
enum LastLook<'q, T> {
    /// This ends the attempt.
    Answer(Steal<Theft<'q, T, (usize, Published)>>),
    /// The block grants nothing.
    Owners(Front),
}

/// What a thief has read before it looks for items: where the owner stands, and the word of its block
/// at the front.
#[derive(Clone, Copy)]
struct Front {
    view: View,
    word: SPos,
}

impl<T> Seizes<T> for Queue<T> {
    #[cold]
    #[inline(never)]
    fn reach(&self, most: usize) -> Steal<Theft<'_, T, (usize, Published)>> {
        let front = match self.at_ends(most) {
            LastLook::Answer(answer) => return answer,
            LastLook::Owners(front) => front,
        };
        match self.owners(front.view, front) {
            Some((_, 1.., _)) if self.unanswered.is_enough(front.word.0) => self.seize_at(front, most),
            Some((_, 0, _)) => {
                self.requests.send();
                self.nothing(front)
            }
            Some(_) | None => {
                self.requests.send();
                Steal::Retry
            }
        }
    }

    #[cold]
    #[inline(never)]
    fn seize(&self, most: usize) -> Steal<Theft<'_, T, (usize, Published)>> {
        match self.at_ends(most) {
            LastLook::Answer(answer) => answer,
            LastLook::Owners(front) => self.seize_at(front, most),
        }
    }

    /// Claims up to `most` entries that need not be seized: of another block, of the block at the
    /// back, or of one that another thief has seized.
    fn claim_left(&self, most: usize) -> Steal<Theft<'_, T, (usize, Published)>> {
        match self.claim(most) {
            Steal::Empty => match self.at_ends(most) {
                LastLook::Answer(answer) => answer,
                LastLook::Owners(_) => Steal::Empty,
            },
            other => other,
        }
    }

    fn seen(&self) -> usize {
        let [own, _, granted] = self.counted();
        own + granted
    }

    fn all_granted(&self) -> usize {
        let [_, seized, granted] = self.counted();
        seized + granted
    }
}

impl<T> Queue<T> {
    /// Looks at the blocks at the back and at the front.
    fn at_ends(&self, most: usize) -> LastLook<'_, T> {
        let view = self.position.view();
        let (back, front) = (view.at.back(), view.at.front());
        // Ordering: Acquire only keeps later stores behind (load buffering). The look at this block acquires this word,
        // or a later one.
        let word = SPos(self.s_pos(front).load(Ordering::Acquire));
        if self.is_announced() {
            // The owner has gone on since the thief looked at the other blocks.
            return LastLook::Answer(Steal::Retry);
        }
        for block in [back, front] {
            if let found @ (_, 1.., _) = self.look_at_written(block) {
                return LastLook::Answer(self.take(block, found, most));
            }
        }
        let found = Front { view, word };
        match word.access() {
            Access::Seized(seized) => LastLook::Answer(self.take_seized(found, seized, most)),
            Access::Open(_) | Access::Closed => LastLook::Owners(found),
        }
    }

    /// Returns the owner's position in its block at the front, the number of its items there, and
    /// the end of the written entries; `None` if it is busy, or elsewhere.
    fn owners(&self, view: View, Front { view: before, word }: Front) -> Option<(usize, usize, usize)> {
        let f_pos = view.f_pos()?;
        let front = before.at.front();
        let all = self.all_written(view.at);
        // Of a block that is lent, thieves take what they can before they seize.
        let is_left = matches!(word.access(), Access::Open(next) if next != all);
        if view.at.front() != front || is_left {
            return None;
        }
        Some((f_pos, view.at.end().unwrap_or(all).saturating_sub(f_pos), all))
    }

    /// Returns the end of the written entries in the block at the front of an owner that is there.
    fn all_written(&self, at: OwnerBlocks) -> usize {
        if at.back() == at.front() { self.position.written() } else { self.size() }
    }

    /// Returns what a thief says that has seen no items of the owner's in the blocks at its ends.
    fn nothing(&self, Front { view, word }: Front) -> Steal<Theft<'_, T, (usize, Published)>> {
        // Ordering: Relaxed. Its number tells laps apart.
        let is_here = view.f_pos().is_some() && self.position.view() == view;
        let now = self.s_pos(view.at.front()).load(Ordering::Relaxed);
        if is_here && now == word.0 { Steal::Empty } else { Steal::Retry }
    }

    /// Seizes the items of the owner's block, whose word it was before the request.
    fn seize_at(&self, front: Front, most: usize) -> Steal<Theft<'_, T, (usize, Published)>> {
        self.requests.send();
        // Ordering: this fence pairs with the light ones in `position.rs`: the owner's next pop sees the request, or this
        // thief sees the pop; without it, an item comes twice (`bwos-fifo/seized-pop`).
        heavy_fence(Ordering::SeqCst);
        let (f_pos, found, all) = match self.owners(self.position.view(), front) {
            None => return Steal::Retry,
            Some((_, 0, _)) => return self.nothing(front),
            Some(owners) => owners,
        };
        let count = found.min(most);
        self.take_owners(front, front.word.seized(f_pos, f_pos + count, all), (f_pos, count, found))
    }

    /// Takes up to `most` of the entries of a seized block.
    fn take_seized(
        &self,
        front: Front,
        Seized { next, written, .. }: Seized,
        most: usize,
    ) -> Steal<Theft<'_, T, (usize, Published)>> {
        // As long as the word stays, so do the owner's slow, and the written entries are in that block.
        let at = self.position.blocks();
        let all = self.all_written(at);
        let (from, end, is_lent) = match at.end() {
            None => (next, all, false),
            Some(end) if next < end => (next, end, false),
            Some(_) => (written, all, true),
        };
        if from >= end {
            return self.nothing(front);
        }
        let count = most.min(end - from);
        let to = if is_lent { front.word.taken_of_lent(count) } else { front.word.taken(count) };
        self.take_owners(front, to, (from, count, end - from))
    }

    /// Takes `count` of the `found` entries from `next` on, which were the owner's.
    fn take_owners(
        &self,
        Front { view, word }: Front,
        to: SPos,
        (next, count, found): (usize, usize, usize),
    ) -> Steal<Theft<'_, T, (usize, Published)>> {
        let front = view.at.front();
        let written = self.written(front);
        // Ordering: Release pairs with the Acquire of thieves that take the rest; without it, they do not see where
        // this thief has seen the owner's items end (`bwos-fifo/seized-answered-rest`). Relaxed failure: nothing is
        // read.
        match self.s_pos(front).compare_exchange(word.0, to.0, Ordering::Release, Ordering::Relaxed) {
            Ok(_) => {
                // SAFETY: the entries are within the block.
                let claim: Claim<'_, T> = unsafe { self.blocks.claim(front, next, count, found, written.mark()) };
                // The owner reads the marks of a block that was seized.
                Steal::Success((claim, None))
            }
            Err(_) => Steal::Retry,
        }
    }

    /// Returns how many items there seem to be: the owner's, those of them that thieves have seized,
    /// and those that the owner has given.
    fn counted(&self) -> [usize; 3] {
        let view = self.position.view();
        let at = view.at;
        // Ordering: Relaxed, a guess.
        let front = SPos(self.s_pos(at.front()).load(Ordering::Relaxed));
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
        let others = (0..self.blocks()).filter(|&block| block != at.back());
        let seized = if matches!(front.access(), Access::Seized(_)) { own } else { 0 };
        [own, seized, back + others.map(|block| self.granted(block)).sum::<usize>()]
    }

    /// Returns the word of a block's thieves.
    fn s_pos(&self, block: usize) -> &AtomicUsize {
        &self.blocks.head(Location { lap: 0, index: block }).thieves.s_pos
    }
}
