//! Futures, as in loom's `future`.

mod atomic_waker;

use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, Wake, Waker};

pub use atomic_waker::AtomicWaker;

use crate::hint::{count, spin_loop};
use crate::runtime::driver::with_engine;
use crate::runtime::inside;
use crate::sync::Notify;

/// A waker of a thread in [`block_on`].
struct Unblock {
    notify: Notify,
    /// The model's thread that polls.
    thread: Option<usize>,
    /// True if that thread has woken itself. This is not an event, because the thread need not
    /// synchronize with itself.
    has_woken_itself: AtomicBool,
}

/// Returns the number of the model's thread that runs.
fn running() -> Option<usize> {
    inside().then(|| with_engine(|engine| engine.current))
}

impl Wake for Unblock {
    #[track_caller]
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    #[track_caller]
    fn wake_by_ref(self: &Arc<Self>) {
        if self.thread.is_some() && self.thread == running() {
            self.has_woken_itself.store(true, Ordering::Relaxed);
        } else {
            self.notify.notify();
        }
    }
}

/// Polls a future until it is ready, each time that its waker has been woken.
///
/// A future whose waker is never woken is a wait that nothing ends, and reported as such. One that
/// wakes itself, each time that it is polled, spins ([`spin_loop`]).
#[track_caller]
pub fn block_on<F: Future>(future: F) -> F::Output {
    let has_woken_itself = AtomicBool::new(false);
    let unblock = Arc::new(Unblock { notify: Notify::new(), thread: running(), has_woken_itself });
    let waker = Waker::from(Arc::clone(&unblock));
    let mut context = Context::from_waker(&waker);
    let mut future = pin!(future);
    loop {
        let hints = count();
        match future.as_mut().poll(&mut context) {
            Poll::Ready(output) => return output,
            Poll::Pending if unblock.has_woken_itself.swap(false, Ordering::Relaxed) => {
                // One poll answers all wake-ups before it.
                unblock.notify.take();
                // With two hints a round, no two stretches between hints would be equal.
                if count() == hints {
                    spin_loop();
                }
            }
            Poll::Pending => unblock.notify.wait(),
        }
    }
}
