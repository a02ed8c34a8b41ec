//! The state that owner and thieves share, and the owner's slow paths.
//!
//! The slow paths go from block to block, and answer steal requests.
//!
//! Blocks have locations, one after the other, lap after lap. The owner is in the block at the top;
//! blocks below belong to the thieves. Invariants:
//! 1. Thieves claim the entries of a block at a place one after the other, from the first one on.
//!    The owner knows `floor`: entries below it are claimed or granted, entries from it to the
//!    owner's position are the owner's.
//! 2. A thief claims from a block only if thieves have claimed every entry of the block before it.
//!    So if an entry of a block is claimed, nothing is left in any block slow.
//! 3. The word of the owner's block says `closed`, or grants entries below `floor`. The word of a
//!    block below it grants all entries from the first unclaimed one on. A block above it is
//!    closed, or used up in the lap before. (The block above the top is also the one at the bottom
//!    of the lap, if that is used up: the lap distinguishes them.)
//! 4. In a lap that is over, thieves have read every entry of a block, and marked each with the
//!    lap (its lower bits: a mark never lags behind by more than one lap). So a block is free
//!    when all marks are of the lap before. The thief of the last entry reads the marks, because it
//!    has their line, and reports if all are of that lap. (In the BWoS paper, thieves count the
//!    entries that they have read, `s_cnt`: a second atomic read-modify-write in each theft. Its
//!    owner resets the count: L1 in our bug zoo.)

use core::ptr::NonNull;

use super::super::block::{Blocks, Head, entries};
use super::super::geometry::Geometry;
use super::super::location::Location;
use super::super::order::{Seizes, Steals};
use super::super::request::{Requests, Unanswered};
use super::position::Position;
use super::s_pos::SPos;
use crate::error::CapacityError;
use crate::heap::drop_all;
use crate::isolated::Isolated;
use crate::sync::{AtomicU8, AtomicUsize, Cell, Ordering};

/// The words in front of a block's entries.
///
/// `b_pos` and `f_pos` of the BWoS paper are `pos` and `floor` of [`OwnerState`]; [`Position`] publishes them.
pub(super) struct BlockHead {
    thieves: Isolated<Thieves>,
}

pub(super) struct Thieves {
    /// A [`SPos`].
    pub(super) s_pos: AtomicUsize,
    /// The last lap in which a thief has found all entries marked: a packed [`Location`] of it.
    pub(super) read: AtomicUsize,
}

impl Head for BlockHead {
    fn new(lap: usize, block_size: usize) -> Self {
        let s_pos = AtomicUsize::new(SPos::used_up(lap.wrapping_sub(1), block_size).0);
        let read = AtomicUsize::new(all_read_in(lap.wrapping_sub(1)));
        Self { thieves: Isolated(Thieves { s_pos, read }) }
    }

    fn mark_before(lap: usize) -> u8 {
        mark(lap.wrapping_sub(1))
    }
}

/// Returns the mark of an entry that thieves have read in that lap.
pub(super) const fn mark(lap: usize) -> u8 {
    lap as u8
}

/// Returns the word that reports that all entries have been read in that lap.
pub(super) const fn all_read_in(lap: usize) -> usize {
    Location { lap, index: 0 }.packed()
}

/// The bound of fast pops that a steal request sets: it forces the owner onto the slow path.
const NO_FAST_POPS: usize = isize::MAX as usize;

/// A pop's step, down: -1.
const STEP: usize = usize::MAX;

/// The number of the closing with which a queue begins: numbers soon wrap, so that tests see it.
const FIRST_CLOSING: usize = usize::MAX;

/// The queue.
///
/// The bounds come first: fast paths compare with them and publish positions relative to one address.
#[repr(C)]
pub struct Queue<T> {
    pub(super) requests: Requests<NO_FAST_POPS, STEP>,
    pub(super) blocks: Blocks<T, BlockHead>,
    /// The capacity that was asked for.
    pub(super) capacity: usize,
    /// The block that thieves are at: every entry of the blocks below it is claimed.
    ///
    /// Thieves alone move it on, one by one. A thief claims only from a block that it is or was at,
    /// so it is never behind by more than the blocks that are used up.
    pub(super) bottom: Isolated<AtomicUsize>,
    /// What thieves have noticed of an owner that does not answer.
    pub(super) unanswered: Isolated<Unanswered>,
    pub(super) position: Isolated<Position>,
    /// The owner's alone.
    state: Isolated<Cell<OwnerState>>,
}

