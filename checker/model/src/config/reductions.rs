//! The options that explore executions which are left out by default, because they show nothing
//! else.

use super::Config;
use crate::graph::equal::Orbits;

impl Config {
    /// Sets whether every number of spurious failures of a weak compare-exchange is explored.
    ///
    /// By default, one that is tried again with the same values, after nothing but loads, stores
    /// and fences, does not fail spuriously a second time if the thread would try again forever: if
    /// it fails 200 times more, and the thread does nothing else. The behaviour after a second
    /// failure differs from that after the first only if the loop keeps count. Such behaviour is
    /// then not explored.
    #[must_use]
    pub fn all_spurious_failures(mut self, yes: bool) -> Self {
        self.all_spurious_failures = yes;
        self
    }

    /// Sets whether every failed round of a wait that writes is explored.
    ///
    /// By default, a round of [`await_until`](crate::await_until) that fails counts as if it had
    /// changed nothing if it leaves nothing behind: if its read-modify-writes have written the
    /// values that they read, and it has written besides to memory of [`alloc`](crate::alloc) that
    /// no other thread can reach yet. If a later round depends on such memory, the check
    /// begins anew, and such memory counts like all other. Whether accesses in such rounds may race
    /// is observed, too; then the program is explored once more with the rounds in question, in
    /// executions that the report does not count.
    #[must_use]
    pub fn all_failed_rounds(mut self, yes: bool) -> Self {
        self.all_failed_rounds = yes;
        self
    }

    /// Sets whether every order is explored in which owners of an [`Arc`](crate::sync::Arc) are
    /// cloned and dropped.
    ///
    /// By default only their order with the last drop is, unless the program reads the number of
    /// owners or of weak references, or whether a thread has finished, or makes raw pointers: then
    /// the check begins anew, and counts them.
    #[must_use]
    pub fn all_drop_orders(mut self, yes: bool) -> Self {
        self.all_drop_orders = yes;
        self
    }

    /// Sets whether every order of equal threads is explored
    /// ([`thread::spawn_equal`](crate::thread::spawn_equal)).
    ///
    /// By default, not all executions are explored that differ only in the names of such threads.
    /// All are, too, if the program reads the [id](crate::thread::Thread::id) of such a thread,
    /// or for numbers of owners, or if the check halts threads, bounds
    /// [preemptions](Self::max_preemptions), or looks for [load buffering](Self::load_buffering).
    #[must_use]
    pub fn all_thread_orders(mut self, yes: bool) -> Self {
        self.all_thread_orders = yes;
        self
    }

    /// Whether equal threads may stand for each other in a check with these options.
    pub(crate) fn equates_threads(&self) -> bool {
        let tells_apart = !self.halts.is_empty() || self.max_preemptions.is_some() || self.looks_for_load_buffering;
        !self.all_thread_orders && !self.all_drop_orders && !tells_apart
    }

    /// Counts complete executions up to the names of equal threads, for the checker's own tests.
    #[doc(hidden)]
    #[must_use]
    pub fn orbits(mut self, orbits: &Orbits) -> Self {
        self.orbits = Some(orbits.clone());
        self
    }
}
