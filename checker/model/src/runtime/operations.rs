//! The visible operations: each either repeats an event of the graph or adds one.

use crate::explore::Preference;
use crate::graph::clock::Clock;
use crate::graph::event::{EventId, Kind, Label, LocId, Mode, NO_LOC, UNKNOWN};

use super::coroutine::Job;
use super::engine::Engine;
use super::facts::Cause;
use super::place::Place;
use super::state::{Found, State, Step};

impl Engine {
    /// Returns the next event of the current thread, if the graph has it. Checks that it is the
    /// program's present operation.
    pub(super) fn recorded(&mut self, label: &Label) -> Result<Option<EventId>, ()> {
        let thread = self.current;
        let position = self.threads[thread].position;
        if position >= self.explorer.graph.len(thread) {
            return if self.leaves_trial() { Ok(None) } else { Err(()) };
        }
        let id = EventId::new(thread, position);
        let event = self.explorer.graph.event_mut(id);
        let before = event.label;
        let same = before.kind == label.kind
            && before.mode == label.mode
            && before.failure == label.failure
            && before.op == label.op
            && before.bits == label.bits
            && (std::ptr::eq(before.site, label.site)
                || before.site == label.site
                || std::ptr::eq(before.site, UNKNOWN));
        if !same {
            self.stray(&Cause::NonDeterminism { before: before.into(), now: Some((*label).into()) });
            return Err(());
        }
        event.label.site = label.site;
        if matches!(label.kind, Kind::Read | Kind::Write) {
            event.label.operand = label.operand;
            event.label.expected = label.expected;
        }
        Ok(Some(id))
    }

    /// Notes that the current thread has replayed one more of the events that the graph held before
    /// the run.
    pub(super) fn replayed(&mut self) {
        let thread = &mut self.threads[self.current];
        thread.position += 1;
        self.remaining -= 1;
        if self.remaining == 0 {
            self.try_again();
        }
    }

    /// Notes that the current thread has added an event.
    pub(super) fn added(&mut self) {
        let thread = &mut self.threads[self.current];
        thread.position += 1;
        self.progress += 1;
        if let Some(walk) = &mut self.explorer.walk {
            walk.step(self.current, &self.explorer.graph);
        }
    }

    fn wait_for(&mut self, event: EventId) {
        self.threads[self.current].state = State::Awaits(event);
    }

    /// Replaces the modes that the program names: by overrides, or by `SeqCst` under sequential
    /// consistency.
    fn settle_modes(&mut self, label: &mut Label) {
        if !self.overrides.is_empty() && label.mode != Mode::NonAtomic {
            self.overrides.apply(label);
        }
        if self.sequential && label.mode != Mode::NonAtomic {
            label.mode = Mode::SeqCst;
            label.failure = Mode::SeqCst;
        }
    }

    /// Returns the location of an object in a new event.
    fn locate(&mut self, place: &Place<'_>) -> LocId {
        let loc = match self.bindings.find(place) {
            Some(loc) => loc,
            None => {
                let loc = self.explorer.graph.new_loc();
                self.bind(place, loc);
                loc
            }
        };
        self.take_over(place, loc);
        loc
    }

    /// Checks that the object of a replayed event is the one that was there before.
    fn relocate(&mut self, place: &Place<'_>, loc: LocId, label: &Label) -> bool {
        let same = match self.bindings.find(place) {
            Some(found) => found == loc,
            None if self.bindings.is_bound(loc) => false,
            None => {
                self.bind(place, loc);
                true
            }
        };
        if !same {
            self.deviate(label);
            return false;
        }
        self.take_over(place, loc);
        true
    }

    fn bind(&mut self, place: &Place<'_>, loc: LocId) {
        self.bindings.bind(place, loc);
        let owner = self.heap.allocations.find(place.address());
        let name = self.heap.name(place.address());
        let at = &mut self.explorer.graph.locs[loc as usize];
        at.initial = place.memory;
        at.owner = owner.map_or(NO_LOC, |(owner, _)| owner);
        at.name = name;
    }

