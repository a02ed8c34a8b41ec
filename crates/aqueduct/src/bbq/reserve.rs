//! How consumers reserve items, and go on to the next block.

use core::ptr::NonNull;

use super::backoff::race::Race;
use super::block::{Block, Content};
use super::claim::{Claims, head_in_lap, is_open};
use super::cursor::Cursor;
use super::items::Items;
use super::length;
use super::line::{Line, Place};
use super::records::Bytes;
use super::shared::{Position, Shared};
use super::side::{Consumes, ConsumesRecords, Multi, Reason};
use crate::sync::Ordering;

/// Consumers that reserve items. Sealed.
pub trait Reserves: Consumes + Sized {
    /// Reserves a committed entry, and returns its cursor and its place.
    fn reserve_one<T, P: Claims>(
        shared: &Shared<Items<T>, P, Self>,
        position: &mut Position,
    ) -> Result<(Cursor, Place), Reason>;

    /// Takes up to `items.len()` items.
    fn pop_slice<T: Copy, P: Claims>(
        shared: &Shared<Items<T>, P, Self>,
        position: &mut Position,
        items: &mut [T],
    ) -> usize;

    /// Gives back `count` entries of a block from `at` on, whose items have been taken.
    fn consumed<T, P: Claims>(shared: &Shared<Items<T>, P, Self>, block: NonNull<Block>, at: Cursor, count: usize);

    /// Returns the consumers' place, for the handle at `position`.
    fn place<K: Content<P, Self>, P: Claims>(shared: &Shared<K, P, Self>, position: &Position) -> length::Place;

    /// Whether a pop would find no committed item.
    fn is_empty<T, P: Claims>(shared: &Shared<Items<T>, P, Self>, position: &Position) -> bool;

    /// Stores the handle's final position in the block, for the queue's `Drop`.
    fn leave<K: Content<P, Self>, P: Claims>(shared: &Shared<K, P, Self>, position: &Position);
}

/// Consumers that reserve records. Sealed.
pub trait ReservesRecords: Reserves + ConsumesRecords {
    /// Reserves the next record, if it is committed, and returns its cursor and its units.
    fn reserve_record<P: Claims>(
        shared: &Shared<Bytes, P, Self>,
        position: &mut Position,
    ) -> Result<(Cursor, usize), Reason>;

    /// Whether a read would find no committed record.
    fn is_empty_of_records<P: Claims>(shared: &Shared<Bytes, P, Self>, position: &Position) -> bool;

    /// Gives back the record of `units` units at `at`, which has been read.
    fn consumed_record<P: Claims>(shared: &Shared<Bytes, P, Self>, position: &Position, at: Cursor, units: usize);
}

/// Consumers whose handles can be cloned. Sealed.
pub trait ReservesBesides: Reserves {
    /// Returns how many entries of a block of that size a compare-exchange can reserve.
    fn by_exchange(size: usize) -> usize;

    /// Whether consumers have used up a block of that size.
    ///
    /// They were found at `at`, where no compare-exchange can reserve an entry.
    fn is_used_up(block: &Block, at: Cursor, size: usize) -> bool;

    /// Goes on to the block after the position's, and opens it to consumers if no other thread has.
    ///
    /// `next_is_open` saw consumers at `seen` there.
    fn enter_next<T, P: Claims>(shared: &Shared<Items<T>, P, Self>, position: &mut Position, seen: Cursor);

    /// Reserves up to `most` committed entries of one block, at least one.
    ///
    /// Returns the first one's cursor and their number. Asks `may` before, about the first one's
    /// cursor, which can turn out to be another; if it may not be reserved, the result is
    /// [`Reason::Busy`].
    fn reserve<T, P: Claims>(
        shared: &Shared<Items<T>, P, Self>,
        position: &mut Position,
        most: usize,
        may: impl FnMut(&Position, Cursor) -> bool,
    ) -> Result<(Cursor, usize), Reason>;
}

impl ReservesBesides for Multi {
    #[inline(always)]
    fn by_exchange(size: usize) -> usize {
        size
    }

    #[inline(always)]
    fn is_used_up(_block: &Block, _at: Cursor, _size: usize) -> bool {
        true
    }

    fn enter_next<T, P: Claims>(shared: &Shared<Items<T>, P, Self>, position: &mut Position, seen: Cursor) {
        enter_next(shared, position, seen);
    }

    #[inline(always)]
    fn reserve<T, P: Claims>(
        shared: &Shared<Items<T>, P, Self>,
        position: &mut Position,
        most: usize,
        may: impl FnMut(&Position, Cursor) -> bool,
    ) -> Result<(Cursor, usize), Reason> {
        let (at, count) = race(shared, position, |block, at| shared.committed_lines(block, at, most).min(most), may)?;
        let next = at.plus(count);
        if next.offset() != shared.size() && shared.committed(position.block, next, 1) == 0 {
            position.distance.was_last(next.offset());
            position.distance.compare(next.offset());
        }
        Ok((at, count))
    }
}

