//! Each thread's next operation by the values that it has read, over all executions.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use super::judge::Outcome;
use crate::graph::Graph;
use crate::graph::clock::{Clock, MAX_THREADS};
use crate::graph::event::{Event, EventId, Kind};

/// A thread's past: its operations up to a point, with the values that it has read.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub(super) struct Past {
    /// The whole past, as a hash.
    of: u64,
    /// True if the thread has read a value that may be an address. The hash counts all addresses as
    /// one.
    has_addresses: bool,
}

/// A write as its thread's past decides it.
///
/// Its place in the source does not matter, because a compiler may make one write of those in two
/// branches.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Written {
    bits: u8,
    value: u64,
    /// The name of its location, if it has one and the thread cannot have come there by an address
    /// that it has read.
    to: Option<u64>,
}

impl Written {
    /// Whether two writes of one thread, in two executions, may be one to a compiler.
    fn may_be(self, other: Self) -> bool {
        (self.bits, self.value) == (other.bits, other.value)
            && (self.to.is_none() || other.to.is_none() || self.to == other.to)
    }
}

/// The value of a read.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Got {
    /// The place in the source, as an address.
    site: usize,
    /// The name of its location, if it has one.
    from: Option<u64>,
    /// The value and the past that the thread learns with it, as a hash.
    what: u64,
}

impl Got {
    /// Whether two reads of one thread, in two executions, may be one.
    fn may_be(&self, other: &Self) -> bool {
        self.site == other.site && (self.from.is_none() || other.from.is_none() || self.from == other.from)
    }
}

/// Values from here on may be addresses, which differ from run to run: they all count as one value.
const ADDRESSES: u64 = 1 << 40;

/// Each past that was seen, and the events directly after it.
#[derive(Debug, Default)]
pub(super) struct Histories {
    seen: HashMap<Past, Step>,
}

/// The end of a past.
#[derive(Debug, Default)]
struct Step {
    /// The write, if the last event is one.
    write: Option<Written>,
    /// The read's value, if the last event is a read.
    got: Option<Got>,
    /// Whether the thread has ended.
    ends: bool,
    /// Whether the last event is a fence.
    is_fence: bool,
    /// The pasts with one event more.
    next: Vec<Past>,
}

/// Whether a write was seen after a past.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Seen {
    /// The past was not seen, or not with the values of the thread's other reads.
    Never,
    /// The thread has ended without the write.
    Without,
    /// The write was seen after the past.
    With,
}

/// The pasts of an execution's events.
#[derive(Debug)]
pub(super) struct Pasts {
    by_thread: [Vec<Past>; MAX_THREADS],
}

impl Pasts {
    /// Returns the past before an event.
    pub(super) fn before(&self, graph: &Graph, id: EventId) -> Past {
        match id.index().checked_sub(1) {
            Some(before) => self.by_thread[id.thread()][before],
            None => match graph.creators[id.thread()] {
                Some(creator) => {
                    let creation = self.of(creator);
                    Past { of: hash(&(creation.of, "child")), ..creation }
                }
                None => Past::default(),
            },
        }
    }

    /// Returns the pasts of the other threads that happen before an event, and not before the one
    /// before it.
    ///
    /// Each value that the event's thread finds in cells, behind locks and in other memory without
    /// races is a function of its own past and of these.
    fn learned(&self, graph: &Graph, id: EventId) -> Past {
        let known = graph.before(id).map_or(Clock::EMPTY, |event| event.hb);
        let now = &graph.event(id).hb;
        let news = (0..MAX_THREADS).filter(|&thread| thread != id.thread() && now.count(thread) > known.count(thread));
        news.fold(Past::default(), |learned, thread| {
            let past = self.by_thread[thread][now.count(thread) - 1];
            Past { of: hash(&(learned.of, past.of)), has_addresses: learned.has_addresses || past.has_addresses }
        })
    }

    /// Returns the past with an event in it.
    fn of(&self, id: EventId) -> Past {
        self.by_thread[id.thread()][id.index()]
    }

    /// Returns the write that an event is, if it is one.
    pub(super) fn written(&self, graph: &Graph, id: EventId) -> Option<Written> {
        let event = graph.event(id);
        (event.label.kind == Kind::Write).then(|| Written {
            bits: event.label.bits,
            value: settled(event.value),
            to: graph.loc(event.loc).name.filter(|_| !self.before(graph, id).has_addresses),
        })
    }

