//! The queues: both forms of ours, a ring with a lock, and a peer that drops the oldest item.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use aqueduct::bbq::drop_old;
use aqueduct::bbq::{Multi, Overwritten, Producer, ProducerSide, Single};

/// The handle of a producing thread.
pub trait Writer: Send {
    /// Writes an item, over the oldest one if necessary. Returns whether it did.
    fn write(&mut self, item: u64) -> bool;

    /// Returns the number of unread items that this producer dropped, if producers count them.
    fn lost(&self) -> u64 {
        0
    }
}

/// The handle of the reading thread.
pub trait Reader: Send {
    /// Returns the oldest remaining item, if there is one.
    fn read(&mut self) -> Option<u64>;

    /// Copies up to `items.len()` of the oldest remaining items. Returns their number.
    fn read_slice(&mut self, items: &mut [u64]) -> usize {
        let Some((first, item)) = items.first_mut().zip(self.read()) else { return 0 };
        *first = item;
        1
    }

    /// Returns the number of items that this reader has lost, if readers count them.
    fn lost(&self) -> u64 {
        0
    }
}

/// The handles of a new queue of kind `K`.
pub type Ends<K> = (Vec<<K as Kind>::Writer>, <K as Kind>::Reader);

/// A queue under test.
pub trait Kind: 'static {
    /// `CRATE/QUEUE`.
    const NAME: &'static str;
    /// Whether it is a peer, not one of aqueduct's queues.
    const PEER: bool;
    /// The greatest number of threads that can write.
    const MOST_PRODUCERS: usize;
    /// Whether the reader can read slices.
    const SLICES: bool = false;
    /// Whether the number of lost items is known.
    const COUNTS_LOST: bool = true;
    /// The handle of a producing thread.
    type Writer: Writer;
    /// The handle of the reading thread.
    type Reader: Reader;

    /// Makes an empty queue that keeps `capacity` items, with `producers` producers.
    ///
    /// # Errors
    /// A sentence that names the possible capacities.
    fn open(capacity: usize, producers: usize) -> Result<Ends<Self>, String>
    where
        Self: Sized;
}

/// Our queue, with any number of producers.
pub(super) struct Many;

impl Kind for Many {
    const NAME: &'static str = "aqueduct/bbq_drop_old_mpmc";
    const PEER: bool = false;
    const MOST_PRODUCERS: usize = usize::MAX;
    type Writer = Producer<u64, Multi, Overwritten>;
    type Reader = drop_old::Reader<u64, Multi>;

    fn open(capacity: usize, producers: usize) -> Result<Ends<Self>, String> {
        let (producer, reader) = drop_old::mpmc::new(capacity).map_err(|error| error.to_string())?;
        Ok((vec![producer; producers], reader))
    }
}

/// Our queue, with one producer.
pub(super) struct One;

impl Kind for One {
    const NAME: &'static str = "aqueduct/bbq_drop_old_spmc";
    const PEER: bool = false;
    const MOST_PRODUCERS: usize = 1;
    type Writer = Producer<u64, Single, Overwritten>;
    type Reader = drop_old::Reader<u64, Single>;

    fn open(capacity: usize, _producers: usize) -> Result<Ends<Self>, String> {
        let (producer, reader) = drop_old::spmc::new(capacity).map_err(|error| error.to_string())?;
        Ok((vec![producer], reader))
    }
}

/// Our queue, with any number of producers and one reader.
pub(super) struct ManyToOne;

impl Kind for ManyToOne {
    const NAME: &'static str = "aqueduct/bbq_drop_old_mpsc";
    const PEER: bool = false;
    const MOST_PRODUCERS: usize = usize::MAX;
    const SLICES: bool = true;
    type Writer = Producer<u64, Multi, Overwritten>;
    type Reader = OnlyReader<Multi>;

    fn open(capacity: usize, producers: usize) -> Result<Ends<Self>, String> {
        let (producer, reader) = drop_old::mpsc::new(capacity).map_err(|error| error.to_string())?;
        Ok((vec![producer; producers], OnlyReader(reader)))
    }
}

/// Our queue, with one producer and one reader.
pub(super) struct OneToOne;

impl Kind for OneToOne {
    const NAME: &'static str = "aqueduct/bbq_drop_old_spsc";
    const PEER: bool = false;
    const MOST_PRODUCERS: usize = 1;
    const SLICES: bool = true;
    type Writer = Producer<u64, Single, Overwritten>;
    type Reader = OnlyReader<Single>;

    fn open(capacity: usize, _producers: usize) -> Result<Ends<Self>, String> {
        let (producer, reader) = drop_old::spsc::new(capacity).map_err(|error| error.to_string())?;
        Ok((vec![producer], OnlyReader(reader)))
    }
}

