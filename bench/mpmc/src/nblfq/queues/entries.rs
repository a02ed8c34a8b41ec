//! Rings of pairs.

use super::pair::Pair;
use crate::nblfq::line::spread;

/// The rotation that puts neighbouring positions into different lines, of four pairs each.
const SPREAD: u32 = 2;

/// The entries of a ring, each a state and an item, or 0.
#[derive(Debug)]
pub(super) struct Entries {
    pairs: Box<[Pair]>,
    /// Bits of an entry's number.
    bits: u32,
}

impl Entries {
    /// Makes that many entries, a power of two from 4 on, without items; `state` returns an entry's
    /// state for its number.
    pub(super) fn new(count: usize, state: impl Fn(u64) -> u64) -> Self {
        let mut new = Self { pairs: (0..count).map(|_| Pair::new(0, 0)).collect(), bits: count.ilog2() };
        for number in 0..count as u64 {
            let place = new.place(number);
            new.pairs[place] = Pair::new(state(number), 0);
        }
        new
    }

    /// Returns the number of times.
    #[inline(always)]
    pub(super) fn count(&self) -> u64 {
        self.pairs.len() as u64
    }

    /// Returns the number of the lap of that position.
    #[inline(always)]
    pub(super) fn cycle(&self, position: u64) -> u64 {
        position >> self.bits
    }

    #[inline(always)]
    fn place(&self, position: u64) -> usize {
        spread(position, self.bits, SPREAD)
    }

    #[inline(always)]
    pub(super) fn at(&self, position: u64) -> &Pair {
        &self.pairs[self.place(position)]
    }
}
