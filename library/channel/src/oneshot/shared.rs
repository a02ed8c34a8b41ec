//! The memory that both handles of a channel for one message share. The handle that is dropped last
//! frees it.
//!
//! | state | sender | receiver | the message's slot is | the waiter's slot is |
//! | --- | --- | --- | --- | --- |
//! | EMPTY | there | there | the sender's | the receiver's |
//! | WAITING | there | there, waits | the sender's | filled; owned by the handle that leaves the state |
//! | WAKING | there, takes the waiter | there | the sender's | the sender's |
//! | CLOSED | there | there, has closed | the sender's | the receiver's |
//! | FULL | gone | there | filled, the receiver's | the receiver's |
//! | ENDED | gone | there | empty, the receiver's | the receiver's |
//! | GONE | there | gone | the sender's | empty |
//!
//! A handle that leaves while the other one is there changes the state by an exchange, and accesses
//! nothing afterwards. A handle that leaves after the other one frees the memory. So a message
//! costs one exchange, of the sender, unless the receiver waits.

use std::marker::PhantomData;
use std::ops::Deref;
use std::ptr::NonNull;

use crate::error::RecvError;
use crate::sync::{AtomicUsize, Ordering, Slot, allocate, free, snooze};
use crate::wake::{Caller, Wake};

const EMPTY: usize = 0;
const WAITING: usize = 1;
const WAKING: usize = 2;
const CLOSED: usize = 3;
const FULL: usize = 4;
const ENDED: usize = 5;
const GONE: usize = 6;

pub(super) struct Shared<T> {
    state: AtomicUsize,
    message: Slot<T>,
    waiter: Slot<Wake>,
}

/// A handle's pointer to the shared memory.
pub(super) struct Link<T>(NonNull<Shared<T>>, PhantomData<Shared<T>>);

// SAFETY: one handle at a time owns each slot, as the state tells. A slot passes on a `T` or a
// waiter.
unsafe impl<T: Send> Send for Link<T> {}
// SAFETY: as with `Send`; a shared reference to a handle gives access to the state only.
unsafe impl<T: Send> Sync for Link<T> {}

impl<T> Deref for Link<T> {
    type Target = Shared<T>;

    #[inline(always)]
    fn deref(&self) -> &Shared<T> {
        // SAFETY: the memory is freed when no handle is left, and each handle's link is not used
        // after it has gone.
        unsafe { self.0.as_ref() }
    }
}

impl<T> Link<T> {
    /// Returns the links of a sender and a receiver.
    pub(super) fn pair() -> (Self, Self) {
        let state = AtomicUsize::new(EMPTY);
        let shared = allocate(Shared { state, message: Slot::new(), waiter: Slot::new() });
        (Self(shared, PhantomData), Self(shared, PhantomData))
    }

    /// Returns a copy of the link, for a handle that is being dropped.
    pub(super) fn copy(&self) -> Self {
        Self(self.0, PhantomData)
    }

    /// Frees the memory.
    ///
    /// # Safety
    /// The other handle is gone, and this one's link is not used any more. The slots are empty.
    unsafe fn free(self) {
        // SAFETY: no other link is used any more.
        unsafe { free(self.0) };
    }
}

impl<T> Shared<T> {
    /// Sends the message, or gives it back.
    ///
    /// # Safety
    /// The link is the sender's, and not used any more.
    #[inline]
    pub(super) unsafe fn send(link: Link<T>, message: T) -> Result<(), T> {
        // SAFETY: the sender is there, so the slot is its own.
        unsafe { link.message.put(message) };
        // SAFETY: the caller's promise.
        if unsafe { Self::leave(link.0, FULL) } {
            return Ok(());
        }
        // SAFETY: the sender is still there, and its message in the slot.
        let message = unsafe { link.message.take() };
        // SAFETY: the caller's promise.
        unsafe { Self::refuse(link) };
        Err(message)
    }

