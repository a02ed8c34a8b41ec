//! The fate of each thread.

use std::fmt;
use std::panic::Location;

use crate::runtime::state::{Fate, thread_name};

/// The fate of a thread, over all complete executions in which it was started.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct ThreadReport {
    /// The thread's number: main is 0, and the others count in the order in which they are started.
    pub thread: usize,
    /// Executions in which the thread ended.
    pub ended: u64,
    /// Executions in which the thread waits forever. If no thread was suspended or killed, that is
    /// a failure instead, unless [`Config::waits_fail`](crate::Config::waits_fail) is `false`.
    pub waiting: u64,
    /// Executions in which the thread was suspended or killed.
    pub halted: u64,
    /// The operations after which it was suspended or killed.
    pub halted_after: Vec<&'static Location<'static>>,
}

impl ThreadReport {
    /// Whether the thread ends in every execution.
    #[must_use]
    pub fn always_ends(&self) -> bool {
        self.waiting == 0 && self.halted == 0
    }

    fn add(&mut self, other: &Self) {
        self.ended += other.ended;
        self.waiting += other.waiting;
        self.halted += other.halted;
        for site in &other.halted_after {
            self.note_site(site);
        }
    }

    fn note_site(&mut self, site: &'static Location<'static>) {
        if let Err(at) = self.halted_after.binary_search(&site) {
            self.halted_after.insert(at, site);
        }
    }
}

impl fmt::Display for ThreadReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ends in {} executions", thread_name(self.thread), self.ended)?;
        if self.halted > 0 {
            write!(f, ", is stopped in {}", self.halted)?;
        }
        if self.waiting > 0 {
            write!(f, ", waits forever in {}", self.waiting)?;
        }
        Ok(())
    }
}

/// Returns the report of a thread in a list that is sorted by number.
pub(crate) fn of(threads: &mut Vec<ThreadReport>, thread: usize) -> &mut ThreadReport {
    while threads.len() <= thread {
        threads.push(ThreadReport { thread: threads.len(), ..ThreadReport::default() });
    }
    &mut threads[thread]
}

/// Adds the fates of threads in one execution.
pub(crate) fn note(threads: &mut Vec<ThreadReport>, fates: impl Iterator<Item = Fate>) {
    for fate in fates {
        let report = of(threads, fate.thread);
        report.ended += u64::from(!fate.halted && !fate.waits);
        report.waiting += u64::from(fate.waits);
        report.halted += u64::from(fate.halted);
        if let Some(site) = fate.site {
            report.note_site(site);
        }
    }
}

/// Adds another worker's fates.
pub(crate) fn merge(threads: &mut Vec<ThreadReport>, others: &[ThreadReport]) {
    for other in others {
        of(threads, other.thread).add(other);
    }
}
