//! A single thread on a side, producer or consumer: it knows its side's place, and races with no
//! thread for an entry.
//!
//! It goes along a line and reads nothing but the items. Once a line, it finds the next one, and
//! prefetches a later one.

use core::ptr::NonNull;

use super::block::{Block, Content};
use super::claim::{Claims, is_open};
use super::cursor::Cursor;
use super::items::Items;
use super::length;
use super::line::{Line, Place};
use super::records::Bytes;
use super::reserve::{Reserves, ReservesRecords};
use super::shared::{Position, Shared};
use super::side::{Commits, Consumes, Reason, Single};
use crate::sync::{Cell, Ordering, prefetch_to_read};

impl<T, P: Commits, C: Consumes> Shared<Items<T>, P, C> {
    /// Sets the position to the line of `place`, the block's entry `offset`, up to `stop`.
    #[inline(always)]
    pub(super) fn go_along(&self, position: &mut Position, place: Place, offset: usize, stop: usize) {
        position.line = place.line;
        position.first = offset - place.slot;
        position.stop = stop;
    }

    /// Returns the end of the line of `place`, the block's entry `offset`.
    #[inline(always)]
    fn line_end(&self, place: Place, offset: usize) -> usize {
        self.size().min(offset - place.slot + Line::<C::Entry<T>, P>::SLOTS)
    }

    /// Goes on by up to `most` entries, at least one.
    ///
    /// Returns the first one's cursor, its place and their number. The position is before its
    /// `stop`. `at` is the position's cursor: otherwise the compiler would read it from memory once
    /// more, and each operation would wait for that load.
    #[inline(always)]
    fn step(&self, position: &mut Position, at: Cursor, most: usize) -> (Cursor, Place, usize) {
        // `max(1)` tells the compiler that it is at least one: with `most` = 1 there is nothing to compute.
        let count = most.min(position.stop - at.offset()).max(1);
        position.cursor = at.plus(count);
        // SAFETY: before `stop`: `go_along` has set it with the line, and every other move of the cursor moves it as
        // well.
        let place = unsafe { Place::in_line::<C::Entry<T>, P>(position.line, at.offset() - position.first) };
        (at, place, count)
    }
}

impl Claims for Single {
    #[inline(always)]
    fn claim<K: Content<Self, C>, C: Consumes>(
        shared: &Shared<K, Self, C>,
        position: &mut Position,
        most: usize,
    ) -> Result<(Cursor, usize), Reason> {
        if position.cursor.offset() == shared.size() {
            next_to_fill(shared, position)?;
        }
        let at = position.cursor;
        debug_assert!(most > 0);
        let count = most.min(shared.size() - at.offset());
        position.go_to(at.plus(count));
        Ok((at, count))
    }

    #[inline(always)]
    fn claim_one<T, C: Consumes>(
        shared: &Shared<Items<T>, Self, C>,
        position: &mut Position,
    ) -> Result<(Cursor, Place), Reason> {
        let mut at = position.cursor;
        if at.offset() == position.stop {
            if position.stop == shared.size() {
                next_to_fill(shared, position)?;
                at = position.cursor;
            }
            // SAFETY: an entry of the block.
            let place = unsafe { shared.entry(position.block, at.offset()) };
            Line::<C::Entry<T>, Self>::fetch_to_write(place.line);
            shared.go_along(position, place, at.offset(), shared.line_end(place, at.offset()));
        }
        let (at, place, _) = shared.step(position, at, 1);
        Ok((at, place))
    }

    fn leave<K: Content<Self, C>, C: Consumes>(shared: &Shared<K, Self, C>, position: &Position) {
        // Ordering: Release, as where the block was opened, for readers of a drop-old queue.
        shared.block(position).allocated.cursor.store(position.cursor.0, Ordering::Release);
    }

    /// Reads the block's cursor: a single producer writes it when it enters the block.
    #[inline(always)]
    fn has_overwritten<K: Content<Self, C>, C: Consumes>(shared: &Shared<K, Self, C>, position: &Position) -> bool {
        // Ordering: Relaxed, see where it is used.
        Cursor(shared.block(position).allocated.cursor.load(Ordering::Relaxed)).begin() != position.head.begin()
    }

    #[inline(always)]
    fn give_back(position: &mut Position, at: Cursor, _claimed: usize, used: usize) -> usize {
        position.go_to(at.plus(used));
        used
    }

    fn place<K: Content<Self, C>, C: Consumes>(_shared: &Shared<K, Self, C>, position: &Position) -> length::Place {
        (position.head, position.cursor)
    }

