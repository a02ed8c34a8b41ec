//! Hints: Relinche's search for a client in which an execution has no linearization.
//!
//! For each outcome that the specification allows, with the synchronization that it promises,
//! Relinche has all linearizations, and from that the least sets of pairs that a client can
//! order, so that it has none of them: the *hints*. Of each execution it adds every hint of its
//! outcome to the graph. If the memory model allows one, the library is not linearizable. The
//! number of these questions is published. Where several synchronizations fit an execution, a
//! client must contradict one hint of each.

use std::collections::{BTreeSet, HashMap};

use aqueduct_model::linearizability::QueueResult::{Empty, Popped};
use aqueduct_model::linearizability::{QueueOp, QueueResult, Record, Spec};

/// The synchronization that a specification promises for calls in their order.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Promise {
    /// An item's push happens before its pop.
    Items,
    /// Also, each push happens before later ones.
    Adds,
    /// Also, each pop of an item happens before later ones.
    Takes,
    /// Pushes and pops of items each happen before later ones, and an item's push before its pop.
    Both,
}

/// Pairs of calls, as a set: `8 * first + second`.
type Pairs = u64;

fn pair(first: usize, second: usize) -> Pairs {
    1 << (8 * first + second)
}

fn has(set: Pairs, first: usize, second: usize) -> bool {
    set & pair(first, second) != 0
}

/// The result of each thread that takes.
type Outcome = Vec<Option<usize>>;

/// The hints of a specification's outcomes.
pub(super) struct Hints {
    is_queue: bool,
    promise: Promise,
    adds: usize,
    /// The required synchronization and the hints of each outcome.
    known: HashMap<Outcome, Vec<(Pairs, Vec<Pairs>)>>,
}

impl Hints {
    pub(super) fn new(is_queue: bool, promise: Promise, adds: usize) -> Self {
        Self { is_queue, promise, adds, known: HashMap::new() }
    }

    /// Returns the number of hints of an execution. Calls are numbered as the threads are, from 0.
    pub(super) fn count<S>(&mut self, record: &Record<S>) -> u64
    where
        S: Spec<Input = QueueOp<usize>, Output = QueueResult<usize>>,
    {
        let (outcome, known) = self.observe(record);
        let (is_queue, promise, adds) = (self.is_queue, self.promise, self.adds);
        let all = self.known.entry(outcome).or_insert_with_key(|outcome| hints(is_queue, promise, adds, outcome));
        let fitting = all.iter().filter(|(required, _)| required & !known == 0);
        fitting.map(|(_, hints)| hints.len() as u64).product()
    }

    fn observe<S>(&self, record: &Record<S>) -> (Outcome, Pairs)
    where
        S: Spec<Input = QueueOp<usize>, Output = QueueResult<usize>>,
    {
        let calls = 0..record.len();
        // A record has the calls of the lowest thread first, but for those that come before others.
        let numbers: Vec<usize> = calls.clone().map(|call| record.thread(call) - 1).collect();
        let mut outcome = vec![None; record.len() - self.adds];
        let mut known = 0;
        for call in calls.clone() {
            if numbers[call] >= self.adds {
                outcome[numbers[call] - self.adds] = match record.output(call) {
                    Popped(item) => Some(*item),
                    Empty => None,
                    other => unreachable!("a pop returns {other:?}"),
                };
            }
            for later in calls.clone().filter(|&later| later != call && record.synchronizes(call, later)) {
                known |= pair(numbers[call], numbers[later]);
            }
        }
        (outcome, known)
    }
}

/// Returns the synchronizations that the specification allows with an outcome, and the hints of
/// each.
fn hints(is_queue: bool, promise: Promise, adds: usize, outcome: &Outcome) -> Vec<(Pairs, Vec<Pairs>)> {
    let calls = adds + outcome.len();
    let mut linearizations: HashMap<Pairs, Vec<Vec<usize>>> = HashMap::new();
    let mut linearize = Linearize { is_queue, adds, outcome, order: Vec::new(), items: Vec::new() };
    linearize.all(&mut |order| {
        let required = required(promise, adds, outcome, order);
        linearizations.entry(required).or_default().push(order.to_vec());
    });
    let hints =
        |(required, orders): (Pairs, Vec<Vec<usize>>)| (required, Search::new(calls, required).run(&orders, adds));
    linearizations.into_iter().map(hints).collect()
}

/// The search for all orders of the calls with an outcome.
struct Linearize<'a> {
    is_queue: bool,
    adds: usize,
    outcome: &'a Outcome,
    order: Vec<usize>,
    items: Vec<usize>,
}

impl Linearize<'_> {
    fn all(&mut self, see: &mut impl FnMut(&[usize])) {
        let calls = self.adds + self.outcome.len();
        if self.order.len() == calls {
            return see(&self.order);
        }
        for call in (0..calls).filter(|call| !self.order.contains(call)).collect::<Vec<_>>() {
            let before = self.items.clone();
            let next = if self.is_queue { before.first() } else { before.last() };
            if call < self.adds {
                self.items.push(call + 1);
            } else if self.outcome[call - self.adds].as_ref() != next {
                continue;
            } else if let Some(&item) = next {
                self.items.retain(|&other| other != item);
            }
            self.order.push(call);
            self.all(see);
            self.order.pop();
            self.items = before;
        }
    }
}

