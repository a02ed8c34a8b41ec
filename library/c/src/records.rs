//! Records: bytes of any length.

use std::ffi::{c_int, c_void};
use std::slice;
use std::time::Duration;

use aqueduct_shm::records::{self, Record};
use aqueduct_shm::{Place, WaitError};

use crate::region::Region;
use crate::status::{Status, drop_handle, give, guard, handle};

/// A producer of records behind a pointer of C.
#[derive(Debug)]
pub struct RecordProducer(pub(crate) records::Producer<Place>);

/// A consumer of records behind a pointer of C, and whether it has peeked at one.
#[derive(Debug)]
pub struct RecordConsumer(pub(crate) records::Consumer<Place>, bool);

/// A slice of C's bytes. An error above `longest`, because a wrong length may be too large for a
/// slice.
///
/// # Safety
/// `len` is 0 or greater than `longest`, or the pointer is null, or it points to `len` bytes that
/// no code writes during `'b`.
pub(crate) unsafe fn bytes<'b>(pointer: *const c_void, len: usize, longest: usize) -> Result<&'b [u8], Status> {
    match len {
        0 => Ok(&[]),
        _ if pointer.is_null() => Err(Status::Argument),
        _ if len > longest => Err(Status::TooLong),
        // SAFETY: the caller keeps the contract.
        _ => Ok(unsafe { slice::from_raw_parts(pointer.cast(), len) }),
    }
}

/// A slice of C's memory for bytes. It is set to zero, because it may be uninitialised.
///
/// # Safety
/// `len` is 0, or the pointer is null, or it points to `len` bytes that no other code accesses
/// during `'b`. `len` is at most the length of a record, so it is not too large for a slice.
pub(crate) unsafe fn room<'b>(pointer: *mut c_void, len: usize) -> Result<&'b mut [u8], Status> {
    match len {
        0 => Ok(&mut []),
        _ if pointer.is_null() => Err(Status::Argument),
        _ => {
            let start = pointer.cast::<u8>();
            // SAFETY: the caller keeps the contract; after the write all bytes are initialised.
            unsafe {
                start.write_bytes(0, len);
                Ok(slice::from_raw_parts_mut(start, len))
            }
        }
    }
}

/// Copies the next record into the buffer, and accesses no more of the buffer than the record's
/// length. The record stays in the queue.
///
/// # Safety
/// The buffer is null, or points to `size` bytes that no other code accesses.
unsafe fn peek<'c>(
    consumer: &'c mut records::Consumer<Place>,
    buffer: *mut c_void,
    size: usize,
    len: &mut usize,
) -> Result<Record<'c, Place>, Status> {
    let record = consumer.peek()?;
    *len = record.len();
    if record.len() > size {
        return Err(Status::TooLong);
    }
    // SAFETY: the caller keeps the contract.
    record.copy(unsafe { room(buffer, record.len()) }?);
    Ok(record)
}

/// Pops a record into the buffer.
///
/// # Safety
/// The conditions of [`peek`].
unsafe fn pop(consumer: &mut RecordConsumer, buffer: *mut c_void, size: usize, len: &mut usize) -> Result<(), Status> {
    // SAFETY: the caller keeps the contract.
    unsafe { peek(&mut consumer.0, buffer, size, len) }?.release();
    consumer.1 = false;
    Ok(())
}

/// A producer, and a record that is not too long for it.
///
/// # Safety
/// `producer` is null, or that of a handle that no other thread uses; `record` points to `len`
/// bytes.
unsafe fn of_record<'p>(
    producer: *mut RecordProducer,
    record: *const c_void,
    len: usize,
) -> Result<(&'p mut records::Producer<Place>, &'p [u8]), Status> {
    // SAFETY: the caller keeps the contract.
    unsafe {
        let producer = &mut handle(producer)?.0;
        let record = bytes(record, len, producer.max_len())?;
        Ok((producer, record))
    }
}

/// Opens the queue of a region.
///
/// # Safety
/// `region` is null, or that of a live region.
unsafe fn open(region: *const Region, bytes: usize, tag: u64) -> Result<records::Queue<aqueduct_shm::Region>, Status> {
    // SAFETY: the caller keeps the contract.
    let region = unsafe { region.as_ref() }.ok_or(Status::Argument)?;
    Ok(records::Queue::in_region(region.0.clone(), bytes, tag)?)
}

/// Takes the producer's side.
///
/// # Safety
/// `region` is null, or that of a live region; `producer` is null, or points to memory for a
/// pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aq_record_producer_take(
    region: *const Region,
    bytes: usize,
    tag: u64,
    producer: *mut *mut RecordProducer,
) -> c_int {
    // SAFETY: the caller keeps the contract.
    guard(|| unsafe { give(producer, || Ok(RecordProducer(open(region, bytes, tag)?.take_producer()?))) })
}

