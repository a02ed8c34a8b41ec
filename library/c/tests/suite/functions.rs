//! Functions of the interface, called from Rust.

use std::ptr;

#[test]
fn null_is_refused_and_dropped() {
    // SAFETY: null is allowed everywhere.
    unsafe {
        assert_eq!(aqueduct_c::aq_region_named(ptr::null(), 1, 0, ptr::null_mut()), 11);
        assert_eq!(aqueduct_c::aq_region_anonymous(c"a".as_ptr(), 1 << 14, ptr::null_mut()), 11);
        assert_eq!(aqueduct_c::aq_region_from_fd(-1, &mut ptr::null_mut()), 11);
        assert_eq!((aqueduct_c::aq_region_fd(ptr::null()), aqueduct_c::aq_record_max_len(ptr::null())), (-1, 0));
        assert_eq!(aqueduct_c::aq_record_pop(ptr::null_mut(), ptr::null_mut(), 0, ptr::null_mut()), 11);
        assert_eq!(aqueduct_c::aq_u64_push_slice(ptr::null_mut(), ptr::null(), 3), 0);
        assert_eq!(aqueduct_c::aq_u64_pop_slice(ptr::null_mut(), ptr::null_mut(), 3), 0);
        aqueduct_c::aq_region_drop(ptr::null_mut());
        aqueduct_c::aq_u64_consumer_drop(ptr::null_mut());
        assert_eq!(aqueduct_c::aq_mpmc_producer_take(ptr::null(), 1, 1, 1, 0, &mut ptr::null_mut()), 11);
        assert_eq!(aqueduct_c::aq_mpmc_abandoned_take(ptr::null(), 1, 1, 1, 0, ptr::null_mut()), 11);
        assert_eq!(aqueduct_c::aq_mpmc_push(ptr::null_mut(), 1), 11);
        assert_eq!(aqueduct_c::aq_mpmc_peek(ptr::null_mut(), ptr::null_mut()), 11);
        assert_eq!(aqueduct_c::aq_mpmc_release(ptr::null_mut()), 11);
        assert_eq!(aqueduct_c::aq_mpmc_push_slice(ptr::null_mut(), ptr::null(), 3), 0);
        assert_eq!(aqueduct_c::aq_mpmc_pop_slice(ptr::null_mut(), ptr::null_mut(), 3), 0);
        aqueduct_c::aq_mpmc_producer_drop(ptr::null_mut());
        assert_eq!(aqueduct_c::aq_drop_old_reader_new(ptr::null(), 1, 1, 0, &mut ptr::null_mut()), 11);
        assert_eq!(aqueduct_c::aq_drop_old_wake(ptr::null_mut()), 11);
        assert_eq!(aqueduct_c::aq_drop_old_read(ptr::null_mut(), ptr::null_mut()), 11);
        assert_eq!(aqueduct_c::aq_drop_old_lost(ptr::null()), 0);
        aqueduct_c::aq_drop_old_reader_drop(ptr::null_mut());
        assert_eq!(aqueduct_c::aq_drop_old_record_bytes(3), 0);
        assert_eq!(aqueduct_c::aq_drop_old_record_producer_take(ptr::null(), 100, 0, &mut ptr::null_mut()), 11);
        assert_eq!(aqueduct_c::aq_drop_old_record_push(ptr::null_mut(), ptr::null(), 0), 11);
        let read = aqueduct_c::aq_drop_old_record_read(ptr::null_mut(), ptr::null_mut(), 0, ptr::null_mut());
        assert_eq!((read, aqueduct_c::aq_drop_old_record_lost(ptr::null())), (11, 0));
        assert_eq!(aqueduct_c::aq_drop_old_record_max_len(ptr::null()), 0);
        assert_eq!(aqueduct_c::aq_drop_old_record_reserve(ptr::null_mut(), 1), 11);
        assert_eq!(aqueduct_c::aq_drop_old_record_commit(ptr::null_mut()), 11);
        aqueduct_c::aq_drop_old_record_producer_drop(ptr::null_mut());
        assert_eq!(aqueduct_c::aq_event_new(ptr::null_mut()), 11);
        assert_eq!((aqueduct_c::aq_event_fd(ptr::null()), aqueduct_c::aq_event_clear(ptr::null())), (-1, 11));
        assert_eq!(aqueduct_c::aq_record_consumer_wait(ptr::null_mut(), 1), 11);
        assert_eq!(aqueduct_c::aq_mpmc_producer_arm(ptr::null_mut()), 11);
        assert_eq!(aqueduct_c::aq_u64_consumer_set_events(ptr::null_mut(), ptr::null_mut(), 1), 11);
        aqueduct_c::aq_event_drop(ptr::null_mut());
    }
}

