//! The memory that the queues and the frames of a switch may take, and whether the machine's memory
//! suffices.

use aqueduct_measure::machine::free_memory;
use thiserror::Error;

use crate::frame::Frame;

/// The queues and frames would take more memory than is free.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error(
    "{clients} clients with queues of {capacity} frames may take {} MiB, and {} MiB of memory are free; up to {most} clients are \
     possible with such queues", .needed >> 20, .free >> 20
)]
pub struct TooLarge {
    /// The number of clients asked for.
    pub clients: usize,
    /// The number of frames of each of their queues.
    pub capacity: usize,
    /// The greatest possible number of clients.
    pub most: usize,
    /// The bytes that are necessary.
    pub needed: u128,
    /// The bytes that are free.
    pub free: u64,
}

/// Checks that the machine's memory suffices for `clients` clients, each with two queues of
/// `capacity` frames.
///
/// # Errors
/// The necessary memory, and the possible number of clients.
pub fn check(clients: usize, capacity: usize) -> Result<(), TooLarge> {
    let free = free_memory();
    let fits = |clients| needed(clients, capacity) <= u128::from(free);
    if fits(clients) {
        return Ok(());
    }
    let (mut most, mut too_many) = (0, clients);
    while too_many - most > 1 {
        let middle = most + (too_many - most) / 2;
        if fits(middle) { most = middle } else { too_many = middle }
    }
    Err(TooLarge { clients, capacity, most, needed: needed(clients, capacity), free })
}

/// Returns the greatest number of bytes that `clients` clients take.
fn needed(clients: usize, capacity: usize) -> u128 {
    /// The bytes of a queue's slot; the number of slots is rounded up to a power of two.
    const SLOT: u128 = 2 * 16;
    /// The bytes of a frame, with the allocator's own.
    const FRAME: u128 = size_of::<Frame>() as u128 + 16;
    /// The number of frames per slot: both queues can be full, the client can keep as many frames
    /// again, and the switch can hold those that it has taken from one.
    const FRAMES: u128 = 5;
    /// The bytes that a client keeps about each other client, in both directions.
    const OTHER: u128 = 2 * size_of::<u64>() as u128;
    let (clients, capacity) = (clients as u128, capacity as u128);
    clients.saturating_mul(capacity * (2 * SLOT + FRAMES * FRAME) + clients * OTHER)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_figures_of_the_paper_fit() {
        assert_eq!(check(256, 256), Ok(()));
    }

    #[test]
    fn what_does_not_fit_is_refused_with_what_does() {
        let refused = check(usize::MAX, 256).unwrap_err();
        assert!(refused.most >= 256 && needed(refused.most, 256) <= u128::from(refused.free), "{refused}");
        assert!(needed(refused.most + 1, 256) > u128::from(refused.free), "{refused}");
        let refused = check(2, usize::MAX).unwrap_err();
        assert_eq!(refused.most, 0, "{refused}");
    }
}
