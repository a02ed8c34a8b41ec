//! The programs that every checker explores.
//!
//! This file is compiled once for each of them: `super` is its backend, which offers atomics, plain
//! slots, threads and waiting under common names.

use std::sync::Arc;
use std::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release, SeqCst};

use super::{AtomicUsize, JoinHandle, Slot, await_until, fence, spawn};

type Thread = JoinHandle<usize>;

fn atomics<const N: usize>() -> Arc<[AtomicUsize; N]> {
    Arc::new(std::array::from_fn(|_| AtomicUsize::new(0)))
}

fn join(threads: impl IntoIterator<Item = Thread>) {
    // All threads are created before the first join.
    let threads: Vec<Thread> = threads.into_iter().collect();
    for thread in threads {
        thread.join().expect("no thread of these programs panics");
    }
}

/// Two threads each write one location and read the other's, with a fence between.
pub(crate) fn store_buffering() {
    let x = atomics::<2>();
    let threads = [0, 1].map(|me| {
        let x = Arc::clone(&x);
        spawn(move || {
            x[me].store(1, Relaxed);
            fence(SeqCst);
            x[1 - me].load(Relaxed)
        })
    });
    let seen = threads.map(|thread| thread.join().expect("it does not panic"));
    assert_ne!(seen, [0, 0]);
}

/// There are two writers of a location each, and two readers of both.
pub(crate) fn independent_reads() {
    let x = atomics::<2>();
    let writers = [0, 1].map(|me| {
        let x = Arc::clone(&x);
        spawn(move || {
            x[me].store(1, Release);
            0
        })
    });
    let readers = [0, 1].map(|me| {
        let x = Arc::clone(&x);
        spawn(move || x[me].load(Acquire) + x[1 - me].load(Acquire))
    });
    join(writers.into_iter().chain(readers));
}

/// `THREADS` threads count `TIMES` times each.
pub(crate) fn counter<const THREADS: usize, const TIMES: usize>() {
    let x = atomics::<1>();
    join((0..THREADS).map(|_| {
        let x = Arc::clone(&x);
        spawn(move || {
            for _ in 0..TIMES {
                x[0].fetch_add(1, Relaxed);
            }
            0
        })
    }));
    assert_eq!(x[0].load(Relaxed), THREADS * TIMES);
}

/// A ticket lock around a plain counter.
pub(crate) fn ticket_lock<const THREADS: usize, const TIMES: usize>() {
    let lock = atomics::<2>();
    let count = Arc::new(Slot::new(0));
    join((0..THREADS).map(|_| {
        let (lock, count) = (Arc::clone(&lock), Arc::clone(&count));
        spawn(move || {
            for _ in 0..TIMES {
                let ticket = lock[0].fetch_add(1, Relaxed);
                await_until(|| lock[1].load(Acquire) == ticket);
                count.set(count.get() + 1);
                lock[1].store(ticket + 1, Release);
            }
            0
        })
    }));
    assert_eq!(count.get(), THREADS * TIMES);
}

const NODES: usize = 8;

/// Treiber's stack on nodes that are never reused: each thread pushes `TIMES` nodes and pops as
/// often.
pub(crate) fn treiber_stack<const THREADS: usize, const TIMES: usize>() {
    // The head and the nodes' links hold a node's number plus one; 0 stands for no node.
    let head = atomics::<1>();
    let links = atomics::<NODES>();
    let values = Arc::new(std::array::from_fn::<Slot<usize>, NODES, _>(|_| Slot::new(0)));
    let threads = (0..THREADS).map(|me| {
        let (head, links, values) = (Arc::clone(&head), Arc::clone(&links), Arc::clone(&values));
        spawn(move || {
            for time in 0..TIMES {
                let node = me * TIMES + time;
                values[node].set(1 << node);
                let mut top = head[0].load(Relaxed);
                loop {
                    links[node].store(top, Relaxed);
                    match head[0].compare_exchange(top, node + 1, Release, Relaxed) {
                        Ok(_) => break,
                        Err(now) => top = now,
                    }
                }
            }
            let mut sum = 0;
            for _ in 0..TIMES {
                let mut top = head[0].load(Acquire);
                while top != 0 {
                    let next = links[top - 1].load(Relaxed);
                    match head[0].compare_exchange(top, next, Acquire, Acquire) {
                        Ok(_) => {
                            sum += values[top - 1].get();
                            break;
                        }
                        Err(now) => top = now,
                    }
                }
            }
            sum
        })
    });
    let threads: Vec<Thread> = threads.collect();
    let sum: usize = threads.into_iter().map(|thread| thread.join().expect("it does not panic")).sum();
    assert_eq!(sum, (1 << (THREADS * TIMES)) - 1, "every node comes out once");
}

