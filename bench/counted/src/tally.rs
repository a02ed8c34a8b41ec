//! A thread's counts.

use std::cell::Cell;
use std::thread_local;

/// The exchanges of one thread.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Tally {
    /// The number of all exchanges.
    pub exchanges: u64,
    /// The number of those that found another value than they expected.
    pub failed: u64,
}

thread_local! {
    static OF_THREAD: Cell<Tally> = const { Cell::new(Tally { exchanges: 0, failed: 0 }) };
}

/// Counts an exchange of the calling thread.
#[inline]
pub fn note(succeeded: bool) {
    OF_THREAD.with(|tally| {
        let Tally { exchanges, failed } = tally.get();
        tally.set(Tally { exchanges: exchanges + 1, failed: failed + u64::from(!succeeded) });
    });
}

/// Returns the calling thread's counts since its last call.
#[must_use]
pub fn take() -> Tally {
    OF_THREAD.take()
}
