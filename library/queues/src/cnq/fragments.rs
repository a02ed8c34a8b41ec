//! The fragment list: capsules that consumers have left before their end (J. Wang's thesis, section
//! 3.4.2, case 4).
//!
//! There is a place for each slot of the tube, so there is always room. A consumer takes the
//! fragment with the oldest position, if that position may be read.

use crate::array::Array;
use crate::error::CapacityError;
use crate::isolated::Isolated;
use crate::sync::{AtomicUsize, Ordering};
use crate::tube::raw::Ticket;

pub(super) struct Fragments {
    /// The number of fragments, or slightly more.
    count: Isolated<AtomicUsize>,
    /// By slot: 0, or twice the position of the slot's fragment plus 1.
    places: Array<AtomicUsize>,
}

impl Fragments {
    pub(super) fn new(slots: usize) -> Result<Self, CapacityError> {
        Ok(Self { count: Isolated(AtomicUsize::new(0)), places: Array::new(slots, |_| AtomicUsize::new(0))? })
    }

    /// Whether there may be a fragment.
    #[inline]
    pub(super) fn any(&self) -> bool {
        // Ordering: Acquire only keeps later stores behind (load buffering). Every value that it
        // may read counts the fragments whose insertion happened before.
        self.count.load(Ordering::Acquire) > 0
    }

    /// Inserts the content of the ticket's slot, which is the caller's.
    pub(super) fn insert(&self, ticket: Ticket) {
        // Ordering: Acquire only keeps later stores behind (load buffering). A fragment is counted
        // from before its insertion until after its removal: the count is never too small.
        self.count.fetch_add(1, Ordering::Acquire);
        // Ordering: Release pairs with the Acquire in `remove`: the slot's content comes with it.
        self.places[ticket.slot].store(ticket.position << 1 | 1, Ordering::Release);
    }

    /// Takes the fragment with the oldest position, if it may be read. `near` is a position that is
    /// not far away.
    pub(super) fn remove(&self, near: usize, may: impl Fn(usize) -> bool) -> Option<Ticket> {
        loop {
            let mut oldest: Option<(isize, usize)> = None;
            for (slot, place) in self.places.iter().enumerate() {
                // Ordering: Acquire only keeps later stores behind (load buffering): the exchange
                // fails if the fragment is gone.
                let found = place.load(Ordering::Acquire);
                let age = (near << 1).wrapping_sub(found ^ 1).cast_signed() >> 1;
                if found != 0 && oldest.is_none_or(|(most, _)| age > most) {
                    oldest = Some((age, slot));
                }
            }
            let (age, slot) = oldest?;
            let ticket = Ticket { position: near.wrapping_sub(age.cast_unsigned()), slot };
            if !may(ticket.position) {
                return None;
            }
            // Ordering: Acquire pairs with Release in `insert`, for the content. The exchange
            // may read a later insertion than the load (`cnq-ring/fragment-again`). Acquire on
            // failure, and of the count, only keeps later stores behind (load buffering).
            let found = ticket.position << 1 | 1;
            if self.places[slot].compare_exchange(found, 0, Ordering::Acquire, Ordering::Acquire).is_ok() {
                self.count.fetch_sub(1, Ordering::Acquire);
                return Some(ticket);
            }
        }
    }
}
