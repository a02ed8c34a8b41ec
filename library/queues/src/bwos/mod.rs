//! BWoS: bounded work stealing. One owner pushes and pops, any number of thieves steal.
//!
//! The algorithm is Wang et al., "BWoS: Formally Verified Block-based Work Stealing for Parallel
//! Processing", USENIX OSDI 2023, and chapter 4 of J. Wang's thesis (TU Dresden, 2024).
//!
//! | made by | the owner takes | thieves take | orderings in the owner's fast paths |
//! | --- | --- | --- | --- |
//! | [`lifo::new`] | the newest item | the oldest item | Release stores |
//! | [`fifo::new`] | the oldest item | items of other blocks, newest blocks first; then the oldest | Release stores |
//!
//! [`policy`] has ways to choose the victim. [`deque::Injector`](crate::deque::Injector) is the queue
//! from which tasks come to all owners.
//!
//! # When not to use it
//! A theft from the block that the owner works in costs more than one from another block. If the
//! owner is at work, it waits for the owner's next operation. If the owner is busy elsewhere, a
//! thief *seizes* the block's items: it makes the operating system interrupt all cores that run
//! threads of the process (`membarrier` on Linux, some microseconds). That happens once for all the
//! items that the owner has pushed until then. A pool whose tasks take less than a microsecond each,
//! and whose queues are nearly empty most of the time, pays for that often.
//!
//! Without `membarrier` (other systems, or a filter that forbids it), each pop has a fence.
//!
//! # Guarantees
//! Every operation is wait-free, the owner's whatever the thieves do. Each item comes out once.
//! Thieves of a LIFO queue take exactly the oldest item.
//!
//! Nothing is hidden: each item that was pushed can be stolen, a single one, too, and the owner need
//! not do anything for it. [`Steal::Empty`] of `steal`, its batches and `seize` means that the queue
//! held no item at one moment during the call, as far as the calling thread could know: an item that
//! was pushed before the call, and that nobody has taken, is never overlooked.
//! [`Steal::Retry`] means that another thread was at work, or that the items are in a block of the
//! owner, which has been sent a *steal request* and has not answered yet. If thieves find the owner
//! in the same place again and again (16 times), one of them seizes the items. `seize` does so at
//! once. An owner that is suspended in the middle of an operation that goes to another block, or
//! answers a request, keeps thieves off the items of its block for that long. An owner that tries to
//! push into a full queue again and again, or to pop from an empty one, does not.
//!
//! `steal_granted` takes only what the owner has given away. It does not see these items:
//! - in a LIFO queue, the items in the owner's current block;
//! - in a FIFO queue, the items in the block that the owner pops from, and in the block that it
//!   pushes to. If the owner is gone: items that it had not lent from a block of which some items
//!   had been stolen.
//!
//! After a request, the next operation of an owner makes at least one of its items visible, if it leaves
//! any: a push gives a single item, too. There is one exception:
//! the owner of a FIFO queue that has lent part of its block before, and has pushed nothing since,
//! first pops the part that it kept, at most half of the block. An owner that steals into its queue answers, too.
//! A thief that takes the last of the items that were given sends the next request at once.
//!
//! An owner that is dropped leaves its items to the thieves. Items that are left when all handles
//! are gone are dropped. A panic cannot occur between a claim and its completion.
//!
//! # Sleeping thieves
//! A pool whose idle threads sleep needs to be published of pushes, and of nothing else: an item becomes
//! stealable when it is pushed. An owner tells after each push, and a thief after it has moved a batch
//! to its own queue. Before a thief sleeps, it says so, passes a heavy fence
//! ([`fences`](crate::fences)), and steals again until it gets an item or [`Steal::Empty`].
//! The owner passes a light fence after each push, which is free on Linux, and looks whether anyone
//! sleeps. So the thief gets the item or the owner sees the sleeper. `Event` of the crate
//! `aqueduct-channel` does all of that: `notify` after a push, and `wait` with an attempt that is
//! repeated while it returns [`Steal::Retry`].
//!
//! # Errors
//! `Full` means that the next block is still in use. If no thief has stolen from the middle of the
//! queue and no theft is in progress, at least `capacity` items are in the queue then. A thief that
//! stalls in the middle of a theft keeps its block from being reused, and affects nothing else.
//!
//! # Wrap-around
//! Lap numbers (`round` in the paper) wrap after 2^31 laps of a LIFO queue and 2^47
//! laps of a FIFO queue (2^15 and 2^23 on 32-bit machines). A thief of a LIFO queue that is
//! suspended for exactly 2^31 laps takes an item that is not the oldest, or none. The words of a FIFO
//! queue have numbers, which wrap after 2^46 operations on the owner's slow path (2^22). A thief
//! must not be suspended for exactly that number of them between its read of a block and its exchange. A
//! thief that seizes must not be suspended there for exactly 2^32 closings of a LIFO queue's blocks
//! (2^16) or 2^62 of a FIFO queue's (2^30), in the same lap; one that takes what another has seized
//! in a FIFO queue, not for 2^29 (2^13) and at an equal place. In both queues, a thief must not be
//! suspended for exactly 2^47 laps if it has taken a block's last entry, between reading the marks
//! and reporting to the owner.
//!
//! # Design and proof
//! The ring is divided into blocks. Each block belongs either to the owner or to the thieves, so an
//! operation of the owner inside a block needs no atomic read-modify-write and no fence. The owner
//! synchronises with thieves only when it moves from block to block. It takes a block over by an
//! exchange of the block's `s_pos`: entries that thieves have claimed by then are theirs, the
//! others are the owner's. The owner waits for no thread.
//!
//! The owner publishes its position by a store in each operation. A thief that seizes sends a
//! request, passes a heavy fence, reads that position, and puts the items into the word of the
//! owner's block by an exchange. The owner's pops publish their position before they look for
//! requests, with a light fence between, which costs nothing. So the owner's next pop is on its slow
//! path, or the thief sees it. On the slow path, nothing can be seized; after a request, the owner
//! first closes its block with a new number. So a thief that comes too late fails, and the owner
//! finds what one in time has seized. `lifo/position.rs` has the details.
//!
//! ## Why nothing is hidden
//! The owner publishes an item, by a store of its position, before an operation that adds items ends:
//! a push, a slice, or a theft into its queue. From then on, until the item is taken, it is in
//! one of these slow, and a thief finds it in each of them while the owner does nothing:
//! 1. *In a block that is granted*: the block's word names the entry. (FIFO: of the block that the
//!    owner pushes to, the word names the first entry, and the owner's position is the end.)
//! 2. *In the owner's block, which is closed or of which all that was granted is claimed*: between the
//!    published beginning of the owner's items and its position. Thieves seize it.
//! 3. *In the owner's block, behind the seized entries.* An owner looks for requests before it publishes a
//!    push, and may see one late, so a block that is seized can grow. LIFO: thieves seize the added
//!    entries, which begin where the word ends. FIFO: while the word stays, thieves take the entries up
//!    to the owner's position, without another fence. If the block was lent, they first take the entries
//!    that the owner had kept, and then those added to the lent part.
//! 4. *In the owner's block while the owner is on its slow path*: thieves are published to try again, until
//!    the owner stands somewhere. There it has granted the item, or published it again.
//!
//! An operation of the owner that finds a request, and that neither gives, takes, nor adds an item,
//! leaves the word of its block as it is. So an owner that is at work and gets nowhere cannot make
//! thieves fail again and again.
//!
//! A thief that says [`Steal::Empty`] has read where the owner stands before it looked into these
//! slow, and has found the owner there afterwards. The owner writes what it has done with its blocks,
//! by Release, before it says where it stands; and it says that it is busy before it writes the word of
//! a block. So a thief that sees any part of an operation on the slow path does not find the owner
//! where it was. (LIFO: it finds another word in the block.)
//!
//! ## What is ours
//! - Less than a block can be stolen, and without the owner's help. In the paper, the items of the
//!   owner's block cannot.
//! - Less than a block can be given. A thief that finds nothing sends a *steal request*: it moves
//!   the two bounds that the owner compares its position with in every operation anyway. The
//!   owner's next operation gives half of the items in its block away, rounded up, without the one that
//!   it pops.
//!   Without requests this costs nothing: the bounds lie on a line that is only read. (The owner of
//!   a FIFO queue lends part of a block once, until it has popped its own half. Items that it
//!   pushes meanwhile can be stolen after another request.)
//! - The owner of a FIFO queue publishes items pushed to a block when it goes on to the next block,
//!   or on a steal request; in the paper, it publishes each push. One more word says whether
//!   anything can be stolen at all, so a thief that finds nothing reads one line, and not the lines
//!   of all blocks.
//! - In the LIFO queue, one word says which entries of a block can be stolen, and the exchange that
//!   claims them also acquires them. So a value that recurs (ABA) does no harm.
//! - A theft has one atomic read-modify-write, the paper's two. A thief reports that it has read an
//!   entry by a plain store to the entry's mark, a byte, and not by an addition to the block's
//!   `s_cnt`. The owner reads the marks of a block that was stolen from once, before it reuses the
//!   block. If thieves have taken all of the block, the thief of the last entry reads the marks for
//!   the owner.
//!
//! ## Load buffering
//! No searched client leans on RC11's ban of [load buffering](crate::bbq#load-buffering). An owner's fast
//! operations read the bounds of `requests` without an order; all that it stores afterwards on its slow
//! path has Release, or comes after a fence.

// What handles are made of is public only as a part of them.
#![allow(missing_debug_implementations)]

mod attempts;
mod block;
pub mod fifo;
mod geometry;
pub mod lifo;
mod location;
mod order;
pub mod policy;
mod request;
mod steal;
mod stealer;

pub use geometry::Geometry;
pub(crate) use order::Room;
pub use order::{Fifo, Lifo, Order};
pub use steal::Steal;
pub use stealer::Stealer;
