//! Consumers that use fetch-and-add once a block is filled (FAAQ).
//!
//! A block has two words for its consumers. While it is not filled, they take entries from
//! `reserved` by compare-exchange, as in any queue of many consumers. A consumer that lost a race
//! for an entry checks whether all entries from there on are committed, and then *seals* the block:
//! it puts a mark into that word, so that no consumer takes an entry from it any more in this lap,
//! and opens `reserved_by_adding` at that entry. From then on consumers take entries there. A
//! consumer that finds the mark before the word is open opens it, so no thread waits for another.
//!
//! Without a race, additions bring no gain, and reading all marks of a block at once costs more
//! than reading each mark with its item. In a block of a few entries that cost is negligible, so
//! the check is made at once.
//!
//! Invariants, besides those of [`ring`](super::super::ring):
//! 1. `reserved_by_adding` is open (its offset is less than the block's size) only while all
//!    entries from there on are committed in its lap. So an entry that an addition finds there is
//!    the adder's, in whichever lap it took the block to be. A late addition finds the word closed,
//!    or open in a later lap; then it gets the oldest item of that lap. Nothing is ever rolled
//!    back.
//! 2. `reserved_by_adding` goes from a lap to a later one only while `reserved` has that lap's
//!    mark, and to the place of the mark.
//! 3. The offset of a closed `reserved_by_adding` is the block's size, plus the additions of the
//!    threads that have not brought it back yet.
//!
//! # An exchange before the addition
//! A consumer first tries an exchange with the value that it left in the word, and adds if that
//! fails. The exchange costs nothing: the line has to come here in any case. It predicts the entry
//! before the line arrives, so the processor goes on with the item meanwhile. After an addition
//! alone, all later work would wait for its result. Of two consumers, one succeeds and one fails:
//! the one that fails backs off while the others make progress, and for a bounded time. The
//! addition after that cannot fail, so no consumer ever tries twice.

use core::ptr::NonNull;

use super::super::items::Items;
use super::super::memory::{
    AT_ONCE, BEYOND, Block, Cursor, MOST_WITH_ADDITIONS, Marks, ROOM, Reason, Slot, bring_back,
};
use super::super::ring::{Content, Place, Reuse, Ring};
use super::super::side::Adding;
use super::many::{self, InBlock, next_is_open};
use super::{ConsumerSide, SharedConsumerSide};
use crate::backoff::{Backoff, HINTS_OF_A_CLAIM, Race};
use crate::sync::{Cell, Ordering};

/// The state of such a consumer.
type State = many::State<Adds>;

/// A consumer's use of fetch-and-add in its block.
#[derive(Clone, Copy, Debug)]
pub struct Adds {
    /// True if the block was open to additions, and not used up, when it was last read.
    ///
    /// If so, the cursor is the last known value of `reserved_by_adding`.
    is_open: bool,
    /// The offset from which on to check whether the block is filled, or its size.
    check_from: usize,
}

impl InBlock for Adds {
    fn new(size: usize) -> Self {
        Self { is_open: false, check_from: first_check(size) }
    }
}

/// A block is sealed only if at least `1 / WORTH` of it is left.
const WORTH: usize = 2;

/// The number of times that a consumer checks whether a block is filled, on its way through the
/// block.
const CHECKS: usize = 16;

/// The greatest size of blocks that consumers check at once; in larger ones they check after a lost
/// race.
const FEW: usize = 16;

/// Returns the offset from which on a consumer checks whether a block of that size is filled.
///
/// Returns the size if the consumer does not check.
#[inline(always)]
const fn first_check(size: usize) -> usize {
    // The entry of a block of one is taken sooner than the block is sealed.
    if ROOM && 1 < size && size <= FEW { 0 } else { size }
}

/// Returns the offset from which on a consumer checks after a lost race.
///
/// Returns the size if the consumer does not check.
#[inline(always)]
const fn check_after_loss(size: usize) -> usize {
    if ROOM && 1 < size { 0 } else { size }
}