    /// Reports that the program is not deterministic: another object, or another outcome than
    /// before.
    pub(super) fn deviate(&mut self, label: &Label) {
        self.stray(&Cause::NonDeterminism { before: (*label).into(), now: Some((*label).into()) });
    }

    /// Reads from the object's memory the value that was written there through `get_mut`.
    fn take_over(&mut self, place: &Place<'_>, loc: LocId) {
        if let Some(at) = self.unread.iter().position(|&(l, _)| l == loc) {
            let (_, write) = self.unread.swap_remove(at);
            self.explorer.graph.event_mut(write).value = place.memory;
        }
    }

    /// Does a load, a read-modify-write or a compare-exchange.
    pub(crate) fn read(&mut self, place: &Place<'_>, mut label: Label) -> Step<Found> {
        if self.aftermath.has_begun() {
            return self.read_newest(place, &label);
        }
        self.settle_modes(&mut label);
        if self.owing == Some(self.current) {
            let thread = self.current;
            return self.write_half(EventId::new(thread, self.threads[thread].position - 1));
        }
        match self.repeat(&label, |engine| engine.bindings.find(place)) {
            None => {}
            Some(Step::Done(value)) => return Step::Done(Found { value, wrote: false }),
            Some(Step::Switch) => return Step::Switch,
        }
        let Ok(recorded) = self.recorded(&label) else {
            return Step::Switch;
        };
        let Some(id) = recorded else {
            return self.new_read(place, label);
        };
        let (source, loc) = {
            let event = self.explorer.graph.event(id);
            (event.rf, event.loc)
        };
        if !self.is_replayed(source) {
            self.wait_for(source);
            return Step::Switch;
        }
        if !self.relocate(place, loc, &label) {
            return Step::Switch;
        }
        let value = self.explorer.graph.value_from(id, source);
        let event = self.explorer.graph.event_mut(id);
        event.value = value;
        let fails = event.spurious || label.fails_on(value);
        if !label.op.is_load() && fails == event.exclusive {
            self.deviate(&label);
            return Step::Switch;
        }
        let exclusive = event.exclusive;
        self.replayed();
        if exclusive {
            return self.write_half(id);
        }
        Step::Done(Found { value, wrote: false })
    }

    fn new_read(&mut self, place: &Place<'_>, label: Label) -> Step<Found> {
        if self.must_wait() {
            return Step::Switch;
        }
        let loc = self.locate(place);
        let id = EventId::new(self.current, self.threads[self.current].position);
        let waits = self.threads[self.current].mark.is_some();
        let order = if waits { Preference::Oldest } else { Preference::Newest };
        let may_fail = !self.fails_idly(&label, loc);
        if !self.explorer.add_read(self.current, label, loc, order, may_fail) {
            self.give_up();
            return Step::Switch;
        }
        self.added();
        self.try_again();
        let event = self.explorer.graph.event(id);
        if event.exclusive {
            return self.write_half(id);
        }
        Step::Done(Found { value: event.value, wrote: false })
    }

    /// Does the write of a read-modify-write, directly after its read.
    fn write_half(&mut self, read: EventId) -> Step<Found> {
        let thread = self.current;
        let event = self.explorer.graph.event(read);
        let (label, loc, value) = (event.label, event.loc, event.value);
        let new = label.op.apply(value, label.operand, u32::from(label.bits));
        let id = EventId::new(thread, read.index() + 1);
        if id.index() < self.explorer.graph.len(thread) {
            let event = self.explorer.graph.event_mut(id);
            event.value = new;
            (event.label.operand, event.label.site) = (new, label.site);
            self.replayed();
        } else {
            // It is the next event, but not before the replay is complete.
            self.owing = Some(thread);
            if self.remaining > 0 {
                return Step::Switch;
            }
            self.owing = None;
            let write = Label { kind: Kind::Write, operand: new, ..label };
            if !self.explorer.add_write(thread, write, loc, true) {
                self.give_up();
                return Step::Switch;
            }
            self.added();
        }
        Step::Done(Found { value, wrote: true })
    }

