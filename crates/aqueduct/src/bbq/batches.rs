//! Batches of items of any type, from an iterator or to a closure, for a side that has one thread: no item is copied on the way.
//!
//! A side with many threads has claimed its entries when the user's code runs, and could neither give them back nor leave them
//! empty if that panics. It has slices instead, which run nobody's code.

use super::claim::Claims;
use super::cursor::Cursor;
use super::entry::{Entry, EntryOf};
use super::items::Items;
use super::line::{Line, Place};
use super::reserve::Reserves;
use super::shared::{Position, Shared};
use super::side::{Commits, Consumes, Single};
use crate::sync::Cell;

/// A line that is being filled. What has been written is committed when this goes, also where the iterator panics.
struct Filling<'a> {
    position: &'a mut Position,
    place: Place,
    written: usize,
}

impl Drop for Filling<'_> {
    #[inline(always)]
    fn drop(&mut self) {
        if self.written > 0 {
            let at = self.position.cursor;
            // SAFETY: so many entries have been written from there on, which are the only producer's.
            unsafe { Single::commit(self.place.line, self.place.slot, at, self.written) };
            self.position.go_to(at.plus(self.written));
        }
    }
}

impl<T, C: Consumes> Shared<Items<T>, Single, C> {
    /// Adds items of the iterator while there is room.
    #[inline(always)]
    pub(super) fn push_iter(&self, position: &mut Position, mut items: impl Iterator<Item = T>) -> usize {
        let mut done = 0;
        while let Ok((at, mut left)) = Single::claim(self, position, usize::MAX) {
            // All that is left of the block: it is used line by line.
            Single::give_back(position, at, left, 0);
            // SAFETY: at least one entry is left.
            let mut place = unsafe { self.entry(position.block, at.offset()) };
            while left > 0 {
                let room = left.min(Line::<C::Entry<T>, Single>::SLOTS - place.slot);
                let mut line = Filling { position, place, written: 0 };
                while line.written < room {
                    let Some(item) = items.next() else { return done + line.written };
                    // SAFETY: the line has so many entries, and they are the only producer's.
                    unsafe { C::Entry::<T>::put(place.entry.add(line.written * C::Entry::<T>::SIZE), item) };
                    line.written += 1;
                }
                drop(line);
                place.fetch_to_write::<C::Entry<T>, Single>();
                done += room;
                left -= room;
                // SAFETY: if this was the last line, nothing is left.
                place = unsafe { place.next_line::<C::Entry<T>, Single>() };
            }
        }
        done
    }
}

/// Entries that are being emptied. Those that have been taken from are consumed when this goes, also where the user's code panics;
/// the others are taken next time.
struct Taking<'a, T, P: Claims> {
    shared: &'a Shared<Items<T>, P, Single>,
    position: &'a mut Position,
    at: Cursor,
    taken: usize,
}

impl<T, P: Claims> Drop for Taking<'_, T, P> {
    #[inline(always)]
    fn drop(&mut self) {
        let next = self.at.plus(self.taken);
        if self.position.cursor != next {
            self.position.go_to(next);
        }
        Single::consumed(self.shared, self.position.block, self.at, self.taken);
    }
}

impl<T, P: Claims> Shared<Items<T>, P, Single> {
    /// Gives up to `most` items to `take`.
    #[inline(always)]
    pub(super) fn pop_each(&self, position: &mut Position, most: usize, mut take: impl FnMut(T)) -> usize {
        let mut done = 0;
        while done < most {
            let Ok((at, count)) = Single::reserve(self, position, most - done, |_, _| true) else { break };
            let far = self.is_far(position, at);
            // SAFETY: at least one entry is reserved.
            let mut place = unsafe { self.entry(position.block, at.offset()) };
            let mut batch = Taking { shared: self, position, at, taken: 0 };
            while batch.taken < count {
                let here = (count - batch.taken).min(Line::<Cell<T>, P>::SLOTS - place.slot);
                for number in 0..here {
                    // SAFETY: the entry is reserved, so it holds an item, and it is taken from once: it counts before anything else can
                    // happen.
                    let item = unsafe { place.entry.cast::<Cell<T>>().add(number).as_ref().take() };
                    batch.taken += 1;
                    take(item);
                }
                if far {
                    place.fetch_to_read::<Cell<T>, P, Single>();
                }
                // SAFETY: if this was the last line, nothing is left.
                place = unsafe { place.next_line::<Cell<T>, P>() };
            }
            drop(batch);
            done += count;
        }
        done
    }
}
