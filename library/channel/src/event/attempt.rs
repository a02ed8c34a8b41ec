//! What a waiter repeats.

use crate::sync::snooze;

/// Why an attempt has failed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Miss {
    /// There was nothing: if the waiter was notified, another thread has taken what the notification was for.
    Exact,
    /// Something may be there that the attempt could not get, or that it will be possible to get with something else:
    /// behind an item that is still being pushed, or in a block that is not free as a whole.
    Inexact,
}

/// Repeats an attempt until it succeeds or is known to fail: not for longer than another thread's operation takes.
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

/// What a waiter repeats until it succeeds.
pub(crate) trait Attempt {
    /// What it is about.
    type Output;

    fn attempt(&mut self) -> Result<Self::Output, Miss>;

    /// Makes an attempt whose failure says that nothing was there, if that can be found out without waiting for a
    /// change.
    fn attempt_now(&mut self) -> Option<Self::Output> {
        self.attempt().ok()
    }

    /// Whether an attempt may be worth its price while the caller can still wait for a moment. A word that others write
    /// all the time is not read for that.
    fn is_worth_it(&mut self) -> bool {
        true
    }

    /// Whether another waiter's attempt may succeed, too, after one that has succeeded. It may say so wrongly.
    fn is_more(&mut self) -> bool;

    /// Whether an attempt would succeed. It may say so wrongly.
    fn is_ready(&mut self) -> bool {
        self.is_more()
    }
}

/// A user's attempt, of which nothing is known.
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
