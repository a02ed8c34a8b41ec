//! A ring of indices, and its operations without help.

use aqueduct_measure::run::Apart;

use super::super::sync::{AtomicI64, Ordering, Pair};
use super::patience::Patience;
use super::record::{Record, Side, load, position};

/// Neighbouring entries lie that many bits apart, in lines of their own: four pairs a line.
const SPREAD: u32 = 2;

/// A ring of the indices below `n`, in `2n` entries. An entry is a note, the last cycle in which no
/// thread may use it for a request, and a word: a cycle, a bit that it is safe, a bit that it is
/// final, and an index.
#[derive(Debug)]
pub(super) struct Ring {
    /// The first word of both counters is 0 or the thread, counted from 1, that has just taken a
    /// position for a request.
    pub(super) tail: Apart<Pair>,
    pub(super) head: Apart<Pair>,
    /// The number of further pops that may fail before the ring is known to be empty.
    pub(super) threshold: Apart<AtomicI64>,
    entries: Box<[Pair]>,
    /// Bits of an entry's number, and of an index.
    bits: u32,
    pub(super) records: Box<[Apart<Record>]>,
}

/// The result of an attempt.
enum Outcome<T> {
    Done(T),
    /// The attempt at that position failed.
    Failed(u64),
}

/// A thread's own state for a ring.
#[derive(Debug)]
pub(super) struct Local {
    pub(super) thread: usize,
    /// The thread that it looks at next, and after how many operations.
    pub(super) next: usize,
    pub(super) left: u32,
}

impl Ring {
    pub(super) fn new(n: u64, full: bool, threads: usize) -> Self {
        let bits = n.ilog2() + 1;
        let (none, count) = (2 * n - 2, 2 * n);
        let mut ring = Self {
            tail: Apart(Pair::new(0, count)),
            head: Apart(Pair::new(0, count)),
            threshold: Apart(AtomicI64::new(-1)),
            entries: Box::new([]),
            bits,
            records: (0..threads).map(|_| Apart(Record::new())).collect(),
        };
        ring.entries = (0..count).map(|_| Pair::new(0, ring.word(0, true, true, none))).collect();
        if full {
            for index in 0..n {
                let position = count + index;
                let place = ring.place(position);
                ring.entries[place] = Pair::new(0, ring.word(1, true, true, index));
            }
            ring.tail = Apart(Pair::new(0, count + n));
            ring.threshold = Apart(AtomicI64::new(ring.most()));
        }
        ring
    }

    #[inline]
    pub(super) fn word(&self, cycle: u64, safe: bool, last: bool, index: u64) -> u64 {
        cycle << (self.bits + 2) | u64::from(safe) << (self.bits + 1) | u64::from(last) << self.bits | index
    }

    /// Returns the index that stands for one that was consumed: all bits are set.
    #[inline]
    fn consumed(&self) -> u64 {
        (1 << self.bits) - 1
    }

    /// Returns the index that stands for none.
    #[inline]
    pub(super) fn none(&self) -> u64 {
        self.consumed() - 1
    }

    #[inline]
    pub(super) fn index(&self, word: u64) -> u64 {
        word & self.consumed()
    }

    #[inline]
    pub(super) fn is_vacant(&self, word: u64) -> bool {
        self.index(word) >= self.none()
    }

    #[inline]
    fn is_final(&self, word: u64) -> bool {
        word >> self.bits & 1 == 1
    }

    #[inline]
    pub(super) fn is_safe(&self, word: u64) -> bool {
        word >> (self.bits + 1) & 1 == 1
    }

    #[inline]
    pub(super) fn cycle_in(&self, word: u64) -> u64 {
        word >> (self.bits + 2)
    }

    #[inline]
    pub(super) fn cycle(&self, position: u64) -> u64 {
        position >> self.bits
    }

    #[inline]
    fn place(&self, position: u64) -> usize {
        let (mask, spread) = ((1 << self.bits) - 1, SPREAD.min(self.bits - 1));
        let place = position & mask;
        ((place << spread | place >> (self.bits - spread)) & mask) as usize
    }

    #[inline]
    pub(super) fn entry(&self, position: u64) -> &Pair {
        &self.entries[self.place(position)]
    }

    #[inline]
    pub(super) fn record(&self, thread: usize) -> &Record {
        &self.records[thread].0
    }

    #[inline]
    pub(super) fn end(&self, side: Side) -> &Pair {
        match side {
            Side::Push => &self.tail.0,
            Side::Pop => &self.head.0,
        }
    }

    /// Returns the threshold of a ring that has just got an index.
    #[inline]
    fn most(&self) -> i64 {
        (3 << (self.bits - 1)) - 1
    }

