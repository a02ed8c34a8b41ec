//! Workers that wait in a user's function.

#![allow(dead_code, reason = "the model's threads wait in no function of the user")]

use std::cell::{Cell, RefCell};
use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, Waker};

use crate::unwind;

/// A function in which workers wait.
pub(crate) type Handler = dyn Fn(&mut Parked) + Send + Sync;

/// A worker that waits in a [`park_handler`](crate::ThreadPoolBuilder::park_handler): a future that
/// is ready when the worker is woken.
pub struct Parked(Arc<Signal>);

/// Whether the worker is woken, and the waker of the future.
#[derive(Default)]
pub(crate) struct Signal(Mutex<(bool, Option<Waker>)>);

impl Signal {
    /// Wakes the worker, or lets its next wait end at once.
    pub(crate) fn wake(&self) {
        let waker = {
            let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            state.0 = true;
            state.1.take()
        };
        if let Some(waker) = waker {
            unwind::contain(|| waker.wake());
        }
    }
}

impl Future for Parked {
    type Output = ();

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        // A waker may do anything when it is cloned or dropped, so neither happens under the lock.
        let waker = context.waker().clone();
        let before = {
            let mut state = self.0.0.lock().unwrap_or_else(PoisonError::into_inner);
            if std::mem::take(&mut state.0) {
                return Poll::Ready(());
            }
            state.1.replace(waker)
        };
        drop(before);
        Poll::Pending
    }
}

impl fmt::Debug for Parked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Parked").finish_non_exhaustive()
    }
}

/// The calling thread's handler and its signal.
struct Place {
    handler: Arc<Handler>,
    signal: Arc<Signal>,
}

thread_local! {
    static PLACE: RefCell<Option<Place>> = const { RefCell::new(None) };
    static IS_PARKED: Cell<bool> = const { Cell::new(false) };
}

/// Sets the handler in which the calling thread waits from now on.
pub(crate) fn set(handler: &Arc<Handler>) {
    let place = Place { handler: Arc::clone(handler), signal: Arc::default() };
    PLACE.with(|current| *current.borrow_mut() = Some(place));
}

/// Returns the signal that wakes the calling thread, if the thread has a handler.
pub(crate) fn signal() -> Option<Arc<Signal>> {
    PLACE.try_with(|place| place.borrow().as_ref().map(|place| Arc::clone(&place.signal))).ok().flatten()
}

/// Waits in the calling thread's handler. Returns whether it has one.
pub(crate) fn park() -> bool {
    let place = |place: &RefCell<Option<Place>>| {
        place.borrow().as_ref().map(|place| (Arc::clone(&place.handler), Arc::clone(&place.signal)))
    };
    let Some((handler, signal)) = PLACE.try_with(place).ok().flatten() else { return false };
    let before = IS_PARKED.with(|is_parked| is_parked.replace(true));
    handler(&mut Parked(signal));
    IS_PARKED.with(|is_parked| is_parked.set(before));
    true
}

/// Whether the calling thread waits in its handler. Returns true once for each wait.
pub(crate) fn takes_first_push() -> bool {
    IS_PARKED.with(|is_parked| is_parked.replace(false))
}