    /// Returns the value of a read, with its place and location.
    fn got(&self, graph: &Graph, read: EventId) -> Got {
        let event = graph.event(read);
        let learned = self.learned(graph, read).of;
        Got {
            site: std::ptr::from_ref(event.label.site).addr(),
            from: graph.loc(event.loc).name,
            what: hash(&(settled(event.value), event.exclusive, event.spurious, learned)),
        }
    }

    /// Returns the values of a thread's reads between one of them and a later write.
    pub(super) fn between(&self, graph: &Graph, read: EventId, write: EventId) -> Vec<Got> {
        let all = (read.index() + 1..write.index()).map(|index| EventId::new(read.thread(), index));
        all.filter(|&id| graph.event(id).label.kind == Kind::Read).map(|id| self.got(graph, id)).collect()
    }

    /// Returns the past with a read in it that reads `value`.
    pub(super) fn with(&self, graph: &Graph, read: EventId, value: u64, outcome: Outcome) -> Past {
        let mut event = *graph.event(read);
        event.exclusive = outcome.exclusive;
        event.spurious = outcome.spurious;
        event.value = value;
        step(self.before(graph, read), &event, Past::default())
    }
}

impl Histories {
    /// Notes the events of an execution's threads, and returns their pasts.
    pub(super) fn note(&mut self, graph: &Graph) -> Pasts {
        let mut pasts = Pasts { by_thread: Default::default() };
        // The order of addition does not serve: a read that was revisited precedes its source
        // there.
        for id in graph.linearize(&graph.everything()) {
            let event = graph.event(id);
            let before = pasts.before(graph, id);
            let step = step(before, event, pasts.learned(graph, id));
            self.seen.entry(step).or_insert_with(|| Step {
                write: pasts.written(graph, id),
                got: (event.label.kind == Kind::Read).then(|| pasts.got(graph, id)),
                ends: event.label.kind == Kind::End,
                is_fence: matches!(event.label.kind, Kind::Fence | Kind::HeavyFence),
                next: Vec::new(),
            });
            let next = &mut self.seen.entry(before).or_default().next;
            if !next.contains(&step) {
                next.push(step);
            }
            pasts.by_thread[id.thread()].push(step);
        }
        pasts
    }

    /// Adds the pasts that another worker has seen.
    pub(super) fn merge(&mut self, other: Self) {
        for (past, step) in other.seen {
            let mine = self.seen.entry(past).or_default();
            mine.write = mine.write.or(step.write);
            mine.got = mine.got.or(step.got);
            mine.ends |= step.ends;
            mine.is_fence |= step.is_fence;
            mine.next.extend(step.next);
            mine.next.sort_unstable();
            mine.next.dedup();
        }
    }

    /// Whether a thread with this past has ever made the write later, and if not, whether it has
    /// ended where its other reads got the values that they have before the write.
    pub(super) fn after(&self, past: Past, write: Written, others: &[Got]) -> Seen {
        let mut seen = Seen::Never;
        let mut left = vec![(past, Vec::from(others), true)];
        while let Some((past, others, is_equal)) = left.pop() {
            let Some(step) = self.seen.get(&past) else { continue };
            if step.ends && is_equal {
                seen = Seen::Without;
            }
            for next in &step.next {
                let Some(step) = self.seen.get(next) else { continue };
                if step.is_fence {
                    // It keeps all later writes behind the read: to `after`, the thread ends here
                    // without the write.
                    seen = if is_equal { Seen::Without } else { seen };
                    continue;
                }
                if step.write.is_some_and(|other| other.may_be(write)) {
                    return Seen::With;
                }
                let mut others = others.clone();
                let mut is_equal = is_equal;
                if let Some(got) = &step.got
                    && let Some(at) = others.iter().position(|other| other.may_be(got))
                {
                    is_equal &= others.remove(at).what == got.what;
                }
                left.push((*next, others, is_equal));
            }
        }
        seen
    }
}

/// Returns a past with one more event, from which the thread learns another past.
fn step(before: Past, event: &Event, learned: Past) -> Past {
    let label = &event.label;
    let value = if matches!(label.kind, Kind::Read | Kind::Write) { event.value } else { 0 };
    let site = std::ptr::from_ref(label.site);
    let told = (site, label.kind, label.op, label.mode, settled(value), event.exclusive, event.spurious);
    let reads_address = label.kind == Kind::Read && value >= ADDRESSES;
    Past {
        of: hash(&(before.of, told, learned.of)),
        has_addresses: before.has_addresses || learned.has_addresses || reads_address,
    }
}

/// Returns a value that is equal in every run: that of an address is replaced.
fn settled(value: u64) -> u64 {
    value.min(ADDRESSES)
}

fn hash(value: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}
