//! Threads for measurements.
//!
//! A queue's measured loop is compiled for each queue; starting a thread, catching its panic and
//! collecting its result are not. Hundreds of loops are measured, so this decides how long the
//! program takes to compile.

use std::thread::{Scope, ScopedJoinHandle};

/// The work of one thread.
pub type Task<'a, R> = Box<dyn FnOnce() -> R + Send + 'a>;

/// Returns `work` as the task of a thread.
pub fn task<'a, R>(work: impl FnOnce() -> R + Send + 'a) -> Task<'a, R> {
    Box::new(work)
}

/// A part of a thread's work, which does not leave the thread.
pub type Step<'a, R> = Box<dyn FnOnce() -> R + 'a>;

/// Returns `work` as a part of a thread's work.
pub fn step<'a, R>(work: impl FnOnce() -> R + 'a) -> Step<'a, R> {
    Box::new(work)
}

/// Runs `work` on a thread of its own.
///
/// # Panics
/// With the panic of `work`.
pub fn apart<R: Send>(work: Task<'_, R>) -> R {
    std::thread::scope(|scope| outcome(scope.spawn(work)))
}

/// Runs each task on a thread of its own, and waits for all.
///
/// # Panics
/// With the panic of a task that panics.
pub fn all<R: Send>(tasks: Vec<Task<'_, R>>) -> Vec<R> {
    std::thread::scope(|scope| outcomes(start(scope, tasks)))
}

/// Runs tasks of two sides, as [`all`] runs those of one.
///
/// # Panics
/// With the panic of a task that panics.
pub fn both<P: Send, C: Send>(first: Vec<Task<'_, P>>, second: Vec<Task<'_, C>>) -> (Vec<P>, Vec<C>) {
    std::thread::scope(|scope| {
        let (first, second) = (start(scope, first), start(scope, second));
        (outcomes(first), outcomes(second))
    })
}

/// Runs one task of each side, as [`both`] runs several.
///
/// # Panics
/// With the panic of a task that panics.
pub fn pair<P: Send, C: Send>(first: Task<'_, P>, second: Task<'_, C>) -> (P, C) {
    std::thread::scope(|scope| {
        let (first, second) = (scope.spawn(first), scope.spawn(second));
        (outcome(first), outcome(second))
    })
}

fn start<'scope, R: Send + 'scope>(
    scope: &'scope Scope<'scope, '_>,
    tasks: Vec<Task<'scope, R>>,
) -> Vec<ScopedJoinHandle<'scope, R>> {
    tasks.into_iter().map(|task| scope.spawn(task)).collect()
}

fn outcomes<R>(threads: Vec<ScopedJoinHandle<'_, R>>) -> Vec<R> {
    threads.into_iter().map(outcome).collect()
}

/// Returns what the thread returned; its panic, if any, goes on here.
fn outcome<R>(thread: ScopedJoinHandle<'_, R>) -> R {
    thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}
