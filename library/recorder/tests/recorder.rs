//! The recorder of this process: the records of threads are read back, and losses are counted.

use std::sync::OnceLock;
use std::thread;

use aqueduct_recorder::{
    AnyValue, Builder, Event, Field, InstallError, Kind, Recorder, Site, Trace, ValueBuffer, counter, event,
    record_buffer, span,
};

const RINGS: usize = 32;
const RING_BYTES: usize = 64 << 10;

fn recorder() -> Recorder {
    static INSTALLED: OnceLock<Recorder> = OnceLock::new();
    *INSTALLED.get_or_init(|| {
        event!("before there is a recorder, nothing is recorded");
        Builder::new().rings(RINGS).ring_bytes(RING_BYTES).block_bytes(8 << 10).install().expect("the first one")
    })
}

/// Runs `body` in a thread of this name, and returns the trace afterwards.
fn in_thread(name: &str, body: impl FnOnce() + Send + 'static) -> Trace {
    let recorder = recorder();
    thread::Builder::new().name(name.to_owned()).spawn(body).expect("a thread").join().expect("its end");
    recorder.trace()
}

fn events_of<'t>(trace: &'t Trace, name: &str) -> Vec<&'t Event> {
    let numbers: Vec<u64> =
        trace.threads().iter().filter(|thread| thread.name == name).map(|thread| thread.number).collect();
    trace.events().iter().filter(|event| numbers.contains(&event.thread)).collect()
}

#[test]
fn values_of_all_types_come_back() {
    let trace = in_thread("types", || {
        let text = String::from("grüße\n");
        let text_too = "";
        event!("all", a = 1_u8, b = -2_i64, c = 0.5_f32, d = true, text, text_too, g = u64::MAX, h = i64::MIN);
        event!("none");
    });
    let events = events_of(&trace, "types");
    assert_eq!(
        events[0].values,
        [
            Field::Unsigned(1),
            Field::Signed(-2),
            Field::Float(0.5),
            Field::Bool(true),
            Field::Text("grüße\n".to_owned(), 0),
            Field::Text(String::new(), 0),
            Field::Unsigned(u64::MAX),
            Field::Signed(i64::MIN),
        ]
    );
    let place = &events[0].place;
    assert_eq!((place.kind, &*place.name, &*place.module), (Kind::Event, "all", "recorder"));
    let keys: Vec<&str> = place.fields.iter().map(|(key, _)| &**key).collect();
    assert_eq!(keys, ["a", "b", "c", "d", "text", "text_too", "g", "h"]);
    assert_eq!((&*events[1].place.name, events[1].values.len(), events.len()), ("none", 0, 2));
    assert_eq!(trace.damaged(), 0);
}

#[test]
fn a_long_text_is_cut_and_says_so() {
    let trace = in_thread("long", || event!("long", text = "x".repeat(600)));
    assert_eq!(events_of(&trace, "long")[0].values, [Field::Text("x".repeat(512), 88)]);
}

#[test]
fn a_buffer_keeps_eight_values_and_the_first_bytes_of_texts() {
    const NAMES: [&str; 10] = ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j"];
    static SITE: Site = Site::new(Kind::Event, "buffer", "recorder", file!(), line!(), &NAMES);
    let trace = in_thread("buffer", || {
        let mut values = ValueBuffer::new();
        assert!(values.is_empty());
        values.push(AnyValue::Absent);
        values.push_text(|text| (0..60).try_for_each(|_| text.write_str("0123456789")));
        values.push_text(|_| Err(std::fmt::Error));
        (0..7).for_each(|number| values.push(AnyValue::Signed(-number)));
        values.push_text(|_| panic!("a ninth value is not asked for"));
        assert_eq!(values.len(), 8);
        record_buffer(&SITE, &values);
    });
    let events = events_of(&trace, "buffer");
    let keys: Vec<&str> = events[0].place.fields.iter().map(|(key, _)| &**key).collect();
    assert_eq!(keys, NAMES[1..8]);
    let text = &"0123456789".repeat(60)[..512];
    assert_eq!(events[0].values[..2], [Field::Text(text.to_owned(), 88), Field::Text(String::new(), 0)]);
    assert_eq!(events[0].values[2..], [0, -1, -2, -3, -4].map(Field::Signed));
}

#[test]
fn one_place_records_values_of_several_types() {
    fn record<V: aqueduct_recorder::Value>(value: V) {
        event!("generic", value = value);
    }
    let trace = in_thread("generic", || {
        for number in 0..3_u64 {
            record(number);
            record(-1_i32);
            record("text");
        }
    });
    let found: Vec<String> = events_of(&trace, "generic").iter().map(|event| event.values[0].to_string()).collect();
    assert_eq!(found, ["0", "-1", "\"text\"", "1", "-1", "\"text\"", "2", "-1", "\"text\""]);
}

