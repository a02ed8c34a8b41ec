//! Executions per second on a few programs:
//! `cargo run --release -p aqueduct-model --example speed [JOBS]`

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering as Native};

use aqueduct_model::hint::{await_some, await_until};
use aqueduct_model::sync::atomic::{
    AtomicUsize,
    Ordering::{self, Acquire, Relaxed, Release, SeqCst},
};
use aqueduct_model::{Config, sync, thread};

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

/// A bounded queue whose slots carry turns, `producers` pushing one value each, one thread popping.
fn turns(producers: usize, capacity: usize) {
    struct Queue {
        head: AtomicUsize,
        tail: AtomicUsize,
        slots: Vec<(AtomicUsize, AtomicUsize)>,
    }
    fn try_push(queue: &Queue, value: usize) -> bool {
        let mut tail = queue.tail.load(Relaxed);
        loop {
            let (turn, slot) = &queue.slots[tail % queue.slots.len()];
            let seen = turn.load(Acquire);
            if seen == tail {
                match queue.tail.compare_exchange(tail, tail + 1, Relaxed, Relaxed) {
                    Ok(_) => {
                        slot.store(value, Relaxed);
                        turn.store(tail + 1, Release);
                        return true;
                    }
                    Err(now) => tail = now,
                }
            } else if seen < tail {
                return false;
            } else {
                tail = queue.tail.load(Relaxed);
            }
        }
    }
    fn try_pop(queue: &Queue) -> Option<usize> {
        let head = queue.head.load(Relaxed);
        let (turn, slot) = &queue.slots[head % queue.slots.len()];
        (turn.load(Acquire) == head + 1).then(|| {
            let value = slot.load(Relaxed);
            queue.head.store(head + 1, Relaxed);
            turn.store(head + queue.slots.len(), Release);
            value
        })
    }
    let slots = (0..capacity).map(|turn| (AtomicUsize::new(turn), AtomicUsize::new(0)));
    let queue = Arc::new(Queue { head: AtomicUsize::new(0), tail: AtomicUsize::new(0), slots: slots.collect() });
    for producer in 0..producers {
        let queue = Arc::clone(&queue);
        thread::spawn(move || await_until(|| try_push(&queue, producer + 1)));
    }
    let sum: usize = (0..producers).map(|_| await_some(|| try_pop(&queue))).sum();
    assert_eq!(sum, producers * (producers + 1) / 2);
}

/// Threads that take a lock twice.
fn lock(threads: usize) {
    let lock = Arc::new((AtomicUsize::new(0), AtomicUsize::new(0), AtomicUsize::new(0)));
    for _ in 0..threads {
        let lock = Arc::clone(&lock);
        thread::spawn(move || {
            for _ in 0..2 {
                let ticket = lock.0.fetch_add(1, Relaxed);
                await_until(|| lock.1.load(Acquire) == ticket);
                lock.2.store(lock.2.load(Relaxed) + 1, Relaxed);
                lock.1.store(ticket + 1, Release);
            }
        });
    }
}

/// Two threads that add to one counter four times, and use an atomic of their own in between.
fn long(rounds: usize) {
    let counter = Arc::new(AtomicUsize::new(0));
    let body = move |counter: &AtomicUsize| {
        let own = AtomicUsize::new(0);
        for _ in 0..4 {
            counter.fetch_add(1, Relaxed);
            for round in 0..rounds {
                own.store(round, Relaxed);
                own.load(Relaxed);
            }
        }
    };
    let theirs = Arc::clone(&counter);
    let other = thread::spawn(move || body(&theirs));
    body(&counter);
    other.join().unwrap();
}

/// Threads that each lock a mutex once, which they own together. The main thread joins them, or it
/// does not.
fn owners(threads: usize, joins: bool) {
    let lock = sync::Arc::new(sync::Mutex::new(0));
    let body = |lock: sync::Arc<sync::Mutex<usize>>| *lock.lock().unwrap() += 1;
    let handles: Vec<_> = { 0..threads }
        .map(|_| {
            let lock = sync::Arc::clone(&lock);
            thread::spawn(move || body(lock))
        })
        .collect();
    if joins {
        handles.into_iter().for_each(|handle| handle.join().unwrap());
    }
}

fn report(name: &str, program: impl Fn() + Send + Sync + 'static) {
    let jobs = std::env::args().nth(1).and_then(|a| a.parse().ok()).unwrap_or(1);
    static SINK: AtomicU64 = AtomicU64::new(0);
    let report = Config::new().jobs(jobs).check(program);
    SINK.fetch_add(report.executions, Native::Relaxed);
    if let Some(failure) = &report.failure {
        println!("{name}: {failure}");
        return;
    }
    let each = report.events as f64 / report.executions as f64;
    println!(
        "{name:28} {:8} executions {:7} blocked {:7} discarded {each:6.1} events each {:9.0}/s {:4.0} ns an event{}",
        report.executions,
        report.blocked,
        report.discarded,
        report.executions_per_second(),
        report.seconds * 1e9 / report.events as f64,
        if report.exhaustive { "" } else { " (not exhaustive)" }
    );
}

fn main() {
    report("ring 2, 9 items", || ring::<2>(9));
    report("ring 3, 7 items", || ring::<3>(7));
    report("turns, 2 producers, 2 slots", || turns(2, 2));
    report("turns, 3 producers, 2 slots", || turns(3, 2));
    report("ticket lock, 3 threads", || lock(3));
    report("independent 2 x 3", || independent(2, 3, 3));
    report("independent 3 x 2", || independent(3, 2, 3));
    report("independent 4 x 1", || independent(4, 1, 5));
    report("counter 2 x 6", || counter(2, 6, Relaxed));
    report("counter 3 x 3", || counter(3, 3, Relaxed));
    report("counter 3 x 3 SeqCst", || counter(3, 3, SeqCst));
    report("counter 4 x 3", || counter(4, 3, Relaxed));
    for rounds in [10, 100, 500] {
        report(&format!("{rounds} accesses between additions"), move || long(rounds));
    }
    report("5 owners of a lock, joined", || owners(5, true));
    report("5 owners of a lock", || owners(5, false));
    report("counter 4 x 2 AcqRel", || counter(4, 2, Ordering::AcqRel));
}
