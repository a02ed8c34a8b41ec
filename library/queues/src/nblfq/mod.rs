//! NBLFQ: lock-free queues for many producers and consumers, also in signal handlers and `static`s.
//!
//! The algorithm is by Denis and Goedefroit, "NBLFQ: a lock-free MPMC queue optimized for low
//! contention", IPDPS 2025.
//!
//! A thread that is suspended in the middle of a push or a pop, for however long, holds up no other
//! thread: an operation takes effect by one compare-exchange. So a signal or interrupt handler can
//! use a queue at any point, even while it interrupts a push or a pop of that queue on that core.
//! No operation allocates, and a queue can be a `static`.
//!
//! The capacity of a [`Queue`] is in its type, and its slots are in the queue. That of a
//! [`DynamicQueue`] is chosen when it is made, and its slots are allocated then. Both are
//! [`QueueOf`] a [`Capacity`].
//!
//! Each slot holds an item and a counter of how often it has been emptied. [`Queue`] keeps both in
//! one word. It carries items that fit a word and leave the upper bits to the counter (pointers,
//! boxes, small integers; [`NonZeroWord`]). It refuses other items with an error. [`wide`] keeps
//! item and counter in two words that are exchanged as one: items may use all bits of their word,
//! and the counter does not wrap in a machine's life.
//!
//! # When not to use it
//! All threads meet at the slots of the head and the tail. Under high contention,
//! [`bbq`](crate::bbq) is faster.
//!
//! # Guarantees
//! The queue is linearizable: items come out in the order in which they were pushed, each once. It
//! is lock-free, not wait-free: an exchange fails only because another operation succeeded. `Full`
//! and `Empty` were true at one moment during the call, with respect to all operations that the
//! calling thread has observed.
//!
//! # The counter
//! Counters have a limited width, so a thread that is suspended long enough is exposed to the ABA
//! problem. An operation reads one slot to learn that it is the next slot's turn, and exchanges the
//! next slot. If the thread is suspended between the two until the next slot's counter has wrapped
//! to its old value, while that slot is no longer the queue's end, the operation goes wrong: an
//! item is pushed or popped out of turn, or the queue is reported full or empty.
//!
//! With counters of `b` bits and `n` slots, this takes `(2^b - 2) n + 2` pushes by other threads,
//! or as many pops, within one suspended operation. (Denis and Goedefroit calculate with `2^b` laps
//! of the ring. The model checker finds the failure at this number, and none with one operation
//! fewer.) The counter's width is a parameter of the type; [`Queue::pushes_until_wrap`] and
//! [`Queue::wraps_within`] compute the limits. With the default of 16 bits, a ring of 1024 slots
//! needs 67 million pushes within one suspended operation.
//!
//! # Design and proof
//! ## Differences from the paper
//! - The published operations are full barriers. Here each exchange is a release and each read of a
//!   slot an acquire. The tests show that neither can be weaker. On x86-64 all loads are plain
//!   moves.
//! - The ends are found by comparing counters for equality, not for order. So counters of any width
//!   from 1 bit on work, and a ring can have any number of slots from 2 on.
//!
//! ## Load buffering
//! No searched client leans on RC11's ban of [load buffering](crate::bbq#load-buffering). Slots are
//! exchanged with Release and read with Acquire. An exchange that succeeds reads a value that such
//! a read has returned; after an exchange that fails, the slot before is read again. The two hints
//! remain. Any index is a correct hint: it determines where a search begins, and not what it finds.
//! In [`wide`], an item's word is read Relaxed, between the read of the slot and an exchange that
//! compares it.

mod ring;
mod slot;
mod slots;
mod tagged;
pub mod wide;

use core::fmt;
use core::marker::PhantomData;

use crate::error::{PopError, PushError};
use crate::heap::drop_all;
use crate::sync::Cell;
pub use crate::word::NonZeroWord;
use crate::word::{decode, encode};
use ring::Ring;
pub use slots::{Capacity, Dynamic, Fixed};
use tagged::Tagged;

/// Why an item was not pushed. The item comes back in field 0.
///
/// # Examples
/// ```
/// use aqueduct::nblfq::{Queue, Rejected};
/// use std::num::NonZeroU16;
///
/// let queue = Queue::<NonZeroU16, 2>::new();
/// let [one, two, three] = [1, 2, 3].map(|number| NonZeroU16::new(number).expect("not 0"));
/// queue.push(one)?;
/// queue.push(two)?;
/// assert_eq!(queue.push(three), Err(Rejected::Full(three)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Rejected<T> {
    /// The queue had no room.
    Full(T),
    /// The item uses bits of its word that belong to the counter: a pointer with upper bits in use,
    /// or a large number.
    TooWide(T),
}

