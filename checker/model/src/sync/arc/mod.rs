//! Shared ownership, as in `std::sync`, with a count that the model sees.

mod count;
mod owners;
mod traits;
mod weak;

use std::mem::ManuallyDrop;
use std::pin::Pin;

use crate::sync::atomic::{Ordering, fence};

use count::Count;
use owners::Owner;
pub use weak::Weak;

/// A [`std::sync::Arc`], whose owners the model sees.
///
/// Inside a model, drops are events of the execution: which owner is the last to drop is explored,
/// and an `Arc` that is never dropped is a leak. The order of the other drops is not explored,
/// unless the program reads the number of owners or of weak references or makes raw pointers
/// ([`Config::all_drop_orders`](crate::Config::all_drop_orders)). `std`'s own `Arc` costs no
/// executions. Use it if it does not matter which owner drops last.
///
/// The orderings are `std`'s: numbers are read with Relaxed, and only the last owner, or one that
/// is alone, synchronizes with the drops of all others.
pub struct Arc<T: ?Sized> {
    /// The value with as many owners, so that it is freed natively, too.
    value: ManuallyDrop<std::sync::Arc<T>>,
    count: ManuallyDrop<std::sync::Arc<Count>>,
    /// This owner, unless all are counted.
    owner: Option<Owner>,
}

impl<T> Arc<T> {
    /// Makes a value with one owner.
    #[track_caller]
    #[must_use]
    pub fn new(value: T) -> Self {
        Self::first(std::sync::Arc::new(value))
    }

    /// Makes a value that may have weak references to itself. They cannot be upgraded until it is
    /// made.
    #[track_caller]
    pub fn new_cyclic(make: impl FnOnce(&Weak<T>) -> T) -> Self {
        let count = Count::new(0);
        count.note_weak();
        let value = std::sync::Arc::new_cyclic(|weak| {
            let weak = Weak::of(weak.clone(), std::sync::Arc::clone(&count));
            let value = make(&weak);
            // All owners share this weak reference.
            drop(weak.into_parts());
            value
        });
        // Ordering: Release pairs with the Acquire of an upgrade; without it, that one does not see
        // the value.
        count.owners.fetch_add(1, Ordering::Release);
        let owner = count.family();
        Self::of(value, count, owner)
    }

    /// Returns a value with one owner, which never moves.
    #[track_caller]
    #[must_use]
    pub fn pin(value: T) -> Pin<Self> {
        // SAFETY: The value of an `Arc` does not move, and no exclusive reference to it is returned
        // while it is pinned.
        unsafe { Pin::new_unchecked(Self::new(value)) }
    }

    /// Returns the value, if there is one owner.
    ///
    /// # Errors
    /// `this`, if there are more.
    #[track_caller]
    pub fn try_unwrap(this: Self) -> Result<T, Self> {
        // Without weak references, a family is all.
        let is_family = this.owner.as_ref().is_none_or(Owner::is_alone);
        let takes = this.owner.is_none() || is_family && this.count.is_weakened();
        if !is_family || takes && !this.count.take(Ordering::Relaxed) {
            return Err(this);
        }
        if takes {
            fence(Ordering::Acquire);
        }
        let (value, count) = this.into_parts();
        count::forget(std::sync::Arc::as_ptr(&value), &count);
        count.end();
        count.strengthen_for_good();
        match std::sync::Arc::try_unwrap(value) {
            Ok(value) => Ok(value),
            Err(_) => unreachable!("there is one owner"),
        }
    }
}

impl<T> Arc<T> {
    /// Drops an owner. Returns the value if it was the last one.
    #[track_caller]
    pub fn into_inner(this: Self) -> Option<T> {
        let last = this.leave();
        let (value, count) = this.into_parts();
        if last {
            count::forget(std::sync::Arc::as_ptr(&value), &count);
            count.end();
            count.strengthen_for_good();
        }
        std::sync::Arc::into_inner(value)
    }
}

impl<T: Clone> Arc<T> {
    /// Returns the value, or a clone of it if there are other owners.
    #[track_caller]
    pub fn unwrap_or_clone(this: Self) -> T {
        Self::try_unwrap(this).unwrap_or_else(|this| (*this).clone())
    }

