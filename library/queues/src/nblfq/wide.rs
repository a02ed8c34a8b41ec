//! NBLFQ with two words per slot: the item in one, the counter in the other.
//!
//! **Unstable**: a release may change this module, or remove it.
//!
//! Items are [`Plain`] values of up to 8 bytes, which may use all of their bits. The counter has 63
//! bits, unless fewer are asked for: at a billion items a second, a queue of two slots would take
//! five centuries to make it wrap.
//!
//! A [`Queue`]'s capacity is in its type; that of a [`DynamicQueue`] is chosen when it is made.
//!
//! # When not to use it
//! One instruction exchanges both words. It is lock-free and exists on x86-64 (`cmpxchg16b`; all
//! but the first processors have it) and on 64-bit Arm (`casp`, from Armv8.1 on). Whether the
//! machine has it is found out at run time, so a queue has to be [opened](Queue::open) before it is
//! used. There is no hidden lock: without that instruction, and on any other kind of processor,
//! `open` returns an error. The rest of the library works there. Without the feature `std` on Arm,
//! the instruction is there if the program is compiled for it (`-C target-feature=+lse`).
//!
//! # Design and proof
//! A slot is read by plain loads, one of each word, which can come from two different moments. A
//! thread first reads the counter, which shows whether there is an item. A push needs no more,
//! because the other word of an empty slot is 0; neither does a pop, of the slot before its own. A
//! pop then reads the item of the slot that it is to empty. If the slot has changed between the two
//! loads, they belong to different laps. A slot never returns to an old count, so the exchange,
//! which expects both words, fails, and both are read again. It fails for no other reason: the item
//! is read after the counter, so it is as old or newer. So an exchange that succeeds has compared a
//! pair that existed as a whole, and an exchange that fails does so because another operation
//! succeeded.

use core::fmt;
use core::marker::PhantomData;
use core::mem::MaybeUninit;

use super::ring::Ring;
use super::slot::Slot;
use super::slots::capacities;
use super::{Capacity, Dynamic, Fixed};
use crate::error::{PopError, PushError};
use crate::plain::Plain;
use crate::sync::{AtomicPair, Ordering};

/// A slot: the item's bytes, and twice the count, plus one if it is filled.
struct Pair<const BITS: u32>(AtomicPair);

impl<const BITS: u32> Pair<BITS> {
    /// The counter's greatest value.
    const LAST: u64 = {
        assert!(BITS >= 1 && BITS < u64::BITS, "the counter has from 1 to 63 bits");
        (1 << BITS) - 1
    };
}

impl<const BITS: u32> Slot for Pair<BITS> {
    type Word = [u64; 2];
    /// The second word.
    type Seen = u64;
    type Count = u64;

    const EMPTY: Self = Self(AtomicPair::new([0, 0]));

    #[inline(always)]
    fn empty(count: u64) -> [u64; 2] {
        [0, count << 1]
    }

    #[inline(always)]
    fn is_empty(seen: u64) -> bool {
        seen & 1 == 0
    }

    #[inline(always)]
    fn count(seen: u64) -> u64 {
        seen >> 1
    }

    #[inline(always)]
    fn plus_one(count: u64) -> u64 {
        (count + 1) & Self::LAST
    }

    #[inline(always)]
    fn minus_one(count: u64) -> u64 {
        count.wrapping_sub(1) & Self::LAST
    }

    #[inline(always)]
    #[track_caller]
    fn look(&self, ordering: Ordering) -> u64 {
        // SAFETY: slots are reached through a `Handle` only, and a machine without the instruction
        // gets none.
        unsafe { self.0.second(ordering) }
    }

    #[inline(always)]
    #[track_caller]
    fn whole(&self, seen: u64) -> [u64; 2] {
        if Self::is_empty(seen) {
            return [0, seen];
        }
        // Ordering: Relaxed, the look at the count (Acquire) comes before it, and orders the data.
        // SAFETY: slots are reached through a `Handle` only, which a machine without the
        // instruction does not give.
        [unsafe { self.0.first(Ordering::Relaxed) }, seen]
    }

