//! Jobs: what a deque holds is one word, the address of a job whose first field says how to run it.

use std::ptr::NonNull;

use aqueduct::unbounded::Queue;

use crate::latch::Latch;
use crate::sync::{AtomicUsize, Ordering, Slot};
use crate::unwind::{self, Payload};
use crate::worker::ModeOf;

/// How to run a job: the first field of all jobs.
#[derive(Debug)]
#[repr(C)]
pub(crate) struct Header {
    run: unsafe fn(NonNull<Header>),
}

impl Header {
    /// The header of a job that is run this way.
    pub(crate) const fn new(run: unsafe fn(NonNull<Header>)) -> Self {
        Self { run }
    }
}

/// The address of a job, in the order that deques and queues hold.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(transparent)]
pub(crate) struct JobRef(NonNull<Header>);

// SAFETY: the functions that make jobs take closures that may go to another thread, and each job is run by one thread.
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

    /// The address, for [`from_raw`](Self::from_raw).
    pub(crate) fn into_raw(self) -> *mut Header {
        self.0.as_ptr()
    }

    /// Makes a reference of its address.
    ///
    /// # Safety
    /// It comes from [`into_raw`](Self::into_raw).
    pub(crate) unsafe fn from_raw(address: *mut Header) -> Self {
        // SAFETY: the address of a job.
        Self(unsafe { NonNull::new_unchecked(address) })
    }

    /// Runs the job.
    ///
    /// # Safety
    /// The reference has come out of a deque or queue, and so comes to one thread; a broadcast's, once to each.
    #[inline]
    pub(crate) unsafe fn run(self) {
        // SAFETY: the job exists, because it has not been run.
        unsafe { (self.0.as_ref().run)(self.0) };
    }
}

/// A job without effect, which nobody waits for.
#[derive(Debug)]
pub(crate) struct Marker {
    _header: Header,
}

/// The mark that says where a worker's own work begins.
static MARKER: Marker = Marker { _header: Header { run: |_| () } };