// SAFETY: items go from one thread to another, which `T: Send` allows; threads never share one.
unsafe impl<T: Send> Send for Queue<T> {}
// SAFETY: the reason for `Send` holds.
unsafe impl<T: Send> Sync for Queue<T> {}

/// The state of the owner's fast paths. It is in the handle, and in registers if the handle is.
#[derive(Clone, Copy)]
pub(super) struct Cursor {
    pub(super) block: NonNull<BlockHead>,
    /// Entries up to here hold items; `b_pos` of the BWoS paper.
    pub(super) pos: usize,
}

/// The owner's place: its [`Cursor`], as it was when it last left its fast paths, and what lies below its items.
///
/// It is in the queue, and not in the handle, where it would take registers from the caller's loops. Slow paths change
/// it where it lies: a copy reads pairs of words that have just been written one by one, which processors do slowly.
pub(super) struct OwnerState {
    block: NonNull<BlockHead>,
    pos: usize,
    slow: SlowState,
}

impl OwnerState {
    /// Returns the cursor for the owner's fast paths.
    #[inline(always)]
    pub(super) fn cursor(&self) -> Cursor {
        Cursor { block: self.block, pos: self.pos }
    }
}

/// The state below the owner's items.
struct SlowState {
    /// Entries from here on are the owner's; `f_pos` of the BWoS paper.
    floor: usize,
    /// Whether entries below `floor` are granted and have not been taken back.
    lends: bool,
    /// The owner's block.
    location: Location,
    /// The number of the last closing.
    closings: usize,
}

impl<T> Queue<T> {
    pub(super) fn for_capacity(capacity: usize, lap: usize) -> Result<Self, CapacityError> {
        Self::new(Blocks::<T, BlockHead>::geometry(capacity)?, capacity, lap)
    }

    pub(super) fn new(geometry: Geometry, capacity: usize, lap: usize) -> Result<Self, CapacityError> {
        let blocks = Blocks::<T, BlockHead>::new(geometry, lap)?;
        let first = Location { lap, index: 0 };
        // Ordering: Relaxed, nobody else is there yet.
        blocks.head(first).thieves.s_pos.store(SPos::closed(lap, FIRST_CLOSING).0, Ordering::Relaxed);
        let bottom = Isolated(AtomicUsize::new(first.packed()));
        let requests = Requests::new(geometry.block_size(), 0);
        let position = Isolated(Position::new(first));
        let slow = SlowState { floor: 0, lends: false, location: first, closings: FIRST_CLOSING };
        let state = Isolated(Cell::new(OwnerState { block: blocks.block(0), pos: 0, slow }));
        Ok(Self { requests, blocks, capacity, bottom, unanswered: Isolated(Unanswered::none()), position, state })
    }

    /// Returns the owner's place. The owner alone calls it, and has one at a time.
    #[expect(clippy::mut_from_ref, reason = "the owner's handle is not shared, and no operation calls another one")]
    #[inline(always)]
    pub(super) fn state(&self) -> &mut OwnerState {
        // SAFETY: the queue was made with one, and nobody else touches it.
        unsafe { Cell::free(&raw const *self.state, 1)[0].assume_init_mut() }
    }

    /// Keeps the cursor that the owner has on its fast paths, and returns its place; the owner alone calls it.
    #[inline(always)]
    pub(super) fn keep(&self, at: Cursor) -> &mut OwnerState {
        let state = self.state();
        (state.block, state.pos) = (at.block, at.pos);
        state
    }

    /// Returns where the owner's own items begin; the owner alone calls it.
    #[inline(always)]
    pub(super) fn floor(&self) -> usize {
        self.state().slow.floor
    }

    /// Moves the owner to another block.
    fn enter(&self, state: &mut OwnerState, location: Location, pos: usize, floor: usize) {
        (state.block, state.pos) = (self.blocks.block(location.index), pos);
        state.slow = SlowState { floor, lends: false, location, closings: state.slow.closings };
    }

