//! Waiting: asleep on a futex, and in a reactor for an event (`eventfd`).

use std::ffi::c_int;
use std::os::fd::{AsRawFd, BorrowedFd};
use std::slice;
use std::time::Duration;

use aqueduct_shm::Place;

use crate::drop_old::{DropOldProducer, DropOldReader};
use crate::drop_old_records::{DropOldRecordProducer, DropOldRecordReader};
use crate::mpmc::{MpmcConsumer, MpmcProducer};
use crate::numbers::{NumberConsumer, NumberProducer};
use crate::records::{RecordConsumer, RecordProducer};
use crate::status::{Status, drop_handle, give, guard, handle};

/// An event of the system behind a pointer of C.
#[derive(Debug)]
pub struct Event(aqueduct_shm::Event);

/// Makes an event that is not signalled.
///
/// # Safety
/// `event` is null, or points to memory for a pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aq_event_new(event: *mut *mut Event) -> c_int {
    // SAFETY: the caller keeps the contract.
    guard(|| unsafe { give(event, || Ok(Event(aqueduct_shm::Event::new()?))) })
}

/// Makes an event from an open file.
///
/// # Safety
/// `file` is negative, or is open during the call; `event` is null, or points to memory for a
/// pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aq_event_from_fd(file: c_int, event: *mut *mut Event) -> c_int {
    guard(|| {
        if file < 0 {
            return Err(Status::Argument);
        }
        // SAFETY: the caller keeps the contract.
        let file = unsafe { BorrowedFd::borrow_raw(file) }.try_clone_to_owned()?;
        // A file that is not an event is the caller's error, not the system's.
        let made = aqueduct_shm::Event::from_fd(file).map_err(|_| Status::Argument)?;
        // SAFETY: the caller keeps the contract.
        unsafe { give(event, || Ok(Event(made))) }
    })
}

/// Returns the event's file, or -1.
///
/// # Safety
/// `event` is null, or that of a live event.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aq_event_fd(event: *const Event) -> c_int {
    // SAFETY: the caller keeps the contract.
    unsafe { event.as_ref() }.map_or(-1, |event| event.0.as_raw_fd())
}

/// Clears the event: takes all its signals.
///
/// # Safety
/// `event` is null, or that of a live event.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aq_event_clear(event: *const Event) -> c_int {
    guard(|| {
        // SAFETY: the caller keeps the contract.
        let event = unsafe { event.as_ref() }.ok_or(Status::Argument)?;
        if event.0.clear()? { Ok(()) } else { Err(Status::Empty) }
    })
}

/// Drops an event's handle.
///
/// # Safety
/// `event` is null, or that of an event that is not used afterwards.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aq_event_drop(event: *mut Event) {
    // SAFETY: the caller keeps the contract.
    unsafe { drop_handle(event) };
}

/// Sets the events of the other side in a handle's place.
///
/// # Safety
/// `events` is null, or points to `count` pointers. Each of them is null, or that of a live event.
unsafe fn set_events(place: &Place, events: *mut *const Event, count: usize) -> Result<(), Status> {
    let events = match count {
        0 => &[],
        _ if events.is_null() || count > isize::MAX as usize / size_of::<*const Event>() => {
            return Err(Status::Argument);
        }
        // SAFETY: the caller keeps the contract.
        _ => unsafe { slice::from_raw_parts(events, count) },
    };
    let mut all = Vec::new();
    for event in events {
        // SAFETY: the caller keeps the contract.
        all.push(unsafe { event.as_ref() }.ok_or(Status::Argument)?.0.try_clone()?);
    }
    place.set_events(all);
    Ok(())
}

/// Converts the result of `arm` to a status.
fn unless_ready(is_armed: bool) -> Result<(), Status> {
    if is_armed { Ok(()) } else { Err(Status::Ready) }
}

/// Sleeps until there is room, and not for longer than that.
///
/// # Safety
/// `producer` is null, or that of a handle that no other thread uses.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aq_record_producer_wait(producer: *mut RecordProducer, nanoseconds: u64) -> c_int {
    guard(|| {
        // SAFETY: the caller keeps the contract.
        unsafe { handle(producer) }?.0.wait(Duration::from_nanos(nanoseconds));
        Ok(())
    })
}

