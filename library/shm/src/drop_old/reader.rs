//! A reader's handle.

use core::fmt;
use core::marker::PhantomData;
use core::time::Duration;

use crate::bell;
use crate::cells::{self, Geometry, Side, Stuck};
use crate::error::{ClaimError, PopError};
use crate::layout::{Memory, Peer, head};
use crate::peer;
use crate::pod::{self, Pod, words_of};
use crate::sync::{Ordering, Word, fence};

/// A reader's handle.
pub struct Reader<T, M: Memory> {
    memory: M,
    geometry: Geometry,
    /// Number of the next item to read. It may be overwritten.
    next: u64,
    /// Number of items that were overwritten before this reader read them.
    lost: u64,
    _items: PhantomData<fn() -> T>,
}

impl<T: Pod, M: Memory> Reader<T, M> {
    pub(super) fn new(memory: M, geometry: Geometry) -> Result<Self, ClaimError> {
        crate::sync::prepare();
        let words = memory.words();
        let Some(end) = end(words, &geometry, 0, &mut geometry.max_steps()) else {
            return Err(ClaimError::Damaged);
        };
        let next = end.saturating_sub(geometry.slots());
        Ok(Self { memory, geometry, next, lost: 0, _items: PhantomData })
    }

    /// Reads the next item, or the oldest one that is left if producers have overwritten it.
    ///
    /// # Errors
    /// [`Empty`](PopError::Empty), [`Damaged`](PopError::Damaged), or
    /// [`Contended`](PopError::Contended) if producers overtook the reader in each attempt.
    #[inline]
    pub fn read(&mut self) -> Result<T, PopError> {
        let (geometry, words) = (&self.geometry, self.memory.words());
        // Number of items to skip besides the overwritten ones: more each time that producers
        // overtake this reader.
        let (mut more, mut steps) = (0, geometry.max_steps());
        while steps > 0 {
            steps -= 1;
            if self.next >= geometry.limit() {
                return Err(PopError::Damaged);
            }
            let slot = &words[geometry.slot(self.next)];
            // Ordering: Acquire pairs with the release of the exchange: the item is seen with it.
            let word = slot.load(Ordering::Acquire);
            let (turn, due) = (geometry.turn(word), geometry.due(Side::Producer, self.next));
            if turn == due {
                return Err(PopError::Empty);
            }
            if turn == due + 2 {
                let cell = geometry.cell_of(word).ok_or(PopError::Damaged)?;
                let item = pod::take_while_written(&words[geometry.cell(cell) + 1..][..words_of::<T>()]);
                // Ordering: Acquire pairs with the release of `Producer::push`. Without it, this
                // reader may take a part of a later item for its own.
                fence(Ordering::Acquire);
                if slot.load(Ordering::Relaxed) == word {
                    self.next += 1;
                    return Ok(item);
                }
                continue;
            }
            if turn < due {
                return Err(PopError::Damaged);
            }
            let end = end(words, geometry, geometry.behind(Side::Producer, self.next, turn), &mut steps);
            let oldest = end.ok_or(PopError::Damaged)?.saturating_sub(geometry.slots());
            if oldest <= self.next {
                return Err(PopError::Damaged);
            }
            let next = oldest + more;
            more = (2 * more + 1).min(geometry.slots() - 1);
            self.lost += next - self.next;
            self.next = next;
        }
        Err(PopError::Contended)
    }

    /// Reads items to the start of a slice. Returns their number.
    pub fn read_slice(&mut self, items: &mut [T]) -> usize {
        items.iter_mut().map_while(|item| self.read().ok().map(|read| *item = read)).count()
    }

    /// Returns how many items were overwritten before this reader read them, since it was made.
    pub fn lost(&self) -> u64 {
        self.lost
    }

    /// Returns how many items the queue keeps, at least.
    pub fn capacity(&self) -> usize {
        self.geometry.capacity()
    }

    /// Whether this reader has read all items.
    pub fn is_empty(&self) -> bool {
        let word = self.memory.words()[self.geometry.slot(self.next)].load(Ordering::Relaxed);
        self.geometry.turn(word) <= self.geometry.due(Side::Producer, self.next)
    }

    /// Sleeps while there is no item, until a producer wakes the readers, and not for longer than
    /// `timeout`.
    ///
    /// It may return earlier. Without an operating system, it polls once.
    pub fn wait(&mut self, timeout: Duration) {
        self.sleep(timeout, false);
    }

    /// Sleeps as [`wait`](Self::wait) does, and not at all while the other side has
    /// [left](Peer::Left).
    pub fn wait_unless_left(&mut self, timeout: Duration) {
        self.sleep(timeout, true);
    }

    fn sleep(&self, timeout: Duration, unless_left: bool) {
        if self.is_empty() {
            bell::wait_among_others(&self.memory.words()[head::CONSUMER_SLEEPS], timeout, || {
                !self.is_empty() || unless_left && peer::has_left(self.producers())
            });
        }
    }

    /// The words of the producers' places.
    fn producers(&self) -> impl Iterator<Item = &Word> {
        cells::words_of_places(self.memory.words(), &self.geometry, Side::Producer)
    }

    /// Returns the state of the producers, as far as it is known. In a region, whether their
    /// processes live is known to readers that `take_reader` made.
    pub fn peer(&self) -> Peer {
        peer::of(|| self.producers(), |recorded| self.memory.peer(recorded))
    }

    /// Arms the readers' events: a producer signals them at its next wake. Returns whether they are
    /// armed: `false` means that there is an item.
    ///
    /// Clear the event before this call, and read if it returns `false`.
    #[must_use = "nothing is signalled for items that are already there"]
    pub fn arm(&mut self) -> bool {
        self.is_empty() && bell::arm_among_others(&self.memory.words()[head::CONSUMERS_ARMED], || !self.is_empty())
    }

    /// Returns the memory.
    pub fn memory(&self) -> &M {
        &self.memory
    }
}

/// Finds the number behind that of the last pushed item, in at most `steps` steps. It is at least
/// `at_least`. If the steps do not suffice, it is a lesser number. `None` if the memory is damaged.
fn end(words: &[Word], geometry: &Geometry, at_least: u64, steps: &mut u64) -> Option<u64> {
    // Ordering: Acquire pairs with the release of the hint: the slots are seen as they were then,
    // or later.
    let mut end = words[cells::hint_of(Side::Producer)].load(Ordering::Acquire).max(at_least);
    match cells::find(words, geometry, Side::Producer, &mut end, steps) {
        Ok(_) | Err(Stuck::Contended) => Some(end),
        Err(Stuck::Waits | Stuck::Damaged) => None,
    }
}

impl<T, M: Memory> fmt::Debug for Reader<T, M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Reader").field("next", &self.next).field("lost", &self.lost).finish_non_exhaustive()
    }
}
