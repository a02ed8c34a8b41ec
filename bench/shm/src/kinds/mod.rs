//! The transports between two processes.

#[cfg(has_boost)]
mod boost;
mod bound;
mod event;
pub(crate) mod iceoryx2;
mod ipc_channel;
mod nblfq;
pub(crate) mod ours;
mod shmem_ipc;
mod streams;

use aqueduct_measure::record::Role;
use aqueduct_measure::rounds::Fault;

use crate::control::Control;
use crate::link::Link;
use crate::many::VisitShared;
use crate::message::{Large, Message};
use crate::plan::Wait;
use crate::work::Task;

/// A transport between two processes.
pub(crate) trait Kind: 'static {
    const NAME: &'static str;
    const ROLE: Role;
    /// The ways in which its sides can wait.
    const WAITS: &'static [Wait] = &Wait::ALL;
    /// Bytes of the longest message that it carries.
    const LONGEST: usize = size_of::<Large>();
    /// Whether it keeps one message only.
    const ROUND_TRIPS_ONLY: bool = false;
    type Link<M: Message>: Link<M>;

    /// Makes the transport, and the end of the side that begins. Sends the other side its location
    /// by the socket.
    fn lead<M: Message>(task: &Task, control: &Control) -> Result<Self::Link<M>, Fault>;

    /// Opens the other side's end.
    fn follow<M: Message>(task: &Task, control: &Control) -> Result<Self::Link<M>, Fault>;
}

/// An action on each transport.
pub(crate) trait Visit {
    fn visit<K: Kind>(&mut self);
}

/// Visits the transports that several processes can share.
pub(crate) fn visit_shared(visitor: &mut impl VisitShared) {
    visitor.visit::<ours::Mpmc>();
    visitor.visit::<nblfq::Nblfq>();
    visitor.visit::<streams::Pipe>();
    visitor.visit::<streams::UnixSeqPacket>();
}

/// Visits all transports.
pub(crate) fn visit(visitor: &mut impl Visit) {
    visitor.visit::<ours::Items>();
    visitor.visit::<ours::ItemsAsleep>();
    visitor.visit::<event::ItemsEvent>();
    visitor.visit::<ours::Records>();
    visitor.visit::<ours::Lanes>();
    visitor.visit::<ours::Mpmc>();
    visitor.visit::<nblfq::Nblfq>();
    visitor.visit::<iceoryx2::PublishSubscribe>();
    visitor.visit::<shmem_ipc::SharedRing>();
    visitor.visit::<ipc_channel::BytesChannel>();
    #[cfg(has_boost)]
    visitor.visit::<boost::MessageQueue>();
    visitor.visit::<streams::Pipe>();
    visitor.visit::<streams::UnixStream>();
    visitor.visit::<streams::UnixSeqPacket>();
    visitor.visit::<bound::TwoWords>();
}
