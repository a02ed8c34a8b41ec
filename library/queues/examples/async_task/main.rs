//! Threads send readings to a task: copy `receiver.rs` into your program. It works with any
//! executor; here, one of ten lines runs the task. The model checker explores it.
//!
//! cargo run -p aqueduct --example async_task

mod receiver;

use std::error::Error;
use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Wake};
use std::thread::{self, Thread};

use receiver::{Receiver, channel};

/// A waker of a thread that runs one task.
struct Unpark(Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

fn block_on<F: Future>(future: F) -> F::Output {
    let (mut future, waker) = (pin!(future), Arc::new(Unpark(thread::current())).into());
    loop {
        match future.as_mut().poll(&mut Context::from_waker(&waker)) {
            Poll::Ready(result) => return result,
            Poll::Pending => thread::park(),
        }
    }
}

async fn mean(mut readings: Receiver<f64>) -> f64 {
    let (mut sum, mut count) = (0.0, 0);
    while let Some(reading) = readings.recv().await {
        sum += reading;
        count += 1;
    }
    sum / f64::from(count)
}

fn main() -> Result<(), Box<dyn Error>> {
    let (sender, receiver) = channel(64)?;
    for sensor in 0..3 {
        let mut sender = sender.clone();
        thread::spawn(move || {
            for step in 0..1000 {
                // A full queue: the reading is sent again.
                while sender.try_send(f64::from(sensor * 1000 + step)).is_err() {
                    thread::yield_now();
                }
            }
        });
    }
    drop(sender);
    println!("the mean of 3000 readings is {}", block_on(mean(receiver)));
    Ok(())
}
