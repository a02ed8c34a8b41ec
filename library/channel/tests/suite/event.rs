//! Waiting on threads of the system.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use std::thread;
use std::time::{Duration, Instant};

use aqueduct::mpmc::Queue;
use aqueduct_channel::Event;

/// Longer than any test takes.
const LONG: Duration = Duration::from_secs(600);

#[test]
fn sleepers_on_both_sides_pass_all_items() {
    const ITEMS: usize = if cfg!(miri) { 50 } else { 20_000 };
    let queue = Queue::new(2).unwrap();
    let (pushed, popped, sum) = (Event::new(), Event::new(), AtomicUsize::new(0));
    thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| {
                for number in 1..=ITEMS {
                    popped.wait(|| queue.push(number).ok());
                    pushed.notify();
                }
            });
            scope.spawn(|| {
                for _ in 0..ITEMS {
                    sum.fetch_add(pushed.wait(|| queue.pop().ok()), SeqCst);
                    popped.notify();
                }
            });
        }
    });
    assert_eq!(sum.into_inner(), 3 * ITEMS * (ITEMS + 1) / 2);
}

#[test]
fn a_deadline_in_the_past_allows_one_attempt() {
    let event = Event::new();
    let mut attempts = 0;
    let result = event.wait_deadline(Instant::now(), || {
        attempts += 1;
        None::<()>
    });
    assert_eq!((result, attempts), (None, 1));
    assert_eq!(event.wait_deadline(Instant::now(), || Some(7)), Some(7));
    assert_eq!(event.wait_timeout(Duration::ZERO, || None::<()>), None);
}

#[test]
fn a_time_that_the_clock_cannot_tell_never_comes() {
    let (event, is_open) = (Event::new(), AtomicBool::new(false));
    thread::scope(|scope| {
        scope.spawn(|| {
            is_open.store(true, SeqCst);
            event.notify();
        });
        assert_eq!(event.wait_timeout(Duration::MAX, || is_open.load(SeqCst).then_some(())), Some(()));
    });
}

#[test]
fn a_time_out_ends_the_wait() {
    assert_eq!(Event::new().wait_timeout(Duration::from_millis(5), || None::<()>), None);
}

/// The notification of a waiter whose attempt panics goes to the next one.
#[test]
fn a_panic_hands_on() {
    let shared = Arc::new((Event::new(), AtomicUsize::new(0), AtomicUsize::new(0)));
    let theirs = Arc::clone(&shared);
    let panics = thread::spawn(move || {
        let (event, count, waiting) = &*theirs;
        let wait = || {
            event.wait_timeout(LONG, || {
                waiting.fetch_add(1, SeqCst);
                (count.load(SeqCst) > 0).then(|| panic!("as the test wants it"))
            })
        };
        catch_unwind(AssertUnwindSafe(wait)).is_err()
    });
    while shared.2.load(SeqCst) == 0 {
        thread::yield_now();
    }
    let theirs = Arc::clone(&shared);
    let waits = thread::spawn(move || theirs.0.wait_timeout(LONG, || (theirs.1.load(SeqCst) > 0).then_some(())));
    shared.1.store(1, SeqCst);
    shared.0.notify();
    // Whichever waiter it has woken: the first one passes the notification on, or the second one
    // has succeeded.
    assert_eq!(waits.join().unwrap(), Some(()));
    shared.0.notify();
    assert!(panics.join().unwrap());
}
