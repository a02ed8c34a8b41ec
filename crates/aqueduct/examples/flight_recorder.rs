//! All threads record what they do in a queue that keeps the last events and overwrites older ones. A panic hook prints
//! what is left: what happened before the crash. Recording waits for no reader and takes a few nanoseconds.
//!
//! cargo run -p aqueduct --example flight_recorder

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;
use std::{hint, panic, thread};

use aqueduct::bbq::Plain;
use aqueduct::bbq::drop_old::mpmc;

/// An event: numbers only, since it is copied while it may be overwritten.
#[derive(Clone, Copy)]
#[repr(C)]
struct Event {
    nanos: u64,
    thread: u32,
    code: u32,
    value: u64,
}

// SAFETY: 24 bytes of numbers, with no padding between them.
unsafe impl Plain for Event {}

const NAMES: [&str; 3] = ["request", "cache miss", "response"];
const THREADS: u32 = 3;
const EVENTS: u64 = 5_000;

/// Nothing is recorded after a crash, so that nothing from before it is overwritten.
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
        // Busy: another thread is still writing the entry, a whole lap ago. It has to go on first.
        while self.producer.push(event).is_err() {
            thread::yield_now();
        }
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let (producer, reader) = mpmc::new::<Event>(20)?;
    let reader = Mutex::new(reader);
    let default_hook = panic::take_hook();
    panic::set_hook(Box::new(move |info| {
        HAS_CRASHED.store(true, Relaxed);
        let mut reader = reader.lock().unwrap_or_else(PoisonError::into_inner);
        let events: Vec<Event> = std::iter::from_fn(|| reader.read().ok()).take(100).collect();
        let last = &events[events.len().saturating_sub(12)..];
        println!("{} events were overwritten; the last {} of the others:", reader.lost(), last.len());
        for &Event { nanos, thread, code, value } in last {
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
