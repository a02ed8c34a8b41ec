//! DPDK's ring of events over aqueduct's queue: what `c/event/rte_event_ring.h` calls.

use std::cell::UnsafeCell;
use std::sync::atomic::{AtomicUsize, Ordering};

use aqueduct::bbq::spsc::{self, Consumer, Producer};

/// `struct rte_event`.
type Event = [u64; 2];

/// A ring of events. One thread pushes and reads the room, another one pops and reads the count.
#[derive(Debug)]
pub(crate) struct Ring {
    producer: UnsafeCell<(Producer<Event>, Room)>,
    consumer: UnsafeCell<Consumer<Event>>,
    popped: Line,
}

/// The number of popped events, in lines of its own.
#[derive(Debug)]
#[repr(align(128))]
struct Line(AtomicUsize);

/// The number of events that the producer may push.
///
/// The device reads how many events fit, and relies on that. A producer of the queue cannot observe
/// how much of a block has been popped. So the consumer publishes the number of popped events, and
/// the queue has room for four times the requested number: blocks are free when all of their events
/// have been popped.
#[derive(Debug)]
struct Room {
    most: usize,
    pushed: usize,
    /// The number of events that are known to fit. It may be stale: there may be room for more.
    known: usize,
}

impl Room {
    /// Looks for more room where little is known of: each look costs a cache line.
    fn look(&mut self, popped: &Line) -> usize {
        if self.known <= self.most / 2 {
            // Ordering: Relaxed, it is a number. The events go through the queue, which orders
            // them.
            let left = self.pushed.wrapping_sub(popped.0.load(Ordering::Relaxed));
            self.known = self.most - left;
        }
        self.known
    }
}

/// Makes a ring of exactly `count` events; `None` if there is no memory.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn aq_events_new(count: u32) -> Option<Box<Ring>> {
    let most = count as usize;
    let (producer, consumer) = spsc::new(4 * most.max(64)).ok()?;
    let producer = UnsafeCell::new((producer, Room { most, pushed: 0, known: most }));
    Some(Box::new(Ring { producer, consumer: UnsafeCell::new(consumer), popped: Line(AtomicUsize::new(0)) }))
}

/// Frees a ring, or nothing.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn aq_events_free(ring: Option<Box<Ring>>) {
    drop(ring);
}

/// Pushes as many events as fit, and returns their number.
///
/// # Safety
/// No other thread pushes or reads the room. There are `count` events.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aq_events_push(ring: &Ring, events: *const Event, count: u32) -> u32 {
    // SAFETY: the caller's promise.
    let ((producer, room), events) =
        unsafe { (&mut *ring.producer.get(), std::slice::from_raw_parts(events, count as usize)) };
    if room.known < events.len() {
        room.look(&ring.popped);
    }
    let pushed = producer.push_slice(&events[..events.len().min(room.known)]);
    room.known -= pushed;
    room.pushed = room.pushed.wrapping_add(pushed);
    pushed as u32
}

/// Pops up to `most` events, and returns their number.
///
/// # Safety
/// No other thread pops or reads the count. There is room for `most` events.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aq_events_pop(ring: &Ring, events: *mut Event, most: u32) -> u32 {
    // SAFETY: the caller's promise.
    let (consumer, events) =
        unsafe { (&mut *ring.consumer.get(), std::slice::from_raw_parts_mut(events, most as usize)) };
    let popped = consumer.pop_slice(events);
    // Ordering: Relaxed, it is a number that this thread alone changes.
    let before = ring.popped.0.load(Ordering::Relaxed);
    ring.popped.0.store(before.wrapping_add(popped), Ordering::Relaxed);
    popped as u32
}

/// Returns how many events can be popped.
///
/// # Safety
/// No other thread pops.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aq_events_count(ring: &Ring) -> u32 {
    // SAFETY: the caller's promise.
    let consumer = unsafe { &*ring.consumer.get() };
    consumer.len() as u32
}

/// Returns how many events fit at least.
///
/// # Safety
/// No other thread pushes.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aq_events_room(ring: &Ring) -> u32 {
    // SAFETY: the caller's promise.
    let (_, room) = unsafe { &mut *ring.producer.get() };
    room.look(&ring.popped) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The device counts on room: as many events as were reported to fit have to fit, wherever
    /// blocks end.
    #[test]
    fn what_fits_fits_and_comes_in_its_order() {
        for count in [1, 8, 16, 100, 128, 4096] {
            let ring = aq_events_new(count).expect("there is memory");
            let (mut pushed, mut popped) = (0, 0);
            for step in 0..3_000_u64 {
                // SAFETY: there is one thread.
                let room = unsafe { aq_events_room(&ring) };
                assert!(u64::from(room) <= u64::from(count) - (pushed - popped));
                let asked = (step * 7 % u64::from(count) + 1).min(u64::from(room));
                let events: Vec<Event> = (pushed..pushed + asked).map(|number| [number, !number]).collect();
                // SAFETY: there is one thread, and `asked` events.
                pushed += u64::from(unsafe { aq_events_push(&ring, events.as_ptr(), asked as u32) });
                // SAFETY: there is one thread.
                let left = u64::from(unsafe { aq_events_count(&ring) });
                assert_eq!(pushed, popped + left, "all of {asked} fitted");
                let mut taken = vec![[0; 2]; (step * 5 % u64::from(count) + 1) as usize];
                // SAFETY: there is one thread, and so much room.
                let most = unsafe { aq_events_pop(&ring, taken.as_mut_ptr(), taken.len() as u32) };
                assert_eq!(u64::from(most), (taken.len() as u64).min(pushed - popped));
                for event in &taken[..most as usize] {
                    assert_eq!(*event, [popped, !popped]);
                    popped += 1;
                }
            }
            assert!(popped > 1_500);
            aq_events_free(Some(ring));
        }
    }

    /// A device that is full takes no more events than it was made for.
    #[test]
    fn a_ring_holds_what_it_was_made_for() {
        let ring = aq_events_new(16).expect("there is memory");
        // SAFETY: there is one thread, and no count is larger than its array.
        unsafe {
            assert_eq!(aq_events_push(&ring, [[7, 7]; 20].as_ptr(), 20), 16);
            assert_eq!((aq_events_room(&ring), aq_events_count(&ring)), (0, 16));
            assert_eq!(aq_events_push(&ring, [[7, 7]; 1].as_ptr(), 1), 0);
            assert_eq!(aq_events_pop(&ring, [[0, 0]; 16].as_mut_ptr(), 16), 16);
            assert_eq!(aq_events_room(&ring), 16);
        }
    }
}
