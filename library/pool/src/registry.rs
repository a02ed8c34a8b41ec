//! The state that the workers of a pool share.

use std::sync::OnceLock;

use aqueduct::bwos::{fifo, lifo};
use aqueduct::error::CapacityError;
use aqueduct::unbounded::Queue;

use crate::body::Body;
use crate::builder::{Handlers, ThreadBuilder, ThreadPoolBuilder, ThreadSpawn};
use crate::error::ThreadPoolBuildError;
use crate::job::{JobRef, StackJob, enqueue};
use crate::latch::{AsCore, CoreLatch, CrossLatch, Latch, LatchRef, LockLatch};
use crate::seat::Seat;
use crate::sleep::Sleep;
use crate::sync::{self, Arc, AtomicUsize, Mutex, Ordering};
use crate::task::queue::{Ready, Stand};
use crate::task::watch::Watch;
use crate::unwind::{self, Payload};
use crate::worker::Worker;

/// The capacity of a worker's deque. Further jobs go to the queue of injected jobs.
const DEQUE: usize = 4096;

/// The state that the workers of a pool share.
#[doc(hidden)]
pub struct Registry {
    sleep: Sleep,
    watch: Watch,
    seats: Box<[Seat]>,
    injected: Queue<JobRef>,
    /// Held during a broadcast, so that all workers get broadcasts in one order.
    broadcasts: Mutex<()>,
    handlers: Handlers,
    is_breadth_first: bool,
    most_nested: usize,
    /// The cores of the workers: as many as workers, or none.
    cores: Vec<usize>,
    /// One share for the pool's handle, and one for each job that keeps the pool from ending.
    shares: AtomicUsize,
}

impl std::fmt::Debug for Registry {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Registry").field("id", &self.id()).finish_non_exhaustive()
    }
}

/// The global pool.
static GLOBAL: OnceLock<Arc<Registry>> = OnceLock::new();

/// The bit of the number of shares that is set when none is left.
const ENDED: usize = 1 << (usize::BITS - 1);

/// Held while a thread makes the global pool.
static MAKING: std::sync::Mutex<()> = std::sync::Mutex::new(());

/// Releases the handle's share if the pool cannot be made.
struct Share<'a>(&'a Registry);

impl Drop for Share<'_> {
    fn drop(&mut self) {
        self.0.release();
    }
}

impl Registry {
    pub(crate) fn new<S: ThreadSpawn>(mut builder: ThreadPoolBuilder<S>) -> Result<Arc<Self>, ThreadPoolBuildError> {
        let threads = builder.threads();
        let capacity = builder.deque_capacity.unwrap_or(DEQUE);
        let deques = (0..threads).map(|index| {
            let ((deque, stealer), (tasks, tasks_stealer)) = (lifo::new(capacity)?, fifo::new(capacity)?);
            Ok(((deque, Ready::new(tasks, index)), Seat::new(stealer, Stand::new(tasks_stealer))))
        });
        let deques: Result<Vec<_>, CapacityError> = deques.collect();
        let (owners, seats): (Vec<_>, Vec<_>) =
            deques.map_err(|error| ThreadPoolBuildError::io(std::io::Error::other(error)))?.into_iter().unzip();
        let registry = Arc::new(Self {
            sleep: Sleep::with_guest(threads, builder.uses_current_thread),
            watch: Watch::new(),
            seats: seats.into(),
            injected: Queue::new(),
            broadcasts: Mutex::new(()),
            handlers: builder.take_handlers(),
            is_breadth_first: builder.is_breadth_first,
            most_nested: builder.most_nested,
            cores: std::mem::take(&mut builder.cores).into_iter().cycle().take(threads).collect(),
            shares: AtomicUsize::new(1),
        });
        // If the builder's closures panic, or a thread cannot be made, the threads made so far end.
        let share = Share(&registry);
        for (index, (deque, ready)) in owners.into_iter().enumerate() {
            let thread = ThreadBuilder {
                name: builder.name_of(index),
                stack_size: builder.stack_size,
                registry: Arc::clone(&registry),
                deque,
                ready,
                index,
            };
            if index == 0 && builder.uses_current_thread {
                if Worker::current().is_some() {
                    return Err(ThreadPoolBuildError::in_pool());
                }
                let worker: &Worker = Box::leak(Box::new(Worker::from(thread)));
                // SAFETY: the worker is never freed. The thread stays a worker until it ends.
                unsafe { worker.make_current() };
                registry.seats[0].primed.open();
                continue;
            }
            builder.spawn_handler.spawn(thread).map_err(ThreadPoolBuildError::io)?;
        }
        std::mem::forget(share);
        Ok(registry)
    }

