//! Many producers whose entries can become dummies, which consumers skip.
//!
//! They allocate as [`many`](super::many) do. An allocated entry cannot be given back, because
//! other producers may have allocated the next ones. So a producer that has no item for its entry
//! commits it as a dummy: the entry's mark has one more bit for that, beside the parity of the lap.
//! A consumer reads that bit after it has reserved the entry, in the mark that it has found
//! committed before.

use core::ptr::NonNull;

use super::super::items::Items;
use super::super::memory::{Block, Cursor, Marks, Reason, Slot};
use super::super::ring::{Content, Place, Reuse, Ring};
use super::super::side::{Multi, Skipped};
use super::many::{self, State};
use super::{ProducerSide, SharedProducerSide, SlotProducerSide};
use crate::backoff::Backoff;
use crate::sync::{AtomicU8, Ordering};

/// The bit of a mark that is set if the entry is a dummy.
const DUMMY: u8 = 2;

impl Marks for Skipped {
    const LAP_BITS: u8 = 1;

    #[inline(always)]
    unsafe fn is_dummy(line: NonNull<u8>, slot: usize) -> bool {
        // Ordering: Relaxed. The caller has read this lap's mark before, and no mark of a later lap
        // is written until it has given the entry back.
        // SAFETY: a line begins with its marks.
        unsafe { line.cast::<AtomicU8>().add(slot).as_ref() }.load(Ordering::Relaxed) & DUMMY != 0
    }
}

impl ProducerSide for Skipped {
    type State = State;

    fn start<K: Content<Marks = Self>>(ring: &Ring<K>, head: Cursor) -> State {
        State::new(ring, head)
    }

    fn set_backoff(state: &mut State, backoff: Backoff) {
        <Multi as ProducerSide>::set_backoff(state, backoff);
    }

    #[inline(always)]
    fn allocate<K: Content<Marks = Self>>(
        ring: &Ring<K>,
        state: &mut State,
        most: usize,
    ) -> Result<(Cursor, usize), Reason> {
        many::allocate(ring, state, most)
    }

    #[inline(always)]
    fn block(state: &State) -> NonNull<Block> {
        state.block
    }

    fn place<K: Content<Marks = Self>>(ring: &Ring<K>, _state: &State) -> Place {
        ring.place_of_producers()
    }
}

impl SharedProducerSide for Skipped {
    fn open(block: &Block, used_up: Cursor, first: Cursor) -> bool {
        Multi::open(block, used_up, first)
    }
}

impl SlotProducerSide for Multi {
    type Entries = Skipped;

    #[inline(always)]
    fn allocate_entry<T, C: Reuse>(
        ring: &Ring<Items<T, Skipped, C>>,
        state: &mut State,
    ) -> Result<(Cursor, Slot), Reason> {
        let (at, _) = many::allocate(ring, state, 1)?;
        // SAFETY: an entry of the block.
        Ok((at, unsafe { ring.entry(state.block, at.offset()) }))
    }

    /// Makes the entry a dummy.
    #[inline(always)]
    unsafe fn cancel(_state: &mut State, at: Cursor, slot: Slot) {
        // Ordering: Release pairs with the Acquire load in `committed`; without it, the producer of
        // the next lap writes the entry while this one does.
        // SAFETY: the caller's promise.
        unsafe { slot.mark().as_ref() }.store(at.parity() | DUMMY, Ordering::Release);
    }
}
