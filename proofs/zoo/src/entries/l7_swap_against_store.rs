//! L7, a false report: the repaired program is right, and loom reports an error in it.
//!
//! One thread stores a message, the other takes it with a swap, and once more when the first has
//! ended. In loom the second swap may read the value that the first has written, as if the store
//! came before the first swap, though that one read the value from before the store. The broken
//! form takes with a load and a store, between which the message may come.

use std::sync::Arc;
use std::sync::atomic::Ordering::{AcqRel, Acquire, Release};

use super::super::{AtomicBool, spawn};

fn take<const SWAP: bool>(message: &AtomicBool) -> bool {
    if SWAP {
        return message.swap(false, AcqRel);
    }
    let got = message.load(Acquire);
    message.store(false, Release);
    got
}

/// One message, two tries to take it.
fn client<const SWAP: bool>() {
    let message = Arc::new(AtomicBool::new(false));
    let sender = {
        let message = Arc::clone(&message);
        spawn(move || message.store(true, Release))
    };
    let before = take::<SWAP>(&message);
    sender.join().unwrap();
    let after = take::<SWAP>(&message);
    assert!(before != after, "the message is lost");
}

pub(crate) fn broken() {
    client::<false>();
}

pub(crate) fn repaired() {
    client::<true>();
}
