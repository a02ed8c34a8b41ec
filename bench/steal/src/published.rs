//! The queues of schedulers of `aqueduct-bench-published`, as kinds.

#[cfg(test)]
mod tests;

use std::sync::Arc;

use aqueduct::bwos::Steal;
use aqueduct::bwos::policy::Victim;
use aqueduct_bench_published::deque::steal::Refused;
use aqueduct_bench_published::deque::{chase_lev, go, tokio};
use aqueduct_bench_published::mpmc::bbq::{BY_EXCHANGE, PopRefused, PublishedBbq};

use super::kind::{Kind, Order, Owner, Room, Thief};
use super::subject::{Subject, subject_of};
use aqueduct_measure::items::Item;

/// Returns all of them.
pub(super) fn all() -> Vec<Box<dyn Subject>> {
    vec![
        subject_of::<Growing>(),
        subject_of::<Bounded>(),
        subject_of::<Tokio>(),
        subject_of::<Go>(),
        subject_of::<GoNext>(),
        subject_of::<Bbq>(),
    ]
}

/// The most items of a queue: positions of 32 bits wrap around in step with its entries.
const MOST_ITEMS: usize = 1 << 30;

/// Returns the capacity, if a queue can have it.
fn possible(capacity: usize) -> Result<u32, String> {
    if capacity > MOST_ITEMS {
        return Err(format!("{capacity} items: up to {MOST_ITEMS} are possible in the published queues"));
    }
    Ok(capacity as u32)
}

fn outcome(stolen: Result<Item, Refused>) -> Steal<Item> {
    match stolen {
        Ok(item) => Steal::Success(item),
        Err(Refused::Empty) => Steal::Empty,
        Err(Refused::Busy) => Steal::Retry,
    }
}

/// A queue as a kind: its ends, what the owner calls to push, and how it is made.
macro_rules! kind {
    (
        $(#[$note:meta])*
        $kind:ident = $name:literal, $order:ident $(, $constant:ident: $value:literal)*; $owner:ident($inner:ty), $thief:ty;
        $push:ident; |$capacity:ident| $open:expr
    ) => {
        $(#[$note])*
        struct $kind;

        /// The owner's end.
        struct $owner($inner);

        impl Kind for $kind {
            const NAME: &'static str = $name;
            const ORDER: Order = Order::$order;
            $(const $constant: bool = $value;)*
            type Owner = $owner;
            type Thief = $thief;

            fn open(room: Room) -> Result<($owner, $thief), String> {
                let $capacity = possible(room.capacity)?;
                let (owner, thief) = $open;
                Ok(($owner(owner), thief))
            }
        }

        impl Owner for $owner {
            #[inline(always)]
            fn push(&mut self, item: Item) -> bool {
                self.0.$push(item)
            }

            #[inline(always)]
            fn pop(&mut self) -> Option<Item> {
                self.0.pop()
            }
        }
    };
}

kind! {
    /// Taskflow's queue without bounds.
    Growing = "published/taskflow_unbounded", Lifo, BATCHES: false; GrowingOwner(chase_lev::Owner<true>), Foreign<chase_lev::Thief>;
    push; |capacity| wrapped(chase_lev::new(capacity))
}
kind! {
    /// Taskflow's queue with bounds.
    Bounded = "published/taskflow_bounded", Lifo, BATCHES: false; BoundedOwner(chase_lev::Owner<false>), Foreign<chase_lev::Thief>;
    push; |capacity| wrapped(chase_lev::new(capacity))
}
kind! {
    /// Tokio's run queue.
    Tokio = "published/tokio_run_queue", Fifo; TokioOwner(tokio::Owner<Item>), Foreign<tokio::Thief<Item>>;
    push; |capacity| wrapped(tokio::new(capacity))
}
kind! {
    /// Go's run queue, to whose tail all items go.
    Go = "published/go_run_queue", Fifo; GoOwner(go::Owner), Foreign<go::Thief>;
    push; |capacity| wrapped(go::new(capacity))
}
kind! {
    /// Go's run queue, whose owner puts each item into the slot of the one to run next, as a `go`
    /// statement does.
    GoNext = "published/go_run_queue_next", Fifo, NEWEST_FIRST: true; GoNextOwner(go::Owner), Foreign<go::Thief>;
    push_next; |capacity| wrapped(go::new(capacity))
}
kind! {
    /// BBQ as published, with the owner as its one producer, and owner and thieves as its
    /// consumers.
    Bbq = "published/bbq", Fifo, BATCHES: false, ESTIMATES: false; BbqOwner(Shared), Shared;
    push; |capacity| {
        let queue = Shared(Arc::new(PublishedBbq::new(capacity as usize)));
        (queue.clone(), queue)
    }
}

/// A BBQ, shared by all its threads.
#[derive(Clone)]
struct Shared(Arc<PublishedBbq<Item, BY_EXCHANGE>>);

impl Shared {
    #[inline(always)]
    fn push(&self, item: Item) -> bool {
        self.0.push(item).is_ok()
    }

    #[inline(always)]
    fn pop(&self) -> Option<Item> {
        self.0.pop().ok()
    }
}

/// A thief's end of another package, for traits of a third one.
#[derive(Clone)]
struct Foreign<T>(T);

fn wrapped<O, T>((owner, thief): (O, T)) -> (O, Foreign<T>) {
    (owner, Foreign(thief))
}

/// A thief that may get several items at once, and counts the items in the queue.
macro_rules! thief {
    ($thief:ty) => {
        impl Victim for Foreign<$thief> {
            type Item = Item;

            fn steal_granted(&self) -> Steal<Item> {
                let mut item = [Item::MIN];
                outcome(self.0.steal(&mut item).map(|_| item[0]))
            }

            /// The whole queue is one block.
            fn granted(&self, _block: usize) -> usize {
                self.0.estimate()
            }
        }

        impl Thief for Foreign<$thief> {
            fn another(&self) -> Self {
                self.clone()
            }

            fn steal_one(&mut self) -> Option<Item> {
                self.steal_granted().success()
            }

            fn steal_batch(&mut self, items: &mut [Item]) -> usize {
                self.0.steal(items).unwrap_or(0)
            }
        }
    };
}

thief!(tokio::Thief<Item>);
thief!(go::Thief);

impl Victim for Foreign<chase_lev::Thief> {
    type Item = Item;

    fn steal_granted(&self) -> Steal<Item> {
        outcome(self.0.steal())
    }

    /// The whole queue is one block.
    fn granted(&self, _block: usize) -> usize {
        self.0.estimate()
    }
}

impl Thief for Foreign<chase_lev::Thief> {
    fn another(&self) -> Self {
        self.clone()
    }

    fn steal_one(&mut self) -> Option<Item> {
        self.0.steal().ok()
    }
}

impl Victim for Shared {
    type Item = Item;

    fn steal_granted(&self) -> Steal<Item> {
        match self.0.pop() {
            Ok(item) => Steal::Success(item),
            Err(PopRefused::Empty) => Steal::Empty,
            Err(PopRefused::Busy) => Steal::Retry,
        }
    }

    /// The queue does not report its number of items ([`Kind::ESTIMATES`]).
    fn granted(&self, _block: usize) -> usize {
        0
    }
}

impl Thief for Shared {
    fn another(&self) -> Self {
        self.clone()
    }

    fn steal_one(&mut self) -> Option<Item> {
        self.pop()
    }
}