#[test]
fn a_record_that_is_too_long_stays() {
    let mut region = ptr::null_mut();
    let (mut producer, mut consumer) = (ptr::null_mut(), ptr::null_mut());
    let (mut buffer, mut len) = ([0_u8; 20], 0);
    // SAFETY: handles are made, used by this thread, and dropped; pointers refer to live objects.
    unsafe {
        assert_eq!(aqueduct_c::aq_region_anonymous(c"a".as_ptr(), 1 << 14, &mut region), 0);
        assert!(aqueduct_c::aq_region_fd(region) > 0);
        assert_eq!(aqueduct_c::aq_record_producer_take(region, 1000, 0, &mut producer), 0);
        assert_eq!(aqueduct_c::aq_record_consumer_take(region, 1000, 0, &mut consumer), 0);
        assert_eq!(aqueduct_c::aq_record_push(producer, c"eleven byte".as_ptr().cast(), 11), 0);
        assert_eq!((aqueduct_c::aq_record_pop(consumer, buffer.as_mut_ptr().cast(), 10, &mut len), len), (3, 11));
        assert_eq!((aqueduct_c::aq_record_pop(consumer, buffer.as_mut_ptr().cast(), 20, &mut len), len), (0, 11));
        assert_eq!(&buffer[..11], b"eleven byte");
        assert_eq!(aqueduct_c::aq_record_pop(consumer, buffer.as_mut_ptr().cast(), 20, &mut len), 1);
        assert_eq!(aqueduct_c::aq_record_pop_wait(consumer, buffer.as_mut_ptr().cast(), 20, 1000, &mut len), 5);
        aqueduct_c::aq_region_drop(region);
        aqueduct_c::aq_record_producer_drop(producer);
        aqueduct_c::aq_record_consumer_drop(consumer);
    }
}

/// Lengths beyond the address space, such as the -1 of a failed `read`, are refused before any
/// memory is read.
#[test]
fn lengths_that_no_memory_has_are_too_long() {
    let mut region = ptr::null_mut();
    let (mut producer, mut old) = (ptr::null_mut(), ptr::null_mut());
    let (mut numbers, mut popper) = (ptr::null_mut(), ptr::null_mut());
    let (mut pusher, mut consumer) = (ptr::null_mut(), ptr::null_mut());
    let mut events = [ptr::null()];
    let mut few = [0_u64; 4];
    let bytes = few.as_mut_ptr().cast();
    // SAFETY: handles are made, used by this thread, and dropped; pointers refer to live objects.
    unsafe {
        let mut region_of = |size: usize| {
            assert_eq!(aqueduct_c::aq_region_anonymous(c"a".as_ptr(), size, &mut region), 0);
            region
        };
        let regions = [region_of(1 << 14), region_of(1 << 14), region_of(1 << 14), region_of(1 << 14)];
        assert_eq!(aqueduct_c::aq_record_producer_take(regions[0], 1000, 0, &mut producer), 0);
        assert_eq!(aqueduct_c::aq_drop_old_record_producer_take(regions[1], 1000, 0, &mut old), 0);
        assert_eq!(aqueduct_c::aq_u64_producer_take(regions[2], 10, 0, &mut numbers), 0);
        assert_eq!(aqueduct_c::aq_u64_consumer_take(regions[2], 10, 0, &mut popper), 0);
        assert_eq!(aqueduct_c::aq_mpmc_producer_take(regions[3], 1, 1, 10, 0, &mut pusher), 0);
        assert_eq!(aqueduct_c::aq_mpmc_consumer_take(regions[3], 1, 1, 10, 0, &mut consumer), 0);
        for len in [usize::MAX, isize::MAX as usize + 1, isize::MAX as usize, usize::MAX / 8] {
            assert_eq!(aqueduct_c::aq_record_push(producer, bytes, len), 3);
            assert_eq!(aqueduct_c::aq_record_push_wait(producer, bytes, len, 1000), 3);
            assert_eq!(aqueduct_c::aq_drop_old_record_push(old, bytes, len), 3);
            assert_eq!(aqueduct_c::aq_drop_old_record_reserve(old, len), 3);
            assert_eq!(aqueduct_c::aq_drop_old_record_reserve(old, 100), 0);
            assert_eq!(aqueduct_c::aq_drop_old_record_write(old, bytes, len), 3);
            assert_eq!(aqueduct_c::aq_drop_old_record_abandon(old), 0, "the record is still there");
            assert_eq!(aqueduct_c::aq_u64_push_slice(numbers, few.as_ptr(), len), 0);
            assert_eq!(aqueduct_c::aq_u64_pop_slice(popper, few.as_mut_ptr(), len), 0);
            assert_eq!(aqueduct_c::aq_mpmc_push_slice(pusher, few.as_ptr(), len), 0);
            assert_eq!(aqueduct_c::aq_mpmc_pop_slice(consumer, few.as_mut_ptr(), len), 0);
            assert_eq!(aqueduct_c::aq_record_producer_set_events(producer, events.as_mut_ptr(), len), 11);
        }
        aqueduct_c::aq_record_producer_drop(producer);
        aqueduct_c::aq_drop_old_record_producer_drop(old);
        aqueduct_c::aq_u64_producer_drop(numbers);
        aqueduct_c::aq_u64_consumer_drop(popper);
        aqueduct_c::aq_mpmc_producer_drop(pusher);
        aqueduct_c::aq_mpmc_consumer_drop(consumer);
        regions.into_iter().for_each(|region| aqueduct_c::aq_region_drop(region));
    }
}

