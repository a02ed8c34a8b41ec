//! Many consumers: they reserve entries by compare-exchange.
//!
//! A consumer remembers its last place, so it begins with a look at the next entry. A thread that
//! shares a queue without a handle looks for its place anew ([`with_entry`]).

use core::ptr::NonNull;

use super::super::items::{Items, LineOf, entries_ahead};
use super::super::memory::{Block, Cursor, Marks, Reason, Slot};
use super::super::ring::{Content, Place, Reuse, Ring};
use super::super::side::Multi;
use super::{ConsumerSide, RecordConsumerSide, SharedConsumerSide, take};
use crate::backoff::{Backoff, Contention, Distance, Race};
use crate::error::PopError;
use crate::sync::{Cell, Ordering};

/// The state of one of many consumers. `B` is its state about the current block only.
#[derive(Clone, Copy, Debug)]
pub struct State<B = ()> {
    /// The head of its block: lap and index.
    pub(super) head: Cursor,
    pub(super) block: NonNull<Block>,
    /// The last known value of the block's `reserved`.
    pub(super) cursor: Cursor,
    pub(super) contention: Contention,
    /// Backoff by the distance from the producers.
    pub(super) distance: Distance,
    pub(super) in_block: B,
}

/// A consumer's state about one block.
pub trait InBlock: Copy + core::fmt::Debug {
    /// Returns the state on entering a block of that size.
    fn new(size: usize) -> Self;
}

impl InBlock for () {
    fn new(_size: usize) -> Self {}
}

impl<B: InBlock> State<B> {
    pub(super) fn new<K: Content>(ring: &Ring<K>, (head, cursor): Place) -> Self {
        let (contention, distance) = (Contention::new(), Distance::default());
        Self { head, block: ring.at(head), cursor, contention, distance, in_block: B::new(ring.size()) }
    }

    /// Returns the state of a thread that has none: at the consumers' place.
    pub(crate) fn find<K: Content>(ring: &Ring<K>) -> Self {
        Self::new(ring, place(ring))
    }

    /// Returns the head of its block.
    pub(crate) const fn head(&self) -> Cursor {
        self.head
    }

    pub(super) fn set_backoff(&mut self, backoff: Backoff) {
        self.contention.set(backoff);
        self.distance.set(backoff);
    }

    /// Goes to the block of the consumers' head, which was last found to be `head`.
    #[cold]
    #[inline(never)]
    pub(super) fn follow<K: Content>(&mut self, ring: &Ring<K>, head: Cursor) {
        let place = ring.find(&ring.consumers, Block::reserved, head);
        let (contention, distance) = (self.contention.in_next_block(), self.distance.entered(ring.size()));
        *self = Self { contention, distance, ..Self::new(ring, place) };
    }

    /// Moves to a cursor that was found in the block.
    ///
    /// If the cursor is of another lap, follows the head.
    #[inline(always)]
    pub(super) fn move_to<K: Content>(&mut self, ring: &Ring<K>, actual: Cursor) {
        self.distance.met_another();
        if actual.begin() == self.cursor.begin() {
            self.cursor = actual;
        } else {
            // Ordering: Acquire only keeps later stores behind (load buffering): `find` checks the
            // head against the block's word, and reads it again.
            self.follow(ring, Cursor(ring.consumers.load(Ordering::Acquire)));
        }
    }

    /// Handles a lost exchange of the cursor, for `count` entries, that found `actual`.
    #[inline(always)]
    pub(super) fn lost<K: Content>(&mut self, ring: &Ring<K>, race: &mut Race, count: usize, actual: Cursor) {
        let at = self.cursor;
        self.move_to(ring, actual);
        let (block, mut now) = (ring.words(self.block), actual);
        let look = || core::mem::replace(&mut now, block.reserved()).entries_until(now);
        if self.cursor == actual
            && actual.offset() < ring.size()
            && self.contention.lost(race, at.0, count, actual.0, K::HINTS, look)
        {
            self.move_to(ring, now);
        }
    }

    /// Finds the consumers' current place, after the entry at the cursor was not committed.
    ///
    /// Returns the reason if there is no item.
    #[inline(always)]
    pub(super) fn look_again<K: Content>(&mut self, ring: &Ring<K>) -> Result<(), Reason> {
        let (at, block) = (self.cursor, ring.words(self.block));
        let actual = block.reserved();
        if actual != at {
            self.move_to(ring, actual);
        } else if let Some(reason) = K::Marks::why_not_committed(block, at) {
            self.distance.found_nothing();
            return Err(reason);
        }
        Ok(())
    }

