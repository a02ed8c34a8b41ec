//! The chain of blocks between the two ends of the queue.

use core::marker::PhantomData;
use core::ptr::{NonNull, null_mut};

use super::block::{Block, Slot};
use super::place::{MOST_SLOTS, Place};
use super::side::Side;
use crate::backoff::{NEAR, SharedDistance, Turns};
use crate::error::PopError;
use crate::isolated::Isolated;
use crate::sync::{AtomicPtr, AtomicUsize, Cell, Ordering, pause_while};

/// An end of the queue.
pub(super) struct ChainEnd {
    /// The next slot to be claimed, as a [`Place`].
    pub(super) place: AtomicUsize,
    /// The number of blocks that this end has left.
    pub(super) left: AtomicUsize,
    /// For consumers, a hint: the place up to which producers are known to have claimed slots.
    claimed: AtomicUsize,
    /// For consumers: their distance behind the producers.
    pub(super) distance: SharedDistance,
    turns: Isolated<Turns>,
}

impl ChainEnd {
    const fn new() -> Self {
        let start = Place::<()>::START.word();
        let (left, claimed) = (AtomicUsize::new(0), AtomicUsize::new(0));
        Self {
            place: AtomicUsize::new(start),
            left,
            claimed,
            distance: SharedDistance::new(),
            turns: Isolated(Turns::new()),
        }
    }
}

/// Blocks that are not in the chain.
pub(super) struct Store<T> {
    /// A block to be used again.
    pub(super) spare: AtomicPtr<Block<T>>,
    /// Blocks that both ends have left while a thread was still at work in a slot.
    pub(super) retired: AtomicPtr<Block<T>>,
}

/// The blocks between the two ends of a queue with these sides.
pub(super) struct Chain<T, P, C> {
    /// Where producers claim slots.
    pub(super) tail: Isolated<ChainEnd>,
    /// Where consumers claim slots.
    pub(super) head: Isolated<ChainEnd>,
    pub(super) store: Isolated<Store<T>>,
    /// The number of slots of a block.
    pub(super) slots: usize,
    /// Makes `T` invariant, and marks the chain as an owner of items.
    _items: PhantomData<Cell<T>>,
    _sides: PhantomData<fn() -> (P, C)>,
}

// SAFETY: items go from one thread to another, which `T: Send` allows; threads never share one.
unsafe impl<T: Send, P, C> Send for Chain<T, P, C> {}
// SAFETY: the reason for `Send` holds.
unsafe impl<T: Send, P, C> Sync for Chain<T, P, C> {}

/// The outcome of the push of a thread that found no slot.
enum Grown<T> {
    /// The item is in the queue, in a block of its own.
    Pushed,
    /// There is another block, with slots to be claimed.
    Again(T),
    /// There is no memory for a block.
    OutOfMemory(T),
}

/// The longest wait for another thread that adds the next block, in spin hints.
const PATIENCE: u32 = 256;

impl<T, P: Side, C: Side> Chain<T, P, C> {
    /// Makes a chain without blocks. `slots` is between 1 and [`MOST_SLOTS`].
    pub(super) const fn new(slots: usize) -> Self {
        assert!(slots >= 1 && slots <= MOST_SLOTS);
        Self {
            tail: Isolated(ChainEnd::new()),
            head: Isolated(ChainEnd::new()),
            store: Isolated(Store { spare: AtomicPtr::new(null_mut()), retired: AtomicPtr::new(null_mut()) }),
            slots,
            _items: PhantomData,
            _sides: PhantomData,
        }
    }

    /// Returns the slot at a place.
    ///
    /// # Safety
    /// The caller has claimed it and has not used it up.
    #[inline(always)]
    pub(super) unsafe fn slot(&self, place: Place<T>) -> *const Slot<T> {
        let block = place.block().unwrap_or(NonNull::dangling());
        // SAFETY: a claimed slot that is not done keeps its block alive.
        unsafe { Block::slot(block, place.index()) }
    }

    /// Adds `item`, or gives it back if there is no memory.
    ///
    /// # Safety
    /// If the side is single, no other thread is in a push.
    #[inline(always)]
    pub(super) unsafe fn push(&self, mut item: T) -> Result<(), T> {
        loop {
            let place = if P::IS_SINGLE {
                self.claim_alone(1)
            } else {
                let turn = self.tail.turns.wait();
                // Ordering: Acquire pairs with the Release of `advance`: the block is ready.
                let place = Place::of_word(self.tail.place.fetch_add(1, Ordering::Acquire));
                self.tail.turns.made_one(turn);
                place
            };
            if place.index() < self.slots {
                // SAFETY: just claimed, and used once.
                match unsafe { self.fill(place, item) } {
                    Ok(()) => return Ok(()),
                    Err(back) => item = back,
                }
            } else {
                match self.grow(place, item) {
                    Grown::Pushed => return Ok(()),
                    Grown::Again(back) => item = back,
                    Grown::OutOfMemory(back) => return Err(back),
                }
            }
        }
    }

