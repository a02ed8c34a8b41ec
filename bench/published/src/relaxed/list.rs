//! Queues whose nodes are in a list between a head and a tail, with an end for each thread. Epochs
//! reclaim nodes.

use std::fmt;
use std::sync::Arc;

use aqueduct_measure::run::Apart;

use super::dice::Dice;
use super::epochs::{Epochs, Member};
use super::sync::AtomicPtr;
use super::words::{Linked, free_all};

/// A node, and how threads push and pop. They have entered an epoch, so no node is freed that the
/// list still leads to.
pub trait Relaxed: Linked + fmt::Debug + Sized {
    fn push(list: &List<Self>, item: u64, dice: &mut Dice);

    fn pop(list: &List<Self>, member: &mut Member<Self>, dice: &mut Dice) -> Option<u64>;
}

#[derive(Debug)]
pub struct List<N: Linked> {
    pub head: Apart<AtomicPtr<N>>,
    /// The last node, or one before it.
    pub tail: Apart<AtomicPtr<N>>,
    /// The number of items from which a pop chooses.
    pub k: usize,
    pub epochs: Epochs<N>,
}

// SAFETY: nodes are reached by atomics, and freed by the rule of the epochs.
unsafe impl<N: Linked> Send for List<N> {}
// SAFETY: as for `Send`.
unsafe impl<N: Linked> Sync for List<N> {}

impl<N: Linked> Drop for List<N> {
    fn drop(&mut self) {
        // SAFETY: all threads have left, and the nodes from the head on have not been given up.
        unsafe { free_all(&self.head.0) };
    }
}

/// A thread's end of the queue.
#[derive(Debug)]
pub struct End<N: Linked> {
    list: Arc<List<N>>,
    member: Member<N>,
    dice: Dice,
}

// SAFETY: the nodes that a thread has given up are its alone to free.
unsafe impl<N: Linked> Send for End<N> {}

impl<N: Linked> Drop for End<N> {
    fn drop(&mut self) {
        self.list.epochs.inherit(&mut self.member);
    }
}

/// Makes a queue that begins with the node `first`, and an end for each thread.
pub(super) fn ends<N: Relaxed>(first: *mut N, k: usize, threads: usize) -> Vec<End<N>> {
    let end = || Apart(AtomicPtr::new(first));
    let list = Arc::new(List { head: end(), tail: end(), k, epochs: Epochs::new(threads) });
    let end = |thread| End { list: Arc::clone(&list), member: Epochs::member(thread), dice: Dice::of(thread) };
    (0..threads).map(end).collect()
}

impl<N: Relaxed> End<N> {
    /// Adds an item, which is not 0. Returns whether there was room.
    #[inline]
    pub fn push(&mut self, item: u64) -> bool {
        self.list.epochs.enter(&self.member);
        N::push(&self.list, item, &mut self.dice);
        self.list.epochs.leave(&self.member);
        true
    }

    /// Takes an item, unless none was found.
    #[inline]
    pub fn pop(&mut self) -> Option<u64> {
        self.list.epochs.enter(&self.member);
        let item = N::pop(&self.list, &mut self.member, &mut self.dice);
        self.list.epochs.leave(&self.member);
        item
    }
}
