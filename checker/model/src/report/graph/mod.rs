//! An execution as a picture: the data from which pages and DOT files are made.

pub(super) mod build;
mod cycle;
mod dot;
mod html;
mod layout;

use std::fmt;

/// The relation of an edge of an [`ExecutionGraph`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[non_exhaustive]
pub enum EdgeKind {
    /// From an event to the next one of its thread.
    ProgramOrder,
    /// From the creation of a thread to its first event, or from its last event to the join.
    Thread,
    /// From a write to a read that gets its value.
    ReadsFrom,
    /// From a write to the next one in the modification order of its location.
    ModificationOrder,
    /// From a read to the write that comes right after the one that it reads from.
    FromReads,
    /// Between two accesses that contradict each other, such as a race. It has no direction.
    Conflict,
}

impl EdgeKind {
    /// All kinds.
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

    /// Returns the meaning, in a few words.
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
    /// The event's name, such as `#3`.
    pub name: String,
    /// Its thread, as an index into [`ExecutionGraph::threads`]. An initial value is drawn next to
    /// this thread.
    pub thread: usize,
    /// The operation, with values.
    pub text: String,
    /// The place of the operation in the source; empty if it has none.
    pub place: String,
    /// True for the value of a location before any write. It belongs to no thread.
    pub initial: bool,
    /// True if it is drawn in red.
    pub marked: bool,
}

/// An edge of an [`ExecutionGraph`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct GraphEdge {
    /// The event where it begins, as an index into [`ExecutionGraph::events`].
    pub from: usize,
    /// The event where it ends.
    pub to: usize,
    /// The relation.
    pub kind: EdgeKind,
    /// True if it is drawn in red.
    pub marked: bool,
}

/// An execution as plain data: events and edges between them.
///
/// Each event comes after those on which it depends. The edges of the modification order and of fr
/// go to the next write only; the others follow from them. A
/// marked cycle may have longer ones.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ExecutionGraph {
    /// The names of the threads, one for each column.
    pub threads: Vec<String>,
    /// The events; initial values come first.
    pub events: Vec<GraphEvent>,
    /// The edges.
    pub edges: Vec<GraphEdge>,
    /// Remarks: the error, and the meaning of the marks.
    pub notes: Vec<String>,
}

impl ExecutionGraph {
    /// Adds the edges of the program order of `events`, of `reads_from`, and of the modification
    /// order of each location.
    ///
    /// `reads_from` has pairs of a write and a read of it; edges of fr follow. The numbers are
    /// indices into `events`. A read-modify-write that is one event is both a read and a write.
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
            // A read-modify-write itself overwrites the value that it reads.
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

    /// Marks two accesses that contradict each other, with an edge between them.
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
