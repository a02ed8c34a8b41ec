//! A single ring: which records are kept, which are lost, and how the losses are counted.

use aqueduct_recorder::ring::{Amount, Ring, Word, Writer};

fn memory(words: usize) -> Vec<Word> {
    (0..words).map(|_| Word::new(0)).collect()
}

/// Returns a byte of a value, which its number and index determine.
fn byte(number: u64, at: usize) -> u8 {
    (number * 31 + at as u64 * 7) as u8
}

/// Writes a record of `len` bytes, in parts of 1 to 8 bytes.
fn write_bytes(writer: &mut Writer<'_>, time: u64, number: u64, len: usize) {
    let bytes: Vec<u8> = (0..len).map(|at| byte(number, at)).collect();
    let mut draft = writer.record(time, 3, len).expect("there is room");
    let mut left = &bytes[..];
    while !left.is_empty() {
        let part = (1 + (number as usize + left.len()) % 8).min(left.len());
        let (now, later) = left.split_at(part);
        // The bits above the value's bytes are ignored.
        let above = if part < 8 { u64::MAX << (8 * part) } else { 0 };
        draft.put(now.iter().rev().fold(0, |word, byte| word << 8 | u64::from(*byte)) | above, part);
        left = later;
    }
    draft.commit();
}

fn write(writer: &mut Writer<'_>, time: u64, value: u64) {
    let mut draft = writer.record(time, 3, 8).expect("there is room");
    draft.put(value, 8);
    draft.commit();
}

/// Writes the record of this number, of a length from 0 to `longest`.
fn write_numbered(writer: &mut Writer<'_>, number: u64, longest: u64) {
    write_bytes(writer, number, number, len(number, longest));
}

fn len(number: u64, longest: u64) -> usize {
    (number % (longest + 1)) as usize
}

fn is_numbered(values: &[u8], number: u64, longest: u64) -> bool {
    values.iter().copied().eq((0..len(number, longest)).map(|at| byte(number, at)))
}

#[test]
fn an_empty_ring_has_lost_nothing() {
    let words = memory(Ring::words(2, 16));
    let ring = Ring::new(&words, 16, 0).unwrap();
    ring.clear();
    let snapshot = ring.snapshot();
    assert_eq!((snapshot.records().len(), snapshot.total(), snapshot.damaged()), (0, Amount::default(), 0));
}

#[test]
fn each_count_of_records_is_kept_or_counted_as_overwritten() {
    for blocks in [2, 3, 4] {
        for (block_words, longest) in [(16, 50), (17, 41), (31, 97)] {
            let words = memory(Ring::words(blocks, block_words));
            let ring = Ring::new(&words, block_words, 0).unwrap();
            ring.clear();
            let mut writer = ring.claim(1).unwrap();
            let mut sizes = Vec::new();
            for number in 0..200 {
                let before = writer.bytes();
                write_numbered(&mut writer, number, longest);
                sizes.push(writer.bytes() - before);
                let snapshot = ring.snapshot();
                assert_eq!(snapshot.damaged(), 0);
                assert_eq!(snapshot.total(), Amount { records: number + 1, bytes: writer.bytes() });
                let lost = snapshot.overwritten();
                assert_eq!(lost.bytes, sizes[..lost.records as usize].iter().sum::<u64>());
                assert!(snapshot.records().map(|record| record.number).eq(lost.records..=number));
                for record in snapshot.records() {
                    assert!(is_numbered(record.values, record.number, longest), "{record:?}");
                    assert_eq!((record.time, record.tag, record.owner), (record.number, 3, 1));
                }
            }
        }
    }
}

#[test]
fn times_far_apart_are_exact_and_never_decrease() {
    let words = memory(Ring::words(2, 64));
    let ring = Ring::new(&words, 64, 0).unwrap();
    ring.clear();
    let mut writer = ring.claim(1).unwrap();
    // The greatest time and length of a short head, and of a long one.
    let (short, long) = (1 << 28, 1 << 45);
    let times =
        [5, 5, 4 + short, 4 + 2 * short, 5 + 3 * short, 4 + 3 * short + long, 4 + 3 * short + 2 * long, 7, u64::MAX];
    times.iter().for_each(|time| write(&mut writer, *time, *time));
    let snapshot = ring.snapshot();
    let found: Vec<u64> = snapshot.records().map(|record| record.time).collect();
    let mut expected = times[snapshot.overwritten().records as usize..].to_vec();
    let early = expected.iter().position(|time| *time == 7).unwrap();
    expected[early] = times[6];
    assert_eq!(found, expected);
    let values = snapshot.records().map(|record| u64::from_le_bytes(record.values.try_into().unwrap()));
    assert!(values.eq(times[snapshot.overwritten().records as usize..].iter().copied()));
    let bytes: Vec<u64> = snapshot.records().map(|record| record.bytes).collect();
    assert_eq!(bytes, [14, 14, 14, 14, 18, 18, 14, 14, 14][9 - bytes.len()..]);
}

