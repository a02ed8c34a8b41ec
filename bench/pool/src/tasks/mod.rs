//! Runtimes whose workers run futures as tasks.
//!
//! The shapes follow tokio's own benches of its multi-threaded runtime: written once, run on every
//! runtime. Each begins in a task, not in the waiting thread.

mod runtimes;
mod shapes;

use std::future::Future;
use std::time::{Duration, Instant};

use aqueduct_measure::record::Role;
use aqueduct_measure::rounds::{Cell, Fault, Figure, Measured};
use aqueduct_measure::unit::Unit;

use crate::crew::Seats;
use crate::plan::{Experiment, Plan};

pub(crate) use runtimes::visit;

/// A runtime that runs tasks.
pub(crate) trait Runtime: Sized + 'static {
    const NAME: &'static str;
    const ROLE: Role;
    /// The handle that makes tasks.
    type Spawner: Clone + Send + Sync + 'static;
    /// The future of a task's result.
    type Handle<T: Send + 'static>: Future<Output = T> + Send + Unpin + 'static;

    fn open(threads: usize) -> Self;
    fn spawner(&self) -> Self::Spawner;

    /// Runs a future as a task, and waits for it in the calling thread.
    fn run<T: Send + 'static>(&self, future: impl Future<Output = T> + Send + 'static) -> T;

    /// Makes a task. The caller is a task of the runtime.
    fn spawn<T: Send + 'static>(
        spawner: &Self::Spawner,
        future: impl Future<Output = T> + Send + 'static,
    ) -> Self::Handle<T>;

    /// Lets other tasks run.
    fn yield_now() -> impl Future<Output = ()> + Send;
}

/// An action on each runtime.
pub(crate) trait Visit {
    fn visit<R: Runtime>(&mut self);
}

/// The program of the tasks.
trait Shape: 'static {
    const BENCH: &'static str;
    /// The number of operations of the first run.
    const FIRST: u64;

    /// Does at least `amount` operations. Returns the number of operations, and their sum: each
    /// adds 1.
    fn run<R: Runtime>(spawner: R::Spawner, amount: u64) -> impl Future<Output = (u64, u64)> + Send + 'static;
}

/// Runs `amount` operations on a fresh runtime.
fn measure<S: Shape, R: Runtime>(threads: usize, amount: u64) -> Result<Measured, Fault> {
    let runtime = R::open(threads);
    let spawner = runtime.spawner();
    let (done, sum, elapsed) = runtime.run(async move {
        let began = Instant::now();
        let (done, sum) = S::run::<R>(spawner, amount).await;
        (done, sum, began.elapsed())
    });
    if done < amount || sum != done {
        return Err(Fault::WrongItems { popped: done, wanted: amount, sum, expected: done });
    }
    Ok(Measured { figures: vec![Figure::new(S::BENCH, Unit::Ns, each(done, elapsed))], done, elapsed })
}

fn each(done: u64, elapsed: Duration) -> f64 {
    elapsed.as_nanos() as f64 / done.max(1) as f64
}

fn add_shape<S: Shape>(cells: &mut Vec<Cell<'static>>, seats: &Seats) {
    struct Adding<'a, S>(&'a mut Vec<Cell<'static>>, &'a Seats, std::marker::PhantomData<S>);

    impl<S: Shape> Visit for Adding<'_, S> {
        fn visit<R: Runtime>(&mut self) {
            let Self(cells, seats, _) = self;
            let threads = seats.threads;
            let run = move |amount| measure::<S, R>(threads, amount);
            cells.push(seats.cell(S::BENCH, (R::NAME, R::ROLE), S::FIRST, run));
        }
    }

    visit(&mut Adding::<S>(cells, seats, std::marker::PhantomData));
}

/// Adds the cells of the plan.
pub(crate) fn add(cells: &mut Vec<Cell<'static>>, plan: &Plan, seats: &Seats) {
    if plan.wants(Experiment::Spawn) {
        add_shape::<shapes::SpawnOne>(cells, seats);
        add_shape::<shapes::SpawnMany>(cells, seats);
    }
    if plan.wants(Experiment::PingPong) {
        add_shape::<shapes::PingPong>(cells, seats);
    }
    if plan.wants(Experiment::Yields) {
        add_shape::<shapes::Yields>(cells, seats);
    }
    if plan.wants(Experiment::Chain) {
        add_shape::<shapes::ChainOfTasks>(cells, seats);
        add_shape::<shapes::ChainOfWakes>(cells, seats);
    }
    if plan.wants(Experiment::Senders) {
        add_shape::<shapes::Senders<shapes::Ours>>(cells, seats);
        add_shape::<shapes::Senders<shapes::Tokios>>(cells, seats);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Checking(usize);

    impl Checking {
        fn check<S: Shape, R: Runtime>(&mut self) {
            for (threads, amount) in [(1, 1), (2, 3_000)] {
                let measured = measure::<S, R>(threads, amount);
                let measured = measured.unwrap_or_else(|fault| panic!("{} on {}: {fault}", S::BENCH, R::NAME));
                assert!(measured.done >= amount, "{} on {}", S::BENCH, R::NAME);
            }
            self.0 += 1;
        }
    }

    impl Visit for Checking {
        fn visit<R: Runtime>(&mut self) {
            self.check::<shapes::SpawnOne, R>();
            self.check::<shapes::SpawnMany, R>();
            self.check::<shapes::PingPong, R>();
            self.check::<shapes::Yields, R>();
            self.check::<shapes::ChainOfTasks, R>();
            self.check::<shapes::ChainOfWakes, R>();
            self.check::<shapes::Senders<shapes::Ours>, R>();
            self.check::<shapes::Senders<shapes::Tokios>, R>();
        }
    }

    #[test]
    fn every_shape_has_all_its_operations_on_every_runtime() {
        let mut checking = Checking(0);
        visit(&mut checking);
        assert_eq!(checking.0, 3 * 8, "three runtimes, eight shapes");
    }

    struct Short;

    impl Shape for Short {
        const BENCH: &'static str = "pool.test";
        const FIRST: u64 = 1;

        async fn run<R: Runtime>(_spawner: R::Spawner, amount: u64) -> (u64, u64) {
            (amount, amount - 1)
        }
    }

    #[test]
    fn an_operation_that_is_missing_is_noticed() {
        let fault = measure::<Short, runtimes::Ours>(1, 7);
        assert_eq!(fault, Err(Fault::WrongItems { popped: 7, wanted: 7, sum: 6, expected: 7 }));
    }
}
