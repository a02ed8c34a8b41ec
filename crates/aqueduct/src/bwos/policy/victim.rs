//! What a policy asks of those that are stolen from.

use super::super::steal::Steal;
use super::super::{fifo, lifo};

/// Somebody to steal from: a stealer of either queue, or of somebody else's, which may be one block and have nobody to ask.
pub trait Victim {
    /// What is stolen.
    type Item;

    /// Steals an item of those that the owner has given, and asks for nothing.
    fn steal_granted(&self) -> Steal<Self::Item>;

    /// Steals an item if one of that block can be stolen: that one, where thieves may take any; else the oldest one.
    fn steal_sampled(&self, block: usize) -> Steal<Self::Item> {
        if self.granted(block) > 0 { self.steal_granted() } else { Steal::Empty }
    }

    /// How many items of that block can be stolen.
    fn granted(&self, block: usize) -> usize;

    /// How many blocks there are.
    fn blocks(&self) -> usize {
        1
    }

    /// Asks the owner for items.
    fn ask(&self) {}
}

impl<T> Victim for lifo::Stealer<T> {
    type Item = T;

    fn steal_granted(&self) -> Steal<T> {
        self.steal_granted()
    }

    fn granted(&self, block: usize) -> usize {
        self.granted(block)
    }

    fn blocks(&self) -> usize {
        self.blocks()
    }

    fn ask(&self) {
        self.ask();
    }
}

impl<T> Victim for fifo::Stealer<T> {
    type Item = T;

    fn steal_granted(&self) -> Steal<T> {
        self.steal_granted()
    }

    fn steal_sampled(&self, block: usize) -> Steal<T> {
        self.steal_of(block)
    }

    fn granted(&self, block: usize) -> usize {
        self.granted(block)
    }

    fn blocks(&self) -> usize {
        self.blocks()
    }

    fn ask(&self) {
        self.ask();
    }
}