    /// Returns the head of the block in the lap of the cursor.
    ///
    /// It differs from `head` if the cursor was found by fetch-and-add (FAAQ): then it can be of a
    /// later lap.
    #[inline(always)]
    pub(super) fn head_in_lap(&self) -> Cursor {
        self.cursor.begin().plus(self.head.offset())
    }

    /// Moves the consumers' head from one block to the next, which is open to them, and follows it.
    ///
    /// Another thread may have moved it before.
    pub(super) fn move_head<K: Content>(&mut self, ring: &Ring<K>, from: Cursor, to: Cursor) {
        // Ordering: Release pairs with the Acquire in `find`: a thread that finds a new head finds
        // its block open. Acquire where it fails keeps later stores behind (load buffering).
        let head = ring.consumers.compare_exchange(from.0, to.0, Ordering::Release, Ordering::Acquire);
        self.follow(ring, head.map_or_else(Cursor, |_| to));
    }
}

impl Reuse for Multi {
    const MARKS_EACH: bool = true;
    type Entry<T> = Cell<T>;

    /// Whether no consumer has popped, or is popping, the block's last item.
    #[inline(always)]
    fn is_full<K: Content<Reuse = Self>>(ring: &Ring<K>, head: Cursor) -> bool {
        K::is_last_there(ring, head)
    }

    #[inline(always)]
    fn is_free<K: Content<Reuse = Self>>(ring: &Ring<K>, head: Cursor) -> bool {
        K::are_consumed(ring, head)
    }
}

impl ConsumerSide for Multi {
    type State = State;

    fn start<K: Content<Reuse = Self>>(ring: &Ring<K>, head: Cursor) -> State {
        State::new(ring, (head, head.begin()))
    }

    fn set_backoff(state: &mut State, backoff: Backoff) {
        state.set_backoff(backoff);
    }

    #[inline(always)]
    fn reserve_entry<T, P: Marks>(ring: &Ring<Items<T, P, Self>>, state: &mut State) -> Result<(Cursor, Slot), Reason> {
        reserve_entry(ring, state)
    }

    #[inline(always)]
    fn block(state: &State) -> NonNull<Block> {
        state.block
    }

    fn pop_slice<T: Copy, P: Marks>(ring: &Ring<Items<T, P, Self>>, state: &mut State, items: &mut [T]) -> usize {
        pop_slice(ring, state, items)
    }

    #[inline(always)]
    fn consume<K: Content<Reuse = Self>>(ring: &Ring<K>, block: NonNull<Block>, at: Cursor, count: usize) {
        K::mark_consumed(ring, block, at, count);
    }

    fn place<K: Content<Reuse = Self>>(ring: &Ring<K>, _state: &State) -> Place {
        ring.place_of_consumers()
    }

    fn is_empty<K: Content<Reuse = Self>>(ring: &Ring<K>, _state: &State) -> bool {
        is_empty(ring)
    }
}

impl RecordConsumerSide for Multi {
    #[inline(always)]
    fn reserve_record<K: Content<Reuse = Self>>(ring: &Ring<K>, state: &mut State) -> Result<(Cursor, usize), Reason> {
        reserve(ring, state, usize::MAX, |_, _| true)
    }
}

impl SharedConsumerSide for Multi {
    type InBlock = ();

    #[inline(always)]
    fn reserve<T, P: Marks>(
        ring: &Ring<Items<T, P, Self>>,
        state: &mut State,
        most: usize,
        may: impl FnMut(Cursor, Cursor) -> bool,
    ) -> Result<(Cursor, usize), Reason> {
        reserve(ring, state, most, may)
    }

    #[inline(always)]
    fn by_exchange(size: usize) -> usize {
        size
    }

    #[inline(always)]
    fn is_used_up(_block: &Block, _at: Cursor, _size: usize) -> bool {
        true
    }

    fn open_next<K: Content<Reuse = Self>>(ring: &Ring<K>, state: &mut State, seen: Cursor) {
        open_next(ring, state, seen);
    }
}

/// Reserves the oldest entry, and returns its cursor and its slot.
#[inline(always)]
pub(super) fn reserve_entry<T, P: Marks, C: SharedConsumerSide>(
    ring: &Ring<Items<T, P, C>>,
    state: &mut C::State,
) -> Result<(Cursor, Slot), Reason> {
    let (at, _) = C::reserve(ring, state, 1, |_, _| true)?;
    // SAFETY: an entry of the block.
    let slot = unsafe { ring.entry(state.block, at.offset()) };
    // Any consumer may be the first to come to a line.
    if state.distance.is_at_least(entries_ahead::<T, P, C>(), at.offset()) {
        LineOf::<T, P, C>::fetch_to_read(slot.line, false);
    }
    Ok((at, slot))
}

