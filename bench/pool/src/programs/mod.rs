//! Programs that fork and join: the common suite, written once and run on every pool.
//!
//! The programs fork down to the smallest parts, except for the leaves of matrices and the shortest
//! parts of sorts: so the pool is measured.

mod fib;
mod matmul;
mod mergesort;
mod nothing;
mod nqueens;
mod quicksort;
mod skynet;
mod tree;

use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use aqueduct_measure::machine::free_memory;
use aqueduct_measure::rounds::{Cell, Fault, Figure, Measured};
use aqueduct_measure::unit::Unit;

use crate::crew::Seats;
use crate::fork::{self, Pool};
use crate::plan::{Experiment, Plan};

/// A program that forks and joins.
pub(crate) trait Program: Send + Sync + 'static {
    /// The data that a run changes.
    type Scratch: Send;

    /// Makes its input.
    fn new(size: usize) -> Self;
    fn scratch(&self) -> Self::Scratch;
    /// Returns the divisor of the program's time, and the unit of the quotient.
    fn parts(&self) -> (f64, Unit);
    /// Prepares a run, outside of its time.
    fn reset(&self, _scratch: &mut Self::Scratch) {}
    fn run<P: Pool>(&self, scratch: &mut Self::Scratch, context: &mut P::Context<'_>);
    /// Whether the last run's answer is right.
    fn is_right(&self, scratch: &Self::Scratch) -> bool;
}

/// Layers of the large tree, over which a pool takes some tenths of a second, and the free memory
/// that it needs.
const LAYERS_OF_LARGE_TREE: usize = 25;
const MEMORY_OF_LARGE_TREE: u64 = 2 << 30;

/// Runs a program `amount` times on a fresh pool.
fn measure<G: Program, P: Pool>(bench: &str, program: &G, threads: usize, amount: u64) -> Result<Measured, Fault> {
    let pool = P::open(threads);
    let elapsed = pool.enter(|context| -> Result<Duration, Fault> {
        let mut scratch = program.scratch();
        let mut elapsed = Duration::ZERO;
        for _ in 0..amount {
            program.reset(&mut scratch);
            let began = Instant::now();
            program.run::<P>(&mut scratch, context);
            elapsed += began.elapsed();
            if !program.is_right(&scratch) {
                return Err(Fault::WrongAnswer("the program's answer is wrong"));
            }
        }
        Ok(elapsed)
    })?;
    let (parts, unit) = program.parts();
    let factor = if unit == Unit::Us { 1e6 } else { 1e9 };
    let value = elapsed.as_secs_f64() * factor / amount as f64 / parts;
    Ok(Measured { figures: vec![Figure::new(bench.to_owned(), unit, value)], done: amount, elapsed })
}

/// Adds the cells of a program, whose input is made when it is first needed.
fn add_program<G: Program>(cells: &mut Vec<Cell<'static>>, bench: &str, size: usize, seats: &Seats) {
    struct Adding<'a, G>(&'a mut Vec<Cell<'static>>, &'a str, usize, &'a Seats, Arc<OnceLock<G>>);

    impl<G: Program> fork::Visit for Adding<'_, G> {
        fn visit<P: Pool>(&mut self) {
            let Self(cells, bench, size, seats, program) = self;
            let (threads, size, name, program) = (seats.threads, *size, (*bench).to_owned(), Arc::clone(program));
            let run = move |amount| measure::<G, P>(&name, program.get_or_init(|| G::new(size)), threads, amount);
            cells.push(seats.cell(bench, (P::NAME, P::ROLE), 1, run));
        }
    }

    fork::visit(&mut Adding::<G>(cells, bench, size, seats, Arc::default()));
}

/// Adds the cells of the plan.
pub(crate) fn add(cells: &mut Vec<Cell<'static>>, plan: &Plan, seats: &Seats) {
    if plan.wants(Experiment::Nothing) {
        add_program::<nothing::Nothing>(cells, "pool.nothing", 1_000, seats);
    }
    if plan.wants(Experiment::Fib) {
        add_program::<fib::Fib>(cells, "pool.fib", 30, seats);
    }
    if plan.wants(Experiment::Nqueens) {
        add_program::<nqueens::Queens>(cells, "pool.nqueens", 12, seats);
    }
    if plan.wants(Experiment::Skynet) {
        add_program::<skynet::Skynet>(cells, "pool.skynet", 1_000_000, seats);
    }
    if plan.wants(Experiment::Matmul) {
        add_program::<matmul::Matrices>(cells, "pool.matmul", 256, seats);
    }
    if plan.wants(Experiment::Quicksort) {
        add_program::<quicksort::Quicksort>(cells, "pool.quicksort", 1 << 18, seats);
    }
    if plan.wants(Experiment::Mergesort) {
        add_program::<mergesort::Mergesort>(cells, "pool.mergesort", 1 << 18, seats);
    }
    if plan.wants(Experiment::Tree) {
        let most = if free_memory() < MEMORY_OF_LARGE_TREE { 20 } else { LAYERS_OF_LARGE_TREE };
        for layers in [10, most] {
            let nodes = (1_usize << layers) - 1;
            add_program::<tree::Tree>(cells, &format!("pool.tree.{nodes}"), layers, seats);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fork::{Skipping, Visit};

    struct Checking(usize);

    impl Checking {
        fn check<G: Program, P: Pool>(&mut self, what: &str, size: usize) {
            for threads in [1, 2, 3] {
                let measured = measure::<G, P>("pool.test", &G::new(size), threads, 3);
                let measured = measured.unwrap_or_else(|fault| panic!("{what} on {}: {fault}", P::NAME));
                assert_eq!(measured.done, 3, "{what} on {}", P::NAME);
                self.0 += 1;
            }
        }
    }

    impl Visit for Checking {
        fn visit<P: Pool>(&mut self) {
            self.check::<nothing::Nothing, P>("nothing", 10);
            self.check::<fib::Fib, P>("fib", 12);
            self.check::<nqueens::Queens, P>("nqueens", 6);
            self.check::<skynet::Skynet, P>("skynet", 1_000);
            self.check::<matmul::Matrices, P>("matmul", 64);
            self.check::<quicksort::Quicksort, P>("quicksort", 2_000);
            self.check::<mergesort::Mergesort, P>("mergesort", 10_000);
            self.check::<tree::Tree, P>("tree", 10);
        }
    }

    #[test]
    fn every_program_has_the_right_answer_on_every_pool() {
        let mut checking = Checking(0);
        fork::visit(&mut checking);
        assert_eq!(checking.0, 4 * 8 * 3, "four pools, eight programs, three numbers of threads");
    }

    #[track_caller]
    fn notices<G: Program>(size: usize) {
        let fault = measure::<G, Skipping>("pool.test", &G::new(size), 1, 1).expect_err("half of all is skipped");
        assert_eq!(fault, Fault::WrongAnswer("the program's answer is wrong"));
    }

    #[test]
    fn a_pool_that_skips_an_arm_is_noticed_by_every_program() {
        notices::<nothing::Nothing>(10);
        notices::<fib::Fib>(12);
        notices::<nqueens::Queens>(6);
        notices::<skynet::Skynet>(1_000);
        notices::<matmul::Matrices>(64);
        notices::<quicksort::Quicksort>(2_000);
        notices::<mergesort::Mergesort>(10_000);
        notices::<tree::Tree>(10);
    }
}
