//! Numbers of 64 bits from many producers to many consumers.

use std::ffi::c_int;
use std::time::Duration;

use aqueduct_shm::{Place, mpmc};

use crate::numbers::{numbers_of, room_for};
use crate::region::Region;
use crate::status::{Status, drop_handle, give, guard, handle};

/// A producer of a queue with many, behind a pointer of C.
#[derive(Debug)]
pub struct MpmcProducer(pub(crate) mpmc::Producer<u64, Place>);

/// A consumer of a queue with many, behind a pointer of C.
#[derive(Debug)]
pub struct MpmcConsumer(pub(crate) mpmc::Consumer<u64, Place>);

/// Opens the queue of a region.
///
/// # Safety
/// `region` is null, or that of a live region.
unsafe fn open(
    region: *const Region,
    [producers, consumers, capacity]: [usize; 3],
    tag: u64,
) -> Result<mpmc::Queue<u64, aqueduct_shm::Region>, Status> {
    // SAFETY: the caller keeps the contract.
    let region = unsafe { region.as_ref() }.ok_or(Status::Argument)?;
    let geometry = mpmc::Geometry::new::<u64>(producers, consumers, capacity).map_err(|_| Status::Capacity)?;
    Ok(mpmc::Queue::in_region(region.0.clone(), geometry, tag)?)
}

/// Returns how many bytes of a region a queue needs, or 0 if the sizes are not valid.
#[unsafe(no_mangle)]
pub extern "C" fn aq_mpmc_bytes(producers: usize, consumers: usize, capacity: usize) -> usize {
    mpmc::Geometry::new::<u64>(producers, consumers, capacity).map_or(0, |geometry| geometry.bytes())
}

/// Takes a producer's place.
///
/// # Safety
/// `region` is null, or that of a live region; `producer` is null, or points to memory for a
/// pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aq_mpmc_producer_take(
    region: *const Region,
    producers: usize,
    consumers: usize,
    capacity: usize,
    tag: u64,
    producer: *mut *mut MpmcProducer,
) -> c_int {
    let sizes = [producers, consumers, capacity];
    // SAFETY: the caller keeps the contract.
    guard(|| unsafe { give(producer, || Ok(MpmcProducer(open(region, sizes, tag)?.take_producer()?))) })
}

/// Takes a consumer's place.
///
/// # Safety
/// `region` is null, or that of a live region; `consumer` is null, or points to memory for a
/// pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aq_mpmc_consumer_take(
    region: *const Region,
    producers: usize,
    consumers: usize,
    capacity: usize,
    tag: u64,
    consumer: *mut *mut MpmcConsumer,
) -> c_int {
    let sizes = [producers, consumers, capacity];
    // SAFETY: the caller keeps the contract.
    guard(|| unsafe { give(consumer, || Ok(MpmcConsumer(open(region, sizes, tag)?.take_consumer()?))) })
}

/// Takes the place of a dead or dropped consumer that held a number.
///
/// # Safety
/// `region` is null, or that of a live region; `consumer` is null, or points to memory for a
/// pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aq_mpmc_abandoned_take(
    region: *const Region,
    producers: usize,
    consumers: usize,
    capacity: usize,
    tag: u64,
    consumer: *mut *mut MpmcConsumer,
) -> c_int {
    let sizes = [producers, consumers, capacity];
    guard(|| {
        // SAFETY: the caller keeps the contract.
        let take = || unsafe { open(region, sizes, tag) }?.take_abandoned()?.map(MpmcConsumer).ok_or(Status::Empty);
        // SAFETY: the caller keeps the contract.
        unsafe { give(consumer, take) }
    })
}

/// Pushes a number.
///
/// # Safety
/// `producer` is null, or that of a handle that no other thread uses.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aq_mpmc_push(producer: *mut MpmcProducer, number: u64) -> c_int {
    // SAFETY: the caller keeps the contract.
    guard(|| unsafe { Ok(handle(producer)?.0.push(number)?) })
}

/// Pushes a number when there is room.
///
/// # Safety
/// `producer` is null, or that of a handle that no other thread uses.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aq_mpmc_push_wait(producer: *mut MpmcProducer, number: u64, nanoseconds: u64) -> c_int {
    let timeout = Duration::from_nanos(nanoseconds);
    // SAFETY: the caller keeps the contract.
    guard(|| unsafe { handle(producer)?.0.push_wait(number, timeout).map_err(|(why, _)| why.into()) })
}