    /// Fills a slot, or gives the item back if a consumer has skipped it.
    ///
    /// # Safety
    /// The caller has claimed the slot, and does not use it afterwards.
    #[inline(always)]
    unsafe fn fill(&self, place: Place<T>, item: T) -> Result<(), T> {
        // SAFETY: the caller's promise; one consumer skips no slot.
        unsafe {
            let slot = self.slot(place);
            if C::IS_SINGLE {
                Slot::fill_awaited(slot, item);
                return Ok(());
            }
            Slot::fill(slot, item)
        }
    }

    /// Adds the first items, all unless there is no memory, and returns their number.
    ///
    /// # Safety
    /// If the side is single, no other thread is in a push.
    pub(super) unsafe fn push_slice(&self, items: &[T]) -> usize
    where
        T: Copy,
    {
        let mut pushed = 0;
        while pushed < items.len() {
            // Ordering: Relaxed, the exchange acquires.
            let place = Place::<T>::of_word(self.tail.place.load(Ordering::Relaxed));
            if place.index() >= self.slots {
                // SAFETY: the caller's promise.
                if unsafe { self.push(items[pushed]) }.is_err() {
                    break;
                }
                pushed += 1;
                continue;
            }
            let count = (self.slots - place.index()).min(items.len() - pushed);
            let is_claimed = if P::IS_SINGLE {
                let _ = self.claim_alone(count);
                true
            } else {
                Self::claim(&self.tail, place, count)
            };
            if is_claimed {
                for number in 0..count {
                    // SAFETY: just claimed, and used once.
                    let filled = unsafe { self.fill(place.plus(number), items[pushed]) };
                    pushed += usize::from(filled.is_ok());
                }
            }
        }
        pushed
    }

    /// Claims `count` slots of one block, from `place` on. Fails if the end is elsewhere.
    #[inline(always)]
    fn claim(end: &ChainEnd, place: Place<T>, count: usize) -> bool {
        // Ordering: Acquire pairs with the Release of `advance`: the block is ready. Release pairs
        // with the Acquire of `look`: a thread that finds the items taken sees what this one did
        // before. Where it fails, Acquire only keeps later stores behind (load buffering).
        let exchanged =
            end.place.compare_exchange(place.word(), place.plus(count).word(), Ordering::AcqRel, Ordering::Acquire);
        exchanged.is_ok()
    }

    /// Goes on to the next block, and adds one if there is none.
    ///
    /// The tail brought the thread to `place`, so it is a visitor of the block.
    #[cold]
    #[inline(never)]
    fn grow(&self, place: Place<T>, item: T) -> Grown<T> {
        let Some(full) = place.block() else { return self.begin(item) };
        // SAFETY: the thread visits the block.
        let link = unsafe { &full.as_ref().next };
        if place.index() > self.slots {
            // Another thread came to the end first, and is probably adding the block.
            pause_while(PATIENCE, || link.load(Ordering::Relaxed).is_null());
        }
        // Ordering: Acquire pairs with the Release of the exchange below: the next block is ready.
        let (next, outcome) = match NonNull::new(link.load(Ordering::Acquire)) {
            Some(next) => (next, Grown::Again(item)),
            None => match self.new_block() {
                None => return self.withdraw(full.as_ptr(), item),
                Some(new) => {
                    // Ordering: Release pairs with the Acquire of this failure, of the load above
                    // and of `follow`'s.
                    let add = |new| link.compare_exchange(null_mut(), new, Ordering::Release, Ordering::Acquire);
                    self.publish(new, item, |new| add(new.as_ptr()).err().and_then(NonNull::new))
                }
            },
        };
        Self::advance(&self.tail, full.as_ptr(), Place::new(next, 1), self.slots);
        self.leave(full);
        outcome
    }

    /// Adds the queue's first block.
    fn begin(&self, item: T) -> Grown<T> {
        let start = Place::<T>::START.word();
        // Ordering: Acquire pairs with the Release of the exchange below: what `advance` releases
        // includes the block.
        let (first, outcome) = match Place::of_word(self.head.place.load(Ordering::Acquire)).block() {
            Some(first) => (first, Grown::Again(item)),
            None => match self.new_block() {
                None => return self.withdraw(null_mut(), item),
                Some(new) => self.publish(new, item, |new| {
                    let first = Place::new(new, 0).word();
                    // Ordering: Release pairs with the Acquire of this failure, of the load above,
                    // and of consumers.
                    let set = self.head.place.compare_exchange(start, first, Ordering::Release, Ordering::Acquire);
                    set.err().and_then(|word| Place::of_word(word).block())
                }),
            },
        };
        // If the tail has no block yet, the head cannot have left the first one.
        Self::advance(&self.tail, null_mut(), Place::new(first, 1), self.slots);
        outcome
    }

