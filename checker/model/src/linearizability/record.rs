//! Calls with their results and their partial order.

use std::fmt;

use super::spec::Spec;
use crate::runtime::state::thread_name;

/// The number of calls that a history may have.
pub const MAX_CALLS: usize = 64;

/// A call that has returned.
pub(super) struct Call<S: Spec> {
    pub(super) thread: usize,
    pub(super) input: S::Input,
    pub(super) output: S::Output,
    /// The calls before it, as a set of numbers.
    pub(super) before: u64,
    /// The calls that synchronize with it, those of `before` among them: the events before such a
    /// call happen before the events after this one.
    pub(super) known: u64,
}

/// Calls with their results and their partial order.
///
/// [`History::record`](super::History::record) returns that of an execution. A record made by hand tests a
/// specification.
///
/// # Examples
///
/// ```
/// use aqueduct_model::linearizability::{QueueOp::{Pop, Push}, QueueResult::{Empty, Pushed}, Record, Stack};
///
/// let mut record = Record::new(Stack::new());
/// let push = record.add(1, Push('a'), Pushed, &[]);
/// let pop = record.add(2, Pop, Empty, &[]);
/// assert!(record.overlap(push, pop));
/// assert_eq!(record.linearization().unwrap(), [pop, push]);
///
/// let late = record.add(2, Pop, Empty, &[push]);
/// let error = record.linearization().unwrap_err();
/// assert_eq!(error.longest, [pop, push]);
/// assert!(error.to_string().contains("the specification refuses"));
/// # let _ = late;
/// ```
pub struct Record<S: Spec> {
    pub(super) spec: S,
    pub(super) calls: Vec<Call<S>>,
}

/// The order of happens-before among calls. It is not generic: see [`Record::may_follow`].
struct Order {
    /// For each call, those that end before it begins.
    before: Vec<u64>,
    /// For each call, those that begin before it ends.
    known: Vec<u64>,
}

impl Order {
    /// Adds all pairs that follow from others.
    fn close(&mut self) {
        let union = |set: u64, of: &[u64]| members(set).fold(0, |all, call| all | of[call]);
        let mut changed = true;
        while changed {
            changed = false;
            for call in 0..self.before.len() {
                let ended = self.before[call];
                let begun = ended | union(ended, &self.known);
                let before = ended | union(begun, &self.before);
                let begun = self.known[call] | 1 << call;
                let ended = union(begun, &self.before) | before;
                let known = (self.known[call] | ended | union(ended, &self.known)) & !(1 << call);
                changed |= (before, known) != (self.before[call], self.known[call]);
                (self.before[call], self.known[call]) = (before, known);
            }
        }
    }
}

/// Returns the numbers in a set of calls.
pub(super) fn members(mut set: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let call = set.trailing_zeros() as usize;
        set &= set.wrapping_sub(1);
        (call < MAX_CALLS).then_some(call)
    })
}

impl<S: Spec> Record<S> {
    /// Makes an empty record, of an object in the state `spec`.
    #[must_use]
    pub fn new(spec: S) -> Self {
        Self { spec, calls: Vec::new() }
    }

    /// Adds a call of `thread` (0 is the main thread), and returns its number; numbers count from
    /// 0.
    ///
    /// It comes after the thread's earlier calls, after those with numbers in `after`, and after
    /// the calls before any of these.
    ///
    /// # Panics
    ///
    /// If there are [`MAX_CALLS`] calls already, or if `after` names a call that has not been
    /// added.
    pub fn add(&mut self, thread: usize, input: S::Input, output: S::Output, after: &[usize]) -> usize {
        let number = self.calls.len();
        assert!(after.iter().all(|&a| a < number), "a call comes only after calls that were added: {after:?}");
        let is_before = |(earlier, call): (usize, &Call<S>)| call.thread == thread || after.contains(&earlier);
        let before = (0..).zip(&self.calls).filter(|&made| is_before(made)).fold(0, |set, (call, _)| set | 1 << call);
        self.push(Call { thread, input, output, before, known: before });
        self.close();
        number
    }

    /// Notes that the events before a call happen before those after another one.
    ///
    /// The calls may still overlap.
    ///
    /// # Panics
    ///
    /// If one of them does not exist, or if the second one comes before the first.
    pub fn synchronize(&mut self, first: usize, second: usize) {
        assert!(!self.precedes(second, first), "call {second} is over when call {first} begins");
        self.calls[second].known |= 1 << first;
        self.close();
    }

