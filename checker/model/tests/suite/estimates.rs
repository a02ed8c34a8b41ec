//! Estimates of the number of executions.

use std::sync::Arc;
use std::time::Duration;

use aqueduct_model::sync::Mutex;
use aqueduct_model::sync::atomic::AtomicUsize;
use aqueduct_model::sync::atomic::Ordering::Relaxed;
use aqueduct_model::{Config, Estimate, MemoryModel, thread};

use crate::random::programs;
use crate::support::program;

fn estimate(config: &Config, probes: usize, run: impl Fn() + Send + Sync + 'static) -> Estimate {
    config.estimate(probes, 5, Duration::MAX, run)
}

/// The mean of the probes' estimates is the number of executions, except for a few standard errors.
#[test]
fn probes_stand_for_all_executions() {
    for config in [Config::new(), Config::new().model(MemoryModel::Sc)] {
        for (name, bodies) in programs() {
            let executions = config.check(program(&bodies, |_| ())).executions;
            let estimate = estimate(&config, 300, program(&bodies, |_| ()));
            let off = (estimate.executions - executions as f64).abs();
            assert!(off <= 6.0 * estimate.error + 1e-9, "{name}: {executions} executions, {estimate}");
        }
    }
}

#[test]
fn waits_and_locks_are_estimated_too() {
    let locked = || {
        let count = Arc::new((Mutex::new(0), AtomicUsize::new(0)));
        let threads = [(); 3].map(|()| {
            let count = Arc::clone(&count);
            thread::spawn(move || {
                *count.0.lock().unwrap() += 1;
                count.1.fetch_add(1, Relaxed);
            })
        });
        threads.into_iter().for_each(|thread| thread.join().unwrap());
    };
    let executions = Config::new().check(locked).executions;
    let estimate = estimate(&Config::new(), 1_000, locked);
    let off = (estimate.executions - executions as f64).abs();
    assert!(off <= 4.0 * estimate.error, "{executions} executions, {estimate}");
}

/// An estimate is rejected when more executions are known than it allows.
#[test]
fn a_figure_that_is_no_estimate_says_so() {
    let (_, bodies) = programs().swap_remove(0);
    let executions = Config::new().check(program(&bodies, |_| ())).executions;
    let estimate = estimate(&Config::new(), 300, program(&bodies, |_| ()));
    assert!(estimate.told(0).starts_with("about "), "{estimate}");
    assert!(estimate.told(2 * executions).contains("no estimate"), "{estimate}");
}

/// Returns a program in which threads add to a counter in a loop of loads and exchanges.
fn exchanges(threads: usize) -> impl Fn() + Send + Sync + Clone + 'static {
    move || {
        let x = Arc::new(AtomicUsize::new(0));
        for _ in 0..threads {
            let x = Arc::clone(&x);
            thread::spawn(move || {
                let mut old = x.load(Relaxed);
                while let Err(found) = x.compare_exchange(old, old + 1, Relaxed, Relaxed) {
                    old = found;
                }
            });
        }
    }
}

/// Returns a program that ends early, unless the reads of a thread see all stores of another:
/// nearly all of its executions have that.
fn lopsided() -> impl Fn() + Send + Sync + Clone + 'static {
    move || {
        let x = Arc::new([(); 4].map(|()| AtomicUsize::new(0)));
        let other = Arc::clone(&x);
        thread::spawn(move || other.iter().for_each(|x| x.store(1, Relaxed)));
        if x.iter().all(|x| x.load(Relaxed) == 1) {
            exchanges(4)();
        }
    }
}

fn locks() {
    let count = Arc::new(Mutex::new(0));
    for _ in 0..3 {
        let count = Arc::clone(&count);
        thread::spawn(move || {
            for _ in 0..3 {
                *count.lock().unwrap() += 1;
            }
        });
    }
}

fn reads() {
    let x = Arc::new([AtomicUsize::new(0), AtomicUsize::new(0)]);
    for writer in 0..3 {
        let x = Arc::clone(&x);
        thread::spawn(move || {
            x[0].store(writer, Relaxed);
            x[1].load(Relaxed);
            x[1].store(writer, Relaxed);
            x[0].load(Relaxed);
        });
    }
}

type Run = Arc<dyn Fn() + Send + Sync>;

/// Nine of ten intervals hold the number of executions, for each program; and of all lower ends, 19
/// of 20 are below it.
#[test]
fn intervals_hold_the_number_of_executions_as_often_as_they_say() {
    let programs: [(&str, Run); 4] = [
        ("exchanges of four threads", Arc::new(exchanges(4))),
        ("behind one read", Arc::new(lopsided())),
        ("locks", Arc::new(locks)),
        ("reads", Arc::new(reads)),
    ];
    let rounds = if std::env::var_os("AQUEDUCT_THOROUGH").is_some() { 200 } else { 30 };
    for (name, program) in programs {
        let run = Arc::clone(&program);
        let executions = Config::new().check(move || run()).executions as f64;
        let (mut below, mut above, mut bounded) = (0, 0, 0);
        for round in 0..rounds {
            let run = Arc::clone(&program);
            let estimate = Config::new().estimate(40, 1_000 * round, Duration::MAX, move || run());
            assert!(estimate.low <= estimate.executions && estimate.executions <= estimate.high, "{estimate}");
            below += u64::from(estimate.low > executions);
            above += u64::from(estimate.high < executions);
            bounded += u64::from(estimate.high.is_finite());
        }
        println!("{name}: {executions} executions, {below} ends above, {above} below, {bounded} of {rounds} with two");
        assert!(below * 20 <= rounds, "{name}: {below} of {rounds} lower ends are above {executions}");
        assert!((below + above) * 10 <= rounds, "{name}: {above} of {rounds} upper ends are below {executions}");
        assert!(bounded > 0, "{name}: an interval has two ends");
    }
}

/// A program that fails, or has few executions, or too many for its probes.
#[test]
fn estimates_are_exact_where_they_can_be_and_open_where_they_must() {
    let two = estimate(&Config::new(), 100, exchanges(2));
    let executions = Config::new().check(exchanges(2)).executions;
    assert_eq!(
        (two.probes, two.low, two.executions, two.high),
        (1, executions as f64, executions as f64, executions as f64)
    );
    assert_eq!(two.to_string(), format!("{executions}, which are all"));
    let few = estimate(&Config::new(), 5, exchanges(4));
    assert!(few.high.is_infinite() && few.low > 0.0 && few.to_string().contains("at least"), "{few}");
    assert!(few.told(0).contains("an unknown number, at least"), "{few}");
    let failing = estimate(&Config::new(), 20, || {
        exchanges(3)();
        panic!("at the end");
    });
    assert!(failing.executions > 0.0, "{failing}");
}

#[test]
fn the_same_seed_makes_the_same_probes() {
    let once = estimate(&Config::new(), 100, exchanges(4));
    assert_eq!(once, estimate(&Config::new(), 100, exchanges(4)));
    assert_eq!(once.probes, 100);
}
