//! An array whose length is known when it is made.

use core::ops::Deref;
use core::ptr::NonNull;

use crate::error::CapacityError;
use crate::heap::{allocate, free, isolated_array, most_bytes};
use crate::isolated::LINE_PAIR;
use crate::sync::Cell;

/// Elements on pairs of cache lines of their own. They are not dropped.
#[derive(Debug)]
pub(crate) struct Array<E> {
    first: NonNull<E>,
    len: usize,
}

// SAFETY: the array owns its elements.
unsafe impl<E: Send> Send for Array<E> {}
// SAFETY: a shared array gives out `&E` only.
unsafe impl<E: Sync> Sync for Array<E> {}

impl<E> Array<E> {
    /// Allocates memory for `len` elements, uninitialised.
    fn room(len: usize) -> Result<Self, CapacityError> {
        const { assert!(!core::mem::needs_drop::<E>(), "elements are not dropped") };
        let most = || most_bytes(LINE_PAIR.max(align_of::<E>())) / size_of::<E>().max(1);
        let layout = isolated_array::<E>(len).ok_or_else(|| CapacityError::TooLarge { asked: len, max: most() })?;
        Ok(Self { first: allocate(layout)?.cast(), len })
    }

    /// Makes `len` elements in place, because they may be larger than a stack. `make` initialises
    /// each, given its index and its address.
    ///
    /// # Safety
    /// `make` initialises the element at its address. Cells in the element may stay uninitialised.
    pub(crate) unsafe fn in_place(len: usize, make: impl Fn(usize, NonNull<E>)) -> Result<Self, CapacityError> {
        let array = Self::room(len)?;
        for number in 0..len {
            // SAFETY: the element is within the memory.
            make(number, unsafe { array.first.add(number) });
        }
        Ok(array)
    }

    /// Makes `len` elements. `make` returns each, given its index.
    pub(crate) fn new(len: usize, make: impl Fn(usize) -> E) -> Result<Self, CapacityError> {
        let array = Self::room(len)?;
        for number in 0..len {
            // SAFETY: the element is within the memory, which is not shared yet.
            unsafe { array.first.add(number).write(make(number)) };
        }
        Ok(array)
    }
}

impl<E> Array<E> {
    /// Returns the address of element `number`, or of the array's end.
    #[inline(always)]
    pub(crate) fn from(&self, number: usize) -> NonNull<E> {
        debug_assert!(number <= self.len);
        // SAFETY: the element is within the memory, or at its end.
        unsafe { self.first.add(number) }
    }
}

impl<T> Array<Cell<T>> {
    /// Makes `len` empty cells. Their content is not dropped with the array.
    pub(crate) fn cells(len: usize) -> Result<Self, CapacityError> {
        // A cell need not be initialised.
        Self::room(len)
    }
}

impl<E> Deref for Array<E> {
    type Target = [E];

    #[inline(always)]
    fn deref(&self) -> &[E] {
        // SAFETY: the memory has `len` elements, which are initialised, except for cells.
        unsafe { core::slice::from_raw_parts(self.first.as_ptr(), self.len) }
    }
}

impl<E> Drop for Array<E> {
    fn drop(&mut self) {
        let layout = isolated_array::<E>(self.len).expect("it was allocated with this layout");
        // SAFETY: `room` allocated it with this layout, and the array is not used after this.
        unsafe { free(self.first.cast(), layout) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_know_their_numbers() {
        let array = Array::new(100, |number| number * 2).expect("there is memory");
        assert!(array.iter().enumerate().all(|(number, &element)| element == number * 2));
        assert!(array.as_ptr().addr().is_multiple_of(LINE_PAIR));
        assert_eq!(Array::new(0, |_| 1).expect("no memory").len(), 0);
    }

    #[test]
    fn what_overflows_is_refused_with_what_is_possible() {
        type Large = [u8; 1 << (usize::BITS - 24)];
        let Err(CapacityError::TooLarge { asked, max }) = Array::<Cell<Large>>::cells(1 << 24).map(drop) else {
            panic!("not too large")
        };
        assert!(asked == 1 << 24 && max > 1 << 20 && isolated_array::<Large>(max).is_some(), "{max}");
    }
}
