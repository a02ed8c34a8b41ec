//! Whether RC11's axioms but one allow an execution in which one read reads from a later write.
//!
//! The graph's clocks do not serve here: such an execution has no order of events by program order and reads-from.
//! But happens-before is an order, or the execution is forbidden; so clocks are made anew along it. The axiom about
//! `SeqCst` is left out, and so are asymmetric fences: both only forbid.

use std::cell::OnceCell;

use crate::graph::Graph;
use crate::graph::clock::{Clock, MAX_THREADS};
use crate::graph::event::{EventId, Kind};

/// What happens before each event, and the event itself, by the events' places in the order of addition.
type Clocks = Vec<Clock>;

/// Answers for the reads of an execution.
pub(super) struct Judge<'a> {
    graph: &'a Graph,
    /// The clocks of the execution as it is, once they are needed.
    clocks: OnceCell<Clocks>,
}

/// An execution in which a read may read from another write than in the graph.
struct Execution<'a> {
    graph: &'a Graph,
    changed: Option<Changed>,
}

/// A read that reads from another write.
struct Changed {
    read: EventId,
    source: EventId,
    /// The modification order of the location, which differs if the read is that of a read-modify-write.
    mo: Vec<EventId>,
}

/// The value that a read gets from a later write.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Gets {
    /// The value that the write has in the graph.
    Present,
    /// Another one: the write is a read-modify-write that must then come before the read's own.
    Other,
}

impl<'a> Judge<'a> {
    pub(super) fn new(graph: &'a Graph) -> Self {
        Self { graph, clocks: OnceCell::new() }
    }

    /// Returns what `read`, which does not acquire, gets from `source`, if the execution is then coherent and atomic.
    pub(super) fn gets(&self, read: EventId, source: EventId) -> Option<Gets> {
        let graph = self.graph;
        let mo = &graph.loc(graph.event(read).loc).mo;
        let allows = |mo| self.allows(Changed { read, source, mo });
        if graph.event(read).exclusive {
            if moved_along(graph, mo, read, source).is_some_and(allows) {
                return Some(Gets::Present);
            }
            return moved_alone(mo, read, source).is_some_and(allows).then_some(Gets::Other);
        }
        let is_allowed =
            if is_learned(graph, read) { allows(mo.clone()) } else { self.is_coherent_alone(read, source) };
        is_allowed.then_some(Gets::Present)
    }

    fn allows(&self, changed: Changed) -> bool {
        let execution = Execution { graph: self.graph, changed: Some(changed) };
        execution.clocks().is_some_and(|clocks| execution.is_coherent(&clocks))
    }

    /// Whether a load is coherent if it reads from `source` and its thread learns nothing from what it reads: then
    /// nothing else changes.
    fn is_coherent_alone(&self, read: EventId, source: EventId) -> bool {
        let graph = self.graph;
        let clocks = self.clocks.get_or_init(|| {
            let execution = Execution { graph, changed: None };
            execution.clocks().expect("an execution of RC11 has an order of happening")
        });
        let clock_of = |id: EventId| &clocks[graph.event(id).stamp as usize];
        let place = graph.mo_index(source);
        let others = graph.loc(graph.event(read).loc).accesses.iter().filter(|&&other| other != read);
        others.copied().filter(|&other| is_atomic(graph, other)).all(|other| {
            let is_write = graph.event(other).label.kind == Kind::Write;
            let its = graph.mo_index(other);
            (!clock_of(read).contains(other) || its <= place)
                && (!clock_of(other).contains(read) || place < its || place == its && !is_write)
        })
    }
}

fn is_atomic(graph: &Graph, id: EventId) -> bool {
    matches!(graph.event(id).label.kind, Kind::Read | Kind::Write)
}

/// Whether the thread of a read that does not acquire learns what the source released, at an acquire fence after it.
fn is_learned(graph: &Graph, read: EventId) -> bool {
    (read.index() + 1..graph.len(read.thread())).any(|at| is_acquire_fence(graph, EventId::new(read.thread(), at)))
}

fn is_acquire_fence(graph: &Graph, id: EventId) -> bool {
    let event = graph.event(id);
    event.label.kind == Kind::Fence && event.mode.acquires()
}

/// Returns the modification order with the write of a read-modify-write behind `source`, and behind that write all that
/// followed it without a gap. There is none if `source` is among those, or has such a follower already.
fn moved_along(graph: &Graph, mo: &[EventId], read: EventId, source: EventId) -> Option<Vec<EventId>> {
    let follows = |write: &&EventId| !write.is_init() && graph.event(**write).exclusive;
    let from = mo.iter().position(|&write| write == own(read))?;
    let to = from + 1 + mo[from + 1..].iter().take_while(follows).count();
    let rest = [&mo[..from], &mo[to..]].concat();
    let at = 1 + rest.iter().position(|&write| write == source)?;
    if rest.get(at).is_some_and(|next| follows(&next)) {
        return None;
    }
    Some([&rest[..at], &mo[from..to], &rest[at..]].concat())
}

