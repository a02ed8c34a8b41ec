//! The deque of Chase and Lev as published in C11 (Lê, Pop, Cohen, Zappa Nardelli, "Correct and
//! efficient work-stealing for weak memory models", PPoPP 2013): a known answer for
//! `aqueduct verify --minimal`.
//!
//! Ten of its orderings are stronger than `Relaxed`. Without any one of these six, a client fails:
//! both `SeqCst` fences, in `take` and in `steal`; the fence of `push` and the load of `bottom` in
//! `steal`, which pass the items on; the store of a larger array and the load of it in `steal`,
//! which pass the array on. Two are known to be stronger than necessary, and the check reports
//! them: the compare-exchange of `take`, and the load of `top` in `steal`, which a fence follows.
//!
//! Two more are not needed here, and may be elsewhere:
//!
//! - The compare-exchange of `steal`. In the C11 of that time a `SeqCst` fence did not order what
//!   its thread had merely read, such as a theft by another thief; only a `SeqCst` compare-exchange
//!   did. Since C++20, in RC11 and in Rust, the fences order it without help.
//! - The load of `top` in `push`. It keeps the store of the new item behind the thief's load of the
//!   old one from the reused slot. RC11 has no load buffering, so there a load cannot see a store
//!   that depends on a later event anyway. On hardware it may, so a deque that ships keeps this
//!   `Acquire`.

mod clients;
pub mod deque;

pub use clients::clients;

/// The queue's name in the names of its clients.
pub const NAME: &str = "chase_lev";