impl<C: ReservesBesides> Reserves for C {
    #[inline(always)]
    fn reserve_one<T, P: Claims>(
        shared: &Shared<Items<T>, P, Self>,
        position: &mut Position,
    ) -> Result<(Cursor, Place), Reason> {
        let (at, _) = C::reserve(shared, position, 1, |_, _| true)?;
        // SAFETY: an entry of the block.
        let place = unsafe { shared.entry(position.block, at.offset()) };
        // Any consumer may be the first to come to a line.
        if shared.is_far(position, at) {
            Line::<C::Entry<T>, P>::fetch_to_read::<C>(place.line);
        }
        Ok((at, place))
    }

    fn pop_slice<T: Copy, P: Claims>(
        shared: &Shared<Items<T>, P, Self>,
        position: &mut Position,
        items: &mut [T],
    ) -> usize {
        let mut done = 0;
        while done < items.len() {
            let Ok((at, count)) = C::reserve(shared, position, items.len() - done, |_, _| true) else { break };
            // SAFETY: reserved.
            unsafe { shared.take_slice(position, at, &mut items[done..done + count]) };
            Self::consumed(shared, position.block, at, count);
            done += count;
        }
        done
    }

    #[inline(always)]
    fn consumed<T, P: Claims>(shared: &Shared<Items<T>, P, Self>, block: NonNull<Block>, at: Cursor, count: usize) {
        mark_consumed(shared, block, at, count);
    }

    fn place<K: Content<P, Self>, P: Claims>(shared: &Shared<K, P, Self>, _position: &Position) -> length::Place {
        shared.place_of_consumers()
    }

    fn is_empty<T, P: Claims>(shared: &Shared<Items<T>, P, Self>, _position: &Position) -> bool {
        shared.is_empty_for_many()
    }

    fn leave<K: Content<P, Self>, P: Claims>(_shared: &Shared<K, P, Self>, _position: &Position) {}
}

/// Returns the consumers' cursor in a block.
#[inline(always)]
pub(super) fn reserved(block: &Block) -> Cursor {
    // Ordering: Acquire pairs with the Release that opened the block to consumers, in `next_block`: a thread that finds
    // a lap here finds the block open in it, and no marks that are older than the lap before.
    Cursor(block.reserved.by_exchange.load(Ordering::Acquire))
}

/// Reserves, among many consumers, the entries that `extent` finds committed from a cursor on.
///
/// `extent` returns 0 if there is none.
#[inline(always)]
fn race<K: Content<P, Multi>, P: Claims>(
    shared: &Shared<K, P, Multi>,
    position: &mut Position,
    extent: impl Fn(NonNull<Block>, Cursor) -> usize,
    mut may: impl FnMut(&Position, Cursor) -> bool,
) -> Result<(Cursor, usize), Reason> {
    position.distance.keep();
    let mut race = Race::default();
    loop {
        let at = position.cursor;
        if at.offset() == shared.size() {
            next_block(shared, position)?;
            continue;
        }
        let count = extent(position.block, at);
        let block = shared.block(position);
        if count == 0 {
            look_again(shared, position)?;
            continue;
        }
        if !may(position, at) {
            return Err(Reason::Busy);
        }
        match exchange(block, at, count) {
            Ok(reserved) => {
                position.cursor = reserved;
                return Ok((at, count));
            }
            Err(actual) => lost(shared, position, &mut race, count, actual),
        }
    }
}

/// Reserves `count` entries of a block from `at` on, if consumers are there.
///
/// Otherwise returns their current cursor.
#[inline(always)]
pub(super) fn exchange(block: &Block, at: Cursor, count: usize) -> Result<Cursor, Cursor> {
    let next = at.plus(count);
    // Ordering: Relaxed where it succeeds: the marks have ordered the items. And where it fails: in the same lap that
    // is no news, and in another one the head is followed.
    let exchanged = block.reserved.by_exchange.compare_exchange(at.0, next.0, Ordering::Relaxed, Ordering::Relaxed);
    exchanged.map_or_else(|actual| Err(Cursor(actual)), |_| Ok(next))
}

/// Handles a lost exchange of the position's cursor, for `count` entries, that found `actual`.
#[inline(always)]
pub(super) fn lost<K: Content<P, C>, P: Claims, C: Consumes>(
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
        && actual.offset() < shared.size()
        && let Some(now) = race.lost(position, at, count, actual, K::HINTS, || reserved(block))
    {
        moved(shared, position, now);
    }
}

/// Marks `count` entries from `at` on as consumed by one of many consumers.
#[inline(always)]
pub(super) fn mark_consumed<T, P: Claims, C: Consumes>(
    shared: &Shared<Items<T>, P, C>,
    block: NonNull<Block>,
    at: Cursor,
    count: usize,
) {
    let marks = shared.marks(block);
    for offset in at.offset()..at.offset() + count {
        // Ordering: Release pairs with the Acquire load in `are_consumed`: the item has been read.
        // SAFETY: an entry of the block has its mark.
        unsafe { marks.add(offset).as_ref() }.store(at.parity(), Ordering::Release);
    }
}