/// Returns the modification order with the write of a read-modify-write alone behind `source`.
fn moved_alone(mo: &[EventId], read: EventId, source: EventId) -> Option<Vec<EventId>> {
    let mut rest: Vec<_> = mo.iter().copied().filter(|&write| write != own(read)).collect();
    let at = 1 + rest.iter().position(|&write| write == source)?;
    rest.insert(at, own(read));
    Some(rest)
}

/// Returns the write of a read-modify-write.
fn own(read: EventId) -> EventId {
    EventId::new(read.thread(), read.index() + 1)
}

impl Execution<'_> {
    /// Returns the source of a read. A read-modify-write reads from the write before its own.
    fn source_of(&self, read: EventId) -> EventId {
        let event = self.graph.event(read);
        let Some(changed) = &self.changed else { return event.rf };
        if event.exclusive && event.loc == self.graph.event(changed.read).loc {
            let at = changed.mo.iter().position(|&write| write == own(read));
            return at.map_or(event.rf, |at| changed.mo[at - 1]);
        }
        if read == changed.read { changed.source } else { event.rf }
    }

    /// Returns the place in the modification order of what an access reads or makes.
    fn place(&self, id: EventId) -> usize {
        let event = self.graph.event(id);
        match &self.changed {
            Some(changed) if event.loc == self.graph.event(changed.read).loc => {
                let write = if event.label.kind == Kind::Write { id } else { self.source_of(id) };
                changed.mo.iter().position(|&other| other == write).unwrap_or(usize::MAX)
            }
            _ => self.graph.mo_index(id) as usize,
        }
    }

    /// Whether each location is coherent: its accesses that happen one after the other agree with its modification
    /// order.
    fn is_coherent(&self, clocks: &Clocks) -> bool {
        let graph = self.graph;
        graph.locs.iter().filter(|loc| loc.mo.len() > 1).all(|loc| {
            let accesses = loc.accesses.iter().copied().filter(|&id| is_atomic(graph, id));
            let placed: Vec<_> = accesses.map(|id| (id, self.place(id))).collect();
            graph.agree(&placed, |id| &clocks[graph.event(id).stamp as usize])
        })
    }

    /// Returns the clocks, or `None` if an event would happen before itself.
    fn clocks(&self) -> Option<Clocks> {
        let graph = self.graph;
        let learned = self.learned();
        let mut clocks = vec![Clock::EMPTY; graph.order.len()];
        let mut done = [0; MAX_THREADS];
        let mut left = clocks.len();
        while left > 0 {
            let before = left;
            for thread in 0..MAX_THREADS {
                while let Some(event) = graph.threads[thread].get(done[thread]) {
                    let stamp = event.stamp as usize;
                    if learned[stamp].iter().any(|from| from.index() >= done[from.thread()]) {
                        break;
                    }
                    let id = EventId::new(thread, done[thread]);
                    let previous = id.index().checked_sub(1).map(|previous| EventId::new(thread, previous));
                    let mut clock = Clock::EMPTY;
                    for &from in previous.iter().chain(&learned[stamp]) {
                        clock.join(&clocks[graph.event(from).stamp as usize]);
                    }
                    clock.insert(id);
                    clocks[stamp] = clock;
                    done[thread] += 1;
                    left -= 1;
                }
            }
            if left == before {
                return None;
            }
        }
        Some(clocks)
    }

    /// Returns the events that happen directly before each event, besides the one before it in its thread.
    fn learned(&self) -> Vec<Vec<EventId>> {
        let graph = self.graph;
        let mut learned = vec![Vec::new(); graph.order.len()];
        for (thread, events) in graph.threads.iter().enumerate() {
            if let Some(first) = events.first() {
                learned[first.stamp as usize].extend(graph.creators[thread]);
            }
            // What the sources of reads have released, up to the next acquire fence.
            let mut pending = Vec::new();
            for (index, event) in events.iter().enumerate() {
                let id = EventId::new(thread, index);
                let own = &mut learned[event.stamp as usize];
                match event.label.kind {
                    Kind::Join => own.push(event.rf),
                    Kind::Read if event.mode.acquires() => self.add_released(self.source_of(id), own),
                    Kind::Read => self.add_released(self.source_of(id), &mut pending),
                    _ if is_acquire_fence(graph, id) => own.append(&mut pending),
                    _ => {}
                }
            }
        }
        learned
    }

    /// Adds each event that a reader of `write` synchronizes with: those of the release sequences that it is in.
    fn add_released(&self, mut write: EventId, all: &mut Vec<EventId>) {
        for _ in 0..self.graph.order.len() {
            if write.is_init() {
                return;
            }
            let event = self.graph.event(write);
            if event.label.kind != Kind::Write {
                return;
            }
            if event.mode.releases() {
                all.push(write);
            } else if event.release_fence > 0 {
                all.push(EventId::new(write.thread(), usize::from(event.release_fence) - 1));
            }
            if let Some(carried) = self.graph.carried(write) {
                self.add_released(carried, all);
            }
            if !event.exclusive {
                return;
            }
            write = self.source_of(EventId::new(write.thread(), write.index() - 1));
        }
    }
}
