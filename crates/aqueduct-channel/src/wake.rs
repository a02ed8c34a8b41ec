//! How threads and tasks are woken.

use std::mem;
use std::task::Waker;

use crate::sync::Sleeper;

/// Which caller waits.
#[derive(Clone, Copy, Debug)]
pub enum Caller<'a> {
    /// The calling thread.
    Thread,
    /// A task.
    Task(&'a Waker),
}

impl Caller<'_> {
    pub(crate) fn wake(self) -> Wake {
        match self {
            Self::Thread => Wake::Thread(Sleeper::current()),
            Self::Task(waker) => Wake::Task(waker.clone()),
        }
    }
}

/// How to wake a waiter.
#[derive(Debug)]
pub(crate) enum Wake {
    /// A thread that parks.
    Thread(Sleeper),
    /// A task.
    Task(Waker),
}

impl Wake {
    pub(crate) fn wake(self) {
        match self {
            Self::Thread(thread) => thread.wake(),
            Self::Task(waker) => waker.wake(),
        }
    }

    /// Makes it wake the caller. Returns what is to be dropped when no lock is held.
    pub(crate) fn replace(&mut self, caller: Caller<'_>) -> Option<Self> {
        match (&*self, caller) {
            // A thread does not change while it waits.
            (Self::Thread(_), Caller::Thread) => None,
            (Self::Task(present), Caller::Task(waker)) if present.will_wake(waker) => None,
            _ => Some(mem::replace(self, caller.wake())),
        }
    }
}

/// Waiters to be woken when the lock is open again. Dropping it wakes all of them, even if one wake-up panics.
#[derive(Debug, Default)]
pub(crate) struct Woken(Option<Wake>, Vec<Wake>);

impl Woken {
    pub(crate) fn one(wake: Option<Wake>) -> Self {
        Self(wake, Vec::new())
    }

    pub(crate) fn all(mut wakes: Vec<Wake>) -> Self {
        Self(wakes.pop(), wakes)
    }

    /// Wakes nobody; drops what was replaced.
    pub(crate) fn none(old: Option<Wake>) -> Self {
        Self(None, Vec::from_iter(old))
    }

    #[cold]
    fn wake_several(&mut self, mut wake: Wake) {
        loop {
            let rest = Self(self.1.pop(), mem::take(&mut self.1));
            wake.wake();
            *self = rest;
            match self.0.take() {
                Some(next) => wake = next,
                None => return,
            }
        }
    }
}

impl Drop for Woken {
    #[inline]
    fn drop(&mut self) {
        match self.0.take() {
            None => {}
            Some(wake) if self.1.is_empty() => wake.wake(),
            Some(wake) => self.wake_several(wake),
        }
    }
}