#[test]
fn names_and_sizes_that_no_region_has_are_refused() {
    let mut region = ptr::null_mut();
    // SAFETY: names are C strings, and no region is made.
    unsafe {
        for name in [c"prices", c"", c"/", c"/a/b"] {
            assert_eq!(aqueduct_c::aq_region_named(name.as_ptr(), 1 << 14, 0o600, &mut region), 11);
            assert_eq!(aqueduct_c::aq_region_unlink(name.as_ptr()), 11);
        }
        for bytes in [0, 1 << 61, usize::MAX] {
            assert_eq!(aqueduct_c::aq_region_anonymous(c"a".as_ptr(), bytes, &mut region), 9);
        }
    }
}

/// Asserts that a wait for a handle that may still be made times out (5), and that a wait for
/// dropped handles returns that they have left (15).
macro_rules! leaves {
    ($take:expr, $drop:ident, $wait:expr) => {
        let mut wait = $wait;
        let mut other = ptr::null_mut();
        assert_eq!(wait(0), 5, "nobody has come");
        assert_eq!($take(&mut other), 0);
        assert_eq!(wait(1000), 5, "it is there");
        aqueduct_c::$drop(other);
        assert_eq!((wait(u64::MAX), wait(0)), (15, 15));
    };
}

#[test]
fn all_waits_say_that_the_other_side_has_left() {
    let mut region = ptr::null_mut();
    let (mut number, mut buffer, mut len) = (0, [0_u8; 20], 0);
    // SAFETY: handles are made, used by this thread, and dropped; pointers refer to live objects.
    unsafe {
        let mut fresh = || {
            assert_eq!(aqueduct_c::aq_region_anonymous(c"a".as_ptr(), 1 << 14, &mut region), 0);
            region
        };
        let [records, numbers, many] = [(); 3].map(|()| fresh());
        let mut popper = ptr::null_mut();
        assert_eq!(aqueduct_c::aq_record_consumer_take(records, 1000, 0, &mut popper), 0);
        leaves!(|to| aqueduct_c::aq_record_producer_take(records, 1000, 0, to), aq_record_producer_drop, |time| {
            aqueduct_c::aq_record_pop_wait(popper, buffer.as_mut_ptr().cast(), 20, time, &mut len)
        });
        aqueduct_c::aq_record_consumer_drop(popper);
        let (mut popper, mut pusher) = (ptr::null_mut(), ptr::null_mut());
        assert_eq!(aqueduct_c::aq_u64_consumer_take(numbers, 4, 0, &mut popper), 0);
        leaves!(|to| aqueduct_c::aq_u64_producer_take(numbers, 4, 0, to), aq_u64_producer_drop, |time| {
            aqueduct_c::aq_u64_pop_wait(popper, time, &mut number)
        });
        aqueduct_c::aq_u64_consumer_drop(popper);
        assert_eq!(aqueduct_c::aq_u64_producer_take(numbers, 4, 0, &mut pusher), 0);
        while aqueduct_c::aq_u64_push(pusher, 1) == 0 {}
        assert_eq!(aqueduct_c::aq_u64_push_wait(pusher, 1, u64::MAX), 15, "the consumer has left");
        aqueduct_c::aq_u64_producer_drop(pusher);
        let mut popper = ptr::null_mut();
        assert_eq!(aqueduct_c::aq_mpmc_consumer_take(many, 2, 1, 4, 0, &mut popper), 0);
        leaves!(|to| aqueduct_c::aq_mpmc_producer_take(many, 2, 1, 4, 0, to), aq_mpmc_producer_drop, |time| {
            aqueduct_c::aq_mpmc_pop_wait(popper, time, &mut number)
        });
        aqueduct_c::aq_mpmc_consumer_drop(popper);
        let [old, old_records] = [(); 2].map(|()| fresh());
        let mut reader = ptr::null_mut();
        assert_eq!(aqueduct_c::aq_drop_old_reader_new(old, 2, 4, 0, &mut reader), 0);
        leaves!(|to| aqueduct_c::aq_drop_old_producer_take(old, 2, 4, 0, to), aq_drop_old_producer_drop, |time| {
            aqueduct_c::aq_drop_old_read_wait(reader, time, &mut number)
        });
        aqueduct_c::aq_drop_old_reader_drop(reader);
        let mut reader = ptr::null_mut();
        assert_eq!(aqueduct_c::aq_drop_old_record_reader_new(old_records, 100, 0, &mut reader), 0);
        leaves!(
            |to| aqueduct_c::aq_drop_old_record_producer_take(old_records, 100, 0, to),
            aq_drop_old_record_producer_drop,
            |time| aqueduct_c::aq_drop_old_record_read_wait(reader, buffer.as_mut_ptr().cast(), 20, time, &mut len)
        );
        aqueduct_c::aq_drop_old_record_reader_drop(reader);
        [records, numbers, many, old, old_records].into_iter().for_each(|region| aqueduct_c::aq_region_drop(region));
    }
}

