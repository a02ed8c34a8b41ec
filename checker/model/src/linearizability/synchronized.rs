//! Specifications that promise synchronization.

use std::fmt;
use std::hash::{Hash, Hasher};

use super::spec::Spec;
use super::specs::Item;
use super::specs::queue::{QueueOp, QueueResult};

/// Whether a call of an object must happen before another one: the earlier call, then the later
/// one.
type Promise<S> = fn((&<S as Spec>::Input, &<S as Spec>::Output), (&<S as Spec>::Input, &<S as Spec>::Output)) -> bool;

/// A specification whose calls synchronize with each other.
///
/// Linearizable calls need not synchronize: a stack whose accesses are all relaxed can be
/// linearizable, and its users' accesses through the pointers that they push and pop are data races
/// nevertheless. This specification also demands, of two calls that the promise names, that the
/// earlier one *happens before* the later one: the events before the former happen before the
/// events after the latter.
///
/// # Examples
///
/// The item of a pop that finds one has been pushed before, in another thread:
///
/// ```
/// use aqueduct_model::linearizability::QueueOp::{Pop, Push};
/// use aqueduct_model::linearizability::QueueResult::{Popped, Pushed};
/// use aqueduct_model::linearizability::{Record, Stack, Synchronized};
///
/// let mut record = Record::new(Synchronized::by_items(Stack::new()));
/// let push = record.add(1, Push('a'), Pushed, &[]);
/// let pop = record.add(2, Pop, Popped('a'), &[]);
/// let error = record.linearization().unwrap_err();
/// assert!(error.to_string().contains("call 0 must happen before it"));
///
/// record.synchronize(push, pop);
/// assert_eq!(record.linearization().unwrap(), [push, pop]);
/// ```
///
/// All pushes in the order of the calls, as if they took a lock:
///
/// ```
/// use aqueduct_model::linearizability::{Fifo, QueueOp::Push, QueueResult::Pushed, Record, Synchronized};
///
/// let spec = Synchronized::new(Fifo::new(), |earlier, later| matches!((earlier.0, later.0), (Push(_), Push(_))));
/// let mut record = Record::new(spec);
/// let first = record.add(1, Push(1), Pushed, &[]);
/// let second = record.add(2, Push(2), Pushed, &[]);
/// assert!(record.linearization().is_err());
/// record.synchronize(second, first);
/// assert_eq!(record.linearization().unwrap(), [second, first]);
/// ```
#[derive(Clone)]
pub struct Synchronized<S: Spec> {
    spec: S,
    promise: Promise<S>,
}

impl<S: Spec> Synchronized<S> {
    /// Makes a specification that promises, besides what `spec` does, that an earlier call happens
    /// before a later one if `promise` is true of both.
    #[must_use]
    pub fn new(spec: S, promise: Promise<S>) -> Self {
        Self { spec, promise }
    }
}

impl<T: Item, S: Spec<Input = QueueOp<T>, Output = QueueResult<T>>> Synchronized<S> {
    /// Makes a specification of a queue or a stack in which the push of an item happens before its
    /// pop.
    ///
    /// The items of a client must differ.
    #[must_use]
    pub fn by_items(spec: S) -> Self {
        Self::new(spec, |earlier, later| match (earlier, later) {
            ((QueueOp::Push(pushed), QueueResult::Pushed), (QueueOp::Pop, QueueResult::Popped(popped))) => {
                pushed == popped
            }
            _ => false,
        })
    }
}

impl<S: Spec> Spec for Synchronized<S> {
    type Input = S::Input;
    type Output = S::Output;

    fn apply(&mut self, input: &S::Input, output: &S::Output) -> bool {
        self.spec.apply(input, output)
    }

    fn excused_by_overlap(&self, input: &S::Input, output: &S::Output) -> bool {
        self.spec.excused_by_overlap(input, output)
    }

    fn synchronizes(&self, earlier: (&S::Input, &S::Output), later: (&S::Input, &S::Output)) -> bool {
        (self.promise)(earlier, later) || self.spec.synchronizes(earlier, later)
    }
}

// The promise does not change during a search, so only the state counts.
impl<S: Spec> PartialEq for Synchronized<S> {
    fn eq(&self, other: &Self) -> bool {
        self.spec == other.spec
    }
}

impl<S: Spec> Eq for Synchronized<S> {}

impl<S: Spec> Hash for Synchronized<S> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.spec.hash(state);
    }
}

impl<S: Spec> fmt::Debug for Synchronized<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.spec.fmt(f)
    }
}
