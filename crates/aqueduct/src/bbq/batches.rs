//! Batches of items from an iterator or to a closure, for a side with one thread.
//!
//! A single consumer also takes slices out here. No item is copied on the way.
//!
//! A side with many threads has claimed its entries when the user's code runs, and could neither
//! give them back nor leave them empty if that code panics. It has slices instead, which run no
//! user code.

use core::ptr::NonNull;

use super::alone::reserve_in_line;
use super::claim::Claims;
use super::cursor::Cursor;
use super::entry::{Entry, EntryOf};
use super::items::Items;
use super::line::{Line, Place};
use super::reserve::Reserves;
use super::shared::{Position, Shared};
use super::side::{Commits, Consumes, Single};
use crate::sync::Cell;

/// Entries of lines that are being filled, one line after the other.
///
/// Dropping it commits the written entries of the last line, also after a panic of the iterator.
struct Filling<'a> {
    position: &'a mut Position,
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
    unsafe fn fill<E: EntryOf<T>, T>(&mut self, room: usize, items: &mut impl Iterator<Item = T>) -> usize {
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
            // SAFETY: so many entries have been written from there on, which are the only producer's.
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
        self.position.go_to(self.at);
    }
}

impl<T, C: Consumes> Shared<Items<T>, Single, C> {
    /// Adds items of the iterator while there is room.
    #[inline(always)]
    pub(super) fn push_iter(&self, position: &mut Position, mut items: impl Iterator<Item = T>) -> usize {
        let mut done = 0;
        while let Ok((at, mut left)) = Single::claim(self, position, usize::MAX) {
            // SAFETY: at least one entry is left.
            let Place { line, slot, entry } = unsafe { self.entry(position.block, at.offset()) };
            let mut line = Filling { position, line, slot, entry: entry.as_ptr(), at, written: 0 };
            while left > 0 {
                let room = left.min(Line::<C::Entry<T>, Single>::SLOTS - line.slot);
                // SAFETY: claimed.
                let count = unsafe { line.fill::<C::Entry<T>, T>(room, &mut items) };
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
}

/// Entries of lines that are being emptied, one line after the other.
///
/// Dropping it consumes the taken entries of the last line, also after a panic of the user's code;
/// the other entries are taken next time.
struct Taking<'a, T, P: Claims> {
    shared: &'a Shared<Items<T>, P, Single>,
    position: &'a mut Position,
    place: Place,
    at: Cursor,
    /// The offset up to which the line is known to be committed.
    stop: usize,
    taken: usize,
}

impl<T, P: Claims> Taking<'_, T, P> {
    /// Takes the next item.
    ///
    /// # Safety
    /// The line has one.
    #[inline(always)]
    unsafe fn take(&mut self) -> T {
        // SAFETY: the caller's promise. It is taken once: it counts before anything else can happen.
        let item = unsafe { self.place.entry.cast::<Cell<T>>().add(self.taken).as_ref().take() };
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
        let from = self.place.entry.cast::<Cell<T>>();
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
        let left = self.shared.size() - next.offset();
        if self.place.slot + self.taken < slots || left == 0 {
            return None;
        }
        let count = slots.min(left);
        // SAFETY: the block has a line more.
        let place = unsafe { self.place.next_line::<Cell<T>, P>() };
        // SAFETY: it has so many entries.
        if unsafe { P::committed(place.line, 0, next, count) } < count {
            return None;
        }
        (self.place, self.at, self.taken, self.stop) = (place, next, 0, next.offset() + count);
        Some(count)
    }
}

impl<T, P: Claims> Drop for Taking<'_, T, P> {
    #[inline(always)]
    fn drop(&mut self) {
        self.shared.go_along(self.position, self.place, self.at.offset(), self.stop);
        self.position.cursor = self.at.plus(self.taken);
        Single::consumed(self.shared, self.position.block, self.at, self.taken);
    }
}

impl<T, P: Claims> Shared<Items<T>, P, Single> {
    /// Passes up to `most` items to `take`.
    #[inline(always)]
    pub(super) fn pop_each(&self, position: &mut Position, most: usize, mut take: impl FnMut(T)) -> usize {
        self.pop_lines(position, most, |line, count| {
            while line.taken < count {
                // SAFETY: there are so many.
                take(unsafe { line.take() });
            }
        })
    }

    /// Takes up to `items.len()` items.
    #[inline(always)]
    pub(super) fn pop_copies(&self, position: &mut Position, mut items: &mut [T]) -> usize
    where
        T: Copy,
    {
        self.pop_lines(position, items.len(), |line, count| {
            let (now, later) = core::mem::take(&mut items).split_at_mut(count);
            // SAFETY: there are so many.
            unsafe { line.copy(now) };
            items = later;
        })
    }

    /// Takes up to `most` items, line by line: `take` gets a line and how many to take of it.
    #[inline(always)]
    fn pop_lines(
        &self,
        position: &mut Position,
        most: usize,
        mut take: impl FnMut(&mut Taking<'_, T, P>, usize),
    ) -> usize {
        let mut done = 0;
        while done < most {
            let Ok((at, place, count)) = reserve_in_line(self, position, most - done) else { break };
            let (far, stop) = (self.is_far(position, at), position.stop);
            let mut line = Taking { shared: self, position, place, at, stop, taken: 0 };
            Line::<Cell<T>, P>::with(count, |count| take(&mut line, count));
            done += count;
            while done < most
                && let Some(there) = line.next_line()
            {
                if far {
                    Line::<Cell<T>, P>::fetch_to_read::<Single>(line.place.line);
                }
                let count = there.min(most - done);
                Line::<Cell<T>, P>::with(count, |count| take(&mut line, count));
                done += count;
            }
        }
        done
    }
}
