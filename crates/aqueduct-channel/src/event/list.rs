//! The waiters of an event, in the order in which they are woken.

use std::mem;
use std::task::Waker;

use crate::sync::Thread;

/// How to wake a waiter.
#[derive(Debug)]
pub(crate) enum Wake {
    /// A thread that parks.
    Thread(Thread),
    /// A task.
    Task(Waker),
}

impl Wake {
    fn wake(self) {
        match self {
            Self::Thread(thread) => thread.unpark(),
            Self::Task(waker) => waker.wake(),
        }
    }
}

/// Waiters to be woken when the lock is open again. Dropping it wakes all of them, even if one wake-up panics.
#[derive(Debug, Default)]
pub(super) struct Woken(Option<Wake>, Vec<Wake>);

impl Drop for Woken {
    fn drop(&mut self) {
        while let Some(wake) = self.0.take() {
            self.0 = self.1.pop();
            let rest = Self(self.0.take(), mem::take(&mut self.1));
            wake.wake();
            *self = rest;
        }
    }
}

/// Stands for "no entry".
const NONE: usize = usize::MAX;

/// A doubly linked list in a vector: every operation takes constant time, and no waiter allocates once the vector has
/// grown to the largest number of waiters.
#[derive(Debug)]
pub(super) struct List {
    entries: Vec<Entry>,
    first: usize,
    last: usize,
    /// The first free entry; `after` leads to the others.
    free: usize,
    /// How many entries wait.
    waiting: usize,
    /// Whether the attempt of some waiter has failed inexactly: see [`Miss`](super::Miss).
    is_owed: bool,
}

#[derive(Debug)]
struct Entry {
    state: State,
    before: usize,
    after: usize,
}

#[derive(Debug)]
enum State {
    Free,
    Waiting(Wake),
    /// Not in the list any more. The waiter frees the entry.
    Notified,
}

impl List {
    pub(super) const fn new() -> Self {
        Self { entries: Vec::new(), first: NONE, last: NONE, free: NONE, waiting: 0, is_owed: false }
    }

    pub(super) fn waiting(&self) -> usize {
        self.waiting
    }

    /// The attempt of a waiter has failed inexactly.
    pub(super) fn owe(&mut self) {
        self.is_owed = true;
    }

    /// Whether a waiter that succeeds has to wake the next one. Waiters that are not listed yet make attempts of their
    /// own.
    pub(super) fn is_owed(&mut self) -> bool {
        self.is_owed &= self.waiting > 0;
        self.is_owed
    }

    /// Adds a waiter and returns its key.
    pub(super) fn insert(&mut self, wake: Wake, is_first: bool) -> usize {
        let (before, after) = if is_first { (NONE, self.first) } else { (self.last, NONE) };
        let entry = Entry { state: State::Waiting(wake), before, after };
        let key = if self.free == NONE {
            self.entries.push(entry);
            self.entries.len() - 1
        } else {
            let key = self.free;
            self.free = mem::replace(&mut self.entries[key], entry).after;
            key
        };
        *self.link_from(before) = key;
        *self.link_to(after) = key;
        self.waiting += 1;
        key
    }

    /// The link that leads to what comes after the entry `before`.
    fn link_from(&mut self, before: usize) -> &mut usize {
        if before == NONE { &mut self.first } else { &mut self.entries[before].after }
    }

    /// The link that leads to what comes before the entry `after`.
    fn link_to(&mut self, after: usize) -> &mut usize {
        if after == NONE { &mut self.last } else { &mut self.entries[after].before }
    }

    fn unlink(&mut self, key: usize) {
        let (before, after) = (self.entries[key].before, self.entries[key].after);
        *self.link_from(before) = after;
        *self.link_to(after) = before;
        self.waiting -= 1;
    }

    /// Notifies the first `count` waiters.
    pub(super) fn notify(&mut self, count: usize) -> Woken {
        let first = self.notify_first();
        let more = count.saturating_sub(1).min(self.waiting);
        let mut others: Vec<Wake> = (0..more).filter_map(|_| self.notify_first()).collect();
        // They are woken from the back.
        others.reverse();
        Woken(first, others)
    }

    fn notify_first(&mut self) -> Option<Wake> {
        let key = self.first;
        if key == NONE {
            return None;
        }
        self.unlink(key);
        match mem::replace(&mut self.entries[key].state, State::Notified) {
            State::Waiting(wake) => Some(wake),
            State::Free | State::Notified => unreachable!("only waiters are in the list"),
        }
    }

    /// Frees the entry if it has been notified, and returns whether it has.
    pub(super) fn take_notification(&mut self, key: usize) -> bool {
        let is_notified = matches!(self.entries[key].state, State::Notified);
        if is_notified {
            self.free(key);
        }
        is_notified
    }

    /// Makes the waiter be woken by `waker`. Returns what is to be dropped when the lock is open.
    pub(super) fn replace_waker(&mut self, key: usize, waker: &Waker) -> Option<Wake> {
        match &mut self.entries[key].state {
            State::Waiting(Wake::Task(present)) if present.will_wake(waker) => None,
            State::Waiting(present) => Some(mem::replace(present, Wake::Task(waker.clone()))),
            State::Free | State::Notified => None,
        }
    }

    /// Takes the waiter out. Returns how it would have been woken; nothing if it was notified.
    pub(super) fn remove(&mut self, key: usize) -> Option<Wake> {
        if matches!(self.entries[key].state, State::Waiting(_)) {
            self.unlink(key);
        }
        match self.free(key) {
            State::Waiting(wake) => Some(wake),
            State::Free | State::Notified => None,
        }
    }

    fn free(&mut self, key: usize) -> State {
        let entry = Entry { state: State::Free, before: NONE, after: self.free };
        self.free = key;
        mem::replace(&mut self.entries[key], entry).state
    }
}
