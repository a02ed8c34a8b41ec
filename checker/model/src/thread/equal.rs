//! Threads that are equal.

use std::fmt;
use std::sync::Arc;

use super::{create, join};
use crate::runtime::coroutine::Body;
use crate::runtime::driver::ask;

/// Threads that run one body: [`spawn_equal`]. They are joined when this is dropped.
#[must_use = "the threads are joined when this is dropped"]
pub struct EqualThreads {
    threads: Vec<usize>,
    body: Option<Arc<dyn Fn()>>,
}

/// Starts threads that run one body.
///
/// They are equal until one of them is first at some access. So executions in which they have
/// changed parts are explored once, as far as that is easily seen: `n` threads that take
/// a lock do so in one order, and not in `n!`
/// ([`Config::all_thread_orders`](crate::Config::all_thread_orders)). The body must not distinguish
/// them by other means than the model's: a count of `std`, addresses, or a thread's
/// [id](super::Thread::id); the check begins anew with all orders if it reads the last.
///
/// # Panics
///
/// Outside of a model.
///
/// # Examples
///
/// ```
/// use aqueduct_model::sync::Mutex;
/// use aqueduct_model::{Config, thread};
/// use std::sync::Arc;
///
/// let report = Config::new().check(|| {
///     let count = Arc::new(Mutex::new(0));
///     let theirs = Arc::clone(&count);
///     thread::spawn_equal(5, move || *theirs.lock().unwrap() += 1).join();
///     assert_eq!(*count.lock().unwrap(), 5);
/// });
/// assert_eq!(report.executions, 1);
/// ```
#[track_caller]
pub fn spawn_equal(number: usize, body: impl Fn() + 'static) -> EqualThreads {
    let body: Arc<dyn Fn()> = Arc::new(body);
    let threads = (0..number).map(|before| {
        let body = Arc::clone(&body);
        let job: Body = Box::new(move || body());
        create(job, Some(before as u64))
    });
    let threads = threads.collect();
    EqualThreads { threads, body: Some(body) }
}

impl EqualThreads {
    /// Waits for all of them, killed ones as well ([`Config::kill`](crate::Config::kill)).
    #[track_caller]
    pub fn join(mut self) {
        self.join_all();
    }

    #[track_caller]
    fn join_all(&mut self) {
        // Nothing comes in between, so the threads stay equal.
        std::mem::take(&mut self.threads).into_iter().for_each(join);
        self.body = None;
    }
}

impl Drop for EqualThreads {
    #[track_caller]
    fn drop(&mut self) {
        if super::panicking() {
            // The thread does not wait any more, so the body must not be dropped.
            std::mem::forget(self.body.take());
        } else {
            self.join_all();
        }
    }
}

impl fmt::Debug for EqualThreads {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EqualThreads").finish_non_exhaustive()
    }
}

/// Whether the first accesses in which two threads of one body differ come in coherence order, for
/// the checker's own tests: of executions that differ only in their names, it is so in one.
#[doc(hidden)]
#[must_use]
pub fn comes_first(one: usize, other: usize) -> bool {
    ask(|engine| engine.explorer.graph.comes_first(one, other))
}
