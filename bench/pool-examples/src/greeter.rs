//! A gRPC service that greets, by `tonic` over hyper's HTTP/2.

use std::future::Future;
use std::io;
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::pin::Pin;
use std::task::{Context, Poll};

use aqueduct_pool::task;
use async_io::Async;
use hyper::body::Incoming;
use hyper::client::conn::http2::{self, SendRequest};
use hyper::rt::bounds::Http2ServerConnExec;
use hyper::rt::{Read, Write};
use hyper::{Request, Response};
use hyper_util::service::{TowerToHyperService, TowerToHyperServiceFuture};
use tonic::body::Body;
use tonic::codegen::Service;
use tonic::{Code, Status};

use crate::stream::{Stream, Tasks};
use generated::greeter_client::GreeterClient;
use generated::greeter_server::{Greeter, GreeterServer};

/// The code that `build.rs` generates.
#[allow(missing_docs, missing_debug_implementations, unreachable_pub, clippy::all, reason = "tonic writes it")]
mod generated {
    tonic::include_proto!("greeter.Greeter");
}

/// The argument of the service's method.
#[derive(Clone, PartialEq, prost::Message)]
pub struct Name {
    /// A person's name.
    #[prost(string, tag = "1")]
    pub name: String,
}

/// The result of the service's method.
#[derive(Clone, PartialEq, prost::Message)]
pub struct Greeting {
    /// Says hello to the person.
    #[prost(string, tag = "1")]
    pub text: String,
}

/// The service.
#[derive(Clone, Copy, Debug)]
pub struct Hello;

#[tonic::async_trait]
impl Greeter for Hello {
    async fn say_hello(&self, request: tonic::Request<Name>) -> Result<tonic::Response<Greeting>, Status> {
        let name = request.into_inner().name;
        if name.is_empty() {
            return Err(Status::invalid_argument("a name is needed"));
        }
        Ok(tonic::Response::new(Greeting { text: format!("hello, {name}") }))
    }
}

/// The future of an answer, for bounds of executors.
pub type Answer = TowerToHyperServiceFuture<GreeterServer<Hello>, Request<Incoming>>;

/// Answers the calls of a connection. `executor` runs each call's task.
///
/// # Errors
/// If the connection fails.
pub async fn answer<I, E>(socket: I, executor: E) -> hyper::Result<()>
where
    I: Read + Write + Unpin,
    E: Http2ServerConnExec<Answer, Body> + Clone + Unpin,
{
    let service = TowerToHyperService::new(GreeterServer::new(Hello));
    hyper::server::conn::http2::Builder::new(executor).serve_connection(socket, service).await
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
        // The failure of a connection does not affect other connections.
        task::spawn(async { drop(answer(Stream(socket), Tasks).await) }).detach();
    }
}

/// Connects to a server. A task of the calling worker's pool carries the calls.
///
/// # Errors
/// If there is no server.
pub async fn connect(address: SocketAddr) -> Result<GreeterClient<Channel>, Box<dyn std::error::Error + Send + Sync>> {
    let socket = Async::<TcpStream>::connect(address).await?;
    socket.get_ref().set_nodelay(true)?;
    let (sender, connection) = http2::handshake(Tasks, Stream(socket)).await?;
    task::spawn(connection).detach();
    Ok(GreeterClient::with_origin(Channel(sender), format!("http://{address}").parse()?))
}

/// A connection to a server, on which tonic's clients make calls.
#[derive(Clone, Debug)]
pub struct Channel(SendRequest<Body>);

impl Service<Request<Body>> for Channel {
    type Response = Response<Incoming>;
    type Error = Status;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Status>> + Send>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), Status>> {
        self.0.poll_ready(context).map_err(failed)
    }

    fn call(&mut self, request: Request<Body>) -> Self::Future {
        let response = self.0.send_request(request);
        Box::pin(async { response.await.map_err(failed) })
    }
}

fn failed(error: hyper::Error) -> Status {
    Status::new(Code::Unavailable, error.to_string())
}
