//! Many producers: they allocate entries by compare-exchange.
//!
//! A producer remembers its last place, so it begins without a look at words that others write. A
//! thread that shares a queue without a handle looks for its place anew ([`with_entry`]).

use core::ptr::NonNull;

use super::super::items::{Items, LineOf};
use super::super::memory::{Block, Cursor, Entry, Marks, Reason};
use super::super::ring::{Content, Place, Reuse, Ring};
use super::super::side::Multi;
use super::{ProducerSide, SharedProducerSide};
use crate::backoff::{Backoff, Contention, Race};
use crate::error::PushError;
use crate::sync::Ordering;

/// The state of one of many producers.
#[derive(Clone, Copy, Debug)]
pub struct State {
    /// The head of its block: lap and index.
    pub(super) head: Cursor,
    pub(super) block: NonNull<Block>,
    /// The last known value of the block's `allocated`.
    pub(super) cursor: Cursor,
    /// True if this producer alone has allocated all entries of the block before `cursor`, so that
    /// it can vouch for the block (`filled_alone`). Cleared when a race is lost.
    ///
    /// Entries of the handle that it was cloned from count as its own. Items are committed before
    /// either handle goes on; records need not be.
    pub(super) alone: bool,
    contention: Contention,
}

impl State {
    pub(super) fn new<K: Content>(ring: &Ring<K>, head: Cursor) -> Self {
        let (block, cursor) = (ring.at(head), head.begin());
        Self { head, block, cursor, alone: true, contention: Contention::new() }
    }

    fn at<K: Content>(ring: &Ring<K>, (head, cursor): Place) -> Self {
        Self { cursor, ..Self::new(ring, head) }
    }

    /// Returns the state of a thread that has none: at the producers' place.
    pub(crate) fn find<K: Content>(ring: &Ring<K>) -> Self {
        Self::at(ring, ring.place_of_producers())
    }

    /// Goes to the block of the producers' head, which was last found to be `head`.
    pub(super) fn follow<K: Content<Marks: SharedProducerSide>>(&mut self, ring: &Ring<K>, head: Cursor) {
        let (head, cursor) = ring.find(&ring.producers, Block::allocated, head);
        let contention = self.contention.in_next_block();
        *self = Self { cursor, contention, alone: cursor.offset() == 0, ..Self::new(ring, head) };
    }

    /// Moves to a cursor that was found in the block.
    ///
    /// If the cursor is of another lap, follows the head.
    #[inline(always)]
    fn move_to<K: Content<Marks: SharedProducerSide>>(&mut self, ring: &Ring<K>, actual: Cursor) {
        if self.cursor.begin() == actual.begin() {
            self.cursor = actual;
            self.alone = false;
        } else {
            // Ordering: Acquire keeps later stores behind (load buffering). `find` checks the head
            // against the block's word.
            self.follow(ring, Cursor(ring.producers.load(Ordering::Acquire)));
        }
    }

    /// Handles a lost exchange of the cursor, for `count` entries, that found `actual`.
    #[inline(always)]
    fn lost<K: Content<Marks: SharedProducerSide>>(
        &mut self,
        ring: &Ring<K>,
        race: &mut Race,
        count: usize,
        actual: Cursor,
    ) {
        let at = self.cursor;
        self.move_to(ring, actual);
        let (block, mut now) = (ring.words(self.block), actual);
        let look = || core::mem::replace(&mut now, block.allocated()).entries_until(now);
        if self.cursor == actual
            && actual.offset() != ring.size()
            && self.contention.lost(race, at.0, count, actual.0, K::HINTS, look)
        {
            self.move_to(ring, now);
        }
    }
}

impl Marks for Multi {}

impl ProducerSide for Multi {
    type State = State;

    fn start<K: Content<Marks = Self>>(ring: &Ring<K>, head: Cursor) -> State {
        State::new(ring, head)
    }

    fn set_backoff(state: &mut State, backoff: Backoff) {
        state.contention.set(backoff);
    }

    #[inline(always)]
    fn allocate<K: Content<Marks = Self>>(
        ring: &Ring<K>,
        state: &mut State,
        most: usize,
    ) -> Result<(Cursor, usize), Reason> {
        allocate(ring, state, most)
    }

    #[inline(always)]
    fn block(state: &State) -> NonNull<Block> {
        state.block
    }

    fn place<K: Content<Marks = Self>>(ring: &Ring<K>, _state: &State) -> Place {
        ring.place_of_producers()
    }
}

impl SharedProducerSide for Multi {
    fn open(block: &Block, used_up: Cursor, first: Cursor) -> bool {
        // Ordering: Release pairs with the Acquire in `Block::allocated`: what `is_free` has seen
        // happened before what is done in this lap. If another producer was faster, the failure is
        // harmless. Acquire where it fails keeps later stores behind (load buffering).
        let word = &block.producers.allocated;
        word.compare_exchange(used_up.0, first.0, Ordering::Release, Ordering::Acquire).is_ok()
    }
}

/// Allocates entries by compare-exchange from the producer's cursor.
#[inline(always)]
pub(super) fn allocate<K: Content<Marks: SharedProducerSide>>(
    ring: &Ring<K>,
    state: &mut State,
    most: usize,
) -> Result<(Cursor, usize), Reason> {
    let mut race = Race::default();
    loop {
        let at = state.cursor;
        let left = ring.size() - at.offset();
        if left == 0 {
            if is_full(ring, head_in_lap(state.head, at)) {
                return Err(Reason::Exhausted);
            }
            advance(ring, state)?;
            continue;
        }
        let count = most.min(left);
        match exchange(ring.words(state.block), at, count) {
            Ok(allocated) => {
                state.cursor = allocated;
                return Ok((at, count));
            }
            Err(actual) => state.lost(ring, &mut race, count, actual),
        }
    }
}

