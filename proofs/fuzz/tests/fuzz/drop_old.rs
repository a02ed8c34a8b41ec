//! Drop-old mode, of items and of records: each item arrives whole and in order, or is counted as
//! lost.

use std::mem::forget;
use std::sync::atomic::{AtomicU8, AtomicU64, AtomicUsize, Ordering};
use std::thread;

use aqueduct::bbq::drop_old::{self, Reader};
use aqueduct::bbq::records::{self, Space};
use aqueduct::bbq::{Geometry, Multi, Overwritten, Plain, Producer, ProducerSide, ReaderSide, Single};
use aqueduct::error::{CapacityError, PopError};

use crate::common::{EACH, Handles, Random, Start, many, one, rounds, steps};
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

type Made<T, P> = Result<drop_old::Handles<T, P>, CapacityError>;

/// A form of the queue of items, and whether its producers come and go.
struct Form<T, P: ProducerSide> {
    new: fn(usize) -> Made<T, P>,
    starting_at: fn(Geometry, usize, usize) -> Made<T, P>,
    producing: Start<Producer<T, P, Overwritten>>,
}

impl<T: Whole + Plain> Form<T, Single> {
    const SPMC: Self =
        Self { new: drop_old::spmc::new, starting_at: drop_old::spmc::starting_at, producing: Handles::one };
}

impl<T: Whole + Plain> Form<T, Multi> {
    const MPMC: Self =
        Self { new: drop_old::mpmc::new, starting_at: drop_old::mpmc::starting_at, producing: Handles::many };
}

/// Returns how many items these readers have lost.
fn lost<T: Plain, P: ProducerSide>(readers: &[Reader<T, P>]) -> u64 {
    readers.iter().map(Reader::lost).sum()
}

/// Tests that each item is read in order or counted as lost, and that the last ones are kept.
fn items<T: Whole + Plain, P: ProducerSide>(random: &mut Random, form: Form<T, P>) {
    let (made, capacity) = if random.one_in(2) {
        let capacity = 1 + random.below(200);
        ((form.new)(capacity), capacity)
    } else {
        let geometry = Geometry::new(2 + random.below(5), 1 + random.below(40)).expect("a small queue");
        let capacity = geometry.capacity();
        ((form.starting_at)(geometry, capacity, random.lap()), capacity)
    };
    let (producer, reader) = made.expect("a small queue");
    let (mut producers, mut readers) = ((form.producing)(producer), Handles::many(reader));
    let (mut pushed, mut read, mut lost_by_others, mut last) = (0_u64, 0_u64, 0, 0);
    for _ in 0..steps(300) {
        let (producer, reader) = (producers.any(random), readers.any(random));
        match random.below(10) {
            0..=3 => {
                pushed += 1;
                assert!(producer.push(T::make(pushed)).is_ok());
            }
            4 => {
                let count = random.below(3 * capacity) as u64;
                let slice: Vec<_> = (pushed + 1..=pushed + count).map(T::make).collect();
                assert_eq!(producer.push_slice(&slice) as u64, count);
                pushed += count;
            }
            5..=7 => match reader.read() {
                Ok(item) => {
                    let number = item.number();
                    assert!(last < number && number <= pushed, "{number} after {last}");
                    (last, read) = (number, read + 1);
                }
                Err(error) => {
                    let lost = lost_by_others + lost(&readers.all);
                    assert_eq!((error, read + lost), (PopError::Empty, pushed), "read and lost");
                }
            },
            8 => drop(producers.come_and_go(random)),
            _ => lost_by_others += readers.come_and_go(random).map_or(0, |gone| gone.lost()),
        }
    }
    // The last items are still in the queue, as many as the capacity.
    let kept = (pushed + 1).saturating_sub(capacity as u64).max(last + 1);
    let mut oldest = None;
    while let Ok(item) = readers.all[0].read() {
        oldest = oldest.or(Some(item.number()));
        read += 1;
    }
    assert!(oldest.is_none_or(|oldest| oldest <= kept), "{oldest:?}, and {kept} should be there");
    assert_eq!(read + lost_by_others + lost(&readers.all), pushed);
}

