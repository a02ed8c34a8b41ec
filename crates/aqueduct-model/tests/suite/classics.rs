//! The classic litmus families: how many executions each has, and whether the outcome that gives
//! it its name is allowed.

use aqueduct_model::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release, SeqCst};
use aqueduct_model::sync::atomic::fence;
use aqueduct_model::{Config, MemoryModel, ReleaseSequences};

use crate::support::{Body, agree};

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
fn two_threads() {
    let rows: Vec<Row> = vec![
        (
            "SB relaxed",
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
            4,
            vec![0, 0],
            true,
        ),
        (
            "SB release acquire",
            vec![
                |c| {
                    c.x.store(1, Release);
                    vec![c.y.load(Acquire)]
                },
                |c| {
                    c.y.store(1, Release);
                    vec![c.x.load(Acquire)]
                },
            ],
            4,
            vec![0, 0],
            true,
        ),
        (
            "SB SeqCst",
            vec![
                |c| {
                    c.x.store(1, SeqCst);
                    vec![c.y.load(SeqCst)]
                },
                |c| {
                    c.y.store(1, SeqCst);
                    vec![c.x.load(SeqCst)]
                },
            ],
            3,
            vec![0, 0],
            false,
        ),
        (
            "SB SeqCst fences",
            vec![
                |c| {
                    c.x.store(1, Relaxed);
                    fence(SeqCst);
                    vec![c.y.load(Relaxed)]
                },
                |c| {
                    c.y.store(1, Relaxed);
                    fence(SeqCst);
                    vec![c.x.load(Relaxed)]
                },
            ],
            3,
            vec![0, 0],
            false,
        ),
        (
            "SB, a SeqCst fence against SeqCst accesses",
            vec![
                |c| {
                    c.x.store(1, Relaxed);
                    fence(SeqCst);
                    vec![c.y.load(Relaxed)]
                },
                |c| {
                    c.y.store(1, SeqCst);
                    vec![c.x.load(SeqCst)]
                },
            ],
            3,
            vec![0, 0],
            false,
        ),
        (
            "SB, a SeqCst fence on one side only",
            vec![
                |c| {
                    c.x.store(1, Relaxed);
                    fence(SeqCst);
                    vec![c.y.load(Relaxed)]
                },
                |c| {
                    c.y.store(1, Release);
                    vec![c.x.load(Acquire)]
                },
            ],
            4,
            vec![0, 0],
            true,
        ),
        (
            "SB whose reads are read-modify-writes",
            vec![
                |c| {
                    c.x.store(1, Relaxed);
                    vec![c.y.fetch_add(0, Relaxed)]
                },
                |c| {
                    c.y.store(1, Relaxed);
                    vec![c.x.fetch_add(0, Relaxed)]
                },
            ],
            4,
            vec![0, 0],
            true,
        ),
        (
            "MP relaxed",
            vec![
                |c| {
                    c.x.store(1, Relaxed);
                    c.y.store(1, Relaxed);
                    NONE
                },
                |c| vec![c.y.load(Relaxed), c.x.load(Relaxed)],
            ],
            4,
            vec![1, 0],
            true,
        ),
        (
            "MP release acquire",
            vec![
                |c| {
                    c.x.store(1, Relaxed);
                    c.y.store(1, Release);
                    NONE
                },
                |c| vec![c.y.load(Acquire), c.x.load(Relaxed)],
            ],
            3,
            vec![1, 0],
            false,
        ),
        (
            "MP fences",
            vec![
                |c| {
                    c.x.store(1, Relaxed);
                    fence(Release);
                    c.y.store(1, Relaxed);
                    NONE
                },
                |c| {
                    let y = c.y.load(Relaxed);
                    fence(Acquire);
                    vec![y, c.x.load(Relaxed)]
                },
            ],
            3,
            vec![1, 0],
            false,
        ),
        (
            "MP with a release fence only",
            vec![
                |c| {
                    c.x.store(1, Relaxed);
                    fence(AcqRel);
                    c.y.store(1, Relaxed);
                    NONE
                },
                |c| vec![c.y.load(Relaxed), c.x.load(Relaxed)],
            ],
            4,
            vec![1, 0],
            true,
        ),
        (
            "LB relaxed, not in RC11",
            vec![
                |c| {
                    let r = c.x.load(Relaxed);
                    c.y.store(1, Relaxed);
                    vec![r]
                },
                |c| {
                    let r = c.y.load(Relaxed);
                    c.x.store(1, Relaxed);
                    vec![r]
                },
            ],
            3,
            vec![1, 1],
            false,
        ),
        (
            "S relaxed",
            vec![
                |c| {
                    c.x.store(2, Relaxed);
                    c.y.store(1, Relaxed);
                    NONE
                },
                |c| {
                    let r = c.y.load(Relaxed);
                    c.x.store(1, Relaxed);
                    vec![r, c.x.load(Relaxed)]
                },
            ],
            6,
            vec![1, 2],
            true,
        ),
        (
            "R SeqCst",
            vec![
                |c| {
                    c.x.store(1, SeqCst);
                    c.y.store(1, SeqCst);
                    NONE
                },
                |c| {
                    c.y.store(2, SeqCst);
                    vec![c.x.load(SeqCst)]
                },
            ],
            3,
            vec![0],
            true,
        ),
        (
            "2+2W relaxed",
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
            4,
            NONE,
            true,
        ),
        (
            "2+2W SeqCst",
            vec![
                |c| {
                    c.x.store(1, SeqCst);
                    c.y.store(2, SeqCst);
                    NONE
                },
                |c| {
                    c.y.store(1, SeqCst);
                    c.x.store(2, SeqCst);
                    NONE
                },
            ],
            3,
            NONE,
            true,
        ),
        (
            "CoRR",
            vec![
                |c| {
                    c.x.store(1, Relaxed);
                    c.x.store(2, Relaxed);
                    NONE
                },
                |c| vec![c.x.load(Relaxed), c.x.load(Relaxed)],
            ],
            6,
            vec![2, 1],
            false,
        ),
        (
            "CoWR",
            vec![
                |c| {
                    c.x.store(1, Relaxed);
                    vec![c.x.load(Relaxed)]
                },
                |c| {
                    c.x.store(2, Relaxed);
                    NONE
                },
            ],
            3,
            vec![0],
            false,
        ),
        (
            "a read-modify-write before the store that it does not see",
            vec![
                |c| {
                    c.x.store(1, Relaxed);
                    c.y.store(1, Relaxed);
                    NONE
                },
                |c| {
                    let seen = c.y.load(Relaxed);
                    vec![seen, c.x.fetch_add(10, Relaxed)]
                },
            ],
            4,
            vec![1, 0],
            true,
        ),
        (
            "SeqCst load and store against a SeqCst load",
            vec![
                |c| {
                    let r = c.x.load(SeqCst);
                    c.x.store(1, SeqCst);
                    vec![r]
                },
                |c| vec![c.x.load(SeqCst)],
            ],
            2,
            vec![0, 1],
            true,
        ),
    ];
    check(&Config::new(), rows);
}

