//! Executions per second on a few programs. `cargo run --release -p aqueduct-model --example speed`

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering as Native};

use aqueduct_model::sync::atomic::{AtomicUsize, Ordering::{self, Acquire, Relaxed, Release, SeqCst}};
use aqueduct_model::{Config, await_until, thread};

/// One producer and one consumer pass `items` values through a ring of `N` slots.
fn ring<const N: usize>(items: usize) {
    struct Ring<const N: usize> {
        head: AtomicUsize,
        tail: AtomicUsize,
        slots: [AtomicUsize; N],
    }
    let ring = Arc::new(Ring::<N> {
        head: AtomicUsize::new(0),
        tail: AtomicUsize::new(0),
        slots: std::array::from_fn(|_| AtomicUsize::new(0)),
    });
    let theirs = Arc::clone(&ring);
    let producer = thread::spawn(move || {
        for i in 0..items {
            await_until(|| i - theirs.head.load(Acquire) < N);
            theirs.slots[i % N].store(i + 1, Relaxed);
            theirs.tail.store(i + 1, Release);
        }
    });
    for i in 0..items {
        await_until(|| ring.tail.load(Acquire) > i);
        assert_eq!(ring.slots[i % N].load(Relaxed), i + 1);
        ring.head.store(i + 1, Release);
    }
    producer.join().unwrap();
}

/// Threads that each load and store variables of their own and of their neighbour.
fn independent(threads: usize, rounds: usize, own: usize) {
    let cells: Arc<Vec<AtomicUsize>> = Arc::new((0..threads * 2).map(|_| AtomicUsize::new(0)).collect());
    let handles: Vec<_> = (0..threads)
        .map(|t| {
            let cells = Arc::clone(&cells);
            thread::spawn(move || {
                for round in 0..rounds {
                    for _ in 0..own {
                        cells[t + threads].store(round, Relaxed);
                        cells[t + threads].load(Relaxed);
                    }
                    cells[t].store(round + 1, Release);
                    cells[(t + 1) % threads].load(Acquire);
                }
            })
        })
        .collect();
    for handle in handles {
        handle.join().unwrap();
    }
}

/// Threads that add to one counter.
fn counter(threads: usize, rounds: usize, order: Ordering) {
    let counter = Arc::new(AtomicUsize::new(0));
    let handles: Vec<_> = (0..threads)
        .map(|_| {
            let counter = Arc::clone(&counter);
            thread::spawn(move || {
                for _ in 0..rounds {
                    counter.fetch_add(1, order);
                }
            })
        })
        .collect();
    for handle in handles {
        handle.join().unwrap();
    }
    assert_eq!(counter.load(Relaxed), threads * rounds);
}

fn report(name: &str, program: impl Fn() + Send + Sync + 'static) {
    let jobs = std::env::args().nth(1).and_then(|a| a.parse().ok()).unwrap_or(1);
    static SINK: AtomicU64 = AtomicU64::new(0);
    let report = Config::new().jobs(jobs).max_executions(400_000).check(program);
    SINK.fetch_add(report.executions, Native::Relaxed);
    if let Some(failure) = &report.failure {
        println!("{name}: {failure}");
        return;
    }
    let each = report.events as f64 / report.executions as f64;
    println!(
        "{name:28} {:8} executions {:7} blocked {:7} discarded {each:6.1} events each {:9.0}/s{}",
        report.executions,
        report.blocked,
        report.discarded,
        report.executions_per_second(),
        if report.exhaustive { "" } else { " (not exhaustive)" }
    );
}

fn main() {
    report("ring 2, 9 items", || ring::<2>(9));
    report("ring 3, 7 items", || ring::<3>(7));
    report("independent 2 x 3", || independent(2, 3, 3));
    report("independent 3 x 2", || independent(3, 2, 3));
    report("independent 4 x 1", || independent(4, 1, 5));
    report("counter 2 x 6", || counter(2, 6, Relaxed));
    report("counter 3 x 3", || counter(3, 3, Relaxed));
    report("counter 3 x 3 SeqCst", || counter(3, 3, SeqCst));
    report("counter 4 x 2 AcqRel", || counter(4, 2, Ordering::AcqRel));
}