/// Whether that is the mark of a sealed block.
#[inline(always)]
fn is_sealed(reserved: Cursor) -> bool {
    reserved.offset() & BEYOND != 0
}

/// Returns the cursor at which `reserved_by_adding` opens, by that mark.
#[inline(always)]
fn opening(mark: Cursor) -> Cursor {
    Cursor(mark.0 & !BEYOND)
}

impl Reuse for Adding {
    const MARKS_EACH: bool = true;
    const MOST: usize = MOST_WITH_ADDITIONS;
    type Entry<T> = Cell<T>;

    #[inline(always)]
    fn is_full<K: Content<Reuse = Self>>(ring: &Ring<K>, head: Cursor) -> bool {
        K::is_last_there(ring, head)
    }

    #[inline(always)]
    fn is_free<K: Content<Reuse = Self>>(ring: &Ring<K>, head: Cursor) -> bool {
        K::are_consumed(ring, head)
    }

    fn how_far(block: &Block, reserved: Cursor, size: usize) -> Cursor {
        if !is_sealed(reserved) {
            return reserved;
        }
        // Ordering: Relaxed. All operations happen before a queue's drop; a length is not exact
        // beside other threads.
        let added = Cursor(block.consumers.reserved_by_adding.load(Ordering::Relaxed));
        let from =
            if added.begin() == reserved.begin() { added.offset().min(size) } else { opening(reserved).offset() };
        reserved.begin().plus(from)
    }
}

impl ConsumerSide for Adding {
    type State = State;

    fn start<K: Content<Reuse = Self>>(ring: &Ring<K>, head: Cursor) -> State {
        State::new(ring, (head, head.begin()))
    }

    fn set_backoff(state: &mut State, backoff: Backoff) {
        state.set_backoff(backoff);
    }

    #[inline(always)]
    fn reserve_entry<T, P: Marks>(ring: &Ring<Items<T, P, Self>>, state: &mut State) -> Result<(Cursor, Slot), Reason> {
        many::reserve_entry(ring, state)
    }

    #[inline(always)]
    fn block(state: &State) -> NonNull<Block> {
        state.block
    }

    fn pop_slice<T: Copy, P: Marks>(ring: &Ring<Items<T, P, Self>>, state: &mut State, items: &mut [T]) -> usize {
        many::pop_slice(ring, state, items)
    }

    #[inline(always)]
    fn consume<K: Content<Reuse = Self>>(ring: &Ring<K>, block: NonNull<Block>, at: Cursor, count: usize) {
        K::mark_consumed(ring, block, at, count);
    }

    fn place<K: Content<Reuse = Self>>(ring: &Ring<K>, _state: &State) -> Place {
        ring.place_of_consumers()
    }

    fn is_empty<K: Content<Reuse = Self>>(ring: &Ring<K>, _state: &State) -> bool {
        many::is_empty(ring)
    }
}

impl SharedConsumerSide for Adding {
    type InBlock = Adds;

    #[inline(always)]
    fn by_exchange(size: usize) -> usize {
        first_check(size)
    }

    #[inline(always)]
    fn is_used_up(block: &Block, at: Cursor, size: usize) -> bool {
        at.offset() == size
            || is_sealed(at) && {
                // Ordering: Relaxed. Closed in this lap, it says that the entries have been taken,
                // and no more.
                let added = Cursor(block.consumers.reserved_by_adding.load(Ordering::Relaxed));
                added.begin() == at.begin() && added.offset() >= size
            }
    }

    fn open_next<K: Content<Reuse = Self>>(ring: &Ring<K>, state: &mut State, seen: Cursor) {
        let from = state.head_in_lap();
        let to = ring.blocks.next(from);
        if seen.begin() == to.lap_before(0) {
            let block = ring.block_of(to);
            // A thread that has found the block open has observed all that consumers did there in
            // the lap before: this is their last value of that lap, or one of this lap.
            let last = block.reserved();
            if last.begin() == seen.begin() {
                let word = &block.consumers.reserved;
                // Ordering: Release pairs with the Acquire in `Block::reserved`. If another
                // consumer was faster, the failure is harmless: Acquire then only keeps later
                // stores behind (load buffering).
                let _ = word.compare_exchange(last.0, to.begin().0, Ordering::Release, Ordering::Acquire);
            }
        }
        state.move_head(ring, from, to);
    }

