//! The timers' thread: one for the process, started by the first timer.

use std::sync::OnceLock;
use std::task::Waker;
use std::time::{Duration, Instant};

use super::timers::{Number, Timers};
use crate::sync::{self, Sleeper};

static TIMERS: Timers<Instant> = Timers::new();

/// Sets a timer.
///
/// # Panics
/// If the system has no thread for the timers.
pub(crate) fn set(at: Instant, waker: &Waker) -> Number {
    static THREAD: OnceLock<Sleeper> = OnceLock::new();
    let (number, is_first) = TIMERS.set(at, waker);
    let thread = THREAD.get_or_init(|| sync::start("aqueduct-timers", serve).expect("a thread for the timers"));
    if is_first {
        thread.wake();
    }
    number
}

/// Replaces a timer's waker. Returns whether the timer still exists.
pub(super) fn replace(at: Instant, number: Number, waker: &Waker) -> bool {
    TIMERS.replace(at, number, waker)
}

/// Removes a timer.
pub(super) fn cancel(at: Instant, number: Number) {
    TIMERS.cancel(at, number);
}

/// Wakes each timer at its time, and sleeps between.
fn serve() {
    loop {
        let next = TIMERS.expire(Instant::now());
        sync::park_for(next.map(|at| at.saturating_duration_since(Instant::now()).max(Duration::from_nanos(1))));
    }
}