    /// Completes the order of the calls by transitivity.
    pub(super) fn close(&mut self) {
        let mut order = Order {
            before: self.calls.iter().map(|call| call.before).collect(),
            known: self.calls.iter().map(|call| call.known).collect(),
        };
        order.close();
        for (number, call) in self.calls.iter_mut().enumerate() {
            (call.before, call.known) = (order.before[number], order.known[number]);
        }
    }

    /// Adds a call with the set of the calls before it.
    pub(super) fn push(&mut self, call: Call<S>) {
        assert!(self.calls.len() < MAX_CALLS, "a history has at most {MAX_CALLS} calls: make the client smaller");
        self.calls.push(call);
    }

    /// Returns the number of calls.
    #[must_use]
    pub fn len(&self) -> usize {
        self.calls.len()
    }

    /// Whether there are no calls.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.calls.is_empty()
    }

    /// Returns the thread that made a call; 0 is the main thread.
    ///
    /// # Panics
    ///
    /// If there is no such call.
    #[must_use]
    pub fn thread(&self, call: usize) -> usize {
        self.calls[call].thread
    }

    /// Returns the arguments of a call.
    ///
    /// # Panics
    ///
    /// If there is no such call.
    #[must_use]
    pub fn input(&self, call: usize) -> &S::Input {
        &self.calls[call].input
    }

    /// Returns the result of a call.
    ///
    /// # Panics
    ///
    /// If there is no such call.
    #[must_use]
    pub fn output(&self, call: usize) -> &S::Output {
        &self.calls[call].output
    }

    /// Whether the call with number `first` came before the one with number `second`.
    ///
    /// # Panics
    ///
    /// If there is no call with number `second`.
    #[must_use]
    pub fn precedes(&self, first: usize, second: usize) -> bool {
        first < MAX_CALLS && self.calls[second].before & 1 << first != 0
    }

    /// Whether the events before the call with number `first` happen before those after the one
    /// with number `second`.
    ///
    /// # Panics
    ///
    /// If there is no call with number `second`.
    #[must_use]
    pub fn synchronizes(&self, first: usize, second: usize) -> bool {
        first < MAX_CALLS && self.calls[second].known & 1 << first != 0
    }

    /// Whether two different calls overlap: neither came before the other.
    ///
    /// # Panics
    ///
    /// If one of them does not exist.
    #[must_use]
    pub fn overlap(&self, one: usize, other: usize) -> bool {
        one != other && !self.precedes(one, other) && !self.precedes(other, one)
    }

    /// Whether any other call overlaps with this one.
    pub(super) fn is_overlapped(&self, call: usize) -> bool {
        (0..self.len()).any(|other| self.overlap(call, other))
    }

    /// Returns the calls before this one, without those that are before another one of them.
    fn directly_before(&self, call: usize) -> Vec<usize> {
        let before = self.calls[call].before;
        let indirect = members(before).fold(0, |set, earlier| set | self.calls[earlier].before);
        members(before & !indirect).collect()
    }

    fn row(&self, call: usize) -> [String; 5] {
        let Call { thread, input, output, .. } = &self.calls[call];
        let after: Vec<String> = self.directly_before(call).iter().map(ToString::to_string).collect();
        let after = if after.is_empty() { "-".to_owned() } else { after.join(", ") };
        [call.to_string(), thread_name(*thread), format!("{input:?}"), format!("{output:?}"), after]
    }
}

/// A table with a row for each call: its number, thread, arguments and result, and the calls
/// directly before it.
impl<S: Spec> fmt::Display for Record<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let heading = ["#", "thread", "call", "result", "after"].map(str::to_owned);
        let rows: Vec<[String; 5]> = std::iter::once(heading).chain((0..self.len()).map(|c| self.row(c))).collect();
        let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
        let widths: [usize; 4] = std::array::from_fn(width);
        for [number, thread, input, output, after] in &rows {
            let [n, t, i, o] = widths;
            writeln!(f, "  {number:>n$}  {thread:t$}  {input:i$}  {output:o$}  {after}")?;
        }
        Ok(())
    }
}

impl<S: Spec> fmt::Debug for Record<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{:?}", self.spec)?;
        write!(f, "{self}")
    }
}
