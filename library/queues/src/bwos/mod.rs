//! BWoS: bounded work stealing. One owner pushes and pops, any number of thieves steal.
//!
//! ```
//! use aqueduct::bwos::{Steal, lifo};
//!
//! let (mut owner, stealer) = lifo::new(1000)?;
//! let thief = std::thread::spawn(move || {
//!     // `Retry` means that another thread was at work: an item may be there.
//!     std::iter::repeat_with(|| stealer.steal()).find(|stolen| !stolen.is_retry())
//! });
//! for task in 0..100 {
//!     owner.push(task)?;
//! }
//! let popped = std::iter::from_fn(|| owner.pop().ok()).count();
//! let stolen = thief.join().expect("it does not panic").and_then(Steal::success);
//! assert_eq!(popped + usize::from(stolen.is_some()), 100);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! | made by | the owner takes | thieves take | orderings in the owner's fast paths |
//! | --- | --- | --- | --- |
//! | [`lifo::new`] | the newest item | the oldest item | Release stores |
//! | [`fifo::new`] | the oldest item | items of other blocks, newest blocks first; then the oldest | Release stores |
//!
//! An [`Owner`] and [`Stealer`]s are its handles. [`policy`] has ways to choose the victim.
//! [`deque::Injector`](crate::deque::Injector) is the queue from which tasks come to all owners.
//!
//! The algorithm is Wang et al., "BWoS: Formally Verified Block-based Work Stealing for Parallel
//! Processing", USENIX OSDI 2023, and chapter 4 of J. Wang's thesis (TU Dresden, 2024). The [design
//! page](design) has the invariants and the differences from the paper.
//!
//! # When not to use it
//! A theft from the block that the owner works in costs more than one from another block. If the
//! owner is at work, it waits for the owner's next operation. If the owner is busy elsewhere, a
//! thief *seizes* the block's items: it makes the operating system interrupt all cores that run
//! threads of the process (`membarrier` on Linux, some microseconds). That happens once for all the
//! items that the owner has pushed until then. A pool whose tasks take less than a microsecond
//! each, and whose queues are nearly empty most of the time, pays for that often.
//!
//! Without `membarrier` (other systems, or a filter that forbids it), each pop has a fence.
//!
//! # Guarantees
//! Every operation is wait-free, the owner's whatever the thieves do. Each item comes out once.
//! Thieves of a LIFO queue take exactly the oldest item.
//!
//! Nothing is hidden: each item that was pushed can be stolen, a single one, too, and the owner
//! need not do anything for it. [`Steal::Empty`] of `steal`, its batches and `seize` means that the
//! queue held no item at one moment during the call, as far as the calling thread could see: an
//! item that was pushed before the call, and that no thread has taken, is never overlooked.
//! [`Steal::Retry`] means that another thread was at work, or that the items are in a block of the
//! owner, which has been sent a *steal request* and has not answered yet. If thieves find the owner
//! at the same position again and again (16 times), one of them seizes the items. `seize` does so
//! at once. An owner that is suspended in the middle of an operation that goes to another block, or
//! answers a request, keeps thieves off the items of its block for that long. An owner that tries
//! to push into a full queue again and again, or to pop from an empty one, does not.
//!
//! `steal_granted` takes only what the owner has given away. It does not see these items:
//! - in a LIFO queue, the items in the owner's current block;
//! - in a FIFO queue, the items in the block that the owner pops from, and in the block that it
//!   pushes to. If the owner is gone: items that it had not lent from a block of which some items
//!   had been stolen.
//!
//! After a request, the next operation of an owner makes at least one of its items visible, if it
//! leaves any: a push gives a single item, too. There is one exception: the owner of a FIFO queue
//! that has lent part of its block before, and has pushed nothing since, first pops the part that
//! it kept, at most half of the block. An owner that steals into its queue answers, too. A thief
//! that takes the last of the items that were given sends the next request at once.
//!
//! An owner that is dropped leaves its items to the thieves. Items that are left when all handles
//! are gone are dropped. A panic cannot occur between a claim and its completion.
//!
//! # Sleeping thieves
//! A pool whose idle threads sleep needs a notification of pushes, and of nothing else: an item
//! becomes stealable when it is pushed. An owner notifies after each push, and a thief after it has
//! moved a batch to its own queue. Before a thief sleeps, it registers itself as a sleeper, passes
//! a heavy fence ([`fences`](crate::fences)), and steals again until it gets an item or
//! [`Steal::Empty`]. The owner passes a light fence after each push, which is free on Linux, and
//! looks for sleepers. So the thief gets the item or the owner sees the sleeper. `Event` of the
//! crate `aqueduct-channel` does all of that: `notify` after a push, and `wait` with an attempt
//! that is repeated while it returns [`Steal::Retry`].
//!
//! # Errors
//! `Full` means that the next block is still in use. If no thief has stolen from the middle of the
//! queue and no theft is in progress, at least `capacity` items are in the queue then. A thief that
//! stalls in the middle of a theft keeps its block from being reused, and affects nothing else.
//!
//! # Wrap-around
//! A thread that is suspended in the middle of a theft for *exactly* 2^31 laps of a LIFO queue
//! (2^15 on a 32-bit machine), or a similar number of a FIFO queue, can take the wrong item or go
//! wrong: the design page has [all numbers](design#wrap-around).

// The parts of handles are public only as parts.
#![allow(missing_debug_implementations)]

mod block;
#[doc = include_str!("design.md")]
pub mod design {}
pub mod fifo;
mod geometry;
pub mod lifo;
mod order;
mod owner;
pub mod policy;
mod queue;
mod request;
mod seize;
mod steal;
mod stealer;

pub use geometry::Geometry;
pub use order::{Fifo, Lifo, Order};
pub use owner::Owner;
pub use steal::Steal;
pub use stealer::Stealer;
