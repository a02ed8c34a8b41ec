//! Channels over queues.
//!
//! From below: [`queues`] adapts queues to channels, [`core`] sends, receives and counts handles
//! over a queue, and [`rendezvous`] over none. [`permits`] have room for a message. [`handles`] are
//! what users have; [`records`] and [`relaxed`] are channels with handles of their own.

mod closing;
mod core;
pub mod handles;
mod permits;
mod queues;
pub mod records;
pub mod relaxed;
mod rendezvous;

pub(crate) use handles::receiver_methods;
pub use handles::shared::{
    IntoIter, Receiver, Sender, bounded, rendezvous, rendezvous_of_threads, unbounded, unbounded_with_block_size,
};
pub use handles::sided::{mpmc, mpsc, spmc, spsc};
pub use handles::tasks::{RecvFuture, ReserveFuture, SendFuture};
pub use handles::weak::WeakSender;
pub use permits::Permit;
