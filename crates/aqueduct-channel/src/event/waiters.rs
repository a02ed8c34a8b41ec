//! The waiters of an event, in the order in which they are woken.

use crate::list::List;
use crate::wake::{Caller, Wake, Woken};

/// Waiters. One that has been notified is not linked any more, and has to remove its entry.
#[derive(Debug)]
pub(super) struct Waiters {
    list: List<Option<Wake>>,
    /// Whether the attempt of some waiter has failed inexactly: see [`Miss`](super::Miss).
    is_owed: bool,
}

impl Waiters {
    pub(super) const fn new() -> Self {
        Self { list: List::new(), is_owed: false }
    }

    pub(super) fn waiting(&self) -> usize {
        self.list.len()
    }

    /// The attempt of a waiter has failed inexactly.
    pub(super) fn owe(&mut self) {
        self.is_owed = true;
    }

    /// Whether a waiter that succeeds has to wake the next one. Waiters that are not listed yet make attempts of their
    /// own.
    pub(super) fn is_owed(&mut self) -> bool {
        self.is_owed &= self.waiting() > 0;
        self.is_owed
    }

    /// Adds a waiter and returns its key.
    pub(super) fn insert(&mut self, wake: Wake, is_first: bool) -> usize {
        self.list.insert(Some(wake), is_first)
    }

    /// Notifies the first `count` waiters.
    pub(super) fn notify(&mut self, count: usize) -> Woken {
        let first = self.notify_first();
        let more = count.saturating_sub(1).min(self.waiting());
        if more == 0 {
            return Woken::one(first);
        }
        let mut all: Vec<Wake> = first.into_iter().chain((0..more).filter_map(|_| self.notify_first())).collect();
        // They are woken from the back.
        all.reverse();
        Woken::all(all)
    }

    fn notify_first(&mut self) -> Option<Wake> {
        let key = self.list.first()?;
        self.list.unlink(key);
        self.list.get(key).take()
    }

    /// Removes the waiter if it has been notified, and returns whether it has.
    pub(super) fn take_notification(&mut self, key: usize) -> bool {
        let is_notified = !self.list.is_linked(key);
        if is_notified {
            self.list.remove(key);
        }
        is_notified
    }

    /// Makes the waiter be woken as `caller`. Returns what is to be dropped when the lock is open.
    pub(super) fn replace(&mut self, key: usize, caller: Caller<'_>) -> Option<Wake> {
        self.list.get(key).as_mut().and_then(|wake| wake.replace(caller))
    }

    /// Takes the waiter out. Returns how it would have been woken; nothing if it was notified.
    pub(super) fn remove(&mut self, key: usize) -> Option<Wake> {
        self.list.remove(key)
    }
}
