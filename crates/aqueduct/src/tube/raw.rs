//! What queues ask of a tube.

use crate::error::CapacityError;

/// A slot for its owner, from `allocate` to `produce`, or from `reserve` to `consume`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Ticket {
    /// Where it stands in the order, from 0 on, without gaps. An allocated ticket's need not be known before it is produced.
    pub(crate) position: usize,
    /// Where its content lies: a number below [`slots`](Tube::slots).
    pub(crate) slot: usize,
}

/// A slot to be emptied.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Reserved {
    pub(crate) ticket: Ticket,
    /// Whether the caller was asked about this position, and said that it may be reserved. A tube that takes positions
    /// by fetch-and-add may come to others.
    pub(crate) is_permitted: bool,
}

/// Why no slot was allocated.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NoRoom {
    /// All of them hold something.
    Full,
    /// One will be free when its owner consumes it.
    Busy,
}

/// Why no slot was reserved.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Nothing {
    /// None holds anything.
    Empty,
    /// One will when its owner produces it.
    Busy,
    /// The caller does not want the next one.
    Refused,
}

/// A queue in three phases.
///
/// # Safety
/// A slot has one owner at a time, and what the one before did to it happens before what the next one does: allocated, after it was
/// consumed; reserved, after it was produced. Slots are reserved in the order of their positions, and each position that was
/// produced once.
pub unsafe trait Tube: Sized + Send + Sync {
    /// An empty tube of at least so many slots, of at least one.
    ///
    /// # Errors
    /// If there cannot be so many, or there is no memory.
    fn with_slots(slots: usize) -> Result<Self, CapacityError>;

    /// How many slots there are.
    fn slots(&self) -> usize;

    /// Takes a slot to be filled.
    ///
    /// # Errors
    /// If there is none.
    fn allocate(&self) -> Result<Ticket, NoRoom>;

    /// Lets consumers have the slot. Before they can, calls `at` with its position; a tube that does not get that one calls
    /// it again with another.
    ///
    /// # Safety
    /// The ticket was allocated, and not produced yet.
    unsafe fn produce(&self, ticket: Ticket, at: impl FnMut(usize));

    /// Takes the oldest slot, if `may` allows it for its position.
    ///
    /// # Errors
    /// Says why there is none.
    fn reserve(&self, may: impl FnMut(usize) -> bool) -> Result<Reserved, Nothing>;

    /// Whether there is a slot to be reserved.
    ///
    /// # Errors
    /// Says why there is none; never that it was refused.
    fn look(&self) -> Result<(), Nothing>;

    /// Lets producers have the slot.
    ///
    /// # Safety
    /// The ticket was reserved, and not consumed yet.
    unsafe fn consume(&self, ticket: Ticket);
}
