//! Starts a pool: makes its state, its deques and its threads.

use aqueduct::bwos::{fifo, lifo};
use aqueduct::error::CapacityError;

use crate::builder::ThreadPoolBuilder;
use crate::error::ThreadPoolBuildError;
use crate::registry::{Registry, Settings};
use crate::seat::Seat;
use crate::sync::Arc;
use crate::task::queue::{Ready, SharedTasks};
use crate::thread::{ThreadBuilder, ThreadSpawn};
use crate::worker::Worker;

/// The capacity of a worker's deque. Further jobs go to the queue of injected jobs.
const DEQUE: usize = 4096;

/// Releases the handle's share if the pool cannot be made.
struct Share<'a>(&'a Registry);

impl Drop for Share<'_> {
    fn drop(&mut self) {
        self.0.release();
    }
}

/// Starts the pool that the builder describes.
///
/// # Errors
/// If a thread cannot be made, or the calling thread is a worker already and is to be used.
pub(crate) fn start<S: ThreadSpawn>(mut builder: ThreadPoolBuilder<S>) -> Result<Arc<Registry>, ThreadPoolBuildError> {
    let threads = builder.threads();
    let capacity = builder.deque_capacity.unwrap_or(DEQUE);
    let deques = (0..threads).map(|index| {
        let ((deque, stealer), (tasks, tasks_stealer)) = (lifo::new(capacity)?, fifo::new(capacity)?);
        Ok(((deque, Ready::new(tasks, index)), Seat::new(stealer, SharedTasks::new(tasks_stealer))))
    });
    let deques: Result<Vec<_>, CapacityError> = deques.collect();
    let (owners, seats): (Vec<_>, Vec<_>) =
        deques.map_err(|error| ThreadPoolBuildError::io(std::io::Error::other(error)))?.into_iter().unzip();
    let settings = Settings {
        handlers: builder.take_handlers(),
        is_breadth_first: builder.is_breadth_first,
        most_nested: builder.most_nested,
        cores: std::mem::take(&mut builder.cores).into_iter().cycle().take(threads).collect(),
        has_guest: builder.uses_current_thread,
    };
    let registry = Arc::new(Registry::new(seats.into(), settings));
    // If the builder's closures panic, or a thread cannot be made, the threads made so far end.
    let share = Share(&registry);
    for (index, (deque, ready)) in owners.into_iter().enumerate() {
        let thread = ThreadBuilder {
            name: builder.name_of(index),
            stack_size: builder.stack_size,
            registry: Arc::clone(&registry),
            deque,
            ready,
            index,
        };
        if index == 0 && builder.uses_current_thread {
            if Worker::current().is_some() {
                return Err(ThreadPoolBuildError::in_pool());
            }
            let worker: &Worker = Box::leak(Box::new(Worker::from(thread)));
            // SAFETY: the worker is never freed. The thread stays a worker until it ends.
            unsafe { worker.make_current() };
            registry.seats()[0].primed.open();
            continue;
        }
        builder.spawn_handler.spawn(thread).map_err(ThreadPoolBuildError::io)?;
    }
    std::mem::forget(share);
    Ok(registry)
}
