//! Relaxed queues, with an end for each thread.
//!
//! - [`distributed`]: many small queues behind a balancer: round robin, the better of two random
//!   ones, the least recently used one (Haas and others, "Distributed queues in shared memory", CF
//!   2013), or each producer's own (Haas and others, "Local Linearizability for Concurrent
//!   Container-Type Data Structures", CONCUR 2016). They are bounded rings here, each with a part
//!   of the capacity; the authors' are unbounded lists.
//! - [`segments`] and [`unbounded_segments`]: segments of `k` slots, with and without a bound (BSQ
//!   and USQ of the thesis).
//! - [`segment_queue`] and [`random_dequeue`]: segments whose slots are used once, and a list of
//!   which a pop takes one of the first nodes (SQ and RDQ).
//! - [`time_stamped`]: a list for each thread, and numbers of pushes (RTSQ).
//! - [`block_fifo`] and [`multi_fifo`]: windows of blocks, and rings with the times of their items.
//!
//! All but `distributed` and `multi_fifo` are compiled with the model checker's `sync`, too.

pub mod block_fifo;
pub mod dice;
pub mod distributed;
mod epochs;
mod list;
pub mod multi_fifo;
mod partial;
pub mod random_dequeue;
pub mod segment_queue;
pub mod segments;
pub mod time_stamped;
pub mod unbounded_segments;
mod words;

use crate::sync;
pub use words::{ITEM_BITS, ITEMS};
