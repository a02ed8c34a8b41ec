//! The exploration: the graphs that follow from a graph, and the stack of remaining alternatives.
//!
//! A graph grows by one event at a time. If an event can be added in several ways, the others are
//! kept as alternatives of a choice. Backtracking takes events off the graph until the event of the
//! last choice is the newest. A backward revisit deletes events, so it starts a frame of its own,
//! with a copy of the graph if alternatives are left in the old one.

mod add;
mod equal;
mod locks;
mod piece;
mod probe;
mod revisit;
mod schedule;
pub(crate) mod script;
mod split;
mod stray;
mod walk;

use crate::graph::event::{EventId, LocId};
use crate::graph::rules::Rules;
use crate::graph::{Conflict, Graph};

use serde::{Deserialize, Serialize};

pub(crate) use piece::Piece;
use probe::Thinning;
use schedule::{Schedule, Threads};
use script::Script;
use walk::{Matter, Walk};

/// One way to continue.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
enum Alternative {
    /// A read reads from the write at this index of the modification order.
    Source { index: u32, spurious: bool },
    /// A read-modify-write reads from the write at this index, although another one already follows
    /// it: its own write has no place, but revisits.
    Overtake { index: u32 },
    /// A write goes to this index of the modification order.
    Place { index: u32 },
    /// A write is read by this read, which was added before it.
    Revisit { read: EventId, spurious: bool },
}

impl Alternative {
    /// Whether the alternative deletes events, so that the present run cannot continue with it.
    fn leads_elsewhere(self) -> bool {
        matches!(self, Self::Revisit { .. } | Self::Overtake { .. })
    }
}

/// The source that a new read tries first.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Preference {
    /// The newest source.
    Newest,
    /// The oldest source, for a round of a wait. Sources that let it fail then cost nothing,
    /// because the round can be done again with the next one.
    Oldest,
    /// The source of the read of the round before.
    Like { source: EventId, spurious: bool },
}

/// An event that can be added in several ways. Its alternatives lie between `start` and the start
/// of the next choice.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Choice {
    event: EventId,
    start: usize,
    /// The read that this write revisits, if the choice is about its place after a revisit.
    revisited: Option<EventId>,
    /// The share of the whole exploration that each alternative had at first.
    each: f64,
}

/// A graph to return to, and how many choices belong to it and those below.
#[derive(Debug)]
struct Frame {
    graph: Graph,
    choices: usize,
}

/// A state of the exploration within one run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mark {
    events: usize,
    choices: usize,
    alternatives: usize,
    weight: f64,
}

/// Walks through all graphs of a program, in depth first order.
#[derive(Debug, Default)]
pub(crate) struct Explorer {
    pub(crate) graph: Graph,
    frames: Vec<Frame>,
    choices: Vec<Choice>,
    alternatives: Vec<Alternative>,
    pool: Vec<Graph>,
    /// The number of writes of each location that [`Self::collect`] has passed.
    passed: Vec<u32>,
    /// Locations that no event touches any more, but that the run still has.
    idle_locs: Vec<LocId>,
    /// The last error of memory. It ends the exploration.
    pub(crate) conflict: Option<Conflict>,
    /// The share of the whole exploration for which the present graph stands, if all alternatives
    /// of each choice are equal.
    weight: f64,
    /// The share that has been explored.
    pub(crate) explored: f64,
    /// The number of branches that were left out because of their preemptions.
    pub(crate) left_out: u64,
    /// The search within a bound on preemptions.
    schedule: Option<Schedule>,
    /// The threads that can do the next event.
    pub(crate) enabled: Threads,
    /// The one execution to be replayed, in place of an exploration.
    pub(crate) script: Option<Script>,
    /// Random walks, in place of an exploration, or the rest of a run that has strayed.
    pub(crate) walk: Option<Walk>,
    /// Whether the present run has strayed from the graph.
    strays: bool,
    /// The `seed` of the path of a run that has strayed.
    stray_seed: u64,
    /// Whether executions that differ only in the names of equal threads may be left out.
    pub(crate) equates_threads: bool,
    /// The part of the search tree that is explored, chosen at random.
    probe: Option<Thinning>,
}

