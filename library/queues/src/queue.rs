//! Traits over all queues, for code that works with any of them.
//!
//! ```
//! use aqueduct::queue::{Pop, Push};
//!
//! /// A stage of a pipeline, over any pair of queues.
//! struct Stage<I, O> {
//!     input: I,
//!     output: O,
//! }
//!
//! impl<I: Pop<Item = u32>, O: Push<Item = String>> Stage<I, O> {
//!     /// Passes items on until there are no more for now.
//!     fn run(&mut self) {
//!         while let Ok(number) = self.input.pop() {
//!             let mut text = number.to_string();
//!             while let Err(error) = self.output.push(text) {
//!                 text = error.into_inner();
//!                 std::thread::yield_now();
//!             }
//!         }
//!     }
//! }
//!
//! let (mut numbers, input) = aqueduct::spsc::ring::new(16)?;
//! let (output, mut texts) = aqueduct::mpsc::new(16)?;
//! numbers.push(7)?;
//! Stage { input, output }.run();
//! assert_eq!(texts.pop()?, "7");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! [`Len`], [`Full`] and [`Closed`] observe a queue and leave its items. The traits add no cost. If a
//! handle has a method of its own with the name of a trait's, calls by that name take the handle's.
//!
//! The traits are sealed. For a queue that threads share by reference, such as `bbq::Queue`,
//! references to it and [`Arc`](alloc::sync::Arc)s of it implement them.
//!
//! # Missing traits
//! No queue implements [`Extend`], which cannot report that the queue is full. A single producer
//! has [`PushIter`], which advances an iterator only if there is room for an item; the other
//! producers have [`PushSlice`]. Batches in place are traits of [`spsc`](crate::spsc::PushBatch),
//! whose queues alone have them; single items in place are methods of
//! [`bbq::slots`](crate::bbq::slots).

use crate::error::{PopError, PushError};

/// Private supertraits: only the queues of this crate implement them.
pub(crate) mod sealed {
    pub trait Push {}
    pub trait Pop {}
    pub trait Len {}
    pub trait Closed {}
}

/// The end of a queue that adds items.
pub trait Push: sealed::Push {
    /// The type of the queue's items.
    type Item;

    /// Adds `item` at the end of the queue.
    ///
    /// # Errors
    /// [`PushError`] gives the item back if there is no room.
    fn push(&mut self, item: Self::Item) -> Result<(), PushError<Self::Item>>;
}

/// The end of a queue that takes items.
pub trait Pop: sealed::Pop {
    /// The type of the queue's items.
    type Item;

    /// Takes an item: the oldest one, unless the queue's page says otherwise.
    ///
    /// # Errors
    /// [`PopError`] if the queue has no item to return.
    fn pop(&mut self) -> Result<Self::Item, PopError>;

    /// Takes items until a pop fails, for any reason.
    ///
    /// It takes items that arrive meanwhile, too, so it need not end while a producer is at work.
    fn drain(&mut self) -> Drain<'_, Self>
    where
        Self: Sized,
    {
        Drain(self)
    }
}

/// An iterator that pops until a pop fails.
///
/// [`Pop::drain`] and a loop over `&mut` a consumer make it. Each call of `next` pops one item: if
/// the iterator is dropped or forgotten, the other items stay in the queue. After `None`, it may
/// return items again.
///
/// # Examples
/// ```
/// let (mut producer, mut consumer) = aqueduct::mpmc::new(100)?;
/// assert_eq!(producer.push_slice(&[1, 2, 3]), 3);
/// for item in &mut consumer {
///     if item == 2 {
///         break;
///     }
/// }
/// assert_eq!(consumer.pop(), Ok(3));
/// # Ok::<(), aqueduct::error::CapacityError>(())
/// ```
#[derive(Debug)]
pub struct Drain<'a, C>(pub(crate) &'a mut C);

impl<C: Pop> Iterator for Drain<'_, C> {
    type Item = C::Item;

    #[inline(always)]
    fn next(&mut self) -> Option<C::Item> {
        self.0.pop().ok()
    }
}

