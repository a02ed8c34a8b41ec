//! Attempts that a waiting thread lets its notifier make.
//!
//! Without an offer, a sender that waits for the room of one message has to run once for each
//! message that is received. With one, a receiver that makes room pushes the message of the first
//! sender that waits, and takes the messages of all of them in a row. In the same way, a receiver
//! that waits for the one message of a channel offers its attempt: the sender pops the message for
//! it, and has room for the next one at once.
//!
//! A notifier that makes an attempt notifies the other side, whose offers it would make within that
//! attempt. So only one side offers: senders of one receiver, or receivers of one sender. When
//! these numbers change, both sides may have offers for a while. Then an attempt may make others
//! within it, at most as many as there were offers.
//!
//! 1. A waiter that is listed, and whose last attempt has failed, puts its offer into its entry,
//!    under the list's lock. It does not touch the attempt from then on.
//! 2. The thread that takes the entry out of the list owns the attempt. A notifier makes the
//!    attempt with the lock released, or declines it. It stores the outcome in the state, which is
//!    its last access. Then it wakes the waiter.
//! 3. A waiter whose time is over takes its own entry out. If the entry is gone, a notifier owns
//!    the attempt, and the waiter waits until the notifier has stored the outcome.

use std::ptr::NonNull;

use super::attempt::Attempt;
use crate::sync::{AtomicUsize, Ordering, Slot};

/// The waiter or a notifier owns the attempt; there is no outcome yet.
const OFFERED: usize = 0;
/// The result is in the request.
const SERVED: usize = 1;
/// The waiter has to make the attempt itself.
const DECLINED: usize = 2;

/// State that a waiter and its notifier share. It lies in the waiter's stack frame.
pub(super) struct Request<'a, A: Attempt> {
    state: AtomicUsize,
    attempt: Slot<&'a mut A>,
    result: Slot<A::Output>,
}

/// A waiter's offer, in its entry.
#[derive(Debug)]
pub(super) struct Offer {
    request: NonNull<()>,
    settle: unsafe fn(NonNull<()>, bool) -> bool,
}

// SAFETY: a notifier on another thread has an end of the waiter's channel. Ends go to other threads
// only if messages do, and then the attempt may.
unsafe impl Send for Offer {}

impl Offer {
    /// Makes the attempt. Returns true if it has succeeded and another waiter's attempt may
    /// succeed, too.
    ///
    /// # Safety
    /// The offer was taken out of the waiter's entry.
    pub(super) unsafe fn serve(self) -> bool {
        // SAFETY: the caller's promise.
        unsafe { (self.settle)(self.request, true) }
    }

    /// Leaves the attempt to the waiter.
    ///
    /// # Safety
    /// As for [`serve`](Self::serve).
    pub(super) unsafe fn decline(self) {
        // SAFETY: the caller's promise.
        unsafe { (self.settle)(self.request, false) };
    }
}

impl<'a, A: Attempt> Request<'a, A> {
    pub(super) fn new(attempt: &'a mut A) -> Self {
        let request = Self { state: AtomicUsize::new(OFFERED), attempt: Slot::new(), result: Slot::new() };
        // SAFETY: no other thread has a reference to the request.
        unsafe { request.attempt.put(attempt) };
        request
    }

    /// Returns the offer for the waiter's entry.
    ///
    /// # Safety
    /// The request stays where it is until the waiter has taken its entry out, or the request is
    /// settled.
    pub(super) unsafe fn offer(&self) -> Offer {
        Offer { request: NonNull::from(self).cast(), settle: settle::<A> }
    }

    /// Whether a notifier has stored the attempt's outcome.
    pub(super) fn is_settled(&self) -> bool {
        // Ordering: Acquire pairs with the Release in `settle`: the result is there, and the
        // attempt is free again.
        self.state.load(Ordering::Acquire) != OFFERED
    }

    /// Takes the attempt back. Returns the result, if a notifier has made the attempt.
    ///
    /// # Safety
    /// The request is settled, or the waiter has taken its entry out. This is the only call.
    pub(super) unsafe fn close(&self) -> Option<A::Output> {
        // SAFETY: no notifier owns the attempt any more.
        unsafe { self.attempt.take() };
        // Ordering: Relaxed. The waiter has seen the state, or no notifier has had the offer.
        // SAFETY: the notifier has put the result there.
        (self.state.load(Ordering::Relaxed) == SERVED).then(|| unsafe { self.result.take() })
    }
}

/// Makes the attempt of a request, or declines it.
///
/// # Safety
/// The request is for attempts of the type `A`, and the caller has its offer.
unsafe fn settle<A: Attempt>(request: NonNull<()>, makes: bool) -> bool {
    /// Gives the attempt back and settles the request, even if the attempt panics: a message's
    /// destructor may panic.
    struct Work<'a, 'b, A: Attempt> {
        request: &'a Request<'b, A>,
        attempt: Option<&'b mut A>,
        outcome: usize,
    }
    impl<A: Attempt> Drop for Work<'_, '_, A> {
        fn drop(&mut self) {
            if let Some(attempt) = self.attempt.take() {
                // SAFETY: the offer's holder owns this slot.
                unsafe { self.request.attempt.put(attempt) };
            }
            // Ordering: Release pairs with the Acquire in `is_settled`; without it, the waiter
            // finds no result.
            self.request.state.store(self.outcome, Ordering::Release);
        }
    }
    // SAFETY: the waiter keeps its frame until the request is settled.
    let request = unsafe { request.cast::<Request<'_, A>>().as_ref() };
    let mut work = Work { request, attempt: None, outcome: DECLINED };
    if !makes {
        return false;
    }
    // SAFETY: the offer's holder owns the attempt.
    let attempt = work.attempt.insert(unsafe { request.attempt.take() });
    let Ok(result) = attempt.attempt() else { return false };
    // SAFETY: the offer's holder owns the slot of the result.
    unsafe { request.result.put(result) };
    work.outcome = SERVED;
    attempt.is_more()
}
