//! Servers on [`aqueduct_pool`]'s tasks.
//!
//! | feature | contents |
//! | --- | --- |
//! | `hello` | `hello`: hyper's HTTP/1 and HTTP/2 server, with the reactor of async-io; `cargo run --example hello` |
//! | `greeter` | `greeter`: tonic's gRPC server and client, over hyper; `cargo run --example greeter` |
//! | `compat` | `compat`: tokio's sockets and timers in our tasks |
//! | `load` | `load`: both servers under load, beside tokio and smol; `cargo run --release --example load` |

#[cfg(feature = "compat")]
pub mod compat;
#[cfg(feature = "greeter")]
pub mod greeter;
#[cfg(feature = "hello")]
pub mod hello;
#[cfg(feature = "load")]
pub mod load;
#[cfg(feature = "hello")]
pub mod stream;
