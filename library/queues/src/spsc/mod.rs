//! Queues for one producer and one consumer. Start with [`ring`].
//!
//! | queue | carries | capacity | take it for |
//! | --- | --- | --- | --- |
//! | [`ring`] | anything | at least | single items; low latency; the one to start with |
//! | [`batched_lamport`] | anything | exact | large batches; slices in place; mirrored rings |
//! | [`duplex`] | anything | at least | requests and responses between two threads |
//! | [`fast_forward`] | non-zero words | exact | pointers, exactly bounded |
//! | [`improved_fast_forward`] | non-zero words | at least | pointers where the producer is faster |
//! | [`batched_improved_fast_forward`] | non-zero words | at least | pointers that come in bursts |
//! | [`lazy_lamport`], [`lamport`] | anything | exact | exactly bounded; the baselines |
//!
//! The program `aqueduct` measures all of them on your machine, beside the queues of other crates.
//!
//! A function of each module returns `(Producer, Consumer)`. Each handle is [`Send`] if the items
//! are, and takes `&mut self`, so a second producer or consumer does not compile.
//!
//! # Speed
//! Keep a handle in a local variable of the loop that uses it: move it into the thread's closure,
//! not behind a reference or into a shared struct. Its state then lives in registers, which makes
//! it much faster at full speed.
//!
//! # Guarantees
//! No operation blocks, pauses or allocates. Items that are left when both handles are gone are
//! dropped, each once.
//!
//! # Design and proof
//! [`lamport`], [`lazy_lamport`], [`batched_lamport`], [`fast_forward`], [`improved_fast_forward`]
//! and [`batched_improved_fast_forward`] are the six queues of Maffione, Lettieri and Rizzo,
//! "Cache-aware design of general-purpose Single-Producer-Single-Consumer queues" (2018). [`ring`]
//! and [`duplex`] are our own.

// The algorithms' own ends are public only as parameters of `Producer` and `Consumer`, which have
// `Debug`.
#![allow(missing_debug_implementations)]

mod batches;
mod consumer;
mod indexed;
mod lines;
mod mirror;
mod partitions;
mod producer;
mod raw;
mod slots;
mod stamped_shared;
mod words;

pub mod batched_improved_fast_forward;
pub mod batched_lamport;
pub mod duplex;
pub mod fast_forward;
pub mod improved_fast_forward;
pub mod lamport;
pub mod lazy_lamport;
pub mod ring;
mod stamped_line;

pub use crate::word::NonZeroWord;
pub use batches::{Peek, PopBatch, PushBatch};
pub use consumer::{Consumer, ReadBatch};
pub use duplex::new;
pub use producer::{Producer, WriteBatch};
