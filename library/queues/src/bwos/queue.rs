//! The state that owner and thieves share, in both orders.

use core::ptr::NonNull;

use super::block::{Blocks, Head, Location, Thieves, entries};
use super::geometry::Geometry;
use super::order::{Order, Parts};
use super::request::{Requests, Unanswered};
use crate::error::CapacityError;
use crate::heap::drop_all;
use crate::isolated::Isolated;
use crate::sync::{AtomicU8, Cell, Ordering};

/// The queue's state, which owner and thieves share.
///
/// The bounds come first: fast paths compare with them and publish positions relative to one
/// address.
#[repr(C)]
pub struct Queue<T, O: Parts> {
    pub(super) requests: Requests<O>,
    pub(super) blocks: Blocks<T, O::Head>,
    /// The requested capacity.
    pub(super) capacity: usize,
    pub(super) hints: O::Hints,
    /// The number of times that thieves have found an owner that does not answer.
    pub(super) unanswered: Isolated<Unanswered>,
    /// The owner's published position.
    pub(super) position: Isolated<O::Position>,
    /// The owner's state. Only the owner accesses it.
    state: Isolated<Cell<OwnerState<O>>>,
}

// SAFETY: items go from one thread to another, which `T: Send` allows; threads never share one.
unsafe impl<T: Send, O: Order> Send for Queue<T, O> {}
// SAFETY: the reason for `Send` holds.
unsafe impl<T: Send, O: Order> Sync for Queue<T, O> {}

/// The owner's state: its position, as it was when it last left its fast paths, and the state of
/// its slow paths.
///
/// It is in the queue, and not in the handle, where it would take registers from the caller's
/// loops. Slow paths change it where it lies: a copy reads pairs of words that have just been
/// written one by one, which processors do slowly.
pub struct OwnerState<O: Parts> {
    /// The block that the owner pushes to.
    pub(super) back: NonNull<O::Head>,
    /// Entries of the block at the back up to here are written.
    pub(super) b_pos: usize,
    pub(super) front: O::Front,
    pub(super) slow: O::SlowState,
}

impl<T, O: Order> Queue<T, O> {
    pub(super) fn for_capacity(capacity: usize, lap: usize) -> Result<Self, CapacityError> {
        Self::new(Blocks::<T, O::Head>::geometry(capacity)?, capacity, lap)
    }

    pub(super) fn new(geometry: Geometry, capacity: usize, lap: usize) -> Result<Self, CapacityError> {
        let blocks = Blocks::<T, O::Head>::new(geometry, lap)?;
        let (hints, position, state) = O::first(&blocks, lap);
        let requests = Requests::new(geometry.block_size(), O::pops_end(&state));
        let unanswered = Isolated(Unanswered::none());
        let (position, state) = (Isolated(position), Isolated(Cell::new(state)));
        Ok(Self { requests, blocks, capacity, hints, unanswered, position, state })
    }

    /// Returns the owner's state. The owner alone calls it, and has one at a time.
    #[expect(clippy::mut_from_ref, reason = "the owner's handle is not shared, and no operation calls another one")]
    #[inline(always)]
    pub(super) fn state(&self) -> &mut OwnerState<O> {
        // SAFETY: the queue was made with one, and only the owner accesses it.
        unsafe { Cell::free(&raw const *self.state, 1)[0].assume_init_mut() }
    }

    /// Saves the position that the owner has on its fast paths, and returns its state; the owner
    /// alone calls it.
    #[inline(always)]
    pub(super) fn save(&self, back: NonNull<O::Head>, b_pos: usize, front: &O::Front) -> &mut OwnerState<O> {
        let state = self.state();
        (state.back, state.b_pos) = (back, b_pos);
        O::save(front, state);
        state
    }

    /// Makes sure that there is a free entry at the back, if the queue is not full.
    #[cold]
    #[inline(never)]
    pub(super) fn make_room(&self) -> &OwnerState<O> {
        let state = self.state();
        if O::is_stuck(self, state) {
            return state;
        }
        let (is_requested, _) = O::begin(self, state);
        _ = O::advance(self, state);
        O::answer(self, state, is_requested, 0);
        O::end(self, state);
        state
    }

