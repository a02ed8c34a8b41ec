//! The queues themselves, and the macros that run a scenario over them.

use aqueduct::error::CapacityError;
use aqueduct::queue::{PopSlice, PushSlice};
use aqueduct::spsc::{
    self, NonZeroWord, batched_improved_fast_forward, batched_lamport, duplex, fast_forward, improved_fast_forward,
    lamport, lazy_lamport, ring,
};

use super::ends::{Anything, PopEnd, PushEnd};
use super::lanes::{duplex_back, duplex_there};

/// The options of a queue.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Setup {
    pub(crate) capacity: usize,
    /// The first index, if the queue lets a test choose.
    pub(crate) index: usize,
    /// H of the improved FastForward queues.
    pub(crate) partition: usize,
    /// The number of lines between two reports of the stamped-line queue's consumer.
    pub(crate) report_every: usize,
}

impl Setup {
    /// Returns the options that users get.
    pub(crate) fn plain(capacity: usize) -> Self {
        Self { capacity, index: 0, partition: 32, report_every: 4 }
    }

    /// Returns options with short partitions, and a report for every line.
    pub(crate) fn tight(capacity: usize) -> Self {
        Self { capacity, index: usize::MAX - 5, partition: 2, report_every: 1 }
    }
}

/// A queue for items of type `T`.
pub(crate) trait Kind<T>: 'static {
    type Producer: PushEnd<T>;
    type Consumer: PopEnd<T>;
    /// Whether slots that the consumer has not given back count in the producer's `len`.
    const GIVES_BACK_LATE: bool = false;
    /// Whether the items of a batch appear only when it is published.
    const BATCH_AT_ONCE: bool = false;
    fn make(setup: Setup) -> Result<(Self::Producer, Self::Consumer), CapacityError>;
    /// Returns the documented number of items beyond `capacity` that may fit.
    fn surplus(_setup: Setup) -> usize {
        0
    }
    /// Returns the most items of a batch.
    fn longest_batch(_setup: Setup) -> usize {
        usize::MAX
    }
    fn with_capacity(capacity: usize) -> (Self::Producer, Self::Consumer) {
        Self::make(Setup::plain(capacity)).expect("a small queue can be made")
    }
}

/// A queue whose items can be copied, so that it moves slices.
pub(crate) trait SliceKind<T: Copy>:
    Kind<T, Producer: PushSlice<Item = T>, Consumer: PopSlice<Item = T>>
{
}

impl<T: Copy, K: Kind<T, Producer: PushSlice<Item = T>, Consumer: PopSlice<Item = T>>> SliceKind<T> for K {}

/// Returns the most items in a line of the stamped-line queue: four cache lines' worth, unless an
/// item is larger.
///
/// Items without a size come 64 to a line.
pub(crate) fn items_a_line<T>() -> usize {
    match size_of::<T>() {
        0 => 64,
        8 => 7,
        size => (256 / size).max(1),
    }
}

macro_rules! kind {
    ($name:ident, $queue:ident, $bound:path, |$setup:ident| $make:expr $(, $more:item)*) => {
        #[derive(Debug)]
        pub(crate) struct $name;

        impl<T: $bound + Send + 'static> Kind<T> for $name {
            type Producer = $queue::Producer<T>;
            type Consumer = $queue::Consumer<T>;
            fn make($setup: Setup) -> Result<(Self::Producer, Self::Consumer), CapacityError> {
                $make
            }
            $($more)*
        }
    };
}