#[test]
fn what_was_peeked_at_comes_again_until_it_is_released() {
    let (mut region, mut numbers) = (ptr::null_mut(), ptr::null_mut());
    let (mut producer, mut consumer) = (ptr::null_mut(), ptr::null_mut());
    let (mut records, mut reader) = (ptr::null_mut(), ptr::null_mut());
    let (mut buffer, mut len, mut number) = ([0_u8; 8], 0, 0);
    let to = buffer.as_mut_ptr().cast();
    // SAFETY: handles are made, used by this thread, and dropped; pointers refer to live objects.
    unsafe {
        assert_eq!(aqueduct_c::aq_region_anonymous(c"a".as_ptr(), 1 << 14, &mut region), 0);
        assert_eq!(aqueduct_c::aq_record_producer_take(region, 1000, 0, &mut records), 0);
        assert_eq!(aqueduct_c::aq_record_consumer_take(region, 1000, 0, &mut reader), 0);
        assert_eq!(aqueduct_c::aq_record_peek(reader, to, 8, &mut len), 1);
        for record in [c"first", c"next", c"last"] {
            let bytes = record.to_bytes();
            assert_eq!(aqueduct_c::aq_record_push(records, bytes.as_ptr().cast(), bytes.len()), 0);
        }
        assert_eq!(aqueduct_c::aq_record_release(reader), 1, "the caller has seen none");
        assert_eq!((aqueduct_c::aq_record_peek(reader, to, 4, &mut len), len), (3, 5));
        assert_eq!(aqueduct_c::aq_record_release(reader), 1, "the caller has not seen it");
        for _ in 0..2 {
            assert_eq!((aqueduct_c::aq_record_peek(reader, to, 8, &mut len), len), (0, 5));
            assert_eq!(&buffer[..5], b"first");
            // The next consumer in this place finds it, too.
            aqueduct_c::aq_record_consumer_drop(reader);
            assert_eq!(aqueduct_c::aq_record_consumer_take(region, 1000, 0, &mut reader), 0);
        }
        assert_eq!(aqueduct_c::aq_record_peek(reader, to, 8, &mut len), 0);
        assert_eq!((aqueduct_c::aq_record_release(reader), aqueduct_c::aq_record_release(reader)), (0, 1));
        assert_eq!(aqueduct_c::aq_record_peek(reader, to, 8, &mut len), 0);
        assert_eq!((aqueduct_c::aq_record_pop(reader, to, 8, &mut len), len), (0, 4));
        assert_eq!(aqueduct_c::aq_record_release(reader), 1, "it was popped");
        assert_eq!((aqueduct_c::aq_record_pop(reader, to, 8, &mut len), len), (0, 4));
        assert_eq!(&buffer[..4], b"last");
        aqueduct_c::aq_record_producer_drop(records);
        aqueduct_c::aq_record_consumer_drop(reader);

        assert_eq!(aqueduct_c::aq_region_anonymous(c"a".as_ptr(), 1 << 14, &mut numbers), 0);
        assert_eq!(aqueduct_c::aq_u64_producer_take(numbers, 10, 0, &mut producer), 0);
        assert_eq!(aqueduct_c::aq_u64_consumer_take(numbers, 10, 0, &mut consumer), 0);
        assert_eq!(aqueduct_c::aq_u64_peek(consumer, &mut number), 1);
        (5..9).for_each(|next| assert_eq!(aqueduct_c::aq_u64_push(producer, next), 0));
        assert_eq!(aqueduct_c::aq_u64_release(consumer), 1, "the caller has seen none");
        for _ in 0..2 {
            assert_eq!((aqueduct_c::aq_u64_peek(consumer, &mut number), number), (0, 5));
            aqueduct_c::aq_u64_consumer_drop(consumer);
            assert_eq!(aqueduct_c::aq_u64_consumer_take(numbers, 10, 0, &mut consumer), 0);
        }
        assert_eq!(aqueduct_c::aq_u64_peek(consumer, &mut number), 0);
        assert_eq!((aqueduct_c::aq_u64_release(consumer), aqueduct_c::aq_u64_release(consumer)), (0, 1));
        assert_eq!(aqueduct_c::aq_u64_peek(consumer, &mut number), 0);
        assert_eq!((aqueduct_c::aq_u64_pop(consumer, &mut number), number), (0, 6));
        assert_eq!(aqueduct_c::aq_u64_release(consumer), 1, "it was popped");
        assert_eq!((aqueduct_c::aq_u64_peek(consumer, &mut number), number), (0, 7));
        assert_eq!((aqueduct_c::aq_u64_pop_slice(consumer, &mut number, 1), number), (1, 7));
        assert_eq!(aqueduct_c::aq_u64_release(consumer), 1, "it was popped");
        assert_eq!((aqueduct_c::aq_u64_peek(consumer, &mut number), number), (0, 8));
        aqueduct_c::aq_u64_producer_drop(producer);
        aqueduct_c::aq_u64_consumer_drop(consumer);
        aqueduct_c::aq_region_drop(region);
        aqueduct_c::aq_region_drop(numbers);
    }
}

