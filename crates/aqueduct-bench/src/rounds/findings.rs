//! What a run found.

use super::Fault;
use crate::record::Record;

/// What a run found.
#[derive(Clone, Debug, PartialEq)]
pub struct Findings<F = Fault> {
    /// The figures. A queue that failed in a bench has no figure in it.
    pub records: Vec<Record>,
    /// Queues that failed: the bench with all that tells it from others, the queue, and what went wrong.
    pub faults: Vec<(String, String, F)>,
    /// What a reader of the figures should know, as sentences.
    pub notes: Vec<String>,
    /// Rounds that were completed.
    pub rounds: usize,
}

impl<F> Default for Findings<F> {
    /// Nothing was found.
    fn default() -> Self {
        Self { records: Vec::new(), faults: Vec::new(), notes: Vec::new(), rounds: 0 }
    }
}