#[test]
fn short_records_are_as_short_as_they_can_be() {
    let words = memory(Ring::words(2, 1024));
    let ring = Ring::new(&words, 1024, 0).unwrap();
    ring.clear();
    let mut writer = ring.claim(1).unwrap();
    for (tag, len, bytes) in [(4095, 63, 69), (4096, 63, 73), (4095, 64, 74), ((1 << 20) - 1, 0, 10), (0, 0, 6)] {
        let before = writer.bytes();
        let mut draft = writer.record(9, tag, len).unwrap();
        (0..len).for_each(|_| draft.put(1, 1));
        draft.commit();
        assert_eq!(writer.bytes() - before, bytes);
        let last = ring.snapshot().records().last().map(|record| (record.tag, record.values.len(), record.bytes));
        assert_eq!(last, Some((tag, len, bytes)));
    }
}

#[test]
fn a_draft_that_is_dropped_is_no_record() {
    let words = memory(Ring::words(2, 16));
    let ring = Ring::new(&words, 16, 0).unwrap();
    ring.clear();
    let mut writer = ring.claim(1).unwrap();
    write(&mut writer, 1, 1);
    writer.record(2, 0, 5).unwrap().put(9, 5);
    assert_eq!(ring.snapshot().total().records, 1);
    write(&mut writer, 3, 2);
    let snapshot = ring.snapshot();
    assert!(snapshot.records().map(|record| record.values[0]).eq([1, 2]));
    // Readers do not take the bytes of a dropped draft for a record, neither in a block that the
    // writer has left, nor after the writer was dropped.
    let mut draft = writer.record(4, 0, 24).unwrap();
    (0..3).for_each(|_| draft.put(u64::MAX, 8));
    drop(draft);
    write_bytes(&mut writer, 5, 9, 60);
    let mut draft = writer.record(6, 0, 9).unwrap();
    (0..9).for_each(|_| draft.put(0x11, 1));
    drop(draft);
    drop(writer);
    write(&mut ring.claim(2).unwrap(), 7, 3);
    let snapshot = ring.snapshot();
    assert_eq!((snapshot.damaged(), snapshot.total().records), (0, 4));
    assert!(snapshot.records().map(|record| record.values[0]).eq([byte(9, 0), 3]));
}

#[test]
fn a_record_that_cannot_fit_is_refused_and_counted() {
    let words = memory(Ring::words(2, 4096));
    let ring = Ring::new(&words, 4096, 0).unwrap();
    ring.clear();
    let mut writer = ring.claim(1).unwrap();
    for len in [8192, 50_000] {
        assert!(writer.record(1, 0, len).is_none());
    }
    write_bytes(&mut writer, 1, 1, 8191);
    write_bytes(&mut writer, 1 << 50, 2, 8191);
    assert_eq!((ring.refused(), ring.snapshot().records().len()), (2, 2));
    let words = memory(Ring::words(2, 16));
    let ring = Ring::new(&words, 16, 0).unwrap();
    ring.clear();
    // A block has 80 bytes for records, and a long head takes 10 of them.
    assert!(ring.claim(1).unwrap().record(1, 0, 71).is_none());
    write_bytes(&mut ring.claim(1).unwrap(), 1, 1, 70);
    let words = memory(Ring::words(2, 8));
    let ring = Ring::new(&words, 8, 0).unwrap();
    ring.clear();
    assert!(ring.claim(1).unwrap().record(1, 0, 11).is_none());
    write_bytes(&mut ring.claim(1).unwrap(), 1, 1, 10);
    assert_eq!((ring.refused(), ring.snapshot().records().len()), (1, 1));
}

#[test]
fn the_next_writer_keeps_the_last_ones_records_and_counts() {
    let words = memory(Ring::words(4, 16));
    let ring = Ring::new(&words, 16, 0).unwrap();
    ring.clear();
    for owner in 1..=9 {
        let mut writer = ring.claim(owner).unwrap();
        assert!(ring.claim(99).is_none(), "one writer at a time");
        write(&mut writer, owner, owner);
        // The block was begun, but its draft was dropped.
        let _ = writer.record(owner, 0, 70);
        drop(writer);
        assert_eq!(ring.owner(), 0);
    }
    let snapshot = ring.snapshot();
    assert_eq!((snapshot.total(), snapshot.damaged()), (Amount { records: 9, bytes: 9 * 14 }, 0));
    let values = snapshot.records().map(|record| u64::from_le_bytes(record.values.try_into().unwrap()));
    assert!(values.eq(snapshot.records().map(|record| record.owner)));
    assert!(snapshot.records().all(|record| record.number + 1 == record.owner));
}

