//! Scopes: jobs that borrow, and for which the scope waits.

mod base;
mod fifo;

use std::fmt;

use crate::broadcast::BroadcastContext;
use crate::global::in_worker;
use crate::registry::Registry;
use crate::sync::Arc;
use crate::worker::Worker;
use base::Base;

pub(crate) use fifo::in_place_scope_fifo_in;
pub use fifo::{ScopeFifo, in_place_scope_fifo, scope_fifo};

/// A scope, to which jobs that borrow for `'scope` are added.
///
/// # Examples
/// See [`scope`].
pub struct Scope<'scope> {
    base: Base<'scope>,
}

/// Calls `body` with a scope, and waits until all jobs of the scope have ended.
///
/// A thread that is not a worker hands the call to the global pool.
///
/// # Panics
/// If `body` or a job panics, with one of the panics. All jobs have ended then.
///
/// # Examples
/// ```
/// let mut numbers = [1, 2, 3, 4];
/// aqueduct_pool::scope(|scope| {
///     for number in &mut numbers {
///         scope.spawn(move |_| *number *= 2);
///     }
/// });
/// assert_eq!(numbers, [2, 4, 6, 8]);
/// ```
pub fn scope<'scope, R: Send>(body: impl FnOnce(&Scope<'scope>) -> R + Send) -> R {
    in_worker(|worker, _| {
        let scope = Scope { base: Base::new(Some(worker), None) };
        scope.base.complete(Some(worker), || body(&scope))
    })
}

/// Works as [`scope`], but calls `body` on the calling thread, even if that is not a worker.
///
/// A thread that is not a worker runs no jobs while it waits.
pub fn in_place_scope<'scope, R>(body: impl FnOnce(&Scope<'scope>) -> R) -> R {
    in_place_scope_in(None, body)
}

pub(crate) fn in_place_scope_in<'scope, R>(
    registry: Option<&Arc<Registry>>,
    body: impl FnOnce(&Scope<'scope>) -> R,
) -> R {
    let worker = Worker::current();
    let scope = Scope { base: Base::new(worker, registry) };
    scope.base.complete(worker, || body(&scope))
}

impl<'scope> Scope<'scope> {
    /// Adds a job. The calling worker's newest job runs first.
    pub fn spawn(&self, body: impl FnOnce(&Self) + Send + 'scope) {
        let worker = self.base.registry().current_worker();
        // SAFETY: the scope ends after its jobs.
        let job = unsafe { self.base.job(worker, self, |scope| &scope.base, body) };
        self.base.registry().push_or_inject(worker, job);
    }

    /// Adds a job for each worker of the pool.
    pub fn spawn_broadcast(&self, body: impl Fn(&Self, BroadcastContext<'_>) + Send + Sync + 'scope) {
        // SAFETY: the scope ends after its jobs.
        unsafe { self.base.broadcast(self, |scope| &scope.base, body) };
    }

    /// Drops the jobs that have not begun, of all workers, and the jobs that are added from now on.
    ///
    /// Jobs that have begun go on. They may check [`is_cancelled`](Self::is_cancelled).
    ///
    /// # Examples
    /// ```
    /// use std::sync::atomic::{AtomicU32, Ordering};
    ///
    /// let begun = AtomicU32::new(0);
    /// aqueduct_pool::scope(|scope| {
    ///     for _ in 0..1000 {
    ///         let begun = &begun;
    ///         scope.spawn(move |scope| {
    ///             begun.fetch_add(1, Ordering::Relaxed);
    ///             scope.cancel();
    ///         });
    ///     }
    /// });
    /// assert!(begun.into_inner() >= 1);
    /// ```
    pub fn cancel(&self) {
        self.base.cancel();
    }

    /// Whether the scope was [cancelled](Self::cancel).
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.base.is_cancelled()
    }
}

impl fmt::Debug for Scope<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.base.debug(&mut f.debug_struct("Scope"))
    }
}
