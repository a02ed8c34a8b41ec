//! The interface of a tube to the queues on top of it: how to make a tube of your own.
//!
//! Implement [`RawTube`] and [`Tube`](super::Tube). [`Fifo`](super::Fifo) and
//! [`cnq::Queue`](crate::cnq::Queue) then take it.
//!
//! # Examples
//! ```
//! use std::collections::VecDeque;
//! use std::sync::{Mutex, MutexGuard, PoisonError};
//!
//! use aqueduct::cnq::{Geometry, Queue};
//! use aqueduct::error::CapacityError;
//! use aqueduct::tube::Tube;
//! use aqueduct::tube::raw::{NoRoom, Nothing, RawTube, Reserved, Ticket};
//!
//! /// Slots behind a lock.
//! #[derive(Debug)]
//! struct Locked(Mutex<State>, usize);
//!
//! #[derive(Debug)]
//! struct State {
//!     free: Vec<usize>,
//!     filled: VecDeque<Ticket>,
//!     next: usize,
//! }
//!
//! impl Locked {
//!     fn state(&self) -> MutexGuard<'_, State> {
//!         self.0.lock().unwrap_or_else(PoisonError::into_inner)
//!     }
//! }
//!
//! impl Tube for Locked {}
//!
//! // SAFETY: a slot is in `free`, in `filled`, or with the thread that has taken it out under the lock, which orders
//! // what its owners do. Tickets leave `filled` in the order of their positions.
//! unsafe impl RawTube for Locked {
//!     fn slots_for(asked: usize, may_be: &dyn Fn(usize) -> bool) -> Result<usize, CapacityError> {
//!         let max = || (0..asked.min(1 << 20)).rev().find(|&slots| may_be(slots)).unwrap_or(0);
//!         if may_be(asked) { Ok(asked) } else { Err(CapacityError::TooLarge { asked, max: max() }) }
//!     }
//!
//!     fn starting_at(slots: usize, lap: usize) -> Result<Self, CapacityError> {
//!         let state =
//!             State { free: (0..slots).collect(), filled: VecDeque::new(), next: lap.wrapping_mul(slots) };
//!         Ok(Self(Mutex::new(state), slots))
//!     }
//!
//!     fn slots(&self) -> usize {
//!         self.1
//!     }
//!
//!     fn allocate(&self) -> Result<Ticket, NoRoom> {
//!         // The position is known when the slot is produced.
//!         self.state().free.pop().map(|slot| Ticket { position: 0, slot }).ok_or(NoRoom::Full)
//!     }
//!
//!     unsafe fn produce(&self, ticket: Ticket, mut at: impl FnMut(usize)) {
//!         let mut state = self.state();
//!         let position = state.next;
//!         at(position);
//!         state.next = position.wrapping_add(1);
//!         state.filled.push_back(Ticket { position, ..ticket });
//!     }
//!
//!     fn reserve(&self, mut may: impl FnMut(usize) -> bool) -> Result<Reserved, Nothing> {
//!         let mut state = self.state();
//!         let ticket = *state.filled.front().ok_or(Nothing::Empty)?;
//!         if !may(ticket.position) {
//!             return Err(Nothing::Refused);
//!         }
//!         state.filled.pop_front();
//!         Ok(Reserved { ticket, is_permitted: true })
//!     }
//!
//!     fn look(&self) -> Result<(), Nothing> {
//!         if self.state().filled.is_empty() { Err(Nothing::Empty) } else { Ok(()) }
//!     }
//!
//!     unsafe fn consume(&self, ticket: Ticket) {
//!         self.state().free.push(ticket.slot);
//!     }
//! }
//!
//! let queue: Queue<u64, Locked> = Queue::with_tube(Geometry::at_most(100).geometry()?)?;
//! let (mut producer, mut consumer) = (queue.producer()?, queue.consumer()?);
//! assert!((1..=50).all(|number| producer.push(number).is_ok()));
//! assert_eq!((0..50).map_while(|_| consumer.pop().ok()).sum::<u64>(), 1275);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use crate::error::CapacityError;
use crate::heap::isolated_array;
use crate::sync::AtomicUsize;

