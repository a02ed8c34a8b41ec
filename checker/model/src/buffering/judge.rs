//! Reads of one execution that could read from a consequence of their thread's later writes.
//!
//! Only what lies on and before the cycle counts, and of the read's own thread the accesses to the
//! read's location.

use crate::graph::Graph;
use crate::graph::clock::{Clock, MAX_THREADS};
use crate::graph::event::{Event, EventId, Kind, Mode, RmwOp};

/// Finds the early sources of an execution's reads.
pub(super) struct Judge<'a> {
    graph: &'a Graph,
    /// By thread: the events of the thread on which another thread depends, each with that
    /// thread's event.
    leads: Vec<Vec<(EventId, EventId)>>,
}

/// A write from which a read could read.
#[derive(Clone, Debug)]
pub(super) struct Early {
    /// The write, or the read of a compare-exchange that would then write.
    pub(super) source: EventId,
    /// The value that the read would get.
    pub(super) value: u64,
    /// The writes at which the cycle leaves the read's thread.
    pub(super) exits: Vec<EventId>,
}

/// The role of a read that gets a value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Outcome {
    /// True for the read of a read-modify-write that writes.
    pub(super) exclusive: bool,
    /// True if the read-modify-write fails although it could write.
    pub(super) spurious: bool,
}

impl<'a> Judge<'a> {
    pub(super) fn new(graph: &'a Graph) -> Self {
        let mut leads = vec![Vec::new(); MAX_THREADS];
        let mut lead = |from: EventId, to: EventId| {
            if !from.is_init() && from.thread() != to.thread() {
                leads[from.thread()].push((from, to));
            }
        };
        for &id in &graph.order {
            let event = graph.event(id);
            if matches!(event.label.kind, Kind::Read | Kind::Join) {
                lead(event.rf, id);
            }
            if id.index() == 0
                && let Some(creator) = graph.creators[id.thread()]
            {
                lead(creator, id);
            }
        }
        Self { graph, leads }
    }

    /// Passes each write that a read could read from.
    pub(super) fn each(&self, read: EventId, found: &mut dyn FnMut(Early)) {
        let graph = self.graph;
        let event = graph.event(read);
        if event.label.kind != Kind::Read || event.mode == Mode::NonAtomic || !self.leads_on(read) {
            return;
        }
        let unkept = unkept(graph, read);
        if unkept.is_empty() {
            return;
        }
        let chain = chain(graph, read);
        for &source in graph.loc(event.loc).mo.iter().filter(|source| !source.is_init() && !chain.contains(source)) {
            let write = graph.event(source);
            if write.label.kind != Kind::Write || source.thread() == read.thread() || !write.porf.contains(read) {
                continue;
            }
            if !event.exclusive && write.value == event.value && !self.tells_equal_values_apart(read) {
                continue;
            }
            if self.is_coherent(read, source, &chain) {
                let exits = self.exits(read, &unkept, &write.porf);
                found(Early { source, value: write.value, exits });
            }
        }
        if event.exclusive {
            self.each_overtaking(read, &unkept, &chain, found);
        }
    }

    /// Passes the read-modify-writes of other threads that have read a read-modify-write's result,
    /// and could have been before it.
    fn each_overtaking(&self, read: EventId, unkept: &[EventId], chain: &[EventId], found: &mut dyn FnMut(Early)) {
        let graph = self.graph;
        let event = graph.event(read);
        for &other in graph.loc(event.loc).accesses.iter() {
            let its = graph.event(other);
            let modifies = its.label.kind == Kind::Read && !its.label.op.is_load();
            if !modifies
                || other.thread() == read.thread()
                || !chain.contains(&its.rf)
                || its.label.fails_on(event.value)
            {
                continue;
            }
            let Some(before) = graph.before(other).filter(|before| before.porf.contains(read)) else { continue };
            if graph.bound(event.loc, &before.hb) <= graph.mo_index(event.rf) {
                let source = if its.exclusive { own(other) } else { other };
                let value = its.label.op.apply(event.value, its.label.operand, u32::from(its.label.bits));
                found(Early { source, value, exits: self.exits(read, unkept, &before.porf) });
            }
        }
    }

    /// Whether another thread depends on an event of a thread after a read.
    fn leads_on(&self, read: EventId) -> bool {
        self.leads[read.thread()].iter().any(|(from, _)| from.index() > read.index())
    }

    /// Returns the writes by which a cycle leaves a read's thread. There is none if it leaves it by
    /// something that is kept behind the read.
    fn exits(&self, read: EventId, unkept: &[EventId], past: &Clock) -> Vec<EventId> {
        let mut exits = Vec::new();
        for &(from, to) in &self.leads[read.thread()] {
            if from.index() <= read.index() || !past.contains(to) {
                continue;
            }
            if unkept.contains(&from) {
                if !exits.contains(&from) {
                    exits.push(from);
                }
            } else if !self.may_have_come_between(from, to) {
                return Vec::new();
            }
        }
        exits
    }

