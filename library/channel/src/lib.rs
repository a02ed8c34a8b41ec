//! Channels over the queues of [`aqueduct`], and waiting around any queue.
//!
//! Threads and tasks wait side by side, and none of them is forgotten: a model checker has explored
//! their wake-ups under the RC11 memory model, with time-outs and with futures that are dropped
//! while they wait.
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
//! Several kinds at once:
//!
//! ```
//! use aqueduct_channel::{bounded, broadcast, select, spsc};
//!
//! let (jobs, job) = bounded(100)?; // Any number of threads share each end.
//! let (mut samples, mut sample) = spsc::bounded(4096)?; // One thread on each end: faster.
//! let (news, mut new) = broadcast::channel(16)?; // Each receiver gets all; senders never wait.
//! std::thread::spawn(move || jobs.send("a thread waits for room"));
//! std::thread::spawn(move || samples.reserve().map(|permit| permit.send(0.5)));
//! news.send(7)?;
//! select! {
//!     recv(job) -> text => println!("{}", text?),
//!     recv(sample) -> number => println!("{}", number?),
//!     recv(new) -> number => println!("{}", number?),
//!     default(std::time::Duration::from_secs(1)) => println!("nothing came"),
//! }
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
//! *Shared* are [`bounded`], [`unbounded`] and [`rendezvous`]; *single* is the sender of [`spsc`]
//! and [`spmc`]; *multi* are those of [`mpsc`] and [`mpmc`].
//!
//! | | shared | single | multi | [`relaxed`] | [`records`] | [`broadcast`] | [`latest`] | [`oneshot`] |
//! | --- | --- | --- | --- | --- | --- | --- | --- | --- |
//! | send: wait, try, time-out, deadline, async | yes | yes | yes | yes | yes | a | a | a |
//! | receive: wait, try, time-out, deadline, async | yes | yes | yes | yes | yes | yes | yes | yes |
//! | `reserve`, `try_`, `_deadline`, `_async` | yes | yes | b | b | yes | a | a | a |
//! | `send_all`, `send_all_async` | yes | yes | yes | yes | c | a | a | d |
//! | `recv_many`, `recv_many_async` | yes | yes | yes | yes | c | yes | yes | d |
//! | `iter`, `try_iter`, `into_iter` | yes | yes | yes | yes | c | yes | yes | d |
//! | `stream`, `into_stream` (feature `futures`) | yes | yes | yes | yes | c | yes | yes | d |
//! | `sink`, `into_sink` (feature `futures`) | yes | yes | yes | yes | c | itself | itself | d |
//! | `is_closed` | yes | yes | yes | yes | yes | yes | yes | yes |
//! | `close` | yes | yes | yes | yes | e | a | a | receiver |
//! | `is_empty` | yes | receiver | receiver | receiver | receiver | receiver | `has_changed` | receiver |
//! | `len` | yes | receiver | receiver | f | receiver | receiver | d | d |
//! | `capacity` | yes | yes | yes | f | yes | yes | d | d |
//! | `is_full` | yes | yes | yes | f | f | a | a | d |
//! | `same_channel` | yes | yes | yes | yes | yes | yes | yes | d |
//! | `downgrade` | yes | d | yes | g | g | yes | yes | d |
//! | in [`select!`], [`Select`]: their futures | yes | yes | yes | yes | yes | yes | yes | yes |
//! | in [`IndexSelect`]: `recv`, `recv_case` | yes | yes | yes | yes | yes | yes | yes | yes |
//! | in [`IndexSelect`]: `send`, `reserve_case` | yes | yes | b | b | b | a | a | a |
//!
//! - a: A sender never waits, so it has one `send`, whose room needs no reservation. No wait has to
//!   be ended by a `close`: the channel ends with its senders.
//! - b: `reserve` is missing because a slot that is reserved but unused would block all receivers
//!   behind it. In `relaxed`, the receiver may take a sender's capsule. In `records`, receivers do
//!   wait for bytes that are being written; a [`Select`] chooses a reservation there by its future.
//! - c: A record borrows its receiver, so there is one at a time. A sender copies bytes, which stay
//!   with the caller.
//! - d: There is one message, one value, or one sender.
//! - e: Bytes written in place cannot be given back. Drop the handles.
//! - f: Room comes in blocks or capsules, which may be partly used. The senders of block-based
//!   queues have no `len`, because producers do not read how far the consumers have come until they
//!   need room.
//! - g: Each sender is registered in the queue of `relaxed`, for a number of senders that is fixed
//!   (`try_clone`). In `records`, dropping a sender cancels a grant leaked with `mem::forget`, so
//!   the sender must outlive it.
//!
//! # Futures that are dropped
//! A future can be dropped at any time. A wake-up that it has not used goes to another waiter.
//! Effect of dropping each future:
//!
//! | future | dropped before it is ready |
//! | --- | --- |
//! | `send_async` | nothing is sent; the message is dropped with the future |
//! | `send_async` of a [`rendezvous`] | nothing is sent, unless a receiver has just taken the message |
//! | `send_all_async` | messages that are not sent are left, in their order; those that are sent are gone |
//! | `reserve_async` | nothing is reserved; a receiver that a [`rendezvous`] had promised the message waits again |
//! | `recv_async`, `recv_many_async`, streams | nothing is received |
//! | `recv_async` of a [`rendezvous`] | nothing is received; a message that came for it is the next receiver's |
//! | `reserve_async`, `send_async` of [`records`] | there is no record |
//! | a sink | its room is given back; a sink of a handle drops a message that was not flushed |
//! | a [`Select`] | what the drop of each of its futures does |
//!
//! To keep a message when its future is dropped, await `reserve_async` first, and send with the
//! permit. A forgotten future ([`std::mem::forget`]) keeps its place in the queue of waiters. It
//! may get the next wake-up, which is then lost. A forgotten permit of a [`rendezvous`] keeps its
//! receiver waiting until that receiver's time-out, or until the channel is closed.
//!
//! The messages of one sender come to one receiver in their order, whichever futures are dropped.
//!
//! A future that is polled again after it was ready begins anew if it receives a message or
//! reserves room in a shared channel. A send is ready again, and sends nothing. A [`Select`] and a
//! reservation of [`records`] panic. None of them keeps other handles from their messages.
//!
//! # Threads and tasks
//! Each channel has blocking and asynchronous methods on both ends, and both can be mixed: a handle
//! is of one type for threads and for tasks. So there is nothing to convert (`to_async`,
//! `into_blocking`, `as_sync` in other crates): a thread calls `recv`, a task `recv_async`, on the
//! same handle. With the feature `futures`, receivers are streams and senders sinks (module
//! `stream`).
//!
//! Where several senders share a channel of at most four messages with one receiver, a receiver
//! that makes room pushes the message of the first thread that waits. Where several receivers share
//! a channel for one message with one sender, the sender pops it for the first thread that waits.
//! Futures send and receive by their tasks alone: one that is dropped has done neither.
//!
//! # Stability
//! The crate follows Semantic Versioning, but the modules [`relaxed`] and [`records`] are unstable:
//! a release may change or remove them.
//!
//! # Bad input
//! - A capacity of 0 is a [`rendezvous`] for [`bounded`], and an error for all other channels.
//! - With a deadline that has passed, or a time-out of zero, an operation is tried once. A time-out
//!   beyond the clock's range never passes.
//! - `recv_many` of 0 messages, and `send_all` of none, succeed at once.
//! - A [`Select`] or [`IndexSelect`] without operations panics if it would wait forever, and finds
//!   nothing otherwise. A task that awaits a [`Select`] without operations waits forever.
//! - The second `close` of a channel does nothing and returns `false`. A sink panics if a message
//!   is put into it before it is ready; an operation that an [`IndexSelect`] has chosen, if it is
//!   completed with another handle, or dropped.

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
pub use select::{IndexSelect, Operation, Select, SelectCase, SelectedOperation};
