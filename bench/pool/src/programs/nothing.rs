//! Joins of closures with an empty body.

use std::hint::black_box;

use aqueduct_measure::unit::Unit;

use super::Program;
use crate::fork::Pool;

pub(super) struct Nothing {
    joins: u64,
}

impl Program for Nothing {
    /// The number of calls of closures.
    type Scratch = u64;

    fn new(size: usize) -> Self {
        Self { joins: size as u64 }
    }

    fn scratch(&self) -> u64 {
        0
    }

    fn parts(&self) -> (f64, Unit) {
        (self.joins as f64, Unit::Ns)
    }

    fn run<P: Pool>(&self, called: &mut u64, context: &mut P::Context<'_>) {
        *called = 0;
        for _ in 0..self.joins {
            let (a, b) = P::join(context, |_| black_box(1), |_| black_box(1));
            *called += a + b;
        }
    }

    fn is_right(&self, called: &u64) -> bool {
        *called == 2 * self.joins
    }
}
