//! Sorting by merges of sorted halves. The halves of a merge are made side by side, too.

use aqueduct_measure::unit::Unit;

use super::Program;
use super::quicksort::{SHORT, random_items};
use crate::fork::Pool;

/// The number of items that are merged without forks.
const SHORT_MERGE: usize = 1024;

pub(super) struct Mergesort {
    items: Vec<u64>,
    sorted: Vec<u64>,
}

impl Program for Mergesort {
    /// The items, and a buffer of equal length.
    type Scratch = (Vec<u64>, Vec<u64>);

    fn new(size: usize) -> Self {
        let (items, sorted) = random_items(size);
        Self { items, sorted }
    }

    fn scratch(&self) -> (Vec<u64>, Vec<u64>) {
        (self.items.clone(), vec![0; self.items.len()])
    }

    fn parts(&self) -> (f64, Unit) {
        (1.0, Unit::Us)
    }

    fn reset(&self, (items, _): &mut (Vec<u64>, Vec<u64>)) {
        items.copy_from_slice(&self.items);
    }

    fn run<P: Pool>(&self, (items, room): &mut (Vec<u64>, Vec<u64>), context: &mut P::Context<'_>) {
        sort::<P>(context, items, room);
    }

    fn is_right(&self, (items, _): &(Vec<u64>, Vec<u64>)) -> bool {
        *items == self.sorted
    }
}

fn sort<P: Pool>(context: &mut P::Context<'_>, items: &mut [u64], room: &mut [u64]) {
    if items.len() <= SHORT {
        return items.sort_unstable();
    }
    let middle = items.len() / 2;
    let (left, right) = items.split_at_mut(middle);
    let (left_room, right_room) = room.split_at_mut(middle);
    P::join(context, |context| sort::<P>(context, left, left_room), |context| sort::<P>(context, right, right_room));
    merge::<P>(context, left, right, room);
    items.copy_from_slice(room);
}

fn merge<P: Pool>(context: &mut P::Context<'_>, a: &[u64], b: &[u64], out: &mut [u64]) {
    if out.len() <= SHORT_MERGE {
        return merge_alone(a, b, out);
    }
    let (longer, shorter) = if a.len() < b.len() { (b, a) } else { (a, b) };
    let middle = longer.len() / 2;
    let same = shorter.partition_point(|&item| item < longer[middle]);
    let (first, second) = out.split_at_mut(middle + same);
    P::join(
        context,
        |context| merge::<P>(context, &longer[..middle], &shorter[..same], first),
        |context| merge::<P>(context, &longer[middle..], &shorter[same..], second),
    );
}

fn merge_alone<'a>(mut a: &'a [u64], mut b: &'a [u64], out: &mut [u64]) {
    for place in out {
        let from_a = b.is_empty() || !a.is_empty() && a[0] <= b[0];
        let from = if from_a { &mut a } else { &mut b };
        *place = from[0];
        *from = &from[1..];
    }
}