    /// Ends the channel without a message, for the sender that is being dropped.
    ///
    /// # Safety
    /// The link is the sender's, and not used any more.
    pub(super) unsafe fn end(link: Link<T>) {
        // SAFETY: the caller's promise.
        if !unsafe { Self::leave(link.0, ENDED) } {
            // SAFETY: the sender has not left.
            unsafe { Self::refuse(link) };
        }
    }

    /// Makes the sender leave in the state `last`, and wakes the receiver. Returns true if it has
    /// left, and false if the receiver is gone or has closed the channel.
    ///
    /// A `&self` would promise that the memory exists until the end of the call. The receiver may
    /// free it after the exchange, so there are references to its cells only, as long as they are
    /// needed.
    ///
    /// # Safety
    /// The sender is there, and is not used after this has returned true.
    #[inline]
    unsafe fn leave(this: NonNull<Self>, last: usize) -> bool {
        // SAFETY: the sender is there until an exchange succeeds, which is the last use.
        let state = unsafe { &(*this.as_ptr()).state };
        loop {
            match state.load(Ordering::Relaxed) {
                EMPTY => {
                    // Ordering: Release pairs with the Acquire in `recv`: the message is in the
                    // slot, and the receiver may free the memory.
                    if state.compare_exchange(EMPTY, last, Ordering::Release, Ordering::Relaxed).is_ok() {
                        return true;
                    }
                }
                WAITING => {
                    // SAFETY: the sender is there.
                    if let Some(is_received) = unsafe { Self::leave_waiting(this, last) } {
                        return is_received;
                    }
                }
                _ => return false,
            }
        }
    }

    /// Makes the sender leave a receiver that waits. Returns `None` if the receiver no longer
    /// waits.
    ///
    /// # Safety
    /// As for [`leave`](Self::leave).
    #[cold]
    unsafe fn leave_waiting(this: NonNull<Self>, last: usize) -> Option<bool> {
        // SAFETY: the sender is there until the second exchange succeeds, which is the last use.
        let (state, waiter) = unsafe { (&(*this.as_ptr()).state, &(*this.as_ptr()).waiter) };
        // Ordering: Acquire pairs with the Release in `wait`: the waiter is in the slot.
        state.compare_exchange(WAITING, WAKING, Ordering::Acquire, Ordering::Relaxed).ok()?;
        // SAFETY: the slot was filled, and is the sender's.
        let waiter = unsafe { waiter.take() };
        // Ordering: Release as in `leave`.
        let is_received = state.compare_exchange(WAKING, last, Ordering::Release, Ordering::Relaxed).is_ok();
        if is_received {
            waiter.wake();
        }
        Some(is_received)
    }

    /// Makes the sender leave a receiver that is gone or has closed the channel.
    ///
    /// # Safety
    /// The link is the sender's, and not used any more. The state is CLOSED or GONE.
    #[cold]
    unsafe fn refuse(link: Link<T>) {
        // Ordering: Release pairs with the Acquire in `drop_receiver`, and Acquire with the Release
        // there: the one that comes second frees the memory.
        if link.state.swap(ENDED, Ordering::AcqRel) == GONE {
            // SAFETY: the receiver is gone.
            unsafe { link.free() };
        }
    }

    /// Whether the receiver is gone or has closed the channel.
    pub(super) fn is_refused(&self) -> bool {
        matches!(self.state.load(Ordering::Relaxed), CLOSED | GONE)
    }

    /// Whether no message will come.
    pub(super) fn is_over(&self) -> bool {
        matches!(self.state.load(Ordering::Relaxed), CLOSED | ENDED)
    }

    /// Whether there is no message.
    pub(super) fn is_empty(&self) -> bool {
        self.state.load(Ordering::Relaxed) != FULL
    }

    /// Receives the message if it is there, or the end. For the receiver.
    #[inline]
    pub(super) fn recv(&self) -> Option<Result<T, RecvError>> {
        // Ordering: Acquire pairs with the Release in `leave`.
        match self.state.load(Ordering::Acquire) {
            FULL => {
                // The sender is gone: no other thread changes the state.
                self.state.store(ENDED, Ordering::Relaxed);
                // SAFETY: the state was FULL, and the only receiver has left it.
                Some(Ok(unsafe { self.message.take() }))
            }
            CLOSED | ENDED => Some(Err(RecvError)),
            _ => None,
        }
    }

