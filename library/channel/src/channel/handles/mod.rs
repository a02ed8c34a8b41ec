//! Handles that belong to one thread each, whatever their sidedness.

mod batches;
mod channel;
pub(super) mod futures;
mod methods;
mod reserve;
mod selectable;
pub(super) mod shared;
pub(super) mod sided;
pub(super) mod tasks;
pub(super) mod weak;

pub use super::permits::SolePermit as Permit;
pub use super::queues::{CountingRecvEnd, CountingSendEnd, RecvEnd, SendEnd, SoleSendEnd};
pub(crate) use batches::add_many;
pub use futures::{RecvFuture, SendFuture};
pub(crate) use methods::receiver_methods;
pub use reserve::ReserveFuture;
pub use sided::{IntoIter, Receiver, Sender};
pub use weak::WeakHandle as WeakSender;