    /// Pushes on the slow path.
    #[cold]
    #[inline(never)]
    pub(super) fn push(&self, item: T) -> (&OwnerState<O>, Result<(), T>) {
        let state = self.state();
        if O::is_stuck(self, state) {
            return (state, Err(item));
        }
        let (is_requested, _) = O::begin(self, state);
        let result = if O::advance(self, state) {
            // SAFETY: the entry is free, and the owner's.
            unsafe { entries::<T, O::Head>(state.back).add(state.b_pos).as_ref().write(item) };
            state.b_pos += 1;
            Ok(())
        } else {
            Err(item)
        };
        O::answer(self, state, is_requested, 0);
        O::end(self, state);
        (state, result)
    }

    /// Pops on the slow path.
    #[cold]
    #[inline(never)]
    pub(super) fn pop(&self) -> (&OwnerState<O>, Option<T>) {
        let state = self.state();
        if O::finds_nothing(self, state) {
            return (state, None);
        }
        let (is_requested, mut entry) = O::begin(self, state);
        if entry.is_none() {
            O::go_to_item(self, state);
        }
        O::answer(self, state, is_requested, usize::from(entry.is_none()));
        if entry.is_none() {
            entry = O::take_entry(self, state);
        }
        let front = O::front(state.back, state.front);
        // SAFETY: the entry holds an item, and is the owner's.
        let item = entry.map(|entry| unsafe { entries::<T, O::Head>(front).add(entry).as_ref().take() });
        O::end(self, state);
        (state, item)
    }

    /// Ends a theft: the thief of a block's last entry reports whether thieves have read all of the
    /// block.
    ///
    /// Then the owner need not read all marks.
    #[inline(always)]
    pub(super) fn finish(&self, last: Option<(usize, u8)>) {
        if let Some((at, mark)) = last {
            self.report(Location::unpacked(at), mark);
        }
    }

    #[inline(never)]
    fn report(&self, at: Location, mark: u8) {
        // Ordering: Acquire pairs with the Release stores of the thieves that have read the other
        // entries; without it, the owner that acquires `read` does not see them, and writes entries
        // that are being read (`bwos-lifo/three-thieves-block`, `bwos-fifo/stolen-together`).
        let is_read = |it: &AtomicU8| it.load(Ordering::Acquire) == mark;
        if self.blocks.marks(at.index).iter().all(is_read) {
            // Ordering: Release pairs with the owner's Acquire load before it enters the block in
            // the next lap; without it, the owner writes entries that are being read
            // (`bwos-lifo/drop`, `bwos-fifo/stolen-again`).
            self.thieves(at.index).read.store(Location::all_read(at.lap), Ordering::Release);
        }
    }
}

impl<T, O: Parts> Queue<T, O> {
    /// Returns the words of a block that thieves write.
    #[inline(always)]
    pub(super) fn thieves(&self, block: usize) -> &Thieves {
        self.blocks.head(block).thieves()
    }

    /// Returns the number of blocks.
    #[inline(always)]
    pub(super) fn block_count(&self) -> usize {
        self.blocks.geometry.blocks()
    }

    /// Returns the number of entries in a block.
    #[inline(always)]
    pub(super) fn size(&self) -> usize {
        self.blocks.geometry.block_size()
    }
}

impl<T, O: Parts> Drop for Queue<T, O> {
    fn drop(&mut self) {
        if !core::mem::needs_drop::<T>() {
            return;
        }
        let blocks = self.block_count();
        let oldest = O::oldest_block(self);
        let mut left = (0..blocks).map(|number| (oldest + number) % blocks).flat_map(|index| {
            let block = self.blocks.block(index);
            O::items_left(self, index).into_iter().flatten().map(move |number| (block, number))
        });
        drop_all(&mut || {
            let Some((block, number)) = left.next() else { return false };
            // SAFETY: no handle is left, and the entry holds an item, which is visited once.
            drop(unsafe { entries::<T, O::Head>(block).add(number).as_ref().take() });
            true
        });
    }
}

#[cfg(test)]
mod tests {
    use super::super::order::{Fifo, Lifo};
    use super::*;
    use core::mem::offset_of;

    #[test]
    fn what_thieves_write_and_what_the_owner_writes_lie_apart() {
        fn of<O: Order>() {
            let offsets = [
                offset_of!(Queue<u8, O>, requests),
                offset_of!(Queue<u8, O>, hints),
                offset_of!(Queue<u8, O>, unanswered),
                offset_of!(Queue<u8, O>, position),
                offset_of!(Queue<u8, O>, state),
            ];
            crate::isolated::assert_line_pairs(align_of::<Queue<u8, O>>(), &offsets);
        }
        of::<Lifo>();
        of::<Fifo>();
    }
}
