//! A single producer: it has its side's place to itself, and races with no thread for an entry.
//!
//! It goes along a line and reads nothing. Once a line, it finds the next one, and prefetches a
//! later one.
//!
//! It also fills lines from an iterator, so that no item is copied on the way. One of many
//! producers has allocated its entries when the user's code runs, and could neither give them back
//! nor leave them empty if that code panics. It has slices instead, which run no user code.

use core::ptr::NonNull;

use super::super::items::{Items, LineOf};
use super::super::memory::{Block, Cursor, Entry, Line, Marks, Reason, Slot, Span};
use super::super::ring::{Content, Place, Reuse, Ring};
use super::super::side::Single;
use super::{ProducerSide, SlotProducerSide};
use crate::error::{PopError, PushError};
use crate::sync::{AtomicUsize, Ordering};

/// The state of a single producer.
#[derive(Clone, Copy, Debug)]
pub struct State {
    /// The head of its block: lap and index.
    head: Cursor,
    block: NonNull<Block>,
    /// The next entry.
    cursor: Cursor,
    /// The entries of the cursor's line that are free; none if it has to find the line.
    free: Span,
}

impl State {
    fn new<K: Content>(ring: &Ring<K>, head: Cursor) -> Self {
        let block = ring.at(head);
        Self { head, block, cursor: head.begin(), free: Span::new(block) }
    }

    /// Moves to an entry whose line is not known.
    #[inline(always)]
    fn go_to(&mut self, cursor: Cursor) {
        (self.cursor, self.free.stop) = (cursor, cursor.offset());
    }
}

impl Marks for Single {
    const EACH: bool = false;

    #[inline(always)]
    fn nothing(_reason: Reason) -> PopError {
        PopError::Empty
    }

    /// Opens all entries at once.
    ///
    /// Consumers ignore entries that a single producer has not committed, and if readers read this
    /// word, each store costs the producer a wait.
    fn opened(first: Cursor, size: usize) -> Cursor {
        first.plus(size)
    }

    unsafe fn initialise(line: NonNull<u8>, _slots: usize, marked: Cursor) {
        // SAFETY: the caller's promise.
        unsafe { line.cast::<AtomicUsize>().write(AtomicUsize::new(marked.0)) };
    }

    /// Writes the line's stamp: up to where the block is filled, in which lap.
    #[inline(always)]
    unsafe fn commit(line: NonNull<u8>, _slot: usize, at: Cursor, count: usize) {
        // Ordering: Release pairs with the Acquire load in `committed`; without it, a consumer
        // reads entries that are not written yet.
        // SAFETY: a line begins with its stamp.
        unsafe { line.cast::<AtomicUsize>().as_ref() }.store(at.plus(count).0, Ordering::Release);
    }

    #[inline(always)]
    unsafe fn committed(line: NonNull<u8>, _slot: usize, at: Cursor, most: usize) -> usize {
        // Ordering: Acquire pairs with the Release store in `commit`: the entries are there.
        // SAFETY: a line begins with its stamp.
        let stamp = Cursor(unsafe { line.cast::<AtomicUsize>().as_ref() }.load(Ordering::Acquire));
        stamp.shortly_after(at).min(most)
    }

    /// Ignores what the producer has allocated: consumers see only what it has committed.
    fn why_not_committed(_block: &Block, _reserved: Cursor) -> Option<Reason> {
        Some(Reason::Exhausted)
    }

    fn why_not_among(_allocated: Cursor, _reserved: Cursor) -> Reason {
        Reason::Exhausted
    }
}

impl ProducerSide for Single {
    type State = State;

    fn start<K: Content<Marks = Self>>(ring: &Ring<K>, head: Cursor) -> State {
        State::new(ring, head)
    }

