//! Channels over the queues of [`aqueduct`], and waiting around any queue.
//!
//! Threads and tasks wait side by side, and none of them is forgotten: a model checker has explored their wake-ups
//! under the RC11 memory model, with time-outs and with futures that are dropped while they wait.
//!
//! ```
//! use aqueduct_channel::bounded;
//!
//! let (sender, receiver) = bounded(100)?;
//! let thread = std::thread::spawn(move || receiver.iter().sum::<u32>());
//! for number in 1..=1000 {
//!     sender.send(number)?;
//! }
//! drop(sender);
//! assert_eq!(thread.join().expect("it ends"), 500_500);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! | you need | take |
//! | --- | --- |
//! | handles that threads share, as `crossbeam_channel::bounded` | [`bounded`] |
//! | such handles, and no limit of messages | [`unbounded`] |
//! | one handle for each thread, faster | [`spsc`], [`mpsc`], [`spmc`], [`mpmc`] |
//! | senders that never meet, and an order that may be off by less than `k` | [`relaxed`] |
//! | bytes of any length, written and read in place | [`records`] |
//! | one message, as the answer to a request | [`oneshot`] |
//! | every receiver to get each message | [`broadcast`] |
//! | the newest value of something, and to learn when it changes | [`latest`] |
//! | the first of several operations | [`select!`], [`Select`] |
//! | waiting alone, over any queue | [`Event`] |
//!
//! # What the handles have
//! | | [`Sender`], [`Receiver`] | [`handles`] of `spsc` ... `mpmc` | [`broadcast`] | [`latest`] | [`oneshot`] |
//! | --- | --- | --- | --- | --- | --- |
//! | send: wait, try, time-out, deadline, async | yes | yes | never waits | never waits | never waits |
//! | receive: wait, try, time-out, deadline, async | yes | yes | yes | yes | yes |
//! | `send_all`, `send_all_async` | yes | yes | | | |
//! | `recv_many`, `recv_many_async`, `iter`, `try_iter` | yes | yes | yes | yes | |
//! | `into_iter` of a receiver | yes | yes | | | |
//! | `reserve`, `try_reserve`, `reserve_async` | yes | | | | |
//! | `stream`, `into_stream` (feature `futures`) | yes | yes | yes | yes | |
//! | `sink`, `into_sink` (feature `futures`) | yes | | | | |
//! | `is_closed` | yes | yes | yes | yes | yes |
//! | `close` | yes | | | | receiver |
//! | `len`, `is_empty` | yes | receiver | receiver | `has_changed` | receiver: `is_empty` |
//! | `capacity` | yes | yes | yes | | |
//! | `is_full` | yes | yes | | | |
//! | `same_channel` | yes | yes | yes | yes | |
//! | `downgrade` | yes | `mpsc`, `mpmc` | | | |
//! | in a [`Select`] by their futures | yes | yes | yes | yes | yes |
//! | in an [`IndexSelect`] | yes | | | | |
//!
//! [`relaxed`] has the handles of `spsc` without `len`, `capacity` and `is_full`, and `try_clone` of a sender.
//! [`records`] has `reserve` and `send` of bytes and `recv`, each waiting, trying, with time-out, deadline and async.
//!
//! Channels without `close` are closed by their last sender or receiver: a send of their handles cannot take a message
//! back that comes too late. The senders of handles have no `len`, because their queues' producers do not read how far
//! the consumers have come until they need room.
//!
//! # Threads and tasks
//! Each channel has blocking and asynchronous methods on both ends, and both can be mixed: a handle is of one type for
//! threads and for tasks. So there is nothing to convert (`to_async`, `into_blocking`, `as_sync` in other crates): a
//! thread calls `recv`, a task `recv_async`, on the same handle. With the feature `futures`, receivers are streams and
//! senders sinks (module `stream`).
//!
//! # Bad input
//! - A capacity of 0 is a [`rendezvous`] for [`bounded`], and an error for all other channels.
//! - With a deadline that has passed, or a time-out of zero, an operation is tried once. A time-out that the clock
//!   cannot tell never passes.
//! - `recv_many` of 0 messages, and `send_all` of none, succeed at once.
//! - A [`Select`] or [`IndexSelect`] over nothing panics if it would wait forever, and finds nothing otherwise.

pub mod broadcast;
mod channel;
pub mod error;
mod event;
mod feed;
#[doc(hidden)]
pub mod internal;
pub mod latest;
mod list;
pub mod oneshot;
mod select;
mod select_macro;
mod spin;
#[cfg(feature = "futures")]
pub mod stream;
mod sync;
mod wake;

pub use channel::{
    IntoIter, Permit, Receiver, RecvFuture, ReserveFuture, SendFuture, Sender, WeakSender, bounded, handles, mpmc,
    mpsc, records, relaxed, rendezvous, spmc, spsc, unbounded, unbounded_with_block_size,
};
pub use event::{Event, Wait};
pub use select::{IndexSelect, Operation, Select, SelectedOperation};