impl<T> Rejected<T> {
    /// Returns the item that was not pushed.
    pub fn into_inner(self) -> T {
        match self {
            Self::Full(item) | Self::TooWide(item) => item,
        }
    }
}

impl<T> fmt::Debug for Rejected<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Full(_) => "Full(..)",
            Self::TooWide(_) => "TooWide(..)",
        })
    }
}

impl<T> fmt::Display for Rejected<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Full(_) => "the queue is full",
            Self::TooWide(_) => {
                "the item's upper bits are in use, which the queue's counter needs: carry it in a box, or in \
                                 a queue with a narrower counter"
            }
        })
    }
}

impl<T> core::error::Error for Rejected<T> {}

/// A queue of `N` slots whose counters have `BITS` bits.
///
/// # Examples
/// ```
/// use aqueduct::nblfq::Queue;
/// use std::num::NonZeroU32;
///
/// static EVENTS: Queue<NonZeroU32, 64> = Queue::new();
///
/// // Can be called from a signal handler, at any point of the program.
/// fn on_signal(number: NonZeroU32) {
///     let _ = EVENTS.push(number);
/// }
///
/// on_signal(NonZeroU32::new(15).expect("not 0"));
/// assert_eq!(EVENTS.pop().map(NonZeroU32::get), Ok(15));
/// assert!(EVENTS.pop().is_err());
/// ```
/// A large number is refused, and not cut off:
/// ```
/// use aqueduct::nblfq::{Rejected, Queue};
/// use std::num::NonZeroUsize;
///
/// let queue = Queue::<NonZeroUsize, 8>::new();
/// let error = queue.push(NonZeroUsize::MAX).expect_err("it has no bits to spare");
/// assert!(matches!(error, Rejected::TooWide(NonZeroUsize::MAX)));
/// ```
/// A single slot does not compile, because it cannot tell a full queue from an empty one:
/// ```compile_fail
/// let queue = aqueduct::nblfq::Queue::<Box<u8>, 1>::new();
/// ```
/// The queue is `Sync` if its items are `Send`, and not otherwise:
/// ```compile_fail,E0277
/// let queue = aqueduct::nblfq::Queue::<std::rc::Rc<u8>, 8>::new();
/// std::thread::scope(|scope| {
///     scope.spawn(|| queue.len());
/// });
/// ```
#[doc(alias = "ArrayQueue")]
#[doc(alias = "lock-free queue")]
pub type Queue<T, const N: usize, const BITS: u32 = 16> = QueueOf<T, Fixed<N>, BITS>;

/// A queue whose number of slots is chosen when it is made. Their counters have `BITS` bits.
///
/// # Examples
/// ```
/// use aqueduct::nblfq::DynamicQueue;
///
/// let capacity = std::thread::available_parallelism()?.get() * 64;
/// let queue = DynamicQueue::<Box<String>>::new(capacity)?;
/// queue.push(Box::new("item".to_owned()))?;
/// assert_eq!(*queue.pop()?, "item");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
/// Items that go from thread to thread must be `Send`, as with [`Queue`]:
/// ```compile_fail,E0277
/// let queue = aqueduct::nblfq::DynamicQueue::<std::rc::Rc<u8>>::new(8).unwrap();
/// std::thread::scope(|scope| {
///     scope.spawn(|| queue.len());
/// });
/// ```
pub type DynamicQueue<T, const BITS: u32 = 16> = QueueOf<T, Dynamic, BITS>;

/// A queue with that capacity: a [`Queue`] or a [`DynamicQueue`].
///
/// # Examples
/// ```
/// use aqueduct::nblfq::{Capacity, DynamicQueue, Queue, QueueOf};
///
/// /// Works with either.
/// fn pop_all<C: Capacity>(queue: &QueueOf<Box<u8>, C>) -> usize {
///     std::iter::from_fn(|| queue.pop().ok()).count()
/// }
///
/// static QUEUE: Queue<Box<u8>, 8> = Queue::new();
/// QUEUE.push(Box::new(7))?;
/// assert_eq!(pop_all(&QUEUE), 1);
/// assert_eq!(pop_all(&DynamicQueue::new(8)?), 0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct QueueOf<T: NonZeroWord, C: Capacity, const BITS: u32 = 16> {
    ring: Ring<C::Slots<Tagged<BITS>>>,
    /// Makes the type invariant in `T`, and an owner of items.
    _items: PhantomData<Cell<T>>,
}

// SAFETY: items go from one thread to another, which `T: Send` allows; threads never share one.
unsafe impl<T: NonZeroWord + Send, C: Capacity, const BITS: u32> Send for QueueOf<T, C, BITS> {}
// SAFETY: the reason for `Send` holds.
unsafe impl<T: NonZeroWord + Send, C: Capacity, const BITS: u32> Sync for QueueOf<T, C, BITS> {}

