//! The setups that are compared: queues, ports, and the data on them that all processes share.

use std::ffi::{CString, c_void};
use std::sync::atomic::{AtomicU32, AtomicU64};

use aqueduct_measure::record::Role;

use super::ffi::{self, Flow, Pool};
use super::queue::Turns::{Many, Relaxed, Single, Together};
use super::queue::{self, Form};

/// The processes that send packets back.
pub(crate) const CLIENTS: usize = ffi::MOST_QUEUES;

/// Queues to clients, and one back.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Setup {
    pub(crate) name: &'static str,
    pub(crate) role: Role,
    /// The number of clients, each with a queue to it. They share the queue back.
    pub(crate) clients: usize,
    /// The capacity of a queue in packets, plus one.
    pub(crate) packets: usize,
    to: Form,
    back: Form,
}

/// Returns the setups of a bench: DPDK has at most 32 ports, and each process of each way has one.
pub(crate) fn all() -> Vec<Setup> {
    let both = |name, role, packets, form| Setup { name, role, clients: 1, packets, to: form, back: form };
    let ring = |producers, consumers| Form::Ring(producers, consumers);
    let forwards = |packets| {
        [
            both("aqueduct/bbq_spsc", Role::Ours, packets, Form::Spsc),
            both("dpdk/ring_single", Role::Peer, packets, ring(Single, Single)),
        ]
    };
    let shares = |name, role, to, back| Setup { name, role, clients: CLIENTS, packets: 1024, to, back };
    let mut all = Vec::from(forwards(128));
    all.extend(forwards(1024));
    all.extend([
        both("dpdk/net_ring", Role::Peer, 1024, Form::Driver),
        both("aqueduct/bbq_mpmc", Role::Ours, 1024, Form::Mpmc),
        both("dpdk/ring_many", Role::Peer, 1024, ring(Many, Many)),
        both("dpdk/ring_relaxed", Role::Peer, 1024, ring(Relaxed, Relaxed)),
        both("dpdk/ring_together", Role::Peer, 1024, ring(Together, Together)),
        shares("aqueduct/bbq_mpsc", Role::Ours, Form::Spsc, Form::Mpsc),
        shares("dpdk/ring_many", Role::Peer, ring(Single, Single), ring(Many, Single)),
        shares("dpdk/ring_relaxed", Role::Peer, ring(Single, Single), ring(Relaxed, Single)),
        shares("dpdk/ring_together", Role::Peer, ring(Single, Single), ring(Together, Single)),
    ]);
    all
}

/// The most setups that can have ports: DPDK has 32 ports.
const SETUPS: usize = 16;

/// A client's data on a setup.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
struct Port {
    port: u16,
    rx: *mut c_void,
    tx: *mut c_void,
}

/// The data that the processes share, in DPDK's memory.
#[repr(C)]
pub(crate) struct Board {
    /// For each client, the setup that it is to work for and one more, or 0, or [`OVER`].
    pub(crate) task: [AtomicU32; CLIENTS],
    /// For each client, the task that it is at.
    pub(crate) at: [AtomicU32; CLIENTS],
    /// For each client, a count that grows while its calls of ports come back.
    pub(crate) beats: [Beats; CLIENTS],
    ports: [[Port; CLIENTS]; SETUPS],
}

/// A count in a line of its own.
#[derive(Debug, Default)]
#[repr(C, align(128))]
pub(crate) struct Beats(pub(crate) AtomicU64);

/// The task of a client that is to end.
pub(crate) const OVER: u32 = u32::MAX;

const ZONE: &std::ffi::CStr = c"aqueduct_board";

