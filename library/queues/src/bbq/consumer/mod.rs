//! The consumers' side: a consumer's state, and how it reserves, consumes and advances.
//!
//! | side | state | reserves | consumes |
//! | --- | --- | --- | --- |
//! | [`Single`](super::Single) | `single::State` | the next entries: they are its own | a block at once, at its end |
//! | [`Multi`](super::Multi) | `many::State` | by compare-exchange | by a mark for each entry |
//! | [`Adding`](super::Adding) | `many::State<Adds>` | in a filled block, by fetch-and-add | by a mark for each entry |
//! | [`Overwritten`](super::Overwritten) | `reader::State` | by compare-exchange, before a copy | nothing |
//! | `Overwritten`, one reader | `reader_alone::State` | the next entries: they are its own | nothing |
//!
//! Consumers observe producers through the blocks only: [`Marks`].

pub(super) mod fetch_add;
pub(super) mod many;
pub(super) mod reader;
pub(super) mod reader_alone;
pub(super) mod single;
#[cfg(test)]
mod tests;

use core::ptr::NonNull;

use super::items::Items;
use super::memory::{Block, Cursor, Marks, Reason, Slot};
use super::ring::{Content, Place, Reuse, Ring};
use super::side::Sealed;
use crate::backoff::Backoff;
use crate::sync::Cell;

/// The consumers of a queue: [`Single`](super::Single), [`Multi`](super::Multi), or
/// [`Adding`](super::Adding). Sealed.
///
/// [`ProducerSide`](super::ProducerSide) has an example.
pub trait ConsumerSide: Reuse + Sealed {
    /// A consumer's state: its place in the queue.
    #[doc(hidden)]
    type State: Copy + core::fmt::Debug;

    /// Returns the state of a consumer at the start of the block that is `head`.
    #[doc(hidden)]
    fn start<K: Content<Reuse = Self>>(ring: &Ring<K>, head: Cursor) -> Self::State;

    /// Sets whether the consumer backs off.
    #[doc(hidden)]
    fn set_backoff(state: &mut Self::State, backoff: Backoff);

    /// Reserves the oldest entry, and returns its cursor and its slot.
    #[doc(hidden)]
    fn reserve_entry<T, P: Marks>(
        ring: &Ring<Items<T, P, Self>>,
        state: &mut Self::State,
    ) -> Result<(Cursor, Slot), Reason>;

    /// Returns the block in which the consumer reserved last.
    #[doc(hidden)]
    fn block(state: &Self::State) -> NonNull<Block>;

    /// Takes the oldest item.
    #[doc(hidden)]
    #[inline(always)]
    fn pop<T, P: Marks>(ring: &Ring<Items<T, P, Self>>, state: &mut Self::State) -> Result<T, Reason> {
        let (at, slot) = Self::reserve_entry(ring, state)?;
        // SAFETY: reserved, and committed before.
        Ok(unsafe { take(ring, Self::block(state), at, slot) })
    }

    /// Takes up to `items.len()` items.
    #[doc(hidden)]
    fn pop_slice<T: Copy, P: Marks>(ring: &Ring<Items<T, P, Self>>, state: &mut Self::State, items: &mut [T]) -> usize;

    /// Gives back `count` entries of a block from `at` on, which have been read.
    #[doc(hidden)]
    fn consume<K: Content<Reuse = Self>>(ring: &Ring<K>, block: NonNull<Block>, at: Cursor, count: usize);

    /// Returns the consumers' place, for one with this state.
    #[doc(hidden)]
    fn place<K: Content<Reuse = Self>>(ring: &Ring<K>, state: &Self::State) -> Place;

    /// Whether a pop would find nothing committed.
    #[doc(hidden)]
    fn is_empty<K: Content<Reuse = Self>>(ring: &Ring<K>, state: &Self::State) -> bool;

    /// Whether the last pop may have made room: it may have given a block back.
    #[doc(hidden)]
    #[inline(always)]
    fn may_have_made_room<K: Content<Reuse = Self>>(_ring: &Ring<K>, _state: &Self::State) -> bool {
        true
    }

    /// Stores the consumer's final place in the block, for the queue's `Drop`.
    #[doc(hidden)]
    fn leave<K: Content<Reuse = Self>>(_ring: &Ring<K>, _state: &Self::State) {}
}

/// Consumers whose handles can be cloned: [`Multi`](super::Multi) or [`Adding`](super::Adding).
/// Sealed.
pub trait SharedConsumerSide: ConsumerSide<State = many::State<<Self as SharedConsumerSide>::InBlock>> {
    /// A consumer's state about its block only.
    #[doc(hidden)]
    type InBlock: many::InBlock;

    /// Reserves up to `most` committed entries of one block, at least one.
    ///
    /// Returns the first one's cursor and their number. Calls `may` first, with the first one's
    /// block head and cursor, which can turn out to be another. If `may` returns `false`, the
    /// result is [`Reason::Busy`].
    #[doc(hidden)]
    fn reserve<T, P: Marks>(
        ring: &Ring<Items<T, P, Self>>,
        state: &mut Self::State,
        most: usize,
        may: impl FnMut(Cursor, Cursor) -> bool,
    ) -> Result<(Cursor, usize), Reason>;

    /// Returns how many entries of a block of that size a compare-exchange can reserve.
    #[doc(hidden)]
    fn by_exchange(size: usize) -> usize;

    /// Whether consumers have used up a block of that size.
    ///
    /// They were found at `at`, where no compare-exchange can reserve an entry.
    #[doc(hidden)]
    fn is_used_up(block: &Block, at: Cursor, size: usize) -> bool;

    /// Goes on to the next block, and opens it to consumers if no other thread has.
    ///
    /// `next_is_open` found the consumers' cursor `seen` there.
    #[doc(hidden)]
    fn open_next<K: Content<Reuse = Self>>(ring: &Ring<K>, state: &mut Self::State, seen: Cursor);
}

/// Consumers of records: [`Single`](super::Single) or [`Multi`](super::Multi). Sealed.
pub trait RecordConsumerSide: ConsumerSide {
    /// Reserves the next record, if it is committed, and returns its cursor and its units.
    #[doc(hidden)]
    fn reserve_record<K: Content<Reuse = Self>>(
        ring: &Ring<K>,
        state: &mut Self::State,
    ) -> Result<(Cursor, usize), Reason>;
}

/// Moves an item out, and gives its entry back.
///
/// # Safety
/// The caller has reserved the entry `at` of the block, which is at `slot` and was committed,
/// and does this once.
#[inline(always)]
pub(crate) unsafe fn take<T, P: Marks, C: ConsumerSide>(
    ring: &Ring<Items<T, P, C>>,
    block: NonNull<Block>,
    at: Cursor,
    slot: Slot,
) -> T {
    // SAFETY: the entry is the caller's, and holds an item.
    let item = unsafe { slot.entry.cast::<Cell<T>>().as_ref().take() };
    C::consume(ring, block, at, 1);
    item
}