impl Marker {
    pub(crate) fn job() -> JobRef {
        // SAFETY: static, and its only field is the header.
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
    /// Makes a job. Its closure is dropped only by being called: the caller sees to it that it is.
    #[inline(always)]
    pub(crate) fn new(body: F, latch: L) -> Self {
        Self { header: Header { run: Self::run }, latch, body: Slot::full(body), result: Slot::empty() }
    }

    /// The reference that goes into a deque.
    ///
    /// # Safety
    /// The frame stays until the job has been run or taken back, and nobody else has a reference of this job.
    #[inline(always)]
    pub(crate) unsafe fn as_job(&self) -> JobRef {
        // SAFETY: the caller's promise.
        unsafe { JobRef::new(self) }
    }

    #[inline(always)]
    pub(crate) fn latch(&self) -> &L {
        &self.latch
    }

    /// Calls the closure here.
    ///
    /// # Safety
    /// The job's reference has been taken back, or was never handed out.
    #[inline(always)]
    pub(crate) unsafe fn run_inline(&self, is_migrated: bool) -> R {
        // SAFETY: the closure has not been called, and no other thread can any more.
        let body = unsafe { self.body.take() };
        body(is_migrated)
    }

    /// Returns the result, or passes the panic on.
    ///
    /// # Safety
    /// The latch is set.
    #[inline]
    pub(crate) unsafe fn into_result(self) -> R {
        // SAFETY: the latch is set, so the result has been written.
        match unsafe { self.result.take() } {
            Ok(result) => result,
            Err(payload) => unwind::resume(payload),
        }
    }

    /// Runs the job on a thread that has stolen it.
    unsafe fn run(job: NonNull<Header>) {
        let this: *const Self = job.as_ptr().cast();
        unwind::abort_on_panic(|| {
            // SAFETY: the reference has come to this thread alone, and the frame stays until the latch is set.
            unsafe {
                let body = (*this).body.take();
                let _mode = ModeOf::enter((*this).latch.mode());
                (*this).result.put(unwind::catch(|| body(true)));
                Latch::set(&raw const (*this).latch);
            }
        });
    }
}

/// A job on the heap, which is freed when it is run.
#[repr(C)]
struct HeapJob<F> {
    header: Header,
    body: F,
}

/// Makes a job on the heap. Its closure must not panic: a panic ends the process.
///
/// # Safety
/// What the closure borrows stays until the job has been run. It is run once.
pub(crate) unsafe fn heap_job<F: FnOnce() + Send>(body: F) -> JobRef {
    unsafe fn run<F: FnOnce()>(job: NonNull<Header>) {
        // SAFETY: `heap_job` has made it by `into_raw`, and this is its only run.
        let job = unsafe { Box::from_raw(job.as_ptr().cast::<HeapJob<F>>()) };
        unwind::abort_on_panic(job.body);
    }
    let job = Box::new(HeapJob { header: Header { run: run::<F> }, body });
    // SAFETY: on the heap, until it is run.
    unsafe { JobRef::new(Box::into_raw(job)) }
}

/// A job that several threads run.
#[repr(C)]
struct SharedJob<F> {
    header: Header,
    left: AtomicUsize,
    body: F,
}

/// Makes a job that is run `times` times, at least once, and is then freed. Its closure must not panic.
///
/// # Safety
/// What the closure borrows stays until the job has been run that often.
pub(crate) unsafe fn shared_job<F: Fn() + Send + Sync>(times: usize, body: F) -> JobRef {
    unsafe fn run<F: Fn()>(job: NonNull<Header>) {
        let this = job.as_ptr().cast::<SharedJob<F>>();
        // SAFETY: this run has not been subtracted, so the job exists.
        unwind::abort_on_panic(|| unsafe { ((*this).body)() });
        // Ordering: AcqRel pairs with itself: the thread that frees the job does so after all others have left it.
        // SAFETY: this run has not been subtracted, so the job exists.
        if unsafe { (*this).left.fetch_sub(1, Ordering::AcqRel) } == 1 {
            // SAFETY: the last run; nobody has a reference any more.
            drop(unsafe { Box::from_raw(this) });
        }
    }
    let job = Box::new(SharedJob { header: Header { run: run::<F> }, left: AtomicUsize::new(times), body });
    // SAFETY: on the heap, until it has been run that often.
    unsafe { JobRef::new(Box::into_raw(job)) }
}

/// Jobs of one worker in the order in which they were pushed.
///
/// The deque gets a ticket for each of them, which stands for the oldest. So tickets can be stolen and popped in any
/// order.
#[repr(C)]
pub(crate) struct Fifo {
    header: Header,
    jobs: Queue<JobRef>,
}

impl Fifo {
    pub(crate) fn new() -> Self {
        Self { header: Header { run: Self::run }, jobs: Queue::new() }
    }

    /// Adds a job. Returns the ticket that goes into the deque.
    ///
    /// # Safety
    /// The queue stays until the ticket has been used.
    pub(crate) unsafe fn push(&self, job: JobRef) -> JobRef {
        enqueue(&self.jobs, job);
        // SAFETY: the caller's promise.
        unsafe { JobRef::new(self) }
    }

    unsafe fn run(this: NonNull<Header>) {
        // SAFETY: the queue stays until the ticket has been used; it is not touched after this pop.
        let job = unsafe { (*this.as_ptr().cast::<Self>()).jobs.pop() };
        let job = job.expect("a job for each ticket");
        // SAFETY: it has come out of the queue.
        unsafe { job.run() };
    }
}

/// Adds a job to a queue without limit.
pub(crate) fn enqueue(queue: &Queue<JobRef>, job: JobRef) {
    if queue.push(job).is_err() {
        // As the standard library does where there is no memory.
        std::process::abort();
    }
}
