//! The result of an attempt to steal, and the claim of entries behind it.

use core::ptr::NonNull;

use super::block::Location;
use crate::division::MOST;
use crate::isolated::LINE;
use crate::sync::{AtomicU8, Cell, Ordering, prefetch_to_read};

/// The result of an attempt to steal.
///
/// # Examples
/// ```
/// use aqueduct::bwos::{Steal, lifo};
///
/// /// Steals from the first victim that has something; tries again where another thief was faster.
/// fn find(victims: &[lifo::Stealer<u64>]) -> Option<u64> {
///     loop {
///         let mut retry = false;
///         for victim in victims {
///             match victim.steal() {
///                 Steal::Success(task) => return Some(task),
///                 Steal::Retry => retry = true,
///                 Steal::Empty => {}
///             }
///         }
///         if !retry {
///             return None;
///         }
///     }
/// }
///
/// let (mut owner, stealer) = lifo::with_geometry(aqueduct::bwos::Geometry::new(4, 1)?)?;
/// owner.push(1)?;
/// owner.push(2)?;
/// assert_eq!(find(&[stealer]), Some(1));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[must_use]
pub enum Steal<T> {
    /// The stolen item or items.
    Success(T),
    /// There was no item; for a thief that takes only granted items, no granted item.
    Empty,
    /// Another thread was faster, or the owner has items and has just been sent a request.
    ///
    /// Another attempt may succeed.
    Retry,
}

impl<T> Steal<T> {
    /// Returns the stolen item or items, if any.
    pub fn success(self) -> Option<T> {
        match self {
            Self::Success(it) => Some(it),
            Self::Empty | Self::Retry => None,
        }
    }

    /// Whether this is [`Steal::Empty`].
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        matches!(self, Self::Empty)
    }

    /// Whether this is [`Steal::Retry`].
    #[must_use]
    pub const fn is_retry(&self) -> bool {
        matches!(self, Self::Retry)
    }

    /// Applies `change` to the stolen item or items.
    pub fn map<U>(self, change: impl FnOnce(T) -> U) -> Steal<U> {
        match self {
            Self::Success(it) => Steal::Success(change(it)),
            Self::Empty => Steal::Empty,
            Self::Retry => Steal::Retry,
        }
    }

    /// Whether this is [`Steal::Success`].
    #[must_use]
    pub const fn is_success(&self) -> bool {
        matches!(self, Self::Success(_))
    }

    /// Makes another attempt unless this one stole something.
    ///
    /// If neither stole, the result is [`Retry`](Self::Retry) if either attempt was.
    pub fn or_else(self, attempt: impl FnOnce() -> Self) -> Self {
        match self {
            Self::Success(item) => Self::Success(item),
            Self::Empty => attempt(),
            Self::Retry => match attempt() {
                Self::Empty => Self::Retry,
                other => other,
            },
        }
    }
}

impl<T> FromIterator<Self> for Steal<T> {
    /// Makes attempts until one of them steals.
    ///
    /// If none does, the result is [`Retry`](Self::Retry) if any of them was.
    ///
    /// # Examples
    /// ```
    /// use aqueduct::bwos::{Steal, lifo};
    ///
    /// let queues = [lifo::new(1000)?, lifo::new(1000)?].map(|(mut owner, stealer)| {
    ///     assert_eq!(owner.push_slice(&[1; 900]), 900);
    ///     (owner, stealer)
    /// });
    /// let stolen: Steal<i32> = queues.iter().map(|(_, stealer)| stealer.steal()).collect();
    /// assert_eq!(stolen, Steal::Success(1));
    /// # Ok::<(), aqueduct::error::CapacityError>(())
    /// ```
    fn from_iter<I: IntoIterator<Item = Self>>(attempts: I) -> Self {
        let mut best = Self::Empty;
        for attempt in attempts {
            match attempt {
                Self::Success(item) => return Self::Success(item),
                Self::Retry => best = Self::Retry,
                Self::Empty => {}
            }
        }
        best
    }
}

/// Entries of a block that a thief has claimed and no other thread touches.
#[must_use]
pub struct Claim<'q, T> {
    pub(super) first: NonNull<Cell<T>>,
    /// The marks of the entries.
    pub(super) marks: &'q [AtomicU8],
    /// The value that the marks get when the entries have been read.
    pub(super) read: u8,
    /// Whether these were all entries of their block that thieves could take.
    pub(super) is_all: bool,
    /// The packed location of the block, if the thief has the last entry, and reports if all have
    /// been read.
    last: Option<usize>,
}

impl<'q, T> Claim<'q, T> {
    /// Claims the first entries of `found` available ones.
    #[inline]
    pub(super) fn new(
        first: NonNull<Cell<T>>,
        found: usize,
        marks: &'q [AtomicU8],
        read: u8,
        at: Location,
        reports: bool,
    ) -> Self {
        // The owner has written these lines: the line after the next is prefetched in time, if
        // thieves may take its entries.
        let ahead = marks.len() + const { if size_of::<T>() == 0 { MOST } else { 2 * LINE / size_of::<T>() } };
        if ahead < found {
            prefetch_to_read(first.as_ptr().wrapping_add(ahead).cast::<u8>());
        }
        Self { first, marks, read, is_all: marks.len() == found, last: reports.then_some(at.packed()) }
    }

    /// Returns the packed [`Location`] of the block, and the mark of its entries, if the thief has
    /// the last of them.
    #[inline(always)]
    pub(super) fn last(&self) -> Option<(usize, u8)> {
        self.last.map(|at| (at, self.read))
    }

    /// Moves a single item out, and gives its entry back.
    ///
    /// # Safety
    /// The claim is a thief's, of one entry: an exchange has given it this entry, which holds an
    /// item that it has acquired.
    #[inline]
    pub(super) unsafe fn take_one(self) -> T {
        debug_assert_eq!(self.marks.len(), 1, "a single item was asked for");
        let mut stolen = None;
        let mark = self.marks.first().expect("a claim is not empty");
        // SAFETY: the caller's promise; a store does not panic.
        unsafe { self.take_entry(0, mark, |item| stolen = Some(item)) };
        stolen.expect("the entry held an item")
    }

    /// Moves the items out, the oldest first, and gives the entries back.
    ///
    /// # Safety
    /// The claim is a thief's: an exchange has given it these entries, which hold items that it has
    /// acquired. `put` does not panic.
    #[inline]
    pub(super) unsafe fn take(self, mut put: impl FnMut(T)) {
        for (number, mark) in self.marks.iter().enumerate() {
            // SAFETY: the caller's promise.
            unsafe { self.take_entry(number, mark, &mut put) };
        }
    }

    /// Moves an item out, and gives its entry back.
    ///
    /// # Safety
    /// The promise of `take`.
    #[inline(always)]
    unsafe fn take_entry(&self, number: usize, mark: &AtomicU8, put: impl FnOnce(T)) {
        // SAFETY: the caller's promise.
        put(unsafe { self.first.add(number).as_ref().take() });
        // Ordering: Release pairs with the owner's Acquire load before it enters the block in the
        // next lap; without it, the owner writes an entry that is still being read
        // (`bwos-lifo/drop`).
        mark.store(self.read, Ordering::Release);
    }
}