    /// Returns the value, or a clone of it that replaces it if there are other owners.
    ///
    /// If there are weak references, and no other owner, the value moves away from them.
    #[track_caller]
    pub fn make_mut(this: &mut Self) -> &mut T {
        if !Self::is_family(this) {
            let own = (**this).clone();
            *this = Self::new(own);
        } else if this.count.is_weakened() {
            this.count.ask();
            // Ordering: Acquire pairs with the Release of the owners' drops.
            if !this.count.take(Ordering::Acquire) {
                let own = (**this).clone();
                *this = Self::new(own);
            } else if this.count.weak(Ordering::Relaxed) > 0 {
                return this.move_away();
            } else {
                // Ordering: Release, as in std: a later upgrade's drop passes on what happens
                // before this.
                this.count.owners.store(1, Ordering::Release);
            }
        }
        std::sync::Arc::get_mut(&mut this.value).expect("there is one owner")
    }

    /// Moves the value, whose count has no owners any more, away from its weak references.
    #[track_caller]
    fn move_away(&mut self) -> &mut T {
        count::forget(std::sync::Arc::as_ptr(&self.value), &self.count);
        let old = std::mem::replace(&mut *self.count, Count::new(1));
        self.owner = self.count.family();
        old.end();
        old.strengthen_for_good();
        std::sync::Arc::make_mut(&mut self.value)
    }
}

impl<T: ?Sized> Arc<T> {
    #[track_caller]
    fn first(value: std::sync::Arc<T>) -> Self {
        let count = Count::new(1);
        let owner = count.family();
        Self::of(value, count, owner)
    }

    fn of(value: std::sync::Arc<T>, count: std::sync::Arc<Count>, owner: Option<Owner>) -> Self {
        Self { value: ManuallyDrop::new(value), count: ManuallyDrop::new(count), owner }
    }

    /// Whether no other owner is left in the model: none, or none of the same family. Then this one
    /// synchronizes with their drops.
    #[track_caller]
    fn is_family(this: &Self) -> bool {
        match &this.owner {
            Some(owner) => owner.is_alone(),
            None if this.count.owners.load(Ordering::Relaxed) == 1 => {
                // Ordering: Acquire pairs with the Release of the owners' drops. With weak
                // references, the exchange that follows acquires.
                if !this.count.is_weakened() {
                    fence(Ordering::Acquire);
                }
                true
            }
            None => false,
        }
    }

    /// Returns the same owner of a value of another type.
    fn cast<U: ?Sized>(self, cast: impl FnOnce(std::sync::Arc<T>) -> std::sync::Arc<U>) -> Arc<U> {
        let mut this = ManuallyDrop::new(self);
        // SAFETY: Each is taken once, because `this` is neither used nor dropped again.
        let (value, count) = unsafe { (ManuallyDrop::take(&mut this.value), ManuallyDrop::take(&mut this.count)) };
        Arc::of(cast(value), count, this.owner.take())
    }

    fn into_parts(self) -> (std::sync::Arc<T>, std::sync::Arc<Count>) {
        let mut this = ManuallyDrop::new(self);
        drop(this.owner.take());
        // SAFETY: Each is taken once, because `this` is neither used nor dropped again.
        unsafe { (ManuallyDrop::take(&mut this.value), ManuallyDrop::take(&mut this.count)) }
    }

    /// Ends this owner. Returns whether it was the last one, which then synchronizes with all
    /// others.
    #[track_caller]
    fn leave(&self) -> bool {
        match &self.owner {
            Some(owner) => owner.end(&self.count),
            None => {
                let last = self.count.owners.fetch_sub(1, Ordering::Release) == 1;
                if last {
                    fence(Ordering::Acquire);
                }
                last
            }
        }
    }

    /// Takes over an `Arc` of `std`, which can have an unsized type.
    ///
    /// # Panics
    /// If it has another owner.
    #[track_caller]
    #[must_use]
    pub fn from_std(mut value: std::sync::Arc<T>) -> Self {
        assert!(std::sync::Arc::get_mut(&mut value).is_some(), "Arc::from_std needs an Arc with one owner");
        Self::first(value)
    }

    /// Returns the number of owners.
    #[track_caller]
    #[must_use]
    pub fn strong_count(this: &Self) -> usize {
        this.count.ask();
        match this.owner {
            // Nothing counts any more in this run.
            Some(_) => std::sync::Arc::strong_count(&this.value),
            None => this.count.owners.load(Ordering::Relaxed),
        }
    }

