//! A tree of forks with ten below each and a number in each leaf: the sum of the numbers.

use std::hint::black_box;

use aqueduct_measure::unit::Unit;

use super::Program;
use crate::fork::Pool;

/// Children of a fork.
const CHILDREN: u64 = 10;

pub(super) struct Skynet {
    leaves: u64,
}

impl Program for Skynet {
    type Scratch = u64;

    fn new(size: usize) -> Self {
        Self { leaves: size as u64 }
    }

    fn scratch(&self) -> u64 {
        0
    }

    fn parts(&self) -> (f64, Unit) {
        (1.0, Unit::Us)
    }

    fn run<P: Pool>(&self, answer: &mut u64, context: &mut P::Context<'_>) {
        *answer = fork::<P>(context, 0, black_box(self.leaves));
    }

    fn is_right(&self, answer: &u64) -> bool {
        *answer == self.leaves * (self.leaves - 1) / 2
    }
}

fn fork<P: Pool>(context: &mut P::Context<'_>, first: u64, leaves: u64) -> u64 {
    if leaves == 1 { first } else { children::<P>(context, first, leaves / CHILDREN, CHILDREN) }
}

/// Returns the sum of `count` children side by side, by joins of halves.
fn children<P: Pool>(context: &mut P::Context<'_>, first: u64, leaves: u64, count: u64) -> u64 {
    if count == 1 {
        return fork::<P>(context, first, leaves);
    }
    let left = count / 2;
    let (a, b) = P::join(
        context,
        |context| children::<P>(context, first, leaves, left),
        |context| children::<P>(context, first + left * leaves, leaves, count - left),
    );
    a + b
}
