//! The end of a run: threads that have not ended run to their ends, off the record.
//!
//! Most runs end before their threads do: they are blocked, or lead to no execution of their own.
//! No thread is unwound then. The threads continue as they would on one core that runs them in
//! turns: each load reads the newest value, each store is the newest. That is an execution of the
//! program like any other, but nothing of it counts, not even a panic: it is explored elsewhere,
//! with its trace. So a program sees no unwinding by the checker, and frees its memory itself.
//!
//! If a thread waits for an event that never occurs, and that is not a failure, it is killed as
//! [`Config::kill`](crate::Config::kill) kills. A thread that does not end even then is leaked with
//! its stack.

use std::alloc::Layout;

use crate::graph::clock::MAX_THREADS;
use crate::graph::event::{EventId, Kind, Label, LocId, NO_LOC, RmwOp};

use super::coroutine::Job;
use super::engine::Engine;
use super::place::Place;
use super::state::{Found, Rest, State, Step};

/// The number of operations that a thread makes in a row while others can run.
const QUANTUM: u32 = 64;

/// The number of operations of all threads before they are killed: their program is not finite on
/// fair schedules.
const BUDGET: u32 = 100_000;

/// The number of further operations for the destructors of each thread.
const EXTENSION: u32 = 10_000;

/// The number of hints, without a change by another thread, after which a thread counts as waiting.
const IDLE_HINTS: u32 = 200;

/// Of this number of weak compare-exchanges that could succeed one fails, to end a loop that
/// continues while they succeed.
const WEAKNESS: u32 = 16;

impl Engine {
    /// Begins the aftermath of a run that has not failed.
    pub(crate) fn begin_aftermath(&mut self) {
        let aftermath = &mut self.aftermath;
        aftermath.begun = true;
        aftermath.values.clear();
        aftermath.next = self.explorer.graph.locs.len() as LocId;
        (aftermath.changes, aftermath.turns) = (1, 0);
        (aftermath.operations, aftermath.budget, aftermath.quantum) = (0, BUDGET, QUANTUM);
        (self.owing, self.trial) = (None, None);
        self.intervenes = false;
        for &thread in &self.born {
            let thread = &mut self.threads[thread];
            thread.rest = Rest::NONE;
            if !matches!(thread.state, State::Done | State::Joins(_)) {
                thread.state = State::Ready;
            }
        }
    }

    /// Returns the thread to resume, or `None` if all have ended, or those that are left do not
    /// end.
    pub(crate) fn next_in_aftermath(&mut self) -> Option<usize> {
        let spent = self.aftermath.operations >= self.aftermath.budget;
        let enabled = self.born.iter().copied().filter(|&t| !spent && self.is_enabled(t));
        let next = match enabled.min_by_key(|&t| self.threads[t].rest.turn) {
            Some(next) => next,
            None => {
                let left = |t: &usize| self.threads[*t].state != State::Done && !self.threads[*t].rest.tried;
                // The threads that were created last may borrow from the others.
                let last = self.born.iter().copied().rev().find(left)?;
                self.doom(last);
                last
            }
        };
        self.aftermath.turns += 1;
        self.aftermath.quantum = QUANTUM;
        self.threads[next].rest.turn = self.aftermath.turns;
        self.threads[next].state = State::Ready;
        self.current = next;
        Some(next)
    }

    fn is_enabled(&self, thread: usize) -> bool {
        match self.threads[thread].state {
            State::Ready => true,
            State::Joins(other) => self.threads[other].state == State::Done,
            State::Blocked => self.threads[thread].rest.seen < self.aftermath.changes,
            _ => false,
        }
    }

    /// Kills a thread that does not end, and leaves it some operations for its destructors.
    fn doom(&mut self, thread: usize) {
        self.threads[thread].rest.doomed = true;
        self.threads[thread].rest.tried = true;
        self.aftermath.budget = self.aftermath.operations.saturating_add(EXTENSION);
    }

    /// Whether the current thread is to be killed now. Clears the request.
    #[inline]
    pub(crate) fn takes_doom(&mut self) -> bool {
        self.aftermath.begun && std::mem::take(&mut self.threads[self.current].rest.doomed)
    }

    /// Notes that a thread is leaked. Threads that wait for its end continue.
    pub(crate) fn leave_behind(&mut self, thread: usize) {
        self.threads[thread].state = State::Done;
        self.aftermath.changes += 1;
    }

    /// Ends the turns of the threads.
    pub(crate) fn end_turns(&mut self) {
        self.current = 0;
        (self.aftermath.quantum, self.aftermath.budget) = (u32::MAX, u32::MAX);
    }

    /// Begins an operation. The thread may have to yield before it.
    fn begin_operation(&mut self) -> Step<()> {
        let aftermath = &mut self.aftermath;
        if aftermath.quantum == 0 || aftermath.operations >= aftermath.budget {
            return Step::Switch;
        }
        aftermath.quantum -= 1;
        aftermath.operations += 1;
        Step::Done(())
    }

    /// Makes an operation that has no effect now: a fence, or an access to memory that is not
    /// atomic.
    pub(super) fn pass(&mut self) -> Step<()> {
        self.begin_operation()
    }

