//! Families of three and four threads: WRC, RWC, ISA2, Z6, IRIW and others.

use aqueduct_model::Config;
use aqueduct_model::sync::atomic::Ordering::{Acquire, Relaxed, Release, SeqCst};
use aqueduct_model::sync::atomic::fence;

use super::{Classic, NONE, check};

#[test]
fn three_and_four_threads() {
    let classics = vec![
        Classic {
            name: "WRC relaxed",
            threads: vec![
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
            executions: 8,
            outcome: vec![1, 1, 0],
            allowed: true,
        },
        Classic {
            name: "WRC release acquire",
            threads: vec![
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
            executions: 7,
            outcome: vec![1, 1, 0],
            allowed: false,
        },
        Classic {
            name: "RWC SeqCst",
            threads: vec![
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
            executions: 7,
            outcome: vec![1, 0, 0],
            allowed: false,
        },
        Classic {
            name: "W+RWC",
            threads: vec![
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
            executions: 7,
            outcome: vec![1, 0, 0],
            allowed: false,
        },
        Classic {
            name: "ISA2",
            threads: vec![
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
            executions: 7,
            outcome: vec![1, 1, 0],
            allowed: false,
        },
        Classic {
            name: "Z6",
            threads: vec![
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
            executions: 8,
            outcome: vec![0],
            allowed: true,
        },
        Classic {
            name: "IRIW release acquire",
            threads: vec![
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
            executions: 16,
            outcome: vec![1, 0, 1, 0],
            allowed: true,
        },
        Classic {
            name: "IRIW SeqCst",
            threads: vec![
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
            executions: 15,
            outcome: vec![1, 0, 1, 0],
            allowed: false,
        },
        Classic {
            name: "a release sequence through a relaxed read-modify-write",
            threads: vec![
                |c| {
                    c.x.store(1, Relaxed);
                    c.y.store(1, Release);
                    NONE
                },
                |c| vec![c.y.fetch_add(1, Relaxed)],
                |c| vec![c.y.load(Acquire), c.x.load(Relaxed)],
            ],
            executions: 9,
            outcome: vec![1, 2, 0],
            allowed: false,
        },
        Classic {
            name: "three additions",
            threads: vec![|c| vec![c.x.fetch_add(1, Relaxed)], |c| vec![c.x.fetch_add(1, Relaxed)], |c| {
                vec![c.x.fetch_add(1, Relaxed)]
            }],
            executions: 6,
            outcome: vec![0, 0, 1],
            allowed: false,
        },
        Classic {
            name: "a store among additions",
            threads: vec![
                |c| vec![c.x.fetch_add(1, Relaxed)],
                |c| {
                    c.x.store(2, Relaxed);
                    NONE
                },
                |c| vec![c.x.fetch_add(1, Relaxed)],
            ],
            executions: 6,
            outcome: vec![0, 3],
            allowed: false,
        },
    ];
    check(&Config::new(), classics);
}
