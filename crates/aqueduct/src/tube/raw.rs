//! The interface of a tube to the queues on top of it.

use crate::error::CapacityError;
use crate::heap::isolated_array;
use crate::sync::AtomicUsize;

/// A slot for its owner, from `allocate` to `produce`, or from `reserve` to `consume`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Ticket {
    /// The slot's position in the order: from 0 on, without gaps, modulo the width of a word.
    ///
    /// So two positions that are less than half of that apart are compared by a subtraction, and a
    /// remainder by a power of two never skips. The position of an allocated ticket need not be
    /// known before it is produced.
    pub(crate) position: usize,
    /// The place of its content: a number below [`slots`](Tube::slots).
    pub(crate) slot: usize,
}

/// A slot to be emptied.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Reserved {
    pub(crate) ticket: Ticket,
    /// Whether the caller was asked about this position, and permitted it.
    ///
    /// A tube that takes positions by fetch-and-add may reach others.
    pub(crate) is_permitted: bool,
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

/// A queue in three phases.
///
/// # Safety
/// A slot has one owner at a time, and all that its last owner did to it happens before all that
/// the next one does: allocated, after it was consumed; reserved, after it was produced. Slots are
/// reserved in the order of their positions, and each position that was produced once.
pub unsafe trait Tube: Sized + Send + Sync {
    /// Returns the number of slots of a tube that is asked for `asked` slots, at least one.
    ///
    /// # Errors
    /// [`CapacityError::TooLarge`] with the greatest possible number, if there cannot be so many
    /// slots, or `may_be` forbids it. (A number that it forbids, it also forbids for more slots.)
    fn slots_for(asked: usize, may_be: impl Fn(usize) -> bool) -> Result<usize, CapacityError>;

    /// Makes an empty tube of at least `slots` slots, at least one.
    ///
    /// # Errors
    /// If there cannot be so many, or there is no memory.
    fn with_slots(slots: usize) -> Result<Self, CapacityError> {
        Self::starting_at(slots, 0)
    }

    /// Makes a tube that starts in this lap, for tests near the last lap and the last position.
    ///
    /// Its first position is `lap` times the number of its [`slots`](Self::slots), modulo the width
    /// of a word.
    ///
    /// # Errors
    /// The errors of [`with_slots`](Self::with_slots).
    fn starting_at(slots: usize, lap: usize) -> Result<Self, CapacityError>;

    /// Returns the number of slots.
    fn slots(&self) -> usize;

    /// Takes a slot to be filled.
    ///
    /// # Errors
    /// If there is none.
    fn allocate(&self) -> Result<Ticket, NoRoom>;

    /// Lets consumers have the slot.
    ///
    /// Before they can, calls `at` with its position. A tube that does not get that position calls
    /// `at` again with another.
    ///
    /// # Safety
    /// The ticket was allocated, and not produced yet.
    unsafe fn produce(&self, ticket: Ticket, at: impl FnMut(usize));

    /// Takes the oldest slot, if `may` permits its position.
    ///
    /// # Errors
    /// The reason why there is none.
    fn reserve(&self, may: impl FnMut(usize) -> bool) -> Result<Reserved, Nothing>;

    /// Checks that there is a slot to be reserved.
    ///
    /// # Errors
    /// The reason why there is none, but never [`Nothing::Refused`].
    fn look(&self) -> Result<(), Nothing>;

    /// Lets producers have the slot.
    ///
    /// # Safety
    /// The ticket was reserved, and not consumed yet.
    unsafe fn consume(&self, ticket: Ticket);
}

/// [`slots_for`](Tube::slots_for) of a tube whose number of slots is a power of two, with words for
/// each.
pub(super) fn power_of_two(asked: usize, may_be: impl Fn(usize) -> bool) -> Result<usize, CapacityError> {
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

    /// Slots that are powers of two and others, of one block's size and of several; laps where
    /// nothing wraps, and before each wrap: of the blocks' versions, of positions, and of the lap
    /// itself.
    fn scenes() -> impl Iterator<Item = (usize, usize)> {
        let last_version = usize::MAX >> (usize::BITS / 4);
        [1, 2, 3, 5, 8, 9, 100].into_iter().flat_map(move |asked| {
            [0, last_version - 3, usize::MAX / (2 * asked) - 2, usize::MAX / asked - 2, usize::MAX - 2]
                .map(|lap| (asked, lap))
        })
    }

    fn positions_go_on<U: Tube>() {
        for (asked, lap) in scenes() {
            let tube = U::starting_at(asked, lap).expect("a small tube");
            let first = lap.wrapping_mul(tube.slots());
            let (mut produced, mut reserved) = (first, first);
            // As many at a time as there are, and fewer, so that laps end anywhere.
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