    /// Returns the location of an object, with its value present.
    fn find_value(&mut self, place: &Place<'_>) -> usize {
        let loc = self.bindings.find(place).unwrap_or_else(|| {
            let loc = self.aftermath.next;
            self.aftermath.next += 1;
            self.bindings.bind(place, loc);
            loc
        });
        let index = loc as usize;
        if self.aftermath.values.len() <= index {
            self.aftermath.values.resize(index + 1, None);
        }
        if let Some(at) = self.unread.iter().position(|&(l, _)| l == loc) {
            self.unread.swap_remove(at);
            self.aftermath.values[index] = Some(place.memory);
        }
        if self.aftermath.values[index].is_none() {
            self.aftermath.values[index] = Some(self.newest_value(loc).unwrap_or(place.memory));
        }
        index
    }

    /// Returns the newest value of an object, which a load would get now.
    pub(super) fn newest(&mut self, place: &Place<'_>) -> u64 {
        let index = self.find_value(place);
        self.aftermath.values[index].unwrap_or(place.memory)
    }

    /// Returns the newest value of a location of the run, of those that the program has written so
    /// far.
    fn newest_value(&self, loc: LocId) -> Option<u64> {
        let graph = &self.explorer.graph;
        let at = graph.locs.get(loc as usize)?;
        let newest = at.mo.iter().rev().copied().find(|&write| self.is_replayed(write))?;
        Some(if newest.is_init() { at.initial } else { graph.event(newest).value })
    }

    /// Does a load, a read-modify-write or a compare-exchange.
    pub(super) fn read_newest(&mut self, place: &Place<'_>, label: &Label) -> Step<Found> {
        if let Step::Switch = self.begin_operation() {
            return Step::Switch;
        }
        let index = self.find_value(place);
        let old = self.aftermath.values[index].unwrap_or(place.memory);
        let weak = label.op == RmwOp::CompareExchangeWeak && self.aftermath.operations.is_multiple_of(WEAKNESS);
        if label.op.is_load() || weak || label.fails_on(old) {
            return Step::Done(Found { value: old, wrote: false });
        }
        self.change(index, label.op.apply(old, label.operand, u32::from(label.bits)));
        Step::Done(Found { value: old, wrote: true })
    }

    /// Does a store.
    pub(super) fn write_newest(&mut self, place: &Place<'_>, value: u64) -> Step<()> {
        if let Step::Switch = self.begin_operation() {
            return Step::Switch;
        }
        let index = self.find_value(place);
        self.change(index, value);
        Step::Done(())
    }

    fn change(&mut self, index: usize, value: u64) {
        self.aftermath.values[index] = Some(value);
        self.aftermath.changes += 1;
    }

    /// Does an exclusive access to an atomic.
    pub(super) fn own_newest(&mut self, place: &Place<'_>, kind: Kind) -> Step<u64> {
        if let Step::Switch = self.begin_operation() {
            return Step::Switch;
        }
        let value = self.newest(place);
        let index = self.find_value(place);
        if kind == Kind::CellWrite {
            self.unread.push((index as LocId, EventId::INIT));
            self.aftermath.changes += 1;
        }
        Step::Done(value)
    }

    /// Does an allocation.
    pub(super) fn allocate_aside(&mut self, layout: Layout, block: Option<usize>) -> Step<*mut u8> {
        if let Step::Switch = self.begin_operation() {
            return Step::Switch;
        }
        Step::Done(match block {
            Some(address) => self.heap.take(address, layout, NO_LOC, EventId::INIT),
            None => self.heap.allocate(self.current, layout, NO_LOC),
        })
    }

    /// Creates a thread, and returns its number. If there can be no other thread, the current one
    /// stops.
    pub(super) fn create_aside(&mut self, job: &mut Option<Job>) -> Step<usize> {
        if let Step::Switch = self.begin_operation() {
            return Step::Switch;
        }
        let unborn = (1..MAX_THREADS).find(|&t| self.threads[t].state == State::Unborn);
        let (Some(thread), Some(body)) = (unborn, job.take()) else {
            self.wait_aside(u64::MAX);
            return Step::Switch;
        };
        self.give_birth(thread, body);
        Step::Done(thread)
    }

    /// Makes the current thread wait until there are more changes than it has `seen`.
    fn wait_aside(&mut self, seen: u64) {
        let thread = &mut self.threads[self.current];
        thread.rest.seen = seen;
        thread.state = State::Blocked;
    }

    /// Ends the current thread.
    pub(super) fn end_aside(&mut self) -> Step<()> {
        self.threads[self.current].state = State::Done;
        self.aftermath.changes += 1;
        Step::Done(())
    }

    /// Waits for the end of another thread.
    pub(super) fn join_aside(&mut self, other: usize) -> Step<()> {
        if self.threads[other].state == State::Done {
            return Step::Done(());
        }
        self.threads[self.current].state = State::Joins(other);
        Step::Switch
    }

    /// Begins a round of a wait.
    pub(super) fn begin_round_aside(&mut self) -> Step<usize> {
        self.threads[self.current].rest.seen = self.aftermath.changes;
        Step::Done(0)
    }

    /// Ends a round that failed.
    pub(super) fn fail_round_aside(&mut self) -> Step<()> {
        let seen = self.threads[self.current].rest.seen;
        if seen < self.aftermath.changes {
            self.aftermath.quantum = 0;
            return Step::Done(());
        }
        self.wait_aside(seen);
        Step::Switch
    }

    /// Does a hint that the thread spins.
    pub(super) fn hint_aside(&mut self) -> Step<()> {
        let changes = self.aftermath.changes;
        let rest = &mut self.threads[self.current].rest;
        rest.hints = if rest.seen == changes { rest.hints + 1 } else { 0 };
        rest.seen = changes;
        if rest.hints > IDLE_HINTS {
            self.wait_aside(changes);
            return Step::Switch;
        }
        self.aftermath.quantum = 0;
        Step::Done(())
    }
}
