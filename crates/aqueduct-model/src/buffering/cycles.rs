//! The reads of one execution that could read from what follows from their thread's later writes.

use super::Sites;
use super::hb::{Gets, Judge};
use super::histories::{Past, Pasts, Written};
use crate::graph::Graph;
use crate::graph::event::{EventId, Kind, Mode};

/// A read with the value of a later write, and a write of the read's thread on the way to that one.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Candidate {
    /// The thread's past with the read of that value.
    pub(super) past: Past,
    /// The write that must not depend on the read.
    pub(super) write: Written,
    /// The place of the read, the write and the source, as addresses.
    places: [usize; 3],
}

/// Passes each candidate of an execution.
pub(super) fn each(graph: &Graph, pasts: &Pasts, found: &mut dyn FnMut(Candidate, Sites)) {
    let judge = Judge::new(graph);
    for &read in &graph.order {
        let event = graph.event(read);
        if event.label.kind != Kind::Read || event.mode.acquires() || event.mode == Mode::NonAtomic {
            continue;
        }
        let writes = unkept(graph, read);
        if writes.is_empty() {
            continue;
        }
        for &source in graph.loc(event.loc).mo.iter().filter(|source| !source.is_init()) {
            if !is_later(graph, read, source) {
                continue;
            }
            let exits = exits(graph, &writes, source);
            if exits.is_empty() {
                continue;
            }
            if let Some(gets) = judge.gets(read, source) {
                let past = match gets {
                    Gets::Present => pasts.with(graph, read, graph.event(source).value),
                    Gets::Other => Past::UNSEEN,
                };
                for exit in exits {
                    let sites = [read, exit, source].map(|id| graph.event(id).label.site);
                    let write = pasts.written(graph, exit).expect("an exit is a write");
                    found(Candidate { past, write, places: sites.map(|site| std::ptr::from_ref(site).addr()) }, sites);
                }
            }
        }
    }
}

/// Whether a write follows a read by program order and reads-from, and the read would be another if it read from it.
///
/// A load that gets an equal value is none, nor can it read from what happens after it. The write of a
/// read-modify-write has then another place in the modification order, with which synchronization changes, too.
fn is_later(graph: &Graph, read: EventId, source: EventId) -> bool {
    let (event, write) = (graph.event(read), graph.event(source));
    source.thread() != read.thread()
        && write.label.kind == Kind::Write
        && write.porf.contains(read)
        && (event.exclusive || !write.hb.contains(read) && write.value != event.value)
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

/// Returns those of a thread's writes that another thread has read on the way to `source`.
fn exits(graph: &Graph, writes: &[EventId], source: EventId) -> Vec<EventId> {
    let past = &graph.event(source).porf;
    let leads_on = |write: &EventId| {
        past.contains(*write)
            && graph.loc(graph.event(*write).loc).accesses.iter().any(|&reader| {
                let event = graph.event(reader);
                event.label.kind == Kind::Read
                    && event.rf == *write
                    && reader.thread() != write.thread()
                    && past.contains(reader)
            })
    };
    writes.iter().copied().filter(leads_on).collect()
}
