//! A sum over small items, each of which takes a nanosecond or so: the cost of dividing them.
//!
//! Libraries with parallel iterators are called by those, from a thread that is not the pool's
//! (paralight's pool cannot be called from within). Pools with joins halve the items until a part
//! is the size that leaves eight parts for each thread. rayon takes part in both forms:
//! `rayon/join` is comparable with our pool; `scripts/rayon-programs.sh` measures rayon's own
//! iterators on our pool.

use std::sync::Arc;
use std::time::Instant;

use aqueduct_measure::record::Role;
use aqueduct_measure::rounds::{Cell, Fault, Figure, Measured};
use aqueduct_measure::unit::Unit;

use crate::crew::Seats;
use crate::fork::{self, Pool};

/// Numbers of items: with the first, a call's own time shows, and with the second it does not.
const COUNTS: [usize; 2] = [1_000, 1_000_000];
/// Parts for each thread.
const PARTS: usize = 8;

/// A library that adds up items on several threads.
trait Adder: Sized + 'static {
    const NAME: &'static str;
    const ROLE: Role;

    fn open(threads: usize) -> Self;
    fn sum(&mut self, items: &[u64]) -> u64;
}

/// A pool with joins.
struct Halving<P>(P, usize);

impl<P: Pool> Adder for Halving<P> {
    const NAME: &'static str = P::NAME;
    const ROLE: Role = P::ROLE;

    fn open(threads: usize) -> Self {
        Self(P::open(threads), threads)
    }

    fn sum(&mut self, items: &[u64]) -> u64 {
        let part = items.len().div_ceil(PARTS * self.1);
        self.0.enter(|context| sum_of_halves::<P>(context, items, part))
    }
}

fn sum_of_halves<P: Pool>(context: &mut P::Context<'_>, items: &[u64], part: usize) -> u64 {
    if items.len() <= part {
        return directly(items);
    }
    let (left, right) = items.split_at(items.len() / 2);
    let (a, b) = P::join(
        context,
        |context| sum_of_halves::<P>(context, left, part),
        |context| sum_of_halves::<P>(context, right, part),
    );
    a.wrapping_add(b)
}

/// rayon's iterators.
struct RayonIter(rayon::ThreadPool);

impl Adder for RayonIter {
    const NAME: &'static str = "rayon/par_iter";
    const ROLE: Role = Role::Peer;

    fn open(threads: usize) -> Self {
        Self(rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("the system has threads"))
    }

    fn sum(&mut self, items: &[u64]) -> u64 {
        use rayon::iter::{IntoParallelRefIterator as _, ParallelIterator as _};
        self.0.install(|| items.par_iter().map(|&item| value(item)).reduce(|| 0, u64::wrapping_add))
    }
}

/// paralight's iterators: each thread has a part, as its page advises for small items; or threads
/// also steal from each other.
struct Paralight<const STEALING: bool>(paralight::threads::ThreadPool);

impl<const STEALING: bool> Adder for Paralight<STEALING> {
    const NAME: &'static str = if STEALING { "paralight/stealing" } else { "paralight/fixed" };
    const ROLE: Role = Role::Peer;

    fn open(threads: usize) -> Self {
        use paralight::threads::{CpuPinningPolicy, RangeStrategy, ThreadCount, ThreadPoolBuilder};
        let num_threads = ThreadCount::try_from(threads).expect("there is a thread");
        let range_strategy = if STEALING { RangeStrategy::WorkStealing } else { RangeStrategy::Fixed };
        let builder = ThreadPoolBuilder { num_threads, range_strategy, cpu_pinning: CpuPinningPolicy::No };
        Self(builder.build())
    }

    fn sum(&mut self, items: &[u64]) -> u64 {
        use paralight::prelude::*;
        items.par_iter().with_thread_pool(&mut self.0).map(|&item| value(item)).reduce(|| 0, u64::wrapping_add)
    }
}

/// orx-parallel's iterators, in chunks of a fixed size.
struct Orx(orx_parallel::BasicPool);

