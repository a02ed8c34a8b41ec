//! L2b: store buffering whose reads are read-modify-writes.
//!
//! Two threads each raise a flag with a store and read the other's with an idle `fetch_add`, as if
//! that could not miss an earlier store. It can: both may come first. The repaired form raises the
//! flag with a swap: of two read-modify-writes on one flag, the later one reads from the earlier.

use std::sync::Arc;
use std::sync::atomic::Ordering::{AcqRel, Release};

use super::super::{AtomicUsize, spawn};

/// Each thread raises its own flag and reads the other's.
fn client(raise: fn(&AtomicUsize)) {
    let flags = Arc::new([AtomicUsize::new(0), AtomicUsize::new(0)]);
    let other = Arc::clone(&flags);
    let other = spawn(move || {
        raise(&other[1]);
        other[0].fetch_add(0, AcqRel)
    });
    raise(&flags[0]);
    let theirs = flags[1].fetch_add(0, AcqRel);
    let ours = other.join().unwrap();
    assert!((ours, theirs) != (0, 0), "neither has seen the other");
}

pub(crate) fn broken() {
    client(|flag| flag.store(1, Release));
}

pub(crate) fn repaired() {
    client(|flag| {
        flag.swap(1, AcqRel);
    });
}