kind!(Lamport, lamport, Anything, |s| spsc::lamport::starting_at(s.capacity, s.index));
kind!(LazyLamport, lazy_lamport, Anything, |s| spsc::lazy_lamport::starting_at(s.capacity, s.index));
kind!(
    BatchedLamport,
    batched_lamport,
    Anything,
    |s| spsc::batched_lamport::starting_at(s.capacity, s.index),
    const BATCH_AT_ONCE: bool = true;
);
#[cfg(all(feature = "mirrored", target_os = "linux"))]
kind!(
    MirroredBatchedLamport,
    batched_lamport,
    Anything,
    |s| spsc::batched_lamport::mirrored(s.capacity),
    const BATCH_AT_ONCE: bool = true;
);
kind!(
    StampedLine,
    ring,
    Anything,
    |s| spsc::ring::starting_at(s.capacity, s.report_every, s.index),
    const GIVES_BACK_LATE: bool = true;,
    fn surplus(s: Setup) -> usize {
        (s.report_every + 1) * items_a_line::<T>()
    }
);
kind!(
    DuplexThere,
    duplex_there,
    Anything,
    |s| duplex::starting_at::<T, u8>(s.capacity, s.report_every, s.index)
        .map(|(client, server)| (client.producer, server.consumer)),
    const GIVES_BACK_LATE: bool = true;,
    fn surplus(s: Setup) -> usize {
        (s.report_every + 1) * items_a_line::<T>()
    }
);
kind!(
    DuplexBack,
    duplex_back,
    Anything,
    |s| duplex::starting_at::<duplex_back::Other, T>(s.capacity, s.report_every, s.index)
        .map(|(client, server)| (server.producer, client.consumer)),
    const GIVES_BACK_LATE: bool = true;,
    fn surplus(s: Setup) -> usize {
        // A lane takes at least 128 bytes, because of the other direction's items.
        (s.report_every + 1) * items_a_line::<T>().max(128 / size_of::<T>().max(1))
    }
);
kind!(FastForward, fast_forward, NonZeroWord, |s| spsc::fast_forward::starting_at(s.capacity, s.index));
kind!(
    ImprovedFastForward,
    improved_fast_forward,
    NonZeroWord,
    |s| spsc::improved_fast_forward::starting_at(s.capacity, s.partition, s.index),
    fn surplus(s: Setup) -> usize {
        2 * s.partition
    }
);
kind!(
    BatchedImprovedFastForward,
    batched_improved_fast_forward,
    NonZeroWord,
    |s| spsc::batched_improved_fast_forward::starting_at(s.capacity, s.partition, s.index),
    fn surplus(s: Setup) -> usize {
        2 * s.partition
    },
    fn longest_batch(s: Setup) -> usize {
        s.partition
    }
);

/// Tests a scenario, `fn name<T, K: Kind<T>>()`, on each queue that carries anything.
macro_rules! every_queue_of_anything {
    ($module:ident: $scenario:ident $(::<$item:ty>)?) => {
        mod $module {
            use super::*;
            use crate::common;

            #[test]
            fn lamport() {
                $scenario::<$($item,)? common::Lamport>();
            }

            #[test]
            fn lazy_lamport() {
                $scenario::<$($item,)? common::LazyLamport>();
            }

            #[test]
            fn batched_lamport() {
                $scenario::<$($item,)? common::BatchedLamport>();
            }

            #[cfg(all(feature = "mirrored", target_os = "linux"))]
            #[test]
            fn mirrored_batched_lamport() {
                $scenario::<$($item,)? common::MirroredBatchedLamport>();
            }

            #[test]
            fn stamped_line() {
                $scenario::<$($item,)? common::StampedLine>();
            }

            #[test]
            fn duplex_there() {
                $scenario::<$($item,)? common::DuplexThere>();
            }

            #[test]
            fn duplex_back() {
                $scenario::<$($item,)? common::DuplexBack>();
            }
        }
    };
}

/// Tests a scenario, `fn name<T, K: Kind<T>>()`, on each queue of FastForward's family.
macro_rules! every_queue_of_words {
    ($module:ident: $scenario:ident $(::<$item:ty>)?) => {
        mod $module {
            use super::*;
            use crate::common;

            #[test]
            fn fast_forward() {
                $scenario::<$($item,)? common::FastForward>();
            }

            #[test]
            fn improved_fast_forward() {
                $scenario::<$($item,)? common::ImprovedFastForward>();
            }

            #[test]
            fn batched_improved_fast_forward() {
                $scenario::<$($item,)? common::BatchedImprovedFastForward>();
            }
        }
    };
}

/// Tests a scenario, `fn name<T, K: Kind<T>>()`, on all queues.
macro_rules! every_queue {
    ($module:ident: $scenario:ident $(::<$item:ty>)?) => {
        mod $module {
            use super::*;
            use crate::common::{every_queue_of_anything, every_queue_of_words};

            every_queue_of_anything!(of_anything: $scenario $(::<$item>)?);
            every_queue_of_words!(of_words: $scenario $(::<$item>)?);
        }
    };
}

pub(crate) use {every_queue, every_queue_of_anything, every_queue_of_words};
