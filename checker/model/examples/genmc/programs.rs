//! The programs: threads on counters, rings and structures.

use std::sync::Arc;

use aqueduct_model::sync::atomic::Ordering::{Acquire, Relaxed, Release, SeqCst};
use aqueduct_model::sync::atomic::{AtomicUsize, fence};
use aqueduct_model::{await_until, thread};

use super::structures::{Deque, Queue, Stack};

/// A program by name. If its argument is true, failed rounds are repeated in place of a wait.
pub(crate) struct Program {
    pub(crate) name: &'static str,
    pub(crate) body: fn(bool),
}

const fn program(name: &'static str, body: fn(bool)) -> Program {
    Program { name, body }
}

pub(crate) const PROGRAMS: [Program; 15] = [
    program("counter52", |_| counter(5, 2)),
    program("counter81", |_| counter(8, 1)),
    program("counter91", |_| counter(9, 1)),
    program("ticket", |_| ticket_lock(7)),
    program("ring", |_| ring()),
    program("sparse", |_| sparse(3, 3)),
    program("readers", |_| writers_and_readers(5, 2, 2)),
    program("fences", |_| store_buffering(6)),
    program("deque2", |_| deque(2)),
    program("deque3", |_| deque(3)),
    program("stack22", |loops| stack(2, 2, loops)),
    program("stack31", |loops| stack(3, 1, loops)),
    program("stack23", |loops| stack(2, 3, loops)),
    program("queue2", |loops| queue(2, loops)),
    program("queue3", |loops| queue(3, loops)),
];

/// Runs rounds until one succeeds.
pub(crate) fn repeat(loops: bool, mut round: impl FnMut() -> bool) {
    if loops {
        while !round() {}
    } else {
        await_until(round);
    }
}

pub(crate) fn zeros<const N: usize>() -> [AtomicUsize; N] {
    [const { AtomicUsize::new(0) }; N]
}

/// Starts threads that share a value. They are not joined.
fn spawn<T: Send + Sync + 'static>(shared: &Arc<T>, threads: usize, body: impl Fn(&T, usize) + Copy + Send + 'static) {
    for thread in 0..threads {
        let shared = Arc::clone(shared);
        thread::spawn(move || body(&shared, thread));
    }
}

fn counter(threads: usize, rounds: usize) {
    spawn(&Arc::new(AtomicUsize::new(0)), threads, move |counter, _| {
        for _ in 0..rounds {
            counter.fetch_add(1, Relaxed);
        }
    });
}

fn ticket_lock(threads: usize) {
    spawn(&Arc::new(zeros::<3>()), threads, move |[next, owner, data], _| {
        let ticket = next.fetch_add(1, Relaxed);
        await_until(|| owner.load(Acquire) == ticket);
        data.store(data.load(Relaxed) + 1, Relaxed);
        owner.store(ticket + 1, Release);
    });
}

/// One producer and one consumer, which is the main thread, pass ten values through a ring of two
/// slots.
fn ring() {
    let shared = Arc::new(([zeros::<1>(), zeros::<1>()], zeros::<2>()));
    spawn(&shared, 1, move |([[head], [tail]], slots), _| {
        for item in 0..10 {
            await_until(|| item - head.load(Acquire) < 2);
            slots[item % 2].store(item + 1, Relaxed);
            tail.store(item + 1, Release);
        }
    });
    let ([[head], [tail]], slots) = &*shared;
    for item in 0..10 {
        await_until(|| tail.load(Acquire) > item);
        assert_eq!(slots[item % 2].load(Relaxed), item + 1);
        head.store(item + 1, Release);
    }
}

/// Threads add to one counter, and store and load an atomic of their own four times before each
/// addition.
fn sparse(threads: usize, rounds: usize) {
    spawn(&Arc::new((AtomicUsize::new(0), zeros::<4>())), threads, move |(counter, own), thread| {
        for _ in 0..rounds {
            for value in 0..4 {
                own[thread].store(value, Relaxed);
                own[thread].load(Relaxed);
            }
            counter.fetch_add(1, Relaxed);
        }
    });
}

fn writers_and_readers(writers: usize, readers: usize, rounds: usize) {
    let word = Arc::new(AtomicUsize::new(0));
    spawn(&word, writers, |word, thread| word.store(thread + 1, Relaxed));
    spawn(&word, readers, move |word, _| {
        for _ in 0..rounds {
            word.load(Relaxed);
        }
    });
}

/// Each thread stores to a word of its own, and loads those of the next two after a fence.
fn store_buffering(threads: usize) {
    spawn(&Arc::new(zeros::<6>()), threads, move |words, thread| {
        words[thread].store(1, Relaxed);
        fence(SeqCst);
        words[(thread + 1) % threads].load(Relaxed);
        words[(thread + 2) % threads].load(Relaxed);
    });
}

/// An owner pushes five items, takes three and pushes two, while each thief steals once.
fn deque(thieves: usize) {
    let deque = Arc::new(Deque::new());
    spawn(&deque, 1, |deque, _| {
        (1..=5).for_each(|item| deque.push(item));
        (0..3).for_each(|_| deque.take());
        (6..=7).for_each(|item| deque.push(item));
    });
    spawn(&deque, thieves, |deque, _| deque.steal());
}

/// Threads push and pop.
fn stack(threads: usize, rounds: usize, loops: bool) {
    spawn(&Arc::new(Stack::new()), threads, move |stack, thread| {
        for round in 0..rounds {
            stack.push(10 * thread + round, loops);
            stack.pop(loops);
        }
    });
}

/// Two producers enqueue `items` together, and a consumer dequeues as often.
fn queue(items: usize, loops: bool) {
    let queue = Arc::new(Queue::new());
    spawn(&queue, 2, move |queue, thread| {
        for item in (thread..items).step_by(2) {
            queue.enqueue(item + 1, loops);
        }
    });
    spawn(&queue, 1, move |queue, _| {
        for _ in 0..items {
            queue.dequeue(loops);
        }
    });
}
