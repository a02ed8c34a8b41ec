//! The queues of schedulers that are in no package of their own, written after their descriptions: further queues of
//! comparison. Items go straight to the thief, not through a queue of its own.

mod chase_lev;
mod go;
mod steal;
mod sync;
#[cfg(test)]
mod tests;
mod tokio;

/// As it stands among the queues of many producers, where it is measured, too.
#[path = "../../../mpmc/src/mpmc/baselines/bbq.rs"]
mod bbq;

use std::sync::Arc;

use aqueduct::bwos::Steal;
use aqueduct::bwos::policy::Victim;

use super::Item;
use super::kind::{Kind, Order, Owner, Room, Thief};
use super::subject::{Subject, subject_of};
use bbq::{BY_EXCHANGE, PopRefused, PublishedBbq};
use steal::Refused;

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
    Growing = "published/taskflow_unbounded", Lifo, BATCHES: false; GrowingOwner(chase_lev::Owner<true>), chase_lev::Thief;
    push; |capacity| chase_lev::new(capacity)
}
kind! {
    /// Taskflow's queue with bounds.
    Bounded = "published/taskflow_bounded", Lifo, BATCHES: false; BoundedOwner(chase_lev::Owner<false>), chase_lev::Thief;
    push; |capacity| chase_lev::new(capacity)
}
kind! {
    /// Tokio's run queue.
    Tokio = "published/tokio_run_queue", Fifo; TokioOwner(tokio::Owner<Item>), tokio::Thief<Item>;
    push; |capacity| tokio::new(capacity)
}
kind! {
    /// Go's run queue, to whose tail all items go.
    Go = "published/go_run_queue", Fifo; GoOwner(go::Owner), go::Thief;
    push; |capacity| go::new(capacity)
}
kind! {
    /// Go's run queue, whose owner puts each item where it is to run next, as a `go` statement does.
    GoNext = "published/go_run_queue_next", Fifo, NEWEST_FIRST: true; GoNextOwner(go::Owner), go::Thief;
    push_next; |capacity| go::new(capacity)
}
kind! {
    /// BBQ as published, with the owner as its one producer, and owner and thieves as its consumers.
    Bbq = "published/bbq", Fifo, BATCHES: false, ESTIMATES: false; BbqOwner(Shared), Shared;
    push; |capacity| {
        let queue = Shared(Arc::new(PublishedBbq::new(capacity as usize)));
        (queue.clone(), queue)
    }
}

/// BBQ, as all its threads have it.
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

/// A thief that may get several items at once, and counts the items in the queue.
macro_rules! thief {
    ($thief:ty) => {
        impl Victim for $thief {
            type Item = Item;

            fn steal_granted(&self) -> Steal<Item> {
                let mut item = [Item::MIN];
                outcome(self.steal(&mut item).map(|_| item[0]))
            }

            /// The whole queue is one block.
            fn granted(&self, _block: usize) -> usize {
                self.len()
            }
        }

        impl Thief for $thief {
            fn another(&self) -> Self {
                self.clone()
            }

            fn steal_one(&mut self) -> Option<Item> {
                self.steal_granted().success()
            }

            fn steal_batch(&mut self, items: &mut [Item]) -> usize {
                self.steal(items).unwrap_or(0)
            }
        }
    };
}

thief!(tokio::Thief<Item>);
thief!(go::Thief);

impl Victim for chase_lev::Thief {
    type Item = Item;

    fn steal_granted(&self) -> Steal<Item> {
        outcome(self.steal())
    }

    /// The whole queue is one block.
    fn granted(&self, _block: usize) -> usize {
        self.len()
    }
}

impl Thief for chase_lev::Thief {
    fn another(&self) -> Self {
        self.clone()
    }

    fn steal_one(&mut self) -> Option<Item> {
        self.steal().ok()
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

    /// It does not tell ([`Kind::ESTIMATES`]).
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
