//! The only reader of a drop-old queue: it keeps its place to itself, and exchanges nothing.
//!
//! It copies a run of entries of one block speculatively, and checks once afterwards whether
//! producers have entered the block meanwhile. If they have, the rest of the block is lost: no
//! other reader could have read any of it.

use core::mem::MaybeUninit;
use core::ptr::NonNull;

use super::super::items::{Items, LineOf};
use super::super::memory::{Block, Cursor, Entry, Marks, Reason, Slot, Words};
use super::super::ring::{Content, Place, Ring};
use super::super::side::{Overwritten, Single};
use super::reader::{self, ReaderSide, after};
use crate::backoff::Distance;
use crate::plain::Plain;

/// The state of the only reader.
#[derive(Clone, Copy, Debug)]
pub struct State {
    /// The head of its block: lap and index.
    head: Cursor,
    block: NonNull<Block>,
    /// The next entry.
    cursor: Cursor,
    /// Backoff by the distance from the producers.
    distance: Distance,
    /// The head of the first block that was ever written.
    first: Cursor,
    /// The number of entries that it found overwritten.
    lost: u64,
}

impl State {
    /// Copies up to `most` of the next readable entries, all of one block, and adds the number of
    /// overwritten ones to `lost`.
    ///
    /// Returns what `copy` has returned, and the number of the entries. With `adjoins`, nothing is
    /// lost: where entries have been overwritten, the result is an error.
    #[inline(always)]
    fn read<K: Content<Reuse = Overwritten>, R>(
        &mut self,
        ring: &Ring<K>,
        most: usize,
        adjoins: bool,
        mut copy: impl FnMut(NonNull<Block>, Cursor, usize) -> R,
    ) -> Result<(R, usize), Reason> {
        self.distance.keep();
        let mut overtaken = false;
        loop {
            let at = self.cursor;
            let left = ring.size() - at.offset();
            if left == 0 {
                self.advance(ring, core::mem::take(&mut overtaken), adjoins)?;
                continue;
            }
            let count = K::extent(ring, self.block, at, most);
            if count > 0 {
                let copied = copy(self.block, at, count);
                // A producer goes to the block before it overwrites a word, and hands that on with
                // the word and with its mark (Release), which were read before this (Acquire).
                if !ring.has_overwritten(self.head, self.block) {
                    self.cursor = at.plus(count);
                    if K::is_close(ring, self.block, self.cursor) {
                        self.distance.was_last(self.cursor.offset());
                    }
                    return Ok((copied, count));
                }
            } else {
                let allocated = ring.words(self.block).allocated();
                if allocated.begin() == at.begin() {
                    self.distance.found_nothing();
                    return Err(K::Marks::why_not_among(allocated, at));
                }
            }
            if adjoins {
                return Err(Reason::Exhausted);
            }
            overtaken = true;
            self.lost = self.lost.wrapping_add(left as u64);
            self.cursor = at.plus(left);
        }
    }

    /// Goes on from a block that has been read or is lost, unless entries would be lost and must
    /// not be.
    #[inline(never)]
    fn advance<K: Content<Reuse = Overwritten>>(
        &mut self,
        ring: &Ring<K>,
        overtaken: bool,
        adjoins: bool,
    ) -> Result<(), Reason> {
        let (to, skipped) = after(ring, self.head, overtaken)?;
        if adjoins && skipped > 0 {
            return Err(Reason::Exhausted);
        }
        self.lost = self.lost.wrapping_add(skipped);
        (self.head, self.block, self.cursor) = (to, ring.at(to), to.begin());
        self.distance = self.distance.entered(ring.size());
        Ok(())
    }

    /// Returns its place, and whether producers have overtaken it there.
    fn place<K: Content<Reuse = Overwritten>>(&self, ring: &Ring<K>) -> (Place, bool) {
        ((self.head, self.cursor), ring.words(self.block).allocated().begin() != self.head.begin())
    }
}

impl ReaderSide for Single {
    type State = State;