#[test]
fn an_overwritten_record_is_counted() {
    let (mut region, mut producer, mut reader) = (ptr::null_mut(), ptr::null_mut(), ptr::null_mut());
    let (mut buffer, mut len) = ([0_u8; 20], 0);
    // SAFETY: handles are made, used by this thread, and dropped; pointers refer to live objects.
    unsafe {
        let bytes = aqueduct_c::aq_drop_old_record_bytes(64);
        assert_eq!(aqueduct_c::aq_region_anonymous(c"a".as_ptr(), bytes, &mut region), 0);
        assert_eq!(aqueduct_c::aq_drop_old_record_producer_take(region, 64, 0, &mut producer), 0);
        assert_eq!(aqueduct_c::aq_drop_old_record_producer_take(region, 64, 0, &mut producer), 7);
        assert_eq!(aqueduct_c::aq_drop_old_record_reader_new(region, 64, 0, &mut reader), 0);
        assert_eq!(aqueduct_c::aq_drop_old_record_max_len(producer), 48);
        assert_eq!(aqueduct_c::aq_drop_old_record_push(producer, ptr::null(), 49), 11);
        assert_eq!(aqueduct_c::aq_drop_old_record_push(producer, [0_u8; 49].as_ptr().cast(), 49), 3);
        for number in 0..10_u8 {
            assert_eq!(aqueduct_c::aq_drop_old_record_push(producer, [number; 12].as_ptr().cast(), 12), 0);
        }
        let to = buffer.as_mut_ptr().cast();
        assert_eq!((aqueduct_c::aq_drop_old_record_read(reader, to, 11, &mut len), len), (3, 12));
        assert_eq!((aqueduct_c::aq_drop_old_record_read_wait(reader, to, 0, 0, &mut len), len), (3, 12));
        assert_eq!(aqueduct_c::aq_drop_old_record_lost(reader), 0, "as of the last read");
        assert_eq!((aqueduct_c::aq_drop_old_record_read_wait(reader, to, 20, 0, &mut len), len), (0, 12));
        let lost = aqueduct_c::aq_drop_old_record_lost(reader);
        assert!(lost > 0 && buffer[..12] == [lost as u8; 12], "{lost} {buffer:?}");
        while aqueduct_c::aq_drop_old_record_read(reader, to, 20, &mut len) == 0 {}
        assert_eq!(buffer[..12], [9; 12]);
        assert_eq!(aqueduct_c::aq_drop_old_record_read_wait(reader, to, 20, 1000, &mut len), 5);
        aqueduct_c::aq_region_drop(region);
        aqueduct_c::aq_drop_old_record_producer_drop(producer);
        aqueduct_c::aq_drop_old_record_reader_drop(reader);
    }
}

