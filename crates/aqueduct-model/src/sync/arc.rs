//! Shared ownership, as in `std::sync`, with a count that the model sees.

use std::borrow::Borrow;
use std::collections::HashMap;
use std::fmt;
use std::mem::ManuallyDrop;
use std::ops::Deref;
use std::pin::Pin;
use std::sync::{Mutex, PoisonError};

use super::owners::Owner;
use crate::alloc::Track;
use crate::runtime::driver;
use crate::sync::atomic::{AtomicUsize, Ordering, fence};

/// A [`std::sync::Arc`] without weak references, whose owners the model sees.
///
/// Inside a model, drops are events of the execution: which owner is the last to drop is explored, and an
/// `Arc` that is never dropped is a leak. The order of the other drops is not explored, unless the program asks for
/// the number of owners or makes raw pointers
/// ([`Config::all_drop_orders`](crate::Config::all_drop_orders)). `std`'s own `Arc` costs no executions. Use it if it
/// does not matter which owner drops last.
pub struct Arc<T: ?Sized> {
    /// The value with as many owners, so that it is freed natively, too.
    value: ManuallyDrop<std::sync::Arc<T>>,
    count: ManuallyDrop<std::sync::Arc<Count>>,
    /// This owner, unless all are counted.
    owner: Option<Owner>,
}

/// The owners, as the model sees them, if they are counted.
struct Count {
    owners: AtomicUsize,
    life: Mutex<Option<Track<()>>>,
}

/// The counts of the values to which raw pointers have been made, by address.
static RAW: Mutex<Option<HashMap<usize, std::sync::Arc<Count>>>> = Mutex::new(None);

fn raw<R>(with: impl FnOnce(&mut HashMap<usize, std::sync::Arc<Count>>) -> R) -> R {
    with(RAW.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert_default())
}

fn address<T: ?Sized>(value: *const T) -> usize {
    value.cast::<()>().addr()
}

impl Count {
    #[track_caller]
    fn new() -> std::sync::Arc<Self> {
        std::sync::Arc::new(Self { owners: AtomicUsize::new(1), life: Mutex::new(Some(Track::new(()))) })
    }

    /// Ends the value's life, after its last owner has gone.
    #[track_caller]
    fn end(&self) {
        let life = self.life.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(life) = life {
            life.into_inner();
        }
    }
}

impl<T> Arc<T> {
    /// Makes a value with one owner.
    #[track_caller]
    #[must_use]
    pub fn new(value: T) -> Self {
        Self::first(std::sync::Arc::new(value))
    }

    /// Returns a value with one owner, which never moves.
    #[track_caller]
    #[must_use]
    pub fn pin(value: T) -> Pin<Self> {
        // SAFETY: The value of an `Arc` does not move, and no exclusive reference to it is returned while it
        // is pinned.
        unsafe { Pin::new_unchecked(Self::new(value)) }
    }

    /// Returns the value, if there is one owner.
    ///
    /// # Errors
    /// `this`, if there are more.
    #[track_caller]
    pub fn try_unwrap(this: Self) -> Result<T, Self> {
        let is_alone = match &this.owner {
            Some(owner) => owner.is_alone(),
            None => this.count.owners.compare_exchange(1, 0, Ordering::Relaxed, Ordering::Relaxed).is_ok(),
        };
        if !is_alone {
            return Err(this);
        }
        if this.owner.is_none() {
            fence(Ordering::Acquire);
        }
        let (value, count) = this.into_parts();
        Self::forget_raw(&value);
        count.end();
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
            Self::forget_raw(&value);
            count.end();
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
    #[track_caller]
    pub fn make_mut(this: &mut Self) -> &mut T {
        if Self::get_mut(this).is_none() {
            let own = (**this).clone();
            *this = Self::new(own);
        }
        std::sync::Arc::get_mut(&mut this.value).expect("there is one owner")
    }
}

impl<T: ?Sized> Arc<T> {
    #[track_caller]
    fn first(value: std::sync::Arc<T>) -> Self {
        Self::of(value, Count::new(), (!driver::counts_owners()).then(Owner::first))
    }

    fn of(value: std::sync::Arc<T>, count: std::sync::Arc<Count>, owner: Option<Owner>) -> Self {
        Self { value: ManuallyDrop::new(value), count: ManuallyDrop::new(count), owner }
    }

    /// Asks for a count of the owners: the check begins anew if there is none.
    fn ask_for_count(this: &Self) {
        if this.owner.is_some() {
            driver::ask_for_counts();
        }
    }

    fn into_parts(self) -> (std::sync::Arc<T>, std::sync::Arc<Count>) {
        let mut this = ManuallyDrop::new(self);
        drop(this.owner.take());
        // SAFETY: Each is taken once, because `this` is neither used nor dropped again.
        unsafe { (ManuallyDrop::take(&mut this.value), ManuallyDrop::take(&mut this.count)) }
    }

    /// Ends this owner. Returns whether it was the last one, which then sees what all others did.
    #[track_caller]
    fn leave(&self) -> bool {
        match &self.owner {
            Some(owner) => owner.end(),
            None => {
                let last = self.count.owners.fetch_sub(1, Ordering::Release) == 1;
                if last {
                    fence(Ordering::Acquire);
                }
                last
            }
        }
    }

    fn forget_raw(value: &std::sync::Arc<T>) {
        let count = raw(|counts| counts.remove(&address(std::sync::Arc::as_ptr(value))));
        drop(count);
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
        Self::ask_for_count(this);
        match this.owner {
            // Nothing counts any more in this run.
            Some(_) => std::sync::Arc::strong_count(&this.value),
            None => this.count.owners.load(Ordering::SeqCst),
        }
    }

    /// Returns the value, if there is one owner.
    #[track_caller]
    pub fn get_mut(this: &mut Self) -> Option<&mut T> {
        let is_alone = match &this.owner {
            Some(owner) => owner.is_alone(),
            None => this.count.owners.load(Ordering::Acquire) == 1,
        };
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
        Self::ask_for_count(this);
        let pointer = std::sync::Arc::as_ptr(&this.value);
        raw(|counts| counts.insert(address(pointer), std::sync::Arc::clone(&this.count)));
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
    /// If it did not come from [`Self::into_raw`] or [`Self::as_ptr`], or there is no owner any more.
    #[must_use]
    pub unsafe fn from_raw(pointer: *const T) -> Self {
        let count = raw(|counts| counts.get(&address(pointer)).map(std::sync::Arc::clone));
        let count = count.expect("the pointer came from Arc::into_raw, and the Arc is alive");
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
            Self::forget_raw(&value);
            count.end();
        }
        // The owners are dropped in the order of the model's count, so the last one drops the value.
        drop(value);
    }
}

impl<T: ?Sized> Deref for Arc<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.value
    }
}

impl<T: ?Sized> AsRef<T> for Arc<T> {
    fn as_ref(&self) -> &T {
        self
    }
}

impl<T: ?Sized> Borrow<T> for Arc<T> {
    fn borrow(&self) -> &T {
        self
    }
}

impl<T: Default> Default for Arc<T> {
    #[track_caller]
    fn default() -> Self {
        Self::new(T::default())
    }
}

impl<T> From<T> for Arc<T> {
    #[track_caller]
    fn from(value: T) -> Self {
        Self::new(value)
    }
}

impl<T: ?Sized + fmt::Debug> fmt::Debug for Arc<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

impl<T: ?Sized + fmt::Display> fmt::Display for Arc<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}
