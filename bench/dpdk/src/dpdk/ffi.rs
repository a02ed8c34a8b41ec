//! DPDK's functions, and those of `c/ports.c`.

use std::ffi::{c_char, c_int, c_uint, c_void};
use std::sync::atomic::{AtomicU32, AtomicU64};

/// A ring of DPDK.
#[repr(C)]
pub(crate) struct Ring {
    opaque: [u8; 0],
}

/// A pool of packets.
#[repr(C)]
pub(crate) struct Pool {
    opaque: [u8; 0],
}

/// A packet.
#[repr(C)]
pub(crate) struct Packet {
    opaque: [u8; 0],
}

/// Moves packets between an array and a queue, and returns how many.
pub(crate) type Burst = unsafe extern "C" fn(*mut c_void, *mut *mut Packet, u16) -> u16;

/// The queues to which a port can send.
pub(crate) const MOST_QUEUES: usize = 2;
const BURST: usize = 32;

/// The packets of a port of which each comes back: `struct aq_flow`.
#[repr(C)]
pub(crate) struct Flow {
    pub(crate) pool: *mut Pool,
    pub(crate) sent: [u64; MOST_QUEUES],
    pub(crate) received: [u64; MOST_QUEUES],
    waiting: [[*mut Packet; BURST]; MOST_QUEUES],
    waits: [u16; MOST_QUEUES],
    pub(crate) port: u16,
    queues: u16,
}

impl Flow {
    pub(crate) fn new(pool: *mut Pool, port: u16, queues: usize) -> Self {
        let waiting = [[std::ptr::null_mut(); BURST]; MOST_QUEUES];
        Self { pool, sent: [0; 2], received: [0; 2], waiting, waits: [0; 2], port, queues: queues as u16 }
    }
}

/// `struct aq_pipeline`.
#[cfg(has_event_device)]
#[repr(C, align(64))]
pub(crate) struct Pipeline {
    pub(crate) sent: u64,
    apart: [u64; 7],
    pub(crate) done: AtomicU64,
    last: [u64; 64],
    service: u32,
    device: u8,
    pub(crate) is_out_of_order: u8,
}

#[cfg(has_event_device)]
impl Default for Pipeline {
    fn default() -> Self {
        let done = AtomicU64::new(0);
        Self { sent: 0, apart: [0; 7], done, last: [0; 64], service: 0, device: 0, is_out_of_order: 0 }
    }
}

#[cfg(has_event_device)]
unsafe extern "C" {
    pub(crate) fn aq_has_event_device() -> c_int;
    pub(crate) fn aq_event_self_test(name: *const c_char) -> c_int;
    pub(crate) fn aq_pipeline(pipeline: *mut Pipeline, name: *const c_char) -> c_int;
    pub(crate) fn aq_pipeline_run(pipeline: *mut Pipeline, limit: u64, until: u64);
    pub(crate) fn aq_pipeline_work(pipeline: *mut Pipeline, word: *const AtomicU32, mine: u32);
}

unsafe extern "C" {
    pub(crate) fn rte_eal_init(count: c_int, arguments: *mut *mut c_char) -> c_int;
    pub(crate) fn rte_malloc(kind: *const c_char, bytes: usize, align: c_uint) -> *mut c_void;
    pub(crate) fn rte_get_tsc_hz() -> u64;

    pub(crate) fn aq_run(flow: *mut Flow, limit: u64, until: u64) -> c_int;
    pub(crate) fn aq_round_trips(flow: *mut Flow, count: u64, ticks: *mut u32, until: u64) -> c_int;
    pub(crate) fn aq_forward(port: u16, word: *const AtomicU32, mine: u32, beats: *const AtomicU64);
    pub(crate) fn aq_port(
        name: *const c_char,
        rx: *mut Ring,
        tx: *mut *mut Ring,
        queues: c_uint,
        pool: *mut Pool,
    ) -> c_int;
    pub(crate) fn aq_replace(port: u16, rx: Burst, rx_queue: *mut *mut c_void, tx: Burst, tx_queues: *mut *mut c_void);
    pub(crate) fn aq_ring_rx(ring: *mut c_void, packets: *mut *mut Packet, most: u16) -> u16;
    pub(crate) fn aq_ring_tx(ring: *mut c_void, packets: *mut *mut Packet, most: u16) -> u16;
    pub(crate) fn aq_calls(rx: Burst, rx_queue: *mut c_void, tx: Burst, tx_queue: *mut c_void, count: u64) -> u64;
    pub(crate) fn aq_inline_calls(ring: *mut Ring, count: u64) -> u64;
    pub(crate) fn aq_ring(name: *const c_char, count: c_uint, producers: c_int, consumers: c_int) -> *mut Ring;
    pub(crate) fn aq_pool(name: *const c_char, count: c_uint) -> *mut Pool;
    pub(crate) fn aq_zone(name: *const c_char, bytes: usize) -> *mut c_void;
    pub(crate) fn aq_why() -> *const c_char;
    pub(crate) fn aq_now() -> u64;
}
