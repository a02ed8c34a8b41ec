//! The execution graph: events by thread, the order of addition, and each location's
//! modification order. Everything here is about one graph; `explore` goes from one to the next.

pub(crate) mod clock;
mod coherence;
pub(crate) mod equal;
pub(crate) mod event;
pub(crate) mod extended;
mod linear;
mod loc;
mod past;
mod psc;
mod races;
pub(crate) mod rules;
mod serial;
pub(crate) mod site_map;

use serde::{Deserialize, Serialize};

use clock::{Clock, MAX_THREADS};
use event::{Event, EventId, Kind, Label, LocId, NO_LOC, Pause, RmwOp, UNPLACED};
use loc::Loc;
use rules::{Fault, Rules};

pub(crate) use races::{Clash, Conflict};

/// An execution graph.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct Graph {
    #[serde(skip)]
    pub(crate) rules: Rules,
    pub(crate) threads: [Vec<Event>; MAX_THREADS],
    /// The event that created each thread; the initial write stands for "none".
    pub(crate) creators: [Option<EventId>; MAX_THREADS],
    /// All events in the order of addition; an event's stamp is its place here.
    pub(crate) order: Vec<EventId>,
    pub(crate) locs: Vec<Loc>,
    free_locs: Vec<LocId>,
    /// The pause of the next event's thread before it.
    #[serde(skip)]
    pub(crate) pause: Pause,
    sc_events: u32,
    sc_fences: u32,
}

impl Graph {
    pub(crate) fn new(rules: Rules) -> Self {
        Self { rules, ..Self::default() }
    }

    /// Copies `other` into this graph, and keeps this graph's memory.
    pub(crate) fn copy_from(&mut self, other: &Self) {
        self.rules = other.rules;
        for (mine, theirs) in self.threads.iter_mut().zip(&other.threads) {
            mine.clone_from(theirs);
        }
        self.creators = other.creators;
        self.order.clone_from(&other.order);
        while self.locs.len() < other.locs.len() {
            self.locs.push(Loc::new());
        }
        self.locs.truncate(other.locs.len());
        for (mine, theirs) in self.locs.iter_mut().zip(&other.locs) {
            mine.copy_from(theirs);
        }
        self.free_locs.clone_from(&other.free_locs);
        self.sc_events = other.sc_events;
        self.sc_fences = other.sc_fences;
    }

    #[inline]
    pub(crate) fn event(&self, id: EventId) -> &Event {
        &self.threads[id.thread() & (MAX_THREADS - 1)][id.index()]
    }

    #[inline]
    pub(crate) fn event_mut(&mut self, id: EventId) -> &mut Event {
        &mut self.threads[id.thread() & (MAX_THREADS - 1)][id.index()]
    }

    #[inline]
    pub(crate) fn loc(&self, loc: LocId) -> &Loc {
        &self.locs[loc as usize]
    }

    /// Returns the number of events of a thread.
    #[inline]
    pub(crate) fn len(&self, thread: usize) -> usize {
        self.threads[thread & (MAX_THREADS - 1)].len()
    }

    /// Whether a thread has ended in this graph.
    #[inline]
    pub(crate) fn ended(&self, thread: usize) -> bool {
        self.threads[thread].last().is_some_and(|e| e.label.kind == Kind::End)
    }

    /// Returns the event just before `id`: in its thread, or the creation of its thread.
    #[inline]
    pub(crate) fn before(&self, id: EventId) -> Option<&Event> {
        if id.index() > 0 {
            Some(self.event(EventId::new(id.thread(), id.index() - 1)))
        } else {
            self.creators[id.thread()].map(|c| self.event(c))
        }
    }

    /// Returns the lowest thread number that is not in use.
    pub(crate) fn unused_thread(&self) -> Option<usize> {
        (1..MAX_THREADS).find(|&t| self.creators[t].is_none())
    }

    /// Returns a location that no event has touched.
    pub(crate) fn new_loc(&mut self) -> LocId {
        if let Some(loc) = self.free_locs.pop() {
            self.locs[loc as usize].reset();
            return loc;
        }
        self.locs.push(Loc::new());
        (self.locs.len() - 1) as LocId
    }

