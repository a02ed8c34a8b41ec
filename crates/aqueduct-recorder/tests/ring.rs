//! A ring by itself: what is kept, what is lost, and how that is counted.

use aqueduct_recorder::ring::{Amount, Ring, Word, Writer};

fn memory(words: usize) -> Vec<Word> {
    (0..words).map(|_| Word::new(0)).collect()
}

fn write(writer: &mut Writer<'_>, time: u64, words: &[u64]) {
    let mut draft = writer.record(time, 3, words.len()).expect("there is room");
    words.iter().for_each(|word| draft.put(*word));
    draft.commit();
}

/// Records with lengths from 0 on, and with their number and length in each word.
fn write_numbered(writer: &mut Writer<'_>, number: u64, longest: u64) {
    let words: Vec<u64> = (0..number % (longest + 1)).map(|at| number * 100 + at).collect();
    write(writer, number, &words);
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
        for block_words in [16, 17, 31] {
            let words = memory(Ring::words(blocks, block_words));
            let ring = Ring::new(&words, block_words, 0).unwrap();
            ring.clear();
            let mut writer = ring.claim(1).unwrap();
            let mut sizes = Vec::new();
            for number in 0..200 {
                let before = writer.bytes();
                write_numbered(&mut writer, number, 7);
                sizes.push(writer.bytes() - before);
                let snapshot = ring.snapshot();
                assert_eq!(snapshot.damaged(), 0);
                assert_eq!(snapshot.total(), Amount { records: number + 1, bytes: writer.bytes() });
                let lost = snapshot.overwritten();
                assert_eq!(lost.bytes, sizes[..lost.records as usize].iter().sum::<u64>());
                assert!(snapshot.records().map(|record| record.number).eq(lost.records..=number));
                for record in snapshot.records() {
                    let expected = (0..record.number % 8).map(|at| record.number * 100 + at);
                    assert!(record.words.iter().copied().eq(expected));
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
    let times = [5, 5, 1 << 33, (1 << 33) + (1 << 34) - 2, 1 << 35, 7, u64::MAX];
    times.iter().for_each(|time| write(&mut writer, *time, &[1, 2]));
    let snapshot = ring.snapshot();
    let found: Vec<u64> = snapshot.records().map(|record| record.time).collect();
    assert_eq!(found, [5, 5, 1 << 33, (1 << 33) + (1 << 34) - 2, 1 << 35, 1 << 35, u64::MAX]);
    assert!(snapshot.records().all(|record| record.words == [1, 2]));
}

#[test]
fn a_draft_that_is_dropped_is_no_record() {
    let words = memory(Ring::words(2, 16));
    let ring = Ring::new(&words, 16, 0).unwrap();
    ring.clear();
    let mut writer = ring.claim(1).unwrap();
    write(&mut writer, 1, &[1]);
    writer.record(2, 0, 5).unwrap().put(9);
    assert_eq!(ring.snapshot().total().records, 1);
    write(&mut writer, 3, &[2]);
    let snapshot = ring.snapshot();
    assert!(snapshot.records().map(|record| record.words[0]).eq([1, 2]));
}

#[test]
fn a_record_that_cannot_fit_is_refused_and_counted() {
    let words = memory(Ring::words(2, 4096));
    let ring = Ring::new(&words, 4096, 0).unwrap();
    ring.clear();
    let mut writer = ring.claim(1).unwrap();
    for len in [1022, 5000] {
        assert!(writer.record(1, 0, len).is_none());
    }
    write(&mut writer, 1, &[0; 1021]);
    assert!(writer.record(1, 0, 1022).is_none());
    write(&mut writer, 1 << 50, &[0; 1021]);
    assert_eq!((ring.refused(), ring.snapshot().records().len()), (3, 2));
    let words = memory(Ring::words(2, 16));
    let ring = Ring::new(&words, 16, 0).unwrap();
    ring.clear();
    assert!(ring.claim(1).unwrap().record(1, 0, 11).is_none());
    write(&mut ring.claim(1).unwrap(), 1, &[0; 10]);
}

#[test]
fn the_next_writer_keeps_the_last_ones_records_and_counts() {
    let words = memory(Ring::words(4, 16));
    let ring = Ring::new(&words, 16, 0).unwrap();
    ring.clear();
    for owner in 1..=9 {
        let mut writer = ring.claim(owner).unwrap();
        assert!(ring.claim(99).is_none(), "one writer at a time");
        write(&mut writer, owner, &[owner]);
        // A block that was begun in vain.
        let _ = writer.record(owner, 0, 10);
        drop(writer);
        assert_eq!(ring.owner(), 0);
    }
    let snapshot = ring.snapshot();
    assert_eq!((snapshot.total().records, snapshot.damaged()), (9, 0));
    assert!(snapshot.records().all(|record| record.words == [record.owner] && record.number + 1 == record.owner));
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
        write_numbered(&mut writer, number, 7);
        let snapshot = ring.snapshot();
        assert!(snapshot.records().all(|record| record.label == [5, 6]));
        let image: Vec<Word> = snapshot.image(&ring).into_iter().map(Word::new).collect();
        let copy = Ring::new(&image, 16, 2).unwrap().snapshot();
        assert!(copy.records().eq(snapshot.records()));
        assert_eq!((copy.overwritten(), copy.total(), copy.damaged()), (snapshot.overwritten(), snapshot.total(), 0));
    }
}

#[test]
fn memory_that_cannot_be_a_ring_is_an_error() {
    let words = memory(64);
    for (len, block_words) in [(0, 8), (7, 8), (23, 8), (64, 0), (64, 5), (64, 29)] {
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
            // Small numbers are those that a reader takes for its own.
            word.store(if state.is_multiple_of(3) { state } else { state % 70 }, std::sync::atomic::Ordering::Relaxed);
        }
        let snapshot = ring.snapshot();
        assert!(snapshot.records().len() <= 48);
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
                        let expected = (0..record.number % 8).map(|at| record.number * 100 + at);
                        assert!(record.words.iter().copied().eq(expected));
                    }
                }
            });
        }
        let mut writer = ring.claim(1).unwrap();
        (0..200_000).for_each(|number| write_numbered(&mut writer, number, 7));
        is_over.store(true, std::sync::atomic::Ordering::Relaxed);
    });
    assert_eq!(ring.snapshot().total().records, 200_000);
}
