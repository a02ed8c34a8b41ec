//! The reports of programs by `tracing` are in the recorder's trace.

use std::fmt;
use std::sync::OnceLock;
use std::thread;

use aqueduct_recorder::{Builder, Event, Field, Kind, Level, Recorder};
use aqueduct_tracing::RecorderLayer;
use tracing_core::LevelFilter;
use tracing_subscriber::Registry;
use tracing_subscriber::layer::{Identity, Layer, SubscriberExt as _};

fn recorded(layer: RecorderLayer, most: LevelFilter, body: impl FnOnce() + Send + 'static) -> Vec<Event> {
    recorded_by(layer.with_filter(most), body)
}

/// Runs `body` in a new thread, and returns the records of that thread and of the threads that it
/// started.
fn recorded_by<L>(layer: L, body: impl FnOnce() + Send + 'static) -> Vec<Event>
where
    L: Layer<Registry> + Send + Sync + 'static,
{
    static RECORDER: OnceLock<Recorder> = OnceLock::new();
    let recorder = RECORDER.get_or_init(|| Builder::new().install().expect("the first one"));
    let name = format!("{:?}", thread::current().id());
    // A second layer without a filter: the registry also has the spans that the layer under test
    // filters out.
    let subscriber = tracing_subscriber::registry().with(layer).with(Identity::new());
    let run = move || tracing::subscriber::with_default(subscriber, body);
    thread::Builder::new().name(name.clone()).spawn(run).expect("a thread").join().expect("its end");
    let trace = recorder.trace();
    assert_eq!((trace.damaged(), trace.refused(), trace.overwritten().records), (0, 0, 0));
    let numbers: Vec<u64> = trace.threads().iter().filter(|thread| thread.name == name).map(|it| it.number).collect();
    trace.events().iter().filter(|event| numbers.contains(&event.thread)).cloned().collect()
}

fn text(text: &str) -> Field {
    Field::Text(text.to_owned(), 0)
}

fn keys(event: &Event) -> Vec<&str> {
    event.place.fields.iter().map(|(key, _)| &**key).collect()
}

#[test]
fn fields_of_all_types_come_back() {
    let events = recorded(RecorderLayer::new(), LevelFilter::TRACE, || {
        tracing::warn!(target: "net", a = 1_u64, b = -2_i64, c = 0.5, d = true, e = "text", f = ?Some(3), "told {}", 4);
        tracing::info!(name: "own name", long = "x".repeat(600), debug = ?"y".repeat(600));
    });
    let (first, second) = (&events[0], &events[1]);
    assert_eq!((&*first.place.name, &*first.place.module, first.place.kind), ("WARN net", "net", Kind::Event));
    assert_eq!(keys(first), ["message", "a", "b", "c", "d", "e", "f"]);
    let values =
        [Field::Unsigned(1), Field::Signed(-2), Field::Float(0.5), Field::Bool(true), text("text"), text("Some(3)")];
    assert_eq!((&first.values[0], &first.values[1..]), (&text("told 4"), &values[..]));
    assert_eq!((&*second.place.name, second.place.level), ("own name", Some(Level::Info)));
    assert_eq!(first.place.level, Some(Level::Warn));
    assert_eq!(second.values[0], Field::Text("x".repeat(512), 88));
    assert_eq!(second.values[1], Field::Text(format!("\"{}", "y".repeat(511)), 90));
    assert_eq!(events.len(), 2);
}

#[test]
fn spans_begin_end_close_and_follow() {
    let events = recorded(RecorderLayer::new(), LevelFilter::TRACE, || {
        let outer = tracing::info_span!("outer", first = 1, later = tracing::field::Empty);
        outer.in_scope(|| {
            let inner = tracing::info_span!("inner");
            inner.follows_from(&outer);
            inner.in_scope(|| ());
            inner.in_scope(|| ());
        });
        outer.record("later", 2);
    });
    let names: Vec<(&str, bool)> = events.iter().map(|event| (&*event.place.name, event.is_end)).collect();
    let inner = [("inner", false), ("inner", true), ("inner", false), ("inner", true), ("close inner", false)];
    let before = [("new outer", false), ("outer", false), ("new inner", false), ("follows inner", false)];
    let after = [("outer", true), ("record outer", false), ("close outer", false)];
    assert_eq!(names, [&before[..], &inner, &after].concat());
    let (outer, inner) = (&events[0].values[0], &events[2].values[0]);
    assert_ne!(outer, inner);
    assert_eq!(
        (keys(&events[0]), &events[0].values[1..]),
        (vec!["id", "parent", "first"], &[Field::Unsigned(0), Field::Signed(1)][..])
    );
    assert_eq!(events[2].values, [inner.clone(), outer.clone()], "a span's number and its parent's");
    assert_eq!(events[3].values, [inner.clone(), outer.clone()], "a span's number and that of the one before");
    assert_eq!(
        (keys(&events[10]), &events[10].values[..]),
        (vec!["id", "later"], &[outer.clone(), Field::Signed(2)][..])
    );
    assert_eq!((events[11].values.len(), &events[11].values[0]), (1, outer));
}

#[test]
fn a_filter_of_the_layer_holds() {
    let events = recorded(RecorderLayer::new(), LevelFilter::WARN, || {
        let _span = tracing::info_span!("refused").entered();
        tracing::info!("refused");
        tracing::error!("kept");
    });
    assert_eq!((events.len(), &*events[0].place.name), (1, "ERROR layer"));
}

struct NeverFormatted;

impl fmt::Debug for NeverFormatted {
    fn fmt(&self, _: &mut fmt::Formatter<'_>) -> fmt::Result {
        panic!("a redacted value is formatted")
    }
}

#[test]
fn redacted_fields_are_not_written() {
    let layer = RecorderLayer::new().redact(["password", "key"]);
    let events = recorded(layer, LevelFilter::TRACE, || {
        tracing::info!(user = "ann", password = "secret", key = ?NeverFormatted, last = 1_u64);
        drop(tracing::info_span!("login", password = "secret", user = "bob"));
    });
    assert_eq!(
        (keys(&events[0]), &events[0].values[..]),
        (vec!["user", "last"], &[text("ann"), Field::Unsigned(1)][..])
    );
    assert_eq!((keys(&events[1]), &events[1].values[2]), (vec!["id", "parent", "user"], &text("bob")));
}

/// The parent of each span, by its name. Spans whose names begin with `hidden` do not pass the
/// filter.
#[test]
fn a_spans_parent_is_the_next_one_that_the_filter_lets_through() {
    let hides = tracing_subscriber::filter::filter_fn(|metadata| !metadata.name().starts_with("hidden"));
    let events = recorded_by(RecorderLayer::new().with_filter(hides), || {
        let outer = tracing::info_span!("outer");
        outer.in_scope(|| {
            drop(tracing::info_span!(parent: None, "root"));
            let hidden = tracing::info_span!("hidden");
            hidden.in_scope(|| drop(tracing::info_span!("within hidden")));
            tracing::info_span!("inner").in_scope(|| drop(tracing::info_span!("innermost")));
        });
        let other = tracing::info_span!("other");
        other.in_scope(|| drop(tracing::info_span!(parent: &outer, "explicit")));
        let child = tracing::info_span!(parent: &outer, "hidden child");
        // The current span's parent is not the span that is entered around it.
        other.in_scope(|| child.in_scope(|| drop(tracing::info_span!("within child"))));
        let dispatch = tracing::dispatcher::get_default(tracing::Dispatch::clone);
        let elsewhere = move || {
            tracing::dispatcher::with_default(&dispatch, || outer.in_scope(|| drop(tracing::info_span!("elsewhere"))));
        };
        let named = thread::Builder::new().name(thread::current().name().expect("it has a name").to_owned());
        named.spawn(elsewhere).expect("a thread").join().expect("its end");
    });
    let new = |event: &Event| {
        let name = event.place.name.strip_prefix("new ")?;
        Some((event.values[0].clone(), name.to_owned()))
    };
    let names: Vec<(Field, String)> = events.iter().filter_map(new).collect();
    let parents: Vec<(&str, Option<&str>)> = events
        .iter()
        .filter_map(|event| {
            let name = event.place.name.strip_prefix("new ")?;
            // Numbers are reused: the last span before the event has this one.
            let before = names.iter().take_while(|(id, other)| (id, &**other) != (&event.values[0], name));
            let parent = before.filter(|(id, _)| *id == event.values[1]).last();
            Some((name, parent.map(|(_, name)| &**name)))
        })
        .collect();
    let expected = [
        ("outer", None),
        ("root", None),
        ("within hidden", Some("outer")),
        ("inner", Some("outer")),
        ("innermost", Some("inner")),
        ("other", None),
        ("explicit", Some("outer")),
        ("within child", Some("outer")),
        ("elsewhere", Some("outer")),
    ];
    assert_eq!(parents, expected);
}
