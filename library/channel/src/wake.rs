//! Wake-ups of threads and tasks.

use std::mem;
use std::task::Waker;

use crate::sync::Sleeper;

/// The caller that waits: a thread or a task.
#[derive(Clone, Copy, Debug)]
pub enum Caller<'a> {
    /// The calling thread.
    Thread,
    /// A task.
    Task(&'a Waker),
}

impl Caller<'_> {
    /// Returns the caller's wake-up. Called without a lock: cloning a waker runs user code.
    pub(crate) fn wake(self) -> Wake {
        match self {
            Self::Thread => Wake::Thread(Sleeper::current()),
            Self::Task(waker) => Wake::Task(waker.clone()),
        }
    }
}

/// The wake-up of one waiter.
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

    /// Whether this wakes the caller. A thread does not change while it waits.
    pub(crate) fn is_of(&self, caller: Caller<'_>) -> bool {
        match (self, caller) {
            (Self::Thread(_), Caller::Thread) => true,
            (Self::Task(present), Caller::Task(waker)) => present.will_wake(waker),
            _ => false,
        }
    }
}

/// Waiters to be woken after the lock is released. Dropping this wakes all of them, even if one
/// wake-up panics.
#[derive(Debug, Default)]
pub(crate) struct Woken(Kind);

#[derive(Debug, Default)]
enum Kind {
    #[default]
    NoWaiter,
    One(Wake),
    /// Waiters, which are woken from the back.
    Several(Vec<Wake>),
    /// A replaced wake-up, which is dropped without waking.
    Replaced(#[expect(dead_code, reason = "nothing but its drop is needed")] Wake),
}

impl Woken {
    #[inline(always)]
    pub(crate) fn one(wake: Option<Wake>) -> Self {
        Self(wake.map_or(Kind::NoWaiter, Kind::One))
    }

    pub(crate) fn all(wakes: Vec<Wake>) -> Self {
        Self(if wakes.is_empty() { Kind::NoWaiter } else { Kind::Several(wakes) })
    }

    /// Wakes no waiter; drops the replaced waker.
    #[inline(always)]
    pub(crate) fn none(old: Option<Wake>) -> Self {
        Self(old.map_or(Kind::NoWaiter, Kind::Replaced))
    }

    /// Wakes the waiters.
    #[inline(always)]
    pub(crate) fn wake_now(self) {
        let mut this = mem::ManuallyDrop::new(self);
        match mem::take(&mut this.0) {
            Kind::NoWaiter => {}
            Kind::One(wake) => wake.wake(),
            rest => drop(Self(rest)),
        }
    }

    /// Out of line: most operations wake no waiter.
    #[inline(never)]
    fn wake(&mut self) {
        match mem::take(&mut self.0) {
            Kind::NoWaiter | Kind::Replaced(_) => {}
            Kind::One(wake) => wake.wake(),
            Kind::Several(wakes) => Self::wake_several(wakes),
        }
    }

    fn wake_several(mut wakes: Vec<Wake>) {
        while let Some(wake) = wakes.pop() {
            let mut rest = Self(Kind::Several(wakes));
            wake.wake();
            let Kind::Several(left) = mem::take(&mut rest.0) else { return };
            wakes = left;
        }
    }
}

impl Drop for Woken {
    #[inline]
    fn drop(&mut self) {
        if !matches!(self.0, Kind::NoWaiter) {
            self.wake();
        }
    }
}
