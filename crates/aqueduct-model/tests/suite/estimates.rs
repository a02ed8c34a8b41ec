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
            let estimate = estimate(&config, 3_000, program(&bodies, |_| ()));
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
    let estimate = estimate(&Config::new(), 20_000, locked);
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

#[test]
fn the_same_seed_makes_the_same_probes() {
    let run = || {
        let x = Arc::new(AtomicUsize::new(0));
        for _ in 0..3 {
            let x = Arc::clone(&x);
            thread::spawn(move || x.store(x.load(Relaxed) + 1, Relaxed));
        }
    };
    let once = estimate(&Config::new(), 100, run);
    assert_eq!(once, estimate(&Config::new(), 100, run));
    assert_eq!(once.probes, 100);
}
