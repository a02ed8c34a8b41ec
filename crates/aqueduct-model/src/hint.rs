//! Waiting for other threads.

use crate::runtime::{inside, visible};

/// Tells that the thread spins. Inside a model, a thread whose round since the last hint read
/// exactly what the round before read, and changed nothing, waits until one of those reads could
/// read something else.
///
/// [`await_until`] says the same with fewer executions to explore. See
/// [`Config::spin_bound`](crate::Config::spin_bound) for loops that give up after some rounds.
pub fn spin_loop() {
    if inside() {
        visible(|engine| engine.hint());
        visible(|engine| engine.give_way());
    } else {
        core::hint::spin_loop();
    }
}

/// Waits until `condition` is true. A round that fails must change nothing that other threads
/// see, such as a failed `try_push`; a round that fails and does is simply done again.
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
    if !inside() {
        while !condition() {
            std::thread::yield_now();
        }
        return;
    }
    loop {
        let start = visible(|engine| engine.begin_round());
        if condition() {
            visible(|engine| engine.end_round());
            return;
        }
        visible(|engine| engine.fail_round(start));
    }
}

/// Waits until `attempt` gives a value, as [`await_until`] does.
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
