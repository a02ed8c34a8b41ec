//! Perfetto's own decoder reads a trace: the Python package `perfetto` has the descriptors of its
//! messages.
//!
//! Without the package, the test prints that it was skipped. `PYTHON` names the interpreter,
//! `python3` by default.

use std::process::{Command, Stdio};
use std::{env, fs, process, thread};

use aqueduct_recorder::{Builder, counter, event, span};

/// Prints a line for each packet.
const DECODER: &str = r#"
import sys
from perfetto.protos.perfetto.trace import perfetto_trace_pb2 as perfetto

trace = perfetto.Trace()
trace.ParseFromString(open(sys.argv[1], "rb").read())
names, keys, threads = {}, {}, {}
for packet in trace.packet:
    assert packet.trusted_packet_sequence_id == 1
    names.update({one.iid: one.name for one in packet.interned_data.event_names})
    keys.update({one.iid: one.name for one in packet.interned_data.debug_annotation_names})
    if packet.HasField("track_descriptor"):
        track = packet.track_descriptor
        threads[track.uuid] = track.thread.thread_name or track.name
    if packet.HasField("track_event"):
        event = packet.track_event
        value = lambda one: getattr(one, one.WhichOneof("value"))
        values = {one.name or keys[one.name_iid]: value(one) for one in event.debug_annotations}
        count = event.counter_value if event.HasField("counter_value") else event.double_counter_value
        kind = {1: "begin", 2: "end", 3: "event", 4: "count"}[event.type]
        name = event.name or names.get(event.name_iid, "")
        print(threads[event.track_uuid], kind, name, *(f"{key}={values[key]}" for key in values), end="")
        print(f" {count}" if kind == "count" else "")
"#;

#[test]
fn perfettos_decoder_reads_all_records() {
    let python = env::var("PYTHON").unwrap_or_else(|_| "python3".to_owned());
    let has_package = Command::new(&python)
        .args(["-c", "from perfetto.protos.perfetto.trace import perfetto_trace_pb2"])
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success());
    if !has_package {
        eprintln!("skipped: {python} has no package `perfetto`");
        return;
    }
    let recorder = Builder::new().rings(2).ring_bytes(512).block_bytes(256).install().expect("the first one");
    let body = || {
        for number in 0..2_i32 {
            let _outer = span!("outer", number = -number, text = "grüße");
            event!("inner", half = 0.5, yes = true, large = u64::MAX);
            counter!("level", -3);
            counter!("share", 0.25);
        }
    };
    thread::Builder::new().name("worker".to_owned()).spawn(body).expect("a thread").join().expect("its end");
    thread::Builder::new()
        .name("loser".to_owned())
        .spawn(|| (0..100).for_each(|_| event!("tick")))
        .expect("a thread")
        .join()
        .expect("its end");
    let trace = recorder.trace();
    let lost = trace.threads().iter().find(|thread| thread.name == "loser").expect("it has records").overwritten;
    let path = env::temp_dir().join(format!("aqueduct-recorder-perfetto-{}", process::id()));
    trace.write_perfetto(fs::File::create(&path).unwrap()).unwrap();
    let output = Command::new(&python).args(["-c", DECODER]).arg(&path).output().expect("it has run before");
    fs::remove_file(&path).unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let output = String::from_utf8(output.stdout).expect("UTF-8");
    let of = |name: &str| -> Vec<&str> {
        let is_there = |line: &&str| line.starts_with(name) || name == "worker" && line.contains(" count ");
        output.lines().filter(is_there).collect()
    };
    let round = |number: i32| {
        [
            format!("worker begin outer number={number} text=grüße"),
            format!("worker event inner half=0.5 yes=True large={}", u64::MAX),
            "level count  -3".to_owned(),
            "share count  0.25".to_owned(),
            "worker end ".to_owned(),
        ]
    };
    assert_eq!(of("worker"), [round(0), round(-1)].concat());
    assert!(lost.records > 0);
    assert_eq!(of("loser")[0], format!("loser event overwritten records={} bytes={}", lost.records, lost.bytes));
    assert_eq!(of("loser event tick").len() as u64, 100 - lost.records);
}
