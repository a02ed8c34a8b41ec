//! Pools.

use std::fmt;

use crate::broadcast::{self, BroadcastContext};
use crate::builder::ThreadPoolBuilder;
use crate::error::ThreadPoolBuildError;
use crate::global;
use crate::join::join;
use crate::registry::Registry;
use crate::scope::{self, Scope, ScopeFifo, in_place_scope_fifo_in, in_place_scope_in, scope_fifo};
use crate::spawn::{spawn_fifo_in, spawn_in};
use crate::start::start;
use crate::sync::Arc;
use crate::task::{self, Task};
use crate::thread::{ThreadBuilder, ThreadSpawn};
use crate::worker::{Worker, Yield};

/// A pool with its own workers.
///
/// A dropped pool ends when its [`spawn`](Self::spawn)ed jobs have ended; [`close`](Self::close)
/// waits for that. Its remaining [tasks](crate::task) are aborted.
///
/// # Examples
/// ```
/// let pool = aqueduct_pool::ThreadPoolBuilder::new().num_threads(2).build()?;
/// let (a, b) = pool.join(|| 1 + 1, || 2 + 2);
/// assert_eq!((a, b), (2, 4));
/// pool.close();
/// # Ok::<(), aqueduct_pool::ThreadPoolBuildError>(())
/// ```
pub struct ThreadPool {
    /// For rayon-core's own tests.
    #[doc(hidden)]
    pub registry: Arc<Registry>,
}

/// The work of a pool's workers so far: a snapshot, which is exact while they are idle.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct Counts {
    /// Looks at other workers' deques.
    pub attempts: usize,
    /// Jobs that were stolen from other workers.
    pub thefts: usize,
    /// Times that a worker went to sleep.
    pub sleeps: usize,
}

impl ThreadPool {
    /// Works as [`ThreadPoolBuilder::build`]: `drop-in/rayon-core` has this from before that.
    ///
    /// # Errors
    /// If [`ThreadPoolBuilder::build`] fails.
    #[doc(hidden)]
    #[deprecated(note = "Use `ThreadPoolBuilder::build`")]
    pub fn new(builder: impl Into<ThreadPoolBuilder>) -> Result<Self, Box<dyn std::error::Error>> {
        builder.into().build().map_err(Box::from)
    }

    /// Calls `body` on a worker, and waits for its result. A worker of this pool calls `body`
    /// itself.
    ///
    /// # Panics
    /// If `body` panics.
    pub fn install<R: Send>(&self, body: impl FnOnce() -> R + Send) -> R {
        self.registry.in_worker(|_, _| body())
    }

