//! A task in memory: its word, its future or result, and the functions that know their types.

use std::future::Future;
use std::mem::{ManuallyDrop, MaybeUninit};
use std::pin::Pin;
use std::ptr::NonNull;
use std::task::{Context, Poll, RawWaker, RawWakerVTable, Waker};

use super::error::TaskError;
use super::round::LastRound;
use super::state::{Pause, State};
use crate::job::{Header, JobRef};
use crate::sync::Slot;
use crate::unwind::{self, Payload};

/// The place where a task runs: a pool.
pub trait Host: Send + Sync + 'static {
    /// Puts a task's job where a worker will find it.
    ///
    /// # Safety
    /// `this` exists. It may be dropped as soon as a worker can find the job, unless the caller
    /// holds a reference of the task.
    unsafe fn schedule(this: *const Self, job: Runnable, place: Place);

    /// Calls `run`, which polls the future or drops it.
    fn around<R>(&self, run: impl FnOnce() -> R) -> R {
        run()
    }

    /// Reports that the task's future is dropped. Called once.
    fn finished(&self);

    /// Takes the panic of a task without a handle.
    fn lost_panic(&self, payload: Payload);
}

/// The place of a job in a worker's queue.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Place {
    /// Next, because the task has been woken.
    Next,
    /// Behind the other tasks, because the task has been polled just now.
    Last,
}

/// A task's job. A job that is not run leaks.
#[derive(Debug)]
#[must_use = "the task waits for it"]
pub struct Runnable(pub(crate) JobRef);

impl Runnable {
    /// Polls the task, or drops its future if it was aborted.
    pub fn run(self) {
        // SAFETY: each scheduling of the task makes one such value, and this call consumes it.
        unsafe { self.0.run() };
    }

    /// Returns the part of the task that does not depend on its types.
    pub(crate) fn head(&self) -> &Head {
        // SAFETY: the job is a task's, and a reference. A task begins with its head.
        unsafe { &*self.0.into_raw().cast::<Head>() }
    }
}

/// The part that does not depend on a task's types. The first field of each task.
#[repr(C)]
pub(crate) struct Head {
    job: Header,
    pub(crate) state: State,
    /// The round in which a worker has last taken the task from its own tasks.
    pub(crate) round: LastRound,
    functions: &'static Functions,
    /// The awaiter's waker: rule 5 of `state.rs`.
    awaiter: Slot<Option<Waker>>,
}

/// The functions that know a task's types.
struct Functions {
    schedule: unsafe fn(NonNull<Head>, Place),
    /// Moves the result to an address, which has room for a `Result<T, TaskError>`.
    take_result: unsafe fn(NonNull<Head>, *mut ()),
    drop_result: unsafe fn(NonNull<Head>),
    free: unsafe fn(NonNull<Head>),
}

#[repr(C)]
struct Cell<F: Future, H> {
    head: Head,
    host: H,
    stage: Slot<Stage<F>>,
}

enum Stage<F: Future> {
    Future(F),
    Result(Result<F::Output, TaskError>),
    Gone,
}

/// Makes a task that is scheduled, with one reference for its job, which has to be run, and one for
/// its handle.
pub(super) fn allocate<F, H>(future: F, host: H) -> (Runnable, NonNull<Head>)
where
    F: Future<Output: Send + 'static> + Send + 'static,
    H: Host,
{
    let functions = const {
        &Functions {
            schedule: Cell::<F, H>::schedule,
            take_result: Cell::<F, H>::take_result,
            drop_result: Cell::<F, H>::drop_result,
            free: Cell::<F, H>::free,
        }
    };
    let head = Head {
        job: Header::new(Cell::<F, H>::run),
        state: State::new(),
        round: LastRound::none(),
        functions,
        awaiter: Slot::full(None),
    };
    let cell = Box::new(Cell { head, host, stage: Slot::full(Stage::Future(future)) });
    let head = NonNull::from(Box::leak(cell)).cast::<Head>();
    // SAFETY: the state begins as scheduled, with a reference for the job.
    (Runnable(unsafe { job(head) }), head)
}

/// The job of a task.
///
/// # Safety
/// The task is scheduled, and the caller hands over the job's reference.
unsafe fn job(head: NonNull<Head>) -> JobRef {
    // SAFETY: a task is `repr(C)`, begins with its header, and stays while it has a reference.
    unsafe { JobRef::new(head.as_ptr()) }
}

