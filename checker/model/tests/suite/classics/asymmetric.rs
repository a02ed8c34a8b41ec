//! Asymmetric fences: the outcomes that a light and a heavy fence forbid, and that light fences
//! alone forbid none.

use aqueduct_model::Config;
use aqueduct_model::sync::atomic::Ordering::{Relaxed, SeqCst};
use aqueduct_model::sync::atomic::{fence, heavy_fence, light_fence};

use super::{Classic, NONE, check};
use crate::support::Body;

/// Store buffering: a store, a fence, and a load of the next thread's location.
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
    let classics = vec![
        Classic {
            name: "SB, light and heavy",
            threads: ring![light_fence x y, heavy_fence y x],
            executions: 3,
            outcome: vec![0, 0],
            allowed: false,
        },
        Classic {
            name: "SB, light and light",
            threads: ring![light_fence x y, light_fence y x],
            executions: 4,
            outcome: vec![0, 0],
            allowed: true,
        },
        Classic {
            name: "SB, heavy and heavy",
            threads: ring![heavy_fence x y, heavy_fence y x],
            executions: 3,
            outcome: vec![0, 0],
            allowed: false,
        },
        Classic {
            name: "SB, light and SeqCst",
            threads: ring![light_fence x y, fence y x],
            executions: 4,
            outcome: vec![0, 0],
            allowed: true,
        },
        Classic {
            name: "SB, heavy and SeqCst",
            threads: ring![heavy_fence x y, fence y x],
            executions: 3,
            outcome: vec![0, 0],
            allowed: false,
        },
        Classic {
            name: "SB, light and SeqCst accesses",
            threads: sc_accesses(ring![light_fence x y]),
            executions: 4,
            outcome: vec![0, 0],
            allowed: true,
        },
        Classic {
            name: "SB, heavy and SeqCst accesses",
            threads: sc_accesses(ring![heavy_fence x y]),
            executions: 3,
            outcome: vec![0, 0],
            allowed: false,
        },
        Classic {
            name: "a ring, one light",
            threads: ring![light_fence x y, heavy_fence y z, heavy_fence z x],
            executions: 7,
            outcome: vec![0, 0, 0],
            allowed: false,
        },
        Classic {
            name: "a ring, two light",
            threads: ring![light_fence x y, light_fence y z, heavy_fence z x],
            executions: 8,
            outcome: vec![0, 0, 0],
            allowed: true,
        },
        Classic {
            name: "a ring of four, light ones apart: two heavy ones come to two threads in either order",
            threads: ring![light_fence x y, heavy_fence y z, light_fence z w, heavy_fence w x],
            executions: 16,
            outcome: vec![0, 0, 0, 0],
            allowed: true,
        },
        Classic {
            name: "a ring of four, SeqCst",
            threads: ring![fence x y, heavy_fence y z, fence z w, heavy_fence w x],
            executions: 15,
            outcome: vec![0, 0, 0, 0],
            allowed: false,
        },
    ];
    check(&Config::new(), classics);
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
    let classics = vec![
        Classic {
            name: "MP, light and light",
            threads: message![light_fence light_fence],
            executions: 4,
            outcome: vec![1, 0],
            allowed: true,
        },
        Classic {
            name: "MP, heavy and light",
            threads: message![heavy_fence light_fence],
            executions: 3,
            outcome: vec![1, 0],
            allowed: false,
        },
        Classic {
            name: "MP, light and heavy",
            threads: message![light_fence heavy_fence],
            executions: 3,
            outcome: vec![1, 0],
            allowed: false,
        },
        Classic {
            name: "MP, heavy and heavy",
            threads: message![heavy_fence heavy_fence],
            executions: 3,
            outcome: vec![1, 0],
            allowed: false,
        },
        Classic {
            name: "MP, heavy and SeqCst",
            threads: message![heavy_fence fence],
            executions: 3,
            outcome: vec![1, 0],
            allowed: false,
        },
        Classic {
            name: "MP, light and SeqCst",
            threads: message![light_fence fence],
            executions: 4,
            outcome: vec![1, 0],
            allowed: true,
        },
        Classic {
            // Writes that a thread has seen before its light fence are visible after each heavy
            // fence that the light one precedes.
            name: "RWC, light and heavy",
            threads: vec![
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
            executions: 7,
            outcome: vec![1, 0, 0],
            allowed: false,
        },
    ];
    check(&Config::new(), classics);
}
