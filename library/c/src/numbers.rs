//! Numbers of 64 bits.

use std::ffi::c_int;
use std::slice;
use std::time::Duration;

use aqueduct_shm::{Place, items};

use crate::region::Region;
use crate::status::{Status, drop_handle, give, guard, handle};

/// A producer of numbers behind a pointer of C.
#[derive(Debug)]
pub struct NumberProducer(pub(crate) items::Producer<u64, Place>);

/// A consumer of numbers behind a pointer of C, and whether it has peeked at one.
#[derive(Debug)]
pub struct NumberConsumer(pub(crate) items::Consumer<u64, Place>, bool);

/// The greatest number of numbers in a slice.
const MOST: usize = isize::MAX as usize / size_of::<u64>();

/// A slice of C's numbers. An error if they are too many for a slice.
///
/// # Safety
/// The pointer is null, or points to `count` numbers that no code writes during `'n`, unless
/// `count` is too large.
pub(crate) unsafe fn numbers_of<'n>(pointer: *const u64, count: usize) -> Result<&'n [u64], Status> {
    match count {
        _ if pointer.is_null() => Err(Status::Argument),
        _ if count > MOST => Err(Status::TooLong),
        // SAFETY: the caller keeps the contract.
        _ => Ok(unsafe { slice::from_raw_parts(pointer, count) }),
    }
}

/// A slice of C's memory for numbers. It is set to zero, because it may be uninitialised.
///
/// # Safety
/// The pointer is null, or points to memory for `count` numbers that no other code accesses during
/// `'n`, unless `count` is too large.
pub(crate) unsafe fn room_for<'n>(pointer: *mut u64, count: usize) -> Result<&'n mut [u64], Status> {
    match count {
        _ if pointer.is_null() => Err(Status::Argument),
        _ if count > MOST => Err(Status::TooLong),
        // SAFETY: the caller keeps the contract; after the write all numbers are initialised.
        _ => unsafe {
            pointer.write_bytes(0, count);
            Ok(slice::from_raw_parts_mut(pointer, count))
        },
    }
}

/// Opens the queue of a region.
///
/// # Safety
/// `region` is null, or that of a live region.
unsafe fn open(
    region: *const Region,
    capacity: usize,
    tag: u64,
) -> Result<items::Queue<u64, aqueduct_shm::Region>, Status> {
    // SAFETY: the caller keeps the contract.
    let region = unsafe { region.as_ref() }.ok_or(Status::Argument)?;
    Ok(items::Queue::in_region(region.0.clone(), capacity, tag)?)
}

/// Takes the producer's side.
///
/// # Safety
/// `region` is null, or that of a live region; `producer` is null, or points to memory for a
/// pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aq_u64_producer_take(
    region: *const Region,
    capacity: usize,
    tag: u64,
    producer: *mut *mut NumberProducer,
) -> c_int {
    // SAFETY: the caller keeps the contract.
    guard(|| unsafe { give(producer, || Ok(NumberProducer(open(region, capacity, tag)?.take_producer()?))) })
}

/// Takes the consumer's side.
///
/// # Safety
/// `region` is null, or that of a live region; `consumer` is null, or points to memory for a
/// pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aq_u64_consumer_take(
    region: *const Region,
    capacity: usize,
    tag: u64,
    consumer: *mut *mut NumberConsumer,
) -> c_int {
    // SAFETY: the caller keeps the contract.
    guard(|| unsafe { give(consumer, || Ok(NumberConsumer(open(region, capacity, tag)?.take_consumer()?, false))) })
}

/// Pushes a number.
///
/// # Safety
/// `producer` is null, or that of a handle that no other thread uses.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aq_u64_push(producer: *mut NumberProducer, number: u64) -> c_int {
    // SAFETY: the caller keeps the contract.
    guard(|| unsafe { Ok(handle(producer)?.0.push(number)?) })
}

