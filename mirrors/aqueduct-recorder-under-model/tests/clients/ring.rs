//! One writer, or one after the other, and readers beside them: each record once, none invented, losses exact.

use std::mem::ManuallyDrop;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use crate::common::Client;
use crate::library::ring::{Ring, Snapshot, Word, Writer};
use aqueduct_model::thread;

/// Words of a block with a header and room for two words: a record of one word, or two without any.
const BLOCK: usize = 7;

type Memory = Arc<Vec<Word>>;

fn memory(blocks: usize) -> Memory {
    let words: Memory = Arc::new((0..Ring::words(blocks, BLOCK)).map(|_| Word::new(0)).collect());
    ring(&words).clear();
    words
}

fn ring(words: &Memory) -> Ring<'_> {
    Ring::new(words, BLOCK, 0).expect("it is large enough")
}

/// Words of the record with this number, besides its head: one in four leaves a part of its block to older words.
fn len(number: u64) -> usize {
    usize::from(number % 4 != 2)
}

/// Bytes of the records before the one with this number.
fn bytes_before(number: u64) -> u64 {
    (0..number).map(|number| 8 * (1 + len(number) as u64)).sum()
}

/// Writes the record with the writer's next number, and the number and the owner in its word.
fn write(writer: &mut Writer<'_>, owner: u64) {
    let number = writer.records();
    let mut draft = writer.record(number, owner as u32, len(number)).expect("there is room");
    if len(number) == 1 {
        draft.put(number * 100 + owner);
    }
    draft.commit();
}

/// Asserts what holds of each snapshot, and returns how many records were committed before it.
fn check(snapshot: &Snapshot) -> u64 {
    assert_eq!(snapshot.damaged(), 0);
    let (lost, total) = (snapshot.overwritten(), snapshot.total());
    assert_eq!((lost.bytes, total.bytes), (bytes_before(lost.records), bytes_before(total.records)));
    assert!(snapshot.records().map(|record| record.number).eq(lost.records..total.records), "a gap");
    for record in snapshot.records() {
        let words = [record.number * 100 + record.owner];
        assert_eq!(record.words, &words[..len(record.number)], "another record's word");
        assert_eq!((record.time, u64::from(record.tag)), (record.number, record.owner));
    }
    total.records
}

/// A reader beside a writer of so many records, `before` of which were written before the reader came.
fn reader_beside_writer(before: u64, beside: u64) {
    let words = memory(2);
    {
        let mut writer = ring(&words).claim(1).expect("nobody writes");
        (0..before).for_each(|_| write(&mut writer, 1));
    }
    let writing = {
        let words = Arc::clone(&words);
        thread::spawn(move || {
            let mut writer = ring(&words).claim(2).expect("nobody writes");
            (0..beside).for_each(|_| write(&mut writer, 2));
        })
    };
    let found = check(&ring(&words).snapshot());
    assert!((before..=before + beside).contains(&found));
    writing.join().unwrap();
    let snapshot = ring(&words).snapshot();
    assert_eq!(check(&snapshot), before + beside);
    assert_eq!(snapshot.records().len() as u64, (before + beside).min(2));
}

/// A reader that looks twice finds no less the second time.
fn a_reader_looks_twice() {
    let words = memory(2);
    let writing = {
        let words = Arc::clone(&words);
        thread::spawn(move || {
            let mut writer = ring(&words).claim(1).expect("nobody writes");
            (0..2).for_each(|_| write(&mut writer, 1));
        })
    };
    let first = check(&ring(&words).snapshot());
    assert!(first <= check(&ring(&words).snapshot()));
    writing.join().unwrap();
}

/// Two threads want the ring; the second one has it after the first one, or not at all.
fn a_ring_changes_hands(with_reader: bool) {
    let words = memory(2);
    let threads = [1, 2].map(|owner| {
        let words = Arc::clone(&words);
        thread::spawn(move || {
            let Some(mut writer) = ring(&words).claim(owner) else { return 0 };
            write(&mut writer, owner);
            1
        })
    });
    if with_reader {
        check(&ring(&words).snapshot());
    }
    let written: u64 = threads.into_iter().map(|thread| thread.join().unwrap()).sum();
    assert_ne!(written, 0, "the ring was free");
    assert_eq!(check(&ring(&words).snapshot()), written);
}

/// Whether the writer of [`a_writer_is_killed`] came to its end in some execution.
pub(crate) static IS_COMPLETE: AtomicBool = AtomicBool::new(false);

/// A writer that is killed leaves each record that it had committed, and no part of another one.
///
/// Nothing of it runs after its last step, not even its destructor, as after a kill of its process.
pub(crate) fn a_writer_is_killed() {
    let words = memory(2);
    let committed = Arc::new(Word::new(0));
    let writing = {
        let (words, committed) = (Arc::clone(&words), Arc::clone(&committed));
        thread::spawn(move || {
            let (words, committed) = (ManuallyDrop::new(words), ManuallyDrop::new(committed));
            let mut writer = ManuallyDrop::new(ring(&words).claim(1).expect("nobody writes"));
            for number in 1..=4 {
                write(&mut writer, 1);
                committed.store(number, aqueduct_model::sync::atomic::Ordering::Relaxed);
            }
        })
    };
    if writing.join().is_ok() {
        IS_COMPLETE.store(true, Relaxed);
    }
    let found = check(&ring(&words).snapshot());
    let least = committed.load(aqueduct_model::sync::atomic::Ordering::Relaxed);
    assert!(found == least || found == least + 1, "{found} records of {least}");
    let kept = ring(&words).snapshot().records().len() as u64;
    assert!(kept >= found.min(1), "a kill costs the oldest block and no other");
}

/// A writer that is stopped holds up no reader; the reader finds whole records only.
pub(crate) fn a_writer_is_stopped() {
    let words = memory(2);
    let shared = Arc::clone(&words);
    thread::spawn(move || {
        let mut writer = ManuallyDrop::new(ring(&shared).claim(1).expect("nobody writes"));
        (0..3).for_each(|_| write(&mut writer, 1));
    });
    check(&ring(&words).snapshot());
}

/// Each client, and how many executions it has.
pub(crate) const CLIENTS: &[Client] = &[
    ("a_reader_beside_the_first_records", || reader_beside_writer(0, 2), 3),
    ("a_reader_beside_an_overwriting_writer", || reader_beside_writer(1, 2), 681),
    ("a_full_ring_and_one_record", || reader_beside_writer(2, 1), 66),
    ("a_full_ring_and_two_records", || reader_beside_writer(2, 2), 219780),
    ("an_overwritten_block_is_partly_used", || reader_beside_writer(3, 1), 259),
    ("a_reader_looks_twice", a_reader_looks_twice, 6),
    ("a_ring_changes_hands", || a_ring_changes_hands(false), 4),
    ("a_ring_changes_hands_beside_a_reader", || a_ring_changes_hands(true), 10),
    ("a_writer_ends_by_itself", a_writer_is_stopped, 682),
];