/// Takes up to `items.len()` items.
pub(super) fn pop_slice<T: Copy, P: Marks, C: SharedConsumerSide>(
    ring: &Ring<Items<T, P, C>>,
    state: &mut C::State,
    items: &mut [T],
) -> usize {
    let mut done = 0;
    while done < items.len() {
        let Ok((at, count)) = C::reserve(ring, state, items.len() - done, |_, _| true) else { break };
        let is_far = state.distance.is_at_least(entries_ahead::<T, P, C>(), at.offset());
        // SAFETY: reserved.
        unsafe { ring.take_slice(state.block, at, is_far, &mut items[done..done + count]) };
        C::consume(ring, state.block, at, count);
        done += count;
    }
    done
}

/// Reserves the entries that are committed from the consumer's cursor on, up to `most`.
///
/// Calls `may` first, with the head of the first one's block and its cursor.
#[inline(always)]
fn reserve<K: Content<Reuse = Multi>>(
    ring: &Ring<K>,
    state: &mut State,
    most: usize,
    mut may: impl FnMut(Cursor, Cursor) -> bool,
) -> Result<(Cursor, usize), Reason> {
    state.distance.keep();
    let mut race = Race::default();
    loop {
        let at = state.cursor;
        if at.offset() == ring.size() {
            advance(ring, state)?;
            continue;
        }
        let count = K::extent(ring, state.block, at, most);
        if count == 0 {
            state.look_again(ring)?;
            continue;
        }
        if !may(state.head, at) {
            return Err(Reason::Busy);
        }
        match exchange(ring.words(state.block), at, count) {
            Ok(next) => {
                state.cursor = next;
                if ring.is_last(state.block, next) {
                    state.distance.was_last(next.offset());
                    state.distance.compare(next.offset());
                }
                return Ok((at, count));
            }
            Err(actual) => state.lost(ring, &mut race, count, actual),
        }
    }
}

/// Reserves `count` entries of a block, if the consumers' cursor is still `at`.
///
/// Otherwise returns their current cursor.
#[inline(always)]
fn exchange(block: &Block, at: Cursor, count: usize) -> Result<Cursor, Cursor> {
    let next = at.plus(count);
    // Ordering: Relaxed where it succeeds: the marks have ordered the items. Where it fails,
    // Acquire only keeps later stores behind (load buffering): in the same lap that is no news, and
    // in another one the head is followed.
    let exchanged = block.consumers.reserved.compare_exchange(at.0, next.0, Ordering::Relaxed, Ordering::Acquire);
    exchanged.map_or_else(|actual| Err(Cursor(actual)), |_| Ok(next))
}

/// Checks that producers have opened the block after `from`'s, which consumers have used up.
///
/// Returns the consumers' cursor in that block; it may not be open to them yet.
#[inline(always)]
pub(super) fn next_is_open<K: Content>(ring: &Ring<K>, from: Cursor) -> Result<Cursor, Reason> {
    let to = ring.blocks.next(from);
    let (block, before) = (ring.block_of(to), to.lap_before(0));
    let seen = block.reserved();
    // After `reserved`, `is_open` reads nothing older than that lap.
    if seen.begin() == before && !block.is_open(before) { Err(Reason::Exhausted) } else { Ok(seen) }
}

/// Goes on to the block after the consumer's, which is used up.
#[inline(never)]
fn advance<K: Content<Reuse = Multi>>(ring: &Ring<K>, state: &mut State) -> Result<(), Reason> {
    let seen = next_is_open(ring, state.head_in_lap()).inspect_err(|_| state.distance.found_nothing())?;
    open_next(ring, state, seen);
    Ok(())
}

/// Goes on to the next block, and opens it to consumers if no other thread has.
///
/// `next_is_open` found the consumers' cursor `seen` there.
fn open_next<K: Content<Reuse = Multi>>(ring: &Ring<K>, state: &mut State, seen: Cursor) {
    let from = state.head_in_lap();
    let to = ring.blocks.next(from);
    if seen == to.lap_before(ring.size()) {
        let word = &ring.block_of(to).consumers.reserved;
        // Ordering: Release pairs with the Acquire in `Block::reserved`. If another consumer was
        // faster, the failure is harmless: Acquire then only keeps later stores behind (load
        // buffering).
        let _ = word.compare_exchange(seen.0, to.begin().0, Ordering::Release, Ordering::Acquire);
    }
    state.move_head(ring, from, to);
}

