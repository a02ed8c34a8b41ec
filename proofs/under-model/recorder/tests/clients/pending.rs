//! Threads that request dumps, and one that serves them: the last dump has all that a thread wrote
//! before its request.

use std::sync::Arc;

use crate::library::pending::Pending;
use aqueduct_checks::Client;
use aqueduct_model::sync::atomic::{AtomicU64, Ordering::Relaxed};
use aqueduct_model::sync::mpsc;
use aqueduct_model::thread;

/// `threads` threads write a word and request a dump. A dump begins for each wake.
fn each_thread_finds_its_records(threads: usize) {
    let shared = Arc::new((Pending::new(), [AtomicU64::new(0), AtomicU64::new(0)]));
    let (wake, woken) = mpsc::channel();
    let asking: Vec<_> = (0..threads)
        .map(|number| {
            let (shared, wake) = (Arc::clone(&shared), wake.clone());
            thread::spawn(move || {
                let (pending, written) = &*shared;
                written[number].store(1, Relaxed);
                if pending.request() {
                    // The receiver may be gone, as the pipe's reader may be.
                    let _ = wake.send(());
                }
            })
        })
        .collect();
    drop(wake);
    let (pending, written) = &*shared;
    let (mut last, mut dumps) = ([0, 0], 0);
    while woken.recv().is_ok() {
        pending.begin();
        last = [0, 1].map(|number| written[number].load(Relaxed));
        dumps += 1;
    }
    assert!((1..=threads).contains(&dumps), "{dumps} dumps for {threads} requests");
    assert_eq!(last[..threads], [1, 1][..threads], "the last dump lacks events written before a request");
    asking.into_iter().for_each(|thread| thread.join().unwrap());
}

/// Requests before the start of a dump are served by that dump, and a request after it needs one
/// more.
fn a_thread_asks_three_times() {
    let pending = Pending::new();
    assert_eq!([pending.request(), pending.request()], [true, false]);
    pending.begin();
    assert!(pending.request(), "the dump that has begun may lack events written since");
}

pub(crate) const CLIENTS: &[Client] = &[
    ("a_request", || each_thread_finds_its_records(1), 1),
    ("two_requests", || each_thread_finds_its_records(2), 6),
    ("a_thread_asks_three_times", a_thread_asks_three_times, 1),
];
