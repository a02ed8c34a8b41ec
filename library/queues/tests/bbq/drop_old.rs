//! Drop-old mode: each written item is read, lost, or left.

use aqueduct::bbq::drop_old::{self, Reader};
use aqueduct::bbq::{Geometry, Plain, ProducerSide, Single};
use aqueduct::error::{CapacityError, PopError};

use crate::common::cases;

const LAST: usize = usize::MAX >> (usize::BITS / 4);

/// 3 words and a part of one: larger than a word, and no multiple of it.
#[derive(Clone, Copy, PartialEq, Debug)]
#[repr(C)]
struct Sample([u32; 7]);

// SAFETY: an array of numbers, without padding.
unsafe impl Plain for Sample {}

/// The queue's division and capacity: all blocks but one, or but the spare ones.
fn shapes() -> impl Iterator<Item = (Geometry, usize)> {
    let divided = |(blocks, size, spare)| {
        let geometry = Geometry::new(blocks, size).unwrap();
        (geometry, geometry.capacity() - spare * size)
    };
    let all = [(2, 1, 0), (2, 2, 0), (3, 1, 0), (3, 1, 1), (3, 7, 0), (4, 5, 1), (5, 3, 3), (8, 20, 0)];
    cases(all.into_iter().map(divided))
}

#[test]
fn one_thread_reads_the_newest_and_knows_what_it_lost() {
    for (geometry, capacity) in shapes() {
        for written in 0..300_u64 {
            let (mut producer, mut reader) = drop_old::spmc::starting_at::<u64>(geometry, capacity, LAST - 1).unwrap();
            (0..written).for_each(|number| producer.push(number).unwrap());
            let items: Vec<u64> = std::iter::from_fn(|| reader.read().ok()).collect();
            assert!(
                items.iter().copied().eq(written - items.len() as u64..written),
                "{geometry:?} {written}: {items:?}"
            );
            assert_eq!(items.len() as u64 + reader.lost(), written, "{geometry:?}");
            assert!(items.len() >= capacity.min(written as usize), "{geometry:?} {written}");
            assert_eq!(reader.read(), Err(PopError::Empty));
        }
    }
}

/// Runs a scenario on readers of `written` items, of which `intact` are not overwritten.
fn each_reader<P: ProducerSide>(
    make: impl Fn(Geometry, usize, usize) -> Result<drop_old::Handles<u64, P>, CapacityError>,
    scenario: impl Fn(Reader<u64, P>, u64, u64),
) {
    for (geometry, capacity) in shapes() {
        for written in 0..if cfg!(miri) { 20 } else { 150_u64 } {
            let (mut producer, reader) = make(geometry, capacity, LAST - 1).unwrap();
            (0..written).for_each(|number| producer.push(number).unwrap());
            let size = geometry.block_size() as u64;
            let offset = written.checked_sub(1).map_or(0, |last| last % size + 1);
            // The block that is being filled, and all others.
            let intact = written.min((geometry.blocks() as u64 - 1) * size + offset);
            scenario(reader, written, intact);
        }
    }
}

fn shows_and_leaves_the_latest<P: ProducerSide>(mut reader: Reader<u64, P>, written: u64, intact: u64) {
    for most in [0, 1, 2, 3, 7, 1000] {
        let expected: Vec<u64> = (written - intact.min(most)..written).collect();
        assert_eq!(reader.latest(most as usize), expected, "{most} of {written}");
        let mut items = vec![u64::MAX; most as usize];
        let count = reader.latest_slice(&mut items);
        assert_eq!(items[..count], expected);
    }
    assert_eq!(reader.lost(), 0);
    let items: Vec<u64> = std::iter::from_fn(|| reader.read().ok()).collect();
    assert!(items.iter().copied().eq(written - items.len() as u64..written), "{items:?}");
    assert_eq!(reader.latest(1), Vec::from_iter(written.checked_sub(1)), "also after it was read");
}

#[test]
fn the_latest_items_are_shown_and_left() {
    each_reader(drop_old::spmc::starting_at, shows_and_leaves_the_latest);
    each_reader(drop_old::mpmc::starting_at, shows_and_leaves_the_latest);
}

