//! Queues between processes, in shared memory.
//!
//! They trust no value in that memory, and survive `kill -9` at any instruction: the kernel knows
//! which side is dead, and a successor continues where the dead process stopped.
//!
//! | need | call |
//! | --- | --- |
//! | items of one size | [`items::Queue::in_region`] |
//! | records: bytes of any length | [`records::Queue::in_region`] |
//! | items of many producers | `mpsc::Queue::in_region` |
//! | items of many producers, for many consumers | [`mpmc::Queue::in_region`] |
//! | small items, any number of handles, lock-free, also in signal handlers | [`nblfq::Queue::in_region`] |
//! | broadcast: the last items of many producers, for any number of readers | [`drop_old::Queue::in_region`] |
//! | broadcast: the last records of one producer, for any number of readers | [`drop_old::records::Queue::in_region`] |
//! | waiting in a reactor: `poll`, tokio, async-io | [`region::event`] |
//! | shared memory: anonymous, by name, in a file, or passed over a socket | [`Region`] |
//! | a queue in memory of your own, without an operating system | `create` of the queue's module |
//!
//! # Examples
//! ```
//! # #[cfg(target_os = "linux")]
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! use std::time::Duration;
//! use aqueduct_shm::{Region, records};
//!
//! // Both processes do this, each with its own side. The region is found by its name, or made.
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
//! * `push` and `pop` are wait-free; those of [`mpmc`] and [`nblfq`], and the push of [`drop_old`],
//!   are lock-free. They do not wait for another process, make no system call, and do not allocate.
//! * No kill loses a pushed item, and no item is popped twice; a reader of [`drop_old`] gets or
//!   counts each item. A consumer chooses between *at most once* (`pop`) and *at least once*
//!   (`peek`, then `release`); [`nblfq`] has only the first.
//! * The queues access the memory by atomic words only, and check each position that the other side
//!   wrote. Their only `unsafe` blocks convert items to bytes and back. Whatever other processes
//!   write, an operation ends, accesses no other memory, and fails or returns arbitrary bytes.
//! * [`Queue::attach`](items::Queue::attach) compares each field of the header with the value that
//!   the caller expects.
//!
//! # Effects of a kill
//! A side is a *place*. Its process holds a lock of the kernel. The kernel frees the lock after the
//! last thread of the process has stopped: no store of a dead process comes after its successor's
//! first one.
//!
//! | killed, in | before | from then on | the other side | its successor |
//! | --- | --- | --- | --- | --- |
//! | `push` | nothing has happened | the item or record is in the queue | finds it | continues behind it |
//! | `push_slice` | nothing has happened | each unit with a new stamp is in | finds it | continues behind it |
//! | `pop` | the successor gets the item | it is lost with the process | continues | continues behind it |
//! | `release` | the successor gets the item again | it does not | continues | continues at it, or behind it |
//! | a wake | the sleeper stays asleep | it wakes | `pop_wait`, `push_wait` check every 20 ms | |
//! | a signal | a reactor keeps waiting | it wakes | checks [`Peer`] after its timeout | |
//! | making a queue | the next process makes it | it is found | | |
//! | any wait | nothing has happened | | continues | takes the place at once |
//! | dropping a handle | it [died](WaitError::Died) | it [left](WaitError::Left) | observes it | continues behind it |
//!
//! The decisive moment is one store: that of the stamp, the head, or the position. In [`mpmc`],
//! [`nblfq`] and [`drop_old`], it is the compare-exchange of a push or a pop. There, and in
//! [`drop_old::records`], a side can have several handles:
//!
//! | killed, in | before | from then on | all others | its successor |
//! | --- | --- | --- | --- | --- |
//! | `push` | nothing has happened | the item is in the queue | continue, and find it | has as much room as before |
//! | `pop` | the item is the next one | no other consumer gets it | continue with the next item | gets it first |
//! | `pop`, behind its last store | | the item is lost with the process | continue | starts without an item |
//! | after `peek`, before `release` | | no other consumer gets the item | continue | gets it first |
//! | `release` | the successor gets the item | it does not | continue | starts without an item |
//! | taking a place | nothing has happened | the place is recovered | continue | recovers it |
//! | `push` of [`drop_old`] | nothing has happened | the item is in, and the oldest one is not | continue | continues |
//! | `push` of [`drop_old::records`] | oldest records may be gone | the record is in | continue | continues behind it |
//! | a grant of [`drop_old::records`] | oldest records may be gone | | continue | continues |
//! | `read` of [`drop_old`] | nothing has happened | | continue | is any reader |
//! | `push` of [`nblfq`] | nothing has happened | the item is in the queue | continue, and find it | is any process |
//! | `pop` of [`nblfq`] | nothing has happened | the item is lost with the process | continue | is any process |
//! | making a handle of [`nblfq`] | nothing has happened | it died | observe it when all are gone | is any process |
//!
//! "Its successor" is any process that takes the place: with `take_producer`, with `take_consumer`,
//! or with `take_abandoned`, which takes the places of dead consumers that held items. Until then
//! the item stays in the place. No kill reduces the capacity.
//!
//! # Departure of the other side
//! A handle leaves when it is dropped. `pop_wait`, `push_wait` and `read_wait` return
//! [`Left`](WaitError::Left) if the other side has no handle any more and each was dropped, and
//! [`Died`](WaitError::Died) if one of their processes was killed, or ended without dropping its
//! handle. They return so only after the queue has nothing left for the caller: pushed items come
//! first.
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
//! * Before the other side has its first handle, they wait. While one of many handles is left, they
//!   wait.
//! * If another handle is made later, they wait again. A consumer that outlives its producers
//!   sleeps in `wait` until the next one pushes. A region that outlives all handles keeps the state
//!   of the last ones: a first wait may return it.
//! * `peer` returns this state without waiting, as does a wait with a timeout of zero.
//! * A side that leaves wakes the other one, and signals events. If it is killed before that, a
//!   wait detects it within 20 ms.
//! * The death of a handle without a lock of the kernel is not detected: in memory of your own, and
//!   for handles of [`nblfq`] that `take_producer` and `take_consumer` have not made. Until such a
//!   handle is dropped, the other side waits for it. A reader of [`drop_old`] in a region asks the
//!   kernel if `take_reader` has made it.
//! * Handles of `nblfq` are only counted: after one of them has died, a later departure of all is
//!   reported as `Died`, too.
//!
//! # Effects of a stop
//! | stopped (`SIGSTOP`), in | the other side | its place | when it resumes |
//! | --- | --- | --- | --- |
//! | any operation | continues until the queue is empty or full | stays [`Held`](PlaceError::Held) | continues |
//! | making a queue | gets an error after a second | | continues |
//! | dropping a handle | waits, or observes that it has left | stays held | continues |
//! | an operation of [`mpmc`] | all others continue | stays held, with at most one item | continues |
//! | `push` of [`drop_old`] | all others continue | stays held | continues |
//! | `read` of [`drop_old`] | all others continue | has none | counts the items that it lost |
//! | an operation of [`nblfq`] | all others continue | has none | continues, with a [limit](nblfq#the-counter) |
//!
//! A live process is never taken for a dead one, however long it is stopped. No timeout releases
//! its place, so it cannot overwrite a successor's items. To replace it, kill it.
//!
//! # Verification
//! The source is compiled on the model checker (`proofs/under-model/shm`), which explores every
//! execution of small programs under RC11, also with a side killed at each of its steps; Each
//! ordering is needed by one of them, and each planted fault is found by one. Tests step a process
//! through each instruction of `push` and `pop`, kill processes at random, and overwrite the memory
//! of queues in use.
//!
//! # When not to use it
//! Between machines, or for data that must survive a crash of the machine. Between threads,
//! `aqueduct` has faster and more general queues. With processes that you do not trust, use sealed
//! regions only: [`Region::anonymous`], and [`Region::receive`]. A hostile process can still keep
//! its place, or write garbage.
//!
//! # Compared with publish and subscribe
//! The features of libraries such as iceoryx2, and their counterparts in this crate:
//!
//! | publish and subscribe | this crate |
//! | --- | --- |
//! | a service by name; the list of services | [`Region::named`]; [`Region::names`] |
//! | finding dead nodes; removing their leftovers | [`Peer`], `take_producer`, `take_consumer`; [`Region::sweep`] |
//! | subscribers that lose the oldest samples; history for late ones | [`drop_old`]: a reader starts with the oldest |
//! | the last value | [`drop_old::records`] |
//! | subscribers for which the publisher waits | a queue for each of them |
//! | requests and responses | a queue in each direction |
//! | a loan: a sample that is written in place | `reserve` of [`records`] and of [`drop_old::records`] |
//! | a sample that is read in place | none: it is copied, because another process can change it meanwhile |
//! | a wait set | the [events](region::event) of several queues, in one `poll` or `epoll` |
//! | async | events, with a reactor's type for files; no futures |
//! | C, C++ | `aqueduct-c` |
//! | Python, C#, Java, Go; Windows | none |
//!
//! # Platforms
//! [`Region`] and [`Event`] need Linux (`memfd_create`, open-file-description locks, futexes,
//! `eventfd`, `/proc`). The queues need 64-bit atomics and `alloc`. Without `std`, disable the
//! default feature.
//!
//! On other systems, the same queues work in any memory for which you implement [`Memory`], such as
//! a file that you map. There, a wait sleeps for a millisecond at a time, and there are no events.
//! No kernel's lock shows whether a handle's process is dead: when you know that it is, call
//! `replace_producer` or `replace_consumer`. (macOS has no seals, and no locks on its named
//! memory.)

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
