//! A server that says hello, by HTTP/1 and HTTP/2.

use std::convert::Infallible;
use std::future::{Ready, ready};
use std::io;
use std::net::TcpListener;

use aqueduct_pool::task;
use async_io::Async;
use bytes::Bytes;
use http_body_util::Full;
use hyper::body::Incoming;
use hyper::rt::{Read, Write};
use hyper::service::Service;
use hyper::{Request, Response};
use hyper_util::server::conn::auto::{Builder, HttpServerConnExec};

use crate::stream::{Stream, Tasks, Timers};

/// The service.
#[derive(Clone, Copy, Debug)]
pub struct Hello;

/// The future of an answer, for bounds of executors.
pub type Answer = Ready<Result<Response<Full<Bytes>>, Infallible>>;

impl Service<Request<Incoming>> for Hello {
    type Response = Response<Full<Bytes>>;
    type Error = Infallible;
    type Future = Answer;

    fn call(&self, request: Request<Incoming>) -> Answer {
        let name = request.uri().path().trim_start_matches('/');
        ready(Ok(Response::new(Full::from(format!("hello, {name}\n")))))
    }
}

/// Answers the requests of a connection.
///
/// # Errors
/// If the connection fails.
pub async fn answer<I, E>(socket: I, server: Builder<E>) -> Result<(), Box<dyn std::error::Error + Send + Sync>>
where
    I: Read + Write + Unpin + 'static,
    E: HttpServerConnExec<Answer, Full<Bytes>>,
{
    server.serve_connection(socket, Hello).await
}

/// Serves connections, each in a task of the calling worker's pool. It ends with an error of the
/// listener, or when its task is aborted.
///
/// # Errors
/// If the listener fails.
pub async fn serve(listener: Async<TcpListener>) -> io::Result<()> {
    loop {
        let (socket, _) = listener.accept().await?;
        socket.get_ref().set_nodelay(true)?;
        let mut server = Builder::new(Tasks);
        server.http1().timer(Timers);
        server.http2().timer(Timers);
        // The failure of a connection does not affect other connections.
        task::spawn(async { drop(answer(Stream(socket), server).await) }).detach();
    }
}
