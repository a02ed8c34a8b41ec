//! The producers' side: a producer's state, and how it allocates, commits and advances.
//!
//! | side | state | allocates | advances |
//! | --- | --- | --- | --- |
//! | [`Single`](super::Single) | `single::State` | the next entries: they are its own | to a block that is free |
//! | [`Multi`](super::Multi) | `many::State` | by compare-exchange | and opens the block, if it is first |
//! | `Skipped` | `many::State` | as `Multi`; an entry can become a dummy | as `Multi` |
//!
//! Producers observe consumers through the blocks only: [`Reuse`].

pub(super) mod many;
pub(super) mod single;
pub(super) mod skipped;

use core::ptr::NonNull;

use super::items::Items;
use super::memory::{Block, Cursor, Marks, Reason, Slot};
use super::ring::{Content, Place, Reuse, Ring};
use super::side::Sealed;
use crate::backoff::Backoff;
use crate::error::PushError;

/// The producers of a queue: [`Single`](super::Single) or [`Multi`](super::Multi). Sealed.
///
/// A bound for code that works with any [`Producer`](super::Producer):
/// ```
/// use aqueduct::bbq::{Consumer, ConsumerSide, Producer, ProducerSide};
///
/// /// Moves what there is from one queue to another of any form.
/// fn forward<T, P: ProducerSide, C: ConsumerSide, Q: ProducerSide, D: ConsumerSide>(
///     from: &mut Consumer<T, P, C>,
///     to: &mut Producer<T, Q, D>,
/// ) -> usize {
///     from.drain().map_while(|item| to.push(item).ok()).count()
/// }
///
/// let (mut producer, mut from) = aqueduct::mpsc::new(10)?;
/// let (mut to, mut consumer) = aqueduct::spmc::new(10)?;
/// producer.push(7)?;
/// assert_eq!((forward(&mut from, &mut to), consumer.pop()), (1, Ok(7)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait ProducerSide: Marks + Sealed {
    /// A producer's state: its place in the queue.
    #[doc(hidden)]
    type State: Copy + core::fmt::Debug;

    /// Returns the state of a producer at the start of the block that is `head`.
    #[doc(hidden)]
    fn start<K: Content<Marks = Self>>(ring: &Ring<K>, head: Cursor) -> Self::State;

    /// Sets whether the producer backs off after a lost race.
    #[doc(hidden)]
    fn set_backoff(_state: &mut Self::State, _backoff: Backoff) {}

    /// Adds an item.
    #[doc(hidden)]
    #[inline(always)]
    fn push<T, C: Reuse>(ring: &Ring<Items<T, Self, C>>, state: &mut Self::State, item: T) -> Result<(), PushError<T>> {
        match Self::allocate(ring, state, 1) {
            Ok((at, _)) => {
                // SAFETY: allocated, an entry of the block.
                unsafe { many::commit(ring, Self::block(state), at, item) };
                Ok(())
            }
            Err(reason) => Err(C::refused(item, reason)),
        }
    }

    /// Allocates up to `most` entries of one block, at least one.
    ///
    /// Returns the first one's cursor and their number.
    #[doc(hidden)]
    fn allocate<K: Content<Marks = Self>>(
        ring: &Ring<K>,
        state: &mut Self::State,
        most: usize,
    ) -> Result<(Cursor, usize), Reason>;

    /// Adds as many of the items as fit.
    #[doc(hidden)]
    fn push_slice<T: Copy, C: Reuse>(ring: &Ring<Items<T, Self, C>>, state: &mut Self::State, items: &[T]) -> usize {
        let mut rest = items;
        while !rest.is_empty() {
            let Ok((at, count)) = Self::allocate(ring, state, rest.len()) else { break };
            let (now, later) = rest.split_at(count);
            // SAFETY: allocated.
            unsafe { ring.put_slice(Self::block(state), at, now) };
            rest = later;
        }
        items.len() - rest.len()
    }

    /// Returns the block in which entries were allocated last.
    #[doc(hidden)]
    fn block(state: &Self::State) -> NonNull<Block>;

    /// Shrinks the last allocation, of `allocated` entries from `at` on, to `used` entries.
    ///
    /// Returns how many of them must be committed: `used` for a single producer, all `allocated`
    /// otherwise, for other producers may have allocated the next entries.
    #[doc(hidden)]
    #[inline(always)]
    fn shrink(_state: &mut Self::State, _at: Cursor, allocated: usize, _used: usize) -> usize {
        allocated
    }

    /// Returns the producers' place, for one with this state.
    #[doc(hidden)]
    fn place<K: Content<Marks = Self>>(ring: &Ring<K>, state: &Self::State) -> Place;

    /// Stores the producer's final place in the block, for the queue's `Drop`.
    #[doc(hidden)]
    fn leave<K: Content<Marks = Self>>(_ring: &Ring<K>, _state: &Self::State) {}
}

/// Producers whose handles can be cloned: [`Multi`](super::Multi). Sealed.
pub trait SharedProducerSide: ProducerSide<State = many::State> {
    /// Opens the block whose words are `block` at `first`; it was used up in the lap of `used_up`.
    ///
    /// Afterwards it is open in that lap or a later one. Returns whether this producer has opened
    /// it.
    #[doc(hidden)]
    fn open(block: &Block, used_up: Cursor, first: Cursor) -> bool;
}

/// Producers of [slots](super::slots): [`Single`](super::Single) or [`Multi`](super::Multi).
/// Sealed.
pub trait SlotProducerSide: Sealed + Copy + core::fmt::Debug + 'static {
    /// The side of [`bbq`](super) whose code allocates and marks the entries of these producers.
    #[doc(hidden)]
    type Entries: ProducerSide;

    /// Allocates the next entry, and returns its cursor and its slot.
    #[doc(hidden)]
    fn allocate_entry<T, C: Reuse>(
        ring: &Ring<Items<T, Self::Entries, C>>,
        state: &mut <Self::Entries as ProducerSide>::State,
    ) -> Result<(Cursor, Slot), Reason>;

    /// Gives back the entry at `at`, which was allocated last, without an item.
    ///
    /// # Safety
    /// The entry is at `slot`, is the caller's, and is not committed.
    #[doc(hidden)]
    unsafe fn cancel(state: &mut <Self::Entries as ProducerSide>::State, at: Cursor, slot: Slot);
}
