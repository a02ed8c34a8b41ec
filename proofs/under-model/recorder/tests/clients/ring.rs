//! One writer, or several in succession, and readers beside them: each record once, none invented,
//! losses exact.

use std::mem::ManuallyDrop;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use crate::library::ring::{Ring, Snapshot, Word, Writer};
use aqueduct_checks::Client;
use aqueduct_model::thread;

type Memory = Arc<Vec<Word>>;

/// The lengths of a client's records, and the size of its blocks.
#[derive(Clone, Copy)]
pub(crate) struct Shape {
    /// Words of a block: five for its header, those of the records, and a last one that no record
    /// uses.
    block: usize,
    /// True if the record with this number has no value. It has 6 bytes then, and 14 otherwise.
    is_small: fn(u64) -> bool,
}

/// A record without a value in each block.
const ONE: Shape = Shape { block: 7, is_small: |_| true };
/// Two records without a value in one block (the second one begins in the word in which the first
/// one ends), then two with a value, each in a block.
const PAIRS: Shape = Shape { block: 8, is_small: |number| number % 4 < 2 };
/// A record without a value in the first block, and one with a value in each other one.
const THEN_LARGE: Shape = Shape { block: 8, is_small: |number| number == 0 };

/// Returns the value of a record.
fn value(number: u64) -> u64 {
    // No byte is zero, so a part of another record would show.
    0x0101_0101_0101_0101 * (number + 1)
}

fn tag(number: u64, owner: u64) -> u32 {
    (number << 2 | owner) as u32
}

impl Shape {
    fn memory(self, blocks: usize) -> Memory {
        let words: Memory = Arc::new((0..Ring::words(blocks, self.block)).map(|_| Word::new(0)).collect());
        self.ring(&words).clear();
        words
    }

    fn ring(self, words: &Memory) -> Ring<'_> {
        Ring::new(words, self.block, 0).expect("it is large enough")
    }

    fn len(self, number: u64) -> usize {
        if (self.is_small)(number) { 0 } else { 8 }
    }

    /// Returns the bytes of the records before the one with this number.
    fn bytes_before(self, number: u64) -> u64 {
        (0..number).map(|number| 6 + self.len(number) as u64).sum()
    }

    /// Returns the block of the record with this number, if one writer has written all records.
    fn block_of(self, number: u64) -> u64 {
        let is_second = |number: &u64| *number % 2 == 1 && self.len(*number) == 0 && self.block == PAIRS.block;
        number - (0..=number).filter(is_second).count() as u64
    }

    /// Writes the record with the writer's next number.
    fn write(self, writer: &mut Writer<'_>, owner: u64) {
        let number = writer.records();
        let mut draft = writer.record(number, tag(number, owner), self.len(number)).expect("there is room");
        if self.len(number) == 8 {
            draft.put(value(number), 8);
        }
        draft.commit();
    }

    /// Asserts the properties of a snapshot, and returns the number of records that were committed
    /// before it.
    fn check(self, snapshot: &Snapshot) -> u64 {
        assert_eq!(snapshot.damaged(), 0);
        let (lost, total) = (snapshot.overwritten(), snapshot.total());
        assert_eq!((lost.bytes, total.bytes), (self.bytes_before(lost.records), self.bytes_before(total.records)));
        assert!(snapshot.records().map(|record| record.number).eq(lost.records..total.records), "a gap");
        for record in snapshot.records() {
            let bytes = value(record.number).to_le_bytes();
            assert_eq!(record.values, &bytes[..self.len(record.number)], "another record's bytes");
            assert_eq!((record.time, record.tag), (record.number, tag(record.number, record.owner)));
        }
        total.records
    }
}

/// A reader beside a writer of `beside` records, after `before` records that were written earlier.
fn reader_beside_writer(shape: Shape, before: u64, beside: u64) {
    let words = shape.memory(2);
    {
        let mut writer = shape.ring(&words).claim(1).expect("nobody writes");
        (0..before).for_each(|_| shape.write(&mut writer, 1));
    }
    let writing = {
        let words = Arc::clone(&words);
        thread::spawn(move || {
            let mut writer = shape.ring(&words).claim(2).expect("nobody writes");
            (0..beside).for_each(|_| shape.write(&mut writer, 2));
        })
    };
    let found = shape.check(&shape.ring(&words).snapshot());
    assert!((before..=before + beside).contains(&found));
    writing.join().unwrap();
    let snapshot = shape.ring(&words).snapshot();
    assert_eq!(shape.check(&snapshot), before + beside);
    let is_kept = |number: &u64| shape.block_of(*number) + 2 > shape.block_of(before + beside - 1);
    assert_eq!(snapshot.records().len(), (0..before + beside).filter(is_kept).count());
}