    /// Returns the newest value of an object that happens before the current thread's next event. A
    /// load here may get it.
    ///
    /// It depends on the thread's past alone, so every replay returns it.
    pub(crate) fn peek(&mut self, place: &Place<'_>) -> u64 {
        if self.aftermath.has_begun() {
            return self.newest(place);
        }
        let Some(loc) = self.bindings.find(place).filter(|loc| self.unread.iter().all(|(unread, _)| unread != loc))
        else {
            return place.memory;
        };
        let graph = &self.explorer.graph;
        let past = graph
            .before(EventId::new(self.current, self.threads[self.current].position))
            .map_or(Clock::EMPTY, |last| last.hb);
        let at = graph.loc(loc);
        let known = at.accesses.iter().filter(|&&access| past.contains(access));
        let newest = known.map(|&access| graph.mo_index(access) as usize).max().unwrap_or(0);
        match at.mo.get(newest) {
            Some(write) if !write.is_init() => graph.event(*write).value,
            _ => at.initial,
        }
    }

    /// Does a store.
    pub(crate) fn write(&mut self, place: &Place<'_>, mut label: Label) -> Step<()> {
        if self.aftermath.has_begun() {
            return self.write_newest(place, label.operand);
        }
        self.settle_modes(&mut label);
        if let Some(step) = self.repeat(&label, |engine| engine.bindings.find(place)) {
            return step.map(|_| ());
        }
        let Ok(recorded) = self.recorded(&label) else {
            return Step::Switch;
        };
        if let Some(id) = recorded {
            let event = self.explorer.graph.event_mut(id);
            event.value = label.operand;
            let loc = event.loc;
            if !self.relocate(place, loc, &label) {
                return Step::Switch;
            }
            self.replayed();
            return Step::Done(());
        }
        if self.must_wait() {
            return Step::Switch;
        }
        let loc = self.locate(place);
        if !self.explorer.add_write(self.current, label, loc, false) {
            self.give_up();
            return Step::Switch;
        }
        self.added();
        Step::Done(())
    }

    /// Does a fence.
    pub(crate) fn fence(&mut self, mut label: Label) -> Step<()> {
        if self.aftermath.has_begun() {
            return self.pass();
        }
        self.settle_modes(&mut label);
        if label.mode == Mode::Relaxed {
            return Step::Done(());
        }
        if let Some(step) = self.repeat(&label, |_| Some(NO_LOC)) {
            return step.map(|_| ());
        }
        let Ok(recorded) = self.recorded(&label) else {
            return Step::Switch;
        };
        if recorded.is_some() {
            self.replayed();
            return Step::Done(());
        }
        if self.must_wait() {
            return Step::Switch;
        }
        self.add_only(label)
    }

    fn add_only(&mut self, label: Label) -> Step<()> {
        if !self.explorer.add_only(self.current, label) {
            self.give_up();
            return Step::Switch;
        }
        self.added();
        Step::Done(())
    }

    /// Does an access to a cell, which is not atomic.
    pub(crate) fn access_cell(&mut self, place: &Place<'_>, label: Label) -> Step<()> {
        if self.aftermath.has_begun() {
            return self.pass();
        }
        if let Some(step) = self.repeat(&label, |engine| engine.bindings.find(place)) {
            return step.map(|_| ());
        }
        let Ok(recorded) = self.recorded(&label) else {
            return Step::Switch;
        };
        if let Some(id) = recorded {
            let loc = self.explorer.graph.event(id).loc;
            if !self.relocate(place, loc, &label) {
                return Step::Switch;
            }
            self.replayed();
            return Step::Done(());
        }
        if self.must_wait_for_memory() {
            return Step::Switch;
        }
        let loc = self.locate(place);
        self.add_nonatomic(label, loc)
    }

