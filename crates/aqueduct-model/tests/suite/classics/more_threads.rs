//! Families of three and four threads: WRC, RWC, ISA2, Z6, IRIW and others.

use aqueduct_model::Config;
use aqueduct_model::sync::atomic::Ordering::{Acquire, Relaxed, Release, SeqCst};
use aqueduct_model::sync::atomic::fence;

use super::{NONE, Row, check};

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
