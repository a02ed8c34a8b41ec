//! Cells whose accesses are checked for data races.

use std::panic::Location;

use crate::graph::event::{Kind, Label, Mode};
use crate::runtime::place::{Place, Tag};
use crate::runtime::{driver, inside, visible};

/// As `core::cell::UnsafeCell`, with accesses that the model sees.
#[derive(Debug)]
pub struct UnsafeCell<T: ?Sized> {
    tag: Tag,
    value: core::cell::UnsafeCell<T>,
}

impl<T> UnsafeCell<T> {
    /// A cell with a value.
    pub const fn new(value: T) -> Self {
        Self { tag: Tag::new(), value: core::cell::UnsafeCell::new(value) }
    }

    /// The value.
    pub fn into_inner(self) -> T {
        self.value.into_inner()
    }
}

impl<T: ?Sized> UnsafeCell<T> {
    /// Reads through a pointer, in one access that races with writes that nothing orders.
    #[inline]
    #[track_caller]
    pub fn with<R>(&self, read: impl FnOnce(*const T) -> R) -> R {
        let began = self.access(Kind::CellRead);
        let result = read(self.value.get());
        self.finish(Kind::CellRead, began);
        result
    }

    /// Writes, or reads and writes, through a pointer, in one access that races with any other that
    /// nothing orders.
    #[inline]
    #[track_caller]
    pub fn with_mut<R>(&self, write: impl FnOnce(*mut T) -> R) -> R {
        let began = self.access(Kind::CellWrite);
        let result = write(self.value.get());
        self.finish(Kind::CellWrite, began);
        result
    }

    /// A pointer whose uses the model does not see.
    pub const fn get(&self) -> *mut T {
        self.value.get()
    }

    /// The value, which nobody else can reach.
    pub fn get_mut(&mut self) -> &mut T {
        self.value.get_mut()
    }

    /// The access as an event; how many events the thread has done then.
    #[inline]
    #[track_caller]
    fn access(&self, kind: Kind) -> usize {
        if !inside() {
            return 0;
        }
        let place = Place { tag: &self.tag, memory: 0, bits: 0 };
        let label = Label::new(kind, Mode::NonAtomic, Location::caller());
        visible(|engine| engine.access_cell(&place, label));
        driver::ask(|engine| engine.position())
    }

    /// The end of an access that began when the thread had done `began` events. If it has done
    /// more since, the access lasted longer than an instant, and its end counts too.
    #[inline]
    #[track_caller]
    fn finish(&self, kind: Kind, began: usize) {
        if inside() && driver::ask(|engine| engine.position()) != began {
            self.access(kind);
        }
    }
}

/// Reads raw memory that [`crate::alloc::alloc`] has given, in one access that is checked for races,
/// use after free and missing initialisation. Outside of a model it is `ptr.read()`.
///
/// # Safety
///
/// As for [`core::ptr::read`], but for what the model finds.
#[track_caller]
pub unsafe fn read<T>(memory: *const T) -> T {
    touch(memory, Kind::CellRead);
    // SAFETY: The caller promises it; inside a model the access has been checked.
    unsafe { memory.read() }
}

/// Writes raw memory that [`crate::alloc::alloc`] has given, in one access that is checked for races
/// and use after free. Outside of a model it is `ptr.write(value)`.
///
/// # Safety
///
/// As for [`core::ptr::write`], but for what the model finds.
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
