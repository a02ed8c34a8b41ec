//! Broadcast queues of records, which overwrite the oldest ones.

use std::ffi::{c_int, c_void};
use std::time::Duration;

use aqueduct_shm::drop_old::records::{self, Draft, Geometry, Grant};
use aqueduct_shm::{Place, PopError, WaitError};

use crate::records::{bytes as record_of, room};
use crate::region::Region;
use crate::status::{Status, drop_handle, give, guard, handle};

/// A producer that overwrites the oldest records, behind a pointer of C, and its record in
/// progress.
#[derive(Debug)]
pub struct DropOldRecordProducer(pub(crate) records::Producer<Place>, Option<Draft>);

impl DropOldRecordProducer {
    /// Resumes the record in progress, if it was not discarded.
    fn grant(&mut self) -> Result<Grant<'_, Place>, Status> {
        let draft = self.1.take();
        draft.and_then(|draft| self.0.resume(draft)).ok_or(Status::Empty)
    }
}

/// A reader of such records behind a pointer of C.
#[derive(Debug)]
pub struct DropOldRecordReader(pub(crate) records::Reader<Place>);

/// Opens the queue of a region.
///
/// # Safety
/// `region` is null, or that of a live region.
unsafe fn open(region: *const Region, bytes: usize, tag: u64) -> Result<records::Queue<aqueduct_shm::Region>, Status> {
    // SAFETY: the caller keeps the contract.
    let region = unsafe { region.as_ref() }.ok_or(Status::Argument)?;
    Ok(records::Queue::in_region(region.0.clone(), bytes, tag)?)
}

/// Reads a record into the buffer, and stores its length in `len`, also if it is too long. If there
/// is no record, the buffer is unchanged.
///
/// # Safety
/// The buffer is null, or points to `size` bytes that no other code accesses.
unsafe fn read(
    reader: &mut records::Reader<Place>,
    buffer: *mut c_void,
    size: usize,
    len: &mut usize,
) -> Result<(), Status> {
    if reader.is_empty() {
        return Err(Status::Empty);
    }
    // SAFETY: the caller keeps the contract.
    let read = reader.read(unsafe { room(buffer, size.min(reader.max_len())) }?);
    if let Ok(found) | Err(PopError::TooLong { len: found }) = read {
        *len = found;
    }
    read?;
    Ok(())
}

/// Returns how many bytes of a region a queue needs, or 0 if the sizes are not valid.
#[unsafe(no_mangle)]
pub extern "C" fn aq_drop_old_record_bytes(bytes: usize) -> usize {
    Geometry::new(bytes).map_or(0, |geometry| geometry.bytes())
}

/// Takes the producer's side.
///
/// # Safety
/// `region` is null, or that of a live region; `producer` is null, or points to memory for a
/// pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aq_drop_old_record_producer_take(
    region: *const Region,
    bytes: usize,
    tag: u64,
    producer: *mut *mut DropOldRecordProducer,
) -> c_int {
    // SAFETY: the caller keeps the contract.
    guard(|| unsafe { give(producer, || Ok(DropOldRecordProducer(open(region, bytes, tag)?.take_producer()?, None))) })
}

/// Makes a reader.
///
/// # Safety
/// `region` is null, or that of a live region; `reader` is null, or points to memory for a pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aq_drop_old_record_reader_new(
    region: *const Region,
    bytes: usize,
    tag: u64,
    reader: *mut *mut DropOldRecordReader,
) -> c_int {
    // SAFETY: the caller keeps the contract.
    guard(|| unsafe { give(reader, || Ok(DropOldRecordReader(open(region, bytes, tag)?.take_reader()?))) })
}

/// Returns the length of the longest record.
///
/// # Safety
/// `producer` is null, or that of a live handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aq_drop_old_record_max_len(producer: *const DropOldRecordProducer) -> usize {
    // SAFETY: the caller keeps the contract.
    unsafe { producer.as_ref() }.map_or(0, |producer| producer.0.max_len())
}

/// Pushes a record.
///
/// # Safety
/// `producer` is null, or that of a handle that no other thread uses; `record` points to `len`
/// bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aq_drop_old_record_push(
    producer: *mut DropOldRecordProducer,
    record: *const c_void,
    len: usize,
) -> c_int {
    guard(|| {
        // SAFETY: the caller keeps the contract.
        let producer = &mut unsafe { handle(producer) }?.0;
        // SAFETY: the caller keeps the contract.
        let record = unsafe { record_of(record, len, producer.max_len()) }?;
        Ok(producer.push(record)?)
    })
}

