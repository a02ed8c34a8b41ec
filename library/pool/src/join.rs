//! Joins: two closures side by side.

use crate::global;
use crate::job::{JobRef, StackJob};
use crate::unwind::{self, Payload};
use crate::worker::{SpinLatch, Worker};

/// The argument of a closure of [`join_context`].
#[derive(Debug)]
pub struct FnContext {
    is_migrated: bool,
    /// The context stays on its thread.
    _thread: std::marker::PhantomData<*mut ()>,
}

impl FnContext {
    #[inline(always)]
    fn new(is_migrated: bool) -> Self {
        Self { is_migrated, _thread: std::marker::PhantomData }
    }

    /// Whether another thread than the caller of the join runs the closure.
    #[inline]
    #[must_use]
    pub fn migrated(&self) -> bool {
        self.is_migrated
    }
}

/// Calls two closures, side by side if a worker is free, and returns both results.
///
/// The call puts the second closure where other workers can steal it, and calls the first one. If
/// no worker has stolen the second closure meanwhile, the thread calls that, too. Neither case
/// allocates.
///
/// A worker that has offered three closures which no other worker has requested offers no more: it
/// calls both closures, one after the other, until a worker requests some. So most joins of a deep
/// recursion are plain calls, and closures must not wait for each other.
///
/// A thread that is not a worker hands the call to the global pool, and waits.
///
/// # Examples
/// ```
/// fn fib(n: u64) -> u64 {
///     if n < 2 {
///         return n;
///     }
///     let (a, b) = aqueduct_pool::join(|| fib(n - 1), || fib(n - 2));
///     a + b
/// }
/// assert_eq!(fib(16), 987);
/// ```
///
/// # Panics
/// If a closure panics, with its panic; if both do, with that of the first closure. The other
/// closure is called in any case, and has ended then.
///
/// # Locks
/// A worker whose second closure was stolen runs other jobs until that closure is done. Such a job
/// may take a lock that the caller holds. Around such calls, use
/// [`undisturbed`](crate::undisturbed).
#[inline]
pub fn join<A, B, RA, RB>(a: A, b: B) -> (RA, RB)
where
    A: FnOnce() -> RA + Send,
    B: FnOnce() -> RB + Send,
    RA: Send,
    RB: Send,
{
    join_context(|_| a(), |_| b())
}

/// Calls two closures as [`join`] does, and passes to each whether it runs on another thread than
/// the caller.
#[inline]
pub fn join_context<A, B, RA, RB>(a: A, b: B) -> (RA, RB)
where
    A: FnOnce(FnContext) -> RA + Send,
    B: FnOnce(FnContext) -> RB + Send,
    RA: Send,
    RB: Send,
{
    match Worker::current() {
        Some(worker) => join_on(worker, a, b, false),
        None => join_in_global(a, b),
    }
}

/// Calls two closures on a worker of the global pool.
#[cold]
#[inline(never)]
fn join_in_global<A, B, RA, RB>(a: A, b: B) -> (RA, RB)
where
    A: FnOnce(FnContext) -> RA + Send,
    B: FnOnce(FnContext) -> RB + Send,
    RA: Send,
    RB: Send,
{
    global::registry().in_worker(|worker, is_injected| join_on(worker, a, b, is_injected))
}

/// Calls two closures on this worker.
///
/// Puts `b` on the deque, runs `a`, then takes `b` back and runs it. If another worker has stolen
/// `b`, runs other jobs until the latch of `b` is set, and takes its result. If the worker offers
/// enough jobs already, or its deque is full, runs both closures one after the other. A panic of
/// `a` waits until `b` has ended, and the result of `b` is dropped.
#[inline(always)]
fn join_on<A, B, RA, RB>(worker: &Worker, a: A, b: B, is_injected: bool) -> (RA, RB)
where
    A: FnOnce(FnContext) -> RA + Send,
    B: FnOnce(FnContext) -> RB + Send,
    RA: Send,
    RB: Send,
{
    if worker.offers_enough() {
        return run_both_inline(|| a(FnContext::new(is_injected)), || b(FnContext::new(is_injected)));
    }
    // Inlined, so that the caller writes the closure's values to the place where a thief reads
    // them.
    let b = StackJob::new(|is_migrated| b(FnContext::new(is_migrated)), SpinLatch::new(worker));
    // SAFETY: this frame stays until the call has ended.
    unsafe { join_job(worker, a, &b, is_injected) }
}

