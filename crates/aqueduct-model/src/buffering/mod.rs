//! Load buffering: what the proof of a program leaves out because RC11 forbids it, and compilers for Arm do not.
//!
//! RC11 lets no thread read what follows from its own later writes: program order and reads-from have no cycle.
//! Compilers and processors may let a relaxed read take its value after a later relaxed write of its thread, unless
//! the write depends on the read. Here each execution is asked which of its reads could then have read from a later
//! write.
//!
//! # What the answer means
//!
//! Let a memory model have RC11's axioms, but in place of "program order and reads-from have no cycle" only "what
//! is kept and reads-from have no cycle". Kept is the order of a read before a write of its thread if the read
//! acquires, the write releases, a fence lies between, both are one read-modify-write, or the write depends on the
//! value read. The beginning and the end of a thread keep the order of what comes before and after them.
//!
//! The judge keeps the sources of all other reads, also of those behind the cycle, so it misses pairs whose read is
//! that of a read-modify-write, if a later read sees the same location. But for these:
//!
//! **If no pair is reported, that model allows a program nothing that RC11 does not.** Suppose it allowed an
//! execution with a cycle. Of the events of its cycles and after them, order the writes by what is kept and
//! reads-from, and take a first one. It depends on no read that reads from a later write; so it also follows if
//! such a read takes its value from an earlier write instead, which RC11 allows. Repeat this for all writes that
//! the cycle needs: each of them occurs in an execution of RC11, in which the read of the cycle reads another
//! value. The exploration visits that execution, and `cycles` finds there that the read could read from the later
//! write. A load that would get an equal value changes nothing and is left out. The read of a read-modify-write
//! cannot always take an earlier value: others may have taken their places behind it. Then these move up, with
//! other values, which are not followed: the pair is reported.
//!
//! The argument is one on paper. It is tried against an oracle that allows load buffering, over random programs
//! (`crates/aqueduct-litmus`): no program without a pair may have more outcomes there than under RC11.
//!
//! # How a dependency is known
//!
//! A thread is a function of the values that it reads. `histories` keeps, over all executions, what each thread did
//! after which values. If the read has had the later write's value in some execution, after an equal past, and no
//! such execution has an equal later write, then the write depends on the read: by a branch, by its value, or by its
//! address. The write may be at another place in the source, because compilers join equal writes of two branches.
//! Its location counts only where executions agree on locations: in memory that the model's allocator gave before
//! the first thread was created, as long as the writing thread has read no address. Elsewhere two writes of an equal
//! value count as equal, so dependencies by address are not seen there, and such pairs are reported.
//!
//! A thread also finds values without an event of the model: those behind a lock, and in memory that is no cell. In
//! a program without races, each of them was written before, in the order of happening. So where a thread comes to
//! know what happened in another one (it acquires a read, passes a fence, joins a thread), its past takes in that
//! thread's past up to there: equal pasts find equal values. Only memory that threads share without any order, such
//! as atomics of std, stays out of sight.

mod cycles;
mod hb;
mod histories;

use std::collections::BTreeMap;
use std::fmt;
use std::panic::Location;

use crate::graph::Graph;
use crate::graph::event::Site;
use cycles::Candidate;
use histories::{Histories, Seen};

/// A relaxed read and a later relaxed write of its thread that could be exchanged, as far as the checker can tell.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub struct BufferedLoad {
    /// The read.
    pub read: &'static Location<'static>,
    /// The later write of the read's thread, which would come first.
    pub write: &'static Location<'static>,
    /// The write of another thread from which the read would then read.
    pub source: &'static Location<'static>,
    /// Whether the write has followed a read of the source's value in some execution. If not, no execution has such a
    /// read, and whether the write depends on it cannot be told.
    pub follows: bool,
}

impl fmt::Display for BufferedLoad {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { read, write, source, follows } = self;
        let why = if *follows { "the write follows whatever is read" } else { "no execution reads that value there" };
        write!(f, "the read at {read} and the later write at {write}: it could read from {source} ({why})")
    }
}

/// What one worker has found.
#[derive(Debug, Default)]
pub(crate) struct Buffering {
    histories: Histories,
    candidates: BTreeMap<Candidate, Sites>,
}

/// The places in the source of a candidate's read, later write, and source.
type Sites = [Site; 3];

impl Buffering {
    /// Notes an execution that is complete, or whose threads wait.
    pub(crate) fn note(&mut self, graph: &Graph) {
        let pasts = self.histories.note(graph);
        cycles::each(graph, &pasts, &mut |candidate, sites| {
            self.candidates.entry(candidate).or_insert(sites);
        });
    }

    /// Adds what another worker has found.
    pub(crate) fn merge(&mut self, other: Self) {
        self.histories.merge(other.histories);
        self.candidates.extend(other.candidates);
    }

    /// Returns the pairs that are left when dependent writes are taken out, each once.
    pub(crate) fn pairs(&self) -> Vec<BufferedLoad> {
        let mut pairs = Vec::new();
        for (candidate, &[read, write, source]) in &self.candidates {
            let follows = match self.histories.after(candidate.past, candidate.write) {
                Seen::Never => false,
                Seen::Without => continue,
                Seen::With => true,
            };
            pairs.push(BufferedLoad { read, write, source, follows });
        }
        pairs.sort();
        pairs.dedup_by(|later, earlier| {
            let is_one = (later.read, later.write, later.source) == (earlier.read, earlier.write, earlier.source);
            earlier.follows |= is_one && later.follows;
            is_one
        });
        pairs
    }
}