    fn put_back<K: Content<Reuse = Overwritten>>(ring: &Ring<K>, laps: usize) -> State {
        let first = ring.first();
        let then = Cursor::new(first.lap().wrapping_sub(laps), 0);
        let (head, block) = (then, ring.at(then));
        State { head, block, cursor: then, distance: Distance::default(), first, lost: 0 }
    }

    #[inline(always)]
    fn read_item<T: Plain, P: Marks>(ring: &Ring<Items<T, P, Overwritten>>, state: &mut State) -> Result<T, Reason> {
        let (copied, _): (MaybeUninit<T>, _) = state.read(ring, 1, false, |block, at, _| {
            // SAFETY: an entry of the block.
            unsafe { Words::copy(ring.entry(block, at.offset()).entry) }
        })?;
        // SAFETY: the copied item was written once, before its mark, so that all words are of one
        // item.
        Ok(unsafe { copied.assume_init() })
    }

    fn lost(state: &State) -> u64 {
        state.lost
    }

    fn look_back<T: Plain, P: Marks>(
        ring: &Ring<Items<T, P, Overwritten>>,
        state: &State,
        most: usize,
        put: impl FnMut(T),
    ) {
        reader::look_back(ring, (state.head, state.first), most, put);
    }

    fn readable<K: Content<Reuse = Overwritten>>(ring: &Ring<K>, state: &State) -> usize {
        reader::readable_from(ring, state.place(ring))
    }

    fn is_empty<K: Content<Reuse = Overwritten>>(ring: &Ring<K>, state: &State) -> bool {
        reader::is_empty_from(ring, state.place(ring))
    }
}

/// Copies the next readable items to the start of `items`, without a gap between them, and returns
/// their number.
pub(crate) fn read_slice<T: Plain, P: Marks>(
    ring: &Ring<Items<T, P, Overwritten>>,
    state: &mut State,
    items: &mut [T],
) -> usize {
    let mut done = 0;
    while let [old, ..] = items[done..] {
        let rest = &mut items[done..];
        let (most, to, mut touched) = (rest.len(), rest.as_mut_ptr().cast::<MaybeUninit<T>>(), 0);
        let read = state.read(ring, most, done > 0, |block, at, count| {
            touched = touched.max(count);
            // SAFETY: `count` entries of the block, for which there is room. An invalid copy is
            // replaced below.
            unsafe { copy_lines(ring, block, at, count, to) };
        });
        let count = read.map_or(0, |((), count)| count);
        // SAFETY: within the rest. A copy that a producer overwrote meanwhile is not an item, and
        // is replaced by one.
        (count..touched).for_each(|number| unsafe { to.add(number).write(MaybeUninit::new(old)) });
        if count == 0 {
            break;
        }
        done += count;
    }
    done
}

/// Copies `count` entries of the block from `at` on, line by line.
///
/// The copies are items only if no producer overwrites them meanwhile.
///
/// # Safety
/// The block has the entries, and there is room for them at `to`.
#[inline(always)]
unsafe fn copy_lines<T: Plain, P: Marks>(
    ring: &Ring<Items<T, P, Overwritten>>,
    block: NonNull<Block>,
    at: Cursor,
    count: usize,
    mut to: *mut MaybeUninit<T>,
) {
    type Lines<T, P> = LineOf<T, P, Overwritten>;
    let mut left = count;
    // SAFETY: the caller's promise. A line's end is within the queue's memory.
    unsafe {
        let Slot { mut line, mut number, .. } = ring.entry(block, at.offset());
        while left > 0 {
            let slot = Lines::<T, P>::slot_in(line, number);
            let here = left.min(Lines::<T, P>::SLOTS - number);
            let copy = |index: usize| to.add(index).write(Words::copy(slot.entry.add(index * Words::<T>::SIZE)));
            Lines::<T, P>::with(here, |here| (0..here).for_each(copy));
            to = to.add(here);
            left -= here;
            (line, number) = (Lines::<T, P>::end(line), 0);
        }
    }
}
