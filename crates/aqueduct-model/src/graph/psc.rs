//! The SC axiom of RC11: `psc` has no cycle.
//!
//! In each location an access has a key: twice the index in the modification order of the write
//! that it reads or makes, plus one if it reads. Then `eco` between two accesses of the location is
//! "a lower key", and `mo | rb` means "a lower key" for a second access that writes. So a fence
//! needs to know only the lowest key after it and the highest before it.
//!
//! # Asymmetric fences
//! A heavy fence makes each thread pass a barrier at some moment between its start and its end, and
//! a light fence of the thread is before or after that moment. So `psc` has an edge between the two
//! as between SC fences. It has none between light fences of two threads, nor between a light fence
//! and any other event. Two heavy fences can reach two threads in either order: a cycle counts only
//! if its light fences are of one thread. Neither fence is a part of happens-before. These rules
//! are weaker than C++'s proposal P1202 demands, so no execution that it allows is left out.

use super::Graph;
use super::event::{Event, EventId, Kind, LocId, UNPLACED};
use super::rules::Fault;

/// Edges between SC events as a bit matrix.
struct Matrix {
    words: usize,
    rows: Vec<u64>,
}

impl Matrix {
    fn new(size: usize) -> Self {
        let words = size.div_ceil(64);
        Self { words, rows: vec![0; words * size] }
    }

    fn set(&mut self, from: usize, to: usize) {
        if from != to {
            self.rows[from * self.words + to / 64] |= 1 << (to % 64);
        }
    }

    /// Removes nodes without an edge to a remaining node, until none is left or none can go.
    fn is_acyclic(&self) -> bool {
        let size = self.rows.len() / self.words;
        let mut left = vec![u64::MAX; self.words];
        if !size.is_multiple_of(64) {
            left[self.words - 1] = (1 << (size % 64)) - 1;
        }
        let mut remaining = size;
        loop {
            let before = remaining;
            for node in 0..size {
                let row = &self.rows[node * self.words..][..self.words];
                let here = left[node / 64] >> (node % 64) & 1 == 1;
                if here && row.iter().zip(&left).all(|(edges, left)| edges & left == 0) {
                    left[node / 64] &= !(1 << (node % 64));
                    remaining -= 1;
                }
            }
            if remaining == 0 || remaining == before {
                return remaining == 0;
            }
        }
    }
}

/// The accesses around a fence in one location.
#[derive(Clone, Copy)]
struct Reach {
    lowest_after: u32,
    highest_before: Option<u32>,
    highest_write_before: Option<u32>,
}

impl Graph {
    /// Whether adding or changing `id`, the last event of its thread, can break the SC axiom at all.
    ///
    /// A new cycle must leave it, and the only edge out of it goes to a later write of its location.
    pub(crate) fn bears_on_sc(&self, id: EventId) -> bool {
        self.sc_events > 1 && (self.sc_fences > 0 || self.event(id).is_sc()) && self.is_overtaken(id)
    }

    /// Whether an access reads or is a write that is not the last of its location.
    pub(crate) fn is_overtaken(&self, id: EventId) -> bool {
        let event = self.event(id);
        matches!(event.label.kind, Kind::Read | Kind::Write)
            && self.mo_index(id) as usize + 1 < self.loc(event.loc).mo.len()
    }

    /// Whether the graph obeys the SC axiom, given that it did before the last change, which was to
    /// `changed`.
    pub(crate) fn satisfies_sc(&self, changed: &[EventId]) -> bool {
        let nodes: Vec<EventId> = (self.order.iter().copied()).filter(|&id| self.event(id).is_sc()).collect();
        if nodes.len() < 2 {
            return true;
        }
        if self.sc_fences == 0 {
            return !changed.iter().any(|&id| self.event(id).is_sc() && self.is_on_cycle(id, &nodes));
        }
        let is_light = |id: EventId| self.event(id).label.kind == Kind::LightFence;
        let lights =
            (0..self.threads.len()).filter(|&thread| nodes.iter().any(|&id| id.thread() == thread && is_light(id)));
        let mut with_light = lights.peekable();
        if with_light.peek().is_none() {
            return self.orders(&nodes);
        }
        with_light.all(|thread| {
            let of_one = nodes.iter().copied().filter(|&id| id.thread() == thread || !is_light(id));
            self.orders(&of_one.collect::<Vec<_>>())
        })
    }

