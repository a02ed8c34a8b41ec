//! Dumps of a window of time: exactly the records of the window, and exact counts of the lost ones.

use std::path::PathBuf;
use std::time::Duration;
use std::{env, fs, process, thread};

use aqueduct_recorder::ring::Amount;
use aqueduct_recorder::{Builder, Dumps, Event, Level, Recorder, Trace, event};

fn directory(name: &str) -> PathBuf {
    env::temp_dir().join(format!("aqueduct-window-{name}-{}", process::id()))
}

fn kept(trace: &Trace) -> Amount {
    trace.threads().iter().fold(Amount::default(), |sum, thread| sum.plus(thread.kept))
}

/// A dump of the window has the records that a full dump has in the window, and its counts of
/// losses are equal.
fn check(recorder: Recorder, all: &Trace, nanos: std::ops::Range<u64>) {
    let path = directory("cut");
    recorder.dump_window(&path, nanos.clone()).expect("a dump");
    let cut = Trace::open(&path).expect("a dump");
    let wanted: Vec<&Event> = all.events().iter().filter(|event| nanos.contains(&event.nanos)).collect();
    assert!(cut.events().iter().eq(wanted), "{nanos:?}");
    assert_eq!((cut.overwritten(), cut.refused(), cut.damaged()), (all.overwritten(), all.refused(), 0), "{nanos:?}");
    assert_eq!(kept(&cut).plus(cut.left_out()), kept(all), "{nanos:?}");
    for thread in cut.threads() {
        let same = all.threads().iter().find(|other| other.number == thread.number).expect("it has records");
        assert_eq!((thread.overwritten, &thread.name), (same.overwritten, &same.name), "{nanos:?}");
    }
    let bytes = fs::metadata(&path).expect("its size").len();
    let blocks = cut.threads().len() as u64;
    if blocks == 0 {
        assert!(bytes < 16 << 10, "{bytes} bytes for no record");
    }
    fs::remove_file(path).expect("the dump");
}

#[test]
fn each_window_has_its_records_and_exact_losses() {
    let builder = Builder::new().rings(3).ring_bytes(2 << 10).block_bytes(256);
    let recorder = builder.install().expect("the first one");
    // Rings get new owners: some records are overwritten and some are not; the last thread keeps
    // its ring.
    for thread in 0..6_u64 {
        let body = move || {
            for number in 0..40 * thread {
                event!("tick", thread, number, text = &"some text of many bytes"[..number as usize % 23]);
            }
        };
        thread::spawn(body).join().expect("its end");
    }
    event!("too long", text = "x".repeat(300));
    (0..50_u64).for_each(|number| event!("last", number));
    let all = recorder.trace();
    assert!(all.overwritten().records > 100 && all.gone().records > 0 && all.refused() == 1);
    let times: Vec<u64> = all.events().iter().map(|event| event.nanos).collect();
    let (first, last) = (times[0], times[times.len() - 1]);
    check(recorder, &all, 0..u64::MAX);
    check(recorder, &all, 0..first);
    check(recorder, &all, last + 1..u64::MAX);
    for (at, &from) in times.iter().enumerate().step_by(7) {
        for to in [0, 1, 2, 30, times.len()] {
            check(recorder, &all, from..times.get(at + to).map_or(u64::MAX, |to| *to));
        }
    }

    // Dumps of the last moments, requested by events of a level.
    let dumps = Dumps::new(directory("level"));
    let (sender, paths) = std::sync::mpsc::channel();
    let done = move |path| sender.send(path).expect("the test listens");
    let request = dumps.clone().last(Duration::ZERO).on_request(recorder, done).expect("a thread");
    let next = || paths.recv_timeout(Duration::from_secs(60)).expect("a dump").expect("it is written");
    // The severe event comes last: no thread records while its dump is written.
    let report = |number: u64| {
        event!("without a level", number);
        event!(level: Debug, "debug", number);
        event!(level: Warn, "warn", number);
    };
    report(0);
    recorder.dump_on(Level::Warn, request.clone()).expect("nothing asks yet");
    recorder.dump_on(Level::Error, request).expect_err("something asks");
    for number in 1..4 {
        report(number);
        let trace = Trace::open(next()).expect("a dump");
        assert_eq!(trace.overwritten(), recorder.trace().overwritten());
        assert_eq!(kept(&trace).plus(trace.left_out()), kept(&recorder.trace()));
        assert!(trace.events().is_empty(), "all ended before the request");
    }
    event!(level: Error, "error");
    next();
    // The last moments are those before the request, however late the dump is.
    let (sender, late) = std::sync::mpsc::sync_channel(0);
    let done = move |path| sender.send(path).expect("the test listens");
    let request = dumps.clone().last(Duration::from_millis(300)).on_request(recorder, done).expect("a thread");
    request.dump();
    // The serving thread waits until the first dump is received: so it has begun that dump.
    thread::sleep(Duration::from_millis(50));
    event!("before the request");
    request.dump();
    thread::sleep(Duration::from_millis(400));
    let [_, second] = [(); 2].map(|()| late.recv_timeout(Duration::from_secs(60)).expect("a dump"));
    let second = Trace::open(second.expect("it is written")).expect("a dump");
    assert!(second.events().iter().any(|event| event.place.name == "before the request"));

    let path = dumps.clone().last(Duration::from_secs(3600)).write(recorder).expect("a dump");
    assert_eq!(Trace::open(path).expect("a dump").events(), recorder.trace().events());
    let now = recorder.elapsed().as_nanos() as u64;
    let path = dumps.write_window(recorder, 0..now).expect("a dump");
    assert_eq!(Trace::open(path).expect("a dump").events(), recorder.trace().events());
    fs::remove_dir_all(directory("level")).expect("the dumps");
    assert!(paths.try_recv().is_err(), "no dump that nobody asked for");
}
