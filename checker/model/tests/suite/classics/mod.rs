//! The classic litmus families: the number of executions of each, and whether the outcome that
//! gives it its name is allowed.

use aqueduct_model::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release};
use aqueduct_model::{Config, MemoryModel, ReleaseSequences};

use crate::support::{Body, agree};

mod asymmetric;
mod more_threads;
mod two_threads;

/// A classic program and its published results.
struct Classic {
    name: &'static str,
    threads: Vec<Body>,
    executions: u64,
    /// The threads' results, one after the other, of the execution that gives the family its name.
    outcome: Vec<usize>,
    allowed: bool,
}

fn check(config: &Config, classics: Vec<Classic>) {
    for Classic { name, threads, executions, outcome, allowed } in classics {
        let found = agree(config, &threads);
        assert_eq!(found.executions, executions, "{name}: executions");
        assert_eq!(found.states.contains(&outcome), allowed, "{name}: {outcome:?}");
    }
}

const NONE: Vec<usize> = Vec::new();

#[test]
fn compare_exchange() {
    let classics = vec![
        Classic {
            name: "strong",
            threads: vec![|c| vec![usize::from(c.x.compare_exchange(0, 1, Relaxed, Relaxed).is_ok())], |c| {
                vec![usize::from(c.x.compare_exchange(0, 2, Relaxed, Relaxed).is_ok())]
            }],
            executions: 2,
            outcome: vec![1, 1],
            allowed: false,
        },
        Classic {
            name: "weak, failing for no reason",
            threads: vec![|c| vec![usize::from(c.x.compare_exchange_weak(0, 1, Relaxed, Relaxed).is_ok())], |c| {
                vec![usize::from(c.x.compare_exchange_weak(0, 2, Relaxed, Relaxed).is_ok())]
            }],
            // Two with one that wins while the other fails for a reason; three in which one
            // fails for none, and the winner is the one, the other, or neither.
            executions: 5,
            outcome: vec![0, 0],
            allowed: true,
        },
        Classic {
            name: "failure with the failure ordering",
            threads: vec![
                |c| {
                    c.x.store(1, Relaxed);
                    c.y.store(1, Release);
                    NONE
                },
                |c| {
                    let seen = c.y.compare_exchange(7, 8, AcqRel, Relaxed).unwrap_err();
                    vec![seen, c.x.load(Relaxed)]
                },
            ],
            executions: 4,
            outcome: vec![1, 0],
            allowed: true,
        },
        Classic {
            name: "failure with an acquiring failure ordering",
            threads: vec![
                |c| {
                    c.x.store(1, Relaxed);
                    c.y.store(1, Release);
                    NONE
                },
                |c| {
                    let seen = c.y.compare_exchange(7, 8, Relaxed, Acquire).unwrap_err();
                    vec![seen, c.x.load(Relaxed)]
                },
            ],
            executions: 3,
            outcome: vec![1, 0],
            allowed: false,
        },
        Classic {
            name: "fetch_update",
            threads: vec![
                |c| vec![c.x.fetch_update(Relaxed, Relaxed, |x| (x < 1).then_some(x + 1)).unwrap_or(9)],
                |c| {
                    c.x.store(1, Relaxed);
                    NONE
                },
            ],
            executions: 7,
            outcome: vec![0],
            allowed: true,
        },
    ];
    // A weak exchange that fails without end reads a growing history. One retry is enough here.
    check(&Config::new(), classics.into_iter().take(4).collect());
}

#[test]
fn release_sequences() {
    let bodies: [Body; 2] = [
        |c| {
            c.x.store(1, Relaxed);
            c.y.store(1, Release);
            c.y.store(2, Relaxed);
            NONE
        },
        |c| vec![c.y.load(Acquire), c.x.load(Relaxed)],
    ];
    assert_eq!(agree(&Config::new(), &bodies).executions, 5);
    let c11 = Config::new().release_sequences(ReleaseSequences::C11);
    assert_eq!(agree(&c11, &bodies).executions, 4);
}

#[test]
fn sequential_consistency() {
    let config = Config::new().model(MemoryModel::Sc);
    let classics = vec![
        Classic {
            name: "SB",
            threads: vec![
                |c| {
                    c.x.store(1, Relaxed);
                    vec![c.y.load(Relaxed)]
                },
                |c| {
                    c.y.store(1, Relaxed);
                    vec![c.x.load(Relaxed)]
                },
            ],
            executions: 3,
            outcome: vec![0, 0],
            allowed: false,
        },
        Classic {
            name: "IRIW",
            threads: vec![
                |c| {
                    c.x.store(1, Relaxed);
                    NONE
                },
                |c| {
                    c.y.store(1, Relaxed);
                    NONE
                },
                |c| vec![c.x.load(Relaxed), c.y.load(Relaxed)],
                |c| vec![c.y.load(Relaxed), c.x.load(Relaxed)],
            ],
            executions: 15,
            outcome: vec![1, 0, 1, 0],
            allowed: false,
        },
        Classic {
            name: "2+2W",
            threads: vec![
                |c| {
                    c.x.store(1, Relaxed);
                    c.y.store(2, Relaxed);
                    NONE
                },
                |c| {
                    c.y.store(1, Relaxed);
                    c.x.store(2, Relaxed);
                    NONE
                },
            ],
            executions: 3,
            outcome: NONE,
            allowed: true,
        },
    ];
    check(&config, classics);
}
