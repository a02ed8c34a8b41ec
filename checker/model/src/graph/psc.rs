//! The SC axiom of RC11: `psc` has no cycle.
//!
//! In each location an access has a key: twice the index in the modification order of the write
//! that it reads or makes, plus one if it reads. Then `eco` between two accesses of the location is
//! "a lower key", and `mo | rb` means "a lower key" for a second access that writes. So a fence
//! needs to know only the lowest key after it and the highest before it.
//!
//! # The search for cycles
//! The graph obeyed the axiom before its last change. That was to one event `e`, or to a write and
//! the read that it has revisited; each is the last of its thread, and nothing else happens after
//! it. So a new edge out of a fence is one of a fence that happens before `e`, to what has a key
//! above that of `e`. A new cycle is a path that begins with such an edge and ends at its fence, or
//! one through `e` itself. Without light fences, one of these fences has an edge where the others
//! have it, so that the path may end at any of them. A search from `e` finds both, and mostly ends
//! at its first step.
//!
//! # Asymmetric fences
//! A heavy fence makes each thread pass a barrier at some moment between its start and its end, and
//! a light fence of the thread is before or after that moment. So `psc` has an edge between the two
//! as between SC fences. It has none between light fences of two threads, nor between a light fence
//! and any other event. Two heavy fences can reach two threads in either order: a cycle counts only
//! if its light fences are of one thread. Neither fence is a part of happens-before. These rules
//! are weaker than C++'s proposal P1202 demands, so no execution that it allows is left out. Fences
//! before `e` differ in their edges where some are light, so a search begins at each of them.

use super::Graph;
use super::event::{Event, EventId, Kind, LocId, UNPLACED};
use super::rules::Fault;

