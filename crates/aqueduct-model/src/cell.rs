//! Cells whose accesses are checked for data races.

use std::panic::Location;

use crate::graph::event::{Kind, Label, Mode};
use crate::runtime::place::{Place, Tag};
use crate::runtime::{inside, visible};

/// As `core::cell::UnsafeCell`, with accesses that the model sees.
#[derive(Debug)]
pub struct UnsafeCell<T: ?Sized> {
    tag: Tag,
    value: core::cell::UnsafeCell<T>,
}

impl<T> UnsafeCell<T> {
    /// A cell with a value.
    pub const fn new(value: T) -> Self {
        Self {
            tag: Tag::new(),
            value: core::cell::UnsafeCell::new(value),
        }
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
        self.access(Kind::CellRead);
        read(self.value.get())
    }

    /// Writes, or reads and writes, through a pointer, in one access that races with any other that
    /// nothing orders.
    #[inline]
    #[track_caller]
    pub fn with_mut<R>(&self, write: impl FnOnce(*mut T) -> R) -> R {
        self.access(Kind::CellWrite);
        write(self.value.get())
    }

    /// A pointer whose uses the model does not see.
    pub const fn get(&self) -> *mut T {
        self.value.get()
    }

    /// The value, which nobody else can reach.
    pub fn get_mut(&mut self) -> &mut T {
        self.value.get_mut()
    }

    #[track_caller]
    fn access(&self, kind: Kind) {
        if inside() {
            let place = Place {
                tag: &self.tag,
                memory: 0,
                bits: 0,
            };
            let label = Label::new(kind, Mode::NonAtomic, Location::caller());
            visible(|engine| engine.access_cell(&place, label));
        }
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
