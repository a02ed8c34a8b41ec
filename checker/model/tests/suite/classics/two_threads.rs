//! Families of two threads: MP, SB, LB, S, R, 2+2W, coherence.

use aqueduct_model::Config;
use aqueduct_model::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release, SeqCst};
use aqueduct_model::sync::atomic::fence;

use super::{Classic, NONE, check};

#[test]
fn two_threads() {
    let classics = vec![
        Classic {
            name: "SB relaxed",
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
            executions: 4,
            outcome: vec![0, 0],
            allowed: true,
        },
        Classic {
            name: "SB release acquire",
            threads: vec![
                |c| {
                    c.x.store(1, Release);
                    vec![c.y.load(Acquire)]
                },
                |c| {
                    c.y.store(1, Release);
                    vec![c.x.load(Acquire)]
                },
            ],
            executions: 4,
            outcome: vec![0, 0],
            allowed: true,
        },
        Classic {
            name: "SB SeqCst",
            threads: vec![
                |c| {
                    c.x.store(1, SeqCst);
                    vec![c.y.load(SeqCst)]
                },
                |c| {
                    c.y.store(1, SeqCst);
                    vec![c.x.load(SeqCst)]
                },
            ],
            executions: 3,
            outcome: vec![0, 0],
            allowed: false,
        },
        Classic {
            name: "SB SeqCst fences",
            threads: vec![
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
            executions: 3,
            outcome: vec![0, 0],
            allowed: false,
        },
        Classic {
            name: "SB, a SeqCst fence against SeqCst accesses",
            threads: vec![
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
            executions: 3,
            outcome: vec![0, 0],
            allowed: false,
        },
        Classic {
            name: "SB, a SeqCst fence on one side only",
            threads: vec![
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
            executions: 4,
            outcome: vec![0, 0],
            allowed: true,
        },
        Classic {
            name: "SB whose reads are read-modify-writes",
            threads: vec![
                |c| {
                    c.x.store(1, Relaxed);
                    vec![c.y.fetch_add(0, Relaxed)]
                },
                |c| {
                    c.y.store(1, Relaxed);
                    vec![c.x.fetch_add(0, Relaxed)]
                },
            ],
            executions: 4,
            outcome: vec![0, 0],
            allowed: true,
        },
        Classic {
            name: "MP relaxed",
            threads: vec![
                |c| {
                    c.x.store(1, Relaxed);
                    c.y.store(1, Relaxed);
                    NONE
                },
                |c| vec![c.y.load(Relaxed), c.x.load(Relaxed)],
            ],
            executions: 4,
            outcome: vec![1, 0],
            allowed: true,
        },
        Classic {
            name: "MP release acquire",
            threads: vec![
                |c| {
                    c.x.store(1, Relaxed);
                    c.y.store(1, Release);
                    NONE
                },
                |c| vec![c.y.load(Acquire), c.x.load(Relaxed)],
            ],
            executions: 3,
            outcome: vec![1, 0],
            allowed: false,
        },
        Classic {
            name: "MP fences",
            threads: vec![
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
            executions: 3,
            outcome: vec![1, 0],
            allowed: false,
        },
        Classic {
            name: "MP with a release fence only",
            threads: vec![
                |c| {
                    c.x.store(1, Relaxed);
                    fence(AcqRel);
                    c.y.store(1, Relaxed);
                    NONE
                },
                |c| vec![c.y.load(Relaxed), c.x.load(Relaxed)],
            ],
            executions: 4,
            outcome: vec![1, 0],
            allowed: true,
        },
        Classic {
            name: "LB relaxed, not in RC11",
            threads: vec![
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
            executions: 3,
            outcome: vec![1, 1],
            allowed: false,
        },
        Classic {
            name: "S relaxed",
            threads: vec![
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
            executions: 6,
            outcome: vec![1, 2],
            allowed: true,
        },
        Classic {
            name: "R SeqCst",
            threads: vec![
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
            executions: 3,
            outcome: vec![0],
            allowed: true,
        },
        Classic {
            name: "2+2W relaxed",
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
            executions: 4,
            outcome: NONE,
            allowed: true,
        },
        Classic {
            name: "2+2W SeqCst",
            threads: vec![
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
            executions: 3,
            outcome: NONE,
            allowed: true,
        },
        Classic {
            name: "CoRR",
            threads: vec![
                |c| {
                    c.x.store(1, Relaxed);
                    c.x.store(2, Relaxed);
                    NONE
                },
                |c| vec![c.x.load(Relaxed), c.x.load(Relaxed)],
            ],
            executions: 6,
            outcome: vec![2, 1],
            allowed: false,
        },
        Classic {
            name: "CoWR",
            threads: vec![
                |c| {
                    c.x.store(1, Relaxed);
                    vec![c.x.load(Relaxed)]
                },
                |c| {
                    c.x.store(2, Relaxed);
                    NONE
                },
            ],
            executions: 3,
            outcome: vec![0],
            allowed: false,
        },
        Classic {
            name: "a read-modify-write before the store that it does not see",
            threads: vec![
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
            executions: 4,
            outcome: vec![1, 0],
            allowed: true,
        },
        Classic {
            name: "SeqCst load and store against a SeqCst load",
            threads: vec![
                |c| {
                    let r = c.x.load(SeqCst);
                    c.x.store(1, SeqCst);
                    vec![r]
                },
                |c| vec![c.x.load(SeqCst)],
            ],
            executions: 2,
            outcome: vec![0, 1],
            allowed: true,
        },
    ];
    check(&Config::new(), classics);
}
