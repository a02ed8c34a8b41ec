//! tonic's server and clients on the pool's tasks.

use std::net::TcpListener;

use aqueduct_pool::{ThreadPoolBuilder, task};
use aqueduct_pool_examples::greeter::{self, Name};
use async_io::Async;
use tonic::Code;

#[test]
fn many_calls_are_answered() {
    let pool = ThreadPoolBuilder::new().num_threads(2).build().unwrap();
    let listener = Async::<TcpListener>::bind(([127, 0, 0, 1], 0)).unwrap();
    let address = listener.get_ref().local_addr().unwrap();
    let server = pool.spawn_task(greeter::serve(listener));
    let clients: Vec<_> = (0..10)
        .map(|client| {
            pool.spawn_task(async move {
                let connection = greeter::connect(address).await.unwrap();
                let calls: Vec<_> = (0..10)
                    .map(|call| {
                        let mut connection = connection.clone();
                        let name = format!("{client}.{call}");
                        task::spawn(async move {
                            let greeting = connection.say_hello(Name { name: name.clone() }).await.unwrap();
                            assert_eq!(greeting.into_inner().text, format!("hello, {name}"));
                        })
                    })
                    .collect();
                for call in calls {
                    call.await.unwrap();
                }
            })
        })
        .collect();
    clients.into_iter().for_each(|client| client.join().unwrap());
    server.abort();
    assert!(server.join().unwrap_err().is_aborted());
    pool.close();
}

#[test]
fn a_call_without_a_name_is_refused() {
    let pool = ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    let listener = Async::<TcpListener>::bind(([127, 0, 0, 1], 0)).unwrap();
    let address = listener.get_ref().local_addr().unwrap();
    let server = pool.spawn_task(greeter::serve(listener));
    let refusal = pool.spawn_task(async move {
        let mut connection = greeter::connect(address).await.unwrap();
        connection.say_hello(Name::default()).await.unwrap_err()
    });
    assert_eq!(refusal.join().unwrap().code(), Code::InvalidArgument);
    server.abort();
    assert!(server.join().unwrap_err().is_aborted());
    pool.close();
}

#[test]
fn without_a_server_there_is_no_connection() {
    let pool = ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let address = listener.local_addr().unwrap();
    drop(listener);
    assert!(pool.spawn_task(greeter::connect(address)).join().unwrap().is_err());
    pool.close();
}
