//! L3: two threads store to two locations, in opposite order, and in the end the *first* store of
//! each remains (2+2W).
//!
//! No interleaving has that end; relaxed, and even release, stores may. Two closers of a channel
//! that each set the state of both sides can leave both sides in the other's intermediate state.
//! Sequentially consistent fences repair it.

use std::sync::Arc;
use std::sync::atomic::Ordering::{Release, SeqCst};

use super::super::{AtomicUsize, fence, spawn};

const OPENING: usize = 1;
const DONE: usize = 2;

/// Each thread marks one side as begun and the other one as done. The states are read when both
/// threads have ended.
fn client(between: fn()) {
    let sides = Arc::new([AtomicUsize::new(0), AtomicUsize::new(0)]);
    let other = Arc::clone(&sides);
    let other = spawn(move || {
        other[1].store(OPENING, Release);
        between();
        other[0].store(DONE, Release);
    });
    sides[0].store(OPENING, Release);
    between();
    sides[1].store(DONE, Release);
    other.join().unwrap();
    let left = Arc::into_inner(sides).expect("the other thread is over").map(AtomicUsize::into_inner);
    assert_ne!(left, [OPENING, OPENING], "neither side is done");
}

pub(crate) fn broken() {
    client(|| ());
}

pub(crate) fn repaired() {
    client(|| fence(SeqCst));
}
