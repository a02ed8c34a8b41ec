//! Panics: caught, passed on, and where neither is possible, the end of the process.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::process;

/// What a panic was called with.
pub(crate) type Payload = Box<dyn Any + Send + 'static>;

/// Calls `body`, and catches a panic.
#[inline(always)]
pub(crate) fn catch<R>(body: impl FnOnce() -> R) -> Result<R, Payload> {
    catch_unwind(AssertUnwindSafe(body))
}

/// Passes a panic on that was caught.
#[cold]
pub(crate) fn resume(payload: Payload) -> ! {
    resume_unwind(payload)
}

/// Ends the process when it is dropped by a panic: frames that other threads use must not go.
#[derive(Debug)]
pub(crate) struct AbortIfPanic;

impl Drop for AbortIfPanic {
    fn drop(&mut self) {
        eprintln!("aqueduct-pool: a panic where none can be passed on; the process ends");
        process::abort();
    }
}

/// Calls `body`, whose panic ends the process.
#[inline(always)]
pub(crate) fn abort_on_panic<R>(body: impl FnOnce() -> R) -> R {
    let guard = AbortIfPanic;
    let result = body();
    std::mem::forget(guard);
    result
}
