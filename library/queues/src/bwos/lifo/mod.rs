//! Work-stealing queues whose owner takes the newest item, and whose thieves take the oldest.
//!
//! The [parent module](super) has the guarantees, and its [design page](super::design) the
//! protocol.

mod position;
mod s_pos;
mod slow;
mod thieves;

use core::ptr::NonNull;

use super::geometry::Geometry;
use super::order::{FastPaths, Lifo, Order};
use super::queue::{OwnerState, Queue};
use crate::error::CapacityError;
use position::Position;
use slow::BlockHead;

/// The handle of a queue's owner. Its methods are those of [`bwos::Owner`](super::Owner).
pub type Owner<T> = super::Owner<T, Lifo>;

/// The handle of a queue's thieves. Its methods are those of [`bwos::Stealer`](super::Stealer).
pub type Stealer<T> = super::Stealer<T, Lifo>;

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
    Owner::for_capacity(capacity)
}

/// Makes a queue with the blocks and entries of `geometry`.
///
/// # Errors
/// [`CapacityError`] if the geometry is too large, or there is no memory.
pub fn with_geometry<T: Send>(geometry: Geometry) -> Result<(Owner<T>, Stealer<T>), CapacityError> {
    Owner::with_geometry(geometry)
}

/// Makes a queue that starts in this lap, for tests near the last one.
#[doc(hidden)]
pub fn starting_at<T: Send>(geometry: Geometry, lap: usize) -> Result<(Owner<T>, Stealer<T>), CapacityError> {
    Owner::starting_at(geometry, lap)
}

impl Order for Lifo {}

impl FastPaths for Lifo {
    #[inline(always)]
    fn publish_push(position: &Position, b_pos: usize) {
        position.publish_push(b_pos);
    }

    #[inline(always)]
    fn front(back: NonNull<BlockHead>, _front: ()) -> NonNull<BlockHead> {
        back
    }

    #[inline(always)]
    fn pop<T>(queue: &Queue<T, Self>, b_pos: &mut usize, _front: &mut ()) -> Option<usize> {
        // The position before and after in one variable: in two, an operation of six has an
        // instruction more.
        *b_pos = b_pos.wrapping_sub(1);
        queue.position.publish_pop(*b_pos);
        if queue.requests.lets_pop_down(*b_pos) {
            return Some(*b_pos);
        }
        *b_pos = b_pos.wrapping_add(1);
        None
    }

    #[inline(always)]
    fn save(_front: &(), _state: &mut OwnerState<Self>) {}

    #[inline(always)]
    fn resume(_state: &OwnerState<Self>) {}
}
