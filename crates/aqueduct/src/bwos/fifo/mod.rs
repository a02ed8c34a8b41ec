//! A work-stealing queue whose owner takes the oldest item, and whose thieves take those that the owner does not come to at once.
//!
//! # Orderings
//! None in the owner's fast paths. A block is opened to thieves by a release store of its `s_pos`, they are told of its items by one of
//! its `b_pos`, and that there is something by one of `offer`; each pairs with a thief's acquire load. That a thief has read what it
//! claimed is told by release stores of marks, which pair with the owner's acquire loads before it uses the block again.

mod offer;
mod owner;
mod shared;
mod stealer;
mod theft;
mod written;

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
/// let (mut owner, stealer) = aqueduct::bwos::fifo::new(1000)?;
/// for task in 0..900 {
///     owner.push(task)?;
/// }
/// let thief = std::thread::spawn(move || stealer.steal().success());
/// assert_eq!(owner.pop(), Ok(0));
/// assert!(thief.join().expect("it does not panic").is_some_and(|task| task > 0));
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
    let ends = shared.ends(round);
    let (owners, stealers) = Hold::pair(shared)?;
    Ok((Owner::new(owners, ends), Stealer::new(stealers)))
}
