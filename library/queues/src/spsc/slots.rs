//! The circular array of slots, and a cursor that walks it.
//!
//! (Group F of Maffione, Lettieri and Rizzo, 2018, section 2.2.)

use core::alloc::Layout;
use core::ptr::NonNull;

use super::mirror::Mirror;
use crate::error::CapacityError;
use crate::heap::{allocate, drop_all, free, isolated_array, most_bytes};
use crate::isolated::LINE_PAIR;
use crate::sync::Cell;

/// The circular array of slots. It owns the memory, not the content.
pub(super) struct SlotArray<E> {
    begin: NonNull<E>,
    len: usize,
    backing: Backing,
}

enum Backing {
    Heap(Layout),
    Mirror(Mirror),
}

// SAFETY: `SlotArray` gives out pointers only; their users answer for the items that cross threads.
unsafe impl<E> Send for SlotArray<E> {}
// SAFETY: the reason for `Send` holds.
unsafe impl<E> Sync for SlotArray<E> {}

impl<E> SlotArray<E> {
    /// Makes `capacity + spare` slots, rounded up to a multiple of `unit`, each by `slot`.
    ///
    /// `spare` slots serve the algorithm, not the user.
    pub(super) fn new(
        capacity: usize,
        spare: usize,
        unit: usize,
        slot: impl Fn(usize) -> E,
    ) -> Result<Self, CapacityError> {
        let (len, layout) = on_heap::<E>(capacity, spare, unit)?;
        let begin = allocate(layout)?.cast::<E>();
        for i in 0..len {
            // SAFETY: the slot is within the allocation.
            unsafe { begin.add(i).write(slot(i)) };
        }
        Ok(Self { begin, len, backing: Backing::Heap(layout) })
    }

    /// Returns a cursor at slot `index`.
    pub(super) fn cursor(&self, index: usize) -> SlotCursor<E> {
        debug_assert!(index < self.len);
        // SAFETY: `index` is within the array, `len` one past its end.
        let (slot, end) = unsafe { (self.begin.add(index), self.begin.add(self.len)) };
        let mirrored = matches!(self.backing, Backing::Mirror(_));
        SlotCursor { slot, begin: self.begin, end, mirrored }
    }
}

impl<T> SlotArray<Cell<T>> {
    /// Makes uninitialised slots for values.
    pub(super) fn for_values(capacity: usize, spare: usize) -> Result<Self, CapacityError> {
        let (len, layout) = on_heap::<Cell<T>>(capacity, spare, 1)?;
        // A cell may be uninitialised.
        Ok(Self { begin: allocate(layout)?.cast(), len, backing: Backing::Heap(layout) })
    }

    /// Makes at least `capacity + spare` uninitialised slots in pages that are mapped twice.
    ///
    /// One copy follows the other.
    pub(super) fn mirrored(capacity: usize, spare: usize) -> Result<Self, CapacityError> {
        let mirror = Mirror::new(capacity, spare, Layout::new::<Cell<T>>())?;
        let len = mirror.bytes() / size_of::<Cell<T>>();
        Ok(Self { begin: mirror.begin().cast(), len, backing: Backing::Mirror(mirror) })
    }

    /// Whether this process has the slots. It does not if they are mirrored and it was forked.
    pub(super) fn are_here(&self) -> bool {
        match &self.backing {
            Backing::Heap(_) => true,
            Backing::Mirror(mirror) => mirror.is_here(),
        }
    }

    /// Drops the `count` values from `first` on, each once, even if a destructor panics.
    ///
    /// # Safety
    /// Those slots hold values, no other thread uses them, and they are not used again.
    pub(super) unsafe fn drop_values(mut first: SlotCursor<Cell<T>>, mut count: usize) {
        if !core::mem::needs_drop::<T>() {
            return;
        }
        drop_all(&mut || {
            let (run, at) = (first.run().min(count), first.as_ptr());
            first.advance(run);
            count -= run;
            // SAFETY: the caller's promise; each run is visited once.
            unsafe { Cell::drop_values(at, run) };
            count != 0
        });
    }
}

impl<E> Drop for SlotArray<E> {
    fn drop(&mut self) {
        if let Backing::Heap(layout) = self.backing {
            // SAFETY: the memory was allocated with this layout; elements need no drop (cells,
            // atomics).
            unsafe { free(self.begin.cast(), layout) }
        }
    }
}

