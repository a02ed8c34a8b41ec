//! Cells whose accesses are checked for data races.

mod copied;
mod pointer;

use std::fmt;
use std::panic::Location;

use crate::graph::event::{Kind, Label, Mode};
use crate::runtime::place::{Place, Tag};
use crate::runtime::{driver, inside, visible};

pub use copied::Cell;
use pointer::Access;
pub use pointer::{ConstPtr, MutPtr};

/// A [`core::cell::UnsafeCell`] whose accesses are events of the model: each call marks the
/// beginning and the end of its access.
pub struct UnsafeCell<T: ?Sized> {
    tag: Tag,
    value: core::cell::UnsafeCell<T>,
}

impl<T> UnsafeCell<T> {
    /// Makes a cell with a value.
    pub const fn new(value: T) -> Self {
        Self { tag: Tag::new(), value: core::cell::UnsafeCell::new(value) }
    }

    /// Returns the value.
    pub fn into_inner(self) -> T {
        self.value.into_inner()
    }
}

impl<T: ?Sized> UnsafeCell<T> {
    /// Reads through a pointer, in one access that races with writes that are not ordered with it.
    #[inline]
    #[track_caller]
    pub fn with<R>(&self, read: impl FnOnce(*const T) -> R) -> R {
        let began = access(&self.tag, Kind::CellRead);
        let result = read(self.value.get());
        finish(&self.tag, Kind::CellRead, began);
        result
    }

    /// Accesses the value through a pointer, in one access that races with any other that is not
    /// ordered with it.
    #[inline]
    #[track_caller]
    pub fn with_mut<R>(&self, write: impl FnOnce(*mut T) -> R) -> R {
        let began = access(&self.tag, Kind::CellWrite);
        let result = write(self.value.get());
        finish(&self.tag, Kind::CellWrite, began);
        result
    }

    /// Returns a pointer to read through. The call is an access, and so is each use of the pointer.
    #[track_caller]
    pub fn get(&self) -> ConstPtr<T> {
        let access = Access::begin(&self.tag, Kind::CellRead);
        ConstPtr { pointer: self.value.get(), access }
    }

    /// Returns a pointer to write through. The call is an access, and so is each use of the
    /// pointer.
    #[track_caller]
    pub fn get_mut(&self) -> MutPtr<T> {
        let access = Access::begin(&self.tag, Kind::CellWrite);
        MutPtr { pointer: self.value.get(), access }
    }
}

/// Adds an access to a cell as an event. Returns the thread's number of events after it.
#[inline]
#[track_caller]
fn access(tag: &Tag, kind: Kind) -> usize {
    if !tag.is_inside() {
        return 0;
    }
    let place = Place { tag, memory: 0, bits: 0 };
    let mut label = Label::new(kind, Mode::NonAtomic, Location::caller());
    label.bits = place.bits;
    visible(|engine| engine.access_cell(&place, label));
    driver::ask(|engine| engine.position())
}

/// Ends an access that began when the thread had `began` events. If it has more now, the access
/// lasted longer than an instant, and its end counts, too.
#[inline]
#[track_caller]
fn finish(tag: &Tag, kind: Kind, began: usize) {
    if inside() && driver::ask(|engine| engine.position()) != began {
        access(tag, kind);
    }
}

/// Reads raw memory of [`crate::alloc::alloc`], in one access.
///
/// The access is checked for races, use after free and missing initialisation. Outside of a model
/// it is `ptr.read()`.
///
/// # Safety
///
/// The conditions of [`core::ptr::read`], except for the errors that the model finds.
#[track_caller]
pub unsafe fn read<T>(memory: *const T) -> T {
    touch(memory, Kind::CellRead);
    // SAFETY: The caller promises it; inside a model the access has been checked.
    unsafe { memory.read() }
}

/// Writes raw memory of [`crate::alloc::alloc`], in one access.
///
/// The access is checked for races and use after free. Outside of a model it is `ptr.write(value)`.
///
/// # Safety
///
/// The conditions of [`core::ptr::write`], except for the errors that the model finds.
#[track_caller]
pub unsafe fn write<T>(memory: *mut T, value: T) {
    touch(memory, Kind::CellWrite);
    // SAFETY: The caller promises it; inside a model the access has been checked.
    unsafe { memory.write(value) }
}

#[track_caller]
fn touch<T>(memory: *const T, kind: Kind) {
    if inside() && size_of::<T>() > 0 {
        let mut label = Label::new(kind, Mode::NonAtomic, Location::caller());
        label.expected = size_of::<T>() as u64;
        visible(|engine| engine.access_memory(memory as usize, label));
    }
}

impl<T: Default> Default for UnsafeCell<T> {
    fn default() -> Self {
        Self::new(T::default())
    }
}

impl<T> From<T> for UnsafeCell<T> {
    fn from(value: T) -> Self {
        Self::new(value)
    }
}

impl<T: ?Sized> fmt::Debug for UnsafeCell<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("UnsafeCell").finish_non_exhaustive()
    }
}
