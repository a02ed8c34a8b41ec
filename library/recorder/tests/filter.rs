//! Filters and redaction, which are decided once for each place.

use std::thread;

use aqueduct_recorder::{
    AnyValue, Builder, Field, Filter, Kind, Level, Site, Trace, ValueBuffer, event, record_any, record_buffer, span,
};

fn text(text: &str) -> Field {
    Field::Text(text.to_owned(), 0)
}

/// Returns the names of the recorded events, in their order, without the ends of spans.
fn names(trace: &Trace) -> Vec<&str> {
    trace.events().iter().filter(|event| !event.is_end).map(|event| &*event.place.name).collect()
}

/// One test for all, because a process has one recorder.
#[test]
fn places_that_are_filtered_out_do_not_record_and_redacted_fields_are_not_written() {
    let filter: Filter = "info, net=debug, net[packet]=off, db=off, [always]=trace".parse().expect("a filter");
    let builder = Builder::new().rings(2).ring_bytes(64 << 10).filter(filter).redact(["password", "secret"]);
    let recorder = builder.install().expect("the first one");
    for round in 0..3 {
        event!("without a level");
        event!(level: Info, "info");
        event!(level: Debug, "debug");
        event!(level: Debug, target: "net", "net");
        event!(level: Debug, target: "net::tcp", "net::tcp");
        event!(level: Debug, target: "network", "network");
        event!(level: Error, target: "net::tcp", "packet", round);
        event!(level: Error, target: "net", "packet", round);
        event!(level: Error, target: "db", "db");
        event!(level: Trace, "always");
        event!(level: Trace, target: "net", "always");
        let _kept = span!(level: Warn, "kept", round);
        let _refused = span!(level: Trace, "refused", round);
        let _targeted = span!(target: "db::table", "refused");
    }
    let expected = ["without a level", "info", "net", "net::tcp", "always", "always", "kept"];
    let trace = recorder.trace();
    assert_eq!(names(&trace), [expected; 3].concat());
    let ends: Vec<&str> = trace.events().iter().filter(|event| event.is_end).map(|event| &*event.place.name).collect();
    assert_eq!((ends, trace.refused()), (vec!["kept"; 3], 0));
    let place =
        |name: &str| trace.events().iter().find(|event| event.place.name == name).expect("it is there").place.clone();
    assert_eq!((place("net").level, &*place("net").module), (Some(Level::Debug), "net"));
    assert_eq!((place("without a level").level, &*place("without a level").module), (None, "filter"));

    // A thread without a ring counts the records that it cannot write, but not the ones that are
    // filtered out.
    let refused = thread::scope(|scope| {
        let holding = thread::current();
        let other = scope.spawn(move || {
            event!("the second ring's");
            holding.unpark();
            thread::park();
        });
        while recorder.trace().threads().len() < 2 {
            thread::park();
        }
        let third = scope.spawn(|| {
            event!(level: Debug, "not counted");
            event!("counted");
        });
        third.join().expect("its end");
        other.thread().unpark();
        recorder.trace().refused()
    });
    assert_eq!(refused, 1);

    let before = recorder.trace().events().len();
    for user in ["ann", "bob"] {
        event!("login", user, password = "hunter2", tries = 3_u8);
        event!("only a secret", secret = 17_u64);
    }
    static SITE: Site = Site::new(Kind::Event, "any", "filter", file!(), line!(), &["a", "secret", "b"]);
    for b in [AnyValue::Unsigned(1), AnyValue::Absent, AnyValue::Signed(-1)] {
        record_any(&SITE, &[AnyValue::Bool(true), AnyValue::Text(b"hunter2", 7), b]);
    }
    let mut buffer = ValueBuffer::new();
    for b in [AnyValue::Text(b"kept", 5), AnyValue::Absent] {
        buffer.clear();
        buffer.push(AnyValue::Bool(true));
        buffer.push_text(|text| text.write_str("hunter2"));
        buffer.push(b);
        record_buffer(&SITE, &buffer);
    }
    let trace = recorder.trace();
    let found: Vec<(&str, Vec<&str>, &[Field])> = trace.events()[before..]
        .iter()
        .map(|event| {
            let keys = event.place.fields.iter().map(|(key, _)| &**key).collect();
            (&*event.place.name, keys, &event.values[..])
        })
        .collect();
    let login = |user: &str| [text(user), Field::Unsigned(3)];
    let (ann, bob, keys) = (login("ann"), login("bob"), vec!["user", "tries"]);
    let expected: [(&str, Vec<&str>, &[Field]); 9] = [
        ("login", keys.clone(), &ann),
        ("only a secret", vec![], &[]),
        ("login", keys, &bob),
        ("only a secret", vec![], &[]),
        ("any", vec!["a", "b"], &[Field::Bool(true), Field::Unsigned(1)]),
        ("any", vec!["a"], &[Field::Bool(true)]),
        ("any", vec!["a", "b"], &[Field::Bool(true), Field::Signed(-1)]),
        ("any", vec!["a", "b"], &[Field::Bool(true), Field::Text("kept".to_owned(), 1)]),
        ("any", vec!["a"], &[Field::Bool(true)]),
    ];
    assert_eq!(found, expected);
    assert!(!trace.text().to_string().contains("hunter2"));
    assert_eq!((trace.damaged(), trace.refused()), (0, 1));
}

#[test]
fn a_text_that_is_no_filter_is_refused_with_its_rule() {
    for wrong in ["loud", "net=loud", "net[packet=off", "info, =verbose"] {
        let error = wrong.parse::<Filter>().expect_err(wrong).to_string();
        assert!(error.contains(wrong.rsplit(", ").next().expect("a rule")), "{error}");
    }
    assert_eq!("".parse::<Filter>(), Ok(Filter::new()));
    let filter = Filter::new().level(None).target("a::b", Level::Trace).name("", "x", Level::Warn);
    assert_eq!(" off,a::b = TRACE , [x]=warn".parse(), Ok(filter));
}