#[test]
fn three_and_four_threads() {
    let rows: Vec<Row> = vec![
        (
            "WRC relaxed",
            vec![
                |c| {
                    c.x.store(1, Release);
                    NONE
                },
                |c| {
                    let r = c.x.load(Acquire);
                    c.y.store(1, Relaxed);
                    vec![r]
                },
                |c| vec![c.y.load(Acquire), c.x.load(Relaxed)],
            ],
            8,
            vec![1, 1, 0],
            true,
        ),
        (
            "WRC release acquire",
            vec![
                |c| {
                    c.x.store(1, Release);
                    NONE
                },
                |c| {
                    let r = c.x.load(Acquire);
                    c.y.store(1, Release);
                    vec![r]
                },
                |c| vec![c.y.load(Acquire), c.x.load(Relaxed)],
            ],
            7,
            vec![1, 1, 0],
            false,
        ),
        (
            "RWC SeqCst",
            vec![
                |c| {
                    c.x.store(1, SeqCst);
                    NONE
                },
                |c| vec![c.x.load(SeqCst), c.y.load(SeqCst)],
                |c| {
                    c.y.store(1, SeqCst);
                    vec![c.x.load(SeqCst)]
                },
            ],
            7,
            vec![1, 0, 0],
            false,
        ),
        (
            "W+RWC",
            vec![
                |c| {
                    c.x.store(1, Relaxed);
                    c.z.store(1, Release);
                    NONE
                },
                |c| {
                    let r = c.z.load(Acquire);
                    fence(SeqCst);
                    vec![r, c.y.load(Relaxed)]
                },
                |c| {
                    c.y.store(1, Relaxed);
                    fence(SeqCst);
                    vec![c.x.load(Relaxed)]
                },
            ],
            7,
            vec![1, 0, 0],
            false,
        ),
        (
            "ISA2",
            vec![
                |c| {
                    c.x.store(1, Relaxed);
                    c.y.store(1, Release);
                    NONE
                },
                |c| {
                    let r = c.y.load(Acquire);
                    c.z.store(1, Release);
                    vec![r]
                },
                |c| vec![c.z.load(Acquire), c.x.load(Relaxed)],
            ],
            7,
            vec![1, 1, 0],
            false,
        ),
        (
            "Z6",
            vec![
                |c| {
                    c.x.store(1, SeqCst);
                    c.y.store(1, Release);
                    NONE
                },
                |c| {
                    c.y.store(2, SeqCst);
                    c.z.store(1, SeqCst);
                    NONE
                },
                |c| {
                    c.z.store(2, SeqCst);
                    vec![c.x.load(SeqCst)]
                },
            ],
            8,
            vec![0],
            true,
        ),
        (
            "IRIW release acquire",
            vec![
                |c| {
                    c.x.store(1, Release);
                    NONE
                },
                |c| {
                    c.y.store(1, Release);
                    NONE
                },
                |c| vec![c.x.load(Acquire), c.y.load(Acquire)],
                |c| vec![c.y.load(Acquire), c.x.load(Acquire)],
            ],
            16,
            vec![1, 0, 1, 0],
            true,
        ),
        (
            "IRIW SeqCst",
            vec![
                |c| {
                    c.x.store(1, SeqCst);
                    NONE
                },
                |c| {
                    c.y.store(1, SeqCst);
                    NONE
                },
                |c| vec![c.x.load(SeqCst), c.y.load(SeqCst)],
                |c| vec![c.y.load(SeqCst), c.x.load(SeqCst)],
            ],
            15,
            vec![1, 0, 1, 0],
            false,
        ),
        (
            "a release sequence through a relaxed read-modify-write",
            vec![
                |c| {
                    c.x.store(1, Relaxed);
                    c.y.store(1, Release);
                    NONE
                },
                |c| vec![c.y.fetch_add(1, Relaxed)],
                |c| vec![c.y.load(Acquire), c.x.load(Relaxed)],
            ],
            9,
            vec![1, 2, 0],
            false,
        ),
        (
            "three additions",
            vec![|c| vec![c.x.fetch_add(1, Relaxed)], |c| vec![c.x.fetch_add(1, Relaxed)], |c| {
                vec![c.x.fetch_add(1, Relaxed)]
            }],
            6,
            vec![0, 0, 1],
            false,
        ),
        (
            "a store among additions",
            vec![
                |c| vec![c.x.fetch_add(1, Relaxed)],
                |c| {
                    c.x.store(2, Relaxed);
                    NONE
                },
                |c| vec![c.x.fetch_add(1, Relaxed)],
            ],
            6,
            vec![0, 3],
            false,
        ),
    ];
    check(&Config::new(), rows);
}

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
            // Two with one that wins while the other fails for a reason; three in which somebody
            // fails for none, and the winner is one, the other, nobody.
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
    // A weak exchange that fails without end reads a growing history; one retry is enough here.
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
