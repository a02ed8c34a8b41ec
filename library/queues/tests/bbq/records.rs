//! Records of any length, in both modes.

use std::collections::VecDeque;
use std::mem::forget;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::thread;

use aqueduct::bbq::records::{self, Handles, Space, drop_old};
use aqueduct::bbq::{ProducerSide, RecordConsumerSide};
use aqueduct::error::{CapacityError, PopError, ReserveError};

/// The last lap.
const LAST: usize = usize::MAX >> (usize::BITS / 4);

/// Bytes of a word: a record takes one more than its own bytes.
const WORD: usize = size_of::<usize>();

/// The most bytes of a block: 508 on machines of 32 bits.
const MOST: usize = ((1 << (usize::BITS / 4)) - 1) / 2 * WORD;

fn space(blocks: usize, bytes: usize) -> Space {
    Space::new(blocks, bytes.min(MOST)).expect("a small space")
}

/// The record number `number`: its length is anything up to `longest`, all of its bytes follow from
/// it.
fn record(number: u64, longest: usize) -> Vec<u8> {
    let len = (number.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32) as usize % (longest + 1);
    (0..len as u64).map(|index| (number.wrapping_mul(31).wrapping_add(index) % 251) as u8).collect()
}

/// A new queue of records.
type Made<P, C> = Result<Handles<P, C>, CapacityError>;

/// Runs a scenario on each form, which this function of the form's module makes.
macro_rules! every_form {
    ($name:ident: $scenario:ident($make:ident)) => {
        mod $name {
            use super::*;

            #[test]
            fn spsc() {
                $scenario(records::spsc::$make);
            }

            #[test]
            fn mpsc() {
                $scenario(records::mpsc::$make);
            }

            #[test]
            fn spmc() {
                $scenario(records::spmc::$make);
            }

            #[test]
            fn mpmc() {
                $scenario(records::mpmc::$make);
            }
        }
    };
}

/// Pushes and reads of random numbers of records, beside a plain queue: all records are read as
/// they were pushed.
fn is_a_queue<P: ProducerSide, C: RecordConsumerSide>(make: impl Fn(Space, usize) -> Made<P, C>) {
    for (blocks, bytes, align) in [(2, 8, 8), (2, 24, 8), (3, 64, 16), (4, 200, 8), (9, 1000, 64), (2, 1, 4096)] {
        let space = space(blocks, bytes).with_align(align).expect("possible");
        let (mut producer, mut consumer) = make(space, LAST - 3).expect("memory");
        let mut plain = VecDeque::new();
        let mut refused = 0;
        for number in 0..3000_u64 {
            let bytes = record(number, space.longest());
            match producer.push(&bytes) {
                Ok(()) => plain.push_back(bytes),
                Err(error) => {
                    assert_eq!(error, ReserveError::Full);
                    refused += 1;
                }
            }
            let most = if number / 100 % 2 == 0 { 2 } else { number % 2 };
            for _ in 0..most {
                assert_eq!(consumer.read().ok().as_deref(), plain.pop_front().as_deref(), "of {space:?}");
            }
        }
        assert!(refused > 0, "{space:?} was never full");
        while let Some(expected) = plain.pop_front() {
            assert_eq!(consumer.read().ok().as_deref(), Some(&*expected), "of {space:?}");
        }
        assert!(consumer.read().is_err());
    }
}
every_form!(beside_a_plain_queue: is_a_queue(starting_at));

#[test]
fn what_can_never_fit_is_refused_with_what_can() {
    let (mut producer, mut consumer) = records::spsc::new(space(3, 100)).expect("memory");
    let longest = producer.longest();
    assert_eq!(longest, 100_usize.next_multiple_of(WORD) - WORD);
    let error = producer.reserve(longest + 1).expect_err("too long");
    assert_eq!(error, ReserveError::TooLong { len: longest + 1, longest });
    assert!(error.to_string().contains(&longest.to_string()), "{error}");
    assert!(producer.reserve(usize::MAX).is_err());
    producer.push(&vec![7; longest]).expect("the longest fits");
    assert_eq!(consumer.read().expect("it is there").len(), longest);
}

#[test]
fn records_are_aligned_as_asked() {
    for align in [8, 16, 64, 256, 4096] {
        let space = space(3, 3 * align).with_align(align).expect("possible");
        let (mut producer, mut consumer) = records::mpmc::new(space).expect("memory");
        let lens = [0, 1, align, 2 * align - WORD, space.longest()];
        for len in lens.into_iter().filter(|&len| len <= space.longest()) {
            let grant = producer.reserve(len).expect("there is room");
            let begin = grant.as_ptr().addr();
            assert!(len == 0 || begin.is_multiple_of(align), "{len} bytes at {begin:#x} for {align}");
            grant.commit(len);
            let record = consumer.read().expect("it is there");
            assert!((record.len(), len == 0 || record.as_ptr().addr() == begin) == (len, true));
        }
    }
}

