//! Futures, as in loom's `future`.

mod atomic_waker;

use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};

pub use atomic_waker::AtomicWaker;

use crate::sync::Notify;

/// A waker of a thread in [`block_on`].
struct Unblock(Notify);

impl Wake for Unblock {
    #[track_caller]
    fn wake(self: Arc<Self>) {
        self.0.notify();
    }

    #[track_caller]
    fn wake_by_ref(self: &Arc<Self>) {
        self.0.notify();
    }
}

/// Polls a future until it is ready, each time that its waker has been woken.
///
/// A future whose waker is never woken is a wait that nothing ends, and reported as such.
#[track_caller]
pub fn block_on<F: Future>(future: F) -> F::Output {
    let unblock = Arc::new(Unblock(Notify::new()));
    let waker = Waker::from(Arc::clone(&unblock));
    let mut context = Context::from_waker(&waker);
    let mut future = pin!(future);
    loop {
        match future.as_mut().poll(&mut context) {
            Poll::Ready(output) => return output,
            Poll::Pending => unblock.0.wait(),
        }
    }
}
