//! Queues as channels use them.

mod buffer;
mod ends;

pub(super) use buffer::{Buffer, Room};
pub(super) use ends::sealed;
pub use ends::{CountingRecvEnd, CountingSendEnd, RecvEnd, SendEnd, SoleSendEnd};
