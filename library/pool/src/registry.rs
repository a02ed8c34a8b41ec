//! The state that the workers of a pool share.

use aqueduct::unbounded::Queue;

use crate::handlers::Handlers;
use crate::job::{JobRef, enqueue};
use crate::latch::CoreLatch;
use crate::seat::Seat;
use crate::sleep::Sleep;
use crate::sync::{self, AtomicUsize, Mutex, Ordering};
use crate::task::watch::Watch;
use crate::unwind::{self, Payload};

/// Settings of a pool's workers.
pub(crate) struct Settings {
    pub(crate) handlers: Handlers,
    pub(crate) is_breadth_first: bool,
    pub(crate) most_nested: usize,
    /// The cores of the workers: as many as workers, or none.
    pub(crate) cores: Vec<usize>,
    /// True if worker 0 is a guest: a thread that may do other work for any time.
    pub(crate) has_guest: bool,
}

/// The state that the workers of a pool share.
#[doc(hidden)]
pub struct Registry {
    sleep: Sleep,
    watch: Watch,
    seats: Box<[Seat]>,
    injected: Queue<JobRef>,
    /// Held during a broadcast, so that all workers get broadcasts in one order.
    broadcasts: Mutex<()>,
    settings: Settings,
    /// Number of shares: one for the pool's handle, and one for each job that keeps the pool from
    /// ending.
    shares: AtomicUsize,
}

impl std::fmt::Debug for Registry {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Registry").field("id", &self.id()).finish_non_exhaustive()
    }
}

/// The bit of the number of shares that is set when none is left.
const ENDED: usize = 1 << (usize::BITS - 1);

impl Registry {
    /// Makes the state of as many workers as there are seats. The pool's handle has the only share.
    pub(crate) fn new(seats: Box<[Seat]>, settings: Settings) -> Self {
        Self {
            sleep: Sleep::with_guest(seats.len(), settings.has_guest),
            watch: Watch::new(),
            seats,
            injected: Queue::new(),
            broadcasts: Mutex::new(()),
            settings,
            shares: AtomicUsize::new(1),
        }
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
        &self.settings.handlers
    }

    pub(crate) fn is_breadth_first(&self) -> bool {
        self.settings.is_breadth_first
    }

    pub(crate) fn most_nested(&self) -> usize {
        self.settings.most_nested
    }

    /// Returns the core of a worker, if it is bound to one.
    pub(crate) fn core(&self, worker: usize) -> Option<usize> {
        self.settings.cores.get(worker).copied()
    }

    /// Groups the workers by their distance to this worker, the nearest first.
    pub(crate) fn victims(&self, worker: usize) -> Box<[Box<[usize]>]> {
        match self.core(worker) {
            Some(core) => sync::groups(core, &self.settings.cores),
            None => Box::new([(0..self.num_threads()).collect()]),
        }
    }

    /// Calls `body`. Its panic goes to the pool's handler, or else ends the process.
    pub(crate) fn catch(&self, body: impl FnOnce()) {
        if let Err(payload) = unwind::catch(body) {
            unwind::abort_on_panic(|| match &self.settings.handlers.panic {
                Some(handler) => handler(payload),
                None => panic!("a panic in a pool without a panic handler"),
            });
        }
    }

    /// Passes the panic of a task without a handle to the pool's handler, if there is one.
    pub(crate) fn lose_panic(&self, payload: Payload) {
        if let Some(handler) = &self.settings.handlers.panic {
            unwind::abort_on_panic(|| handler(payload));
        }
    }

    /// Waits until all threads are running.
    pub(crate) fn wait_until_primed(&self) {
        self.seats.iter().for_each(|seat| seat.primed.wait());
    }

    /// Waits until all workers have ended.
    #[doc(hidden)]
    pub fn wait_until_stopped(&self) {
        self.seats.iter().for_each(|seat| seat.stopped.wait());
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

    /// Aborts all tasks, and all tasks that are made later.
    pub(crate) fn abort_tasks(&self) {
        self.seats.iter().for_each(|seat| seat.tasks.list.close());
    }

    /// Keeps the pool from ending until [`release`](Self::release). Returns false if it has ended
    /// already.
    ///
    /// Only exit handlers, and the thread of `use_current_thread`, get false.
    #[must_use]
    pub(crate) fn retain(&self) -> bool {
        // Ordering: Relaxed. The caller has a share, by the pool's handle or the job that it runs.
        // In an exit handler, the worker's latch was set after the bit.
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
        // Ordering: AcqRel pairs with itself: workers end after everything that the holders of
        // shares have done.
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