    #[inline(always)]
    fn push<T, C: Reuse>(ring: &Ring<Items<T, Self, C>>, state: &mut State, item: T) -> Result<(), PushError<T>> {
        match allocate_in_line(ring, state) {
            Ok((at, slot)) => {
                // SAFETY: the entry is the only producer's; `advance` is ordered after its use in
                // the lap before.
                unsafe {
                    C::Entry::<T>::put(slot.entry, item);
                    Self::commit(slot.line, slot.number, at, 1);
                }
                Ok(())
            }
            Err(reason) => Err(C::refused(item, reason)),
        }
    }

    #[inline(always)]
    fn allocate<K: Content<Marks = Self>>(
        ring: &Ring<K>,
        state: &mut State,
        most: usize,
    ) -> Result<(Cursor, usize), Reason> {
        find_room(ring, state)?;
        let at = state.cursor;
        debug_assert!(most > 0);
        let count = most.min(ring.size() - at.offset());
        state.go_to(at.plus(count));
        Ok((at, count))
    }

    #[inline(always)]
    fn block(state: &State) -> NonNull<Block> {
        state.block
    }

    #[inline(always)]
    fn shrink(state: &mut State, at: Cursor, _allocated: usize, used: usize) -> usize {
        state.go_to(at.plus(used));
        used
    }

    fn place<K: Content<Marks = Self>>(_ring: &Ring<K>, state: &State) -> Place {
        (state.head, state.cursor)
    }

    fn leave<K: Content<Marks = Self>>(ring: &Ring<K>, state: &State) {
        // Ordering: Release, as where the block was opened, for readers of a drop-old queue.
        ring.words(state.block).producers.allocated.store(state.cursor.0, Ordering::Release);
    }
}

impl SlotProducerSide for Single {
    type Entries = Self;

    #[inline(always)]
    fn allocate_entry<T, C: Reuse>(
        ring: &Ring<Items<T, Self, C>>,
        state: &mut State,
    ) -> Result<(Cursor, Slot), Reason> {
        allocate_in_line(ring, state)
    }

    /// The next allocation gets the entry again.
    #[inline(always)]
    unsafe fn cancel(state: &mut State, at: Cursor, _slot: Slot) {
        state.go_to(at);
    }
}

/// Allocates an entry of items, and returns its cursor and its slot.
#[inline(always)]
fn allocate_in_line<T, C: Reuse>(
    ring: &Ring<Items<T, Single, C>>,
    state: &mut State,
) -> Result<(Cursor, Slot), Reason> {
    // The cursor is read once: otherwise each operation would wait for another load of it.
    let mut at = state.cursor;
    if at.offset() == state.free.stop {
        if state.free.stop == ring.size() {
            advance(ring, state)?;
            at = state.cursor;
        }
        debug_assert!(at.offset() < ring.size());
        // SAFETY: an entry of the block.
        let slot = unsafe { LineOf::<T, Single, C>::slot(state.block, at.offset()) };
        LineOf::<T, Single, C>::fetch_to_write(slot.line);
        let end = ring.size().min(at.offset() - slot.number + LineOf::<T, Single, C>::SLOTS);
        state.free = Span::along(slot, at.offset(), end);
    }
    let (slot, _) = state.free.entries::<C::Entry<T>, Single>(at, 1);
    state.cursor = at.plus(1);
    Ok((at, slot))
}

/// Goes to an entry that is free, so that the next push succeeds.
#[inline(always)]
pub(crate) fn find_room<K: Content<Marks = Single>>(ring: &Ring<K>, state: &mut State) -> Result<(), Reason> {
    if state.cursor.offset() == ring.size() { advance(ring, state) } else { Ok(()) }
}

/// Goes on to the block after the producer's, which is filled.
///
/// If there is no room it ends here, with no registers to save.
#[inline(never)]
fn advance<K: Content<Marks = Single>>(ring: &Ring<K>, state: &mut State) -> Result<(), Reason> {
    let to = ring.blocks.next(state.head);
    if K::Reuse::is_full(ring, to) { Err(Reason::Exhausted) } else { enter(ring, state, to) }
}

