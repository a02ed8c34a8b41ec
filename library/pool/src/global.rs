//! The global pool.

use std::sync::{Mutex, OnceLock};

use crate::builder::ThreadPoolBuilder;
use crate::error::ThreadPoolBuildError;
use crate::registry::Registry;
use crate::start::start;
use crate::sync::Arc;
use crate::worker::Worker;

/// The global pool.
static GLOBAL: OnceLock<Arc<Registry>> = OnceLock::new();

/// Held while a thread makes the global pool.
static MAKING: Mutex<()> = Mutex::new(());

/// Makes the global pool, if none exists.
pub(crate) fn make_registry(
    make: impl FnOnce() -> Result<Arc<Registry>, ThreadPoolBuildError>,
) -> Result<&'static Arc<Registry>, ThreadPoolBuildError> {
    let _one_at_a_time = MAKING.lock();
    if GLOBAL.get().is_some() {
        return Err(ThreadPoolBuildError::initialized());
    }
    let registry = make()?;
    Ok(GLOBAL.get_or_init(|| registry))
}

/// Returns the global pool.
pub(crate) fn registry() -> &'static Arc<Registry> {
    GLOBAL.get().unwrap_or_else(|| {
        let made = make_registry(start_default);
        made.or_else(|error| GLOBAL.get().ok_or(error)).expect("the global pool can be made")
    })
}

/// Starts the global pool with the defaults. Where the system has no threads, the calling thread
/// becomes its worker.
fn start_default() -> Result<Arc<Registry>, ThreadPoolBuildError> {
    let made = start(ThreadPoolBuilder::new());
    if made.as_ref().is_err_and(ThreadPoolBuildError::is_unsupported) && Worker::current().is_none() {
        let alone = start(ThreadPoolBuilder::new().num_threads(1).use_current_thread());
        return alone.or(made);
    }
    made
}

/// Returns the calling worker's pool, or else the global pool.
pub(crate) fn current() -> Arc<Registry> {
    Arc::clone(Worker::current().map_or_else(registry, Worker::registry))
}

/// Calls `body` on a worker: the calling thread, if it is one, or else a worker of the global pool.
#[inline(always)]
pub(crate) fn in_worker<R: Send>(body: impl FnOnce(&Worker, bool) -> R + Send) -> R {
    match Worker::current() {
        Some(worker) => body(worker, false),
        None => registry().in_worker(body),
    }
}
