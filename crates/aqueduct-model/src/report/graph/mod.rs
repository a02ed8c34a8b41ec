//! An execution as a picture: the data from which pages and DOT files are made.

pub(super) mod build;
mod cycle;
mod dot;
mod html;
mod layout;

use std::fmt;

/// What an edge of an [`ExecutionGraph`] says of its two events.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[non_exhaustive]
pub enum EdgeKind {
    /// The next event of the same thread.
    ProgramOrder,
    /// From the creation of a thread to its first event, or from its last event to the join.
    Thread,
    /// From a write to a read that gets its value.
    ReadsFrom,
    /// From a write to the next one in the modification order of its location.
    ModificationOrder,
    /// From a read to the write that comes right after the one that it reads from.
    FromReads,
    /// Between two accesses that must not both be as they are, such as a race. It has no direction.
    Conflict,
}

impl EdgeKind {
    /// Every kind.
    pub const ALL: [Self; 6] =
        [Self::ProgramOrder, Self::Thread, Self::ReadsFrom, Self::ModificationOrder, Self::FromReads, Self::Conflict];

    /// Returns the short name that the literature uses, such as `rf`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::ProgramOrder => "sb",
            Self::Thread => "thread",
            Self::ReadsFrom => "rf",
            Self::ModificationOrder => "mo",
            Self::FromReads => "fr",
            Self::Conflict => "conflict",
        }
    }

    /// Returns what it means, in a few words.
    fn meaning(self) -> &'static str {
        match self {
            Self::ProgramOrder => "next in its thread",
            Self::Thread => "spawn and join",
            Self::ReadsFrom => "is read by",
            Self::ModificationOrder => "is overwritten by",
            Self::FromReads => "reads what is overwritten by",
            Self::Conflict => "conflicts with",
        }
    }
}

impl fmt::Display for EdgeKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// An event of an [`ExecutionGraph`].
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct GraphEvent {
    /// What it is called, such as `#3`.
    pub name: String,
    /// Its thread, as an index into [`ExecutionGraph::threads`]; of an initial value the thread next to which it is
    /// drawn.
    pub thread: usize,
    /// What it does, with values.
    pub text: String,
    /// Where in the program it stands; empty if nowhere.
    pub place: String,
    /// It is the value of a location before any write. No thread does it.
    pub initial: bool,
    /// It is drawn in red.
    pub marked: bool,
}

/// An edge of an [`ExecutionGraph`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct GraphEdge {
    /// The event where it begins, as an index into [`ExecutionGraph::events`].
    pub from: usize,
    /// The event where it ends.
    pub to: usize,
    /// What it says.
    pub kind: EdgeKind,
    /// It is drawn in red.
    pub marked: bool,
}

/// An execution as plain data: events in an order in which each comes after what it depends on, and edges between them.
///
/// Of the modification order and of what follows from it, only the edges to the next write are there; the others
/// follow from these. A marked cycle may have longer ones.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ExecutionGraph {
    /// The names of the threads, one a column.
    pub threads: Vec<String>,
    /// The events; initial values come first.
    pub events: Vec<GraphEvent>,
    /// The edges.
    pub edges: Vec<GraphEdge>,
    /// What is to be said of it: what went wrong, what is marked.
    pub notes: Vec<String>,
}

impl ExecutionGraph {
    /// Adds the edges of the program order of `events`, and those that follow from `reads_from`, pairs of a write and a
    /// read of it, and from the modification order of each location. The numbers are indices into `events`; a
    /// read-modify-write that is one event is both a read and a write.
    ///
    /// # Panics
    /// If there is no event with one of the numbers.
    pub fn connect(&mut self, reads_from: &[(usize, usize)], modification_orders: &[Vec<usize>]) {
        let mut last: Vec<Option<usize>> = vec![None; self.threads.len()];
        for (index, event) in self.events.iter().enumerate().filter(|(_, event)| !event.initial) {
            if let Some(before) = last[event.thread].replace(index) {
                self.edges.push(GraphEdge { from: before, to: index, kind: EdgeKind::ProgramOrder, marked: false });
            }
        }
        let mut next: Vec<Option<usize>> = vec![None; self.events.len()];
        for pair in modification_orders.iter().flat_map(|order| order.windows(2)) {
            next[pair[0]] = Some(pair[1]);
            self.add(pair[0], pair[1], EdgeKind::ModificationOrder);
        }
        for &(source, read) in reads_from {
            self.add(source, read, EdgeKind::ReadsFrom);
            // A read-modify-write overwrites what it reads itself.
            if let Some(over) = next[source].filter(|&over| over != read) {
                self.add(read, over, EdgeKind::FromReads);
            }
        }
    }

    /// Adds an edge.
    ///
    /// # Panics
    /// If there is no such event.
    pub fn add(&mut self, from: usize, to: usize, kind: EdgeKind) {
        assert!(from.max(to) < self.events.len(), "an edge ends at an event that there is not");
        self.edges.push(GraphEdge { from, to, kind, marked: false });
    }

    /// Marks two accesses that must not both be as they are, with an edge between them.
    ///
    /// # Panics
    /// If there is no such event.
    pub fn mark_conflict(&mut self, one: usize, other: usize) {
        if one != other {
            self.edges.push(GraphEdge { from: one, to: other, kind: EdgeKind::Conflict, marked: true });
        }
        self.events[one].marked = true;
        self.events[other].marked = true;
    }

    /// Returns this picture without the edges of one kind, except for marked ones.
    #[must_use]
    pub fn without(mut self, kind: EdgeKind) -> Self {
        self.edges.retain(|edge| edge.kind != kind || edge.marked);
        self
    }
}
