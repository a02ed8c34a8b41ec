//! How thieves come to the items of the owner's block if the owner does nothing.

use super::super::location::Location;
use super::super::order::{Seizes, Steals, Theft};
use super::super::steal::Steal;
use super::position::Seen;
use super::queue::Queue;
use super::s_pos::SPos;
use crate::sync::{Ordering, heavy_fence};

/// The result of a thief's last look, at the block at the bottom, after it has found no item elsewhere.
enum LastLook<'q, T> {
    /// This ends the attempt.
    Answer(Steal<Theft<'q, T, Location>>),
    /// The block may be the owner's, and grants nothing.
    Owners(Location, SPos),
}

impl<T> Seizes<T> for Queue<T> {
    #[cold]
    #[inline(never)]
    fn reach(&self, most: usize) -> Steal<Theft<'_, T, Location>> {
        let (at, word) = match self.at_bottom(most) {
            LastLook::Answer(answer) => return answer,
            LastLook::Owners(at, word) => (at, word),
        };
        match self.owners(at, word) {
            Seen::Items { .. } if self.unanswered.is_enough(word.0) => self.seize_at(at, word, most),
            Seen::Nothing => {
                self.requests.send();
                self.nothing(at, word)
            }
            Seen::Busy | Seen::Items { .. } => {
                self.requests.send();
                Steal::Retry
            }
        }
    }

    #[cold]
    #[inline(never)]
    fn seize(&self, most: usize) -> Steal<Theft<'_, T, Location>> {
        match self.at_bottom(most) {
            LastLook::Answer(answer) => answer,
            LastLook::Owners(at, word) => self.seize_at(at, word, most),
        }
    }

    fn seen(&self) -> usize {
        let (index, floor, pos) = self.position.guess();
        // Ordering: Relaxed, a guess.
        let word = SPos(self.thieves(Location { lap: 0, index }).s_pos.load(Ordering::Relaxed));
        pos.saturating_sub(word.floor(floor)) + self.all_granted()
    }

    fn all_granted(&self) -> usize {
        (0..self.blocks()).map(|block| self.granted(block)).sum()
    }
}

impl<T> Queue<T> {
    /// Looks at the block at the bottom.
    fn at_bottom(&self, most: usize) -> LastLook<'_, T> {
        // Ordering: Acquire only keeps later stores behind (load buffering): the word is looked at by the exchange.
        let at = Location::unpacked(self.bottom.load(Ordering::Acquire));
        // Ordering: Acquire pairs with the Release in `grant`: the request of a thief that sees a grant comes after the
        // owner's answer to earlier requests; without it, that answer would undo it (`bwos-lifo/seized-answered-pops`).
        let word = SPos(self.thieves(at).s_pos.load(Ordering::Acquire));
        if word.grants(at) {
            return LastLook::Answer(self.take(at, word, most));
        }
        if word.is_in(Location { lap: at.lap.wrapping_sub(1), ..at }) {
            // Thieves have claimed all up to here, and the owner has not come here yet.
            self.requests.send();
            return LastLook::Answer(Steal::Empty);
        }
        if !word.is_in(at) || word == SPos::used_up(at.lap, self.size()) {
            return LastLook::Answer(Steal::Retry);
        }
        LastLook::Owners(at, word)
    }

    /// Returns what a thief sees of the owner in that block: its items that thieves have not seized.
    fn owners(&self, at: Location, word: SPos) -> Seen {
        match self.position.look(at) {
            Seen::Items { floor, pos } if pos <= word.floor(floor) => Seen::Nothing,
            Seen::Items { floor, pos } => Seen::Items { floor: word.floor(floor), pos },
            other => other,
        }
    }

    /// Returns what a thief says that has seen no items of the owner's in that block.
    fn nothing(&self, at: Location, word: SPos) -> Steal<Theft<'_, T, Location>> {
        // Ordering: Relaxed. That there is nothing is nothing to go by.
        let now = self.thieves(at).s_pos.load(Ordering::Relaxed);
        if now == word.0 { Steal::Empty } else { Steal::Retry }
    }

    /// Seizes the items of the owner's block, whose word it was before the request.
    fn seize_at(&self, at: Location, word: SPos, most: usize) -> Steal<Theft<'_, T, Location>> {
        self.requests.send();
        // Ordering: this fence pairs with the light ones in `position.rs`: the owner's next pop sees the request, or this
        // thief sees the pop; without it, an item comes twice (`bwos-lifo/seized-pop`).
        heavy_fence(Ordering::SeqCst);
        let (floor, pos) = match self.owners(at, word) {
            Seen::Items { floor, pos } => (floor, pos),
            Seen::Nothing => return self.nothing(at, word),
            Seen::Busy => return Steal::Retry,
        };
        let count = most.min(pos - floor);
        // All of them: until the owner is back, others claim without a fence what this thief does not.
        let seized = SPos::new(at.lap, floor + count, pos);
        let s_pos = &self.thieves(at).s_pos;
        // Ordering: Release pairs with the Acquire of thieves that claim the rest; without it, they read items that
        // are not written yet (`bwos-lifo/seized-rest`). Acquire where it fails only keeps later stores behind (load
        // buffering).
        match s_pos.compare_exchange(word.0, seized.0, Ordering::Release, Ordering::Acquire) {
            Ok(_) => Steal::Success(self.theft(at, floor, count, pos - floor)),
            Err(_) => Steal::Retry,
        }
    }
}
