//! tokio's types in tasks of the pool.
//!
//! tokio polls them only within a tokio runtime, whose reactor and timers wake them. [`InTokio`] is
//! a future that enters such a runtime for each poll: the caller's runtime, or else the process's,
//! whose only thread runs no tasks. `tokio::spawn` within it makes tasks of that runtime, and not
//! of the pool.

use std::fmt;
use std::future::{Future, pending};
use std::pin::Pin;
use std::sync::OnceLock;
use std::task::{Context, Poll};
use std::thread;

use aqueduct_pool::{ThreadPool, ThreadPoolBuilder};
use tokio::runtime::{Builder, Handle};

/// Returns the runtime for callers without one.
fn runtime() -> Handle {
    static RUNTIME: OnceLock<Handle> = OnceLock::new();
    let start = || {
        let runtime = Builder::new_current_thread().enable_all().build().expect("tokio can make a reactor");
        let handle = runtime.handle().clone();
        let drive = move || runtime.block_on(pending::<()>());
        thread::Builder::new().name("tokio-reactor".to_owned()).spawn(drive).expect("a thread for tokio's reactor");
        handle
    };
    Handle::try_current().unwrap_or_else(|_| RUNTIME.get_or_init(start).clone())
}

/// Makes a pool whose idle workers wait for input and output, and for timers. So a task that
/// becomes ready is on a worker already. The handle is for [`in_runtime`].
///
/// # Errors
/// If the pool's threads, or tokio's reactor, cannot be made.
pub fn pool(builder: ThreadPoolBuilder) -> Result<(ThreadPool, Handle), Box<dyn std::error::Error>> {
    let runtime = Builder::new_current_thread().enable_all().build()?;
    let handle = runtime.handle().clone();
    let pool = builder.park_handler(move |parked| runtime.block_on(parked)).build()?;
    Ok((pool, handle))
}

/// Lets a future use tokio's types in a task of the pool.
///
/// # Panics
/// If there is no runtime yet, and tokio cannot make one.
pub fn in_tokio<F: Future>(future: F) -> InTokio<F> {
    in_runtime(runtime(), future)
}

/// Lets a future use tokio's types, of this runtime, in a task of the pool.
pub fn in_runtime<F: Future>(handle: Handle, future: F) -> InTokio<F> {
    InTokio { handle, future: Some(Box::pin(future)) }
}

/// The future of [`in_tokio`].
pub struct InTokio<F: Future> {
    handle: Handle,
    /// Only `drop` takes it: tokio's types need their runtime during the drop, too.
    future: Option<Pin<Box<F>>>,
}

impl<F: Future> Future for InTokio<F> {
    type Output = F::Output;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<F::Output> {
        let this = &mut *self;
        let _entered = this.handle.enter();
        this.future.as_mut().expect("it is there until it is dropped").as_mut().poll(context)
    }
}

impl<F: Future> Drop for InTokio<F> {
    fn drop(&mut self) {
        let _entered = self.handle.enter();
        drop(self.future.take());
    }
}

impl<F: Future> fmt::Debug for InTokio<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("InTokio").finish_non_exhaustive()
    }
}