    #[inline]
    pub(super) fn set_threshold(&self) {
        if self.threshold.0.load(Ordering::SeqCst) != self.most() {
            self.threshold.0.store(self.most(), Ordering::SeqCst);
        }
    }

    /// Adds an index that is not in the ring.
    #[inline]
    pub(super) fn push<P: Patience>(&self, local: &mut Local, index: u64) {
        self.help::<P>(local);
        let mut failed_at = 0;
        for _ in 0..P::PUSHES {
            match self.try_push(index) {
                Outcome::Done(()) => return,
                Outcome::Failed(at) => failed_at = at,
            }
        }
        self.request::<P>(local.thread, Side::Push, failed_at, index + 2);
        // The thread that has put it there may not have come to that yet.
        self.set_threshold();
    }

    /// Takes the oldest index.
    #[inline]
    pub(super) fn pop<P: Patience>(&self, local: &mut Local) -> Option<u64> {
        if self.threshold.0.load(Ordering::SeqCst) < 0 {
            return None;
        }
        self.help::<P>(local);
        let mut failed_at = 0;
        for _ in 0..P::POPS {
            match self.try_pop::<P>(local.thread) {
                Outcome::Done(index) => return index,
                Outcome::Failed(at) => failed_at = at,
            }
        }
        self.request::<P>(local.thread, Side::Pop, failed_at, 1);
        let head = position(load(&self.record(local.thread).pop_at));
        let word = self.entry(head).second();
        let is_there = self.cycle_in(word) == self.cycle(head) && self.index(word) != self.none();
        is_there.then(|| self.consume(local.thread, head, word))
    }

    #[inline(always)]
    fn try_push(&self, index: u64) -> Outcome<()> {
        let tail = self.tail.0.add_to_second(1);
        let (cycle, entry) = (self.cycle(tail), self.entry(tail));
        loop {
            let word = entry.second();
            let is_free = self.cycle_in(word) < cycle
                && self.is_vacant(word)
                && (self.is_safe(word) || self.head.0.second() <= tail);
            if !is_free {
                return Outcome::Failed(tail);
            }
            if entry.exchange_second(word, self.word(cycle, true, true, index)) {
                self.set_threshold();
                return Outcome::Done(());
            }
        }
    }

    #[inline(always)]
    fn try_pop<P: Patience>(&self, thread: usize) -> Outcome<Option<u64>> {
        let head = self.head.0.add_to_second(1);
        let (cycle, entry) = (self.cycle(head), self.entry(head));
        let mut looks = 0;
        loop {
            let word = entry.second();
            if self.cycle_in(word) == cycle {
                return Outcome::Done(Some(self.consume(thread, head, word)));
            }
            if self.cycle_in(word) > cycle {
                break;
            }
            if self.is_vacant(word) && looks < P::LOOKS && self.tail.0.second() > head {
                looks += 1;
                std::hint::spin_loop();
                continue;
            }
            if entry.exchange_second(word, self.passed(word, cycle)) {
                break;
            }
        }
        if self.catch_up(head) || self.threshold.0.fetch_sub(1, Ordering::SeqCst) <= 0 {
            return Outcome::Done(None);
        }
        Outcome::Failed(head)
    }

    /// Returns an earlier cycle's word after a pop of `cycle` has passed it: no index comes there
    /// in that cycle.
    #[inline]
    pub(super) fn passed(&self, word: u64, cycle: u64) -> u64 {
        if self.is_vacant(word) {
            self.word(cycle, self.is_safe(word), true, self.none())
        } else {
            self.word(self.cycle_in(word), false, self.is_final(word), self.index(word))
        }
    }

    /// After a failed pop at `head`: if the ring is empty there, moves the tail along and returns
    /// true.
    #[inline]
    fn catch_up(&self, head: u64) -> bool {
        if self.tail.0.second() > head + 1 {
            return false;
        }
        self.move_tail();
        self.threshold.0.fetch_sub(1, Ordering::SeqCst);
        true
    }

    /// Moves the tail to a head that has passed it.
    #[cold]
    pub(super) fn move_tail(&self) {
        loop {
            let (tail, head) = (self.tail.0.second(), self.head.0.second());
            if tail >= head || self.tail.0.exchange_second(tail, head) {
                return;
            }
        }
    }

    /// Takes the index out of the entry at `head`.
    #[inline(always)]
    fn consume(&self, thread: usize, head: u64, word: u64) -> u64 {
        if !self.is_final(word) {
            self.finish_push(thread, head);
        }
        self.entry(head).or_to_second(1 << self.bits | self.consumed());
        self.index(word)
    }
}