/// A slot with its owner: from `allocate` to `produce`, or from `reserve` to `consume`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Ticket {
    /// The slot's position in the order: from 0 on, without gaps, wrapping as a `usize` does.
    ///
    /// So a subtraction compares two positions that are less than half of all values apart, and a
    /// remainder by a power of two never skips. An allocated ticket's position may be unknown until
    /// the ticket is produced.
    pub position: usize,
    /// The slot's number, below [`slots`](RawTube::slots): it determines where the content is.
    pub slot: usize,
}

/// A slot to be emptied.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Reserved {
    /// The slot.
    pub ticket: Ticket,
    /// Whether the caller's `may` has permitted this position.
    ///
    /// A tube that takes positions by fetch-and-add may reach others.
    pub is_permitted: bool,
}

/// Why no slot was allocated.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NoRoom {
    /// All slots hold content.
    Full,
    /// A slot will be free when its owner consumes it.
    Busy,
}

/// Why no slot was reserved.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Nothing {
    /// No slot holds content.
    Empty,
    /// A slot will hold content when its owner produces it.
    Busy,
    /// The caller refuses the next slot.
    Refused,
}

/// A queue of slots, which producers allocate and produce, and consumers reserve and consume.
///
/// # Safety
/// A slot has one owner at a time. All that an owner did to it happens before all that the next
/// owner does: an allocated slot was consumed before, a reserved one was produced. Slots are
/// reserved in the order of their positions, each position once, after it was produced.
pub unsafe trait RawTube: Sized + Send + Sync {
    /// Returns the number of slots of a tube that is asked for `asked` slots, at least one.
    ///
    /// # Errors
    /// [`CapacityError::TooLarge`] with the greatest possible number, if that number of slots is
    /// impossible or `may_be` forbids it. (If `may_be` forbids a number, it forbids all greater
    /// ones.)
    fn slots_for(asked: usize, may_be: &dyn Fn(usize) -> bool) -> Result<usize, CapacityError>;

    /// Makes an empty tube of at least `slots` slots, at least one.
    ///
    /// # Errors
    /// [`CapacityError`] if that number of slots is impossible, or there is no memory.
    fn with_slots(slots: usize) -> Result<Self, CapacityError> {
        Self::starting_at(slots, 0)
    }

    /// Makes a tube that starts in `lap`: 0 in use, and others in tests near the last lap and the
    /// last position.
    ///
    /// Its first position is `lap` times the number of its [`slots`](Self::slots), wrapping as a
    /// `usize` does.
    ///
    /// # Errors
    /// The errors of [`with_slots`](Self::with_slots).
    fn starting_at(slots: usize, lap: usize) -> Result<Self, CapacityError>;

    /// Returns the number of slots.
    fn slots(&self) -> usize;

    /// Takes a slot to be filled.
    ///
    /// # Errors
    /// [`NoRoom`] if no slot is free.
    fn allocate(&self) -> Result<Ticket, NoRoom>;

    /// Makes the slot visible to consumers.
    ///
    /// Before a consumer can reserve it, `at` gets its position. A tube that then fails to take
    /// that position calls `at` again with another one.
    ///
    /// # Safety
    /// The ticket was allocated, and not produced yet.
    unsafe fn produce(&self, ticket: Ticket, at: impl FnMut(usize));

    /// Takes the oldest slot, if `may` permits its position.
    ///
    /// # Errors
    /// [`Nothing`] if there is none.
    fn reserve(&self, may: impl FnMut(usize) -> bool) -> Result<Reserved, Nothing>;

    /// Checks that there is a slot to be reserved.
    ///
    /// # Errors
    /// [`Nothing`] if there is none, but never [`Nothing::Refused`].
    fn look(&self) -> Result<(), Nothing>;

    /// Makes the slot free for producers.
    ///
    /// # Safety
    /// The ticket was reserved, and not consumed yet.
    unsafe fn consume(&self, ticket: Ticket);
}

