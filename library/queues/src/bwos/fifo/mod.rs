//! Work-stealing queues whose owner takes the oldest item.
//!
//! Thieves take items that the owner does not reach soon. The [parent module](super) has the
//! guarantees, and its [design page](super::design) the protocol.

mod grants;
mod position;
mod slow;
mod thieves;
mod words;

use core::ptr::NonNull;

use super::geometry::Geometry;
use super::order::{FastPaths, Fifo, Order};
use super::queue::{OwnerState, Queue};
use crate::error::CapacityError;
use grants::BlockHead;
use position::Position;

/// The handle of a queue's owner. Its methods are those of [`bwos::Owner`](super::Owner).
pub type Owner<T> = super::Owner<T, Fifo>;

/// The handle of a queue's thieves. Its methods are those of [`bwos::Stealer`](super::Stealer), and
/// [`steal_of`](super::Stealer::steal_of).
pub type Stealer<T> = super::Stealer<T, Fifo>;

/// Makes a queue for at least `capacity` items.
///
/// Returns the handles of its owner and of the first thief.
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

/// The end at which the owner pops.
#[derive(Clone, Copy)]
pub struct Front {
    block: NonNull<BlockHead>,
    /// Entries of the block at the front up to here are taken.
    f_pos: usize,
    /// The entry at which a pop has to look again whether more is written: the end of the written
    /// entries as far as pops have looked, or none if another block is at the back, and all of this
    /// one is written.
    known: usize,
}

impl Order for Fifo {}

impl FastPaths for Fifo {
    #[inline(always)]
    fn publish_push(position: &Position, b_pos: usize) {
        position.publish_push(b_pos);
    }

    #[inline(always)]
    fn front(_back: NonNull<BlockHead>, front: Front) -> NonNull<BlockHead> {
        front.block
    }

    #[inline(always)]
    fn pop<T>(queue: &Queue<T, Self>, b_pos: &mut usize, front: &mut Front) -> Option<usize> {
        if front.f_pos != front.known || learns_more(&mut front.known, *b_pos) {
            let next = front.f_pos + 1;
            queue.position.publish_pop(next);
            if queue.requests.lets_pop_up(next) {
                front.f_pos = next;
                return Some(next - 1);
            }
        }
        None
    }

    #[inline(always)]
    fn save(front: &Front, state: &mut OwnerState<Self>) {
        state.front.block = front.block;
        state.front.f_pos = front.f_pos;
    }

    #[inline(always)]
    fn resume(state: &OwnerState<Self>) -> Front {
        let known = if state.front.block == state.back { state.b_pos } else { usize::MAX };
        Front { known, ..state.front }
    }
}

/// Looks for entries that have been written since the last look, and returns whether there are any.
#[inline(always)]
fn learns_more(known: &mut usize, b_pos: usize) -> bool {
    seldom();
    let is_more = *known != b_pos;
    *known = b_pos;
    is_more
}

/// Tells compilers to lay out the code that calls it apart from the code around it.
#[cold]
#[inline]
const fn seldom() {}