/// Arms this side's event: the other side signals it at its next wake.
///
/// # Safety
/// `producer` is null, or that of a handle that no other thread uses.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aq_record_producer_arm(producer: *mut RecordProducer) -> c_int {
    // SAFETY: the caller keeps the contract.
    guard(|| unless_ready(unsafe { handle(producer) }?.0.arm()))
}

/// Wakes the other side, and signals its event if it is armed.
///
/// # Safety
/// `producer` is null, or that of a handle that no other thread uses.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aq_record_producer_wake(producer: *mut RecordProducer) -> c_int {
    guard(|| {
        // SAFETY: the caller keeps the contract.
        unsafe { handle(producer) }?.0.wake();
        Ok(())
    })
}

/// Sets the events that the other side waits for.
///
/// # Safety
/// `producer` is null, or that of a handle that no other thread uses; the contract of `set_events`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aq_record_producer_set_events(
    producer: *mut RecordProducer,
    events: *mut *const Event,
    count: usize,
) -> c_int {
    // SAFETY: the caller keeps the contract.
    guard(|| unsafe { set_events(handle(producer)?.0.memory(), events, count) })
}

/// Sleeps until there is something to pop, and not for longer than that.
///
/// # Safety
/// `consumer` is null, or that of a handle that no other thread uses.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aq_record_consumer_wait(consumer: *mut RecordConsumer, nanoseconds: u64) -> c_int {
    guard(|| {
        // SAFETY: the caller keeps the contract.
        unsafe { handle(consumer) }?.0.wait(Duration::from_nanos(nanoseconds));
        Ok(())
    })
}

/// Arms this side's event: the other side signals it at its next wake.
///
/// # Safety
/// `consumer` is null, or that of a handle that no other thread uses.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aq_record_consumer_arm(consumer: *mut RecordConsumer) -> c_int {
    // SAFETY: the caller keeps the contract.
    guard(|| unless_ready(unsafe { handle(consumer) }?.0.arm()))
}

/// Wakes the other side, and signals its event if it is armed.
///
/// # Safety
/// `consumer` is null, or that of a handle that no other thread uses.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aq_record_consumer_wake(consumer: *mut RecordConsumer) -> c_int {
    guard(|| {
        // SAFETY: the caller keeps the contract.
        unsafe { handle(consumer) }?.0.wake();
        Ok(())
    })
}

/// Sets the events that the other side waits for.
///
/// # Safety
/// `consumer` is null, or that of a handle that no other thread uses; the contract of `set_events`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aq_record_consumer_set_events(
    consumer: *mut RecordConsumer,
    events: *mut *const Event,
    count: usize,
) -> c_int {
    // SAFETY: the caller keeps the contract.
    guard(|| unsafe { set_events(handle(consumer)?.0.memory(), events, count) })
}

/// Sleeps until there is room, and not for longer than that.
///
/// # Safety
/// `producer` is null, or that of a handle that no other thread uses.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aq_u64_producer_wait(producer: *mut NumberProducer, nanoseconds: u64) -> c_int {
    guard(|| {
        // SAFETY: the caller keeps the contract.
        unsafe { handle(producer) }?.0.wait(Duration::from_nanos(nanoseconds));
        Ok(())
    })
}

/// Arms this side's event: the other side signals it at its next wake.
///
/// # Safety
/// `producer` is null, or that of a handle that no other thread uses.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aq_u64_producer_arm(producer: *mut NumberProducer) -> c_int {
    // SAFETY: the caller keeps the contract.
    guard(|| unless_ready(unsafe { handle(producer) }?.0.arm()))
}

/// Wakes the other side, and signals its event if it is armed.
///
/// # Safety
/// `producer` is null, or that of a handle that no other thread uses.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aq_u64_producer_wake(producer: *mut NumberProducer) -> c_int {
    guard(|| {
        // SAFETY: the caller keeps the contract.
        unsafe { handle(producer) }?.0.wake();
        Ok(())
    })
}

