//! The queues of `aqueduct::spsc` as kinds under test.

use aqueduct::bbq::{self, Geometry};
use aqueduct::queue::{Pop, Push};
use aqueduct::spsc::{self, PopBatch, PushBatch};

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

/// A handle that moves item after item.
pub(super) struct Single<H>(pub(super) H);

impl<T: Thing, P: Push<Item = T> + Send> Sender<T> for Single<P> {
    #[inline(always)]
    fn push(&mut self, item: T) -> bool {
        self.0.push(item).is_ok()
    }
}

impl<T: Thing, C: Pop<Item = T> + Send> Receiver<T> for Single<C> {
    #[inline(always)]
    fn pop(&mut self, take: &mut impl FnMut(T)) -> usize {
        match self.0.pop() {
            Ok(item) => {
                take(item);
                1
            }
            Err(_) => 0,
        }
    }
}

/// A handle with batches.
pub(super) struct Batched<H>(pub(super) H);

impl<T: Thing, P: PushBatch<Item = T> + Send> Sender<T> for Batched<P> {
    #[inline(always)]
    fn push(&mut self, item: T) -> bool {
        self.0.push(item).is_ok()
    }

    #[inline(always)]
    fn push_batch(&mut self, wanted: usize, make: &mut impl FnMut() -> T) -> usize {
        let mut batch = self.0.batch(wanted);
        let count = batch.space().min(wanted);
        for _ in 0..count {
            // The push cannot fail, because the batch has the space.
            let _ = batch.push(make());
        }
        batch.publish();
        count
    }
}

impl<T: Thing, C: PopBatch<Item = T> + Send> Receiver<T> for Batched<C> {
    #[inline(always)]
    fn pop(&mut self, take: &mut impl FnMut(T)) -> usize {
        match self.0.pop() {
            Ok(item) => {
                take(item);
                1
            }
            Err(_) => 0,
        }
    }

    #[inline(always)]
    fn pop_batch(&mut self, wanted: usize, take: &mut impl FnMut(T)) -> usize {
        self.0.batch(wanted).fold(0, |count, item| {
            take(item);
            count + 1
        })
    }
}

/// A kind for each module of `aqueduct::spsc`: its name, whether it has batches, and its handles.
macro_rules! kinds {
    ($($kind:ident = $name:literal, $module:ident, batches: $batches:literal, $producer:ident to $consumer:ident;)*) => {$(
        struct $kind;

        impl Kind for $kind {
            const NAME: &'static str = $name;
            const PEER: bool = false;
            const BATCHES: bool = $batches;
            type Sender<T: Word> = $producer<spsc::$module::Producer<T>>;
            type Receiver<T: Word> = $consumer<spsc::$module::Consumer<T>>;

            fn open<T: Word>(capacity: usize) -> Result<Ends<Self, T>, String> {
                let (producer, consumer) = spsc::$module::new(capacity).map_err(|error| error.to_string())?;
                Ok(($producer(producer), $consumer(consumer)))
            }
        }
    )*};
}

kinds! {
    Ring = "aqueduct/ring", ring, batches: true, Batched to Batched;
    Lamport = "aqueduct/lamport", lamport, batches: false, Single to Single;
    LazyLamport = "aqueduct/lazy_lamport", lazy_lamport, batches: false, Single to Single;
    BatchedLamport = "aqueduct/batched_lamport", batched_lamport, batches: true, Batched to Batched;
    FastForward = "aqueduct/fast_forward", fast_forward, batches: false, Single to Single;
    ImprovedFastForward = "aqueduct/improved_fast_forward", improved_fast_forward, batches: false, Single to Batched;
    BatchedImprovedFastForward = "aqueduct/batched_improved_fast_forward", batched_improved_fast_forward, batches: true,
        Batched to Batched;
}

/// Both directions of a duplex; a stream uses one of them.
struct Duplex;

impl Kind for Duplex {
    const NAME: &'static str = "aqueduct/duplex";
    const PEER: bool = false;
    const BATCHES: bool = true;
    type Sender<T: Word> = Batched<spsc::duplex::Producer<T, T>>;
    type Receiver<T: Word> = Batched<spsc::duplex::Consumer<T, T>>;

    fn open<T: Word>(capacity: usize) -> Result<Ends<Self, T>, String> {
        let [there, _] = Self::open_both_ways(capacity)?;
        Ok(there)
    }

    fn open_both_ways<T: Word>(capacity: usize) -> Result<[Ends<Self, T>; 2], String> {
        let (client, server) = spsc::duplex::new(capacity).map_err(|error| error.to_string())?;
        Ok([(Batched(client.producer), Batched(server.consumer)), (Batched(server.producer), Batched(client.consumer))])
    }
}

/// `aqueduct::bbq`'s queue for one producer and one consumer.
struct BlockBased;

impl Kind for BlockBased {
    const NAME: &'static str = "aqueduct/bbq_spsc";
    const PEER: bool = false;
    const BATCHES: bool = true;
    type Sender<T: Word> = bbq::Producer<T, bbq::Single, bbq::Single>;
    type Receiver<T: Word> = bbq::Consumer<T, bbq::Single, bbq::Single>;

    /// Returns one block more than always fits, which doubles the number in a queue of two blocks.
    fn most(capacity: usize) -> usize {
        Geometry::for_capacity(capacity).map_or(0, |geometry| geometry.blocks() * geometry.block_size())
    }

    fn open<T: Word>(capacity: usize) -> Result<Ends<Self, T>, String> {
        bbq::spsc::new(capacity).map_err(|error| error.to_string())
    }
}

impl<T: Thing> Sender<T> for bbq::Producer<T, bbq::Single, bbq::Single> {
    #[inline(always)]
    fn push(&mut self, item: T) -> bool {
        self.push(item).is_ok()
    }

    #[inline(always)]
    fn push_batch(&mut self, wanted: usize, make: &mut impl FnMut() -> T) -> usize {
        self.push_iter((0..wanted).map(|_| make()))
    }
}

impl<T: Thing> Receiver<T> for bbq::Consumer<T, bbq::Single, bbq::Single> {
    #[inline(always)]
    fn pop(&mut self, take: &mut impl FnMut(T)) -> usize {
        self.pop().map(take).is_ok().into()
    }

    #[inline(always)]
    fn pop_batch(&mut self, wanted: usize, take: &mut impl FnMut(T)) -> usize {
        self.pop_each(wanted, take)
    }
}
