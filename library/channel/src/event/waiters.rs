//! The waiters of an event, in the order in which they are woken.

use std::mem;

use super::offer::Offer;
use crate::list::List;
use crate::wake::{Caller, Wake, Woken};

/// Place of the waiter in [`Waiters::sole`], which is not in the list.
const SOLE: usize = usize::MAX;

/// Key by which a waiter finds its entry.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Key {
    place: usize,
    /// Distinguishes the waiter from earlier ones at this place.
    ticket: u64,
}

#[derive(Debug)]
struct Entry {
    wake: Wake,
    /// The attempt that the notifier is to make.
    offer: Option<Offer>,
    ticket: u64,
}

/// Waiters that have not been notified. A notification removes the entry, so a waiter without an
/// entry has been notified.
#[derive(Debug)]
pub(super) struct Waiters {
    /// First waiter, if the list was empty when it arrived, or this place was free when it came
    /// back. Most events have one waiter at a time.
    sole: Option<Entry>,
    /// Waiters behind `sole`.
    list: List<Entry>,
    next_ticket: u64,
    /// True if the attempt of some waiter has failed inexactly: see [`Miss`](super::Miss).
    is_owed: bool,
}

impl Waiters {
    pub(super) const fn new() -> Self {
        Self { sole: None, list: List::new(), next_ticket: 0, is_owed: false }
    }

    pub(super) fn waiting(&self) -> usize {
        usize::from(self.sole.is_some()) + self.list.len()
    }

    /// Records that a waiter's attempt has failed inexactly.
    pub(super) fn note_inexact_miss(&mut self) {
        self.is_owed = true;
    }

    /// Whether a waiter that succeeds has to wake the next one. Waiters that are not listed yet
    /// make their own attempts.
    pub(super) fn is_owed(&mut self) -> bool {
        self.is_owed &= self.waiting() > 0;
        self.is_owed
    }

    /// Adds a waiter and returns its key. A waiter that is inserted as the first one comes second
    /// if `sole` is taken.
    pub(super) fn insert(&mut self, wake: Wake, is_first: bool) -> Key {
        let ticket = self.next_ticket;
        self.next_ticket += 1;
        if self.sole.is_none() && (is_first || self.list.len() == 0) {
            self.sole = Some(Entry { wake, offer: None, ticket });
            return Key { place: SOLE, ticket };
        }
        Key { place: self.list.insert(Entry { wake, offer: None, ticket }, is_first), ticket }
    }

    /// Notifies the first `count` waiters, which make their attempts themselves.
    pub(super) fn notify(&mut self, count: usize) -> Woken {
        let first = self.notify_first();
        let more = count.saturating_sub(1).min(self.waiting());
        if more == 0 {
            return Woken::one(first);
        }
        let mut all: Vec<Wake> = first.into_iter().chain((0..more).filter_map(|_| self.notify_first())).collect();
        // The waiters are woken from the back.
        all.reverse();
        Woken::all(all)
    }

    fn notify_first(&mut self) -> Option<Wake> {
        let (wake, offer) = self.take_first()?;
        if let Some(offer) = offer {
            // SAFETY: just taken out.
            unsafe { offer.decline() };
        }
        Some(wake)
    }

    /// Notifies the first waiter. The caller settles its offer before it wakes it.
    #[inline]
    pub(super) fn take_first(&mut self) -> Option<(Wake, Option<Offer>)> {
        let entry = match self.sole.take() {
            Some(entry) => entry,
            None => {
                let place = self.list.first()?;
                self.list.remove(place)
            }
        };
        Some((entry.wake, entry.offer))
    }

    /// Adds the waiter's offer to its entry. Returns false if it has been notified.
    pub(super) fn offer(&mut self, key: Key, offer: Offer) -> bool {
        self.entry(key).map(|entry| entry.offer = Some(offer)).is_some()
    }

    /// The waiter's entry, unless it has been notified.
    fn entry(&mut self, key: Key) -> Option<&mut Entry> {
        let entry = if key.place == SOLE { self.sole.as_mut() } else { self.list.find_by_key(key.place) };
        entry.filter(|entry| entry.ticket == key.ticket)
    }

    /// Whether the waiter is woken as `caller`; `None` if it has been notified.
    pub(super) fn is_of(&mut self, key: Key, caller: Caller<'_>) -> Option<bool> {
        self.entry(key).map(|entry| entry.wake.is_of(caller))
    }

    /// Replaces the waiter's wake-up by `wake`. Returns the old one, which is to be dropped after
    /// the lock is released. Returns `wake` as an error if the waiter has been notified.
    pub(super) fn replace(&mut self, key: Key, wake: Wake) -> Result<Wake, Wake> {
        match self.entry(key) {
            Some(entry) => Ok(mem::replace(&mut entry.wake, wake)),
            None => Err(wake),
        }
    }

    /// Removes the waiter. Returns its wake-up, or `None` if it was notified.
    pub(super) fn remove(&mut self, key: Key) -> Option<Wake> {
        self.entry(key)?;
        if key.place == SOLE {
            return self.sole.take().map(|entry| entry.wake);
        }
        Some(self.list.remove(key.place).wake)
    }
}