/// Sets the events that the other side waits for.
///
/// # Safety
/// `producer` is null, or that of a handle that no other thread uses; the contract of `set_events`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aq_u64_producer_set_events(
    producer: *mut NumberProducer,
    events: *mut *const Event,
    count: usize,
) -> c_int {
    // SAFETY: the caller keeps the contract.
    guard(|| unsafe { set_events(handle(producer)?.0.memory(), events, count) })
}

/// Sleeps until there is something to pop, and not for longer than that.
///
/// # Safety
/// `consumer` is null, or that of a handle that no other thread uses.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aq_u64_consumer_wait(consumer: *mut NumberConsumer, nanoseconds: u64) -> c_int {
    guard(|| {
        // SAFETY: the caller keeps the contract.
        unsafe { handle(consumer) }?.0.wait(Duration::from_nanos(nanoseconds));
        Ok(())
    })
}

/// Arms this side's event: the other side signals it at its next wake.
///
/// # Safety
/// `consumer` is null, or that of a handle that no other thread uses.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aq_u64_consumer_arm(consumer: *mut NumberConsumer) -> c_int {
    // SAFETY: the caller keeps the contract.
    guard(|| unless_ready(unsafe { handle(consumer) }?.0.arm()))
}

/// Wakes the other side, and signals its event if it is armed.
///
/// # Safety
/// `consumer` is null, or that of a handle that no other thread uses.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aq_u64_consumer_wake(consumer: *mut NumberConsumer) -> c_int {
    guard(|| {
        // SAFETY: the caller keeps the contract.
        unsafe { handle(consumer) }?.0.wake();
        Ok(())
    })
}

/// Sets the events that the other side waits for.
///
/// # Safety
/// `consumer` is null, or that of a handle that no other thread uses; the contract of `set_events`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aq_u64_consumer_set_events(
    consumer: *mut NumberConsumer,
    events: *mut *const Event,
    count: usize,
) -> c_int {
    // SAFETY: the caller keeps the contract.
    guard(|| unsafe { set_events(handle(consumer)?.0.memory(), events, count) })
}

/// Sleeps until there is room, and not for longer than that.
///
/// # Safety
/// `producer` is null, or that of a handle that no other thread uses.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aq_mpmc_producer_wait(producer: *mut MpmcProducer, nanoseconds: u64) -> c_int {
    guard(|| {
        // SAFETY: the caller keeps the contract.
        unsafe { handle(producer) }?.0.wait(Duration::from_nanos(nanoseconds));
        Ok(())
    })
}

/// Arms this side's event: the other side signals it at its next wake.
///
/// # Safety
/// `producer` is null, or that of a handle that no other thread uses.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aq_mpmc_producer_arm(producer: *mut MpmcProducer) -> c_int {
    // SAFETY: the caller keeps the contract.
    guard(|| unless_ready(unsafe { handle(producer) }?.0.arm()))
}

/// Wakes the other side, and signals its event if it is armed.
///
/// # Safety
/// `producer` is null, or that of a handle that no other thread uses.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aq_mpmc_producer_wake(producer: *mut MpmcProducer) -> c_int {
    guard(|| {
        // SAFETY: the caller keeps the contract.
        unsafe { handle(producer) }?.0.wake();
        Ok(())
    })
}

/// Sets the events that the other side waits for.
///
/// # Safety
/// `producer` is null, or that of a handle that no other thread uses; the contract of `set_events`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aq_mpmc_producer_set_events(
    producer: *mut MpmcProducer,
    events: *mut *const Event,
    count: usize,
) -> c_int {
    // SAFETY: the caller keeps the contract.
    guard(|| unsafe { set_events(handle(producer)?.0.memory(), events, count) })
}

