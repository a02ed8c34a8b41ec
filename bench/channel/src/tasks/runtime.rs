//! The runtime: two workers, on a core each.

use std::future::Future;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use aqueduct_measure::machine;
use aqueduct_measure::record::Placement;
use aqueduct_measure::rounds::Fault;
use tokio::runtime::{Builder, Runtime};
use tokio::task::JoinSet;

use crate::crew::{self, PATIENCE, Part};

/// Workers of the runtime.
const WORKERS: usize = 2;

/// A runtime that begins with its first task.
pub(crate) struct Workers {
    cores: Vec<usize>,
    runtime: OnceLock<Runtime>,
}

impl Workers {
    pub(crate) fn new(cores: &[usize]) -> Arc<Self> {
        Arc::new(Self { cores: cores.to_vec(), runtime: OnceLock::new() })
    }

    /// Returns the workers' cores, as those of senders and of receivers: a task may run on either.
    pub(crate) fn placement(&self) -> Placement {
        let cores: Vec<usize> = self.cores.iter().take(WORKERS).copied().collect();
        Placement { producers: cores.clone(), consumers: cores }
    }

    /// Returns the first core.
    pub(crate) fn first_core(&self) -> Vec<usize> {
        self.cores.iter().take(1).copied().collect()
    }

    fn runtime(&self) -> &Runtime {
        self.runtime.get_or_init(|| {
            let (cores, next) = (self.cores.clone(), AtomicUsize::new(0));
            let pin = move || {
                // Ordering: relaxed; a count only.
                let at = next.fetch_add(1, Ordering::Relaxed);
                machine::pin((!cores.is_empty()).then(|| cores[at % cores.len()]));
            };
            let runtime =
                Builder::new_multi_thread().worker_threads(WORKERS).on_thread_start(pin).enable_time().build();
            runtime.expect("the system has threads")
        })
    }

    /// Runs all tasks on the workers. Returns their results in their order, and the time.
    pub(crate) fn all<T: Send + 'static, F: Future<Output = T> + Send + 'static>(
        &self,
        tasks: Vec<F>,
    ) -> Result<(Vec<T>, Duration), Fault> {
        let runtime = self.runtime();
        // The start comes from a worker, as that of most tasks does.
        let running = runtime.spawn(join(tasks));
        match runtime.block_on(running) {
            Ok(found) => found,
            Err(error) => Err(Fault::Panicked(error.to_string())),
        }
    }
}

/// Runs all tasks on a runtime of one thread, which is pinned to that core.
pub(crate) fn all_on_one<T: Send + 'static, F: Future<Output = T> + Send + 'static>(
    core: Option<usize>,
    tasks: Vec<F>,
) -> Result<(Vec<T>, Duration), Fault> {
    let work = move || {
        let runtime = Builder::new_current_thread().enable_time().build().expect("the system has a timer");
        runtime.block_on(join(tasks))
    };
    let (mut found, _) = crew::all(vec![Part::new(core, work)])?;
    found.pop().unwrap_or(Err(Fault::WrongAnswer("a thread ended without a result")))
}

async fn join<T: Send + 'static, F: Future<Output = T> + Send + 'static>(
    tasks: Vec<F>,
) -> Result<(Vec<T>, Duration), Fault> {
    let count = tasks.len();
    let began = Instant::now();
    // Tasks that have not ended are stopped when the set is dropped.
    let mut running = JoinSet::new();
    for (at, task) in tasks.into_iter().enumerate() {
        running.spawn(async move { (at, task.await) });
    }
    let mut found: Vec<Option<T>> = (0..count).map(|_| None).collect();
    for ended in 0..count {
        match tokio::time::timeout(PATIENCE, running.join_next()).await {
            Ok(Some(Ok((at, result)))) => found[at] = Some(result),
            Ok(Some(Err(error))) => return Err(Fault::Panicked(error.to_string())),
            Ok(None) | Err(_) => return Err(Fault::Stuck { popped: ended as u64, wanted: count as u64 }),
        }
    }
    Ok((found.into_iter().flatten().collect(), began.elapsed()))
}