    /// Waits for the message: after `None`, the caller will be woken. For the receiver.
    #[cold]
    pub(super) fn wait(&self, caller: Caller<'_>) -> Option<Result<T, RecvError>> {
        let mut round = 0;
        loop {
            match self.state.load(Ordering::Relaxed) {
                EMPTY if self.list(caller) => return None,
                WAITING => self.withdraw(),
                // The sender is about to change the state. It wakes the caller that is in the slot,
                // which may be another one.
                WAKING => {
                    snooze(round);
                    round += 1;
                }
                _ => {}
            }
            if let Some(result) = self.recv() {
                return Some(result);
            }
        }
    }

    /// Puts a waiter into the slot, if the state is EMPTY. Returns whether it is there. For the
    /// receiver.
    fn list(&self, caller: Caller<'_>) -> bool {
        // SAFETY: the slot is the receiver's.
        unsafe { self.waiter.put(caller.wake()) };
        // Ordering: Release pairs with the Acquire in `leave_waiting`: the waiter is in the slot.
        let is_listed = self.state.compare_exchange(EMPTY, WAITING, Ordering::Release, Ordering::Relaxed).is_ok();
        if !is_listed {
            // SAFETY: filled just now; the sender takes a waiter in WAITING only.
            drop(unsafe { self.waiter.take() });
        }
        is_listed
    }

    /// Whether there is a message, or the end. Otherwise the caller, which is the same each time,
    /// will be woken. For the receiver.
    pub(super) fn watch(&self, caller: Caller<'_>) -> bool {
        loop {
            match self.state.load(Ordering::Relaxed) {
                EMPTY => {
                    if self.list(caller) {
                        return false;
                    }
                }
                // The caller is in the slot, or the sender has taken it out and wakes it after the
                // change.
                WAITING | WAKING => return false,
                _ => return true,
            }
        }
    }

    /// Takes the waiter back, if there is one. For the receiver.
    #[inline]
    pub(super) fn withdraw(&self) {
        // Ordering: Relaxed. The receiver has put the waiter there itself.
        if self.state.load(Ordering::Relaxed) == WAITING
            && self.state.compare_exchange(WAITING, EMPTY, Ordering::Relaxed, Ordering::Relaxed).is_ok()
        {
            // SAFETY: the slot was filled, and is the receiver's.
            drop(unsafe { self.waiter.take() });
        }
    }

    /// Prevents the sender from sending. Returns true if no message was there and none can come.
    /// For the receiver.
    pub(super) fn close(&self) -> bool {
        let mut round = 0;
        loop {
            // Ordering: Relaxed. `recv` acquires a message that is there; without one, the slot
            // stays the sender's.
            match self.state.compare_exchange(EMPTY, CLOSED, Ordering::Relaxed, Ordering::Relaxed) {
                Ok(_) => return true,
                Err(WAITING) => self.withdraw(),
                Err(WAKING) => {
                    snooze(round);
                    round += 1;
                }
                Err(_) => return false,
            }
        }
    }

    /// Drops the receiver, and the message if it has not been received.
    ///
    /// # Safety
    /// The link is the receiver's, and not used any more.
    #[inline]
    pub(super) unsafe fn drop_receiver(link: Link<T>) {
        link.withdraw();
        // Ordering: Acquire pairs with the Release in `leave` and `refuse`: the sender's part is
        // over.
        let mut state = link.state.load(Ordering::Acquire);
        if !matches!(state, FULL | ENDED) {
            // Ordering: Acquire pairs with the sender's Release, too; Release pairs with the
            // Acquire in `refuse`: the receiver's part is over.
            state = link.state.swap(GONE, Ordering::AcqRel);
        }
        let message = match state {
            // SAFETY: filled, and the receiver's.
            FULL => Some(unsafe { link.message.take() }),
            ENDED => None,
            // The sender frees the memory.
            _ => return,
        };
        // SAFETY: the sender is gone.
        unsafe { link.free() };
        drop(message);
    }
}