#[test]
fn what_a_thread_overwrites_is_counted_exactly() {
    const EVENTS: u64 = 100_000;
    let trace = in_thread("overwriting", || (0..EVENTS).for_each(|number| event!("tick", number)));
    let thread = trace.threads().iter().find(|thread| thread.name == "overwriting").expect("it has records");
    assert_eq!(thread.kept.records + thread.overwritten.records, EVENTS);
    // The head has six bytes and the number eight. A few heads have four more: where the thread did
    // not run for a while.
    let (bytes, records) = (thread.overwritten.bytes, thread.overwritten.records);
    assert!((records * 14..records * 14 + records / 8).contains(&bytes), "{bytes} bytes of {records} records");
    assert!(thread.kept.bytes > RING_BYTES as u64 * 3 / 4, "the newest records are kept");
    let events = events_of(&trace, "overwriting");
    let first = thread.overwritten.records;
    assert_eq!(events.len() as u64, thread.kept.records);
    for (number, event) in (first..).zip(&events) {
        assert_eq!((event.number, &event.values[..]), (number, &[Field::Unsigned(number)][..]));
    }
    assert!(events.windows(2).all(|pair| pair[0].nanos <= pair[1].nanos));
}

#[test]
fn a_dump_has_what_the_rings_have() {
    let trace = in_thread("dumping", || {
        let _outer = span!("outer", number = 1);
        let _inner = span!("inner");
        counter!("level", -0.5);
    });
    let path = std::env::temp_dir().join(format!("aqueduct-recorder-dump-{}", std::process::id()));
    recorder().dump(&path).unwrap();
    let dumped = Trace::open(&path).unwrap();
    std::fs::remove_file(&path).unwrap();
    assert_eq!(events_of(&dumped, "dumping"), events_of(&trace, "dumping"));
    assert_eq!((dumped.process(), dumped.damaged()), (u64::from(std::process::id()), 0));
    let lines: Vec<String> = dumped
        .text()
        .to_string()
        .lines()
        .filter(|line| ["outer", "inner", "level"].iter().any(|name| line.contains(name)))
        .map(|line| line[19..].to_owned())
        .collect();
    assert_eq!(lines, ["> outer number=1", "> inner", "level value=-0.5", "< inner", "< outer"]);
}

#[test]
fn chromes_json_can_be_parsed_and_spans_nest() {
    let trace = in_thread("a \"name\"\\", || {
        for number in 0..2 {
            let _outer = span!("handle", number, peer = "10.0.0.7\n\"");
            let _inner = span!("parse");
            event!("odd", value = f64::NAN);
        }
        counter!("open", 2);
    });
    let mut json = Vec::new();
    trace.write_chrome_json(&mut json).unwrap();
    let json: serde_json::Value = serde_json::from_slice(&json).expect("JSON");
    let all = json["traceEvents"].as_array().expect("a list");
    let name = all.iter().find(|event| event["args"]["name"] == "a \"name\"\\").expect("the thread's name");
    let phases: Vec<(&str, &str)> = all
        .iter()
        .filter(|event| event["tid"] == name["tid"] && event["ph"] != "M")
        .map(|event| (event["ph"].as_str().unwrap(), event["name"].as_str().unwrap()))
        .collect();
    let round = [("B", "handle"), ("B", "parse"), ("i", "odd"), ("E", "parse"), ("E", "handle")];
    assert_eq!(phases, [&round[..], &round[..], &[("C", "open")]].concat());
    let first = all.iter().find(|event| event["name"] == "handle").unwrap();
    assert_eq!(first["args"], serde_json::json!({"number": 0, "peer": "10.0.0.7\n\""}));
}

#[test]
fn a_process_has_one_recorder() {
    recorder();
    assert!(Recorder::installed().is_some());
    assert!(matches!(Builder::new().install(), Err(InstallError::Installed)));
}

#[test]
fn events_beside_readers_come_back_whole() {
    let recorder = recorder();
    thread::scope(|scope| {
        let writers = [0_u64, 1].map(|which| {
            let body = move || (0..50_000_u64).for_each(|number| event!("beside", which, number, sum = which + number));
            thread::Builder::new().name("beside".to_owned()).spawn_scoped(scope, body).expect("a thread")
        });
        while writers.iter().any(|writer| !writer.is_finished()) {
            let trace = recorder.trace();
            assert_eq!(trace.damaged(), 0);
            let mut last = [None; 2];
            for event in events_of(&trace, "beside") {
                let [Field::Unsigned(which), Field::Unsigned(number), Field::Unsigned(sum)] = event.values[..] else {
                    panic!("{event:?}")
                };
                assert_eq!((which + number, event.number), (sum, number));
                let last = &mut last[which as usize];
                assert!(last.is_none_or(|last| last + 1 == number), "a gap before {number}");
                *last = Some(number);
            }
        }
    });
}
