//! The clients of BWoS, on the library that the parent module names.

mod hungry;
mod parked;
mod recorded;
mod seed;
mod seizing;
mod slow;

use std::num::NonZeroU64;

use super::library::bwos::{Geometry, Steal, fifo, lifo};
use super::library::queue::{Pop, Push};
use crate::clients::Client;
use crate::clients::item::{Boxed, Item};

/// The division of a queue, and its first lap.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shape {
    blocks: usize,
    size: usize,
    lap: usize,
}

impl Shape {
    /// Makes a shape that starts in the last lap before lap numbers wrap.
    pub(super) const fn new(blocks: usize, size: usize) -> Self {
        Self { blocks, size, lap: usize::MAX }
    }

    fn geometry(self) -> Geometry {
        Geometry::new(self.blocks, self.size).expect("a client's queue is small")
    }
}

/// The owner's handle.
pub(crate) trait Owns<T>: Send + 'static {
    /// Pushes. Returns whether there was room. A refused item is dropped.
    fn push(&mut self, item: T) -> bool;
    fn pop(&mut self) -> Option<T>;
}

impl<T, O: Push<Item = T> + Pop<Item = T> + Send + 'static> Owns<T> for O {
    fn push(&mut self, item: T) -> bool {
        Push::push(self, item).is_ok()
    }

    fn pop(&mut self) -> Option<T> {
        Pop::pop(self).ok()
    }
}

/// A thief's handle.
pub(crate) trait Steals<T>: Clone + Send + 'static {
    fn steal(&self) -> Steal<T>;
    fn steal_granted(&self) -> Steal<T>;
    fn seize(&self) -> Steal<T>;
    /// Steals up to `most` at once.
    fn steal_to_vec(&self, items: &mut Vec<T>, most: usize) -> Steal<usize>;
    fn request(&self);
    fn granted(&self, block: usize) -> usize;
}

/// Either of the two queues.
pub(crate) trait Form: Copy + Send + Sync + 'static {
    type Item: Item;
    type Owner: Owns<Self::Item>;
    type Stealer: Steals<Self::Item>;
    const NAME: &'static str;
    /// Whether the owner takes the newest item, and thieves exactly the oldest one.
    const NEWEST: bool;

    fn make(shape: Shape) -> (Self::Owner, Self::Stealer);
    /// Steals up to `most` at once from one queue to another.
    fn steal_into(stealer: &Self::Stealer, owner: &mut Self::Owner, most: usize) -> Steal<usize>;
    /// Moves up to half of what can be stolen from one queue to another.
    fn steal_half_into(stealer: &Self::Stealer, owner: &mut Self::Owner) -> usize;
    /// Steals up to `most` at once from one queue, the first for the caller, the others to another
    /// queue.
    fn steal_batch_and_pop(stealer: &Self::Stealer, owner: &mut Self::Owner, most: usize) -> Steal<Self::Item>;
    /// Pushes as many items as fit. Returns their number.
    fn push_slice(owner: &mut Self::Owner, items: &[Self::Item]) -> usize
    where
        Self::Item: Copy;
}

macro_rules! forms {
    ($($(#[$doc:meta])* $name:ident: $module:ident, $text:literal, $newest:literal;)*) => {$(
        impl<T: Item> Steals<T> for $module::Stealer<T> {
            fn steal(&self) -> Steal<T> {
                Self::steal(self)
            }

            fn steal_granted(&self) -> Steal<T> {
                Self::steal_granted(self)
            }

            fn seize(&self) -> Steal<T> {
                Self::seize(self)
            }

            fn steal_to_vec(&self, items: &mut Vec<T>, most: usize) -> Steal<usize> {
                Self::steal_to_vec(self, items, most)
            }

            fn request(&self) {
                Self::request(self);
            }

            fn granted(&self, block: usize) -> usize {
                Self::granted(self, block)
            }
        }

        $(#[$doc])*
        #[derive(Debug)]
        pub(crate) struct $name<T>(std::marker::PhantomData<fn() -> T>);

        impl<T> Clone for $name<T> {
            fn clone(&self) -> Self {
                *self
            }
        }

        impl<T> Copy for $name<T> {}

        impl<T: Item> Form for $name<T> {
            type Item = T;
            type Owner = $module::Owner<T>;
            type Stealer = $module::Stealer<T>;
            const NAME: &'static str = $text;
            const NEWEST: bool = $newest;

            fn make(shape: Shape) -> (Self::Owner, Self::Stealer) {
                $module::starting_at(shape.geometry(), shape.lap).expect("a client's queue is small")
            }

            fn steal_into(stealer: &Self::Stealer, owner: &mut Self::Owner, most: usize) -> Steal<usize> {
                stealer.steal_into(owner, most)
            }

            fn steal_half_into(stealer: &Self::Stealer, owner: &mut Self::Owner) -> usize {
                stealer.steal_half_into(owner)
            }

            fn steal_batch_and_pop(stealer: &Self::Stealer, owner: &mut Self::Owner, most: usize) -> Steal<T> {
                stealer.steal_batch_and_pop(owner, most)
            }

            fn push_slice(owner: &mut Self::Owner, items: &[T]) -> usize
            where
                T: Copy,
            {
                owner.push_slice(items)
            }
        }
    )*};
}

forms! {
    /// The owner takes the newest item.
    Lifo: lifo, "lifo", true;
    /// The owner takes the oldest item.
    Fifo: fifo, "fifo", false;
}

/// Returns the clients.
pub(crate) fn clients() -> Vec<Client> {
    let mut list = Vec::new();
    of::<Lifo<NonZeroU64>, Lifo<Boxed>>(&mut list);
    of::<Fifo<NonZeroU64>, Fifo<Boxed>>(&mut list);
    list
}

/// Returns the clients whose exploration has never been run to completion.
pub(crate) fn huge() -> Vec<Client> {
    let mut list = Vec::new();
    seed::huge::<Lifo<NonZeroU64>>(&mut list);
    seed::huge::<Fifo<NonZeroU64>>(&mut list);
    list
}

/// Returns the clients that have too many executions to explore them all.
pub(crate) fn walked() -> Vec<Client> {
    let mut list = Vec::new();
    recorded::walks::<Lifo<Boxed>>(&mut list);
    recorded::walks::<Fifo<Boxed>>(&mut list);
    list
}

fn of<N: Form<Item = NonZeroU64>, B: Form<Item = Boxed>>(list: &mut Vec<Client>) {
    seed::clients::<N>(list);
    recorded::clients::<B>(list);
    hungry::clients::<B>(list);
    slow::clients::<B>(list);
    seizing::clients::<B>(list);
    parked::clients::<N>(list);
}

fn add<F: Form>(list: &mut Vec<Client>, program: &str, run: impl Fn() + Send + Sync + 'static) {
    list.push(Client::new(format!("bwos-{}/{program}", F::NAME), run));
}

fn add_big<F: Form>(list: &mut Vec<Client>, program: &str, run: impl Fn() + Send + Sync + 'static) {
    add::<F>(list, program, run);
    if let Some(client) = list.last_mut() {
        client.big = true;
    }
}
