//! A channel that sleeps and closes, made of a queue and two condition variables: copy `channel.rs`
//! into your program. Senders sleep while the queue is full, the receiver while it is empty, and
//! both end when the other side is gone. The page `aqueduct::waiting` explains it; the model
//! checker explores it.
//!
//! cargo run -p aqueduct --example waiting

mod channel;

use std::error::Error;
use std::thread;

fn main() -> Result<(), Box<dyn Error>> {
    const SENDERS: u64 = 3;
    const EACH: u64 = 10_000;

    // Few items fit, so that senders have to wait.
    let (sender, mut receiver) = channel::channel(4)?;
    let senders: Vec<_> = (0..SENDERS)
        .map(|number| {
            let mut sender = sender.clone();
            thread::spawn(move || (0..EACH).all(|item| sender.send(number * EACH + item).is_ok()))
        })
        .collect();
    // The channel closes with its last sender.
    drop(sender);
    let (mut count, mut sum) = (0, 0);
    while let Some(item) = receiver.recv() {
        count += 1;
        sum += item;
    }
    let all_sent = senders.into_iter().all(|sender| sender.join().is_ok_and(|all| all));
    println!("received {count} items from {SENDERS} senders, in sum {sum}; all were sent: {all_sent}");
    assert_eq!(sum, (0..SENDERS * EACH).sum());

    // In the other order, the receiver is dropped first, and a sender that waits for room returns.
    let (mut sender, receiver) = channel::channel(4)?;
    let sender = thread::spawn(move || (0..).find(|&item| sender.send(item).is_err()));
    drop(receiver);
    let refused = sender.join().map_err(|_| "the sender panicked")?;
    println!("without a receiver, item {} was given back", refused.ok_or("all items were sent")?);
    Ok(())
}
