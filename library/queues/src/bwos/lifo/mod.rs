//! Work-stealing queues whose owner takes the newest item, and whose thieves take the oldest.
//!
//! The [parent module](super) has the guarantees.
//!
//! # Design and proof
//! The owner's fast paths publish its position by release stores, which pair with the acquire loads
//! of thieves that seize. A release store of a block's `s_pos`, or a release
//! addition to it, hands the block to thieves; it pairs with a thief's acquire exchange. A thief
//! reports that it has read an entry by a release store of the entry's mark. When the last entry is
//! read, one release store reports all of them. These stores pair with the owner's acquire loads
//! before it reuses the block.

mod owner;
mod position;
mod queue;
mod s_pos;
mod seize;
mod steal;

pub use owner::Owner;

use super::geometry::Geometry;
use super::order::{Lifo, Order};
use crate::error::CapacityError;
use crate::hold::Hold;
use queue::Queue;

/// The handle of a queue's thieves. Its methods are those of [`bwos::Stealer`](super::Stealer).
pub type Stealer<T> = super::Stealer<T, Lifo>;

impl Order for Lifo {
    type Queue<T> = Queue<T>;
    type Owner<T> = Owner<T>;
}

/// The first lap.
const FIRST_ROUND: usize = 1;

/// Makes a queue for at least `capacity` items.
///
/// Returns the handles of its owner and of the first thief.
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
/// [`CapacityError`] if `capacity` is 0 or too large, or there is no memory.
pub fn new<T: Send>(capacity: usize) -> Result<(Owner<T>, Stealer<T>), CapacityError> {
    handles(Queue::for_capacity(capacity, FIRST_ROUND)?)
}

/// Makes a queue with the blocks and entries of `geometry`.
///
/// # Errors
/// [`CapacityError`] if the geometry is too large, or there is no memory.
pub fn with_geometry<T: Send>(geometry: Geometry) -> Result<(Owner<T>, Stealer<T>), CapacityError> {
    starting_at(geometry, FIRST_ROUND)
}

/// Makes a queue that starts in this lap, for tests near the last one.
#[doc(hidden)]
pub fn starting_at<T: Send>(geometry: Geometry, lap: usize) -> Result<(Owner<T>, Stealer<T>), CapacityError> {
    handles(Queue::new(geometry, geometry.capacity(), lap)?)
}

fn handles<T>(shared: Queue<T>) -> Result<(Owner<T>, Stealer<T>), CapacityError> {
    let (owners, stealers) = Hold::pair(shared)?;
    Ok((Owner::new(owners), Stealer::new(stealers)))
}
