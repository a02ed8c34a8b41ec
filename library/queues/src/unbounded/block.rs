//! A block of slots, and the states of a slot.

use core::alloc::Layout;
use core::ptr::NonNull;

use super::place::{ALIGN, MOST_SLOTS, Place};
use crate::heap::{allocate, free};
use crate::sync::{AtomicPtr, AtomicU8, AtomicUsize, Cell, Ordering, pause_while};

/// The head of a block. Its slots follow it in memory.
#[repr(C)]
pub(super) struct Block<T> {
    /// The next block of the queue, or of the list of retired blocks.
    pub(super) next: AtomicPtr<Block<T>>,
    /// The count of departures that are outstanding before the block is retired: see [`OPEN`].
    debt: AtomicUsize,
}

/// The part of a block's debt for each end of the queue that has not left the block.
///
/// An end that leaves subtracts it, and adds the number of threads that it brought to the block and
/// that found no slot. Each of these threads subtracts 1 when it is done. So the debt is 0 when
/// both ends have left and no thread uses more of the block than its own slot.
const OPEN: usize = 1 << (usize::BITS - 2);

/// The slot has not been filled.
const EMPTY: u8 = 0;
/// The slot has an item.
const FILLED: u8 = 1;
/// The slot's consumer did not wait for the producer.
const SKIPPED: u8 = 2;
/// The slot's producer and its consumer are done with it.
const DONE: u8 = 3;

/// The memory of one item, for one producer and one consumer.
///
/// A `&self` would promise that the memory is there until the end of the call. So methods after
/// whose last access another thread may free the block have a pointer.
pub(super) struct Slot<T> {
    cell: Cell<T>,
    state: AtomicU8,
}

/// A consumer's longest wait for a producer that has claimed its slot before, in spin hints.
const PATIENCE: u32 = 64;

impl<T> Slot<T> {
    /// Puts `item` into the slot, or gives it back if the consumer has skipped the slot.
    ///
    /// # Safety
    /// The caller is the slot's producer, and this is its last use of the slot.
    #[inline(always)]
    pub(super) unsafe fn fill(this: *const Self, item: T) -> Result<(), T> {
        // SAFETY: the slot is there until the last access.
        let (cell, state) = unsafe { (&(*this).cell, &(*this).state) };
        // SAFETY: the consumer does not touch the cell before the state is `FILLED`.
        unsafe { cell.write(item) };
        // Ordering: Release pairs with the Acquire of `take`: what happened before comes with the
        // item. Acquire pairs with the Release of `take`'s swap, so that the consumer's last access
        // comes before `DONE`.
        if state.swap(FILLED, Ordering::AcqRel) == EMPTY {
            return Ok(());
        }
        // SAFETY: the consumer has skipped the slot, and does not touch the cell.
        let item = unsafe { cell.take() };
        // Ordering: Release pairs with the Acquire of `is_done`.
        state.store(DONE, Ordering::Release);
        Err(item)
    }

    /// Puts `item` into the slot of a consumer that waits for it.
    ///
    /// # Safety
    /// The caller is the slot's producer, and this is its last use of the slot. The consumer skips
    /// no slot.
    #[inline(always)]
    pub(super) unsafe fn fill_awaited(this: *const Self, item: T) {
        // SAFETY: the slot is there until the last access.
        let (cell, state) = unsafe { (&(*this).cell, &(*this).state) };
        // SAFETY: the consumer does not touch the cell before the state is `FILLED`.
        unsafe { cell.write(item) };
        // Ordering: Release pairs with the Acquire of `is_filled`: what happened before comes with
        // the item.
        state.store(FILLED, Ordering::Release);
    }

    /// Whether there is an item for a consumer that waits for it.
    #[inline(always)]
    pub(super) fn is_filled(&self) -> bool {
        // Ordering: Acquire pairs with the Release of `fill_awaited`.
        self.state.load(Ordering::Acquire) == FILLED
    }

    /// Takes the item that [`is_filled`](Self::is_filled) has seen.
    ///
    /// The slot's state stays as it is, so [`is_done`](Block::is_done) does not apply to such
    /// slots.
    ///
    /// # Safety
    /// The caller is the slot's consumer, has seen that it is filled, and does not use it
    /// afterwards.
    #[inline(always)]
    pub(super) unsafe fn take_filled(&self) -> T {
        // SAFETY: the producer is done, and the item is taken once.
        unsafe { self.cell.take() }
    }

    /// Takes the item, or skips the slot if the producer is late.
    ///
    /// # Safety
    /// The caller is the slot's consumer, and this is its last use of the slot.
    #[inline(always)]
    pub(super) unsafe fn take(this: *const Self) -> Option<T> {
        // SAFETY: the slot is there until the last access.
        let (cell, state) = unsafe { (&(*this).cell, &(*this).state) };
        // Ordering: Acquire pairs with the Release of `fill`.
        if state.load(Ordering::Acquire) != FILLED && Self::skip(state) {
            return None;
        }
        // SAFETY: the cell has an item, and the producer is done.
        let item = unsafe { cell.take() };
        // Ordering: Release pairs with the Acquire of `is_done`: the block is used again, or freed,
        // after this.
        state.store(DONE, Ordering::Release);
        Some(item)
    }

    /// Waits a moment for the producer. Returns whether the item is still missing.
    #[cold]
    fn skip(state: &AtomicU8) -> bool {
        pause_while(PATIENCE, || state.load(Ordering::Relaxed) == EMPTY);
        // Ordering: Acquire pairs with the Release of `fill`, if the item is there now. Release
        // pairs with the Acquire of `fill`, which stores `DONE` for both.
        state.swap(SKIPPED, Ordering::AcqRel) == EMPTY
    }
}

