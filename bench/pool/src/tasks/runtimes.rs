//! The runtimes: ours, tokio's, and smol's executor on its own threads.

use std::error::Error;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::thread::{self, JoinHandle};

use aqueduct_measure::record::Role;
use async_executor::Executor;
use futures_lite::future;
use tokio::sync::watch;

use super::{Runtime, Visit};

/// Calls the visitor with each runtime.
pub(crate) fn visit(visitor: &mut impl Visit) {
    visitor.visit::<Ours>();
    visitor.visit::<Tokio>();
    visitor.visit::<Smol>();
}

/// A handle whose task has neither panicked nor been aborted.
pub(crate) struct Unwrapped<H>(H);

impl<T, E: Error, H: Future<Output = Result<T, E>> + Unpin> Future for Unwrapped<H> {
    type Output = T;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<T> {
        Poll::Ready(ready!(Pin::new(&mut self.0).poll(context)).expect("the task ends"))
    }
}

/// The tasks of `aqueduct-pool`.
pub(crate) struct Ours(aqueduct_pool::ThreadPool);

impl Runtime for Ours {
    const NAME: &'static str = "aqueduct/tasks";
    const ROLE: Role = Role::Ours;
    type Spawner = ();
    type Handle<T: Send + 'static> = Unwrapped<aqueduct_pool::task::Task<T>>;

    fn open(threads: usize) -> Self {
        let pool = aqueduct_pool::ThreadPoolBuilder::new().num_threads(threads).build();
        Self(pool.expect("the system has threads"))
    }

    fn spawner(&self) {}

    fn run<T: Send + 'static>(&self, future: impl Future<Output = T> + Send + 'static) -> T {
        self.0.spawn_task(future).join().expect("the task ends")
    }

    fn spawn<T: Send + 'static>((): &(), future: impl Future<Output = T> + Send + 'static) -> Self::Handle<T> {
        Unwrapped(aqueduct_pool::task::spawn(future))
    }

    fn yield_now() -> impl Future<Output = ()> + Send {
        aqueduct_pool::task::yield_now()
    }
}

/// tokio's multi-threaded runtime.
pub(crate) struct Tokio(tokio::runtime::Runtime);

impl Runtime for Tokio {
    const NAME: &'static str = "tokio/multi_thread";
    const ROLE: Role = Role::Peer;
    type Spawner = ();
    type Handle<T: Send + 'static> = Unwrapped<tokio::task::JoinHandle<T>>;

    fn open(threads: usize) -> Self {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(threads).build();
        Self(runtime.expect("the system has threads"))
    }

    fn spawner(&self) {}

    fn run<T: Send + 'static>(&self, future: impl Future<Output = T> + Send + 'static) -> T {
        self.0.block_on(self.0.spawn(future)).expect("the task ends")
    }

    fn spawn<T: Send + 'static>((): &(), future: impl Future<Output = T> + Send + 'static) -> Self::Handle<T> {
        Unwrapped(tokio::spawn(future))
    }

    fn yield_now() -> impl Future<Output = ()> + Send {
        tokio::task::yield_now()
    }
}

/// smol's executor. Its users make the threads, which run it until they are told to end.
pub(crate) struct Smol {
    executor: Arc<Executor<'static>>,
    threads: Vec<JoinHandle<()>>,
    end: watch::Sender<bool>,
}

impl Runtime for Smol {
    const NAME: &'static str = "smol/async-executor";
    const ROLE: Role = Role::Peer;
    type Spawner = Arc<Executor<'static>>;
    type Handle<T: Send + 'static> = async_executor::Task<T>;

    fn open(threads: usize) -> Self {
        let (executor, end) = (Arc::new(Executor::new()), watch::Sender::new(false));
        let one = |_| {
            let (executor, mut ended) = (Arc::clone(&executor), end.subscribe());
            thread::spawn(move || {
                // The wait fails if the sender is gone.
                let _ = future::block_on(executor.run(ended.wait_for(|&end| end)));
            })
        };
        let threads = (0..threads).map(one).collect();
        Self { executor, threads, end }
    }

    fn spawner(&self) -> Arc<Executor<'static>> {
        Arc::clone(&self.executor)
    }

    fn run<T: Send + 'static>(&self, future: impl Future<Output = T> + Send + 'static) -> T {
        future::block_on(self.executor.spawn(future))
    }

    fn spawn<T: Send + 'static>(
        executor: &Arc<Executor<'static>>,
        future: impl Future<Output = T> + Send + 'static,
    ) -> Self::Handle<T> {
        executor.spawn(future)
    }

    fn yield_now() -> impl Future<Output = ()> + Send {
        future::yield_now()
    }
}

impl Drop for Smol {
    fn drop(&mut self) {
        self.end.send_replace(true);
        for thread in self.threads.drain(..) {
            // `run` has already raised a panic of the executor.
            let _ = thread.join();
        }
    }
}
