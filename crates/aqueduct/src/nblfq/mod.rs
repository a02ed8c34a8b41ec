//! NBLFQ, the non-blocking queue of Denis and Goedefroit ("NBLFQ: a lock-free MPMC queue optimized for low contention", IPDPS 2025;
//! "the seed" in these pages): many producers and consumers, lock-free in the strict sense.
//!
//! A thread that stops in the middle of a push or a pop, for however long, holds up nobody: an operation has happened
//! or has not, by one compare-exchange. So a queue can be used from a signal or interrupt handler at any point, also of a
//! push or a pop of the same queue on the same core. No operation allocates, and a queue can be a `static`.
//!
//! Each slot holds an item and a count of how often it has been emptied. [`Queue`] keeps both in one word: it carries
//! items that fit a word and leave its upper bits to the count (pointers, boxes, small integers; [`NonZeroWord`]). An item
//! that does not is refused with an error. [`wide`] keeps them in two words that are exchanged as one: its items may
//! use all of theirs, and its counter does not come around in a machine's life.
//!
//! # The counter
//! What a thread has seen of one slot says when it is the next one's turn. A thread that stalls between its look at the one and its
//! exchange at the other goes wrong if meanwhile the other slot comes to the same count again at a place that is the queue's end no
//! more: then an item is pushed, or popped, out of its turn, or the queue is taken for full or empty. With counters of `b` bits and
//! `n` slots that takes `(2^b - 2) n + 2` pushes of others, or as many pops. (The seed reckons with `2^b` rounds of the ring;
//! the model checker says when it happens, and that it does not with one less.) The counter's width is a parameter of the type;
//! [`Queue::pushes_until_wrap`] and [`Queue::wraps_within`] say what that means. With the default of 16 bits, a ring of 1024 slots
//! needs 67 million pushes within one stalled operation.
//!
//! # What is ours
//! - The seed's operations are full barriers. Here each exchange is a release and each look at a slot an acquire; the
//!   suite shows that neither can be less. On x86-64 all loads are plain moves.
//! - The ends are found by counts being equal, not by their order: so counters of any width from 1 bit on work,
//!   and a ring can have any number of slots from 2 on.
//!
//! # Load buffering
//! RC11, under which all this is proven, forbids what C11 and compilers for Arm allow: reads in a circle, each of what is written only
//! after the next one, if at two or more of them there is no Release or no Acquire. Slots are exchanged by Release and looked at
//! by Acquire, and an exchange that succeeds reads what such a look has read; after one that fails, the slot before is looked at
//! again. What is left are the two hints. Any index is a right hint: it says where a search begins, and not what it finds. So
//! nothing here leans on RC11 in this. In [`wide`], an item's word is read Relaxed, between the look and an exchange that compares it.
//!
//! # Guarantees
//! Linearizable: items come out in the order in which they were pushed, each once. `Full` and `Empty` were true at a
//! moment during the call, as far as the calling thread could know. Lock-free, not wait-free: an exchange fails only
//! because another operation succeeded.
//!
//! # When not to use it
//! All threads meet at the head's and the tail's slots. Under much contention, [`bbq`](crate::bbq) is faster.

mod ring;
mod slot;
mod tagged;
pub mod wide;

use core::fmt;
use core::marker::PhantomData;
use core::time::Duration;

use crate::error::PopError;
use crate::heap::drop_all;
use crate::sync::Cell;
pub use crate::word::NonZeroWord;
use crate::word::{decode, encode};
use ring::Ring;
use tagged::Tagged;

/// Why an item was not pushed; it comes back in field 0.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Rejected<T> {
    /// The queue had no room.
    Full(T),
    /// The item needs bits of its word that the queue's counter has: a pointer whose upper bits are in use, or a large number.
    TooWide(T),
}