/// Offers a job, calls a closure, and calls the job's closure if no worker has stolen it.
///
/// A function of its own, because recursive callers then save fewer registers.
///
/// # Safety
/// The job is new. It has been run when this ends, also by a panic.
#[inline(never)]
unsafe fn join_job<RA, B, RB>(
    worker: &Worker,
    a: impl FnOnce(FnContext) -> RA,
    b: &StackJob<SpinLatch, B, RB>,
    is_injected: bool,
) -> (RA, RB)
where
    B: FnOnce(bool) -> RB,
{
    let a = move || a(FnContext::new(is_injected));
    // SAFETY: the caller's frame stays until the job has been taken back, or its latch is set, also
    // if `a` panics.
    let job = unsafe { b.as_job() };
    if !worker.try_push(job) {
        // SAFETY: the job is not in the deque, so this is its only run.
        return run_both_deque_full(a, move || unsafe { b.run_inline(is_injected) });
    }
    let a = match unwind::catch(a) {
        Ok(a) => a,
        Err(payload) => {
            let is_back = take_back_or_wait(worker, job, b);
            // SAFETY: this is the job's only run, if no worker has stolen it.
            after_panic(payload, move || unsafe { finish(b, is_back, is_injected) })
        }
    };
    let is_back = take_back_or_wait(worker, job, b);
    // SAFETY: this is the job's only run, if no worker has stolen it.
    (a, unsafe { finish(b, is_back, is_injected) })
}

/// Takes the job out of the deque, or waits for the thief that has stolen it. Returns true if the
/// job was taken back.
#[inline(always)]
fn take_back_or_wait<B, RB>(worker: &Worker, job: JobRef, b: &StackJob<SpinLatch, B, RB>) -> bool
where
    B: FnOnce(bool) -> RB,
{
    let newest = worker.pop();
    newest == Some(job) || worker.take_back(newest, job, b.latch().core())
}

/// Calls the closure of a job that was taken back, or takes the result of one that was stolen.
///
/// # Safety
/// The job was taken back, or its latch is set. This is the only call.
#[inline(always)]
unsafe fn finish<B, RB>(b: &StackJob<SpinLatch, B, RB>, is_back: bool, is_injected: bool) -> RB
where
    B: FnOnce(bool) -> RB,
{
    // SAFETY: the caller's promise.
    unsafe { if is_back { b.run_inline(is_injected) } else { b.take_result() } }
}

/// Calls both closures on this thread, because the deque has enough jobs.
///
/// The second closure is called after the panic of the first one was caught, not while it unwinds.
#[inline(always)]
fn run_both_inline<RA, RB>(a: impl FnOnce() -> RA, b: impl FnOnce() -> RB) -> (RA, RB) {
    match unwind::catch(a) {
        Ok(a) => (a, b()),
        Err(payload) => after_panic(payload, b),
    }
}

/// Calls a second closure whose result is lost, because the first one has panicked.
#[cold]
#[inline(never)]
fn run_and_discard<R>(b: impl FnOnce() -> R) {
    // A panic of the second closure is lost.
    drop(unwind::catch(b));
}

/// Calls both closures on this thread, because the deque is full.
#[cold]
fn run_both_deque_full<RA, RB>(a: impl FnOnce() -> RA, b: impl FnOnce() -> RB) -> (RA, RB) {
    run_both_inline(a, b)
}

/// Calls the second closure, then resumes the panic of the first one.
#[cold]
fn after_panic<R>(payload: Payload, b: impl FnOnce() -> R) -> ! {
    run_and_discard(b);
    unwind::resume(payload)
}

/// Calls `body`. A worker that waits in `body` runs no jobs and tasks but those of `body`.
///
/// Elsewhere, a worker that waits for a stolen closure runs any job. If that job needs a lock that
/// the caller of `body` holds, both wait forever. In `body`, the worker runs the jobs and tasks
/// that `body` has made for this pool, and sleeps if there are none; and so do the workers that
/// wait within stolen parts of `body`. [`yield_now`](crate::yield_now()) there runs no other jobs,
/// either. Calls of [`broadcast`](crate::broadcast())s still run, and those of broadcasts that
/// `body` has made are parts of it on each worker.
///
/// On a thread that is not a worker, this only calls `body`.
///
/// # Deadlocks
/// `body` may wait for other work of the pool, such as a task from before the call. Workers that
/// are not in such a `body` run it. If all workers wait in bodies, each for work from outside of
/// its body, they wait forever: a pool of one worker does so at the first such wait. Work that
/// `body` hands to another pool, and that hands work back to this pool, is not a part of `body`.
///
/// # Cost
/// One allocation, and a few operations of a lock that only the parts of `body` share.
///
/// # Examples
/// ```
/// use std::sync::Mutex;
///
/// let sum = Mutex::new(0);
/// aqueduct_pool::scope(|scope| {
///     for number in 1..=10 {
///         let sum = &sum;
///         scope.spawn(move |_| {
///             let mut sum = sum.lock().expect("no job panics");
///             let (a, b) = aqueduct_pool::undisturbed(|| aqueduct_pool::join(|| number, || number));
///             *sum += a + b;
///         });
///     }
/// });
/// assert_eq!(*sum.lock().expect("no job panics"), 110);
/// ```
pub fn undisturbed<R>(body: impl FnOnce() -> R) -> R {
    match Worker::current() {
        Some(worker) => worker.undisturbed(body),
        None => body(),
    }
}
