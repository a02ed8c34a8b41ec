//! A single consumer: it has its side's place to itself, and races with no thread for an entry.
//!
//! It goes along a line and reads nothing but the items. Once a line, it finds the next one, and
//! prefetches a later one.
//!
//! It also passes items to a closure, and copies slices, line by line, so that no item is copied on
//! the way. If the closure panics, the items that it has not received stay in the queue.

use core::ptr::NonNull;

use super::super::items::{Items, entries_ahead};
use super::super::memory::{Block, Cursor, Line, Marks, Reason, Slot, Span};
use super::super::ring::{Content, Place, Reuse, Ring};
use super::super::side::Single;
use super::{ConsumerSide, RecordConsumerSide};
use crate::backoff::{Backoff, Distance};
use crate::error::PushError;
use crate::sync::{Cell, Ordering, prefetch_to_read};

/// The state of a single consumer.
#[derive(Clone, Copy, Debug)]
pub struct State {
    /// The head of its block: lap and index.
    head: Cursor,
    block: NonNull<Block>,
    /// The next entry.
    cursor: Cursor,
    /// The entries of the cursor's line that are known to be committed. Records have none.
    committed: Span,
    /// Backoff by the distance from the producers.
    pub(super) distance: Distance,
}

impl State {
    fn new<K: Content>(ring: &Ring<K>, head: Cursor, distance: Distance) -> Self {
        let block = ring.at(head);
        Self { head, block, cursor: head.begin(), committed: Span::new(block), distance }
    }
}

impl Reuse for Single {
    const MARKS_EACH: bool = false;
    const ALONE: bool = true;
    type Entry<T> = Cell<T>;

    #[inline(always)]
    fn refused<T>(item: T, _reason: Reason) -> PushError<T> {
        PushError::Full(item)
    }

    /// Whether the consumer has not given back the block.
    ///
    /// Then it has given the block back in the lap before that, or never, or it has left it.
    #[inline(always)]
    fn is_full<K: Content<Reuse = Self>>(ring: &Ring<K>, head: Cursor) -> bool {
        let used_up = head.lap_before(ring.size());
        // Ordering: Relaxed, nothing is done with what it has read.
        let reserved = Cursor(ring.block_of(head).consumers.reserved.load(Ordering::Relaxed));
        if !K::Marks::EACH {
            // No other thread can have opened the block since.
            return reserved != used_up;
        }
        reserved == used_up.lap_before(ring.size()) || reserved.begin() == used_up.begin() && reserved != used_up
    }

    /// Whether the consumer has given back the block.
    #[inline(always)]
    fn is_free<K: Content<Reuse = Self>>(ring: &Ring<K>, head: Cursor) -> bool {
        // Ordering: Acquire pairs with the Release store in `consume`: the items have been read.
        let reserved = ring.block_of(head).consumers.reserved.load(Ordering::Acquire);
        reserved == head.lap_before(ring.size()).0
    }
}

impl ConsumerSide for Single {
    type State = State;

    fn start<K: Content<Reuse = Self>>(ring: &Ring<K>, head: Cursor) -> State {
        State::new(ring, head, Distance::default())
    }

    fn set_backoff(state: &mut State, backoff: Backoff) {
        state.distance.set(backoff);
    }

    #[inline(always)]
    fn reserve_entry<T, P: Marks>(ring: &Ring<Items<T, P, Self>>, state: &mut State) -> Result<(Cursor, Slot), Reason> {
        let (at, slot, _) = reserve(ring, state, 1)?;
        Ok((at, slot))
    }

    #[inline(always)]
    fn block(state: &State) -> NonNull<Block> {
        state.block
    }

    fn pop_slice<T: Copy, P: Marks>(ring: &Ring<Items<T, P, Self>>, state: &mut State, mut items: &mut [T]) -> usize {
        pop_lines(ring, state, items.len(), |line, count| {
            let (now, later) = core::mem::take(&mut items).split_at_mut(count);
            // SAFETY: the line has `count` items more.
            unsafe { line.copy(now) };
            items = later;
        })
    }

    /// Gives a block back as a whole, with its last entry.
    #[inline(always)]
    fn consume<K: Content<Reuse = Self>>(ring: &Ring<K>, block: NonNull<Block>, at: Cursor, count: usize) {
        let next = at.plus(count);
        if next.offset() == ring.size() {
            // Ordering: Release pairs with the Acquire load in `is_free`: the items have been read.
            ring.words(block).consumers.reserved.store(next.0, Ordering::Release);
        }
    }

    fn place<K: Content<Reuse = Self>>(_ring: &Ring<K>, state: &State) -> Place {
        (state.head, state.cursor)
    }