fn counts_readable_items<P: ProducerSide>(mut reader: Reader<u64, P>, written: u64, intact: u64) {
    assert_eq!((reader.len() as u64, reader.is_empty()), (intact, written == 0));
    let items = reader.drain().count() as u64;
    assert!(items == intact || items < intact && reader.lost() > 0, "{items} of {intact}");
    assert_eq!((reader.len(), reader.is_empty()), (0, true));
}

#[test]
fn a_reader_says_how_much_it_can_read() {
    each_reader(drop_old::spmc::starting_at, counts_readable_items);
    each_reader(drop_old::mpmc::starting_at, counts_readable_items);
}

/// A dump while producers are at work: no item twice, none out of order, and none that was never
/// written.
#[test]
fn the_latest_items_are_in_order_beside_producers() {
    let (producer, reader) = drop_old::mpmc::with_geometry::<[u64; 3]>(Geometry::new(4, 5).unwrap()).unwrap();
    const EACH: u64 = if cfg!(miri) { 100 } else { 20_000 };
    std::thread::scope(|scope| {
        let threads = [1, 2].map(|thread| {
            let mut producer = producer.clone();
            scope.spawn(move || {
                for number in 1..=EACH {
                    while producer.push([thread, number, thread ^ number]).is_err() {
                        std::thread::yield_now();
                    }
                }
            })
        });
        let mut last = [0; 3];
        while threads.iter().any(|thread| !thread.is_finished()) {
            let mut before = [0; 3];
            for [thread, number, check] in reader.latest(12) {
                assert_eq!(check, thread ^ number, "an item came in pieces");
                assert!(number > before[thread as usize], "out of order");
                before[thread as usize] = number;
            }
            for thread in [1, 2] {
                assert!(before[thread] == 0 || before[thread] >= last[thread], "older than before");
                last[thread] = last[thread].max(before[thread]);
            }
        }
    });
    assert_eq!(reader.latest(4).len(), 4);
}

/// Numbers of laps that a reader may rest for: around each power of two that is near the number of
/// lap numbers.
fn rests() -> impl Iterator<Item = usize> {
    [0, 1, 2, LAST / 4, LAST / 4 + 1, LAST / 2 - 1, LAST / 2, LAST / 2 + 1, LAST / 2 + 2, LAST - 6, LAST - 5]
        .into_iter()
}

#[test]
fn a_reader_that_rested_for_most_of_the_laps_reads_the_newest_and_knows_what_it_lost() {
    for (geometry, capacity) in shapes() {
        let entries = (geometry.blocks() * geometry.block_size()) as u64;
        for (rest, lap) in rests().flat_map(|rest| [(rest, 1), (rest, LAST - 1)]) {
            for pushed in [0, 1, entries - 1, entries, entries + 1, 2 * entries + 1] {
                let context = format!("{geometry:?}, {rest} laps before {lap}, {pushed} pushed");
                let zeros = rest as u64 * entries;
                let (mut producer, mut reader) =
                    drop_old::spmc::resting::<u64>(geometry, capacity, lap, rest).expect("a small queue");
                let push = |number| producer.push(number).expect("nobody is in the way");
                newest_are_read(push, || (reader.read(), reader.lost()), capacity, pushed, zeros, &context);
                let (mut producer, mut reader) =
                    drop_old::mpmc::resting::<u64>(geometry, capacity, lap, rest).expect("a small queue");
                let push = |number| producer.push(number).expect("nobody is in the way");
                newest_are_read(push, || (reader.read(), reader.lost()), capacity, pushed, zeros, &context);
            }
        }
    }
}

