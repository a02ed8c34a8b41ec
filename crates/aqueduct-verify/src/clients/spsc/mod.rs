//! The seven queues of one producer and one consumer, in the form that the clients use.

pub mod duplex;
mod history;
mod list;
pub mod queue;
pub mod script;

use std::marker::PhantomData;

use aqueduct_under_model::error::PushError;
use aqueduct_under_model::spsc::{
    NonZeroWord, batched_improved_fast_forward, batched_lamport, fast_forward, improved_fast_forward, lamport,
    lazy_lamport, ring,
};

use crate::clients::item::Item;
use crate::clients::spsc::queue::{
    BatchConsumer, BatchProducer, Close, Consumer, Producer, Queue, RunConsumer, SliceConsumer, SliceProducer,
};

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
    /// Makes a setup for `capacity` items whose indices wrap with the second item after the first `before`.
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

macro_rules! producer {
    ($($module:ident: $($bound:ident)?;)*) => { $(
        impl<T: Item $(+ $bound)?> Producer for $module::Producer<T> {
            type Item = T;

            fn push(&mut self, item: T) -> Result<(), T> {
                self.push(item).map_err(PushError::into_inner)
            }

            fn len(&self) -> usize {
                self.len()
            }

            fn is_empty(&self) -> bool {
                self.is_empty()
            }

            fn is_full(&self) -> bool {
                self.is_full()
            }

            fn is_closed(&self) -> bool {
                self.is_closed()
            }

            fn capacity(&self) -> usize {
                self.capacity()
            }
        }

        impl<T: Item + Copy $(+ $bound)?> SliceProducer for $module::Producer<T> {
            fn push_slice(&mut self, items: &[T]) -> usize {
                self.push_slice(items)
            }
        }
    )* };
}

macro_rules! consumer {
    ($($module:ident: $($bound:ident)?;)*) => { $(
        impl<T: Item $(+ $bound)?> Consumer for $module::Consumer<T> {
            type Item = T;

            fn pop(&mut self) -> Option<T> {
                self.pop().ok()
            }

            fn len(&self) -> usize {
                self.len()
            }

            fn is_empty(&self) -> bool {
                self.is_empty()
            }

            fn is_closed(&self) -> bool {
                self.is_closed()
            }
        }

        impl<T: Item + Copy $(+ $bound)?> SliceConsumer for $module::Consumer<T> {
            fn pop_slice(&mut self, items: &mut [T]) -> usize {
                self.pop_slice(items)
            }
        }
    )* };
}

macro_rules! batch_producer {
    ($($module:ident: $($bound:ident)?;)*) => { $(
        impl<T: Item $(+ $bound)?> BatchProducer for $module::Producer<T> {
            fn batch(&mut self, wanted: usize, items: &mut dyn Iterator<Item = T>, close: Close) -> usize {
                let mut batch = self.batch(wanted);
                let count = batch.fill(items);
                match close {
                    Close::Properly => batch.publish(),
                    Close::Forgotten => std::mem::forget(batch),
                }
                count
            }

            fn runs(&mut self, wanted: usize, items: &mut dyn Iterator<Item = T>) -> usize {
                let mut batch = self.batch(wanted);
                let before = batch.space();
                loop {
                    let mut count = 0;
                    for (slot, item) in batch.run().iter_mut().zip(&mut *items) {
                        slot.write(item);
                        count += 1;
                    }
                    if count == 0 {
                        return before - batch.space();
                    }
                    // SAFETY: so many of the run's slots have just been written.
                    unsafe { batch.written(count) };
                }
            }
        }
    )* };
}

macro_rules! batch_consumer {
    ($($module:ident: $($bound:ident)?;)*) => { $(
        impl<T: Item $(+ $bound)?> BatchConsumer for $module::Consumer<T> {
            fn batch(&mut self, most: usize, take: usize, got: &mut dyn FnMut(T), close: Close) {
                let mut batch = self.batch(most);
                batch.by_ref().take(take).for_each(got);
                match close {
                    Close::Properly => batch.release(),
                    Close::Forgotten => std::mem::forget(batch),
                }
            }

            fn available(&mut self, wanted: usize) -> usize {
                self.available(wanted)
            }
        }
    )* };
}

macro_rules! run_consumer {
    ($($module:ident)*) => { $(
        impl<T: Item> RunConsumer for $module::Consumer<T> {
            fn runs(&mut self, most: usize, see: &mut dyn FnMut(&T)) {
                let mut batch = self.batch(most);
                loop {
                    let run = batch.run();
                    if run.is_empty() {
                        break;
                    }
                    run.iter().for_each(&mut *see);
                    let count = run.len();
                    assert_eq!(batch.skip_run(count), count);
                }
            }

            fn peek(&mut self) -> Option<&T> {
                self.peek()
            }
        }
    )* };
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

producer! {
    lamport:; lazy_lamport:; batched_lamport:; fast_forward: NonZeroWord; improved_fast_forward: NonZeroWord;
    batched_improved_fast_forward: NonZeroWord; ring:;
}
// The two improved FastForward queues have one consumer type.
consumer! {
    lamport:; lazy_lamport:; batched_lamport:; fast_forward: NonZeroWord; improved_fast_forward: NonZeroWord;
    ring:;
}
batch_producer! { batched_lamport:; batched_improved_fast_forward: NonZeroWord; ring:; }
batch_consumer! { batched_lamport:; improved_fast_forward: NonZeroWord; ring:; }
run_consumer! { batched_lamport ring }