/// Sleeps until there is something to pop, and not for longer than that.
///
/// # Safety
/// `consumer` is null, or that of a handle that no other thread uses.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aq_mpmc_consumer_wait(consumer: *mut MpmcConsumer, nanoseconds: u64) -> c_int {
    guard(|| {
        // SAFETY: the caller keeps the contract.
        unsafe { handle(consumer) }?.0.wait(Duration::from_nanos(nanoseconds));
        Ok(())
    })
}

/// Arms this side's event: the other side signals it at its next wake.
///
/// # Safety
/// `consumer` is null, or that of a handle that no other thread uses.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aq_mpmc_consumer_arm(consumer: *mut MpmcConsumer) -> c_int {
    // SAFETY: the caller keeps the contract.
    guard(|| unless_ready(unsafe { handle(consumer) }?.0.arm()))
}

/// Wakes the other side, and signals its event if it is armed.
///
/// # Safety
/// `consumer` is null, or that of a handle that no other thread uses.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aq_mpmc_consumer_wake(consumer: *mut MpmcConsumer) -> c_int {
    guard(|| {
        // SAFETY: the caller keeps the contract.
        unsafe { handle(consumer) }?.0.wake();
        Ok(())
    })
}

/// Sets the events that the other side waits for.
///
/// # Safety
/// `consumer` is null, or that of a handle that no other thread uses; the contract of `set_events`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aq_mpmc_consumer_set_events(
    consumer: *mut MpmcConsumer,
    events: *mut *const Event,
    count: usize,
) -> c_int {
    // SAFETY: the caller keeps the contract.
    guard(|| unsafe { set_events(handle(consumer)?.0.memory(), events, count) })
}

/// Sets the events that the readers wait for.
///
/// # Safety
/// `producer` is null, or that of a handle that no other thread uses; the contract of `set_events`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aq_drop_old_producer_set_events(
    producer: *mut DropOldProducer,
    events: *mut *const Event,
    count: usize,
) -> c_int {
    // SAFETY: the caller keeps the contract.
    guard(|| unsafe { set_events(handle(producer)?.0.memory(), events, count) })
}

/// Sleeps until there is something to read, and not for longer than that.
///
/// # Safety
/// `reader` is null, or that of a handle that no other thread uses.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aq_drop_old_reader_wait(reader: *mut DropOldReader, nanoseconds: u64) -> c_int {
    guard(|| {
        // SAFETY: the caller keeps the contract.
        unsafe { handle(reader) }?.0.wait(Duration::from_nanos(nanoseconds));
        Ok(())
    })
}

/// Arms the readers' events: a producer signals them at its next wake.
///
/// # Safety
/// `reader` is null, or that of a handle that no other thread uses.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aq_drop_old_reader_arm(reader: *mut DropOldReader) -> c_int {
    // SAFETY: the caller keeps the contract.
    guard(|| unless_ready(unsafe { handle(reader) }?.0.arm()))
}

/// Sets the events that the readers of its records wait for.
///
/// # Safety
/// `producer` is null, or that of a handle that no other thread uses; the contract of `set_events`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aq_drop_old_record_producer_set_events(
    producer: *mut DropOldRecordProducer,
    events: *mut *const Event,
    count: usize,
) -> c_int {
    // SAFETY: the caller keeps the contract.
    guard(|| unsafe { set_events(handle(producer)?.0.memory(), events, count) })
}

/// Sleeps until there is a record to read, and not for longer than that.
///
/// # Safety
/// `reader` is null, or that of a handle that no other thread uses.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aq_drop_old_record_reader_wait(reader: *mut DropOldRecordReader, nanoseconds: u64) -> c_int {
    guard(|| {
        // SAFETY: the caller keeps the contract.
        unsafe { handle(reader) }?.0.wait(Duration::from_nanos(nanoseconds));
        Ok(())
    })
}

/// Arms the readers' events: the producer signals them at its next wake.
///
/// # Safety
/// `reader` is null, or that of a handle that no other thread uses.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aq_drop_old_record_reader_arm(reader: *mut DropOldRecordReader) -> c_int {
    // SAFETY: the caller keeps the contract.
    guard(|| unless_ready(unsafe { handle(reader) }?.0.arm()))
}
