//! Model threads are coroutines, each on a stack of its own, all on one operating system thread.
//! A coroutine outlives the job it runs and takes the next one, so stacks are used again.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use corosensei::stack::DefaultStack;
use corosensei::{Coroutine, CoroutineResult, Yielder};

/// What a model thread runs.
pub(crate) type Job = Box<dyn FnOnce()>;

/// Why a coroutine gave control back.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Signal {
    /// Its next operation has to wait.
    Switch,
    /// Its job is done, or unwound.
    Idle,
    /// It must not go on: it was told to unwind, and its destructors asked for visible operations.
    Stuck,
}

type Channel = Yielder<Option<Job>, Signal>;

std::thread_local! {
    /// The channel of the coroutine that runs now.
    static CHANNEL: Cell<*const Channel> = const { Cell::new(std::ptr::null()) };
    /// Whether a panic has begun in the job of the coroutine that runs now. The standard library's
    /// own count is of the operating system thread, so it mixes up coroutines.
    static PANICKED: Cell<bool> = const { Cell::new(false) };
}

/// The panic that unwinds a coroutine whose execution has ended early.
struct Ended;

/// The panic of a thread that is killed.
struct Killed;

/// A coroutine for model threads.
pub(crate) struct ModelThread {
    coroutine: Coroutine<Option<Job>, Signal, ()>,
    channel: *const Channel,
    last: Signal,
    panicked: bool,
}

impl ModelThread {
    /// A coroutine without a job.
    pub(crate) fn new(stack_size: usize) -> std::io::Result<Self> {
        let stack = DefaultStack::new(stack_size)?;
        let coroutine = Coroutine::with_stack(stack, |channel: &Channel, first: Option<Job>| {
            CHANNEL.set(channel);
            let mut next = first;
            loop {
                if let Some(job) = next {
                    // A job catches its own panics; what comes here is the unwinding at the end
                    // of an execution.
                    let _ = catch_unwind(AssertUnwindSafe(job));
                }
                next = channel.suspend(Signal::Idle);
            }
        });
        Ok(Self { coroutine, channel: std::ptr::null(), last: Signal::Idle, panicked: false })
    }

    /// Whether a job has begun and can go on.
    pub(crate) fn is_busy(&self) -> bool {
        self.last == Signal::Switch
    }

    /// Whether there is no job.
    pub(crate) fn is_idle(&self) -> bool {
        self.last == Signal::Idle
    }

    /// Begins a job, or goes on with the one begun.
    pub(crate) fn resume(&mut self, job: Option<Job>) -> Signal {
        CHANNEL.set(self.channel);
        PANICKED.set(self.panicked && job.is_none());
        let CoroutineResult::Yield(signal) = self.coroutine.resume(job) else {
            unreachable!("a coroutine loops for ever")
        };
        self.channel = CHANNEL.replace(std::ptr::null());
        self.last = signal;
        self.panicked = PANICKED.get();
        signal
    }

    /// Gives up what the coroutine was doing, without running destructors.
    pub(crate) fn abandon(mut self) {
        // SAFETY: The frames on the stack are leaked, not reused by anyone: the stack is unmapped
        // and nothing refers to it, since threads that borrow from it were ended before it.
        unsafe { self.coroutine.force_reset() }
    }
}

impl Drop for ModelThread {
    fn drop(&mut self) {
        // SAFETY: An idle coroutine's stack holds nothing that needs dropping; a busy one is
        // leaked as in `abandon`.
        unsafe { self.coroutine.force_reset() }
    }
}

/// Gives control back from within a coroutine.
pub(crate) fn suspend(signal: Signal) {
    let channel = CHANNEL.get();
    assert!(!channel.is_null(), "a model operation outside of a model thread");
    // SAFETY: The channel lives on the stack of the coroutine that runs now.
    unsafe { (*channel).suspend(signal) };
}

/// A panic begins in the coroutine that runs now.
pub(crate) fn note_panic() {
    PANICKED.set(true);
}

/// Unwinds the coroutine that runs now. If it may be unwinding already, since a destructor has
/// asked for a visible operation in the middle of a panic, it is given up as it stands.
pub(crate) fn unwind() -> ! {
    while PANICKED.get() {
        suspend(Signal::Stuck);
    }
    resume_unwind(Box::new(Ended))
}

/// Kills the thread that runs now.
pub(crate) fn kill() -> ! {
    note_panic();
    resume_unwind(Box::new(Killed))
}

/// Whether a panic has begun in the coroutine that runs now.
pub(crate) fn has_panicked() -> bool {
    PANICKED.get()
}

/// The panic in the coroutine that runs now has been caught for good.
pub(crate) fn forget_panic() {
    PANICKED.set(false);
}

/// Whether a panic's payload is that of a thread that is killed.
pub(crate) fn is_death(payload: &(dyn std::any::Any + Send)) -> bool {
    payload.is::<Killed>()
}

/// Whether a panic's payload is the unwinding of an ended execution.
pub(crate) fn is_unwinding(payload: &(dyn std::any::Any + Send)) -> bool {
    payload.is::<Ended>()
}
