//! The owner's handle, and its fast paths.

use core::fmt;
use core::mem::ManuallyDrop;
use core::ptr::NonNull;

use super::super::block::entries;
use super::super::order::{Room, Steals};
use super::queue::{BlockHead, Cursor, Queue};
use crate::error::{PopError, PushError};
use crate::hold::Hold;

/// The owner of a [queue](super): it pushes, and pops the newest item.
///
/// The owner can move to another thread, but belongs to one at a time:
///
/// # Examples
/// ```
/// use aqueduct::error::PopError;
///
/// let (mut owner, _stealer) = aqueduct::bwos::lifo::new(100)?;
/// for task in [1, 2, 3] {
///     owner.push(task)?;
/// }
/// assert_eq!(owner.pop(), Ok(3));
/// assert_eq!(owner.pop(), Ok(2));
/// assert_eq!(owner.pop(), Ok(1));
/// assert_eq!(owner.pop(), Err(PopError::Empty));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
/// ```compile_fail,E0277
/// let (owner, stealer) = aqueduct::bwos::lifo::new::<u8>(10)?;
/// std::thread::scope(|scope| {
///     let lent = &owner;
///     scope.spawn(move || lent.capacity());
/// });
/// # Ok::<(), aqueduct::error::CapacityError>(())
/// ```
/// When it is dropped, all its items can be stolen.
#[doc(alias = "Worker")]
#[doc(alias = "deque")]
pub struct Owner<T> {
    block: NonNull<BlockHead>,
    pos: usize,
    hold: ManuallyDrop<Hold<Queue<T>>>,
}

// SAFETY: a handle is a place in a queue of items that may go from thread to thread.
unsafe impl<T: Send> Send for Owner<T> {}

impl<T> Owner<T> {
    /// Makes the handle of the owner of a fresh queue.
    pub(super) fn new(hold: Hold<Queue<T>>) -> Self {
        let Cursor { block, pos } = hold.state().cursor();
        Self { block, pos, hold: ManuallyDrop::new(hold) }
    }

    #[inline(always)]
    fn at(&self) -> Cursor {
        Cursor { block: self.block, pos: self.pos }
    }

    /// Leaves the fast paths: the shared state knows where the owner is.
    #[inline(always)]
    fn leave(&self) {
        self.hold.keep(self.at());
    }

    /// Adds an item. Wait-free.
    ///
    /// # Errors
    /// [`PushError::Full`] gives the item back if the next block is not free. Then either at least
    /// [`capacity`](Self::capacity) items were in the queue, or a thief is in the middle of reading
    /// the last items of that block.
    #[inline(always)]
    pub fn push(&mut self, item: T) -> Result<(), PushError<T>> {
        if self.hold.requests.lets_push(self.pos) {
            // SAFETY: within the block, free, and the owner's.
            unsafe { entries::<T, BlockHead>(self.block).add(self.pos).as_ref().write(item) };
            self.pos += 1;
            self.hold.position.publish_push(self.pos);
            return Ok(());
        }
        self.leave();
        let (state, result) = self.hold.push(item);
        Cursor { block: self.block, pos: self.pos } = state.cursor();
        result.map_err(PushError::Full)
    }

