//! RTSQ, the relaxed time-stamped queue (Haas, "Fast Concurrent Data Structures Through
//! Timestamping", Salzburg 2015, and the Scal benchmarks): a list for each thread, whose nodes have
//! the numbers of their pushes. A pop takes the oldest of the lists' first nodes. It takes a node
//! at once if it comes across one whose number is not above the pop's own: as many pops as pushes
//! came before that node.
//!
//! # What differs from Scal's
//! - A pop that has found all lists empty reports that, and keeps its number for the next time;
//!   Scal's tries forever. Each number that is kept lets one item more overtake another one.
//! - Nodes are reclaimed by epochs; Scal's are not.

use std::ptr;
use std::sync::Arc;

use aqueduct_measure::run::Apart;

use super::dice::Dice;
use super::epochs::{Epochs, Member};
use super::sync::{AtomicPtr, AtomicU64, Ordering, make};
use super::words::{Linked, follow, free_all, relink};

/// A node of a list. The first one's item has been taken.
#[derive(Debug)]
struct Node {
    item: u64,
    time: u64,
    next: AtomicPtr<Node>,
}

impl Linked for Node {
    #[inline]
    fn next(&self) -> &AtomicPtr<Self> {
        &self.next
    }
}

impl Node {
    #[inline]
    fn new(item: u64, time: u64) -> *mut Self {
        make(Self { item, time, next: AtomicPtr::new(ptr::null_mut()) })
    }
}

#[derive(Debug)]
struct Lists {
    /// The numbers of the next push and of the next pop.
    pushes: Apart<AtomicU64>,
    pops: Apart<AtomicU64>,
    /// The first node of each thread's list.
    first: Box<[Apart<AtomicPtr<Node>>]>,
    epochs: Epochs<Node>,
}

// SAFETY: nodes are reached by atomics, and freed by the rule of the epochs.
unsafe impl Send for Lists {}
// SAFETY: as for `Send`.
unsafe impl Sync for Lists {}

impl Drop for Lists {
    fn drop(&mut self) {
        for Apart(first) in &self.first {
            // SAFETY: all threads have left, and nodes from the first on have not been given up.
            unsafe { free_all(first) };
        }
    }
}

/// A thread's end of the queue.
#[derive(Debug)]
pub struct Rtsq {
    lists: Arc<Lists>,
    /// The last node of the thread's list.
    last: *mut Node,
    /// The number of its pop, if the last one found nothing.
    number: Option<u64>,
    member: Member<Node>,
    dice: Dice,
}

// SAFETY: the last node is in the lists or their first one, and the thread alone links nodes to it;
// the objects that it has given up are its alone to free.
unsafe impl Send for Rtsq {}

impl Drop for Rtsq {
    fn drop(&mut self) {
        self.lists.epochs.inherit(&mut self.member);
    }
}

/// Makes a queue, and an end for each thread.
pub fn new(threads: usize) -> Vec<Rtsq> {
    let first: Vec<*mut Node> = (0..threads).map(|_| Node::new(0, 0)).collect();
    let lists = Arc::new(Lists {
        pushes: Apart(AtomicU64::new(1)),
        pops: Apart(AtomicU64::new(1)),
        first: first.iter().map(|&node| Apart(AtomicPtr::new(node))).collect(),
        epochs: Epochs::new(threads),
    });
    let end = |(thread, last)| Rtsq {
        lists: Arc::clone(&lists),
        last,
        number: None,
        member: Epochs::member(thread),
        dice: Dice::of(thread),
    };
    first.into_iter().enumerate().map(end).collect()
}

/// A list's first node and the one after it, which has its first item.
type Found<'a> = (&'a AtomicPtr<Node>, *mut Node, &'a Node);

/// Looks for the first item of a list. The thread has entered an epoch.
#[inline]
fn look(list: &AtomicPtr<Node>) -> Option<Found<'_>> {
    let first = follow(list);
    // SAFETY: in the thread's epoch, the node could be reached.
    let next = follow(unsafe { &(*first).next });
    // SAFETY: in the thread's epoch, it could be reached, if there is one.
    unsafe { next.as_ref() }.map(|node| (list, first, node))
}

impl Rtsq {
    /// Adds an item, which is not 0. Returns whether there was room.
    #[inline]
    pub fn push(&mut self, item: u64) -> bool {
        let time = self.lists.pushes.0.fetch_add(1, Ordering::SeqCst);
        let new = Node::new(item, time);
        // SAFETY: the last node is given up only after the one that follows it has been taken.
        unsafe { &(*self.last).next }.store(new, Ordering::SeqCst);
        self.last = new;
        true
    }

    /// Takes an item, unless none was found.
    #[inline]
    pub fn pop(&mut self) -> Option<u64> {
        let Self { lists, number, member, dice, .. } = self;
        let own = number.take().unwrap_or_else(|| lists.pops.0.fetch_add(1, Ordering::SeqCst));
        lists.epochs.enter(member);
        let item = lists.oldest(own, member, dice);
        lists.epochs.leave(member);
        if item.is_none() {
            *number = Some(own);
        }
        item
    }
}

impl Lists {
    /// Takes the oldest item, or one that is as old as that number allows.
    #[inline]
    fn oldest(&self, number: u64, member: &mut Member<Node>, dice: &mut Dice) -> Option<u64> {
        loop {
            let mut oldest: Option<Found<'_>> = None;
            let (before, from) = self.first.split_at(dice.throw(self.first.len()));
            for Apart(list) in from.iter().chain(before) {
                let Some(mut found) = look(list) else { continue };
                if found.2.time <= number {
                    if let Some(item) = self.take(found, member) {
                        return Some(item);
                    }
                    match look(list) {
                        Some(next) => found = next,
                        None => continue,
                    }
                }
                if oldest.is_none_or(|known| found.2.time < known.2.time) {
                    oldest = Some(found);
                }
            }
            if let Some(item) = self.take(oldest?, member) {
                return Some(item);
            }
        }
    }

    /// Takes an item, unless another thread has.
    #[inline]
    fn take(&self, (list, first, node): Found<'_>, member: &mut Member<Node>) -> Option<u64> {
        if !relink(list, first, ptr::from_ref(node).cast_mut()) {
            return None;
        }
        let item = node.item;
        // SAFETY: the list does not lead to it any more, and one thread has moved it on.
        unsafe { self.epochs.give_up(member, first) };
        Some(item)
    }
}
