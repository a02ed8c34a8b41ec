//! Channels over queues.

mod buffer;
mod core;
mod ends;
mod futures;
mod methods;
mod permit;
mod ring;
mod shared;
mod sided;
mod tasks;

pub use permit::{Permit, ReserveFuture};
pub use shared::{IntoIter, Receiver, Sender, bounded, unbounded, unbounded_with_block_size};
pub use sided::{mpmc, mpsc, spmc, spsc};
pub use tasks::{RecvFuture, SendFuture};

/// Handles that belong to one thread each, whatever their sidedness.
pub mod handles {
    pub use super::ends::{RecvEnd, SendEnd};
    pub use super::futures::{RecvFuture, SendFuture};
    pub use super::sided::{Receiver, Sender};
}