/// Michael and Scott's queue on nodes that are never reused.
///
/// Each producer enqueues `TIMES` nodes; one consumer tries to dequeue once for each of these
/// nodes.
pub(crate) fn michael_scott<const PRODUCERS: usize, const TIMES: usize>() {
    // Node 0 is the dummy; links hold a node's number, 0 stands for no node.
    let ends = atomics::<2>();
    let links = atomics::<NODES>();
    let values = Arc::new(std::array::from_fn::<Slot<usize>, NODES, _>(|_| Slot::new(0)));
    let mut threads = Vec::new();
    for me in 0..PRODUCERS {
        let (ends, links, values) = (Arc::clone(&ends), Arc::clone(&links), Arc::clone(&values));
        threads.push(spawn(move || {
            for time in 0..TIMES {
                let node = 1 + me * TIMES + time;
                values[node].set(node);
                loop {
                    let tail = ends[1].load(Acquire);
                    match links[tail].compare_exchange(0, node, Release, Acquire) {
                        Ok(_) => {
                            let _ = ends[1].compare_exchange(tail, node, Release, Relaxed);
                            break;
                        }
                        Err(next) => {
                            let _ = ends[1].compare_exchange(tail, next, Release, Relaxed);
                        }
                    }
                }
            }
            0
        }));
    }
    threads.push(spawn(move || {
        let mut last = [0; PRODUCERS];
        for _ in 0..PRODUCERS * TIMES {
            let head = ends[0].load(Relaxed);
            let next = links[head].load(Acquire);
            if next == 0 {
                continue;
            }
            ends[0].store(next, Relaxed);
            let value = values[next].get();
            let from = (value - 1) / TIMES;
            assert!(value > last[from], "a producer's nodes come in order");
            last[from] = value;
        }
        0
    }));
    join(threads);
}

/// Lamport's ring of two slots: the producer waits while it is full, the consumer while it is
/// empty.
pub(crate) fn ring<const ITEMS: usize>() {
    let index = atomics::<2>();
    let slots = Arc::new([Slot::new(0), Slot::new(0)]);
    let (theirs, into) = (Arc::clone(&index), Arc::clone(&slots));
    let producer = spawn(move || {
        for item in 0..ITEMS {
            await_until(|| item - theirs[1].load(Acquire) < 2);
            into[item % 2].set(item + 1);
            theirs[0].store(item + 1, Release);
        }
        0
    });
    let consumer = spawn(move || {
        for item in 0..ITEMS {
            await_until(|| index[0].load(Acquire) > item);
            assert_eq!(slots[item % 2].get(), item + 1);
            index[1].store(item + 1, Release);
        }
        0
    });
    join([producer, consumer]);
}

/// Each of `THREADS` threads works on locations of its own and passes a token `TIMES` times with an
/// RMW.
///
/// Few of many events conflict.
pub(crate) fn sparse<const THREADS: usize, const TIMES: usize>() {
    let token = atomics::<1>();
    join((0..THREADS).map(|_| {
        let token = Arc::clone(&token);
        spawn(move || {
            let own = AtomicUsize::new(0);
            for _ in 0..TIMES {
                for _ in 0..4 {
                    own.store(own.load(Relaxed) + 1, Relaxed);
                }
                token[0].fetch_add(1, AcqRel);
            }
            own.load(Relaxed)
        })
    }));
}
