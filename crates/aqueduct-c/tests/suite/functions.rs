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
    // SAFETY: handles are made, used by this thread, and dropped; pointers lead to what lives.
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

#[test]
fn an_overwritten_record_is_counted() {
    let (mut region, mut producer, mut reader) = (ptr::null_mut(), ptr::null_mut(), ptr::null_mut());
    let (mut buffer, mut len) = ([0_u8; 20], 0);
    // SAFETY: handles are made, used by this thread, and dropped; pointers lead to what lives.
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
