//! Blocks as tubes: entries without items.

use core::fmt;
use core::ptr::NonNull;

use super::raw::{NoRoom, Nothing, RawTube, Reserved, Ticket};
use crate::bbq::{
    Adding, Block, ConsumerState, Cursor, FIRST_LAP, Geometry, Items, Multi, Reason, Ring, SharedConsumerSide, commit,
    with_entry,
};
use crate::error::CapacityError;
use crate::isolated::Isolated;
use crate::sync::{AtomicU8, AtomicUsize, Ordering};

/// The slots of a block-based queue. `C` is the consumers' side.
///
/// A block is reused as a whole: a slot that its consumer keeps holds up the producers when they
/// reach its block again. With `n` slots asked for, `n` are always available besides blocks that
/// are held up in this way.
///
/// # Positions
/// A position is a lap times the number of slots, plus the slot. Cursors have the lap's lower bits
/// only, and `slots * 2^bits` is usually no power of two: positions made of a cursor alone would
/// jump when lap numbers wrap. So `newest` counts laps in a whole word.
pub struct Slots<C: SharedConsumerSide> {
    ring: Ring<Items<(), Multi, C>>,
    /// The lap in which slot 0 was allocated last.
    ///
    /// The lap of a slot that has an owner is this one, or the one before or after it.
    newest: Isolated<AtomicUsize>,
}

impl super::Tube for Slots<Multi> {}
impl super::Tube for Slots<Adding> {}

/// Returns the lap number of that lap's cursors.
const fn number(lap: usize) -> usize {
    lap.wrapping_add(FIRST_LAP)
}

impl<C: SharedConsumerSide> Slots<C> {
    /// Returns the slot of the entry at `at` in the block of `head`.
    #[inline]
    fn slot(&self, head: Cursor, at: Cursor) -> usize {
        head.offset() * self.ring.size() + at.offset()
    }

    /// Returns the lap of a cursor.
    ///
    /// For a slot that the caller does not own, it can be any lap of an equal lap number.
    #[inline]
    fn lap(&self, at: Cursor) -> usize {
        // Ordering: Relaxed. Slot 0 was allocated in the lap before `at`'s, and counted, before it
        // was produced, consumed, and its block opened again: a thread that finds a block open in
        // `at`'s lap sees that count.
        let newest = self.newest.load(Ordering::Relaxed);
        newest.wrapping_add_signed(at.laps_from(Cursor::new(number(newest), 0)))
    }

    #[inline]
    fn position(&self, lap: usize, slot: usize) -> usize {
        lap.wrapping_mul(self.slots()).wrapping_add(slot)
    }

    /// Returns the ticket of the entry at `at` in the block of `head`.
    #[inline]
    fn ticket(&self, head: Cursor, at: Cursor) -> Ticket {
        let slot = self.slot(head, at);
        Ticket { position: self.position(self.lap(at), slot), slot }
    }

    /// Returns the slot's block, and its entry's offset there.
    #[inline]
    fn entry(&self, slot: usize) -> (NonNull<Block>, usize) {
        let size = self.ring.size();
        (self.ring.block(slot / size), slot % size)
    }
}

/// Returns the cursor of an entry whose mark is still that of the lap before.
///
/// The cursor has only the parity of its lap, because a mark holds no more.
///
/// # Safety
/// The mark is there, and no other thread writes it.
#[inline]
unsafe fn in_next_lap(mark: NonNull<AtomicU8>, offset: usize) -> Cursor {
    // Ordering: Relaxed, what the slot's last owner wrote there happened before this owner got it.
    // SAFETY: the caller's promise.
    let last = unsafe { mark.as_ref() }.load(Ordering::Relaxed);
    Cursor::new(usize::from(last ^ 1), offset)
}

// SAFETY: an entry is claimed once in a lap, and again when it has been consumed; committed and
// reserved once between; what orders a queue's items orders a slot's content.
unsafe impl<C: SharedConsumerSide> RawTube for Slots<C> {
    fn slots_for(asked: usize, may_be: &dyn Fn(usize) -> bool) -> Result<usize, CapacityError> {
        let slots = |geometry: Geometry| geometry.blocks() * geometry.block_size();
        Ring::<Items<(), Multi, C>>::geometry(Items::new(), asked, &|geometry| may_be(slots(geometry))).map(slots)
    }

    fn starting_at(slots: usize, lap: usize) -> Result<Self, CapacityError> {
        let ring = Ring::for_capacity(Items::new(), slots, number(lap))?;
        Ok(Self { ring, newest: Isolated(AtomicUsize::new(lap)) })
    }

    fn slots(&self) -> usize {
        self.ring.entries()
    }

    #[inline]
    fn allocate(&self) -> Result<Ticket, NoRoom> {
        with_entry(&self.ring, |allocated| match allocated {
            Ok((head, at)) => {
                let (lap, slot) = (self.lap(at), self.slot(head, at));
                if slot == 0 {
                    // Ordering: Relaxed, see `lap`.
                    self.newest.store(lap, Ordering::Relaxed);
                }
                Ok(Ticket { position: self.position(lap, slot), slot })
            }
            Err(Reason::Exhausted) => Err(NoRoom::Full),
            Err(Reason::Busy) => Err(NoRoom::Busy),
        })
    }

    #[inline]
    unsafe fn produce(&self, ticket: Ticket, mut at: impl FnMut(usize)) {
        at(ticket.position);
        let (block, offset) = self.entry(ticket.slot);
        // SAFETY: the entry is claimed, and not committed yet. Its line begins with its marks.
        unsafe {
            let slot = self.ring.entry(block, offset);
            let entry = in_next_lap(slot.mark(), offset);
            commit(&self.ring, block, entry, ());
        }
    }

    #[inline]
    fn reserve(&self, mut may: impl FnMut(usize) -> bool) -> Result<Reserved, Nothing> {
        let mut state = ConsumerState::find(&self.ring);
        // The last position passed to `may`, and the result.
        let mut asked = None;
        let reserved = C::reserve(&self.ring, &mut state, 1, |head, at| {
            let ticket = self.ticket(head, at);
            let is_permitted = may(ticket.position);
            asked = Some((at, ticket, is_permitted));
            is_permitted
        });
        match (reserved, asked) {
            (Ok((at, _)), Some((asked, ticket, is_permitted))) if asked == at => Ok(Reserved { ticket, is_permitted }),
            (Ok((at, _)), _) => Ok(Reserved { ticket: self.ticket(state.head(), at), is_permitted: false }),
            (Err(_), Some((_, _, false))) => Err(Nothing::Refused),
            (Err(Reason::Exhausted), _) => Err(Nothing::Empty),
            (Err(Reason::Busy), _) => Err(Nothing::Busy),
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
        let (block, offset) = self.entry(ticket.slot);
        // SAFETY: the entry is reserved, and not consumed yet. A block has a consumers' mark for
        // each.
        let entry = unsafe { in_next_lap(self.ring.marks(block).add(offset), offset) };
        C::consume(&self.ring, block, entry, 1);
    }
}

impl<C: SharedConsumerSide> fmt::Debug for Slots<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Slots").field("slots", &self.slots()).finish_non_exhaustive()
    }
}
