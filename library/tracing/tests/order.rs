//! Fields in another order than the callsite's, or twice; and spans that move from thread to
//! thread.

use std::collections::HashMap;
use std::sync::mpsc;
use std::{array, thread};

use aqueduct_recorder::{Builder, Field, Recorder};
use aqueduct_tracing::RecorderLayer;
use tracing_core::field::{Value, ValueSet};
use tracing_core::{Event, Kind, Level, Metadata, callsite::DefaultCallsite, identify_callsite};
use tracing_subscriber::layer::SubscriberExt as _;

static SITE: DefaultCallsite = DefaultCallsite::new(&METADATA);
static METADATA: Metadata<'static> = Metadata::new(
    "event",
    "target",
    Level::INFO,
    None,
    None,
    None,
    tracing_core::field::FieldSet::new(&["a", "b", "c", "d"], identify_callsite!(&SITE)),
    Kind::EVENT,
);

fn recorder() -> Recorder {
    static INSTALLED: std::sync::OnceLock<Recorder> = std::sync::OnceLock::new();
    *INSTALLED.get_or_init(|| Builder::new().rings(16).ring_bytes(16 << 20).install().expect("the first one"))
}

#[test]
fn fields_in_any_order_come_back_in_that_of_the_callsite() {
    let recorder = recorder();
    let subscriber = tracing_subscriber::registry().with(RecorderLayer::new());
    let fields: [tracing_core::Field; 4] =
        array::from_fn(|at| METADATA.fields().iter().nth(at).expect("there are four"));
    let numbers = [10_u64, 11, 12, 13];
    let orders: [[usize; 4]; 5] = [[0, 1, 2, 3], [3, 2, 1, 0], [1, 0, 3, 2], [1, 1, 3, 0], [2, 3, 0, 0]];
    tracing::subscriber::with_default(subscriber, || {
        for order in orders {
            let values = order.map(|at| (&fields[at], Some(&numbers[at] as &dyn Value)));
            let set: ValueSet<'_> = METADATA.fields().value_set(&values);
            Event::dispatch(&METADATA, &set);
        }
    });
    let trace = recorder.trace();
    let events = trace.events().iter().filter(|event| &*event.place.name == "event");
    let found: Vec<(Vec<&str>, Vec<Field>)> = events
        .map(|event| (event.place.fields.iter().map(|(key, _)| &**key).collect(), event.values.clone()))
        .collect();
    let expected = orders.map(|order| {
        let kept: Vec<usize> = (0..4).filter(|at| order.contains(at)).collect();
        let keys: Vec<&str> = kept.iter().map(|at| ["a", "b", "c", "d"][*at]).collect();
        (keys, kept.iter().map(|at| Field::Unsigned(numbers[*at])).collect())
    });
    assert_eq!(found, expected);
}

/// The registry reuses the number of a closed span, after some thousand others. A thread that
/// entered the first span and made neither of them finds the second span's name.
#[test]
fn a_number_that_comes_again_has_its_new_name() {
    let recorder = recorder();
    let dispatch = tracing::Dispatch::new(tracing_subscriber::registry().with(RecorderLayer::new()));
    let enter_elsewhere = |span: &tracing::Span, other: &mpsc::SyncSender<tracing::Span>, done: &mpsc::Receiver<()>| {
        other.send(span.clone()).expect("the other thread listens");
        done.recv().expect("it has entered");
    };
    let number = thread::scope(|scope| {
        let (other, spans) = mpsc::sync_channel::<tracing::Span>(0);
        let (entered, done) = mpsc::sync_channel(0);
        scope.spawn(move || {
            for span in spans {
                span.in_scope(|| ());
                drop(span);
                entered.send(()).expect("the first thread waits");
            }
        });
        let _default = tracing::dispatcher::set_default(&dispatch);
        let first = tracing::info_span!("first");
        let number = first.id().expect("it is recorded").into_u64();
        enter_elsewhere(&first, &other, &done);
        drop(first);
        for _ in 0..1_000_000 {
            let second = tracing::info_span!("second");
            if second.id().expect("it is recorded").into_u64() == number {
                enter_elsewhere(&second, &other, &done);
                return number;
            }
        }
        panic!("the number did not come again");
    });
    let trace = recorder.trace();
    let is_entry = |event: &&aqueduct_recorder::Event| {
        let names = ["first", "second"];
        !event.is_end && names.contains(&&*event.place.name) && event.values == [Field::Unsigned(number)]
    };
    let names: Vec<&str> = trace.events().iter().filter(is_entry).map(|event| &*event.place.name).collect();
    assert_eq!(names, ["first", "second"]);
}

/// The registry reuses numbers of closed spans. A span that another thread has made still keeps its
/// name.
#[test]
fn spans_keep_their_names_in_every_thread() {
    const SPANS: usize = 20_000;
    let recorder = recorder();
    let dispatch = tracing::Dispatch::new(tracing_subscriber::registry().with(RecorderLayer::new()));
    thread::scope(|scope| {
        let (senders, receivers): (Vec<_>, Vec<_>) = (0..2).map(|_| mpsc::sync_channel::<tracing::Span>(100)).unzip();
        for (number, receiver) in receivers.into_iter().enumerate() {
            let (dispatch, sender) = (dispatch.clone(), senders[1 - number].clone());
            scope.spawn(move || {
                let _default = tracing::dispatcher::set_default(&dispatch);
                for at in 0..SPANS {
                    let span = match (at + number) % 3 {
                        0 => tracing::info_span!("alpha"),
                        1 => tracing::info_span!("beta"),
                        _ => tracing::info_span!("gamma"),
                    };
                    span.in_scope(|| ());
                    // Some spans close here and leave their numbers to later spans; the others are
                    // entered elsewhere.
                    if at % 2 == 0 {
                        let _ = sender.try_send(span);
                    }
                    receiver.try_iter().for_each(|span| span.in_scope(|| ()));
                }
                drop(sender);
            });
        }
        drop(senders);
    });
    let trace = recorder.trace();
    assert_eq!((trace.overwritten().records, trace.refused(), trace.damaged()), (0, 0, 0));
    // The events are in the order of their times. A span has its number from `new` to `close`.
    let mut open: HashMap<u64, &str> = HashMap::new();
    let mut entered = 0;
    let is_own = |name: &str| ["alpha", "beta", "gamma"].iter().any(|own| name.ends_with(own));
    for event in trace.events().iter().filter(|event| !event.is_end && is_own(&event.place.name)) {
        let Field::Unsigned(id) = event.values[0] else { continue };
        match event.place.name.split_once(' ') {
            Some(("new", name)) => assert_eq!(open.insert(id, name), None),
            Some(("close", name)) => assert_eq!(open.remove(&id), Some(name)),
            None if event.place.kind == aqueduct_recorder::Kind::Span => {
                assert_eq!(open.get(&id), Some(&&*event.place.name));
                entered += 1;
            }
            _ => {}
        }
    }
    assert!(entered > 2 * SPANS && open.is_empty(), "{entered} {}", open.len());
}
