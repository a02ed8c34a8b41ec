//! Memory that the model watches.
//!
//! Inside a model, [`alloc`] and [`dealloc`] are events. The model finds four errors: a use of the
//! memory, raw or by the atomics and cells in it, that is not ordered between the two; a double
//! free; a read through [`cell::read`](crate::cell::read) of memory that nothing has written; and
//! memory that is never freed. Addresses are not used again within an execution, unless
//! [`Config::reuse_addresses`](crate::Config::reuse_addresses) is set. Outside of a model these
//! functions are `std`'s.

use std::fmt;
use std::panic::Location;

pub use std::alloc::Layout;

use crate::graph::event::{Kind, Label, Mode};
use crate::runtime::driver::{self, ask};
use crate::runtime::place::{Place, Tag};
use crate::runtime::{inside, visible};

/// Allocates memory, as [`std::alloc::alloc`] does.
///
/// # Safety
///
/// The size of `layout` is not zero.
#[track_caller]
#[must_use]
pub unsafe fn alloc(layout: Layout) -> *mut u8 {
    if inside() {
        allocate(layout, false)
    } else {
        // SAFETY: The caller keeps the conditions of `std`'s function.
        unsafe { std::alloc::alloc(layout) }
    }
}

/// Allocates zeroed memory, as [`std::alloc::alloc_zeroed`] does.
///
/// # Safety
///
/// The size of `layout` is not zero.
#[track_caller]
#[must_use]
pub unsafe fn alloc_zeroed(layout: Layout) -> *mut u8 {
    if inside() {
        let memory = allocate(layout, true);
        // SAFETY: The heap gives that many bytes, which no other thread can reach yet.
        unsafe { memory.write_bytes(0, layout.size()) };
        memory
    } else {
        // SAFETY: The caller keeps the conditions of `std`'s function.
        unsafe { std::alloc::alloc_zeroed(layout) }
    }
}

#[track_caller]
fn allocate(layout: Layout, initialised: bool) -> *mut u8 {
    let label = allocation(initialised);
    let block = claim(layout);
    visible(|engine| engine.allocate(layout, block, label))
}

/// Returns the label of an allocation, whose memory may be read at once if it is `initialised`.
#[track_caller]
fn allocation(initialised: bool) -> Label {
    let mut label = Label::new(Kind::Alloc, Mode::NonAtomic, Location::caller());
    label.operand = initialised.into();
    label
}

/// Returns a freed block to be used again, or none. Each choice is an execution.
///
/// Of allocations that claim one block and are not ordered with each other, one gets it.
#[track_caller]
fn claim(layout: Layout) -> Option<usize> {
    let blocks = ask(|engine| engine.reusable(layout));
    let claimed = blocks.into_iter().find(|block| {
        // Each attempt has a number of its own, so that a thread that has passed over a block may
        // pass over it again.
        let attempt = ask(|engine| engine.position()) as u64 + 1;
        driver::take(&block.claim, attempt, Location::caller())
    });
    claimed.map(|block| block.address)
}

/// Frees memory, as [`std::alloc::dealloc`] does.
///
/// # Safety
///
/// `memory` was allocated here with this layout. Inside a model, a double free, or a free of memory
/// that was never allocated, is reported, not undefined.
#[track_caller]
pub unsafe fn dealloc(memory: *mut u8, layout: Layout) {
    if !inside() {
        // SAFETY: The caller keeps the conditions of `std`'s function.
        unsafe { std::alloc::dealloc(memory, layout) }
    } else {
        let label = Label::new(Kind::Free, Mode::NonAtomic, Location::caller());
        visible(|engine| engine.free(memory as usize, label));
    }
}

/// A value that must be dropped: a complete execution that does not drop it leaks.
pub struct Track<T> {
    life: Life,
    value: T,
}

/// The allocation that stands for the lifetime of a tracked value.
#[derive(Debug)]
struct Life(Tag);

impl Life {
    fn place(&self) -> Place<'_> {
        Place { tag: &self.0, memory: 0, bits: 0 }
    }
}

impl Drop for Life {
    #[track_caller]
    fn drop(&mut self) {
        if inside() {
            let label = Label::new(Kind::Free, Mode::NonAtomic, Location::caller());
            visible(|engine| engine.access_cell(&self.place(), label));
        }
    }
}

impl<T> Track<T> {
    /// Begins to track a value.
    #[track_caller]
    #[must_use]
    pub fn new(value: T) -> Self {
        let life = Life(Tag::new());
        if inside() {
            let label = allocation(true);
            visible(|engine| engine.access_cell(&life.place(), label));
        }
        Self { life, value }
    }

    /// Returns a reference to the value. The call counts as a read for use after free.
    #[track_caller]
    pub fn get_ref(&self) -> &T {
        self.touch(Kind::CellRead);
        &self.value
    }

    /// Returns a reference to the value. The call counts as a write for use after free and races.
    #[track_caller]
    pub fn get_mut(&mut self) -> &mut T {
        self.touch(Kind::CellWrite);
        &mut self.value
    }

    /// Returns the value and ends its tracking.
    #[track_caller]
    pub fn into_inner(self) -> T {
        let Self { life, value } = self;
        drop(life);
        value
    }

    #[track_caller]
    fn touch(&self, kind: Kind) {
        if inside() {
            let label = Label::new(kind, Mode::NonAtomic, Location::caller());
            visible(|engine| engine.access_cell(&self.life.place(), label));
        }
    }
}

impl<T> fmt::Debug for Track<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Track").finish_non_exhaustive()
    }
}
