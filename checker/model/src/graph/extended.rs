//! Executions of clients that order more than the client that was run.
//!
//! Such a client also has flags: a thread raises one with a release, and another one loads it with
//! an acquire, and continues if it is raised. Its execution is the present one with these accesses
//! in it, if the memory model allows that.

use super::Graph;
use super::clock::{Clock, MAX_THREADS};
use super::event::{EventId, Kind, Label, LocId, Mode, RmwOp, UNKNOWN};

/// A place between two events of a thread.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Point {
    pub(crate) thread: usize,
    /// The thread's number of events before the point.
    pub(crate) position: usize,
    /// The place among the points between the same two events.
    pub(crate) rank: usize,
}

/// A flag: what comes before `raised` happens before what comes after `seen`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Flag {
    pub(crate) raised: Point,
    pub(crate) seen: Point,
}

impl Graph {
    /// Whether the memory model allows the events in `keep` to a client that has these flags, too.
    ///
    /// `keep` must be closed under sb and rf.
    pub(crate) fn allows(&self, keep: &Clock, flags: &[Flag]) -> bool {
        Extension::new(self, keep, flags).build().is_some_and(|graph| graph.is_coherent() && graph.is_sc())
    }

    fn is_coherent(&self) -> bool {
        self.locs.iter().all(|loc| {
            let atomic =
                loc.accesses.iter().filter(|&&id| matches!(self.event(id).label.kind, Kind::Read | Kind::Write));
            let placed: Vec<_> = atomic.map(|&id| (id, self.mo_index(id) as usize)).collect();
            self.agree(&placed, |id| &self.event(id).hb)
        })
    }

    fn is_sc(&self) -> bool {
        self.satisfies_sc(&self.order)
    }
}

/// The event of a flag.
#[derive(Clone, Copy)]
enum Half {
    Raise(usize),
    See(usize),
}

/// A graph under construction.
struct Extension<'a> {
    old: &'a Graph,
    keep: &'a Clock,
    new: Graph,
    /// The events of flags in each thread, in their order.
    halves: [Vec<(Point, Half)>; MAX_THREADS],
    /// The number of each thread's events of flags that have been added.
    halves_done: [usize; MAX_THREADS],
    /// The new identity of each thread's old events.
    names: [Vec<EventId>; MAX_THREADS],
    /// The event that raises each flag.
    raised: Vec<Option<EventId>>,
}

impl<'a> Extension<'a> {
    fn new(old: &'a Graph, keep: &'a Clock, flags: &[Flag]) -> Self {
        let mut new = Graph::new(old.rules);
        for loc in &old.locs {
            let here = new.new_loc();
            new.locs[here as usize].initial = loc.initial;
        }
        let mut halves: [Vec<(Point, Half)>; MAX_THREADS] = Default::default();
        for (number, flag) in flags.iter().enumerate() {
            new.new_loc();
            halves[flag.raised.thread].push((flag.raised, Half::Raise(number)));
            halves[flag.seen.thread].push((flag.seen, Half::See(number)));
        }
        for halves in &mut halves {
            halves.sort_by_key(|&(point, _)| point);
        }
        let raised = vec![None; flags.len()];
        Self { old, keep, new, halves, halves_done: [0; MAX_THREADS], names: Default::default(), raised }
    }

    /// Returns the graph, or `None` if events would have to wait for each other.
    fn build(mut self) -> Option<Graph> {
        let size = (0..MAX_THREADS).map(|thread| self.keep.count(thread) + self.halves[thread].len()).sum();
        while self.new.order.len() < size {
            let before = self.new.order.len();
            for thread in 0..MAX_THREADS {
                while self.advance(thread) {}
            }
            if self.new.order.len() == before {
                return None;
            }
        }
        self.order_writes();
        Some(self.new)
    }

    /// Adds the next event of a thread, if all events that it depends on are there.
    fn advance(&mut self, thread: usize) -> bool {
        let done = self.names[thread].len();
        let half = self.halves[thread].get(self.halves_done[thread]);
        match half.copied() {
            Some((point, half)) if point.position <= done => self.add_half(thread, half),
            _ => done < self.keep.count(thread) && self.add_old(EventId::new(thread, done)),
        }
    }

    fn add_half(&mut self, thread: usize, half: Half) -> bool {
        match half {
            Half::Raise(flag) => {
                let loc = self.loc_of(flag);
                let label = Label { operand: 1, ..Label::new(Kind::Write, Mode::Release, UNKNOWN) };
                let id = self.new.push(thread, label, loc);
                self.new.place(id, 1);
                self.new.set_release(id);
                self.raised[flag] = Some(id);
            }
            Half::See(flag) => {
                let Some(source) = self.raised[flag] else { return false };
                let id = self.new.push(thread, Label::new(Kind::Read, Mode::Acquire, UNKNOWN), self.loc_of(flag));
                self.new.set_source(id, source, false);
            }
        }
        self.halves_done[thread] += 1;
        true
    }

    fn loc_of(&self, flag: usize) -> LocId {
        (self.old.locs.len() + flag) as LocId
    }

    fn add_old(&mut self, id: EventId) -> bool {
        let event = self.old.event(id);
        let thread = id.thread();
        let Some(source) = self.name(event.rf) else { return false };
        if id.index() == 0 && self.old.creators[thread].is_some_and(|creation| self.name(creation).is_none()) {
            return false;
        }
        let mut label = event.label;
        if label.op == RmwOp::Carry {
            let earlier = self.names[thread].get(label.expected as usize);
            label.expected = earlier.map_or(u64::MAX, |earlier| earlier.index() as u64);
        }
        let new = self.new.push(thread, label, event.loc);
        match label.kind {
            Kind::Read => self.new.set_source(new, source, event.spurious),
            Kind::Write => {
                let write = self.new.event_mut(new);
                (write.value, write.exclusive) = (event.value, event.exclusive);
                self.new.set_release(new);
            }
            Kind::Join => self.new.set_joined(new, source),
            _ => {}
        }
        self.names[thread].push(new);
        true
    }

    /// Returns the new identity of an old event, if it has been added.
    fn name(&self, old: EventId) -> Option<EventId> {
        if old.is_init() { Some(old) } else { self.names[old.thread()].get(old.index()).copied() }
    }

    /// Gives the writes their old order in each location.
    fn order_writes(&mut self) {
        for loc in 0..self.old.locs.len() {
            let writes: Vec<_> = self.old.locs[loc].mo.iter().filter_map(|&write| self.name(write)).collect();
            self.new.order_writes(loc, writes);
        }
    }
}