/// Returns the length and the layout of `capacity + spare` slots.
///
/// The length is rounded up to a multiple of `unit`.
fn on_heap<E>(capacity: usize, spare: usize, unit: usize) -> Result<(usize, Layout), CapacityError> {
    if capacity == 0 {
        return Err(CapacityError::Zero);
    }
    let len = capacity.checked_add(spare).and_then(|len| len.checked_next_multiple_of(unit));
    len.and_then(|len| Some((len, isolated_array::<E>(len)?))).ok_or_else(|| {
        // Elements without a size take no bytes.
        let most = most_bytes(align_of::<E>().max(LINE_PAIR)).checked_div(size_of::<E>()).unwrap_or(usize::MAX);
        CapacityError::TooLarge { asked: capacity, max: (most - most % unit).saturating_sub(spare) }
    })
}

/// A position in the circular array. Each end keeps one.
pub(super) struct SlotCursor<E> {
    slot: NonNull<E>,
    begin: NonNull<E>,
    end: NonNull<E>,
    mirrored: bool,
}

impl<E> Clone for SlotCursor<E> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<E> Copy for SlotCursor<E> {}

// SAFETY: a cursor is a position; the users of its slot answer for the items that cross threads.
unsafe impl<E> Send for SlotCursor<E> {}
// SAFETY: the reason for `Send` holds.
unsafe impl<E> Sync for SlotCursor<E> {}

impl<E> SlotCursor<E> {
    /// Returns the slot at the cursor.
    #[inline(always)]
    pub(super) fn slot(&self) -> &E {
        // SAFETY: the pointer is within the array, which lives as long as either end, and a cursor
        // is part of an end.
        unsafe { self.slot.as_ref() }
    }

    /// Returns the slot at the cursor, as the start of a run.
    #[inline(always)]
    pub(super) fn as_ptr(&self) -> *const E {
        self.slot.as_ptr()
    }

    /// Returns how many slots from the cursor on are adjacent in memory, free or not.
    #[inline(always)]
    pub(super) fn run(&self) -> usize {
        if size_of::<E>() == 0 {
            return usize::MAX;
        }
        // SAFETY: all three point into one allocation, in this order.
        unsafe {
            let whole = self.end.offset_from_unsigned(self.begin);
            if self.mirrored { whole } else { self.end.offset_from_unsigned(self.slot) }
        }
    }

    /// Moves on by one slot. After the last slot comes the first one.
    #[inline(always)]
    pub(super) fn step(&mut self) {
        if size_of::<E>() == 0 {
            return;
        }
        // SAFETY: the cursor is before the end, so the pointer is at most one past the last slot.
        let next = unsafe { self.slot.add(1) };
        self.slot = if next == self.end { self.begin } else { next };
    }

    /// Moves on by `count` slots, at most the whole array. After the last slot comes the first one.
    #[inline(always)]
    pub(super) fn advance(&mut self, count: usize) {
        if size_of::<E>() == 0 {
            return;
        }
        // SAFETY: both stay within the array, because `count` exceeds the rest by less than the
        // array's length.
        unsafe {
            let to_end = self.end.offset_from_unsigned(self.slot);
            self.slot = if count < to_end { self.slot.add(count) } else { self.begin.add(count - to_end) };
        }
    }

    /// Moves back by `count` slots, at most the whole array. Before the first slot comes the last
    /// one.
    #[inline(always)]
    pub(super) fn go_back(&mut self, count: usize) {
        if size_of::<E>() == 0 {
            return;
        }
        // SAFETY: both stay within the array, because `count` exceeds the part before by less than
        // the array's length.
        unsafe {
            let from_begin = self.slot.offset_from_unsigned(self.begin);
            self.slot = if count <= from_begin { self.slot.sub(count) } else { self.end.sub(count - from_begin) };
        }
    }

    /// Returns the number of slots of the array.
    #[inline(always)]
    pub(super) fn ring_len(&self) -> usize {
        // SAFETY: both pointers belong to one allocation, in this order.
        unsafe { self.end.offset_from_unsigned(self.begin) }
    }
}