/// Reserves room for a record.
///
/// # Safety
/// `producer` is null, or that of a handle that no other thread uses.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aq_drop_old_record_reserve(producer: *mut DropOldRecordProducer, len: usize) -> c_int {
    guard(|| {
        // SAFETY: the caller keeps the contract.
        let producer = unsafe { handle(producer) }?;
        producer.1 = None;
        producer.1 = Some(producer.0.reserve(len)?.suspend());
        Ok(())
    })
}

/// Appends bytes to the reserved record.
///
/// # Safety
/// `producer` is null, or that of a handle that no other thread uses; `bytes` points to `len`
/// bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aq_drop_old_record_write(
    producer: *mut DropOldRecordProducer,
    bytes: *const c_void,
    len: usize,
) -> c_int {
    guard(|| {
        // SAFETY: the caller keeps the contract.
        let producer = unsafe { handle(producer) }?;
        let mut grant = producer.grant()?;
        let room = grant.capacity() - grant.written();
        // SAFETY: the caller keeps the contract.
        let written = unsafe { record_of(bytes, len, room) }.map(|bytes| grant.write(bytes));
        producer.1 = Some(grant.suspend());
        written.map(drop)
    })
}

/// Pushes the reserved record.
///
/// # Safety
/// `producer` is null, or that of a handle that no other thread uses.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aq_drop_old_record_commit(producer: *mut DropOldRecordProducer) -> c_int {
    guard(|| {
        // SAFETY: the caller keeps the contract.
        unsafe { handle(producer) }?.grant()?.commit();
        Ok(())
    })
}

/// Discards the reserved record.
///
/// # Safety
/// `producer` is null, or that of a handle that no other thread uses.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aq_drop_old_record_abandon(producer: *mut DropOldRecordProducer) -> c_int {
    guard(|| {
        // SAFETY: the caller keeps the contract.
        drop(unsafe { handle(producer) }?.grant()?);
        Ok(())
    })
}

/// Wakes the readers that wait.
///
/// # Safety
/// `producer` is null, or that of a handle that no other thread uses.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aq_drop_old_record_wake(producer: *mut DropOldRecordProducer) -> c_int {
    guard(|| {
        // SAFETY: the caller keeps the contract.
        unsafe { handle(producer) }?.0.wake();
        Ok(())
    })
}

/// Reads a record.
///
/// # Safety
/// `reader` is null, or that of a handle that no other thread uses; `buffer` points to `size`
/// bytes; `len` is null, or points to a number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aq_drop_old_record_read(
    reader: *mut DropOldRecordReader,
    buffer: *mut c_void,
    size: usize,
    len: *mut usize,
) -> c_int {
    guard(|| {
        // SAFETY: the caller keeps the contract.
        unsafe { read(&mut handle(reader)?.0, buffer, size, handle(len)?) }
    })
}

/// Reads a record when there is one.
///
/// # Safety
/// The conditions of [`aq_drop_old_record_read`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aq_drop_old_record_read_wait(
    reader: *mut DropOldRecordReader,
    buffer: *mut c_void,
    size: usize,
    nanoseconds: u64,
    len: *mut usize,
) -> c_int {
    guard(|| {
        // SAFETY: the caller keeps the contract.
        let (reader, len) = unsafe { (&mut handle(reader)?.0, handle(len)?) };
        // The buffer is empty, so a record with bytes stays the next one.
        match reader.read_wait(&mut [], Duration::from_nanos(nanoseconds)) {
            Ok(found) => {
                *len = found;
                Ok(())
            }
            // SAFETY: the caller keeps the contract.
            Err(WaitError::TooLong { .. }) => unsafe { read(reader, buffer, size, len) },
            Err(why) => Err(why.into()),
        }
    })
}

/// Returns how many records were overwritten before the reader read them.
///
/// # Safety
/// `reader` is null, or that of a handle that no other thread uses.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aq_drop_old_record_lost(reader: *const DropOldRecordReader) -> u64 {
    // SAFETY: the caller keeps the contract.
    unsafe { reader.as_ref() }.map_or(0, |reader| reader.0.lost())
}

/// Leaves the producer's side.
///
/// # Safety
/// `producer` is null, or that of a handle that is not used afterwards.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aq_drop_old_record_producer_drop(producer: *mut DropOldRecordProducer) {
    // SAFETY: the caller keeps the contract.
    unsafe { drop_handle(producer) };
}

/// Drops a reader.
///
/// # Safety
/// `reader` is null, or that of a handle that is not used afterwards.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aq_drop_old_record_reader_drop(reader: *mut DropOldRecordReader) {
    // SAFETY: the caller keeps the contract.
    unsafe { drop_handle(reader) };
}
