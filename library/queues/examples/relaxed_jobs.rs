//! A job queue whose order may be off by less than `k`: the price for producers and consumers that
//! hardly meet. First one thread plays all parts, and prints how far jobs overtake each other; then
//! threads work off many jobs.
//!
//! cargo run -p aqueduct --example relaxed_jobs

use std::collections::VecDeque;
use std::error::Error;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::thread;

use aqueduct::cnq::{Geometry, Queue};
use aqueduct::error::PopError;

const SIDE: usize = 2;
const JOBS: u64 = 100_000;

/// Returns the greatest number of older jobs that a popped job overtook.
fn greatest_overtaking(queue: &Queue<u64>) -> Result<usize, Box<dyn Error>> {
    let mut producers = [queue.producer()?, queue.producer()?];
    let mut consumers = [queue.consumer()?, queue.consumer()?];
    let mut waiting: VecDeque<u64> = (0..1000).collect();
    for &job in &waiting {
        // The first producer is slow: most jobs come from the other one.
        producers[usize::from(job % 8 != 0)].push(job).map_err(|_| "there is room")?;
    }
    let mut greatest = 0;
    for turn in 0.. {
        if waiting.is_empty() {
            break;
        }
        // The first consumer is slower. `Busy`: the other one has older jobs, and has its turn
        // soon.
        if let Ok(job) = consumers[usize::from(turn % 16 != 0)].pop() {
            let older = waiting.iter().position(|&other| other == job).ok_or("a job came twice")?;
            greatest = greatest.max(older);
            waiting.remove(older);
        }
    }
    Ok(greatest)
}

fn main() -> Result<(), Box<dyn Error>> {
    let queue = Queue::new(Geometry::at_most(64).capacity(4096).producers(SIDE).consumers(SIDE).geometry()?)?;
    let greatest = greatest_overtaking(&queue)?;
    println!("k = {}: a popped job is one of the {0} oldest; here it overtook {greatest} at most", queue.k());
    assert!(greatest < queue.k());

    let (done, sum) = (AtomicU64::new(0), AtomicU64::new(0));
    thread::scope(|scope| -> Result<(), Box<dyn Error>> {
        for first in 0..SIDE as u64 {
            let (mut producer, mut consumer) = (queue.producer()?, queue.consumer()?);
            scope.spawn(move || {
                for mut job in (first..JOBS).step_by(SIDE) {
                    while let Err(error) = producer.push(job) {
                        job = error.into_inner();
                        thread::yield_now();
                    }
                }
            });
            let (done, sum) = (&done, &sum);
            scope.spawn(move || {
                let mut jobs = 0;
                while done.load(Relaxed) < JOBS {
                    match consumer.pop() {
                        Ok(job) => {
                            jobs += 1;
                            sum.fetch_add(job, Relaxed);
                            done.fetch_add(1, Relaxed);
                        }
                        Err(PopError::Empty | PopError::Busy) => {
                            // Other consumers can then take the items that this one holds.
                            consumer.pause();
                            thread::yield_now();
                        }
                    }
                }
                println!("consumer {first} did {jobs} jobs");
            });
        }
        Ok(())
    })?;
    assert_eq!(sum.into_inner(), (0..JOBS).sum::<u64>(), "each job is done once");
    Ok(())
}
