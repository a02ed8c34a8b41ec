//! Panics: caught, resumed, or turned into the end of the process.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::process;

/// The payload of a panic.
pub(crate) type Payload = Box<dyn Any + Send + 'static>;

/// Calls `body`, and catches a panic.
#[inline(always)]
pub(crate) fn catch<R>(body: impl FnOnce() -> R) -> Result<R, Payload> {
    catch_unwind(AssertUnwindSafe(body))
}

/// Calls or drops a user's waker. Its panic ends here, because the caller serves other wakers, too.
pub(crate) fn contain(body: impl FnOnce()) {
    if let Err(payload) = catch(body)
        && let Err(payload) = catch(|| drop(payload))
    {
        // A payload whose drop panics, too, is leaked.
        std::mem::forget(payload);
    }
}

/// Resumes a caught panic.
#[cold]
pub(crate) fn resume(payload: Payload) -> ! {
    resume_unwind(payload)
}

/// Ends the process when a panic drops it: frames that other threads use must not unwind.
#[derive(Debug)]
pub(crate) struct AbortIfPanic;

impl Drop for AbortIfPanic {
    fn drop(&mut self) {
        eprintln!("aqueduct-pool: a panic where none can be passed on; the process ends");
        process::abort();
    }
}

/// Calls `body`. Its panic ends the process.
#[inline(always)]
pub(crate) fn abort_on_panic<R>(body: impl FnOnce() -> R) -> R {
    let guard = AbortIfPanic;
    let result = body();
    std::mem::forget(guard);
    result
}