#[test]
fn an_image_has_the_records_of_its_snapshot() {
    let words = memory(Ring::words(3, 16));
    let ring = Ring::new(&words, 16, 2).unwrap();
    ring.clear();
    assert_eq!(ring.snapshot().image(&ring).len(), words.len());
    let mut writer = ring.claim(1).unwrap();
    writer.set_label(&[5, 6]);
    for number in 0..60 {
        write_numbered(&mut writer, number, 45);
        let snapshot = ring.snapshot();
        assert!(snapshot.records().all(|record| record.label == [5, 6]));
        let image: Vec<Word> = snapshot.image(&ring).into_iter().map(Word::new).collect();
        let copy = Ring::new(&image, 16, 2).unwrap().snapshot();
        assert!(copy.records().eq(snapshot.records()));
        assert_eq!((copy.overwritten(), copy.total(), copy.damaged()), (snapshot.overwritten(), snapshot.total(), 0));
    }
}

/// A copy of a large block ends at a run of zero words that is longer than any record.
#[test]
fn values_of_zeros_are_in_copies_of_large_blocks() {
    const BLOCK: usize = 1 << 14;
    let words = memory(Ring::words(3, BLOCK));
    let ring = Ring::new(&words, BLOCK, 0).unwrap();
    ring.clear();
    for owner in 1..=3 {
        // A writer begins a block, and leaves most of it empty.
        let mut writer = ring.claim(owner).unwrap();
        for time in 0..5 {
            let mut draft = writer.record(10 * owner + time, 0, 8191).unwrap();
            draft.put_bytes(&[0; 8191]);
            draft.commit();
        }
    }
    let snapshot = ring.snapshot();
    assert_eq!((snapshot.total().records, snapshot.damaged()), (15, 0));
    assert!(snapshot.records().all(|record| record.values == [0; 8191]));
    let again = |image: Vec<u64>| {
        let image: Vec<Word> = image.into_iter().map(Word::new).collect();
        let times =
            |snapshot: &aqueduct_recorder::ring::Snapshot| snapshot.records().map(|it| it.time).collect::<Vec<_>>();
        let snapshot = Ring::new(&image, BLOCK, 0).unwrap().snapshot();
        assert_eq!(snapshot.damaged(), 0);
        times(&snapshot)
    };
    let times: Vec<u64> = (1..=3).flat_map(|owner| (0..5).map(move |time| 10 * owner + time)).collect();
    assert_eq!(again(snapshot.image(&ring)), times);
    let cut = snapshot.cut(&ring, 13..33);
    assert_eq!(again(cut.image(cut.blocks())), times[3..13]);
}

#[test]
fn memory_that_cannot_be_a_ring_is_an_error() {
    let words = memory(64);
    for (len, block_words) in [(0, 8), (7, 8), (23, 8), (64, 0), (64, 6), (64, 29)] {
        assert!(Ring::new(&words[..len], block_words, 0).is_err(), "{len} {block_words}");
    }
}

#[test]
fn no_words_whatever_make_a_reader_fail() {
    let words = memory(Ring::words(3, 16));
    let ring = Ring::new(&words, 16, 0).unwrap();
    let mut state = 1_u64;
    for _ in 0..20_000 {
        for word in &words {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            // A reader takes small numbers for valid ones.
            word.store(if state.is_multiple_of(3) { state } else { state % 70 }, std::sync::atomic::Ordering::Relaxed);
        }
        let snapshot = ring.snapshot();
        assert!(snapshot.records().len() <= 3 * 80 / 6);
    }
}

#[test]
fn readers_beside_a_writer_find_records_without_a_gap() {
    let words = memory(Ring::words(4, 64));
    let ring = Ring::new(&words, 64, 0).unwrap();
    ring.clear();
    let is_over = std::sync::atomic::AtomicBool::new(false);
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while !is_over.load(std::sync::atomic::Ordering::Relaxed) {
                    let snapshot = ring.snapshot();
                    assert_eq!(snapshot.damaged(), 0);
                    let all = snapshot.overwritten().records..snapshot.total().records;
                    assert!(snapshot.records().map(|record| record.number).eq(all));
                    for record in snapshot.records() {
                        assert!(is_numbered(record.values, record.number, 60));
                    }
                }
            });
        }
        let mut writer = ring.claim(1).unwrap();
        (0..200_000).for_each(|number| write_numbered(&mut writer, number, 60));
        is_over.store(true, std::sync::atomic::Ordering::Relaxed);
    });
    assert_eq!(ring.snapshot().total().records, 200_000);
}
