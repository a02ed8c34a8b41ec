//! The data of a picture, from a run.

use std::collections::BTreeMap;

use super::{EdgeKind, ExecutionGraph, GraphEvent};
use crate::graph::Graph;
use crate::graph::event::{EventId, Kind, LocId};
use crate::report::trace::{Trace, place};
use crate::runtime::heap::Allocations;
use crate::runtime::state::thread_name;

/// A picture under construction: the index in the picture of each event of the graph.
pub(crate) struct Builder<'a> {
    trace: &'a Trace<'a>,
    pub(crate) picture: ExecutionGraph,
    rows: BTreeMap<EventId, usize>,
    initials: BTreeMap<LocId, usize>,
}

impl ExecutionGraph {
    /// Returns the whole picture of a run that has not failed.
    pub(crate) fn of_run(graph: &Graph, allocations: &Allocations) -> Self {
        let everything = graph.everything();
        let trace = Trace::new(graph, allocations, &everything);
        let mut picture = Builder::new(&trace).picture;
        picture.mark_cycle();
        picture
    }
}

impl<'a> Builder<'a> {
    /// Returns the events of a trace, with their edges. Nothing is marked.
    pub(crate) fn new(trace: &'a Trace<'a>) -> Self {
        let mut builder =
            Self { trace, picture: ExecutionGraph::default(), rows: BTreeMap::new(), initials: BTreeMap::new() };
        builder.add_events();
        builder.add_edges();
        builder
    }

    /// Returns the index of an event in the picture, if it is there.
    pub(crate) fn row(&self, id: EventId) -> Option<usize> {
        self.rows.get(&id).copied()
    }

    /// Returns the rows that read from a write, or the location's initial value.
    fn reads(&self) -> Vec<EventId> {
        let graph = self.trace.graph;
        let is_read = |id: &EventId| graph.event(*id).label.kind == Kind::Read;
        self.trace.rows().into_iter().filter(is_read).collect()
    }

    fn add_events(&mut self) {
        let graph = self.trace.graph;
        let rows = self.trace.rows();
        let mut threads: Vec<usize> = rows.iter().map(|id| id.thread()).collect();
        threads.sort_unstable();
        threads.dedup();
        let column = |id: EventId| threads.iter().position(|&thread| thread == id.thread()).unwrap_or_default();
        for read in self.reads() {
            let loc = graph.event(read).loc;
            if graph.event(read).rf.is_init() && !self.initials.contains_key(&loc) {
                self.initials.insert(loc, self.picture.events.len());
                self.picture.events.push(GraphEvent {
                    name: format!("{} at first", self.trace.name(loc)),
                    thread: column(read),
                    text: format!("{} = {}", self.trace.name(loc), self.trace.initial(read)),
                    initial: true,
                    ..GraphEvent::default()
                });
            }
        }
        for id in rows {
            let event = graph.event(id);
            self.rows.insert(id, self.picture.events.len());
            if event.label.kind == Kind::Read && event.exclusive {
                self.rows.insert(EventId::new(id.thread(), id.index() + 1), self.picture.events.len());
            }
            self.picture.events.push(GraphEvent {
                name: self.trace.step(id),
                thread: column(id),
                text: self.trace.action(id),
                place: place(event.label.site),
                ..GraphEvent::default()
            });
        }
        self.picture.threads = threads.into_iter().map(thread_name).collect();
    }

    fn add_edges(&mut self) {
        let graph = self.trace.graph;
        let reads = self.reads().into_iter().filter_map(|read| {
            let event = graph.event(read);
            let source = if event.rf.is_init() { self.initials.get(&event.loc).copied() } else { self.row(event.rf) };
            Some((source?, self.row(read)?))
        });
        let reads: Vec<(usize, usize)> = reads.collect();
        let orders = self.trace.locations().map(|loc| {
            let at = |&id: &EventId| if id.is_init() { self.initials.get(&loc).copied() } else { self.row(id) };
            graph.loc(loc).mo.iter().filter_map(at).collect()
        });
        let orders: Vec<Vec<usize>> = orders.collect();
        self.picture.connect(&reads, &orders);
        self.add_thread_edges();
    }

    /// Adds the edges of creations and joins. A thread's last event stands for its end, which has
    /// no row.
    fn add_thread_edges(&mut self) {
        let graph = self.trace.graph;
        let rows = self.trace.rows();
        for &id in &rows {
            let label = &graph.event(id).label;
            let other = label.operand as usize;
            let mut theirs = rows.iter().filter(|row| row.thread() == other).copied();
            let ends = match label.kind {
                Kind::Create => theirs.next().map(|first| (id, first)),
                Kind::Join => theirs.next_back().or(graph.creators[other]).map(|last| (last, id)),
                _ => None,
            };
            let ends = ends.and_then(|(from, to)| Some((self.row(from)?, self.row(to)?)));
            if let Some((from, to)) = ends {
                self.picture.add(from, to, EdgeKind::Thread);
            }
        }
    }
}
