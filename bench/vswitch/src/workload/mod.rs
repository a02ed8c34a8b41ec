//! The SPSC paper's two workloads, and the rounds that run and time them: section 6.1.
//!
//! The switch has a core and a thread of its own. The paper gives every client a core of its own;
//! if cores are too few, the clients of a core take turns in one thread, an iteration of the
//! paper's loop at a time. So oversubscription costs no context switches, and no client can keep
//! the others from running while it waits. Oversubscription changes the figures nevertheless: a
//! client runs once in as many turns as its core has clients, so it finds more frames at once and
//! batches grow, and the clients, not the switch, may limit the rate. On two cores the clients do
//! limit it: figures of queue kinds then lie closer together than in the paper, and a request's
//! round trip takes as long as all clients' turns.
//!
//! If the switch and the clients share a core, every thread without work yields.
//!
//! Clients keep received frames in a private store and use them again, while the paper's clients
//! free them and allocate others. So the allocator, which is one for all kinds, does not affect the
//! figures.

mod flood;
mod request_response;
mod round;

pub use flood::Flood;
pub use request_response::RequestResponse;
pub use round::{Round, WorkloadError, run_round};
pub(crate) use round::{check_setting, check_switch_batch};

use std::time::Duration;

use crate::frame::Frame;
use crate::mac::MacAddress;
use crate::placement::Placement;
use crate::ports::QueueKind;
use crate::switch::ClientPort;

/// The options of a round.
#[derive(Clone, Debug)]
pub struct Setting {
    /// The number of clients: the paper's N_C, at least 2.
    pub clients: usize,
    /// The number of frames that the switch takes from a transmit queue at once: the paper's B_V,
    /// at least 1.
    pub switch_batch: usize,
    /// The number of frames that a client sends at once: the paper's B_C, at least 1.
    pub client_batch: usize,
    /// The number of frames that each queue holds.
    pub capacity: usize,
    /// The time before the clock starts.
    pub warm_up: Duration,
    /// The time during which the clock runs.
    pub time: Duration,
    /// The cores of the threads.
    pub placement: Placement,
}

/// A workload: the program of all clients.
pub trait Workload {
    /// The name of its figures.
    const BENCH: &'static str;
    /// A client on ports of kind `Q`.
    type Client<Q: QueueKind>: Client;

    /// Makes client number `number` of a round.
    fn client<Q: QueueKind>(number: u32, port: ClientPort<Q>, setting: &Setting) -> Self::Client<Q>;

    /// Returns the least capacity with which the workload runs as the paper says.
    fn least_capacity(setting: &Setting) -> usize;
}

/// A client of the switch while a round runs.
pub trait Client: Send {
    /// Runs one iteration of the paper's loop, without waiting. Returns whether any frame moved.
    fn turn(&mut self) -> bool;

    /// Empties its receive queue and returns its counts.
    fn finish(self) -> ClientCounts;
}

/// A client's counts of a round.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ClientCounts {
    /// The number of frames put into the transmit queue.
    pub sent: u64,
    /// The number of frames taken out of the receive queue.
    pub received: u64,
    /// The number of these that were for another client.
    pub misaddressed: u64,
    /// The number of these that came after a later one of their client.
    pub out_of_order: u64,
}

/// Checks that the frames from each other client come in order: their tags must grow.
#[derive(Debug)]
struct OrderCheck {
    /// The least tag that may come next, for each client.
    next: Vec<u64>,
}

impl OrderCheck {
    fn new(clients: usize) -> Self {
        Self { next: vec![0; clients] }
    }

    /// Counts a frame that client `number` has received.
    #[inline]
    fn count(&mut self, number: u32, frame: &Frame, counts: &mut ClientCounts) {
        counts.received += 1;
        if frame.destination() != MacAddress::of_client(number) {
            counts.misaddressed += 1;
        }
        match self.next.get_mut(frame.source().client() as usize) {
            Some(next) if *next <= frame.tag => *next = frame.tag + 1,
            _ => counts.out_of_order += 1,
        }
    }
}

/// An endless sequence of the other clients, one after the other.
#[derive(Debug)]
struct RoundRobin {
    this: u32,
    clients: u32,
    next: u32,
}

impl RoundRobin {
    /// Makes a sequence that begins with the client after `this`, so that the clients begin with
    /// different ones.
    fn new(this: u32, clients: usize) -> Self {
        let clients = u32::try_from(clients).expect("memory is too small for 2^32 clients");
        Self { this, clients, next: (this + 1) % clients }
    }

    #[inline]
    fn next(&mut self) -> MacAddress {
        let chosen = self.next;
        self.next = (self.next + 1) % self.clients;
        if self.next == self.this {
            self.next = (self.next + 1) % self.clients;
        }
        MacAddress::of_client(chosen)
    }
}
