//! Sorting in place: the parts on both sides of a pivot side by side.

use aqueduct_measure::unit::Unit;

use super::Program;
use crate::fork::Pool;

/// The number of items that are not divided.
pub(super) const SHORT: usize = 64;

pub(super) struct Quicksort {
    items: Vec<u64>,
    sorted: Vec<u64>,
}

impl Program for Quicksort {
    type Scratch = Vec<u64>;

    fn new(size: usize) -> Self {
        let (items, sorted) = random_items(size);
        Self { items, sorted }
    }

    fn scratch(&self) -> Vec<u64> {
        self.items.clone()
    }

    fn parts(&self) -> (f64, Unit) {
        (1.0, Unit::Us)
    }

    fn reset(&self, items: &mut Vec<u64>) {
        items.copy_from_slice(&self.items);
    }

    fn run<P: Pool>(&self, items: &mut Vec<u64>, context: &mut P::Context<'_>) {
        sort::<P>(context, items);
    }

    fn is_right(&self, items: &Vec<u64>) -> bool {
        *items == self.sorted
    }
}

/// Returns items in a random order, which is equal in each run, and the items in their own order.
pub(super) fn random_items(size: usize) -> (Vec<u64>, Vec<u64>) {
    let mut random = fastrand::Rng::with_seed(7);
    let items: Vec<u64> = (0..size).map(|_| random.u64(..)).collect();
    let mut sorted = items.clone();
    sorted.sort_unstable();
    (items, sorted)
}

fn sort<P: Pool>(context: &mut P::Context<'_>, items: &mut [u64]) {
    if items.len() <= SHORT {
        return items.sort_unstable();
    }
    let (left, right) = divide(items);
    P::join(context, |context| sort::<P>(context, left), |context| sort::<P>(context, right));
}

/// Moves a pivot to its place, with smaller items before it and the other items behind it.
fn divide(items: &mut [u64]) -> (&mut [u64], &mut [u64]) {
    let last = items.len() - 1;
    let middle = items.len() / 2;
    // The median of three items moves to the end.
    if items[0] > items[middle] {
        items.swap(0, middle);
    }
    if items[last] > items[middle] {
        items.swap(last, middle);
    }
    if items[0] > items[last] {
        items.swap(0, last);
    }
    let pivot = items[last];
    let mut smaller = 0;
    for at in 0..last {
        let is_smaller = items[at] < pivot;
        items.swap(at, smaller);
        smaller += usize::from(is_smaller);
    }
    items.swap(smaller, last);
    let (left, right) = items.split_at_mut(smaller);
    (left, &mut right[1..])
}
