//! The package for crates on loom 0.5 satisfies their requirement and is the checker.

// Its own tests, for which `loom` is loom 0.5: a workspace runs no tests of a package outside of
// it.
extern crate loom as loom_0_7;
extern crate loom_0_5 as loom;
#[path = "../../loom-0.5/tests/crates_on_loom_0_5.rs"]
mod crates_on_loom_0_5;

use loom_0_5::sync::Arc;
use loom_0_5::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use loom_0_5::thread;

#[test]
fn a_program_in_the_language_of_loom_0_5_runs_on_the_checker() {
    let mut builder = loom_0_5::model::Builder::new();
    builder.max_branches = 2_000;
    builder.check(|| {
        let count = Arc::new(AtomicUsize::new(0));
        let other = Arc::clone(&count);
        let thread = thread::spawn(move || other.fetch_add(1, Relaxed));
        count.fetch_add(1, Relaxed);
        thread.join().unwrap();
        assert_eq!(count.load(Relaxed), 2);
    });
}

/// A type that a crate exports under one name has the type of the other name.
#[test]
fn both_versions_are_one_crate() {
    fn count(x: &loom_0_7::sync::atomic::AtomicUsize) -> usize {
        x.load(Relaxed)
    }
    assert_eq!(count(&AtomicUsize::new(3)), 3);
}