/// Writes a record in pieces. Returns the part of it that is in the queue then, if any.
fn write<P: ProducerSide>(
    random: &mut Random,
    producer: &mut records::Producer<P, Overwritten>,
    len: usize,
) -> Option<Vec<u8>> {
    let record = bytes(random, len);
    let mut draft = producer.reserve(len).expect("nobody else is at work");
    let mut at = 0;
    while at < len {
        let count = 1 + random.below(len - at);
        draft.put(at, &record[at..at + count]);
        at += count;
    }
    match random.below(5) {
        0 => draft.cancel(),
        1 => {
            forget(draft);
            assert!(producer.reserve(usize::MAX).is_err());
        }
        _ => {
            let part = if random.one_in(2) { len } else { random.below(len + 1) };
            draft.commit(part);
            return Some(record[..part].to_vec());
        }
    }
    None
}

/// Tests that each record that is read has been written, after the one before.
fn records<P: ProducerSide>(
    random: &mut Random,
    starting_at: fn(Space, usize) -> Result<records::drop_old::Handles<P>, CapacityError>,
    producing: Start<records::Producer<P, Overwritten>>,
) {
    let (producer, reader) = starting_at(space(random), random.lap()).expect("a small queue");
    let longest = producer.longest();
    let (mut producers, mut readers) = (producing(producer), Handles::many(reader));
    let (mut written, mut next, mut buffer): (Vec<Vec<u8>>, _, _) = (Vec::new(), 0, vec![0; longest]);
    for _ in 0..steps(200) {
        match random.below(10) {
            0..=4 => {
                let len = random.below(longest + 1);
                let producer = producers.any(random);
                written.extend(write(random, producer, len));
            }
            5..=7 => match readers.any(random).read(&mut buffer) {
                Ok(record) => {
                    let found = (next..written.len()).find(|&number| written[number] == record);
                    next = found.expect("no record that was written, or out of order") + 1;
                }
                Err(error) => assert_eq!(error, PopError::Empty),
            },
            8 => drop(producers.come_and_go(random)),
            _ => drop(readers.come_and_go(random)),
        }
    }
}

#[test]
fn items_of_one_and_several_words() {
    rounds(40, |random| {
        items(random, Form::<u64, _>::SPMC);
        items(random, Form::<u64, _>::MPMC);
        items(random, Form::<[u64; 5], _>::MPMC);
        items(random, Form::<[u8; 13], _>::SPMC);
    });
}

#[test]
fn records_overwrite_records() {
    rounds(60, |random| {
        records(random, records::drop_old::spmc::starting_at, Handles::one);
        records(random, records::drop_old::mpmc::starting_at, Handles::many);
    });
}

/// Tests threads on both sides: each item arrives whole and once, or is counted as lost.
fn threads<P: ProducerSide, R: ReaderSide>(
    queue: Result<drop_old::Handles<[u64; 5], P, R>, CapacityError>,
    producing: impl FnOnce(Producer<[u64; 5], P, Overwritten>) -> Vec<Producer<[u64; 5], P, Overwritten>>,
    reading: impl FnOnce(Reader<[u64; 5], P, R>) -> Vec<Reader<[u64; 5], P, R>>,
) {
    let (producer, reader) = queue.expect("a small queue");
    let (producers, readers) = (producing(producer), reading(reader));
    let count = producers.len();
    let seen: Vec<AtomicU8> = (0..count * EACH).map(|_| AtomicU8::new(0)).collect();
    let (done, accounted) = (AtomicUsize::new(0), AtomicU64::new(0));
    thread::scope(|scope| {
        for (index, mut producer) in producers.into_iter().enumerate() {
            let done = &done;
            scope.spawn(move || {
                for number in index * EACH..(index + 1) * EACH {
                    while producer.push(Whole::make(number as u64)).is_err() {
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
    assert_eq!(accounted.into_inner(), (count * EACH) as u64, "read and lost");
}

#[test]
fn threads_read_or_lose_every_item() {
    rounds(5, |random| {
        let (size, producers, readers) = (1 + random.below(40), 1 + random.below(4), 1 + random.below(4));
        let geometry = Geometry::new(2 + random.below(4), size).expect("a small queue");
        threads(drop_old::spmc::new(size), one, many(readers));
        threads(drop_old::mpmc::new(size), many(producers), many(readers));
        threads(drop_old::spmc::with_geometry(geometry), one, many(readers));
        threads(drop_old::mpmc::with_geometry(geometry), many(producers), many(readers));
        threads(drop_old::spsc::new(size), one, one);
        threads(drop_old::mpsc::with_geometry(geometry), many(producers), one);
    });
}
