//! The queues of `aqueduct::bwos` as kinds under test.

use aqueduct::bwos::{Geometry, fifo, lifo};

use super::kind::{Kind, Order, Owner, Room, Thief};
use super::subject::{Subject, subject_of};
use aqueduct_measure::items::Item;

/// Returns both our queues.
pub(super) fn all() -> Vec<Box<dyn Subject>> {
    vec![subject_of::<Lifo>(), subject_of::<Fifo>()]
}

/// One of the two modules.
macro_rules! ours {
    ($kind:ident = $name:literal, $module:ident, $order:ident) => {
        pub(super) struct $kind;

        impl Kind for $kind {
            const NAME: &'static str = $name;
            const ORDER: Order = Order::$order;
            const PEER: bool = false;
            const BLOCKS: bool = true;
            type Owner = $module::Owner<Item>;
            type Thief = $module::Stealer<Item>;

            fn open(room: Room) -> Result<(Self::Owner, Self::Thief), String> {
                let opened = match room.blocks {
                    None => $module::new(room.capacity),
                    // One block may be in use by thieves.
                    Some(blocks) => {
                        Geometry::new(blocks + 1, room.capacity.div_ceil(blocks)).and_then($module::with_geometry)
                    }
                };
                opened.map_err(|error| error.to_string())
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

        impl Thief for $module::Stealer<Item> {
            fn another(&self) -> Self {
                self.clone()
            }

            fn steal_one(&mut self) -> Option<Item> {
                $module::Stealer::steal(self).success()
            }

            fn steal_batch(&mut self, items: &mut [Item]) -> usize {
                self.steal_slice(items).success().unwrap_or(0)
            }
        }
    };
}

ours!(Lifo = "aqueduct/bwos_lifo", lifo, Lifo);
ours!(Fifo = "aqueduct/bwos_fifo", fifo, Fifo);
