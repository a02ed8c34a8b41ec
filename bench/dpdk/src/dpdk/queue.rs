//! The queues between two processes: DPDK's ring, and aqueduct's.

use std::ffi::{CString, c_void};
use std::ptr::null_mut;

use aqueduct::bbq::{mpmc, mpsc, spsc};
use aqueduct::error::CapacityError;
use aqueduct::queue::{PopSlice, PushSlice};

use super::ffi::{self, Burst, Packet, Ring};
use super::memory::shared;

/// The synchronisation of the threads of a side of DPDK's ring.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Turns {
    /// There is one thread.
    Single,
    /// Heads are exchanged, tails follow in order.
    Many,
    /// Tails follow when all threads that began have ended.
    Relaxed,
    /// Head and tail are one word: a thread begins when the one before has ended.
    Together,
}

/// The kind of a queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// DPDK's ring and its own driver, with its statistics.
    Driver,
    /// DPDK's ring.
    Ring(Turns, Turns),
    /// `aqueduct::bbq`, one producer and one consumer.
    Spsc,
    /// `aqueduct::bbq`, many producers and one consumer.
    Mpsc,
    /// `aqueduct::bbq`, many producers and many consumers.
    Mpmc,
}

/// The ends of a queue. They are valid in all processes.
pub(crate) struct Ends {
    /// DPDK's ring, which its driver needs for a port even if the packets go through another queue.
    pub(crate) ring: *mut Ring,
    pub(crate) producers: Vec<*mut c_void>,
    pub(crate) consumer: *mut c_void,
}

/// Makes a queue of about that many packets in DPDK's memory.
///
/// # Safety
/// DPDK has been started.
pub(crate) unsafe fn make(form: Form, name: &str, packets: usize, producers: usize) -> Result<Ends, String> {
    let turns = match form {
        Form::Ring(producers, consumers) => (producers, consumers),
        _ => (Turns::Single, Turns::Single),
    };
    let text = CString::new(name).expect("a name without a zero");
    // SAFETY: the text lives, and DPDK is there.
    let ring = unsafe { ffi::aq_ring(text.as_ptr(), packets as u32, turns.0 as i32, turns.1 as i32) };
    if ring.is_null() {
        return Err(format!("DPDK's ring of {packets} packets: {}", super::eal::why()));
    }
    let of_ring = |end: *mut c_void| Ends { ring, producers: vec![end; producers], consumer: end };
    let refused = |why: CapacityError| format!("a queue of {packets} packets in DPDK's memory: {why}");
    // DPDK's ring holds one packet less than it has entries, and aqueduct's queues hold no fewer.
    let capacity = packets - 1;
    // SAFETY: DPDK has been started.
    unsafe {
        Ok(match form {
            Form::Driver | Form::Ring(..) => of_ring(ring.cast()),
            Form::Spsc => {
                let (producer, consumer) = shared(|| spsc::new::<usize>(capacity)).map_err(refused)?;
                Ends { ring, producers: vec![address(producer)], consumer: address(consumer) }
            }
            Form::Mpsc => many(ring, shared(|| copies(mpsc::new::<usize>(capacity)?, producers)).map_err(refused)?),
            Form::Mpmc => many(ring, shared(|| copies(mpmc::new::<usize>(capacity)?, producers)).map_err(refused)?),
        })
    }
}

/// Copies a queue's producer, so that there are `producers`.
fn copies<P: Clone, C>((producer, consumer): (P, C), producers: usize) -> Result<(Vec<P>, C), CapacityError> {
    Ok((vec![producer; producers], consumer))
}

fn many<P, C>(ring: *mut Ring, (producers, consumer): &'static mut (Vec<P>, C)) -> Ends {
    Ends { ring, producers: producers.iter_mut().map(address).collect(), consumer: address(consumer) }
}

fn address<T>(place: &mut T) -> *mut c_void {
    std::ptr::from_mut(place).cast()
}

/// Returns the functions that take packets out of such a queue and put them in; `None` where DPDK's
/// driver has its own.
pub(crate) fn bursts(form: Form) -> Option<(Burst, Burst)> {
    match form {
        Form::Driver => None,
        Form::Ring(..) => Some((ffi::aq_ring_rx, ffi::aq_ring_tx)),
        Form::Spsc => Some((rx::<spsc::Consumer<usize>>, tx::<spsc::Producer<usize>>)),
        Form::Mpsc => Some((rx::<mpsc::Consumer<usize>>, tx::<mpsc::Producer<usize>>)),
        Form::Mpmc => Some((rx::<mpmc::Consumer<usize>>, tx::<mpmc::Producer<usize>>)),
    }
}

/// Takes packets out of a queue.
///
/// # Safety
/// `queue` is the address of a `C` that no other thread uses. There is room for `most` packets.
unsafe extern "C" fn rx<C: PopSlice<Item = usize>>(queue: *mut c_void, packets: *mut *mut Packet, most: u16) -> u16 {
    // SAFETY: the caller's promise. A packet's address is a number.
    let (consumer, packets) =
        unsafe { (&mut *queue.cast::<C>(), std::slice::from_raw_parts_mut(packets.cast(), usize::from(most))) };
    consumer.pop_slice(packets) as u16
}

/// Puts packets into a queue.
///
/// # Safety
/// `queue` is the address of a `P` that no other thread uses. There are `count` packets.
unsafe extern "C" fn tx<P: PushSlice<Item = usize>>(queue: *mut c_void, packets: *mut *mut Packet, count: u16) -> u16 {
    // SAFETY: the caller's promise. A packet's address is a number.
    let (producer, packets) =
        unsafe { (&mut *queue.cast::<P>(), std::slice::from_raw_parts(packets.cast(), usize::from(count))) };
    producer.push_slice(packets) as u16
}

/// Replaces the functions by which this process moves a port's packets, for as long as it lives.
///
/// # Safety
/// The queues are ends of this form, which no other thread uses while this process does.
pub(crate) unsafe fn replace(port: u16, rx: (Form, *mut c_void), tx: (Form, Vec<*mut c_void>)) {
    let (Some((receive, _)), Some((_, send))) = (bursts(rx.0), bursts(tx.0)) else {
        return;
    };
    let (rx, tx) = (Box::leak(Box::new(rx.1)), tx.1.leak());
    // SAFETY: the arrays are leaked. The functions fit the queues.
    unsafe { ffi::aq_replace(port, receive, rx, send, tx.as_mut_ptr()) }
}

/// No queue.
pub(crate) const NONE: *mut c_void = null_mut();
