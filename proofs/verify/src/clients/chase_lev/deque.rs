//! The deque: its owner pushes and takes at the bottom, thieves steal at the top.
//!
//! The orderings are the published ones, except for two: the array is loaded with `Acquire` instead
//! of the paper's `consume`, and a grown array is stored with `Release`. The paper leaves the
//! latter out, and without it thieves find no items.

use std::sync::Arc;

use aqueduct_model::alloc::{Layout, alloc, dealloc};
use aqueduct_model::cell;
use aqueduct_model::sync::atomic::{AtomicIsize, AtomicPtr, Ordering, fence};

use crate::clients::item::Boxed;

/// The result of an attempt to steal.
#[derive(Debug)]
pub enum Steal {
    /// The thief has this item.
    Item(Boxed),
    /// The deque was empty.
    Empty,
    /// Another thread took the item.
    Abort,
}

/// A slot holds the pointer of a [`Boxed`] item.
type Slot = AtomicPtr<u64>;

/// A circular array of slots. It lies in memory that the model watches, as the slots do.
#[derive(Clone, Copy)]
struct Array {
    size: usize,
    slots: *mut Slot,
}

impl Array {
    const HEADER: Layout = Layout::new::<Self>();

    fn layout(size: usize) -> Layout {
        Layout::array::<Slot>(size).expect("a few slots")
    }

    fn allocate(size: usize) -> *mut Self {
        // SAFETY: neither size is 0.
        let (header, slots) = unsafe { (alloc(Self::HEADER).cast::<Self>(), alloc(Self::layout(size)).cast::<Slot>()) };
        for i in 0..size {
            // SAFETY: `i` is less than the `size` slots that have just been allocated.
            unsafe { slots.add(i).write(Slot::new(std::ptr::null_mut())) };
        }
        // SAFETY: freshly allocated with this layout.
        unsafe { cell::write(header, Self { size, slots }) };
        header
    }

    /// # Safety
    /// `array` came from [`Self::allocate`] and is not used any more.
    unsafe fn free(array: *mut Self) {
        // SAFETY: the caller's promise; both were allocated with these layouts.
        unsafe {
            let Self { size, slots } = cell::read(array);
            dealloc(slots.cast(), Self::layout(size));
            dealloc(array.cast(), Self::HEADER);
        }
    }

    /// # Safety
    /// The array has not been freed.
    unsafe fn slot<'a>(self, index: isize) -> &'a Slot {
        // SAFETY: the index is less than the number of slots; the model checks whether they are
        // allocated.
        unsafe { &*self.slots.add(index as usize % self.size) }
    }
}

#[derive(Debug)]
struct Deque {
    top: AtomicIsize,
    bottom: AtomicIsize,
    array: AtomicPtr<Array>,
}

/// The end of the one thread that pushes and takes. Its drop frees all memory, after all thieves
/// have gone.
#[derive(Debug)]
pub struct Owner {
    deque: Arc<Deque>,
    /// Arrays that have become too small. Thieves may still read them, so they stay.
    outgrown: Vec<*mut Array>,
}

/// The end of a thread that steals.
#[derive(Clone, Debug)]
pub struct Thief(Arc<Deque>);

/// Makes a deque with room for `size` items before it grows.
#[must_use]
pub fn deque(size: usize) -> (Owner, Thief) {
    let (top, bottom) = (AtomicIsize::new(0), AtomicIsize::new(0));
    let deque = Arc::new(Deque { top, bottom, array: AtomicPtr::new(Array::allocate(size)) });
    (Owner { deque: Arc::clone(&deque), outgrown: Vec::new() }, Thief(deque))
}

// SAFETY: its pointers lead to memory that it owns; the model checks what the threads do to it.
unsafe impl Send for Owner {}

impl Owner {
    /// Pushes at the bottom.
    pub fn push(&mut self, item: Boxed) {
        let bottom = self.deque.bottom.load(Ordering::Relaxed);
        let top = self.deque.top.load(Ordering::Acquire);
        // SAFETY: arrays stay as long as the owner.
        let mut array = unsafe { cell::read(self.deque.array.load(Ordering::Relaxed)) };
        if bottom - top > array.size as isize - 1 {
            array = self.grow(array, top, bottom);
        }
        // SAFETY: arrays stay as long as the owner.
        unsafe { array.slot(bottom) }.store(item.into_raw(), Ordering::Relaxed);
        fence(Ordering::Release);
        self.deque.bottom.store(bottom + 1, Ordering::Relaxed);
    }

    /// Replaces the array by one of twice the size.
    fn grow(&mut self, old: Array, top: isize, bottom: isize) -> Array {
        let larger = Array::allocate(2 * old.size);
        // SAFETY: freshly allocated; the old one is not freed yet.
        let new = unsafe { cell::read(larger) };
        for index in top..bottom {
            // SAFETY: freshly allocated; the old one is not freed yet.
            unsafe { new.slot(index).store(old.slot(index).load(Ordering::Relaxed), Ordering::Relaxed) };
        }
        self.outgrown.push(self.deque.array.load(Ordering::Relaxed));
        self.deque.array.store(larger, Ordering::Release);
        new
    }

    /// Takes from the bottom, the item pushed last.
    pub fn take(&mut self) -> Option<Boxed> {
        let bottom = self.deque.bottom.load(Ordering::Relaxed) - 1;
        // SAFETY: arrays stay as long as the owner.
        let array = unsafe { cell::read(self.deque.array.load(Ordering::Relaxed)) };
        self.deque.bottom.store(bottom, Ordering::Relaxed);
        fence(Ordering::SeqCst);
        let top = self.deque.top.load(Ordering::Relaxed);
        if top > bottom {
            self.deque.bottom.store(bottom + 1, Ordering::Relaxed);
            return None;
        }
        // SAFETY: arrays stay as long as the owner.
        let item = unsafe { array.slot(bottom) }.load(Ordering::Relaxed);
        if top == bottom {
            let won = self.deque.top.compare_exchange(top, top + 1, Ordering::SeqCst, Ordering::Relaxed).is_ok();
            self.deque.bottom.store(bottom + 1, Ordering::Relaxed);
            if !won {
                return None;
            }
        }
        // SAFETY: the model checks that it is taken once.
        Some(unsafe { Boxed::from_raw(item) })
    }
}

impl Drop for Owner {
    fn drop(&mut self) {
        while self.take().is_some() {}
        let last = self.deque.array.load(Ordering::Relaxed);
        for array in self.outgrown.drain(..).chain([last]) {
            // SAFETY: the thieves have gone.
            unsafe { Array::free(array) };
        }
    }
}

impl Thief {
    /// Steals from the top, the item that has been there longest.
    pub fn steal(&self) -> Steal {
        let top = self.0.top.load(Ordering::Acquire);
        fence(Ordering::SeqCst);
        let bottom = self.0.bottom.load(Ordering::Acquire);
        if top >= bottom {
            return Steal::Empty;
        }
        // SAFETY: arrays stay as long as the owner; the model checks that this thread sees the
        // content of this one.
        let array = unsafe { cell::read(self.0.array.load(Ordering::Acquire)) };
        // SAFETY: arrays stay as long as the owner.
        let item = unsafe { array.slot(top) }.load(Ordering::Relaxed);
        if self.0.top.compare_exchange(top, top + 1, Ordering::SeqCst, Ordering::Relaxed).is_err() {
            return Steal::Abort;
        }
        // SAFETY: the model checks that it is taken once.
        Steal::Item(unsafe { Boxed::from_raw(item) })
    }
}