    /// Costs one exchange in either way if it succeeds at once.
    ///
    /// Rare work stands apart, so that this function needs few registers.
    #[inline(always)]
    fn reserve<T, P: Marks>(
        ring: &Ring<Items<T, P, Self>>,
        state: &mut State,
        most: usize,
        mut may: impl FnMut(Cursor, Cursor) -> bool,
    ) -> Result<(Cursor, usize), Reason> {
        state.distance.keep();
        let size = ring.size();
        let mut race = Race::default();
        loop {
            let at = state.cursor;
            let adds = state.in_block.is_open;
            let count = if adds {
                most.min(AT_ONCE).min(size - at.offset())
            } else if at.offset() < state.in_block.check_from {
                let count = ring.committed_lines(state.block, at, most).min(most);
                if count == 0 {
                    state.look_again(ring)?;
                    continue;
                }
                count
            } else {
                search(ring, state)?;
                continue;
            };
            if !may(state.head, at) {
                return Err(Reason::Busy);
            }
            let (block, next) = (ring.words(state.block), at.plus(count));
            let word = if adds { &block.consumers.reserved_by_adding } else { &block.consumers.reserved };
            // Ordering: Relaxed where it succeeds: the items are there. Acquire where it fails
            // pairs with the Release in `start_adding`: a thread that finds `reserved_by_adding`
            // closed in a later lap has observed the blocks that were opened before.
            let exchanged = word.compare_exchange(at.0, next.0, Ordering::Relaxed, Ordering::Acquire);
            match exchanged.map_err(Cursor) {
                Ok(_) => {
                    state.cursor = next;
                    if next.offset() == size {
                        state.in_block.is_open = false;
                    } else if ring.committed(state.block, next, 1) == 0 {
                        state.distance.was_last(next.offset());
                    }
                    return Ok((at, count));
                }
                Err(actual) if !adds => lost(ring, state, &mut race, count, actual),
                Err(actual) if actual.offset() >= size => go_to(state, actual, size),
                Err(actual) if !may(state.head, actual) => return Err(Reason::Busy),
                Err(actual) => {
                    if let Some(taken) = add(block, state, actual, count, size) {
                        return Ok(taken);
                    }
                }
            }
        }
    }
}

/// Moves to `next` in a block open to additions, or to its end.
#[inline(always)]
fn go_to(state: &mut State, next: Cursor, size: usize) {
    state.cursor = next;
    if next.offset() >= size {
        state.cursor = next.begin().plus(size);
        state.in_block.is_open = false;
    }
}

/// Takes up to `count` entries of the consumer's block by fetch-and-add, after others were found at
/// `actual`.
///
/// Returns `None`, with the consumer at the end, if all entries have been taken.
#[cold]
#[inline(never)]
fn add(block: &Block, state: &mut State, actual: Cursor, count: usize, size: usize) -> Option<(Cursor, usize)> {
    let word = &block.consumers.reserved_by_adding;
    let mut now = actual;
    let look = || {
        // Ordering: Relaxed, it only measures how much the others have done.
        let before = core::mem::replace(&mut now, Cursor(word.load(Ordering::Relaxed)));
        before.entries_until(now)
    };
    // The value that it finds is out of date by then, and the addition needs none.
    let _ = state.contention.lost(&mut Race::default(), state.cursor.0, count, actual.0, HINTS_OF_A_CLAIM, look);
    // Ordering: Acquire pairs with the Release in `start_adding`: the items are there, of whichever
    // lap the entries are.
    let at = Cursor(word.fetch_add(count, Ordering::Acquire));
    go_to(state, at.plus(count), size);
    if at.offset() + count > size {
        bring_back(word, at.plus(count), size);
    }
    if at.offset() < size { Some((at, count.min(size - at.offset()))) } else { None }
}