    /// Publishes a block with `item` in it, unless `add` returns the block of another thread.
    fn publish(
        &self,
        new: NonNull<Block<T>>,
        item: T,
        add: impl FnOnce(NonNull<Block<T>>) -> Option<NonNull<Block<T>>>,
    ) -> (NonNull<Block<T>>, Grown<T>) {
        // SAFETY: no other thread has the block's address.
        unsafe { Block::fill_first(new, item) };
        match add(new) {
            None => (new, Grown::Pushed),
            Some(other) => {
                // SAFETY: the block is not published.
                let item = unsafe { Block::empty_first(new) };
                self.keep(new);
                (other, Grown::Again(item))
            }
        }
    }

    /// Takes back the visit of a push that finds no memory, unless the tail has moved on to another
    /// block.
    #[cold]
    fn withdraw(&self, from: *mut Block<T>, item: T) -> Grown<T> {
        // Ordering: Relaxed, as the index of a visit orders nothing.
        let mut now = Place::<T>::of_word(self.tail.place.load(Ordering::Relaxed));
        while now.is_in(from) {
            let (old, new) = (now.word(), now.minus_one().word());
            match self.tail.place.compare_exchange(old, new, Ordering::Relaxed, Ordering::Relaxed) {
                Ok(_) => return Grown::OutOfMemory(item),
                Err(word) => now = Place::of_word(word),
            }
        }
        if let Some(from) = NonNull::new(from) {
            self.leave(from);
        }
        Grown::Again(item)
    }

    /// Moves an end on from the block `from`, which the caller visits, to `to`, unless another
    /// thread has done so.
    ///
    /// The caller has acquired the content of the block of `to`.
    pub(super) fn advance(end: &ChainEnd, from: *mut Block<T>, to: Place<T>, slots: usize) {
        // Ordering: Acquire only keeps later stores behind (load buffering). The caller visits the
        // block, so a word that names it is of its present use.
        let mut now = Place::<T>::of_word(end.place.load(Ordering::Acquire));
        while now.is_in(from) {
            // Ordering: Release pairs with the Acquire of the threads that claim: the next block is
            // ready. Acquire where it fails keeps later stores behind (load buffering).
            match end.place.compare_exchange(now.word(), to.word(), Ordering::Release, Ordering::Acquire) {
                Ok(_) => {
                    // SAFETY: the caller visits the block.
                    if let Some(from) = NonNull::new(from).map(|from| unsafe { from.as_ref() }) {
                        // Ordering: Release pairs with the Acquire of `look`: a consumer that sees
                        // this number also sees that the head has left the block. Acquire keeps
                        // later stores behind (load buffering).
                        end.left.fetch_add(1, Ordering::AcqRel);
                        from.close(now.index() - slots);
                    }
                    return;
                }
                Err(word) => now = Place::of_word(word),
            }
        }
    }

    /// Takes the oldest item.
    ///
    /// # Safety
    /// If the side is single, no other thread is in a pop.
    #[inline(always)]
    pub(super) unsafe fn pop(&self) -> Result<T, PopError> {
        if C::IS_SINGLE {
            // SAFETY: the caller's promise.
            unsafe { self.pop_alone() }
        } else {
            self.pop_claimed().ok_or(PopError::Empty)
        }
    }

    /// Takes the oldest item, if there is one, for one of many consumers.
    #[inline(always)]
    fn pop_claimed(&self) -> Option<T> {
        let turn = self.head.turns.wait();
        loop {
            // Ordering: Relaxed, because the claim acquires.
            let mut head = Place::<T>::of_word(self.head.place.load(Ordering::Relaxed));
            // Ordering: Acquire only keeps later stores behind (load buffering): it is a hint.
            let mut claimed = Place::of_word(self.head.claimed.load(Ordering::Acquire));
            if !claimed.is_in_block_of(head) || claimed.index() <= head.index() {
                let Some(found) = self.look() else {
                    self.head.distance.found_nothing();
                    return None;
                };
                (head, claimed) = found;
                let count = || if claimed.index() < self.slots { claimed.index() - head.index() } else { NEAR };
                // After a pause, the thread begins again, as one that loses a claim does.
                if self.head.distance.found(count) {
                    continue;
                }
                self.head.claimed.store(claimed.word(), Ordering::Relaxed);
            }
            if claimed.index() == self.slots {
                // Ordering: Acquire pairs with the Release of `advance`: the block is ready.
                // Release pairs with the Acquire of `look`: a thread that finds the item taken sees
                // what this one did before.
                head = Place::of_word(self.head.place.fetch_add(1, Ordering::AcqRel));
                if head.index() >= self.slots {
                    self.follow(head);
                    continue;
                }
            } else if !Self::claim(&self.head, head, 1) {
                continue;
            }
            // SAFETY: just claimed, and used once.
            let item = unsafe { Slot::take(self.slot(head)) };
            if item.is_some() {
                self.head.turns.made_one(turn);
                return item;
            }
            // The hint may be from the block's last use.
            self.head.claimed.store(0, Ordering::Relaxed);
        }
    }