    /// Returns the number of weak references.
    #[track_caller]
    #[must_use]
    pub fn weak_count(this: &Self) -> usize {
        this.count.ask();
        match this.owner {
            Some(_) => std::sync::Arc::weak_count(&this.value),
            None => this.count.weak(Ordering::Relaxed),
        }
    }

    /// Makes a weak reference.
    #[track_caller]
    #[must_use]
    pub fn downgrade(this: &Self) -> Weak<T> {
        this.count.weaken();
        Weak::of(std::sync::Arc::downgrade(&this.value), std::sync::Arc::clone(&this.count))
    }

    /// Returns the value, if there is one owner and no weak reference.
    #[track_caller]
    pub fn get_mut(this: &mut Self) -> Option<&mut T> {
        let is_alone = match &this.owner {
            Some(owner) => owner.is_alone(),
            None => this.count.is_alone(),
        };
        if is_alone && this.owner.is_some() && this.count.is_weakened() {
            this.count.ask();
        }
        if is_alone { std::sync::Arc::get_mut(&mut this.value) } else { None }
    }

    /// Whether both own one value.
    #[must_use]
    pub fn ptr_eq(this: &Self, other: &Self) -> bool {
        std::sync::Arc::ptr_eq(&this.value, &other.value)
    }

    /// Returns the value's address.
    #[must_use]
    pub fn as_ptr(this: &Self) -> *const T {
        this.count.ask();
        let pointer = std::sync::Arc::as_ptr(&this.value);
        count::remember(pointer, &this.count);
        pointer
    }

    /// Returns the value's address, which stands for an owner from now on.
    #[must_use = "the value leaks if it is not made an `Arc` again"]
    pub fn into_raw(this: Self) -> *const T {
        let pointer = Self::as_ptr(&this);
        let (value, _) = this.into_parts();
        std::mem::forget(value);
        pointer
    }

    /// Returns the owner that an address stands for.
    ///
    /// # Safety
    /// The address came from [`Self::into_raw`] and is made an `Arc` once.
    ///
    /// # Panics
    /// If it did not come from [`Self::into_raw`] or [`Self::as_ptr`], or there is no owner any
    /// more.
    #[must_use]
    pub unsafe fn from_raw(pointer: *const T) -> Self {
        let count = count::recall(pointer).expect("the pointer came from Arc::into_raw, and the Arc is alive");
        // SAFETY: The caller promises that the pointer stands for an owner.
        Self::of(unsafe { std::sync::Arc::from_raw(pointer) }, count, None)
    }

    /// Adds an owner.
    ///
    /// # Safety
    /// The address came from [`Self::into_raw`] or [`Self::as_ptr`], and there is an owner.
    #[track_caller]
    pub unsafe fn increment_strong_count(pointer: *const T) {
        // SAFETY: The caller promises it; that owner is not touched.
        let this = ManuallyDrop::new(unsafe { Self::from_raw(pointer) });
        std::mem::forget(Arc::clone(&this));
    }

    /// Removes an owner, as a drop does.
    ///
    /// # Safety
    /// The address stands for an owner.
    #[track_caller]
    pub unsafe fn decrement_strong_count(pointer: *const T) {
        // SAFETY: The caller promises it.
        drop(unsafe { Self::from_raw(pointer) });
    }
}

impl<T: ?Sized> Clone for Arc<T> {
    #[track_caller]
    fn clone(&self) -> Self {
        let owner = self.owner.as_ref().map(Owner::another);
        if owner.is_none() {
            self.count.owners.fetch_add(1, Ordering::Relaxed);
        }
        Self::of(std::sync::Arc::clone(&self.value), std::sync::Arc::clone(&self.count), owner)
    }
}

impl<T: ?Sized> Drop for Arc<T> {
    #[track_caller]
    fn drop(&mut self) {
        let last = self.leave();
        // SAFETY: Only this place takes them, and it is reached once.
        let (value, count) = unsafe { (ManuallyDrop::take(&mut self.value), ManuallyDrop::take(&mut self.count)) };
        if last {
            count::forget(std::sync::Arc::as_ptr(&value), &count);
            count.end();
        }
        // The owners are dropped in the order of the model's count, so the last one drops the
        // value.
        drop(value);
        if last {
            count.strengthen_for_good();
        }
    }
}