    /// Calls a closure once on each worker of this pool, as [`broadcast`](crate::broadcast()).
    pub fn broadcast<R: Send>(&self, body: impl Fn(BroadcastContext<'_>) -> R + Sync) -> Vec<R> {
        broadcast::broadcast_in(&self.registry, body)
    }

    /// Returns the number of workers.
    #[inline]
    #[must_use]
    pub fn current_num_threads(&self) -> usize {
        self.registry.num_threads()
    }

    /// Returns the calling worker's index, or `None` if the caller is not a worker of this pool.
    #[inline]
    #[must_use]
    pub fn current_thread_index(&self) -> Option<usize> {
        self.registry.current_worker().map(Worker::index)
    }

    /// Whether the calling worker has jobs in its deque; `None` if the caller is not a worker of
    /// this pool.
    #[inline]
    #[must_use]
    pub fn current_thread_has_pending_tasks(&self) -> Option<bool> {
        self.registry.current_worker().map(Worker::has_jobs)
    }

    /// Calls two closures in this pool, as [`join`](crate::join()).
    pub fn join<A, B, RA, RB>(&self, a: A, b: B) -> (RA, RB)
    where
        A: FnOnce() -> RA + Send,
        B: FnOnce() -> RB + Send,
        RA: Send,
        RB: Send,
    {
        self.install(|| join(a, b))
    }

    /// Makes a scope in this pool, as [`scope`](crate::scope()).
    pub fn scope<'scope, R: Send>(&self, body: impl FnOnce(&Scope<'scope>) -> R + Send) -> R {
        self.install(|| scope::scope(body))
    }

    /// Makes a scope in this pool, as [`scope_fifo`](crate::scope_fifo).
    pub fn scope_fifo<'scope, R: Send>(&self, body: impl FnOnce(&ScopeFifo<'scope>) -> R + Send) -> R {
        self.install(|| scope_fifo(body))
    }

    /// Makes a scope whose jobs run in this pool, as [`in_place_scope`](crate::in_place_scope).
    pub fn in_place_scope<'scope, R>(&self, body: impl FnOnce(&Scope<'scope>) -> R) -> R {
        in_place_scope_in(Some(&self.registry), body)
    }

    /// Makes a scope whose jobs run in this pool, as
    /// [`in_place_scope_fifo`](crate::in_place_scope_fifo).
    pub fn in_place_scope_fifo<'scope, R>(&self, body: impl FnOnce(&ScopeFifo<'scope>) -> R) -> R {
        in_place_scope_fifo_in(Some(&self.registry), body)
    }

    /// Adds a job to this pool, as [`spawn`](crate::spawn()).
    pub fn spawn(&self, body: impl FnOnce() + Send + 'static) {
        spawn_in(&self.registry, body);
    }

    /// Adds a job to this pool, as [`spawn_fifo`](crate::spawn_fifo).
    pub fn spawn_fifo(&self, body: impl FnOnce() + Send + 'static) {
        spawn_fifo_in(&self.registry, body);
    }

    /// Adds a job for each worker of this pool, as [`spawn_broadcast`](crate::spawn_broadcast).
    pub fn spawn_broadcast(&self, body: impl Fn(BroadcastContext<'_>) + Send + Sync + 'static) {
        broadcast::spawn_broadcast_in(&self.registry, body);
    }

    /// Makes a task of this pool, as [`task::spawn`](crate::task::spawn()).
    ///
    /// # Examples
    /// ```
    /// let pool = aqueduct_pool::ThreadPoolBuilder::new().num_threads(2).build()?;
    /// let task = pool.spawn_task(async { 1 + 1 });
    /// assert_eq!(pool.block_on(task).expect("it does not panic"), 2);
    /// # Ok::<(), aqueduct_pool::ThreadPoolBuildError>(())
    /// ```
    pub fn spawn_task<F>(&self, future: F) -> Task<F::Output>
    where
        F: Future<Output: Send + 'static> + Send + 'static,
    {
        task::spawn_in(&self.registry, future)
    }

    /// Runs a future on a worker, and waits for its result, as
    /// [`task::block_on`](crate::task::block_on()). Tasks that the future makes belong to this
    /// pool.
    ///
    /// # Panics
    /// If the future panics.
    pub fn block_on<F: Future<Output: Send> + Send>(&self, future: F) -> F::Output {
        task::block_on_in(&self.registry, future)
    }

    /// Runs one job, as [`yield_now`]; `None` if the caller is not a worker of this pool.
    pub fn yield_now(&self) -> Option<Yield> {
        self.registry.current_worker().map(Worker::yield_now)
    }

    /// Runs one job of the calling worker, as [`yield_local`]; `None` if the caller is not a worker
    /// of this pool.
    pub fn yield_local(&self) -> Option<Yield> {
        self.registry.current_worker().map(Worker::yield_local)
    }

    /// Ends the pool, and waits until its workers have stopped.
    ///
    /// # Panics
    /// If the caller is a worker of this pool, also by
    /// [`use_current_thread`](crate::ThreadPoolBuilder::use_current_thread): it would wait for
    /// itself.
    pub fn close(self) {
        assert!(self.registry.current_worker().is_none(), "a worker cannot wait for the end of its own pool");
        let registry = Arc::clone(&self.registry);
        drop(self);
        registry.wait_until_stopped();
    }

    /// Returns the work of the workers so far.
    #[must_use]
    pub fn counts(&self) -> Counts {
        self.registry.seats().iter().fold(Counts::default(), |sum, seat| Counts {
            attempts: sum.attempts + seat.counts.attempts.get(),
            thefts: sum.thefts + seat.counts.thefts.get(),
            sleeps: sum.sleeps + seat.counts.sleeps.get(),
        })
    }
}