impl<T: NonZeroWord, C: Capacity, const BITS: u32> QueueOf<T, C, BITS> {
    /// Makes a queue of these slots.
    const fn of(slots: C::Slots<Tagged<BITS>>) -> Self {
        const { assert!(size_of::<T>() <= size_of::<usize>(), "the type does not fit a word") };
        Self { ring: Ring::new(slots), _items: PhantomData }
    }
}

slots::capacities! {
    NonZeroWord
    /// # Examples
    /// ```
    /// use aqueduct::nblfq::Queue;
    ///
    /// let time = Queue::<Box<u8>, 1024>::wraps_within(50_000_000);
    /// assert_eq!(time.as_millis(), 1342);
    /// ```
}

impl<T: NonZeroWord, C: Capacity, const BITS: u32> QueueOf<T, C, BITS> {
    /// Adds `item` at the end of the queue.
    ///
    /// # Errors
    /// [`Rejected`] gives the item back if there is no room, or if it uses the counter's bits.
    #[inline]
    pub fn push(&self, item: T) -> Result<(), Rejected<T>> {
        let word = encode(item);
        // SAFETY: encoded here, and given up by this in either case.
        let back = || unsafe { decode(word) };
        if !Tagged::<BITS>::fits(word) {
            return Err(Rejected::TooWide(back()));
        }
        if self.ring.push(|count| Tagged::<BITS>::filled(word, count)) { Ok(()) } else { Err(Rejected::Full(back())) }
    }

    /// Takes the oldest item.
    ///
    /// # Errors
    /// [`PopError::Empty`] if there is none.
    #[inline]
    pub fn pop(&self) -> Result<T, PopError> {
        let word = self.ring.pop().ok_or(PopError::Empty)?;
        // SAFETY: it was encoded by `push`; the exchange gave it to this thread alone.
        Ok(unsafe { decode(Tagged::<BITS>::item(word)) })
    }

    /// Returns the number of items, exact while no operation is in progress.
    ///
    /// Takes time in proportion to the capacity.
    #[must_use]
    pub fn len(&self) -> usize {
        self.ring.len()
    }

    /// Whether [`len`](Self::len) is 0.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether [`len`](Self::len) is the capacity.
    #[must_use]
    pub fn is_full(&self) -> bool {
        self.len() == self.ring.count()
    }
}

impl<T: NonZeroWord, C: Capacity, const BITS: u32> Drop for QueueOf<T, C, BITS> {
    fn drop(&mut self) {
        if core::mem::needs_drop::<T>() {
            drop_all(&mut || self.pop().map(drop).is_ok());
        }
    }
}

crate::queue::implement! {
    [T: NonZeroWord, C: Capacity, const BITS: u32] &QueueOf<T, C, BITS>, T: Pop Full;
    [T: NonZeroWord, const N: usize, const BITS: u32] &Queue<T, N, BITS>, T: Len;
    [T: NonZeroWord, const BITS: u32] &DynamicQueue<T, BITS>, T: Len;
}

/// Implements `Push` for references to a queue.
macro_rules! push {
    ($($(#[$doc:meta])* $share:ty;)*) => {$(
        impl<T: NonZeroWord, C: Capacity, const BITS: u32> crate::queue::sealed::Push for $share {}

        $(#[$doc])*
        impl<T: NonZeroWord, C: Capacity, const BITS: u32> crate::queue::Push for $share {
            type Item = T;

            #[inline]
            fn push(&mut self, item: T) -> Result<(), PushError<T>> {
                const {
                    let bits = 8 * size_of::<T>() as u32;
                    assert!(bits + BITS <= usize::BITS, "items of this type can need bits that the counter has");
                }
                QueueOf::push(self, item).map_err(|rejected| PushError::Full(rejected.into_inner()))
            }
        }
    )*};
}

push! {
    /// For items that are narrow enough that all of their values leave the counter its bits.
    /// Others, pointers among them, do not compile: [`QueueOf::push`] can refuse one as
    /// [`TooWide`](Rejected::TooWide), which [`PushError`] cannot express.
    ///
    /// ```compile_fail,E0080
    /// use aqueduct::queue::Push;
    /// let queue = aqueduct::nblfq::Queue::<Box<u8>, 8>::new();
    /// let _ = Push::push(&mut &queue, Box::new(7));
    /// ```
    &QueueOf<T, C, BITS>;
    /// For items that are narrow enough, as with `&QueueOf`.
    alloc::sync::Arc<QueueOf<T, C, BITS>>;
}
