//! BWoS as it was before its orderings were made minimal: the library's source, with another `sync`, where each is
//! `SeqCst`.

#![no_std]

extern crate alloc;
extern crate std;

#[path = "../../aqueduct/src/bwos/mod.rs"]
pub mod bwos;
#[allow(dead_code, reason = "other queues' errors")]
#[path = "../../aqueduct/src/error.rs"]
pub mod error;
#[allow(dead_code, reason = "other queues' memory")]
#[path = "../../aqueduct/src/heap.rs"]
mod heap;
#[path = "../../aqueduct/src/hold.rs"]
mod hold;
#[allow(dead_code, reason = "other queues' layouts")]
#[path = "../../aqueduct/src/isolated.rs"]
mod isolated;
#[allow(unused_macros, reason = "other queues' traits")]
#[path = "../../aqueduct/src/queue.rs"]
pub mod queue;
mod sync;
