//! Waiting for other threads.

use crate::runtime::driver::{aside, wait, with_engine};
use crate::runtime::inside;
use crate::sync::atomic::{AtomicBool, Ordering};

/// A round of a wait, for [`await_here`].
pub(crate) mod round {
    use super::{aside, inside, wait};

    pub(crate) fn begin() -> usize {
        if inside() { wait(|engine| engine.begin_round()) } else { 0 }
    }

    pub(crate) fn end() {
        if inside() {
            aside(|engine| engine.end_round());
        }
    }

    pub(crate) fn fail(start: usize) {
        if inside() {
            wait(|engine| engine.fail_round(start));
        } else {
            std::thread::yield_now();
        }
    }
}

/// Implements [`await_until`] in place, so that operations in the condition have the caller's
/// location (closures cannot).
macro_rules! await_here {
    ($condition:expr) => {
        loop {
            let start = $crate::hint::round::begin();
            if $condition {
                $crate::hint::round::end();
                break;
            }
            $crate::hint::round::fail(start);
        }
    };
}
pub(crate) use await_here;

/// A hint to the model that the thread spins.
///
/// A thread waits if its round since the last hint has read the same writes as the round before,
/// and changed nothing. It waits until one of those reads could read another write.
///
/// A loop that gives up after some rounds does not wait, and continues: see
/// [`Config::spin_bound`](crate::Config::spin_bound). [`await_until`] declares that a loop waits,
/// and has fewer executions to explore.
pub fn spin_loop() {
    if inside() {
        wait(|engine| engine.hint());
        wait(|engine| engine.yield_turn());
    } else {
        core::hint::spin_loop();
    }
}

/// Returns how many hints the model's thread has given: a number to compare with a later one.
pub(crate) fn count() -> u32 {
    if inside() { with_engine(|engine| engine.threads[engine.current].hints) } else { 0 }
}

/// Notes that a wait has timed out. That takes time, in which all others can run: a loop of such
/// waits polls, as a loop with hints does.
pub(crate) fn time_out() {
    spin_loop();
}

/// Waits until `condition` is true.
///
/// A round that fails should change nothing that other threads see, such as a failed `try_push`. A
/// round that fails and changes something is simply done again. An exchange that writes the value
/// that it reads changes nothing, nor does a write to memory of [`alloc`](crate::alloc) that no
/// other thread can reach yet ([`Config::all_failed_rounds`](crate::Config::all_failed_rounds)).
///
/// Inside a model, a round that fails ends the thread in this execution; others, in which it reads
/// something else, are explored. A wait that nothing can end is a failure.
///
/// # Examples
///
/// ```
/// use aqueduct_model::sync::atomic::{AtomicBool, Ordering};
/// use aqueduct_model::{await_until, model, thread};
/// use std::sync::Arc;
///
/// model(|| {
///     let ready = Arc::new(AtomicBool::new(false));
///     let flag = Arc::clone(&ready);
///     thread::spawn(move || flag.store(true, Ordering::Release));
///     await_until(|| ready.load(Ordering::Acquire));
/// });
/// ```
pub fn await_until(mut condition: impl FnMut() -> bool) {
    await_here!(condition());
}

/// Waits until `attempt` returns a value, as [`await_until`] does.
pub fn await_some<T>(mut attempt: impl FnMut() -> Option<T>) -> T {
    let mut found = None;
    await_until(|| {
        found = attempt();
        found.is_some()
    });
    match found {
        Some(value) => value,
        None => unreachable!("the wait ends with a value"),
    }
}

/// Chooses: an execution of a model explores each result. Outside of a model it is always `true`.
///
/// # Examples
///
/// ```
/// use aqueduct_model::Config;
/// use aqueduct_model::hint::either;
///
/// let report = Config::new().check(|| {
///     let _ = (either(), either());
/// });
/// assert_eq!(report.executions, 4);
/// ```
#[track_caller]
#[must_use]
pub fn either() -> bool {
    if !inside() {
        return true;
    }
    // A weak compare-exchange that could succeed may also fail, and no other thread sees this one.
    let coin = AtomicBool::new(false);
    coin.compare_exchange_weak(false, true, Ordering::Relaxed, Ordering::Relaxed).is_ok()
}

/// Panics in a model; elsewhere it is [`core::hint::unreachable_unchecked`].
///
/// # Safety
/// It is never reached. Inside a model, reaching it is reported, not undefined.
#[track_caller]
pub unsafe fn unreachable_unchecked() -> ! {
    assert!(!inside(), "unreachable_unchecked was reached");
    // SAFETY: The caller promises it.
    unsafe { core::hint::unreachable_unchecked() }
}
