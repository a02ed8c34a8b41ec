//! Both queues behind one interface, and items that record their drop.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use aqueduct::bwos::{Geometry, Steal, fifo, lifo};
use aqueduct::queue::{Closed, Full, Len, Pop};

/// The owner's handle.
pub(crate) trait Owns<T>: Full<Item = T> + Pop<Item = T> + Closed + Len + Send + Sized {
    /// Pushes until there is no room or there are no items.
    fn fill(&mut self, items: impl IntoIterator<Item = T>) -> usize {
        items.into_iter().map_while(|item| self.push(item).ok()).count()
    }
}

impl<T, O: Full<Item = T> + Pop<Item = T> + Closed + Len + Send> Owns<T> for O {}

/// A thief's handle.
pub(crate) trait Steals<T>: Closed + Clone + Send + Sync {
    type Owner: Owns<T>;
    fn steal(&self) -> Steal<T>;
    fn seize(&self) -> Steal<T>;
    fn steal_granted(&self) -> Steal<T>;
    fn steal_to_vec(&self, items: &mut Vec<T>, most: usize) -> Steal<usize>;
    fn steal_slice(&self, items: &mut [T]) -> Steal<usize>
    where
        T: Copy;
    fn steal_into(&self, owner: &mut Self::Owner, most: usize) -> Steal<usize>;
    fn request(&self);
    fn granted(&self, block: usize) -> usize;
}

/// Either queue.
pub(crate) trait Form<T: Send>: 'static {
    type Owner: Owns<T>;
    type Stealer: Steals<T, Owner = Self::Owner>;
    /// Whether the owner takes the newest item.
    const NEWEST: bool;

    fn starting_at(blocks: usize, size: usize, lap: usize) -> (Self::Owner, Self::Stealer);
    fn for_capacity(capacity: usize) -> (Self::Owner, Self::Stealer);

    fn make(blocks: usize, size: usize) -> (Self::Owner, Self::Stealer) {
        Self::starting_at(blocks, size, 1)
    }
}

macro_rules! forms {
    ($($name:ident: $module:ident, $newest:literal;)*) => {$(
        pub(crate) struct $name;

        impl<T: Send> Steals<T> for $module::Stealer<T> {
            type Owner = $module::Owner<T>;

            fn steal(&self) -> Steal<T> {
                self.steal()
            }

            fn steal_granted(&self) -> Steal<T> {
                self.steal_granted()
            }

            fn seize(&self) -> Steal<T> {
                self.seize()
            }

            fn steal_to_vec(&self, items: &mut Vec<T>, most: usize) -> Steal<usize> {
                self.steal_to_vec(items, most)
            }

            fn steal_slice(&self, items: &mut [T]) -> Steal<usize>
            where
                T: Copy,
            {
                self.steal_slice(items)
            }

            fn steal_into(&self, owner: &mut Self::Owner, most: usize) -> Steal<usize> {
                self.steal_into(owner, most)
            }

            fn request(&self) {
                self.request();
            }

            fn granted(&self, block: usize) -> usize {
                self.granted(block)
            }
        }

        impl<T: Send + 'static> Form<T> for $name {
            type Owner = $module::Owner<T>;
            type Stealer = $module::Stealer<T>;
            const NEWEST: bool = $newest;

            fn starting_at(blocks: usize, size: usize, lap: usize) -> (Self::Owner, Self::Stealer) {
                $module::starting_at(Geometry::new(blocks, size).expect("possible"), lap).expect("there is memory")
            }

            fn for_capacity(capacity: usize) -> (Self::Owner, Self::Stealer) {
                $module::new(capacity).expect("there is memory")
            }
        }
    )*};
}

forms! {
    Lifo: lifo, true;
    Fifo: fifo, false;
}

/// Makes a test of a scenario for each queue.
macro_rules! both {
    ($name:ident: $scenario:ident $(::<$item:ty>)?) => {
        mod $name {
            use super::*;

            #[test]
            fn lifo() {
                $scenario::<$($item,)? crate::common::Lifo>();
            }

            #[test]
            fn fifo() {
                $scenario::<$($item,)? crate::common::Fifo>();
            }
        }
    };
}
pub(crate) use both;

/// Counts drops of tokens, by number.
#[derive(Clone)]
pub(crate) struct Ledger(Arc<Vec<AtomicUsize>>);

/// An item that is entered in a ledger when it is dropped.
pub(crate) struct Token {
    pub(crate) number: usize,
    ledger: Ledger,
}

impl Ledger {
    pub(crate) fn new(tokens: usize) -> Self {
        Self(Arc::new((0..tokens).map(|_| AtomicUsize::new(0)).collect()))
    }

    pub(crate) fn token(&self, number: usize) -> Token {
        Token { number, ledger: self.clone() }
    }

    pub(crate) fn drops(&self) -> Vec<usize> {
        self.0.iter().map(|count| count.load(Ordering::Relaxed)).collect()
    }

    pub(crate) fn assert_all_dropped_once(&self, context: &str) {
        assert!(self.drops().iter().all(|&drops| drops == 1), "{context}: drops {:?}", self.drops());
    }
}

impl Drop for Token {
    fn drop(&mut self) {
        self.ledger.0[self.number].fetch_add(1, Ordering::Relaxed);
    }
}

/// Numbers that look random, the same in each run.
pub(crate) struct Dice(pub(crate) u64);

impl Dice {
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % bound as u64) as usize
    }
}

/// Blocks and their sizes.
pub(crate) const SHAPES: [(usize, usize); 7] = [(2, 1), (2, 2), (2, 7), (3, 1), (3, 4), (5, 3), (8, 64)];

/// Laps whose stored bits wrap around, or soon will.
pub(crate) const LAPS: [usize; 5] =
    [0, u32::MAX as usize - 1, (usize::MAX >> (usize::BITS / 4)) - 1, usize::MAX - 1, usize::MAX];
