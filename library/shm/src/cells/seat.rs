//! A place that a handle has taken: the place's cell, and the exchange of that cell for a slot's.

use core::time::Duration;

use super::Side;
use super::geometry::Geometry;
use crate::bell;
use crate::error::ClaimError;
use crate::layout::{self, Claim, Memory, OWNER, Peer, head};
use crate::peer;
use crate::sync::{Ordering, Word};

/// Words of a place, behind the handle's word: the cell, and the intent.
const CELL: usize = 1;
const INTENT: usize = 2;
/// Bit of a consumer's [`CELL`] word: the cell has an item that was not released.
const HELD: u64 = 1 << 63;

/// The word with the side's hint. Where a side has one handle, this word has that handle's number.
pub(crate) const fn hint_of(side: Side) -> usize {
    match side {
        Side::Producer => head::PRODUCER,
        Side::Consumer => head::CONSUMER,
    }
}

/// The word on which handles of the side sleep, and the word in which they arm their events.
pub(crate) const fn bells_of(side: Side) -> [usize; 2] {
    match side {
        Side::Producer => [head::PRODUCER_SLEEPS, head::PRODUCERS_ARMED],
        Side::Consumer => [head::CONSUMER_SLEEPS, head::CONSUMERS_ARMED],
    }
}

/// Writes the words of a new queue that are not 0: each slot and each place gets its cell.
pub(crate) fn fill(words: &[Word], geometry: &Geometry) {
    for slot in 0..geometry.slots() {
        words[geometry.slot(slot)].store(geometry.word(0, slot), Ordering::Relaxed);
    }
    for place in 0..geometry.places() {
        let cell = geometry.slots() + place;
        words[geometry.cell(cell)].store(place, Ordering::Relaxed);
        words[geometry.place(place) + CELL].store(cell, Ordering::Relaxed);
        // The intent is the place's own cell: no exchange is pending.
        words[geometry.place(place) + INTENT].store(geometry.word(0, cell), Ordering::Relaxed);
    }
}

/// Why a handle does not exchange its cell.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Stuck {
    /// The queue is full, or empty.
    Waits,
    Damaged,
    Contended,
}

/// A place that a handle has taken. An exchange adds `TURNS` to the slot's turn: 1 where both sides
/// exchange alternately, and 2 where only producers exchange.
#[derive(Debug)]
pub(crate) struct Seat<M: Memory, const TURNS: u64> {
    memory: M,
    /// Value of the place's word while this handle owns the place. `leave` compares it, so that it
    /// does not undo a successor's claim.
    held: u64,
    geometry: Geometry,
    side: Side,
    place: u64,
    /// The cell of the place.
    cell: u64,
    /// True if the cell has an item that the consumer has not released.
    holds: bool,
    /// Number behind that of this handle's last exchange. Other handles may have exchanged further
    /// on.
    next: u64,
}

impl<M: Memory, const TURNS: u64> Seat<M, TURNS> {
    pub(crate) fn new(memory: M, geometry: Geometry, side: Side, place: u64, claim: Claim) -> Result<Self, ClaimError> {
        let words = memory.words();
        let own = geometry.place(place);
        let held = layout::claim(&words[own], claim)?;
        let Some((cell, holds)) = settle(words, &geometry, side, place, TURNS) else {
            layout::leave(&words[own], held);
            return Err(ClaimError::Damaged);
        };
        Ok(Self { memory, held, geometry, side, place, cell, holds, next: 0 })
    }

    /// The first `words` words of the cell's item.
    #[inline(always)]
    pub(crate) fn item(&self, words: usize) -> &[Word] {
        &self.memory.words()[self.geometry.cell(self.cell) + 1..][..words]
    }

    /// Whether the cell has an item.
    #[inline(always)]
    pub(crate) fn holds(&self) -> bool {
        self.holds
    }

    /// Gives up the item: a successor does not get it.
    #[inline(always)]
    pub(crate) fn release(&mut self) {
        self.holds = false;
        self.own()[CELL].store(self.cell, Ordering::Relaxed);
    }

    /// The words of the place.
    #[inline(always)]
    fn own(&self) -> &[Word] {
        &self.memory.words()[self.geometry.place(self.place)..][..=INTENT]
    }

