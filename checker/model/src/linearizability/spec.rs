//! The interface of a sequential specification.

use std::fmt;
use std::hash::{Hash, Hasher};

/// A sequential specification: a state, and the results of a call that it allows.
///
/// # Examples
///
/// The specification of a counter that gives each number once:
///
/// ```
/// use aqueduct_model::linearizability::{Record, Spec};
///
/// #[derive(Clone, PartialEq, Eq, Hash, Debug)]
/// struct Tickets(u32);
///
/// impl Spec for Tickets {
///     type Input = ();
///     type Output = u32;
///
///     fn apply(&mut self, _draw: &(), ticket: &u32) -> bool {
///         self.0 += 1;
///         *ticket == self.0 - 1
///     }
/// }
///
/// let mut record = Record::new(Tickets(0));
/// let late = record.add(1, (), 1, &[]);
/// let early = record.add(2, (), 0, &[]);
/// assert_eq!(record.linearization().unwrap(), [early, late]);
///
/// // The third call gets its number after both, so it is neither of theirs.
/// record.add(3, (), 1, &[late, early]);
/// assert!(record.linearization().is_err());
/// ```
pub trait Spec: Clone + Eq + Hash + fmt::Debug {
    /// A call with its arguments.
    type Input: Clone + fmt::Debug;
    /// The result of a call.
    type Output: Clone + fmt::Debug;

    /// Whether the call `input` may return `output` in this state. If so, changes the state to the
    /// one after it.
    ///
    /// If not, this state is not used again.
    fn apply(&mut self, input: &Self::Input, output: &Self::Output) -> bool;

    /// Whether a result that [`apply`](Self::apply) does not allow may come from a call that
    /// overlaps with another one.
    ///
    /// Such a call changes nothing. By default there is no such result.
    fn excused_by_overlap(&self, input: &Self::Input, output: &Self::Output) -> bool {
        let _ = (input, output);
        false
    }

    /// Whether a call must happen before another one that comes later in an order of the calls:
    /// the events before the earlier call happen before those after the later one.
    ///
    /// By default it need not: the calls of a linearizable object need not synchronize.
    fn synchronizes(&self, earlier: (&Self::Input, &Self::Output), later: (&Self::Input, &Self::Output)) -> bool {
        let _ = (earlier, later);
        false
    }
}

/// A specification with more results that are excused by overlap.
///
/// # Examples
///
/// A queue whose `Pop` may return `Empty` when it loses a race against another `Pop`:
///
/// ```
/// use aqueduct_model::linearizability::{Fifo, QueueOp, QueueResult, Record, Spurious};
///
/// let spec = Spurious::new(Fifo::new(), |_, result| *result == QueueResult::Empty);
/// let mut record = Record::new(spec);
/// record.add(0, QueueOp::Push(1), QueueResult::Pushed, &[]);
/// record.add(0, QueueOp::Push(2), QueueResult::Pushed, &[]);
/// record.add(1, QueueOp::Pop, QueueResult::Popped(1), &[1]);
/// record.add(2, QueueOp::Pop, QueueResult::Empty, &[1]);
/// assert!(record.linearization().is_ok());
/// ```
#[derive(Clone)]
pub struct Spurious<S: Spec> {
    spec: S,
    declared: fn(&S::Input, &S::Output) -> bool,
}

impl<S: Spec> Spurious<S> {
    /// Makes a specification that excuses by overlap, besides the results of `spec`, those for
    /// which `declared` is true.
    #[must_use]
    pub fn new(spec: S, declared: fn(&S::Input, &S::Output) -> bool) -> Self {
        Self { spec, declared }
    }
}

impl<S: Spec> Spec for Spurious<S> {
    type Input = S::Input;
    type Output = S::Output;

    fn apply(&mut self, input: &S::Input, output: &S::Output) -> bool {
        self.spec.apply(input, output)
    }

    fn excused_by_overlap(&self, input: &S::Input, output: &S::Output) -> bool {
        (self.declared)(input, output) || self.spec.excused_by_overlap(input, output)
    }

    fn synchronizes(&self, earlier: (&S::Input, &S::Output), later: (&S::Input, &S::Output)) -> bool {
        self.spec.synchronizes(earlier, later)
    }
}

// The declared results do not change during a search, so only the state counts.
impl<S: Spec> PartialEq for Spurious<S> {
    fn eq(&self, other: &Self) -> bool {
        self.spec == other.spec
    }
}

impl<S: Spec> Eq for Spurious<S> {}

impl<S: Spec> Hash for Spurious<S> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.spec.hash(state);
    }
}

impl<S: Spec> fmt::Debug for Spurious<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.spec.fmt(f)
    }
}