    /// Makes the global pool, if none exists.
    pub(crate) fn make_global(
        make: impl FnOnce() -> Result<Arc<Self>, ThreadPoolBuildError>,
    ) -> Result<&'static Arc<Self>, ThreadPoolBuildError> {
        let _one_at_a_time = MAKING.lock();
        if GLOBAL.get().is_some() {
            return Err(ThreadPoolBuildError::initialized());
        }
        let registry = make()?;
        Ok(GLOBAL.get_or_init(|| registry))
    }

    /// Returns the global pool.
    pub(crate) fn global() -> &'static Arc<Self> {
        GLOBAL.get().unwrap_or_else(|| {
            let made = Self::make_global(Self::default_global);
            made.or_else(|error| GLOBAL.get().ok_or(error)).expect("the global pool can be made")
        })
    }

    /// Makes the global pool with the defaults. Where the system has no threads, the calling thread becomes its
    /// worker.
    fn default_global() -> Result<Arc<Self>, ThreadPoolBuildError> {
        let made = Self::new(ThreadPoolBuilder::new());
        if made.as_ref().is_err_and(ThreadPoolBuildError::is_unsupported) && Worker::current().is_none() {
            let alone = Self::new(ThreadPoolBuilder::new().num_threads(1).use_current_thread());
            return alone.or(made);
        }
        made
    }

    /// Returns the calling worker's pool, or else the global pool.
    pub(crate) fn current() -> Arc<Self> {
        Arc::clone(Worker::current().map_or_else(Self::global, Worker::registry))
    }

    /// Returns the calling thread's worker, if it belongs to this pool.
    #[inline]
    pub(crate) fn current_worker(&self) -> Option<&Worker> {
        Worker::current().filter(|worker| std::ptr::eq(worker.registry_pointer(), self))
    }

    /// Returns the body for a job that the calling thread makes for this pool.
    pub(crate) fn shared_body(&self) -> Option<Arc<Body>> {
        self.current_worker().and_then(Worker::share_body)
    }

    /// Returns the pool's identity for `Debug` output.
    pub(crate) fn id(&self) -> impl std::fmt::Debug + use<> {
        std::ptr::from_ref(self)
    }

    /// Returns the number of workers.
    #[doc(hidden)]
    #[must_use]
    pub fn num_threads(&self) -> usize {
        self.seats.len()
    }

    pub(crate) fn seats(&self) -> &[Seat] {
        &self.seats
    }

    pub(crate) fn sleep(&self) -> &Sleep {
        &self.sleep
    }

    pub(crate) fn watch(&self) -> &Watch {
        &self.watch
    }

    pub(crate) fn handlers(&self) -> &Handlers {
        &self.handlers
    }

    pub(crate) fn is_breadth_first(&self) -> bool {
        self.is_breadth_first
    }

    pub(crate) fn most_nested(&self) -> usize {
        self.most_nested
    }

    /// Returns the core of a worker, if it is bound to one.
    pub(crate) fn core(&self, worker: usize) -> Option<usize> {
        self.cores.get(worker).copied()
    }

    /// Groups the workers by their distance to this worker, the nearest first.
    pub(crate) fn victims(&self, worker: usize) -> Box<[Box<[usize]>]> {
        match self.core(worker) {
            Some(core) => sync::groups(core, &self.cores),
            None => Box::new([(0..self.num_threads()).collect()]),
        }
    }

    /// Calls `body`. Its panic goes to the pool's handler, or else ends the process.
    pub(crate) fn catch(&self, body: impl FnOnce()) {
        if let Err(payload) = unwind::catch(body) {
            unwind::abort_on_panic(|| match &self.handlers.panic {
                Some(handler) => handler(payload),
                None => panic!("a panic in a pool without a panic handler"),
            });
        }
    }

    /// Passes the panic of a task without a handle to the pool's handler, if there is one.
    pub(crate) fn lose_panic(&self, payload: Payload) {
        if let Some(handler) = &self.handlers.panic {
            unwind::abort_on_panic(|| handler(payload));
        }
    }

    /// Waits until all threads run.
    pub(crate) fn wait_until_primed(&self) {
        self.seats.iter().for_each(|seat| seat.primed.wait());
    }

    /// Waits until all workers have ended.
    #[doc(hidden)]
    pub fn wait_until_stopped(&self) {
        self.seats.iter().for_each(|seat| seat.stopped.wait());
    }

    /// Adds a job to the calling worker's deque, or else to the queue of injected jobs.
    #[inline]
    pub(crate) fn push_or_inject(&self, worker: Option<&Worker>, job: JobRef) {
        match worker {
            Some(worker) => worker.push(job),
            None => self.inject(job),
        }
    }

    /// Adds a job to the queue of injected jobs.
    pub(crate) fn inject(&self, job: JobRef) {
        enqueue(&self.injected, job);
        self.sleep.notify_from_outside();
    }

    pub(crate) fn take_injected(&self) -> Option<JobRef> {
        self.injected.pop().ok()
    }

    /// Gives each worker its job.
    pub(crate) fn broadcast(&self, jobs: impl ExactSizeIterator<Item = JobRef>) {
        assert_eq!(jobs.len(), self.seats.len(), "a job for each worker");
        {
            let _one_at_a_time = self.broadcasts.lock();
            self.seats.iter().zip(jobs).for_each(|(seat, job)| enqueue(&seat.broadcasts, job));
        }
        (0..self.seats.len()).for_each(|index| self.sleep.wake(index));
    }

    /// Calls `body` on a worker of this pool: the calling thread, if it is one.
    #[inline]
    pub(crate) fn in_worker<R: Send>(&self, body: impl FnOnce(&Worker, bool) -> R + Send) -> R {
        match Worker::current() {
            Some(worker) if std::ptr::eq(worker.registry_pointer(), self) => body(worker, false),
            Some(worker) => self.in_worker_of_another(worker, body),
            None => self.in_worker_of_none(body),
        }
    }

    #[cold]
    fn in_worker_of_none<R: Send>(&self, body: impl FnOnce(&Worker, bool) -> R + Send) -> R {
        let latch = LockLatch::new();
        self.hand_over(body, LatchRef::new(&latch), |_| latch.wait())
    }

    #[cold]
    fn in_worker_of_another<R: Send>(&self, worker: &Worker, body: impl FnOnce(&Worker, bool) -> R + Send) -> R {
        self.hand_over(body, CrossLatch::new(worker), |latch| worker.wait_until(latch.as_core()))
    }

    /// Injects a call, and waits for its end.
    fn hand_over<L: Latch, R: Send>(
        &self,
        body: impl FnOnce(&Worker, bool) -> R + Send,
        latch: L,
        wait: impl FnOnce(&L),
    ) -> R {
        let call = |is_migrated| body(Worker::current().expect("workers run jobs"), is_migrated);
        let job = StackJob::new(call, latch);
        // SAFETY: the frame stays until the latch is set, which the job does at its end.
        unsafe {
            self.inject(job.as_job());
            wait(job.latch());
            job.take_result()
        }
    }

    /// Aborts all tasks, and all tasks that are made later.
    pub(crate) fn abort_tasks(&self) {
        self.seats.iter().for_each(|seat| seat.tasks.list.close());
    }

    /// Keeps the pool from ending until [`release`](Self::release). Returns whether it has not ended before.
    ///
    /// Only exit handlers, and the thread of `use_current_thread`, find that it has.
    #[must_use]
    pub(crate) fn retain(&self) -> bool {
        // Ordering: Relaxed. The caller has a share, by the pool's handle or the job that it runs. In an exit handler,
        // the worker's latch was set after the bit.
        self.shares.fetch_add(1, Ordering::Relaxed) & ENDED == 0
    }

    /// Checks that all workers run broadcasts.
    ///
    /// # Panics
    /// If the pool has ended.
    pub(crate) fn check_broadcasts(&self) {
        // Ordering: Relaxed, as in `retain`.
        let has_ended = self.shares.load(Ordering::Relaxed) & ENDED != 0;
        assert!(!has_ended, "a broadcast needs all workers, and the pool has ended");
    }

    /// Releases a share. The last release ends the pool.
    pub(crate) fn release(&self) {
        // Ordering: AcqRel pairs with itself: workers end after everything that the holders of shares have
        // done.
        if self.shares.fetch_sub(1, Ordering::AcqRel) == 1 {
            // Ordering: Relaxed, as in `retain`.
            self.shares.store(ENDED, Ordering::Relaxed);
            for (index, seat) in self.seats.iter().enumerate() {
                // SAFETY: the seat stays with the registry, and its latch is set only here.
                if unsafe { CoreLatch::set(&raw const seat.terminate) } {
                    self.sleep.wake(index);
                }
            }
        }
    }
}

/// Calls `body` on a worker: the calling thread, if it is one, or else a worker of the global pool.
#[inline(always)]
pub(crate) fn in_worker<R: Send>(body: impl FnOnce(&Worker, bool) -> R + Send) -> R {
    match Worker::current() {
        Some(worker) => body(worker, false),
        None => Registry::global().in_worker(body),
    }
}
