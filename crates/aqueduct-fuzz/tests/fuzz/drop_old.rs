//! Drop-old mode, of items and of records: each item arrives whole and in order, or is counted as lost.

use std::mem::forget;
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};
use std::thread;

use aqueduct::bbq::{Geometry, drop_old, records};
use aqueduct::error::PopError;

use crate::common::{come_and_go, if_many, rounds, steps};
use crate::records::{bytes, space};

/// An item that shows whether it is torn.
trait Whole: Copy + Send + 'static {
    fn make(number: u64) -> Self;
    fn number(self) -> u64;
}

impl Whole for u64 {
    fn make(number: u64) -> Self {
        number
    }

    fn number(self) -> u64 {
        self
    }
}

impl Whole for [u64; 5] {
    fn make(number: u64) -> Self {
        [number, number ^ 1, number + 2, number * 3, !number]
    }

    fn number(self) -> u64 {
        assert_eq!(self, Self::make(self[0]), "torn");
        self[0]
    }
}

impl Whole for [u8; 13] {
    fn make(number: u64) -> Self {
        let mut bytes = [7; 13];
        bytes[..8].copy_from_slice(&number.to_ne_bytes());
        bytes
    }

    fn number(self) -> u64 {
        let number = u64::from_ne_bytes(self[..8].try_into().expect("eight"));
        assert_eq!(self, Self::make(number), "torn");
        number
    }
}

macro_rules! items {
    ($item:ty, $random:ident, $form:ident, $producers:tt) => {{
        let (made, capacity) = if $random.one_in(2) {
            let capacity = 1 + $random.below(200);
            (drop_old::$form::new::<$item>(capacity), capacity)
        } else {
            let geometry = Geometry::new(2 + $random.below(5), 1 + $random.below(40)).expect("a small queue");
            let capacity = geometry.capacity();
            (drop_old::$form::starting_at(geometry, capacity, $random.lap()), capacity)
        };
        let (producer, reader) = made.expect("a small queue");
        let (mut producers, mut readers) = (vec![producer], vec![reader]);
        let (mut pushed, mut read, mut lost_by_others, mut last) = (0_u64, 0_u64, 0, 0);
        macro_rules! lost {
            () => {
                lost_by_others + readers.iter().map(|reader| reader.lost()).sum::<u64>()
            };
        }
        for _ in 0..steps(300) {
            let (one, other) = ($random.below(producers.len()), $random.below(readers.len()));
            match $random.below(10) {
                0..=3 => {
                    pushed += 1;
                    assert!(producers[one].push(<$item>::make(pushed)).is_ok());
                }
                4 => {
                    let count = $random.below(3 * capacity) as u64;
                    let slice: Vec<_> = (pushed + 1..=pushed + count).map(<$item>::make).collect();
                    assert_eq!(producers[one].push_slice(&slice) as u64, count);
                    pushed += count;
                }
                5..=7 => match readers[other].read() {
                    Ok(item) => {
                        let number = item.number();
                        assert!(last < number && number <= pushed, "{number} after {last}");
                        (last, read) = (number, read + 1);
                    }
                    Err(error) => {
                        assert_eq!((error, read + lost!()), (PopError::Empty, pushed), "read and lost");
                    }
                },
                8 => if_many!($producers { come_and_go!($random, producers, one) }),
                _ if $random.one_in(2) && readers.len() < 4 => {
                    let another = readers[other].clone();
                    readers.push(another);
                }
                _ if readers.len() > 1 => lost_by_others += readers.swap_remove(other).lost(),
                _ => {}
            }
        }
        // The last items are still in the queue, as many as the capacity.
        let kept = (pushed + 1).saturating_sub(capacity as u64).max(last + 1);
        let mut oldest = None;
        while let Ok(item) = readers[0].read() {
            oldest = oldest.or(Some(item.number()));
            read += 1;
        }
        assert!(oldest.is_none_or(|oldest| oldest <= kept), "{oldest:?}, and {kept} should be there");
        assert_eq!(read + lost!(), pushed);
    }};
}

