//! Load buffering: executions that a proof of a program leaves out because RC11 forbids them, and
//! compilers for Arm do not.
//!
//! Under RC11 no thread reads a consequence of its own later writes: program order and reads-from
//! have no cycle. Compilers and processors may let a relaxed read take its value after a later
//! relaxed write of its thread, unless the write depends on the read. This module finds, in each
//! execution, the reads that could then have read from a later write.
//!
//! # Meaning of the report
//!
//! Let a memory model have RC11's axioms, but in place of "program order and reads-from have no
//! cycle" only "what is kept and reads-from have no cycle". Kept is the order of a read before a
//! write of its thread if the read acquires, the write releases, a fence lies between, both are one
//! read-modify-write, or the write depends on the value read. The beginning and the end of a thread
//! keep the order of what comes before and after them. A write does not depend on a read if its
//! thread can make it whatever the read gets, as long as the reads that it does depend on get what
//! they got; no other acquiring read or fence comes before it then.
//!
//! **If no pair is reported, that model allows a program nothing that RC11 does not.** Suppose it
//! allowed an execution X with a cycle. Add the events of X one by one, in an order of what is kept
//! and reads-from, to an execution of RC11. Where no thread can continue as in X, one continues
//! *early* to its next write: the reads on the way that the write does not depend on, and whose
//! sources are not there yet, read from the newest write that is, and what depends on them may
//! differ. The first of them stands for all of the cycle: let it be `r`. At last comes a write `w`,
//! from which `r` could read, that follows in program order and reads-from from what `r`'s thread
//! wrote early. Up to there, this is an execution of RC11, and the exploration visits one that
//! begins with it. Of this execution, `judge` relies on no more than the following:
//!
//! - Other threads depend on `r`'s thread only by early writes, the *exits*. All else after `r` is
//!   kept behind `r` or differs, and no thread needs to read it.
//! - What happens before `r` is as in X, and must agree with `w` in the modification order.
//! - So must the later accesses of `r`'s thread to that location, up to the last exit. If one that
//!   reads is in the way, its own read is tested in place of `r`; if one that writes is, it has
//!   another place in another execution.
//!
//! The rest of the execution may differ from X: what comes after `w`, and what `r`'s thread has
//! read elsewhere.
//!
//! An early read-modify-write may take the place of another one, which in X comes first. The first
//! to notice is the one that then reads what the early one wrote. The test is whether it could have
//! come first, and `r` then gets the value that it would have written, or left by failing.
//!
//! A load that gets an equal value from `w` changes nothing, with two exceptions: a later acquire
//! fence acquires nothing from the former source, and the read then comes before no write from
//! there up to `w`, which counts for the order of `SeqCst` fences.
//!
//! The argument is on paper. It is tested against an oracle that allows load buffering, over
//! random programs (`proofs/litmus`): no program without a pair may have more outcomes there than
//! under RC11.
//!
//! # Dependencies
//!
//! A thread is a function of the values that it reads. `histories` keeps, over all executions, what
//! each thread did after which values. The write depends on the read, by a branch, by its value or
//! by its address, if some execution gave the read the later write's value after an equal past,
//! none of these has an equal later write, and in one of them the thread came to its end although
//! its other reads got the values that they have before the write. Reads at one place in the source
//! count as one, unless their locations are known to differ. If the other reads never got that with
//! the read's value, the dependency is unknown, and the pair is reported.
//!
//! The write may be at another place in the source, because compilers join equal writes of two
//! branches. Its location counts only where executions agree on locations: in memory that the
//! model's allocator gave before the first thread was created, as long as the writing thread has
//! read no address. Elsewhere two writes of an equal value count as equal, so dependencies by
//! address are not seen there, and such pairs are reported.
//!
//! A thread also finds values without an event of the model: those behind a lock, and in memory
//! that is not a cell. In a program without races, each of them was written before, in the order of
//! happening. So where a thread synchronizes with another one (it acquires a read,
//! passes a fence, joins a thread), its past takes in that thread's past up to there: equal pasts
//! find equal values. Only memory that threads share without any order, such as atomics of std,
//! stays out of sight.

mod cycles;
mod histories;
mod judge;

use std::collections::BTreeMap;
use std::fmt;
use std::panic::Location;

use crate::graph::Graph;
use crate::graph::event::Site;
use cycles::Candidate;
use histories::{Histories, Seen};

/// A relaxed read and a later relaxed write of its thread that could be exchanged: the checker has
/// found no dependency between them.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub struct BufferedLoad {
    /// The read.
    pub read: &'static Location<'static>,
    /// The later write of the read's thread, which would come first.
    pub write: &'static Location<'static>,
    /// The write of another thread from which the read would then read.
    pub source: &'static Location<'static>,
    /// True if the write has followed a read of the source's value in some execution. If not, no
    /// execution has such a read with an equal rest, and the dependency of the write on it is
    /// unknown.
    pub follows: bool,
}

impl fmt::Display for BufferedLoad {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { read, write, source, follows } = self;
        let why = if *follows {
            "the write follows whatever is read"
        } else {
            "no execution tells whether the write depends on it"
        };
        write!(f, "the read at {read} and the later write at {write}: it could read from {source} ({why})")
    }
}

/// The findings of one worker.
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

    /// Adds another worker's findings.
    pub(crate) fn merge(&mut self, other: Self) {
        self.histories.merge(other.histories);
        self.candidates.extend(other.candidates);
    }

    /// Returns the pairs that are left when dependent writes are taken out, each once.
    pub(crate) fn pairs(&self) -> Vec<BufferedLoad> {
        let mut pairs = Vec::new();
        for (candidate, &[read, write, source]) in &self.candidates {
            let follows = match self.histories.after(candidate.past, candidate.write, &candidate.others) {
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
