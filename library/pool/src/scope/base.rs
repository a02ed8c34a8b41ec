//! The parts that both kinds of scopes share.

use std::fmt;
use std::marker::PhantomData;

use crate::broadcast::BroadcastContext;
use crate::global;
use crate::job::{JobRef, heap_job, shared_job};
use crate::latch::Latch;
use crate::registry::Registry;
use crate::sync::{Arc, AtomicBool, Mutex, Ordering};
use crate::unwind::{self, Payload};
use crate::worker::{CountLatch, Worker, run_part};

pub(super) struct Base<'scope> {
    registry: Arc<Registry>,
    /// Counts the body, and each job that has not ended.
    left: CountLatch,
    is_cancelled: AtomicBool,
    /// The first panic.
    panic: Mutex<Option<Payload>>,
    /// Jobs may borrow for exactly this lifetime.
    _scope: PhantomData<fn(&'scope ()) -> &'scope ()>,
}

/// A scope's address, which goes to the thread that runs the job.
struct Address<T>(*const T);

impl<T> Clone for Address<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Address<T> {}

// SAFETY: an address stands for a shared reference.
unsafe impl<T: Sync> Send for Address<T> {}
// SAFETY: an address stands for a shared reference.
unsafe impl<T: Sync> Sync for Address<T> {}

impl<T> Address<T> {
    /// # Safety
    /// The scope outlives the reference.
    unsafe fn get<'a>(&self) -> &'a T {
        // SAFETY: the caller's promise.
        unsafe { &*self.0 }
    }
}

impl<'scope> Base<'scope> {
    /// Makes a scope of this pool, or else of the worker's pool, or else of the global pool.
    pub(super) fn new(owner: Option<&Worker>, registry: Option<&Arc<Registry>>) -> Self {
        let registry = registry.or(owner.map(Worker::registry)).unwrap_or_else(|| global::registry());
        Self {
            registry: Arc::clone(registry),
            left: CountLatch::new(1, owner),
            is_cancelled: AtomicBool::new(false),
            panic: Mutex::new(None),
            _scope: PhantomData,
        }
    }

    pub(super) fn registry(&self) -> &Registry {
        &self.registry
    }

    /// Makes a job, which counts until it has ended, on a worker of the scope's pool or on another
    /// thread. `base` returns this part of the scope.
    ///
    /// # Safety
    /// The scope waits for its jobs before it ends.
    pub(super) unsafe fn job<S: Sync>(
        &self,
        worker: Option<&Worker>,
        scope: &S,
        base: impl Fn(&S) -> &Self + Copy + Send,
        body: impl FnOnce(&S) + Send + 'scope,
    ) -> JobRef {
        self.left.add();
        let scope = Address(scope);
        // SAFETY: the scope waits for this job.
        let done = move || unsafe { Self::done(base(scope.get())) };
        // A job outside of all bodies is smaller, and checks nothing when it runs.
        match worker.and_then(Worker::share_body) {
            None => {
                let run = move || {
                    // SAFETY: the scope waits for this job.
                    let scope = unsafe { scope.get() };
                    base(scope).run(|| body(scope));
                };
                // SAFETY: the closure's borrows outlive the scope.
                unsafe { heap_job(run, done) }
            }
            Some(undisturbed) => {
                let run = move || {
                    // SAFETY: the scope waits for this job.
                    let scope = unsafe { scope.get() };
                    base(scope).run(|| run_part(Some(&undisturbed), || body(scope)));
                };
                // SAFETY: the closure's borrows outlive the scope.
                unsafe { heap_job(run, done) }
            }
        }
    }

    /// Gives each worker a job.
    ///
    /// # Safety
    /// The scope waits for its jobs before it ends.
    pub(super) unsafe fn broadcast<S: Sync>(
        &self,
        scope: &S,
        base: impl Fn(&S) -> &Self + Copy + Send + Sync,
        body: impl Fn(&S, BroadcastContext<'_>) + Send + Sync + 'scope,
    ) {
        self.registry.check_broadcasts();
        let threads = self.registry.num_threads();
        (0..threads).for_each(|_| self.left.add());
        let (scope, undisturbed) = (Address(scope), self.registry.shared_body());
        let run = move || {
            // SAFETY: the scope waits for this job.
            let scope = unsafe { scope.get() };
            let call = || BroadcastContext::with(|context| body(scope, context));
            base(scope).run(|| run_part(undisturbed.as_ref(), call));
        };
        // SAFETY: the scope waits for this job.
        let done = move || unsafe { Self::done(base(scope.get())) };
        // SAFETY: the scope waits for all of these jobs.
        let job = unsafe { shared_job(threads, run, done) };
        self.registry.broadcast((0..threads).map(|_| job));
    }

    /// Runs the body of a job, unless the scope is cancelled.
    fn run(&self, body: impl FnOnce()) {
        // A value that the closure holds may panic in its drop.
        self.keep(if self.is_cancelled() { unwind::catch(|| drop(body)) } else { unwind::catch(body) });
    }

    /// Reports to the scope that a job has ended. The scope may end before the call returns.
    ///
    /// # Safety
    /// The scope counts this job.
    unsafe fn done(this: *const Self) {
        // SAFETY: this job is counted.
        unsafe { Latch::set(&raw const (*this).left) };
    }

    /// Keeps the first panic.
    #[inline(always)]
    fn keep<R>(&self, result: Result<R, Payload>) -> Option<R> {
        match result {
            Ok(result) => Some(result),
            Err(payload) => {
                self.keep_panic(payload);
                None
            }
        }
    }

    #[cold]
    fn keep_panic(&self, payload: Payload) {
        let mut first = self.panic.lock();
        if first.is_none() {
            *first = Some(payload);
        } else {
            drop(first);
            drop(payload);
        }
    }

    /// Calls the scope's body, and waits for all jobs.
    pub(super) fn complete<R>(&self, owner: Option<&Worker>, body: impl FnOnce() -> R) -> R {
        let result = self.keep(unwind::catch(body));
        // SAFETY: the body is counted.
        unsafe { Latch::set(&raw const self.left) };
        self.left.wait(owner);
        let panic = self.panic.lock().take();
        match (panic, result) {
            (None, Some(result)) => result,
            (Some(payload), _) => unwind::resume(payload),
            (None, None) => unreachable!("a body without a result has panicked"),
        }
    }

    pub(super) fn cancel(&self) {
        // Ordering: Relaxed. Jobs may begin meanwhile.
        self.is_cancelled.store(true, Ordering::Relaxed);
    }

    pub(super) fn is_cancelled(&self) -> bool {
        self.is_cancelled.load(Ordering::Relaxed)
    }

    pub(super) fn debug(&self, f: &mut fmt::DebugStruct<'_, '_>) -> fmt::Result {
        f.field("pool_id", &self.registry.id()).field("left", &self.left).finish_non_exhaustive()
    }
}
