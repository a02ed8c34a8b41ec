//! Z55: kanal, documented in commit 4dd871e. A receive that is dropped puts the message that it was
//! handed back in front of the queue, which other senders have filled meanwhile.
//!
//! The channel then has more messages than its capacity. In the repaired form, a message that is
//! handed over counts against the capacity until the receive has taken it.

use std::collections::VecDeque;
use std::sync::Arc;

use super::super::{Mutex, spawn};

const CAPACITY: usize = 1;

struct State {
    queue: VecDeque<usize>,
    is_waiting: bool,
    handed: Option<usize>,
}

struct Channel {
    state: Mutex<State>,
}

impl Channel {
    fn try_send<const KEEP_ROOM: bool>(&self, message: usize) -> bool {
        let mut state = self.state.lock().unwrap();
        if state.is_waiting {
            state.is_waiting = false;
            state.handed = Some(message);
            return true;
        }
        let kept = usize::from(KEEP_ROOM && state.handed.is_some());
        let has_room = state.queue.len() + kept < CAPACITY;
        if has_room {
            state.queue.push_back(message);
        }
        has_room
    }

    /// Drops the future that waits. Returns the number of messages after that.
    fn cancel(&self) -> usize {
        let mut state = self.state.lock().unwrap();
        state.is_waiting = false;
        if let Some(message) = state.handed.take() {
            state.queue.push_front(message);
        }
        state.queue.len()
    }
}

/// A receive waits, and is dropped beside two sends.
fn client<const KEEP_ROOM: bool>() {
    let state = State { queue: VecDeque::new(), is_waiting: true, handed: None };
    let channel = Arc::new(Channel { state: Mutex::new(state) });
    let receiver = {
        let channel = Arc::clone(&channel);
        spawn(move || channel.cancel())
    };
    let first = channel.try_send::<KEEP_ROOM>(1);
    channel.try_send::<KEEP_ROOM>(2);
    assert!(receiver.join().unwrap() <= CAPACITY, "there are more messages than there is room for");
    assert!(first, "a channel that is empty has no room");
}

pub(crate) fn broken() {
    client::<false>();
}

pub(crate) fn repaired() {
    client::<true>();
}