impl Adder for Orx {
    const NAME: &'static str = "orx-parallel/par";
    const ROLE: Role = Role::Peer;

    fn open(threads: usize) -> Self {
        Self(orx_parallel::Pool::basic(threads))
    }

    fn sum(&mut self, items: &[u64]) -> u64 {
        use orx_parallel::{IntoParIter as _, Par as _, Runner};
        let sum = items.into_par().runner(Runner::fixed_with_pool(&self.0)).map(|&item| value(item));
        sum.reduce(u64::wrapping_add).unwrap_or(0)
    }
}

#[inline(always)]
fn value(item: u64) -> u64 {
    (item ^ item >> 7).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

fn directly(items: &[u64]) -> u64 {
    items.iter().map(|&item| value(item)).fold(0, u64::wrapping_add)
}

fn measure<A: Adder>(bench: &str, items: &[u64], threads: usize, amount: u64) -> Result<Measured, Fault> {
    let mut adder = A::open(threads);
    let expected = directly(items);
    let began = Instant::now();
    for _ in 0..amount {
        if adder.sum(std::hint::black_box(items)) != expected {
            return Err(Fault::WrongAnswer("the sum is wrong"));
        }
    }
    let elapsed = began.elapsed();
    let value = elapsed.as_nanos() as f64 / (amount as f64 * items.len() as f64);
    Ok(Measured { figures: vec![Figure::new(bench.to_owned(), Unit::Ns, value)], done: amount, elapsed })
}

/// An action on each of them.
trait Visit {
    fn visit<A: Adder>(&mut self);
}

fn visit(visitor: &mut impl Visit) {
    visitor.visit::<Halving<fork::Ours>>();
    visitor.visit::<Halving<fork::Rayon>>();
    visitor.visit::<RayonIter>();
    visitor.visit::<Halving<fork::Chili>>();
    visitor.visit::<Paralight<false>>();
    visitor.visit::<Paralight<true>>();
    visitor.visit::<Orx>();
    visitor.visit::<Halving<fork::Sequential>>();
}

/// The names of those without joins.
pub(crate) const NAMES: [&str; 4] = [RayonIter::NAME, Paralight::<false>::NAME, Paralight::<true>::NAME, Orx::NAME];

pub(crate) fn add(cells: &mut Vec<Cell<'static>>, seats: &Seats) {
    struct Adding<'a>(&'a mut Vec<Cell<'static>>, &'a Seats, Arc<Vec<u64>>);

    impl Visit for Adding<'_> {
        fn visit<A: Adder>(&mut self) {
            let Self(cells, seats, items) = self;
            let (bench, threads, items) = (format!("pool.items.{}", items.len()), seats.threads, Arc::clone(items));
            let name = bench.clone();
            let run = move |amount| measure::<A>(&name, &items, threads, amount);
            cells.push(seats.cell(&bench, (A::NAME, A::ROLE), 1, run));
        }
    }

    for count in COUNTS {
        let mut random = fastrand::Rng::with_seed(7);
        visit(&mut Adding(cells, seats, Arc::new((0..count).map(|_| random.u64(..)).collect())));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Checking(usize);

    impl Visit for Checking {
        fn visit<A: Adder>(&mut self) {
            for (threads, count) in [(1, 10), (2, 1), (2, 0), (2, 1_000), (3, 10_000)] {
                let items: Vec<u64> = (0..count).collect();
                let measured = measure::<A>("pool.test", &items, threads, 3);
                assert_eq!(measured.map(|measured| measured.done), Ok(3), "{} of {count} items", A::NAME);
            }
            self.0 += 1;
        }
    }

    #[test]
    fn all_add_up_any_number_of_items() {
        let mut checking = Checking(0);
        visit(&mut checking);
        assert_eq!(checking.0, 8);
    }

    #[test]
    fn a_pool_that_skips_an_arm_is_noticed() {
        let fault = measure::<Halving<fork::Skipping>>("pool.test", &[1, 2, 3], 2, 1);
        assert_eq!(fault, Err(Fault::WrongAnswer("the sum is wrong")));
    }
}