macro_rules! records {
    ($random:ident, $make:path, $producers:tt) => {{
        let (producer, reader) = $make(space($random), $random.lap()).expect("a small queue");
        let longest = producer.longest();
        let (mut producers, mut readers) = (vec![producer], vec![reader]);
        let (mut written, mut next, mut buffer): (Vec<Vec<u8>>, _, _) = (Vec::new(), 0, vec![0; longest]);
        for _ in 0..steps(200) {
            let (one, other) = ($random.below(producers.len()), $random.below(readers.len()));
            match $random.below(10) {
                0..=4 => {
                    let len = $random.below(longest + 1);
                    let record = bytes($random, len);
                    let mut draft = producers[one].reserve(len).expect("nobody else is at work");
                    let mut at = 0;
                    while at < len {
                        let count = 1 + $random.below(len - at);
                        draft.put(at, &record[at..at + count]);
                        at += count;
                    }
                    match $random.below(5) {
                        0 => draft.cancel(),
                        1 => {
                            forget(draft);
                            assert!(producers[one].reserve(usize::MAX).is_err());
                        }
                        _ => {
                            let part = if $random.one_in(2) { len } else { $random.below(len + 1) };
                            draft.commit(part);
                            written.push(record[..part].to_vec());
                        }
                    }
                }
                5..=7 => match readers[other].read(&mut buffer) {
                    Ok(record) => {
                        let found = (next..written.len()).find(|&number| written[number] == record);
                        next = found.expect("no record that was written, or out of order") + 1;
                    }
                    Err(error) => assert_eq!(error, PopError::Empty),
                },
                8 => if_many!($producers { come_and_go!($random, producers, one) }),
                _ if $random.one_in(2) && readers.len() < 4 => {
                    let another = readers[other].clone();
                    readers.push(another);
                }
                _ if readers.len() > 1 => drop(readers.swap_remove(other)),
                _ => {}
            }
        }
    }};
}

#[test]
fn items_of_one_and_several_words() {
    rounds(40, |random| {
        items!(u64, random, spmc, one);
        items!(u64, random, mpmc, many);
        items!([u64; 5], random, mpmc, many);
        items!([u8; 13], random, spmc, one);
    });
}

#[test]
fn records_overwrite_records() {
    rounds(60, |random| {
        records!(random, records::drop_old::spmc::starting_at, one);
        records!(random, records::drop_old::mpmc::starting_at, many);
    });
}

/// The number of items of one producer: fewer under Miri, which is a thousand times slower.
const EACH: u64 = if cfg!(miri) { 20 } else { 2000 };

macro_rules! vec_of {
    ($producer:ident, one) => {
        vec![$producer]
    };
    ($producer:ident, $count:tt) => {
        vec![$producer; $count]
    };
}

/// Tests threads on both sides: each item arrives whole and once, or is counted as lost.
macro_rules! threads {
    ($random:ident, $make:expr, $producers:tt) => {{
        let (producer, reader) = $make.expect("a small queue");
        threads!(@run producer, vec![reader; 1 + $random.below(4)], $producers)
    }};
    (@only $make:expr, $producers:tt) => {{
        let (producer, reader) = $make.expect("a small queue");
        threads!(@run producer, vec![reader], $producers)
    }};
    (@run $producer:ident, $readers:expr, $producers:tt) => {{
        let (producers, readers) = (vec_of!($producer, $producers), $readers);
        let count = producers.len() as u64;
        let seen: Vec<AtomicU8> = (0..count * EACH).map(|_| AtomicU8::new(0)).collect();
        let (done, accounted) = (AtomicU64::new(0), AtomicU64::new(0));
        thread::scope(|scope| {
            for (index, mut producer) in (0..).zip(producers) {
                let done = &done;
                scope.spawn(move || {
                    for number in index * EACH..(index + 1) * EACH {
                        while producer.push(<[u64; 5]>::make(number)).is_err() {
                            thread::yield_now();
                        }
                    }
                    done.fetch_add(1, Ordering::Release);
                });
            }
            for mut reader in readers {
                let (done, seen, accounted) = (&done, &seen, &accounted);
                scope.spawn(move || {
                    let mut read = 0;
                    loop {
                        let is_over = done.load(Ordering::Acquire) == count;
                        match reader.read() {
                            Ok(item) => {
                                let number = item.number();
                                let before = seen[number as usize].fetch_add(1, Ordering::Relaxed);
                                assert_eq!(before, 0, "item {number} came twice");
                                read += 1;
                            }
                            Err(_) if is_over => break,
                            Err(_) => thread::yield_now(),
                        }
                    }
                    accounted.fetch_add(read + reader.lost(), Ordering::Relaxed);
                });
            }
        });
        assert_eq!(accounted.into_inner(), count * EACH, "read and lost");
    }};
}

#[test]
fn threads_read_or_lose_every_item() {
    rounds(5, |random| {
        let (size, producers) = (1 + random.below(40), 1 + random.below(4));
        let geometry = Geometry::new(2 + random.below(4), size).expect("a small queue");
        threads!(random, drop_old::spmc::new(size), one);
        threads!(random, drop_old::mpmc::new(size), producers);
        threads!(random, drop_old::spmc::with_geometry(geometry), one);
        threads!(random, drop_old::mpmc::with_geometry(geometry), producers);
        threads!(@only drop_old::spsc::new(size), one);
        threads!(@only drop_old::mpsc::with_geometry(geometry), producers);
    });
}
