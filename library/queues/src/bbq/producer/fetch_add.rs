//! Producers that allocate entries by fetch-and-add, as in J. Wang's thesis (TU Dresden, 2024,
//! section 2.3.1): measured beside the exchange, and not offered.
//!
//! An addition always gets what it finds. So it can pass a block's end, and it can come late: the
//! block may be in a later lap by then.
//!
//! Invariants, in place of the first of [`ring`](super::super::ring):
//! 1. `allocated` goes from a lap to a later one only by the thread that opens the block, whatever
//!    its offset is, and to the offset 0.
//! 2. An offset less than the block's size is the next entry, in whichever lap it is found: blocks
//!    are opened one after the other, each when the one before is fully allocated, so the block is
//!    the one that is being filled. A late addition takes that entry.
//! 3. Such a block's head may not be moved there yet. The late thread moves it before it goes on, so
//!    it works there only after the head has come.
//! 4. An offset is less than the block's size and [`AT_ONCE`] for each thread that has passed the end
//!    and has not brought the word back. So no addition changes the lap unless more than 1024
//!    threads stop between these two instructions in one block.

use core::ptr::NonNull;

use super::super::memory::{AT_ONCE, Block, Cursor, MOST_WITH_ADDITIONS, Marks, ROOM, Reason, bring_back};
use super::super::ring::{Content, Place, Ring};
use super::super::side::{Adding, Multi};
use super::many::{self, State, advance, head_in_lap, is_full};
use super::{ProducerSide, SharedProducerSide};
use crate::backoff::Backoff;
use crate::sync::Ordering;

impl Marks for Adding {
    const MOST: usize = MOST_WITH_ADDITIONS;

    #[inline(always)]
    fn how_far(allocated: Cursor, size: usize) -> Cursor {
        allocated.begin().plus(allocated.offset().min(size))
    }
}

impl ProducerSide for Adding {
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
        if !ROOM {
            return many::allocate(ring, state, most);
        }
        loop {
            let at = state.cursor;
            let left = ring.size() - at.offset();
            // A thread that knows that the block is used up adds nothing, however often it finds the queue full.
            if left == 0 {
                if is_full(ring, head_in_lap(state.head, at)) {
                    return Err(Reason::Exhausted);
                }
                advance(ring, state)?;
                continue;
            }
            if let Some(allocated) = add(ring, state, most.min(left).min(AT_ONCE)) {
                return Ok(allocated);
            }
        }
    }

    #[inline(always)]
    fn block(state: &State) -> NonNull<Block> {
        state.block
    }

    fn place<K: Content<Marks = Self>>(ring: &Ring<K>, _state: &State) -> Place {
        ring.place_of_producers()
    }
}

impl SharedProducerSide for Adding {
    /// Tries again while others pass the end, which each does once.
    fn open(block: &Block, used_up: Cursor, first: Cursor) -> bool {
        let mut seen = used_up;
        loop {
            // Ordering: Release pairs with the Acquire in `Block::allocated` and in `add`: the accesses that
            // `is_free` has seen happen before those of this lap. If another producer was faster, that is as well.
            match block.producers.allocated.compare_exchange(seen.0, first.0, Ordering::Release, Ordering::Relaxed) {
                Ok(_) => return true,
                Err(actual) if Cursor(actual).begin() != used_up.begin() => return false,
                Err(actual) => seen = Cursor(actual),
            }
        }
    }
}

/// Allocates up to `count` entries of the producer's block.
///
/// Returns `None`, with the producer at the block's end, or where the head is, if it is used up.
#[inline(always)]
fn add<K: Content<Marks = Adding>>(ring: &Ring<K>, state: &mut State, count: usize) -> Option<(Cursor, usize)> {
    let (word, size) = (&ring.words(state.block).producers.allocated, ring.size());
    // Ordering: Acquire pairs with the Release in `open`: the block may be in a later lap, in which its entries have
    // been consumed, and all blocks opened before it are known.
    let at = Cursor(word.fetch_add(count, Ordering::Acquire));
    let is_late = at.begin() != state.cursor.begin();
    state.alone &= at == state.cursor;
    if at.offset() + count > size {
        bring_back(word, at.plus(count), size);
    }
    if at.offset() >= size {
        state.cursor = at.begin().plus(size);
        if is_late {
            // Ordering: Relaxed: `find` checks the head against the block's word, and reads it again with Acquire.
            state.follow(ring, Cursor(ring.producers.load(Ordering::Relaxed)));
        }
        return None;
    }
    let count = count.min(size - at.offset());
    state.cursor = at.plus(count);
    if is_late {
        bring_head(ring, state, head_in_lap(state.head, at));
    }
    Some((at, count))
}

/// Brings the head to the producer's block in a later lap, where the thread that opened it may not have moved it yet.
#[cold]
#[inline(never)]
fn bring_head<K: Content<Marks = Adding>>(ring: &Ring<K>, state: &mut State, to: Cursor) {
    let from = ring.blocks.before(to);
    // Ordering: Release pairs with the Acquire in `find`, as in `advance`. Relaxed where it fails: then the head has
    // been moved.
    let _ = ring.producers.compare_exchange(from.0, to.0, Ordering::Release, Ordering::Relaxed);
    state.head = to;
}
