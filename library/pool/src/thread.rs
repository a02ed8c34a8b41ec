//! Threads of a pool: a worker that has no thread yet, and the ways to make its thread.

use std::fmt;
use std::io;

use aqueduct::bwos::lifo;

use crate::job::{JobRef, Marker};
use crate::registry::Registry;
use crate::sync::{self, Arc, parked};
use crate::task::queue::Ready;
use crate::unwind::abort_on_panic;
use crate::worker::Worker;

/// A worker without a thread.
pub struct ThreadBuilder {
    pub(crate) name: Option<String>,
    pub(crate) stack_size: Option<usize>,
    pub(crate) registry: Arc<Registry>,
    pub(crate) deque: lifo::Owner<JobRef>,
    pub(crate) ready: Ready,
    pub(crate) index: usize,
}

impl ThreadBuilder {
    /// Returns the worker's index.
    #[must_use]
    pub fn index(&self) -> usize {
        self.index
    }

    /// Returns the name that the thread should have.
    #[must_use]
    pub fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    /// Returns the size that the thread's stack should have.
    #[must_use]
    pub fn stack_size(&self) -> Option<usize> {
        self.stack_size
    }

    /// Runs the worker until the pool ends.
    ///
    /// # Panics
    /// If the calling thread is a worker already. The pool then lacks this worker, and neither
    /// broadcasts nor [`close`](crate::ThreadPool::close) end.
    pub fn run(self) {
        let worker = Worker::from(self);
        let registry = worker.registry();
        let seat = &registry.seats()[worker.index()];
        // SAFETY: the worker stays in this frame until `clear_current`.
        unsafe { worker.make_current() };
        seat.primed.open();
        if let Some(handler) = &registry.handlers().park {
            parked::set(handler);
        }
        if let Some(core) = registry.core(worker.index()) {
            sync::bind(core);
        }
        abort_on_panic(|| {
            if let Some(handler) = &registry.handlers().start {
                registry.catch(|| handler(worker.index()));
            }
            worker.wait_until(&seat.terminate);
            debug_assert!(worker.pop().is_none_or(|job| job == Marker::job()), "a pool ends when its jobs are done");
            seat.stopped.open();
        });
        if let Some(handler) = &registry.handlers().exit {
            registry.catch(|| handler(worker.index()));
        }
        Worker::clear_current();
    }
}

impl From<ThreadBuilder> for Worker {
    fn from(thread: ThreadBuilder) -> Self {
        let ThreadBuilder { registry, deque, ready, index, .. } = thread;
        Self::new(registry, deque, ready, index)
    }
}

impl fmt::Debug for ThreadBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ThreadBuilder")
            .field("pool", &self.registry.id())
            .field("index", &self.index)
            .field("name", &self.name)
            .field("stack_size", &self.stack_size)
            .finish_non_exhaustive()
    }
}

/// Makes a builder's threads. Sealed.
pub trait ThreadSpawn: private::Sealed {
    #[doc(hidden)]
    fn spawn(&mut self, thread: ThreadBuilder) -> io::Result<()>;
}

mod private {
    pub trait Sealed {}
}

/// Makes threads by the standard library.
#[derive(Debug, Default)]
pub struct DefaultSpawn;

impl private::Sealed for DefaultSpawn {}

impl ThreadSpawn for DefaultSpawn {
    fn spawn(&mut self, thread: ThreadBuilder) -> io::Result<()> {
        let (name, stack_size) = (thread.name.clone(), thread.stack_size);
        sync::spawn(name.as_deref(), stack_size, || thread.run())
    }
}

/// Makes threads by a user's function.
#[derive(Debug)]
pub struct CustomSpawn<F>(pub(crate) F);

impl<F> private::Sealed for CustomSpawn<F> {}

impl<F> ThreadSpawn for CustomSpawn<F>
where
    F: FnMut(ThreadBuilder) -> io::Result<()>,
{
    fn spawn(&mut self, thread: ThreadBuilder) -> io::Result<()> {
        (self.0)(thread)
    }
}
