//! Where a ring's slots are: in the queue itself, as many as its type says, or in memory of their own.

use super::slot::Slot;
use crate::array::Array;
use crate::error::CapacityError;
use crate::isolated::Isolated;

/// The slots of a ring, two at least.
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
    /// Makes `capacity` slots, but two for one.
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

/// How a queue gets its capacity: [`Fixed`] or [`Dynamic`].
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
