//! A queue in the experiments' view. The only dynamic call is per measurement.

use std::marker::PhantomData;

use super::alone::{Alone, Drained, alone};
use super::hungry::{Fed, Hungry, hungry};
use super::join::{Join, Joined, join};
use super::kind::{Kind, Order};
use super::plan::Experiment;
use super::pool::{Policy, Pool, Pooled, pool};
use super::stolen::{Shared, Stolen, stolen};
use super::tree::{Hashed, Tree, tree};
use aqueduct_measure::rounds::Fault;

/// Something that can be measured.
pub trait Subject: Send + Sync {
    /// `CRATE/QUEUE`.
    fn name(&self) -> &'static str;
    /// The item that the owner takes.
    fn order(&self) -> Order;
    /// Whether it is a peer, not one of aqueduct's queues.
    fn is_peer(&self) -> bool;
    /// Whether there can be thieves. A kind without thieves is a bound.
    fn has_thieves(&self) -> bool;
    /// Whether it takes part in that experiment, with that many items per steal.
    fn can(&self, experiment: Experiment, batch: usize) -> bool;
    /// Whether it takes part in a pool whose members steal by that policy.
    fn can_by(&self, policy: Policy) -> bool;
    /// Measures the owner alone.
    ///
    /// # Errors
    /// Why the measurement is invalid.
    fn alone(&self, spec: &Alone) -> Result<Drained, Fault>;
    /// Measures owner and thief together.
    ///
    /// # Errors
    /// Why the measurement is invalid.
    fn stolen(&self, spec: &Stolen) -> Result<Shared, Fault>;
    /// Measures the time until a hungry thief gets one of two items.
    ///
    /// # Errors
    /// Why the measurement is invalid.
    fn hungry(&self, spec: &Hungry) -> Result<Fed, Fault>;
    /// Measures a pool of such queues.
    ///
    /// # Errors
    /// Why the measurement is invalid.
    fn pool(&self, spec: &Pool) -> Result<Pooled, Fault>;
    /// Measures forks and joins.
    ///
    /// # Errors
    /// Why the measurement is invalid.
    fn join(&self, spec: &Join) -> Result<Joined, Fault>;
    /// Measures a pool at work.
    ///
    /// # Errors
    /// Why the measurement is invalid.
    fn tree(&self, spec: &Tree) -> Result<Hashed, Fault>;
}

/// Returns the queues of kind `K` as a subject.
#[must_use]
pub fn subject_of<K: Kind>() -> Box<dyn Subject> {
    Box::new(Of::<K>(PhantomData))
}

/// Whether this build has the experiments with several queues or pools.
const ALL_ARE_BUILT: bool = cfg!(feature = "workloads");

/// The refusal of experiments that are not compiled.
fn absent() -> Fault {
    Fault::Refused("this build has not the feature `workloads`".to_owned())
}

struct Of<K>(PhantomData<K>);

impl<K: Kind> Subject for Of<K> {
    fn name(&self) -> &'static str {
        K::NAME
    }

    fn order(&self) -> Order {
        K::ORDER
    }

    fn is_peer(&self) -> bool {
        K::PEER
    }

    fn has_thieves(&self) -> bool {
        K::THIEVES
    }

    fn can(&self, experiment: Experiment, batch: usize) -> bool {
        match experiment {
            Experiment::Alone => true,
            Experiment::Looked => K::THIEVES && K::ESTIMATES,
            Experiment::Lines => false,
            Experiment::Blocks => K::BLOCKS,
            Experiment::Stolen if K::DIVIDED => batch == 1,
            _ => K::THIEVES && (batch == 1 || K::BATCHES),
        }
    }

    fn can_by(&self, policy: Policy) -> bool {
        (K::ESTIMATES || !policy.estimates()) && (!K::PEER || !policy.samples())
    }

    fn alone(&self, spec: &Alone) -> Result<Drained, Fault> {
        alone::<K>(spec)
    }

    fn stolen(&self, spec: &Stolen) -> Result<Shared, Fault> {
        stolen::<K>(spec)
    }

    fn hungry(&self, spec: &Hungry) -> Result<Fed, Fault> {
        if ALL_ARE_BUILT { hungry::<K>(spec) } else { Err(absent()) }
    }

    fn pool(&self, spec: &Pool) -> Result<Pooled, Fault> {
        if ALL_ARE_BUILT { pool::<K>(spec) } else { Err(absent()) }
    }

    fn join(&self, spec: &Join) -> Result<Joined, Fault> {
        if ALL_ARE_BUILT { join::<K>(spec) } else { Err(absent()) }
    }

    fn tree(&self, spec: &Tree) -> Result<Hashed, Fault> {
        if ALL_ARE_BUILT { tree::<K>(spec) } else { Err(absent()) }
    }
}