    fn is_empty<K: Content<Reuse = Self>>(ring: &Ring<K>, state: &State) -> bool {
        // Up to `stop`, items were found before.
        state.cursor.offset() >= state.committed.stop && ring.next_there((state.head, state.cursor)).is_none()
    }

    #[inline(always)]
    fn may_have_made_room<K: Content<Reuse = Self>>(ring: &Ring<K>, state: &State) -> bool {
        state.cursor.offset() == ring.size()
    }

    fn leave<K: Content<Reuse = Self>>(ring: &Ring<K>, state: &State) {
        if state.cursor.offset() != ring.size() {
            // Ordering: Relaxed, what orders the queue's drop after this handle's orders this, too.
            ring.words(state.block).consumers.reserved.store(state.cursor.0, Ordering::Relaxed);
        }
    }
}

impl RecordConsumerSide for Single {
    #[inline(always)]
    fn reserve_record<K: Content<Reuse = Self>>(ring: &Ring<K>, state: &mut State) -> Result<(Cursor, usize), Reason> {
        state.distance.keep();
        if state.cursor.offset() == ring.size() {
            advance(ring, state)?;
        }
        let at = state.cursor;
        let units = K::extent(ring, state.block, at, usize::MAX);
        if units == 0 {
            return Err(nothing(ring, state));
        }
        state.cursor = at.plus(units);
        if ring.is_last(state.block, state.cursor) {
            state.distance.was_last(state.cursor.offset());
            state.distance.compare(state.cursor.offset());
        }
        Ok((at, units))
    }
}

/// Reserves up to `most` committed entries of one line, at least one.
///
/// Returns the first one's cursor, its slot and their number. Looks at a line on entering it, and
/// again if not all of it was committed.
#[inline(always)]
fn reserve<T, P: Marks>(
    ring: &Ring<Items<T, P, Single>>,
    state: &mut State,
    most: usize,
) -> Result<(Cursor, Slot, usize), Reason> {
    // The cursor is read once: otherwise each operation would wait for another load of it.
    let mut at = state.cursor;
    if at.offset() == state.committed.stop {
        at = look(ring, state, at)?;
    }
    let (slot, count) = state.committed.entries::<Cell<T>, P>(at, most);
    state.cursor = at.plus(count);
    Ok((at, slot, count))
}

/// Looks at a line on entering it, and again if not all of it was committed.
///
/// Returns the consumer's cursor.
#[inline(always)]
fn look<T, P: Marks>(ring: &Ring<Items<T, P, Single>>, state: &mut State, mut at: Cursor) -> Result<Cursor, Reason> {
    state.distance.keep();
    if state.committed.stop == ring.size() {
        advance(ring, state)?;
        at = state.cursor;
    }
    // SAFETY: an entry of the block.
    let slot = unsafe { ring.entry(state.block, at.offset()) };
    let end = ring.size().min(at.offset() - slot.number + Line::<Cell<T>, P>::SLOTS);
    // SAFETY: the line has the entries up to `end`.
    let count = unsafe { P::committed(slot.line, slot.number, at, end - at.offset()) };
    // Nothing that is done with a whole line is worked out from its stamp: the processor goes on to
    // the next lines before the stamp is there.
    if at.offset() + count < end {
        if count == 0 {
            return Err(nothing(ring, state));
        }
        let stop = at.offset() + count;
        state.committed = Span::along(slot, at.offset(), stop);
        state.distance.was_last(stop);
        state.distance.compare(stop);
    } else {
        state.committed = Span::along(slot, at.offset(), end);
    }
    if slot.number == 0 && is_far::<T, P>(state, at) {
        Line::<Cell<T>, P>::fetch_to_read(slot.line, true);
    }
    Ok(at)
}

/// Whether producers are far enough ahead of that entry for a prefetch of lines.
#[inline(always)]
fn is_far<T, P: Marks>(state: &State, at: Cursor) -> bool {
    state.distance.is_at_least(entries_ahead::<T, P, Single>(), at.offset())
}

/// Returns the reason why the consumer finds nothing committed at its cursor.
///
/// The cursor is its own, so it is not out of date.
#[inline(always)]
fn nothing<K: Content<Reuse = Single>>(ring: &Ring<K>, state: &mut State) -> Reason {
    state.distance.found_nothing();
    K::Marks::why_not_committed(ring.words(state.block), state.cursor).unwrap_or(Reason::Exhausted)
}

/// Minimum block size for the once-per-block proximity check.
///
/// In smaller blocks one block behind is still too close.
const LONG: usize = 128;

