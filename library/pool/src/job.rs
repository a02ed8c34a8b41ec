//! Jobs. A deque holds one word for each job: the address of a job whose first field says how to
//! run the job.

use std::ptr::NonNull;

use aqueduct::unbounded::Queue;

use crate::latch::Latch;
use crate::sync::{AtomicUsize, Ordering, Slot};
use crate::unwind::{self, Payload};

/// The function that runs a job: the first field of all jobs.
#[derive(Debug)]
#[repr(C)]
pub(crate) struct Header {
    run: unsafe fn(NonNull<Header>),
}

impl Header {
    /// Makes the header of a job that `run` runs.
    pub(crate) const fn new(run: unsafe fn(NonNull<Header>)) -> Self {
        Self { run }
    }
}

/// The address of a job, as deques and queues hold it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(transparent)]
pub(crate) struct JobRef(NonNull<Header>);

// SAFETY: the functions that make jobs take closures that may move to another thread, and one
// thread runs each job.
unsafe impl Send for JobRef {}

impl JobRef {
    /// Refers to a job whose first field is a header.
    ///
    /// # Safety
    /// The job exists until it has been run, `T` is `repr(C)` and begins with its [`Header`].
    #[inline(always)]
    pub(crate) unsafe fn new<T>(job: *const T) -> Self {
        // SAFETY: the address of a job.
        Self(unsafe { NonNull::new_unchecked(job.cast_mut().cast()) })
    }

    /// Returns the address, for [`from_raw`](Self::from_raw).
    pub(crate) fn into_raw(self) -> *mut Header {
        self.0.as_ptr()
    }

    /// Makes a reference from its address.
    ///
    /// # Safety
    /// The address comes from [`into_raw`](Self::into_raw).
    pub(crate) unsafe fn from_raw(address: *mut Header) -> Self {
        // SAFETY: the address of a job.
        Self(unsafe { NonNull::new_unchecked(address) })
    }

    /// Runs the job.
    ///
    /// # Safety
    /// The reference has come out of a deque or queue, and so only this thread has it. Each thread
    /// has one reference of a broadcast.
    #[inline]
    pub(crate) unsafe fn run(self) {
        // SAFETY: the job exists, because it has not been run.
        unsafe { (self.0.as_ref().run)(self.0) };
    }
}

/// A job without effect, for which no thread waits.
#[derive(Debug)]
pub(crate) struct Marker {
    _header: Header,
}

/// The mark below a worker's own work.
static MARKER: Marker = Marker { _header: Header { run: |_| () } };

impl Marker {
    pub(crate) fn job() -> JobRef {
        // SAFETY: the marker is static, and its only field is the header.
        unsafe { JobRef::new(&raw const MARKER) }
    }
}

/// A job in a stack frame, which ends when the job is done.
#[derive(Debug)]
#[repr(C)]
pub(crate) struct StackJob<L, F, R> {
    header: Header,
    latch: L,
    body: Slot<F>,
    result: Slot<Result<R, Payload>>,
}

impl<L, F, R> StackJob<L, F, R>
where
    L: Latch,
    F: FnOnce(bool) -> R,
{
    /// Makes a job. Only its call drops the closure: the caller has to make sure that a call comes.
    #[inline(always)]
    pub(crate) fn new(body: F, latch: L) -> Self {
        Self { header: Header { run: Self::run }, latch, body: Slot::full(body), result: Slot::empty() }
    }

    /// Returns the reference that goes into a deque.
    ///
    /// # Safety
    /// The frame stays until the job has been run or taken back, and no other reference of this job
    /// exists.
    #[inline(always)]
    pub(crate) unsafe fn as_job(&self) -> JobRef {
        // SAFETY: the caller's promise.
        unsafe { JobRef::new(self) }
    }

    #[inline(always)]
    pub(crate) fn latch(&self) -> &L {
        &self.latch
    }

    /// Calls the closure on this thread.
    ///
    /// # Safety
    /// The job's reference has been taken back, or was never made.
    #[inline(always)]
    pub(crate) unsafe fn run_inline(&self, is_migrated: bool) -> R {
        // SAFETY: the closure has not been called, and no other thread can call it any more.
        let body = unsafe { self.body.take() };
        body(is_migrated)
    }

    /// Returns the result, or resumes the panic.
    ///
    /// # Safety
    /// The latch is set, and this is the only call.
    #[inline]
    pub(crate) unsafe fn take_result(&self) -> R {
        // SAFETY: the latch is set, so the result has been written, and no other call has taken it.
        match unsafe { self.result.take() } {
            Ok(result) => result,
            Err(payload) => unwind::resume(payload),
        }
    }

    /// Runs the job on a thread that has stolen it.
    unsafe fn run(job: NonNull<Header>) {
        let this: *const Self = job.as_ptr().cast();
        unwind::abort_on_panic(|| {
            // SAFETY: only this thread has the reference, and the frame stays until the latch is
            // set.
            unsafe {
                let call = (*this).body.take();
                (*this).result.put(unwind::catch(|| (*this).latch.around(|| call(true))));
                Latch::set(&raw const (*this).latch);
            }
        });
    }
}

