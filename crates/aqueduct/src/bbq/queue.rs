//! The queue that is shared as a whole.

use core::fmt;

use super::FIRST_VERSION;
use super::block::{Block, Content};
use super::claim::{self, Claims, allocated, is_full, next_block};
use super::cursor::Cursor;
use super::geometry::Geometry;
use super::items::Items;
use super::race::Race;
use super::reserve::{self, Reserves, ReservesBesides, next_is_open, reserved};
use super::shared::{Position, Shared};
use super::side::{Multi, Reason};
use crate::error::{CapacityError, PopError};
use crate::sync::Ordering;

/// A queue of any number of producers and consumers, shared by reference or in an `Arc`. `C` says how consumers come to
/// entries: the names to use are [`bbq::Queue`](super::Queue) and [`faaq::Queue`](crate::faaq::Queue).
///
/// Each operation finds its place anew. Threads that push or pop often are better served by the handles of
/// [`bbq::mpmc`](super::mpmc) or [`faaq::queue`](crate::faaq::queue), which remember theirs.
///
/// # Examples
/// ```
/// use aqueduct::error::{PopError, PushError};
///
/// let queue = aqueduct::bbq::Queue::new(1000)?;
/// std::thread::scope(|scope| {
///     scope.spawn(|| {
///         for number in 1..=10_000_u64 {
///             let mut item = number;
///             while let Err(PushError::Full(back) | PushError::Busy(back)) = queue.push(item) {
///                 item = back;
///                 std::thread::yield_now();
///             }
///         }
///     });
///     let mut sum = 0;
///     for _ in 0..10_000 {
///         sum += loop {
///             match queue.pop() {
///                 Ok(item) => break item,
///                 Err(PopError::Empty | PopError::Busy) => std::thread::yield_now(),
///             }
///         };
///     }
///     assert_eq!(sum, 50_005_000);
/// });
/// # Ok::<(), aqueduct::error::CapacityError>(())
/// ```
/// It can be shared if its items can be sent, and not otherwise:
/// ```compile_fail,E0277
/// let queue = aqueduct::bbq::Queue::<std::rc::Rc<u8>>::new(10)?;
/// std::thread::scope(|scope| {
///     scope.spawn(|| queue.len());
/// });
/// # Ok::<(), aqueduct::error::CapacityError>(())
/// ```
/// No reference can be pushed that does not live as long as the queue's items:
/// ```compile_fail,E0597
/// # use aqueduct::bbq::Queue;
/// fn lend<'a>(queue: &Queue<&'a str>, word: &'a str) {
///     let _ = queue.push(word);
/// }
/// let queue = Queue::<&'static str>::new(10)?;
/// {
///     let word = String::from("short-lived");
///     lend(&queue, &word);
/// }
/// println!("{:?}", queue.pop());
/// # Ok::<(), aqueduct::error::CapacityError>(())
/// ```
pub struct Queue<T, C: Reserves> {
    shared: Shared<Items<T>, Multi, C>,
}

impl<T, C: ReservesBesides> Queue<T, C> {
    /// A queue for at least `capacity` items.
    ///
    /// # Errors
    /// [`CapacityError`] if `capacity` is 0, or too large, or there is no memory.
    pub fn new(capacity: usize) -> Result<Self, CapacityError> {
        Ok(Self { shared: Shared::for_capacity(Items::new(), capacity, FIRST_VERSION)? })
    }

    /// A queue divided as `geometry` says.
    ///
    /// # Errors
    /// [`CapacityError`] if that is too large, or there is no memory.
    pub fn with_geometry(geometry: Geometry) -> Result<Self, CapacityError> {
        Self::starting_at(geometry, FIRST_VERSION)
    }

    /// As [`with_geometry`](Self::with_geometry), in that lap: tests start near the last one.
    #[doc(hidden)]
    pub fn starting_at(geometry: Geometry, version: usize) -> Result<Self, CapacityError> {
        Ok(Self { shared: Shared::new(Items::new(), geometry, geometry.capacity(), version)? })
    }

    /// Adds `item` at the end of the queue. Lock-free among producers.
    ///
    /// # Errors
    /// [`PushError`](crate::error::PushError) gives the item back if there is no room.
    #[inline]
    pub fn push(&self, item: T) -> Result<(), C::Refused<T>> {
        self.shared.claim_anew(|claimed| match claimed {
            Ok((head, at)) => {
                // SAFETY: claimed.
                unsafe {
                    let place = self.shared.entry(self.shared.blocks.block(head.offset()), at.offset());
                    self.shared.put(place, at, item);
                };
                Ok(())
            }
            Err(reason) => Err(C::refused(item, reason)),
        })
    }

    /// Adds as many of `items`, from the first on, as there is room for; returns how many. One atomic exchange for all that go
    /// into the same block.
    #[must_use = "items beyond the returned number were not pushed"]
    pub fn push_slice(&self, items: &[T]) -> usize
    where
        T: Copy,
    {
        self.shared.push_slice(&mut self.shared.producing(), items)
    }

    /// Takes the oldest item. Lock-free among consumers.
    ///
    /// # Errors
    /// [`PopError`] if there is none, or the oldest is still being pushed.
    #[inline]
    pub fn pop(&self) -> Result<T, PopError> {
        self.shared.reserve_anew(|reserved| {
            let (head, at) = reserved?;
            let block = self.shared.blocks.block(head.offset());
            // SAFETY: reserved.
            Ok(unsafe { self.shared.take(block, at, self.shared.entry(block, at.offset())) })
        })
    }

