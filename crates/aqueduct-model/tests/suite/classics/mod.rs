//! The classic litmus families: how many executions each has, and whether the outcome that gives
//! it its name is allowed.

use aqueduct_model::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release};
use aqueduct_model::{Config, MemoryModel, ReleaseSequences};

use crate::support::{Body, agree};

mod asymmetric;
mod more_threads;
mod two_threads;

/// Name, threads, executions, the outcome of interest, whether it is allowed.
type Row = (&'static str, Vec<Body>, u64, Vec<usize>, bool);

fn check(config: &Config, rows: Vec<Row>) {
    for (name, bodies, executions, outcome, allowed) in rows {
        let found = agree(config, &bodies);
        assert_eq!(found.executions, executions, "{name}: executions");
        assert_eq!(found.states.contains(&outcome), allowed, "{name}: {outcome:?}");
    }
}

const NONE: Vec<usize> = Vec::new();

#[test]
fn compare_exchange() {
    let rows: Vec<Row> = vec![
        (
            "strong",
            vec![|c| vec![usize::from(c.x.compare_exchange(0, 1, Relaxed, Relaxed).is_ok())], |c| {
                vec![usize::from(c.x.compare_exchange(0, 2, Relaxed, Relaxed).is_ok())]
            }],
            2,
            vec![1, 1],
            false,
        ),
        (
            "weak, failing for no reason",
            vec![|c| vec![usize::from(c.x.compare_exchange_weak(0, 1, Relaxed, Relaxed).is_ok())], |c| {
                vec![usize::from(c.x.compare_exchange_weak(0, 2, Relaxed, Relaxed).is_ok())]
            }],
            // Two with one that wins while the other fails for a reason; three in which one
            // fails for none, and the winner is the one, the other, or neither.
            5,
            vec![0, 0],
            true,
        ),
        (
            "failure with the failure ordering",
            vec![
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
            4,
            vec![1, 0],
            true,
        ),
        (
            "failure with an acquiring failure ordering",
            vec![
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
            3,
            vec![1, 0],
            false,
        ),
        (
            "fetch_update",
            vec![|c| vec![c.x.fetch_update(Relaxed, Relaxed, |x| (x < 1).then_some(x + 1)).unwrap_or(9)], |c| {
                c.x.store(1, Relaxed);
                NONE
            }],
            7,
            vec![0],
            true,
        ),
    ];
    // A weak exchange that fails without end reads a growing history. One retry is enough here.
    check(&Config::new(), rows.into_iter().take(4).collect());
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
    let rows: Vec<Row> = vec![
        (
            "SB",
            vec![
                |c| {
                    c.x.store(1, Relaxed);
                    vec![c.y.load(Relaxed)]
                },
                |c| {
                    c.y.store(1, Relaxed);
                    vec![c.x.load(Relaxed)]
                },
            ],
            3,
            vec![0, 0],
            false,
        ),
        (
            "IRIW",
            vec![
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
            15,
            vec![1, 0, 1, 0],
            false,
        ),
        (
            "2+2W",
            vec![
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
            3,
            NONE,
            true,
        ),
    ];
    check(&config, rows);
}
