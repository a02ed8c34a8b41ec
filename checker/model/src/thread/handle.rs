//! Threads' handles: names, numbers, parking.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use super::{JoinHandle, Scope, ScopedJoinHandle, spawn_named};
use crate::hint;
use crate::runtime::{driver, locals};
use crate::sync::Notify;

/// The name of a thread of an execution.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct ThreadId(usize);

/// A thread of an execution.
#[derive(Clone, Debug)]
pub struct Thread(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    id: ThreadId,
    name: Option<String>,
    token: Notify,
}

impl Thread {
    /// Returns the handle of the thread with this number, which gets the name if it has no handle
    /// yet.
    pub(super) fn of(thread: usize, name: Option<String>) -> Self {
        locals::handle(thread, || Self(Arc::new(Inner { id: ThreadId(thread), name, token: Notify::new() })))
    }

    /// Returns a name that differs from those of the other threads of the execution.
    ///
    /// It does not change between executions in which threads are created in one order.
    #[must_use]
    pub fn id(&self) -> ThreadId {
        driver::tell_apart(self.0.id.0);
        self.0.id
    }

    /// Returns the name that [`Builder::name`] gave.
    #[must_use]
    pub fn name(&self) -> Option<&str> {
        self.0.name.as_deref()
    }

    /// Wakes the thread from its `park`, or makes its next `park` return at once.
    ///
    /// As `std` promises, it releases what the caller did before, and acquires nothing.
    #[track_caller]
    pub fn unpark(&self) {
        self.0.token.notify();
    }
}

/// Returns the calling thread.
///
/// # Panics
///
/// Outside of a model.
#[must_use]
pub fn current() -> Thread {
    Thread::of(driver::ask(|engine| engine.current), None)
}

/// Waits until a thread calls [`Thread::unpark`], or has called it since the last time. It never
/// ends spuriously.
///
/// As `std` promises, it acquires what all callers before it have released.
///
/// # Panics
///
/// Outside of a model.
#[track_caller]
pub fn park() {
    current().0.token.wait();
}

/// Waits as [`park`] does, or less: the model explores both, whatever the time is.
///
/// # Panics
///
/// Outside of a model.
#[track_caller]
pub fn park_timeout(_timeout: Duration) {
    // The time may be over at any moment, so only whether a thread has called by then is explored.
    if !current().0.token.take() {
        hint::time_out();
    }
}

/// A builder of threads with names.
#[derive(Debug, Default)]
pub struct Builder {
    name: Option<String>,
}

impl Builder {
    /// Makes a builder without a name.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Names the thread.
    #[must_use]
    pub fn name(mut self, name: String) -> Self {
        self.name = Some(name);
        self
    }

    /// Changes nothing: see [`Config::stack_size`](crate::Config::stack_size).
    #[must_use]
    pub fn stack_size(self, _bytes: usize) -> Self {
        self
    }

    /// Starts a thread, as [`spawn`](super::spawn) does.
    ///
    /// # Errors
    ///
    /// It never fails.
    #[track_caller]
    pub fn spawn<F, T>(self, body: F) -> io::Result<JoinHandle<T>>
    where
        F: FnOnce() -> T + 'static,
        T: 'static,
    {
        Ok(spawn_named(self.name, body))
    }

    /// Starts a thread of a scope, as [`Scope::spawn`] does.
    ///
    /// # Errors
    ///
    /// It never fails.
    #[track_caller]
    pub fn spawn_scoped<'scope, F, T>(
        self,
        scope: &'scope Scope<'scope, '_>,
        body: F,
    ) -> io::Result<ScopedJoinHandle<'scope, T>>
    where
        F: FnOnce() -> T + 'scope,
        T: 'scope,
    {
        Ok(scope.spawn_named(self.name, body))
    }
}
