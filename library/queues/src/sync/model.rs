//! The model backend: every access is an event of the execution that the model checker explores.
//!
//! A cell is transparent, as natively, so that slots are laid out as values and slices of them
//! work. The model identifies a cell's accesses by their addresses, in memory that came from this
//! module's `alloc`.

use core::cell::UnsafeCell;
use core::mem::MaybeUninit;

use aqueduct_model::cell;

pub(crate) use aqueduct_model::alloc::{alloc, dealloc};
pub(crate) use aqueduct_model::sync::atomic::{
    AtomicPtr, AtomicU8, AtomicU64, AtomicUsize, Ordering, heavy_fence, light_fence, light_fence as free_fence,
    light_fence as free_light_fence,
};

/// Whether atomics and cells are the model checker's.
pub(crate) const IS_MODEL: bool = true;

/// A number on which no result depends. It keeps its initial value: stores to it do nothing.
#[derive(Debug)]
pub(crate) struct Hint(u32);

impl Hint {
    pub(crate) const fn new(value: u32) -> Self {
        Self(value)
    }

    pub(crate) fn get(&self) -> u32 {
        self.0
    }

    pub(crate) fn set(&self, _value: u32) {}
}

/// Two words that are exchanged as one. In the model they are halves of one word, so their values
/// must be small.
pub(crate) struct AtomicPair(AtomicU64);

impl AtomicPair {
    pub(crate) const fn new(pair: [u64; 2]) -> Self {
        Self(AtomicU64::new(Self::packed(pair)))
    }

    const fn packed([first, second]: [u64; 2]) -> u64 {
        assert!(first >> 32 == 0 && second >> 32 == 0, "too large for the model");
        first | second << 32
    }

    /// True: the model can exchange two words as one.
    pub(crate) fn is_available() -> bool {
        true
    }

    /// Loads the second word.
    ///
    /// # Safety
    /// The native function's conditions.
    #[track_caller]
    pub(crate) unsafe fn second(&self, ordering: Ordering) -> u64 {
        self.0.load(ordering) >> 32
    }

    /// Loads the first word.
    ///
    /// This is a load of its own, as natively. The word is not older than a second word that was
    /// read before: here by coherence, natively by the Acquire of that load.
    ///
    /// # Safety
    /// The native function's conditions.
    #[track_caller]
    pub(crate) unsafe fn first(&self, ordering: Ordering) -> u64 {
        self.0.load(ordering) & 0xffff_ffff
    }

    /// Stores `new` if the value is `expected`, and returns whether it was.
    ///
    /// # Safety
    /// The native function's conditions.
    #[track_caller]
    pub(crate) unsafe fn exchange(&self, expected: [u64; 2], new: [u64; 2], ordering: Ordering) -> bool {
        let (expected, new) = (Self::packed(expected), Self::packed(new));
        self.0.compare_exchange(expected, new, ordering, Ordering::Relaxed).is_ok()
    }
}

/// Returns `true`: light fences cost nothing. The model's fences need no preparation.
pub(crate) fn prepare_fences() -> bool {
    true
}

/// Does nothing: time does not pass in the model.
pub(crate) fn pause(_times: u32) {}

/// Does nothing: time does not pass in the model, so it does not evaluate the condition.
pub(crate) fn pause_while(_times: u32, _condition: impl FnMut() -> bool) {}

/// Returns 0: time does not pass in the model.
pub(crate) fn ticks() -> u64 {
    0
}

/// Does nothing: the model has no caches.
pub(crate) fn prefetch_to_read(_address: *const u8) {}

/// Does nothing: the model has no caches.
pub(crate) fn prefetch_to_write(_address: *const u8) {}

/// Whether the value of word number `INDEX` is greater than the number. It makes one load, as
/// natively.
#[track_caller]
pub(crate) fn is_greater<const INDEX: usize, const LEN: usize>(words: &[AtomicUsize; LEN], number: usize) -> bool {
    words[INDEX].load(Ordering::Relaxed) > number
}

/// Whether the value of word number `INDEX` is less than the number, both with a sign. It makes one
/// load, as natively.
#[track_caller]
pub(crate) fn is_less<const INDEX: usize, const LEN: usize>(words: &[AtomicUsize; LEN], number: usize) -> bool {
    (words[INDEX].load(Ordering::Relaxed) as isize) < number as isize
}

/// One slot's memory, as natively. Accesses need memory from `alloc`.
#[allow(missing_debug_implementations)]
#[repr(transparent)]
pub struct Cell<T>(UnsafeCell<MaybeUninit<T>>);

impl<T> Cell<T> {
    /// Makes a slot that holds `value`. To the model it is uninitialised until a thread writes it
    /// in its place.
    pub(crate) const fn new(value: T) -> Self {
        Self(UnsafeCell::new(MaybeUninit::new(value)))
    }

    /// Moves `value` in; an old value is forgotten. A non-atomic write.
    ///
    /// # Safety
    /// The native function's conditions. The model reports violations.
    #[track_caller]
    pub(crate) unsafe fn write(&self, value: T) {
        // SAFETY: the caller's promise, checked by the model.
        unsafe { cell::write(self.0.get().cast::<T>(), value) }
    }

    /// Moves the value out; the slot counts as uninitialised afterwards. A non-atomic read.
    ///
    /// # Safety
    /// The native function's conditions. The model reports violations.
    #[track_caller]
    pub(crate) unsafe fn take(&self) -> T {
        // SAFETY: the caller's promise, checked by the model.
        unsafe { cell::read(self.0.get().cast::<T>()) }
    }

    /// Returns a view of `len` slots that hold values, and reads each now, non-atomically.
    ///
    /// # Safety
    /// The native function's conditions.
    #[track_caller]
    pub(crate) unsafe fn filled<'a>(first: *const Self, len: usize) -> &'a [T] {
        for i in 0..len {
            // SAFETY: the caller's promise, checked by the model; the bytes read are not used as a
            // value.
            unsafe { cell::read(first.add(i).cast::<MaybeUninit<T>>()) };
        }
        // SAFETY: the caller's promise; a cell is transparent, so slots are laid out as values.
        unsafe { core::slice::from_raw_parts(first.cast::<T>(), len) }
    }

    /// Returns a view of `len` slots to be filled.
    ///
    /// It writes each of them now, non-atomically: from here on they are initialised to the model.
    ///
    /// # Safety
    /// The native function's conditions.
    #[track_caller]
    pub(crate) unsafe fn free<'a>(first: *const Self, len: usize) -> &'a mut [MaybeUninit<T>] {
        for i in 0..len {
            // SAFETY: the caller's promise, checked by the model; the bytes stay as they are.
            unsafe {
                let slot = first.add(i).cast::<MaybeUninit<T>>().cast_mut();
                cell::write(slot, slot.read());
            }
        }
        // SAFETY: the caller's promise; the pointer comes from a cell, so writing through it is
        // allowed.
        unsafe { core::slice::from_raw_parts_mut(first.cast::<MaybeUninit<T>>().cast_mut(), len) }
    }

    /// Drops the values of `len` slots in place, and reads each non-atomically.
    ///
    /// # Safety
    /// The native function's conditions.
    #[track_caller]
    pub(crate) unsafe fn drop_values(first: *const Self, len: usize) {
        for i in 0..len {
            // SAFETY: the caller's promise, checked by the model; each value is dropped once, where
            // it was moved to.
            drop(unsafe { cell::read(first.add(i).cast::<T>()) });
        }
    }
}
