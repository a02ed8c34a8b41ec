//! The servers, each on a runtime: `hello` for HTTP, `greeter` for gRPC.

use std::fmt;
use std::future::Future;
use std::io;
use std::net::TcpListener;
use std::sync::Arc;
use std::thread::{self, JoinHandle};

use aqueduct_pool::{Counts, ThreadPool, ThreadPoolBuilder, task};
use async_executor::Executor;
use async_io::Async;
use bytes::Bytes;
use http_body_util::Full;
use hyper::rt::bounds::Http2ServerConnExec;
use hyper::rt::{self, Read, Write};
use hyper_util::rt::{TokioExecutor, TokioIo};
use hyper_util::server::conn::auto::{Builder, HttpServerConnExec};
use tokio::runtime::{Handle, Runtime};
use tokio::sync::oneshot;

use super::wire::Protocol;
use crate::compat::{self, in_runtime};
use crate::stream::{Stream, Tasks};
use crate::{greeter, hello};

/// A runtime with a server.
pub(super) trait Server: Sized {
    /// The runtime's name in the tables.
    const NAME: &str;

    /// Starts to serve connections of the listener, which does not block.
    fn start(workers: usize, listener: TcpListener, protocol: Protocol) -> io::Result<Self>;

    /// Returns the workers' counts, if the runtime has them.
    fn counts(&self) -> Option<Counts> {
        None
    }

    /// Ends the server and its threads.
    fn stop(self) {}
}

/// Answers a connection. Its failure is the client's to notice.
async fn answer<I, E>(socket: I, executor: E, protocol: Protocol)
where
    I: Read + Write + Unpin + 'static,
    E: HttpServerConnExec<hello::Answer, Full<Bytes>>,
    E: Http2ServerConnExec<greeter::Answer, tonic::body::Body> + Unpin,
{
    match protocol {
        Protocol::Grpc => drop(greeter::answer(socket, executor).await),
        Protocol::Http1 | Protocol::Http2 => drop(hello::answer(socket, Builder::new(executor)).await),
    }
}

/// Accepts connections by async-io, and gives each to `spawn`.
async fn accept(listener: Async<TcpListener>, spawn: impl Fn(Stream)) {
    while let Ok((socket, _)) = listener.accept().await {
        if socket.get_ref().set_nodelay(true).is_ok() {
            spawn(Stream(socket));
        }
    }
}

/// Accepts connections by tokio, and gives each to `spawn`.
async fn accept_by_tokio(listener: TcpListener, spawn: impl Fn(TokioIo<tokio::net::TcpStream>)) {
    let listener = tokio::net::TcpListener::from_std(listener).expect("within a runtime");
    while let Ok((socket, _)) = listener.accept().await {
        if socket.set_nodelay(true).is_ok() {
            spawn(TokioIo::new(socket));
        }
    }
}

/// Our pool, whose idle workers wait in async-io's reactor.
pub(super) struct Ours(ThreadPool);

impl Server for Ours {
    const NAME: &str = "aqueduct/async-io";

    fn start(workers: usize, listener: TcpListener, protocol: Protocol) -> io::Result<Self> {
        let builder = ThreadPoolBuilder::new().num_threads(workers);
        let pool = builder.park_handler(|parked| async_io::block_on(parked)).build().map_err(io::Error::other)?;
        let spawn = move |socket| task::spawn(answer(socket, Tasks, protocol)).detach();
        pool.spawn_task(accept(Async::new(listener)?, spawn)).detach();
        Ok(Self(pool))
    }

    fn counts(&self) -> Option<Counts> {
        Some(self.0.counts())
    }

    fn stop(self) {
        self.0.close();
    }
}

/// Our pool, with tokio's reactor and types.
pub(super) struct OursWithTokio(ThreadPool);

/// Runs hyper's tasks in our pool, with tokio's types.
#[derive(Clone)]
struct TasksInTokio(Handle);

impl<F: Future<Output: Send + 'static> + Send + 'static> rt::Executor<F> for TasksInTokio {
    fn execute(&self, future: F) {
        task::spawn(in_runtime(self.0.clone(), future)).detach();
    }
}

impl Server for OursWithTokio {
    const NAME: &str = "aqueduct/tokio";

    fn start(workers: usize, listener: TcpListener, protocol: Protocol) -> io::Result<Self> {
        let builder = ThreadPoolBuilder::new().num_threads(workers);
        let (pool, handle) = compat::pool(builder).map_err(|error| io::Error::other(error.to_string()))?;
        let executor = TasksInTokio(handle.clone());
        let spawn = move |socket| {
            rt::Executor::execute(&executor, answer(socket, executor.clone(), protocol));
        };
        pool.spawn_task(in_runtime(handle, accept_by_tokio(listener, spawn))).detach();
        Ok(Self(pool))
    }

    fn counts(&self) -> Option<Counts> {
        Some(self.0.counts())
    }

    fn stop(self) {
        self.0.close();
    }
}

/// tokio. Its end is that of the value.
pub(super) struct Tokio(#[expect(dead_code, reason = "it ends when it is dropped")] Runtime);

impl Server for Tokio {
    const NAME: &str = "tokio/multi_thread";

    fn start(workers: usize, listener: TcpListener, protocol: Protocol) -> io::Result<Self> {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(workers).enable_all().build()?;
        let spawn = move |socket| drop(tokio::spawn(answer(socket, TokioExecutor::new(), protocol)));
        runtime.spawn(accept_by_tokio(listener, spawn));
        Ok(Self(runtime))
    }
}

/// smol's executor, on threads that wait in async-io's reactor.
pub(super) struct Smol {
    executor: SmolTasks,
    /// A thread ends when its sender is dropped.
    threads: Vec<(oneshot::Sender<()>, JoinHandle<()>)>,
}

/// Runs hyper's tasks on smol's executor.
#[derive(Clone)]
struct SmolTasks(Arc<Executor<'static>>);

impl<F: Future<Output: Send + 'static> + Send + 'static> rt::Executor<F> for SmolTasks {
    fn execute(&self, future: F) {
        self.0.spawn(future).detach();
    }
}

impl Server for Smol {
    const NAME: &str = "smol/async-executor";

    fn start(workers: usize, listener: TcpListener, protocol: Protocol) -> io::Result<Self> {
        let executor = SmolTasks(Arc::new(Executor::new()));
        let threads = (0..workers).map(|_| {
            let (sender, receiver) = oneshot::channel();
            let executor = Arc::clone(&executor.0);
            let run = move || drop(async_io::block_on(executor.run(receiver)));
            (sender, thread::spawn(run))
        });
        let threads = threads.collect();
        // The executor would own itself if its own tasks owned it.
        let weak = Arc::downgrade(&executor.0);
        let spawn = move |socket| {
            if let Some(executor) = weak.upgrade().map(SmolTasks) {
                rt::Executor::execute(&executor, answer(socket, executor.clone(), protocol));
            }
        };
        executor.0.spawn(accept(Async::new(listener)?, spawn)).detach();
        Ok(Self { executor, threads })
    }

    fn stop(self) {
        let (senders, threads): (Vec<_>, Vec<_>) = self.threads.into_iter().unzip();
        drop(senders);
        threads.into_iter().for_each(|thread| thread.join().expect("no task panics"));
        drop(self.executor);
    }
}

impl fmt::Debug for SmolTasks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SmolTasks").finish_non_exhaustive()
    }
}