/// A grant that is not committed leaves no record behind, whatever ends it.
fn leaves_no_record<P: ProducerSide, C: RecordConsumerSide>(make: impl Fn(Space) -> Made<P, C>) {
    let (mut producer, mut consumer) = make(space(4, 256)).expect("memory");
    producer.push(b"before").expect("there is room");
    drop(producer.reserve(8).expect("there is room"));
    producer.reserve(8).expect("there is room").cancel();
    producer.push(b"between").expect("there is room");
    let failed = || -> Result<(), std::num::ParseIntError> {
        let mut grant = producer.reserve(8).expect("there is room");
        grant.fill(1);
        let number: u64 = "no number".parse()?;
        grant.copy_from_slice(&number.to_ne_bytes());
        grant.commit(8);
        Ok(())
    };
    let mut failed = failed;
    assert!(failed().is_err(), "the question mark has dropped the grant");
    let caught = catch_unwind(AssertUnwindSafe(|| {
        let mut grant = producer.reserve(8).expect("there is room");
        grant[0] = 1;
        panic!("in the middle of a record");
    }));
    assert!(caught.is_err());
    let caught = catch_unwind(AssertUnwindSafe(|| producer.reserve(3).expect("there is room").commit(4)));
    let message = caught.expect_err("too long").downcast::<String>().expect("a message");
    assert_eq!(*message, "4 bytes cannot be committed of a grant of 3");
    producer.push(b"after").expect("there is room");
    for expected in ["before", "between", "after"] {
        assert_eq!(*consumer.read().expect("it is there"), *expected.as_bytes());
    }
    assert!(consumer.read().is_err(), "no more records were committed");
}
every_form!(what_is_not_committed: leaves_no_record(new));

/// A commit sets the record's length, from nothing to the whole grant.
fn is_as_long_as_the_commit_says<P: ProducerSide, C: RecordConsumerSide>(make: impl Fn(Space) -> Made<P, C>) {
    let (mut producer, mut consumer) = make(space(3, 64)).expect("memory");
    for len in (0..=20).rev() {
        let mut grant = producer.reserve(20).expect("there is room");
        grant.fill(len as u8);
        grant.commit(len);
        assert_eq!(*consumer.read().expect("it is there"), *vec![len as u8; len]);
    }
    producer.reserve(0).expect("there is room").commit(0);
    assert_eq!(*consumer.read().expect("it is there"), []);
    assert!(consumer.read().is_err());
}
every_form!(what_is_committed_in_part: is_as_long_as_the_commit_says(new));

/// A cancelled grant has no reader to pass it over: the documented price of many producers, and its
/// end.
#[test]
fn many_producers_cancelled_grants_take_room_until_a_consumer_reads() {
    let (mut producer, mut consumer) = records::mpmc::new(space(2, 64)).expect("memory");
    let cancelled = (0..).take_while(|_| producer.reserve(56).map(drop).is_ok()).count();
    assert!(cancelled > 0);
    assert_eq!(producer.push(b"late"), Err(ReserveError::Full), "of cancelled grants alone");
    assert_eq!(consumer.read().map(drop), Err(PopError::Empty));
    producer.push(b"late").expect("the read has passed over them");
    assert_eq!(*consumer.read().expect("it is there"), *b"late");
}

/// A forgotten grant or record is settled by its handle's next call or its drop. Until then, a read
/// finds `nothing`.
fn is_settled<P: ProducerSide, C: RecordConsumerSide>(make: impl Fn(Space) -> Made<P, C>, nothing: PopError) {
    let (mut producer, mut consumer) = make(space(2, 32)).expect("memory");
    forget(producer.reserve(8).expect("there is room"));
    let got = consumer.read().map(drop);
    assert_eq!(got, Err(nothing), "the forgotten grant is in the way");
    producer.push(b"after it").expect("there is room");
    assert_eq!(*consumer.read().expect("the forgotten one is passed over"), *b"after it");
    // Forgotten records are given back by the next read: else the queue would be full for good.
    for number in 0..100_u8 {
        producer.push(&[number; 20]).expect("there is room");
        let record = consumer.read().expect("it is there");
        assert_eq!(*record, [number; 20]);
        forget(record);
    }
    forget(producer.reserve(8).expect("there is room"));
    drop(producer);
    assert!(consumer.is_closed());
    assert_eq!(consumer.read().map(drop), Err(PopError::Empty), "its drop cancelled it");
}

#[test]
fn what_one_producer_forgets_is_settled() {
    is_settled(records::spsc::new, PopError::Empty);
    is_settled(records::spmc::new, PopError::Empty);
}

