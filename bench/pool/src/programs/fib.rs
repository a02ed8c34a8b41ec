//! Fibonacci numbers by their definition: almost nothing but joins.

use std::hint::black_box;

use aqueduct_measure::unit::Unit;

use super::Program;
use crate::fork::Pool;

pub(super) struct Fib {
    n: u32,
}

impl Program for Fib {
    type Scratch = u64;

    fn new(size: usize) -> Self {
        Self { n: size as u32 }
    }

    fn scratch(&self) -> u64 {
        0
    }

    /// Returns the number of joins: one for each call with at least 2.
    fn parts(&self) -> (f64, Unit) {
        ((directly(self.n + 1) - 1) as f64, Unit::Ns)
    }

    fn run<P: Pool>(&self, answer: &mut u64, context: &mut P::Context<'_>) {
        *answer = fib::<P>(context, black_box(self.n));
    }

    fn is_right(&self, answer: &u64) -> bool {
        *answer == directly(self.n)
    }
}

fn fib<P: Pool>(context: &mut P::Context<'_>, n: u32) -> u64 {
    if n < 2 {
        return u64::from(n);
    }
    let (a, b) = P::join(context, |context| fib::<P>(context, n - 1), |context| fib::<P>(context, n - 2));
    a + b
}

fn directly(n: u32) -> u64 {
    (0..n).fold((0, 1), |(a, b), _| (b, a + b)).0
}
