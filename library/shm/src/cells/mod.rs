//! Cells that change owners: the common part of [`mpmc`](crate::mpmc) and
//! [`drop_old`](crate::drop_old). The page of `mpmc` describes the protocol, and the state that a
//! dead process leaves.

mod geometry;
mod seat;

use crate::error::ClaimError;

pub use geometry::Geometry;
pub(crate) use seat::{Seat, Stuck, bells_of, fill, find, hint_of, is_used, words_of_places};

/// A side of a queue. Its number is the parity of the turns at which it exchanges, where both sides
/// do.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Side {
    Producer = 0,
    Consumer = 1,
}

impl Side {
    pub(crate) fn other(self) -> Self {
        match self {
            Self::Producer => Self::Consumer,
            Self::Consumer => Self::Producer,
        }
    }
}

/// Takes the first of `places` places that can be taken.
pub(crate) fn any<H>(places: usize, take: impl Fn(usize) -> Result<H, ClaimError>) -> Result<H, ClaimError> {
    let mut refused = ClaimError::Damaged;
    for place in 0..places {
        match take(place) {
            // A damaged place is skipped.
            Err(ClaimError::Damaged) => {}
            Err(why) => refused = why,
            taken => return taken,
        }
    }
    Err(refused)
}
