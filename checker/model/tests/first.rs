//! The first program of the README.

use aqueduct_model::sync::Arc;
use aqueduct_model::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use aqueduct_model::{model, thread};

#[model]
fn two_threads_count() {
    let count = Arc::new(AtomicUsize::new(0));
    let other = Arc::clone(&count);
    let thread = thread::spawn(move || other.fetch_add(1, Relaxed));
    count.fetch_add(1, Relaxed);
    thread.join().unwrap();
    assert_eq!(count.load(Relaxed), 2);
}