/// Pushes a number when there is room.
///
/// # Safety
/// `producer` is null, or that of a handle that no other thread uses.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aq_u64_push_wait(producer: *mut NumberProducer, number: u64, nanoseconds: u64) -> c_int {
    let timeout = Duration::from_nanos(nanoseconds);
    // SAFETY: the caller keeps the contract.
    guard(|| unsafe { handle(producer)?.0.push_wait(number, timeout).map_err(|(why, _)| why.into()) })
}

/// Pushes numbers until the queue is full. Returns how many.
///
/// # Safety
/// `producer` is null, or that of a handle that no other thread uses; `numbers` is null, or points
/// to `count` of them.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aq_u64_push_slice(producer: *mut NumberProducer, numbers: *const u64, count: usize) -> usize {
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
pub unsafe extern "C" fn aq_u64_pop(consumer: *mut NumberConsumer, number: *mut u64) -> c_int {
    guard(|| {
        // SAFETY: the caller keeps the contract.
        let (consumer, number) = unsafe { (handle(consumer)?, handle(number)?) };
        *number = consumer.0.pop()?;
        consumer.1 = false;
        Ok(())
    })
}

/// Pops a number when there is one.
///
/// # Safety
/// The conditions of [`aq_u64_pop`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aq_u64_pop_wait(consumer: *mut NumberConsumer, nanoseconds: u64, number: *mut u64) -> c_int {
    guard(|| {
        // SAFETY: the caller keeps the contract.
        let (consumer, number) = unsafe { (handle(consumer)?, handle(number)?) };
        *number = consumer.0.pop_wait(Duration::from_nanos(nanoseconds))?;
        consumer.1 = false;
        Ok(())
    })
}

/// Pops numbers until the queue is empty. Returns how many.
///
/// # Safety
/// `consumer` is null, or that of a handle that no other thread uses; `numbers` is null, or points
/// to memory for `count` of them.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aq_u64_pop_slice(consumer: *mut NumberConsumer, numbers: *mut u64, count: usize) -> usize {
    let mut popped = 0;
    guard(|| {
        // SAFETY: the caller keeps the contract.
        let (consumer, numbers) = unsafe { (handle(consumer)?, room_for(numbers, count)?) };
        popped = consumer.0.pop_slice(numbers);
        consumer.1 &= popped == 0;
        Ok(())
    });
    popped
}

/// Copies the next number, which stays in the queue.
///
/// # Safety
/// The conditions of [`aq_u64_pop`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aq_u64_peek(consumer: *mut NumberConsumer, number: *mut u64) -> c_int {
    guard(|| {
        // SAFETY: the caller keeps the contract.
        let (consumer, number) = unsafe { (handle(consumer)?, handle(number)?) };
        *number = consumer.0.peek()?;
        consumer.1 = true;
        Ok(())
    })
}

/// Removes the number that was copied last.
///
/// # Safety
/// `consumer` is null, or that of a handle that no other thread uses.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aq_u64_release(consumer: *mut NumberConsumer) -> c_int {
    guard(|| {
        // SAFETY: the caller keeps the contract.
        let consumer = unsafe { handle(consumer) }?;
        // Without a peek, the next number is one that the caller has not seen.
        if std::mem::take(&mut consumer.1) && consumer.0.release() { Ok(()) } else { Err(Status::Empty) }
    })
}

/// Leaves the producer's side.
///
/// # Safety
/// `producer` is null, or that of a handle that is not used afterwards.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aq_u64_producer_drop(producer: *mut NumberProducer) {
    // SAFETY: the caller keeps the contract.
    unsafe { drop_handle(producer) };
}

/// Leaves the consumer's side.
///
/// # Safety
/// `consumer` is null, or that of a handle that is not used afterwards.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aq_u64_consumer_drop(consumer: *mut NumberConsumer) {
    // SAFETY: the caller keeps the contract.
    unsafe { drop_handle(consumer) };
}
