//! The model backend: every access is an event of the execution that the model checker explores.
//!
//! A cell is as transparent as natively, so that slots are laid out as values and slices of them
//! work. The model knows its accesses by their addresses, in memory that came from this module's
//! `alloc`.

use core::cell::UnsafeCell;
use core::mem::MaybeUninit;

use aqueduct_model::cell;
use aqueduct_model::sync::atomic::AtomicU64;

pub(crate) use aqueduct_model::alloc::{alloc, dealloc};
pub(crate) use aqueduct_model::sync::atomic::{AtomicPtr, AtomicU8, AtomicUsize, Ordering, heavy_fence, light_fence};

/// Two words that are exchanged as one. In the model they are the halves of one word, so they have to be small.
pub(crate) struct AtomicPair(AtomicU64);

impl AtomicPair {
    pub(crate) const fn new(pair: [u64; 2]) -> Self {
        Self(AtomicU64::new(Self::packed(pair)))
    }

    const fn packed([first, second]: [u64; 2]) -> u64 {
        assert!(first >> 32 == 0 && second >> 32 == 0, "too large for the model");
        first | second << 32
    }

    /// The model can.
    pub(crate) fn is_available() -> bool {
        true
    }

    /// As natively.
    ///
    /// # Safety
    /// As natively.
    #[track_caller]
    pub(crate) unsafe fn second(&self, ordering: Ordering) -> u64 {
        self.0.load(ordering) >> 32
    }

    /// As natively: a load of its own. That it is not older than the second word, if that was looked at before, is here a matter of
    /// coherence, and natively of that look's Acquire.
    ///
    /// # Safety
    /// As natively.
    #[track_caller]
    pub(crate) unsafe fn first(&self, ordering: Ordering) -> u64 {
        self.0.load(ordering) & 0xffff_ffff
    }

    /// As natively.
    ///
    /// # Safety
    /// As natively.
    #[track_caller]
    pub(crate) unsafe fn exchange(&self, expected: [u64; 2], new: [u64; 2], ordering: Ordering) -> bool {
        let (expected, new) = (Self::packed(expected), Self::packed(new));
        self.0.compare_exchange(expected, new, ordering, Ordering::Relaxed).is_ok()
    }
}

/// The model's fences are as they are.
pub(crate) fn prepare_fences() {}

/// Time does not pass in the model.
pub(crate) fn pause(_times: u32) {}

/// Time does not pass in the model, so the condition is not even looked at.
pub(crate) fn pause_while(_times: u32, _condition: impl FnMut() -> bool) {}

/// There are no caches in the model.
pub(crate) fn prefetch_to_read(_address: *const u8) {}

/// There are no caches in the model.
pub(crate) fn prefetch_to_write(_address: *const u8) {}

/// As natively: one load.
#[track_caller]
pub(crate) fn is_greater(word: &AtomicUsize, number: usize) -> bool {
    word.load(Ordering::Relaxed) > number
}

/// As natively: one load.
#[track_caller]
pub(crate) fn is_less(word: &AtomicUsize, number: usize) -> bool {
    word.load(Ordering::Relaxed) < number
}

/// One slot's memory, as natively. It has to lie in memory from `alloc` when it is accessed.
#[allow(missing_debug_implementations)]
#[repr(transparent)]
pub struct Cell<T>(UnsafeCell<MaybeUninit<T>>);

impl<T> Cell<T> {
    /// A slot that holds `value`. The model takes it for uninitialised until it is written in its place.
    pub(crate) const fn new(value: T) -> Self {
        Self(UnsafeCell::new(MaybeUninit::new(value)))
    }

    /// Moves `value` in; what the slot held is forgotten. A non-atomic write.
    ///
    /// # Safety
    /// As natively; what the caller gets wrong, the model reports.
    #[track_caller]
    pub(crate) unsafe fn write(&self, value: T) {
        // SAFETY: the caller's promise, checked by the model.
        unsafe { cell::write(self.0.get().cast::<T>(), value) }
    }

    /// Moves the value out; the slot counts as uninitialised afterwards. A non-atomic read.
    ///
    /// # Safety
    /// As natively; what the caller gets wrong, the model reports.
    #[track_caller]
    pub(crate) unsafe fn take(&self) -> T {
        // SAFETY: the caller's promise, checked by the model.
        unsafe { cell::read(self.0.get().cast::<T>()) }
    }

    /// A view of `len` slots that hold values. One non-atomic read of each, now.
    ///
    /// # Safety
    /// As natively.
    #[track_caller]
    pub(crate) unsafe fn filled<'a>(first: *const Self, len: usize) -> &'a [T] {
        for i in 0..len {
            // SAFETY: the caller's promise, checked by the model; the bytes read are not used as a value.
            unsafe { cell::read(first.add(i).cast::<MaybeUninit<T>>()) };
        }
        // SAFETY: the caller's promise; a cell is transparent, so slots are laid out as values.
        unsafe { core::slice::from_raw_parts(first.cast::<T>(), len) }
    }

    /// A view of `len` slots to be filled. One non-atomic write of each, now: the model takes all of them for
    /// initialised from here on.
    ///
    /// # Safety
    /// As natively.
    #[track_caller]
    pub(crate) unsafe fn free<'a>(first: *const Self, len: usize) -> &'a mut [MaybeUninit<T>] {
        for i in 0..len {
            // SAFETY: the caller's promise, checked by the model; the bytes stay as they are.
            unsafe {
                let slot = first.add(i).cast::<MaybeUninit<T>>().cast_mut();
                cell::write(slot, slot.read());
            }
        }
        // SAFETY: the caller's promise; the pointer comes from a cell, so writing through it is allowed.
        unsafe { core::slice::from_raw_parts_mut(first.cast::<MaybeUninit<T>>().cast_mut(), len) }
    }

    /// Drops the values of `len` slots in place. One non-atomic read of each.
    ///
    /// # Safety
    /// As natively.
    #[track_caller]
    pub(crate) unsafe fn drop_values(first: *const Self, len: usize) {
        for i in 0..len {
            // SAFETY: the caller's promise, checked by the model; each value is dropped once, where it was moved to.
            drop(unsafe { cell::read(first.add(i).cast::<T>()) });
        }
    }
}