/// A reader finds the numbers up to `pushed`, as far as they are among the last, after zeros,
/// `zeros` of which were pushed before; and then each number that is pushed next. `read` says
/// which were lost, too.
fn newest_are_read(
    mut push: impl FnMut(u64),
    mut read: impl FnMut() -> (Result<u64, PopError>, u64),
    capacity: usize,
    pushed: u64,
    zeros: u64,
    context: &str,
) {
    (1..=pushed).for_each(&mut push);
    let items: Vec<u64> = std::iter::from_fn(|| read().0.ok()).collect();
    assert_eq!(items.len() as u64 + read().1, zeros + pushed, "{context}: {items:?}");
    assert!(items.len() as u64 >= (zeros + pushed).min(capacity as u64), "{context}: {items:?}");
    let old = items.iter().take_while(|&&item| item == 0).count();
    let new = &items[old..];
    assert!(old == 0 || new.len() as u64 == pushed, "{context}: {items:?}");
    assert!(new.iter().copied().eq(pushed + 1 - new.len() as u64..=pushed), "{context}: {items:?}");
    for number in pushed + 1..pushed + 20 {
        push(number);
        assert_eq!(read().0, Ok(number), "{context}");
    }
}

#[test]
fn a_reader_that_rested_follows_one_that_did_not() {
    for (geometry, capacity) in shapes() {
        let entries = (geometry.blocks() * geometry.block_size()) as u64;
        for rest in rests() {
            let (mut producer, mut late) =
                drop_old::mpmc::resting::<u64>(geometry, capacity, LAST, rest).expect("a small queue");
            let (mut early, mut read) = (late.clone(), 0);
            for number in 1..=3 * entries {
                producer.push(number).expect("nobody is in the way");
                read += u64::from(early.read().is_ok());
            }
            read += std::iter::from_fn(|| early.read().ok()).count() as u64;
            assert_eq!(late.read(), Err(PopError::Empty), "{geometry:?}, {rest} laps");
            producer.push(9).expect("nobody is in the way");
            assert_eq!(late.read(), Ok(9), "{geometry:?}, {rest} laps");
            let written = rest as u64 * entries + 3 * entries;
            assert_eq!(read + early.lost() + late.lost(), written, "{geometry:?}, {rest} laps");
        }
    }
}

#[test]
fn a_reader_that_reads_now_and_then_sees_an_ascending_part() {
    for (geometry, capacity) in shapes() {
        let (mut producer, mut reader) = drop_old::mpmc::starting_at::<u64>(geometry, capacity, LAST).unwrap();
        let (mut written, mut read, mut last) = (0, 0, None);
        for round in 0..2000_u64 {
            for _ in 0..round * 7 % 23 {
                producer.push(written).unwrap();
                written += 1;
            }
            for _ in 0..round * 5 % 11 {
                let Ok(number) = reader.read() else { continue };
                assert!(last < Some(number), "{number} after {last:?}");
                (last, read) = (Some(number), read + 1);
                assert_eq!(read + reader.lost(), number + 1, "all before it was read or lost");
            }
        }
    }
}

#[test]
fn items_of_any_size_come_whole() {
    let (mut producer, mut reader) = drop_old::spmc::new::<Sample>(10).unwrap();
    let (mut empty, mut empty_reader) = drop_old::spmc::new::<()>(10).unwrap();
    let (mut small, mut small_reader) = drop_old::spmc::new::<u8>(10).unwrap();
    let (mut large, mut large_reader) = drop_old::mpmc::new::<[u128; 20]>(10).unwrap();
    for number in 0..25 {
        producer.push(Sample([number; 7])).unwrap();
        empty.push(()).unwrap();
        small.push(number as u8).unwrap();
        large.push([number.into(); 20]).unwrap();
    }
    for _ in 0..10 {
        let Sample(words) = reader.read().unwrap();
        assert_eq!(words, [words[0]; 7]);
        empty_reader.read().unwrap();
        assert_eq!(
            u32::from(small_reader.read().unwrap()),
            words[0] + small_reader.lost() as u32 - reader.lost() as u32
        );
        let wide = large_reader.read().unwrap();
        assert_eq!(wide, [wide[0]; 20]);
    }
}

#[test]
fn slices_are_pushed_whole() {
    let (mut producer, mut reader) = drop_old::spmc::with_geometry::<u64>(Geometry::new(3, 7).unwrap()).unwrap();
    let items: Vec<u64> = (0..100).collect();
    assert_eq!(producer.push_slice(&items), 100);
    let read: Vec<u64> = std::iter::from_fn(|| reader.read().ok()).collect();
    assert!(read.len() >= 14 && read.iter().copied().eq(100 - read.len() as u64..100), "{read:?}");
    assert_eq!(reader.lost(), 100 - read.len() as u64);
}

