//! A server that says hello, by HTTP/1 and HTTP/2.

use std::convert::Infallible;
use std::io;
use std::net::TcpListener;

use aqueduct_pool::task;
use async_io::Async;
use bytes::Bytes;
use http_body_util::Full;
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::server::conn::auto;

use crate::stream::{Stream, Tasks, Timers};

async fn hello(request: Request<Incoming>) -> Result<Response<Full<Bytes>>, Infallible> {
    Ok(Response::new(Full::from(format!("hello, {}\n", request.uri().path().trim_start_matches('/')))))
}

/// Serves connections, each in a task of the calling worker's pool. It ends with an error of the listener, or
/// when its task is aborted.
///
/// # Errors
/// If the listener fails.
pub async fn serve(listener: Async<TcpListener>) -> io::Result<()> {
    loop {
        let (socket, _) = listener.accept().await?;
        socket.get_ref().set_nodelay(true)?;
        task::spawn(async move {
            let mut server = auto::Builder::new(Tasks);
            server.http1().timer(Timers);
            server.http2().timer(Timers);
            // The failure of a connection does not affect other connections.
            let _ = server.serve_connection(Stream(socket), service_fn(hello)).await;
        })
        .detach();
    }
}