    #[inline(always)]
    #[track_caller]
    fn exchange(&self, expected: [u64; 2], new: [u64; 2], ordering: Ordering) -> bool {
        // SAFETY: slots are reached through a `Handle` only, and a machine without the instruction
        // gets none.
        unsafe { self.0.exchange(expected, new, ordering) }
    }
}

/// The error of a machine that cannot exchange two words as one without a lock.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NoWideExchange;

impl fmt::Display for NoWideExchange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("this machine has no lock-free exchange of 16 bytes; `nblfq::Queue` needs one of a word only")
    }
}

impl core::error::Error for NoWideExchange {}

/// A queue of `N` slots of two words, whose counters have `BITS` bits.
///
/// # Examples
/// ```
/// use aqueduct::nblfq::wide::Queue;
///
/// static TIMES: Queue<f64, 16> = Queue::new();
///
/// match TIMES.open() {
///     Ok(times) => {
///         times.push(0.0)?;
///         times.push(-1.5)?;
///         assert_eq!(times.pop(), Ok(0.0));
///         assert_eq!(times.pop(), Ok(-1.5));
///     }
///     Err(error) => println!("{error}"),
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
/// An item that does not fit a word does not compile:
/// ```compile_fail
/// let queue = aqueduct::nblfq::wide::Queue::<[u64; 2], 16>::new();
/// ```
pub type Queue<T, const N: usize, const BITS: u32 = 63> = QueueOf<T, Fixed<N>, BITS>;

/// A queue whose number of slots, of two words each, is chosen when it is made.
///
/// # Examples
/// ```
/// use aqueduct::nblfq::wide::DynamicQueue;
///
/// let queue = DynamicQueue::<f64>::new(100)?;
/// if let Ok(handle) = queue.open() {
///     handle.push(-1.5)?;
///     assert_eq!(handle.pop()?, -1.5);
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub type DynamicQueue<T, const BITS: u32 = 63> = QueueOf<T, Dynamic, BITS>;

/// A queue with that capacity: a [`Queue`] or a [`DynamicQueue`].
pub struct QueueOf<T: Plain, C: Capacity, const BITS: u32 = 63> {
    ring: Ring<C::Slots<Pair<BITS>>>,
    _items: PhantomData<T>,
}

// SAFETY: items are plain values that may go from thread to thread (`Plain` is `Send`); they are
// copied in and out.
unsafe impl<T: Plain, C: Capacity, const BITS: u32> Send for QueueOf<T, C, BITS> {}
// SAFETY: the reason for `Send` holds.
unsafe impl<T: Plain, C: Capacity, const BITS: u32> Sync for QueueOf<T, C, BITS> {}

impl<T: Plain, C: Capacity, const BITS: u32> QueueOf<T, C, BITS> {
    /// Makes a queue of these slots.
    const fn of(slots: C::Slots<Pair<BITS>>) -> Self {
        const { assert!(size_of::<T>() <= size_of::<u64>(), "the type does not fit 8 bytes") };
        Self { ring: Ring::new(slots), _items: PhantomData }
    }

    /// Returns a handle that pushes and pops, if the machine can.
    ///
    /// Takes about a microsecond, so keep the handle.
    ///
    /// # Errors
    /// [`NoWideExchange`] if the machine cannot exchange two words as one.
    pub fn open(&self) -> Result<HandleOf<'_, T, C, BITS>, NoWideExchange> {
        if AtomicPair::is_available() { Ok(HandleOf(self)) } else { Err(NoWideExchange) }
    }
}

capacities! {
    Plain
    /// # Examples
    /// ```
    /// use aqueduct::nblfq::wide::Queue;
    ///
    /// let time = Queue::<u64, 2>::wraps_within(1_000_000_000);
    /// assert!(time.as_secs() > 500 * 365 * 24 * 3600);
    /// ```
}

/// A [`Queue`] on a machine that can use it. Any thread, or a signal handler, may have one.
///
/// # Examples
/// ```
/// use aqueduct::nblfq::wide::{Handle, Queue};
///
/// static READINGS: Queue<f64, 64> = Queue::new();
///
/// /// Opened once, and copied to each thread.
/// fn record(readings: Handle<'_, f64, 64>, value: f64) {
///     if readings.push(value).is_err() {
///         println!("{value} is lost");
///     }
/// }
///
/// if let Ok(readings) = READINGS.open() {
///     record(readings, 36.6);
///     assert_eq!(readings.pop(), Ok(36.6));
/// }
/// ```
pub type Handle<'a, T, const N: usize, const BITS: u32 = 63> = HandleOf<'a, T, Fixed<N>, BITS>;

