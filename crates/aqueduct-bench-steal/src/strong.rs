//! The queues of `aqueduct::bwos` with every ordering `SeqCst`: what the weaker ones are worth.

use aqueduct::bwos::Steal;
use aqueduct::bwos::policy::Victim;
use aqueduct_strong::bwos::{self, fifo, lifo};

use super::Item;
use super::kind::{Kind, Order, Owner, Room, Thief};
use super::subject::{Subject, subject_of};

/// Both.
pub(super) fn all() -> Vec<Box<dyn Subject>> {
    vec![subject_of::<Lifo>(), subject_of::<Fifo>()]
}

fn outcome<T>(steal: bwos::Steal<T>) -> Steal<T> {
    match steal {
        bwos::Steal::Success(stolen) => Steal::Success(stolen),
        bwos::Steal::Empty => Steal::Empty,
        bwos::Steal::Retry => Steal::Retry,
    }
}

/// One of the two modules.
macro_rules! strong {
    ($kind:ident = $name:literal, $module:ident, $order:ident, $thief:ident) => {
        struct $kind;

        /// A stealer, as a victim of the library's policies.
        pub(super) struct $thief($module::Stealer<Item>);

        impl Kind for $kind {
            const NAME: &'static str = $name;
            const ORDER: Order = Order::$order;
            const PEER: bool = false;
            type Owner = $module::Owner<Item>;
            type Thief = $thief;

            fn open(Room { capacity, .. }: Room) -> Result<(Self::Owner, $thief), String> {
                let (owner, thief) = $module::new(capacity).map_err(|error| error.to_string())?;
                Ok((owner, $thief(thief)))
            }
        }

        impl Owner for $module::Owner<Item> {
            #[inline(always)]
            fn push(&mut self, item: Item) -> bool {
                $module::Owner::push(self, item).is_ok()
            }

            #[inline(always)]
            fn pop(&mut self) -> Option<Item> {
                $module::Owner::pop(self).ok()
            }
        }

        impl Victim for $thief {
            type Item = Item;

            fn steal_granted(&self) -> Steal<Item> {
                outcome(self.0.steal_granted())
            }

            fn granted(&self, block: usize) -> usize {
                self.0.granted(block)
            }

            fn blocks(&self) -> usize {
                self.0.blocks()
            }

            fn ask(&self) {
                self.0.ask();
            }
        }

        impl Thief for $thief {
            fn another(&self) -> Self {
                Self(self.0.clone())
            }

            fn steal(&mut self) -> Option<Item> {
                self.0.steal().success()
            }

            fn steal_batch(&mut self, items: &mut [Item]) -> usize {
                self.0.steal_slice(items).success().unwrap_or(0)
            }
        }
    };
}

strong!(Lifo = "seq_cst/lifo", lifo, Lifo, LifoThief);
strong!(Fifo = "seq_cst/fifo", fifo, Fifo, FifoThief);
