//! Errors of the queues. A failed push gives the item back.
//!
//! All queues share [`PushError`] and [`PopError`], so a program that changes its queue keeps its
//! matches. A push or a pop that never returns `Busy` is documented so.

use core::fmt;

/// Why a push failed. The item comes back in field 0, or by [`into_inner`](Self::into_inner).
///
/// # Examples
/// A push that gives other threads a chance until there is room:
/// ```
/// fn push_all(queue: &aqueduct::bbq::Queue<u64>, items: impl Iterator<Item = u64>) {
///     for mut item in items {
///         while let Err(error) = queue.push(item) {
///             item = error.into_inner();
///             std::thread::yield_now();
///         }
///     }
/// }
/// # let queue = aqueduct::bbq::Queue::new(10)?;
/// # push_all(&queue, 0..10);
/// # assert_eq!(queue.drain().sum::<u64>(), 45);
/// # Ok::<(), aqueduct::error::CapacityError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum PushError<T> {
    /// The queue was full, or an unbounded queue had no memory for a block.
    Full(T),
    /// Another thread is in the middle of an operation that has to complete first. Try again soon:
    /// the push then finds room, or returns `Full`.
    Busy(T),
}

impl<T> PushError<T> {
    /// Whether this is [`PushError::Full`].
    pub const fn is_full(&self) -> bool {
        matches!(self, Self::Full(_))
    }

    /// Whether this is [`PushError::Busy`].
    pub const fn is_busy(&self) -> bool {
        matches!(self, Self::Busy(_))
    }

    /// Returns the item that was not pushed.
    pub fn into_inner(self) -> T {
        match self {
            Self::Full(item) | Self::Busy(item) => item,
        }
    }
}

impl<T> fmt::Debug for PushError<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Full(_) => "Full(..)",
            Self::Busy(_) => "Busy(..)",
        })
    }
}

impl<T> fmt::Display for PushError<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Full(_) => "the queue is full",
            Self::Busy(_) => "another thread is in the middle of an operation that has to complete first",
        })
    }
}

impl<T> core::error::Error for PushError<T> {}

/// Why a pop returned no item.
///
/// # Examples
/// ```
/// use aqueduct::error::PopError;
///
/// let (mut producer, mut consumer) = aqueduct::mpmc::new(100)?;
/// producer.push("item")?;
/// let item = loop {
///     match consumer.pop() {
///         Ok(item) => break Some(item),
///         Err(PopError::Empty) => break None,
///         Err(PopError::Busy) => std::thread::yield_now(),
///     }
/// };
/// assert_eq!(item, Some("item"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PopError {
    /// The queue had no item.
    Empty,
    /// Another thread has to complete its operation first, usually the push of the oldest item. Try
    /// again soon.
    Busy,
}

impl PopError {
    /// Whether this is [`PopError::Empty`].
    #[must_use]
    pub const fn is_empty(self) -> bool {
        matches!(self, Self::Empty)
    }

    /// Whether this is [`PopError::Busy`].
    #[must_use]
    pub const fn is_busy(self) -> bool {
        matches!(self, Self::Busy)
    }
}

impl fmt::Display for PopError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Empty => "the queue is empty",
            Self::Busy => "another thread is in the middle of an operation that has to complete first",
        })
    }
}

impl core::error::Error for PopError {}

/// Why no space for a record was reserved.
///
/// # Examples
/// ```
/// use aqueduct::bbq::records::{Space, spsc};
/// use aqueduct::error::ReserveError;
///
/// let (mut producer, _consumer) = spsc::new(Space::new(2, 64)?)?;
/// let longest = producer.longest();
/// assert_eq!(producer.push(&[0; 1000]), Err(ReserveError::TooLong { len: 1000, longest }));
/// # Ok::<(), aqueduct::error::CapacityError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReserveError {
    /// The record is longer than any that this queue can carry.
    TooLong {
        /// The length asked for, in bytes.
        len: usize,
        /// The length of the longest possible record, in bytes.
        longest: usize,
    },
    /// The queue has no room for the record now.
    Full,
    /// Another thread has to complete its operation first; then the queue has room.
    Busy,
}