impl<F: Future, H: Host> Cell<F, H> {
    /// Runs the job.
    unsafe fn run(job: NonNull<Header>) {
        let head: NonNull<Head> = job.cast();
        // This function keeps no reference to the task, because it frees the task.
        unwind::abort_on_panic(|| {
            // SAFETY: the job is a reference, so the task exists.
            if unsafe { head.as_ref() }.state.start().is_aborted() {
                // SAFETY: the task is running, on this thread.
                return unsafe { Self::finish(head, Err(TaskError::aborted())) };
            }
            // During the poll, the job's reference counts as the waker's.
            let waker = ManuallyDrop::new(waker(head));
            let mut context = Context::from_waker(&waker);
            // SAFETY: the task is running, on this thread.
            let poll = unwind::catch(|| unsafe { head.cast::<Self>().as_ref().poll(&mut context) });
            match poll {
                // SAFETY: the job is a reference until `pause`.
                Ok(Poll::Pending) => match unsafe { head.as_ref() }.state.pause() {
                    Pause::Idle => {}
                    // SAFETY: the job keeps its reference.
                    Pause::Woken => unsafe { Self::schedule(head, Place::Last) },
                    // SAFETY: no reference is left.
                    Pause::Forgotten => unsafe { Self::free(head) },
                },
                // SAFETY: the task is running, on this thread.
                Ok(Poll::Ready(value)) => unsafe { Self::finish(head, Ok(value)) },
                // SAFETY: the task is running, on this thread.
                Err(payload) => unsafe { Self::finish(head, Err(TaskError::panicked(payload))) },
            }
        });
    }

    /// Polls the future.
    ///
    /// # Safety
    /// The caller runs the task.
    #[inline]
    unsafe fn poll(&self, context: &mut Context<'_>) -> Poll<F::Output> {
        // SAFETY: the caller has the stage to itself.
        self.host.around(|| unsafe {
            self.stage.with(|stage| match stage {
                // The task stays where it is until the future is dropped.
                Stage::Future(future) => Pin::new_unchecked(future).poll(context),
                Stage::Result(_) | Stage::Gone => unreachable!("a task that runs has a future"),
            })
        })
    }

    /// Drops the future, stores the result, and releases the job's reference.
    ///
    /// # Safety
    /// The caller runs the task.
    unsafe fn finish(head: NonNull<Head>, mut result: Result<F::Output, TaskError>) {
        // SAFETY: the job is a reference.
        let this = unsafe { head.cast::<Self>().as_ref() };
        // SAFETY: the task is running, on this thread.
        if let Err(payload) = unwind::catch(|| unsafe { this.clear() }) {
            // A result whose drop panics, too, ends the process.
            result = Err(TaskError::panicked(payload));
        }
        // SAFETY: the task is running, on this thread.
        unsafe { this.stage.put(Stage::Result(result)) };
        let before = this.head.state.complete();
        if before.is_alone() {
            // SAFETY: there is no handle, so the result belongs to this thread.
            unsafe { this.lose_result() };
        } else if before.is_awaited() {
            // SAFETY: the task is completed with a waker, which belongs to the worker then.
            if let Some(waker) = unsafe { this.head.awaiter.with(Option::take) } {
                unwind::contain(|| waker.wake());
            }
        }
        this.host.finished();
        release(head);
    }

    /// Drops the contents of the stage.
    ///
    /// # Safety
    /// The caller has the stage to itself.
    unsafe fn clear(&self) {
        // SAFETY: the caller's promise. A future is dropped in place.
        self.host.around(|| unsafe { self.stage.with(|stage| *stage = Stage::Gone) });
    }

    /// Drops a result for which no handle waits.
    ///
    /// # Safety
    /// The task is completed, and the caller has the result to itself.
    unsafe fn lose_result(&self) {
        // SAFETY: the caller's promise.
        let stage = unsafe { self.stage.with(|stage| std::mem::replace(stage, Stage::Gone)) };
        if let Stage::Result(Err(error)) = stage {
            if let Ok(payload) = error.try_into_panic() {
                self.host.lost_panic(payload);
            }
        } else if let Err(payload) = unwind::catch(|| drop(stage)) {
            self.host.lost_panic(payload);
        }
    }

    unsafe fn schedule(head: NonNull<Head>, place: Place) {
        // SAFETY: the caller has set the bit, and hands a reference over; so the task exists.
        unsafe {
            let host = &raw const (*head.cast::<Self>().as_ptr()).host;
            H::schedule(host, Runnable(job(head)), place);
        }
    }

