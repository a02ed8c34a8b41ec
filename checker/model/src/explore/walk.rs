//! Random walks: executions chosen at random, one by one, for programs with too many executions.
//!
//! A walk adds an event at a time and never backtracks. Every execution can be built so: in an
//! order that respects sb and rf, each read finds its source, and each write its place, among the
//! events that are there already. Bugs are rare because many reads must see the newest write, and
//! one must not; or because one thread must stand still while others go far. So each walk draws its
//! own habits, from nearly an interleaving to reorderings everywhere.

use crate::graph::Graph;
use crate::graph::clock::MAX_THREADS;

/// The possible frequencies of a habit, in percent. A walk draws one.
type Draw = [u64; 4];

/// A read takes the newest write.
const NEWEST: Draw = [15, 50, 85, 97];
/// Otherwise a read takes the oldest write that it may.
const OLDEST: Draw = [10, 30, 50, 80];
/// A write goes behind all others of its location.
const LAST: Draw = [20, 60, 90, 100];
/// A weak compare-exchange without another choice succeeds. Such a choice is often one of many
/// in a row, such as whether a handler runs now.
const SUCCEEDS: Draw = [5, 20, 50, 80];
/// The walk considers a switch to another thread.
const SWITCH: Draw = [10, 35, 60, 100];

/// Random numbers from a `seed`, by the SplitMix64 generator.
#[derive(Clone, Debug)]
pub(super) struct Random(u64);

impl Random {
    pub(super) fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub(super) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ mixed >> 31
    }

    /// Returns a number less than `bound`.
    pub(super) fn below(&mut self, bound: usize) -> usize {
        // The bounds are so small that no remainder is noticeably more likely than another.
        (self.next() % bound as u64) as usize
    }

    /// Returns a number from 0 to below 1.
    pub(super) fn fraction(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Whether an event of this frequency happens now.
    fn chance(&mut self, percent: u64) -> bool {
        self.next() % 100 < percent
    }

    fn one_of(&mut self, from: Draw) -> u64 {
        from[self.below(from.len())]
    }
}

/// A walk's frequencies, in percent.
#[derive(Clone, Copy, Debug, Default)]
struct Habits {
    newest: u64,
    oldest: u64,
    last: u64,
    succeeds: u64,
    switch: u64,
}

/// The subject of a choice.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Matter {
    /// The source of a read.
    Source,
    /// Whether a weak compare-exchange fails spuriously.
    Success,
    /// The place of a write.
    Place,
}

/// The remaining walks, and the present one.
#[derive(Clone, Debug)]
pub(crate) struct Walk {
    seed: u64,
    /// The number of the next walk.
    next: u64,
    /// The end of this explorer's range of numbers.
    end: u64,
    /// The total number of walks.
    total: u64,
    random: Random,
    habits: Habits,
    /// The rank of each thread. The thread with the highest rank continues.
    ranks: [i64; MAX_THREADS],
    highest: i64,
    lowest: i64,
}

impl Walk {
    /// Makes `walks` walks and begins the first one.
    pub(super) fn new(walks: u64, seed: u64) -> Self {
        let mut walk = Self {
            seed,
            next: 0,
            end: walks.max(1),
            total: walks.max(1),
            random: Random(seed),
            habits: Habits::default(),
            ranks: [0; MAX_THREADS],
            highest: 0,
            lowest: 0,
        };
        walk.begin();
        walk
    }

    /// Whether this walk is the last.
    pub(super) fn is_last(&self) -> bool {
        self.next == self.end
    }

    /// Returns the share of one walk.
    pub(super) fn share(&self) -> f64 {
        1.0 / self.total as f64
    }

    /// Begins the next walk. The `seed` and its number alone determine it.
    pub(super) fn begin(&mut self) {
        self.random = Random(Random(self.seed).next() ^ self.next.wrapping_mul(0xd6e8_feb8_6659_fd93));
        self.next += 1;
        let random = &mut self.random;
        self.habits = Habits {
            newest: random.one_of(NEWEST),
            oldest: random.one_of(OLDEST),
            last: random.one_of(LAST),
            succeeds: random.one_of(SUCCEEDS),
            switch: random.one_of(SWITCH),
        };
        for rank in &mut self.ranks {
            *rank = random.below(1 << 30) as i64;
        }
        (self.highest, self.lowest) = (1 << 30, -1);
    }

    /// Splits off the later half of the walks that have not begun.
    pub(super) fn split(&mut self) -> Option<Self> {
        let middle = self.next + (self.end - self.next) / 2;
        let given = Self { next: middle, ..self.clone() };
        self.end = middle;
        (given.next < given.end).then_some(given)
    }

    /// Returns the thread that continues, of those that are enabled. The choice holds until an
    /// event is added.
    pub(crate) fn pick(&self, enabled: impl Iterator<Item = usize>) -> Option<usize> {
        enabled.max_by_key(|&thread| self.ranks[thread])
    }

    /// Notes an event of `thread`, after which another thread may get the highest rank. A thread
    /// that has lagged behind gets it more often than by chance.
    pub(crate) fn step(&mut self, thread: usize, graph: &Graph) {
        if !self.random.chance(self.habits.switch) {
            return;
        }
        let alive = (0..MAX_THREADS).filter(|&t| (t == 0 || graph.creators[t].is_some()) && !graph.ended(t));
        match self.random.below(4) {
            0 => self.yield_turn(thread),
            1 => alive.min_by_key(|&t| graph.len(t)).into_iter().for_each(|laggard| self.promote(laggard)),
            _ => {
                let at = self.random.below(alive.clone().count().max(1));
                alive.skip(at).take(1).for_each(|any| self.promote(any));
            }
        }
    }

    /// Lets all other threads go first, because this one spins.
    pub(crate) fn yield_turn(&mut self, thread: usize) {
        self.ranks[thread] = self.lowest;
        self.lowest -= 1;
    }

    fn promote(&mut self, thread: usize) {
        self.ranks[thread] = self.highest;
        self.highest += 1;
    }

    /// Orders the alternatives so that the last one is tried first. They come sorted, with the
    /// newest source or the last place at the end.
    pub(super) fn arrange<T>(&mut self, ways: &mut [T], matter: Matter) {
        let Some(end) = ways.len().checked_sub(1).filter(|&end| end > 0) else { return };
        let (usual, oldest) = match matter {
            Matter::Source => (self.habits.newest, self.habits.oldest),
            Matter::Success => (self.habits.succeeds, 100),
            Matter::Place => (self.habits.last, 0),
        };
        let first = if self.random.chance(usual) {
            end
        } else if self.random.chance(oldest) {
            0
        } else {
            self.random.below(ways.len())
        };
        ways.swap(first, end);
        for at in (1..end).rev() {
            let other = self.random.below(at + 1);
            ways.swap(at, other);
        }
    }
}
