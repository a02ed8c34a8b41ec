//! Builders of pools.

use std::any::Any;
use std::fmt;
use std::io;

use crate::handlers::Handlers;
use crate::sleep;
use crate::sync;
use crate::sync::parked::Parked;
use crate::thread::{CustomSpawn, DefaultSpawn, ThreadBuilder};

/// The number of foreign jobs that a worker begins, one within another, while it waits for stolen
/// closures of joins.
const MOST_NESTED: usize = 64;

/// Makes pools.
///
/// # Examples
/// ```
/// let pool = aqueduct_pool::ThreadPoolBuilder::new()
///     .num_threads(3)
///     .thread_name(|index| format!("worker {index}"))
///     .build()?;
/// assert_eq!(pool.install(aqueduct_pool::current_num_threads), 3);
/// # Ok::<(), aqueduct_pool::ThreadPoolBuildError>(())
/// ```
pub struct ThreadPoolBuilder<S = DefaultSpawn> {
    num_threads: usize,
    pub(crate) uses_current_thread: bool,
    name: Option<Box<dyn FnMut(usize) -> String>>,
    pub(crate) stack_size: Option<usize>,
    handlers: Handlers,
    pub(crate) spawn_handler: S,
    pub(crate) is_breadth_first: bool,
    pub(crate) most_nested: usize,
    pub(crate) deque_capacity: Option<usize>,
    pub(crate) cores: Vec<usize>,
}

impl Default for ThreadPoolBuilder {
    fn default() -> Self {
        Self {
            num_threads: 0,
            uses_current_thread: false,
            name: None,
            stack_size: None,
            handlers: Handlers::default(),
            spawn_handler: DefaultSpawn,
            is_breadth_first: false,
            most_nested: MOST_NESTED,
            deque_capacity: None,
            cores: Vec::new(),
        }
    }
}

impl ThreadPoolBuilder {
    /// Makes a builder with the defaults.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }
}

impl<S> ThreadPoolBuilder<S> {
    /// Makes the threads by this function. Each thread calls [`ThreadBuilder::run`].
    pub fn spawn_handler<F>(self, spawn: F) -> ThreadPoolBuilder<CustomSpawn<F>>
    where
        F: FnMut(ThreadBuilder) -> io::Result<()>,
    {
        let Self {
            num_threads,
            uses_current_thread,
            name,
            stack_size,
            handlers,
            spawn_handler: _,
            is_breadth_first,
            most_nested,
            deque_capacity,
            cores,
        } = self;
        ThreadPoolBuilder {
            num_threads,
            uses_current_thread,
            name,
            stack_size,
            handlers,
            spawn_handler: CustomSpawn(spawn),
            is_breadth_first,
            most_nested,
            deque_capacity,
            cores,
        }
    }

    /// Returns the number of workers.
    pub(crate) fn threads(&self) -> usize {
        let asked = match self.num_threads {
            0 => from_environment().unwrap_or_else(sync::available_threads),
            asked => asked,
        };
        asked.min(sleep::MOST)
    }

    pub(crate) fn name_of(&mut self, index: usize) -> Option<String> {
        self.name.as_mut().map(|name| name(index))
    }

    pub(crate) fn take_handlers(&mut self) -> Handlers {
        std::mem::take(&mut self.handlers)
    }

    /// Names the threads.
    #[must_use]
    pub fn thread_name(mut self, name: impl FnMut(usize) -> String + 'static) -> Self {
        self.name = Some(Box::new(name));
        self
    }

    /// Sets the number of workers. 0, the default, means the number in the environment's
    /// `RAYON_NUM_THREADS`, or else the number of threads that can run at once.
    #[must_use]
    pub fn num_threads(mut self, num_threads: usize) -> Self {
        self.num_threads = num_threads;
        self
    }

    /// Makes the calling thread worker 0, until the thread ends. It runs jobs only while it waits
    /// or yields.
    #[must_use]
    pub fn use_current_thread(mut self) -> Self {
        self.uses_current_thread = true;
        self
    }

    /// Sets the function that gets the panics of [`spawn`](crate::spawn())ed jobs, and of the other
    /// handlers.
    ///
    /// Without it, such a panic ends the process.
    #[must_use]
    pub fn panic_handler<H>(mut self, handler: H) -> Self
    where
        H: Fn(Box<dyn Any + Send>) + Send + Sync + 'static,
    {
        self.handlers.panic = Some(Box::new(handler));
        self
    }

    /// Sets the size of the threads' stacks.
    #[must_use]
    pub fn stack_size(mut self, stack_size: usize) -> Self {
        self.stack_size = Some(stack_size);
        self
    }

    /// Has a worker run its spawned jobs in the order in which it added them.
    #[deprecated(note = "use `scope_fifo` and `spawn_fifo`")]
    #[must_use]
    pub fn breadth_first(mut self) -> Self {
        self.is_breadth_first = true;
        self
    }

    /// Sets a function that each worker calls first.
    #[must_use]
    pub fn start_handler<H>(mut self, handler: H) -> Self
    where
        H: Fn(usize) + Send + Sync + 'static,
    {
        self.handlers.start = Some(Box::new(handler));
        self
    }