    /// The number at which a search starts, and its greatest number of steps.
    #[inline(always)]
    fn start(&self) -> (u64, u64) {
        // Ordering: Acquire pairs with the release in `exchange`: the slots are seen as they were
        // then, or later. Without it, this handle may read an older turn of a slot, and take that
        // for damage.
        let hint = self.memory.words()[hint_of(self.side)].load(Ordering::Acquire);
        (self.next.max(hint), self.geometry.max_steps())
    }

    /// [Finds](find) the end of the queue at which this side exchanges.
    #[inline(always)]
    fn find(&self, at: &mut u64, steps: &mut u64) -> Result<u64, Stuck> {
        find(self.memory.words(), &self.geometry, self.side, at, steps)
    }

    /// Exchanges the place's cell for that of the next slot. If there is one to exchange it for,
    /// `fill` writes the cell before. Afterwards, a consumer holds an item.
    #[inline(always)]
    pub(crate) fn exchange(&mut self, fill: impl FnOnce(&Self)) -> Result<(), Stuck> {
        let (mut at, mut steps) = self.start();
        let mut word = self.find(&mut at, &mut steps)?;
        fill(self);
        loop {
            let (geometry, words) = (&self.geometry, self.memory.words());
            let wanted = geometry.cell_of(word).filter(|cell| *cell != self.cell).ok_or(Stuck::Damaged)?;
            // Ordering: Release pairs with the acquire in `was_given`: a process that sees this
            // intent also sees this place as the owner of its cell.
            self.own()[INTENT].store(word, Ordering::Release);
            let given = geometry.word(geometry.turn(word) + TURNS, self.cell);
            // Ordering: Release pairs with the acquire in `find`, and in `was_given`. Without it,
            // the next owner accesses the cell while this one does. A success reads the word that
            // `find` has acquired.
            let slot = &words[geometry.slot(at)];
            if slot.compare_exchange(word, given, Ordering::Release, Ordering::Relaxed).is_ok() {
                words[geometry.cell(wanted)].store(self.place, Ordering::Relaxed);
                self.cell = wanted;
                self.holds = self.side == Side::Consumer;
                self.next = at + 1;
                self.own()[CELL].store(wanted | if self.holds { HELD } else { 0 }, Ordering::Relaxed);
                // Ordering: Release pairs with the acquire in `start`.
                words[hint_of(self.side)].store(at + 1, Ordering::Release);
                return Ok(());
            }
            word = self.find(&mut at, &mut steps)?;
        }
    }

    /// Whether the queue is full, or empty, for this side.
    pub(crate) fn waits(&self) -> bool {
        let (mut at, mut steps) = self.start();
        self.find(&mut at, &mut steps) == Err(Stuck::Waits)
    }

    /// Sleeps until the other side wakes this one, unless there is something to exchange, or
    /// `unless_left` and the other side has left.
    pub(crate) fn sleep(&self, timeout: Duration, unless_left: bool) {
        bell::wait_among_others(&self.memory.words()[bells_of(self.side)[0]], timeout, || {
            !self.waits() || unless_left && peer::has_left(self.others())
        });
    }

    /// The words of the other side's places.
    fn others(&self) -> impl Iterator<Item = &Word> {
        words_of_places(self.memory.words(), &self.geometry, self.side.other())
    }

    /// Returns the state of the other side, as far as it is known.
    pub(crate) fn peer(&self) -> Peer {
        peer::of(|| self.others(), |recorded| self.memory.peer(recorded))
    }

    /// Arms this side's events, unless there is something to exchange. Returns whether they are
    /// armed.
    pub(crate) fn arm(&self) -> bool {
        bell::arm_among_others(&self.memory.words()[bells_of(self.side)[1]], || !self.waits())
    }

    /// Wakes the other side's handles that sleep, and signals their events if they are armed.
    #[inline(always)]
    pub(crate) fn wake(&self) {
        let [asleep, armed] = bells_of(self.side.other()).map(|word| &self.memory.words()[word]);
        bell::ring_all(asleep, armed, || self.memory.signal());
    }

    /// The number of items in the queue, computed from the hints, which may be old.
    pub(crate) fn len(&self) -> usize {
        let [pushed, popped] =
            [Side::Producer, Side::Consumer].map(|side| self.memory.words()[hint_of(side)].load(Ordering::Relaxed));
        pushed.saturating_sub(popped).min(self.geometry.slots()) as usize
    }

    /// The number of the place among those of its side.
    pub(crate) fn place(&self) -> usize {
        match self.side {
            Side::Producer => self.place as usize,
            Side::Consumer => self.place as usize - self.geometry.producers(),
        }
    }

