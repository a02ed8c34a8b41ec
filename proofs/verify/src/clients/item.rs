//! The clients' items: numbers whose passing the model checks.

use std::num::NonZeroU64;
use std::ptr::NonNull;

use aqueduct_model::alloc::{Layout, alloc, dealloc};
use aqueduct_model::cell;
use aqueduct_under_model::spsc::NonZeroWord;

/// An item with a number, from 1 on.
pub trait Item: Send + 'static {
    /// Makes the item that carries `number`.
    fn new(number: u64) -> Self;
    /// Returns the number.
    fn number(&self) -> u64;
}

/// An item whose number lies in memory of its own, written and read non-atomically.
///
/// A queue that passes the pointer without the work before it causes a race. A queue that loses the
/// item leaks it, and a queue that passes it twice frees it twice.
#[derive(Debug)]
pub struct Boxed(NonNull<u64>);

const CONTENT: Layout = Layout::new::<u64>();

impl Boxed {
    /// Returns the pointer to its memory.
    #[must_use]
    pub fn into_raw(self) -> *mut u64 {
        std::mem::ManuallyDrop::new(self).0.as_ptr()
    }

    /// Makes the item from its pointer.
    ///
    /// # Panics
    /// If the pointer is null.
    ///
    /// # Safety
    /// The pointer came from [`Self::into_raw`]. Inside a model, an item that is made twice is
    /// reported, not undefined.
    #[must_use]
    pub unsafe fn from_raw(memory: *mut u64) -> Self {
        Self(NonNull::new(memory).expect("an item, and not an empty slot"))
    }
}

impl Item for Boxed {
    fn new(number: u64) -> Self {
        // SAFETY: the size is not 0.
        let memory = unsafe { alloc(CONTENT) }.cast::<u64>();
        // SAFETY: freshly allocated with this layout.
        unsafe { cell::write(memory, number) };
        Self(NonNull::new(memory).expect("the model's memory does not run out"))
    }

    fn number(&self) -> u64 {
        // SAFETY: it was written when the item was made, if the queue passes it on correctly, which
        // the model checks.
        unsafe { cell::read(self.0.as_ptr()) }
    }
}

impl Drop for Boxed {
    fn drop(&mut self) {
        // SAFETY: the memory was allocated with this layout; the model reports a double free.
        unsafe { dealloc(self.0.as_ptr().cast(), CONTENT) }
    }
}

// SAFETY: it owns its memory.
unsafe impl Send for Boxed {}
// SAFETY: a thin pointer that is never null.
unsafe impl NonZeroWord for Boxed {}
// SAFETY: a thin pointer that is never null.
unsafe impl aqueduct_faults::queues::nblfq::NonZeroWord for Boxed {}

/// A boxed item and `WORDS` more words, which repeat its number: few such items fit a cache line.
#[derive(Debug)]
pub struct Wide<const WORDS: usize> {
    boxed: Boxed,
    copies: [u64; WORDS],
}

impl<const WORDS: usize> Item for Wide<WORDS> {
    fn new(number: u64) -> Self {
        Self { boxed: Boxed::new(number), copies: [number; WORDS] }
    }

    fn number(&self) -> u64 {
        let number = self.boxed.number();
        assert_eq!(self.copies, [number; WORDS], "an item came in pieces");
        number
    }
}

/// A plain word is its own number.
impl Item for NonZeroU64 {
    fn new(number: u64) -> Self {
        Self::new(number).expect("numbers start with 1")
    }

    fn number(&self) -> u64 {
        self.get()
    }
}