/// Goes on to the block after the consumer's, which is empty.
#[inline(never)]
fn advance<K: Content<Reuse = Single>>(ring: &Ring<K>, state: &mut State) -> Result<(), Reason> {
    let to = ring.blocks.next(state.head);
    if !ring.block_of(to).is_open(to.lap_before(ring.size())) {
        state.distance.found_nothing();
        return Err(Reason::Exhausted);
    }
    *state = State::new(ring, to, state.distance.entered(ring.size()));
    if ring.size() >= LONG {
        let next = ring.blocks.next(to);
        state.distance.compare(0);
        state.distance.entered_block(!ring.block_of(next).is_open(next.lap_before(ring.size())));
        // This check will be made of the block after it, a block from here.
        let after = ring.block_of(ring.blocks.next(next));
        prefetch_to_read((&raw const after.producers).cast());
    }
    Ok(())
}

/// Entries of lines that are being emptied, one line after the other.
///
/// Dropping it consumes the taken entries of the last line, also after a panic of the user's code;
/// the other entries are taken next time.
struct Taking<'a, T, P: Marks> {
    ring: &'a Ring<Items<T, P, Single>>,
    state: &'a mut State,
    slot: Slot,
    at: Cursor,
    /// The offset up to which the line is known to be committed.
    stop: usize,
    taken: usize,
}

impl<T, P: Marks> Taking<'_, T, P> {
    /// Takes the next item.
    ///
    /// # Safety
    /// The line has one.
    #[inline(always)]
    unsafe fn take(&mut self) -> T {
        // SAFETY: the caller's promise. It is taken once: it counts before anything else can
        // happen.
        let item = unsafe { self.slot.entry.cast::<Cell<T>>().add(self.taken).as_ref().take() };
        self.taken += 1;
        item
    }

    /// Fills `to` with items of a line from which none has been taken.
    ///
    /// # Safety
    /// The line has that many.
    #[inline(always)]
    unsafe fn copy(&mut self, to: &mut [T])
    where
        T: Copy,
    {
        let from = self.slot.entry.cast::<Cell<T>>();
        for (number, to) in to.iter_mut().enumerate() {
            // SAFETY: the caller's promise.
            *to = unsafe { from.add(number).as_ref().take() };
        }
        self.taken = to.len();
    }

    /// Goes on to the next line of the block, and returns the number of its items.
    ///
    /// Returns `None` if this line is not used up, if it is the last, or if not all items of the
    /// next one are there.
    #[inline(always)]
    fn next_line(&mut self) -> Option<usize> {
        let slots = const { Line::<Cell<T>, P>::SLOTS };
        let next = self.at.plus(self.taken);
        let left = self.ring.size() - next.offset();
        if self.slot.number + self.taken < slots || left == 0 {
            return None;
        }
        let count = slots.min(left);
        // SAFETY: the block has a line more.
        let slot = unsafe { Line::<Cell<T>, P>::slot_in(Line::<Cell<T>, P>::end(self.slot.line), 0) };
        // SAFETY: it has `count` entries.
        if unsafe { P::committed(slot.line, 0, next, count) } < count {
            return None;
        }
        (self.slot, self.at, self.taken, self.stop) = (slot, next, 0, next.offset() + count);
        Some(count)
    }
}

impl<T, P: Marks> Drop for Taking<'_, T, P> {
    #[inline(always)]
    fn drop(&mut self) {
        self.state.committed = Span::along(self.slot, self.at.offset(), self.stop);
        self.state.cursor = self.at.plus(self.taken);
        Single::consume(self.ring, self.state.block, self.at, self.taken);
    }
}

/// Passes up to `most` items to `take`.
#[inline(always)]
pub(crate) fn pop_each<T, P: Marks>(
    ring: &Ring<Items<T, P, Single>>,
    state: &mut State,
    most: usize,
    mut take: impl FnMut(T),
) -> usize {
    pop_lines(ring, state, most, |line, count| {
        while line.taken < count {
            // SAFETY: the line has `count` items.
            take(unsafe { line.take() });
        }
    })
}

/// Takes up to `most` items, line by line: `take` gets a line and how many to take of it.
#[inline(always)]
fn pop_lines<T, P: Marks>(
    ring: &Ring<Items<T, P, Single>>,
    state: &mut State,
    most: usize,
    mut take: impl FnMut(&mut Taking<'_, T, P>, usize),
) -> usize {
    let mut done = 0;
    while done < most {
        let Ok((at, slot, count)) = reserve(ring, state, most - done) else { break };
        let (far, stop) = (is_far::<T, P>(state, at), state.committed.stop);
        let mut line = Taking { ring, state, slot, at, stop, taken: 0 };
        Line::<Cell<T>, P>::with(count, |count| take(&mut line, count));
        done += count;
        while done < most
            && let Some(there) = line.next_line()
        {
            if far {
                Line::<Cell<T>, P>::fetch_to_read(line.slot.line, true);
            }
            let count = there.min(most - done);
            Line::<Cell<T>, P>::with(count, |count| take(&mut line, count));
            done += count;
        }
    }
    done
}
