//! Z49: crossfire #72, mended in 3.1.22. A future that sends owns its message until the first poll.
//!
//! Its destructor looks at the place in the line of waiting senders, which a future that was never
//! polled does not have, and forgets the message. The repaired form checks whether the message was
//! sent.

use std::sync::Arc;
use std::sync::atomic::Ordering::{AcqRel, Acquire, Release};

use super::super::{AtomicBool, AtomicUsize, Slot, spawn};

/// A channel with a capacity of one message.
struct Channel {
    is_full: AtomicBool,
    room: Slot<usize>,
    /// The messages that are neither received nor dropped.
    alive: AtomicUsize,
}

/// A send that has not been completed.
struct Sending<'a, const OWNER_KNOWN: bool> {
    channel: &'a Channel,
    message: usize,
    is_listed: bool,
    is_sent: bool,
}

impl<'a, const OWNER_KNOWN: bool> Sending<'a, OWNER_KNOWN> {
    fn new(channel: &'a Channel, message: usize) -> Self {
        channel.alive.fetch_add(1, AcqRel);
        Self { channel, message, is_listed: false, is_sent: false }
    }

    fn poll(&mut self) {
        if self.channel.is_full.load(Acquire) {
            self.is_listed = true;
            return;
        }
        self.channel.room.set(self.message);
        self.is_sent = true;
        self.channel.is_full.store(true, Release);
    }

    /// The destructor's work.
    fn cancel(self) {
        let owns = if OWNER_KNOWN { !self.is_sent } else { self.is_listed };
        if owns {
            self.channel.alive.fetch_sub(1, AcqRel);
        }
    }
}

/// A thread makes three sends. It polls the second one, which finds a free slot, and the third one,
/// which may not.
fn client<const OWNER_KNOWN: bool>() {
    let channel = Arc::new(Channel { is_full: AtomicBool::new(false), room: Slot::new(0), alive: AtomicUsize::new(0) });
    let sender = {
        let channel = Arc::clone(&channel);
        spawn(move || {
            let [never, mut first, mut second] = [1, 2, 3].map(|number| Sending::<OWNER_KNOWN>::new(&channel, number));
            never.cancel();
            first.poll();
            first.cancel();
            second.poll();
            second.cancel();
        })
    };
    let receive = || {
        if channel.is_full.load(Acquire) {
            assert!([2, 3].contains(&channel.room.get()));
            channel.alive.fetch_sub(1, AcqRel);
            channel.is_full.store(false, Release);
        }
    };
    receive();
    sender.join().unwrap();
    receive();
    assert_eq!(channel.alive.load(Acquire), 0, "a message is neither received nor dropped");
}

pub(crate) fn broken() {
    client::<false>();
}

pub(crate) fn repaired() {
    client::<true>();
}