    /// Whether a read-modify-write may have read from another one only because that one took its
    /// value early.
    fn may_have_come_between(&self, from: EventId, to: EventId) -> bool {
        let reader = self.graph.event(to);
        let modifies = reader.label.kind == Kind::Read && !reader.label.op.is_load();
        modifies && !reader.mode.acquires() && self.graph.event(from).exclusive
    }

    /// Whether a read that reads from `source` agrees with what happens before it, and with the
    /// later accesses of its thread up to the last one on the cycle.
    fn is_coherent(&self, read: EventId, source: EventId, chain: &[EventId]) -> bool {
        let graph = self.graph;
        let event = graph.event(read);
        let place = graph.mo_index(source);
        let known = graph.before(read).map_or(0, |before| graph.bound(event.loc, &before.hb));
        let last = graph.event(source).porf.count(read.thread());
        known <= place
            && (read.index() + 1..last).map(|index| EventId::new(read.thread(), index)).all(|later| {
                let its = graph.event(later);
                let (is_write, is_read) = (its.label.kind == Kind::Write, its.label.kind == Kind::Read);
                its.loc != event.loc
                    || !is_write && !is_read
                    || chain.contains(if is_write { &later } else { &its.rf })
                    || graph.mo_index(later) > place
                    || is_read && graph.mo_index(later) == place
            })
    }

    /// Whether the source of a load may matter where two writes have one value: to a later acquire
    /// fence, or to the order of `SeqCst` fences.
    fn tells_equal_values_apart(&self, read: EventId) -> bool {
        let graph = self.graph;
        let Some(before) = graph.before(read) else { return false };
        let source = graph.event(read).rf;
        let known = |id: EventId| before.hb.contains(id) || before.pending.contains(id);
        let learns = |(id, event): (EventId, &Event)| {
            event.label.kind == Kind::Fence && event.mode.acquires() && id.index() > read.index()
        };
        let news = |&id: &EventId| !source.is_init() && graph.event(source).release.contains(id) && !known(id);
        let own = graph.threads[read.thread()].iter().enumerate();
        let fences = own.map(|(index, event)| (EventId::new(read.thread(), index), event)).any(learns);
        let is_ordered = |id: &&EventId| graph.event(**id).is_sc() && graph.event(**id).label.kind.is_fence();
        let is_other = |&&id: &&EventId| graph.event(id).is_sc() && id.thread() != read.thread();
        fences && graph.order.iter().any(news)
            || graph.order.iter().filter(is_ordered).any(|&id| before.hb.contains(id))
                && graph.order.iter().filter(is_other).any(|&id| !before.hb.contains(id))
    }
}

/// Returns the possible roles of a read that gets a value, without those that acquire.
pub(super) fn outcomes(event: &Event, value: u64) -> Vec<Outcome> {
    let label = &event.label;
    let exclusive = !label.op.is_load() && !label.fails_on(value);
    let mode = if exclusive || label.op.is_load() { label.mode } else { label.failure };
    let mut outcomes = Vec::new();
    if !mode.acquires() {
        outcomes.push(Outcome { exclusive, spurious: false });
    }
    if exclusive && label.op == RmwOp::CompareExchangeWeak && !label.failure.acquires() {
        outcomes.push(Outcome { exclusive: false, spurious: true });
    }
    outcomes
}

/// Returns the later relaxed writes of a read's thread that no fence keeps behind the read.
fn unkept(graph: &Graph, read: EventId) -> Vec<EventId> {
    // The write of a read-modify-write stays with its read.
    let first = read.index() + 1 + usize::from(graph.event(read).exclusive);
    let later = (first..graph.len(read.thread())).map(|index| EventId::new(read.thread(), index));
    let before_fence = later.take_while(|&id| !matches!(graph.event(id).label.kind, Kind::Fence | Kind::HeavyFence));
    let is_relaxed = |id: &EventId| {
        let event = graph.event(*id);
        event.label.kind == Kind::Write && !event.mode.releases() && event.mode != Mode::NonAtomic
    };
    before_fence.filter(is_relaxed).collect()
}

/// Returns the write of a read-modify-write and all that follow it without a gap; nothing for
/// another read.
fn chain(graph: &Graph, read: EventId) -> Vec<EventId> {
    let event = graph.event(read);
    if !event.exclusive {
        return Vec::new();
    }
    let mo = &graph.loc(event.loc).mo;
    let from = graph.mo_index(own(read)) as usize;
    let follows = |write: &&EventId| graph.event(**write).exclusive;
    let followers = mo[from + 1..].iter().take_while(follows);
    std::iter::once(&mo[from]).chain(followers).copied().collect()
}

/// Returns the write of a read-modify-write.
fn own(read: EventId) -> EventId {
    EventId::new(read.thread(), read.index() + 1)
}
