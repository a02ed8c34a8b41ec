//! Z19: thingbuf #20. A receiver that is polled again while its waker is registered keeps the old
//! waker.
//!
//! The task has moved on to another executor meanwhile, the sender wakes the old one, and the task
//! sleeps forever. The repaired form replaces the waker.

use std::sync::Arc;
use std::sync::atomic::Ordering::{AcqRel, Acquire, Release};

use super::super::{AtomicBool, AtomicUsize, spawn};
use super::signal::Signal;

/// The value for no waker.
const NONE: usize = 2;

struct Channel {
    ready: AtomicBool,
    /// The executor to wake.
    waker: AtomicUsize,
    executors: [Signal; 2],
}

impl Channel {
    fn send(&self) {
        self.ready.store(true, Release);
        let waker = self.waker.swap(NONE, AcqRel);
        if waker != NONE {
            self.executors[waker].wake();
        }
    }

    /// Whether there is a message. If not, registers the executor's waker.
    fn poll<const REPLACE: bool>(&self, executor: usize) -> bool {
        if self.ready.load(Acquire) {
            return true;
        }
        if REPLACE {
            self.waker.swap(executor, AcqRel);
        } else {
            let _ = self.waker.compare_exchange(NONE, executor, AcqRel, Acquire);
        }
        self.ready.load(Acquire)
    }
}

/// The task is polled by one executor, then by the other, which sleeps.
fn client<const REPLACE: bool>() {
    let channel = Arc::new(Channel {
        ready: AtomicBool::new(false),
        waker: AtomicUsize::new(NONE),
        executors: [Signal::new(), Signal::new()],
    });
    let sender = {
        let channel = Arc::clone(&channel);
        spawn(move || channel.send())
    };
    if !channel.poll::<REPLACE>(0) && !channel.poll::<REPLACE>(1) {
        channel.executors[1].wait();
        assert!(channel.poll::<REPLACE>(1), "it was woken for nothing");
    }
    sender.join().unwrap();
}

pub(crate) fn broken() {
    client::<false>();
}

pub(crate) fn repaired() {
    client::<true>();
}