impl Graph {
    /// Whether adding or changing `id`, the last event of its thread, can break the SC axiom at
    /// all.
    ///
    /// A new cycle must leave it, and the only edge out of it goes to a later write of its
    /// location.
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
        if !nodes.iter().any(|&id| self.is_light(id)) {
            return !changed.iter().any(|&id| self.closes_cycle(id, &nodes));
        }
        let mut edges = Edges { graph: self, followers: vec![None; nodes.len()], nodes };
        !changed.iter().any(|&id| edges.close_cycle(id))
    }

    /// Whether a change of `id` has closed a cycle of these nodes. None of them is a light fence.
    fn closes_cycle(&self, id: EventId, nodes: &[EventId]) -> bool {
        if self.event(id).is_sc() && self.is_on_cycle(id, nodes) {
            return true;
        }
        let is_start = |node: EventId| self.begins_edge(node, id);
        if !nodes.iter().any(|&node| is_start(node)) {
            return false;
        }
        let (reached, unseen): (Vec<_>, Vec<_>) = nodes.iter().copied().partition(|&node| self.ends_edge(id, node));
        self.lead_to(reached, unseen, is_start)
    }

    /// Whether a change of `id` may have led to new edges out of this node.
    fn begins_edge(&self, node: EventId, id: EventId) -> bool {
        self.is_fence(node) && self.event(id).hb.contains(node)
    }

    /// Whether a change of `id` may have led to new edges into this node: what happens before `id`
    /// has no key above it.
    fn ends_edge(&self, id: EventId, node: EventId) -> bool {
        let event = self.event(id);
        !event.hb.contains(node) && self.key(id).is_some_and(|key| self.comes_above(event.loc, key, node))
    }

    /// Whether an SC event lies on a cycle of these nodes.
    fn is_on_cycle(&self, id: EventId, nodes: &[EventId]) -> bool {
        self.lead_to(vec![id], nodes.to_vec(), |node| node == id)
    }

    /// Whether a path from one of the nodes `reached` through those that are `unseen` leads to a
    /// goal.
    fn lead_to(&self, mut reached: Vec<EventId>, mut unseen: Vec<EventId>, is_goal: impl Fn(EventId) -> bool) -> bool {
        while let Some(node) = reached.pop() {
            let before = reached.len();
            self.take_followers(node, &mut unseen, &mut reached);
            if reached[before..].iter().any(|&node| is_goal(node)) {
                return true;
            }
        }
        false
    }

    /// Moves those nodes to which `psc` has an edge from this one.
    fn take_followers(&self, node: EventId, nodes: &mut Vec<EventId>, followers: &mut Vec<EventId>) {
        let mut follow = |has_edge: &dyn Fn(EventId) -> bool| {
            nodes.retain(|&other| {
                let follows = other != node && self.pairs(node, other) && has_edge(other);
                if follows {
                    followers.push(other);
                }
                !follows
            });
        };
        follow(&|other| self.program_edge(node, other));
        if self.is_fence(node) {
            // Where one thread alone has access, hb orders all.
            for loc in (0..self.locs.len() as LocId).filter(|&loc| !self.loc(loc).accesses.is_of_one_thread()) {
                if let Some(lowest) = self.lowest_after(node, loc) {
                    follow(&|other| self.edge_from_fence(node, loc, lowest, other));
                }
            }
        } else {
            follow(&|other| self.edge_from_access(node, other));
        }
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

    fn is_light(&self, id: EventId) -> bool {
        self.event(id).label.kind == Kind::LightFence
    }

    fn is_fence(&self, id: EventId) -> bool {
        self.event(id).label.kind.is_fence()
    }

    /// Whether `psc` can order the two events: a light fence only with heavy ones, and with those
    /// of its thread.
    fn pairs(&self, a: EventId, b: EventId) -> bool {
        let kinds = [a, b].map(|id| self.event(id).label.kind);
        a.thread() == b.thread() || !kinds.contains(&Kind::LightFence) || kinds.contains(&Kind::HeavyFence)
    }

    /// Whether `psc` has an edge between two events by sb and hb alone, in any location.
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

    /// Returns the last event before `id` in its thread that is not an access to its location. The
    /// creation of the thread stands for its start.
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

    /// Returns the lowest key of the accesses to a location that happen after a fence.
    fn lowest_after(&self, fence: EventId, loc: LocId) -> Option<u32> {
        let accesses = self.loc(loc).accesses.iter();
        accesses.filter(|&&id| self.event(id).hb.contains(fence)).filter_map(|&id| self.key(id)).min()
    }

    /// Whether an access to a location, with a key above this one, happens before a fence.
    fn knows_above(&self, fence: EventId, loc: LocId, key: u32, is_enough: impl Fn(&Event) -> bool) -> bool {
        let known = &self.event(fence).hb;
        let is_it = |id: EventId| self.key(id).is_some_and(|other| other > key) && is_enough(self.event(id));
        self.loc(loc).accesses.iter().rev().any(|&id| known.contains(id) && is_it(id))
    }

    /// Whether an event comes after an access with this key, which comes after a fence: by eco and
    /// hb if it is a fence, by mo or rb if it is an access.
    fn comes_above(&self, loc: LocId, key: u32, id: EventId) -> bool {
        if self.is_fence(id) {
            return self.rules.fault != Fault::ScForgetsEco && self.knows_above(id, loc, key, |_| true);
        }
        let event = self.event(id);
        event.loc == loc && event.label.kind.is_writing() && self.key(id).is_some_and(|other| other > key)
    }

    /// Whether `psc` has an edge from a fence by accesses to a location. The lowest after it has
    /// the key `lowest`.
    fn edge_from_fence(&self, fence: EventId, loc: LocId, lowest: u32, to: EventId) -> bool {
        let event = self.event(to);
        let is_known = || !self.is_fence(to) && event.loc == loc && event.hb.contains(fence);
        self.comes_above(loc, lowest, to) || is_known() && self.passes(fence, loc, to)
    }

    /// Whether `psc` has an edge from an access by accesses to its location.
    fn edge_from_access(&self, from: EventId, to: EventId) -> bool {
        let loc = self.event(from).loc;
        if !self.is_fence(to) {
            return self.access_edge(from, to);
        }
        let key = self.key(from).unwrap_or(u32::MAX) | 1;
        let overtakes = || self.knows_above(to, loc, key, |event| event.label.kind.is_writing());
        let knows = || self.event(to).hb.contains(from) && self.passes(from, loc, to);
        self.rules.fault != Fault::ScForgetsAccessToFence && (overtakes() || knows())
    }

    /// Whether an access to `loc` happens between the two.
    fn passes(&self, a: EventId, loc: LocId, b: EventId) -> bool {
        (self.loc(loc).accesses.iter())
            .any(|&x| x != a && x != b && self.event(x).hb.contains(a) && self.event(b).hb.contains(x))
    }
}

