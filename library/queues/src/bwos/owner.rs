//! The owner's handle, and its fast paths.

use core::fmt;
use core::mem::ManuallyDrop;
use core::ptr::NonNull;

use super::block::entries;
use super::geometry::Geometry;
use super::order::{Lifo, Order};
use super::queue::{OwnerState, Queue};
use super::stealer::Stealer;
use crate::error::{CapacityError, PopError, PushError};
use crate::hold::Hold;
use crate::sync::Cell;

/// The first lap.
const FIRST_LAP: usize = 1;

/// The owner of a [queue](super): it pushes, and pops at the end that its order defines.
///
/// The owner of a LIFO queue pops the newest item, that of a FIFO queue the oldest.
///
/// When it is dropped, all its items can be stolen.
///
/// # Examples
/// ```
/// use aqueduct::bwos::{fifo, lifo};
/// use aqueduct::error::PopError;
///
/// let (mut owner, _stealer) = lifo::new(100)?;
/// for task in [1, 2, 3] {
///     owner.push(task)?;
/// }
/// assert_eq!([owner.pop(), owner.pop(), owner.pop()], [Ok(3), Ok(2), Ok(1)]);
/// assert_eq!(owner.pop(), Err(PopError::Empty));
///
/// let (mut owner, _stealer) = fifo::new(100)?;
/// assert_eq!(owner.push_slice(&[1, 2, 3]), 3);
/// assert_eq!([owner.pop(), owner.pop(), owner.pop()], [Ok(1), Ok(2), Ok(3)]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// The owner can move to another thread, but belongs to one at a time:
///
/// ```compile_fail,E0277
/// let (owner, stealer) = aqueduct::bwos::lifo::new::<u8>(10)?;
/// std::thread::scope(|scope| {
///     let lent = &owner;
///     scope.spawn(move || lent.capacity());
/// });
/// # Ok::<(), aqueduct::error::CapacityError>(())
/// ```
#[doc(alias = "Worker")]
#[doc(alias = "deque")]
pub struct Owner<T, O: Order> {
    /// The block that the owner pushes to.
    back: NonNull<O::Head>,
    /// Entries of the block at the back up to here are written.
    b_pos: usize,
    /// The end at which the owner pops, if it is another one.
    front: O::Front,
    hold: ManuallyDrop<Hold<Queue<T, O>>>,
}

// SAFETY: a handle is a position in a queue of items that may go from thread to thread.
unsafe impl<T: Send, O: Order> Send for Owner<T, O> {}

impl<T, O: Order> Owner<T, O> {
    /// Makes the handles of the owner and the first thief of a queue for that capacity.
    pub(super) fn for_capacity(capacity: usize) -> Result<(Self, Stealer<T, O>), CapacityError> {
        Self::of(Queue::for_capacity(capacity, FIRST_LAP)?)
    }

    /// Makes the handles of a queue of that geometry.
    pub(super) fn with_geometry(geometry: Geometry) -> Result<(Self, Stealer<T, O>), CapacityError> {
        Self::starting_at(geometry, FIRST_LAP)
    }

    /// Makes the handles of a queue that begins in that lap.
    pub(super) fn starting_at(geometry: Geometry, lap: usize) -> Result<(Self, Stealer<T, O>), CapacityError> {
        Self::of(Queue::new(geometry, geometry.capacity(), lap)?)
    }

    fn of(queue: Queue<T, O>) -> Result<(Self, Stealer<T, O>), CapacityError> {
        let (owners, stealers) = Hold::pair(queue)?;
        let OwnerState { back, b_pos, .. } = *owners.state();
        let front = O::resume(owners.state());
        Ok((Self { back, b_pos, front, hold: ManuallyDrop::new(owners) }, Stealer::new(stealers)))
    }

    /// Leaves the fast paths: writes the owner's position to its state in the queue.
    #[inline(always)]
    fn save(&self) -> &mut OwnerState<O> {
        self.hold.save(self.back, self.b_pos, &self.front)
    }

    /// Adds an item. Wait-free.
    ///
    /// # Errors
    /// [`PushError::Full`] gives the item back if the next block is not free. Then either at least
    /// [`capacity`](Self::capacity) items are in the queue, counted from the oldest on (of a FIFO
    /// queue, stolen ones included), or a thief is in the middle of reading the last items of that
    /// block.
    #[inline(always)]
    pub fn push(&mut self, item: T) -> Result<(), PushError<T>> {
        if self.hold.requests.lets_push(self.b_pos) {
            self.put(item);
            return Ok(());
        }
        self.save();
        let (state, result) = self.hold.push(item);
        (self.back, self.b_pos, self.front) = (state.back, state.b_pos, O::resume(state));
        result.map_err(PushError::Full)
    }

    /// Takes the newest item (LIFO) or the oldest (FIFO) that no thief has claimed. Wait-free.
    ///
    /// # Errors
    /// [`PopError::Empty`] if there is none; never [`PopError::Busy`].
    #[inline(always)]
    pub fn pop(&mut self) -> Result<T, PopError> {
        if let Some(entry) = O::pop(&self.hold, &mut self.b_pos, &mut self.front) {
            // SAFETY: the entry holds an item, and is the owner's.
            return Ok(unsafe { self.entry(O::front(self.back, self.front), entry).as_ref().take() });
        }
        self.save();
        let (state, item) = self.hold.pop();
        (self.back, self.b_pos, self.front) = (state.back, state.b_pos, O::resume(state));
        item.ok_or(PopError::Empty)
    }