    /// Moves the oldest items to the start of `items`. Returns their number.
    ///
    /// # Safety
    /// If the side is single, no other thread is in a pop.
    pub(super) unsafe fn pop_slice(&self, items: &mut [T]) -> usize
    where
        T: Copy,
    {
        if C::IS_SINGLE {
            // SAFETY: the caller's promise.
            return items
                .iter_mut()
                .map_while(|item| unsafe { self.pop_alone() }.ok().map(|next| *item = next))
                .count();
        }
        let mut popped = 0;
        while popped < items.len() {
            let Some((head, claimed)) = self.look() else { break };
            if head.index() >= self.slots {
                let Some(item) = self.pop_claimed() else { break };
                items[popped] = item;
                popped += 1;
                continue;
            }
            let count = (claimed.index() - head.index()).min(items.len() - popped);
            if Self::claim(&self.head, head, count) {
                for number in 0..count {
                    // SAFETY: just claimed, and used once.
                    if let Some(item) = unsafe { Slot::take(self.slot(head.plus(number))) } {
                        items[popped] = item;
                        popped += 1;
                    }
                }
            }
        }
        popped
    }

    /// Returns the head, and the place up to which producers have claimed slots of its block.
    ///
    /// Returns `None` if there is no item. An index that belongs to no slot means that the head is
    /// at the end of a block that is not the last one.
    #[inline(never)]
    fn look(&self) -> Option<(Place<T>, Place<T>)> {
        loop {
            // Ordering: Acquire pairs with the Release of `advance`: the head is read at least as
            // late.
            let left = self.head.left.load(Ordering::Acquire);
            // Ordering: Acquire pairs with the Release of the claims, in `pop` and `pop_slice`:
            // after `Empty`, the caller observes what the threads that took the last items did
            // before.
            let head = Place::<T>::of_word(self.head.place.load(Ordering::Acquire));
            // Ordering: Acquire pairs with the Release of `advance`. If the block is in its next
            // use, the head has left it in the use before, and the second load of `left` sees that.
            let tail = Place::<T>::of_word(self.tail.place.load(Ordering::Acquire));
            if head.block().is_none() || tail.block().is_none() {
                return None;
            }
            if !head.is_in_block_of(tail) {
                return Some((head, head.at(self.slots)));
            }
            let claimed = tail.at(tail.index().min(self.slots));
            if head.index() < claimed.index() {
                return Some((head, claimed));
            }
            // Ordering: Acquire only keeps later stores behind (load buffering).
            if self.head.left.load(Ordering::Acquire) == left {
                return None;
            }
        }
    }

    /// Goes on to the next block. The head brought the thread to `place`, so it is a visitor of the
    /// block.
    #[cold]
    #[inline(never)]
    fn follow(&self, place: Place<T>) {
        let Some(used) = place.block() else { return };
        // Ordering: Acquire pairs with the Release of `grow`: the next block is ready.
        // SAFETY: the thread visits the block.
        if let Some(next) = NonNull::new(unsafe { used.as_ref() }.next.load(Ordering::Acquire)) {
            // The head never goes past the tail.
            Self::advance(&self.tail, used.as_ptr(), Place::new(next, 1), self.slots);
            Self::advance(&self.head, used.as_ptr(), Place::new(next, 0), self.slots);
        }
        self.leave(used);
    }

    /// Whether a pop would find no item.
    pub(super) fn is_empty(&self) -> bool {
        if C::IS_SINGLE { self.len() == 0 } else { self.look().is_none() }
    }

    /// Returns the number of items, exact while no operation is in progress.
    pub(super) fn len(&self) -> usize {
        let at = |end: &ChainEnd| {
            // Ordering: Relaxed, because the number is of a recent moment.
            let left = end.left.load(Ordering::Relaxed);
            let place = Place::<T>::of_word(end.place.load(Ordering::Relaxed));
            let index = if place.block().is_some() { place.index().min(self.slots) } else { 0 };
            left.wrapping_mul(self.slots).wrapping_add(index)
        };
        // The head is read first, because it never goes past the tail.
        let head = at(&self.head);
        let len = at(&self.tail).wrapping_sub(head);
        if len.cast_signed() < 0 { 0 } else { len }
    }

    /// Returns the number of slots of a block.
    pub(super) const fn slots(&self) -> usize {
        self.slots
    }
}
