//! Two words a slot.

use aqueduct::bbq::Plain;
use aqueduct::error::CapacityError;
use aqueduct::nblfq::Capacity;
use aqueduct::nblfq::wide::{DynamicQueue, HandleOf, NoWideExchange, Queue, QueueOf};

static BYTES: Queue<[u8; 3], 2> = Queue::new();

/// Returns a handle of the queue; `None`, with a message, on machines that are known to have no
/// exchange of two words.
fn opened<T: Plain, C: Capacity, const BITS: u32>(queue: &QueueOf<T, C, BITS>) -> Option<HandleOf<'_, T, C, BITS>> {
    let opened = queue.open();
    if cfg!(target_arch = "x86_64") {
        return Some(opened.expect("all but the first processors of this kind can"));
    }
    #[cfg(target_arch = "aarch64")]
    if std::arch::is_aarch64_feature_detected!("lse") {
        return Some(opened.expect("from Armv8.1 on all can"));
    }
    println!("not tested here: {NoWideExchange}");
    assert_eq!(opened.err(), Some(NoWideExchange));
    None
}

#[test]
fn any_plain_value_of_up_to_a_word_passes() {
    assert!(NoWideExchange.to_string().contains("16 bytes"));
    let Some(bytes) = opened(&BYTES) else { return };
    assert_eq!(bytes.push([0, 0, 0]), Ok(()));
    assert_eq!(bytes.push([255, 1, 2]), Ok(()));
    assert_eq!(bytes.push([3, 3, 3]).map_err(|full| full.into_inner()), Err([3, 3, 3]));
    assert_eq!((bytes.len(), bytes.pop(), bytes.pop()), (2, Ok([0, 0, 0]), Ok([255, 1, 2])));
    assert!(bytes.pop().is_err() && bytes.is_empty());
    let words = Queue::<u64, 3>::new();
    let Some(words) = opened(&words) else { return };
    for number in (0..1000).chain(u64::MAX - 1000..=u64::MAX) {
        assert_eq!(words.push(number), Ok(()));
        assert_eq!(words.pop(), Ok(number));
    }
}

#[test]
fn it_says_when_its_counter_comes_around() {
    assert_eq!(Queue::<u64, 4, 2>::pushes_until_wrap(), 10);
    assert_eq!(Queue::<u64, 4, 2>::wraps_within(8), std::time::Duration::from_millis(1250));
    assert_eq!(Queue::<u64, 2>::pushes_until_wrap(), 2 * ((1 << 63) - 2) + 2);
    assert_eq!(Queue::<u64, 2>::wraps_within(1_000_000_000).as_secs() / (365 * 24 * 3600), 584);
    assert_eq!(Queue::<u64, 4>::wraps_within(1), std::time::Duration::MAX);
}

#[test]
fn nothing_is_lost_and_nothing_comes_twice_among_threads() {
    const EACH: u64 = 30_000;
    let queue = Queue::<u64, 5>::new();
    let Some(handle) = opened(&queue) else { return };
    let came = std::thread::scope(|scope| {
        for thread in 0..2 {
            scope.spawn(move || {
                for number in 0..EACH {
                    while handle.push(thread << 63 | number).is_err() {
                        std::thread::yield_now();
                    }
                }
            });
        }
        let readers = [(); 2].map(|()| {
            scope.spawn(move || {
                let mut items = Vec::new();
                while items.len() < EACH as usize {
                    handle.pop().map_or_else(|_| std::thread::yield_now(), |item| items.push(item));
                }
                items
            })
        });
        readers.map(|reader| reader.join().expect("ends"))
    });
    for items in &came {
        for thread in 0..2 {
            assert!(items.iter().filter(|&&item| item >> 63 == thread).is_sorted(), "out of order");
        }
    }
    let mut all = came.concat();
    all.sort_unstable();
    all.dedup();
    assert_eq!(all.len() as u64, 2 * EACH);
}

#[test]
fn a_capacity_chosen_at_run_time_is_kept() {
    assert_eq!(DynamicQueue::<u64>::new(0).map(drop), Err(CapacityError::Zero));
    for (asked, slots) in [(1, 2), (2, 2), (3, 3), (100, 100)] {
        let queue = DynamicQueue::<u64, 2>::new(asked).expect("a small queue");
        assert_eq!((queue.capacity(), queue.pushes_until_wrap()), (slots, 2 * slots as u128 + 2));
        assert_eq!(queue.wraps_within(2 * slots as u64 + 2).as_secs(), 1);
        assert_eq!(format!("{queue:?}"), format!("Queue {{ capacity: {slots}, .. }}"));
        let Some(handle) = opened(&queue) else { return };
        for lap in 0..3 {
            assert!((0..slots as u64).all(|number| handle.push(lap + number).is_ok()));
            assert!(handle.push(9).is_err() && handle.is_full() && handle.capacity() == slots);
            assert!((0..slots as u64).all(|number| handle.pop() == Ok(lap + number)));
            assert!(handle.pop().is_err() && handle.is_empty());
        }
    }
}
