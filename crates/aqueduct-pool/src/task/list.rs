//! The tasks of a pool, for its end.

use std::ptr::NonNull;

use super::handle;
use super::raw::{self, Head};
use crate::sync::Mutex;

/// Some of the tasks whose futures are there. They are in it without a reference.
#[derive(Default)]
pub(crate) struct List(Mutex<Entries>);

/// A task's place in a list.
pub(crate) type Place = usize;

#[derive(Default)]
struct Entries {
    tasks: Vec<Entry>,
    /// The first free entry, counted from 1.
    free: usize,
    is_closed: bool,
}

enum Entry {
    Task(NonNull<Head>),
    /// The next free entry, counted from 1.
    Free(usize),
}

// SAFETY: a task is taken out before it is freed, and its word is for all threads.
unsafe impl Send for Entries {}

impl List {
    /// Enters what `make` makes, a task that refers to itself at this place. Returns nothing if the list is closed.
    pub(crate) fn enter<T>(&self, make: impl FnOnce(Place) -> (NonNull<Head>, T)) -> Option<T> {
        let mut entries = self.0.lock();
        if entries.is_closed {
            return None;
        }
        let place = match entries.free {
            0 => entries.tasks.len(),
            free => free - 1,
        };
        let (task, made) = make(place);
        match entries.tasks.get_mut(place) {
            Some(entry) => {
                let Entry::Free(next) = std::mem::replace(entry, Entry::Task(task)) else {
                    unreachable!("a free entry has no task")
                };
                entries.free = next;
            }
            None => entries.tasks.push(Entry::Task(task)),
        }
        Some(made)
    }

    /// Takes a task out.
    pub(crate) fn leave(&self, place: Place) {
        let mut entries = self.0.lock();
        entries.tasks[place] = Entry::Free(entries.free);
        entries.free = place + 1;
    }

    /// Aborts all tasks. No others come in.
    pub(crate) fn close(&self) {
        let tasks: Vec<_> = {
            let mut entries = self.0.lock();
            entries.is_closed = true;
            let tasks = entries.tasks.iter().filter_map(|entry| match entry {
                Entry::Task(task) => Some(*task),
                Entry::Free(_) => None,
            });
            // SAFETY: a task that is here is not freed before it has left, for which the lock is needed.
            tasks.filter(|task| unsafe { task.as_ref() }.state.try_retain()).collect()
        };
        for task in tasks {
            handle::abort(task);
            raw::release(task);
        }
    }
}
