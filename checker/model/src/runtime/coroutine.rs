//! Model threads as coroutines, all on one operating system thread.
//!
//! Each thread has a stack of its own. A coroutine outlives the job that it runs and takes the next
//! one, so stacks are reused.

use std::cell::Cell;
use std::mem::ManuallyDrop;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use corosensei::stack::DefaultStack;
use corosensei::{Coroutine, CoroutineResult, Yielder};

use crate::graph::event::Site;

/// The body of a model thread.
pub(crate) type Body = Box<dyn FnOnce()>;

/// The body of a model thread, and the function that runs it. It is a pair in place of a second
/// box, because one is made for each thread of each run.
pub(crate) struct Job {
    pub(crate) body: Body,
    pub(crate) site: Site,
    pub(crate) run: fn(Body, Site),
}

/// The reason why a coroutine returned control.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Signal {
    /// The thread's next operation has to wait.
    Switch,
    /// The job is done.
    Idle,
    /// The thread must not continue.
    Stuck,
}

type Channel = Yielder<Option<Job>, Signal>;

std::thread_local! {
    /// The channel of the coroutine that runs now.
    static CHANNEL: Cell<*const Channel> = const { Cell::new(std::ptr::null()) };
    /// Whether a panic has begun in the job of the coroutine that runs now. The standard library's
    /// count belongs to the operating system thread, so it mixes up coroutines.
    static PANICKED: Cell<bool> = const { Cell::new(false) };
}

/// The panic of a thread that is killed.
struct Killed;

/// A coroutine for model threads.
pub(crate) struct ModelThread {
    coroutine: ManuallyDrop<Coroutine<Option<Job>, Signal, ()>>,
    channel: *const Channel,
    last: Signal,
    panicked: bool,
}

impl ModelThread {
    /// Makes a coroutine without a job.
    pub(crate) fn new(stack_size: usize) -> std::io::Result<Self> {
        let stack = DefaultStack::new(stack_size)?;
        let coroutine = Coroutine::with_stack(stack, |channel: &Channel, first: Option<Job>| {
            CHANNEL.set(channel);
            let mut next = first;
            loop {
                if let Some(job) = next {
                    // A job catches the program's panics. A panic that arrives here is the
                    // checker's own.
                    let _ = catch_unwind(AssertUnwindSafe(|| (job.run)(job.body, job.site)));
                }
                next = channel.suspend(Signal::Idle);
            }
        });
        let coroutine = ManuallyDrop::new(coroutine);
        Ok(Self { coroutine, channel: std::ptr::null(), last: Signal::Idle, panicked: false })
    }

    /// Whether there is no job.
    pub(crate) fn is_idle(&self) -> bool {
        self.last == Signal::Idle
    }

    /// Begins a job, or resumes the present one.
    pub(crate) fn resume(&mut self, job: Option<Job>) -> Signal {
        CHANNEL.set(self.channel);
        PANICKED.set(self.panicked && job.is_none());
        let CoroutineResult::Yield(signal) = self.coroutine.resume(job) else {
            unreachable!("a coroutine loops forever")
        };
        self.channel = CHANNEL.replace(std::ptr::null());
        self.last = signal;
        self.panicked = PANICKED.get();
        signal
    }
}

impl Drop for ModelThread {
    /// Frees the stack of an idle coroutine, and leaks a busy one. A busy one's frames may hold
    /// pinned values, whose memory must stay until they are dropped, and they must not be unwound.
    fn drop(&mut self) {
        if self.is_idle() {
            // SAFETY: An idle coroutine's stack holds nothing that needs a drop. It is dropped
            // once, here.
            unsafe {
                self.coroutine.force_reset();
                ManuallyDrop::drop(&mut self.coroutine);
            }
        }
    }
}

/// Returns control from within a coroutine.
pub(crate) fn suspend(signal: Signal) {
    let channel = CHANNEL.get();
    assert!(!channel.is_null(), "a model operation outside of a model thread");
    // SAFETY: The channel lives on the stack of the coroutine that runs now.
    unsafe { (*channel).suspend(signal) };
}

/// Notes that a panic begins in the coroutine that runs now.
pub(crate) fn note_panic() {
    PANICKED.set(true);
}

/// Stops the coroutine that runs now forever.
pub(crate) fn stay() -> ! {
    loop {
        suspend(Signal::Stuck);
    }
}

/// Kills the thread that runs now.
pub(crate) fn kill() -> ! {
    note_panic();
    resume_unwind(Box::new(Killed))
}

/// Whether the coroutine that runs now unwinds: a panic has begun in it, and not all panics of this
/// operating system thread have been caught.
pub(crate) fn has_panicked() -> bool {
    PANICKED.get() && std::thread::panicking()
}

/// Notes that the panic in the coroutine that runs now has been caught for good.
pub(crate) fn forget_panic() {
    PANICKED.set(false);
}

/// Whether a panic's payload is that of a killed thread.
pub(crate) fn is_death(payload: &(dyn std::any::Any + Send)) -> bool {
    payload.is::<Killed>()
}

/// Removes panics that are never caught from the count of this operating system thread, so that
/// [`std::thread::panicking`] is false again.
///
/// A coroutine that is left for good in the middle of its unwinding leaves its panic in that count,
/// which only a catch lowers. So another operating system thread begins a panic, in a coroutine,
/// and this one catches it.
pub(crate) fn settle_panics() {
    while std::thread::panicking() {
        let Ok(Ok(mut begun)) = std::thread::spawn(BegunPanic::new).join() else { return };
        begun.0.resume(());
    }
}

/// A coroutine in the middle of a panic that has not been caught.
struct BegunPanic(Coroutine<(), (), ()>);

// SAFETY: Its stack holds nothing that belongs to an operating system thread: a panic's payload,
// and a yielder.
unsafe impl Send for BegunPanic {}

impl BegunPanic {
    fn new() -> std::io::Result<Self> {
        /// Its drop pauses the unwinding.
        struct Pause<'a>(&'a Yielder<(), ()>);
        impl Drop for Pause<'_> {
            fn drop(&mut self) {
                self.0.suspend(());
            }
        }
        let stack = DefaultStack::new(64 * 1024)?;
        let mut coroutine = Coroutine::with_stack(stack, |yielder, ()| {
            let unwinding = AssertUnwindSafe(|| {
                let _pause = Pause(yielder);
                resume_unwind(Box::new(()))
            });
            let _: Result<(), _> = catch_unwind(unwinding);
        });
        coroutine.resume(());
        Ok(Self(coroutine))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn panics_that_are_never_caught_are_taken_back() {
        for _ in 0..3 {
            let begun = ManuallyDrop::new(BegunPanic::new());
            assert!(begun.is_ok() && std::thread::panicking());
        }
        settle_panics();
        assert!(!std::thread::panicking());
    }
}
