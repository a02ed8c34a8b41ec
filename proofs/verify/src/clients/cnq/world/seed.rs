//! Clients C1 to C6 of J. Wang's thesis (TU Dresden, 2024, Table 3.1): capsules of one item, three
//! items.
//!
//! Each thread gives up its capsule when it is done; then one thread takes the rest.

use super::recorded::Does::{Pop, Push};
use super::recorded::{Does, Plan};
use crate::clients::Client;

const PRODUCERS: [&[Does]; 2] = [&[Push(0), Push(0)], &[Push(1)]];
const CONSUMERS: [&[Does]; 2] = [&[Pop(0), Pop(0)], &[Pop(1)]];
const THREE_PUSHES: &[Does] = &[Push(0), Push(0), Push(0)];
const THREE_POPS: &[Does] = &[Pop(0), Pop(0), Pop(0)];

/// Adds the clients, each run by `run`; those in `big` have many executions.
pub(super) fn clients(list: &mut Vec<Client>, name: &str, run: fn(Plan), big: &[&str]) {
    let mut add = |client: &str, capsules, handles, threads| {
        let plan = Plan { capsules: (capsules, 1), handles, first: &[], threads };
        let mut program = Client::new(format!("cnq-{name}/{client}"), move || run(plan));
        program.big = big.contains(&client);
        list.push(program);
    };
    add("C1", 1, (2, 1), const { &[PRODUCERS[0], PRODUCERS[1], THREE_POPS] });
    add("C2", 1, (1, 2), const { &[THREE_PUSHES, CONSUMERS[0], CONSUMERS[1]] });
    add("C3", 1, (2, 2), const { &[PRODUCERS[0], PRODUCERS[1], CONSUMERS[0], CONSUMERS[1]] });
    add("C4", 2, (2, 1), const { &[PRODUCERS[0], PRODUCERS[1], THREE_POPS] });
    add("C5", 2, (1, 2), const { &[THREE_PUSHES, CONSUMERS[0], CONSUMERS[1]] });
    add("C6", 2, (2, 2), const { &[PRODUCERS[0], PRODUCERS[1], CONSUMERS[0], CONSUMERS[1]] });
}
