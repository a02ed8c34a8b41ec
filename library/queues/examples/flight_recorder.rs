//! All threads record what they do in a queue that keeps the last events and overwrites older ones.
//! A panic hook prints what is left: what happened before the crash. Recording waits for no reader
//! and takes a few nanoseconds.
//!
//! cargo run -p aqueduct --example flight_recorder

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Instant;
use std::{hint, panic, thread};

use aqueduct::bbq::Plain;
use aqueduct::bbq::drop_old::mpmc;

/// An event: numbers only, because it is copied while it may be overwritten.
#[derive(Clone, Copy)]
#[repr(C)]
struct Event {
    nanos: u64,
    thread: u32,
    code: u32,
    value: u64,
}

// SAFETY: 24 bytes of numbers, with no padding between them. (The feature `derive` has a macro that
// checks it.)
unsafe impl Plain for Event {}

const NAMES: [&str; 3] = ["request", "cache miss", "response"];
const THREADS: u32 = 3;
const EVENTS: u64 = 5_000;

/// Stops the recording after a crash, so that earlier events are not overwritten.
static HAS_CRASHED: AtomicBool = AtomicBool::new(false);

struct Recorder {
    producer: mpmc::Producer<Event>,
    start: Instant,
    thread: u32,
}

impl Recorder {
    fn record(&mut self, code: u32, value: u64) {
        if HAS_CRASHED.load(Relaxed) {
            return;
        }
        let nanos = self.start.elapsed().as_nanos() as u64;
        let event = Event { nanos, thread: self.thread, code, value };
        // `Busy`: another thread is still writing the entry, a whole lap ago. It has to go on
        // first.
        while self.producer.push(event).is_err() {
            thread::yield_now();
        }
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let (producer, reader) = mpmc::new::<Event>(20)?;
    let default_hook = panic::take_hook();
    panic::set_hook(Box::new(move |info| {
        HAS_CRASHED.store(true, Relaxed);
        // The events are copied, so that a later reader still finds them.
        let last = reader.latest(12);
        println!("the last {} events of {} that can still be read:", last.len(), reader.len());
        for Event { nanos, thread, code, value } in last {
            println!("{:>9}.{:03} us  thread {thread}  {} {value}", nanos / 1000, nanos % 1000, NAMES[code as usize]);
        }
        default_hook(info);
    }));

    let start = Instant::now();
    let threads: Vec<_> = (0..THREADS)
        .map(|thread| {
            let mut recorder = Recorder { producer: producer.clone(), start, thread };
            thread::spawn(move || {
                for number in 0..EVENTS {
                    recorder.record((number % 3) as u32, number);
                    (0..100).for_each(|_| hint::spin_loop());
                    assert!(thread != 1 || number < EVENTS / 2, "request {number} cannot be answered");
                }
            })
        })
        .collect();
    let crashed = threads.into_iter().filter_map(|thread| thread.join().err()).count();
    println!("{crashed} of {THREADS} threads crashed, as they were meant to");
    assert_eq!(crashed, 1);
    Ok(())
}