/// Goes on to the block of that head, which is not full.
#[inline(never)]
fn enter<K: Content<Marks = Single>>(ring: &Ring<K>, state: &mut State, to: Cursor) -> Result<(), Reason> {
    if !K::Reuse::is_free(ring, to) {
        return Err(Reason::Busy);
    }
    *state = State::new(ring, to);
    let opened = Single::opened(state.cursor, ring.size());
    // Ordering: Release pairs with the Acquire in `Block::allocated`: a reader of a drop-old queue
    // observes the blocks opened before. (Where nothing is overwritten, the stamps order all that
    // is needed.)
    ring.words(state.block).producers.allocated.store(opened.0, Ordering::Release);
    if to.renews() {
        K::renew(ring, to);
    }
    Ok(())
}

/// Entries of lines that are being filled, one line after the other.
///
/// Dropping it commits the written entries of the last line, also after a panic of the iterator.
struct Filling<'a> {
    state: &'a mut State,
    line: NonNull<u8>,
    slot: usize,
    /// The entry of `slot`.
    ///
    /// Past the block's last line it is an address outside of the queue's memory, which is not
    /// used.
    entry: *mut u8,
    at: Cursor,
    written: usize,
}

impl Filling<'_> {
    /// Writes up to `room` items of the iterator, and returns their number.
    ///
    /// # Safety
    /// The line has `room` entries from `slot` on, which are the only producer's, and none of them
    /// is written.
    #[inline(always)]
    unsafe fn fill<E: Entry>(&mut self, room: usize, items: &mut impl Iterator<Item = E::Item>) -> usize {
        Line::<E, Single>::with(room, |room| {
            for item in items.by_ref().take(room) {
                // SAFETY: the caller's promise.
                unsafe { E::put(NonNull::new_unchecked(self.entry.add(self.written * E::SIZE)), item) };
                self.written += 1;
            }
        });
        self.written
    }

    /// Commits the written entries.
    #[inline(always)]
    fn commit(&mut self) {
        let count = core::mem::take(&mut self.written);
        if count > 0 {
            // SAFETY: `count` entries from `at` on have been written, and are the only producer's.
            unsafe { Single::commit(self.line, self.slot, self.at, count) };
        }
        self.at = self.at.plus(count);
    }

    /// Goes past the line, to the block's next one if it has one.
    ///
    /// # Safety
    /// The line is one of a block's.
    #[inline(always)]
    unsafe fn leave_line<E: Entry>(&mut self) {
        Line::<E, Single>::fetch_to_write(self.line);
        // SAFETY: the caller's promise.
        self.line = unsafe { Line::<E, Single>::end(self.line) };
        self.slot = 0;
        self.entry = self.line.as_ptr().wrapping_add(Line::<E, Single>::FIRST);
    }
}

impl Drop for Filling<'_> {
    #[inline(always)]
    fn drop(&mut self) {
        self.commit();
        self.state.go_to(self.at);
    }
}

/// Adds items of the iterator while there is room.
#[inline(always)]
pub(crate) fn push_iter<T, C: Reuse>(
    ring: &Ring<Items<T, Single, C>>,
    state: &mut State,
    mut items: impl Iterator<Item = T>,
) -> usize {
    let mut done = 0;
    while let Ok((at, mut left)) = Single::allocate(ring, state, usize::MAX) {
        // SAFETY: at least one entry is left.
        let Slot { line, number: slot, entry } = unsafe { ring.entry(state.block, at.offset()) };
        let mut line = Filling { state, line, slot, entry: entry.as_ptr(), at, written: 0 };
        while left > 0 {
            let room = left.min(LineOf::<T, Single, C>::SLOTS - line.slot);
            // SAFETY: allocated.
            let count = unsafe { line.fill::<C::Entry<T>>(room, &mut items) };
            done += count;
            if count < room {
                return done;
            }
            line.commit();
            left -= room;
            // SAFETY: one of the block's lines.
            unsafe { line.leave_line::<C::Entry<T>>() };
        }
    }
    done
}