#[test]
fn what_one_of_many_producers_forgets_is_settled() {
    is_settled(records::mpsc::new, PopError::Busy);
    is_settled(records::mpmc::new, PopError::Busy);
}

#[test]
fn a_consumer_that_is_forgotten_with_its_record_makes_its_block_busy() {
    let (mut producer, consumer) = records::mpmc::new(space(2, 2 * WORD)).expect("memory");
    let mut other = consumer.clone();
    producer.push(b"one").expect("there is room");
    let mut consumer = Box::new(consumer);
    forget(consumer.read().expect("it is there"));
    forget(consumer);
    producer.push(b"two").expect("there is room");
    assert_eq!(producer.push(b"six"), Err(ReserveError::Full), "a whole block is not read yet");
    assert_eq!(*other.read().expect("it is there"), *b"two");
    assert_eq!(producer.push(b"six"), Err(ReserveError::Busy), "all of it is, or is being");
}

#[test]
fn a_single_producer_gets_back_what_it_cancels_or_does_not_commit() {
    let (mut producer, mut consumer) = records::spsc::new(space(2, 64)).expect("memory");
    for _ in 0..10 {
        producer.reserve(56).expect("nothing was used").cancel();
    }
    for _ in 0..4 {
        producer.reserve(16).expect("there is room").commit(1);
    }
    assert_eq!((0..).map_while(|_| consumer.read().ok().map(drop)).count(), 4);
}

#[test]
fn threads_pass_whole_records() {
    const EACH: u64 = if cfg!(miri) { 50 } else { 20_000 };
    let (producer, consumer) = records::mpmc::new(space(4, 500)).expect("memory");
    let longest = producer.longest();
    let came: Vec<Vec<u64>> = thread::scope(|scope| {
        let reading: Vec<_> = [consumer.clone(), consumer]
            .map(|mut consumer| {
                scope.spawn(move || {
                    let mut came = Vec::new();
                    loop {
                        let abandoned = consumer.is_closed();
                        match consumer.read() {
                            Ok(bytes) => {
                                let number = u64::from_ne_bytes(bytes[..8].try_into().expect("eight"));
                                assert_eq!(bytes[8..], record(number, longest - 8), "record {number:#x}");
                                came.push(number);
                            }
                            Err(PopError::Empty) if abandoned => break came,
                            Err(_) => thread::yield_now(),
                        }
                    }
                })
            })
            .into();
        for (index, mut producer) in [producer.clone(), producer].into_iter().enumerate() {
            scope.spawn(move || {
                for number in (0..EACH).map(|number| (index as u64) << 32 | number) {
                    let bytes = record(number, longest - 8);
                    loop {
                        match producer.reserve(longest.min(8 + bytes.len() + 16)) {
                            Ok(mut grant) => {
                                let len = 8 + bytes.len();
                                grant[..8].copy_from_slice(&number.to_ne_bytes());
                                grant[8..len].copy_from_slice(&bytes);
                                grant.commit(len);
                                break;
                            }
                            Err(_) => thread::yield_now(),
                        }
                    }
                }
            });
        }
        reading.into_iter().map(|thread| thread.join().expect("no record is broken")).collect()
    });
    for came in &came {
        for producer in 0..2 {
            assert!(came.iter().filter(|&&number| number >> 32 == producer).is_sorted(), "out of order");
        }
    }
    let mut all = came.concat();
    all.sort_unstable();
    all.dedup();
    assert_eq!(all.len() as u64, 2 * EACH);
}

#[test]
fn overwritten_records_are_accounted_for() {
    const EACH: u64 = if cfg!(miri) { 50 } else { 50_000 };
    // Records whose space is known, and blocks that four of them fill, without dummies.
    const BYTES: u64 = 16 + WORD as u64;
    let (producer, reader) = drop_old::mpmc::starting_at(space(3, 4 * BYTES as usize), LAST - 3).expect("memory");
    let accounted: (u64, u64) = thread::scope(|scope| {
        let writing: Vec<_> = [producer.clone(), producer]
            .into_iter()
            .enumerate()
            .map(|(index, mut producer)| {
                scope.spawn(move || {
                    let mut written = 0;
                    for number in (0..EACH).map(|number| (index as u64) << 32 | number) {
                        while producer.push(&[number.to_ne_bytes(); 2].concat()).is_err() {
                            thread::yield_now();
                        }
                        written += BYTES;
                    }
                    written
                })
            })
            .collect();
        let reading: Vec<_> = [reader.clone(), reader]
            .into_iter()
            .map(|mut reader| {
                scope.spawn(move || {
                    let (mut buffer, mut last) = ([0; 96], [None; 2]);
                    loop {
                        let abandoned = reader.is_closed();
                        match reader.read(&mut buffer) {
                            Ok(bytes) => {
                                assert_eq!(bytes[..8], bytes[8..], "a record in pieces");
                                let number = u64::from_ne_bytes(bytes[..8].try_into().expect("eight"));
                                let last = &mut last[(number >> 32) as usize];
                                assert!(last.replace(number).is_none_or(|last| last < number), "out of order");
                            }
                            Err(PopError::Empty) if abandoned => break reader.passed() + reader.lost(),
                            Err(_) => thread::yield_now(),
                        }
                    }
                })
            })
            .collect();
        let sum = |threads: Vec<thread::ScopedJoinHandle<'_, u64>>| {
            threads.into_iter().map(|t| t.join().expect("ends")).sum()
        };
        (sum(writing), sum(reading))
    });
    assert_eq!(accounted.0, accounted.1, "everything written is passed over or lost");
}

