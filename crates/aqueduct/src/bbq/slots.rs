//! Blocks as tubes: entries without items.

use core::fmt;
use core::ptr::NonNull;

use super::FIRST_VERSION;
use super::adding::Adding;
use super::block::Block;
use super::cursor::Cursor;
use super::items::Items;
use super::reserve::ReservesBesides;
use super::shared::Shared;
use super::side::{Multi, Reason};
use crate::error::CapacityError;
use crate::tube::raw::{NoRoom, Nothing, Reserved, Ticket, Tube};

/// The slots of a block-based queue; `C` says how consumers come to theirs.
///
/// A block is used again as a whole: a slot that its consumer keeps holds up the producers when they come to its block again.
/// With `n` slots asked for, `n` are always to be had beside blocks that are held up in this way.
pub struct Slots<C: ReservesBesides> {
    shared: Shared<Items<()>, Multi, C>,
}

impl crate::tube::Tube for Slots<Multi> {}
impl crate::tube::Tube for Slots<Adding> {}

impl<C: ReservesBesides> Slots<C> {
    /// The ticket of the entry at `at` in the block of `head`.
    #[inline]
    fn ticket(&self, head: Cursor, at: Cursor) -> Ticket {
        let slot = head.offset() * self.shared.size() + at.offset();
        let lap = at.version().wrapping_sub(FIRST_VERSION);
        Ticket { position: lap.wrapping_mul(self.slots()).wrapping_add(slot), slot }
    }

    /// The ticket's block, and its entry.
    #[inline]
    fn entry(&self, ticket: Ticket) -> (NonNull<Block>, Cursor) {
        let size = self.shared.size();
        let version = (ticket.position / self.slots()).wrapping_add(FIRST_VERSION);
        (self.shared.blocks.block(ticket.slot / size), Cursor::new(version, ticket.slot % size))
    }
}

// SAFETY: an entry is claimed once in a lap, and again when it has been consumed; committed and reserved once between; what orders a
// queue's items orders a slot's content.
unsafe impl<C: ReservesBesides> Tube for Slots<C> {
    fn with_slots(slots: usize) -> Result<Self, CapacityError> {
        Ok(Self { shared: Shared::for_capacity(Items::new(), slots, FIRST_VERSION)? })
    }

    fn slots(&self) -> usize {
        self.shared.blocks.geometry.blocks() * self.shared.size()
    }

    #[inline]
    fn allocate(&self) -> Result<Ticket, NoRoom> {
        self.shared.claim_anew(|claimed| match claimed {
            Ok((head, at)) => Ok(self.ticket(head, at)),
            Err(Reason::Exhausted) => Err(NoRoom::Full),
            Err(Reason::Busy) => Err(NoRoom::Busy),
        })
    }

    #[inline]
    unsafe fn produce(&self, ticket: Ticket, mut at: impl FnMut(usize)) {
        at(ticket.position);
        let (block, entry) = self.entry(ticket);
        // SAFETY: the entry is claimed, and not committed yet.
        unsafe { self.shared.put(self.shared.entry(block, entry.offset()), entry, ()) };
    }

    #[inline]
    fn reserve(&self, mut may: impl FnMut(usize) -> bool) -> Result<Reserved, Nothing> {
        let mut position = self.shared.consuming();
        // What was asked about last, and the answer.
        let mut asked = None;
        let reserved = C::reserve(&self.shared, &mut position, 1, |position, at| {
            let number = self.ticket(position.head, at).position;
            let is_permitted = may(number);
            asked = Some((number, is_permitted));
            is_permitted
        });
        match reserved {
            Ok((at, _)) => {
                let ticket = self.ticket(position.head, at);
                Ok(Reserved { ticket, is_permitted: asked == Some((ticket.position, true)) })
            }
            Err(_) if matches!(asked, Some((_, false))) => Err(Nothing::Refused),
            Err(Reason::Exhausted) => Err(Nothing::Empty),
            Err(Reason::Busy) => Err(Nothing::Busy),
        }
    }

    fn look(&self) -> Result<(), Nothing> {
        match self.reserve(|_| false) {
            Err(Nothing::Refused) => Ok(()),
            nothing => nothing.map(drop),
        }
    }

    #[inline]
    unsafe fn consume(&self, ticket: Ticket) {
        let (block, entry) = self.entry(ticket);
        C::consumed(&self.shared, block, entry, 1);
    }
}

impl<C: ReservesBesides> fmt::Debug for Slots<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Slots").field("slots", &self.slots()).finish_non_exhaustive()
    }
}
