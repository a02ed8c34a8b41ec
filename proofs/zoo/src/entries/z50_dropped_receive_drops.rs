//! Z50: kanal #65 (and #24). A sender moves its message into the place of a receiver that waits,
//! and its send succeeds.
//!
//! The receiver's future is dropped before it is polled again, as in a `select!`, and drops the
//! message. The repaired form puts the message at the front of the queue, for the next receiver.

use std::collections::VecDeque;
use std::sync::Arc;

use super::super::{Mutex, spawn};

/// A receiver's place.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    /// No receiver waits.
    Free,
    /// A receiver waits.
    Waiting,
    /// A sender has put a message into the receiver's place.
    Handed(usize),
}

struct Channel {
    state: Mutex<(VecDeque<usize>, Place)>,
}

impl Channel {
    fn send(&self, message: usize) {
        let mut state = self.state.lock().unwrap();
        match state.1 {
            Place::Waiting => state.1 = Place::Handed(message),
            _ => state.0.push_back(message),
        }
    }

    fn try_recv(&self) -> Option<usize> {
        self.state.lock().unwrap().0.pop_front()
    }

    /// Polls a future for the first time. Lists it if there is no message.
    fn poll(&self) -> Option<usize> {
        let mut state = self.state.lock().unwrap();
        let message = state.0.pop_front();
        if message.is_none() {
            state.1 = Place::Waiting;
        }
        message
    }

    /// Drops the future that has been polled.
    fn cancel<const HAND_ON: bool>(&self) {
        let mut state = self.state.lock().unwrap();
        if let (Place::Handed(message), true) = (state.1, HAND_ON) {
            state.0.push_front(message);
        }
        state.1 = Place::Free;
    }
}

/// A receiver polls once and gives up, beside a send. Then it receives the messages in the channel.
fn client<const HAND_ON: bool>() {
    let channel = Arc::new(Channel { state: Mutex::new((VecDeque::new(), Place::Free)) });
    let sender = {
        let channel = Arc::clone(&channel);
        spawn(move || channel.send(7))
    };
    let first = channel.poll();
    if first.is_none() {
        channel.cancel::<HAND_ON>();
    }
    sender.join().unwrap();
    assert_eq!(first.or_else(|| channel.try_recv()), Some(7), "a send has succeeded, and its message is lost");
}

pub(crate) fn broken() {
    client::<false>();
}

pub(crate) fn repaired() {
    client::<true>();
}