/// Takes the consumer's side.
///
/// # Safety
/// `region` is null, or that of a live region; `consumer` is null, or points to memory for a
/// pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aq_record_consumer_take(
    region: *const Region,
    bytes: usize,
    tag: u64,
    consumer: *mut *mut RecordConsumer,
) -> c_int {
    // SAFETY: the caller keeps the contract.
    guard(|| unsafe { give(consumer, || Ok(RecordConsumer(open(region, bytes, tag)?.take_consumer()?, false))) })
}

/// Returns the length of the longest record.
///
/// # Safety
/// `producer` is null, or that of a live handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aq_record_max_len(producer: *const RecordProducer) -> usize {
    // SAFETY: the caller keeps the contract.
    unsafe { producer.as_ref() }.map_or(0, |producer| producer.0.max_len())
}

/// Pushes a record.
///
/// # Safety
/// `producer` is null, or that of a handle that no other thread uses; `record` points to `len`
/// bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aq_record_push(producer: *mut RecordProducer, record: *const c_void, len: usize) -> c_int {
    guard(|| {
        // SAFETY: the caller keeps the contract.
        let (producer, record) = unsafe { of_record(producer, record, len) }?;
        Ok(producer.push(record)?)
    })
}

/// Pushes a record when there is room.
///
/// # Safety
/// The conditions of [`aq_record_push`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aq_record_push_wait(
    producer: *mut RecordProducer,
    record: *const c_void,
    len: usize,
    nanoseconds: u64,
) -> c_int {
    let timeout = Duration::from_nanos(nanoseconds);
    guard(|| {
        // SAFETY: the caller keeps the contract.
        let (producer, record) = unsafe { of_record(producer, record, len) }?;
        Ok(producer.push_wait(record, timeout)?)
    })
}

/// Pops a record.
///
/// # Safety
/// `consumer` is null, or that of a handle that no other thread uses; `buffer` points to `size`
/// bytes; `len` is null, or points to a number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aq_record_pop(
    consumer: *mut RecordConsumer,
    buffer: *mut c_void,
    size: usize,
    len: *mut usize,
) -> c_int {
    guard(|| {
        // SAFETY: the caller keeps the contract.
        unsafe { pop(handle(consumer)?, buffer, size, handle(len)?) }
    })
}

/// Pops a record when there is one.
///
/// # Safety
/// The conditions of [`aq_record_pop`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aq_record_pop_wait(
    consumer: *mut RecordConsumer,
    buffer: *mut c_void,
    size: usize,
    nanoseconds: u64,
    len: *mut usize,
) -> c_int {
    guard(|| {
        // SAFETY: the caller keeps the contract.
        let (consumer, len) = unsafe { (handle(consumer)?, handle(len)?) };
        // The buffer is empty, so a record with bytes stays in the queue.
        match consumer.0.pop_wait(&mut [], Duration::from_nanos(nanoseconds)) {
            Ok(found) => {
                *len = found;
                consumer.1 = false;
                Ok(())
            }
            Err(WaitError::TooLong { .. }) => {
                // SAFETY: the caller keeps the contract.
                unsafe { pop(consumer, buffer, size, len) }?;
                consumer.0.wake();
                Ok(())
            }
            Err(why) => Err(why.into()),
        }
    })
}

/// Copies the next record, which stays in the queue.
///
/// # Safety
/// The conditions of [`aq_record_pop`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aq_record_peek(
    consumer: *mut RecordConsumer,
    buffer: *mut c_void,
    size: usize,
    len: *mut usize,
) -> c_int {
    guard(|| {
        // SAFETY: the caller keeps the contract.
        let (consumer, len) = unsafe { (handle(consumer)?, handle(len)?) };
        // SAFETY: the caller keeps the contract.
        let _ = unsafe { peek(&mut consumer.0, buffer, size, len) }?;
        consumer.1 = true;
        Ok(())
    })
}

/// Removes the record that was copied last.
///
/// # Safety
/// `consumer` is null, or that of a handle that no other thread uses.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aq_record_release(consumer: *mut RecordConsumer) -> c_int {
    guard(|| {
        // SAFETY: the caller keeps the contract.
        let consumer = unsafe { handle(consumer) }?;
        // Without a peek, the next record is one that the caller has not seen.
        if !std::mem::take(&mut consumer.1) {
            return Err(Status::Empty);
        }
        consumer.0.peek()?.release();
        Ok(())
    })
}

/// Leaves the producer's side.
///
/// # Safety
/// `producer` is null, or that of a handle that is not used afterwards.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aq_record_producer_drop(producer: *mut RecordProducer) {
    // SAFETY: the caller keeps the contract.
    unsafe { drop_handle(producer) };
}

/// Leaves the consumer's side.
///
/// # Safety
/// `consumer` is null, or that of a handle that is not used afterwards.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aq_record_consumer_drop(consumer: *mut RecordConsumer) {
    // SAFETY: the caller keeps the contract.
    unsafe { drop_handle(consumer) };
}