    pub(super) fn thieves(&self, location: Location) -> &Thieves {
        &self.blocks.head(location).thieves
    }

    /// Grants the owner's entries up to `end` to thieves.
    fn grant(&self, state: &mut OwnerState, end: usize) {
        let s_pos = &self.thieves(state.slow.location).s_pos;
        if state.slow.lends {
            // Ordering: Release pairs with the thief's Acquire exchange; without it, a thief reads an item that is not
            // written yet (`bwos-lifo/asked-lap`). An addition, for thieves move the other part of the word.
            s_pos.fetch_add(SPos::more(end - state.slow.floor), Ordering::Release);
        } else {
            // Ordering: Release, for the reason of the addition. Nobody seizes a block whose owner is on its slow path,
            // and only the owner writes a closed word otherwise, so a store is enough.
            s_pos.store(SPos::new(state.slow.location.lap, state.slow.floor, end).0, Ordering::Release);
        }
        (state.slow.floor, state.slow.lends) = (end, true);
    }

    /// Returns the word of a closed block: another one each time.
    fn closed(&self, state: &mut OwnerState, location: Location) -> usize {
        state.slow.closings = state.slow.closings.wrapping_add(1);
        SPos::closed(location.lap, state.slow.closings).0
    }

    /// Closes a block, and returns its word before.
    fn take_over(&self, state: &mut OwnerState, location: Location) -> SPos {
        let closed = self.closed(state, location);
        // Ordering: Release pairs with the Acquire in `at_bottom`: without it, a thief finds nothing in a block that
        // the owner has gone back to (`bwos-lifo/kept-pop-next`). Acquire only keeps later stores behind (load
        // buffering): what comes back was written by the owner itself, or moved on by thieves.
        SPos(self.thieves(location).s_pos.swap(closed, Ordering::AcqRel))
    }

    /// Closes a block that no thief takes from now: by a store.
    fn close(&self, state: &mut OwnerState, location: Location) {
        let closed = self.closed(state, location);
        // Ordering: Relaxed, thieves take nothing on its account.
        self.thieves(location).s_pos.store(closed, Ordering::Relaxed);
    }

    /// Begins an operation on the slow path.
    ///
    /// From here to `end_slow` nothing is seized. After a request, the owner takes back what thieves
    /// have not claimed of its block, whether they seized it or it was given. So thieves that are
    /// about to seize fail.
    #[inline(always)]
    fn begin_slow(&self, state: &mut OwnerState) {
        self.position.withdraw();
        if self.requests.is_pending(state.slow.floor) {
            let from = state.slow.floor;
            self.recall(state);
            self.requests.move_pop(from, state.slow.floor);
        }
    }

    /// Takes back what thieves have not claimed of the owner's block.
    #[cold]
    #[inline(never)]
    fn recall(&self, state: &mut OwnerState) {
        let word = self.take_over(state, state.slow.location);
        if !word.is_closed() {
            state.slow.floor = word.next();
        }
        state.slow.lends = false;
    }

    /// OwnerState an operation on the slow path.
    #[inline(always)]
    fn end_slow(&self, state: &OwnerState) {
        self.position.publish(state.slow.location, state.slow.floor, state.pos);
    }

    /// Returns how many items of its block the owner has for itself.
    fn kept(state: &OwnerState) -> usize {
        state.pos - state.slow.floor
    }

    /// Gives the `count` oldest of the owner's items to thieves after a request.
    fn answer(&self, state: &mut OwnerState, count: usize) {
        if count > 0 && self.requests.is_pending(state.slow.floor) {
            let end = state.slow.floor + count;
            // The answer comes after the question has been taken away: a question that comes too late is asked again.
            // A thief that sees the grant sees this, too: what it asks comes later (`bwos-lifo/seized-answered-pops`).
            self.requests.answer(end);
            self.grant(state, end);
        }
    }

