//! Z48: crossfire #70, mended in 3.1.20. `try_recv` finds the queue empty, and then that all
//! senders were dropped.
//!
//! A sender that sends and is dropped between the two checks loses its message, although its send
//! has succeeded. The repaired form checks the queue once more when the senders were dropped.

use std::sync::Arc;
use std::sync::atomic::Ordering::{AcqRel, Acquire, Release};

use super::super::{AtomicUsize, Slot, spawn};

struct Channel {
    slot: Slot<usize>,
    sent: AtomicUsize,
    senders: AtomicUsize,
}

#[derive(PartialEq, Eq, Debug)]
enum Refusal {
    Empty,
    Disconnected,
}

impl Channel {
    fn send(&self, message: usize) {
        self.slot.set(message);
        self.sent.store(1, Release);
    }

    fn pop(&self) -> Option<usize> {
        (self.sent.load(Acquire) > 0).then(|| self.slot.get())
    }

    fn try_recv<const AGAIN: bool>(&self) -> Result<usize, Refusal> {
        if let Some(message) = self.pop() {
            return Ok(message);
        }
        if self.senders.load(Acquire) > 0 {
            return Err(Refusal::Empty);
        }
        let last = if AGAIN { self.pop() } else { None };
        last.ok_or(Refusal::Disconnected)
    }
}

/// One of two senders sends, both are dropped, and the receiver drains the channel.
fn client<const AGAIN: bool>() {
    let channel = Arc::new(Channel { slot: Slot::new(0), sent: AtomicUsize::new(0), senders: AtomicUsize::new(2) });
    let senders = [true, false].map(|sends| {
        let channel = Arc::clone(&channel);
        spawn(move || {
            if sends {
                channel.send(7);
            }
            channel.senders.fetch_sub(1, AcqRel);
        })
    });
    let first = channel.try_recv::<AGAIN>();
    for sender in senders {
        sender.join().unwrap();
    }
    let got = if first == Err(Refusal::Empty) { channel.try_recv::<AGAIN>() } else { first };
    assert_eq!(got, Ok(7), "a send has succeeded, and its message is lost");
}

pub(crate) fn broken() {
    client::<false>();
}

pub(crate) fn repaired() {
    client::<true>();
}
