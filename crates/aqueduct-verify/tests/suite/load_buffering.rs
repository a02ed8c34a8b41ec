//! No proof leans on RC11's ban of load buffering: tests of `aqueduct-channel-under-model` and of
//! `aqueduct-pool-under-model` ask this of the channels and of the pool.

use aqueduct_model::Config;
use aqueduct_verify::clients::{self, chase_lev};
use aqueduct_verify::tables::counts;

/// Clients of more executions run with `AQUEDUCT_THOROUGH=1` only.
const FEW: u64 = 100;

/// Clients of more executions do not run.
const MANY: u64 = 1_000;

#[test]
fn no_read_of_the_queues_could_be_exchanged_with_a_later_write() {
    let most = if std::env::var_os("AQUEDUCT_THOROUGH").is_some() { MANY } else { FEW };
    let is_asked = |name: &str| counts::of(name).is_some_and(|count| count.executions + count.blocked <= most);
    let mut number = 0;
    for client in clients::all().iter().filter(|client| is_asked(&client.name)) {
        if !client.name.starts_with(chase_lev::NAME) {
            assert_free(client);
            number += 1;
        }
    }
    assert!(number > 500, "there are {number} clients");
}

fn assert_free(client: &clients::Client) {
    let report = client.check(&Config::new().load_buffering(true));
    assert!(report.exhaustive, "{}: {report}", client.name);
    assert_eq!(report.load_buffering.as_deref(), Some(&[][..]), "{}", client.name);
}

/// A deque as others have published it: its owner reads `top` relaxed before it stores `bottom`.
#[test]
fn chase_and_levs_deque_leans_on_it() {
    let all = clients::all();
    let client = all.iter().find(|client| client.name == "chase_lev/grow-1").expect("its array grows");
    let pairs = client.check(&Config::new().load_buffering(true)).load_buffering.expect("it was asked for");
    assert!(!pairs.is_empty());
}
