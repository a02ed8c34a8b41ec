//! The queues of `aqueduct::spsc` as kinds under test.

use aqueduct::bbq::{self, Geometry, Single};
use aqueduct::spsc;

use super::kind::{Ends, Kind, Receiver, Sender, Thing, Word};
use super::subject::{Subject, subject_of};

/// Returns all our queues, the recommended one first.
pub(super) fn all() -> Vec<Box<dyn Subject>> {
    vec![
        subject_of::<Ring>(),
        subject_of::<Duplex>(),
        subject_of::<Lamport>(),
        subject_of::<LazyLamport>(),
        subject_of::<BatchedLamport>(),
        subject_of::<FastForward>(),
        subject_of::<ImprovedFastForward>(),
        subject_of::<BatchedImprovedFastForward>(),
        subject_of::<BlockBased>(),
    ]
}

/// A kind for one module of `aqueduct::spsc`.
macro_rules! kind {
    ($kind:ident = $name:literal, $module:ident, batches: $batches:literal) => {
        struct $kind;

        impl Kind for $kind {
            const NAME: &'static str = $name;
            const PEER: bool = false;
            const BATCHES: bool = $batches;
            type Sender<T: Word> = spsc::$module::Producer<T>;
            type Receiver<T: Word> = spsc::$module::Consumer<T>;

            fn open<T: Word>(capacity: usize) -> Result<Ends<Self, T>, String> {
                spsc::$module::new(capacity).map_err(|error| error.to_string())
            }
        }
    };
}

/// A module's producer as a sender, for the items that it carries.
macro_rules! sender {
    ($item:ident: $producer:ty $(, $batches:ident)?) => {
        impl<T: $item> Sender<T> for $producer {
            #[inline(always)]
            fn push(&mut self, item: T) -> bool {
                <$producer>::push(self, item).is_ok()
            }

            $(sender!(@$batches);)?
        }
    };
    (@batches) => {
        #[inline(always)]
        fn push_batch(&mut self, wanted: usize, make: &mut impl FnMut() -> T) -> usize {
            let mut batch = self.batch(wanted);
            let count = batch.space().min(wanted);
            for _ in 0..count {
                // Cannot fail: the batch has that much space.
                let _ = batch.push(make());
            }
            batch.publish();
            count
        }
    };
}

/// A module's consumer as a receiver, for the items that it carries.
macro_rules! receiver {
    ($item:ident: $consumer:ty $(, $batches:ident)?) => {
        impl<T: $item> Receiver<T> for $consumer {
            #[inline(always)]
            fn pop(&mut self, take: &mut impl FnMut(T)) -> usize {
                match <$consumer>::pop(self) {
                    Ok(item) => {
                        take(item);
                        1
                    }
                    Err(_) => 0,
                }
            }

            $(receiver!(@$batches);)?
        }
    };
    (@batches) => {
        #[inline(always)]
        fn pop_batch(&mut self, wanted: usize, take: &mut impl FnMut(T)) -> usize {
            self.batch(wanted).fold(0, |count, item| {
                take(item);
                count + 1
            })
        }
    };
}

/// Both directions of a duplex; a stream uses one of them.
struct Duplex;

impl Kind for Duplex {
    const NAME: &'static str = "aqueduct/duplex";
    const PEER: bool = false;
    const BATCHES: bool = true;
    type Sender<T: Word> = spsc::duplex::Producer<T, T>;
    type Receiver<T: Word> = spsc::duplex::Consumer<T, T>;

    fn open<T: Word>(capacity: usize) -> Result<Ends<Self, T>, String> {
        let [there, _] = Self::open_both_ways(capacity)?;
        Ok(there)
    }

    fn open_both_ways<T: Word>(capacity: usize) -> Result<[Ends<Self, T>; 2], String> {
        let (client, server) = spsc::duplex::new(capacity).map_err(|error| error.to_string())?;
        Ok([(client.producer, server.consumer), (server.producer, client.consumer)])
    }
}

sender!(Thing: spsc::duplex::Producer<T, T>, batches);
receiver!(Thing: spsc::duplex::Consumer<T, T>, batches);

kind!(Ring = "aqueduct/ring", ring, batches: true);
sender!(Thing: spsc::ring::Producer<T>, batches);
receiver!(Thing: spsc::ring::Consumer<T>, batches);

kind!(Lamport = "aqueduct/lamport", lamport, batches: false);
sender!(Thing: spsc::lamport::Producer<T>);
receiver!(Thing: spsc::lamport::Consumer<T>);

kind!(LazyLamport = "aqueduct/lazy_lamport", lazy_lamport, batches: false);
sender!(Thing: spsc::lazy_lamport::Producer<T>);
receiver!(Thing: spsc::lazy_lamport::Consumer<T>);

kind!(BatchedLamport = "aqueduct/batched_lamport", batched_lamport, batches: true);
sender!(Thing: spsc::batched_lamport::Producer<T>, batches);
receiver!(Thing: spsc::batched_lamport::Consumer<T>, batches);

kind!(FastForward = "aqueduct/fast_forward", fast_forward, batches: false);
sender!(Word: spsc::fast_forward::Producer<T>);
receiver!(Word: spsc::fast_forward::Consumer<T>);

kind!(ImprovedFastForward = "aqueduct/improved_fast_forward", improved_fast_forward, batches: false);
sender!(Word: spsc::improved_fast_forward::Producer<T>);

// The improved queue and its batched form differ in their producers only; they share the consumer.
kind!(BatchedImprovedFastForward = "aqueduct/batched_improved_fast_forward", batched_improved_fast_forward, batches: true);
sender!(Word: spsc::batched_improved_fast_forward::Producer<T>, batches);
receiver!(Word: spsc::batched_improved_fast_forward::Consumer<T>, batches);

/// `aqueduct::bbq`'s queue for one producer and one consumer.
struct BlockBased;

impl Kind for BlockBased {
    const NAME: &'static str = "aqueduct/bbq_spsc";
    const PEER: bool = false;
    const BATCHES: bool = true;
    type Sender<T: Word> = bbq::Producer<T, Single, Single>;
    type Receiver<T: Word> = bbq::Consumer<T, Single, Single>;

    /// Returns one block more than what always fits, which is as much again in a queue of two.
    fn most(capacity: usize) -> usize {
        Geometry::for_capacity(capacity).map_or(0, |geometry| geometry.blocks() * geometry.block_size())
    }

    fn open<T: Word>(capacity: usize) -> Result<Ends<Self, T>, String> {
        bbq::spsc::new(capacity).map_err(|error| error.to_string())
    }
}

impl<T: Thing> Sender<T> for bbq::Producer<T, Single, Single> {
    #[inline(always)]
    fn push(&mut self, item: T) -> bool {
        self.push(item).is_ok()
    }

    #[inline(always)]
    fn push_batch(&mut self, wanted: usize, make: &mut impl FnMut() -> T) -> usize {
        self.push_iter((0..wanted).map(|_| make()))
    }
}

impl<T: Thing> Receiver<T> for bbq::Consumer<T, Single, Single> {
    #[inline(always)]
    fn pop(&mut self, take: &mut impl FnMut(T)) -> usize {
        self.pop().map(take).is_ok().into()
    }

    #[inline(always)]
    fn pop_batch(&mut self, wanted: usize, take: &mut impl FnMut(T)) -> usize {
        self.pop_each(wanted, take)
    }
}
