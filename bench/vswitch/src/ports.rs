//! The queues of the switch's ports: every kind of `aqueduct::spsc`, and some others, behind one
//! trait.
//!
//! All code above is generic over [`QueueKind`] and compiled once for each kind, so the trait costs
//! nothing. A kind with batches uses them in [`FrameProducer::put_list`] and
//! [`FrameConsumer::take_batch`]; the other kinds move frame after frame.

use std::fmt;

use aqueduct::error::{CapacityError, PushError};
use aqueduct::queue::{Pop, Push};
use aqueduct::spsc::{self, PopBatch, PushBatch};
use clap::ValueEnum;

use crate::frame::{Frame, FrameList};

/// The producing end of a queue of frames. The ownership goes with the pointer.
pub trait FrameProducer: Send {
    /// Enqueues a frame.
    ///
    /// # Errors
    /// Gives the frame back if the queue is full.
    fn put(&mut self, frame: Box<Frame>) -> Result<(), Box<Frame>>;

    /// Enqueues frames from the front of `list` until it is empty or the queue is full. Returns
    /// their number.
    ///
    /// Kinds that batch publish the frames together.
    fn put_list(&mut self, list: &mut FrameList) -> usize {
        let before = list.len();
        while let Some(frame) = list.pop_front() {
            if let Err(frame) = self.put(frame) {
                list.push_front(frame);
                break;
            }
        }
        before - list.len()
    }
}

/// The consuming end of a queue of frames.
pub trait FrameConsumer: Send {
    /// Dequeues a frame, if there is one.
    fn take(&mut self) -> Option<Box<Frame>>;

    /// Dequeues up to `most` frames and passes each to `each`. Returns their number.
    ///
    /// Kinds that batch give their slots back together.
    fn take_batch(&mut self, most: usize, mut each: impl FnMut(Box<Frame>)) -> usize {
        let mut taken = 0;
        while taken < most
            && let Some(frame) = self.take()
        {
            each(frame);
            taken += 1;
        }
        taken
    }
}

/// A kind of single-producer, single-consumer queue of frames.
pub trait QueueKind: 'static {
    /// The end that adds frames.
    type Producer: FrameProducer + fmt::Debug + 'static;
    /// The end that takes frames out.
    type Consumer: FrameConsumer + fmt::Debug + 'static;

    /// Makes a queue for `capacity` frames.
    ///
    /// # Errors
    /// The queue's error for a capacity that it cannot have.
    fn queue(capacity: usize) -> Result<(Self::Producer, Self::Consumer), CapacityError>;
}

/// An action on a kind that is known only at run time; see [`Kind::visit`].
pub trait KindVisitor {
    /// The result.
    type Output;

    /// Acts on the kind `Q`.
    fn visit<Q: QueueKind>(self) -> Self::Output;
}

/// A handle of a kind that moves frame after frame.
#[derive(Debug)]
pub struct Single<H>(H);

impl<P: Push<Item = Box<Frame>> + Send> FrameProducer for Single<P> {
    #[inline]
    fn put(&mut self, frame: Box<Frame>) -> Result<(), Box<Frame>> {
        self.0.push(frame).map_err(PushError::into_inner)
    }
}

impl<C: Pop<Item = Box<Frame>> + Send> FrameConsumer for Single<C> {
    #[inline]
    fn take(&mut self) -> Option<Box<Frame>> {
        self.0.pop().ok()
    }
}

/// A handle of a kind with batches.
#[derive(Debug)]
pub struct Batched<H>(H);

impl<P: PushBatch<Item = Box<Frame>> + Send> FrameProducer for Batched<P> {
    #[inline]
    fn put(&mut self, frame: Box<Frame>) -> Result<(), Box<Frame>> {
        self.0.push(frame).map_err(PushError::into_inner)
    }

    fn put_list(&mut self, list: &mut FrameList) -> usize {
        let before = list.len();
        while !list.is_empty() {
            // A batch may be shorter than wanted although there is room for more.
            let mut batch = self.0.batch(list.len());
            let moved = batch.fill(std::iter::from_fn(|| list.pop_front()));
            batch.publish();
            if moved == 0 {
                break;
            }
        }
        before - list.len()
    }
}

impl<C: PopBatch<Item = Box<Frame>> + Send> FrameConsumer for Batched<C> {
    #[inline]
    fn take(&mut self) -> Option<Box<Frame>> {
        self.0.pop().ok()
    }

