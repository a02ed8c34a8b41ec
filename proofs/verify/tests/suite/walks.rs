//! Three and four threads on a side: every queue that can have them has clients with them. If all
//! executions are too many, random ones are explored.

use aqueduct_faults::queues::Fault;
use aqueduct_model::Config;
use aqueduct_verify::{clients, faults};

/// The number of executions that find the faults.
const WALKS: u64 = 100;

/// Half as many of each right client, or all with the environment variable `AQUEDUCT_THOROUGH=1`,
/// which the gate sets.
fn walk(queue: &str) {
    let walks = if std::env::var_os("AQUEDUCT_THOROUGH").is_some() { WALKS } else { WALKS / 2 };
    let clients = clients::walked().into_iter().filter(|client| client.name.starts_with(queue));
    let mut count = 0;
    for client in clients {
        let report = client.check(&Config::new().random(walks, 1).jobs(2));
        assert!(report.failure.is_none(), "{}: {}", client.name, report.failure.unwrap());
        assert_eq!(report.executions + report.blocked, walks, "{}", client.name);
        count += 1;
    }
    assert!(count > 2, "{queue} has {count} clients");
}

#[test]
fn blocks() {
    walk("bbq-m");
    walk("bbq-s");
}

#[test]
fn blocks_that_are_overwritten() {
    walk("bbq-drop_old_spmc/");
    walk("bbq-drop_old_mpmc/");
}

#[test]
fn records() {
    walk("bbq-records_mpmc/");
}

#[test]
fn blocks_with_additions() {
    walk("faaq/");
    walk("faaq-shared/");
}

#[test]
fn lock_free_queues() {
    walk("nblfq/");
    walk("unbounded/");
}

#[test]
fn queues_of_an_exact_capacity() {
    walk("exact/");
}

#[test]
fn work_stealing_queues() {
    walk("bwos-lifo/");
    walk("bwos-fifo/");
}

#[test]
fn tubes() {
    for tube in ["tube-ring/", "tube-bbq/", "tube-faaq/", "tube-indices/"] {
        walk(tube);
    }
}

#[test]
fn relaxed_queues() {
    for tube in ["cnq-ring/", "cnq-bbq/", "cnq-faaq/", "cnq-indices/"] {
        walk(tube);
    }
}

/// Random executions find the faults that need three threads, too.
#[test]
fn faults_are_found() {
    for (fault, name) in [
        (Fault::BbqTakesAfterLoss, "bbq-mpsc/"),
        (Fault::BbqPopsAfterLoss, "bbq-mpmc/"),
        (Fault::FaaqMarksAfterLoss, "faaq/"),
        (Fault::RingTakesAfterLoss, "tube-ring/"),
        (Fault::IndicesTakeAfterLoss, "tube-indices/"),
        (Fault::CnqAddsToTheCount, "cnq-ring/"),
        (Fault::CnqClosesUnseen, "cnq-ring/"),
        (Fault::CnqReadsAgain, "cnq-ring/"),
        (Fault::CnqForgetsFragments, "cnq-ring/"),
        (Fault::NblfqFullByNeighbours, "nblfq/"),
    ] {
        let mut clients = faults::walked(fault);
        clients.retain(|client| client.name.starts_with(name));
        let config = Config::new().random(WALKS, 1).jobs(2);
        let found = clients.iter().any(|client| client.check(&config).failure.is_some());
        assert!(found, "{fault:?} is not found in {} clients of {name}", clients.len());
    }
}

/// Returns the most threads on either side of a queue's fully explored clients, by their names.
fn most_threads(queue: &str) -> (u32, u32) {
    let clients = clients::all();
    let programs = clients.iter().filter_map(|client| client.name.strip_prefix(queue)?.strip_prefix('/'));
    let threads = programs.filter_map(|program| {
        let mut sides = program.split('-').next()?.split('x');
        Some((sides.next()?.parse().ok()?, sides.next()?.parse().ok()?))
    });
    threads.fold((0, 0), |most, (left, right): (u32, u32)| (most.0.max(left), most.1.max(right)))
}

/// `THREADS.md` lists these numbers.
#[test]
fn every_queue_of_many_threads_has_clients_with_three_and_four() {
    for (queue, threads) in [
        ("bbq-spsc", (1, 1)),
        ("bbq-mpsc", (4, 1)),
        ("bbq-spmc", (1, 4)),
        ("bbq-mpmc", (4, 4)),
        ("bbq-shared", (4, 4)),
        ("bbq-drop_old_spmc", (1, 3)),
        ("bbq-drop_old_mpmc", (3, 3)),
        ("bbq-records_mpsc", (4, 1)),
        ("bbq-records_spmc", (1, 4)),
        ("bbq-records_mpmc", (4, 4)),
        ("bbq-records_drop_old_mpmc", (3, 1)),
        ("bbq-slots_mpsc", (2, 1)),
        ("bbq-slots_spmc", (1, 2)),
        ("bbq-slots_mpmc", (2, 2)),
        ("faaq", (4, 4)),
        ("nblfq", (4, 4)),
        ("exact", (4, 4)),
        ("tube-ring", (4, 4)),
        ("tube-bbq", (4, 4)),
        ("tube-faaq", (3, 3)),
        ("tube-indices", (4, 4)),
    ] {
        assert_eq!(most_threads(queue), threads, "{queue}");
    }
}
