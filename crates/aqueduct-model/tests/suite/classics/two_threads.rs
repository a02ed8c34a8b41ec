//! Families of two threads: MP, SB, LB, S, R, 2+2W, coherence.

use aqueduct_model::Config;
use aqueduct_model::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release, SeqCst};
use aqueduct_model::sync::atomic::fence;

use super::{NONE, Row, check};

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