#[test]
fn bad_input_is_refused() {
    assert_eq!(drop_old::spmc::new::<u8>(0).map(drop), Err(CapacityError::Zero));
    assert!(matches!(drop_old::mpmc::new::<u64>(usize::MAX).map(drop), Err(CapacityError::TooLarge { .. })));
}

#[test]
fn handles_know_when_the_other_side_is_gone() {
    let (producer, reader) = drop_old::mpmc::new::<u64>(5).unwrap();
    let other = producer.clone();
    drop(producer);
    assert!(!reader.is_closed());
    drop(other);
    assert!(reader.is_closed());
    let (producer, reader) = drop_old::spmc::new::<u64>(5).unwrap();
    let second = reader.clone();
    drop(reader);
    assert!(!producer.is_closed());
    drop(second);
    assert!(producer.is_closed());
}

/// Producers that never wait, and readers that read when they can: each item is whole, read at most
/// once, and accounted for. They have rested for `rest` laps before.
fn stress(geometry: Geometry, capacity: usize, producers: u64, readers: usize, rest: usize) {
    const EACH: u64 = 20_000;
    let (producer, reader) = drop_old::mpmc::resting::<[u64; 3]>(geometry, capacity, LAST, rest).unwrap();
    let (written, came, lost) = std::thread::scope(|scope| {
        let reading: Vec<_> = (0..readers)
            .map(|_| {
                let mut reader = reader.clone();
                scope.spawn(move || {
                    let mut items = Vec::new();
                    loop {
                        match reader.read() {
                            Ok(item) => items.push(item),
                            Err(PopError::Empty) if reader.is_closed() => break,
                            Err(_) => std::thread::yield_now(),
                        }
                    }
                    // The items pushed between the last read and the end.
                    items.extend(std::iter::from_fn(|| reader.read().ok()));
                    (items, reader.lost())
                })
            })
            .collect();
        let pushing: Vec<_> = (1..=producers)
            .map(|lane| {
                let mut producer = producer.clone();
                scope.spawn(move || {
                    (0..EACH).filter(|&number| producer.push([lane, number, lane ^ number]).is_ok()).count()
                })
            })
            .collect();
        drop(producer);
        let written: usize = pushing.into_iter().map(|thread| thread.join().unwrap()).sum();
        let parts: Vec<_> = reading.into_iter().map(|thread| thread.join().unwrap()).collect();
        let lost: u64 = parts.iter().map(|(_, lost)| lost).sum();
        (written as u64, parts.into_iter().map(|(items, _)| items).collect::<Vec<_>>(), lost)
    });
    let mut seen = std::collections::HashSet::new();
    let mut old = 0;
    for items in &came {
        let mut last = vec![None; 1 + producers as usize];
        for &[lane, number, check] in items {
            assert_eq!(check, lane ^ number, "an item came in pieces");
            if lane == 0 {
                old += 1;
                continue;
            }
            assert!(seen.insert((lane, number)), "item {number} of producer {lane} came twice");
            assert!(last[lane as usize] < Some(number), "producer {lane}: {number} came late");
            last[lane as usize] = Some(number);
        }
    }
    let written = written + rest as u64 * (geometry.blocks() * geometry.block_size()) as u64;
    assert_eq!(old + seen.len() as u64 + lost, written, "{geometry:?}: {} came, {lost} are lost", seen.len());
}

#[test]
fn nothing_is_unaccounted_for_beside_other_threads() {
    for (geometry, capacity) in shapes() {
        for (producers, readers) in [(1, 1), (2, 1), (1, 2), (2, 2), (3, 3)] {
            stress(geometry, capacity, producers, readers, 0);
        }
        for rest in [LAST / 2, LAST / 2 + 1, LAST - 50_000] {
            stress(geometry, capacity, 2, 2, rest);
        }
    }
}

