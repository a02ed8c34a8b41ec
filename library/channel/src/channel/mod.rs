//! Channels over queues.

mod batches;
mod buffer;
mod core;
mod ends;
mod futures;
mod meeting;
mod methods;
mod permit;
pub mod records;
pub mod relaxed;
mod rendezvous;
mod selectable;
mod shared;
mod sided;
mod sole;
mod tasks;
mod weak;

pub(crate) use self::core::attempt_now;
pub(crate) use batches::add_many;
pub(crate) use methods::receiver_methods;
pub use permit::Permit;
pub use rendezvous::{Case, Stay};
pub use shared::{
    IntoIter, Receiver, Sender, bounded, rendezvous, rendezvous_of_threads, unbounded, unbounded_with_block_size,
};
pub use sided::{mpmc, mpsc, spmc, spsc};
pub use tasks::{RecvFuture, ReserveFuture, SendFuture};
pub use weak::WeakSender;

/// Handles that belong to one thread each, whatever their sidedness.
pub mod handles {
    pub use super::ends::{CountingRecvEnd, CountingSendEnd, RecvEnd, SendEnd, SoleSendEnd};
    pub use super::futures::{RecvFuture, SendFuture};
    pub use super::sided::{IntoIter, Receiver, Sender};
    pub use super::sole::{Permit, ReserveFuture};
    pub use super::weak::WeakHandle as WeakSender;
}
