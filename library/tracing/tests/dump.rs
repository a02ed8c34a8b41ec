//! An event of a level makes a dump.

use std::sync::mpsc;
use std::time::Duration;
use std::{env, fs, process};

use aqueduct_recorder::{Builder, Dumps, Trace};
use aqueduct_tracing::RecorderLayer;
use tracing_core::Level;
use tracing_subscriber::layer::SubscriberExt as _;

#[test]
fn warnings_and_errors_make_a_dump_and_nothing_else_does() {
    let recorder = Builder::new().rings(2).ring_bytes(64 << 10).install().expect("the first one");
    let directory = env::temp_dir().join(format!("aqueduct-levels-{}", process::id()));
    let (sender, dumps) = mpsc::channel();
    let done = move |dump| sender.send(dump).expect("the test listens");
    let request = Dumps::new(&directory).on_request(recorder, done).expect("a thread");
    let next = || {
        let path = dumps.recv_timeout(Duration::from_secs(60)).expect("a dump").expect("it is written");
        let trace = Trace::open(path).expect("a dump");
        trace.events().iter().map(|event| event.place.name.clone()).collect::<Vec<_>>()
    };
    let subscriber = tracing_subscriber::registry().with(RecorderLayer::new().dump_on(Level::WARN, request));
    tracing::subscriber::with_default(subscriber, || {
        tracing::info!("no dump");
        tracing::error!("a dump");
        assert_eq!(next(), ["INFO dump", "ERROR dump"]);
        tracing::debug!("no dump");
        tracing::warn!("a dump");
        assert_eq!(next(), ["INFO dump", "ERROR dump", "DEBUG dump", "WARN dump"]);
        tracing::info!("no dump");
    });
    // The dumps' thread ends with the layer. By then, it has sent all dumps.
    assert!(dumps.recv_timeout(Duration::from_secs(60)).is_err(), "no more dumps");
    fs::remove_dir_all(directory).expect("the dumps");
}
