//! Z26: crossbeam's list channel. A sender erases the bit that marks the receiver as dropped.
//!
//! The sender that fills a block moves the tail on to the next block with a plain store of the
//! value that it read before. That erases the bit, and senders keep sending without a receiver. The
//! repaired form adds.

use std::sync::Arc;
use std::sync::atomic::Ordering::{AcqRel, Acquire, Release};

use super::super::{AtomicUsize, spawn};

/// The lowest bit of the tail: the receiver was dropped.
const GONE: usize = 1;
/// The amount that a slot adds to the tail. A block has one slot, and a gap in which other threads
/// wait for the next block.
const SLOT: usize = 2;

struct Channel {
    tail: AtomicUsize,
    block: AtomicUsize,
}

impl Channel {
    /// Sends. Returns `false` if the receiver was dropped. There is one sender.
    fn send<const ADD: bool>(&self) -> bool {
        let tail = self.tail.load(Acquire);
        if tail & GONE != 0 || self.tail.compare_exchange(tail, tail + SLOT, AcqRel, Acquire).is_err() {
            return false;
        }
        self.block.store(tail / SLOT + 1, Release);
        if ADD {
            self.tail.fetch_add(SLOT, Release);
        } else {
            self.tail.store(tail + 2 * SLOT, Release);
        }
        true
    }
}

/// A sender fills a block while the receiver is dropped. After both, a send must fail.
fn client<const ADD: bool>() {
    let channel = Arc::new(Channel { tail: AtomicUsize::new(0), block: AtomicUsize::new(0) });
    let sender = {
        let channel = Arc::clone(&channel);
        spawn(move || channel.send::<ADD>())
    };
    channel.tail.fetch_or(GONE, AcqRel);
    sender.join().unwrap();
    assert!(!channel.send::<ADD>(), "a message was sent to nobody");
}

pub(crate) fn broken() {
    client::<false>();
}

pub(crate) fn repaired() {
    client::<true>();
}
