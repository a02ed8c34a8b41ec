//! The owner's handle, and its fast paths.

use core::fmt;
use core::mem::ManuallyDrop;
use core::ptr::NonNull;

use super::super::block::entries;
use super::super::order::{Room, Steals};
use super::queue::{BlockHead, Queue};
use super::state::Cursors;
use crate::error::{PopError, PushError};
use crate::hold::Hold;

/// The owner of a [queue](super): it pushes, and pops the oldest item.
///
/// The owner can move to another thread, but belongs to one at a time:
///
/// # Examples
/// ```
/// use aqueduct::error::PopError;
///
/// let (mut owner, _stealer) = aqueduct::bwos::fifo::new(100)?;
/// for task in [1, 2, 3] {
///     owner.push(task)?;
/// }
/// assert_eq!(owner.pop(), Ok(1));
/// assert_eq!(owner.pop(), Ok(2));
/// assert_eq!(owner.pop(), Ok(3));
/// assert_eq!(owner.pop(), Err(PopError::Empty));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
/// ```compile_fail,E0277
/// let (owner, stealer) = aqueduct::bwos::fifo::new::<u8>(10)?;
/// std::thread::scope(|scope| {
///     let lent = &owner;
///     scope.spawn(move || lent.capacity());
/// });
/// # Ok::<(), aqueduct::error::CapacityError>(())
/// ```
/// When it is dropped, its items can be stolen.
#[doc(alias = "Worker")]
#[doc(alias = "deque")]
pub struct Owner<T> {
    // Single fields, and not `Cursors`: compilers keep these in registers.
    back: NonNull<BlockHead>,
    b_pos: usize,
    front: NonNull<BlockHead>,
    f_pos: usize,
    /// The end of the written entries of the block at the front, as far as pops have looked: see [`known_end`].
    known: usize,
    hold: ManuallyDrop<Hold<Queue<T>>>,
}

// SAFETY: a handle is a place in a queue of items that may go from thread to thread.
unsafe impl<T: Send> Send for Owner<T> {}

impl<T> Owner<T> {
    /// Makes the handle of the owner of a fresh queue.
    pub(super) fn new(hold: Hold<Queue<T>>) -> Self {
        let at = hold.state().cursors();
        let Cursors { back, b_pos, front, f_pos } = at;
        Self { back, b_pos, front, f_pos, known: known_end(at), hold: ManuallyDrop::new(hold) }
    }

    #[inline(always)]
    fn at(&self) -> Cursors {
        let Self { back, b_pos, front, f_pos, .. } = *self;
        Cursors { back, b_pos, front, f_pos }
    }

    /// Leaves the fast paths: the shared state knows where the owner is.
    #[inline(always)]
    fn leave(&self) {
        self.hold.keep(self.at());
    }

    /// Comes back to the fast paths there.
    #[inline(always)]
    fn go(&mut self, at: Cursors) {
        (self.back, self.b_pos) = (at.back, at.b_pos);
        (self.front, self.f_pos) = (at.front, at.f_pos);
        self.known = known_end(at);
    }

    /// Adds an item. Wait-free.
    ///
    /// # Errors
    /// [`PushError::Full`] gives the item back if the next block is not free. Then either at least
    /// [`capacity`](Self::capacity) items have been pushed, counted from the oldest item on and
    /// including stolen items, or a thief is in the middle of reading the last items of that block.
    #[inline(always)]
    pub fn push(&mut self, item: T) -> Result<(), PushError<T>> {
        if self.hold.requests.lets_push(self.b_pos) {
            self.put(item);
            return Ok(());
        }
        self.leave();
        let (state, result) = self.hold.push(item);
        let at = state.cursors();
        self.go(at);
        result.map_err(PushError::Full)
    }

    /// Takes the oldest item that no thief has claimed. Wait-free.
    ///
    /// # Errors
    /// [`PopError::Empty`] if there is none; never [`PopError::Busy`].
    #[inline(always)]
    pub fn pop(&mut self) -> Result<T, PopError> {
        if self.f_pos != self.known || self.learns_more() {
            let next = self.f_pos + 1;
            self.hold.position.publish_pop(next);
            if self.hold.requests.lets_pop_up(next) {
                self.f_pos = next;
                // SAFETY: the entry holds an item, and is the owner's.
                return Ok(unsafe { entries::<T, BlockHead>(self.front).add(next - 1).as_ref().take() });
            }
        }
        self.leave();
        let (state, item) = self.hold.pop();
        let at = state.cursors();
        self.go(at);
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
                self.hold.position.publish_push(self.b_pos);
            }
            rest = later;
        }
        items.len() - rest.len()
    }

    /// Moves up to `items.len()` items, the oldest first, to the start of `items`.
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

    /// Looks for entries that have been written since the last look, and says whether there are any.
    #[inline(always)]
    fn learns_more(&mut self) -> bool {
        seldom();
        let is_more = self.known != self.b_pos;
        self.known = self.b_pos;
        is_more
    }

    /// Adds an item that thieves do not see yet.
    #[inline(always)]
    fn write(&mut self, item: T) {
        debug_assert!(self.b_pos < self.hold.size());
        // SAFETY: within the block, free, and the owner's.
        unsafe { entries::<T, BlockHead>(self.back).add(self.b_pos).as_ref().write(item) };
        self.b_pos += 1;
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
        self.len() == 0
    }

    /// Whether a push would return [`PushError::Full`] now.
    ///
    /// If `false`, the next push succeeds.
    #[must_use]
    pub fn is_full(&self) -> bool {
        self.hold.is_full(self.hold.keep(self.at()))
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
        let is_fast = self.hold.requests.lets_push(self.b_pos);
        if !is_fast && (self.b_pos == self.hold.size() || self.hold.has_to_give(self.hold.keep(self.at()))) {
            self.leave();
            let at = self.hold.make_room().cursors();
            self.go(at);
        }
        self.hold.size() - self.b_pos
    }

    #[inline(always)]
    fn put(&mut self, item: T) {
        self.write(item);
        self.hold.position.publish_push(self.b_pos);
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

/// Returns the entry at which a pop has to look again whether more is written: the end of the written entries, or none
/// if the whole block at the front is written, because another one is at the back.
#[inline(always)]
fn known_end(Cursors { back, b_pos, front, .. }: Cursors) -> usize {
    if front == back { b_pos } else { usize::MAX }
}

/// Tells compilers to lay out the code that calls it apart from the code around it.
#[cold]
#[inline]
const fn seldom() {}

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
