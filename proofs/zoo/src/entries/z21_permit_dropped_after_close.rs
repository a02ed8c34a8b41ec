//! Z21: tokio's mpsc channel, #2854. A receiver that has closed the channel waits until every
//! permit to send is back.
//!
//! A sender that drops its permit gives it back and wakes no thread, so the receiver waits forever.
//! The repaired form wakes the receiver when the last permit of a closed channel comes back.

use std::sync::Arc;
use std::sync::atomic::Ordering::{AcqRel, Acquire};

use super::super::{AtomicUsize, spawn};
use super::signal::Signal;

/// The lowest bit: the channel is closed.
const CLOSED: usize = 1;
/// The amount that a returned permit adds.
const PERMIT: usize = 2;
/// The channel is closed, and both permits are back.
const DONE: usize = (2 * PERMIT) | CLOSED;

struct Channel {
    permits: AtomicUsize,
    receiver: Signal,
}

impl Channel {
    fn drop_permit<const WAKE: bool>(&self) {
        let before = self.permits.fetch_add(PERMIT, AcqRel);
        if WAKE && before + PERMIT == DONE {
            self.receiver.wake();
        }
    }

    /// Closes, and waits for the end.
    fn close(&self) {
        self.permits.fetch_or(CLOSED, AcqRel);
        while self.permits.load(Acquire) != DONE {
            self.receiver.wait();
        }
    }
}

/// Two senders drop their permits, and the receiver closes.
fn client<const WAKE: bool>() {
    let channel = Arc::new(Channel { permits: AtomicUsize::new(0), receiver: Signal::new() });
    let senders = [(); 2].map(|()| {
        let channel = Arc::clone(&channel);
        spawn(move || channel.drop_permit::<WAKE>())
    });
    channel.close();
    for sender in senders {
        sender.join().unwrap();
    }
}

pub(crate) fn broken() {
    client::<false>();
}

pub(crate) fn repaired() {
    client::<true>();
}
