//! Asymmetric fences: what a light and a heavy fence forbid, and that light fences alone forbid nothing.

use aqueduct_model::Config;
use aqueduct_model::sync::atomic::Ordering::{Relaxed, SeqCst};
use aqueduct_model::sync::atomic::{fence, heavy_fence, light_fence};

use super::{NONE, Row, check};
use crate::support::Body;

/// Store buffering: a store, a fence, and a load of what the next thread stores.
macro_rules! ring {
    ($($fence:ident $from:ident $to:ident),*) => {
        vec![$(|c| {
            c.$from.store(1, Relaxed);
            $fence(SeqCst);
            vec![c.$to.load(Relaxed)]
        }),*]
    };
}

#[test]
fn asymmetric_fences() {
    let unfenced: Body = |c| {
        c.y.store(1, SeqCst);
        vec![c.x.load(SeqCst)]
    };
    let sc_accesses = |fenced: Vec<Body>| vec![fenced[0], unfenced];
    let rows: Vec<Row> = vec![
        ("SB, light and heavy", ring![light_fence x y, heavy_fence y x], 3, vec![0, 0], false),
        ("SB, light and light", ring![light_fence x y, light_fence y x], 4, vec![0, 0], true),
        ("SB, heavy and heavy", ring![heavy_fence x y, heavy_fence y x], 3, vec![0, 0], false),
        ("SB, light and SeqCst", ring![light_fence x y, fence y x], 4, vec![0, 0], true),
        ("SB, heavy and SeqCst", ring![heavy_fence x y, fence y x], 3, vec![0, 0], false),
        ("SB, light and SeqCst accesses", sc_accesses(ring![light_fence x y]), 4, vec![0, 0], true),
        ("SB, heavy and SeqCst accesses", sc_accesses(ring![heavy_fence x y]), 3, vec![0, 0], false),
        ("a ring, one light", ring![light_fence x y, heavy_fence y z, heavy_fence z x], 7, vec![0, 0, 0], false),
        ("a ring, two light", ring![light_fence x y, light_fence y z, heavy_fence z x], 8, vec![0, 0, 0], true),
        (
            "a ring of four, light ones apart: two heavy ones come to two threads in either order",
            ring![light_fence x y, heavy_fence y z, light_fence z w, heavy_fence w x],
            16,
            vec![0, 0, 0, 0],
            true,
        ),
        (
            "a ring of four, SeqCst",
            ring![fence x y, heavy_fence y z, fence z w, heavy_fence w x],
            15,
            vec![0, 0, 0, 0],
            false,
        ),
    ];
    check(&Config::new(), rows);
}

#[test]
fn messages() {
    /// A message whose writer and reader have these fences.
    macro_rules! message {
        ($writer:ident $reader:ident) => {
            vec![
                |c| {
                    c.x.store(1, Relaxed);
                    $writer(SeqCst);
                    c.y.store(1, Relaxed);
                    NONE
                },
                |c| {
                    let seen = c.y.load(Relaxed);
                    $reader(SeqCst);
                    vec![seen, c.x.load(Relaxed)]
                },
            ]
        };
    }
    let rows: Vec<Row> = vec![
        ("MP, light and light", message![light_fence light_fence], 4, vec![1, 0], true),
        ("MP, heavy and light", message![heavy_fence light_fence], 3, vec![1, 0], false),
        ("MP, light and heavy", message![light_fence heavy_fence], 3, vec![1, 0], false),
        ("MP, heavy and heavy", message![heavy_fence heavy_fence], 3, vec![1, 0], false),
        ("MP, heavy and SeqCst", message![heavy_fence fence], 3, vec![1, 0], false),
        ("MP, light and SeqCst", message![light_fence fence], 4, vec![1, 0], true),
        (
            // What a thread has seen before its light fence is visible after each heavy fence that the light
            // one precedes.
            "RWC, light and heavy",
            vec![
                |c| {
                    c.x.store(1, Relaxed);
                    NONE
                },
                |c| {
                    let seen = c.x.load(Relaxed);
                    light_fence(SeqCst);
                    vec![seen, c.y.load(Relaxed)]
                },
                |c| {
                    c.y.store(1, Relaxed);
                    heavy_fence(SeqCst);
                    vec![c.x.load(Relaxed)]
                },
            ],
            7,
            vec![1, 0, 0],
            false,
        ),
    ];
    check(&Config::new(), rows);
}
