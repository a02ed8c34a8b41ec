//! Our queue over each tube, and the queues that no other bench has: the ring of the tubes as a
//! queue, and a ring for each pair of threads.

use std::sync::Arc;

use aqueduct::tube::{Blocks, FetchAddBlocks, Fifo, IndexQueues, SequencedRing, Tube};
use aqueduct::{cnq, spsc};

use super::contestant::{Contestant, Promise, opened};
use crate::mpmc::stream::Opened;
use crate::mpmc::{Item, Receiver, Sender, Threads};

/// Returns our queue with each tube and each order.
pub(super) fn cnq(orders: &[usize]) -> Vec<Contestant> {
    let mut all = over::<SequencedRing>("aqueduct/cnq_sequenced", orders);
    all.extend(over::<Blocks>("aqueduct/cnq_bbq", orders));
    all.extend(over::<FetchAddBlocks>("aqueduct/cnq_faaq", orders));
    all.extend(over::<IndexQueues>("aqueduct/cnq_indices", orders));
    all
}

fn over<U: Tube + 'static>(name: &str, orders: &[usize]) -> Vec<Contestant> {
    let one = |&k: &usize| Contestant {
        serves: |promise, Threads { producers, consumers }| match promise {
            Promise::Order(k) => cnq::Geometry::for_order(k, 1, producers, consumers).is_ok(),
            _ => true,
        },
        ..opened(name, false, Promise::Order(k), move |capacity, threads| open::<U>(k, capacity, threads))
            .with_batches(true)
    };
    orders.iter().map(one).collect()
}

fn open<U: Tube>(
    k: usize,
    capacity: usize,
    Threads { producers, consumers }: Threads,
) -> Opened<cnq::Producer<Item, U>, cnq::Consumer<Item, U>> {
    let geometry = cnq::Geometry::for_order(k, capacity, producers, consumers).map_err(|error| error.to_string())?;
    let queue = cnq::Queue::with_tube(geometry).map_err(|error| error.to_string())?;
    let senders = (0..producers).map(|_| queue.producer()).collect::<Result<_, _>>();
    let receivers = (0..consumers).map(|_| queue.consumer()).collect::<Result<_, _>>();
    Ok((senders.map_err(|error| error.to_string())?, receivers.map_err(|error| error.to_string())?))
}

impl<U: Tube> Sender for cnq::Producer<Item, U> {
    #[inline(always)]
    fn push(&mut self, item: Item) -> bool {
        cnq::Producer::push(self, item).is_ok()
    }

    #[inline(always)]
    fn push_slice(&mut self, items: &[Item]) -> usize {
        cnq::Producer::push_slice(self, items)
    }
}

impl<U: Tube> Receiver for cnq::Consumer<Item, U> {
    #[inline(always)]
    fn pop(&mut self) -> Option<Item> {
        cnq::Consumer::pop(self).ok()
    }

    #[inline(always)]
    fn pop_slice(&mut self, items: &mut [Item]) -> usize {
        cnq::Consumer::pop_slice(self, items)
    }
}

type SharedRing = Arc<Fifo<Item, SequencedRing>>;

/// Returns the ring of the tubes, with an item in each slot.
pub(super) fn sequenced_ring() -> Contestant {
    opened("aqueduct/sequenced_ring", false, Promise::Fifo, |capacity, threads| {
        let queue: SharedRing = Arc::new(Fifo::new(capacity).map_err(|error| error.to_string())?);
        Ok((vec![Arc::clone(&queue); threads.producers], vec![queue; threads.consumers]))
    })
}

impl Sender for SharedRing {
    #[inline(always)]
    fn push(&mut self, item: Item) -> bool {
        Fifo::push(self, item).is_ok()
    }
}

impl Receiver for SharedRing {
    #[inline(always)]
    fn pop(&mut self) -> Option<Item> {
        Fifo::pop(self).ok()
    }
}

