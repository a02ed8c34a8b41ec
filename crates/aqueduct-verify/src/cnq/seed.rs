//! The seed's clients C1 to C6 (Table 3.1): capsules of one item, three items. Each thread unregisters when it is done; then one
//! thread takes what is left.

use aqueduct_under_model::tube::Tube;

use super::recorded::{Call, Does, Plan, run};
use crate::clients::Client;

const ONE: &[Does] = &[Call];
const TWO: &[Does] = &[Call, Call];
const THREE: &[Does] = &[Call, Call, Call];

pub(super) fn clients<U: Tube + 'static>(list: &mut Vec<Client>, name: &str) {
    let mut add = |client: &str, capsules, producers, consumers| {
        let plan = Plan { capsules, size: 1, filled: (0, 0), producers, consumers };
        let mut program = Client::new(format!("cnq-{name}/{client}"), move || run::<U>(plan));
        // With one capsule for two of either, each of them finds it in use over and over.
        program.big = client == "C3";
        list.push(program);
    };
    add("C1", 1, &[TWO, ONE], &[THREE]);
    add("C2", 1, &[THREE], &[TWO, ONE]);
    add("C3", 1, &[TWO, ONE], &[TWO, ONE]);
    add("C4", 2, &[TWO, ONE], &[THREE]);
    add("C5", 2, &[THREE], &[TWO, ONE]);
    add("C6", 2, &[TWO, ONE], &[TWO, ONE]);
}
