//! Channels over the queues of [`aqueduct`], and waiting around any queue.
//!
//! Threads and tasks wait side by side. Nobody who waits is forgotten: a model checker has explored every wake-up under
//! the RC11 memory model, with time-outs and with futures that are dropped at every await.
//!
//! - [`Event`]: waiting alone, over any queue.

mod event;
mod sync;

pub use event::{Event, Wait};