/// The ends of rings. Each ring has one producing and one consuming thread.
type RingEnds = (spsc::ring::Producer<Item>, spsc::ring::Consumer<Item>);

/// Returns a ring for each pair of threads, which share nothing.
pub(super) fn rings() -> Contestant {
    let open = |capacity: usize, threads: Threads| {
        let each = capacity.div_ceil(threads.producers);
        let ends = (0..threads.producers).map(|_| spsc::ring::new(each)).collect::<Result<Vec<RingEnds>, _>>();
        Ok(ends.map_err(|error| error.to_string())?.into_iter().unzip())
    };
    Contestant {
        serves: |_, threads| threads.producers == threads.consumers,
        ..opened("bound/ring_per_pair", false, Promise::Pairs, open).with_batches(true)
    }
}

impl Sender for spsc::ring::Producer<Item> {
    #[inline(always)]
    fn push(&mut self, item: Item) -> bool {
        spsc::Producer::push(self, item).is_ok()
    }

    #[inline(always)]
    fn push_slice(&mut self, items: &[Item]) -> usize {
        spsc::Producer::push_slice(self, items)
    }
}

impl Receiver for spsc::ring::Consumer<Item> {
    #[inline(always)]
    fn pop(&mut self) -> Option<Item> {
        spsc::Consumer::pop(self).ok()
    }

    #[inline(always)]
    fn pop_slice(&mut self, items: &mut [Item]) -> usize {
        spsc::Consumer::pop_slice(self, items)
    }
}

/// Returns `gil`'s queue of many rings: each producer has one, and consumers visit them in turn and
/// lock one for each call.
#[cfg(feature = "peers")]
pub(super) fn gil_sharded() -> Contestant {
    use gil::mpmc::sharded;
    use std::num::NonZeroUsize;

    type Ends = (Vec<sharded::Sender<Item>>, Vec<sharded::Receiver<Item>>);
    opened(
        "gil/mpmc_sharded",
        true,
        Promise::PerProducer,
        |capacity, Threads { producers, consumers }| -> Result<Ends, _> {
            // There are at most as many receivers as rings.
            let shards = producers.max(consumers).next_power_of_two();
            let number = |count| NonZeroUsize::new(count).ok_or_else(|| "gil's capacity is at least 1".to_owned());
            let (sender, receiver) = sharded::channel(number(shards)?, number(capacity.div_ceil(producers))?);
            let (mut senders, mut receivers) = (vec![sender], vec![receiver]);
            let refused = || format!("gil has no {shards} handles");
            while senders.len() < producers {
                senders.push(senders[0].try_clone().ok_or_else(refused)?);
            }
            while receivers.len() < consumers {
                receivers.push(receivers[0].try_clone().ok_or_else(refused)?);
            }
            Ok((senders, receivers))
        },
    )
}

#[cfg(feature = "peers")]
impl Sender for gil::mpmc::sharded::Sender<Item> {
    #[inline(always)]
    fn push(&mut self, item: Item) -> bool {
        self.try_send(item).is_ok()
    }
}

#[cfg(feature = "peers")]
impl Receiver for gil::mpmc::sharded::Receiver<Item> {
    #[inline(always)]
    fn pop(&mut self) -> Option<Item> {
        self.try_recv()
    }
}

/// Returns xenium's bounded k-FIFO queue with each order: segments of `k` slots, 65,536 slots at
/// the most. So it holds up to `k` items less than 65,536, and the greatest orders are left out.
#[cfg(feature = "cpp-peers")]
pub(super) fn kfifo(orders: &[usize]) -> Vec<Contestant> {
    use crate::mpmc::Kind;
    use crate::mpmc::cpp_peers::kfifo::Queue;

    const MOST: usize = 32_768;
    let one = |&k: &usize| {
        opened(Queue::NAME, true, Promise::Order(k), move |capacity, threads| Queue::in_order(k, capacity, threads))
    };
    orders.iter().filter(|&&k| k <= MOST).map(one).collect()
}
