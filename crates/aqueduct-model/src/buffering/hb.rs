//! Whether RC11's axioms but one allow an execution in which one read reads from a later write.
//!
//! The graph's clocks do not serve here: they are made event by event, and such an execution has no order of events. So
//! happens-before is a matrix of bits, made anew for each question. The axiom about `SeqCst` is left out, and so are
//! asymmetric fences: both only forbid.

use crate::graph::Graph;
use crate::graph::event::{EventId, Kind};

/// A read that reads from another write than in the graph.
struct Changed<'a> {
    graph: &'a Graph,
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

/// Returns what `read` gets from `source`, if the execution is then coherent and atomic.
pub(super) fn gets(graph: &Graph, read: EventId, source: EventId) -> Option<Gets> {
    let mo = &graph.loc(graph.event(read).loc).mo;
    let orders = if graph.event(read).exclusive {
        [moved_along(graph, mo, read, source), moved_alone(mo, read, source)]
    } else {
        [Some(mo.clone()), None]
    };
    let allows = |mo| {
        let changed = Changed { graph, read, source, mo };
        let before = changed.happens_before();
        before.is_irreflexive() && changed.is_coherent(&before)
    };
    let [present, other] = orders.map(|mo| mo.is_some_and(allows));
    if present { Some(Gets::Present) } else { other.then_some(Gets::Other) }
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

impl Changed<'_> {
    /// Returns the source of a read, with the change. A read-modify-write reads from the write before its own.
    fn source_of(&self, read: EventId) -> EventId {
        let event = self.graph.event(read);
        if event.exclusive && event.loc == self.graph.event(self.read).loc {
            let at = self.mo.iter().position(|&write| write == own(read));
            return at.map_or(event.rf, |at| self.mo[at - 1]);
        }
        if read == self.read { self.source } else { event.rf }
    }

    /// Returns the place in the modification order of what an access reads or makes.
    fn place(&self, id: EventId) -> usize {
        let event = self.graph.event(id);
        let write = if event.label.kind == Kind::Write { id } else { self.source_of(id) };
        if event.loc != self.graph.event(self.read).loc {
            return self.graph.mo_index(id) as usize;
        }
        self.mo.iter().position(|&other| other == write).unwrap_or(usize::MAX)
    }

    /// Whether each location is coherent: its accesses that happen one after the other agree with its modification
    /// order.
    fn is_coherent(&self, before: &Matrix) -> bool {
        let graph = self.graph;
        let is_atomic = |id: &EventId| matches!(graph.event(*id).label.kind, Kind::Read | Kind::Write);
        graph.locs.iter().all(|loc| {
            let accesses: Vec<_> = loc.accesses.iter().copied().filter(is_atomic).collect();
            let places: Vec<_> = accesses.iter().map(|&id| self.place(id)).collect();
            let rows: Vec<_> = accesses.iter().map(|&id| graph.event(id).stamp as usize).collect();
            (0..accesses.len()).all(|a| {
                (0..accesses.len()).filter(|&b| before.holds(rows[a], rows[b])).all(|b| {
                    let is_write = graph.event(accesses[b]).label.kind == Kind::Write;
                    if is_write { places[a] < places[b] } else { places[a] <= places[b] }
                })
            })
        })
    }

    /// Returns happens-before.
    fn happens_before(&self) -> Matrix {
        let graph = self.graph;
        let mut before = Matrix::new(graph.order.len());
        for (row, &id) in graph.order.iter().enumerate() {
            let event = graph.event(id);
            if let Some(previous) = graph.before(id) {
                before.add(previous.stamp as usize, row);
            }
            match event.label.kind {
                Kind::Join => before.add(graph.event(event.rf).stamp as usize, row),
                Kind::Read => {
                    if let Some(learns) = self.learns(id) {
                        self.released(self.source_of(id), &mut |from| {
                            before.add(graph.event(from).stamp as usize, graph.event(learns).stamp as usize);
                        });
                    }
                }
                _ => {}
            }
        }
        before.close();
        before
    }

    /// Returns the event at which a read's thread learns what the source released: the read, or an acquire fence
    /// after it.
    fn learns(&self, read: EventId) -> Option<EventId> {
        if self.graph.event(read).mode.acquires() {
            return Some(read);
        }
        let mut later = (read.index() + 1..self.graph.len(read.thread())).map(|at| EventId::new(read.thread(), at));
        later.find(|&id| {
            let event = self.graph.event(id);
            event.label.kind == Kind::Fence && event.mode.acquires()
        })
    }

    /// Passes each event that a reader of `write` synchronizes with: those of the release sequences that it is in.
    fn released(&self, mut write: EventId, from: &mut dyn FnMut(EventId)) {
        for _ in 0..self.graph.order.len() {
            if write.is_init() {
                return;
            }
            let event = self.graph.event(write);
            if event.label.kind != Kind::Write {
                return;
            }
            if event.mode.releases() {
                from(write);
            } else if event.release_fence > 0 {
                from(EventId::new(write.thread(), usize::from(event.release_fence) - 1));
            }
            if let Some(carried) = self.graph.carried(write) {
                self.released(carried, from);
            }
            if !event.exclusive {
                return;
            }
            write = self.source_of(EventId::new(write.thread(), write.index() - 1));
        }
    }
}

/// A relation on events, by their places in the order of addition.
struct Matrix {
    rows: Vec<Vec<u64>>,
}

impl Matrix {
    fn new(size: usize) -> Self {
        Self { rows: vec![vec![0; size.div_ceil(64)]; size] }
    }

    fn add(&mut self, from: usize, to: usize) {
        self.rows[from][to / 64] |= 1 << (to % 64);
    }

    fn holds(&self, from: usize, to: usize) -> bool {
        self.rows[from][to / 64] >> (to % 64) & 1 == 1
    }

    /// Makes the relation transitive.
    fn close(&mut self) {
        for middle in 0..self.rows.len() {
            let row = std::mem::take(&mut self.rows[middle]);
            for (from, other) in self.rows.iter_mut().enumerate() {
                if from != middle && other[middle / 64] >> (middle % 64) & 1 == 1 {
                    other.iter_mut().zip(&row).for_each(|(mine, more)| *mine |= more);
                }
            }
            self.rows[middle] = row;
        }
    }

    fn is_irreflexive(&self) -> bool {
        (0..self.rows.len()).all(|row| !self.holds(row, row))
    }
}