    unsafe fn take_result(head: NonNull<Head>, to: *mut ()) {
        // SAFETY: the handle is a reference, and has the result to itself.
        let stage = unsafe { head.cast::<Self>().as_ref().stage.with(|stage| std::mem::replace(stage, Stage::Gone)) };
        let Stage::Result(result) = stage else { unreachable!("a result is taken once") };
        // SAFETY: the caller's address is for this type.
        unsafe { to.cast::<Result<F::Output, TaskError>>().write(result) };
    }

    unsafe fn drop_result(head: NonNull<Head>) {
        // SAFETY: the handle is a reference, and has the result to itself.
        unsafe { head.cast::<Self>().as_ref().lose_result() };
    }

    unsafe fn free(head: NonNull<Head>) {
        // SAFETY: no other reference is left.
        let this = unsafe { Box::from_raw(head.cast::<Self>().as_ptr()) };
        unwind::abort_on_panic(|| {
            // SAFETY: no other reference is left.
            let is_unfinished = unsafe { this.stage.with(|stage| matches!(stage, Stage::Future(_))) };
            // SAFETY: no other reference is left.
            if let Err(payload) = unwind::catch(|| unsafe { this.clear() }) {
                this.host.lost_panic(payload);
            }
            // SAFETY: no other reference is left.
            let awaiter = unsafe { this.head.awaiter.take() };
            unwind::contain(|| drop(awaiter));
            if is_unfinished {
                this.host.finished();
            }
        });
    }
}

/// Releases a reference.
pub(crate) fn release(head: NonNull<Head>) {
    // SAFETY: the caller's reference keeps the task. If it was the last reference, no other thread
    // has the task any more.
    unsafe {
        if head.as_ref().state.release() {
            (head.as_ref().functions.free)(head);
        }
    }
}

/// Schedules a task that was idle until the caller set its bit. The caller holds a reference of the
/// task.
pub(crate) fn schedule(head: NonNull<Head>) {
    // SAFETY: the caller holds a reference of the task, and the new reference is the job's.
    unsafe {
        head.as_ref().state.retain();
        (head.as_ref().functions.schedule)(head, Place::Next);
    }
}

/// Requests that the future is dropped. The caller holds a reference of the task.
pub(super) fn abort(head: NonNull<Head>) {
    // SAFETY: the caller's reference.
    if unsafe { head.as_ref() }.state.abort().is_idle() {
        schedule(head);
    }
}

/// Moves the result out.
///
/// # Safety
/// The task is completed, its result is a `T` and has not been taken, and the caller is the handle.
pub(crate) unsafe fn take_result<T>(head: NonNull<Head>) -> Result<T, TaskError> {
    let mut result = MaybeUninit::<Result<T, TaskError>>::uninit();
    // SAFETY: the caller's promise.
    unsafe {
        (head.as_ref().functions.take_result)(head, result.as_mut_ptr().cast());
        result.assume_init()
    }
}

/// Drops the result.
///
/// # Safety
/// The task is completed, its result has not been taken, and the caller is the handle.
pub(crate) unsafe fn drop_result(head: NonNull<Head>) {
    // SAFETY: the caller's promise.
    unsafe { (head.as_ref().functions.drop_result)(head) };
}

impl Head {
    /// Stores the awaiter's waker.
    ///
    /// # Safety
    /// The caller is the handle, and there is no waker, or the caller has cleared the bit of a task
    /// that was not completed.
    pub(crate) unsafe fn put_waker(&self, waker: Waker) {
        // SAFETY: only the handle accesses the waker now.
        drop(unsafe { self.awaiter.with(|awaiter| awaiter.replace(waker)) });
    }
}

/// A waker's functions.
const WAKER: RawWakerVTable = RawWakerVTable::new(
    |data| {
        // SAFETY: the waker is a reference of the task.
        unsafe { head(data).as_ref() }.state.retain();
        RawWaker::new(data, &WAKER)
    },
    |data| {
        // SAFETY: the waker is a reference of the task.
        unsafe { wake(data) };
        release(head(data));
    },
    wake,
    |data| release(head(data)),
);

fn head(data: *const ()) -> NonNull<Head> {
    // SAFETY: wakers are made with the address of a task.
    unsafe { NonNull::new_unchecked(data.cast_mut().cast()) }
}

unsafe fn wake(data: *const ()) {
    let head = head(data);
    // SAFETY: the waker is a reference of the task.
    if unsafe { head.as_ref() }.state.wake().is_idle() {
        schedule(head);
    }
}

/// Makes a waker, which is a reference.
fn waker(head: NonNull<Head>) -> Waker {
    // SAFETY: the functions keep the contract of wakers: any thread can wake a task, and tasks
    // count references.
    unsafe { Waker::from_raw(RawWaker::new(head.as_ptr().cast(), &WAKER)) }
}