/// Goes on from the end of the block, or from its mark, or seals the block if a check is due.
#[cold]
#[inline(never)]
fn search<T, P: Marks>(ring: &Ring<Items<T, P, Adding>>, state: &mut State) -> Result<(), Reason> {
    let at = state.cursor;
    // A mark is beyond all sizes, too.
    if at.offset() >= ring.size() {
        if is_sealed(at) {
            start_adding(ring, state, at);
            return Ok(());
        }
        return advance(ring, state);
    }
    seal(ring, state);
    Ok(())
}

/// Handles a lost exchange of the cursor in `reserved`, which found `actual`.
#[cold]
#[inline(never)]
fn lost<T, P: Marks>(
    ring: &Ring<Items<T, P, Adding>>,
    state: &mut State,
    race: &mut Race,
    count: usize,
    actual: Cursor,
) {
    let size = ring.size();
    if state.in_block.check_from == size {
        state.in_block.check_from = check_after_loss(size);
    }
    // In the same lap the mark alone is news, and `start_adding` looks again; in another one the
    // head is followed.
    state.lost(ring, race, count, actual);
}

/// Seals the consumer's block if all of its entries from there on are committed, and enough are
/// left.
///
/// In any case the next check is further on.
#[cold]
#[inline(never)]
fn seal<T, P: Marks>(ring: &Ring<Items<T, P, Adding>>, state: &mut State) {
    let (at, size) = (state.cursor, ring.size());
    let left = size - at.offset();
    if WORTH * left < size {
        state.in_block.check_from = size;
        return;
    }
    state.in_block.check_from = (at.offset() + 1 + size / CHECKS).min(size);
    if ring.committed(state.block, at.begin().plus(size - 1), 1) == 0
        || ring.committed_lines(state.block, at, left) < left
    {
        return;
    }
    let word = &ring.words(state.block).consumers.reserved;
    let mut seen = at;
    // Others are usually further on by now. The entries that they have left are committed all the
    // same, so the block is still worth sealing.
    let found = loop {
        let mark = Cursor(seen.0 | BEYOND);
        // Ordering: Release pairs with the Acquire in `Block::reserved`: a thread that finds the
        // mark observes the items. Acquire where it fails keeps later stores behind (load
        // buffering).
        let sealed = word.compare_exchange(seen.0, mark.0, Ordering::Release, Ordering::Acquire);
        seen = sealed.map_or_else(Cursor, |_| mark);
        if seen == mark || seen.begin() != at.begin() || seen.offset() >= size {
            break seen;
        }
    };
    state.move_to(ring, found);
}

/// Opens `reserved_by_adding` at the place of the mark, if no other consumer has.
#[cold]
#[inline(never)]
fn start_adding<T, P: Marks>(ring: &Ring<Items<T, P, Adding>>, state: &mut State, mark: Cursor) {
    let (block, size) = (ring.words(state.block), ring.size());
    let word = &block.consumers.reserved_by_adding;
    let found = loop {
        // Ordering: Acquire pairs with the Release below: where this is of a later lap, so is what
        // `reserved` finds.
        let seen = Cursor(word.load(Ordering::Acquire));
        if seen.begin() == mark.begin() {
            break seen;
        }
        let now = block.reserved();
        if now != mark {
            state.move_to(ring, now);
            return;
        }
        // Ordering: Release pairs with the Acquire in `add`: a consumer that takes an entry there
        // observes its item. Acquire where it fails only keeps later stores behind (load
        // buffering).
        if word.compare_exchange(seen.0, opening(mark).0, Ordering::Release, Ordering::Acquire).is_ok() {
            break opening(mark);
        }
    };
    state.cursor = found.begin().plus(found.offset().min(size));
    state.in_block.is_open = found.offset() < size;
}

/// Goes on to the block after the consumer's, which is used up.
#[inline(never)]
fn advance<T, P: Marks>(ring: &Ring<Items<T, P, Adding>>, state: &mut State) -> Result<(), Reason> {
    let seen = next_is_open(ring, state.head_in_lap()).inspect_err(|_| state.distance.found_nothing())?;
    Adding::open_next(ring, state, seen);
    Ok(())
}
