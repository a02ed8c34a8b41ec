//! The SPSC paper's two workloads, and how a round of one is run and timed: section 6.1.
//!
//! The switch has a core and a thread to itself. The paper gives every client a core of its own; where there are fewer
//! cores than that, the clients of a core take turns in one thread, an iteration of the paper's loop at a time. So
//! oversubscription costs no context switches, and no client can keep the others from running while it waits. It
//! changes the figures nevertheless: a client runs once in as many turns as its core has clients, so it finds more
//! frames at once and batches grow, and the clients, not the switch, may be what limits the rate. On two cores
//! they are: figures of queue kinds then lie closer together than in the paper, and a request's round trip takes
//! as long as all clients' turns.
//!
//! Where the switch and the clients share a core, every thread that finds nothing to do yields.
//!
//! Clients keep the frames that they have received in a private store and use them again, where the paper's free them
//! and allocate others. It keeps the allocator, which is the same for all kinds, out of the figures.

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

/// What a round is run with.
#[derive(Clone, Debug)]
pub struct Setting {
    /// Number of clients: the paper's N_C. At least 2.
    pub clients: usize,
    /// Frames that the switch takes from a transmit queue at once: the paper's B_V. At least 1.
    pub switch_batch: usize,
    /// Frames that a client sends at once: the paper's B_C. At least 1.
    pub client_batch: usize,
    /// Frames that each queue holds.
    pub capacity: usize,
    /// How long everything runs before the clock starts.
    pub warm_up: Duration,
    /// How long the clock runs.
    pub time: Duration,
    /// Which core runs what.
    pub placement: Placement,
}

/// What all clients do in a workload.
pub trait Workload {
    /// The name of the figures that it yields.
    const BENCH: &'static str;
    /// A client on ports of kind `Q`.
    type Client<Q: QueueKind>: Client;

    /// Client number `number` of a round.
    fn client<Q: QueueKind>(number: u32, port: ClientPort<Q>, setting: &Setting) -> Self::Client<Q>;

    /// Least capacity with which the workload runs as the paper says.
    fn least_capacity(setting: &Setting) -> usize;
}

/// A client of the switch while a round runs.
pub trait Client: Send {
    /// One iteration of the paper's loop, without waiting. Says whether any frame moved.
    fn turn(&mut self) -> bool;

    /// Empties its receive queue and tells what has come of the frames.
    fn finish(self) -> ClientCounts;
}

/// What a client did in a round.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ClientCounts {
    /// Frames put into the transmit queue.
    pub sent: u64,
    /// Frames taken out of the receive queue.
    pub received: u64,
    /// Of these, those for another client.
    pub misaddressed: u64,
    /// Of these, those that came after a later one of the same client.
    pub out_of_order: u64,
}

/// Checks that the frames from each other client come in order: their tags are numbers that grow.
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

/// The other clients, one after the other, forever.
#[derive(Debug)]
struct RoundRobin {
    this: u32,
    clients: u32,
    next: u32,
}

impl RoundRobin {
    /// Begins with the client after `this`, so that not all begin with the same one.
    fn new(this: u32, clients: usize) -> Self {
        let clients = u32::try_from(clients).expect("so many clients have no memory");
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
