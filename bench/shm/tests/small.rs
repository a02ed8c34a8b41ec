//! Each transport carries messages of each size to another process, in both ways of waiting.

use std::sync::atomic::AtomicBool;
use std::time::Duration;

use aqueduct_bench_shm::{Experiment, Follower, GUIDE, Plan, SIZES, Wait, follow, names, outlook, run};
use aqueduct_measure::report::guide;
use aqueduct_measure::rounds::{Pace, Quiet, Threads};

/// The other process of the tests: this program with this test only.
#[test]
#[ignore = "it is started by the other tests"]
fn other() {
    follow().expect("a measurement");
}

fn plan() -> Plan {
    let arguments = ["other", "--exact", "--ignored"].map(str::to_owned).into();
    Plan {
        experiments: Experiment::ALL.to_vec(),
        queues: Vec::new(),
        peers: true,
        bytes: SIZES.to_vec(),
        waits: Wait::ALL.to_vec(),
        capacity: 16,
        processes: vec![Threads::new(1, 2)],
        cores: Vec::new(),
        pace: Pace::new(1, Duration::from_micros(100)),
        follower: Follower { program: None, arguments },
    }
}

#[test]
fn every_message_comes_in_its_order_with_its_bytes() {
    let findings = run(&plan(), &AtomicBool::new(false), &mut Quiet).expect("a plan that is possible");
    assert!(findings.faults.is_empty(), "{:?}", findings.faults);
    for name in names() {
        let of_name = findings.records.iter().filter(|record| record.queue.name == name).count();
        // Three quantiles and a rate, of three sizes and two ways to wait, but for a few.
        let expected = match name {
            "aqueduct/items_asleep" | "aqueduct/items_event" | "aqueduct/ring_of_threads" => 12,
            "bound/two_words" => 3,
            "aqueduct/items_in_rust" | "aqueduct/items_in_c" | "aqueduct/ring_in_rust" => 1,
            "aqueduct/mpmc_in_c" | "moodycamel/c_api" => 1,
            // Two rates for each size.
            "aqueduct/drop_old" | "aqueduct/drop_old_records" | "iceoryx2/overflow" => 6,
            // Messages of eight bytes only.
            "aqueduct/nblfq" => 10,
            // And a rate of several processes.
            "aqueduct/mpmc" | "unix/pipe" | "unix/seqpacket" => 30,
            _ => 24,
        };
        assert_eq!(of_name, expected, "{name}");
    }
    assert!(findings.records.iter().all(|record| record.median > 0.0));
    for bench in findings.records.iter().map(|record| &record.bench) {
        let (title, words) = (guide::title(&[GUIDE], bench), guide::words(&[GUIDE], bench));
        assert!(title != bench.name && !words.is_empty(), "{bench} has no words");
    }
    assert!(!findings.notes.is_empty());
}

#[test]
fn a_process_that_ends_early_is_a_fault() {
    let follower = Follower { program: Some("/bin/true".into()), arguments: Vec::new() };
    let plan = Plan { queues: vec!["items".to_owned()], bytes: vec![8], follower, ..plan() };
    let findings = run(&plan, &AtomicBool::new(false), &mut Quiet).expect("a plan that is possible");
    assert_eq!(findings.faults.len(), 4, "{:?}", findings.faults);
}

#[test]
fn what_is_impossible_is_refused_in_words() {
    let refused = |plan: Plan| outlook(&plan).expect_err("it is impossible");
    assert!(refused(Plan { capacity: 0, ..plan() }).contains("--capacity"));
    assert!(refused(Plan { capacity: usize::MAX, ..plan() }).contains("at most"));
    assert!(refused(Plan { queues: vec!["pigeons".to_owned()], ..plan() }).contains("there are: "));
    assert_eq!(outlook(&Plan { queues: vec!["unix".to_owned()], ..plan() }).map(|it| it.measurements), Ok(48));
}
