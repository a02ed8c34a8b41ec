//! The rules that a graph obeys, and the faults that tests plant in them.

/// The rules that a graph obeys.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Rules {
    /// Sequential consistency instead of RC11.
    pub(crate) sequential: bool,
    /// Release sequences go on through later stores of the same thread, as in C11.
    pub(crate) c11_release_sequences: bool,
    /// Spurious failures of the same compare-exchange one after the other are different executions.
    pub(crate) all_spurious_failures: bool,
    /// Seeded faults of the checker, for its own tests.
    pub(crate) fault: Fault,
}

/// Faults that the checker's own tests plant in it, to see that they are caught.
#[doc(hidden)]
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Fault {
    #[default]
    None,
    /// Reads are not revisited when that would delete other events.
    SkippedRevisit,
    /// An acquiring read does not learn what its source releases.
    WrongClock,
    /// A read-modify-write does not continue the release sequence that it reads from.
    IgnoredReleaseSequence,
    /// A read-modify-write or a compare-exchange reads the newest write only.
    RmwReadsNewest,
    /// A compare-exchange that fails has the ordering of its success.
    FailureTakesSuccess,
    /// The SC axiom takes all of hb between two accesses, not only what begins and ends in other locations.
    ScTakesAllHb,
    /// The SC axiom forgets what eco orders between two fences.
    ScForgetsEco,
    /// The SC axiom knows no order from an SC access to an SC fence.
    ScForgetsAccessToFence,
}
