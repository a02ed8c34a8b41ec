//! What a thief got, and how it moves that out.

use core::ptr::NonNull;

use super::geometry::MOST;
use crate::isolated::LINE;
use crate::sync::{AtomicU8, Cell, Ordering, prefetch_to_read};

/// What came of an attempt to steal.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[must_use]
pub enum Steal<T> {
    /// This was stolen.
    Success(T),
    /// There was nothing to be stolen.
    Empty,
    /// Another thief, or the owner, was quicker; there may be more.
    Retry,
}

impl<T> Steal<T> {
    /// What was stolen.
    pub fn success(self) -> Option<T> {
        match self {
            Self::Success(it) => Some(it),
            Self::Empty | Self::Retry => None,
        }
    }

    /// Whether there was nothing.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        matches!(self, Self::Empty)
    }

    /// Whether another thread was quicker.
    #[must_use]
    pub const fn is_retry(&self) -> bool {
        matches!(self, Self::Retry)
    }

    /// The same, of something else.
    pub fn map<U>(self, change: impl FnOnce(T) -> U) -> Steal<U> {
        match self {
            Self::Success(it) => Steal::Success(change(it)),
            Self::Empty => Steal::Empty,
            Self::Retry => Steal::Retry,
        }
    }
}

/// Entries of a block that a thief has claimed and nobody else touches.
#[must_use]
pub(super) struct Claim<'q, T> {
    pub(super) first: NonNull<Cell<T>>,
    /// Their marks.
    pub(super) marks: &'q [AtomicU8],
    /// What they are to be when the entries have been read.
    pub(super) read: u8,
}

impl<'q, T> Claim<'q, T> {
    /// The claim of entries from the first one on of `found` that were there.
    #[inline]
    pub(super) fn new(first: NonNull<Cell<T>>, found: usize, marks: &'q [AtomicU8], read: u8) -> Self {
        // The owner has written these lines: the one that comes after the next is asked for in time, if thieves may have it.
        let ahead = marks.len() + const { if size_of::<T>() == 0 { MOST } else { 2 * LINE / size_of::<T>() } };
        if ahead < found {
            prefetch_to_read(first.as_ptr().wrapping_add(ahead).cast::<u8>());
        }
        Self { first, marks, read }
    }

    /// As [`take`](Self::take), of a single item.
    ///
    /// # Safety
    /// As there.
    #[inline]
    pub(super) unsafe fn take_one(self) -> T {
        let mut stolen = None;
        // SAFETY: the caller's promise; a store does not panic.
        unsafe { self.take(|item| stolen = Some(item)) };
        stolen.expect("a claim is not empty")
    }

    /// Moves the items out, the oldest first, and gives the entries back.
    ///
    /// # Safety
    /// The claim is a thief's: an exchange has given it these entries, which hold items that it has acquired. `put` does not
    /// panic.
    #[inline]
    pub(super) unsafe fn take(self, mut put: impl FnMut(T)) {
        for (number, mark) in self.marks.iter().enumerate() {
            // SAFETY: the caller's promise.
            put(unsafe { self.first.add(number).as_ref().take() });
            // Ordering: Release pairs with the owner's Acquire load before it enters the block in the next round; without it, the
            // owner writes an entry that is still being read (`bwos-lifo/drop`).
            mark.store(self.read, Ordering::Release);
        }
    }
}