/// A handle that can count the items in its queue.
///
/// Each type's own methods document how exact the results are. While other threads work, a result
/// is a value of a recent moment.
///
/// # Examples
/// ```
/// use aqueduct::queue::Len;
///
/// /// How full a queue is, from 0 to 1.
/// fn load(queue: &impl Len) -> f64 {
///     (queue.len() as f64 / queue.capacity() as f64).min(1.0)
/// }
///
/// let (mut producer, consumer) = aqueduct::mpsc::new(10)?;
/// assert_eq!(producer.push_slice(&[1; 5]), 5);
/// assert_eq!(load(&consumer), 0.5);
/// # Ok::<(), aqueduct::error::CapacityError>(())
/// ```
pub trait Len: sealed::Len {
    /// Returns the number of items.
    fn len(&self) -> usize;

    /// Whether there is no item to be popped.
    fn is_empty(&self) -> bool;

    /// Returns how many items always fit; [`usize::MAX`] if memory alone is the limit.
    fn capacity(&self) -> usize;
}

/// Adds several items for less than the cost of single pushes.
pub trait PushSlice: Push<Item: Copy> {
    /// Adds the first items of `items`, as many as fit, and returns their number.
    #[must_use = "items beyond the returned number were not pushed"]
    fn push_slice(&mut self, items: &[Self::Item]) -> usize;
}

/// Takes several items for less than the cost of single pops.
pub trait PopSlice: Pop<Item: Copy> {
    /// Moves up to `items.len()` items to the start of `items` and returns their number.
    #[must_use = "says how many of the items were written"]
    fn pop_slice(&mut self, items: &mut [Self::Item]) -> usize;
}

/// A producer that can check whether there is room.
///
/// Each type's own method documents how exact the result is.
///
/// # Examples
/// ```
/// use aqueduct::queue::Full;
///
/// /// Adds copies of `item` until the queue is full.
/// fn fill(queue: &mut impl Full<Item = u8>, item: u8) {
///     while !queue.is_full() && queue.push(item).is_ok() {}
/// }
///
/// let (mut producer, consumer) = aqueduct::spsc::lamport::new(3)?;
/// fill(&mut producer, 7);
/// assert_eq!(consumer.len(), 3);
/// # Ok::<(), aqueduct::error::CapacityError>(())
/// ```
pub trait Full: Push {
    /// Whether a push would find no room now.
    fn is_full(&self) -> bool;
}

/// A handle that can check whether the other side has been dropped.
///
/// # Examples
/// ```
/// use aqueduct::queue::{Closed, Pop};
///
/// /// Adds up all items until the last producer is gone.
/// fn sum(queue: &mut (impl Pop<Item = u64> + Closed)) -> u64 {
///     let mut sum = 0;
///     loop {
///         // The order matters: items pushed before the end are there to be popped after it.
///         let last = queue.is_closed();
///         sum += queue.drain().sum::<u64>();
///         if last {
///             return sum;
///         }
///         std::thread::yield_now();
///     }
/// }
///
/// let (mut producer, mut consumer) = aqueduct::mpsc::new(100)?;
/// std::thread::spawn(move || assert_eq!(producer.push_slice(&[1, 2, 3]), 3));
/// assert_eq!(sum(&mut consumer), 6);
/// # Ok::<(), aqueduct::error::CapacityError>(())
/// ```
pub trait Closed: sealed::Closed {
    /// Whether all handles of the other side have been dropped.
    fn is_closed(&self) -> bool;
}

/// A single producer, which takes items from an iterator while there is room.
///
/// # Examples
/// ```
/// use aqueduct::queue::PushIter;
///
/// /// Adds the words of `text`, as many as fit.
/// fn push_words(queue: &mut impl PushIter<Item = String>, text: &str) -> usize {
///     queue.push_iter(text.split(' ').map(str::to_owned))
/// }
///
/// let (mut producer, mut consumer) = aqueduct::spsc::lamport::new(2)?;
/// assert_eq!(push_words(&mut producer, "as many as fit"), 2);
/// assert_eq!(consumer.drain().collect::<Vec<_>>(), ["as", "many"]);
/// # Ok::<(), aqueduct::error::CapacityError>(())
/// ```
pub trait PushIter: Push {
    /// Adds items of the iterator while there is room, and returns their number.
    ///
    /// No item is lost: the iterator is advanced only if there is room for an item.
    fn push_iter(&mut self, items: impl IntoIterator<Item = Self::Item>) -> usize;
}

