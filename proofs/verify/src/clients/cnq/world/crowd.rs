//! Three and four threads on both sides, for a lap and more: too many executions to explore them
//! all.

use super::recorded::Does::{Close, Consumer, Leave, Pop, Producer, Push};
use super::recorded::{Does, Plan};
use crate::clients::Client;

const THREE: &[&[Does]] = &[
    &[Push(0), Push(0), Push(0)],
    &[Push(1), Push(1)],
    &[Push(2), Push(2), Push(2)],
    &[Pop(0), Pop(0)],
    &[Pop(1), Pop(1), Pop(1)],
    &[Pop(2), Pop(2)],
];

const FOUR: &[&[Does]] = &[
    &[Push(0)],
    &[Push(1), Push(1)],
    &[Push(2)],
    &[Push(3), Push(3), Push(3), Push(3)],
    &[Pop(0)],
    &[Pop(1), Pop(1)],
    &[Pop(2)],
    &[Pop(3), Pop(3), Pop(3)],
];

/// Handles give up their capsules, or are dropped and registered again.
const LEAVING: &[&[Does]] = &[
    &[Push(0), Close(0), Push(0)],
    &[Push(1), Producer(1), Push(1)],
    &[Push(2), Push(2), Push(2)],
    &[Pop(0), Leave(0), Pop(0)],
    &[Pop(1), Consumer(1), Pop(1)],
    &[Pop(2), Pop(2)],
];

/// Adds the clients, each run by `run`.
pub(super) fn walks(list: &mut Vec<Client>, name: &str, run: fn(Plan)) {
    let three = Plan { capsules: (8, 2), handles: (3, 3), first: &[Push(0), Push(1), Push(2)], threads: THREE };
    let four = Plan { capsules: (12, 2), handles: (4, 4), first: &[Push(0), Push(1), Push(1), Push(2)], threads: FOUR };
    let plans = [
        ("3x3", three),
        ("3x3-one", Plan { capsules: (6, 1), ..three }),
        ("3x3-leaving", Plan { threads: LEAVING, ..three }),
        ("4x4", four),
        ("4x4-three", Plan { capsules: (12, 3), ..four }),
        // One producer has an open capsule, another one is slow, and the others go on.
        (
            "4x3-ahead",
            Plan {
                capsules: (12, 2),
                handles: (4, 3),
                first: &[Push(0), Push(3), Push(3)],
                threads: &[
                    &[Push(0)],
                    &[Push(1)],
                    &[Push(2), Push(2)],
                    &[Push(3), Push(3), Push(3), Push(3), Push(3), Push(3)],
                    &[Pop(1), Pop(1)],
                    &[Pop(2)],
                    &[Pop(0), Pop(0)],
                ],
            },
        ),
    ];
    for (client, plan) in plans {
        list.push(Client::new(format!("cnq-{name}/walk-{client}"), move || run(plan)));
    }
}