/// A [`DynamicQueue`] on a machine that can use it.
pub type DynamicHandle<'a, T, const BITS: u32 = 63> = HandleOf<'a, T, Dynamic, BITS>;

/// A queue with that capacity, on a machine that can use it: a [`Handle`] or a [`DynamicHandle`].
#[derive(Debug)]
pub struct HandleOf<'a, T: Plain, C: Capacity, const BITS: u32 = 63>(&'a QueueOf<T, C, BITS>);

impl<T: Plain, C: Capacity, const BITS: u32> Clone for HandleOf<'_, T, C, BITS> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T: Plain, C: Capacity, const BITS: u32> Copy for HandleOf<'_, T, C, BITS> {}

impl<T: Plain, C: Capacity, const BITS: u32> HandleOf<'_, T, C, BITS> {
    /// Adds `item` at the end of the queue.
    ///
    /// # Errors
    /// [`PushError::Full`] gives the item back if there is no room.
    #[inline]
    pub fn push(self, item: T) -> Result<(), PushError<T>> {
        let mut word = MaybeUninit::new(0_u64);
        // SAFETY: the item fits, and has no uninitialised bytes (`Plain`).
        let word = unsafe {
            word.as_mut_ptr().cast::<T>().write_unaligned(item);
            word.assume_init()
        };
        if self.0.ring.push(|count| [word, count << 1 | 1]) { Ok(()) } else { Err(PushError::Full(item)) }
    }

    /// Takes the oldest item.
    ///
    /// # Errors
    /// [`PopError::Empty`] if there is none.
    #[inline]
    pub fn pop(self) -> Result<T, PopError> {
        let [word, _] = self.0.ring.pop().ok_or(PopError::Empty)?;
        // SAFETY: the first bytes are those of an item.
        Ok(unsafe { (&raw const word).cast::<T>().read_unaligned() })
    }

    /// Returns the number of items, exact while no operation is in progress.
    ///
    /// Takes time in proportion to the capacity.
    #[must_use]
    pub fn len(self) -> usize {
        self.0.ring.len()
    }

    /// Whether [`len`](Self::len) is 0.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.len() == 0
    }

    /// Whether [`len`](Self::len) is the capacity.
    #[must_use]
    pub fn is_full(self) -> bool {
        self.len() == self.0.ring.count()
    }

    /// Returns the number of items that fit.
    #[must_use]
    pub fn capacity(self) -> usize {
        self.0.ring.count()
    }
}

impl<T: Plain, C: Capacity, const BITS: u32> crate::queue::sealed::Push for HandleOf<'_, T, C, BITS> {}
impl<T: Plain, C: Capacity, const BITS: u32> crate::queue::sealed::Pop for HandleOf<'_, T, C, BITS> {}

impl<T: Plain, C: Capacity, const BITS: u32> crate::queue::Push for HandleOf<'_, T, C, BITS> {
    type Item = T;

    #[inline]
    fn push(&mut self, item: T) -> Result<(), PushError<T>> {
        Self::push(*self, item)
    }
}

impl<T: Plain, C: Capacity, const BITS: u32> crate::queue::Pop for HandleOf<'_, T, C, BITS> {
    type Item = T;

    #[inline]
    fn pop(&mut self) -> Result<T, PopError> {
        Self::pop(*self)
    }
}

impl<T: Plain, C: Capacity, const BITS: u32> crate::queue::sealed::Len for HandleOf<'_, T, C, BITS> {}

impl<T: Plain, C: Capacity, const BITS: u32> crate::queue::Len for HandleOf<'_, T, C, BITS> {
    fn len(&self) -> usize {
        Self::len(*self)
    }

    fn is_empty(&self) -> bool {
        Self::is_empty(*self)
    }

    fn capacity(&self) -> usize {
        Self::capacity(*self)
    }
}
