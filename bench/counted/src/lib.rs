//! NBLFQ on exchanges that are counted: the library's source, with another `sync`.
//!
//! Each thread counts its own exchanges, without an atomic, so that the counts hardly disturb the
//! measurement. Crates with other queues to count can use the exchanges, too.

#![no_std]

extern crate alloc;
extern crate std;

#[allow(dead_code, reason = "other queues' arrays")]
#[path = "../../../library/queues/src/array.rs"]
mod array;
#[allow(dead_code, reason = "other queues' errors")]
#[path = "../../../library/queues/src/error.rs"]
pub mod error;
#[allow(dead_code, reason = "other queues' memory")]
#[path = "../../../library/queues/src/heap.rs"]
mod heap;
#[allow(dead_code, reason = "other queues' layouts")]
#[path = "../../../library/queues/src/isolated.rs"]
mod isolated;
#[path = "../../../library/queues/src/nblfq/mod.rs"]
pub mod nblfq;
#[path = "../../../library/queues/src/plain.rs"]
mod plain;
#[allow(unused_macros, reason = "other queues' traits")]
#[path = "../../../library/queues/src/queue.rs"]
pub mod queue;
mod sync;
mod tally;
#[path = "../../../library/queues/src/word.rs"]
mod word;

pub use sync::AtomicU64;
pub use tally::{Tally, note, take};