/// Implements the traits by a handle's or a queue's methods of those names.
///
/// `Drain` implements `drain` and a loop over `&mut` the handle. The forms, for handles and for
/// references to
/// a queue, counted ones included, are `[GENERICS] HANDLE, ITEM: TRAITS;` and `[GENERICS] &QUEUE,
/// ITEM: TRAITS;`
macro_rules! implement {
    () => {};
    ($of:tt & $queue:ty, $item:ty: $($trait:ident)*; $($more:tt)*) => {
        $($crate::queue::implement! { @$trait $of &$queue, $queue, $item })*
        $($crate::queue::implement! { @$trait $of alloc::sync::Arc<$queue>, $queue, $item })*
        $crate::queue::implement! { $($more)* }
    };
    ($of:tt $handle:ty, $item:ty: $($trait:ident)*; $($more:tt)*) => {
        $($crate::queue::implement! { @$trait $of $handle, $handle, $item })*
        $crate::queue::implement! { $($more)* }
    };
    (@Push [$($of:tt)*] $self:ty, $owner:ty, $item:ty) => {
        impl<$($of)*> $crate::queue::sealed::Push for $self {}

        impl<$($of)*> $crate::queue::Push for $self {
            type Item = $item;

            #[inline(always)]
            fn push(&mut self, item: $item) -> Result<(), $crate::error::PushError<$item>> {
                <$owner>::push(self, item)
            }
        }
    };
    (@Pop [$($of:tt)*] $self:ty, $owner:ty, $item:ty) => {
        impl<$($of)*> $crate::queue::sealed::Pop for $self {}

        impl<$($of)*> $crate::queue::Pop for $self {
            type Item = $item;

            #[inline(always)]
            fn pop(&mut self) -> Result<$item, $crate::error::PopError> {
                <$owner>::pop(self)
            }
        }
    };
    (@Len [$($of:tt)*] $self:ty, $owner:ty, $item:ty) => {
        impl<$($of)*> $crate::queue::sealed::Len for $self {}

        impl<$($of)*> $crate::queue::Len for $self {
            #[inline]
            fn len(&self) -> usize {
                <$owner>::len(self)
            }

            #[inline]
            fn is_empty(&self) -> bool {
                <$owner>::is_empty(self)
            }

            #[inline]
            fn capacity(&self) -> usize {
                <$owner>::capacity(self)
            }
        }
    };
    (@Full [$($of:tt)*] $self:ty, $owner:ty, $item:ty) => {
        impl<$($of)*> $crate::queue::Full for $self {
            #[inline]
            fn is_full(&self) -> bool {
                <$owner>::is_full(self)
            }
        }
    };
    (@Closed [$($of:tt)*] $self:ty, $owner:ty, $item:ty) => {
        impl<$($of)*> $crate::queue::sealed::Closed for $self {}

        impl<$($of)*> $crate::queue::Closed for $self {
            #[inline]
            fn is_closed(&self) -> bool {
                <$owner>::is_closed(self)
            }
        }
    };
    (@PushIter [$($of:tt)*] $self:ty, $owner:ty, $item:ty) => {
        impl<$($of)*> $crate::queue::PushIter for $self {
            #[inline]
            fn push_iter(&mut self, items: impl IntoIterator<Item = $item>) -> usize {
                <$owner>::push_iter(self, items)
            }
        }
    };
    (@Drain [$($of:tt)*] $self:ty, $owner:ty, $item:ty) => {
        impl<$($of)*> $self {
            /// Takes items until a pop fails.
            ///
            /// It takes items that arrive meanwhile, too, so it need not end while a producer is at
            /// work.
            #[inline]
            pub fn drain(&mut self) -> $crate::queue::Drain<'_, Self> {
                $crate::queue::Drain(self)
            }
        }

        impl<'drain, $($of)*> IntoIterator for &'drain mut $self {
            type Item = $item;
            type IntoIter = $crate::queue::Drain<'drain, $self>;

            fn into_iter(self) -> Self::IntoIter {
                $crate::queue::Drain(self)
            }
        }
    };
    (@PushSlice [$($of:tt)*] $self:ty, $owner:ty, $item:ty) => {
        impl<$($of)*> $crate::queue::PushSlice for $self {
            #[inline(always)]
            fn push_slice(&mut self, items: &[$item]) -> usize {
                <$owner>::push_slice(self, items)
            }
        }
    };
    (@PopSlice [$($of:tt)*] $self:ty, $owner:ty, $item:ty) => {
        impl<$($of)*> $crate::queue::PopSlice for $self {
            #[inline(always)]
            fn pop_slice(&mut self, items: &mut [$item]) -> usize {
                <$owner>::pop_slice(self, items)
            }
        }
    };
}

pub(crate) use implement;
