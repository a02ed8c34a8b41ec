//! Attempts: the operations that waiters repeat.

use crate::sync::snooze;

/// Reason why an attempt has failed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Miss {
    /// Nothing was available. If the waiter was notified, another thread has taken the item of that
    /// notification.
    Exact,
    /// Something may be available that the attempt could not get yet: an item behind one that is
    /// still being pushed, or room in a block that is not free as a whole.
    Inexact,
}

/// Repeats an attempt until it succeeds or fails exactly, for no longer than another thread's
/// operation takes.
#[inline]
pub(crate) fn attempt_now<R>(mut attempt: impl FnMut() -> Result<R, Miss>) -> Option<R> {
    let mut round = 0;
    loop {
        match attempt() {
            Ok(result) => return Some(result),
            Err(Miss::Exact) => return None,
            Err(Miss::Inexact) => snooze(round),
        }
        round += 1;
    }
}

/// An attempt that a waiter repeats until it succeeds.
pub(crate) trait Attempt {
    /// Result of an attempt that succeeds.
    type Output;

    fn attempt(&mut self) -> Result<Self::Output, Miss>;

    /// Makes an attempt whose failure means that nothing was available, if that can be found out
    /// without waiting for a change.
    fn attempt_now(&mut self) -> Option<Self::Output> {
        self.attempt().ok()
    }

    /// Whether an attempt may be worth its cost while the caller still spins. The answer does not
    /// read a word that other threads write all the time.
    fn is_worth_it(&mut self) -> bool {
        true
    }

    /// Whether another waiter's attempt may succeed, too, after one that has succeeded. May be
    /// wrong.
    fn is_more(&mut self) -> bool;

    /// Whether an attempt would succeed. May be wrong.
    fn is_ready(&mut self) -> bool {
        self.is_more()
    }
}

/// A user's closure as an attempt.
pub(crate) struct Unknown<F>(pub(super) F);

impl<R, F: FnMut() -> Option<R>> Attempt for Unknown<F> {
    type Output = R;

    fn attempt(&mut self) -> Result<R, Miss> {
        (self.0)().ok_or(Miss::Inexact)
    }

    fn is_more(&mut self) -> bool {
        true
    }
}
