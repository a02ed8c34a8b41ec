//! BWoS: bounded work stealing. One owner pushes and pops, any number of thieves steal.
//!
//! The algorithm is Wang et al., "BWoS: Formally Verified Block-based Work Stealing for Parallel
//! Processing", USENIX OSDI 2023, and chapter 4 of J. Wang's thesis (TU Dresden, 2024).
//!
//! | made by | the owner takes | thieves take | orderings in the owner's fast paths |
//! | --- | --- | --- | --- |
//! | [`lifo::new`] | the newest item | the oldest item | none |
//! | [`fifo::new`] | the oldest item | items of blocks that the owner is not in, newest blocks first | none |
//!
//! [`policy`] has ways to choose the victim. [`deque::Injector`](crate::deque::Injector) is the queue
//! from which tasks come to all owners.
//!
//! # When not to use it
//! A thief does not see the items of the owner's current block until it has requested them and the
//! owner has done another operation. So an item that is pushed may never become stealable while its
//! owner is busy elsewhere. Do not use these queues where an owner starts long work right after a
//! push and other threads are meant to start the pushed task meanwhile (fork-join, long tasks).
//! They suit owners that push and pop often.
//!
//! # Guarantees
//! Every operation is wait-free, the owner's whatever the thieves do. Each item comes out once.
//! Thieves of a LIFO queue take exactly the oldest item.
//!
//! [`Steal::Empty`] means that the queue held no item visible to thieves at one moment during the
//! call, as far as the calling thread could know. Thieves do not see these items:
//! - in a LIFO queue, the items in the owner's current block;
//! - in a FIFO queue, the items in the block that the owner pops from, and in the block that it
//!   pushes to.
//!
//! Without a steal request these items may stay invisible indefinitely, because the owner need not
//! reach the next block. After a request, the next operation of an owner that has two items or more
//! makes at least one of them visible. There is one exception: the owner of a FIFO queue that has
//! lent part of its block before, and has pushed nothing since, first pops the part that it kept,
//! at most half of the block.
//!
//! An owner that is dropped leaves its items to the thieves. In a FIFO queue there is one
//! exception: items that it had not lent from a block of which some items had been stolen. Items
//! that are left when all handles are gone are dropped. A panic cannot occur between a claim and
//! its completion.
//!
//! # Errors
//! `Full` means that the next block is still in use. If no thief has stolen from the middle of the
//! queue and no theft is in progress, at least `capacity` items are in the queue then. A thief that
//! stalls in the middle of a theft keeps its block from being reused, and affects nothing else.
//!
//! # Wrap-around
//! Lap numbers (`round` in the paper and the code) wrap after 2^32 laps of a LIFO queue and 2^48
//! laps of a FIFO queue (2^16 and 2^24 on 32-bit machines). A thief of a LIFO queue that is
//! suspended for exactly 2^32 laps takes an item that is not the oldest, or none. A thief must not
//! be suspended for exactly 2^48 laps at two places: in a FIFO queue, between its read of a block
//! and its exchange; in both queues, if it has taken a block's last entry, between reading the
//! marks and reporting to the owner. With the smallest queue and a hundred million items a second,
//! 2^48 laps take 65 days.
//!
//! # Design and proof
//! The ring is divided into blocks. Each block belongs either to the owner or to the thieves, so an
//! operation of the owner inside a block needs no atomic read-modify-write and no fence. The owner
//! synchronises with thieves only when it moves from block to block. It takes a block over by an
//! exchange of the block's `s_pos`: entries that thieves have claimed by then are theirs, the
//! others are the owner's. The owner waits for no thread.
//!
//! ## What is ours
//! - Less than a block can be stolen. A thief that finds nothing sends a *steal request*: it moves
//!   the two bounds that the owner compares its position with in every operation anyway. The
//!   owner's next operation that finds two items or more in its block gives half of them away.
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
//! The proofs are made under RC11, in which no load reads from a store that exists only because of
//! that load, through any chain of threads (no load buffering). Three groups of relaxed loads need
//! this rule. At each, a branch on the loaded value decides whether the thread makes a relaxed
//! store at all: so processors keep the order, and compilers must not invent stores.
//! - LIFO: a thief that finds all of a block claimed (`s_pos`) and moves `bottom` on. An owner that
//!   meets a claimed entry concludes that nothing is left below it; that conclusion holds through
//!   such chains of loads and moves alone.
//! - LIFO: a thief that finds nothing (`s_pos`) and requests. With the two reordered, an owner
//!   would give without need.
//! - Both: the owner that reads the bounds, finds the request, and puts the bounds back.
//!
//! All other relaxed loads belong to one of four groups: hints (`bottom`, `first`, `granted`);
//! loads of values that the thread itself wrote (`claimed`, or `s_pos` of a block that it has
//! closed); loads of an exchange on whose success alone the thread acts; and loads followed only by
//! accesses to entries that the thread owns anyway. In the FIFO queue, thieves' loads acquire, so
//! their stores come after them in any case.

// What handles are made of is public only as a part of them.
#![allow(missing_debug_implementations)]

mod attempts;
mod block;
pub mod fifo;
mod geometry;
mod hunger;
pub mod lifo;
mod place;
pub mod policy;
mod steal;

pub use geometry::Geometry;
pub use steal::Steal;
