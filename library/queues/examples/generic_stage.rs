//! A stage of a pipeline, written once against the traits of `aqueduct::queue`, over three pairs of
//! queues: one producer and one consumer, many of both, and a queue that is shared by reference.
//!
//! cargo run -p aqueduct --example generic_stage

use std::error::Error;
use std::thread;

use aqueduct::queue::{Pop, Push};
use aqueduct::{bbq, mpmc, spsc};

/// A stage that takes items, changes them and passes them on.
struct Stage<I, O, F> {
    input: I,
    output: O,
    change: F,
}

impl<I: Pop, O: Push, F: FnMut(I::Item) -> Option<O::Item>> Stage<I, O, F> {
    /// Runs until `change` returns `None`.
    fn run(mut self) {
        while let Some(item) = (self.change)(take(&mut self.input)) {
            put(&mut self.output, item);
        }
    }
}

/// Takes an item, once there is one. `Empty` and `Busy` both mean: try later.
fn take<Q: Pop>(queue: &mut Q) -> Q::Item {
    loop {
        match queue.pop() {
            Ok(item) => return item,
            Err(_) => thread::yield_now(),
        }
    }
}

/// Adds an item, once there is room.
fn put<Q: Push>(queue: &mut Q, mut item: Q::Item) {
    while let Err(error) = queue.push(item) {
        item = error.into_inner();
        thread::yield_now();
    }
}

/// Sends numbers, and `None` at the end, through a stage that makes texts of them. Returns the
/// length of all texts.
fn pipeline(
    mut numbers: impl Push<Item = Option<u32>>,
    input: impl Pop<Item = Option<u32>> + Send,
    output: impl Push<Item = String> + Send,
    mut texts: impl Pop<Item = String>,
) -> usize {
    const COUNT: u32 = 10_000;
    let stage = Stage { input, output, change: |number: Option<u32>| Some(number?.to_string()) };
    thread::scope(|scope| {
        scope.spawn(|| stage.run());
        let mut length = 0;
        for number in 0..COUNT {
            put(&mut numbers, Some(number));
            // Every text is taken soon, so that none of the queues stays full.
            length += take(&mut texts).len();
        }
        put(&mut numbers, None);
        length
    })
}

fn main() -> Result<(), Box<dyn Error>> {
    let ((numbers, input), (output, texts)) = (spsc::ring::new(16)?, spsc::ring::new(16)?);
    println!("spsc::ring:  {} characters", pipeline(numbers, input, output, texts));

    let ((numbers, input), (output, texts)) = (mpmc::new(16)?, mpmc::new(16)?);
    println!("mpmc:        {} characters", pipeline(numbers, input, output, texts));

    let (numbers, texts) = (bbq::Queue::new(16)?, bbq::Queue::new(16)?);
    let length = pipeline(&numbers, &numbers, &texts, &texts);
    println!("&bbq::Queue: {length} characters");
    assert_eq!(length, 38_890);
    Ok(())
}