/// Whether consumers find nothing committed.
pub(crate) fn is_empty<K: Content>(ring: &Ring<K>) -> bool {
    let mut place = ring.place_of_consumers();
    loop {
        let (mut head, mut at) = place;
        if at.offset() == ring.size() {
            let Ok(seen) = next_is_open(ring, head) else { return true };
            head = ring.blocks.next(head);
            at = if seen.begin() == head.lap_before(0) { head.begin() } else { ring.consumed(head) };
        }
        let is_lap_over = at.begin() != head.begin();
        if !is_lap_over && at.offset() < ring.size() && K::is_there(ring, ring.at(head), at) {
            return false;
        }
        let now = ring.consumed(head);
        if at.offset() < ring.size() && (now == at || now.begin() == head.lap_before(0)) {
            return true;
        }
        // Other consumers have moved on meanwhile.
        place = if !is_lap_over && now.begin() == head.begin() { (head, now) } else { ring.place_of_consumers() };
    }
}

/// Finds the consumers: the head of their block, and the value of its `reserved`.
#[inline(always)]
pub(super) fn place<K: Content>(ring: &Ring<K>) -> Place {
    // Ordering: Acquire keeps later stores behind (load buffering). `find` checks the head against
    // the block's word.
    ring.find(&ring.consumers, Block::reserved, Cursor(ring.consumers.load(Ordering::Acquire)))
}

/// The reason why a consumer has no item yet.
enum Found {
    /// No reason to give up was found.
    Nothing,
    /// The next block is open; consumers were found at this cursor in it.
    NextBlock(Cursor),
    /// Other consumers were faster; this is where they were.
    Others(Cursor),
}

/// Reserves one entry for a thread without a state.
///
/// Passes its block's head and its cursor to `then`.
#[inline(always)]
fn with_entry<T, P: Marks, C: SharedConsumerSide, R>(
    ring: &Ring<Items<T, P, C>>,
    then: impl FnOnce(Result<(Cursor, Cursor), Reason>) -> R,
) -> R {
    let (head, at) = place(ring);
    let block = ring.block_of(head);
    let mut found = Found::Nothing;
    if at.offset() >= C::by_exchange(ring.size()) {
        if C::is_used_up(block, at, ring.size()) {
            match next_is_open(ring, head) {
                Ok(seen) => found = Found::NextBlock(seen),
                Err(reason) => return then(Err(reason)),
            }
        }
    } else if ring.committed(ring.at(head), at, 1) > 0 {
        match exchange(block, at, 1) {
            Ok(_) => return then(Ok((head, at))),
            Err(actual) => found = Found::Others(actual),
        }
    } else if block.reserved() == at
        && let Some(reason) = P::why_not_committed(block, at)
    {
        return then(Err(reason));
    }
    then(reserve_on(ring, (head, at), found))
}

/// Reserves an entry after a first attempt that left open whether there is an item.
#[inline(never)]
fn reserve_on<T, P: Marks, C: SharedConsumerSide>(
    ring: &Ring<Items<T, P, C>>,
    place: Place,
    found: Found,
) -> Result<(Cursor, Cursor), Reason> {
    let mut state = State::new(ring, place);
    match found {
        Found::Nothing => {}
        Found::NextBlock(seen) => C::open_next(ring, &mut state, seen),
        Found::Others(actual) => state.lost(ring, &mut Race::default(), 1, actual),
    }
    let (at, _) = C::reserve(ring, &mut state, 1, |_, _| true)?;
    Ok((state.head, at))
}

/// Pops an item for a thread without a state.
#[inline]
pub(crate) fn pop_anew<T, P: Marks, C: SharedConsumerSide>(ring: &Ring<Items<T, P, C>>) -> Result<T, PopError> {
    with_entry(ring, |reserved| {
        let (head, at) = reserved?;
        let block = ring.at(head);
        // SAFETY: reserved.
        Ok(unsafe { take(ring, block, at, ring.entry(block, at.offset())) })
    })
}

/// Passes up to `most` items of one block to `take`, which does not panic.
///
/// Returns their number, at least one.
pub(crate) fn pop_some<T, P: Marks, C: SharedConsumerSide>(
    ring: &Ring<Items<T, P, C>>,
    most: usize,
    mut then: impl FnMut(T),
) -> Result<usize, PopError> {
    let mut state = State::find(ring);
    let (at, count) = C::reserve(ring, &mut state, most, |_, _| true)?;
    for number in 0..count {
        let at = at.plus(number);
        // SAFETY: reserved, and taken once.
        then(unsafe { take(ring, state.block, at, ring.entry(state.block, at.offset())) });
    }
    Ok(count)
}