impl<T> Block<T> {
    /// Where the slots begin.
    const SLOTS: usize = size_of::<Self>().next_multiple_of(align_of::<Slot<T>>());

    /// Returns how many slots a block of `bytes` has: at least `least` and at most [`MOST_SLOTS`].
    pub(super) const fn slots_within(bytes: usize, least: usize) -> usize {
        let slots = bytes.saturating_sub(Self::SLOTS) / size_of::<Slot<T>>();
        if slots < least {
            least
        } else if slots > MOST_SLOTS {
            MOST_SLOTS
        } else {
            slots
        }
    }

    /// Returns the layout of a block of `slots` slots.
    fn layout(slots: usize) -> Option<Layout> {
        let head = Layout::new::<Self>().align_to(ALIGN).ok()?;
        Some(head.extend(Layout::array::<Slot<T>>(slots).ok()?).ok()?.0)
    }

    /// Allocates a block of empty slots, unless there is no memory.
    pub(super) fn new(slots: usize) -> Option<NonNull<Self>> {
        let layout = Self::layout(slots)?;
        let memory = allocate(layout).ok()?;
        if !Place::<T>::can_hold(memory.addr().get()) {
            // SAFETY: just allocated with this layout.
            unsafe { free(memory, layout) };
            return None;
        }
        let block = memory.cast::<Self>();
        // SAFETY: the slot is within the new memory, which is not shared yet. Cells need not be
        // initialised.
        unsafe {
            block.write(Self { next: AtomicPtr::new(core::ptr::null_mut()), debt: AtomicUsize::new(2 * OPEN) });
            for index in 0..slots {
                (&raw mut (*Self::slot(block, index).cast_mut()).state).write(AtomicU8::new(EMPTY));
            }
        }
        Some(block)
    }

    /// Returns slot `index`.
    ///
    /// # Safety
    /// The block is allocated and has more slots.
    #[inline(always)]
    pub(super) unsafe fn slot(block: NonNull<Self>, index: usize) -> *const Slot<T> {
        // SAFETY: within the block's memory.
        unsafe { block.byte_add(Self::SLOTS).cast::<Slot<T>>().add(index).as_ptr() }
    }

    /// Frees the block, without its items' destructors.
    ///
    /// # Safety
    /// The block came from `new` with `slots` slots, and no thread uses it any more.
    pub(super) unsafe fn free(block: NonNull<Self>, slots: usize) {
        if let Some(layout) = Self::layout(slots) {
            // SAFETY: the caller's promise.
            unsafe { free(block.cast(), layout) }
        }
    }

    /// Restores a used block to the state of a new one.
    ///
    /// # Safety
    /// The caller has the block, of `slots` slots, to itself.
    pub(super) unsafe fn renew(block: NonNull<Self>, slots: usize) {
        // Ordering: Relaxed, the block is published afterwards.
        // SAFETY: the caller's promise.
        unsafe {
            block.as_ref().next.store(core::ptr::null_mut(), Ordering::Relaxed);
            block.as_ref().debt.store(2 * OPEN, Ordering::Relaxed);
            (0..slots).for_each(|index| (*Self::slot(block, index)).state.store(EMPTY, Ordering::Relaxed));
        }
    }

    /// Puts `item` into the first slot of a block that is not published.
    ///
    /// # Safety
    /// The caller has the block to itself.
    pub(super) unsafe fn fill_first(block: NonNull<Self>, item: T) {
        // SAFETY: the caller's promise.
        unsafe {
            let slot = &*Self::slot(block, 0);
            slot.cell.write(item);
            // Ordering: Relaxed, the block is published afterwards.
            slot.state.store(FILLED, Ordering::Relaxed);
        }
    }

    /// Takes the item of `fill_first` out again.
    ///
    /// # Safety
    /// The caller still has the block to itself.
    pub(super) unsafe fn empty_first(block: NonNull<Self>) -> T {
        // SAFETY: the caller's promise.
        unsafe { (*Self::slot(block, 0)).cell.take() }
    }

    /// Whether no producer or consumer of a slot is still at work.
    ///
    /// # Safety
    /// The block is allocated and has `slots` slots, and both ends of the queue have left it.
    pub(super) unsafe fn is_done(block: NonNull<Self>, slots: usize) -> bool {
        // Ordering: Acquire pairs with the Release of `take` and `fill`: they are done before the
        // block is used again.
        // SAFETY: the caller's promise.
        (0..slots).all(|index| unsafe { &*Self::slot(block, index) }.state.load(Ordering::Acquire) == DONE)
    }

    /// Notes that an end of the queue has left the block, and how many visitors that end brought.
    #[inline]
    pub(super) fn close(&self, visitors: usize) {
        // Ordering: Acquire only keeps later stores behind (load buffering). The caller is one of
        // the visitors and leaves after this.
        self.debt.fetch_add(visitors.wrapping_sub(OPEN), Ordering::Acquire);
    }

    /// Notes that a visitor is done with the block. Returns whether the caller must retire the
    /// block; if not, another thread may free it.
    ///
    /// # Safety
    /// The caller visits the block, and this is the end of its visit.
    #[inline]
    pub(super) unsafe fn leave(block: NonNull<Self>) -> bool {
        // SAFETY: the block is there until the last visitor has left it.
        let debt = unsafe { &(*block.as_ptr()).debt };
        // Ordering: Release so that all that this thread did with the block comes before what the
        // last visitor does; Acquire for the last one.
        debt.fetch_sub(1, Ordering::AcqRel) == 1
    }
}
