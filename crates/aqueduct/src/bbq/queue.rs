//! Queues that threads share as a whole, without handles.

use super::backoff::race::Race;
use super::block::{Block, Content};
use super::claim::{self, Claims, is_full, next_block};
use super::cursor::Cursor;
use super::items::Items;
use super::reserve::{self, ReservesBesides, next_is_open, reserved};
use super::shared::{Position, Shared};
use super::side::{Multi, Reason};
use crate::error::{PopError, PushError};
use crate::sync::Ordering;

/// Defines a queue that threads share as a whole.
macro_rules! shared_queue {
    ($(#[$doc:meta])* $family:ident::$name:ident, $consumers:ty) => {
        $(#[$doc])*
        #[doc(alias = "ArrayQueue")]
        #[doc(alias = "SegQueue")]
        #[doc(alias = "ConcurrentQueue")]
        #[doc(alias = "circular buffer")]
        pub struct $name<T> {
            shared: $crate::bbq::Shared<$crate::bbq::Items<T>, $crate::bbq::Multi, $consumers>,
        }

        impl<T> $name<T> {
            /// Makes a queue for at least `capacity` items.
            ///
            /// # Errors
            /// [`CapacityError`](crate::error::CapacityError) if `capacity` is 0 or too large, or there is no memory.
            pub fn new(capacity: usize) -> Result<Self, $crate::error::CapacityError> {
                let (items, first) = ($crate::bbq::Items::new(), $crate::bbq::FIRST_VERSION);
                Ok(Self { shared: $crate::bbq::Shared::for_capacity(items, capacity, first)? })
            }

            /// Makes a queue with the blocks and entries of `geometry`.
            ///
            /// # Errors
            /// [`CapacityError`](crate::error::CapacityError) if the geometry is too large, or
            /// there is no memory.
            pub fn with_geometry(geometry: $crate::bbq::Geometry) -> Result<Self, $crate::error::CapacityError> {
                Self::starting_at(geometry, $crate::bbq::FIRST_VERSION)
            }

            /// Makes a queue that starts in this lap, for tests near the last one.
            #[doc(hidden)]
            pub fn starting_at(
                geometry: $crate::bbq::Geometry,
                version: usize,
            ) -> Result<Self, $crate::error::CapacityError> {
                let (items, capacity) = ($crate::bbq::Items::new(), geometry.capacity());
                Ok(Self { shared: $crate::bbq::Shared::new(items, geometry, capacity, version)? })
            }

            /// Adds `item` at the end of the queue. Lock-free among producers.
            ///
            /// # Errors
            /// [`PushError`](crate::error::PushError) gives the item back if there is no room.
            #[inline]
            pub fn push(&self, item: T) -> Result<(), $crate::error::PushError<T>> {
                self.shared.push_anew(item)
            }

            /// Adds the first items of `items`, as many as fit, and returns their number.
            ///
            /// The items that go into one block cost one compare-exchange together.
            #[must_use = "items beyond the returned number were not pushed"]
            pub fn push_slice(&self, items: &[T]) -> usize
            where
                T: Copy,
            {
                self.shared.push_slice(&mut self.shared.producing(), items)
            }

            /// Takes the oldest item. Lock-free among consumers.
            ///
            /// # Errors
            /// [`PopError`](crate::error::PopError) if the queue is empty, or the oldest item is
            /// still being pushed.
            #[inline]
            pub fn pop(&self) -> Result<T, $crate::error::PopError> {
                self.shared.pop_anew()
            }

            /// Moves up to `items.len()` items to the start of `items` and returns their number.
            #[must_use = "says how many of the items were written"]
            pub fn pop_slice(&self, items: &mut [T]) -> usize
            where
                T: Copy,
            {
                self.shared.pop_slice(&mut self.shared.consuming(), items)
            }

            /// Adds `item` at the end of the queue, and takes as many of the oldest items as it needs
            /// room for.
            ///
            /// Passes each of them to `displaced`. A block is reused as a whole: if the queue is full,
            /// up to a block of items is displaced at once, and the next pushes find room. The items
            /// displaced are the oldest, but other threads may push and pop between them.
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
                self.shared.len()
            }

            /// Whether a pop would return no item now, because there is none or the oldest one is
            /// still being pushed.
            ///
            /// If `false`, there was an item at one moment during the call.
            #[must_use]
            pub fn is_empty(&self) -> bool {
                self.shared.is_empty()
            }

            /// Whether a push would return [`Full`](crate::error::PushError::Full) now.
            ///
            /// A few more items than the [`capacity`](Self::capacity) can fit before that. If
            /// `false`, the next push can still be [`Busy`](crate::error::PushError::Busy).
            #[must_use]
            pub fn is_full(&self) -> bool {
                self.shared.is_full()
            }

            /// Returns the capacity that was asked for. So many items always fit.
            #[must_use]
            pub fn capacity(&self) -> usize {
                self.shared.capacity
            }
        }

        $crate::queue::implement! {
            [T] &$name<T>, T: Push Pop Len;
            [T: Copy] &$name<T>, T: PushSlice PopSlice;
        }

        impl<T> IntoIterator for $name<T> {
            type Item = T;
            type IntoIter = IntoIter<T>;

            /// Takes all items out of the queue, the oldest first. Dropping the iterator drops the rest.
            fn into_iter(self) -> IntoIter<T> {
                IntoIter(self)
            }
        }

        /// An iterator over all items of a queue that it owns, the oldest first.
        ///
        /// Made by the queue's `into_iter`.
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
                // Nobody else is at work, so it is never busy.
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
        self.shared.pop_some(most, take)
    }
}

impl<K: Content<Multi, C>, C: ReservesBesides> Shared<K, Multi, C> {
    /// Returns the number of items.
    pub(crate) fn len(&self) -> usize {
        self.used(self.place_of_consumers())
    }

    /// Whether a pop would find no committed item.
    pub(crate) fn is_empty(&self) -> bool {
        self.is_empty_for_many()
    }

    /// Whether a push would find no room.
    pub(crate) fn is_full(&self) -> bool {
        self.is_full_at(self.place_of_producers())
    }

    /// Finds the consumers: the head of their block, and the entry.
    #[inline(always)]
    fn consumers_at(&self) -> (Cursor, Cursor) {
        // Ordering: Relaxed: `find` checks the head against the block's word, and reads it again with Acquire.
        self.find(&self.consumers, reserved, Cursor(self.consumers.load(Ordering::Relaxed)))
    }

    fn position_at(&self, (head, at): (Cursor, Cursor)) -> Position {
        Position { cursor: at, ..self.position(head) }
    }

    pub(crate) fn producing(&self) -> Position {
        self.position_at(self.place_of_producers())
    }

    pub(crate) fn consuming(&self) -> Position {
        self.position_at(self.consumers_at())
    }

    /// Claims one entry without a cached position.
    ///
    /// Passes its block's head and its cursor to `then`. A closure keeps the result in registers; a
    /// returned result goes through memory, which costs as much as the rest of a refused push.
    #[inline(always)]
    pub(super) fn claim_anew<R>(&self, then: impl FnOnce(Result<(Cursor, Cursor), Reason>) -> R) -> R {
        let (head, at) = self.place_of_producers();
        let lost = if at.offset() == self.size() {
            if is_full(self, head) {
                return then(Err(Reason::Exhausted));
            }
            None
        } else {
            match claim::exchange(self.block_of(head), at, 1) {
                Ok(_) => return then(Ok((head, at))),
                Err(actual) => Some(actual),
            }
        };
        then(self.claim_on(head, at, lost))
    }

    /// Claims an entry from the end of a block, or after a lost exchange.
    #[inline(never)]
    fn claim_on(&self, head: Cursor, at: Cursor, lost: Option<Cursor>) -> Result<(Cursor, Cursor), Reason> {
        let mut position = self.position_at((head, at));
        match lost {
            None => next_block(self, &mut position)?,
            Some(actual) => claim::lost(self, &mut position, &mut Race::default(), 1, actual),
        }
        let (at, _) = Multi::claim(self, &mut position, 1)?;
        Ok((position.head, at))
    }
}

impl<T, C: ReservesBesides> Shared<Items<T>, Multi, C> {
    /// Pushes an item without a cached position.
    #[inline]
    pub(crate) fn push_anew(&self, item: T) -> Result<(), PushError<T>> {
        self.claim_anew(|claimed| match claimed {
            Ok((head, at)) => {
                // SAFETY: claimed.
                unsafe { self.put(self.entry(self.blocks.block(head.offset()), at.offset()), at, item) };
                Ok(())
            }
            Err(reason) => Err(C::refused(item, reason)),
        })
    }

    /// Pops an item without a cached position.
    #[inline]
    pub(crate) fn pop_anew(&self) -> Result<T, PopError> {
        self.reserve_anew(|reserved| {
            let (head, at) = reserved?;
            let block = self.blocks.block(head.offset());
            // SAFETY: reserved.
            Ok(unsafe { self.take(block, at, self.entry(block, at.offset())) })
        })
    }

    /// Passes up to `most` items of one block to `take`, which does not panic.
    ///
    /// Returns their number, at least one.
    fn pop_some(&self, most: usize, mut take: impl FnMut(T)) -> Result<usize, PopError> {
        let mut position = self.consuming();
        let (at, count) = C::reserve(self, &mut position, most, |_, _| true)?;
        for number in 0..count {
            let at = at.plus(number);
            // SAFETY: reserved, and taken once.
            take(unsafe { self.take(position.block, at, self.entry(position.block, at.offset())) });
        }
        Ok(count)
    }

    /// Reserves one entry without a cached position.
    ///
    /// Passes its block's head and its cursor to `then`.
    #[inline(always)]
    fn reserve_anew<R>(&self, then: impl FnOnce(Result<(Cursor, Cursor), Reason>) -> R) -> R {
        let (head, at) = self.consumers_at();
        let block = self.blocks.block(head.offset());
        // SAFETY: a block of this queue.
        let words: &Block = unsafe { block.as_ref() };
        let mut found = Found::Nothing;
        if at.offset() >= C::by_exchange(self.size()) {
            if C::is_used_up(words, at, self.size()) {
                match next_is_open(self, head) {
                    Ok(seen) => found = Found::NextBlock(seen),
                    Err(reason) => return then(Err(reason)),
                }
            }
        } else if self.committed(block, at, 1) > 0 {
            match reserve::exchange(words, at, 1) {
                Ok(_) => return then(Ok((head, at))),
                Err(actual) => found = Found::Others(actual),
            }
        } else if reserved(words) == at
            && let Some(reason) = Multi::why_not_committed(words, at)
        {
            return then(Err(reason));
        }
        then(self.reserve_on(head, at, found))
    }

    /// Reserves an entry after a first attempt that left open whether there is an item.
    #[inline(never)]
    fn reserve_on(&self, head: Cursor, at: Cursor, found: Found) -> Result<(Cursor, Cursor), Reason> {
        let mut position = self.position_at((head, at));
        match found {
            Found::Nothing => {}
            Found::NextBlock(seen) => C::enter_next(self, &mut position, seen),
            Found::Others(actual) => reserve::lost(self, &mut position, &mut Race::default(), 1, actual),
        }
        let (at, _) = C::reserve(self, &mut position, 1, |_, _| true)?;
        Ok((position.head, at))
    }
}

/// The reason why a consumer has no item yet.
enum Found {
    /// No reason to give up was found.
    Nothing,
    /// The next block is open; consumers were found at this cursor in it.
    NextBlock(Cursor),
    /// Other consumers were faster; this is where they were.
    Others(Cursor),
}