/// A job on the heap. Its run frees it.
#[repr(C)]
struct HeapJob<F, D> {
    header: Header,
    body: F,
    done: D,
}

/// Makes a job on the heap. Its run calls `body`, and then `done`, which reports to other threads
/// that the job has ended. Neither may panic, as that ends the process.
///
/// Memory that `body` borrows may be freed as soon as other threads observe the end. Then no
/// function may run that got `body` as an argument, because the references in its arguments promise
/// that their memory stays. So `body` does not report the end, and `done` borrows nothing.
///
/// # Safety
/// Everything that `body` borrows stays until `done` is called, and the job is run once.
pub(crate) unsafe fn heap_job<F: FnOnce() + Send, D: FnOnce() + Send>(body: F, done: D) -> JobRef {
    unsafe fn run<F: FnOnce(), D: FnOnce()>(job: NonNull<Header>) {
        unwind::abort_on_panic(|| {
            // SAFETY: `heap_job` has made the address by `into_raw`, and this is the job's only
            // run.
            let HeapJob { body, done, .. } = *unsafe { Box::from_raw(job.as_ptr().cast::<HeapJob<F, D>>()) };
            body();
            done();
        });
    }
    let job = Box::new(HeapJob { header: Header { run: run::<F, D> }, body, done });
    // SAFETY: the job is on the heap until it is run.
    unsafe { JobRef::new(Box::into_raw(job)) }
}

/// A job that several threads run.
#[repr(C)]
struct SharedJob<F, D> {
    header: Header,
    left: AtomicUsize,
    body: F,
    done: D,
}

/// Makes a job that is run `times` times, at least once. Each run calls `body`, and then `done`, as
/// that of [`heap_job`] does. The last run drops `body` and frees the job before it calls `done`.
///
/// # Safety
/// Everything that `body` borrows stays until `done` is called `times` times.
pub(crate) unsafe fn shared_job<F, D>(times: usize, body: F, done: D) -> JobRef
where
    F: Fn() + Send + Sync,
    D: Fn() + Copy + Send,
{
    unsafe fn run<F: Fn(), D: Fn() + Copy>(job: NonNull<Header>) {
        let this = job.as_ptr().cast::<SharedJob<F, D>>();
        unwind::abort_on_panic(|| {
            // SAFETY: this run has not been subtracted, so the job exists.
            let done = unsafe { (*this).done };
            // SAFETY: as before.
            unsafe { ((*this).body)() };
            // Ordering: AcqRel pairs with itself: the job is freed after all threads have left it.
            // SAFETY: this run has not been subtracted, so the job exists.
            if unsafe { (*this).left.fetch_sub(1, Ordering::AcqRel) } == 1 {
                // SAFETY: this is the last run, so no reference is left.
                drop(unsafe { Box::from_raw(this) });
            }
            done();
        });
    }
    let header = Header { run: run::<F, D> };
    let job = Box::new(SharedJob { header, left: AtomicUsize::new(times), body, done });
    // SAFETY: the job is on the heap until its last run.
    unsafe { JobRef::new(Box::into_raw(job)) }
}

/// Jobs of one worker in the order in which they were pushed.
///
/// The deque gets a ticket for each job. A ticket stands for the oldest job, so tickets can be
/// stolen and popped in any order.
#[repr(C)]
pub(crate) struct Fifo {
    header: Header,
    jobs: Queue<JobRef>,
}

impl Fifo {
    pub(crate) fn new() -> Self {
        Self { header: Header { run: Self::run }, jobs: Queue::new() }
    }

    /// Adds a job. Returns its ticket, which goes into the deque.
    ///
    /// # Safety
    /// The queue stays until the ticket has been used.
    pub(crate) unsafe fn push(&self, job: JobRef) -> JobRef {
        enqueue(&self.jobs, job);
        // SAFETY: the caller's promise.
        unsafe { JobRef::new(self) }
    }

    unsafe fn run(this: NonNull<Header>) {
        // SAFETY: the queue stays until the ticket has been used; this run does not touch it after
        // the pop.
        let job = unsafe { (*this.as_ptr().cast::<Self>()).jobs.pop() };
        let job = job.expect("a job for each ticket");
        // SAFETY: the job has come out of the queue.
        unsafe { job.run() };
    }
}

/// Adds a job to an unbounded queue.
pub(crate) fn enqueue(queue: &Queue<JobRef>, job: JobRef) {
    if queue.push(job).is_err() {
        // The standard library aborts, too, when an allocation fails.
        std::process::abort();
    }
}