impl Explorer {
    pub(crate) fn new(rules: Rules) -> Self {
        let schedule = rules.preemptions.map(Schedule::new);
        // How many schedules there are is not known.
        let weight = if schedule.is_some() { 0.0 } else { 1.0 };
        Self { graph: Graph::new(rules), weight, schedule, ..Self::default() }
    }

    /// Makes an explorer of `walks` random walks.
    pub(crate) fn walker(rules: Rules, walks: u64, seed: u64) -> Self {
        let walk = Walk::new(walks, seed);
        Self { graph: Graph::new(rules), weight: walk.share(), walk: Some(walk), ..Self::default() }
    }

    /// Whether this explorer visits all executions, and not one or a random choice.
    pub(crate) fn is_exhaustive(&self) -> bool {
        self.script.is_none() && self.walk.is_none() && self.probe.is_none()
    }

    /// Takes the last alternative from `start` on that is consistent and extends the present graph.
    ///
    /// If there is none, the alternatives are left for later.
    fn begin(&mut self, event: EventId, start: usize, revisited: Option<EventId>) -> bool {
        if self.walk.is_some() {
            return self.stroll(event, start);
        }
        self.push_choice(event, start, revisited);
        self.advance(true)
    }

    /// Takes a random one of the alternatives from `start` on, and forgets the others.
    fn stroll(&mut self, event: EventId, start: usize) -> bool {
        let ways = &mut self.alternatives[start..];
        let matter = match *ways {
            [Alternative::Source { index: one, .. }, Alternative::Source { index: other, .. }] if one == other => {
                Matter::Success
            }
            [Alternative::Source { .. }, ..] => Matter::Source,
            _ => Matter::Place,
        };
        if let Some(walk) = &mut self.walk {
            walk.arrange(ways, matter);
        }
        let (weight, explored, choices) = (self.weight, self.explored, self.choices.len());
        self.push_choice(event, start, None);
        let found = self.advance(true);
        self.choices.truncate(choices);
        self.alternatives.truncate(start);
        (self.weight, self.explored) = (weight, explored);
        found
    }

    /// Clears the graph and begins the next walk. Returns `false` if there is none.
    fn next_walk(&mut self) -> bool {
        let Some(walk) = self.walk.as_mut().filter(|walk| !walk.is_last()) else { return false };
        walk.begin();
        self.weight = walk.share();
        self.graph.copy_from(&Graph::new(self.graph.rules));
        self.idle_locs.clear();
        true
    }

    fn push_choice(&mut self, event: EventId, start: usize, revisited: Option<EventId>) {
        let ways = (self.alternatives.len() - start).max(1);
        self.choices.push(Choice { event, start, revisited, each: self.weight / ways as f64 });
        self.narrow();
    }

    /// Ends the run on the present graph, after its graph has been examined.
    pub(crate) fn finish(&mut self) {
        self.explored += self.weight;
        self.end_stray();
    }

    /// Goes to the next graph: takes the next alternative of the last choice that has one. Returns
    /// `false` if everything is explored.
    pub(crate) fn backtrack(&mut self) -> bool {
        if self.walk.is_some() {
            return self.next_walk();
        }
        if self.schedule().is_some() {
            return self.reschedule();
        }
        loop {
            if self.choices.len() == self.frames.last().map_or(0, |f| f.choices) {
                // These are locations of the graph that the explorer leaves.
                self.idle_locs.clear();
                if !self.leave_frame() {
                    return false;
                }
                continue;
            }
            for loc in self.idle_locs.drain(..) {
                self.graph.recycle(loc);
            }
            let event = self.choices[self.choices.len() - 1].event;
            while self.graph.newest() != Some(event) {
                if let Some(loc) = self.graph.pop() {
                    self.graph.recycle(loc);
                }
            }
            if self.advance(false) || self.conflict.is_some() {
                return true;
            }
        }
    }

    /// Takes the next alternative of the last choice within the present run.
    ///
    /// The choice must be about an event of `thread` from index `from` on, and only that thread may
    /// have added events since.
    pub(crate) fn retry(&mut self, thread: usize, from: usize) -> bool {
        if self.choices.len() == self.frames.last().map_or(0, |f| f.choices) {
            return false;
        }
        let event = self.choices[self.choices.len() - 1].event;
        let stamp = self.graph.event(event).stamp as usize;
        let own = self.graph.order[stamp..].iter().all(|id| id.thread() == thread);
        if event.thread() != thread || event.index() < from || !own {
            return false;
        }
        self.take_back(stamp + 1);
        self.forget_turns(stamp + 1);
        self.advance(true)
    }