    /// Takes as many items as there are, up to `items.len()`, and writes them to the begin of `items`; returns how many.
    pub fn pop_slice(&self, items: &mut [T]) -> usize
    where
        T: Copy,
    {
        self.shared.pop_slice(&mut self.shared.consuming(), items)
    }

    /// Takes items until none can be had.
    pub fn drain(&self) -> impl Iterator<Item = T> {
        core::iter::from_fn(|| self.pop().ok())
    }

    /// Items in the queue, those that are being pushed included, those that are being popped not. Exact while no operation is
    /// in progress. Takes time in proportion to the number of blocks.
    #[must_use]
    pub fn len(&self) -> usize {
        self.shared.len()
    }

    /// Whether [`len`](Self::len) is 0.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many items always fit: what was asked for. A few more may.
    #[must_use]
    pub fn capacity(&self) -> usize {
        self.shared.capacity
    }
}

impl<K: Content<Multi, C>, C: ReservesBesides> Shared<K, Multi, C> {
    /// Where producers are: the head of their block, and the entry.
    #[inline(always)]
    fn producers_at(&self) -> (Cursor, Cursor) {
        // Ordering: Relaxed, see there.
        self.find(&self.producers, allocated, Cursor(self.producers.load(Ordering::Relaxed)))
    }

    /// Where consumers are.
    #[inline(always)]
    fn consumers_at(&self) -> (Cursor, Cursor) {
        // Ordering: Relaxed, see there.
        self.find(&self.consumers, reserved, Cursor(self.consumers.load(Ordering::Relaxed)))
    }

    fn position_at(&self, (head, at): (Cursor, Cursor)) -> Position {
        Position { cursor: at, ..self.position(head) }
    }

    fn producing(&self) -> Position {
        self.position_at(self.producers_at())
    }

    pub(super) fn consuming(&self) -> Position {
        self.position_at(self.consumers_at())
    }

    /// Claims an entry, for who has no position, and as a rule without one: gives `then` the head of its block, and its cursor. (What is
    /// returned instead goes through memory, which costs as much as the rest of a push that is refused.)
    #[inline(always)]
    pub(super) fn claim_anew<R>(&self, then: impl FnOnce(Result<(Cursor, Cursor), Reason>) -> R) -> R {
        let (head, at) = self.producers_at();
        let lost = if at.offset() == self.size() {
            if is_full(self, head) {
                return then(Err(Reason::Exhausted));
            }
            None
        } else {
            match claim::exchange(self.block_of(head), at, 1) {
                Ok(_) => return then(Ok((head, at))),
                Err(actual) => Some(actual),
            }
        };
        then(self.claim_on(head, at, lost))
    }

    /// The same from the end of a block, or after an exchange that was lost.
    #[inline(never)]
    fn claim_on(&self, head: Cursor, at: Cursor, lost: Option<Cursor>) -> Result<(Cursor, Cursor), Reason> {
        let mut position = self.position_at((head, at));
        match lost {
            None => next_block(self, &mut position)?,
            Some(actual) => claim::lost(self, &mut position, &mut Race::default(), 1, actual),
        }
        let (at, _) = Multi::claim(self, &mut position, 1)?;
        Ok((position.head, at))
    }
}

impl<T, C: ReservesBesides> Shared<Items<T>, Multi, C> {
    /// Reserves an entry, for who has no position, and as a rule without one: gives `then` the head of its block, and its cursor.
    #[inline(always)]
    fn reserve_anew<R>(&self, then: impl FnOnce(Result<(Cursor, Cursor), Reason>) -> R) -> R {
        let (head, at) = self.consumers_at();
        let block = self.blocks.block(head.offset());
        // SAFETY: a block of this queue.
        let words: &Block = unsafe { block.as_ref() };
        let mut found = Found::Nothing;
        if at.offset() >= C::by_exchange(self.size()) {
            if C::is_used_up(words, at, self.size()) {
                match next_is_open(self, head) {
                    Ok(seen) => found = Found::NextBlock(seen),
                    Err(reason) => return then(Err(reason)),
                }
            }
        } else if self.committed(block, at, 1) > 0 {
            match reserve::exchange(words, at, 1) {
                Ok(_) => return then(Ok((head, at))),
                Err(actual) => found = Found::Others(actual),
            }
        } else if reserved(words) == at
            && let Some(reason) = Multi::why_not_committed(words, at)
        {
            return then(Err(reason));
        }
        then(self.reserve_on(head, at, found))
    }

    /// The same where there may be an item, but not there.
    #[inline(never)]
    fn reserve_on(&self, head: Cursor, at: Cursor, found: Found) -> Result<(Cursor, Cursor), Reason> {
        let mut position = self.position_at((head, at));
        match found {
            Found::Nothing => {}
            Found::NextBlock(seen) => C::enter_next(self, &mut position, seen),
            Found::Others(actual) => reserve::lost(self, &mut position, &mut Race::default(), 1, actual),
        }
        let (at, _) = C::reserve(self, &mut position, 1, |_, _| true)?;
        Ok((position.head, at))
    }
}

/// What a consumer has found that has no item yet.
enum Found {
    /// No reason to give up.
    Nothing,
    /// The next block, open; consumers were found there in it.
    NextBlock(Cursor),
    /// Others who were faster; this is where they were.
    Others(Cursor),
}

impl<T, C: ReservesBesides> fmt::Debug for Queue<T, C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Queue").field("capacity", &self.capacity()).finish_non_exhaustive()
    }
}
