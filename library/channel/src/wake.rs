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
    /// How to wake it. The clone of a waker is user's code: no lock is held.
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

    /// Whether it wakes the caller. A thread does not change while it waits.
    pub(crate) fn is_of(&self, caller: Caller<'_>) -> bool {
        match (self, caller) {
            (Self::Thread(_), Caller::Thread) => true,
            (Self::Task(present), Caller::Task(waker)) => present.will_wake(waker),
            _ => false,
        }
    }
}

/// Waiters to be woken when the lock is open again. Dropping it wakes all of them, even if one wake-up panics.
#[derive(Debug, Default)]
pub(crate) struct Woken(Kind);

#[derive(Debug, Default)]
enum Kind {
    #[default]
    Nobody,
    One(Wake),
    /// They are woken from the back.
    Several(Vec<Wake>),
    /// What is not to be woken, but dropped.
    Replaced(#[expect(dead_code, reason = "nothing but its drop is needed")] Wake),
}

impl Woken {
    #[inline(always)]
    pub(crate) fn one(wake: Option<Wake>) -> Self {
        Self(wake.map_or(Kind::Nobody, Kind::One))
    }

    pub(crate) fn all(wakes: Vec<Wake>) -> Self {
        Self(if wakes.is_empty() { Kind::Nobody } else { Kind::Several(wakes) })
    }

    /// Wakes nobody; drops the replaced waker.
    #[inline(always)]
    pub(crate) fn none(old: Option<Wake>) -> Self {
        Self(old.map_or(Kind::Nobody, Kind::Replaced))
    }

    /// Wakes them.
    #[inline(always)]
    pub(crate) fn wake_now(self) {
        let mut this = mem::ManuallyDrop::new(self);
        match mem::take(&mut this.0) {
            Kind::Nobody => {}
            Kind::One(wake) => wake.wake(),
            rest => drop(Self(rest)),
        }
    }

    /// Out of line: most operations wake nobody.
    #[inline(never)]
    fn wake(&mut self) {
        match mem::take(&mut self.0) {
            Kind::Nobody | Kind::Replaced(_) => {}
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
        if !matches!(self.0, Kind::Nobody) {
            self.wake();
        }
    }
}
