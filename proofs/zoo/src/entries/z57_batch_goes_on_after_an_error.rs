//! Z57: kanal #62, mended in commit e248ad1. A batch sends its messages one by one. The channel
//! closes meanwhile, and a send gives its message back.
//!
//! The batch continues with the next message and reports its last error only: the messages that
//! came back before are lost. The repaired form stops at the first error, and the other messages
//! are left in the batch.

use std::collections::VecDeque;
use std::sync::Arc;

use super::super::{Mutex, spawn};

struct Channel {
    /// The number of messages that were sent, and whether the channel is closed.
    state: Mutex<(usize, bool)>,
}

impl Channel {
    fn send(&self, message: usize) -> Result<(), usize> {
        let mut state = self.state.lock().unwrap();
        if state.1 {
            return Err(message);
        }
        state.0 += 1;
        Ok(())
    }

    fn send_all<const STOP: bool>(&self, batch: &mut VecDeque<usize>) -> Result<(), usize> {
        let mut result = Ok(());
        while let Some(message) = batch.pop_front() {
            result = self.send(message);
            if STOP && result.is_err() {
                return result;
            }
        }
        result
    }

    /// Closes the channel. Returns the number of messages that were sent before.
    fn close(&self) -> usize {
        let mut state = self.state.lock().unwrap();
        state.1 = true;
        state.0
    }
}

/// A batch is sent beside a close: each message is sent, given back or left.
fn client<const STOP: bool>() {
    let channel = Arc::new(Channel { state: Mutex::new((0, false)) });
    let sender = {
        let channel = Arc::clone(&channel);
        spawn(move || {
            let mut batch = VecDeque::from([1, 2]);
            let given_back = usize::from(channel.send_all::<STOP>(&mut batch).is_err());
            given_back + batch.len()
        })
    };
    let sent = channel.close();
    assert_eq!(sent + sender.join().unwrap(), 2, "a message is lost");
}

pub(crate) fn broken() {
    client::<false>();
}

pub(crate) fn repaired() {
    client::<true>();
}
