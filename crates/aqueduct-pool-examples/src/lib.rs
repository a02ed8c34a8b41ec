//! Servers on [`aqueduct_pool`]'s tasks.
//!
//! | feature | what it has |
//! | --- | --- |
//! | `hello` | `hello`: hyper's HTTP/1 and HTTP/2 server, with the reactor of async-io; `cargo run --example hello` |
//! | `compat` | `compat`: tokio's sockets and timers in our tasks |

#[cfg(feature = "compat")]
pub mod compat;
#[cfg(feature = "hello")]
pub mod hello;
#[cfg(feature = "hello")]
pub mod stream;
