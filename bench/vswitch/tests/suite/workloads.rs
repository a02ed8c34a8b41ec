//! The workloads on every kind of queue, and the command.

use std::fs;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::common::{Check, on_all_kinds};
use aqueduct_measure::record::Record;
use aqueduct_measure::rounds::{Observer, Quiet};
use aqueduct_measure::unit::Unit;
use aqueduct_vswitch::command::{Outcome, VswitchArgs, VswitchError, run};
use aqueduct_vswitch::placement::Placement;
use aqueduct_vswitch::ports::{Kind, QueueKind};
use aqueduct_vswitch::workload::{Flood, RequestResponse, Setting, Workload, WorkloadError, run_round};
use clap::Parser;

/// Only one measurement at a time, because two would compete for cores.
static ALONE: Mutex<()> = Mutex::new(());

fn alone() -> MutexGuard<'static, ()> {
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

fn setting() -> Setting {
    Setting {
        clients: 3,
        switch_batch: 8,
        client_batch: 1,
        capacity: 64,
        warm_up: Duration::from_millis(2),
        time: Duration::from_millis(25),
        placement: Placement::choose(&[]).expect("this machine's cores"),
    }
}

struct Rounds(Setting);

impl Check for Rounds {
    fn on<Q: QueueKind>(&self, kind: Kind) {
        let flood = run_round::<Q, Flood>(&self.0).unwrap_or_else(|error| panic!("{kind}: {error}"));
        let asked = run_round::<Q, RequestResponse>(&self.0).unwrap_or_else(|error| panic!("{kind}: {error}"));
        assert!(flood.pulled > 0 && asked.pulled > 0, "{kind}: {flood:?} {asked:?}");
        assert_eq!(asked.dropped_share, 0.0, "{kind}: a client that waits for an answer never floods a queue");
    }
}

#[test]
fn both_workloads_move_frames_and_add_up() {
    let _alone = alone();
    on_all_kinds(Rounds(setting()));
    on_all_kinds(Rounds(Setting { clients: 2, client_batch: 8, ..setting() }));
    on_all_kinds(Rounds(Setting { clients: 7, client_batch: 5, switch_batch: 1, ..setting() }));
}

#[test]
fn request_response_goes_on_with_the_least_capacity() {
    let _alone = alone();
    let mut tight = Setting { clients: 5, client_batch: 3, ..setting() };
    tight.capacity = RequestResponse::least_capacity(&tight);
    assert_eq!(tight.capacity, 3 + 4);
    on_all_kinds(Rounds(tight));
}

#[test]
fn a_single_core_is_enough() {
    let _alone = alone();
    let core = setting().placement.switch;
    let placement = Placement { switch: core, clients: vec![core] };
    on_all_kinds(Rounds(Setting { placement, time: Duration::from_millis(30), ..setting() }));
}

#[test]
fn settings_that_make_no_sense_are_refused_with_what_would() {
    struct Refused;
    impl Check for Refused {
        fn on<Q: QueueKind>(&self, _kind: Kind) {
            let refusal = |setting: &Setting| run_round::<Q, RequestResponse>(setting).expect_err("it makes no sense");
            assert_eq!(refusal(&Setting { clients: 1, ..setting() }), WorkloadError::Clients(1));
            assert_eq!(refusal(&Setting { switch_batch: 0, ..setting() }), WorkloadError::SwitchBatch);
            let refused = run_round::<Q, Flood>(&Setting { client_batch: 65, ..setting() });
            assert_eq!(refused, Err(WorkloadError::ClientBatch { asked: 65, capacity: 64 }));
            let refused = refusal(&Setting { client_batch: 0, ..setting() });
            assert_eq!(refused, WorkloadError::ClientBatch { asked: 0, capacity: 64 });
            let text = refusal(&Setting { client_batch: 40, ..setting() }).to_string();
            assert!(text.contains("queues of 64 frames") && text.ends_with("at least 80"), "{text}");
            let text = run_round::<Q, Flood>(&Setting { capacity: 0, ..setting() }).expect_err("no room").to_string();
            assert!(text.contains("at least 1"), "{text}");
        }
    }
    on_all_kinds(Refused);
}

#[derive(Parser)]
struct Program {
    #[command(flatten)]
    vswitch: VswitchArgs,
}