    /// Sets a function in which idle workers wait, in place of a wait of the system's. A reactor
    /// can poll input and output there, so that tasks that become ready are on a worker already.
    ///
    /// The function returns at the latest when the future that it gets is ready. Wakers that it
    /// calls make tasks ready on its worker, and wake the worker. A panic ends the process.
    ///
    /// # Examples
    /// ```
    /// use std::pin::Pin;
    /// use std::sync::Arc;
    /// use std::task::{Context, Wake, Waker};
    /// use std::thread::{self, Thread};
    ///
    /// struct Unpark(Thread);
    ///
    /// impl Wake for Unpark {
    ///     fn wake(self: Arc<Self>) {
    ///         self.0.unpark();
    ///     }
    /// }
    ///
    /// let pool = aqueduct_pool::ThreadPoolBuilder::new()
    ///     .num_threads(2)
    ///     .park_handler(|parked| {
    ///         let waker = Waker::from(Arc::new(Unpark(thread::current())));
    ///         while Pin::new(&mut *parked).poll(&mut Context::from_waker(&waker)).is_pending() {
    ///             // A reactor would wait for input and output.
    ///             thread::park();
    ///         }
    ///     })
    ///     .build()?;
    /// assert_eq!(pool.spawn_task(async { 7 }).join().expect("it does not panic"), 7);
    /// # Ok::<(), aqueduct_pool::ThreadPoolBuildError>(())
    /// ```
    #[must_use]
    pub fn park_handler<H>(mut self, handler: H) -> Self
    where
        H: Fn(&mut Parked) + Send + Sync + 'static,
    {
        self.handlers.park = Some(std::sync::Arc::new(handler));
        self
    }

    /// Sets a function that each worker calls last, when the pool has ended.
    ///
    /// There, [`spawn`](crate::spawn()) runs its job within the call, tasks are aborted at once,
    /// joins and scopes work, and broadcasts panic.
    #[must_use]
    pub fn exit_handler<H>(mut self, handler: H) -> Self
    where
        H: Fn(usize) + Send + Sync + 'static,
    {
        self.handlers.exit = Some(Box::new(handler));
        self
    }

    /// Bounds the growth of stacks: the number of jobs and tasks from elsewhere that a worker
    /// begins, one within another, while it waits for stolen closures of joins, or in
    /// [`block_on`](crate::task::block_on()). The default is 64.
    ///
    /// Beyond that number, a worker in a join sleeps until the thief is done. With 0, workers that
    /// wait in a join never run foreign jobs. A worker in `block_on` goes beyond the number where
    /// the future would have no result otherwise. Waits for scopes, and for calls of other pools,
    /// are not bounded.
    #[must_use]
    pub fn max_nested_jobs(mut self, jobs: usize) -> Self {
        self.most_nested = jobs;
        self
    }

    /// Sets the number of jobs that a worker's deque holds, at least 1. The default is 4096.
    ///
    /// A thread whose deque is full calls a join's closure itself. Spawned jobs go to the queue of
    /// injected jobs.
    #[must_use]
    pub fn deque_capacity(mut self, jobs: usize) -> Self {
        self.deque_capacity = Some(jobs.max(1));
        self
    }

    /// Binds the workers to cores: the first one to the first core, and so on, from the beginning
    /// again if there are more workers. By default, workers run anywhere, and steal from all others
    /// alike.
    ///
    /// A worker that is bound steals from workers on cores that share its L3 cache first, then from
    /// those of its NUMA node, and then from all others, as [`Topology::of_cpus`] groups them. It
    /// tries all of them before it sleeps.
    ///
    /// Linux numbers its cores from 0. A thread whose core does not exist, or on another system,
    /// runs anywhere. The thread of [`use_current_thread`](Self::use_current_thread) is not bound,
    /// but should run on the first core.
    ///
    /// # Examples
    /// ```
    /// let pool = aqueduct_pool::ThreadPoolBuilder::new().num_threads(2).cores([0, 1]).build()?;
    /// assert_eq!(pool.join(|| 1, || 2), (1, 2));
    /// # Ok::<(), aqueduct_pool::ThreadPoolBuildError>(())
    /// ```
    ///
    /// [`Topology::of_cpus`]: aqueduct::bwos::policy::Topology::of_cpus
    #[must_use]
    pub fn cores(mut self, cores: impl IntoIterator<Item = usize>) -> Self {
        self.cores = cores.into_iter().collect();
        self
    }
}

/// Returns the number of threads that the environment requests, by rayon's names.
fn from_environment() -> Option<usize> {
    let number = |name| std::env::var(name).ok()?.parse::<usize>().ok();
    match number("RAYON_NUM_THREADS") {
        Some(0) => None,
        Some(threads) => Some(threads),
        None => number("RAYON_RS_NUM_CPUS").filter(|&threads| threads > 0),
    }
}

/// Prints as a closure.
struct Closure;

impl fmt::Debug for Closure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("<closure>")
    }
}

impl<S> fmt::Debug for ThreadPoolBuilder<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ThreadPoolBuilder")
            .field("num_threads", &self.num_threads)
            .field("use_current_thread", &self.uses_current_thread)
            .field("get_thread_name", &self.name.as_ref().map(|_| Closure))
            .field("panic_handler", &self.handlers.panic.as_ref().map(|_| Closure))
            .field("stack_size", &self.stack_size)
            .field("start_handler", &self.handlers.start.as_ref().map(|_| Closure))
            .field("exit_handler", &self.handlers.exit.as_ref().map(|_| Closure))
            .field("park_handler", &self.handlers.park.as_ref().map(|_| Closure))
            .field("breadth_first", &self.is_breadth_first)
            .field("max_nested_jobs", &self.most_nested)
            .field("cores", &self.cores)
            .finish_non_exhaustive()
    }
}
