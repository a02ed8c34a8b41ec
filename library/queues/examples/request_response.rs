//! A client sends requests with ids to a server thread, and has several in progress at a time. Both
//! directions share cache lines, which makes a round trip cheap; ids tell which response belongs to
//! which request.
//!
//! cargo run -p aqueduct --example request_response

use std::collections::HashMap;
use std::error::Error;
use std::thread;
use std::time::{Duration, Instant};

use aqueduct::error::PopError;
use aqueduct::spsc::duplex;

struct Request {
    id: u64,
    text: String,
}

struct Response {
    id: u64,
    length: usize,
}

const REQUESTS: u64 = 20_000;
const AT_ONCE: usize = 8;

/// Answers until the client is gone.
fn serve(mut side: duplex::Side<Response, Request>) -> u64 {
    let mut served = 0;
    loop {
        // `is_closed` comes before the pop: otherwise a request could come between the two.
        let is_closed = side.consumer.is_closed();
        match side.consumer.pop() {
            Ok(Request { id, text }) => {
                let mut response = Response { id, length: text.len() };
                while let Err(error) = side.producer.push(response) {
                    if side.producer.is_closed() {
                        return served;
                    }
                    response = error.into_inner();
                    thread::yield_now();
                }
                served += 1;
            }
            Err(PopError::Empty) if is_closed => return served,
            Err(_) => thread::yield_now(),
        }
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let (mut client, server) = duplex::new::<Request, Response>(AT_ONCE)?;
    let server = thread::spawn(move || serve(server));

    let mut under_way = HashMap::new();
    let mut ids = 0..REQUESTS;
    let (mut longest, mut total) = (Duration::ZERO, Duration::ZERO);
    while ids.start < ids.end || !under_way.is_empty() {
        // There are never more requests in progress than the queue has room for, so the push always
        // succeeds.
        while under_way.len() < AT_ONCE
            && let Some(id) = ids.next()
        {
            let text = "x".repeat(id as usize % 10);
            under_way.insert(id, (Instant::now(), text.len()));
            client.producer.push(Request { id, text }).map_err(|_| "there is room")?;
        }
        if client.consumer.is_empty() {
            if client.consumer.is_closed() {
                return Err("the server is gone".into());
            }
            thread::yield_now();
        }
        for Response { id, length } in client.consumer.drain() {
            let (sent, expected) = under_way.remove(&id).ok_or("a response to nothing")?;
            assert_eq!(length, expected);
            let time = sent.elapsed();
            longest = longest.max(time);
            total += time;
        }
    }
    drop(client);
    let served = server.join().map_err(|_| "the server panicked")?;
    println!("{served} requests were answered, {AT_ONCE} at a time");
    println!("a response took {:?} on average, {longest:?} at most", total / REQUESTS as u32);
    assert_eq!(served, REQUESTS);
    Ok(())
}
