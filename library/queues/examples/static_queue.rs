//! A queue in a `static`: made at compile time, without an allocation, and used by all threads
//! without an `Arc` or a handle. Threads report progress to it from wherever they are, and the main
//! thread collects the reports.
//!
//! cargo run -p aqueduct --example static_queue

use std::num::NonZeroU16;
use std::thread;

use aqueduct::nblfq::{Queue, Rejected};

/// Reports: the number of a thread that has done a tenth of its work. Items leave 16 bits of their
/// word to the queue.
static PROGRESS: Queue<NonZeroU16, 8> = Queue::new();

/// Reports progress, from anywhere in the program.
fn report(thread: NonZeroU16) {
    let mut item = thread;
    while let Err(rejected) = PROGRESS.push(item) {
        match rejected {
            Rejected::Full(back) => {
                item = back;
                thread::yield_now();
            }
            Rejected::TooWide(number) => unreachable!("{number} has 16 bits"),
        }
    }
}

fn main() {
    const THREADS: u16 = 5;
    let threads: Vec<_> = (1..=THREADS)
        .filter_map(NonZeroU16::new)
        .map(|number| {
            thread::spawn(move || {
                let mut sum = 0_u64;
                for tenth in 0..10 {
                    sum += (0..10_000 * u64::from(number.get())).map(|value| value ^ tenth).sum::<u64>();
                    report(number);
                }
                sum
            })
        })
        .collect();

    let mut tenths = [0; THREADS as usize];
    while tenths.iter().sum::<u32>() < 10 * u32::from(THREADS) {
        match PROGRESS.pop() {
            Ok(number) => {
                let thread = usize::from(number.get());
                tenths[thread - 1] += 1;
                if tenths[thread - 1] == 10 {
                    println!("thread {thread} is done; tenths done by all: {tenths:?}");
                }
            }
            Err(_) => thread::yield_now(),
        }
    }
    let sum = threads.into_iter().filter_map(|thread| thread.join().ok()).fold(0, u64::wrapping_add);
    println!("all {} reports came; the result is {sum}", tenths.iter().sum::<u32>());
    assert!(PROGRESS.is_empty());
}
