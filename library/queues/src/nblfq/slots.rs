//! The memory of a ring's slots: in the queue itself, if their number is in its type, or allocated.

use core::time::Duration;

use super::slot::Slot;
use crate::array::Array;
use crate::error::CapacityError;
use crate::isolated::Isolated;

/// The slots of a ring, at least two.
pub trait Slots {
    /// A slot.
    type Slot: Slot;

    /// Returns all of them.
    fn all(&self) -> &[Self::Slot];
}

/// Slots in the queue itself.
#[derive(Debug)]
pub struct Inline<S, const N: usize>(Isolated<[S; N]>);

impl<S: Slot, const N: usize> Inline<S, N> {
    pub(super) const fn new() -> Self {
        const { assert!(N >= 2, "a queue needs two slots at least") };
        Self(Isolated([const { S::EMPTY }; N]))
    }
}

impl<S: Slot, const N: usize> Slots for Inline<S, N> {
    type Slot = S;

    #[inline(always)]
    fn all(&self) -> &[S] {
        &self.0.0
    }
}

/// Slots in memory of their own.
#[derive(Debug)]
pub struct Allocated<S>(Array<S>);

impl<S: Slot> Allocated<S> {
    /// Makes `capacity` slots, or two if `capacity` is 1.
    pub(super) fn new(capacity: usize) -> Result<Self, CapacityError> {
        if capacity == 0 {
            return Err(CapacityError::Zero);
        }
        Ok(Self(Array::new(capacity.max(2), |_| S::EMPTY)?))
    }
}

impl<S: Slot> Slots for Allocated<S> {
    type Slot = S;

    #[inline(always)]
    fn all(&self) -> &[S] {
        &self.0
    }
}

/// The source of a queue's capacity: [`Fixed`] or [`Dynamic`].
///
/// Sealed: there are no others.
pub trait Capacity: sealed::Capacity + Copy + 'static {}

pub(super) mod sealed {
    use super::{Slot, Slots};

    pub trait Capacity {
        /// The slots of a queue with that capacity.
        type Slots<S: Slot>: Slots<Slot = S>;
    }
}

/// A capacity of `N`, in the type. The slots are in the queue, which can be a `static`.
#[derive(Clone, Copy, Debug)]
pub struct Fixed<const N: usize>;

impl<const N: usize> Capacity for Fixed<N> {}
impl<const N: usize> sealed::Capacity for Fixed<N> {
    type Slots<S: Slot> = Inline<S, N>;
}

/// A capacity that is chosen when the queue is made. The slots are allocated then.
#[derive(Clone, Copy, Debug)]
pub struct Dynamic;

impl Capacity for Dynamic {}
impl sealed::Capacity for Dynamic {
    type Slots<S: Slot> = Allocated<S>;
}

/// Returns how many pushes or pops make a counter of `bits` bits wrap.
///
/// A slot's word shows correctly that it is the next slot's turn until the slot is filled, or
/// emptied, the next time. The next slot has its old counter again after as many laps as the
/// counter has values. Of the operations between, the first is at one of the two slots, the last at
/// the other.
pub(super) const fn pushes_until_wrap(slots: usize, bits: u32) -> u128 {
    ((1_u128 << bits) - 2) * slots as u128 + 2
}

/// Returns how long `pushes` pushes take, or the longest possible duration.
pub(super) const fn wraps_within(pushes: u128, pushes_per_second: u64) -> Duration {
    const NANOS: u128 = 1_000_000_000;
    let rate = pushes_per_second as u128;
    let seconds = pushes / rate;
    if seconds > u64::MAX as u128 {
        return Duration::MAX;
    }
    Duration::new(seconds as u64, (pushes % rate * NANOS / rate) as u32)
}

/// Adds what queues of a fixed and of a chosen capacity have in common, over any slot, to
/// `QueueOf<T: $item, C, BITS>`.
///
/// The type has a function `of` and a field `ring`, and the aliases `Queue` and `DynamicQueue`.
macro_rules! capacities {
    ($item:ident $(#[$example:meta])*) => {
        impl<T: $item, const N: usize, const BITS: u32> Queue<T, N, BITS> {
            /// Makes an empty queue.
            #[must_use]
            pub const fn new() -> Self {
                Self::of($crate::nblfq::slots::Inline::new())
            }

            /// Returns the number of items that fit: `N`.
            #[must_use]
            pub const fn capacity(&self) -> usize {
                N
            }

            /// Returns how many operations of others within one suspended operation make the
            /// counter wrap.
            ///
            /// Counts pushes, or pops. With fewer of either, nothing can go wrong.
            #[must_use]
            pub const fn pushes_until_wrap() -> u128 {
                $crate::nblfq::slots::pushes_until_wrap(N, BITS)
            }

            /// Returns how long a thread must be suspended for the counter to wrap.
            ///
            /// Assumes that the others push `pushes_per_second` items a second. Rounded down.
            ///
            /// # Panics
            /// If `pushes_per_second` is 0.
            ///
            $(#[$example])*
            #[must_use]
            pub const fn wraps_within(pushes_per_second: u64) -> core::time::Duration {
                $crate::nblfq::slots::wraps_within(Self::pushes_until_wrap(), pushes_per_second)
            }
        }

        impl<T: $item, const BITS: u32> DynamicQueue<T, BITS> {
            /// Makes an empty queue for `capacity` items, or for 2 if 1 is asked for.
            ///
            /// A ring has two slots at least. No other capacity is rounded.
            ///
            /// # Errors
            /// [`CapacityError`](crate::error::CapacityError) if `capacity` is 0 or too large, or there is no memory.
            pub fn new(capacity: usize) -> Result<Self, $crate::error::CapacityError> {
                Ok(Self::of($crate::nblfq::slots::Allocated::new(capacity)?))
            }

            /// Returns the number of items that fit.
            #[must_use]
            pub fn capacity(&self) -> usize {
                self.ring.count()
            }

            /// Returns how many operations of others within one suspended operation make the
            /// counter wrap.
            ///
            /// Counts pushes, or pops. With fewer of either, nothing can go wrong.
            #[must_use]
            pub fn pushes_until_wrap(&self) -> u128 {
                $crate::nblfq::slots::pushes_until_wrap(self.capacity(), BITS)
            }

            /// Returns how long a thread must be suspended for the counter to wrap.
            ///
            /// Assumes that the others push `pushes_per_second` items a second. Rounded down.
            ///
            /// # Panics
            /// If `pushes_per_second` is 0.
            #[must_use]
            pub fn wraps_within(&self, pushes_per_second: u64) -> core::time::Duration {
                $crate::nblfq::slots::wraps_within(self.pushes_until_wrap(), pushes_per_second)
            }
        }

        impl<T: $item, const N: usize, const BITS: u32> Default for Queue<T, N, BITS> {
            fn default() -> Self {
                Self::new()
            }
        }

        impl<T: $item, C: Capacity, const BITS: u32> fmt::Debug for QueueOf<T, C, BITS> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.debug_struct("Queue").field("capacity", &self.ring.count()).finish_non_exhaustive()
            }
        }
    };
}
pub(super) use capacities;
