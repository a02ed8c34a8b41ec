//! Threads that start, record and end, more of them than the recorder has rings, while another
//! thread reads. Each record is in the trace, or is counted as overwritten or refused; a thread's
//! records have no gap.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering::SeqCst};
use std::thread;

use aqueduct_fuzz::Random;
use aqueduct_recorder::{Builder, Field, Recorder, Trace, event, span};

use crate::weather::{storm, threads};

/// Asserts that each thread's records follow one another, and returns how many there are.
fn check(trace: &Trace) -> u64 {
    assert_eq!(trace.damaged(), 0, "nobody else writes into the memory");
    let mut last: HashMap<u64, u64> = HashMap::new();
    for event in trace.events() {
        if let Some(before) = last.insert(event.thread, event.number) {
            assert_eq!(event.number, before + 1, "a gap in the records of thread {}", event.thread);
        }
        if let [Field::Unsigned(number), Field::Text(text, 0)] = &*event.values {
            let expected = "x".repeat(*number as usize % 50);
            assert_eq!(*text, expected, "record {} of thread {}", event.number, event.thread);
        }
    }
    trace.events().len() as u64
}

/// Records for a while. Returns the number of records, a span's start and end being two.
fn record(mut random: Random) -> u64 {
    let (count, mut made) = (random.below(3000), 0);
    for _ in 0..count {
        let number = random.below(1000) as u64;
        if random.one_in(10) {
            let _span = span!("a span", number = number);
            event!("within", number = number, text = &*"x".repeat(number as usize % 50));
            made += 3;
        } else {
            event!("an event", number = number, text = &*"x".repeat(number as usize % 50));
            made += 1;
        }
    }
    made
}

#[test]
fn each_record_is_kept_or_counted() {
    let recorder: Recorder = Builder::new().rings(6).ring_bytes(1 << 14).install().expect("the only recorder");
    let mut all = 0;
    storm("the recorder", "records", |random| {
        let (made, working) = (AtomicU64::new(0), AtomicU64::new(threads() as u64));
        thread::scope(|scope| {
            for _ in 0..threads() {
                let (random, made, working) = (random.fork(), &made, &working);
                scope.spawn(move || {
                    made.fetch_add(record(random), SeqCst);
                    working.fetch_sub(1, SeqCst);
                });
            }
            while working.load(SeqCst) > 0 {
                check(&recorder.trace());
            }
        });
        all += made.load(SeqCst);
        let trace = recorder.trace();
        let (kept, overwritten, refused) = (check(&trace), trace.overwritten().records, trace.refused());
        assert_eq!(kept + overwritten + refused, all, "{kept} kept, {overwritten} overwritten, {refused} refused");
        made.into_inner() as usize
    });
}
