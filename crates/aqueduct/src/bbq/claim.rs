//! How producers claim entries, and go on to the next block.

use super::backoff::race::Race;
use super::block::{Block, Content};
use super::cursor::Cursor;
use super::items::Items;
use super::length;
use super::line::Place;
use super::shared::{Position, Shared};
use super::side::{Commits, Consumes, Multi, Reason};
use crate::sync::{AtomicUsize, Ordering};

/// Producers that claim entries. Sealed.
///
/// What is given here is for many producers.
pub trait Claims: Commits + Sized {
    /// Claims up to `most` entries of one block, at least one.
    ///
    /// Returns the first one's cursor and their number.
    fn claim<K: Content<Self, C>, C: Consumes>(
        shared: &Shared<K, Self, C>,
        position: &mut Position,
        most: usize,
    ) -> Result<(Cursor, usize), Reason>;

    /// Claims an entry of items, and returns its cursor and its place.
    #[inline(always)]
    fn claim_one<T, C: Consumes>(
        shared: &Shared<Items<T>, Self, C>,
        position: &mut Position,
    ) -> Result<(Cursor, Place), Reason> {
        let (at, _) = Self::claim(shared, position, 1)?;
        // SAFETY: an entry of the block.
        Ok((at, unsafe { shared.entry(position.block, at.offset()) }))
    }

    /// Stores the handle's final position in the block, for the queue's `Drop`.
    fn leave<K: Content<Self, C>, C: Consumes>(_shared: &Shared<K, Self, C>, _position: &Position) {}

    /// Shrinks the last claim, of `claimed` entries from `at` on, to `used` entries.
    ///
    /// Returns how many of them must be committed: `used` for a single producer, all `claimed`
    /// otherwise, for other producers may have claimed the next entries.
    #[inline(always)]
    fn give_back(_position: &mut Position, _at: Cursor, claimed: usize, _used: usize) -> usize {
        claimed
    }

    /// Whether producers may be at work in the position's block in another lap, as far as is known.
    ///
    /// If a producer has written something there before, in the order of happening, this is true.
    /// The caller has found the block open in its own lap.
    ///
    /// For many producers, reads the head, which moves once a block, and before anything is written
    /// there. The block's cursor would tell as well, but each read would take it away from
    /// producers. A head that has not moved on yet is found at the block before.
    #[inline(always)]
    fn has_overwritten<K: Content<Self, C>, C: Consumes>(shared: &Shared<K, Self, C>, position: &Position) -> bool {
        // Ordering: Relaxed, see where it is used.
        let head = Cursor(shared.producers.load(Ordering::Relaxed));
        !head.is_within_a_lap_after(position.head.block_before(shared.blocks.geometry.blocks()))
    }

    /// Returns the producers' place, for the handle at `position`.
    fn place<K: Content<Self, C>, C: Consumes>(shared: &Shared<K, Self, C>, _position: &Position) -> length::Place {
        shared.place_of_producers()
    }

    /// Returns the producers' place as others see it. `from` is the head of a block that they have
    /// opened.
    fn place_seen<K: Content<Self, C>, C: Consumes>(shared: &Shared<K, Self, C>, _from: Cursor) -> length::Place {
        shared.place_of_producers()
    }

    /// Says why the entry at `reserved` is not committed; `None` if `reserved` is out of date.
    #[inline(always)]
    fn why_not_committed(block: &Block, reserved: Cursor) -> Option<Reason> {
        let allocated = allocated(block);
        (allocated.begin() == reserved.begin()).then(|| Self::why_not_among(allocated, reserved))
    }

    /// Says why the entry at `reserved` is not committed, given the producers' cursor `allocated`
    /// of that lap.
    #[inline(always)]
    fn why_not_among(allocated: Cursor, reserved: Cursor) -> Reason {
        // Not "equal": an old value may have been read, of before other consumers' pops.
        if allocated.offset() > reserved.offset() { Reason::Busy } else { Reason::Exhausted }
    }
}

/// Producers whose handles can be cloned. Sealed.
pub trait ClaimsBesides: Claims {
    /// Opens a block, whose `allocated` is `word`, at `first`; it was used up in the lap of `used_up`.
    ///
    /// Afterwards it is open in that lap or a later one. Returns whether this producer has opened it.
    fn open(word: &AtomicUsize, used_up: Cursor, first: Cursor) -> bool;
}

/// Returns the producers' cursor in a block.
#[inline(always)]
pub(super) fn allocated(block: &Block) -> Cursor {
    // Ordering: Acquire pairs with the Release that opened the block in `next_block`: all that was done with its
    // entries in the lap before, and all blocks opened before it, are known to a thread that finds a lap here.
    Cursor(block.allocated.cursor.load(Ordering::Acquire))
}

/// Whether a block has left the lap of `used_up`, for its producers.
///
/// The caller knows of the start of that lap.
#[inline(always)]
pub(super) fn is_open(block: &Block, used_up: Cursor) -> bool {
    // Not "is it used up": an old value of that lap may have been read, of before it was.
    allocated(block).begin() != used_up.begin()
}

impl Claims for Multi {
    #[inline(always)]
    fn claim<K: Content<Self, C>, C: Consumes>(
        shared: &Shared<K, Self, C>,
        position: &mut Position,
        most: usize,
    ) -> Result<(Cursor, usize), Reason> {
        by_exchange(shared, position, most)
    }
}

