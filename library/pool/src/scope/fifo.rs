//! Scopes whose jobs run in the order in which a worker has added them.

use std::fmt;

use super::base::Base;
use crate::broadcast::BroadcastContext;
use crate::global::in_worker;
use crate::job::Fifo;
use crate::registry::Registry;
use crate::sync::Arc;
use crate::worker::Worker;

/// A scope whose jobs run in the order in which a worker has added them, if no other worker steals
/// them.
pub struct ScopeFifo<'scope> {
    base: Base<'scope>,
    /// The jobs that each worker has added.
    fifos: Vec<Fifo>,
}

/// Makes a scope as [`scope`](super::scope()), whose jobs run in the order in which a worker has
/// added them.
pub fn scope_fifo<'scope, R: Send>(body: impl FnOnce(&ScopeFifo<'scope>) -> R + Send) -> R {
    in_worker(|worker, _| {
        let scope = ScopeFifo::new(Some(worker), None);
        scope.base.complete(Some(worker), || body(&scope))
    })
}

/// Makes a scope as [`in_place_scope`](super::in_place_scope), whose jobs run in the order in which
/// a worker has added them.
pub fn in_place_scope_fifo<'scope, R>(body: impl FnOnce(&ScopeFifo<'scope>) -> R) -> R {
    in_place_scope_fifo_in(None, body)
}

pub(crate) fn in_place_scope_fifo_in<'scope, R>(
    registry: Option<&Arc<Registry>>,
    body: impl FnOnce(&ScopeFifo<'scope>) -> R,
) -> R {
    let worker = Worker::current();
    let scope = ScopeFifo::new(worker, registry);
    scope.base.complete(worker, || body(&scope))
}

impl<'scope> ScopeFifo<'scope> {
    fn new(worker: Option<&Worker>, registry: Option<&Arc<Registry>>) -> Self {
        let base = Base::new(worker, registry);
        let fifos = (0..base.registry().num_threads()).map(|_| Fifo::new()).collect();
        Self { base, fifos }
    }

    /// Adds a job. The calling worker's oldest job of this scope runs first.
    pub fn spawn_fifo(&self, body: impl FnOnce(&Self) + Send + 'scope) {
        let worker = self.base.registry().current_worker();
        // SAFETY: the scope ends after its jobs.
        let job = unsafe { self.base.job(worker, self, |scope| &scope.base, body) };
        match worker {
            // SAFETY: the queue lives as long as the scope, which ends when all tickets have been
            // used.
            Some(worker) => unsafe { worker.push_in_order(&self.fifos[worker.index()], job) },
            None => self.base.registry().inject(job),
        }
    }

    /// Adds a job for each worker of the pool.
    pub fn spawn_broadcast(&self, body: impl Fn(&Self, BroadcastContext<'_>) + Send + Sync + 'scope) {
        // SAFETY: the scope ends after its jobs.
        unsafe { self.base.broadcast(self, |scope| &scope.base, body) };
    }

    /// Drops the jobs that have not begun, as [`Scope::cancel`](super::Scope::cancel).
    pub fn cancel(&self) {
        self.base.cancel();
    }

    /// Whether the scope was [cancelled](Self::cancel).
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.base.is_cancelled()
    }
}

impl fmt::Debug for ScopeFifo<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.base.debug(f.debug_struct("ScopeFifo").field("num_fifos", &self.fifos.len()))
    }
}