    /// Returns the index in the modification order of the write that an access reads or makes.
    #[inline]
    pub(crate) fn mo_index(&self, id: EventId) -> u32 {
        if id.is_init() {
            return 0;
        }
        let event = self.event(id);
        if event.label.kind.is_writing() {
            event.mo
        } else if event.rf.is_init() {
            0
        } else {
            self.event(event.rf).mo
        }
    }

    /// Returns the value that the read `id` gets from `source`.
    #[inline]
    pub(crate) fn value_from(&self, id: EventId, source: EventId) -> u64 {
        self.value_of(source, self.event(id).loc)
    }

    /// Returns the value that a write to a location makes.
    #[inline]
    pub(crate) fn value_of(&self, write: EventId, loc: LocId) -> u64 {
        if write.is_init() { self.loc(loc).initial } else { self.event(write).value }
    }

    /// Adds an event at the end of its thread. Reads have no source yet and writes no place.
    pub(crate) fn push(&mut self, thread: usize, label: Label, loc: LocId) -> EventId {
        let id = EventId::new(thread, self.len(thread));
        let (hb, porf, pending, release_fence) = match self.before(id) {
            None => (Clock::EMPTY, Clock::EMPTY, Clock::EMPTY, 0),
            Some(e) if id.index() == 0 => (e.hb, e.porf, Clock::EMPTY, 0),
            Some(e) => (e.hb, e.porf, e.pending, e.release_fence),
        };
        let mut event = Event {
            hb,
            porf,
            release: Clock::EMPTY,
            pending,
            label,
            value: label.operand,
            rf: EventId::INIT,
            loc,
            stamp: self.order.len() as u32,
            mo: UNPLACED,
            mode: label.mode,
            exclusive: false,
            revisits: false,
            overtakes: false,
            spurious: false,
            yields: self.pause == Pause::Hint || self.pause == Pause::Round && !label.op.locks(),
            noted: false,
            release_fence,
        };
        event.hb.insert(id);
        event.porf.insert(id);
        if label.kind == Kind::Fence {
            if label.mode.acquires() {
                event.hb.join(&pending);
            }
            if label.mode.releases() {
                event.release_fence = id.index() as u16 + 1;
            }
        }
        if label.kind == Kind::Create {
            self.creators[label.operand as usize] = Some(id);
        }
        if loc != NO_LOC {
            let at = &mut self.locs[loc as usize];
            at.accesses.push(id);
            at.nonatomic += u32::from(label.kind.is_nonatomic());
        }
        self.count_sc(&event, 1);
        self.order.push(id);
        self.threads[thread].push(event);
        id
    }

    fn count_sc(&mut self, event: &Event, by: i32) {
        if event.is_sc() {
            self.sc_events = self.sc_events.wrapping_add_signed(by);
            if event.label.kind.is_fence() {
                self.sc_fences = self.sc_fences.wrapping_add_signed(by);
            }
        }
    }

    /// Returns the last event added.
    pub(crate) fn newest(&self) -> Option<EventId> {
        self.order.last().copied()
    }

    /// Removes the newest event. Returns the location that no event touches any more.
    pub(crate) fn pop(&mut self) -> Option<LocId> {
        let id = self.order.pop()?;
        self.displace(id);
        let event = self.threads[id.thread()].pop()?;
        self.forget(&event);
        if event.loc == NO_LOC {
            return None;
        }
        let at = &mut self.locs[event.loc as usize];
        at.accesses.pop();
        at.accesses.is_empty().then_some(event.loc)
    }

    /// Frees a location that no event touches, for another object. A second call for it has no
    /// effect, because two objects must never get one location.
    pub(crate) fn recycle(&mut self, loc: LocId) {
        if self.locs[loc as usize].accesses.is_empty() && !self.free_locs.contains(&loc) {
            self.free_locs.push(loc);
        }
    }

    fn forget(&mut self, event: &Event) {
        self.count_sc(event, -1);
        if event.label.kind == Kind::Create {
            self.creators[event.label.operand as usize] = None;
        }
        if event.loc != NO_LOC && event.label.kind.is_nonatomic() {
            self.locs[event.loc as usize].nonatomic -= 1;
        }
    }

