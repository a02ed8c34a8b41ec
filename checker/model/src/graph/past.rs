//! A thread's past before an event, its own events and its view: its next operation depends on
//! that alone.

use std::hash::{DefaultHasher, Hash, Hasher};

use super::Graph;
use super::clock::{Clock, MAX_THREADS};
use super::event::{Event, EventId, Kind, Label, LocId};

impl Graph {
    /// Returns the failures that a compare-exchange at index `end` would repeat, the last one
    /// first: their indices, and whether they are spurious.
    ///
    /// Between them may lie only events by which a loop prepares its next attempt.
    pub(crate) fn equal_failures(
        &self,
        thread: usize,
        end: usize,
        label: &Label,
        loc: LocId,
    ) -> impl Iterator<Item = (usize, bool)> {
        let events = if self.rules.all_spurious_failures { &[] } else { &self.threads[thread][..end] };
        let is_equal = move |(_, before): &(usize, &Event)| {
            before.label.op == label.op
                && before.loc == loc
                && before.label.site == label.site
                && (before.label.operand, before.label.expected) == (label.operand, label.expected)
        };
        let prepares = |(_, before): &(usize, &Event)| !before.exclusive && !before.label.kind.is_of_threads();
        let failures = (events.iter().enumerate().rev()).take_while(prepares).filter(is_equal);
        failures.map(|(index, event)| (index, event.spurious))
    }

    /// Returns a hash of all events on which the behaviour of the thread of `id` depends there:
    /// those that precede `id` in sb and rf.
    pub(crate) fn hash_of_past(&self, id: EventId) -> u64 {
        let past = self.before(id).map_or(Clock::EMPTY, |event| event.porf);
        self.hash_of(id, |thread| past.count(thread))
    }

    /// Returns a hash of the view of the thread of `id` before it: the values that it has read, its
    /// creator up to then, and the threads that it has joined. If that includes memory whose values
    /// are unknown, it is the hash of the past.
    pub(crate) fn hash_of_view(&self, id: EventId) -> u64 {
        let mut seen = [0; MAX_THREADS];
        let mut left = vec![id];
        while let Some(end) = left.pop() {
            let (thread, known) = (end.thread(), seen[end.thread()]);
            if known == 0 {
                left.extend(self.creators[thread]);
            }
            for event in self.threads[thread].iter().take(end.index()).skip(known) {
                match event.label.kind {
                    Kind::Join => left.push(EventId::new(event.rf.thread(), self.len(event.rf.thread()))),
                    Kind::CellRead => return self.hash_of_past(id),
                    _ if event.label.op.locks() => return self.hash_of_past(id),
                    _ => {}
                }
            }
            seen[thread] = known.max(end.index());
        }
        self.hash_of(id, |thread| seen[thread])
    }

    fn hash_of(&self, id: EventId, lengths: impl Fn(usize) -> usize) -> u64 {
        let mut hasher = DefaultHasher::new();
        id.hash(&mut hasher);
        for (thread, events) in self.threads.iter().enumerate() {
            for event in events.iter().take(lengths(thread)) {
                let label = &event.label;
                (thread, std::ptr::from_ref(label.site), event.value, event.exclusive).hash(&mut hasher);
            }
        }
        hasher.finish()
    }
}
