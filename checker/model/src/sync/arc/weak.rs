//! Weak references.

use std::fmt;
use std::mem::ManuallyDrop;

use super::Arc;
use super::count::{self, Count};
use crate::sync::atomic::Ordering;

/// A [`std::sync::Weak`]: a reference to the value of an [`Arc`] that does not keep it alive.
///
/// Inside a model, whether an upgrade comes before the last drop or after it is explored. It has no
/// order with other drops, unless the program reads numbers of owners or of weak references.
pub struct Weak<T: ?Sized> {
    value: ManuallyDrop<std::sync::Weak<T>>,
    /// None if there has never been a value.
    count: ManuallyDrop<Option<std::sync::Arc<Count>>>,
}

impl<T> Weak<T> {
    /// Makes a reference to no value.
    #[must_use]
    pub const fn new() -> Self {
        Self { value: ManuallyDrop::new(std::sync::Weak::new()), count: ManuallyDrop::new(None) }
    }
}

impl<T: ?Sized> Weak<T> {
    pub(super) fn of(value: std::sync::Weak<T>, count: std::sync::Arc<Count>) -> Self {
        Self { value: ManuallyDrop::new(value), count: ManuallyDrop::new(Some(count)) }
    }

    /// Returns both parts, as if there were no drop.
    pub(super) fn into_parts(self) -> (std::sync::Weak<T>, Option<std::sync::Arc<Count>>) {
        let mut this = ManuallyDrop::new(self);
        // SAFETY: Each is taken once, because `this` is neither used nor dropped again.
        unsafe { (ManuallyDrop::take(&mut this.value), ManuallyDrop::take(&mut this.count)) }
    }

    /// Returns an owner of the value, unless the last one was dropped.
    #[track_caller]
    #[must_use]
    pub fn upgrade(&self) -> Option<Arc<T>> {
        let count = self.count.as_ref()?;
        // Ordering: Acquire pairs with the Release in `Arc::new_cyclic`; without it, this owner
        // does not see the value.
        if !count.owners.add_unless_zero() {
            return None;
        }
        let value = self.value.upgrade().expect("the value has an owner");
        Some(Arc::of(value, std::sync::Arc::clone(count), count.family()))
    }

    /// Returns the number of owners of the value.
    #[track_caller]
    #[must_use]
    pub fn strong_count(&self) -> usize {
        let Some(count) = &*self.count else { return 0 };
        count.ask();
        // Otherwise nothing counts any more in this run.
        if count.is_counted() { count.owners.load(Ordering::Relaxed) } else { self.value.strong_count() }
    }

    /// Returns the number of weak references to the value, or 0 if it has no owner.
    #[track_caller]
    #[must_use]
    pub fn weak_count(&self) -> usize {
        let Some(count) = &*self.count else { return 0 };
        count.ask();
        if !count.is_counted() {
            return self.value.weak_count();
        }
        // Ordering: Acquire pairs with the Release in `Count::strengthen`: if the owners' common
        // reference is missing, no owner is left.
        let weak = count.weak(Ordering::Acquire);
        if count.owners.load(Ordering::Relaxed) == 0 { 0 } else { weak }
    }

    /// Whether both refer to one value, or both to none.
    #[must_use]
    pub fn ptr_eq(&self, other: &Self) -> bool {
        self.value.ptr_eq(&other.value)
    }

    /// Returns the value's address. It dangles if the value was dropped.
    #[must_use]
    pub fn as_ptr(&self) -> *const T {
        self.value.as_ptr()
    }

    /// Returns the value's address, which stands for a weak reference from now on.
    #[must_use = "the reference leaks if it is not made a `Weak` again"]
    pub fn into_raw(self) -> *const T {
        let (value, count) = self.into_parts();
        let pointer = value.into_raw();
        if let Some(count) = count {
            count::remember_weak(pointer, count);
        }
        pointer
    }

    /// Returns the weak reference that an address stands for.
    ///
    /// # Safety
    /// The address came from [`Self::into_raw`] and is made a `Weak` once.
    #[must_use]
    pub unsafe fn from_raw(pointer: *const T) -> Self {
        // SAFETY: The caller promises that the pointer stands for a weak reference.
        let value = unsafe { std::sync::Weak::from_raw(pointer) };
        Self { value: ManuallyDrop::new(value), count: ManuallyDrop::new(count::recall_weak(pointer)) }
    }
}

impl<T: ?Sized> Clone for Weak<T> {
    #[track_caller]
    fn clone(&self) -> Self {
        if let Some(count) = &*self.count {
            count.weaken_again();
        }
        Self { value: self.value.clone(), count: self.count.clone() }
    }
}

impl<T: ?Sized> Drop for Weak<T> {
    #[track_caller]
    fn drop(&mut self) {
        if let Some(count) = &*self.count {
            count.strengthen();
        }
        // SAFETY: Only this place takes them, and it is reached once. A model thread that stops at
        // the event before keeps both.
        let taken = unsafe { (ManuallyDrop::take(&mut self.value), ManuallyDrop::take(&mut self.count)) };
        drop(taken);
    }
}

impl<T> Default for Weak<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T: ?Sized> fmt::Debug for Weak<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("(Weak)")
    }
}