impl fmt::Display for ReserveError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::TooLong { len, longest } => {
                write!(f, "a record of {len} bytes was asked for; in this queue it can have at most {longest}")
            }
            Self::Full => f.write_str("the queue is full"),
            Self::Busy => f.write_str("another thread is in the middle of reading or writing a record"),
        }
    }
}

impl core::error::Error for ReserveError {}

/// Why a queue could not be made. Nothing was allocated.
///
/// # Examples
/// ```
/// use aqueduct::error::CapacityError;
///
/// let error = aqueduct::spsc::ring::new::<u64>(0).expect_err("no room for an item");
/// assert_eq!(error, CapacityError::Zero);
/// assert_eq!(error.to_string(), "capacity 0 was asked for; it must be at least 1");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum CapacityError {
    /// The capacity asked for was 0. Such a queue could never carry an item.
    Zero,
    /// The slots would take more bytes than an allocation may have (`isize::MAX`).
    TooLarge {
        /// The capacity asked for, in items.
        asked: usize,
        /// The greatest possible capacity of this queue with items of this type.
        max: usize,
    },
    /// The partition length is not usable (improved FastForward queues: 1 to 2^16 slots).
    Partition {
        /// The partition length asked for, in slots.
        asked: usize,
    },
    /// The number of blocks or of entries per block is out of range.
    Geometry {
        /// The number of blocks asked for.
        blocks: usize,
        /// The entries per block asked for.
        block_size: usize,
        /// The maximum of either number. The minimum is 2 blocks of 1 entry.
        most: usize,
    },
    /// The number of blocks or of bytes per block is out of range.
    Space {
        /// The number of blocks asked for.
        blocks: usize,
        /// The bytes per block asked for.
        block_bytes: usize,
        /// The maximum number of blocks. The minimum is 2.
        most_blocks: usize,
        /// The maximum bytes of a block, with records aligned as asked. The minimum is 1.
        most_bytes: usize,
    },
    /// Records cannot have this alignment.
    Alignment {
        /// The alignment asked for, in bytes.
        asked: usize,
        /// The greatest possible alignment, in bytes.
        most: usize,
    },
    /// The system did not provide the memory: the allocator or, for a mirrored ring, the kernel.
    OutOfMemory {
        /// The bytes that were requested.
        bytes: usize,
    },
    /// A mirrored ring is not available, for this reason.
    Mirror(&'static str),
}

impl fmt::Display for CapacityError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Zero => f.write_str("capacity 0 was asked for; it must be at least 1"),
            Self::TooLarge { asked, max } => {
                write!(f, "capacity {asked} was asked for; items of this type allow at most {max}")
            }
            Self::Partition { asked } => {
                write!(f, "partitions of {asked} slots were asked for; possible are 1 to 65536")
            }
            Self::Geometry { blocks, block_size, most } => write!(
                f,
                "{blocks} blocks of {block_size} entries were asked for; possible are 2 to {most} blocks of 1 to {most}"
            ),
            Self::Space { blocks, block_bytes, most_blocks, most_bytes } => write!(
                f,
                "{blocks} blocks of {block_bytes} bytes were asked for; possible are 2 to {most_blocks} blocks of 1 to \
                 {most_bytes} bytes"
            ),
            Self::Alignment { asked, most } => {
                write!(
                    f,
                    "records aligned to {asked} bytes were asked for; possible are the powers of two up to {most}"
                )
            }
            Self::OutOfMemory { bytes } => write!(f, "no memory for a queue of {bytes} bytes"),
            Self::Mirror(reason) => write!(f, "no mirrored ring: {reason}"),
        }
    }
}

impl core::error::Error for CapacityError {}
