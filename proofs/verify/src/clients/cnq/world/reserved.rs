//! Capsules that a consumer has reserved and may not read yet.
//!
//! A tube that takes positions by fetch-and-add may get another position than the one that it has
//! checked, if another thread was faster.
//!
//! One consumer has the first capsule, with an item left. Of the two others, A checks the position
//! of the second capsule, which B takes, and then that of the third, which B takes as well. So A
//! gets the fourth, which may be read when the first one has been read to the end.

use super::super::library::tube::Tube;
use super::recorded::Does::{Consumer, Leave, Pop, Push};
use super::recorded::{Does, Plan, as_promised};
use crate::clients::Client;

const FIRST: &[Does] = &[Push(0), Push(0), Push(0), Push(0), Push(0), Push(0), Push(0), Push(0), Pop(1)];

const SIX_CAPSULES: &[Does] = &[
    Push(0),
    Push(0),
    Push(0),
    Push(0),
    Push(0),
    Push(0),
    Push(0),
    Push(0),
    Push(0),
    Push(0),
    Push(0),
    Push(0),
    Pop(1),
];
const PASSED: &[&[Does]] = &[&[Pop(2), Pop(2), Pop(2), Pop(2), Pop(2), Pop(2)], &[Pop(0)]];

pub(super) fn clients<U: Tube + 'static>(list: &mut Vec<Client>, name: &str) {
    let plan = Plan { capsules: (4, 2), handles: (1, 3), first: FIRST, threads: &[] };
    let mut add = |client: &str, threads| {
        let plan = Plan { threads, ..plan };
        list.push(Client::new(format!("cnq-{name}/{client}"), move || as_promised::<U>(plan)));
    };
    // A waits, or reads once the first capsule has been read.
    add("reserved", &[&[Pop(2), Pop(2), Pop(2)], &[Pop(0), Pop(0)]]);
    add("reserved-read", &[&[Pop(2), Pop(2), Pop(2), Pop(1)], &[Pop(0), Pop(0)]]);
    // The first capsule is a fragment, which A gets in exchange.
    add("reserved-exchanged", &[&[Pop(2), Pop(2), Pop(2), Leave(1)], &[Pop(0), Pop(0)]]);
    // A leaves the capsule that it may not read, or is dropped.
    add("reserved-left", &[&[Pop(2), Pop(2), Pop(2), Pop(1)], &[Pop(0), Leave(0), Pop(0)]]);
    add("reserved-gone", &[&[Pop(2), Pop(2), Pop(2)], &[Pop(0), Consumer(0)]]);
    // A waits, and meanwhile the third consumer goes on to capsules that are too far ahead.
    let plan = Plan { capsules: (6, 2), first: SIX_CAPSULES, threads: PASSED, ..plan };
    list.push(Client::new(format!("cnq-{name}/reserved-passed"), move || as_promised::<U>(plan)));
}