    pub(crate) fn geometry(&self) -> &Geometry {
        &self.geometry
    }

    pub(crate) fn memory(&self) -> &M {
        &self.memory
    }
}

impl<M: Memory, const TURNS: u64> Drop for Seat<M, TURNS> {
    fn drop(&mut self) {
        layout::leave(&self.memory.words()[self.geometry.place(self.place)], self.held);
        self.wake();
    }
}

/// Finds the end of the queue at which the side exchanges, from number `at` on, in at most `steps`
/// steps. Returns the slot's word.
#[inline(always)]
pub(crate) fn find(
    words: &[Word],
    geometry: &Geometry,
    side: Side,
    at: &mut u64,
    steps: &mut u64,
) -> Result<u64, Stuck> {
    while *steps > 0 && *at < geometry.limit() {
        *steps -= 1;
        // Ordering: Acquire pairs with the release in `exchange`: with a cell, its last owner's
        // accesses are seen, and with a turn, all exchanges before it.
        let word = words[geometry.slot(*at)].load(Ordering::Acquire);
        let (turn, due) = (geometry.turn(word), geometry.due(side, *at));
        if turn == due {
            return Ok(word);
        }
        if turn < due {
            return Err(if turn + 1 == due { Stuck::Waits } else { Stuck::Damaged });
        }
        *at = geometry.behind(side, *at, turn);
    }
    Err(if *steps == 0 { Stuck::Contended } else { Stuck::Damaged })
}

/// The words with the numbers of the handles that have a side's places.
pub(crate) fn words_of_places<'w>(
    words: &'w [Word],
    geometry: &Geometry,
    side: Side,
) -> impl Iterator<Item = &'w Word> + use<'w> {
    let (geometry, producers) = (*geometry, geometry.producers() as u64);
    let places = if side == Side::Producer { 0..producers } else { producers..geometry.places() };
    places.map(move |place| &words[geometry.place(place)])
}

/// Whether a place has a handle that was not dropped, or holds an item.
pub(crate) fn is_used(words: &[Word], geometry: &Geometry, place: u64) -> bool {
    let [handle, cell] = [0, CELL].map(|word| words[geometry.place(place) + word].load(Ordering::Relaxed));
    handle & OWNER != 0 || cell & HELD != 0
}

/// Finds which cell a place has, and whether it holds an item. `None` if its words are impossible.
fn settle(words: &[Word], geometry: &Geometry, side: Side, place: u64, turns: u64) -> Option<(u64, bool)> {
    let own = &words[geometry.place(place)..][..=INTENT];
    let kept = own[CELL].load(Ordering::Relaxed);
    let (mut cell, mut holds) = (kept & !HELD, kept & HELD != 0 && side == Side::Consumer);
    let intent = own[INTENT].load(Ordering::Relaxed);
    let wanted = geometry.cell_of(intent)?;
    if cell >= geometry.cells() {
        return None;
    }
    let given = geometry.word(geometry.turn(intent).wrapping_add(turns), cell);
    if wanted != cell && was_given(words, geometry, place, given) {
        (cell, holds) = (wanted, side == Side::Consumer);
    }
    // A process that is killed here leaves a state that the next one settles in the same way.
    words[geometry.cell(cell)].store(place, Ordering::Relaxed);
    own[CELL].store(cell | if holds { HELD } else { 0 }, Ordering::Relaxed);
    Some((cell, holds))
}

/// Whether the dead owner of a place put the word `given` into the ring. The page of
/// [`mpmc`](crate::mpmc) proves that these three checks, in this order, decide it.
fn was_given(words: &[Word], geometry: &Geometry, place: u64, given: u64) -> bool {
    // Ordering: Acquire pairs with the release of the exchange that took the word away: the intent
    // of its process is seen.
    let is_there = |slot: u64| words[geometry.slot(slot)].load(Ordering::Acquire) == given;
    // Ordering: Acquire pairs with the release of the next intent: the owner is seen.
    let is_wanted =
        |other: u64| other != place && words[geometry.place(other) + INTENT].load(Ordering::Acquire) == given;
    // Ordering: Relaxed. Whatever this place puts into the ring later depends on the value.
    let owner = || geometry.cell_of(given).map(|cell| words[geometry.cell(cell)].load(Ordering::Relaxed));
    if (0..geometry.slots()).any(is_there) {
        return true;
    }
    if (0..geometry.places()).any(is_wanted) {
        return true;
    }
    owner() != Some(place)
}