/// The reader that a queue has one of.
pub(super) struct OnlyReader<P: ProducerSide>(drop_old::Reader<u64, P, Single>);

impl<P: ProducerSide> Reader for OnlyReader<P> {
    #[inline(always)]
    fn read(&mut self) -> Option<u64> {
        self.0.read().ok()
    }

    #[inline(always)]
    fn read_slice(&mut self, items: &mut [u64]) -> usize {
        self.0.read_slice(items)
    }

    fn lost(&self) -> u64 {
        self.0.lost()
    }
}

impl<P: ProducerSide> Writer for Producer<u64, P, Overwritten> {
    #[inline(always)]
    fn write(&mut self, item: u64) -> bool {
        self.push(item).is_ok()
    }
}

impl<P: ProducerSide> Reader for drop_old::Reader<u64, P> {
    #[inline(always)]
    fn read(&mut self) -> Option<u64> {
        drop_old::Reader::read(self).ok()
    }

    fn lost(&self) -> u64 {
        drop_old::Reader::lost(self)
    }
}

/// A ring with a lock that drops its oldest item when it is full, as Guava's EvictingQueue in a
/// synchronised wrapper and Apache Commons' CircularFifoQueue do, with which the BBQ paper compares
/// its own (section 6.2.3).
pub(super) struct Locked;

/// A handle of either side; a producer counts its dropped items.
pub(super) struct LockedEnd {
    ring: Arc<Mutex<VecDeque<u64>>>,
    capacity: usize,
    lost: u64,
}

impl LockedEnd {
    fn with<R>(&self, act: impl FnOnce(&mut VecDeque<u64>) -> R) -> R {
        act(&mut self.ring.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Kind for Locked {
    const NAME: &'static str = "published/evicting_ring";
    const PEER: bool = true;
    const MOST_PRODUCERS: usize = usize::MAX;
    type Writer = LockedEnd;
    type Reader = LockedEnd;

    fn open(capacity: usize, producers: usize) -> Result<Ends<Self>, String> {
        let ring = Arc::new(Mutex::new(VecDeque::with_capacity(capacity)));
        let end = || LockedEnd { ring: Arc::clone(&ring), capacity, lost: 0 };
        Ok(((0..producers).map(|_| end()).collect(), end()))
    }
}

impl Writer for LockedEnd {
    #[inline(always)]
    fn write(&mut self, item: u64) -> bool {
        let capacity = self.capacity;
        let dropped = self.with(|ring| {
            let dropped = if ring.len() < capacity { None } else { ring.pop_front() };
            ring.push_back(item);
            dropped
        });
        self.lost += u64::from(dropped.is_some());
        true
    }

    fn lost(&self) -> u64 {
        self.lost
    }
}

impl Reader for LockedEnd {
    #[inline(always)]
    fn read(&mut self) -> Option<u64> {
        self.with(VecDeque::pop_front)
    }
}

#[cfg(feature = "peers")]
pub(super) mod peers {
    //! Other crates' queues.

    use std::sync::Arc;

    use crossbeam_queue::ArrayQueue;

    use super::{Ends, Kind, Reader, Writer};

    /// `crossbeam-queue`'s bounded queue by its `force_push`, which takes the oldest item out when
    /// the queue is full.
    pub(in crate::drop_old) struct ForcePush;

    /// A handle that counts.
    pub(in crate::drop_old) struct ForcePusher {
        queue: Arc<ArrayQueue<u64>>,
        lost: u64,
    }

    impl Kind for ForcePush {
        const NAME: &'static str = "crossbeam-queue/force_push";
        const PEER: bool = true;
        const MOST_PRODUCERS: usize = usize::MAX;
        type Writer = ForcePusher;
        type Reader = Arc<ArrayQueue<u64>>;

        fn open(capacity: usize, producers: usize) -> Result<Ends<Self>, String> {
            let queue = Arc::new(ArrayQueue::new(capacity));
            let writers = (0..producers).map(|_| ForcePusher { queue: Arc::clone(&queue), lost: 0 }).collect();
            Ok((writers, queue))
        }
    }

    impl Writer for ForcePusher {
        #[inline(always)]
        fn write(&mut self, item: u64) -> bool {
            self.lost += u64::from(self.queue.force_push(item).is_some());
            true
        }

        fn lost(&self) -> u64 {
            self.lost
        }
    }

    impl Reader for Arc<ArrayQueue<u64>> {
        #[inline(always)]
        fn read(&mut self) -> Option<u64> {
            self.pop()
        }
    }
}
