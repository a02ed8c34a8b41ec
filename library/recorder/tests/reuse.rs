//! Threads start and end: their rings are reused, and their records stay until they are
//! overwritten.

use std::thread;

use aqueduct_recorder::{Builder, Field, Trace, event};

const RINGS: u64 = 4;

fn numbers(trace: &Trace, name: &str) -> Vec<Field> {
    trace.events().iter().filter(|event| &*event.place.name == name).map(|event| event.values[0].clone()).collect()
}

#[test]
fn rings_of_threads_that_ended_are_used_again_and_keep_their_records() {
    let builder = Builder::new().rings(RINGS as usize).ring_bytes(4 << 10).block_bytes(256);
    let recorder = builder.install().expect("the first one");
    for number in 0..3 * RINGS {
        thread::spawn(move || event!("short", number)).join().expect("its end");
    }
    let trace = recorder.trace();
    assert!(numbers(&trace, "short").into_iter().eq((0..3 * RINGS).map(Field::Unsigned)));
    assert_eq!(trace.threads().len() as u64, 3 * RINGS);
    assert!(trace.threads().iter().all(|thread| thread.kept.records == 1 && thread.overwritten.records == 0));

    // One more thread than rings: its records are counted, and not written.
    let barrier = std::sync::Barrier::new(RINGS as usize + 1);
    thread::scope(|scope| {
        for number in 0..RINGS {
            let barrier = &barrier;
            scope.spawn(move || {
                event!("held", number);
                barrier.wait();
                barrier.wait();
            });
        }
        barrier.wait();
        event!("refused", number = 0);
        event!("refused", number = 1);
        assert_eq!(recorder.trace().refused(), 2);
        barrier.wait();
    });
    assert_eq!((numbers(&recorder.trace(), "held").len() as u64, recorder.trace().refused()), (RINGS, 2));

    // A ring is free again, and its next thread overwrites the records of the earlier threads.
    let before = recorder.trace();
    assert_eq!(numbers(&before, "refused").len(), 0);
    for number in 0..1000_u64 {
        event!("long", number);
    }
    let trace = recorder.trace();
    let own = trace.threads().iter().find(|thread| thread.kept.records > 100).expect("the ring is full of it");
    assert_eq!(own.kept.records + own.overwritten.records, 1000);
    let in_ring = |trace: &Trace| trace.threads().iter().filter(|one| one.ring == own.ring).count();
    assert_eq!(in_ring(&trace), 1, "the others' records in that ring are overwritten");
    let lost = in_ring(&before) as u64;
    assert_eq!(trace.gone().records, lost, "and counted");
    assert_eq!(trace.overwritten().records, lost + own.overwritten.records);
}
