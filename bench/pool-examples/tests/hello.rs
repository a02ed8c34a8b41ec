//! hyper's server and clients on the pool's tasks, over both versions of HTTP.

use std::net::{SocketAddr, TcpListener, TcpStream};

use aqueduct_pool::{ThreadPoolBuilder, task};
use aqueduct_pool_examples::hello;
use aqueduct_pool_examples::stream::{Stream, Tasks};
use async_io::Async;
use bytes::Bytes;
use http_body_util::{BodyExt, Empty};
use hyper::{Request, Version};

async fn ask(address: SocketAddr, version: Version, name: usize) -> String {
    let socket = Stream(Async::<TcpStream>::connect(address).await.unwrap());
    let request = Request::get(format!("http://{address}/{name}")).header("host", "here");
    let request = request.version(version).body(Empty::<Bytes>::new()).unwrap();
    let response = if version == Version::HTTP_2 {
        let (mut sender, connection) = hyper::client::conn::http2::handshake(Tasks, socket).await.unwrap();
        task::spawn(connection).detach();
        sender.send_request(request).await
    } else {
        let (mut sender, connection) = hyper::client::conn::http1::handshake(socket).await.unwrap();
        task::spawn(connection).detach();
        sender.send_request(request).await
    };
    let response = response.unwrap();
    assert_eq!(response.version(), version);
    String::from_utf8(response.into_body().collect().await.unwrap().to_bytes().into()).unwrap()
}

#[test]
fn many_requests_are_answered_in_both_versions() {
    let pool = ThreadPoolBuilder::new().num_threads(2).build().unwrap();
    let listener = Async::<TcpListener>::bind(([127, 0, 0, 1], 0)).unwrap();
    let address = listener.get_ref().local_addr().unwrap();
    let server = pool.spawn_task(hello::serve(listener));
    let requests: Vec<_> = (0..100)
        .map(|name| {
            let version = if name % 2 == 0 { Version::HTTP_11 } else { Version::HTTP_2 };
            pool.spawn_task(async move { assert_eq!(ask(address, version, name).await, format!("hello, {name}\n")) })
        })
        .collect();
    requests.into_iter().for_each(|request| request.join().unwrap());
    server.abort();
    assert!(server.join().unwrap_err().is_aborted());
    pool.close();
}