    /// Puts a write at an index of its location's modification order.
    pub(crate) fn place(&mut self, id: EventId, index: u32) {
        let loc = self.event(id).loc as usize;
        self.locs[loc].mo.insert(index as usize, id);
        self.renumber(loc, index as usize);
    }

    /// Removes a write from the modification order, if it has a place there.
    pub(crate) fn displace(&mut self, id: EventId) {
        let event = self.event_mut(id);
        let index = std::mem::replace(&mut event.mo, UNPLACED);
        if index != UNPLACED {
            let loc = event.loc as usize;
            self.locs[loc].mo.remove(index as usize);
            self.renumber(loc, index as usize);
        }
    }

    /// Gives a location this modification order, which begins with the initial write.
    fn order_writes(&mut self, loc: usize, writes: Vec<EventId>) {
        self.locs[loc].mo = writes;
        self.renumber_all(loc);
    }

    fn renumber(&mut self, loc: usize, from: usize) {
        for index in from..self.locs[loc].mo.len() {
            let id = self.locs[loc].mo[index];
            self.event_mut(id).mo = index as u32;
        }
    }

    /// Gives a read its source, and computes the consequences: whether a read-modify-write writes,
    /// its mode, and the clocks.
    pub(crate) fn set_source(&mut self, id: EventId, source: EventId, spurious: bool) {
        let (release, source_porf) = if source.is_init() {
            (Clock::EMPTY, Clock::EMPTY)
        } else {
            let write = self.event(source);
            (write.release, write.porf)
        };
        let value = self.value_from(id, source);
        let before = self.before(id);
        let (hb, porf, pending) = match before {
            None => (Clock::EMPTY, Clock::EMPTY, Clock::EMPTY),
            Some(e) if id.index() == 0 => (e.hb, e.porf, Clock::EMPTY),
            Some(e) => (e.hb, e.porf, e.pending),
        };
        let old = *self.event(id);
        self.count_sc(&old, -1);
        let wrong_failure = self.rules.fault == Fault::FailureTakesSuccess;
        let wrong_clock = self.rules.fault == Fault::WrongClock;
        let event = self.event_mut(id);
        event.rf = source;
        event.value = value;
        event.spurious = spurious;
        event.noted = false;
        let op = event.label.op;
        let fails = spurious || event.label.fails_on(value);
        event.exclusive = !op.is_load() && !fails;
        event.mode = if fails && !wrong_failure { event.label.failure } else { event.label.mode };
        event.hb = hb;
        event.porf = porf;
        event.pending = pending;
        event.porf.join(&source_porf);
        if event.mode.acquires() && !wrong_clock {
            event.hb.join(&release);
        } else {
            event.pending.join(&release);
        }
        event.hb.insert(id);
        event.porf.insert(id);
        let new = *event;
        self.count_sc(&new, 1);
    }

    /// Computes the events that an acquire read of a write synchronizes with. The write of a
    /// read-modify-write directly follows its read.
    pub(crate) fn set_release(&mut self, id: EventId) {
        let event = self.event(id);
        let mut release = Clock::EMPTY;
        if event.label.kind == Kind::Write {
            if event.mode.releases() {
                release = event.hb;
            } else if event.release_fence > 0 {
                let fence = EventId::new(id.thread(), usize::from(event.release_fence) - 1);
                release = self.event(fence).hb;
            }
            if self.rules.c11_release_sequences
                && let Some(earlier) = self.threads[id.thread()][..id.index()]
                    .iter()
                    .rev()
                    .find(|e| e.loc == event.loc && e.label.kind == Kind::Write && e.mode.releases())
            {
                release.join(&earlier.hb);
            }
            if let Some(carried) = self.carried(id) {
                release.join(&self.event(carried).release);
            }
            if event.exclusive && self.rules.fault != Fault::IgnoredReleaseSequence {
                let source = self.event(EventId::new(id.thread(), id.index() - 1)).rf;
                if !source.is_init() {
                    let sequence = self.event(source).release;
                    release.join(&sequence);
                }
            }
        }
        self.event_mut(id).release = release;
    }

    /// Returns the earlier write of a write's thread whose release sequences the write continues.
    pub(crate) fn carried(&self, write: EventId) -> Option<EventId> {
        let event = self.event(write);
        let earlier = (event.label.expected as usize).min(write.index());
        let carries = event.label.op == RmwOp::Carry && event.exclusive && self.rules.fault != Fault::NothingCarried;
        carries.then(|| EventId::new(write.thread(), earlier))
    }

