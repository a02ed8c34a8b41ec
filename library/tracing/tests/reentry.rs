//! A `Debug` implementation that reports while its value is being recorded. The subscriber is the
//! process's, because `tracing` does not call a thread's subscriber then.

use std::fmt;

use aqueduct_recorder::{Builder, Field};
use aqueduct_tracing::RecorderLayer;
use tracing_subscriber::layer::SubscriberExt as _;

struct Reports;

impl fmt::Debug for Reports {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        tracing::info!(inner = 7_u64);
        f.write_str("outer")
    }
}

#[test]
fn both_records_are_whole() {
    let recorder = Builder::new().install().expect("the first one");
    let subscriber = tracing_subscriber::registry().with(RecorderLayer::new());
    tracing::subscriber::set_global_default(subscriber).expect("the first one");
    tracing::info!(before = "b", value = ?Reports, other = "o");
    let trace = recorder.trace();
    let values: Vec<&[Field]> = trace.events().iter().map(|event| &event.values[..]).collect();
    let text = |text: &str| Field::Text(text.to_owned(), 0);
    assert_eq!(values, [&[Field::Unsigned(7)][..], &[text("b"), text("outer"), text("o")]]);
}
