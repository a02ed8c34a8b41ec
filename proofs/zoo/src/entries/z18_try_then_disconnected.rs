//! Z18: flume #120. A receiver finds no message, and then finds that the senders were dropped.
//!
//! It reports the end, and a message that was sent between its two checks is lost. The repaired
//! form checks for the disconnection first.

use std::sync::Arc;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};

use super::super::{AtomicBool, AtomicUsize, Slot, spawn};

struct Channel {
    slot: Slot<usize>,
    sent: AtomicUsize,
    received: AtomicUsize,
    disconnected: AtomicBool,
}

#[derive(PartialEq, Eq, Debug)]
enum Poll {
    Pending,
    Received(usize),
    Disconnected,
}

impl Channel {
    fn send(&self, value: usize) {
        self.slot.set(value);
        self.sent.store(1, Release);
    }

    fn try_receive(&self) -> Option<usize> {
        if self.sent.load(Acquire) == self.received.load(Relaxed) {
            return None;
        }
        self.received.store(1, Relaxed);
        Some(self.slot.get())
    }

    fn poll<const DISCONNECTED_FIRST: bool>(&self) -> Poll {
        let gone_before = DISCONNECTED_FIRST && self.disconnected.load(Acquire);
        if let Some(value) = self.try_receive() {
            return Poll::Received(value);
        }
        if gone_before || (!DISCONNECTED_FIRST && self.disconnected.load(Acquire)) {
            return Poll::Disconnected;
        }
        Poll::Pending
    }
}

/// A sender sends and is dropped. The receiver gets the message, now or later.
fn client<const DISCONNECTED_FIRST: bool>() {
    let channel = Arc::new(Channel {
        slot: Slot::new(0),
        sent: AtomicUsize::new(0),
        received: AtomicUsize::new(0),
        disconnected: AtomicBool::new(false),
    });
    let sender = {
        let channel = Arc::clone(&channel);
        spawn(move || {
            channel.send(7);
            channel.disconnected.store(true, Release);
        })
    };
    let first = channel.poll::<DISCONNECTED_FIRST>();
    sender.join().unwrap();
    let got = if first == Poll::Pending { channel.poll::<DISCONNECTED_FIRST>() } else { first };
    assert_eq!(got, Poll::Received(7), "a sent message is lost");
}

pub(crate) fn broken() {
    client::<false>();
}

pub(crate) fn repaired() {
    client::<true>();
}
