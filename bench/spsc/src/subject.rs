//! A queue or a bound in the experiments' view. The only dynamic call is per measurement.

use std::marker::PhantomData;

use super::alone::{Alone, AloneTime, alone};
use super::bounce::{Bounce, Bounced, bounce};
use super::kind::Kind;
use super::pair::Fault;
use super::stream::{Stream, Streamed, stream};
use aqueduct_measure::record::{Payload, Role};

/// The parameters of a measurement that decide which queues can take part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Workload {
    /// Streaming with this batch and payload, with or without emulated load.
    Stream {
        /// Items per synchronisation.
        batch: usize,
        /// The place of the values.
        payload: Payload,
        /// Whether either side does emulated work.
        loaded: bool,
    },
    /// Request and response.
    Bounce {
        /// The place of the values.
        payload: Payload,
    },
    /// One thread.
    Alone,
}

/// A queue or a bound under test.
pub trait Subject: Send + Sync {
    /// Returns `aqueduct/NAME`, `CRATE/NAME` or `bound/NAME`.
    fn name(&self) -> &'static str;
    /// Returns whether it is ours, a peer or a bound.
    fn role(&self) -> Role;
    /// Whether it can take part in that measurement.
    fn can(&self, workload: Workload) -> bool;
    /// Streams once.
    ///
    /// # Errors
    /// Why the measurement is invalid.
    fn stream(&self, spec: &Stream) -> Result<Streamed, Fault>;
    /// Bounces an item.
    ///
    /// # Errors
    /// Why the measurement is invalid.
    fn bounce(&self, spec: &Bounce) -> Result<Bounced, Fault>;
    /// Pushes and pops on one thread.
    ///
    /// # Errors
    /// Why the measurement is invalid.
    fn alone(&self, spec: &Alone) -> Result<AloneTime, Fault>;
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

    fn role(&self) -> Role {
        Role::of_queue(K::PEER)
    }

    fn can(&self, workload: Workload) -> bool {
        match workload {
            Workload::Stream { batch, payload, .. } => {
                (batch == 1 || K::BATCHES) && (payload == Payload::Embedded || K::BOUNDED)
            }
            Workload::Bounce { .. } | Workload::Alone => true,
        }
    }

    fn stream(&self, spec: &Stream) -> Result<Streamed, Fault> {
        stream::<K>(spec)
    }

    fn bounce(&self, spec: &Bounce) -> Result<Bounced, Fault> {
        bounce::<K>(spec)
    }

    fn alone(&self, spec: &Alone) -> Result<AloneTime, Fault> {
        alone::<K>(spec)
    }
}
