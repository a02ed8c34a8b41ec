//! The state of one run that is keyed by a static's address.
//!
//! It consists of values of thread locals and lazy statics, and the threads' handles. It is memory
//! of the program, kept here because runs end early and run side by side.

use std::any::Any;
use std::cell::RefCell;
use std::sync::Arc;

use crate::graph::clock::MAX_THREADS;

/// The value of a static in the present run.
struct Entry {
    key: usize,
    value: Arc<dyn Any>,
}

/// All values of one run.
#[derive(Default)]
struct Locals {
    /// Whether there are any values.
    used: bool,
    threads: [ThreadLocals; MAX_THREADS],
    statics: Vec<Entry>,
    /// Values that may own memory of the execution and may lie in statics.
    owners: usize,
}

#[derive(Default)]
struct ThreadLocals {
    handle: Option<Box<dyn Any>>,
    values: Vec<Entry>,
    /// Whether the values have been dropped, so that no new ones are made.
    over: bool,
}

std::thread_local! {
    static LOCALS: RefCell<Locals> = RefCell::default();
}

/// Whether there are no values.
pub(crate) fn are_empty() -> bool {
    LOCALS.with_borrow(|locals| !locals.used)
}

/// Ends a run, and drops its values.
pub(crate) fn clear() {
    drop(LOCALS.take());
}

/// Ends a failed run, and leaks its values.
pub(crate) fn leak() {
    std::mem::forget(LOCALS.take());
}

/// Returns the value of a thread local in a thread, or `None` if it has not been made.
///
/// # Errors
/// If the thread's values have been dropped.
pub(crate) fn of_thread(thread: usize, key: usize) -> Result<Option<Arc<dyn Any>>, Over> {
    LOCALS.with_borrow(|locals| {
        let locals = &locals.threads[thread];
        if locals.over { Err(Over) } else { Ok(find(&locals.values, key)) }
    })
}

/// The error that the thread's values have been dropped.
pub(crate) struct Over;

pub(crate) fn set_of_thread(thread: usize, key: usize, value: Arc<dyn Any>) {
    LOCALS.with_borrow_mut(|locals| {
        locals.used = true;
        locals.threads[thread].values.push(Entry { key, value });
    });
}

/// Returns the value of a lazy static, if it has been made in this run.
pub(crate) fn of_run(key: usize) -> Option<Arc<dyn Any>> {
    LOCALS.with_borrow(|locals| find(&locals.statics, key))
}

pub(crate) fn set_of_run(key: usize, value: Arc<dyn Any>) {
    LOCALS.with_borrow_mut(|locals| {
        locals.used = true;
        locals.statics.push(Entry { key, value });
    });
}

/// Notes that a value has been made that may own memory of the execution, and may lie in a static,
/// which drops nothing.
pub(crate) fn note_owner() {
    LOCALS.with_borrow_mut(|locals| locals.owners += 1);
}

/// Notes that such a value is dropped, or taken out.
pub(crate) fn note_owner_gone() {
    LOCALS.with_borrow_mut(|locals| locals.owners = locals.owners.saturating_sub(1));
}

/// Whether a static may own memory that the execution has not freed.
pub(crate) fn may_own() -> bool {
    LOCALS.with_borrow(|locals| locals.owners > 0)
}

fn find(entries: &[Entry], key: usize) -> Option<Arc<dyn Any>> {
    entries.iter().find(|entry| entry.key == key).map(|entry| Arc::clone(&entry.value))
}

/// Drops the values of a thread that ends, the newest first. Their destructors may do anything.
pub(crate) fn end_thread(thread: usize) {
    while let Some(entry) = LOCALS.with_borrow_mut(|locals| locals.threads[thread].values.pop()) {
        drop(entry);
    }
    LOCALS.with_borrow_mut(|locals| locals.threads[thread].over = true);
}

/// Returns the handle of a thread, which `make` makes the first time.
pub(crate) fn handle<H: Clone + 'static>(thread: usize, make: impl FnOnce() -> H) -> H {
    LOCALS.with_borrow_mut(|locals| {
        locals.used = true;
        let handle = locals.threads[thread].handle.get_or_insert_with(|| Box::new(make()));
        handle.downcast_ref::<H>().expect("handles are of one type").clone()
    })
}
