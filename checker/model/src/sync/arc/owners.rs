//! The owners of a value, as the model sees them.
//!
//! A count has an execution for each order of clones and drops. Most of them are equal for the
//! program: a drop only learns whether it is the last one, and the last one synchronizes with the
//! others. So owners are linked instead, as long as the program never reads their number.
//!
//! # Forks
//! A clone makes a [`Fork`] of an owner: its sides are the owner from then on, and the clone. A
//! dropped owner arrives at the fork that it came from. The first that arrives there leaves, and
//! the second one continues to the fork before, with the share that both had. The owner that is
//! second at the first fork of all is the last one. Sides that arrive at different forks share no
//! event, and a side that waits until another owner was dropped, as the main thread does when it
//! joins threads, has no choice where it meets it.
//!
//! # Executions with a count have one with forks
//! Let `E` be an execution with a count in which each owner is cloned before it is dropped, as safe
//! Rust ensures. Let the first at each fork be the side whose last owner is dropped first in the
//! modification order of the count. That is an execution `F` with forks:
//!
//! - The last owner is that of `E`. A drop sees a count of 1 if all other owners were dropped, and
//!   no owner is left that could be cloned. Such an owner is the second at each fork that it
//!   arrives at, up to the first one. Every other owner is first somewhere.
//! - What happens before an event in `F` happens before it in `E`. A drop releases; the sources of
//!   the exchanges of the second at a fork are drops that come before in the count's modification
//!   order, from whose release sequence the second one reads in `E`. The write at the fork before
//!   *carries* the releases that the fork after it has received: it is in the release sequence of
//!   all drops that it stands for, and the thread does not acquire them. The last owner acquires by
//!   a fence, as in `E`, the releases of all forks.
//! - An owner that checks whether it is alone reads its forks, from the last one to the first. In
//!   `E` it reads a count, of 1 if the other side of each fork was dropped by then. Otherwise, let
//!   it find in `F` the first fork whose other side was not, by happens-before: up to there, it
//!   acquires only events that already happen before it.
//! - The relations between the exchanges at forks, and between the clones of one owner, are part of
//!   those of `E`. So axioms that hold in `E` hold in `F`.
//!
//! So a race, or a failure, of `E` is one of `F`. Each `F` has its `E`, too, unless the program
//! relies on drops that are not the last for synchronization, by fences of its own around them: std
//! promises none.
//!
//! # Weak references
//! A weak reference is not an owner. It becomes one by an upgrade, which fails after the last drop.
//! That owner is not a clone: it begins a *family* of its own, with forks of its own, and the word
//! of the value counts families. The last owner of a family subtracts from that word, with the
//! releases that it carries, and the one that brings it to zero is the last of all. An upgrade adds
//! one unless the word is zero. In `E` it succeeds if and only if an owner is left at its place in
//! the modification order, hence a family. So the drops of one family have no order with an
//! upgrade, but for its end. In `E` an upgrade acquires what drops before it released; in `F`, the
//! releases of families that have ended. An upgrade does not reveal whether an owner was dropped,
//! so std promises only the synchronization that it needs: that with `Arc::new_cyclic`.
//!
//! A value that no weak reference was made of has no word. A thread that makes a weak reference has
//! an owner, which is dropped later; so that happens before the drop of the first family's last
//! owner.
//!
//! # When owners are counted
//! Their number is read by `strong_count`, `weak_count` and `JoinHandle::is_finished`, by
//! `get_mut` and `make_mut` of a value with one owner and weak references, and raw pointers stand
//! for owners without an identity. A program that uses them in any execution is explored
//! anew with a count of owners and one of weak references, as in `std`.
//! [`Config::all_drop_orders`](crate::Config::all_drop_orders) requests one, too.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::count::Count;
use crate::sync::atomic::{AtomicUsize, Ordering, fence};

/// An owner.
pub(super) struct Owner {
    clones: AtomicUsize,
    /// The fork whose side the owner is; `None` for the first owner.
    origin: Option<Arc<Fork>>,
    /// The forks of the owner's clones.
    forks: Mutex<Vec<Arc<Fork>>>,
}

/// The point at which one owner became two.
pub(super) struct Fork {
    /// The number of sides that were dropped.
    gone: AtomicUsize,
    /// The fork that the owner came from.
    before: Option<Arc<Fork>>,
}

impl Owner {
    /// Makes the first owner of a value.
    pub(super) const fn first() -> Self {
        Self::of(None)
    }

    const fn of(origin: Option<Arc<Fork>>) -> Self {
        Self { clones: AtomicUsize::new(0), origin, forks: Mutex::new(Vec::new()) }
    }

    /// Makes another owner.
    #[track_caller]
    pub(super) fn another(&self) -> Self {
        // Threads can share an owner, and clone it at once: the number is the same in each replay.
        let number = self.clones.fetch_add(1, Ordering::Relaxed);
        Self::of(Some(self.fork(number)))
    }

    fn fork(&self, number: usize) -> Arc<Fork> {
        let mut forks: MutexGuard<'_, Vec<_>> = self.forks.lock().unwrap_or_else(PoisonError::into_inner);
        while forks.len() <= number {
            let before = forks.last().or(self.origin.as_ref()).map(Arc::clone);
            forks.push(Arc::new(Fork { gone: AtomicUsize::new(0), before }));
        }
        Arc::clone(&forks[number])
    }

    /// Returns the fork whose side the owner is now.
    fn side_of(&self) -> Option<Arc<Fork>> {
        match self.clones.known().checked_sub(1) {
            Some(last) => Some(self.fork(last)),
            None => self.origin.clone(),
        }
    }

    /// Ends the owner of a value. Returns whether it was the last one, which then synchronizes with
    /// all others.
    #[track_caller]
    pub(super) fn end(&self, count: &Count) -> bool {
        let mut side = self.side_of();
        let mut carried = None;
        while let Some(fork) = side {
            let (gone, write) = fork.gone.pass(1, carried);
            if gone == 0 {
                return false;
            }
            carried = write;
            side = fork.before.clone();
        }
        if count.is_weakened() && count.owners.pass(usize::MAX, carried).0 != 1 {
            return false;
        }
        fence(Ordering::Acquire);
        true
    }

    /// Whether all others of its family were dropped. Then the owner synchronizes with their drops.
    #[track_caller]
    pub(super) fn is_alone(&self) -> bool {
        let mut side = self.side_of();
        while let Some(fork) = side {
            // Ordering: Acquire pairs with the Release of `pass`.
            if fork.gone.load(Ordering::Acquire) == 0 {
                return false;
            }
            side = fork.before.clone();
        }
        true
    }
}
