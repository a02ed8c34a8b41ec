//! The `sync` module of the queues: every access is an event of the execution that the model
//! checker explores.

use core::time::Duration;

use aqueduct_model::cell::UnsafeCell;
use aqueduct_model::hint::await_until;
use aqueduct_model::sync::atomic::AtomicU64;

pub use aqueduct_model::sync::atomic::Ordering;
pub(crate) use aqueduct_model::sync::atomic::{fence, heavy_fence, light_fence};

/// A word of a queue's memory.
///
/// Each access to data is modelled by two: an atomic one, as natively, and a non-atomic one. So the
/// model finds data that is read while it is written, which is wrong although it is not undefined
/// behaviour natively. RC11 alone would not find writes that overtake earlier reads of the data: it
/// excludes load buffering.
#[derive(Debug)]
pub struct Word {
    atomic: AtomicU64,
    data: UnsafeCell<u64>,
}

// SAFETY: the model checks that no thread accesses the data while another one writes it.
unsafe impl Sync for Word {}

impl Word {
    /// Makes a word.
    #[must_use]
    pub fn new(value: u64) -> Self {
        Self { atomic: AtomicU64::new(value), data: UnsafeCell::new(value) }
    }

    /// Loads the value.
    #[track_caller]
    pub fn load(&self, ordering: Ordering) -> u64 {
        self.atomic.load(ordering)
    }

    /// Stores a value.
    #[track_caller]
    pub fn store(&self, value: u64, ordering: Ordering) {
        self.atomic.store(value, ordering);
    }

    /// Stores `new` if the value is `expected`.
    ///
    /// # Errors
    /// The value, if it is another one.
    #[track_caller]
    pub fn compare_exchange(&self, expected: u64, new: u64, success: Ordering, failure: Ordering) -> Result<u64, u64> {
        self.atomic.compare_exchange(expected, new, success, failure)
    }

    /// Adds to the value. Returns the old value.
    #[track_caller]
    pub fn fetch_add(&self, more: u64, ordering: Ordering) -> u64 {
        self.atomic.fetch_add(more, ordering)
    }

    /// Subtracts from the value. Returns the old value.
    #[track_caller]
    pub fn fetch_sub(&self, less: u64, ordering: Ordering) -> u64 {
        self.atomic.fetch_sub(less, ordering)
    }
}

/// Reads a word of data.
#[track_caller]
pub(crate) fn read(word: &Word) -> u64 {
    // SAFETY: the model checks that no thread writes it meanwhile.
    word.data.with(|data| unsafe { data.read() });
    word.atomic.load(Ordering::Relaxed)
}

/// Writes a word of data.
#[track_caller]
pub(crate) fn write(word: &Word, value: u64) {
    // SAFETY: the model checks that no thread accesses it meanwhile.
    word.data.with_mut(|data| unsafe { data.write(value) });
    word.atomic.store(value, Ordering::Relaxed);
}

/// Does nothing: the model's fences need no preparation.
pub(crate) fn prepare() {}

/// Sleeps while the word has this value. Time does not pass in the model, so a sleep without a wake
/// is a failure.
#[track_caller]
pub(crate) fn sleep(word: &Word, value: u32, _timeout: Duration) {
    await_until(|| word.load(Ordering::Relaxed) != u64::from(value));
}

/// Does nothing: the sleeper sees the word, which was changed before.
pub(crate) fn wake(_word: &Word) {}
