//! Queues between processes, in shared memory.
//!
//! They trust nothing in it, and survive `kill -9` at any instruction: the kernel says which side is dead, and a
//! successor goes on where it was.
//!
//! | need | call |
//! | --- | --- |
//! | items of one size | [`items::Queue::in_region`] |
//! | records: bytes of any length | [`records::Queue::in_region`] |
//! | items of many producers | `mpsc::Queue::in_region` |
//! | items of many producers, for many consumers | [`mpmc::Queue::in_region`] |
//! | small items, without places: lock-free, also in signal handlers | [`nblfq::Queue::in_region`] |
//! | the last items of many producers, for any number of readers | [`drop_old::Queue::in_region`] |
//! | the last records of one producer, for any number of readers | [`drop_old::records::Queue::in_region`] |
//! | waiting in a reactor: `poll`, tokio, async-io | [`region::event`] |
//! | memory that processes share: without a name, by name, in a file, passed over a socket | [`Region`] |
//! | a queue in memory of your own, without a system | `create` of the queue's module |
//!
//! # Examples
//! ```
//! # #[cfg(target_os = "linux")]
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! use std::time::Duration;
//! use aqueduct_shm::{Region, records};
//!
//! // Both processes do this, with sides changed. The region is found by its name, or made.
//! let name = format!("/aqueduct-page-{}", std::process::id());
//! let queue = records::Queue::in_region(Region::named(&name, 1 << 20, 0o600)?, 100_000, 0)?;
//! let mut producer = queue.take_producer()?;
//! let mut consumer = queue.take_consumer()?;
//!
//! producer.push_wait(b"bytes of any length", Duration::from_secs(1))?;
//! let mut buffer = vec![0; queue.max_len()];
//! let len = consumer.pop_wait(&mut buffer, Duration::from_secs(1))?;
//! assert_eq!(&buffer[..len], b"bytes of any length");
//! # Region::unlink(&name)?;
//! # Ok(())
//! # }
//! # #[cfg(not(target_os = "linux"))]
//! # fn main() {}
//! ```
//!
//! # Guarantees
//! * `push` and `pop` are wait-free, and those of [`mpmc`], [`nblfq`] and [`drop_old`] lock-free: they wait for no
//!   other process, call no system, and allocate nothing. A push of [`drop_old::records`] is wait-free.
//! * A pushed item is lost by no kill, and is given to nobody twice; a reader of [`drop_old`] gets or counts it. A
//!   consumer chooses between *at most once* (`pop`) and *at least once* (`peek`, then `release`); that of [`nblfq`]
//!   has the first only.
//! * The queues' code accesses the memory by atomic words only, checks each position that the other side wrote, and has
//!   no `unsafe` block but where items become bytes and bytes items. Whatever other processes write, an operation
//!   ends, touches no other memory, and fails or returns any bytes.
//! * [`Queue::attach`](items::Queue::attach) checks the header against what the caller expects, field by field.
//!
//! # What a kill leaves
//! A side is a *place*. Its process holds a lock of the kernel, which the kernel frees after the last thread of the
//! process has stopped: no store of a dead process comes after its successor's first one.
//!
//! | killed, in | before | from then on | the other side | its successor |
//! | --- | --- | --- | --- | --- |
//! | `push` | nothing happened | the item or record is in the queue | goes on, and finds it | goes on behind it |
//! | `push_slice` | nothing happened | each unit with a new stamp is in | goes on, and finds it | goes on behind it |
//! | `pop` | the item comes to the successor | it went with the process | goes on | goes on behind it |
//! | `release` | the item comes again | it does not | goes on | goes on at it, or behind it |
//! | a wake | the sleeper sleeps on | it wakes | `pop_wait`, `push_wait` look every 20 ms | |
//! | a signal | a reactor waits on | it wakes | looks at [`Peer`] when its time is up | |
//! | making a queue | the next process makes it | it is found | | |
//! | any wait | nothing happened | | goes on | takes the place at once |
//! | dropping a handle | it [died](WaitError::Died) | it [left](WaitError::Left) | is told | goes on behind it |
//!
//! The decisive moment is one store: the stamp's, the head's, or the position's. In a queue of several consumers
//! ([`mpmc`]), a push and a pop have one compare-exchange, and there are others of each side:
//!
//! | killed, in | before | from then on | all others | its successor |
//! | --- | --- | --- | --- | --- |
//! | `push` | nothing happened | the item is in the queue | go on, and find it | has as much room as it had |
//! | `pop` | the item is the next one | nobody else gets it | go on with the next item | gets it first |
//! | `pop`, behind its last store | | the item went with the process | go on | begins without an item |
//! | after `peek`, before `release` | | nobody else gets it | go on | gets it first |
//! | `release` | the successor gets the item | it does not | go on | begins without an item |
//! | taking a place | nothing happened | the place is settled | go on | settles it |
//! | `push` of [`drop_old`] | nothing happened | the item is in, and the oldest one is not | go on | goes on |
//! | `push` of [`drop_old::records`] | the oldest records may be gone | the record is in | go on | goes on behind it |
//! | a grant of [`drop_old::records`] | the oldest records may be gone | | go on | goes on |
//! | `read` of [`drop_old`] | nothing happened | | go on | is any reader |
//! | `push` of [`nblfq`] | nothing happened | the item is in the queue | go on, and find it | is any process |
//! | `pop` of [`nblfq`] | nothing happened | the item went with the process | go on | is any process |
//! | making a handle of [`nblfq`] | nothing happened | it died | are told when all are gone | is any process |
//!
//! "Its successor" is any process that takes the place: with `take_consumer`, or with `take_abandoned` for what dead
//! consumers held. Until then the item waits there. No kill costs room in the queue.
//!
//! # When the other side has left
//! A handle that is dropped leaves. When the queue has nothing for them, and all that were on the other side are gone,
//! `pop_wait`, `push_wait` and `read_wait` say [`Left`](WaitError::Left) if each of them has dropped its handle, and
//! [`Died`](WaitError::Died) if a process among them was killed, or ended without. So all that was pushed comes first.
//!
//! ```
//! use aqueduct_shm::{Peer, WaitError, items};
//! use std::time::Duration;
//!
//! let queue = items::Queue::<u64, _>::on_heap(10, 0)?;
//! let (mut producer, mut consumer) = (queue.producer()?, queue.consumer()?);
//! producer.push(7)?;
//! drop(producer);
//! let second = Duration::from_secs(1);
//! assert_eq!(consumer.pop_wait(second), Ok(7));
//! assert_eq!((consumer.pop_wait(second), consumer.peer()), (Err(WaitError::Left), Peer::Left));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! * Before the first one has come, they wait. While one of many is there, they wait.
//! * Others may come later, and then they wait again. A consumer that outlives its producers sleeps in `wait` until the
//!   next one pushes. A region that outlives all keeps how the last ones went: a first wait may say it.
//! * `peer` tells it to a side that does not wait, as does a wait with no time.
//! * A side that leaves wakes the other one, and signals events. If it is killed before that, a wait finds it after
//!   20 ms at the latest.
//! * Of handles that the kernel does not know, nobody learns that they died: those in memory of your own, and those of
//!   [`nblfq`] that `take_producer` and `take_consumer` have not made. As long as one of them is not dropped, the
//!   other side waits for it. A reader of [`drop_old`] in a region asks the kernel if `take_reader` has made it.
//! * Handles of `nblfq` are counted only: when one of them has died, later ends are `Died`, too.
//!
//! # What a stop leaves
//! | stopped (`SIGSTOP`), in | the other side | its place | when it comes back |
//! | --- | --- | --- | --- |
//! | any operation | goes on until the queue is empty or full | stays [`Held`](PlaceError::Held) | goes on as before |
//! | making a queue | gets an error after a second | | goes on |
//! | dropping a handle | waits, or is told that it has left | stays held | goes on |
//! | an operation of [`mpmc`] | goes on, as does its own side | stays held, with at most one item | goes on as before |
//! | `push` of [`drop_old`] | goes on, as does its own side | stays held | goes on as before |
//! | `read` of [`drop_old`] | goes on, as does its own side | has none | counts what it lost |
//! | an operation of [`nblfq`] | goes on, as does its side | has none | goes on, within a [limit](nblfq#the-counter) |
//!
//! A live process is never taken for a dead one, however long it is stopped: there is no time-out after which its place
//! would be given away, so it cannot overwrite a successor's items. To replace it, kill it.
//!
//! # How it is known
//! The source is compiled on the model checker (`proofs/under-model/shm`), which explores every execution of
//! small programs under RC11, also with a side killed at each of its steps; each ordering is needed by one of them, and
//! each of the faults that were put in is found. Tests step a process through each instruction of `push` and `pop`,
//! kill processes at random, and overwrite the memory of queues at work.
//!
//! # When not to use it
//! Between machines, or for data that must survive a crash of the machine. Between threads, `aqueduct` has faster and
//! more general queues. With processes that you do not trust, use sealed regions only: [`Region::anonymous`], and
//! [`Region::receive`]. A hostile process can still keep its place, or write garbage.
//!
//! # Beside publish and subscribe
//! What libraries such as iceoryx2 have, and what is here instead:
//!
//! | there | here |
//! | --- | --- |
//! | a service by name; the list of services | [`Region::named`]; [`Region::names`] |
//! | a node is dead, or left; what it left is removed | [`Peer`], `take_producer`, `take_consumer`; [`Region::sweep`] |
//! | subscribers that lose the oldest samples; history for late ones | [`drop_old`]: a reader begins with the oldest |
//! | the last value | [`drop_old::records`] |
//! | subscribers for which the publisher waits | a queue for each of them |
//! | requests and responses | a queue in each direction |
//! | a sample that is lent for writing | `reserve` of [`records`] and of [`drop_old::records`] |
//! | a sample that is read where it lies | none: it is copied, because another process can change it meanwhile |
//! | a wait set | the [events](region::event) of several queues, in one `poll` or `epoll` |
//! | async | events, with a reactor's type for files; no future of its own |
//! | C, C++ | `aqueduct-c` |
//! | Python, C#, Java, Go; Windows | none |
//!
//! # Platforms
//! [`Region`] and [`Event`] need Linux (`memfd_create`, open-file-description locks, futexes, `eventfd`, `/proc`). The
//! queues need 64-bit atomics and `alloc`, and no `std`: turn the default feature off.
//!
//! Elsewhere the queues are the same, in any memory for which you implement [`Memory`], such as a file that you map.
//! There, a wait sleeps for a millisecond at a time, no event exists, and a handle's place is its number in the memory:
//! `replace_producer` and `replace_consumer` take it when you know that its process is dead. macOS has no seals, and no
//! locks on its named memory that would say so.

#![no_std]

extern crate alloc;
#[cfg(feature = "std")]
extern crate std;

mod bell;
#[cfg(feature = "std")]
mod blocking;
mod bytes;
mod cells;
pub mod drop_old;
mod error;
mod front;
pub mod items;
mod lanes;
mod layout;
pub mod mpmc;
pub mod mpsc;
pub mod nblfq;
mod peer;
mod pod;
pub mod records;
#[cfg(all(feature = "std", target_os = "linux"))]
pub mod region;
mod sync;

#[cfg(feature = "std")]
pub use blocking::WaitError;
pub use error::{AttachError, CapacityError, ClaimError, Mismatch, PopError, PushError, RecordError};
pub use layout::{Expected, Memory, Peer};
pub use pod::Pod;
#[cfg(all(feature = "std", target_os = "linux"))]
pub use region::{Event, OpenError, Place, PlaceError, Region};
pub use sync::Word;