/// Computes [`slots_for`](RawTube::slots_for) for a tube whose number of slots is a power of two,
/// with words for each.
pub(super) fn power_of_two(asked: usize, may_be: &dyn Fn(usize) -> bool) -> Result<usize, CapacityError> {
    let can_be = |slots: &usize| isolated_array::<AtomicUsize>(*slots).is_some() && may_be(*slots);
    asked.checked_next_power_of_two().filter(can_be).ok_or_else(|| {
        let max = (0..usize::BITS).rev().map(|bit| 1 << bit).find(can_be).unwrap_or(0);
        CapacityError::TooLarge { asked, max }
    })
}

#[cfg(test)]
mod tests {
    extern crate std;

    use std::vec::Vec;

    use super::super::{Blocks, FetchAddBlocks, IndexQueues, SequencedRing};
    use super::*;

    /// Returns numbers of slots and laps: powers of two and others, of one block's size and of
    /// several; laps in which nothing wraps, and laps before each wrap (of the blocks' laps, of
    /// positions, and of the lap itself).
    fn scenes() -> impl Iterator<Item = (usize, usize)> {
        let last_lap = usize::MAX >> (usize::BITS / 4);
        [1, 2, 3, 5, 8, 9, 100].into_iter().flat_map(move |asked| {
            [0, last_lap - 3, usize::MAX / (2 * asked) - 2, usize::MAX / asked - 2, usize::MAX - 2]
                .map(|lap| (asked, lap))
        })
    }

    fn positions_go_on<U: RawTube>() {
        for (asked, lap) in scenes() {
            let tube = U::starting_at(asked, lap).expect("a small tube");
            let first = lap.wrapping_mul(tube.slots());
            let (mut produced, mut reserved) = (first, first);
            // The count takes in all slots, and fewer, so that laps end anywhere.
            for count in [1, tube.slots(), 1 + asked / 2].into_iter().cycle().take(12 + 6 * asked) {
                let allocated: Vec<_> = core::iter::from_fn(|| tube.allocate().ok()).take(count).collect();
                assert!(allocated.len() >= count.min(asked), "{} of {asked}, from lap {lap} on", allocated.len());
                for &ticket in &allocated {
                    assert!(ticket.slot < tube.slots());
                    let mut at = None;
                    // SAFETY: just allocated.
                    unsafe { tube.produce(ticket, |position| at = Some(position)) };
                    assert_eq!(at, Some(produced), "{asked} slots, from lap {lap} on");
                    produced = produced.wrapping_add(1);
                }
                for &Ticket { slot, .. } in &allocated {
                    assert_eq!(tube.look(), Ok(()));
                    let mut asked_about = None;
                    let refused = tube.reserve(|position| {
                        asked_about = Some(position);
                        false
                    });
                    assert_eq!((refused, asked_about), (Err(Nothing::Refused), Some(reserved)));
                    let Reserved { ticket, is_permitted } = tube.reserve(|_| true).expect("it was produced");
                    assert_eq!((ticket, is_permitted), (Ticket { position: reserved, slot }, true));
                    // SAFETY: just reserved.
                    unsafe { tube.consume(ticket) };
                    reserved = reserved.wrapping_add(1);
                }
                assert_eq!((tube.look(), tube.reserve(|_| true)), (Err(Nothing::Empty), Err(Nothing::Empty)));
            }
        }
    }

    #[test]
    fn positions_of_bbq_go_on_over_each_wrap() {
        positions_go_on::<Blocks>();
    }

    #[test]
    fn positions_of_faaq_go_on_over_each_wrap() {
        positions_go_on::<FetchAddBlocks>();
    }

    #[test]
    fn positions_of_the_ring_go_on_over_each_wrap() {
        positions_go_on::<SequencedRing>();
    }

    #[test]
    fn positions_of_scqd_go_on_over_each_wrap() {
        positions_go_on::<IndexQueues>();
    }
}
