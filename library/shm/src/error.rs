//! Errors: reasons why an operation was refused.

use core::fmt;

/// Why an item was not pushed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum PushError<T> {
    /// The queue is full.
    Full(T),
    /// The consumer's position in the memory is impossible: some process has overwritten it.
    Damaged(T),
    /// Other handles overtook this push in each attempt, for about two laps of the ring of an
    /// [`mpmc`](crate::mpmc), [`nblfq`](crate::nblfq) or [`drop_old`](crate::drop_old) queue. Try
    /// again.
    Contended(T),
}

impl<T> PushError<T> {
    /// Returns the item.
    pub fn into_inner(self) -> T {
        match self {
            Self::Full(item) | Self::Damaged(item) | Self::Contended(item) => item,
        }
    }
}

impl<T> fmt::Display for PushError<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Full(_) => "the queue is full",
            Self::Damaged(_) => DAMAGED,
            Self::Contended(_) => CONTENDED,
        })
    }
}

impl<T: fmt::Debug> core::error::Error for PushError<T> {}

/// Why a record was not pushed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum RecordError {
    /// There is no room for the record now.
    Full,
    /// The record is longer than `max_len`, and will never fit.
    TooLong {
        /// The length of the longest record.
        longest: usize,
    },
    /// The consumer's position in the memory is impossible: some process has overwritten it.
    Damaged,
}

impl fmt::Display for RecordError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Full => f.write_str("the queue has no room for the record"),
            Self::TooLong { longest } => write!(f, "a record of this queue has at most {longest} bytes"),
            Self::Damaged => f.write_str(DAMAGED),
        }
    }
}

impl core::error::Error for RecordError {}

/// Why nothing was popped.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum PopError {
    /// The queue is empty.
    Empty,
    /// The next record does not fit into the caller's buffer. It stays in the queue.
    TooLong {
        /// The record's length.
        len: usize,
    },
    /// The producer's mark in the memory is impossible: some process has overwritten it.
    Damaged,
    /// Other consumers of an [`mpmc`](crate::mpmc) or [`nblfq`](crate::nblfq) queue, or producers
    /// of a [`drop_old`](crate::drop_old) queue, overtook this operation in many attempts. Try
    /// again.
    Contended,
}

impl fmt::Display for PopError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => f.write_str("the queue is empty"),
            Self::TooLong { len } => write!(f, "the next record has {len} bytes, and the buffer has fewer"),
            Self::Damaged => f.write_str(DAMAGED),
            Self::Contended => f.write_str(CONTENDED),
        }
    }
}

impl core::error::Error for PopError {}

const CONTENDED: &str = "other handles overtook this operation in many attempts: try again";
const DAMAGED: &str = "the queue's memory was overwritten by a process that does not keep to the protocol";

/// Why a queue cannot have a capacity.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum CapacityError {
    /// The capacity is 0, or the items have no size.
    Zero,
    /// The queue would have more bytes than there are addresses.
    TooLarge,
}

impl fmt::Display for CapacityError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Zero => "a queue has room for one item or more, and an item has one byte or more",
            Self::TooLarge => "the queue would have more bytes than there are addresses",
        })
    }
}

impl core::error::Error for CapacityError {}

/// A value that the caller expects, and the different one in the queue's memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Mismatch {
    /// The value that the caller expects.
    pub expected: u64,
    /// The value found.
    pub found: u64,
}

/// Why a process could not attach to a queue.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum AttachError {
    /// The memory is too small for the queue. Both numbers are in words.
    TooSmall(Mismatch),
    /// No process has finished making a queue in this memory.
    Unfinished,
    /// There is no queue in this memory.
    NotAQueue(Mismatch),
    /// The queue was made on a machine of the other byte order.
    ByteOrder,
    /// The queue has another version of the layout.
    Version(Mismatch),
    /// The queue is of another kind: [`items`](crate::items) is 1, [`records`](crate::records) 2,
    /// [`mpsc`](crate::mpsc) 3, [`mpmc`](crate::mpmc) 4, [`drop_old`](crate::drop_old) 5,
    /// [`nblfq`](crate::nblfq) 6, [`drop_old::records`](crate::drop_old::records) 7.
    Kind(Mismatch),
    /// Its items have another size, in bytes.
    ItemSize(Mismatch),
    /// Its items have another alignment, in bytes.
    ItemAlign(Mismatch),
    /// It has another capacity.
    Capacity(Mismatch),
    /// It has another number of places for producers.
    Producers(Mismatch),
    /// It has another number of places for consumers.
    Consumers(Mismatch),
    /// It has another tag: the items have another meaning.
    Tag(Mismatch),
    /// It was laid out for cache lines of another size, in bytes.
    LineSize(Mismatch),
    /// It was laid out for pages of another size, in bytes.
    PageSize(Mismatch),
    /// The numbers of its geometry contradict each other.
    Geometry,
}

impl fmt::Display for AttachError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut differs = |what: &str, m: &Mismatch| write!(f, "{what} {}, and {} is expected", m.found, m.expected);
        match self {
            Self::TooSmall(m) => {
                write!(f, "the memory has {} words, and the queue needs {}", m.found, m.expected)
            }
            Self::Unfinished => f.write_str("no process has finished making the queue: try again"),
            Self::NotAQueue(m) => {
                write!(f, "the memory begins with {:#x}, and not with the magic number of a queue", m.found)
            }
            Self::ByteOrder => f.write_str("the queue was made on a machine of the other byte order"),
            Self::Version(m) => differs("the layout has version", m),
            Self::Kind(m) => differs("the queue is of kind", m),
            Self::ItemSize(m) => differs("the size of an item is", m),
            Self::ItemAlign(m) => differs("the alignment of an item is", m),
            Self::Capacity(m) => differs("the capacity is", m),
            Self::Producers(m) => differs("the number of producers' places is", m),
            Self::Consumers(m) => differs("the number of consumers' places is", m),
            Self::Tag(m) => differs("the tag is", m),
            Self::LineSize(m) => differs("the size of a cache line is", m),
            Self::PageSize(m) => differs("the size of a page is", m),
            Self::Geometry => f.write_str("the numbers of the queue's geometry contradict each other"),
        }
    }
}

impl core::error::Error for AttachError {}

/// Why a side of a queue could not be taken.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum ClaimError {
    /// Another handle has that side, or had it when its process was killed.
    Taken {
        /// The handle's number: in a region, that of its process. Any process may have overwritten
        /// it.
        owner: u64,
    },
    /// The positions in the memory contradict each other: some process has overwritten them.
    Damaged,
    /// The kernel keeps the places of this memory: use `take_producer` and `take_consumer`.
    Kept,
    /// The producer overwrote the record that a new reader was looking at, in many attempts. Try
    /// again.
    Contended,
}

impl fmt::Display for ClaimError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Taken { owner } => write!(f, "handle {owner} has this side of the queue"),
            Self::Damaged => f.write_str(DAMAGED),
            Self::Contended => f.write_str(
                "the producer overwrote the record that the reader was looking at, in many attempts: try again",
            ),
            Self::Kept => {
                f.write_str("the kernel keeps the places of this region: use `take_producer` or `take_consumer`")
            }
        }
    }
}

impl core::error::Error for ClaimError {}
