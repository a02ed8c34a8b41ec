//! Queues that threads share as a whole, without handles: each operation looks for its place anew.

use super::consumer::{SharedConsumerSide, many as many_consumers};
use super::items::Items;
use super::producer::{ProducerSide, many as many_producers};
use super::ring::Ring;
use super::side::Multi;
use crate::error::{PopError, PushError};

/// Defines a queue that threads share as a whole.
macro_rules! shared_queue {
    ($(#[$doc:meta])* $family:ident::$name:ident, $consumers:ty) => {
        $(#[$doc])*
        #[doc(alias = "ArrayQueue")]
        #[doc(alias = "SegQueue")]
        #[doc(alias = "ConcurrentQueue")]
        #[doc(alias = "circular buffer")]
        pub struct $name<T> {
            ring: $crate::bbq::Ring<$crate::bbq::Items<T, $crate::bbq::Multi, $consumers>>,
        }

        impl<T> $name<T> {
            /// Makes a queue for at least `capacity` items.
            ///
            /// # Errors
            /// [`CapacityError`](crate::error::CapacityError) if `capacity` is 0 or too large, or there is no memory.
            pub fn new(capacity: usize) -> Result<Self, $crate::error::CapacityError> {
                let (items, first) = ($crate::bbq::Items::new(), $crate::bbq::FIRST_LAP);
                Ok(Self { ring: $crate::bbq::Ring::for_capacity(items, capacity, first)? })
            }

            /// Makes a queue with the blocks and entries of `geometry`.
            ///
            /// # Errors
            /// [`CapacityError`](crate::error::CapacityError) if the geometry is too large, or
            /// there is no memory.
            pub fn with_geometry(geometry: $crate::bbq::Geometry) -> Result<Self, $crate::error::CapacityError> {
                Self::starting_at(geometry, $crate::bbq::FIRST_LAP)
            }

            /// Makes a queue that starts in this lap, for tests near the last one.
            #[doc(hidden)]
            pub fn starting_at(
                geometry: $crate::bbq::Geometry,
                lap: usize,
            ) -> Result<Self, $crate::error::CapacityError> {
                let (items, capacity) = ($crate::bbq::Items::new(), geometry.capacity());
                Ok(Self { ring: $crate::bbq::Ring::new(items, geometry, capacity, lap)? })
            }

            /// Adds `item` at the end of the queue. Lock-free among producers.
            ///
            /// # Errors
            /// [`PushError`](crate::error::PushError) gives the item back if there is no room.
            #[inline]
            pub fn push(&self, item: T) -> Result<(), $crate::error::PushError<T>> {
                self.ring.push_anew(item)
            }

            /// Adds the first items of `items`, as many as fit, and returns their number.
            ///
            /// The items that go into one block cost one compare-exchange together.
            #[must_use = "items beyond the returned number were not pushed"]
            pub fn push_slice(&self, items: &[T]) -> usize
            where
                T: Copy,
            {
                self.ring.push_slice_anew(items)
            }

            /// Takes the oldest item. Lock-free among consumers.
            ///
            /// # Errors
            /// [`PopError`](crate::error::PopError) if the queue is empty, or the oldest item is
            /// still being pushed.
            #[inline]
            pub fn pop(&self) -> Result<T, $crate::error::PopError> {
                self.ring.pop_anew()
            }

            /// Moves up to `items.len()` items to the start of `items` and returns their number.
            #[must_use = "says how many of the items were written"]
            pub fn pop_slice(&self, items: &mut [T]) -> usize
            where
                T: Copy,
            {
                self.ring.pop_slice_anew(items)
            }

            /// Adds `item` at the end of the queue, and takes as many of the oldest items as it
            /// needs room for.
            ///
            /// Passes each of them to `displaced`. A block is reused as a whole: if the queue is
            /// full, up to a block of items is displaced at once, and the next pushes find room.
            /// The items displaced are the oldest, but other threads may push and pop between them.
            ///
            /// Lock-free: it tries again only if other producers have taken the room that it made.
            ///
            /// # Errors
            /// [`PushError::Busy`](crate::error::PushError::Busy) gives the item back if another thread
            /// is in the middle of an operation that has to complete first. It never returns
            /// [`PushError::Full`](crate::error::PushError::Full).
            ///
            /// # Panics
            /// If `displaced` panics. The item is dropped then, and the queue goes on as usual.
            ///
            /// # Examples
            /// ```
            #[doc = concat!("let queue = aqueduct::", stringify!($family), "::Queue::new(100)?;")]
            /// let mut displaced = Vec::new();
            /// for number in 0..1000 {
            ///     queue.force_push(number, |oldest| displaced.push(oldest))?;
            /// }
            /// displaced.extend(queue.drain());
            /// assert_eq!(displaced, (0..1000).collect::<Vec<_>>());
            /// # Ok::<(), Box<dyn std::error::Error>>(())
            /// ```
            pub fn force_push(
                &self,
                mut item: T,
                mut displaced: impl FnMut(T),
            ) -> Result<(), $crate::error::PushError<T>> {
                loop {
                    item = match self.push(item) {
                        Err($crate::error::PushError::Full(item)) => item,
                        result => return result,
                    };
                    match self.pop() {
                        Ok(oldest) => displaced(oldest),
                        // Others have emptied it.
                        Err($crate::error::PopError::Empty) => {}
                        Err($crate::error::PopError::Busy) => return Err($crate::error::PushError::Busy(item)),
                    }
                }
            }

            /// Takes items until a pop fails.
            pub fn drain(&self) -> impl Iterator<Item = T> {
                core::iter::from_fn(|| self.pop().ok())
            }

            /// Returns the number of items, exact while no operation is in progress.
            ///
            /// Items that are being pushed count, items that are being popped do not. Beside other
            /// operations it is a value of a recent moment. Reads four words.
            #[must_use]
            pub fn len(&self) -> usize {
                self.ring.len()
            }

            /// Whether a pop would return no item now, because there is none or the oldest one is
            /// still being pushed.
            ///
            /// If `false`, there was an item at one moment during the call.
            #[must_use]
            pub fn is_empty(&self) -> bool {
                self.ring.is_empty()
            }

            /// Whether a push would return [`Full`](crate::error::PushError::Full) now.
            ///
            /// A few more items than the [`capacity`](Self::capacity) can fit before that. If
            /// `false`, the next push can still be [`Busy`](crate::error::PushError::Busy).
            #[must_use]
            pub fn is_full(&self) -> bool {
                self.ring.is_full()
            }

            /// Returns the capacity that was asked for: this number of items always fits.
            #[must_use]
            pub fn capacity(&self) -> usize {
                self.ring.capacity
            }
        }

        $crate::queue::implement! {
            [T] &$name<T>, T: Push Pop Full Len;
            [T: Copy] &$name<T>, T: PushSlice PopSlice;
        }

        impl<T> IntoIterator for $name<T> {
            type Item = T;
            type IntoIter = IntoIter<T>;

            /// Takes all items out of the queue, the oldest first. Dropping the iterator drops the
            /// rest.
            fn into_iter(self) -> IntoIter<T> {
                IntoIter(self)
            }
        }

        /// An iterator over all items of a queue that it owns, the oldest first.
        ///
        /// The queue's `into_iter` makes it.
        ///
        /// # Examples
        /// ```
        #[doc = concat!("let queue = aqueduct::", stringify!($family), "::Queue::new(100)?;")]
        /// assert_eq!(queue.push_slice(&[1, 2, 3]), 3);
        /// assert_eq!(queue.into_iter().collect::<Vec<_>>(), [1, 2, 3]);
        /// # Ok::<(), aqueduct::error::CapacityError>(())
        /// ```
        #[derive(Debug)]
        pub struct IntoIter<T>($name<T>);

        impl<T> Iterator for IntoIter<T> {
            type Item = T;

            fn next(&mut self) -> Option<T> {
                // No other thread is at work, so it is never busy.
                self.0.pop().ok()
            }

            fn size_hint(&self) -> (usize, Option<usize>) {
                (self.0.len(), Some(self.0.len()))
            }
        }

        impl<T> ExactSizeIterator for IntoIter<T> {}
        impl<T> core::iter::FusedIterator for IntoIter<T> {}

        impl<T> core::fmt::Debug for $name<T> {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                f.debug_struct(stringify!($name)).field("capacity", &self.capacity()).finish_non_exhaustive()
            }
        }
    };
}

pub(crate) use shared_queue;

shared_queue! {
    /// A bounded queue that threads share by reference or in an `Arc`.
    ///
    /// Any number of threads may push and pop. Each operation searches for its position anew.
    /// Threads that push or pop often are better served by the handles of [`mpmc`](super::mpmc),
    /// which remember theirs.
    ///
    /// # Examples
    /// ```
    /// use aqueduct::error::{PopError, PushError};
    ///
    /// let queue = aqueduct::bbq::Queue::new(1000)?;
    /// std::thread::scope(|scope| {
    ///     scope.spawn(|| {
    ///         for number in 1..=10_000_u64 {
    ///             let mut item = number;
    ///             while let Err(PushError::Full(back) | PushError::Busy(back)) = queue.push(item) {
    ///                 item = back;
    ///                 std::thread::yield_now();
    ///             }
    ///         }
    ///     });
    ///     let mut sum = 0;
    ///     for _ in 0..10_000 {
    ///         sum += loop {
    ///             match queue.pop() {
    ///                 Ok(item) => break item,
    ///                 Err(PopError::Empty | PopError::Busy) => std::thread::yield_now(),
    ///             }
    ///         };
    ///     }
    ///     assert_eq!(sum, 50_005_000);
    /// });
    /// # Ok::<(), aqueduct::error::CapacityError>(())
    /// ```
    /// The queue is `Sync` if its items are `Send`, and not otherwise:
    /// ```compile_fail,E0277
    /// let queue = aqueduct::bbq::Queue::<std::rc::Rc<u8>>::new(10)?;
    /// std::thread::scope(|scope| {
    ///     scope.spawn(|| queue.len());
    /// });
    /// # Ok::<(), aqueduct::error::CapacityError>(())
    /// ```
    /// A reference can be pushed only if it lives as long as the queue's items:
    /// ```compile_fail,E0597
    /// # use aqueduct::bbq::Queue;
    /// fn lend<'a>(queue: &Queue<&'a str>, word: &'a str) {
    ///     let _ = queue.push(word);
    /// }
    /// let queue = Queue::<&'static str>::new(10)?;
    /// {
    ///     let word = String::from("short-lived");
    ///     lend(&queue, &word);
    /// }
    /// println!("{:?}", queue.pop());
    /// # Ok::<(), aqueduct::error::CapacityError>(())
    /// ```
    bbq::Queue, Multi
}

impl<T> Queue<T> {
    /// Passes up to `most` items of one block to `take`, which does not panic.
    ///
    /// Returns their number, at least one.
    pub(crate) fn pop_some(&self, most: usize, take: impl FnMut(T)) -> Result<usize, PopError> {
        many_consumers::pop_some(&self.ring, most, take)
    }
}

/// The operations of a ring that threads share without handles.
impl<T, C: SharedConsumerSide> Ring<Items<T, Multi, C>> {
    #[inline]
    pub(crate) fn push_anew(&self, item: T) -> Result<(), PushError<T>> {
        many_producers::push_anew(self, item)
    }

    pub(crate) fn push_slice_anew(&self, items: &[T]) -> usize
    where
        T: Copy,
    {
        Multi::push_slice(self, &mut many_producers::State::find(self), items)
    }

    #[inline]
    pub(crate) fn pop_anew(&self) -> Result<T, PopError> {
        many_consumers::pop_anew(self)
    }

    pub(crate) fn pop_slice_anew(&self, items: &mut [T]) -> usize
    where
        T: Copy,
    {
        C::pop_slice(self, &mut many_consumers::State::find(self), items)
    }

    /// Returns the number of items.
    pub(crate) fn len(&self) -> usize {
        self.used(self.place_of_consumers())
    }

    /// Whether a pop would find no committed item.
    pub(crate) fn is_empty(&self) -> bool {
        many_consumers::is_empty(self)
    }

    /// Whether a push would find no room.
    pub(crate) fn is_full(&self) -> bool {
        self.is_full_at(self.place_of_producers())
    }
}
