//! The rules that a graph obeys, and the faults that tests plant in them.

/// The memory model under which executions are explored.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum MemoryModel {
    /// RC11, the repaired C11 model, without load buffering.
    #[default]
    Rc11,
    /// Sequential consistency, for comparison: plain interleavings, every access as if `SeqCst`.
    Sc,
}

/// The events of a release sequence.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum ReleaseSequences {
    /// Read-modify-writes only, as in C++20 and Rust.
    #[default]
    Cpp20,
    /// Also later stores of the first thread, as in C11 and the original RC11.
    C11,
}

/// The rules that a graph obeys.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Rules {
    /// Whether the model is sequential consistency instead of RC11.
    pub(crate) sequential: bool,
    /// Whether release sequences include later stores of the first thread, as in C11.
    pub(crate) c11_release_sequences: bool,
    /// Whether spurious failures of one compare-exchange in a row are different executions.
    pub(crate) all_spurious_failures: bool,
    /// The number of preemptions beyond which executions are left out.
    pub(crate) preemptions: Option<u32>,
    /// The planted fault, for the checker's own tests.
    pub(crate) fault: Fault,
}

/// Faults that the checker's own tests plant in it, to show that they are caught.
#[doc(hidden)]
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Fault {
    #[default]
    None,
    /// Reads are not revisited if that would delete other events.
    SkippedRevisit,
    /// An acquire read does not synchronize with its source.
    WrongClock,
    /// A read-modify-write does not continue the release sequence that it reads from.
    IgnoredReleaseSequence,
    /// A dropped owner of an `Arc` does not pass on the other owners' releases.
    NothingCarried,
    /// A read-modify-write or a compare-exchange reads the newest write only.
    RmwReadsNewest,
    /// A compare-exchange that fails has the ordering of its success.
    FailureTakesSuccess,
    /// The SC axiom uses all of hb between two accesses, not only hb that begins and ends in other
    /// locations.
    ScTakesAllHb,
    /// The SC axiom omits the eco edges between two fences.
    ScForgetsEco,
    /// The SC axiom omits the edges from an SC access to an SC fence.
    ScForgetsAccessToFence,
}