    /// Removes, within the present run, all events but the first `length`.
    fn take_back(&mut self, length: usize) {
        while self.graph.order.len() > length {
            let loc = self.graph.pop();
            self.idle_locs.extend(loc);
        }
    }

    /// Returns the state of the exploration, for [`Self::rewind`].
    pub(crate) fn mark(&self) -> Mark {
        Mark {
            events: self.graph.order.len(),
            choices: self.choices.len(),
            alternatives: self.alternatives.len(),
            weight: self.weight,
        }
    }

    /// Removes the events that `thread` has added since the mark, and their choices. Returns
    /// `false`, and changes nothing, if another thread has added an event, too.
    pub(crate) fn rewind(&mut self, mark: &Mark, thread: usize) -> bool {
        let own = |id: &EventId| id.thread() == thread;
        let ours = self.graph.order.get(mark.events..);
        if !ours.is_some_and(|added| added.iter().all(own)) || self.choices.len() < mark.choices {
            return false;
        }
        self.take_back(mark.events);
        // Which threads have been tried for the next event remains known.
        self.forget_turns(mark.events + 1);
        self.choices.truncate(mark.choices);
        self.alternatives.truncate(mark.alternatives);
        self.weight = mark.weight;
        true
    }

    fn leave_frame(&mut self) -> bool {
        match self.frames.pop() {
            None => false,
            Some(frame) => {
                let left = std::mem::replace(&mut self.graph, frame.graph);
                self.pool.push(left);
                true
            }
        }
    }

    /// Takes the next consistent alternative of the last choice, whose event is the newest.
    ///
    /// The choice is removed with its last alternative. Returns `false` if none is consistent, or
    /// if the run continues (`running`) and the next one leads elsewhere.
    fn advance(&mut self, running: bool) -> bool {
        let Some(&choice) = self.choices.last() else {
            return false;
        };
        loop {
            let alternative = self.alternatives[choice.start..].last().copied();
            if running && alternative.is_some_and(Alternative::leads_elsewhere) {
                return false;
            }
            self.alternatives.truncate(choice.start.max(self.alternatives.len().saturating_sub(1)));
            if self.alternatives.len() == choice.start {
                self.choices.pop();
            }
            let Some(alternative) = alternative else {
                return false;
            };
            self.weight = choice.each;
            if self.take(&choice, alternative) {
                return true;
            }
            self.explored += choice.each;
            if self.conflict.is_some() || self.alternatives.len() == choice.start {
                return false;
            }
        }
    }

    fn take(&mut self, choice: &Choice, alternative: Alternative) -> bool {
        let id = choice.event;
        match alternative {
            Alternative::Source { index, spurious } => {
                let source = self.graph.loc(self.graph.event(id).loc).mo[index as usize];
                self.graph.set_source(id, source, spurious);
                self.is_consistent(id, None)
            }
            Alternative::Overtake { index } => self.overtake(id, index),
            Alternative::Place { index } => {
                self.graph.displace(id);
                self.graph.place(id, index);
                self.is_consistent(id, choice.revisited)
            }
            Alternative::Revisit { read, spurious } => self.enter_revisit(id, read, spurious),
        }
    }

    /// Whether the graph obeys the memory model after `id`, and a revisited read, were added or
    /// changed.
    ///
    /// Coherence holds by construction, so the SC axiom is checked, and then races.
    fn is_consistent(&mut self, id: EventId, revisited: Option<EventId>) -> bool {
        let graph = &self.graph;
        let sequential = graph.rules.sequential;
        let concerned = |id: EventId| {
            if sequential { graph.is_overtaken(id) } else { graph.bears_on_sc(id) }
        };
        let consistent = match concerned(id) || revisited.is_some_and(concerned) {
            false => true,
            true if sequential => graph.is_serializable(),
            true => graph.satisfies_sc(&[id, revisited.unwrap_or(id)]),
        };
        if !consistent {
            return false;
        }
        self.conflict = graph.conflict_with(id).or_else(|| revisited.and_then(|r| graph.conflict_with(r)));
        self.conflict.is_none()
    }
}
