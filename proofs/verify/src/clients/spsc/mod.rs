//! The seven queues of one producer and one consumer, in the form that the clients use.

pub mod duplex;
mod handles;
mod history;
mod list;
pub mod queue;
pub mod script;

use std::marker::PhantomData;

use aqueduct_under_model::spsc::{
    NonZeroWord, batched_improved_fast_forward, batched_lamport, fast_forward, improved_fast_forward, lamport,
    lazy_lamport, ring,
};

use crate::clients::item::Item;
use crate::clients::spsc::queue::Queue;

pub(crate) use list::clients;
pub use list::of_any;

/// The parameters of a queue.
#[derive(Clone, Copy, Debug)]
pub struct Setup {
    /// The number of items that must fit.
    pub capacity: usize,
    /// The first index.
    pub index: usize,
    /// The partition length of an improved FastForward queue, or the number of lines after which a
    /// stamped-line queue's consumer reports. Other queues ignore it.
    pub stretch: usize,
}

impl Setup {
    /// Makes a setup for `capacity` items whose indices wrap with the second item after the first
    /// `before`.
    pub const fn wrapping(capacity: usize, before: usize) -> Self {
        Self { capacity, index: usize::MAX - before, stretch: 1 }
    }

    /// Returns this setup with another stretch.
    pub const fn stretch(self, stretch: usize) -> Self {
        Self { stretch, ..self }
    }
}

macro_rules! queue {
    ($(#[$docs:meta])* $name:ident: $module:ident, exact: $exact:expr, counts_seen: $counts_seen:expr, items: $($bound:ident)?, make: |$setup:ident| $make:expr) => {
        $(#[$docs])*
        #[derive(Debug)]
        pub struct $name<T>(pub Setup, PhantomData<fn() -> T>);

        impl<T> $name<T> {
            /// Makes queues with these parameters.
            pub const fn new(setup: Setup) -> Self {
                Self(setup, PhantomData)
            }
        }

        impl<T> Clone for $name<T> {
            fn clone(&self) -> Self {
                *self
            }
        }

        impl<T> Copy for $name<T> {}

        impl<T: Item $(+ $bound)?> Queue for $name<T> {
            type Item = T;
            type Producer = $module::Producer<T>;
            type Consumer = $module::Consumer<T>;
            const EXACT: bool = $exact;
            const COUNTS_SEEN: bool = $counts_seen;

            fn ends(self) -> (Self::Producer, Self::Consumer) {
                let $setup = self.0;
                $make.expect("the parameters are possible ones")
            }

            fn capacity(self) -> usize {
                self.0.capacity
            }
        }
    };
}

queue!(
    /// Lamport's queue.
    Lamport: lamport, exact: true, counts_seen: true, items:, make: |s| lamport::starting_at(s.capacity, s.index)
);
queue!(
    /// The lazy Lamport queue.
    LazyLamport: lazy_lamport, exact: true, counts_seen: true, items:, make: |s| lazy_lamport::starting_at(s.capacity, s.index)
);
queue!(
    /// The batched Lamport queue.
    BatchedLamport: batched_lamport, exact: true, counts_seen: true, items:,
    make: |s| batched_lamport::starting_at(s.capacity, s.index)
);
queue!(
    /// The FastForward queue.
    FastForward: fast_forward, exact: true, counts_seen: false, items: NonZeroWord,
    make: |s| fast_forward::starting_at(s.capacity, s.index)
);
queue!(
    /// The improved FastForward queue.
    ImprovedFastForward: improved_fast_forward, exact: false, counts_seen: false, items: NonZeroWord,
    make: |s| improved_fast_forward::starting_at(s.capacity, s.stretch, s.index)
);
queue!(
    /// The batched improved FastForward queue.
    BatchedImprovedFastForward: batched_improved_fast_forward, exact: false, counts_seen: false, items: NonZeroWord,
    make: |s| batched_improved_fast_forward::starting_at(s.capacity, s.stretch, s.index)
);
queue!(
    /// The stamped-line queue.
    StampedLine: ring, exact: false, counts_seen: true, items:,
    make: |s| ring::starting_at(s.capacity, s.stretch, s.index)
);