    fn place_seen<K: Content<Self, C>, C: Consumes>(shared: &Shared<K, Self, C>, from: Cursor) -> length::Place {
        shared.search_producer(from)
    }

    /// Ignores the producer's claims: consumers see only what a single producer has committed.
    fn why_not_committed(_block: &Block, _reserved: Cursor) -> Option<Reason> {
        Some(Reason::Exhausted)
    }

    fn why_not_among(_allocated: Cursor, _reserved: Cursor) -> Reason {
        Reason::Exhausted
    }
}

/// Goes on to the block after the producer's, which is filled.
///
/// If there is no room it ends here, with no registers to save.
#[inline(never)]
fn next_to_fill<K: Content<Single, C>, C: Consumes>(
    shared: &Shared<K, Single, C>,
    position: &mut Position,
) -> Result<(), Reason> {
    let to = position.head.next_block(shared.blocks.geometry.blocks());
    if K::is_full(shared, to) { Err(Reason::Exhausted) } else { enter(shared, position, to) }
}

/// Goes on to the block of that head, which is not full.
#[inline(never)]
fn enter<K: Content<Single, C>, C: Consumes>(
    shared: &Shared<K, Single, C>,
    position: &mut Position,
    to: Cursor,
) -> Result<(), Reason> {
    if !K::is_free(shared, to) {
        return Err(Reason::Busy);
    }
    position.enter(shared, to);
    let opened = Single::opened(position.cursor, shared.size());
    // Ordering: Release pairs with the Acquire in `allocated`: a reader of a drop-old queue learns what was opened
    // before. (Where nothing is overwritten, the stamps order all that is needed.)
    shared.block(position).allocated.cursor.store(opened.0, Ordering::Release);
    if to.renews() {
        K::renew(shared, to);
    }
    Ok(())
}

impl Reserves for Single {
    #[inline(always)]
    fn reserve_one<T, P: Claims>(
        shared: &Shared<Items<T>, P, Self>,
        position: &mut Position,
    ) -> Result<(Cursor, Place), Reason> {
        let (at, place, _) = reserve_in_line(shared, position, 1)?;
        Ok((at, place))
    }

    fn pop_slice<T: Copy, P: Claims>(
        shared: &Shared<Items<T>, P, Self>,
        position: &mut Position,
        items: &mut [T],
    ) -> usize {
        shared.pop_copies(position, items)
    }

    /// Gives a block back as a whole, with its last item.
    #[inline(always)]
    fn consumed<T, P: Claims>(shared: &Shared<Items<T>, P, Self>, block: NonNull<Block>, at: Cursor, count: usize) {
        give_back(shared, block, at.plus(count));
    }

    fn place<K: Content<P, Self>, P: Claims>(_shared: &Shared<K, P, Self>, position: &Position) -> length::Place {
        (position.head, position.cursor)
    }

    fn is_empty<T, P: Claims>(shared: &Shared<Items<T>, P, Self>, position: &Position) -> bool {
        // Up to `stop`, items were found before.
        position.cursor.offset() >= position.stop && shared.next_there((position.head, position.cursor)).is_none()
    }

    fn leave<K: Content<P, Self>, P: Claims>(shared: &Shared<K, P, Self>, position: &Position) {
        if position.cursor.offset() != shared.size() {
            // Ordering: Relaxed, what orders the queue's drop after this handle's orders this, too.
            shared.block(position).reserved.by_exchange.store(position.cursor.0, Ordering::Relaxed);
        }
    }
}

impl ReservesRecords for Single {
    #[inline(always)]
    fn reserve_record<P: Claims>(
        shared: &Shared<Bytes, P, Self>,
        position: &mut Position,
    ) -> Result<(Cursor, usize), Reason> {
        position.distance.keep();
        if position.cursor.offset() == shared.size() {
            next_to_empty(shared, position)?;
        }
        let at = position.cursor;
        let units = shared.extent(position.block, at);
        if units == 0 {
            return Err(nothing(shared, position));
        }
        position.cursor = at.plus(units);
        if shared.is_close(position.block, position.cursor) {
            position.distance.was_last(position.cursor.offset());
            position.distance.compare(position.cursor.offset());
        }
        Ok((at, units))
    }

    fn is_empty_of_records<P: Claims>(shared: &Shared<Bytes, P, Self>, position: &Position) -> bool {
        let mut place = (position.head, position.cursor);
        while let Some((head, at)) = shared.next_there(place) {
            let block = shared.blocks.block(head.offset());
            // SAFETY: nobody writes a committed record before its only consumer gives it back.
            if !unsafe { shared.is_dummy(block, at) } {
                return false;
            }
            place = (head, at.plus(shared.extent(block, at)));
        }
        true
    }