fn command(options: &str, observer: &mut dyn Observer) -> (Result<Outcome, VswitchError>, String) {
    let program = Program::try_parse_from(["vswitch"].into_iter().chain(options.split_whitespace()));
    let mut output = Vec::new();
    let outcome = run(&program.expect("good options").vswitch, &false.into(), observer, &mut output);
    (outcome, String::from_utf8(output).expect("text"))
}

/// An observer that counts its calls.
#[derive(Default)]
struct Told {
    planned: u64,
    measured: u64,
    ended: bool,
}

impl Observer for Told {
    fn begin(&mut self, total: u64) {
        self.planned = total;
    }
    fn measuring(&mut self, bench: &str, queue: &str) {
        assert!(bench.starts_with("vswitch.") && !queue.is_empty());
    }
    fn measured(&mut self) {
        self.measured += 1;
    }
    fn end(&mut self) {
        self.ended = true;
    }
}

#[test]
fn the_command_measures_writes_json_and_prints_tables() {
    let _alone = alone();
    let folder = tempfile::tempdir().expect("a folder");
    let json = folder.path().join("figures.json");
    let options = format!(
        "--queues ring,fast_forward --clients 2,3 --client-batch 1,4 --rounds 2 --time 20 --json {}",
        json.display()
    );
    let mut told = Told::default();
    let (outcome, output) = command(&options, &mut told);
    let Ok(Outcome::Measured(figures)) = outcome else { panic!("{outcome:?}") };
    assert_eq!(figures.len(), 2 * 2 * 2 * 2);
    assert!(told.planned == 32 && told.measured == 32 && told.ended);
    let lines = fs::read_to_string(&json).expect("the file is there");
    let records: Vec<Record> =
        lines.lines().map(|line| serde_json::from_str(line).expect("the keys of every bench")).collect();
    assert_eq!(records, figures.iter().map(|figure| figure.record.clone()).collect::<Vec<_>>());
    let first = &records[0];
    assert_eq!(
        (&*first.bench.name, &*first.queue.name, first.unit),
        ("vswitch.flood", "aqueduct/ring", Unit::Mpackets)
    );
    assert!(first.runs.len() == 2 && first.median > 0.0 && first.min <= first.median && first.median <= first.max);
    assert!(lines.contains("\"clients\":3,\"switch_batch\":8,\"dropped_share\":"), "{lines}");
    for table in
        ["vswitch.flood: 2 clients, B_V 8, B_C 1, queues of 256", "vswitch.request_response: 3 clients, B_V 8, B_C 4"]
    {
        assert!(output.contains(table), "{output}");
    }
}

#[test]
fn the_command_refuses_what_makes_no_sense() {
    for (options, right) in [
        ("--clients 1 --time 1", "at least 2"),
        ("--client-batch 200 --time 1", "needs at least"),
        ("--switch-batch 0 --time 1", "at least 1"),
        ("--workload flood --client-batch 18446744073709551615 --time 1", "at most the capacity, 256"),
        ("--workload request_response --client-batch 18446744073709551615 --time 1", "needs at least"),
        ("--clients 4294967296 --time 1", "clients are possible"),
        ("--clients 18446744073709551615 --time 1", "clients are possible"),
        ("--capacity 18446744073709551615 --time 1", "clients are possible"),
        ("--cores 99999", "usable cores are"),
        ("--pcap x.pcap --queues ring,lamport", "name one"),
        ("--pcap x.pcap --switch-batch 0", "at least 1"),
    ] {
        let error = command(options, &mut Quiet).0.expect_err("it makes no sense");
        assert!(error.is_misuse() && error.to_string().contains(right), "{options}: {error}");
    }
    let error = command("--pcap no-such-file.pcap", &mut Quiet).0.expect_err("it is not there");
    assert!(!error.is_misuse() && error.to_string().contains("no-such-file.pcap"), "{error}");
    for options in ["--out x", "--pcap x --rounds 3", "--rounds 0", "--time 0", "--queues nonsense"] {
        let program = Program::try_parse_from(["vswitch"].into_iter().chain(options.split_whitespace()));
        assert!(program.is_err(), "{options}");
    }
}

#[test]
fn the_command_stops_when_told_with_what_there_is() {
    let program = Program::parse_from(["vswitch", "--time", "60000"]);
    let mut output = Vec::new();
    let outcome = run(&program.vswitch, &true.into(), &mut Quiet, &mut output).expect("nothing is wrong");
    assert!(matches!(outcome, Outcome::Measured(figures) if figures.is_empty()));
}