/// The only reader of one thread, one by one and in slices of all lengths: no slice has a gap, what
/// is missing between two of them was counted, and elements that were not read are whole.
#[test]
fn an_only_reader_knows_what_it_lost_between_slices() {
    fn check<P: ProducerSide>(
        make: impl Fn(Geometry, usize, usize) -> Result<drop_old::Handles<Sample, P, Single>, CapacityError>,
    ) {
        let sample = |number: u64| Sample([number as u32; 7]);
        for ((geometry, capacity), most) in shapes().flat_map(|shape| [1, 2, 5, 64].map(|most| (shape, most))) {
            let (mut producer, mut reader) = make(geometry, capacity, LAST - 1).expect("a small queue");
            let (mut written, mut next) = (0, 0);
            for step in 0..if cfg!(miri) { 5 } else { 60_u64 } {
                for _ in 0..step * 7 % 50 {
                    assert!(producer.push(sample(written)).is_ok());
                    written += 1;
                }
                let len = reader.len();
                assert!(len as u64 <= written && reader.is_empty() == (len == 0));
                for call in 0..=step % 4 {
                    let mut items = [sample(9999); 64];
                    let lost = reader.lost();
                    let count = match reader.read() {
                        Ok(item) if call % 2 == 0 => {
                            items[0] = item;
                            1
                        }
                        Ok(item) => {
                            items[0] = item;
                            1 + reader.read_slice(&mut items[1..most])
                        }
                        Err(_) => 0,
                    };
                    // The slice after a read may begin behind a gap.
                    let mut skipped = reader.lost() - lost;
                    for (place, item) in items[..count].iter().enumerate() {
                        if place < 2 && *item != sample(next) {
                            next += std::mem::take(&mut skipped);
                        }
                        assert_eq!(*item, sample(next), "{geometry:?} {most}");
                        next += 1;
                    }
                    assert!(items[count..].iter().all(|item| item.0 == [item.0[0]; 7]), "a part of an item");
                }
            }
            let newest = reader.latest(3);
            assert!(newest.iter().rev().zip((0..written).rev()).all(|(item, number)| *item == sample(number)));
            let mut rest = vec![sample(0); most];
            loop {
                let count = reader.read_slice(&mut rest);
                if count == 0 {
                    break;
                }
                next = u64::from(rest[count - 1].0[0]) + 1;
            }
            assert_eq!((next, reader.read()), (written, Err(PopError::Empty)), "{geometry:?}");
            assert_eq!(reader.read_slice(&mut []), 0);
        }
    }
    check(drop_old::spsc::starting_at::<Sample>);
    check(drop_old::mpsc::starting_at::<Sample>);
}

/// A reader of slices beside a producer: each slice is without a gap, and in the end all is read or
/// lost.
#[test]
fn slices_beside_producers_have_no_gap() {
    const EACH: u64 = if cfg!(miri) { 200 } else { 100_000 };
    fn check<P: ProducerSide>((mut producer, mut reader): drop_old::Handles<[u64; 3], P, Single>) {
        let (mut read, mut last) = (0, 0);
        std::thread::scope(|scope| {
            scope.spawn(move || (1..=EACH).for_each(|number| assert!(producer.push([number; 3]).is_ok())));
            let mut items = [[0; 3]; 32];
            loop {
                let is_over = reader.is_closed();
                let count = reader.read_slice(&mut items);
                assert!(items[..count].is_sorted_by(|one, next| next[0] == one[0] + 1), "{items:?}");
                assert!(items.iter().all(|item| *item == [item[0]; 3]), "a part of an item");
                if count > 0 {
                    assert!(items[0][0] > last, "{} after {last}", items[0][0]);
                    last = items[count - 1][0];
                    read += count as u64;
                } else if is_over {
                    break;
                }
            }
        });
        assert_eq!((last, read + reader.lost()), (EACH, EACH));
    }
    check(drop_old::spsc::new(50).expect("a small queue"));
    check(drop_old::mpsc::new(50).expect("a small queue"));
    let geometry = Geometry::new(2, 3).expect("a small queue");
    check(drop_old::spsc::with_geometry(geometry).expect("a small queue"));
}