    #[inline(always)]
    fn consumed_record<P: Claims>(shared: &Shared<Bytes, P, Self>, position: &Position, at: Cursor, units: usize) {
        give_back(shared, position.block, at.plus(units));
    }
}

/// Reserves up to `most` committed entries of one line, at least one, for the only consumer.
///
/// Returns the first one's cursor, its place and their number. Looks at a line on entering it, and
/// again if not all of it was committed.
#[inline(always)]
pub(super) fn reserve_in_line<T, P: Claims>(
    shared: &Shared<Items<T>, P, Single>,
    position: &mut Position,
    most: usize,
) -> Result<(Cursor, Place, usize), Reason> {
    let mut at = position.cursor;
    if at.offset() == position.stop {
        at = look(shared, position, at)?;
    }
    Ok(shared.step(position, at, most))
}

/// Looks at a line on entering it, and again if not all of it was committed.
///
/// Returns the only consumer's cursor.
#[inline(always)]
fn look<T, P: Claims>(
    shared: &Shared<Items<T>, P, Single>,
    position: &mut Position,
    mut at: Cursor,
) -> Result<Cursor, Reason> {
    position.distance.keep();
    if position.stop == shared.size() {
        next_to_empty(shared, position)?;
        at = position.cursor;
    }
    // SAFETY: an entry of the block.
    let place = unsafe { shared.entry(position.block, at.offset()) };
    let end = shared.line_end(place, at.offset());
    // SAFETY: the line has so many entries.
    let count = unsafe { P::committed(place.line, place.slot, at, end - at.offset()) };
    // Nothing that is done with a whole line is worked out from its stamp: the processor goes on to the next lines
    // before it knows that.
    if at.offset() + count < end {
        if count == 0 {
            return Err(nothing(shared, position));
        }
        let stop = at.offset() + count;
        shared.go_along(position, place, at.offset(), stop);
        position.distance.was_last(stop);
        position.distance.compare(stop);
    } else {
        shared.go_along(position, place, at.offset(), end);
    }
    if place.slot == 0 && shared.is_far(position, at) {
        Line::<Cell<T>, P>::fetch_to_read::<Single>(place.line);
    }
    Ok(at)
}

/// Says why the only consumer finds nothing committed at its cursor.
///
/// The cursor is its own, so it is not out of date.
#[inline(always)]
fn nothing<K: Content<P, Single>, P: Claims>(shared: &Shared<K, P, Single>, position: &mut Position) -> Reason {
    position.distance.found_nothing();
    P::why_not_committed(shared.block(position), position.cursor).unwrap_or(Reason::Exhausted)
}

/// Gives back a block, if `next` is its end.
#[inline(always)]
fn give_back<K: Content<P, Single>, P: Claims>(shared: &Shared<K, P, Single>, block: NonNull<Block>, next: Cursor) {
    if next.offset() == shared.size() {
        // Ordering: Release pairs with the Acquire load in `is_given_back`: the items have been read.
        // SAFETY: one of the queue's blocks.
        unsafe { block.as_ref() }.reserved.by_exchange.store(next.0, Ordering::Release);
    }
}

/// Minimum block size for the once-per-block proximity check.
///
/// In smaller blocks one block behind is still too close.
const LONG: usize = 128;

/// Goes on to the block after the consumer's, which is empty.
#[inline(never)]
fn next_to_empty<K: Content<P, Single>, P: Claims>(
    shared: &Shared<K, P, Single>,
    position: &mut Position,
) -> Result<(), Reason> {
    let to = position.head.next_block(shared.blocks.geometry.blocks());
    let block = shared.blocks.block(to.offset());
    // SAFETY: a block of this queue.
    if !is_open(unsafe { block.as_ref() }, to.version_before(shared.size())) {
        position.distance.found_nothing();
        return Err(Reason::Exhausted);
    }
    position.enter(shared, to);
    if shared.size() >= LONG {
        let next = to.next_block(shared.blocks.geometry.blocks());
        position.distance.compare(0);
        position.distance.is_in_block(!is_open(shared.block_of(next), next.version_before(shared.size())));
        // This check will be made of the block after it, a block from here.
        let after = shared.block_of(next.next_block(shared.blocks.geometry.blocks()));
        prefetch_to_read((&raw const after.allocated).cast());
    }
    Ok(())
}
