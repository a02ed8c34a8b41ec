//! Z52: tokio #7589, mended by #7622. A waker finds that the task has been notified already, and
//! does nothing.
//!
//! The task takes that notification afterwards and need not see the waker's writes, so it sleeps
//! forever. The repaired form writes the state with Release although it changes nothing.

use std::sync::Arc;
use std::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed};

use super::super::{AtomicBool, AtomicUsize, spawn};
use super::signal::Signal;

const IDLE: usize = 0;
const NOTIFIED: usize = 1;

struct Task {
    state: AtomicUsize,
    is_ready: AtomicBool,
    queued: Signal,
}

impl Task {
    fn wake<const ALWAYS_WRITE: bool>(&self) {
        if !ALWAYS_WRITE && self.state.load(Acquire) == NOTIFIED {
            return;
        }
        if self.state.swap(NOTIFIED, AcqRel) == IDLE {
            self.queued.wake();
        }
    }

    /// Takes the notification, and polls the future.
    fn run(&self) -> bool {
        self.state.swap(IDLE, AcqRel);
        self.is_ready.load(Relaxed)
    }
}

/// A task that has a needless notification runs while a thread makes it ready and wakes it.
fn client<const ALWAYS_WRITE: bool>() {
    let task =
        Arc::new(Task { state: AtomicUsize::new(NOTIFIED), is_ready: AtomicBool::new(false), queued: Signal::new() });
    let waker = {
        let task = Arc::clone(&task);
        spawn(move || {
            task.is_ready.store(true, Relaxed);
            task.wake::<ALWAYS_WRITE>();
        })
    };
    while !task.run() {
        task.queued.wait();
    }
    waker.join().unwrap();
}

pub(crate) fn broken() {
    client::<false>();
}

pub(crate) fn repaired() {
    client::<true>();
}
