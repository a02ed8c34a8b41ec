//! A work-stealing queue whose owner takes the newest item, and whose thieves take the oldest one.
//!
//! # Orderings
//! None in the owner's fast paths. A block is handed to thieves by a release store of its `s_pos`, or addition to it, which pairs
//! with a thief's acquire exchange; that a thief has read what it claimed is told by release stores of marks, and by one for
//! all when the last entry is read, which pair with the owner's acquire loads before it uses the block again.

mod owner;
mod shared;
mod stealer;
mod word;

pub use owner::Owner;
pub use stealer::Stealer;

use super::geometry::Geometry;
use crate::error::CapacityError;
use crate::hold::Hold;
use shared::Shared;

/// The first round.
const FIRST_ROUND: usize = 1;

/// A queue for at least `capacity` items: its owner's handle, and the first stealer's.
///
/// # Examples
/// ```
/// let (mut owner, stealer) = aqueduct::bwos::lifo::new(1000)?;
/// for task in 0..900 {
///     owner.push(task)?;
/// }
/// let thief = std::thread::spawn(move || stealer.steal().success());
/// assert_eq!(owner.pop(), Ok(899));
/// assert_eq!(thief.join().expect("it does not panic"), Some(0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`CapacityError`] if `capacity` is 0, or too large, or there is no memory.
pub fn new<T: Send>(capacity: usize) -> Result<(Owner<T>, Stealer<T>), CapacityError> {
    handles(Shared::for_capacity(capacity, FIRST_ROUND)?, FIRST_ROUND)
}

/// As [`new`], divided as `geometry` says.
///
/// # Errors
/// [`CapacityError`] if that is too large, or there is no memory.
pub fn with_geometry<T: Send>(geometry: Geometry) -> Result<(Owner<T>, Stealer<T>), CapacityError> {
    starting_at(geometry, FIRST_ROUND)
}

/// As [`with_geometry`], in that round: tests start near the last one.
#[doc(hidden)]
pub fn starting_at<T: Send>(geometry: Geometry, round: usize) -> Result<(Owner<T>, Stealer<T>), CapacityError> {
    handles(Shared::new(geometry, geometry.capacity(), round)?, round)
}

fn handles<T>(shared: Shared<T>, round: usize) -> Result<(Owner<T>, Stealer<T>), CapacityError> {
    let top = shared.first(round);
    let (owners, stealers) = Hold::pair(shared)?;
    Ok((Owner::new(owners, top), Stealer::new(stealers)))
}