/// The edges of `psc` in a graph with light fences; those of a node are computed when they are
/// needed.
struct Edges<'a> {
    graph: &'a Graph,
    /// The nodes, in the order of their stamps.
    nodes: Vec<EventId>,
    followers: Vec<Option<Vec<usize>>>,
}

impl Edges<'_> {
    /// Whether a change of `id` has closed a cycle. Light fences of two threads are on none
    /// together.
    fn close_cycle(&mut self, id: EventId) -> bool {
        let (graph, nodes) = (self.graph, self.nodes.clone());
        let places = |is_one: &dyn Fn(EventId) -> bool| -> Vec<usize> {
            (0..nodes.len()).filter(|&place| is_one(nodes[place])).collect()
        };
        let own = places(&|node| node == id);
        let starts = places(&|node| graph.begins_edge(node, id));
        let ends = if starts.is_empty() { Vec::new() } else { places(&|node| graph.ends_edge(id, node)) };
        if own.is_empty() && ends.is_empty() {
            return false;
        }
        let mut lights: Vec<usize> =
            nodes.iter().filter(|&&node| graph.is_light(node)).map(|node| node.thread()).collect();
        lights.sort_unstable();
        lights.dedup();
        lights.into_iter().any(|thread| {
            let is_there = |place: usize| nodes[place].thread() == thread || !graph.is_light(nodes[place]);
            own.iter().any(|&place| self.lead(own.clone(), place, is_there))
                || starts.iter().copied().filter(|&start| is_there(start)).any(|start| {
                    let follows = |end: &usize| is_there(*end) && graph.pairs(nodes[start], nodes[*end]);
                    self.lead(ends.iter().copied().filter(follows).collect(), start, is_there)
                })
        })
    }

    /// Whether a path leads from one of the nodes `reached` to `goal`, through nodes that are
    /// there.
    fn lead(&mut self, mut reached: Vec<usize>, goal: usize, is_there: impl Fn(usize) -> bool) -> bool {
        let mut is_seen = vec![false; self.nodes.len()];
        reached.iter().for_each(|&node| is_seen[node] = true);
        while let Some(node) = reached.pop() {
            for &next in self.followers(node) {
                if next == goal {
                    return true;
                }
                if is_there(next) && !std::mem::replace(&mut is_seen[next], true) {
                    reached.push(next);
                }
            }
        }
        false
    }

    fn followers(&mut self, node: usize) -> &[usize] {
        let Self { graph, nodes, followers } = self;
        followers[node].get_or_insert_with(|| {
            let mut followers = Vec::new();
            graph.take_followers(nodes[node], &mut nodes.clone(), &mut followers);
            let place =
                |id: EventId| nodes.binary_search_by_key(&graph.event(id).stamp, |&other| graph.event(other).stamp);
            followers.into_iter().filter_map(|id| place(id).ok()).collect()
        })
    }
}

/// Returns the event after `id` in its thread, whether it exists yet or not.
fn successor(id: EventId) -> EventId {
    EventId::new(id.thread(), id.index() + 1)
}