#[test]
fn a_draft_is_written_in_pieces() {
    let (mut producer, mut reader) = drop_old::spmc::new(space(2, 64)).expect("memory");
    let mut draft = producer.reserve(30).expect("nobody is in the way");
    for (index, byte) in (0..30).enumerate().rev() {
        draft.put(index, &[byte]);
    }
    draft.put(5, &[99; 13]);
    draft.commit(21);
    producer.reserve(8).expect("nobody is in the way").cancel();
    producer.push(&[]).expect("nobody is in the way");
    let mut buffer = [0; 64];
    let expected: Vec<u8> = (0..5).chain([99; 13]).chain(18..21).collect();
    assert_eq!(reader.read(&mut buffer), Ok(&*expected));
    assert_eq!(reader.read(&mut buffer), Ok(&[][..]));
    assert_eq!(reader.read(&mut buffer), Err(PopError::Empty));
    assert_eq!(reader.lost(), 0);
}

/// As for grants; and a draft that has begun to overwrite does so, also where it is cancelled.
/// `left` records are left after drafts of a block each.
fn drafts_leave_no_record<P: ProducerSide>(
    make: impl Fn(Space) -> Result<drop_old::Handles<P>, CapacityError>,
    left: usize,
) {
    let (mut producer, mut reader) = make(space(3, 64)).expect("memory");
    let mut buffer = [0; 64];
    producer.push(b"before").expect("nobody is in the way");
    drop(producer.reserve(8).expect("nobody is in the way"));
    let caught = catch_unwind(AssertUnwindSafe(|| {
        producer.reserve(8).expect("nobody is in the way").put(0, &[0; 9]);
    }));
    assert!(caught.is_err());
    let too_long = || producer.reserve(3).expect("nobody is in the way").commit(4);
    let caught = catch_unwind(AssertUnwindSafe(too_long));
    let message = caught.expect_err("too long").downcast::<String>().expect("a message");
    assert_eq!(*message, "4 bytes cannot be committed of a draft of 3");
    forget(producer.reserve(8).expect("nobody is in the way"));
    producer.reserve(8).expect("nobody is in the way").commit(0);
    producer.push(b"after").expect("nobody is in the way");
    for expected in ["before", "", "after"] {
        assert_eq!(reader.read(&mut buffer), Ok(expected.as_bytes()));
    }
    assert_eq!(reader.read(&mut buffer), Err(PopError::Empty));
    // Whole blocks are reserved: each overwrites one.
    producer.push(b"overwritten").expect("nobody is in the way");
    (0..3).for_each(|_| drop(producer.reserve(56).expect("nobody is in the way")));
    producer.push(b"last").expect("nobody is in the way");
    let mut came = Vec::new();
    while let Ok(record) = reader.read(&mut buffer) {
        came.push(record.to_vec());
    }
    assert_eq!(came.len(), left, "a single producer takes space back: {came:?}");
    assert_eq!(came.last().map(Vec::as_slice), Some(&b"last"[..]));
}

#[test]
fn what_is_not_committed_is_no_record_in_drop_old_mode() {
    drafts_leave_no_record(drop_old::spmc::new, 2);
    drafts_leave_no_record(drop_old::mpmc::new, 1);
}

#[test]
#[should_panic(expected = "2 bytes from 3 on are beyond a record of 4")]
fn a_draft_has_an_end() {
    let (mut producer, _reader) = drop_old::spmc::new(space(2, 64)).expect("memory");
    producer.reserve(4).expect("nobody is in the way").put(3, &[0; 2]);
}

#[test]
#[should_panic(expected = "a record may have 56 bytes, and the buffer has 55")]
fn a_buffer_has_to_hold_any_record() {
    let (_producer, mut reader) = drop_old::spmc::new(space(2, 56 + WORD)).expect("memory");
    let _ = reader.read(&mut [0; 55]);
}