    /// Adds the first items of `items`, as many as fit, and returns their number.
    #[must_use = "items beyond the returned number were not pushed"]
    pub fn push_slice(&mut self, items: &[T]) -> usize
    where
        T: Copy,
    {
        let mut rest = items;
        while let [first, ..] = *rest {
            let room = self.hold.requests.push().saturating_sub(self.b_pos);
            let (now, later) = rest.split_at(rest.len().min(room.max(1)));
            if room == 0 {
                if self.push(first).is_err() {
                    break;
                }
            } else {
                now.iter().for_each(|&item| self.write(item));
                O::publish_push(&self.hold.position, self.b_pos);
            }
            rest = later;
        }
        items.len() - rest.len()
    }

    /// Moves up to `items.len()` items to the start of `items`, in the order of [pops](Self::pop).
    ///
    /// Returns their number.
    pub fn pop_slice(&mut self, items: &mut [T]) -> usize
    where
        T: Copy,
    {
        let mut done = 0;
        while let Some(place) = items.get_mut(done) {
            let Ok(item) = self.pop() else { break };
            *place = item;
            done += 1;
        }
        done
    }

    /// Returns the address of an entry.
    ///
    /// # Safety
    /// It is an entry of that block.
    #[inline(always)]
    unsafe fn entry(&self, block: NonNull<O::Head>, number: usize) -> NonNull<Cell<T>> {
        debug_assert!(number < self.hold.size());
        // SAFETY: the caller's promise.
        unsafe { entries::<T, O::Head>(block).add(number) }
    }

    /// Adds an item that thieves do not see yet.
    #[inline(always)]
    fn write(&mut self, item: T) {
        // SAFETY: within the block, free, and the owner's.
        unsafe { self.entry(self.back, self.b_pos).as_ref().write(item) };
        self.b_pos += 1;
    }

    /// Adds an item; the caller has checked that the block has room. Does not panic.
    #[inline(always)]
    pub(crate) fn put(&mut self, item: T) {
        self.write(item);
        O::publish_push(&self.hold.position, self.b_pos);
    }

    /// Returns the room in the owner's block for stolen items, after going to the next block if
    /// need be.
    ///
    /// Answers a steal request.
    pub(crate) fn make_room(&mut self) -> usize {
        let is_fast = self.hold.requests.lets_push(self.b_pos);
        if !is_fast && (self.b_pos == self.hold.size() || O::has_to_give(&self.hold, self.save())) {
            self.save();
            let state = self.hold.make_room();
            (self.back, self.b_pos, self.front) = (state.back, state.b_pos, O::resume(state));
        }
        self.hold.size() - self.b_pos
    }

    /// Returns the capacity that was asked for.
    ///
    /// This number of items always fits if nothing is stolen. A few more may.
    #[must_use]
    pub fn capacity(&self) -> usize {
        self.hold.capacity
    }

    /// Returns the number of items: the owner's, and those that thieves may take and have not
    /// taken.
    ///
    /// Exact while no thief is at work; otherwise thieves may have taken some of them. Takes time
    /// in proportion to the number of blocks.
    #[must_use]
    pub fn len(&self) -> usize {
        O::len(&self.hold, self.save())
    }

    /// Whether a pop would return [`PopError::Empty`] now.
    ///
    /// If `true`, the next pop does, unless there is a push before it. If `false`, thieves may be
    /// faster.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        O::is_empty(&self.hold, self.save())
    }

    /// Whether a push would return [`PushError::Full`] now.
    ///
    /// If `false`, the next push succeeds.
    #[must_use]
    pub fn is_full(&self) -> bool {
        O::is_full(&self.hold, self.save())
    }

    /// Whether all stealers are gone.
    #[must_use]
    pub fn is_closed(&self) -> bool {
        self.hold.is_alone()
    }
}

impl<T> Owner<T, Lifo> {
    /// Whether at least `items` items are the owner's alone, in the block that it pushes to, and no
    /// thief requests any.
    ///
    /// A pool in which this holds has nothing to gain from another push. If the owner has the
    /// items, this reads a word that thieves write with a request.
    ///
    /// # Examples
    /// ```
    /// let (mut owner, stealer) = aqueduct::bwos::lifo::new(100)?;
    /// owner.push("an item")?;
    /// owner.push("another one")?;
    /// assert!(owner.keeps(2) && !owner.keeps(3));
    /// stealer.request();
    /// assert!(!owner.keeps(2));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[inline(always)]
    #[must_use]
    pub fn keeps(&self, items: usize) -> bool {
        self.b_pos - self.hold.floor() >= items && self.hold.requests.lets_push(self.b_pos)
    }
}

impl<T, O: Order> Drop for Owner<T, O> {
    #[inline(always)]
    fn drop(&mut self) {
        self.save();
        // By value: compilers keep a handle in registers whose address no function gets.
        // SAFETY: the handle is being dropped, so the hold is not used again.
        leave(unsafe { ManuallyDrop::take(&mut self.hold) });
    }
}

/// Gives all items to the thieves, and releases the queue.
#[inline(never)]
fn leave<T, O: Order>(hold: Hold<Queue<T, O>>) {
    O::leave(&hold, hold.state());
}

impl<T, O: Order> fmt::Debug for Owner<T, O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Owner").field("capacity", &self.capacity()).finish_non_exhaustive()
    }
}

crate::queue::implement! {
    [T: Send, O: Order] Owner<T, O>, T: Push Pop Full Closed Drain Len;
    [T: Copy + Send, O: Order] Owner<T, O>, T: PushSlice PopSlice;
}