impl ReservesRecords for Multi {
    #[inline(always)]
    fn reserve_record<P: Claims>(
        shared: &Shared<Bytes, P, Self>,
        position: &mut Position,
    ) -> Result<(Cursor, usize), Reason> {
        let (at, units) = race(shared, position, |block, at| shared.extent(block, at), |_, _| true)?;
        let next = at.plus(units);
        if shared.is_close(position.block, next) {
            position.distance.was_last(next.offset());
            position.distance.compare(next.offset());
        }
        Ok((at, units))
    }

    /// Stops at a dummy: by the time that its length is read, it can be another consumer's.
    fn is_empty_of_records<P: Claims>(shared: &Shared<Bytes, P, Self>, _position: &Position) -> bool {
        shared.is_empty_for_many()
    }

    #[inline(always)]
    fn consumed_record<P: Claims>(shared: &Shared<Bytes, P, Self>, position: &Position, at: Cursor, units: usize) {
        shared.mark_consumed(position.block, at, units);
    }
}

/// Finds the consumers' current place, after the entry at the position's cursor was not committed.
///
/// Or says why there is no item.
#[inline(always)]
pub(super) fn look_again<K: Content<P, C>, P: Claims, C: Consumes>(
    shared: &Shared<K, P, C>,
    position: &mut Position,
) -> Result<(), Reason> {
    let (at, block) = (position.cursor, shared.block(position));
    let actual = reserved(block);
    if actual != at {
        moved(shared, position, actual);
    } else if let Some(reason) = P::why_not_committed(block, at) {
        position.distance.found_nothing();
        return Err(reason);
    }
    Ok(())
}

/// Consumers are found further on in the position's block; or in another lap, and then wherever the head is.
#[inline(always)]
pub(super) fn moved<K: Content<P, C>, P: Claims, C: Consumes>(
    shared: &Shared<K, P, C>,
    position: &mut Position,
    actual: Cursor,
) {
    position.distance.met_another();
    if actual.begin() == position.cursor.begin() {
        position.cursor = actual;
    } else {
        // Ordering: Relaxed: `find` checks the head against the block's word, and reads it again with Acquire.
        follow(shared, position, Cursor(shared.consumers.load(Ordering::Relaxed)));
    }
}

/// Goes to the block of the consumers' head.
#[cold]
#[inline(never)]
pub(super) fn follow<K: Content<P, C>, P: Claims, C: Consumes>(
    shared: &Shared<K, P, C>,
    position: &mut Position,
    head: Cursor,
) {
    position.follow(shared, &shared.consumers, reserved, head);
}

/// Checks that producers have opened the block after `from`'s, which consumers have used up.
///
/// Returns the consumers' cursor in that block; it may not be open to them yet.
#[inline(always)]
pub(super) fn next_is_open<K: Content<P, C>, P: Claims, C: Consumes>(
    shared: &Shared<K, P, C>,
    from: Cursor,
) -> Result<Cursor, Reason> {
    let to = from.next_block(shared.blocks.geometry.blocks());
    let (block, before) = (shared.block_of(to), to.version_before(0));
    let seen = reserved(block);
    // After `reserved`, `is_open` reads nothing older than that lap.
    if seen.begin() == before && !is_open(block, before) { Err(Reason::Exhausted) } else { Ok(seen) }
}

/// Goes on to the block after that of the position's cursor.
#[inline(never)]
fn next_block<K: Content<P, Multi>, P: Claims>(
    shared: &Shared<K, P, Multi>,
    position: &mut Position,
) -> Result<(), Reason> {
    let from = head_in_lap(position.head, position.cursor);
    let seen = next_is_open(shared, from).inspect_err(|_| position.distance.found_nothing())?;
    enter_next(shared, position, seen);
    Ok(())
}

/// Goes on to the next block, and opens it to consumers if no other thread has.
///
/// `next_is_open` saw consumers at `seen` there.
fn enter_next<K: Content<P, Multi>, P: Claims>(shared: &Shared<K, P, Multi>, position: &mut Position, seen: Cursor) {
    let from = head_in_lap(position.head, position.cursor);
    let to = from.next_block(shared.blocks.geometry.blocks());
    if seen == to.version_before(shared.size()) {
        let word = &shared.block_of(to).reserved.by_exchange;
        // Ordering: Release pairs with the Acquire in `reserved`. If another consumer was faster, that is as well.
        let _ = word.compare_exchange(seen.0, to.begin().0, Ordering::Release, Ordering::Relaxed);
    }
    move_head(shared, position, from, to);
}

/// Moves the consumers' head from one block to the next, which is open to them, and follows it.
///
/// Another thread may have moved it before.
pub(super) fn move_head<K: Content<P, C>, P: Claims, C: Consumes>(
    shared: &Shared<K, P, C>,
    position: &mut Position,
    from: Cursor,
    to: Cursor,
) {
    // Ordering: Release pairs with the Acquire in `follow`: a thread that finds a new head finds its block open.
    // Relaxed where it fails: there it is found out.
    let head = shared.consumers.compare_exchange(from.0, to.0, Ordering::Release, Ordering::Relaxed);
    follow(shared, position, head.map_or_else(Cursor, |_| to));
}
