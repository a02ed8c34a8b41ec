//! Reports: figures, limits, call sites, orderings overridden.

use std::sync::Arc;
use std::time::Duration;

use aqueduct_model::sync::atomic::AtomicUsize;
use aqueduct_model::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release};
use aqueduct_model::{Config, Override, thread};

/// Returns a program in which three threads add to a counter, `additions` times each.
fn counter(additions: usize) -> impl Fn() + Send + Sync + Clone + 'static {
    move || {
        let count = Arc::new(AtomicUsize::new(0));
        for _ in 0..3 {
            let count = Arc::clone(&count);
            thread::spawn(move || {
                for _ in 0..additions {
                    count.fetch_add(1, Relaxed);
                }
            });
        }
    }
}

#[test]
fn figures() {
    let report = Config::new().check(counter(2));
    assert_eq!(report.executions, 90);
    // 3 creations, 4 ends, and two halves of each addition.
    assert_eq!(report.events, 90 * (3 + 4 + 2 * 6));
    assert!(report.exhaustive && !report.limited);
    assert!(report.to_string().starts_with("passed, exhaustively: 90 executions, 0 blocked"));
    assert!(report.seconds > 0.0 && report.executions_per_second() > 0.0);
    assert!(report.peak_memory.is_none_or(|bytes| bytes > 1 << 20));
}

#[test]
fn jobs_share_the_work_and_change_no_count() {
    let alone = Config::new().check(counter(3));
    let shared = Config::new().jobs(2).check(counter(3));
    assert_eq!(alone.executions, 1680);
    assert_eq!(shared.executions, alone.executions);
    assert_eq!((shared.events, shared.blocked), (alone.events, alone.blocked));
    assert_eq!(shared.sites, alone.sites);
}

#[test]
fn limits_say_that_the_check_is_not_exhaustive() {
    for jobs in [1, 2] {
        let report = Config::new().jobs(jobs).max_executions(100).check(counter(3));
        assert!(report.limited && !report.exhaustive);
        assert!((100..1680).contains(&report.executions), "{}", report.executions);
        let report = Config::new().jobs(jobs).time_limit(Duration::ZERO).check(counter(3));
        assert!(report.limited && !report.exhaustive);
        assert!(report.executions < 1680);
    }
    let report = Config::new().max_executions(2).check(counter(1));
    assert!(report.limited);
    assert!(report.to_string().starts_with("NOT EXHAUSTIVE"), "{report}");
    let report = Config::new().max_executions(1000).check(counter(1));
    assert!(!report.limited && report.exhaustive);
}

/// The others do not wait for a worker that is done with its task in the moment in which a limit is
/// reached.
#[test]
fn a_limit_that_is_reached_with_the_last_execution_ends_the_check() {
    for _ in 0..20 {
        let report = Config::new().jobs(2).max_executions(1680).check(counter(3));
        assert_eq!((report.executions, report.exhaustive), (1680, true));
    }
}

fn exchange() {
    let x = Arc::new(AtomicUsize::new(0));
    let y = Arc::clone(&x);
    thread::spawn(move || {
        let _ = y.compare_exchange(0, 1, AcqRel, Acquire);
    });
    let _ = x.compare_exchange(5, 6, Release, Relaxed);
    x.store(2, Release);
}

#[test]
fn call_sites_tell_their_orderings_and_outcomes() {
    let report = Config::new().check(exchange);
    let [both, never, store] = &report.sites[..] else { panic!("three call sites: {:?}", report.sites) };
    assert_eq!((both.operation, both.ordering), ("compare_exchange", "AcqRel"));
    assert_eq!(both.failure_ordering, Some("Acquire"));
    assert!(both.succeeds && both.fails);
    assert!(!never.succeeds && never.fails);
    assert!(never.to_string().ends_with("compare_exchange Release/Relaxed, never succeeds"));
    assert_eq!((store.operation, store.ordering, store.failure_ordering), ("store", "Release", None));
    assert!(store.file.ends_with("reports.rs") && store.line > both.line);
}

fn message() {
    let (x, y) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let (a, b) = (Arc::clone(&x), Arc::clone(&y));
    thread::spawn(move || {
        a.store(1, Relaxed);
        b.store(1, Release);
    });
    if y.load(Acquire) == 1 {
        assert_eq!(x.load(Relaxed), 1);
    }
}

#[test]
fn a_weakened_site_shows_whether_its_ordering_is_needed() {
    let report = Config::new().check(message);
    assert!(report.failure.is_none(), "{}", report.failure.unwrap());
    let mut needed = 0;
    for site in report.sites.iter().filter(|s| s.ordering != "Relaxed") {
        let weaker = Override {
            file: site.file.to_owned(),
            line: site.line,
            column: site.column,
            ordering: Some(Relaxed),
            failure: None,
        };
        let report = Config::new().overrides([weaker]).check(message);
        assert!(report.failure.is_some(), "{site} is needed");
        needed += 1;
    }
    assert_eq!(needed, 2);
}
