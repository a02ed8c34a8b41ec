//! Z56: kanal, mended in commit 30e7c18. A receive that waits is polled again with another waker,
//! after a sender has taken it out of the list and before that sender has moved the message in.
//!
//! The future marks itself done and waits for the message afterwards. That wait ends at once,
//! because done is one of the states at which it ends, and the receive reports the end of the
//! channel. The repaired form waits first.

use std::sync::Arc;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};

use super::super::{AtomicUsize, Mutex, spawn};
use super::signal::Signal;

const WAITING: usize = 0;
const RECEIVED: usize = 1;
const DONE: usize = 2;

struct Receive {
    is_listed: Mutex<bool>,
    state: AtomicUsize,
    message: AtomicUsize,
    moved: Signal,
}

impl Receive {
    fn send(&self, message: usize) {
        let was_listed = std::mem::replace(&mut *self.is_listed.lock().unwrap(), false);
        if was_listed {
            self.message.store(message, Relaxed);
            self.state.store(RECEIVED, Release);
            self.moved.wake();
        }
    }

    /// Waits for the message that a sender is moving in. Returns `None` at the end of the channel.
    fn wait(&self) -> Option<usize> {
        let mut state = self.state.load(Acquire);
        if state == WAITING {
            self.moved.wait();
            state = self.state.load(Acquire);
        }
        (state == RECEIVED).then(|| self.message.load(Relaxed))
    }

    /// Polls a future that waits; an error means that it keeps waiting.
    fn poll_again<const WAIT_FIRST: bool>(&self) -> Result<Option<usize>, ()> {
        if *self.is_listed.lock().unwrap() {
            return Err(());
        }
        if !WAIT_FIRST {
            self.state.store(DONE, Relaxed);
        }
        let message = self.wait();
        self.state.store(DONE, Relaxed);
        Ok(message)
    }
}

/// A receive that waits is polled beside a send.
fn client<const WAIT_FIRST: bool>() {
    let receive = Arc::new(Receive {
        is_listed: Mutex::new(true),
        state: AtomicUsize::new(WAITING),
        message: AtomicUsize::new(0),
        moved: Signal::new(),
    });
    let receiver = {
        let receive = Arc::clone(&receive);
        spawn(move || {
            if let Ok(message) = receive.poll_again::<WAIT_FIRST>() {
                assert_eq!(message, Some(7), "the receive ends, and the channel does not");
            }
        })
    };
    receive.send(7);
    receiver.join().unwrap();
}

pub(crate) fn broken() {
    client::<false>();
}

pub(crate) fn repaired() {
    client::<true>();
}