    pub(super) fn add_nonatomic(&mut self, label: Label, loc: LocId) -> Step<()> {
        if !self.explorer.add_nonatomic(self.current, label, loc) {
            self.give_up();
            return Step::Switch;
        }
        self.added();
        Step::Done(())
    }

    /// Does an exclusive access to an atomic, and returns its value. If `kind` is a write, the
    /// value lies in the object's memory until the next operation on it.
    pub(crate) fn own(&mut self, place: &Place<'_>, label: Label) -> Step<u64> {
        if self.aftermath.has_begun() {
            return self.own_newest(place, label.kind);
        }
        if label.kind == Kind::CellRead
            && let Some(step) = self.repeat(&label, |engine| engine.bindings.find(place))
        {
            return step;
        }
        if !self.leaves_trial() {
            return Step::Switch;
        }
        let thread = self.current;
        let id = EventId::new(thread, self.threads[thread].position);
        let is_new = id.index() >= self.explorer.graph.len(thread);
        if let Step::Switch = self.access_cell(place, label) {
            return Step::Switch;
        }
        let loc = self.explorer.graph.event(id).loc;
        let writes = label.kind == Kind::CellWrite;
        if is_new {
            let last = self.explorer.graph.loc(loc).mo.last().copied();
            self.explorer.graph.event_mut(id).rf = last.unwrap_or(EventId::INIT);
            if writes {
                self.explorer.place_last(id);
            }
        }
        let source = self.explorer.graph.event(id).rf;
        let value = self.explorer.graph.value_from(id, source);
        self.explorer.graph.event_mut(id).value = value;
        if writes {
            self.unread.push((loc, id));
        }
        Step::Done(value)
    }

    /// Creates a thread, and returns its number.
    pub(crate) fn create(&mut self, job: &mut Option<Job>, mut label: Label) -> Step<usize> {
        if self.aftermath.has_begun() {
            return self.create_aside(job);
        }
        self.heap.begin_sharing();
        let Ok(recorded) = self.recorded(&label) else {
            return Step::Switch;
        };
        let thread = match recorded {
            Some(id) => {
                let thread = self.explorer.graph.creators.iter().position(|c| *c == Some(id));
                self.replayed();
                thread
            }
            None => {
                if self.must_wait() {
                    return Step::Switch;
                }
                let Some(thread) = self.explorer.graph.unused_thread() else {
                    self.fail(Cause::TooManyThreads);
                    return Step::Switch;
                };
                label.operand = thread as u64;
                if let Step::Switch = self.add_only(label) {
                    return Step::Switch;
                }
                Some(thread)
            }
        };
        let (Some(thread), Some(job)) = (thread, job.take()) else { unreachable!("a creation has a thread and a job") };
        self.give_birth(thread, job);
        Step::Done(thread)
    }

    /// Ends the current thread.
    pub(crate) fn end(&mut self, label: Label) -> Step<()> {
        if self.aftermath.has_begun() {
            return self.end_aside();
        }
        let step = self.fence(label);
        if let Step::Done(()) = step {
            self.threads[self.current].state = State::Done;
        }
        step
    }

    /// Waits for the end of another thread.
    pub(crate) fn join(&mut self, label: Label) -> Step<()> {
        let other = label.operand as usize;
        if self.aftermath.has_begun() {
            return self.join_aside(other);
        }
        let Ok(recorded) = self.recorded(&label) else {
            return Step::Switch;
        };
        if let Some(id) = recorded {
            let end = self.explorer.graph.event(id).rf;
            if !self.is_replayed(end) {
                self.wait_for(end);
                return Step::Switch;
            }
            self.replayed();
            return Step::Done(());
        }
        if !self.explorer.graph.ended(other) {
            self.threads[self.current].state = State::Joins(other);
            return Step::Switch;
        }
        if self.must_wait() {
            return Step::Switch;
        }
        self.explorer.add_join(self.current, label);
        self.added();
        Step::Done(())
    }
}