/// Pushes numbers until the queue is full. Returns how many.
///
/// # Safety
/// `producer` is null, or that of a handle that no other thread uses; `numbers` is null, or points
/// to `count` numbers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aq_mpmc_push_slice(producer: *mut MpmcProducer, numbers: *const u64, count: usize) -> usize {
    let mut pushed = 0;
    guard(|| {
        // SAFETY: the caller keeps the contract.
        pushed = unsafe { handle(producer)?.0.push_slice(numbers_of(numbers, count)?) };
        Ok(())
    });
    pushed
}

/// Pops a number.
///
/// # Safety
/// `consumer` is null, or that of a handle that no other thread uses; `number` is null, or points
/// to memory for one.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aq_mpmc_pop(consumer: *mut MpmcConsumer, number: *mut u64) -> c_int {
    guard(|| {
        // SAFETY: the caller keeps the contract.
        let (consumer, number) = unsafe { (handle(consumer)?, handle(number)?) };
        *number = consumer.0.pop()?;
        Ok(())
    })
}

/// Pops a number when there is one.
///
/// # Safety
/// The conditions of [`aq_mpmc_pop`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aq_mpmc_pop_wait(consumer: *mut MpmcConsumer, nanoseconds: u64, number: *mut u64) -> c_int {
    guard(|| {
        // SAFETY: the caller keeps the contract.
        let (consumer, number) = unsafe { (handle(consumer)?, handle(number)?) };
        *number = consumer.0.pop_wait(Duration::from_nanos(nanoseconds))?;
        Ok(())
    })
}

/// Pops numbers until the queue is empty. Returns how many.
///
/// # Safety
/// `consumer` is null, or that of a handle that no other thread uses; `numbers` is null, or points
/// to memory for `count` numbers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aq_mpmc_pop_slice(consumer: *mut MpmcConsumer, numbers: *mut u64, count: usize) -> usize {
    let mut popped = 0;
    guard(|| {
        // SAFETY: the caller keeps the contract.
        popped = unsafe { handle(consumer)?.0.pop_slice(room_for(numbers, count)?) };
        Ok(())
    });
    popped
}

/// Takes the next number, and holds it until it is released.
///
/// # Safety
/// The conditions of [`aq_mpmc_pop`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aq_mpmc_peek(consumer: *mut MpmcConsumer, number: *mut u64) -> c_int {
    guard(|| {
        // SAFETY: the caller keeps the contract.
        let (consumer, number) = unsafe { (handle(consumer)?, handle(number)?) };
        *number = consumer.0.peek()?;
        Ok(())
    })
}

/// Takes the next number when there is one, and holds it until it is released.
///
/// # Safety
/// The conditions of [`aq_mpmc_pop`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aq_mpmc_peek_wait(consumer: *mut MpmcConsumer, nanoseconds: u64, number: *mut u64) -> c_int {
    guard(|| {
        // SAFETY: the caller keeps the contract.
        let (consumer, number) = unsafe { (handle(consumer)?, handle(number)?) };
        *number = consumer.0.peek_wait(Duration::from_nanos(nanoseconds))?;
        Ok(())
    })
}

/// Releases the number that the consumer holds.
///
/// # Safety
/// `consumer` is null, or that of a handle that no other thread uses.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aq_mpmc_release(consumer: *mut MpmcConsumer) -> c_int {
    // SAFETY: the caller keeps the contract.
    guard(|| if unsafe { handle(consumer) }?.0.release() { Ok(()) } else { Err(Status::Empty) })
}

/// Leaves the producer's place.
///
/// # Safety
/// `producer` is null, or that of a handle that is not used afterwards.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aq_mpmc_producer_drop(producer: *mut MpmcProducer) {
    // SAFETY: the caller keeps the contract.
    unsafe { drop_handle(producer) };
}

/// Leaves the consumer's place.
///
/// # Safety
/// `consumer` is null, or that of a handle that is not used afterwards.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aq_mpmc_consumer_drop(consumer: *mut MpmcConsumer) {
    // SAFETY: the caller keeps the contract.
    unsafe { drop_handle(consumer) };
}