    fn take_batch(&mut self, most: usize, mut each: impl FnMut(Box<Frame>)) -> usize {
        let mut batch = self.0.batch(most);
        let mut taken = 0;
        while let Some(frame) = batch.pop() {
            each(frame);
            taken += 1;
        }
        batch.release();
        taken
    }
}

/// Whether this build has a switch for each kind.
const ALL_ARE_BUILT: bool = cfg!(feature = "workloads");

/// Declares the kinds: the enumeration of their names, and for each a type that implements
/// [`QueueKind`].
macro_rules! kinds {
    (
        spsc { $($(#[$doc:meta])* $kind:ident = $name:literal: $module:ident, $producer:ident, $consumer:ident;)* }
        others { $($(#[$of_other:meta])* $other:ident = $called:literal;)* }
    ) => {
        /// A kind of queue, by name.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, ValueEnum)]
        pub enum Kind {
            $($(#[$doc])* #[value(name = $name)] $kind,)*
            $($(#[$of_other])* #[value(name = $called)] $other,)*
        }

        impl Kind {
            /// All kinds: the recommended one, then those of the SPSC paper, in its order, then
            /// others.
            pub const ALL: &[Self] = &[$(Self::$kind,)* $(Self::$other),*];

            /// Returns the kind's name: in `aqueduct::spsc`, or for another crate's queue
            /// `CRATE/QUEUE`.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self { $(Self::$kind => $name,)* $(Self::$other => $called),* }
            }

            /// Whether it is another crate's queue.
            #[must_use]
            pub fn is_peer(self) -> bool {
                self.name().contains('/')
            }

            /// Whether this build has a switch for it: all but [`Ring`](Self::Ring) need the
            /// feature `workloads`.
            #[must_use]
            pub const fn is_built(self) -> bool {
                ALL_ARE_BUILT || matches!(self, Self::Ring)
            }

            /// Calls the visitor with the type of this kind.
            ///
            /// # Panics
            /// If this build does not [have it](Self::is_built).
            pub fn visit<V: KindVisitor>(self, visitor: V) -> V::Output {
                match self {
                    $(Self::$kind if ALL_ARE_BUILT => visitor.visit::<$kind>(),)*
                    $(Self::$other if ALL_ARE_BUILT => visitor.visit::<$other>(),)*
                    Self::Ring => visitor.visit::<Ring>(),
                    _ => panic!("this build has no switch of {} queues: it has not the feature `workloads`", self.name()),
                }
            }
        }

        $(
            $(#[$of_other])*
            #[derive(Clone, Copy, Debug)]
            pub struct $other;
        )*

        $(
            $(#[$doc])*
            #[derive(Clone, Copy, Debug)]
            pub struct $kind;

            impl QueueKind for $kind {
                type Producer = $producer<spsc::$module::Producer<Box<Frame>>>;
                type Consumer = $consumer<spsc::$module::Consumer<Box<Frame>>>;

                fn queue(capacity: usize) -> Result<(Self::Producer, Self::Consumer), CapacityError> {
                    let (producer, consumer) = spsc::$module::new(capacity)?;
                    Ok(($producer(producer), $consumer(consumer)))
                }
            }
        )*
    };
}

kinds! {
    spsc {
        /// The queue that aqueduct recommends.
        Ring = "ring": ring, Batched, Batched;
        /// LQ: the baseline.
        Lamport = "lamport": lamport, Single, Single;
        /// LLQ: reads the other side's index only if necessary.
        LazyLamport = "lazy_lamport": lazy_lamport, Single, Single;
        /// BLQ: publishes and releases in batches.
        BatchedLamport = "batched_lamport": batched_lamport, Batched, Batched;
        /// FFQ: each slot holds its own state, filled or empty.
        FastForward = "fast_forward": fast_forward, Single, Single;
        /// IFFQ: slots are given back in partitions.
        ImprovedFastForward = "improved_fast_forward": improved_fast_forward, Single, Batched;
        /// BIFFQ: the producer also writes its slots in batches.
        BatchedImprovedFastForward = "batched_improved_fast_forward": batched_improved_fast_forward, Batched, Batched;
    }
    others {
        /// BBQ with one producer and one consumer.
        BbqSpsc = "bbq_spsc";
        /// The ring buffer of `rtrb`, in chunks.
        RtrbRingBuffer = "rtrb/ring_buffer";
        /// The queue of `crossbeam-queue`, which could have many on either side.
        CrossbeamArrayQueue = "crossbeam-queue/array_queue";
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}
