//! Z51: flume, met in iroh #2536. A send wakes the receiver that has waited longest, whose future
//! is dropped then.
//!
//! The message stays in the queue, the wake-up is used up, and the other receiver sleeps although
//! there is a message for it. The repaired form passes the wake-up on.

use std::collections::VecDeque;
use std::sync::Arc;

use super::super::{Mutex, spawn};
use super::signal::Signal;

struct State {
    messages: usize,
    /// The receivers that wait, the first one first.
    waiting: VecDeque<usize>,
}

struct Channel {
    state: Mutex<State>,
    receivers: [Signal; 2],
}

impl Channel {
    fn wake_first(&self, state: &mut State) {
        if let Some(first) = state.waiting.pop_front() {
            self.receivers[first].wake();
        }
    }

    fn send(&self) {
        let mut state = self.state.lock().unwrap();
        state.messages += 1;
        self.wake_first(&mut state);
    }

    /// Takes a message, or lists the receiver.
    fn poll(&self, receiver: usize) -> bool {
        let mut state = self.state.lock().unwrap();
        if state.messages > 0 {
            state.messages -= 1;
            return true;
        }
        state.waiting.push_back(receiver);
        false
    }

    /// Drops a future that waits.
    fn cancel<const HAND_ON: bool>(&self, receiver: usize) {
        let mut state = self.state.lock().unwrap();
        match state.waiting.iter().position(|&waiting| waiting == receiver) {
            Some(at) => {
                state.waiting.remove(at);
            }
            None if HAND_ON => self.wake_first(&mut state),
            None => {}
        }
    }
}

/// Two receivers wait. A message is sent, the first receiver gives up, and the second one takes the
/// message.
fn client<const HAND_ON: bool>() {
    let channel = Arc::new(Channel {
        state: Mutex::new(State { messages: 0, waiting: VecDeque::new() }),
        receivers: [Signal::new(), Signal::new()],
    });
    assert!(!channel.poll(0) && !channel.poll(1));
    let sender = {
        let channel = Arc::clone(&channel);
        spawn(move || channel.send())
    };
    let second = {
        let channel = Arc::clone(&channel);
        spawn(move || {
            channel.receivers[1].wait();
            assert!(channel.poll(1), "it was woken for nothing");
        })
    };
    channel.cancel::<HAND_ON>(0);
    sender.join().unwrap();
    second.join().unwrap();
}

pub(crate) fn broken() {
    client::<false>();
}

pub(crate) fn repaired() {
    client::<true>();
}
