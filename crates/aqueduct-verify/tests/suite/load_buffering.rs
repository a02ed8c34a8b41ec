//! Queues whose proof does not lean on RC11's ban of load buffering.

use aqueduct_model::Config;
use aqueduct_verify::clients;
use aqueduct_verify::tables::counts;

/// Queues of which no client has a relaxed read that could be exchanged with a later relaxed write, and whether their
/// clients have so many executions that they run with `AQUEDUCT_THOROUGH=1` only.
const FREE: [(&str, bool); 12] = [
    ("lamport", false),
    ("lazy_lamport", false),
    ("batched_lamport", false),
    ("stamped_line", false),
    ("stamped_line-2", false),
    ("duplex", false),
    ("bbq-spsc", false),
    ("bbq-records_spsc", false),
    ("channel-oneshot", false),
    ("tube-ring", true),
    ("tube-indices", true),
    ("nblfq", true),
];

/// Clients of more executions do not run.
const MOST: u64 = 1_000;

#[test]
fn no_read_of_these_queues_could_be_exchanged_with_a_later_write() {
    let is_thorough = std::env::var_os("AQUEDUCT_THOROUGH").is_some();
    let mut all = clients::all();
    all.extend(clients::channels::clients());
    for (queue, _) in FREE.iter().filter(|(_, is_long)| is_thorough || !is_long) {
        let of_queue = all.iter().filter(|client| client.name.split_once('/').is_some_and(|(name, _)| name == *queue));
        let mut clients = 0;
        // The clients of channels have no row in the table, and few executions.
        let is_small = |name: &str| counts::of(name).is_none_or(|count| count.executions + count.blocked <= MOST);
        for client in of_queue.filter(|client| is_small(&client.name)) {
            let report = client.check(&Config::new().load_buffering(true));
            assert!(report.exhaustive, "{}: {report}", client.name);
            assert_eq!(report.load_buffering.as_deref(), Some(&[][..]), "{}", client.name);
            clients += 1;
        }
        assert!(clients > 5, "{queue} has {clients} clients");
    }
}

/// A length that is read relaxed can come from what follows from the next operation: so these queues say.
#[test]
fn the_lengths_of_the_fast_forward_queues_could_be_exchanged() {
    let all = clients::all();
    let client = all.iter().find(|client| client.name == "fast_forward/count").expect("it counts");
    let pairs = client.check(&Config::new().load_buffering(true)).load_buffering.expect("it was asked for");
    assert!(!pairs.is_empty() && pairs.iter().all(|pair| pair.read.file().ends_with("spsc/words.rs")), "{pairs:?}");
}
