//! The tasks of a pool, which its end aborts.

use std::ptr::NonNull;

use super::raw::{self, Head};
use crate::sync::Mutex;

/// A part of the tasks whose futures exist. The list holds no references of them.
#[derive(Default)]
pub(crate) struct List(Mutex<Entries>);

/// A task's index in a list.
pub(crate) type Place = usize;

#[derive(Default)]
struct Entries {
    tasks: Vec<Entry>,
    /// The first free entry; 0 is none, 1 the first entry.
    free: usize,
    is_closed: bool,
}

enum Entry {
    Task(NonNull<Head>),
    /// The next free entry; 0 is none, 1 the first entry.
    Free(usize),
}

// SAFETY: a task is taken out before it is freed, and all threads may use its word.
unsafe impl Send for Entries {}

impl List {
    /// Adds the task that `make` makes for this index. Returns `None` if the list is closed.
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

    /// Removes a task.
    pub(crate) fn leave(&self, place: Place) {
        let mut entries = self.0.lock();
        entries.tasks[place] = Entry::Free(entries.free);
        entries.free = place + 1;
    }

    /// Aborts all tasks. The list takes no further tasks.
    pub(crate) fn close(&self) {
        let tasks: Vec<_> = {
            let mut entries = self.0.lock();
            entries.is_closed = true;
            let tasks = entries.tasks.iter().filter_map(|entry| match entry {
                Entry::Task(task) => Some(*task),
                Entry::Free(_) => None,
            });
            // SAFETY: a task in the list is freed only after it has left the list, which takes the
            // lock.
            tasks.filter(|task| unsafe { task.as_ref() }.state.try_retain()).collect()
        };
        for task in tasks {
            raw::abort(task);
            raw::release(task);
        }
    }
}
