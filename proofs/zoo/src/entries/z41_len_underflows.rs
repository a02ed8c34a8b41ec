//! Z41: tokio's mpsc channel, #8062. The last dropped sender takes a slot for the mark that closes
//! the list.
//!
//! `len` loads the tail, and then subtracts one if the list is closed. If it is closed in between,
//! the tail does not count the mark's slot, and the length is one too short, or falls below zero.
//! The repaired form reads only the last slot that the tail counts.

use std::sync::Arc;
use std::sync::atomic::Ordering::{AcqRel, Acquire, Release};

use super::super::{AtomicU8, AtomicUsize, spawn};

/// The slot has a message.
const MESSAGE: u8 = 1;
/// The slot has the mark.
const CLOSED: u8 = 2;

struct List {
    tail: AtomicUsize,
    slots: [AtomicU8; 2],
}

impl List {
    fn put(&self, what: u8) {
        let at = self.tail.fetch_add(1, AcqRel);
        self.slots[at].store(what, Release);
    }

    fn len<const LAST_SLOT: bool>(&self, received: usize) -> usize {
        let tail = self.tail.load(Acquire);
        let taken = tail - received;
        let less = if LAST_SLOT {
            taken > 0 && self.slots[tail - 1].load(Acquire) != MESSAGE
        } else {
            self.slots.iter().any(|slot| slot.load(Acquire) == CLOSED)
        };
        taken.checked_sub(usize::from(less)).expect("the length falls below zero")
    }
}

/// A message was sent and received. The last sender is dropped while the receiver reads the length.
fn client<const LAST_SLOT: bool>() {
    let list = Arc::new(List { tail: AtomicUsize::new(0), slots: [AtomicU8::new(0), AtomicU8::new(0)] });
    list.put(MESSAGE);
    let sender = {
        let list = Arc::clone(&list);
        spawn(move || list.put(CLOSED))
    };
    assert_eq!(list.len::<LAST_SLOT>(1), 0, "a message that nobody has sent");
    sender.join().unwrap();
}

pub(crate) fn broken() {
    client::<false>();
}

pub(crate) fn repaired() {
    client::<true>();
}