    /// Takes the newest item that no thief has claimed. Wait-free.
    ///
    /// # Errors
    /// [`PopError::Empty`] if there is none; never [`PopError::Busy`].
    #[inline(always)]
    pub fn pop(&mut self) -> Result<T, PopError> {
        // The position before and after in one variable: in two, an operation of six has an instruction more.
        self.pos = self.pos.wrapping_sub(1);
        self.hold.position.publish_pop(self.pos);
        if self.hold.requests.lets_pop_down(self.pos) {
            // SAFETY: the entry holds an item, and is the owner's.
            return Ok(unsafe { entries::<T, BlockHead>(self.block).add(self.pos).as_ref().take() });
        }
        self.pos = self.pos.wrapping_add(1);
        self.leave();
        let (state, item) = self.hold.pop();
        Cursor { block: self.block, pos: self.pos } = state.cursor();
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
            let room = self.hold.requests.push().saturating_sub(self.pos);
            let (now, later) = rest.split_at(rest.len().min(room.max(1)));
            if room == 0 {
                if self.push(first).is_err() {
                    break;
                }
            } else {
                now.iter().for_each(|&item| self.write(item));
                self.hold.position.publish_push(self.pos);
            }
            rest = later;
        }
        items.len() - rest.len()
    }

    /// Moves up to `items.len()` items, the newest first, to the start of `items`.
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

    /// Adds an item that thieves do not see yet.
    #[inline(always)]
    fn write(&mut self, item: T) {
        debug_assert!(self.pos < self.hold.size());
        // SAFETY: within the block, free, and the owner's.
        unsafe { entries::<T, BlockHead>(self.block).add(self.pos).as_ref().write(item) };
        self.pos += 1;
    }

    /// Returns the capacity that was asked for.
    ///
    /// This number of items always fits if nothing is stolen. A few more may.
    #[must_use]
    pub fn capacity(&self) -> usize {
        self.hold.capacity
    }

    /// Returns the number of items: the owner's, and those that thieves may take and have not taken.
    ///
    /// Exact while no thief is at work; otherwise thieves may have taken some of them. Takes time in
    /// proportion to the number of blocks.
    #[must_use]
    pub fn len(&self) -> usize {
        self.hold.len(self.hold.keep(self.at()))
    }

    /// Whether a pop would return [`PopError::Empty`] now.
    ///
    /// If `true`, the next pop does, unless there is a push before it. If `false`, thieves may be
    /// faster.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.hold.is_empty(self.hold.keep(self.at()))
    }

    /// Whether a push would return [`PushError::Full`] now.
    ///
    /// If `false`, the next push succeeds.
    #[must_use]
    pub fn is_full(&self) -> bool {
        self.hold.is_full(self.hold.keep(self.at()))
    }

    /// Whether at least `items` items are the owner's alone, in the block that it pushes to, and no thief requests any.
    ///
    /// A pool in which this holds has nothing to gain from another push. If the owner has the items, this reads a word
    /// that thieves write with a request.
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
        self.pos - self.hold.floor() >= items && self.hold.requests.lets_push(self.pos)
    }

    /// Whether all stealers are gone.
    #[must_use]
    pub fn is_closed(&self) -> bool {
        self.hold.is_alone()
    }
}

impl<T> Room for Owner<T> {
    type Task = T;

    fn room(&mut self) -> usize {
        let is_fast = self.hold.requests.lets_push(self.pos);
        if !is_fast && (self.pos == self.hold.size() || self.pos > self.hold.floor()) {
            self.leave();
            Cursor { block: self.block, pos: self.pos } = self.hold.make_room().cursor();
        }
        self.hold.size() - self.pos
    }

    #[inline(always)]
    fn put(&mut self, item: T) {
        self.write(item);
        self.hold.position.publish_push(self.pos);
    }
}

impl<T> Drop for Owner<T> {
    #[inline(always)]
    fn drop(&mut self) {
        self.leave();
        // By value: compilers keep a handle in registers whose address no function gets.
        // SAFETY: it is dropped, so nobody uses the hold again.
        leave(unsafe { ManuallyDrop::take(&mut self.hold) });
    }
}

/// Gives all items to the thieves, and lets the queue go.
#[inline(never)]
fn leave<T>(hold: Hold<Queue<T>>) {
    hold.leave();
}

impl<T> fmt::Debug for Owner<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Owner").field("capacity", &self.capacity()).finish_non_exhaustive()
    }
}

crate::queue::implement! {
    [T: Send] Owner<T>, T: Push Pop Full Closed Drain Len;
    [T: Copy + Send] Owner<T>, T: PushSlice PopSlice;
}