impl<T> Rejected<T> {
    /// The item that was not pushed.
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
/// use std::num::NonZeroU64;
///
/// let queue = Queue::<NonZeroU64, 8>::new();
/// let error = queue.push(NonZeroU64::MAX).expect_err("it has no bits to spare");
/// assert!(matches!(error, Rejected::TooWide(NonZeroU64::MAX)));
/// ```
/// A single slot cannot tell a full queue from an empty one:
/// ```compile_fail
/// let queue = aqueduct::nblfq::Queue::<Box<u8>, 1>::new();
/// ```
/// It can be shared if its items can be sent, and not otherwise:
/// ```compile_fail,E0277
/// let queue = aqueduct::nblfq::Queue::<std::rc::Rc<u8>, 8>::new();
/// std::thread::scope(|scope| {
///     scope.spawn(|| queue.len());
/// });
/// ```
pub struct Queue<T: NonZeroWord, const N: usize, const BITS: u32 = 16> {
    ring: Ring<Tagged<BITS>, N>,
    /// Invariant in `T`, and owner of items.
    _items: PhantomData<Cell<T>>,
}

// SAFETY: items go from one thread to another, which `T: Send` allows; threads never share one.
unsafe impl<T: NonZeroWord + Send, const N: usize, const BITS: u32> Send for Queue<T, N, BITS> {}
// SAFETY: as above.
unsafe impl<T: NonZeroWord + Send, const N: usize, const BITS: u32> Sync for Queue<T, N, BITS> {}

impl<T: NonZeroWord, const N: usize, const BITS: u32> Queue<T, N, BITS> {
    /// An empty queue.
    #[must_use]
    pub const fn new() -> Self {
        const { assert!(size_of::<T>() <= size_of::<usize>(), "the type does not fit a word") };
        Self { ring: Ring::new(), _items: PhantomData }
    }

    /// Adds `item` at the end of the queue.
    ///
    /// # Errors
    /// [`Rejected`] gives the item back if there is no room, or it needs the counter's bits.
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

    /// Items in the queue: exact while no operation is in progress. Takes time in proportion to `N`.
    #[must_use]
    pub fn len(&self) -> usize {
        self.ring.len()
    }

    /// Whether [`len`](Self::len) is 0.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many items fit: `N`.
    #[must_use]
    pub const fn capacity(&self) -> usize {
        N
    }

    /// How many pushes, or pops, of others within one stalled operation let the counter come around. With fewer of either,
    /// nothing can go wrong.
    #[must_use]
    pub const fn pushes_until_wrap() -> u128 {
        pushes_until_wrap(N, BITS)
    }

    /// How long a thread has to stall for that, if the others push so many items a second. Rounded down.
    ///
    /// # Panics
    /// If `pushes_per_second` is 0.
    ///
    /// # Examples
    /// ```
    /// use aqueduct::nblfq::Queue;
    ///
    /// let time = Queue::<Box<u8>, 1024>::wraps_within(50_000_000);
    /// assert_eq!(time.as_millis(), 1342);
    /// ```
    #[must_use]
    pub const fn wraps_within(pushes_per_second: u64) -> Duration {
        wraps_within(Self::pushes_until_wrap(), pushes_per_second)
    }
}

/// How many pushes or pops let a counter of so many bits come around. What a slot says of the next one's turn is true until it is
/// filled, or emptied, the next time; the next slot looks the same again as many rounds later as the counter has values. The first of
/// the operations between is at the one, the last at the other.
const fn pushes_until_wrap(slots: usize, bits: u32) -> u128 {
    ((1_u128 << bits) - 2) * slots as u128 + 2
}

/// How long so many pushes take, or the longest time that there is.
const fn wraps_within(pushes: u128, pushes_per_second: u64) -> Duration {
    const NANOS: u128 = 1_000_000_000;
    let rate = pushes_per_second as u128;
    let seconds = pushes / rate;
    if seconds > u64::MAX as u128 {
        return Duration::MAX;
    }
    Duration::new(seconds as u64, (pushes % rate * NANOS / rate) as u32)
}

impl<T: NonZeroWord, const N: usize, const BITS: u32> Default for Queue<T, N, BITS> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T: NonZeroWord, const N: usize, const BITS: u32> fmt::Debug for Queue<T, N, BITS> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Queue").field("capacity", &N).finish_non_exhaustive()
    }
}

impl<T: NonZeroWord, const N: usize, const BITS: u32> Drop for Queue<T, N, BITS> {
    fn drop(&mut self) {
        if core::mem::needs_drop::<T>() {
            drop_all(&mut || self.pop().map(drop).is_ok());
        }
    }
}

crate::queue::implement! {
    [T: NonZeroWord, const N: usize, const BITS: u32] &Queue<T, N, BITS>, T: Pop;
}