    /// Whether `psc` orders these nodes. All light fences among them are of one thread.
    fn orders(&self, nodes: &[EventId]) -> bool {
        let mut matrix = Matrix::new(nodes.len());
        self.add_program_edges(nodes, &mut matrix);
        for loc in 0..self.locs.len() {
            self.add_location_edges(loc as LocId, nodes, &mut matrix);
        }
        matrix.is_acyclic()
    }

    /// Whether an SC access lies on a cycle, in a graph without SC fences.
    fn is_on_cycle(&self, id: EventId, nodes: &[EventId]) -> bool {
        let mut unseen = nodes.to_vec();
        let mut reached = vec![id];
        while let Some(a) = reached.pop() {
            let mut at = 0;
            while at < unseen.len() {
                let b = unseen[at];
                if a == b || !self.access_edge(a, b) {
                    at += 1;
                    continue;
                }
                if b == id {
                    return true;
                }
                reached.push(b);
                unseen.swap_remove(at);
            }
        }
        false
    }

    /// Whether `psc` has an edge between two accesses.
    fn access_edge(&self, a: EventId, b: EventId) -> bool {
        let (from, to) = (self.event(a), self.event(b));
        if from.loc == to.loc {
            let overtaken =
                to.label.kind.is_writing() && matches!((self.key(a), self.key(b)), (Some(a), Some(b)) if b > a | 1);
            if overtaken || to.hb.contains(a) {
                return true;
            }
        }
        self.program_edge(a, b)
    }

    fn is_fence(&self, id: EventId) -> bool {
        self.event(id).label.kind.is_fence()
    }

    /// Whether the two can be ordered at all: a light fence only with heavy ones, and with those of its
    /// thread.
    fn pairs(&self, a: EventId, b: EventId) -> bool {
        let kinds = [a, b].map(|id| self.event(id).label.kind);
        a.thread() == b.thread() || !kinds.contains(&Kind::LightFence) || kinds.contains(&Kind::HeavyFence)
    }

    /// Adds the edges that come from sb and hb alone, in any location.
    fn add_program_edges(&self, nodes: &[EventId], matrix: &mut Matrix) {
        for (i, &a) in nodes.iter().enumerate() {
            for (j, &b) in nodes.iter().enumerate() {
                if i != j && self.pairs(a, b) && self.program_edge(a, b) {
                    matrix.set(i, j);
                }
            }
        }
    }

    fn program_edge(&self, a: EventId, b: EventId) -> bool {
        if a.thread() == b.thread() {
            return a.index() < b.index();
        }
        if !self.event(b).hb.contains(a) {
            return false;
        }
        match (self.is_fence(a), self.is_fence(b)) {
            (true, true) => true,
            // The edge is hb from the fence to an event before b in its thread.
            (true, false) => self.before(b).is_some_and(|e| e.hb.contains(a)),
            (false, true) => self.event(b).hb.contains(successor(a)),
            (false, false) if self.rules.fault == Fault::ScTakesAllHb => true,
            (false, false) => {
                let leaves = self.next_elsewhere(a);
                let arrives = self.previous_elsewhere(b);
                leaves.is_some_and(|u| arrives.is_some_and(|v| v.hb.contains(u)))
            }
        }
    }

    /// Returns the first event after `id` in its thread that is not an access to its location.
    fn next_elsewhere(&self, id: EventId) -> Option<EventId> {
        let loc = self.event(id).loc;
        (id.index() + 1..self.len(id.thread()))
            .map(|index| EventId::new(id.thread(), index))
            .find(|&other| self.event(other).loc != loc)
    }

