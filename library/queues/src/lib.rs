//! Non-blocking queues that move data and work between threads.
//!
//! An exhaustive model checker has explored their source under the RC11 memory model.
//!
//! ```
//! use aqueduct::mpmc;
//!
//! let (mut producer, mut consumer) = mpmc::new(1000)?;
//! let mut other = producer.clone();
//! std::thread::scope(|scope| {
//!     scope.spawn(move || producer.push("one").expect("there is room"));
//!     scope.spawn(move || other.push("two").expect("there is room"));
//! });
//! assert_eq!(consumer.drain().count(), 2);
//! # Ok::<(), aqueduct::error::CapacityError>(())
//! ```
//!
//! # Which queue?
//!
//! | need | call | order | a stalled thread holds up |
//! | --- | --- | --- | --- |
//! | one producer, one consumer | [`spsc::ring::new`] | FIFO | nobody |
//! | one-to-one, throughput alone | [`bbq::spsc::new`] | FIFO | nobody |
//! | many on a side, a handle each | [`mpsc::new`], [`spmc::new`], [`mpmc::new`] | FIFO | threads at its block |
//! | many on a side, shared by reference | [`bbq::Queue::new`] | FIFO | threads at its block |
//! | an exact capacity, slots to reserve | [`exact::Queue::new`] | FIFO | threads at its slot |
//! | records of any length, in place | [`bbq::records::mpmc::new`] | FIFO | threads at its block |
//! | large items of one type, in place | [`bbq::slots::mpmc::new`] | FIFO | threads at its block |
//! | the last items, producers never wait | [`bbq::drop_old::mpmc::new`] | FIFO | producers at its block |
//! | work stealing | [`bwos::lifo::new`], [`bwos::fifo::new`] | LIFO, FIFO | never the owner |
//! | many, where order may be off by `k` | [`cnq::Queue::new`] | k-relaxed | threads `k` items ahead |
//! | requests and responses of two threads | [`spsc::duplex::new`] | FIFO | nobody |
//! | no limit but memory | [`unbounded::Queue::new`] | FIFO | nobody (lock-free) |
//! | signal handlers, `static` queues | [`nblfq::Queue::new`] | FIFO | nobody (lock-free) |
//!
//! All but [`unbounded`] are bounded. No queue here blocks or wakes a thread. [`queue`] has traits
//! over all of them. [`error`] lists why a push or a pop fails, and explains `Busy`.
//!
//! [`waiting`] shows how to sleep, wake and close around the queues.
//!
//! Every queue is written once, on one small private module, `sync`. That module alone names
//! atomics and cells, and its backend is chosen at compile time, so a queue's source that ships is
//! the source that is checked. The backend is not checked: four of its parts run native
//! instructions, and the checker explores only their meaning. They are a comparison with a word in
//! memory (one instruction on x86-64), the exchange of two words (`cmpxchg16b`, `caspal`),
//! asymmetric fences ([`fences`]: a fence of the compiler here, `membarrier` there), and a light
//! fence that is left out before such a comparison.
//!
//! Your code around a queue can be checked, too: build it with `RUSTFLAGS="--cfg aqueduct_model"`,
//! and take threads and atomics from the package `aqueduct-model` in place of std's, as with loom.
//! `examples/checked` shows how.
//!
//! # Stability
//!
//! The crate follows Semantic Versioning, but for these modules, which a release may change or
//! remove: [`cnq`], [`tube`], [`faaq`], [`nblfq::wide`], [`bbq::slots`], [`fences`], and all of
//! [`spsc`] but [`ring`](spsc::ring) and [`duplex`](spsc::duplex). Each of their pages says so.
//!
//! # Features
//!
//! The crate is `no_std` with `alloc`. Its features:
//! - `std` (default) serves on Linux: [`cnq`] uses the system's asymmetric fences, [`bwos::policy`]
//!   finds the machine's NUMA nodes.
//! - `mirrored` needs `std`. It maps the pages of a ring twice, so that every run of slots is one
//!   slice.
//! - `derive`, `bytemuck` and `zerocopy` serve items of drop-old queues: see [`plain`].

#![no_std]

extern crate alloc;
#[cfg(feature = "std")]
extern crate std;

mod array;
mod backoff;
#[doc(alias = "block queue")]
#[doc(alias = "channel")]
#[doc(alias = "ring buffer")]
pub mod bbq;
#[doc(alias = "deque")]
#[doc(alias = "chase-lev")]
#[doc(alias = "scheduler")]
pub mod bwos;
#[doc(alias = "relaxed")]
pub mod cnq;
pub mod deque;
mod division;
pub mod error;
#[doc(alias = "ArrayQueue")]
#[doc(alias = "permit")]
#[cfg(target_has_atomic = "64")]
pub mod exact;
pub mod faaq;
pub mod fences;
mod heap;
mod hold;
mod isolated;
#[doc(alias = "lockfree")]
#[doc(alias = "signal handler")]
pub mod nblfq;
pub mod plain;
pub mod queue;
mod sides;
pub mod spsc;
mod sync;
pub mod tube;
#[doc(alias = "SegQueue")]
#[doc(alias = "channel")]
#[doc(alias = "linked list")]
pub mod unbounded;
mod unwind;
pub mod waiting;
mod word;

/// Modules under the names that users of other crates look for.
#[doc(no_inline)]
pub use {
    bbq::{drop_old, mpmc, mpsc, records, spmc},
    cnq as relaxed, nblfq as lockfree,
};

/// The README's program, which the doc tests run.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
