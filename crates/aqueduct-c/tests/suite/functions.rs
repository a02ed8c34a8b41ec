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
