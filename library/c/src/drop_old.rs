//! Broadcast queues of 64-bit numbers, which overwrite the oldest ones.

use std::ffi::c_int;
use std::time::Duration;

use aqueduct_shm::{Place, drop_old};

use crate::region::Region;
use crate::status::{Status, drop_handle, give, guard, handle};

/// A producer that overwrites the oldest numbers, behind a pointer of C.
#[derive(Debug)]
pub struct DropOldProducer(pub(crate) drop_old::Producer<u64, Place>);

/// A reader behind a pointer of C.
#[derive(Debug)]
pub struct DropOldReader(pub(crate) drop_old::Reader<u64, Place>);

/// Opens the queue of a region.
///
/// # Safety
/// `region` is null, or that of a live region.
unsafe fn open(
    region: *const Region,
    producers: usize,
    capacity: usize,
    tag: u64,
) -> Result<drop_old::Queue<u64, aqueduct_shm::Region>, Status> {
    // SAFETY: the caller keeps the contract.
    let region = unsafe { region.as_ref() }.ok_or(Status::Argument)?;
    let geometry = drop_old::Geometry::new::<u64>(producers, capacity).map_err(|_| Status::Capacity)?;
    Ok(drop_old::Queue::in_region(region.0.clone(), geometry, tag)?)
}

/// Returns how many bytes of a region a queue needs, or 0 if the sizes are not valid.
#[unsafe(no_mangle)]
pub extern "C" fn aq_drop_old_bytes(producers: usize, capacity: usize) -> usize {
    drop_old::Geometry::new::<u64>(producers, capacity).map_or(0, |geometry| geometry.bytes())
}

/// Takes a producer's place.
///
/// # Safety
/// `region` is null, or that of a live region; `producer` is null, or points to memory for a
/// pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aq_drop_old_producer_take(
    region: *const Region,
    producers: usize,
    capacity: usize,
    tag: u64,
    producer: *mut *mut DropOldProducer,
) -> c_int {
    guard(|| {
        // SAFETY: the caller keeps the contract.
        let take = || Ok(DropOldProducer(unsafe { open(region, producers, capacity, tag) }?.take_producer()?));
        // SAFETY: the caller keeps the contract.
        unsafe { give(producer, take) }
    })
}

/// Makes a reader.
///
/// # Safety
/// `region` is null, or that of a live region; `reader` is null, or points to memory for a pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aq_drop_old_reader_new(
    region: *const Region,
    producers: usize,
    capacity: usize,
    tag: u64,
    reader: *mut *mut DropOldReader,
) -> c_int {
    guard(|| {
        // SAFETY: the caller keeps the contract.
        let queue = || unsafe { open(region, producers, capacity, tag) };
        let make = || Ok(DropOldReader(queue()?.take_reader()?));
        // SAFETY: the caller keeps the contract.
        unsafe { give(reader, make) }
    })
}

/// Pushes a number.
///
/// # Safety
/// `producer` is null, or that of a handle that no other thread uses.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aq_drop_old_push(producer: *mut DropOldProducer, number: u64) -> c_int {
    // SAFETY: the caller keeps the contract.
    guard(|| unsafe { Ok(handle(producer)?.0.push(number)?) })
}

/// Wakes the readers that wait.
///
/// # Safety
/// `producer` is null, or that of a handle that no other thread uses.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aq_drop_old_wake(producer: *mut DropOldProducer) -> c_int {
    guard(|| {
        // SAFETY: the caller keeps the contract.
        unsafe { handle(producer) }?.0.wake();
        Ok(())
    })
}

/// Reads a number.
///
/// # Safety
/// `reader` is null, or that of a handle that no other thread uses; `number` is null, or points to
/// memory for one.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aq_drop_old_read(reader: *mut DropOldReader, number: *mut u64) -> c_int {
    guard(|| {
        // SAFETY: the caller keeps the contract.
        let (reader, number) = unsafe { (handle(reader)?, handle(number)?) };
        *number = reader.0.read()?;
        Ok(())
    })
}

/// Reads a number when there is one.
///
/// # Safety
/// The conditions of [`aq_drop_old_read`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aq_drop_old_read_wait(
    reader: *mut DropOldReader,
    nanoseconds: u64,
    number: *mut u64,
) -> c_int {
    guard(|| {
        // SAFETY: the caller keeps the contract.
        let (reader, number) = unsafe { (handle(reader)?, handle(number)?) };
        *number = reader.0.read_wait(Duration::from_nanos(nanoseconds))?;
        Ok(())
    })
}

/// Returns how many numbers were overwritten before the reader read them.
///
/// # Safety
/// `reader` is null, or that of a handle that no other thread uses.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aq_drop_old_lost(reader: *const DropOldReader) -> u64 {
    // SAFETY: the caller keeps the contract.
    unsafe { reader.as_ref() }.map_or(0, |reader| reader.0.lost())
}

/// Leaves the producer's place.
///
/// # Safety
/// `producer` is null, or that of a handle that is not used afterwards.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aq_drop_old_producer_drop(producer: *mut DropOldProducer) {
    // SAFETY: the caller keeps the contract.
    unsafe { drop_handle(producer) };
}

/// Drops a reader.
///
/// # Safety
/// `reader` is null, or that of a handle that is not used afterwards.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aq_drop_old_reader_drop(reader: *mut DropOldReader) {
    // SAFETY: the caller keeps the contract.
    unsafe { drop_handle(reader) };
}