    /// Whether the owner can enter a block above its own.
    ///
    /// It can if it was there in this lap, or if thieves have taken every entry in the lap before,
    /// and no entry is being read.
    fn is_free(&self, location: Location) -> bool {
        // Ordering: Relaxed. What says that the block is closed the owner has written itself, and else the marks
        // decide.
        let word = SPos(self.thieves(location).s_pos.load(Ordering::Relaxed));
        if word.is_in(location) {
            return true;
        }
        let lap = location.lap.wrapping_sub(1);
        if word != SPos::used_up(lap, self.size()) {
            return false;
        }
        // Ordering: Acquire pairs with the Release stores of the thieves that have read the entries, or the one that
        // has seen all of that; without it, the owner writes entries that are being read (`bwos-lifo/drop`).
        let has_been_read = |it: &AtomicU8| it.load(Ordering::Acquire) == mark(lap);
        self.thieves(location).read.load(Ordering::Acquire) == all_read_in(lap)
            || self.blocks.marks(location.index).iter().all(has_been_read)
    }

    /// Moves the owner to a free entry, on the slow path; `None` if the queue is full.
    fn advance(&self, state: &mut OwnerState) -> Option<()> {
        if state.pos == self.size() {
            let next = state.slow.location.next(self.blocks.geometry.blocks());
            if !self.is_free(next) {
                return None;
            }
            self.grant(state, self.size());
            self.close(state, next);
            self.enter(state, next, 0, 0);
            self.blocks.fetch_head(next.next(self.blocks.geometry.blocks()).index);
        }
        Some(())
    }

    /// Makes sure that there is a free entry in the owner's block, if the queue is not full.
    #[cold]
    #[inline(never)]
    pub(super) fn make_room(&self) -> &OwnerState {
        let state = self.state();
        self.begin_slow(state);
        _ = self.go_on(state);
        let half = Self::kept(state).div_ceil(2);
        self.answer(state, half);
        self.end_slow(state);
        state
    }

    /// Moves the owner to a free entry, if there is one, and the bound of fast pops with it.
    fn go_on(&self, state: &mut OwnerState) -> bool {
        let from = state.slow.floor;
        let there_is = self.advance(state).is_some();
        self.requests.move_pop(from, state.slow.floor);
        there_is
    }

    /// Pushes on the slow path.
    #[cold]
    #[inline(never)]
    pub(super) fn push(&self, item: T) -> (&OwnerState, Result<(), T>) {
        let state = self.state();
        self.begin_slow(state);
        let result = if self.go_on(state) {
            // SAFETY: the entry is free, and the owner's.
            unsafe { entries::<T, BlockHead>(state.block).add(state.pos).as_ref().write(item) };
            state.pos += 1;
            Ok(())
        } else {
            Err(item)
        };
        // A single item, too: a thief that waits for it need not seize it, and the owner's next pop can take it back.
        let half = Self::kept(state).div_ceil(2);
        self.answer(state, half);
        self.end_slow(state);
        (state, result)
    }

    /// Moves the owner to the newest item, if there is one and the owner is not there.
    fn retreat(&self, state: &mut OwnerState) {
        if state.slow.lends {
            self.recall(state);
        }
        // OwnerBlocks something was claimed, nothing is left slow.
        if state.pos > 0 {
            return;
        }
        let previous = state.slow.location.previous(self.blocks.geometry.blocks());
        let used_up = SPos::used_up(previous.lap, self.size());
        let s_pos = &self.thieves(previous).s_pos;
        // Ordering: Relaxed, a block that is used up stays so until the owner uses the block again, as one above this.
        let word = SPos(s_pos.load(Ordering::Relaxed));
        if word == used_up || !word.is_in(previous) {
            return;
        }
        match self.take_over(state, previous).next() {
            // Ordering: Relaxed. Thieves that find it closed meanwhile find nothing, and there is nothing.
            floor if floor == self.size() => s_pos.store(used_up.0, Ordering::Relaxed),
            // The block that the owner leaves stays closed: thieves look whose items they seize.
            floor => self.enter(state, previous, self.size(), floor),
        }
    }