impl Board {
    /// Makes the board.
    fn make() -> Result<&'static mut Self, String> {
        // SAFETY: DPDK has been started. The zone is aligned to two lines.
        let zone = unsafe { ffi::aq_zone(ZONE.as_ptr(), size_of::<Self>()) }.cast::<Self>();
        if zone.is_null() {
            return Err(format!("DPDK's memory: {}", super::eal::why()));
        }
        let none = Port { port: 0, rx: queue::NONE, tx: queue::NONE };
        let zero = || [const { AtomicU32::new(0) }; CLIENTS];
        // SAFETY: the zone is large enough, and no other process has it yet.
        unsafe {
            zone.write(Self { task: zero(), at: zero(), beats: Default::default(), ports: [[none; CLIENTS]; SETUPS] });
            Ok(&mut *zone)
        }
    }

    /// Finds the board that another process has made.
    pub(crate) fn find() -> Result<&'static Self, String> {
        // SAFETY: DPDK has been started.
        let zone = unsafe { ffi::aq_zone(ZONE.as_ptr(), 0) }.cast::<Self>();
        // SAFETY: the zone of that name is a board, which the process that made it does not change
        // but for its atomics.
        unsafe { zone.as_ref() }.ok_or_else(|| "no process of this bench is there to join".to_owned())
    }

    /// Makes this client move its packets of each setup by the setup's own functions. Returns the
    /// ports.
    pub(crate) fn join(&self, client: usize) -> Vec<u16> {
        let take = |(at, setup): (usize, &Setup)| {
            let Port { port, rx, tx } = self.ports[at][client];
            if client < setup.clients {
                // SAFETY: these ends were made for this client.
                unsafe { queue::replace(port, (setup.to, rx), (setup.back, vec![tx])) };
            }
            port
        };
        all().iter().enumerate().map(take).collect()
    }
}

/// The process that sends packets and gets them back, and its ports.
pub(crate) struct Tester {
    pub(crate) board: &'static Board,
    pool: *mut Pool,
    ports: Vec<u16>,
}

impl Tester {
    /// Makes all queues and ports.
    ///
    /// # Errors
    /// DPDK's error.
    pub(crate) fn new() -> Result<Self, String> {
        // SAFETY: DPDK has been started, and the text lives.
        let pool = unsafe { ffi::aq_pool(c"aqueduct_pool".as_ptr(), 16_383) };
        if pool.is_null() {
            return Err(format!("DPDK's pool of packets: {}", super::eal::why()));
        }
        let board = Board::make()?;
        let mut ports = Vec::new();
        for (at, setup) in all().iter().enumerate() {
            ports.push(make(setup, at, pool, &mut board.ports[at])?);
        }
        Ok(Self { board, pool, ports })
    }

    /// Returns the flow of packets through a setup.
    pub(crate) fn flow(&self, setup: usize, clients: usize) -> Flow {
        Flow::new(self.pool, self.ports[setup], clients)
    }
}

/// Makes the queues and ports of a setup. Returns the tester's port.
fn make(setup: &Setup, at: usize, pool: *mut Pool, ports: &mut [Port; CLIENTS]) -> Result<u16, String> {
    // SAFETY: DPDK has been started.
    let back = unsafe { queue::make(setup.back, &format!("back_{at}"), setup.packets, setup.clients)? };
    let (mut rings, mut producers) = (Vec::new(), Vec::new());
    for (client, place) in ports.iter_mut().enumerate().take(setup.clients) {
        // SAFETY: DPDK has been started.
        let to = unsafe { queue::make(setup.to, &format!("to_{at}_{client}"), setup.packets, 1)? };
        let port = port(&format!("client_{at}_{client}"), to.ring, &mut [back.ring], pool)?;
        *place = Port { port, rx: to.consumer, tx: back.producers[client] };
        rings.push(to.ring);
        producers.push(to.producers[0]);
    }
    let port = port(&format!("tester_{at}"), back.ring, &mut rings, pool)?;
    // SAFETY: these ends are the tester's.
    unsafe { queue::replace(port, (setup.back, back.consumer), (setup.to, producers)) };
    Ok(port)
}

fn port(name: &str, rx: *mut ffi::Ring, tx: &mut [*mut ffi::Ring], pool: *mut Pool) -> Result<u16, String> {
    let text = CString::new(name).expect("a name without a zero");
    // SAFETY: the text and the rings live; there are as many rings as the number.
    let port = unsafe { ffi::aq_port(text.as_ptr(), rx, tx.as_mut_ptr(), tx.len() as u32, pool) };
    u16::try_from(port).map_err(|_| format!("DPDK's port {name}: {}", super::eal::why()))
}
