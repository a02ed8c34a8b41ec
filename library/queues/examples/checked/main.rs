//! Your code around a queue, under the model checker: with `RUSTFLAGS="--cfg aqueduct_model"`
//! before this command, the queues are compiled on the checker's atomics, and so is your code if it
//! takes `aqueduct_model::{sync, thread}` in place of std's. Then every execution is explored; with
//! `-- --late` at the end, one is shown that loses a job.
//!
//! cargo run -p aqueduct --example checked

// Your `Cargo.toml` has, beside `aqueduct`:
// [target.'cfg(aqueduct_model)'.dependencies]
// aqueduct-model = "0.1"

mod worker;

#[cfg(aqueduct_model)]
pub(crate) use aqueduct_model as world;
#[cfg(not(aqueduct_model))]
pub(crate) use std as world;

use aqueduct::bbq::Queue;
use worker::{Inbox, work, work_that_asks_late};
use world::sync::Arc;
use world::thread;

/// One thread pushes jobs, and then publishes that no more follow. The worker has to do each.
fn all_jobs_are_done(jobs: u32, work: fn(&Inbox) -> u32) {
    let inbox = Arc::new(Inbox::new(Queue::new(64).expect("a small queue")));
    let theirs = Arc::clone(&inbox);
    let worker = thread::spawn(move || work(&theirs));
    for job in 1..=jobs {
        while inbox.jobs.push(job).is_err() {
            thread::yield_now();
        }
    }
    inbox.stop();
    let sum = worker.join().expect("the worker does not panic");
    assert_eq!(sum, jobs * (jobs + 1) / 2, "a job was lost");
}

fn main() {
    let work = if std::env::args().any(|argument| argument == "--late") { work_that_asks_late } else { work };
    #[cfg(aqueduct_model)]
    println!("{}", aqueduct_model::Config::new().check(move || all_jobs_are_done(2, work)));
    #[cfg(not(aqueduct_model))]
    {
        all_jobs_are_done(10_000, work);
        println!("10000 jobs were done, in this one execution");
    }
}