    /// Sets the end of the thread that a join waits for.
    pub(crate) fn set_joined(&mut self, id: EventId, end: EventId) {
        let (hb, porf) = (self.event(end).hb, self.event(end).porf);
        let event = self.event_mut(id);
        event.rf = end;
        event.hb.join(&hb);
        event.porf.join(&porf);
    }

    /// Deletes the events that were added after `read` and that `keep` lacks, and makes `newest`
    /// the newest event. A read that locks is deleted, too: `newest` overtakes it.
    ///
    /// The rest is closed, because deletion truncates threads.
    pub(crate) fn cut(&mut self, read: EventId, newest: EventId, keep: &Clock) {
        let event = self.event(read);
        let stays = !event.label.op.locks();
        let first = event.stamp + u32::from(stays);
        let remains = read.index() + usize::from(stays);
        let deleted = |e: &Graph, id: EventId| id != newest && e.event(id).stamp >= first && !keep.contains(id);
        for loc in 0..self.locs.len() {
            if self.locs[loc].accesses.is_empty() {
                continue;
            }
            let mut mo = std::mem::take(&mut self.locs[loc].mo);
            mo.retain(|&id| id.is_init() || !deleted(self, id));
            self.locs[loc].mo = mo;
            let mut accesses = std::mem::take(&mut self.locs[loc].accesses);
            accesses.retain(|id| id != newest && !deleted(self, id));
            if self.event(newest).loc == loc as LocId {
                accesses.push(newest);
            }
            self.locs[loc].accesses = accesses;
            self.renumber_all(loc);
            self.recycle(loc as LocId);
        }
        let mut order = std::mem::take(&mut self.order);
        let mut lengths = [usize::MAX; MAX_THREADS];
        order.retain(|&id| {
            if id == newest {
                return false;
            }
            let gone = deleted(self, id);
            if gone {
                let length = &mut lengths[id.thread()];
                *length = (*length).min(id.index());
            }
            !gone
        });
        order.push(newest);
        for (thread, &length) in lengths.iter().enumerate() {
            self.truncate(thread, length);
        }
        debug_assert_eq!(
            self.threads.iter().map(Vec::len).sum::<usize>(),
            order.len(),
            "a revisit deletes whole ends of threads"
        );
        debug_assert_eq!(remains, self.len(read.thread()));
        self.order = order;
        self.stamp_all();
    }

    /// Deletes the events that `keep` lacks. `keep` must be closed under sb and rf. The locations
    /// remain in use.
    pub(crate) fn restrict(&mut self, keep: &Clock) {
        for loc in 0..self.locs.len() {
            let at = &mut self.locs[loc];
            at.mo.retain(|&id| id.is_init() || keep.contains(id));
            at.accesses.retain(|id| keep.contains(id));
            self.renumber_all(loc);
        }
        self.order.retain(|&id| keep.contains(id));
        for thread in 0..MAX_THREADS {
            self.truncate(thread, keep.count(thread));
        }
        self.stamp_all();
    }

    fn stamp_all(&mut self) {
        for stamp in 0..self.order.len() {
            let id = self.order[stamp];
            self.event_mut(id).stamp = stamp as u32;
        }
    }

    fn renumber_all(&mut self, loc: usize) {
        for index in 1..self.locs[loc].mo.len() {
            let id = self.locs[loc].mo[index];
            self.event_mut(id).mo = index as u32;
        }
    }

    fn truncate(&mut self, thread: usize, length: usize) {
        while self.threads[thread].len() > length {
            if let Some(event) = self.threads[thread].pop() {
                self.forget(&event);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A run can drop a location twice: a round of a wait that touched it fails, begins again, and
    /// fails again. If it were freed twice, two objects would get it.
    #[test]
    fn a_location_recycled_twice_is_free_once() {
        let mut graph = Graph::new(Rules::default());
        let idle = graph.new_loc();
        graph.recycle(idle);
        graph.recycle(idle);
        assert_ne!(graph.new_loc(), graph.new_loc());
    }
}