impl ThreadPoolBuilder {
    /// Makes a pool whose threads borrow, and which ends before this function returns.
    ///
    /// Each thread calls `wrapper`, which calls [`ThreadBuilder::run`]. The calling thread calls
    /// `with_pool`.
    ///
    /// # Errors
    /// If a thread cannot be made.
    pub fn build_scoped<W, F, R>(self, wrapper: W, with_pool: F) -> Result<R, ThreadPoolBuildError>
    where
        W: Fn(ThreadBuilder) + Sync,
        F: FnOnce(&ThreadPool) -> R,
    {
        std::thread::scope(|scope| {
            let wrapper = &wrapper;
            let spawn = |thread: ThreadBuilder| {
                let mut builder = std::thread::Builder::new();
                if let Some(name) = thread.name() {
                    builder = builder.name(name.to_owned());
                }
                if let Some(size) = thread.stack_size() {
                    builder = builder.stack_size(size);
                }
                builder.spawn_scoped(scope, move || wrapper(thread)).map(drop)
            };
            let pool = self.spawn_handler(spawn).build()?;
            Ok(with_pool(&pool))
        })
    }
}

impl<S: ThreadSpawn> ThreadPoolBuilder<S> {
    /// Makes the pool.
    ///
    /// # Errors
    /// If a thread cannot be made, or the calling thread is a worker already and is to be
    /// [used](Self::use_current_thread).
    pub fn build(self) -> Result<ThreadPool, ThreadPoolBuildError> {
        Ok(ThreadPool { registry: start(self)? })
    }

    /// Makes the global pool. All of its threads run when this returns.
    ///
    /// Without this call, the first use of the global pool makes it, with the defaults.
    ///
    /// # Errors
    /// If [`build`](Self::build) would fail, or a global pool exists.
    pub fn build_global(self) -> Result<(), ThreadPoolBuildError> {
        global::make_registry(|| start(self))?.wait_until_primed();
        Ok(())
    }
}

impl Drop for ThreadPool {
    fn drop(&mut self) {
        self.registry.abort_tasks();
        self.registry.release();
    }
}

impl fmt::Debug for ThreadPool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ThreadPool")
            .field("num_threads", &self.current_num_threads())
            .field("id", &self.registry.id())
            .finish_non_exhaustive()
    }
}

/// Returns the greatest number of workers that a pool can have.
#[must_use]
pub fn max_num_threads() -> usize {
    crate::sleep::MOST
}

/// Returns the number of workers of the calling worker's pool, or else of the global pool.
#[must_use]
pub fn current_num_threads() -> usize {
    Worker::current().map_or_else(|| global::registry().num_threads(), |worker| worker.registry().num_threads())
}

/// Returns the calling worker's index, or `None` if the caller is not a worker.
#[inline]
#[must_use]
pub fn current_thread_index() -> Option<usize> {
    Worker::current().map(Worker::index)
}

/// Whether the calling worker has jobs in its deque; `None` if the caller is not a worker.
#[inline]
#[must_use]
pub fn current_thread_has_pending_tasks() -> Option<bool> {
    Worker::current().map(Worker::has_jobs)
}

/// Runs one job, of the calling worker or of another one; in [`undisturbed`](crate::undisturbed),
/// one of that call. Returns `None` if the caller is not a worker.
pub fn yield_now() -> Option<Yield> {
    Worker::current().map(Worker::yield_now)
}

/// Runs one job of the calling worker. Returns `None` if the caller is not a worker.
pub fn yield_local() -> Option<Yield> {
    Worker::current().map(Worker::yield_local)
}