/// Returns the synchronization that this order of the calls requires.
fn required(promise: Promise, adds: usize, outcome: &Outcome, order: &[usize]) -> Pairs {
    let item = |call: usize| if call < adds { Some(call + 1) } else { outcome[call - adds] };
    let place = |call: usize| order.iter().position(|&other| other == call);
    let mut required = 0;
    for (at, &later) in order.iter().enumerate() {
        for &earlier in &order[..at] {
            let [adds_first, adds_second] = [earlier, later].map(|call| call < adds);
            let by_item = adds_first && !adds_second && item(earlier) == item(later);
            let by_adds = matches!(promise, Promise::Adds | Promise::Both) && adds_first && {
                // The push of a popped item synchronizes with the pushes before it.
                adds_second || item(later).is_some_and(|item| place(item - 1) > place(earlier))
            };
            let by_takes = matches!(promise, Promise::Takes | Promise::Both)
                && ![adds_first, adds_second].contains(&true)
                && item(earlier).is_some()
                && item(later).is_some();
            if by_item || by_adds || by_takes {
                required |= pair(earlier, later);
            }
        }
    }
    required
}

/// Returns the pairs that contradict an order.
fn inversions(order: &[usize]) -> Pairs {
    let later = |place: usize| order[..place].iter().fold(0, |set, &second| set | pair(order[place], second));
    (0..order.len()).fold(0, |set, place| set | later(place))
}

/// The search for the least sets of pairs that contradict all orders.
struct Search {
    calls: usize,
    /// The pairs of calls whose first begins before the second ends.
    known: Pairs,
    found: Vec<Pairs>,
}

impl Search {
    fn new(calls: usize, known: Pairs) -> Self {
        let diagonal = (0..calls).fold(0, |set, call| set | pair(call, call));
        Self { calls, known: known | diagonal, found: Vec::new() }
    }

    /// Returns the least sets that contradict all orders and order no equal calls against their
    /// numbers.
    fn run(mut self, orders: &[Vec<usize>], adds: usize) -> Vec<Pairs> {
        let inversions: Vec<Pairs> = orders.iter().map(|order| inversions(order)).collect();
        self.search(0, 0, &inversions);
        let found = std::mem::take(&mut self.found);
        let is_least = |set: &&Pairs| found.iter().all(|other| other == *set || other & !**set != 0);
        let least: BTreeSet<Pairs> = found.iter().filter(is_least).copied().collect();
        least.into_iter().filter(|&set| self.goes_with_numbers(set, adds)).collect()
    }

    /// Finds sets that contain `set`, and none of the pairs in `searched`. Of each order there are
    /// the pairs that contradict it.
    fn search(&mut self, set: Pairs, mut searched: Pairs, orders: &[Pairs]) {
        let left: Vec<Pairs> = orders.iter().copied().filter(|contradicting| contradicting & set == 0).collect();
        let Some(least) = left.iter().copied().min_by_key(|contradicting| (contradicting & !searched).count_ones())
        else {
            return self.found.push(set);
        };
        for (first, second) in self.pairs(least & !searched).collect::<Vec<_>>() {
            if let Some(with) = self.with(set, first, second).filter(|with| with & searched == 0) {
                self.search(with, searched, &left);
            }
            searched |= pair(first, second);
        }
    }

    fn pairs(&self, set: Pairs) -> impl Iterator<Item = (usize, usize)> {
        let calls = self.calls;
        (0..calls * calls)
            .map(move |at| (at / calls, at % calls))
            .filter(move |&(first, second)| has(set, first, second))
    }

    /// Returns a set with one more pair and all that follows; none if calls would wait for each
    /// other.
    fn with(&self, set: Pairs, first: usize, second: usize) -> Option<Pairs> {
        let calls = 0..self.calls;
        let ends = |z: usize| z == first || calls.clone().any(|w| has(set, z, w) && self.begins(set, w, first));
        let begins = |u: usize| u == second || calls.clone().any(|v| has(set, v, u) && self.begins(set, second, v));
        if self.begins(set, second, first) {
            return None;
        }
        let pairs = calls.clone().filter(|&z| ends(z)).flat_map(|z| calls.clone().map(move |u| (z, u)));
        Some(pairs.filter(|&(_, u)| begins(u)).fold(set, |set, (z, u)| set | pair(z, u)))
    }

    /// Whether one call begins before another one ends.
    fn begins(&self, set: Pairs, one: usize, other: usize) -> bool {
        let mut between = self.pairs(set).filter(|&(z, w)| has(self.known, one, z) && has(self.known, w, other));
        has(self.known, one, other) || between.next().is_some()
    }

    /// Whether no pair of the set, but for those that follow from two others, has equal calls
    /// against their numbers.
    fn goes_with_numbers(&self, set: Pairs, adds: usize) -> bool {
        self.pairs(set).all(|(first, second)| {
            let mut from = self.pairs(set).filter(|&(z, _)| z == first);
            let follows = from.any(|(_, w)| self.pairs(set).any(|(v, u)| u == second && self.begins(set, w, v)));
            follows || (first < adds) != (second < adds) || first < second
        })
    }
}
