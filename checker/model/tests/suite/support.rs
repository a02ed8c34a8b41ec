//! Programs over a few atomics, run in several ways that must agree.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};

use aqueduct_model::sync::atomic::AtomicUsize;
use aqueduct_model::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release, SeqCst};
use aqueduct_model::{Config, Failure, FailureKind, Report, Scheduler, thread};

/// The locations of a small program.
pub(crate) struct Cells {
    pub(crate) x: AtomicUsize,
    pub(crate) y: AtomicUsize,
    pub(crate) z: AtomicUsize,
    pub(crate) w: AtomicUsize,
}

/// A thread of a small program. It returns the values that the test compares.
pub(crate) type Body = fn(&Cells) -> Vec<usize>;

/// The results of a program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Outcome {
    pub(crate) executions: u64,
    pub(crate) states: BTreeSet<Vec<usize>>,
}

/// Every scheduler that the tests use.
pub(crate) const SCHEDULERS: [Scheduler; 5] = [
    Scheduler::LowestFirst,
    Scheduler::HighestFirst,
    Scheduler::RoundRobin,
    Scheduler::Seeded(3),
    Scheduler::Seeded(1 << 40),
];

/// Checks a program once. States hold each thread's results one after another.
pub(crate) fn explore(config: &Config, bodies: &[Body]) -> (Report, Outcome) {
    let states = Arc::new(Mutex::new(BTreeSet::new()));
    let seen = Arc::clone(&states);
    let report = config.check(program(bodies, move |state| _ = seen.lock().unwrap().insert(state)));
    let outcome = Outcome { executions: report.executions, states: states.lock().unwrap().clone() };
    (report, outcome)
}

/// Returns a program of these threads that passes its final state to a function.
pub(crate) fn program(
    bodies: &[Body],
    see: impl Fn(Vec<usize>) + Send + Sync + 'static,
) -> impl Fn() + Send + Sync + 'static {
    let bodies = bodies.to_vec();
    move || {
        let cells = Arc::new(Cells {
            x: AtomicUsize::new(0),
            y: AtomicUsize::new(0),
            z: AtomicUsize::new(0),
            w: AtomicUsize::new(0),
        });
        let handles: Vec<_> = (bodies.iter())
            .map(|&body| {
                let cells = Arc::clone(&cells);
                thread::spawn(move || body(&cells))
            })
            .collect();
        see((handles.into_iter()).flat_map(|h| h.join().unwrap()).collect());
    }
}

/// Checks a program under every scheduler and on two cores: the outcomes must agree.
pub(crate) fn agree(config: &Config, bodies: &[Body]) -> Outcome {
    let mut configs: Vec<Config> = SCHEDULERS.map(|s| config.clone().scheduler(s)).to_vec();
    configs.push(config.clone().jobs(2));
    let outcomes: Vec<Outcome> = (configs.iter())
        .map(|config| {
            let (report, outcome) = explore(config, bodies);
            assert!(report.failure.is_none(), "{}", report.failure.unwrap());
            assert!(report.exhaustive);
            assert_eq!(report.blocked, 0);
            outcome
        })
        .collect();
    for (config, outcome) in configs.iter().zip(&outcomes) {
        assert_eq!(outcome, &outcomes[0], "{config:?}");
    }
    outcomes[0].clone()
}

/// Returns a program's failure. Checks that its replay string leads to an equal failure.
pub(crate) fn failure(program: impl Fn() + Send + Sync + Clone + 'static) -> Option<Failure> {
    let report = Config::new().check(program.clone());
    let failure = report.failure?;
    assert!(!report.exhaustive);
    if failure.kind != FailureKind::NonDeterminism {
        let again = Config::new().replay(&failure.replay).check(program);
        let again = again.failure.unwrap_or_else(|| panic!("the replay of {failure} passes"));
        assert_eq!(again.kind, failure.kind, "{failure}\n\nreplayed:\n{again}");
        let (before, after) = (without_addresses(&failure), without_addresses(&again));
        assert_eq!(before, after, "a replay shows the same execution");
    }
    Some(failure)
}

fn without_addresses(failure: &Failure) -> String {
    let mut parts = failure.trace.split("0x");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |text, part| text + part.trim_start_matches(|c: char| c.is_ascii_hexdigit()))
}

/// The results of programs, over all executions.
#[derive(Clone, Default)]
pub(crate) struct Seen(Arc<Mutex<Vec<usize>>>);

impl Seen {
    pub(crate) fn note(&self, value: usize) {
        let mut seen = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Err(at) = seen.binary_search(&value) {
            seen.insert(at, value);
        }
    }

    pub(crate) fn all(&self) -> Vec<usize> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// Returns a report without a failure, of all executions.
pub(crate) fn passed(report: Report) -> Report {
    assert!(report.failure.is_none(), "{}", report.failure.unwrap());
    assert!(report.exhaustive);
    report
}

/// Returns a source of random numbers below a given bound.
pub(crate) fn random(seed: u64) -> impl FnMut(u64) -> u64 {
    let mut state = seed ^ 0x1234_5678_9abc_def1;
    move |below| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 20) % below
    }
}

/// A step of a random thread: its operation, and one of two locations.
pub(crate) type Step = (u64, usize);

/// Returns one to `most` random steps.
pub(crate) fn steps(random: &mut impl FnMut(u64) -> u64, most: u64) -> Vec<Step> {
    (0..1 + random(most)).map(|_| (random(6), random(2) as usize)).collect()
}

/// Does a step, and returns its result, from 0 to 3.
pub(crate) fn step(cells: &[AtomicUsize; 2], (what, at): Step) -> usize {
    let cell = &cells[at];
    match what {
        0 => cell.load(Relaxed),
        1 => cell.load(Acquire),
        2 => cell.fetch_or(1, AcqRel),
        3 => cell.compare_exchange(1, 3, SeqCst, Relaxed).unwrap_or_else(|found| found),
        4 => {
            cell.store(2, Release);
            0
        }
        _ => {
            cell.store(1, SeqCst);
            0
        }
    }
}

/// Returns the kind of [`failure`].
pub(crate) fn kind(program: impl Fn() + Send + Sync + Clone + 'static) -> Option<FailureKind> {
    failure(program).map(|f| f.kind)
}