impl ClaimsBesides for Multi {
    fn open(word: &AtomicUsize, used_up: Cursor, first: Cursor) -> bool {
        // Ordering: Release pairs with the Acquire in `allocated`: what `is_free` has seen happened before what is done
        // in this lap. If another producer was faster, that is as well.
        word.compare_exchange(used_up.0, first.0, Ordering::Release, Ordering::Relaxed).is_ok()
    }
}

/// Claims entries by compare-exchange from the position's cursor.
#[inline(always)]
pub(super) fn by_exchange<K: Content<P, C>, P: ClaimsBesides, C: Consumes>(
    shared: &Shared<K, P, C>,
    position: &mut Position,
    most: usize,
) -> Result<(Cursor, usize), Reason> {
    let mut race = Race::default();
    loop {
        let at = position.cursor;
        let left = shared.size() - at.offset();
        if left == 0 {
            if is_full(shared, head_in_lap(position.head, at)) {
                return Err(Reason::Exhausted);
            }
            next_block(shared, position)?;
            continue;
        }
        let count = most.min(left);
        match exchange(shared.block(position), at, count) {
            Ok(claimed) => {
                position.cursor = claimed;
                return Ok((at, count));
            }
            Err(actual) => lost(shared, position, &mut race, count, actual),
        }
    }
}

/// Claims `count` entries of a block from `at` on, if producers are there.
///
/// Otherwise returns their current cursor.
#[inline(always)]
pub(super) fn exchange(block: &Block, at: Cursor, count: usize) -> Result<Cursor, Cursor> {
    let claimed = at.plus(count);
    // Ordering: Relaxed. The producer has found the block in this lap before, from the start or by `allocated`; where
    // it finds it in another one, it follows the head.
    let exchanged = block.allocated.cursor.compare_exchange(at.0, claimed.0, Ordering::Relaxed, Ordering::Relaxed);
    exchanged.map_or_else(|actual| Err(Cursor(actual)), |_| Ok(claimed))
}

/// Handles a lost exchange of the position's cursor, for `count` entries, that found `actual`.
#[inline(always)]
pub(super) fn lost<K: Content<P, C>, P: ClaimsBesides, C: Consumes>(
    shared: &Shared<K, P, C>,
    position: &mut Position,
    race: &mut Race,
    count: usize,
    actual: Cursor,
) {
    let at = position.cursor;
    moved(shared, position, actual);
    let block = shared.block(position);
    if position.cursor == actual
        && actual.offset() != shared.size()
        && let Some(now) = race.lost(position, at, count, actual, K::HINTS, || allocated(block))
    {
        moved(shared, position, now);
    }
}

/// Moves the position to a cursor that was found in its block.
///
/// If the cursor is of another lap, follows the head.
#[inline(always)]
fn moved<K: Content<P, C>, P: ClaimsBesides, C: Consumes>(
    shared: &Shared<K, P, C>,
    position: &mut Position,
    actual: Cursor,
) {
    if position.cursor.begin() == actual.begin() {
        position.cursor = actual;
        position.alone = false;
    } else {
        // Ordering: Relaxed: `find` checks the head against the block's word, and reads it again with Acquire.
        follow(shared, position, Cursor(shared.producers.load(Ordering::Relaxed)));
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
pub(super) fn is_full<K: Content<P, C>, P: ClaimsBesides, C: Consumes>(shared: &Shared<K, P, C>, head: Cursor) -> bool {
    K::is_full(shared, head.next_block(shared.blocks.geometry.blocks()))
}

/// Goes on to the block after the position's, which is used up, and opens it if no other thread
/// has.
///
/// The caller has seen that it is not `is_full`. A caller that finds it full need not call this
/// function, which would save registers.
#[inline(never)]
pub(super) fn next_block<K: Content<P, C>, P: ClaimsBesides, C: Consumes>(
    shared: &Shared<K, P, C>,
    position: &mut Position,
) -> Result<(), Reason> {
    let from = head_in_lap(position.head, position.cursor);
    let to = from.next_block(shared.blocks.geometry.blocks());
    let (word, used_up) = (&shared.block_of(to).allocated.cursor, to.version_before(shared.size()));
    let is_free = K::is_free(shared, to);
    // What was seen may be of the lap that another producer has opened since.
    if !is_free && !is_open(shared.block_of(to), used_up) {
        return Err(Reason::Busy);
    }
    if position.alone {
        C::filled_alone(shared.block(position), position.cursor);
    }
    if is_free {
        let opened = P::open(word, used_up, to.begin());
        if to.renews() && opened {
            K::renew(shared, to);
        }
    }
    // Ordering: Release pairs with the Acquire in `follow`: a thread that finds a new head finds its block open.
    // Relaxed where it fails: there it is found out.
    let head = shared.producers.compare_exchange(from.0, to.0, Ordering::Release, Ordering::Relaxed);
    follow(shared, position, head.map_or_else(Cursor, |_| to));
    Ok(())
}

/// Goes to the block of the producers' head.
pub(super) fn follow<K: Content<P, C>, P: ClaimsBesides, C: Consumes>(
    shared: &Shared<K, P, C>,
    position: &mut Position,
    head: Cursor,
) {
    position.follow(shared, &shared.producers, |block| P::how_far(allocated(block), shared.size()), head);
    position.alone = position.cursor.offset() == 0;
}