#[test]
fn a_record_is_written_in_place() {
    let (mut region, mut producer, mut reader) = (ptr::null_mut(), ptr::null_mut(), ptr::null_mut());
    let (mut buffer, mut len) = ([0_u8; 48], 0);
    let to = buffer.as_mut_ptr().cast();
    // SAFETY: handles are made, used by this thread, and dropped; pointers refer to live objects.
    unsafe {
        let bytes = aqueduct_c::aq_drop_old_record_bytes(64);
        assert_eq!(aqueduct_c::aq_region_anonymous(c"a".as_ptr(), bytes, &mut region), 0);
        assert_eq!(aqueduct_c::aq_drop_old_record_producer_take(region, 64, 0, &mut producer), 0);
        assert_eq!(aqueduct_c::aq_drop_old_record_reader_new(region, 64, 0, &mut reader), 0);
        let write = |text: &str| aqueduct_c::aq_drop_old_record_write(producer, text.as_ptr().cast(), text.len());
        // Nothing is reserved.
        assert_eq!(write("a"), 1);
        assert_eq!(aqueduct_c::aq_drop_old_record_commit(producer), 1);
        assert_eq!(aqueduct_c::aq_drop_old_record_abandon(producer), 1);
        assert_eq!(aqueduct_c::aq_drop_old_record_reserve(producer, 49), 3);
        // In pieces: one that does not fit is not appended.
        assert_eq!(aqueduct_c::aq_drop_old_record_reserve(producer, 18), 0);
        assert_eq!((write("a name, "), write("and a longer text"), write("and a text")), (0, 3, 0));
        assert_eq!(aqueduct_c::aq_drop_old_record_write(producer, ptr::null(), 1), 11);
        assert_eq!(aqueduct_c::aq_drop_old_record_read(reader, to, 48, &mut len), 1, "it is not committed");
        assert_eq!(aqueduct_c::aq_drop_old_record_commit(producer), 0);
        assert_eq!(aqueduct_c::aq_drop_old_record_commit(producer), 1);
        assert_eq!((aqueduct_c::aq_drop_old_record_read(reader, to, 48, &mut len), len), (0, 18));
        assert_eq!(&buffer[..18], b"a name, and a text");
        // A record that is abandoned, one that a push discards, and one that another `reserve`
        // discards.
        assert_eq!((aqueduct_c::aq_drop_old_record_reserve(producer, 8), write("given up")), (0, 0));
        assert_eq!((aqueduct_c::aq_drop_old_record_abandon(producer), write("a")), (0, 1));
        assert_eq!((aqueduct_c::aq_drop_old_record_reserve(producer, 8), write("lost")), (0, 0));
        assert_eq!(aqueduct_c::aq_drop_old_record_push(producer, c"pushed".as_ptr().cast(), 6), 0);
        assert_eq!((write("a"), aqueduct_c::aq_drop_old_record_commit(producer)), (1, 1));
        assert_eq!((aqueduct_c::aq_drop_old_record_reserve(producer, 48), write("lost")), (0, 0));
        assert_eq!((aqueduct_c::aq_drop_old_record_reserve(producer, 4), write("last")), (0, 0));
        assert_eq!(aqueduct_c::aq_drop_old_record_commit(producer), 0);
        for text in [&b"pushed"[..], b"last"] {
            assert_eq!((aqueduct_c::aq_drop_old_record_read(reader, to, 48, &mut len), len), (0, text.len()));
            assert_eq!(&buffer[..len], text);
        }
        assert_eq!(aqueduct_c::aq_drop_old_record_read(reader, to, 48, &mut len), 1);
        // A handle that is dropped with an incomplete record.
        assert_eq!((aqueduct_c::aq_drop_old_record_reserve(producer, 8), write("never")), (0, 0));
        aqueduct_c::aq_region_drop(region);
        aqueduct_c::aq_drop_old_record_producer_drop(producer);
        aqueduct_c::aq_drop_old_record_reader_drop(reader);
    }
}
