//! L1: a read-modify-write may precede a store whose effect its thread has seen only through a
//! relaxed flag.
//!
//! In a work-stealing block, the owner resets a counter, then grants the block; a thief's
//! `fetch_add` precedes the reset and is lost.

use std::sync::Arc;
use std::sync::atomic::Ordering::{self, Acquire, Relaxed, Release};

use super::super::{AtomicUsize, spawn};

/// The owner resets a counter and grants. A thief that has the grant counts.
fn client(grant: Ordering, take: Ordering) {
    let block = Arc::new((AtomicUsize::new(7), AtomicUsize::new(0)));
    let thief = Arc::clone(&block);
    let thief = spawn(move || {
        if thief.1.load(take) == 1 {
            thief.0.fetch_add(10, Relaxed);
            return true;
        }
        false
    });
    block.0.store(0, Relaxed);
    block.1.store(1, grant);
    let counted = thief.join().unwrap();
    assert_eq!(block.0.load(Relaxed), if counted { 10 } else { 0 }, "the thief's count is lost");
}

pub(crate) fn broken() {
    client(Relaxed, Relaxed);
}

pub(crate) fn repaired() {
    client(Release, Acquire);
}