/// A dropped draft leaves no record, neither for a reader beside its writer nor in a block that the
/// writer has left.
fn a_draft_is_dropped() {
    let words = THEN_LARGE.memory(2);
    let writing = {
        let words = Arc::clone(&words);
        thread::spawn(move || {
            let mut writer = THEN_LARGE.ring(&words).claim(1).expect("nobody writes");
            THEN_LARGE.write(&mut writer, 1);
            let mut draft = writer.record(5, 2, 4).expect("there is room");
            draft.put(u64::MAX, 4);
            drop(draft);
            THEN_LARGE.write(&mut writer, 1);
        })
    };
    THEN_LARGE.check(&THEN_LARGE.ring(&words).snapshot());
    writing.join().unwrap();
    assert_eq!(THEN_LARGE.check(&THEN_LARGE.ring(&words).snapshot()), 2);
}

/// A reader that takes two snapshots finds no fewer records in the second.
fn a_reader_looks_twice() {
    let words = ONE.memory(2);
    let writing = {
        let words = Arc::clone(&words);
        thread::spawn(move || {
            let mut writer = ONE.ring(&words).claim(1).expect("nobody writes");
            (0..2).for_each(|_| ONE.write(&mut writer, 1));
        })
    };
    let first = ONE.check(&ONE.ring(&words).snapshot());
    assert!(first <= ONE.check(&ONE.ring(&words).snapshot()));
    writing.join().unwrap();
}

/// Two threads claim the ring; the second one gets it after the first one, or not at all.
fn a_ring_changes_hands(with_reader: bool) {
    let words = ONE.memory(2);
    let threads = [1, 2].map(|owner| {
        let words = Arc::clone(&words);
        thread::spawn(move || {
            let Some(mut writer) = ONE.ring(&words).claim(owner) else { return 0 };
            ONE.write(&mut writer, owner);
            1
        })
    });
    if with_reader {
        ONE.check(&ONE.ring(&words).snapshot());
    }
    let written: u64 = threads.into_iter().map(|thread| thread.join().unwrap()).sum();
    assert_ne!(written, 0, "the ring was free");
    assert_eq!(ONE.check(&ONE.ring(&words).snapshot()), written);
}

/// True if the writer of [`a_writer_is_killed`] has ended in some execution.
pub(crate) static IS_COMPLETE: AtomicBool = AtomicBool::new(false);

/// A killed writer leaves each record that it had committed, and no part of another one.
///
/// None of its code runs after its last step, not even its destructor, as after a kill of its
/// process.
pub(crate) fn a_writer_is_killed() {
    let words = PAIRS.memory(2);
    let committed = Arc::new(Word::new(0));
    let writing = {
        let (words, committed) = (Arc::clone(&words), Arc::clone(&committed));
        thread::spawn(move || {
            let (words, committed) = (ManuallyDrop::new(words), ManuallyDrop::new(committed));
            let mut writer = ManuallyDrop::new(PAIRS.ring(&words).claim(1).expect("nobody writes"));
            for number in 1..=6 {
                PAIRS.write(&mut writer, 1);
                committed.store(number, aqueduct_model::sync::atomic::Ordering::Relaxed);
            }
        })
    };
    if writing.join().is_ok() {
        IS_COMPLETE.store(true, Relaxed);
    }
    let found = PAIRS.check(&PAIRS.ring(&words).snapshot());
    let least = committed.load(aqueduct_model::sync::atomic::Ordering::Relaxed);
    assert!(found == least || found == least + 1, "{found} records of {least}");
    let kept = PAIRS.ring(&words).snapshot().records().len() as u64;
    assert!(kept >= found.min(1), "a kill costs the oldest block and no other");
}

/// A stopped writer blocks no reader; the reader finds whole records only.
pub(crate) fn a_writer_is_stopped() {
    let words = ONE.memory(2);
    let shared = Arc::clone(&words);
    thread::spawn(move || {
        let mut writer = ManuallyDrop::new(ONE.ring(&shared).claim(1).expect("nobody writes"));
        (0..3).for_each(|_| ONE.write(&mut writer, 1));
    });
    ONE.check(&ONE.ring(&words).snapshot());
}

/// The clients, with the number of their executions.
pub(crate) const CLIENTS: &[Client] = &[
    ("a_reader_beside_the_first_records", || reader_beside_writer(ONE, 0, 2), 3),
    ("a_reader_beside_a_word_that_two_records_share", || reader_beside_writer(PAIRS, 0, 2), 4),
    ("a_reader_beside_an_overwriting_writer", || reader_beside_writer(ONE, 1, 2), 1263),
    ("a_full_ring_and_one_record", || reader_beside_writer(ONE, 2, 1), 98),
    ("a_full_ring_and_two_records", || reader_beside_writer(ONE, 2, 2), 111939),
    ("an_overwritten_block_had_two_records", || reader_beside_writer(PAIRS, 3, 1), 194),
    ("an_overwritten_block_is_partly_used", || reader_beside_writer(PAIRS, 4, 1), 98),
    ("a_draft_is_dropped", a_draft_is_dropped, 5),
    ("a_reader_looks_twice", a_reader_looks_twice, 6),
    ("a_ring_changes_hands", || a_ring_changes_hands(false), 4),
    ("a_ring_changes_hands_beside_a_reader", || a_ring_changes_hands(true), 10),
    ("a_writer_ends_by_itself", a_writer_is_stopped, 1264),
];
