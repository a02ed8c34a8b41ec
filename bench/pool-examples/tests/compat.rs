//! tokio's sockets and timers in tasks of the pool.

use std::future::Future;
use std::time::Duration;

use aqueduct_pool::{ThreadPool, ThreadPoolBuilder};
use aqueduct_pool_examples::compat::{self, in_runtime, in_tokio};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

#[test]
fn tokios_sockets_work_in_tasks() {
    let pool = ThreadPoolBuilder::new().num_threads(2).build().unwrap();
    answers_arrive(&pool, in_tokio(answers()));
    pool.close();
}

#[test]
fn workers_drive_tokios_reactor() {
    for threads in [1, 2] {
        let (pool, handle) = compat::pool(ThreadPoolBuilder::new().num_threads(threads)).unwrap();
        answers_arrive(&pool, in_runtime(handle, answers()));
        pool.close();
    }
}

fn answers_arrive(pool: &ThreadPool, answers: impl Future<Output = Vec<u32>> + Send + 'static) {
    assert_eq!(pool.spawn_task(answers).join().unwrap(), (1..=50).collect::<Vec<u32>>());
}

/// A server and its clients.
async fn answers() -> Vec<u32> {
    let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
    let address = listener.local_addr().unwrap();
    let server = aqueduct_pool::task::spawn(in_tokio(async move {
        loop {
            let (mut socket, _) = listener.accept().await.unwrap();
            let answer = async move {
                let number = socket.read_u32().await.unwrap();
                socket.write_u32(number + 1).await.unwrap();
            };
            aqueduct_pool::task::spawn(in_tokio(answer)).detach();
        }
    }));
    let clients: Vec<_> = (0..50)
        .map(|number| {
            aqueduct_pool::task::spawn(in_tokio(async move {
                let mut socket = TcpStream::connect(address).await.unwrap();
                socket.write_u32(number).await.unwrap();
                socket.read_u32().await.unwrap()
            }))
        })
        .collect();
    let mut answers = Vec::new();
    for client in clients {
        answers.push(client.await.unwrap());
    }
    server.abort();
    answers
}

#[test]
fn tokios_timers_work_in_tasks() {
    let pool = ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    let task = pool.spawn_task(in_tokio(async {
        tokio::time::sleep(Duration::from_millis(1)).await;
        let never = std::future::pending::<()>();
        tokio::time::timeout(Duration::from_millis(1), never).await.is_err()
    }));
    assert!(task.join().unwrap());
    pool.close();
}
