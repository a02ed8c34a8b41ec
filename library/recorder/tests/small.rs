//! Threads, readers and handlers in small memories, for Miri with many `seed`s.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::thread;

use aqueduct_recorder::ring::{Ring, Snapshot, Word};
use aqueduct_recorder::{Builder, Field, Trace, counter, event, in_handler, span};

/// Checks each thread's numbered events in a trace: they have no gap, and follow the overwritten
/// ones.
fn check(trace: &Trace) {
    assert_eq!(trace.damaged(), 0);
    for thread in trace.threads() {
        let mut expected = thread.overwritten.records;
        for event in trace.events().iter().filter(|event| event.thread == thread.number) {
            assert_eq!(event.number, expected, "{event:?}");
            expected += 1;
        }
        assert_eq!(expected, thread.overwritten.records + thread.kept.records);
    }
}

#[test]
fn threads_record_beside_readers_and_their_rings_are_used_again() {
    let builder = Builder::new().rings(2).ring_bytes(512).block_bytes(256).table_bytes(2 << 10).redact(["secret"]);
    let recorder = builder.install().expect("the first one");
    let is_over = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            while !is_over.load(Relaxed) {
                check(&recorder.trace());
                thread::yield_now();
            }
        });
        for _ in 0..2 {
            let body = |which: u64| {
                move || {
                    in_handler(|| event!("refused", which));
                    for number in 0..6_u64 {
                        let _span = span!("span", which, number);
                        event!("event", text = "some text", secret = number);
                        counter!("counter", 0.5);
                    }
                    // The thread is not busy after a panic.
                    let caught = catch_unwind(AssertUnwindSafe(|| in_handler(|| panic!("on purpose"))));
                    assert!(caught.is_err());
                    event!("last", which);
                }
            };
            let threads: Vec<_> = (0..2).map(|which| scope.spawn(body(which))).collect();
            threads.into_iter().for_each(|thread| thread.join().expect("its end"));
        }
        is_over.store(true, Relaxed);
    });
    let trace = recorder.trace();
    check(&trace);
    assert_eq!(trace.refused(), 4, "of four threads without a ring");
    let kept = trace.events().len() as u64;
    assert_eq!(kept + trace.overwritten().records, 4 * (6 * 4 + 1));
    let values =
        |name: &str| trace.events().iter().filter(|it| it.place.name == name).map(|it| it.values.clone()).next_back();
    assert_eq!(values("event"), Some(vec![Field::Text("some text".to_owned(), 0)]));
    assert!(matches!(values("last").as_deref(), Some([Field::Unsigned(0 | 1)])));
}

#[test]
fn images_and_cuts_of_a_ring_beside_its_writer_have_whole_records() {
    const BLOCK: usize = 16;
    let words: Vec<Word> = (0..Ring::words(3, BLOCK)).map(|_| Word::new(0)).collect();
    let ring = Ring::new(&words, BLOCK, 0).expect("it is large enough");
    ring.clear();
    let check = |snapshot: &Snapshot| {
        assert_eq!(snapshot.damaged(), 0);
        for record in snapshot.records() {
            assert_eq!((record.time, record.values), (record.number, &record.number.to_le_bytes()[..]));
        }
    };
    thread::scope(|scope| {
        scope.spawn(|| {
            for _ in 0..4 {
                let snapshot = ring.snapshot();
                check(&snapshot);
                let cut = snapshot.cut(&ring, 5..12);
                let blocks = cut.blocks().max(2);
                for (image, blocks) in [(snapshot.image(&ring), 3), (cut.image(blocks), blocks)] {
                    let image: Vec<Word> = image.into_iter().map(Word::new).collect();
                    assert_eq!(image.len(), Ring::words(blocks, BLOCK));
                    check(&Ring::new(&image, BLOCK, 0).expect("an image is a ring").snapshot());
                }
            }
        });
        let mut writer = ring.claim(1).expect("nobody writes");
        for number in 0..20_u64 {
            let mut draft = writer.record(number, 1, 8).expect("there is room");
            draft.put(number, 8);
            draft.commit();
        }
    });
    assert_eq!(ring.snapshot().total().records, 20);
}
