//! How thieves come to the items of the owner's blocks if the owner does nothing.
//!
//! The word of a seized block names the next entry, which is one of the owner's: its oldest item
//! that is left. They end where the owner has published that its items end; if that is the end of
//! what is written, the word has it, as it was when the block was seized. So if the owner has lent
//! the later part of the block, and thieves have taken all of that, the word keeps where it ended.

use super::super::place::Place;
use super::super::steal::{Claim, Steal};
use super::shared::Shared;
use super::theft::Theft;
use super::word::{Says, Seized, Word};
use crate::sync::{AtomicUsize, Ordering, heavy_fence};

/// What a thief finds in the block at the front, after nothing else.
enum Found<'q, T> {
    /// This ends the attempt.
    Answer(Steal<Theft<'q, T>>),
    /// The block grants nothing.
    Owners(usize, Word),
}

impl<T> Shared<T> {
    /// Steals up to `most` items for a thief that has found nothing else.
    ///
    /// Asks the owner first, and seizes the items of its block if it does not answer.
    #[cold]
    #[inline(never)]
    pub(super) fn reach(&self, most: usize) -> Steal<Theft<'_, T>> {
        let (front, word) = match self.at_ends(most) {
            Found::Answer(answer) => return answer,
            Found::Owners(front, word) => (front, word),
        };
        match self.owners(front, word) {
            Some((_, 1.., _)) if self.noticed.is_enough(word.0) => self.seize_at(front, word, most),
            Some((_, 0, _)) => {
                self.hunger.ask();
                self.nothing(front, word)
            }
            Some(_) | None => {
                self.hunger.ask();
                Steal::Retry
            }
        }
    }

    /// Seizes the items of the owner's block, and claims up to `most` of them.
    #[cold]
    #[inline(never)]
    pub(super) fn seize(&self, most: usize) -> Steal<Theft<'_, T>> {
        match self.at_ends(most) {
            Found::Answer(answer) => answer,
            Found::Owners(front, word) => self.seize_at(front, word, most),
        }
    }

    /// Looks at the blocks at the back and at the front.
    fn at_ends(&self, most: usize) -> Found<'_, T> {
        let at = self.stand.place();
        for block in [at.back(), at.front()] {
            if let found @ (_, 1.., _) = self.look_at_written(block) {
                return Found::Answer(self.take(block, found, most));
            }
        }
        let front = at.front();
        // Ordering: Acquire pairs with the Release in `grant` and `seize_at`: the request of a thief that sees a grant
        // comes after the owner's answer to requests before it; without it, that answer undoes the request
        // (`bwos-fifo/seized-answered`).
        let word = Word(self.s_pos(front).load(Ordering::Acquire));
        if let Says::Seized(Seized { next, written, .. }) = word.says() {
            // As long as the word stays, so do the owner's places.
            let end = self.stand.place().end(written);
            return Found::Answer(if next < end {
                self.take_seized(front, word, next, end, most)
            } else {
                self.nothing(front, word)
            });
        }
        Found::Owners(front, word)
    }

    /// Returns the owner's position in its block at the front, the number of its items there, and
    /// the end of the written entries; `None` if it is busy, or elsewhere.
    fn owners(&self, front: usize, word: Word) -> Option<(usize, usize, usize)> {
        let f_pos = self.stand.look()?;
        let at = self.stand.place();
        let written = self.stand.written();
        let all = if at.back() == front { written } else { self.size() };
        // Of a block that is lent, thieves take what they can before they seize.
        let is_left = matches!(word.says(), Says::Open(next) if next != all);
        if at.front() != front || is_left { None } else { Some((f_pos, at.end(all).saturating_sub(f_pos), all)) }
    }

    /// Returns what a thief says that has seen no items of the owner's in that block.
    fn nothing(&self, front: usize, word: Word) -> Steal<Theft<'_, T>> {
        // Ordering: Relaxed. That there is nothing is nothing to go by.
        let now = self.s_pos(front).load(Ordering::Relaxed);
        if now == word.0 { Steal::Empty } else { Steal::Retry }
    }

    /// Seizes the items of the owner's block, whose word it was before the request.
    fn seize_at(&self, front: usize, word: Word, most: usize) -> Steal<Theft<'_, T>> {
        self.hunger.ask();
        // Ordering: this fence pairs with the light ones in `stand.rs`: the owner's next pop sees the request, or this
        // thief sees the pop; without it, an item comes twice (`bwos-fifo/seized-pop`).
        heavy_fence(Ordering::SeqCst);
        let (f_pos, found, all) = match self.owners(front, word) {
            None => return Steal::Retry,
            Some((_, 0, _)) => return self.nothing(front, word),
            Some(owners) => owners,
        };
        let count = found.min(most);
        self.take_owners(front, word, word.seized(f_pos, f_pos + count, all), (f_pos, count, found))
    }

    /// Takes up to `most` of the entries `next..end` of a seized block.
    fn take_seized(&self, front: usize, word: Word, next: usize, end: usize, most: usize) -> Steal<Theft<'_, T>> {
        let count = most.min(end - next);
        self.take_owners(front, word, word.taken(count), (next, count, end - next))
    }

    /// Takes `count` of the `found` entries from `next` on, which were the owner's.
    fn take_owners(
        &self,
        front: usize,
        word: Word,
        to: Word,
        (next, count, found): (usize, usize, usize),
    ) -> Steal<Theft<'_, T>> {
        let written = self.written(front);
        // Ordering: Release pairs with the Acquire of thieves that take what is left; without it, they read items that
        // are not written yet (`bwos-fifo/seized-rest`). Relaxed failure: nothing is read.
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

    /// Returns how many items there seem to be, the owner's included.
    pub(super) fn seen(&self) -> usize {
        let at = self.stand.place();
        // Ordering: Relaxed, a guess.
        let front = Word(self.s_pos(at.front()).load(Ordering::Relaxed));
        let written = self.stand.written();
        let all = if at.back() == at.front() { written } else { self.size() };
        let own = match (front.says(), self.stand.look()) {
            (Says::Seized(Seized { next, written, .. }), _) => at.end(written).saturating_sub(next),
            (_, Some(f_pos)) => at.end(all).saturating_sub(f_pos),
            (_, None) => 0,
        };
        let back = match self.look(at.back()).0.says() {
            Says::Open(next) => written.saturating_sub(next),
            Says::Closed | Says::Seized(_) => 0,
        };
        let others = (0..self.blocks()).filter(|&block| block != at.back());
        own + back + others.map(|block| self.granted(block)).sum::<usize>()
    }

    /// Returns the word of a block's thieves.
    fn s_pos(&self, block: usize) -> &AtomicUsize {
        &self.blocks.head(Place { round: 0, index: block }).thieves.s_pos
    }
}