/// Allocates `count` entries of a block, if the producers' cursor is still `at`.
///
/// Otherwise returns their current cursor.
#[inline(always)]
fn exchange(block: &Block, at: Cursor, count: usize) -> Result<Cursor, Cursor> {
    let next = at.plus(count);
    // Ordering: Relaxed where it succeeds. The producer has found the block in this lap before,
    // from the start or by `allocated`; where it finds it in another one, it follows the head.
    // Acquire where it fails only keeps later stores behind (load buffering).
    let exchanged = block.producers.allocated.compare_exchange(at.0, next.0, Ordering::Relaxed, Ordering::Acquire);
    exchanged.map_or_else(|actual| Err(Cursor(actual)), |_| Ok(next))
}

/// Writes an item into the entry `at` of a block, and commits the entry.
///
/// # Safety
/// The caller has allocated the entry, which is there, and does this once.
#[inline(always)]
pub(crate) unsafe fn commit<T, P: Marks, C: Reuse>(
    ring: &Ring<Items<T, P, C>>,
    block: NonNull<Block>,
    at: Cursor,
    item: T,
) {
    debug_assert!(at.offset() < ring.size());
    // SAFETY: the entry is the caller's; the allocation is ordered after its use in the lap before.
    unsafe {
        let slot = LineOf::<T, P, C>::slot(block, at.offset());
        C::Entry::<T>::put(slot.entry, item);
        P::commit(slot.line, slot.number, at, 1);
        // Any producer may be the first to come to a line.
        LineOf::<T, P, C>::fetch_to_write(slot.line);
    }
}

/// Returns the head of `head`'s block in the lap of `cursor`, which was found there.
///
/// They differ if the cursor was found by fetch-and-add (FAAQ): then it can be of a later lap.
#[inline(always)]
pub(super) fn head_in_lap(head: Cursor, cursor: Cursor) -> Cursor {
    cursor.begin().plus(head.offset())
}

/// Whether the block after `head`'s has no room, and no thread is in the middle of an operation.
///
/// `head`'s block is used up.
#[inline(always)]
pub(super) fn is_full<K: Content>(ring: &Ring<K>, head: Cursor) -> bool {
    K::Reuse::is_full(ring, ring.blocks.next(head))
}

/// Goes on to the block after the producer's, which is used up, and opens it if no other thread
/// has.
///
/// The caller has seen that it is not `is_full`. A caller that finds it full need not call this
/// function, which would save registers.
#[inline(never)]
pub(super) fn advance<K: Content<Marks: SharedProducerSide>>(ring: &Ring<K>, state: &mut State) -> Result<(), Reason> {
    let from = head_in_lap(state.head, state.cursor);
    let to = ring.blocks.next(from);
    let (next, used_up) = (ring.block_of(to), to.lap_before(ring.size()));
    let is_free = K::Reuse::is_free(ring, to);
    // `is_free` may have looked at the lap that another producer has opened since.
    if !is_free && !next.is_open(used_up) {
        return Err(Reason::Busy);
    }
    if state.alone {
        K::Reuse::filled_alone(ring.words(state.block), state.cursor);
    }
    if is_free {
        let opened = K::Marks::open(next, used_up, to.begin());
        if to.renews() && opened {
            K::renew(ring, to);
        }
    }
    // Ordering: Release pairs with the Acquire in `find`: a thread that finds a new head finds its
    // block open. Acquire where it fails keeps later stores behind (load buffering).
    let head = ring.producers.compare_exchange(from.0, to.0, Ordering::Release, Ordering::Acquire);
    state.follow(ring, head.map_or_else(Cursor, |_| to));
    Ok(())
}

/// Allocates one entry for a thread without a state.
///
/// Passes its block's head and its cursor to `then`. A closure keeps the result in registers; a
/// returned result goes through memory, which costs as much as the rest of a refused push.
#[inline(always)]
pub(crate) fn with_entry<K: Content<Marks = Multi>, R>(
    ring: &Ring<K>,
    then: impl FnOnce(Result<(Cursor, Cursor), Reason>) -> R,
) -> R {
    let (head, at) = ring.place_of_producers_to_write();
    let lost = if at.offset() == ring.size() {
        if is_full(ring, head) {
            return then(Err(Reason::Exhausted));
        }
        None
    } else {
        match exchange(ring.block_of(head), at, 1) {
            Ok(_) => return then(Ok((head, at))),
            Err(actual) => Some(actual),
        }
    };
    then(allocate_on(ring, (head, at), lost))
}

/// Allocates an entry from the end of a block, or after a lost exchange.
#[inline(never)]
fn allocate_on<K: Content<Marks = Multi>>(
    ring: &Ring<K>,
    place: Place,
    lost: Option<Cursor>,
) -> Result<(Cursor, Cursor), Reason> {
    let mut state = State::at(ring, place);
    match lost {
        None => advance(ring, &mut state)?,
        Some(actual) => state.lost(ring, &mut Race::default(), 1, actual),
    }
    let (at, _) = allocate(ring, &mut state, 1)?;
    Ok((state.head, at))
}

/// Pushes an item for a thread without a state.
#[inline]
pub(crate) fn push_anew<T, C: Reuse>(ring: &Ring<Items<T, Multi, C>>, item: T) -> Result<(), PushError<T>> {
    with_entry(ring, |allocated| match allocated {
        Ok((head, at)) => {
            // SAFETY: allocated, an entry of the block.
            unsafe { commit(ring, ring.at(head), at, item) };
            Ok(())
        }
        Err(reason) => Err(C::refused(item, reason)),
    })
}
