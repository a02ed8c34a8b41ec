//! Modification orders: every total order of the writes to each location, and their combinations.
//!
//! COHERENCE and ATOMICITY are about one location at a time, so each location's orders are filtered
//! alone. The axioms that join locations (SC, and the SC model) see every combination of the rest.

use std::ops::ControlFlow;

use super::axioms::{Event, EventKind, Skeleton};
use super::relation::{Relation, Set};
use crate::outcome::Model;

/// A visitor of the modification orders of one execution, per location, and whether the model
/// accepts it.
pub(super) type OrdersVisitor<'v> = dyn FnMut(&[Vec<usize>], bool) -> ControlFlow<()> + 'v;

/// Passes every combination of coherent modification orders to `visit`.
pub(super) fn each(
    events: &[Event],
    locations: usize,
    skeleton: &Skeleton,
    model: Model,
    visit: &mut OrdersVisitor<'_>,
) {
    let mut per_location = Vec::new();
    for location in 0..locations {
        let coherent = coherent_orders(events, location, skeleton);
        if coherent.is_empty() {
            return;
        }
        per_location.push(coherent);
    }
    let mut combination = Combination { skeleton, model, per_location: &per_location, chosen: Vec::new(), visit };
    // A visitor that has stopped has kept its result.
    let _stopped = combination.extend(&Relation::empty(events.len()));
}

/// Returns one location's orders that are coherent and atomic, each with its relation.
fn coherent_orders(events: &[Event], location: usize, skeleton: &Skeleton) -> Vec<(Vec<usize>, Relation)> {
    let here = |event: &Event| event.location == Some(location);
    let accesses = events.iter().enumerate().filter(|(_, event)| here(event));
    let set = accesses.fold(0, |set: Set, (index, _)| set | 1 << index);
    let is_write = |index: &usize| here(&events[*index]) && events[*index].kind == EventKind::Write;
    let mut writes: Vec<usize> = (0..events.len()).filter(is_write).collect();
    // The initial write is the first event of its location, and stays first in every order.
    let order = vec![writes.remove(0)];
    let mut permutation = Permutation { events: events.len(), accesses: set, skeleton, found: Vec::new() };
    permutation.extend(order, &writes);
    permutation.found
}

struct Permutation<'p> {
    /// The number of events of the execution.
    events: usize,
    /// The accesses to the location.
    accesses: Set,
    skeleton: &'p Skeleton,
    found: Vec<(Vec<usize>, Relation)>,
}

impl Permutation<'_> {
    /// Visits every order that starts with `order` and continues with the writes in `left`.
    ///
    /// The axioms only forbid: a violation by the beginning of an order remains one. So they judge
    /// each beginning, with the writes that have no place yet after all others.
    fn extend(&mut self, order: Vec<usize>, left: &[usize]) {
        let after = |position: usize| order[position + 1..].iter().chain(left);
        let pairs = (0..order.len())
            .flat_map(|position| after(position).map(move |write| (position, *write)))
            .map(|(position, write)| (order[position], write));
        let mo = Relation::from_pairs(self.events, pairs);
        if !self.skeleton.coherent_and_atomic(&mo, self.accesses) {
            return;
        }
        if left.is_empty() {
            self.found.push((order, mo));
            return;
        }
        for next in left {
            let others: Vec<usize> = left.iter().copied().filter(|write| write != next).collect();
            self.extend([&order[..], &[*next]].concat(), &others);
        }
    }
}

struct Combination<'c, 'v> {
    skeleton: &'c Skeleton,
    model: Model,
    per_location: &'c [Vec<(Vec<usize>, Relation)>],
    chosen: Vec<Vec<usize>>,
    visit: &'c mut OrdersVisitor<'v>,
}

impl Combination<'_, '_> {
    /// Chooses the order of the next location; `mo` holds those of the locations before it.
    fn extend(&mut self, mo: &Relation) -> ControlFlow<()> {
        let Some(candidates) = self.per_location.get(self.chosen.len()) else {
            let consistent = match self.model {
                Model::Sc => self.skeleton.sequentially_consistent(mo),
                Model::Rc11 => !self.skeleton.has_sc_events() || self.skeleton.sc_axiom(mo),
            };
            return (self.visit)(&self.chosen, consistent);
        };
        for (order, relation) in candidates {
            self.chosen.push(order.clone());
            self.extend(&mo.union(relation))?;
            self.chosen.pop();
        }
        ControlFlow::Continue(())
    }
}