    /// Returns the last event before `id` in its thread that is not an access to its location. The creation
    /// of the thread stands for its start.
    fn previous_elsewhere(&self, id: EventId) -> Option<&Event> {
        let loc = self.event(id).loc;
        (self.threads[id.thread()][..id.index()].iter().rev())
            .find(|e| e.loc != loc)
            .or_else(|| self.creators[id.thread()].map(|c| self.event(c)))
    }

    fn key(&self, id: EventId) -> Option<u32> {
        let event = self.event(id);
        let index = self.mo_index(id);
        (index != UNPLACED).then(|| 2 * index + u32::from(!event.label.kind.is_writing()))
    }

    /// Adds the edges of one location: hb between its accesses, mo, rb, and eco for fences.
    fn add_location_edges(&self, loc: LocId, nodes: &[EventId], matrix: &mut Matrix) {
        if self.loc(loc).accesses.is_empty() {
            return;
        }
        let around: Vec<Option<Reach>> =
            nodes.iter().map(|&id| self.is_fence(id).then(|| self.reach(id, loc))).collect();
        for (i, &a) in nodes.iter().enumerate() {
            for (j, &b) in nodes.iter().enumerate() {
                if i != j && self.pairs(a, b) && self.location_edge(loc, (a, around[i]), (b, around[j])) {
                    matrix.set(i, j);
                }
            }
        }
    }

    fn reach(&self, fence: EventId, loc: LocId) -> Reach {
        let mut reach = Reach { lowest_after: u32::MAX, highest_before: None, highest_write_before: None };
        for &id in self.loc(loc).accesses.iter() {
            let Some(key) = self.key(id) else { continue };
            if self.event(id).hb.contains(fence) {
                reach.lowest_after = reach.lowest_after.min(key);
            } else if self.event(fence).hb.contains(id) {
                reach.highest_before = reach.highest_before.max(Some(key));
                if self.event(id).label.kind.is_writing() {
                    reach.highest_write_before = reach.highest_write_before.max(Some(key));
                }
            }
        }
        reach
    }

    fn location_edge(
        &self,
        loc: LocId,
        (a, after): (EventId, Option<Reach>),
        (b, before): (EventId, Option<Reach>),
    ) -> bool {
        let at = |id: EventId| self.event(id).loc == loc;
        match (after, before) {
            (Some(_), Some(_)) if self.rules.fault == Fault::ScForgetsEco => false,
            (None, Some(_)) if self.rules.fault == Fault::ScForgetsAccessToFence => false,
            (Some(after), Some(before)) => before.highest_before.is_some_and(|key| key > after.lowest_after),
            (Some(after), None) => {
                at(b) && {
                    let event = self.event(b);
                    let overtaken =
                        event.label.kind.is_writing() && self.key(b).is_some_and(|key| key > after.lowest_after);
                    overtaken || event.hb.contains(a) && self.passes(a, loc, b)
                }
            }
            (None, Some(before)) => {
                at(a) && {
                    let overtakes =
                        before.highest_write_before.is_some_and(|key| key > self.key(a).unwrap_or(u32::MAX) | 1);
                    overtakes || self.event(b).hb.contains(a) && self.passes(a, loc, b)
                }
            }
            (None, None) => at(a) && at(b) && self.access_edge(a, b),
        }
    }

    /// Whether an access to `loc` happens between the two.
    fn passes(&self, a: EventId, loc: LocId, b: EventId) -> bool {
        (self.loc(loc).accesses.iter())
            .any(|&x| x != a && x != b && self.event(x).hb.contains(a) && self.event(b).hb.contains(x))
    }
}

/// Returns the event after `id` in its thread, whether it exists yet or not.
fn successor(id: EventId) -> EventId {
    EventId::new(id.thread(), id.index() + 1)
}
