//! Channels over queues.

mod core;
mod ends;
mod futures;
mod methods;
mod shared;
mod sided;

pub use futures::{RecvFuture, SendFuture};
pub use shared::{IntoIter, Receiver, Sender, bounded};
pub use sided::{mpmc, mpsc, spmc, spsc};

/// Handles that belong to one thread each, whatever their sidedness.
pub mod handles {
    pub use super::ends::{RecvEnd, SendEnd};
    pub use super::sided::{Receiver, Sender};
}
