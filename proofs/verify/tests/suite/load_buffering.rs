//! The report of load buffering finds nothing in the queues' clients: tests of
//! `aqueduct-channel-under-model` and of `aqueduct-pool-under-model` check this for the channels
//! and the pool.

use aqueduct_model::Config;
use aqueduct_verify::clients;

use crate::explored;

#[test]
fn no_read_of_the_queues_could_be_exchanged_with_a_later_write() {
    let clients = clients::all();
    let names = clients.iter().map(|client| &*client.name).filter(|name| explored::is_asked_for_load_buffering(name));
    let names: Vec<&str> = names.collect();
    explored::explore(names.iter().copied());
    let mut found = String::new();
    for name in &names {
        let report = explored::report(name);
        assert!(report.exhaustive, "{name}: {report}");
        for pair in report.load_buffering.as_ref().expect("it was asked for") {
            found += &format!("{name}: {pair}\n");
        }
    }
    assert!(found.is_empty(), "{found}");
    assert!(names.len() > 500, "there are {} clients", names.len());
}

/// A deque as others have published it: its owner reads `top` relaxed before it stores `bottom`.
#[test]
fn chase_and_levs_deque_leans_on_it() {
    let all = clients::all();
    let client = all.iter().find(|client| client.name == "chase_lev/grow-1").expect("its array grows");
    let pairs = client.check(&Config::new().load_buffering(true)).load_buffering.expect("it was asked for");
    assert!(!pairs.is_empty());
}
