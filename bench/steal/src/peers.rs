//! Other crates' work-stealing queues. If a batch goes to the thief's own queue, the thief empties
//! that queue at once.

use aqueduct::bwos::Steal;
use aqueduct::bwos::policy::Victim;
use crossbeam_deque as deque;

use super::kind::{Kind, Order, Owner, Room, Thief};
use super::subject::{Subject, subject_of};
use aqueduct_measure::items::Item;

/// Returns all peers.
pub(super) fn all() -> Vec<Box<dyn Subject>> {
    vec![subject_of::<DequeLifo>(), subject_of::<DequeFifo>(), subject_of::<St3Lifo>(), subject_of::<St3Fifo>()]
}

/// Moves the items of the thief's own queue to the front of `items`, and returns their number.
fn move_out(items: &mut [Item], mut pop: impl FnMut() -> Option<Item>) -> usize {
    let mut count = 0;
    for slot in items {
        let Some(item) = pop() else { break };
        *slot = item;
        count += 1;
    }
    count
}

/// A stealer of `crossbeam-deque`, with the thief's own queue.
pub(super) struct DequeThief {
    victim: deque::Stealer<Item>,
    own: deque::Worker<Item>,
}

impl Owner for deque::Worker<Item> {
    #[inline(always)]
    fn push(&mut self, item: Item) -> bool {
        // This queue grows.
        deque::Worker::push(self, item);
        true
    }

    #[inline(always)]
    fn pop(&mut self) -> Option<Item> {
        deque::Worker::pop(self)
    }
}

impl Victim for DequeThief {
    type Item = Item;

    fn steal_granted(&self) -> Steal<Item> {
        match self.victim.steal() {
            deque::Steal::Success(item) => Steal::Success(item),
            deque::Steal::Empty => Steal::Empty,
            deque::Steal::Retry => Steal::Retry,
        }
    }

    /// The whole queue is one block.
    fn granted(&self, _block: usize) -> usize {
        self.victim.len()
    }
}

impl Thief for DequeThief {
    fn another(&self) -> Self {
        Self { victim: self.victim.clone(), own: deque::Worker::new_fifo() }
    }

    fn steal_one(&mut self) -> Option<Item> {
        self.victim.steal().success()
    }

    fn steal_batch(&mut self, items: &mut [Item]) -> usize {
        match self.victim.steal_batch_with_limit(&self.own, items.len()) {
            deque::Steal::Success(()) => move_out(items, || self.own.pop()),
            deque::Steal::Empty | deque::Steal::Retry => 0,
        }
    }
}

macro_rules! deque {
    ($kind:ident = $name:literal, $order:ident, $new:path) => {
        struct $kind;

        impl Kind for $kind {
            const NAME: &'static str = $name;
            const ORDER: Order = Order::$order;
            type Owner = deque::Worker<Item>;
            type Thief = DequeThief;

            fn open(_room: Room) -> Result<(Self::Owner, DequeThief), String> {
                let owner = $new();
                let victim = owner.stealer();
                Ok((owner, DequeThief { victim, own: $new() }))
            }
        }
    };
}

deque!(DequeLifo = "crossbeam-deque/lifo", Lifo, deque::Worker::new_lifo);
deque!(DequeFifo = "crossbeam-deque/fifo", Fifo, deque::Worker::new_fifo);

macro_rules! st3 {
    ($kind:ident = $name:literal, $order:ident, $module:ident, $thief:ident) => {
        struct $kind;

        /// A stealer of `st3`, with the thief's own queue.
        pub(super) struct $thief {
            victim: st3::$module::Stealer<Item>,
            own: st3::$module::Worker<Item>,
        }

        impl Kind for $kind {
            const NAME: &'static str = $name;
            const ORDER: Order = Order::$order;
            const ESTIMATES: bool = false;
            type Owner = st3::$module::Worker<Item>;
            type Thief = $thief;

            fn open(Room { capacity, .. }: Room) -> Result<(Self::Owner, $thief), String> {
                let owner = st3::$module::Worker::new(capacity);
                let victim = owner.stealer();
                Ok((owner, $thief { victim, own: st3::$module::Worker::new(capacity) }))
            }
        }

        impl Owner for st3::$module::Worker<Item> {
            #[inline(always)]
            fn push(&mut self, item: Item) -> bool {
                st3::$module::Worker::push(self, item).is_ok()
            }

            #[inline(always)]
            fn pop(&mut self) -> Option<Item> {
                st3::$module::Worker::pop(self)
            }
        }

        impl Victim for $thief {
            type Item = Item;

            fn steal_granted(&self) -> Steal<Item> {
                match self.victim.steal_and_pop(&self.own, |_| 1) {
                    Ok((item, _)) => Steal::Success(item),
                    Err(st3::StealError::Empty) => Steal::Empty,
                    Err(st3::StealError::Busy) => Steal::Retry,
                }
            }

            /// The queue does not report its number of items ([`Kind::ESTIMATES`]).
            fn granted(&self, _block: usize) -> usize {
                0
            }
        }

        impl Thief for $thief {
            fn another(&self) -> Self {
                // It holds one item at a time.
                Self { victim: self.victim.clone(), own: st3::$module::Worker::new(1) }
            }

            fn steal_one(&mut self) -> Option<Item> {
                self.victim.steal_and_pop(&self.own, |_| 1).ok().map(|(item, _)| item)
            }

            fn steal_batch(&mut self, items: &mut [Item]) -> usize {
                // Half of the items, as the crate's documentation recommends.
                let half = |available: usize| available.div_ceil(2).min(items.len());
                match self.victim.steal(&self.own, half) {
                    Ok(_) => move_out(items, || self.own.pop()),
                    Err(_) => 0,
                }
            }
        }
    };
}

st3!(St3Lifo = "st3/lifo", Lifo, lifo, St3LifoThief);
st3!(St3Fifo = "st3/fifo", Fifo, fifo, St3FifoThief);
