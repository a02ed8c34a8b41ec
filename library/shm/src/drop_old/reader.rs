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
    /// The number of the next item.
    next: u64,
    /// How many items it has passed over.
    lost: u64,
    _items: PhantomData<fn() -> T>,
}

impl<T: Pod, M: Memory> Reader<T, M> {
    pub(super) fn new(memory: M, geometry: Geometry) -> Result<Self, ClaimError> {
        crate::sync::prepare();
        let words = memory.words();
        let Some(end) = end(words, &geometry, 0, &mut geometry.patience()) else {
            return Err(ClaimError::Damaged);
        };
        let next = end.saturating_sub(geometry.slots());
        Ok(Self { memory, geometry, next, lost: 0, _items: PhantomData })
    }

    /// Reads the next item, or the oldest one that is left if producers have overwritten it.
    ///
    /// # Errors
    /// [`PopError`] says why there is none: [`Empty`](PopError::Empty), [`Damaged`](PopError::Damaged), or
    /// [`Contended`](PopError::Contended) if producers were faster each time.
    #[inline]
    pub fn read(&mut self) -> Result<T, PopError> {
        let (geometry, words) = (&self.geometry, self.memory.words());
        // How many items it passes over besides those that are gone: more each time that producers overtake it.
        let (mut more, mut steps) = (0, geometry.patience());
        while steps > 0 {
            steps -= 1;
            if self.next >= geometry.limit() {
                return Err(PopError::Damaged);
            }
            let slot = &words[geometry.slot(self.next)];
            // Ordering: Acquire pairs with the release of the exchange: the item comes with it.
            let word = slot.load(Ordering::Acquire);
            let (turn, due) = (geometry.turn(word), geometry.due(Side::Producer, self.next));
            if turn == due {
                return Err(PopError::Empty);
            }
            if turn == due + 2 {
                let cell = geometry.cell_of(word).ok_or(PopError::Damaged)?;
                let item = pod::take_while_written(&words[geometry.cell(cell) + 1..][..words_of::<T>()]);
                // Ordering: Acquire pairs with the release of `Producer::push`. Without it, this reader believes that
                // nobody has written the cell.
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

    /// Returns how many items were overwritten before this reader came to them, since it was made.
    pub fn lost(&self) -> u64 {
        self.lost
    }

    /// Returns how many items the queue keeps, at least.
    pub fn capacity(&self) -> usize {
        self.geometry.capacity()
    }

    /// Whether there is no item that this reader has not come to.
    pub fn is_empty(&self) -> bool {
        let word = self.memory.words()[self.geometry.slot(self.next)].load(Ordering::Relaxed);
        self.geometry.turn(word) <= self.geometry.due(Side::Producer, self.next)
    }

    /// Sleeps while there is no item, until a producer wakes the readers, and not for longer than `timeout`.
    ///
    /// It may return earlier. Without an operating system, it polls once.
    pub fn wait(&mut self, timeout: Duration) {
        self.sleep(timeout, false);
    }

    /// Sleeps as [`wait`](Self::wait) does, and not at all while the other side has [left](Peer::Left).
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

    /// Returns what is known about the producers. A reader in a region knows whether they live if `take_reader` made
    /// it.
    pub fn peer(&self) -> Peer {
        peer::of(|| self.producers(), |said| self.memory.peer(said))
    }

    /// Asks the producers to signal the readers' events when one of them wakes the readers the next time. Returns
    /// whether one will: `false` means that there is an item.
    ///
    /// Take the last signal before this, and read if it returns `false`.
    #[must_use = "nothing is signalled for what is already there"]
    pub fn arm(&mut self) -> bool {
        self.is_empty() && bell::arm_among_others(&self.memory.words()[head::CONSUMERS_ARMED], || !self.is_empty())
    }

    /// Returns the memory.
    pub fn memory(&self) -> &M {
        &self.memory
    }
}

/// Finds the number behind that of the last item that was pushed, which is `at_least` at least, in at most `steps`
/// steps. With producers that are faster, it finds a lesser one. `None` if the memory is damaged.
fn end(words: &[Word], geometry: &Geometry, at_least: u64, steps: &mut u64) -> Option<u64> {
    // Ordering: Acquire pairs with the release of the hint: the slots are seen as they were then, or later.
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
