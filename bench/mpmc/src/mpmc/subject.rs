//! A queue in the experiments' view. The only dynamic call is per measurement.

use std::marker::PhantomData;

use super::alone::{Alone, AloneTime, alone};
use super::by_workload::stream;
use super::crowd::{Crowd, crowd};
use super::kind::Kind;
use super::stream::{Stream, Streamed};
use super::workload::Workload;
use aqueduct_measure::rounds::{Fault, Threads};

/// A queue or a bound under test.
pub trait Subject: Send + Sync {
    /// Returns `CRATE/QUEUE`.
    fn name(&self) -> &'static str;
    /// Whether it is a peer, not one of aqueduct's queues.
    fn is_peer(&self) -> bool;
    /// Whether it serves that many threads, and moves that many items per call.
    fn can(&self, threads: Threads, batch: usize) -> bool;
    /// Lets the producers push and the consumers pop.
    ///
    /// # Errors
    /// Why the measurement is invalid.
    fn stream(&self, spec: &Stream<'_>) -> Result<Streamed, Fault>;
    /// Measures a call on one thread.
    ///
    /// # Errors
    /// Why the measurement is invalid.
    fn alone(&self, spec: &Alone) -> Result<AloneTime, Fault>;
    /// Measures failing calls of several threads.
    ///
    /// # Errors
    /// Why the measurement is invalid.
    fn crowd(&self, spec: &Crowd<'_>) -> Result<AloneTime, Fault>;
}

/// Returns the queues of kind `K` as a subject.
#[must_use]
pub fn subject_of<K: Kind>() -> Box<dyn Subject> {
    Box::new(Of::<K>(PhantomData))
}

struct Of<K>(PhantomData<K>);

impl<K: Kind> Subject for Of<K> {
    fn name(&self) -> &'static str {
        K::NAME
    }

    fn is_peer(&self) -> bool {
        K::PEER
    }

    fn can(&self, threads: Threads, batch: usize) -> bool {
        threads.producers <= K::MOST_PRODUCERS && threads.consumers <= K::MOST_CONSUMERS && (batch == 1 || K::BATCHES)
    }

    fn stream(&self, spec: &Stream<'_>) -> Result<Streamed, Fault> {
        stream::<K>(spec)
    }

    fn alone(&self, spec: &Alone) -> Result<AloneTime, Fault> {
        if Workload::ALL_ARE_BUILT { alone::<K>(spec) } else { Err(absent()) }
    }

    fn crowd(&self, spec: &Crowd<'_>) -> Result<AloneTime, Fault> {
        if Workload::ALL_ARE_BUILT { crowd::<K>(spec) } else { Err(absent()) }
    }
}

/// The refusal of calls on one thread in a build that has them not compiled.
fn absent() -> Fault {
    Fault::Refused("this build has not the feature `workloads`".to_owned())
}