    /// Pops on the slow path.
    #[cold]
    #[inline(never)]
    pub(super) fn pop(&self) -> (&OwnerState, Option<T>) {
        let state = self.state();
        if self.requests.is_pending(state.slow.floor) && self.is_empty(state) {
            // The pop has published a position in front of the owner's items.
            self.position.publish_push(state.pos);
            return (state, None);
        }
        self.begin_slow(state);
        let from = state.slow.floor;
        if state.pos == from {
            self.retreat(state);
        }
        self.requests.move_pop(from, state.slow.floor);
        // The owner keeps the item that it pops.
        let half = Self::kept(state) / 2;
        self.answer(state, half);
        let item = (state.pos > state.slow.floor).then(|| {
            state.pos -= 1;
            // SAFETY: the entry holds an item, and is the owner's.
            unsafe { entries::<T, BlockHead>(state.block).add(state.pos).as_ref().take() }
        });
        self.end_slow(state);
        (state, item)
    }

    /// Gives all items to the thieves when the owner goes.
    pub(super) fn leave(&self) {
        let state = self.state();
        self.begin_slow(state);
        let end = state.pos;
        self.grant(state, end);
        self.position.publish(state.slow.location, end, 0);
    }

    /// Whether the owner's block is full and it cannot enter the next one.
    pub(super) fn is_full(&self, state: &OwnerState) -> bool {
        state.pos == self.size() && !self.is_free(state.slow.location.next(self.blocks.geometry.blocks()))
    }

    /// Whether nothing is left that the owner could pop.
    pub(super) fn is_empty(&self, state: &OwnerState) -> bool {
        // Ordering: Relaxed, here and in `len`: the owner knows its own words, and thieves only take from them.
        let left = |location: Location| match SPos(self.thieves(location).s_pos.load(Ordering::Relaxed)) {
            word if word.is_in(location) => word.len(),
            _ => 0,
        };
        // If something of the owner's block was claimed, nothing is left slow.
        let is_below = || state.pos == 0 && left(state.slow.location.previous(self.blocks.geometry.blocks())) > 0;
        self.own(state) == 0 && left(state.slow.location) == 0 && !is_below()
    }

    /// Returns how many items of its block are the owner's.
    fn own(&self, state: &OwnerState) -> usize {
        // Ordering: Relaxed, what thieves have seized the owner need not know yet.
        let word = SPos(self.thieves(state.slow.location).s_pos.load(Ordering::Relaxed));
        state.pos - word.floor(state.slow.floor)
    }

    /// Returns the number of items, those that thieves may take included.
    pub(super) fn len(&self, state: &OwnerState) -> usize {
        self.own(state) + self.all_granted()
    }
}

impl<T> Drop for Queue<T> {
    fn drop(&mut self) {
        if !core::mem::needs_drop::<T>() {
            return;
        }
        // Ordering: Relaxed throughout. Everything is ordered before the queue is dropped.
        let bottom = Location::unpacked(self.bottom.load(Ordering::Relaxed));
        let blocks = self.blocks.geometry.blocks();
        let mut left = (0..blocks).map(|number| (bottom.index + number) % blocks).flat_map(|index| {
            let block = self.blocks.block(index);
            let word = SPos(self.thieves(Location { lap: 0, index }).s_pos.load(Ordering::Relaxed));
            let numbers = if word.is_closed() { 0..0 } else { word.next()..word.end() };
            numbers.map(move |number| (block, number))
        });
        drop_all(&mut || {
            let Some((block, number)) = left.next() else { return false };
            // SAFETY: nobody else is left, and the entry holds an item, which is visited once.
            drop(unsafe { entries::<T, BlockHead>(block).add(number).as_ref().take() });
            true
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use core::mem::offset_of;

    #[test]
    fn what_thieves_write_and_what_the_owner_reads_lie_apart() {
        let offsets = [
            offset_of!(Queue<u8>, bottom),
            offset_of!(Queue<u8>, unanswered),
            offset_of!(Queue<u8>, requests),
            offset_of!(Queue<u8>, position),
            offset_of!(Queue<u8>, state),
        ];
        crate::isolated::assert_line_pairs(align_of::<Queue<u8>>(), &offsets);
        crate::isolated::assert_line_pairs(align_of::<BlockHead>(), &[offset_of!(BlockHead, thieves)]);
    }
}
