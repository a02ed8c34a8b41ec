//! BWoS, the block-based work-stealing queue of Wang and others ("BWoS: Formally Verified Block-based Work Stealing for Parallel
//! Processing", USENIX OSDI 2023, and the first author's thesis, chapter 4; "the seed" in these pages): one owner pushes and pops,
//! any number of thieves steal.
//!
//! | made by | the owner takes | thieves take | orderings in the owner's fast paths |
//! | --- | --- | --- | --- |
//! | [`lifo::new`] | the newest item | the oldest one | none |
//! | [`fifo::new`] | the oldest item | those of blocks that the owner is not at, of the newest ones first | none |
//!
//! The ring is divided into blocks. Each belongs either to the owner or to the thieves: so an operation of the owner inside a block
//! needs no locked instruction and no fence; it synchronises with thieves only where it goes from block to block. It takes a block
//! over by an exchange of the block's `s_pos`: what thieves have claimed by then is theirs, the rest is the owner's, and it waits for
//! nobody. [`policy`] has ways to choose whom to steal from.
//!
//! # What is ours
//! - Less than a block can be stolen. A thief that finds nothing *asks*: it moves the two bounds that the owner compares its position
//!   with in every operation anyway, and the next operation that finds two items or more in the owner's block gives half of them
//!   away. Nobody hungry, nothing paid: the bounds lie on a line that is only read. (In a FIFO queue a block is lent once, until
//!   the owner has popped its own half; what is pushed meanwhile can be stolen when a thief asks again.)
//! - In the FIFO queue, the owner tells thieves of what it has pushed to a block when it goes on to the next one, or when they ask;
//!   the seed's owner does with each push. One more word says whether anything can be stolen at all: so a thief that finds nothing
//!   reads one line, and not those of all blocks.
//! - In the LIFO queue, one word says which entries of a block can be stolen, and the exchange that claims them also acquires them, so
//!   that no value that comes back (ABA) does harm.
//! - A theft has one locked instruction, the seed's two: that an entry has been read is told by a mark of the entry, a byte, with a plain
//!   store, and not by an addition to the block's `s_cnt`. The owner reads the marks of a block that was stolen from, once, before
//!   it uses it again; where thieves have taken all of the block, the thief of the last entry reads them for it.
//!
//! # What the proof leans on
//! The proofs are under RC11, in which no load reads from a store that comes to be only because of that load, through whatever threads
//! (no load buffering). Of the relaxed loads here, these need that, each where a branch on the loaded value decides whether a relaxed
//! store of the same thread comes at all: so processors keep the order, and compilers must not invent stores.
//! - LIFO, a thief that finds all of a block claimed (`s_pos`) and moves `bottom` on. That nothing is left below a claimed entry,
//!   which the owner concludes where it meets one, is true through such chains of loads and moves alone.
//! - LIFO, a thief that finds nothing (`s_pos`) and asks. Were it the other way around, an owner would give without need.
//! - Both, the owner that looks at the bounds, finds that it is asked, and puts them back.
//!
//! All other relaxed loads are hints (`bottom`, `first`, `granted`), read what the thread itself wrote (`claimed`, or `s_pos` of a
//! block that it has closed), belong to an exchange on which the thread acts only if it succeeds, or come before nothing but
//! accesses to entries that the thread has anyway. In the FIFO queue, thieves' loads acquire, so that their stores come after them
//! in any case.
//!
//! # Guarantees
//! Every operation is wait-free, the owner's whatever thieves do. Each item comes out once. In a LIFO queue, thieves take exactly the
//! oldest item. [`Steal::Empty`] means that nothing but what thieves are not to see was in the queue at a moment during the call, as
//! far as the calling thread could know.
//!
//! What thieves do not see: in a LIFO queue, what is in the block that the owner is at; in a FIFO queue, what is in the block that the owner pops
//! from, and in the one that it pushes to. They do not see it as long as none of them asks, be it for ever: then the owner need
//! not come to the next block. Once a thief has asked, the next operation of an owner that has two items or more makes at
//! least one of them visible; but for a FIFO queue's owner that has lent of its block before, and has pushed nothing since: it first pops what
//! it kept of that block, half of it at most.
//!
//! `Full` means that the next block is still in use. With no theft from the middle of the queue and none in progress, that is the
//! case only if at least `capacity` items are in it. A thief that stalls in the middle of a theft keeps its block from being used
//! again, and nothing else.
//!
//! A panic cannot come between a claim and its end. An owner that is dropped leaves its items to the thieves (in a FIFO queue but for
//! those that it had not lent of a block of which some had been stolen); what is left when all handles are gone is dropped.
//!
//! Rounds come around after 2^32 laps of a LIFO queue and 2^48 of a FIFO queue (2^16 and 2^24 on machines of 32 bits). In a LIFO queue
//! a thief that slept for exactly 2^32 laps takes an item that is not the oldest one, or none. What must not happen is that it sleeps for
//! exactly 2^48 laps: in a FIFO queue between its look at a block and its exchange, and in both, if it has taken a block's last
//! entry, between its look at the marks and its word to the owner. At a hundred million items a second, in the smallest queue, that
//! takes 65 days.

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
